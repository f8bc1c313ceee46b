// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/base/random.h"
#include "kernels/base/types.h"

#include <cmath>
#include <vector>

/// How changes of a row become one where several devices learn it, each from entries of its own (device_group.h).
namespace kernels::fasttucker_plus {

/// Entries that stand for all: in each of so many equal stretches one anywhere, since at equal distances they may all be of one slice.
struct EntrySample {
    static constexpr Count most = 1024;
    Count entries = 0;

    POLYAD_HOST_DEVICE Count count() const { return entries < most ? entries : most; }
    POLYAD_HOST_DEVICE Count at(Count i) const
    {
        const Count begin = beginOf(i), size = beginOf(i + 1) - begin;
        return begin + random::bits(0x73616D706C65ull, 0, i) % size;
    }

private:
    POLYAD_HOST_DEVICE Count beginOf(Count i) const { return entries / count() * i + entries % count() * i / count(); }
};

/// (1 − exp(−x)) / x.
POLYAD_HOST_DEVICE float meanOfDecay(float x) { return x > 0 ? -expm1f(-x) / x : 1; }

/// How much of what a device has learnt of a row, along a direction, becomes everybody's. Where each of `visits` takes `taken` of an
/// error away, all together take away 1 − exp(−visits taken), and a device's own share of them alike less: changes are so scaled that
/// their sum does as much. Of few visits that is the sum of all changes, of many their mean by how many entries they were learnt from.
POLYAD_HOST_DEVICE float shareOfChange(float share, float visits, float taken)
{
    return meanOfDecay(visits * taken) / meanOfDecay(visits * taken * share);
}

/// Directions of a mode's rows, and of each how much of an error along it one visit takes. Rows are learnt within a few visits along some,
/// as what all entries have in common, while along others they have hardly begun: there, changes of all devices add up.
struct JointDirections {
    std::vector<double> vectors; ///< direction × column, orthonormal
    std::vector<double> taken;
};

constexpr unsigned momentBlocks = 64; ///< of a GPU, which sum what moments are made of

/// moments: columns × columns, the mean of d dᵀ over the device's entries, where an entry changes its row by rate × error × d.
JointDirections jointDirections(const std::vector<double>& moments, unsigned columns, double rate);

} // namespace kernels::fasttucker_plus
