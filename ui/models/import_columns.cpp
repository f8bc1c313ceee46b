// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/import_columns.h"

#include "ui/models/import_choices.h"
#include "ui/models/import_text.h"
#include "ui/theme.h"

namespace ui {

using io::table::ColumnFacts;
using io::table::Kind;

ImportColumns::ImportColumns(const app::TableImport& import, QObject* parent)
    : QAbstractTableModel(parent)
    , m_import(import)
{
    connect(&import, &app::TableImport::surveyed, this, &ImportColumns::take);
    connect(&import, &app::TableImport::recipeChanged, this, [this] {
        if (columnCount() > 0)
            Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    });
}

void ImportColumns::take()
{
    beginResetModel();
    m_survey = m_import.survey() ? *m_import.survey() : io::table::Survey();
    endResetModel();
}

int ImportColumns::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_survey.firstRows.size()); }
int ImportColumns::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_survey.columns.size()); }

QVariant ImportColumns::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto column = static_cast<std::size_t>(index.column());
    const ColumnFacts& facts = m_survey.columns[column];
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
        return QString::fromStdString(m_survey.firstRows[static_cast<std::size_t>(index.row())][column]).simplified();
    if (role == Qt::TextAlignmentRole && (facts.kind == Kind::Whole || facts.kind == Kind::Number))
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ForegroundRole && import_choices::roleOf(m_import.recipe(), facts.name) == ColumnRole::Unused)
        return tokens().muted;
    return {};
}

QVariant ImportColumns::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (section < 0)
        return {};
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    if (section >= columnCount())
        return {};
    const ColumnFacts& facts = m_survey.columns[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(facts.name);
    case Qt::ToolTipRole:
        return factsText(facts, m_survey.isWhole);
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(QString::fromStdString(facts.name), roleText(m_import.recipe(), facts.name));
    case RoleText:
        return roleText(m_import.recipe(), facts.name);
    case Role:
        return static_cast<int>(import_choices::roleOf(m_import.recipe(), facts.name));
    default:
        return {};
    }
}

} // namespace ui
