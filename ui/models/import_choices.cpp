// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/import_choices.h"

#include <algorithm>
#include <utility>

namespace ui::import_choices {
namespace {

using io::table::Aggregate;
using io::table::ColumnFacts;
using io::table::ModeRecipe;
using io::table::Recipe;
using io::table::Survey;
using io::table::Transform;

bool isTaken(const Recipe& recipe, const std::string& name)
{
    return std::any_of(recipe.modes.begin(), recipe.modes.end(), [&](const ModeRecipe& mode) { return mode.name == name; });
}

std::string freeName(const Recipe& recipe, const ModeRecipe& way)
{
    if (!isTaken(recipe, way.name))
        return way.name;
    std::string stem = way.column, word(io::table::deriveWord(way.derive));
    if (!word.empty())
        stem += " " + word;
    std::string name = stem;
    for (unsigned n = 2; isTaken(recipe, name); ++n)
        name = stem + " " + std::to_string(n);
    return name;
}

ModeRecipe named(const Recipe& recipe, ModeRecipe way)
{
    way.name = freeName(recipe, way);
    return way;
}

std::size_t placeOf(const Survey& survey, const std::string& column)
{
    return static_cast<std::size_t>(
        std::find_if(survey.columns.begin(), survey.columns.end(), [&](const ColumnFacts& each) { return each.name == column; })
        - survey.columns.begin());
}

void leaveModes(Recipe& recipe, const std::string& column)
{
    for (std::size_t m = recipe.modes.size(); m-- > 0;)
        if (recipe.modes[m].column == column)
            removeMode(recipe, m);
}

} // namespace

const ColumnFacts* columnNamed(const Survey& survey, const std::string& column)
{
    const std::size_t at = placeOf(survey, column);
    return at < survey.columns.size() ? &survey.columns[at] : nullptr;
}

ColumnRole roleOf(const Recipe& recipe, const std::string& column)
{
    if (std::any_of(recipe.modes.begin(), recipe.modes.end(), [&](const ModeRecipe& mode) { return mode.column == column; }))
        return ColumnRole::Mode;
    return recipe.value == column && !column.empty() ? ColumnRole::Value : ColumnRole::Unused;
}

bool isWay(const ModeRecipe& mode, const ModeRecipe& way) { return mode.column == way.column && mode.derive == way.derive; }

void useAsMode(Recipe& recipe, const Survey& survey, const ModeRecipe& way)
{
    if (recipe.value == way.column)
        useAsValue(recipe, {});
    const auto ofColumn = [&](const ModeRecipe& mode) { return mode.column == way.column; };
    const auto isSame = [&](const ModeRecipe& mode) { return isWay(mode, way); };
    if (std::any_of(recipe.modes.begin(), recipe.modes.end(), isSame)
        && std::count_if(recipe.modes.begin(), recipe.modes.end(), ofColumn) == 1)
        return; // with its number, edges and zone
    auto at = std::find_if(recipe.modes.begin(), recipe.modes.end(), ofColumn);
    if (at == recipe.modes.end()) // in the order of the file
        at = std::find_if(recipe.modes.begin(), recipe.modes.end(),
                          [&](const ModeRecipe& mode) { return placeOf(survey, mode.column) > placeOf(survey, way.column); });
    const auto place = at - recipe.modes.begin();
    leaveModes(recipe, way.column);
    recipe.modes.insert(recipe.modes.begin() + place, named(recipe, way));
}

void addMode(Recipe& recipe, const ModeRecipe& way)
{
    const auto last = std::find_if(recipe.modes.rbegin(), recipe.modes.rend(), [&](const ModeRecipe& m) { return m.column == way.column; });
    const auto place = last == recipe.modes.rend() ? recipe.modes.end() : last.base();
    recipe.modes.insert(place, named(recipe, way));
}

void changeWay(Recipe& recipe, std::size_t mode, const ModeRecipe& way)
{
    ModeRecipe& changed = recipe.modes[mode];
    if (isWay(changed, way)) // with its number, edges and zone
        return;
    const std::string name = changed.name;
    const bool isOwnName = name != changed.column && name != io::table::deriveWord(changed.derive);
    const unsigned top = io::table::isOfNumber(way.derive) || io::table::isOfTime(way.derive) ? 0 : changed.top;
    changed = way;
    changed.name = name;
    changed.top = top;
    if (!isOwnName)
        renameMode(recipe, mode, way.name);
}

void renameMode(Recipe& recipe, std::size_t mode, const std::string& name)
{
    if (name.empty() || isTaken(recipe, name))
        return;
    for (Transform& transform : recipe.transforms)
        if (transform.mode == recipe.modes[mode].name)
            transform.mode = name;
    recipe.modes[mode].name = name;
}

void removeMode(Recipe& recipe, std::size_t mode)
{
    const std::string name = recipe.modes[mode].name;
    std::erase_if(recipe.transforms, [&](const Transform& t) { return t.kind == Transform::Kind::Centre && t.mode == name; });
    recipe.modes.erase(recipe.modes.begin() + static_cast<std::ptrdiff_t>(mode));
}

void moveUp(Recipe& recipe, std::size_t mode)
{
    if (mode > 0)
        std::swap(recipe.modes[mode - 1], recipe.modes[mode]);
}

void useAsValue(Recipe& recipe, const std::string& column)
{
    recipe.value = column;
    if (column.empty()) {
        recipe.aggregate = Aggregate::Count;
        return;
    }
    leaveModes(recipe, column);
    if (recipe.aggregate == Aggregate::Count || recipe.aggregate == Aggregate::Any)
        recipe.aggregate = io::table::addsUp(column) ? Aggregate::Sum : Aggregate::Mean;
}

void leaveOut(Recipe& recipe, const std::string& column)
{
    leaveModes(recipe, column);
    if (recipe.value == column)
        useAsValue(recipe, {});
}

Recipe withFoundEdges(Recipe asked, const Recipe& found)
{
    for (ModeRecipe& mode : asked.modes) {
        const auto same = std::find_if(found.modes.begin(), found.modes.end(), [&](const ModeRecipe& each) {
            return each.name == mode.name && isWay(each, mode) && each.number == mode.number;
        });
        if (mode.edges.empty() && same != found.modes.end())
            mode.edges = same->edges;
    }
    for (Transform& transform : asked.transforms)
        transform.means.clear();
    return asked;
}

} // namespace ui::import_choices
