// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/registry.h"

#include "kernels/base/error.h"
#include "kernels/base/nearest_name.h"
#include "kernels/device/device_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kernels {

// Both written by cmake/PolyadRegistries.cmake.
std::vector<AlgorithmInfo> makeAlgorithms();
std::vector<TensorFormatInfo> makeTensorFormats();

namespace {

/// alsoKnown: what else might have been meant.
template <class Info>
const Info& find(const std::vector<Info>& all, std::string_view id, const char* what, const std::vector<std::string>& alsoKnown = {})
{
    const auto it = std::find_if(all.begin(), all.end(), [&](const Info& info) { return info.id == id; });
    if (it != all.end())
        return *it;
    std::vector<std::string> known;
    for (const Info& info : all)
        known.push_back(info.id);
    const std::string oneOf = fmt::format("one of {}", fmt::join(known, ", "));
    known.insert(known.end(), alsoKnown.begin(), alsoKnown.end());
    throw Error(ErrorKind::BadArgument,
                {fmt::format("there is no such {}", what), what, fmt::format("\"{}\"", id), oneOf, didYouMean(id, known)});
}

/// Of several papers each, and all of them; none for what is no paper's own.
std::vector<std::string> namesIn(const std::string& paperName)
{
    constexpr std::string_view between = ", ";
    std::vector<std::string> names;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = paperName.find(between, begin)) != std::string::npos; begin = end + between.size())
        names.push_back(paperName.substr(begin, end - begin));
    if (!paperName.empty())
        names.push_back(paperName.substr(begin));
    if (names.size() > 1)
        names.push_back(paperName);
    return names;
}

std::vector<std::string> otherNames()
{
    std::vector<std::string> names;
    for (const AlgorithmInfo& info : algorithms()) {
        for (std::string& name : namesIn(info.paperName))
            names.push_back(std::move(name));
        names.push_back(info.title);
        for (const AlgorithmVariant& variant : info.variants)
            for (std::string& name : namesIn(variant.paperName))
                names.push_back(std::move(name));
    }
    return names;
}

/// As a ParameterCondition writes it.
std::string settingOf(const AlgorithmInfo& info, const RunConfig& config, const std::string& setting)
{
    if (setting == "variant")
        return config.variant.empty() ? info.variants.front().id : config.variant;
    if (setting == "precision")
        return std::string(toString(config.precision));
    if (setting == "deterministic")
        return config.deterministic ? "true" : "false";
    const auto given = config.parameters.find(setting);
    return toString(given == config.parameters.end() ? info.parameter(setting)->defaultValue : given->second);
}

} // namespace

Precision AlgorithmInfo::precisionFor(const DeviceId& device) const
{
    return preferredPrecision ? preferredPrecision(device) : Precision::Fp32;
}

DeviceId AlgorithmInfo::deviceFor(std::string_view variant, std::string_view format, std::optional<Precision> precision) const
{
    const std::string_view chosen = variant.empty() ? std::string_view(variants.front().id) : variant;
    for (const DeviceInfo& info : devices())
        if (info.id.kind == DeviceKind::Cuda && info.problem.empty()
            && supports(Choice{chosen, format, precision.value_or(precisionFor(info.id)), info.id}))
            return info.id;
    return {};
}

const std::string& AlgorithmInfo::formatFor(std::string_view variant) const
{
    const std::string_view chosen = variant.empty() ? std::string_view(variants.front().id) : variant;
    const auto fits = [&](const std::string& format) { return bool(supports(Choice{chosen, format, Precision::Fp32, DeviceId{}})); };
    const auto found = std::find_if(formats.begin(), formats.end(), fits);
    return found == formats.end() ? formats.front() : *found;
}

const ParameterSpec* AlgorithmInfo::parameter(std::string_view parameterId) const
{
    const auto it = std::find_if(parameters.begin(), parameters.end(), [&](const ParameterSpec& spec) { return spec.id == parameterId; });
    return it == parameters.end() ? nullptr : &*it;
}

bool isCalled(const std::string& paperName, std::string_view name)
{
    const std::vector<std::string> names = namesIn(paperName);
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string AlgorithmInfo::variantNamed(std::string_view name) const
{
    for (const AlgorithmVariant& variant : variants)
        if (variant.id == name)
            return variant.id;
    for (const AlgorithmVariant& variant : variants)
        if (isCalled(variant.paperName, name))
            return variant.id;
    return std::string(name);
}

const AlgorithmPreset* AlgorithmInfo::preset(std::string_view name) const
{
    const auto it = std::find_if(presets.begin(), presets.end(), [&](const AlgorithmPreset& p) { return p.id == name || p.title == name; });
    return it == presets.end() ? nullptr : &*it;
}

bool AlgorithmInfo::fits(EmptyCells meaning) const
{
    return meaning == EmptyCells::Unsaid || (meaning == EmptyCells::Zero) == (objective == Objective::All);
}

Support AlgorithmInfo::hasEffect(const ParameterSpec& spec, const RunConfig& config) const
{
    for (const ParameterCondition& condition : spec.onlyWhen) {
        const std::string found = settingOf(*this, config, condition.setting);
        const std::vector<std::string> fitting = condition.values();
        if (std::find(fitting.begin(), fitting.end(), found) == fitting.end())
            return Support::no(fmt::format("{0} has no effect with {1}={2}: choose {1}={3}, or leave {0} out.", spec.id, condition.setting,
                                           found, fmt::join(fitting, " or ")));
    }
    return Support::yes();
}

const std::vector<AlgorithmInfo>& algorithms()
{
    static const std::vector<AlgorithmInfo> all = makeAlgorithms();
    return all;
}

const AlgorithmInfo& algorithm(std::string_view id) { return find(algorithms(), id, "algorithm"); }

NamedAlgorithm algorithmNamed(std::string_view name)
{
    for (const AlgorithmInfo& info : algorithms())
        if (info.id == name)
            return {info, {}};
    for (const AlgorithmInfo& info : algorithms())
        for (const AlgorithmVariant& variant : info.variants)
            if (isCalled(variant.paperName, name))
                return {info, variant.id};
    for (const AlgorithmInfo& info : algorithms())
        if (isCalled(info.paperName, name) || isCalled(info.title, name))
            return {info, {}};
    return {find(algorithms(), name, "algorithm", otherNames()), {}}; // throws
}

const AlgorithmInfo* algorithmOfPreset(std::string_view title)
{
    for (const AlgorithmInfo& info : algorithms())
        for (const AlgorithmPreset& preset : info.presets)
            if (preset.title == title)
                return &info;
    return nullptr;
}

const std::vector<TensorFormatInfo>& tensorFormats()
{
    static const std::vector<TensorFormatInfo> all = makeTensorFormats();
    return all;
}

const TensorFormatInfo& tensorFormat(std::string_view id) { return find(tensorFormats(), id, "tensor format"); }

} // namespace kernels
