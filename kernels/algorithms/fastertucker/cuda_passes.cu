// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_passes.cuh"

#include "kernels/base/error.h"

#include <cooperative_groups.h>

#include <algorithm>

namespace kernels::fastertucker::gpu {
namespace {

using fasttucker_plus::gpu::add4;
using fasttucker_plus::gpu::clip4;
using fasttucker_plus::gpu::load4;
using fasttucker_plus::gpu::store4;
using fasttucker_plus::gpu::Vec4;

constexpr unsigned blockThreads = 256;

/// Four columns of a row that nobody writes meanwhile, from any precision into the masters'.
template <class T> __device__ __forceinline__ Vec4<T> fetch(const T* p)
{
    if constexpr (std::is_same_v<T, float>) {
        const float4 x = __ldg(reinterpret_cast<const float4*>(p));
        return {{x.x, x.y, x.z, x.w}};
    } else {
        const double2 x = __ldg(reinterpret_cast<const double2*>(p)), y = __ldg(reinterpret_cast<const double2*>(p) + 1);
        return {{x.x, x.y, y.x, y.y}};
    }
}
__device__ __forceinline__ Vec4<float> fetch(const __half* p)
{
    const uint2 x = __ldg(reinterpret_cast<const uint2*>(p));
    const float2 a = __half22float2(*reinterpret_cast<const __half2*>(&x.x)), b = __half22float2(*reinterpret_cast<const __half2*>(&x.y));
    return {{a.x, a.y, b.x, b.y}};
}
__device__ __forceinline__ Vec4<float> fetch(const __nv_bfloat16* p)
{
    const uint2 x = __ldg(reinterpret_cast<const uint2*>(p)); // a bf16 is the upper half of a float
    return {
        {__uint_as_float(x.x << 16), __uint_as_float(x.x & 0xFFFF0000u), __uint_as_float(x.y << 16), __uint_as_float(x.y & 0xFFFF0000u)}};
}

/// Four columns of a row that others may be adding to: past L1, which would keep an old copy.
__device__ __forceinline__ Vec4<float> fetchLatest(const float* p)
{
    const float4 x = __ldcg(reinterpret_cast<const float4*>(p));
    return {{x.x, x.y, x.z, x.w}};
}
__device__ __forceinline__ Vec4<double> fetchLatest(const double* p)
{
    const double2 x = __ldcg(reinterpret_cast<const double2*>(p)), y = __ldcg(reinterpret_cast<const double2*>(p) + 1);
    return {{x.x, x.y, y.x, y.y}};
}

template <unsigned Lanes> using Group = cooperative_groups::thread_block_tile<Lanes>;
template <unsigned Lanes> __device__ __forceinline__ Group<Lanes> thisGroup()
{
    return cooperative_groups::tiled_partition<Lanes>(cooperative_groups::this_thread_block());
}
template <unsigned Lanes> __device__ __forceinline__ Count groupNumber()
{
    return (Count{blockIdx.x} * blockThreads + threadIdx.x) / Lanes;
}
template <unsigned Lanes> __device__ __forceinline__ Count groupCount() { return Count{gridDim.x} * (blockThreads / Lanes); }

template <unsigned Lanes, class T> __device__ __forceinline__ T dot(const Group<Lanes>& group, const Vec4<T>& a, const Vec4<T>& b)
{
    T sum = (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
#pragma unroll
    for (unsigned offset = Lanes / 2; offset > 0; offset /= 2)
        sum += group.shfl_xor(sum, offset);
    return sum;
}

/// out += factor · v M: v spread over the group, M of `depth` rows, this lane's four columns of it.
template <unsigned Lanes, class T>
__device__ __forceinline__ void addProduct(const Group<Lanes>& group, Vec4<T>& out, T factor, const Vec4<T>& v, const T* matrix,
                                           unsigned depth)
{
    const T* row = matrix + 4 * group.thread_rank();
    for (unsigned q = 0; q < (depth + 3) / 4; ++q) {
#pragma unroll
        for (unsigned x = 0; x < 4; ++x) {
            const T by = factor * group.shfl(v[x], q);
            const Vec4<T> m = fetch(row);
            row += 4 * Lanes;
#pragma unroll
            for (unsigned y = 0; y < 4; ++y)
                out[y] += by * m[y];
        }
    }
}

/// w = ∘ c^(k), this lane's four columns. Others: how many, or 0: known at run time only.
template <unsigned Lanes, unsigned Others, class T, class S, class IndexOf>
__device__ __forceinline__ Vec4<T> multiplyOthers(const RowArguments<T, S>& p, unsigned column, const IndexOf& indexOf)
{
    const auto row = [&](unsigned k) { return fetch(p.projections[k] + std::size_t{indexOf(k)} * (4 * Lanes) + column); };
    Vec4<T> w = row(0);
    const unsigned others = Others ? Others : p.others;
#pragma unroll
    for (unsigned k = 1; k < others; ++k) {
        const Vec4<T> c = row(k);
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            w[x] *= c[x];
    }
    return w;
}

/// 16 neighbouring entries, read by the lanes together: what each would read for itself lies in lines of its own for every group
/// and costs more than the rows. Columns are padded to whole blocks. Others as above; 0 leaves indices where they are.
template <unsigned Lanes, unsigned Others, class T> struct EntryBlock {
    static constexpr unsigned perLane = Lanes < 16 ? 16 / Lanes : 1;
    T values[perLane];
    Index indices[Others ? Others : 1][perLane];

    template <class S> __device__ __forceinline__ void read(const Group<Lanes>& group, const RowArguments<T, S>& p, std::uint32_t begin)
    {
        const std::uint32_t first = begin + group.thread_rank() * perLane % entryBlock;
        copy(values, p.values + first);
        if constexpr (Others > 0) {
#pragma unroll
            for (unsigned k = 0; k < Others; ++k)
                copy(indices[k], p.indices[k] + first);
        }
    }
    __device__ __forceinline__ T value(const Group<Lanes>& group, unsigned i) const { return group.shfl(values[i % perLane], i / perLane); }
    __device__ __forceinline__ Index index(const Group<Lanes>& group, unsigned k, unsigned i) const
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
__device__ __forceinline__ void multiplyColumns(const Group<Lanes>& group, const RowArguments<T, S>& p, std::uint32_t blockBegin,
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

/// z += Σ e w over entries [begin, end) of a block; they are of one row, whose projection is c.
template <unsigned Lanes, unsigned Others, class T, class S>
__device__ __forceinline__ void addBlock(const Group<Lanes>& group, const RowArguments<T, S>& p, const EntryBlock<Lanes, Others, T>& block,
                                         std::uint32_t blockBegin, const Vec4<T>& c, std::uint32_t begin, std::uint32_t end, Vec4<T>& z)
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
                w[i] = multiplyOthers<Lanes, Others>(p, column, [&](unsigned k) { return block.index(group, k, first + i); });
        } else {
            multiplyColumns<Lanes>(group, p, blockBegin, first, w);
        }
#pragma unroll
        for (unsigned i = 0; i < atOnce; ++i) {
            const std::uint32_t at = blockBegin + first + i;
            const T e = dot(group, c, w[i]) - block.value(group, first + i);
            const T by = at >= begin && at < end ? e : T(0);
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                z[x] += by * w[i][x];
        }
    }
}

template <class T> __device__ __forceinline__ T rateOf(const RowStep<T>& s, Index row)
{
    return s.rowScales ? s.rate * static_cast<T>(__ldg(s.rowScales + row)) : s.rate;
}

/// a ← keep a − B u of a row; a shared one is added to, and its projection, which came to c from `before`, too.
template <unsigned Lanes, class T, class S>
__device__ __forceinline__ void finishRow(const Group<Lanes>& group, const RowArguments<T, S>& p, const RowChunk& chunk, T keep,
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
}

/// c ← a B of a row as it stands.
template <unsigned Lanes, class T, class S>
__device__ __forceinline__ Vec4<T> projected(const Group<Lanes>& group, const RowArguments<T, S>& p, Index row)
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
template <class T, class S, unsigned Lanes, unsigned Others>
__global__ void __launch_bounds__(blockThreads, 2)
    updateRowsKernel(const __grid_constant__ RowArguments<T, S> p, const __grid_constant__ RowStep<T> s, const RowChunk* chunks, Count end,
                     Count groups)
{
    const Group<Lanes> group = thisGroup<Lanes>();
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
            addBlock(group, p, current, currentBegin, c, at, next, z);
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

template <class T, class S, unsigned Lanes, unsigned Others>
__global__ void __launch_bounds__(blockThreads)
    sumResidualsKernel(const __grid_constant__ RowArguments<T, S> p, const RowChunk* chunks, Count count, T* sums)
{
    const Group<Lanes> group = thisGroup<Lanes>();
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
            addBlock(group, p, current, blockBegin, c, chunk.begin, last, z);
        }
        store4(sums + i * (4 * Lanes) + column, z);
    }
}

/// A thread owns Side × Side elements of the Width × Width sum; chunks go through shared memory, some at a time.
template <class T, unsigned Width>
__global__ void __launch_bounds__(blockThreads)
    addOuterKernel(const RowChunk* chunks, Count count, const T* rows, const T* sums, double* partials)
{
    constexpr unsigned side = Width / 16, staged = 2048 / Width;
    __shared__ T a[staged][Width], z[staged][Width];
    const unsigned firstRow = threadIdx.x / 16 * side, firstColumn = threadIdx.x % 16 * side;
    T total[side][side] = {};
    const Count share = (count + gridDim.x - 1) / gridDim.x;
    const Count last = min(count, (blockIdx.x + 1) * share);
    for (Count first = blockIdx.x * share; first < last; first += staged) {
        for (unsigned i = threadIdx.x; i < staged * Width; i += blockThreads) {
            const Count chunk = first + i / Width;
            const bool there = chunk < last;
            a[i / Width][i % Width] = there ? rows[std::size_t{chunks[chunk].row} * Width + i % Width] : T(0);
            z[i / Width][i % Width] = there ? sums[chunk * Width + i % Width] : T(0);
        }
        __syncthreads();
#pragma unroll 4
        for (unsigned k = 0; k < staged; ++k)
#pragma unroll
            for (unsigned j = 0; j < side; ++j)
#pragma unroll
                for (unsigned r = 0; r < side; ++r)
                    total[j][r] += a[k][firstRow + j] * z[k][firstColumn + r];
        __syncthreads();
    }
#pragma unroll
    for (unsigned j = 0; j < side; ++j)
#pragma unroll
        for (unsigned r = 0; r < side; ++r)
            partials[std::size_t{blockIdx.x} * Width * Width + (firstRow + j) * Width + firstColumn + r] +=
                static_cast<double>(total[j][r]);
}

/// Fibres that a warp takes together: four a group.
template <unsigned Lanes> constexpr unsigned fibresTogether = 4 * (32 / Lanes);

/// d = B w of four fibres, so that a row of B is read once for them; fibres past the last are computed for nothing.
template <unsigned Lanes, unsigned Others, class T, class S>
__device__ __forceinline__ void deriveFour(const Group<Lanes>& group, const RowArguments<T, S>& p, Count first, Count last, Vec4<T> (&d)[4])
{
    const unsigned column = 4 * group.thread_rank();
    Vec4<T> w[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        w[i] = multiplyOthers<Lanes, Others>(p, column, [&](unsigned k) { return p.indices[k][min(first + i, last)]; });
        d[i] = {};
    }
    const T* row = p.returning + column;
    for (unsigned q = 0; q < (p.coreRank + 3) / 4; ++q)
#pragma unroll
        for (unsigned x = 0; x < 4; ++x, row += 4 * Lanes) {
            const Vec4<T> b = fetch(row);
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) {
                const T by = group.shfl(w[i][x], q);
#pragma unroll
                for (unsigned y = 0; y < 4; ++y)
                    d[i][y] += by * b[y];
            }
        }
}

/// A pass over the fibres of a tree whose leaves are the rows of one mode: w and d = B w of a fibre (or, not Reuse, of each of its
/// leaves), then of each leaf a ← a − γ (e d + λ a), e = a·d − x.
///
/// A warp takes some fibres, leaves their d in shared memory and deals their leaves to its groups, so that short and long fibres
/// keep all lanes busy; the leaves of a fibre are different rows. Bytes: 4N a fibre, 4 + sizeof(T) a leaf from memory; N − 1
/// projected rows a fibre and a row of A a leaf, read and added to.
template <class T, class S, unsigned Lanes, unsigned Others, bool Reuse>
__global__ void __launch_bounds__(blockThreads, 4)
    updateFibresKernel(const __grid_constant__ Fibres<T, S> fibres, const __grid_constant__ RowStep<T> s, Count begin, Count end,
                       Count warps)
{
    constexpr unsigned together = fibresTogether<Lanes>, groups = 32 / Lanes, width = 4 * Lanes;
    __shared__ std::uint32_t allBegins[blockThreads / 32][together + 1];
    __shared__ __align__(16) T allProducts[Reuse ? blockThreads / 32 : 1][Reuse ? together : 1][width];
    const Group<Lanes> group = thisGroup<Lanes>();
    const unsigned column = 4 * group.thread_rank(), warp = threadIdx.x / 32, lane = threadIdx.x % 32, number = lane / Lanes;
    const RowArguments<T, S>& p = fibres.problem;
    std::uint32_t* const begins = allBegins[warp];
    const Count warpNumber = Count{blockIdx.x} * (blockThreads / 32) + warp;
    for (Count first = begin + warpNumber * together; first < end && warpNumber < warps; first += warps * together) {
        for (unsigned i = lane; i <= together; i += 32)
            begins[i] = fibres.begins[min(first + i, end)];
        if constexpr (Reuse) {
            Vec4<T> d[4];
            deriveFour<Lanes, Others>(group, p, first + 4 * number, end - 1, d);
#pragma unroll
            for (unsigned i = 0; i < 4; ++i)
                store4(&allProducts[warp][4 * number + i][column], d[i]);
        }
        __syncwarp();
        for (std::uint32_t leaf = begins[0] + number; leaf < begins[together]; leaf += groups) {
            unsigned fibre = 0; // the last that begins at or before the leaf
#pragma unroll
            for (unsigned step = together / 2; step > 0; step /= 2)
                fibre += begins[fibre + step] <= leaf ? step : 0;
            const Index index = fibres.leaves[leaf];
            T* const row = p.rows + std::size_t{index} * width + column;
            const Vec4<T> a = fetchLatest(row);
            Vec4<T> d = {};
            if constexpr (Reuse) {
                d = load4(&allProducts[warp][fibre][column]);
            } else {
                const Vec4<T> w = multiplyOthers<Lanes, Others>(p, column, [&](unsigned k) { return p.indices[k][first + fibre]; });
                addProduct(group, d, T(1), w, p.returning, p.coreRank);
            }
            const T e = dot(group, a, d) - p.values[leaf];
            const T rate = rateOf(s, index);
            Vec4<T> change;
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                change[x] = -rate * (e * d[x] + s.lambda * a[x]);
            add4(row, change);
            if (s.nonnegative)
                clip4(row, change);
        }
        __syncwarp(); // what is in shared memory is read no more
    }
}

template <class S> struct Kept {
    template <class T> static __device__ S from(T x) { return static_cast<S>(x); }
};
template <> struct Kept<__half> {
    static __device__ __half from(float x) { return __float2half(fminf(fmaxf(x, -65504.0f), 65504.0f)); }
};
template <> struct Kept<__nv_bfloat16> {
    static __device__ __nv_bfloat16 from(float x) { return __float2bfloat16(x); }
};

template <class T, class S>
__global__ void __launch_bounds__(blockThreads)
    projectKernel(S* projections, const T* rows, const T* core, std::size_t quads, unsigned width)
{
    const std::size_t step = std::size_t{gridDim.x} * blockThreads;
    for (std::size_t i = std::size_t{blockIdx.x} * blockThreads + threadIdx.x; i < quads; i += step) {
        const T* const row = rows + i / (width / 4) * width;
        const T* columns = core + 4 * (i % (width / 4));
        Vec4<T> c = {};
        for (unsigned k = 0; k < width; ++k, columns += width) {
            const Vec4<T> b = fetch(columns);
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                c[x] += row[k] * b[x];
        }
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            projections[4 * i + x] = Kept<S>::from(c[x]);
    }
}

template <class T> __global__ void gramKernel(T* gram, const T* core, unsigned width)
{
    T sum = 0;
    for (unsigned j = 0; j < width; ++j)
        sum += core[j * width + blockIdx.x] * core[j * width + threadIdx.x];
    gram[blockIdx.x * width + threadIdx.x] = sum;
}

/// Calls f with kernels' compile-time lanes and number of other modes, 0 for any but two.
template <class F> void dispatchShape(unsigned width, unsigned others, const F& f)
{
    const auto withOthers = [&](auto lanes) {
        if (others == 2)
            f(lanes, std::integral_constant<unsigned, 2>{});
        else
            f(lanes, std::integral_constant<unsigned, 0>{});
    };
    switch (width) {
    case 16:
        return withOthers(std::integral_constant<unsigned, 4>{});
    case 32:
        return withOthers(std::integral_constant<unsigned, 8>{});
    case 64:
        return withOthers(std::integral_constant<unsigned, 16>{});
    default:
        return withOthers(std::integral_constant<unsigned, 32>{});
    }
}

template <class Kernel> unsigned residentBlocks(Kernel kernel)
{
    int device = 0, processors = 0, blocks = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, blockThreads, 0));
    return static_cast<unsigned>(std::max(blocks * processors, 1));
}

unsigned blocksFor(Count groups, unsigned lanes)
{
    const unsigned perBlock = blockThreads / lanes;
    return static_cast<unsigned>(std::max<Count>((groups + perBlock - 1) / perBlock, 1));
}

} // namespace

template <class T, class S>
void launchUpdateRows(const RowArguments<T, S>& problem, const RowStep<T>& step, const RowChunk* chunks, Count begin, Count end,
                      unsigned mostGroups, cudaStream_t stream)
{
    dispatchShape(problem.width, problem.others, [&](auto lanes, auto others) {
        const auto kernel = updateRowsKernel<T, S, lanes(), others()>;
        const Count groups = std::min<Count>({end - begin, mostGroups, Count{residentBlocks(kernel)} * (blockThreads / lanes())});
        kernel<<<blocksFor(groups, lanes()), blockThreads, 0, stream>>>(problem, step, chunks + begin, end - begin, groups);
    });
    CUDA_CHECK_LAUNCH();
}

template <class T, class S>
void launchSumResiduals(const RowArguments<T, S>& problem, const RowChunk* chunks, Count begin, Count end, T* sums, cudaStream_t stream)
{
    dispatchShape(problem.width, problem.others, [&](auto lanes, auto others) {
        const auto kernel = sumResidualsKernel<T, S, lanes(), others()>;
        const unsigned blocks = std::min(blocksFor(end - begin, lanes()), residentBlocks(kernel));
        kernel<<<blocks, blockThreads, 0, stream>>>(problem, chunks + begin, end - begin, sums);
    });
    CUDA_CHECK_LAUNCH();
}

template <class T>
void launchAddOuter(const RowChunk* chunks, Count begin, Count end, const T* rows, const T* sums, unsigned width, unsigned blocks,
                    double* partials, cudaStream_t stream)
{
    const auto kernel = width == 16 ? addOuterKernel<T, 16>
        : width == 32               ? addOuterKernel<T, 32>
        : width == 64               ? addOuterKernel<T, 64>
                                    : addOuterKernel<T, 128>;
    kernel<<<blocks, blockThreads, 0, stream>>>(chunks + begin, end - begin, rows, sums, partials);
    CUDA_CHECK_LAUNCH();
}

template <class T, class S>
void launchUpdateFibres(const Fibres<T, S>& fibres, const RowStep<T>& step, Count begin, Count end, unsigned mostGroups,
                        cudaStream_t stream)
{
    dispatchShape(fibres.problem.width, fibres.problem.others, [&](auto lanes, auto others) {
        const auto kernel =
            fibres.reuse ? updateFibresKernel<T, S, lanes(), others(), true> : updateFibresKernel<T, S, lanes(), others(), false>;
        constexpr unsigned perBlock = blockThreads / 32;
        const Count wanted = (end - begin + fibresTogether<lanes()> - 1) / fibresTogether<lanes()>;
        const Count most = std::max<Count>(mostGroups / (32 / lanes()), 1);
        const Count warps = std::min<Count>({wanted, most, Count{residentBlocks(kernel)} * perBlock});
        kernel<<<static_cast<unsigned>((warps + perBlock - 1) / perBlock), blockThreads, 0, stream>>>(fibres, step, begin, end, warps);
    });
    CUDA_CHECK_LAUNCH();
}

template <class T, class S>
void launchProject(S* projections, const T* rows, const T* core, std::size_t count, unsigned width, cudaStream_t stream)
{
    const std::size_t quads = count * (width / 4);
    const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>((quads + blockThreads - 1) / blockThreads, 1, 1 << 16));
    projectKernel<<<blocks, blockThreads, 0, stream>>>(projections, rows, core, quads, width);
    CUDA_CHECK_LAUNCH();
}

template <class T> void launchGram(T* gram, const T* core, unsigned width, cudaStream_t stream)
{
    gramKernel<<<width, width, 0, stream>>>(gram, core, width);
    CUDA_CHECK_LAUNCH();
}

template <class T, class S> unsigned groupsOfRows(unsigned width, unsigned others)
{
    unsigned groups = 0;
    dispatchShape(width, others, [&](auto lanes, auto number) {
        groups = residentBlocks(updateRowsKernel<T, S, lanes(), number()>) * (blockThreads / lanes());
    });
    return groups;
}

template <class T, class S> unsigned groupsOfFibres(unsigned width, unsigned others)
{
    unsigned groups = 0;
    dispatchShape(width, others, [&](auto lanes, auto number) {
        groups = residentBlocks(updateFibresKernel<T, S, lanes(), number(), true>) * (blockThreads / lanes());
    });
    return groups;
}

#define POLYAD_INSTANCES(T, S)                                                                                                             \
    template void launchUpdateRows(const RowArguments<T, S>&, const RowStep<T>&, const RowChunk*, Count, Count, unsigned, cudaStream_t);   \
    template void launchSumResiduals(const RowArguments<T, S>&, const RowChunk*, Count, Count, T*, cudaStream_t);                          \
    template void launchUpdateFibres(const Fibres<T, S>&, const RowStep<T>&, Count, Count, unsigned, cudaStream_t);                        \
    template void launchProject(S*, const T*, const T*, std::size_t, unsigned, cudaStream_t);                                              \
    template unsigned groupsOfRows<T, S>(unsigned, unsigned);                                                                              \
    template unsigned groupsOfFibres<T, S>(unsigned, unsigned);
POLYAD_INSTANCES(float, float)
POLYAD_INSTANCES(float, __half)
POLYAD_INSTANCES(float, __nv_bfloat16)
POLYAD_INSTANCES(double, double)
#undef POLYAD_INSTANCES
template void launchAddOuter(const RowChunk*, Count, Count, const float*, const float*, unsigned, unsigned, double*, cudaStream_t);
template void launchAddOuter(const RowChunk*, Count, Count, const double*, const double*, unsigned, unsigned, double*, cudaStream_t);
template void launchGram(float*, const float*, unsigned, cudaStream_t);
template void launchGram(double*, const double*, unsigned, cudaStream_t);

} // namespace kernels::fastertucker::gpu
