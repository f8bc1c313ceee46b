// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_tile_rows.cuh"

namespace kernels::fasttucker_plus::gpu {

/// A tile's projections c_p = a_p B_p and what comes of them: of every entry e = Σ_r Π_p c_p[r] − x, and the weights e w_p of every place's
/// rows, w_p = Π_{m≠p} c_m, from the products before a place and those after it. Lane (g, t) holds
/// elements 4t … 4t+3 of entries g and g+8 of every product.
template <class G> class GroupedTileProducts : public GroupedTileRows<G> {
    using Base = GroupedTileRows<G>;

public:
    using typename Base::Left, typename Base::Products, typename Base::Record;

    /// The uniform row, which has come with the first tile's, and its c: once a group; slot: that tile's.
    __device__ void openGroup(unsigned slot)
    {
        this->takeUniform(slot);
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q) {
            Vec4<float> c[2];
            const Left own = projected(c, 0, q);
            m_uniformFactors[q] = {{own.r[0], own.r[0], own.r[2], own.r[2]}}; // so that the compiler knows both entries' for equal
            m_uniformProjection[q] = c[0];
        }
    }

    /// c of every other place, the products before each of them; e, and its share of the uniform row's weights.
    __device__ void project()
    {
        Vec4<float> products[G::columnBlocks][2]; // of all places but the uniform one
#pragma unroll
        for (unsigned p = G::uniformPlaces; p < G::order; ++p)
#pragma unroll
            for (unsigned q = 0; q < G::columnBlocks; ++q) {
                Vec4<float> c[2];
                const Left own = projected(c, p, q);
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
#pragma unroll
                    for (unsigned x = 0; x < 4; ++x)
                        products[q][i][x] = p == G::uniformPlaces ? c[i][x] : products[q][i][x] * c[i][x];
                keepProjection(p, q, own);
                if (p > G::uniformPlaces && p + 1 < G::order)
                    keepBefore(p + 1, q, times<Products>(before(p, q), own));
            }
        float errors[2];
        errorsOf(products, errors);
        float uniformErrors[2] = {errors[0], errors[1]}; // damped where steps are
        if constexpr (G::damped) {
            if constexpr (G::uniform) {
                float squares[2] = {};
#pragma unroll
                for (unsigned q = 0; q < G::columnBlocks; ++q)
#pragma unroll
                    for (unsigned x = 0; x < 4; ++x)
#pragma unroll
                        for (unsigned i = 0; i < 2; ++i)
                            squares[i] += products[q][i][x] * products[q][i][x];
                overColumns(squares);
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
                    uniformErrors[i] *= damped(0, squares[i]);
            }
#pragma unroll
            for (unsigned i = 0; i < 2; ++i) { // of no error, nothing steps
                const float square = errors[i] * errors[i];
                m_perSquaredError[i] = square > 1e-30F ? __fdividef(1.0F, square) : 0;
            }
        }
        unsigned pairs[2];
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            pairs[i] = Products::pack(errors[i], errors[i]);
            if constexpr (G::uniform)
#pragma unroll
                for (unsigned q = 0; q < G::columnBlocks; ++q)
#pragma unroll
                    for (unsigned x = 0; x < 4; ++x)
                        m_uniformSums[q][x] += uniformErrors[i] * products[q][i][x];
        }
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q) {
            m_after[q] = {{pairs[0], pairs[1], pairs[0], pairs[1]}};
            if constexpr (G::uniform)
                m_after[q] = times<Products>(m_after[q], m_uniformFactors[q]);
        }
        takeRecords(); // not before: registers are dear
    }

    /// Places are asked for from the last to the first that is not uniform: e times the product of all other places' projections.
    __device__ void weigh(unsigned p)
    {
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q) {
            m_weights[q] = p == G::uniformPlaces ? m_after[q] : times<Products>(before(p, q), m_after[q]);
            if (p > G::uniformPlaces)
                m_after[q] = times<Products>(m_after[q], projection(p, q));
        }
        if constexpr (G::damped)
            dampWeights(p);
    }

protected:
    using Right = typename Products::Right;

    /// operands: the cores' in shared memory; keep: G::keptBytes of it.
    __device__ GroupedTileProducts(const GroupedArguments& arguments, unsigned operands, unsigned rows, unsigned keep)
        : Base(arguments, rows)
        , m_operands(kept(operands + m_lane * static_cast<unsigned>(sizeof(uint4))))
        , m_kept(keep + m_lane * static_cast<unsigned>(sizeof(Left)))
    {
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q)
            m_uniformSums[q] = {};
    }

    __device__ void takeRecords()
    {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
            m_records[i] = this->record(i);
    }
    /// Adds columns 16j … of from · Bᵀ.
    __device__ void bringBack(Vec4<float> (&d)[2], const Left (&from)[G::columnBlocks], unsigned p, unsigned j) const
    {
#pragma unroll
        for (unsigned k = 0; k < G::columnBlocks; ++k)
            Products::multiply(d, from[k], right((G::order + p) * G::coreBlocks + j * G::columnBlocks + k));
    }

    using Base::m_arguments, Base::m_lane, Base::m_rows;
    Record m_records[2]; ///< of entries g and g+8
    Left m_weights[G::columnBlocks]; ///< e' w of the place at hand
    Vec4<float> m_uniformSums[G::columnBlocks]; ///< of weights of the uniform row, of the group's entries g and g+8

private:
    __device__ void errorsOf(const Vec4<float> (&products)[G::columnBlocks][2], float (&errors)[2]) const
    {
        errors[0] = errors[1] = 0;
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
                    errors[i] += G::uniform ? products[q][i][x] * m_uniformProjection[q][x] : products[q][i][x];
        const float values[2] = {this->value(0), this->value(1)};
        overColumns(errors);
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            constexpr float most = HalfPairs<Products>::largestError;
            const float error = (errors[i] * m_arguments.predictionScale - values[i]) * m_arguments.residualScale;
            errors[i] = this->isEntry(i) ? fminf(fmaxf(error, -most), most) : 0;
        }
    }

    /// Adds up what the four lanes of an entry have.
    __device__ static void overColumns(float (&sums)[2])
    {
#pragma unroll
        for (unsigned apart = 1; apart < 4; apart *= 2)
#pragma unroll
            for (unsigned i = 0; i < 2; ++i)
                sums[i] += __shfl_xor_sync(~0U, sums[i], apart);
    }

    // ---- steps of steep entries: e / (1 + κ |w|²) in place of e

    __device__ float damped(unsigned p, float squares) const { return __fdividef(1.0F, 1 + m_arguments.dampings[p] * squares); }
    /// |w|² is that of e w over e².
    __device__ void dampWeights(unsigned p)
    {
        float squares[2] = {};
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q)
            Products::addSquares(squares, m_weights[q]);
        overColumns(squares);
        unsigned factors[2];
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            const float factor = damped(p, squares[i] * m_perSquaredError[i]);
            factors[i] = Products::pack(factor, factor);
        }
        const Left both = {{factors[0], factors[1], factors[0], factors[1]}};
#pragma unroll
        for (unsigned q = 0; q < G::columnBlocks; ++q)
            m_weights[q] = times<Products>(m_weights[q], both);
    }

    /// c of columns 16q …, in fp32 and as operand.
    __device__ Left projected(Vec4<float> (&c)[2], unsigned p, unsigned q) const
    {
        c[0] = c[1] = {};
#pragma unroll
        for (unsigned k = 0; k < G::columnBlocks; ++k)
            Products::multiply(c, m_rows[p][k], right(p * G::coreBlocks + q * G::columnBlocks + k));
        return Products::left(c[0], c[1]);
    }
    __device__ Right right(unsigned block) const
    {
        return sharedAt<Right>(m_operands + block * warpSize32 * static_cast<unsigned>(sizeof(Right)));
    }

    // ---- projections, and the products of those before each place, the uniform one's left out

    __device__ void keepProjection(unsigned p, unsigned q, const Left& c)
    {
        if constexpr (G::inRegisters)
            m_projections[p][q] = c;
        else
            keptAt(p, q) = c;
    }
    __device__ Left projection(unsigned p, unsigned q) const
    {
        if constexpr (G::inRegisters)
            return m_projections[p][q];
        else
            return keptAt(p, q);
    }
    __device__ void keepBefore(unsigned p, unsigned q, const Left& product)
    {
        if constexpr (G::inRegisters)
            m_before[p][q] = product;
        else
            keptAt(G::order + p - 2, q) = product;
    }
    __device__ Left before(unsigned p, unsigned q) const
    {
        if (p == G::uniformPlaces + 1)
            return projection(G::uniformPlaces, q);
        if constexpr (G::inRegisters)
            return m_before[p][q];
        else
            return keptAt(G::order + p - 2, q);
    }
    __device__ Left& keptAt(unsigned number, unsigned q) const
    {
        return sharedAt<Left>(m_kept + (number * G::columnBlocks + q) * warpSize32 * static_cast<unsigned>(sizeof(Left)));
    }

    float m_perSquaredError[2]; ///< 1 / e'², where steps are damped
    unsigned m_operands; ///< this lane's of the first core
    unsigned m_kept; ///< where this lane keeps projections
    Left m_projections[G::inRegisters ? G::order : 1][G::columnBlocks];
    Left m_before[G::inRegisters ? G::order : 1][G::columnBlocks];
    Left m_after[G::columnBlocks];
    Left m_uniformFactors[G::columnBlocks]; ///< c of the uniform row as operand
    Vec4<float> m_uniformProjection[G::columnBlocks]; ///< and in fp32
};

} // namespace kernels::fasttucker_plus::gpu
