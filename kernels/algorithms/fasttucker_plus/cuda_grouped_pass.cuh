// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_tile.cuh"

/// One pass over grouped tiles: a warp owns a tile, its rows go straight into registers as left-hand fragments.
namespace kernels::fasttucker_plus::gpu {

/// The block's warps are added up in fixed order, then to the block's own sums in fp64.
template <class G>
__device__ void keepGradients(const GroupedArguments& arguments, const float (&sums)[G::order][G::coreBlocks][8], float* shared)
{
    constexpr unsigned elements = G::order * G::coreBlocks * slab * slab;
    const unsigned lane = threadIdx.x % warpSize32;
    for (unsigned warp = 0; warp < groupedThreads / warpSize32; ++warp) {
        __syncthreads();
        if (warp != threadIdx.x / warpSize32)
            continue;
#pragma unroll
        for (unsigned n = 0; n < G::order; ++n)
#pragma unroll
            for (unsigned block = 0; block < G::coreBlocks; ++block)
#pragma unroll
                for (unsigned x = 0; x < 8; ++x) {
                    const unsigned row = block / G::tiles * slab + column(lane / 4, x / 2 % 2);
                    const unsigned at = n * G::coreBlocks * slab * slab + row * G::tiles * slab + block % G::tiles * slab + lane % 4 * 4
                        + x / 4 * 2 + x % 2;
                    shared[at] = warp == 0 ? sums[n][block][x] : shared[at] + sums[n][block][x];
                }
    }
    __syncthreads();
    double* const partial = arguments.partials + std::size_t{blockIdx.x} * elements;
    constexpr unsigned ofMode = G::coreBlocks * slab * slab;
    for (unsigned x = threadIdx.x; x < elements; x += groupedThreads)
        partial[arguments.modes[x / ofMode] * ofMode + x % ofMode] += static_cast<double>(shared[x]);
}

/// Updates the rows of every entry of grouped tiles, takes the gradients of the cores, or both.
///
/// A warp owns a tile; lanes as in GroupedTile. Bytes a nonzero at order 3, J = 16: 17 of the record and header from
/// memory, one row read and added to in L2 (128; 64 in 16 bits), a quarter of a row for runs, next to nothing for the uniform row.
/// Arithmetic: 4JRN, 6JRN with gradients. Rows are read while others add to them: two runs differ, nothing is lost.
/// Gradients taken with updates see an entry's rows just before they change.
template <class G>
__global__ void __launch_bounds__(groupedThreads, G::blocks) groupedKernel(const __grid_constant__ GroupedArguments arguments)
{
    extern __shared__ __align__(16) unsigned char shared[];
    auto* const operands = reinterpret_cast<uint4*>(shared);
    constexpr unsigned ofCore = G::coreBlocks * warpSize32;
    for (unsigned x = threadIdx.x; x < G::operandQuads; x += groupedThreads) {
        const unsigned core = x / ofCore;
        const uint4* const from = core < G::order ? arguments.projecting[core] : arguments.returning[core - G::order];
        operands[x] = from[x % ofCore];
    }
    auto* const steps = reinterpret_cast<StepLevels*>(shared + G::operandBytes);
    for (unsigned x = threadIdx.x; x < G::order * stepLevels; x += groupedThreads)
        steps[x / stepLevels].level[x % stepLevels] = arguments.steps[x / stepLevels].level[x % stepLevels];
    __syncthreads();

    constexpr unsigned warps = groupedThreads / warpSize32;
    using Left = typename GroupedTile<G>::Left;
    unsigned char* const slots = shared + G::operandBytes + G::stepBytes + threadIdx.x / warpSize32 * G::warpBytes;
    GroupedTile<G> tile(arguments, operands, steps, slots + G::slots * G::slotBytes);
    float gradients[G::order][G::coreBlocks][8];
    if constexpr (G::gradient)
#pragma unroll
        for (unsigned x = 0; x < G::order * G::coreBlocks * 8; ++x)
            gradients[x / (G::coreBlocks * 8)][x / 8 % G::coreBlocks][x % 8] = 0;
    Vec4<float> uniformSums[G::tiles][2];
    unsigned uniformEntries = 0;

    // Records come two tiles ahead, rows one: of the tile after this one while this one's are changed.
    GroupedWalk walk(arguments, blockIdx.x * warps + threadIdx.x / warpSize32, gridDim.x * warps);
    unsigned slot = 0;
    const auto slotAhead = [&](unsigned tiles) { return slots + (slot + tiles) % G::slots * G::slotBytes; };
    const auto askAhead = [&](unsigned tiles) {
        const TileOfWalk asked = walk.now();
        if (asked.exists)
            askForRecords<G>(slotAhead(tiles), arguments.tiles, walk.tile, tile.lane());
        closeCopies();
        walk.advance();
        return asked;
    };
    TileOfWalk now = askAhead(0);
    TileOfWalk next = askAhead(1);
    if (now.exists) {
        waitForCopies<1>();
        __syncwarp();
        tile.askForRows(GroupedRecords<G>(slotAhead(0), tile.g()), true);
    }
    while (now.exists) {
        waitForCopies<0>();
        __syncwarp();
        const GroupedRecords<G> records(slotAhead(0), tile.g());
        tile.takeRows(records, now.opens);
        const TileOfWalk later = askAhead(2);
        tile.project(records);
        if (next.exists)
            tile.askForRows(GroupedRecords<G>(slotAhead(1), tile.g()), next.opens);
#pragma unroll
        for (unsigned down = 1; down <= G::order; ++down) {
            const unsigned n = G::order - down;
            tile.weigh(n);
            if (n < G::shared) {
                if (now.opens) {
                    uniformEntries = 0;
#pragma unroll
                    for (unsigned x = 0; x < G::tiles * 8; ++x)
                        uniformSums[x / 8][x / 4 % 2][x % 4] = 0;
                }
                tile.gatherUniform(uniformSums);
                uniformEntries += records.header.entries();
                if (!now.closes)
                    continue;
                Left sums[G::tiles];
#pragma unroll
                for (unsigned q = 0; q < G::tiles; ++q)
                    sums[q] = tile.clamped(uniformSums[q]);
                if constexpr (G::update)
                    tile.changeUniform(records.header.row, sums, uniformEntries);
                tile.weighUniform(sums);
            } else if constexpr (G::update) {
                if (records.merges(n))
                    tile.changeMerged(records, n);
                else
                    tile.changeApart(records, n);
            }
            if constexpr (G::gradient)
                tile.addGradient(n, gradients[n]);
        }
        now = next;
        next = later;
        slot = slot + 1 == G::slots ? 0 : slot + 1;
    }
    if constexpr (G::gradient)
        keepGradients<G>(arguments, gradients, reinterpret_cast<float*>(shared));
}

} // namespace kernels::fasttucker_plus::gpu
