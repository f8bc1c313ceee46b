// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tile_shape.cuh"
#include "kernels/algorithms/fasttucker_plus/visiting_order.h"
#include "kernels/device/device_buffer.cuh"

#include <algorithm>
#include <span>

/// The small kernels around the passes. Every launch goes to the given stream.
namespace kernels::fasttucker_plus::gpu {

/// Of kernels that stride over what is more than the most.
inline unsigned gridFor(std::size_t threads)
{
    constexpr std::size_t most = 1U << 20;
    return static_cast<unsigned>(std::clamp<std::size_t>((threads + blockThreads - 1) / blockThreads, 1, most));
}
__device__ inline std::size_t firstThread() { return std::size_t{blockIdx.x} * blockThreads + threadIdx.x; }
__device__ inline std::size_t threadStep() { return std::size_t{gridDim.x} * blockThreads; }

/// to[p] = from[order.at(p)]: one column of the entries into its stored order.
template <class T> void launchPermute(T* to, const T* from, const Permutation& order, cudaStream_t stream);

/// C = A B for all rows; a thread owns 4 columns of a row.
template <class T>
void launchProjectRows(T* projections, const T* rows, const T* core, std::size_t count, unsigned rank, unsigned coreRank,
                       cudaStream_t stream);

/// Reads the entries of visiting numbers [begin, end), and every row of theirs and writes it back; a thread owns 4 columns.
template <class T>
void launchTouchRows(const Tables<T>&, const VisitingOrder&, std::uint64_t begin, std::uint64_t end, cudaStream_t stream);

template <class T> struct CoreUpdate {
    const double* partials = nullptr; ///< [blocks][rank × coreRank] of one mode
    unsigned blocks = 0;
    unsigned stride = 0; ///< elements between blocks
    unsigned rank = 0, coreRank = 0;
    T* core = nullptr;
    T* transposed = nullptr;
    double rate = 0, lambda = 0, entries = 1;
    bool nonnegative = false;
    double gradientScale = 1; ///< partials times this is the gradient
};
/// B ← B − γ (Σ partials / |Ω| + λ B) of up to maxOrder modes, in fp64, blocks added in fixed order.
template <class T> void launchCoreUpdates(std::span<const CoreUpdate<T>>, cudaStream_t stream);

/// One batch of deterministic mode: whose changes meet in which row, in entry order.
class RowRuns {
public:
    RowRuns() = default;
    explicit RowRuns(std::size_t items);
    static std::uint64_t bytesFor(std::size_t items);

    /// Items (mode n, entry i) of visiting numbers [begin, begin + count), sorted stably by (mode, row).
    void sort(const Index* const* indices, unsigned order, const VisitingOrder& visits, std::uint64_t begin, unsigned count,
              cudaStream_t stream);
    const std::uint64_t* keys() const { return m_sortedKeys.data(); } ///< mode << 32 | row
    const unsigned* entries() const { return m_sortedEntries.data(); }

private:
    cuda::DeviceBuffer<std::uint64_t> m_keys, m_sortedKeys;
    cuda::DeviceBuffer<unsigned> m_entries, m_sortedEntries;
    cuda::DeviceBuffer<unsigned char> m_temporary;
};

template <class T> struct RowChanges {
    const std::uint64_t* keys = nullptr;
    const unsigned* entries = nullptr;
    unsigned items = 0;
    unsigned rank[maxOrder] = {};
    T* factors[maxOrder] = {};
    const T* changes[maxOrder] = {};
    bool nonnegative = false;
};
/// Adds a batch's changes to each row in entry order, clipping after each. A warp owns a row; the same bits every run.
template <class T> void launchApplyChanges(const RowChanges<T>&, cudaStream_t stream);

} // namespace kernels::fasttucker_plus::gpu
