// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which divergence the tensor's values ask for, beside the field that chooses it; and values that none can take.
#include "app/divergence_choice.h"
#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/panels/run_form.h"

#include <QLabel>

namespace ui {
namespace {

QString because(const kernels::DivergenceAdvice& advice)
{
    switch (advice.reason) {
    case kernels::DivergenceAdvice::Reason::Counts:
        return RunForm::tr("the values are whole numbers that vary as counts do");
    case kernels::DivergenceAdvice::Reason::Spread:
        return RunForm::tr("the values are positive, and nine in ten of them spread over a factor of %1")
            .arg(formatting::number(advice.spread, 2));
    case kernels::DivergenceAdvice::Reason::Negative: // refused, which says enough
    case kernels::DivergenceAdvice::Reason::Even:
        break;
    }
    return RunForm::tr("the values are neither counts nor spread over decades");
}

} // namespace

void RunForm::showAdvice(const kernels::RunConfig* chosen)
{
    const bool left = chosen && app::leavesDivergence(*chosen);
    const auto named = chosen && !left ? divergenceOf(*chosen) : std::nullopt;
    if ((left || named) && !m_divergence)
        m_divergence = app::divergenceAdvice(*m_tensor);
    const bool shown = (left || named) && m_divergence->reason != kernels::DivergenceAdvice::Reason::Negative;
    m_advice->setVisible(shown);
    if (!shown)
        return;
    const QString text = left                ? tr("Automatic takes %1: %2.")
        : *named == m_divergence->divergence ? tr("%1 suits this tensor: %2.")
                                             : tr("%1 would suit this tensor: %2.");
    m_advice->setText(text.arg(divergenceTitle(m_divergence->divergence), because(*m_divergence)));
}

/// What the run would be refused for, said before it is started. Those that tell are of all entries.
QString RunForm::valueRefusal(const kernels::RunConfig& chosen) const
{
    const kernels::TensorStatistics& values = m_tensor->statistics;
    const auto divergence = divergenceOf(app::withDivergence(chosen, *m_tensor));
    if (!divergence)
        return {};
    if (values.valueMin < 0)
        return tr("%1 takes no values below 0, and the least of this tensor is %2. Choose another algorithm, such as CP-ALS, or "
                  "shift the values in the file.")
            .arg(QString::fromStdString(info().title), formatting::number(values.valueMin, 4));
    if (*divergence == kernels::Divergence::ItakuraSaito && values.zeros > 0)
        return tr("Itakura-Saito takes no zeros, and this tensor has %1. Choose Kullback-Leibler or Euclidean, or open the tensor without "
                  "its zeros.")
            .arg(formatting::grouped(values.zeros));
    return {};
}

} // namespace ui
