// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_sgd/cuda_steps.cuh"

#include "kernels/operations/core_contraction/fours.cuh"

#include <algorithm>

/// A worker is some neighbouring lanes of a warp, each with fours of its entry's rows: read past the caches that multiprocessors have for
/// themselves, where other workers' steps are not seen, and added to where all have them.
namespace kernels::cp_sgd::gpu {
namespace {

using core_contraction::gpu::Four;
using fasttucker_plus::visitingBlock;

constexpr unsigned threads = 128, mostLanes = 32;
constexpr unsigned whole = 0xFFFFFFFF; ///< warps

unsigned lanesFor(unsigned stride)
{
    unsigned lanes = 1;
    while (lanes < mostLanes && lanes * 4 < stride)
        lanes *= 2;
    return lanes;
}

__device__ Four<float> readShared(const float* from)
{
    const float4 v = __ldcg(reinterpret_cast<const float4*>(from));
    return {{v.x, v.y, v.z, v.w}};
}
__device__ Four<double> readShared(const double* from)
{
    const double2 v = __ldcg(reinterpret_cast<const double2*>(from)), w = __ldcg(reinterpret_cast<const double2*>(from) + 1);
    return {{v.x, v.y, w.x, w.y}};
}

__device__ void addShared(float* to, const Four<float>& change)
{
#if __CUDA_ARCH__ >= 900
    atomicAdd(reinterpret_cast<float4*>(to), make_float4(change.x[0], change.x[1], change.x[2], change.x[3]));
#else
    for (unsigned k = 0; k < 4; ++k)
        atomicAdd(to + k, change.x[k]);
#endif
}
__device__ void addShared(double* to, const Four<double>& change)
{
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
        atomicAdd(to + k, change.x[k]);
}

/// Four numbers of an entry's rows, at most `Most` of them.
template <class T, unsigned Most> struct Numbers {
    static constexpr unsigned unrolled = Most <= 4 ? Most : 1;
    Four<T> own[Most], others[Most]; ///< and the products of the other rows

    __device__ void take(const StepArguments<T>& a, T* const* rows, unsigned from)
    {
        Four<T> product{{1, 1, 1, 1}};
#pragma unroll(unrolled)
        for (unsigned n = 0; n < Most; ++n)
            if (n < a.order) {
                own[n] = a.stride == 1 ? Four<T>{{__ldcg(rows[n]), 0, 0, 0}} : readShared(rows[n] + from);
                others[n] = product;
                multiply(product, own[n]);
            }
        product = {{1, 1, 1, 1}};
#pragma unroll(unrolled)
        for (unsigned n = Most; n-- > 0;)
            if (n < a.order) {
                multiply(others[n], product);
                multiply(product, own[n]);
            }
    }

private:
    __device__ static void multiply(Four<T>& to, const Four<T>& by)
    {
#pragma unroll
        for (unsigned k = 0; k < 4; ++k)
            to.x[k] *= by.x[k];
    }
};

template <class T, unsigned Most> __device__ void stepEntry(const StepArguments<T>& a, Count e, bool inside, unsigned lanes)
{
    using Own = Numbers<T, Most>;
    const unsigned first = threadIdx.x % lanes * 4, apart = lanes * 4;
    Own numbers;
    T* rows[Most];
    T rates[Most], predicted = 0, slope = 0;
    if (inside) {
#pragma unroll(Own::unrolled)
        for (unsigned n = 0; n < Most; ++n)
            if (n < a.order) {
                const Index row = a.columns[n][e];
                rows[n] = a.rows[n] + std::size_t{row} * a.stride;
                rates[n] = a.scales[n] ? a.rates[n] * static_cast<T>(a.scales[n][row]) : a.rates[n];
            }
        for (unsigned from = first; from < a.stride; from += apart) {
            numbers.take(a, rows, from);
#pragma unroll
            for (unsigned k = 0; k < 4; ++k)
                predicted += numbers.own[0].x[k] * numbers.others[0].x[k];
            if (a.cap > 0)
#pragma unroll(Own::unrolled)
                for (unsigned n = 0; n < Most; ++n)
                    if (n < a.order)
#pragma unroll
                        for (unsigned k = 0; k < 4; ++k)
                            slope += rates[n] * numbers.others[n].x[k] * numbers.others[n].x[k];
        }
    }
    for (unsigned other = 1; other < lanes; other *= 2) {
        predicted += __shfl_xor_sync(whole, predicted, other);
        slope += __shfl_xor_sync(whole, slope, other);
    }
    if (!inside)
        return;
    const T error = predicted - a.values[e], scale = a.cap > 0 && slope > a.cap ? a.cap / slope : T(1);
    for (unsigned from = first; from < a.stride; from += apart) {
        if (apart < a.stride)
            numbers.take(a, rows, from);
#pragma unroll(Own::unrolled)
        for (unsigned n = 0; n < Most; ++n)
            if (n < a.order) {
                const T rate = -scale * rates[n];
                Four<T> change;
#pragma unroll
                for (unsigned k = 0; k < 4; ++k)
                    change.x[k] = rate * (error * numbers.others[n].x[k] + a.lambda * numbers.own[n].x[k]);
                if (a.stride == 1)
                    atomicAdd(rows[n], change.x[0]);
                else
                    addShared(rows[n] + from, change);
            }
    }
}

template <class T, unsigned Most>
__global__ void __launch_bounds__(threads) stepKernel(const __grid_constant__ StepArguments<T> a, Count first, Count end, unsigned lanes)
{
    const Count worker = (Count{blockIdx.x} * threads + threadIdx.x) / lanes;
    for (Count round = first; round < end; round += a.workers) {
        const Count stretch = round + worker, visited = stretch * visitingBlock;
        const bool mine = worker < a.workers && stretch < end;
        if (!__any_sync(whole, mine))
            return; // nor has it any later
        const Count begin = mine ? a.visits.at(visited) : 0;
        const Count left = mine ? a.visits.entries - visited : 0;
        for (unsigned i = 0; i < visitingBlock; ++i)
            stepEntry<T, Most>(a, begin + i, i < left, lanes);
    }
}

} // namespace

template <class T> void stepStretches(const StepArguments<T>& a, Count first, Count end, const cuda::Stream& stream)
{
    const unsigned lanes = lanesFor(a.stride), ofBlock = threads / lanes, blocks = (a.workers + ofBlock - 1) / ofBlock;
    if (a.order <= 4)
        stepKernel<T, 4><<<blocks, threads, 0, stream>>>(a, first, end, lanes);
    else
        stepKernel<T, maxOrder><<<blocks, threads, 0, stream>>>(a, first, end, lanes);
    CUDA_CHECK_LAUNCH();
}

template void stepStretches(const StepArguments<float>&, Count, Count, const cuda::Stream&);
template void stepStretches(const StepArguments<double>&, Count, Count, const cuda::Stream&);

} // namespace kernels::cp_sgd::gpu
