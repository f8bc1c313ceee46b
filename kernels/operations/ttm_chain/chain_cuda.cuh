// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_buffer.cuh"
#include "kernels/formats/csf_cuda.cuh"
#include "kernels/operations/ttm_chain/chain_sizes.h"
#include "kernels/operations/ttm_chain/ttm_chain.h"

#include <vector>

/// Chains on the GPU: what ttm_chain.h says, by fibres. A fibre's leaves give a vector v, the rows of the modes above it a vector k by
/// their Kronecker product, and a slice's row of Y is Σ k ⊗ v.
namespace kernels::ttm::gpu {

/// What a block works on: leaves of one slice.
struct Segment {
    std::uint32_t firstLeaf, endLeaf, firstFibre, endFibre;
    std::uint32_t row;
    std::uint32_t piece; ///< noPiece: the whole slice
};
constexpr std::uint32_t noPiece = 0xFFFFFFFFU;

/// A slice in pieces.
struct CutRow {
    std::uint32_t row, firstPiece, pieces;
};

/// What the kernels are given.
template <class T> struct ChainArguments {
    const std::uint32_t* fibreBegins; ///< leaves
    const Index* leaves;
    const T* values;
    const T* leafRows;
    unsigned leafColumns;
    unsigned uppers; ///< modes between root and leaves
    const Index* upperIndices[maxOrder]; ///< [upper][fibre]
    const T* upperRows[maxOrder];
    unsigned upperColumns[maxOrder];
    unsigned upperWidth; ///< product of upperColumns
    const Segment* segments;
    std::uint32_t firstSegment, segmentCount;
};

/// The chain of one mode, tree and all.
template <class T> class DeviceChain {
public:
    /// Throws OutOfMemory, Cancelled.
    DeviceChain(const formats::gpu::EntryColumns<T>&, unsigned mode, const std::vector<unsigned>& ranks, RunControl&, const cuda::Stream&);

    Count rows() const { return m_tree.indices.front().count(); }
    const Index* slices() const { return m_tree.indices.front().data(); } ///< of the rows, on the device
    std::uint64_t width() const { return m_width; }
    const std::vector<unsigned>& modeOrder() const { return m_tree.modeOrder; }

    /// Rows `first` to `end`, width() apart. factors: of every mode, on the device. The same bits every time.
    void compute(const std::vector<const T*>& factors, Count first, Count end, T* out, RunControl&, const cuda::Stream&);
    /// core: of J_n × width() in this tree's order, on the device.
    Judgement judge(const double* core, const std::vector<const T*>& factors, RunControl&, const cuda::Stream&);

    std::uint64_t bytes() const;

private:
    ChainArguments<T> argumentsFor(const std::vector<const T*>& factors) const;
    void findAncestors(const cuda::Stream&);
    void cutSegments(RunControl&, const cuda::Stream&);
    /// Behind the segments that one launch takes: `most` leaves, a segment itself counting as so many; never fewer than `fewest`.
    std::uint32_t launchEnd(std::uint32_t first, std::uint32_t end, Count most, Count ofSegment, std::uint32_t fewest) const;

    formats::gpu::DeviceCsf<T> m_tree;
    std::vector<unsigned> m_ranks;
    std::uint64_t m_width;
    std::vector<cuda::DeviceBuffer<Index>> m_ancestors; ///< [upper] but the last, whose indices are the fibres' own
    cuda::DeviceBuffer<Segment> m_segments;
    std::vector<std::uint32_t> m_segmentOfRow; ///< the first of every row, then how many there are
    std::vector<std::uint32_t> m_leafOfSegment; ///< where each begins, then how many leaves there are
    std::vector<CutRow> m_cutRows; ///< ascending, on both sides
    cuda::DeviceBuffer<CutRow> m_cutRowsThere;
    cuda::DeviceBuffer<T> m_pieces;
    cuda::DeviceBuffer<double> m_scratch, m_partials; ///< of judge()
    unsigned m_judges = 0; ///< blocks of it
};

extern template class DeviceChain<float>;
extern template class DeviceChain<double>;

} // namespace kernels::ttm::gpu
