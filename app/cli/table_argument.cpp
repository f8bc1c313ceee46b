// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/table_argument.h"

#include "app/cli/arguments.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr const char* group = "Making a tensor of a table";

[[noreturn]] void refuse(const char* option, const std::string& found, const char* expected)
{
    throw kernels::Error(kernels::ErrorKind::BadArgument, {"not a value for this option", option, "\"" + found + "\"", expected, {}});
}

char character(const char* option, const std::string& text)
{
    if (text == "tab" || text == "\\t")
        return '\t';
    if (text == "blank" || text == "space")
        return ' ';
    if (text.size() != 1 || text.front() == '"' || text.front() == '\n')
        refuse(option, text, "one character, tab or blank");
    return text.front();
}

bool yesOrNo(const char* option, const std::string& text)
{
    if (text != "yes" && text != "no")
        refuse(option, text, "yes or no");
    return text == "yes";
}

} // namespace

void TableArgument::addTo(CLI::App& app)
{
    const auto add = [&](const char* option, auto& to, const char* type, const char* what) {
        return app.add_option(option, to, what)->type_name(type)->group(group);
    };
    add("--modes", modes, "COLUMN,...",
        "Columns that become modes. NAME=COLUMN names one. hour(COLUMN), date(…), year-month(…), weekday(…), bins(COLUMN,N), "
        "quantiles(COLUMN,N), logbins(COLUMN,N), fold(COLUMN) and top(COLUMN,K) make a mode of a column. hour(COLUMN,zone=UTC) converts "
        "times (proposed from the data)");
    CLI::Option* const valueOption = add("--value", value, "COLUMN", "The column of values (proposed from the data)");
    app.add_flag("--count", count, "Count the rows of each cell instead of reading a value")->group(group)->excludes(valueOption);
    add("--aggregate", aggregate, "count|sum|mean|median|min|max|first|last|any", "How rows that meet in a cell become one value (mean)");
    add("--where", filters, "TEST", "Keep rows that pass, such as 'month>=3' or 'country!=US'. Repeat it for more tests")
        ->allow_extra_args(false);
    add("--transform", transforms, "CHANGE",
        "Change the values: log1p, scale, scale:N, centre:MODE, clip:LOW:HIGH. Predictions are changed back")
        ->allow_extra_args(false);
    add("--recipe", recipeFile, "FILE", "Take these choices from a recipe (JSON). Other options replace its choices");
    add("--on-error", onError, "stop|skip", "Whether a row that cannot be read stops the import or is skipped and counted (stop)");
    add("--separator", separator, "C", "What separates fields: a character, tab or blank (found out)");
    add("--decimal", decimal, "C", "The decimal sign (found out)");
    add("--thousands", thousands, "C", "What separates thousands: , . ' or blank (nothing)");
    add("--header-row", headerRow, "yes|no", "Whether the first row names the columns (found out)");
    add("--day-first", dayFirst, "yes|no", "Whether 01/02/2024 is in February (found out)");
    add("--encoding", encoding, "NAME", "utf-8, utf-16le, utf-16be or latin-1 (found out)");
    add("--from", part, "NAME", "The sheet of a workbook, the table of a database");
    add("--query", query, "SQL", "A SELECT whose rows are the table, of a database");
}

bool TableArgument::isEmpty() const
{
    for (const auto* each : {&modes, &value, &aggregate, &recipeFile, &separator, &decimal, &thousands, &headerRow, &dayFirst, &encoding,
                             &onError, &part, &query})
        if (*each)
            return false;
    return filters.empty() && transforms.empty() && !count;
}

std::optional<io::table::Recipe> TableArgument::recipe() const
{
    using namespace io::table;
    if (isEmpty())
        return std::nullopt;
    Recipe recipe = recipeFile ? readRecipeFile(*recipeFile) : like.value_or(Recipe());
    if (modes)
        recipe.modes = parseModes(*modes);
    if (value) {
        recipe.value = *value;
        if (recipe.aggregate == Aggregate::Count)
            recipe.aggregate = Aggregate::Mean;
    }
    if (count || (modes && !value && !recipeFile && !aggregate)) {
        recipe.value.clear();
        recipe.aggregate = Aggregate::Count;
        recipe.countsRows = true;
    }
    if (aggregate) {
        recipe.aggregate = parseAggregate(*aggregate);
        recipe.countsRows = recipe.aggregate == Aggregate::Count;
    }
    if (!filters.empty())
        recipe.filters.clear();
    for (const std::string& each : filters)
        recipe.filters.push_back(parseFilter(each));
    if (!transforms.empty())
        recipe.transforms.clear();
    for (const std::string& each : transforms)
        recipe.transforms.push_back(parseTransform(each));
    if (onError) {
        if (*onError != "stop" && *onError != "skip")
            refuse("--on-error", *onError, "stop or skip");
        recipe.badRows = *onError == "skip" ? BadRows::Skip : BadRows::Stop;
    }
    if (separator)
        recipe.dialect.separator = character("--separator", *separator);
    if (decimal)
        recipe.dialect.decimal = character("--decimal", *decimal);
    if (thousands) {
        recipe.dialect.thousands = character("--thousands", *thousands);
        if (std::string_view(",.' ").find(*recipe.dialect.thousands) == std::string_view::npos)
            refuse("--thousands", *thousands, ", . ' or blank");
    }
    if (headerRow)
        recipe.dialect.header = yesOrNo("--header-row", *headerRow);
    if (dayFirst)
        recipe.dialect.dayFirst = yesOrNo("--day-first", *dayFirst);
    if (encoding)
        recipe.dialect.encoding = *encoding;
    if (part)
        recipe.part = *part;
    if (query)
        recipe.query = *query;
    return recipe;
}

} // namespace cli
