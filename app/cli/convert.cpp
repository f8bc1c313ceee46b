// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "app/cli/tensor_output.h"

#include <CLI/CLI.hpp>

namespace cli {
namespace {

struct ConvertCommand {
    TensorArgument tensor;
    std::string output;
    io::WriteOptions write;
    bool force = false;

    int run() const;
};

int ConvertCommand::run() const
{
    refuseOverwriting("OUT", output, {tensor.text});
    checkTensorTarget(output, write, force);
    const auto open = tensor.open(app::Statistics::Skip);
    printWarnings(open->report.warnings);
    printWarnings(open->report.notes);
    if (open->report.valuesRounded > 0)
        printWarnings({"--values fp64 keeps all digits"});
    io::WriteOptions options = write;
    options.recipe = open->recipe;
    print(writeTensorFile(output, open->tensor, options));
    return fine;
}

} // namespace

void addConvert(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("convert", "Read a tensor in any format and write it in another");
    auto command = std::make_shared<ConvertCommand>();
    command->tensor.addTo(*sub, "IN", "A tensor file, or - for standard input; the format is recognised by its content", false);
    sub->add_option("OUT", command->output, "Where to, or - for standard output; the ending chooses the format")->required()->type_name("");
    addWriteOptions(*sub, command->write);
    addForceOption(*sub, command->force);
    sub->footer("Examples:\n"
                "  polyad-cli convert flights.tns flights.h5\n"
                "  polyad-cli convert data.h5:/train train.tns --zeros drop\n"
                "  zcat log.tns.gz | polyad-cli convert - log.h5\n"
                "  polyad-cli convert data.h5 - | head");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
