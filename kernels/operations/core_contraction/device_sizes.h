// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <algorithm>

/// How much contracting a core takes on a GPU: its kernels and estimates agree on it here.
namespace kernels::core_contraction::gpu {

/// Rows, δ and the open mode of a core are padded by zeros to fours of numbers.
constexpr unsigned deviceStride(unsigned rank) { return (rank + 3) / 4 * 4; }

/// Numbers of a core whose open mode is padded.
constexpr Count paddedCore(Count coreNumbers, unsigned openRank) { return coreNumbers / openRank * deviceStride(openRank); }

/// Gradients of the core are summed in so many parts of the entries.
constexpr Count gradientParts(Count paddedCore)
{
    constexpr Count roomNumbers = Count{1} << 22, fewest = 8, most = 528; // four for each of 132 processors
    return std::clamp(roomNumbers / paddedCore, fewest, most);
}

} // namespace kernels::core_contraction::gpu
