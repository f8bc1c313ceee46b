// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/chunks.h"

#include <bit>
#include <cstddef>

/// A parallel stable radix sort, least significant digit first, of keys that each carry a payload.
namespace kernels::radix {

constexpr Count entriesPerChunk = Count{1} << 16;
constexpr unsigned widestDigit = 9; ///< 512 open streams per thread still fit the second-level TLB and L2

/// Payload is any plain number, Key an unsigned one. Costs per digit: keys and payloads read once more for counting, then read and written
/// once.
template <class Payload, class Key = std::uint64_t> struct Buffers {
    Array<Key> keys, otherKeys;
    Array<Payload> payloads, otherPayloads;
};

/// Counts per chunk and digit value → where each chunk's first element of that value goes.
inline void countsToOffsets(Array<Count>& counts, std::size_t values)
{
    const std::size_t chunks = counts.size() / values;
    std::vector<Count> next(values, 0);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk)
        for (std::size_t v = 0; v < values; ++v)
            next[v] += counts[chunk * values + v];
    Count sum = 0;
    for (Count& n : next)
        sum += std::exchange(n, sum);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk)
        for (std::size_t v = 0; v < values; ++v)
            next[v] += std::exchange(counts[chunk * values + v], next[v]);
}

template <class Payload, class Key, class Watch> void sortByDigit(Buffers<Payload, Key>& b, unsigned shift, unsigned bits, Watch& watch)
{
    const Count entries = b.keys.size();
    const std::size_t values = std::size_t{1} << bits;
    const std::uint64_t mask = values - 1;
    Array<Count> offsets(chunkCount(entries, entriesPerChunk) * values);
    forEachChunk(entries, entriesPerChunk, watch, [&](Count chunk, Count begin, Count end) {
        Count* counts = offsets.data() + chunk * values;
        std::fill(counts, counts + values, Count{0});
        for (Count e = begin; e < end; ++e)
            ++counts[(b.keys[e] >> shift) & mask];
    });
    countsToOffsets(offsets, values);
    forEachChunk(entries, entriesPerChunk, watch, [&](Count chunk, Count begin, Count end) {
        Count* next = offsets.data() + chunk * values;
        for (Count e = begin; e < end; ++e) {
            const Key key = b.keys[e];
            const Count to = next[(key >> shift) & mask]++;
            b.otherKeys[to] = key;
            b.otherPayloads[to] = b.payloads[e];
        }
    });
    b.keys.swap(b.otherKeys);
    b.payloads.swap(b.otherPayloads);
}

constexpr unsigned digitsOf(unsigned keyBits) { return (keyBits + widestDigit - 1) / widestDigit; }

/// Sorts keys of so many bits; keys and payloads end in b.keys and b.payloads. Watched as forEachChunk is: by a Progress* or
/// the RunControl of a run.
template <class Payload, class Key, class Watch> void sort(Buffers<Payload, Key>& b, unsigned keyBits, Watch& watch)
{
    b.otherKeys.resize(b.keys.size());
    b.otherPayloads.resize(b.payloads.size());
    const unsigned digits = digitsOf(keyBits);
    for (unsigned digit = 0, shift = 0; digit < digits; ++digit) {
        const unsigned bits = (keyBits - shift) / (digits - digit); // even digits, the last takes what is left
        sortByDigit(b, shift, bits, watch);
        shift += bits;
    }
    b.otherKeys = Array<Key>(); // ={} would keep the memory
    b.otherPayloads = Array<Payload>();
}

} // namespace kernels::radix
