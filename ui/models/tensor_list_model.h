// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

#include <QAbstractListModel>
#include <QTimer>

namespace ui {

/// Open tensors, then those still loading. Rows of loading jobs are refreshed a few times a second.
class TensorListModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        NameRole = Qt::UserRole, ///< "flights.tns"
        DimsRole, ///< "214 × 220 × 24"
        DetailRole, ///< "12 409 entries · density 1.1e-2", or the job's progress
        TensorIdRole, ///< -1 while loading
        LoadingRole,
        FractionRole, ///< of the job; < 0: unknown
    };

    explicit TensorListModel(app::Session&, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    int rowOf(int tensorId) const;
    app::LoadJob* jobAt(int row) const; ///< null for tensors

private:
    QVariant tensorData(const app::OpenTensor&, int role) const;
    QVariant jobData(const app::LoadJob&, int role) const;

    app::Session& m_session;
    std::vector<app::OpenTensorPtr> m_tensors;
    std::vector<app::LoadJob*> m_jobs;
    QTimer m_refresh;
};

} // namespace ui
