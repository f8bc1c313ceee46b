// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>

namespace ui {

/// The head of a table that is imported: a column's name, and below it what becomes of it, as a chip that opens a menu. Painted, so
/// that a table may have very many columns.
class RoleHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit RoleHeader(QWidget* parent = nullptr);

    QPoint menuPlace(int section) const; ///< on the screen, below the chip
    QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void setHovered(int section);

    int m_hovered = -1;
};

} // namespace ui
