// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/parameter_spec.h"
#include "kernels/base/solver.h"
#include "kernels/base/support.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

/// One cell of the support matrix; the reason is a sentence a tooltip can show.
struct Choice {
    std::string_view variant;
    std::string_view format;
    Precision precision = Precision::Fp32;
    DeviceId device;
};

struct AlgorithmVariant {
    std::string id; ///< --variant
    std::string title;
    std::string paperName; ///< what the paper calls it; of several, as "CDTF, SALS"
    std::string help;
};

/// Named settings, "cuFastTuckerPlus (paper)": laid over the defaults.
struct AlgorithmPreset {
    std::string id;
    std::string title;
    std::string variant;
    ParameterMap parameters;
};

/// Sizes an estimate is made from, before anything is built.
struct ProblemShape {
    std::vector<Index> dims;
    Count trainEntries = 0;
    Count testEntries = 0;
    unsigned tensorValueBytes = 0; ///< of the values as they were loaded; 0: as the run has them
    std::vector<Count> fibreCounts = {}; ///< RunResult's; empty: before a run, or there are none
    unsigned workingNumberBytes = 0; ///< RunResult's; 0: before a run, or there is no choice
};

/// Everything the rest of the program knows of an algorithm.
struct AlgorithmInfo {
    std::string id, title, paperName, family, summary;
    Objective objective = Objective::Observed; ///< which cells it fits
    ModelKind model = ModelKind::FastTucker;
    unsigned maxRank = 128;
    /// No rank is above its mode's size: one number for all modes is cut to what each has, one of a single mode refused.
    bool ranksWithinModes = false;
    std::vector<AlgorithmVariant> variants; ///< at least one; the first is the default
    std::vector<std::string> formats; ///< ids of tensor formats; the first is the default
    std::vector<ParameterSpec> parameters;
    std::vector<AlgorithmPreset> presets;
    bool severalDevices = false; ///< several GPUs of one machine can share a run
    std::string equation; ///< one line of text for the model file

    std::function<Support(const Choice&)> supports;
    /// Parameters against the rest of a run that is otherwise resolved; empty: all go together.
    std::function<Support(const RunConfig&)> supportsParameters;
    /// What someone gets on a device who names no precision: the fastest that fits as well; empty: fp32.
    std::function<Precision(const DeviceId&)> preferredPrecision;
    std::function<MemoryUse(const RunConfig&, const ProblemShape&)> estimateMemory;
    /// Arithmetic of one iteration, for time estimates and share-of-peak figures.
    std::function<double(const RunConfig&, const ProblemShape&)> flopsPerIteration;
    /// Whether products are made on a GPU's tensor cores, for the same; empty: not known.
    std::function<bool(const RunConfig&)> multipliesOnTensorCores;
    /// Logical bytes of one iteration: entries streamed, rows gathered for them, rows read and written by updates, whether a
    /// cache has them or not; empty, or 0: not counted.
    std::function<double(const RunConfig&, const ProblemShape&)> bytesPerIteration;
    std::function<std::unique_ptr<Solver>(const SolverInput&)> makeSolver;
    /// What to change after a run whose errors were no longer finite: a sentence naming parameters.
    std::function<std::string(const RunConfig&)> divergenceHint;

    /// Whether it takes empty cells as they are meant. Every algorithm does where nobody has said what they mean.
    bool fits(EmptyCells) const;
    const ParameterSpec* parameter(std::string_view parameterId) const;
    /// Whether its conditions hold; else a sentence that says which does not.
    Support hasEffect(const ParameterSpec&, const RunConfig&) const;
    /// The first format that takes the variant (empty: the first one): what someone gets who names none.
    const std::string& formatFor(std::string_view variant) const;
    Precision precisionFor(const DeviceId&) const; ///< preferred there
    /// Where someone computes who names no device: the first GPU that can be used and takes all of it, else the CPU.
    /// variant: empty: the first; precision: nothing: the one preferred there.
    DeviceId deviceFor(std::string_view variant, std::string_view format, std::optional<Precision> precision) const;
    /// Id of the variant of that id or paper's name; a name that none has comes back, for resolve() to refuse.
    std::string variantNamed(std::string_view name) const;
    const AlgorithmPreset* preset(std::string_view name) const; ///< by id or title; null: none
};

const std::vector<AlgorithmInfo>& algorithms();
/// Throws Error(BadArgument) listing the known ids.
const AlgorithmInfo& algorithm(std::string_view id);

/// An algorithm, and which of its variants was meant; empty: none in particular.
struct NamedAlgorithm {
    const AlgorithmInfo& info;
    std::string variant;
};
/// Whether the paper's name, or one of several, is this.
bool isCalled(const std::string& paperName, std::string_view name);
/// By its id, by what a paper calls one of its variants, which is meant then, or by what a paper or we call the algorithm. Throws
/// as algorithm() does.
NamedAlgorithm algorithmNamed(std::string_view name);
/// Who has a preset of this title; null: nobody.
const AlgorithmInfo* algorithmOfPreset(std::string_view title);

/// How a tensor can be laid out for the kernels.
struct TensorFormatInfo {
    std::string id, title, summary;
    /// Bytes of the format for a tensor of this shape; an estimate made before it is built.
    std::function<std::uint64_t(const ProblemShape&, unsigned valueBytes)> bytes;
};

const std::vector<TensorFormatInfo>& tensorFormats();
const TensorFormatInfo& tensorFormat(std::string_view id);

} // namespace kernels
