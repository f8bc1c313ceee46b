// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep_field_values.h"

#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"

#include <fmt/format.h>

#include <algorithm>

namespace app {
namespace {

using kernels::RunConfig;

std::string fractionText(const kernels::SplitConfig& split)
{
    if (split.kind == kernels::SplitKind::File)
        return split.testFile;
    return split.kind == kernels::SplitKind::None ? "0" : fmt::format("{}", split.testFraction);
}

std::string parameterText(const RunConfig& config, const std::string& id)
{
    if (const auto at = config.parameters.find(id); at != config.parameters.end())
        return kernels::toString(at->second);
    const kernels::ParameterSpec* const spec = kernels::algorithm(config.algorithm).parameter(id);
    return spec ? kernels::toString(spec->defaultValue) : std::string();
}

} // namespace

std::string sweepValueOf(const RunConfig& config, const std::string& field)
{
    if (field == "algorithm")
        return config.algorithm;
    if (field == "variant")
        return config.variant;
    if (field == "format")
        return config.format;
    if (field == "precision")
        return std::string(kernels::toString(config.precision));
    if (field == "device")
        return kernels::toString(config.devices);
    if (field == "core-rank")
        return fmt::format("{}", config.effectiveCoreRank());
    if (field == "iterations")
        return fmt::format("{}", config.stopping.iterations);
    if (field == "tolerance")
        return fmt::format("{}", config.stopping.tolerance);
    if (field == "patience")
        return fmt::format("{}", config.stopping.patience);
    if (field == "test-fraction")
        return fractionText(config.split);
    if (field == "deterministic")
        return config.deterministic ? "true" : "false";
    return parameterText(config, field);
}

RunConfig withoutField(RunConfig config, const std::string& field)
{
    const RunConfig any;
    const bool algorithm = field == "algorithm", variant = algorithm || field == "variant";
    if (algorithm) {
        const auto& all = kernels::algorithms();
        const kernels::Objective objective = kernels::algorithm(config.algorithm).objective;
        config.algorithm = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.objective == objective; })->id;
        config.parameters.clear();
        config.coreRank = 0;
        config.init = any.init;
    }
    if (variant)
        config.variant.clear();
    if (variant || field == "format")
        config.format.clear();
    if (variant || field == "precision" || field == "device")
        config.precision = any.precision;
    if (field == "device")
        config.devices.clear();
    else if (field == "core-rank")
        config.coreRank = 0;
    else if (field == "iterations")
        config.stopping.iterations = any.stopping.iterations;
    else if (field == "tolerance")
        config.stopping.tolerance = any.stopping.tolerance;
    else if (field == "patience")
        config.stopping.patience = any.stopping.patience;
    else if (field == "test-fraction")
        config.split = any.split;
    else if (field == "deterministic")
        config.deterministic = any.deterministic;
    else
        config.parameters.erase(field); // where it is one
    return config;
}

std::vector<std::string> differingFields(const RunConfig& a, const RunConfig& b)
{
    if (a.algorithm != b.algorithm)
        return {"algorithm"}; // others follow it
    if (a.variant != b.variant)
        return {"variant"};
    std::vector<std::string> fields;
    const auto note = [&](const char* field, bool differs) {
        if (differs)
            fields.emplace_back(field);
    };
    note("device", a.devices != b.devices);
    note("format", a.format != b.format);
    note("precision", a.precision != b.precision);
    note("core-rank", a.effectiveCoreRank() != b.effectiveCoreRank());
    note("iterations", a.stopping.iterations != b.stopping.iterations);
    note("tolerance", a.stopping.tolerance != b.stopping.tolerance);
    note("patience", a.stopping.patience != b.stopping.patience);
    note("test-fraction", !(a.split == b.split));
    note("deterministic", a.deterministic != b.deterministic);
    if (a.parameters == b.parameters)
        return fields;
    for (const auto& [id, value] : a.parameters)
        if (const auto other = b.parameters.find(id);
            other == b.parameters.end() ? parameterText(a, id) != parameterText(b, id) : other->second != value)
            fields.push_back(id);
    for (const auto& [id, value] : b.parameters)
        if (!a.parameters.contains(id) && parameterText(a, id) != parameterText(b, id))
            fields.push_back(id);
    return fields;
}

} // namespace app
