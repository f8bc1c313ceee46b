// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_sums.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_tile.cuh"

/// One pass over grouped tiles: a warp owns a tile, its rows go straight into registers as left-hand fragments.
namespace kernels::fasttucker_plus::gpu {

/// Updates the rows of every entry of grouped tiles, and takes the gradients of the cores meanwhile where G says so.
///
/// A warp owns a tile; lanes as in GroupedTile. Bytes a nonzero at order 3, J = 16: 17 of the record and header from
/// memory, one row read and added to in L2 (128; 64 in 16 bits), a quarter of a row for runs, next to nothing for the uniform row.
/// Arithmetic: 4JRN, 6JRN with gradients. Rows are read while others add to them: two runs differ, nothing is lost.
/// Gradients taken with updates see an entry's rows just before they change. Where G touches, rows come as ever and have 0 added to them.
template <class G>
__global__ void __launch_bounds__(groupedThreads, G::blocks) groupedKernel(const __grid_constant__ GroupedArguments arguments)
{
    if constexpr (!runsHere<G>())
        return;
    // Operands, rows, records, what is kept: of all warps each. Aligned to a multiple of G::blockBytes: takeRows() sets offsets by OR.
    extern __shared__ __align__(1024) unsigned char shared[];
    auto* const operands = reinterpret_cast<uint4*>(shared);
    constexpr unsigned ofCore = G::coreBlocks * warpSize32;
    for (unsigned x = threadIdx.x; x < G::operandQuads; x += groupedThreads) {
        const unsigned core = x / ofCore;
        const uint4* const from = core < G::order ? arguments.projecting[core] : arguments.returning[core - G::order];
        operands[x] = from[x % ofCore];
    }
    __syncthreads();

    const auto base = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const unsigned warp = threadIdx.x / warpSize32;
    constexpr unsigned warps = groupedThreads / warpSize32;
    constexpr unsigned slotsAt = G::operandBytes + warps * G::rowBytes;
    constexpr unsigned keptAt = slotsAt + warps * G::slots * G::slotBytes;
    GroupedTile<G> tile(arguments, base, base + G::operandBytes + warp * G::rowBytes,
                        base + keptAt + warp * (G::keptBytes + G::uniformGradientBytes));
    float gradients[G::order][G::coreBlocks][8];
    if constexpr (G::gradient)
#pragma unroll
        for (unsigned x = 0; x < G::order * G::coreBlocks * 8; ++x)
            gradients[x / (G::coreBlocks * 8)][x / 8 % G::coreBlocks][x % 8] = 0;

    // Records come two tiles ahead, rows one: of the tile after this one while this one's are changed. gradientKernel does much the same.
    GroupedWalk walk(arguments, tile.lane());
    unsigned slot = kept(base + slotsAt + warp * (G::slots * G::slotBytes)); // of this tile
    unsigned next = kept(slot + G::slotBytes), later = kept(next + G::slotBytes); // of the next, of the one after
    unsigned pending = 0; // tiles asked for and not done
    const auto askForNext = [&](unsigned to) {
        askForRecords<G>(arguments.tiles, to, walk, tile.lane());
        closeCopies();
        if (walk.valid()) {
            walk.advance();
            ++pending;
        }
    };
    askForNext(slot);
    askForNext(next);
    if (pending > 0) {
        waitForCopies<1>();
        __syncwarp();
        tile.askForRows(slot);
        closeCopies();
    }
    unsigned opens = 1;
    for (; pending > 0; --pending) {
        waitForCopies<0>();
        __syncwarp();
        if (G::uniform && !G::touches && opens != 0)
            tile.openGroup(slot);
        tile.take(slot);
        if (pending > 1) {
            tile.askForRows(next);
            askForNext(later);
        }
        if constexpr (G::touches)
            tile.touch();
        else {
            tile.project();
#pragma unroll
            for (unsigned p = G::order; p-- > G::uniformPlaces;) {
                tile.weigh(p);
                if constexpr (G::gradient)
                    tile.addGradient(p, gradients[p]);
                tile.change(p);
            }
        }
        opens = tile.closes();
        if (G::uniform && !G::touches && opens != 0)
            tile.closeGroup();
        const unsigned done = slot;
        slot = next;
        next = later;
        later = done;
    }
    if constexpr (G::gradient && G::uniform)
        tile.takeUniformGradient(gradients[0]);
    if constexpr (G::gradient)
        keepGradients<G>(arguments, gradients, 0, reinterpret_cast<float*>(shared));
}

} // namespace kernels::fasttucker_plus::gpu
