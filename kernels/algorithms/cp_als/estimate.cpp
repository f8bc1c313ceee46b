// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/base/dispatch.h"
#include "kernels/operations/mttkrp/mttkrp.h"

#include <algorithm>

namespace kernels::cp_als {
namespace {

/// The start while the format is built and the factors are laid out, later a copy that is given away; the factors as they are
/// and as they were best, the products of the longest mode.
template <class T> MemoryUse bytesOnCpu(const RunConfig& config, const ProblemShape& shape)
{
    const std::uint64_t rank = config.largestRank(), stride = mttkrp::hostStride<T>(rank);
    std::uint64_t rows = 0, longest = 0;
    for (const Index size : shape.dims) {
        rows += size;
        longest = std::max<std::uint64_t>(longest, size);
    }
    const mttkrp::FormatBytes format =
        mttkrp::bytesOn(DeviceKind::Cpu, config.format, shape, {static_cast<unsigned>(rank), config.deterministic}, sizeof(T));
    MemoryUse use;
    use.hostBytes = rows * rank * sizeof(T) + std::max(format.most, format.kept + (2 * rows + longest) * stride * sizeof(T)) + format.work
        + (std::uint64_t{4} << 10); // arrays begin at whole cache lines
    // AᵀA of every mode, its parts while it is summed, and what an inverse takes.
    const std::uint64_t squares = rank < 256 ? 0 : shape.dims.size() + 24;
    use.hostBytes += squares * rank * rank * sizeof(double);
    return use;
}

} // namespace

MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& shape)
{
    return dispatchMasterType(config.precision, [&](auto type) { return bytesOnCpu<typename decltype(type)::type>(config, shape); });
}

} // namespace kernels::cp_als
