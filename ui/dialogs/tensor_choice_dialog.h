// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QStringList>

class QListWidget;

namespace ui {

/// Asks which tensor of a file that holds several is meant.
class TensorChoiceDialog : public QDialog {
    Q_OBJECT
public:
    TensorChoiceDialog(const QString& fileName, const QStringList& groups, QWidget* parent = nullptr);

    QListWidget* groups() const { return m_groups; }

Q_SIGNALS:
    void chosen(const QString& group);

private:
    QListWidget* m_groups;
};

} // namespace ui
