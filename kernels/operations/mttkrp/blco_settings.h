// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <algorithm>

namespace kernels::mttkrp {

/// On a GPU a few rows that all blocks of threads add to are added to in so many places, which are added up in the end.
inline unsigned blcoCopies(Index rows)
{
    constexpr Index rowsInAll = 4096, most = 64;
    return std::clamp<Index>(rowsInAll / rows, 1, most);
}

} // namespace kernels::mttkrp
