// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
#include "kernels/algorithms/ntf/row_steps.h"
#include "kernels/base/vectors.h"

namespace kernels::ntf::POLYAD_ISA {

using namespace kernels::POLYAD_ISA;

constexpr Count entriesAhead = 8; // whose rows are asked for; hides most of a miss behind the arithmetic of the ones before
constexpr unsigned linesAhead = 4; // of a row; the processor sees the rest coming
constexpr Count entriesInStretch = 512; // added up in T before fp64 takes them: its roundings stay small beside a value's
template <class T> constexpr unsigned lineNumbers = 64 / sizeof(T);

/// S of some entries, and the vectors that x̂ is summed from. Others: as a constant where there are few, else 0.
template <class T, unsigned Others>
static inline void multiplyRows(const RowWalk<T>& w, Count first, unsigned count, Vector<T> (&sums)[entriesAtOnce])
{
    const unsigned others = Others ? Others : w.others;
    for (unsigned e = 0; e < count; ++e) {
        const T* rows[Others ? Others : maxOrder];
        for (unsigned k = 0; k < others; ++k) {
            rows[k] = w.rows[k] + w.indices[k][first + e] * std::uint64_t{w.stride};
            if (first + e + entriesAhead < w.end) {
                const T* const coming = w.rows[k] + w.indices[k][first + e + entriesAhead] * std::uint64_t{w.stride};
                for (unsigned c = 0; c < w.stride && c < linesAhead * lineNumbers<T>; c += lineNumbers<T>)
                    __builtin_prefetch(coming + c);
            }
        }
        T* const products = w.products + e * std::uint64_t{w.stride};
        Vector<T> sum{};
        for (unsigned c = 0; c < w.stride; c += lanes<T>) {
            Vector<T> product = load(rows[0] + c);
            for (unsigned k = 1; k < others; ++k)
                product *= load(rows[k] + c);
            store(products + c, product);
            sum += product * load(w.own + c);
        }
        sums[e] = sum;
    }
    for (unsigned e = count; e < entriesAtOnce; ++e)
        sums[e] = Vector<T>{};
}

/// x̂ of entriesAtOnce entries.
template <class T> static inline void addUp(const Vector<T> (&sums)[entriesAtOnce], T (&predicted)[entriesAtOnce])
{
    constexpr unsigned together = lanes<T>;
    static_assert(entriesAtOnce % together == 0);
    for (unsigned e = 0; e < entriesAtOnce; e += together) {
        Vector<T> group[together];
        for (unsigned i = 0; i < together; ++i)
            group[i] = sums[e + i];
        const Vector<T> all = sumsOf<T, together>(group);
        for (unsigned i = 0; i < together; ++i)
            predicted[e + i] = all[i];
    }
}

/// What S is weighted by in p and p̄.
template <class T, Divergence D>
static inline void weigh(const T* values, unsigned count, T least, T (&predicted)[entriesAtOnce], T (&up)[entriesAtOnce],
                         T (&down)[entriesAtOnce])
{
    for (unsigned e = 0; e < count; ++e) {
        const T x = values[e], p = predicted[e] > least ? predicted[e] : least;
        if constexpr (D == Divergence::Euclidean) {
            up[e] = x;
            down[e] = predicted[e];
        } else if constexpr (D == Divergence::KullbackLeibler) {
            up[e] = x / p;
            down[e] = 1;
        } else {
            const T inverse = 1 / p;
            up[e] = x * inverse * inverse;
            down[e] = inverse;
        }
    }
}

/// Sums of Columns vectors, so many that one addition need not wait for the one before.
template <class T, Divergence D, unsigned Columns>
static inline void addColumns(const T* products, unsigned stride, const T (&up)[entriesAtOnce], const T (&down)[entriesAtOnce],
                              unsigned count, T* upSums, T* downSums)
{
    Vector<T> p[Columns], q[Columns];
    for (unsigned v = 0; v < Columns; ++v) {
        p[v] = load(upSums + v * lanes<T>);
        q[v] = load(downSums + v * lanes<T>);
    }
    for (unsigned e = 0; e < count; ++e)
        for (unsigned v = 0; v < Columns; ++v) {
            const Vector<T> product = load(products + e * std::uint64_t{stride} + v * lanes<T>);
            p[v] += up[e] * product;
            if constexpr (D == Divergence::KullbackLeibler)
                q[v] += product;
            else
                q[v] += down[e] * product;
        }
    for (unsigned v = 0; v < Columns; ++v) {
        store(upSums + v * lanes<T>, p[v]);
        store(downSums + v * lanes<T>, q[v]);
    }
}

template <class T, Divergence D>
static inline void addProducts(const RowWalk<T>& w, const T (&up)[entriesAtOnce], const T (&down)[entriesAtOnce], unsigned count)
{
    constexpr unsigned together = 4;
    T* const upSums = w.stretch;
    T* const downSums = w.stretch + w.stride;
    unsigned c = 0;
    for (; c + together * lanes<T> <= w.stride; c += together * lanes<T>)
        addColumns<T, D, together>(w.products + c, w.stride, up, down, count, upSums + c, downSums + c);
    for (; c < w.stride; c += lanes<T>)
        addColumns<T, D, 1>(w.products + c, w.stride, up, down, count, upSums + c, downSums + c);
}

template <class T> static inline void moveTo(T* stretch, double* sums, unsigned stride)
{
    for (unsigned c = 0; c < stride; ++c) {
        sums[c] += static_cast<double>(stretch[c]);
        stretch[c] = 0;
    }
}

template <class T, Divergence D, unsigned Others> static void walkOf(const RowWalk<T>& w)
{
    for (unsigned c = 0; c < 2 * w.stride; ++c)
        w.stretch[c] = 0;
    T predicted[entriesAtOnce], up[entriesAtOnce], down[entriesAtOnce];
    Vector<T> sums[entriesAtOnce];
    Count inStretch = 0;
    for (Count first = w.begin; first < w.end; first += entriesAtOnce) {
        const unsigned count = w.end - first < entriesAtOnce ? static_cast<unsigned>(w.end - first) : entriesAtOnce;
        multiplyRows<T, Others>(w, first, count, sums);
        addUp<T>(sums, predicted);
        weigh<T, D>(w.values + first, count, w.least, predicted, up, down);
        addProducts<T, D>(w, up, down, count);
        inStretch += count;
        if (inStretch >= entriesInStretch || first + count == w.end) {
            moveTo(w.stretch, w.up, w.stride);
            moveTo(w.stretch + w.stride, w.down, w.stride);
            inStretch = 0;
        }
    }
}

template <class T, Divergence D> static void walkOf(const RowWalk<T>& w)
{
    switch (w.others) {
    case 1:
        return walkOf<T, D, 1>(w);
    case 2:
        return walkOf<T, D, 2>(w);
    case 3:
        return walkOf<T, D, 3>(w);
    default:
        return walkOf<T, D, 0>(w);
    }
}

template <class T> static void walk(const RowWalk<T>& w)
{
    switch (w.divergence) {
    case Divergence::Euclidean:
        return walkOf<T, Divergence::Euclidean>(w);
    case Divergence::KullbackLeibler:
        return walkOf<T, Divergence::KullbackLeibler>(w);
    case Divergence::ItakuraSaito:
        return walkOf<T, Divergence::ItakuraSaito>(w);
    }
}

/// √(x² + y²) of numbers whose squares may be too small to hold, both 0 or above.
static inline double lengthOf(double x, double y)
{
    const double large = x > y ? x : y, ratio = large > 0 ? (x > y ? y : x) / large : 0;
    return large * __builtin_sqrt(1 + ratio * ratio);
}

template <class T, Rule R> static void updateBy(const RowUpdate<T>& u)
{
    constexpr double most = sizeof(T) == sizeof(float) ? __FLT_MAX__ : __DBL_MAX__;
    for (unsigned c = 0; c < u.stride; ++c) {
        const double a = static_cast<double>(u.row[c]), p = u.up[c], q = u.down[c] + (R == Rule::KullbackLeibler ? 0 : u.penalty * a);
        double to, by;
        if constexpr (R == Rule::Plain) {
            by = q;
            to = a * (p / q);
        } else if constexpr (R == Rule::KullbackLeibler) {
            by = p > 0 ? q + lengthOf(q, 2 * __builtin_sqrt(u.penalty * a) * __builtin_sqrt(p)) : q + u.penalty * a; // > 0 where 0 is right
            to = 2 * a * (p / by);
        } else {
            by = q;
            to = a * __builtin_sqrt(p / q);
        }
        const bool told = by > 0 && by <= __DBL_MAX__ && p <= __DBL_MAX__ && to <= most;
        u.row[c] = told ? static_cast<T>(to) : u.row[c];
    }
}

template <class T> static void update(const RowUpdate<T>& u)
{
    switch (u.rule) {
    case Rule::Plain:
        return updateBy<T, Rule::Plain>(u);
    case Rule::KullbackLeibler:
        return updateBy<T, Rule::KullbackLeibler>(u);
    case Rule::ItakuraSaito:
        return updateBy<T, Rule::ItakuraSaito>(u);
    }
}

/// As many elements as a vector of doubles has, as doubles.
static inline Vector<double> loadDoubles(const double* p) { return load(p); }
static inline Vector<double> loadDoubles(const float* p)
{
    typedef float Half __attribute__((vector_size(POLYAD_VECTOR_BYTES / 2), may_alias));
    return __builtin_convertvector(*reinterpret_cast<const Half*>(p), Vector<double>);
}

template <class T> static double squares(const T* row, unsigned stride)
{
    Vector<double> sum{};
    for (unsigned c = 0; c < stride; c += lanes<double>)
        sum += loadDoubles(row + c) * loadDoubles(row + c);
    return sumOf(sum);
}

/// Below the least prediction it goes on as its tangent there: its slope is then the one that steps are made from, and what these
/// never raise is this sum, from the smallest predictions on.
static inline double divergenceOf(Divergence divergence, double x, double predicted, double least)
{
    if (divergence == Divergence::Euclidean)
        return (x - predicted) * (x - predicted);
    const double p = predicted > least ? predicted : least, ratio = x / p, below = (1 - ratio) * (predicted - p);
    const double log = ratio > 0 ? __builtin_log(ratio) : x > 0 ? __builtin_log(x) - __builtin_log(p) : 0; // x / p may be too small to hold
    if (divergence == Divergence::ItakuraSaito)
        return ratio - 1 - log + below / p;
    return x > 0 ? p * (ratio * log - ratio + 1) + below : predicted;
}

template <class T> static void judge(JudgeWalk<T>& w)
{
    double squared = 0, absolute = 0, divergences = 0;
    for (Count e = w.begin; e < w.end; ++e) {
        const T* rows[maxOrder];
        for (unsigned n = 0; n < w.order; ++n) {
            rows[n] = w.factors[n] + w.indices[n][e] * std::uint64_t{w.stride};
            if (e + entriesAhead < w.end)
                for (unsigned c = 0; c < w.stride && c < linesAhead * lineNumbers<T>; c += lineNumbers<T>)
                    __builtin_prefetch(w.factors[n] + w.indices[n][e + entriesAhead] * std::uint64_t{w.stride} + c);
        }
        Vector<double> sum{};
        for (unsigned c = 0; c < w.stride; c += lanes<double>) {
            Vector<double> product = loadDoubles(rows[0] + c);
            for (unsigned n = 1; n < w.order; ++n)
                product *= loadDoubles(rows[n] + c);
            sum += product;
        }
        const double predicted = w.unit * sumOf(sum), x = w.floats ? static_cast<double>(w.floats[e]) : w.doubles[e], error = predicted - x;
        squared += error * error;
        absolute += error < 0 ? -error : error;
        divergences += divergenceOf(w.divergence, x, predicted, w.least);
    }
    w.squared = squared;
    w.absolute = absolute;
    w.divergences = divergences;
}

template <class T> static void fillTable(RowSteps<T>& table)
{
    table.walk = walk<T>;
    table.update = update<T>;
    table.squares = squares<T>;
    table.judge = judge<T>;
}

void fill(RowSteps<float>& table) { fillTable(table); }
void fill(RowSteps<double>& table) { fillTable(table); }

} // namespace kernels::ntf::POLYAD_ISA
