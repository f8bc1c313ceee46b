// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/table_format.h"

#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "io/table/import.h"

#include <fmt/format.h>

namespace io::table {
namespace {

/// How the tensor is made, for a load report.
std::string proposalText(const Recipe& recipe)
{
    return fmt::format("The columns were chosen automatically: modes {}, {}.", modesText(recipe.modes),
                       recipe.value.empty() ? std::string("rows are counted")
                                            : fmt::format("value {} ({})", recipe.value, aggregateWord(recipe.aggregate)));
}

} // namespace

LoadedTensor readAsTensor(const OpenTable& open, const std::string& formatId, const std::string& path, const ReadOptions& options,
                          kernels::Progress& progress)
{
    Recipe recipe = options.recipe.value_or(Recipe());
    LoadedTensor loaded;
    LoadReport& report = loaded.report;
    if (recipe.modes.empty()) {
        const std::unique_ptr<Reader> reader = open(path, recipe);
        recipe = surveyTable(*reader, recipe, progress).proposal;
        report.warnings.push_back(proposalText(recipe));
    }
    const std::unique_ptr<Reader> reader = open(path, recipe);
    Imported imported = importTable(*reader, recipe, {options.doubleValues, options.knownModes}, fileNameOf(path), progress);
    report.formatId = formatId;
    report.layout = reader->layout();
    report.indexBase = "1: made from labels";
    report.fileBytes = reader->bytesTotal();
    report.entriesRead = imported.report.used;
    report.duplicatesMerged = imported.report.used - imported.tensor.entries();
    report.valuesRounded = imported.report.valuesRounded;
    report.notes = reader->notes();
    report.warnings.insert(report.warnings.end(), imported.report.guesses.begin(), imported.report.guesses.end());
    const std::vector<std::string> sentences = sentencesOf(imported.report, imported.recipe, imported.tensor.entries());
    const bool lost = imported.report.bad > 0;
    (lost ? report.warnings : report.notes).insert((lost ? report.warnings : report.notes).end(), sentences.begin(), sentences.end());
    loaded.tensor = std::move(imported.tensor);
    loaded.recipe = std::move(imported.recipe);
    applyGivenDims(loaded.tensor, options.dims, path, false);
    report.wasSorted = false;
    if (loaded.tensor.entries() == 0)
        report.warnings.push_back("The tensor holds no entries.");
    return loaded;
}

std::unique_ptr<Reader> openTable(const std::string& path, Recipe& recipe)
{
    const FileFormat* const format = formatForReading(path);
    if (!format || !format->openTable || (format->holdsTable && !format->holdsTable(path)))
        throw Error({"is no table", fileNameOf(path), {}, "a file with rows and columns, such as CSV", {}});
    return format->openTable(path, recipe);
}

Survey survey(const std::string& path, const Recipe& chosen, kernels::Progress& progress)
{
    Recipe recipe = chosen;
    const std::unique_ptr<Reader> reader = openTable(path, recipe);
    return surveyTable(*reader, recipe, progress);
}

bool isTable(const std::string& path)
{
    const FileFormat* const format = formatForReading(path);
    return format && format->openTable && (!format->holdsTable || format->holdsTable(path));
}

} // namespace io::table
