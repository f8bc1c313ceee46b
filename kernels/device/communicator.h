// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/error.h"
#include "kernels/base/types.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kernels {

/// What a rank gives up with because another one failed: what that one says is the cause.
class OtherRankFailed : public Error {
public:
    using Error::Error;
};

/// Numbers in the memory of a rank's device.
struct SharedNumbers {
    void* numbers = nullptr;
    Count count = 0;
    Precision type = Precision::Fp32; ///< Fp32 or Fp64
    void* ready = nullptr; ///< an event of the rank's GPU that they are complete behind; null: they are
};

/// One of several devices that work on one thing. All ranks make the same calls in the same order, each from a thread of its own. What a
/// call did is complete when it returns, but for what it only begins; what it works on must be before.
class Communicator {
public:
    virtual ~Communicator() = default;
    virtual unsigned rank() const = 0;
    virtual unsigned size() const = 0;
    /// Every number becomes the sum of all ranks' numbers in its place, with the same bits everywhere.
    void allReduce(std::span<const SharedNumbers> arrays)
    {
        beginAllReduce(arrays);
        finish();
    }
    /// The same beside what the device does meanwhile: complete after finish(), as all is that was begun before.
    virtual void beginAllReduce(std::span<const SharedNumbers>) = 0;
    virtual void finish() = 0;
    /// Memory of the same size everywhere becomes that of the root.
    virtual void broadcast(void* memory, Count bytes, unsigned root) = 0;
    virtual void barrier() = 0;
};

/// One for each of the devices, in their order: GPUs, each once, or one device as often as wanted, which its ranks share. Throws
/// Error(NoDevice) where there is no library for several GPUs.
std::vector<std::unique_ptr<Communicator>> makeCommunicators(const std::vector<DeviceId>&);
/// Why several GPUs cannot work together here, a sentence; empty: they can. The first call opens the library.
const std::string& communicationProblem();

} // namespace kernels
