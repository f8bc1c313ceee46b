// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/error.h"
#include "kernels/formats/flycoo.h"
#include "kernels/operations/mttkrp/mttkrp.h"

#include <algorithm>

namespace kernels::mttkrp {

/// Whether it is a number of threads that a block on a GPU may have: whole warps, 256 at most, 0 for the usual.
inline void requireFlycooThreads(unsigned threads)
{
    if (threads % 32 != 0 || threads > 256)
        throw Error(ErrorKind::BadArgument,
                    {"a block that works on a partition has whole warps",
                     "threads",
                     std::to_string(threads),
                     "32, 64, … 256, or 0 for the usual number",
                     {}});
}

/// Partitions on the CPU, whatever the number of threads: tasks enough for many, none below some thousands of entries.
inline unsigned flycooPartitions(const Settings& settings, Count entries)
{
    constexpr Count most = 256, entriesAtLeast = 4096;
    return settings.partitions > 0 ? settings.partitions : static_cast<unsigned>(std::clamp<Count>(entries / entriesAtLeast, 1, most));
}

inline std::vector<Detail> flycooDetails(unsigned partitions, const std::vector<formats::FlycooPartitions>& modes)
{
    Detail loads{"fullest partition, times the mean", {}}, cuts{"pieces of rows cut between partitions", {}};
    for (const formats::FlycooPartitions& mode : modes) {
        loads.values.push_back(mode.fullestOfMean());
        cuts.values.push_back(static_cast<double>(mode.cuts.size()));
    }
    return {{"partitions", {static_cast<double>(partitions)}}, loads, cuts};
}

/// Runs a product of a mode on a copy of the entries: product(from copy, whether that has the order of the mode before and the
/// other one is to have this one's), after remapOnly(mode, from copy) for modes between. A copy that is written to has no order
/// until it is done.
template <class RemapOnly, class Product>
void withEntriesFor(unsigned mode, const formats::FlycooPlan& plan, formats::FlycooCopies& copies, const RemapOnly& remapOnly,
                    const Product& product)
{
    if (const unsigned ready = copies.with(mode); ready != formats::FlycooCopies::none)
        return product(ready, false);
    const auto goOn = [&](const auto& write) {
        const unsigned from = copies.latest, next = plan.next(copies.mode[from]);
        copies.mode[1 - from] = formats::FlycooCopies::none;
        write(next, from);
        copies.mode[1 - from] = next;
        copies.latest = 1 - from;
    };
    while (copies.mode[copies.latest] != plan.previous(mode))
        goOn(remapOnly);
    goOn([&](unsigned, unsigned from) { product(from, true); });
}

} // namespace kernels::mttkrp
