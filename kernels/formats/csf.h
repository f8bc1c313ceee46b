// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run_control.h"
#include "kernels/tensor/sparse_tensor.h"

#include <limits>
#include <variant>

namespace kernels::formats {

/// Positions of nodes or leaves. All of a tree are of one width: 32 bits while every position fits, since trees of short fibres
/// are as large as their pointers, else 64.
using Offsets = std::variant<Array<std::uint32_t>, Array<std::uint64_t>>;
enum class OffsetWidth { Narrowest, Wide }; ///< wide ones for whoever compiles for no others

constexpr bool needsWideOffsets(Count entries) { return entries > std::numeric_limits<std::uint32_t>::max(); }

struct CsfLevel {
    Array<Index> indices; ///< of the level's mode, one per node
    Offsets children; ///< first child of every node, among the next level's nodes or the leaves; then how many of those there are

    friend bool operator==(const CsfLevel&, const CsfLevel&) = default;
};

/// Compressed sparse fibres: a tree with a level per mode. Children of a node stand in ascending order; a fibre is a node of
/// the last level above the leaves. Empty slices have no node; entries of equal coordinates are leaves side by side, in the
/// order they had among the entries.
struct Csf {
    std::vector<Index> dims; ///< by mode
    std::vector<unsigned> modeOrder; ///< modes from the root to the leaves
    std::vector<CsfLevel> levels; ///< from the root to the fibres: one less than modes
    Array<Index> leaves; ///< index of the last mode, one per entry
    SparseTensor::Values values;

    unsigned order() const { return static_cast<unsigned>(modeOrder.size()); }
    Count entries() const { return leaves.size(); }
    Count fibres() const { return levels.back().indices.size(); }
    bool hasWideOffsets() const { return levels.front().children.index() == 1; }
    std::uint64_t bytes() const;

    friend bool operator==(const Csf&, const Csf&) = default;
};

std::uint64_t bytesOf(const Offsets&);

/// Calls f with a zero of the type a tree's offsets have.
template <class F> decltype(auto) dispatchOffset(bool wide, F&& f)
{
    if (wide)
        return std::forward<F>(f)(std::uint64_t{});
    return std::forward<F>(f)(std::uint32_t{});
}

/// A mode as the root (as the leaves) and the others by growing size, which makes the fewest nodes.
std::vector<unsigned> rootedAt(const std::vector<Index>& dims, unsigned mode);
std::vector<unsigned> leavesAt(const std::vector<Index>& dims, unsigned mode);

/// Throws Error(BadArgument) for a modeOrder that is no order of all modes, Cancelled at a stop. The same bits whatever the
/// number of threads. Takes csfBuildBytes at most.
Csf buildCsf(const SparseTensor&, const std::vector<unsigned>& modeOrder, RunControl&, OffsetWidth = OffsetWidth::Narrowest);
void checkModeOrder(const std::vector<unsigned>& modeOrder, unsigned order);

/// The entries, from the first leaf to the last.
SparseTensor toCoo(const Csf&, RunControl&);

/// The most nodes a tree of so many entries has on each level above the leaves, of so many slices in each mode: dims, or where
/// statistics tell it those that hold entries. The root level (all of a tree of order 2) is exact then.
std::vector<Count> csfNodes(const std::vector<Index>& slices, const std::vector<unsigned>& modeOrder, Count entries);
/// The most bytes of a tree with so many nodes on each level.
std::uint64_t csfBytes(const std::vector<Count>& nodes, Count entries, unsigned valueBytes);
/// The most that building takes at once, the tree included.
std::uint64_t csfBuildBytes(const std::vector<Index>& dims, const std::vector<unsigned>& modeOrder, Count entries, unsigned valueBytes);
/// The same on a GPU (csf_cuda.cuh), beside the entries.
std::uint64_t treeBuildBytes(const std::vector<Index>& dims, const std::vector<unsigned>& modeOrder, Count entries, unsigned valueBytes);

TensorFormatInfo csfInfo();

} // namespace kernels::formats
