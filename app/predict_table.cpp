// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/predict_table.h"

#include "app/written_values.h"

#include "io/atomic_file.h"
#include "io/csv.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "io/table/row_indexer.h"
#include "io/table/table_format.h"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>

namespace app {
namespace {

constexpr const char* predictionColumn = "prediction";

std::string headOf(const std::vector<io::table::Column>& columns)
{
    std::string line;
    std::string name = predictionColumn;
    for (const io::table::Column& column : columns) {
        line += io::csvCell(column.name) + ',';
        if (column.name == name)
            name += " 2";
    }
    return line + name + '\n';
}

} // namespace

TablePredictor tablePredictor(const io::ModelFile& file) { return {file.model, file.modes, file.input.recipe}; }

bool isTableFor(const std::optional<io::table::Recipe>& recipe, const std::string& path) { return recipe && io::table::isTable(path); }

std::string PredictedRows::note() const
{
    if (unknown == 0)
        return {};
    return io::counted(unknown, "row has", "rows have") + " no prediction: the model knows no such label, or a column is empty.";
}

PredictedRows predictTable(const TablePredictor& from, const std::string& path, const std::function<void(const std::string&)>& write,
                           kernels::Progress& progress)
{
    io::table::Recipe recipe = *from.recipe;
    const auto reader = io::table::openTable(path, recipe);
    const std::string name = io::fileNameOf(path);
    io::table::RowIndexer indexer(reader->columns(), recipe, from.modes, name);
    std::vector<std::size_t> all(reader->columns().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    reader->want(all);
    progress.begin("predicting", reader->bytesTotal());
    const kernels::Predictor predict(from.model);
    const WrittenValues written(from.recipe);
    PredictedRows done;
    io::table::Rows rows;
    std::string text = headOf(reader->columns());
    while (reader->take(rows)) {
        progress.throwIfCancelled();
        reader->split(rows);
        indexer.find(rows, indexer.wanted());
        for (std::size_t row = 0; row < rows.count; ++row) {
            for (const auto& column : rows.fields)
                text += io::csvCell(std::string(column[row])) + ',';
            if (indexer.isKnown(row))
                text += fmt::format("{}", written(indexer.index(row), predict(indexer.index(row))));
            text += '\n';
            done.unknown += !indexer.isKnown(row);
        }
        done.rows += rows.count;
        progress.set(reader->bytesTaken());
        write(text);
        text.clear();
    }
    write(text);
    return done;
}

PredictedRows predictTableTo(const TablePredictor& from, const std::string& path, const std::string& target, kernels::Progress& progress)
{
    std::error_code ignored;
    if (std::filesystem::equivalent(path, target, ignored))
        throw io::Error({"this is the file that is read", target, {}, {}, "Choose another name for the predictions."});
    io::AtomicFile file(target);
    const PredictedRows done = predictTable(
        from, path, [&](const std::string& lines) { file.write(lines); }, progress);
    progress.throwIfCancelled();
    file.commit();
    return done;
}

} // namespace app
