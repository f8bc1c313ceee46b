// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/row_indexer.h"

#include "io/error.h"

#include <fmt/format.h>

namespace io::table {
namespace {

Recipe keysOnly(Recipe recipe)
{
    recipe.value.clear();
    recipe.aggregate = Aggregate::Count;
    recipe.filters.clear();
    recipe.badRows = BadRows::Skip;
    return recipe;
}

} // namespace

RowIndexer::RowIndexer(const std::vector<Column>& columns, const Recipe& recipe, const std::vector<kernels::Mode>& modes,
                       const std::string& fileName)
    : m_recipe(keysOnly(recipe))
    , m_plan(columns, m_recipe, fileName)
{
    if (modes.size() != recipe.modes.size())
        throw Error({"the recipe has other modes than the model",
                     fileName,
                     fmt::format("{}", recipe.modes.size()),
                     fmt::format("{}", modes.size()),
                     {}});
    for (const kernels::Mode& mode : modes) {
        auto& places = m_places.emplace_back();
        for (std::size_t i = 0; i < mode.labels.size(); ++i)
            places.try_emplace(mode.labels[i], static_cast<kernels::Index>(i));
    }
}

bool RowIndexer::findMode(std::size_t m, std::size_t picked, std::string_view field, kernels::Index& index) const
{
    const ModeRecipe& recipe = m_plan.modes()[m].recipe;
    const auto& places = m_places[m];
    if (isOfNumber(recipe.derive)) {
        if (recipe.edges.empty())
            return false;
        index = binOf(m_picked.numbers[m][picked], recipe.edges);
        return index < places.size();
    }
    std::string text, folded;
    if (isOfTime(recipe.derive))
        text = labelOfTime(m_picked.times[m][picked], recipe);
    else
        text = recipe.derive == Derive::Fold ? foldedCase(field, folded) : field;
    auto at = places.find(text);
    if (at == places.end() && recipe.derive == Derive::Text)
        if (const auto number = numberOf(field, m_plan.decimal())) // "9.0" for the label 9
            at = places.find(numberText(*number));
    if (at == places.end() && recipe.top > 0)
        at = places.find(otherLabel);
    if (at == places.end())
        return false;
    index = at->second;
    return true;
}

void RowIndexer::find(const Rows& rows, const std::vector<std::size_t>& slots)
{
    // The plan looks for its columns in its own order; the block may hold more.
    Rows own;
    own.count = rows.count;
    own.bad = rows.bad;
    for (const std::size_t slot : slots)
        own.fields.push_back(rows.fields[slot]);
    m_plan.pick(own, m_picked);
    m_known.assign(rows.count, false);
    m_indices.assign(rows.count, std::vector<kernels::Index>(m_places.size()));
    for (std::size_t p = 0; p < m_picked.rows.size(); ++p) {
        const std::size_t row = m_picked.rows[p];
        bool known = true;
        for (std::size_t m = 0; m < m_places.size() && known; ++m)
            known = findMode(m, p, own.fields[m_plan.modes()[m].slot][row], m_indices[row][m]);
        m_known[row] = known;
    }
}

} // namespace io::table
