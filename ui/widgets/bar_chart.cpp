// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/bar_chart.h"

#include "ui/formatting.h"
#include "ui/models/axis_ticks.h"
#include "ui/run_style.h"
#include "ui/theme.h"
#include "ui/widgets/plain_chart_view.h"

#include <QBarSet>
#include <QChart>
#include <QFontMetricsF>
#include <QMouseEvent>
#include <QStackedBarSeries>
#include <QTextStream>
#include <QVBoxLayout>
#include <QValueAxis>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace ui {
namespace {

constexpr double topMargin = 8, bottomMargin = 26, secondLine = 15, rightMargin = 14, widestBar = 64;
constexpr std::array<double, 4> shades{1.0, 0.6, 0.32, 0.2};

/// The bar's colour thinned with its ground, opaque: the grid must not shine through.
QColor shade(const QColor& color, std::size_t segment, bool faint)
{
    const double share = shades[std::min(segment, shades.size() - 1)] * (faint ? 0.35 : 1.0);
    const QColor& ground = tokens().panel;
    const auto mixed = [share](int a, int b) { return static_cast<int>(std::lround(a * share + b * (1 - share))); };
    return {mixed(color.red(), ground.red()), mixed(color.green(), ground.green()), mixed(color.blue(), ground.blue())};
}

double total(const Bar& bar) { return std::accumulate(bar.segments.begin(), bar.segments.end(), 0.0); }

/// How names stand below bars: as they are; on two lines; without their middle; or, where they have no room at all, as their sign, which
/// the list of runs has too, and what is short.
enum class Naming { Whole, TwoLines, Elided, Signs };

/// "rank 32," and "seed 44": at the blank that leaves the shorter lines; the second is empty where there is none.
std::pair<QString, QString> inTwo(const QString& name)
{
    std::pair<QString, QString> best{name, {}};
    for (qsizetype at = name.indexOf(u' '); at > 0; at = name.indexOf(u' ', at + 1))
        if (std::max(at, name.size() - at - 1) < std::max(best.first.size(), best.second.size()))
            best = {name.left(at), name.mid(at + 1)};
    return best;
}

class BarView : public PlainChartView {
public:
    explicit BarView(BarChart* owner)
        : PlainChartView(owner)
        , m_owner(owner)
    {
    }

    std::vector<Bar> bars;
    QStringList segmentNames;
    AxisLabel axisLabel, valueLabel;
    bool totals = true;
    double gap = 0.5;
    int highlighted = -1;
    QString emptyText;
    ChartFrame frame;

    void rebuild();
    void layOut();

protected:
    void drawBackground(QPainter* painter, const QRectF&) override { paintGrid(*painter, frame, false); }
    void drawForeground(QPainter* painter, const QRectF&) override;
    void paintPicture(QPainter& painter) const override;
    void resizeEvent(QResizeEvent* event) override
    {
        PlainChartView::resizeEvent(event);
        layOut();
    }
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void setHovered(int index);
    void paintLabels(QPainter& painter) const;
    void paintName(QPainter& painter, Naming names, std::size_t index, double width) const;
    double place() const { return frame.plot.width() / static_cast<double>(std::max<std::size_t>(1, bars.size())); }
    bool areNamed() const; ///< by names that have short ones, not by numbers
    Naming naming() const;
    double barShare() const; ///< of its place

    BarChart* m_owner;
    int m_hovered = -1;
};

/// One bar set per bar and segment: Qt gives a set one colour for all bars.
void BarView::rebuild()
{
    chart()->removeAllSeries();
    m_hovered = m_hovered < static_cast<int>(bars.size()) ? m_hovered : -1;
    auto* series = new QStackedBarSeries;
    for (std::size_t b = 0; b < bars.size(); ++b) {
        for (std::size_t s = 0; s < bars[b].segments.size(); ++s) {
            auto* set = new QBarSet(QString());
            const bool faint = highlighted >= 0 && bars[b].id != highlighted;
            set->setBrush(shade(bars[b].color, s, faint));
            set->setPen(Qt::NoPen);
            QList<qreal> values(static_cast<qsizetype>(bars.size()), 0.0);
            values[static_cast<qsizetype>(b)] = std::isfinite(bars[b].segments[s]) ? bars[b].segments[s] : 0.0;
            set->append(values);
            series->append(set);
        }
    }
    chart()->addSeries(series);
    series->attachAxis(m_axisX);
    series->attachAxis(m_axisY);
    layOut();
}

void BarView::layOut()
{
    double high = 0, low = 0;
    frame.y.whole = !bars.empty();
    for (const Bar& bar : bars) {
        high = std::max(high, total(bar));
        low = std::min(low, total(bar));
        frame.y.whole = frame.y.whole && total(bar) == std::floor(total(bar));
    }
    frame.x.low = -0.5;
    frame.x.high = std::max<double>(static_cast<double>(bars.size()), 1) - 0.5;
    const QSizeF size = viewport()->size();
    const int wanted = std::clamp(static_cast<int>(size.height() / 46), 2, 5);
    const double step = std::max(frame.y.whole ? 1.0 : 0.0, niceStepAbove((high - low) / wanted));
    frame.y.low = std::floor(low / step) * step;
    frame.y.high = high > 0 ? std::ceil(high * (totals ? 1.06 : 1.0) / step) * step : low < 0 ? 0 : 1;
    layOutTicks(frame.y, wanted, axisLabel);
    const double left = leftMargin(frame.y.labels);
    frame.plot = QRectF(left, topMargin, std::max(20.0, size.width() - left - rightMargin), 0);
    const Naming names = naming(); // by the width
    const double below = names == Naming::TwoLines || names == Naming::Signs ? bottomMargin + secondLine : bottomMargin;
    frame.plot.setHeight(std::max(20.0, size.height() - topMargin - below));
    chart()->setPlotArea(frame.plot);
    const auto series = chart()->series();
    if (!series.isEmpty() && !bars.empty())
        static_cast<QStackedBarSeries*>(series.first())->setBarWidth(barShare());
    m_axisX->setRange(frame.x.low, frame.x.high);
    m_axisY->setRange(frame.y.low, frame.y.high);
    viewport()->update();
}

/// Few bars stay slim.
double BarView::barShare() const { return std::min(1 - gap, widestBar / place()); }

void BarView::paintPicture(QPainter& painter) const
{
    paintGrid(painter, frame, false);
    if (bars.empty())
        return paintEmptyText(painter, frame.plot, emptyText);
    painter.save();
    painter.setPen(Qt::NoPen);
    for (std::size_t b = 0; b < bars.size(); ++b) {
        const double centre = static_cast<double>(b), half = barShare() / 2;
        double above = 0, below = 0; // what is negative is stacked downwards
        for (std::size_t s = 0; s < bars[b].segments.size(); ++s) {
            const double value = std::isfinite(bars[b].segments[s]) ? bars[b].segments[s] : 0;
            double& from = value < 0 ? below : above;
            const QRectF bar(QPointF(frame.pixelX(centre - half), frame.pixelY(from + value)),
                             QPointF(frame.pixelX(centre + half), frame.pixelY(from)));
            from += value;
            if (value == 0)
                continue;
            painter.setBrush(shade(bars[b].color, s, highlighted >= 0 && bars[b].id != highlighted));
            painter.drawRect(bar.normalized());
        }
    }
    painter.restore();
    paintLabels(painter);
}

void BarView::drawForeground(QPainter* painter, const QRectF&)
{
    if (hasFocus()) {
        painter->setPen(QPen(tokens().accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(QRectF(viewport()->rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
    if (bars.empty()) {
        paintEmptyText(*painter, frame.plot, emptyText);
        return;
    }
    paintLabels(*painter);
    if (m_hovered < 0)
        return;
    const Bar& bar = bars[static_cast<std::size_t>(m_hovered)];
    ChartTooltip tooltip;
    if (bar.segments.size() > 1) {
        tooltip.header = bar.name.isEmpty() ? bar.label : bar.name;
        for (std::size_t s = bar.segments.size(); s-- > 0;) {
            tooltip.rows.push_back({shade(bar.color, s, false),
                                    Marker::Square,
                                    segmentNames.value(static_cast<qsizetype>(s)),
                                    {valueLabel(bar.segments[s], 0)}});
        }
    } else {
        tooltip.rows.push_back({bar.color, Marker::Square, bar.name.isEmpty() ? bar.label : bar.name, {valueLabel(total(bar), 0)}});
    }
    paintTooltip(*painter, frame.plot, frame.pixelX(m_hovered), tooltip);
}

bool BarView::areNamed() const
{
    return std::any_of(bars.begin(), bars.end(), [](const Bar& bar) { return !bar.shortLabel.isEmpty(); });
}

Naming BarView::naming() const
{
    constexpr double tellsEnough = 90; // of a name without its middle
    const QFontMetricsF metrics(chartFont());
    const double room = place() - 6;
    double whole = 0, line = 0;
    for (const Bar& bar : bars) {
        const auto [first, second] = inTwo(bar.label);
        whole = std::max(whole, metrics.horizontalAdvance(bar.label));
        line = std::max({line, metrics.horizontalAdvance(first), metrics.horizontalAdvance(second)});
    }
    if (!areNamed() || whole <= room)
        return Naming::Whole;
    return line <= room ? Naming::TwoLines : room >= tellsEnough ? Naming::Elided : Naming::Signs;
}

void BarView::paintName(QPainter& painter, Naming names, std::size_t index, double width) const
{
    const Bar& bar = bars[index];
    const QFontMetricsF metrics(chartFont());
    const QPointF top(frame.pixelX(static_cast<double>(index)), frame.plot.bottom() + 5);
    const auto write = [&](const QString& text, double line) {
        painter.drawText(QRectF(top.x() - width / 2, top.y() + line * secondLine, width, 16), Qt::AlignCenter,
                         metrics.elidedText(text, Qt::ElideMiddle, width));
    };
    switch (names) {
    case Naming::Whole:
    case Naming::Elided:
        write(bar.label, 0);
        break;
    case Naming::TwoLines:
        write(inTwo(bar.label).first, 0);
        write(inTwo(bar.label).second, 1);
        break;
    case Naming::Signs:
        if (width >= 4) // else they would run into each other
            drawMarker(painter, top + QPointF(0, 8), bar.marker, 8, bar.color);
        if (metrics.horizontalAdvance(bar.shortLabel) <= width)
            write(bar.shortLabel, 1);
        break;
    }
}

void BarView::paintLabels(QPainter& painter) const
{
    painter.save();
    painter.setFont(chartFont());
    painter.setPen(tokens().muted);
    const QFontMetricsF metrics(chartFont());
    double widest = 0;
    for (const Bar& bar : bars)
        widest = std::max(widest, metrics.horizontalAdvance(bar.label));
    // Many numbers: every second, fifth … of them.
    const bool many = bars.size() > 10 && !areNamed();
    const auto stride = many ? static_cast<std::size_t>(niceStepAbove(std::max(1.0, (widest + 10) / place()))) : 1;
    const Naming names = naming();
    for (std::size_t i = 0; i < bars.size(); ++i) {
        if (i % stride == 0)
            paintName(painter, names, i, many ? widest + 2 : place() - 6);
        if (totals) {
            const QString text = valueLabel(total(bars[i]), 0);
            if (metrics.horizontalAdvance(text) < place())
                painter.drawText(QRectF(frame.pixelX(static_cast<double>(i)) - place() / 2, frame.pixelY(total(bars[i])) - 19, place(), 16),
                                 Qt::AlignCenter, text);
        }
    }
    painter.restore();
}

void BarView::mouseMoveEvent(QMouseEvent* event)
{
    if (bars.empty() || !frame.plot.contains(event->position())) {
        setHovered(-1);
        return;
    }
    setHovered(std::clamp(static_cast<int>(std::lround(frame.axisX(event->position().x()))), 0, static_cast<int>(bars.size()) - 1));
}

void BarView::leaveEvent(QEvent* event)
{
    PlainChartView::leaveEvent(event);
    setHovered(-1);
}

void BarView::setHovered(int index)
{
    if (index == m_hovered)
        return;
    m_hovered = index;
    viewport()->update();
    Q_EMIT m_owner->hovered(index < 0 ? -1 : bars[static_cast<std::size_t>(index)].id);
}

} // namespace

struct BarChart::Private {
    BarView* view = nullptr;
};

BarChart::BarChart(const QString& accessibleName, QWidget* parent)
    : QWidget(parent)
    , d(std::make_unique<Private>())
{
    d->view = new BarView(this);
    d->view->axisLabel = &formatting::axisValue;
    d->view->valueLabel = [](double value, double) { return formatting::number(value); };
    d->view->setAccessibleName(accessibleName);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(d->view);
}

BarChart::~BarChart() = default;

void BarChart::setSegmentNames(const QStringList& names) { d->view->segmentNames = names; }
void BarChart::setTotalsShown(bool shown) { d->view->totals = shown; }
void BarChart::setGap(double share) { d->view->gap = share; }
void BarChart::setEmptyText(const QString& text) { d->view->emptyText = text; }

void BarChart::setValueLabel(AxisLabel axis, AxisLabel value)
{
    d->view->axisLabel = std::move(axis);
    d->view->valueLabel = std::move(value);
}

void BarChart::setBars(std::vector<Bar> bars)
{
    d->view->bars = std::move(bars);
    d->view->rebuild();
}

void BarChart::setHighlighted(int id)
{
    if (d->view->highlighted == id)
        return;
    d->view->highlighted = id;
    d->view->rebuild();
}

Picture BarChart::picture() const { return d->view->picture(); }

QString BarChart::csv() const
{
    QString text;
    QTextStream out(&text);
    out << "name";
    for (const QString& name : d->view->segmentNames)
        out << ',' << name;
    out << "\r\n";
    for (const Bar& bar : d->view->bars) {
        out << formatting::csvCell(bar.name.isEmpty() ? bar.label : bar.name);
        for (double value : bar.segments)
            out << ',' << formatting::exact(value);
        out << "\r\n";
    }
    return text;
}

} // namespace ui
