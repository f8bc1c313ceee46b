// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/schema.h"

#include "kernels/algorithms/fasttucker_plus/family.h"
#include "kernels/algorithms/fasttucker_plus/grouped_records.h"
#include "kernels/device/device_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernels::fasttucker_plus {
namespace {

ParameterSpec real(std::string id, std::string label, std::string help, double value, double minimum, double maximum, bool advanced)
{
    return {std::move(id), std::move(label), std::move(help), ParameterType::Real, value, minimum, maximum, {}, {}, advanced};
}

ParameterSpec boolean(std::string id, std::string label, std::string help, bool value, bool advanced)
{
    return {std::move(id), std::move(label), std::move(help), ParameterType::Boolean, value, 0, 0, {}, {}, advanced};
}

/// Where entries can be grouped at all; the solver decides by the same, and by values that reach far.
const std::vector<ParameterCondition>& whereGrouped()
{
    static const std::vector<ParameterCondition> conditions{
        {"variant", "grouped"}, {"deterministic", "false"}, {"nonnegative", "false"}, {"entry-order", "auto"}};
    return conditions;
}

/// bf16 has too few bits for sums (docs/PERFORMANCE.md).
std::vector<ParameterCondition> whereRowsCanBeNarrow()
{
    std::vector<ParameterCondition> conditions = whereGrouped();
    conditions.push_back({"precision", "fp16"});
    return conditions;
}

/// What products of a precision on tensor cores need; CUDA 13 itself needs 7.5.
ComputeCapability neededCapability(Precision precision)
{
    return precision == Precision::Fp16 ? ComputeCapability{7, 5} : ComputeCapability{8, 0};
}

/// Data-centre GPUs multiply tf32 seven times as fast as fp32, or more, others up to twice: a product of fp32 takes three of tf32. They
/// have tensor cores for fp64, too, which others do at a fraction of fp32.
bool multipliesWideFast(ComputeCapability capability)
{
    return capability == ComputeCapability{8, 0} || capability == ComputeCapability{9, 0} || capability == ComputeCapability{10, 0};
}

Support supports(const Choice& choice)
{
    if (choice.format != "coo")
        return Support::no("FastTuckerPlus visits entries in a fresh random order each iteration: only the format coo can give it that.");
    if (choice.precision == Precision::Fp32 || choice.precision == Precision::Fp64)
        return Support::yes();
    if (choice.device.kind == DeviceKind::Cpu)
        return Support::no("The CPU computes in fp32 or fp64; tf32, fp16 and bf16 are for tensor cores.");
    return tensorCoresOf(choice.device, choice.precision);
}

/// Modes are known from the ranks, which are one a mode in a run that is otherwise resolved.
Support supportsOrder(const RunConfig& config)
{
    const auto mode = static_cast<std::size_t>(integerParameter(config.parameters, "sort-mode"));
    if (choiceParameter(config.parameters, "entry-order") != "sorted" || mode <= config.ranks.size())
        return Support::yes();
    return Support::no(fmt::format("sort-mode is {}: the tensor has modes 1 to {}.", mode, config.ranks.size()));
}

/// Where the products are computed against the rest of the choice.
Support supportsProducts(const RunConfig& config)
{
    const std::string products = choiceParameter(config.parameters, "products");
    const bool wide = config.precision == Precision::Fp32 || config.precision == Precision::Fp64;
    if (products == "cuda" && !wide)
        return Support::no(
            fmt::format("CUDA cores multiply in fp32 and fp64: with products=cuda choose one of them, {} is for tensor cores.",
                        toString(config.precision)));
    if (products != "tensor" || !wide)
        return Support::yes();
    if (config.devices.front().kind == DeviceKind::Cpu)
        return Support::no("A CPU has no tensor cores: leave products at auto, or choose a CUDA device.");
    for (const DeviceId& device : config.devices)
        if (const Support has = tensorCoresOf(device, config.precision); !has)
            return has;
    return Support::yes();
}

/// Rows can be narrow only where kernels for it exist. The order is known as in supportsOrder(); before, one that knows most.
Support supportsRowStorage(const RunConfig& config)
{
    const unsigned most = mostGroupedColumns(config.ranks.size() > 1 ? config.ranks.size() : 3);
    if (!config.parameters.contains("row-storage") || choiceParameter(config.parameters, "row-storage") != "fp16"
        || std::max(config.largestRank(), config.effectiveCoreRank()) <= most)
        return Support::yes();
    return Support::no(
        fmt::format("Only grouped entries have their rows in fp16, and ranks above {} are not grouped{}: leave row-storage at auto.", most,
                    config.ranks.size() > 1 ? fmt::format(" at order {}", config.ranks.size()) : ""));
}

Support supportsParameters(const RunConfig& config)
{
    for (const auto& supportsOne : {supportsDecay, supportsOrder, supportsProducts, supportsRowStorage})
        if (const Support support = supportsOne(config); !support)
            return support;
    return Support::yes();
}

} // namespace

bool canArrange(const RunConfig& config)
{
    const auto is = [&](const char* id, const ParameterValue& value) {
        const auto at = config.parameters.find(id);
        return at != config.parameters.end() && at->second == value;
    };
    const bool ownOrder = !config.parameters.contains("entry-order") || is("entry-order", std::string("auto"));
    return ownOrder && !config.deterministic && !is("nonnegative", true);
}

bool onTensorCores(const RunConfig& config)
{
    if (config.precision != Precision::Fp32 && config.precision != Precision::Fp64)
        return true;
    const ParameterSpec* spec = algorithm(config.algorithm).parameter("products");
    if (!spec)
        return false;
    const auto given = config.parameters.find("products");
    const ParameterValue products = given == config.parameters.end() ? spec->defaultValue : given->second;
    if (products != ParameterValue(std::string("auto")))
        return products == ParameterValue(std::string("tensor"));
    // Asked for on a CPU, a capability would wait for the driver.
    return std::all_of(config.devices.begin(), config.devices.end(), [](const DeviceId& device) {
        return device.kind == DeviceKind::Cuda && multipliesWideFast(computeCapability(device));
    });
}

Support tensorCoresOf(const DeviceId& device, Precision precision)
{
    const ComputeCapability has = computeCapability(device);
    const ComputeCapability needs = neededCapability(precision);
    if (has == ComputeCapability{} || has >= needs) // without the device: what a sufficient one would do
        return Support::yes();
    return Support::no(fmt::format("{} products need tensor cores of compute capability {}.{} or higher; {} has {}.{}.",
                                   toString(precision), needs.major, needs.minor, toString(device), has.major, has.minor));
}

Support supportsDecay(const RunConfig& config)
{
    const double decay = realParameter(config.parameters, "decay");
    if (decay < 0 && decay != -1)
        return Support::no(fmt::format("decay is {}: it must be 0 or more, or -1 to be found from the data.", decay));
    return Support::yes();
}

std::vector<ParameterSpec> parameterSchema()
{
    return {
        real("learning-rate-a", "Learning rate A",
             "Step of the factor rows. Relative: the share of an entry's error that one row takes away when it is visited at the start; no "
             "more than the values bear, the less the further the largest stands out. Where it stands out far, steep entries' steps are "
             "damped instead.",
             0.12, 0, 1e6, false),
        real("learning-rate-b", "Learning rate B", "Step of the core matrices, taken once an iteration along the mean gradient.", 0.1, 0,
             1e6, false),
        real("decay", "Decay",
             "β in rate(t) = rate / (1 + β t^1.5), t counting iterations from 0; -1: found from the data, the larger the more entries rows "
             "have whose steps are not held back (hot-row-cap); iterations that lower the training error by several per cent then count "
             "less.",
             -1, -1, 1e6, false),
        real("lambda-a", "Penalty A",
             "λ of the factor rows, applied once per entry; larger values fit the training entries less closely. Relative: less, the more "
             "of the values is explained.",
             0.06, 0, 1e6, false),
        real("lambda-b", "Penalty B", "λ of the core matrices.", 0.01, 0, 1e6, false),
        boolean("nonnegative", "Non-negative",
                "Clip factor rows and core matrices at 0 after each update, so that no prediction is negative.", false, false),
        ParameterSpec{
            "start",
            "Start",
            "balanced: every prediction near the mean value; steep: likewise, with the rows of the shortest mode at 1 and the others' "
            "smaller, from which rates taken as they are learn faster; paper: uniform random numbers as in the paper.",
            ParameterType::Choice,
            std::string("balanced"),
            0,
            0,
            {},
            {"balanced", "steep", "paper"},
            true},
        ParameterSpec{"entry-order",
                      "Entry order",
                      "In which order entries are visited. auto: shuffled, or as the variant grouped has them; shuffled: at random; "
                      "as-loaded: as the tensor has "
                      "them; sorted: by one mode's indices; blocked: by blocks of the index space whose rows stay in a cache, the blocks "
                      "at random. The variant grouped goes as calculate with any but auto.",
                      ParameterType::Choice,
                      std::string("auto"),
                      0,
                      0,
                      {},
                      {"auto", "shuffled", "as-loaded", "sorted", "blocked"},
                      true},
        ParameterSpec{"sort-mode",
                      "Sort mode",
                      "Mode whose indices entry-order=sorted sorts by; the first is 1.",
                      ParameterType::Integer,
                      std::int64_t{1},
                      1,
                      16,
                      {},
                      {},
                      true,
                      {{"entry-order", "sorted"}}},
        ParameterSpec{
            "products",
            "Products",
            "Where small matrices are multiplied. auto: tf32, fp16 and bf16 on tensor cores, fp64 and fp32, by three products of tf32 "
            "parts, "
            "too on data-centre GPUs (compute capability 8.0, 9.0 and 10.0); tensor: all of them, which is slow on other GPUs; cuda: fp32 "
            "and fp64 on CUDA cores.",
            ParameterType::Choice,
            std::string("auto"),
            0,
            0,
            {},
            {"auto", "cuda", "tensor"},
            true},
        ParameterSpec{"core-gradient",
                      "Core gradient",
                      "When the variant grouped takes it. auto: with the updates, from each entry's rows just before they change, at "
                      "little or no cost in time, where a GPU has registers for its sums: up to 32 columns, above order 4 up to 16; "
                      "own-pass: after all rows are updated, as the other variants do.",
                      ParameterType::Choice,
                      std::string("auto"),
                      0,
                      0,
                      {},
                      {"auto", "own-pass"},
                      true,
                      whereGrouped()},
        ParameterSpec{
            "row-storage",
            "Row storage",
            "How the variant grouped keeps factor rows while a GPU works on them in precision fp16. fp16: half of what is read "
            "and added, rounded by chance so that small steps count on average; fp32: exact sums. auto: fp16 from order 4 on; of "
            "three modes to 32 columns where few of the entries that stand together share rows, to 16 where fp32 rows would take more than "
            "72 MB.",
            ParameterType::Choice,
            std::string("auto"),
            0,
            0,
            {},
            {"auto", "fp32", "fp16"},
            true,
            whereRowsCanBeNarrow()},
        ParameterSpec{"start-noise",
                      "Start noise",
                      "Relative standard deviation of the rows of a balanced or steep start.",
                      ParameterType::Real,
                      0.1,
                      0,
                      10,
                      {},
                      {},
                      true,
                      {{"start", "balanced|steep"}}},
        boolean("relative-rates", "Relative rates",
                "Measure rates and penalties by the slopes at the start, so that the defaults suit values of any size, and penalties and "
                "start noise by how far values lie apart, where that is little beside their mean, and penalties by how much of that the "
                "training errors still are; off: use them as they are.",
                true, true),
        real("mode-balance", "Mode balance",
             "Slows modes with many entries a row: their rate is multiplied by (fewest entries a row / theirs) to this power.", 0.5, 0, 1,
             true),
        real("hot-row-cap", "Hot row cap",
             "Where the steps of all entries in flight that share a row would together take away more than this share of an entry's "
             "error, the row takes smaller ones; above 2 they overshoot; 0: off.",
             0.7, 0, 1e9, true),
        ParameterSpec{
            "batch",
            "Batch",
            "Entries a batch in deterministic mode; 0: chosen so that the hottest row is expected in one of them, of large tensors in at "
            "most 16.",
            ParameterType::Integer,
            std::int64_t{0},
            0,
            1 << 20,
            "entries",
            {},
            true,
            {{"deterministic", "true"}}},
    };
}

std::vector<AlgorithmPreset> presets()
{
    const ParameterMap parameters{{"learning-rate-a", 0.001},
                                  {"learning-rate-b", 0.001},
                                  {"lambda-a", 0.01},
                                  {"lambda-b", 0.01},
                                  {"decay", 0.05},
                                  {"start", std::string("paper")},
                                  {"relative-rates", false},
                                  {"mode-balance", 0.0},
                                  {"hot-row-cap", 0.5}}; // a GPU has 70,000 entries in flight and loses no update: without it diverges
    return {{"paper", "cuFastTuckerPlus (paper)", "calculate", parameters},
            {"paper-store", "cuFastTuckerPlus (storage) (paper)", "store", parameters}};
}

Settings settingsOf(const RunConfig& config)
{
    const ParameterMap& p = config.parameters;
    Settings s;
    s.rateA = realParameter(p, "learning-rate-a");
    s.rateB = realParameter(p, "learning-rate-b");
    s.decay = realParameter(p, "decay");
    s.lambdaA = realParameter(p, "lambda-a");
    s.lambdaB = realParameter(p, "lambda-b");
    s.nonnegative = booleanParameter(p, "nonnegative");
    s.relative = booleanParameter(p, "relative-rates");
    s.paperStart = choiceParameter(p, "start") == "paper";
    s.steepStart = choiceParameter(p, "start") == "steep";
    s.noise = realParameter(p, "start-noise");
    s.modeBalance = realParameter(p, "mode-balance");
    s.hotRowCap = realParameter(p, "hot-row-cap");
    s.batch = static_cast<Count>(integerParameter(p, "batch"));
    s.onTensorCores = onTensorCores(config);
    s.fused = !p.contains("core-gradient") || choiceParameter(p, "core-gradient") == "auto";
    s.ordering = orderingOf(config);
    s.ownOrder = !p.contains("entry-order") || choiceParameter(p, "entry-order") == "auto";
    return s;
}

std::string nameOf(EntryOrder order)
{
    return order == EntryOrder::AsLoaded ? "as-loaded"
        : order == EntryOrder::Sorted    ? "sorted"
        : order == EntryOrder::Blocked   ? "blocked"
                                         : "shuffled";
}

Ordering orderingOf(const RunConfig& config)
{
    Ordering ordering;
    const auto chosen = config.parameters.find("entry-order");
    for (const EntryOrder order : {EntryOrder::AsLoaded, EntryOrder::Sorted, EntryOrder::Blocked})
        if (chosen != config.parameters.end() && chosen->second == ParameterValue(nameOf(order)))
            ordering.order = order;
    const auto mode = config.parameters.find("sort-mode");
    if (ordering.order == EntryOrder::Sorted && mode != config.parameters.end())
        ordering.sortMode = static_cast<unsigned>(std::get<std::int64_t>(mode->second)) - 1;
    return ordering;
}

bool keepsNarrowRows(const RunConfig& config, const std::vector<std::vector<float>>& shares, Count entries)
{
    // Measured on an H200 (docs/PERFORMANCE.md).
    constexpr double inCache = 72e6; // bytes: at 64 MB fp32 is faster, at 104 MB fp16
    constexpr double binding = 1.6,
                     bindingWide = 2.1; // additions an entry: from there on halving their bytes gains more than rounding costs
    constexpr double bindingShort = 1; // of short modes alone: additions to one row come so close that each waits for the one before
    constexpr double copying = 2e6; // additions in the time of copying rows to fp16 and back
    const auto given = config.parameters.find("row-storage");
    const bool chosen = given == config.parameters.end() || given->second == ParameterValue(std::string("auto"));
    if (config.precision != Precision::Fp16 || !chosen)
        return config.precision == Precision::Fp16 && given->second == ParameterValue(std::string("fp16"));
    if (shares.size() > 3)
        return true;
    const unsigned widest = std::max(config.largestRank(), config.effectiveCoreRank());
    if (widest > 32) // instructions bind, of which narrow rows take more
        return false;
    double bytes = 0;
    bool isShort = true;
    for (const std::vector<float>& ofMode : shares) {
        bytes += static_cast<double>(ofMode.size()) * 16 * sizeof(float); // as they are padded
        isShort = isShort && slotBitsOf(static_cast<Index>(ofMode.size()), 16) > 0;
    }
    if (widest <= 16 && bytes > inCache)
        return true;
    const double free = isShort ? bindingShort : widest <= 16 ? binding : bindingWide;
    return (additionsOfEntry(shares, entries) - free) * static_cast<double>(entries) > copying;
}

formats::BcsfLimits limitsOf(const RunConfig& config)
{
    return config.parameters.contains("split")
        ? formats::limitedTo(static_cast<std::uint32_t>(integerParameter(config.parameters, "split")))
        : formats::BcsfLimits{};
}

Count batchEntries(const Settings& settings, double largestShare, Count entries)
{
    if (settings.batch > 0)
        return settings.batch;
    constexpr Count fast = 512; // batches an iteration; whoever shares a batch with others takes smaller steps
    const auto ofHottest = [&](double wanted) { return largestShare > 0 ? wanted / largestShare : 2 * wanted; };
    const double wanted = std::clamp(static_cast<double>(entries / fast), ofHottest(1), ofHottest(16));
    return static_cast<Count>(std::clamp(wanted, 16.0, 16384.0));
}

std::string divergenceHint(const RunConfig& config)
{
    const std::string lower = fmt::format("Lower the learning rates (learning-rate-a is {}), for instance to a third",
                                          realParameter(config.parameters, "learning-rate-a"));
    return lower
        + (booleanParameter(config.parameters, "relative-rates")
               ? "."
               : ", or take the defaults: with relative-rates=true and no preset they are measured by the values.");
}

AlgorithmInfo info()
{
    AlgorithmInfo info;
    info.id = algorithmId;
    info.title = "FastTuckerPlus";
    info.paperName = "cuFastTuckerPlus";
    info.family = "FastTucker";
    info.summary = "Stochastic gradient descent on the observed entries of a Tucker model whose core is held as R terms; "
                   "one pass updates the rows of all modes, a second all core matrices.";
    info.objective = Objective::Observed;
    info.model = ModelKind::FastTucker;
    info.maxRank = 128;
    info.severalDevices = true;
    info.variants = {
        {"grouped", "Grouped", "",
         "From a million entries on, those that share hot rows are worked on together: the fastest. On a GPU in 16-bit precisions, ranks "
         "up to 16 (to 32 for orders up to 6, to 64 for order 3, where a block has 160 KiB of shared memory), on the CPU in any; on a GPU "
         "otherwise sorted for calculate's kernels, which read and change a row once where neighbours share it; of fewer entries, "
         "non-negative, deterministic, or of values that "
         "reach far above their "
         "mean, as calculate."},
        {"calculate", "Calculate", "cuFastTuckerPlus", "Projected rows are computed for every entry; needs the least memory."},
        {"store", "Store", "cuFastTuckerPlus (storage)", "Projected rows are computed once per row before the core pass and kept."}};
    info.formats = {"coo"};
    info.parameters = parameterSchema();
    info.presets = presets();
    info.equation = "x_hat(i_1..i_N) = sum_r prod_n sum_j A_n[i_n,j] B_n[j,r]";
    info.supports = supports;
    info.preferredPrecision = [](const DeviceId& device) {
        const bool half = device.kind == DeviceKind::Cuda && computeCapability(device) >= neededCapability(Precision::Fp16);
        return half ? Precision::Fp16 : Precision::Fp32;
    };
    info.supportsParameters = supportsParameters;
    info.estimateMemory = estimateMemory;
    info.flopsPerIteration = flopsPerIteration;
    info.multipliesOnTensorCores = onTensorCores;
    info.bytesPerIteration = [](const RunConfig& config, const ProblemShape& shape) { // not of others who begin with this info
        return config.algorithm == algorithmId ? bytesPerIteration(config, shape) : 0;
    };
    info.makeSolver = makeSolver;
    info.divergenceHint = divergenceHint;
    return info;
}

AlgorithmInfo infoOf(const Member& member)
{
    AlgorithmInfo info = fasttucker_plus::info();
    info.id = member.id;
    info.title = member.title;
    info.paperName = member.paperName;
    info.summary = member.summary;
    info.variants = member.variants;
    info.severalDevices = false;
    for (const std::string& other : member.without)
        std::erase_if(info.parameters, [&](const ParameterSpec& spec) { return spec.id == other; });
    const AlgorithmPreset paper = info.presets.front();
    info.presets.clear();
    for (const AlgorithmVariant& variant : info.variants) {
        AlgorithmPreset& preset = info.presets.emplace_back(paper);
        preset.id = info.presets.size() == 1 ? paper.id : paper.id + "-" + variant.id;
        preset.title = variant.paperName + " (paper)";
        preset.variant = variant.id;
    }
    return info;
}

} // namespace kernels::fasttucker_plus
