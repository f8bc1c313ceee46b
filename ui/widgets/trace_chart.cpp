// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/trace_chart.h"

#include "ui/formatting.h"
#include "ui/theme.h"
#include "ui/widgets/trace_view_chart.h"

#include <QLineSeries>
#include <QTextStream>
#include <QVBoxLayout>

#include <cmath>

namespace ui {

struct TraceChart::Private {
    TraceView* view = nullptr;
};

TraceChart::TraceChart(const QString& accessibleName, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>())
{
    d->view = new TraceView(this);
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

void TraceChart::setXAxis(AxisLabel label, bool log, bool whole)
{
    if (log != d->view->frame.x.log)
        d->view->heldX.reset();
    d->view->xLabel = std::move(label);
    d->view->frame.x.log = log;
    d->view->frame.x.whole = whole;
}

void TraceChart::setYAxis(AxisLabel label, bool log, bool whole)
{
    if (log != d->view->frame.y.log)
        d->view->heldY.reset();
    d->view->yLabel = std::move(label);
    d->view->frame.y.log = log;
    d->view->frame.y.whole = whole;
}

void TraceChart::setFixedXRange(std::optional<std::pair<double, double>> range) { d->view->fixedX = range; }
void TraceChart::setFixedYRange(std::optional<std::pair<double, double>> range) { d->view->fixedY = range; }
void TraceChart::setXEndHint(std::optional<double> end) { d->view->xEndHint = end; }
void TraceChart::setFilled(bool filled) { d->view->filled = filled; }
void TraceChart::setLegendShown(bool shown) { d->view->legend = shown; }
void TraceChart::setGroups(std::vector<TraceGroup> groups) { d->view->groups = std::move(groups); }
void TraceChart::setLevels(std::vector<TraceLevel> levels) { d->view->levels = std::move(levels); }
void TraceChart::setSparseMarkers(bool shown) { d->view->sparseMarkers = shown; }
void TraceChart::setEmptyText(const QString& text) { d->view->emptyText = text; }
void TraceChart::setValueText(AxisLabel text) { d->view->valueText = std::move(text); }
void TraceChart::setNote(const QString& text) { d->view->note = text; }
void TraceChart::setWheelZooms(bool zooms) { d->view->wheelZooms = zooms; }

void TraceChart::setMark(std::optional<double> x, const QString& text)
{
    d->view->mark = x;
    d->view->markText = text;
    d->view->viewport()->update();
}

QStringList TraceChart::groupTexts() const
{
    QStringList texts;
    for (const TraceGroup& group : d->view->groups)
        texts += group.text;
    return texts;
}

QStringList TraceChart::levelTexts() const
{
    QStringList texts;
    for (const TraceLevel& level : d->view->levels)
        texts += level.text;
    return texts;
}

std::vector<QRectF> TraceChart::levelPlaces() const
{
    std::vector<QRectF> places;
    for (const TraceView::Label& label : d->view->levelLabels())
        places.push_back(label.place);
    return places;
}

QString TraceChart::cutTextAt(const QPointF& pixel) const { return d->view->cutTextAt(pixel); }

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

Picture TraceChart::picture() const { return d->view->picture(); }

QString TraceChart::csv() const
{
    QString text;
    QTextStream out(&text);
    out << "series,kind,x,y\r\n";
    for (const TraceView::Curve& curve : d->view->curves) {
        if (!curve.source.points)
            continue;
        const QString name = formatting::csvCell(curve.source.name);
        const QString kind = d->view->tooltipColumns.value(curve.source.column);
        for (const QPointF& p : *curve.source.points)
            out << name << ',' << kind << ',' << formatting::exact(p.x()) << ','
                << (std::isfinite(p.y()) ? formatting::exact(p.y()) : QString()) << "\r\n";
    }
    return text;
}

} // namespace ui
