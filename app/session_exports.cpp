// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the session that writes files: one thread an export, progress that the window polls, one queued end.
#include "app/messages.h"
#include "app/run_job.h"
#include "app/session.h"
#include "app/session_private.h"
#include "io/file_format.h"
#include "kernels/base/error.h"

#include <QDir>

namespace app {

void Session::exportRun(Run* run, const io::ExportKind& kind, const QString& path)
{
    // What the thread writes is shared here, on the run's own thread; no model is copied.
    if (kind.needs == io::ExportKind::Needs::History)
        return startExport(path, [&kind, history = run->history(), file = path.toStdString()](ExportJob& job) {
            io::ModelFile content;
            content.history = history;
            return ExportEnd{io::exportModel(kind, content, file, job.writing), {}, {}};
        });
    try {
        startExport(path, [&kind, record = run->record(), file = path.toStdString()](ExportJob& job) {
            return ExportEnd{exportRecord(kind, record, file, job.checksum, job.writing), {}, {}};
        });
    } catch (...) {
        exportEnded(path, {{}, {}, messageForCurrentException()});
    }
}

void Session::exportTensor(const OpenTensorPtr& tensor, const QString& path) { exportEntries(tensor, nullptr, path); }

void Session::exportEntries(const OpenTensorPtr& tensor, std::shared_ptr<const kernels::EntryView> view, const QString& path)
{
    startExport(path, [tensor, view = std::move(view), file = path.toStdString()](ExportJob& job) {
        if (!view && !tensor->renamed && tensor->emptyCells() == tensor->tensor.emptyCells)
            return ExportEnd{{file}, io::writeTensor(file, tensor->tensor, {}, job.writing).warnings, {}};
        const kernels::EntryView all(tensor->tensor.entries());
        kernels::SparseTensor content = kernels::gather(tensor->tensor, view ? *view : all, &job.writing);
        content.sorted = !view && tensor->tensor.sorted;
        content.modes = tensor->modes();
        content.emptyCells = tensor->emptyCells();
        return ExportEnd{{file}, io::writeTensor(file, content, {}, job.writing).warnings, {}};
    });
}

void Session::exportBy(const QString& path, std::function<void(kernels::Progress&)> write)
{
    startExport(path, [path, write = std::move(write)](ExportJob& job) {
        write(job.writing);
        return ExportEnd{{path.toStdString()}, {}, {}};
    });
}

std::vector<ExportState> Session::exports() const
{
    std::vector<ExportState> states;
    for (const ExportJob& job : d->exports) {
        const std::uint64_t total = job.writing.total();
        const double fraction = total > 0 ? std::min(1.0, static_cast<double>(job.writing.done()) / static_cast<double>(total)) : -1;
        states.push_back({job.path, fraction});
    }
    return states;
}

void Session::cancelExport(const QString& path)
{
    for (ExportJob& job : d->exports)
        if (job.path == path) {
            job.checksum.cancel();
            job.writing.cancel();
        }
}

void Session::startExport(const QString& path, std::function<ExportEnd(ExportJob&)> work)
{
    ExportJob& job = d->exports.emplace_back();
    job.path = path;
    job.thread = std::thread([this, &job, work = std::move(work)] {
        ExportEnd end;
        try {
            end = work(job);
        } catch (const kernels::Cancelled&) {
            end.cancelled = true;
        } catch (...) {
            end.failure = messageForCurrentException();
        }
        // The session's destructor joins, so it is alive here.
        QMetaObject::invokeMethod(
            this,
            [this, &job, end] {
                job.thread.join();
                const QString written = job.path;
                d->exports.remove_if([&job](const ExportJob& other) { return &other == &job; });
                exportEnded(written, end);
            },
            Qt::QueuedConnection);
    });
}

void Session::exportEnded(const QString& path, const ExportEnd& end)
{
    if (!end.failure.isEmpty()) {
        Q_EMIT logMessage(2, end.failure);
        Q_EMIT exportFailed(path, end.failure);
        return;
    }
    if (end.cancelled) {
        Q_EMIT logMessage(0, tr("Cancelled writing %1").arg(QDir::toNativeSeparators(path)));
        Q_EMIT exportCancelled(path);
        return;
    }
    for (const std::string& file : end.paths)
        Q_EMIT logMessage(0, tr("Wrote %1").arg(QDir::toNativeSeparators(QString::fromStdString(file))));
    QStringList warnings;
    for (const std::string& warning : end.warnings)
        warnings += QString::fromStdString(warning);
    for (const QString& warning : warnings)
        Q_EMIT logMessage(1, warning);
    Q_EMIT exportFinished(path, warnings);
}

} // namespace app
