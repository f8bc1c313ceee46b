// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/predict_table.h"

#include "app/written_values.h"

#include "io/atomic_file.h"
#include "io/csv.h"
#include "io/error.h"
#include "io/input_stream.h"
#include "io/table/row_indexer.h"
#include "io/table/table_format.h"

#include <fmt/format.h>

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

bool isTableFor(const io::ModelFile& file, const std::string& path) { return file.input.recipe && io::table::isTable(path); }

PredictedRows predictTable(const io::ModelFile& file, const std::string& path, const std::function<void(const std::string&)>& write,
                           kernels::Progress& progress)
{
    io::table::Recipe recipe = *file.input.recipe;
    const auto reader = io::table::openTable(path, recipe);
    const std::string name = io::fileNameOf(path);
    io::table::RowIndexer indexer(reader->columns(), recipe, file.modes, name);
    std::vector<std::size_t> all(reader->columns().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    reader->want(all);
    progress.begin("predicting", reader->bytesTotal());
    const kernels::Predictor predict(file.model);
    const WrittenValues written(file.input.recipe);
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

PredictedRows predictTableTo(const io::ModelFile& model, const std::string& path, const std::string& target, kernels::Progress& progress)
{
    io::AtomicFile file(target);
    const PredictedRows done = predictTable(
        model, path, [&](const std::string& lines) { file.write(lines); }, progress);
    file.commit();
    return done;
}

} // namespace app
