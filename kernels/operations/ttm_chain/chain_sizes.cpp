// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/ttm_chain/chain_sizes.h"

#include "kernels/formats/csf.h"
#include "kernels/operations/ttm_chain/ttm_chain.h"

#include <algorithm>

namespace kernels::ttm::gpu {

Count pieceLeaves(Count entries, std::uint64_t width)
{
    constexpr Count fewestLeaves = Count{1} << 11;
    constexpr std::uint64_t roomNumbers = std::uint64_t{1} << 24, fewest = 64, most = 8192;
    return std::max(fewestLeaves, entries / std::clamp(roomNumbers / width, fewest, most));
}

unsigned judgeBlocks(std::uint64_t width)
{
    constexpr std::uint64_t roomNumbers = std::uint64_t{1} << 21, fewest = 16, most = 1056; // eight for each of 132 processors
    return static_cast<unsigned>(std::clamp(roomNumbers / width, fewest, most));
}

ChainBytes chainBytes(const std::vector<Index>& dims, unsigned mode, Count entries, const std::vector<unsigned>& ranks, unsigned valueBytes)
{
    constexpr std::uint64_t segmentBytes = 24, cutRowBytes = 12;
    const std::vector<unsigned> order = formats::rootedAt(dims, mode);
    const std::vector<Count> nodes = formats::csfNodes(dims, order, entries);
    const std::uint64_t width = widthOf(ranks, mode), pieces = entries / pieceLeaves(entries, width);
    ChainBytes bytes;
    bytes.kept = formats::csfBytes(nodes, entries, valueBytes) + (nodes.front() + 1 + pieces) * segmentBytes + pieces * cutRowBytes
        + pieces * width * valueBytes + judgeBlocks(width) * (width + 3) * sizeof(double);
    if (dims.size() > 3)
        bytes.kept += (dims.size() - 3) * nodes.back() * sizeof(Index);
    bytes.building = std::max(formats::treeBuildBytes(dims, order, entries, valueBytes), bytes.kept + (nodes.front() + 1) * 4);
    return bytes;
}

} // namespace kernels::ttm::gpu
