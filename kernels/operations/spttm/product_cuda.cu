// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/spttm/product_cuda.cuh"

#include "kernels/base/error.h"
#include "kernels/device/check.cuh"
#include "kernels/device/transfer.cuh"
#include "kernels/formats/build_work.cuh"

#include <limits>
#include <string>

namespace kernels::spttm::gpu {
namespace {

using cuda::DeviceBuffer;

template <class E> std::vector<E> fetched(const DeviceBuffer<E>& from, const cuda::Stream& stream)
{
    std::vector<E> to(from.count());
    if (!to.empty())
        CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream));
    stream.synchronize();
    return to;
}

template <class E> DeviceBuffer<E> brought(const std::vector<E>& from, const cuda::Stream& stream)
{
    DeviceBuffer<E> to(from.size());
    if (!from.empty())
        CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice, stream));
    stream.synchronize();
    return to;
}

std::uint32_t columnsOf(Count places, unsigned rank)
{
    if (places > std::numeric_limits<std::uint32_t>::max() / rank)
        throw Error(ErrorKind::BadArgument,
                    {"a GPU multiplies into smaller blocks", "values of a block", std::to_string(places) + " times " + std::to_string(rank),
                     "less than 2^32", "Choose the CPU, or smaller ranks."});
    return static_cast<std::uint32_t>(places * rank);
}

/// The fibre that each piece's first entry is in, and that entry's word.
template <class T>
void findPieces(const DeviceFibres<T>& fibres, Count perPiece, DeviceBuffer<std::uint32_t>& pieceFibres,
                DeviceBuffer<std::uint32_t>& firstWords, const formats::gpu::Work& work)
{
    std::uint32_t* const toFibres = pieceFibres.data();
    std::uint32_t* const toWords = firstWords.data();
    const std::uint32_t *const begins = fibres.begins.data(), *const words = fibres.words.data();
    const Count count = fibres.fibres;
    work.forEach(pieceFibres.count(), [=] __device__(Count piece) {
        Count low = 0, high = count - 1; // the last fibre that begins there or before
        while (low < high) {
            const Count middle = low + (high - low + 1) / 2;
            if (begins[middle] > piece * perPiece)
                high = middle - 1;
            else
                low = middle;
        }
        toFibres[piece] = static_cast<std::uint32_t>(low);
        toWords[piece] = words[piece * perPiece];
    });
}

} // namespace

template <class T>
DeviceProduct<T>::DeviceProduct(const DeviceFibres<T>& fibres, unsigned rank, RunControl& control, const cuda::Stream& stream)
    : m_fibres(fibres)
    , m_stream(stream)
    , m_rank(rank)
    , m_columns(columnsOf(fibres.blockSize, rank))
{
    const Count entries = fibres.entries();
    if (entries == 0)
        return;
    m_perPiece = static_cast<std::uint32_t>(entriesPerPiece(DeviceKind::Cuda, entries, rank));
    m_pieces = static_cast<std::uint32_t>((entries + m_perPiece - 1) / m_perPiece);
    m_pieceFibres = DeviceBuffer<std::uint32_t>(m_pieces);
    DeviceBuffer<std::uint32_t> beginWords(m_pieces);
    findPieces(fibres, m_perPiece, m_pieceFibres, beginWords, formats::gpu::Work(stream, control));
    const std::vector<std::uint32_t> of = fetched(m_pieceFibres, stream), first = fetched(beginWords, stream);
    std::vector<std::uint32_t> sums(m_pieces, 0);
    std::vector<CutFibre> cut;
    std::uint32_t next = 0;
    for (std::uint32_t piece = 1; piece < m_pieces; ++piece) {
        if (first[piece] & beginsFibre)
            continue;
        if (cut.empty() || cut.back().fibre != of[piece])
            cut.push_back({of[piece], next, next});
        cut.back().lastSum = next;
        sums[piece] = next++;
    }
    m_pieceSums = brought(sums, stream);
    m_cut = brought(cut, stream);
    m_sums = DeviceBuffer<T>(Count{next} * m_columns);
}

template <class T> void DeviceProduct<T>::compute(std::string_view variant, const T* matrix, T* out, RunControl& control)
{
    requireVariant(variant, DeviceKind::Cuda);
    control.checkpoint();
    if (m_fibres.entries() == 0)
        return;
    ProductArguments<T> a{};
    a.words = m_fibres.words.data();
    a.begins = m_fibres.begins.data();
    a.values = m_fibres.values.data();
    a.matrix = matrix;
    a.out = out;
    a.entries = static_cast<std::uint32_t>(m_fibres.entries());
    a.fibres = static_cast<std::uint32_t>(m_fibres.fibres);
    a.rank = m_rank;
    a.places = static_cast<std::uint32_t>(m_fibres.blockSize);
    a.columns = m_columns;
    if (variant == balancedId)
        computeBalanced(a, control);
    else
        computeByFibres(a, variant == gpuSharedId, control);
}

template <class T> void DeviceProduct<T>::computeBalanced(ProductArguments<T>& a, RunControl& control) const
{
    a.pieceFibres = m_pieceFibres.data();
    a.pieceSums = m_pieceSums.data();
    a.cut = m_cut.data();
    a.cuts = static_cast<std::uint32_t>(m_cut.count());
    a.sums = const_cast<T*>(m_sums.data());
    a.pieces = m_pieces;
    a.perPiece = m_perPiece;
    launchBalanced(a, m_stream, control);
}

/// Long fibres in several launches, and many: one thread walks each of their columns, and somebody may want to stop.
template <class T> void DeviceProduct<T>::computeByFibres(ProductArguments<T>& a, bool shared, RunControl& control) const
{
    constexpr std::uint32_t entriesAtOnce = 1 << 16;
    const Count parts = m_fibres.entries() * m_columns / workAtOnce + 1;
    const Count fibresAtOnce = (m_fibres.fibres + parts - 1) / parts;
    cuda::LaunchPacer pacer(m_stream, control);
    for (Count first = 0; first < m_fibres.longest; first += entriesAtOnce)
        for (Count fibre = 0; fibre < m_fibres.fibres; fibre += fibresAtOnce) {
            const Count last = std::min(m_fibres.fibres, fibre + fibresAtOnce);
            launchByFibres(a, shared, {fibre, last, static_cast<std::uint32_t>(first), entriesAtOnce}, m_stream);
            if (m_fibres.longest > entriesAtOnce || parts > 1)
                pacer.launched();
        }
}

template class DeviceProduct<float>;
template class DeviceProduct<double>;

} // namespace kernels::spttm::gpu
