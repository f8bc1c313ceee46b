// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>

namespace ui {

/// The colours a run can have in all charts and lists.
class ColorMenu : public QMenu {
    Q_OBJECT
public:
    explicit ColorMenu(QWidget* parent = nullptr);
    /// The run's own is checked.
    void setCurrent(int colorIndex);

Q_SIGNALS:
    void chosen(int color); ///< below runColorCount

private:
    void draw(); ///< in the colours of the desktop's present scheme

    int m_current = -1;
};

} // namespace ui
