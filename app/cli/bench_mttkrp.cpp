// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench.h"
#include "app/cli/bench_counters.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/random.h"
#include "kernels/base/registry.h"
#include "kernels/base/version.h"
#include "kernels/operations/mttkrp/back_end.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>

namespace cli {
namespace {

using nlohmann::ordered_json;

struct BenchMttkrp {
    TensorArgument tensor;
    std::string formats = "all", ranks = "16,32", precisions = "fp32", device = "auto", repeat = "5", partitions = "0", threads = "0";
    std::string memoryLimit;
    bool counters = false, json = false;

    int run() const;
};

/// One combination; or why it was not measured.
struct Measurement {
    std::string format, precision;
    unsigned rank = 0;
    std::string reason, chosen;
    double buildSeconds = 0;
    std::uint64_t bytes = 0, streamedBytes = 0; ///< of the format; those that came to the device for each mode
    std::vector<Spread> modes;
    std::vector<double> still; ///< of formats that remap: medians without the remap
    std::vector<kernels::mttkrp::Detail> details;
    std::vector<CounterReading> counters;

    double sum() const
    {
        double seconds = 0;
        for (const Spread& mode : modes)
            seconds += mode.median;
        return seconds;
    }
    double remapShare() const { return 1 - std::accumulate(still.begin(), still.end(), 0.0) / sum(); }
    double streamedPerSecond() const { return static_cast<double>(streamedBytes) * static_cast<double>(modes.size()) / sum(); }
};

std::vector<kernels::Matrix> drawnFactors(const kernels::SparseTensor& tensor, unsigned rank, bool doubles)
{
    std::vector<kernels::Matrix> factors;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        factors.push_back(kernels::Matrix::unfilled(tensor.modes[n].size, rank, doubles));
        std::visit(
            [&](auto& numbers) {
                for (std::size_t i = 0; i < numbers.size(); ++i)
                    numbers[i] = static_cast<std::decay_t<decltype(numbers[0])>>(kernels::random::uniform(1, n, i));
            },
            factors.back().data);
    }
    return factors;
}

/// The factors as they are drawn and as they are laid out, and the products of the longest mode.
void requireHostFits(const kernels::SparseTensor& tensor, unsigned rank, kernels::Precision precision)
{
    std::uint64_t rows = 0;
    for (const kernels::Index size : tensor.dims())
        rows += size;
    constexpr std::uint64_t line = 64;
    const std::uint64_t row = (std::uint64_t{rank} * (precision == kernels::Precision::Fp64 ? 8 : 4) + line - 1) / line * line;
    kernels::requireHostMemory(3 * rows * row, "Choose a smaller rank.");
}

class Measuring {
public:
    Measuring(const kernels::SparseTensor& tensor, kernels::Precision precision, const kernels::DeviceId& device,
              const kernels::mttkrp::Settings& settings)
        : m_tensor(tensor)
        , m_precision(precision)
        , m_rank(settings.rank)
        , m_mttkrp(kernels::mttkrp::makeMttkrp(precision, device))
    {
        const Interrupt::Watch watch(m_control);
        m_mttkrp->load(tensor, drawnFactors(tensor, m_rank, precision == kernels::Precision::Fp64), settings, m_control);
    }

    const std::vector<std::string>& formats() const { return m_mttkrp->formats(); }

    /// Of the format that was measured last.
    std::vector<CounterReading> counters(const kernels::DeviceInfo& device)
    {
        const Interrupt::Watch watch(m_control);
        return readCounters(device, [&] {
            for (unsigned mode = 0; mode < m_tensor.order(); ++mode)
                m_mttkrp->compute(mode, m_control);
        });
    }

    Measurement measure(const std::string& format, std::uint64_t times)
    {
        const Interrupt::Watch watch(m_control);
        Measurement result{format, std::string(toString(m_precision)), m_rank, {}, {}, 0, 0, 0, {}, {}, {}, {}};
        try {
            const auto begin = std::chrono::steady_clock::now();
            m_mttkrp->build(format, m_control);
            result.buildSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            result.bytes = m_mttkrp->formatBytes();
            result.chosen = m_mttkrp->chosen();
            result.streamedBytes = m_mttkrp->streamedBytes();
            result.details = m_mttkrp->details();
            measureModes(times, result);
        } catch (const kernels::Error& error) {
            if (error.kind() == kernels::ErrorKind::Device)
                throw;
            result.reason = error.what();
            result.modes.clear();
        }
        return result;
    }

private:
    /// Mode after mode, as algorithms ask for them. A format that remaps is asked twice: the second time it does not.
    void measureModes(std::uint64_t times, Measurement& to)
    {
        const unsigned order = m_tensor.order();
        const bool remaps = m_mttkrp->remaps();
        std::vector<std::vector<double>> seconds(order), still(order);
        for (std::uint64_t round = 0; round <= times; ++round) // the first is the warm-up
            for (unsigned mode = 0; mode < order; ++mode) {
                const double taken = m_mttkrp->compute(mode, m_control);
                const double again = remaps ? m_mttkrp->compute(mode, m_control) : 0;
                if (round > 0) {
                    seconds[mode].push_back(taken);
                    still[mode].push_back(again);
                }
            }
        for (unsigned mode = 0; mode < order; ++mode) {
            to.modes.push_back(spreadOf(seconds[mode]));
            if (remaps)
                to.still.push_back(spreadOf(still[mode]).median);
        }
    }

    const kernels::SparseTensor& m_tensor;
    kernels::Precision m_precision;
    unsigned m_rank;
    std::unique_ptr<kernels::mttkrp::MttkrpBackEnd> m_mttkrp;
    kernels::RunControl m_control;
};

/// Rows gathered for all modes, and with them the bytes: an entry and mode has N − 1 rows, its other indices and a value.
double gatheredRows(const kernels::SparseTensor& tensor)
{
    return static_cast<double>(tensor.entries()) * tensor.order() * (tensor.order() - 1);
}
double logicalBytes(const kernels::SparseTensor& tensor, const Measurement& m)
{
    const double value = m.precision == "fp64" ? 8 : 4;
    const double record = (tensor.order() - 1) * sizeof(kernels::Index) + value;
    return gatheredRows(tensor) * m.rank * value + static_cast<double>(tensor.entries()) * tensor.order() * record;
}

/// What a format told of itself, and how much of the time its remap takes.
std::string detailsOf(const Measurement& m)
{
    std::string text;
    for (const kernels::mttkrp::Detail& detail : m.details)
        text += fmt::format("{}{} {:.4g}", text.empty() ? "" : "; ", detail.name, fmt::join(detail.values, ", "));
    if (!m.still.empty())
        text += fmt::format("{}remap {:.0f} % of the time", text.empty() ? "" : "; ", 100 * m.remapShare());
    if (m.streamedBytes > 0)
        text += fmt::format("{}streamed from the host, {} for each mode at {:.1f} GB/s", text.empty() ? "" : "; ",
                            kernels::formatBytes(m.streamedBytes), m.streamedPerSecond() * 1e-9);
    for (const CounterReading& counter : m.counters)
        text += fmt::format("{}{} {}", text.empty() ? "" : "; ", counter.quantity,
                            counter.reason.empty() ? fmt::format("{:.1f} %", counter.percent) : "unknown: " + counter.reason);
    return text.empty() ? text : fmt::format("{} {} R = {}: {}\n", m.format, m.precision, m.rank, text);
}

std::string tableOf(const std::vector<Measurement>& rows, const kernels::SparseTensor& tensor)
{
    std::vector<std::string> head{"format", "precision", "R"};
    for (unsigned n = 0; n < tensor.order(); ++n)
        head.push_back(fmt::format("mode {}", n + 1));
    for (const char* title : {"all modes", "rows gathered/s", "bytes/s", "built in", "size"})
        head.emplace_back(title);
    std::vector<std::vector<std::string>> table{head};
    std::vector<bool> right(head.size(), true);
    right[0] = right[1] = false;
    for (const Measurement& m : rows) {
        std::vector<std::string> row{m.chosen.empty() ? m.format : m.format + ": " + m.chosen, m.precision, std::to_string(m.rank)};
        for (unsigned n = 0; n < tensor.order(); ++n)
            row.push_back(m.modes.empty() ? "-" : secondsText(m.modes[n].median));
        if (m.modes.empty()) {
            row.insert(row.end(), {"-", "-", "-", "-", "-"});
        } else {
            row.insert(row.end(),
                       {secondsText(m.sum()), bigText(gatheredRows(tensor) / m.sum()),
                        kernels::formatBytes(static_cast<std::uint64_t>(logicalBytes(tensor, m) / m.sum())), secondsText(m.buildSeconds),
                        kernels::formatBytes(m.bytes)});
        }
        table.push_back(row);
    }
    std::string text = tableText(table, right);
    for (const Measurement& m : rows)
        text += m.reason.empty() ? detailsOf(m) : fmt::format("{} {} R = {}: {}\n", m.format, m.precision, m.rank, m.reason);
    return text;
}

ordered_json rowJson(const Measurement& m, const kernels::SparseTensor& tensor)
{
    ordered_json row{{"format", m.format}, {"precision", m.precision}, {"rank", m.rank}};
    if (!m.chosen.empty())
        row["chosen"] = m.chosen;
    if (!m.reason.empty()) {
        row["reason"] = m.reason;
        return row;
    }
    for (const Spread& mode : m.modes)
        row["seconds"]["modes"].push_back({{"median", mode.median}, {"min", mode.least}, {"max", mode.most}});
    row["seconds"]["all_modes"] = m.sum();
    row["seconds"]["build"] = m.buildSeconds;
    row["rows_gathered_per_second"] = gatheredRows(tensor) / m.sum();
    row["bytes_per_second"] = logicalBytes(tensor, m) / m.sum();
    row["bytes"] = m.bytes;
    for (const kernels::mttkrp::Detail& detail : m.details)
        row["details"][detail.name] = detail.values;
    if (m.streamedBytes > 0) {
        row["streamed_bytes"] = m.streamedBytes;
        row["streamed_bytes_per_second"] = m.streamedPerSecond();
    }
    for (const CounterReading& counter : m.counters) {
        ordered_json& told = row["counters"][counter.quantity];
        if (counter.reason.empty())
            told = {{"percent", counter.percent}, {"metric", counter.metric}};
        else
            told = {{"reason", counter.reason}};
    }
    if (!m.still.empty()) {
        row["seconds"]["modes_without_remap"] = m.still;
        row["remap_share"] = m.remapShare();
    }
    return row;
}

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

int BenchMttkrp::run() const
{
    const std::uint64_t times = parseCount("--repeat", repeat, 1);
    const std::uint64_t limit = memoryLimit.empty() ? 0 : parseBytes("--memory-limit", memoryLimit);
    const std::vector<kernels::Precision> wantedPrecisions = precisionsOf(precisions);
    const std::vector<unsigned> wantedRanks = ranksOf(ranks);
    kernels::mttkrp::Settings settings;
    settings.memoryLimit = limit;
    settings.partitions = static_cast<unsigned>(parseWhole("--flycoo-partitions", partitions, 0, 1 << 20));
    settings.threads = static_cast<unsigned>(parseWhole("--flycoo-threads", threads, 0, 1 << 10));
    const kernels::DeviceInfo info = benchDevice(device);
    requireEffect("--memory-limit", limit > 0, info.id.kind == kernels::DeviceKind::Cuda, "on the CPU");
    if (formats != "all")
        for (const std::string& id : splitAt(formats, ','))
            kernels::tensorFormat(id); // throws for what no format is called
    const auto open = tensor.open(app::Statistics::Skip);
    if (open->tensor.entries() == 0)
        throw kernels::Error(kernels::ErrorKind::BadInput,
                             {"there is nothing to multiply", open->name.toStdString(), "0 entries", "at least 1", {}});
    std::vector<Measurement> rows;
    for (const kernels::Precision precision : wantedPrecisions)
        for (const unsigned rank : wantedRanks) {
            requireHostFits(open->tensor, rank, precision);
            settings.rank = rank;
            Measuring measuring(open->tensor, precision, info.id, settings);
            for (const std::string& format : formats == "all" ? measuring.formats() : splitAt(formats, ',')) {
                rows.push_back(measuring.measure(format, times));
                if (counters && rows.back().reason.empty())
                    rows.back().counters = measuring.counters(info);
            }
        }
    if (json) {
        ordered_json object{{"bench", "mttkrp"},
                            {"version", kernels::version()},
                            {"tensor", tensor.text},
                            {"dims", open->tensor.dims()},
                            {"entries", open->tensor.entries()},
                            {"device", kernels::toString(info.id)},
                            {"device_name", info.name},
                            {"repeat", times}};
        for (const Measurement& row : rows)
            object["rows"].push_back(rowJson(row, open->tensor));
        print(object.dump(2) + '\n');
        return fine;
    }
    print(fmt::format("{}: {}, {} entries\n{} ({}), median of {} after 1 for each mode\n\n", tensor.text,
                      fmt::join(open->tensor.dims(), " x "), countText(open->tensor.entries()), info.name, kernels::toString(info.id),
                      times));
    print(tableOf(rows, open->tensor));
    return fine;
}

} // namespace

void addBenchMttkrp(CLI::App& bench, Action& action)
{
    CLI::App* sub = bench.add_subcommand("mttkrp", "The products of a tensor with all factors but one, format by format");
    auto command = std::make_shared<BenchMttkrp>();
    command->tensor.addTo(*sub, "TENSOR", "preset:ID[:SCALE], or a tensor file", true);
    sub->add_option("--format", command->formats, "Formats, or all (all)")->type_name("F,…");
    sub->add_option("--rank", command->ranks, "Columns of the factors (16,32)")->type_name("R,…");
    sub->add_option("--precision", command->precisions, "fp32, fp64 or fp32,fp64 (fp32)")->type_name("P,…");
    sub->add_option("--device", command->device, "auto, cpu or cuda:0 (auto: the first GPU, else the CPU)")->type_name("D");
    sub->add_option("--repeat", command->repeat, "Measurements of each mode after one warm-up (5)")->type_name("N");
    sub->add_option("--flycoo-partitions", command->partitions, "Partitions of a mode in flycoo (0: as many as suit the device)")
        ->type_name("K");
    sub->add_option("--flycoo-threads", command->threads, "Threads that work on a partition on a GPU (0: as many as suit)")->type_name("P");
    sub->add_option("--memory-limit", command->memoryLimit,
                    "What a format and the entries it is built of may take on a GPU (what is free); blco streams what is more")
        ->type_name("SIZE");
    sub->add_flag("--counters", command->counters, "SM and L1 throughput from a GPU's hardware counters, half a second for each");
    sub->add_flag("--json", command->json, "For programs");
    sub->footer("bytes/s are logical: every entry's record and the rows gathered for it, whether a cache has them or not.\n"
                "Bringing entries to a GPU is not in what a format takes to be built. flycoo brings the entries into a mode\'s\n"
                "order while it computes that mode: this is in its times, and its share is told below the table.");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
