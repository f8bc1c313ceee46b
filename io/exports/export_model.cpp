// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/exports/export_model.h"

#include "io/exports/file_set.h"
#include "io/exports/npz.h"
#include "io/exports/tables.h"
#include "io/file_format.h"
#include "io/file_updates.h"
#include "io/metrics_csv.h"
#include "io/spooled_stream.h"
#include "io/text/ktensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace io {
namespace {

using kernels::Model;
using kernels::ModelKind;

constexpr std::string_view coreEnding = ".core.tensor";

std::string anyModel(const ModelFile&, const Model&) { return {}; }

std::string onlyCp(const ModelFile&, const Model& model)
{
    return model.kind == ModelKind::Cp ? "" : fmt::format("it holds cp models, and this is a {} model", kernels::toString(model.kind));
}

/// As kernels::denseCore() has it, which would compute one to tell.
bool isSmall(const std::vector<unsigned>& ranks)
{
    std::uint64_t elements = 1;
    return std::all_of(ranks.begin(), ranks.end(), [&](unsigned rank) { return (elements *= rank) <= std::uint64_t{1} << 20; });
}

std::string onlyWithCore(const ModelFile&, const Model& model)
{
    if (model.kind == ModelKind::Cp)
        return "a cp model has no core";
    if (model.kind == ModelKind::FastTucker && !isSmall(model.ranks))
        return fmt::format("the dense core of ranks {} would have more than 2^20 elements; the core factors hold it",
                           fmt::join(model.ranks, " x "));
    return {};
}

std::string onlyWithHistory(const ModelFile& file, const Model&)
{
    return file.history.empty() ? "this model holds no history of a run" : "";
}

void addFactors(FileSet& files, const std::string& prefix, const ModelFile& file, const Model& model, kernels::Progress& progress)
{
    for (unsigned n = 0; n < model.order(); ++n)
        tables::writeFactorCsv(files.add(fmt::format("{}factor_{}.csv", prefix, n)), model.factors[n],
                               n < file.modes.size() ? file.modes[n].labels : tables::Names(), file.componentNames, progress);
}

void addCsvFolder(FileSet& files, const std::string& folder, const ModelFile& file, const Model& model, kernels::Progress& progress)
{
    files.makeFolder(folder);
    const std::string prefix = folder + "/";
    addFactors(files, prefix, file, model, progress);
    if (model.kind == ModelKind::Cp)
        tables::writeWeightsCsv(files.add(prefix + "weights.csv"), model, file.componentNames);
    if (model.kind == ModelKind::Tucker)
        tables::writeCore(files.add(prefix + "core.tensor"), model, progress);
    for (std::size_t n = 0; n < model.coreFactors.size(); ++n)
        tables::writeFactorCsv(files.add(fmt::format("{}core_factor_{}.csv", prefix, n)), model.coreFactors[n], file.componentNames, {},
                               progress); // its rows are the factor's columns
    if (!file.history.empty())
        files.add(prefix + "metrics.csv").write(metricsCsv({{"", &file.history}}));
}

void addSplattFolder(FileSet& files, const std::string& folder, const ModelFile&, const Model& given, kernels::Progress& progress)
{
    files.makeFolder(folder);
    Model model = given;
    text::foldSigns(model);
    for (unsigned n = 0; n < model.order(); ++n)
        tables::writeSplattMatrix(files.add(fmt::format("{}/mode{}.mat", folder, n + 1)), model.factors[n], progress);
    tables::writeSplattVector(files.add(folder + "/lambda.mat"), model.weights);
}

void addCore(FileSet& files, const std::string& prefix, const ModelFile& file, const Model& model, kernels::Progress& progress)
{
    tables::writeCore(files.add(prefix + std::string(coreEnding)), model, progress);
    addFactors(files, prefix + ".", file, model, progress);
}

void addKtensor(FileSet& files, const std::string& path, const ModelFile&, const Model& model, kernels::Progress& progress)
{
    text::writeKtensor(files.add(path), model, progress);
}

void addNpz(FileSet& files, const std::string& path, const ModelFile& file, const Model& model, kernels::Progress& progress)
{
    npz::write(files.add(path), file, model, progress);
}

void addMetrics(FileSet& files, const std::string& path, const ModelFile& file, const Model&, kernels::Progress&)
{
    files.add(path).write(metricsCsv({{"", &file.history}}));
}

template <auto add>
std::vector<std::string> allOf(const ModelFile& file, const Model& model, const std::string& path, kernels::Progress& progress,
                               Existing existing)
{
    FileSet files(existing);
    add(files, path, file, model, progress);
    return files.commit();
}

std::vector<std::string> writeHdf5(const ModelFile& file, const Model& model, const std::string& path, kernels::Progress& progress,
                                   Existing existing)
{
    refuseLosing(path, existing);
    writeModel(path, file, model, &progress);
    return {path};
}

std::string withoutSlashes(std::string path)
{
    while (path.size() > 1 && path.ends_with('/'))
        path.pop_back();
    return path;
}

std::vector<std::string> allIds()
{
    std::vector<std::string> ids;
    for (const ExportKind& kind : exportKinds())
        ids.emplace_back(kind.id);
    return ids;
}

using Target = ExportKind::Target;

ExportKind kindOf(const char* id, const char* title, const char* purpose, Target target, std::vector<const char*> endings,
                  ExportKind::Write write, ExportKind::Refuses refuses, ExportKind::Needs needs = ExportKind::Needs::Model)
{
    return {id, title, purpose, target, std::move(endings), needs, write, refuses};
}

} // namespace

const std::vector<ExportKind>& exportKinds()
{
    using Needs = ExportKind::Needs;
    static const std::vector<ExportKind> kinds{
        kindOf("h5", "Polyad model", "All there is of the run, for polyad-cli, h5py, MATLAB, Julia and R.", Target::File, {".h5", ".hdf5"},
               writeHdf5, anyModel, Needs::Run),
        kindOf("npz", "NumPy archive", "Factors with their labels, core and settings for numpy.load.", Target::File, {".npz"},
               allOf<addNpz>, anyModel),
        kindOf("csv", "CSV tables", "A folder for spreadsheets and scripts: factors with their labels, core and metrics.", Target::Folder,
               {}, allOf<addCsvFolder>, anyModel),
        kindOf("metrics", "Metrics", "A table of all iterations: errors and times.", Target::File, {".csv"}, allOf<addMetrics>,
               onlyWithHistory, Needs::History),
        kindOf("ktensor", "ktensor", "A cp model as text for Tensor Toolbox, pyttb and GenTen.", Target::File, {".ktensor"},
               allOf<addKtensor>, onlyCp),
        kindOf("core", "Core and factors",
               "The core of a tucker or fasttucker model for Tensor Toolbox and pyttb, and NAME.factor_n.csv beside it.", Target::Prefix,
               {coreEnding.data()}, allOf<addCore>, onlyWithCore),
        kindOf("splatt", "SPLATT matrices", "A folder of mode1.mat, … and lambda.mat, as SPLATT writes a cp model.", Target::Folder, {},
               allOf<addSplattFolder>, onlyCp)};
    return kinds;
}

const ExportKind& exportKind(std::string_view id)
{
    for (const ExportKind& kind : exportKinds()) {
        if (kind.id == id)
            return kind;
    }
    throw kernels::Error(
        kernels::ErrorKind::BadArgument,
        {"there is no such kind of export", "--to", fmt::format("\"{}\"", id), fmt::format("one of {}", fmt::join(allIds(), ", ")), {}});
}

const ExportKind& exportKindFor(const std::string& target)
{
    std::error_code ignored;
    if (target.ends_with('/') || std::filesystem::is_directory(target, ignored))
        return exportKind("csv");
    std::vector<std::string> endings;
    for (const ExportKind& kind : exportKinds()) {
        for (const char* ending : kind.endings) {
            if (target.ends_with(ending))
                return kind;
            endings.emplace_back(ending);
        }
    }
    if (!std::filesystem::path(target).has_extension() && target != standardStream && !std::filesystem::exists(target, ignored))
        return exportKind("csv"); // a folder that is made
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"the ending names no kind of export",
                          target,
                          {},
                          fmt::format("a folder, or one of {}", fmt::join(endings, ", ")),
                          "Name the kind: --to npz"});
}

std::vector<std::string> exportModel(const ExportKind& kind, const ModelFile& file, const Model& model, const std::string& target,
                                     kernels::Progress& progress, Existing existing)
{
    if (const std::string reason = kind.refuses(file, model); !reason.empty())
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"cannot be written as " + std::string(kind.id), target, reason, {}, "h5, npz and csv hold every model."});
    if (target == standardStream && kind.target != ExportKind::Target::File)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"this kind is several files, and standard output is one",
                              std::string("--to ") + kind.id,
                              {},
                              {},
                              "Name a folder, or choose a kind that is one file."});
    std::string path = kind.target == ExportKind::Target::File ? target : withoutSlashes(target);
    if (kind.target == ExportKind::Target::Prefix && path.ends_with(coreEnding))
        path.resize(path.size() - coreEnding.size());
    return kind.write(file, model, path, progress, existing);
}

std::vector<std::string> exportModel(const ExportKind& kind, const ModelFile& file, const std::string& target, kernels::Progress& progress,
                                     Existing existing)
{
    return exportModel(kind, file, file.model, target, progress, existing);
}

} // namespace io
