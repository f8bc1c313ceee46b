// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/check_menu.h"

#include <QAction>
#include <QKeyEvent>
#include <QMouseEvent>

namespace ui {

bool CheckMenu::toggleActive()
{
    QAction* const action = activeAction();
    if (!action || !action->isEnabled() || !action->isCheckable())
        return false;
    action->trigger();
    return true;
}

void CheckMenu::mouseReleaseEvent(QMouseEvent* event)
{
    if (!toggleActive())
        QMenu::mouseReleaseEvent(event);
}

void CheckMenu::keyPressEvent(QKeyEvent* event)
{
    const bool chooses = event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!chooses || !toggleActive())
        QMenu::keyPressEvent(event);
}

} // namespace ui
