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
    auto* const steps = reinterpret_cast<PlaceSteps*>(shared + G::operandBytes);
    for (unsigned x = threadIdx.x; x < G::order * stepLevels; x += groupedThreads) {
        const unsigned n = x / stepLevels;
        steps[n].slope[x % stepLevels] = arguments.slopes[n] * arguments.steps[n].level[x % stepLevels];
        steps[n].decay = arguments.decays[n];
        steps[n].decayBits = G::Products::packClamped(arguments.decays[n], 0);
    }
    __syncthreads();

    unsigned char* const slots = shared + G::operandBytes + G::stepBytes + threadIdx.x / warpSize32 * G::warpBytes;
    GroupedTile<G> tile(arguments, operands, steps, slots + G::slots * G::slotBytes);
    float gradients[G::order][G::coreBlocks][8];
    if constexpr (G::gradient)
#pragma unroll
        for (unsigned x = 0; x < G::order * G::coreBlocks * 8; ++x)
            gradients[x / (G::coreBlocks * 8)][x / 8 % G::coreBlocks][x % 8] = 0;

    // Records come two tiles ahead, rows one: of the tile after this one while this one's are changed.
    GroupedWalk walk(arguments, tile.lane());
    const RecordCopies<G> records(arguments.tiles, tile.lane());
    unsigned slot = 0, next = G::slotBytes, later = 2 * G::slotBytes; // of this tile, of the next, of the one after
    unsigned pending = 0; // tiles asked for and not done
    const auto askForRecords = [&](unsigned to) {
        if (!walk.valid())
            return;
        records.ask(slots + to, walk.tile);
        walk.advance();
        ++pending;
    };
    askForRecords(slot);
    closeCopies();
    askForRecords(next);
    closeCopies();
    if (pending > 0) {
        waitForCopies<1>();
        __syncwarp();
        tile.askForRows(slots + slot);
        closeCopies();
    }
    for (; pending > 0; --pending) {
        waitForCopies<0>();
        __syncwarp();
        tile.take(slots + slot);
        if (tile.opens())
            tile.projectUniform();
        if (pending > 1) {
            tile.askForRows(slots + next);
            askForRecords(later);
            closeCopies();
        }
        tile.project();
#pragma unroll
        for (unsigned down = 1; down <= G::order; ++down) {
            const unsigned n = G::order - down;
            tile.weigh(n);
            if (G::uniform && n == 0) {
                tile.gatherUniform();
                if (!tile.closes())
                    continue;
                tile.closeUniform();
            }
            if constexpr (G::gradient) {
                tile.turnRows(n);
                tile.addGradient(gradients[n]);
            }
            if (!G::uniform || n > 0)
                tile.change(n);
        }
        const unsigned done = slot;
        slot = next;
        next = later;
        later = done;
    }
    if constexpr (G::gradient)
        keepGradients<G>(arguments, gradients, reinterpret_cast<float*>(shared));
}

} // namespace kernels::fasttucker_plus::gpu
