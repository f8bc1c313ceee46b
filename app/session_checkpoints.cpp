// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the session that keeps runs for the case that the process ends before they do.
#include "app/messages.h"
#include "app/run_job.h"
#include "app/session.h"
#include "app/session_private.h"
#include "app/tensor_reference.h"

#include <QFile>

namespace app {
namespace {

InterruptedRun describe(const QString& file, const SavedRun& saved)
{
    const auto seconds = std::chrono::system_clock::to_time_t(saved.started);
    const kernels::RunResult& soFar = saved.checkpoint.soFar;
    return {file, QString::fromStdString(saved.fileName), QDateTime::fromSecsSinceEpoch(seconds), soFar.history.size(),
            soFar.config.stopping.iterations};
}

} // namespace

void Session::keepRunsIn(const QString& folder, double seconds)
{
    d->checkpoints = std::make_unique<CheckpointFolder>(folder);
    d->checkpointSeconds = seconds;
    const CheckpointFolder::Abandoned abandoned = d->checkpoints->takeAbandoned();
    for (const QString& file : abandoned.sessions)
        QMetaObject::invokeMethod( // who wants to know may not be connected yet
            this, [this, file] { Q_EMIT abandonedSessionFound(file); }, Qt::QueuedConnection);
    const QStringList& files = abandoned.checkpoints;
    if (files.isEmpty())
        return;
    // Checkpoints are as large as models: they are read where nobody waits.
    d->search = std::thread([this, files] {
        for (const QString& file : files) {
            InterruptedRun run;
            QString failure;
            try {
                const auto saved = readSavedRun(file.toStdString(), &d->searchProgress);
                run = describe(file, *saved);
            } catch (const kernels::Cancelled&) {
                return;
            } catch (...) {
                failure = messageForCurrentException();
            }
            // The session's destructor joins, so it is alive here.
            QMetaObject::invokeMethod(
                this,
                [this, run, failure] {
                    if (failure.isEmpty())
                        Q_EMIT interruptedRunFound(run);
                    else
                        Q_EMIT logMessage(1, failure);
                },
                Qt::QueuedConnection);
        }
    });
}

QString Session::recoveryFile() { return d->checkpoints ? d->checkpoints->sessionFile() : QString(); }

LoadJob* Session::resumeInterrupted(const InterruptedRun& run)
{
    const int id = ++d->lastTensorId;
    const auto saved = std::make_shared<std::shared_ptr<const SavedRun>>(); // filled by the job's thread before it finishes
    LoadJob* const job = addJob(new LoadJob(
        run.tensorName,
        [id, saved, file = run.file.toStdString()](kernels::Progress& progress) {
            *saved = readSavedRun(file, &progress);
            auto open = openReference((*saved)->source, Statistics::Compute, progress);
            open->id = id;
            kernels::devices(); // begin() checks the run against them, and is not to wait for a driver
            return open;
        },
        this));
    connect(job, &LoadJob::finished, this, [this, saved, file = run.file](const OpenTensorPtr& tensor) {
        try {
            begin((*saved)->checkpoint.soFar.config, tensor, *saved, file);
        } catch (...) {
            Q_EMIT resumptionFailed(messageForCurrentException());
        }
    });
    return job;
}

void Session::discardInterrupted(const InterruptedRun& run)
{
    if (QFile::remove(run.file))
        Q_EMIT logMessage(0, tr("Discarded the checkpoint of a run on %1").arg(run.tensorName));
    else
        Q_EMIT logMessage(1, tr("%1 could not be removed").arg(run.file));
}

void Session::interruptRuns()
{
    const std::vector<Run*> runs = m_runs; // who is told of a stop may remove some
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) { // those that wait first: none is to begin
        (*run)->m_box->interrupted = true;
        (*run)->stop();
    }
}

/// A tensor that no other process could open again is not worth it.
void Session::makeSafe(RunBox& box, int runId, std::shared_ptr<const SavedRun> from, const QString& file)
{
    box.safety.from = std::move(from);
    box.safety.keepsEnd = true;
    if (!d->checkpoints)
        return;
    box.safety.source = referenceTo(*box.tensor);
    if (box.safety.source.empty())
        return;
    box.safety.plan.file = (file.isEmpty() ? d->checkpoints->fileFor(runId) : file).toStdString();
    if (box.safety.plan.file.empty())
        Q_EMIT logMessage(1, tr("Run %1 is not kept while it goes: %2 cannot be written").arg(runId).arg(d->checkpoints->root()));
    box.safety.plan.seconds = d->checkpointSeconds;
    box.safety.plan.atEnd = false; // a run that ends has its result in the list
    box.safety.warn = [&box](const std::string& sentence) {
        const std::lock_guard lock(box.mutex);
        box.warnings.push_back(QString::fromStdString(sentence));
    };
}

} // namespace app
