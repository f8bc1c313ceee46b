// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/bcsf.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernels::formats {
namespace {

constexpr Count nodesPerChunk = Count{1} << 16;
constexpr Count blocksPerChunk = Count{1} << 12; // each looks for its fibre

/// result[i] = value(0) + … + value(i − 1), in parallel; the last element is the sum of all.
template <class Offset, class Value> Array<Offset> runningSum(Count count, RunControl& control, const Value& value)
{
    Array<Offset> result(count + 1);
    std::vector<Count> before(chunkCount(count, nodesPerChunk) + 1, 0);
    forEachChunk(count, nodesPerChunk, control, [&](Count chunk, Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
            before[chunk + 1] += value(i);
    });
    for (std::size_t chunk = 1; chunk < before.size(); ++chunk)
        before[chunk] += before[chunk - 1];
    forEachChunk(count, nodesPerChunk, control, [&](Count chunk, Count begin, Count end) {
        Count sum = before[chunk];
        for (Count i = begin; i < end; ++i) {
            result[i] = static_cast<Offset>(sum);
            sum += value(i);
        }
    });
    result[count] = static_cast<Offset>(before.back());
    return result;
}

/// offsets[i] = positions[offsets[i]].
template <class Offset> void follow(Array<Offset>& offsets, const Array<Offset>& positions, RunControl& control)
{
    forEachChunk(offsets.size(), nodesPerChunk, control, [&](Count, Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
            offsets[i] = positions[offsets[i]];
    });
}

template <class Offset> class Balancer {
public:
    Balancer(Bcsf& to, RunControl& control)
        : m_tree(to.tree)
        , m_to(to)
        , m_control(control)
    {
    }

    void balance()
    {
        Array<Offset> firstFibre = splitFibres();
        for (std::size_t level = m_tree.levels.size() - 1; level-- > 0;) { // of parents, and so on up to the slices
            Array<Offset> above = children(level);
            if (level + 2 < m_tree.levels.size())
                follow(above, firstFibre, m_control);
            firstFibre = std::move(above);
        }
        cutSlices(firstFibre);
    }

private:
    Array<Offset>& children(std::size_t level) { return std::get<Array<Offset>>(m_tree.levels[level].children); }

    /// Where the fibres that were are now: first piece of each, and how many pieces there are.
    Array<Offset> splitFibres()
    {
        CsfLevel& fibres = m_tree.levels.back();
        const Array<Offset>& leaves = std::get<Array<Offset>>(fibres.children);
        const Count count = fibres.indices.size();
        Array<Offset> firstPiece =
            runningSum<Offset>(count, m_control, [&](Count fibre) { return fibrePieces(leaves[fibre + 1] - leaves[fibre], m_to.limits); });
        if (firstPiece[count] == count)
            return firstPiece;
        CsfLevel pieces{Array<Index>(firstPiece[count]), Array<Offset>(firstPiece[count] + 1)};
        writePieces(fibres, firstPiece, pieces);
        fibres = std::move(pieces);
        if (m_tree.levels.size() > 1)
            follow(children(m_tree.levels.size() - 2), firstPiece, m_control);
        return firstPiece;
    }

    void writePieces(const CsfLevel& fibres, const Array<Offset>& firstPiece, CsfLevel& pieces)
    {
        const Array<Offset>& from = std::get<Array<Offset>>(fibres.children);
        Array<Offset>& to = std::get<Array<Offset>>(pieces.children);
        const Count count = fibres.indices.size();
        forEachChunk(firstPiece[count], nodesPerChunk, m_control, [&](Count, Count begin, Count end) {
            Count fibre = firstGreater(firstPiece.data(), 0, count, begin) - 1;
            for (Count piece = begin; piece < end; ++piece) {
                while (firstPiece[fibre + 1] <= piece)
                    ++fibre;
                pieces.indices[piece] = fibres.indices[fibre];
                to[piece] = static_cast<Offset>(from[fibre] + (piece - firstPiece[fibre]) * m_to.limits.fibreLeaves);
            }
        });
        to.back() = from.back();
    }

    void cutSlices(const Array<Offset>& firstFibre)
    {
        const Count slices = firstFibre.size() - 1;
        const SlicedFibres<Offset> fibres{children(m_tree.levels.size() - 1).data(), firstFibre.data(), slices};
        const auto firstBlock = runningSum<Offset>(slices, m_control, [&](Count slice) { return fibres.blocksOf(slice, m_to.limits); });
        m_to.blockBegins.resize(m_tree.levels.size());
        fillBegins(m_tree.levels.size() - 1, firstBlock.back(),
                   [&](Count block) { return fibres.firstFibreOf(block, firstBlock.data(), m_to.limits); });
        for (std::size_t level = m_tree.levels.size() - 1; level-- > 0;) {
            const Array<Offset>& below = std::get<Array<Offset>>(m_to.blockBegins[level + 1]);
            fillBegins(level, firstBlock.back(),
                       [&, &down = children(level)](Count block) { return firstGreater(down.data(), 0, down.size(), below[block]) - 1; });
        }
    }

    template <class Node> void fillBegins(std::size_t level, Count blocks, const Node& node)
    {
        Array<Offset> begins(blocks + 1);
        forEachChunk(blocks + 1, blocksPerChunk, m_control, [&](Count, Count begin, Count end) {
            for (Count block = begin; block < end; ++block)
                begins[block] = static_cast<Offset>(node(block));
        });
        m_to.blockBegins[level] = std::move(begins);
    }

    Csf& m_tree;
    Bcsf& m_to;
    RunControl& m_control;
};

/// Bytes of the pieces and blocks at most, and how many there are.
struct Parts {
    Count pieces = 0, blocks = 0;
};

Parts mostParts(const std::vector<Count>& nodes, Count entries, const BcsfLimits& limits)
{
    Parts parts;
    parts.pieces = std::min(entries, nodes.back() + entries / limits.fibreLeaves);
    parts.blocks = std::min(parts.pieces, nodes.front() + entries / blockWindow(limits));
    return parts;
}

} // namespace

Count Bcsf::blocks() const
{
    return blockBegins.empty() ? 0 : std::visit([](const auto& begins) { return begins.size(); }, blockBegins.back()) - 1;
}

std::uint64_t Bcsf::bytes() const
{
    std::uint64_t sum = tree.bytes();
    for (const Offsets& begins : blockBegins)
        sum += bytesOf(begins);
    return sum;
}

void checkLimits(const BcsfLimits& limits)
{
    if (limits.fibreLeaves < 1 || limits.fibreLeaves > std::uint32_t{1} << 30)
        throw Error(ErrorKind::BadArgument,
                    {"a fibre cannot be kept to this", "leaves of a fibre", fmt::format("{}", limits.fibreLeaves), "1 to 2^30", {}});
    if (limits.blockEntries < 2 * limits.fibreLeaves - 1)
        throw Error(ErrorKind::BadArgument,
                    {"a block cannot be kept to this",
                     "entries of a block",
                     fmt::format("{}", limits.blockEntries),
                     fmt::format("at least {}: two fibres of {} leaves less one", 2 * limits.fibreLeaves - 1, limits.fibreLeaves),
                     {}});
}

Bcsf balance(Csf tree, const BcsfLimits& limits, RunControl& control)
{
    checkLimits(limits);
    Bcsf result;
    result.tree = std::move(tree);
    result.limits = limits;
    dispatchOffset(result.tree.hasWideOffsets(), [&](auto zero) { Balancer<decltype(zero)>(result, control).balance(); });
    return result;
}

Bcsf buildBcsf(const SparseTensor& tensor, const std::vector<unsigned>& modeOrder, const BcsfLimits& limits, RunControl& control,
               OffsetWidth width)
{
    checkLimits(limits); // before the long part
    return balance(buildCsf(tensor, modeOrder, control, width), limits, control);
}

std::uint64_t bcsfBytes(std::vector<Count> nodes, Count entries, unsigned valueBytes, const BcsfLimits& limits)
{
    const std::uint64_t offset = needsWideOffsets(entries) ? 8 : 4;
    const Parts parts = mostParts(nodes, entries, limits);
    nodes.back() = parts.pieces;
    return csfBytes(nodes, entries, valueBytes) + nodes.size() * (parts.blocks + 1) * offset;
}

std::uint64_t bcsfBuildBytes(const std::vector<Index>& dims, const std::vector<unsigned>& modeOrder, Count entries, unsigned valueBytes,
                             const BcsfLimits& limits)
{
    const std::vector<Count> nodes = csfNodes(dims, modeOrder, entries);
    const std::uint64_t offset = needsWideOffsets(entries) ? 8 : 4;
    const std::uint64_t fibres = nodes.back() * (sizeof(Index) + offset) + offset; // those that were, beside their pieces
    const std::uint64_t slices = 2 * (nodes.back() + 1) * offset; // positions, followed up to the slices
    return std::max(csfBuildBytes(dims, modeOrder, entries, valueBytes), bcsfBytes(nodes, entries, valueBytes, limits) + fibres + slices);
}

TensorFormatInfo bcsfInfo()
{
    return {"bcsf", "B-CSF", "Balanced CSF: long fibres and heavy slices are cut, so that every piece of work is of bounded size.",
            [](const ProblemShape& shape, unsigned valueBytes) {
                std::uint64_t sum = 0;
                for (unsigned n = 0; n < shape.dims.size(); ++n)
                    sum += bcsfBytes(csfNodes(shape.dims, rootedAt(shape.dims, n), shape.trainEntries), shape.trainEntries, valueBytes, {});
                return sum;
            }};
}

} // namespace kernels::formats
