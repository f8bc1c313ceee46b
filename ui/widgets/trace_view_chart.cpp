// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The trace chart's inside: its series, where they lie, and what is painted around them.
#include "ui/widgets/trace_view_chart.h"

#include "ui/formatting.h"
#include "ui/models/axis_ticks.h"
#include "ui/theme.h"
#include "ui/widgets/picture.h"

#include <QAreaSeries>
#include <QChart>
#include <QFontMetricsF>
#include <QLineSeries>
#include <QValueAxis>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace ui {
namespace {

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

} // namespace

TraceView::TraceView(TraceChart* owner)
    : PlainChartView(owner)
    , m_owner(owner)
{
    setFocusPolicy(Qt::StrongFocus);
}

void TraceView::replaceCurves(std::vector<TraceSeries> series)
{
    const bool sameShape = series.size() == curves.size() && (curves.empty() || filled == (curves.front().area != nullptr));
    if (!sameShape) {
        chart()->removeAllSeries();
        curves.assign(series.size(), {});
        const auto add = [this](QAbstractSeries* shown) {
            chart()->addSeries(shown);
            shown->attachAxis(m_axisX);
            shown->attachAxis(m_axisY);
        };
        for (Curve& curve : curves) {
            if (filled) {
                curve.upper = new QLineSeries;
                curve.area = new QAreaSeries(curve.upper);
                curve.upper->setParent(curve.area);
                curve.area->setPen(Qt::NoPen);
                add(curve.area);
            }
            curve.line = new QLineSeries;
            add(curve.line);
        }
    }
    for (std::size_t i = 0; i < series.size(); ++i)
        curves[i].source = std::move(series[i]);
    restyle();
    refresh();
}

QPen TraceView::penOf(const Curve& curve) const
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
    if (curve.dense) {
        pen.setWidth(1);
        pen.setCosmetic(true); // Qt has a short way for these
    }
    return pen;
}

/// A curve that goes up and down in every pixel column, such as a number of 60,000 slices in their own order: by the way its
/// line goes, in pixels.
bool TraceView::isDense(const Curve& curve) const
{
    double length = 0;
    for (std::size_t i = 1; i < curve.drawn.size(); ++i)
        length += std::abs(frame.pixelY(curve.drawn[i].y()) - frame.pixelY(curve.drawn[i - 1].y()));
    return length > 12 * frame.plot.height();
}

void TraceView::restyle()
{
    for (Curve& curve : curves) {
        const QPen pen = penOf(curve);
        if (curve.area) {
            QColor fill = curve.source.color;
            fill.setAlphaF(0.14F);
            curve.area->setBrush(fill);
        }
        curve.line->setPen(pen);
    }
    viewport()->update();
}

ThinningView TraceView::viewFor(const ChartAxis& x, const ChartAxis& y) const
{
    return {x.toData(x.low), x.toData(x.high), std::max(1, static_cast<int>(frame.plot.width())), x.log, y.log};
}

TraceView::Range TraceView::followedX() const
{
    double low = std::numeric_limits<double>::infinity(), high = -low; // the least that a log axis can show
    for (const Curve& curve : curves)
        if (const auto* points = curve.source.points.get(); points && !points->empty()) {
            const auto first = std::find_if(points->begin(), points->end(), [](const QPointF& p) { return p.x() > 0; });
            if (first != points->end())
                low = std::min(low, first->x());
            high = std::max(high, points->back().x());
        }
    if (frame.x.log) {
        constexpr double steps = 4; // of a decade: where the ends of a growing axis may be
        if (!std::isfinite(low) || !std::isfinite(high))
            return {0, 1};
        const double from = std::floor(std::log10(low) * steps) / steps;
        return {from, std::max(std::ceil(std::log10(high) * steps) / steps, from + 1 / steps) + 0.001};
    }
    const double end = high > 0 && std::isfinite(high) ? growingEnd(high) : 1;
    return {0, xEndHint && *xEndHint >= high ? std::min(end, *xEndHint) : end};
}

TraceView::Range TraceView::followedY(const ChartAxis& x) const
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
    if (!frame.y.log) {
        std::tie(low, high) = withLevels({low, high});
        return paddedRange(low, high, 6);
    }
    const auto [logLow, logHigh] = withLevels({std::log10(low), std::log10(high)});
    const double air = std::max(0.04 * (logHigh - logLow), 0.02);
    return {std::floor((logLow - air) * 50) / 50, std::ceil((logHigh + air) * 50) / 50};
}

bool TraceView::isDrawable(const TraceLevel& level) const { return std::isfinite(level.y) && (!frame.y.log || level.y > 0); }

/// Grown to three times its height at most: else the curves are what there is to see. A young curve counts for a quarter of its value.
TraceView::Range TraceView::withLevels(Range range) const
{
    const double young = frame.y.log ? 0.25 : 0.25 * std::max(std::abs(range.first), std::abs(range.second));
    const double most = 3 * std::max(range.second - range.first, young);
    for (const TraceLevel& level : levels) {
        if (!isDrawable(level))
            continue;
        const double y = frame.y.toAxis(level.y);
        const Range grown{std::min(range.first, y), std::max(range.second, y)};
        if (grown.second - grown.first <= most)
            range = grown;
    }
    return range;
}

/// Ranges → ticks → margins → the plot's place.
void TraceView::layOut()
{
    const auto toAxisUnits = [](const ChartAxis& axis, const Range& range) {
        return Range{axis.toAxis(range.first), axis.toAxis(range.second)};
    };
    std::tie(frame.x.low, frame.x.high) = heldX ? *heldX : fixedX ? toAxisUnits(frame.x, *fixedX) : followedX();
    std::tie(frame.y.low, frame.y.high) = heldY ? *heldY : fixedY ? toAxisUnits(frame.y, *fixedY) : followedY(frame.x);
    const QSizeF size = viewport()->size();
    layOutTicks(frame.y, std::clamp(static_cast<int>(size.height() / 42), 2, 6), yLabel);
    const double left = leftMargin(frame.y.labels);
    const double top = topMargin + placeGroups(nullptr);
    frame.plot = QRectF(left, top, std::max(20.0, size.width() - left - rightMargin), std::max(20.0, size.height() - top - bottomMargin));
    layOutTicks(frame.x, std::clamp(static_cast<int>(frame.plot.width() / (frame.x.log ? 42 : 62)), 2, 6), xLabel);
    chart()->setPlotArea(frame.plot);
    m_axisX->setRange(frame.x.low, frame.x.high);
    m_axisY->setRange(frame.y.low, frame.y.high);
}

void TraceView::refresh()
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
        const QList<QPointF> points(curve.drawn.begin(), curve.drawn.end());
        if (const bool dense = isDense(curve); dense != curve.dense) {
            curve.dense = dense;
            curve.line->setPen(penOf(curve));
        }
        curve.line->replace(points);
        if (curve.upper)
            curve.upper->replace(points);
    }
    viewport()->update();
}

std::size_t TraceView::leftOut() const
{
    std::size_t sum = 0;
    for (const Curve& curve : curves)
        sum += curve.leftOut;
    return sum;
}

void TraceView::resizeEvent(QResizeEvent* event)
{
    PlainChartView::resizeEvent(event);
    refresh();
}

void TraceView::drawBackground(QPainter* painter, const QRectF&)
{
    paintGrid(*painter, frame);
    paintLevelLines(*painter);
}

void TraceView::paintPicture(QPainter& painter) const
{
    paintGrid(painter, frame);
    paintLevelLines(painter);
    for (const Curve& curve : curves)
        paintCurve(painter, curve);
    paintOver(painter, false);
}

/// One line however many points it has: that is what keeps files small.
void TraceView::paintCurve(QPainter& painter, const Curve& curve) const
{
    QPolygonF line;
    for (const QPointF& point : curve.drawn)
        line += QPointF(frame.pixelX(point.x()), frame.pixelY(point.y()));
    painter.save();
    for (const QPolygonF& piece : clippedLine(line, frame.plot)) {
        if (curve.area) {
            QPolygonF area = piece;
            area += QPointF(piece.back().x(), frame.plot.bottom());
            area += QPointF(piece.front().x(), frame.plot.bottom());
            painter.setPen(Qt::NoPen);
            painter.setBrush(curve.area->brush());
            painter.drawPolygon(area);
        }
        painter.setPen(penOf(curve));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(piece);
    }
    painter.restore();
}

void TraceView::paintOver(QPainter& painter, bool withHints) const
{
    const bool anything = std::any_of(curves.begin(), curves.end(), [](const Curve& c) { return !c.drawn.empty(); });
    if (!anything)
        paintEmptyText(painter, frame.plot, emptyText);
    else if (mark)
        paintMark(painter);
    for (const Curve& curve : curves)
        paintCurveMarkers(painter, curve);
    if (anything)
        paintLevelTexts(painter);
    if (legend)
        paintLegend(painter);
    placeGroups(&painter);
    QStringList notes;
    if (!note.isEmpty())
        notes += note;
    if (leftOut() > 0 && (frame.x.log || frame.y.log))
        notes += TraceChart::tr("left out, being ≤ 0 or not a number: %1").arg(leftOut());
    if (withHints && (heldX || heldY))
        notes += TraceChart::tr("held · double-click to follow");
    if (!notes.isEmpty())
        paintNote(painter, frame.plot, notes.join(QStringLiteral(" · ")));
}

void TraceView::drawForeground(QPainter* painter, const QRectF&)
{
    paintOver(*painter, true);
    const bool anything = std::any_of(curves.begin(), curves.end(), [](const Curve& c) { return !c.drawn.empty(); });
    if (crosshair && anything)
        paintCrosshair(*painter);
    if (hasFocus() && m_keyboardFocus) {
        painter->setPen(QPen(tokens().accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(QRectF(viewport()->rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
}

void TraceView::paintCurveMarkers(QPainter& painter, const Curve& curve) const
{
    if (curve.drawn.empty())
        return;
    const QColor color = penOf(curve).color();
    const QRectF inside = frame.plot.adjusted(-2, -2, 2, 2); // of a zoom
    if (sparseMarkers && curve.source.dash.isEmpty()) {
        // Staggered by run, so that curves that lie on each other still show both markers.
        const double spacing = 88, shift = 24 + 19 * (curve.source.id % 4);
        double next = frame.plot.left() + shift;
        for (const QPointF& p : curve.drawn) {
            const double x = frame.pixelX(p.x());
            if (x < next)
                continue;
            if (const QPointF at(x, frame.pixelY(p.y())); inside.contains(at))
                drawMarker(painter, at, curve.source.marker, 7, color);
            next = frame.plot.left() + shift + spacing * std::ceil((x - frame.plot.left() - shift + 1) / spacing);
        }
    }
    if (curve.source.live) {
        const QPointF end(frame.pixelX(curve.drawn.back().x()), frame.pixelY(curve.drawn.back().y()));
        if (inside.contains(end))
            drawMarker(painter, end, Marker::Circle, 9, color);
    }
}

void TraceView::paintMark(QPainter& painter) const
{
    const double x = frame.pixelX(frame.x.toAxis(*mark));
    if (x < frame.plot.left() - 0.5 || x > frame.plot.right() + 0.5)
        return;
    painter.save();
    painter.setPen(QPen(tokens().muted, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
    painter.setFont(chartFont());
    painter.setPen(tokens().muted);
    const double width = QFontMetricsF(chartFont()).horizontalAdvance(markText) + 2;
    const bool toTheLeft = x - width - 5 > frame.plot.left();
    painter.drawText(QRectF(toTheLeft ? x - width - 5 : x + 5, frame.plot.top(), width, 16), Qt::AlignCenter, markText);
    painter.restore();
}

void TraceView::paintLevelLines(QPainter& painter) const
{
    painter.save();
    for (const TraceLevel& level : levels) {
        const double y = isDrawable(level) ? frame.pixelY(frame.y.toAxis(level.y)) : -1;
        if (y < frame.plot.top() || y > frame.plot.bottom())
            continue;
        QPen pen(tokens().muted, 1.4);
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern(level.dash);
        painter.setPen(pen);
        painter.drawLine(QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y));
    }
    painter.restore();
}

/// At the right, above their lines. A label that would cover another goes to its left, below its line, or to a free row nearby. Lines
/// out of sight have their labels at the plot's edge.
std::vector<TraceView::Label> TraceView::levelLabels() const
{
    constexpr double height = 15, gap = 10;
    const QFontMetricsF metrics(chartFont());
    const QRectF& plot = frame.plot;
    std::vector<Label> labels;
    const auto isFree = [&](const QRectF& place) {
        return plot.adjusted(-0.5, -0.5, 0.5, 0.5).contains(place)
            && std::none_of(labels.begin(), labels.end(), [&](const Label& other) { return place.intersects(other.place); });
    };
    for (const TraceLevel& level : levels) {
        if (!isDrawable(level))
            continue;
        const double y = frame.pixelY(frame.y.toAxis(level.y));
        const bool above = y < plot.top();
        const bool below = y > plot.bottom();
        const QString text = (above ? QStringLiteral("↑ ") : below ? QStringLiteral("↓ ") : QString()) + level.text;
        const QString shown = metrics.elidedText(text, Qt::ElideMiddle, plot.width() - 6); // the number stays
        const double width = std::min(metrics.horizontalAdvance(shown) + 6, plot.width());
        const double top = std::clamp(y - height - 1, plot.top(), std::max(plot.top(), plot.bottom() - height));
        const QRectF first(plot.right() - width, top, width, height);
        std::vector<QRectF> candidates{first};
        for (const Label& other : labels)
            candidates.push_back(QRectF(other.place.left() - gap - width, top, width, height));
        if (!above && !below)
            candidates.push_back(first.translated(0, height + 2));
        for (int row = 1; row * height < plot.height(); ++row)
            for (const int side : {-1, 1})
                candidates.push_back(first.translated(0, side * row * (height + 1)));
        const auto free = std::find_if(candidates.begin(), candidates.end(), isFree);
        labels.push_back({free == candidates.end() ? first : *free, shown, text});
    }
    return labels;
}

void TraceView::paintLevelTexts(QPainter& painter) const
{
    painter.save();
    painter.setFont(chartFont());
    for (const Label& label : levelLabels()) {
        QColor ground = tokens().panel;
        ground.setAlphaF(0.75F);
        painter.fillRect(label.place, ground);
        painter.setPen(tokens().muted);
        painter.drawText(label.place, Qt::AlignCenter, label.shown);
    }
    painter.restore();
}

/// Lower left: what falls by rank leaves it free.
std::vector<TraceView::Label> TraceView::legendLabels() const
{
    constexpr double height = 17;
    const QFontMetricsF metrics(chartFont());
    double y = frame.plot.bottom() - 8 - height * static_cast<double>(curves.size());
    const double left = frame.plot.left() + 24;
    std::vector<Label> labels;
    for (const Curve& curve : curves) {
        const QString& name = curve.source.name;
        labels.push_back({QRectF(left, y, frame.plot.right() - left + 6, height),
                          metrics.elidedText(name, Qt::ElideRight, frame.plot.right() - left + 4), name});
        y += height;
    }
    return labels;
}

void TraceView::paintLegend(QPainter& painter) const
{
    painter.save();
    painter.setFont(chartFont());
    const std::vector<Label> labels = legendLabels();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const QRectF& place = labels[i].place;
        drawMarker(painter, {place.left() - 10, place.top() + 8}, curves[i].source.marker, 8, penOf(curves[i]).color());
        painter.setPen(tokens().text);
        painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft, labels[i].shown);
    }
    painter.restore();
}

QString TraceView::cutTextAt(const QPointF& pixel) const
{
    std::vector<Label> labels;
    placeGroups(nullptr, &labels);
    const bool anything = std::any_of(curves.begin(), curves.end(), [](const Curve& c) { return !c.drawn.empty(); });
    for (const auto& more : {anything ? levelLabels() : std::vector<Label>(), legend ? legendLabels() : std::vector<Label>()})
        labels.insert(labels.end(), more.begin(), more.end());
    const auto at = std::find_if(labels.begin(), labels.end(),
                                 [&](const Label& label) { return label.shown != label.full && label.place.contains(pixel); });
    return at == labels.end() ? QString() : at->full;
}

double TraceView::placeGroups(QPainter* painter, std::vector<Label>* labels) const
{
    constexpr double left = 14, lineHeight = 17, sign = 11, gap = 18;
    constexpr std::size_t mostSigns = 8; // of more runs these are enough to see what is meant
    const QFontMetricsF metrics(chartFont());
    const double right = static_cast<double>(viewport()->width()) - rightMargin;
    double x = left, y = 2;
    for (const TraceGroup& group : groups) {
        const std::size_t signs = std::min(group.signs.size(), mostSigns);
        const double before = sign * static_cast<double>(signs) + 3;
        const QString shown = metrics.elidedText(group.text, Qt::ElideMiddle, std::max(20.0, right - left - before));
        const double width = before + metrics.horizontalAdvance(shown);
        if (x > left && x + width > right) {
            x = left;
            y += lineHeight;
        }
        for (std::size_t i = 0; painter && i < signs; ++i)
            drawMarker(*painter, {x + sign * (static_cast<double>(i) + 0.5), y + lineHeight / 2}, group.signs[i].second, 8,
                       group.signs[i].first);
        const QRectF place(x + before, y, width - before + 2, lineHeight);
        if (labels)
            labels->push_back({place, shown, group.text});
        if (painter) {
            painter->save();
            painter->setFont(chartFont());
            painter->setPen(tokens().text);
            painter->drawText(place, Qt::AlignVCenter | Qt::AlignLeft, shown);
            painter->restore();
        }
        x += width + gap;
    }
    return groups.empty() ? 0 : y + lineHeight;
}

void TraceView::paintCrosshair(QPainter& painter) const
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
        while (values.size() <= curve.source.column)
            values += QString();
        values[curve.source.column] = valueText ? valueText(point->y(), 0) : formatting::metric(point->y());
    }
    painter.restore();
    if (m_hovering && !tooltip.empty())
        paintTooltip(painter, frame.plot, x, tooltip);
}

} // namespace ui
