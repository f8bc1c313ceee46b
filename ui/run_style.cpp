// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run_style.h"

#include <QPainter>
#include <QPolygonF>

namespace ui {

RunStyle runStyle(int colorIndex, bool dark)
{
    const app::RunLook look = app::runLook(colorIndex, dark);
    return {QColor::fromRgb(0xff000000 | look.rgb), look.marker, QList<qreal>(look.trainDash.begin(), look.trainDash.end())};
}

void drawMarker(QPainter& painter, const QPointF& centre, Marker marker, qreal size, const QColor& color)
{
    const qreal r = size / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    switch (marker) {
    case Marker::Circle:
        painter.drawEllipse(centre, r, r);
        break;
    case Marker::Square:
    case Marker::Triangle:
    case Marker::Diamond:
    case Marker::TriangleDown:
    case Marker::Pentagon: {
        QPolygonF polygon;
        for (const app::MarkerPoint& corner : app::markerCorners(marker))
            polygon += centre + r * QPointF(corner.x, corner.y);
        painter.drawPolygon(polygon);
        break;
    }
    case Marker::Cross:
    case Marker::Plus: {
        painter.setPen(QPen(color, size * 0.3, Qt::SolidLine, Qt::RoundCap));
        const qreal d = marker == Marker::Cross ? r * 0.75 : 0;
        painter.drawLine(centre + QPointF(d != 0 ? -d : -r, -d), centre + QPointF(d != 0 ? d : r, d));
        painter.drawLine(centre + QPointF(-d, d != 0 ? d : -r), centre + QPointF(d, d != 0 ? -d : r));
        break;
    }
    }
    painter.restore();
}

} // namespace ui
