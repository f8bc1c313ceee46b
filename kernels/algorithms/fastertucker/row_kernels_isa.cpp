// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
//
// While one mode is renewed the projected rows of the others stand still. So of an entry only w = ∘ c^(k), x̂ = c·w and e = x̂ − x
// are needed, 3R operations. With z = Σ e w over the tile's n entries of a row, it would be
//   a ← (1 − γ λ n) a − γ B z,   c ← a B,
// two products of J × R a tile, each waiting for the other. But c ← (1 − γ λ n) c − γ z BᵀB says the same without a, which can
// wait for the row's last tile, when the z of all have been added up.
#include "kernels/algorithms/fastertucker/row_products.h"

namespace kernels::fastertucker::POLYAD_ISA {

/// body(row, begin, end) for the rows of a span that have entries in it.
template <class T, class Body> static inline void forRows(const RowProblem<T>& p, const RowSpan& span, const Body& body)
{
    std::uint64_t row = span.row;
    for (std::uint64_t begin = span.begin; begin < span.end; ++row) {
        const std::uint64_t last = p.begins[row + 1], end = last < span.end ? last : span.end;
        if (begin < end)
            body(row, begin, end);
        begin = end;
    }
}

template <class T, class S> static inline void clear(T* row, unsigned columns)
{
    for (unsigned x = 0; x < columnsOr<S>(columns); x += lanes<T>)
        store(row + x, Vector<T>{});
}

/// to ← keep to + times change, clipped where it has to be.
template <class T, class S>
static inline void addScaled(T* to, T keep, T times, const T* change, unsigned columns, bool nonnegative = false)
{
    for (unsigned x = 0; x < columnsOr<S>(columns); x += lanes<T>) {
        const Vector<T> v = keep * load(to + x) + times * load(change + x);
        store(to + x, nonnegative ? (v > Vector<T>{} ? v : Vector<T>{}) : v);
    }
}

/// Entries [begin, last) of a row, tile after tile. With k_t = 1 − γ λ n_t and z_t of tile t, a becomes K a − γ B u where K is the product
/// of all k_t and u = Σ z_t (k_{t+1} k_{t+2} …), kept up to date by u ← k_t u + z_t.
template <class T, class S>
static inline void updateRow(const RowProblem<T>& p, const RowStep<T>& s, std::uint64_t index, std::uint64_t begin, std::uint64_t last)
{
    T* const a = p.rows + index * columnsOr<S>(p.stride);
    const T rate = s.rowScales ? s.rate * static_cast<T>(s.rowScales[index]) : s.rate;
    const std::uint64_t origin = s.tilesOfRows ? p.begins[index] : 0;
    Row<T> c, z, u, change;
    T kept = 1; // K
    clear<T, S>(u.at, p.coreStride);
    multiplyRow<T, S>(c.at, a, p.core, p.rank, p.coreStride);
    for (;;) {
        const std::uint64_t next = origin + ((begin - origin) / s.tile + 1) * s.tile, end = next < last ? next : last;
        const T keep = T(1) - rate * s.lambda * static_cast<T>(end - begin);
        sumTile<T, S>(p, c.at, begin, end, s.damping, z.at);
        addScaled<T, S>(u.at, keep, T(1), z.at, p.coreStride);
        kept *= keep;
        begin = end;
        if (begin < last && !s.nonnegative) {
            multiplyRow<T, S>(change.at, z.at, p.coreGram, p.coreRank, p.coreStride);
            addScaled<T, S>(c.at, keep, -rate, change.at, p.coreStride);
            continue;
        }
        multiplyRow<T, S>(change.at, u.at, p.coreTransposed, p.coreRank, p.stride);
        addScaled<T, S>(a, kept, -rate, change.at, p.stride, s.nonnegative);
        if (begin == last)
            return;
        multiplyRow<T, S>(c.at, a, p.core, p.rank, p.coreStride); // what was clipped is not in z
        clear<T, S>(u.at, p.coreStride);
        kept = 1;
    }
}

template <class T, class S> static void updateWith(const RowProblem<T>& p, const RowStep<T>& s, const RowSpan& span)
{
    forRows(p, span, [&](std::uint64_t row, std::uint64_t begin, std::uint64_t end) { updateRow<T, S>(p, s, row, begin, end); });
}

/// Rows of A, and Σ e w of each.
template <class T> struct RowSums {
    const T* a[2 * block];
    Row<T> sum[2 * block];
    unsigned count = 0;
};

/// total += Σ aᵀ sum: of all these rows in T first.
template <class T, class S> static inline void addOuter(const RowProblem<T>& p, RowSums<T>& rows, double* total)
{
    const unsigned stride = columnsOr<S>(p.stride), columns = columnsOr<S>(p.coreStride);
    for (unsigned j = 0; j < stride; j += block)
        for (unsigned c = 0; c < columns; c += lanes<T>) {
            Vector<T> sum[block] = {};
            for (unsigned i = 0; i < rows.count; ++i) {
                const Vector<T> row = load(rows.sum[i].at + c);
#pragma GCC unroll 8
                for (unsigned m = 0; m < block; ++m)
                    sum[m] += rows.a[i][j + m] * row;
            }
            alignas(64) T sums[block][lanes<T>];
#pragma GCC unroll 8
            for (unsigned m = 0; m < block; ++m)
                store(sums[m], sum[m]);
            for (unsigned m = 0; m < block; ++m)
                for (unsigned x = 0; x < lanes<T>; ++x)
                    total[(j + m) * columns + c + x] += static_cast<double>(sums[m][x]);
        }
    rows.count = 0;
}

template <class T, class S> static void gradientWith(const RowProblem<T>& p, const RowSpan& span, double* total)
{
    RowSums<T> rows;
    forRows(p, span, [&](std::uint64_t row, std::uint64_t begin, std::uint64_t end) {
        rows.a[rows.count] = p.rows + row * columnsOr<S>(p.stride);
        sumTile<T, S>(p, p.own + row * columnsOr<S>(p.coreStride), begin, end, T(0), rows.sum[rows.count].at);
        if (++rows.count == 2 * block)
            addOuter<T, S>(p, rows, total);
    });
    addOuter<T, S>(p, rows, total);
}

template <class T, class S> static void errorsWith(const RowProblem<T>& p, const RowSpan& span, double* sums)
{
    double squares[group] = {}, absolutes[group] = {};
    forRows(p, span, [&](std::uint64_t row, std::uint64_t begin, std::uint64_t end) {
        forGroups<T, S>(p, p.own + row * columnsOr<S>(p.coreStride), begin, end, [&](const EntryQuad<T, S>& g) {
#pragma GCC unroll 4
            for (unsigned i = 0; i < group; ++i) {
                const double e = static_cast<double>(g.e[i]);
                squares[i] += e * e;
                absolutes[i] += __builtin_fabs(e); // a comparison would be guessed wrongly half the time
            }
        });
    });
    for (unsigned i = 0; i < group; ++i) {
        sums[0] += squares[i];
        sums[1] += absolutes[i];
    }
}

/// a ← (1 − γ λ) a − γ share e d of a leaf's row.
template <class T, class S>
static inline __attribute__((always_inline)) void updateLeaf(const RowProblem<T>& p, const RowStep<T>& s, const T* d, T share,
                                                             std::uint64_t leaf)
{
    const unsigned stride = columnsOr<S>(p.stride);
    const std::size_t index = p.leaves[leaf];
    T* const row = p.rows + index * stride;
    const T rate = s.rowScales ? s.rate * static_cast<T>(s.rowScales[index]) : s.rate;
    Vector<T> sum{};
    for (unsigned x = 0; x < stride; x += lanes<T>)
        sum += load(row + x) * load(d + x);
    const T by = rate * share * (sumOf(sum) - p.values[leaf]), shrink = rate * s.lambda;
    for (unsigned x = 0; x < stride; x += lanes<T>) {
        // The change as a whole: hot rows take thousands, and 1 − γλ times a row would be rounded each time.
        Vector<T> a = load(row + x) - (shrink * load(row + x) + by * load(d + x));
        if (s.nonnegative)
            a = a > Vector<T>{} ? a : Vector<T>{};
        store(row + x, a);
    }
}

template <class T, class S>
static inline __attribute__((always_inline)) void fetchLeaf(const RowProblem<T>& p, const RowStep<T>& s, std::uint64_t leaf)
{
    if (leaf >= p.leafCount)
        return;
    const std::size_t index = p.leaves[leaf];
    for (unsigned c = 0; c < columnsOr<S>(p.stride); c += 64 / sizeof(T))
        __builtin_prefetch(p.rows + index * columnsOr<S>(p.stride) + c, 1);
    if (s.rowScales)
        __builtin_prefetch(s.rowScales + index);
}

/// What leaves share, those of a fibre or each by itself: so many of them next to each other.
template <class T, class S> struct LeafBlock {
    alignas(64) T w[block * mostColumns], d[block * mostColumns];
    T share[block]; ///< 1 / (1 + damping |w|²)
    std::uint64_t end[block]; ///< after the last leaf of each

    void setShared(const RowProblem<T>& p, const RowStep<T>& s, unsigned slot, std::uint64_t fibre)
    {
        Vector<T> product[mostVectors<T, S>], squares{};
        multiplyOthers<T, S>(p, fibre, product);
        for (unsigned x = 0; x < vectorsOf<T, S>(p.coreStride); ++x) {
            store(w + slot * columnsOr<S>(p.coreStride) + x * lanes<T>, product[x]);
            squares += product[x] * product[x];
        }
        share[slot] = s.damping > 0 ? T(1) / (T(1) + s.damping * sumOf(squares)) : T(1);
    }
};

/// A leaf takes its row, index and value from memory, 2 J numbers and 8 bytes, and a fibre its other modes' indices and projected rows; a
/// fibre takes 2 J R operations and a leaf some 5 J. Most fibres are short and no two alike, so no loop ends with a fibre: that would be
/// guessed wrongly each time. The problem and the step are copies, since what is written to rows could change any other number.
template <class T, class S>
static void updateFibresWith(const RowProblem<T>& problem, const RowStep<T>& step, std::uint64_t begin, std::uint64_t end)
{
    const RowProblem<T> p = problem;
    const RowStep<T> s = step;
    const unsigned stride = columnsOr<S>(p.stride), coreStride = columnsOr<S>(p.coreStride);
    const std::uint64_t last = p.begins[end];
    LeafBlock<T, S> shared;
    std::uint64_t leaf = p.begins[begin], next = leaf, fibre = begin;
    while (leaf < last) {
        unsigned count = 0;
        for (; count < block && next < last; ++count) {
            fetchAhead<T, S>(p, fibre);
            shared.setShared(p, s, count, fibre);
            const std::uint64_t endOfFibre = p.begins[fibre + 1];
            next = s.reuse ? endOfFibre : next + 1;
            shared.end[count] = next;
            fibre += next == endOfFibre;
        }
        for (; count < block; ++count) // the last block of some
            clear<T, S>(shared.w + count * coreStride, coreStride);
        multiplyBlock<T, S>(shared.d, shared.w, coreStride, p.coreTransposed, p.coreRank, stride);
        for (unsigned slot = 0; leaf < next; ++leaf) {
            fetchLeaf<T, S>(p, s, leaf + ahead);
            updateLeaf<T, S>(p, s, shared.d + slot * stride, shared.share[slot], leaf);
            slot += leaf + 1 == shared.end[slot];
        }
    }
}

/// Of numbers of which nothing comes, which the compiler would leave out else.
template <class T> static inline __attribute__((always_inline)) void readOnly(const T* number)
{
    [[maybe_unused]] const T held = *const_cast<const volatile T*>(number);
}

/// The other modes' projected rows of a position.
template <class T, class S> static inline void readOthers(const RowProblem<T>& p, std::uint64_t position)
{
    for (unsigned k = 0; k < othersOf<T, S>(p); ++k) {
        const T* const row = otherRow<T, S>(p, k, position);
        for (unsigned x = 0; x < columnsOr<S>(p.coreStride); x += lanes<T>)
            readOnly(reinterpret_cast<const Vector<T>*>(row + x));
    }
}

template <class T, class S> static inline void touchRow(const RowProblem<T>& p, std::uint64_t index)
{
    T* const row = p.rows + index * columnsOr<S>(p.stride);
    for (unsigned x = 0; x < columnsOr<S>(p.stride); x += lanes<T>) {
        const Vector<T> held = load(row + x);
        asm volatile("" : : "r"(row) : "memory"); // else the compiler knows that nothing changes
        store(row + x, held);
    }
}

template <class T, class S> static void touchWith(const RowProblem<T>& p, const RowStep<T>&, const RowSpan& span)
{
    forRows(p, span, [&](std::uint64_t row, std::uint64_t begin, std::uint64_t end) {
        for (; begin < end; ++begin) {
            fetchAhead<T, S>(p, begin);
            readOthers<T, S>(p, begin);
            readOnly(p.values + begin);
        }
        touchRow<T, S>(p, row);
    });
}

template <class T, class S> static void touchFibresWith(const RowProblem<T>& p, const RowStep<T>& s, std::uint64_t begin, std::uint64_t end)
{
    for (std::uint64_t fibre = begin; fibre < end; ++fibre) {
        fetchAhead<T, S>(p, fibre);
        for (std::uint64_t leaf = p.begins[fibre]; leaf < p.begins[fibre + 1]; ++leaf) {
            if (!s.reuse || leaf == p.begins[fibre])
                readOthers<T, S>(p, fibre);
            fetchLeaf<T, S>(p, s, leaf + ahead);
            readOnly(p.values + leaf);
            touchRow<T, S>(p, p.leaves[leaf]);
        }
    }
}

template <class T, class S> static void projectWith(const RowProblem<T>& p, std::uint64_t begin, std::uint64_t end, T* own)
{
    const unsigned stride = columnsOr<S>(p.stride), coreStride = columnsOr<S>(p.coreStride);
    for (; begin + block <= end; begin += block)
        multiplyBlock<T, S>(own + begin * coreStride, p.rows + begin * stride, stride, p.core, p.rank, coreStride);
    for (; begin < end; ++begin)
        multiplyRow<T, S>(own + begin * coreStride, p.rows + begin * stride, p.core, p.rank, coreStride);
}

template <class T, class Body> static void specialised(const RowProblem<T>& p, Body body)
{
    switch (p.stride == p.coreStride ? p.stride : 0) {
    case 16:
        return p.others == 2 ? body(Shape<16, 2>{}) : body(Shape<16, 0>{});
    case 32:
        return p.others == 2 ? body(Shape<32, 2>{}) : body(Shape<32, 0>{});
    case 64:
        return body(Shape<64, 0>{});
    default:
        return body(Shape<0, 0>{});
    }
}

template <class T> static void update(const RowProblem<T>& p, const RowStep<T>& s, const RowSpan& span)
{
    specialised(p, [&](auto shape) { updateWith<T, decltype(shape)>(p, s, span); });
}

template <class T> static void gradient(const RowProblem<T>& p, const RowSpan& span, double* total)
{
    specialised(p, [&](auto shape) { gradientWith<T, decltype(shape)>(p, span, total); });
}

template <class T> static void errors(const RowProblem<T>& p, const RowSpan& span, double* sums)
{
    specialised(p, [&](auto shape) { errorsWith<T, decltype(shape)>(p, span, sums); });
}

template <class T> static void updateFibres(const RowProblem<T>& p, const RowStep<T>& s, std::uint64_t begin, std::uint64_t end)
{
    specialised(p, [&](auto shape) { updateFibresWith<T, decltype(shape)>(p, s, begin, end); });
}

template <class T> static void touch(const RowProblem<T>& p, const RowStep<T>& s, const RowSpan& span)
{
    specialised(p, [&](auto shape) { touchWith<T, decltype(shape)>(p, s, span); });
}

template <class T> static void touchFibres(const RowProblem<T>& p, const RowStep<T>& s, std::uint64_t begin, std::uint64_t end)
{
    specialised(p, [&](auto shape) { touchFibresWith<T, decltype(shape)>(p, s, begin, end); });
}

template <class T> static void project(const RowProblem<T>& p, std::uint64_t begin, std::uint64_t end, T* own)
{
    specialised(p, [&](auto shape) { projectWith<T, decltype(shape)>(p, begin, end, own); });
}

template <class T> static void fillTable(RowKernels<T>& table)
{
    table.update = &update<T>;
    table.gradient = &gradient<T>;
    table.errors = &errors<T>;
    table.updateFibres = &updateFibres<T>;
    table.touch = &touch<T>;
    table.touchFibres = &touchFibres<T>;
    table.project = &project<T>;
}

void fill(RowKernels<float>& table) { fillTable(table); }
void fill(RowKernels<double>& table) { fillTable(table); }

} // namespace kernels::fastertucker::POLYAD_ISA
