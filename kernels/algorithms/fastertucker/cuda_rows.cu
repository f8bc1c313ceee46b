// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_arranging.cuh"
#include "kernels/algorithms/fastertucker/fastertucker.h"
#include "kernels/formats/bcsf_parts.h"
#include "kernels/tensor/entry_keys.h"

namespace kernels::fastertucker::gpu {
namespace {

using fasttucker_plus::gpu::Entries;

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
    const std::uint32_t* const begin = begins.data();
    const auto pieces = [=] __device__(std::size_t row) {
        return static_cast<std::uint32_t>((std::uint64_t{begin[row + 1]} - begin[row] + (longest - 1)) / longest);
    };
    const DeviceBuffer<std::uint32_t> before = sumsBefore(rows, pieces, work);
    const std::uint32_t* const first = before.data();
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
    const std::uint32_t* const begin = begins.data();
    const auto pieces = [=] __device__(std::size_t row) {
        return begin[row] == begin[row + 1] ? 0 : static_cast<std::uint32_t>((begin[row + 1] - 1) / window - begin[row] / window + 1);
    };
    const DeviceBuffer<std::uint32_t> before = sumsBefore(rows, pieces, work);
    const std::uint32_t* const first = before.data();
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

} // namespace

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

#define POLYAD_INSTANCES(T)                                                                                                                \
    template RowEntries<T> arrangeRows(const Entries<T>&, const std::vector<Index>&, const std::vector<unsigned>&, Count, RunControl&,     \
                                       const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::fastertucker::gpu
