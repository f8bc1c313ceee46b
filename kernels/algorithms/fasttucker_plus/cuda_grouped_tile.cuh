// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_tile_products.cuh"

namespace kernels::fasttucker_plus::gpu {

/// A tile in one warp's registers: what its weights change. Lanes as in GroupedTileProducts.
template <class G> class GroupedTile : public GroupedTileProducts<G> {
    using Base = GroupedTileProducts<G>;
    using Base::m_arguments, Base::m_g, Base::m_header, Base::m_lane, Base::m_number, Base::m_records, Base::m_rows, Base::m_slot,
        Base::m_t, Base::m_uniformSums, Base::m_weights;

public:
    using typename Base::Left, typename Base::Products, typename Base::Record, typename Base::Rows;
    using Halves = HalfPairs<Products>;

    /// In shared memory: the cores' operands; rows: G::rowBytes; keep: G::keptBytes + G::uniformGradientBytes.
    __device__ GroupedTile(const GroupedArguments& arguments, unsigned operands, unsigned rows, unsigned keep)
        : Base(arguments, operands, rows, keep)
        , m_diagonal(kept(m_t == m_g / 2 ? 1U << m_g % 2 * 16 : 0))
        , m_noise((blockIdx.x * groupedThreads + threadIdx.x + 1) * 2654435761U ^ arguments.noise)
        , m_uniformGradient(keep + G::keptBytes + m_lane * static_cast<unsigned>(sizeof(Vec4<float>)))
    {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            unsigned bits = 0;
            for (unsigned k = 0; k < m_g + 8 * i; ++k)
                bits |= 1U << mateBit(0, k);
            m_entriesBefore[i] = kept(bits);
        }
#pragma unroll
        for (unsigned p = 0; p < G::order; ++p)
            m_slopes[p] = arguments.slopes[p] * arguments.steps[p].level[m_lane % stepLevels];
        if constexpr (G::uniformGradientBytes > 0)
#pragma unroll
            for (unsigned x = 0; x < G::coreBlocks * 2; ++x)
                uniformGradient(x) = {};
    }

    /// The place's gradient: its rows, turned, times weights; sums: [block j, q] of its core.
    __device__ void addGradient(unsigned p, float (&sums)[G::coreBlocks][8])
    {
        turnWeights(m_weights);
        turnRows(p);
        sumGradient(sums);
    }

    /// Every row changes by what its entries bring; equal ones of a tile are added up first where that saves additions.
    __device__ void change(unsigned p)
    {
        m_noise = m_noise * 1664525U + 1013904223U;
        if (merges(p)) {
            if constexpr (!G::gradient) {
                turnWeights(m_weights);
                turnRows(p);
            }
            changeMerged(p);
        } else
            changeApart(p);
    }

    /// At its end the uniform row changes, and brings its share of the place's gradient as one entry's.
    __device__ void closeGroup()
    {
        const TileHeader header = headerAt(m_slot + G::recordBytes); // again: registers are dear
        Left sums[G::columnBlocks];
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q) {
            sumOverEntries(m_uniformSums[q]);
            const unsigned low = Products::packClamped(m_uniformSums[q][0], m_uniformSums[q][1]);
            const unsigned high = Products::packClamped(m_uniformSums[q][2], m_uniformSums[q][3]);
            sums[q] = {{low, low, high, high}};
            m_uniformSums[q] = {};
        }
        if constexpr (G::gradient)
            addUniformGradient(sums);
        const float slope = m_arguments.slopes[0]
            * (m_arguments.uniformScales ? __ldg(m_arguments.uniformScales + (header.row >> m_arguments.uniformSlotBits)) : 1);
        const float decay = m_arguments.decays[0] * static_cast<float>(header.entriesOfGroup());
        m_noise = m_noise * 1664525U + 1013904223U;
#pragma unroll
        for (unsigned j = 0; j < G::columnBlocks; ++j) {
            Vec4<float> d[2] = {};
            this->bringBack(d, sums, 0, j);
            const float2 low = Products::floats(m_rows[0][j].r[0]);
            const float2 high = Products::floats(m_rows[0][j].r[2]);
            const Vec4<float> old = {{low.x, low.y, high.x, high.y}};
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                d[0][x] += decay * old[x];
            add(0, j, 0, header.row * slab, slope, d[0], m_g == 0);
        }
    }

    /// Adds 0 to every row that change() and closeGroup() add to.
    __device__ void touch()
    {
        const Vec4<float> nothing = {};
        this->takeRecords();
#pragma unroll
        for (unsigned p = G::order; p-- > G::uniformPlaces;)
#pragma unroll
            for (unsigned j = 0; j < G::columnBlocks; ++j)
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
                    add(p, j, i, m_records[i].rowTimes16(p), 0, nothing, merges(p) ? isFirst(p, i) : this->isEntry(i));
        if (G::uniform && this->closes() != 0)
#pragma unroll
            for (unsigned j = 0; j < G::columnBlocks; ++j)
                Rows::add(this->numbersAt(0, m_header.row * slab, j, m_number), 0, nothing, {}, m_noise, m_g == 0); // old: nobody took it
    }

    __device__ void takeUniformGradient(float (&gradient)[G::coreBlocks][8]) const
    {
#pragma unroll
        for (unsigned x = 0; x < G::coreBlocks * 2; ++x)
            reinterpret_cast<Vec4<float>&>(gradient[x / 2][x % 2 * 4]) = uniformGradient(x);
    }

private:
    // ---- sums over entries: operands turned, for gradients and for sums over equal rows

    __device__ void turnWeights(const Left (&weights)[G::columnBlocks])
    {
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                m_turned[q].r[x] = Products::transposed(weights[q].r[x]);
    }
    __device__ void turnRows(unsigned p)
    {
#pragma unroll
        for (unsigned j = 0; j < G::columnBlocks; ++j) {
            const Left& a = m_rows[p][j];
            m_turnedRows[j] = {
                {Products::transposed(a.r[0]), Products::transposed(a.r[2]), Products::transposed(a.r[1]), Products::transposed(a.r[3])}};
        }
    }
    __device__ void sumGradient(float (&sums)[G::coreBlocks][8]) const
    {
#pragma unroll
        for (unsigned j = 0; j < G::columnBlocks; ++j) {
#pragma unroll
            for (unsigned q = 0; q < G::columnBlocks; ++q)
                Products::addGradient(sums[j * G::columnBlocks + q], m_turnedRows[j], m_turned[q]);
        }
    }
    /// The sums of its weights become those of entry 0, all others being zero. Once a group, so it is kept in shared memory.
    __device__ void addUniformGradient(const Left (&sums)[G::columnBlocks])
    {
        Left once[G::columnBlocks];
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q)
            once[q] = {{m_g == 0 ? sums[q].r[0] : 0, 0, m_g == 0 ? sums[q].r[2] : 0, 0}};
        turnWeights(once);
        turnRows(0);
        float gradient[G::coreBlocks][8];
        takeUniformGradient(gradient);
        sumGradient(gradient);
#pragma unroll
        for (unsigned x = 0; x < G::coreBlocks * 2; ++x)
            uniformGradient(x) = reinterpret_cast<const Vec4<float>&>(gradient[x / 2][x % 2 * 4]);
    }
    /// Half of this lane's numbers of a block.
    __device__ Vec4<float>& uniformGradient(unsigned x) const
    {
        return sharedAt<Vec4<float>>(m_uniformGradient + x * warpSize32 * static_cast<unsigned>(sizeof(Vec4<float>)));
    }

    // ---- what each row changes by: slope (e w Bᵀ + decay a)

    /// Each entry's own row.
    __device__ void changeApart(unsigned p)
    {
        // Rows times decay · I, which right-hand fragments of 8 × 8 have the same of for either half.
        const unsigned decay = m_diagonal * Products::packClamped(m_arguments.decays[p], 0);
#pragma unroll
        for (unsigned j = 0; j < G::columnBlocks; ++j) {
            const Left& a = m_rows[p][j];
            Vec4<float> d[2] = {};
#pragma unroll
            for (unsigned h = 0; h < 2; ++h)
                addHalf(d, h, [&](float(&of)[4]) { Halves::mma(of, a.r[2 * h], a.r[2 * h + 1], decay); });
            this->bringBack(d, m_weights, p, j);
#pragma unroll
            for (unsigned i = 0; i < 2; ++i)
                add(p, j, i, m_records[i].rowTimes16(p), slope(p, i), d[i], this->isEntry(i));
        }
    }

    /// Sums over equal rows are products with a 0/1 matrix; the first entry of each changes the row.
    __device__ void changeMerged(unsigned p)
    {
        const unsigned decay = Products::packClamped(m_arguments.decays[p], m_arguments.decays[p]);
        Left same, decays;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x) {
            constexpr unsigned pair = 0x00010001U; // x % 2: of entry g or g+8; x / 2: its mates 2t and 2t+1, or those eight on
            const unsigned shift = x / 2 * 4; // four pairs on are the second eight entries
            // bits has a 1 at bit `shift` of either half, or none, so times (one >> shift) it is `one` in each, or 0: two numbers of the
            // matrix by one multiplication. A shift of up to 4 loses none of one's bits.
            const unsigned bits = m_records[x % 2].mates(p) >> (m_t + Record::firstMate(p)) & pair << shift;
            same.r[x] = bits * (Halves::one >> shift);
            decays.r[x] = timesHalves<Products>(same.r[x], decay);
        }
        Left sums[G::columnBlocks];
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q) {
            Vec4<float> sum[2] = {};
#pragma unroll
            for (unsigned h = 0; h < 2; ++h)
                addHalf(sum, h, [&](float(&of)[4]) { Products::mma(of, same, m_turned[q].r[2 * h], m_turned[q].r[2 * h + 1]); });
            sums[q] = {{Products::packClamped(sum[0][0], sum[0][1]), Products::packClamped(sum[1][0], sum[1][1]),
                        Products::packClamped(sum[0][2], sum[0][3]), Products::packClamped(sum[1][2], sum[1][3])}};
        }
#pragma unroll
        for (unsigned j = 0; j < G::columnBlocks; ++j) {
            Vec4<float> d[2] = {};
#pragma unroll
            for (unsigned h = 0; h < 2; ++h)
                addHalf(d, h, [&](float(&of)[4]) {
                    Halves::mma(of, decays.r[0], decays.r[1], m_turnedRows[j].r[h]);
                    Halves::mma(of, decays.r[2], decays.r[3], m_turnedRows[j].r[2 + h]);
                });
            this->bringBack(d, sums, p, j);
#pragma unroll
            for (unsigned i = 0; i < 2; ++i)
                add(p, j, i, m_records[i].rowTimes16(p), slope(p, i), d[i], isFirst(p, i));
        }
    }

    __device__ bool merges(unsigned p) const { return p - G::uniformPlaces < mergedPlaces && m_header.merges(p - G::uniformPlaces); }
    /// Of the entries with its row.
    __device__ bool isFirst(unsigned p, unsigned i) const
    {
        return (m_records[i].mates(p) & m_entriesBefore[i] << Record::firstMate(p)) == 0;
    }

    /// Of entry g or g+8: each lane keeps that of a level, which is the word's remainder.
    __device__ float slope(unsigned p, unsigned i) const
    {
        return __shfl_sync(~0U, m_slopes[p], static_cast<int>(m_records[i].rowAndLevel(p)), stepLevels);
    }

    /// Row += slope d, where a lane is the one to do it; i: which of its rows was there before.
    __device__ void add(unsigned p, unsigned j, unsigned i, unsigned rowTimes16, float slope, const Vec4<float>& d, bool own)
    {
        const uint2 old = {m_rows[p][j].r[i], m_rows[p][j].r[2 + i]};
        Rows::add(this->numbersAt(p, rowTimes16, j, m_number), slope, d, old, m_noise, own);
    }
    /// Adds to columns 2h and 2h+1 of both entries' four.
    template <class Product> __device__ static void addHalf(Vec4<float> (&sums)[2], unsigned h, const Product& product)
    {
        float of[4] = {sums[0][2 * h], sums[0][2 * h + 1], sums[1][2 * h], sums[1][2 * h + 1]};
        product(of);
        sums[0][2 * h] = of[0];
        sums[0][2 * h + 1] = of[1];
        sums[1][2 * h] = of[2];
        sums[1][2 * h + 1] = of[3];
    }

    unsigned m_diagonal; ///< times a number's bits: this lane's part of half of a right-hand matrix with it on the diagonal
    unsigned m_noise; ///< random bits, others for every place
    unsigned m_uniformGradient; ///< where this lane keeps its first numbers
    unsigned m_entriesBefore[2]; ///< of entries g and g+8: a bit for each entry before it, as the first place's mates
    float m_slopes[G::order]; ///< by place, of level lane % stepLevels
    typename Products::GradientRight m_turned[G::columnBlocks]; ///< weights, to be summed over in products
    Left m_turnedRows[G::columnBlocks];
};

} // namespace kernels::fasttucker_plus::gpu
