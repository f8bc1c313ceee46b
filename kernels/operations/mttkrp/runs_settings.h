// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/runs.h"
#include "kernels/operations/mttkrp/mttkrp.h"

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

/// Of a GPU, 16 bytes of a row each, that walk entries together.
inline unsigned runsLanesOnCuda(unsigned rank, unsigned valueBytes)
{
    const unsigned vectors = (rank * valueBytes + 15) / 16;
    return vectors <= 2 ? 2 : vectors <= 4 ? 4 : 8;
}

/// What a GPU's caches have room for beside what streams through them; nothing where sums of several blocks may not be added
/// atomically.
inline formats::RunsCaches runsCachesOnCuda(const Settings& settings, unsigned valueBytes, std::size_t farBytes)
{
    constexpr std::size_t vector = 16, widest = 128; // bytes of rows that a launch takes
    constexpr std::size_t nearBytes = std::size_t{160} << 10;
    if (settings.deterministic)
        return {};
    const std::size_t rowBytes = std::min((std::size_t{settings.rank} * valueBytes + vector - 1) / vector * vector, widest);
    return {static_cast<Index>(farBytes / 7 / rowBytes), static_cast<Index>(nearBytes / rowBytes)};
}

} // namespace kernels::mttkrp
