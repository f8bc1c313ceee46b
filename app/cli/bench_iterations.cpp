// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench_plan.h"
#include "app/cli/bench_rows.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "app/run_job.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"
#include "kernels/base/version.h"
#include "kernels/device/device_list.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>

namespace cli {
namespace {

using nlohmann::ordered_json;

struct BenchIterations {
    TensorArgument tensor;
    MethodOptions method;
    BenchPlan plan;
    std::string repeat = "5", warmUp = "1";
    std::optional<std::string> rowLimit;
    bool json = false;

    int run() const;
};

constexpr double usualLimit = 60; ///< seconds a row may take where whole families are compared

/// One bench at work: its rows are of one device, or of one and one more and one more of several.
class Bench {
public:
    Bench(const BenchIterations&);
    void measure();
    std::string text() const;
    std::string json() const;

private:
    void chooseTensors();
    kernels::RunConfig config(const MethodOptions&, const app::OpenTensor&) const;
    BenchRow refused(const BenchTensor&, const MethodOptions&, const app::OpenTensorPtr&, const kernels::Error&);
    void measureOn(const BenchTensor&);
    void showProgress(const std::string& label, std::size_t number) const;
    const BenchRow& firstMeasured() const; ///< else the first
    bool several() const { return m_tensors.size() > 1; }
    const char* name() const
    {
        return m_plan.family == BenchFamily::Tucker ? "tucker" : m_plan.family == BenchFamily::Cp ? "cp" : "fasttucker";
    }
    void estimateTime(BenchRow&) const;
    std::string title() const;

    BenchPlan m_plan;
    MethodOptions m_method;
    TensorArgument m_tensor;
    BenchEffort m_effort;
    std::vector<kernels::DeviceId> m_devices;
    kernels::DeviceInfo m_device; ///< the first of them
    std::vector<MethodOptions> m_methods;
    std::vector<BenchTensor> m_tensors;
    Ceilings m_ceilings;
    std::vector<BenchRow> m_rows;
    std::uint64_t m_peakBytes = 0; ///< of this process
    bool m_stopped = false; ///< by Ctrl-C: rows are missing, and the ceilings
};

Bench::Bench(const BenchIterations& command)
    : m_plan(command.plan)
    , m_method(command.method)
    , m_tensor(command.tensor)
{
    m_effort.warmUp = parseCount("--warm-up", command.warmUp);
    m_effort.repeat = parseCount("--repeat", command.repeat, 1);
    m_plan.algorithms = command.method.algorithm;
    m_plan.variants = command.method.variant;
    m_plan.precisions = command.method.precision;
    m_method.algorithm = m_method.variant = m_method.precision = std::nullopt;
    if (m_plan.ranks && (m_method.rank || m_method.coreRank))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"these options exclude each other", "--ranks", {}, "without --rank and --core-rank", {}});
    if (command.rowLimit)
        m_effort.secondsLimit = parseNumber("--row-limit", *command.rowLimit, 0, 1e9);
    else if (m_plan.family != BenchFamily::FastTucker)
        m_effort.secondsLimit = usualLimit;
    m_plan.applyTable();
    if (m_method.rank || m_method.coreRank)
        m_plan.ranks.reset(); // a table's
    requireEffect("--entries", m_plan.entries.has_value(), m_plan.orders.has_value(), "without --orders");
    requireEffect("--mode-size", m_plan.modeSize.has_value(), m_plan.sweeps(), "without --orders or --densities");
    m_effort.access = m_plan.access;
    m_effort.stale = m_plan.stale;
    m_devices = benchDevices(m_method.device.value_or("auto"));
    m_device = kernels::device(m_devices.front());
    for (MethodOptions options : m_plan.methods(m_method))
        for (auto end = m_devices.begin(); end != m_devices.end();) {
            options.device = kernels::toString(std::vector(m_devices.begin(), ++end)); // what they cannot do is told in their rows
            m_methods.push_back(options);
        }
    if (m_methods.empty()) // a table's variants are those of others
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"the table compares variants that the algorithm does not have",
                              "--table " + m_plan.table.value_or(""),
                              m_plan.algorithms.value_or(""),
                              {},
                              "Name others: --variant all."});
    chooseTensors();
}

void Bench::chooseTensors()
{
    if (m_plan.sweeps() && !m_tensor.text.empty())
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {"a sweep makes its own tensors", m_tensor.text, {}, {}, "Leave the tensor out, or --orders and --densities."});
    const bool onGpu = m_device.id.kind == kernels::DeviceKind::Cuda;
    m_tensors = m_plan.tensors(onGpu);
    if (!m_tensors.empty())
        return;
    if (m_tensor.text.empty() && !m_plan.table)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"a tensor is needed", fmt::format("bench {}", name()), {}, "TENSOR, --table, --orders or --densities", {}});
    if (m_tensor.text.empty())
        m_tensor.text = onGpu ? "preset:netflix-like" : "preset:netflix-like:0.01";
    m_tensors.push_back({m_tensor.text, [this]() -> app::OpenTensorPtr { return m_tensor.open(app::Statistics::Skip); }});
}

kernels::RunConfig Bench::config(const MethodOptions& options, const app::OpenTensor& open) const
{
    kernels::RunConfig config;
    options.applyTo(config);
    config.split.kind = open.hasTestPart() ? kernels::SplitKind::File : kernels::SplitKind::None;
    config.stopping.iterations = m_effort.warmUp + m_effort.repeat;
    config.stopping.tolerance = 0; // never early: every iteration is a measurement
    return app::resolveFor(config, open);
}

/// A row that says why there is nothing to measure: as much of the settings as was understood.
BenchRow Bench::refused(const BenchTensor& tensor, const MethodOptions& options, const app::OpenTensorPtr& open,
                        const kernels::Error& error)
{
    BenchRow row;
    row.tensor = tensor.label;
    if (open) {
        row.dims = open->tensor.dims();
        row.trainEntries = open->tensor.entries();
    }
    row.reason = error.what();
    row.problem = std::current_exception();
    row.config.algorithm = options.algorithm.value_or(row.config.algorithm);
    row.config.variant = options.variant.value_or("");
    row.config.devices = kernels::devicesFromString(*options.device);
    row.config.precision = kernels::precisionFromString(options.precision.value_or("fp32")).value_or(kernels::Precision::Fp32);
    if (options.rank)
        row.config.ranks = parseRanks("--ranks", *options.rank);
    if (options.coreRank)
        row.config.coreRank = parseRanks("--ranks", *options.coreRank).front();
    return row;
}

void Bench::showProgress(const std::string& label, std::size_t number) const
{
    if (stderrIsTerminal())
        std::fputs(fmt::format("\r\033[Kmeasuring {}: {} of {}", label, number, m_methods.size()).c_str(), stderr);
}

void Bench::measureOn(const BenchTensor& tensor)
{
    app::OpenTensorPtr open;
    try {
        open = tensor.open();
    } catch (const kernels::Error& error) { // too large a one of a sweep, say: the others keep their rows
        m_rows.push_back(refused(tensor, m_methods.front(), open, error));
        return;
    }
    for (std::size_t i = 0; i < m_methods.size(); ++i) {
        kernels::RunConfig resolved;
        try {
            resolved = config(m_methods[i], *open);
        } catch (const kernels::Error& error) {
            m_rows.push_back(refused(tensor, m_methods[i], open, error));
            continue;
        }
        showProgress(tensor.label, i + 1);
        m_rows.push_back(measureRow(tensor.label, resolved, open, m_effort));
        if (m_rows.back().outOfTime)
            estimateTime(m_rows.back());
    }
    if (stderrIsTerminal())
        std::fputs("\r\033[K", stderr);
}

/// From what the same algorithm did last, on a smaller tensor of a sweep.
void Bench::estimateTime(BenchRow& row) const
{
    const auto like = std::find_if(m_rows.rbegin(), m_rows.rend(), [&](const BenchRow& one) {
        return one.measured() && one.config.algorithm == row.config.algorithm && one.config.variant == row.config.variant
            && one.config.precision == row.config.precision && one.config.devices.size() == row.config.devices.size();
    });
    if (like != m_rows.rend() && like->gflops() > 0)
        row.reason += fmt::format("; at the {}FLOP/s of {} it takes some {}", bigText(like->gflops() * 1e9), like->tensor,
                                  secondsText(row.flops / (like->gflops() * 1e9)));
}

/// With nothing measured at all, the first reason is the answer; but that all were out of time is a table. The ceiling's arrays are not
/// the runs' memory.
void Bench::measure()
{
    const auto tells = [](const BenchRow& row) { return row.measured() || row.outOfTime; };
    try {
        for (const BenchTensor& tensor : m_tensors)
            measureOn(tensor);
    } catch (const kernels::Cancelled&) {
        if (std::none_of(m_rows.begin(), m_rows.end(), tells))
            throw;
        m_stopped = true;
    }
    if (std::none_of(m_rows.begin(), m_rows.end(), tells))
        std::rethrow_exception(m_rows.front().problem);
    compareRows(m_rows);
    m_peakBytes = peakResidentBytes();
    if (!m_stopped)
        m_ceilings = measureCeilings(m_rows);
}

const BenchRow& Bench::firstMeasured() const
{
    const auto first = std::find_if(m_rows.begin(), m_rows.end(), [](const BenchRow& row) { return row.measured(); });
    return first == m_rows.end() ? m_rows.front() : *first;
}

std::string Bench::title() const
{
    const BenchRow& row = firstMeasured();
    if (!several())
        return fmt::format("{}: {}, {}, {} for testing", m_tensors.front().label, fmt::join(row.dims, " x "),
                           countText(row.trainEntries, "entry", "entries"), countText(row.testEntries));
    const std::string least = countText(m_rows.front().trainEntries);
    const std::string most = countText(m_rows.back().trainEntries);
    return fmt::format("{} to {}, uniformly drawn: {} entries", m_tensors.front().label, m_tensors.back().label,
                       least == most ? least : least + " to " + most);
}

std::string Bench::text() const
{
    std::string text = fmt::format("{}\n{} ({}), median of {} after {}\n", title(), m_device.name, kernels::toString(m_devices),
                                   countText(m_effort.repeat, "iteration", "iterations"), m_effort.warmUp);
    return text + ceilingsText(m_ceilings) + '\n' + benchTable(m_rows, m_ceilings, several())
        + fmt::format("\npeak memory of this process {}\n", kernels::formatBytes(m_peakBytes))
        + (m_stopped ? fmt::format("stopped after {} of {} rows\n", m_rows.size(), m_methods.size() * m_tensors.size()) : "");
}

std::string Bench::json() const
{
    const BenchRow& row = firstMeasured();
    ordered_json object{{"bench", name()},
                        {"version", kernels::version()},
                        {"tensor", m_tensors.front().label},
                        {"dims", row.dims},
                        {"entries", row.trainEntries},
                        {"test_entries", row.testEntries},
                        {"device", kernels::toString(m_devices)},
                        {"device_name", m_device.name},
                        {"threads", row.config.threads > 0 ? row.config.threads : kernels::device(kernels::DeviceId{}).processors},
                        {"warm_up", m_effort.warmUp},
                        {"repeat", m_effort.repeat},
                        {"peak_host_bytes", m_peakBytes}};
    if (m_plan.table)
        object["table"] = *m_plan.table;
    if (m_stopped)
        object["stopped"] = true;
    object["ceilings"] = ceilingsJson(m_ceilings);
    for (const BenchRow& one : m_rows)
        object["rows"].push_back(benchJson(one, m_ceilings));
    return object.dump(2) + '\n';
}

int BenchIterations::run() const
{
    Bench bench(*this);
    bench.measure();
    print(json ? bench.json() : bench.text());
    return fine;
}

void addPlan(CLI::App& app, BenchPlan& plan, std::optional<std::string>& rowLimit)
{
    const auto add = [&](const char* option, std::optional<std::string>& value, const char* type, const char* what) {
        app.add_option(option, value, what)->type_name(type)->group("What is compared");
    };
    add("--table", plan.table, "NAME", "A table of the papers (below): its lists, where none is given here");
    add("--ranks", plan.ranks, "J[:R],...", "Ranks in turn, R as J where it is not said");
    add("--orders", plan.orders, "FIRST:LAST", "Generated tensors of these orders, 2 to 16; or a list");
    add("--densities", plan.densities, "FIRST:LAST", "Generated cubes with so many per cent of their cells, 1 to 50; or a list");
    add("--entries", plan.entries, "N", "Of each order (100M on a GPU, 1M on the CPU)");
    add("--mode-size", plan.modeSize, "N", "Indices a mode (orders: 10000; densities: 1000 on a GPU, 200 on the CPU)");
    add("--row-limit", rowLimit, "SECONDS",
        plan.family == BenchFamily::FastTucker ? "What a row may take, preparation included, before it is out of time (no limit)"
                                               : "What a row may take, preparation included, before it is out of time; 0: no limit (60)");
    app.add_flag("--access", plan.access, "Time the memory access of the factor pass alone, too; loads the tensor once more a row")
        ->group("What is compared");
}

void addBenchOf(BenchFamily family, const char* name, const char* about, CLI::App& bench, Action& action)
{
    CLI::App* sub = bench.add_subcommand(name, about);
    auto command = std::make_shared<BenchIterations>();
    command->plan.family = family;
    command->tensor.addTo(*sub, "TENSOR", "preset:ID[:SCALE], or a tensor file (a table's own is netflix-like)", true);
    sub->get_option("TENSOR")->required(false);
    addPlan(*sub, command->plan, command->rowLimit);
    command->method.addTo(*sub);
    sub->add_option("--repeat", command->repeat, "Iterations measured (5)")->type_name("N");
    sub->add_option("--warm-up", command->warmUp, "Iterations before them (1)")->type_name("N");
    sub->add_flag("--json", command->json, "For programs; times in milliseconds");
    sub->footer(
        "--algorithm, --variant and --precision take lists here (fp64,fp32), the first two also \"all\": a row for each combination, on "
        "the same tensor; one that cannot be had says why.\n"
        "speed-up: of an iteration over the same one in the first precision, and over that of the algorithm's first variant in a paper.\n"
        "entries/s counts training entries per time of an iteration (factors and core); GFLOP/s the arithmetic the algorithm needs "
        "at least, against what multiply-adds of the precision reach in registers; GB/s the entries and rows it reads and writes at least, "
        "against what a copy within the device's memory reaches; both as the variant computes it.\n"
        "\nTables:\n"
        + benchTablesHelp(family));
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace

void addBenchFastTucker(CLI::App& bench, Action& action)
{
    addBenchOf(BenchFamily::FastTucker, "fasttucker", "Time the iterations of the FastTucker family", bench, action);
}

void addBenchTucker(CLI::App& bench, Action& action)
{
    addBenchOf(BenchFamily::Tucker, "tucker", "Time the iterations of every Tucker algorithm, factored core or dense", bench, action);
}

void addBenchCp(CLI::App& bench, Action& action)
{
    addBenchOf(BenchFamily::Cp, "cp", "Time the iterations of every CP algorithm over observed entries", bench, action);
}

} // namespace cli
