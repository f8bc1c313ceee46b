// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/focus_order.h"

#include <QWidget>

#include <algorithm>

namespace ui {
namespace {

bool comesBefore(const QRect& a, const QRect& b)
{
    const bool rowsOverlap = a.top() <= b.bottom() && b.top() <= a.bottom();
    const bool columnsOverlap = a.left() <= b.right() && b.left() <= a.right();
    if (rowsOverlap && !columnsOverlap)
        return a.left() < b.left();
    return a.top() != b.top() ? a.top() < b.top() : a.left() < b.left();
}

/// "Before" is no order of three and more (a tall panel stands beside several rows), so the next is each time one that no other
/// comes before.
QList<QWidget*> inReadingOrder(QList<QWidget*> siblings)
{
    QList<QWidget*> order;
    while (!siblings.isEmpty()) {
        const auto first = std::find_if(siblings.begin(), siblings.end(), [&](const QWidget* each) {
            return std::none_of(siblings.begin(), siblings.end(), [&](const QWidget* other) {
                return other != each && comesBefore(other->geometry(), each->geometry())
                    && !comesBefore(each->geometry(), other->geometry());
            });
        });
        order << siblings.takeAt(first == siblings.end() ? 0 : first - siblings.begin());
    }
    return order;
}

void collect(const QWidget& parent, QList<QWidget*>& found)
{
    QList<QWidget*> children;
    for (QObject* child : parent.children())
        if (auto* widget = qobject_cast<QWidget*>(child); widget && widget->isVisible() && !widget->isWindow())
            children << widget;
    for (QWidget* child : inReadingOrder(children)) {
        if (child->isEnabled() && (child->focusPolicy() & Qt::TabFocus) && !child->focusProxy())
            found << child;
        collect(*child, found);
    }
}

} // namespace

QList<QWidget*> focusOrder(const QWidget& window)
{
    QList<QWidget*> found;
    collect(window, found);
    return found;
}

QWidget* nextInFocusOrder(const QWidget& window, const QWidget* from, bool forward)
{
    const QList<QWidget*> order = focusOrder(window);
    if (order.isEmpty())
        return nullptr;
    auto at = order.indexOf(from);
    for (const QWidget* each = from; at < 0 && each; each = each->parentWidget()) // a part of a control, such as a cell's editor
        at = order.indexOf(each);
    if (at < 0)
        return forward ? order.front() : order.back();
    return order[(at + (forward ? 1 : order.size() - 1)) % order.size()];
}

} // namespace ui
