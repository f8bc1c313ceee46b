// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/tensor_argument.h"

#include "app/cli/arguments.h"
#include "app/cli/interrupt.h"
#include "app/cli/stage_line.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>

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
    add("--index-base", indexBase, "auto|0|1|per-mode", "What text files count indices from (auto: 1 unless a 0 occurs)");
    add("--duplicates", duplicates, "sum|mean|last|error|keep", "What becomes of entries with equal indices (sum)");
    add("--zeros", zeros, "keep|drop", "Whether stored zeros are observed zeros (keep)");
    add("--dims", dims, "I1,I2,...", "Sizes of the modes where the file does not tell (the largest indices)");
    add("--layout", layout, "table|dense", "Read an HDF5 dataset as a table of entries, or as a dense array");
    add("--values", values, "auto|fp64", "Keep text values in double precision (auto: single, some 7 digits, where they fit)");
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
    return options;
}

std::shared_ptr<app::OpenTensor> TensorArgument::open(app::Statistics statistics) const
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
    const StageLine line(Interrupt::progress());
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
    return app::openPreset(preset->id, preset->scale, seed, statistics, Interrupt::progress());
}

} // namespace cli
