// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLineEdit;

namespace ui {

class ElidedLabel;

/// A mode in a list: its name, which is edited in place (double click, F2, Enter), and its size. A file that is dropped on it is
/// meant to hold its labels.
class ModeRow : public QWidget {
    Q_OBJECT
public:
    ModeRow(const QString& name, const QString& size, const QString& toolTip, QWidget* parent = nullptr);

    void edit();
    QLineEdit* editor() const { return m_editor; }

Q_SIGNALS:
    void renamed(const QString& name); ///< to something else; empty: no name
    void labelFileDropped(const QString& path);
    void menuRequested(const QPoint& globalPosition);

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void finish(bool take);
    void setDropping(bool dropping);

    QString m_text; ///< as it was given
    ElidedLabel* m_name;
    QLineEdit* m_editor;
};

} // namespace ui
