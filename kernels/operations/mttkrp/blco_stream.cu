// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/blco_stream.cuh"

#include <algorithm>

namespace kernels::mttkrp::gpu {
namespace {

constexpr unsigned threads = 256;

/// A thread an entry: 8 bytes read, an index of every mode written. The same bits every time.
template <class T>
__global__ void __launch_bounds__(threads)
    unpackKernel(BlcoEntries<T> from, const __grid_constant__ formats::BlcoWord word, std::uint32_t first, std::uint32_t count, Index* to)
{
    const std::uint32_t e = blockIdx.x * threads + threadIdx.x;
    if (e >= count)
        return;
    const std::uint64_t packed = __ldcs(from.words + first + e);
    const unsigned block = from.blockAt(first + e);
    for (unsigned n = 0; n < word.order; ++n)
        to[std::size_t{n} * count + e] = from.base(block, n) | word.index(packed, n);
}

} // namespace

template <class T>
BlcoStream<T>::BlcoStream(formats::Blco<T> blco, std::uint64_t room, const cuda::Stream& stream)
    : m_blco(std::move(blco))
    , m_words(m_blco.words)
    , m_values(m_blco.values)
    , m_begins(m_blco.begins)
    , m_bases(m_blco.bases)
    , m_sizes(blcoPieces(m_blco.plan, m_blco.entries(), sizeof(T), room))
    , m_stream(stream)
{
    const unsigned order = m_blco.plan.order();
    const Count blocks = std::min(m_sizes.blocks, m_blco.blocks());
    for (Piece& piece : m_pieces) {
        piece.words = cuda::DeviceBuffer<std::uint64_t>(m_sizes.entries);
        piece.values = cuda::DeviceBuffer<T>(m_sizes.entries);
        piece.begins = cuda::DeviceBuffer<Count>(blocks);
        piece.bases = cuda::DeviceBuffer<Index>(blocks * order);
    }
    m_unpacked = cuda::DeviceBuffer<Index>(m_sizes.unpacked * order);
}

template <class T> BlcoStream<T>::~BlcoStream()
{
    (void)cudaStreamSynchronize(m_copies);
    (void)cudaStreamSynchronize(m_stream);
}

template <class T> void BlcoStream<T>::forEachPiece(const std::function<void(const BlcoEntries<T>&)>& work, RunControl& control)
{
    m_stream.synchronize(); // a stop may have left somebody at work on a piece
    Piece* before = nullptr;
    const auto workOnTheOneBefore = [&] {
        if (!before)
            return;
        before->copied.wait();
        work(before->entries);
        before->done.record(m_stream);
    };
    for (Count first = 0; first < m_blco.entries(); first += m_sizes.entries) {
        Piece& piece = m_pieces[first / m_sizes.entries % m_pieces.size()];
        piece.done.wait(); // who worked on it last
        copyTo(piece, first);
        workOnTheOneBefore();
        before = &piece;
        control.checkpoint();
    }
    workOnTheOneBefore();
}

template <class T> void BlcoStream<T>::forEachPart(const std::function<void(const EntryColumns<T>&)>& work, RunControl& control)
{
    const formats::BlcoWord& word = m_blco.plan.words.front();
    forEachPiece(
        [&](const BlcoEntries<T>& piece) {
            for (std::uint32_t first = 0; first < piece.entries; first += static_cast<std::uint32_t>(m_sizes.unpacked)) {
                const std::uint32_t count = std::min(piece.entries - first, static_cast<std::uint32_t>(m_sizes.unpacked));
                unpackKernel<<<(count + threads - 1) / threads, threads, 0, m_stream>>>(piece, word, first, count, m_unpacked.data());
                CUDA_CHECK_LAUNCH();
                EntryColumns<T> part{m_blco.plan.dims, {}, piece.values + first, count};
                for (unsigned n = 0; n < m_blco.plan.order(); ++n)
                    part.indices.push_back(m_unpacked.data() + std::size_t{n} * count);
                work(part);
            }
        },
        control);
}

template <class T>
template <class E>
void BlcoStream<T>::copy(cuda::DeviceBuffer<E>& to, const Array<E>& from, Count first, Count count) const
{
    CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data() + first, count * sizeof(E), cudaMemcpyHostToDevice, m_copies));
}

template <class T> Count BlcoStream<T>::blockOf(Count entry) const
{
    return static_cast<Count>(std::upper_bound(m_blco.begins.begin(), m_blco.begins.end(), entry) - m_blco.begins.begin()) - 1;
}

template <class T> void BlcoStream<T>::copyTo(Piece& piece, Count first)
{
    const Count end = std::min(m_blco.entries(), first + m_sizes.entries);
    const Count block = blockOf(first), blocks = blockOf(end - 1) - block + 1;
    copy(piece.words, m_blco.words, first, end - first);
    copy(piece.values, m_blco.values, first, end - first);
    copy(piece.begins, m_blco.begins, block, blocks);
    copy(piece.bases, m_blco.bases, block * m_blco.plan.order(), blocks * m_blco.plan.order());
    piece.copied.record(m_copies);
    piece.entries = {piece.words.data(), piece.values.data(), piece.begins.data(), piece.bases.data(), first};
    piece.entries.entries = static_cast<std::uint32_t>(end - first);
    piece.entries.blocks = static_cast<std::uint32_t>(blocks);
    piece.entries.order = m_blco.plan.order();
}

template class BlcoStream<float>;
template class BlcoStream<double>;

} // namespace kernels::mttkrp::gpu
