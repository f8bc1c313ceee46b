// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard of a trace chart: zoom, pan, crosshair, which curve is meant.
#include "ui/widgets/trace_view_chart.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace ui {

void TraceView::hold()
{
    Q_EMIT m_owner->viewHeld(frame.x.toData(heldX->first), frame.x.toData(heldX->second));
    refresh();
}

void TraceView::zoom(const QPointF& centre, double factor, bool horizontal, bool vertical)
{
    Range x{frame.x.low, frame.x.high}, y{frame.y.low, frame.y.high};
    const auto scaled = [factor](Range range, double at) {
        return Range{at + (range.first - at) * factor, at + (range.second - at) * factor};
    };
    if (horizontal)
        x = scaled(x, frame.axisX(centre.x()));
    if (vertical)
        y = scaled(y, frame.axisY(centre.y()));
    const auto sane = [](Range range) {
        const double size = std::max(std::abs(range.first), std::abs(range.second));
        return range.second - range.first > size * 1e-9 && range.second - range.first < 1e18;
    };
    if (!sane(x) || !sane(y))
        return;
    heldX = x;
    heldY = y;
    hold();
}

void TraceView::pan(const QPointF& pixels)
{
    const double dx = pixels.x() / frame.plot.width() * (frame.x.high - frame.x.low);
    const double dy = pixels.y() / frame.plot.height() * (frame.y.high - frame.y.low);
    heldX = Range{frame.x.low - dx, frame.x.high - dx};
    heldY = Range{frame.y.low + dy, frame.y.high + dy};
    hold();
}

void TraceView::followAgain()
{
    heldX.reset();
    heldY.reset();
    refresh();
}

void TraceView::wheelEvent(QWheelEvent* event)
{
    if (!wheelZooms && !(event->modifiers() & Qt::ControlModifier)) {
        event->ignore();
        return;
    }
    event->accept();
    if (!frame.plot.contains(event->position()) || event->angleDelta().y() == 0)
        return;
    const bool shift = event->modifiers() & Qt::ShiftModifier, control = event->modifiers() & Qt::ControlModifier;
    zoom(event->position(), std::pow(0.9985, event->angleDelta().y()), !control || shift, !shift || control);
}

void TraceView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && frame.plot.contains(event->position()))
        m_dragFrom = event->position();
}

void TraceView::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (m_dragFrom && (heldX || (at - *m_dragFrom).manhattanLength() >= QApplication::startDragDistance())) {
        setCursor(Qt::ClosedHandCursor);
        pan(at - *m_dragFrom);
        m_dragFrom = at;
        return;
    }
    m_hovering = frame.plot.adjusted(-4, -4, 4, 4).contains(at);
    if (!m_hovering) {
        Q_EMIT m_owner->crosshairLeft();
        Q_EMIT m_owner->hovered(-1);
        return;
    }
    Q_EMIT m_owner->crosshairMoved(frame.x.toData(std::clamp(frame.axisX(at.x()), frame.x.low, frame.x.high)));
    Q_EMIT m_owner->hovered(curveNear(at));
}

void TraceView::mouseReleaseEvent(QMouseEvent*)
{
    m_dragFrom.reset();
    unsetCursor();
}

void TraceView::mouseDoubleClickEvent(QMouseEvent*)
{
    m_dragFrom.reset();
    followAgain();
    Q_EMIT m_owner->viewFollowing();
}

bool TraceView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const QString text = cutTextAt(help->pos()); !text.isEmpty()) {
            QToolTip::showText(help->globalPos(), text, viewport());
            return true;
        }
        QToolTip::hideText();
    }
    if (event->type() == QEvent::Leave) {
        m_hovering = false;
        Q_EMIT m_owner->crosshairLeft();
        Q_EMIT m_owner->hovered(-1);
    }
    return PlainChartView::viewportEvent(event);
}

void TraceView::focusInEvent(QFocusEvent* event)
{
    PlainChartView::focusInEvent(event);
    m_keyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    viewport()->update();
}

void TraceView::keyPressEvent(QKeyEvent* event)
{
    const QPointF middle = frame.plot.center();
    const double step = (frame.x.high - frame.x.low) / 60;
    const double at = crosshair ? frame.x.toAxis(*crosshair) : (frame.x.low + frame.x.high) / 2;
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(middle, 0.8, true, true);
        break;
    case Qt::Key_Minus:
        zoom(middle, 1.25, true, true);
        break;
    case Qt::Key_0:
    case Qt::Key_Home:
        followAgain();
        Q_EMIT m_owner->viewFollowing();
        break;
    case Qt::Key_Left:
    case Qt::Key_Right: {
        m_hovering = true;
        const double moved = std::clamp(at + (event->key() == Qt::Key_Left ? -step : step), frame.x.low, frame.x.high);
        Q_EMIT m_owner->crosshairMoved(frame.x.toData(moved));
        break;
    }
    default:
        PlainChartView::keyPressEvent(event);
    }
}

/// Id of the curve within a few pixels, -1 when there is none.
int TraceView::curveNear(const QPointF& pixel) const
{
    double best = 9;
    int id = -1;
    for (const Curve& curve : curves) {
        const auto at = std::lower_bound(curve.drawn.begin(), curve.drawn.end(), frame.axisX(pixel.x()),
                                         [](const QPointF& p, double x) { return p.x() < x; });
        if (at == curve.drawn.end() || at == curve.drawn.begin())
            continue;
        const QPointF a(frame.pixelX(std::prev(at)->x()), frame.pixelY(std::prev(at)->y())),
            b(frame.pixelX(at->x()), frame.pixelY(at->y()));
        const double share = b.x() > a.x() ? (pixel.x() - a.x()) / (b.x() - a.x()) : 0;
        const double distance = std::abs(a.y() + share * (b.y() - a.y()) - pixel.y());
        if (distance < best) {
            best = distance;
            id = curve.source.id;
        }
    }
    return id;
}

} // namespace ui
