// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the session that keeps it in a file and brings it back.
#include "app/formatting.h"
#include "app/messages.h"
#include "app/session.h"
#include "app/session_private.h"
#include "app/session_store.h"
#include "app/tensor_reference.h"
#include "io/error.h"
#include "io/input_stream.h"
#include "kernels/base/error.h"

#include <QFileInfo>

#include <algorithm>
#include <map>
#include <optional>

namespace app {

void Session::save(const QString& path, const QString& window)
{
    SessionSnapshot snapshot{m_tensors, {}, window.toStdString()};
    for (const Run* run : m_runs)
        snapshot.runs.push_back(run->snapshot());
    startExport(path, [snapshot = std::move(snapshot), file = path.toStdString()](ExportJob& job) {
        io::writeSession(file, toSessionFile(snapshot), &job.writing);
        return ExportEnd{{file}, {}, {}};
    });
}

LoadJob* Session::openSession(const QString& path, Opening opening)
{
    const auto content = std::make_shared<SessionContent>(); // filled by the job's thread before it finishes
    LoadJob* const job = addJob(new LoadJob(
        QString::fromStdString(io::fileNameOf(path.toStdString())),
        [content, file = path.toStdString()](kernels::Progress& progress) {
            *content = fromSessionFile(io::readSession(file, &progress));
            return nullptr;
        },
        this));
    // What is begun while the file is read stays.
    std::vector<int> runs;
    for (const Run* each : m_runs)
        runs.push_back(each->id());
    const std::vector<OpenTensorPtr> tensors = m_tensors;
    connect(job, &LoadJob::finished, this, [this, content, path, opening, runs, tensors] {
        if (opening == Opening::Replaces) {
            for (const int id : runs)
                if (Run* const old = run(id))
                    removeRun(old);
            for (const OpenTensorPtr& tensor : tensors)
                closeTensor(tensor->id);
        }
        const QString window = QString::fromStdString(content->window);
        const int leftOut = bringRuns(std::move(*content), path);
        Q_EMIT sessionOpened(path, window, leftOut);
    });
    return job;
}

void Session::closeAll()
{
    const std::vector<LoadJob*> loading = m_jobs;
    for (LoadJob* job : loading)
        job->cancel();
    while (!m_runs.empty())
        removeRun(m_runs.back());
    while (!d->aside.empty())
        letGo(d->aside.back().run->id());
    while (!m_tensors.empty())
        closeTensor(m_tensors.back()->id);
}

int Session::bringRuns(SessionContent&& content, const QString& file)
{
    int leftOut = 0;
    d->brought.clear();
    for (const SessionContent::Tensor& each : content.tensors)
        each.tensor->id = ++d->lastTensorId;
    for (SessionContent::KeptRun& each : content.runs) {
        if (!each.run) {
            ++leftOut;
            Q_EMIT logMessage(1, tr("%1 is left out: %2").arg(each.name, each.refusal));
            continue;
        }
        auto* run = new Run(++d->lastRunId, std::move(*each.run), this);
        d->brought[each.idInFile] = run->id();
        add(run);
        Q_EMIT runAdded(run);
    }
    for (const SessionContent::Tensor& each : content.tensors)
        bringTensor(each.tensor, QFileInfo(file).absolutePath());
    return leftOut;
}

Run* Session::broughtRun(int idInFile) const
{
    const auto at = d->brought.find(idInFile);
    return at == d->brought.end() ? nullptr : run(at->second);
}

namespace {

bool isSame(const OpenTensor& open, const OpenTensor& absent)
{
    return open.tensor.dims() == absent.tensor.dims() && open.tensor.entries() == absent.absentEntries;
}

std::string sizesText(const std::vector<kernels::Index>& dims, kernels::Count entries)
{
    return (formatting::dims(dims) + QStringLiteral(", ") + formatting::grouped(entries) + QStringLiteral(" entries")).toStdString();
}

} // namespace

void Session::bringTensor(const OpenTensorPtr& absent, const QString& folder)
{
    if (absent->isLearnt)
        return;
    if (absent->absentSource.empty()) {
        Q_EMIT logMessage(1, tr("%1 was made in memory and is not in the session's file; its runs are").arg(absent->name));
        return;
    }
    auto* job = new LoadJob(
        absent->name,
        [absent, otherId = ++d->lastTensorId, folder = folder.toStdString()](kernels::Progress& progress) {
            const std::string near = foundNear(absent->absentSource, folder);
            auto open = openReference(near, Statistics::Compute, progress);
            const bool same = isSame(*open, *absent);
            if (!same && fileOf(near) != fileOf(absent->absentSource)) // the guess was wrong
                open = openReference(absent->absentSource, Statistics::Compute, progress);
            if (!same) // another one stands there by now: the runs are not of it
                open->report.warnings.push_back("not the tensor that the session's runs are of: sizes or entries differ");
            open->id = same ? absent->id : otherId;
            if (same)
                open->name = absent->name;
            return open;
        },
        this);
    job->m_absent = absent;
    addJob(job);
}

LoadJob* Session::bringFrom(const OpenTensorPtr& absent, const QString& path)
{
    auto* job = new LoadJob(
        absent->name,
        [absent, file = path.toStdString()](kernels::Progress& progress) {
            auto open = openReference(movedTo(absent->absentSource, file), Statistics::Compute, progress);
            if (!isSame(*open, *absent))
                throw io::Error({"is not the tensor that the runs are of",
                                 file,
                                 sizesText(open->tensor.dims(), open->tensor.entries()),
                                 sizesText(absent->tensor.dims(), absent->absentEntries),
                                 {}});
            open->id = absent->id;
            open->name = absent->name;
            return open;
        },
        this);
    job->m_absent = absent;
    return addJob(job);
}

} // namespace app
