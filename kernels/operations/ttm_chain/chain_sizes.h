// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cstdint>
#include <vector>

/// What chains on a GPU take, for estimates and for who allocates it.
namespace kernels::ttm::gpu {

/// Longer slices are cut into pieces of so many leaves or more.
Count pieceLeaves(Count entries, std::uint64_t width);
/// Blocks that judge entries, each with room for a row of Y in fp64.
unsigned judgeBlocks(std::uint64_t width);

struct ChainBytes {
    std::uint64_t building = 0, kept = 0; ///< on the device, beside the entries
};
ChainBytes chainBytes(const std::vector<Index>& dims, unsigned mode, Count entries, const std::vector<unsigned>& ranks,
                      unsigned valueBytes);

} // namespace kernels::ttm::gpu
