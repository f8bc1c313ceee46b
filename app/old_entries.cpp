// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/old_entries.h"

#include "app/model_update.h"
#include "app/train_test.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using kernels::Count;
using kernels::Index;
using kernels::SparseTensor;

constexpr const char* copiedHint = "Passes take a copy of all entries; close other programs first.";

std::string entriesText(Count entries) { return io::counted(entries, "entry", "entries"); }

[[noreturn]] void refuse(const std::string& where, const std::string& found, const std::string& expected)
{
    throw kernels::Error(kernels::ErrorKind::BadInput,
                         {"these are not the entries that the model was made from", where, found, expected,
                          "Give the tensor of its run first, then every file it was updated with, all read with the --duplicates, --zeros "
                          "and --index-base that they were read with before."});
}

/// Past the largest index of each mode.
std::vector<Index> reachOf(const SparseTensor& tensor)
{
    std::vector<Index> reached;
    for (const kernels::Array<Index>& indices : tensor.indices)
        reached.push_back(indices.empty() ? 0 : *std::max_element(indices.begin(), indices.end()) + 1);
    return reached;
}

struct Values {
    double least = 0, most = 0, mean = 0;
};

Values valuesOf(const SparseTensor& tensor)
{
    Values values;
    for (Count e = 0; e < tensor.entries(); ++e) {
        const double value = tensor.value(e);
        values.least = e == 0 ? value : std::min(values.least, value);
        values.most = e == 0 ? value : std::max(values.most, value);
        values.mean += value / static_cast<double>(tensor.entries());
    }
    return values;
}

/// Where the run's file tells them: those of a run that nobody looked at before are all 0.
bool areAlike(const Values& found, const io::InputDescription& run)
{
    if (run.valueMin == 0 && run.valueMax == 0 && run.valueMean == 0)
        return true;
    const double size = std::max(std::abs(run.valueMin), std::abs(run.valueMax));
    const auto isNear = [&](double a, double b) { return std::abs(a - b) <= 1e-6 * size; }; // sums of other orders, single precision
    return isNear(found.least, run.valueMin) && isNear(found.most, run.valueMax) && isNear(found.mean, run.valueMean);
}

std::string valuesText(const Values& values)
{
    return fmt::format("values from {:.6g} to {:.6g}, mean {:.6g}", values.least, values.most, values.mean);
}

bool isSplit(const io::InputDescription& run, const OpenTensor& runs) { return !runs.hasTestPart() && !run.testPositions.empty(); }

void requireRuns(const io::InputDescription& run, const OpenTensor& runs)
{
    const std::string name = fileNameOf(runs);
    const std::vector<Index> reached = reachOf(runs.tensor); // dims may be declared for this reading
    for (std::size_t n = 0; n < reached.size() && n < run.dims.size(); ++n)
        if (reached[n] > run.dims[n])
            refuse(name, fmt::format("{} rows in mode {}", reached[n], n + 1), fmt::format("{}", run.dims[n]));
    const Values values = valuesOf(runs.tensor);
    if (!areAlike(values, run))
        refuse(name, valuesText(values), valuesText({run.valueMin, run.valueMax, run.valueMean}));
    const Count expected = isSplit(run, runs) ? run.entries : run.trainEntries;
    if (runs.tensor.entries() != expected)
        refuse(name, entriesText(runs.tensor.entries()), entriesText(expected));
}

using Updates = std::vector<const io::UpdateRecord*>;

std::string namesText(const Updates& updates)
{
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(updates.size(), most); ++i)
        text += (i > 0 ? ", " : "") + updates[i]->fileName;
    if (updates.size() > most)
        text += fmt::format(" or one of {} more", updates.size() - most);
    return text.empty() ? "no further file" : text;
}

/// Each file is that of one update, and each update has its file.
void requireUpdates(const std::vector<io::UpdateRecord>& updates, const std::vector<OpenTensorPtr>& batches, kernels::Progress& progress)
{
    Updates left;
    for (const io::UpdateRecord& update : updates)
        if (update.entries > 0) // passes alone have none
            left.push_back(&update);
    for (const OpenTensorPtr& batch : batches) {
        const std::string name = fileNameOf(*batch), sha256 = batch->checksum ? batch->checksum->get(progress) : std::string();
        const auto hasItsBytes = [&](const io::UpdateRecord* update) {
            return !update->sha256.empty() && update->sha256 == sha256 && groupOf(update->fileName) == groupOf(name);
        };
        const auto hasItsNumber = [&](const io::UpdateRecord* update) { return update->entries == batch->tensor.entries(); };
        auto found = std::find_if(left.begin(), left.end(), [&](const auto* each) { return hasItsBytes(each) && hasItsNumber(each); });
        if (found == left.end()) // of before checksums were recorded, or of a file that has had groups added since
            found = std::find_if(left.begin(), left.end(), [&](const auto* each) {
                return (each->sha256.empty() || !groupOf(name).empty()) && each->fileName == name && hasItsNumber(each);
            });
        const auto otherwise = std::find_if(left.begin(), left.end(), hasItsBytes); // its equal coordinates or zeros, say
        if (found == left.end() && otherwise != left.end())
            refuse(name, entriesText(batch->tensor.entries()), entriesText((*otherwise)->entries));
        if (found == left.end()) {
            const bool isNamed = std::any_of(left.begin(), left.end(), [&](const auto* each) { return each->fileName == name; });
            const bool wasGiven = std::any_of(updates.begin(), updates.end(), [&](const auto& each) { return hasItsBytes(&each); });
            refuse(name,
                   entriesText(batch->tensor.entries())
                       + (wasGiven      ? " that were given already"
                              : isNamed ? ", others than when it was learnt"
                                        : " that it has not learnt"),
                   namesText(left));
        }
        left.erase(found);
    }
    if (!left.empty())
        refuse(namesText(left), "no file given for it", entriesText(left.front()->entries));
}

/// Before they are copied: all of them, the largest batch with the model's rows in place of its own, and a column of all while it grows, or
/// their order while they are split.
void requireRoom(const OpenTensor& runs, const std::vector<OpenTensorPtr>& batches)
{
    Count all = runs.tensor.entries() + runs.test.entries(), largest = 0;
    bool doubles = runs.tensor.hasDoubleValues();
    for (const OpenTensorPtr& batch : batches) {
        all += batch->tensor.entries();
        largest = std::max(largest, batch->tensor.entries());
        doubles = doubles || batch->tensor.hasDoubleValues();
    }
    const std::uint64_t ofEntry = runs.tensor.order() * sizeof(Index) + (doubles ? sizeof(double) : sizeof(float));
    kernels::requireHostMemory((all + largest) * ofEntry + all * sizeof(Count), copiedHint);
}

/// Column by column: they never lie there twice all at once.
void makeRoom(SparseTensor& tensor, Count entries, bool doubles)
{
    for (kernels::Array<Index>& column : tensor.indices)
        column.reserve(entries);
    if (doubles && !tensor.hasDoubleValues()) {
        const auto floats = std::get<kernels::Array<float>>(std::move(tensor.values));
        tensor.values = kernels::Array<double>(floats.begin(), floats.end());
    }
    std::visit([entries](auto& values) { values.reserve(entries); }, tensor.values);
}

template <class Column, class More> void extend(Column& column, const More& more)
{
    for (const auto each : more)
        column.push_back(static_cast<typename Column::value_type>(each));
}

} // namespace

std::string fileNameOf(const OpenTensor& tensor)
{
    return tensor.path.isEmpty() ? tensor.name.toStdString() : io::fileNameOf(tensor.path.toStdString());
}

std::string groupOf(const std::string& fileName)
{
    const auto colon = fileName.find(":/");
    return colon == std::string::npos ? std::string() : fileName.substr(colon + 1);
}

void append(SparseTensor& tensor, const SparseTensor& more)
{
    const bool doubles = tensor.hasDoubleValues() || more.hasDoubleValues();
    const Count entries = tensor.entries() + more.entries();
    if (entries > tensor.indices.front().capacity())
        kernels::requireHostMemory(more.bytes() + entries * (doubles ? sizeof(double) : sizeof(Index)), copiedHint);
    makeRoom(tensor, entries, doubles);
    for (unsigned n = 0; n < tensor.order(); ++n)
        extend(tensor.indices[n], more.indices[n]);
    std::visit([](auto& values, const auto& further) { extend(values, further); }, tensor.values, more.values);
    tensor.sorted = false;
}

OldEntries oldEntriesFor(const io::ModelFile& file, OpenTensorPtr runs, std::vector<OpenTensorPtr> batches, kernels::Progress& progress)
{
    requireRuns(file.input, *runs);
    requireUpdates(file.updates, batches, progress);
    requireRoom(*runs, batches);
    const auto fitted = [&](SparseTensor tensor, const OpenTensor& of) {
        fitDims(tensor, file.model.dims, fileNameOf(of), "the model");
        for (kernels::Mode& mode : tensor.modes)
            mode.labels.clear(); // nobody asks for them
        return tensor;
    };
    OldEntries old;
    const bool hasTestFile = file.config.split.kind == kernels::SplitKind::File && !file.config.split.testFile.empty();
    if (isSplit(file.input, *runs)) {
        kernels::Split split = kernels::splitAt(runs->tensor, file.input.testPositions, &progress);
        old.train = fitted(std::move(split.train), *runs);
        old.test = fitted(std::move(split.test), *runs);
    } else {
        old.train = fitted(runs->tensor, *runs);
        if (runs->hasTestPart() && !hasTestFile)
            old.test = fitted(runs->test, *runs);
    }
    if (hasTestFile)
        try {
            old.test = testFileEntries(file.config.split.testFile, *runs, file.model.dims, "the model", progress);
        } catch (const kernels::OutOfMemory&) {
            throw;
        } catch (const kernels::Error& error) { // what was learnt is passed over, also where nothing judges it
            old.untested = error.what();
        }
    Count entries = old.train.entries();
    bool doubles = old.train.hasDoubleValues();
    for (const OpenTensorPtr& batch : batches) {
        entries += batch->tensor.entries();
        doubles = doubles || batch->tensor.hasDoubleValues();
    }
    runs.reset();
    makeRoom(old.train, entries, doubles);
    for (OpenTensorPtr& batch : batches) {
        append(old.train, fitted(batchFor(file, *batch).entries, *batch));
        batch.reset();
    }
    return old;
}

} // namespace app
