// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/tensor_argument.h"

#include "app/cli/arguments.h"
#include "app/cli/interrupt.h"
#include "app/cli/stage_line.h"
#include "io/error.h"
#include "io/input_stream.h"
#include "io/table/import.h"
#include "io/table/table_format.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace cli {
namespace {

/// One of a few words, or a sentence that names them.
template <class T> T choose(const char* option, const std::string& text, const std::vector<std::pair<std::string, T>>& choices)
{
    std::string known;
    for (const auto& [word, value] : choices) {
        if (word == text)
            return value;
        known += (known.empty() ? "" : ", ") + word;
    }
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"not a value for this option", option, fmt::format("\"{}\"", text), "one of " + known, {}});
}

/// A model's recipe with the options that were given, each of which replaces its own part. Nothing where none was given.
std::optional<io::table::Recipe> recipeLike(const io::table::Recipe& models, const TableArgument& given)
{
    TableArgument table = given;
    table.like = models;
    table.like->dialect = models.dialect.forOtherFile();
    if (!table.filters.empty())
        table.like->filters.clear();
    if (!table.transforms.empty())
        table.like->transforms.clear();
    if (table.modes && !table.value && !table.count && !table.aggregate)
        table.aggregate = io::table::aggregateWord(models.aggregate); // modes alone would count rows
    std::optional<io::table::Recipe> recipe = table.recipe();
    if (!recipe || table.recipeFile)
        return recipe;
    for (io::table::ModeRecipe& mode : recipe->modes) {
        for (io::table::ModeRecipe known : models.modes) {
            std::vector<double> edges = std::exchange(known.edges, {});
            if (mode == known)
                mode.edges = std::move(edges); // the model's bins
        }
    }
    return recipe;
}

/// Throws where the separator that was given leaves one column, and another one would not.
void refuseSeparator(const std::string& path, const TableArgument& table)
{
    if (!table.separator)
        return;
    io::table::Recipe recipe = *table.recipe();
    const io::table::Dialect given = recipe.dialect;
    if (io::table::openTable(path, recipe)->columns().size() != 1)
        return;
    recipe.dialect = {};
    recipe.dialect.encoding = given.encoding;
    const std::size_t columns = io::table::openTable(path, recipe)->columns().size();
    if (columns < 2 || recipe.dialect.separator == given.separator)
        return;
    const auto shown = [](const std::optional<char>& separator) {
        return separator == '\t' ? std::string("tab")
            : separator == ' '   ? std::string("blank")
                                 : fmt::format("\"{}\"", separator.value_or(','));
    };
    throw io::Error({"the separator does not fit", io::fileNameOf(path), fmt::format("1 column with {}", shown(given.separator)),
                     fmt::format("{} columns with {}", columns, shown(recipe.dialect.separator)), "Leave --separator out, or correct it."});
}

/// Throws where columns cannot be proposed because there are no rows to look at.
void refuseNoRows(const std::string& path, const TableArgument& table)
{
    if (!table.modes && !table.recipeFile
        && io::table::survey(path, table.recipe().value_or(io::table::Recipe()), Interrupt::progress()).rows == 0)
        throw io::Error({"leaves no entries", io::fileNameOf(path), {}, {}, "The table has no rows."});
}

/// Errors of a table advise in the words of the command line.
template <class Open> auto withTableAdvice(const std::string& path, const TableArgument& table, const Open& open)
{
    try {
        return open();
    } catch (const io::table::UnreadableRow& error) {
        kernels::Error::Details details = error.details();
        constexpr std::string_view words = "skip rows that cannot be read";
        if (const std::size_t at = details.hint.find(words); at != std::string::npos)
            details.hint.replace(at, words.size(), "leave such rows out with --on-error skip");
        throw io::Error(std::move(details));
    } catch (const io::Error&) {
        if (io::table::isTable(path)) {
            refuseSeparator(path, table);
            refuseNoRows(path, table);
        }
        throw;
    }
}

} // namespace

void TensorArgument::addTo(CLI::App& app, const char* name, const char* help, bool presets)
{
    m_presets = presets;
    app.add_option(name, text, help)->required()->type_name("");
    const auto add = [&](const char* option, auto& value, const char* type, const char* what) {
        app.add_option(option, value, what)->type_name(type)->group("Reading the tensor");
    };
    add("--index-base", indexBase, "auto|0|1|per-mode",
        "What text files count indices from (auto: 1 unless a 0 occurs; beside a model: what its own file does)");
    add("--duplicates", duplicates, "sum|mean|last|max|error|keep", "What becomes of entries with equal indices (sum)");
    add("--zeros", zeros, "keep|drop", "Whether stored zeros are observed zeros (keep)");
    add("--empty", empty, "zero|unknown", "What a cell without an entry means (what the file says)");
    add("--dims", dims, "I1,I2,...", "Sizes of the modes where the file does not tell (the largest indices)");
    add("--layout", layout, "table|dense", "Read an HDF5 dataset as a table of entries, or as a dense array");
    add("--values", values, "auto|fp64", "Keep text values in double precision (auto: single, some 7 digits, where they fit)");
    app.add_option("--mode-name", names, "What a mode is called, in place of what the file says")
        ->type_name("MODE=NAME")
        ->allow_extra_args(false)
        ->group("Reading the tensor");
    app.add_option("--labels", labels, "A file with a label a line for each index of a mode, or no file for no labels")
        ->type_name("MODE=FILE")
        ->allow_extra_args(false)
        ->group("Reading the tensor");
    table.addTo(app);
    if (presets)
        add("--data-seed", dataSeed, "N", "Seed of the entries of preset:… (1)");
}

io::ReadOptions TensorArgument::readOptions(const io::ModelFile* beside) const
{
    io::ReadOptions options;
    if (indexBase)
        options.indexBase = choose<io::IndexBase>(
            "--index-base", *indexBase,
            {{"auto", io::IndexBase::Auto}, {"0", io::IndexBase::Zero}, {"1", io::IndexBase::One}, {"per-mode", io::IndexBase::PerMode}});
    if (duplicates)
        options.duplicates = choose<kernels::Duplicates>("--duplicates", *duplicates,
                                                         {{"sum", kernels::Duplicates::Sum},
                                                          {"mean", kernels::Duplicates::Mean},
                                                          {"last", kernels::Duplicates::Last},
                                                          {"max", kernels::Duplicates::Max},
                                                          {"error", kernels::Duplicates::Error},
                                                          {"keep", kernels::Duplicates::Keep}});
    if (zeros)
        options.keepZeros = choose<bool>("--zeros", *zeros, {{"keep", true}, {"drop", false}});
    if (dims)
        options.dims = parseDims("--dims", *dims);
    if (layout)
        options.layout = choose<std::string>("--layout", *layout, {{"table", "table"}, {"dense", "dense"}});
    if (values)
        options.doubleValues = choose<bool>("--values", *values, {{"auto", false}, {"fp64", true}});
    options.emptyCells = emptyCells();
    options.naming = naming();
    options.recipe = beside && beside->input.recipe ? recipeLike(*beside->input.recipe, table) : table.recipe();
    options.namingMustFit = true;
    return options;
}

kernels::EmptyCells TensorArgument::emptyCells() const
{
    if (!empty)
        return kernels::EmptyCells::Unsaid;
    return choose<kernels::EmptyCells>("--empty", *empty, {{"zero", kernels::EmptyCells::Zero}, {"unknown", kernels::EmptyCells::Unknown}});
}

std::vector<io::ModeNaming> TensorArgument::naming() const
{
    std::vector<io::ModeNaming> naming;
    const auto add = [&](const char* option, const std::string& given, auto member) {
        const std::size_t sign = given.find('=');
        if (sign == std::string::npos)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"a mode and what it gets are needed", option, given, "such as 2=items", {}});
        const std::uint64_t mode = parseCount(option, given.substr(0, sign));
        if (mode == 0 || mode > std::numeric_limits<unsigned>::max())
            throw kernels::Error(kernels::ErrorKind::BadArgument, {"there is no such mode", option, given, "modes are counted from 1", {}});
        const auto index = static_cast<unsigned>(mode - 1);
        auto at = std::find_if(naming.begin(), naming.end(), [index](const io::ModeNaming& each) { return each.mode == index; });
        if (at == naming.end())
            at = naming.insert(naming.end(), {index, {}, {}});
        *at.*member = given.substr(sign + 1);
    };
    for (const std::string& given : names)
        add("--mode-name", given, &io::ModeNaming::name);
    for (const std::string& given : labels)
        add("--labels", given, &io::ModeNaming::labelFile);
    return naming;
}

std::shared_ptr<app::OpenTensor> TensorArgument::open(app::Statistics statistics, const io::ModelFile* beside) const
{
    const auto preset = kernels::parsePresetReference(text);
    requireEffect("--data-seed", dataSeed.has_value(), preset.has_value(), "without preset:…");
    for (const auto& [option, value] : {std::pair{"--index-base", &indexBase},
                                        {"--duplicates", &duplicates},
                                        {"--zeros", &zeros},
                                        {"--dims", &dims},
                                        {"--layout", &layout},
                                        {"--values", &values}})
        requireEffect(option, value->has_value(), !preset, "with preset:…, which is not read from a file");
    if (!table.isEmpty() && (preset || !io::table::isTable(text)))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"columns can be chosen only for a table", text, {}, "a CSV file, a spreadsheet or a database", {}});
    const StageLine line(Interrupt::progress());
    if (!preset)
        return withTableAdvice(text, table, [&] {
            return beside ? app::openTensorLike(*beside, text, readOptions(beside), Interrupt::progress())
                          : app::openTensorFile(text, readOptions(), statistics, Interrupt::progress());
        });
    if (!m_presets)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"a file is needed here",
                              text,
                              {},
                              {},
                              fmt::format("Write the preset to one first: polyad-cli generate --preset {} -o FILE.h5", preset->id)});
    const std::uint64_t seed = dataSeed ? parseCount("--data-seed", *dataSeed) : app::defaultDataSeed;
    auto open = app::openPreset(preset->id, preset->scale, seed, statistics, Interrupt::progress());
    app::nameModes(*open, readOptions(), Interrupt::progress());
    app::sayEmptyCells(*open, emptyCells());
    return open;
}

void TensorArgument::requireEntries(const app::OpenTensor& open)
{
    if (!open.recipe || open.tensor.entries() > 0 || open.hasTestPart())
        return;
    // After what became of the rows the report says why they are left out.
    std::string reason;
    for (const auto* sentences : {&open.report.warnings, &open.report.notes})
        for (const std::string& each : *sentences)
            if (reason.empty() && (each.find("left out") != std::string::npos || each.find("did not pass") != std::string::npos))
                reason = each;
    throw io::Error({"leaves no entries", open.name.toStdString(), {}, {}, reason.empty() ? "The table has no rows." : reason});
}

} // namespace cli
