// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench_ntf_course.h"
#include "app/cli/bench_ntf_online.h"
#include "app/cli/bench_ntf_tables.h"
#include "app/cli/bench_plan.h"
#include "app/cli/formatting.h"
#include "app/cli/standard_output.h"
#include "kernels/base/nearest_name.h"
#include "kernels/base/registry.h"
#include "kernels/operations/divergence.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* everyRank = "32,64,128,256,512,1024";
constexpr double usualLimit = 60; ///< seconds a row of a table may take

/// What the command line says; empty lists: a table's, or the usual ones.
struct BenchNtf : SolverBench {
    std::string divergences;
    std::optional<std::string> table, beside, rowLimit;
    NtfOnlineOptions online;
    bool hasRepeat = false;
};

/// One bench at work: its sections are of a tensor and a device each, or of a device, one more and so on.
class Bench {
public:
    explicit Bench(const BenchNtf&);
    void measure();
    std::string text() const;
    std::string json() const;

private:
    void applyTable();
    void requireEffective() const;
    std::vector<std::string> besides() const;
    std::vector<kernels::RunConfig> methods() const;
    std::vector<kernels::RunConfig> configs(const std::vector<kernels::DeviceId>&) const;
    void measureOn(const std::string& tensor);
    NtfSection section(const BenchSubject&, const app::OpenTensorPtr&) const;
    bool is(NtfMeasurement measurement) const { return m_measurement == measurement; }

    BenchNtf m_command;
    const NtfTable* m_table = nullptr;
    NtfMeasurement m_measurement = NtfMeasurement::Iterations;
    std::optional<NtfOnlinePlan> m_online;
    std::uint64_t m_repeat = 1;
    double m_secondsLimit = 0;
    std::vector<std::string> m_tensors;
    std::vector<std::vector<kernels::DeviceId>> m_groups;
    std::optional<BenchSubject> m_first;
    std::vector<NtfSection> m_sections;
    bool m_ownTensors = false; ///< the table's
    bool m_stopped = false;
};

Bench::Bench(const BenchNtf& command)
    : m_command(command)
{
    applyTable();
    requireEffective();
    if (m_command.tensor.text.empty() && !m_table)
        throw kernels::Error(kernels::ErrorKind::BadArgument, {"a tensor is needed", "bench ntf", {}, "TENSOR or --table", {}});
    if (!m_command.device.empty() || !m_table)
        m_groups = {benchDevices(m_command.device.empty() ? "cpu" : m_command.device)};
    else
        m_groups = devicesOf(*m_table);
    m_repeat = m_command.times();
    if (m_command.rowLimit)
        m_secondsLimit = parseNumber("--row-limit", *m_command.rowLimit, 0, 1e9);
    if (is(NtfMeasurement::Online))
        m_online = m_command.online.plan(m_groups.front());
    for (const auto& computers : m_groups)
        configs(computers); // throws before a tensor is read
    m_ownTensors = m_command.tensor.text.empty();
    const bool onGpu = m_groups.back().front().kind == kernels::DeviceKind::Cuda;
    m_tensors = m_ownTensors ? tensorsOf(*m_table, onGpu) : std::vector{m_command.tensor.text};
}

/// Its lists, where none are given.
void Bench::applyTable()
{
    BenchNtf& given = m_command;
    if (given.table) {
        m_table = &ntfTable(*given.table);
        m_measurement = m_table->measurement;
        m_secondsLimit = usualLimit;
    } else if (given.online.wanted) {
        m_measurement = NtfMeasurement::Online;
    }
    if (given.ranks.empty())
        given.ranks = m_table && *m_table->ranks ? m_table->ranks : is(NtfMeasurement::Online) ? "32" : everyRank;
    if (given.divergences.empty())
        given.divergences = m_table && *m_table->divergences ? m_table->divergences : "euclidean,kl,is";
    if (m_table && !given.beside && *m_table->beside)
        given.beside = m_table->beside;
    if (m_table && !given.online.weights && *m_table->weights)
        given.online.weights = m_table->weights;
}

void Bench::requireEffective() const
{
    const bool online = is(NtfMeasurement::Online);
    requireEffect("--online", m_command.online.wanted, online, "with a table of something else");
    requireEffect("--repeat", m_command.hasRepeat, is(NtfMeasurement::Iterations), online ? "with --online" : "with a table of runs");
    requireEffect("--row-limit", m_command.rowLimit.has_value(), !online, m_table ? "with a table of updates" : "with --online");
    m_command.online.requireEffective(online, is(NtfMeasurement::Course));
}

std::vector<std::string> Bench::besides() const
{
    if (m_command.beside.value_or("none") == "none")
        return {};
    std::vector<std::string> known = membersOf(BenchFamily::Cp);
    std::erase(known, "ntf");
    const std::vector<std::string> ids = splitAt(*m_command.beside, ',');
    for (const std::string& id : ids)
        if (std::find(known.begin(), known.end(), id) == known.end())
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"this does not stand beside ntf", "--beside", '"' + id + '"',
                                  "some of " + joined(known, ", ") + ", or none", kernels::didYouMean(id, known)});
    return ids;
}

/// Each divergence, then what stands beside them.
std::vector<kernels::RunConfig> Bench::methods() const
{
    std::vector<kernels::RunConfig> all;
    kernels::RunConfig config = m_command.configOf("ntf");
    if (is(NtfMeasurement::Iterations))
        config.parameters["row-steps"] = std::int64_t{1}; // an iteration alone; models are what runs make of them
    for (const std::string& divergence : splitAt(m_command.divergences, ',')) {
        if (!kernels::divergenceFromString(divergence))
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"there is no such divergence", "--divergence", divergence, "some of euclidean, kl, is", {}});
        config.parameters["divergence"] = divergence;
        all.push_back(config);
    }
    for (const std::string& id : besides())
        all.push_back(m_command.configOf(id.c_str()));
    return all;
}

/// Method by method, each with growing ranks, on one device and then on one more and one more of them.
std::vector<kernels::RunConfig> Bench::configs(const std::vector<kernels::DeviceId>& computers) const
{
    std::vector<kernels::RunConfig> all;
    for (kernels::RunConfig config : methods())
        for (const kernels::Precision precision : parsePrecisions(m_command.precisions)) {
            config.precision = precision;
            for (const std::string& rank : splitAt(m_command.ranks, ',')) {
                config.ranks = {parseRank("--rank", rank, kernels::algorithm("ntf").maxRank)};
                for (auto end = computers.begin(); end != computers.end();) {
                    config.devices.assign(computers.begin(), ++end);
                    all.push_back(config);
                }
            }
        }
    return all;
}

NtfSection Bench::section(const BenchSubject& subject, const app::OpenTensorPtr& open) const
{
    const std::vector<kernels::RunConfig> all = configs(subject.devices);
    switch (m_measurement) {
    case NtfMeasurement::Iterations:
        break;
    case NtfMeasurement::Course:
        return ntfCourses(subject, open, all, m_command.online.iterationsOfRuns(), m_secondsLimit);
    case NtfMeasurement::Online:
        return ntfOnline(subject, *open, all, *m_online, m_table != nullptr);
    }
    return ntfIterations(subject, *open, all, m_repeat, m_secondsLimit);
}

void Bench::measureOn(const std::string& tensor)
{
    m_command.tensor.text = tensor;
    std::vector<kernels::RunConfig> ours; // of others a row says what cannot be had
    for (const auto& computers : m_groups)
        for (const kernels::RunConfig& config : configs(computers))
            if (isNtf(config))
                ours.push_back(config);
    const auto open = m_command.open(ours);
    for (const auto& computers : m_groups) {
        BenchSubject subject(tensor, open->tensor.dims(), open->tensor.entries(), kernels::device(computers.front()));
        subject.devices = computers;
        if (!m_first)
            m_first = subject;
        m_sections.push_back(section(subject, open));
        if (m_sections.back().stopped)
            throw kernels::Cancelled();
    }
}

/// A tensor that cannot be had, or Ctrl-C, leaves what others told.
void Bench::measure()
{
    try {
        for (const std::string& tensor : m_tensors)
            try {
                measureOn(tensor);
            } catch (const kernels::Error& error) {
                if (m_sections.empty())
                    throw;
                NtfSection refused{fmt::format("{}: {}\n", tensor, error.what())};
                refused.rows.push_back({{"tensor", tensor}, {"reason", error.what()}});
                m_sections.push_back(refused);
            }
    } catch (const kernels::Cancelled&) {
        if (m_sections.empty())
            throw;
        m_stopped = true;
    }
}

std::string Bench::text() const
{
    std::string text = m_table ? headOf(*m_table, m_ownTensors) : "";
    for (const NtfSection& section : m_sections)
        text += (&section == m_sections.data() ? "" : "\n") + section.text;
    return text;
}

std::string Bench::json() const
{
    ordered_json object = benchFrame("ntf", *m_first);
    if (m_table) {
        object["table"] = m_table->id;
        object["number"] = m_table->number;
    }
    if (m_online)
        object["online"] = jsonOf(*m_online);
    else if (is(NtfMeasurement::Course))
        object["iterations"] = m_command.online.iterationsOfRuns();
    else
        object["repeat"] = m_repeat;
    if (m_stopped)
        object["stopped"] = true;
    object["rows"] = ordered_json::array();
    for (const NtfSection& section : m_sections)
        object["rows"].insert(object["rows"].end(), section.rows.begin(), section.rows.end());
    return object.dump(2) + '\n';
}

} // namespace

void addBenchNtf(CLI::App& bench, Action& action)
{
    CLI::App* sub = bench.add_subcommand("ntf", "An iteration of ntf by every divergence, over ranks");
    auto command = std::make_shared<BenchNtf>();
    command->addTo(*sub,
                   {"Columns of the factors (32,64,128,256,512,1024)", "R,...",
                    "cpu, cuda:K, or cuda:K,L: on the first, then on both, and so on (cpu)", "Iterations after one warm-up (5)",
                    "What a run may take; one that needs more is told of"});
    sub->get_option("TENSOR")->required(false);
    sub->add_option("--table", command->table, "A table or figure of the paper on GSSNTF (below): its lists, where none is given here")
        ->type_name("NAME");
    sub->add_option("--divergence", command->divergences, "Some of euclidean, kl, is (all three)")->type_name("D,...");
    sub->add_option("--beside", command->beside, "Rows of other CP algorithms, some of those of `bench cp`, or none (none)")
        ->type_name("A,...");
    sub->add_option("--row-limit", command->rowLimit,
                    "Seconds a row may take before it is out of time (60 in a table, else no limit); 0: no limit")
        ->type_name("SECONDS");
    command->online.addTo(*sub);
    sub->footer(
        "per column: the iteration over R, which stays about the same where time is linear in R. GB/s: indices, values and rows\n"
        "that an iteration asks for, from whatever cache has them. What cannot be run is told in place of its times.\n"
        "\n"
        "--online: a run on what came first, then batches that are learnt one by one as `polyad-cli update` does it, from files to\n"
        "a file, and runs on all that came so far; at a rank of 32 where none is named. A tenth of the entries is held out, unless\n"
        "the tensor has a test part; old entries, for passes over them, are in memory. \"of a run\": the update with its files as a\n"
        "share of the last run that was on no more entries, whose own files are not in its time. --memory-limit holds runs, not updates.\n"
        "\nTables, by our name or by the paper's number:\n"
        + ntfTablesHelp()
        + "Without TENSOR they take generated ones in the shapes of the paper's, whole on a GPU, parts of them on the CPU; without\n"
          "--device the first GPU, else the CPU, where nothing else is said. --rank, --divergence, --beside and --weight replace\n"
          "their lists.");
    sub->callback([sub, command, &action] {
        command->hasRepeat = sub->count("--repeat") > 0;
        action = [command] {
            Bench measured(*command);
            measured.measure();
            print(command->json ? measured.json() : measured.text());
            return fine;
        };
    });
}

} // namespace cli
