// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensor_source.h"

#include "app/command_line.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"

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
    io::LoadedTensor loaded = io::readTensor(path, options, progress);
    open->tensor = std::move(loaded.tensor);
    open->report = std::move(loaded.report);
    open->readOptions = options;
    open->path = QString::fromStdString(path);
    open->name = QString::fromStdString(io::fileNameOf(path));
    open->origin = open->path;
    open->command = {path, readOptionArguments(options), {}, {}};
    if (statistics == Statistics::Compute)
        computeStatistics(*open, progress);
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
    if (statistics == Statistics::Compute)
        computeStatistics(*open, progress);
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
        fmt::format("generated: {}, rank {}, noise {}, seed {}", kernels::toString(spec.model), spec.rank, spec.noise, spec.seed));
    const std::string file = io::formatForWriting(name) ? name : name + ".h5";
    open->command = {file, {}, open->hasTestPart() ? testPartPath(file) : std::string(), generateCommand(spec, file)};
    if (statistics == Statistics::Compute)
        computeStatistics(*open, progress);
    return open;
}

} // namespace app
