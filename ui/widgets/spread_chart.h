// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/chart_frame.h"
#include "ui/widgets/picture.h"

#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

namespace ui {

/// What was measured several times at one place of the x axis.
struct SpreadGroup {
    QString label; ///< "8"
    std::vector<double> values;
    std::vector<double> uncounted = {}; ///< hollow dots: in neither mean nor range
};

/// Mean and range of repeated measurements, place by place: means joined by a line, a bar from the lowest to the highest, a dot
/// for each value. One place may be marked as the one to take. Left and right step from place to place.
class SpreadChart : public QWidget {
    Q_OBJECT
public:
    explicit SpreadChart(const QString& accessibleName, QWidget* parent = nullptr);

    void setNames(const QString& x, const QString& y);
    void setValueLabel(AxisLabel axis, AxisLabel value);
    void setBound(std::optional<double> value, const QString& text); ///< a dashed line that values are held against
    void setLargest(std::optional<double> value); ///< the most a value can be: the axis ends there
    void setSmallest(std::optional<double> value); ///< what lies below is drawn at the lower edge
    void setUncountedText(const QString& text); ///< what values are that do not count: "left out"
    void setEmptyText(const QString& text);
    void setGroups(std::vector<SpreadGroup> groups, std::optional<std::size_t> chosen);

    const std::vector<SpreadGroup>& groups() const { return m_groups; }
    std::optional<std::size_t> chosen() const { return m_chosen; }
    QPointF positionOf(std::size_t group) const; ///< of its mean, in pixels
    Picture picture() const;
    QString csv() const;
    QSize sizeHint() const override { return {400, 220}; }
    QSize minimumSizeHint() const override { return {180, 110}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void layOut();
    void layOutPlaces();
    std::pair<double, double> valueRange() const;
    void setHovered(int group);
    double pixelX(std::size_t group) const;
    double pixelY(double value) const;
    void paintAll(QPainter& painter) const;
    void paintChosen(QPainter& painter) const;
    void paintBound(QPainter& painter) const;
    void paintValues(QPainter& painter) const;
    void paintTip(QPainter& painter) const;
    bool isEmpty() const;

    QString m_xName, m_yName, m_emptyText, m_boundText, m_uncountedText;
    AxisLabel m_axisLabel, m_valueLabel;
    std::optional<double> m_bound, m_largest, m_smallest;
    std::vector<SpreadGroup> m_groups;
    std::optional<std::size_t> m_chosen;
    ChartFrame m_frame;
    int m_hovered = -1;
};

} // namespace ui
