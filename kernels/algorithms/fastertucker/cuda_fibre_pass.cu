// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_lanes.cuh"

namespace kernels::fastertucker::gpu {
namespace {

/// Fibres that a warp takes together: four a group.
template <unsigned Lanes> constexpr unsigned fibresTogether = 4 * (32 / Lanes);

/// d = B w of four fibres, so that a row of B is read once for them; fibres past the last are computed for nothing.
template <unsigned Lanes, unsigned Others, class T, class S>
__device__ __forceinline__ void deriveFour(const Group<Lanes>& group, const RowArguments<T, S>& p, Count first, Count last, Vec4<T> (&d)[4])
{
    const unsigned column = 4 * group.thread_rank();
    Vec4<T> w[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        w[i] = multiplyOthers<Lanes, Others>(p, column, [&](unsigned k) { return p.indices[k][min(first + i, last)]; });
        d[i] = {};
    }
    const T* row = p.returning + column;
    for (unsigned q = 0; q < (p.coreRank + 3) / 4; ++q)
#pragma unroll
        for (unsigned x = 0; x < 4; ++x, row += 4 * Lanes) {
            const Vec4<T> b = fetch(row);
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) {
                const T by = group.shfl(w[i][x], q);
#pragma unroll
                for (unsigned y = 0; y < 4; ++y)
                    d[i][y] += by * b[y];
            }
        }
}

/// A pass over the fibres of a tree whose leaves are the rows of one mode: w and d = B w of a fibre (or, not Reuse, of each of its
/// leaves), then of each leaf a ← a − γ (e d + λ a), e = a·d − x.
///
/// A warp takes some fibres, leaves their d in shared memory and deals their leaves to its groups, so that short and long fibres
/// keep all lanes busy; the leaves of a fibre are different rows. Bytes: 4N a fibre, 4 + sizeof(T) a leaf from memory; N − 1
/// projected rows a fibre and a row of A a leaf, read and added to.
template <class T, class S, unsigned Lanes, unsigned Others, bool Reuse>
__global__ void __launch_bounds__(blockThreads, 4)
    updateFibresKernel(const __grid_constant__ Fibres<T, S> fibres, const __grid_constant__ RowStep<T> s, Count begin, Count end,
                       Count warps)
{
    constexpr unsigned together = fibresTogether<Lanes>, groups = 32 / Lanes, width = 4 * Lanes;
    __shared__ std::uint32_t allBegins[blockThreads / 32][together + 1];
    __shared__ __align__(16) T allProducts[Reuse ? blockThreads / 32 : 1][Reuse ? together : 1][width];
    const Group<Lanes> group = thisGroup<Lanes>();
    const unsigned column = 4 * group.thread_rank(), warp = threadIdx.x / 32, lane = threadIdx.x % 32, number = lane / Lanes;
    const RowArguments<T, S>& p = fibres.problem;
    std::uint32_t* const begins = allBegins[warp];
    const Count warpNumber = Count{blockIdx.x} * (blockThreads / 32) + warp;
    for (Count first = begin + warpNumber * together; first < end && warpNumber < warps; first += warps * together) {
        for (unsigned i = lane; i <= together; i += 32)
            begins[i] = fibres.begins[min(first + i, end)];
        if constexpr (Reuse) {
            Vec4<T> d[4];
            deriveFour<Lanes, Others>(group, p, first + 4 * number, end - 1, d);
#pragma unroll
            for (unsigned i = 0; i < 4; ++i)
                store4(&allProducts[warp][4 * number + i][column], d[i]);
        }
        __syncwarp();
        for (std::uint32_t leaf = begins[0] + number; leaf < begins[together]; leaf += groups) {
            unsigned fibre = 0; // the last that begins at or before the leaf
#pragma unroll
            for (unsigned step = together / 2; step > 0; step /= 2)
                fibre += begins[fibre + step] <= leaf ? step : 0;
            const Index index = fibres.leaves[leaf];
            T* const row = p.rows + std::size_t{index} * width + column;
            const Vec4<T> a = fetchLatest(row);
            Vec4<T> d = {};
            if constexpr (Reuse) {
                d = load4(&allProducts[warp][fibre][column]);
            } else {
                const Vec4<T> w = multiplyOthers<Lanes, Others>(p, column, [&](unsigned k) { return p.indices[k][first + fibre]; });
                addProduct(group, d, T(1), w, p.returning, p.coreRank);
            }
            const T e = dot(group, a, d) - p.values[leaf];
            const T rate = rateOf(s, index);
            Vec4<T> change;
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                change[x] = -rate * (e * d[x] + s.lambda * a[x]);
            add4(row, change);
            if (s.nonnegative)
                clip4(row, change);
        }
        __syncwarp(); // what is in shared memory is read no more
    }
}

} // namespace

template <class T, class S>
void launchUpdateFibres(const Fibres<T, S>& fibres, const RowStep<T>& step, Count begin, Count end, unsigned mostGroups,
                        cudaStream_t stream)
{
    dispatchShape(fibres.problem.width, fibres.problem.others, [&](auto lanes, auto others) {
        const auto kernel =
            fibres.reuse ? updateFibresKernel<T, S, lanes(), others(), true> : updateFibresKernel<T, S, lanes(), others(), false>;
        constexpr unsigned perBlock = blockThreads / 32;
        const Count wanted = (end - begin + fibresTogether<lanes()> - 1) / fibresTogether<lanes()>;
        const Count most = std::max<Count>(mostGroups / (32 / lanes()), 1);
        const Count warps = std::min<Count>({wanted, most, Count{residentBlocks(kernel)} * perBlock});
        kernel<<<static_cast<unsigned>((warps + perBlock - 1) / perBlock), blockThreads, 0, stream>>>(fibres, step, begin, end, warps);
    });
    CUDA_CHECK_LAUNCH();
}

template <class T, class S> unsigned groupsOfFibres(unsigned width, unsigned others)
{
    unsigned groups = 0;
    dispatchShape(width, others, [&](auto lanes, auto number) {
        groups = residentBlocks(updateFibresKernel<T, S, lanes(), number(), true>) * (blockThreads / lanes());
    });
    return groups;
}

#define POLYAD_INSTANCES(T, S)                                                                                                             \
    template void launchUpdateFibres(const Fibres<T, S>&, const RowStep<T>&, Count, Count, unsigned, cudaStream_t);                        \
    template unsigned groupsOfFibres<T, S>(unsigned, unsigned);
POLYAD_INSTANCES(float, float)
POLYAD_INSTANCES(float, __half)
POLYAD_INSTANCES(float, __nv_bfloat16)
POLYAD_INSTANCES(double, double)
#undef POLYAD_INSTANCES

} // namespace kernels::fastertucker::gpu
