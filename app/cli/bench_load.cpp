// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace cli {
namespace {

struct BenchLoad {
    std::string name;
    TensorArgument tensor;
    std::string repeat = "5";
    bool json = false;

    int run() const;
};

int BenchLoad::run() const
{
    const std::uint64_t times = parseCount("--repeat", repeat, 1);
    io::LoadReport report;
    std::uint64_t entries = 0;
    std::vector<double> seconds;
    for (std::uint64_t i = 0; i <= times; ++i) { // the first is the warm-up: the file comes into the page cache
        Interrupt::progress().throwIfCancelled();
        const auto begin = std::chrono::steady_clock::now();
        const auto open = tensor.open(app::Statistics::Skip);
        if (i > 0)
            seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        report = open->report;
        entries = open->tensor.entries();
    }
    const Spread spread = spreadOf(seconds);
    const double rate = static_cast<double>(report.entriesRead) / spread.median;
    const double bytesRate = static_cast<double>(report.fileBytes) / spread.median;
    if (json) {
        print(nlohmann::ordered_json{{"bench", name},
                                     {"file", tensor.text},
                                     {"layout", report.layout},
                                     {"bytes", report.fileBytes},
                                     {"entries", entries},
                                     {"repeat", times},
                                     {"seconds", {{"median", spread.median}, {"min", spread.least}, {"max", spread.most}}},
                                     {"entries_per_second", rate},
                                     {"bytes_per_second", bytesRate},
                                     {"peak_host_bytes", peakResidentBytes()}}
                  .dump(2)
              + '\n');
        return fine;
    }
    print(
        tableText({{"file", "layout", "size", "entries", "time (least … most)", "entries/s", "bytes/s", "peak memory"},
                   {tensor.text, report.layout, kernels::formatBytes(report.fileBytes), countText(entries), spreadText(spread),
                    bigText(rate), kernels::formatBytes(static_cast<std::uint64_t>(bytesRate)), kernels::formatBytes(peakResidentBytes())}},
                  {false, false, true, true, true, true, true, true}));
    return fine;
}

} // namespace

void addBenchLoad(CLI::App& bench, Action& action)
{
    const auto add = [&](const char* name, const char* what, const char* argument) {
        CLI::App* sub = bench.add_subcommand(name, what);
        auto command = std::make_shared<BenchLoad>();
        command->name = name;
        command->tensor.addTo(*sub, "FILE", argument, false);
        sub->add_option("--repeat", command->repeat, "Measurements after one warm-up (5)")->type_name("N");
        sub->add_flag("--json", command->json, "For programs");
        sub->footer("The warm-up brings the file into the page cache: what is measured is the reader, not the disk.");
        sub->callback([command, &action] { action = [command] { return command->run(); }; });
    };
    add("load", "Read a tensor file: parse, sort, deal with duplicates", "A tensor file");
    add("import", "Read a table: split, find labels, sort, aggregate", "A table; `entries/s` counts its rows");
}

} // namespace cli
