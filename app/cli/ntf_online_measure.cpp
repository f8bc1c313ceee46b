// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/ntf_online_measure.h"

#include "app/cli/bench_ntf_rows.h"
#include "app/cli/interrupt.h"
#include "app/file_checksum.h"
#include "app/model_update.h"
#include "io/file_format.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/base/run.h"
#include "kernels/base/stopwatch.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/sort.h"
#include "kernels/tensor/split.h"

#include <QTemporaryDir>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cli {
namespace {

using kernels::Count;
using kernels::Index;
using kernels::SparseTensor;

constexpr double heldOutShare = 0.1, judgingShare = 0.1;
constexpr std::uint64_t seed = 42;

SparseTensor inTime(const SparseTensor& tensor)
{
    std::vector<double> ties(tensor.entries());
    kernels::Array<Count> order(tensor.entries());
    for (Count e = 0; e < tensor.entries(); ++e) {
        order[e] = e;
        ties[e] = kernels::random::uniform(seed, 0, e);
    }
    const kernels::Array<Index>& time = tensor.indices.back();
    std::sort(order.begin(), order.end(), [&](Count a, Count b) { return time[a] != time[b] ? time[a] < time[b] : ties[a] < ties[b]; });
    return kernels::gather(tensor, order);
}

/// One config's measurement.
class Measurement {
public:
    Measurement(const NtfStream& stream, const NtfOnlinePlan& plan, kernels::Progress& progress)
        : m_stream(stream)
        , m_plan(plan)
        , m_progress(progress)
        , m_watch(m_control)
    {
        if (!m_folder.isValid())
            throw kernels::Error(kernels::ErrorKind::Internal,
                                 {"there is no folder for the models of this bench",
                                  m_folder.path().toStdString(),
                                  m_folder.errorString().toStdString(),
                                  {},
                                  "Name another one by TMPDIR."});
    }

    void fill(NtfOnlineRow& row)
    {
        kernels::RunResult first;
        row.trainings.push_back(train(row.config, 0, isNtf(row.config) ? &first : nullptr));
        if (isNtf(row.config))
            updateBy(row, first);
        for (unsigned batch = 1; batch <= m_plan.batches; ++batch)
            if (m_plan.retrainsAfter(batch))
                row.trainings.push_back(train(row.config, batch, nullptr));
    }

private:
    void updateBy(NtfOnlineRow& row, const kernels::RunResult& first)
    {
        for (const kernels::ntf::OnlineRule rule : m_plan.rules)
            for (const double weight : m_plan.weights)
                row.updates.push_back(updatesBy(rule, weight, first));
    }

    std::string at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)).toStdString(); }

    HeldOutError heldOutError(const kernels::Model& model, const kernels::RunConfig& config)
    {
        const SparseTensor held = m_stream.heldOut(model.dims);
        if (held.entries() == 0)
            return {};
        if (!isNtf(config))
            return {kernels::evaluateModel(model, held, m_control).rmse(), kernels::notMeasured};
        const kernels::ntf::OnlineReport judged = kernels::ntf::judge(model, config, held, m_control);
        return {judged.after.rmse(), judged.divergence};
    }

    NtfTraining train(const kernels::RunConfig& config, unsigned batches, kernels::RunResult* kept)
    {
        const SparseTensor entries = m_stream.until(batches);
        kernels::RunConfig asked = config;
        asked.stopping = {m_plan.iterations, 0, 1, 0};
        asked.split.kind = kernels::SplitKind::None;
        kernels::Continuity continuity;
        continuity.wantsKept = kept != nullptr;
        IterationCounter observer(m_progress);
        const kernels::Stopwatch clock(m_control);
        const SparseTensor judges = m_stream.judges(entries.dims());
        kernels::RunResult result = kernels::run(asked, entries, &judges, observer, m_control, continuity);
        NtfTraining training{batches, entries.entries(), clock.seconds(), {}};
        m_progress.throwIfCancelled(); // a stopped run ends as others do
        if (!result.failure.empty())
            throw kernels::Error(kernels::ErrorKind::Internal, result.failure);
        training.heldOut = heldOutError(result.best, result.config);
        if (kept)
            *kept = std::move(result);
        return training;
    }

    io::ModelFile fileOf(const kernels::RunResult& result) const
    {
        io::ModelFile file;
        file.model = result.best;
        file.config = result.config;
        file.bestIteration = result.bestIteration;
        file.history = result.history;
        file.input.dims = result.best.dims;
        file.input.entries = file.input.trainEntries = result.trainEntries;
        for (const Index size : result.best.dims)
            file.modes.push_back({size, {}, {}});
        file.kept = result.kept;
        return file;
    }

    NtfUpdates updatesBy(kernels::ntf::OnlineRule rule, double weight, const kernels::RunResult& first)
    {
        NtfUpdates updates;
        updates.rule = rule;
        updates.weight = weight;
        updates.steps = rule == kernels::ntf::OnlineRule::Paper ? 1 : m_plan.steps;
        io::writeModel(at("model.h5"), fileOf(first));
        try {
            for (unsigned batch = 1; batch <= m_plan.batches; ++batch) {
                updates.batches.push_back(update(batch, updates));
                m_progress.advance(1);
                m_progress.throwIfCancelled();
            }
        } catch (const kernels::Error& error) { // what others measured is not thrown away
            updates.reason = error.what();
        }
        return updates;
    }

    /// As `polyad-cli update` does it, from files to a file; the old entries are in memory, as a watched folder has them.
    NtfBatch update(unsigned number, const NtfUpdates& by)
    {
        kernels::Progress reading;
        io::writeTensor(at("batch.tns"), m_stream.batch(number), {}, reading);
        app::UpdateSettings settings;
        settings.online = {by.rule, by.weight, by.steps};
        std::optional<app::OldEntries> old;
        if (m_plan.passesAfter(number)) {
            settings.passes = m_plan.passes;
            SparseTensor before = m_stream.until(number - 1), judges = m_stream.judges(before.dims());
            old = app::OldEntries{std::move(before), std::move(judges), {}};
        }
        NtfBatch row;
        const kernels::Stopwatch files(m_control);
        io::ModelFile file = io::readModel(at("model.h5"), &reading, io::ReadState::Kept);
        settings.threads = file.config.threads;
        settings.devices = file.config.devices;
        io::ReadOptions options;
        options.duplicates = kernels::Duplicates::Keep;
        options.indexBase = io::IndexBase::One;
        const auto open = app::openTensorLike(file, at("batch.tns"), options, reading);
        app::Batch batch = app::batchFor(file, *open);
        batch.sha256 = open->checksum->get(reading);
        app::requireUnlearnt(file, batch);
        const kernels::Stopwatch updating(m_control);
        const io::UpdateRecord record = app::updateModel(file, batch, settings, old ? &*old : nullptr, m_control);
        row.seconds = updating.seconds();
        io::writeModel(at("model.h5"), file, &reading);
        row.fileSeconds = files.seconds() - row.seconds;
        row.entries = record.entries;
        row.newRows = record.newRows;
        row.passes = static_cast<unsigned>(record.passes);
        row.heldOut = heldOutError(file.model, file.config);
        return row;
    }

    const NtfStream& m_stream;
    const NtfOnlinePlan& m_plan;
    kernels::Progress& m_progress;
    kernels::RunControl m_control;
    Interrupt::Watch m_watch;
    QTemporaryDir m_folder;
};

} // namespace

NtfStream::NtfStream(const app::OpenTensor& open, const NtfOnlinePlan& plan, kernels::Progress& progress)
    : m_batches(plan.batches)
    , m_train({}, 0)
    , m_test({}, 0)
{
    if (open.hasTestPart()) {
        m_train = inTime(open.tensor);
        m_test = inTime(open.test);
    } else {
        const kernels::Split split = kernels::splitRandom(open.tensor, heldOutShare, seed, &progress);
        m_train = inTime(split.train);
        m_test = inTime(split.test);
    }
    for (SparseTensor* const tensor : {&m_train, &m_test})
        for (kernels::Mode& mode : tensor->modes)
            mode.labels.clear();
    m_batchEntries = static_cast<Count>(std::floor(plan.batchShare * static_cast<double>(m_train.entries())));
    if (m_batchEntries == 0)
        throw kernels::Error(kernels::ErrorKind::BadInput,
                             {"a batch would have no entries", open.name.toStdString(),
                              fmt::format("{} entries to learn", m_train.entries()),
                              fmt::format("at least {:.0f}", std::ceil(1 / plan.batchShare)), "Give a larger --batch-percent."});
}

Count NtfStream::endOf(unsigned batch) const { return m_train.entries() - (m_batches - batch) * m_batchEntries; }

template <class Wanted> SparseTensor NtfStream::those(Count begin, Count end, const Wanted& wanted) const
{
    kernels::Array<Count> positions;
    for (Count e = begin; e < end; ++e)
        if (wanted(e))
            positions.push_back(e);
    SparseTensor part = kernels::gather(m_train, positions);
    part.modes.back().size = m_train.indices.back()[end - 1] + 1;
    return part;
}

bool NtfStream::isJudge(Count e) const { return e < endOf(0) && kernels::random::uniform(seed, 1, e) < judgingShare; }

SparseTensor NtfStream::until(unsigned batch) const
{
    return those(0, endOf(batch), [this](Count e) { return !isJudge(e); });
}
SparseTensor NtfStream::batch(unsigned batch) const
{
    return those(endOf(batch - 1), endOf(batch), [](Count) { return true; });
}
SparseTensor NtfStream::judges(const std::vector<Index>& dims) const
{
    SparseTensor part = those(0, endOf(0), [this](Count e) { return isJudge(e); });
    part.modes.back().size = dims.back();
    return part;
}

SparseTensor NtfStream::heldOut(const std::vector<Index>& dims) const
{
    const kernels::Array<Index>& time = m_test.indices.back();
    const auto end = std::lower_bound(time.begin(), time.end(), dims.back());
    kernels::Array<Count> positions(static_cast<Count>(end - time.begin()));
    for (Count e = 0; e < positions.size(); ++e)
        positions[e] = e;
    SparseTensor part = kernels::gather(m_test, positions);
    part.modes.back().size = dims.back();
    return part;
}

NtfOnlineRow measureNtfOnline(const NtfStream& stream, const kernels::RunConfig& config, const NtfOnlinePlan& plan,
                              kernels::Progress& progress)
{
    const std::uint64_t before = progress.done();
    NtfOnlineRow row;
    row.config = config;
    try {
        Measurement(stream, plan, progress).fill(row);
    } catch (const kernels::Error& error) { // what other rows measured is not thrown away
        row.reason = error.what();
    }
    progress.set(before + stepsOfNtfOnline(config, plan)); // of what was refused, too
    return row;
}

std::uint64_t stepsOfNtfOnline(const kernels::RunConfig& config, const NtfOnlinePlan& plan)
{
    std::uint64_t runs = 1;
    for (unsigned batch = 1; batch <= plan.batches; ++batch)
        runs += plan.retrainsAfter(batch);
    return runs * plan.iterations + (isNtf(config) ? plan.rules.size() * plan.weights.size() * plan.batches : 0);
}

} // namespace cli
