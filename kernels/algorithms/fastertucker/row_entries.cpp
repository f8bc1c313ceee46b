// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/row_entries.h"

#include "kernels/algorithms/fasttucker_plus/entry_order.h"
#include "kernels/base/chunks.h"
#include "kernels/formats/bcsf.h"
#include "kernels/formats/coo.h"

#include <tbb/info.h>

#include <algorithm>
#include <numeric>

namespace kernels::fastertucker {
namespace {

constexpr Count positionsPerChunk = Count{1} << 15;

template <class To, class From> Array<To> gathered(const From& from, const Array<Count>& positions, RunControl& control)
{
    Array<To> to;
    to.resize(positions.size());
    forEachChunk(positions.size(), positionsPerChunk, control, [&](Count, Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
            to[i] = static_cast<To>(from[positions[i]]);
    });
    return to;
}

/// Divided by the unit before they are rounded: numbers that no float holds may do so then.
template <class To, class From> Array<To> gatheredValues(const From& from, const Array<Count>& positions, double unit, RunControl& control)
{
    if (unit == 1)
        return gathered<To>(from, positions, control);
    Array<To> to;
    to.resize(positions.size());
    forEachChunk(positions.size(), positionsPerChunk, control, [&](Count, Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
            to[i] = static_cast<To>(static_cast<double>(from[positions[i]]) / unit);
    });
    return to;
}

/// First position at or behind `from` whose row is not less: looked for further and further away, then between.
Count firstOfRow(const Array<Index>& rowOf, const Array<Count>& positions, Count from, Count row)
{
    const auto less = [&](Count entry) { return rowOf[entry] < row; };
    Count step = 1, low = from;
    while (low + step < positions.size() && less(positions[low + step])) {
        low += step;
        step *= 2;
    }
    const Count high = std::min<Count>(low + step, positions.size());
    return static_cast<Count>(std::partition_point(positions.begin() + static_cast<std::ptrdiff_t>(low),
                                                   positions.begin() + static_cast<std::ptrdiff_t>(high), less)
                              - positions.begin());
}

Array<Count> rowBegins(const Array<Index>& rowOf, const Array<Count>& positions, Index rows, RunControl& control)
{
    Array<Count> begins;
    begins.resize(Count{rows} + 1);
    forEachChunk(begins.size(), 4096, control, [&](Count, Count first, Count end) {
        Count begin = 0;
        for (Count row = first; row < end; ++row)
            begins[row] = begin = firstOfRow(rowOf, positions, begin, row);
    });
    return begins;
}

template <class A> std::uint64_t bytesOf(const A& array) { return array.size() * sizeof(array[0]); }

/// to[child] = from[parent].
template <class T, class Offset> Array<T> spread(const Array<T>& from, const Array<Offset>& children, RunControl& control)
{
    Array<T> to;
    to.resize(children.back());
    forEachChunk(from.size(), Count{1} << 12, control, [&](Count, Count begin, Count end) {
        for (Count node = begin; node < end; ++node)
            std::fill(to.begin() + static_cast<std::ptrdiff_t>(children[node]),
                      to.begin() + static_cast<std::ptrdiff_t>(children[node + 1]), from[node]);
    });
    return to;
}

/// The rows' ranges end behind these; about as many entries in each, none empty. At least one entry.
std::vector<Index> endsOfParts(const Array<Index>& rowOf, Index rows, unsigned parts)
{
    std::vector<Count> counts(rows, 0);
    for (const Index row : rowOf)
        ++counts[row];
    std::vector<Index> ends;
    Count before = 0, sum = 0;
    for (Index row = 0; row < rows; ++row) {
        sum += counts[row];
        if (sum > before && (sum == rowOf.size() || (sum - before) * parts >= rowOf.size())) {
            ends.push_back(row + 1);
            before = sum;
        }
    }
    return ends;
}

/// Those whose rows of a mode are in [begin, end), in their order.
SparseTensor entriesOfRows(const SparseTensor& tensor, unsigned mode, Index begin, Index end, RunControl& control)
{
    const Array<Index>& rowOf = tensor.indices[mode];
    const auto wanted = [&](Count entry) { return rowOf[entry] >= begin && rowOf[entry] < end; };
    std::vector<Count> before(chunkCount(rowOf.size(), positionsPerChunk) + 1, 0);
    forEachChunk(rowOf.size(), positionsPerChunk, control, [&](Count chunk, Count first, Count last) {
        for (Count entry = first; entry < last; ++entry)
            before[chunk + 1] += wanted(entry);
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    SparseTensor part = emptyLike(tensor, before.back());
    std::visit(
        [&](const auto& values) {
            auto& itsValues = std::get<std::decay_t<decltype(values)>>(part.values);
            forEachChunk(rowOf.size(), positionsPerChunk, control, [&](Count chunk, Count first, Count last) {
                Count to = before[chunk];
                for (Count entry = first; entry < last; ++entry) {
                    if (!wanted(entry))
                        continue;
                    for (unsigned n = 0; n < tensor.order(); ++n)
                        part.indices[n][to] = tensor.indices[n][entry];
                    itsValues[to++] = values[entry];
                }
            });
        },
        tensor.values);
    part.sorted = tensor.sorted;
    return part;
}

template <class T>
FibreEntries<T> fibresOf(const SparseTensor& tensor, unsigned mode, const formats::BcsfLimits& limits, RunControl& control)
{
    const std::vector<unsigned> modeOrder = formats::leavesAt(tensor.dims(), mode);
    formats::Csf tree = formats::buildBcsf(tensor, modeOrder, limits, control).tree;
    FibreEntries<T> result;
    result.indices.resize(tensor.order() - 1);
    formats::dispatchOffset(tree.hasWideOffsets(), [&](auto zero) {
        using Children = Array<decltype(zero)>;
        for (unsigned level = 0; level < tree.levels.size(); ++level) {
            Array<Index> column = std::move(tree.levels[level].indices);
            for (std::size_t below = level; below + 1 < tree.levels.size(); ++below)
                column = spread(column, std::get<Children>(tree.levels[below].children), control);
            const unsigned owner = modeOrder[level];
            result.indices[owner - (owner > mode)] = std::move(column);
        }
        const Children& begins = std::get<Children>(tree.levels.back().children);
        result.begins.assign(begins.begin(), begins.end());
    });
    tree.levels.clear();
    result.leaves = std::move(tree.leaves);
    if (auto* const same = std::get_if<Array<T>>(&tree.values))
        result.values = std::move(*same);
    else
        std::visit([&](const auto& values) { result.values.assign(values.begin(), values.end()); }, tree.values);
    return result;
}

} // namespace

template <class T> std::uint64_t RowEntries<T>::bytes() const
{
    std::uint64_t sum = bytesOf(begins) + bytesOf(values);
    for (const Array<Index>& column : indices)
        sum += bytesOf(column);
    return sum;
}

template <class T>
RowEntries<T> arrangeRows(const SparseTensor& tensor, const std::vector<unsigned>& modeOrder, std::optional<std::uint64_t> seed,
                          RunControl& control, double unit)
{
    const unsigned mode = modeOrder.front();
    std::vector<fasttucker_plus::SortColumn> columns;
    for (const unsigned n : modeOrder)
        columns.push_back({n, 0});
    const Array<Count> positions = fasttucker_plus::sortedPositions(tensor, columns, seed, control);
    RowEntries<T> result;
    result.begins = rowBegins(tensor.indices[mode], positions, tensor.dims()[mode], control);
    for (unsigned n = 0; n < tensor.order(); ++n)
        if (n != mode)
            result.indices.push_back(gathered<Index>(tensor.indices[n], positions, control));
    result.values = std::visit([&](const auto& values) { return gatheredValues<T>(values, positions, unit, control); }, tensor.values);
    return result;
}

std::uint64_t rowEntriesBytes(unsigned order, Count entries, Index rows, unsigned valueBytes)
{
    return (Count{rows} + 1) * sizeof(Count) + entries * ((order - 1) * sizeof(Index) + valueBytes);
}

std::uint64_t arrangeRowsBytes(unsigned order, Count entries, Index rows, unsigned valueBytes, const std::vector<Index>& sortedBy)
{
    return std::max(fasttucker_plus::sortingBytes(entries, sortedBy),
                    entries * sizeof(Count) + rowEntriesBytes(order, entries, rows, valueBytes));
}

template <class T> std::uint64_t FibreEntries<T>::bytes() const
{
    std::uint64_t sum = bytesOf(begins) + bytesOf(leaves) + bytesOf(values);
    for (const Array<Index>& column : indices)
        sum += bytesOf(column);
    return sum;
}

template <class T>
std::vector<FibreEntries<T>> arrangeFibres(const SparseTensor& tensor, unsigned mode, const formats::BcsfLimits& limits, unsigned parts,
                                           RunControl& control)
{
    std::vector<FibreEntries<T>> result;
    const std::vector<Index> ends =
        parts < 2 || tensor.entries() == 0 ? std::vector<Index>() : endsOfParts(tensor.indices[mode], tensor.dims()[mode], parts);
    if (ends.size() < 2) {
        result.push_back(fibresOf<T>(tensor, mode, limits, control));
        return result;
    }
    Index begin = 0;
    for (const Index end : ends) {
        result.push_back(fibresOf<T>(entriesOfRows(tensor, mode, begin, end, control), mode, limits, control));
        begin = end;
    }
    return result;
}

unsigned fibreParts(unsigned threads, Count entries)
{
    const unsigned working = threads ? threads : static_cast<unsigned>(tbb::info::default_concurrency());
    const unsigned wanted = working < 2 ? 1 : std::max(working, std::min(2 * working, 16U)); // two each, lest one thread be late
    return static_cast<unsigned>(std::min<Count>(wanted, 1 + entries / 8192));
}

std::vector<Count> mostNodes(const std::vector<Index>& dims, unsigned mode, Count entries, const formats::BcsfLimits& limits)
{
    std::vector<Count> nodes = formats::csfNodes(dims, formats::leavesAt(dims, mode), entries);
    nodes.back() = std::min(entries, nodes.back() + entries / limits.fibreLeaves);
    return nodes;
}

Count mostFibres(const std::vector<Index>& dims, unsigned mode, Count entries, const formats::BcsfLimits& limits, unsigned parts)
{
    return std::min(entries, formats::csfNodes(dims, formats::leavesAt(dims, mode), entries).back() * parts + entries / limits.fibreLeaves);
}

std::uint64_t fibreEntriesBytes(const std::vector<Index>& dims, unsigned mode, Count entries, unsigned valueBytes,
                                const formats::BcsfLimits& limits, unsigned parts)
{
    const Count fibres = mostFibres(dims, mode, entries, limits, parts);
    return fibres * (dims.size() - 1) * sizeof(Index) + (fibres + parts) * sizeof(Count) + entries * (sizeof(Index) + valueBytes);
}

/// A single part may have almost all entries, of one row, and is copied before it becomes a tree.
std::uint64_t arrangeFibresBytes(const std::vector<Index>& dims, unsigned mode, Count entries, unsigned tensorValueBytes,
                                 unsigned valueBytes, const formats::BcsfLimits& limits, unsigned parts)
{
    const std::uint64_t part =
        parts > 1 ? formats::cooBytes(static_cast<unsigned>(dims.size()), entries, tensorValueBytes) + dims[mode] * sizeof(Count) : 0;
    return part
        + std::max(formats::bcsfBuildBytes(dims, formats::leavesAt(dims, mode), entries, tensorValueBytes, limits),
                   fibreEntriesBytes(dims, mode, entries, valueBytes, limits, parts)
                       + formats::csfBytes(mostNodes(dims, mode, entries, limits), entries, 0));
}

template struct RowEntries<float>;
template struct RowEntries<double>;
template struct FibreEntries<float>;
template struct FibreEntries<double>;
template RowEntries<float> arrangeRows(const SparseTensor&, const std::vector<unsigned>&, std::optional<std::uint64_t>, RunControl&,
                                       double);
template RowEntries<double> arrangeRows(const SparseTensor&, const std::vector<unsigned>&, std::optional<std::uint64_t>, RunControl&,
                                        double);
template std::vector<FibreEntries<float>> arrangeFibres(const SparseTensor&, unsigned, const formats::BcsfLimits&, unsigned, RunControl&);
template std::vector<FibreEntries<double>> arrangeFibres(const SparseTensor&, unsigned, const formats::BcsfLimits&, unsigned, RunControl&);

} // namespace kernels::fastertucker
