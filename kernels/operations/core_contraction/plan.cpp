// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/core_contraction/plan.h"

#include "kernels/formats/csf.h"
#include "kernels/operations/core_contraction/loops.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kernels::core_contraction {
namespace {

constexpr Count bytesAtOnce = Count{1} << 18; ///< of parts, and of Kronecker products: both stay in a core's second cache
/// A vector times a matrix keeps a processor less busy than a matrix times one.
constexpr double costOfVector = 2;

/// Prefixes of so many positions that differ, at most.
double prefixes(const Shape& shape, const Walk& walk, unsigned positions)
{
    double most = 1;
    for (unsigned p = 0; p < positions; ++p)
        most *= shape.dims[walk.modes[p]];
    return std::min(most, static_cast<double>(shape.entries));
}

/// From position `last` down to the entries; what is left after the last one is δ, or a number.
double flopsBelow(const Shape& shape, const Walk& walk, double costOfOne)
{
    double flops = 0;
    for (unsigned p = walk.last; p < walk.order(); ++p) {
        const bool leaf = p + 1 == walk.order();
        flops += (leaf ? static_cast<double>(shape.entries) : costOfOne * prefixes(shape, walk, p + 1)) * 2
            * static_cast<double>(walk.partNumbers(p));
    }
    return flops;
}

double flopsOf(const Shape& shape, const Walk& walk, double costOfOne = 1)
{
    const double part = 2 * static_cast<double>(shape.coreNumbers()) + static_cast<double>(walk.tupleNumbers());
    const double parts = walk.tabled ? shape.dims[walk.tupleMode()] : prefixes(shape, walk, walk.last);
    return (walk.hasTuples() ? parts * part : 0) + flopsBelow(shape, walk, costOfOne);
}

Walk walkOf(const Shape& shape, std::vector<unsigned> modes, bool open)
{
    Walk walk;
    walk.modes = std::move(modes);
    for (const unsigned mode : walk.modes)
        walk.ranks.push_back(shape.ranks[mode]);
    walk.open = open;
    walk.first = walk.last = open ? 1 : 0;
    return walk;
}

/// With the tuple that costs least; at least `least` positions, and never the last one.
void chooseTuple(const Shape& shape, Walk& walk, unsigned least)
{
    double best = 0;
    unsigned chosen = 0;
    for (unsigned last = walk.first + least; last < walk.order(); ++last) {
        walk.last = last;
        const double cost = flopsOf(shape, walk, costOfVector);
        if (chosen == 0 || cost < best) {
            best = cost;
            chosen = last;
        }
    }
    walk.last = chosen;
    walk.flops = flopsOf(shape, walk);
}

} // namespace

Count Shape::coreNumbers() const
{
    return std::accumulate(ranks.begin(), ranks.end(), Count{1}, [](Count product, unsigned rank) { return product * rank; });
}

Count Walk::tupleNumbers() const
{
    Count numbers = 1;
    for (unsigned p = first; p < last; ++p)
        numbers *= ranks[p];
    return numbers;
}

Count Walk::partNumbers(unsigned position) const
{
    Count numbers = openRank();
    for (unsigned p = position; p < order(); ++p)
        numbers *= ranks[p];
    return numbers;
}

std::vector<unsigned> Walk::coreOrder() const
{
    std::vector<unsigned> result(modes.begin() + (open ? 1 : 0), modes.end());
    if (open)
        result.push_back(modes.front());
    return result;
}

Walk openWalk(const Shape& shape, unsigned mode, Count mostTableNumbers)
{
    Walk walk = walkOf(shape, formats::rootedAt(shape.dims, mode), true);
    if (walk.order() == 2) { // the core itself is what the other mode's rows are multiplied by
        walk.flops = flopsOf(shape, walk);
        return walk;
    }
    chooseTuple(shape, walk, 1);
    Walk table = walk;
    table.last = 2;
    table.tabled = true;
    if (tableNumbers(table, shape.dims) <= mostTableNumbers && flopsOf(shape, table, costOfVector) < flopsOf(shape, walk, costOfVector)) {
        table.flops = flopsOf(shape, table);
        return table;
    }
    return walk;
}

Count tableNumbers(const Walk& walk, const std::vector<Index>& dims)
{
    return walk.tabled ? dims[walk.tupleMode()] * walk.partNumbers() : 0;
}

Walk closedWalk(const Shape& shape, std::vector<unsigned> modes)
{
    Walk walk = walkOf(shape, std::move(modes), false);
    chooseTuple(shape, walk, 1);
    return walk;
}

Walk cheapestClosedWalk(const Shape& shape)
{
    Walk best;
    for (unsigned mode = 0; mode < shape.dims.size(); ++mode) {
        Walk walk = closedWalk(shape, formats::rootedAt(shape.dims, mode));
        if (mode == 0 || walk.flops < best.flops)
            best = std::move(walk);
    }
    return best;
}

Count tuplesAtOnce(const Walk& walk, unsigned valueBytes)
{
    const Count numbers = std::max(walk.tupleNumbers(), walk.partNumbers());
    return walk.hasTuples() && !walk.tabled ? std::clamp<Count>(bytesAtOnce / (numbers * valueBytes), 1, blockEntries) : 0;
}

namespace {

/// Calls f(place in the arranged core, place in the core) for all elements.
template <class F> void forEachPlace(const std::vector<unsigned>& ranks, const std::vector<unsigned>& order, const F& f)
{
    std::vector<Count> strides(ranks.size(), 1);
    for (std::size_t n = ranks.size() - 1; n-- > 0;)
        strides[n] = strides[n + 1] * ranks[n + 1];
    std::vector<unsigned> place(order.size(), 0);
    const Count all = strides[0] * ranks[0];
    Count from = 0;
    for (Count to = 0; to < all; ++to) {
        f(to, from);
        for (std::size_t p = order.size(); p-- > 0;) {
            from += strides[order[p]];
            if (++place[p] < ranks[order[p]])
                break;
            from -= strides[order[p]] * ranks[order[p]];
            place[p] = 0;
        }
    }
}

} // namespace

template <class T> void arrange(const Array<double>& core, const std::vector<unsigned>& ranks, const std::vector<unsigned>& order, T* to)
{
    forEachPlace(ranks, order, [&](Count there, Count here) { to[there] = static_cast<T>(core[here]); });
}

void arrangeBack(const Array<double>& from, const std::vector<unsigned>& ranks, const std::vector<unsigned>& order, Array<double>& to)
{
    to.resize(from.size());
    forEachPlace(ranks, order, [&](Count there, Count here) { to[here] = from[there]; });
}

template void arrange(const Array<double>&, const std::vector<unsigned>&, const std::vector<unsigned>&, float*);
template void arrange(const Array<double>&, const std::vector<unsigned>&, const std::vector<unsigned>&, double*);

} // namespace kernels::core_contraction
