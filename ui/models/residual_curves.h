// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_entries.h"
#include "ui/models/value_table.h"

#include <QPointF>

#include <memory>
#include <vector>

/// What the residual view draws and lists, from what was computed.
namespace ui {

enum class ResidualPart { Test, Train, Both };

using CurvePoints = std::shared_ptr<const std::vector<QPointF>>;

/// The range that most residuals lie in, in bins of a width that a person can look at.
struct ResidualRange {
    double low = 0, high = 1, width = 1;
    double outside = 0; ///< share of the entries
};
ResidualRange residualRange(const app::RunResiduals&);

/// Share of a part's entries in each bin of the range, as the outline of its bars; empty for a part without entries.
CurvePoints histogramOutline(const kernels::PartResiduals&, const ResidualRange&);

/// One mode's slices of the parts that are shown.
std::vector<kernels::ResidualSums> sliceSums(const app::RunResiduals&, ResidualPart, unsigned mode);
/// A point an index, counted from 1; slices without entries have none.
CurvePoints sliceCurve(const std::vector<kernels::ResidualSums>&, double (kernels::ResidualSums::*number)() const);

std::vector<TableColumn> sliceColumns(const QString& modeName);
/// The worst by RMSE, by bias and by squared error, `most` each, every slice once.
std::vector<TableRow> sliceRows(const std::vector<kernels::ResidualSums>&, const kernels::Mode&, std::size_t most);

/// residual, x, x̂, the modes, the part.
std::vector<TableColumn> worstColumns(const std::vector<kernels::Mode>&);
std::vector<TableRow> worstRows(const app::RunResiduals&, ResidualPart, const std::vector<kernels::Mode>&);

} // namespace ui
