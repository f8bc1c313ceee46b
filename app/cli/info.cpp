// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/baseline_text.h"
#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/component_text.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/standard_output.h"
#include "app/cli/table_text.h"
#include "app/cli/tensor_argument.h"
#include "app/empty_cells.h"
#include "app/model_update.h"
#include "io/baselines_json.h"
#include "io/labels.h"
#include "io/model_file.h"
#include "io/table/table_format.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/operations/mttkrp/format_sizes.h"
#include "kernels/operations/sparsity.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>

namespace cli {
namespace {

using nlohmann::ordered_json;

// ---- tensors

std::string modesTable(const app::OpenTensor& open)
{
    std::vector<std::vector<std::string>> rows{
        {"mode", "name", "size", "labels", "empty slices", "largest slice", "mean slice", "heaviest index"}};
    for (unsigned n = 0; n < open.tensor.order(); ++n) {
        const kernels::Mode& mode = open.tensor.modes[n];
        const kernels::ModeStatistics& s = open.statistics.modes.at(n);
        std::string heaviest = "–";
        if (!s.heaviest.empty()) {
            const kernels::Index index = s.heaviest.front().index;
            heaviest = fmt::format("{}", std::uint64_t{index} + 1);
            if (index < mode.labels.size())
                heaviest += " (" + mode.labels[index] + ")";
        }
        rows.push_back({fmt::format("{}", n + 1), mode.name, countText(mode.size), mode.labels.empty() ? "no" : "yes",
                        countText(s.emptySlices), countText(s.largestSlice), bigText(s.meanSlice), heaviest});
    }
    return tableText(rows, {true, false, true, false, true, true, true, false});
}

kernels::ProblemShape shapeOf(const kernels::SparseTensor& tensor) { return {tensor.dims(), tensor.entries(), 0}; }
unsigned valueBytes(const kernels::SparseTensor& tensor) { return tensor.hasDoubleValues() ? sizeof(double) : sizeof(float); }

std::optional<std::uint64_t> bytesOn(kernels::DeviceKind kind, const kernels::TensorFormatInfo& format, const kernels::SparseTensor& tensor)
{
    return kernels::mttkrp::formatBytes(format, kind, shapeOf(tensor), valueBytes(tensor));
}

std::string formatsTable(const kernels::SparseTensor& tensor)
{
    std::vector<std::vector<std::string>> rows{
        {"format", "", tensor.hasDoubleValues() ? "at most, in fp64" : "at most, in fp32", "on a GPU", ""}};
    for (const kernels::TensorFormatInfo& format : kernels::tensorFormats()) {
        const auto text = [&](kernels::DeviceKind kind) {
            const std::optional<std::uint64_t> bytes = bytesOn(kind, format, tensor);
            return bytes ? kernels::formatBytes(*bytes) : "–";
        };
        rows.push_back({format.id, format.title, text(kernels::DeviceKind::Cpu), text(kernels::DeviceKind::Cuda), format.summary});
    }
    return tableText(rows, {false, false, true, true, false});
}

std::string emptyCellsLine(const app::OpenTensor& open)
{
    if (!kernels::hasEmptyCells(open.tensor))
        return {};
    std::string text = app::emptyCellsText(open.emptyCells()).toStdString();
    if (app::asksForEmptyCells(open))
        text += ". " + app::emptyCellsProposal(app::emptyCellsAdvice(open)).toStdString() + " Say it with --empty zero|unknown.";
    return "empty cells  " + text + '\n';
}

std::string tensorText(const app::OpenTensor& open)
{
    const auto& [tensor, report, s] = std::tie(open.tensor, open.report, open.statistics);
    std::string text = fmt::format("{}: {} tensor of order {}, {}\n", open.name.toStdString(), fmt::join(tensor.dims(), " x "),
                                   tensor.order(), tensor.hasDoubleValues() ? "fp64" : "fp32");
    text += fmt::format("entries      {} ({} of all cells), {} in memory\n", countText(tensor.entries()), percentText(tensor.density()),
                        kernels::formatBytes(tensor.bytes()));
    text += fmt::format("values       {} to {}, mean {}, s.d. {}{}\n", numberText(s.valueMin), numberText(s.valueMax),
                        numberText(s.valueMean), numberText(s.valueDeviation), s.valuesAreWhole ? ", whole numbers" : "");
    text += emptyCellsLine(open);
    if (open.hasTestPart())
        text += fmt::format("test part    {}\n", countText(open.test.entries(), "entry", "entries"));
    text += fmt::format("layout       {}\n", report.layout);
    text += fmt::format("index base   {}\n", report.indexBase);
    text += fmt::format("checks       {}, {}{}\n",
                        countText(std::max<std::uint64_t>(report.duplicatesMerged, s.duplicates), "duplicate", "duplicates"),
                        countText(report.explicitZeros, "stored zero", "stored zeros"), report.wasSorted ? ", sorted" : ", was not sorted");
    text += report.fileBytes
        ? fmt::format("read         {} in {}, {} entries/s\n", kernels::formatBytes(report.fileBytes), secondsText(report.seconds),
                      bigText(static_cast<double>(report.entriesRead) / std::max(1e-9, report.seconds)))
        : fmt::format("generated    in {}\n", secondsText(report.seconds));
    for (const std::string& note : report.notes)
        text += "note         " + note + '\n';
    for (const std::string& source : io::labelSources(open.modes(), report))
        text += "note         " + source + '\n';
    for (const std::string& warning : report.warnings)
        text += "warning      " + warning + '\n';
    return text + '\n' + modesTable(open) + '\n' + formatsTable(tensor);
}

ordered_json modeJson(const kernels::Mode& mode, const kernels::ModeStatistics& s)
{
    ordered_json heaviest = ordered_json::array();
    for (const kernels::Slice& slice : s.heaviest) {
        ordered_json one{{"index", slice.index}, {"entries", slice.entries}};
        if (slice.index < mode.labels.size())
            one["label"] = mode.labels[slice.index];
        heaviest.push_back(std::move(one));
    }
    return {{"name", mode.name},
            {"size", mode.size},
            {"labels", !mode.labels.empty()},
            {"empty_slices", s.emptySlices},
            {"largest_slice", s.largestSlice},
            {"mean_slice", s.meanSlice},
            {"heaviest", heaviest}};
}

ordered_json formatsJson(const kernels::SparseTensor& tensor)
{
    ordered_json formats = ordered_json::array();
    for (const kernels::TensorFormatInfo& format : kernels::tensorFormats()) {
        formats.push_back({{"id", format.id}});
        if (const auto bytes = bytesOn(kernels::DeviceKind::Cpu, format, tensor))
            formats.back()["most_bytes"] = *bytes;
        if (const auto bytes = bytesOn(kernels::DeviceKind::Cuda, format, tensor))
            formats.back()["most_bytes_on_gpu"] = *bytes;
    }
    return formats;
}

/// What was said, else what the values propose.
ordered_json emptyCellsJson(const app::OpenTensor& open)
{
    ordered_json object{{"meaning", kernels::toString(open.emptyCells())}};
    if (app::asksForEmptyCells(open)) {
        const kernels::EmptyCellsAdvice advice = app::emptyCellsAdvice(open);
        object["proposal"] = kernels::toString(advice.meaning);
        object["reason"] = app::emptyCellsProposal(advice).toStdString();
    }
    return object;
}

ordered_json tensorJson(const app::OpenTensor& open)
{
    const auto& [tensor, report, s] = std::tie(open.tensor, open.report, open.statistics);
    ordered_json modes = ordered_json::array();
    for (unsigned n = 0; n < tensor.order(); ++n) {
        modes.push_back(modeJson(tensor.modes[n], s.modes.at(n)));
        if (n < report.labelFiles.size() && !report.labelFiles[n].empty())
            modes.back()["label_file"] = report.labelFiles[n];
    }
    ordered_json histogram = ordered_json::array();
    for (const kernels::HistogramBin& bin : s.histogram)
        histogram.push_back({{"lower", bin.lower}, {"upper", bin.upper}, {"count", bin.count}});
    return {{"kind", "tensor"},
            {"name", open.name.toStdString()},
            {"order", tensor.order()},
            {"dims", tensor.dims()},
            {"nnz", tensor.entries()},
            {"nnz_test", open.test.entries()},
            {"density", tensor.density()},
            {"empty_cells", emptyCellsJson(open)},
            {"index_base_of_this_report", 0},
            {"values",
             {{"type", tensor.hasDoubleValues() ? "float64" : "float32"},
              {"min", s.valueMin},
              {"max", s.valueMax},
              {"mean", s.valueMean},
              {"deviation", s.valueDeviation},
              {"rms", s.rootMeanSquare},
              {"zeros", s.zeros},
              {"whole", s.valuesAreWhole},
              {"histogram", histogram}}},
            {"modes", modes},
            {"file",
             {{"format", report.formatId},
              {"layout", report.layout},
              {"index_base", report.indexBase},
              {"bytes", report.fileBytes},
              {"entries_read", report.entriesRead},
              {"duplicates", std::max<std::uint64_t>(report.duplicatesMerged, s.duplicates)},
              {"explicit_zeros", report.explicitZeros},
              {"zeros_dropped", report.zerosDropped},
              {"was_sorted", report.wasSorted},
              {"seconds", report.seconds},
              {"notes", report.notes},
              {"warnings", report.warnings}}},
            {"memory_bytes", tensor.bytes()},
            {"formats", formatsJson(tensor)}};
}

// ---- models

const kernels::IterationRecord* bestRecord(const io::ModelFile& file)
{
    for (const kernels::IterationRecord& record : file.history)
        if (record.iteration == file.bestIteration)
            return &record;
    return nullptr;
}

std::string modelRanksText(const kernels::Model& m)
{
    if (m.kind == kernels::ModelKind::Cp)
        return fmt::format("rank {}", m.coreRank);
    const std::string ranks = fmt::format("ranks {}", fmt::join(m.ranks, " x "));
    return m.kind == kernels::ModelKind::FastTucker ? fmt::format("{}, core rank {}", ranks, m.coreRank) : ranks;
}

void addNumber(ordered_json& object, const char* key, double value)
{
    if (!std::isnan(value))
        object[key] = value;
}

/// "test RMSE 0.91, MAE 0.72"; a batch of an older file has no MAE.
std::string errorsText(const std::string& whose, double rmse, double mae)
{
    return fmt::format("{}RMSE {}{}", whose.empty() ? "" : whose + ' ', numberText(rmse),
                       std::isnan(mae) ? "" : ", MAE " + numberText(mae));
}

/// The last of them a line each.
std::string updatesText(const io::ModelFile& file)
{
    constexpr std::size_t shown = 10;
    if (file.updates.empty())
        return {};
    kernels::Count entries = 0;
    for (const io::UpdateRecord& update : file.updates)
        entries += update.entries;
    std::string text = fmt::format("updates      {}, {}; {} of the training entries since the last pass over all\n",
                                   countText(file.updates.size()), countText(entries, "entry", "entries"), percentText(app::driftOf(file)));
    const std::size_t first = file.updates.size() > shown ? file.updates.size() - shown : 0;
    for (std::size_t i = first; i < file.updates.size(); ++i) {
        const io::UpdateRecord& update = file.updates[i];
        if (update.entries == 0) {
            text += fmt::format("  {:<10} {} over all entries, {}\n", update.finishedUtc, countText(update.passes, "pass", "passes"),
                                secondsText(update.seconds));
            continue;
        }
        text += fmt::format("  {:<10} {}: {}, {}, {}{}{}{}, {}\n", update.finishedUtc, update.fileName,
                            countText(update.entries, "entry", "entries"), countText(update.newRows, "new row", "new rows"),
                            errorsText({}, update.rmseAfter, update.maeAfter),
                            std::isnan(update.divergenceAfter) ? "" : ", divergence " + numberText(update.divergenceAfter),
                            update.weight == 1 ? "" : fmt::format(", weight {}", update.weight),
                            update.paperRule ? ", the paper's rule" : "", secondsText(update.seconds));
    }
    return text;
}

ordered_json updatesJson(const io::ModelFile& file)
{
    ordered_json list = ordered_json::array();
    for (const io::UpdateRecord& update : file.updates) {
        ordered_json object{{"file", update.fileName},       {"finished_utc", update.finishedUtc},
                            {"iteration", update.iteration}, {"entries", update.entries},
                            {"new_rows", update.newRows},    {"rule", update.paperRule ? "paper" : "ours"},
                            {"weight", update.weight},       {"steps", update.steps},
                            {"passes", update.passes},       {"seconds", update.seconds}};
        addNumber(object, "rmse_before", update.rmseBefore);
        addNumber(object, "rmse", update.rmseAfter);
        addNumber(object, "mae", update.maeAfter);
        addNumber(object, "divergence", update.divergenceAfter);
        list.push_back(std::move(object));
    }
    return list;
}

std::string modelText(const std::string& path, const io::ModelFile& file)
{
    const kernels::Model& m = file.model;
    std::string text =
        fmt::format("{}: {} model of a {} tensor, {}\n", path, kernels::toString(m.kind), fmt::join(m.dims, " x "), modelRanksText(m));
    if (const kernels::Sparsity zeros = kernels::sparsityOf(m); m.kind == kernels::ModelKind::Tucker && zeros.any())
        text += fmt::format("zeros        {:.1f} % of the core's numbers, {:.1f} % of the factors'\n", zeros.corePercent(),
                            zeros.factorPercent());
    if (file.config.algorithm.empty())
        return text + "read from    text (ktensor): nothing is known of its run\n";
    text += fmt::format("algorithm    {} ({}), {}, seed {}\n", file.config.algorithm, file.config.variant,
                        kernels::toString(file.config.precision), file.config.seed);
    if (file.status == "running")
        text += fmt::format("run          a checkpoint after {} of {}, begun {}\n", file.history.size(),
                            countText(file.config.stopping.iterations, "iteration", "iterations"), file.startedUtc);
    else
        text += fmt::format("run          {} ({}), {}, {} to {}\n", file.status, file.stopReason,
                            countText(file.history.size(), "iteration", "iterations"), file.startedUtc, file.finishedUtc);
    if (const auto* best = bestRecord(file)) {
        text += fmt::format("best         iteration {}: ", best->iteration);
        text += std::isnan(best->fit) ? "" : fmt::format("fit {} (all cells, missing ones zero); ", numberText(best->fit));
        const auto* const update = app::updateAt(file.updates, best->iteration);
        text += update && !update->sawAllEntries() ? errorsText("the new entries'", update->rmseAfter, update->maeAfter)
                                                   : errorsText("train", best->trainRmse, best->trainMae);
        text += std::isnan(best->testRmse) ? "\n" : "; " + errorsText("test", best->testRmse, best->testMae) + '\n';
        if (const auto comparison = file.baselines ? app::compareWith(*file.baselines, *best) : std::nullopt) {
            const std::string verdict = app::baselineVerdict(*comparison).toStdString();
            text +=
                fmt::format("baselines    mean {}, additive {} ({}){}\n", numberText(comparison->mean), numberText(comparison->additive),
                            comparison->measure.toStdString(), verdict.empty() ? verdict : "\n             " + verdict);
        }
    }
    text += fmt::format("input        {}: {}, {} for training, {} for testing\n", file.input.fileName,
                        countText(file.input.entries, "entry", "entries"), countText(file.input.trainEntries),
                        countText(file.input.testEntries));
    if (file.input.emptyCells != kernels::EmptyCells::Unsaid)
        text += fmt::format("empty cells  {}\n", kernels::toString(file.input.emptyCells));
    text += updatesText(file);
    for (std::size_t n = 0; n < file.modes.size(); ++n)
        if (!file.modes[n].name.empty())
            text += fmt::format("mode {}       {}{}\n", n + 1, file.modes[n].name, file.modes[n].labels.empty() ? "" : ", labelled");
    for (std::size_t r = 0; r < file.componentNames.size(); ++r)
        if (!file.componentNames[r].empty())
            text += fmt::format("component {:<2} {}\n", r + 1, file.componentNames[r]);
    if (file.command.empty())
        return text; // settings and entries of several runs, or none that a command could name
    if (!file.updates.empty()) // its command would write over what was learnt since
        return text + "its run was  " + file.command + "\n             The updates are not in it; it would write a model without them.\n";
    text += "repeat with  " + file.command + '\n';
    if (!file.config.deterministic)
        text += "             The last digits may differ; runs with --deterministic repeat bit for bit.\n";
    return text;
}

ordered_json modelJson(const std::string& path, const io::ModelFile& file)
{
    const kernels::Model& m = file.model;
    ordered_json object{{"kind", "model"},
                        {"file", path},
                        {"model", kernels::toString(m.kind)},
                        {"dims", m.dims},
                        {"ranks", m.ranks},
                        {"core_rank", m.coreRank},
                        {"objective", kernels::toString(file.objective)},
                        {"algorithm", file.config.algorithm},
                        {"variant", file.config.variant},
                        {"precision", kernels::toString(file.config.precision)},
                        {"seed", file.config.seed},
                        {"status", file.status},
                        {"stop_reason", file.stopReason},
                        {"iterations", file.history.size()},
                        {"best_iteration", file.bestIteration}};
    if (m.kind == kernels::ModelKind::Tucker) {
        const kernels::Sparsity zeros = kernels::sparsityOf(m);
        object["core_zeros"] = zeros.coreZeros;
        object["factor_zeros"] = zeros.factorZeros;
    }
    if (const auto* best = bestRecord(file)) {
        addNumber(object, "train_rmse", best->trainRmse);
        addNumber(object, "train_mae", best->trainMae);
        addNumber(object, "test_rmse", best->testRmse);
        addNumber(object, "test_mae", best->testMae);
        addNumber(object, "fit", best->fit);
    }
    object["input"] = {{"file_name", file.input.fileName},
                       {"sha256", file.input.sha256},
                       {"empty_cells", kernels::toString(file.input.emptyCells)},
                       {"nnz", file.input.entries},
                       {"nnz_train", file.input.trainEntries},
                       {"nnz_test", file.input.testEntries}};
    if (file.baselines)
        object["baselines"] = nlohmann::ordered_json::parse(io::toJson(*file.baselines));
    if (!file.updates.empty())
        object["updates"] = updatesJson(file);
    if (!file.componentNames.empty())
        object["component_names"] = file.componentNames;
    object["started_utc"] = file.startedUtc;
    object["finished_utc"] = file.finishedUtc;
    object["command"] = file.command;
    return object;
}

/// components: so many of the strongest rows of each are told, too; 0: none
int info(const TensorArgument& argument, bool json, std::size_t components)
{
    if (io::isModelFile(argument.text, &Interrupt::progress())) {
        const io::ModelFile file = io::readModel(argument.text, &Interrupt::progress());
        if (json) {
            ordered_json object = modelJson(argument.text, file);
            if (components > 0)
                object["components"] = componentsJson(file, components, Interrupt::progress());
            print(object.dump(2) + '\n');
        } else {
            print(modelText(argument.text, file) + (components > 0 ? componentsText(file, components, Interrupt::progress()) : ""));
        }
    } else if (io::table::isTable(argument.text) && !argument.table.modes && !argument.table.recipeFile) {
        const auto survey = io::table::survey(argument.text, argument.table.recipe().value_or(io::table::Recipe()), Interrupt::progress());
        print(json ? surveyJson(argument.text, survey).dump(2) + '\n' : surveyText(argument.text, survey));
    } else {
        requireEffect("--components", components > 0, false, "with a tensor");
        const auto open = argument.open(app::Statistics::Compute);
        print(json ? tensorJson(*open).dump(2) + '\n' : tensorText(*open));
    }
    return fine;
}

} // namespace

void addInfo(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("info", "Describe a table, a tensor or a model: columns, sizes, statistics");
    struct Options {
        TensorArgument tensor;
        bool json = false;
        std::optional<std::string> components;
    };
    auto options = std::make_shared<Options>();
    options->tensor.addTo(*sub, "FILE", "A table, a tensor file, a model file, - for standard input, or preset:ID[:SCALE]", true);
    sub->add_flag("--json", options->json, "For programs; indices count from 0 there");
    sub->add_option("--components", options->components,
                    "Of a model: what each component is made of, by the K strongest rows of every mode with their labels")
        ->type_name("K");
    sub->footer("Examples:\n  polyad-cli info flights.csv\n  polyad-cli info flights.tns\n  polyad-cli info data.h5:/group --json\n  "
                "polyad-cli info model.h5 --components 5");
    sub->callback([options, &action] {
        action = [options] {
            const auto& text = options->components;
            return info(options->tensor, options->json, text ? static_cast<std::size_t>(parseWhole("--components", *text, 1, 1000)) : 0);
        };
    });
}

} // namespace cli
