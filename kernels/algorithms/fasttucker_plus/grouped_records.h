// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/base/support.h"
#include "kernels/base/types.h"
#include "kernels/device/device_list.h"

#include <bit>
#include <cstdint>
#include <vector>

/// How the variant "grouped" arranges entries on a GPU: those that share hot rows stand together.
///
/// Time goes into additions to rows that many entries share, so an entry is sorted by its hottest rows: first by its
/// row of the uniform mode (the one with the fewest rows in effect, where tiles of one such row can be filled), then by
/// its hottest row of any other mode, then by the next. Tiles are 16 entries of one uniform row, groups up to eight
/// tiles of one. On the preset netflix-like this leaves 0.8 + 24.7 million additions for the two short modes in place of
/// 198 million.
///
/// Words of these sources:
/// - mode n: as the tensor numbers it. place p: a mode's rank by heat, the hottest first; what GroupedArguments has for each is by place.
/// - uniform: the place, if any, whose row a whole tile shares: the first. (The CPU's groups call it shared.)
/// - home: the half of a GPU's L2 cache that a row of the coolest place lies in.
/// - heading: a home and a uniform row, by which entries are sorted first.
/// - tile: 16 entries of a heading, the last of them perhaps fewer. group: up to mostTiles tiles of a heading, one step of its uniform row.
/// - level: of a row's step, how much smaller it is than others' (StepLevels).
/// - slot: where a pass has a row: its number, of a short mode a multiple of it (slotBitsOf()). In kernels also a tile's place on chip.
/// - mates: the entries of a tile that have the same row of a place.
namespace kernels::fasttucker_plus {

constexpr unsigned entriesPerTile = 16;
constexpr unsigned mostTiles = 8; ///< of a group
constexpr unsigned groupBits = 3; ///< hold tiles − 1
constexpr unsigned stepLevelBits = 4; ///< of a row's word, its lowest: the level of its step; above them the row's slot
constexpr unsigned stepLevels = 1U << stepLevelBits;
constexpr unsigned rowBits = 32 - stepLevelBits;
constexpr unsigned mergedPlaces = 4; ///< places after the uniform one whose equal rows are added up on chip
constexpr unsigned readOncePlaces = 2; ///< of those, the hottest: a row that all entries of a tile share is read once
constexpr unsigned mostRuns = 12; ///< a tile with more different rows than this adds them one by one

/// Which bit of its word for two places tells that entry k of the tile has the same row: entries that are neighbours, a pair of
/// numbers of an operand, are 16 bits apart.
POLYAD_HOST_DEVICE constexpr unsigned mateBit(unsigned place, unsigned k) { return place % 2 * 8 + k / 2 + k % 2 * 16; }

/// What one entry needs, in words, without the row its tile shares: rows by place, each with how much smaller its steps are
/// (StepLevels), the value, and for each two of the first places a word that tells which entries of the tile have the same rows
/// (mateBit()); padded to 16 bytes. Padding entries are told to be everybody's mates, so that they are first of none.
struct RecordShape {
    unsigned rows = 0, mates = 0, quads = 0;

    POLYAD_HOST_DEVICE constexpr RecordShape(unsigned order, bool uniform)
        : rows(order - (uniform ? 1 : 0))
        , mates(((rows < mergedPlaces ? rows : mergedPlaces) + 1) / 2)
        , quads((rows + 1 + mates + 3) / 4)
    {
    }
    POLYAD_HOST_DEVICE constexpr unsigned ofTile() const { return entriesPerTile * quads + 1; } ///< quads: its records, then its header
    POLYAD_HOST_DEVICE constexpr unsigned value() const { return rows; }
    POLYAD_HOST_DEVICE constexpr unsigned firstMates() const { return rows + 1; }
};

/// Follows a tile's records, 16 bytes as they are pieces of.
struct alignas(16) TileHeader {
    std::uint32_t row = 0; ///< the uniform one, as a slot
    std::uint32_t bits = 0; ///< entries; from bit 8 on its number in its group; bit 12: closes(); from 16 on one a place: merges()
    std::uint32_t ownRows[readOncePlaces] = {}; ///< 0: all entries have the first one's row, which is read once; else all bits

    POLYAD_HOST_DEVICE unsigned entries() const { return bits & 0xFF; }
    POLYAD_HOST_DEVICE unsigned number() const { return bits >> 8 & 0xF; }
    POLYAD_HOST_DEVICE bool closes() const { return bits & closing; } ///< the last tile of its group
    POLYAD_HOST_DEVICE bool merges(unsigned place) const { return bits >> (16 + place) & 1; } ///< equal rows are added up
    /// Of the whole group, told by its last tile: only that may have fewer than 16.
    POLYAD_HOST_DEVICE unsigned entriesOfGroup() const { return number() * entriesPerTile + entries(); }

    static constexpr std::uint32_t closing = 1U << 12;
};

/// Factors on the steps of a mode's rows, in so many levels that equal ratios apart reach from 1 to the least; a row has the
/// nearest one. So an entry brings its rows' factors and none is fetched.
struct StepLevels {
    float level[stepLevels];

    StepLevels(); ///< all 1
    explicit StepLevels(const std::vector<float>& scales);
};

/// In which order modes stand in a record.
struct Grouping {
    std::vector<unsigned> modes; ///< of each place; the uniform one first, where there is one
    bool uniform = false;
    unsigned tiles = mostTiles; ///< of a group at most
};

/// Of so many entries, how many may be in flight at once: the more see the same old rows, the smaller their steps have to be.
Count mostGroupedInFlight(Count entries);
/// Of every entry, on average: how many additions of rows L2 does. Rows that tiles add up on chip are one; those of all modes but the
/// coolest, which is added to from the half of L2 that it lies in, count one and a half times, since every other one crosses both halves.
/// It is what shares tell, as if modes had nothing to do with each other and equal rows met only where they are the hottest of their
/// entries: in tensors that are nearly full it is less. 0 without a uniform row.
double additionsOfEntry(const std::vector<std::vector<float>>& shares, Count entries);

/// Of a group at most: a group is one step of the uniform row, so all entries of those in flight see the same old one.
unsigned tilesOfGroups(Count entries, Count inFlight);

/// Of so many entries that are worked on together, having no row of one mode in common: how many count as of one row, in every mode. They
/// are sorted by the hottest row of each, whichever mode's it is.
double togetherByHottest(unsigned entries, unsigned order);

/// shares: per mode and row, of all entries.
Grouping chooseGrouping(const std::vector<std::vector<float>>& shares, Count entries);

/// Whether the pass that updates rows can take the gradients of the cores meanwhile: ranks up to 16, or 32 for orders up to 4. The sums
/// of wider shapes find no place in registers beside.
constexpr bool updatesTakeGradient(unsigned widest, std::size_t order) { return widest <= 16 || (widest <= 32 && order <= 4); }

/// A pass works on the rows of a short mode in slots, so many (a power of two, its logarithm) rows' bytes apart. L2 deals addresses out to
/// its slices by 256 bytes: of a thousand rows of 64 bytes side by side the busiest slice would have 1.7 times its share of additions, in
/// slots of a KiB (of 48 columns 768 bytes; rows in 16 bits half of that) hardly more than that (docs/PERFORMANCE.md). Elsewhere 0: as the
/// model has them.
constexpr Index mostRowsInSlots = 4096; // 4 MiB
constexpr unsigned slotBitsOf(Index rows, unsigned columns)
{
    constexpr unsigned slotBytes = 1024;
    const unsigned rowBytes = columns * static_cast<unsigned>(sizeof(float));
    return rows <= mostRowsInSlots && rowBytes <= slotBytes ? static_cast<unsigned>(std::bit_width(slotBytes / rowBytes)) - 1 : 0;
}
/// Device memory of what passes work on in place of the model. narrow: copies in 16 bits; wide: those of rows in slots in fp32. columns:
/// padded.
std::uint64_t workingRowsBytes(const std::vector<Index>& dims, unsigned columns, bool narrow, bool wide);

/// Up to how many columns there are kernels of groups, on the GPUs that have most shared memory.
constexpr unsigned mostGroupedColumns(std::size_t order) { return order < 2 || order > 10 ? 0 : order == 3 ? 64 : order <= 6 ? 32 : 16; }

constexpr unsigned mostSharedKiB = 99; ///< of a block: what every GPU has from compute capability 8.6 on
constexpr unsigned mostSharedKiBApart = 160; ///< where updates take no gradient: 8.0, 9.0 and 10.x have them
constexpr unsigned sharedKiBOfShape(unsigned widest, std::size_t order)
{
    return updatesTakeGradient(widest, order) ? mostSharedKiB : mostSharedKiBApart;
}

/// Whether entries are worth it and there are kernels: 16-bit products, ranks up to mostGroupedColumns(); a gradient pass of its own for
/// orders 3 and 4, wherever updates cannot take it, and where steps are damped. Before compute capability 8.0 a block has too
/// little shared memory for orders from 8 on, with more than 16 columns from 4 on, and between 8.6 and 9.0 and from 12.0 on for shapes
/// whose updates take no gradient. widest: of all ranks and the core rank; capability: 0.0: of no known device, one that can. The reason
/// why not ends Solver::variantNote().
Support canGroup(Precision, unsigned widest, const std::vector<Index>& dims, Count entries, bool gradientApart, ComputeCapability,
                 bool damped = false);

/// Whether entries are worth it and can be sorted by their hottest rows for kernels that know no groups: those of any precision and
/// ranks. The reason why not ends the note, too.
Support canStandTogether(Count entries);
/// Device memory while they are sorted.
std::uint64_t standingTogetherBytes(const std::vector<Index>& dims, Count entries);

/// Device memory of the arranged entries, and the most that is taken while they are arranged: both are bounds, since
/// only the device counts the tiles.
struct GroupedBytes {
    std::uint64_t kept = 0, most = 0;
};
/// uniformRows: of the mode whose rows are shared by tiles; 0: there is none. Grows with it.
GroupedBytes groupedBytes(const std::vector<Index>& dims, Count entries, Index uniformRows);

} // namespace kernels::fasttucker_plus
