// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench_frame.h"
#include "app/cli/bench_mttkrp_tables.h"
#include "app/cli/formatting.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cli {
namespace {

using nlohmann::ordered_json;

struct BenchMttkrp {
    TensorArgument tensor;
    MttkrpPlan plan;
    std::string device = "auto", repeat = "5", memoryLimit;
    bool json = false;

    int run() const;
};

std::vector<kernels::Precision> precisionsOf(const std::string& text)
{
    std::vector<kernels::Precision> list;
    for (const std::string& id : splitAt(text, ',')) {
        const auto precision = kernels::precisionFromString(id);
        if (precision != kernels::Precision::Fp32 && precision != kernels::Precision::Fp64)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"MTTKRP is not there in this precision", "--precision", id, "fp32, fp64 or fp32,fp64", {}});
        list.push_back(*precision);
    }
    return list;
}

std::vector<unsigned> ranksOf(const std::string& text)
{
    std::vector<unsigned> list;
    for (const std::string& number : splitAt(text, ',')) {
        const std::uint64_t columns = parseCount("--rank", number, 1);
        if (columns > kernels::maxRank)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"too many columns", "--rank", number, fmt::format("1 to {}", kernels::maxRank), {}});
        list.push_back(static_cast<unsigned>(columns));
    }
    return list;
}

std::vector<unsigned> numbersOf(const char* option, const std::optional<std::string>& text, std::uint64_t most)
{
    std::vector<unsigned> list;
    for (const std::string& number : splitAt(text.value_or("0"), ','))
        list.push_back(static_cast<unsigned>(parseWhole(option, number, 0, most)));
    return list;
}

/// One bench at work: its rows are of one device.
class Bench {
public:
    explicit Bench(const BenchMttkrp&);
    void measure();
    std::string text() const;
    std::string json() const;

private:
    void readLists(const MttkrpPlan&);
    void measureOn(const std::string& tensor);
    void requireEntries(kernels::Count) const;
    std::vector<std::string> formatsOf(bool firstSettings) const;
    std::vector<MttkrpRow> rowsOf(const std::string& tensor) const;

    MttkrpPlan m_plan;
    TensorArgument m_tensor;
    MttkrpEffort m_effort;
    kernels::DeviceInfo m_device;
    GatherCeiling m_ceiling;
    std::vector<std::string> m_tensors, m_formats;
    std::vector<kernels::Precision> m_precisions;
    std::vector<unsigned> m_ranks, m_partitions, m_threads;
    std::uint64_t m_memoryLimit = 0;
    std::vector<MttkrpRow> m_rows;
};

Bench::Bench(const BenchMttkrp& command)
    : m_plan(command.plan)
    , m_tensor(command.tensor)
    , m_device(benchDevice(command.device))
    , m_ceiling(m_device.id)
{
    m_plan.applyTable();
    m_effort = {parseCount("--repeat", command.repeat, 1), m_plan.counters};
    m_memoryLimit = command.memoryLimit.empty() ? 0 : parseBytes("--memory-limit", command.memoryLimit);
    const bool onGpu = m_device.id.kind == kernels::DeviceKind::Cuda;
    requireEffect("--memory-limit", m_memoryLimit > 0, onGpu, "on the CPU");
    const std::string counting = command.plan.counters ? "--counters" : "--table " + m_plan.table.value_or("");
    requireEffect(counting.c_str(), m_plan.counters, onGpu, "on the CPU");
    readLists(m_plan);
    m_tensors = {m_tensor.text};
    if (m_tensor.text.empty() && !m_plan.table)
        throw kernels::Error(kernels::ErrorKind::BadArgument, {"a tensor is needed", "bench mttkrp", {}, "TENSOR or --table", {}});
    if (m_tensor.text.empty())
        m_tensors = mttkrpTableTensors(m_device.id.kind);
}

void Bench::readLists(const MttkrpPlan& plan)
{
    m_precisions = precisionsOf(plan.precisions.value_or("fp32"));
    m_ranks = ranksOf(plan.ranks.value_or("16,32"));
    m_partitions = numbersOf("--flycoo-partitions", plan.partitions, 1 << 20);
    m_threads = numbersOf("--flycoo-threads", plan.threads, 1 << 10);
    if (plan.formats.value_or("all") == "all") {
        m_formats = m_device.id.kind == kernels::DeviceKind::Cpu ? kernels::mttkrp::cpuFormats() : kernels::mttkrp::cudaFormats();
        return;
    }
    m_formats = splitAt(*plan.formats, ',');
    for (const std::string& id : m_formats)
        kernels::tensorFormat(id); // throws for what no format is called
    const bool hasFlycoo = std::ranges::find(m_formats, "flycoo") != m_formats.end();
    requireEffect("--flycoo-partitions", plan.partitions.has_value(), hasFlycoo, "without flycoo among the formats");
    requireEffect("--flycoo-threads", plan.threads.has_value(), hasFlycoo, "without flycoo among the formats");
}

/// Partitions and threads are flycoo's alone: other formats are measured once.
std::vector<std::string> Bench::formatsOf(bool firstSettings) const
{
    if (firstSettings)
        return m_formats;
    std::vector<std::string> formats = m_formats;
    std::erase_if(formats, [](const std::string& id) { return id != "flycoo"; });
    return formats;
}

/// A partition without an entry would be no partition: fewer would be measured than the row says.
void Bench::requireEntries(kernels::Count entries) const
{
    const unsigned most = *std::ranges::max_element(m_partitions);
    if (std::ranges::find(m_formats, "flycoo") != m_formats.end() && most > entries)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {fmt::format("{} has too few entries for so many partitions", m_tensor.text),
                              "--flycoo-partitions",
                              std::to_string(most),
                              fmt::format("at most {}, one for every entry", entries),
                              {}});
}

void Bench::measureOn(const std::string& tensor)
{
    m_tensor.text = tensor;
    const auto open = m_tensor.open(app::Statistics::Skip);
    if (open->tensor.entries() == 0)
        throw kernels::Error(kernels::ErrorKind::BadInput,
                             {"there is nothing to multiply", open->name.toStdString(), "0 entries", "at least 1", {}});
    requireEntries(open->tensor.entries());
    kernels::mttkrp::Settings settings;
    settings.memoryLimit = m_memoryLimit;
    for (const kernels::Precision precision : m_precisions)
        for (const unsigned rank : m_ranks)
            for (const unsigned partitions : m_partitions)
                for (const unsigned threads : m_threads) {
                    settings.rank = rank;
                    settings.partitions = partitions;
                    settings.threads = threads;
                    const bool first = partitions == m_partitions.front() && threads == m_threads.front();
                    const std::vector<std::string> formats = formatsOf(first);
                    if (formats.empty())
                        continue;
                    auto rows = measureMttkrp(*open, tensor, formats, precision, settings, m_device, m_effort, m_ceiling);
                    std::move(rows.begin(), rows.end(), std::back_inserter(m_rows));
                }
}

void Bench::measure()
{
    for (const std::string& tensor : m_tensors)
        measureOn(tensor);
}

std::vector<MttkrpRow> Bench::rowsOf(const std::string& tensor) const
{
    std::vector<MttkrpRow> rows;
    std::copy_if(m_rows.begin(), m_rows.end(), std::back_inserter(rows), [&](const MttkrpRow& row) { return row.tensor == tensor; });
    return rows;
}

std::string Bench::text() const
{
    std::string text;
    for (const std::string& tensor : m_tensors) {
        const std::vector<MttkrpRow> rows = rowsOf(tensor);
        text += benchHead({tensor, rows.front().dims, rows.front().entries, m_device},
                          fmt::format("median of {} after 1 for each mode", m_effort.times))
            + mttkrpTable(rows) + '\n';
    }
    text.pop_back();
    if (const MttkrpFigure* const figure = mttkrpFigure(m_plan))
        text += '\n' + mttkrpFigureTable(*figure, m_rows);
    return text;
}

std::string Bench::json() const
{
    ordered_json object = benchFrame("mttkrp", {m_tensors.front(), m_rows.front().dims, m_rows.front().entries, m_device});
    object["repeat"] = m_effort.times;
    if (m_plan.table)
        object["table"] = *m_plan.table;
    for (const MttkrpRow& row : m_rows)
        object["rows"].push_back(mttkrpJson(row));
    if (const MttkrpFigure* const figure = mttkrpFigure(m_plan))
        object["figure"] = mttkrpFigureJson(*figure, m_rows);
    return object.dump(2) + '\n';
}

int BenchMttkrp::run() const
{
    Bench bench(*this);
    bench.measure();
    print(json ? bench.json() : bench.text());
    return fine;
}

} // namespace

void addBenchMttkrp(CLI::App& bench, Action& action)
{
    CLI::App* sub = bench.add_subcommand("mttkrp", "The products of a tensor with all factors but one, format by format");
    auto command = std::make_shared<BenchMttkrp>();
    command->tensor.addTo(*sub, "TENSOR", "preset:ID[:SCALE], or a tensor file (a table has its own)", true);
    sub->get_option("TENSOR")->required(false);
    sub->add_option("--table", command->plan.table, "A table or figure of the paper on FLYCOO (below): its lists, where none is given here")
        ->type_name("NAME");
    sub->add_option("--format", command->plan.formats, "Formats, or all (all)")->type_name("F,...");
    sub->add_option("--rank", command->plan.ranks, "Columns of the factors (16,32)")->type_name("R,...");
    sub->add_option("--precision", command->plan.precisions, "fp32, fp64 or fp32,fp64 (fp32)")->type_name("P,...");
    sub->add_option("--device", command->device, "auto, cpu or cuda:0 (auto: the first GPU, else the CPU)")->type_name("D");
    sub->add_option("--repeat", command->repeat, "Measurements of each mode after one warm-up (5)")->type_name("N");
    sub->add_option("--flycoo-partitions", command->plan.partitions, "Partitions of a mode in flycoo (0: as many as suit the device)")
        ->type_name("K,...");
    sub->add_option("--flycoo-threads", command->plan.threads, "Threads that work on a partition on a GPU (0: as many as suit)")
        ->type_name("P,...");
    sub->add_option("--memory-limit", command->memoryLimit,
                    "What a format and the entries it is built of may take on a GPU (what is free); blco streams what is more")
        ->type_name("SIZE");
    sub->add_flag("--counters", command->plan.counters, "SM and L1 throughput from a GPU's hardware counters, half a second for each");
    sub->add_flag("--json", command->json, "For programs");
    sub->footer("bytes/s are logical: every entry's record and the rows gathered for it, whether a cache has them or not.\n"
                "\"of gathers\" is the time that gathers of as many random rows of these factors take that do nothing else, as a\n"
                "share of the time measured; an order of entries that suits caches, or hot rows, can bring it above 100 %.\n"
                "Bringing entries to a GPU is not in what a format takes to be built. flycoo brings the entries into a mode\'s\n"
                "order while it computes that mode: this is in its times, and its share is told below the table.\n"
                "\nTables, at a rank of 32:\n"
                + mttkrpTablesHelp());
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
