// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_arguments.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_async_copy.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_shape.cuh"

/// One tile of 16 entries on tensor cores, shared by both passes.
///
/// A group of W warps owns a tile; warp q owns columns 16q … 16q+15 of every projection, lane (g, t) of it columns
/// 4t … 4t+3 of entries g and g+8. Rows of all modes come to shared memory by asynchronous copies, already where
/// their lanes read them; coordinates of the next tile come meanwhile. The order of the tensor is known at run time
/// only: on the way up each mode leaves the product of the projections before it, on the way down it meets the
/// product of those after it, so that the work is linear in the order and no projection is divided by.
namespace kernels::fasttucker_plus::gpu {

/// Both entries of a lane.
template <class T> struct Pair {
    Vec4<T> of[2];
    __device__ Pair& operator*=(const Pair& other)
    {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                of[i][x] *= other.of[i][x];
        return *this;
    }
    __device__ Pair& operator*=(T factor)
    {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                of[i][x] *= factor;
        return *this;
    }
    /// Over all entries of the tile, into of[0]. All lanes of the warp.
    __device__ void addUp()
    {
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            of[0][x] += of[1][x];
        sumOverEntries(of[0]);
    }
};

template <class G> class TensorTile {
public:
    using T = typename G::T;
    using Products = typename G::Products;
    using Left = typename Products::Left;
    using Right = typename Products::Right;

    const Tables<T>& tables;
    const Operands<T>& operands;
    unsigned number, warp, lane, g, t; ///< group of the block, warp of the group, lane and its place
    unsigned warps, coreTiles;
    bool active; ///< owns columns of the projections

    __device__ TensorTile(const Tables<T>& allTables, const Operands<T>& allOperands, unsigned char* shared, unsigned exchangeBytes)
        : tables(allTables)
        , operands(allOperands)
        , lane(threadIdx.x % warpSize32)
        , g(lane / 4)
        , t(lane % 4)
        , warps(G::warps(allOperands.warpsPerTile))
        , coreTiles(G::tilesOf(allTables.coreRank))
    {
        number = threadIdx.x / (warpSize32 * warps);
        warp = threadIdx.x / warpSize32 % warps;
        active = G::tiles || warp < coreTiles;
        m_spot = staged(g, 4 * t);
        const TensorLayout layout = TensorLayout::of<G>(tables.order, warps, operands.workElements, exchangeBytes);
        unsigned char* const base = shared + number * layout.bytes;
        if constexpr (G::inShared)
            m_work = reinterpret_cast<T*>(base);
        else
            m_work = operands.work + (std::size_t{blockIdx.x} * (blockDim.x / (warpSize32 * warps)) + number) * operands.workElements;
        m_exchange = base + layout.exchange;
        m_rounded = reinterpret_cast<unsigned*>(base + layout.rounded);
        m_partials = reinterpret_cast<T*>(base + layout.partials);
        m_values = reinterpret_cast<T*>(base + layout.values);
        m_indices = reinterpret_cast<Index*>(base + layout.indices);
        m_scales = reinterpret_cast<float*>(base + layout.scales);
    }

    __device__ unsigned order() const { return G::order ? G::order : tables.order; }
    /// Elements of work memory before the rows of a mode.
    __device__ unsigned rowOffset(unsigned n) const { return G::tiles ? n * G::tiles * stagedBlock : operands.rowOffset[n]; }

    /// The group meets; each warp with all its lanes before it counts as there. A block that names its barriers by a number known at run
    /// time only takes all 16, and no more than four such blocks find place.
    __device__ void sync() const
    {
        __syncwarp();
        if constexpr (G::groups == 1)
            asm volatile("bar.sync 0;" ::: "memory");
        else if constexpr (G::tiles > 1) {
            static_assert(G::groups == 2);
            if (number == 0)
                asm volatile("bar.sync 1, %0;" ::"n"(warpSize32 * G::tiles) : "memory");
            else
                asm volatile("bar.sync 2, %0;" ::"n"(warpSize32 * G::tiles) : "memory");
        } else if constexpr (G::tiles == 0)
            asm volatile("bar.sync %0, %1;" ::"r"(number + 1), "r"(warpSize32 * warps) : "memory");
    }

    /// Begins to bring coordinates and values. position(m): where the tile's m-th entry is stored, asked for m < count.
    template <class Position> __device__ void fetchEntries(unsigned buffer, const Position& position, unsigned count) const
    {
        const unsigned thread = warp * warpSize32 + lane;
        const unsigned m = thread % tileOfEntries;
        const std::uint64_t p = m < count ? position(m) : 0;
#pragma unroll 1
        for (unsigned c = thread / tileOfEntries; c <= order(); c += 2 * warps) {
            if (c < order())
                copyAsync<sizeof(Index), false>(m_indices + (buffer * order() + c) * tileOfEntries + m, tables.indices[c] + p, m < count);
            else
                copyAsync<sizeof(T), false>(m_values + buffer * tileOfEntries + m, tables.values + p, m < count);
        }
    }
    __device__ Index row(unsigned buffer, unsigned n, unsigned half) const
    {
        return m_indices[(buffer * order() + n) * tileOfEntries + g + 8 * half];
    }

    /// Begins to bring every row's factor on the rate, where a mode has them.
    __device__ void fetchScales(unsigned buffer, const float* const* scales) const
    {
        const unsigned thread = warp * warpSize32 + lane;
        const unsigned m = thread % tileOfEntries;
#pragma unroll 1
        for (unsigned n = thread / tileOfEntries; n < order(); n += 2 * warps)
            if (scales[n])
                copyAsync<sizeof(float), false>(m_scales + n * tileOfEntries + m,
                                                scales[n] + m_indices[(buffer * order() + n) * tileOfEntries + m], true);
    }
    __device__ T scale(unsigned n, unsigned half) const { return static_cast<T>(m_scales[n * tileOfEntries + g + 8 * half]); }

    /// Begins to bring the rows of all modes: 16 bytes a lane and row, fp64 twice that. Fresh: as they are in L2. once: a row that
    /// all entries share comes for the first of them alone; returns the bits of such modes.
    template <bool Fresh> __device__ unsigned fetchRows(unsigned buffer, bool once) const
    {
        unsigned shared = 0;
#pragma unroll(G::unrolledModes)
        for (unsigned n = 0; n < order(); ++n) {
            const bool one = once && sharesRow(buffer, n);
            shared |= unsigned{one} << n;
            if (one && g != 0)
                continue;
            const unsigned rank = G::tilesOf(tables.rank[n]) * slab;
            const T* const low = tables.factors[n] + std::size_t{row(buffer, n, 0)} * rank + 4 * t;
            const T* const high = tables.factors[n] + std::size_t{row(buffer, n, 1)} * rank + 4 * t;
            T* const to = m_work + rowOffset(n) + m_spot;
            for (unsigned q = warp; q < rank / slab; q += warps) {
                fetchQuad<Fresh>(to + q * stagedBlock, low + q * slab);
                if (!one)
                    fetchQuad<Fresh>(to + q * stagedBlock + stagedBlock / 2, high + q * slab);
            }
        }
        return shared;
    }
    /// Block q of the rows of mode n, laid out by staged().
    __device__ const T* rows(unsigned n, unsigned q) const { return m_work + rowOffset(n) + q * stagedBlock; }
    /// Columns 16q + 4t … of this lane's entries; one: of the row they share.
    __device__ Pair<T> ownRows(unsigned n, unsigned q, bool one = false) const
    {
        const T* const at = rows(n, q) + (one ? staged(0, 4 * t) : m_spot);
        return {{load4(at), load4(at + (one ? 0 : stagedBlock / 2))}};
    }

    /// Rounds what this warp brought; shared: as fetchRows() returned it. The group meets before the blocks are read.
    __device__ void roundRows(unsigned shared) const
    {
        if constexpr (G::roundedOnce) {
            __syncwarp(); // a row that came once was brought by other lanes
#pragma unroll(G::unrolledModes)
            for (unsigned n = 0; n < order(); ++n)
                for (unsigned q = warp; q < G::tiles; q += warps) {
                    const Pair<T> a = ownRows(n, q, shared >> n & 1);
                    Products::store(roundedRows(n, q), lane, Products::left(a.of[0], a.of[1]));
                }
        }
    }
    __device__ unsigned* roundedRows(unsigned n, unsigned q) const { return m_rounded + (n * G::tiles + q) * roundedBlock; }
    __device__ Left operandOfRows(unsigned n, unsigned q, bool one) const
    {
        if constexpr (G::roundedOnce) {
            return Products::load(roundedRows(n, q), lane);
        } else {
            const Pair<T> a = ownRows(n, q, one);
            return Products::left(a.of[0], a.of[1]);
        }
    }
    /// Block q of mode n as the left-hand side of a sum over entries; its row 2g + i, of all 16, is gradientRow(i) of the block.
    __device__ typename Products::GradientLeft gradientOfRows(unsigned n, unsigned q) const
    {
        if constexpr (G::roundedOnce)
            return Products::loadTurned(roundedRows(n, q), lane);
        else
            return Products::gradientLeft(rows(n, q), g, t);
    }
    __device__ unsigned gradientRow(unsigned i) const { return G::roundedOnce ? column(g, i) : 2 * g + i; }

    __device__ Right right(const uint4* blocks, unsigned block) const
    {
        constexpr unsigned pieces = sizeof(Right) / sizeof(uint4);
        Right fragment;
#pragma unroll
        for (unsigned p = 0; p < pieces; ++p)
            reinterpret_cast<uint4*>(&fragment)[p] = __ldg(blocks + (block * pieces + p) * warpSize32 + lane);
        return fragment;
    }

    /// This warp's columns of c^(n) = a^(n) B^(n); one: of the row that all entries share.
    __device__ Pair<T> project(unsigned n, bool one = false) const
    {
        Pair<T> c = {};
        const unsigned blocks = G::tilesOf(tables.rank[n]);
        if (active)
#pragma unroll(G::unrolled)
            for (unsigned k = 0; k < blocks; ++k)
                Products::multiply(c.of, operandOfRows(n, k, one), right(operands.projecting[n], warp * blocks + k));
        return c;
    }
    /// This warp's part of all B in registers, and what it projects.
    template <bool Holds> struct Held {
        Right blocks[Holds ? G::order : 1][Holds ? G::tiles : 1];
        __device__ explicit Held(const TensorTile& tile)
        {
            if constexpr (Holds)
#pragma unroll
                for (unsigned n = 0; n < G::order; ++n)
#pragma unroll
                    for (unsigned k = 0; k < G::tiles; ++k)
                        blocks[n][k] = tile.right(tile.operands.projecting[n], tile.warp * G::tiles + k);
        }
    };
    __device__ Pair<T> project(unsigned n, const Held<true>& held) const
    {
        Pair<T> c = {};
#pragma unroll
        for (unsigned k = 0; k < G::tiles; ++k)
            Products::multiply(c.of, operandOfRows(n, k, false), held.blocks[n][k]);
        return c;
    }
    /// The same from rows of C^(n) that were computed before.
    __device__ Pair<T> storedProjection(const T* stored, unsigned buffer, unsigned n) const
    {
        Pair<T> c = {};
        if (active) {
            const T* const at = stored + warp * slab + 4 * t;
            c = {{load4(at + std::size_t{row(buffer, n, 0)} * tables.coreRank),
                  load4(at + std::size_t{row(buffer, n, 1)} * tables.coreRank)}};
            c *= operands.projectionScale[n];
        }
        return c;
    }

    /// All projections: leaves the last one in `last`, the product of the others in `before`.
    template <class Projection> __device__ void goUp(const Projection& projection, Pair<T>& before, Pair<T>& last) const
    {
#pragma unroll(G::unrolledModes)
        for (unsigned n = 0; n < order(); ++n) {
            const Pair<T> c = projection(n);
            if (n == 1)
                before = last;
            else if (n > 1)
                before *= last;
            if (n > 0 && n + 1 < order() && active) {
                keep(n, 0, before);
                keep(n, 1, c);
            }
            last = c;
        }
    }
    /// w^(n), the product of the other modes' projections, for every mode from the last to the first.
    template <class Body> __device__ void goDown(const Pair<T>& before, Pair<T> after, const Body& body) const
    {
#pragma unroll(G::unrolledModes)
        for (unsigned down = 1; down <= order(); ++down) {
            const unsigned n = order() - down;
            Pair<T> w = before;
            if (n + 1 < order()) {
                w = after;
                if (n > 0 && active) {
                    w *= kept(n, 0);
                    after *= kept(n, 1);
                }
            }
            body(n, w);
        }
    }

    /// The projection of one mode in `own`, the product of the others, w^(n), in `others`; nothing is kept.
    template <class Projection> __device__ void goUpTo(unsigned mode, const Projection& projection, Pair<T>& others, Pair<T>& own) const
    {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
            others.of[i] = {{T(1), T(1), T(1), T(1)}};
#pragma unroll(G::unrolledModes)
        for (unsigned n = 0; n < order(); ++n) {
            const Pair<T> c = projection(n);
            if (n == mode)
                own = c;
            else
                others *= c;
        }
    }

    /// e = x̂ − x of entries g and g+8, the same in all lanes that share an entry.
    __device__ void residuals(const Pair<T>& before, const Pair<T>& last, unsigned buffer, T (&e)[2]) const
    {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            T sum = 0;
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                sum += before.of[i][x] * last.of[i][x];
            sum += __shfl_xor_sync(~0U, sum, 1);
            sum += __shfl_xor_sync(~0U, sum, 2);
            e[i] = sum;
        }
        if constexpr (G::tiles != 1) {
            if (t == 0) {
                m_partials[warp * tileOfEntries + g] = e[0];
                m_partials[warp * tileOfEntries + g + 8] = e[1];
            }
            sync();
#pragma unroll
            for (unsigned i = 0; i < 2; ++i) {
                e[i] = 0;
                for (unsigned w = 0; w < warps; ++w)
                    e[i] += m_partials[w * tileOfEntries + g + 8 * i];
            }
        }
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
            e[i] = e[i] * operands.predictionScale - m_values[buffer * tileOfEntries + g + 8 * i];
    }

    /// Shows this warp's fragment of w^(n) to the group; two modes in turn, so one barrier a mode is enough.
    __device__ void show(unsigned n, const Left& fragment) const
    {
        if (active)
            *shown(n, warp) = fragment;
        sync();
    }
    __device__ Left* shown(unsigned n, unsigned block) const
    {
        return reinterpret_cast<Left*>(m_exchange) + (n % 2 * warps + block) * warpSize32 + lane;
    }
    /// e / (1 + κ |w^(n)|²) in place of e; mine: this warp's fragment of w^(n), which has been shown.
    __device__ void damp(T (&e)[2], T damping, unsigned n, const Left& mine) const
    {
        T squares[2] = {};
        if constexpr (G::tiles == 1)
            Products::addSquares(squares, mine);
        else
#pragma unroll(G::unrolled)
            for (unsigned k = 0; k < coreTiles; ++k)
                Products::addSquares(squares, *shown(n, k));
        const T unscaled = damping * operands.changeScale[n] * operands.changeScale[n];
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            squares[i] += __shfl_xor_sync(~0U, squares[i], 1);
            squares[i] += __shfl_xor_sync(~0U, squares[i], 2);
            e[i] /= 1 + unscaled * squares[i];
        }
    }
    __device__ T* scratch() const { return reinterpret_cast<T*>(m_exchange) + warp * stagedBlock; }

private:
    /// Whether all entries have the same row of mode n. All lanes of the warp.
    __device__ bool sharesRow(unsigned buffer, unsigned n) const
    {
        const Index* const rows = m_indices + (buffer * order() + n) * tileOfEntries;
        return __all_sync(~0U, rows[lane % tileOfEntries] == rows[0]);
    }

    template <bool Fresh> __device__ static void fetchQuad(T* to, const T* from)
    {
        if constexpr (G::inShared)
#pragma unroll
            for (unsigned i = 0; i < sizeof(Vec4<T>) / 16; ++i)
                copyAsync<16, Fresh>(reinterpret_cast<uint4*>(to) + i, reinterpret_cast<const uint4*>(from) + i, true);
        else
#pragma unroll
            for (unsigned i = 0; i < sizeof(Vec4<T>) / 16; ++i)
                reinterpret_cast<uint4*>(to)[i] = __ldcg(reinterpret_cast<const uint4*>(from) + i);
    }

    __device__ T* keptAt(unsigned n, unsigned which) const
    {
        return m_work + rowOffset(order()) + ((2 * (n - 1) + which) * coreTiles + warp) * stagedBlock + 4 * lane;
    }
    __device__ void keep(unsigned n, unsigned which, const Pair<T>& x) const
    {
        store4(keptAt(n, which), x.of[0]);
        store4(keptAt(n, which) + stagedBlock / 2, x.of[1]);
    }
    __device__ Pair<T> kept(unsigned n, unsigned which) const
    {
        return {{load4(keptAt(n, which)), load4(keptAt(n, which) + stagedBlock / 2)}};
    }

    unsigned m_spot; ///< of this lane's quad of entry g in a staged block; that of g+8 is half a block later
    T* m_work;
    unsigned char* m_exchange;
    unsigned* m_rounded;
    T* m_partials;
    T* m_values;
    Index* m_indices;
    float* m_scales;
};

/// Brings the tiles of a range to their group one after another: coordinates of the next while one is worked on.
/// positions: where the entries of a tile are stored; rowsOnce: a row that a tile shares comes once; beginTile(buffer): what else
/// to bring for its entries; body(v, count, buffer, modes whose row came once). Returns where the group's next tile would begin.
template <bool Fresh, class G, class Positions, class Begin, class Body>
__device__ __forceinline__ std::uint64_t forTiles(const TensorTile<G>& tile, std::uint64_t begin, std::uint64_t end,
                                                  unsigned groupsPerBlock, Positions& positions, bool rowsOnce, const Begin& beginTile,
                                                  const Body& body)
{
    const std::uint64_t step = std::uint64_t{gridDim.x} * groupsPerBlock * tileOfEntries;
    const std::uint64_t first = begin + (std::uint64_t{blockIdx.x} * groupsPerBlock + tile.number) * tileOfEntries;
    const auto countAt = [&](std::uint64_t v) { return end - v < tileOfEntries ? static_cast<unsigned>(end - v) : tileOfEntries; };
    const auto fetch = [&](unsigned buffer, std::uint64_t v, unsigned number) {
        if (v < end) {
            positions.prepare(v, number, step, end, tile.lane);
            tile.fetchEntries(
                buffer, [&](unsigned m) { return positions.of(v, m); }, countAt(v));
        }
        closeCopies();
    };
    unsigned number = 0;
    fetch(0, first, number);
    std::uint64_t v = first;
    for (; v < end; v += step) {
        const unsigned buffer = number % 2;
        waitForCopies<0>();
        tile.sync(); // coordinates are there, and nobody works on the tile before any more
        const unsigned shared = tile.template fetchRows<Fresh>(buffer, rowsOnce);
        beginTile(buffer);
        closeCopies();
        fetch(1 - buffer, v + step, ++number);
        waitForCopies<1>();
        tile.roundRows(shared);
        tile.sync();
        body(v, countAt(v), buffer, shared);
    }
    return v;
}

/// The same where rows do not change and are rounded when they are there: the next tile's come while one is worked on.
template <class G, class Positions, class Body>
__device__ __forceinline__ std::uint64_t forTilesAhead(const TensorTile<G>& tile, std::uint64_t begin, std::uint64_t end,
                                                       unsigned groupsPerBlock, const Positions& positions, const Body& body)
{
    const std::uint64_t step = std::uint64_t{gridDim.x} * groupsPerBlock * tileOfEntries;
    std::uint64_t v = begin + (std::uint64_t{blockIdx.x} * groupsPerBlock + tile.number) * tileOfEntries;
    const auto countAt = [&](std::uint64_t at) { return end - at < tileOfEntries ? static_cast<unsigned>(end - at) : tileOfEntries; };
    const auto fetch = [&](unsigned buffer, std::uint64_t at) {
        if (at < end)
            tile.fetchEntries(
                buffer, [&](unsigned m) { return positions.of(at, m); }, countAt(at));
    };
    unsigned buffer = 0;
    fetch(buffer, v);
    closeCopies();
    waitForCopies<0>();
    tile.sync();
    if (v < end)
        tile.template fetchRows<false>(buffer, false);
    fetch(1, v + step);
    closeCopies();
    for (; v < end; v += step) {
        waitForCopies<0>();
        tile.sync(); // the next coordinates are there, and nobody works on the tile before any more
        tile.roundRows(0);
        const unsigned next = buffer == 2 ? 0 : buffer + 1;
        if (v + step < end)
            tile.template fetchRows<false>(next, false);
        fetch(next == 2 ? 0 : next + 1, v + 2 * step);
        closeCopies();
        tile.sync();
        body(v, countAt(v), buffer, 0);
        buffer = next;
    }
    return v;
}

} // namespace kernels::fasttucker_plus::gpu
