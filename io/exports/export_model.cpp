// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/exports/export_model.h"

#include "io/exports/file_set.h"
#include "io/exports/npz.h"
#include "io/exports/tables.h"
#include "io/metrics_csv.h"
#include "io/text/ktensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace io {
namespace {

using kernels::ModelKind;

constexpr std::string_view coreEnding = ".core.tensor";

std::string anyModel(const ModelFile&) { return {}; }

std::string onlyCp(const ModelFile& file)
{
    return file.model.kind == ModelKind::Cp ? ""
                                            : fmt::format("it holds cp models, and this is a {} model", kernels::toString(file.model.kind));
}

std::string onlyWithCore(const ModelFile& file)
{
    if (file.model.kind == ModelKind::Cp)
        return "a cp model has no core";
    if (file.model.kind == ModelKind::FastTucker && !kernels::denseCore(file.model))
        return fmt::format("the dense core of ranks {} would have more than 2^20 elements; the core factors hold it",
                           fmt::join(file.model.ranks, " x "));
    return {};
}

std::string onlyWithHistory(const ModelFile& file) { return file.history.empty() ? "this model holds no history of a run" : ""; }

void addFactors(FileSet& files, const std::string& prefix, const ModelFile& file, kernels::Progress& progress)
{
    for (unsigned n = 0; n < file.model.order(); ++n) {
        const kernels::Mode none;
        tables::writeFactorCsv(files.add(fmt::format("{}factor_{}.csv", prefix, n)), file.model.factors[n],
                               n < file.modes.size() ? file.modes[n] : none, progress);
    }
}

void addCsvFolder(FileSet& files, const std::string& folder, const ModelFile& file, kernels::Progress& progress)
{
    files.makeFolder(folder);
    const std::string prefix = folder + "/";
    addFactors(files, prefix, file, progress);
    if (file.model.kind == ModelKind::Cp)
        tables::writeWeightsCsv(files.add(prefix + "weights.csv"), file.model);
    if (file.model.kind == ModelKind::Tucker)
        tables::writeCore(files.add(prefix + "core.tensor"), file.model, progress);
    for (std::size_t n = 0; n < file.model.coreFactors.size(); ++n)
        tables::writeFactorCsv(files.add(fmt::format("{}core_factor_{}.csv", prefix, n)), file.model.coreFactors[n], {}, progress);
    if (!file.history.empty())
        files.add(prefix + "metrics.csv").write(metricsCsv({{"", &file.history}}));
}

void addSplattFolder(FileSet& files, const std::string& folder, const ModelFile& file, kernels::Progress& progress)
{
    files.makeFolder(folder);
    kernels::Model model = file.model;
    text::foldSigns(model);
    for (unsigned n = 0; n < model.order(); ++n)
        tables::writeSplattMatrix(files.add(fmt::format("{}/mode{}.mat", folder, n + 1)), model.factors[n], progress);
    tables::writeSplattVector(files.add(folder + "/lambda.mat"), model.weights);
}

void addCore(FileSet& files, const std::string& prefix, const ModelFile& file, kernels::Progress& progress)
{
    tables::writeCore(files.add(prefix + std::string(coreEnding)), file.model, progress);
    addFactors(files, prefix + ".", file, progress);
}

void addKtensor(FileSet& files, const std::string& path, const ModelFile& file, kernels::Progress& progress)
{
    text::writeKtensor(files.add(path), file.model, progress);
}

void addNpz(FileSet& files, const std::string& path, const ModelFile& file, kernels::Progress& progress)
{
    npz::write(files.add(path), file, progress);
}

void addMetrics(FileSet& files, const std::string& path, const ModelFile& file, kernels::Progress&)
{
    files.add(path).write(metricsCsv({{"", &file.history}}));
}

template <auto add> std::vector<std::string> allOf(const ModelFile& file, const std::string& path, kernels::Progress& progress)
{
    FileSet files;
    add(files, path, file, progress);
    return files.commit();
}

std::vector<std::string> writeHdf5(const ModelFile& file, const std::string& path, kernels::Progress& progress)
{
    writeModel(path, file, &progress);
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

} // namespace

const std::vector<ExportKind>& exportKinds()
{
    using Target = ExportKind::Target;
    static const std::vector<ExportKind> kinds{
        {"h5", "Polyad's own model file", Target::File, {".h5", ".hdf5"}, writeHdf5, anyModel},
        {"npz", "NumPy archive", Target::File, {".npz"}, allOf<addNpz>, anyModel},
        {"csv", "tables of factors, core and metrics", Target::Folder, {}, allOf<addCsvFolder>, anyModel},
        {"metrics", "table of all iterations", Target::File, {".csv"}, allOf<addMetrics>, onlyWithHistory},
        {"ktensor", "text for Tensor Toolbox, pyttb and GenTen; cp", Target::File, {".ktensor"}, allOf<addKtensor>, onlyCp},
        {"core", "that and NAME.factor_n.csv; tucker, fasttucker", Target::Prefix, {coreEnding.data()}, allOf<addCore>, onlyWithCore},
        {"splatt", "a folder of mode1.mat, … and lambda.mat; cp; never without --to", Target::Folder, {}, allOf<addSplattFolder>, onlyCp},
    };
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
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"the ending names no kind of export",
                          target,
                          {},
                          fmt::format("a folder, or one of {}", fmt::join(endings, ", ")),
                          "Name the kind: --to npz"});
}

std::vector<std::string> exportModel(const ExportKind& kind, const ModelFile& file, const std::string& target, kernels::Progress& progress)
{
    if (const std::string reason = kind.refuses(file); !reason.empty())
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"cannot be written as " + std::string(kind.id), target, reason, {}, "h5, npz and csv hold every model."});
    std::string path = kind.target == ExportKind::Target::File ? target : withoutSlashes(target);
    if (kind.target == ExportKind::Target::Prefix && path.ends_with(coreEnding))
        path.resize(path.size() - coreEnding.size());
    return kind.write(file, path, progress);
}

} // namespace io
