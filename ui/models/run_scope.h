// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/accuracy_curve.h"
#include "app/run.h"

#include <QString>

#include <array>
#include <map>
#include <optional>
#include <vector>

namespace ui {

/// What runs are judged by beside each other: a measure, of the part that one of them was tested on or else trained on, and a
/// target in it. Keeps every run's way to its accuracy, so that looking at long histories again costs nothing.
class RunScope {
public:
    /// Looks at some 100,000 new iterations at most. False: there are more, ask again.
    bool update(const std::vector<app::Run*>& runs);
    void forget(int runId) { m_runs.erase(runId); }

    void setMeasure(app::Measure measure);
    void setTarget(std::optional<double> target); ///< nothing: a proposed one
    app::Measure measure() const { return m_measure; }
    app::Part part() const { return m_part; } ///< Test where any run has a test part
    bool isTargetChosen() const { return m_chosen.has_value(); }
    double target() const { return m_chosen.value_or(m_proposed); } ///< NaN: nothing was measured yet

    double reachedByAll(const std::vector<app::Run*>& runs) const; ///< the hardest target for which each has a time; NaN: none was measured
    /// In this scope's measure and part.
    const app::AccuracyCurve& curve(const app::Run&) const;
    const app::AccuracyCurve& curve(const app::Run&, app::Measure, app::Part) const;
    QString measureText() const; ///< "test RMSE", "fit"
    QString targetText() const; ///< "0.930"

private:
    static constexpr std::size_t curveCount = 5;
    using Curves = std::array<app::AccuracyCurve, curveCount>;

    static std::size_t placeOf(app::Measure, app::Part);
    void propose(const std::vector<app::Run*>& runs);

    app::Measure m_measure = app::Measure::Rmse;
    app::Part m_part = app::Part::Test;
    std::optional<double> m_chosen;
    double m_proposed = kernels::notMeasured;
    std::map<int, Curves> m_runs;
};

/// To three digits, on the side that is easier to reach.
double roundedTarget(double value, bool higherIsBetter);

} // namespace ui
