// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/entry_model.h"

#include "app/label_text.h"
#include "ui/formatting.h"

#include <QStringList>

#include <algorithm>

namespace ui {
namespace {

/// One that the File view of Predict and programs for tables read back.
QString cellOf(const QString& text) { return QString::fromStdString(app::quotedWhereNeeded(text.toStdString())); }

} // namespace

void EntryModel::setTensor(app::OpenTensorPtr tensor)
{
    beginResetModel();
    m_tensor = std::move(tensor);
    m_view.reset();
    m_start = 0;
    endResetModel();
    Q_EMIT pageChanged();
}

void EntryModel::setNames(app::OpenTensorPtr tensor)
{
    m_tensor = std::move(tensor);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

void EntryModel::setView(std::shared_ptr<const kernels::EntryView> view)
{
    beginResetModel();
    m_view = std::move(view);
    m_start = 0;
    endResetModel();
    Q_EMIT pageChanged();
}

quint64 EntryModel::entries() const { return m_view ? m_view->entries() : m_tensor ? m_tensor->tensor.entries() : 0; }
quint64 EntryModel::pageEnd() const { return std::min(m_start + pageSize, entries()); }

void EntryModel::showFrom(quint64 entry)
{
    const quint64 last = entries() > pageSize ? entries() - pageSize : 0;
    beginResetModel();
    m_start = std::min(entry, last);
    endResetModel();
    Q_EMIT pageChanged();
}

kernels::Count EntryModel::entryAt(int row) const
{
    const quint64 shown = m_start + static_cast<quint64>(row);
    return m_view ? (*m_view)[shown] : shown;
}

QString EntryModel::text(const std::vector<int>& rows) const
{
    QStringList lines, cells;
    for (int column = 0; column < columnCount(); ++column)
        cells += cellOf(headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    lines += cells.join(u'\t');
    for (const int row : rows) {
        cells.clear();
        const kernels::Count entry = entryAt(row);
        for (unsigned n = 0; n < m_tensor->tensor.order(); ++n) {
            const auto& labels = m_tensor->modes()[n].labels;
            const kernels::Index at = m_tensor->tensor.indices[n][entry];
            cells += at < labels.size() ? cellOf(QString::fromStdString(labels[at])) : QString::number(quint64{at} + 1);
        }
        cells += formatting::exact(m_tensor->tensor.value(entry));
        lines += cells.join(u'\t');
    }
    return lines.join(u'\n') + u'\n';
}

int EntryModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(pageEnd() - m_start); }

int EntryModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_tensor ? 0 : static_cast<int>(m_tensor->tensor.order()) + 1;
}

QVariant EntryModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const kernels::SparseTensor& tensor = m_tensor->tensor;
    const kernels::Count entry = entryAt(index.row());
    const auto column = static_cast<unsigned>(index.column());
    if (column == tensor.order()) {
        if (role == Qt::TextAlignmentRole)
            return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        if (role == Qt::ToolTipRole)
            return formatting::exact(tensor.value(entry));
        return role == Qt::DisplayRole ? QVariant(formatting::number(tensor.value(entry), 7)) : QVariant();
    }
    const kernels::Mode& mode = m_tensor->modes()[column];
    const kernels::Index at = tensor.indices[column][entry];
    switch (role) {
    case Qt::DisplayRole:
        return at < mode.labels.size() ? QString::fromStdString(mode.labels[at]) : formatting::grouped(quint64{at} + 1);
    case Qt::ToolTipRole:
        return tr("index %1").arg(formatting::grouped(quint64{at} + 1));
    default:
        return {};
    }
}

QVariant EntryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(formatting::grouped(m_start + static_cast<quint64>(section) + 1)) : QVariant();
    if (!m_tensor || section < 0 || section >= columnCount())
        return {};
    const bool value = section == static_cast<int>(m_tensor->tensor.order());
    if (role == Qt::TextAlignmentRole)
        return QVariant((value ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::DisplayRole)
        return value ? tr("value") : QString::fromStdString(m_tensor->modeName(static_cast<unsigned>(section)));
    if (role == Qt::ToolTipRole)
        return value ? tr("Sort by value")
                     : tr("Sort by %1").arg(QString::fromStdString(m_tensor->modeName(static_cast<unsigned>(section))));
    return {};
}

} // namespace ui
