// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/csf_cuda.cuh"

#include "kernels/base/error.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/formats/build_work.cuh"
#include "kernels/formats/csf.h"
#include "kernels/tensor/entry_keys.h"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include <string>
#include <utility>

namespace kernels::formats::gpu {
namespace {

using cuda::DeviceBuffer;

/// Columns by level, and how many bits of a key each takes.
struct Levels {
    const Index* of[maxOrder] = {};
    unsigned bits[maxOrder] = {};
    unsigned order = 0;

    __device__ std::uint64_t key(const KeyPart& part, Count entry) const
    {
        std::uint64_t key = 0;
        for (unsigned level = part.first; level <= part.last; ++level)
            key = key << bits[level] | of[level][entry];
        return key;
    }
};

struct LevelPointers {
    Index* of[maxOrder] = {};
};

/// The entries in the tree's order.
template <class T> struct Sorted {
    std::vector<DeviceBuffer<Index>> indices; ///< [level]
    DeviceBuffer<T> values;

    Sorted(unsigned order, Count entries)
    {
        for (unsigned level = 0; level < order; ++level)
            indices.emplace_back(entries);
    }
    LevelPointers pointers()
    {
        LevelPointers to;
        for (std::size_t level = 0; level < indices.size(); ++level)
            to.of[level] = indices[level].data();
        return to;
    }
};

/// Where one key holds all modes: values travel with the keys, and indices are read back from them.
template <class T> Sorted<T> sortByPackedKeys(const Levels& levels, const KeyPart& part, const T* values, Count entries, Work& work)
{
    Pairs<T> pairs(entries);
    std::uint64_t* keys = pairs.keys.data();
    work.forEach(entries, [=] __device__(Count e) { keys[e] = levels.key(part, e); });
    CUDA_CHECK(cudaMemcpyAsync(pairs.payloads.data(), values, pairs.payloads.bytes(), cudaMemcpyDeviceToDevice, work.stream));
    pairs.sort(part.bits, work);
    work.checkpoint();
    pairs.otherKeys = {};
    pairs.otherPayloads = {};
    Sorted<T> sorted(levels.order, entries);
    const LevelPointers to = sorted.pointers();
    keys = pairs.keys.data();
    work.forEach(entries, [=] __device__(Count e) {
        std::uint64_t key = keys[e];
        for (unsigned level = levels.order; level-- > 0; key >>= levels.bits[level])
            to.of[level][e] = static_cast<Index>(key & ((std::uint64_t{1} << levels.bits[level]) - 1));
    });
    sorted.values = std::move(pairs.payloads);
    work.checkpoint();
    return sorted;
}

/// Otherwise positions are sorted by one part of the coordinates after the other, the last part first.
template <class T>
Sorted<T> sortByPositions(const Levels& levels, const std::vector<KeyPart>& parts, const T* values, Count entries, Work& work)
{
    Pairs<Position> pairs(entries);
    Position* positions = pairs.payloads.data();
    work.forEach(entries, [=] __device__(Count e) { positions[e] = static_cast<Position>(e); });
    for (const KeyPart part : parts) {
        std::uint64_t* const keys = pairs.keys.data();
        work.forEach(entries, [=] __device__(Count e) { keys[e] = levels.key(part, positions[e]); });
        pairs.sort(part.bits, work);
        positions = pairs.payloads.data();
        work.checkpoint();
    }
    pairs.keys = {};
    pairs.otherKeys = {};
    pairs.otherPayloads = {};
    Sorted<T> sorted(levels.order, entries);
    sorted.values = DeviceBuffer<T>(entries);
    const LevelPointers to = sorted.pointers();
    T* const toValues = sorted.values.data();
    work.forEach(entries, [=] __device__(Count e) {
        const Position from = positions[e];
        for (unsigned level = 0; level < levels.order; ++level)
            to.of[level][e] = levels.of[level][from];
        toValues[e] = values[from];
    });
    work.checkpoint();
    return sorted;
}

template <class T> Sorted<T> sorted(const EntryColumns<T>& entries, const std::vector<unsigned>& modeOrder, Work& work)
{
    Levels levels;
    std::vector<Index> sizes;
    levels.order = static_cast<unsigned>(modeOrder.size());
    for (unsigned level = 0; level < levels.order; ++level) {
        levels.of[level] = entries.indices[modeOrder[level]];
        sizes.push_back(entries.dims[modeOrder[level]]);
        levels.bits[level] = indexBits(sizes.back());
    }
    const std::vector<KeyPart> parts = keyParts(sizes);
    return parts.size() == 1 ? sortByPackedKeys(levels, parts.front(), entries.values, entries.entries, work)
                             : sortByPositions(levels, parts, entries.values, entries.entries, work);
}

/// Nodes of a level that open one of the level above; a node is known by its first leaf, a leaf by itself.
struct Opens {
    const std::uint8_t* openedLevel; ///< by leaf
    const Position* firstLeaf; ///< null: nodes are leaves
    unsigned level;

    __device__ bool operator()(Position node) const { return openedLevel[firstLeaf ? firstLeaf[node] : node] <= level; }
};

/// The first level that each entry opens a node of, the leaves' where it stands in the fibre of the entry before.
template <class T> DeviceBuffer<std::uint8_t> openedLevels(Sorted<T>& sorted, Count entries, Work& work)
{
    DeviceBuffer<std::uint8_t> opened(entries);
    std::uint8_t* const to = opened.data();
    const LevelPointers columns = sorted.pointers();
    const unsigned inner = static_cast<unsigned>(sorted.indices.size()) - 1;
    work.forEach(entries, [=] __device__(Count e) {
        unsigned level = 0;
        while (e > 0 && level < inner && columns.of[level][e] == columns.of[level][e - 1])
            ++level;
        to[e] = static_cast<std::uint8_t>(level);
    });
    return opened;
}

Count select(const Opens& opens, Count nodes, Position* selected, Work& work)
{
    if (nodes == 0)
        return 0;
    DeviceBuffer<Count> found(1);
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceSelect::If(memory, bytes, thrust::counting_iterator<Position>(0), selected, found.data(),
                                     static_cast<std::int64_t>(nodes), opens, work.stream);
    });
    return work.fetch(found.data());
}

/// From the fibres up to the root: nodes of the level below that open a node are that node's first child.
template <class T> void cutLevels(Sorted<T>& sorted, DeviceCsf<T>& tree, Count entries, Work& work)
{
    const DeviceBuffer<std::uint8_t> opened = openedLevels(sorted, entries, work);
    DeviceBuffer<Position> selected(entries), firstLeaf;
    Count below = entries;
    for (unsigned level = tree.order() - 1; level-- > 0; work.checkpoint()) {
        const Count nodes = select({opened.data(), firstLeaf.data(), level}, below, selected.data(), work);
        tree.children[level] = DeviceBuffer<Position>(nodes + 1);
        tree.indices[level] = DeviceBuffer<Index>(nodes);
        DeviceBuffer<Position> leaf(nodes);
        work.forEach(nodes + 1,
                     [=, from = selected.data(), down = firstLeaf.data(), column = sorted.indices[level].data(), to = leaf.data(),
                      children = tree.children[level].data(), indices = tree.indices[level].data()] __device__(Count node) {
                         children[node] = static_cast<Position>(node < nodes ? from[node] : below);
                         if (node == nodes)
                             return;
                         to[node] = down ? down[from[node]] : from[node];
                         indices[node] = column[to[node]];
                     });
        work.stream.synchronize();
        firstLeaf = std::move(leaf);
        sorted.indices[level] = {};
        below = nodes;
    }
}

} // namespace

void refuseTooManyEntries(Count entries)
{
    if (needsWideOffsets(entries))
        throw Error(ErrorKind::BadArgument,
                    {"a tree of fibres on a GPU has fewer than 2^32 entries",
                     "tensor",
                     std::to_string(entries) + " entries",
                     {},
                     "Use the CPU, or the format coo."});
}

template <class T>
DeviceCsf<T> buildCsf(const EntryColumns<T>& entries, const std::vector<unsigned>& modeOrder, RunControl& control,
                      const cuda::Stream& stream)
{
    checkModeOrder(modeOrder, static_cast<unsigned>(entries.dims.size()));
    refuseTooManyEntries(entries.entries);
    cuda::requireFree(treeBuildBytes(entries.dims, modeOrder, entries.entries, sizeof(T)),
                      "Use the format coo, fewer entries, or the CPU.");
    Work work(stream, control);
    work.checkpoint();
    DeviceCsf<T> tree;
    tree.modeOrder = modeOrder;
    tree.indices.resize(modeOrder.size());
    tree.children.resize(modeOrder.size() - 1);
    Sorted<T> inOrder = sorted(entries, modeOrder, work);
    cutLevels(inOrder, tree, entries.entries, work);
    tree.indices.back() = std::move(inOrder.indices.back());
    tree.values = std::move(inOrder.values);
    return tree;
}

template DeviceCsf<float> buildCsf(const EntryColumns<float>&, const std::vector<unsigned>&, RunControl&, const cuda::Stream&);
template DeviceCsf<double> buildCsf(const EntryColumns<double>&, const std::vector<unsigned>&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
