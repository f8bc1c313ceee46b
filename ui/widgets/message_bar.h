// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include <functional>

class QHBoxLayout;
class QVBoxLayout;

namespace ui {

enum class MessageTone { Info, Warning, Error };

/// An answer to a message; it also dismisses it.
struct MessageAction {
    QString text;
    std::function<void()> run;
};

/// What went wrong or deserves a look, inside the window, until dismissed: the whole sentence, newest first, at most three, and of those
/// that wait for an answer five.
class MessageBar : public QWidget {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    void post(MessageTone tone, const QString& sentence, const QList<MessageAction>& actions = {});
    void dismissAll();
    void dismiss(const QString& sentence); ///< what it says is true no more
    QStringList messages() const; ///< newest first

Q_SIGNALS:
    void focusLost(); ///< with a message that had it

private:
    void makeRoom();
    void dismiss(QWidget* row);
    void addActions(QWidget* row, QHBoxLayout* layout, const QList<MessageAction>& actions);

    QVBoxLayout* m_layout;
    QList<QWidget*> m_rows; ///< newest first
};

} // namespace ui
