// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/trace_chart.h"

#include "ui/formatting.h"
#include "ui/models/axis_ticks.h"
#include "ui/models/thinning.h"
#include "ui/theme.h"

#include <QApplication>
#include <QAreaSeries>
#include <QChart>
#include <QChartView>
#include <QFontMetricsF>
#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QLineSeries>
#include <QMouseEvent>
#include <QTextStream>
#include <QVBoxLayout>
#include <QValueAxis>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {
namespace {

using Range = std::pair<double, double>;
constexpr double topMargin = 8, bottomMargin = 26, rightMargin = 14;

/// Value of the curve at x: its nearest point, if x lies within the curve.
const QPointF* nearest(const std::vector<QPointF>& points, double x, double slack)
{
    if (points.empty() || x < points.front().x() - slack || x > points.back().x() + slack)
        return nullptr;
    const auto at = std::lower_bound(points.begin(), points.end(), x, [](const QPointF& p, double v) { return p.x() < v; });
    if (at == points.end())
        return &points.back();
    if (at != points.begin() && x - std::prev(at)->x() < at->x() - x)
        return &*std::prev(at);
    return &*at;
}

/// A chart without Qt's own axes, legend and margins: the frame around the lines is painted here.
class View : public QChartView {
public:
    struct Curve {
        TraceSeries source;
        QLineSeries* line = nullptr;
        QAreaSeries* area = nullptr;
        std::vector<QPointF> drawn; ///< axis units
        std::size_t leftOut = 0;
    };

    View(TraceChart* owner)
        : QChartView(new QChart, owner)
        , m_owner(owner)
    {
        chart()->legend()->hide();
        chart()->setBackgroundVisible(false);
        chart()->setMargins(QMargins());
        chart()->layout()->setContentsMargins(0, 0, 0, 0);
        m_axisX = new QValueAxis(chart());
        m_axisY = new QValueAxis(chart());
        for (QValueAxis* axis : {m_axisX, m_axisY})
            axis->setVisible(false);
        chart()->addAxis(m_axisX, Qt::AlignBottom);
        chart()->addAxis(m_axisY, Qt::AlignLeft);
        setRenderHint(QPainter::Antialiasing);
        setFrameShape(QFrame::NoFrame);
        setBackgroundBrush(Qt::NoBrush);
        setStyleSheet(QStringLiteral("background: transparent"));
        setMouseTracking(true);
        setFocusPolicy(Qt::StrongFocus);
        setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    }

    // Settings, written by the widget around.
    AxisLabel xLabel, yLabel, valueText;
    std::optional<Range> fixedX, fixedY;
    bool filled = false, legend = false, sparseMarkers = false;
    QString emptyText, note;
    std::function<QString(double)> tooltipHead;
    QStringList tooltipColumns;
    std::vector<Curve> curves;
    ChartFrame frame;
    std::optional<Range> heldX, heldY; ///< axis units
    std::optional<double> crosshair; ///< data units
    int highlighted = -1;

    void replaceCurves(std::vector<TraceSeries> series);
    void refresh();
    void followAgain();
    void restyle();
    std::size_t leftOut() const;

protected:
    void drawBackground(QPainter* painter, const QRectF&) override;
    void drawForeground(QPainter* painter, const QRectF&) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    ThinningView viewFor(const ChartAxis& x, const ChartAxis& y) const;
    Range followedX() const;
    Range followedY(const ChartAxis& x) const;
    void layOut();
    void zoom(const QPointF& centre, double factor, bool horizontal, bool vertical);
    void pan(const QPointF& pixels);
    void hold();
    int curveNear(const QPointF& pixel) const;
    void paintCurveMarkers(QPainter& painter, const Curve& curve) const;
    void paintLegend(QPainter& painter) const;
    void paintCrosshair(QPainter& painter) const;
    QPen penOf(const Curve& curve) const;

    TraceChart* m_owner;
    QValueAxis* m_axisX;
    QValueAxis* m_axisY;
    std::optional<QPointF> m_dragFrom;
    bool m_hovering = false; // the mouse is here: the tooltip is ours to show
};

void View::replaceCurves(std::vector<TraceSeries> series)
{
    const bool sameShape = series.size() == curves.size() && (curves.empty() || filled == (curves.front().area != nullptr));
    if (!sameShape) {
        chart()->removeAllSeries();
        curves.assign(series.size(), {});
        for (Curve& curve : curves) {
            curve.line = new QLineSeries;
            QAbstractSeries* shown = curve.line;
            if (filled) {
                curve.area = new QAreaSeries(curve.line);
                curve.line->setParent(curve.area);
                shown = curve.area;
            }
            chart()->addSeries(shown);
            shown->attachAxis(m_axisX);
            shown->attachAxis(m_axisY);
        }
    }
    for (std::size_t i = 0; i < series.size(); ++i)
        curves[i].source = std::move(series[i]);
    restyle();
    refresh();
}

QPen View::penOf(const Curve& curve) const
{
    QColor color = curve.source.color;
    const bool lit = highlighted == curve.source.id;
    if (highlighted >= 0 && !lit)
        color.setAlphaF(0.3F);
    QPen pen(color, lit ? 2.8 : 1.9, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    if (!curve.source.dash.isEmpty()) {
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern(curve.source.dash);
    }
    return pen;
}

void View::restyle()
{
    for (Curve& curve : curves) {
        const QPen pen = penOf(curve);
        if (curve.area) {
            QColor fill = curve.source.color;
            fill.setAlphaF(0.14F);
            curve.area->setBrush(fill);
            curve.area->setPen(pen);
        } else {
            curve.line->setPen(pen);
        }
    }
    viewport()->update();
}

ThinningView View::viewFor(const ChartAxis& x, const ChartAxis& y) const
{
    return {x.toData(x.low), x.toData(x.high), std::max(1, static_cast<int>(frame.plot.width())), x.log, y.log};
}

Range View::followedX() const
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Curve& curve : curves)
        if (curve.source.points && !curve.source.points->empty()) {
            low = std::min(low, curve.source.points->front().x());
            high = std::max(high, curve.source.points->back().x());
        }
    if (frame.x.log) {
        const double end = high > 1 ? std::log10(high) : 1;
        return {0, std::ceil(end * 4) / 4 + 0.001};
    }
    return {0, high > 0 && std::isfinite(high) ? growingEnd(high) : 1};
}

Range View::followedY(const ChartAxis& x) const
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const ThinningView view = viewFor(x, frame.y);
    for (const Curve& curve : curves) {
        if (!curve.source.points)
            continue;
        const auto [curveLow, curveHigh] = visibleRange(*curve.source.points, view);
        low = std::min(low, curveLow);
        high = std::max(high, curveHigh);
    }
    if (low > high)
        return frame.y.log ? Range{0, 1} : Range{0, 1};
    if (!frame.y.log)
        return paddedRange(low, high, 6);
    const double logLow = std::log10(low), logHigh = std::log10(high);
    const double air = std::max(0.04 * (logHigh - logLow), 0.02);
    return {std::floor((logLow - air) * 50) / 50, std::ceil((logHigh + air) * 50) / 50};
}

/// Ranges → ticks → margins → the plot's place.
void View::layOut()
{
    const auto toAxisUnits = [](const ChartAxis& axis, const Range& range) {
        return Range{axis.toAxis(range.first), axis.toAxis(range.second)};
    };
    std::tie(frame.x.low, frame.x.high) = heldX ? *heldX : fixedX ? toAxisUnits(frame.x, *fixedX) : followedX();
    std::tie(frame.y.low, frame.y.high) = heldY ? *heldY : fixedY ? toAxisUnits(frame.y, *fixedY) : followedY(frame.x);
    const QSizeF size = viewport()->size();
    layOutTicks(frame.y, std::clamp(static_cast<int>(size.height() / 42), 2, 6), yLabel);
    const double left = leftMargin(frame.y.labels);
    frame.plot = QRectF(left, topMargin, std::max(20.0, size.width() - left - rightMargin),
                        std::max(20.0, size.height() - topMargin - bottomMargin));
    layOutTicks(frame.x, std::clamp(static_cast<int>(frame.plot.width() / 62), 2, 6), xLabel);
    chart()->setPlotArea(frame.plot);
    m_axisX->setRange(frame.x.low, frame.x.high);
    m_axisY->setRange(frame.y.low, frame.y.high);
}

void View::refresh()
{
    layOut();
    const ThinningView view = viewFor(frame.x, frame.y);
    for (Curve& curve : curves) {
        curve.drawn.clear();
        curve.leftOut = 0;
        if (curve.source.points) {
            ThinnedSeries thinned = thin(*curve.source.points, view);
            curve.drawn = std::move(thinned.points);
            curve.leftOut = thinned.leftOut;
        }
        curve.line->replace(QList<QPointF>(curve.drawn.begin(), curve.drawn.end()));
    }
    viewport()->update();
}

std::size_t View::leftOut() const
{
    std::size_t sum = 0;
    for (const Curve& curve : curves)
        sum += curve.leftOut;
    return sum;
}

void View::resizeEvent(QResizeEvent* event)
{
    QChartView::resizeEvent(event);
    refresh();
}

void View::drawBackground(QPainter* painter, const QRectF&) { paintGrid(*painter, frame); }

void View::drawForeground(QPainter* painter, const QRectF&)
{
    const bool anything = std::any_of(curves.begin(), curves.end(), [](const Curve& c) { return !c.drawn.empty(); });
    if (!anything)
        paintEmptyText(*painter, frame.plot, emptyText);
    painter->save();
    painter->setClipRect(frame.plot.adjusted(-6, -6, 6, 6));
    for (const Curve& curve : curves)
        paintCurveMarkers(*painter, curve);
    painter->restore();
    if (legend)
        paintLegend(*painter);
    QStringList notes;
    if (!note.isEmpty())
        notes += note;
    if (leftOut() > 0 && frame.y.log)
        notes += TraceChart::tr("%n point(s) ≤ 0 or not a number left out", nullptr, static_cast<int>(leftOut()));
    if (heldX || heldY)
        notes += TraceChart::tr("held · double-click to follow");
    if (!notes.isEmpty())
        paintNote(*painter, frame.plot, notes.join(QStringLiteral(" · ")));
    if (crosshair && anything)
        paintCrosshair(*painter);
    if (hasFocus()) {
        painter->setPen(QPen(tokens().accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(QRectF(viewport()->rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
}

void View::paintCurveMarkers(QPainter& painter, const Curve& curve) const
{
    if (curve.drawn.empty())
        return;
    const QColor color = penOf(curve).color();
    if (sparseMarkers && curve.source.dash.isEmpty()) {
        // Staggered by run, so that curves that lie on each other still show both markers.
        const double spacing = 88, shift = 24 + 19 * (curve.source.id % 4);
        double next = frame.plot.left() + shift;
        for (const QPointF& p : curve.drawn) {
            const double x = frame.pixelX(p.x());
            if (x < next)
                continue;
            drawMarker(painter, {x, frame.pixelY(p.y())}, curve.source.marker, 7, color);
            next = frame.plot.left() + shift + spacing * std::ceil((x - frame.plot.left() - shift + 1) / spacing);
        }
    }
    if (curve.source.live) {
        const QPointF end(frame.pixelX(curve.drawn.back().x()), frame.pixelY(curve.drawn.back().y()));
        drawMarker(painter, end, Marker::Circle, 9, color);
    }
}

void View::paintLegend(QPainter& painter) const
{
    painter.save();
    painter.setFont(chartFont());
    const QFontMetricsF metrics(chartFont());
    double widest = 0;
    for (const Curve& curve : curves)
        widest = std::max(widest, metrics.horizontalAdvance(curve.source.name));
    double y = frame.plot.top() + 2;
    const double left = frame.plot.right() - std::min(widest, frame.plot.width() / 2) - 4;
    for (const Curve& curve : curves) {
        drawMarker(painter, {left - 10, y + 8}, curve.source.marker, 8, penOf(curve).color());
        painter.setPen(tokens().text);
        painter.drawText(QRectF(left, y, frame.plot.right() - left + 6, 17), Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(curve.source.name, Qt::ElideRight, frame.plot.right() - left + 4));
        y += 17;
    }
    painter.restore();
}

void View::paintCrosshair(QPainter& painter) const
{
    const double x = frame.pixelX(frame.x.toAxis(*crosshair));
    if (x < frame.plot.left() - 0.5 || x > frame.plot.right() + 0.5)
        return;
    painter.save();
    painter.setPen(QPen(tokens().muted, 1.2, Qt::DotLine));
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
    const double slack = frame.x.log ? *crosshair * 0.02 : (frame.x.high - frame.x.low) * 0.004;
    ChartTooltip tooltip;
    tooltip.header = tooltipHead ? tooltipHead(*crosshair) : xLabel(*crosshair, 0);
    tooltip.columns = tooltipColumns;
    std::vector<int> ids;
    for (const Curve& curve : curves) {
        const QPointF* point = curve.source.points ? nearest(*curve.source.points, *crosshair, slack) : nullptr;
        if (!point)
            continue;
        if (std::isfinite(point->y()))
            drawMarker(painter, {frame.pixelX(frame.x.toAxis(point->x())), frame.pixelY(frame.y.toAxis(point->y()))}, curve.source.marker,
                       7, curve.source.color);
        auto known = std::find(ids.begin(), ids.end(), curve.source.id);
        if (known == ids.end()) {
            ids.push_back(curve.source.id);
            tooltip.rows.push_back({curve.source.color, curve.source.marker, curve.source.name, {}});
            known = std::prev(ids.end());
        }
        QStringList& values = tooltip.rows[static_cast<std::size_t>(known - ids.begin())].values;
        while (values.size() < curve.source.column)
            values += QString();
        values += valueText ? valueText(point->y(), 0) : formatting::metric(point->y());
    }
    painter.restore();
    if (m_hovering && !tooltip.empty())
        paintTooltip(painter, frame.plot, x, tooltip);
}

// ---- mouse and keyboard ----

void View::hold()
{
    Q_EMIT m_owner->viewHeld(frame.x.toData(heldX->first), frame.x.toData(heldX->second));
    refresh();
}

void View::zoom(const QPointF& centre, double factor, bool horizontal, bool vertical)
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

void View::pan(const QPointF& pixels)
{
    const double dx = pixels.x() / frame.plot.width() * (frame.x.high - frame.x.low);
    const double dy = pixels.y() / frame.plot.height() * (frame.y.high - frame.y.low);
    heldX = Range{frame.x.low - dx, frame.x.high - dx};
    heldY = Range{frame.y.low + dy, frame.y.high + dy};
    hold();
}

void View::followAgain()
{
    heldX.reset();
    heldY.reset();
    refresh();
}

void View::wheelEvent(QWheelEvent* event)
{
    event->accept();
    if (!frame.plot.contains(event->position()) || event->angleDelta().y() == 0)
        return;
    const bool shift = event->modifiers() & Qt::ShiftModifier, control = event->modifiers() & Qt::ControlModifier;
    zoom(event->position(), std::pow(0.9985, event->angleDelta().y()), !control || shift, !shift || control);
}

void View::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && frame.plot.contains(event->position()))
        m_dragFrom = event->position();
}

void View::mouseMoveEvent(QMouseEvent* event)
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

void View::mouseReleaseEvent(QMouseEvent*)
{
    m_dragFrom.reset();
    unsetCursor();
}

void View::mouseDoubleClickEvent(QMouseEvent*)
{
    m_dragFrom.reset();
    followAgain();
    Q_EMIT m_owner->viewFollowing();
}

void View::leaveEvent(QEvent* event)
{
    QChartView::leaveEvent(event);
    m_hovering = false;
    Q_EMIT m_owner->crosshairLeft();
    Q_EMIT m_owner->hovered(-1);
}

void View::keyPressEvent(QKeyEvent* event)
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
        QChartView::keyPressEvent(event);
    }
}

/// Id of the curve within a few pixels, -1 when there is none.
int View::curveNear(const QPointF& pixel) const
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

} // namespace

struct TraceChart::Private {
    View* view = nullptr;
};

TraceChart::TraceChart(const QString& accessibleName, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>())
{
    d->view = new View(this);
    d->view->xLabel = d->view->yLabel = &formatting::axisValue;
    d->view->setAccessibleName(accessibleName);
    d->view->setAccessibleDescription(tr("Plus and minus zoom, left and right move the crosshair, 0 follows the data again."));
    setFocusProxy(d->view);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(d->view);
}

TraceChart::~TraceChart() = default;

void TraceChart::setSeries(std::vector<TraceSeries> series) { d->view->replaceCurves(std::move(series)); }

void TraceChart::setXAxis(AxisLabel label, bool log)
{
    if (log != d->view->frame.x.log)
        d->view->heldX.reset();
    d->view->xLabel = std::move(label);
    d->view->frame.x.log = log;
}

void TraceChart::setYAxis(AxisLabel label, bool log)
{
    if (log != d->view->frame.y.log)
        d->view->heldY.reset();
    d->view->yLabel = std::move(label);
    d->view->frame.y.log = log;
}

void TraceChart::setFixedXRange(std::optional<std::pair<double, double>> range) { d->view->fixedX = range; }
void TraceChart::setFixedYRange(std::optional<std::pair<double, double>> range) { d->view->fixedY = range; }
void TraceChart::setFilled(bool filled) { d->view->filled = filled; }
void TraceChart::setLegendShown(bool shown) { d->view->legend = shown; }
void TraceChart::setSparseMarkers(bool shown) { d->view->sparseMarkers = shown; }
void TraceChart::setEmptyText(const QString& text) { d->view->emptyText = text; }
void TraceChart::setValueText(AxisLabel text) { d->view->valueText = std::move(text); }
void TraceChart::setNote(const QString& text) { d->view->note = text; }

void TraceChart::setTooltipHead(std::function<QString(double)> header, QStringList columns)
{
    d->view->tooltipHead = std::move(header);
    d->view->tooltipColumns = std::move(columns);
}

void TraceChart::refresh() { d->view->refresh(); }
bool TraceChart::isHeld() const { return d->view->heldX || d->view->heldY; }
void TraceChart::followAgain() { d->view->followAgain(); }

void TraceChart::holdX(double low, double high)
{
    d->view->heldX = std::pair(d->view->frame.x.toAxis(low), d->view->frame.x.toAxis(high));
    d->view->refresh();
}

void TraceChart::setCrosshair(std::optional<double> x)
{
    if (d->view->crosshair == x)
        return;
    d->view->crosshair = x;
    d->view->viewport()->update();
}

void TraceChart::setHighlighted(int id)
{
    if (d->view->highlighted == id)
        return;
    d->view->highlighted = id;
    d->view->restyle();
}

std::pair<double, double> TraceChart::xRange() const
{
    const ChartAxis& x = d->view->frame.x;
    return {x.toData(x.low), x.toData(x.high)};
}

std::pair<double, double> TraceChart::yRange() const
{
    const ChartAxis& y = d->view->frame.y;
    return {y.toData(y.low), y.toData(y.high)};
}

std::size_t TraceChart::drawnPoints(std::size_t index) const
{
    return index < d->view->curves.size() ? static_cast<std::size_t>(d->view->curves[index].line->count()) : 0;
}

std::size_t TraceChart::leftOutPoints() const { return d->view->leftOut(); }

QImage TraceChart::image(double scale) const
{
    QImage image((QSizeF(size()) * scale).toSize(), QImage::Format_ARGB32);
    image.setDevicePixelRatio(scale);
    image.fill(tokens().panel);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    d->view->render(&painter, QRectF(QPointF(), QSizeF(size())), d->view->viewport()->rect());
    return image;
}

QString TraceChart::csv() const
{
    QString text;
    QTextStream out(&text);
    out << "series,kind,x,y\r\n";
    for (const View::Curve& curve : d->view->curves) {
        if (!curve.source.points)
            continue;
        QString name = curve.source.name;
        const QString quoted = QLatin1Char('"') + name.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
        const QString kind = d->view->tooltipColumns.value(curve.source.column);
        for (const QPointF& p : *curve.source.points)
            out << quoted << ',' << kind << ',' << formatting::exact(p.x()) << ','
                << (std::isfinite(p.y()) ? formatting::exact(p.y()) : QString()) << "\r\n";
    }
    return text;
}

} // namespace ui
