// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/grouped_records.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kernels::fasttucker_plus {
namespace {

constexpr double mostPadding = 0.05; ///< of the entries

} // namespace

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

bool canGroup(Precision precision, unsigned widest, const std::vector<Index>& dims, Count entries, bool gradientApart)
{
    // Fewer entries gain nothing from an order, and a pass over them must not take many at once.
    constexpr Count fewest = Count{1} << 14;
    constexpr Count most = std::numeric_limits<std::uint32_t>::max(); // their numbers have 32 bits
    constexpr Index mostRows = Index{1} << 28; // and so have the quads of a mode's rows
    const bool half = precision == Precision::Fp16 || precision == Precision::Bf16;
    const std::size_t order = dims.size();
    const bool kernels = (widest <= 16 && order >= 2 && order <= 10) || (widest <= 32 && order >= 2 && order <= 4);
    return half && kernels && entries >= fewest && entries <= most && (!gradientApart || order == 3 || order == 4)
        && std::all_of(dims.begin(), dims.end(), [](Index size) { return size < mostRows; });
}

GroupedBytes groupedBytes(unsigned order, Count entries)
{
    const auto padded = static_cast<std::uint64_t>(static_cast<double>(entries) * (1 + mostPadding)) + entriesPerTile;
    const std::uint64_t record = RecordShape(order, false).quads * std::uint64_t{16};
    GroupedBytes bytes;
    bytes.kept = padded * record + padded / entriesPerTile * (sizeof(TileHeader) + sizeof(std::uint32_t));
    bytes.passing = entries * 2 * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) + entries / 8 + (std::uint64_t{1} << 20);
    return bytes;
}

} // namespace kernels::fasttucker_plus
