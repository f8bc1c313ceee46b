// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
//
// A tile is 16 entries. Per mode: gather their rows A (16 × J), C = A B, then over all modes the products
// w^(n) = ∘_{k≠n} c^(k) from the left and from the right (no division), x̂ = Σ_r ∘_k c^(k), e = x̂ − x, and
// D = W Bᵀ. Matrix products hold their results in registers; all operands but the rows lie in cache.
// K is J = R where it is known at compile time and alike in all modes, else 0.
#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/base/vectors.h"

namespace kernels::fasttucker_plus::POLYAD_ISA {

using namespace kernels::POLYAD_ISA;

/// Register block of the matrix products: entries × vectors, as many as the register file holds.
constexpr unsigned blockRows = POLYAD_VECTOR_BYTES == 64 ? 8 : 4;

/// out[m][c] = Σ_k in[m][k] · right[k][c] for M rows and V vectors of columns.
template <class T, unsigned K, unsigned M, unsigned V>
static inline __attribute__((always_inline)) void multiplyBlock(T* out, unsigned outStride, const T* in, unsigned inStride, const T* right,
                                                                unsigned rightStride, unsigned depth)
{
    Vector<T> sum[M][V] = {};
    const unsigned n = K ? K : depth;
#pragma GCC unroll 4
    for (unsigned k = 0; k < n; ++k) {
        Vector<T> b[V];
#pragma GCC unroll 4
        for (unsigned v = 0; v < V; ++v)
            b[v] = load(right + k * rightStride + v * lanes<T>);
#pragma GCC unroll 16
        for (unsigned m = 0; m < M; ++m) {
            const T a = in[m * inStride + k];
#pragma GCC unroll 4
            for (unsigned v = 0; v < V; ++v)
                sum[m][v] += a * b[v];
        }
    }
#pragma GCC unroll 16
    for (unsigned m = 0; m < M; ++m)
#pragma GCC unroll 4
        for (unsigned v = 0; v < V; ++v)
            store(out + m * outStride + v * lanes<T>, sum[m][v]);
}

/// out (16 × columns) = in (16 × depth) · right (depth × columns); columns are padded.
template <class T, unsigned K>
static void multiplyTile(T* out, const T* in, unsigned inStride, const T* right, unsigned columns, unsigned depth)
{
    const unsigned stride = K ? paddedColumns<T>(K) : columns;
    const unsigned left = K ? paddedColumns<T>(K) : inStride;
    unsigned c = 0;
    for (; c + 2 * lanes<T> <= stride; c += 2 * lanes<T>)
        for (unsigned m = 0; m < tileEntries; m += blockRows)
            multiplyBlock<T, K, blockRows, 2>(out + m * stride + c, stride, in + m * left, left, right + c, stride, depth);
    for (; c < stride; c += lanes<T>)
        for (unsigned m = 0; m < tileEntries; m += 2 * blockRows)
            multiplyBlock<T, K, 2 * blockRows, 1>(out + m * stride + c, stride, in + m * left, left, right + c, stride, depth);
}

/// sum (rows × columns) += Σ_entries left[e][row] · right[e][column].
template <class T, unsigned K, unsigned M, unsigned V>
static inline __attribute__((always_inline)) void addOuterBlock(T* sum, const T* left, unsigned leftStride, const T* right,
                                                                unsigned rightStride)
{
    Vector<T> s[M][V];
#pragma GCC unroll 16
    for (unsigned m = 0; m < M; ++m)
#pragma GCC unroll 4
        for (unsigned v = 0; v < V; ++v)
            s[m][v] = load(sum + m * rightStride + v * lanes<T>);
#pragma GCC unroll 4
    for (unsigned e = 0; e < tileEntries; ++e) {
        Vector<T> b[V];
#pragma GCC unroll 4
        for (unsigned v = 0; v < V; ++v)
            b[v] = load(right + e * rightStride + v * lanes<T>);
#pragma GCC unroll 16
        for (unsigned m = 0; m < M; ++m) {
            const T a = left[e * leftStride + m];
#pragma GCC unroll 4
            for (unsigned v = 0; v < V; ++v)
                s[m][v] += a * b[v];
        }
    }
#pragma GCC unroll 16
    for (unsigned m = 0; m < M; ++m)
#pragma GCC unroll 4
        for (unsigned v = 0; v < V; ++v)
            store(sum + m * rightStride + v * lanes<T>, s[m][v]);
}

template <class T, unsigned K> static void addOuter(T* sum, const T* left, unsigned rows, const T* right, unsigned columns)
{
    const unsigned j = K ? paddedColumns<T>(K) : rows;
    const unsigned r = K ? paddedColumns<T>(K) : columns;
    unsigned c = 0;
    for (; c + 2 * lanes<T> <= r; c += 2 * lanes<T>)
        for (unsigned m = 0; m < j; m += blockRows)
            addOuterBlock<T, K, blockRows, 2>(sum + m * r + c, left + m, j, right + c, r);
    for (; c < r; c += lanes<T>)
        for (unsigned m = 0; m < j; m += blockRows)
            addOuterBlock<T, K, blockRows, 1>(sum + m * r + c, left + m, j, right + c, r);
}

/// Reads a row that another thread may be writing.
template <class T> static inline void readRow(T* out, const T* row, unsigned columns)
{
    for (unsigned c = 0; c < columns; c += lanes<T>)
        store(out + c, loadRacing(row + c));
}

/// row ← keep · row + step · d, reading the row as it is now; another thread's update may be lost.
template <class T> static inline void updateRow(T* row, const T* d, unsigned columns, T keep, T step, bool nonnegative)
{
    for (unsigned c = 0; c < columns; c += lanes<T>) {
        Vector<T> a = keep * loadRacing(row + c) + step * load(d + c);
        if (nonnegative)
            a = a > Vector<T>{} ? a : Vector<T>{};
        storeRacing(row + c, a);
    }
}

/// One thread's scratch: rows and projections of a tile in every mode.
template <class T> struct Work {
    T* rows[tileModes]; ///< 16 × stride
    T* projections[tileModes]; ///< C^(n): 16 × coreStride
    T* others[tileModes]; ///< W^(n): 16 × coreStride
    T* product; ///< D: 16 × the largest stride
    T* error; ///< 16
};

template <class T> static unsigned largestStride(const TileProblem<T>& p)
{
    unsigned largest = 0;
    for (unsigned n = 0; n < p.order; ++n)
        largest = p.stride[n] > largest ? p.stride[n] : largest;
    return largest;
}

template <class T> static Work<T> cut(const TileProblem<T>& p, T* memory)
{
    Work<T> w{};
    for (unsigned n = 0; n < p.order; ++n) {
        w.rows[n] = memory;
        memory += tileEntries * p.stride[n];
        w.projections[n] = memory;
        memory += tileEntries * p.coreStride;
        w.others[n] = memory;
        memory += tileEntries * p.coreStride;
    }
    w.product = memory;
    w.error = memory + tileEntries * largestStride(p);
    return w;
}

template <class T> static std::size_t workElements(const TileProblem<T>& p)
{
    std::size_t elements = tileEntries * (std::size_t{largestStride(p)} + 1);
    for (unsigned n = 0; n < p.order; ++n)
        elements += tileEntries * (p.stride[n] + 2 * std::size_t{p.coreStride});
    return elements;
}

/// What a pass wants of the tile to come.
template <class T> struct Wanted {
    bool projections = false;
    const float* const* rowScale = nullptr; ///< [mode]: rows will be written, and their scales read
};

template <class T, int write> static inline __attribute__((always_inline)) void fetch(const T* row, unsigned columns)
{
    for (unsigned c = 0; c < columns; c += 64 / sizeof(T))
        __builtin_prefetch(row + c, write);
}

/// Asks for the rows of the tile to come, so that they are in cache when it starts. Always inlined: as a function of its own,
/// which changes nothing, the compiler leaves its calls out.
template <class T, unsigned K>
static inline __attribute__((always_inline)) void fetchTile(const TileProblem<T>& p, std::uint64_t position, const Wanted<T>& wanted)
{
    const std::uint32_t* index = p.indices + position * p.order;
    for (unsigned e = 0; e < tileEntries; ++e)
        for (unsigned n = 0; n < p.order; ++n, ++index) {
            const unsigned stride = K ? paddedColumns<T>(K) : p.stride[n], coreStride = K ? paddedColumns<T>(K) : p.coreStride;
            if (wanted.rowScale) {
                fetch<T, 1>(p.factor[n] + std::size_t{*index} * stride, stride);
                if (wanted.rowScale[n])
                    __builtin_prefetch(wanted.rowScale[n] + *index);
            } else {
                fetch<T, 0>(p.factor[n] + std::size_t{*index} * stride, stride);
            }
            if (wanted.projections)
                fetch<T, 0>(p.projection[n] + std::size_t{*index} * coreStride, coreStride);
        }
}

/// A tile of the range: `count` entries of it are real, the rest of the 16 repeat the first.
struct Tile {
    std::uint64_t position;
    unsigned count;
};

template <class T> static inline const std::uint32_t* indexOf(const TileProblem<T>& p, const Tile& tile, unsigned entry)
{
    return p.indices + (tile.position + (entry < tile.count ? entry : 0)) * p.order;
}

/// Rows and projected rows of a tile in all modes.
template <class T, unsigned K> static inline void projectTile(const TileProblem<T>& p, const Tile& tile, const Work<T>& w, bool needRows)
{
    for (unsigned n = 0; n < p.order; ++n) {
        const unsigned stride = K ? paddedColumns<T>(K) : p.stride[n];
        const unsigned coreStride = K ? paddedColumns<T>(K) : p.coreStride;
        const bool stored = p.projection[n] != nullptr;
        for (unsigned e = 0; e < tileEntries; ++e) {
            const std::size_t row = indexOf(p, tile, e)[n];
            if (needRows || !stored)
                readRow(w.rows[n] + e * stride, p.factor[n] + row * stride, stride);
            if (stored)
                readRow(w.projections[n] + e * coreStride, p.projection[n] + row * coreStride, coreStride);
        }
        if (!stored)
            multiplyTile<T, K>(w.projections[n], w.rows[n], p.stride[n], p.core[n], p.coreStride, p.rank[n]);
    }
}

/// e = x̂ − x of every entry, and W^(n) of one mode.
template <class T, unsigned K> static inline void combineForMode(const TileProblem<T>& p, unsigned n, const Tile& tile, const Work<T>& w)
{
    const unsigned stride = K ? paddedColumns<T>(K) : p.coreStride;
    const unsigned first = n == 0 ? 1 : 0;
    for (unsigned e = 0; e < tileEntries; ++e) {
        Vector<T> total{};
        for (unsigned c = 0; c < stride; c += lanes<T>) {
            const std::size_t at = std::size_t{e} * stride + c;
            Vector<T> others = load(w.projections[first] + at);
            for (unsigned k = first + 1; k < p.order; ++k)
                if (k != n)
                    others *= load(w.projections[k] + at);
            store(w.others[n] + at, others);
            total += others * load(w.projections[n] + at);
        }
        w.error[e] = e < tile.count ? sumOf(total) - p.values[tile.position + e] : T(0);
    }
}

/// e = x̂ − x of every entry; W^(n) of the wanted modes (or more) where asked for. Repeated entries get e = 0.
template <class T, unsigned K, bool wantOthers> static inline void combineTile(const TileProblem<T>& p, const Tile& tile, const Work<T>& w)
{
    if (wantOthers && p.firstMode + 1 == p.endMode)
        return combineForMode<T, K>(p, p.firstMode, tile, w);
    const unsigned stride = K ? paddedColumns<T>(K) : p.coreStride;
    for (unsigned e = 0; e < tileEntries; ++e) {
        Vector<T> total{};
        for (unsigned c = 0; c < stride; c += lanes<T>) {
            const std::size_t at = std::size_t{e} * stride + c;
            Vector<T> before = load(w.projections[0] + at);
            for (unsigned n = 1; n < p.order; ++n) {
                if (wantOthers)
                    store(w.others[n] + at, before);
                before *= load(w.projections[n] + at);
            }
            total += before;
            if (wantOthers) {
                Vector<T> after = load(w.projections[p.order - 1] + at);
                for (unsigned n = p.order - 2; n > 0; --n) {
                    store(w.others[n] + at, load(w.others[n] + at) * after);
                    after *= load(w.projections[n] + at);
                }
                store(w.others[0] + at, after);
            }
        }
        w.error[e] = e < tile.count ? sumOf(total) - p.values[tile.position + e] : T(0);
    }
}

/// Calls body(tile) for the range cut into tiles, asking for the next tile's rows first.
template <class T, unsigned K, class Body>
static inline void forEachTile(const TileProblem<T>& p, const TileRange& range, const Wanted<T>& wanted, const Body& body)
{
    for (std::uint64_t done = 0; done < range.count; done += tileEntries) {
        const std::uint64_t left = range.count - done;
        if (left >= 2 * tileEntries)
            fetchTile<T, K>(p, range.first + done + tileEntries, wanted);
        else if (left == tileEntries && range.after != ~std::uint64_t{0})
            fetchTile<T, K>(p, range.after, wanted);
        body(Tile{range.first + done, left < tileEntries ? unsigned(left) : tileEntries});
    }
}

template <class T> static inline T stepOf(const TileStep<T>& s, unsigned mode, std::uint32_t row)
{
    return s.rowScale[mode] ? s.rate[mode] * T(s.rowScale[mode][row]) : s.rate[mode];
}

template <class T, unsigned K> static void updateWith(const TileProblem<T>& p, const TileStep<T>& s, const TileRange& range, T* memory)
{
    const Work<T> w = cut(p, memory);
    forEachTile<T, K>(p, range, {false, s.rowScale}, [&](const Tile& tile) {
        projectTile<T, K>(p, tile, w, true);
        combineTile<T, K, true>(p, tile, w);
        for (unsigned n = p.firstMode; n < p.endMode; ++n) {
            const unsigned stride = K ? paddedColumns<T>(K) : p.stride[n];
            multiplyTile<T, K>(w.product, w.others[n], p.coreStride, p.coreTransposed[n], p.stride[n], p.coreRank);
            for (unsigned e = 0; e < tile.count; ++e) {
                const std::uint32_t row = indexOf(p, tile, e)[n];
                const T step = stepOf(s, n, row);
                updateRow(p.factor[n] + std::size_t{row} * stride, w.product + e * stride, stride, T(1) - step * s.lambda,
                          -step * w.error[e], s.nonnegative);
            }
        }
    });
}

template <class T, unsigned K>
static void changesWith(const TileProblem<T>& p, const TileStep<T>& s, const TileRange& range, T* memory, T* out)
{
    const Work<T> w = cut(p, memory);
    unsigned rowElements = 0;
    for (unsigned n = p.firstMode; n < p.endMode; ++n)
        rowElements += p.stride[n];
    forEachTile<T, K>(p, range, {}, [&](const Tile& tile) {
        projectTile<T, K>(p, tile, w, true);
        combineTile<T, K, true>(p, tile, w);
        T* target = out + (tile.position - range.first) * rowElements;
        for (unsigned n = p.firstMode; n < p.endMode; target += p.stride[n], ++n) {
            const unsigned stride = K ? paddedColumns<T>(K) : p.stride[n];
            multiplyTile<T, K>(w.product, w.others[n], p.coreStride, p.coreTransposed[n], p.stride[n], p.coreRank);
            for (unsigned e = 0; e < tile.count; ++e) {
                const T step = stepOf(s, n, indexOf(p, tile, e)[n]);
                const T decay = -step * s.lambda;
                const T slope = -step * w.error[e];
                for (unsigned c = 0; c < stride; c += lanes<T>)
                    store(target + std::size_t{e} * rowElements + c,
                          decay * load(w.rows[n] + e * stride + c) + slope * load(w.product + e * stride + c));
            }
        }
    });
}

template <class T, unsigned K> static void gradientWith(const TileProblem<T>& p, const TileRange& range, T* memory, T* gradient)
{
    const Work<T> w = cut(p, memory);
    forEachTile<T, K>(p, range, {p.projection[0] != nullptr, nullptr}, [&](const Tile& tile) {
        projectTile<T, K>(p, tile, w, true);
        combineTile<T, K, true>(p, tile, w);
        T* sum = gradient;
        for (unsigned n = p.firstMode; n < p.endMode; ++n) {
            const unsigned stride = K ? paddedColumns<T>(K) : p.coreStride;
            for (unsigned e = 0; e < tileEntries; ++e)
                for (unsigned c = 0; c < stride; c += lanes<T>)
                    store(w.others[n] + e * stride + c, w.error[e] * load(w.others[n] + e * stride + c));
            addOuter<T, K>(sum, w.rows[n], p.stride[n], w.others[n], p.coreStride);
            sum += std::size_t{p.stride[n]} * p.coreStride;
        }
    });
}

template <class T, unsigned K> static void errorsWith(const TileProblem<T>& p, const TileRange& range, T* memory, double* sums)
{
    const Work<T> w = cut(p, memory);
    forEachTile<T, K>(p, range, {p.projection[0] != nullptr, nullptr}, [&](const Tile& tile) {
        projectTile<T, K>(p, tile, w, false);
        combineTile<T, K, false>(p, tile, w);
        for (unsigned e = 0; e < tile.count; ++e) {
            const double error = w.error[e];
            sums[0] += error * error;
            sums[1] += error < 0 ? -error : error;
        }
    });
}

template <class T>
static void projectRows(const TileProblem<T>& p, unsigned mode, std::uint64_t first, std::uint64_t count, T* memory, T* out)
{
    const unsigned stride = p.stride[mode];
    for (std::uint64_t done = 0; done < count; done += tileEntries) {
        const std::uint64_t rows = count - done < tileEntries ? count - done : tileEntries;
        for (std::uint64_t e = 0; e < tileEntries; ++e)
            readRow(memory + e * stride, p.factor[mode] + (first + done + (e < rows ? e : 0)) * stride, stride);
        T* const result = memory + std::size_t{tileEntries} * stride;
        multiplyTile<T, 0>(result, memory, stride, p.core[mode], p.coreStride, p.rank[mode]);
        for (std::uint64_t e = 0; e < rows; ++e)
            readRow(out + (done + e) * p.coreStride, result + e * p.coreStride, p.coreStride);
    }
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

template <class T> static void update(const TileProblem<T>& p, const TileStep<T>& s, const TileRange& range, T* work)
{
    specialised(p, [&](auto k) { updateWith<T, decltype(k)::value>(p, s, range, work); });
}

template <class T> static void changes(const TileProblem<T>& p, const TileStep<T>& s, const TileRange& range, T* work, T* out)
{
    changesWith<T, 0>(p, s, range, work, out);
}

template <class T> static void gradient(const TileProblem<T>& p, const TileRange& range, T* work, T* sum)
{
    specialised(p, [&](auto k) { gradientWith<T, decltype(k)::value>(p, range, work, sum); });
}

template <class T> static void errors(const TileProblem<T>& p, const TileRange& range, T* work, double* sums)
{
    specialised(p, [&](auto k) { errorsWith<T, decltype(k)::value>(p, range, work, sums); });
}

template <class T> static void fillTable(TileKernels<T>& table)
{
    table.workElements = &workElements<T>;
    table.update = &update<T>;
    table.changes = &changes<T>;
    table.gradient = &gradient<T>;
    table.errors = &errors<T>;
    table.project = &projectRows<T>;
}

void fill(TileKernels<float>& table) { fillTable(table); }
void fill(TileKernels<double>& table) { fillTable(table); }

} // namespace kernels::fasttucker_plus::POLYAD_ISA
