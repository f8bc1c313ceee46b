// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/entry_order.h"
#include "kernels/algorithms/fasttucker_plus/group_kernels.h"
#include "kernels/base/support.h"

/// The variant "grouped" on the CPU: entries that share a row of the shortest mode are worked on together.
namespace kernels::fasttucker_plus {

constexpr unsigned groupEntries = 256; ///< at most: a group costs as much as 1.3 times as many entries as the ranks are large

/// What follows from the shape alone.
struct CpuGrouping {
    unsigned shared = 0; ///< mode whose row a group shares; the order: none, since its rows have too few entries
    unsigned most = groupEntries; ///< entries of a group
    bool pairs = false; ///< see group_kernels_isa.cpp
    std::vector<unsigned> blockBits; ///< per mode, as of EntryOrder::Blocked: a block's entries, then by the shared row
    Count mostGroups = 0;

    bool shares() const { return shared < blockBits.size(); }
};

/// Of fewer entries no group is full, on a GPU neither. The reason why not follows "as calculate, ".
Support worthGrouping(Count entries);
/// What a run groups by itself: the rows of smaller tensors stay in caches, so that groups gain little time, while a row that takes many
/// entries at once learns less from each.
Support gainsByGroups(Count entries);

constexpr unsigned unitBits = 4; ///< groups a thread takes at once; gradients of so many are summed in single precision

CpuGrouping chooseCpuGrouping(const std::vector<Index>& dims, const std::vector<unsigned>& ranks, unsigned coreRank, Count entries);

/// Where entries are stored.
Array<Count> groupedPositions(const SparseTensor&, const CpuGrouping&, std::uint64_t seed, RunControl&);

/// Where groups of stored entries begin, indices entry × order; one number more than groups.
Array<Count> groupBegins(const Array<Index>& indices, unsigned order, const CpuGrouping&, RunControl&);

/// Groups in the order of iteration t: stretches of about a part of the longest mode in a fresh order.
VisitingOrder groupOrder(const std::vector<Index>& dims, const CpuGrouping&, Count groups, std::uint64_t seed, std::uint64_t iteration);

} // namespace kernels::fasttucker_plus
