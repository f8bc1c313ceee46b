// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/run_style.h"

#include <QColor>
#include <QFont>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

class QPainter;

/// What all charts share around their series: axes, grid, tooltip, markers. Plain painting, no Qt Charts.
namespace ui {

/// Text of a tick: value in data units, distance of two ticks (0 on a log axis).
using AxisLabel = std::function<QString(double value, double step)>;

struct ChartAxis {
    bool log = false;
    double low = 0, high = 1; ///< in axis units: log10 of the data where log
    std::vector<double> ticks; ///< in axis units
    QStringList labels;
    bool whole = false; ///< counts and numbers of things: no tick lies between two of them

    double toAxis(double value) const; ///< data → axis units
    double toData(double position) const;
};

/// Fills ticks and labels for the axis's range.
void layOutTicks(ChartAxis&, int wanted, const AxisLabel&);

struct ChartFrame {
    QRectF plot;
    ChartAxis x, y;

    double pixelX(double axisValue) const;
    double pixelY(double axisValue) const;
    double axisX(double pixel) const;
    double axisY(double pixel) const;
};

QFont chartFont();
/// Room for y labels of about seven characters; wider only when a label needs it, in steps, so that a plot seldom moves.
double leftMargin(const QStringList& labels);

void paintGrid(QPainter&, const ChartFrame&, bool xLabels = true, bool verticalLines = false);

struct TooltipRow {
    QColor color;
    Marker marker = Marker::Circle;
    QString name;
    QStringList values;
};

struct ChartTooltip {
    QString header;
    QStringList columns; ///< heads of the values; empty: none
    std::vector<TooltipRow> rows;
    bool empty() const { return rows.empty(); }
};

/// Beside x, inside the plot, on the side where there is room.
void paintTooltip(QPainter&, const QRectF& plot, double x, const ChartTooltip&);
/// A sentence in the middle of a plot without data.
void paintEmptyText(QPainter&, const QRectF& plot, const QString&);
/// A small rounded note in the plot's lower right corner.
void paintNote(QPainter&, const QRectF& plot, const QString&);

} // namespace ui
