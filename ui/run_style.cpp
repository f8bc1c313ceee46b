// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run_style.h"

#include <QPainter>
#include <QPolygonF>

#include <array>
#include <cmath>
#include <numbers>

namespace ui {
namespace {

/// The drawings' colours, moved as little as it takes to lie 16 apart in CIELAB for every pair, with full colour sight and without
/// red or green receptors (tst_theme measures it).
constexpr std::array<QRgb, runColorCount> lightColors{0xff2563eb, 0xffd97706, 0xff099668, 0xff8502c1,
                                                      0xffdc2626, 0xff0891b2, 0xffbe1a78, 0xff57690d};
constexpr std::array<QRgb, runColorCount> darkColors{0xff6ea0ff, 0xffe59728, 0xff3fcf9a, 0xffa765ce,
                                                     0xffff7b72, 0xff4dcae7, 0xfff27fc0, 0xffb7ce5c};

const std::array<QList<qreal>, 4>& dashes()
{
    static const std::array<QList<qreal>, 4> patterns{QList<qreal>{2.6, 2.0}, QList<qreal>{4.6, 2.2}, QList<qreal>{4.0, 1.8, 1.0, 1.8},
                                                      QList<qreal>{1.2, 1.8}};
    return patterns;
}

QPolygonF regular(const QPointF& centre, qreal radius, int corners, double turn)
{
    QPolygonF polygon;
    for (int i = 0; i < corners; ++i) {
        const double angle = turn + 2 * std::numbers::pi * i / corners;
        polygon << centre + QPointF(radius * std::cos(angle), radius * std::sin(angle));
    }
    return polygon;
}

} // namespace

RunStyle runStyle(int colorIndex, bool dark)
{
    const auto index = static_cast<std::size_t>(std::max(colorIndex, 0));
    const std::size_t color = index % runColorCount;
    const std::size_t round = index / runColorCount; // the ninth run shares the first one's colour, not its marker
    RunStyle style;
    style.color = QColor::fromRgb(dark ? darkColors[color] : lightColors[color]);
    style.marker = static_cast<Marker>((color + 3 * round) % runColorCount);
    style.trainDash = dashes()[(index + round) % dashes().size()];
    return style;
}

void drawMarker(QPainter& painter, const QPointF& centre, Marker marker, qreal size, const QColor& color)
{
    const qreal r = size / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const double up = -std::numbers::pi / 2;
    switch (marker) {
    case Marker::Circle:
        painter.drawEllipse(centre, r, r);
        break;
    case Marker::Square:
        painter.drawRect(QRectF(centre.x() - r * 0.88, centre.y() - r * 0.88, r * 1.76, r * 1.76));
        break;
    case Marker::Triangle:
        painter.drawPolygon(regular(centre, r * 1.25, 3, up));
        break;
    case Marker::Diamond:
        painter.drawPolygon(regular(centre, r * 1.2, 4, up));
        break;
    case Marker::TriangleDown:
        painter.drawPolygon(regular(centre, r * 1.25, 3, -up));
        break;
    case Marker::Pentagon:
        painter.drawPolygon(regular(centre, r * 1.1, 5, up));
        break;
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
