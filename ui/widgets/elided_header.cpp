// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_header.h"

#include <QStyle>
#include <QStyleOptionHeader>

namespace ui {

ElidedHeader::ElidedHeader(QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true); // as the one that a table has of itself
}

QString ElidedHeader::shownText(int section) const
{
    constexpr int unmeasured = 13; // the arrow of a sorted column, which has its room always, and what metrics do not tell of letters
    const QString name = model() ? model()->headerData(section, Qt::Horizontal).toString() : QString();
    QStyleOptionHeader option;
    initStyleOption(&option);
    option.rect = QRect(0, 0, sectionSize(section), height());
    const int room = style()->subElementRect(QStyle::SE_HeaderLabel, &option, this).width() - unmeasured;
    return fontMetrics().elidedText(name, Qt::ElideMiddle, room);
}

void ElidedHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int logicalIndex) const
{
    QHeaderView::initStyleOptionForIndex(option, logicalIndex);
    option->text = shownText(logicalIndex);
}

} // namespace ui
