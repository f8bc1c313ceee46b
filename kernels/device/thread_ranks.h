// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/communicator.h"

#include <memory>
#include <span>
#include <vector>

namespace kernels {

/// What a rank does in the memory that it shares with the others. All is complete when a call returns.
class SharedMemory {
public:
    virtual ~SharedMemory() = default;
    /// Until an event of the device has come.
    virtual void await(void* /*event*/) { }
    /// From begin to end the numbers of all arrays become their sum, added in the arrays' order. type: Fp32 or Fp64.
    virtual void addUp(std::span<void* const> arrays, Count begin, Count end, Precision type) = 0;
    virtual void copy(void* to, const void* from, Count bytes) = 0;
};

/// Ranks that are threads of this process and reach each other's numbers, one for each of these. They add in the order of ranks: the same
/// bits every time. Where one of them fails in a call, the others leave that call by OtherRankFailed.
std::vector<std::unique_ptr<Communicator>> makeThreadRanks(std::vector<std::unique_ptr<SharedMemory>>);

} // namespace kernels
