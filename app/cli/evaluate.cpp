// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/evaluate.h"
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_argument.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "app/cli/tensor_output.h"
#include "app/train_test.h"
#include "io/error.h"
#include "kernels/algorithms/ntf/online.h"
#include "kernels/base/error.h"
#include "kernels/tensor/split.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace cli {
namespace {

struct EvaluateCommand {
    std::string model, part = "all";
    TensorArgument tensor;
    bool json = false, fit = false;

    int run() const;

private:
    void checkOptions() const;
    void refuseHalfAFit(const app::OpenTensor&) const;
};

struct Figures {
    kernels::ErrorSums errors;
    double fit = kernels::notMeasured;
    double divergences = 0; ///< of all entries together, where the model minimised one
    std::string noDivergence; ///< why there is none of them

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

Figures measure(const io::ModelFile& file, const app::OpenTensor& open, const std::string& part, bool fit)
{
    kernels::Progress& progress = Interrupt::progress();
    const StageLine line(progress);
    Figures figures;
    const auto judgeBy = [&](const kernels::SparseTensor& entries) {
        figures.errors += kernels::evaluateModel(file.model, entries, &progress);
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
    app::leaveOutUnknown(*open, file.model.dims);
    printWarnings(open->report.warnings);
    refuseHalfAFit(*open);
    app::fitDims(open->tensor, file.model.dims, tensor.text, "the model");
    if (open->hasTestPart())
        app::fitDims(open->test, file.model.dims, tensor.text, "the model");
    const Figures figures = measure(file, *open, part, fit);
    if (json) {
        nlohmann::ordered_json object{{"model", model},
                                      {"tensor", tensor.text},
                                      {"part", part},
                                      {"entries", figures.errors.count},
                                      {"rmse", figures.errors.rmse()},
                                      {"mae", figures.errors.mae()}};
        if (fit)
            object["fit"] = figures.fit;
        if (!divergenceOf(file).empty() && figures.noDivergence.empty())
            object["divergence"] = {{"kind", divergenceOf(file)}, {"mean", figures.divergence()}};
        print(object.dump(2) + '\n');
    } else {
        std::string text = fmt::format("{} ({})\nRMSE {}\nMAE  {}\n", countText(figures.errors.count, "entry", "entries"), part,
                                       numberText(figures.errors.rmse()), numberText(figures.errors.mae()));
        if (fit)
            text += fmt::format("fit  {} ({} zeros)\n", numberText(figures.fit),
                                part == "train" ? "cells outside the training part are" : "missing entries are");
        if (!figures.noDivergence.empty())
            text += fmt::format("no divergence: {}\n", figures.noDivergence);
        else if (!divergenceOf(file).empty())
            text += fmt::format("{} divergence {} an entry\n", divergenceOf(file), numberText(figures.divergence()));
        print(text);
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
    sub->add_flag("--json", command->json, "For programs");
    sub->footer("A model remembers which entries its run held out: --part test repeats what the run claimed.\n"
                "\n"
                "Example:\n  polyad-cli evaluate model.h5 flights.tns --part test");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
