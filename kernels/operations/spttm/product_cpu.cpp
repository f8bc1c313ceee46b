// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/spttm/product_cpu.h"

#include "kernels/base/chunks.h"
#include "kernels/base/instruction_set.h"
#include "kernels/operations/spttm/fibre_walks.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <type_traits>

namespace kernels::spttm {

POLYAD_DECLARE_FILLS(FibreWalks);

namespace {

FibreWalks bestWalks()
{
    FibreWalks table;
    POLYAD_FILL_BEST(table);
    return table;
}

const FibreWalks& walks()
{
    static const FibreWalks table = bestWalks();
    return table;
}

/// Bytes of a matrix whose rows need not be asked for ahead.
constexpr std::size_t nearRows = std::size_t{256} << 10;
/// Multiplications between two looks at who wants to stop: about a millisecond's.
constexpr Count workAtOnce = Count{1} << 21;

static_assert(std::is_same_v<Count, std::uint64_t>);

} // namespace

void walkFibres(const FibreWalk<float>& walk) { walks().floats(walk); }
void walkFibres(const FibreWalk<double>& walk) { walks().doubles(walk); }

template <class T>
CpuProduct<T>::CpuProduct(const Fibres<T>& fibres, unsigned rank)
    : m_fibres(fibres)
    , m_rank(rank)
    , m_columns(fibres.blockSize() * rank)
    , m_piece(entriesPerPiece(DeviceKind::Cpu, fibres.entries(), rank))
    , m_pieces(chunkCount(fibres.entries(), m_piece))
    , m_stretch(std::max<Count>(1, workAtOnce / m_columns))
    , m_cutSums(m_pieces, 0)
{
    Count sums = 0;
    for (Count piece = 1; piece < m_pieces; ++piece) {
        if (!beginsInside(piece))
            continue;
        m_cutSums[piece] = sums++;
        const Count fibre = fibreOf(pieceBegin(piece));
        if (m_cut.empty() || m_cut.back().fibre != fibre)
            m_cut.push_back({fibre, piece, piece});
        m_cut.back().lastPiece = piece;
    }
    m_sums.resize(sums * m_columns);
}

template <class T> Count CpuProduct<T>::pieceBegin(Count piece) const { return std::min(piece * m_piece, m_fibres.entries()); }

template <class T> Count CpuProduct<T>::fibreOf(Count entry) const
{
    return static_cast<Count>(std::upper_bound(m_fibres.begins.begin(), m_fibres.begins.end(), entry) - m_fibres.begins.begin()) - 1;
}

template <class T> bool CpuProduct<T>::beginsInside(Count piece) const
{
    const Count begin = pieceBegin(piece);
    return begin < m_fibres.entries() && m_fibres.begins[fibreOf(begin)] < begin;
}

template <class T> void CpuProduct<T>::compute(std::string_view variant, const T* matrix, T* out, RunControl& control)
{
    requireVariant(variant, DeviceKind::Cpu);
    control.checkpoint();
    if (variant == balancedId)
        computeBalanced(matrix, out, control);
    else if (variant == sequentialId)
        computeInTurn(matrix, out, control);
    else
        computeByFibres(matrix, out, control);
    control.checkpoint();
}

/// Entries of one fibre, in stretches that are short enough to be stopped between.
template <class T> void CpuProduct<T>::walkPart(Count begin, Count end, bool adds, const T* matrix, T* out, const RunControl& control) const
{
    const std::size_t matrixBytes = std::size_t{m_fibres.dims[m_fibres.mode]} * m_rank * sizeof(T);
    while (begin < end && !control.stopRequested()) {
        const Count next = std::min(end, begin + m_stretch);
        const Count bounds[] = {begin, next};
        walkFibres(FibreWalk<T>{m_fibres.values.data(), m_fibres.rows.data(), m_fibres.entries(), matrix, m_fibres.blockSize(), m_rank,
                                matrixBytes > nearRows, bounds, 0, 1, out, adds});
        begin = next;
        adds = true;
    }
}

/// As many fibres together as have no more entries than such a stretch.
template <class T> void CpuProduct<T>::walkWhole(Count fibre, Count last, const T* matrix, T* out, const RunControl& control) const
{
    const Array<Count>& begins = m_fibres.begins;
    const std::size_t matrixBytes = std::size_t{m_fibres.dims[m_fibres.mode]} * m_rank * sizeof(T);
    while (fibre < last && !control.stopRequested()) {
        const Count* const beyond = std::upper_bound(begins.data() + fibre, begins.data() + last + 1, begins[fibre] + m_stretch);
        const Count next = static_cast<Count>(beyond - begins.data()) - 1;
        if (next == fibre) {
            walkPart(begins[fibre], begins[fibre + 1], false, matrix, out + fibre * m_columns, control);
            ++fibre;
            continue;
        }
        walkFibres(FibreWalk<T>{m_fibres.values.data(), m_fibres.rows.data(), m_fibres.entries(), matrix, m_fibres.blockSize(), m_rank,
                                matrixBytes > nearRows, begins.data(), fibre, next, out + fibre * m_columns, false});
        fibre = next;
    }
}

template <class T> void CpuProduct<T>::walkPiece(Count piece, const T* matrix, T* out, T* cutSum, const RunControl& control) const
{
    const Array<Count>& begins = m_fibres.begins;
    const Count begin = pieceBegin(piece), end = pieceBegin(piece + 1);
    Count fibre = fibreOf(begin);
    if (cutSum) {
        walkPart(begin, std::min(end, begins[fibre + 1]), false, matrix, cutSum, control);
        ++fibre;
    }
    if (fibre >= m_fibres.fibres() || begins[fibre] >= end)
        return;
    const Count last = fibreOf(end - 1);
    const bool goesOn = begins[last + 1] > end;
    walkWhole(fibre, goesOn ? last : last + 1, matrix, out, control);
    if (goesOn)
        walkPart(begins[last], end, false, matrix, out + last * m_columns, control);
}

template <class T> void CpuProduct<T>::computeBalanced(const T* matrix, T* out, RunControl& control)
{
    forEachChunk(m_pieces, 1, control, [&](Count piece, Count, Count) {
        T* const sum = beginsInside(piece) ? m_sums.data() + m_cutSums[piece] * m_columns : nullptr;
        walkPiece(piece, matrix, out, sum, control);
    });
    forEachChunk(m_cut.size(), 1, control, [&](Count i, Count, Count) {
        const CutFibre& cut = m_cut[i];
        T* const to = out + cut.fibre * m_columns;
        for (Count piece = cut.firstPiece; piece <= cut.lastPiece && !control.stopRequested(); ++piece) {
            const T* const sum = m_sums.data() + m_cutSums[piece] * m_columns;
            for (Count c = 0; c < m_columns; ++c)
                to[c] += sum[c];
        }
    });
}

template <class T> void CpuProduct<T>::computeInTurn(const T* matrix, T* out, RunControl& control) const
{
    const Array<Count>& begins = m_fibres.begins;
    for (Count fibre = 0; fibre < m_fibres.fibres();) { // what walkWhole has between two of its own looks, or somewhat more
        const Count* const beyond = std::upper_bound(begins.data() + fibre, begins.data() + begins.size(), begins[fibre] + m_stretch);
        const Count next = std::max(fibre + 1, static_cast<Count>(beyond - begins.data()) - 1);
        control.checkpoint();
        walkWhole(fibre, next, matrix, out, control);
        fibre = next;
    }
}

template <class T> void CpuProduct<T>::computeByFibres(const T* matrix, T* out, RunControl& control) const
{
    const Count fibres = m_fibres.fibres();
    const Array<Count>& begins = m_fibres.begins;
    // Between two looks at a pause some 30 ms of all threads.
    const Count atOnce = 32 * m_stretch * static_cast<Count>(tbb::this_task_arena::max_concurrency());
    for (Count first = 0; first < fibres;) {
        control.checkpoint();
        const Count* const beyond = std::upper_bound(begins.data() + first, begins.data() + begins.size(), begins[first] + atOnce);
        const Count next = std::max(first + 1, static_cast<Count>(beyond - begins.data()) - 1);
        tbb::parallel_for(tbb::blocked_range<Count>(first, next),
                          [&](const tbb::blocked_range<Count>& range) { walkWhole(range.begin(), range.end(), matrix, out, control); });
        first = next;
    }
}

template class CpuProduct<float>;
template class CpuProduct<double>;

} // namespace kernels::spttm
