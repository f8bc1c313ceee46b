// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/grouped_records.h"

#include "kernels/algorithms/fasttucker_plus/cpu_groups.h"
#include "kernels/device/shared_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace kernels::fasttucker_plus {
namespace {

constexpr double mostPadding = 0.05; ///< of the entries
/// Their numbers have 32 bits, also where those of one heading are rounded up to whole tiles.
constexpr Count mostEntries = std::numeric_limits<std::uint32_t>::max() - (entriesPerTile - 1);

std::uint64_t sharesBytes(const std::vector<Index>& dims)
{
    return std::accumulate(dims.begin(), dims.end(), std::uint64_t{0}) * sizeof(float);
}

/// Rows of one mode that have about as many entries each.
struct LikeRows {
    double rows = 0, entries = 0; ///< of these, a part of all entries
    double share() const { return entries / rows; } ///< of one
};

std::vector<LikeRows> likeRows(const std::vector<float>& shares)
{
    constexpr float levelsADoubling = 6;
    std::array<LikeRows, 256> levels; // down to a share of 1e-13
    for (const float share : shares)
        if (share > 0) {
            const float level = std::clamp(-levelsADoubling * std::log2(share), 0.0F, static_cast<float>(levels.size() - 1));
            LikeRows& like = levels[static_cast<std::size_t>(level)];
            like.rows += 1;
            like.entries += static_cast<double>(share);
        }
    std::vector<LikeRows> result;
    std::copy_if(levels.begin(), levels.end(), std::back_inserter(result), [](const LikeRows& like) { return like.rows > 0; });
    return result;
}

/// The part of all entries whose row of this mode is less popular than these rows; of those about as popular, half.
double partBelow(const std::vector<LikeRows>& mode, const LikeRows& these)
{
    constexpr double alike = 0.9;
    double part = 0;
    for (const LikeRows& like : mode)
        part += like.share() < alike * these.share() ? like.entries : alike * like.share() <= these.share() ? like.entries / 2 : 0;
    return part;
}

} // namespace

StepLevels::StepLevels() { std::fill(std::begin(level), std::end(level), 1.0F); }

StepLevels::StepLevels(const std::vector<float>& scales)
    : StepLevels()
{
    if (scales.empty())
        return;
    const double least = std::clamp(static_cast<double>(*std::min_element(scales.begin(), scales.end())), 1e-30, 1.0);
    for (unsigned k = 0; k < stepLevels; ++k)
        level[k] = static_cast<float>(std::pow(least, k / (stepLevels - 1.0)));
}

Count mostGroupedInFlight(Count entries)
{
    constexpr Count part = 128; // 64: three terms in a million ratings were 0.5 % further off their noise; 256: as far, a third slower
    return entries / part;
}

unsigned tilesOfGroups(Count entries, Count inFlight)
{
    return static_cast<unsigned>(std::clamp<Count>(mostGroupedInFlight(entries) / std::max<Count>(inFlight, 1), 1, mostTiles));
}

double togetherByHottest(unsigned entries, unsigned order)
{
    // All of them may have the same row of one mode, which then takes the parts of the cap that the other modes leave.
    return std::max(static_cast<double>(entries) / order, 1.0);
}

Grouping chooseGrouping(const std::vector<std::vector<float>>& shares, Count entries)
{
    std::vector<double> heat; // the probability that two entries share a row
    std::vector<double> filled;
    for (const std::vector<float>& ofMode : shares) {
        double squares = 0;
        double rows = 0;
        for (const float share : ofMode) {
            squares += static_cast<double>(share) * static_cast<double>(share);
            rows += share > 0;
        }
        heat.push_back(squares);
        filled.push_back(rows);
    }
    Grouping grouping;
    grouping.modes.resize(shares.size());
    std::iota(grouping.modes.begin(), grouping.modes.end(), 0U);
    std::stable_sort(grouping.modes.begin(), grouping.modes.end(), [&](unsigned a, unsigned b) { return heat[a] > heat[b]; });
    const double padding = filled[grouping.modes[0]] * entriesPerTile / 2; // half a tile a row
    grouping.uniform = padding <= mostPadding * static_cast<double>(entries);
    return grouping;
}

double additionsOfEntry(const std::vector<std::vector<float>>& shares, Count entries)
{
    constexpr double homes = 2, fromBothHalves = 1.5;
    const Grouping grouping = chooseGrouping(shares, entries);
    if (!grouping.uniform || entries == 0)
        return 0;
    std::vector<std::vector<LikeRows>> places;
    for (const unsigned mode : grouping.modes)
        places.push_back(likeRows(shares[mode]));
    double sum = 0;
    for (std::size_t p = 1; p < places.size(); ++p) {
        double additions = 1; // of an entry, but for those that are sorted by their row of this place
        for (const LikeRows& row : places[p]) {
            double hottest = 1; // the part of the row's entries that have no hotter one
            for (std::size_t q = 1; q < places.size(); ++q)
                hottest *= q == p ? 1 : partBelow(places[q], row);
            additions -= row.entries * hottest;
            for (const LikeRows& uniform : places[0]) {
                const double together =
                    static_cast<double>(entries) * uniform.share() * row.share() * hottest / homes; // a run of equal rows
                const double ofRun = 1 - std::exp(-together) + together / entriesPerTile;
                additions += ofRun * homes * uniform.rows * row.rows / static_cast<double>(entries);
            }
        }
        sum += std::min(additions, 1.0) * (p + 1 < places.size() ? fromBothHalves : 1);
    }
    return sum;
}

std::uint64_t workingRowsBytes(const std::vector<Index>& dims, unsigned columns, bool narrow, bool wide)
{
    std::uint64_t bytes = 0;
    for (const Index rows : dims) {
        const unsigned bits = slotBitsOf(rows, columns);
        const std::uint64_t number = (narrow ? sizeof(std::uint16_t) : 0) + (wide && bits > 0 ? sizeof(float) : 0);
        bytes += (std::uint64_t{rows} << bits) * columns * number;
    }
    return bytes;
}

Support canGroup(Precision precision, unsigned widest, const std::vector<Index>& dims, Count entries, bool gradientApart,
                 ComputeCapability capability, bool damped)
{
    constexpr Index mostRows = Index{1} << rowBits; // a record's word has the row and the level of its step
    const std::size_t order = dims.size();
    const unsigned shared = sharedKiBOfBlock(capability);
    const bool fits = shared >= sharedKiBOfShape(widest, order)
        || (shared < mostSharedKiB && updatesTakeGradient(widest, order) && order <= (widest <= 16 ? 7 : 3));
    if (precision != Precision::Fp16 && precision != Precision::Bf16)
        return Support::no(fmt::format("in {} on a GPU", toString(precision)));
    if (widest > mostGroupedColumns(order))
        return Support::no(fmt::format("with ranks to {} at order {}", widest, order));
    if (!fits)
        return Support::no(fmt::format("with ranks to {} at order {} in {} KiB of shared memory", widest, order, shared));
    if (gradientApart && !damped && order != 3 && order != 4 && updatesTakeGradient(widest, order))
        return Support::no(fmt::format("with core-gradient=own-pass at order {}", order));
    if (entries > mostEntries || std::any_of(dims.begin(), dims.end(), [](Index size) { return size >= mostRows; }))
        return Support::no("with more entries or rows than its records number");
    return worthGrouping(entries);
}

Support canStandTogether(Count entries)
{
    return entries > mostEntries ? Support::no("with more entries than 32 bits number") : worthGrouping(entries);
}

std::uint64_t standingTogetherBytes(const std::vector<Index>& dims, Count entries)
{
    constexpr std::uint64_t item = sizeof(std::uint64_t) + sizeof(std::uint32_t); // a key and an entry's number
    return sharesBytes(dims) + 2 * entries * item + entries / 2 + (std::uint64_t{1} << 20); // cub: 256 counters a few thousand items
}

GroupedBytes groupedBytes(const std::vector<Index>& dims, Count entries, Index uniformRows)
{
    constexpr std::uint64_t word = sizeof(std::uint32_t), item = sizeof(std::uint64_t) + word; // a key and an entry's number
    constexpr unsigned headingColumns = 5; // counted and placed by heading, the uniform row and the home of another: entries, tiles, groups
    constexpr unsigned homes = 2;
    const std::uint64_t record = RecordShape(static_cast<unsigned>(dims.size()), uniformRows > 0).quads * std::uint64_t{16};
    // A heading that has entries begins a tile and a group; chooseGrouping() lets no more rows share tiles.
    const double mostFilled = mostPadding * static_cast<double>(entries) * 2 / entriesPerTile;
    const std::uint64_t filled = homes * (std::min<std::uint64_t>(uniformRows, static_cast<std::uint64_t>(mostFilled)) + 1);
    const std::uint64_t pages =
        *std::max_element(dims.begin(), dims.end()) / 32 + 2048; // a byte each, of 32 rows; and one a multiprocessor
    const std::uint64_t tiles = entries / entriesPerTile + filled;
    GroupedBytes bytes;
    bytes.kept = tiles * (entriesPerTile * record + sizeof(TileHeader)) + tiles * word + pages;
    bytes.most = std::max(standingTogetherBytes(dims, entries),
                          sharesBytes(dims) + bytes.kept + entries * item
                              + headingColumns * (std::uint64_t{uniformRows} + std::bit_ceil(std::uint64_t{uniformRows}) + 2) * word);
    return bytes;
}

} // namespace kernels::fasttucker_plus
