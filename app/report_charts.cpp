// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report_charts.h"

#include "app/formatting.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using Record = kernels::IterationRecord;
using Number = double Record::*;

QString tr(const char* text) { return QCoreApplication::translate("Report", text); }

std::vector<QPointF> pointsOf(const std::vector<Record>& history, Number value, bool byTime)
{
    std::vector<QPointF> points;
    for (const Record& row : history)
        if (std::isfinite(row.*value)) // not every iteration measures everything: lines join those that do
            points.emplace_back(byTime ? row.elapsed : static_cast<double>(row.iteration), row.*value);
    return points;
}

/// Train is dashed; null: not drawn.
ReportChart chartOf(std::span<const io::SessionRun> runs, const QString& title, Number test, Number train, bool byTime)
{
    ReportChart made;
    SvgChart& chart = made.chart;
    chart.title = title;
    chart.xName = byTime ? tr("seconds of compute") : tr("iteration");
    chart.yLabel = &formatting::axisValue;
    chart.xLabel = [byTime](double value, double step) {
        return byTime ? formatting::axisValue(value, step) : formatting::axisCount(value);
    };
    bool tested = false, trained = false;
    for (const io::SessionRun& run : runs)
        for (const Number value : {train, test}) { // what was tested lies above
            std::vector<QPointF> points = value ? pointsOf(run.file.history, value, byTime) : std::vector<QPointF>{};
            if (points.empty())
                continue;
            (value == test ? tested : trained) = true;
            chart.curves.push_back(
                {QString::fromStdString(run.name), runLook(static_cast<int>(run.color), false), value == train && test, std::move(points)});
        }
    if (!tested)
        for (SvgCurve& curve : chart.curves)
            curve.dashed = false;
    made.caption = tested && trained ? tr("Solid: test part. Dashed: training part.")
        : tested                     ? tr("Of the test part.")
                                     : tr("Of the training part.");
    return made;
}

} // namespace

std::vector<ReportChart> reportCharts(std::span<const io::SessionRun> runs)
{
    std::vector<ReportChart> all{chartOf(runs, tr("Fit by iteration"), nullptr, &Record::fit, false),
                                 chartOf(runs, tr("RMSE by iteration"), &Record::testRmse, &Record::trainRmse, false),
                                 chartOf(runs, tr("MAE by iteration"), &Record::testMae, &Record::trainMae, false)};
    const bool tested = std::any_of(runs.begin(), runs.end(), [](const io::SessionRun& run) {
        return std::any_of(run.file.history.begin(), run.file.history.end(), [](const Record& row) { return std::isfinite(row.testRmse); });
    });
    all.push_back(
        chartOf(runs, tr("RMSE by compute time"), tested ? &Record::testRmse : nullptr, tested ? nullptr : &Record::trainRmse, true));
    std::erase_if(all, [](const ReportChart& chart) { return chart.chart.curves.empty(); });
    return all;
}

} // namespace app
