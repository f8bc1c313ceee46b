// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "app/cli/tensor_output.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace cli {
namespace {

struct ConvertCommand {
    TensorArgument tensor;
    std::string output, header;

    int run() const;
};

int ConvertCommand::run() const
{
    if (!header.empty() && header != "parti" && header != "sptensor")
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"not a value for this option", "--header", fmt::format("\"{}\"", header), "parti or sptensor", {}});
    refuseOverwriting("OUT", output, {tensor.text});
    checkTensorTarget(output);
    if (!header.empty() && io::formatForWriting(output)->id != "tns")
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {"only .tns files have such a header", "--header", output, "an output that ends in .tns or .tns.gz", "Leave the option out."});
    const auto open = tensor.open(app::Statistics::Skip);
    printWarnings(open->report.warnings);
    print(writeTensorFile(output, open->tensor, {header}));
    return fine;
}

} // namespace

void addConvert(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("convert", "Read a tensor in any format and write it in another");
    auto command = std::make_shared<ConvertCommand>();
    command->tensor.addTo(*sub, "IN", "A tensor file; the format is recognised by its content", false);
    sub->add_option("OUT", command->output, "Where to; the ending chooses the format")->required()->type_name("");
    sub->add_option("--header", command->header, "Text only: write ParTI's or Tensor Toolbox' header (none)")->type_name("parti|sptensor");
    sub->footer("Examples:\n"
                "  polyad-cli convert flights.tns flights.h5\n"
                "  polyad-cli convert data.h5:/train train.tns --zeros drop");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
