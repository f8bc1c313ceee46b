// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/folder_watch.h"

#include <QFrame>

class QToolButton;

namespace ui {

class ElidedLabel;

/// The folder that is watched: where, what is being done, what came last and how many; pause and end. There while one is.
class WatchStrip : public QFrame {
    Q_OBJECT
public:
    explicit WatchStrip(app::FolderWatch& watch, QWidget* parent = nullptr);

    /// "Adding monday.tns…", "3 added, last monday.tns at 14:05".
    QString doing() const;
    QString sum() const;

private:
    void show();

    app::FolderWatch& m_watch;
    ElidedLabel *m_folder, *m_doing, *m_sum;
    QToolButton *m_pause, *m_end;
};

} // namespace ui
