// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"
#include "kernels/base/progress.h"

#include <functional>
#include <string>

namespace app {

/// True where the model was made from a table and the file is one, too: its rows are predicted by predictTable.
bool isTableFor(const io::ModelFile&, const std::string& path);

struct PredictedRows {
    std::uint64_t rows = 0, unknown = 0; ///< unknown: no prediction, since the model does not know what the row says
};

/// Writes the table as CSV with a column more, the predictions; empty where the model does not know a row. Throws io::Error.
PredictedRows predictTable(const io::ModelFile&, const std::string& path, const std::function<void(const std::string& lines)>& write,
                           kernels::Progress&);
/// The same into a file that is complete or absent.
PredictedRows predictTableTo(const io::ModelFile&, const std::string& path, const std::string& target, kernels::Progress&);

} // namespace app
