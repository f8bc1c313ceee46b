// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "kernels/operations/evaluate.h"

#include <optional>
#include <string>
#include <vector>

namespace app {

/// A model's predictions in the values of the table it was made from: what the recipe changed is changed back.
class WrittenValues {
public:
    WrittenValues() = default; ///< no table: predictions are the values
    explicit WrittenValues(const std::optional<io::table::Recipe>&); ///< which must outlive it

    /// Of that table, those that make modes: "user, item". Empty: there is no table.
    std::string columns() const;
    double operator()(const std::vector<kernels::Index>& index, double predicted) const;
    /// kernels::topPredictions() in those values, the largest first; at most k.
    std::vector<kernels::Prediction> top(const kernels::Model&, const std::vector<kernels::Index>& at, unsigned freeMode, std::size_t k,
                                         const std::vector<kernels::Index>& leaveOut) const;

private:
    const io::table::Recipe* m_recipe = nullptr; ///< null: no table
    const std::vector<io::table::Transform>* m_transforms = nullptr; ///< null: there are none
    std::vector<std::string> m_modeNames;
};

} // namespace app
