// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tile_shape.cuh"

#include <cooperative_groups.h>

/// The arithmetic of one tile of entries on CUDA cores, shared by all passes.
///
/// A tile is M = 8·EPL entries. A group of WPT warps owns it. In every product each warp computes slabs of 16
/// columns: its lane (g, t) = (lane / 4, lane % 4) owns columns 4t … 4t+3 of entries g, g+8, g+16, …, so one
/// 16-byte read of the right-hand matrix serves EPL entries and one of the left-hand rows serves four columns.
/// Everything is padded with zeros to multiples of 16, so no product asks where a matrix ends.
namespace kernels::fasttucker_plus::gpu {

/// out[i][c] += Σ_k in[g+8i][k] · matrix[k][4t+c]; in is staged in shared memory, matrix begins at the slab.
template <class G>
__device__ __forceinline__ void tileProduct(const ThreadGroup<G>& group, const typename G::T* in, unsigned inStride,
                                            const typename G::T* matrix, unsigned matrixStride, unsigned length,
                                            Vec4<typename G::T> (&out)[G::entriesPerLane])
{
    using T = typename G::T;
    const T* left = in + group.g * inStride;
    const T* right = matrix + 4 * group.t;
#pragma unroll(G::tiles == 1 ? 4 : 2)
    for (unsigned k = 0; k < length; k += 4) {
        Vec4<T> b[4];
#pragma unroll
        for (unsigned j = 0; j < 4; ++j)
            b[j] = load4(right + (k + j) * matrixStride);
#pragma unroll
        for (unsigned i = 0; i < G::entriesPerLane; ++i) {
            const Vec4<T> a = load4(left + 8 * i * inStride + k);
#pragma unroll
            for (unsigned j = 0; j < 4; ++j)
#pragma unroll
                for (unsigned c = 0; c < 4; ++c)
                    out[i][c] += a[j] * b[j][c];
        }
    }
}

/// One tile's view of shared memory, and the steps all passes have in common.
template <class G> struct Tile {
    using T = typename G::T;
    static constexpr unsigned entriesPerLane = G::entriesPerLane;

    const Tables<T>& tables;
    ThreadGroup<G> group;
    T* staging;
    T* secondStaging;
    T* projections; ///< c^(n), each element private to one lane
    T* partials;
    T* values;
    Index* indices;
    const T* sharedCores;
    unsigned coreRank, stride;

    __device__ Tile(const Tables<T>& t, const SharedLayout& layout, unsigned char* shared)
        : tables(t)
    {
        unsigned char* base = shared + layout.coreBytes + group.number * layout.groupBytes;
        staging = reinterpret_cast<T*>(base + layout.staging);
        secondStaging = reinterpret_cast<T*>(base + layout.secondStaging);
        projections = reinterpret_cast<T*>(base + layout.projections);
        partials = reinterpret_cast<T*>(base + layout.partials);
        values = reinterpret_cast<T*>(base + layout.values);
        indices = reinterpret_cast<Index*>(base + layout.indices);
        sharedCores = reinterpret_cast<const T*>(shared);
        coreRank = G::rank(tables.coreRank);
        stride = G::rank(tables.widest) + G::padding;
    }

    /// Copies B and its transpose of all modes to the front of shared memory. The whole block calls it.
    __device__ static void loadCores(const Tables<T>& t, unsigned char* shared)
    {
        if constexpr (G::coresInShared) {
            T* to = reinterpret_cast<T*>(shared);
            constexpr unsigned size = G::tiles * slab * G::tiles * slab;
            for (unsigned n = 0; n < t.order; ++n)
                for (unsigned i = 4 * threadIdx.x; i < size; i += 4 * blockThreads) {
                    store4(to + (2 * n) * size + i, load4(t.cores[n] + i));
                    store4(to + (2 * n + 1) * size + i, load4(t.coresTransposed[n] + i));
                }
            __syncthreads();
        }
    }
    __device__ const T* core(unsigned n) const
    {
        if constexpr (G::coresInShared)
            return sharedCores + (2 * n) * (G::tiles * slab * G::tiles * slab);
        else
            return tables.cores[n];
    }
    __device__ const T* coreTransposed(unsigned n) const
    {
        if constexpr (G::coresInShared)
            return sharedCores + (2 * n + 1) * (G::tiles * slab * G::tiles * slab);
        else
            return tables.coresTransposed[n];
    }
    __device__ T* projection(unsigned n, unsigned q, unsigned i) const
    {
        return projections + 4 * (((n * (coreRank / slab) + q) * entriesPerLane + i) * warpSize32 + group.thread % warpSize32);
    }
    __device__ unsigned entry(unsigned i) const { return group.g + 8 * i; }

    /// Brings coordinates and values to shared memory. position(m) is the stored position of the tile's m-th
    /// entry, or anything at or above end where there is none; such an entry gets row 0 everywhere.
    template <class Position> __device__ void loadEntries(const Position& position, unsigned count) const
    {
        group.sync(); // nobody reads the tile before any more
        if (group.thread < G::entries) {
            const unsigned m = group.thread;
            const bool real = m < count;
            const std::uint64_t p = real ? position(m) : 0;
            for (unsigned n = 0; n < tables.order; ++n)
                indices[n * G::entries + m] = real ? __ldg(tables.indices[n] + p) : 0;
            values[m] = real ? __ldg(tables.values + p) : T(0);
        }
        group.sync();
    }

    /// Whether all entries have the same row of mode n. All lanes of the warp.
    __device__ bool sharesRow(unsigned n) const
    {
        const Index* const rows = indices + n * G::entries;
        return __all_sync(~0U, rows[group.thread % warpSize32 % G::entries] == rows[0]);
    }

    /// Rows of mode n to a staging area: neighbouring threads read neighbouring 16 bytes (fp64: 32) of a row. Entries: the first.
    template <unsigned Entries = G::entries> __device__ void gatherRows(unsigned n, T* to) const
    {
        const unsigned quads = G::rank(tables.rank[n]) / 4;
        const T* rows = tables.factors[n];
        for (unsigned i = group.thread; i < Entries * quads; i += G::groupThreads) {
            const unsigned m = i / quads;
            const unsigned k = 4 * (i % quads);
            store4(to + m * stride + k, load4(rows + std::size_t{indices[n * G::entries + m]} * (4 * quads) + k));
        }
    }

    /// Σ_k row[k] · matrix[k][4t+c], the same for every entry: each takes some of the terms. All lanes of the warp.
    __device__ Vec4<T> rowProduct(const T* row, const T* matrix, unsigned matrixStride, unsigned length) const
    {
        Vec4<T> sum = {};
        for (unsigned k = group.g; k < length; k += 8) {
            const Vec4<T> b = load4(matrix + k * matrixStride + 4 * group.t);
            const T a = row[k];
#pragma unroll
            for (unsigned c = 0; c < 4; ++c)
                sum[c] += a * b[c];
        }
        sumOverEntries(sum);
        return sum;
    }

    /// c^(n) = a^(n) B^(n) of all modes, or of all but one. Once for all entries where they share the row.
    __device__ void project(unsigned except = maxOrder) const
    {
        for (unsigned n = 0; n < tables.order; ++n) {
            if (n == except)
                continue;
            if (n > 0)
                group.sync();
            const bool shared = sharesRow(n);
            if (shared)
                gatherRows<1>(n, staging);
            else
                gatherRows(n, staging);
            group.sync();
            const unsigned rank = G::rank(tables.rank[n]);
            for (unsigned q = group.warp; q < coreRank / slab; q += G::warpsPerTile) {
                Vec4<T> c[entriesPerLane] = {};
                if (shared) {
                    c[0] = rowProduct(staging, core(n) + slab * q, coreRank, rank);
#pragma unroll
                    for (unsigned i = 1; i < entriesPerLane; ++i)
                        c[i] = c[0];
                } else {
                    tileProduct<G>(group, staging, stride, core(n) + slab * q, coreRank, rank, c);
                }
#pragma unroll
                for (unsigned i = 0; i < entriesPerLane; ++i)
                    store4(projection(n, q, i), c[i]);
            }
        }
    }

    /// The same from rows of C^(n) that were computed before.
    __device__ void gatherProjections(const T* const* stored) const
    {
        for (unsigned n = 0; n < tables.order; ++n)
            for (unsigned q = group.warp; q < coreRank / slab; q += G::warpsPerTile)
#pragma unroll
                for (unsigned i = 0; i < entriesPerLane; ++i)
                    store4(projection(n, q, i),
                           load4(stored[n] + std::size_t{indices[n * G::entries + entry(i)]} * coreRank + slab * q + 4 * group.t));
    }

    /// w^(n) of one lane's four columns: the product of the other modes' projections.
    __device__ Vec4<T> otherModes(unsigned n, unsigned q, unsigned i) const
    {
        Vec4<T> w = {{T(1), T(1), T(1), T(1)}};
        for (unsigned k = 0; k < tables.order; ++k) {
            if (k == n)
                continue;
            const Vec4<T> c = load4(projection(k, q, i));
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                w[x] *= c[x];
        }
        return w;
    }

    /// e = x̂ − x of this lane's entries, the same in all lanes that share an entry.
    __device__ void residuals(T (&e)[entriesPerLane]) const
    {
#pragma unroll
        for (unsigned i = 0; i < entriesPerLane; ++i) {
            T sum = 0;
            for (unsigned q = group.warp; q < coreRank / slab; q += G::warpsPerTile) {
                const Vec4<T> w = otherModes(tables.order, q, i); // no mode left out
                sum += (w[0] + w[1]) + (w[2] + w[3]);
            }
            e[i] = sum;
        }
        addUpResiduals(e);
    }

    /// The same from what each lane of the group has of x̂.
    __device__ void addUpResiduals(T (&e)[entriesPerLane]) const
    {
        const auto quad = cooperative_groups::tiled_partition<4>(cooperative_groups::this_thread_block());
#pragma unroll
        for (unsigned i = 0; i < entriesPerLane; ++i) {
            e[i] += quad.shfl_xor(e[i], 1);
            e[i] += quad.shfl_xor(e[i], 2);
        }
        if constexpr (G::warpsPerTile > 1) {
            if (group.t == 0)
#pragma unroll
                for (unsigned i = 0; i < entriesPerLane; ++i)
                    partials[group.warp * G::entries + entry(i)] = e[i];
            group.sync();
#pragma unroll
            for (unsigned i = 0; i < entriesPerLane; ++i) {
                e[i] = 0;
                for (unsigned w = 0; w < G::warpsPerTile; ++w)
                    e[i] += partials[w * G::entries + entry(i)];
            }
        }
#pragma unroll
        for (unsigned i = 0; i < entriesPerLane; ++i)
            e[i] -= values[entry(i)];
    }

    /// Entries past the last have no error.
    __device__ void dropPadding(T (&e)[entriesPerLane], unsigned count) const
    {
#pragma unroll
        for (unsigned i = 0; i < entriesPerLane; ++i)
            if (entry(i) >= count)
                e[i] = 0;
    }

    /// w^(n) of all entries to a staging area.
    __device__ void stageOtherModes(unsigned n, T* to) const
    {
        T one[entriesPerLane];
#pragma unroll
        for (unsigned i = 0; i < entriesPerLane; ++i)
            one[i] = T(1);
        stageOtherModes(n, one, to);
    }
    /// scale_i · w^(n).
    __device__ void stageOtherModes(unsigned n, const T (&scale)[entriesPerLane], T* to) const
    {
        for (unsigned q = group.warp; q < coreRank / slab; q += G::warpsPerTile)
#pragma unroll
            for (unsigned i = 0; i < entriesPerLane; ++i) {
                Vec4<T> w = otherModes(n, q, i);
#pragma unroll
                for (unsigned x = 0; x < 4; ++x)
                    w[x] *= scale[i];
                store4(to + entry(i) * stride + slab * q + 4 * group.t, w);
            }
    }
    /// Their sum over all entries, as one row.
    __device__ void stageSumOfOtherModes(unsigned n, const T (&scale)[entriesPerLane], T* to) const
    {
        for (unsigned q = group.warp; q < coreRank / slab; q += G::warpsPerTile) {
            Vec4<T> sum = {};
#pragma unroll
            for (unsigned i = 0; i < entriesPerLane; ++i) {
                const Vec4<T> w = otherModes(n, q, i);
#pragma unroll
                for (unsigned x = 0; x < 4; ++x)
                    sum[x] += scale[i] * w[x];
            }
            sumOverEntries(sum);
            if (group.g == 0)
                store4(to + slab * q + 4 * group.t, sum);
        }
    }
};

} // namespace kernels::fasttucker_plus::gpu
