// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker/fasttucker.h"

#include "kernels/algorithms/fasttucker_plus/family.h"
#include "kernels/algorithms/fasttucker_plus/grouped_records.h"
#include "kernels/algorithms/fasttucker_plus/schema.h"

/// FastTuckerPlus' solver and parameters; the back end renews mode by mode.
namespace kernels::fasttucker {
namespace {

using fasttucker_plus::Renewal;

/// Multiplications and additions an iteration cannot do without, padding not counted. Nothing is kept from mode to mode.
double flopsPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const double order = static_cast<double>(shape.dims.size());
    const double terms = config.effectiveCoreRank();
    double products = 0, ranks = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        products += 2 * config.rankOfMode(n) * terms; // one of C = A B, D = W Bᵀ, Gr += aᵀ w
        ranks += config.rankOfMode(n);
    }
    const double others = order * (order - 2) * terms; // w^(n) of every mode
    const double factor = order * products + others + 6 * ranks; // c^(k) and d^(n); x̂ = a·d, a ← (1 − γλ) a − (γ e) d
    const double core = (order + 1) * products + others + 3 * order * terms; // c of all modes and Gr; x̂ = Σ c w, e w
    return static_cast<double>(shape.trainEntries) * (factor + core);
}

/// Either pass of every mode streams the entries and gathers all rows; a factor pass updates the rows of its mode.
double bytesPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const double valueBytes = config.precision == Precision::Fp64 ? 8 : 4;
    const double order = static_cast<double>(shape.dims.size());
    double rows = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n)
        rows += config.rankOfMode(n) * valueBytes;
    const double pass = order * sizeof(Index) + valueBytes + rows;
    return static_cast<double>(shape.trainEntries) * (2 * order * pass + 2 * rows);
}

/// Where nobody names an order and products are on tensor cores, entries are sorted; a column to shuffle by is counted, too.
MemoryUse estimateMemory(const RunConfig& config, const ProblemShape& shape)
{
    MemoryUse use = fasttucker_plus::estimateMemory(config, shape);
    if (!config.devices.empty() && config.devices.front().kind == DeviceKind::Cuda && fasttucker_plus::canArrange(config)
        && fasttucker_plus::onTensorCores(config) && fasttucker_plus::canStandTogether(shape.trainEntries))
        use.deviceBytes += fasttucker_plus::standingTogetherBytes(shape.dims, shape.trainEntries);
    return use;
}

Support supports(const Choice& choice)
{
    if (choice.format != "coo")
        return Support::no("FastTucker visits entries in a random order: only the format coo can give it that.");
    return fasttucker_plus::info().supports(choice);
}

} // namespace

AlgorithmInfo info()
{
    AlgorithmInfo info = fasttucker_plus::infoOf(
        {algorithmId,
         "FastTucker",
         "cuFastTucker",
         "Stochastic gradient descent on the observed entries of a Tucker model whose core is held as R terms; "
         "mode after mode, a pass over "
         "all entries updates the rows of one mode, then one core matrix.",
         {{"calculate", "Calculate", "cuFastTucker", "Projected rows of the other modes are computed for every entry in every pass."}},
         {"core-gradient", "row-storage"}});
    for (ParameterSpec& spec : info.parameters)
        if (spec.id == "entry-order")
            spec.help =
                "In which order entries are visited. auto: on tensor cores by their hottest rows, so that those who share one stand "
                "together, elsewhere at random; shuffled: at random; as-loaded: as the tensor has them; sorted: by one mode's "
                "indices; blocked: by blocks of the index space whose rows stay in a cache, the blocks at random.";
    for (AlgorithmPreset& preset : info.presets)
        preset.parameters["entry-order"] = std::string("shuffled");
    info.supports = supports;
    info.estimateMemory = estimateMemory;
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = bytesPerIteration;
    return info;
}

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu,
              [](Precision precision, const DeviceId&) { return fasttucker_plus::makeCpuBackEnd(precision, Renewal::ModeByMode); });
}

} // namespace kernels::fasttucker
