// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the session that teaches a run's model what has arrived since.
#include "app/formatting.h"
#include "app/messages.h"
#include "app/model_update.h"
#include "app/session.h"
#include "app/session_private.h"
#include "app/session_store.h"
#include "app/watched_folder.h"
#include "io/input_stream.h"
#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"

#include <chrono>
#include <optional>
#include <thread>

namespace app {
namespace {

/// Asks a computation to stop when its job is cancelled.
class StopOnCancel {
public:
    StopOnCancel(const kernels::Progress& progress, kernels::RunControl& control)
        : m_thread([&progress, &control](const std::stop_token& over) {
            constexpr std::chrono::milliseconds between{30};
            while (!over.stop_requested() && !progress.cancelled())
                std::this_thread::sleep_for(between);
            if (progress.cancelled())
                control.stop();
        })
    {
    }

private:
    std::jthread m_thread;
};

QString addition(const std::vector<io::UpdateRecord>& updates)
{
    return updates.size() == 1 ? QStringLiteral(" + ") + QString::fromStdString(updates.front().fileName)
                               : Session::tr(" + %1 files").arg(updates.size());
}

/// "Run 1 + monday.tns", then "Run 1 + 2 files". One that grows and is called otherwise by now stays so.
QString nameOf(QString run, std::vector<io::UpdateRecord> updates, bool grows)
{
    const QString now = addition(updates);
    updates.pop_back();
    const bool told = !updates.empty() && run.endsWith(addition(updates));
    if (told)
        run.chop(addition(updates).size());
    return told || !grows ? run + now : run;
}

/// What the job's thread leaves.
struct Updated {
    RunSnapshot run;
    QString told;
    std::optional<QString> known; ///< why nothing was learnt; empty: nobody needs to be told
};

/// Of the file that the run was made from, so that it is known when it comes again. A pass over it, once.
void addChecksum(io::InputDescription& input, const OpenTensor& tensor, kernels::Progress& progress)
{
    if (!input.sha256.empty() || !tensor.checksum)
        return;
    try {
        input.sha256 = tensor.checksum->get(progress);
    } catch (const kernels::Error&) { // the file is another one by now, or gone: nobody can tell
    }
}

std::optional<QString> whyKnown(const io::ModelFile& content, const Batch& batch, bool unasked)
{
    if (!unasked) {
        const auto repeated = repetition(content, batch);
        return repeated ? std::optional(messageFor(kernels::Error(kernels::ErrorKind::BadInput, *repeated))) : std::nullopt;
    }
    const auto reason = whyNotLearnt(content, batch);
    if (!reason)
        return std::nullopt;
    return reason->isWorthTelling ? QString::fromStdString(reason->sentence) : QString();
}

/// The run as it is with the file, or why it knows that already.
Updated learn(const RunRecord& record, const QString& name, const NewData& data, int tensorId, kernels::Progress& progress)
{
    io::ModelFile content = describeRun(record);
    content.model = record.outcome->result.best;
    content.kept = record.outcome->result.kept;
    kernels::ntf::requireOnline(content.model, content.config);
    const auto open = openBatch(content, data.path.toStdString(), {}, progress);
    Batch batch = batchFor(content, *open);
    batch.sha256 = open->checksum->get(progress);
    addChecksum(content.input, *record.tensor, progress);
    Updated updated;
    updated.known = data.again ? std::nullopt : whyKnown(content, batch, data.unasked);
    if (updated.known)
        return updated;
    progress.begin("learning", 0);
    kernels::RunControl control;
    const StopOnCancel watch(progress, control);
    const io::UpdateRecord update = updateModel(content, batch, {}, nullptr, control);
    progress.throwIfCancelled();
    updated.told =
        Session::tr("%1 entries of %2 learnt, new rows: %3")
            .arg(formatting::grouped(update.entries), QString::fromStdString(update.fileName), formatting::grouped(update.newRows));
    const kernels::Count entries = record.tensor->isHere ? record.tensor->tensor.entries() : record.tensor->absentEntries;
    const auto tensor =
        absentTensor({0, record.tensor->name.toStdString(), "", content.model.dims, entries + update.entries}, content.modes);
    tensor->id = tensorId;
    io::SessionRun kept;
    kept.name = nameOf(name, content.updates, data.growsRun).toStdString();
    kept.file = std::move(content);
    updated.run = snapshotOf(std::move(kept), tensor);
    return updated;
}

} // namespace

QString Session::whyNotLearning(const Run& run)
{
    if (run.config().algorithm != kernels::ntf::algorithmId)
        return tr("Only runs of %1 take new data.").arg(QString::fromStdString(kernels::algorithm(kernels::ntf::algorithmId).title));
    if (run.isActive())
        return tr("Wait until the run has ended.");
    if (!run.outcome() || !run.outcome()->result.kept)
        return tr("The run has no sums that new data could be added to: it failed, was stopped in the middle of an iteration, or is "
                  "older than they are.");
    return {};
}

LoadJob* Session::addData(const Run* learner, const NewData& data)
{
    const auto updated = std::make_shared<Updated>(); // filled by the job's thread before it finishes
    const int tensorId = ++d->lastTensorId;
    LoadJob* const job = addJob(new LoadJob(
        QString::fromStdString(io::fileNameOf(data.path.toStdString())),
        [record = learner->record(), name = learner->name(), data, updated, tensorId](kernels::Progress& progress) {
            *updated = learn(record, name, data, tensorId, progress);
            return nullptr;
        },
        this));
    connect(job, &LoadJob::finished, this, [this, updated, data, id = learner->id(), name = learner->name()] {
        Run* const asked = run(id);
        if (updated->known) {
            if (!updated->known->isEmpty())
                Q_EMIT logMessage(1, (asked ? asked->name() : name) + QStringLiteral(": ") + *updated->known);
            if (asked)
                Q_EMIT runKnows(asked, data, *updated->known);
            return;
        }
        if (data.growsRun && !asked) // it was removed meanwhile
            return;
        Run* result = asked;
        if (data.growsRun) {
            if (asked->name() == name) // else a person calls it otherwise by now
                asked->setName(updated->run.name);
            asked->become(std::move(updated->run));
            Q_EMIT runTensorCame(asked);
        } else {
            updated->run.color = smallestFreeColor(everyRun());
            result = new Run(++d->lastRunId, std::move(updated->run), this);
            add(result);
            Q_EMIT runAdded(result);
        }
        Q_EMIT logMessage(0, result->name() + QStringLiteral(": ") + updated->told);
        Q_EMIT runLearnt(result, data, updated->told);
    });
    return job;
}

} // namespace app
