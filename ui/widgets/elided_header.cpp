// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_header.h"

#include "ui/theme.h"

#include <QStyle>
#include <QStyleOptionHeader>

#include <algorithm>

namespace ui {

ElidedHeader::ElidedHeader(QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true); // as the one that a table has of itself
}

namespace {
constexpr int unmeasured = 13; // the arrow of a sorted column, which has its room always, and what metrics do not tell of letters
}

int ElidedHeader::wholeWidth(int section) const
{
    constexpr int anyWidth = 1000, longest = 220;
    const QString name = model() ? model()->headerData(section, Qt::Horizontal).toString() : QString();
    QStyleOptionHeader option;
    initStyleOption(&option);
    option.rect = QRect(0, 0, anyWidth, height());
    const int frame = anyWidth - style()->subElementRect(QStyle::SE_HeaderLabel, &option, this).width();
    return std::min(fontMetrics().horizontalAdvance(name) + frame + unmeasured, zoomed(longest));
}

QString ElidedHeader::shownText(int section) const
{
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
