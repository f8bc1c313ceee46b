// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/step_sizes.h"

#include "kernels/base/chunks.h"
#include "kernels/tensor/statistics.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

namespace kernels::fasttucker_plus {
namespace {

constexpr Count rowsAtOnce = Count{1} << 16;

ModeLoad loadOf(const SparseTensor& train, unsigned mode, RunControl& control)
{
    const Array<Count> counts = sliceCounts(train, mode, control);
    const double entries = static_cast<double>(train.entries());
    ModeLoad load;
    load.share.resize(counts.size());
    std::atomic<Count> filled{0}, largest{0};
    forEachChunk(counts.size(), rowsAtOnce, control, [&](Count, Count begin, Count end) {
        Count filledHere = 0, largestHere = 0;
        for (Count i = begin; i < end; ++i) {
            filledHere += counts[i] > 0;
            largestHere = std::max(largestHere, counts[i]);
            load.share[i] = static_cast<float>(static_cast<double>(counts[i]) / entries);
        }
        filled += filledHere;
        for (Count before = largest; before < largestHere && !largest.compare_exchange_weak(before, largestHere);) { }
    });
    load.largestShare = static_cast<float>(static_cast<double>(largest) / entries);
    load.entriesPerRow = entries / static_cast<double>(std::max<Count>(filled, 1));
    return load;
}

constexpr double often = 20; ///< times over a user's row of netflix-like learns in an iteration

/// A row takes its share of an entry's error at every visit: rows that are visited often have soon learned what there
/// is to learn, and then only smaller steps bring them closer; rows visited rarely need all the steps they get.
double fittingDecay(double timesOver)
{
    constexpr double fastest = 0.6; // best on netflix-like
    return fastest * std::min(1.0, std::pow(timesOver / often, 1.5));
}

/// Over the rows that have entries.
double meanScale(const std::vector<float>& scales, const std::vector<float>& shares)
{
    double sum = 0, filled = 0;
    for (std::size_t i = 0; i < scales.size(); ++i)
        if (shares[i] > 0) {
            sum += scales[i];
            ++filled;
        }
    return filled > 0 ? sum / filled : 1;
}

} // namespace

double reachOf(const ValueScale& values) { return std::max(values.largest / predictionScale(values), 1.0); }

bool reachFar(const ValueScale& values)
{
    constexpr double far = 8; // uniform values reach 2, ratings seldom 5, a million normal ones about 0 some 10
    return reachOf(values) > far;
}

double mostRate(std::size_t modes, double reach)
{
    const double order = static_cast<double>(modes);
    return 1.5 / (order * order * reach);
}

std::vector<ModeLoad> measureLoads(const SparseTensor& train, RunControl& control)
{
    std::vector<ModeLoad> loads;
    for (unsigned n = 0; n < train.order(); ++n)
        loads.push_back(loadOf(train, n, control));
    return loads;
}

double largestShare(const std::vector<ModeLoad>& loads)
{
    float largest = 0;
    for (const ModeLoad& load : loads)
        largest = std::max(largest, load.largestShare);
    return largest;
}

double numbersPerEntry(const std::vector<unsigned>& ranks, const std::vector<ModeLoad>& loads)
{
    double numbers = 0;
    for (std::size_t n = 0; n < loads.size(); ++n)
        numbers += ranks[n] / loads[n].entriesPerRow;
    return numbers;
}

StepSizes chooseSteps(const Settings& settings, const Model& start, const StartSlopes& slopes, const std::vector<ModeLoad>& loads,
                      const ValueScale& values, bool damped)
{
    StepSizes steps;
    const double most = mostRate(loads.size(), damped ? 1 : reachOf(values));
    steps.rateA = settings.relative ? std::min(settings.rateA, most) : settings.rateA;
    double flattest = slopes.rows[0] / start.ranks[0], fewest = loads.front().entriesPerRow;
    for (std::size_t n = 1; n < loads.size(); ++n) {
        flattest = std::min(flattest, slopes.rows[n] / start.ranks[n]);
        fewest = std::min(fewest, loads[n].entriesPerRow);
    }
    for (std::size_t n = 0; n < loads.size(); ++n) {
        const double balanced = steps.rateA * std::pow(fewest / loads[n].entriesPerRow, settings.modeBalance);
        steps.ratesA.push_back(settings.relative ? balanced / slopes.rows[n] : balanced);
        steps.shares.push_back(settings.relative ? balanced : balanced * slopes.rows[n]);
    }
    // a penalty pulls towards 0, so predictions below the mean: by as much of it as there is between values
    const double pull = std::pow(relativeSpread(values), 2);
    steps.lambdaA = settings.lambdaA * (settings.relative ? pull * flattest : 1);
    steps.rateB = settings.rateB / (settings.relative ? slopes.core : 1);
    steps.lambdaB = settings.lambdaB * (settings.relative ? pull * slopes.core : 1);
    return steps;
}

void chooseFading(StepSizes& steps, const Settings& settings, const std::vector<ModeLoad>& loads,
                  const std::vector<std::vector<float>>& shares, const std::vector<std::vector<float>>& rowScales)
{
    double timesOver = std::numeric_limits<double>::infinity();
    for (std::size_t n = 0; n < loads.size(); ++n) {
        const double scale = rowScales.empty() ? 1 : meanScale(rowScales[n], shares[n]);
        timesOver = std::min(timesOver, (settings.relative ? steps.shares[n] : steps.rateA) * scale * loads[n].entriesPerRow);
    }
    steps.decay = settings.decay >= 0 ? settings.decay : fittingDecay(timesOver);
    steps.slowness = settings.relative ? often / timesOver : 1;
}

float HotRows::hottest(std::size_t mode) const { return *std::max_element(shares[mode].begin(), shares[mode].end()); }

double HotRows::entriesAtOnce(std::size_t mode, float share) const
{
    const Concurrency& of = concurrency[mode];
    return std::min(std::max(share * of.inFlight, std::min(share * entries, of.together)), of.atMost);
}

std::vector<double> HotRows::partsOfCap(const std::vector<double>& shareOfError) const
{
    if (!modesAddUp)
        return std::vector<double>(shares.size(), cap);
    std::vector<std::pair<double, std::size_t>> modes; // what it takes at once, of which mode
    for (std::size_t n = 0; n < shares.size(); ++n)
        modes.emplace_back(shareOfError[n] * entriesAtOnce(n, hottest(n)), n);
    std::sort(modes.begin(), modes.end());
    std::vector<double> parts(shares.size());
    double left = cap;
    for (std::size_t k = 0; k < modes.size(); ++k) {
        double& part = parts[modes[k].second];
        part = left / static_cast<double>(modes.size() - k);
        left -= std::min(part, modes[k].first);
    }
    return parts;
}

std::vector<double> dampings(const Model& start, const StepSizes& steps, const std::vector<ModeLoad>& loads, const HotRows& rows)
{
    const double modes = rows.modesAddUp ? static_cast<double>(loads.size()) : 1;
    std::vector<double> all;
    for (std::size_t n = 0; n < loads.size(); ++n) {
        double squares = 0; // of the core: |d|² is what it makes of |w|²
        const Matrix& core = start.coreFactors[n];
        for (std::size_t j = 0; j < core.rows; ++j)
            for (std::size_t r = 0; r < core.columns; ++r)
                squares += core.at(j, r) * core.at(j, r);
        double atOnce = 1; // whole steps, and of entries that share a hot row as many as its cap lets be
        if (rows.cap > 0)
            atOnce = std::clamp(rows.cap / (modes * steps.shares[n]), 1.0, std::max(rows.entriesAtOnce(n, loads[n].largestShare), 1.0));
        all.push_back(atOnce * modes * steps.ratesA[n] * squares / start.coreRank);
    }
    return all;
}

std::vector<std::vector<float>> scalesOfHotRows(const HotRows& rows, const std::vector<double>& shareOfError, RunControl& control)
{
    std::vector<std::vector<float>> all;
    if (rows.cap <= 0)
        return all;
    const std::vector<double> parts = rows.partsOfCap(shareOfError);
    bool anyHot = false;
    for (std::size_t n = 0; n < rows.shares.size(); ++n) {
        const std::vector<float>& shares = rows.shares[n];
        const auto atOnce = [&](float share) { return shareOfError[n] * rows.entriesAtOnce(n, share); }; // of an entry's error
        const bool hot = std::any_of(shares.begin(), shares.end(), [&](float share) { return atOnce(share) > parts[n]; });
        std::vector<float> scales(hot ? shares.size() : 0);
        forEachChunk(scales.size(), rowsAtOnce, control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                scales[i] = static_cast<float>(std::min(1.0, parts[n] / std::max(atOnce(shares[i]), 1e-30)));
        });
        anyHot |= hot;
        all.push_back(std::move(scales));
    }
    if (!anyHot)
        all.clear();
    return all;
}

} // namespace kernels::fasttucker_plus
