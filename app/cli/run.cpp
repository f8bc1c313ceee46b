// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/checkpoint_options.h"
#include "app/cli/command.h"
#include "app/cli/device_start.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_argument.h"
#include "app/cli/run_json.h"
#include "app/cli/run_options.h"
#include "app/cli/run_reporter.h"
#include "app/cli/run_summary.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "app/cli/tensor_output.h"
#include "app/command_line.h"
#include "app/divergence_choice.h"
#include "app/run_job.h"
#include "app/stage_table.h"
#include "io/error.h"
#include "io/existing_file.h"
#include "io/metrics_csv.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <exception>
#include <future>

namespace cli {
namespace {

struct Work {
    std::shared_ptr<const app::RunOutcome> outcome;
    app::TimePoint started, finished;
    std::vector<io::TelemetrySeries> telemetry;
    double wallSeconds = 0;
    int outputError = 0; ///< of the JSON lines
};

struct RunCommand {
    TensorArgument tensor;
    MethodOptions method;
    CourseOptions course;
    CheckpointOptions checkpoints;
    std::string configFile, output, history, progress, telemetry = "auto";
    bool json = false;
    bool noBaselines = false;
    bool timings = false;

    void addTo(CLI::App&);
    int run() const;

private:
    ProgressStyle style() const;
    kernels::RunConfig config(const app::SavedRun* from) const;
    void checkTargets(const kernels::RunConfig&) const;
    kernels::RunConfig checkedConfig(const app::SavedRun* from) const;
    std::shared_ptr<app::OpenTensor> openTensor(const kernels::RunConfig&, std::future<std::shared_ptr<app::OpenTensor>>) const;
    void writeModel(const Work&, const app::OpenTensorPtr&, kernels::Progress& writing) const;
    void writeFiles(const Work&, const app::OpenTensorPtr&, kernels::Progress& writing) const;
    std::vector<std::pair<std::string, std::string>> writtenFiles(const app::RunOutcome&) const;
};

void RunCommand::addTo(CLI::App& app)
{
    tensor.addTo(
        app, "TENSOR",
        "A tensor file, - for standard input, or preset:ID[:SCALE] (see `polyad-cli list presets`), which brings its own test part", true);
    method.addTo(app);
    course.addTo(app);
    checkpoints.addTo(app);
    app.add_option("--config", configFile, "Start from these settings, as a model's /run/config holds them; options overrule it")
        ->type_name("FILE.json")
        ->group("Method")
        ->excludes("--resume");
    app.add_option("-o,--output", output, "Write the model")->type_name("MODEL.h5")->group("Output");
    app.add_option("--history", history, "Write every iteration's numbers")->type_name("FILE.csv")->group("Output");
    app.add_option("--progress", progress, "bar (on a terminal), json (a line per iteration on stdout) or none")
        ->type_name("bar|json|none")
        ->group("Output");
    app.add_flag("--json", json, "For programs: settings and results as one object, when the run has ended")->group("Output");
    app.add_option("--telemetry", telemetry,
                   fmt::format("How use of the device is measured, one of {} (what cannot be had is followed by the next)",
                               kernels::telemetry::sourceChoicesText()))
        ->type_name("SOURCE")
        ->group("Output");
    app.add_flag("--timings", timings, "Print how long each stage took, from the start of the program to the end of writing")
        ->group("Output");
    app.add_flag("--no-baselines", noBaselines, "Do not compare the model with the mean and the additive model")->group("Output");
}

kernels::RunConfig RunCommand::config(const app::SavedRun* from) const
{
    kernels::RunConfig config;
    if (from)
        config = from->checkpoint.soFar.config;
    if (!configFile.empty())
        config = readRunConfig(configFile);
    method.applyTo(config, from || !configFile.empty());
    course.applyTo(config);
    return config;
}

ProgressStyle RunCommand::style() const
{
    if (progress == "json" && json)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"both write to standard output", "--json and --progress json", {}, {}, "Choose one of them."});
    if (progress == "json")
        return ProgressStyle::Json;
    if (progress == "bar" || (progress.empty() && stderrIsTerminal()))
        return ProgressStyle::Bar;
    if (progress.empty() || progress == "none")
        return ProgressStyle::None;
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"not a value for this option", "--progress", fmt::format("\"{}\"", progress), "one of bar, json, none", {}});
}

std::vector<app::TelemetryRecorder> openTelemetry(app::TelemetryHub& hub, const kernels::RunConfig& config)
{
    std::vector<app::TelemetryRecorder> recorders;
    for (const kernels::DeviceId& device : config.devices)
        recorders.emplace_back(hub.sampler(device));
    return recorders;
}

const kernels::Baselines* baselinesOf(const app::RunOutcome& outcome) { return outcome.baselines ? &*outcome.baselines : nullptr; }

/// goOnUnheard: whether a run that can tell nobody any more is still wanted.
Work work(const kernels::RunConfig& config, const std::shared_ptr<app::OpenTensor>& tensor, ProgressStyle style,
          const std::string& telemetry, bool goOnUnheard, app::RunSafety safety)
{
    static app::TelemetryHub& hub = *new app::TelemetryHub; // never destroyed: closing a source takes 0.2 s
    hub.choose(telemetry);
    std::vector<app::TelemetryRecorder> recorders = openTelemetry(hub, config);
    kernels::RunControl control;
    RunReporter reporter(style, config, recorders, [&] {
        if (!goOnUnheard)
            control.stop();
    });
    safety.warn = [&](const std::string& sentence) {
        reporter.clear();
        printWarnings({sentence});
    };
    const Interrupt::Watch watch(control);
    app::TrainTestCache cache;
    Work work;
    const auto began = std::chrono::system_clock::now();
    work.started = safety.started;
    try {
        cache.divide(*tensor, config, Interrupt::progress()); // nobody else asks for its entries
        work.outcome = std::make_shared<const app::RunOutcome>(
            app::executeRun(config, tensor, cache, reporter, control, Interrupt::progress(), safety));
    } catch (const kernels::Error& error) {
        reporter.clear();
        // The arguments were good enough to start: whatever went wrong now is the run's failure.
        if (error.kind() == kernels::ErrorKind::BadArgument)
            throw kernels::Error(kernels::ErrorKind::Internal, error.details());
        throw;
    } catch (...) {
        reporter.clear();
        throw;
    }
    work.finished = std::chrono::system_clock::now();
    work.wallSeconds = std::chrono::duration<double>(work.finished - began).count();
    for (app::TelemetryRecorder& recorder : recorders) {
        recorder.collect();
        work.telemetry.push_back(recorder.series());
    }
    reporter.finish(work.outcome->result, baselinesOf(*work.outcome));
    recorders.clear();
    hub.choose("none");
    work.outputError = reporter.outputError();
    return work;
}

/// No file of a run is two things at once; the checkpoint it goes on from may be replaced by a later one.
void RunCommand::checkTargets(const kernels::RunConfig& chosen) const
{
    const std::string& test = chosen.split.testFile;
    const std::string init = kernels::startsFromModel(chosen) ? chosen.init : std::string();
    refuseOverwriting("--output", output, {tensor.text, test, init, configFile, history, checkpoints.file, checkpoints.resume});
    refuseOverwriting("--history", history, {tensor.text, test, init, configFile, checkpoints.file, checkpoints.resume});
    refuseOverwriting("--checkpoint", checkpoints.file, {tensor.text, test, init, configFile});
    checkpoints.refuseLosing("--output", output);
    checkpoints.refuseLosing("--checkpoint", checkpoints.file);
    checkModelTarget("--output", output);
    io::refuseLosing(history, checkpoints.force ? io::Existing::Replace : io::Existing::Keep, "--history " + history);
    checkWritable(history);
    checkModelTarget("--checkpoint", checkpoints.file);
}

kernels::RunConfig RunCommand::checkedConfig(const app::SavedRun* from) const
{
    kernels::RunConfig chosen = config(from);
    checkTargets(chosen);
    return chosen;
}

std::shared_ptr<app::OpenTensor> RunCommand::openTensor(const kernels::RunConfig& chosen,
                                                        std::future<std::shared_ptr<app::OpenTensor>> opening) const
{
    std::shared_ptr<app::OpenTensor> open = opening.get();
    printWarnings(open->report.warnings);
    warnOfTestFile(chosen.split.testFile, tensor.text);
    warnOfEmptyCells(chosen.algorithm, *open);
    if (chosen.precision == kernels::Precision::Fp64 && open->report.valuesRounded > 0)
        printWarnings({fmt::format("note: the run computes in double precision, but {} rounded to single precision when {} was read. "
                                   "Add --values fp64 to keep them as they stand in the file.",
                                   open->report.valuesRounded == 1 ? "1 value was" : countText(open->report.valuesRounded) + " values were",
                                   open->name.toStdString())});
    if (course.testFraction && chosen.split.kind == kernels::SplitKind::Random && open->hasTestPart())
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"this tensor brings its own test part",
                              "--test-fraction",
                              {},
                              {},
                              "Leave the option out, or write --test-fraction 0 to run without a test set."});
    return open;
}

void RunCommand::writeModel(const Work& done, const app::OpenTensorPtr& open, kernels::Progress& writing) const
{
    const StageLine line(writing);
    const std::string command = app::commandLine(done.outcome->result.config, open->command, output);
    app::exportRecord(io::exportKind("h5"), {done.outcome, open, done.telemetry, done.started, done.finished, command}, output, writing,
                      writing);
}

/// The model's failure is told, but does not take the history with it.
void RunCommand::writeFiles(const Work& done, const app::OpenTensorPtr& open, kernels::Progress& writing) const
{
    std::exception_ptr failure;
    try {
        if (!output.empty())
            writeModel(done, open, writing);
    } catch (...) {
        failure = std::current_exception();
    }
    try {
        if (!history.empty())
            io::writeMetricsCsv(history, {{open->name.toStdString(), &done.outcome->result.history}});
    } catch (...) {
        if (!failure)
            throw;
    }
    if (failure)
        std::rethrow_exception(failure);
}

std::vector<std::pair<std::string, std::string>> RunCommand::writtenFiles(const app::RunOutcome& outcome) const
{
    std::vector<std::pair<std::string, std::string>> files;
    for (const auto& [what, file] : {std::pair{"model", output},
                                     {"history", history},
                                     {"checkpoint", outcome.checkpoint.iteration > 0 ? checkpoints.file : std::string()}})
        if (!file.empty())
            files.emplace_back(what, file);
    return files;
}

int RunCommand::run() const
{
    const ProgressStyle progressStyle = style();
    requireEffect("--timings", timings, progressStyle != ProgressStyle::Json, "with --progress json");
    kernels::telemetry::requireSourceChoice(telemetry, "--telemetry");
    app::RunSafety safety;
    safety.plan = checkpoints.plan();
    safety.measuresBaselines = !noBaselines;
    safety.endsProgram = true;
    if (!checkpoints.resume.empty()) {
        safety.from = app::readSavedRun(checkpoints.resume, &Interrupt::progress());
        safety.started = safety.from->started;
    }
    // Listing the devices takes 0.1 s. The tensor is read meanwhile.
    std::future<std::shared_ptr<app::OpenTensor>> opening =
        std::async(std::launch::async, [this] { return tensor.open(output.empty() ? app::Statistics::Skip : app::Statistics::ForModel); });
    kernels::RunConfig chosen;
    try {
        chosen = checkedConfig(safety.from.get());
    } catch (...) {
        Interrupt::progress().cancel();
        opening.wait();
        throw;
    }
    DeviceStart deviceStart(chosen);
    const std::size_t before = safety.from ? safety.from->checkpoint.soFar.history.size() : 0;
    const std::shared_ptr<app::OpenTensor> open = openTensor(chosen, std::move(opening));
    const bool choosesDivergence = !safety.from && app::leavesDivergence(chosen);
    const kernels::RunConfig resolved =
        app::resolveFor(choosesDivergence ? app::withDivergence(chosen, *open) : chosen, *open, safety.from.get());

    const std::string divergence = choosesDivergence ? divergenceText(app::divergenceAdvice(*open)) : std::string();
    const bool writesFiles = !output.empty() || !history.empty() || !checkpoints.file.empty();
    const Work done = work(resolved, open, progressStyle, telemetry, writesFiles, std::move(safety));
    kernels::Progress writing; // of its own: a stopped run keeps its model
    writeFiles(done, open, writing);
    std::vector<kernels::StageTime> beside{deviceStart.time()};
    if (open->checksum && open->checksum->time())
        beside.push_back(*open->checksum->time());
    const std::vector<kernels::StageTime> stages = app::inOrder({open->stages, done.outcome->stages, writing.times().take(), beside});
    const auto end = kernels::StageTime::Clock::now();
    if (json) {
        print(runJson(tensor.text, *done.outcome, done.wallSeconds, writtenFiles(*done.outcome), stages));
    } else if (progressStyle != ProgressStyle::Json) {
        std::string text = summary(done.outcome->result, done.wallSeconds, baselinesOf(*done.outcome));
        text += divergence;
        if (before > 0)
            text += resumedText(before, done.outcome->result);
        for (const std::string& path : {output, history})
            if (!path.empty())
                text += "wrote " + path + '\n';
        text += checkpoints.keptText(done.outcome->checkpoint);
        print(timings ? text + app::waterfall(stages, programStart(), end) : text);
    }
    if (!done.outcome->result.failure.empty()) // what was good before it is in the files
        throw kernels::Error(kernels::ErrorKind::Internal, done.outcome->result.failure);
    if (done.outputError != 0) // said aloud also where the reader went away: a run is no list that somebody has seen enough of
        throw kernels::Error(
            kernels::ErrorKind::Internal,
            OutputLost(done.outputError, writesFiles ? "The run went on; its files are written." : "The run was stopped.").details());
    return fine;
}

} // namespace

void addRun(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("run", "Decompose a tensor: watch it converge, keep the best model");
    auto command = std::make_shared<RunCommand>();
    command->addTo(*sub);
    sub->footer("Ctrl-C stops the run and keeps the best model so far; a second one ends the program at once.\n"
                "`polyad-cli list algorithms` names parameters and presets of each algorithm and says what works together.\n"
                "\n"
                "Examples:\n"
                "  polyad-cli run flights.tns --rank 16 --iterations 200 --output model.h5 --history history.csv\n"
                "  polyad-cli run train.tns --test test.tns --rank 16,16,8 --core-rank 16 --param lambda-a=0.01\n"
                "  polyad-cli run flights.tns --deterministic --checkpoint run.h5 --checkpoint-every 5min\n"
                "  polyad-cli run flights.tns --resume run.h5 --checkpoint run.h5 --iterations 400 --output model.h5\n"
                "  zcat log.tns.gz | polyad-cli run - --json\n"
                "  polyad-cli run preset:netflix-like:0.1 --device cuda:0 --progress json");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
