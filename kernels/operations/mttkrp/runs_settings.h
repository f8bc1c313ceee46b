// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <algorithm>
#include <cstddef>

namespace kernels::mttkrp {

/// Rows of the largest other mode that a block of entries in runs keeps at hand on the CPU: what its caches hold beside all else.
inline Index runsBlockRows(unsigned rank, unsigned valueBytes)
{
    constexpr std::size_t cacheForRows = std::size_t{4} << 20, line = 64;
    const std::size_t rowBytes = (std::size_t{rank} * valueBytes + line - 1) / line * line;
    return static_cast<Index>(std::max<std::size_t>(cacheForRows / rowBytes, 1));
}

/// On a GPU, whose cache also has what streams through it: 0, none, where sums of several blocks may not be added atomically.
inline Index runsBlockRowsOnCuda(std::size_t cacheBytes, unsigned rank, unsigned valueBytes, bool deterministic)
{
    constexpr std::size_t vector = 16, widest = 128; // bytes of rows that a launch takes
    const std::size_t rowBytes = std::min((std::size_t{rank} * valueBytes + vector - 1) / vector * vector, widest);
    return deterministic ? 0 : static_cast<Index>(cacheBytes / 7 / rowBytes);
}

} // namespace kernels::mttkrp
