// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/standard_output.h"
#include "app/messages.h"
#include "kernels/base/error.h"
#include "kernels/base/version.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace cli;

ExitCode exitCodeOf(const kernels::Error& error)
{
    switch (error.kind()) {
    case kernels::ErrorKind::BadArgument:
        return badArguments;
    case kernels::ErrorKind::BadInput:
        return badInput;
    case kernels::ErrorKind::NoDevice:
    case kernels::ErrorKind::OutOfMemory:
        return noDeviceOrMemory;
    case kernels::ErrorKind::Device:
    case kernels::ErrorKind::Internal:
        return runFailed;
    }
    return runFailed;
}

int refuse(int code)
{
    const QString sentence = app::messageForCurrentException();
    std::fprintf(stderr, "polyad-cli: %s\n", sentence.toUtf8().constData());
    return code;
}

void setUp(CLI::App& program, Action& action)
{
    program.set_version_flag("--version", "polyad-cli " + kernels::version());
    program.require_subcommand(1);
    program.get_formatter()->column_width(34);
    program.footer("Indices and modes on the command line and in .tns files count from 1.\n"
                   "Exit codes: 0 fine, 1 run failed, 2 bad arguments, 3 bad input, 4 no such device or out of memory.\n"
                   "\n"
                   "Examples:\n"
                   "  polyad-cli info flights.tns\n"
                   "  polyad-cli run flights.tns --rank 16 --iterations 100 --output model.h5\n"
                   "  polyad-cli run preset:netflix-like:0.01 --device cuda:0\n"
                   "  polyad-cli evaluate model.h5 flights.tns --part test\n"
                   "  polyad-cli predict model.h5 --index ABE,ORD,08:00\n"
                   "`polyad-cli SUBCOMMAND --help` tells the rest.");
    addInfo(program, action);
    addGenerate(program, action);
    addConvert(program, action);
    addList(program, action);
    addRun(program, action);
    addEvaluate(program, action);
    addPredict(program, action);
    addExport(program, action);
    addBench(program, action);
}

std::vector<std::string> commands(const CLI::App& program)
{
    std::vector<std::string> names;
    for (const CLI::App* sub : program.get_subcommands({}))
        names.push_back(sub->get_name());
    return names;
}

/// The first argument where it should be a command and is none; else null.
const char* unknownCommand(const CLI::App& program, int argc, char** argv)
{
    const std::vector<std::string> known = commands(program);
    const bool fine = argc < 2 || argv[1][0] == '-' || std::find(known.begin(), known.end(), argv[1]) != known.end();
    return fine ? nullptr : argv[1];
}

/// Help and version are no errors; everything else is one sentence and where to read more.
int report(const CLI::App& program, const CLI::ParseError& error, const char* unknown)
{
    if (error.get_exit_code() == 0) {
        std::ostringstream text;
        program.exit(error, text, text);
        print(text.str());
        return fine;
    }
    if (unknown) {
        std::fprintf(stderr, "polyad-cli: there is no command \"%s\"; there are %s. See `polyad-cli --help`.\n", unknown,
                     joined(commands(program), ", ").c_str());
        return badArguments;
    }
    const auto chosen = program.get_subcommands();
    const std::string help = chosen.empty() ? "polyad-cli --help" : "polyad-cli " + chosen.front()->get_name() + " --help";
    std::fprintf(stderr, "polyad-cli: %s. See `%s`.\n", error.what(), help.c_str());
    return badArguments;
}

int work(int argc, char** argv)
{
    CLI::App program("Polyad decomposes sparse tensors: it reads them, runs algorithms on CPU and GPU, judges and uses the models.",
                     "polyad-cli");
    Action action;
    try {
        setUp(program, action);
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return report(program, error, unknownCommand(program, argc, argv));
    }
    return action();
}

} // namespace

int main(int argc, char** argv)
{
    prepareStandardStreams();
    Interrupt::install(); // before any thread starts
    try {
        return work(argc, argv);
    } catch (const OutputLost& error) {
        return error.readerWentAway() ? runFailed : refuse(runFailed);
    } catch (const kernels::Error& error) {
        return refuse(exitCodeOf(error));
    } catch (const kernels::Cancelled&) {
        return refuse(runFailed);
    } catch (const std::bad_alloc&) {
        return refuse(noDeviceOrMemory);
    } catch (...) {
        return refuse(runFailed);
    }
}
