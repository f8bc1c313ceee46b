// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/ttm_chain/chain_rows.cuh"

#include "kernels/device/transfer.cuh"

namespace kernels::ttm::gpu {
namespace {

/// What judge() has beside the chain's arguments.
template <class T> struct JudgeArguments {
    ChainArguments<T> chain;
    const Index* slices;
    const T* rootRows;
    unsigned rootColumns;
    const double* core;
    std::uint64_t width;
    double* scratch; ///< [block][width]
    double* partials; ///< [block][Σ (x̂ − x)², Σ |x̂ − x|, Σ x x̂], added to
};

/// A block takes segments in turn: the core contracted with the slice's row into its scratch (in cache), then a warp a fibre: what is
/// left of it contracted with the rows above, a column of the leaves' mode a lane, and with every leaf's row. All in fp64; the same
/// bits every time.
template <class T> __global__ void __launch_bounds__(threads) judgeKernel(JudgeArguments<T> j)
{
    __shared__ double sums[warps][3];
    const ChainArguments<T>& a = j.chain;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, columns = a.leafColumns;
    const unsigned width = lanesFor(columns), group = lane / width, column = lane % width, stepGroups = 32 / width;
    double* const rest = j.scratch + blockIdx.x * j.width;
    double squared = 0, absolute = 0, products = 0;
    for (std::uint32_t s = blockIdx.x; s < a.segmentCount; s += gridDim.x) {
        const Segment segment = a.segments[a.firstSegment + s];
        const T* const root = j.rootRows + std::size_t{j.slices[segment.row]} * j.rootColumns;
        for (std::uint64_t p = threadIdx.x; p < j.width; p += threads) {
            double sum = 0;
            for (unsigned i = 0; i < j.rootColumns; ++i)
                sum += static_cast<double>(root[i]) * j.core[i * j.width + p];
            rest[p] = sum;
        }
        __syncthreads();
        for (std::uint32_t fibre = segment.firstFibre + warp; fibre < segment.endFibre; fibre += warps) {
            double direction[columnsOfLane] = {};
            for (unsigned u = group; u < a.upperWidth; u += stepGroups) {
                const double k = upperProduct<double>(a, fibre, u);
#pragma unroll
                for (unsigned i = 0; i < columnsOfLane; ++i)
                    if (column + 32 * i < columns)
                        direction[i] += k * rest[std::uint64_t{u} * columns + column + 32 * i];
            }
            for (unsigned apart = width; apart < 32; apart *= 2)
#pragma unroll
                for (unsigned i = 0; i < columnsOfLane; ++i)
                    direction[i] += __shfl_xor_sync(0xFFFFFFFFU, direction[i], apart);
            const std::uint32_t begin = max(a.fibreBegins[fibre], segment.firstLeaf), end = min(a.fibreBegins[fibre + 1], segment.endLeaf);
            for (std::uint32_t first = begin; first < end; first += stepGroups) {
                const std::uint32_t e = first + group;
                double predicted = 0;
                if (e < end) {
                    const T* const row = a.leafRows + std::size_t{a.leaves[e]} * columns;
#pragma unroll
                    for (unsigned i = 0; i < columnsOfLane; ++i)
                        if (column + 32 * i < columns)
                            predicted += static_cast<double>(row[column + 32 * i]) * direction[i];
                }
                for (unsigned apart = 1; apart < width; apart *= 2)
                    predicted += __shfl_xor_sync(0xFFFFFFFFU, predicted, apart);
                if (e < end && column == 0) {
                    const auto x = static_cast<double>(a.values[e]);
                    const double error = predicted - x;
                    squared += error * error;
                    absolute += fabs(error);
                    products += x * predicted;
                }
            }
        }
        __syncthreads();
    }
    for (unsigned apart = 16; apart > 0; apart /= 2) {
        squared += __shfl_down_sync(0xFFFFFFFFU, squared, apart);
        absolute += __shfl_down_sync(0xFFFFFFFFU, absolute, apart);
        products += __shfl_down_sync(0xFFFFFFFFU, products, apart);
    }
    if (lane == 0) {
        sums[warp][0] = squared;
        sums[warp][1] = absolute;
        sums[warp][2] = products;
    }
    __syncthreads();
    if (threadIdx.x < 3) {
        double sum = 0;
        for (unsigned w = 0; w < warps; ++w)
            sum += sums[w][threadIdx.x];
        j.partials[3 * blockIdx.x + threadIdx.x] += sum;
    }
}

} // namespace

template <class T>
Judgement DeviceChain<T>::judge(const double* core, const std::vector<const T*>& factors, RunControl& control, const cuda::Stream& stream)
{
    JudgeArguments<T> j{};
    j.chain = argumentsFor(factors);
    j.slices = slices();
    j.rootRows = factors[m_tree.modeOrder.front()];
    j.rootColumns = m_ranks[m_tree.modeOrder.front()];
    j.core = core;
    j.width = m_width;
    j.scratch = m_scratch.data();
    j.partials = m_partials.data();
    CUDA_CHECK(cudaMemsetAsync(m_partials.data(), 0, m_partials.bytes(), stream));
    const auto all = static_cast<std::uint32_t>(m_segments.count());
    constexpr Count additions = Count{1} << 35; // some ten milliseconds a launch in fp64
    cuda::LaunchPacer pacer(stream, control);
    for (std::uint32_t s = 0; s < all; s += j.chain.segmentCount) {
        j.chain.firstSegment = s;
        j.chain.segmentCount = launchEnd(s, all, additions / m_width, 1 + j.rootColumns, m_judges) - s;
        judgeKernel<T><<<m_judges, threads, 0, stream>>>(j);
        CUDA_CHECK_LAUNCH();
        pacer.launched();
    }
    pacer.finish();
    std::vector<double> partials(m_partials.count());
    CUDA_CHECK(cudaMemcpyAsync(partials.data(), m_partials.data(), m_partials.bytes(), cudaMemcpyDeviceToHost, stream));
    stream.synchronize();
    Judgement sum;
    for (std::size_t i = 0; i < partials.size(); i += 3) {
        sum.squared += partials[i];
        sum.absolute += partials[i + 1];
        sum.products += partials[i + 2];
    }
    return sum;
}

template Judgement DeviceChain<float>::judge(const double*, const std::vector<const float*>&, RunControl&, const cuda::Stream&);
template Judgement DeviceChain<double>::judge(const double*, const std::vector<const double*>&, RunControl&, const cuda::Stream&);

} // namespace kernels::ttm::gpu
