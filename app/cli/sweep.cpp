// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/run_options.h"
#include "app/cli/run_reporter.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/cli/sweep_text.h"
#include "app/cli/tensor_argument.h"
#include "app/cli/tensor_output.h"
#include "app/command_line.h"
#include "app/divergence_choice.h"
#include "app/messages.h"
#include "io/atomic_file.h"
#include "io/error.h"
#include "io/existing_file.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>

namespace cli {
namespace {

namespace fs = std::filesystem;

struct SweepCommand {
    TensorArgument tensor;
    MethodOptions method;
    CourseOptions course;
    std::string configFile, ranks, output, progress;
    std::optional<std::string> replicates;
    std::vector<std::string> vary; ///< "field=values"
    bool dryRun = false, force = false, json = false;

    void addTo(CLI::App&);
    int run() const;

private:
    ProgressStyle style() const;
    kernels::RunConfig base() const;
    std::vector<app::SweepAxis> axes(const kernels::RunConfig& base) const;
    std::vector<std::string> modelPaths(const app::SweepPlan&) const;
    std::string csvPath() const { return (fs::path(output) / "sweep.csv").string(); }
    std::vector<std::string> prepareFolder(const app::SweepPlan&) const;
    std::vector<SweptRun> runAll(const app::SweepPlan&, const app::OpenTensorPtr&, const std::vector<std::string>& models) const;
    SweptRun runOne(const app::SweepRow&, const app::OpenTensorPtr&, app::TrainTestCache&, int id, const std::string& model) const;
};

void SweepCommand::addTo(CLI::App& app)
{
    tensor.addTo(app, "TENSOR", "A tensor file, or preset:ID[:SCALE] (see `polyad-cli list presets`), which brings its own test part",
                 true);
    method.addTo(app);
    course.addTo(app);
    app.add_option("--config", configFile, "Start from these settings, as a model's /run/config holds them; options overrule it")
        ->type_name("FILE.json")
        ->group("Method");
    app.add_option("--ranks", ranks, "Ranks to try, such as 2..10, 4,8,16 or 8..128:x2")
        ->type_name("VALUES")
        ->group("Sweep")
        ->excludes("--rank");
    app.add_option("--replicates", replicates,
                   "So many runs of each combination, with seeds from --seed on: other starts and other random test parts (1)")
        ->type_name("N")
        ->group("Sweep");
    app.add_option("--vary", vary, "Another field with its values, e.g. precision=fp32,fp64 or lambda-a=0.01..1:x10; may be repeated")
        ->type_name("FIELD=VALUES")
        ->allow_extra_args(false)
        ->group("Sweep");
    app.add_flag("--dry-run", dryRun, "Print the plan and run nothing")->group("Sweep");
    app.add_option("-o,--output", output, "Write a model of every run and sweep.csv into this folder, which is made where there is none")
        ->type_name("FOLDER")
        ->group("Output");
    app.add_option("--progress", progress, "bar (on a terminal) or none")->type_name("bar|none")->group("Output");
    app.add_flag("--json", json, "For programs: plan, runs and advice as one object, when all is done")->group("Output");
    app.add_flag("--force", force, "Write over files that are there already")->group("Output");
}

ProgressStyle SweepCommand::style() const
{
    if (progress == "bar" || (progress.empty() && stderrIsTerminal()))
        return ProgressStyle::Bar;
    if (progress.empty() || progress == "none")
        return ProgressStyle::None;
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"not a value for this option", "--progress", fmt::format("\"{}\"", progress), "one of bar, none", {}});
}

kernels::RunConfig SweepCommand::base() const
{
    if (method.rank && method.rank->find("..") != std::string::npos)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"--rank is the rank of every run", "sweep", *method.rank, {}, "Ranks to try: --ranks " + *method.rank + "."});
    kernels::RunConfig config = configFile.empty() ? kernels::RunConfig{} : readRunConfig(configFile);
    method.applyTo(config, !configFile.empty());
    course.applyTo(config);
    return config;
}

/// A paper's name stands for a variant, where an algorithm that is varied runs its first.
std::string algorithmId(const std::string& name)
{
    const kernels::NamedAlgorithm named = kernels::algorithmNamed(name);
    const std::string& first = named.info.variants.front().id;
    if (!named.variant.empty() && named.variant != first)
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {fmt::format("this is the variant {}, and algorithms are compared in their first", named.variant), "--vary algorithm",
             fmt::format("\"{}\"", name), fmt::format("{} ({})", named.info.id, first),
             fmt::format("Variants are compared by --algorithm {} --vary variant={},{}.", named.info.id, first, named.variant)});
    return named.info.id;
}

/// One that no algorithm has comes back, to be refused among the others.
std::string variantId(const std::string& name, const std::vector<std::string>& algorithms)
{
    for (const std::string& id : algorithms)
        if (const std::string variant = kernels::algorithm(id).variantNamed(name); variant != name)
            return variant;
    return name;
}

/// Values of a field in which papers' names are ids.
std::string withIds(const std::string& field, const std::string& values, const std::vector<std::string>& algorithms)
{
    if (field != "algorithm" && field != "variant")
        return values;
    std::vector<std::string> ids;
    for (const std::string& name : splitAt(values, ','))
        ids.push_back(field == "algorithm" ? algorithmId(name) : variantId(name, algorithms));
    return joined(ids, ",");
}

/// Fields of the algorithms that are varied are known as well.
std::vector<app::SweepAxis> SweepCommand::axes(const kernels::RunConfig& base) const
{
    std::vector<std::string> algorithms{base.algorithm};
    std::vector<std::pair<std::string, std::string>> wanted;
    if (!ranks.empty())
        wanted.emplace_back("rank", ranks);
    for (const std::string& text : vary) {
        const auto equals = text.find('=');
        if (equals == std::string::npos)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"a field is varied by field=values", "--vary", fmt::format("\"{}\"", text), {}, {}});
        wanted.emplace_back(text.substr(0, equals), text.substr(equals + 1));
        if (wanted.back().first == "algorithm") {
            wanted.back().second = withIds("algorithm", wanted.back().second, algorithms);
            algorithms = app::sweepValues(app::sweepField(app::sweepFields(algorithms), "algorithm"), wanted.back().second);
        }
    }
    const std::vector<app::SweepField> fields = app::sweepFields(algorithms);
    std::vector<app::SweepAxis> result;
    for (const auto& [field, values] : wanted)
        result.push_back({field, app::sweepValues(app::sweepField(fields, field), withIds(field, values, algorithms))});
    if (replicates)
        result.push_back(app::replicateAxis(base, static_cast<unsigned>(parseWhole("--replicates", *replicates, 1, 1000))));
    if (result.empty())
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"a sweep varies something", "sweep", {}, {}, "Add --ranks 2..10, --replicates 5 or --vary FIELD=VALUES."});
    return result;
}

/// "rank-4-seed-42"; signs stay, they tell 1e+16 from 1e-16.
std::string fileName(const std::string& rowName)
{
    std::string name;
    for (const char c : rowName)
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+')
            name += c;
        else if (!name.ends_with('-'))
            name += '-';
    return name;
}

/// One a row of the plan, empty for those that do not run. No two are the same: the second would write over the first.
std::vector<std::string> SweepCommand::modelPaths(const app::SweepPlan& plan) const
{
    std::vector<std::string> paths;
    std::set<std::string> taken;
    for (const app::SweepRow& row : plan.rows) {
        paths.emplace_back();
        if (!row.refusal.isEmpty())
            continue;
        const std::string base = (fs::path(output) / fileName(plan.rowName(row).toStdString())).string();
        paths.back() = base + ".h5";
        for (int number = 2; !taken.insert(paths.back()).second; ++number)
            paths.back() = fmt::format("{}-{}.h5", base, number);
    }
    return paths;
}

/// Hours of work must not end at a folder that cannot be written, or at what would be lost. Returns modelPaths().
std::vector<std::string> SweepCommand::prepareFolder(const app::SweepPlan& plan) const
{
    std::error_code error;
    fs::create_directories(output, error);
    if (!fs::is_directory(output))
        throw io::Error({"this folder cannot be made", output, error ? error.message() : "a file of that name", "a folder", {}});
    const io::Existing existing = force ? io::Existing::Replace : io::Existing::Keep;
    io::refuseLosing(csvPath(), existing, "--output " + csvPath());
    std::vector<std::string> models = modelPaths(plan);
    for (const std::string& model : models)
        if (!model.empty())
            io::refuseLosing(model, existing, "--output " + model);
    io::AtomicFile probe(csvPath());
    return models;
}

/// model: where to write it; empty: nowhere.
SweptRun SweepCommand::runOne(const app::SweepRow& row, const app::OpenTensorPtr& open, app::TrainTestCache& cache, int id,
                              const std::string& model) const
{
    const kernels::RunConfig config = app::withDivergence(row.config, *open);
    SweptRun swept{&row, {id, open->id, config, true, nullptr}, 0, {}, {}};
    std::vector<app::TelemetryRecorder> recorders;
    RunReporter reporter(style(), config, recorders, [] {});
    kernels::RunControl control;
    const Interrupt::Watch watch(control);
    const auto began = std::chrono::system_clock::now();
    try {
        auto outcome = std::make_shared<app::RunOutcome>(app::executeRun(config, open, cache, reporter, control, Interrupt::progress()));
        reporter.finish(outcome->result);
        swept.failure = outcome->result.failure;
        swept.run.outcome = std::move(outcome);
    } catch (const std::exception& error) {
        reporter.clear();
        swept.failure = app::messageFor(error).toStdString();
    } catch (const kernels::Cancelled&) {
        reporter.clear();
        swept.failure = "stopped before it had a result";
    }
    const auto ended = std::chrono::system_clock::now();
    swept.wallSeconds = std::chrono::duration<double>(ended - began).count();
    if (model.empty() || !swept.run.outcome)
        return swept;
    swept.modelFile = fs::path(model).filename().string();
    kernels::Progress writing; // of its own: a stopped run keeps its model
    const std::string command = app::commandLine(swept.run.outcome->result.config, open->command, model);
    app::exportRecord(io::exportKind("h5"), {swept.run.outcome, open, {}, began, ended, command}, model, writing, writing);
    return swept;
}

std::vector<SweptRun> SweepCommand::runAll(const app::SweepPlan& plan, const app::OpenTensorPtr& open,
                                           const std::vector<std::string>& models) const
{
    std::vector<SweptRun> all;
    app::TrainTestCache cache;
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
        const app::SweepRow& row = plan.rows[i];
        if (!row.refusal.isEmpty())
            continue;
        if (Interrupt::progress().cancelled())
            break;
        all.push_back(runOne(row, open, cache, static_cast<int>(all.size()) + 1, models[i]));
        if (!json)
            print(runLine(plan, all.back(), all.size(), plan.runCount()));
    }
    return all;
}

app::RunNeeds needsHere(const kernels::RunConfig& config, const app::OpenTensor& tensor)
{
    const kernels::DeviceId id = config.devices.front();
    const bool cpu = id.kind == kernels::DeviceKind::Cpu; // a GPU's free memory may take a context to tell
    return app::needsOf(config, tensor, kernels::device(id), cpu ? kernels::freeMemory(id) : std::nullopt);
}

void warnOfEmptyCells(const app::SweepPlan& plan, const app::OpenTensor& tensor)
{
    std::set<std::string> algorithms;
    for (const app::SweepRow& row : plan.rows)
        if (row.refusal.isEmpty())
            algorithms.insert(row.config.algorithm);
    for (const std::string& algorithm : algorithms)
        cli::warnOfEmptyCells(algorithm, tensor);
}

int SweepCommand::run() const
{
    style(); // throws before the work, not after it
    const kernels::RunConfig config = base();
    const std::vector<app::SweepAxis> varied = axes(config);
    const app::OpenTensorPtr open = tensor.open(output.empty() ? app::Statistics::Skip : app::Statistics::ForModel);
    printWarnings(open->report.warnings);
    warnOfTestFile(config.split.testFile, tensor.text);
    const app::SweepPlan plan =
        app::planSweep(config, varied, *open, [&](const kernels::RunConfig& each) { return needsHere(each, *open); });
    warnOfEmptyCells(plan, *open);
    if (!json)
        print(planText(plan));
    if (plan.runCount() == 0)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             "No combination of this sweep can run: "
                                 + (json ? plan.rows.front().refusal.toStdString() : "the plan says why."));
    if (dryRun) {
        if (json)
            print(sweepJson(plan, {}, {}).dump(2) + '\n');
        return fine;
    }
    std::vector<std::string> models(plan.rows.size());
    if (!output.empty())
        models = prepareFolder(plan);
    if (!json)
        print("\n");
    const std::vector<SweptRun> swept = runAll(plan, open, models);
    const bool any = std::any_of(swept.begin(), swept.end(), [](const SweptRun& each) { return each.run.outcome != nullptr; });
    if (!output.empty()) {
        io::AtomicFile csv(csvPath());
        csv.write(sweepCsv(plan, swept));
        csv.commit();
    }
    if (json) {
        print(sweepJson(plan, swept, judged(swept, *open)).dump(2) + '\n');
        return any ? fine : runFailed;
    }
    print(resultText(plan, swept, *open));
    if (!output.empty())
        print("wrote " + csvPath() + '\n');
    if (swept.size() < plan.runCount())
        print(fmt::format("stopped after {} of {} runs\n", swept.size(), plan.runCount()));
    return any ? fine : runFailed;
}

} // namespace

void addSweep(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("sweep", "Run a method with lists of settings: which rank is enough, which setting is best");
    auto command = std::make_shared<SweepCommand>();
    command->addTo(*sub);
    sub->footer(
        "Values are lists (4,8,16) and ranges: 2..10 (every whole number), 2..10:2 (every second one), 8..128:x2 (each twice the one\n"
        "before), 0.1..0.5:0.1 (real numbers need the step). Ranks that differ by mode are written 8x8x4.\n"
        "device=cuda:0,cuda:0,1 is one GPU and then two together: a number behind a GPU is one more for the same run.\n"
        "Fields are rank, core-rank, seed, algorithm, variant, format, precision, device, iterations, tolerance, patience,\n"
        "test-fraction, deterministic, threads, and the parameters of `polyad-cli list algorithms`. All combinations are run, "
        + fmt::format("{}", app::mostSweepRuns)
        + " at\nmost; what cannot work stays in the plan with its reason. Ctrl-C stops and tells what there is so far.\n\n"
        + app::adviceDefinition().toStdString()
        + "\n\nExamples:\n"
          "  polyad-cli sweep flights.tns --ranks 2..10 --replicates 5\n"
          "  polyad-cli sweep flights.tns --ranks 8..64:x2 --vary algorithm=fasttucker-plus,fastertucker --dry-run\n"
          "  polyad-cli sweep counts.tns --algorithm cp-als --ranks 1..8 --replicates 5 --output sweep");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
