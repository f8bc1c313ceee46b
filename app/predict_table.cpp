// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/predict_table.h"

#include "app/label_text.h"
#include "app/predict_file.h"
#include "app/written_values.h"
#include "io/atomic_file.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "io/table/header.h"
#include "io/table/row_indexer.h"
#include "io/table/table_format.h"
#include "io/table/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

namespace app {
namespace {

using io::table::Recipe;

constexpr const char* predictionColumn = "prediction";

/// The model's recipe for another table, whose dialect is its own. Names of columns and the order of dates stay the model's.
Recipe recipeFor(const Recipe& models, const TableChoice& choice)
{
    Recipe recipe = models;
    recipe.dialect = choice.dialect;
    if (!recipe.dialect.header)
        recipe.dialect.header = models.dialect.header;
    if (!recipe.dialect.dayFirst)
        recipe.dialect.dayFirst = models.dialect.dayFirst;
    if (!recipe.dialect.thousands)
        recipe.dialect.thousands = models.dialect.thousands;
    if (choice.part)
        recipe.part = *choice.part;
    if (choice.query)
        recipe.query = *choice.query;
    return recipe;
}

std::optional<std::size_t> columnNamed(const std::vector<io::table::Column>& columns, const std::string& name)
{
    const auto at = std::find_if(columns.begin(), columns.end(), [&](const io::table::Column& column) { return column.name == name; });
    return at == columns.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - columns.begin()));
}

bool hasColumns(const std::string& path, Recipe recipe)
{
    try {
        const auto reader = io::table::openTable(path, recipe);
        return std::all_of(recipe.modes.begin(), recipe.modes.end(),
                           [&](const io::table::ModeRecipe& mode) { return columnNamed(reader->columns(), mode.column).has_value(); });
    } catch (const io::Error&) {
        return false;
    }
}

std::vector<ListItem> firstItems(const std::string& path, kernels::Progress& progress)
{
    try {
        return firstItemsOfLines(path, progress);
    } catch (const kernels::Error&) {
        return {}; // packed otherwise, or quoted as no line is
    }
}

/// Whether a file begins with an item for each mode, and perhaps a value. A line that names columns or modes does not.
bool beginsWithIndices(const Recipe& recipe, const std::vector<ListItem>& items)
{
    if (items.size() != recipe.modes.size() && items.size() != recipe.modes.size() + 1)
        return false;
    return std::none_of(items.begin(), items.end(), [&](const ListItem& item) {
        const std::string name = item.text.substr(item.text.starts_with('#') && !item.quoted ? 1 : 0);
        return name == recipe.value || std::any_of(recipe.modes.begin(), recipe.modes.end(), [&](const io::table::ModeRecipe& mode) {
                   return name == mode.column || name == mode.name;
               });
    });
}

/// Whether an item is "#9", which only lines of indices hold.
bool isIndex(const ListItem& item) { return !item.quoted && item.text.starts_with('#') && wholeNumber(item.text.substr(1)); }

/// Writes rows as the table has them.
class RowWriter {
public:
    RowWriter(char separator, bool commas, bool singlePrecision)
        : m_separator(separator)
        , m_commas(commas)
        , m_single(singlePrecision)
    {
    }
    std::string cell(const std::string& text) const
    {
        const bool amongBlanks = m_separator == ' ' && (text.empty() || text.find('\t') != std::string::npos);
        if (!amongBlanks && text.find(m_separator) == std::string::npos && text.find_first_of("\"\r\n") == std::string::npos)
            return text;
        std::string cell = "\"";
        for (const char c : text)
            cell.append(c == '"' ? 2 : 1, c);
        return cell + '"';
    }
    std::string number(double value) const
    {
        std::string text = m_single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
        if (m_commas)
            std::replace(text.begin(), text.end(), '.', ',');
        return cell(text);
    }
    std::string head(const std::vector<io::table::Column>& columns) const
    {
        std::string line, name = predictionColumn;
        for (const io::table::Column& column : columns) {
            line += cell(column.name) + m_separator;
            if (column.name == name)
                name += " 2";
        }
        return line + name + '\n';
    }
    char separator() const { return m_separator; }

private:
    char m_separator;
    bool m_commas, m_single;
};

/// Decimal commas as in the model's table, too, where nothing in this one tells: its predictions go where that one came from.
bool writesCommas(const io::table::Dialect& found, const io::table::Dialect& models, const io::table::Rows& firstRows)
{
    if (found.decimal != '.' || models.decimal != ',' || found.separator != models.separator)
        return found.decimal == ',';
    return std::none_of(firstRows.fields.begin(), firstRows.fields.end(), [](const std::vector<std::string_view>& column) {
        return std::any_of(column.begin(), column.end(), [](std::string_view field) {
            return field.find('.') != std::string_view::npos && io::table::isNumber(field, '.');
        });
    });
}

/// Finds numbers outside of all bins of a mode.
class Bins {
public:
    Bins(const Recipe& recipe, const std::vector<io::table::Column>& columns)
        : m_dialect(recipe.dialect)
    {
        for (const io::table::ModeRecipe& mode : recipe.modes)
            if (const auto column = columnNamed(columns, mode.column); column && io::table::isOfNumber(mode.derive) && !mode.edges.empty())
                m_modes.push_back({&mode, *column});
    }
    /// The name of the first such mode; empty: none.
    std::string outside(const io::table::Rows& rows, std::size_t row) const
    {
        for (const auto& [mode, column] : m_modes) {
            const auto number = io::table::numberOf(rows.fields[column][row], m_dialect.decimalSign(), m_dialect.thousands);
            if (number && (*number < mode->edges.front() || *number > mode->edges.back()))
                return mode->name;
        }
        return {};
    }

private:
    io::table::Dialect m_dialect;
    std::vector<std::pair<const io::table::ModeRecipe*, std::size_t>> m_modes;
};

} // namespace

TablePredictor tablePredictor(const io::ModelFile& file)
{
    return {file.model, file.modes, file.input.recipe, {}, file.config.precision != kernels::Precision::Fp64};
}

bool isTableFor(const std::optional<Recipe>& recipe, const std::string& path, const TableChoice& choice)
{
    if (!recipe || !io::table::isTable(path))
        return false;
    kernels::Progress progress;
    const std::vector<ListItem> items = firstItems(path, progress);
    if (!beginsWithIndices(*recipe, items))
        return true;
    return !std::any_of(items.begin(), items.end(), isIndex) && hasColumns(path, recipeFor(*recipe, choice));
}

std::string PredictedRows::note() const
{
    std::string text;
    if (unknown > 0)
        text = io::counted(unknown, "row has", "rows have") + " no prediction: the model knows no such label, or a column is empty.";
    if (outside > 0)
        text += fmt::format("{}{} a number outside of all bins of mode {}. The nearest bin was taken.", text.empty() ? "" : " ",
                            io::counted(outside, "row has", "rows have"), outsideOf);
    return text;
}

PredictedRows predictTable(const TablePredictor& from, const std::string& path, const std::function<void(const std::string&)>& write,
                           kernels::Progress& progress)
{
    Recipe recipe = recipeFor(*from.recipe, from.choice);
    const auto reader = io::table::openTable(path, recipe);
    const std::string name = io::fileNameOf(path);
    io::table::RowIndexer indexer(reader->columns(), recipe, from.modes, name);
    const Bins bins(recipe, reader->columns());
    std::vector<std::size_t> all(reader->columns().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    reader->want(all);
    progress.begin("predicting", reader->bytesTotal());
    const kernels::Predictor predict(from.model);
    const WrittenValues written(from.recipe);
    const char separator = recipe.dialect.separator.value_or(',');
    PredictedRows done;
    io::table::Rows rows;
    std::optional<RowWriter> writer; // from the first block on
    std::string text;
    const auto begin = [&] {
        writer.emplace(separator, writesCommas(recipe.dialect, from.recipe->dialect, rows), from.singlePrecision);
        text = writer->head(reader->columns());
    };
    while (reader->take(rows)) {
        progress.throwIfCancelled();
        reader->split(rows);
        if (!writer)
            begin();
        indexer.find(rows, indexer.wanted());
        for (std::size_t row = 0; row < rows.count; ++row) {
            for (const auto& column : rows.fields)
                text += writer->cell(std::string(column[row])) + separator;
            if (indexer.isKnown(row)) {
                text += writer->number(written(indexer.index(row), predict(indexer.index(row))));
                if (const std::string mode = bins.outside(rows, row); !mode.empty() && done.outside++ == 0)
                    done.outsideOf = mode;
            }
            text += '\n';
            done.unknown += !indexer.isKnown(row);
        }
        done.rows += rows.count;
        progress.set(reader->bytesTaken());
        write(text);
        text.clear();
    }
    if (!writer)
        begin();
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
