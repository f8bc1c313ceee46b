// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"
#include "kernels/base/progress.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace app {

/// How a table to predict is read, where a person chose it. What is empty is found out from the table.
struct TableChoice {
    io::table::Dialect dialect;
    std::optional<std::string> part, query; ///< empty: the recipe's
};

/// What predicts the rows of tables. The parts must outlive it.
struct TablePredictor {
    const kernels::Model& model;
    const std::vector<kernels::Mode>& modes; ///< their labels are those of the model's rows
    const std::optional<io::table::Recipe>& recipe; ///< that made the model's tensor from a table
    TableChoice choice = {};
    bool singlePrecision = false; ///< predictions are written with as many digits as a float holds
};
TablePredictor tablePredictor(const io::ModelFile&);

/// True where the model was made from a table and the file is one, too: its rows are predicted by predictTable. A file without its
/// columns whose first line has an item for each mode is none: it holds lines for predictLines.
bool isTableFor(const std::optional<io::table::Recipe>&, const std::string& path, const TableChoice& = {});

struct PredictedRows {
    std::uint64_t rows = 0, unknown = 0; ///< unknown: no prediction, since the model does not know what the row says
    std::uint64_t outside = 0; ///< predicted by the nearest bin, since a number lies outside of all bins of a mode
    std::string outsideOf; ///< the mode of the first of them

    std::string note() const; ///< sentences about the unknown and the outside ones; empty: there are none
};

/// Writes the table with a column more, the predictions; empty where the model does not know a row. Separator and decimal sign are
/// those of the table. Throws io::Error.
PredictedRows predictTable(const TablePredictor&, const std::string& path, const std::function<void(const std::string& lines)>& write,
                           kernels::Progress&);
/// The same into a file that is complete or absent. It never overwrites the table that it reads.
PredictedRows predictTableTo(const TablePredictor&, const std::string& path, const std::string& target, kernels::Progress&);

} // namespace app
