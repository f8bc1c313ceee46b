// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_mttkrp_rows.h"

#include "app/cli/formatting.h"
#include "kernels/base/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <numeric>

namespace cli {
namespace {

using nlohmann::ordered_json;

std::string numbersText(const std::vector<double>& numbers)
{
    std::string text;
    for (const double number : numbers)
        text += (text.empty() ? "" : ", ") + (number == std::floor(number) ? fmt::format("{:.0f}", number) : fmt::format("{:.4g}", number));
    return text;
}

/// What a format told of itself, and how much of the time its remap takes.
std::string detailsOf(const MttkrpRow& m)
{
    std::string text;
    for (const kernels::mttkrp::Detail& detail : m.details)
        text += fmt::format("{}{} {}", text.empty() ? "" : "; ", detail.name, numbersText(detail.values));
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

} // namespace

double MttkrpRow::sum() const
{
    double seconds = 0;
    for (const Spread& mode : modes)
        seconds += mode.median;
    return seconds;
}

double MttkrpRow::remapShare() const { return 1 - std::accumulate(still.begin(), still.end(), 0.0) / sum(); }

double MttkrpRow::streamedPerSecond() const { return static_cast<double>(streamedBytes) * static_cast<double>(modes.size()) / sum(); }

double MttkrpRow::gatheredRows() const { return static_cast<double>(entries) * static_cast<double>(dims.size() * (dims.size() - 1)); }

double MttkrpRow::logicalBytes() const
{
    const double value = precision == "fp64" ? 8 : 4, order = static_cast<double>(dims.size());
    const double record = (order - 1) * sizeof(kernels::Index) + value;
    return gatheredRows() * rank * value + static_cast<double>(entries) * order * record;
}

std::optional<double> MttkrpRow::counter(std::string_view quantity) const
{
    for (const CounterReading& reading : counters)
        if (reading.quantity == quantity && reading.reason.empty())
            return reading.percent;
    return std::nullopt;
}

std::string mttkrpTable(const std::vector<MttkrpRow>& rows)
{
    const std::size_t order = rows.front().dims.size();
    std::vector<std::string> head{"format", "precision", "R"};
    for (std::size_t n = 0; n < order; ++n)
        head.push_back(fmt::format("mode {}", n + 1));
    for (const char* title : {"all modes", "rows gathered/s", "of gathers", "bytes/s", "built in", "size"})
        head.emplace_back(title);
    std::vector<std::vector<std::string>> table{head};
    std::vector<bool> right(head.size(), true);
    right[0] = right[1] = false;
    for (const MttkrpRow& m : rows) {
        std::vector<std::string> row{m.chosen.empty() ? m.format : m.format + ": " + m.chosen, m.precision, std::to_string(m.rank)};
        for (std::size_t n = 0; n < order; ++n)
            row.push_back(m.modes.empty() ? "-" : secondsText(m.modes[n].median));
        if (m.modes.empty()) {
            row.insert(row.end(), {"-", "-", "-", "-", "-", "-"});
        } else {
            row.insert(row.end(),
                       {secondsText(m.sum()), bigText(m.gatheredRows() / m.sum()),
                        m.gatherSeconds ? percentText(*m.gatherSeconds / m.sum()) : "-",
                        kernels::formatBytes(static_cast<std::uint64_t>(m.logicalBytes() / m.sum())), secondsText(m.buildSeconds),
                        kernels::formatBytes(m.bytes)});
        }
        table.push_back(row);
    }
    std::string text = tableText(table, right);
    for (const MttkrpRow& m : rows)
        text += m.reason.empty() ? detailsOf(m) : fmt::format("{} {} R = {}: {}\n", m.format, m.precision, m.rank, m.reason);
    return text;
}

ordered_json mttkrpJson(const MttkrpRow& m)
{
    ordered_json row{{"tensor", m.tensor}, {"format", m.format}, {"precision", m.precision}, {"rank", m.rank}};
    if (m.partitions > 0)
        row["partitions"] = m.partitions;
    if (m.threads > 0)
        row["threads"] = m.threads;
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
    row["rows_gathered_per_second"] = m.gatheredRows() / m.sum();
    if (m.gatherSeconds) {
        row["seconds"]["gathers_alone"] = *m.gatherSeconds;
        row["share_of_gather_ceiling"] = *m.gatherSeconds / m.sum();
    }
    row["bytes_per_second"] = m.logicalBytes() / m.sum();
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

} // namespace cli
