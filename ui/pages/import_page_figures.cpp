// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What comes of the choices: sizes, entries, density, rows that met or were left out, trouble.
#include "ui/formatting.h"
#include "ui/models/import_text.h"
#include "ui/pages/import_page.h"

#include <QFrame>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>

namespace ui {
namespace {

using app::TableImport;
using Figures = app::TableImport::Figures;

constexpr quint64 worthStopping = 20'000'000; ///< bytes: less is counted in a moment

QString figuresText(const app::OpenTensor& open)
{
    QStringList parts{
        formatting::dims(open.tensor.dims()), ImportPage::tr("entries: %1").arg(formatting::grouped(open.tensor.entries())),
        ImportPage::tr("%1 of the cells").arg(formatting::percent(open.tensor.density(), open.tensor.density() < 0.001 ? 4 : 1))};
    if (open.report.duplicatesMerged > 0)
        parts += ImportPage::tr("rows merged: %1").arg(formatting::grouped(open.report.duplicatesMerged));
    return parts.join(QStringLiteral("  ·  "));
}

/// "about 105 × 19 × 24": of a file that is not counted.
QString guessText(const TableImport& import)
{
    QStringList sizes;
    for (std::size_t mode = 0; mode < import.recipe().modes.size(); ++mode) {
        const QString size = sizeText(import, mode);
        sizes += size.isEmpty() ? QStringLiteral("?") : size;
    }
    return sizes.join(QStringLiteral(" × "));
}

QStringList sentencesOf(const io::LoadReport& report)
{
    QStringList sentences;
    for (const auto* list : {&report.warnings, &report.notes})
        for (const std::string& sentence : *list)
            sentences += QString::fromStdString(sentence);
    return sentences;
}

} // namespace

void ImportPage::showFigures()
{
    const Figures figures = m_import.figures();
    const auto tensor = m_import.tensor();
    const app::OpenTensor* const last = m_import.lastTensor();
    if (tensor)
        m_figures->setText(figuresText(*tensor));
    else if (figures == Figures::Counting && last)
        m_figures->setText(figuresText(*last)); // until the new ones are there
    else
        m_figures->setText(m_import.survey() && figures != Figures::Failed ? guessText(m_import) : QString());
    m_figures->setEnabled(static_cast<bool>(tensor));
    m_figures->setToolTip(m_figures->text());
    const bool isText = m_import.survey() && m_import.survey()->proposal.dialect.separator.has_value();
    m_format->setVisible(isText || m_import.survey() == nullptr);
    m_saveRecipe->setEnabled(!m_import.recipe().modes.empty());
    m_open->setEnabled(canOpen());
    m_choices->setEnabled(m_import.survey());
    m_count->setVisible(figures == Figures::OnRequest || (figures == Figures::Counting && m_import.fileBytes() > worthStopping));
    m_count->setText(figures == Figures::Counting ? tr("Stop counting") : tr("Count"));
    const bool isBusy = figures == Figures::Counting || (figures == Figures::None && m_import.isOpen() && !m_import.asksForPart());
    isBusy ? m_ticks.start() : m_ticks.stop();
    m_progress->setVisible(isBusy);
    showDetails();
    showProblem();
    showProgress();
}

void ImportPage::showDetails()
{
    QStringList sentences;
    if (const auto tensor = m_import.tensor())
        sentences = sentencesOf(tensor->report);
    else if (m_import.figures() == Figures::OnRequest)
        sentences += tr("The file is large. Count reads it, and so does Open.");
    else if (m_import.figures() == Figures::Counting)
        sentences += tr("Counting…");
    m_details->setText(sentences.join(QLatin1Char(' ')));
    m_details->setToolTip(sentences.join(QLatin1Char('\n')));
}

void ImportPage::showProblem()
{
    const bool failed = m_import.figures() == Figures::Failed;
    m_problem->setVisible(failed);
    if (!failed)
        return;
    m_problemText->setText(m_import.failure());
    m_skipRows->setVisible(m_import.failedAtRow());
    if (!m_import.survey())
        m_layoutText->clear();
}

void ImportPage::showProgress()
{
    if (!m_ticks.isActive())
        return;
    const app::BackgroundJob::State state = m_import.progress();
    m_progress->setRange(0, state.fraction < 0 ? 0 : 1000);
    m_progress->setValue(static_cast<int>(state.fraction * 1000));
    if (m_import.figures() == Figures::Counting && state.secondsLeft > 1)
        m_details->setText(tr("Counting, %1 left").arg(formatting::duration(state.secondsLeft)));
}

} // namespace ui
