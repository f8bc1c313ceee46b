// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/stage_line.h"
#include "app/cli/tensor_argument.h"
#include "io/atomic_file.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

namespace cli {
namespace {

struct ConvertCommand {
    TensorArgument tensor;
    std::string output, header;

    int run() const;
};

/// The endings a tensor can be written to, for the message.
std::string writableEndings()
{
    std::vector<std::string> endings;
    for (const io::FileFormat& format : io::fileFormats())
        if (format.write)
            for (const std::string& extension : format.extensions)
                endings.push_back('.' + extension);
    return joined(endings, ", ");
}

int ConvertCommand::run() const
{
    if (!io::formatForWriting(output))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"the ending names no format that can be written", output, {}, "one of " + writableEndings(), {}});
    if (!header.empty() && header != "parti" && header != "sptensor")
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"not a value for this option", "--header", fmt::format("\"{}\"", header), "parti or sptensor", {}});
    {
        const io::AtomicFile probe(output);
    }
    const auto open = tensor.open(app::Statistics::Skip);
    const StageLine line(Interrupt::progress());
    std::vector<std::string> warnings = open->report.warnings;
    const io::WriteReport report = io::writeTensor(output, open->tensor, {header}, Interrupt::progress());
    warnings.insert(warnings.end(), report.warnings.begin(), report.warnings.end());
    for (const std::string& warning : warnings)
        std::fprintf(stderr, "polyad-cli: %s\n", warning.c_str());
    print(fmt::format("wrote {}: {}, {} entries\n", output, fmt::join(open->tensor.dims(), " x "), countText(open->tensor.entries())));
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
