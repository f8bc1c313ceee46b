// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/control_row.h"

#include <QEvent>
#include <QGridLayout>

#include <algorithm>

namespace ui {

ControlRow::ControlRow(QWidget* left, QWidget* right, QWidget* parent)
    : QWidget(parent)
    , m_left(left)
    , m_right(right)
    , m_layout(new QGridLayout(this))
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_layout->setContentsMargins(2, 0, 2, 0);
    m_layout->setHorizontalSpacing(12);
    m_layout->setVerticalSpacing(8);
    m_layout->setColumnStretch(1, 1);
    m_layout->addWidget(m_left, 0, 0, Qt::AlignLeft);
    m_layout->addWidget(m_right, 0, 1);
}

bool ControlRow::event(QEvent* event)
{
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
        place();
    return done;
}

void ControlRow::place()
{
    const QSize left = m_left->sizeHint(), right = m_right->minimumSizeHint();
    const bool narrow = width() < left.width() + right.width() + m_layout->horizontalSpacing() + 4;
    const bool wasNarrow = m_layout->itemAtPosition(1, 0) != nullptr;
    if (narrow != wasNarrow)
        m_layout->addWidget(m_right, narrow ? 1 : 0, narrow ? 0 : 1, 1, narrow ? 2 : 1);
    const int line = std::max(left.height(), right.height());
    setFixedHeight(narrow ? 2 * line + m_layout->verticalSpacing() : line);
}

} // namespace ui
