// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cpu_groups.h"

#include <algorithm>
#include <bit>

namespace kernels::fasttucker_plus {
namespace {

constexpr Count fewestEntries = Count{1} << 14; ///< in worthGrouping()'s words, too
constexpr Count fewestOfARun = 1'000'000; ///< in gainsByGroups()' words, too
constexpr Count groupsOfARow = 32; ///< on average, where they are worth their cost then: a row is renewed once a group, and learns as often
constexpr Count fewestGroups = 8; ///< of a row, on average, or it is not shared
constexpr Count fewestInAGroup = 32; ///< so that sharing a row saves more than short tiles cost
constexpr Count fewestInARun = 256; ///< the same of a row in a block: fewer make short groups, more make blocks that leave L2

/// The longest mode of those that are cut.
std::size_t longestMode(const std::vector<Index>& dims, const CpuGrouping& grouping)
{
    std::size_t longest = grouping.shared == 0 ? 1 : 0;
    for (std::size_t n = 0; n < dims.size(); ++n)
        if (n != grouping.shared && dims[n] > dims[longest])
            longest = n;
    return longest;
}

/// Calls body(begin) for every group: runs of one shared row, in as few pieces as may be, all but the last of whole tiles.
template <class Body>
void forEachGroup(const Array<Index>& indices, unsigned order, const CpuGrouping& grouping, RunControl& control, const Body& body)
{
    constexpr Count entriesPerLook = Count{1} << 20; // a millisecond
    const Count entries = indices.size() / order;
    for (Count begin = 0, looked = 0; begin < entries;) {
        if (begin >= looked) {
            control.checkpoint();
            looked = begin + entriesPerLook;
        }
        Count end = begin + 1;
        while (end < entries && (!grouping.shares() || indices[end * order + grouping.shared] == indices[begin * order + grouping.shared]))
            if (++end >= looked) { // one row may have all entries
                control.checkpoint();
                looked = end + entriesPerLook;
            }
        const Count pieces = (end - begin + grouping.most - 1) / grouping.most;
        const Count tiles = ((end - begin + pieces - 1) / pieces + tileEntries - 1) / tileEntries;
        for (; begin < end; begin += tiles * tileEntries)
            body(begin);
        begin = end;
    }
}

} // namespace

Support worthGrouping(Count entries) { return entries >= fewestEntries ? Support::yes() : Support::no("under 16,384 entries"); }

Support gainsByGroups(Count entries) { return entries >= fewestOfARun ? Support::yes() : Support::no("under a million entries"); }

CpuGrouping chooseCpuGrouping(const std::vector<Index>& dims, const std::vector<unsigned>& ranks, unsigned coreRank, Count entries)
{
    const unsigned order = static_cast<unsigned>(dims.size());
    CpuGrouping grouping;
    grouping.shared = static_cast<unsigned>(std::min_element(dims.begin(), dims.end()) - dims.begin());
    const Count rows = dims[grouping.shared];
    const Count inARow = entries / rows;
    if (inARow < fewestGroups * fewestInAGroup) {
        grouping.shared = order;
        grouping.blockBits.assign(order, 32);
        grouping.mostGroups = entries / groupEntries + 2; // the last, in part, and where it ends
        return grouping;
    }
    // A group costs as much as 4/3 as many entries as the ranks are large save.
    const Count widest = std::max(coreRank, *std::max_element(ranks.begin(), ranks.end()));
    const auto tiled = [](Count length) { return length / tileEntries * tileEntries; };
    const Count pairsPay = tiled(2 * widest + tileEntries - 1);
    const Count worth = std::min({std::max(fewestInAGroup, pairsPay), tiled(inARow / fewestGroups), Count{groupEntries}});
    grouping.most = static_cast<unsigned>(std::clamp<Count>(tiled(inARow / groupsOfARow), worth, groupEntries));
    std::vector<Index> cut = dims;
    cut[grouping.shared] = 1;
    grouping.blockBits = blockBits(cut, ranks, entries / (rows * fewestInARun));
    grouping.blockBits[grouping.shared] = 32;
    const Count runs = std::min(entries, rows * blockCount(dims, grouping.blockBits));
    grouping.mostGroups = entries / grouping.most + runs + 1;
    grouping.pairs = order == 3 && std::min<Count>(entries / runs, grouping.most) >= 2 * widest;
    return grouping;
}

Array<Count> groupedPositions(const SparseTensor& tensor, const CpuGrouping& grouping, std::uint64_t seed, RunControl& control)
{
    std::vector<SortColumn> columns;
    for (unsigned n = 0; n < tensor.order() && grouping.shares(); ++n)
        if (n != grouping.shared)
            columns.push_back({n, grouping.blockBits[n]});
    std::stable_sort(columns.begin(), columns.end(), [&](const SortColumn& a, const SortColumn& b) {
        return tensor.dims()[a.mode] > tensor.dims()[b.mode]; // rows of the longest mode stay longest
    });
    if (grouping.shares())
        columns.push_back({grouping.shared, 0});
    return sortedPositions(tensor, columns, seed, control);
}

Array<Count> groupBegins(const Array<Index>& indices, unsigned order, const CpuGrouping& grouping, RunControl& control)
{
    Count groups = 0;
    forEachGroup(indices, order, grouping, control, [&](Count) { ++groups; });
    Array<Count> begins;
    begins.reserve(groups + 1);
    forEachGroup(indices, order, grouping, control, [&](Count begin) { begins.push_back(begin); });
    begins.push_back(indices.size() / order);
    return begins;
}

VisitingOrder groupOrder(const std::vector<Index>& dims, const CpuGrouping& grouping, Count groups, std::uint64_t seed,
                         std::uint64_t iteration)
{
    if (!grouping.shares())
        return visitingOrder(groups, seed, iteration, unitBits);
    const std::size_t longest = longestMode(dims, grouping);
    const Count parts = std::max<Count>(((Count{dims[longest]} - 1) >> grouping.blockBits[longest]) + 1, 8);
    const unsigned stretch = static_cast<unsigned>(std::bit_width(std::max<Count>(groups / parts, 1))) - 1;
    return visitingOrder(groups, seed, iteration, std::max(stretch, unitBits));
}

} // namespace kernels::fasttucker_plus
