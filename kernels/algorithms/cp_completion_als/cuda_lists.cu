// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/cuda_lists.cuh"

#include "kernels/algorithms/fastertucker/cuda_arranging.cuh"
#include "kernels/formats/bcsf_parts.h"
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/tensor/entry_keys.h"

namespace kernels::cp_completion_als::gpu {
namespace {

using cuda::DeviceBuffer;
using formats::gpu::Work;

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
ModeList<T> arrangeList(const formats::gpu::EntryColumns<T>& entries, const std::vector<unsigned>& modes,
                        const observed_rows::PieceLimits& limits, double unit, RunControl& control, const cuda::Stream& stream)
{
    ModeList<T> list;
    const Count count = entries.entries;
    DeviceBuffer<std::uint32_t> positions(count);
    list.columns.resize(modes.size());
    {
        Work work(stream, control);
        DeviceBuffer<std::uint32_t> keys(count);
        work.forEach(count, [to = positions.data()] __device__(std::size_t i) { to[i] = static_cast<std::uint32_t>(i); });
        for (std::size_t m = modes.size(); m-- > 0;) { // the most significant last
            const unsigned mode = modes[m];
            work.forEach(count, [column = entries.indices[mode], from = positions.data(), to = keys.data()] __device__(std::size_t i) {
                to[i] = column[from[i]];
            });
            fastertucker::gpu::sortBy(keys, positions, indexBits(entries.dims[mode]), work);
            work.checkpoint();
        }
        list.columns[modes.front()] = std::move(keys);
    }
    const Work work(stream, control);
    list.begins = DeviceBuffer<std::uint32_t>(std::size_t{entries.dims[modes.front()]} + 1);
    work.forEach(list.begins.count(),
                 [to = list.begins.data(), rows = list.columns[modes.front()].data(), count] __device__(std::size_t row) {
                     to[row] = static_cast<std::uint32_t>(formats::firstNotLess(rows, 0, count, row));
                 });
    work.checkpoint();
    {
        observed_rows::Pieces pieces = observed_rows::cutIntoPieces(formats::gpu::download(list.begins, stream), limits);
        list.pieces = sent(pieces.pieces, stream);
        list.firsts = sent(pieces.firsts, stream);
        list.launches = std::move(pieces.launches);
    }
    const std::uint32_t* const at = positions.data();
    for (std::size_t p = 1; p < modes.size(); ++p) {
        DeviceBuffer<Index>& column = list.columns[modes[p]] = DeviceBuffer<Index>(count);
        work.forEach(count, [=, from = entries.indices[modes[p]], to = column.data()] __device__(std::size_t i) { to[i] = from[at[i]]; });
    }
    list.values = DeviceBuffer<T>(count);
    work.forEach(count, [=, from = entries.values, to = list.values.data()] __device__(std::size_t i) {
        to[i] = static_cast<T>(static_cast<double>(from[at[i]]) / unit);
    });
    work.checkpoint();
    return list;
}

template ModeList<float> arrangeList(const formats::gpu::EntryColumns<float>&, const std::vector<unsigned>&,
                                     const observed_rows::PieceLimits&, double, RunControl&, const cuda::Stream&);
template ModeList<double> arrangeList(const formats::gpu::EntryColumns<double>&, const std::vector<unsigned>&,
                                      const observed_rows::PieceLimits&, double, RunControl&, const cuda::Stream&);

} // namespace kernels::cp_completion_als::gpu
