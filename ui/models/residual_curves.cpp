// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/residual_curves.h"

#include "ui/formatting.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace ui {
namespace {

constexpr int half = kernels::ResidualHistogram::half;

QString tr(const char* text) { return QCoreApplication::translate("Residuals", text); }

/// Bins of `width`, a multiple of the histogram's own by a power of two, from bin `first` on.
std::vector<double> rebinned(const kernels::ResidualHistogram& histogram, double width, int first, int bins)
{
    std::vector<double> counts(static_cast<std::size_t>(bins));
    const double own = histogram.width() > 0 ? histogram.width() : width;
    for (int bin = -half; bin < half; ++bin) {
        if (histogram.count(bin) == 0)
            continue;
        const double at = std::floor((bin + 0.5) * own / width) - first;
        if (at >= 0 && at < bins)
            counts[static_cast<std::size_t>(at)] += static_cast<double>(histogram.count(bin));
    }
    return counts;
}

/// How many residuals lie below the bins' upper ends, in bins of the wider histogram.
double quantile(const std::vector<double>& counts, double width, double share)
{
    const double wanted = share * std::accumulate(counts.begin(), counts.end(), 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        sum += counts[i];
        if (sum > wanted)
            return (static_cast<double>(i) - half + 0.5) * width;
    }
    return half * width;
}

} // namespace

ResidualRange residualRange(const app::RunResiduals& residuals)
{
    constexpr double leftOutPerSide = 0.002;
    constexpr int mostBins = 72;
    const double width = std::max(residuals.train.histogram.width(), residuals.test.histogram.width());
    if (!(width > 0)) // all residuals are 0, or there are none
        return {-1, 1, 0.125, 0};
    std::vector<double> counts = rebinned(residuals.train.histogram, width, -half, 2 * half);
    const std::vector<double> test = rebinned(residuals.test.histogram, width, -half, 2 * half);
    std::transform(counts.begin(), counts.end(), test.begin(), counts.begin(), std::plus<>());
    const double low = std::min(0.0, quantile(counts, width, leftOutPerSide));
    const double high = std::max(0.0, quantile(counts, width, 1 - leftOutPerSide));
    ResidualRange range;
    range.width = width;
    while ((high - low) / range.width > mostBins - 2)
        range.width *= 2;
    range.low = std::floor(low / range.width) * range.width;
    range.high = (std::floor(high / range.width) + 1) * range.width;
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    double inside = 0;
    for (int bin = -half; bin < half; ++bin)
        if (const double middle = (bin + 0.5) * width; middle > range.low && middle < range.high)
            inside += counts[static_cast<std::size_t>(bin + half)];
    range.outside = all > 0 ? 1 - inside / all : 0;
    return range;
}

CurvePoints histogramOutline(const kernels::PartResiduals& part, const ResidualRange& range)
{
    auto points = std::make_shared<std::vector<QPointF>>();
    const auto total = static_cast<double>(part.histogram.total());
    if (total == 0)
        return points;
    const int bins = static_cast<int>(std::lround((range.high - range.low) / range.width));
    const int first = static_cast<int>(std::lround(range.low / range.width));
    const std::vector<double> counts = rebinned(part.histogram, range.width, first, bins);
    for (int bin = 0; bin < bins; ++bin) {
        const double left = range.low + bin * range.width, share = counts[static_cast<std::size_t>(bin)] / total;
        points->emplace_back(left, share);
        points->emplace_back(left + range.width, share);
    }
    return points;
}

std::vector<kernels::ResidualSums> sliceSums(const app::RunResiduals& residuals, ResidualPart part, unsigned mode)
{
    std::vector<kernels::ResidualSums> sums(residuals.train.slices[mode].size());
    const auto add = [&](const kernels::PartResiduals& from) {
        for (std::size_t i = 0; mode < from.slices.size() && i < std::min(sums.size(), from.slices[mode].size()); ++i)
            sums[i] += from.slices[mode][i];
    };
    if (part != ResidualPart::Test)
        add(residuals.train);
    if (part != ResidualPart::Train)
        add(residuals.test);
    return sums;
}

CurvePoints sliceCurve(const std::vector<kernels::ResidualSums>& sums, double (kernels::ResidualSums::*number)() const)
{
    auto points = std::make_shared<std::vector<QPointF>>();
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (sums[i].count > 0)
            points->emplace_back(static_cast<double>(i + 1), (sums[i].*number)());
    return points;
}

std::vector<TableColumn> sliceColumns(const QString& modeName)
{
    return {{modeName},
            {tr("entries"), true, true},
            {tr("mean"), true, true, tr("Mean of observed − prediction: above 0 the model is too low")},
            {tr("RMSE"), true, true}};
}

std::vector<TableRow> sliceRows(const std::vector<kernels::ResidualSums>& sums, const kernels::Mode& mode, std::size_t most)
{
    std::vector<kernels::Index> filled;
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (sums[i].count > 0)
            filled.push_back(static_cast<kernels::Index>(i));
    std::set<kernels::Index> chosen;
    const auto choose = [&](const auto& number) {
        const std::size_t count = std::min(most, filled.size());
        std::partial_sort(filled.begin(), filled.begin() + static_cast<std::ptrdiff_t>(count), filled.end(),
                          [&](kernels::Index a, kernels::Index b) {
                              const double left = number(sums[a]), right = number(sums[b]);
                              return left != right ? left > right : a < b;
                          });
        chosen.insert(filled.begin(), filled.begin() + static_cast<std::ptrdiff_t>(count));
    };
    choose([](const kernels::ResidualSums& s) { return s.rmse(); });
    choose([](const kernels::ResidualSums& s) { return std::abs(s.mean()); });
    choose([](const kernels::ResidualSums& s) { return s.squared; });
    std::vector<TableRow> rows;
    for (const kernels::Index i : chosen) {
        const kernels::ResidualSums& s = sums[i];
        rows.push_back({{indexCell(mode, i), countCell(s.count), numberCell(s.mean(), formatting::number(s.mean(), 3)),
                         numberCell(s.rmse(), formatting::number(s.rmse(), 3))},
                        {i}});
    }
    return rows;
}

std::vector<TableColumn> worstColumns(const std::vector<kernels::Mode>& modes)
{
    std::vector<TableColumn> columns{{tr("residual"), true, true, tr("Observed − prediction: above 0 the model is too low")},
                                     {tr("x"), true, true, tr("Observed")},
                                     {tr("x̂"), true, true, tr("Predicted")}};
    for (unsigned n = 0; n < modes.size(); ++n)
        columns.push_back({QString::fromStdString(app::modeName(modes, n))});
    columns.push_back({tr("part")});
    return columns;
}

std::vector<TableRow> worstRows(const app::RunResiduals& residuals, ResidualPart part, const std::vector<kernels::Mode>& modes)
{
    std::vector<TableRow> rows;
    for (const app::JudgedEntry& entry : residuals.worst) {
        if (part != ResidualPart::Both && entry.test != (part == ResidualPart::Test))
            continue;
        TableRow row{{numberCell(entry.residual(), formatting::number(entry.residual(), 3)),
                      numberCell(entry.x, formatting::number(entry.x, 4)),
                      numberCell(entry.predicted, formatting::number(entry.predicted, 3))},
                     entry.index};
        for (unsigned n = 0; n < modes.size(); ++n)
            row.cells.push_back(indexCell(modes[n], entry.index[n]));
        row.cells.push_back(textCell(entry.test ? tr("test") : tr("train")));
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace ui
