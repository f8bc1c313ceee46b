// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_evaluation.cuh"

#include "kernels/algorithms/fasttucker_plus/cuda_error_sums.cuh"
#include "kernels/device/check.cuh"

#include <algorithm>

namespace kernels::fasttucker_plus::gpu {
namespace {

constexpr unsigned blocksPerProcessor = 4;

/// A warp takes 32 entries: a lane loads one's indices and value, then teams of lanes, four columns each, go through them.
/// Order 0: known at run time only. Bytes a nonzero: 4N + sizeof(T) of the entry, read once, and N projected rows.
template <class T, unsigned Team, unsigned Order>
__global__ void __launch_bounds__(blockThreads, sizeof(T) == 4 ? blocksPerProcessor : 2)
    evaluateProjectedKernel(const __grid_constant__ ProjectedEvaluation<T> arguments)
{
    constexpr unsigned teams = warpSize32 / Team; // entries at once
    constexpr unsigned most = Order ? Order : maxOrder;
    constexpr unsigned inFlight = Order ? 4 : 2; // steps, by which gathers wait together
    const unsigned lane = threadIdx.x % warpSize32;
    const unsigned column = 4 * (lane % Team);
    const std::uint64_t step = std::uint64_t{gridDim.x} * blockThreads;
    ErrorsOfThread<T> errors;
    for (std::uint64_t first = arguments.begin + std::uint64_t{blockIdx.x} * blockThreads + threadIdx.x - lane; first < arguments.end;
         first += step) {
        const std::uint64_t at = first + lane;
        const bool mine = at < arguments.end;
        Index rows[most];
#pragma unroll
        for (unsigned n = 0; n < most; ++n) {
            if (!Order && n >= arguments.order)
                break;
            rows[n] = mine ? __ldcs(arguments.indices[n] + at) : 0;
        }
        const T value = mine ? __ldcs(arguments.values + at) : T(0);

        T predicted = 0;
#pragma unroll(inFlight)
        for (unsigned k = 0; k < Team; ++k) {
            const unsigned entry = k * teams + lane / Team;
            Vec4<T> product;
#pragma unroll
            for (unsigned n = 0; n < most; ++n) {
                if (!Order && n >= arguments.order)
                    break;
                const Index row = __shfl_sync(~0U, rows[n], static_cast<int>(entry));
                Vec4<T> c = {};
                if (column < arguments.coreRank)
                    c = load4(arguments.projections[n] + std::size_t{row} * arguments.coreRank + column);
#pragma unroll
                for (unsigned x = 0; x < 4; ++x)
                    product[x] = n == 0 ? c[x] : product[x] * c[x];
            }
            T sum = (product[0] + product[1]) + (product[2] + product[3]);
#pragma unroll
            for (unsigned apart = Team / 2; apart > 0; apart /= 2)
                sum += __shfl_xor_sync(~0U, sum, apart);
            const T ofMine = __shfl_sync(~0U, sum, static_cast<int>(lane % teams * Team));
            if (lane / teams == k)
                predicted = ofMine;
        }
        if (mine)
            errors.add(value - predicted);
    }
    __shared__ double scratch[2 * blockThreads / warpSize32];
    errors.addToBlocks(scratch, arguments.partials);
}

template <class T> using Kernel = void (*)(ProjectedEvaluation<T>);

template <class T, unsigned Team> Kernel<T> kernelOfTeams(unsigned order)
{
    return order == 3 ? evaluateProjectedKernel<T, Team, 3> : evaluateProjectedKernel<T, Team, 0>;
}

/// So many lanes that each has four columns.
template <class T> Kernel<T> kernelFor(unsigned order, unsigned coreRank)
{
    return coreRank <= 16 ? kernelOfTeams<T, 4>(order)
        : coreRank <= 32  ? kernelOfTeams<T, 8>(order)
        : coreRank <= 64  ? kernelOfTeams<T, 16>(order)
                          : kernelOfTeams<T, 32>(order);
}

} // namespace

unsigned evaluationBlocks()
{
    int device = 0, processors = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    return static_cast<unsigned>(processors) * blocksPerProcessor;
}

Count entriesPerEvaluation(unsigned order, unsigned coreRank)
{
    constexpr Count gathered = Count{10'000'000'000}; // numbers
    return std::max<Count>(gathered / order / coreRank / blockThreads, 1) * blockThreads;
}

template <class T> void launchEvaluation(const ProjectedEvaluation<T>& arguments, cudaStream_t stream)
{
    const Count entries = arguments.end - arguments.begin;
    const auto blocks = static_cast<unsigned>(std::min<Count>((entries + blockThreads - 1) / blockThreads, evaluationBlocks()));
    kernelFor<T>(arguments.order, arguments.coreRank)<<<blocks, blockThreads, 0, stream>>>(arguments);
    CUDA_CHECK_LAUNCH();
}

template void launchEvaluation(const ProjectedEvaluation<float>&, cudaStream_t);
template void launchEvaluation(const ProjectedEvaluation<double>&, cudaStream_t);

} // namespace kernels::fasttucker_plus::gpu
