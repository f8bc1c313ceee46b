// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tab_bar.h"

#include <QFontMetrics>

#include <algorithm>

namespace ui {

TabBar::TabBar(QWidget* parent)
    : QTabBar(parent)
{
    setExpanding(false);
    setDrawBase(false);
    setElideMode(Qt::ElideNone);
    setUsesScrollButtons(true); // in a narrow window
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(this, &QTabBar::currentChanged, this, [this] { updateGeometry(); });
}

QSize TabBar::tabSizeHint(int index) const
{
    QSize size = QTabBar::tabSizeHint(index);
    if (index == currentIndex())
        return size; // the style has measured it in its heavier weight
    QFont heavy = font();
    heavy.setWeight(QFont::DemiBold); // as in the style sheet
    const QString text = tabText(index);
    const int more = QFontMetrics(heavy).size(Qt::TextShowMnemonic, text).width() - fontMetrics().size(Qt::TextShowMnemonic, text).width();
    return {size.width() + std::max(0, more), size.height()};
}

} // namespace ui
