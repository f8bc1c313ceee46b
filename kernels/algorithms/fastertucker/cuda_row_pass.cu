// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_lanes.cuh"

namespace kernels::fastertucker::gpu {
namespace {

/// 16 neighbouring entries, read by the lanes together: what each would read for itself lies in lines of its own for every group
/// and costs more than the rows. Columns are padded to whole blocks. Others as of multiplyOthers(); 0 leaves indices where they are.
template <unsigned Lanes, unsigned Others, class T> struct EntryBlock {
    static constexpr unsigned perLane = Lanes < 16 ? 16 / Lanes : 1;
    alignas(16) T values[perLane];
    alignas(16) Index indices[Others ? Others : 1][perLane];

    template <class S> __device__ __forceinline__ void read(const LaneGroup<Lanes>& group, const RowArguments<T, S>& p, std::uint32_t begin)
    {
        const std::uint32_t first = begin + group.thread_rank() * perLane % entryBlock;
        copy(values, p.values + first);
        if constexpr (Others > 0) {
#pragma unroll
            for (unsigned k = 0; k < Others; ++k)
                copy(indices[k], p.indices[k] + first);
        }
    }
    __device__ __forceinline__ T value(const LaneGroup<Lanes>& group, unsigned i) const
    {
        return group.shfl(values[i % perLane], i / perLane);
    }
    __device__ __forceinline__ Index index(const LaneGroup<Lanes>& group, unsigned k, unsigned i) const
    {
        return group.shfl(indices[k][i % perLane], i / perLane);
    }

private:
    template <class E> static __device__ __forceinline__ void copy(E (&to)[perLane], const E* from)
    {
        struct alignas(sizeof(E) * perLane > 16 ? 16 : sizeof(E) * perLane) Several {
            E at[perLane];
        };
        *reinterpret_cast<Several*>(to) = *reinterpret_cast<const Several*>(from);
    }
};

/// w of some of a block's entries, where the number of other modes is known at run time only: column after column.
template <unsigned Lanes, unsigned Several, class T, class S>
__device__ __forceinline__ void multiplyColumns(const LaneGroup<Lanes>& group, const RowArguments<T, S>& p, std::uint32_t blockBegin,
                                                unsigned first, Vec4<T> (&w)[Several])
{
    const unsigned column = 4 * group.thread_rank();
    for (unsigned k = 0; k < p.others; ++k) {
        // Several is no more than the lanes hold in one go: a lane reads the index of one entry, or of none.
        const unsigned mine = group.thread_rank() % Several;
        const Index held = p.indices[k][blockBegin + first + mine];
        Vec4<T> c[Several];
#pragma unroll
        for (unsigned i = 0; i < Several; ++i)
            c[i] = fetch(p.projections[k] + std::size_t{group.shfl(held, i)} * (4 * Lanes) + column);
#pragma unroll
        for (unsigned i = 0; i < Several; ++i)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                w[i][x] = k == 0 ? c[i][x] : w[i][x] * c[i][x];
    }
}

/// z += Σ e w over entries [begin, end) of a block, or of damped errors; they are of one row, whose projection is c.
template <bool Damped, unsigned Lanes, unsigned Others, class T, class S>
__device__ __forceinline__ void addBlock(const LaneGroup<Lanes>& group, const RowArguments<T, S>& p,
                                         const EntryBlock<Lanes, Others, T>& block, std::uint32_t blockBegin, const Vec4<T>& c,
                                         std::uint32_t begin, std::uint32_t end, T damping, Vec4<T>& z)
{
    constexpr unsigned atOnce = 4; // rows under way together
    const unsigned column = 4 * group.thread_rank();
#pragma unroll
    for (unsigned first = 0; first < entryBlock; first += atOnce) {
        if (blockBegin + first + atOnce <= begin || blockBegin + first >= end)
            continue;
        Vec4<T> w[atOnce];
        if constexpr (Others > 0) {
#pragma unroll
            for (unsigned i = 0; i < atOnce; ++i)
                w[i] = multiplyOthers<4 * Lanes, Others>(p, column, [&](unsigned k) { return block.index(group, k, first + i); });
        } else {
            multiplyColumns<Lanes>(group, p, blockBegin, first, w);
        }
#pragma unroll
        for (unsigned i = 0; i < atOnce; ++i) {
            const std::uint32_t at = blockBegin + first + i;
            unscale(p, w[i]);
            T e = dot(group, c, w[i]) - block.value(group, first + i);
            if constexpr (Damped)
                e /= T(1) + damping * dot(group, w[i], w[i]);
            const T by = at >= begin && at < end ? e : T(0);
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                z[x] += by * w[i][x];
        }
    }
}

/// a ← keep a − B u of a row; a shared one is added to, and its projection, which came to c from `before`, too.
template <unsigned Lanes, class T, class S>
__device__ __forceinline__ void finishRow(const LaneGroup<Lanes>& group, const RowArguments<T, S>& p, const RowChunk& chunk, T keep,
                                          const Vec4<T>& u, const Vec4<T>& before, const Vec4<T>& c, bool nonnegative)
{
    const unsigned column = 4 * group.thread_rank();
    T* const row = p.rows + std::size_t{chunk.row} * (4 * Lanes) + column;
    Vec4<T> a = fetchLatest(row);
    Vec4<T> change;
#pragma unroll
    for (unsigned x = 0; x < 4; ++x)
        change[x] = (keep - 1) * a[x];
    addProduct(group, change, T(-1), u, p.returning, p.coreRank);
    if (chunk.shared) {
        add4(row, change);
        if (nonnegative) {
            clip4(row, change);
            return; // projections are taken from the rows then
        }
        Vec4<T> moved;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            moved[x] = c[x] - before[x];
        add4(p.own + std::size_t{chunk.row} * (4 * Lanes) + column, moved);
        return;
    }
#pragma unroll
    for (unsigned x = 0; x < 4; ++x)
        a[x] = nonnegative && a[x] + change[x] < 0 ? T(0) : a[x] + change[x];
    store4(row, a);
    if (!nonnegative)
        store4(p.own + std::size_t{chunk.row} * (4 * Lanes) + column, c); // where the row's next piece begins
}

/// c ← a B of a row as it stands.
template <unsigned Lanes, class T, class S>
__device__ __forceinline__ Vec4<T> projected(const LaneGroup<Lanes>& group, const RowArguments<T, S>& p, Index row)
{
    Vec4<T> c = {};
    addProduct(group, c, T(1), fetchLatest(p.rows + std::size_t{row} * (4 * Lanes) + 4 * group.thread_rank()), p.projecting, p.rank);
    return c;
}

/// A pass over the rows of one mode.
///
/// While it runs the other modes stand still, so an entry needs w = ∘ c^(k), x̂ = c·w and e alone: what J × R cost comes once a
/// tile, with z = Σ e w of its n entries:  c ← (1 − γλn) c − γ z BᵀB,  and once a chunk, with u the z's likewise added up:
/// a ← keep a − B u. Bytes an entry: 4(N−1) + sizeof(T) from memory; N − 1 projected rows, mostly from L2. Nothing is written for
/// an entry. Rows cut into several chunks are read and added to while others do the same; all else has the same bits every run.
template <class T, class S, unsigned Lanes, unsigned Others, bool Damped = false>
__global__ void __launch_bounds__(blockThreads, 2)
    updateRowsKernel(const __grid_constant__ RowArguments<T, S> p, const __grid_constant__ RowStep<T> s, const RowChunk* chunks, Count end,
                     Count groups)
{
    const LaneGroup<Lanes> group = thisGroup<Lanes>();
    for (Count i = groupNumber<Lanes>(); i < end && groupNumber<Lanes>() < groups; i += groups) {
        const RowChunk chunk = chunks[i];
        const T rate = rateOf(s, chunk.row);
        const std::uint32_t last = chunk.begin + chunk.length;
        std::uint32_t blockBegin = chunk.begin / entryBlock * entryBlock;
        EntryBlock<Lanes, Others, T> block;
        block.read(group, p, blockBegin);
        Vec4<T> c = s.nonnegative ? projected(group, p, chunk.row)
                                  : fetchLatest(p.own + std::size_t{chunk.row} * (4 * Lanes) + 4 * group.thread_rank());
        Vec4<T> before = c, u = {}, z = {};
        T kept = 1;
        std::uint32_t tileBegin = chunk.begin;
        for (std::uint32_t at = chunk.begin; at < last;) {
            const auto tileEnd = static_cast<std::uint32_t>(min(Count{last}, (Count{at} / s.tile + 1) * s.tile));
            const std::uint32_t next = min(tileEnd, blockBegin + entryBlock);
            const EntryBlock<Lanes, Others, T> current = block;
            const std::uint32_t currentBegin = blockBegin;
            if (next == blockBegin + entryBlock && next < last) {
                blockBegin = next;
                block.read(group, p, blockBegin); // under way while the rows of this one are waited for
            }
            addBlock<Damped>(group, p, current, currentBegin, c, at, next, s.damping, z);
            at = next;
            if (next < tileEnd)
                continue;
            const T keep = T(1) - rate * s.lambda * static_cast<T>(next - tileBegin);
#pragma unroll
            for (unsigned x = 0; x < 4; ++x) {
                c[x] *= keep;
                u[x] = keep * u[x] + rate * z[x];
            }
            kept *= keep;
            tileBegin = next;
            if (!s.nonnegative && next < last) {
                addProduct(group, c, -rate, z, p.gram, p.coreRank);
            } else if (s.nonnegative) { // clipped rows are brought up to date after every tile, others when the chunk ends
                finishRow(group, p, chunk, kept, u, before, c, true);
                c = projected(group, p, chunk.row);
                u = {};
                kept = 1;
            } else {
                addProduct(group, c, -rate, z, p.gram, p.coreRank);
                finishRow(group, p, chunk, kept, u, before, c, false);
            }
            z = {};
        }
    }
}

/// What updateRowsKernel reads of a chunk's entries and writes of its row, but for what clipping takes.
template <class T, class S, unsigned Lanes, unsigned Others>
__global__ void __launch_bounds__(blockThreads, 2)
    touchRowsKernel(const __grid_constant__ RowArguments<T, S> p, const RowChunk* chunks, Count count)
{
    const LaneGroup<Lanes> group = thisGroup<Lanes>();
    const unsigned column = 4 * group.thread_rank();
    for (Count i = groupNumber<Lanes>(); i < count; i += groupCount<Lanes>()) {
        const RowChunk chunk = chunks[i];
        const std::uint32_t last = chunk.begin + chunk.length;
        for (std::uint32_t blockBegin = chunk.begin / entryBlock * entryBlock; blockBegin < last; blockBegin += entryBlock) {
            EntryBlock<Lanes, Others, T> block;
            block.read(group, p, blockBegin);
            for (unsigned e = 0; e < entryBlock; ++e) {
                const std::uint32_t at = blockBegin + e;
                if (at < chunk.begin || at >= last)
                    continue;
                for (unsigned k = 0; k < p.others; ++k) {
                    Index index;
                    if constexpr (Others > 0)
                        index = block.index(group, k, e);
                    else
                        index = p.indices[k][at];
                    readOnly4(p.projections[k] + std::size_t{index} * (4 * Lanes) + column);
                }
            }
            for (const T value : block.values)
                asm volatile("" : : "r"(__float_as_int(static_cast<float>(value)))); // else it is not read
        }
        for (T* const rows : {p.rows, p.own})
            touch4(rows + std::size_t{chunk.row} * (4 * Lanes) + column);
    }
}

template <class T, class S, unsigned Lanes, unsigned Others>
__global__ void __launch_bounds__(blockThreads)
    sumResidualsKernel(const __grid_constant__ RowArguments<T, S> p, const RowChunk* chunks, Count count, T* sums)
{
    const LaneGroup<Lanes> group = thisGroup<Lanes>();
    const unsigned column = 4 * group.thread_rank();
    for (Count i = groupNumber<Lanes>(); i < count; i += groupCount<Lanes>()) {
        const RowChunk chunk = chunks[i];
        const std::uint32_t last = chunk.begin + chunk.length;
        std::uint32_t blockBegin = chunk.begin / entryBlock * entryBlock;
        EntryBlock<Lanes, Others, T> block;
        block.read(group, p, blockBegin);
        const Vec4<T> c = fetchLatest(p.own + std::size_t{chunk.row} * (4 * Lanes) + column);
        Vec4<T> z = {};
        for (; blockBegin < last; blockBegin += entryBlock) {
            const EntryBlock<Lanes, Others, T> current = block;
            if (blockBegin + entryBlock < last)
                block.read(group, p, blockBegin + entryBlock);
            addBlock<false>(group, p, current, blockBegin, c, chunk.begin, last, T(0), z);
        }
        store4(sums + i * (4 * Lanes) + column, z);
    }
}

} // namespace

template <class T, class S>
void launchUpdateRows(const RowArguments<T, S>& problem, const RowStep<T>& step, const RowChunk* chunks, Count begin, Count end,
                      unsigned mostGroups, cudaStream_t stream)
{
    dispatchShape(problem.width, problem.others, [&](auto columns, auto others) {
        constexpr unsigned lanes = columns() / 4;
        const auto kernel =
            step.damping > 0 ? updateRowsKernel<T, S, lanes, others(), true> : updateRowsKernel<T, S, lanes, others(), false>;
        const Count groups = std::min<Count>({end - begin, mostGroups, Count{residentBlocks(kernel)} * (blockThreads / lanes)});
        kernel<<<blocksFor(groups, lanes), blockThreads, 0, stream>>>(problem, step, chunks + begin, end - begin, groups);
    });
    CUDA_CHECK_LAUNCH();
}

template <class T, class S>
void launchSumResiduals(const RowArguments<T, S>& problem, const RowChunk* chunks, Count begin, Count end, T* sums, cudaStream_t stream)
{
    dispatchShape(problem.width, problem.others, [&](auto columns, auto others) {
        constexpr unsigned lanes = columns() / 4;
        const auto kernel = sumResidualsKernel<T, S, lanes, others()>;
        const unsigned blocks = std::min(blocksFor(end - begin, lanes), residentBlocks(kernel));
        kernel<<<blocks, blockThreads, 0, stream>>>(problem, chunks + begin, end - begin, sums);
    });
    CUDA_CHECK_LAUNCH();
}

template <class T, class S>
void launchTouchRows(const RowArguments<T, S>& problem, const RowChunk* chunks, Count begin, Count end, cudaStream_t stream)
{
    dispatchShape(problem.width, problem.others, [&](auto columns, auto others) {
        constexpr unsigned lanes = columns() / 4;
        const auto kernel = touchRowsKernel<T, S, lanes, others()>;
        const unsigned blocks = std::min(blocksFor(end - begin, lanes), residentBlocks(kernel));
        kernel<<<blocks, blockThreads, 0, stream>>>(problem, chunks + begin, end - begin);
    });
    CUDA_CHECK_LAUNCH();
}

template <class T, class S> unsigned groupsOfRows(unsigned width, unsigned others)
{
    unsigned groups = 0;
    dispatchShape(width, others, [&](auto columns, auto number) {
        groups = residentBlocks(updateRowsKernel<T, S, columns() / 4, number()>) * (blockThreads / (columns() / 4));
    });
    return groups;
}

#define POLYAD_INSTANCES(T, S)                                                                                                             \
    template void launchUpdateRows(const RowArguments<T, S>&, const RowStep<T>&, const RowChunk*, Count, Count, unsigned, cudaStream_t);   \
    template void launchSumResiduals(const RowArguments<T, S>&, const RowChunk*, Count, Count, T*, cudaStream_t);                          \
    template void launchTouchRows(const RowArguments<T, S>&, const RowChunk*, Count, Count, cudaStream_t);                                 \
    template unsigned groupsOfRows<T, S>(unsigned, unsigned);
POLYAD_INSTANCES(float, float)
POLYAD_INSTANCES(float, __half)
POLYAD_INSTANCES(float, __nv_bfloat16)
POLYAD_INSTANCES(double, double)
#undef POLYAD_INSTANCES

} // namespace kernels::fastertucker::gpu
