// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/base/vectors.h"
#include "kernels/operations/core_contraction/loops.h"

namespace kernels::core_contraction::POLYAD_ISA {
namespace {

/// Anywhere, and of no more than 32 bytes: a rank of 8 singles fills them, wider ones would be mostly padding.
constexpr unsigned vectorBytes = POLYAD_VECTOR_BYTES < 32 ? POLYAD_VECTOR_BYTES : 32;
template <class T> struct VectorAt {
    typedef T type __attribute__((vector_size(vectorBytes), may_alias, aligned(alignof(T))));
};
template <class T> using Vector = typename VectorAt<T>::type;
template <class T> constexpr unsigned lanes = vectorBytes / sizeof(T);

template <class T> inline __attribute__((always_inline)) Vector<T> loadAt(const T* p) { return *reinterpret_cast<const Vector<T>*>(p); }
template <class T> inline __attribute__((always_inline)) void storeAt(T* p, Vector<T> v) { *reinterpret_cast<Vector<T>*>(p) = v; }

constexpr unsigned tileRows = 4, tileVectors = 2; ///< eight sums in registers

/// tileRows or 1 rows of C, one or tileVectors vectors wide.
template <class T, unsigned Rows, unsigned Vectors> void multiplyTile(const Product<T>& p, Count i, Count column)
{
    Vector<T> sum[Rows][Vectors];
    for (unsigned r = 0; r < Rows; ++r)
        for (unsigned v = 0; v < Vectors; ++v)
            sum[r][v] = p.add ? loadAt(p.c + (i + r) * p.n + column + v * lanes<T>) : Vector<T>{};
    const T* const a = p.a + i * p.rowStep;
    const T* b = p.b + column;
    for (Count l = 0; l < p.k; ++l, b += p.n) {
        Vector<T> row[Vectors];
        for (unsigned v = 0; v < Vectors; ++v)
            row[v] = loadAt(b + v * lanes<T>);
        for (unsigned r = 0; r < Rows; ++r) {
            const T factor = a[r * p.rowStep + l * p.columnStep];
            for (unsigned v = 0; v < Vectors; ++v)
                sum[r][v] += factor * row[v];
        }
    }
    for (unsigned r = 0; r < Rows; ++r)
        for (unsigned v = 0; v < Vectors; ++v)
            storeAt(p.c + (i + r) * p.n + column + v * lanes<T>, sum[r][v]);
}

template <class T, unsigned Vectors> void multiplyColumns(const Product<T>& p, Count column)
{
    Count i = 0;
    for (; i + tileRows <= p.m; i += tileRows)
        multiplyTile<T, tileRows, Vectors>(p, i, column);
    for (; i < p.m; ++i)
        multiplyTile<T, 1, Vectors>(p, i, column);
}

template <class T> void multiply(const Product<T>& p)
{
    Count column = 0;
    for (; column + tileVectors * lanes<T> <= p.n; column += tileVectors * lanes<T>)
        multiplyColumns<T, tileVectors>(p, column);
    for (; column + lanes<T> <= p.n; column += lanes<T>)
        multiplyColumns<T, 1>(p, column);
    for (Count i = 0; i < p.m && column < p.n; ++i)
        for (Count j = column; j < p.n; ++j) {
            T sum = p.add ? p.c[i * p.n + j] : T(0);
            for (Count l = 0; l < p.k; ++l)
                sum += p.a[i * p.rowStep + l * p.columnStep] * p.b[l * p.n + j];
            p.c[i * p.n + j] = sum;
        }
}

template <class T, unsigned Rows, unsigned Vectors>
void leavesTile(T* deltas, unsigned stride, const T* core, unsigned terms, unsigned columns, const T* const* rows)
{
    Vector<T> sum[Rows][Vectors] = {};
    for (unsigned j = 0; j < terms; ++j, core += columns) {
        Vector<T> part[Vectors];
        for (unsigned v = 0; v < Vectors; ++v)
            part[v] = loadAt(core + v * lanes<T>);
        for (unsigned r = 0; r < Rows; ++r)
            for (unsigned v = 0; v < Vectors; ++v)
                sum[r][v] += rows[r][j] * part[v];
    }
    for (unsigned r = 0; r < Rows; ++r)
        for (unsigned v = 0; v < Vectors; ++v)
            storeAt(deltas + r * stride + v * lanes<T>, sum[r][v]);
}

template <class T, unsigned Rows>
void leavesOf(T* deltas, unsigned stride, const T* core, unsigned terms, unsigned columns, const T* const* rows)
{
    unsigned column = 0;
    for (; column + tileVectors * lanes<T> <= stride; column += tileVectors * lanes<T>)
        leavesTile<T, Rows, tileVectors>(deltas + column, stride, core + column, terms, columns, rows);
    for (; column < stride; column += lanes<T>)
        leavesTile<T, Rows, 1>(deltas + column, stride, core + column, terms, columns, rows);
    for (unsigned r = 0; r < Rows; ++r) // what was read past a row is the next one's
        for (unsigned j = columns; j < stride; ++j)
            deltas[r * stride + j] = T(0);
}

template <class T>
void contractLeaves(T* deltas, unsigned stride, const T* core, unsigned terms, unsigned columns, const T* rows, const Index* indices,
                    Count count)
{
    const T* at[tileRows];
    Count i = 0;
    for (; i + tileRows <= count; i += tileRows) {
        for (unsigned r = 0; r < tileRows; ++r)
            at[r] = rows + Count{indices[i + r]} * terms;
        leavesOf<T, tileRows>(deltas + i * stride, stride, core, terms, columns, at);
    }
    for (; i < count; ++i) {
        at[0] = rows + Count{indices[i]} * terms;
        leavesOf<T, 1>(deltas + i * stride, stride, core, terms, columns, at);
    }
}

template <class T> T dot(const T* a, const T* b, Count n)
{
    Vector<T> sums{};
    Count i = 0;
    for (; i + lanes<T> <= n; i += lanes<T>)
        sums += loadAt(a + i) * loadAt(b + i);
    T sum = 0;
    for (unsigned lane = 0; lane < lanes<T>; ++lane)
        sum += sums[lane];
    for (; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

template <class T> void addScaled(T* to, const T* from, T by, Count n)
{
    Count i = 0;
    for (; i + lanes<T> <= n; i += lanes<T>)
        storeAt(to + i, loadAt(to + i) + by * loadAt(from + i));
    for (; i < n; ++i)
        to[i] += by * from[i];
}

/// tileRows × Vectors of Σ δδᵀ.
template <class T, unsigned Vectors> void normalTile(const NormalBlock<T>& block, unsigned row, unsigned column)
{
    Vector<T> sum[tileRows][Vectors] = {};
    const T* delta = block.deltas;
    for (unsigned e = 0; e < block.count; ++e, delta += block.stride) {
        Vector<T> part[Vectors];
        for (unsigned v = 0; v < Vectors; ++v)
            part[v] = loadAt(delta + column + v * lanes<T>);
        for (unsigned r = 0; r < tileRows; ++r)
            for (unsigned v = 0; v < Vectors; ++v)
                sum[r][v] += delta[row + r] * part[v];
    }
    for (unsigned r = 0; r < tileRows; ++r)
        for (unsigned v = 0; v < Vectors; ++v) {
            double* const to = block.normal + Count{row + r} * block.stride + column + v * lanes<T>;
            for (unsigned lane = 0; lane < lanes<T>; ++lane)
                to[lane] += static_cast<double>(sum[r][v][lane]);
        }
}

template <class T> void addNormal(const NormalBlock<T>& block)
{
    for (unsigned row = 0; row < block.stride; row += tileRows) { // a stride is a multiple of tileRows
        unsigned column = 0;
        for (; column + tileVectors * lanes<T> <= block.stride && column < row + tileRows; column += tileVectors * lanes<T>)
            normalTile<T, tileVectors>(block, row, column);
        for (; column < row + tileRows && column < block.stride; column += lanes<T>)
            normalTile<T, 1>(block, row, column);
    }
    T errors[blockEntries];
    for (unsigned e = 0; e < block.count; ++e)
        errors[e] = block.values[e] - dot(block.row, block.deltas + Count{e} * block.stride, block.stride);
    for (unsigned column = 0; column < block.stride; column += lanes<T>) {
        Vector<T> sum{};
        for (unsigned e = 0; e < block.count; ++e)
            sum += errors[e] * loadAt(block.deltas + Count{e} * block.stride + column);
        for (unsigned lane = 0; lane < lanes<T>; ++lane)
            block.right[column + lane] += static_cast<double>(sum[lane]);
    }
}

template <class T> void descend(const DescentBlock<T>& block)
{
    for (unsigned e = 0; e < block.count; ++e) {
        const T* const delta = block.deltas + Count{e} * block.stride;
        T rate = block.rate;
        if (block.cap > 0) {
            const T size = dot(delta, delta, block.stride);
            rate = rate * size > block.cap ? block.cap / size : rate;
        }
        const T error = dot(block.row, delta, block.stride) - block.values[e];
        const T keep = 1 - rate * block.lambda, by = rate * error;
        for (unsigned column = 0; column < block.stride; column += lanes<T>)
            storeAt(block.row + column, keep * loadAt(block.row + column) - by * loadAt(delta + column));
    }
}

template <class T> void multiplyRun(const ProductRun<T>& run)
{
    if (!run.second) {
        for (Count e = 0; e < run.count; ++e)
            run.products[e] = run.first[run.firstRows[e]];
    } else if (run.by) {
        for (Count e = 0; e < run.count; ++e)
            run.products[e] = run.by[e] * run.second[run.secondRows[e]];
    } else {
        for (Count e = 0; e < run.count; ++e)
            run.products[e] = run.first[run.firstRows[e]] * run.second[run.secondRows[e]];
    }
}

template <class T> void addSums(const T* products, const T* residuals, Count count, double* sums)
{
    for (Count begin = 0; begin < count; begin += blockEntries) {
        const Count end = count - begin < blockEntries ? count : begin + blockEntries;
        Vector<T> squares{}, crosses{};
        Count e = begin;
        for (; e + lanes<T> <= end; e += lanes<T>) {
            const Vector<T> p = loadAt(products + e);
            squares += p * p;
            crosses += p * loadAt(residuals + e);
        }
        for (; e < end; ++e) {
            squares[0] += products[e] * products[e];
            crosses[0] += products[e] * residuals[e];
        }
        for (unsigned lane = 0; lane < lanes<T>; ++lane) {
            sums[0] += static_cast<double>(squares[lane]);
            sums[1] += static_cast<double>(crosses[lane]);
        }
    }
}

/// Cholesky, column after column: what is below and to the right of one is lessened by it, in rows, so that all loops run along
/// memory.
bool solve(double* a, unsigned stride, unsigned rank, double* right, double* room)
{
    for (unsigned j = 0; j < rank; ++j) {
        const double pivot = a[Count{j} * stride + j];
        if (!(pivot > 0))
            return false;
        const double by = 1 / __builtin_sqrt(pivot);
        for (unsigned i = j; i < rank; ++i)
            room[i] = a[Count{i} * stride + j] *= by;
        for (unsigned i = j + 1; i < rank; ++i)
            addScaled(a + Count{i} * stride + j + 1, room + j + 1, -room[i], Count{i - j});
    }
    for (unsigned i = 0; i < rank; ++i) {
        const double* const row = a + Count{i} * stride;
        right[i] = (right[i] - dot(row, right, Count{i})) / row[i];
    }
    for (unsigned i = rank; i-- > 0;) {
        const double* const row = a + Count{i} * stride;
        right[i] /= row[i];
        addScaled(right, row, -right[i], Count{i});
    }
    return true;
}

template <class T> void fillTable(Loops<T>& table)
{
    table.multiply = multiply<T>;
    table.contractLeaves = contractLeaves<T>;
    table.addNormal = addNormal<T>;
    table.descend = descend<T>;
    table.multiplyRun = multiplyRun<T>;
    table.addSums = addSums<T>;
    table.dot = dot<T>;
    table.addScaled = addScaled<T>;
    table.solve = solve;
}

} // namespace

void fill(Loops<float>& table) { fillTable(table); }
void fill(Loops<double>& table) { fillTable(table); }

} // namespace kernels::core_contraction::POLYAD_ISA
