// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_update.h"

#include "app/environment.h"
#include "app/tensor_source.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/several_devices.h"
#include "kernels/base/stopwatch.h"
#include "kernels/operations/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_map>

namespace app {
namespace {

using kernels::Count;
using kernels::Index;
using kernels::SparseTensor;

constexpr Index none = std::numeric_limits<Index>::max();

std::string entriesText(Count entries) { return io::counted(entries, "entry", "entries"); }

[[noreturn]] void refuseLabels(const std::string& message, const std::string& fileName, unsigned mode, const char* hint)
{
    throw kernels::Error(kernels::ErrorKind::BadInput, {message, fmt::format("{}, mode {}", fileName, mode + 1), {}, {}, hint});
}

/// Rows of the indices that occur, found by their labels; the mode grows by those it does not know.
std::vector<Index> rowsByLabels(kernels::Mode& mode, unsigned n, const kernels::Array<Index>& indices,
                                const std::vector<std::string>& labels, const std::string& fileName)
{
    std::vector<Index> rows(labels.size(), none);
    for (const Index i : indices)
        rows[i] = 0;
    std::unordered_map<std::string, Index> known;
    for (Index i = 0; i < mode.labels.size(); ++i)
        known.emplace(mode.labels[i], i);
    const auto oldRows = static_cast<Index>(mode.labels.size());
    for (Index i = 0; i < rows.size(); ++i) {
        if (rows[i] == none)
            continue;
        const bool stands = i < oldRows && mode.labels[i] == labels[i]; // two rows may be called alike
        const auto [found, isNew] = known.emplace(labels[i], static_cast<Index>(mode.labels.size()));
        rows[i] = stands ? i : found->second;
        if (rows[i] < oldRows)
            continue;
        if (labels[i].empty())
            refuseLabels("a new row has no label", fileName, n, "Give each row a label of its own.");
        if (!isNew)
            refuseLabels(fmt::format("two new rows are called \"{}\"", labels[i]), fileName, n, "Give each row a label of its own.");
        mode.labels.push_back(labels[i]);
    }
    mode.size = static_cast<Index>(mode.labels.size());
    return rows;
}

/// How long a mode is afterwards whose rows are found by their indices.
Index grownSize(const kernels::Mode& mode, unsigned n, const OpenTensor& batch)
{
    const Index size = batch.tensor.modes[n].size;
    const std::string name = fileNameOf(batch);
    if (mode.labels.empty() && !batch.modes()[n].labels.empty())
        refuseLabels("the new entries have labels, the model has none to find their rows by", name, n,
                     "Give the entries without labels, numbered as the model's rows are.");
    if (!mode.labels.empty() && batch.report.labelsLeft)
        refuseLabels("the label files in the folder of the new entries do not fit them", name, n,
                     "Give the sizes of the modes with --dims or in the file, or put the entries in a folder without label files.");
    if (!mode.labels.empty() && size > mode.size)
        refuseLabels("the new entries lie in new rows of a mode with labels, and bring none", name, n,
                     "Give their labels beside them, as the tensor of the run has them.");
    return std::max(mode.size, size);
}

/// One index typed wrong would open rows by the million, which no entry is in and every later update carries.
void refuseStrayIndex(const kernels::Array<Index>& indices, Index oldRows, unsigned n, const std::string& fileName)
{
    constexpr Index few = 1000, rowsOfOneMeant = 100;
    const auto largest = std::max_element(indices.begin(), indices.end());
    if (*largest < oldRows || *largest - oldRows < std::max(few, oldRows))
        return;
    std::vector<Index> fresh;
    std::copy_if(indices.begin(), indices.end(), std::back_inserter(fresh), [oldRows](Index i) { return i >= oldRows; });
    std::sort(fresh.begin(), fresh.end());
    const auto meant = static_cast<Index>(std::unique(fresh.begin(), fresh.end()) - fresh.begin());
    if ((*largest - oldRows) / rowsOfOneMeant < meant)
        return;
    throw kernels::Error(
        kernels::ErrorKind::BadInput,
        {"an index lies so far beyond the model's rows that it is most likely a mistake", fmt::format("{}, mode {}", fileName, n + 1),
         fmt::format("row {} (counted from 1), and entries in {} of all new rows", *largest + 1, meant),
         fmt::format("rows near the model's {}", oldRows), "If it is meant, say how long the modes are by --dims of polyad-cli update."});
}

/// New rows cost memory whether or not entries are in them.
void requireRoomFor(const std::vector<kernels::Mode>& modes, unsigned rank)
{
    constexpr std::uint64_t bytesOfNumber = 12 * sizeof(double); // a row, its sums, what they were, what is written
    std::uint64_t rows = 0;
    for (const kernels::Mode& mode : modes)
        rows += mode.size;
    kernels::requireHostMemory(rows * rank * bytesOfNumber, "Look at the largest indices of the new entries with polyad-cli info.");
}

void setSizes(SparseTensor& tensor, const std::vector<Index>& dims)
{
    for (unsigned n = 0; n < tensor.order(); ++n)
        tensor.modes[n].size = dims[n];
}

/// whole: of the training entries, new ones among them; empty where they are not at hand.
kernels::IterationRecord rowFor(const io::ModelFile& file, const kernels::ntf::OnlineReport& whole, double seconds, Count visited)
{
    kernels::IterationRecord row;
    if (!file.history.empty()) {
        row.iteration = file.history.back().iteration;
        row.elapsed = file.history.back().elapsed;
        row.nonzeros = file.history.back().nonzeros;
    }
    ++row.iteration;
    row.elapsed += seconds;
    row.secondsFactor = seconds;
    row.nonzeros += visited;
    row.trainRmse = whole.after.rmse();
    row.trainMae = whole.after.mae();
    row.divergence = whole.divergence;
    return row;
}

} // namespace

Batch batchFor(const io::ModelFile& file, const OpenTensor& tensor)
{
    const std::vector<Index> dims = file.model.dims;
    const std::string name = fileNameOf(tensor);
    if (tensor.tensor.order() != dims.size())
        throw kernels::Error(kernels::ErrorKind::BadInput,
                             {"the new entries are of another order than the model",
                              name,
                              fmt::format("{} modes", tensor.tensor.order()),
                              fmt::format("{}", dims.size()),
                              {}});
    if (tensor.tensor.entries() == 0)
        throw kernels::Error(kernels::ErrorKind::BadInput, {"there is nothing to learn", name, "0 entries", "at least 1", {}});
    Batch batch;
    batch.fileName = name;
    std::vector<kernels::Mode> modes = file.modes;
    std::vector<std::vector<Index>> rows(dims.size());
    for (unsigned n = 0; n < dims.size(); ++n) {
        const std::vector<std::string>& labels = tensor.modes()[n].labels;
        if (!modes[n].labels.empty() && !labels.empty())
            rows[n] = rowsByLabels(modes[n], n, tensor.tensor.indices[n], labels, name);
        else {
            modes[n].size = grownSize(modes[n], n, tensor);
            if (tensor.readOptions.dims.empty())
                refuseStrayIndex(tensor.tensor.indices[n], dims[n], n, name);
        }
        batch.newRows.push_back(modes[n].size - dims[n]);
    }
    requireRoomFor(modes, file.model.coreRank);
    batch.entries = SparseTensor({}, 0);
    batch.entries.indices = tensor.tensor.indices;
    batch.entries.values = tensor.tensor.values;
    for (unsigned n = 0; n < dims.size(); ++n)
        if (!rows[n].empty())
            for (Index& i : batch.entries.indices[n])
                i = rows[n][i];
    batch.entries.modes = std::move(modes);
    return batch;
}

Batch noBatch(const io::ModelFile& file)
{
    Batch batch{SparseTensor(file.model.dims, 0, false), std::vector<Index>(file.model.order(), 0), {}, {}};
    batch.entries.modes = file.modes;
    setSizes(batch.entries, file.model.dims);
    return batch;
}

namespace {

/// Its errors name the file: among many nobody finds an entry by its place alone.
kernels::ntf::OnlineReport learnt(kernels::ntf::OnlineModel& model, const kernels::RunConfig& config, const Batch& batch,
                                  const kernels::ntf::OnlineSettings& settings, kernels::RunControl& control)
try {
    return kernels::ntf::learn(model, config, batch.entries, settings, control);
} catch (const kernels::OutOfMemory&) {
    throw;
} catch (const kernels::Error& error) {
    kernels::Error::Details details = error.details();
    details.where = details.where.empty() ? batch.fileName : fmt::format("{}, {}", batch.fileName, details.where);
    throw kernels::Error(error.kind(), std::move(details));
}

/// No model is written that later updates cannot go on from.
void requireFinite(const kernels::ntf::OnlineModel& model, const kernels::ntf::OnlineReport& ofAll, const std::string& fileName)
{
    if (model.kept.empty() || !std::isfinite(ofAll.after.rmse()))
        throw kernels::Error(kernels::ErrorKind::BadInput,
                             {"what all entries tell the model comes to no finite numbers", fileName, {}, {}, "Run on all entries again."});
}

} // namespace

std::vector<kernels::DeviceId> devicesForUpdates(std::vector<kernels::DeviceId> asked)
{
    const kernels::AlgorithmInfo& ntf = kernels::algorithm(kernels::ntf::algorithmId);
    if (asked.empty())
        asked = {ntf.deviceFor({}, ntf.formatFor({}), {})};
    for (const kernels::DeviceId& id : asked)
        kernels::device(id); // throws where there is none
    if (const kernels::Support several = kernels::supportsSeveral(ntf, asked); !several)
        throw kernels::Error(kernels::ErrorKind::NoDevice, several.reason);
    return asked;
}

io::UpdateRecord updateModel(io::ModelFile& file, const Batch& batch, const UpdateSettings& settings, OldEntries* old,
                             kernels::RunControl& control, kernels::Progress* ofPasses)
{
    const kernels::Stopwatch watch(control);
    kernels::RunConfig config = file.config;
    config.devices = {kernels::DeviceId{}}; // a batch is learnt there before a GPU has been started
    config.threads = settings.threads;
    config.memoryLimit = 0; // that was the run's
    kernels::ntf::OnlineModel model{file.model, file.kept ? *file.kept : kernels::SolverState{}};
    const std::vector<Index> dims = batch.entries.dims();
    const auto refreshed = [&](const SparseTensor& all, const kernels::ntf::Passes& passes) { // changes nothing where it throws
        kernels::RunConfig there = config;
        there.devices = settings.devices;
        try {
            return kernels::ntf::refresh(model, there, all, passes, control);
        } catch (const kernels::OutOfMemory&) {
            if (!settings.otherwiseCpu || settings.devices.front().kind == kernels::DeviceKind::Cpu)
                throw;
        }
        return kernels::ntf::refresh(model, config, all, passes, control);
    };
    Count visited = 0;
    const bool isFed = batch.entries.entries() > 0;
    if (old && isFed && !kernels::ntf::hasKept(model.model, config, model.kept)) { // what the batch adds to
        const kernels::ntf::OnlineReport report = refreshed(old->train, {});
        requireFinite(model, report, batch.fileName);
        visited += report.visited;
    }
    kernels::ntf::OnlineReport own, whole; // of the batch's entries, of all
    if (isFed)
        own = learnt(model, config, batch, settings.online, control);
    visited += own.visited;
    kernels::ErrorSums after = own.after, test;
    if (old) {
        setSizes(old->train, dims);
        setSizes(old->test, dims);
        if (isFed)
            append(old->train, batch.entries);
        const SparseTensor* const judges = old->test.entries() > 0 ? &old->test : nullptr;
        whole = refreshed(old->train, {settings.passes, judges, ofPasses});
        requireFinite(model, whole, batch.fileName);
        visited += whole.visited;
        old->train = {};
        if (isFed)
            after = kernels::evaluateModel(model.model, batch.entries, control); // of what is written
        if (judges)
            test = kernels::evaluateModel(model.model, old->test, control);
    }
    control.checkpoint();

    io::UpdateRecord record;
    kernels::IterationRecord row = rowFor(file, whole, watch.seconds(), visited);
    row.testRmse = test.rmse();
    row.testMae = test.mae();
    record.iteration = row.iteration;
    record.entries = batch.entries.entries();
    for (const Index rows : batch.newRows)
        record.newRows += rows;
    record.weight = settings.online.weight;
    record.steps = isFed ? settings.online.steps : 0;
    record.paperRule = settings.online.rule == kernels::ntf::OnlineRule::Paper;
    record.passes = whole.passes;
    record.sumsAnew = old ? 1 : 0;
    record.sha256 = batch.sha256;
    record.seconds = row.secondsFactor;
    record.rmseBefore = own.before.rmse();
    record.rmseAfter = after.rmse();
    record.maeAfter = after.mae();
    record.divergenceAfter = old ? kernels::notMeasured : own.divergence;
    record.fileName = batch.fileName;
    record.finishedUtc = utcText(std::chrono::system_clock::now());

    file.model = std::move(model.model);
    file.kept = std::make_shared<const kernels::SolverState>(std::move(model.kept));
    file.modes = batch.entries.modes;
    file.history.push_back(row);
    file.bestIteration = row.iteration;
    file.updates.push_back(record);
    file.log += isFed ? fmt::format("{} learnt {} of {}, {} new\n", record.finishedUtc, entriesText(record.entries), record.fileName,
                                    io::counted(record.newRows, "row", "rows"))
                      : fmt::format("{} {} over all entries\n", record.finishedUtc, io::counted(record.passes, "pass", "passes"));
    return record;
}

std::optional<kernels::Error::Details> repetition(const io::ModelFile& file, const Batch& batch)
{
    if (batch.sha256.empty())
        return std::nullopt;
    const std::string group = groupOf(batch.fileName);
    // A file of groups is written on: then a group of the same name and number is the one that was learnt.
    const auto isIt = [&](const std::string& sha256, const std::string& name, Count entries) {
        return (sha256 == batch.sha256 && groupOf(name) == group)
            || (!group.empty() && name == batch.fileName && entries == batch.entries.entries());
    };
    if (isIt(file.input.sha256, file.input.fileName, file.input.entries))
        return kernels::Error::Details{"the model was made from this file", batch.fileName, {}, {}, {}};
    const auto same = [&](const io::UpdateRecord& update) { return isIt(update.sha256, update.fileName, update.entries); };
    const auto found = std::find_if(file.updates.begin(), file.updates.end(), same);
    if (found == file.updates.end())
        return std::nullopt;
    return kernels::Error::Details{"the model has learnt this file already",
                                   batch.fileName,
                                   fmt::format("update {}, {}", found - file.updates.begin() + 1, found->finishedUtc),
                                   {},
                                   {}};
}

void requireUnlearnt(const io::ModelFile& file, const Batch& batch)
{
    if (auto repeated = repetition(file, batch)) {
        repeated->hint = "Add --again where its entries did come twice.";
        throw kernels::Error(kernels::ErrorKind::BadInput, *repeated);
    }
}

const io::UpdateRecord* updateAt(const std::vector<io::UpdateRecord>& updates, std::uint64_t iteration)
{
    const auto at = std::find_if(updates.rbegin(), updates.rend(), [iteration](const auto& each) { return each.iteration == iteration; });
    return at == updates.rend() ? nullptr : &*at;
}

double driftOf(const io::ModelFile& file)
{
    Count since = 0, before = file.input.trainEntries;
    for (const io::UpdateRecord& update : file.updates) {
        since += update.entries;
        if (update.sawAllEntries()) {
            before += since;
            since = 0;
        }
    }
    return before > 0 ? static_cast<double>(since) / static_cast<double>(before) : 0;
}

} // namespace app
