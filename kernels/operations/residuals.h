// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/base/solver.h"

#include <array>
#include <vector>

namespace kernels {

/// One entry and what a model makes of it. The residual is x − x̂: positive where the model is too low.
struct EntryResidual {
    Count entry = 0;
    double x = 0, predicted = 0;
    double residual() const { return x - predicted; }
};

/// The residuals of one slice, or of any set of entries.
struct ResidualSums {
    double sum = 0, squared = 0;
    Count count = 0;

    double mean() const; ///< notMeasured of nothing
    double rmse() const;
    void add(double residual);
    ResidualSums& operator+=(const ResidualSums&);
};

/// Residuals counted in bins of one width, a power of two, around 0. The width doubles whenever a residual lies outside, so
/// that one pass needs to know nothing beforehand, and the counts are those that the last width alone would have given.
class ResidualHistogram {
public:
    static constexpr int half = 2048; ///< bins on either side of 0

    void add(double residual); ///< finite
    double width() const { return m_width; } ///< 0: nothing but zeros was counted
    /// How many lie in [bin·width, (bin + 1)·width), −half ≤ bin < half. Zeros are in bin 0.
    Count count(int bin) const { return m_counts[static_cast<std::size_t>(bin + half)]; }
    Count total() const { return m_total; }

private:
    void doubleWidth();

    double m_width = 0;
    Count m_total = 0;
    std::vector<Count> m_counts = std::vector<Count>(2 * half);
};

/// What there is to say of one part's residuals.
struct PartResiduals {
    ErrorSums errors;
    double sum = 0; ///< of residuals: errors.count times the bias
    Count notFinite = 0; ///< entries whose residual is no number; they are in nothing else
    ResidualHistogram histogram;
    std::vector<EntryResidual> tooHigh; ///< the model is: the most negative residuals, worst first
    std::vector<EntryResidual> tooLow; ///< the largest residuals, worst first
    std::vector<std::vector<ResidualSums>> slices; ///< [mode][index]
};

struct Residuals {
    PartResiduals train, test;
};

/// x − x̂ of every entry, in fp64, the same bits whatever the number of threads. Entries at the test positions (ascending; of a
/// sorted tensor) are the test part. Duplicates are entries like any other. `worst` entries of each part and sign are kept;
/// memory beside them: 24 bytes a slice and part, and some MiB. Throws Error(BadInput) when the dims do not fit the model's.
Residuals computeResiduals(const Model&, const SparseTensor&, const Array<Count>& testPositions, std::size_t worst, Progress* = nullptr);

} // namespace kernels
