// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/sweep_plan_model.h"

#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/theme.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {
namespace {

QString timeText(const app::SweepRow& row) { return formatting::roughRange(row.range().least, row.range().most); }

} // namespace

void SweepPlanModel::setPlan(app::SweepPlan plan)
{
    beginResetModel();
    m_plan = std::move(plan);
    m_numbers.clear();
    int number = 0;
    for (const app::SweepRow& row : m_plan.rows)
        m_numbers.push_back(row.refusal.isEmpty() ? ++number : 0);
    endResetModel();
}

int SweepPlanModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_plan.rows.size()); }

int SweepPlanModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_plan.axes.empty() ? 0 : axisCount() + 4; // number, axes, memory, time, reason
}

QString SweepPlanModel::text(int rowNumber, int column) const
{
    const app::SweepRow& row = m_plan.rows[static_cast<std::size_t>(rowNumber)];
    const int number = m_numbers[static_cast<std::size_t>(rowNumber)];
    if (column == 0)
        return number > 0 ? formatting::grouped(static_cast<quint64>(number)) : QStringLiteral("–");
    if (column <= axisCount())
        return QString::fromStdString(row.values[static_cast<std::size_t>(column - 1)]);
    if (column == axisCount() + 1)
        return number > 0 && row.needs.bytes > 0 ? formatting::bytes(row.needs.bytes) : QString();
    if (column == axisCount() + 2)
        return number > 0 && row.seconds() > 0 ? timeText(row) : QString();
    return row.refusal;
}

QVariant SweepPlanModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const app::SweepRow& row = m_plan.rows[static_cast<std::size_t>(index.row())];
    const bool reason = index.column() == axisCount() + 3;
    switch (role) {
    case Qt::DisplayRole:
        return text(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((reason ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return row.refusal.isEmpty() ? QVariant() : QVariant(tokens().muted);
    case Qt::ToolTipRole:
        return row.refusal.isEmpty() ? m_plan.rowName(row) : tr("Left out: %1").arg(row.refusal);
    default:
        return {};
    }
}

QVariant SweepPlanModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::TextAlignmentRole))
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == axisCount() + 3 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (section == 0)
        return tr("Run");
    if (section == axisCount() + 1)
        return tr("Memory");
    if (section == axisCount() + 2)
        return tr("Time");
    if (section == axisCount() + 3)
        return tr("Left out because");
    const std::string& field = m_plan.axes[static_cast<std::size_t>(section - 1)].field;
    for (const app::SweepField& each : app::sweepFields({m_plan.rows.empty() ? "fasttucker-plus" : m_plan.rows.front().config.algorithm}))
        if (each.id == field)
            return sweepFieldTitle(each);
    return QString::fromStdString(field);
}

QString sweepFieldTitle(const app::SweepField& field) { return QCoreApplication::translate("sweep", field.label.c_str()); }

QString sweepSummary(const app::SweepPlan& plan)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("SweepPlanModel", text); };
    QString text = runCount(plan.runCount());
    if (plan.seconds() > 0)
        text += (plan.secondsMeasured() ? tr(", about %1 in all, measured") : tr(", about %1 in all, a guess"))
                    .arg(formatting::roughRange(plan.range().least, plan.range().most));
    if (plan.mostBytes() > 0)
        text += tr(", at most %1 at once").arg(formatting::bytes(plan.mostBytes()));
    const std::size_t out = plan.rows.size() - plan.runCount();
    if (out > 0)
        text += out == 1 ? tr("; 1 combination left out") : tr("; %1 combinations left out").arg(formatting::grouped(out));
    return text;
}

} // namespace ui
