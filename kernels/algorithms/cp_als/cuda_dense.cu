// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/cuda_dense.cuh"

#include <algorithm>
#include <type_traits>

namespace kernels::cp_als::gpu {
namespace {

constexpr unsigned threads = 256, depth = 16;

/// A block multiplies so many rows and columns of the result, a thread 4 × 4 of them (2 × 2 of narrow ones), `depth` columns
/// of `from` at a time.
template <class T, unsigned Width>
__global__ void __launch_bounds__(threads) multiplyKernel(const Rows<T> to, const T* __restrict__ from, const T* __restrict__ by, bool add)
{
    constexpr unsigned own = Width / 16, height = 16 * own;
    __shared__ T left[depth][height + 1], right[depth][Width + 1];
    const Index firstRow = blockIdx.x * height;
    const unsigned firstColumn = blockIdx.y * Width, x = threadIdx.x % 16, y = threadIdx.x / 16;
    T sum[own][own] = {};
    for (unsigned k = 0; k < to.rank; k += depth) {
        for (unsigned i = threadIdx.x; i < height * depth; i += threads) {
            const unsigned row = i / depth, column = i % depth;
            const bool inside = firstRow + row < to.count && k + column < to.rank;
            left[column][row] = inside ? from[std::size_t{firstRow + row} * to.stride + k + column] : T(0);
        }
        for (unsigned i = threadIdx.x; i < depth * Width; i += threads) {
            const unsigned row = i / Width, column = i % Width;
            const bool inside = k + row < to.rank && firstColumn + column < to.rank;
            right[row][column] = inside ? by[std::size_t{k + row} * to.stride + firstColumn + column] : T(0);
        }
        __syncthreads();
#pragma unroll
        for (unsigned j = 0; j < depth; ++j) {
            T a[own], b[own];
#pragma unroll
            for (unsigned i = 0; i < own; ++i) {
                a[i] = left[j][y + 16 * i];
                b[i] = right[j][x + 16 * i];
            }
#pragma unroll
            for (unsigned i = 0; i < own; ++i)
#pragma unroll
                for (unsigned n = 0; n < own; ++n)
                    sum[i][n] = fma(a[i], b[n], sum[i][n]);
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < own; ++i)
#pragma unroll
        for (unsigned n = 0; n < own; ++n) {
            const Index row = firstRow + y + 16 * i;
            const unsigned column = firstColumn + x + 16 * n;
            if (row >= to.count || column >= to.rank)
                continue;
            T& element = to.at[std::size_t{row} * to.stride + column];
            element = add ? element + sum[i][n] : sum[i][n];
        }
}

/// A tile of AᵀA over a part of the rows. A warp sums 32 × 16 of a wide one, 16 × 16 of a narrow one, which `groups` of warps then
/// share. Rows come to shared memory once a tile, as doubles. Diagonal tiles find their columns' largest magnitudes on the way.
template <unsigned Width> struct GramWork {
    static constexpr unsigned warpRows = Width == 64 ? 32 : 16, warpColumns = 16;
    static constexpr unsigned across = Width / warpColumns, ofTile = Width / warpRows * across, groups = threads / 32 / ofTile;
    static constexpr unsigned height = Width == 16 ? 64 : 32; ///< rows at a time
    static constexpr unsigned padded = Width + 4; ///< no two lanes of half a warp in one bank
    double left[height][padded], right[height][padded];
    double total[groups > 1 ? Width* Width : 1];

    /// Element of the rows at hand that a thread brings; zero past the end.
    template <class T> __device__ static T element(const Rows<T>& rows, Index first, Index end, unsigned firstColumn, unsigned i)
    {
        const Index row = first + i / Width;
        const unsigned column = firstColumn + i % Width;
        return row < end && column < rows.rank ? rows.at[std::size_t{row} * rows.stride + column] : T(0);
    }
};

/// d += a · b of 8 × 4 and 4 × 8 doubles, which a warp holds: lane (g, t) has a(g, t), b(t, g) and two of d, from (g, 2t) on.
__device__ inline void multiplyAdd(double (&d)[2], double a, double b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
#else
    const unsigned lane = threadIdx.x % 32;
    for (unsigned k = 0; k < 4; ++k) {
        const double left = __shfl_sync(~0U, a, lane / 4 * 4 + k);
        for (unsigned i = 0; i < 2; ++i)
            d[i] = fma(left, __shfl_sync(~0U, b, (lane % 4 * 2 + i) * 4 + k), d[i]);
    }
#endif
}

template <class T, unsigned Width>
__global__ void __launch_bounds__(threads) gramKernel(const Rows<T> rows, Index rowsOfPart, double* parts)
{
    using Work = GramWork<Width>;
    constexpr unsigned groups = Work::groups, height = Work::height, down = Work::warpRows / 8, across = Work::warpColumns / 8;
    __shared__ Work work;
    const GramTile tile = GramTile::mine();
    const bool diagonal = tile.row == tile.column;
    const unsigned warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4, group = warp / Work::ofTile;
    const unsigned firstRow = warp % Work::ofTile / Work::across * Work::warpRows;
    const unsigned firstColumn = warp % Work::across * Work::warpColumns;
    const Index begin = blockIdx.y * rowsOfPart, end = min(rows.count, begin + rowsOfPart);
    double sum[down][across][2] = {};
    T most = 0;
    for (Index first = begin; first < end; first += height) {
#pragma unroll
        for (unsigned i = threadIdx.x; i < height * Width; i += threads) {
            const T element = Work::element(rows, first, end, tile.row * Width, i);
            work.left[i / Width][i % Width] = static_cast<double>(element);
            most = max(most, fabs(element));
            if (!diagonal)
                work.right[i / Width][i % Width] = static_cast<double>(Work::element(rows, first, end, tile.column * Width, i));
        }
        __syncthreads();
        const double(&right)[height][Work::padded] = diagonal ? work.left : work.right;
#pragma unroll 4
        for (unsigned j = group * 4; j < height; j += groups * 4) {
            double a[down], b[across];
#pragma unroll
            for (unsigned i = 0; i < down; ++i)
                a[i] = work.left[j + t][firstRow + 8 * i + g];
#pragma unroll
            for (unsigned n = 0; n < across; ++n)
                b[n] = right[j + t][firstColumn + 8 * n + g];
#pragma unroll
            for (unsigned i = 0; i < down; ++i)
#pragma unroll
                for (unsigned n = 0; n < across; ++n)
                    multiplyAdd(sum[i][n], a[i], b[n]);
        }
        __syncthreads();
    }
    const auto forEachSum = [&](const auto& visit) {
#pragma unroll
        for (unsigned i = 0; i < down; ++i)
#pragma unroll
            for (unsigned n = 0; n < across; ++n)
#pragma unroll
                for (unsigned k = 0; k < 2; ++k)
                    visit(firstRow + 8 * i + g, firstColumn + 8 * n + 2 * t + k, sum[i][n][k]);
    };
    for (unsigned other = 1; other < groups; ++other) { // one group after another, so that sums have the same bits every time
        if (group == other)
            forEachSum([&](unsigned row, unsigned column, double& own) { work.total[row * Width + column] = own; });
        __syncthreads();
        if (group == 0)
            forEachSum([&](unsigned row, unsigned column, double& own) { own += work.total[row * Width + column]; });
        __syncthreads();
    }
    double* const to = parts + std::size_t{blockIdx.y} * numbersOfPart(rows.rank);
    if (group == 0)
        forEachSum([&](unsigned rowOfTile, unsigned columnOfTile, double& own) {
            const unsigned row = tile.row * Width + rowOfTile, column = tile.column * Width + columnOfTile;
            if (row < rows.rank && column <= row) // one of the two halves, so that nothing is written twice
                to[std::size_t{row} * rows.rank + column] = to[std::size_t{column} * rows.rank + row] = own;
        });
    work.left[threadIdx.x / Width][threadIdx.x % Width] = static_cast<double>(most); // a thread's elements are of one column
    __syncthreads();
    const unsigned column = tile.row * Width + threadIdx.x;
    if (diagonal && threadIdx.x < Width && column < rows.rank) {
        double largest = 0;
        for (unsigned i = 0; i < threads / Width; ++i)
            largest = fmax(largest, work.left[i][threadIdx.x]);
        to[std::size_t{rows.rank} * rows.rank + column] = largest;
    }
}

constexpr unsigned joined = 16; ///< numbers a block joins, by as many threads each

/// Numbers of every part after another: sums of the first `summed`, the largest of the others.
__global__ void __launch_bounds__(threads)
    joinKernel(const double* __restrict__ parts, unsigned count, unsigned numbers, unsigned summed, double* to)
{
    __shared__ double of[threads / joined][joined + 1];
    const unsigned x = threadIdx.x % joined, y = threadIdx.x / joined, number = blockIdx.x * joined + x;
    double found = 0;
    if (number < numbers) {
#pragma unroll 8
        for (unsigned part = y; part < count; part += threads / joined) {
            const double next = parts[std::size_t{part} * numbers + number];
            found = number < summed ? found + next : fmax(found, next);
        }
    }
    of[y][x] = found;
    __syncthreads();
    if (y > 0 || number >= numbers)
        return;
    for (unsigned i = 1; i < threads / joined; ++i)
        found = number < summed ? found + of[i][x] : fmax(found, of[i][x]);
    to[number] = found;
}

template <class T> __global__ void __launch_bounds__(threads) scaleKernel(const Rows<T> rows, const double* by)
{
    const Count elements = Count{rows.count} * rows.stride, step = Count{gridDim.x} * threads;
    const auto further = static_cast<unsigned>(step % rows.stride); // a division an element would take longer than the rest
    Count i = Count{blockIdx.x} * threads + threadIdx.x;
    for (auto column = static_cast<unsigned>(i % rows.stride); i < elements; i += step) {
        if (column < rows.rank)
            rows.at[i] = static_cast<T>(static_cast<double>(rows.at[i]) * by[column]);
        column += further;
        column -= column < rows.stride ? 0 : rows.stride;
    }
}

/// Three sums of a block's threads, of those of every `step`th lane that have any, into three numbers.
template <class Write> __device__ void sumOfBlock(double first, double second, double third, unsigned step, const Write& write)
{
    __shared__ double sums[3][threads];
    sums[0][threadIdx.x] = first;
    sums[1][threadIdx.x] = second;
    sums[2][threadIdx.x] = third;
    __syncthreads();
    if (threadIdx.x >= 3)
        return;
    double sum = 0;
    for (unsigned t = 0; t < threads; t += step)
        sum += sums[threadIdx.x][t];
    write(threadIdx.x, sum);
}

template <class T>
__global__ void __launch_bounds__(threads)
    overlapKernel(const Rows<T> rows, const T* __restrict__ products, const double* __restrict__ weights, double* partials)
{
    double sum = 0, magnitudes = 0;
    const Count elements = Count{rows.count} * rows.stride;
    for (Count i = Count{blockIdx.x} * threads + threadIdx.x; i < elements; i += Count{gridDim.x} * threads)
        if (const unsigned column = static_cast<unsigned>(i % rows.stride); column < rows.rank) {
            const double term = weights[column] * static_cast<double>(rows.at[i]) * static_cast<double>(products[i]);
            sum += term;
            magnitudes += fabs(term);
        }
    sumOfBlock(0, magnitudes, sum, 1, [&](unsigned which, double x) { partials[3 * blockIdx.x + which] = x; });
}

/// Eight lanes an entry, columns dealt out to them; x̂ in fp64.
template <class T> __global__ void __launch_bounds__(threads) evaluateKernel(const __grid_constant__ EvaluateArguments<T> a)
{
    constexpr unsigned lanes = 8;
    const unsigned lane = threadIdx.x % lanes;
    double squares = 0, magnitudes = 0, products = 0;
    const Count step = Count{gridDim.x} * threads / lanes;
    for (Count first = a.begin + Count{blockIdx.x} * threads / lanes; first < a.end; first += step) { // the same for a whole warp
        const Count e = first + threadIdx.x / lanes;
        double predicted = 0;
        if (e < a.end)
            for (unsigned r = lane; r < a.rank; r += lanes) {
                double product = a.weights[r];
                for (unsigned n = 0; n < a.order; ++n)
                    product *= static_cast<double>(a.factors[n][std::size_t{a.indices[n][e]} * a.stride + r]);
                predicted += product;
            }
#pragma unroll
        for (unsigned distance = lanes / 2; distance > 0; distance /= 2)
            predicted += __shfl_down_sync(~0U, predicted, distance, lanes);
        if (lane == 0 && e < a.end) {
            const double x = static_cast<double>(a.values[e]), error = predicted - x;
            squares += error * error;
            magnitudes += fabs(error);
            products += x * predicted;
        }
    }
    sumOfBlock(squares, magnitudes, products, lanes, [&](unsigned which, double x) { a.partials[3 * blockIdx.x + which] += x; });
}

template <class T, unsigned Width>
void launchGram(const Rows<T>& rows, Index rowsOfPart, unsigned parts, double* to, const cuda::Stream& stream)
{
    gramKernel<T, Width><<<dim3(gramTiles(rows.rank), parts), threads, 0, stream>>>(rows, rowsOfPart, to);
    CUDA_CHECK_LAUNCH();
}

template <class T>
void gramOfParts(const Rows<T>& rows, Index rowsOfPart, unsigned parts, bool tensorCores, double* to, const cuda::Stream& stream)
{
    if constexpr (std::is_same_v<T, float>)
        if (tensorCores && rows.rank >= widthForTensorCores)
            return gramTensor(rows, rowsOfPart, parts, to, stream);
    switch (gramWidth(rows.rank)) {
    case 16:
        return launchGram<T, 16>(rows, rowsOfPart, parts, to, stream);
    case 32:
        return launchGram<T, 32>(rows, rowsOfPart, parts, to, stream);
    default:
        return launchGram<T, 64>(rows, rowsOfPart, parts, to, stream);
    }
}

} // namespace

template <class T> void multiplyRows(const Rows<T>& to, const T* from, const T* by, Product product, const cuda::Stream& stream)
{
    if constexpr (std::is_same_v<T, float>)
        if (product == Product::SetByTensorCores && to.rank >= widthForTensorCores)
            return multiplyRowsTensor(to, from, by, stream);
    const bool add = product == Product::Add;
    if (to.rank <= 32)
        multiplyKernel<T, 32><<<dim3((to.count + 31) / 32, (to.rank + 31) / 32), threads, 0, stream>>>(to, from, by, add);
    else
        multiplyKernel<T, 64><<<dim3((to.count + 63) / 64, (to.rank + 63) / 64), threads, 0, stream>>>(to, from, by, add);
    CUDA_CHECK_LAUNCH();
}

template <class T>
RowSums<T>::RowSums(unsigned rank)
    : m_rank(rank)
    , m_parts(mostParts(rank) * numbersOfPart(rank))
    , m_sums(numbersOfPart(rank))
    , m_onHost(numbersOfPart(rank))
{
}

template <class T> void RowSums<T>::begin(const Rows<T>& rows, bool tensorCores, const cuda::Stream& stream)
{
    constexpr Index leastRows = 256;
    const unsigned most = mostParts(m_rank);
    const Index ofPart = std::max(leastRows, (rows.count + most - 1) / most);
    const unsigned parts = std::max(1U, (rows.count + ofPart - 1) / ofPart);
    gramOfParts(rows, ofPart, parts, tensorCores, m_parts.data(), stream);
    const auto numbers = static_cast<unsigned>(numbersOfPart(m_rank));
    joinKernel<<<(numbers + joined - 1) / joined, threads, 0, stream>>>(m_parts.data(), parts, numbers, m_rank * m_rank, m_sums.data());
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyAsync(m_onHost.data(), m_sums.data(), m_sums.bytes(), cudaMemcpyDeviceToHost, stream));
}

template <class T> const double* RowSums<T>::sums(const cuda::Stream& stream)
{
    stream.synchronize();
    return m_onHost.data();
}

template <class T> void scaleColumns(const Rows<T>& rows, const double* by, const cuda::Stream& stream)
{
    const Count elements = Count{rows.count} * rows.stride;
    scaleKernel<<<static_cast<unsigned>(std::clamp<Count>(elements / threads + 1, 1, 4096)), threads, 0, stream>>>(rows, by);
    CUDA_CHECK_LAUNCH();
}

template <class T> void overlap(const Rows<T>& rows, const T* products, const double* weights, double* partials, const cuda::Stream& stream)
{
    overlapKernel<<<evaluateBlocks, threads, 0, stream>>>(rows, products, weights, partials);
    CUDA_CHECK_LAUNCH();
}

template <class T> void evaluate(const EvaluateArguments<T>& a, const cuda::Stream& stream)
{
    evaluateKernel<<<evaluateBlocks, threads, 0, stream>>>(a);
    CUDA_CHECK_LAUNCH();
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template void multiplyRows(const Rows<T>&, const T*, const T*, Product, const cuda::Stream&);                                          \
    template class RowSums<T>;                                                                                                             \
    template void scaleColumns(const Rows<T>&, const double*, const cuda::Stream&);                                                        \
    template void overlap(const Rows<T>&, const T*, const double*, double*, const cuda::Stream&);                                          \
    template void evaluate(const EvaluateArguments<T>&, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::cp_als::gpu
