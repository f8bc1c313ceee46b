// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/base/vectors.h"
#include "kernels/operations/dense_products.h"

namespace kernels::POLYAD_ISA {

constexpr unsigned panelVectors = 64 / POLYAD_VECTOR_BYTES; ///< of 64 bytes
constexpr unsigned tileRows = 8 / panelVectors; ///< with them eight sums in registers

/// Rows × 64 bytes of the sum, over some terms.
template <class T, unsigned Rows>
static inline void addTile(double* sum, std::uint64_t sumStride, const T* a, std::uint64_t aRow, std::uint64_t aDepth, const T* b,
                           std::uint64_t bStride, std::uint64_t depth)
{
    constexpr unsigned columns = 64 / sizeof(T);
    Vector<T> tile[Rows][panelVectors] = {};
    for (std::uint64_t k = 0; k < depth; ++k) {
        Vector<T> right[panelVectors];
        for (unsigned v = 0; v < panelVectors; ++v)
            right[v] = load(b + k * bStride + v * lanes<T>);
        for (unsigned i = 0; i < Rows; ++i)
            for (unsigned v = 0; v < panelVectors; ++v)
                tile[i][v] += a[i * aRow + k * aDepth] * right[v];
    }
    for (unsigned i = 0; i < Rows; ++i) {
        alignas(64) T row[columns];
        for (unsigned v = 0; v < panelVectors; ++v)
            store(row + v * lanes<T>, tile[i][v]);
        double* const to = sum + i * sumStride;
        for (unsigned c = 0; c < columns; ++c)
            to[c] += static_cast<double>(row[c]);
    }
}

template <class T>
static void add(double* sum, std::uint64_t sumStride, const LeftFactor<T>& a, const T* b, std::uint64_t bStride, std::uint64_t rows,
                std::uint64_t columns, std::uint64_t depth)
{
    constexpr std::uint64_t mostTerms = 256, fewestTerms = 32;
    constexpr std::uint64_t cacheBytes = std::uint64_t{1} << 18; // of B that all rows go through
    const std::uint64_t fitting = cacheBytes / (columns * sizeof(T));
    const std::uint64_t atOnce = fitting < fewestTerms ? fewestTerms : fitting > mostTerms ? mostTerms : fitting;
    for (std::uint64_t k = 0; k < depth; k += atOnce) {
        const std::uint64_t terms = depth - k < atOnce ? depth - k : atOnce;
        for (std::uint64_t c = 0; c < columns; c += productLine<T>) {
            const T* const right = b + k * bStride + c;
            std::uint64_t i = 0;
            for (; i + tileRows <= rows; i += tileRows)
                addTile<T, tileRows>(sum + i * sumStride + c, sumStride, a.at + i * a.row + k * a.depth, a.row, a.depth, right, bStride,
                                     terms);
            for (; i < rows; ++i)
                addTile<T, 1>(sum + i * sumStride + c, sumStride, a.at + i * a.row + k * a.depth, a.row, a.depth, right, bStride, terms);
        }
    }
}

void fill(DenseProducts<float>& table) { table.add = add<float>; }
void fill(DenseProducts<double>& table) { table.add = add<double>; }

} // namespace kernels::POLYAD_ISA
