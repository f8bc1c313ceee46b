// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run.h"
#include "kernels/operations/baselines.h"

#include <QString>

#include <optional>

namespace app {

/// A model beside its baselines, in the measure that tells most: test RMSE, else train RMSE; the fit where all cells are fitted.
struct BaselineComparison {
    QString measure; ///< "test RMSE"
    double model = 0, mean = 0, additive = 0;
    bool higherIsBetter = false;
    bool beatsMeanInTraining = false, beatsAdditiveInTraining = false; ///< by train RMSE

    bool beats(double baseline) const { return higherIsBetter ? model > baseline : model < baseline; }
    /// The model does not beat a baseline, but does so in training.
    bool overfits() const { return !beats(mean) ? beatsMeanInTraining : !beats(additive) && beatsAdditiveInTraining; }
};

/// Nothing where no measure is known of both.
std::optional<BaselineComparison> compareWith(const kernels::Baselines&, const kernels::IterationRecord& best);

/// "Baselines: mean 1.13, additive 0.94 (test RMSE)"
QString baselinesText(const BaselineComparison&);
/// "This model does not beat the additive baseline (test RMSE 1.021, baseline 0.994)." Empty: it beats both.
QString baselineVerdict(const BaselineComparison&);
/// The same of a run's best iteration; empty where nothing is known.
QString baselineVerdict(const kernels::Baselines*, const kernels::IterationRecord* best);

} // namespace app
