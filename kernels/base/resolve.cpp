// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/nearest_name.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/base/several_devices.h"
#include "kernels/device/device_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace kernels {
namespace {

constexpr unsigned maxThreads = 4096;

[[noreturn]] void refuse(std::string message, std::string where, std::string found, std::string expected, std::string hint = {})
{
    throw Error(ErrorKind::BadArgument, {std::move(message), std::move(where), std::move(found), std::move(expected), std::move(hint)});
}

void checkShape(const std::vector<Index>& dims)
{
    if (dims.size() < minOrder || dims.size() > maxOrder)
        refuse("order out of range", "tensor", fmt::format("{} modes", dims.size()), fmt::format("{} to {}", minOrder, maxOrder));
    const auto empty = std::find(dims.begin(), dims.end(), Index{0});
    if (empty != dims.end())
        refuse("a mode is empty", fmt::format("mode {}", empty - dims.begin() + 1), "size 0", "at least 1");
}

std::string resolvedVariant(const AlgorithmInfo& info, const std::string& chosen)
{
    if (chosen.empty())
        return info.variants.front().id;
    std::vector<std::string> known;
    for (const AlgorithmVariant& variant : info.variants) {
        if (variant.id == chosen)
            return chosen;
        known.push_back(variant.id);
    }
    refuse(fmt::format("{} has no such variant", info.id), "variant", fmt::format("\"{}\"", chosen),
           fmt::format("one of {}", fmt::join(known, ", ")), didYouMean(chosen, known));
}

std::string whoSharesRuns()
{
    std::vector<std::string> ids;
    for (const AlgorithmInfo& info : algorithms())
        if (info.severalDevices)
            ids.push_back(info.id);
    return fmt::format("Several GPUs can share a run of {}.", fmt::join(ids, ", "));
}

void checkSupport(const AlgorithmInfo& info, const RunConfig& config)
{
    tensorFormat(config.format); // throws for unknown ids
    for (const DeviceId& id : config.devices) {
        const Support support = info.supports(Choice{config.variant, config.format, config.precision, id});
        if (!support)
            throw Error(ErrorKind::BadArgument, support.reason);
    }
    if (config.devices.size() > 1 && !info.severalDevices)
        refuse(fmt::format("{} runs on one device at a time in this version", info.id), "devices",
               fmt::format("{} devices", config.devices.size()), "one", whoSharesRuns());
    if (const auto twice = namedTwice(config.devices))
        refuse(fmt::format("{} is named twice", toString(*twice)), "devices", toString(config.devices), "each GPU once");
    for (const DeviceId& id : config.devices)
        device(id); // throws where there is none
    if (const Support several = supportsSeveral(info, config.devices); !several)
        throw Error(ErrorKind::NoDevice, several.reason);
}

void checkRank(const AlgorithmInfo& info, std::string where, unsigned rank)
{
    if (rank < 1 || rank > info.maxRank)
        refuse("rank out of range", std::move(where), fmt::format("{}", rank), fmt::format("1 to {}", info.maxRank));
}

/// What was set and would do nothing was meant otherwise.
void checkEffects(const AlgorithmInfo& info, const RunConfig& config)
{
    for (const ParameterSpec& spec : info.parameters)
        if (config.parameters.at(spec.id) != spec.defaultValue)
            if (const Support effect = info.hasEffect(spec, config); !effect)
                throw Error(ErrorKind::BadArgument, effect.reason);
}

/// Whether parameters go together; a GPU that nobody named gives way where only the CPU takes them.
Support fittingParameters(const AlgorithmInfo& info, RunConfig& config, bool deviceWasNamed)
{
    const Support support = info.supportsParameters ? info.supportsParameters(config) : Support::yes();
    if (support || deviceWasNamed || !info.supports(Choice{config.variant, config.format, config.precision, DeviceId{}}))
        return support;
    RunConfig onCpu = config;
    onCpu.devices = {DeviceId{}};
    if (!info.supportsParameters(onCpu))
        return support;
    config = std::move(onCpu);
    return Support::yes();
}

void resolveRanks(const AlgorithmInfo& info, RunConfig& config, const std::vector<Index>& dims)
{
    const std::size_t order = dims.size();
    if (config.ranks.size() != 1 && config.ranks.size() != order)
        refuse("the number of ranks does not fit the tensor", "ranks", fmt::format("{}", config.ranks.size()),
               fmt::format("1 (for all modes) or {}", order));
    for (std::size_t n = 0; n < config.ranks.size(); ++n)
        checkRank(info, config.ranks.size() == 1 ? "rank" : fmt::format("rank of mode {}", n + 1), config.ranks[n]);
    const bool oneForAll = config.ranks.size() == 1;
    if (oneForAll)
        config.ranks.assign(order, config.ranks.front());
    for (std::size_t n = 0; n < order && info.ranksWithinModes; ++n) {
        if (!oneForAll && config.ranks[n] > dims[n])
            refuse("a rank is above the size of its mode", fmt::format("rank of mode {}", n + 1), fmt::format("{}", config.ranks[n]),
                   fmt::format("1 to {}", dims[n]), "One number for all modes is cut to what each has.");
        config.ranks[n] = std::min(config.ranks[n], static_cast<unsigned>(dims[n]));
    }
    config.coreRank = config.effectiveCoreRank();
    checkRank(info, "core rank", config.coreRank);
}

void checkRules(const RunConfig& config)
{
    const StoppingRules& rules = config.stopping;
    if (rules.iterations < 1 || rules.iterations > 1'000'000'000)
        refuse("number of iterations out of range", "iterations", fmt::format("{}", rules.iterations), "1 to 1000000000");
    if (!std::isfinite(rules.tolerance) || rules.tolerance < 0 || rules.tolerance >= 1)
        refuse("tolerance out of range", "tolerance", fmt::format("{}", rules.tolerance), "at least 0 (never stop early) and below 1");
    if (rules.patience < 1)
        refuse("patience out of range", "patience", "0", "at least 1", "A tolerance of 0 switches early stopping off.");
    if (!std::isfinite(rules.secondsLimit) || rules.secondsLimit < 0)
        refuse("time limit out of range", "time limit", fmt::format("{}", rules.secondsLimit), "seconds, or 0 for none");
    const SplitConfig& split = config.split;
    if (split.kind == SplitKind::Random && !(split.testFraction > 0 && split.testFraction < 1))
        refuse("test fraction out of range", "test fraction", fmt::format("{}", split.testFraction), "above 0 and below 1",
               "Choose no split to train on everything.");
    if (config.threads > maxThreads)
        refuse("number of threads out of range", "threads", fmt::format("{}", config.threads), fmt::format("0 (all) to {}", maxThreads));
    if (startsFromModel(config) == (config.init != "random"))
        return;
    if (config.init != "random")
        refuse("this start is not available", "init", fmt::format("\"{}\"", config.init), "random, or a model file where start is model");
    refuse("a run that starts from a model needs its file", "init", "none", "a model file",
           "Name it with --init FILE, or choose another start.");
}

} // namespace

bool startsFromModel(const RunConfig& config)
{
    const auto start = config.parameters.find("start");
    return start != config.parameters.end() && start->second == ParameterValue(std::string("model"));
}

void requireStart(const Model& model, const RunConfig& config, const std::vector<Index>& dims)
{
    const auto require = [&](bool fits, const char* message, const std::string& found, const std::string& expected) {
        if (!fits)
            throw Error(ErrorKind::BadInput, {message, "start " + config.init, found, expected, {}});
    };
    const ModelKind kind = algorithm(config.algorithm).model;
    require(model.kind == kind, "the run cannot start from a model of this kind", std::string(toString(model.kind)),
            std::string(toString(kind)));
    require(model.dims == dims, "the model to start from is of another tensor", fmt::format("{}", fmt::join(model.dims, " x ")),
            fmt::format("{}", fmt::join(dims, " x ")));
    require(model.ranks == config.ranks, "the model to start from has another rank", fmt::format("{}", fmt::join(model.ranks, ",")),
            fmt::format("{}", fmt::join(config.ranks, ",")));
}

RunConfig resolve(const RunConfig& config, const std::vector<Index>& dims)
{
    checkShape(dims);
    RunConfig result = config;
    const AlgorithmInfo& info = algorithm(config.algorithm);
    result.variant = resolvedVariant(info, config.variant);
    if (result.devices.empty())
        result.devices = {info.deviceFor(result.variant, result.format, result.precision)};
    checkSupport(info, result);
    resolveRanks(info, result, dims);
    result.parameters = withDefaults(info.parameters, config.parameters);
    checkEffects(info, result);
    if (const Support support = fittingParameters(info, result, !config.devices.empty()); !support)
        throw Error(ErrorKind::BadArgument, support.reason);
    checkRules(result);
    result.threads = std::min(result.threads, static_cast<unsigned>(device(DeviceId{}).processors)); // they may be of a larger machine
    return result;
}

} // namespace kernels
