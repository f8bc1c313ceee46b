// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/command_model.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QListView;

namespace ui {

/// One line to type in and what fits it: everything the window can do, without the mouse. Enter does it, Esc leaves.
class CommandPalette : public QDialog {
    Q_OBJECT
public:
    CommandPalette(std::vector<Command> commands, QWidget* window);

    QLineEdit* line() const { return m_line; }
    QListView* list() const { return m_list; }
    const CommandModel& model() const { return *m_model; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void typed(const QString& pattern);
    void chooseRow(int row);
    void announce();
    void runChosen();
    void place();

    CommandModel* m_model;
    QLineEdit* m_line;
    QListView* m_list;
    QLabel* m_nothing;
};

} // namespace ui
