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

/// What predicts the rows of tables. The parts must outlive it.
struct TablePredictor {
    const kernels::Model& model;
    const std::vector<kernels::Mode>& modes; ///< their labels are those of the model's rows
    const std::optional<io::table::Recipe>& recipe; ///< that made the model's tensor from a table
};
TablePredictor tablePredictor(const io::ModelFile&);

/// True where the model was made from a table and the file is one, too: its rows are predicted by predictTable.
bool isTableFor(const std::optional<io::table::Recipe>&, const std::string& path);

struct PredictedRows {
    std::uint64_t rows = 0, unknown = 0; ///< unknown: no prediction, since the model does not know what the row says

    std::string note() const; ///< a sentence about the unknown ones; empty: there are none
};

/// Writes the table as CSV with a column more, the predictions; empty where the model does not know a row. Throws io::Error.
PredictedRows predictTable(const TablePredictor&, const std::string& path, const std::function<void(const std::string& lines)>& write,
                           kernels::Progress&);
/// The same into a file that is complete or absent. It never overwrites the table that it reads.
PredictedRows predictTableTo(const TablePredictor&, const std::string& path, const std::string& target, kernels::Progress&);

} // namespace app
