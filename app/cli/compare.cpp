// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/compare.h"
#include "app/accuracy_curve.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_argument.h"
#include "app/cli/standard_output.h"
#include "app/model_match_text.h"
#include "app/setting_differences.h"
#include "io/input_stream.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace cli {
namespace {

using app::Measure;
using app::Part;
using nlohmann::ordered_json;

struct CompareCommand {
    std::vector<std::string> paths;
    std::string measure = "rmse";
    std::optional<double> target;
    bool json = false;

    int run() const;
};

/// One model as it is compared.
struct Compared {
    std::string name;
    io::ModelFile file;
};

/// One number of all models; NaN where it is not known.
struct Figure {
    std::string label, id;
    std::vector<double> values;
    std::string (*text)(double) = numberText;
};

struct Agreement {
    std::size_t first, second;
    kernels::ModelMatch match;
};

Measure measureFromText(const std::string& text)
{
    if (text == "rmse")
        return Measure::Rmse;
    if (text == "mae")
        return Measure::Mae;
    if (text == "fit")
        return Measure::Fit;
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"not a value for this option", "--measure", fmt::format("\"{}\"", text), "rmse, mae or fit", {}});
}

std::vector<Compared> readAll(const std::vector<std::string>& paths)
{
    std::vector<Compared> models;
    for (const std::string& path : paths) {
        const std::string name = io::fileNameOf(path);
        const auto sameName = [&](const std::string& other) { return io::fileNameOf(other) == name; };
        models.push_back({std::count_if(paths.begin(), paths.end(), sameName) > 1 ? path : name, readModelArgument(path)});
    }
    return models;
}

const kernels::IterationRecord* bestRecord(const io::ModelFile& file)
{
    for (const kernels::IterationRecord& record : file.history)
        if (record.iteration == file.bestIteration)
            return &record;
    return file.history.empty() ? nullptr : &file.history.back();
}

std::string secondsOrDash(double seconds) { return std::isnan(seconds) ? numberText(seconds) : secondsText(seconds); }
std::string wholeText(double value) { return std::isnan(value) ? numberText(value) : countText(static_cast<std::uint64_t>(value)); }

template <class Of> Figure figure(const std::vector<Compared>& models, const char* id, std::string label, const Of& of)
{
    Figure result{std::move(label), id, {}};
    for (const Compared& model : models)
        result.values.push_back(of(model.file));
    return result;
}

double secondsPerIteration(const io::ModelFile& file)
{
    double seconds = 0;
    for (const kernels::IterationRecord& record : file.history)
        seconds += record.secondsFactor + record.secondsCore + record.secondsConvert;
    return file.history.empty() ? kernels::notMeasured : seconds / static_cast<double>(file.history.size());
}

double secondsTo(const io::ModelFile& file, Measure measure, Part part, double target)
{
    app::AccuracyCurve curve(measure, part);
    curve.update(file.history);
    const auto* reached = curve.reached(target);
    return reached ? reached->seconds : kernels::notMeasured;
}

/// What was measured of at least one of them.
std::vector<Figure> figuresOf(const std::vector<Compared>& models, Measure measure, std::optional<double> target)
{
    const auto ofBest = [&](const char* id, const char* label, double kernels::IterationRecord::*value) {
        return figure(models, id, label, [value](const io::ModelFile& file) {
            const auto* best = bestRecord(file);
            return best ? best->*value : kernels::notMeasured;
        });
    };
    using Record = kernels::IterationRecord;
    std::vector<Figure> figures{ofBest("test_rmse", "test RMSE", &Record::testRmse), ofBest("test_mae", "test MAE", &Record::testMae),
                                ofBest("train_rmse", "train RMSE", &Record::trainRmse), ofBest("train_mae", "train MAE", &Record::trainMae),
                                ofBest("fit", "fit", &Record::fit)};
    const bool tested = std::any_of(figures[0].values.begin(), figures[0].values.end(), [](double value) { return std::isfinite(value); });
    figures.push_back(
        figure(models, "iterations", "iterations", [](const io::ModelFile& file) { return static_cast<double>(file.history.size()); }));
    figures.back().text = wholeText;
    figures.push_back(figure(models, "seconds_per_iteration", "time per iteration", secondsPerIteration));
    figures.back().text = secondsOrDash;
    if (target) {
        const Part part = tested ? Part::Test : Part::Train;
        const std::string what =
            measure == Measure::Fit ? "fit" : fmt::format("{} {}", tested ? "test" : "train", measure == Measure::Rmse ? "RMSE" : "MAE");
        figures.push_back(figure(models, "seconds_to_target", fmt::format("time to {} {:g}", what, *target),
                                 [&](const io::ModelFile& file) { return secondsTo(file, measure, part, *target); }));
        figures.back().text = secondsOrDash;
    }
    std::erase_if(figures, [](const Figure& each) {
        return each.id != "seconds_to_target"
            && std::all_of(each.values.begin(), each.values.end(), [](double value) { return std::isnan(value); });
    });
    return figures;
}

std::vector<app::SettingRow> differences(const std::vector<Compared>& models)
{
    std::vector<kernels::RunConfig> configs;
    for (const Compared& model : models)
        configs.push_back(model.file.config);
    return app::settingDifferences(configs);
}

/// Of each model with each other one.
std::vector<Agreement> agreements(const std::vector<Compared>& models)
{
    kernels::RunControl control;
    const Interrupt::Watch watch(control);
    std::vector<Agreement> all;
    for (std::size_t first = 0; first < models.size(); ++first)
        for (std::size_t second = first + 1; second < models.size(); ++second) {
            try {
                all.push_back({first, second, kernels::matchModels(models[first].file.model, models[second].file.model, control)});
            } catch (const kernels::Error& error) {
                kernels::Error::Details details = error.details();
                details.where = models[first].name + " and " + models[second].name;
                throw kernels::Error(error.kind(), details);
            }
        }
    return all;
}

std::string sentence(const std::vector<Compared>& models, const Agreement& agreement)
{
    QStringList modes;
    for (const kernels::Mode& mode : models[agreement.first].file.modes)
        modes += QString::fromStdString(mode.name);
    return app::matchSentence(agreement.match, QString::fromStdString(models[agreement.first].name),
                              QString::fromStdString(models[agreement.second].name), modes, QLocale::c())
        .toStdString();
}

ordered_json agreementJson(const std::vector<Compared>& models, const Agreement& agreement)
{
    const kernels::ModelMatch& match = agreement.match;
    ordered_json object{{"first", models[agreement.first].name},
                        {"second", models[agreement.second].name},
                        {"of", match.ofComponents ? "components" : "spaces"},
                        {"score", match.score}};
    object["agreement"] = std::isnan(match.agreement) ? ordered_json(nullptr) : ordered_json(match.agreement); // null: not defined
    if (match.ofComponents) {
        ordered_json pairs = ordered_json::array();
        for (const kernels::ComponentPair& pair : match.pairs)
            pairs.push_back({{"first", pair.first + 1},
                             {"second", pair.second + 1},
                             {"congruence", pair.congruence},
                             {"chance", pair.chance},
                             {"score", pair.score}});
        object["congruence"] = match.congruence;
        object["pairs"] = pairs;
        object["only_in_first"] = app::componentsOfFirstAlone(match);
        object["only_in_second"] = app::componentsOfSecondAlone(match);
    } else {
        object["cosines"] = match.cosines;
    }
    object["sentence"] = sentence(models, agreement);
    return object;
}

std::string asJson(const std::vector<Compared>& models, const std::vector<Figure>& figures, const std::vector<Agreement>& found)
{
    ordered_json object{{"models", ordered_json::array()}, {"settings", ordered_json::array()}, {"agreement", ordered_json::array()}};
    for (std::size_t i = 0; i < models.size(); ++i) {
        ordered_json model{{"name", models[i].name}, {"algorithm", models[i].file.config.algorithm}};
        for (const Figure& each : figures) // null: not measured, or not reached
            model[each.id] = std::isnan(each.values[i]) ? ordered_json(nullptr) : ordered_json(each.values[i]);
        object["models"].push_back(model);
    }
    for (const app::SettingRow& row : differences(models)) {
        ordered_json values = ordered_json::array();
        for (const QString& value : row.values)
            values.push_back(value.toStdString());
        object["settings"].push_back({{"label", row.label.toStdString()}, {"values", values}});
    }
    for (const Agreement& each : found)
        object["agreement"].push_back(agreementJson(models, each));
    return object.dump(2) + '\n';
}

/// A sentence for every pair of few models; of many, whose pairs nobody reads one by one, a table of scores and the sentences of the
/// pairs that agree most and least.
std::string agreementText(const std::vector<Compared>& models, const std::vector<Agreement>& found)
{
    constexpr std::size_t mostSentences = 3;
    std::string text;
    if (found.size() <= mostSentences) {
        for (const Agreement& each : found)
            text += sentence(models, each) + '\n';
        return text;
    }
    std::vector<std::vector<std::string>> rows(models.size() + 1, std::vector<std::string>(models.size() + 1));
    rows[0][0] = "agreement";
    for (std::size_t i = 0; i < models.size(); ++i) {
        rows[0][i + 1] = models[i].name;
        rows[i + 1][0] = "  " + models[i].name;
        rows[i + 1][i + 1] = "-";
    }
    for (const Agreement& each : found)
        rows[each.first + 1][each.second + 1] = rows[each.second + 1][each.first + 1] =
            app::agreementText(each.match.agreement, QLocale::c()).toStdString();
    std::vector<Agreement> defined;
    std::copy_if(found.begin(), found.end(), std::back_inserter(defined),
                 [](const Agreement& each) { return !std::isnan(each.match.agreement); });
    text += tableText(rows) + '\n';
    if (defined.empty())
        return text + "Agreement is not defined for these models: chance alone gives all of it.\n";
    const auto [least, most] = std::minmax_element(
        defined.begin(), defined.end(), [](const Agreement& a, const Agreement& b) { return a.match.agreement < b.match.agreement; });
    text += "Most alike:  " + sentence(models, *most) + '\n';
    text += "Least alike: " + sentence(models, *least) + '\n';
    return text + "Every pair in words: --json\n";
}

std::string asText(const std::vector<Compared>& models, const std::vector<Figure>& figures, const std::vector<Agreement>& found)
{
    std::vector<std::vector<std::string>> rows{{""}};
    for (const Compared& model : models)
        rows.front().push_back(model.name);
    for (const Figure& each : figures) {
        rows.push_back({each.label});
        for (const double value : each.values)
            rows.back().push_back(each.text(value));
    }
    const auto settings = differences(models);
    rows.push_back({settings.empty() ? "all settings alike" : "settings that differ"});
    for (const app::SettingRow& row : settings) {
        rows.push_back({"  " + row.label.toStdString()});
        for (const QString& value : row.values)
            rows.back().push_back(value.toStdString());
    }
    return tableText(rows) + '\n' + agreementText(models, found);
}

int CompareCommand::run() const
{
    const Measure wanted = measureFromText(measure);
    const std::vector<Compared> models = readAll(paths);
    const std::vector<Agreement> found = agreements(models);
    const std::vector<Figure> figures = figuresOf(models, wanted, target);
    print(json ? asJson(models, figures, found) : asText(models, figures, found));
    return fine;
}

} // namespace

void addCompare(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("compare", "Set models side by side: figures, settings, components in common");
    auto command = std::make_shared<CompareCommand>();
    sub->add_option("MODEL", command->paths, "Two or more model files")->required()->expected(2, 1000)->type_name("");
    sub->add_option("--target", command->target, "Also tell when each run first met this: seconds of compute, without evaluation")
        ->type_name("VALUE");
    sub->add_option("--measure", command->measure, "What the target is of (rmse)")->type_name("rmse|mae|fit");
    sub->add_flag("--json", command->json, "For programs");
    sub->footer((app::matchDefinition(true) + QStringLiteral("\n") + app::matchDefinition(false)
                 + QStringLiteral("\n\nExample:\n  polyad-cli compare a.h5 b.h5 --target 0.93"))
                    .toStdString());
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
