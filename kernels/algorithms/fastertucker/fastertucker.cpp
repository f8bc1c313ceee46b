// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/fastertucker.h"

#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/algorithms/fasttucker_plus/family.h"

/// FastTuckerPlus' solver and parameters; the back ends keep projected rows and renew one mode at a time.
namespace kernels::fastertucker {
namespace {

/// A thread renews all leaves of 8 fibres, and a GPU's warp those of up to 32, before it looks at the stop again.
constexpr double mostFibreLeaves = 1 << 16;

/// Deterministic runs go row by row.
bool walksTrees(const RunConfig& config) { return variantOf(config.variant) != Variant::Coo && !config.deterministic; }

/// Before a run the most there can be.
double fibresOf(const RunConfig& config, const ProblemShape& shape, unsigned mode)
{
    const bool counted = shape.fibreCounts.size() == shape.dims.size();
    return static_cast<double>(counted ? shape.fibreCounts[mode]
                                       : mostFibres(shape.dims, mode, shape.trainEntries, fasttucker_plus::limitsOf(config)));
}

/// Multiplications and additions of an iteration, padding not counted. Factor pass: w and d = B w of a fibre (bcsf-reuse: a leaf), then
/// x̂ = a·d and a ← (1 − γλ) a − (γ e) d of a leaf; or, row by row, w, x̂ = c·w and e w of an entry, c carried on by BᵀB after a tile, and
/// once a row c = a B and its step. Core pass: w, x̂ and e w of an entry, aᵀ Σ e w of a row. C of all rows after either.
double flopsPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const double order = static_cast<double>(shape.dims.size()), entries = static_cast<double>(shape.trainEntries);
    const double terms = config.effectiveCoreRank();
    const double w = (order - 2) * terms, ofEntry = w + 4 * terms;
    double sum = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const double rank = config.rankOfMode(n), product = 2 * rank * terms;
        if (walksTrees(config))
            sum += (variantOf(config.variant) == Variant::Full ? fibresOf(config, shape, n) : entries) * (w + product) + entries * 5 * rank;
        else
            sum += entries * (ofEntry + 2 * terms * terms / static_cast<double>(tileEntries)) + shape.dims[n] * 2 * product;
        sum += entries * ofEntry + shape.dims[n] * 3 * product;
    }
    return sum;
}

/// Factor pass: of an entry (a fibre) its other indices and projected rows; of a leaf index, value and a row of A read and added
/// to. Core pass: of an entry its other indices, value and other projected rows. Then C of all modes, twice.
double bytesPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const double valueBytes = config.precision == Precision::Fp64 ? 8 : 4;
    const double keptBytes = config.precision == Precision::Fp16 || config.precision == Precision::Bf16 ? 2 : valueBytes;
    const double entries = static_cast<double>(shape.trainEntries), others = static_cast<double>(shape.dims.size() - 1);
    const double position = others * (sizeof(Index) + config.effectiveCoreRank() * keptBytes);
    double sum = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const double row = config.rankOfMode(n) * valueBytes;
        sum += entries * (position + valueBytes) + 2 * shape.dims[n] * (row + config.effectiveCoreRank() * keptBytes);
        if (walksTrees(config))
            sum += fibresOf(config, shape, n) * (position + sizeof(Index)) + entries * (sizeof(Index) + valueBytes + 3 * row);
        else
            sum += entries * (position + valueBytes) + 2 * shape.dims[n] * row;
    }
    return sum;
}

Support supports(const Choice& choice)
{
    const std::string_view needed = !choice.variant.empty() && variantOf(choice.variant) != Variant::Coo ? "bcsf" : "coo";
    if (choice.format != needed)
        return Support::no(needed == "coo"
                               ? "The variant coo visits the entries of a row in a random order: only the format coo gives it that."
                               : "The variants bcsf-reuse and full walk the fibres of a tree: they need the format bcsf.");
    if (choice.precision == Precision::Fp32 || choice.precision == Precision::Fp64)
        return Support::yes();
    if (choice.device.kind == DeviceKind::Cpu)
        return Support::no("The CPU computes in fp32 or fp64; tf32, fp16 and bf16 are for tensor cores.");
    return fasttucker_plus::tensorCoresOf(choice.device, choice.precision);
}

} // namespace

Variant variantOf(std::string_view id) { return id == "full" ? Variant::Full : id == "bcsf-reuse" ? Variant::BcsfReuse : Variant::Coo; }

AlgorithmInfo info()
{
    AlgorithmInfo info = fasttucker_plus::infoOf(
        {algorithmId,
         "FasterTucker",
         "cuFasterTucker",
         "Stochastic gradient descent on the observed entries of a Tucker model whose core is held as R terms; mode after mode, with the "
         "projected rows of all modes kept in memory.",
         {{"coo", "COO", "cuFasterTucker_COO",
           "Row after row, each row's entries in a random order; a row is renewed after every 16 of them. The fastest."},
          {"bcsf-reuse", "B-CSF", "cuFasterTucker_B-CSF",
           "Fibre after fibre of a balanced tree for every mode, whose leaves are that mode; a row is renewed at every leaf. Deterministic "
           "runs go row by row, without trees."},
          {"full", "Full", "cuFasterTucker", "The same, but what the leaves of a fibre share is computed once for all of them."}},
         {"core-gradient", "row-storage", "products", "entry-order", "sort-mode"}});
    info.formats = {"coo", "bcsf"};
    for (ParameterSpec& spec : info.parameters) {
        if (spec.id == "hot-row-cap") // other modes stand still: nothing else takes away the same errors meanwhile
            spec.defaultValue = 1.5;
        if (spec.id == "batch")
            spec.help = "Entries of a row a batch in deterministic mode, after which the row is renewed; 0: 16.";
    }
    info.parameters.push_back({"split",
                               "Fibre split",
                               "Leaves of a fibre at most; a longer one is cut into pieces, each worked on by itself. Fewer keep all of a "
                               "device busy where fibres are long; more let the variant full share its products among more leaves.",
                               ParameterType::Integer,
                               std::int64_t{formats::BcsfLimits{}.fibreLeaves},
                               1,
                               mostFibreLeaves,
                               "leaves",
                               {},
                               true,
                               {{"variant", "bcsf-reuse|full"}, {"deterministic", "false"}}});
    for (AlgorithmPreset& paper : info.presets) {
        paper.parameters["learning-rate-a"] = paper.variant == "coo" ? 0.001 : 0.0002; // as the authors' programs have it
        paper.parameters["hot-row-cap"] = 0.5;
    }
    info.supports = supports;
    info.supportsParameters = fasttucker_plus::supportsDecay;
    info.preferredPrecision = nullptr;
    info.estimateMemory = estimateMemory;
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = bytesPerIteration;
    return info;
}

} // namespace kernels::fastertucker
