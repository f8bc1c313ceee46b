// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/thinning.h"
#include "ui/widgets/plain_chart_view.h"
#include "ui/widgets/trace_chart.h"

#include <optional>
#include <vector>

class QAreaSeries;
class QLineSeries;

namespace ui {

/// The lines of a TraceChart and the frame painted around them.
class TraceView : public PlainChartView {
public:
    using Range = std::pair<double, double>;

    struct Curve {
        TraceSeries source;
        QLineSeries* line = nullptr;
        QAreaSeries* area = nullptr;
        QLineSeries* upper = nullptr; ///< the area's edge, which draws nothing itself
        std::vector<QPointF> drawn; ///< axis units
        std::size_t leftOut = 0;
        bool dense = false; ///< fills its chart: drawn thin, or it would take a tenth of a second
    };

    struct Label {
        QRectF place;
        QString shown; ///< cut where there is no room
        QString full;
    };

    explicit TraceView(TraceChart* owner);

    // Settings, written by the widget around.
    AxisLabel xLabel, yLabel, valueText;
    std::optional<Range> fixedX, fixedY;
    std::optional<double> xEndHint;
    bool filled = false, legend = false, sparseMarkers = false;
    bool wheelZooms = true;
    QString emptyText, note;
    std::optional<double> mark; ///< data units
    QString markText;
    std::function<QString(double)> tooltipHead;
    QStringList tooltipColumns;
    std::vector<Curve> curves;
    std::vector<TraceGroup> groups;
    std::vector<TraceLevel> levels;
    ChartFrame frame;
    std::optional<Range> heldX, heldY; ///< axis units
    std::optional<double> crosshair; ///< data units
    int highlighted = -1;

    void replaceCurves(std::vector<TraceSeries> series);
    void refresh();
    void followAgain();
    void restyle();
    bool isDense(const Curve& curve) const;
    std::size_t leftOut() const;
    std::vector<Label> levelLabels() const; ///< in the levels' order, of those that can be drawn
    QString cutTextAt(const QPointF& pixel) const; ///< whole, for a tooltip; empty: no text there is cut

protected:
    void drawBackground(QPainter* painter, const QRectF&) override;
    void drawForeground(QPainter* painter, const QRectF&) override;
    void paintPicture(QPainter& painter) const override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    ThinningView viewFor(const ChartAxis& x, const ChartAxis& y) const;
    Range followedX() const;
    Range followedY(const ChartAxis& x) const;
    Range withLevels(Range axisUnits) const;
    void layOut();
    void zoom(const QPointF& centre, double factor, bool horizontal, bool vertical);
    void pan(const QPointF& pixels);
    void hold();
    int curveNear(const QPointF& pixel) const;
    void paintOver(QPainter& painter, bool withHints) const; ///< hints: what to do with the mouse
    void paintCurve(QPainter& painter, const Curve& curve) const;
    void paintCurveMarkers(QPainter& painter, const Curve& curve) const;
    void paintLegend(QPainter& painter) const;
    std::vector<Label> legendLabels() const;
    /// Lays the groups out in lines, painted where there is a painter; returns the height they take.
    double placeGroups(QPainter* painter, std::vector<Label>* labels = nullptr) const;
    void paintCrosshair(QPainter& painter) const;
    void paintMark(QPainter& painter) const;
    void paintLevelLines(QPainter& painter) const;
    void paintLevelTexts(QPainter& painter) const;
    bool isDrawable(const TraceLevel& level) const;
    QPen penOf(const Curve& curve) const;

    TraceChart* m_owner;
    std::optional<QPointF> m_dragFrom;
    bool m_keyboardFocus = false; // the ring is for those who tab
    bool m_hovering = false; // the mouse is here: the tooltip is ours to show
};

} // namespace ui
