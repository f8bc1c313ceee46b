// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/spttm/fibres.h"

#include <string_view>

namespace kernels::spttm {

/// Products of fibres, which outlive it, with matrices of so many columns, on the CPU.
template <class T> class CpuProduct {
public:
    CpuProduct(const Fibres<T>&, unsigned rank);

    /// matrix: a row for each index of the mode; out: [fibre][place][column], overwritten. The same bits every time, whatever the
    /// number of threads. Throws Cancelled at a stop, out is of no use then; Error(BadArgument) for what is no variant.
    void compute(std::string_view variant, const T* matrix, T* out, RunControl&);

private:
    /// A fibre that goes on in other pieces than the one it begins in, and the pieces after that one.
    struct CutFibre {
        Count fibre = 0, firstPiece = 0, lastPiece = 0;
    };

    Count pieceBegin(Count piece) const;
    Count fibreOf(Count entry) const;
    bool beginsInside(Count piece) const; ///< a fibre
    void walkWhole(Count firstFibre, Count lastFibre, const T* matrix, T* out, const RunControl&) const;
    void walkPart(Count begin, Count end, bool adds, const T* matrix, T* out, const RunControl&) const;
    void walkPiece(Count piece, const T* matrix, T* out, T* cutSum, const RunControl&) const;
    void computeBalanced(const T* matrix, T* out, RunControl&);
    void computeInTurn(const T* matrix, T* out, RunControl&) const;
    void computeByFibres(const T* matrix, T* out, RunControl&) const;

    const Fibres<T>& m_fibres;
    unsigned m_rank;
    Count m_columns, m_piece, m_pieces, m_stretch;
    std::vector<CutFibre> m_cut;
    std::vector<Count> m_cutSums; ///< [piece]: which of the sums is that of the fibre it begins inside
    Array<T> m_sums; ///< [cut][column of a block]
};
extern template class CpuProduct<float>;
extern template class CpuProduct<double>;

} // namespace kernels::spttm
