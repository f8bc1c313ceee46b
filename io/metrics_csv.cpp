// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/metrics_csv.h"

#include "io/atomic_file.h"
#include "io/csv.h"
#include "io/metric_columns.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

namespace io {
namespace {

/// Shortest text that reads back the same; nothing where nothing was measured.
std::string cell(const MetricColumn& column, const kernels::IterationRecord& record)
{
    if (column.count)
        return fmt::format("{}", record.*column.count);
    const double value = record.*column.number;
    return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

std::string header(bool withRun)
{
    std::string line = withRun ? "run" : "";
    for (const MetricColumn& column : metricColumns)
        line += (line.empty() ? "" : ",") + std::string(column.name);
    return line + '\n';
}

/// For a spreadsheet. "-1.5", "+3" and "-2 %" are numbers.
bool isFormula(std::string_view text)
{
    if (text.empty() || std::string_view("=+-@\t\r").find(text[0]) == std::string_view::npos)
        return false;
    if (text.ends_with(" %"))
        text.remove_suffix(2);
    if (text[0] == '+')
        text.remove_prefix(1);
    double ignored = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
    return error == std::errc::invalid_argument || end != text.data() + text.size();
}

} // namespace

std::string csvCell(const std::string& given)
{
    const std::string text = (isFormula(given) ? "'" : "") + given;
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"')
            result += '"';
        result += c;
    }
    return result + '"';
}

std::string metricsCsv(const std::vector<NamedHistory>& runs)
{
    const bool withRun = runs.size() > 1;
    std::string text = header(withRun);
    for (const NamedHistory& run : runs) {
        if (!run.history)
            continue;
        for (const kernels::IterationRecord& record : *run.history) {
            std::string line = withRun ? csvCell(run.run) : "";
            bool first = !withRun;
            for (const MetricColumn& column : metricColumns) {
                line += (first ? "" : ",") + cell(column, record);
                first = false;
            }
            text += line + '\n';
        }
    }
    return text;
}

void writeMetricsCsv(const std::string& path, const std::vector<NamedHistory>& runs)
{
    AtomicFile file(path);
    file.write(metricsCsv(runs));
    file.commit();
}

} // namespace io
