// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/mmcsf.h"

#include "kernels/base/chunks.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/sort.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kernels::formats {
namespace {

constexpr Count entriesPerChunk = Count{1} << 16, fibresPerChunk = Count{1} << 14;

/// The entries with their positions for values: fp64 holds them exactly.
SparseTensor positionsOf(const SparseTensor& tensor, RunControl& control)
{
    SparseTensor positions(tensor.dims(), tensor.entries(), true);
    Array<double>& values = std::get<Array<double>>(positions.values);
    forEachChunk(tensor.entries(), entriesPerChunk, control, [&](Count, Count begin, Count end) {
        for (unsigned n = 0; n < tensor.order(); ++n)
            std::copy(tensor.indices[n].begin() + begin, tensor.indices[n].begin() + end, positions.indices[n].begin() + begin);
        for (Count e = begin; e < end; ++e)
            values[e] = static_cast<double>(e);
    });
    return positions;
}

/// The longest fibre that was found through every entry.
struct Longest {
    Array<std::uint32_t> length;
    Array<std::uint8_t> mode;

    /// positions: a tree of the entries' positions whose leaves are the mode.
    void ask(const Csf& positions, RunControl& control)
    {
        const auto& entry = std::get<Array<double>>(positions.values);
        const auto own = static_cast<std::uint8_t>(positions.modeOrder.back());
        dispatchOffset(positions.hasWideOffsets(), [&](auto zero) {
            const auto& leaves = std::get<Array<decltype(zero)>>(positions.levels.back().children);
            forEachChunk(positions.fibres(), fibresPerChunk, control, [&](Count, Count begin, Count end) {
                for (Count fibre = begin; fibre < end; ++fibre) {
                    const auto found = static_cast<std::uint32_t>(
                        std::min<Count>(leaves[fibre + 1] - leaves[fibre], std::numeric_limits<std::uint32_t>::max()));
                    for (Count leaf = leaves[fibre]; leaf < leaves[fibre + 1]; ++leaf) {
                        const auto e = static_cast<Count>(entry[leaf]);
                        if (found <= length[e])
                            continue;
                        length[e] = found;
                        mode[e] = own;
                    }
                }
            });
        });
    }
};

SparseTensor entriesFor(const SparseTensor& tensor, const Array<std::uint8_t>& modes, unsigned mode, RunControl& control)
{
    Array<Count> positions(static_cast<std::size_t>(std::count(modes.begin(), modes.end(), static_cast<std::uint8_t>(mode))));
    Count next = 0;
    for (Count e = 0; e < modes.size(); ++e) {
        if (e % entriesPerChunk == 0)
            control.checkpoint();
        if (modes[e] == mode)
            positions[next++] = e;
    }
    return gather(tensor, positions, control);
}

/// The largest over all orders of modes that trees have.
template <class Bytes> std::uint64_t most(const std::vector<Index>& dims, const Bytes& bytes)
{
    std::uint64_t result = 0;
    for (unsigned mode = 0; mode < dims.size(); ++mode)
        result = std::max<std::uint64_t>(result, bytes(leavesAt(dims, mode)));
    return result;
}

} // namespace

Count Mmcsf::entries() const
{
    return std::accumulate(trees.begin(), trees.end(), Count{0}, [](Count sum, const Csf& tree) { return sum + tree.entries(); });
}

std::uint64_t Mmcsf::bytes() const
{
    return std::accumulate(trees.begin(), trees.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Csf& tree) { return sum + tree.bytes(); });
}

std::vector<unsigned> modesByPreference(const std::vector<Index>& dims)
{
    std::vector<unsigned> modes(dims.size());
    std::iota(modes.begin(), modes.end(), 0u);
    std::stable_sort(modes.begin(), modes.end(), [&](unsigned a, unsigned b) { return dims[a] > dims[b]; });
    return modes;
}

Array<std::uint8_t> longestFibres(const SparseTensor& tensor, RunControl& control)
{
    const SparseTensor positions = positionsOf(tensor, control);
    Longest longest{Array<std::uint32_t>(tensor.entries(), 0), Array<std::uint8_t>(tensor.entries(), 0)};
    for (const unsigned mode : modesByPreference(tensor.dims()))
        longest.ask(buildCsf(positions, leavesAt(tensor.dims(), mode), control), control);
    return std::move(longest.mode);
}

Mmcsf buildMmcsf(const SparseTensor& tensor, RunControl& control)
{
    requireHostMemory(mmcsfBuildBytes(tensor.dims(), tensor.entries(), tensor.hasDoubleValues() ? 8 : 4),
                      "Trees of mixed modes need sorted copies of the entries; use the format coo or fewer entries.");
    const Array<std::uint8_t> modes = longestFibres(tensor, control);
    Mmcsf result;
    for (unsigned mode = 0; mode < tensor.order(); ++mode)
        result.trees.push_back(buildCsf(entriesFor(tensor, modes, mode, control), leavesAt(tensor.dims(), mode), control));
    return result;
}

SparseTensor toCoo(const Mmcsf& mixed, RunControl& control)
{
    const Csf& first = mixed.trees.front();
    SparseTensor result(first.dims, mixed.entries(), first.values.index() == 1);
    Count done = 0;
    for (const Csf& tree : mixed.trees) {
        const SparseTensor part = toCoo(tree, control);
        for (unsigned n = 0; n < part.order(); ++n)
            std::copy(part.indices[n].begin(), part.indices[n].end(), result.indices[n].begin() + done);
        std::visit(
            [&](const auto& values) {
                std::copy(values.begin(), values.end(), std::get<std::decay_t<decltype(values)>>(result.values).begin() + done);
            },
            part.values);
        done += part.entries();
    }
    return result;
}

std::vector<Count> mmcsfNodes(const std::vector<Index>& dims, Count entries)
{
    std::vector<Count> sum(dims.size() - 1, 0);
    for (unsigned mode = 0; mode < dims.size(); ++mode) {
        const std::vector<Count> nodes = csfNodes(dims, leavesAt(dims, mode), entries);
        for (std::size_t level = 0; level < sum.size(); ++level)
            sum[level] = std::min(entries, sum[level] + nodes[level]);
    }
    return sum;
}

std::uint64_t mmcsfBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    const std::uint64_t offset = needsWideOffsets(entries) ? 8 : 4;
    const std::uint64_t ends = (dims.size() - 1) * (dims.size() - 1) * offset; // of trees but the first
    return csfBytes(mmcsfNodes(dims, entries), entries, valueBytes) + ends;
}

std::uint64_t mmcsfBuildBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    const std::uint64_t columns = dims.size() * sizeof(Index);
    const auto building = [&](unsigned bytes) {
        return most(dims, [&](const std::vector<unsigned>& modeOrder) { return csfBuildBytes(dims, modeOrder, entries, bytes); });
    };
    const std::uint64_t asking = entries * (columns + sizeof(double) + sizeof(std::uint32_t) + 1) + building(sizeof(double));
    const std::uint64_t sharing = entries * (1 + sizeof(Count) + columns + valueBytes);
    const std::uint64_t planting = entries * (1 + columns + valueBytes) + building(valueBytes); // as if all were in one tree
    return std::max({asking, sharing, planting});
}

std::uint64_t deviceMmcsfBuildBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    const std::uint64_t work = entries / 8 + (std::uint64_t{64} << 20);
    const std::uint64_t asking = entries * (2 * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) + sizeof(std::uint32_t) + 1) + work;
    const std::uint64_t planting = entries * (1 + dims.size() * sizeof(Index) + valueBytes)
        + most(dims, [&](const std::vector<unsigned>& modeOrder) { return treeBuildBytes(dims, modeOrder, entries, valueBytes); });
    return std::max(asking, planting);
}

TensorFormatInfo mmcsfInfo()
{
    return {"mmcsf", "MM-CSF", "Mixed-mode CSF: one set of trees for all modes, every entry once, where its fibre is longest.",
            [](const ProblemShape& shape, unsigned valueBytes) { return mmcsfBytes(shape.dims, shape.trainEntries, valueBytes); }};
}

} // namespace kernels::formats
