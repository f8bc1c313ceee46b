// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/continue_dialog.h"

#include "ui/formatting.h"

#include <QBoxLayout>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>

namespace ui {
namespace {

constexpr std::uint64_t mostAtOnce = 1'000'000'000;

/// The rest of what was planned, else as many again.
std::uint64_t proposal(const app::Run& run)
{
    const std::uint64_t done = run.history().size(), planned = run.plannedIterations();
    return std::clamp<std::uint64_t>(done < planned ? planned - done : planned, 1, mostAtOnce);
}

} // namespace

ContinueDialog::ContinueDialog(const app::Run& run, QWidget* parent)
    : QDialog(parent)
    , m_rules(run.config().stopping)
    , m_done(run.history().size())
    , m_name(run.name())
    , m_goesOn(run.holdsEnd() && run.tensor()->isHere)
    , m_repeatsExactly(run.config().deterministic)
    , m_more(new QSpinBox(this))
    , m_meaning(new QLabel(this))
{
    setWindowTitle(tr("Continue %1").arg(m_name));
    setMinimumWidth(460);
    const kernels::StopReason reason = run.outcome() ? run.outcome()->result.reason : kernels::StopReason::Stopped;
    if (reason == kernels::StopReason::Converged) {
        m_rules.tolerance = 0; // by that rule it would end at once
        m_dropped = tr("It ended because it no longer improved; that rule is off from now on.");
    }
    const double worked = run.history().empty() ? 0 : run.history().back().elapsed;
    if (m_rules.secondsLimit > 0 && (reason == kernels::StopReason::TimeLimit || worked >= m_rules.secondsLimit)) {
        m_dropped = tr("Its time limit of %1 is off from now on.").arg(formatting::duration(m_rules.secondsLimit));
        m_rules.secondsLimit = 0;
    }
    m_more->setRange(1, static_cast<int>(mostAtOnce));
    m_more->setValue(static_cast<int>(proposal(run)));
    m_more->setGroupSeparatorShown(true);
    m_more->setObjectName(QStringLiteral("more-iterations"));
    m_more->setAccessibleName(tr("Iterations more"));
    m_meaning->setObjectName(QStringLiteral("subtitle"));
    m_meaning->setWordWrap(true);
    m_meaning->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_meaning->setMinimumHeight(4 * fontMetrics().lineSpacing()); // no sentence moves the dialog
    auto* rows = new QFormLayout;
    rows->setVerticalSpacing(10);
    rows->setHorizontalSpacing(14);
    rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    rows->addRow(tr("Iterations more"), m_more);
    rows->addRow(m_meaning);
    m_accept = new QPushButton(m_goesOn ? tr("Continue") : tr("Start again"), this);
    m_accept->setObjectName(QStringLiteral("primary"));
    m_accept->setDefault(true);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_accept);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(12);
    layout->addLayout(rows);
    layout->addLayout(buttons);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_accept, &QPushButton::clicked, this, [this] {
        accept();
        m_goesOn ? Q_EMIT continuing(rules()) : Q_EMIT startingAgain(rules());
    });
    connect(m_more, &QSpinBox::valueChanged, this, &ContinueDialog::describe);
    m_accept->setEnabled(run.tensor()->isHere);
    if (run.tensor()->isHere)
        describe();
    else if (run.tensor()->isLearnt)
        m_meaning->setText(
            tr("Entries of a run that has learnt files are not kept, so that it has none to go on with. It can learn more files."));
    else
        m_meaning->setText(tr("Its tensor is not open. Open it, then this run can be started again."));
    m_more->selectAll();
}

kernels::StoppingRules ContinueDialog::rules() const
{
    kernels::StoppingRules rules = m_rules;
    rules.iterations = m_done + static_cast<std::uint64_t>(m_more->value());
    return rules;
}

void ContinueDialog::describe()
{
    const QString done = formatting::grouped(m_done), total = formatting::grouped(rules().iterations);
    QStringList sentences;
    if (m_goesOn)
        sentences += tr("It goes on after iteration %1 with what it had there, to iteration %2.").arg(done, total);
    else
        sentences +=
            tr("What it had at its end is not held any more, so a new run with its settings starts from iteration 1 and goes to %1.")
                .arg(total);
    if (m_repeatsExactly)
        sentences += m_goesOn ? tr("The numbers are those of a run that had %1 iterations from the start.").arg(total)
                              : tr("It is deterministic: the first %1 iterations repeat the old ones exactly.").arg(done);
    else if (!m_goesOn)
        sentences += tr("Its numbers will be near the old ones, not the same, since it is not deterministic.");
    if (!m_dropped.isEmpty())
        sentences += m_dropped;
    m_meaning->setText(sentences.join(QLatin1Char(' ')));
}

} // namespace ui
