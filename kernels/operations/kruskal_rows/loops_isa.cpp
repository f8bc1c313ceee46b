// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/base/vectors.h"
#include "kernels/operations/kruskal_rows/loops.h"

namespace kernels::kruskal_rows::POLYAD_ISA {
namespace {

/// Anywhere, and of no more than 32 bytes, as rows are padded to them.
constexpr unsigned vectorBytes = POLYAD_VECTOR_BYTES < 32 ? POLYAD_VECTOR_BYTES : 32;
template <class T> struct VectorAt {
    typedef T type __attribute__((vector_size(vectorBytes), may_alias, aligned(alignof(T))));
};
template <class T> using Vector = typename VectorAt<T>::type;
template <class T> constexpr unsigned lanes = vectorBytes / sizeof(T);

template <class T> inline __attribute__((always_inline)) Vector<T> loadAt(const T* p) { return *reinterpret_cast<const Vector<T>*>(p); }
template <class T> inline __attribute__((always_inline)) void storeAt(T* p, Vector<T> v) { *reinterpret_cast<Vector<T>*>(p) = v; }

template <class T> void multiplyRows(const Products<T>& p)
{
    for (Count i = 0; i < p.count; ++i) {
        T* const to = p.to + i * p.stride;
        const T* const row = p.rows + Count{p.indices[i]} * p.rank;
        unsigned r = 0;
        if (p.by) {
            for (; r + lanes<T> <= p.rank; r += lanes<T>)
                storeAt(to + r, loadAt(p.by + r) * loadAt(row + r));
            for (; r < p.rank; ++r)
                to[r] = p.by[r] * row[r];
        } else {
            for (; r + lanes<T> <= p.rank; r += lanes<T>)
                storeAt(to + r, loadAt(row + r));
            for (; r < p.rank; ++r)
                to[r] = row[r];
        }
        for (; r < p.stride; ++r)
            to[r] = T(0);
    }
}

template <class T, unsigned N> using FewOf = kernels::POLYAD_ISA::FewOf<T, N>;
template <class T, unsigned N> using Few = typename FewOf<T, N>::type;

// Rows that other threads may be writing: a mixture of old and new is tolerated. Functions of their own, because the thread sanitizer looks
// into what a function calls even where the caller is left out.
template <class T, unsigned N> POLYAD_RACING inline Few<T, N> loadRacingFew(const T* p)
{
    return *reinterpret_cast<const typename FewOf<T, N>::loose*>(p);
}
template <class T, unsigned N> POLYAD_RACING inline void storeRacingFew(T* p, Few<T, N> v)
{
    *reinterpret_cast<typename FewOf<T, N>::loose*>(p) = v;
}

/// N numbers of an entry from r on: leaves the products of its other rows in `work` and adds to Σ of all rows' products and to each mode's
/// Σ S².
template <class T, unsigned N>
inline void productsAt(const Descent<T>& d, T* const* rows, unsigned r, Few<T, N>& predicted, Few<T, N>* squares)
{
    Few<T, N> before[maxOrder], own[maxOrder]; // products of the modes before, and its numbers
    Few<T, N> product = Few<T, N>{} + T(1);
    for (unsigned n = 0; n < d.order; ++n) {
        own[n] = loadRacingFew<T, N>(rows[n] + r);
        before[n] = product;
        product *= own[n];
    }
    predicted += product;
    Few<T, N> behind = Few<T, N>{} + T(1);
    for (unsigned n = d.order; n-- > 0; behind *= own[n]) {
        const Few<T, N> s = before[n] * behind;
        storeRacingFew<T, N>(d.work + Count{n} * d.rank + r, s);
        squares[n] += s * s;
    }
}

template <class T, unsigned N> inline void stepAt(T* row, const T* products, T keep, T by)
{
    storeRacingFew<T, N>(row, keep * loadRacingFew<T, N>(row) - by * loadRacingFew<T, N>(products));
}

template <class T> inline T totalOf(Few<T, lanes<T>> v)
{
    T sum = 0;
    for (unsigned lane = 0; lane < lanes<T>; ++lane)
        sum += v[lane];
    return sum;
}

template <class T> void descend(const Descent<T>& d)
{
    const unsigned whole = d.rank / lanes<T> * lanes<T>;
    for (Count e = d.begin; e < d.end; ++e) {
        T* rows[maxOrder];
        T rates[maxOrder];
        for (unsigned n = 0; n < d.order; ++n) {
            const Index row = d.columns[n][e];
            rows[n] = d.rows[n] + Count{row} * d.rank;
            rates[n] = d.scales[n] ? d.rates[n] * static_cast<T>(d.scales[n][row]) : d.rates[n];
            if (e + 1 < d.end)
                __builtin_prefetch(d.rows[n] + Count{d.columns[n][e + 1]} * d.rank, 1);
        }
        Few<T, lanes<T>> predictions{}, squares[maxOrder] = {};
        Few<T, 1> lastPrediction{}, lastSquares[maxOrder] = {};
        for (unsigned r = 0; r < whole; r += lanes<T>)
            productsAt<T, lanes<T>>(d, rows, r, predictions, squares);
        for (unsigned r = whole; r < d.rank; ++r)
            productsAt<T, 1>(d, rows, r, lastPrediction, lastSquares);
        const T error = lastPrediction[0] + totalOf<T>(predictions) - d.values[e];
        T scale = 1;
        if (d.cap > 0) {
            T slope = 0;
            for (unsigned n = 0; n < d.order; ++n)
                slope += rates[n] * (lastSquares[n][0] + totalOf<T>(squares[n]));
            scale = slope > d.cap ? d.cap / slope : scale;
        }
        for (unsigned n = 0; n < d.order; ++n) {
            const T rate = scale * rates[n], keep = 1 - rate * d.lambda, by = rate * error;
            const T* const products = d.work + Count{n} * d.rank;
            for (unsigned r = 0; r < whole; r += lanes<T>)
                stepAt<T, lanes<T>>(rows[n] + r, products + r, keep, by);
            for (unsigned r = whole; r < d.rank; ++r)
                stepAt<T, 1>(rows[n] + r, products + r, keep, by);
        }
    }
}

template <class T> void fillTable(Loops<T>& table)
{
    table.multiplyRows = multiplyRows<T>;
    table.descend = descend<T>;
}

} // namespace

void fill(Loops<float>& table) { fillTable(table); }
void fill(Loops<double>& table) { fillTable(table); }

} // namespace kernels::kruskal_rows::POLYAD_ISA
