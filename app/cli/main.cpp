// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/compare.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/report.h"
#include "app/cli/standard_output.h"
#include "app/messages.h"
#include "io/atomic_file.h"
#include "kernels/base/error.h"
#include "kernels/base/nearest_name.h"
#include "kernels/base/version.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

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
    printError("polyad-cli: " + sentence.toStdString() + '\n');
    return code;
}

void setUp(CLI::App& program, Action& action)
{
    program.set_version_flag("--version", "polyad-cli " + kernels::version());
    program.require_subcommand(1);
    program.get_formatter()->column_width(34);
    program.footer("Indices and modes on the command line and in .tns files count from 1.\n"
                   "A file called - is standard input, or standard output after -o.\n"
                   "Exit codes: 0 fine, 1 run failed, 2 bad arguments, 3 bad input, 4 no such device or out of memory,\n"
                   "130 stopped by Ctrl-C, 143 by SIGTERM.\n"
                   "\n"
                   "Examples:\n"
                   "  polyad-cli import flights.csv -o flights.h5\n"
                   "  polyad-cli info flights.tns\n"
                   "  polyad-cli run flights.tns --rank 16 --iterations 100 --output model.h5\n"
                   "  polyad-cli run preset:netflix-like:0.01 --device cuda:0\n"
                   "  polyad-cli sweep flights.tns --ranks 2..10 --replicates 5\n"
                   "  polyad-cli update model.h5 today.tns --output model.h5\n"
                   "  polyad-cli evaluate model.h5 flights.tns --part test\n"
                   "  polyad-cli predict model.h5 --index ABE,ORD,08:00\n"
                   "`polyad-cli SUBCOMMAND --help` tells the rest.");
    addImport(program, action);
    addInfo(program, action);
    addGenerate(program, action);
    addConvert(program, action);
    addList(program, action);
    addRun(program, action);
    addSweep(program, action);
    addUpdate(program, action);
    addEvaluate(program, action);
    addCompare(program, action);
    addPredict(program, action);
    addExport(program, action);
    addReport(program, action);
    addBench(program, action);
}

/// What a person asked for as far as it was understood, and what was not.
struct Request {
    const CLI::App* app; ///< the program, or the command within a command that was named last
    std::string words = "polyad-cli"; ///< that name it
    std::string unknown = {}; ///< in place of a command; empty: none, or a known one
    std::vector<std::string> others = {}; ///< arguments after it
};

std::vector<std::string> commands(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands({}))
        names.push_back(sub->get_name());
    return names;
}

Request requestOf(const CLI::App& program, int argc, char** argv)
{
    Request request{&program};
    int i = 1;
    for (; i < argc && argv[i][0] != '-'; ++i) {
        const auto subs = request.app->get_subcommands({});
        const auto sub = std::find_if(subs.begin(), subs.end(), [&](const CLI::App* s) { return s->get_name() == argv[i]; });
        if (subs.empty() || sub == subs.end()) {
            request.unknown = subs.empty() ? "" : argv[i];
            break;
        }
        request.app = *sub;
        request.words += std::string(" ") + argv[i];
    }
    request.others.assign(argv + i, argv + argc);
    return request;
}

/// The first that looks like an option and is none, with the nearest that is one; empty: all are known.
std::string unknownOption(const Request& request)
{
    std::vector<std::string> known;
    for (const CLI::Option* option : request.app->get_options())
        for (const std::string& name : option->get_lnames())
            known.push_back("--" + name);
    for (const std::string& text : request.others) {
        const std::string name = text.substr(0, text.find('='));
        if (text.starts_with("--") && text.size() > 2 && !request.app->get_option_no_throw(name))
            return fmt::format("there is no option \"{}\". {}", name, kernels::didYouMean(name, known));
    }
    return {};
}

std::string sentenceFor(const CLI::ParseError& error, const Request& request)
{
    const std::vector<std::string> known = commands(*request.app);
    if (!request.unknown.empty())
        return fmt::format("there is no command \"{}\"; there are {}. {}", request.unknown, joined(known, ", "),
                           kernels::didYouMean(request.unknown, known));
    const std::string unknown = unknownOption(request);
    return unknown.empty() ? fmt::format("{}.", error.what()) : unknown;
}

/// Help and version are no errors; everything else is one sentence and where to read more.
int report(const CLI::App& program, const CLI::ParseError& error, const Request& request)
{
    if (error.get_exit_code() == 0) {
        std::ostringstream text;
        program.exit(error, text, text);
        print(text.str());
        return fine;
    }
    const std::string sentence = sentenceFor(error, request);
    printError(fmt::format("polyad-cli: {}{}See `{} --help`.\n", sentence, sentence.ends_with(' ') ? "" : " ", request.words));
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
        return report(program, error, requestOf(program, argc, argv));
    }
    return action();
}

int guarded(int argc, char** argv)
{
    try {
        return work(argc, argv);
    } catch (const OutputLost& error) {
        return error.readerWentAway() ? runFailed : refuse(runFailed);
    } catch (const io::StreamLost& error) {
        return error.error() == EPIPE ? runFailed : refuse(runFailed);
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

/// All files are written. The system gives back memory and devices faster than they can be put away one by one.
[[noreturn]] void end(int code)
{
    std::fflush(nullptr);
#ifdef POLYAD_SANITIZED // leaks are looked for at an ordinary end
    std::exit(code);
#else
    _exit(code);
#endif
}

const auto started = std::chrono::steady_clock::now();

} // namespace

std::chrono::steady_clock::time_point cli::programStart() { return started; }

int main(int argc, char** argv)
{
    prepareStandardStreams();
    Interrupt::install(); // before any thread starts
    const int code = guarded(argc, argv);
    const int signal = Interrupt::signal();
    end(signal == 0 ? code : 128 + signal); // as a shell tells it, also where a stopped run kept its result
}
