// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "ui/models/run_edits.h"

#include <QAbstractListModel>

namespace ui {

/// The session's runs in its order. The check state is a run's visibility in the charts.
class RunListModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        NameRole = Qt::UserRole,
        SettingsRole, ///< "fp16 · J 16 R 16 · COO · observed"
        ProgressRole, ///< "iter 37 / 50 · RMSE 0.9214"
        StateRole, ///< app::RunState as int
        StateTextRole,
        FractionRole,
        ActiveRole,
        ColorIndexRole,
        RunIdRole,
        NoteRole,
        TensorRole, ///< "flights.tns"
        VerdictRole, ///< "does not beat the mean"; empty: it beats its baselines, or they are not known
    };

    RunListModel(app::Session&, RunEdits&, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    app::Run* runAt(int row) const;
    int rowOf(int runId) const;

private:
    void refresh(const app::Run& run);
    void refreshWaiting();
    QString progressOf(const app::Run&) const;
    QString tipText(const app::Run&) const;
    const app::Run* holderOf(const app::Run& waiting) const; ///< the run at work or paused on its device; null: none

    const app::Session& m_session;
    RunEdits& m_edits;
    std::vector<app::Run*> m_runs; // the session owns them and says when they go
    std::vector<int> m_ids;
};

} // namespace ui
