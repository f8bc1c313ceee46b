// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/factor_data.h"

#include <QPointF>

#include <optional>
#include <vector>

namespace ui {

enum class ColumnChart { Line, Bars, Sorted };

/// The points one column is drawn from: of each band of rows the smallest and the largest, or (sorted) rows at even ranks.
class ColumnPicture {
public:
    /// ranks: the column's rows at even ranks for ColumnChart::Sorted, null while they are not known: then there are no points.
    ColumnPicture(const FactorData&, unsigned mode, unsigned component, bool normalised, ColumnChart,
                  const std::vector<kernels::Index>* ranks);

    const std::vector<QPointF>& points() const { return m_points; } ///< x: row or rank, from 0
    double rows() const { return m_rows; } ///< the x axis is −0.5 … rows − 0.5
    double low() const { return m_low; } ///< the y axis, with 0
    double high() const { return m_high; }

    /// The row that a pixel column stands for: of all it covers the one of the largest magnitude.
    std::optional<kernels::Index> rowAt(double xBegin, double xEnd) const;
    double xOf(kernels::Index row) const; ///< < 0: not drawn by itself (sorted)

private:
    void addBands(const kernels::ColumnFacts&);
    void addPoint(double x, kernels::Index row);

    const FactorData& m_data;
    unsigned m_mode, m_component;
    bool m_normalised;
    std::vector<QPointF> m_points;
    std::vector<kernels::Index> m_pointRows;
    double m_rows = 1, m_low = 0, m_high = 0;
    bool m_sorted;
};

} // namespace ui
