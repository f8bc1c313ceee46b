// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/chart_frame.h"
#include "ui/widgets/picture.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace ui {

struct ChartPoint {
    int id = -1; ///< of the run
    QString name;
    QColor color;
    Marker marker = Marker::Circle;
    double x = 0, y = 0;
    int group = 0; ///< points of different groups, such as tensors, do not compare
};

/// Named points: what is gained (y) against what it costs (x, the less the better). A line joins those that no other
/// of their group is better than in both. Left and right step from point to point.
class PointChart : public QWidget {
    Q_OBJECT
public:
    explicit PointChart(const QString& accessibleName, QWidget* parent = nullptr);

    void setXAxis(const QString& name, AxisLabel axis, AxisLabel value);
    void setYAxis(const QString& name, AxisLabel axis, AxisLabel value, bool higherIsBetter);
    void setEmptyText(const QString& text);
    void setPoints(std::vector<ChartPoint> points);
    void setHighlighted(int id); ///< -1: none

    const std::vector<ChartPoint>& points() const { return m_points; }
    std::vector<std::vector<int>> fronts() const; ///< ids, one front per group, each by x
    QPointF positionOf(int id) const; ///< in pixels
    QStringList namesShown() const; ///< beside their points: the others had no room
    Picture picture() const;
    QString csv() const;
    QSize sizeHint() const override { return {400, 300}; }
    QSize minimumSizeHint() const override { return {180, 120}; }

Q_SIGNALS:
    void hovered(int id); ///< -1: none

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Label {
        std::size_t point;
        QRectF place;
        QString text;
    };

    void layOut();
    bool isInFront(std::size_t point) const;
    void placeLabels();
    std::vector<QRectF> frontPieces() const;
    std::optional<QRectF> freePlace(const QPointF& at, const QSizeF& size, const std::vector<QRectF>& taken) const;
    QPointF pixelOf(const ChartPoint& point) const;
    void setHovered(int index);
    void paintAll(QPainter& painter) const;
    void paintFront(QPainter& painter) const;
    void paintPoints(QPainter& painter) const;
    void paintTip(QPainter& painter) const;

    QString m_xName, m_yName, m_emptyText;
    AxisLabel m_xAxis, m_xValue, m_yAxis, m_yValue;
    bool m_higherIsBetter = false;
    std::vector<ChartPoint> m_points;
    std::vector<std::vector<std::size_t>> m_fronts;
    std::vector<Label> m_labels;
    ChartFrame m_frame;
    int m_highlighted = -1;
    int m_hovered = -1; ///< a place in m_points
};

} // namespace ui
