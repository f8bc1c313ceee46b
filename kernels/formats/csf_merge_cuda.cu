// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/csf_merge_cuda.cuh"

#include "kernels/device/device_memory.cuh"
#include "kernels/formats/build_work.cuh"
#include "kernels/formats/entry_transfer.cuh"

#include <algorithm>
#include <utility>

namespace kernels::formats::gpu {
namespace {

// No CsfMergePlan, whose lists grow entry by entry: nodes of the new entries' tree are placed all at once, level by level.

using cuda::DeviceBuffer;
using Positions = DeviceBuffer<Position>;

constexpr unsigned tileThreads = 256;
constexpr Count tileElements = 4096;

struct PlacesView {
    const Position* place;
    const Position* newBefore;
    Count nodes;

    __device__ bool isNew(Count node) const { return newBefore[node + 1] > newBefore[node]; }
    /// Which of the nodes that stood it is, or comes before.
    __device__ Position at(Count node) const { return place[node] - newBefore[node]; }
};

/// Where the added tree's nodes of one level (its leaves) are in the merged tree's.
struct Places {
    Positions place; ///< [node]: in the merged level; each behind the one before
    Positions newBefore; ///< [node]: how many before it did not stand; then how many of all
    Count added = 0; ///< how many of all

    PlacesView view() const { return {place.data(), newBefore.data(), place.count()}; }
};

struct Range {
    Count begin, end;
};

/// A level of the tree that nodes of the added one are looked up in. Null for children: it is the root's.
struct LookedUp {
    const Index* indices;
    Count nodes;
    const Position* children; ///< of the level above
    const Position* addedChildren;
    PlacesView above;

    /// Below the node's parent; of a parent that is new those before which its children come, none.
    __device__ Range reach(Count node) const
    {
        if (!children)
            return {0, nodes};
        const Count parent = firstGreater(addedChildren, 0, above.nodes + 1, node) - 1;
        const Count at = above.at(parent);
        return {children[at], children[above.isNew(parent) ? at : at + 1]};
    }
};

/// A thread a node: two searches, of its parent and of itself. Leaves that are kept come behind those of their coordinates.
Places place(const LookedUp& level, const DeviceBuffer<Index>& added, bool kept, Work& work)
{
    const Count nodes = added.count();
    Places places{Positions(nodes), Positions(nodes + 1)};
    work.forEach(nodes + 1, [=, indices = added.data(), to = places.place.data(), isNew = places.newBefore.data()] __device__(Count node) {
        if (node == nodes) {
            isNew[node] = 0;
            return;
        }
        const Range reach = level.reach(node);
        const Count index = indices[node];
        const Count at = firstNotLess(level.indices, reach.begin, reach.end, kept ? index + 1 : index);
        to[node] = static_cast<Position>(at);
        isNew[node] = kept || at == reach.end || level.indices[at] != index;
    });
    places.added = runningSum(places.newBefore, work);
    work.forEach(nodes, [to = places.place.data(), before = places.newBefore.data()] __device__(Count node) { to[node] += before[node]; });
    return places;
}

template <class T> std::vector<Places> placeLevels(const DeviceCsf<T>& tree, const DeviceCsf<T>& added, Duplicates duplicates, Work& work)
{
    std::vector<Places> places;
    for (unsigned level = 0; level < tree.order(); ++level) {
        LookedUp looked{tree.indices[level].data(), tree.indices[level].count(), nullptr, nullptr, {}};
        if (level > 0) {
            looked.children = tree.children[level - 1].data();
            looked.addedChildren = added.children[level - 1].data();
            looked.above = places.back().view();
        }
        const bool kept = duplicates == Duplicates::Keep && level + 1 == tree.order();
        places.push_back(place(looked, added.indices[level], kept, work));
        work.checkpoint();
    }
    return places;
}

/// The coordinates of a leaf, by mode.
template <class T> std::vector<Index> coordinatesOf(const DeviceCsf<T>& tree, Count leaf, const Work& work)
{
    std::vector<Index> coordinates(tree.order());
    Count node = leaf;
    for (unsigned level = tree.order(); level-- > 0;) {
        coordinates[tree.modeOrder[level]] = work.fetch(tree.indices[level].data() + node);
        if (level == 0)
            break;
        const Array<Position> children = download(tree.children[level - 1], work.stream);
        node = firstGreater(children.data(), 0, children.size(), node) - 1;
    }
    return coordinates;
}

/// The first that a running sum leaves out, of which there is one.
Count firstLeftOut(const Positions& sums, const Work& work)
{
    const Array<Position> before = download(sums, work.stream);
    Count i = 0;
    while (before[i + 1] > before[i])
        ++i;
    return i;
}

/// Entries of equal coordinates become one. A thread has all of a coordinate and takes them in their order, as a load does.
template <class T> void joinEqual(DeviceCsf<T>& added, Duplicates duplicates, Work& work)
{
    const Count entries = added.entries();
    Positions before(entries + 1); // how many coordinates there are before an entry's
    work.forEach(entries + 1,
                 [=, to = before.data(), indices = added.indices.back().data(), leaves = added.children.back().data(),
                  fibres = added.children.back().count() - 1] __device__(Count e) {
                     const bool repeats =
                         e > 0 && e < entries && indices[e] == indices[e - 1] && leaves[firstGreater(leaves, 0, fibres + 1, e) - 1] != e;
                     to[e] = e < entries && !repeats;
                 });
    const Count coordinates = runningSum(before, work);
    if (coordinates == entries)
        return;
    if (duplicates == Duplicates::Error)
        refuseDuplicate(coordinatesOf(added, firstLeftOut(before, work), work), false);
    DeviceBuffer<Index> indices(coordinates);
    DeviceBuffer<T> values(coordinates);
    work.forEach(entries,
                 [=, sums = before.data(), from = added.values.data(), fromIndices = added.indices.back().data(), to = values.data(),
                  toIndices = indices.data()] __device__(Count e) {
                     if (sums[e + 1] == sums[e])
                         return; // joined by the first of its coordinates
                     double all = duplicates == Duplicates::Sum ? 0 : static_cast<double>(from[e]);
                     Count end = e;
                     do
                         all = joinedValue(all, static_cast<double>(from[end++]), duplicates);
                     while (end < entries && sums[end + 1] == sums[end]);
                     toIndices[sums[e]] = fromIndices[e];
                     to[sums[e]] = end == e + 1 ? from[e] : static_cast<T>(all);
                 });
    follow(added.children.back(), before, work);
    work.stream.synchronize();
    added.indices.back() = std::move(indices);
    added.values = std::move(values);
}

/// Values of leaves that stand for the coordinates of a new entry, too; a thread each.
template <class T> void joinMet(DeviceCsf<T>& tree, const DeviceCsf<T>& added, const Places& leaves, Duplicates duplicates, Work& work)
{
    work.forEach(added.entries(), [=, at = leaves.view(), from = added.values.data(), to = tree.values.data()] __device__(Count leaf) {
        if (at.isNew(leaf))
            return;
        T& value = to[at.at(leaf)];
        value = static_cast<T>(joinedValue(static_cast<double>(value), static_cast<double>(from[leaf]), duplicates));
    });
}

/// What a merged level has of the two trees', each where it belongs.
template <class E> struct Elements {
    PlacesView places;
    const E* stood;
    const E* added;

    /// node: the first added one that is not before the place.
    __device__ E operator()(Count place, Count node) const
    {
        const bool isAdded = node < places.nodes && places.place[node] == place && places.isNew(node);
        return isAdded ? added[node] : stood[place - places.newBefore[node]];
    }
};

/// First children: those that a node had or comes before, and what is new before them, of which the first added node not before it tells.
struct FirstChildren {
    PlacesView places;
    const Position* stood;
    const Position* added;
    const Position* newBelow; ///< newBefore of the level below

    __device__ Position operator()(Count place, Count node) const { return stood[place - places.newBefore[node]] + newBelow[added[node]]; }
};

/// A block has a tile of a merged array, a thread every 256th element of it. The block finds what is added within its tile, threads look
/// there only: nothing to look for where the tree is as it was. An element is read and written once; no sums, the same bits every time.
template <class E, class From> __global__ void __launch_bounds__(tileThreads) mergeKernel(const From from, E* to, Count count)
{
    __shared__ Count bounds[2];
    const PlacesView& places = from.places;
    const Count begin = Count{blockIdx.x} * tileElements;
    const Count end = begin + tileElements < count ? begin + tileElements : count;
    if (threadIdx.x < 2)
        bounds[threadIdx.x] = firstNotLess(places.place, 0, places.nodes, threadIdx.x == 0 ? begin : end);
    __syncthreads();
    for (Count i = begin + threadIdx.x; i < end; i += tileThreads)
        to[i] = from(i, firstNotLess(places.place, bounds[0], bounds[1], i));
}

/// In the array's place, with so many more elements.
template <class E, class From> void rewrite(DeviceBuffer<E>& array, Count more, const From& from, const Work& work)
{
    DeviceBuffer<E> merged(array.count() + more);
    const auto tiles = static_cast<unsigned>((merged.count() + tileElements - 1) / tileElements);
    mergeKernel<<<tiles, tileThreads, 0, work.stream>>>(from, merged.data(), merged.count());
    CUDA_CHECK_LAUNCH();
    work.stream.synchronize();
    array = std::move(merged);
}

template <class T> void growTree(DeviceCsf<T>& tree, const DeviceCsf<T>& added, const std::vector<Places>& places, const Work& work)
{
    const auto grow = [&](auto& array, const auto& addedArray, const Places& level) {
        using E = std::remove_reference_t<decltype(*array.data())>;
        rewrite(array, level.added, Elements<E>{level.view(), array.data(), addedArray.data()}, work);
    };
    for (unsigned level = 0; level < tree.order(); ++level) {
        if (places[level].added > 0)
            grow(tree.indices[level], added.indices[level], places[level]);
        if (level + 1 < tree.order() && places[level + 1].added > 0) {
            Positions& children = tree.children[level];
            rewrite(children, places[level].added,
                    FirstChildren{places[level].view(), children.data(), added.children[level].data(), places[level + 1].newBefore.data()},
                    work);
        }
    }
    if (places.back().added > 0)
        grow(tree.values, added.values, places.back());
}

/// At most, beside both trees and the places: all that it grows by, and one array that stands twice.
template <class T> std::uint64_t bytesToGrow(const DeviceCsf<T>& tree, const std::vector<Places>& places)
{
    if (places.back().added == 0)
        return 0;
    std::uint64_t more = places.back().added * sizeof(T), largest = tree.values.bytes();
    for (unsigned level = 0; level < tree.order(); ++level) {
        more += places[level].added * (sizeof(Index) + sizeof(Position));
        largest = std::max(largest, tree.indices[level].bytes());
        if (level + 1 < tree.order())
            largest = std::max(largest, tree.children[level].bytes());
    }
    return more + largest + (std::uint64_t{4 * tree.order()} << 20); // the driver hands out whole pages of 2 MiB
}

} // namespace

template <class T>
void mergeIntoCsf(DeviceCsf<T>& tree, const EntryColumns<T>& entries, Duplicates duplicates, RunControl& control,
                  const cuda::Stream& stream)
{
    checkMerge(tree.order(), static_cast<unsigned>(entries.dims.size()), duplicates);
    DeviceCsf<T> added = buildCsf(entries, tree.modeOrder, control, stream);
    Work work(stream, control);
    if (duplicates != Duplicates::Keep)
        joinEqual(added, duplicates, work);
    const std::vector<Places> places = placeLevels(tree, added, duplicates, work);
    const Places& leaves = places.back();
    if (duplicates == Duplicates::Error && leaves.added < added.entries())
        refuseDuplicate(coordinatesOf(added, firstLeftOut(leaves.newBefore, work), work), true);
    refuseTooManyEntries(tree.entries() + leaves.added);
    cuda::requireFree(bytesToGrow(tree, places), "While an array of the tree grows, it is there twice; use fewer entries, or the CPU.");
    work.checkpoint(); // the last look: from here on it is done
    try {
        joinMet(tree, added, leaves, duplicates, work);
        growTree(tree, added, places, work);
        stream.synchronize();
    } catch (...) {
        tree = {}; // half of it has grown
        throw;
    }
}

template void mergeIntoCsf(DeviceCsf<float>&, const EntryColumns<float>&, Duplicates, RunControl&, const cuda::Stream&);
template void mergeIntoCsf(DeviceCsf<double>&, const EntryColumns<double>&, Duplicates, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
