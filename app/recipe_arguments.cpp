// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line.h"

namespace app {

std::vector<std::string> recipeArguments(const io::table::Recipe& recipe)
{
    using namespace io::table;
    std::vector<std::string> arguments{"--modes", modesText(recipe.modes)};
    const auto add = [&](const char* name, std::string value) { arguments.insert(arguments.end(), {name, std::move(value)}); };
    if (!recipe.value.empty())
        add("--value", recipe.value);
    else if (recipe.aggregate == Aggregate::Count)
        arguments.emplace_back("--count");
    if (recipe.aggregate != (recipe.value.empty() ? Aggregate::Count : Aggregate::Mean))
        add("--aggregate", std::string(aggregateWord(recipe.aggregate)));
    for (const Filter& filter : recipe.filters)
        add("--where", filterText(filter));
    for (const Transform& transform : recipe.transforms)
        add("--transform", transformText(transform));
    if (recipe.badRows == BadRows::Skip)
        add("--on-error", "skip");
    const Dialect dialect = recipe.dialect.chosen();
    if (const auto c = dialect.separator)
        add("--separator", *c == '\t' ? "tab" : *c == ' ' ? "blank" : std::string(1, *c));
    if (dialect.decimal)
        add("--decimal", std::string(1, *dialect.decimal));
    if (const auto c = dialect.thousands)
        add("--thousands", *c == ' ' ? "blank" : std::string(1, *c));
    if (dialect.header)
        add("--header-row", *dialect.header ? "yes" : "no");
    if (dialect.dayFirst)
        add("--day-first", *dialect.dayFirst ? "yes" : "no");
    if (!dialect.encoding.empty())
        add("--encoding", dialect.encoding);
    if (!recipe.part.empty())
        add("--from", recipe.part);
    if (!recipe.query.empty())
        add("--query", recipe.query);
    return arguments;
}

} // namespace app
