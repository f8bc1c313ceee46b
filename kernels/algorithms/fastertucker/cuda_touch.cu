// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_lanes.cuh"

namespace kernels::fastertucker::gpu {
namespace {

/// A thread has four columns of a fibre's rows: of those that its leaves share once, or (not reuse) once a leaf, and of each leaf's own.
template <Precision P>
__global__ void __launch_bounds__(blockThreads)
    touchFibresKernel(const __grid_constant__ Fibres<P> f, unsigned chunk, Count begin, Count end)
{
    using T = typename Numbers<P>::T;
    const auto& p = f.problem;
    const unsigned quads = p.width / 4;
    const Count step = Count{gridDim.x} * blockThreads;
    for (Count i = Count{blockIdx.x} * blockThreads + threadIdx.x; i < (end - begin) * chunk * quads; i += step) {
        const Count fibre = (begin + i / (chunk * quads)) * f.stride % f.chunks * chunk + i / quads % chunk;
        if (fibre >= f.count)
            continue;
        const unsigned column = 4 * static_cast<unsigned>(i % quads);
        const auto readOthers = [&] {
            for (unsigned k = 0; k < p.others; ++k)
                readOnly4(p.projections[k] + std::size_t{p.indices[k][fibre]} * p.width + column);
        };
        const auto touch = [&](const Index* leaf, const T* value) {
            [[maybe_unused]] const T read = *static_cast<const volatile T*>(value);
            touch4(p.rows + std::size_t{*leaf} * p.width + column);
        };
        readOthers();
        touch(f.firstLeaves + fibre, f.firstValues + fibre);
        for (std::uint32_t leaf = f.restBegins[fibre]; leaf < f.restBegins[fibre + 1]; ++leaf) {
            if (!f.reuse)
                readOthers();
            touch(f.restLeaves + leaf, f.restValues + leaf);
        }
    }
}

} // namespace

template <Precision P> void launchTouchFibres(const Fibres<P>& fibres, Count begin, Count end, cudaStream_t stream)
{
    const unsigned chunk = fibreGrid<P>(fibres.problem.width, fibres.problem.others).chunk;
    const Count threads = (end - begin) * chunk * (fibres.problem.width / 4);
    const Count blocks = std::min<Count>((threads + blockThreads - 1) / blockThreads, residentBlocks(touchFibresKernel<P>));
    touchFibresKernel<<<static_cast<unsigned>(blocks), blockThreads, 0, stream>>>(fibres, chunk, begin, end);
    CUDA_CHECK_LAUNCH();
}
template void launchTouchFibres(const Fibres<Precision::Fp32>&, Count, Count, cudaStream_t);
template void launchTouchFibres(const Fibres<Precision::Fp64>&, Count, Count, cudaStream_t);
template void launchTouchFibres(const Fibres<Precision::Tf32>&, Count, Count, cudaStream_t);
template void launchTouchFibres(const Fibres<Precision::Fp16>&, Count, Count, cudaStream_t);
template void launchTouchFibres(const Fibres<Precision::Bf16>&, Count, Count, cudaStream_t);

} // namespace kernels::fastertucker::gpu
