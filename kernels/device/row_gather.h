// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/base/types.h"
#include "kernels/device/back_ends.h"

#include <optional>

namespace kernels {

/// A GPU's part in it.
class RowGather : public BackEnd {
public:
    /// Seconds of the fastest of some times that so many rows are read. Throws Error(Device), OutOfMemory.
    virtual double seconds(Count rows, std::uint64_t rowBytes, Count gathers) = 0;
};
inline constexpr const char* rowGatherId = "row-gather";

/// Rows a second that a device reads of a matrix of so many rows, each at random and each as likely: what gathers reach that do
/// nothing else. A tenth of a second, memory for the matrix and some indices; nothing where that cannot be had. On the CPU
/// with all threads, rows of whole cache lines. Throws Cancelled.
std::optional<double> measureRowGather(const DeviceId&, Count rows, std::uint64_t rowBytes, RunControl&);

} // namespace kernels
