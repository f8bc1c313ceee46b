// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/entry_order.h"

#include "kernels/algorithms/fasttucker_plus/inverse_permutation.h"
#include "kernels/base/chunks.h"
#include "kernels/base/golden_stride.h"
#include "kernels/tensor/entry_keys.h"
#include "kernels/tensor/radix_sort.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace kernels::fasttucker_plus {
namespace {

constexpr Count positionsPerChunk = Count{1} << 15;
/// Numbers of a block's rows: 512 KiB in single precision, half a core's second-level cache.
constexpr std::uint64_t blockElements = std::uint64_t{1} << 17;

/// Whether 32 bits hold positions; keys of these columns.
bool fitNarrow(Count entries) { return entries <= std::numeric_limits<std::uint32_t>::max(); }
bool haveNarrowKeys(const std::vector<Index>& sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), 0U, [](unsigned bits, Index size) { return bits + indexBits(size); }) <= 32;
}

/// Entries stand at first where the shuffle puts them. They are read in their own order, which is that of memory, and written to
/// their places: one scattered access an entry rather than one a column.
template <class Position, class Key>
Array<Position> sortedBy(const SparseTensor& tensor, const std::vector<SortColumn>& columns, const std::vector<Index>& sizes,
                         const std::vector<KeyPart>& parts, std::optional<std::uint64_t> seed, RunControl& control)
{
    const Count entries = tensor.entries();
    const InversePermutation place(loadOrder(std::max<Count>(entries, 1), seed.value_or(0)));
    const auto keyOf = [&](const KeyPart& part, Count entry) {
        std::uint64_t key = 0;
        for (unsigned c = part.first; c <= part.last; ++c)
            key = key << indexBits(sizes[c]) | std::uint64_t{tensor.indices[columns[c].mode][entry]} >> columns[c].shift;
        return static_cast<Key>(key);
    };
    radix::Buffers<Position, Key> buffers;
    buffers.keys.resize(entries);
    buffers.payloads.resize(entries);
    forEachChunk(entries, positionsPerChunk, control, [&](Count, Count begin, Count end) {
        for (Count e = begin; e < end; ++e) {
            const Count at = seed ? place.of(e) : e;
            buffers.payloads[at] = static_cast<Position>(e);
            if (!parts.empty())
                buffers.keys[at] = keyOf(parts.front(), e);
        }
    });
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (p > 0)
            forEachChunk(entries, positionsPerChunk, control, [&](Count, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    buffers.keys[i] = keyOf(parts[p], buffers.payloads[i]);
            });
        radix::sort(buffers, parts[p].bits, control);
    }
    return std::move(buffers.payloads);
}

Array<Count> asCounts(const Array<std::uint32_t>& positions, RunControl& control)
{
    Array<Count> counts(positions.size());
    forEachChunk(positions.size(), positionsPerChunk, control, [&](Count, Count begin, Count end) {
        std::copy(positions.begin() + static_cast<std::ptrdiff_t>(begin), positions.begin() + static_cast<std::ptrdiff_t>(end),
                  counts.begin() + static_cast<std::ptrdiff_t>(begin));
    });
    return counts;
}

} // namespace

Array<Count> sortedPositions(const SparseTensor& tensor, const std::vector<SortColumn>& columns, std::optional<std::uint64_t> seed,
                             RunControl& control)
{
    std::vector<Index> sizes;
    for (const SortColumn& column : columns)
        sizes.push_back(static_cast<Index>((std::uint64_t{tensor.dims()[column.mode] - 1} >> column.shift) + 1));
    const std::vector<KeyPart> parts = keyParts(sizes);
    if (!fitNarrow(tensor.entries()))
        return sortedBy<Count, std::uint64_t>(tensor, columns, sizes, parts, seed, control);
    return haveNarrowKeys(sizes) ? asCounts(sortedBy<std::uint32_t, std::uint32_t>(tensor, columns, sizes, parts, seed, control), control)
                                 : asCounts(sortedBy<std::uint32_t, std::uint64_t>(tensor, columns, sizes, parts, seed, control), control);
}

std::uint64_t sortingBytes(Count entries, const std::vector<Index>& sizes)
{
    const bool narrow = fitNarrow(entries), narrowKeys = narrow && haveNarrowKeys(sizes);
    return entries * 2 * ((narrow ? 4 : 8) + (narrowKeys ? 4 : 8));
}

std::vector<unsigned> blockBits(const std::vector<Index>& dims, const std::vector<unsigned>& ranks, std::uint64_t mostBlocks)
{
    std::vector<unsigned> bits;
    for (const Index size : dims)
        bits.push_back(indexBits(size));
    const auto elements = [&](std::size_t n) { return (std::uint64_t{1} << bits[n]) * std::max(ranks[n], 16U); };
    while (true) {
        std::uint64_t sum = 0;
        std::size_t largest = 0;
        for (std::size_t n = 0; n < bits.size(); ++n) {
            sum += elements(n);
            largest = elements(n) > elements(largest) ? n : largest;
        }
        if (sum <= blockElements || bits[largest] == 0 || 2 * blockCount(dims, bits) > mostBlocks)
            return bits;
        --bits[largest];
    }
}

std::uint64_t blockCount(const std::vector<Index>& dims, const std::vector<unsigned>& bits)
{
    constexpr std::uint64_t most = std::uint64_t{1} << 40; // more than there are entries for
    std::uint64_t count = 1;
    for (std::size_t n = 0; n < dims.size(); ++n)
        count = std::min(most, count * std::min(most >> 20, ((std::uint64_t{dims[n]} - 1) >> bits[n]) + 1));
    return count;
}

Arrangement::Arrangement(const SparseTensor& tensor, const std::vector<unsigned>& ranks, const Ordering& ordering, std::uint64_t seed,
                         RunControl& control)
    : m_order(ordering.order)
    , m_shuffle(loadOrder(std::max<Count>(tensor.entries(), 1), seed))
{
    if (!ordering.sorts())
        return;
    std::vector<SortColumn> columns{{ordering.sortMode, 0}};
    if (m_order == EntryOrder::Blocked) {
        const std::vector<unsigned> bits = blockBits(tensor.dims(), ranks, std::max<Count>(tensor.entries(), 1));
        columns.clear();
        for (unsigned n = 0; n < tensor.order(); ++n)
            columns.push_back({n, bits[n]});
        std::stable_sort(columns.begin(), columns.end(), [&](const SortColumn& a, const SortColumn& b) {
            return tensor.dims()[a.mode] > tensor.dims()[b.mode]; // rows of the longest mode stay longest
        });
    }
    m_positions = sortedPositions(tensor, columns, seed, control);
}

Visits::Visits(const std::vector<Index>& dims, const std::vector<unsigned>& ranks, Count entries, const Ordering& ordering,
               std::uint64_t seed, bool inTurn)
    : m_entries(entries)
    , m_seed(seed)
    , m_reshuffles(!inTurn && (ordering.order == EntryOrder::Shuffled || ordering.order == EntryOrder::Blocked))
{
    if (ordering.order != EntryOrder::Blocked)
        return;
    // All blocks of a part of the longest mode follow one another and share its rows; a few stretches are left to shuffle.
    const std::vector<unsigned> bits = blockBits(dims, ranks, std::max<Count>(entries, 1));
    const auto longest = static_cast<std::size_t>(std::max_element(dims.begin(), dims.end()) - dims.begin());
    const Count parts = std::max<Count>(((Count{dims[longest]} - 1) >> bits[longest]) + 1, 8);
    m_stretchBits = std::max(visitingBits, static_cast<unsigned>(std::bit_width(std::max<Count>(entries / parts, 1))) - 1);
}

Visits::Visits(Count entries, unsigned stretchBits, std::uint64_t seed)
    : m_entries(entries)
    , m_seed(seed)
    , m_stretchBits(stretchBits)
    , m_stride(goldenStride(std::max<Count>(entries >> stretchBits, 1)))
{
}

} // namespace kernels::fasttucker_plus
