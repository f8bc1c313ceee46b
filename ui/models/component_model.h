// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run.h"
#include "ui/models/factor_data.h"

#include <QAbstractListModel>
#include <QPointer>

namespace ui {

/// The components of a run's model, the heaviest first. Editing one names it; who listens does that, so that it can be undone.
class ComponentModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { ComponentRole = Qt::UserRole };

    using QAbstractListModel::QAbstractListModel;

    void setFactors(FactorDataPtr data, app::Run* run); ///< null: none
    const FactorDataPtr& factors() const { return m_factors; }
    QString name(unsigned component) const; ///< empty: none
    QString title(unsigned component) const; ///< "2 · evening return", "component 2"

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    unsigned componentAt(int row) const { return m_factors->order[static_cast<std::size_t>(row)]; }
    int rowOf(unsigned component) const;

Q_SIGNALS:
    void namingRequested(unsigned component, const QString& name);

private:
    QString spokenText(unsigned component) const;

    FactorDataPtr m_factors;
    QPointer<app::Run> m_run;
};

} // namespace ui
