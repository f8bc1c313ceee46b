// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/shown_baselines.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Baselines", text); }

/// Splits are alike where all their numbers are.
double signOf(const kernels::Baselines& baselines, kernels::Objective objective)
{
    return objective == kernels::Objective::All ? baselines.mean.fit : baselines.mean.trainRmse;
}

/// Null: none is known.
const kernels::Baselines* mostCommon(const std::vector<app::Run*>& runs, int tensor, kernels::Objective objective)
{
    std::vector<const kernels::Baselines*> known;
    for (const app::Run* run : runs)
        if (TensorScope::tensorOf(*run) == tensor && run->objective() == objective && run->baselines()
            && std::isfinite(signOf(*run->baselines(), objective)))
            known.push_back(run->baselines());
    const auto alike = [&](const kernels::Baselines* one) {
        return std::count_if(known.begin(), known.end(),
                             [&](const auto* other) { return signOf(*other, objective) == signOf(*one, objective); });
    };
    const auto most = std::max_element(known.begin(), known.end(), [&](const auto* a, const auto* b) { return alike(a) < alike(b); });
    return most == known.end() ? nullptr : *most;
}

} // namespace

std::vector<ShownBaselines> shownBaselines(const std::vector<app::Run*>& runs, const TensorScope& scope)
{
    std::vector<ShownBaselines> shown;
    for (const app::Run* run : runs) {
        const int tensor = TensorScope::tensorOf(*run);
        if (std::any_of(shown.begin(), shown.end(), [&](const ShownBaselines& each) { return each.tensor == tensor; }))
            continue;
        const kernels::Baselines* const observed = mostCommon(runs, tensor, kernels::Objective::Observed);
        const kernels::Baselines* const all = mostCommon(runs, tensor, kernels::Objective::All);
        if (!observed && !all)
            continue;
        shown.push_back({tensor, scope.tensorName(*run), observed ? *observed : kernels::Baselines{}});
        if (all) {
            shown.back().baselines.mean.fit = all->mean.fit;
            shown.back().baselines.additive.fit = all->additive.fit;
        }
    }
    return shown;
}

QString baselineName(bool additive) { return additive ? tr("Additive model") : tr("Mean"); }

QString baselineToolTip(bool additive)
{
    return additive ? tr("The mean plus one effect per index of each mode, learnt from the training entries. A good model beats it.\n"
                         "Errors compare with runs of observed entries, the fit with runs of all entries.")
                    : tr("Every entry predicted by the mean of the training entries. A useful model beats it.\n"
                         "Errors compare with runs of observed entries, the fit with runs of all entries.");
}

} // namespace ui
