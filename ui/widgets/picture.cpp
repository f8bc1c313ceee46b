// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/picture.h"

#include "io/atomic_file.h"
#include "ui/theme.h"

#include <QBuffer>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <algorithm>
#include <array>

namespace ui {
namespace {

constexpr double pngScale = 2;
constexpr double pointsPerPixel = 0.75; // a pixel of 1/96 inch, as the screen's text is measured in

void paintOn(QPaintDevice& device, const Picture& picture, double scale)
{
    QPainter painter(&device);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    painter.fillRect(QRectF(QPointF(), picture.size), tokens().panel);
    picture.paint(painter);
}

void writeSvg(QIODevice& device, const Picture& picture, const QString& title)
{
    QSvgGenerator generator;
    generator.setOutputDevice(&device);
    generator.setSize(picture.size.toSize());
    generator.setViewBox(QRectF(QPointF(), picture.size));
    generator.setTitle(title.toHtmlEscaped());
    generator.setDescription(QString());
    paintOn(generator, picture, 1);
}

void writePdf(QIODevice& device, const Picture& picture, const QString& title)
{
    constexpr int resolution = 1200; // letters are placed on its grid
    QPdfWriter writer(&device);
    writer.setTitle(title);
    writer.setCreator(QStringLiteral("Polyad"));
    writer.setResolution(resolution);
    writer.setPageSize(QPageSize(picture.size * pointsPerPixel, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins({});
    paintOn(writer, picture, pointsPerPixel * resolution / 72);
}

/// Cuts one piece by one edge of the rectangle: what is left of it between the parameters from and to.
bool cut(double start, double way, double low, double high, double& from, double& to)
{
    if (way == 0)
        return start >= low && start <= high;
    double first = (low - start) / way, second = (high - start) / way;
    if (first > second)
        std::swap(first, second);
    from = std::max(from, first);
    to = std::min(to, second);
    return from <= to;
}

} // namespace

QImage imageOf(const Picture& picture, double scale)
{
    QImage image((picture.size * scale).toSize(), QImage::Format_ARGB32);
    image.fill(tokens().panel);
    image.setDevicePixelRatio(scale); // what is drawn asks the device how fine it may be
    paintOn(image, picture, 1);
    return image;
}

const QStringList& pictureEndings()
{
    static const QStringList endings{QStringLiteral(".png"), QStringLiteral(".svg"), QStringLiteral(".pdf")};
    return endings;
}

QByteArray encoded(const Picture& picture, const QString& title, const QString& ending)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (ending == pictureEndings().at(1))
        writeSvg(buffer, picture, title);
    else if (ending == pictureEndings().at(2))
        writePdf(buffer, picture, title);
    else
        imageOf(picture, pngScale).save(&buffer, "PNG");
    buffer.close();
    // Where the program's font is not installed its neighbours are.
    if (ending == pictureEndings().at(1))
        bytes.replace("font-family=\"Inter\"", "font-family=\"Inter, Helvetica, Arial, sans-serif\"");
    return bytes;
}

void savePicture(const Picture& picture, const QString& title, const QString& path)
{
    const auto& endings = pictureEndings();
    const auto at =
        std::find_if(endings.begin(), endings.end(), [&](const QString& each) { return path.endsWith(each, Qt::CaseInsensitive); });
    io::AtomicFile file(path.toStdString());
    const QByteArray bytes = encoded(picture, title, at == endings.end() ? endings.first() : *at);
    file.write({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    file.commit();
}

std::vector<QPolygonF> clippedLine(const QPolygonF& line, const QRectF& within)
{
    std::vector<QPolygonF> pieces;
    bool joins = false; // the last piece ends where the next would begin
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QPointF start = line[i - 1], way = line[i] - start;
        double from = 0, to = 1;
        if (!cut(start.x(), way.x(), within.left(), within.right(), from, to)
            || !cut(start.y(), way.y(), within.top(), within.bottom(), from, to)) {
            joins = false;
            continue;
        }
        if (!joins || from > 0)
            pieces.push_back({start + way * from});
        pieces.back() += start + way * to;
        joins = to == 1;
    }
    return pieces;
}

} // namespace ui
