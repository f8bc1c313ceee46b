// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_link.h"

#include "ui/theme.h"

#include <QKeyEvent>
#include <QPainter>

namespace ui {

ElidedLink::ElidedLink(const QString& text, QWidget* parent)
    : QAbstractButton(parent)
{
    setText(text);
    setAccessibleName(text);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    whenZoomed(this, [this] {
        QFont small = font();
        small.setPixelSize(zoomed(12));
        setFont(small);
    });
}

QSize ElidedLink::sizeHint() const { return {fontMetrics().horizontalAdvance(text()), fontMetrics().height()}; }

void ElidedLink::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool awake = underMouse() || hasFocus();
    QFont own = font();
    own.setUnderline(awake);
    painter.setFont(own);
    painter.setPen(awake ? tokens().accentText : tokens().muted);
    painter.drawText(rect(), static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), fontMetrics().elidedText(text(), Qt::ElideRight, width()));
}

void ElidedLink::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        return click();
    QAbstractButton::keyPressEvent(event);
}

} // namespace ui
