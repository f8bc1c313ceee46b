// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/component_model.h"

#include "ui/formatting.h"

#include <algorithm>

namespace ui {

void ComponentModel::setFactors(FactorDataPtr data, app::Run* run)
{
    beginResetModel();
    if (m_run)
        m_run->disconnect(this);
    m_factors = std::move(data);
    m_run = run;
    endResetModel();
    if (m_run)
        connect(m_run, &app::Run::componentNamed, this, [this](std::size_t component) {
            const QModelIndex changed = index(rowOf(static_cast<unsigned>(component)));
            Q_EMIT dataChanged(changed, changed);
        });
}

QString ComponentModel::name(unsigned component) const
{
    return m_run && component < m_run->componentNames().size() ? QString::fromStdString(m_run->componentNames()[component]) : QString();
}

QString ComponentModel::title(unsigned component) const
{
    const QString given = name(component);
    const QString number = QString::number(component + 1);
    if (!given.isEmpty())
        return QStringLiteral("%1 · %2").arg(number, given);
    return (m_factors && m_factors->isCp() ? tr("Component %1") : tr("Column %1")).arg(number);
}

int ComponentModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_factors ? 0 : static_cast<int>(m_factors->order.size());
}

int ComponentModel::rowOf(unsigned component) const
{
    if (!m_factors)
        return -1;
    const auto at = std::find(m_factors->order.begin(), m_factors->order.end(), component);
    return at == m_factors->order.end() ? -1 : static_cast<int>(at - m_factors->order.begin());
}

/// What a screen reader says of a card.
QString ComponentModel::spokenText(unsigned component) const
{
    QStringList parts{title(component), tr("weight %1").arg(formatting::number(m_factors->weight(component)))};
    for (unsigned n = 0; n < m_factors->modes(); ++n)
        if (m_factors->has(n, component) && !m_factors->column(n, component).strongest.empty())
            parts += tr("strongest %1: %2")
                         .arg(m_factors->modeName(n), m_factors->rowText(n, m_factors->column(n, component).strongest.front()));
    return parts.join(QStringLiteral(", "));
}

QVariant ComponentModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const unsigned component = componentAt(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return title(component);
    case Qt::EditRole:
        return name(component);
    case ComponentRole:
        return component;
    case Qt::AccessibleTextRole:
        return spokenText(component);
    default:
        return {};
    }
}

bool ComponentModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || role != Qt::EditRole)
        return false;
    const unsigned component = componentAt(index.row());
    const QString wanted = value.toString().simplified();
    if (wanted != name(component))
        Q_EMIT namingRequested(component, wanted);
    return true;
}

Qt::ItemFlags ComponentModel::flags(const QModelIndex& index) const
{
    const bool lasting = m_run && m_run->outcome(); // names are kept with the model a run ends with
    return QAbstractListModel::flags(index) | (index.isValid() && lasting ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

} // namespace ui
