// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/tensor_argument.h"

#include "app/cli/arguments.h"
#include "app/cli/interrupt.h"
#include "app/cli/stage_line.h"
#include "io/table/table_format.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

io::ReadOptions TensorArgument::readOptions() const
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
    options.recipe = table.recipe();
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
    if (!preset && beside)
        return app::openTensorLike(*beside, text, readOptions(), Interrupt::progress());
    if (!preset)
        return app::openTensorFile(text, readOptions(), statistics, Interrupt::progress());
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

} // namespace cli
