// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fastertucker/cuda_lanes.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_products.cuh"

namespace kernels::fastertucker::gpu {

/// Who of a warp has which fibres of a chunk and which columns of their rows. On CUDA cores a lane has four columns, on tensor
/// cores four of every 16, which is what a lane has of a left-hand fragment.
template <Precision P, unsigned Width> struct FibreShape {
    using T = typename Numbers<P>::T;
    static constexpr unsigned lanes = onTensorCores<P> ? 4 : Width / 4; ///< of a group
    static constexpr unsigned slabs = Width / (4 * lanes); ///< parts of a row
    static constexpr unsigned groups = 32 / lanes;
    static constexpr unsigned perGroup = slabs > 1 ? 2 : 4; ///< fibres
    static constexpr unsigned chunk = groups * perGroup;
    static constexpr unsigned atOnce = slabs > 2 ? 1 : slabs > 1 ? 2 : 4; ///< rows of a group under way together
    static constexpr unsigned warps = chunk * Width * sizeof(T) > 4096 && sizeof(T) == 4 ? 4 : 8; ///< of a block
    static constexpr unsigned blocks = sizeof(T) == 8 ? 2 : slabs < 2 ? 4 : slabs < 8 ? 3 : 4; ///< a multiprocessor has room for
    static_assert(fibreBlock % chunk == 0);
};

/// A group's part of a row, or of a few.
template <class Shape> struct Part {
    using T = typename Shape::T;
    Vec4<T> at[Shape::slabs];
};

/// A warp at work on a chunk of fibres. Damped: rows step by damped errors.
template <Precision P, unsigned Width, unsigned Others, bool Damped> struct FibreWarp {
    using T = typename Numbers<P>::T;
    using Shape = FibreShape<P, Width>;
    using Part = gpu::Part<Shape>;

    const Fibres<P>& fibres;
    const RowStep<T>& step;
    T* derived; ///< d of every fibre of the chunk, in shared memory
    T* share; ///< of e, where steps are damped, 1 / (1 + damping |w|²): of every fibre of the chunk, in shared memory
    std::uint32_t* restBegins; ///< of every fibre of the chunk and the one after it, in shared memory
    LaneGroup<Shape::lanes> group = thisGroup<Shape::lanes>();
    unsigned lane = threadIdx.x % 32, number = threadIdx.x % 32 / Shape::lanes;
    unsigned column = 4 * group.thread_rank();
    Count first = 0; ///< fibre of the chunk

    // ---- d = B w ----------------------------------------------------------------------------------------

    /// Of the perGroup fibres whose indices these are; leaves them at the group's places of the chunk.
    template <class IndexOf> __device__ __forceinline__ void derive(const IndexOf& indexOf) const
    {
        if constexpr (onTensorCores<P>)
            deriveOnTensorCores(indexOf);
        else
            deriveOnCudaCores(indexOf);
    }

    /// A row of B is read once for all of them.
    template <class IndexOf> __device__ __forceinline__ void deriveOnCudaCores(const IndexOf& indexOf) const
    {
        const auto& p = fibres.problem;
        Vec4<T> w[Shape::perGroup], d[Shape::perGroup];
#pragma unroll
        for (unsigned i = 0; i < Shape::perGroup; ++i) {
            w[i] = multiplyOthers<Width, Others>(p, column, [&](unsigned k) { return indexOf(k, i); });
            d[i] = {};
            if constexpr (Damped)
                leaveShare(i, squares(w[i]));
        }
        const T* row = p.returning + column;
        for (unsigned q = 0; q < (p.coreRank + 3) / 4; ++q)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x, row += Width) {
                const Vec4<T> b = fetch(row);
#pragma unroll
                for (unsigned i = 0; i < Shape::perGroup; ++i) {
                    const T by = group.shfl(w[i][x], q);
#pragma unroll
                    for (unsigned y = 0; y < 4; ++y)
                        d[i][y] += by * b[y];
                }
            }
#pragma unroll
        for (unsigned i = 0; i < Shape::perGroup; ++i)
            store4(derivedOf(ownFibre(i)) + column, d[i]);
    }

    /// Two fibres a group make a tile of 16.
    template <class IndexOf> __device__ __forceinline__ void deriveOnTensorCores(const IndexOf& indexOf) const
    {
        using Products = fasttucker_plus::gpu::Products<P>;
#pragma unroll
        for (unsigned i = 0; i < Shape::perGroup; i += 2) {
            typename Products::Left w[Shape::slabs];
            T steep[2] = {};
#pragma unroll
            for (unsigned s = 0; s < Shape::slabs; ++s) {
                const Vec4<T> one = factorOf(indexOf, s, i), other = factorOf(indexOf, s, i + 1);
                w[s] = Products::left(one, other);
                if constexpr (Damped) {
                    steep[0] += squares(one);
                    steep[1] += squares(other);
                }
            }
            if constexpr (Damped)
#pragma unroll
                for (unsigned h = 0; h < 2; ++h)
                    leaveShare(i + h, steep[h]);
#pragma unroll(Shape::slabs > 2 ? 1 : Shape::slabs)
            for (unsigned q = 0; q < Shape::slabs; ++q) {
                Vec4<T> d[2] = {};
#pragma unroll
                for (unsigned s = 0; s < Shape::slabs; ++s)
                    Products::multiply(d, w[s], operand<typename Products::Right>(q * Shape::slabs + s));
#pragma unroll
                for (unsigned h = 0; h < 2; ++h) {
#pragma unroll
                    for (unsigned x = 0; x < 4; ++x)
                        d[h][x] *= fibres.derivedScale;
                    store4(derivedOf(ownFibre(i + h)) + column + 16 * q, d[h]);
                }
            }
        }
    }
    template <class IndexOf> __device__ __forceinline__ Vec4<T> factorOf(const IndexOf& indexOf, unsigned slab, unsigned i) const
    {
        Vec4<T> w = multiplyOthers<Width, Others>(fibres.problem, column + 16 * slab, [&](unsigned k) { return indexOf(k, i); });
        if constexpr (P == Precision::Fp16)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                w[x] = withinHalf(w[x]);
        return w;
    }
    template <class Right> __device__ __forceinline__ Right operand(unsigned block) const
    {
        constexpr unsigned pieces = sizeof(Right) / sizeof(uint4);
        Right right;
#pragma unroll
        for (unsigned p = 0; p < pieces; ++p)
            reinterpret_cast<uint4*>(&right)[p] = __ldg(fibres.operand + (block * pieces + p) * 32 + lane);
        return right;
    }

    /// What a lane has of |w|², w as it is kept.
    static __device__ __forceinline__ T squares(const Vec4<T>& w) { return (w[0] * w[0] + w[1] * w[1]) + (w[2] * w[2] + w[3] * w[3]); }
    /// Of one of the group's fibres, from what its lanes have of |w|².
    __device__ __forceinline__ void leaveShare(unsigned i, T squares) const
    {
#pragma unroll
        for (unsigned offset = Shape::lanes / 2; offset > 0; offset /= 2)
            squares += group.shfl_xor(squares, offset);
        const T scale = fibres.problem.productScale;
        if (group.thread_rank() == 0)
            share[ownFibre(i)] = T(1) / (T(1) + step.damping * scale * scale * squares);
    }

    /// Of the chunk's fibres. Columns are padded to whole chunks.
    __device__ __forceinline__ void deriveAll() const
    {
        struct alignas(Shape::perGroup * sizeof(Index)) Several {
            Index at[Shape::perGroup];
        };
        const auto& p = fibres.problem;
        const Count own = first + ownFibre(0);
        Several indices[Others ? Others : 1];
        if constexpr (Others > 0) {
#pragma unroll
            for (unsigned k = 0; k < Others; ++k)
                indices[k] = *reinterpret_cast<const Several*>(p.indices[k] + own);
            derive([&](unsigned k, unsigned i) { return indices[k].at[i]; });
        } else
            derive([&](unsigned k, unsigned i) { return p.indices[k][own + i]; });
    }

    // ---- a ← a − γ (e d + λ a) --------------------------------------------------------------------------

    /// Leaves of fibres, each from its row as it stands; leaf(i) says which, of which fibre, or none.
    struct Leaf {
        Index row = 0;
        T value = 0;
        unsigned fibre = 0;
        bool there = false;
    };
    template <unsigned Leaves, class LeafOf> __device__ __forceinline__ void renewApart(const LeafOf& leafOf) const
    {
        Leaf leaves[Leaves];
        Part a[Leaves];
#pragma unroll
        for (unsigned i = 0; i < Leaves; ++i)
            leaves[i] = leafOf(i);
#pragma unroll
        for (unsigned i = 0; i < Leaves; ++i)
            if (leaves[i].there)
                a[i] = fetchRow(leaves[i].row);
#pragma unroll
        for (unsigned i = 0; i < Leaves; ++i)
            if (leaves[i].there)
                addToRow(leaves[i].row, change(a[i], leaves[i].fibre, leaves[i].value, rateOf(step, leaves[i].row)));
    }

    /// The fibres' first leaves.
    __device__ __forceinline__ void renewFirst() const
    {
        const Count last = min(first + Shape::chunk, fibres.count) - 1;
        if (fibres.combine && fibres.firstLeaves[first] == fibres.firstLeaves[last]) {
            renewTogether(fibres.firstLeaves[first], static_cast<unsigned>(last - first));
            return;
        }
#pragma unroll
        for (unsigned begin = 0; begin < Shape::perGroup; begin += Shape::atOnce)
            renewApart<Shape::atOnce>([&](unsigned i) {
                const unsigned fibre = ownFibre(begin + i);
                return Leaf{fibres.firstLeaves[first + fibre], fibres.firstValues[first + fibre], fibre, first + fibre <= last};
            });
    }

    /// All of one row: every group sees what its own have changed, and all changes are added at once.
    __device__ __forceinline__ void renewTogether(Index row, unsigned last) const
    {
        const T rate = rateOf(step, row);
        Part a = fetchRow(row), moved = {};
#pragma unroll
        for (unsigned i = 0; i < Shape::perGroup; ++i) {
            const unsigned fibre = ownFibre(i);
            if (fibre > last)
                continue;
            const Part by = change(a, fibre, fibres.firstValues[first + fibre], rate);
            add(a, by);
            add(moved, by);
        }
        __syncwarp();
#pragma unroll
        for (unsigned s = 0; s < Shape::slabs; ++s)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
#pragma unroll
                for (unsigned offset = Shape::lanes; offset < 32; offset *= 2)
                    moved.at[s][x] += __shfl_xor_sync(~0u, moved.at[s][x], offset);
        if (number == 0)
            addToRow(row, moved);
    }

    /// All other leaves, dealt to all groups, so that short and long fibres keep all lanes busy.
    __device__ __forceinline__ void renewRest() const
    {
        const std::uint32_t end = restBegins[Shape::chunk];
        for (std::uint32_t begin = restBegins[0] + number; begin < end; begin += Shape::groups * Shape::atOnce)
            renewApart<Shape::atOnce>([&](unsigned i) { return restLeaf(begin + i * Shape::groups, end); });
    }

    /// The same with w and d of every leaf's own.
    __device__ __forceinline__ void renewRestLeafByLeaf() const
    {
        const auto& p = fibres.problem;
        const std::uint32_t end = restBegins[Shape::chunk];
        for (std::uint32_t begin = restBegins[0]; begin < end; begin += Shape::chunk) {
            Leaf leaves[Shape::perGroup];
#pragma unroll
            for (unsigned i = 0; i < Shape::perGroup; ++i)
                leaves[i] = restLeaf(begin + ownFibre(i), end);
            derive([&](unsigned k, unsigned i) { return p.indices[k][first + leaves[i].fibre]; });
            if constexpr (Damped)
                __syncwarp(); // the share is another lane's
#pragma unroll
            for (unsigned i = 0; i < Shape::perGroup; ++i)
                leaves[i].fibre = ownFibre(i); // where its d is now
#pragma unroll
            for (unsigned part = 0; part < Shape::perGroup; part += Shape::atOnce)
                renewApart<Shape::atOnce>([&](unsigned i) { return leaves[part + i]; });
            __syncwarp(); // groups may have had nothing to do; the next products take the whole warp
        }
    }

private:
    __device__ __forceinline__ unsigned ownFibre(unsigned i) const { return Shape::perGroup * number + i; }
    __device__ __forceinline__ T* derivedOf(unsigned fibre) const { return derived + fibre * Width; }

    __device__ __forceinline__ Leaf restLeaf(std::uint32_t leaf, std::uint32_t end) const
    {
        if (leaf >= end)
            return {};
        unsigned fibre = 0; // the last that begins at or before the leaf
#pragma unroll
        for (unsigned half = Shape::chunk / 2; half > 0; half /= 2)
            fibre += restBegins[fibre + half] <= leaf ? half : 0;
        return {fibres.restLeaves[leaf], fibres.restValues[leaf], fibre, true};
    }

    __device__ __forceinline__ T* rowAt(Index row) const { return fibres.problem.rows + std::size_t{row} * Width + column; }
    __device__ __forceinline__ Part fetchRow(Index row) const
    {
        Part a;
#pragma unroll
        for (unsigned s = 0; s < Shape::slabs; ++s)
            a.at[s] = fetchLatest(rowAt(row) + 16 * s);
        return a;
    }
    __device__ __forceinline__ void addToRow(Index row, const Part& by) const
    {
#pragma unroll
        for (unsigned s = 0; s < Shape::slabs; ++s) {
            add4(rowAt(row) + 16 * s, by.at[s]);
            if (step.nonnegative)
                clip4(rowAt(row) + 16 * s, by.at[s]);
        }
    }
    static __device__ __forceinline__ void add(Part& to, const Part& by)
    {
#pragma unroll
        for (unsigned s = 0; s < Shape::slabs; ++s)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                to.at[s][x] += by.at[s][x];
    }

    __device__ __forceinline__ Part change(const Part& a, unsigned fibre, T value, T rate) const
    {
        Part d;
        T e = 0;
#pragma unroll
        for (unsigned s = 0; s < Shape::slabs; ++s) {
            d.at[s] = load4(derivedOf(fibre) + column + 16 * s);
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                e += a.at[s][x] * d.at[s][x];
        }
#pragma unroll
        for (unsigned offset = Shape::lanes / 2; offset > 0; offset /= 2)
            e += group.shfl_xor(e, offset);
        e -= value;
        if constexpr (Damped)
            e *= share[fibre];
#pragma unroll
        for (unsigned s = 0; s < Shape::slabs; ++s)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                d.at[s][x] = -rate * (e * d.at[s][x] + step.lambda * a.at[s][x]);
        return d;
    }
};

/// A pass over the fibres of a tree whose leaves are the rows of one mode: w and d = B w of a fibre (or, not Reuse, of each of its
/// leaves), then of each leaf a ← a − γ (e d + λ a), e = a·d − x.
///
/// A warp takes a chunk of fibres and leaves their d in shared memory. Their first leaves are mostly of one row where rows are hot:
/// one addition then stands for all of them. Bytes: 4N + sizeof(T) a fibre, 4 + sizeof(T) a further leaf from memory; N − 1
/// projected rows a fibre; a row of A read and added to for each leaf, or once for a chunk's first leaves. A block is Shape::warps warps
/// that share nothing. Sums in T. Leaves' rows are read while others add to them: two runs differ, nothing is lost.
template <Precision P, unsigned Width, unsigned Others, bool Reuse, bool Damped>
__global__ void __launch_bounds__(32 * FibreShape<P, Width>::warps, FibreShape<P, Width>::blocks)
    updateFibresKernel(const __grid_constant__ Fibres<P> fibres, const __grid_constant__ RowStep<typename Numbers<P>::T> step, Count begin,
                       Count end, Count warps)
{
    using T = typename Numbers<P>::T;
    using Shape = FibreShape<P, Width>;
    __shared__ __align__(16) T derived[Shape::warps][Shape::chunk * Width];
    __shared__ T share[Damped ? Shape::warps : 1][Shape::chunk];
    __shared__ std::uint32_t restBegins[Shape::warps][Shape::chunk + 1];
    const unsigned warp = threadIdx.x / 32;
    FibreWarp<P, Width, Others, Damped> work{fibres, step, derived[warp], share[Damped ? warp : 0], restBegins[warp]};
    const Count number = Count{blockIdx.x} * Shape::warps + warp;
    if (number >= warps)
        return;
    for (Count i = begin + number; i < end; i += warps) {
        work.first = i * fibres.stride % fibres.chunks * Shape::chunk;
        for (unsigned f = work.lane; f <= Shape::chunk; f += 32)
            restBegins[warp][f] = fibres.restBegins[min(work.first + f, fibres.count)];
        work.deriveAll();
        __syncwarp();
        work.renewFirst();
        __syncwarp();
        if constexpr (Reuse)
            work.renewRest();
        else
            work.renewRestLeafByLeaf();
        __syncwarp(); // what is in shared memory is read no more
    }
}

template <Precision P>
void launchUpdateFibres(const Fibres<P>& fibres, const RowStep<typename Numbers<P>::T>& step, Count begin, Count end, unsigned mostGroups,
                        cudaStream_t stream)
{
    dispatchShape(fibres.problem.width, fibres.problem.others, [&](auto width, auto others) {
        using Shape = FibreShape<P, width()>;
        const auto kernelOf = [&](auto damped) {
            return fibres.reuse ? updateFibresKernel<P, width(), others(), true, damped()>
                                : updateFibresKernel<P, width(), others(), false, damped()>;
        };
        const auto kernel = step.damping > 0 ? kernelOf(std::true_type{}) : kernelOf(std::false_type{});
        const Count most = std::max<Count>(mostGroups / Shape::groups, 1);
        const Count warps = std::min<Count>({end - begin, most, Count{residentBlocks(kernel, 32 * Shape::warps)} * Shape::warps});
        kernel<<<static_cast<unsigned>((warps + Shape::warps - 1) / Shape::warps), 32 * Shape::warps, 0, stream>>>(fibres, step, begin, end,
                                                                                                                   warps);
    });
    CUDA_CHECK_LAUNCH();
}

template <Precision P> FibreGrid fibreGrid(unsigned width, unsigned others)
{
    FibreGrid grid;
    dispatchShape(width, others, [&](auto columns, auto number) {
        using Shape = FibreShape<P, columns()>;
        const unsigned blocks = residentBlocks(updateFibresKernel<P, columns(), number(), true, false>, 32 * Shape::warps);
        grid = {blocks * Shape::warps * Shape::groups, Shape::perGroup, Shape::chunk};
    });
    return grid;
}

#define POLYAD_FIBRE_PASS(P)                                                                                                               \
    template void launchUpdateFibres(const Fibres<P>&, const RowStep<typename Numbers<P>::T>&, Count, Count, unsigned, cudaStream_t);      \
    template FibreGrid fibreGrid<P>(unsigned, unsigned);

} // namespace kernels::fastertucker::gpu
