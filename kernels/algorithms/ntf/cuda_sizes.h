// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/runs.h"

#include <algorithm>
#include <cstdint>
#include <vector>

/// How much a run takes on a GPU: the back end, its kernels and the estimate agree on it here.
namespace kernels::ntf::gpu {

constexpr unsigned blockThreads = 128;
constexpr Count launchedTeams = blockThreads; ///< a launch begins with a multiple of these: with a whole block
constexpr unsigned sumBlocks = 1056; ///< that add up squares
constexpr unsigned judgeSums = 3; ///< of a block that adds up errors
constexpr Count mostEntries = (Count{1} << 32) - (Count{1} << 18); ///< positions have 32 bits, with what is padded

constexpr unsigned strideOf(unsigned rank, unsigned valueBytes)
{
    const unsigned vector = 16 / valueBytes;
    return (rank + vector - 1) / vector * vector;
}

/// Who walks a row's entries: a group of lanes, each with 16 bytes of a row, or where these are too few all warps of a block.
struct Team {
    unsigned lanes = 32, warps = 1;

    unsigned groupsOfWarp() const { return 32 / lanes; }
    bool isBlock() const { return warps > 1; }
    unsigned ofBlock() const { return isBlock() ? 1 : blockThreads / lanes; } ///< how many there are in a block
};

constexpr Team teamFor(unsigned rank, unsigned valueBytes)
{
    const unsigned parts = strideOf(rank, valueBytes) * valueBytes / 16;
    return {parts <= 4 ? 4U : parts <= 8 ? 8U : parts <= 16 ? 16U : 32U, (parts + 31) / 32};
}

constexpr unsigned mostRowParts = 8; ///< that a pass is made in, where sums of rows are sent meanwhile

/// Entries that a team takes one after another: so few that every multiprocessor of a large GPU has many of each part of a pass, and no
/// more where the sums which they leave at their ends would take much memory.
inline unsigned entriesOfTeam(Count entries, unsigned parts, unsigned rank, unsigned valueBytes)
{
    constexpr unsigned fewest = formats::runsStretch, usual = 512;
    constexpr Count blocks = 32 * 132;
    constexpr std::uint64_t room = std::uint64_t{1} << 28;
    const Team team = teamFor(rank, valueBytes);
    const Count wanted = blocks * team.ofBlock();
    const std::uint64_t bytes = std::uint64_t{4} * strideOf(rank, valueBytes) * valueBytes;
    unsigned count = usual;
    const Count ofPart = entries / std::max(parts, 1U);
    while (count > fewest && ofPart / count < wanted)
        count /= 2;
    while (entries / count * bytes > room && entries / (2 * count) >= wanted)
        count *= 2;
    return count;
}

inline Count teamsOf(Count entries, unsigned parts, unsigned rank, unsigned valueBytes)
{
    const Count each = entriesOfTeam(entries, parts, rank, valueBytes);
    return (entries + each - 1) / each;
}

/// Σ p and Σ p̄ of the rows that a team begins and ends in.
inline Count partialNumbers(Count teams, unsigned rank, unsigned valueBytes) { return 4 * teams * strideOf(rank, valueBytes); }

/// Sums of blocks that add up errors, or squares.
inline Count sumNumbers(Count teams, unsigned rank, unsigned valueBytes)
{
    const unsigned ofBlock = teamFor(rank, valueBytes).ofBlock();
    return std::max<Count>(sumBlocks, judgeSums * ((teams + ofBlock - 1) / ofBlock));
}

/// A mode's copy of the entries: sorted by its rows, those by the smallest other mode, whose rows are then at hand again soon.
/// Kernels are there for narrow records of two indices and for wide and loose ones.
inline formats::RunsPlan planOf(const std::vector<Index>& dims, unsigned mode, Count entries, unsigned parts, unsigned rank,
                                unsigned valueBytes)
{
    using Kind = formats::RunsRecord::Kind;
    formats::RunsPlan plan = formats::planRuns(dims, mode, entries, {});
    if (plan.record.kind == Kind::Narrow && plan.others.size() != 2)
        plan.record.kind = Kind::Wide;
    plan.places = {teamFor(rank, valueBytes).groupsOfWarp(), entriesOfTeam(entries, parts, rank, valueBytes)};
    return plan;
}

} // namespace kernels::ntf::gpu
