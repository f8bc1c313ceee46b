// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QImage>
#include <QPolygonF>
#include <QSizeF>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

class QPainter;

namespace ui {

/// What is on the screen and can be drawn elsewhere, too: as pixels, or as lines and letters.
struct Picture {
    QSizeF size;
    std::function<void(QPainter&)> paint; ///< within size; the ground is there already
};

QImage imageOf(const Picture&, double scale);

/// Endings of the kinds of pictures: ".png" (twice the size), ".svg", ".pdf".
const QStringList& pictureEndings();
QByteArray encoded(const Picture&, const QString& title, const QString& ending);

/// A picture whose kind the path's ending names, complete or not at all; throws io::Error.
void savePicture(const Picture&, const QString& title, const QString& path);

/// What of a line lies within the rectangle: pictures made of lines know no clipping.
std::vector<QPolygonF> clippedLine(const QPolygonF& line, const QRectF& within);

} // namespace ui
