// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_walk.cuh"

namespace kernels::fasttucker_plus::gpu {

/// A tile in one warp's registers. Lane (g, t) holds elements 4t … 4t+3 of entries g and g+8 of every row and product.
template <class G> class GroupedTile {
public:
    using Products = typename G::Products;
    using Left = typename Products::Left;
    using Right = typename Products::Right;
    using Halves = HalfPairs<Products>;
    using Rows = typename G::Rows;

    Left rows[G::order][G::tiles];
    Left weights[G::tiles]; ///< e' w of the place at hand
    float residual[2];

    /// ofWarp: G::rowBytes + G::keptBytes of shared memory.
    __device__ GroupedTile(const GroupedArguments& arguments, const uint4* operands, const StepLevels* steps, unsigned char* ofWarp)
        : m_arguments(arguments)
        , m_operands(operands)
        , m_steps(steps)
        , m_lane(threadIdx.x % warpSize32)
        , m_g(m_lane / 4)
        , m_t(m_lane % 4)
        , m_noise((blockIdx.x * groupedThreads + threadIdx.x + 1) * 2654435761U ^ arguments.noise)
        , m_staged(ofWarp)
        , m_kept(reinterpret_cast<Left*>(ofWarp + G::rowBytes) + m_lane)
    {
    }

    __device__ unsigned lane() const { return m_lane; }
    __device__ unsigned g() const { return m_g; }

    /// Begins to bring the rows of a tile, for takeRows(). Where few are different, hot ones, each is read once.
    __device__ void askForRows(const GroupedRecords<G>& records, bool opens) const
    {
        __syncwarp(); // those before were taken by all lanes
#pragma unroll
        for (unsigned n = 0; n < G::order; ++n)
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q) {
                if (n >= G::shared) {
                    const std::size_t begin[2] = {rowBegin(records.row(n, 0), q), rowBegin(records.row(n, 1), q)};
                    if (records.readsOnce(n))
                        Rows::ask(staged(n, q), m_arguments.rows[n], begin,
                                  {records.first(n, 0, m_g) == m_g, records.first(n, 1, m_g) == m_g + 8}, m_g, m_t);
                    else
                        Rows::ask(staged(n, q), m_arguments.rows[n], begin, {true, true}, m_g, m_t);
                } else if (opens)
                    Rows::askOne(staged(n, q), m_arguments.rows[n], rowBegin(records.header.row, q), m_g, m_t);
            }
        closeCopies();
    }
    __device__ void takeRows(const GroupedRecords<G>& records, bool opens)
    {
#pragma unroll
        for (unsigned n = 0; n < G::order; ++n)
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q) {
                if (n >= G::shared)
                    rows[n][q] = Rows::take(staged(n, q), records.first(n, 0, m_g), records.first(n, 1, m_g), m_t);
                else if (opens)
                    rows[n][q] = Rows::take(staged(n, q), 0, 0, m_t);
            }
    }
    /// Padding entries have row 0 and change nothing.
    __device__ bool isEntry(const GroupedRecords<G>& records, unsigned i) const { return m_g + 8 * i < records.header.entries(); }

    /// c of every place, the product before each place and after it; e.
    __device__ void project(const GroupedRecords<G>& records)
    {
        Vec4<float> product[G::tiles][2];
#pragma unroll
        for (unsigned n = 0; n < G::order; ++n)
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q) {
                Vec4<float> c[2] = {};
#pragma unroll
                for (unsigned k = 0; k < G::tiles; ++k)
                    Products::multiply(c, rows[n][k], projecting(n, q * G::tiles + k));
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
#pragma unroll
                    for (unsigned x = 0; x < 4; ++x)
                        product[q][i][x] = n == 0 ? c[i][x] : product[q][i][x] * c[i][x];
                const Left own = Products::left(c[0], c[1]);
                keepProjection(n, q, own);
                if (n > 0 && n + 1 < G::order)
                    keepBefore(n + 1, q, times(n == 1 ? projection(0, q) : before(n, q), own));
            }
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
            residual[i] = isEntry(records, i) ? sum * m_arguments.predictionScale - records.value(i) : 0;
        }
        const float most = Halves::largestError;
        unsigned errors[2];
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            const float e = fminf(fmaxf(residual[i] * m_arguments.residualScale, -most), most);
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
            weights[q] = n == 0 ? m_after[q] : times(before(n, q), m_after[q]);
            if (n > 0)
                m_after[q] = times(m_after[q], projection(n, q));
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                m_turned[q].r[x] = Products::transposed(weights[q].r[x]);
        }
    }

    /// Every entry's own change of its row.
    __device__ void changeApart(const GroupedRecords<G>& records, unsigned n)
    {
        const float scale[2] = {m_steps[n].level[records.level(n, 0)], m_steps[n].level[records.level(n, 1)]};
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            Vec4<float> d[2];
            bringBack(d, weights, n, j);
#pragma unroll
            for (unsigned i = 0; i < 2; ++i)
                change(isEntry(records, i), n, records.row(n, i), j, i, scale[i], d[i], 1);
        }
    }

    /// Weights of equal rows are added up by a product with a 0/1 matrix; the first of them changes the row.
    __device__ void changeMerged(const GroupedRecords<G>& records, unsigned n)
    {
        const float scale[2] = {m_steps[n].level[records.level(n, 0)], m_steps[n].level[records.level(n, 1)]};
        const unsigned mates[2] = {records.mates(n, 0), records.mates(n, 1)};
        Left same;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            same.r[x] = ones(mates[x % 2] >> (2 * m_t + 8 * (x / 2)));
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
            for (unsigned i = 0; i < 2; ++i)
                change(isEntry(records, i) && (mates[i] & ((1U << (m_g + 8 * i)) - 1)) == 0, n, records.row(n, i), j, i, scale[i], d[i],
                       static_cast<float>(__popc(mates[i])));
        }
    }

    /// Tiles of one uniform row: the sum of their weights stays in registers until the group ends.
    __device__ void gatherUniform(Vec4<float> (&sums)[G::tiles][2]) const
    {
        const Left all = {{ones(3), ones(3), ones(3), ones(3)}};
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q)
            sumEntries(sums[q], all, q);
    }
    __device__ void changeUniform(unsigned row, const Left (&sums)[G::tiles], unsigned entries)
    {
        const float scale = m_arguments.uniformScales ? __ldg(m_arguments.uniformScales + row) : 1;
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            Vec4<float> d[2];
            bringBack(d, sums, 0, j);
            change(m_g == 0, 0, row, j, 0, scale, d[0], static_cast<float>(entries));
        }
    }
    /// The weights of a group's tiles as if they were those of entry 0 alone, all others being zero.
    __device__ void weighUniform(const Left (&sums)[G::tiles])
    {
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                m_turned[q].r[x] = Products::transposed(m_g == 0 && x % 2 == 0 ? sums[q].r[x] : 0);
    }
    __device__ static Left clamped(const Vec4<float> (&sum)[2])
    {
        return {{Products::packClamped(sum[0][0], sum[0][1]), Products::packClamped(sum[1][0], sum[1][1]),
                 Products::packClamped(sum[0][2], sum[0][3]), Products::packClamped(sum[1][2], sum[1][3])}};
    }

    /// sums[block j, q of place n] += rows of the block's columns, turned, times weights.
    __device__ void addGradient(unsigned n, float (&sums)[G::coreBlocks][8]) const
    {
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            const Left& a = rows[n][j];
            const Left turned = {
                {Products::transposed(a.r[0]), Products::transposed(a.r[2]), Products::transposed(a.r[1]), Products::transposed(a.r[3])}};
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q)
                Products::addGradient(sums[j * G::tiles + q], turned, m_turned[q]);
        }
    }

private:
    static constexpr unsigned width = G::tiles * slab;

    // ---- projections, and the products of those before each place from the third on

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

    __device__ unsigned char* staged(unsigned n, unsigned q) const { return m_staged + (n * G::tiles + q) * Rows::bytes; }
    /// Of a row's block of columns, in numbers; 32 bits count all quads of a mode.
    __device__ std::size_t rowBegin(unsigned row, unsigned q) const { return std::size_t{row * (width / 4) + q * (slab / 4)} * 4; }
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
    /// Bits 0 and 1 as a pair of numbers 0 or 1.
    __device__ static unsigned ones(unsigned bits) { return ((bits | bits << 15) & 0x00010001U) * Halves::one; }

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
        for (unsigned h = 0; h < 2; ++h) {
            float d[4] = {sums[0][2 * h], sums[0][2 * h + 1], sums[1][2 * h], sums[1][2 * h + 1]};
            Products::mma(d, which, m_turned[q].r[2 * h], m_turned[q].r[2 * h + 1]);
            sums[0][2 * h] = d[0];
            sums[0][2 * h + 1] = d[1];
            sums[1][2 * h] = d[2];
            sums[1][2 * h + 1] = d[3];
        }
    }

    /// a ← a − γ (e d + λ a), for so many entries together, where a lane is the one to do it; i: which of its rows that is.
    __device__ void change(bool own, unsigned n, unsigned row, unsigned j, unsigned i, float scale, const Vec4<float>& d, float entries)
    {
        const uint2 pairs = {rows[n][j].r[i], rows[n][j].r[2 + i]};
        const float2 low = Halves::floats(pairs.x);
        const float2 high = Halves::floats(pairs.y);
        const Vec4<float> old = {{low.x, low.y, high.x, high.y}};
        const float slope = m_arguments.slopes[n] * scale;
        const float shrink = m_arguments.shrinks[n] * scale * entries;
        if (own)
            Rows::change(m_arguments.rows[n], rowBegin(row, j) + 4 * m_t, slope, d, shrink, old, pairs, m_noise);
    }

    const GroupedArguments& m_arguments;
    const uint4* m_operands;
    const StepLevels* m_steps;
    unsigned m_lane, m_g, m_t;
    unsigned m_noise; ///< random bits
    unsigned char* m_staged; ///< rows to come, [place][16 columns]
    Left* m_kept;
    Left m_projections[G::inRegisters ? G::order : 1][G::tiles];
    Left m_before[G::inRegisters ? G::order : 1][G::tiles];
    Left m_after[G::tiles];
    typename Products::GradientRight m_turned[G::tiles]; ///< weights, summed over in products
};

} // namespace kernels::fasttucker_plus::gpu
