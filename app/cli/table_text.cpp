// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/table_text.h"

#include "app/cli/formatting.h"
#include "app/command_line.h"
#include "io/input_stream.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cli {
namespace {

using io::table::ColumnFacts;

constexpr std::size_t mostColumnsShown = 200;

std::string roleOf(const ColumnFacts& column, const io::table::Recipe& proposal)
{
    std::string role;
    for (const io::table::ModeRecipe& mode : proposal.modes)
        if (mode.column == column.name)
            role += (role.empty() ? "mode " : ", mode ") + mode.name;
    if (proposal.value == column.name)
        role += role.empty() ? "value" : ", value";
    return role.empty() ? "–" : role;
}

std::string exampleText(const ColumnFacts& column)
{
    constexpr std::size_t longest = 24;
    std::vector<std::string> texts;
    for (const std::string& example : column.examples)
        texts.push_back(example.size() > longest ? fmt::format("{}…", example.substr(0, longest)) : example);
    return joined(texts, ", ");
}

std::string commandFor(const std::string& path, const io::table::Recipe& proposal)
{
    std::string text = "polyad-cli import " + app::shellQuoted(path);
    for (const std::string& argument : app::recipeArguments(proposal))
        text += " " + app::shellQuoted(argument);
    const std::string name = path == io::standardStream ? "tensor" : io::fileNameOf(path).substr(0, io::fileNameOf(path).find('.'));
    return text + " -o " + app::shellQuoted(name + ".h5");
}

} // namespace

std::string surveyText(const std::string& path, const io::table::Survey& survey)
{
    std::string text =
        fmt::format("{}: {}, {}\n", io::fileNameOf(path), survey.layout, countText(survey.columns.size(), "column", "columns"));
    text += fmt::format("{} {}\n\n", countText(survey.rows, "row", "rows"), survey.isWhole ? "in all" : "looked at; the file holds more");
    std::vector<std::vector<std::string>> rows{{"column", "holds", "distinct", "missing", "proposed as", "examples"}};
    for (std::size_t c = 0; c < std::min(survey.columns.size(), mostColumnsShown); ++c) {
        const ColumnFacts& column = survey.columns[c];
        rows.push_back({column.name, kindWord(column.kind), countText(column.distinct), countText(column.missing),
                        roleOf(column, survey.proposal), exampleText(column)});
    }
    text += tableText(rows, {false, false, true, true, false, false});
    if (survey.columns.size() > mostColumnsShown)
        text += fmt::format("and {} more columns\n", survey.columns.size() - mostColumnsShown);
    for (const std::string& note : survey.notes)
        text += "note: " + note + '\n';
    if (survey.proposal.modes.size() < 2)
        return text + "\nNo import is proposed: fewer than two columns can be modes.\n";
    return text + "\nProposed import:\n  " + commandFor(path, survey.proposal) + '\n';
}

nlohmann::ordered_json surveyJson(const std::string& path, const io::table::Survey& survey)
{
    nlohmann::ordered_json columns = nlohmann::ordered_json::array();
    for (const ColumnFacts& column : survey.columns) {
        columns.push_back({{"name", column.name},
                           {"holds", kindWord(column.kind)},
                           {"distinct", column.distinct},
                           {"missing", column.missing},
                           {"examples", column.examples}});
        if (!column.storedType.empty())
            columns.back()["stored_as"] = column.storedType;
    }
    return {{"kind", "table"},
            {"name", io::fileNameOf(path)},
            {"layout", survey.layout},
            {"rows_looked_at", survey.rows},
            {"rows_are_all", survey.isWhole},
            {"columns", std::move(columns)},
            {"notes", survey.notes},
            {"proposal", nlohmann::ordered_json::parse(io::table::toJson(survey.proposal))}};
}

} // namespace cli
