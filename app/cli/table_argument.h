// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

/// How a tensor is made of a table: the same options wherever a tensor is read.
struct TableArgument {
    std::optional<std::string> modes, value, aggregate, recipeFile, separator, decimal, thousands, headerRow, dayFirst, encoding, onError,
        part, query;
    std::vector<std::string> filters, transforms;
    bool count = false;
    std::optional<io::table::Recipe> like; ///< that options change, where no recipe file is given: a model's

    void addTo(CLI::App&);
    bool isEmpty() const;
    /// Nothing where no option was given. Throws kernels::Error.
    std::optional<io::table::Recipe> recipe() const;
};

} // namespace cli
