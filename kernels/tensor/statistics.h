// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/base/run_control.h"
#include "kernels/tensor/sparse_tensor.h"

#include <vector>

namespace kernels {

struct Slice {
    Index index = 0;
    Count entries = 0;
};

struct ModeStatistics {
    Count emptySlices = 0;
    Count largestSlice = 0;
    double meanSlice = 0; ///< entries per non-empty slice
    std::vector<Slice> heaviest; ///< at most 10, heaviest first
    /// Entries per slice, largest first, thinned to at most 512 ranks spaced evenly on a log scale
    /// (rank counted from 1): what the log-log chart draws.
    std::vector<std::pair<Count, Count>> slicesByRank;
};

struct HistogramBin {
    double lower = 0, upper = 0;
    Count count = 0;
};

struct TensorStatistics {
    std::vector<ModeStatistics> modes;
    double valueMin = 0, valueMax = 0, valueMean = 0, valueDeviation = 0, rootMeanSquare = 0;
    Count zeros = 0;
    Count duplicates = 0; ///< entries whose coordinates occurred before (sorted tensors; else as reported by the loader)
    bool valuesAreWhole = false;
    std::vector<double> sortedSample; ///< what proposals are made from
    std::vector<HistogramBin> histogram; ///< one bin per value (lower == upper) when ≤ 32 distinct whole values, else 32 even bins
};

TensorStatistics computeStatistics(const SparseTensor&, Progress* = nullptr);
/// Of the values alone, and neither their histogram nor a sample: one pass over them.
TensorStatistics computeValueStatistics(const SparseTensor&, Progress* = nullptr);

/// Entries per index of one mode; inside a run under its control.
Array<Count> sliceCounts(const SparseTensor&, unsigned mode);
Array<Count> sliceCounts(const SparseTensor&, unsigned mode, RunControl&);
/// What counting takes at most, whichever the mode.
std::uint64_t sliceCountsBytes(const std::vector<Index>& dims);

} // namespace kernels
