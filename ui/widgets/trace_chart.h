// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/chart_frame.h"
#include "ui/widgets/picture.h"

#include <QList>
#include <QPointF>
#include <QWidget>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ui {

/// One curve. Points are shared with whoever collects them and must ascend in x.
struct TraceSeries {
    int id = 0; ///< of the run; curves with one id are highlighted together
    int column = 0; ///< of the tooltip: 0 test, 1 train
    QString name;
    QColor color;
    Marker marker = Marker::Circle;
    QList<qreal> dash; ///< empty: solid
    std::shared_ptr<const std::vector<QPointF>> points;
    bool live = false; ///< the end is marked
};

/// What several curves have in common, told above the plot: their signs, then the words.
struct TraceGroup {
    QString text;
    std::vector<std::pair<QColor, Marker>> signs;
};

/// A number to compare curves with: a dashed line across the plot, with its words.
struct TraceLevel {
    QString text;
    double y = 0;
    QList<qreal> dash;
};

/// Lines over a number: follows its data, or holds a zoom until a double click.
/// Every point is kept by the caller; only pixels are thinned. Call refresh() after points grew.
class TraceChart : public QWidget {
    Q_OBJECT
public:
    explicit TraceChart(const QString& accessibleName, QWidget* parent = nullptr);
    ~TraceChart() override;

    void setSeries(std::vector<TraceSeries> series);
    void setXAxis(AxisLabel label, bool log = false, bool whole = false);
    void setYAxis(AxisLabel label, bool log = false, bool whole = false);
    /// What the axis shows while following; unset: what the data needs (x from 0 on).
    void setFixedXRange(std::optional<std::pair<double, double>> range);
    /// Where the data is expected to end: x then never shows more than that.
    void setXEndHint(std::optional<double> end);
    void setFixedYRange(std::optional<std::pair<double, double>> range);
    void setFilled(bool filled); ///< soft area below each curve
    void setLegendShown(bool shown);
    void setGroups(std::vector<TraceGroup> groups); ///< empty: none are told
    QStringList groupTexts() const;
    /// The y range takes them in unless that would flatten the curves; then their words say on which side they are.
    void setLevels(std::vector<TraceLevel> levels);
    QStringList levelTexts() const;
    std::vector<QRectF> levelPlaces() const; ///< of the words, in pixels
    QString cutTextAt(const QPointF& pixel) const; ///< the whole of a text that is cut there; empty: none is
    void setSparseMarkers(bool shown); ///< each curve's marker every so many pixels
    void setEmptyText(const QString& text);
    void setValueText(AxisLabel text); ///< values in the tooltip
    void setTooltipHead(std::function<QString(double x)> header, QStringList columns);
    void setNote(const QString& text); ///< said in the lower right corner
    void setMark(std::optional<double> x, const QString& text = {}); ///< a line across the plot
    void setWheelZooms(bool zooms); ///< else only with Ctrl, so that the page around can scroll
    void refresh();

    bool isHeld() const;
    void followAgain();
    /// Holds x (data units) as another chart does; y still follows.
    void holdX(double low, double high);
    void setCrosshair(std::optional<double> x);
    void setHighlighted(int id); ///< -1: none

    std::pair<double, double> xRange() const; ///< shown, data units
    std::pair<double, double> yRange() const;
    std::size_t drawnPoints(std::size_t seriesIndex) const;
    std::size_t leftOutPoints() const; ///< that cannot be drawn on these axes
    Picture picture() const;
    QString csv() const; ///< all points of the curves shown
    QSize sizeHint() const override { return {400, 300}; }
    QSize minimumSizeHint() const override { return {180, 120}; }

Q_SIGNALS:
    void crosshairMoved(double x);
    void crosshairLeft();
    void hovered(int id); ///< -1: none
    void viewHeld(double xLow, double xHigh);
    void viewFollowing();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ui
