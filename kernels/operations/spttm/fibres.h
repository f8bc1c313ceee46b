// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/scoo.h"
#include "kernels/operations/spttm/spttm.h"

namespace kernels::spttm {

/// A tensor's entries, or a semi-sparse one's blocks, with those of a fibre along one mode side by side, ascending along it.
/// Fibres without entries are not there.
template <class T> struct Fibres {
    std::vector<Index> dims; ///< of all modes of the tensor
    unsigned mode = 0; ///< that fibres lie along
    std::vector<unsigned> sparseModes; ///< the others, ascending
    std::vector<unsigned> denseModes;
    std::vector<Array<Index>> indices; ///< [of sparseModes][fibre]
    Array<Count> begins; ///< [fibre], then how many entries there are
    Array<Index> rows; ///< [entry]: its index along the mode
    Array<T> values; ///< [entry][place in a block]

    Count entries() const { return rows.size(); }
    Count fibres() const { return begins.size() - 1; }
    Count blockSize() const { return formats::scooBlockSize(dims, denseModes); }
    Count longest() const;
    std::uint64_t bytes() const;
    /// The product's indices and sizes for so many columns, values unfilled. Throws OutOfMemory before it takes any.
    formats::Scoo<T> result(unsigned rank) const;
};
extern template struct Fibres<float>;
extern template struct Fibres<double>;

Shape shapeOf(const SparseTensor&);
template <class T> Shape shapeOf(const formats::Scoo<T>& tensor) { return {tensor.dims, tensor.denseModes, tensor.blocks}; }

/// Throws as planFor does, Cancelled, OutOfMemory.
template <class T> Fibres<T> fibresOf(const SparseTensor&, unsigned mode, RunControl&);
template <class T> Fibres<T> fibresOf(const formats::Scoo<T>&, unsigned mode, RunControl&);
extern template Fibres<float> fibresOf(const SparseTensor&, unsigned, RunControl&);
extern template Fibres<double> fibresOf(const SparseTensor&, unsigned, RunControl&);
extern template Fibres<float> fibresOf(const formats::Scoo<float>&, unsigned, RunControl&);
extern template Fibres<double> fibresOf(const formats::Scoo<double>&, unsigned, RunControl&);

} // namespace kernels::spttm
