// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Columns as lines, bars and stems, thinned to pixels.
#include "ui/models/thinning.h"
#include "ui/theme.h"
#include "ui/widgets/component_delegate.h"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

double pixelOfValue(const QRectF& plot, const ColumnPicture& picture, double value)
{
    return plot.bottom() - (value - picture.low()) / (picture.high() - picture.low()) * plot.height();
}

/// Few rows get slim bars with air between them, many a hair line a pixel.
void paintBars(QPainter& painter, const QRectF& plot, const ColumnPicture& picture, const ThinnedSeries& thinned, const QColor& color)
{
    const double place = plot.width() / picture.rows(), zero = pixelOfValue(plot, picture, 0);
    const double width = std::clamp(place * 0.66, 1.0, 14.0);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.setRenderHint(QPainter::Antialiasing, place >= 2);
    for (const QPointF& p : thinned.points) {
        const double x = pixelOfRow(plot, picture, p.x()), y = pixelOfValue(plot, picture, p.y());
        painter.drawRect(QRectF(QPointF(x - width / 2, std::min(y, zero)), QPointF(x + width / 2, std::max(y, zero))));
    }
}

void paintLine(QPainter& painter, const QRectF& plot, const ColumnPicture& picture, const ThinnedSeries& thinned, const QColor& color)
{
    QPolygonF line;
    for (const QPointF& p : thinned.points)
        line << QPointF(pixelOfRow(plot, picture, p.x()), pixelOfValue(plot, picture, p.y()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
}

/// A stem for each rank with a dot on top where there is room for dots.
void paintStems(QPainter& painter, const QRectF& plot, const ColumnPicture& picture, const ThinnedSeries& thinned, const QColor& color)
{
    const double place = plot.width() / picture.rows(), zero = pixelOfValue(plot, picture, 0);
    painter.setRenderHint(QPainter::Antialiasing, place >= 2);
    QColor stem = color;
    stem.setAlphaF(place >= 5 ? 0.55F : 1.0F);
    for (const QPointF& p : thinned.points) {
        const QPointF tip(pixelOfRow(plot, picture, p.x()), pixelOfValue(plot, picture, p.y()));
        painter.setPen(QPen(stem, place >= 5 ? 1.4 : 1));
        painter.drawLine(QPointF(tip.x(), zero), tip);
        if (place >= 5) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawEllipse(tip, 2.2, 2.2);
        }
    }
}

} // namespace

double rowOfPixel(const QRectF& plot, const ColumnPicture& picture, double pixel)
{
    return (pixel - plot.left()) / plot.width() * picture.rows() - 0.5;
}

double pixelOfRow(const QRectF& plot, const ColumnPicture& picture, double row)
{
    return plot.left() + (row + 0.5) / picture.rows() * plot.width();
}

void paintColumn(QPainter& painter, const QRectF& plot, const ColumnPicture& picture, ColumnChart chart, const QColor& color)
{
    painter.save();
    const double zero = std::round(pixelOfValue(plot, picture, 0)) + 0.5;
    painter.setPen(tokens().line);
    painter.drawLine(QPointF(plot.left(), zero), QPointF(plot.right(), zero));
    const double scale = painter.device()->devicePixelRatioF();
    const ThinnedSeries thinned =
        thin(picture.points(), {-0.5, picture.rows() - 0.5, std::max(1, static_cast<int>(plot.width() * scale)), false, false});
    switch (chart) {
    case ColumnChart::Line:
        paintLine(painter, plot, picture, thinned, color);
        break;
    case ColumnChart::Bars:
        paintBars(painter, plot, picture, thinned, color);
        break;
    case ColumnChart::Sorted:
        paintStems(painter, plot, picture, thinned, color);
        break;
    }
    painter.restore();
}

} // namespace ui
