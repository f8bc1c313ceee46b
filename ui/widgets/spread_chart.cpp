// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/spread_chart.h"

#include "ui/formatting.h"
#include "ui/models/axis_ticks.h"
#include "ui/theme.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTextStream>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ui {
namespace {

constexpr double topMargin = 10, bottomMargin = 26, rightMargin = 14, barWidth = 7, dotSize = 4, meanSize = 8;

double meanOf(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

QColor faint(QColor color, float alpha)
{
    color.setAlphaF(alpha);
    return color;
}

} // namespace

SpreadChart::SpreadChart(const QString& accessibleName, QWidget* parent)
    : QWidget(parent)
    , m_axisLabel(&formatting::axisValue)
    , m_valueLabel([](double value, double) { return formatting::metric(value); })
{
    setAccessibleName(accessibleName);
    setAccessibleDescription(tr("Left and right step from place to place."));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void SpreadChart::setNames(const QString& x, const QString& y)
{
    m_xName = x;
    m_yName = y;
}

void SpreadChart::setValueLabel(AxisLabel axis, AxisLabel value)
{
    m_axisLabel = std::move(axis);
    m_valueLabel = std::move(value);
}

void SpreadChart::setBound(std::optional<double> value, const QString& text)
{
    m_bound = value;
    m_boundText = text;
}

void SpreadChart::setLargest(std::optional<double> value) { m_largest = value; }

void SpreadChart::setSmallest(std::optional<double> value) { m_smallest = value; }

void SpreadChart::setUncountedText(const QString& text) { m_uncountedText = text; }

void SpreadChart::setEmptyText(const QString& text) { m_emptyText = text; }

void SpreadChart::setGroups(std::vector<SpreadGroup> groups, std::optional<std::size_t> chosen)
{
    m_groups = std::move(groups);
    for (SpreadGroup& group : m_groups)
        for (std::vector<double>* values : {&group.values, &group.uncounted})
            std::erase_if(*values, [](double value) { return !std::isfinite(value); });
    m_chosen = chosen;
    if (m_hovered >= static_cast<int>(m_groups.size()))
        m_hovered = -1;
    layOut();
    update();
}

bool SpreadChart::isEmpty() const
{
    return std::all_of(m_groups.begin(), m_groups.end(),
                       [](const SpreadGroup& group) { return group.values.empty() && group.uncounted.empty(); });
}

std::pair<double, double> SpreadChart::valueRange() const
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const SpreadGroup& group : m_groups)
        for (const std::vector<double>* values : {&group.values, &group.uncounted})
            for (const double value : *values) {
                low = std::min(low, m_smallest ? std::max(*m_smallest, value) : value);
                high = std::max(high, value);
            }
    if (!std::isfinite(low))
        return m_largest ? std::pair(0.0, *m_largest) : std::pair(0.0, 1.0);
    if (!m_largest)
        return paddedRange(low, high, 5);
    // Against what can be at most: from 0, or from the lowest, which may lie far below.
    const double floor = low >= 0 ? 0 : paddedRange(low, *m_largest, 5).first;
    return {floor, *m_largest * 1.04};
}

double SpreadChart::pixelX(std::size_t group) const { return m_frame.pixelX(static_cast<double>(group)); }

double SpreadChart::pixelY(double value) const { return std::min(m_frame.pixelY(value), m_frame.plot.bottom()); }

/// Labels of places that have the room.
void SpreadChart::layOutPlaces()
{
    const auto count = static_cast<double>(std::max<std::size_t>(m_groups.size(), 1));
    m_frame.x.low = -0.6;
    m_frame.x.high = count - 0.4;
    m_frame.x.ticks.clear();
    m_frame.x.labels.clear();
    double widest = 0;
    const QFontMetricsF metrics(chartFont());
    for (const SpreadGroup& group : m_groups)
        widest = std::max(widest, metrics.horizontalAdvance(group.label));
    const double room = m_frame.plot.width() / (m_frame.x.high - m_frame.x.low);
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil((widest + 10) / std::max(1.0, room))));
    for (std::size_t i = 0; i < m_groups.size(); i += every) {
        m_frame.x.ticks.push_back(static_cast<double>(i));
        m_frame.x.labels += m_groups[i].label;
    }
}

void SpreadChart::layOut()
{
    std::tie(m_frame.y.low, m_frame.y.high) = valueRange();
    layOutTicks(m_frame.y, std::clamp(height() / 46, 2, 5), m_axisLabel);
    const double left = leftMargin(m_frame.y.labels);
    m_frame.plot =
        QRectF(left, topMargin, std::max(20.0, width() - left - rightMargin), std::max(20.0, height() - topMargin - bottomMargin));
    layOutPlaces();
}

QPointF SpreadChart::positionOf(std::size_t group) const
{
    if (group >= m_groups.size() || m_groups[group].values.empty())
        return {};
    return {pixelX(group), pixelY(meanOf(m_groups[group].values))};
}

void SpreadChart::paintChosen(QPainter& painter) const
{
    if (!m_chosen || *m_chosen >= m_groups.size())
        return;
    const double width = std::min(44.0, pixelX(1) - pixelX(0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(tokens().accentSoft);
    painter.drawRoundedRect(QRectF(pixelX(*m_chosen) - width / 2, m_frame.plot.top(), width, m_frame.plot.height()), 4, 4);
}

void SpreadChart::paintBound(QPainter& painter) const
{
    if (!m_bound || *m_bound < m_frame.y.low || *m_bound > m_frame.y.high)
        return;
    const double y = m_frame.pixelY(*m_bound);
    painter.setPen(QPen(tokens().muted, 1, Qt::DashLine));
    painter.drawLine(QPointF(m_frame.plot.left(), y), QPointF(m_frame.plot.right(), y));
    painter.setFont(chartFont());
    painter.drawText(QRectF(m_frame.plot.left() + 4, y - 18, m_frame.plot.width() - 8, 17), Qt::AlignRight | Qt::AlignBottom, m_boundText);
}

void SpreadChart::paintValues(QPainter& painter) const
{
    const QColor color = tokens().accent;
    std::optional<QPointF> before;
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        if (m_groups[i].values.empty())
            continue;
        if (before) {
            painter.setPen(QPen(color, 1.9));
            painter.drawLine(*before, positionOf(i));
        }
        before = positionOf(i);
    }
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        painter.setPen(QPen(faint(color, 0.6F), 1.2));
        painter.setBrush(Qt::NoBrush);
        for (const double value : m_groups[i].uncounted)
            painter.drawEllipse(QPointF(pixelX(i), pixelY(value)), dotSize, dotSize);
        const std::vector<double>& values = m_groups[i].values;
        if (values.empty())
            continue;
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const double top = pixelY(*high), bottom = pixelY(*low);
        painter.setPen(Qt::NoPen);
        painter.setBrush(faint(color, 0.25F));
        if (values.size() > 1)
            painter.drawRoundedRect(QRectF(pixelX(i) - barWidth / 2, top, barWidth, std::max(2.0, bottom - top)), 3, 3);
        painter.setBrush(faint(color, 0.6F));
        for (const double value : values)
            painter.drawEllipse(QPointF(pixelX(i), pixelY(value)), dotSize / 2, dotSize / 2);
        const bool lit = static_cast<int>(i) == m_hovered || m_chosen == i;
        drawMarker(painter, positionOf(i), Marker::Circle, lit ? meanSize + 3 : meanSize, color);
    }
}

void SpreadChart::paintTip(QPainter& painter) const
{
    const SpreadGroup& group = m_groups[static_cast<std::size_t>(m_hovered)];
    ChartTooltip tip;
    tip.header = QStringLiteral("%1 %2").arg(m_xName, group.label);
    const auto row = [&](const QString& name, const QString& value) {
        tip.rows.push_back({tokens().accent, Marker::Circle, name, {value}});
    };
    if (!group.values.empty())
        row(group.values.size() > 1 ? tr("%1, mean").arg(m_yName) : m_yName, m_valueLabel(meanOf(group.values), 0));
    if (group.values.size() > 1) {
        const auto [low, high] = std::minmax_element(group.values.begin(), group.values.end());
        row(tr("lowest"), m_valueLabel(*low, 0));
        row(tr("highest"), m_valueLabel(*high, 0));
        row(tr("values"), formatting::grouped(group.values.size()));
    }
    if (!group.uncounted.empty())
        row(m_uncountedText, m_valueLabel(meanOf(group.uncounted), 0));
    if (tip.rows.empty())
        return;
    paintTooltip(painter, m_frame.plot, pixelX(static_cast<std::size_t>(m_hovered)), tip);
}

void SpreadChart::paintAll(QPainter& painter) const
{
    if (!isEmpty())
        paintChosen(painter);
    paintGrid(painter, m_frame);
    if (isEmpty())
        return paintEmptyText(painter, m_frame.plot, m_emptyText);
    paintBound(painter);
    painter.setClipRect(m_frame.plot.adjusted(-8, -8, 8, 8));
    paintValues(painter);
    painter.setClipping(false);
}

void SpreadChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintAll(painter);
    if (!isEmpty() && m_hovered >= 0)
        paintTip(painter);
    if (hasFocus()) {
        painter.setPen(QPen(tokens().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
}

void SpreadChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void SpreadChart::mouseMoveEvent(QMouseEvent* event)
{
    const auto at = static_cast<int>(std::lround(m_frame.axisX(event->position().x())));
    setHovered(at >= 0 && at < static_cast<int>(m_groups.size()) && m_frame.plot.contains(event->position()) ? at : -1);
}

void SpreadChart::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    setHovered(-1);
}

void SpreadChart::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    setHovered(-1);
    update();
}

void SpreadChart::keyPressEvent(QKeyEvent* event)
{
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const int count = static_cast<int>(m_groups.size());
    if (step == 0 || count == 0)
        QWidget::keyPressEvent(event);
    else
        setHovered(m_hovered < 0 ? (step > 0 ? 0 : count - 1) : std::clamp(m_hovered + step, 0, count - 1));
}

void SpreadChart::setHovered(int group)
{
    if (group == m_hovered)
        return;
    m_hovered = group;
    update();
}

Picture SpreadChart::picture() const
{
    return {QSizeF(size()), [this](QPainter& painter) { paintAll(painter); }};
}

QString SpreadChart::csv() const
{
    QString text;
    QTextStream out(&text);
    const bool marked = std::any_of(m_groups.begin(), m_groups.end(), [](const SpreadGroup& group) { return !group.uncounted.empty(); });
    out << m_xName << ',' << m_yName << (marked ? ",left_out" : "") << "\r\n";
    for (const SpreadGroup& group : m_groups) {
        for (const double value : group.values)
            out << group.label << ',' << formatting::exact(value) << (marked ? "," : "") << "\r\n";
        for (const double value : group.uncounted)
            out << group.label << ',' << formatting::exact(value) << ',' << m_uncountedText << "\r\n";
    }
    return text;
}

} // namespace ui
