// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/sweep_plan.h"

#include <QAbstractTableModel>

namespace ui {

/// The plan of a sweep: a row for each combination, what is left out grey and with its reason.
class SweepPlanModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    void setPlan(app::SweepPlan plan);
    const app::SweepPlan& plan() const { return m_plan; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    int axisCount() const { return static_cast<int>(m_plan.axes.size()); }
    QString text(int row, int column) const;

    app::SweepPlan m_plan;
    std::vector<int> m_numbers; ///< of the rows that run, from 1; 0: left out
};

/// What a field of a sweep is called in the window.
QString sweepFieldTitle(const app::SweepField&);
/// "45 runs, about 2 min in all (a guess), at most 12 MiB at once; 3 combinations left out"
QString sweepSummary(const app::SweepPlan&);

} // namespace ui
