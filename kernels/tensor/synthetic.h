// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

/// Probability of rank t ∝ (t + q)^−s; s = 0: uniform.
struct Skew {
    double exponent = 0, offset = 1;
};

/// How a value comes of the planted one, which is its mean.
enum class ValueDraw {
    None, ///< it is the planted one
    Poisson, ///< a count
    Exponential ///< an intensity: its noise is as large as it is
};

/// A planted problem: x̂ of a random model, and either values drawn around it, or noise, then range and rounding.
struct SyntheticSpec {
    std::vector<Index> dims;
    Count entries = 0;
    Count testEntries = 0;
    ModelKind model = ModelKind::FastTucker;
    unsigned rank = 8;
    unsigned coreRank = 8;
    double mean = 1; ///< of the planted values, roughly; a range has its own
    ValueDraw draw = ValueDraw::None; ///< excludes noise, range, rounding and uniform values
    double noise = 0; ///< s.d., relative to the s.d. of the planted values
    std::vector<Skew> skew; ///< empty, one for all, or one per mode
    std::optional<std::pair<double, double>> valueRange; ///< values are mapped (mean, 2 s.d.) into it and clipped
    bool roundValues = false;
    bool uniformValues = false; ///< U(0.5, 1.5) instead of a model
    bool keepDuplicates = false; ///< presets: an index drawn twice is two entries; else each index once
    std::uint64_t seed = 1;
};

struct SyntheticProblem {
    SparseTensor train;
    SparseTensor test; ///< empty when testEntries == 0
    std::optional<Model> truth; ///< the planted model, before draws and range mapping (none for presets)
};

/// Same result for a seed whatever the number of threads. Throws Error(BadArgument) for impossible
/// specs (more distinct entries than cells …), OutOfMemory before allocating more than there is.
SyntheticProblem generate(const SyntheticSpec&, Progress* = nullptr);

enum class PresetValues {
    Uniform, ///< U(0.5, 1.5)
    Ratings, ///< clip(round(3.6 + rank-8 term + 0.9 z), 1, 5)
    Counts, ///< Poisson, around a rank-8 model of factors U(0, 1)³ and mean 5
    Intensities ///< exponential, around such a model of mean 1
};

struct SyntheticPreset {
    std::string id; ///< "netflix-like"
    std::string title;
    std::vector<Index> dims;
    Count entries = 0, testEntries = 0;
    std::vector<Skew> skew;
    PresetValues values = PresetValues::Uniform;
};

/// netflix-like, netflix-harsh, yahoo-like, movielens-like, movielens-4-like, nell2-like, delicious-like, vast-like, counts-like,
/// intensities-like.
const std::vector<SyntheticPreset>& syntheticPresets();
/// scale: fewer entries (test part too), same dims. Throws Error(BadArgument) for unknown ids.
SyntheticProblem generatePreset(std::string_view id, double scale, std::uint64_t seed, Progress* = nullptr);
/// "preset:netflix-like:0.1" → id and scale; nothing for other texts. Throws for a bad scale.
struct PresetReference {
    std::string id;
    double scale = 1;
};
std::optional<PresetReference> parsePresetReference(std::string_view text);
/// "zipf:1.0:880" or "uniform"; throws Error(BadArgument).
Skew parseSkew(std::string_view text);

} // namespace kernels
