// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/entry_view.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/entry_keys.h"
#include "kernels/tensor/radix_sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace kernels {
namespace {

constexpr Count entriesPerChunk = radix::entriesPerChunk;
constexpr Count bitsPerWord = 64;

using Words = Array<std::uint64_t>; ///< a bit an entry: whether it passes

/// Keeps the bits of entries first … last−1 (word by word, `first` at a word's beginning) for which pass(entry) holds.
template <class Pass> void keepWhere(Words& words, Count first, Count last, const Pass& pass)
{
    for (Count begin = first; begin < last; begin += bitsPerWord) {
        std::uint64_t& word = words[begin / bitsPerWord];
        if (word == 0)
            continue;
        std::uint64_t passing = 0;
        const Count end = std::min(last, begin + bitsPerWord);
        for (Count e = begin; e < end; ++e)
            passing |= std::uint64_t{pass(e)} << (e - begin);
        word &= passing;
    }
}

/// What is asked of one mode: a range as it is, several as a bit an index, since no search could foresee where it ends.
struct Wanted {
    const Array<Index>* column = nullptr;
    Index from = 0, span = 0;
    Words bits; ///< of the mode's indices; empty: the range tells

    Wanted(const SparseTensor& tensor, const EntryFilter::InMode& in)
        : column(&tensor.indices[in.mode])
    {
        if (in.indices.size() == 1) {
            from = in.indices.front().first;
            span = in.indices.front().second - from;
            return;
        }
        const Index size = tensor.modes[in.mode].size;
        bits = Words(chunkCount(size, bitsPerWord), 0);
        for (const auto& [first, last] : in.indices)
            for (Count i = first; i <= last && i < size; ++i)
                bits[i / bitsPerWord] |= std::uint64_t{1} << (i % bitsPerWord);
    }
};

void keepInMode(Words& words, Count first, Count last, const Wanted& wanted)
{
    const Array<Index>& column = *wanted.column;
    if (wanted.bits.empty())
        return keepWhere(words, first, last,
                         [&column, from = wanted.from, span = wanted.span](Count e) { return column[e] - from <= span; });
    const std::uint64_t* bits = wanted.bits.data();
    keepWhere(words, first, last,
              [&column, bits](Count e) { return ((bits[column[e] / bitsPerWord] >> (column[e] % bitsPerWord)) & 1) != 0; });
}

void keepRepeated(Words& words, Count first, Count last, const SparseTensor& tensor)
{
    const Count entries = tensor.entries();
    const auto equal = [&](Count a, Count b) {
        return std::all_of(tensor.indices.begin(), tensor.indices.end(), [=](const auto& column) { return column[a] == column[b]; });
    };
    keepWhere(words, first, last, [&](Count e) { return (e > 0 && equal(e - 1, e)) || (e + 1 < entries && equal(e, e + 1)); });
}

void keepPassing(Words& words, Count first, Count last, const SparseTensor& tensor, const EntryFilter& filter,
                 const std::vector<Wanted>& inModes)
{
    for (Count begin = first; begin < last; begin += bitsPerWord) {
        const Count inWord = std::min(bitsPerWord, last - begin);
        words[begin / bitsPerWord] = inWord == bitsPerWord ? ~std::uint64_t{0} : (std::uint64_t{1} << inWord) - 1;
    }
    for (const Wanted& wanted : inModes)
        keepInMode(words, first, last, wanted);
    if (filter.valueMin || filter.valueMax) {
        const double low = filter.valueMin.value_or(-std::numeric_limits<double>::infinity());
        const double high = filter.valueMax.value_or(std::numeric_limits<double>::infinity());
        std::visit(
            [&](const auto& values) {
                keepWhere(words, first, last, [&values, low, high](Count e) {
                    const auto value = static_cast<double>(values[e]);
                    return static_cast<bool>((value >= low) & (value <= high)); // no branch: half of them would be missed
                });
            },
            tensor.values);
    }
    if (filter.repeatedOnly)
        keepRepeated(words, first, last, tensor);
}

/// Positions of the entries that pass, ascending.
template <class Position> Array<Position> select(const SparseTensor& tensor, const EntryFilter& filter, Progress* progress)
{
    const Count entries = tensor.entries();
    if (progress)
        progress->begin("filtering", 2 * entries);
    std::vector<Wanted> inModes;
    for (const EntryFilter::InMode& in : filter.modes)
        inModes.emplace_back(tensor, in);
    Words words;
    words.resize(chunkCount(entries, bitsPerWord));
    std::vector<Count> before(chunkCount(entries, entriesPerChunk) + 1, 0);
    forEachChunk(entries, entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) {
        keepPassing(words, begin, end, tensor, filter, inModes);
        for (Count w = begin / bitsPerWord; w < chunkCount(end, bitsPerWord); ++w)
            before[chunk + 1] += static_cast<Count>(std::popcount(words[w]));
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    Array<Position> positions;
    positions.resize(before.back());
    forEachChunk(entries, entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) {
        Count to = before[chunk];
        for (Count w = begin / bitsPerWord; w < chunkCount(end, bitsPerWord); ++w)
            for (std::uint64_t word = words[w]; word != 0; word &= word - 1)
                positions[to++] = static_cast<Position>(w * bitsPerWord + static_cast<Count>(std::countr_zero(word)));
    });
    return positions;
}

template <class Position> Array<Position> everything(Count entries, Progress* progress)
{
    Array<Position> positions;
    positions.resize(entries);
    forEachChunk(entries, entriesPerChunk, nullptr, [&](Count, Count begin, Count end) {
        if (progress)
            progress->throwIfCancelled();
        std::iota(positions.begin() + static_cast<std::ptrdiff_t>(begin), positions.begin() + static_cast<std::ptrdiff_t>(end),
                  static_cast<Position>(begin));
    });
    return positions;
}

/// Numbers as whole ones that sort alike: negative ones have all bits turned, others the sign. −0 and 0 are one, NaN is above all.
template <class Whole, class Value> Whole ascendingKey(Value value)
{
    if (std::isnan(value))
        return std::numeric_limits<Whole>::max();
    constexpr Whole sign = Whole{1} << (sizeof(Whole) * 8 - 1);
    const Whole bits = std::bit_cast<Whole>(value == 0 ? Value{0} : value);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

std::uint32_t keyOf(float value) { return ascendingKey<std::uint32_t>(value); }
std::uint64_t keyOf(double value) { return ascendingKey<std::uint64_t>(value); }

template <class Key, class Position, class KeyAt>
void sortBy(Array<Position>& positions, unsigned bits, bool descending, Progress* progress, const KeyAt& keyAt)
{
    if (progress)
        progress->begin("sorting", positions.size() * (1 + 2 * radix::digitsOf(bits)));
    radix::Buffers<Position, Key> buffers;
    buffers.payloads.swap(positions);
    buffers.keys.resize(buffers.payloads.size());
    const Key last = bits == sizeof(Key) * 8 ? std::numeric_limits<Key>::max() : (Key{1} << bits) - 1;
    forEachChunk(buffers.payloads.size(), entriesPerChunk, progress, [&](Count, Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
            buffers.keys[i] = keyAt(buffers.payloads[i], last, descending);
    });
    radix::sort(buffers, bits, progress);
    positions.swap(buffers.payloads);
}

template <class Position>
void sortPositions(Array<Position>& positions, const SparseTensor& tensor, const EntryOrder& order, Progress* progress)
{
    if (order.column < tensor.order()) {
        const Array<Index>& column = tensor.indices[order.column];
        const std::vector<Index>* ranks = order.ranks.get();
        const auto keyAt = [&column, ranks](Count e, Index last, bool descending) {
            const Index key = ranks ? (*ranks)[column[e]] : column[e];
            return descending ? last - key : key;
        };
        return sortBy<Index>(positions, indexBits(tensor.modes[order.column].size), order.descending, progress, keyAt);
    }
    std::visit(
        [&](const auto& values) {
            using Key = decltype(keyOf(values[0]));
            const auto keyAt = [&values](Count e, Key last, bool descending) {
                const Key key = keyOf(values[e]);
                return descending && key != last ? last - key : key;
            };
            sortBy<Key>(positions, sizeof(Key) * 8, order.descending, progress, keyAt);
        },
        tensor.values);
}

/// A tensor that lies sorted is sorted by its first mode.
bool liesSo(const SparseTensor& tensor, const EntryOrder& order)
{
    return order.column == EntryOrder::asStored || (order.column == 0 && tensor.sorted && !order.descending && !order.ranks);
}

template <class Position> EntryView view(const SparseTensor& tensor, const EntryFilter& filter, const EntryOrder& order, Progress* progress)
{
    Array<Position> positions =
        filter.passesAll() ? everything<Position>(tensor.entries(), progress) : select<Position>(tensor, filter, progress);
    if (!liesSo(tensor, order))
        sortPositions(positions, tensor, order, progress);
    return EntryView(std::move(positions));
}

[[noreturn]] void refuse(const char* what, const std::string& found, const std::string& expected)
{
    throw Error(ErrorKind::BadArgument, {what, "looking at entries", found, expected, {}});
}

void check(const SparseTensor& tensor, const EntryFilter& filter, const EntryOrder& order)
{
    for (const EntryFilter::InMode& in : filter.modes)
        if (in.mode >= tensor.order())
            refuse("there is no such mode", fmt::format("{}", in.mode + 1), fmt::format("1 to {}", tensor.order()));
    if (filter.repeatedOnly && !tensor.sorted)
        refuse("equal coordinates are found in a sorted tensor only", {}, {});
    if (order.column != EntryOrder::asStored && order.column > tensor.order())
        refuse("there is no such column", fmt::format("{}", order.column + 1), fmt::format("1 to {}", tensor.order() + 1));
    if (order.column < tensor.order() && order.ranks && order.ranks->size() != tensor.modes[order.column].size)
        refuse("a rank for each index is needed", fmt::format("{}", order.ranks->size()),
               fmt::format("{}", tensor.modes[order.column].size));
}

std::uint64_t viewBytes(const SparseTensor& tensor, const EntryFilter& filter, const EntryOrder& order, std::uint64_t position)
{
    const std::uint64_t key = order.column == tensor.order() && tensor.hasDoubleValues() ? 8 : 4;
    const std::uint64_t sorting = liesSo(tensor, order) ? position : 2 * (position + key);
    return tensor.entries() * sorting + (filter.passesAll() ? 0 : tensor.entries() / 8);
}

std::uint64_t positionBytes(const SparseTensor& tensor, Count mostNarrow)
{
    return tensor.entries() <= mostNarrow ? sizeof(std::uint32_t) : sizeof(Count);
}

} // namespace

IndexRanges tidied(IndexRanges ranges)
{
    for (auto& [first, last] : ranges)
        if (last < first)
            std::swap(first, last);
    std::sort(ranges.begin(), ranges.end());
    IndexRanges result;
    for (const auto& [first, last] : ranges) {
        const bool joins = !result.empty() && (first <= result.back().second || first - 1 == result.back().second);
        if (joins)
            result.back().second = std::max(result.back().second, last);
        else
            result.emplace_back(first, last);
    }
    return result;
}

Count EntryView::entries() const
{
    if (const auto* narrow = std::get_if<1>(&m_positions))
        return narrow->size();
    const auto* wide = std::get_if<2>(&m_positions);
    return wide ? wide->size() : m_all;
}

Count EntryView::operator[](Count row) const
{
    if (const auto* narrow = std::get_if<1>(&m_positions))
        return (*narrow)[row];
    const auto* wide = std::get_if<2>(&m_positions);
    return wide ? (*wide)[row] : row;
}

std::uint64_t EntryView::bytes() const
{
    return entries() * (m_positions.index() == 1 ? sizeof(std::uint32_t) : m_positions.index() == 2 ? sizeof(Count) : 0);
}

std::uint64_t entryViewBytes(const SparseTensor& tensor, const EntryFilter& filter, const EntryOrder& order)
{
    return viewBytes(tensor, filter, order, positionBytes(tensor, std::numeric_limits<std::uint32_t>::max()));
}

EntryView viewEntries(const SparseTensor& tensor, const EntryFilter& filter, const EntryOrder& order, Progress* progress, Count mostNarrow)
{
    check(tensor, filter, order);
    if (filter.passesAll() && liesSo(tensor, order))
        return EntryView(tensor.entries());
    const std::uint64_t position = positionBytes(tensor, mostNarrow);
    requireHostMemory(viewBytes(tensor, filter, order, position),
                      "Sorting needs two copies of keys and positions of the entries; filter them first.");
    return position == sizeof(Count) ? view<Count>(tensor, filter, order, progress) : view<std::uint32_t>(tensor, filter, order, progress);
}

SparseTensor gather(const SparseTensor& tensor, const EntryView& entries, Progress* progress)
{
    const Count rows = entries.entries();
    requireHostMemory(rows * (tensor.order() * sizeof(Index) + (tensor.hasDoubleValues() ? sizeof(double) : sizeof(float))),
                      "The entries that are shown are copied; filter them further.");
    if (progress)
        progress->begin("collecting entries", rows * (tensor.order() + 1));
    SparseTensor result = emptyLike(tensor, rows);
    const auto collect = [&](auto& to, const auto& from) {
        forEachChunk(rows, entriesPerChunk, progress, [&](Count, Count begin, Count end) {
            for (Count row = begin; row < end; ++row)
                to[row] = from[entries[row]];
        });
    };
    for (unsigned n = 0; n < tensor.order(); ++n)
        collect(result.indices[n], tensor.indices[n]);
    std::visit([&](const auto& from) { collect(std::get<std::decay_t<decltype(from)>>(result.values), from); }, tensor.values);
    return result;
}

} // namespace kernels
