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

struct Cuts {
    std::vector<Batch> batches;
    std::vector<Piece> pieces;
    std::vector<CutRow> cutRows;
};

/// Rows after another; a batch ends where δ or rows would be too many.
Cuts cutRows(const Array<std::uint32_t>& begins, const PassSizes& sizes)
{
    Cuts cuts;
    Batch batch;
    const auto take = [&](Index row, Count entries) {
        if (batch.end - batch.begin + entries > sizes.entriesAtOnce || batch.endRow - batch.firstRow >= sizes.rowsAtOnce) {
            cuts.batches.push_back(batch);
            batch = {batch.end, batch.end, row, row, batch.endPiece, batch.endPiece};
        }
        batch.end += entries;
    };
    for (Index row = 0; row + 1 < begins.size(); ++row) {
        const Count begin = begins[row], length = begins[row + 1] - begin;
        const Count pieces = (length + sizes.longestPiece - 1) / sizes.longestPiece;
        if (pieces <= 1)
            take(row, length);
        else
            cuts.cutRows.push_back({row, static_cast<std::uint32_t>(cuts.pieces.size()), static_cast<std::uint32_t>(pieces)});
        for (Count piece = 0; pieces > 1 && piece < pieces; ++piece) {
            const Count from = begin + length * piece / pieces, to = begin + length * (piece + 1) / pieces;
            take(row, to - from);
            cuts.pieces.push_back({row, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
            batch.endPiece = static_cast<std::uint32_t>(cuts.pieces.size());
        }
        batch.endRow = row + 1;
    }
    cuts.batches.push_back(batch);
    return cuts;
}

template <class E> DeviceBuffer<E> sent(const std::vector<E>& from, const cuda::Stream& stream)
{
    DeviceBuffer<E> to(from.size());
    if (!from.empty())
        CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice, stream));
    stream.synchronize(); // what was sent lies at the caller's
    return to;
}

} // namespace

template <class T>
ModeEntries<T> arrangeEntries(const formats::gpu::EntryColumns<T>& entries, const std::vector<unsigned>& modes, const PassSizes& sizes,
                              bool keepsOwn, double unit, RunControl& control, const cuda::Stream& stream)
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
    if (keepsOwn)
        result.own = std::move(sorted.rows);
    sorted.rows = {};
    const std::uint32_t* const at = sorted.entries.data();
    for (std::size_t p = 1; p < modes.size(); ++p) {
        result.columns.emplace_back(entries.entries);
        work.forEach(entries.entries, [=, from = entries.indices[modes[p]], to = result.columns.back().data()] __device__(std::size_t i) {
            to[i] = from[at[i]];
        });
    }
    result.values = DeviceBuffer<T>(entries.entries);
    work.forEach(entries.entries, [=, from = entries.values, to = result.values.data()] __device__(std::size_t i) {
        to[i] = static_cast<T>(static_cast<double>(from[at[i]]) / unit);
    });
    const Array<std::uint32_t> begins = formats::gpu::download(result.begins, stream);
    Cuts cuts = cutRows(begins, sizes);
    result.pieces = sent(cuts.pieces, stream);
    result.cutRows = sent(cuts.cutRows, stream);
    result.batches = std::move(cuts.batches);
    work.checkpoint();
    return result;
}

template ModeEntries<float> arrangeEntries(const formats::gpu::EntryColumns<float>&, const std::vector<unsigned>&, const PassSizes&, bool,
                                           double, RunControl&, const cuda::Stream&);
template ModeEntries<double> arrangeEntries(const formats::gpu::EntryColumns<double>&, const std::vector<unsigned>&, const PassSizes&, bool,
                                            double, RunControl&, const cuda::Stream&);

} // namespace kernels::tucker_als::gpu
