// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/cuda_dense.cuh"
#include "kernels/operations/parted_products.cuh"

/// Dense products on tensor cores, of numbers in two parts each. 8 warps a block have a tile of 64 × 64, each 16 × 32 of it.
namespace kernels::cp_als::gpu {
namespace {

constexpr unsigned threads = 256, width = 64, blocksOfWarp = 4;

using parted::multiplyAdd;
using parted::Parted;
using parted::parted;

/// Where a thread's operands and results lie.
struct Place {
    unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    unsigned m = threadIdx.x / 32 % 4 * 16, n = threadIdx.x / 128 * 32; ///< the warp's first row and column in the tile

    /// Of result i of a block of 8 columns.
    __device__ unsigned row(unsigned i) const { return m + g + i / 2 * 8; }
    __device__ unsigned column(unsigned block, unsigned i) const { return n + block * 8 + 2 * t + i % 2; }
};

__global__ void __launch_bounds__(threads)
    multiplyTensorKernel(const Rows<float> to, const float* __restrict__ from, const float* __restrict__ by)
{
    constexpr unsigned depth = 32;
    __shared__ float left[width][depth + 4], right[depth][width + 8]; // no two lanes in one bank
    const Index firstRow = blockIdx.x * width;
    const unsigned firstColumn = blockIdx.y * width;
    const Place at;
    float sum[blocksOfWarp][4] = {};
    for (unsigned k = 0; k < to.rank; k += depth) {
        for (unsigned i = threadIdx.x; i < width * depth; i += threads) {
            const unsigned row = i / depth, column = i % depth;
            const bool inside = firstRow + row < to.count && k + column < to.rank;
            left[row][column] = inside ? from[std::size_t{firstRow + row} * to.stride + k + column] : 0;
        }
        for (unsigned i = threadIdx.x; i < depth * width; i += threads) {
            const unsigned row = i / width, column = i % width;
            const bool inside = k + row < to.rank && firstColumn + column < to.rank;
            right[row][column] = inside ? by[std::size_t{k + row} * to.stride + firstColumn + column] : 0;
        }
        __syncthreads();
#pragma unroll
        for (unsigned j = 0; j < depth; j += 8) {
            const Parted a[4] = {parted(left[at.m + at.g][j + at.t]), parted(left[at.m + at.g + 8][j + at.t]),
                                 parted(left[at.m + at.g][j + at.t + 4]), parted(left[at.m + at.g + 8][j + at.t + 4])};
#pragma unroll
            for (unsigned block = 0; block < blocksOfWarp; ++block) {
                const unsigned column = at.n + block * 8 + at.g;
                const Parted b[2] = {parted(right[j + at.t][column]), parted(right[j + at.t + 4][column])};
                multiplyAdd(sum[block], a, b);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned block = 0; block < blocksOfWarp; ++block)
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
            const Index row = firstRow + at.row(i);
            const unsigned column = firstColumn + at.column(block, i);
            if (row < to.count && column < to.rank)
                to.at[std::size_t{row} * to.stride + column] = sum[block][i];
        }
}

/// As gramKernel; fp32 sums of some rows go on in fp64.
__global__ void __launch_bounds__(threads) gramTensorKernel(const Rows<float> rows, Index rowsOfPart, double* parts)
{
    constexpr unsigned height = 32, heightsInSingle = 4;
    __shared__ float left[height][width + 8], right[height][width + 8];
    const GramTile tile = GramTile::mine();
    const bool diagonal = tile.row == tile.column;
    const Index begin = blockIdx.y * rowsOfPart, end = min(rows.count, begin + rowsOfPart);
    const Place at;
    double whole[blocksOfWarp][4] = {};
    float sum[blocksOfWarp][4] = {}, most = 0;
    unsigned heights = 0;
    const auto hand = [&] {
#pragma unroll
        for (unsigned i = 0; i < 4 * blocksOfWarp; ++i) {
            whole[i / 4][i % 4] += static_cast<double>(sum[i / 4][i % 4]);
            sum[i / 4][i % 4] = 0;
        }
    };
    for (Index first = begin; first < end; first += height) {
        for (unsigned i = threadIdx.x; i < height * width; i += threads) {
            const Index row = first + i / width;
            const unsigned column = i % width;
            const float* const from = rows.at + std::size_t{row} * rows.stride;
            const float x = row < end && tile.row * width + column < rows.rank ? from[tile.row * width + column] : 0;
            most = fmaxf(most, fabsf(x));
            left[i / width][column] = x;
            if (!diagonal)
                right[i / width][column] = row < end && tile.column * width + column < rows.rank ? from[tile.column * width + column] : 0;
        }
        __syncthreads();
        const float(&other)[height][width + 8] = diagonal ? left : right;
#pragma unroll
        for (unsigned j = 0; j < height; j += 8) {
            const Parted a[4] = {parted(left[j + at.t][at.m + at.g]), parted(left[j + at.t][at.m + at.g + 8]),
                                 parted(left[j + at.t + 4][at.m + at.g]), parted(left[j + at.t + 4][at.m + at.g + 8])};
#pragma unroll
            for (unsigned block = 0; block < blocksOfWarp; ++block) {
                const unsigned column = at.n + block * 8 + at.g;
                const Parted b[2] = {parted(other[j + at.t][column]), parted(other[j + at.t + 4][column])};
                multiplyAdd(sum[block], a, b);
            }
        }
        if (++heights % heightsInSingle == 0)
            hand();
        __syncthreads();
    }
    hand();
    double* const to = parts + std::size_t{blockIdx.y} * numbersOfPart(rows.rank);
#pragma unroll
    for (unsigned block = 0; block < blocksOfWarp; ++block)
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned row = tile.row * width + at.row(i), column = tile.column * width + at.column(block, i);
            if (row >= rows.rank || column > row)
                continue; // one of the two halves, so that nothing is written twice
            to[std::size_t{row} * rows.rank + column] = to[std::size_t{column} * rows.rank + row] = whole[block][i];
        }
    left[threadIdx.x / width][threadIdx.x % width] = most; // a thread's elements are of one column
    __syncthreads();
    const unsigned column = tile.row * width + threadIdx.x;
    if (diagonal && threadIdx.x < width && column < rows.rank) {
        for (unsigned i = 1; i < threads / width; ++i)
            most = fmaxf(most, left[i][threadIdx.x]);
        to[std::size_t{rows.rank} * rows.rank + column] = static_cast<double>(most);
    }
}

} // namespace

void multiplyRowsTensor(const Rows<float>& to, const float* from, const float* by, const cuda::Stream& stream)
{
    multiplyTensorKernel<<<dim3((to.count + width - 1) / width, (to.rank + width - 1) / width), threads, 0, stream>>>(to, from, by);
    CUDA_CHECK_LAUNCH();
}

void gramTensor(const Rows<float>& rows, Index rowsOfPart, unsigned parts, double* to, const cuda::Stream& stream)
{
    gramTensorKernel<<<dim3(gramTiles(rows.rank), parts), threads, 0, stream>>>(rows, rowsOfPart, to);
    CUDA_CHECK_LAUNCH();
}

} // namespace kernels::cp_als::gpu
