// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_mttkrp_tables.h"

#include "app/cli/arguments.h"
#include "app/cli/formatting.h"
#include "kernels/base/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace cli {
namespace {

using nlohmann::ordered_json;

std::optional<double> timeOf(const MttkrpRow& row) { return row.sum(); }
std::optional<double> buildTimeOf(const MttkrpRow& row) { return row.buildSeconds; }
std::optional<double> processorsOf(const MttkrpRow& row)
{
    const auto throughput = row.counter("SM throughput");
    return throughput ? throughput : row.counter("SM issue rate"); // chips without the first
}
std::optional<double> cachesOf(const MttkrpRow& row) { return row.counter("L1 throughput"); }
std::optional<double> remapOf(const MttkrpRow& row) { return row.still.empty() ? std::nullopt : std::optional(100 * row.remapShare()); }
std::string perCent(double value) { return fmt::format("{:.1f} %", value); }

struct Table {
    const char *id, *compares;
    const char *formats, *partitions, *threads; ///< empty: the option's own default
    bool counters;
    MttkrpFigure figure;
};

/// Those of the paper on FLYCOO, in its order; partitions are ours. A rank of 32 is the paper's.
const std::vector<Table>& tables()
{
    static const std::vector<Table> known{{"breakdown",
                                           "how much of flycoo's time brings entries from mode to mode",
                                           "flycoo",
                                           "",
                                           "",
                                           false,
                                           {"remap", remapOf, perCent, false}},
                                          {"sm",
                                           "SM throughput of flycoo, blco and mmcsf (a GPU's)",
                                           "flycoo,blco,mmcsf",
                                           "",
                                           "",
                                           true,
                                           {"SM throughput", processorsOf, perCent, true}},
                                          {"l1",
                                           "L1 throughput of flycoo, blco and mmcsf (a GPU's)",
                                           "flycoo,blco,mmcsf",
                                           "",
                                           "",
                                           true,
                                           {"L1 throughput", cachesOf, perCent, true}},
                                          {"block",
                                           "SM throughput of flycoo by the threads of a block (a GPU's)",
                                           "flycoo",
                                           "",
                                           "32,64,96,128,192,256",
                                           true,
                                           {"SM throughput", processorsOf, perCent, true}},
                                          {"total",
                                           "time of all modes, flycoo beside other formats",
                                           "flycoo,blco,mmcsf,coo,hicoo,bcsf,runs",
                                           "",
                                           "",
                                           false,
                                           {"all modes", timeOf, secondsText, true}},
                                          {"build",
                                           "time to build a format",
                                           "flycoo,blco,mmcsf,hicoo,bcsf,runs",
                                           "",
                                           "",
                                           false,
                                           {"built in", buildTimeOf, secondsText, true}},
                                          {"partitions",
                                           "time of all modes by flycoo's partitions",
                                           "flycoo",
                                           "66,132,264,396,528,792,1584",
                                           "",
                                           false,
                                           {"all modes", timeOf, secondsText, true}}};
    return known;
}

const Table& tableNamed(const std::string& id)
{
    std::vector<std::string> ids;
    for (const Table& table : tables()) {
        if (table.id == id)
            return table;
        ids.emplace_back(table.id);
    }
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"not a value for this option", "--table", '"' + id + '"', "one of " + joined(ids, ", "), {}});
}

/// What is compared within: tensor, precision, rank.
bool comparable(const MttkrpRow& a, const MttkrpRow& b) { return a.tensor == b.tensor && a.precision == b.precision && a.rank == b.rank; }

/// Which means are of: rows that differ in the tensor alone.
bool sameButTheTensor(const MttkrpRow& a, const MttkrpRow& b)
{
    return a.format == b.format && a.precision == b.precision && a.rank == b.rank && a.partitions == b.partitions && a.threads == b.threads;
}

std::optional<double> figureOf(const MttkrpFigure& figure, const MttkrpRow& row) { return row.measured() ? figure.of(row) : std::nullopt; }

std::optional<double> ratioOf(const MttkrpFigure& figure, const MttkrpRow& row, const std::vector<MttkrpRow>& rows)
{
    const auto first = std::find_if(rows.begin(), rows.end(), [&](const MttkrpRow& other) { return comparable(row, other); });
    const auto own = figureOf(figure, row), reference = figureOf(figure, *first);
    if (!figure.ratios || !own || !reference || !(*reference > 0))
        return std::nullopt;
    return *own / *reference;
}

/// Over the tensors that have a ratio; nothing of fewer than two.
std::optional<double> meanRatio(const MttkrpFigure& figure, const MttkrpRow& of, const std::vector<MttkrpRow>& rows)
{
    double logarithms = 0;
    unsigned count = 0;
    for (const MttkrpRow& row : rows)
        if (const auto ratio = sameButTheTensor(row, of) ? ratioOf(figure, row, rows) : std::nullopt; ratio && *ratio > 0) {
            logarithms += std::log(*ratio);
            ++count;
        }
    return count < 2 ? std::nullopt : std::optional(std::exp(logarithms / count));
}

bool vary(const std::vector<MttkrpRow>& rows, unsigned MttkrpRow::*what)
{
    return std::any_of(rows.begin(), rows.end(), [&](const MttkrpRow& row) { return row.*what != rows.front().*what; });
}

std::string ratioText(std::optional<double> ratio) { return ratio ? fmt::format("{:.2f}", *ratio) : "-"; }

} // namespace

void MttkrpPlan::applyTable()
{
    if (!table)
        return;
    const Table& chosen = tableNamed(*table);
    const auto underlay = [](std::optional<std::string>& given, const char* list) {
        if (!given && *list)
            given = list;
    };
    underlay(formats, chosen.formats);
    underlay(ranks, "32");
    underlay(partitions, chosen.partitions);
    underlay(threads, chosen.threads);
    counters = counters || chosen.counters;
}

const MttkrpFigure* mttkrpFigure(const MttkrpPlan& plan) { return plan.table ? &tableNamed(*plan.table).figure : nullptr; }

std::string mttkrpFigureTable(const MttkrpFigure& figure, const std::vector<MttkrpRow>& rows)
{
    const bool partitions = vary(rows, &MttkrpRow::partitions), threads = vary(rows, &MttkrpRow::threads);
    const auto line = [&](const MttkrpRow& row, const std::string& tensor, const std::string& number, const std::string& ratio) {
        std::vector<std::string> cells{tensor, row.format, row.precision, std::to_string(row.rank)};
        if (partitions)
            cells.push_back(std::to_string(row.partitions));
        if (threads)
            cells.push_back(std::to_string(row.threads));
        cells.push_back(number);
        if (figure.ratios)
            cells.push_back(ratio);
        return cells;
    };
    std::vector<std::vector<std::string>> table{{"tensor", "format", "precision", "R"}};
    if (partitions)
        table.front().emplace_back("partitions");
    if (threads)
        table.front().emplace_back("threads");
    table.front().emplace_back(figure.title);
    if (figure.ratios)
        table.front().emplace_back("times the first");
    for (const MttkrpRow& row : rows) {
        const auto number = figureOf(figure, row);
        table.push_back(line(row, row.tensor, number ? figure.text(*number) : "-", ratioText(ratioOf(figure, row, rows))));
    }
    for (const MttkrpRow& row : rows)
        if (row.tensor == rows.front().tensor)
            if (const auto mean = meanRatio(figure, row, rows))
                table.push_back(line(row, "geometric mean", "", ratioText(mean)));
    std::vector<bool> right(table.front().size(), true);
    std::fill_n(right.begin(), 3, false);
    return tableText(table, right);
}

ordered_json mttkrpFigureJson(const MttkrpFigure& figure, const std::vector<MttkrpRow>& rows)
{
    ordered_json object{{"title", figure.title}, {"rows", ordered_json::array()}};
    const auto identity = [](const MttkrpRow& row) {
        return ordered_json{{"format", row.format},
                            {"precision", row.precision},
                            {"rank", row.rank},
                            {"partitions", row.partitions},
                            {"threads", row.threads}};
    };
    for (const MttkrpRow& row : rows) {
        ordered_json one = identity(row);
        one["tensor"] = row.tensor;
        if (const auto number = figureOf(figure, row))
            one["value"] = *number;
        if (const auto ratio = ratioOf(figure, row, rows))
            one["times_the_first"] = *ratio;
        object["rows"].push_back(one);
    }
    for (const MttkrpRow& row : rows)
        if (row.tensor == rows.front().tensor)
            if (const auto mean = meanRatio(figure, row, rows)) {
                ordered_json one = identity(row);
                one["times_the_first"] = *mean;
                object["geometric_means"].push_back(one);
            }
    return object;
}

std::vector<std::string> mttkrpTableTensors(kernels::DeviceKind kind)
{
    if (kind == kernels::DeviceKind::Cpu)
        return {"preset:netflix-like:0.01", "preset:nell2-like:0.01", "preset:vast-like:0.01"};
    return {"preset:netflix-like", "preset:nell2-like", "preset:delicious-like", "preset:vast-like"};
}

std::string mttkrpTablesHelp()
{
    std::string text;
    for (const Table& table : tables())
        text += fmt::format("  {:<13} {}\n", table.id, table.compares);
    return text;
}

} // namespace cli
