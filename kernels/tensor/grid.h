// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/tensor/sparse_tensor.h"

#include <vector>

namespace kernels {

/// How entries and rows are dealt out to devices: the indices of every mode in ranges, one for each of its parts, and the devices in a grid
/// of J_1 x ... x J_N cells. Where a cell has several devices they share its entries. Ranges, because a device's rows then lie together
/// as they do in the whole, and neighbours in a file stay neighbours; cut where the parts have about as many entries each.
struct Grid {
    std::vector<std::vector<Index>> cuts; ///< [mode]: first index of every part, then the size of the mode
    unsigned sharers = 1; ///< devices of a cell

    unsigned order() const { return static_cast<unsigned>(cuts.size()); }
    unsigned parts(unsigned mode) const { return static_cast<unsigned>(cuts[mode].size()) - 1; } ///< J_n
    unsigned cells() const;
    unsigned devices() const { return cells() * sharers; }
    /// Which part of a mode a device has.
    unsigned partOf(unsigned device, unsigned mode) const;
    Index firstRow(unsigned device, unsigned mode) const { return cuts[mode][partOf(device, mode)]; }
    Index rows(unsigned device, unsigned mode) const { return cuts[mode][partOf(device, mode) + 1] - firstRow(device, mode); }
    /// The devices that have this part, upwards: what they find for its rows is to be added up.
    std::vector<unsigned> havers(unsigned mode, unsigned part) const;
};

/// What makes a grid good, in bytes.
struct GridCosts {
    double ofEntry = 1; ///< of all an iteration does with an entry
    double ofRow = 1; ///< of what is added up for a row
};

/// counts: [mode][index] entries. Of all grids of so many devices the one whose fullest device is done first, what is sent between
/// devices included; how full they are is looked up in some of the entries.
Grid chooseGrid(const SparseTensor&, const std::vector<Array<Count>>& counts, unsigned devices, const GridCosts&, RunControl&);

/// Every device's entries, their indices counted from where its ranges begin; the rest of the modes' facts is left out.
std::vector<SparseTensor> tilesOf(const SparseTensor&, const Grid&, RunControl&);

} // namespace kernels
