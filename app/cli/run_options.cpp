// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_options.h"

#include "app/cli/arguments.h"
#include "app/cli/formatting.h"
#include "io/error.h"
#include "io/json_text.h"
#include "io/run_config_json.h"
#include "kernels/base/default_split.h"
#include "kernels/base/error.h"
#include "kernels/base/nearest_name.h"
#include "kernels/base/registry.h"
#include "kernels/device/device_list.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

namespace cli {
namespace {

constexpr double anyPositive = std::numeric_limits<double>::max();

kernels::Precision parsePrecision(const std::string& text)
{
    if (const auto precision = kernels::precisionFromString(text))
        return *precision;
    std::vector<std::string> known;
    for (const kernels::Precision p : kernels::allPrecisions())
        known.emplace_back(kernels::toString(p));
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"there is no such precision", "--precision", fmt::format("\"{}\"", text), "one of " + joined(known, ", "), {}});
}

template <class Named> std::vector<std::string> idsOf(const std::vector<Named>& all)
{
    std::vector<std::string> ids;
    for (const Named& each : all)
        ids.push_back(each.id);
    return ids;
}

/// By id or paper's name; null: none.
const kernels::AlgorithmVariant* variantCalled(const kernels::AlgorithmInfo& info, const std::string& name)
{
    const std::string id = info.variantNamed(name);
    const auto found = std::find_if(info.variants.begin(), info.variants.end(), [&](const auto& variant) { return variant.id == id; });
    return found == info.variants.end() ? nullptr : &*found;
}

/// What to write for a variant that was looked for in the wrong place; empty: no algorithm has it.
std::string ownersOfVariant(const std::string& name)
{
    std::vector<std::string> titles, ways;
    for (const kernels::AlgorithmInfo& info : kernels::algorithms())
        if (const kernels::AlgorithmVariant* const variant = variantCalled(info, name)) {
            titles.push_back(info.title);
            ways.push_back(fmt::format("--algorithm {} --variant {}", info.id, variant->id));
        }
    return titles.empty() ? std::string() : fmt::format("It is a variant of {}: {}.", joined(titles, ", "), joined(ways, ", or "));
}

/// The nearest of the algorithm's own names, else who has that one.
std::string hintOnVariant(const kernels::AlgorithmInfo& info, const std::string& name)
{
    std::vector<std::string> own = idsOf(info.variants);
    for (const kernels::AlgorithmVariant& variant : info.variants)
        if (!variant.paperName.empty())
            own.push_back(variant.paperName);
    const std::string owners = ownersOfVariant(name);
    return owners.empty() ? kernels::didYouMean(name, own) : owners;
}

/// The same of presets, whose titles bring their algorithms.
std::string hintOnPreset(const kernels::AlgorithmInfo& info, const std::string& name)
{
    std::vector<std::string> names = idsOf(info.presets), owners;
    for (const kernels::AlgorithmInfo& other : kernels::algorithms())
        for (const kernels::AlgorithmPreset& preset : other.presets) {
            names.push_back(preset.title);
            if (preset.id == name || preset.title == name)
                owners.push_back(other.id);
        }
    if (!owners.empty())
        return fmt::format("Algorithms with a preset of that name: {}.", joined(owners, ", "));
    const std::string variant = ownersOfVariant(name);
    return variant.empty() ? kernels::didYouMean(name, names) : variant;
}

/// Of one that is not known, which is told later, the usual one.
kernels::Objective objectiveOf(const std::string& algorithm)
{
    const auto& all = kernels::algorithms();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.id == algorithm; });
    return found == all.end() ? kernels::Objective::Observed : found->objective;
}

unsigned parseThreads(const std::string& text)
{
    const auto most = static_cast<std::uint64_t>(kernels::device(kernels::DeviceId{}).processors);
    const std::uint64_t threads = parseWhole("--threads", text, 0, std::numeric_limits<std::uint64_t>::max());
    if (threads > most)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"there are not so many CPU threads", "--threads", text, fmt::format("0 (all) to {}", most), {}});
    return static_cast<unsigned>(threads);
}

} // namespace

void MethodOptions::addTo(CLI::App& app)
{
    const kernels::RunConfig defaults;
    const auto add = [&](const char* option, std::optional<std::string>& value, const char* type, const std::string& what,
                         const char* group = "Method") { app.add_option(option, value, what)->type_name(type)->group(group); };
    add("--algorithm", algorithm, "ID",
        fmt::format("What `polyad-cli list algorithms` shows, or a paper's name such as cuFasterTucker_COO ({})", defaults.algorithm));
    add("--preset", preset, "NAME", "A named setting of the algorithm, with the paper's parameters; a title brings its algorithm");
    add("--variant", variant, "ID", "The algorithm's variant, or a paper's name of it (its first)");
    add("--format", format, "ID", "How the tensor is laid out for the kernels (the variant's first)");
    add("--precision", precision, "P", "fp64, fp32, tf32, fp16 or bf16 (fp16 on a GPU with tensor cores, else fp32)");
    add("--rank", rank, "J[,J,...]", "Columns of the factors: one number, or one per mode (16); of CP one number");
    add("--core-rank", coreRank, "R", "Rank of the core factors (the largest rank); not of CP");
    app.add_option("--param", parameters, "A parameter of the algorithm, name=value; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->group("Method");
    add("--init", init, "random|NAME|FILE",
        "What a run starts from, where its algorithm has a choice: drawn factors; nvecs (CP-ALS: each mode's leading eigenvectors); hosvd "
        "or sthosvd (HOOI: its leading singular vectors, of the tensor or of what the modes before leave); or a model's file (random)");
    add("--seed", seed, "N", fmt::format("Of start, split and visiting order ({})", defaults.seed));
    app.add_flag("--deterministic", deterministic, "Same seed, settings and device: the same numbers, bit for bit (slower)")
        ->group("Method");
    add("--device", device, "D", "auto, cpu, cuda:0 or cuda:0,1 (auto: the first GPU that takes the run, else the CPU)", "Machine");
    add("--threads", threads, "N", "CPU threads (all)", "Machine");
    add("--memory-limit", memoryLimit, "SIZE", "What a run may take of the device's memory, e.g. 2GiB (what is free)", "Machine");
}

void MethodOptions::applyTo(kernels::RunConfig& config, bool complete) const { withIds(config.algorithm).layOver(config, complete); }

MethodOptions MethodOptions::withIds(const std::string& usual) const
{
    MethodOptions result = *this;
    if (preset && !algorithm && !kernels::algorithm(usual).preset(*preset))
        if (const kernels::AlgorithmInfo* const owner = kernels::algorithmOfPreset(*preset))
            result.algorithm = owner->id;
    const kernels::NamedAlgorithm named = kernels::algorithmNamed(result.algorithm.value_or(usual));
    if (result.algorithm)
        result.algorithm = named.info.id;
    if (variant) {
        result.variant = variantOf(named);
    } else if (!named.variant.empty()) {
        requirePresetOf(named);
        result.variant = named.variant;
    }
    return result;
}

/// The paper's name of a variant alone and another variant say two things, and another algorithm's variant says so.
std::string MethodOptions::variantOf(const kernels::NamedAlgorithm& named) const
{
    const kernels::AlgorithmInfo& info = named.info;
    const kernels::AlgorithmVariant* const chosen = variantCalled(info, *variant);
    const kernels::AlgorithmVariant* const meant = variantCalled(info, named.variant);
    if (meant && !kernels::isCalled(info.paperName, meant->paperName) && chosen != meant)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {fmt::format("{} is the variant {} of {}", *algorithm, meant->id, info.id), "--variant",
                              fmt::format("\"{}\"", *variant), "the same, or none",
                              fmt::format("Another variant goes with --algorithm {}.", info.id)});
    if (chosen)
        return chosen->id;
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {fmt::format("{} has no such variant", info.id), "--variant", fmt::format("\"{}\"", *variant),
                          "one of " + joined(idsOf(info.variants), ", "), hintOnVariant(info, *variant)});
}

/// The paper's name of a variant and another variant's preset say two things.
void MethodOptions::requirePresetOf(const kernels::NamedAlgorithm& named) const
{
    const kernels::AlgorithmPreset* const chosen = preset ? named.info.preset(*preset) : nullptr;
    if (!chosen || chosen->variant == named.variant)
        return;
    std::vector<std::string> own;
    for (const auto& p : named.info.presets)
        if (p.variant == named.variant)
            own.push_back(p.id);
    throw kernels::Error(
        kernels::ErrorKind::BadArgument,
        {fmt::format("{} is the variant {} of {}, and this preset is of {}", *algorithm, named.variant, named.info.id, chosen->variant),
         "--preset",
         fmt::format("\"{}\"", *preset),
         own.empty() ? "none" : "one of " + joined(own, ", "),
         {}});
}

void MethodOptions::layOver(kernels::RunConfig& config, bool complete) const
{
    if (algorithm && *algorithm != config.algorithm) {
        // Another algorithm than the config file's: its variant and parameters mean nothing here, nor a split nobody chose.
        if (config.split == kernels::defaultSplit(objectiveOf(config.algorithm)))
            config.split = kernels::defaultSplit(objectiveOf(*algorithm));
        config.algorithm = *algorithm;
        config.variant.clear();
        config.parameters.clear();
    }
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm); // throws with the list of known ids
    const unsigned mostRank = info.maxRank;
    applyPreset(config);
    if (variant)
        config.variant = *variant;
    if (format)
        config.format = *format;
    else if (!complete || algorithm || preset || variant)
        config.format = info.formatFor(config.variant);
    if (device || !complete)
        config.devices = kernels::devicesFromString(device.value_or("auto"));
    if (precision)
        config.precision = parsePrecision(*precision);
    else if (!complete) { // device and precision are chosen together
        const kernels::DeviceId chosen =
            config.devices.empty() ? info.deviceFor(config.variant, config.format, {}) : config.devices.front();
        config.precision = info.precisionFor(chosen);
        if (config.devices.empty() && !config.deterministic && !deterministic) // else resolve() chooses: on a GPU not all are
            config.devices = {chosen};
    }
    if (rank)
        config.ranks = parseRanks(ofRanks ? "--ranks" : "--rank", *rank, mostRank);
    requireEffect("--core-rank", coreRank.has_value(), info.model == kernels::ModelKind::FastTucker,
                  fmt::format("with {}, which has no core", info.id));
    if (coreRank)
        config.coreRank = parseRank(ofRanks ? "--ranks" : "--core-rank", *coreRank, mostRank);
    else if (rank)
        config.coreRank = 0;
    if (threads)
        config.threads = parseThreads(*threads);
    if (memoryLimit)
        config.memoryLimit = parseBytes("--memory-limit", *memoryLimit);
    if (seed)
        config.seed = parseCount("--seed", *seed);
    config.deterministic = config.deterministic || deterministic;
    applyParameters(config);
    applyInit(config);
}

/// Whether a parameter was given as an option.
bool MethodOptions::writes(const std::string& parameter) const
{
    return std::any_of(parameters.begin(), parameters.end(), [&](const std::string& text) { return text.starts_with(parameter + '='); });
}

/// A slip in a name looks like a file that is not there.
void MethodOptions::requireStartFile(bool named, const std::vector<std::string>& names) const
{
    std::error_code ignored;
    if (named || std::filesystem::exists(*init, ignored))
        return;
    const std::string meant = kernels::didYouMean(*init, names);
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"there is no such start, nor a file of that name", "--init", fmt::format("\"{}\"", *init),
                          fmt::format("{} or the file of a model", fmt::join(names, ", ")), meant});
}

void MethodOptions::applyInit(kernels::RunConfig& config) const
{
    if (!init)
        return;
    const kernels::ParameterSpec* const start = kernels::algorithm(config.algorithm).parameter("start");
    if (!start || std::find(start->choices.begin(), start->choices.end(), "model") == start->choices.end())
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {fmt::format("{} starts from drawn factors alone", config.algorithm), "--init", *init, {}, "Leave the option out."});
    std::vector<std::string> names = start->choices;
    std::erase(names, "model");
    const bool named = std::find(names.begin(), names.end(), *init) != names.end();
    requireStartFile(named, names);
    const std::string chosen = named ? *init : "model";
    if (const auto given = config.parameters.find("start"); writes("start") && given->second != kernels::ParameterValue(chosen))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"two starts for one run",
                              "--init " + *init,
                              fmt::format("--param start={}", kernels::toString(given->second)),
                              {},
                              "Leave one of them out."});
    config.parameters["start"] = chosen;
    config.init = named ? std::string("random") : *init;
}

void MethodOptions::applyPreset(kernels::RunConfig& config) const
{
    if (!preset)
        return;
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
    const kernels::AlgorithmPreset* const found = info.preset(*preset);
    if (!found) {
        const std::vector<std::string> known = idsOf(info.presets);
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {fmt::format("{} has no such preset", config.algorithm), "--preset", fmt::format("\"{}\"", *preset),
                              known.empty() ? "none" : "one of " + joined(known, ", "), hintOnPreset(info, *preset)});
    }
    config.variant = found->variant;
    config.parameters = found->parameters;
}

void MethodOptions::applyParameters(kernels::RunConfig& config) const
{
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
    for (const std::string& text : parameters) {
        const auto equals = text.find('=');
        const std::string id = text.substr(0, equals);
        const kernels::ParameterSpec* spec = info.parameter(id);
        if (equals == std::string::npos)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"a parameter is written name=value", "--param", fmt::format("\"{}\"", text), {}, {}});
        if (std::count_if(parameters.begin(), parameters.end(), [&](const std::string& other) { return other.starts_with(id + '='); }) > 1)
            throw kernels::Error(kernels::ErrorKind::BadArgument, fmt::format("--param {}=… is given twice, and one value counts.", id));
        if (!spec)
            kernels::withDefaults(info.parameters, {{id, text.substr(equals + 1)}}); // throws with the list of known ones
        else
            config.parameters[id] = kernels::parseParameter(*spec, text.substr(equals + 1));
    }
    // Whoever writes one down, the default too, expects it to do something.
    for (const std::string& text : parameters)
        if (const kernels::Support effect = info.hasEffect(*info.parameter(text.substr(0, text.find('='))), config); !effect)
            throw kernels::Error(kernels::ErrorKind::BadArgument, effect.reason);
}

void CourseOptions::addTo(CLI::App& app)
{
    const kernels::RunConfig defaults;
    const auto add = [&](const char* option, std::optional<std::string>& value, const char* type, const std::string& what,
                         const char* group) { return app.add_option(option, value, what)->type_name(type)->group(group); };
    add("--iterations", iterations, "N", fmt::format("At most so many ({})", defaults.stopping.iterations), "Stopping");
    add("--tolerance", tolerance, "X",
        fmt::format("Relative gain of RMSE, for algorithms over all cells gain of fit, below which an iteration counts as none; 0: never "
                    "stop early ({})",
                    defaults.stopping.tolerance),
        "Stopping");
    add("--patience", patience, "N",
        fmt::format("Stop after so many such iterations in a row, with a test part not while the training error falls by more than 2 % an "
                    "iteration "
                    "({})",
                    defaults.stopping.patience),
        "Stopping");
    add("--time-limit", timeLimit, "SECONDS",
        "Stop after so many seconds of compute; a long iteration that is not done then is left out (none)", "Stopping");
    auto* fraction =
        add("--test-fraction", testFraction, "X",
            fmt::format("Share of the entries held out at random for testing; 0: none ({}; none for algorithms over all cells)",
                        defaults.split.testFraction),
            "Test set");
    add("--test", testFile, "FILE", "A file with the test entries", "Test set")->excludes(fraction);
}

void CourseOptions::applyTo(kernels::RunConfig& config) const
{
    if (iterations)
        config.stopping.iterations = parseCount("--iterations", *iterations, 1);
    if (tolerance)
        config.stopping.tolerance = parseNumber("--tolerance", *tolerance, 0, 1);
    if (patience)
        config.stopping.patience = static_cast<unsigned>(parseWhole("--patience", *patience, 1, 1000000));
    if (timeLimit)
        config.stopping.secondsLimit = parseNumber("--time-limit", *timeLimit, 0, anyPositive);
    if (testFile)
        config.split = {kernels::SplitKind::File, config.split.testFraction, *testFile};
    if (testFraction) {
        const double fraction = parseNumber("--test-fraction", *testFraction, 0, 0.99);
        config.split = {fraction > 0 ? kernels::SplitKind::Random : kernels::SplitKind::None, fraction, {}};
    }
}

/// A pipe too, which may have no end: no more is taken than is enough to refuse it.
kernels::RunConfig readRunConfig(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text(io::mostJsonBytes + 1, '\0');
    if (file)
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad())
        throw io::Error({"cannot be read", path, {}, "a JSON file with run settings", {}});
    text.resize(static_cast<std::size_t>(file.gcount()));
    return io::runConfigFromJson(text, path);
}

} // namespace cli
