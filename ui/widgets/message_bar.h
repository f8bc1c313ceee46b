// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace ui {

enum class MessageTone { Info, Warning, Error };

/// What went wrong or deserves a look, inside the window, until dismissed: the whole sentence, newest first, at most three.
class MessageBar : public QWidget {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    void post(MessageTone tone, const QString& sentence);
    void dismissAll();
    QStringList messages() const; ///< newest first

private:
    void dismiss(QWidget* row);

    QVBoxLayout* m_layout;
    QList<QWidget*> m_rows; ///< newest first
};

} // namespace ui
