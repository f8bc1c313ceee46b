// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/value_table.h"

#include "ui/formatting.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

/// Numbers by size, then text; a cell without either comes last in any order.
bool isLess(const TableCell& a, const TableCell& b)
{
    const bool aNumber = !std::isnan(a.number), bNumber = !std::isnan(b.number);
    if (aNumber && bNumber)
        return a.number < b.number;
    if (aNumber != bNumber)
        return aNumber;
    return QString::localeAwareCompare(a.text, b.text) < 0;
}

} // namespace

TableCell textCell(const QString& text) { return {text, std::numeric_limits<double>::quiet_NaN(), text, {}}; }

TableCell numberCell(double value, const QString& text)
{
    const QString exact = std::isfinite(value) ? formatting::exact(value) : QString();
    return {text, value, exact, exact};
}

TableCell countCell(quint64 count) { return {formatting::grouped(count), static_cast<double>(count), QString::number(count), {}}; }

TableCell indexCell(const kernels::Mode& mode, kernels::Index index)
{
    const QString number = QString::number(quint64{index} + 1);
    const bool labelled = index < mode.labels.size();
    const QString label = labelOf(mode, index);
    return {label, static_cast<double>(index) + 1, labelled ? label : number,
            labelled ? ValueTable::tr("%1 · index %2").arg(label, formatting::grouped(quint64{index} + 1)) : QString()};
}

QString labelOf(const kernels::Mode& mode, kernels::Index index)
{
    return index < mode.labels.size() ? QString::fromStdString(mode.labels[index]) : formatting::grouped(quint64{index} + 1);
}

void ValueTable::setColumns(std::vector<TableColumn> columns)
{
    beginResetModel();
    m_columns = std::move(columns);
    m_rows.clear();
    m_sortColumn = -1;
    endResetModel();
}

void ValueTable::setRows(std::vector<TableRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    sortRows();
    endResetModel();
}

int ValueTable::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }
int ValueTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_columns.size()); }

QVariant ValueTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const TableCell& cell = row(index.row()).cells[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return cell.text;
    case Qt::ToolTipRole:
        return cell.toolTip.isEmpty() ? QVariant() : cell.toolTip;
    case Qt::TextAlignmentRole:
        return headerData(index.column(), Qt::Horizontal, role);
    default:
        return {};
    }
}

QVariant ValueTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    if (section < 0 || section >= columnCount())
        return {};
    const TableColumn& column = m_columns[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        return column.title;
    case Qt::ToolTipRole:
        return column.toolTip.isEmpty() ? QVariant() : column.toolTip;
    case Qt::TextAlignmentRole:
        return QVariant((column.isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::InitialSortOrderRole:
        return QVariant(column.descends ? Qt::DescendingOrder : Qt::AscendingOrder);
    default:
        return {};
    }
}

void ValueTable::sort(int column, Qt::SortOrder order)
{
    m_sortColumn = column;
    m_sortOrder = order;
    beginResetModel(); // a selection would not follow its row: it goes
    sortRows();
    endResetModel();
}

void ValueTable::sortRows()
{
    if (m_sortColumn < 0 || m_sortColumn >= columnCount())
        return;
    const auto column = static_cast<std::size_t>(m_sortColumn);
    const bool descending = m_sortOrder == Qt::DescendingOrder;
    std::stable_sort(m_rows.begin(), m_rows.end(), [&](const TableRow& a, const TableRow& b) {
        const TableCell &left = a.cells[column], &right = b.cells[column];
        const bool numbers = !std::isnan(left.number) && !std::isnan(right.number);
        return descending && (numbers || std::isnan(left.number) == std::isnan(right.number)) ? isLess(right, left) : isLess(left, right);
    });
}

QString ValueTable::csv() const
{
    QStringList lines;
    QStringList head;
    for (const TableColumn& column : m_columns)
        head += formatting::csvCell(column.title);
    lines += head.join(QLatin1Char(','));
    for (const TableRow& row : m_rows) {
        QStringList cells;
        for (const TableCell& cell : row.cells)
            cells += formatting::csvCell(cell.exact.isEmpty() ? cell.text : cell.exact);
        lines += cells.join(QLatin1Char(','));
    }
    return lines.join(QStringLiteral("\r\n")) + QStringLiteral("\r\n");
}

} // namespace ui
