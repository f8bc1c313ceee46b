// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabBar>

namespace ui {

/// Tabs at their full width, always: the chosen tab is set in a heavier weight, and every tab keeps room for it.
/// So neither a change of tab nor one before the first layout makes the bar scroll, cut a word or move its tabs.
class TabBar : public QTabBar {
    Q_OBJECT
public:
    explicit TabBar(QWidget* parent = nullptr);

protected:
    QSize tabSizeHint(int index) const override;
    QSize minimumTabSizeHint(int index) const override { return tabSizeHint(index); }
};

} // namespace ui
