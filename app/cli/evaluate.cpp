// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/evaluate.h"
#include "app/baseline_text.h"
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_argument.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "app/cli/tensor_output.h"
#include "app/train_test.h"
#include "app/written_values.h"
#include "io/error.h"
#include "kernels/algorithms/ntf/online.h"
#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/models/bulk_predictor.h"
#include "kernels/operations/additive_baseline.h"
#include "kernels/tensor/split.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <vector>

namespace cli {
namespace {

struct EvaluateCommand {
    std::string model, part = "all";
    TensorArgument tensor;
    bool json = false, fit = false, noBaselines = false;

    int run() const;

private:
    void checkOptions() const;
    void refuseHalfAFit(const app::OpenTensor&) const;
};

/// Of the mean and the additive model, on the same entries as the model.
struct BaselineFigures {
    kernels::ErrorSums mean, additive;
    kernels::CellFits fits; ///< instead, of models of all cells
};

struct Figures {
    kernels::ErrorSums errors;
    double fit = kernels::notMeasured;
    double divergences = 0; ///< of all entries together, where the model minimised one
    std::string noDivergence; ///< why there is none of them
    std::optional<BaselineFigures> baselines;
    std::string changes; ///< of the values before the run: "log1p, scale"; empty: none
    kernels::ErrorSums original; ///< errors of values that are changed back, where there are changes

    double divergence() const { return divergences / static_cast<double>(std::max<kernels::Count>(errors.count, 1)); }
};

/// Of the model's run, or nothing.
std::string divergenceOf(const io::ModelFile& file)
{
    const auto chosen = file.config.parameters.find("divergence");
    return file.config.algorithm == "ntf" && chosen != file.config.parameters.end() ? kernels::toString(chosen->second) : std::string();
}

/// Entries that the divergence cannot take have their other figures all the same.
void addDivergence(const io::ModelFile& file, const kernels::SparseTensor& entries, Figures& figures)
{
    if (divergenceOf(file).empty() || entries.entries() == 0)
        return;
    kernels::RunControl control;
    const Interrupt::Watch watch(control);
    kernels::RunConfig config = file.config;
    config.devices = {kernels::DeviceId{}};
    try {
        figures.divergences +=
            kernels::ntf::judge(file.model, config, entries, control).divergence * static_cast<double>(entries.entries());
    } catch (const kernels::Error& error) {
        if (error.kind() != kernels::ErrorKind::BadInput)
            throw;
        figures.noDivergence = error.what();
    }
}

/// The training or the test entries of the run that made the model.
kernels::SparseTensor partOf(const app::OpenTensor& open, const io::ModelFile& file, bool test)
{
    const auto requireEntries = [&](kernels::Count expected) {
        if (open.tensor.entries() != expected)
            throw io::Error({"this is not the tensor the model was made from", open.name.toStdString(),
                             countText(open.tensor.entries(), "entry", "entries"), countText(expected, "entry", "entries"),
                             "Give the same file or preset with the same reading options, or evaluate --part all."});
    };
    if (open.hasTestPart()) {
        if (file.config.split.kind == kernels::SplitKind::File && file.input.trainEntries > 0)
            requireEntries(file.input.trainEntries);
        return test ? open.test : open.tensor;
    }
    if (file.input.testPositions.empty()) {
        if (!test)
            return open.tensor;
        const bool fromFile = file.config.split.kind == kernels::SplitKind::File;
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"this model holds no test positions",
                              "--part test",
                              {},
                              {},
                              fromFile ? "It was tested on a file of its own: evaluate it on that file, without --part."
                                       : "It was made without a test set."});
    }
    requireEntries(file.input.entries);
    kernels::Split split = kernels::splitAt(open.tensor, file.input.testPositions);
    return test ? std::move(split.test) : std::move(split.train);
}

/// "log1p, scale": what a model's recipe did to the values of its table.
std::string changesOf(const io::ModelFile& file)
{
    std::vector<std::string> texts;
    if (file.input.recipe)
        for (const io::table::Transform& transform : file.input.recipe->transforms)
            texts.push_back(transform.kind == io::table::Transform::Kind::Scale ? "scale" : io::table::transformText(transform));
    return joined(texts, ", ");
}

/// In the units of the table that the model was made from. The same bits every time.
kernels::ErrorSums originalErrors(const io::ModelFile& file, const kernels::SparseTensor& entries, kernels::Progress& progress)
{
    progress.begin("original values", entries.entries());
    const kernels::BulkPredictor predictor(file.model, entries, &progress);
    const app::WrittenValues written(file.input.recipe);
    std::vector<kernels::ErrorSums> parts(kernels::chunkCount(entries.entries(), predictor.entriesPerChunk()));
    kernels::forEachChunk(entries.entries(), predictor.entriesPerChunk(), &progress,
                          [&](kernels::Count chunk, kernels::Count begin, kernels::Count end) {
                              std::vector<double> predicted(end - begin);
                              predictor.predict(begin, end, predicted.data());
                              std::vector<kernels::Index> at(entries.order());
                              for (kernels::Count entry = begin; entry < end; ++entry) {
                                  for (unsigned n = 0; n < entries.order(); ++n)
                                      at[n] = entries.indices[n][entry];
                                  const double error = written(at, predicted[entry - begin]) - written(at, entries.value(entry));
                                  parts[chunk] += {error * error, std::abs(error), 1};
                              }
                          });
    kernels::ErrorSums total;
    for (const kernels::ErrorSums& part : parts)
        total += part;
    return total;
}

Figures measure(const io::ModelFile& file, const app::OpenTensor& open, const std::string& part, bool fit)
{
    kernels::Progress& progress = Interrupt::progress();
    const StageLine line(progress);
    Figures figures;
    figures.changes = changesOf(file);
    const auto judgeBy = [&](const kernels::SparseTensor& entries) {
        figures.errors += kernels::evaluateModel(file.model, entries, &progress);
        if (!figures.changes.empty())
            figures.original += originalErrors(file, entries, progress);
        if (fit)
            figures.fit = kernels::modelFit(file.model, entries, &progress);
        addDivergence(file, entries, figures);
    };
    if (part == "all") {
        judgeBy(open.tensor);
        if (open.hasTestPart())
            judgeBy(open.test);
    } else {
        judgeBy(partOf(open, file, part == "test"));
    }
    return figures;
}

/// Whether these are the entries that the model's run had, so that its training part is known.
bool isOfTheRun(const app::OpenTensor& open, const io::ModelFile& file)
{
    if (open.hasTestPart())
        return file.config.split.kind == kernels::SplitKind::File && open.tensor.entries() == file.input.trainEntries;
    return open.tensor.entries() == file.input.entries
        && (!file.input.testPositions.empty() || file.input.trainEntries == file.input.entries);
}

/// Learnt from the training part alone, as the model is. Nothing where that is not known, or where the model is of all cells and
/// the fit was not asked for: errors of observed entries do not compare there.
std::optional<BaselineFigures> baselinesOf(const io::ModelFile& file, const app::OpenTensor& open, const std::string& part, bool fit)
{
    const bool ofCells = file.objective == kernels::Objective::All;
    if (!isOfTheRun(open, file) || !file.updates.empty() || (ofCells && !fit))
        return {};
    kernels::Progress& progress = Interrupt::progress();
    const StageLine line(progress);
    std::optional<kernels::SparseTensor> trainPart, testPart;
    const bool held = !open.hasTestPart() && !file.input.testPositions.empty();
    const kernels::SparseTensor& train = held ? trainPart.emplace(partOf(open, file, false)) : open.tensor;
    std::vector<const kernels::SparseTensor*> measured{&open.tensor};
    if (part == "train")
        measured = {&train};
    else if (part == "test")
        measured = {&testPart.emplace(partOf(open, file, true))};
    else if (open.hasTestPart())
        measured.push_back(&open.test);
    BaselineFigures figures;
    if (ofCells) {
        figures.fits = kernels::fitsOfAllCells(*measured.front(), &progress);
        return figures;
    }
    const kernels::AdditiveModel mean = kernels::meanModel(train, &progress), additive = kernels::fitAdditiveModel(train, &progress);
    for (const kernels::SparseTensor* each : measured) {
        figures.mean += kernels::errorsOf(mean, *each, &progress);
        figures.additive += kernels::errorsOf(additive, *each, &progress);
    }
    return figures;
}

nlohmann::ordered_json baselinesJson(const BaselineFigures& figures)
{
    if (!std::isnan(figures.fits.mean))
        return {{"mean", {{"fit", figures.fits.mean}}}, {"additive", {{"fit", figures.fits.additive}}}};
    const auto errors = [](const kernels::ErrorSums& sums) { return nlohmann::ordered_json{{"rmse", sums.rmse()}, {"mae", sums.mae()}}; };
    return {{"mean", errors(figures.mean)}, {"additive", errors(figures.additive)}};
}

std::string baselinesText(const Figures& figures)
{
    if (!figures.baselines)
        return {};
    const BaselineFigures& of = *figures.baselines;
    const bool ofCells = !std::isnan(of.fits.mean);
    const app::BaselineComparison comparison = ofCells
        ? app::BaselineComparison{"fit", figures.fit, of.fits.mean, of.fits.additive, true}
        : app::BaselineComparison{"RMSE", figures.errors.rmse(), of.mean.rmse(), of.additive.rmse(), false};
    const std::string verdict = app::baselineVerdict(comparison).toStdString();
    return app::baselinesText(comparison).toStdString() + '\n' + (verdict.empty() ? verdict : verdict + '\n');
}

void EvaluateCommand::checkOptions() const
{
    if (part != "all" && part != "train" && part != "test")
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"not a value for this option", "--part", fmt::format("\"{}\"", part), "all, train or test", {}});
    if (fit && part == "test")
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"the fit is of all cells, and the test entries are few of them",
                              "--part test --fit",
                              {},
                              {},
                              "Leave --fit out, or take --part train (what the run told) or all."});
}

/// The entries of two tensors are the cells of neither.
void EvaluateCommand::refuseHalfAFit(const app::OpenTensor& open) const
{
    if (fit && part == "all" && open.hasTestPart())
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"this tensor brings its own test part, and the fit is of all cells of one tensor",
                              "--fit",
                              {},
                              {},
                              "Add --part train, or leave --fit out."});
}

int EvaluateCommand::run() const
{
    checkOptions();
    refuseSwapped("evaluate", model, tensor.text);
    const io::ModelFile file = readModelArgument(model);
    const auto open = tensor.open(app::Statistics::Skip, &file);
    TensorArgument::requireEntries(*open);
    app::leaveOutUnknown(*open, file.model.dims);
    TensorArgument::requireEntries(*open);
    printWarnings(open->report.warnings);
    refuseHalfAFit(*open);
    app::fitDims(open->tensor, file.model.dims, tensor.text, "the model");
    if (open->hasTestPart())
        app::fitDims(open->test, file.model.dims, tensor.text, "the model");
    Figures figures = measure(file, *open, part, fit);
    if (!noBaselines)
        figures.baselines = baselinesOf(file, *open, part, fit);
    if (json) {
        nlohmann::ordered_json object{{"model", model},
                                      {"tensor", tensor.text},
                                      {"part", part},
                                      {"entries", figures.errors.count},
                                      {"rmse", figures.errors.rmse()},
                                      {"mae", figures.errors.mae()}};
        if (!figures.changes.empty()) {
            object["changes"] = figures.changes;
            object["original"] = {{"rmse", figures.original.rmse()}, {"mae", figures.original.mae()}};
        }
        if (fit)
            object["fit"] = figures.fit;
        if (!divergenceOf(file).empty() && figures.noDivergence.empty())
            object["divergence"] = {{"kind", divergenceOf(file)}, {"mean", figures.divergence()}};
        if (figures.baselines)
            object["baselines"] = baselinesJson(*figures.baselines);
        print(object.dump(2) + '\n');
    } else {
        const std::string of = figures.changes.empty() ? "" : fmt::format(" of the changed values ({})", figures.changes);
        std::string text = fmt::format("{} ({})\nRMSE {}{}\nMAE  {}{}\n", countText(figures.errors.count, "entry", "entries"), part,
                                       numberText(figures.errors.rmse()), of, numberText(figures.errors.mae()), of);
        if (!figures.changes.empty())
            text += fmt::format("RMSE {} of the original values\nMAE  {} of the original values\n", numberText(figures.original.rmse()),
                                numberText(figures.original.mae()));
        if (fit)
            text += fmt::format("fit  {} ({} zeros)\n", numberText(figures.fit),
                                part == "train" ? "cells outside the training part are" : "missing entries are");
        if (!figures.noDivergence.empty())
            text += fmt::format("no divergence: {}\n", figures.noDivergence);
        else if (!divergenceOf(file).empty())
            text += fmt::format("{} divergence {} an entry\n", divergenceOf(file), numberText(figures.divergence()));
        print(text + baselinesText(figures));
    }
    return fine;
}

} // namespace

void addEvaluate(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("evaluate", "Judge a model by a tensor's entries: RMSE, MAE, divergence, fit");
    auto command = std::make_shared<EvaluateCommand>();
    sub->add_option("MODEL", command->model, "A model file")->required()->type_name("");
    command->tensor.addTo(*sub, "TENSOR", "The tensor to judge by, or preset:ID[:SCALE]", true);
    sub->add_option("--part", command->part, "Which entries: all, or those the run trained or tested on (all)")
        ->type_name("all|train|test");
    sub->add_flag("--fit", command->fit, "Also 1 - |X - X^|/|X| over all cells, missing ones zero; not of the test part");
    sub->add_flag("--no-baselines", command->noBaselines, "Do not compare the model with the mean and the additive model");
    sub->add_flag("--json", command->json, "For programs");
    sub->footer("A model remembers which entries its run held out: --part test repeats what the run claimed.\n"
                "\n"
                "Example:\n  polyad-cli evaluate model.h5 flights.tns --part test");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
