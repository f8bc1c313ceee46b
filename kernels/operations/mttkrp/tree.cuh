// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/csf_cuda.cuh"
#include "kernels/operations/mttkrp/mttkrp_cuda.cuh"
#include "kernels/operations/mttkrp/row_vectors.cuh"

namespace kernels::mttkrp::gpu {

/// Who walks a unit of a tree, which is a slice or a balanced block of one: a group of lanes, a warp of groups, or 8 warps.
enum class Team { Group, Warp, Block };

/// By the leaves a unit has on average.
inline Team teamFor(Count leaves, Count units, bool bounded)
{
    const Count mean = units > 0 ? leaves / units : 0;
    return mean < 64 ? Team::Group : bounded || mean < 2048 ? Team::Warp : Team::Block;
}

/// What the kernels of trees are given.
template <class T> struct TreeArguments {
    unsigned order;
    const Index* indices[maxOrder]; ///< [level]
    const std::uint32_t* children[maxOrder]; ///< [level]
    const std::uint32_t* begins[maxOrder]; ///< [level] the node a unit begins in, and how many there are; null: that of its own number
    const T* values;
    const T* rows[maxOrder]; ///< [level]; that of the target is not read
    std::uint32_t units;
    unsigned target; ///< level whose rows are summed
    unsigned parts; ///< of 16 bytes in a row
    unsigned firstPart; ///< of those that this launch takes
    bool shortFibres; ///< most have one leaf
    bool addsUp; ///< several units or trees have sums of a row of the root: they are added to it atomically
    const std::uint32_t* slots; ///< where a unit's sum of its root row goes in partials: nowhere if the next unit has the same. Or null
    T* out;
    T* partials; ///< [slot][lanes]: sums of rows that several units share
};

/// Rows that units share, put together from partials.
template <class T> struct CutRowsArguments {
    const std::uint32_t* heads; ///< the first unit of every such row
    std::uint32_t count;
    const std::uint32_t* slots;
    std::uint32_t lastSlot; ///< how many there are
    const Index* indices; ///< of the root
    const std::uint32_t* begins; ///< of the root
    unsigned parts, firstPart;
    T* out;
    const T* partials;
};

/// For so many lanes: parts firstPart to firstPart + lanes − 1.
template <class T> void launchTree(const TreeArguments<T>&, Team, unsigned lanes, const cuda::Stream&);
template <class T> void launchCutRows(const CutRowsArguments<T>&, unsigned lanes, const cuda::Stream&);
extern template void launchTree(const TreeArguments<float>&, Team, unsigned, const cuda::Stream&);
extern template void launchTree(const TreeArguments<double>&, Team, unsigned, const cuda::Stream&);
extern template void launchCutRows(const CutRowsArguments<float>&, unsigned, const cuda::Stream&);
extern template void launchCutRows(const CutRowsArguments<double>&, unsigned, const cuda::Stream&);

/// Of a tree on the device; units, target and rows are left to be filled in.
template <class T> TreeArguments<T> argumentsOf(const formats::gpu::DeviceCsf<T>& tree, std::size_t stride)
{
    TreeArguments<T> a{};
    a.order = tree.order();
    for (unsigned level = 0; level < a.order; ++level) {
        a.indices[level] = tree.indices[level].data();
        if (level + 1 < a.order)
            a.children[level] = tree.children[level].data();
    }
    a.values = tree.values.data();
    a.shortFibres = 4 * tree.entries() < 7 * Count{tree.indices[a.order - 2].count()};
    a.parts = static_cast<unsigned>(stride / Part<T>::columns);
    return a;
}

constexpr unsigned lanesFor(unsigned parts) { return parts <= 2 ? 2 : parts <= 4 ? 4 : 8; }

} // namespace kernels::mttkrp::gpu
