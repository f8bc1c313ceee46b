// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/column_picture.h"

#include <algorithm>
#include <cmath>

namespace ui {

ColumnPicture::ColumnPicture(const FactorData& data, unsigned mode, unsigned component, bool normalised, ColumnChart chart,
                             const std::vector<kernels::Index>* ranks)
    : m_data(data)
    , m_mode(mode)
    , m_component(component)
    , m_normalised(normalised)
    , m_rows(static_cast<double>(data.model().factors[mode].rows))
    , m_sorted(chart == ColumnChart::Sorted)
{
    if (!m_sorted) {
        addBands(data.column(mode, component));
    } else if (ranks) {
        const bool reversed = data.scale(mode, component, normalised) < 0; // ranks are those of the model's own numbers
        const double step = ranks->size() > 1 ? (m_rows - 1) / static_cast<double>(ranks->size() - 1) : 0;
        for (std::size_t i = 0; i < ranks->size(); ++i)
            addPoint(static_cast<double>(i) * step, (*ranks)[reversed ? ranks->size() - 1 - i : i]);
    }
    if (!(m_high > m_low))
        m_high = m_low + 1;
}

void ColumnPicture::addBands(const kernels::ColumnFacts& facts)
{
    for (std::size_t band = 0; band < facts.bandLow.size(); ++band) {
        const auto [first, second] = std::minmax(facts.bandLow[band], facts.bandHigh[band]);
        addPoint(first, first);
        if (second != first)
            addPoint(second, second);
    }
}

void ColumnPicture::addPoint(double x, kernels::Index row)
{
    const double y = m_data.value(m_mode, m_component, row, m_normalised);
    m_points.emplace_back(x, y);
    m_pointRows.push_back(row);
    if (std::isfinite(y)) {
        m_low = std::min(m_low, y);
        m_high = std::max(m_high, y);
    }
}

std::optional<kernels::Index> ColumnPicture::rowAt(double xBegin, double xEnd) const
{
    if (m_points.empty())
        return {};
    const auto before = [](const QPointF& p, double x) { return p.x() < x; };
    auto at = std::lower_bound(m_points.begin(), m_points.end(), xBegin, before);
    if (at == m_points.end() || (at != m_points.begin() && at->x() >= xEnd && xBegin - (at - 1)->x() < at->x() - xEnd))
        --at; // none inside: the nearest
    for (auto next = at + 1; next != m_points.end() && next->x() < xEnd; ++next)
        if (std::abs(next->y()) > std::abs(at->y()))
            at = next;
    return m_pointRows[static_cast<std::size_t>(at - m_points.begin())];
}

double ColumnPicture::xOf(kernels::Index row) const
{
    if (!m_sorted)
        return row;
    const auto at = std::find(m_pointRows.begin(), m_pointRows.end(), row);
    return at == m_pointRows.end() ? -1 : m_points[static_cast<std::size_t>(at - m_pointRows.begin())].x();
}

} // namespace ui
