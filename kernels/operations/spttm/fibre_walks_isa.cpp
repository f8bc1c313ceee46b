// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/base/vectors.h"
#include "kernels/operations/spttm/fibre_walks.h"

namespace kernels::spttm::POLYAD_ISA {

using namespace kernels::POLYAD_ISA;

constexpr unsigned mostVectors = 8; ///< of a row that are summed in registers
constexpr std::uint64_t ahead = 24; ///< entries that rows are asked for before they are needed

/// N columns, aligned as one is.
template <class T, unsigned N> struct ColumnsOf {
    typedef T type __attribute__((vector_size(N * sizeof(T)), aligned(sizeof(T)), may_alias));
};
template <class T> struct ColumnsOf<T, 1> {
    typedef T type;
};

template <unsigned C, class T> static inline __attribute__((always_inline)) void fetchRow(const T* row)
{
    for (unsigned c = 0; c < C; c += 64 / sizeof(T))
        __builtin_prefetch(row + c);
}

/// V times N columns of one fibre, `to` on, for so many neighbouring places together: a row is read once for all of them.
template <class T, unsigned N, unsigned V, unsigned Places>
static inline __attribute__((always_inline)) void walkPlaces(const FibreWalk<T>& w, const T* matrix, std::uint64_t begin, std::uint64_t end,
                                                             std::uint64_t place, T* to)
{
    typedef typename ColumnsOf<T, N>::type Columns;
    // Of one narrow row several entries at once, each into a sum of its own: a sum waits for the addition before.
    constexpr unsigned strands = Places * V <= 2 ? 4 : 1;
    Columns sum[Places][V];
    for (unsigned p = 0; p < Places; ++p)
        for (unsigned v = 0; v < V; ++v)
            sum[p][v] = w.adds ? reinterpret_cast<Columns*>(to + p * w.rank)[v] : Columns{};
    std::uint64_t e = begin;
    if (strands > 1 && end - begin >= 2 * strands) {
        Columns others[strands][V];
        for (unsigned s = 0; s < strands; ++s)
            for (unsigned v = 0; v < V; ++v)
                others[s][v] = Columns{};
        for (; e + strands <= end; e += strands)
            for (unsigned s = 0; s < strands; ++s) {
                if (w.far && place == 0 && e + s + ahead < w.entries)
                    fetchRow<V * N>(matrix + w.rows[e + s + ahead] * w.rank);
                const T value = w.values[(e + s) * w.places + place];
                const Columns* const row = reinterpret_cast<const Columns*>(matrix + w.rows[e + s] * w.rank);
                for (unsigned v = 0; v < V; ++v)
                    others[s][v] += value * row[v];
            }
        for (unsigned s = 0; s < strands; ++s)
            for (unsigned v = 0; v < V; ++v)
                sum[0][v] += others[s][v];
    }
    for (; e < end; ++e) {
        if (w.far && place == 0 && e + ahead < w.entries)
            fetchRow<V * N>(matrix + w.rows[e + ahead] * w.rank);
        const T* const values = w.values + e * w.places + place;
        const Columns* const row = reinterpret_cast<const Columns*>(matrix + w.rows[e] * w.rank);
        for (unsigned p = 0; p < Places; ++p)
            for (unsigned v = 0; v < V; ++v)
                sum[p][v] += values[p] * row[v];
    }
    for (unsigned p = 0; p < Places; ++p)
        for (unsigned v = 0; v < V; ++v)
            reinterpret_cast<Columns*>(to + p * w.rank)[v] = sum[p][v];
}

/// V times N columns from this one on, of all places of all fibres.
template <class T, unsigned N, unsigned V> static void walkColumns(const FibreWalk<T>& w, std::uint64_t column)
{
    constexpr unsigned together = mostVectors / V;
    const T* const matrix = w.matrix + column;
    T* to = w.out + column;
    for (std::uint64_t f = w.first; f < w.last; ++f) {
        const std::uint64_t begin = w.begins[f], end = w.begins[f + 1];
        std::uint64_t place = 0;
        if (together > 1)
            for (; place + together <= w.places; place += together, to += together * w.rank)
                walkPlaces<T, N, V, together>(w, matrix, begin, end, place, to);
        for (; place < w.places; ++place, to += w.rank)
            walkPlaces<T, N, V, 1>(w, matrix, begin, end, place, to);
    }
}

/// What is left of a row that is less than a vector, by halves of one.
template <class T, unsigned N> static void walkRest(const FibreWalk<T>& w, std::uint64_t column)
{
    if constexpr (N >= 1) {
        if (w.rank - column >= N) {
            walkColumns<T, N, 1>(w, column);
            column += N;
        }
        if (column < w.rank)
            walkRest<T, N / 2>(w, column);
    }
}

template <class T> static void walk(const FibreWalk<T>& w)
{
    constexpr unsigned n = lanes<T>;
    std::uint64_t column = 0;
    for (; w.rank - column >= mostVectors * n; column += mostVectors * n)
        walkColumns<T, n, mostVectors>(w, column);
    if (w.rank - column >= 4 * n) {
        walkColumns<T, n, 4>(w, column);
        column += 4 * n;
    }
    if (w.rank - column >= 2 * n) {
        walkColumns<T, n, 2>(w, column);
        column += 2 * n;
    }
    if (column < w.rank)
        walkRest<T, n>(w, column);
}

void fill(FibreWalks& table)
{
    table.floats = walk<float>;
    table.doubles = walk<double>;
}

} // namespace kernels::spttm::POLYAD_ISA
