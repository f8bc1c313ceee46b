// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/cuda_entries.cuh"

#include "kernels/algorithms/fastertucker/cuda_arranging.cuh"
#include "kernels/formats/bcsf_parts.h"
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/tensor/entry_keys.h"

namespace kernels::tucker_als::gpu {
namespace {

using cuda::DeviceBuffer;
using formats::gpu::Work;

struct SortedPositions {
    DeviceBuffer<std::uint32_t> entries, rows; ///< [position]
};

template <class T>
SortedPositions sortPositions(const formats::gpu::EntryColumns<T>& entries, const std::vector<unsigned>& modes, RunControl& control,
                              const cuda::Stream& stream)
{
    Work work(stream, control);
    SortedPositions sorted{DeviceBuffer<std::uint32_t>(entries.entries), DeviceBuffer<std::uint32_t>(entries.entries)};
    work.forEach(entries.entries, [to = sorted.entries.data()] __device__(std::size_t i) { to[i] = static_cast<std::uint32_t>(i); });
    for (std::size_t m = modes.size(); m-- > 0;) { // the most significant last
        const unsigned mode = modes[m];
        work.forEach(entries.entries,
                     [column = entries.indices[mode], from = sorted.entries.data(), to = sorted.rows.data()] __device__(std::size_t i) {
                         to[i] = column[from[i]];
                     });
        fastertucker::gpu::sortBy(sorted.rows, sorted.entries, indexBits(entries.dims[mode]), work);
        work.checkpoint();
    }
    return sorted;
}

template <class E> DeviceBuffer<E> sent(const std::vector<E>& from, const cuda::Stream& stream)
{
    DeviceBuffer<E> to(from.size());
    if (!from.empty())
        CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice, stream));
    stream.synchronize(); // what was sent lies at the caller's
    return to;
}

/// [batch]: where it begins, and where the last one ends.
std::vector<std::uint32_t> batchBegins(const std::vector<Batch>& batches)
{
    std::vector<std::uint32_t> begins;
    for (const Batch& batch : batches)
        begins.push_back(static_cast<std::uint32_t>(batch.begin));
    begins.push_back(static_cast<std::uint32_t>(batches.back().end));
    return begins;
}

/// Sorts the entries of every batch by one column, those alike by their rows; result.columns[0] are the places they have in the order of
/// rows then. at: that order's positions.
template <class T>
void group(ModeEntries<T>& result, const Index* column, const std::uint32_t* at, Index rows, RunControl& control,
           const cuda::Stream& stream)
{
    Work work(stream, control);
    const Count count = result.batches.back().end;
    const auto batches = static_cast<std::uint32_t>(result.batches.size());
    result.batchBegins = sent(batchBegins(result.batches), stream);
    DeviceBuffer<std::uint32_t> keys(count);
    DeviceBuffer<Index>& places = result.columns.emplace_back(count);
    work.forEach(count, [=, key = keys.data(), place = places.data()] __device__(std::size_t i) {
        key[i] = column[at[i]];
        place[i] = static_cast<std::uint32_t>(i);
    });
    fastertucker::gpu::sortBy(keys, places, indexBits(rows), work);
    if (batches > 1) {
        work.forEach(count, [=, key = keys.data(), place = places.data(), begins = result.batchBegins.data()] __device__(std::size_t i) {
            key[i] = static_cast<std::uint32_t>(formats::firstGreater(begins, 0, batches, place[i]) - 1);
        });
        fastertucker::gpu::sortBy(keys, places, indexBits(batches), work);
        work.forEach(count, [=, key = keys.data(), place = places.data()] __device__(std::size_t i) { key[i] = column[at[place[i]]]; });
    }
    result.runs = DeviceBuffer<std::uint32_t>(std::size_t{batches} * rows + 1);
    work.forEach(
        result.runs.count(), [=, to = result.runs.data(), key = keys.data(), begins = result.batchBegins.data()] __device__(std::size_t i) {
            const std::size_t batch = i / rows;
            to[i] = batch == batches ? begins[batch]
                                     : static_cast<std::uint32_t>(formats::firstNotLess(key, begins[batch], begins[batch + 1], i % rows));
        });
    work.checkpoint();
    result.groups = sent(groupsOf(formats::gpu::download(result.runs, stream), rows, result.batches), stream);
}

} // namespace

template <class T>
ModeEntries<T> arrangeEntries(const formats::gpu::EntryColumns<T>& entries, const std::vector<unsigned>& modes, const PassSizes& sizes,
                              const Arrangement& how, RunControl& control, const cuda::Stream& stream)
{
    ModeEntries<T> result;
    SortedPositions sorted = sortPositions(entries, modes, control, stream);
    const Work work(stream, control);
    result.begins = DeviceBuffer<std::uint32_t>(std::size_t{entries.dims[modes.front()]} + 1);
    work.forEach(result.begins.count(),
                 [to = result.begins.data(), rows = sorted.rows.data(), count = entries.entries] __device__(std::size_t row) {
                     to[row] = static_cast<std::uint32_t>(formats::firstNotLess(rows, 0, count, row));
                 });
    work.checkpoint();
    if (!how.keepsOwn)
        sorted.rows = {};
    Cuts cuts = cutRows(formats::gpu::download(result.begins, stream), sizes);
    result.pieces = sent(cuts.pieces, stream);
    result.cutRows = sent(cuts.cutRows, stream);
    result.batches = std::move(cuts.batches);
    const std::uint32_t* const at = sorted.entries.data();
    if (how.groups) {
        group(result, entries.indices[modes[1]], at, entries.dims[modes[1]], control, stream);
        Index* const places = result.columns.front().data();
        if (how.keepsOwn) {
            result.own = DeviceBuffer<Index>(entries.entries);
            work.forEach(entries.entries,
                         [=, from = sorted.rows.data(), to = result.own.data()] __device__(std::size_t i) { to[i] = from[places[i]]; });
            work.checkpoint();
            sorted.rows = {};
        }
        result.columns.emplace_back(entries.entries);
        work.forEach(entries.entries, [=, from = entries.indices[modes[2]], to = result.columns.back().data()] __device__(std::size_t i) {
            to[i] = from[at[places[i]]];
        });
        const auto batches = result.batches.size();
        work.forEach(entries.entries, [=, begins = result.batchBegins.data()] __device__(std::size_t i) { // from places to slots
            places[i] -= begins[formats::firstGreater(begins, 0, batches, places[i]) - 1];
        });
    } else {
        result.own = std::move(sorted.rows);
        for (std::size_t p = 1; p < modes.size(); ++p) {
            result.columns.emplace_back(entries.entries);
            work.forEach(entries.entries,
                         [=, from = entries.indices[modes[p]], to = result.columns.back().data()] __device__(std::size_t i) {
                             to[i] = from[at[i]];
                         });
        }
    }
    result.values = DeviceBuffer<T>(entries.entries);
    work.forEach(entries.entries, [=, unit = how.unit, from = entries.values, to = result.values.data()] __device__(std::size_t i) {
        to[i] = static_cast<T>(static_cast<double>(from[at[i]]) / unit);
    });
    work.checkpoint();
    return result;
}

template ModeEntries<float> arrangeEntries(const formats::gpu::EntryColumns<float>&, const std::vector<unsigned>&, const PassSizes&,
                                           const Arrangement&, RunControl&, const cuda::Stream&);
template ModeEntries<double> arrangeEntries(const formats::gpu::EntryColumns<double>&, const std::vector<unsigned>&, const PassSizes&,
                                            const Arrangement&, RunControl&, const cuda::Stream&);

} // namespace kernels::tucker_als::gpu
