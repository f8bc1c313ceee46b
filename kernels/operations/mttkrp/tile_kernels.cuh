// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/row_vectors.cuh"
#include "kernels/operations/mttkrp/tiles.cuh"

#include <algorithm>

/// M[i] += x · ∘ rows over entries whose order is no mode's. A block of threads takes a tile of neighbours, which are near in every
/// mode, brings those of one row together by counting the low bits of their rows, and unpacks them into shared memory. Then a group
/// of lanes walks so many of them, each lane with 16 bytes of the rows, and adds a row's sum to the product atomically when the
/// next row begins: once a tile and row, instead of once an entry.
///
/// Entries say how they are stored: record(entry, columns) is what is read of one beforehand, inBlock(record, entry, column) its
/// index in its block, base(block, mode) what the block adds to it; inBlocks() whether there are blocks, blockAt(entry) is the one
/// where a tile begins or ends, beginOf(block) its first entry.
namespace kernels::mttkrp::gpu {

constexpr unsigned tileThreads = 256, tilePerThread = 8; ///< entries a thread unpacks at most
constexpr unsigned tileInFlight = 4; ///< entries whose rows are under way at once

/// A tile in shared memory, column by column: places are padded, so that groups of lanes read from different banks.
template <class T> struct Tile {
    std::uint32_t* indices; ///< [product's mode, then the others][place]
    T* values;
    unsigned length;

    __host__ __device__ static constexpr unsigned padded(unsigned place) { return place + (place >> 5) * 4; }
    __host__ __device__ static constexpr unsigned bytes(unsigned entries, unsigned order)
    {
        return padded(entries) * (order * static_cast<unsigned>(sizeof(Index)) + static_cast<unsigned>(sizeof(T)));
    }
    __device__ Tile(const TileArguments<T>& a, uint4* memory)
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

/// Which blocks the entries of a tile are in: a bit where each but the first begins.
struct TileBlocks {
    static constexpr unsigned words = tileThreads * tilePerThread / 32;
    std::uint32_t begins[words];
    unsigned before[words]; ///< the block in front of a word
    unsigned ends[2]; ///< the first entry's, and that of the entry behind the last one

    __device__ unsigned of(unsigned entry) const { return before[entry / 32] + __popc(begins[entry / 32] & ((2U << (entry % 32)) - 1)); }
};

template <class Entries> __device__ inline void markBlocks(const Entries& from, std::uint32_t begin, unsigned count, TileBlocks& blocks)
{
    for (unsigned i = threadIdx.x; i < TileBlocks::words; i += tileThreads)
        blocks.begins[i] = 0;
    if (threadIdx.x < 2)
        blocks.ends[threadIdx.x] = from.blockAt(threadIdx.x ? begin + count : begin);
    __syncthreads();
    for (unsigned block = blocks.ends[0] + 1 + threadIdx.x; block <= blocks.ends[1]; block += tileThreads)
        if (const Count at = from.beginOf(block) - begin; at < count)
            atomicOr(&blocks.begins[at / 32], 1U << (at % 32));
    __syncthreads();
    if (threadIdx.x < 32) {
        unsigned block = blocks.ends[0];
        for (unsigned first = 0; first < TileBlocks::words; first += 32) {
            const unsigned own = __popc(blocks.begins[first + threadIdx.x]);
            unsigned sum = own;
            for (unsigned distance = 1; distance < 32; distance *= 2) {
                const unsigned other = __shfl_up_sync(~0U, sum, distance);
                sum += threadIdx.x >= distance ? other : 0;
            }
            blocks.before[first + threadIdx.x] = block + sum - own;
            block += __shfl_sync(~0U, sum, 31);
        }
    }
    __syncthreads();
}

/// Counters to where each bucket begins; every thread has neighbours.
template <class T> __device__ inline void countsToBegins(const Tile<T>& tile, unsigned buckets)
{
    constexpr unsigned warps = tileThreads / 32;
    __shared__ unsigned sums[warps];
    const unsigned each = buckets / tileThreads, first = threadIdx.x * each, lane = threadIdx.x % 32;
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

/// Unpacks the block's entries, those of a row beside each other as far as the low bits of rows tell; returns how many.
template <unsigned Others, class T, class Entries>
__device__ inline unsigned fillTile(const TileArguments<T>& a, const Entries& from, const Tile<T>& tile)
{
    __shared__ TileBlocks blocks;
    const std::uint32_t begin = blockIdx.x * a.perTile;
    const unsigned count = min(a.perTile, from.entries - begin), lane = threadIdx.x % 32, columns = (Others ? Others : a.others) + 1;
    for (unsigned i = threadIdx.x; i < a.perTile; i += tileThreads)
        tile.bucket(i) = 0;
    typename Entries::Record records[tilePerThread];
    T values[tilePerThread]; // asked for here, so that they are there when they are put down
#pragma unroll
    for (unsigned i = 0; i < tilePerThread; ++i) {
        const unsigned e = i * tileThreads + threadIdx.x;
        records[i] = e < count ? from.record(begin + e, columns) : 0;
        values[i] = e < count ? __ldcs(from.values + begin + e) : T(0);
    }
    if (from.inBlocks())
        markBlocks(from, begin, count, blocks);
    else
        __syncthreads();
    const auto indexOf = [&](unsigned i, unsigned e, unsigned column) {
        const Index index = from.inBlock(records[i], begin + e, column);
        return from.inBlocks() ? index | from.base(blocks.of(e), a.modes[column]) : index;
    };
    // Which bucket, and how many of it are before: a warp's equal ones count together, since a short mode has few.
    unsigned places[tilePerThread];
#pragma unroll
    for (unsigned i = 0; i < tilePerThread; ++i) {
        if (i * tileThreads >= a.perTile)
            break;
        const unsigned e = i * tileThreads + threadIdx.x;
        const unsigned bucket = e < count ? indexOf(i, e, 0) & (a.perTile - 1) : a.perTile;
        const unsigned peers = __match_any_sync(~0U, bucket);
        const int leader = __ffs(static_cast<int>(peers)) - 1;
        unsigned before = 0;
        if (e < count && static_cast<int>(lane) == leader)
            before = atomicAdd(&tile.bucket(bucket), static_cast<unsigned>(__popc(peers)));
        before = __shfl_sync(~0U, before, leader);
        places[i] = bucket << 16 | (before + __popc(peers & ((1U << lane) - 1)));
    }
    __syncthreads();
    countsToBegins(tile, a.perTile);
#pragma unroll
    for (unsigned i = 0; i < tilePerThread; ++i)
        if (i * tileThreads + threadIdx.x < count)
            places[i] = tile.bucket(places[i] >> 16) + (places[i] & 0xFFFF);
    __syncthreads(); // now the counters may go
#pragma unroll
    for (unsigned i = 0; i < tilePerThread; ++i) {
        const unsigned e = i * tileThreads + threadIdx.x;
        if (e >= count)
            break;
        const unsigned place = tile.padded(places[i]);
        tile.values[place] = values[i];
#pragma unroll
        for (unsigned k = 0; k < columns; ++k)
            tile.indices[k * tile.length + place] = indexOf(i, e, k);
    }
    // What is read with the last ones, and left out.
    if (const unsigned place = count + threadIdx.x; place < (count + tileInFlight - 1) / tileInFlight * tileInFlight)
        for (unsigned k = 0; k < columns; ++k)
            tile.indices[k * tile.length + tile.padded(place)] = 0;
    __syncthreads();
    return count;
}

/// product *= rows of four entries, or is set to them.
template <bool Set, class T>
__device__ inline void takeRows(Part<T> (&product)[tileInFlight], const T* rows, const uint4& indices, unsigned rowBytes)
{
    const Index index[tileInFlight] = {indices.x, indices.y, indices.z, indices.w};
    Part<T> read[tileInFlight];
#pragma unroll
    for (unsigned i = 0; i < tileInFlight; ++i)
        read[i] = readRow(rows, index[i], rowBytes);
#pragma unroll
    for (unsigned i = 0; i < tileInFlight; ++i)
        if (Set)
            product[i] = read[i];
        else
            product[i].multiply(read[i]);
}

template <class T, class Entries, unsigned Lanes, unsigned Others>
__global__ void __launch_bounds__(tileThreads, Others == 2 ? 4 : 3)
    tileKernel(const __grid_constant__ TileArguments<T> a, const __grid_constant__ Entries from)
{
    extern __shared__ uint4 memory[];
    constexpr unsigned groups = tileThreads / Lanes;
    const Tile<T> tile(a, memory);
    const unsigned count = fillTile<Others>(a, from, tile);
    const unsigned perGroup = (count + groups * tileInFlight - 1) / (groups * tileInFlight) * tileInFlight;
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
        for (unsigned at = begin; at < end; at += tileInFlight) {
            Part<T> product[tileInFlight], second[tileInFlight];
            takeRows<true>(product, a.rows[0] + column, tile.four(1, at), rowBytes);
            if (Others > 1 || others > 1)
                takeRows<true>(second, a.rows[1] + column, tile.four(2, at), rowBytes);
            const auto* const values = reinterpret_cast<const Part<T>*>(tile.values + tile.padded(at));
#pragma unroll
            for (unsigned i = 0; i < tileInFlight; ++i)
                product[i].multiply(values[i / Part<T>::columns].of[i % Part<T>::columns]);
#pragma unroll
            for (unsigned k = 2; k < others; ++k)
                takeRows<false>(product, a.rows[k] + column, tile.four(k + 1, at), rowBytes);
            const uint4 four = tile.four(0, at);
            const Index rows[tileInFlight] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (unsigned i = 0; i < tileInFlight; ++i) {
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

/// As many as shared memory holds that every device has, fewer where multiprocessors would go without.
template <class T> unsigned entriesOfTile(unsigned order, std::uint32_t all, unsigned multiprocessors)
{
    constexpr unsigned mostBytes = (48 << 10) - 1024, blocksAtOnce = 4; // what is not the tile is less than that
    unsigned entries = tileThreads * tilePerThread;
    while (entries > tileStretch && Tile<T>::bytes(entries, order) > mostBytes)
        entries /= 2;
    while (entries > tileStretch && all / entries < Count{blocksAtOnce} * multiprocessors)
        entries /= 2;
    return entries;
}

template <class T, unsigned Lanes, unsigned Others, class Entries>
void launchOf(const TileArguments<T>& a, const Entries& from, const cuda::Stream& stream)
{
    const unsigned tiles = (from.entries - 1) / a.perTile + 1;
    tileKernel<T, Entries, Lanes, Others><<<tiles, tileThreads, Tile<T>::bytes(a.perTile, a.others + 1), stream>>>(a, from);
    CUDA_CHECK_LAUNCH();
}

template <class T, unsigned Lanes, class Entries>
void launchLanes(const TileArguments<T>& a, const Entries& from, const cuda::Stream& stream)
{
    switch (a.others) {
    case 2:
        return launchOf<T, Lanes, 2>(a, from, stream);
    case 3:
        return launchOf<T, Lanes, 3>(a, from, stream);
    case 4:
        return launchOf<T, Lanes, 4>(a, from, stream);
    default:
        return launchOf<T, Lanes, 0>(a, from, stream);
    }
}

template <class T, class Entries>
void launchTiles(TileArguments<T> a, const Entries& from, unsigned multiprocessors, const cuda::Stream& stream)
{
    a.perTile = entriesOfTile<T>(a.others + 1, from.entries, multiprocessors);
    a.parts <= 2       ? launchLanes<T, 2>(a, from, stream)
        : a.parts <= 4 ? launchLanes<T, 4>(a, from, stream)
                       : launchLanes<T, 8>(a, from, stream);
}

} // namespace kernels::mttkrp::gpu
