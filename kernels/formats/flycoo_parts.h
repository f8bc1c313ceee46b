// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/base/types.h"

/// What CPU and GPU agree on about FLYCOO (flycoo.h).
namespace kernels::formats {

/// Records are made of such vectors, one store each.
struct alignas(16) FlycooVector {
    std::uint32_t words[4];
    friend bool operator==(const FlycooVector&, const FlycooVector&) = default;
};

/// How an entry lies in its record: the value first, then the indices of all modes, no index in two words.
struct FlycooRecord {
    unsigned order = 0, valueWords = 1;
    unsigned vectors = 1;
    unsigned char word[maxOrder] = {}, shift[maxOrder] = {}, bits[maxOrder] = {}; ///< [mode]

    /// Of the word that has it.
    POLYAD_HOST_DEVICE Index index(std::uint32_t inWord, unsigned mode) const
    {
        return inWord >> shift[mode] & static_cast<std::uint32_t>((std::uint64_t{1} << bits[mode]) - 1);
    }
    POLYAD_HOST_DEVICE Index index(const FlycooVector* record, unsigned mode) const
    {
        return index(record[word[mode] / 4].words[word[mode] % 4], mode);
    }
    POLYAD_HOST_DEVICE void setIndex(FlycooVector* record, unsigned mode, Index to) const
    {
        record[word[mode] / 4].words[word[mode] % 4] |= to << shift[mode];
    }
};

/// What entries are sorted by for a mode: the rank of their row, heaviest first, and the rank in a second mode, whose rows then
/// repeat.
struct FlycooKey {
    unsigned rankBits = 0, secondBits = 0;
    unsigned secondShift = 0; ///< low bits of the second rank that are left out

    unsigned bits() const { return rankBits + secondBits; }
    POLYAD_HOST_DEVICE std::uint64_t of(Index rank, Index second) const
    {
        return std::uint64_t{rank} << secondBits | second >> secondShift;
    }
    POLYAD_HOST_DEVICE Index rank(std::uint64_t key) const { return static_cast<Index>(key >> secondBits); }
};

/// Where sorted entries go. Not owned.
struct FlycooPositions {
    const std::uint32_t* shift = nullptr; ///< [rank], added modulo 2^32; of rows that are not cut
    Index cutRows = 0; ///< the first ranks
    std::uint32_t pieceEntries = 1;
    const std::uint32_t* firstSorted = nullptr; ///< [cut row]
    const std::uint32_t* firstPiece = nullptr; ///< [cut row]
    const std::uint32_t* pieceBegins = nullptr; ///< [piece]: positions

    POLYAD_HOST_DEVICE std::uint32_t of(std::uint32_t sorted, Index rank) const
    {
        if (rank >= cutRows)
            return sorted + shift[rank];
        const std::uint32_t within = sorted - firstSorted[rank];
        return pieceBegins[firstPiece[rank] + within / pieceEntries] + within % pieceEntries;
    }
};

} // namespace kernels::formats
