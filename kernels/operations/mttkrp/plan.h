// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/mttkrp.h"

#include <limits>

/// How the products of a tensor are made to fit the device: which format, and whether its entries stream. Who estimates, refuses
/// and builds asks here, so that they agree.
namespace kernels::mttkrp {

inline constexpr const char* automaticId = "auto";
inline constexpr const char* streamingId = "blco"; ///< the format whose entries need not be on the GPU

/// Of the device's memory.
struct Room {
    std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max(); ///< for the entries on a GPU, the format and what is beside
    std::uint64_t beside = 0; ///< what others take of it once the format stands
};

struct Plan {
    std::vector<std::string> formats; ///< to be built, the likely fastest first; never empty
    unsigned tried = 1; ///< so many of them are timed
    bool automatic = false; ///< nobody named the format
    bool streamed = false; ///< the entries stay on the host, linearised, and come to the GPU piece by piece
    std::uint64_t pieceRoom = 0; ///< of the device for the pieces of one tensor
    std::uint64_t bytes = 0; ///< the most at once on the device with what is beside; above the room: it does not fit
    std::uint64_t hostBytes = 0; ///< the most at once there where entries are streamed or rows are dealt out
};

/// Formats that fit; where none does what streams, and where that is too much still, what takes least. For `auto` of those that
/// are likely the fastest, two are timed where that is cheap and the bits need not be the same every time.
Plan planFor(DeviceKind, std::string_view format, const ProblemShape&, const Settings&, unsigned valueBytes, const Room&);

/// Builds what was planned on the CPU; tensor and exceptions as with the other makeOnCpu.
template <class T> std::unique_ptr<Operation<T>> makeOnCpu(const Plan&, const SparseTensor&, const Settings&, RunControl&);
extern template std::unique_ptr<Operation<float>> makeOnCpu(const Plan&, const SparseTensor&, const Settings&, RunControl&);
extern template std::unique_ptr<Operation<double>> makeOnCpu(const Plan&, const SparseTensor&, const Settings&, RunControl&);

/// What `auto` takes where there is room for anything; where two are tried, with the first while the second is built and timed.
FormatBytes likelyBytes(DeviceKind, const ProblemShape&, const Settings&, unsigned valueBytes);

} // namespace kernels::mttkrp
