// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/base/vectors.h"

/// What loops over tiles of 16 entries are made of. For sources that are compiled once per instruction set, as vectors.h is.
namespace kernels::fasttucker_plus::POLYAD_ISA {

using namespace kernels::POLYAD_ISA;

/// One mode of the problem with strides known at compile time where K is.
template <class T, unsigned K> static inline unsigned strideOf(const TileProblem<T>& p, unsigned n)
{
    return K ? paddedColumns<T>(K) : p.stride[n];
}
template <class T, unsigned K> static inline unsigned coreStrideOf(const TileProblem<T>& p)
{
    return K ? paddedColumns<T>(K) : p.coreStride;
}

// Offsets within products are as wide as addresses: narrower ones, where sizes are known at run time only, are computed for every operand.

/// Register block of the matrix products: entries × vectors, as many as the register file holds.
constexpr unsigned blockRows = POLYAD_VECTOR_BYTES == 64 ? 8 : 4;

/// sum[m][v] += Σ_k in[m][k] · right[k][v] for M rows and V vectors of columns.
template <class T, unsigned K, unsigned M, unsigned V>
static inline __attribute__((always_inline)) void addProducts(Vector<T> (&sum)[M][V], const T* in, std::size_t inStride, const T* right,
                                                              std::size_t rightStride, unsigned depth)
{
    const std::size_t n = K ? K : depth;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < n; ++k) {
        Vector<T> b[V];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v)
            b[v] = load(right + k * rightStride + v * lanes<T>);
#pragma GCC unroll 16
        for (std::size_t m = 0; m < M; ++m) {
            const T a = in[m * inStride + k];
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v)
                sum[m][v] += a * b[v];
        }
    }
}

/// out[m][c] = Σ_k in[m][k] · right[k][c] for M rows and V vectors of columns.
template <class T, unsigned K, unsigned M, unsigned V>
static inline __attribute__((always_inline)) void multiplyBlock(T* out, std::size_t outStride, const T* in, std::size_t inStride,
                                                                const T* right, std::size_t rightStride, unsigned depth)
{
    Vector<T> sum[M][V] = {};
    addProducts<T, K>(sum, in, inStride, right, rightStride, depth);
#pragma GCC unroll 16
    for (std::size_t m = 0; m < M; ++m)
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v)
            store(out + m * outStride + v * lanes<T>, sum[m][v]);
}

/// out (16 × columns) = in (16 × depth) · right (depth × columns); columns are padded.
template <class T, unsigned K>
static void multiplyTile(T* out, const T* in, std::size_t inStride, const T* right, unsigned columns, unsigned depth)
{
    const std::size_t stride = K ? paddedColumns<T>(K) : columns;
    const std::size_t left = K ? paddedColumns<T>(K) : inStride;
    std::size_t c = 0;
    for (; c + 2 * lanes<T> <= stride; c += 2 * lanes<T>)
        for (std::size_t m = 0; m < tileEntries; m += blockRows)
            multiplyBlock<T, K, blockRows, 2>(out + m * stride + c, stride, in + m * left, left, right + c, stride, depth);
    for (; c < stride; c += lanes<T>)
        for (std::size_t m = 0; m < tileEntries; m += 2 * blockRows)
            multiplyBlock<T, K, 2 * blockRows, 1>(out + m * stride + c, stride, in + m * left, left, right + c, stride, depth);
}

/// sum (rows × columns) += Σ_entries left[e][row] · right[e][column], right of each entry scaled on its way where asked for.
template <class T, unsigned M, unsigned V, bool scaled>
static inline __attribute__((always_inline)) void addOuterBlock(T* sum, const T* left, std::size_t leftStride, const T* right,
                                                                std::size_t rightStride, const T* scale)
{
    Vector<T> s[M][V];
#pragma GCC unroll 16
    for (std::size_t m = 0; m < M; ++m)
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v)
            s[m][v] = load(sum + m * rightStride + v * lanes<T>);
#pragma GCC unroll 4
    for (std::size_t e = 0; e < tileEntries; ++e) {
        Vector<T> b[V];
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v)
            b[v] = scaled ? scale[e] * load(right + e * rightStride + v * lanes<T>) : load(right + e * rightStride + v * lanes<T>);
#pragma GCC unroll 16
        for (std::size_t m = 0; m < M; ++m) {
            const T a = left[e * leftStride + m];
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v)
                s[m][v] += a * b[v];
        }
    }
#pragma GCC unroll 16
    for (std::size_t m = 0; m < M; ++m)
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v)
            store(sum + m * rightStride + v * lanes<T>, s[m][v]);
}

template <class T, unsigned K, bool scaled = false>
static void addOuter(T* sum, const T* left, unsigned rows, const T* right, unsigned columns, const T* scale = nullptr)
{
    const std::size_t j = K ? paddedColumns<T>(K) : rows;
    const std::size_t r = K ? paddedColumns<T>(K) : columns;
    std::size_t c = 0;
    for (; c + 2 * lanes<T> <= r; c += 2 * lanes<T>)
        for (std::size_t m = 0; m < j; m += blockRows)
            addOuterBlock<T, blockRows, 2, scaled>(sum + m * r + c, left + m, j, right + c, r, scale);
    for (; c < r; c += lanes<T>) {
        std::size_t m = 0;
        for (; m + 2 * blockRows <= j; m += 2 * blockRows)
            addOuterBlock<T, 2 * blockRows, 1, scaled>(sum + m * r + c, left + m, j, right + c, r, scale);
        for (; m < j; m += blockRows)
            addOuterBlock<T, blockRows, 1, scaled>(sum + m * r + c, left + m, j, right + c, r, scale);
    }
}

template <class T> static unsigned largestStride(const TileProblem<T>& p)
{
    unsigned largest = 0;
    for (unsigned n = 0; n < p.order; ++n)
        largest = p.stride[n] > largest ? p.stride[n] : largest;
    return largest;
}

/// Calls body(constant) with J = R where a specialised copy exists, else with 0.
template <unsigned N> struct Constant {
    static constexpr unsigned value = N;
};

template <class T, class Body> static inline void specialised(const TileProblem<T>& p, const Body& body)
{
    bool alike = true;
    for (unsigned n = 0; n < p.order; ++n)
        alike = alike && p.rank[n] == p.coreRank;
    switch (alike ? p.coreRank : 0) {
    case 16:
        return body(Constant<16>{});
    case 32:
        return body(Constant<32>{});
    case 64:
        return body(Constant<64>{});
    case 128:
        return body(Constant<128>{});
    default:
        return body(Constant<0>{});
    }
}

} // namespace kernels::fasttucker_plus::POLYAD_ISA
