// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/base/types.h"

/// What CPU and GPU agree on about entries in runs (runs.h).
namespace kernels::formats {

/// How the indices of an entry's other modes lie in its record: in one word of 32 or 64 bits where they fit together, else in a
/// word of 32 bits each. The highest bit of the first word of 32, or of the word of 64, says that the entry begins a run.
struct RunsRecord {
    enum class Kind : unsigned char { Narrow, Wide, Loose };
    Kind kind = Kind::Narrow;
    unsigned others = 0;
    unsigned char shift[maxOrder] = {}, bits[maxOrder] = {}; ///< [other]; of no meaning where they are loose

    unsigned words() const { return kind == Kind::Narrow ? 1 : kind == Kind::Wide ? 2 : others; } ///< of 32 bits
    POLYAD_HOST_DEVICE Index index(std::uint64_t word, unsigned other) const
    {
        return static_cast<Index>(word >> shift[other] & ((std::uint64_t{1} << bits[other]) - 1));
    }
};

constexpr std::uint32_t beginsRun = std::uint32_t{1} << 31;
constexpr std::uint64_t beginsRunWide = std::uint64_t{1} << 63;

/// Positions are told their run every so many, and blocks begin at multiples of the alignment: what is between is padding,
/// records of zeros.
constexpr unsigned runsStretch = 32, runsAlignment = 128;

constexpr Count roundedUp(Count count, Count unit) { return (count + unit - 1) / unit * unit; }

/// Where the record and the value of a position lie. Groups of lanes that walk side by side each take so many positions one after
/// another; a step's of one group lie next to those of the others, so that together they read whole lines.
struct RunsPlaces {
    static constexpr unsigned step = 4; ///< positions of a group that lie together
    unsigned groups = 1, perGroup = runsStretch; ///< one group: positions lie in their order

    POLYAD_HOST_DEVICE Count span() const { return Count{groups} * perGroup; }
    POLYAD_HOST_DEVICE Count of(Count position) const
    {
        if (groups == 1)
            return position;
        const Count within = position % span();
        const Count group = within / perGroup, own = within % perGroup;
        return position - within + own / step * step * groups + group * step + own % step;
    }
};

/// Where a stretch begins: the run its first position is in, and the block.
struct RunsStretch {
    std::uint64_t runAndBlock = 0;

    static constexpr unsigned blockBits = 16;
    POLYAD_HOST_DEVICE std::uint64_t run() const { return runAndBlock >> blockBits; }
    POLYAD_HOST_DEVICE unsigned block() const { return static_cast<unsigned>(runAndBlock & ((1u << blockBits) - 1)); }
    POLYAD_HOST_DEVICE static RunsStretch of(std::uint64_t run, unsigned block) { return {run << blockBits | block}; }
    friend bool operator==(const RunsStretch&, const RunsStretch&) = default;
};

/// What entries are sorted by: block, row, and the index of the second of the other modes as far as 64 bits go.
struct RunsKey {
    unsigned blockShift = 32; ///< of the first of the other modes: index >> blockShift; 32: one block
    unsigned secondBlockShift = 32, secondBlockBits = 0; ///< such blocks are cut into those of the second, if it has any
    unsigned rowBits = 0, secondBits = 0;
    unsigned secondShift = 0; ///< low bits of the second index that are left out
    unsigned bits = 0; ///< of all

    POLYAD_HOST_DEVICE std::uint64_t of(Index row, Index blocked, Index second) const
    {
        const std::uint64_t block = (std::uint64_t{blocked} >> blockShift) << secondBlockBits | std::uint64_t{second} >> secondBlockShift;
        return (block << rowBits | row) << secondBits | second >> secondShift;
    }
    /// Block and row together: equal for entries of one run.
    POLYAD_HOST_DEVICE std::uint64_t run(std::uint64_t key) const { return key >> secondBits; }
    POLYAD_HOST_DEVICE Index row(std::uint64_t key) const { return static_cast<Index>(run(key) & ((std::uint64_t{1} << rowBits) - 1)); }
    POLYAD_HOST_DEVICE unsigned block(std::uint64_t key) const { return static_cast<unsigned>(run(key) >> rowBits); }
    /// Of the first of the other modes, which a block's records count from.
    POLYAD_HOST_DEVICE Index firstRow(unsigned block) const
    {
        return static_cast<Index>((std::uint64_t{block} >> secondBlockBits) << blockShift & 0xffffffffu);
    }
};

} // namespace kernels::formats
