// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run_control.h"
#include "kernels/formats/csf.h"

#include <cstdint>
#include <vector>

/// Y_(n) = X ×_{k≠n} A^(k)ᵀ as a matrix: a row for every slice of mode n that has entries, Π_{k≠n} J_k columns. From the tree of
/// fibres rooted at n, leaves first: an entry costs J of the leaves' mode, a node above it the outer product of its row with what
/// is below it. So what equal leading indices share is computed once, no partly contracted tensor is ever stored, and any rows can
/// be had by themselves.
namespace kernels::ttm {

/// Π_{k≠mode} J_k; the largest number there is where it has no place.
std::uint64_t widthOf(const std::vector<unsigned>& ranks, unsigned mode);

/// Numbers a thread needs for itself, in doubles, for any mode.
std::uint64_t workNumbers(const std::vector<Index>& dims, const std::vector<unsigned>& ranks);

/// Where slices are longer than this they are added up in pieces of about so many leaves. Follows from sizes alone, so that sums
/// are the same for any number of threads.
Count pieceLeaves(Count entries, std::uint64_t width);

struct ChainBytes {
    std::uint64_t building = 0, kept = 0;
};
/// tensorValueBytes: of the values the tree is built from; 0: as valueBytes.
ChainBytes chainBytes(const std::vector<Index>& dims, unsigned mode, Count entries, const std::vector<unsigned>& ranks,
                      unsigned tensorValueBytes, unsigned valueBytes);

struct Judgement {
    double squared = 0, absolute = 0, products = 0; ///< Σ (x̂ − x)², Σ |x̂ − x|, Σ x x̂
};

/// Room for every thread of the arena it is used in.
class ThreadWork {
public:
    /// numbers: of doubles, for each.
    ThreadWork(std::uint64_t numbers, unsigned threads);
    double* mine(); ///< of the calling thread
    std::uint64_t bytes() const { return m_room.size() * sizeof(double); }

private:
    std::uint64_t m_each;
    Array<double> m_room;
};

/// The chain of one mode on the CPU.
template <class T> class TreeChain {
public:
    /// The tensor need not outlive it. Throws OutOfMemory, Cancelled.
    TreeChain(const SparseTensor&, unsigned mode, const std::vector<unsigned>& ranks, RunControl&);

    Count rows() const { return m_tree.levels.front().indices.size(); }
    Index slice(Count row) const { return m_tree.levels.front().indices[row]; } ///< of mode n
    std::uint64_t width() const { return m_sizes.front(); }
    /// By what columns are counted: modes from the slowest to the fastest, the root's left out.
    const std::vector<unsigned>& modeOrder() const { return m_tree.modeOrder; }

    /// out: rows `first` to `end`, stride apart. factors: of every mode, J_k numbers a row. The same bits for any number of threads
    /// and however rows are asked for.
    void compute(const std::vector<const T*>& factors, Count first, Count end, T* out, std::uint64_t stride, ThreadWork&, RunControl&);

    /// core: of J_n × width(), its columns in the order of this tree.
    Judgement judge(const double* core, const std::vector<const T*>& factors, ThreadWork&, RunControl&) const;

    std::uint64_t bytes() const { return m_tree.bytes() + m_leafBegins.size() * sizeof(Count) + m_pieces.size() * sizeof(T); }

private:
    struct Task {
        Count firstLeaf, endLeaf;
        std::size_t piece; ///< noPiece: whole rows
    };

    std::vector<Task> tasksOf(Count first, Count end) const;
    template <class Offset> void computeIn(const std::vector<const T*>&, Count, Count, T*, std::uint64_t, ThreadWork&, RunControl&);
    template <class Offset> Judgement judgeIn(const double*, const std::vector<const T*>&, ThreadWork&, RunControl&) const;

    formats::Csf m_tree;
    std::vector<std::uint64_t> m_columns, m_sizes; ///< [level]
    Array<Count> m_leafBegins; ///< of every row, then how many leaves there are
    Array<T> m_pieces; ///< sums of pieces of rows
    Count m_pieceLeaves = 0, m_leavesAtOnce = 0;
};

extern template class TreeChain<float>;
extern template class TreeChain<double>;

} // namespace kernels::ttm
