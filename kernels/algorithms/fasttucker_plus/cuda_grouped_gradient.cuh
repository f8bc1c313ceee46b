// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_gradient_rows.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_sums.cuh"

/// The gradients of the cores over grouped tiles in a pass of their own: Σ aᵀ (e w) for every place.
///
/// Nothing is written, so rows may lie as products like them: tensor cores take rows of entries as right-hand operands, and
/// projections come out as c(r, entry), entries in pairs. That is what the sum over entries takes in turn, so weights pass from
/// product to product in registers and are never turned; rows are turned while they are read from shared memory.
namespace kernels::fasttucker_plus::gpu {

/// A tile in one warp's registers. Lane (g, t) holds numbers r = column(g, h), h = 0 and 1, of entries 8i + 2t and 8i + 2t + 1,
/// i = 0 and 1, of every product.
template <class G> class GradientTile : public GradientRows<G> {
    using Base = GradientRows<G>;
    using Base::m_arguments, Base::m_lane;

public:
    using typename Base::Left, typename Base::Products;

    /// cores: as operands, in shared memory; ofWarp: G::rowBytes of it.
    __device__ GradientTile(const GroupedArguments& arguments, const uint4* cores, unsigned char* ofWarp)
        : Base(arguments, ofWarp)
        , m_ownEntry(kept(m_lane / 2 & 8 | 2 * (m_lane % 4) | m_lane / 8 % 2))
        , m_ownValue(kept((m_ownEntry * G::record.quads * 4 + G::record.value()) * 4))
        , m_inOrder(kept(m_lane / 8 % 2 == 1 ? 0x1054 : 0x5410))
        , m_cores(cores + m_lane)
    {
        if constexpr (G::coresInRegisters)
#pragma unroll
            for (unsigned p = G::uniformPlaces; p < G::order; ++p)
                m_heldCores[p] = core(p, 0);
    }

    /// c of the uniform row and that row, turned: for all tiles of its group.
    __device__ void openGroup()
    {
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q) {
            float c[2][4] = {};
#pragma unroll
            for (unsigned k = 0; k < G::columnBlocks; ++k)
                addProjection(c, core(0, q * G::columnBlocks + k), this->uniformRow(k));
            m_uniform[q][0] = c[0][0];
            m_uniform[q][1] = c[0][2];
            m_uniformTurned[q] = this->uniformRowTurned(q);
        }
    }

    /// Every place's share of its gradient; records: the tile's, with entries in it.
    __device__ void addGradients(float (&sums)[G::order][G::coreBlocks][8], const unsigned char* records, unsigned entries)
    {
        Left projections[G::order][G::columnBlocks];
        Left before[G::order][G::columnBlocks]; // products of the places before, from the third place on
        unsigned errors[2];
        projectAll(records, entries, errors, [&](unsigned p, unsigned q, const Left& own) {
            projections[p][q] = own;
            if (p + 1 < G::order && p > 0)
                before[p + 1][q] = times<Products>(p == 1 ? projections[0][q] : before[p][q], own);
        });
        Left after[G::columnBlocks]; // e times the projections of the places after
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q)
            after[q] = {{errors[0], errors[1], errors[0], errors[1]}};
#pragma unroll
        for (unsigned down = 1; down <= G::order; ++down) {
            const unsigned p = G::order - down;
            GradientRight weights[G::columnBlocks];
#pragma unroll
            for (unsigned q = 0; q < G::columnBlocks; ++q) {
                const Left w = p == 0 ? after[q] : times<Products>(p == 1 ? projections[0][q] : before[p][q], after[q]);
#pragma unroll
                for (unsigned x = 0; x < 4; ++x)
                    weights[q].r[x] = w.r[x];
                if (p > 0)
                    after[q] = times<Products>(after[q], projections[p][q]);
            }
            addOuter(sums[p], p, weights);
        }
    }

    /// The same of G::places places from first on, alone. Of those there is no more than the product of all others' c to keep.
    __device__ void addGradientsFrom(unsigned first, float (&sums)[G::places][G::coreBlocks][8], const unsigned char* records,
                                     unsigned entries)
    {
        Left others[G::places][G::columnBlocks];
#pragma unroll
        for (unsigned s = 0; s < G::places; ++s)
#pragma unroll
            for (unsigned q = 0; q < G::columnBlocks; ++q)
                others[s][q] = {{ones, ones, ones, ones}};
        unsigned errors[2];
        projectAll(records, entries, errors, [&](unsigned p, unsigned q, const Left& own) {
#pragma unroll
            for (unsigned s = 0; s < G::places; ++s)
                if (p != first + s)
                    others[s][q] = times<Products>(others[s][q], own);
        });
#pragma unroll
        for (unsigned s = 0; s < G::places; ++s) {
            if (first + s >= G::order)
                break;
            GradientRight weights[G::columnBlocks];
#pragma unroll
            for (unsigned q = 0; q < G::columnBlocks; ++q)
#pragma unroll
                for (unsigned x = 0; x < 4; ++x)
                    weights[q].r[x] = timesHalves<Products>(others[s][q].r[x], errors[x % 2]);
            addOuter(sums[s], first + s, weights);
        }
    }

private:
    using GradientRight = typename Products::GradientRight;
    static constexpr unsigned ones = HalfPairs<Products>::one * 0x10001U;

    /// c of every place, as operand to keep(place, block of columns, c); then the tile's errors.
    template <class Keep>
    __device__ __forceinline__ void projectAll(const unsigned char* records, unsigned entries, unsigned (&errors)[2],
                                               const Keep& keep) const
    {
        float products[G::columnBlocks][2][4]; // of all places
#pragma unroll
        for (unsigned p = 0; p < G::order; ++p) {
            Left rows[G::columnBlocks];
            if (!isUniform(p))
#pragma unroll
                for (unsigned k = 0; k < G::columnBlocks; ++k)
                    rows[k] = this->rows(p, k);
#pragma unroll
            for (unsigned q = 0; q < G::columnBlocks; ++q) {
                float c[2][4] = {};
                project(c, p, q, rows);
                keep(p, q, operand(c));
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
#pragma unroll
                    for (unsigned x = 0; x < 4; ++x)
                        products[q][i][x] = p == 0 ? c[i][x] : products[q][i][x] * c[i][x];
            }
        }
        errorsOf(products, *reinterpret_cast<const float*>(records + m_ownValue), entries, errors);
    }
    /// A place's gradient: its rows, turned, times weights; sums: [block j, q] of its core.
    __device__ __forceinline__ void addOuter(float (&sums)[G::coreBlocks][8], unsigned p,
                                             const GradientRight (&weights)[G::columnBlocks]) const
    {
#pragma unroll
        for (unsigned j = 0; j < G::columnBlocks; ++j) {
            const Left turned = isUniform(p) ? m_uniformTurned[j] : this->rowsTurned(p, j);
#pragma unroll
            for (unsigned q = 0; q < G::columnBlocks; ++q)
                Products::addGradient(sums[j * G::columnBlocks + q], turned, weights[q]);
        }
    }

    __device__ static constexpr bool isUniform(unsigned p) { return G::uniformPlaces > 0 && p == 0; }
    __device__ Left core(unsigned p, unsigned block) const
    {
        const uint4 words = m_cores[(p * G::coreBlocks + block) * warpSize32];
        return {{words.x, words.y, words.z, words.w}};
    }
    __device__ static void addProjection(float (&c)[2][4], const Left& core, const Left& rows)
    {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
            Products::mma(c[i], core, rows.r[2 * i], rows.r[2 * i + 1]);
    }
    __device__ void project(float (&c)[2][4], unsigned p, unsigned q, const Left (&rows)[G::columnBlocks]) const
    {
        if (isUniform(p)) {
#pragma unroll
            for (unsigned x = 0; x < 8; ++x)
                c[x / 4][x % 4] = m_uniform[q][x / 2 % 2];
            return;
        }
#pragma unroll
        for (unsigned k = 0; k < G::columnBlocks; ++k)
            if constexpr (G::coresInRegisters)
                addProjection(c, m_heldCores[p], rows[k]);
            else
                addProjection(c, core(p, q * G::columnBlocks + k), rows[k]);
    }
    /// [half][entries 0-7, 8-15], as GradientRight.
    __device__ static Left operand(const float (&c)[2][4])
    {
        return {{Products::pack(c[0][0], c[0][1]), Products::pack(c[1][0], c[1][1]), Products::pack(c[0][2], c[0][3]),
                 Products::pack(c[1][2], c[1][3])}};
    }

    /// Each lane adds up one entry's prediction: half of what it has goes to the lane across, until one is left. Then e comes back
    /// the same way, in pairs of entries.
    __device__ void errorsOf(const float (&products)[G::columnBlocks][2][4], float value, unsigned entries, unsigned (&errors)[2]) const
    {
        float sums[2][2] = {};
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q)
#pragma unroll
            for (unsigned x = 0; x < 8; ++x)
                sums[x / 4][x % 2] += products[q][x / 4][x % 4];
        const bool inUpper = (m_lane & 16) != 0;
        const bool inOdd = (m_lane & 8) != 0;
        float pair[2];
#pragma unroll
        for (unsigned c = 0; c < 2; ++c)
            pair[c] = (inUpper ? sums[1][c] : sums[0][c]) + __shfl_xor_sync(~0U, inUpper ? sums[0][c] : sums[1][c], 16);
        float sum = (inOdd ? pair[1] : pair[0]) + __shfl_xor_sync(~0U, inOdd ? pair[0] : pair[1], 8);
        sum += __shfl_xor_sync(~0U, sum, 4);
        const float error = m_ownEntry < entries ? sum * m_arguments.predictionScale - value : 0;
        const float most = HalfPairs<Products>::largestError;
        const float e = fminf(fmaxf(error * m_arguments.residualScale, -most), most);
        const unsigned own = Products::pack(e, e);
        const unsigned mate = __shfl_xor_sync(~0U, own, 8);
        const unsigned both = __byte_perm(own, mate, m_inOrder);
        const unsigned across = __shfl_xor_sync(~0U, both, 16);
        errors[0] = inUpper ? across : both;
        errors[1] = inUpper ? both : across;
    }

    unsigned m_ownEntry; ///< whose e this lane makes
    unsigned m_ownValue; ///< of its record
    unsigned m_inOrder; ///< how its e and that of the next entry, or of the one before, make a pair
    const uint4* m_cores;
    Left m_heldCores[G::coresInRegisters ? G::order : 1]; ///< cores
    float m_uniform[G::columnBlocks][2]; ///< c of the group's row
    Left m_uniformTurned[G::columnBlocks];
};

/// Gr += Σ aᵀ (e w), J × R a place: of every place, or of G::places from firstPlace on; to the block's part of `partials`.
///
/// A warp owns a tile, as in groupedKernel. Bytes a nonzero at order 3, J = 16: 17 of the record and header from memory, two rows of
/// 32 from L2. Sums in fp32 over the tiles of a block's warps, then in fp64 over launches. Warps take groups as they come (GroupedWalk), so
/// two runs differ in the last bits.
template <class G>
__global__ void __launch_bounds__(groupedThreads, G::blocks) gradientKernel(const __grid_constant__ GroupedArguments arguments)
{
    if constexpr (!runsHere<G>())
        return;
    extern __shared__ __align__(1024) unsigned char shared[]; // 16 would do: as groupedKernel declares it, by the same name
    auto* const cores = reinterpret_cast<uint4*>(shared);
    constexpr unsigned ofCore = G::coreBlocks * warpSize32;
    for (unsigned x = threadIdx.x; x < G::order * ofCore; x += groupedThreads) {
        const uint4 words = arguments.projecting[x / ofCore][x % ofCore];
        cores[x] = {words.x, words.z, words.y, words.w}; // its columns are rows here
    }
    __syncthreads();

    const unsigned ofWarp = kept(G::coreBytes + threadIdx.x / warpSize32 * G::warpBytes);
    GradientTile<G> tile(arguments, cores, shared + ofWarp + G::slots * G::slotBytes);
    float gradients[G::places][G::coreBlocks][8];
#pragma unroll
    for (unsigned x = 0; x < G::places * G::coreBlocks * 8; ++x)
        gradients[x / (G::coreBlocks * 8)][x / 8 % G::coreBlocks][x % 8] = 0;

    // Records come two tiles ahead, rows one; as in groupedKernel, whose rows have no second page.
    GroupedWalk walk(arguments, tile.lane());
    unsigned slot = ofWarp, next = ofWarp + G::slotBytes, later = ofWarp + 2 * G::slotBytes; // of this tile, of the next, of the one after
    unsigned pending = 0; // tiles asked for and not done
    const auto askForNext = [&](unsigned to) {
        askForRecords<G>(arguments.tiles, static_cast<unsigned>(__cvta_generic_to_shared(shared + to)), walk, tile.lane());
        if (!walk.valid())
            return;
        walk.advance();
        ++pending;
    };
    askForNext(slot);
    closeCopies();
    askForNext(next);
    closeCopies();
    unsigned bits = 0; // of the tile's header
    if (pending > 0) {
        waitForCopies<1>();
        __syncwarp();
        bits = tile.askForRows(shared + slot);
        closeCopies();
    }
    for (; pending > 0; --pending) {
        const TileHeader header{0, bits, {}};
        waitForCopies<0>();
        __syncwarp(); // so have all lanes' copies come, and all are done with what is asked for next in place of
        tile.turnPage();
        if (pending > 1) {
            bits = tile.askForRows(shared + next);
            askForNext(later);
            closeCopies();
        }
        if (G::uniformPlaces > 0 && header.number() == 0) [[unlikely]]
            tile.openGroup();
        if constexpr (G::places == G::order)
            tile.addGradients(gradients, shared + slot, header.entries());
        else
            tile.addGradientsFrom(arguments.firstPlace, gradients, shared + slot, header.entries());
        const unsigned done = slot;
        slot = next;
        next = later;
        later = done;
    }
    keepGradients<G>(arguments, gradients, G::places == G::order ? 0 : arguments.firstPlace, reinterpret_cast<float*>(shared));
}

} // namespace kernels::fasttucker_plus::gpu
