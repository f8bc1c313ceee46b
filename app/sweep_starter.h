// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "app/sweep_plan.h"

#include <QObject>
#include <QTimer>

#include <deque>

namespace app {

/// Puts the runs of a plan into the session's queue, some at a time, so that a sweep of hundreds of runs does not hold the window up.
class SweepStarter : public QObject {
    Q_OBJECT
public:
    explicit SweepStarter(Session& session, QObject* parent = nullptr);

    /// All rows that can run, in their order and under their names. shown: whether charts show them from the start.
    void start(const SweepPlan& plan, const OpenTensorPtr& tensor, Turn turn, bool shown);
    bool isStarting() const { return !m_rows.empty(); }
    void cancel(); ///< no more of them

Q_SIGNALS:
    void failed(const QString& sentence); ///< a run that was refused; the others go on

private:
    struct Row {
        kernels::RunConfig config;
        QString name;
        OpenTensorPtr tensor;
        Turn turn;
        bool shown;
    };
    void startSome();

    Session& m_session;
    std::deque<Row> m_rows;
    QTimer m_timer;
};

} // namespace app
