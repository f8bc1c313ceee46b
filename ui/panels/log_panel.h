// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

#include <vector>

class QComboBox;
class QLineEdit;
class QPlainTextEdit;

namespace ui {

/// What happened, newest last; shown by level and by a text filter. Keeps the last 5000 lines.
class LogPanel : public QDockWidget {
    Q_OBJECT
public:
    explicit LogPanel(QWidget* parent = nullptr);
    void add(int level, const QString& text); ///< 0 info, 1 warning, 2 error
    QString shownText() const;

private:
    struct Line {
        int level;
        QString text;
    };

    void refill();
    bool isShown(const Line& line) const;
    void append(const Line& line);

    std::vector<Line> m_lines;
    QComboBox* m_level;
    QLineEdit* m_filter;
    QPlainTextEdit* m_text;
};

} // namespace ui
