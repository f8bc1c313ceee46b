// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_arranging.cuh"
#include "kernels/formats/csf.h"
#include "kernels/formats/csf_cuda.cuh"
#include "kernels/tensor/entry_keys.h"

namespace kernels::fastertucker::gpu {
namespace {

using fasttucker_plus::gpu::Entries;
template <class T> using Tree = formats::gpu::DeviceCsf<T>;

/// Index of the node each of these fibres hangs below, on one level of a tree; zeros to a whole number of blocks.
template <class T>
DeviceBuffer<Index> aboveFibres(const Tree<T>& tree, std::size_t level, const DeviceBuffer<std::uint32_t>& fibres, Work& work)
{
    DeviceBuffer<std::uint32_t> nodes(fibres.count());
    CUDA_CHECK(cudaMemcpyAsync(nodes.data(), fibres.data(), fibres.bytes(), cudaMemcpyDeviceToDevice, work.stream));
    std::uint32_t* const node = nodes.data();
    for (std::size_t l = tree.children.size() - 1; l-- > level;) {
        const std::uint32_t* const children = tree.children[l].data();
        const Count count = tree.indices[l].count();
        work.forEach(nodes.count(), [=] __device__(std::size_t i) {
            node[i] = static_cast<std::uint32_t>(formats::firstGreater(children, 0, count + 1, node[i]) - 1);
        });
    }
    DeviceBuffer<Index> above = gathered(tree.indices[level], nodes, work, fibreBlock);
    work.stream.synchronize(); // the nodes were read
    return above;
}

/// How many leaves each row of the leaves' mode has.
template <class T> DeviceBuffer<std::uint32_t> countLeaves(const Tree<T>& tree, Index rows, Work& work)
{
    DeviceBuffer<std::uint32_t> counts(rows);
    CUDA_CHECK(cudaMemsetAsync(counts.data(), 0, counts.bytes(), work.stream));
    std::uint32_t* const count = counts.data();
    const Index* const leaf = tree.indices.back().data();
    work.forEach(tree.entries(), [=] __device__(std::size_t i) { atomicAdd(count + leaf[i], 1u); });
    return counts;
}

/// Fibres in the order of visits, and where the first leaf of each stands in the tree.
struct SortedFibres {
    DeviceBuffer<std::uint32_t> fibres, firsts;
};

template <class T> SortedFibres inTreeOrder(const Tree<T>& tree, Work& work)
{
    const std::size_t fibres = tree.children.back().count() - 1;
    SortedFibres sorted{DeviceBuffer<std::uint32_t>(fibres), DeviceBuffer<std::uint32_t>(fibres)};
    const std::uint32_t* const begin = tree.children.back().data();
    std::uint32_t* const fibre = sorted.fibres.data();
    std::uint32_t* const first = sorted.firsts.data();
    work.forEach(fibres, [=] __device__(std::size_t f) {
        fibre[f] = static_cast<std::uint32_t>(f);
        first[f] = begin[f];
    });
    return sorted;
}

template <class T> SortedFibres byHottestRows(const Tree<T>& tree, Index rows, Work& work)
{
    SortedFibres sorted = inTreeOrder(tree, work);
    const DeviceBuffer<std::uint32_t> counts = countLeaves(tree, rows, work);
    const std::size_t fibres = sorted.fibres.count();
    DeviceBuffer<std::uint32_t> keys(fibres);
    const std::uint32_t* const count = counts.data();
    const std::uint32_t* const begin = tree.children.back().data();
    const Index* const leaf = tree.indices.back().data();
    std::uint32_t* const key = keys.data();
    const auto hottest = [=] __device__(std::size_t f) {
        std::uint32_t best = begin[f];
        for (std::uint32_t l = best + 1; l < begin[f + 1]; ++l)
            best = count[leaf[l]] > count[leaf[best]] ? l : best;
        return best;
    };
    work.forEach(fibres, [=] __device__(std::size_t f) { key[f] = leaf[hottest(f)]; });
    sortBy(keys, sorted.fibres, indexBits(rows), work);
    const std::uint32_t* const inOrder = sorted.fibres.data();
    std::uint32_t* const first = sorted.firsts.data();
    work.forEach(fibres, [=] __device__(std::size_t i) { first[i] = hottest(inOrder[i]); });
    work.stream.synchronize(); // counts and keys were read
    return sorted;
}

/// All leaves of every fibre but its first, in the fibres' order.
template <class T> void gatherRest(FibreEntries<T>& to, const Tree<T>& tree, const SortedFibres& sorted, Work& work)
{
    const std::uint32_t* const begin = tree.children.back().data();
    const std::uint32_t* const fibre = sorted.fibres.data();
    const std::uint32_t* const first = sorted.firsts.data();
    const std::size_t fibres = sorted.fibres.count();
    to.restBegins = sumsBefore(
        fibres, [=] __device__(std::size_t i) { return begin[fibre[i] + 1] - begin[fibre[i]] - 1; }, work);
    to.restLeaves = DeviceBuffer<Index>(tree.entries() - fibres);
    to.restValues = DeviceBuffer<T>(tree.entries() - fibres);
    const std::uint32_t* const restBegin = to.restBegins.data();
    const Index* const leaf = tree.indices.back().data();
    const T* const value = tree.values.data();
    Index* const leafTo = to.restLeaves.data();
    T* const valueTo = to.restValues.data();
    work.forEach(fibres, [=] __device__(std::size_t i) {
        std::uint32_t at = restBegin[i];
        for (std::uint32_t l = begin[fibre[i]]; l < begin[fibre[i] + 1]; ++l)
            if (l != first[i]) {
                leafTo[at] = leaf[l];
                valueTo[at++] = value[l];
            }
    });
}

} // namespace

template <class T>
FibreEntries<T> arrangeFibres(const Entries<T>& entries, const std::vector<Index>& dims, unsigned mode, const formats::BcsfLimits& limits,
                              bool byHottestRow, RunControl& control, const cuda::Stream& stream)
{
    Work work(stream, control);
    formats::gpu::EntryColumns<T> columns{dims, {}, entries.values.data(), entries.count};
    for (const auto& column : entries.indices)
        columns.indices.push_back(column.data());
    const std::vector<unsigned> modeOrder = formats::leavesAt(dims, mode);
    const Tree<T> tree = formats::gpu::balance(formats::gpu::buildCsf(columns, modeOrder, control, stream), limits, control, stream).tree;
    const SortedFibres sorted = byHottestRow ? byHottestRows(tree, dims[mode], work) : inTreeOrder(tree, work);
    FibreEntries<T> result;
    result.indices.resize(dims.size() - 1);
    for (std::size_t level = 0; level + 1 < tree.indices.size(); ++level) {
        const unsigned owner = modeOrder[level];
        result.indices[owner - (owner > mode)] = aboveFibres(tree, level, sorted.fibres, work);
    }
    work.checkpoint();
    result.firstLeaves = gathered(tree.indices.back(), sorted.firsts, work, fibreBlock);
    result.firstValues = gathered(tree.values, sorted.firsts, work, fibreBlock);
    gatherRest(result, tree, sorted, work);
    work.checkpoint();
    return result;
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template FibreEntries<T> arrangeFibres(const Entries<T>&, const std::vector<Index>&, unsigned, const formats::BcsfLimits&, bool,       \
                                           RunControl&, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::fastertucker::gpu
