// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_header.h"

#include <QStyleOptionHeader>

namespace ui {

ElidedHeader::ElidedHeader(QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent)
{
}

QString ElidedHeader::shownText(int section) const
{
    constexpr int padding = 26; // both sides, as the style sheet has it, and what metrics do not tell
    const QString name = model() ? model()->headerData(section, Qt::Horizontal).toString() : QString();
    return fontMetrics().elidedText(name, Qt::ElideMiddle, sectionSize(section) - padding);
}

void ElidedHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int logicalIndex) const
{
    QHeaderView::initStyleOptionForIndex(option, logicalIndex);
    option->text = shownText(logicalIndex);
}

} // namespace ui
