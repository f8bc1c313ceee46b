// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/file_checksum.h"
#include "io/file_format.h"
#include "kernels/base/run_config.h"
#include "kernels/tensor/sparse_tensor.h"
#include "kernels/tensor/statistics.h"

#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace app {

/// How the command line gets the same tensor again; parts of Run::command().
struct TensorCommand {
    std::string argument; ///< what `polyad-cli run` is given: a path, or "preset:netflix-like:0.1"
    std::vector<std::string> options; ///< beside it, unquoted: {"--index-base", "0"}
    std::string testPart; ///< the file of its own test part; empty: none, or it comes with the preset
    std::string before; ///< a line that must run first (`polyad-cli generate …`); empty: none
};

/// "users", or "mode 2" where it has no name (counted from 1).
inline std::string modeName(const std::vector<kernels::Mode>& modes, unsigned mode)
{
    return modes[mode].name.empty() ? "mode " + std::to_string(mode + 1) : modes[mode].name;
}

/// A tensor the person works with: immutable once opened, shared by runs and pages. A copy shares the entries: other names of
/// the modes are another OpenTensor of the same id (Session::nameModes).
struct OpenTensor {
    int id = 0; ///< running number within the session
    QString name; ///< "flights.tns"
    QString path; ///< empty for generated tensors
    QString origin; ///< "generated: netflix-like, scale 0.1", or the path
    std::shared_ptr<kernels::SparseTensor> entries = std::make_shared<kernels::SparseTensor>();
    kernels::SparseTensor& tensor = *entries; ///< its names and labels are those it was opened with: ask modes()
    std::shared_ptr<kernels::SparseTensor> testEntries = std::make_shared<kernels::SparseTensor>();
    kernels::SparseTensor& test = *testEntries; ///< presets bring a test part; else empty
    std::shared_ptr<const std::vector<kernels::Mode>> renamed; ///< null: nobody has named the modes since it was opened
    kernels::TensorStatistics statistics;
    io::LoadReport report;
    std::vector<kernels::StageTime> stages; ///< of opening it
    io::ReadOptions readOptions; ///< as chosen; a test file is read the same way
    std::optional<io::table::Recipe> recipe; ///< that it was made of a table by, with all that was found out
    std::optional<kernels::RunConfig> suggested; ///< samples come with a run worth watching
    TensorCommand command;
    std::shared_ptr<FileChecksum> checksum; ///< of the file it was read from; null for generated tensors
    /// false: of a run that a session brought, and not opened (yet). Sizes, names and labels of the modes alone.
    bool isHere = true;
    /// Not here and not to be opened: of a run that has learnt files, whose entries nobody keeps. Read with readOptions.
    bool isLearnt = false;
    std::shared_ptr<const OpenTensor> madeFrom; ///< of such a run: what it began with, where that is known
    std::string absentSource; ///< how it is opened, as the session had it
    kernels::Count absentEntries = 0;
    kernels::Count entryCount() const { return isHere ? tensor.entries() : absentEntries; }

    /// Sizes, names and labels of the modes, as the person has them now.
    const std::vector<kernels::Mode>& modes() const { return renamed ? *renamed : tensor.modes; }
    std::string modeName(unsigned mode) const { return app::modeName(modes(), mode); }
    /// What an empty cell means, as the person has it now: their word counts more than the file's.
    kernels::EmptyCells emptyCells() const
    {
        return readOptions.emptyCells == kernels::EmptyCells::Unsaid ? tensor.emptyCells : readOptions.emptyCells;
    }
    bool hasTestPart() const { return test.entries() > 0; }
};
using OpenTensorPtr = std::shared_ptr<const OpenTensor>;

} // namespace app
