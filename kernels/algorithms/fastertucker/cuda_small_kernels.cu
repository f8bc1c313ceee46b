// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_lanes.cuh"

namespace kernels::fastertucker::gpu {
namespace {

/// A thread owns Side × Side elements of the Width × Width sum; chunks go through shared memory, some at a time.
template <class T, unsigned Width>
__global__ void __launch_bounds__(blockThreads)
    addOuterKernel(const RowChunk* chunks, Count count, const T* rows, const T* sums, double* partials)
{
    constexpr unsigned side = Width / 16, staged = 2048 / Width;
    __shared__ T a[staged][Width], z[staged][Width];
    const unsigned firstRow = threadIdx.x / 16 * side, firstColumn = threadIdx.x % 16 * side;
    T total[side][side] = {};
    const Count share = (count + gridDim.x - 1) / gridDim.x;
    const Count last = min(count, (blockIdx.x + 1) * share);
    for (Count first = blockIdx.x * share; first < last; first += staged) {
        for (unsigned i = threadIdx.x; i < staged * Width; i += blockThreads) {
            const Count chunk = first + i / Width;
            const bool there = chunk < last;
            a[i / Width][i % Width] = there ? rows[std::size_t{chunks[chunk].row} * Width + i % Width] : T(0);
            z[i / Width][i % Width] = there ? sums[chunk * Width + i % Width] : T(0);
        }
        __syncthreads();
#pragma unroll 4
        for (unsigned k = 0; k < staged; ++k)
#pragma unroll
            for (unsigned j = 0; j < side; ++j)
#pragma unroll
                for (unsigned r = 0; r < side; ++r)
                    total[j][r] += a[k][firstRow + j] * z[k][firstColumn + r];
        __syncthreads();
    }
#pragma unroll
    for (unsigned j = 0; j < side; ++j)
#pragma unroll
        for (unsigned r = 0; r < side; ++r)
            partials[std::size_t{blockIdx.x} * Width * Width + (firstRow + j) * Width + firstColumn + r] +=
                static_cast<double>(total[j][r]);
}

template <class T, class S>
__global__ void __launch_bounds__(blockThreads)
    projectKernel(S* projections, const T* rows, const T* core, std::size_t quads, unsigned width, T scale)
{
    const std::size_t step = std::size_t{gridDim.x} * blockThreads;
    for (std::size_t i = std::size_t{blockIdx.x} * blockThreads + threadIdx.x; i < quads; i += step) {
        const T* const row = rows + i / (width / 4) * width;
        const T* columns = core + 4 * (i % (width / 4));
        Vec4<T> c = {};
        for (unsigned k = 0; k < width; ++k, columns += width) {
            const Vec4<T> b = fetch(columns);
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                c[x] += row[k] * b[x];
        }
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            c[x] *= scale;
        keep(projections + 4 * i, c);
    }
}

template <class T> __global__ void gramKernel(T* gram, const T* core, unsigned width)
{
    T sum = 0;
    for (unsigned j = 0; j < width; ++j)
        sum += core[j * width + blockIdx.x] * core[j * width + threadIdx.x];
    gram[blockIdx.x * width + threadIdx.x] = sum;
}

} // namespace

template <class T>
void launchAddOuter(const RowChunk* chunks, Count begin, Count end, const T* rows, const T* sums, unsigned width, unsigned blocks,
                    double* partials, cudaStream_t stream)
{
    const auto kernel = width == 16 ? addOuterKernel<T, 16>
        : width == 32               ? addOuterKernel<T, 32>
        : width == 64               ? addOuterKernel<T, 64>
                                    : addOuterKernel<T, 128>;
    kernel<<<blocks, blockThreads, 0, stream>>>(chunks + begin, end - begin, rows, sums, partials);
    CUDA_CHECK_LAUNCH();
}

template <class T, class S>
void launchProject(S* projections, const T* rows, const T* core, std::size_t count, unsigned width, T scale, cudaStream_t stream)
{
    const std::size_t quads = count * (width / 4);
    const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>((quads + blockThreads - 1) / blockThreads, 1, 1 << 16));
    projectKernel<<<blocks, blockThreads, 0, stream>>>(projections, rows, core, quads, width, scale);
    CUDA_CHECK_LAUNCH();
}

template <class T> void launchGram(T* gram, const T* core, unsigned width, cudaStream_t stream)
{
    gramKernel<<<width, width, 0, stream>>>(gram, core, width);
    CUDA_CHECK_LAUNCH();
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template void launchAddOuter(const RowChunk*, Count, Count, const T*, const T*, unsigned, unsigned, double*, cudaStream_t);            \
    template void launchGram(T*, const T*, unsigned, cudaStream_t);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES
template void launchProject(float*, const float*, const float*, std::size_t, unsigned, float, cudaStream_t);
template void launchProject(__half*, const float*, const float*, std::size_t, unsigned, float, cudaStream_t);
template void launchProject(__nv_bfloat16*, const float*, const float*, std::size_t, unsigned, float, cudaStream_t);
template void launchProject(double*, const double*, const double*, std::size_t, unsigned, double, cudaStream_t);

} // namespace kernels::fastertucker::gpu
