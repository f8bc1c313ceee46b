// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "app/run_needs.h"
#include "app/sweep_values.h"

#include <QString>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace app {

struct SweepAxis {
    std::string field;
    std::vector<std::string> values; ///< as sweepValues() gives them
};

/// Seconds that something takes at least and at most, by a guess. Equal where they are measured.
struct TimeRange {
    double least = 0, most = 0;
};

/// One run of a sweep.
struct SweepRow {
    std::vector<std::string> values; ///< one an axis of the plan
    kernels::RunConfig config; ///< resolved where it can run
    QString refusal; ///< why it cannot: a sentence; empty: it can
    RunNeeds needs;

    double seconds() const { return needs.secondsPerIteration * static_cast<double>(config.stopping.iterations); }
    TimeRange range() const { return {seconds() / needs.spread, seconds() * needs.spread}; }
};

/// All that a sweep would do, said before it starts.
struct SweepPlan {
    std::vector<SweepAxis> axes; ///< in the order of the columns: others, rank, seed
    std::vector<SweepRow> rows; ///< in the order of the runs: seeds one after the other, all ranks for each

    std::size_t runCount() const;
    double seconds() const; ///< of all runs together, to all their iterations; 0: not known
    bool secondsMeasured() const; ///< of every run
    TimeRange range() const; ///< of all runs together
    std::uint64_t mostBytes() const; ///< of the largest run: they go one after the other on a device
    /// "rank 4, seed 42": what tells the row from the others.
    QString rowName(const SweepRow&) const;
};

constexpr std::size_t mostSweepRuns = 1000;

/// Every combination of the axes' values, laid over the base and checked for this tensor. What cannot work, what an earlier row does
/// already and what needs more memory than there is stays in the plan with its reason. Settings that nobody chose follow: an
/// algorithm brings its own variant, format, precision and test part, the core rank goes with the rank where it did.
/// Throws Error(BadArgument) for a field that is varied twice and for more than mostSweepRuns combinations.
SweepPlan planSweep(const kernels::RunConfig& base, std::vector<SweepAxis> axes, const OpenTensor&,
                    const std::function<RunNeeds(const kernels::RunConfig&)>& needs);

/// So many seeds from the base's on: replicates differ in start, order of visits and test part.
SweepAxis replicateAxis(const kernels::RunConfig& base, unsigned count);

/// The config with one of its settings replaced; text: one of sweepValues(). Throws Error(BadArgument) where it does not fit.
void setSweepValue(kernels::RunConfig&, const std::string& field, const std::string& text);

/// What a series of runs has in common when rank and seed are what differs: equal for runs whose results are drawn as one line.
kernels::RunConfig withoutRankAndSeed(kernels::RunConfig resolved);
/// "8", or "8x8x4" where modes differ.
QString rankText(const kernels::RunConfig&);

} // namespace app
