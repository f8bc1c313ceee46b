// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/written_values.h"

#include <algorithm>

namespace app {

WrittenValues::WrittenValues(const std::optional<io::table::Recipe>& recipe)
{
    m_recipe = recipe ? &*recipe : nullptr;
    if (!recipe || recipe->transforms.empty())
        return;
    m_transforms = &recipe->transforms;
    for (const io::table::ModeRecipe& mode : recipe->modes)
        m_modeNames.push_back(mode.name);
}

std::string WrittenValues::columns() const
{
    std::string names;
    if (m_recipe)
        for (const io::table::ModeRecipe& mode : m_recipe->modes)
            names += (names.empty() ? "" : ", ") + mode.column;
    return names;
}

double WrittenValues::operator()(const std::vector<kernels::Index>& index, double predicted) const
{
    return m_transforms ? io::table::asWritten(*m_transforms, m_modeNames, index, predicted) : predicted;
}

std::vector<kernels::Prediction> WrittenValues::top(const kernels::Model& model, const std::vector<kernels::Index>& at, unsigned freeMode,
                                                    std::size_t k, const std::vector<kernels::Index>& leaveOut) const
{
    const std::size_t size = model.dims[freeMode];
    // Changed back, another one may be the largest: all are looked at.
    auto predictions = kernels::topPredictions(model, at, freeMode, m_transforms ? size : std::min(k, size), leaveOut);
    if (!m_transforms)
        return predictions;
    std::vector<kernels::Index> index = at;
    for (kernels::Prediction& each : predictions) {
        index[freeMode] = each.index;
        each.value = (*this)(index, each.value);
    }
    std::stable_sort(predictions.begin(), predictions.end(),
                     [](const kernels::Prediction& a, const kernels::Prediction& b) { return a.value > b.value; });
    predictions.resize(std::min(k, predictions.size()));
    return predictions;
}

} // namespace app
