// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/component_text.h"

#include "app/cli/formatting.h"
#include "kernels/operations/components.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {
namespace {

kernels::ComponentFacts factsOf(const io::ModelFile& file, std::size_t strongest, kernels::Progress& progress)
{
    return kernels::componentFacts(file.model, strongest, 1, &progress);
}

std::string modeName(const io::ModelFile& file, std::size_t mode)
{
    const bool named = mode < file.modes.size() && !file.modes[mode].name.empty();
    return named ? file.modes[mode].name : fmt::format("mode {}", mode + 1);
}

std::string rowText(const io::ModelFile& file, std::size_t mode, kernels::Index row)
{
    const bool labelled = mode < file.modes.size() && row < file.modes[mode].labels.size();
    return labelled ? file.modes[mode].labels[row] : fmt::format("{}", std::uint64_t{row} + 1);
}

std::string nameOf(const io::ModelFile& file, unsigned component)
{
    return component < file.componentNames.size() ? file.componentNames[component] : std::string();
}

double valueOf(const io::ModelFile& file, const kernels::ColumnFacts& column, std::size_t mode, unsigned component, kernels::Index row)
{
    return file.model.factors[mode].at(row, component) * kernels::unitScale(column);
}

std::string oneText(const io::ModelFile& file, const kernels::ComponentFacts& facts, unsigned component)
{
    const std::string name = nameOf(file, component);
    std::string text =
        fmt::format("\n{} {}{}, weight {}\n", file.model.kind == kernels::ModelKind::Cp ? "component" : "column", component + 1,
                    name.empty() ? "" : ": " + name, numberText(kernels::componentWeight(file.model, facts, component)));
    std::vector<std::vector<std::string>> table{{}};
    std::vector<bool> right;
    for (std::size_t n = 0; n < facts.columns.size(); ++n) {
        if (component >= facts.columns[n].size())
            continue;
        const kernels::ColumnFacts& column = facts.columns[n][component];
        const std::size_t filled = right.size();
        table.front().insert(table.front().end(), {"", modeName(file, n)});
        right.insert(right.end(), {true, false});
        const auto add = [&](std::size_t i, const std::string& value, const std::string& row) {
            if (table.size() < i + 2)
                table.emplace_back();
            table[i + 1].resize(filled);
            table[i + 1].insert(table[i + 1].end(), {value, row});
        };
        for (std::size_t i = 0; i < column.strongest.size(); ++i)
            add(i, fmt::format("{:.3f}", valueOf(file, column, n, component, column.strongest[i])), rowText(file, n, column.strongest[i]));
        if (column.strongest.empty()) // pruned
            add(0, "", "(all 0)");
    }
    for (std::vector<std::string>& row : table)
        row.resize(right.size());
    return text + tableText(table, right);
}

} // namespace

std::string componentsText(const io::ModelFile& file, std::size_t strongest, kernels::Progress& progress)
{
    const kernels::ComponentFacts facts = factsOf(file, strongest, progress);
    std::string text;
    for (const unsigned component : kernels::componentsByWeight(file.model, facts))
        text += oneText(file, facts, component);
    return text;
}

nlohmann::ordered_json componentsJson(const io::ModelFile& file, std::size_t strongest, kernels::Progress& progress)
{
    const kernels::ComponentFacts facts = factsOf(file, strongest, progress);
    auto all = nlohmann::ordered_json::array();
    for (const unsigned component : kernels::componentsByWeight(file.model, facts)) {
        auto modes = nlohmann::ordered_json::array();
        for (std::size_t n = 0; n < facts.columns.size(); ++n) {
            if (component >= facts.columns[n].size())
                continue;
            const kernels::ColumnFacts& column = facts.columns[n][component];
            auto rows = nlohmann::ordered_json::array();
            for (const kernels::Index row : column.strongest)
                rows.push_back({{"index", row}, {"text", rowText(file, n, row)}, {"value", valueOf(file, column, n, component, row)}});
            modes.push_back({{"mode", n}, {"name", modeName(file, n)}, {"strongest", rows}});
        }
        all.push_back({{"component", component},
                       {"name", nameOf(file, component)},
                       {"weight", kernels::componentWeight(file.model, facts, component)},
                       {"modes", modes}});
    }
    return all;
}

} // namespace cli
