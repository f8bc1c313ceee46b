// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/mttkrp_cuda.cuh"
#include "kernels/operations/mttkrp/row_vectors.cuh"

#include "kernels/base/error.h"

#include <algorithm>

namespace kernels::mttkrp::gpu {
namespace {

constexpr unsigned blockThreads = 256;

template <class T> struct CooArguments {
    const Index* indices[maxOrder]; ///< of the other modes
    const T* rows[maxOrder];
    const Index* outRows;
    const T* values;
    T* out;
    Count entries;
    unsigned others, parts; ///< parts of 16 bytes a row has
};

/// A group of lanes takes an entry, a lane 16 bytes of its rows, and adds to the entry's row atomically.
template <class T, unsigned Lanes> __global__ void __launch_bounds__(blockThreads) cooKernel(const __grid_constant__ CooArguments<T> a)
{
    const unsigned part = blockIdx.y * Lanes + threadIdx.x % Lanes;
    if (part >= a.parts)
        return;
    const std::size_t stride = std::size_t{a.parts} * Part<T>::columns;
    const Count step = Count{gridDim.x} * blockThreads / Lanes;
    for (Count e = (Count{blockIdx.x} * blockThreads + threadIdx.x) / Lanes; e < a.entries; e += step) {
        const std::size_t column = std::size_t{part} * Part<T>::columns;
        Part<T> product = readThrough(a.rows[0] + a.indices[0][e] * stride + column);
        product.multiply(a.values[e]);
        for (unsigned k = 1; k < a.others; ++k)
            product.multiply(readThrough(a.rows[k] + a.indices[k][e] * stride + column));
        addAtomically(a.out + a.outRows[e] * stride + column, product);
    }
}

template <class T> class Coo final : public Operation<T> {
public:
    Coo(const EntryColumns<T>& entries, const cuda::Stream& stream)
        : m_entries(entries)
        , m_stream(stream)
    {
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        control.checkpoint();
        CUDA_CHECK(cudaMemsetAsync(out, 0, m_entries.dims[mode] * factors.stride * sizeof(T), m_stream));
        CooArguments<T> a{};
        for (unsigned n = 0; n < m_entries.dims.size(); ++n)
            if (n != mode) {
                a.indices[a.others] = m_entries.indices[n];
                a.rows[a.others++] = factors.rows[n];
            }
        a.outRows = m_entries.indices[mode];
        a.values = m_entries.values;
        a.out = out;
        a.entries = m_entries.entries;
        a.parts = static_cast<unsigned>(factors.stride / Part<T>::columns);
        if (a.entries == 0)
            return;
        a.parts <= 2 ? launch<2>(a) : a.parts <= 4 ? launch<4>(a) : launch<8>(a);
    }

    std::uint64_t bytes() const override { return m_entries.entries * (m_entries.dims.size() * sizeof(Index) + sizeof(T)); }

private:
    template <unsigned Lanes> void launch(const CooArguments<T>& a) const
    {
        constexpr Count mostBlocks = 1 << 20;
        const Count blocks = std::min(mostBlocks, (a.entries * Lanes + blockThreads - 1) / blockThreads);
        const dim3 grid(static_cast<unsigned>(blocks), (a.parts + Lanes - 1) / Lanes);
        cooKernel<T, Lanes><<<grid, blockThreads, 0, m_stream>>>(a);
        CUDA_CHECK_LAUNCH();
    }

    EntryColumns<T> m_entries;
    const cuda::Stream& m_stream;
};

} // namespace

template <class T> Made<T> makeCoo(const EntryColumns<T>& entries, const Settings& settings, RunControl&, const cuda::Stream& stream)
{
    if (settings.deterministic)
        throw Error(ErrorKind::BadArgument, {"coo on a GPU adds entries in no certain order", "format", "coo, deterministic", "runs", {}});
    return std::make_unique<Coo<T>>(entries, stream);
}
template Made<float> makeCoo(const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeCoo(const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
