// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/csf.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/entry_keys.h"
#include "kernels/tensor/sort.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace kernels::formats {
namespace {

constexpr Count entriesPerChunk = Count{1} << 16;

std::vector<Index> permuted(const std::vector<Index>& dims, const std::vector<unsigned>& modeOrder)
{
    std::vector<Index> result;
    for (const unsigned mode : modeOrder)
        result.push_back(dims[mode]);
    return result;
}

template <class T> void copyInto(Array<T>& to, const Array<T>& from, RunControl& control)
{
    forEachChunk(from.size(), entriesPerChunk, control,
                 [&](Count, Count begin, Count end) { std::copy(from.begin() + begin, from.begin() + end, to.begin() + begin); });
}

void copyInto(SparseTensor::Values& to, const SparseTensor::Values& from, RunControl& control)
{
    std::visit([&](const auto& values) { copyInto(std::get<std::decay_t<decltype(values)>>(to), values, control); }, from);
}

/// Makes the levels above the leaves from sorted entries: one pass counts the nodes of every chunk, one writes them.
template <class Offset> class LevelBuilder {
public:
    LevelBuilder(const SparseTensor& sorted, Csf& tree, RunControl& control)
        : m_sorted(sorted)
        , m_tree(tree)
        , m_control(control)
        , m_inner(sorted.order() - 1)
    {
    }

    void build()
    {
        countNodes();
        allocate();
        forEachChunk(m_sorted.entries(), entriesPerChunk, m_control,
                     [&](Count chunk, Count begin, Count end) { writeNodes(&m_nodesBefore[chunk * m_inner], begin, end); });
    }

private:
    /// The first level an entry opens a node of; m_inner where it stands in the fibre of the entry before.
    unsigned opens(Count entry) const
    {
        unsigned level = 0;
        while (entry > 0 && level < m_inner && m_sorted.indices[level][entry] == m_sorted.indices[level][entry - 1])
            ++level;
        return level;
    }

    void countNodes()
    {
        const Count chunks = chunkCount(m_sorted.entries(), entriesPerChunk);
        m_nodesBefore.assign((chunks + 1) * m_inner, 0);
        forEachChunk(m_sorted.entries(), entriesPerChunk, m_control, [&](Count chunk, Count begin, Count end) {
            std::array<Count, maxOrder> opened{};
            for (Count e = begin; e < end; ++e)
                ++opened[opens(e)];
            // A node that opens on one level opens one on all below.
            std::partial_sum(opened.begin(), opened.begin() + m_inner, &m_nodesBefore[(chunk + 1) * m_inner]);
        });
        for (Count i = m_inner; i < m_nodesBefore.size(); ++i)
            m_nodesBefore[i] += m_nodesBefore[i - m_inner];
    }

    void allocate()
    {
        const Count* const nodes = &m_nodesBefore[m_nodesBefore.size() - m_inner];
        m_tree.levels.resize(m_inner);
        for (unsigned level = 0; level < m_inner; ++level) {
            m_tree.levels[level].indices.resize(nodes[level]);
            m_tree.levels[level].children = Array<Offset>(nodes[level] + 1);
            m_children[level] = std::get<Array<Offset>>(m_tree.levels[level].children).data();
            m_children[level][nodes[level]] = static_cast<Offset>(level + 1 < m_inner ? nodes[level + 1] : m_sorted.entries());
        }
    }

    void writeNodes(const Count* nodesBefore, Count begin, Count end)
    {
        std::array<Count, maxOrder> next{}; // the node each level opens next; of the leaves the entry itself
        std::copy(nodesBefore, nodesBefore + m_inner, next.begin());
        for (Count e = begin; e < end; ++e) {
            next[m_inner] = e;
            for (unsigned level = opens(e); level < m_inner; ++level) {
                m_tree.levels[level].indices[next[level]] = m_sorted.indices[level][e];
                m_children[level][next[level]++] = static_cast<Offset>(next[level + 1]);
            }
        }
    }

    const SparseTensor& m_sorted;
    Csf& m_tree;
    RunControl& m_control;
    unsigned m_inner;
    std::vector<Count> m_nodesBefore; ///< [chunk][level]; the last row has all
    std::array<Offset*, maxOrder> m_children{};
};

/// to[leaf] = index of the node it hangs below; begins has the first leaf of every node.
template <class Offset> void expand(Array<Index>& to, const Array<Index>& indices, const Array<Offset>& begins, RunControl& control)
{
    forEachChunk(to.size(), entriesPerChunk, control, [&](Count, Count begin, Count end) {
        Count node = std::upper_bound(begins.begin(), begins.end(), begin) - begins.begin() - 1;
        for (Count e = begin; e < end; ++e) {
            while (begins[node + 1] <= e)
                ++node;
            to[e] = indices[node];
        }
    });
}

template <class Offset> void expandLevels(const Csf& tree, SparseTensor& to, RunControl& control)
{
    Array<Offset> begins = std::get<Array<Offset>>(tree.levels.back().children);
    for (unsigned level = tree.order() - 1; level-- > 0;) {
        expand(to.indices[tree.modeOrder[level]], tree.levels[level].indices, begins, control);
        if (level == 0)
            return;
        Array<Offset> above = std::get<Array<Offset>>(tree.levels[level - 1].children);
        forEachChunk(above.size(), entriesPerChunk, control, [&](Count, Count begin, Count end) {
            for (Count node = begin; node < end; ++node)
                above[node] = begins[above[node]];
        });
        begins = std::move(above);
    }
}

std::vector<unsigned> othersBySize(const std::vector<Index>& dims, unsigned mode)
{
    std::vector<unsigned> others;
    for (unsigned n = 0; n < dims.size(); ++n)
        if (n != mode)
            others.push_back(n);
    std::stable_sort(others.begin(), others.end(), [&](unsigned a, unsigned b) { return dims[a] < dims[b]; });
    return others;
}

} // namespace

std::uint64_t bytesOf(const Offsets& offsets)
{
    return std::visit([](const auto& array) { return std::uint64_t{array.size()} * sizeof(array[0]); }, offsets);
}

std::uint64_t Csf::bytes() const
{
    std::uint64_t sum = leaves.size() * sizeof(Index) + std::visit([](const auto& v) { return v.size() * sizeof(v[0]); }, values);
    for (const CsfLevel& level : levels)
        sum += level.indices.size() * sizeof(Index) + bytesOf(level.children);
    return sum;
}

std::vector<unsigned> rootedAt(const std::vector<Index>& dims, unsigned mode)
{
    std::vector<unsigned> result = othersBySize(dims, mode);
    result.insert(result.begin(), mode);
    return result;
}

std::vector<unsigned> leavesAt(const std::vector<Index>& dims, unsigned mode)
{
    std::vector<unsigned> result = othersBySize(dims, mode);
    result.push_back(mode);
    return result;
}

void checkModeOrder(const std::vector<unsigned>& modeOrder, unsigned order)
{
    std::vector<unsigned> modes = modeOrder;
    std::sort(modes.begin(), modes.end());
    std::vector<unsigned> all(order);
    std::iota(all.begin(), all.end(), 0u);
    if (modes != all)
        throw Error(ErrorKind::BadArgument,
                    {"a tree has every mode once",
                     "order of modes",
                     fmt::format("{}", fmt::join(modeOrder, ", ")),
                     fmt::format("an order of 0 to {}", order - 1),
                     {}});
}

Csf buildCsf(const SparseTensor& tensor, const std::vector<unsigned>& modeOrder, RunControl& control, OffsetWidth width)
{
    checkModeOrder(modeOrder, tensor.order());
    requireHostMemory(csfBuildBytes(tensor.dims(), modeOrder, tensor.entries(), tensor.hasDoubleValues() ? 8 : 4),
                      "A tree of fibres needs a sorted copy of the entries; use the format coo or fewer entries.");
    SparseTensor sorted = sortedCopy(tensor, modeOrder, tensor.hasDoubleValues(), control);
    Csf tree;
    tree.dims = tensor.dims();
    tree.modeOrder = modeOrder;
    dispatchOffset(width == OffsetWidth::Wide || needsWideOffsets(tensor.entries()),
                   [&](auto zero) { LevelBuilder<decltype(zero)>(sorted, tree, control).build(); });
    tree.leaves = std::move(sorted.indices.back());
    tree.values = std::move(sorted.values);
    return tree;
}

SparseTensor toCoo(const Csf& tree, RunControl& control)
{
    SparseTensor result(tree.dims, tree.entries(), tree.values.index() == 1);
    copyInto(result.indices[tree.modeOrder.back()], tree.leaves, control);
    copyInto(result.values, tree.values, control);
    dispatchOffset(tree.hasWideOffsets(), [&](auto zero) { expandLevels<decltype(zero)>(tree, result, control); });
    result.sorted = std::is_sorted(tree.modeOrder.begin(), tree.modeOrder.end());
    return result;
}

std::vector<Count> csfNodes(const std::vector<Index>& slices, const std::vector<unsigned>& modeOrder, Count entries)
{
    std::vector<Count> nodes;
    Count most = 1;
    for (std::size_t level = 0; level + 1 < modeOrder.size(); ++level) {
        const Count size = slices[modeOrder[level]];
        most = size > 0 && most > entries / size ? entries : std::min(entries, most * size);
        nodes.push_back(most);
    }
    return nodes;
}

std::uint64_t csfBytes(const std::vector<Count>& nodes, Count entries, unsigned valueBytes)
{
    const std::uint64_t offset = needsWideOffsets(entries) ? 8 : 4;
    std::uint64_t sum = entries * (sizeof(Index) + valueBytes);
    for (const Count count : nodes)
        sum += count * (sizeof(Index) + offset) + offset;
    return sum;
}

std::uint64_t csfBuildBytes(const std::vector<Index>& dims, const std::vector<unsigned>& modeOrder, Count entries, unsigned valueBytes)
{
    const std::uint64_t copy = entries * (dims.size() * sizeof(Index) + valueBytes);
    const std::uint64_t leaves = entries * (sizeof(Index) + valueBytes); // taken over from the copy
    const std::uint64_t levels = csfBytes(csfNodes(dims, modeOrder, entries), entries, valueBytes) - leaves;
    return copy + std::max(sortBytes(permuted(dims, modeOrder), entries, valueBytes), levels);
}

std::uint64_t treeBuildBytes(const std::vector<Index>& dims, const std::vector<unsigned>& modeOrder, Count entries, unsigned valueBytes)
{
    const bool packed = keyParts(permuted(dims, modeOrder)).size() == 1;
    const std::uint64_t copy = dims.size() * sizeof(Index) + valueBytes;
    const std::uint64_t sorting = 2 * (sizeof(std::uint64_t) + (packed ? valueBytes : sizeof(std::uint32_t)));
    const std::uint64_t unpacking = copy + (packed ? sizeof(std::uint64_t) : sizeof(std::uint32_t));
    std::uint64_t levels = entries * (copy + 1 + 3 * sizeof(std::uint32_t));
    for (const Count nodes : csfNodes(dims, modeOrder, entries))
        levels += nodes * (sizeof(Index) + sizeof(std::uint32_t));
    // CUB's own memory is a small share; the driver hands out whole pages of 2 MiB.
    const std::uint64_t work = entries / 8 + (std::uint64_t{64 + 4 * dims.size()} << 20);
    return std::max(entries * std::max(sorting, unpacking), levels) + work;
}

TensorFormatInfo csfInfo()
{
    return {"csf", "CSF", "Compressed sparse fibres: a tree for every mode as its root, equal leading indices stored once.",
            [](const ProblemShape& shape, unsigned valueBytes) {
                std::uint64_t sum = 0;
                for (unsigned n = 0; n < shape.dims.size(); ++n)
                    sum += csfBytes(csfNodes(shape.dims, rootedAt(shape.dims, n), shape.trainEntries), shape.trainEntries, valueBytes);
                return sum;
            }};
}

} // namespace kernels::formats
