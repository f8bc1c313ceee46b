// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/color_menu.h"

#include "ui/run_style.h"
#include "ui/theme.h"

#include <QPainter>
#include <QPixmap>

namespace ui {
namespace {

constexpr int iconSize = 18;

/// The chosen one has a ring.
QIcon swatch(const RunStyle& style, bool chosen)
{
    constexpr qreal scale = 2;
    QPixmap picture(QSize(iconSize, iconSize) * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.color);
    const double inset = 3;
    painter.drawRoundedRect(QRectF(inset, inset, iconSize - 2 * inset, iconSize - 2 * inset), 3, 3);
    drawMarker(painter, QPointF(iconSize / 2.0, iconSize / 2.0), style.marker, 6, tokens().panel);
    if (chosen) {
        painter.setPen(QPen(tokens().text, 1.4));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(0.8, 0.8, iconSize - 1.6, iconSize - 1.6), 5, 5);
    }
    return picture;
}

} // namespace

ColorMenu::ColorMenu(QWidget* parent)
    : QMenu(tr("Co&lour"), parent)
{
    const QStringList names{tr("&Blue"), tr("&Orange"), tr("&Green"), tr("&Purple"), tr("&Red"), tr("&Cyan"), tr("&Magenta"), tr("Oli&ve")};
    for (int color = 0; color < runColorCount; ++color) {
        QAction* const action = addAction(names.at(color));
        action->setCheckable(true);
        connect(action, &QAction::triggered, this, [this, color] { Q_EMIT chosen(color); });
    }
    connect(this, &QMenu::aboutToShow, this, &ColorMenu::draw);
}

void ColorMenu::setCurrent(int colorIndex) { m_current = colorIndex; }

void ColorMenu::draw()
{
    const int own = m_current % runColorCount;
    for (int color = 0; color < runColorCount; ++color) {
        QAction* const action = actions().at(color);
        const bool chosen = m_current >= 0 && color == own;
        action->setIcon(swatch(runStyle(chosen ? m_current : color, tokens().dark), chosen));
        action->setChecked(chosen);
    }
}

} // namespace ui
