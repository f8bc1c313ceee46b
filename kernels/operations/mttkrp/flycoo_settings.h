// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/flycoo.h"
#include "kernels/operations/mttkrp/mttkrp.h"

#include <algorithm>

namespace kernels::mttkrp {

/// Partitions on the CPU, whatever the number of threads: tasks enough for many, none below some thousands of entries.
inline unsigned flycooPartitions(const Settings& settings, Count entries)
{
    constexpr Count most = 256, entriesAtLeast = 4096;
    return settings.partitions > 0 ? settings.partitions : static_cast<unsigned>(std::clamp<Count>(entries / entriesAtLeast, 1, most));
}

inline std::vector<Detail> flycooDetails(unsigned partitions, const std::vector<formats::FlycooPartitions>& modes)
{
    Detail loads{"fullest partition of the mean", {}}, cuts{"shares of rows cut between partitions", {}};
    for (const formats::FlycooPartitions& mode : modes) {
        loads.values.push_back(mode.fullestOfMean());
        cuts.values.push_back(static_cast<double>(mode.cuts.size()));
    }
    return {{"partitions", {static_cast<double>(partitions)}}, loads, cuts};
}

/// Brings the entries into the order of a mode and runs a product on them that may remap them: remapOnly(mode, from copy), then
/// product(from copy, whether it remaps). A copy that is written to has no order until it is done.
template <class RemapOnly, class Product>
void withEntriesFor(unsigned mode, const formats::FlycooPlan& plan, formats::FlycooCopies& copies, const RemapOnly& remapOnly,
                    const Product& product)
{
    const auto write = [&](unsigned from, const auto& writing) {
        copies.mode[1 - from] = formats::FlycooCopies::none;
        writing();
        copies.mode[1 - from] = plan.next(copies.mode[from]);
        copies.latest = 1 - from;
    };
    while (copies.with(mode) == formats::FlycooCopies::none) {
        const unsigned from = copies.latest;
        write(from, [&] { remapOnly(copies.mode[from], from); });
    }
    const unsigned from = copies.with(mode);
    if (copies.mode[1 - from] == plan.next(mode))
        product(from, false);
    else
        write(from, [&] { product(from, true); });
}

} // namespace kernels::mttkrp
