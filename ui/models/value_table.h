// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/sparse_tensor.h"

#include <QAbstractTableModel>

#include <limits>
#include <vector>

namespace ui {

/// What a cell shows, what it is sorted by and what goes into files.
struct TableCell {
    QString text;
    double number = std::numeric_limits<double>::quiet_NaN(); ///< NaN: sorted by text, behind all numbers
    QString exact; ///< in CSV; empty: the text
    QString toolTip;
};

TableCell textCell(const QString& text);
TableCell numberCell(double value, const QString& text); ///< all digits in CSV and tooltip
TableCell countCell(quint64 count);
TableCell indexCell(const kernels::Mode&, kernels::Index); ///< its label, or the number from 1; sorted by the number

/// "ORD Chicago, IL" where there are labels, else "480 189", counted from 1.
QString labelOf(const kernels::Mode&, kernels::Index);

struct TableColumn {
    QString title;
    bool isNumber = false; ///< set right
    bool descends = false; ///< sorted from the largest on at the first click
    QString toolTip = {};
};

struct TableRow {
    std::vector<TableCell> cells;
    std::vector<kernels::Index> index; ///< what the row stands for, as its owner means it
};

/// A small table of finished values, sorted by any column: at most some thousand rows.
class ValueTable : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    void setColumns(std::vector<TableColumn> columns);
    void setRows(std::vector<TableRow> rows); ///< sorted as the last click asked
    const TableRow& row(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    const std::vector<TableColumn>& columns() const { return m_columns; }
    QString csv() const; ///< in the order that is shown

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    void sortRows();

    std::vector<TableColumn> m_columns;
    std::vector<TableRow> m_rows;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace ui
