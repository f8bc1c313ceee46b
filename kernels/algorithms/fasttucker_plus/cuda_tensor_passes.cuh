// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tensor_tile.cuh"

namespace kernels::fasttucker_plus::gpu {

/// Positions of an iteration's visiting order. Where tiles begin at multiples of their size, each is a run of stored
/// entries, and every lane finds the beginning of another of the next 32 tiles.
struct VisitedPositions {
    const VisitingOrder& order;
    bool aligned;
    std::uint64_t ahead = 0, start = 0;

    __device__ void prepare(std::uint64_t v, unsigned number, std::uint64_t step, std::uint64_t end, unsigned lane)
    {
        if (!aligned)
            return;
        if (number % warpSize32 == 0) {
            const std::uint64_t mine = v + lane * step;
            ahead = mine < end ? order.at(mine) : 0;
        }
        start = __shfl_sync(~0U, ahead, static_cast<int>(number % warpSize32));
    }
    __device__ std::uint64_t of(std::uint64_t v, unsigned m) const { return aligned ? start + m : order.at(v + m); }
};

struct StoredPositions {
    __device__ void prepare(std::uint64_t, unsigned, std::uint64_t, std::uint64_t, unsigned) const { }
    __device__ std::uint64_t of(std::uint64_t v, unsigned m) const { return v + m; }
};

/// One pass over entries that updates all N rows of each, or (OneMode) the row of one mode, products on tensor cores. Stale: C^(n) is
/// read, as it was before, in place of being computed.
///
/// Groups and lanes as in TensorTile. Bytes a nonzero: 4N + sizeof(T) of the entry from memory; N rows read once and
/// added to once (OneMode: one of them), mostly in L2: 384 bytes at N = 3, J = 16 in fp32. Arithmetic: 4JRN (2JR(N + 1)). Operands of
/// products are rounded to the precision, sums and rows stay in T. Normal mode: rows are read while others add to them, so two runs differ;
/// nothing is lost, since additions are atomic. Deterministic mode: changes are stored one row an entry, the same bits
/// every run.
template <class G, bool OneMode, bool Holds, bool Stale = false>
__global__ void __launch_bounds__(G::threads, G::factorBlocks(Holds))
    tensorFactorKernel(const __grid_constant__ FactorArguments<typename G::T> arguments)
{
    using T = typename G::T;
    using Products = typename G::Products;
    extern __shared__ __align__(16) unsigned char shared[];
    const Operands<T>& operands = arguments.operands;
    const TensorTile<G> tile(arguments.tables, operands, shared, TensorLayout::factorExchange<G>(G::warps(operands.warpsPerTile)));
    if (tile.number >= arguments.groupsPerBlock)
        return;
    const typename TensorTile<G>::template Held<Holds> held(tile);
    VisitedPositions positions{arguments.order, arguments.begin % tileOfEntries == 0};
    const auto body = [&](std::uint64_t v, unsigned count, unsigned buffer, unsigned sharedModes) {
        Pair<T> before; // OneMode: w of the mode
        Pair<T> last; // OneMode: its c
        T e[2];
        const auto project = [&](unsigned n) {
            if constexpr (Stale)
                return tile.storedProjection(arguments.projections[n], buffer, n);
            else if constexpr (Holds)
                return tile.project(n, held);
            else
                return tile.project(n, sharedModes >> n & 1);
        };
        if constexpr (OneMode)
            tile.goUpTo(arguments.mode, project, before, last);
        else
            tile.goUp(project, before, last);
        tile.residuals(before, last, buffer, e);
        const auto update = [&](unsigned n, const Pair<T>& w) {
            const typename Products::Left mine = Products::left(w.of[0], w.of[1]);
            if constexpr (G::tiles != 1)
                tile.show(n, mine);
            T own[2] = {e[0], e[1]};
            if (arguments.damping[n] > 0)
                tile.damp(own, arguments.damping[n], n, mine);
            const unsigned rank = G::tilesOf(arguments.tables.rank[n]) * slab;
            const Index row[2] = {tile.row(buffer, n, 0), tile.row(buffer, n, 1)};
            const bool scaled = arguments.rowScales[n] != nullptr;
            const bool one = sharedModes >> n & 1;
            T slope[2], shrink[2];
#pragma unroll
            for (unsigned i = 0; i < 2; ++i) {
                const T rate = scaled ? arguments.rates[n] * tile.scale(n, i) : arguments.rates[n];
                const bool real = tile.g + 8 * i < count;
                slope[i] = real ? -rate * own[i] * operands.changeScale[n] : T(0);
                shrink[i] = real ? -rate * arguments.lambda : T(0);
            }
            for (unsigned q = tile.warp; q < rank / slab; q += tile.warps) {
                Vec4<T> d[2] = {};
                if constexpr (G::tiles == 1)
                    Products::multiply(d, mine, tile.right(operands.returning[n], q));
                else
#pragma unroll(G::unrolled)
                    for (unsigned k = 0; k < tile.coreTiles; ++k)
                        Products::multiply(d, *tile.shown(n, k), tile.right(operands.returning[n], q * tile.coreTiles + k));
                Pair<T> change = tile.ownRows(n, q, one);
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
#pragma unroll
                    for (unsigned x = 0; x < 4; ++x)
                        change.of[i][x] = slope[i] * d[i][x] + shrink[i] * change.of[i][x];
                const unsigned firstColumn = q * slab + 4 * tile.t;
                if (one) {
                    change.addUp();
                    if (tile.g == 0)
                        arguments.change(n, row[0], rank, firstColumn, v, change.of[0]);
                    continue;
                }
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
                    if (tile.g + 8 * i < count)
                        arguments.change(n, row[i], rank, firstColumn, v + tile.g + 8 * i, change.of[i]);
            }
        };
        if constexpr (OneMode)
            update(arguments.mode, before);
        else
            tile.goDown(before, last, update);
    };
    forTiles<true>(
        tile, arguments.begin, arguments.end, arguments.groupsPerBlock, positions, arguments.together,
        [&](unsigned buffer) { tile.fetchScales(buffer, arguments.rowScales); }, body);
}

/// Gr^(n) += Σ e (a^(n))ᵀ w^(n) of some 16-row parts, all from the same point; OneMode: all of one mode.
///
/// Tiles and groups as in tensorFactorKernel; warp q sums its 16 columns of every part in registers, in T, over all
/// tiles of its group; then the block's groups are added up in fp64 in fixed order. Bytes a nonzero: 4N + sizeof(T)
/// of the entry and N rows read once (with stored projections: and N rows of C). Tiles are dealt to groups in fixed
/// order, so two runs on the same card give the same bits.
template <class G, unsigned Parts, bool OneMode, bool Holds>
__global__ void __launch_bounds__(G::threads, G::coreBlocks(Parts, Holds))
    tensorCoreKernel(const __grid_constant__ CoreArguments<typename G::T> arguments)
{
    using T = typename G::T;
    using Products = typename G::Products;
    extern __shared__ __align__(16) unsigned char shared[];
    const Operands<T>& operands = arguments.operands;
    const TensorTile<G> tile(arguments.tables, operands, shared, TensorLayout::coreExchange<G>(G::warps(operands.warpsPerTile)));
    const unsigned groups = blockDim.x / (warpSize32 * tile.warps);
    T sums[Parts][8] = {};
    const typename TensorTile<G>::template Held<Holds> held(tile);
    StoredPositions positions;
    const auto body = [&](std::uint64_t, unsigned count, unsigned buffer, unsigned) {
        Pair<T> before; // OneMode: w of the mode
        Pair<T> last; // OneMode: its c
        T e[2];
        const auto projection = [&](unsigned n) {
            if constexpr (Holds)
                return tile.project(n, held);
            else
                return arguments.projections[n] ? tile.storedProjection(arguments.projections[n], buffer, n) : tile.project(n);
        };
        if constexpr (OneMode)
            tile.goUpTo(arguments.firstMode, projection, before, last);
        else
            tile.goUp(projection, before, last);
        tile.residuals(before, last, buffer, e);
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
            e[i] = tile.g + 8 * i < count ? e[i] * operands.residualScale : T(0);
        const auto addGradients = [&](unsigned n, Pair<T> w) {
            if (!tile.active)
                return;
#pragma unroll
            for (unsigned i = 0; i < 2; ++i)
#pragma unroll
                for (unsigned x = 0; x < 4; ++x)
                    w.of[i][x] *= e[i];
            const typename Products::GradientRight right = Products::gradientRight(w.of[0], w.of[1], tile.scratch(), tile.lane);
            if constexpr (OneMode) {
#pragma unroll
                for (unsigned s = 0; s < Parts; ++s)
                    if (Parts == G::tiles || s < arguments.parts)
                        Products::addGradient(sums[s], tile.gradientOfRows(n, arguments.part[s].block), right);
            } else if constexpr (Parts == G::order * G::tiles) {
#pragma unroll
                for (unsigned q = 0; q < G::tiles; ++q)
                    Products::addGradient(sums[n * G::tiles + q], tile.gradientOfRows(n, q), right);
            } else {
#pragma unroll
                for (unsigned s = 0; s < Parts; ++s)
                    if (s < arguments.parts && arguments.part[s].mode == n)
                        Products::addGradient(sums[s], tile.gradientOfRows(n, arguments.part[s].block), right);
            }
        };
        if constexpr (OneMode)
            addGradients(arguments.firstMode, before);
        else
            tile.goDown(before, last, addGradients);
    };
    std::uint64_t next = 0;
    if constexpr (G::roundedOnce)
        next = forTilesAhead(tile, arguments.begin, arguments.end, groups, positions, body);
    else
        next = forTiles<false>(
            tile, arguments.begin, arguments.end, groups, positions, false, [](unsigned) {}, body);
    // Where the block's first group had a tile more: what TilesOfBlock is for, without a round that takes registers.
    if constexpr (G::tiles != 1)
        if (next - tile.number * tileOfEntries < arguments.end)
            for (unsigned meeting = 0; meeting < 3; ++meeting) // two in forTiles or forTilesAhead, one in residuals
                tile.sync();

    waitForCopies<0>();
    const unsigned elements = slab * tile.coreTiles * slab; // of a part
    T* const ofGroups = reinterpret_cast<T*>(shared);
#pragma unroll
    for (unsigned s = 0; s < Parts; ++s) {
        if (s >= arguments.parts)
            break;
        __syncwarp();
        __syncthreads(); // shared memory is free, for the first part and again for the next
        if (tile.active)
#pragma unroll
            for (unsigned x = 0; x < 8; ++x)
                ofGroups[tile.number * elements + tile.gradientRow(x / 2 % 2) * tile.coreTiles * slab + tile.warp * slab
                         + Products::gradientColumn(tile.t, x / 4, x % 2)] = sums[s][x];
        __syncwarp();
        __syncthreads();
        double* const partial = arguments.partials + std::size_t{blockIdx.x} * arguments.gradientElements + arguments.part[s].offset;
        for (unsigned x = threadIdx.x; x < elements; x += blockDim.x) {
            double sum = 0;
            for (unsigned k = 0; k < groups; ++k)
                sum += static_cast<double>(ofGroups[k * elements + x]);
            partial[x] += sum;
        }
    }
}

/// B^(n) and its transpose as right-hand fragments; a thread owns a lane of a block.
template <Precision P> struct OperandWriter {
    using T = typename Products<P>::T;
    using Right = typename Products<P>::Right;
    const T* core;
    unsigned rank, coreRank;
    T scale; ///< of the projecting ones
    uint4* projecting;
    uint4* returning;

    __device__ void write(unsigned thread) const
    {
        const unsigned blocks = rank / slab * (coreRank / slab);
        const bool back = thread >= blocks * warpSize32;
        const unsigned lane = thread % warpSize32;
        const unsigned block = thread / warpSize32 - (back ? blocks : 0);
        const unsigned inner = (back ? coreRank : rank) / slab;
        const unsigned k = block % inner * slab + 4 * (lane % 4);
        Right fragment;
#pragma unroll
        for (unsigned x = 0; x < 8; ++x) {
            const unsigned q = block / inner * slab + column(lane / 4, x / 4);
            const T value = back ? core[q * coreRank + k + x % 4] : core[(k + x % 4) * coreRank + q] * scale;
            fragment.set(x, Products<P>::operand(value));
        }
        constexpr unsigned pieces = sizeof(Right) / sizeof(uint4);
        uint4* const to = (back ? returning : projecting) + block * pieces * warpSize32 + lane;
#pragma unroll
        for (unsigned p = 0; p < pieces; ++p)
            to[p * warpSize32] = reinterpret_cast<const uint4*>(&fragment)[p];
    }
};

template <Precision P> __global__ void __launch_bounds__(blockThreads) writeOperandsKernel(OperandWriter<P> writer)
{
    const unsigned threads = 2 * (writer.rank / slab) * (writer.coreRank / slab) * warpSize32;
    for (unsigned i = blockIdx.x * blockThreads + threadIdx.x; i < threads; i += gridDim.x * blockThreads)
        writer.write(i);
}

} // namespace kernels::fasttucker_plus::gpu
