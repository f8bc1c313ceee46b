// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/icons.h"

#include "ui/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

namespace ui {
namespace {

QByteArray tinted(QByteArray svg, const QColor& color) { return svg.replace("currentColor", color.name().toLatin1()); }

/// Renders when asked, so that one icon serves every device pixel ratio.
class TintedSvgEngine : public QIconEngine {
public:
    TintedSvgEngine(QByteArray svg, QColor color)
        : m_svg(std::move(svg))
        , m_color(std::move(color))
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        QSvgRenderer renderer(tinted(m_svg, mode == QIcon::Disabled ? tokens().muted : m_color));
        if (mode == QIcon::Disabled)
            painter->setOpacity(0.6);
        renderer.render(painter, rect);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new TintedSvgEngine(*this); }

private:
    QByteArray m_svg;
    QColor m_color;
};

} // namespace

QIcon icon(const char* name, const QColor& color)
{
    QFile file(QStringLiteral(":/icons/%1.svg").arg(QLatin1String(name)));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QIcon(new TintedSvgEngine(file.readAll(), color));
}

QIcon icon(const char* name) { return icon(name, tokens().text); }

} // namespace ui
