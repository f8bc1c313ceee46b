// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_argument.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_output.h"
#include "io/exports/export_model.h"
#include "io/spooled_stream.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <system_error>

namespace cli {
namespace {

struct ExportCommand {
    std::string model, output, kind;
    bool force = false;

    int run() const;
};

int ExportCommand::run() const
{
    const io::ExportKind& chosen = kind.empty() ? io::exportKindFor(output) : io::exportKind(kind);
    std::error_code ignored;
    if (std::filesystem::equivalent(model, output, ignored))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"would overwrite the model it is made from", output, {}, {}, "Choose another name."});
    const StageLine line(Interrupt::progress());
    const io::ModelFile file = readModelArgument(model);
    const io::Existing existing = force ? io::Existing::Replace : io::Existing::Keep;
    std::string text;
    for (const std::string& path : io::exportModel(chosen, file, output, Interrupt::progress(), existing))
        text += fmt::format("wrote {}\n", path);
    if (output != io::standardStream)
        print(text);
    return fine;
}

/// What makes a kind the one that is written.
std::string chosenBy(const io::ExportKind& kind)
{
    if (kind.endings.empty())
        return std::string_view(kind.id) == "csv" ? "a folder" : fmt::format("--to {}", kind.id);
    return fmt::format("{}", fmt::join(kind.endings, " "));
}

std::string kindsText()
{
    std::string text = "Kinds, and the ending of OUT that chooses them:\n";
    for (const io::ExportKind& kind : io::exportKinds())
        text += fmt::format("  {:<8} {:<14} {}: {}\n", kind.id, chosenBy(kind), kind.title, kind.purpose);
    return text;
}

} // namespace

void addExport(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("export", "Write a model in a form other programs read");
    auto command = std::make_shared<ExportCommand>();
    sub->add_option("MODEL", command->model, "A model file, or a ktensor as text")->required()->type_name("");
    sub->add_option("OUT", command->output,
                    "Where to: a file, a folder, a name that files begin with, or - for standard output (with --to)")
        ->required()
        ->type_name("");
    sub->add_option("--to", command->kind, "The kind, where the ending of OUT does not tell")->type_name("KIND");
    addForceOption(*sub, command->force);
    sub->footer(kindsText()
                + "\n"
                  "Examples:\n"
                  "  polyad-cli export model.h5 model.npz\n"
                  "  polyad-cli export model.h5 tables/ --to csv\n"
                  "  polyad-cli export cp.ktensor cp.h5");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
