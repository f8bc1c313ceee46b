// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_scope.h"

#include "ui/formatting.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <functional>

namespace ui {
namespace {

using app::AccuracyCurve;
using app::Measure;
using app::Part;

QString tr(const char* text) { return QCoreApplication::translate("RunScope", text); }

} // namespace

double roundedTarget(double value, bool higherIsBetter)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 2);
    const double steps = value / step;
    const double rounded = (higherIsBetter ? std::floor(steps + 1e-9) : std::ceil(steps - 1e-9)) * step;
    return QString::number(rounded, 'g', 4).toDouble(); // without the last bits of the multiplication
}

std::size_t RunScope::placeOf(Measure measure, Part part)
{
    return measure == Measure::Fit ? 4 : 2 * static_cast<std::size_t>(measure) + static_cast<std::size_t>(part);
}

void RunScope::setMeasure(Measure measure)
{
    if (measure == m_measure)
        return;
    m_measure = measure;
    m_chosen.reset(); // a number in another measure
    m_proposed = kernels::notMeasured;
}

void RunScope::setTarget(std::optional<double> target) { m_chosen = target; }

bool RunScope::update(const std::vector<app::Run*>& runs)
{
    constexpr std::size_t iterationsAtATime = 100'000; // some 8 ms
    std::size_t left = iterationsAtATime;
    m_part = Part::Train;
    for (const app::Run* run : runs) {
        Curves& curves = m_runs
                             .try_emplace(run->id(),
                                          Curves{AccuracyCurve(Measure::Rmse, Part::Test), AccuracyCurve(Measure::Rmse, Part::Train),
                                                 AccuracyCurve(Measure::Mae, Part::Test), AccuracyCurve(Measure::Mae, Part::Train),
                                                 AccuracyCurve(Measure::Fit, Part::Train)})
                             .first->second;
        std::size_t taken = 0;
        for (AccuracyCurve& each : curves) // in step with each other
            taken = each.update(run->history(), left);
        left -= taken;
        if (!curves[placeOf(Measure::Rmse, Part::Test)].points().empty())
            m_part = Part::Test;
    }
    propose(runs);
    return left > 0;
}

/// What the second best reaches; of ended runs where there are two, so that it stands still while others go.
void RunScope::propose(const std::vector<app::Run*>& runs)
{
    std::vector<double> ended, all;
    for (const app::Run* run : runs) {
        const double best = curve(*run).best();
        if (std::isnan(best))
            continue;
        all.push_back(best);
        if (!run->isActive())
            ended.push_back(best);
    }
    std::vector<double>& candidates = ended.size() >= 2 ? ended : all;
    if (candidates.empty())
        return;
    const bool higher = app::isHigherBetter(m_measure);
    std::sort(candidates.begin(), candidates.end());
    if (higher)
        std::reverse(candidates.begin(), candidates.end());
    m_proposed = roundedTarget(candidates[std::min<std::size_t>(1, candidates.size() - 1)], higher);
}

double RunScope::reachedByAll(const std::vector<app::Run*>& runs) const
{
    const bool higher = app::isHigherBetter(m_measure);
    double worst = kernels::notMeasured;
    for (const app::Run* run : runs) {
        const double best = curve(*run).best();
        if (!std::isnan(best) && (std::isnan(worst) || (higher ? best < worst : best > worst)))
            worst = best;
    }
    return roundedTarget(worst, higher);
}

const AccuracyCurve& RunScope::curve(const app::Run& run) const { return curve(run, m_measure, m_part); }

const AccuracyCurve& RunScope::curve(const app::Run& run, Measure measure, Part part) const
{
    static const AccuracyCurve none(Measure::Rmse, Part::Test);
    const auto found = m_runs.find(run.id());
    return found == m_runs.end() ? none : found->second[placeOf(measure, part)];
}

QString RunScope::measureText() const
{
    if (m_measure == Measure::Fit)
        return tr("fit");
    const QString name = m_measure == Measure::Rmse ? tr("RMSE") : tr("MAE");
    return (m_part == Part::Test ? tr("test %1") : tr("train %1")).arg(name);
}

QString RunScope::targetText() const { return std::isfinite(target()) ? formatting::number(target(), 6) : QStringLiteral("–"); }

} // namespace ui
