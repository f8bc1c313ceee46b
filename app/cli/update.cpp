// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/checkpoint_options.h"
#include "app/cli/command.h"
#include "app/cli/folder_watch.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_argument.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "app/cli/tensor_output.h"
#include "app/messages.h"
#include "app/model_update.h"
#include "app/watched_folder.h"
#include "io/replace_lock.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/stat.h>

namespace cli {
namespace {

using nlohmann::ordered_json;

struct UpdateCommand {
    std::string model, output, watched, rule = "ours";
    TensorArgument fresh;
    std::vector<std::string> data;
    std::optional<std::string> weight, steps, passes, device, threads;
    bool again = false, force = false, json = false;

    void addTo(CLI::App&);
    void complete(); ///< what one option leaves to another; throws CLI::RequiredError
    int run() const;

private:
    app::UpdateSettings settings() const;
    void checkTargets() const;
    io::ModelFile readOld(const std::string& path) const;
    void watch(const app::UpdateSettings&) const;
    std::shared_ptr<const app::OpenTensor> openNew(const io::ModelFile&, const TensorArgument&) const;
    app::Batch batchOf(const io::ModelFile&, const TensorArgument&) const;
    std::optional<app::OldEntries> openOld(const io::ModelFile&) const;
    void write(const io::ModelFile&) const;
    std::string textOf(const io::ModelFile&, const app::Batch&, const io::UpdateRecord&, unsigned passes) const; ///< passes: asked for
    std::string jsonOf(const io::ModelFile&, const app::Batch&, const io::UpdateRecord&) const;
};

void UpdateCommand::addTo(CLI::App& app)
{
    app.add_option("MODEL", model, "A model file of ntf")->required()->type_name("");
    fresh.addTo(app, "NEW", "A tensor file with the new entries; none: only the passes that --data gives", false);
    app.get_option("NEW")->required(false);
    app.add_option("-o,--output", output, "Write the model that knows them; may be MODEL itself, and is where a folder is watched")
        ->type_name("MODEL2.h5");
    app.add_option("--weight", weight, "How much a new entry counts beside an old one (1); not with --data")->type_name("W");
    app.add_option("--rule", rule, "ours: what old entries told is a bound; paper: as GSSNTF has it, one step (ours)")
        ->type_name("ours|paper");
    app.add_option("--steps", steps, "Steps of the rows that new entries are in (3; paper: 1)")->type_name("N");
    app.add_option("--data", data,
                   "All entries the model was made from, for passes over old and new ones: the tensor of its run, then each file it was "
                   "updated with")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_option("--passes", passes, "Such passes at most: the run's test entries end them; 0 takes the sums anew and changes no row (2)")
        ->type_name("N")
        ->needs("--data");
    app.add_flag("--again", again, "Learn a file that the model has learnt already");
    app.add_flag(
        "--force", force,
        "Write also over another model that has learnt since its run, a checkpoint, or what is no model, which is refused otherwise");
    app.add_option("--watch", watched,
                   "In place of NEW: learn the tensor files that are in a folder, and those that come, each once, until Ctrl-C")
        ->type_name("FOLDER")
        ->excludes("--data")
        ->excludes("--again");
    app.add_option("--device", device, "Of the passes: cpu, cuda:0, cuda:0,1 or auto, the first GPU there is (cpu)")
        ->type_name("D")
        ->needs("--data");
    app.add_option("--threads", threads, "CPU threads (0: all)")->type_name("N");
    app.add_flag("--json", json, "For programs");
}

app::UpdateSettings UpdateCommand::settings() const
{
    app::UpdateSettings settings;
    if (rule != "ours" && rule != "paper")
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"not a value for this option", "--rule", fmt::format("\"{}\"", rule), "ours or paper", {}});
    const bool paper = rule == "paper";
    settings.online.rule = paper ? kernels::ntf::OnlineRule::Paper : kernels::ntf::OnlineRule::Ours;
    if (weight)
        settings.online.weight = parseNumber("--weight", *weight, aboveZero, 1e6);
    if (settings.online.weight != 1 && !data.empty())
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"passes over all entries count each of them once", "--weight", *weight, "1 where --data is given",
                              "Leave --weight out, or --data."});
    if (steps)
        settings.online.steps = static_cast<unsigned>(parseWhole("--steps", *steps, 1, kernels::ntf::mostOnlineSteps));
    else if (paper)
        settings.online.steps = 1;
    if (paper && settings.online.steps > 1)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"the paper's rule takes one step: what old entries told is true for no other", "--steps", *steps, "1",
                              "Leave --rule paper out for more."});
    if (passes)
        settings.passes = static_cast<unsigned>(parseWhole("--passes", *passes, 0, 1000));
    if (device)
        settings.devices = app::devicesForUpdates(kernels::devicesFromString(*device));
    if (threads)
        settings.threads = static_cast<unsigned>(parseWhole("--threads", *threads, 0, 4096));
    return settings;
}

void UpdateCommand::complete()
{
    if (watched.empty() && fresh.text.empty() && data.empty())
        throw CLI::RequiredError("NEW, or --watch, or --data");
    if (watched.empty() && output.empty())
        throw CLI::RequiredError("--output");
    if (output.empty())
        output = model;
}

/// The model may be written over, entries may not.
void UpdateCommand::checkTargets() const
{
    if (!watched.empty() && !fresh.text.empty())
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"a folder is watched in place of a file", "--watch", fresh.text, {}, "Leave out the one or the other."});
    std::error_code error;
    if (!watched.empty() && !std::filesystem::is_directory(watched, error))
        throw kernels::Error(kernels::ErrorKind::BadArgument, {"there is no such folder", "--watch", watched, {}, {}});
    if (!fresh.text.empty())
        refuseOverwriting("--output", output, {fresh.text});
    else if (watched.empty() && (again || steps || rule == "paper"))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"there is nothing new to learn it by",
                              again       ? "--again"
                                  : steps ? "--steps"
                                          : "--rule",
                              {},
                              {},
                              "Give the file with the new entries, or leave the option out."});
    for (const std::string& file : data)
        refuseOverwriting("--output", output, {file});
    if (!watched.empty() && !force && std::filesystem::exists(output, error) && !std::filesystem::equivalent(output, model, error))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"is there already, and would be lost when the first file comes",
                              "--output",
                              output,
                              {},
                              "Give it as MODEL to go on from it, another name, or --force."});
    if (!force)
        refuseLosingRun("--output", output, model);
    checkModelTarget("--output", output);
}

io::ModelFile UpdateCommand::readOld(const std::string& path) const
{
    io::ModelFile file = readModelArgument(path, io::ReadState::Kept);
    if (file.status == "running")
        throw kernels::Error(kernels::ErrorKind::BadInput,
                             {"this is a checkpoint of a run that has not come to its end",
                              path,
                              {},
                              {},
                              "Let it go on with `polyad-cli run TENSOR --resume`, and update the model that it writes."});
    kernels::ntf::requireOnline(file.model, file.config);
    if (data.empty())
        kernels::ntf::requireKept(file.model, file.config, file.kept ? *file.kept : kernels::SolverState{});
    return file;
}

std::shared_ptr<const app::OpenTensor> UpdateCommand::openNew(const io::ModelFile& file, const TensorArgument& tensor) const
{
    auto open = tensor.open(app::Statistics::Skip, &file);
    printWarnings(open->report.warnings);
    return open;
}

std::optional<app::OldEntries> UpdateCommand::openOld(const io::ModelFile& file) const
{
    if (data.empty())
        return std::nullopt;
    const StageLine line(Interrupt::progress());
    const auto open = [&](const std::string& path) {
        return app::openTensorLike(file, path, fresh.readOptions(&file), Interrupt::progress());
    };
    app::OpenTensorPtr runs = open(data.front());
    std::vector<app::OpenTensorPtr> batches;
    for (std::size_t i = 1; i < data.size(); ++i)
        batches.push_back(open(data[i]));
    app::OldEntries old = app::oldEntriesFor(file, std::move(runs), std::move(batches), Interrupt::progress());
    if (!old.untested.empty())
        printWarnings({"not judged by the run's test entries: " + old.untested});
    return old;
}

std::string checksumOf(const app::OpenTensor& tensor)
{
    if (!tensor.checksum)
        return {};
    const StageLine line(Interrupt::progress());
    return tensor.checksum->get(Interrupt::progress());
}

app::Batch UpdateCommand::batchOf(const io::ModelFile& file, const TensorArgument& tensor) const
{
    const auto open = openNew(file, tensor);
    app::Batch batch = app::batchFor(file, *open);
    batch.sha256 = checksumOf(*open);
    return batch;
}

/// "3 in mode 2 (users), 1 in mode 3"
std::string rowsText(const io::ModelFile& file, const app::Batch& batch)
{
    std::string text;
    for (std::size_t n = 0; n < batch.newRows.size(); ++n) {
        if (batch.newRows[n] == 0)
            continue;
        text += fmt::format("{}{} in mode {}", text.empty() ? "" : ", ", countText(batch.newRows[n]), n + 1);
        if (!file.modes[n].name.empty())
            text += fmt::format(" ({})", file.modes[n].name);
    }
    return text.empty() ? "none" : text;
}

std::string passesText(const io::ModelFile& file, const io::UpdateRecord& record, unsigned asked)
{
    const kernels::IterationRecord& row = file.history.back();
    const std::string test = std::isnan(row.testRmse) ? "" : fmt::format("; test RMSE {}", numberText(row.testRmse));
    if (record.passes == 0 && asked > 0)
        return fmt::format("all entries  no pass told the test entries better, so the rows stay as they were; train RMSE {}{}\n",
                           numberText(row.trainRmse), test);
    return fmt::format("all entries  train RMSE {} after {}{}{}\n", numberText(row.trainRmse), countText(record.passes, "pass", "passes"),
                       test, record.passes < asked ? "; one more told the test entries no better and was undone" : "");
}

std::string UpdateCommand::textOf(const io::ModelFile& file, const app::Batch& batch, const io::UpdateRecord& record, unsigned asked) const
{
    if (record.entries == 0)
        return passesText(file, record, asked) + "wrote " + output + '\n';
    std::string text = fmt::format("learnt {} of {} in {}, update {}\n", countText(record.entries, "entry", "entries"), record.fileName,
                                   secondsText(record.seconds), file.updates.size());
    text += fmt::format("new rows     {}\n", rowsText(file, batch));
    text += std::isnan(record.rmseBefore) ? fmt::format("new entries  RMSE {}\n", numberText(record.rmseAfter))
                                          : fmt::format("new entries  RMSE {} before (where their rows were known), {} now\n",
                                                        numberText(record.rmseBefore), numberText(record.rmseAfter));
    if (record.sumsAnew > 0)
        text += passesText(file, record, asked);
    if (const double drift = app::driftOf(file); drift > app::worthAPass)
        text +=
            fmt::format("{} of the entries came since the last pass over all: `--data` with all files makes one.\n", percentText(drift));
    return text + "wrote " + output + '\n';
}

std::string UpdateCommand::jsonOf(const io::ModelFile& file, const app::Batch& batch, const io::UpdateRecord& record) const
{
    const kernels::IterationRecord& row = file.history.back();
    ordered_json object{
        {"model", output},           {"file", record.fileName},       {"dims", file.model.dims},       {"entries", record.entries},
        {"new_rows", batch.newRows}, {"iteration", record.iteration}, {"update", file.updates.size()}, {"rule", rule},
        {"weight", record.weight},   {"steps", record.steps},         {"passes", record.passes},       {"seconds", record.seconds}};
    if (record.fileName.empty())
        object.erase("file"); // passes alone
    const auto add = [&](const char* key, double number) {
        if (!std::isnan(number))
            object[key] = number;
    };
    add("rmse_before", record.rmseBefore);
    add("rmse", record.rmseAfter);
    add("mae", record.maeAfter);
    add("divergence", record.divergenceAfter);
    add("train_rmse", row.trainRmse);
    add("train_divergence", row.divergence);
    add("test_rmse", row.testRmse);
    object["since_last_pass"] = app::driftOf(file);
    return object.dump(watched.empty() ? 2 : -1) + '\n'; // of a watched folder a line a file
}

void UpdateCommand::write(const io::ModelFile& file) const
{
    const StageLine line(Interrupt::progress());
    io::writeModel(output, file, &Interrupt::progress());
}

/// From before the model is read until it is written.
io::ReplaceLock lockOf(const std::string& path)
{
    return io::ReplaceLock(
        path, [&] { printWarnings({fmt::format("{}: another update is at it; this one waits", path)}); }, Interrupt::progress());
}

/// A file as it looks from outside; none: there is no such file.
using Stamp = std::optional<std::array<std::int64_t, 4>>;

Stamp stampOf(const std::string& path)
{
    struct stat info { };
    if (stat(path.c_str(), &info) != 0)
        return std::nullopt;
    return std::array<std::int64_t, 4>{static_cast<std::int64_t>(info.st_ino), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

/// What is wrong with a file is told and ends nothing; that the model cannot be written, or read where somebody else has written it, does.
void UpdateCommand::watch(const app::UpdateSettings& chosen) const
{
    Stamp own = stampOf(output);
    io::ModelFile file = readOld(model);
    if (!json)
        print(fmt::format("watching {}, until Ctrl-C\n", watched));
    watchFolder(watched, [&](const std::string& path) {
        const io::ReplaceLock lock = lockOf(output);
        if (const Stamp now = stampOf(output); now != own) { // a pass by hand, say: it must not be lost
            printWarnings({fmt::format("{}: is another file by now; what comes is added to that one", output)});
            file = readOld(output);
            own = now;
        }
        io::ModelFile learnt;
        app::Batch batch;
        io::UpdateRecord record;
        try {
            TensorArgument tensor = fresh;
            tensor.text = path;
            batch = batchOf(file, tensor);
            if (const auto reason = app::whyNotLearnt(file, batch)) {
                if (reason->isWorthTelling)
                    printWarnings({reason->sentence});
                return;
            }
            learnt = file;
            kernels::RunControl control;
            const Interrupt::Watch interrupt(control);
            record = app::updateModel(learnt, batch, chosen, nullptr, control);
        } catch (const std::exception& error) {
            printWarnings({app::messageFor(error).toStdString()});
            return;
        }
        write(learnt);
        own = stampOf(output);
        file = std::move(learnt);
        print(json ? jsonOf(file, batch, record) : textOf(file, batch, record, chosen.passes));
    });
}

int UpdateCommand::run() const
{
    const app::UpdateSettings chosen = settings();
    if (!fresh.text.empty())
        refuseSwapped("update", model, fresh.text);
    checkTargets();
    if (!watched.empty()) {
        watch(chosen);
        return fine;
    }
    const io::ReplaceLock lock = lockOf(output);
    io::ModelFile file = readOld(model);
    const app::Batch batch = fresh.text.empty() ? app::noBatch(file) : batchOf(file, fresh);
    if (!again)
        app::requireUnlearnt(file, batch);
    std::optional<app::OldEntries> old = openOld(file);
    kernels::RunControl control;
    io::UpdateRecord record;
    {
        const Interrupt::Watch interrupt(control);
        const StageLine line(Interrupt::progress());
        record = app::updateModel(file, batch, chosen, old ? &*old : nullptr, control, &Interrupt::progress());
    }
    write(file);
    print(json ? jsonOf(file, batch, record) : textOf(file, batch, record, chosen.passes));
    return fine;
}

} // namespace

void addUpdate(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("update", "Teach a finished model new entries, without those it was made from (ntf)");
    auto command = std::make_shared<UpdateCommand>();
    command->addTo(*sub);
    sub->footer("NEW may lie in new slices of any mode, mostly the last one, time, or fill known ones. Labels find their rows where both\n"
                "have them. The model is written aside and renamed: whatever happens, MODEL2 is the old one or the new one, whole.\n"
                "\n"
                "Examples:\n"
                "  polyad-cli update model.h5 today.tns --output model.h5\n"
                "  polyad-cli update model.h5 day5.tns -o model.h5 --data first.tns --data day4.tns\n"
                "  polyad-cli update model.h5 --watch incoming");
    sub->callback([command, &action] {
        command->complete();
        action = [command] { return command->run(); };
    });
}

} // namespace cli
