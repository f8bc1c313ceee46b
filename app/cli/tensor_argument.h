// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/table_argument.h"
#include "app/open_tensor.h"
#include "app/tensor_source.h"
#include "io/model_file.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

/// A tensor on the command line and how to read it: wherever one is read, the same options.
struct TensorArgument {
    std::string text; ///< a path, "FILE.h5:/group" or "preset:ID[:SCALE]"
    std::optional<std::string> indexBase, duplicates, zeros, empty, dims, layout, values;
    std::optional<std::string> dataSeed;
    std::vector<std::string> names, labels; ///< "2=items", "2=items.txt"
    TableArgument table;

    /// presets: whether preset:… is taken too. name: "TENSOR"
    void addTo(CLI::App&, const char* name, const char* help, bool presets);
    io::ReadOptions readOptions(const io::ModelFile* beside = nullptr) const;
    kernels::EmptyCells emptyCells() const;
    std::vector<io::ModeNaming> naming() const;
    /// Shows progress on a terminal; Ctrl-C cancels.
    /// beside: what a model was made from, as which a file counts its indices unless --index-base says otherwise.
    std::shared_ptr<app::OpenTensor> open(app::Statistics, const io::ModelFile* beside = nullptr) const;

    /// Throws where no row of a table became an entry, with the reason. Other tensors may be empty.
    static void requireEntries(const app::OpenTensor&);

private:
    bool m_presets = false;
};

} // namespace cli
