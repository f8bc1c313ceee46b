// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/synthetic.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/synthetic_draws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>

namespace kernels {
namespace {

constexpr Count drawsPerChunk = Count{1} << 13;

const SyntheticPreset& presetOf(std::string_view id)
{
    std::vector<std::string> known;
    for (const SyntheticPreset& preset : syntheticPresets()) {
        if (preset.id == id)
            return preset;
        known.push_back(preset.id);
    }
    throw Error(ErrorKind::BadArgument,
                {"there is no such preset", "preset", fmt::format("\"{}\"", id), fmt::format("{}", fmt::join(known, ", ")), {}});
}

void checkScale(double scale, std::string found)
{
    if (!(scale > 0 && scale <= 1))
        throw Error(
            ErrorKind::BadArgument,
            {"the scale of a preset is the share of its entries to draw", "preset", std::move(found), "more than 0, at most 1", {}});
}

/// The whole text as a number, or nothing.
std::optional<double> numberFrom(std::string_view text)
{
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
        return std::nullopt;
    return number;
}

Count scaled(Count entries, double scale)
{
    return entries == 0 ? 0 : std::max(Count{1}, static_cast<Count>(std::llround(static_cast<double>(entries) * scale)));
}

/// The factors that a preset's values come of, one per mode, I × 8.
std::vector<Array<float>> plantedFactors(const SyntheticPreset& preset, std::uint64_t drawSeed, Progress* progress)
{
    const auto element = preset.values == PresetValues::Ratings ? synthetic::ratingFactor : synthetic::rateFactor;
    std::vector<Array<float>> factors(preset.dims.size());
    for (unsigned n = 0; n < preset.dims.size(); ++n) {
        factors[n].resize(std::size_t{preset.dims[n]} * synthetic::plantedTerms);
        forEachChunk(factors[n].size(), drawsPerChunk, nullptr, [&](Count, Count begin, Count end) {
            if (progress)
                progress->throwIfCancelled();
            for (Count i = begin; i < end; ++i)
                factors[n][i] = element(drawSeed, n, i);
        });
    }
    return factors;
}

SparseTensor drawEntries(const synthetic::PresetDraws& draws, const std::vector<Index>& dims, Count firstDraw, Count entries,
                         Progress* progress)
{
    SparseTensor tensor(dims, entries);
    auto& values = std::get<Array<float>>(tensor.values);
    forEachChunk(entries, drawsPerChunk, progress, [&](Count, Count begin, Count end) {
        std::array<Index, maxOrder> index{};
        for (Count e = begin; e < end; ++e) {
            for (unsigned n = 0; n < draws.order; ++n)
                tensor.indices[n][e] = index[n] = draws.index(firstDraw + e, n);
            values[e] = draws.value(firstDraw + e, index.data());
        }
        if (progress && firstDraw == 0)
            progress->setEntries(progress->done());
    });
    return tensor;
}

} // namespace

const std::vector<SyntheticPreset>& syntheticPresets()
{
    using enum PresetValues;
    static const std::vector<SyntheticPreset> presets{
        {"netflix-like", "Ratings like Netflix'", {480189, 17770, 2182}, 99072112, 1408395, {{1, 880}, {1, 80}, {1, 32}}, Ratings},
        {"netflix-harsh",
         "The same, with a few very popular indices",
         {480189, 17770, 2182},
         99072112,
         1408395,
         {{0.9, 1}, {0.9, 1}, {0.9, 1}},
         Ratings},
        {"yahoo-like", "Ratings like Yahoo! Music's", {1000990, 624961, 3075}, 250272286, 2000000, {{1, 1000}, {1, 500}, {1, 40}}, Ratings},
        {"movielens-like", "Ratings like MovieLens'", {71567, 10681, 1038}, 9301274, 698780, {{1, 130}, {1, 50}, {1, 15}}, Ratings},
        {"movielens-4-like",
         "The same in four modes",
         {71567, 10681, 169, 24},
         9301274,
         698780,
         {{1, 130}, {1, 50}, {1, 5}, {0.5, 5}},
         Ratings},
        {"nell2-like", "Facts like NELL-2's", {12092, 9184, 28818}, 76879419, 0, {{0.9, 10}, {0.9, 10}, {0.9, 10}}, Uniform},
        {"delicious-like",
         "Tags like Delicious'",
         {532924, 17262471, 2480308, 1443},
         50000000,
         0,
         {{0.9, 10}, {0.9, 10}, {0.9, 10}, {0.9, 10}},
         Uniform},
        {"vast-like",
         "Events like VAST 2015's",
         {165427, 11374, 2, 100, 89},
         26021945,
         0,
         {{0.8, 10}, {0.8, 10}, {0, 1}, {0.5, 5}, {0.5, 5}},
         Uniform},
        {"counts-like", "Poisson counts", {1000, 1000, 100}, 100000, 10000, {{0, 1}, {0, 1}, {0, 1}}, Counts},
        {"intensities-like", "Exponential intensities", {1000, 1000, 100}, 100000, 10000, {{0, 1}, {0, 1}, {0, 1}}, Intensities},
    };
    return presets;
}

SyntheticProblem generatePreset(std::string_view id, double scale, std::uint64_t seed, Progress* progress)
{
    const SyntheticPreset& preset = presetOf(id);
    checkScale(scale, fmt::format("{}", scale));
    const Count entries = scaled(preset.entries, scale);
    const Count testEntries = scaled(preset.testEntries, scale);
    const auto order = static_cast<unsigned>(preset.dims.size());
    const bool planted = preset.values != PresetValues::Uniform;
    std::uint64_t bytes = (entries + testEntries) * (order * sizeof(Index) + sizeof(float));
    for (const Index size : preset.dims)
        bytes += planted ? std::uint64_t{size} * synthetic::plantedTerms * sizeof(float) : 0;
    requireHostMemory(bytes, "Choose a smaller scale.");
    if (progress)
        progress->begin("generating", entries + testEntries);

    synthetic::PresetDraws draws;
    draws.order = order;
    draws.values = preset.values;
    draws.seed = synthetic::presetDrawSeed(seed);
    std::vector<Array<float>> factors;
    if (planted)
        factors = plantedFactors(preset, draws.seed, progress);
    for (unsigned n = 0; n < order; ++n) {
        draws.modes[n].ranks = synthetic::zipfRanks(preset.skew[n].exponent, preset.skew[n].offset, preset.dims[n]);
        draws.modes[n].shuffle = synthetic::shuffleOfMode(draws.seed, n, preset.dims[n]);
        draws.modes[n].factor = planted ? factors[n].data() : nullptr;
    }
    SyntheticProblem problem;
    problem.train = drawEntries(draws, preset.dims, 0, entries, progress);
    if (testEntries > 0)
        problem.test = drawEntries(draws, preset.dims, synthetic::testDrawsBegin, testEntries, progress);
    // Facts, tags and events that are not there did not happen. Planted values are everywhere, and only some were drawn.
    problem.train.emptyCells = problem.test.emptyCells = planted ? EmptyCells::Unknown : EmptyCells::Zero;
    return problem;
}

std::optional<PresetReference> parsePresetReference(std::string_view text)
{
    constexpr std::string_view prefix = "preset:";
    if (!text.starts_with(prefix))
        return std::nullopt;
    text.remove_prefix(prefix.size());
    const std::size_t colon = text.find(':');
    PresetReference reference{std::string(text.substr(0, colon)), 1};
    if (colon != std::string_view::npos) {
        const std::string_view scale = text.substr(colon + 1);
        const auto number = numberFrom(scale);
        checkScale(number.value_or(0), fmt::format("\"{}\"", scale));
        reference.scale = *number;
    }
    return reference;
}

Skew parseSkew(std::string_view text)
{
    const auto refuse = [&]() {
        throw Error(ErrorKind::BadArgument,
                    {"this is no skew", "skew", fmt::format("\"{}\"", text),
                     "\"uniform\", \"zipf:S\" or \"zipf:S:Q\" with 0 ≤ S ≤ 20 and Q > 0", "For example zipf:1.0 or zipf:0.9:10."});
    };
    constexpr std::string_view prefix = "zipf:";
    if (text == "uniform")
        return {};
    if (!text.starts_with(prefix))
        refuse();
    const std::string_view numbers = text.substr(prefix.size());
    const std::size_t colon = numbers.find(':');
    const auto exponent = numberFrom(numbers.substr(0, colon));
    const auto offset = colon == std::string_view::npos ? std::optional<double>{1} : numberFrom(numbers.substr(colon + 1));
    if (!exponent || !offset || *exponent < 0 || *exponent > 20 || *offset <= 0)
        refuse();
    return {*exponent, *offset};
}

} // namespace kernels
