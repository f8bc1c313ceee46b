// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QStringList>

class QButtonGroup;

namespace ui {

/// A row of choices of which one is taken; arrow keys move between them.
class SegmentedControl : public QFrame {
    Q_OBJECT
public:
    SegmentedControl(const QString& accessibleName, const QStringList& choices, QWidget* parent = nullptr);

    int current() const;
    QStringList choices() const;
    void setCurrent(int index);
    /// A reason disables the choice and is its tooltip; empty: enabled.
    void setRefusal(int index, const QString& reason);
    bool isChoiceEnabled(int index) const;
    QString choiceToolTip(int index) const;

Q_SIGNALS:
    void currentChanged(int index);
    void clicked(int index); ///< by the person

private:
    QButtonGroup* m_group;
    QStringList m_choices;
};

} // namespace ui
