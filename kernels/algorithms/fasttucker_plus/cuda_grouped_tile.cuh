// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_tile_rows.cuh"

namespace kernels::fasttucker_plus::gpu {

/// A tile in one warp's registers. Lane (g, t) holds elements 4t … 4t+3 of entries g and g+8 of every row and product.
template <class G> class GroupedTile : public GroupedTileRows<G> {
    using Base = GroupedTileRows<G>;
    using Base::m_arguments, Base::m_g, Base::m_header, Base::m_lane, Base::m_records, Base::m_rows, Base::m_slot, Base::m_t;

public:
    using typename Base::Left, typename Base::Products, typename Base::Rows;
    using Right = typename Products::Right;
    using Halves = HalfPairs<Products>;

    /// ofWarp: G::rowBytes + G::keptBytes of shared memory.
    __device__ GroupedTile(const GroupedArguments& arguments, const uint4* operands, const PlaceSteps* steps, unsigned char* ofWarp)
        : Base(arguments, ofWarp)
        , m_operands(operands)
        , m_steps(steps)
        , m_below((1U << m_g) - 1)
        , m_diagonal(m_t == m_g / 2 ? 1U << m_g % 2 * 16 : 0)
        , m_noise((blockIdx.x * groupedThreads + threadIdx.x + 1) * 2654435761U ^ arguments.noise)
        , m_kept(reinterpret_cast<Left*>(ofWarp + G::rowBytes) + m_lane)
    {
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q)
            m_uniformSums[q][0] = m_uniformSums[q][1] = {};
    }

    /// c of the uniform row, once a group.
    __device__ void projectUniform()
    {
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q) {
            Vec4<float> c[2];
            keepProjection(0, q, ofOneRow(projected(c, 0, q)));
            m_uniformProjection[q] = c[0];
        }
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q)
            m_rows[0][q] = ofOneRow(m_rows[0][q]);
    }

    /// c of every other place, the product before each place and after it; e.
    __device__ void project()
    {
        Vec4<float> product[G::tiles][2];
#pragma unroll
        for (unsigned n = 0; n < G::order; ++n)
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q) {
                if (G::uniform && n == 0) {
                    product[q][0] = product[q][1] = m_uniformProjection[q];
                    continue;
                }
                Vec4<float> c[2];
                const Left own = projected(c, n, q);
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
#pragma unroll
                    for (unsigned x = 0; x < 4; ++x)
                        product[q][i][x] = n == 0 ? c[i][x] : product[q][i][x] * c[i][x];
                keepProjection(n, q, own);
                if (n > 0 && n + 1 < G::order)
                    keepBefore(n + 1, q, times(before(n, q), own));
            }
        unsigned errors[2];
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            float sum = 0;
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q)
#pragma unroll
                for (unsigned x = 0; x < 4; ++x)
                    sum += product[q][i][x];
            sum += __shfl_xor_sync(~0U, sum, 1);
            sum += __shfl_xor_sync(~0U, sum, 2);
            const float error = this->isEntry(i) ? sum * m_arguments.predictionScale - m_records[i].value() : 0;
            const float most = Halves::largestError;
            const float e = fminf(fmaxf(error * m_arguments.residualScale, -most), most);
            errors[i] = Products::pack(e, e);
        }
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q)
            m_after[q] = {{errors[0], errors[1], errors[0], errors[1]}};
    }

    /// Places are asked for from the last to the first: e times the product of all other places' projections.
    __device__ void weigh(unsigned n)
    {
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q) {
            m_weights[q] = n == 0 ? m_after[q] : times(before(n, q), m_after[q]);
            if (n > 0)
                m_after[q] = times(m_after[q], projection(n, q));
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                m_turned[q].r[x] = Products::transposed(m_weights[q].r[x]);
        }
    }

    /// The place's rows summed over entries in products: for gradients, and for sums over equal rows.
    __device__ void turnRows(unsigned n)
    {
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            const Left& a = m_rows[n][j];
            m_turnedRows[j] = {
                {Products::transposed(a.r[0]), Products::transposed(a.r[2]), Products::transposed(a.r[1]), Products::transposed(a.r[3])}};
        }
    }

    /// Every row changes by what its entries bring; equal ones of a tile are added up first where that saves additions.
    __device__ void change(unsigned n)
    {
        m_noise = m_noise * 1664525U + 1013904223U;
        const float slope[2] = {m_steps[n].slope[m_records[0].level(n)], m_steps[n].slope[m_records[1].level(n)]};
        if (n - G::shared < mergedPlaces && m_header.merges(n - G::shared)) {
            if constexpr (!G::gradient)
                turnRows(n);
            changeMerged(n, slope);
        } else
            changeApart(n, slope);
    }

    /// Tiles of one uniform row: the sum of their weights stays in registers until the group ends.
    __device__ void gatherUniform()
    {
        const Left all = {{ones(3), ones(3), ones(3), ones(3)}};
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q)
            sumEntries(m_uniformSums[q], all, q);
    }
    /// At the end of a group: its row changes, and its weights become those of entry 0 alone, all others being zero.
    __device__ void closeUniform()
    {
        const TileHeader header = headerAt(m_slot + G::recordBytes); // again: registers are dear
        Left sums[G::tiles];
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q) {
            sums[q] = clamped(m_uniformSums[q]);
            m_uniformSums[q][0] = m_uniformSums[q][1] = {};
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                m_turned[q].r[x] = Products::transposed(m_g == 0 && x % 2 == 0 ? sums[q].r[x] : 0);
        }
        const float slope = m_steps[0].slope[0] * (m_arguments.uniformScales ? __ldg(m_arguments.uniformScales + header.row) : 1);
        const float decay = m_steps[0].decay * static_cast<float>(header.entriesOfGroup());
        m_noise = m_noise * 1664525U + 1013904223U;
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            Vec4<float> d[2];
            bringBack(d, sums, 0, j);
            const float2 low = Halves::floats(m_rows[0][j].r[0]);
            const float2 high = Halves::floats(m_rows[0][j].r[2]);
            const Vec4<float> old = {{low.x, low.y, high.x, high.y}};
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                d[0][x] += decay * old[x];
            add(0, j, 0, header.row * slab, slope, d[0], m_g == 0);
        }
    }

    /// sums[block j, q of place n] += rows of the block's columns, turned, times weights.
    __device__ void addGradient(float (&sums)[G::coreBlocks][8]) const
    {
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q)
                Products::addGradient(sums[j * G::tiles + q], m_turnedRows[j], m_turned[q]);
        }
    }

private:
    // ---- what each row changes by: slope (e w Bᵀ + decay a)

    /// Each entry's own row.
    __device__ void changeApart(unsigned n, const float (&slope)[2])
    {
        const unsigned decay = m_diagonal * m_steps[n].decayBits;
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            Vec4<float> d[2];
            bringBack(d, m_weights, n, j);
            const Left& a = m_rows[n][j];
#pragma unroll
            for (unsigned h = 0; h < 2; ++h)
                addHalf(d, h, [&](float(&of)[4]) { Halves::mma(of, a.r[2 * h], a.r[2 * h + 1], decay); });
#pragma unroll
            for (unsigned i = 0; i < 2; ++i)
                add(n, j, i, m_records[i].rowTimes16(n), slope[i], d[i], this->isEntry(i));
        }
    }

    /// Sums over equal rows are products with a 0/1 matrix; the first entry of each changes the row.
    __device__ void changeMerged(unsigned n, const float (&slope)[2])
    {
        const unsigned mates[2] = {m_records[0].mates(n), m_records[1].mates(n)};
        Left same, decays;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x) {
            const unsigned bits = pairOfBits(mates[x % 2] >> (2 * m_t + 8 * (x / 2)));
            same.r[x] = bits * Halves::one;
            decays.r[x] = bits * m_steps[n].decayBits;
        }
        Left sums[G::tiles];
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q) {
            Vec4<float> sum[2] = {};
            sumEntries(sum, same, q);
            sums[q] = clamped(sum);
        }
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            Vec4<float> d[2];
            bringBack(d, sums, n, j);
#pragma unroll
            for (unsigned h = 0; h < 2; ++h)
                addHalf(d, h, [&](float(&of)[4]) { Products::mma(of, decays, m_turnedRows[j].r[h], m_turnedRows[j].r[2 + h]); });
#pragma unroll
            for (unsigned i = 0; i < 2; ++i)
                add(n, j, i, m_records[i].rowTimes16(n), slope[i], d[i],
                    this->isEntry(i) && m_records[i].isFirst(n, i == 0 ? m_below : m_below << 8 | 0xFF));
        }
    }

    /// Row += slope d, where a lane is the one to do it; i: which of its rows was there before.
    __device__ void add(unsigned n, unsigned j, unsigned i, unsigned rowTimes16, float slope, const Vec4<float>& d, bool own)
    {
        const uint2 old = {m_rows[n][j].r[i], m_rows[n][j].r[2 + i]};
        Rows::add(this->numbersAt(n, rowTimes16, j, 4 * m_t), slope, d, old, m_noise, own);
    }

    __device__ static Left clamped(const Vec4<float> (&sum)[2])
    {
        return {{Products::packClamped(sum[0][0], sum[0][1]), Products::packClamped(sum[1][0], sum[1][1]),
                 Products::packClamped(sum[0][2], sum[0][3]), Products::packClamped(sum[1][2], sum[1][3])}};
    }

    // ---- projections, and the products of those before each place from the third on

    /// So that the compiler knows both entries' numbers for equal.
    __device__ static Left ofOneRow(const Left& a) { return {{a.r[0], a.r[0], a.r[2], a.r[2]}}; }
    /// c of columns 16q …, in fp32 and as operand.
    __device__ Left projected(Vec4<float> (&c)[2], unsigned n, unsigned q) const
    {
        c[0] = c[1] = {};
#pragma unroll
        for (unsigned k = 0; k < G::tiles; ++k)
            Products::multiply(c, m_rows[n][k], projecting(n, q * G::tiles + k));
        return Products::left(c[0], c[1]);
    }
    __device__ void keepProjection(unsigned n, unsigned q, const Left& c)
    {
        if constexpr (G::inRegisters)
            m_projections[n][q] = c;
        else
            m_kept[(n * G::tiles + q) * warpSize32] = c;
    }
    __device__ Left projection(unsigned n, unsigned q) const
    {
        if constexpr (G::inRegisters)
            return m_projections[n][q];
        else
            return m_kept[(n * G::tiles + q) * warpSize32];
    }
    __device__ void keepBefore(unsigned n, unsigned q, const Left& product)
    {
        if constexpr (G::inRegisters)
            m_before[n][q] = product;
        else
            m_kept[((G::order + n - 2) * G::tiles + q) * warpSize32] = product;
    }
    __device__ Left before(unsigned n, unsigned q) const
    {
        if (n == 1)
            return projection(0, q);
        if constexpr (G::inRegisters)
            return m_before[n][q];
        else
            return m_kept[((G::order + n - 2) * G::tiles + q) * warpSize32];
    }

    __device__ Right right(unsigned block) const
    {
        Right fragment;
        reinterpret_cast<uint4&>(fragment) = m_operands[block * warpSize32 + m_lane];
        return fragment;
    }
    __device__ Right projecting(unsigned n, unsigned block) const { return right(n * G::coreBlocks + block); }
    __device__ Right returning(unsigned n, unsigned block) const { return right((G::order + n) * G::coreBlocks + block); }

    __device__ static Left times(const Left& a, const Left& b)
    {
        Left product;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            product.r[x] = timesHalves<Products>(a.r[x], b.r[x]);
        return product;
    }
    /// Bits 0 and 1 as a pair of integers, and of numbers.
    __device__ static unsigned pairOfBits(unsigned bits) { return (bits | bits << 15) & 0x00010001U; }
    __device__ static unsigned ones(unsigned bits) { return pairOfBits(bits) * Halves::one; }

    /// Columns 16j … of d from e w.
    __device__ void bringBack(Vec4<float> (&d)[2], const Left (&from)[G::tiles], unsigned n, unsigned j) const
    {
        d[0] = d[1] = {};
#pragma unroll
        for (unsigned k = 0; k < G::tiles; ++k)
            Products::multiply(d, from[k], returning(n, j * G::tiles + k));
    }
    /// Adds up the weights of those entries that each row of `which` names.
    __device__ void sumEntries(Vec4<float> (&sums)[2], const Left& which, unsigned q) const
    {
#pragma unroll
        for (unsigned h = 0; h < 2; ++h)
            addHalf(sums, h, [&](float(&of)[4]) { Products::mma(of, which, m_turned[q].r[2 * h], m_turned[q].r[2 * h + 1]); });
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

    const uint4* m_operands;
    const PlaceSteps* m_steps;
    unsigned m_below; ///< a bit for each entry before g
    unsigned m_diagonal; ///< times a number's bits: this lane's part of half of a right-hand matrix with it on the diagonal
    unsigned m_noise; ///< random bits, others for every place
    Left* m_kept;
    Left m_weights[G::tiles]; ///< e' w of the place at hand
    Left m_projections[G::inRegisters ? G::order : 1][G::tiles];
    Left m_before[G::inRegisters ? G::order : 1][G::tiles];
    Left m_after[G::tiles];
    typename Products::GradientRight m_turned[G::tiles]; ///< those, to be summed over in products
    Left m_turnedRows[G::tiles];
    Vec4<float> m_uniformSums[G::tiles][2], m_uniformProjection[G::tiles]; ///< of the group
};

} // namespace kernels::fasttucker_plus::gpu
