// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

class QWidget;

namespace ui {

/// The controls of a window that Tab stops at, as the eye goes: columns from left to right, in each from top to bottom, one
/// part (a card, a row, a panel) after the other.
QList<QWidget*> focusOrder(const QWidget& window);

/// The one after, or before, the one that has the focus; round the end. Null: there is none.
QWidget* nextInFocusOrder(const QWidget& window, const QWidget* from, bool forward);

} // namespace ui
