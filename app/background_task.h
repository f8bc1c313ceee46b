// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace app {

/// One long step of a page on a thread of its own: progress, cancel, and one end on the owner's thread. Only the newest
/// counts: another start() cancels the one before, whose end is never told. Work must share what it uses, since a thread
/// that was told to stop lives on for a moment.
class BackgroundTask : public QObject {
    Q_OBJECT
public:
    using Work = std::function<void(kernels::Progress&)>; ///< throws kernels::Error for failed(), Cancelled for cancelled()

    struct State {
        double fraction = -1; ///< < 0: unknown
        double secondsLeft = -1; ///< < 0: unknown
    };

    explicit BackgroundTask(QObject* parent = nullptr);
    ~BackgroundTask() override; ///< cancels and waits

    void start(Work work);
    bool isRunning() const { return m_job != nullptr; }
    State state() const; ///< poll it

public Q_SLOTS:
    void cancel(); ///< told at once by cancelled(); what the thread still brings is thrown away

Q_SIGNALS:
    void finished();
    void failed(const QString& sentence);
    void cancelled();

private:
    struct Job;
    void ended(Job* job);
    void drop();

    std::shared_ptr<Job> m_job; ///< null: none is wanted
    std::vector<std::shared_ptr<Job>> m_all; ///< with threads that wind down
};

} // namespace app
