// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "kernels/base/progress.h"
#include "kernels/tensor/synthetic.h"

#include <QObject>
#include <QStringList>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

namespace app {

/// Thrown by a job's work where the file is a table, and a person is to choose what is made of it.
struct TableFound : std::exception { };

/// Opening or generating one tensor, or reading a session, on a thread of its own. Owned by the session; deletes itself (later)
/// after finished, failed or cancelled.
class LoadJob : public QObject {
    Q_OBJECT
public:
    struct State {
        QString stage; ///< "reading"
        double fraction = -1; ///< of the stage; < 0: unknown
        quint64 done = 0, total = 0; ///< bytes or entries of the stage
        quint64 entries = 0;
        double seconds = 0, secondsLeft = -1;
    };

    const QString& title() const { return m_title; } ///< "flights.tns"
    const QString& path() const { return m_path; } ///< of a tensor's file; empty: it comes in another way
    State state() const; ///< poll it a few times a second
    bool isRunning() const { return m_running; }
    /// What a session's runs wait for, where that is read; else null.
    const OpenTensorPtr& absent() const { return m_absent; }
    /// Where it failed because the file holds several tensors and a person may choose: "/day1", "/day2".
    const QStringList& groups() const { return m_groups; }
    using TakeGroup = std::function<void(const QString& group)>;
    /// Where it failed because the file at path() is a table, and a person chooses what is made of it.
    bool isTable() const { return m_isTable; }
    const TakeGroup& takeGroup() const { return m_takeGroup; } ///< does the same with one of them; outlives the job

public Q_SLOTS:
    void cancel(); ///< at once: what the thread still brings is thrown away

Q_SIGNALS:
    void finished(app::OpenTensorPtr tensor); ///< null where it was no tensor that was read
    void failed(const QString& sentence); ///< the whole sentence: where, found, expected, hint
    void cancelled();

private:
    friend class Session;
    using Work = std::function<std::shared_ptr<OpenTensor>(kernels::Progress&)>;
    LoadJob(QString title, Work work, QObject* parent);
    ~LoadJob() override; ///< cancels and joins
    void start();
    void work(); // on m_thread
    void threadEnded();

    using Clock = std::chrono::steady_clock;
    QString m_title, m_path;
    Work m_work;
    OpenTensorPtr m_absent;
    int m_instead = 0; ///< id of the tensor whose place the new one takes; 0: none
    QString m_name; ///< of the tensor; empty: as it comes
    TakeGroup m_takeGroup; ///< empty: nobody is to be asked
    kernels::Progress m_progress;
    Clock::time_point m_began;
    bool m_running = false;
    // The stage last seen by state(), for the time left.
    mutable const char* m_stage = "";
    mutable Clock::time_point m_stageBegan;
    // Written by the thread, read after it was joined.
    std::shared_ptr<OpenTensor> m_tensor;
    bool m_done = false;
    QString m_failure;
    QStringList m_groups;
    bool m_isTable = false;
    std::thread m_thread;
};

} // namespace app
