// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/algorithms/cp_als/dense_rows.h"
#include "kernels/base/vectors.h"

namespace kernels::cp_als::POLYAD_ISA {

using namespace kernels::POLYAD_ISA;

constexpr unsigned panelVectors = 64 / POLYAD_VECTOR_BYTES; ///< of 64 bytes
constexpr unsigned tileRows = 8 / panelVectors; ///< with them eight sums in registers
template <class T> constexpr unsigned panelColumns = 64 / sizeof(T);

template <class T, unsigned Rows> static inline void multiplyTile(T* to, const T* from, const T* panel, unsigned stride, bool add)
{
    Vector<T> sum[Rows][panelVectors];
    for (unsigned i = 0; i < Rows; ++i)
        for (unsigned v = 0; v < panelVectors; ++v)
            sum[i][v] = add ? load(to + i * std::uint64_t{stride} + v * lanes<T>) : Vector<T>{};
    for (unsigned j = 0; j < stride; ++j)
        for (unsigned i = 0; i < Rows; ++i)
            for (unsigned v = 0; v < panelVectors; ++v)
                sum[i][v] += from[i * std::uint64_t{stride} + j] * load(panel + j * panelColumns<T> + v * lanes<T>);
    for (unsigned i = 0; i < Rows; ++i)
        for (unsigned v = 0; v < panelVectors; ++v)
            store(to + i * std::uint64_t{stride} + v * lanes<T>, sum[i][v]);
}

template <class T> static void multiply(T* to, const T* from, const T* by, Count count, unsigned stride, bool add)
{
    for (unsigned column = 0; column < stride; column += panelColumns<T>) {
        const T* const panel = by + std::uint64_t{column} * stride;
        Count i = 0;
        for (; i + tileRows <= count; i += tileRows)
            multiplyTile<T, tileRows>(to + i * stride + column, from + i * stride, panel, stride, add);
        for (; i < count; ++i)
            multiplyTile<T, 1>(to + i * stride + column, from + i * stride, panel, stride, add);
    }
}

/// As many elements as a vector of doubles has, as doubles.
static inline Vector<double> loadDoubles(const double* p) { return load(p); }
static inline Vector<double> loadDoubles(const float* p)
{
    typedef float Half __attribute__((vector_size(POLYAD_VECTOR_BYTES / 2), may_alias));
    return __builtin_convertvector(*reinterpret_cast<const Half*>(p), Vector<double>);
}

/// tileRows × 8 of the sum, over some rows.
template <class T>
static inline void gramTile(const T* rows, Count count, unsigned stride, unsigned j, unsigned k, double* sum, unsigned sumStride)
{
    Vector<double> tile[tileRows][panelVectors];
    for (unsigned i = 0; i < tileRows; ++i)
        for (unsigned v = 0; v < panelVectors; ++v)
            tile[i][v] = load(sum + (j + i) * std::uint64_t{sumStride} + k + v * lanes<double>);
    for (Count row = 0; row < count; ++row) {
        const T* const at = rows + row * stride;
        Vector<double> right[panelVectors];
        for (unsigned v = 0; v < panelVectors; ++v)
            right[v] = loadDoubles(at + k + v * lanes<double>);
        for (unsigned i = 0; i < tileRows; ++i)
            for (unsigned v = 0; v < panelVectors; ++v)
                tile[i][v] += static_cast<double>(at[j + i]) * right[v];
    }
    for (unsigned i = 0; i < tileRows; ++i)
        for (unsigned v = 0; v < panelVectors; ++v)
            store(sum + (j + i) * std::uint64_t{sumStride} + k + v * lanes<double>, tile[i][v]);
}

template <class T>
static void gram(const T* rows, Count count, unsigned stride, unsigned first, unsigned end, double* sum, unsigned sumStride)
{
    constexpr Count cacheBytes = Count{1} << 17; // of rows that are gone through for all tiles
    const Count fitting = cacheBytes / (stride * sizeof(T)), atOnce = fitting < 32 ? 32 : fitting;
    for (Count begin = 0; begin < count; begin += atOnce) {
        const Count length = count - begin < atOnce ? count - begin : atOnce;
        for (unsigned j = first; j < end; j += tileRows)
            for (unsigned k = 0; k < j + tileRows; k += 8)
                gramTile(rows + begin * stride, length, stride, j, k, sum, sumStride);
    }
}

template <class T> static void largest(const T* rows, Count count, unsigned stride, T* most)
{
    for (Count i = 0; i < count; ++i) {
        const T* const row = rows + i * stride;
        for (unsigned c = 0; c < stride; c += lanes<T>) {
            const Vector<T> x = load(row + c), magnitude = x < Vector<T>{} ? -x : x, before = load(most + c);
            store(most + c, magnitude > before ? magnitude : before);
        }
    }
}

template <class T> static void scale(T* rows, const T* by, Count count, unsigned stride)
{
    for (Count i = 0; i < count; ++i)
        for (unsigned c = 0; c < stride; c += lanes<T>)
            store(rows + i * stride + c, load(rows + i * stride + c) * load(by + c));
}

template <class T> static void judge(JudgeWalk<T>& w)
{
    constexpr Count ahead = 8; // entries; hides most of a miss behind the arithmetic of the ones before
    double squared = 0, absolute = 0, products = 0;
    for (Count e = w.begin; e < w.end; ++e) {
        const T* rows[maxOrder];
        for (unsigned n = 0; n < w.order; ++n) {
            rows[n] = w.factors[n] + w.indices[n][e] * std::uint64_t{w.stride};
            if (e + ahead < w.end)
                for (unsigned c = 0; c < w.stride && c < 4 * panelColumns<T>; c += panelColumns<T>)
                    __builtin_prefetch(w.factors[n] + w.indices[n][e + ahead] * std::uint64_t{w.stride} + c);
        }
        Vector<double> sum{};
        for (unsigned c = 0; c < w.stride; c += lanes<double>) {
            Vector<double> product = load(w.weights + c);
            for (unsigned n = 0; n < w.order; ++n)
                product *= loadDoubles(rows[n] + c);
            sum += product;
        }
        const double predicted = sumOf(sum), x = w.floats ? static_cast<double>(w.floats[e]) : w.doubles[e], error = predicted - x;
        squared += error * error;
        absolute += error < 0 ? -error : error;
        products += x * predicted;
    }
    w.squared = squared;
    w.absolute = absolute;
    w.products = products;
}

template <class T> static void fillTable(DenseRows<T>& table)
{
    table.multiply = multiply<T>;
    table.gram = gram<T>;
    table.largest = largest<T>;
    table.scale = scale<T>;
    table.judge = judge<T>;
}

void fill(DenseRows<float>& table) { fillTable(table); }
void fill(DenseRows<double>& table) { fillTable(table); }

} // namespace kernels::cp_als::POLYAD_ISA
