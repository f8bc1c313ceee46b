// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/blco.cuh"

#include <algorithm>

/// M[i] += x · ∘ rows over linearised entries, whose order is no mode's. A block of threads takes a tile of neighbours, which are
/// near in every mode, brings those of one row together by counting the low bits of their rows, and unpacks them into shared
/// memory. Then a group of lanes walks so many of them, each lane with 16 bytes of the rows, and adds a row's sum to the product
/// atomically when the next row begins: once a tile and row, instead of once an entry.
namespace kernels::mttkrp::gpu {

constexpr unsigned blcoThreads = 256, blcoPerThread = 8; ///< entries a thread unpacks at most
constexpr unsigned blcoInFlight = 4; ///< entries whose rows are under way at once

/// A tile in shared memory, column by column: places are padded, so that groups of lanes read from different banks.
template <class T> struct BlcoTile {
    std::uint32_t* indices; ///< [product's mode, then the others][place]
    T* values;
    unsigned length;

    __host__ __device__ static constexpr unsigned padded(unsigned place) { return place + (place >> 5) * 4; }
    __host__ __device__ static constexpr unsigned bytes(unsigned entries, unsigned order)
    {
        return padded(entries) * (order * static_cast<unsigned>(sizeof(Index)) + static_cast<unsigned>(sizeof(T)));
    }
    __device__ BlcoTile(const BlcoArguments<T>& a, uint4* memory)
        : indices(reinterpret_cast<std::uint32_t*>(memory))
        , values(reinterpret_cast<T*>(indices + (a.others + 1) * padded(a.perTile)))
        , length(padded(a.perTile))
    {
    }
    /// Counters lie where indices will: one a bucket, every 32 of them apart by one.
    __device__ std::uint32_t& bucket(unsigned i) const { return indices[i + (i >> 5)]; }
    __device__ uint4 four(unsigned column, unsigned place) const
    {
        return *reinterpret_cast<const uint4*>(indices + column * length + padded(place));
    }
};

/// The block an entry is in, among those from low to high.
template <class T> __device__ inline unsigned blockOf(const BlcoStretch<T>& from, Count entry, unsigned low, unsigned high)
{
    while (low < high) {
        const unsigned middle = low + (high - low + 1) / 2;
        if (from.begins[middle] <= entry)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// Counters to where each bucket begins; every thread has neighbours.
template <class T> __device__ inline void countsToBegins(const BlcoTile<T>& tile, unsigned buckets)
{
    constexpr unsigned warps = blcoThreads / 32;
    __shared__ unsigned sums[warps];
    const unsigned each = buckets / blcoThreads, first = threadIdx.x * each, lane = threadIdx.x % 32;
    unsigned own = 0;
    for (unsigned i = 0; i < each; ++i)
        own += tile.bucket(first + i);
    unsigned upTo = own;
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned other = __shfl_up_sync(~0U, upTo, distance);
        upTo += lane >= distance ? other : 0;
    }
    if (lane == 31)
        sums[threadIdx.x / 32] = upTo;
    __syncthreads();
    unsigned begin = upTo - own;
    for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp)
        begin += sums[warp];
    for (unsigned i = 0; i < each; ++i) {
        const unsigned count = tile.bucket(first + i);
        tile.bucket(first + i) = begin;
        begin += count;
    }
    __syncthreads();
}

/// What a word has of an entry's index.
template <class T> __device__ inline Index unpacked(const BlcoArguments<T>& a, std::uint64_t word, unsigned column)
{
    return static_cast<Index>(word >> a.shift[column] & ((std::uint64_t{1} << a.width[column]) - 1));
}

/// Unpacks the block's entries, those of a row beside each other as far as the low bits of rows tell; returns how many.
template <unsigned Others, class T> __device__ inline unsigned fillTile(const BlcoArguments<T>& a, const BlcoTile<T>& tile)
{
    __shared__ unsigned ends[2];
    const std::uint32_t begin = blockIdx.x * a.perTile;
    const unsigned count = min(a.perTile, a.from.entries - begin), lane = threadIdx.x % 32, others = Others ? Others : a.others;
    if (a.based && threadIdx.x < 2)
        ends[threadIdx.x] = blockOf(a.from, a.from.first + begin + (threadIdx.x ? count - 1 : 0), 0, a.from.blocks - 1);
    for (unsigned i = threadIdx.x; i < a.perTile; i += blcoThreads)
        tile.bucket(i) = 0;
    std::uint64_t words[blcoPerThread];
    T values[blcoPerThread]; // asked for here, so that they are there when they are put down
#pragma unroll
    for (unsigned i = 0; i < blcoPerThread; ++i) {
        const unsigned e = i * blcoThreads + threadIdx.x;
        words[i] = e < count ? __ldcs(a.from.words + begin + e) : 0;
        values[i] = e < count ? __ldcs(a.from.values + begin + e) : T(0);
    }
    __syncthreads();
    // Which bucket, and how many of it are before: a warp's equal ones count together, since a short mode has few.
    unsigned places[blcoPerThread];
#pragma unroll
    for (unsigned i = 0; i < blcoPerThread; ++i) {
        if (i * blcoThreads >= a.perTile)
            break;
        const bool mine = i * blcoThreads + threadIdx.x < count;
        const unsigned bucket = mine ? unpacked(a, words[i], 0) & (a.perTile - 1) : a.perTile;
        const unsigned peers = __match_any_sync(~0U, bucket);
        const int leader = __ffs(static_cast<int>(peers)) - 1;
        unsigned before = 0;
        if (mine && static_cast<int>(lane) == leader)
            before = atomicAdd(&tile.bucket(bucket), static_cast<unsigned>(__popc(peers)));
        before = __shfl_sync(~0U, before, leader);
        places[i] = bucket << 16 | (before + __popc(peers & ((1U << lane) - 1)));
    }
    __syncthreads();
    countsToBegins(tile, a.perTile);
#pragma unroll
    for (unsigned i = 0; i < blcoPerThread; ++i)
        if (i * blcoThreads + threadIdx.x < count)
            places[i] = tile.bucket(places[i] >> 16) + (places[i] & 0xFFFF);
    __syncthreads(); // now the counters may go
#pragma unroll
    for (unsigned i = 0; i < blcoPerThread; ++i) {
        const unsigned e = i * blcoThreads + threadIdx.x;
        if (e >= count)
            break;
        const unsigned place = tile.padded(places[i]);
        tile.values[place] = values[i];
#pragma unroll
        for (unsigned k = 0; k <= others; ++k)
            tile.indices[k * tile.length + place] = unpacked(a, words[i], k);
        if (!a.based)
            continue;
        const unsigned block = blockOf(a.from, a.from.first + begin + e, ends[0], ends[1]);
        for (unsigned k = 0; k <= others; ++k)
            tile.indices[k * tile.length + place] |= a.from.bases[std::size_t{block} * a.order + a.modes[k]];
    }
    // What is read with the last ones, and left out.
    if (const unsigned place = count + threadIdx.x; place < (count + blcoInFlight - 1) / blcoInFlight * blcoInFlight)
        for (unsigned k = 0; k <= others; ++k)
            tile.indices[k * tile.length + tile.padded(place)] = 0;
    __syncthreads();
    return count;
}

/// product *= rows of four entries, or is set to them.
template <bool Set, class T>
__device__ inline void takeRows(Part<T> (&product)[blcoInFlight], const T* rows, const uint4& indices, unsigned rowBytes)
{
    const Index index[blcoInFlight] = {indices.x, indices.y, indices.z, indices.w};
    Part<T> read[blcoInFlight];
#pragma unroll
    for (unsigned i = 0; i < blcoInFlight; ++i)
        read[i] = readRow(rows, index[i], rowBytes);
#pragma unroll
    for (unsigned i = 0; i < blcoInFlight; ++i)
        if (Set)
            product[i] = read[i];
        else
            product[i].multiply(read[i]);
}

template <class T, unsigned Lanes, unsigned Others>
__global__ void __launch_bounds__(blcoThreads, Others == 2 ? 4 : 3) blcoKernel(const __grid_constant__ BlcoArguments<T> a)
{
    extern __shared__ uint4 memory[];
    constexpr unsigned groups = blcoThreads / Lanes;
    const BlcoTile<T> tile(a, memory);
    const unsigned count = fillTile<Others>(a, tile);
    const unsigned perGroup = (count + groups * blcoInFlight - 1) / (groups * blcoInFlight) * blcoInFlight;
    const unsigned begin = threadIdx.x / Lanes * perGroup, end = min(count, begin + perGroup), rowBytes = a.parts * 16;
    if (begin >= end)
        return;
    const unsigned others = Others ? Others : a.others;
    T* const out = a.out + std::size_t{blockIdx.x % a.copies} * a.outRows * a.parts * Part<T>::columns;
    for (unsigned part = threadIdx.x % Lanes; part < a.parts; part += Lanes) {
        const unsigned column = part * Part<T>::columns;
        const auto add = [&](Index row, const Part<T>& sum) { addAtomically(rowOf(out + column, row, rowBytes), sum); };
        Index row = tile.indices[tile.padded(begin)];
        Part<T> sum = Part<T>::zero();
#pragma unroll 1
        for (unsigned at = begin; at < end; at += blcoInFlight) {
            Part<T> product[blcoInFlight], second[blcoInFlight];
            takeRows<true>(product, a.rows[0] + column, tile.four(1, at), rowBytes);
            if (Others > 1 || others > 1)
                takeRows<true>(second, a.rows[1] + column, tile.four(2, at), rowBytes);
            const auto* const values = reinterpret_cast<const Part<T>*>(tile.values + tile.padded(at));
#pragma unroll
            for (unsigned i = 0; i < blcoInFlight; ++i)
                product[i].multiply(values[i / Part<T>::columns].of[i % Part<T>::columns]);
#pragma unroll
            for (unsigned k = 2; k < others; ++k)
                takeRows<false>(product, a.rows[k] + column, tile.four(k + 1, at), rowBytes);
            const uint4 four = tile.four(0, at);
            const Index rows[blcoInFlight] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (unsigned i = 0; i < blcoInFlight; ++i) {
                if (at + i >= end)
                    break;
                if (rows[i] != row) {
                    add(row, sum);
                    row = rows[i];
                    sum = Part<T>::zero();
                }
                if (Others > 1 || others > 1)
                    sum.add(product[i], second[i]);
                else
                    sum.add(product[i]);
            }
        }
        add(row, sum);
    }
}

template <class T>
__global__ void __launch_bounds__(blcoThreads) sumOfCopiesKernel(const T* copies, unsigned count, Count parts, T* product)
{
    const Count part = Count{blockIdx.x} * blcoThreads + threadIdx.x;
    if (part >= parts)
        return;
    Part<T> sum = Part<T>::zero();
    for (unsigned copy = 0; copy < count; ++copy)
        sum.add(reinterpret_cast<const Part<T>*>(copies)[copy * parts + part]);
    reinterpret_cast<Part<T>*>(product)[part] = sum;
}

/// As many as shared memory holds that every device has, fewer where multiprocessors would go without.
template <class T> unsigned entriesOfTile(const BlcoArguments<T>& a, unsigned multiprocessors)
{
    constexpr unsigned mostBytes = 48 << 10, blocksAtOnce = 4;
    unsigned entries = blcoThreads * blcoPerThread;
    while (entries > blcoThreads && BlcoTile<T>::bytes(entries, a.others + 1) > mostBytes)
        entries /= 2;
    while (entries > blcoThreads && a.from.entries / entries < Count{blocksAtOnce} * multiprocessors)
        entries /= 2;
    return entries;
}

template <class T, unsigned Lanes, unsigned Others> void launchOf(const BlcoArguments<T>& a, const cuda::Stream& stream)
{
    const unsigned tiles = (a.from.entries - 1) / a.perTile + 1;
    blcoKernel<T, Lanes, Others><<<tiles, blcoThreads, BlcoTile<T>::bytes(a.perTile, a.others + 1), stream>>>(a);
    CUDA_CHECK_LAUNCH();
}

template <class T, unsigned Lanes> void launchLanes(const BlcoArguments<T>& a, const cuda::Stream& stream)
{
    switch (a.others) {
    case 2:
        return launchOf<T, Lanes, 2>(a, stream);
    case 3:
        return launchOf<T, Lanes, 3>(a, stream);
    case 4:
        return launchOf<T, Lanes, 4>(a, stream);
    default:
        return launchOf<T, Lanes, 0>(a, stream);
    }
}

template <class T> void launchBlco(BlcoArguments<T> a, unsigned multiprocessors, const cuda::Stream& stream)
{
    a.perTile = entriesOfTile(a, multiprocessors);
    a.parts <= 2 ? launchLanes<T, 2>(a, stream) : a.parts <= 4 ? launchLanes<T, 4>(a, stream) : launchLanes<T, 8>(a, stream);
}

template <class T> void launchSumOfCopies(const BlcoArguments<T>& a, T* product, const cuda::Stream& stream)
{
    const Count parts = Count{a.outRows} * a.parts;
    sumOfCopiesKernel<T>
        <<<static_cast<unsigned>((parts + blcoThreads - 1) / blcoThreads), blcoThreads, 0, stream>>>(a.out, a.copies, parts, product);
    CUDA_CHECK_LAUNCH();
}

} // namespace kernels::mttkrp::gpu
