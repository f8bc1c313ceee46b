// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
//
// A tile is 16 entries. Per mode: gather their rows A (16 × J), C = A B, then over all modes the products
// w^(n) = ∘_{k≠n} c^(k) from the left and from the right (no division; of three modes or for one mode: directly), x̂ = Σ_r ∘_k c^(k),
// e = x̂ − x, and D = W Bᵀ. Matrix products hold their results in registers; all operands but the rows lie in cache.
// K is J = R where it is known at compile time and alike in all modes, else 0.
#include "kernels/algorithms/fasttucker_plus/tile_one_vector.h"

namespace kernels::fasttucker_plus::POLYAD_ISA {

template <class T> static Work<T> cut(const TileProblem<T>& p, T* memory)
{
    Work<T> work{};
    for (unsigned n = 0; n < p.order; ++n) {
        work.rows[n] = memory;
        memory += tileEntries * p.stride[n];
        work.projections[n] = memory;
        memory += tileEntries * p.coreStride;
        work.others[n] = memory;
        memory += tileEntries * p.coreStride;
    }
    work.derived = memory;
    work.error = memory + tileEntries * largestStride(p);
    work.damped = work.error + tileEntries;
    return work;
}

template <class T> static std::size_t workElements(const TileProblem<T>& p)
{
    std::size_t elements = tileEntries * (std::size_t{largestStride(p)} + 2);
    for (unsigned n = 0; n < p.order; ++n)
        elements += tileEntries * (p.stride[n] + 2 * std::size_t{p.coreStride});
    return elements;
}

/// Rows, to be written soon or not, and projected rows of a tile in all modes; where C^(n) is kept, rows only if they are needed. Those of
/// the tile whose indices begin at next are asked for between the products: asked for all at once, they would keep this tile from its own.
template <class T, unsigned K, bool write>
static inline void projectTile(const TileProblem<T>& p, const TileStep<T>* s, const Tile<T>& tile, const std::uint32_t* next,
                               const Work<T>& work, bool needRows)
{
    const unsigned coreStride = coreStrideOf<T, K>(p);
    for (unsigned n = 0; n < p.order; ++n) {
        const T* const stored = p.projection[n];
        if (needRows || !stored)
            gather<T, K>(p, tile, n, n, work.rows[n]);
        if (!stored)
            multiplyTile<T, K>(work.projections[n], work.rows[n], p.stride[n], p.core[n], p.coreStride, p.rank[n]);
        for (unsigned e = 0; stored && e < tileEntries; ++e) {
            const std::size_t row = p.indices[(tile.position + (e < tile.count ? e : 0)) * p.order + n];
            readRow(work.projections[n] + e * coreStride, stored + row * coreStride, coreStride);
        }
        if (!next)
            continue;
        fetchRows<T, K, write>(p, n, next, tileEntries);
        fetchScales(p, s, n, next, tileEntries);
        for (unsigned e = 0; stored && e < tileEntries; ++e)
            fetch<T, false>(stored + std::size_t{next[e * p.order + n]} * coreStride, coreStride);
    }
}

/// Calls body(tile, next) for the range cut into tiles; next: where the indices of the tile to come begin, or null; s: null where no
/// scales are read. N: the order where it is known.
template <class T, unsigned K, unsigned N, class Body>
static inline __attribute__((always_inline)) void forEachTile(const TileProblem<T>& p, const TileStep<T>* s, const TileRange& range,
                                                              const Body& body)
{
    constexpr std::uint64_t none = ~std::uint64_t{0};
    unsigned modes[tileModes];
    for (unsigned n = 0; n < p.order; ++n)
        modes[n] = n;
    Tile<T> tile;
    if (s)
        prepareScales(tile, p.order);
    for (std::uint64_t done = 0; done < range.count; done += tileEntries) {
        const std::uint64_t left = range.count - done;
        tile.position = range.first + done;
        tile.count = left < tileEntries ? unsigned(left) : tileEntries;
        if (range.after != none)
            fetchEntries(p, range.after + done);
        locate<T, K, N>(p, s, modes, N ? N : p.order, tile);
        const std::uint64_t next = left >= 2 * tileEntries ? tile.position + tileEntries : left == tileEntries ? range.after : none;
        body(tile, next == none ? nullptr : p.indices + next * p.order);
    }
}

template <class T, unsigned K, unsigned N>
static void updateWith(const TileProblem<T>& p, const TileStep<T>& s, const TileRange& range, T* memory)
{
    const Work<T> work = cut(p, memory);
    if constexpr (hasOneVectorTiles<T, K>)
        if (isOneVector(p) && !p.projection[0])
            return forEachTile<T, K, N>(p, &s, range, [&](const Tile<T>& tile, const std::uint32_t* next) {
                updateOneVectorTile<T, K, N>(p, s, tile, next, work);
            });
    forEachTile<T, K, N>(p, &s, range, [&](const Tile<T>& tile, const std::uint32_t* next) {
        projectTile<T, K, true>(p, &s, tile, next, work, true);
        combineTile<T, K, N, true>(p, tile, work);
        for (unsigned n = p.firstMode; n < p.endMode; ++n) {
            multiplyTile<T, K>(work.derived, work.others[n], p.coreStride, p.coreTransposed[n], p.stride[n], p.coreRank);
            updateRows<T, K>(p, s, tile, n, n, work.derived, errorsToStep<T, K>(p, s, n, work), s.nonnegative);
        }
    });
}

template <class T> static void changes(const TileProblem<T>& p, const TileStep<T>& s, const TileRange& range, T* memory, T* out)
{
    const Work<T> work = cut(p, memory);
    unsigned rowElements = 0;
    for (unsigned n = p.firstMode; n < p.endMode; ++n)
        rowElements += p.stride[n];
    forEachTile<T, 0, 0>(p, &s, range, [&](const Tile<T>& tile, const std::uint32_t* next) {
        projectTile<T, 0, false>(p, &s, tile, next, work, true);
        combineTile<T, 0, 0, true>(p, tile, work);
        T* target = out + (tile.position - range.first) * rowElements;
        for (unsigned n = p.firstMode; n < p.endMode; target += p.stride[n], ++n) {
            const unsigned stride = p.stride[n];
            const T* const error = errorsToStep<T, 0>(p, s, n, work);
            multiplyTile<T, 0>(work.derived, work.others[n], p.coreStride, p.coreTransposed[n], p.stride[n], p.coreRank);
            for (unsigned e = 0; e < tile.count; ++e) {
                const T step = s.rate[n] * tile.scale[n][e];
                const T decay = -step * s.lambda;
                const T slope = -step * error[e];
                for (unsigned c = 0; c < stride; c += lanes<T>)
                    store(target + std::size_t{e} * rowElements + c,
                          decay * load(work.rows[n] + e * stride + c) + slope * load(work.derived + e * stride + c));
            }
        }
    });
}

template <class T, unsigned K, unsigned N> static void gradientWith(const TileProblem<T>& p, const TileRange& range, T* memory, T* gradient)
{
    const Work<T> work = cut(p, memory);
    if constexpr (hasOneVectorTiles<T, K>)
        if (isOneVector(p) && !p.projection[0]) // who keeps projected rows wants them read
            return forEachTile<T, K, N>(p, nullptr, range, [&](const Tile<T>& tile, const std::uint32_t* next) {
                addOneVectorGradient<T, K, N>(p, tile, next, work, gradient);
            });
    forEachTile<T, K, N>(p, nullptr, range, [&](const Tile<T>& tile, const std::uint32_t* next) {
        projectTile<T, K, false>(p, nullptr, tile, next, work, true);
        combineTile<T, K, N, true>(p, tile, work);
        T* sum = gradient;
        for (unsigned n = p.firstMode; n < p.endMode; ++n) {
            addOuter<T, K, true>(sum, work.rows[n], p.stride[n], work.others[n], p.coreStride, work.error);
            sum += std::size_t{p.stride[n]} * p.coreStride;
        }
    });
}

/// Σ e² and Σ |e|, in registers: a sum in memory waits for its last store every time.
struct Errors {
    double squared = 0, absolute = 0;

    void add(double error)
    {
        squared += error * error;
        absolute += __builtin_fabs(error); // a comparison would be guessed wrongly half the time
    }
    void addTo(double* sums) const
    {
        sums[0] += squared;
        sums[1] += absolute;
    }
};

/// Where C^(n) is kept an entry is N of its rows, straight from there; those of the 16th after it are asked for.
template <class T, unsigned K> static void errorsOfProjections(const TileProblem<T>& p, const TileRange& range, double* sums)
{
    const unsigned stride = coreStrideOf<T, K>(p);
    const std::uint32_t* index = p.indices + range.first * p.order;
    Errors errors;
    for (std::uint64_t i = 0; i < range.count; ++i, index += p.order) {
        if (i + tileEntries < range.count)
            for (unsigned n = 0; n < p.order; ++n)
                fetch<T, false>(p.projection[n] + std::size_t{index[tileEntries * p.order + n]} * stride, stride);
        Vector<T> total{};
        for (unsigned c = 0; c < stride; c += lanes<T>) {
            Vector<T> product = load(p.projection[0] + std::size_t{index[0]} * stride + c);
            for (unsigned n = 1; n < p.order; ++n)
                product *= load(p.projection[n] + std::size_t{index[n]} * stride + c);
            total += product;
        }
        errors.add(sumOf(total) - p.values[range.first + i]);
    }
    errors.addTo(sums);
}

template <class T, unsigned K> static void errorsWith(const TileProblem<T>& p, const TileRange& range, T* memory, double* sums)
{
    if (p.projection[0])
        return errorsOfProjections<T, K>(p, range, sums);
    const Work<T> work = cut(p, memory);
    Errors errors;
    forEachTile<T, K, 0>(p, nullptr, range, [&](const Tile<T>& tile, const std::uint32_t* next) {
        projectTile<T, K, false>(p, nullptr, tile, next, work, false);
        combineTile<T, K, 0, false>(p, tile, work);
        for (unsigned e = 0; e < tile.count; ++e)
            errors.add(work.error[e]);
    });
    errors.addTo(sums);
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

/// Calls body(J = R, order) with constants where specialised copies exist, else 0: the narrower rows are, the more there is beside
/// the products.
template <class T, class Body> static inline void specialisedToOrder(const TileProblem<T>& p, const Body& body)
{
    specialised(p, [&](auto k) {
        if constexpr (decltype(k)::value == 16 || decltype(k)::value == 32)
            if (p.order == 3)
                return body(k, Constant<3>{});
        body(k, Constant<0>{});
    });
}

template <class T> static void update(const TileProblem<T>& p, const TileStep<T>& s, const TileRange& range, T* work)
{
    specialisedToOrder(p, [&](auto k, auto n) { updateWith<T, decltype(k)::value, decltype(n)::value>(p, s, range, work); });
}

template <class T> static void gradient(const TileProblem<T>& p, const TileRange& range, T* work, T* sum)
{
    specialisedToOrder(p, [&](auto k, auto n) { gradientWith<T, decltype(k)::value, decltype(n)::value>(p, range, work, sum); });
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
