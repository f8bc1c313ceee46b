// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fastertucker/cuda_passes.cuh"

#include <cooperative_groups.h>

#include <algorithm>

/// What the passes do alike: a group of lanes owns a row, four columns a lane (fibres on tensor cores: four lanes a row, four of every 16
/// columns each).
namespace kernels::fastertucker::gpu {

using fasttucker_plus::gpu::add4;
using fasttucker_plus::gpu::clip4;
using fasttucker_plus::gpu::load4;
using fasttucker_plus::gpu::readOnly4;
using fasttucker_plus::gpu::store4;
using fasttucker_plus::gpu::touch4;
using fasttucker_plus::gpu::Vec4;

constexpr unsigned blockThreads = 256;

/// Four columns of a row that nobody writes meanwhile, from any precision into the masters'.
template <class T> __device__ __forceinline__ Vec4<T> fetch(const T* p)
{
    if constexpr (std::is_same_v<T, float>) {
        const float4 x = __ldg(reinterpret_cast<const float4*>(p));
        return {{x.x, x.y, x.z, x.w}};
    } else {
        const double2 x = __ldg(reinterpret_cast<const double2*>(p)), y = __ldg(reinterpret_cast<const double2*>(p) + 1);
        return {{x.x, x.y, y.x, y.y}};
    }
}
__device__ __forceinline__ Vec4<float> fetch(const __half* p)
{
    const uint2 x = __ldg(reinterpret_cast<const uint2*>(p));
    const float2 a = __half22float2(*reinterpret_cast<const __half2*>(&x.x)), b = __half22float2(*reinterpret_cast<const __half2*>(&x.y));
    return {{a.x, a.y, b.x, b.y}};
}
__device__ __forceinline__ Vec4<float> fetch(const __nv_bfloat16* p)
{
    const uint2 x = __ldg(reinterpret_cast<const uint2*>(p)); // a bf16 is the upper half of a float
    return {
        {__uint_as_float(x.x << 16), __uint_as_float(x.x & 0xFFFF0000u), __uint_as_float(x.y << 16), __uint_as_float(x.y & 0xFFFF0000u)}};
}

/// Four columns into the precision that is kept; what lies beyond fp16 becomes its largest number, what is no number stays none.
template <class T> __device__ __forceinline__ void keep(T* to, const Vec4<T>& x) { store4(to, x); }
__device__ __forceinline__ float withinHalf(float x)
{
    constexpr float most = 65504.0f;
#if __CUDA_ARCH__ >= 800
    float within;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(within) : "f"(x), "f"(-most));
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(within) : "f"(within), "f"(most));
    return within;
#else
    return x > most ? most : x < -most ? -most : x;
#endif
}
__device__ __forceinline__ void keep(__half* to, const Vec4<float>& x)
{
    const __half2 a = __floats2half2_rn(withinHalf(x[0]), withinHalf(x[1])), b = __floats2half2_rn(withinHalf(x[2]), withinHalf(x[3]));
    *reinterpret_cast<uint2*>(to) = {*reinterpret_cast<const unsigned*>(&a), *reinterpret_cast<const unsigned*>(&b)};
}
__device__ __forceinline__ void keep(__nv_bfloat16* to, const Vec4<float>& x)
{
    const __nv_bfloat162 a = __floats2bfloat162_rn(x[0], x[1]), b = __floats2bfloat162_rn(x[2], x[3]);
    *reinterpret_cast<uint2*>(to) = {*reinterpret_cast<const unsigned*>(&a), *reinterpret_cast<const unsigned*>(&b)};
}

/// Four columns of a row that others may be adding to: past L1, which would keep an old copy.
__device__ __forceinline__ Vec4<float> fetchLatest(const float* p)
{
    const float4 x = __ldcg(reinterpret_cast<const float4*>(p));
    return {{x.x, x.y, x.z, x.w}};
}
__device__ __forceinline__ Vec4<double> fetchLatest(const double* p)
{
    const double2 x = __ldcg(reinterpret_cast<const double2*>(p)), y = __ldcg(reinterpret_cast<const double2*>(p) + 1);
    return {{x.x, x.y, y.x, y.y}};
}

template <unsigned Lanes> using LaneGroup = cooperative_groups::thread_block_tile<Lanes>;
template <unsigned Lanes> __device__ __forceinline__ LaneGroup<Lanes> thisGroup()
{
    return cooperative_groups::tiled_partition<Lanes>(cooperative_groups::this_thread_block());
}
template <unsigned Lanes> __device__ __forceinline__ Count groupNumber()
{
    return (Count{blockIdx.x} * blockThreads + threadIdx.x) / Lanes;
}
template <unsigned Lanes> __device__ __forceinline__ Count groupCount() { return Count{gridDim.x} * (blockThreads / Lanes); }

template <unsigned Lanes, class T> __device__ __forceinline__ T dot(const LaneGroup<Lanes>& group, const Vec4<T>& a, const Vec4<T>& b)
{
    T sum = (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
#pragma unroll
    for (unsigned offset = Lanes / 2; offset > 0; offset /= 2)
        sum += group.shfl_xor(sum, offset);
    return sum;
}

/// out += factor · v M: v spread over the group, M of `depth` rows, this lane's four columns of it.
template <unsigned Lanes, class T>
__device__ __forceinline__ void addProduct(const LaneGroup<Lanes>& group, Vec4<T>& out, T factor, const Vec4<T>& v, const T* matrix,
                                           unsigned depth)
{
    const T* row = matrix + 4 * group.thread_rank();
    for (unsigned q = 0; q < (depth + 3) / 4; ++q) {
#pragma unroll
        for (unsigned x = 0; x < 4; ++x) {
            const T by = factor * group.shfl(v[x], q);
            const Vec4<T> m = fetch(row);
            row += 4 * Lanes;
#pragma unroll
            for (unsigned y = 0; y < 4; ++y)
                out[y] += by * m[y];
        }
    }
}

/// ∘ c^(k) as they are kept, four columns of rows of Width. Others: how many, or 0: known at run time only.
template <unsigned Width, unsigned Others, class T, class S, class IndexOf>
__device__ __forceinline__ Vec4<T> multiplyOthers(const RowArguments<T, S>& p, unsigned column, const IndexOf& indexOf)
{
    const auto row = [&](unsigned k) { return fetch(p.projections[k] + std::size_t{indexOf(k)} * Width + column); };
    Vec4<T> w = row(0);
    const unsigned others = Others ? Others : p.others;
#pragma unroll
    for (unsigned k = 1; k < others; ++k) {
        const Vec4<T> c = row(k);
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            w[x] *= c[x];
    }
    return w;
}
/// w from that product.
template <class T, class S> __device__ __forceinline__ void unscale(const RowArguments<T, S>& p, Vec4<T>& w)
{
    if constexpr (std::is_same_v<S, __half>)
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            w[x] *= p.productScale;
}
template <class T> __device__ __forceinline__ T rateOf(const RowStep<T>& s, Index row)
{
    return s.rowScales ? s.rate * static_cast<T>(__ldg(s.rowScales + row)) : s.rate;
}
/// Calls f with kernels' compile-time width.
template <class F> void dispatchWidth(unsigned width, const F& f)
{
    switch (width) {
    case 16:
        return f(std::integral_constant<unsigned, 16>{});
    case 32:
        return f(std::integral_constant<unsigned, 32>{});
    case 64:
        return f(std::integral_constant<unsigned, 64>{});
    default:
        return f(std::integral_constant<unsigned, 128>{});
    }
}
/// The same with the number of other modes, 0 for any but two.
template <class F> void dispatchShape(unsigned width, unsigned others, const F& f)
{
    dispatchWidth(width, [&](auto columns) {
        if (others == 2)
            f(columns, std::integral_constant<unsigned, 2>{});
        else
            f(columns, std::integral_constant<unsigned, 0>{});
    });
}

template <class Kernel> unsigned residentBlocks(Kernel kernel, unsigned threads = blockThreads)
{
    int device = 0, processors = 0, blocks = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), 0));
    return static_cast<unsigned>(std::max(blocks * processors, 1));
}

inline unsigned blocksFor(Count groups, unsigned lanes)
{
    const unsigned perBlock = blockThreads / lanes;
    return static_cast<unsigned>(std::max<Count>((groups + perBlock - 1) / perBlock, 1));
}

} // namespace kernels::fastertucker::gpu
