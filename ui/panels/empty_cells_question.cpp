// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/empty_cells_question.h"

#include "app/empty_cells.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

namespace ui {
namespace {

using kernels::EmptyCells;

void setProposed(QPushButton* button, bool proposed)
{
    button->setProperty("proposed", proposed);
    button->setAccessibleDescription(proposed ? EmptyCellsQuestion::tr("Proposed") : QString());
    button->style()->unpolish(button); // makes the style sheet look at the property
    button->style()->polish(button);
}

} // namespace

EmptyCellsQuestion::EmptyCellsQuestion(QWidget* parent)
    : QFrame(parent)
{
    setObjectName(QStringLiteral("question"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 8, 10, 10);
    layout->setSpacing(6);
    auto* question = new QLabel(tr("What does an empty cell mean?"), this);
    question->setObjectName(QStringLiteral("cardTitle"));
    m_reason = new QLabel(this);
    m_reason->setObjectName(QStringLiteral("subtitle"));
    m_reason->setWordWrap(true);
    layout->addWidget(question);
    layout->addWidget(m_reason);
    m_zero = addAnswer("empty-zero", tr("Zero: nothing happened"), EmptyCells::Zero);
    m_unknown = addAnswer("empty-unknown", tr("Unknown: not measured"), EmptyCells::Unknown);
    hide();
}

QPushButton* EmptyCellsQuestion::addAnswer(const char* name, const QString& text, EmptyCells meaning)
{
    auto* button = new QPushButton(text, this);
    button->setObjectName(QLatin1String(name));
    connect(button, &QPushButton::clicked, this, [this, meaning] { Q_EMIT answered(meaning); });
    layout()->addWidget(button);
    return button;
}

void EmptyCellsQuestion::setTensor(const app::OpenTensorPtr& tensor)
{
    const bool asks = tensor && app::asksForEmptyCells(*tensor);
    setVisible(asks);
    if (!asks)
        return;
    const kernels::EmptyCellsAdvice advice = app::emptyCellsAdvice(*tensor);
    m_reason->setText(app::emptyCellsProposal(advice));
    setProposed(m_zero, advice.meaning == EmptyCells::Zero);
    setProposed(m_unknown, advice.meaning == EmptyCells::Unknown);
}

} // namespace ui
