// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/baseline_text.h"

#include "app/formatting.h"

#include <QCoreApplication>

#include <cmath>

namespace app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Baselines", text); }

} // namespace

std::optional<BaselineComparison> compareWith(const kernels::Baselines& baselines, const kernels::IterationRecord& best)
{
    const BaselineComparison candidates[] = {
        {tr("test RMSE"), best.testRmse, baselines.mean.testRmse, baselines.additive.testRmse, false,
         best.trainRmse < baselines.mean.trainRmse, best.trainRmse < baselines.additive.trainRmse},
        {tr("train RMSE"), best.trainRmse, baselines.mean.trainRmse, baselines.additive.trainRmse, false},
        {tr("fit"), best.fit, baselines.mean.fit, baselines.additive.fit, true}};
    for (const BaselineComparison& each : candidates)
        if (std::isfinite(each.model) && std::isfinite(each.mean) && std::isfinite(each.additive))
            return each;
    return {};
}

QString baselinesText(const BaselineComparison& comparison)
{
    return tr("Baselines: mean %1, additive %2 (%3)")
        .arg(formatting::metric(comparison.mean), formatting::metric(comparison.additive), comparison.measure);
}

QString baselineVerdict(const BaselineComparison& comparison)
{
    if (!comparison.higherIsBetter && comparison.mean == 0) // of one value all there is to learn is that value
        return {};
    const QString model = QStringLiteral("%1 %2").arg(comparison.measure, formatting::metric(comparison.model));
    if (!comparison.beats(comparison.mean))
        return tr("This model does not beat the mean (%1, mean %2).").arg(model, formatting::metric(comparison.mean));
    if (!comparison.beats(comparison.additive))
        return tr("This model does not beat the additive baseline (%1, baseline %2).").arg(model, formatting::metric(comparison.additive));
    return {};
}

QString baselineVerdict(const kernels::Baselines* baselines, const kernels::IterationRecord* best)
{
    const auto comparison = baselines && best ? compareWith(*baselines, *best) : std::nullopt;
    return comparison ? baselineVerdict(*comparison) : QString();
}

} // namespace app
