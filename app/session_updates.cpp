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
#include "app/tensor_reference.h"
#include "app/watched_folder.h"
#include "io/input_stream.h"
#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/operations/evaluate.h"

#include <QPointer>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
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

/// The GPU that a run was on, since a person named it for that one: for as long as passes are made there, if nothing else is on it or waits
/// for it.
class GpuTurn {
public:
    GpuTurn(DeviceTurns& turns, const io::ModelFile& content)
        : m_turns(turns)
    {
        for (const kernels::DeviceInfo& info : kernels::devices())
            if (info.id.kind != kernels::DeviceKind::Cpu && info.problem.empty() && !content.config.devices.empty()
                && info.id == content.config.devices.front())
                m_taken = {info.id};
        if (!m_taken.empty() && !m_turns.take(this, m_taken)) {
            m_turns.withdraw(this);
            m_taken.clear();
        }
    }
    ~GpuTurn() { m_turns.give(m_taken); }
    GpuTurn(const GpuTurn&) = delete;
    GpuTurn& operator=(const GpuTurn&) = delete;

    UpdateSettings settings() const
    {
        UpdateSettings settings;
        settings.otherwiseCpu = true;
        if (!m_taken.empty())
            settings.devices = m_taken;
        return settings;
    }

private:
    DeviceTurns& m_turns;
    std::vector<kernels::DeviceId> m_taken;
};

/// Passes alone bring none.
std::vector<std::string> filesOf(const std::vector<io::UpdateRecord>& updates)
{
    std::vector<std::string> files;
    for (const io::UpdateRecord& update : updates)
        if (!update.fileName.empty())
            files.push_back(update.fileName);
    return files;
}

QString addition(const std::vector<io::UpdateRecord>& updates)
{
    const std::vector<std::string> files = filesOf(updates);
    return files.size() == 1 ? QStringLiteral(" + ") + QString::fromStdString(files.front()) : Session::tr(" + %1 files").arg(files.size());
}

/// "Run 1 + monday.tns", then "Run 1 + 2 files". One that grows and is called otherwise by now stays so.
QString nameOf(QString run, std::vector<io::UpdateRecord> updates, bool grows)
{
    const QString now = addition(updates);
    updates.pop_back();
    const bool told = !filesOf(updates).empty() && run.endsWith(addition(updates));
    if (told)
        run.chop(addition(updates).size());
    return told || !grows ? run + now : run;
}

} // namespace

OpenTensorPtr withBeginning(const OpenTensor& learnt, OpenTensorPtr beginning)
{
    const auto same = std::make_shared<OpenTensor>(learnt);
    same->madeFrom = std::move(beginning);
    return same;
}

/// What the job's thread leaves.
struct Updated {
    RunSnapshot run;
    QString told, passDue; ///< passDue: empty where no pass over old entries is
    QStringList warnings; ///< of reading
    std::shared_ptr<const FileChecksum> checksum; ///< of the file that was learnt; null: passes
    std::optional<QString> known; ///< why nothing was learnt; empty: nobody needs to be told
};

namespace {

/// What the run was made from; null: not known. Its entries may not be here, of a session whose tensors are still being read.
OpenTensorPtr beginningOf(const RunRecord& record) { return record.tensor->isLearnt ? record.tensor->madeFrom : record.tensor; }

/// As the run's own tensor was read. Where indices count from is the file's to say.
io::ReadOptions optionsFor(const RunRecord& record)
{
    io::ReadOptions options;
    options.duplicates = record.tensor->readOptions.duplicates;
    options.keepZeros = record.tensor->readOptions.keepZeros;
    options.doubleValues = record.tensor->readOptions.doubleValues;
    options.emptyCells = record.tensor->emptyCells();
    return options;
}

/// Of the file that the run was made from, where the new one could be it: a pass over it, once.
void addChecksum(io::InputDescription& input, const OpenTensorPtr& beginning, const OpenTensor& fresh, kernels::Progress& progress)
{
    if (!input.sha256.empty() || !beginning || !beginning->checksum || beginning->report.fileBytes != fresh.report.fileBytes)
        return;
    try {
        input.sha256 = beginning->checksum->get(progress);
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

/// The row of the batch has its errors on the run's test entries, too, where those are at hand: what it is compared by.
void judge(io::ModelFile& content, const OpenTensorPtr& beginning, TrainTestCache& cache, kernels::Progress& progress,
           kernels::RunControl& control)
{
    if (!beginning || !beginning->isHere)
        return;
    const TrainTest parts = cache.get(beginning, content.config, progress);
    if (!parts.test || parts.test->entries() == 0)
        return;
    kernels::SparseTensor test = *parts.test;
    for (unsigned n = 0; n < test.order(); ++n)
        test.modes[n].size = content.model.dims[n];
    const kernels::ErrorSums sums = kernels::evaluateModel(content.model, test, control);
    content.history.back().testRmse = sums.rmse();
    content.history.back().testMae = sums.mae();
}

QString notJudged(const QString& name, const QString& why)
{
    return Session::tr("%1: not judged by the run's test entries: %2").arg(name, why);
}

/// What was learnt is learnt, also where nothing judges it, such as a test file that is gone: then that is told.
QStringList judgeOrTell(io::ModelFile& content, const QString& name, const OpenTensorPtr& beginning, TrainTestCache& cache,
                        kernels::Progress& progress, kernels::RunControl& control)
{
    try {
        judge(content, beginning, cache, progress, control);
    } catch (const std::exception& error) {
        return {notJudged(name, messageFor(error))};
    }
    return {};
}

QString toldOf(const io::UpdateRecord& update, double drift)
{
    QString told = Session::tr("%1 entries of %2 learnt, new rows: %3; their RMSE is %4")
                       .arg(formatting::grouped(update.entries), QString::fromStdString(update.fileName),
                            formatting::grouped(update.newRows), formatting::metric(update.rmseAfter));
    if (std::isfinite(update.rmseBefore))
        told += Session::tr(", before %1").arg(formatting::metric(update.rmseBefore));
    if (drift > worthAPass)
        told += Session::tr("; %1 of all entries came since the last pass over them").arg(formatting::percent(drift, 0));
    return told;
}

/// What a run's model goes on from.
io::ModelFile contentOf(const RunRecord& record)
{
    io::ModelFile content = describeRun(record);
    content.model = record.outcome->result.best;
    content.kept = record.outcome->result.kept;
    content.telemetry.clear(); // it is the other run's
    kernels::ntf::requireOnline(content.model, content.config);
    return content;
}

/// The run that has learnt it all: without entries.
RunSnapshot learntRun(const RunRecord& record, io::ModelFile content, const QString& name, kernels::Count newEntries, int tensorId)
{
    const kernels::Count entries = record.tensor->entryCount();
    const auto tensor = absentTensor(
        {0, record.tensor->name.toStdString(), referenceToLearnt({optionsFor(record)}), content.model.dims, entries + newEntries},
        content.modes);
    tensor->id = tensorId;
    tensor->madeFrom = beginningOf(record);
    io::SessionRun kept;
    kept.name = name.toStdString();
    kept.file = std::move(content);
    return snapshotOf(std::move(kept), tensor);
}

/// The run as it is with the file, or why it knows that already.
Updated learn(const RunRecord& record, const QString& name, const NewData& data, int tensorId, TrainTestCache& cache,
              kernels::Progress& progress)
{
    io::ModelFile content = contentOf(record);
    const OpenTensorPtr beginning = beginningOf(record);
    const auto open = openTensorLike(content, data.path.toStdString(), optionsFor(record), progress);
    Batch batch = batchFor(content, *open);
    batch.sha256 = open->checksum->get(progress);
    Updated updated;
    for (const std::string& warning : open->report.warnings)
        updated.warnings += open->name + QStringLiteral(": ") + QString::fromStdString(warning);
    if (!data.again) {
        addChecksum(content.input, beginning, *open, progress);
        updated.known = whyKnown(content, batch, data.unasked);
        if (updated.known)
            return updated;
    }
    progress.begin("learning", 0);
    kernels::RunControl control;
    const StopOnCancel watch(progress, control);
    const double driftBefore = driftOf(content);
    const io::UpdateRecord update = updateModel(content, batch, {}, nullptr, control);
    updated.warnings += judgeOrTell(content, name, beginning, cache, progress, control);
    progress.throwIfCancelled();
    const double drift = driftOf(content);
    updated.told = toldOf(update, drift);
    if (drift > worthAPass && driftBefore <= worthAPass)
        updated.passDue = Session::tr("More than a tenth of its entries came since the last pass over all of them, and what it kept of the "
                                      "old ones gets older: let it pass over all entries.");
    const QString named = nameOf(name, content.updates, data.growsRun);
    updated.run = learntRun(record, std::move(content), named, update.entries, tensorId);
    updated.checksum = open->checksum;
    return updated;
}

/// The run as it is after passes over the entries it was made from and those of all files it has learnt.
Updated passedOver(const RunRecord& record, const QString& name, const QStringList& files, int tensorId, DeviceTurns& turns,
                   kernels::Progress& progress)
{
    io::ModelFile content = contentOf(record);
    std::vector<OpenTensorPtr> batches;
    for (const QString& file : files)
        batches.push_back(openTensorLike(content, file.toStdString(), optionsFor(record), progress));
    OldEntries old = oldEntriesFor(content, beginningOf(record), std::move(batches), progress);
    kernels::RunControl control;
    const StopOnCancel watch(progress, control);
    const io::UpdateRecord update = [&] {
        const GpuTurn turn(turns, content);
        return updateModel(content, noBatch(content), turn.settings(), &old, control, &progress);
    }();
    Updated updated;
    if (!old.untested.empty())
        updated.warnings += notJudged(name, QString::fromStdString(old.untested));
    progress.throwIfCancelled();
    const kernels::IterationRecord& row = content.history.back();
    updated.told = update.passes == 0
        ? Session::tr("No pass over all entries told the test entries better, so the rows stay as they were and their sums are exact "
                      "again: RMSE of training %1")
              .arg(formatting::metric(row.trainRmse))
        : Session::tr("%1 passes over all entries: RMSE of training %2")
              .arg(formatting::grouped(update.passes), formatting::metric(row.trainRmse));
    if (std::isfinite(row.testRmse))
        updated.told += Session::tr(", of test %1").arg(formatting::metric(row.testRmse));
    if (update.passes > 0 && update.passes < UpdateSettings().passes)
        updated.told += Session::tr("; one more told the test entries no better and was undone");
    updated.run = learntRun(record, std::move(content), name, 0, tensorId);
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
                  "older than they are. Run it again to its end.");
    return {};
}

bool Session::isLearning() const { return !d->learning.empty(); }

LoadJob* Session::addData(const Run* learner, const NewData& data)
{
    QString whyNot = whyNotLearning(*learner);
    if (whyNot.isEmpty() && data.growsRun && isGrowing(*learner))
        whyNot = tr("Another file is being added to it.");
    if (!whyNot.isEmpty())
        throw kernels::Error(kernels::ErrorKind::BadArgument, (learner->name() + QStringLiteral(": ") + whyNot).toStdString());
    const int tensorId = ++d->lastTensorId;
    LoadJob* const job = teach(learner, data, QString::fromStdString(io::fileNameOf(data.path.toStdString())),
                               [record = learner->record(), name = learner->name(), data, tensorId, cache = &d->cache](
                                   kernels::Progress& progress) { return learn(record, name, data, tensorId, *cache, progress); });
    if (!data.unasked)
        job->m_takeGroup = [this, run = QPointer(learner), data](const QString& group) {
            NewData one = data;
            one.path = withGroup(data.path, group);
            if (run && whyNotLearning(*run).isEmpty()) // it may be gone by now, or going on
                addData(run, one);
        };
    return job;
}

bool Session::isGrowing(const Run& run) const { return d->grows(run); }

QString Session::whyNoPasses(const Run& run) const
{
    const QString whyNot = whyNotLearning(run);
    if (!whyNot.isEmpty())
        return whyNot;
    if (isGrowing(run))
        return tr("Wait until what is being added to it is learnt.");
    if (run.tensor()->isHere || !run.tensor()->isLearnt)
        return tr("It has learnt no files: continue it with more iterations instead.");
    if (!beginningOf(run.record()) || !beginningOf(run.record())->isHere)
        return tr("The tensor that it was made from has not been read in this session.");
    return {};
}

QStringList Session::learntFiles(const Run& run) const
{
    QStringList names;
    for (const std::string& name : filesOf(describeRun(run.record()).updates))
        names += QString::fromStdString(name);
    return names;
}

QStringList Session::knownFiles(const Run& run) const
{
    const auto known = d->learntFrom.find(run.id());
    if (known == d->learntFrom.end() || std::ssize(known->second) != learntFiles(run).size())
        return {};
    QStringList files;
    for (const Private::LearntFile& each : known->second) {
        if (!each.checksum->isAsRead())
            return {};
        files += each.path;
    }
    return files;
}

LoadJob* Session::passOver(const Run* learner, const QStringList& files)
{
    const QString whyNot = whyNoPasses(*learner);
    if (!whyNot.isEmpty())
        throw kernels::Error(kernels::ErrorKind::BadArgument, (learner->name() + QStringLiteral(": ") + whyNot).toStdString());
    const int tensorId = ++d->lastTensorId;
    return teach(learner, {{}, false, true, false}, tr("%1, all entries").arg(learner->name()),
                 [record = learner->record(), name = learner->name(), files, tensorId, &turns = d->turns](kernels::Progress& progress) {
                     return passedOver(record, name, files, tensorId, turns, progress);
                 });
}

LoadJob* Session::teach(const Run* learner, const NewData& data, const QString& title, std::function<Updated(kernels::Progress&)> work)
{
    const int id = learner->id();
    const auto updated = std::make_shared<Updated>(); // filled by the job's thread before it finishes
    auto* const job = new LoadJob(
        title,
        [updated, work = std::move(work)](kernels::Progress& progress) {
            *updated = work(progress);
            return nullptr;
        },
        this);
    d->learning.push_back({job, id, data.growsRun});
    const auto over = [this, job] { std::erase_if(d->learning, [job](const Private::Learning& each) { return each.job == job; }); };
    connect(job, &LoadJob::failed, this, over);
    connect(job, &LoadJob::cancelled, this, over);
    connect(learner, &QObject::destroyed, job, &LoadJob::cancel); // with its session, say
    connect(job, &LoadJob::finished, this, [this, over, updated, data, id, name = learner->name()] {
        over();
        const std::vector<Run*> all = everyRun();
        const auto at = std::find_if(all.begin(), all.end(), [id](const Run* each) { return each->id() == id; });
        if (at != all.end()) // else it went with its session
            takeLearnt(*at, *updated, data, name);
    });
    return addJob(job);
}

void Session::takeLearnt(Run* learner, Updated& updated, const NewData& data, const QString& name)
{
    const bool aside = run(learner->id()) == nullptr; // removed, and may be put back
    if (updated.known) {
        if (!updated.known->isEmpty())
            Q_EMIT logMessage(1, learner->name() + QStringLiteral(": ") + *updated.known);
        if (!aside)
            Q_EMIT runKnows(learner, data, *updated.known);
        return;
    }
    OpenTensorPtr& learnt = updated.run.record.tensor;
    if (const auto come = learnt->madeFrom ? tensor(learnt->madeFrom->id) : nullptr) // while the file was being learnt
        learnt = withBeginning(*learnt, come);
    Run* result = learner;
    if (data.growsRun) {
        if (learner->name() == name) // else a person calls it otherwise by now
            learner->setName(updated.run.name);
        learner->become(std::move(updated.run));
        if (!aside)
            Q_EMIT runTensorCame(learner);
    } else {
        updated.run.color = smallestFreeColor(everyRun());
        result = new Run(++d->lastRunId, std::move(updated.run), this);
        add(result);
        Q_EMIT runAdded(result);
    }
    Q_EMIT logMessage(0, result->name() + QStringLiteral(": ") + updated.told);
    QStringList warnings = updated.warnings;
    for (const QString& warning : warnings)
        Q_EMIT logMessage(1, result->name() + QStringLiteral(": ") + warning);
    if (!data.path.isEmpty()) {
        auto files = d->learntFrom[learner->id()];
        files.push_back({data.path, updated.checksum});
        d->learntFrom[result->id()] = std::move(files);
    }
    if (data.unasked) // a message for each of a hundred files is none
        warnings.clear();
    if (!updated.passDue.isEmpty()) {
        Q_EMIT logMessage(1, result->name() + QStringLiteral(": ") + updated.passDue);
    }
    for (const QString& warning : warnings)
        Q_EMIT runWarned(result, warning);
    if (!updated.passDue.isEmpty())
        Q_EMIT passDue(result, updated.passDue);
    if (result != learner || !aside)
        Q_EMIT runLearnt(result, data, updated.told);
}

} // namespace app
