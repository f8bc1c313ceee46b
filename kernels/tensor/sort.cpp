// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/sort.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/entry_keys.h"
#include "kernels/tensor/radix_sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

namespace kernels {
namespace {

constexpr Count entriesPerChunk = radix::entriesPerChunk;

// Where a step reports to and who may cancel it: a Progress, which may be null, or a run.

void beginStage(Progress* progress, const char* stage, Count total)
{
    if (progress)
        progress->begin(stage, total);
}
void beginStage(RunControl&, const char*, Count) { }

/// For steps that no total counts.
template <class Body> void forEachChunkUncounted(Count total, Progress* progress, const Body& body)
{
    forEachChunk(total, entriesPerChunk, nullptr, [&](Count chunk, Count begin, Count end) {
        if (progress)
            progress->throwIfCancelled();
        body(chunk, begin, end);
    });
}
template <class Body> void forEachChunkUncounted(Count total, RunControl& control, const Body& body)
{
    forEachChunk(total, entriesPerChunk, control, body);
}

/// For steps that change the tensor itself: no cancel for a Progress, a run throws its copy away.
template <class Body> void forEachChunkInPlace(Count total, Progress* progress, const Body& body)
{
    forEachChunk(total, entriesPerChunk, nullptr, [&](Count chunk, Count begin, Count end) {
        body(chunk, begin, end);
        if (progress)
            progress->advance(end - begin);
    });
}
template <class Body> void forEachChunkInPlace(Count total, RunControl& control, const Body& body)
{
    forEachChunk(total, entriesPerChunk, control, body);
}

std::uint64_t keyOf(const SparseTensor& tensor, const KeyPart& part, Count entry)
{
    std::uint64_t key = tensor.indices[part.first][entry];
    for (unsigned n = part.first + 1; n <= part.last; ++n)
        key = (key << indexBits(tensor.modes[n].size)) | tensor.indices[n][entry];
    return key;
}

/// Negative, zero or positive as a comes before, with or after b.
int compare(const SparseTensor& tensor, Count a, Count b)
{
    for (const auto& indices : tensor.indices) {
        if (indices[a] != indices[b])
            return indices[a] < indices[b] ? -1 : 1;
    }
    return 0;
}

template <class Watch> bool inOrder(const SparseTensor& tensor, Watch& watch)
{
    if (tensor.sorted || tensor.entries() < 2)
        return true;
    std::atomic<bool> ordered{true};
    forEachChunkUncounted(tensor.entries() - 1, watch, [&](Count, Count begin, Count end) {
        for (Count e = begin; e < end && ordered.load(std::memory_order_relaxed); ++e) {
            if (compare(tensor, e, e + 1) > 0)
                ordered.store(false, std::memory_order_relaxed);
        }
    });
    return ordered;
}

/// The order as positions of the given width; they are half the traffic where 32 bits hold them.
template <class Position, class Watch> Array<Position> sortedPositions(const SparseTensor& tensor, Watch& watch)
{
    const Count entries = tensor.entries();
    const std::vector<KeyPart> parts = keyParts(tensor.dims());
    unsigned passes = 0;
    for (const KeyPart& part : parts)
        passes += 1 + 2 * radix::digitsOf(part.bits);
    requireHostMemory(entries * 2 * (sizeof(std::uint64_t) + sizeof(Position)),
                      "Sorting needs two copies of keys and positions; use fewer entries.");
    beginStage(watch, "sorting", entries * passes);

    radix::Buffers<Position> buffers;
    buffers.keys.resize(entries);
    buffers.payloads.resize(entries);
    bool first = true;
    for (const KeyPart& part : parts) {
        forEachChunk(entries, entriesPerChunk, watch, [&](Count, Count begin, Count end) {
            for (Count e = begin; e < end; ++e) {
                if (first)
                    buffers.payloads[e] = static_cast<Position>(e);
                buffers.keys[e] = keyOf(tensor, part, buffers.payloads[e]);
            }
        });
        radix::sort(buffers, part.bits, watch);
        first = false;
    }
    return std::move(buffers.payloads);
}

template <class Position, class Element, class Watch>
void gatherInto(Array<Element>& to, const Array<Element>& from, const Array<Position>& positions, Watch& watch)
{
    forEachChunk(positions.size(), entriesPerChunk, watch, [&](Count, Count begin, Count end) {
        for (Count e = begin; e < end; ++e)
            to[e] = from[positions[e]];
    });
}

template <class Position, class Watch>
SparseTensor gatherWatched(const SparseTensor& tensor, const Array<Position>& positions, Watch& watch)
{
    SparseTensor result = emptyLike(tensor, positions.size());
    for (unsigned n = 0; n < tensor.order(); ++n)
        gatherInto(result.indices[n], tensor.indices[n], positions, watch);
    std::visit([&](const auto& from) { gatherInto(std::get<std::decay_t<decltype(from)>>(result.values), from, positions, watch); },
               tensor.values);
    result.sorted = tensor.sorted && std::is_sorted(positions.begin(), positions.end());
    return result;
}

template <class Position, class Watch> void sortByPositions(SparseTensor& tensor, Watch& watch)
{
    const Array<Position> positions = sortedPositions<Position>(tensor, watch);
    beginStage(watch, "reordering", tensor.entries() * (tensor.order() + 1));
    // Everything is built beside the old arrays first: a cancel leaves the tensor whole.
    SparseTensor result = emptyLike(tensor, tensor.entries());
    for (unsigned n = 0; n < tensor.order(); ++n)
        gatherInto(result.indices[n], tensor.indices[n], positions, watch);
    std::visit([&](const auto& from) { gatherInto(std::get<std::decay_t<decltype(from)>>(result.values), from, positions, watch); },
               tensor.values);
    tensor.indices.swap(result.indices);
    tensor.values.swap(result.values);
}

/// Where one key holds all modes: the values travel with the keys and the indices are read back from
/// them, so nothing is ever fetched from a random place.
template <class Value, class Watch> void sortByPackedKeys(SparseTensor& tensor, const KeyPart& part, Array<Value>& values, Watch& watch)
{
    const Count entries = tensor.entries();
    requireHostMemory(entries * (2 * sizeof(std::uint64_t) + 2 * sizeof(Value)),
                      "Sorting needs two copies of keys and values; use fewer entries.");
    beginStage(watch, "sorting", entries * (2 + 2 * radix::digitsOf(part.bits)));
    radix::Buffers<Value> buffers;
    buffers.keys.resize(entries);
    buffers.payloads.resize(entries);
    forEachChunk(entries, entriesPerChunk, watch, [&](Count, Count begin, Count end) {
        for (Count e = begin; e < end; ++e)
            buffers.keys[e] = keyOf(tensor, part, e);
        std::copy(values.begin() + begin, values.begin() + end, buffers.payloads.begin() + begin);
    });
    radix::sort(buffers, part.bits, watch);
    forEachChunkInPlace(entries, watch, [&](Count, Count begin, Count end) {
        unsigned shift = 0;
        for (unsigned n = tensor.order(); n-- > 0;) {
            const unsigned bits = indexBits(tensor.modes[n].size);
            const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
            for (Count e = begin; e < end; ++e)
                tensor.indices[n][e] = bits == 0 ? 0 : static_cast<Index>((buffers.keys[e] >> shift) & mask);
            shift += bits;
        }
    });
    values.swap(buffers.payloads);
}

template <class Watch> void sortEntries(SparseTensor& tensor, Watch& watch)
{
    if (!inOrder(tensor, watch)) {
        const std::vector<KeyPart> parts = keyParts(tensor.dims());
        if (parts.size() == 1)
            std::visit([&](auto& values) { sortByPackedKeys(tensor, parts.front(), values, watch); }, tensor.values);
        else if (tensor.entries() > std::numeric_limits<std::uint32_t>::max())
            sortByPositions<Count>(tensor, watch);
        else
            sortByPositions<std::uint32_t>(tensor, watch);
    }
    tensor.sorted = true;
}

std::string coordinate(const SparseTensor& tensor, Count entry)
{
    std::string text;
    for (const auto& indices : tensor.indices)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", std::uint64_t{indices[entry]} + 1);
    return text;
}

[[noreturn]] void refuseFirstDuplicate(const SparseTensor& tensor)
{
    Count entry = 1;
    while (compare(tensor, entry - 1, entry) != 0)
        ++entry;
    throw Error(ErrorKind::BadInput,
                {fmt::format("the coordinate ({}) occurs more than once", coordinate(tensor, entry)),
                 "duplicates",
                 {},
                 {},
                 "Choose to sum, average or keep the last of equal coordinates."});
}

/// The one value that stands for entries begin … end−1, which share a coordinate.
template <class Value> double merged(const Array<Value>& values, Count begin, Count end, Duplicates policy)
{
    if (policy == Duplicates::Last || end == begin + 1)
        return static_cast<double>(values[end - 1]);
    if (policy == Duplicates::Max)
        return static_cast<double>(
            *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end)));
    double sum = 0;
    for (Count e = begin; e < end; ++e)
        sum += static_cast<double>(values[e]);
    return policy == Duplicates::Mean ? sum / static_cast<double>(end - begin) : sum;
}

/// First entries of runs of equal coordinates, as counts before each chunk; the last element is how many there are.
std::vector<Count> runsBeforeChunks(const SparseTensor& tensor, Progress* progress)
{
    const Count entries = tensor.entries();
    std::vector<Count> runs(chunkCount(entries, entriesPerChunk) + 1, 0);
    forEachChunk(entries, entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) {
        Count count = 0;
        for (Count e = begin; e < end; ++e)
            count += e == 0 || compare(tensor, e - 1, e) != 0;
        runs[chunk + 1] = count;
    });
    std::partial_sum(runs.begin(), runs.end(), runs.begin());
    return runs;
}

template <class Watch> Array<Count> orderWatched(const SparseTensor& tensor, Watch& watch)
{
    const Count entries = tensor.entries();
    Array<Count> result;
    if (inOrder(tensor, watch)) {
        result.resize(entries);
        forEachChunk(entries, entriesPerChunk, nullptr,
                     [&](Count, Count begin, Count end) { std::iota(result.begin() + begin, result.begin() + end, begin); });
        return result;
    }
    if (entries > std::numeric_limits<std::uint32_t>::max())
        return sortedPositions<Count>(tensor, watch);
    const Array<std::uint32_t> positions = sortedPositions<std::uint32_t>(tensor, watch);
    result.resize(entries);
    forEachChunk(entries, entriesPerChunk, nullptr, [&](Count, Count begin, Count end) {
        std::copy(positions.begin() + begin, positions.begin() + end, result.begin() + begin);
    });
    return result;
}

template <class To, class From> void copyInto(Array<To>& to, const Array<From>& from, RunControl& control)
{
    forEachChunk(from.size(), entriesPerChunk, control, [&](Count, Count begin, Count end) {
        std::transform(from.begin() + begin, from.begin() + end, to.begin() + begin, [](From x) { return static_cast<To>(x); });
    });
}

} // namespace

Array<Count> lexicographicOrder(const SparseTensor& tensor, Progress* progress) { return orderWatched(tensor, progress); }

Array<Count> lexicographicOrder(const SparseTensor& tensor, RunControl& control) { return orderWatched(tensor, control); }

SparseTensor sortedCopy(const SparseTensor& tensor, const std::vector<unsigned>& modeOrder, bool doubleValues, RunControl& control)
{
    std::vector<Index> dims;
    for (const unsigned mode : modeOrder)
        dims.push_back(tensor.modes[mode].size);
    SparseTensor copy(dims, tensor.entries(), doubleValues);
    for (std::size_t k = 0; k < modeOrder.size(); ++k)
        copyInto(copy.indices[k], tensor.indices[modeOrder[k]], control);
    std::visit([&](auto& to, const auto& from) { copyInto(to, from, control); }, copy.values, tensor.values);
    copy.sorted = tensor.sorted && std::is_sorted(modeOrder.begin(), modeOrder.end());
    sortLexicographically(copy, control);
    return copy;
}

void sortLexicographically(SparseTensor& tensor, Progress* progress) { sortEntries(tensor, progress); }

void sortLexicographically(SparseTensor& tensor, RunControl& control) { sortEntries(tensor, control); }

std::uint64_t sortBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    const Count offsets = chunkCount(entries, entriesPerChunk) << radix::widestDigit;
    const std::uint64_t position = entries > std::numeric_limits<std::uint32_t>::max() ? 8 : 4;
    if (keyParts(dims).size() == 1)
        return entries * 2 * (sizeof(std::uint64_t) + valueBytes) + offsets * sizeof(Count);
    const std::uint64_t sorting = entries * 2 * (sizeof(std::uint64_t) + position) + offsets * sizeof(Count);
    return std::max(sorting, entries * (position + dims.size() * sizeof(Index) + valueBytes));
}

Count mergeDuplicates(SparseTensor& tensor, Duplicates policy, Progress* progress)
{
    if (!inOrder(tensor, progress))
        throw Error(ErrorKind::Internal, "duplicates can be merged in a sorted tensor only");
    const Count entries = tensor.entries();
    if (progress)
        progress->begin("looking for duplicates", 2 * entries);
    const std::vector<Count> runs = runsBeforeChunks(tensor, progress);
    const Count duplicates = entries - runs.back();
    if (duplicates == 0 || policy == Duplicates::Keep)
        return duplicates;
    if (policy == Duplicates::Error)
        refuseFirstDuplicate(tensor);

    SparseTensor result = emptyLike(tensor, runs.back());
    forEachChunk(entries, entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) {
        Count to = runs[chunk];
        for (Count e = begin; e < end; ++e) {
            if (e > 0 && compare(tensor, e - 1, e) == 0)
                continue; // belongs to the run of an entry before, perhaps in another chunk
            Count runEnd = e + 1;
            while (runEnd < entries && compare(tensor, e, runEnd) == 0)
                ++runEnd;
            for (unsigned n = 0; n < tensor.order(); ++n)
                result.indices[n][to] = tensor.indices[n][e];
            result.setValue(to, std::visit([&](const auto& values) { return merged(values, e, runEnd, policy); }, tensor.values));
            ++to;
        }
    });
    result.sorted = true;
    tensor = std::move(result);
    return duplicates;
}

SparseTensor gather(const SparseTensor& tensor, const Array<Count>& positions)
{
    Progress* unwatched = nullptr;
    return gatherWatched(tensor, positions, unwatched);
}

SparseTensor gather(const SparseTensor& tensor, const Array<Count>& positions, RunControl& control)
{
    return gatherWatched(tensor, positions, control);
}

} // namespace kernels
