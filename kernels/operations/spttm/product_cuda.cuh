// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/transfer.cuh"
#include "kernels/operations/spttm/fibres_cuda.cuh"

namespace kernels::spttm::gpu {

/// A fibre that goes on in other pieces than the one it begins in.
struct CutFibre {
    std::uint32_t fibre, firstSum, lastSum; ///< which sums are to be added to it, the last one too
};

/// What kernels are given.
template <class T> struct ProductArguments {
    const std::uint32_t* words; ///< [entry]
    const std::uint32_t* begins; ///< [fibre], then how many entries there are
    const T* values; ///< [entry][place]
    const T* matrix; ///< [row][column]
    T* out; ///< [fibre][place][column]
    std::uint32_t entries, fibres;
    unsigned rank;
    std::uint32_t places, columns; ///< places × rank
    // of pieces
    const std::uint32_t* pieceFibres; ///< [piece]: that its first entry is in
    const std::uint32_t* pieceSums; ///< [piece]: where the sum of the fibre goes that it begins inside
    const CutFibre* cut;
    T* sums; ///< [sum][column of a block]
    std::uint32_t pieces, perPiece, cuts;
};

/// Multiplications of one launch, so that somebody who wants to stop waits some 50 ms at most.
constexpr Count workAtOnce = Count{1} << 33;

/// Products of fibres with matrices of so many columns on the device that is current; the fibres outlive it.
template <class T> class DeviceProduct {
public:
    /// Throws Error(BadArgument) for blocks of 2^32 values and more.
    DeviceProduct(const DeviceFibres<T>&, unsigned rank, RunControl&, const cuda::Stream&);

    /// matrix: [row][column]; out: [fibre][place][column], overwritten. Returns when the work is in the stream; the same bits every
    /// time. Throws Error(BadArgument) for what is no variant, Cancelled at a stop.
    void compute(std::string_view variant, const T* matrix, T* out, RunControl&);

private:
    void computeBalanced(ProductArguments<T>&, RunControl&) const;
    void computeByFibres(ProductArguments<T>&, bool shared, RunControl&) const;

    const DeviceFibres<T>& m_fibres;
    const cuda::Stream& m_stream;
    unsigned m_rank;
    std::uint32_t m_columns; ///< of a block
    std::uint32_t m_pieces = 0, m_perPiece = 0;
    cuda::DeviceBuffer<std::uint32_t> m_pieceFibres, m_pieceSums;
    cuda::DeviceBuffer<CutFibre> m_cut;
    cuda::DeviceBuffer<T> m_sums;
};
extern template class DeviceProduct<float>;
extern template class DeviceProduct<double>;

/// Both kernels of the balanced product: pieces, in as many launches as their work asks for, then what was cut between them.
template <class T> void launchBalanced(const ProductArguments<T>&, const cuda::Stream&, RunControl&);
extern template void launchBalanced(const ProductArguments<float>&, const cuda::Stream&, RunControl&);
extern template void launchBalanced(const ProductArguments<double>&, const cuda::Stream&, RunControl&);

/// What one launch of the paper's products works on.
struct FibreSlice {
    Count fibre, lastFibre; ///< the last one is not in it
    std::uint32_t first, count; ///< of each fibre's entries, so many at most
};

/// The paper's, added to what is there but for each fibre's first entries.
template <class T> void launchByFibres(const ProductArguments<T>&, bool shared, const FibreSlice&, const cuda::Stream&);
extern template void launchByFibres(const ProductArguments<float>&, bool, const FibreSlice&, const cuda::Stream&);
extern template void launchByFibres(const ProductArguments<double>&, bool, const FibreSlice&, const cuda::Stream&);

} // namespace kernels::spttm::gpu
