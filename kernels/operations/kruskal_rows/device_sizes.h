// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// How rows of a CP model lie on a GPU: kernels and estimates agree on it here.
namespace kernels::kruskal_rows::gpu {

/// Rows are padded by zeros to fours of numbers, which are read together; single columns lie beside each other.
constexpr unsigned deviceStride(unsigned rank) { return rank == 1 ? 1 : (rank + 3) / 4 * 4; }

constexpr unsigned sumBlocks = 1056; ///< that sum errors: eight for each of 132 processors

} // namespace kernels::kruskal_rows::gpu
