// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QGridLayout;

namespace ui {

/// Two groups of controls, on one line where there is room, else on two. A page never has to be as wide as one line.
class ControlRow : public QWidget {
    Q_OBJECT
public:
    ControlRow(QWidget* left, QWidget* right, QWidget* parent);

protected:
    bool event(QEvent* event) override;

private:
    void place();

    QWidget *m_left, *m_right;
    QGridLayout* m_layout;
};

} // namespace ui
