// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/core_contraction/split.cuh"
#include "kernels/operations/core_contraction/tensor_deltas.cuh"
#include "kernels/operations/core_contraction/tensor_products.cuh"

#include <algorithm>
#include <type_traits>

namespace kernels::core_contraction::gpu {
namespace {

constexpr unsigned threads = 128; ///< and entries of a block
constexpr unsigned tilesOfWarp = 2; ///< of 16 entries each
constexpr std::size_t coreBytes = std::size_t{16} << 10; ///< of the core, brought to shared memory at once

/// Product of an entry's numbers at outer positions, the last of which goes fastest: what the others give is kept while it goes on.
class OuterWeights {
public:
    __device__ OuterWeights(const Contraction<float>& c, const Split& split, const float* rows)
        : m_contraction(c)
        , m_last(split.inner - 1)
        , m_lastRank(c.positions[m_last].rank)
        , m_rows(rows)
        , m_lastRow(split.outerRanks - m_lastRank)
    {
    }

    /// Before every number, the first included.
    __device__ void next()
    {
        if (m_place + 1 < m_lastRank && m_prefix > 0) {
            ++m_place;
            return;
        }
        m_place = 0;
        unsigned rest = m_prefix++, at = m_lastRow;
#pragma unroll
        for (float& product : m_products)
            product = 1;
        for (unsigned p = m_last; p-- > 0;) {
            const unsigned rank = m_contraction.positions[p].rank, place = p == 0 ? rest : rest % rank;
            rest /= rank;
            at -= rank;
#pragma unroll
            for (unsigned n = 0; n < entries; ++n)
                m_products[n] *= m_rows[(at + place) * threads + 8 * n];
        }
    }
    /// Of the n-th of the lane's entries.
    __device__ float operator()(unsigned n) const { return m_products[n] * m_rows[(m_lastRow + m_place) * threads + 8 * n]; }

private:
    static constexpr unsigned entries = 2 * tilesOfWarp; ///< of a lane: 8 apart

    const Contraction<float>& m_contraction;
    unsigned m_last, m_lastRank;
    const float* m_rows; ///< [number][entry], from the lane's first entry on
    unsigned m_lastRow, m_place = 0, m_prefix = 0;
    float m_products[entries] = {};
};

/// A block: 128 entries (x) and some columns (y). For every number of an entry's outer product, its inner product times the core's rows
/// below that number on tensor cores, then weighed by it.
template <Precision P, unsigned Steps, unsigned Tiles>
__global__ void __launch_bounds__(threads)
    tensorDeltasKernel(const __grid_constant__ Contraction<float> c, Split split, unsigned outersAtOnce, Count begin, Count end, float* to)
{
    extern __shared__ __align__(16) unsigned char sharedBytes[];
    using Operand = Operands<P>;
    constexpr unsigned step = Operand::step;
    uint2* const core = reinterpret_cast<uint2*>(sharedBytes); // [outer][step][tile][lane]: what a lane takes of it
    float* const inner = reinterpret_cast<float*>(core + outersAtOnce * Steps * Tiles * 32);
    float* const outer = inner + Steps * step * threads;
    const unsigned lane = threadIdx.x % 32, firstEntry = threadIdx.x / 32 * 32 + lane / 4, firstColumn = blockIdx.y * Tiles * 8;
    const Count first = begin + Count{blockIdx.x} * threads;
    const Count entry = min(first + threadIdx.x, end - 1);
    putProduct(c, split.inner, entry, inner + threadIdx.x, threads);
    for (unsigned i = split.innerNumbers; i < Steps * step; ++i)
        inner[i * threads + threadIdx.x] = 0;
    for (unsigned p = 0, at = 0; p < split.inner; at += c.positions[p].rank, ++p)
        putRow(c.positions[p], entry, outer + at * threads + threadIdx.x, threads);
    __syncthreads();
    unsigned a[tilesOfWarp][Steps][4];
#pragma unroll
    for (unsigned m = 0; m < tilesOfWarp; ++m)
#pragma unroll
        for (unsigned s = 0; s < Steps; ++s)
#pragma unroll
            for (unsigned i = 0; i < 4; ++i)
                a[m][s][i] = Operand::pack([&](unsigned next) {
                    return inner[(step * s + Operand::place(lane % 4, i / 2) + next) * threads + firstEntry + 16 * m + i % 2 * 8];
                });
    OuterWeights weights(c, split, outer + firstEntry);
    float sums[tilesOfWarp][Tiles][4] = {};
    for (unsigned firstOuter = 0; firstOuter < split.outerNumbers; firstOuter += outersAtOnce) {
        const unsigned outers = min(outersAtOnce, split.outerNumbers - firstOuter);
        const float* const from = c.core + std::size_t{firstOuter} * split.innerNumbers * c.openStride;
        const auto number = [&](unsigned outerNumber, unsigned v, unsigned column) {
            return v < split.innerNumbers && column < c.openStride
                ? from[(std::size_t{outerNumber} * split.innerNumbers + v) * c.openStride + column]
                : 0.F;
        };
        __syncthreads();
        for (unsigned i = threadIdx.x; i < outers * Steps * Tiles * 32; i += threads) {
            const unsigned piece = i / 32, column = firstColumn + piece % Tiles * 8 + lane / 4;
            const unsigned first = piece / Tiles % Steps * step, outerNumber = piece / Tiles / Steps;
            const auto half = [&](unsigned h) {
                return Operand::pack(
                    [&](unsigned next) { return number(outerNumber, first + Operand::place(lane % 4, h) + next, column); });
            };
            core[i] = {half(0), half(1)};
        }
        __syncthreads();
        for (unsigned o = 0; o < outers; ++o) {
            weights.next();
            float products[tilesOfWarp][Tiles][4] = {};
#pragma unroll
            for (unsigned s = 0; s < Steps; ++s)
#pragma unroll
                for (unsigned t = 0; t < Tiles; ++t) {
                    const uint2 b = core[((o * Steps + s) * Tiles + t) * 32 + lane];
#pragma unroll
                    for (unsigned m = 0; m < tilesOfWarp; ++m)
                        Operand::addProduct(products[m][t], a[m][s], b);
                }
#pragma unroll
            for (unsigned m = 0; m < tilesOfWarp; ++m) {
                const float upper = weights(2 * m), lower = weights(2 * m + 1);
#pragma unroll
                for (unsigned t = 0; t < Tiles; ++t)
#pragma unroll
                    for (unsigned i = 0; i < 4; ++i)
                        sums[m][t][i] += (i < 2 ? upper : lower) * products[m][t][i];
            }
        }
    }
#pragma unroll
    for (unsigned m = 0; m < tilesOfWarp; ++m)
#pragma unroll
        for (unsigned t = 0; t < Tiles; ++t)
#pragma unroll
            for (unsigned half = 0; half < 2; ++half) {
                const Count own = first + firstEntry + 16 * m + 8 * half;
                const unsigned column = firstColumn + 8 * t + lane % 4 * 2;
                if (own < end && column < c.openStride)
                    *reinterpret_cast<float2*>(to + (own - begin) * c.openStride + column) = {sums[m][t][2 * half],
                                                                                              sums[m][t][2 * half + 1]};
            }
}

/// Calls launch(std::integral_constant of the steps, of the columns' tiles).
template <Precision P, class Launch> void dispatchSteps(const Contraction<float>& c, const Split& split, const Launch& launch)
{
    using std::integral_constant;
    constexpr unsigned step = Operands<P>::step, most = innerMost / step;
    const unsigned steps = (split.innerNumbers + step - 1) / step;
    const auto with = [&](auto of) {
        if (c.openStride <= 8)
            launch(of, integral_constant<unsigned, 1>{});
        else
            launch(of, integral_constant<unsigned, 2>{});
    };
    if (steps <= 1)
        with(integral_constant<unsigned, 1>{});
    else if (steps <= 2)
        with(integral_constant<unsigned, 2>{});
    else if (steps <= 4 || most == 4)
        with(integral_constant<unsigned, 4>{});
    else
        with(integral_constant<unsigned, most>{});
}

struct Block {
    unsigned outersAtOnce;
    std::size_t sharedBytes;
};

Block blockOf(const Split& split, unsigned innerNumbers, unsigned perRegister, unsigned tiles)
{
    const std::size_t ofOuter = std::size_t{innerNumbers} / (8 * perRegister) * tiles * 32 * sizeof(uint2);
    const auto atOnce = static_cast<unsigned>(std::clamp<std::size_t>(coreBytes / ofOuter, 1, split.outerNumbers));
    return {atOnce, atOnce * ofOuter + std::size_t{innerNumbers + split.outerRanks} * threads * sizeof(float)};
}

template <Precision P> void deltasIn(const Contraction<float>& c, Count begin, Count end, float* to, const cuda::Stream& stream)
{
    const Split split = splitOf(c);
    dispatchSteps<P>(c, split, [&](auto steps, auto tiles) {
        constexpr unsigned ofInner = decltype(steps)::value, ofColumns = decltype(tiles)::value;
        const Block block = blockOf(split, ofInner * Operands<P>::step, Operands<P>::perRegister, ofColumns);
        constexpr auto kernel = tensorDeltasKernel<P, ofInner, ofColumns>;
        CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(block.sharedBytes)));
        const dim3 grid(static_cast<unsigned>((end - begin + threads - 1) / threads), (c.openStride + 8 * ofColumns - 1) / (8 * ofColumns));
        kernel<<<grid, threads, block.sharedBytes, stream>>>(c, split, block.outersAtOnce, begin, end, to);
        CUDA_CHECK_LAUNCH();
    });
}

} // namespace

bool onTensorCores(const Contraction<float>& c)
{
    constexpr std::size_t mostBytes = std::size_t{96} << 10;
    const Split split = splitOf(c);
    if (c.table || split.inner == 0 || split.innerNumbers > innerMost)
        return false;
    return blockOf(split, innerMost, 1, 2).sharedBytes <= mostBytes;
}

void tensorDeltas(const Contraction<float>& c, Precision precision, Count begin, Count end, float* to, const cuda::Stream& stream)
{
    if (begin == end)
        return;
    if (precision == Precision::Fp16)
        deltasIn<Precision::Fp16>(c, begin, end, to, stream);
    else if (precision == Precision::Bf16)
        deltasIn<Precision::Bf16>(c, begin, end, to, stream);
    else
        deltasIn<Precision::Tf32>(c, begin, end, to, stream);
}

} // namespace kernels::core_contraction::gpu
