// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "kernels/base/error.h"
#include "kernels/base/version.h"
#include "kernels/device/device_list.h"
#include "kernels/formats/csf_builder.h"
#include "kernels/tensor/sort.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace cli {
namespace {

using nlohmann::ordered_json;
using namespace kernels::formats;

struct BenchFormats {
    TensorArgument tensor;
    std::string formats = "csf,bcsf", device = "auto", repeat = "5", mergePercent = "0";
    bool leaves = false, json = false;

    int run() const;
};

/// One row: the trees of all modes.
struct Measurement {
    std::string format;
    kernels::Count entries = 0; ///< that were built into a tree, or merged
    bool merged = false;
    Spread seconds = {};
    std::uint64_t bytes = 0, mostBytes = 0;

    std::string name() const { return merged ? fmt::format("{} + {}", format, countText(entries, "entry", "entries")) : format; }
};

/// Entries as they are stored, to be built and to be merged in.
struct Parts {
    kernels::SparseTensor first, added;

    Parts(const kernels::SparseTensor& tensor, double percent)
    {
        const auto share = static_cast<kernels::Count>(std::llround(percent / 100 * static_cast<double>(tensor.entries())));
        const kernels::Count from =
            tensor.entries() - std::clamp<kernels::Count>(share, 1, std::max<kernels::Count>(tensor.entries(), 2) - 1);
        const auto between = [&](kernels::Count begin, kernels::Count end) {
            kernels::Array<kernels::Count> positions(end - begin);
            std::iota(positions.begin(), positions.end(), begin);
            return kernels::gather(tensor, positions);
        };
        first = between(0, from);
        added = between(from, tensor.entries());
    }
};

class Measuring {
public:
    Measuring(const kernels::SparseTensor& tensor, const kernels::DeviceId& device, bool leaves)
        : m_tensor(tensor)
        , m_builder(makeCsfBuilder(tensor.hasDoubleValues() ? kernels::Precision::Fp64 : kernels::Precision::Fp32, device))
        , m_leaves(leaves)
    {
        const Interrupt::Watch watch(m_control);
        m_builder->load(tensor, m_control);
    }

    Measurement measure(const std::string& format, std::uint64_t times)
    {
        const Interrupt::Watch watch(m_control);
        const std::optional<BcsfLimits> limits = format == "bcsf" ? std::optional(BcsfLimits{}) : std::nullopt;
        Measurement result{format, m_tensor.entries()};
        std::vector<double> seconds;
        for (std::uint64_t i = 0; i <= times; ++i) { // the first is the warm-up, and is weighed
            double sum = 0;
            for (unsigned mode = 0; mode < m_tensor.order(); ++mode) {
                const auto begin = std::chrono::steady_clock::now();
                m_builder->build(modeOrder(mode), limits, m_control);
                sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
                if (i == 0)
                    weigh(mode, limits, result, m_tensor.entries());
            }
            if (i > 0)
                seconds.push_back(sum);
        }
        result.seconds = spreadOf(seconds);
        return result;
    }

    /// New entries into the tree of each mode, building which is not timed.
    Measurement measureMerging(const kernels::SparseTensor& added, std::uint64_t times)
    {
        const Interrupt::Watch watch(m_control);
        Measurement result{"csf", added.entries(), true};
        std::vector<double> seconds;
        for (std::uint64_t i = 0; i <= times; ++i) {
            double sum = 0;
            for (unsigned mode = 0; mode < m_tensor.order(); ++mode) {
                m_builder->build(modeOrder(mode), {}, m_control);
                const auto begin = std::chrono::steady_clock::now();
                m_builder->merge(added, kernels::Duplicates::Keep, m_control);
                sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
                if (i == 0)
                    weigh(mode, {}, result, m_tensor.entries() + added.entries());
            }
            if (i > 0)
                seconds.push_back(sum);
        }
        result.seconds = spreadOf(seconds);
        return result;
    }

private:
    std::vector<unsigned> modeOrder(unsigned mode) const
    {
        return m_leaves ? leavesAt(m_tensor.dims(), mode) : rootedAt(m_tensor.dims(), mode);
    }

    void weigh(unsigned mode, const std::optional<BcsfLimits>& limits, Measurement& to, kernels::Count entries)
    {
        const std::vector<kernels::Count> nodes = csfNodes(m_tensor.dims(), modeOrder(mode), entries);
        const unsigned valueBytes = m_tensor.hasDoubleValues() ? sizeof(double) : sizeof(float);
        to.bytes += m_builder->take(m_control).bytes();
        to.mostBytes += limits ? bcsfBytes(nodes, entries, valueBytes, *limits) : csfBytes(nodes, entries, valueBytes);
    }

    const kernels::SparseTensor& m_tensor;
    std::unique_ptr<CsfBuilder> m_builder;
    bool m_leaves;
    kernels::RunControl m_control;
};

std::string tableOf(const std::vector<Measurement>& rows, unsigned order)
{
    std::vector<std::vector<std::string>> table{{"format", "all trees (least … most)", "entries/s, each tree", "size", "at most"}};
    for (const Measurement& m : rows)
        table.push_back({m.name(), spreadText(m.seconds), bigText(static_cast<double>(m.entries * order) / m.seconds.median),
                         kernels::formatBytes(m.bytes), kernels::formatBytes(m.mostBytes)});
    return tableText(table, {false, true, true, true, true});
}

ordered_json rowJson(const Measurement& m)
{
    return {{"format", m.format},
            {"merged", m.merged ? m.entries : 0},
            {"seconds", {{"median", m.seconds.median}, {"min", m.seconds.least}, {"max", m.seconds.most}}},
            {"bytes", m.bytes},
            {"most_bytes", m.mostBytes}};
}

int BenchFormats::run() const
{
    const std::uint64_t times = parseCount("--repeat", repeat, 1);
    const std::vector<std::string> ids = splitAt(formats, ',');
    for (const std::string& id : ids)
        if (id != "csf" && id != "bcsf")
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"nothing is built for this format", "--format", id, "csf, bcsf or both", {}});
    const kernels::DeviceInfo info = benchDevice(device);
    const double percent = parseNumber("--merge", mergePercent, 0, 99);
    if (percent > 0 && std::find(ids.begin(), ids.end(), "csf") == ids.end())
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"balanced trees take no new entries", "--merge", "--format " + formats, "csf, or both", {}});
    const auto open = tensor.open(app::Statistics::Skip);
    const std::optional<Parts> parts = percent > 0 ? std::optional<Parts>(std::in_place, open->tensor, percent) : std::nullopt;
    Measuring measuring(parts ? parts->first : open->tensor, info.id, leaves);
    std::vector<Measurement> rows;
    for (const std::string& id : ids)
        rows.push_back(measuring.measure(id, times));
    if (parts)
        rows.push_back(measuring.measureMerging(parts->added, times));
    if (json) {
        ordered_json object{{"bench", "formats"},          {"version", kernels::version()},          {"tensor", tensor.text},
                            {"dims", open->tensor.dims()}, {"entries", open->tensor.entries()},      {"device", kernels::toString(info.id)},
                            {"device_name", info.name},    {"modes_at", leaves ? "leaves" : "root"}, {"repeat", times}};
        for (const Measurement& row : rows)
            object["rows"].push_back(rowJson(row));
        print(object.dump(2) + '\n');
        return fine;
    }
    print(fmt::format("{}: {}, {}\n{} ({}), a tree with each mode as its {}, median of {} after 1\n\n", tensor.text,
                      fmt::join(open->tensor.dims(), " x "), countText(open->tensor.entries(), "entry", "entries"), info.name,
                      kernels::toString(info.id), leaves ? "leaves" : "root", times));
    print(tableOf(rows, open->tensor.order()));
    return fine;
}

} // namespace

void addBenchFormats(CLI::App& bench, Action& action)
{
    CLI::App* sub = bench.add_subcommand("formats", "Build the layouts that algorithms work on, from entries the device holds");
    auto command = std::make_shared<BenchFormats>();
    command->tensor.addTo(*sub, "TENSOR", "preset:ID[:SCALE], or a tensor file", true);
    sub->add_option("--format", command->formats, "csf, bcsf or both (csf,bcsf)")->type_name("F");
    sub->add_option("--device", command->device, "auto, cpu or cuda:0 (auto: the first GPU, else the CPU)")->type_name("D");
    sub->add_option("--repeat", command->repeat, "Measurements after one warm-up (5)")->type_name("N");
    sub->add_option(
           "--merge", command->mergePercent,
           "Per cent of the entries, the last as they are stored: trees are built without them, and in a row more they are merged in (0)")
        ->type_name("P");
    sub->add_flag("--leaves", command->leaves, "Each mode as the leaves of a tree, not as its root");
    sub->add_flag("--json", command->json, "For programs");
    sub->footer(
        "One measurement builds a tree for every mode, one after the other; bringing entries to a GPU is not in it, but that of new\n"
        "ones is in merging them.");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
