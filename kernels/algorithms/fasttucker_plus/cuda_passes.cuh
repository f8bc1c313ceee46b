// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_arguments.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_error_sums.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tile.cuh"

namespace kernels::fasttucker_plus::gpu {

/// Columns 16q … of every entry's row of mode n: a += −γ (e d + λ a); overwrites d.
template <class G>
__device__ __forceinline__ void changeRows(const Tile<G>& tile, const FactorArguments<typename G::T>& arguments, unsigned n,
                                           const typename G::T (&e)[G::entriesPerLane], Vec4<typename G::T> (&d)[G::entriesPerLane],
                                           unsigned q, std::uint64_t v, unsigned count)
{
    using T = typename G::T;
    const unsigned rank = G::rank(tile.tables.rank[n]);
    const unsigned column = slab * q + 4 * tile.group.t;
    const auto rowOf = [&](unsigned i) { return tile.indices[n * G::entries + tile.entry(i)]; };
#pragma unroll
    for (unsigned i = 0; i < G::entriesPerLane; ++i) { // all are read before the first is added to: no addition may be passed
        const Vec4<T> old = load4(tile.tables.factors[n] + std::size_t{rowOf(i)} * rank + column);
        const T rate = arguments.rate(n, rowOf(i));
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            d[i][x] = -rate * (e[i] * d[i][x] + arguments.lambda * old[x]);
    }
#pragma unroll
    for (unsigned i = 0; i < G::entriesPerLane; ++i)
        if (tile.entry(i) < count)
            arguments.change(n, rowOf(i), rank, column, v + tile.entry(i), d[i]);
}

/// The same of the row that all entries share; d: Σ e d^(n) over them.
template <class G>
__device__ __forceinline__ void changeSharedRow(const Tile<G>& tile, const FactorArguments<typename G::T>& arguments, unsigned n,
                                                const Vec4<typename G::T>& d, unsigned q, std::uint64_t v, unsigned count)
{
    using T = typename G::T;
    if (tile.group.g != 0)
        return;
    const unsigned rank = G::rank(tile.tables.rank[n]);
    const unsigned column = slab * q + 4 * tile.group.t;
    const Index row = tile.indices[n * G::entries];
    const Vec4<T> old = load4(tile.tables.factors[n] + std::size_t{row} * rank + column);
    const T rate = arguments.rate(n, row);
    const T shrink = arguments.lambda * static_cast<T>(count);
    Vec4<T> change;
#pragma unroll
    for (unsigned x = 0; x < 4; ++x)
        change[x] = -rate * (d[x] + shrink * old[x]);
    arguments.change(n, row, rank, column, v, change);
}

/// What rows of mode n step by: e, or the same damped. w^(n) is staged.
template <class G>
__device__ __forceinline__ void dampErrors(const Tile<G>& tile, const FactorArguments<typename G::T>& arguments, unsigned n,
                                           const typename G::T (&e)[G::entriesPerLane], typename G::T (&damped)[G::entriesPerLane])
{
    using T = typename G::T;
    const T damping = arguments.damping[n];
    const auto quad = cooperative_groups::tiled_partition<4>(cooperative_groups::this_thread_block());
#pragma unroll
    for (unsigned i = 0; i < G::entriesPerLane; ++i) {
        damped[i] = e[i];
        if (damping == 0)
            continue;
        T squares = 0;
        for (unsigned k = 4 * tile.group.t; k < tile.coreRank; k += slab) {
            const Vec4<T> w = load4(tile.staging + tile.entry(i) * tile.stride + k);
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                squares += w[x] * w[x];
        }
        squares += quad.shfl_xor(squares, 1);
        squares += quad.shfl_xor(squares, 2);
        damped[i] /= T(1) + damping * squares;
    }
}

/// Rows of one mode of a tile whose d^(n) each warp can hold: x̂ = a^(n)·d^(n), so that c^(n) is not needed.
template <class G>
__device__ __forceinline__ void updateOneMode(const Tile<G>& tile, const FactorArguments<typename G::T>& arguments, std::uint64_t v,
                                              unsigned count)
{
    using T = typename G::T;
    static_assert(G::tiles == G::warpsPerTile);
    constexpr unsigned rank = G::tiles * slab;
    const unsigned n = arguments.mode;
    const unsigned column = slab * tile.group.warp + 4 * tile.group.t;
    const auto rowOf = [&](unsigned i) { return tile.indices[n * G::entries + tile.entry(i)]; };
    const auto load = [&](unsigned i) { return load4(tile.tables.factors[n] + std::size_t{rowOf(i)} * rank + column); };
    tile.project(n);
    T e[G::entriesPerLane];
    tile.group.sync(); // the staging area is read no more
    tile.stageOtherModes(n, tile.staging);
    tile.group.sync();
    Vec4<T> d[G::entriesPerLane] = {};
    tileProduct<G>(tile.group, tile.staging, tile.stride, tile.coreTransposed(n) + slab * tile.group.warp, rank, rank, d);
#pragma unroll
    for (unsigned i = 0; i < G::entriesPerLane; ++i) {
        const Vec4<T> a = load(i);
        e[i] = (a[0] * d[i][0] + a[1] * d[i][1]) + (a[2] * d[i][2] + a[3] * d[i][3]);
    }
    tile.addUpResiduals(e);
    dampErrors(tile, arguments, n, e, e);
    changeRows(tile, arguments, n, e, d, tile.group.warp, v, count);
}

/// One pass over entries that updates all N rows of each, or (OneMode) the row of one mode. Together: entries that share rows
/// stand together; a row that a whole tile shares is changed once. Stale: C^(n) is read, as it was before, in place of being computed.
///
/// A group owns a tile of M entries, warps own slabs of 16 columns, a lane 4 columns of every eighth entry; all
/// coordinates, values and projections of the tile stay in shared memory. Bytes a nonzero: 4N + sizeof(T) of
/// the entry from memory; N rows read twice (projection, update) and added to once, mostly in L2: 576 bytes at
/// N = 3, J = 16 in fp32. Arithmetic: 4JRN. OneMode: N rows read, one of them again, and that added to; 2JRN.
/// Sums in T. Normal mode: rows are read while others add to them, so two runs differ in the last bits and
/// more; nothing is lost, since additions are atomic. Deterministic mode: changes are stored one row an entry,
/// the same bits every run.
template <class G, bool OneMode, bool Together = false, bool Stale = false>
__global__ void __launch_bounds__(blockThreads, 2) factorKernel(const __grid_constant__ FactorArguments<typename G::T> arguments)
{
    using T = typename G::T;
    extern __shared__ __align__(16) unsigned char shared[];
    const Tables<T>& tables = arguments.tables;
    const SharedLayout layout = SharedLayout::of<G>(tables.order, G::rank(tables.widest), G::rank(tables.coreRank),
                                                    tables.order * G::rank(0) * G::rank(0), false, 0);
    Tile<G>::loadCores(tables, shared);
    const Tile<G> tile(tables, layout, shared);
    if (tile.group.number >= arguments.groupsPerBlock)
        return;

    const std::uint64_t step = std::uint64_t{gridDim.x} * arguments.groupsPerBlock * G::entries;
    const std::uint64_t first = arguments.begin + (std::uint64_t{blockIdx.x} * arguments.groupsPerBlock + tile.group.number) * G::entries;
    for (std::uint64_t v = first; v < arguments.end; v += step) {
        const unsigned count = arguments.end - v < G::entries ? static_cast<unsigned>(arguments.end - v) : G::entries;
        tile.loadEntries([&](unsigned m) { return arguments.order.at(v + m); }, count);
        if constexpr (OneMode && G::tiles > 0) {
            updateOneMode(tile, arguments, v, count);
            continue;
        }
        if constexpr (Stale)
            tile.gatherProjections(arguments.projections);
        else
            tile.project();
        T e[G::entriesPerLane];
        tile.residuals(e);
        if constexpr (Together)
            tile.dropPadding(e, count);

        for (unsigned n = OneMode ? arguments.mode : 0; n < (OneMode ? arguments.mode + 1 : tables.order); ++n) {
            const unsigned rank = G::rank(tables.rank[n]);
            const bool shared = Together && tile.sharesRow(n);
            tile.group.sync(); // the staging area is read no more
            if (shared)
                tile.stageSumOfOtherModes(n, e, tile.staging);
            else
                tile.stageOtherModes(n, tile.staging);
            tile.group.sync();
            T damped[G::entriesPerLane];
            dampErrors(tile, arguments, n, e, damped);
            for (unsigned q = tile.group.warp; q < rank / slab; q += G::warpsPerTile) {
                const T* const core = tile.coreTransposed(n) + slab * q;
                if (shared) {
                    changeSharedRow(tile, arguments, n, tile.rowProduct(tile.staging, core, rank, tile.coreRank), q, v, count);
                    continue;
                }
                Vec4<T> d[G::entriesPerLane] = {};
                tileProduct<G>(tile.group, tile.staging, tile.stride, core, rank, tile.coreRank, d);
                changeRows(tile, arguments, n, damped, d, q, v, count);
            }
        }
    }
}

/// How many accumulators a group needs for one mode: 16 × 16 blocks of the gradient, each by half a warp. A
/// gradient of fewer blocks than half warps is taken in several shares of the entries.
template <class G> struct GradientShares {
    unsigned blocks, shares;
    __host__ __device__ GradientShares(unsigned rank, unsigned coreRank)
        : blocks(rank / slab * (coreRank / slab))
        , shares(blocks >= 2 * G::warpsPerTile ? 1 : 2 * G::warpsPerTile / blocks)
    {
    }
    __host__ __device__ unsigned elements() const { return blocks * shares * slab * slab; }
};

/// sum[j][r] += Σ_m a[m][4j'+j] · w[m][4r'+r] over every shares-th of the staged entries: one lane's 4 × 4 of a gradient.
template <unsigned Entries, class T>
__device__ __forceinline__ void outerProduct(const T* a, const T* w, unsigned stride, unsigned firstEntry, unsigned shares,
                                             Vec4<T> (&sum)[4])
{
#pragma unroll 4
    for (unsigned m = firstEntry; m < Entries; m += shares) {
        const Vec4<T> aj = load4(a + m * stride);
        const Vec4<T> wr = load4(w + m * stride);
#pragma unroll
        for (unsigned j = 0; j < 4; ++j)
#pragma unroll
            for (unsigned r = 0; r < 4; ++r)
                sum[j][r] += aj[j] * wr[r];
    }
}

/// Gr^(n) += Σ e (a^(n))ᵀ w^(n) of some modes, all from the same point.
///
/// Tiles and groups as in factorKernel; in the outer products half a warp owns a 16 × 16 block of a gradient, a
/// lane 4 × 4 of it. A group sums its tiles in T, in registers where RegisterModes gradients of one block a half
/// warp fit there, else in shared memory (or global, where that is too small), each sum owned by one lane; then
/// the block's groups are added up in fp64 in fixed order. Bytes a nonzero: 4N + sizeof(T) of the entry and N
/// rows read twice (with stored projections: once, and N rows of C). Tiles are dealt to groups in fixed order,
/// so two runs on the same card give the same bits.
template <class G, unsigned RegisterModes>
__global__ void __launch_bounds__(blockThreads, 2) coreKernel(const __grid_constant__ CoreArguments<typename G::T> arguments)
{
    using T = typename G::T;
    extern __shared__ __align__(16) unsigned char shared[];
    const Tables<T>& tables = arguments.tables;
    const unsigned coreRank = G::rank(tables.coreRank);
    unsigned elements = 0;
    for (unsigned n = arguments.firstMode; n < arguments.firstMode + arguments.modes; ++n)
        elements += GradientShares<G>(G::rank(tables.rank[n]), coreRank).elements();
    const bool inShared = RegisterModes == 0 && !arguments.accumulators;
    const SharedLayout layout = SharedLayout::of<G>(tables.order, G::rank(tables.widest), coreRank, tables.order * G::rank(0) * G::rank(0),
                                                    true, inShared ? elements : 0);
    Tile<G>::loadCores(tables, shared);
    const Tile<G> tile(tables, layout, shared);
    const ThreadGroup<G>& group = tile.group;
    const auto accumulatorsOf = [&](unsigned groupNumber) {
        if (arguments.accumulators)
            return arguments.accumulators + (std::size_t{blockIdx.x} * G::groupsPerBlock + groupNumber) * elements;
        // Registers are written to the front of the group's memory when all tiles are done.
        const unsigned offset = RegisterModes ? 0 : layout.accumulators;
        return reinterpret_cast<T*>(shared + layout.coreBytes + groupNumber * layout.groupBytes + offset);
    };
    T* const mine = accumulatorsOf(group.number);
    Vec4<T> registers[RegisterModes ? RegisterModes : 1][4] = {};
    if constexpr (RegisterModes == 0)
        for (unsigned i = group.thread; i < elements; i += G::groupThreads)
            mine[i] = 0;

    const unsigned lane = group.thread % 16;
    const unsigned halfWarp = group.thread / 16;
    const TilesOfBlock<G> tiles(arguments.begin, arguments.end);
    for (std::uint64_t first = tiles.begin; first < tiles.end; first += tiles.step) {
        const std::uint64_t v = tiles.of(group, first);
        const unsigned count = tiles.count(v);
        tile.loadEntries([&](unsigned m) { return v + m; }, count);
        if (arguments.projections[0])
            tile.gatherProjections(arguments.projections);
        else
            tile.project();
        T e[G::entriesPerLane];
        tile.residuals(e);
        tile.dropPadding(e, count);

        /// Whether it is one row that all entries share, and the sum of its e w.
        const auto stage = [&](unsigned n) {
            group.sync();
            const bool shared = tile.sharesRow(n);
            if (shared) {
                tile.template gatherRows<1>(n, tile.staging);
                tile.stageSumOfOtherModes(n, e, tile.secondStaging);
            } else {
                tile.gatherRows(n, tile.staging);
                tile.stageOtherModes(n, e, tile.secondStaging);
            }
            group.sync();
            return shared;
        };
        const auto addBlock = [&](bool shared, unsigned block, unsigned share, unsigned shares, Vec4<T>(&sum)[4]) {
            const T* const rows = tile.staging + block / (coreRank / slab) * slab + lane / 4 * 4;
            const T* const columns = tile.secondStaging + block % (coreRank / slab) * slab + lane % 4 * 4;
            if (shared)
                outerProduct<1>(rows, columns, tile.stride, share, shares, sum);
            else
                outerProduct<G::entries>(rows, columns, tile.stride, share, shares, sum);
        };
        if constexpr (RegisterModes > 0) {
            const GradientShares<G> parts(coreRank, coreRank); // as many units as half warps
#pragma unroll
            for (unsigned k = 0; k < RegisterModes; ++k) {
                if (k >= arguments.modes)
                    break;
                const bool shared = stage(arguments.firstMode + k);
                addBlock(shared, halfWarp % parts.blocks, halfWarp / parts.blocks, parts.shares, registers[k]);
            }
        } else {
            T* sums = mine;
            for (unsigned n = arguments.firstMode; n < arguments.firstMode + arguments.modes; ++n) {
                const bool shared = stage(n);
                const GradientShares<G> parts(G::rank(tables.rank[n]), coreRank);
                for (unsigned unit = halfWarp; unit < parts.blocks * parts.shares; unit += 2 * G::warpsPerTile) {
                    Vec4<T> sum[4];
#pragma unroll
                    for (unsigned j = 0; j < 4; ++j)
                        sum[j] = load4(sums + 4 * ((unit * 4 + j) * 16 + lane));
                    addBlock(shared, unit % parts.blocks, unit / parts.blocks, parts.shares, sum);
#pragma unroll
                    for (unsigned j = 0; j < 4; ++j)
                        store4(sums + 4 * ((unit * 4 + j) * 16 + lane), sum[j]);
                }
                sums += parts.elements();
            }
        }
    }

    if constexpr (RegisterModes > 0) {
        group.sync(); // the tile's memory is free now
#pragma unroll
        for (unsigned k = 0; k < RegisterModes; ++k)
#pragma unroll
            for (unsigned j = 0; j < 4; ++j)
                if (k < arguments.modes)
                    store4(mine + 4 * (((k * 2 * G::warpsPerTile + halfWarp) * 4 + j) * 16 + lane), registers[k][j]);
    }
    __syncwarp();
    __syncthreads(); // all groups of the block have their sums
    double* partial = arguments.partials + std::size_t{blockIdx.x} * arguments.gradientElements;
    for (unsigned n = 0; n < arguments.firstMode; ++n)
        partial += G::rank(tables.rank[n]) * coreRank;
    unsigned before = 0;
    for (unsigned n = arguments.firstMode; n < arguments.firstMode + arguments.modes; ++n) {
        const GradientShares<G> parts(G::rank(tables.rank[n]), coreRank);
        for (unsigned x = threadIdx.x; x < parts.blocks * slab * slab; x += blockThreads) {
            const unsigned j = x / coreRank;
            const unsigned r = x % coreRank;
            const unsigned block = j / slab * (coreRank / slab) + r / slab;
            const unsigned owner = j % slab / 4 * 4 + r % slab / 4;
            double sum = 0;
            for (unsigned k = 0; k < G::groupsPerBlock; ++k)
                for (unsigned share = 0; share < parts.shares; ++share)
                    sum += static_cast<double>(
                        accumulatorsOf(k)[before + 4 * (((share * parts.blocks + block) * 4 + j % 4) * 16 + owner) + r % 4]);
            partial[x] += sum;
        }
        partial += parts.blocks * slab * slab;
        before += parts.elements();
    }
}

/// Tiles and groups as in factorKernel, projections from the masters. e in T.
/// Bytes a nonzero: 4N + sizeof(T) of the entry and N rows.
template <class G>
__global__ void __launch_bounds__(blockThreads, 2) evaluateKernel(const __grid_constant__ EvaluateArguments<typename G::T> arguments)
{
    using T = typename G::T;
    extern __shared__ __align__(16) unsigned char shared[];
    const Tables<T>& tables = arguments.tables;
    const SharedLayout layout = SharedLayout::of<G>(tables.order, G::rank(tables.widest), G::rank(tables.coreRank),
                                                    tables.order * G::rank(0) * G::rank(0), false, 0);
    Tile<G>::loadCores(tables, shared);
    const Tile<G> tile(tables, layout, shared);

    ErrorsOfThread<T> errors;
    const TilesOfBlock<G> tiles(arguments.begin, arguments.end);
    for (std::uint64_t first = tiles.begin; first < tiles.end; first += tiles.step) {
        const std::uint64_t v = tiles.of(tile.group, first);
        const unsigned count = tiles.count(v);
        tile.loadEntries([&](unsigned m) { return v + m; }, count);
        tile.project();
        T e[G::entriesPerLane];
        tile.residuals(e);
        if (tile.group.warp == 0 && tile.group.t == 0)
            for (unsigned i = 0; i < G::entriesPerLane; ++i)
                if (tile.entry(i) < count)
                    errors.add(e[i]);
    }
    __syncwarp();
    __syncthreads(); // shared memory is free now
    errors.addToBlocks(reinterpret_cast<double*>(shared), arguments.partials);
}

} // namespace kernels::fasttucker_plus::gpu
