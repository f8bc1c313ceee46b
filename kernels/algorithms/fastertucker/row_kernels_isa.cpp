// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
//
// While one mode is renewed the projected rows of the others stand still. So of an entry only w = ∘ c^(k), x̂ = c·w and e = x̂ − x
// are needed, 3R operations; what J × R cost is taken once a tile: with z = Σ e w over the tile's n entries of a row,
//   a ← (1 − γ λ n) a − γ B z,   c ← a B.
// K is the padded J and R where both are alike and known at compile time, else 0.
#include "kernels/algorithms/fastertucker/row_kernels.h"
#include "kernels/base/vectors.h"

namespace kernels::fastertucker::POLYAD_ISA {

using namespace kernels::POLYAD_ISA;

/// A row's worth of numbers, in registers where K is known.
template <class T> struct alignas(64) Row {
    T at[mostColumns];
};

template <unsigned K> static inline unsigned columnsOr(unsigned runtime) { return K ? K : runtime; }

/// Rows this far ahead are asked for.
constexpr std::uint64_t ahead = 8;

template <class T, unsigned K> static inline void fetchAhead(const RowProblem<T>& p, std::uint64_t position, std::uint64_t end)
{
    if (position + ahead >= end)
        return;
    for (unsigned k = 0; k < p.others; ++k) {
        const T* const row = p.projections[k] + std::size_t{p.indices[k][position + ahead]} * p.coreStride;
        for (unsigned c = 0; c < columnsOr<K>(p.coreStride); c += 64 / sizeof(T))
            __builtin_prefetch(row + c);
    }
}

/// w = ∘ c^(k) of a position.
template <class T, unsigned K> static inline void multiplyOthers(const RowProblem<T>& p, std::uint64_t position, T* w)
{
    const unsigned columns = columnsOr<K>(p.coreStride);
    const T* const first = p.projections[0] + std::size_t{p.indices[0][position]} * columns;
    if (p.others == 1) {
        for (unsigned c = 0; c < columns; c += lanes<T>)
            store(w + c, load(first + c));
        return;
    }
    const T* const second = p.projections[1] + std::size_t{p.indices[1][position]} * columns;
    for (unsigned c = 0; c < columns; c += lanes<T>)
        store(w + c, load(first + c) * load(second + c));
    for (unsigned k = 2; k < p.others; ++k) {
        const T* const row = p.projections[k] + std::size_t{p.indices[k][position]} * columns;
        for (unsigned c = 0; c < columns; c += lanes<T>)
            store(w + c, load(w + c) * load(row + c));
    }
}

template <class T, unsigned K> static inline T dot(const T* a, const T* b, unsigned runtime)
{
    Vector<T> sum{};
    for (unsigned c = 0; c < columnsOr<K>(runtime); c += lanes<T>)
        sum += load(a + c) * load(b + c);
    return sumOf(sum);
}

/// out += factor · v M, M of so many rows.
template <class T, unsigned K>
static inline void addProduct(T* out, T factor, const T* v, const T* matrix, unsigned rows, unsigned runtimeColumns)
{
    const unsigned columns = columnsOr<K>(runtimeColumns);
    for (unsigned r = 0; r < rows; ++r) {
        const T by = factor * v[r];
        const T* const row = matrix + r * columns;
        for (unsigned c = 0; c < columns; c += lanes<T>)
            store(out + c, load(out + c) + by * load(row + c));
    }
}

template <class T> static inline void clear(T* out, unsigned columns)
{
    for (unsigned c = 0; c < columns; c += lanes<T>)
        store(out + c, Vector<T>{});
}

/// z += Σ e w of entries of one row.
template <class T, unsigned K>
static inline void addTile(const RowProblem<T>& p, const T* c, std::uint64_t begin, std::uint64_t end, std::uint64_t last, T* z)
{
    const unsigned columns = columnsOr<K>(p.coreStride);
    Row<T> w;
    for (std::uint64_t v = begin; v < end; ++v) {
        fetchAhead<T, K>(p, v, last);
        multiplyOthers<T, K>(p, v, w.at);
        const T e = dot<T, K>(c, w.at, columns) - p.values[v];
        for (unsigned x = 0; x < columns; x += lanes<T>)
            store(z + x, load(z + x) + e * load(w.at + x));
    }
}

template <class T, unsigned K> static void updateWith(const RowProblem<T>& p, const RowStep<T>& s, const RowPiece& piece)
{
    const unsigned stride = columnsOr<K>(p.stride), coreStride = columnsOr<K>(p.coreStride);
    T* const row = p.rows + piece.row * stride;
    const T rate = s.rowScales ? s.rate * static_cast<T>(s.rowScales[piece.row]) : s.rate;
    Row<T> a, c, z;
    for (unsigned x = 0; x < stride; x += lanes<T>)
        store(a.at + x, load(row + x));
    for (std::uint64_t begin = piece.begin; begin < piece.end;) {
        const std::uint64_t next = (begin / s.tile + 1) * s.tile;
        const std::uint64_t end = next < piece.end ? next : piece.end;
        clear(c.at, coreStride);
        addProduct<T, K>(c.at, T(1), a.at, p.core, p.rank, coreStride);
        clear(z.at, coreStride);
        addTile<T, K>(p, c.at, begin, end, piece.end, z.at);
        const T keep = T(1) - rate * s.lambda * static_cast<T>(end - begin);
        for (unsigned x = 0; x < stride; x += lanes<T>)
            store(a.at + x, keep * load(a.at + x));
        addProduct<T, K>(a.at, -rate, z.at, p.coreTransposed, p.coreRank, stride);
        if (s.nonnegative)
            for (unsigned x = 0; x < stride; x += lanes<T>) {
                const Vector<T> v = load(a.at + x);
                store(a.at + x, v > Vector<T>{} ? v : Vector<T>{});
            }
        begin = end;
    }
    for (unsigned x = 0; x < stride; x += lanes<T>)
        store(row + x, load(a.at + x));
}

template <class T, unsigned K> static void addResidualsWith(const RowProblem<T>& p, const RowPiece& piece, T* sum)
{
    addTile<T, K>(p, p.own + piece.row * columnsOr<K>(p.coreStride), piece.begin, piece.end, piece.end, sum);
}

template <class T, unsigned K> static void errorsWith(const RowProblem<T>& p, const RowPiece& piece, double* sums)
{
    const unsigned columns = columnsOr<K>(p.coreStride);
    const T* const c = p.own + piece.row * columns;
    Row<T> w;
    for (std::uint64_t v = piece.begin; v < piece.end; ++v) {
        fetchAhead<T, K>(p, v, piece.end);
        multiplyOthers<T, K>(p, v, w.at);
        const double e = static_cast<double>(dot<T, K>(c, w.at, columns)) - static_cast<double>(p.values[v]);
        sums[0] += e * e;
        sums[1] += e < 0 ? -e : e;
    }
}

/// a ← (1 − γ λ) a − γ e d of a row that other threads may be at; one of the updates may be lost.
template <class T, unsigned K> static inline void updateLeaf(const RowProblem<T>& p, const RowStep<T>& s, const T* d, std::uint64_t leaf)
{
    const unsigned stride = columnsOr<K>(p.stride);
    const std::uint32_t index = p.leaves[leaf];
    T* const row = p.rows + std::size_t{index} * stride;
    const T rate = s.rowScales ? s.rate * static_cast<T>(s.rowScales[index]) : s.rate;
    Vector<T> sum{};
    for (unsigned x = 0; x < stride; x += lanes<T>)
        sum += loadRacing(row + x) * load(d + x);
    const T by = rate * (sumOf(sum) - p.values[leaf]), keep = T(1) - rate * s.lambda;
    for (unsigned x = 0; x < stride; x += lanes<T>) {
        Vector<T> a = keep * loadRacing(row + x) - by * load(d + x);
        if (s.nonnegative)
            a = a > Vector<T>{} ? a : Vector<T>{};
        storeRacing(row + x, a);
    }
}

template <class T, unsigned K>
static void updateFibresWith(const RowProblem<T>& p, const RowStep<T>& s, std::uint64_t begin, std::uint64_t end)
{
    const unsigned stride = columnsOr<K>(p.stride);
    Row<T> w, d;
    const auto derive = [&](std::uint64_t fibre) {
        multiplyOthers<T, K>(p, fibre, w.at);
        clear(d.at, stride);
        addProduct<T, K>(d.at, T(1), w.at, p.coreTransposed, p.coreRank, stride);
    };
    for (std::uint64_t fibre = begin; fibre < end; ++fibre) {
        fetchAhead<T, K>(p, fibre, end);
        if (s.reuse)
            derive(fibre);
        for (std::uint64_t leaf = p.begins[fibre]; leaf < p.begins[fibre + 1]; ++leaf) {
            if (!s.reuse)
                derive(fibre);
            updateLeaf<T, K>(p, s, d.at, leaf);
        }
    }
}

template <class T, unsigned K> static void projectWith(const RowProblem<T>& p, std::uint64_t begin, std::uint64_t end, T* own)
{
    const unsigned stride = columnsOr<K>(p.stride), coreStride = columnsOr<K>(p.coreStride);
    Row<T> c;
    for (std::uint64_t row = begin; row < end; ++row) {
        clear(c.at, coreStride);
        addProduct<T, K>(c.at, T(1), p.rows + row * stride, p.core, p.rank, coreStride);
        for (unsigned x = 0; x < coreStride; x += lanes<T>)
            store(own + row * coreStride + x, load(c.at + x));
    }
}

template <unsigned K> struct Constant {
    static constexpr unsigned value = K;
};
template <class T, class Body> static void specialised(const RowProblem<T>& p, Body body)
{
    switch (p.stride == p.coreStride ? p.stride : 0) {
    case 16:
        return body(Constant<16>{});
    case 32:
        return body(Constant<32>{});
    case 64:
        return body(Constant<64>{});
    default:
        return body(Constant<0>{});
    }
}

template <class T> static void update(const RowProblem<T>& p, const RowStep<T>& s, const RowPiece& piece)
{
    specialised(p, [&](auto k) { updateWith<T, decltype(k)::value>(p, s, piece); });
}

template <class T> static void addResiduals(const RowProblem<T>& p, const RowPiece& piece, T* sum)
{
    specialised(p, [&](auto k) { addResidualsWith<T, decltype(k)::value>(p, piece, sum); });
}

template <class T> static void errors(const RowProblem<T>& p, const RowPiece& piece, double* sums)
{
    specialised(p, [&](auto k) { errorsWith<T, decltype(k)::value>(p, piece, sums); });
}

template <class T> static void updateFibres(const RowProblem<T>& p, const RowStep<T>& s, std::uint64_t begin, std::uint64_t end)
{
    specialised(p, [&](auto k) { updateFibresWith<T, decltype(k)::value>(p, s, begin, end); });
}

template <class T> static void project(const RowProblem<T>& p, std::uint64_t begin, std::uint64_t end, T* own)
{
    specialised(p, [&](auto k) { projectWith<T, decltype(k)::value>(p, begin, end, own); });
}

template <class T> static void fillTable(RowKernels<T>& table)
{
    table.update = &update<T>;
    table.addResiduals = &addResiduals<T>;
    table.errors = &errors<T>;
    table.updateFibres = &updateFibres<T>;
    table.project = &project<T>;
}

void fill(RowKernels<float>& table) { fillTable(table); }
void fill(RowKernels<double>& table) { fillTable(table); }

} // namespace kernels::fastertucker::POLYAD_ISA
