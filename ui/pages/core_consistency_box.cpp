// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/core_consistency_box.h"

#include "app/rank_advice.h"
#include "kernels/operations/core_consistency.h"
#include "ui/formatting.h"

#include <cmath>

namespace ui {

CoreConsistencyBox::CoreConsistencyBox(QWidget* parent)
    : QPushButton(parent)
{
    setObjectName(QStringLiteral("link"));
    setProperty("atRightEdge", true);
    setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    m_timer.setInterval(100);
    connect(&m_timer, &QTimer::timeout, this, &CoreConsistencyBox::showState);
    connect(this, &QPushButton::clicked, this, &CoreConsistencyBox::compute);
    connect(&m_job, &app::BackgroundJob::ended, this, &CoreConsistencyBox::showState);
    connect(&m_job, &app::BackgroundJob::failed, this, &CoreConsistencyBox::failed);
    hide();
}

void CoreConsistencyBox::setFactors(const FactorDataPtr& factors, kernels::Objective objective)
{
    m_job.cancel();
    m_factors = factors;
    m_objective = objective;
    m_percent.reset();
    setVisible(factors && factors->isCp());
    showState();
}

void CoreConsistencyBox::compute()
{
    if (m_job.isRunning()) {
        m_job.cancel();
        showState();
        return;
    }
    m_job.start([this, factors = m_factors, objective = m_objective](kernels::Progress& progress) -> app::BackgroundJob::Finish {
        const auto found = std::make_shared<kernels::CoreConsistency>(
            kernels::coreConsistency(factors->model(), factors->tensor->tensor, objective, factors->outcome->testPositions, &progress));
        return [this, found] {
            m_percent = found->percent;
            m_stable = found->isStable();
            Q_EMIT computed(found->percent, std::shared_ptr<const kernels::Array<double>>(found, &found->core));
        };
    });
    m_timer.start();
    showState();
}

void CoreConsistencyBox::showState()
{
    if (!m_factors || !m_factors->isCp())
        return;
    const bool tooLarge = kernels::consistencyCoreSize(m_factors->model()) > kernels::largestConsistencyCore;
    const bool away = !m_factors->tensor->isHere;
    const QString meaning = tr("How well the data keep to a CP model of so many components (Bro and Kiers 2003): near 100 %, fine; low or "
                               "negative, too many components, or data of another form.");
    const QString of = m_objective == kernels::Objective::All ? tr("Over all cells, missing = 0.") : tr("Over the training entries.");
    if (m_job.isRunning()) {
        const double fraction = std::max(0.0, m_job.state().fraction);
        setText(tr("core consistency: %1 done · cancel").arg(formatting::percent(fraction, 0)));
    } else if (m_percent) {
        const QString number = std::isfinite(*m_percent) ? formatting::number(*m_percent, 3) : tr("not a number");
        setText(m_stable ? tr("core consistency %1 %").arg(number) : tr("core consistency %1 %, unstable").arg(number));
    } else {
        setText(tr("compute core consistency"));
    }
    if (!m_job.isRunning())
        m_timer.stop();
    setEnabled(!tooLarge && !away && !m_percent);
    setToolTip(m_factors->tensor->isLearnt ? tr("Entries of a run that has learnt files are not kept.")
                   : away                  ? tr("It reads the tensor's entries: open the tensor again first.")
                   : tooLarge              ? tr("The core of rank %1 in %2 modes is too large: at most 2^24 numbers.")
                                    .arg(m_factors->model().coreRank)
                                    .arg(m_factors->modes())
                   : m_percent && !m_stable ? app::unstableConsistency()
                                            : meaning + QLatin1Char(' ') + of);
}

} // namespace ui
