// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/run_control.h"
#include "kernels/tensor/sparse_tensor.h"

#include <cstdint>
#include <vector>

namespace kernels::formats {

/// Coordinates of a tensor some of whose modes are dense (semi-sparse COO): indices of the sparse modes alone, and with each of
/// them a block of values, one for every place in the dense modes. What a product of a sparse tensor with a matrix is, and any
/// sparse tensor as well: without dense modes a block is one value.
template <class T> struct Scoo {
    std::vector<Index> dims; ///< of all modes
    std::vector<unsigned> sparseModes; ///< ascending
    std::vector<unsigned> denseModes; ///< the last one's index runs fastest inside a block
    Count blocks = 0;
    std::vector<Array<Index>> indices; ///< [of sparseModes][block]; blocks in any order, a place has one block or several
    Array<T> values; ///< [block][place]

    Count blockSize() const;
    std::uint64_t bytes() const;
};

/// Values of a block; the largest count there is where it would be more.
Count scooBlockSize(const std::vector<Index>& dims, const std::vector<unsigned>& denseModes);
/// Of so many blocks; saturates.
std::uint64_t scooBytes(unsigned sparseModes, Count blocks, Count blockSize, unsigned valueBytes);

/// Blocks in lexicographic order, one a place, values that the tensor does not have zero; equal coordinates add up. Takes a sorted
/// copy of the entries while it works. Throws Error(BadArgument) for modes that there are not or that are named twice, OutOfMemory
/// before blocks are made that would not fit, Cancelled.
template <class T> Scoo<T> toScoo(const SparseTensor&, const std::vector<unsigned>& denseModes, RunControl&);
extern template Scoo<float> toScoo(const SparseTensor&, const std::vector<unsigned>&, RunControl&);
extern template Scoo<double> toScoo(const SparseTensor&, const std::vector<unsigned>&, RunControl&);

/// The values that are not zero, block after block.
template <class T> SparseTensor toCoo(const Scoo<T>&, RunControl&);
extern template SparseTensor toCoo(const Scoo<float>&, RunControl&);
extern template SparseTensor toCoo(const Scoo<double>&, RunControl&);

/// Runs of sorted coordinates that agree in their leading columns.
struct LeadingRuns {
    Array<Count> begins; ///< [run], then how many coordinates there are
    std::vector<Array<Index>> indices; ///< [leading column][run]

    Count runs() const { return begins.size() - 1; }
};
/// sorted: [column][coordinate], at least one column. Without leading ones all are one run.
LeadingRuns leadingRuns(const std::vector<Array<Index>>& sorted, unsigned leading, RunControl&);

} // namespace kernels::formats
