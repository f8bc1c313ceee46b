// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/report.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_argument.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_output.h"
#include "app/report.h"
#include "io/existing_file.h"
#include "io/input_stream.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

namespace cli {
namespace {

struct ReportCommand {
    std::vector<std::string> models;
    std::string output;
    bool force = false;

    void check() const;
    int run() const;
};

/// Before models are read, not after it.
void ReportCommand::check() const
{
    if (!output.ends_with(".html") && !output.ends_with(".htm"))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"a report is a page for browsers", output, {}, "a name that ends in .html", "The window writes PDF, too."});
    for (const std::string& model : models) {
        std::error_code ignored;
        if (std::filesystem::equivalent(model, output, ignored))
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"would overwrite the model it is made from", output, {}, {}, "Choose another name."});
    }
    io::refuseLosing(output, force ? io::Existing::Replace : io::Existing::Keep);
}

int ReportCommand::run() const
{
    check();
    const StageLine line(Interrupt::progress());
    std::vector<io::SessionRun> runs;
    for (const std::string& path : models) {
        const std::string name = io::fileNameOf(path);
        const auto sameName = [&](const std::string& other) { return io::fileNameOf(other) == name; };
        io::SessionRun run;
        run.name = std::count_if(models.begin(), models.end(), sameName) > 1 ? path : name;
        run.color = static_cast<unsigned>(runs.size());
        run.file = readModelArgument(path);
        run.file.model = {}; // a report tells of runs, and there may be many
        runs.push_back(std::move(run));
    }
    app::writeHtmlReport(output, runs, Interrupt::progress());
    print(fmt::format("wrote {}\n", output));
    return fine;
}

} // namespace

void addReport(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("report", "Tell one run, or several beside each other, in a page for browsers");
    auto command = std::make_shared<ReportCommand>();
    sub->add_option("MODEL", command->models, "Model files, as `run --output` writes them")->required()->expected(1, 1000)->type_name("");
    sub->add_option("-o,--output", command->output, "The page: one .html file that needs no other")->required()->type_name("FILE");
    addForceOption(*sub, command->force);
    sub->footer("It has figures, charts, settings, the commands that repeat the runs, and the machine they ran on.\n\n"
                "Examples:\n"
                "  polyad-cli report model.h5 --output report.html\n"
                "  polyad-cli report a.h5 b.h5 c.h5 --output comparison.html");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
