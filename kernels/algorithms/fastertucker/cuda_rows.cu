// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_rows.cuh"

#include "kernels/algorithms/fastertucker/fastertucker.h"
#include "kernels/formats/csf.h"
#include "kernels/formats/csf_cuda.cuh"
#include "kernels/formats/csf_work.cuh"
#include "kernels/tensor/entry_keys.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <utility>

namespace kernels::fastertucker::gpu {
namespace {

using cuda::DeviceBuffer;
using fasttucker_plus::gpu::Entries;
using formats::gpu::Work;

/// Sorts payloads by keys of so many bits, stably; both end where they began.
template <class Payload> void sortBy(DeviceBuffer<std::uint32_t>& keys, DeviceBuffer<Payload>& payloads, unsigned bits, Work& work)
{
    if (bits == 0 || keys.count() == 0)
        return;
    DeviceBuffer<std::uint32_t> otherKeys(keys.count());
    DeviceBuffer<Payload> otherPayloads(keys.count());
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, keys.data(), otherKeys.data(), payloads.data(), otherPayloads.data(),
                                               static_cast<std::int64_t>(keys.count()), 0, static_cast<int>(bits), work.stream);
    });
    work.stream.synchronize(); // what is freed now was read
    std::swap(keys, otherKeys);
    std::swap(payloads, otherPayloads);
}

struct SortedPositions {
    DeviceBuffer<std::uint32_t> entries; ///< [position]
    DeviceBuffer<std::uint32_t> rows; ///< [position]
};

template <class T>
SortedPositions sortPositions(const Entries<T>& entries, const std::vector<Index>& dims, const std::vector<unsigned>& modeOrder, Work& work)
{
    SortedPositions sorted{DeviceBuffer<std::uint32_t>(entries.count), DeviceBuffer<std::uint32_t>(entries.count)};
    std::uint32_t* to = sorted.entries.data();
    work.forEach(entries.count, [=] __device__(std::size_t i) { to[i] = static_cast<std::uint32_t>(i); });
    for (std::size_t m = modeOrder.size(); m-- > 0;) { // the most significant last
        const Index* const column = entries.indices[modeOrder[m]].data();
        const std::uint32_t* const from = sorted.entries.data();
        std::uint32_t* const keys = sorted.rows.data();
        work.forEach(entries.count, [=] __device__(std::size_t i) { keys[i] = column[from[i]]; });
        sortBy(sorted.rows, sorted.entries, indexBits(dims[modeOrder[m]]), work);
        work.checkpoint();
    }
    return sorted;
}

/// The column's elements at these positions, with zeros to a whole number of blocks.
template <class E>
DeviceBuffer<E> gathered(const DeviceBuffer<E>& column, const DeviceBuffer<std::uint32_t>& positions, Work& work, std::size_t block = 1)
{
    DeviceBuffer<E> result((positions.count() + block - 1) / block * block);
    E* const to = result.data();
    if (result.count() > positions.count())
        CUDA_CHECK(cudaMemsetAsync(to + positions.count(), 0, (result.count() - positions.count()) * sizeof(E), work.stream));
    const E* const from = column.data();
    const std::uint32_t* const at = positions.data();
    work.forEach(positions.count(), [=] __device__(std::size_t i) { to[i] = from[at[i]]; });
    return result;
}

/// First position of every row in sorted positions.
DeviceBuffer<std::uint32_t> rowBegins(const DeviceBuffer<std::uint32_t>& rows, Index size, Work& work)
{
    DeviceBuffer<std::uint32_t> begins(std::size_t{size} + 1);
    std::uint32_t* const to = begins.data();
    const std::uint32_t* const sorted = rows.data();
    const Count count = rows.count();
    work.forEach(begins.count(),
                 [=] __device__(std::size_t row) { to[row] = static_cast<std::uint32_t>(formats::firstNotLess(sorted, 0, count, row)); });
    return begins;
}

/// Rows of more than `longest` entries are cut into chunks of like length.
DeviceBuffer<RowChunk> cutRows(const DeviceBuffer<std::uint32_t>& begins, std::uint32_t longest, Work& work)
{
    const std::size_t rows = begins.count() - 1;
    DeviceBuffer<std::uint32_t> before(rows + 1);
    const std::uint32_t* const begin = begins.data();
    std::uint32_t* const first = before.data();
    const auto pieces = [=] __device__(std::size_t row) {
        return static_cast<std::uint32_t>((std::uint64_t{begin[row + 1]} - begin[row] + (longest - 1)) / longest);
    };
    work.forEach(rows + 1, [=] __device__(std::size_t row) { first[row] = row < rows ? pieces(row) : 0; });
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, first, first, static_cast<std::int64_t>(rows + 1), work.stream);
    });
    DeviceBuffer<RowChunk> chunks(work.fetch(first + rows));
    DeviceBuffer<std::uint32_t> keys(chunks.count());
    RowChunk* const to = chunks.data();
    std::uint32_t* const key = keys.data();
    work.forEach(rows, [=] __device__(std::size_t row) {
        const std::uint64_t length = begin[row + 1] - begin[row];
        const std::uint64_t count = first[row + 1] - first[row];
        for (std::uint64_t c = 0; c < count; ++c) {
            const auto from = static_cast<std::uint32_t>(length * c / count), end = static_cast<std::uint32_t>(length * (c + 1) / count);
            to[first[row] + c] = {begin[row] + from, end - from, static_cast<Index>(row), count > 1};
            // Shared rows first: chunk c somewhere in the c-th of `count` parts of the pass. Then whole rows, longest first.
            const std::uint64_t start = (row * 0x9E3779B97F4A7C15ull) >> 33; // 31 bits
            key[first[row] + c] = count > 1 ? static_cast<std::uint32_t>(((c << 31) + start) / count)
                                            : 0x80000000u | (0x7FFFFFFFu - static_cast<std::uint32_t>(length)); // no longer than a chunk
        }
    });
    sortBy(keys, chunks, 32, work);
    return chunks;
}

/// Rows are cut at multiples of `window` positions; pieces of one number stand together, in the order of their rows.
template <class T> void cutInRounds(RowEntries<T>& to, const DeviceBuffer<std::uint32_t>& begins, std::uint64_t window, Work& work)
{
    const std::size_t rows = begins.count() - 1;
    DeviceBuffer<std::uint32_t> before(rows + 1);
    const std::uint32_t* const begin = begins.data();
    std::uint32_t* const first = before.data();
    const auto pieces = [=] __device__(std::size_t row) {
        return begin[row] == begin[row + 1] ? 0 : static_cast<std::uint32_t>((begin[row + 1] - 1) / window - begin[row] / window + 1);
    };
    work.forEach(rows + 1, [=] __device__(std::size_t row) { first[row] = row < rows ? pieces(row) : 0; });
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, first, first, static_cast<std::int64_t>(rows + 1), work.stream);
    });
    to.wholeRows = DeviceBuffer<RowChunk>(work.fetch(first + rows));
    DeviceBuffer<std::uint32_t> keys(to.wholeRows.count());
    RowChunk* const chunks = to.wholeRows.data();
    std::uint32_t* const key = keys.data();
    work.forEach(rows, [=] __device__(std::size_t row) {
        for (std::uint32_t c = 0; c < first[row + 1] - first[row]; ++c) {
            const std::uint64_t start = (begin[row] / window + c) * window;
            const auto from = static_cast<std::uint32_t>(max(std::uint64_t{begin[row]}, start));
            const auto end = static_cast<std::uint32_t>(min(std::uint64_t{begin[row + 1]}, start + window));
            chunks[first[row] + c] = {from, end - from, static_cast<Index>(row), 0};
            key[first[row] + c] = c;
        }
    });
    sortBy(keys, to.wholeRows, 32, work);
    to.rounds.clear();
    for (Count at = 0; at < keys.count();) { // few rounds unless a row is long
        to.rounds.push_back(at);
        DeviceBuffer<Count> next(1);
        Count* const result = next.data();
        const std::uint32_t* const sorted = keys.data();
        const Count count = keys.count();
        work.forEach(1, [=] __device__(std::size_t) { *result = formats::firstGreater(sorted, at, count, sorted[at]); });
        at = work.fetch(next.data());
    }
    to.rounds.push_back(keys.count());
}

std::uint64_t bytesOf(const std::vector<DeviceBuffer<Index>>& columns)
{
    std::uint64_t sum = 0;
    for (const auto& column : columns)
        sum += column.bytes();
    return sum;
}

/// Index of the node each fibre hangs below, on one level of a tree.
template <class T> DeviceBuffer<Index> aboveFibres(const formats::gpu::DeviceCsf<T>& tree, std::size_t level, Work& work)
{
    const std::size_t fibreLevel = tree.children.size() - 1;
    DeviceBuffer<std::uint32_t> nodes(tree.indices[fibreLevel].count());
    std::uint32_t* const node = nodes.data();
    work.forEach(nodes.count(), [=] __device__(std::size_t i) { node[i] = static_cast<std::uint32_t>(i); });
    for (std::size_t l = fibreLevel; l-- > level;) {
        const std::uint32_t* const children = tree.children[l].data();
        const Count count = tree.indices[l].count();
        work.forEach(nodes.count(), [=] __device__(std::size_t i) {
            node[i] = static_cast<std::uint32_t>(formats::firstGreater(children, 0, count + 1, node[i]) - 1);
        });
    }
    DeviceBuffer<Index> above = gathered(tree.indices[level], nodes, work);
    work.stream.synchronize(); // the nodes were read
    return above;
}

} // namespace

template <class T> std::uint64_t RowEntries<T>::bytes() const
{
    return bytesOf(indices) + values.bytes() + chunks.bytes() + wholeRows.bytes();
}

template <class T>
RowEntries<T> arrangeRows(const Entries<T>& entries, const std::vector<Index>& dims, const std::vector<unsigned>& modeOrder, Count batch,
                          RunControl& control, const cuda::Stream& stream)
{
    Work work(stream, control);
    const unsigned mode = modeOrder.front();
    const SortedPositions sorted = sortPositions(entries, dims, modeOrder, work);
    RowEntries<T> result;
    const DeviceBuffer<std::uint32_t> begins = rowBegins(sorted.rows, dims[mode], work);
    result.chunks = cutRows(begins, chunkEntries(entries.count), work);
    if (batch > 0)
        cutInRounds(result, begins, (wholeRowEntries + batch - 1) / batch * batch, work);
    for (unsigned n = 0; n < dims.size(); ++n)
        if (n != mode)
            result.indices.push_back(gathered(entries.indices[n], sorted.entries, work, entryBlock));
    result.values = gathered(entries.values, sorted.entries, work, entryBlock);
    work.checkpoint();
    return result;
}

template <class T> std::uint64_t FibreEntries<T>::bytes() const
{
    return bytesOf(indices) + begins.bytes() + leaves.bytes() + values.bytes();
}

template <class T>
FibreEntries<T> arrangeFibres(const Entries<T>& entries, const std::vector<Index>& dims, unsigned mode, RunControl& control,
                              const cuda::Stream& stream)
{
    Work work(stream, control);
    formats::gpu::EntryColumns<T> columns{dims, {}, entries.values.data(), entries.count};
    for (const auto& column : entries.indices)
        columns.indices.push_back(column.data());
    const std::vector<unsigned> modeOrder = formats::leavesAt(dims, mode);
    formats::gpu::DeviceCsf<T> tree =
        formats::gpu::balance(formats::gpu::buildCsf(columns, modeOrder, control, stream), formats::BcsfLimits{}, control, stream).tree;
    FibreEntries<T> result;
    result.indices.resize(dims.size() - 1);
    for (std::size_t level = 0; level + 1 < tree.indices.size(); ++level) {
        const unsigned owner = modeOrder[level];
        result.indices[owner - (owner > mode)] = aboveFibres(tree, level, work);
    }
    work.checkpoint();
    result.begins = std::move(tree.children.back());
    result.leaves = std::move(tree.indices.back());
    result.values = std::move(tree.values);
    return result;
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template struct RowEntries<T>;                                                                                                         \
    template struct FibreEntries<T>;                                                                                                       \
    template RowEntries<T> arrangeRows(const Entries<T>&, const std::vector<Index>&, const std::vector<unsigned>&, Count, RunControl&,     \
                                       const cuda::Stream&);                                                                               \
    template FibreEntries<T> arrangeFibres(const Entries<T>&, const std::vector<Index>&, unsigned, RunControl&, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::fastertucker::gpu
