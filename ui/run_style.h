// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_palette.h"

#include <QColor>
#include <QList>

class QPainter;
class QPointF;

namespace ui {

using app::Marker;
using app::runColorCount;

/// How one run looks in every chart and list. Colour alone never tells runs apart: marker and dash do too.
struct RunStyle {
    QColor color;
    Marker marker = Marker::Circle;
    QList<qreal> trainDash; ///< of the dashed train curve, in line widths
};

RunStyle runStyle(int colorIndex, bool dark);
void drawMarker(QPainter&, const QPointF& centre, Marker, qreal size, const QColor&);

} // namespace ui
