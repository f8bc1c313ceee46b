// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/bcsf_parts.h"
#include "kernels/operations/mttkrp/tree.cuh"

/// MTTKRP over a tree of fibres. The fibres of a unit are dealt out to the groups of a team one by one. A group takes a turn of up
/// to so many leaves of its fibre at once, four or, where most fibres have one, one, so that groups of a warp whose fibres differ in length
/// stay in step, and reads the leaves of its next turn while rows are under way. A lane has 16 bytes of the rows.
namespace kernels::mttkrp::gpu {

constexpr unsigned treeThreads = 256, treeWarps = treeThreads / 32;

/// What streams by: a miss brings its neighbours along.
template <class To> __device__ inline To readStream(const To* at)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (sizeof(To) == 4) {
        std::uint32_t bits;
        asm("ld.global.nc.L2::256B.b32 %0, [%1];" : "=r"(bits) : "l"(__cvta_generic_to_global(at)));
        return reinterpret_cast<const To&>(bits);
    } else {
        std::uint64_t bits;
        asm("ld.global.nc.L2::256B.b64 %0, [%1];" : "=l"(bits) : "l"(__cvta_generic_to_global(at)));
        return reinterpret_cast<const To&>(bits);
    }
#else
    return __ldg(at);
#endif
}

template <class T, unsigned Most> struct Turn {
    std::uint32_t fibre;
    Index index; ///< of the fibre
    unsigned count; ///< 0: all turns were taken
    Index leaves[Most];
    T values[Most];
};

/// Goes through every so manieth fibre, turn by turn. Pointers of the next fibre are read ahead.
template <class T, unsigned Most> class Turns {
public:
    __device__ Turns(const TreeArguments<T>& a, unsigned order, std::uint32_t first, std::uint32_t end, std::uint32_t step)
        : m_children(a.children[order - 2])
        , m_fibres(a.indices[order - 2])
        , m_leaves(a.indices[order - 1])
        , m_values(a.values)
        , m_step(step)
        , m_left(first < end ? end - first : 0)
        , m_nextFibre(first)
    {
        m_next = read();
    }

    __device__ Turn<T, Most> take()
    {
        if (m_here.at == m_here.end) {
            m_fibre = m_nextFibre;
            m_here = m_next;
            m_nextFibre += m_step;
            m_left = m_left > m_step ? m_left - m_step : 0;
            m_next = read();
        }
        Turn<T, Most> turn;
        turn.fibre = m_fibre;
        turn.index = m_here.index;
        turn.count = min(m_here.end - m_here.at, Most);
#pragma unroll
        for (unsigned i = 0; i < Most; ++i)
            if (i < turn.count) {
                turn.leaves[i] = readStream(m_leaves + m_here.at + i);
                turn.values[i] = readStream(m_values + m_here.at + i);
            }
        m_here.at += turn.count;
        return turn;
    }

private:
    struct Fibre {
        std::uint32_t at = 0, end = 0;
        Index index = 0;
    };

    __device__ Fibre read() const
    {
        if (m_left == 0)
            return {};
        return {__ldg(m_children + m_nextFibre), __ldg(m_children + m_nextFibre + 1), readStream(m_fibres + m_nextFibre)};
    }

    const std::uint32_t* m_children;
    const Index* m_fibres;
    const Index* m_leaves;
    const T* m_values;
    std::uint32_t m_step, m_left; ///< fibres from the next one on
    std::uint32_t m_fibre = 0, m_nextFibre;
    Fibre m_here, m_next;
};

template <class T> __device__ inline std::uint32_t beginOf(const TreeArguments<T>& a, unsigned level, std::uint32_t unit)
{
    return a.begins[level] ? __ldg(a.begins[level] + unit) : unit;
}

/// Nodes between root and fibres that a group stands below, and the product of all rows above the fibre but the target's.
template <class T, unsigned Order, bool FromRoot> struct Above {
    std::uint32_t nodes[Order ? Order : maxOrder];
    std::uint32_t lowestEnd = 0; ///< first fibre behind the lowest of them
    Part<T> product;

    /// Those of a unit's first fibre; `far`: of one somewhere in the unit.
    __device__ void begin(const TreeArguments<T>& a, unsigned order, std::uint32_t unit, std::uint32_t fibre, bool far)
    {
        const unsigned lowest = order - 3;
        std::uint32_t child = fibre;
        for (unsigned level = lowest; level >= 1; --level) {
            nodes[level] = beginOf(a, level, unit);
            if (far)
                nodes[level] = static_cast<std::uint32_t>(
                    formats::firstGreater(a.children[level], nodes[level], beginOf(a, level, unit + 1), child) - 1);
            child = nodes[level];
        }
        nodes[0] = beginOf(a, 0, unit);
    }
    /// To the nodes above a fibre further on; returns whether they are others, and at first.
    __device__ bool moveTo(const TreeArguments<T>& a, unsigned order, std::uint32_t fibre)
    {
        if (fibre < lowestEnd)
            return false;
        const unsigned lowest = order - 3;
        if (lowest == 0)
            lowestEnd = ~0U; // the root stays
        std::uint32_t child = fibre;
        for (unsigned level = lowest; level >= 1; --level) {
            std::uint32_t end = __ldg(a.children[level] + nodes[level] + 1);
            const bool stays = child < end;
            while (child >= end)
                end = __ldg(a.children[level] + ++nodes[level] + 1);
            if (level == lowest)
                lowestEnd = end;
            if (stays && level != lowest)
                break;
            child = nodes[level];
        }
        return true;
    }
    __device__ void multiply(const TreeArguments<T>& a, unsigned order, unsigned column, unsigned rowBytes)
    {
        const auto row = [&](unsigned level) { return readRow(a.rows[level] + column, __ldg(a.indices[level] + nodes[level]), rowBytes); };
        constexpr unsigned first = FromRoot ? 1 : 0; // never the target
        product = row(first);
        for (unsigned level = first + 1; level + 2 < order; ++level)
            if (level != a.target)
                product.multiply(row(level));
    }
};

/// Where rows are summed: at the root, where a team has one row; between root and leaves, where a group has a row for a while;
/// or at the leaves.
enum class Target { Root, Inner, Leaf };

/// A group's walk over its fibres of a unit.
template <class T, unsigned Order, Target target, unsigned Most> struct Walk {
    const TreeArguments<T>& a;
    const unsigned order, column, rowBytes;
    const bool mine; ///< the part is inside the row
    Part<T> sum = Part<T>::zero();
    std::uint32_t node = ~0U; ///< of an inner target, whose sum it is
    Index row = 0;

    __device__ void flush()
    {
        if (node != ~0U && mine)
            addAtomically(rowOf(a.out + column, row, rowBytes), sum);
        sum = Part<T>::zero();
    }

    __device__ void run(std::uint32_t unit, std::uint32_t first, std::uint32_t end, std::uint32_t step, bool far)
    {
        const unsigned fibreLevel = order - 2;
        const bool fibreCounts = fibreLevel != a.target; // its rows are multiplied by
        Above<T, Order, target == Target::Root> above;
        const bool hasAbove = order > (target == Target::Root ? 3 : 2);
        Turns<T, Most> turns(a, order, first, end, step);
        Turn<T, Most> now = turns.take();
        if (now.count == 0)
            return;
        if (hasAbove)
            above.begin(a, order, unit, now.fibre, far);
        while (now.count > 0) {
            Part<T> rows[Most], fibreRow;
            if constexpr (target != Target::Leaf) {
#pragma unroll
                for (unsigned i = 0; i < Most; ++i)
                    if (i < now.count)
                        rows[i] = readRow(a.rows[order - 1] + column, now.leaves[i], rowBytes);
            }
            if (fibreCounts)
                fibreRow = readRow(a.rows[fibreLevel] + column, now.index, rowBytes);
            const Turn<T, Most> next = turns.take();
            if (hasAbove && above.moveTo(a, order, now.fibre))
                above.multiply(a, order, column, rowBytes);
            if constexpr (target == Target::Inner) {
                const std::uint32_t at = fibreCounts ? above.nodes[Order == 4 ? 1 : a.target] : now.fibre;
                if (at != node) {
                    flush();
                    node = at;
                    row = fibreCounts ? __ldg(a.indices[a.target] + at) : now.index;
                }
            }
            if constexpr (target == Target::Leaf) {
                if (hasAbove && fibreCounts)
                    fibreRow.multiply(above.product);
#pragma unroll
                for (unsigned i = 0; i < Most; ++i)
                    if (i < now.count && mine) {
                        Part<T> product = fibreRow;
                        product.multiply(now.values[i]);
                        addAtomically(rowOf(a.out + column, now.leaves[i], rowBytes), product);
                    }
            } else {
                Part<T> fibreSum = Part<T>::zero();
#pragma unroll
                for (unsigned i = 0; i < Most; ++i)
                    if (i < now.count)
                        fibreSum.add(rows[i], now.values[i]);
                if (hasAbove)
                    fibreSum.multiply(above.product);
                if (fibreCounts)
                    sum.add(fibreSum, fibreRow);
                else
                    sum.add(fibreSum);
            }
            now = next;
        }
        if constexpr (target == Target::Inner)
            flush();
    }
};

/// A unit's sum of its root row, by one group of the team.
template <class T, unsigned Lanes>
__device__ void putRoot(const TreeArguments<T>& a, std::uint32_t unit, unsigned lane, unsigned column, bool mine, const Part<T>& sum)
{
    if (!mine)
        return;
    if (a.slots && a.slots[unit + 1] != a.slots[unit]) {
        reinterpret_cast<Part<T>*>(a.partials)[std::size_t{a.slots[unit]} * Lanes + lane] = sum;
        return;
    }
    T* const at = rowOf(a.out + column, a.indices[0][beginOf(a, 0, unit)], a.parts * 16);
    if (a.addsUp)
        addAtomically(at, sum);
    else
        *reinterpret_cast<Part<T>*>(at) = sum;
}

/// To the first group of a warp, or of the block.
template <class T, unsigned Lanes, Team team> __device__ void sumOfTeam(Part<T>& sum)
{
    __syncwarp();
#pragma unroll
    for (unsigned distance = 16; distance >= Lanes; distance /= 2)
        sum.add(sum.fromLane(distance));
    if constexpr (team == Team::Block) {
        __shared__ Part<T> sums[treeWarps][Lanes];
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        if (lane < Lanes)
            sums[warp][lane] = sum;
        __syncthreads();
        if (threadIdx.x < Lanes)
            for (unsigned w = 1; w < treeWarps; ++w)
                sum.add(sums[w][lane]);
    }
}

template <class T, unsigned Lanes, unsigned Order, Target target, Team team, unsigned Most>
__global__ void __launch_bounds__(treeThreads) treeKernel(const __grid_constant__ TreeArguments<T> a)
{
    constexpr unsigned groupsOfWarp = 32 / Lanes;
    const unsigned lane = threadIdx.x % Lanes, group = threadIdx.x % 32 / Lanes, warp = threadIdx.x / 32;
    const unsigned part = a.firstPart + lane, order = Order ? Order : a.order;
    const bool mine = part < a.parts;
    const unsigned column = (mine ? part : 0) * Part<T>::columns;
    Walk<T, Order, target, Most> walk{a, order, column, a.parts * 16, mine};
    const std::uint32_t unit = team == Team::Group ? blockIdx.x * (treeThreads / Lanes) + threadIdx.x / Lanes
        : team == Team::Warp                       ? blockIdx.x * treeWarps + warp
                                                   : blockIdx.x;
    if (team != Team::Block && unit >= a.units)
        return; // a whole group or warp
    std::uint32_t begin = beginOf(a, order - 2, unit), end = beginOf(a, order - 2, unit + 1);
    if constexpr (team == Team::Group)
        walk.run(unit, begin, end, 1, false);
    else {
        if constexpr (team == Team::Block) { // a warp has neighbouring fibres
            const std::uint32_t share = (end - begin + treeWarps - 1) / treeWarps;
            begin = min(end, begin + warp * share);
            end = min(end, begin + share);
        }
        walk.run(unit, begin + group, end, groupsOfWarp, team == Team::Block);
    }
    if constexpr (target == Target::Root) {
        if constexpr (team != Team::Group)
            sumOfTeam<T, Lanes, team>(walk.sum);
        if (team == Team::Group || (group == 0 && (team == Team::Warp || warp == 0)))
            putRoot<T, Lanes>(a, unit, lane, column, mine, walk.sum);
    }
}

/// A block of threads for every row that several units share: always the same sums in the same order.
template <class T, unsigned Lanes>
__global__ void __launch_bounds__(treeThreads) treeCutRowsKernel(const __grid_constant__ CutRowsArguments<T> a)
{
    constexpr unsigned groups = treeThreads / Lanes;
    __shared__ Part<T> sums[groups][Lanes];
    const unsigned lane = threadIdx.x % Lanes, group = threadIdx.x / Lanes, part = a.firstPart + lane;
    const std::uint32_t head = a.heads[blockIdx.x];
    const std::uint32_t end = blockIdx.x + 1 < a.count ? a.slots[a.heads[blockIdx.x + 1]] : a.lastSlot;
    Part<T> sum = Part<T>::zero();
    for (std::uint32_t slot = a.slots[head] + group; slot < end; slot += groups)
        sum.add(reinterpret_cast<const Part<T>*>(a.partials)[std::size_t{slot} * Lanes + lane]);
    sums[group][lane] = sum;
    for (unsigned half = groups / 2; half > 0; half /= 2) {
        __syncthreads();
        if (group < half)
            sums[group][lane].add(sums[group + half][lane]);
    }
    if (group == 0 && part < a.parts)
        *reinterpret_cast<Part<T>*>(rowOf(a.out + part * Part<T>::columns, a.indices[a.begins ? a.begins[head] : head], a.parts * 16)) =
            sums[0][lane];
}

template <class T, unsigned Lanes, unsigned Order, Target target, Team team>
void launchOf(const TreeArguments<T>& a, const cuda::Stream& stream)
{
    const unsigned perBlock = team == Team::Group ? treeThreads / Lanes : team == Team::Warp ? treeWarps : 1;
    const auto blocks = static_cast<unsigned>((Count{a.units} + perBlock - 1) / perBlock);
    if (a.shortFibres)
        treeKernel<T, Lanes, Order, target, team, 1><<<blocks, treeThreads, 0, stream>>>(a);
    else
        treeKernel<T, Lanes, Order, target, team, 4><<<blocks, treeThreads, 0, stream>>>(a);
    CUDA_CHECK_LAUNCH();
}

/// Rows between root and leaves, and at the leaves, are summed of balanced trees alone: there no team is larger than a warp.
template <class T, unsigned Lanes, unsigned Order> void launchTarget(const TreeArguments<T>& a, Team team, const cuda::Stream& stream)
{
    const Target target = a.target == 0 ? Target::Root : a.target + 1 < a.order ? Target::Inner : Target::Leaf;
    if (target == Target::Inner)
        return team == Team::Group ? launchOf<T, Lanes, Order, Target::Inner, Team::Group>(a, stream)
                                   : launchOf<T, Lanes, Order, Target::Inner, Team::Warp>(a, stream);
    if (target == Target::Leaf)
        return team == Team::Group ? launchOf<T, Lanes, Order, Target::Leaf, Team::Group>(a, stream)
                                   : launchOf<T, Lanes, Order, Target::Leaf, Team::Warp>(a, stream);
    return team == Team::Group ? launchOf<T, Lanes, Order, Target::Root, Team::Group>(a, stream)
        : team == Team::Warp   ? launchOf<T, Lanes, Order, Target::Root, Team::Warp>(a, stream)
                               : launchOf<T, Lanes, Order, Target::Root, Team::Block>(a, stream);
}

template <class T, unsigned Lanes> void launchOrder(const TreeArguments<T>& a, Team team, const cuda::Stream& stream)
{
    switch (a.order) {
    case 3:
        return launchTarget<T, Lanes, 3>(a, team, stream);
    case 4:
        return launchTarget<T, Lanes, 4>(a, team, stream);
    default:
        return launchTarget<T, Lanes, 0>(a, team, stream);
    }
}

template <class T> void launchTree(const TreeArguments<T>& a, Team team, unsigned lanes, const cuda::Stream& stream)
{
    switch (lanes) {
    case 2:
        return launchOrder<T, 2>(a, team, stream);
    case 4:
        return launchOrder<T, 4>(a, team, stream);
    default:
        return launchOrder<T, 8>(a, team, stream);
    }
}

template <class T> void launchCutRows(const CutRowsArguments<T>& a, unsigned lanes, const cuda::Stream& stream)
{
    if (a.count == 0)
        return;
    switch (lanes) {
    case 2:
        treeCutRowsKernel<T, 2><<<a.count, treeThreads, 0, stream>>>(a);
        break;
    case 4:
        treeCutRowsKernel<T, 4><<<a.count, treeThreads, 0, stream>>>(a);
        break;
    default:
        treeCutRowsKernel<T, 8><<<a.count, treeThreads, 0, stream>>>(a);
    }
    CUDA_CHECK_LAUNCH();
}

} // namespace kernels::mttkrp::gpu
