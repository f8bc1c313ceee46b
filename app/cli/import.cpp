// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "app/cli/tensor_output.h"
#include "io/atomic_file.h"
#include "io/error.h"
#include "io/existing_file.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "io/spooled_stream.h"
#include "io/table/table_format.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace cli {
namespace {

struct ImportCommand {
    TensorArgument table;
    std::string output, recipeTarget;
    io::WriteOptions write;
    bool force = false;

    int run() const;
};

std::string modesText(const app::OpenTensor& open)
{
    std::vector<std::vector<std::string>> rows{{"mode", "name", "size", "labels"}};
    for (unsigned n = 0; n < open.tensor.order(); ++n) {
        const kernels::Mode& mode = open.modes()[n];
        std::string labels = mode.labels.empty() ? "" : mode.labels.front();
        if (mode.labels.size() > 1)
            labels += (mode.labels.size() > 2 ? " … " : ", ") + mode.labels.back();
        rows.push_back({fmt::format("{}", n + 1), mode.name, countText(mode.size), labels});
    }
    return tableText(rows, {true, false, true, false});
}

/// Whole while they can be counted at a glance.
std::string cellsText(double cells) { return cells < 10'000 ? countText(static_cast<std::uint64_t>(std::llround(cells))) : bigText(cells); }

int ImportCommand::run() const
{
    refuseOverwriting("--output", output, {table.text});
    refuseOverwriting("--save-recipe", recipeTarget, {table.text, output});
    if (!output.empty())
        checkTensorTarget(output, write, force);
    io::refuseLosing(recipeTarget, force ? io::Existing::Replace : io::Existing::Keep, "--save-recipe " + recipeTarget);
    const auto open = table.open(app::Statistics::Skip);
    if (!open->recipe)
        throw io::Error({"is a tensor, not a table", io::fileNameOf(table.text), {}, {}, "Use polyad-cli convert."});
    TensorArgument::requireEntries(*open);
    printWarnings(open->report.warnings);
    std::string text = fmt::format("{}: {}\n", open->name.toStdString(), open->report.layout);
    for (const std::string& note : open->report.notes)
        text += note + '\n';
    if (open->report.valuesRounded > 0)
        text += fmt::format("{} rounded to single precision (to about 7 digits). --values fp64 keeps all digits.\n",
                            io::counted(open->report.valuesRounded, "value was", "values were"));
    text += '\n' + modesText(*open) + '\n';
    text += fmt::format("{} of {} cells hold a value ({}). Read in {}.\n", countText(open->tensor.entries()),
                        cellsText(static_cast<double>(open->tensor.entries()) / std::max(1e-300, open->tensor.density())),
                        percentText(open->tensor.density()), secondsText(open->report.seconds));
    const bool toStandardOutput = output == io::standardStream; // which the tensor has for itself
    const auto say = [&](const std::string& words) { toStandardOutput ? printError(words) : print(words); };
    say(text);
    if (!output.empty()) {
        io::WriteOptions options = write;
        options.recipe = open->recipe;
        say(writeTensorFile(output, open->tensor, options));
    }
    if (!recipeTarget.empty()) {
        io::AtomicFile file(recipeTarget);
        file.write(io::table::toJson(*open->recipe, 2) + "\n");
        file.commit();
        say(fmt::format("wrote {}\n", recipeTarget));
    }
    return fine;
}

} // namespace

void addImport(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("import", "Make a tensor of a table: CSV and its kin, spreadsheets, databases");
    auto command = std::make_shared<ImportCommand>();
    command->table.addTo(*sub, "TABLE", "A table. `polyad-cli info TABLE` shows its columns and what is proposed", false);
    sub->add_option("-o,--output", command->output, "Write the tensor here; .h5 keeps labels and recipe (only report)")->type_name("OUT");
    sub->add_option("--save-recipe", command->recipeTarget, "Write the choices here, for the next table of this kind")->type_name("FILE");
    addWriteOptions(*sub, command->write);
    addForceOption(*sub, command->force);
    sub->footer("Examples:\n"
                "  polyad-cli import flights.csv -o flights.h5\n"
                "  polyad-cli import flights.csv --modes 'carrier,origin,dest,hour=hour(time_hour)' --value dep_delay -o flights.h5\n"
                "  polyad-cli import log.csv.gz --modes host,page --count --where 'status=404' -o missing.h5\n"
                "  polyad-cli import today.csv --recipe recipe.json -o today.h5");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
