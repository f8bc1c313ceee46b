// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/csf.h"

namespace kernels::formats {

/// Mixed-mode CSF: every entry once, in the tree whose leaves are the mode along which its fibre, the entries that share all other
/// indices, is the longest of all modes. Products of any mode visit all trees.
struct Mmcsf {
    std::vector<Csf> trees; ///< [mode of the leaves], of orders leavesAt; some may be empty

    Count entries() const;
    std::uint64_t bytes() const;

    friend bool operator==(const Mmcsf&, const Mmcsf&) = default;
};

/// Modes as they are asked for the longest fibre: an entry whose fibres are of one length in several goes to the first of them. Large
/// modes first, whose trees have the fewest nodes above the leaves.
std::vector<unsigned> modesByPreference(const std::vector<Index>& dims);
/// Of every entry the mode along which its fibre is longest.
Array<std::uint8_t> longestFibres(const SparseTensor&, RunControl&);

/// Throws Cancelled at a stop, OutOfMemory before it begins. The same bits whatever the number of threads.
Mmcsf buildMmcsf(const SparseTensor&, RunControl&);
/// The entries, tree by tree.
SparseTensor toCoo(const Mmcsf&, RunControl&);

/// The most bytes of the trees: how entries are shared among them is known to nobody before it is done. And what building takes.
std::uint64_t mmcsfBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes);
std::uint64_t mmcsfBuildBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes);
/// The same on a GPU (mmcsf_cuda.cuh), beside the entries.
std::uint64_t deviceMmcsfBuildBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes);

/// The most nodes of all trees together, by level.
std::vector<Count> mmcsfNodes(const std::vector<Index>& dims, Count entries);

TensorFormatInfo mmcsfInfo();

} // namespace kernels::formats
