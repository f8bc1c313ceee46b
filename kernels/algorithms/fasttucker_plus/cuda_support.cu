// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_support.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

namespace kernels::fasttucker_plus::gpu {
namespace {

template <class T> __global__ void __launch_bounds__(blockThreads) permuteKernel(T* to, const T* from, Permutation order)
{
    for (std::size_t p = firstThread(); p < order.size; p += threadStep())
        to[p] = from[order.at(p)];
}

template <class T>
__global__ void __launch_bounds__(blockThreads)
    projectRowsKernel(T* projections, const T* rows, const T* core, std::size_t count, unsigned rank, unsigned coreRank)
{
    const unsigned quads = coreRank / 4;
    for (std::size_t i = firstThread(); i < count * quads; i += threadStep()) {
        const T* row = rows + i / quads * rank;
        const T* columns = core + 4 * (i % quads);
        Vec4<T> c = {};
        for (unsigned k = 0; k < rank; ++k) {
            const Vec4<T> b = load4(columns + k * coreRank);
            for (unsigned x = 0; x < 4; ++x)
                c[x] += row[k] * b[x];
        }
        store4(projections + 4 * i, c);
    }
}

template <class T>
__global__ void __launch_bounds__(blockThreads)
    touchRowsKernel(const __grid_constant__ Tables<T> t, VisitingOrder visits, std::uint64_t begin, std::uint64_t end)
{
    const unsigned quads = t.widest / 4;
    for (std::size_t i = firstThread(); i < (end - begin) * quads; i += threadStep()) {
        const std::uint64_t entry = visits.at(begin + i / quads);
        const unsigned column = 4 * static_cast<unsigned>(i % quads);
        [[maybe_unused]] const T value = *static_cast<const volatile T*>(t.values + entry);
        for (unsigned n = 0; n < t.order; ++n) {
            T* const row = t.factors[n] + std::size_t{t.indices[n][entry]} * t.rank[n] + column;
            if (column < t.rank[n])
                touch4(row);
        }
    }
}

constexpr unsigned sumShares = blockThreads / warpSize32; ///< of the blocks' partials, added apart, then in order

template <class T> struct CoreUpdates {
    CoreUpdate<T> of[maxOrder];
};

/// A block's y is one of the updates. A warp's lanes own consecutive elements, the block's warps a share of the partials each.
template <class T> __global__ void __launch_bounds__(blockThreads) coreUpdateKernel(const __grid_constant__ CoreUpdates<T> updates)
{
    __shared__ double sums[sumShares][warpSize32];
    const CoreUpdate<T>& u = updates.of[blockIdx.y];
    if (blockIdx.x * warpSize32 >= u.rank * u.coreRank)
        return;
    const unsigned lane = threadIdx.x % warpSize32;
    const unsigned share = threadIdx.x / warpSize32;
    const unsigned i = blockIdx.x * warpSize32 + lane; // rank × coreRank is a multiple of the warp
    double sum = 0;
#pragma unroll 8
    for (unsigned b = share; b < u.blocks; b += sumShares)
        sum += u.partials[std::size_t{b} * u.stride + i];
    sums[share][lane] = sum;
    __syncthreads();
    if (share > 0)
        return;
    double gradient = 0;
    for (unsigned s = 0; s < sumShares; ++s)
        gradient += sums[s][lane];
    gradient *= u.gradientScale;
    const double old = static_cast<double>(u.core[i]);
    double value = old - u.rate * (gradient / u.entries + u.lambda * old);
    if (u.nonnegative && value < 0)
        value = 0;
    u.core[i] = static_cast<T>(value);
    u.transposed[i % u.coreRank * u.rank + i / u.coreRank] = static_cast<T>(value);
}

struct IndexColumns {
    const Index* of[maxOrder];
};

__global__ void __launch_bounds__(blockThreads) keysKernel(std::uint64_t* keys, unsigned* entries, IndexColumns indices, unsigned order,
                                                           VisitingOrder visits, std::uint64_t begin, unsigned count)
{
    for (std::size_t i = firstThread(); i < std::size_t{order} * count; i += threadStep()) {
        const unsigned n = static_cast<unsigned>(i / count);
        const unsigned entry = static_cast<unsigned>(i % count);
        keys[i] = std::uint64_t{n} << 32 | indices.of[n][visits.at(begin + entry)];
        entries[i] = entry;
    }
}

/// A warp looks at one sorted item; the first of a row does the whole run, a lane every 32nd column.
template <class T> __global__ void __launch_bounds__(blockThreads) applyChangesKernel(RowChanges<T> c)
{
    const unsigned lane = threadIdx.x % warpSize32;
    for (std::size_t i = firstThread() / warpSize32; i < c.items; i += threadStep() / warpSize32) {
        const std::uint64_t key = c.keys[i];
        if (i > 0 && c.keys[i - 1] == key)
            continue;
        const unsigned n = static_cast<unsigned>(key >> 32);
        const unsigned rank = c.rank[n];
        T* row = c.factors[n] + (key & 0xFFFFFFFFU) * rank;
        for (unsigned j = lane; j < rank; j += warpSize32) {
            T value = row[j];
            for (std::size_t k = i; k < c.items && c.keys[k] == key; ++k) {
                value += c.changes[n][std::size_t{c.entries[k]} * rank + j];
                if (c.nonnegative && value < T(0))
                    value = 0;
            }
            row[j] = value;
        }
    }
}

constexpr int modeBits = 32 + 4; // of a key: the row, and one of 16 modes

std::size_t sortTemporary(std::size_t items)
{
    std::size_t bytes = 0;
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, static_cast<const std::uint64_t*>(nullptr),
                                               static_cast<std::uint64_t*>(nullptr), static_cast<const unsigned*>(nullptr),
                                               static_cast<unsigned*>(nullptr), static_cast<int>(items), 0, modeBits));
    return std::max<std::size_t>(bytes, 1);
}

} // namespace

template <class T> void launchPermute(T* to, const T* from, const Permutation& order, cudaStream_t stream)
{
    permuteKernel<<<gridFor(order.size), blockThreads, 0, stream>>>(to, from, order);
    CUDA_CHECK_LAUNCH();
}

template <class T>
void launchProjectRows(T* projections, const T* rows, const T* core, std::size_t count, unsigned rank, unsigned coreRank,
                       cudaStream_t stream)
{
    projectRowsKernel<<<gridFor(count * coreRank / 4), blockThreads, 0, stream>>>(projections, rows, core, count, rank, coreRank);
    CUDA_CHECK_LAUNCH();
}

template <class T>
void launchTouchRows(const Tables<T>& tables, const VisitingOrder& order, std::uint64_t begin, std::uint64_t end, cudaStream_t stream)
{
    touchRowsKernel<<<gridFor((end - begin) * (tables.widest / 4)), blockThreads, 0, stream>>>(tables, order, begin, end);
    CUDA_CHECK_LAUNCH();
}

template <class T> void launchCoreUpdates(std::span<const CoreUpdate<T>> updates, cudaStream_t stream)
{
    CoreUpdates<T> all;
    unsigned largest = 0;
    for (std::size_t n = 0; n < updates.size(); ++n) {
        all.of[n] = updates[n];
        largest = std::max(largest, updates[n].rank * updates[n].coreRank);
    }
    coreUpdateKernel<<<dim3(largest / warpSize32, static_cast<unsigned>(updates.size())), blockThreads, 0, stream>>>(all);
    CUDA_CHECK_LAUNCH();
}

template <class T> void launchApplyChanges(const RowChanges<T>& changes, cudaStream_t stream)
{
    applyChangesKernel<<<gridFor(std::size_t{changes.items} * warpSize32), blockThreads, 0, stream>>>(changes);
    CUDA_CHECK_LAUNCH();
}

RowRuns::RowRuns(std::size_t items)
    : m_keys(items)
    , m_sortedKeys(items)
    , m_entries(items)
    , m_sortedEntries(items)
    , m_temporary(sortTemporary(items))
{
}

std::uint64_t RowRuns::bytesFor(std::size_t items) { return items * 2 * (sizeof(std::uint64_t) + sizeof(unsigned)) + sortTemporary(items); }

void RowRuns::sort(const Index* const* indices, unsigned order, const VisitingOrder& visits, std::uint64_t begin, unsigned count,
                   cudaStream_t stream)
{
    IndexColumns columns = {};
    std::copy(indices, indices + order, columns.of);
    const std::size_t items = std::size_t{order} * count;
    keysKernel<<<gridFor(items), blockThreads, 0, stream>>>(m_keys.data(), m_entries.data(), columns, order, visits, begin, count);
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = m_temporary.bytes();
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(m_temporary.data(), bytes, m_keys.data(), m_sortedKeys.data(), m_entries.data(),
                                               m_sortedEntries.data(), static_cast<int>(items), 0, modeBits, stream));
}

template void launchPermute(Index*, const Index*, const Permutation&, cudaStream_t);
#define POLYAD_INSTANCES(T)                                                                                                                \
    template void launchPermute(T*, const T*, const Permutation&, cudaStream_t);                                                           \
    template void launchProjectRows(T*, const T*, const T*, std::size_t, unsigned, unsigned, cudaStream_t);                                \
    template void launchTouchRows(const Tables<T>&, const VisitingOrder&, std::uint64_t, std::uint64_t, cudaStream_t);                     \
    template void launchCoreUpdates(std::span<const CoreUpdate<T>>, cudaStream_t);                                                         \
    template void launchApplyChanges(const RowChanges<T>&, cudaStream_t);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::fasttucker_plus::gpu
