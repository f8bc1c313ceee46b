// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/sort.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/radix_sort.h"

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <limits>
#include <numeric>

namespace kernels {
namespace {

constexpr Count entriesPerChunk = radix::entriesPerChunk;

unsigned bitsOf(const Mode& mode) { return static_cast<unsigned>(std::bit_width(mode.size - 1)); }

/// Neighbouring modes whose bits fit one 64-bit key together.
struct KeyPart {
    unsigned firstMode = 0, lastMode = 0; // inclusive
    unsigned bits = 0;
};

/// From the last mode to the first, as few parts as will do.
std::vector<KeyPart> keyParts(const SparseTensor& tensor)
{
    std::vector<KeyPart> parts;
    for (unsigned n = tensor.order(); n-- > 0;) {
        const unsigned bits = bitsOf(tensor.modes[n]);
        if (parts.empty() || parts.back().bits + bits > 64)
            parts.push_back({n, n, 0});
        parts.back().firstMode = n;
        parts.back().bits += bits;
    }
    return parts;
}

std::uint64_t keyOf(const SparseTensor& tensor, const KeyPart& part, Count entry)
{
    std::uint64_t key = tensor.indices[part.firstMode][entry];
    for (unsigned n = part.firstMode + 1; n <= part.lastMode; ++n)
        key = (key << bitsOf(tensor.modes[n])) | tensor.indices[n][entry];
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

bool inOrder(const SparseTensor& tensor, Progress* progress)
{
    if (tensor.sorted || tensor.entries() < 2)
        return true;
    std::atomic<bool> ordered{true};
    forEachChunk(tensor.entries() - 1, entriesPerChunk, nullptr, [&](Count, Count begin, Count end) {
        if (progress)
            progress->throwIfCancelled();
        for (Count e = begin; e < end && ordered.load(std::memory_order_relaxed); ++e) {
            if (compare(tensor, e, e + 1) > 0)
                ordered.store(false, std::memory_order_relaxed);
        }
    });
    return ordered;
}

/// The order as positions of the given width; they are half the traffic where 32 bits hold them.
template <class Position> Array<Position> sortedPositions(const SparseTensor& tensor, Progress* progress)
{
    const Count entries = tensor.entries();
    const std::vector<KeyPart> parts = keyParts(tensor);
    unsigned passes = 0;
    for (const KeyPart& part : parts)
        passes += 1 + 2 * radix::digitsOf(part.bits);
    requireHostMemory(entries * 2 * (sizeof(std::uint64_t) + sizeof(Position)),
                      "Sorting needs two copies of keys and positions; use fewer entries.");
    if (progress)
        progress->begin("sorting", entries * passes);

    radix::Buffers<Position> buffers;
    buffers.keys.resize(entries);
    buffers.payloads.resize(entries);
    bool first = true;
    for (const KeyPart& part : parts) {
        forEachChunk(entries, entriesPerChunk, progress, [&](Count, Count begin, Count end) {
            for (Count e = begin; e < end; ++e) {
                if (first)
                    buffers.payloads[e] = static_cast<Position>(e);
                buffers.keys[e] = keyOf(tensor, part, buffers.payloads[e]);
            }
        });
        radix::sort(buffers, part.bits, progress);
        first = false;
    }
    return std::move(buffers.payloads);
}

template <class Position, class Element>
void gatherInto(Array<Element>& to, const Array<Element>& from, const Array<Position>& positions, Progress* progress)
{
    forEachChunk(positions.size(), entriesPerChunk, progress, [&](Count, Count begin, Count end) {
        for (Count e = begin; e < end; ++e)
            to[e] = from[positions[e]];
    });
}

template <class Position> void sortByPositions(SparseTensor& tensor, Progress* progress)
{
    const Array<Position> positions = sortedPositions<Position>(tensor, progress);
    if (progress)
        progress->begin("reordering", tensor.entries() * (tensor.order() + 1));
    // Everything is built beside the old arrays first: a cancel leaves the tensor whole.
    SparseTensor result = emptyLike(tensor, tensor.entries());
    for (unsigned n = 0; n < tensor.order(); ++n)
        gatherInto(result.indices[n], tensor.indices[n], positions, progress);
    std::visit([&](const auto& from) { gatherInto(std::get<std::decay_t<decltype(from)>>(result.values), from, positions, progress); },
               tensor.values);
    tensor.indices.swap(result.indices);
    tensor.values.swap(result.values);
}

/// Where one key holds all modes: the values travel with the keys and the indices are read back from
/// them, so nothing is ever fetched from a random place.
template <class Value> void sortByPackedKeys(SparseTensor& tensor, const KeyPart& part, Array<Value>& values, Progress* progress)
{
    const Count entries = tensor.entries();
    requireHostMemory(entries * (2 * sizeof(std::uint64_t) + 2 * sizeof(Value)),
                      "Sorting needs two copies of keys and values; use fewer entries.");
    if (progress)
        progress->begin("sorting", entries * (2 + 2 * radix::digitsOf(part.bits)));
    radix::Buffers<Value> buffers;
    buffers.keys.resize(entries);
    buffers.payloads.resize(entries);
    forEachChunk(entries, entriesPerChunk, progress, [&](Count, Count begin, Count end) {
        for (Count e = begin; e < end; ++e)
            buffers.keys[e] = keyOf(tensor, part, e);
        std::copy(values.begin() + begin, values.begin() + end, buffers.payloads.begin() + begin);
    });
    radix::sort(buffers, part.bits, progress);
    forEachChunk(entries, entriesPerChunk, nullptr, [&](Count, Count begin, Count end) { // no cancel: the tensor changes
        unsigned shift = 0;
        for (unsigned n = tensor.order(); n-- > 0;) {
            const unsigned bits = bitsOf(tensor.modes[n]);
            const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
            for (Count e = begin; e < end; ++e)
                tensor.indices[n][e] = bits == 0 ? 0 : static_cast<Index>((buffers.keys[e] >> shift) & mask);
            shift += bits;
        }
        if (progress)
            progress->advance(end - begin);
    });
    values.swap(buffers.payloads);
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

} // namespace

Array<Count> lexicographicOrder(const SparseTensor& tensor, Progress* progress)
{
    const Count entries = tensor.entries();
    Array<Count> result;
    if (inOrder(tensor, progress)) {
        result.resize(entries);
        forEachChunk(entries, entriesPerChunk, nullptr,
                     [&](Count, Count begin, Count end) { std::iota(result.begin() + begin, result.begin() + end, begin); });
        return result;
    }
    if (entries > std::numeric_limits<std::uint32_t>::max())
        return sortedPositions<Count>(tensor, progress);
    const Array<std::uint32_t> positions = sortedPositions<std::uint32_t>(tensor, progress);
    result.resize(entries);
    forEachChunk(entries, entriesPerChunk, nullptr, [&](Count, Count begin, Count end) {
        std::copy(positions.begin() + begin, positions.begin() + end, result.begin() + begin);
    });
    return result;
}

void sortLexicographically(SparseTensor& tensor, Progress* progress)
{
    if (!inOrder(tensor, progress)) {
        const std::vector<KeyPart> parts = keyParts(tensor);
        if (parts.size() == 1)
            std::visit([&](auto& values) { sortByPackedKeys(tensor, parts.front(), values, progress); }, tensor.values);
        else if (tensor.entries() > std::numeric_limits<std::uint32_t>::max())
            sortByPositions<Count>(tensor, progress);
        else
            sortByPositions<std::uint32_t>(tensor, progress);
    }
    tensor.sorted = true;
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
    SparseTensor result = emptyLike(tensor, positions.size());
    for (unsigned n = 0; n < tensor.order(); ++n)
        gatherInto(result.indices[n], tensor.indices[n], positions, nullptr);
    std::visit([&](const auto& from) { gatherInto(std::get<std::decay_t<decltype(from)>>(result.values), from, positions, nullptr); },
               tensor.values);
    result.sorted = tensor.sorted && std::is_sorted(positions.begin(), positions.end());
    return result;
}

} // namespace kernels
