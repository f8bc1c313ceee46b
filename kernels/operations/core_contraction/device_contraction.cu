// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/core_contraction/device_contraction.cuh"

#include "kernels/operations/core_contraction/split.cuh"

#include <algorithm>
#include <type_traits>

namespace kernels::core_contraction::gpu {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned deltaThreads = 128; ///< of a block that makes δ, at most; a thread has two entries
constexpr std::size_t coreBytes = std::size_t{16} << 10; ///< of the core, brought to shared memory at once
constexpr unsigned productsOfThread = 4; ///< numbers of a Kronecker product a thread adds up gradients for

/// Columns of the open mode a thread has: as many as leave it its registers.
template <class T> constexpr unsigned mostColumns = std::is_same_v<T, float> ? 16 : 8;

/// The narrowest tiles that cover the stride in as few as can be.
template <class T> unsigned columnsOfTile(unsigned stride)
{
    const unsigned tiles = (stride + mostColumns<T> - 1) / mostColumns<T>;
    return (stride / 4 + tiles - 1) / tiles * 4;
}

/// Calls launch(std::integral_constant) for the columns of a tile.
template <class T, class Launch> void dispatchColumns(unsigned columns, const Launch& launch)
{
    if (columns == 4)
        return launch(std::integral_constant<unsigned, 4>{});
    if constexpr (mostColumns<T> == 16) {
        if (columns == 12)
            return launch(std::integral_constant<unsigned, 12>{});
        if (columns == 16)
            return launch(std::integral_constant<unsigned, 16>{});
    }
    launch(std::integral_constant<unsigned, 8>{});
}

/// Some numbers of the Kronecker product of an entry's rows at outer positions.
template <class T>
__device__ void putOuters(const Contraction<T>& c, const Split& split, unsigned first, unsigned count, Count entry, T* to)
{
    for (unsigned o = 0; o < count; ++o) {
        T product = 1;
        unsigned rest = first + o;
        for (unsigned p = split.inner; p-- > 0;) {
            const unsigned rank = c.positions[p].rank, place = p == 0 ? rest : rest % rank;
            rest /= rank;
            product *= rowOf(c.positions[p], entry)[place];
        }
        to[o] = product;
    }
}

/// A block: so many entries (x), two a thread, and some columns (y). δ = Σ over the core's rows of a number of the entry's Kronecker
/// product times that row, which all threads read at once.
template <class T, unsigned Columns>
__global__ void __launch_bounds__(deltaThreads)
    deltasKernel(const __grid_constant__ Contraction<T> c, Split split, unsigned outersAtOnce, Count begin, Count end, T* to)
{
    extern __shared__ __align__(16) unsigned char sharedBytes[];
    const unsigned pitch = 2 * blockDim.x, firstColumn = blockIdx.y * Columns;
    T* const core = reinterpret_cast<T*>(sharedBytes);
    T* const inner = core + std::size_t{outersAtOnce} * split.innerNumbers * Columns + threadIdx.x;
    T* const outer = inner + std::size_t{split.innerNumbers} * pitch;
    const Count first = begin + Count{blockIdx.x} * pitch + threadIdx.x;
    for (unsigned i = 0; i < 2; ++i) {
        const Count entry = min(first + i * blockDim.x, end - 1);
        putProduct(c, split.inner, entry, inner + i * blockDim.x, pitch);
        for (unsigned p = 0, at = 0; p < split.inner; at += c.positions[p].rank, ++p)
            putRow(c.positions[p], entry, outer + at * pitch + i * blockDim.x, pitch);
    }
    T sums[2][Columns] = {};
    for (unsigned firstOuter = 0; firstOuter < split.outerNumbers; firstOuter += outersAtOnce) {
        const unsigned outers = min(outersAtOnce, split.outerNumbers - firstOuter);
        const T* const from = c.core + std::size_t{firstOuter} * split.innerNumbers * c.openStride + firstColumn;
        __syncthreads();
        for (unsigned i = threadIdx.x; i < outers * split.innerNumbers * Columns; i += blockDim.x)
            core[i] = firstColumn + i % Columns < c.openStride ? from[std::size_t{i / Columns} * c.openStride + i % Columns] : T(0);
        __syncthreads();
        for (unsigned o = 0; o < outers; ++o) {
            T weights[2] = {T(1), T(1)};
            unsigned rest = firstOuter + o, at = split.outerRanks;
            for (unsigned p = split.inner; p-- > 0;) {
                const unsigned rank = c.positions[p].rank, place = p == 0 ? rest : rest % rank;
                rest /= rank;
                at -= rank;
                weights[0] *= outer[(at + place) * pitch];
                weights[1] *= outer[(at + place) * pitch + blockDim.x];
            }
            const T* row = core + o * split.innerNumbers * Columns;
#pragma unroll 2
            for (unsigned v = 0; v < split.innerNumbers; ++v, row += Columns) {
                const T left = weights[0] * inner[v * pitch], right = weights[1] * inner[v * pitch + blockDim.x];
#pragma unroll
                for (unsigned j = 0; j < Columns; j += 4) {
                    const Four<T> numbers = four(row + j);
#pragma unroll
                    for (unsigned i = 0; i < 4; ++i) {
                        sums[0][j + i] += left * numbers.x[i];
                        sums[1][j + i] += right * numbers.x[i];
                    }
                }
            }
        }
    }
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
        const Count entry = first + i * blockDim.x;
        T* const own = to + (entry - begin) * c.openStride + firstColumn;
#pragma unroll
        for (unsigned j = 0; j < Columns; j += 4)
            if (entry < end && firstColumn + j < c.openStride)
                *reinterpret_cast<Four<T>*>(own + j) = {sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]};
    }
}

/// A thread: four columns of an entry's δ, from the table's part for its row at position 0.
template <class T>
__global__ void __launch_bounds__(threads)
    tableDeltasKernel(const __grid_constant__ Contraction<T> c, unsigned part, unsigned outers, Count begin, unsigned fours, T* to)
{
    const unsigned across = c.openStride / 4, i = blockIdx.x * threads + threadIdx.x; // in 32 bits: a division in 64 takes 100 instructions
    if (i >= fours)
        return;
    const Count entry = begin + i / across;
    const unsigned column = i % across * 4;
    const unsigned last = c.count - 1, rank = c.positions[last].rank;
    const T* const row = rowOf(c.positions[last], entry);
    const T* from = c.table + std::size_t{c.positions[0].column[entry]} * part + column;
    T sums[4] = {};
    for (unsigned o = 0; o < outers; ++o) {
        T weight = 1;
        unsigned rest = o;
        for (unsigned p = last; p-- > 1;) {
            const Position<T>& position = c.positions[p];
            weight *= rowOf(position, entry)[rest % position.rank];
            rest /= position.rank;
        }
        for (unsigned v = 0; v < rank; v += 4, from += 4 * std::size_t{c.openStride}) {
            const Four<T> by = four(row + v);
#pragma unroll
            for (unsigned n = 0; n < 4; ++n)
                if (v + n < rank) {
                    const Four<T> numbers = four(from + n * std::size_t{c.openStride});
                    const T factor = weight * by.x[n];
#pragma unroll
                    for (unsigned j = 0; j < 4; ++j)
                        sums[j] += factor * numbers.x[j];
                }
        }
        from -= std::size_t{(rank + 3) / 4 * 4 - rank} * c.openStride;
    }
    *reinterpret_cast<Four<T>*>(to + std::size_t{i} * 4) = {sums[0], sums[1], sums[2], sums[3]};
}

/// A thread: four numbers of a row's part.
template <class T>
__global__ void __launch_bounds__(threads)
    tableKernel(const __grid_constant__ Contraction<T> c, Count part, Index firstRow, Count numbers, T* to)
{
    const Count i = (Count{blockIdx.x} * threads + threadIdx.x) * 4;
    if (i >= numbers)
        return;
    const Position<T>& position = c.positions[0];
    const T* const row = position.rows + (firstRow + i / part) * position.stride;
    const T* const from = c.core + i % part;
    T sums[4] = {};
    for (unsigned j = 0; j < position.rank; ++j) {
        const Four<T> numbersOfCore = four(from + j * part);
        const T by = row[j];
#pragma unroll
        for (unsigned n = 0; n < 4; ++n)
            sums[n] += by * numbersOfCore.x[n];
    }
    *reinterpret_cast<Four<T>*>(to + i) = {sums[0], sums[1], sums[2], sums[3]};
}

/// How gradients of the core are dealt out to blocks and threads.
struct GradientTiling {
    unsigned outers; ///< numbers of the outer product a block has; each is `inner` rows of the core
    unsigned across; ///< threads that share these rows
    unsigned entries; ///< whose products are in shared memory at once
    unsigned pitch; ///< of an entry's products: odd, so that threads that write them meet no bank twice
};

template <class T> GradientTiling gradientTiling(const Split& split, unsigned columns)
{
    constexpr unsigned mostOuters = 128;
    constexpr std::size_t roomBytes = std::size_t{48} << 10;
    GradientTiling tiling{};
    tiling.outers = std::clamp(threads * productsOfThread / split.innerNumbers, 1U, std::min(mostOuters, split.outerNumbers));
    tiling.across = std::min(threads, (tiling.outers * split.innerNumbers + productsOfThread - 1) / productsOfThread);
    tiling.pitch = (split.innerNumbers + tiling.outers) | 1;
    tiling.entries = static_cast<unsigned>(std::min<std::size_t>(threads, roomBytes / ((tiling.pitch + columns) * sizeof(T))));
    return tiling;
}

/// A block: a part of the entries (x), some rows of the core (y), some of its columns (z). A thread adds up four of the rows over
/// every so many entries; groups of threads with the same rows are put together in their order.
template <class T, unsigned Columns>
__global__ void __launch_bounds__(threads) gradientsKernel(const __grid_constant__ Contraction<T> c, Split split, GradientTiling tiling,
                                                           const T* weighted, Count begin, Count count, Count coreNumbers, double* parts)
{
    extern __shared__ __align__(16) unsigned char sharedBytes[];
    T* const weights = reinterpret_cast<T*>(sharedBytes); // [entry][Columns]
    T* const products = weights + tiling.entries * Columns; // [entry][inner ones, outer ones]
    const unsigned firstColumn = blockIdx.z * Columns, firstOuter = blockIdx.y * tiling.outers;
    const unsigned outers = min(tiling.outers, split.outerNumbers - firstOuter), rows = outers * split.innerNumbers;
    const unsigned mine = threadIdx.x % tiling.across, group = threadIdx.x / tiling.across, groups = threads / tiling.across;
    unsigned inner[productsOfThread], outer[productsOfThread];
#pragma unroll
    for (unsigned i = 0; i < productsOfThread; ++i) {
        const unsigned row = min(mine + i * tiling.across, rows - 1); // what is past the end is not written
        inner[i] = row % split.innerNumbers;
        outer[i] = split.innerNumbers + row / split.innerNumbers;
    }
    T sums[productsOfThread][Columns] = {};
    const Count share = (count + gridDim.x - 1) / gridDim.x, end = min(count, (blockIdx.x + 1) * share);
    for (Count first = blockIdx.x * share; first < end; first += tiling.entries) {
        const auto here = static_cast<unsigned>(min(end - first, Count{tiling.entries}));
        __syncthreads();
        if (threadIdx.x < here) {
            const Count entry = begin + first + threadIdx.x;
            T* const own = products + threadIdx.x * tiling.pitch;
            putProduct(c, split.inner, entry, own, 1);
            if (split.inner == 1 && outers == split.outerNumbers)
                putRow(c.positions[0], entry, own + split.innerNumbers, 1);
            else
                putOuters(c, split, firstOuter, outers, entry, own + split.innerNumbers);
            const T* const from = weighted + (first + threadIdx.x) * c.openStride + firstColumn;
#pragma unroll
            for (unsigned j = 0; j < Columns; j += 4)
                *reinterpret_cast<Four<T>*>(weights + threadIdx.x * Columns + j) =
                    firstColumn + j < c.openStride ? four(from + j) : Four<T>{};
        }
        __syncthreads();
        if (group < groups)
            for (unsigned e = group; e < here; e += groups) {
                const T* const own = products + e * tiling.pitch;
                T by[productsOfThread];
#pragma unroll
                for (unsigned i = 0; i < productsOfThread; ++i)
                    by[i] = own[inner[i]] * own[outer[i]];
#pragma unroll
                for (unsigned j = 0; j < Columns; j += 4) {
                    const Four<T> w = four(weights + e * Columns + j);
#pragma unroll
                    for (unsigned i = 0; i < productsOfThread; ++i)
#pragma unroll
                        for (unsigned n = 0; n < 4; ++n)
                            sums[i][j + n] += by[i] * w.x[n];
                }
            }
    }
    double* const to = parts + blockIdx.x * coreNumbers + std::size_t{firstOuter} * split.innerNumbers * c.openStride + firstColumn;
    for (unsigned g = 0; g < groups; ++g) {
        if (group == g)
#pragma unroll
            for (unsigned i = 0; i < productsOfThread; ++i) {
                double* const own = to + std::size_t{mine + i * tiling.across} * c.openStride;
                const bool inside = mine + i * tiling.across < rows;
                double were[Columns]; // all is read before anything is written: else every number would wait for the one before
#pragma unroll
                for (unsigned j = 0; j < Columns; ++j)
                    were[j] = inside && firstColumn + j < c.openStride ? own[j] : 0;
#pragma unroll
                for (unsigned j = 0; j < Columns; ++j)
                    if (inside && firstColumn + j < c.openStride)
                        own[j] = were[j] + static_cast<double>(sums[i][j]);
            }
        __syncthreads();
    }
}

__global__ void __launch_bounds__(threads)
    sumPartsKernel(const double* __restrict__ parts, Count partCount, Count numbers, unsigned rank, unsigned stride, double* to)
{
    const Count i = Count{blockIdx.x} * threads + threadIdx.x;
    if (i >= numbers)
        return;
    const Count at = i / rank * stride + i % rank, ofPart = numbers / rank * stride;
    double sum = 0;
#pragma unroll 8
    for (Count part = 0; part < partCount; ++part)
        sum += parts[part * ofPart + at];
    to[i] = sum;
}

/// Threads of a block that makes δ, and what it takes.
struct DeltaBlock {
    unsigned threads, outersAtOnce;
    std::size_t sharedBytes;
};

template <class T> DeltaBlock deltaBlock(const Split& split, unsigned columns)
{
    constexpr std::size_t enough = std::size_t{64} << 10;
    const std::size_t ofOuter = std::size_t{split.innerNumbers} * columns * sizeof(T);
    DeltaBlock block{};
    block.outersAtOnce = static_cast<unsigned>(std::clamp<std::size_t>(coreBytes / ofOuter, 1, split.outerNumbers));
    for (block.threads = deltaThreads;; block.threads /= 2) {
        block.sharedBytes =
            block.outersAtOnce * ofOuter + std::size_t{split.innerNumbers + split.outerRanks} * 2 * block.threads * sizeof(T);
        if (block.sharedBytes <= enough || block.threads == 32)
            return block;
    }
}

unsigned blocksFor(Count count, unsigned each) { return static_cast<unsigned>((count + each - 1) / each); }

} // namespace

template <class T> void makeTable(const Contraction<T>& c, Index first, Index end, T* to, const cuda::Stream& stream)
{
    const Count part = partNumbers(c), numbers = Count{end - first} * part;
    if (numbers == 0)
        return;
    tableKernel<T><<<blocksFor(numbers / 4, threads), threads, 0, stream>>>(c, part, first, numbers, to);
    CUDA_CHECK_LAUNCH();
}

template <class T> std::size_t deltasSharedBytes(const Contraction<T>& c)
{
    return c.table ? 0 : deltaBlock<T>(splitOf(c), columnsOfTile<T>(c.openStride)).sharedBytes;
}

template <class T> void deltas(const Contraction<T>& c, Count begin, Count end, T* to, const cuda::Stream& stream)
{
    if (begin == end)
        return;
    if (c.table) {
        const Count fours = (end - begin) * (c.openStride / 4);
        const auto part = static_cast<unsigned>(partNumbers(c)), outers = part / c.openStride / c.positions[c.count - 1].rank;
        tableDeltasKernel<T><<<blocksFor(fours, threads), threads, 0, stream>>>(c, part, outers, begin, static_cast<unsigned>(fours), to);
        CUDA_CHECK_LAUNCH();
        return;
    }
    const Split split = splitOf(c);
    const unsigned columns = columnsOfTile<T>(c.openStride);
    const DeltaBlock block = deltaBlock<T>(split, columns);
    dispatchColumns<T>(columns, [&](auto of) {
        constexpr auto kernel = deltasKernel<T, decltype(of)::value>;
        CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(block.sharedBytes)));
        const dim3 grid(blocksFor(end - begin, 2 * block.threads), blocksFor(c.openStride, columns));
        kernel<<<grid, block.threads, block.sharedBytes, stream>>>(c, split, block.outersAtOnce, begin, end, to);
        CUDA_CHECK_LAUNCH();
    });
}

template <class T>
void addGradients(const Contraction<T>& c, const T* weighted, Count begin, Count end, unsigned partCount, double* parts,
                  const cuda::Stream& stream)
{
    if (begin == end)
        return;
    const Split split = splitOf(c);
    const unsigned columns = columnsOfTile<T>(c.openStride);
    const GradientTiling tiling = gradientTiling<T>(split, columns);
    const Count coreNumbers = Count{split.outerNumbers} * split.innerNumbers * c.openStride;
    const std::size_t sharedBytes = std::size_t{tiling.entries} * (tiling.pitch + columns) * sizeof(T);
    const dim3 grid(partCount, blocksFor(split.outerNumbers, tiling.outers), blocksFor(c.openStride, columns));
    dispatchColumns<T>(columns, [&](auto of) {
        gradientsKernel<T, decltype(of)::value>
            <<<grid, threads, sharedBytes, stream>>>(c, split, tiling, weighted, begin, end - begin, coreNumbers, parts);
        CUDA_CHECK_LAUNCH();
    });
}

void sumParts(const double* parts, Count partCount, Count numbers, unsigned rank, unsigned stride, double* to, const cuda::Stream& stream)
{
    sumPartsKernel<<<blocksFor(numbers, threads), threads, 0, stream>>>(parts, partCount, numbers, rank, stride, to);
    CUDA_CHECK_LAUNCH();
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template void makeTable(const Contraction<T>&, Index, Index, T*, const cuda::Stream&);                                                 \
    template void deltas(const Contraction<T>&, Count, Count, T*, const cuda::Stream&);                                                    \
    template std::size_t deltasSharedBytes(const Contraction<T>&);                                                                         \
    template void addGradients(const Contraction<T>&, const T*, Count, Count, unsigned, double*, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::core_contraction::gpu
