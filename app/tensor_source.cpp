// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensor_source.h"

#include "app/command_line.h"
#include "app/train_test.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "io/labels.h"
#include "io/table/table_format.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"

#include <QStringList>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>

namespace app {
namespace {

/// There is a counter per index: one slip in a file's indices can ask for more than any machine has.
[[noreturn]] void refuseCounting(const OpenTensor& open)
{
    const std::vector<kernels::Index> dims = open.tensor.dims();
    const auto largest = std::max_element(dims.begin(), dims.end());
    throw kernels::Error(kernels::ErrorKind::OutOfMemory,
                         {fmt::format("counting the entries of each index needs {} of main memory",
                                      kernels::formatBytes(*largest * std::uint64_t{sizeof(kernels::Count)})),
                          open.name.toStdString(),
                          fmt::format("an index {} in mode {}", *largest, largest - dims.begin() + 1),
                          {},
                          "If this index is a slip, correct it in the file."});
}

void computeStatistics(OpenTensor& open, kernels::Progress& progress)
{
    progress.throwIfCancelled();
    progress.begin("statistics", open.tensor.entries());
    const std::vector<kernels::Index> dims = open.tensor.dims();
    if (*std::max_element(dims.begin(), dims.end()) * std::uint64_t{sizeof(kernels::Count)} > kernels::availableHostMemory())
        refuseCounting(open);
    try {
        open.statistics = kernels::computeStatistics(open.tensor, &progress);
    } catch (const std::bad_alloc&) {
        refuseCounting(open);
    }
    if (open.report.duplicatesMerged > open.statistics.duplicates && open.readOptions.duplicates == kernels::Duplicates::Keep)
        open.statistics.duplicates = open.report.duplicatesMerged;
}

void addStatistics(OpenTensor& open, Statistics which, kernels::Progress& progress)
{
    if (which == Statistics::Compute)
        computeStatistics(open, progress);
    else if (which == Statistics::ForModel)
        open.statistics = kernels::computeValueStatistics(open.tensor, &progress);
    open.stages = progress.times().take();
}

std::shared_ptr<OpenTensor> fromProblem(kernels::SyntheticProblem problem, double seconds)
{
    auto open = std::make_shared<OpenTensor>();
    open->tensor = std::move(problem.train);
    open->test = std::move(problem.test);
    open->report.formatId = "generated";
    open->report.layout = "generated";
    open->report.indexBase = "0: generated in memory";
    open->report.entriesRead = open->tensor.entries();
    open->report.seconds = seconds;
    open->report.wasSorted = open->tensor.sorted;
    return open;
}

double secondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// "ratings.tns (mean, no zeros)": what was asked for beside the usual.
QString nameWith(const std::string& name, const io::ReadOptions& options)
{
    QStringList words;
    switch (options.duplicates) {
    case kernels::Duplicates::Mean:
        words += QStringLiteral("mean");
        break;
    case kernels::Duplicates::Last:
        words += QStringLiteral("last");
        break;
    case kernels::Duplicates::Max:
        words += QStringLiteral("max");
        break;
    case kernels::Duplicates::Keep:
        words += QStringLiteral("duplicates kept");
        break;
    case kernels::Duplicates::Sum:
    case kernels::Duplicates::Error:
        break;
    }
    if (!options.keepZeros)
        words += QStringLiteral("no zeros");
    const QString file = QString::fromStdString(name);
    return words.isEmpty() ? file : QStringLiteral("%1 (%2)").arg(file, words.join(QStringLiteral(", ")));
}

/// Readers sort stably, merge equal coordinates and then leave zeros out, so what was not done yet can be done to their result.
bool followsFrom(const io::ReadOptions& old, const io::ReadOptions& wanted)
{
    return old.keepZeros && (old.duplicates == wanted.duplicates || old.duplicates == kernels::Duplicates::Keep);
}

std::shared_ptr<OpenTensor> derived(const OpenTensor& from, const io::ReadOptions& options, kernels::Progress& progress)
{
    kernels::requireHostMemory(2 * from.tensor.bytes(), "The tensor is copied; close another one first.");
    progress.begin("copying", 0);
    auto open = std::make_shared<OpenTensor>();
    const auto begin = std::chrono::steady_clock::now();
    const auto finished = [&](const kernels::SparseTensor& entries, const io::LoadReport& report) {
        io::LoadedTensor loaded{entries, report};
        loaded.report.notes.clear(); // of what became of equal coordinates and zeros; told anew
        io::finishLoad(loaded, from.name.toStdString(), options, progress);
        return loaded;
    };
    io::LoadedTensor main = finished(from.tensor, from.report);
    open->tensor = std::move(main.tensor);
    open->report = std::move(main.report);
    if (from.hasTestPart()) // a command reads it like its training part
        open->test = finished(from.test, {}).tensor;
    if (open->report.duplicatesMerged == 0)
        open->report.duplicatesMerged = from.report.duplicatesMerged; // when it was read
    open->report.seconds = secondsSince(begin);
    open->renamed = from.renamed;
    open->recipe = from.recipe;
    open->checksum = from.checksum;
    open->path = from.path;
    open->command = from.command;
    return open;
}

/// How its values differ from the planted ones.
std::string variationOf(const kernels::SyntheticSpec& spec)
{
    switch (spec.draw) {
    case kernels::ValueDraw::Poisson:
        return fmt::format("Poisson counts of mean {}", spec.mean);
    case kernels::ValueDraw::Exponential:
        return fmt::format("exponential intensities of mean {}", spec.mean);
    case kernels::ValueDraw::None:
        break;
    }
    return fmt::format("noise {}", spec.noise);
}

} // namespace

std::string testPartPath(const std::string& path)
{
    const std::size_t name = path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/') + 1;
    const bool zipped = path.ends_with(".gz");
    const std::size_t dot = path.find_last_of('.', zipped && path.size() > 3 ? path.size() - 4 : std::string::npos);
    if (dot == std::string::npos || dot <= name)
        return path + ".test";
    return path.substr(0, dot) + ".test" + path.substr(dot);
}

std::shared_ptr<OpenTensor> openTensorFile(const std::string& path, const io::ReadOptions& options, Statistics statistics,
                                           kernels::Progress& progress)
{
    progress.begin("opening", 0);
    auto open = std::make_shared<OpenTensor>();
    open->checksum = std::make_shared<FileChecksum>(io::splitHdf5Name(path).file);
    if (statistics == Statistics::ForModel)
        open->checksum->begin();
    io::LoadedTensor loaded = io::readTensor(path, options, progress);
    open->tensor = std::move(loaded.tensor);
    open->report = std::move(loaded.report);
    open->recipe = std::move(loaded.recipe);
    open->readOptions = options;
    if (open->recipe && io::table::isTable(path))
        open->readOptions.recipe = open->recipe; // what was proposed is chosen from now on
    open->path = QString::fromStdString(path);
    open->name = QString::fromStdString(io::fileNameOf(path));
    open->origin = open->path;
    open->command = {path, readOptionArguments(open->readOptions), {}, {}};
    addStatistics(*open, statistics, progress);
    return open;
}

std::shared_ptr<OpenTensor> openTensorLike(const io::ModelFile& model, const std::string& path, io::ReadOptions options,
                                           kernels::Progress& progress)
{
    const io::InputDescription& like = model.input;
    if (like.recipe && io::table::isTable(path)) {
        if (!options.recipe && like.recipe) {
            options.recipe = like.recipe;
            options.recipe->dialect = like.recipe->dialect.forOtherFile();
        }
        options.knownModes = model.modes;
        return openTensorFile(path, options, Statistics::Skip, progress);
    }
    auto open = openTensorFile(path, options, Statistics::Skip, progress);
    if (options.indexBase == io::IndexBase::Zero || options.indexBase == io::IndexBase::One)
        return open;
    const auto base = options.indexBase == io::IndexBase::Auto ? io::baseLike(like.layout, like.indexBase, open->report) : std::nullopt;
    if (base) {
        open.reset(); // both may not fit
        options.indexBase = *base;
        open = openTensorFile(path, options, Statistics::Skip, progress);
    }
    requireTold(like.layout, like.indexBase, path, open->report);
    return open;
}

std::shared_ptr<OpenTensor> openOtherwise(const OpenTensor& from, const io::ReadOptions& options, Statistics statistics,
                                          kernels::Progress& progress)
{
    const bool isFile = !from.path.isEmpty();
    if (isFile && !followsFrom(from.readOptions, options)) {
        auto open = openTensorFile(from.path.toStdString(), options, statistics, progress);
        open->name = nameWith(io::fileNameOf(from.path.toStdString()), options);
        open->suggested = from.suggested;
        return open;
    }
    const bool repeatable =
        isFile || (!kernels::parsePresetReference(from.command.argument) && options.duplicates == from.readOptions.duplicates);
    if (!repeatable)
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {"a generated tensor is changed in its file", from.name.toStdString(), {}, {}, "Export it, and open the file."});
    auto open = derived(from, options, progress);
    open->readOptions = options;
    open->name = nameWith(isFile ? io::fileNameOf(from.path.toStdString()) : from.name.toStdString(), options);
    open->origin = from.origin;
    open->suggested = from.suggested;
    open->command.options = readOptionArguments(options);
    addStatistics(*open, statistics, progress);
    return open;
}

void nameModes(OpenTensor& open, const io::ReadOptions& options, kernels::Progress& progress)
{
    io::applyNaming(open.tensor.modes, options.naming, options.namingMustFit, open.report, progress);
    open.readOptions.naming = options.naming;
    const std::vector<std::string> arguments = namingArguments(options.naming);
    open.command.options.insert(open.command.options.end(), arguments.begin(), arguments.end());
}

void sayEmptyCells(OpenTensor& open, kernels::EmptyCells meaning)
{
    if (meaning == kernels::EmptyCells::Unsaid)
        return;
    open.readOptions.emptyCells = meaning;
    auto& options = open.command.options;
    if (const auto at = std::find(options.begin(), options.end(), "--empty"); at != options.end())
        options.erase(at, at + 2);
    options.insert(options.begin(), {"--empty", std::string(kernels::toString(meaning))}); // names of modes stay the end
}

std::shared_ptr<OpenTensor> withNaming(const OpenTensor& from, const io::ModeNaming& change, kernels::Progress& progress)
{
    auto modes = std::make_shared<std::vector<kernels::Mode>>(from.modes());
    kernels::Mode& mode = modes->at(change.mode);
    auto open = std::make_shared<OpenTensor>(from);
    if (change.name)
        mode.name = io::asUtf8(*change.name);
    if (change.labelFile) {
        mode.labels = change.labelFile->empty() ? std::vector<std::string>() : io::readLabelFile(*change.labelFile, mode.size, progress);
        io::setLabelFile(open->report, change.mode, *change.labelFile);
    }
    open->renamed = std::move(modes);

    const std::vector<std::string> before = namingArguments(open->readOptions.naming);
    auto& naming = open->readOptions.naming;
    auto at = std::find_if(naming.begin(), naming.end(), [&](const io::ModeNaming& each) { return each.mode == change.mode; });
    if (at == naming.end())
        at = naming.insert(naming.end(), {change.mode, {}, {}});
    if (change.name)
        at->name = change.name;
    if (change.labelFile)
        at->labelFile = change.labelFile;
    auto& options = open->command.options; // the names are its end
    options.resize(options.size() - std::min(options.size(), before.size()));
    const std::vector<std::string> arguments = namingArguments(naming);
    options.insert(options.end(), arguments.begin(), arguments.end());
    return open;
}

std::shared_ptr<OpenTensor> openPreset(const std::string& presetId, double scale, std::uint64_t seed, Statistics statistics,
                                       kernels::Progress& progress)
{
    const auto begin = std::chrono::steady_clock::now();
    progress.begin("generating", 0);
    auto open = fromProblem(kernels::generatePreset(presetId, scale, seed, &progress), secondsSince(begin));
    open->name = QString::fromStdString(scale == 1 ? presetId : fmt::format("{} × {}", presetId, scale));
    open->origin = QString::fromStdString(fmt::format("generated: {}, scale {}, seed {}", presetId, scale, seed));
    open->command.argument = scale == 1 ? "preset:" + presetId : fmt::format("preset:{}:{}", presetId, scale);
    if (seed != defaultDataSeed)
        open->command.options = {"--data-seed", fmt::format("{}", seed)};
    addStatistics(*open, statistics, progress);
    return open;
}

std::shared_ptr<OpenTensor> openSynthetic(const kernels::SyntheticSpec& spec, const std::string& name, Statistics statistics,
                                          kernels::Progress& progress)
{
    const auto begin = std::chrono::steady_clock::now();
    progress.begin("generating", 0);
    auto open = fromProblem(kernels::generate(spec, &progress), secondsSince(begin));
    open->name = QString::fromStdString(name);
    open->origin = QString::fromStdString(
        fmt::format("generated: {}, rank {}, {}, seed {}", kernels::toString(spec.model), spec.rank, variationOf(spec), spec.seed));
    const std::string file = io::formatForWriting(name) ? name : name + ".h5";
    open->command = {file, {}, open->hasTestPart() ? testPartPath(file) : std::string(), generateCommand(spec, file)};
    addStatistics(*open, statistics, progress);
    return open;
}

} // namespace app
