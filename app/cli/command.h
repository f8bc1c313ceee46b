// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>

namespace CLI {
class App;
}

namespace cli {

/// What the shell is told; documented in every --help.
enum ExitCode { fine = 0, runFailed = 1, badArguments = 2, badInput = 3, noDeviceOrMemory = 4 };

/// When main() began.
std::chrono::steady_clock::time_point programStart();

/// Set by the subcommand that was chosen, called when all arguments were read.
using Action = std::function<int()>;

/// Each adds its subcommand (a file each) to the program.
void addInfo(CLI::App&, Action&);
void addGenerate(CLI::App&, Action&);
void addConvert(CLI::App&, Action&);
void addImport(CLI::App&, Action&);
void addList(CLI::App&, Action&);
void addRun(CLI::App&, Action&);
void addSweep(CLI::App&, Action&);
void addEvaluate(CLI::App&, Action&);
void addPredict(CLI::App&, Action&);
void addUpdate(CLI::App&, Action&);
void addExport(CLI::App&, Action&);
void addBench(CLI::App&, Action&);

} // namespace cli
