// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/run_config_json.h"

#include "io/baselines_json.h"
#include "io/error.h"
#include "io/json_text.h"

#include "kernels/base/default_split.h"
#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace io {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::pair<kernels::SplitKind, std::string>> splitKinds{
    {kernels::SplitKind::None, "none"}, {kernels::SplitKind::Random, "random"}, {kernels::SplitKind::File, "file"}};

std::string splitKindText(kernels::SplitKind kind)
{
    for (const auto& [value, text] : splitKinds) {
        if (value == kind)
            return text;
    }
    return "none";
}

Json parameterToJson(const kernels::ParameterValue& value)
{
    return std::visit([](const auto& v) { return Json(v); }, value);
}

/// One JSON object being taken apart: every member may be asked for once, what nobody asked for is refused.
class ObjectReader {
public:
    ObjectReader(const Json& object, std::string where, std::string path, UnknownKeys unknownKeys)
        : m_object(object)
        , m_unknownKeys(unknownKeys)
        , m_where(std::move(where))
        , m_path(std::move(path))
    {
        if (!object.is_object())
            refuse("", object, "an object");
    }

    [[noreturn]] void refuse(const std::string& key, const Json& found, const std::string& expected) const
    {
        throw Error({"not a value for this key", fmt::format("{}, {}", m_where, pathOf(key)), shown(found), expected, {}});
    }

    std::string pathOf(const std::string& key) const
    {
        if (key.empty())
            return m_path.empty() ? "top level" : m_path;
        return m_path.empty() ? key : m_path + "." + key;
    }

    /// Null where the key is missing: the default stays.
    const Json* find(const std::string& key)
    {
        m_known.push_back(key);
        const auto it = m_object.find(key);
        return it == m_object.end() ? nullptr : &*it;
    }

    void text(const std::string& key, std::string& to)
    {
        if (const Json* value = find(key)) {
            if (!value->is_string())
                refuse(key, *value, "text");
            to = value->get<std::string>();
        }
    }

    void boolean(const std::string& key, bool& to)
    {
        if (const Json* value = find(key)) {
            if (!value->is_boolean())
                refuse(key, *value, "true or false");
            to = value->get<bool>();
        }
    }

    template <class T> T whole(const std::string& key, const Json& value, std::uint64_t least = 0) const
    {
        constexpr std::uint64_t most = std::numeric_limits<T>::max();
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most)
            refuse(key, value, fmt::format("a whole number from {} to {}", least, most));
        return static_cast<T>(value.get<std::uint64_t>());
    }

    template <class T> void whole(const std::string& key, T& to)
    {
        if (const Json* value = find(key))
            to = whole<T>(key, *value);
    }

    void real(const std::string& key, double& to, double least, double most)
    {
        const Json* value = find(key);
        if (!value)
            return;
        const double number = value->is_number() ? value->get<double>() : std::numeric_limits<double>::quiet_NaN();
        if (!(number >= least && number <= most))
            refuse(key, *value,
                   most < std::numeric_limits<double>::max() ? fmt::format("a number from {} to {}", least, most)
                                                             : fmt::format("a number of at least {}", least));
        to = number;
    }

    /// Call when done.
    void refuseUnknownKeys() const
    {
        if (m_unknownKeys == UnknownKeys::Ignore)
            return;
        for (const auto& [key, value] : m_object.items()) {
            if (std::find(m_known.begin(), m_known.end(), key) == m_known.end())
                throw Error({"unknown key",
                             fmt::format("{}, {}", m_where, pathOf(key)),
                             {},
                             fmt::format("one of {}", fmt::join(m_known, ", ")),
                             {}});
        }
    }

    ObjectReader child(const std::string& key, const Json& object) const { return {object, m_where, pathOf(key), m_unknownKeys}; }

private:
    const Json& m_object;
    UnknownKeys m_unknownKeys;
    std::string m_where, m_path;
    std::vector<std::string> m_known;
};

void readDevices(ObjectReader& reader, std::vector<kernels::DeviceId>& to)
{
    const Json* value = reader.find("devices");
    to.clear(); // "auto"
    if (!value)
        return;
    std::vector<std::string> texts;
    if (value->is_string())
        texts.push_back(value->get<std::string>());
    else if (value->is_array()) {
        for (const Json& device : *value) {
            if (!device.is_string())
                reader.refuse("devices", device, "auto, cpu, or cuda: and a number");
            texts.push_back(device.get<std::string>());
        }
    }
    if (texts.empty())
        reader.refuse("devices", *value, "auto, or a list of devices such as [\"cuda:0\"]");
    if (texts.size() > 1 && std::find(texts.begin(), texts.end(), "auto") != texts.end())
        reader.refuse("devices", *value, "auto alone, or devices");
    for (const std::string& text : texts) {
        try {
            for (const kernels::DeviceId& id : kernels::devicesFromString(text))
                to.push_back(id);
        } catch (const kernels::Error& e) {
            reader.refuse("devices", *value, e.details().expected);
        }
    }
    if (const auto twice = kernels::namedTwice(to))
        reader.refuse("devices", *value, fmt::format("each GPU once; {} is named twice", kernels::toString(*twice)));
}

void readRanks(ObjectReader& reader, std::vector<unsigned>& to)
{
    const Json* value = reader.find("ranks");
    if (!value)
        return;
    if (value->is_number()) {
        to = {reader.whole<unsigned>("ranks", *value, 1)};
        return;
    }
    if (!value->is_array() || value->empty() || value->size() > kernels::maxOrder)
        reader.refuse("ranks", *value, fmt::format("one rank, or a list of one per mode (1 to {})", kernels::maxOrder));
    to.clear();
    for (const Json& rank : *value)
        to.push_back(reader.whole<unsigned>("ranks", rank, 1));
}

void readSplit(ObjectReader& parent, kernels::SplitConfig& split, const kernels::AlgorithmInfo* algorithm)
{
    const Json* value = parent.find("split");
    if (!value) {
        split = kernels::defaultSplit(algorithm ? algorithm->objective : kernels::Objective::Observed);
        return;
    }
    ObjectReader reader = parent.child("split", *value);
    if (const Json* kind = reader.find("kind")) {
        const auto known = std::find_if(splitKinds.begin(), splitKinds.end(),
                                        [&](const auto& k) { return kind->is_string() && k.second == kind->get<std::string>(); });
        if (known == splitKinds.end())
            reader.refuse("kind", *kind, "none, random or file");
        split.kind = known->first;
    }
    reader.real("test_fraction", split.testFraction, 0, 1);
    reader.text("test_file", split.testFile);
    reader.refuseUnknownKeys();
}

void readStopping(ObjectReader& parent, kernels::StoppingRules& stopping)
{
    const Json* value = parent.find("stopping");
    if (!value)
        return;
    constexpr double unlimited = std::numeric_limits<double>::max();
    ObjectReader reader = parent.child("stopping", *value);
    reader.whole("iterations", stopping.iterations);
    reader.real("tolerance", stopping.tolerance, 0, unlimited);
    reader.whole("patience", stopping.patience);
    reader.real("seconds_limit", stopping.secondsLimit, 0, unlimited);
    reader.refuseUnknownKeys();
}

/// The JSON type decides; a whole number may stand for a real one later (withDefaults sees to that).
kernels::ParameterValue parameterFromJson(const ObjectReader& reader, const std::string& key, const Json& value)
{
    if (value.is_boolean())
        return value.get<bool>();
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return static_cast<double>(value.get<std::uint64_t>());
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    if (value.is_number_float() && std::isfinite(value.get<double>()))
        return value.get<double>();
    reader.refuse(key, value, "true, false, a number or text");
}

void readParameters(ObjectReader& parent, kernels::ParameterMap& to)
{
    const Json* value = parent.find("parameters");
    if (!value)
        return;
    const ObjectReader reader = parent.child("parameters", *value);
    to.clear();
    for (const auto& [key, parameter] : value->items())
        to[key] = parameterFromJson(reader, key, parameter);
}

std::string dumped(const Json& json, int indent = -1) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

/// JSON has no NaN: what was not measured is left out.
void addMeasured(Json& json, const char* key, double value)
{
    if (std::isfinite(value))
        json[key] = value;
}

} // namespace

std::string toJson(const kernels::RunConfig& config, int indent)
{
    Json json;
    json["algorithm"] = config.algorithm;
    json["variant"] = config.variant;
    json["format"] = config.format;
    json["precision"] = kernels::toString(config.precision);
    json["devices"] = config.devices.empty() ? Json("auto") : Json::array();
    for (const kernels::DeviceId& device : config.devices)
        json["devices"].push_back(kernels::toString(device));
    json["ranks"] = config.ranks;
    json["core_rank"] = config.coreRank;
    json["split"] = {
        {"kind", splitKindText(config.split.kind)}, {"test_fraction", config.split.testFraction}, {"test_file", config.split.testFile}};
    json["seed"] = config.seed;
    json["deterministic"] = config.deterministic;
    json["init"] = config.init;
    json["parameters"] = Json::object();
    for (const auto& [id, value] : config.parameters)
        json["parameters"][id] = parameterToJson(value);
    json["stopping"] = {{"iterations", config.stopping.iterations},
                        {"tolerance", config.stopping.tolerance},
                        {"patience", config.stopping.patience},
                        {"seconds_limit", config.stopping.secondsLimit}};
    json["memory_limit"] = config.memoryLimit;
    json["threads"] = config.threads;
    return dumped(json, indent);
}

namespace {

/// Null: it is not known, which is told later.
const kernels::AlgorithmInfo* algorithmOf(const kernels::RunConfig& config)
{
    for (const kernels::AlgorithmInfo& info : kernels::algorithms())
        if (info.id == config.algorithm)
            return &info;
    return nullptr;
}

} // namespace

kernels::RunConfig runConfigFromJson(std::string_view text, const std::string& where, UnknownKeys unknownKeys)
{
    const Json json = parseJson(text, where);
    ObjectReader reader(json, where, "", unknownKeys);
    kernels::RunConfig config;
    reader.text("algorithm", config.algorithm);
    reader.text("variant", config.variant);
    const kernels::AlgorithmInfo* const algorithm = algorithmOf(config);
    if (reader.find("format"))
        reader.text("format", config.format);
    else if (algorithm) // what the variant takes
        config.format = algorithm->formatFor(config.variant);
    if (const Json* value = reader.find("precision")) {
        const auto precision = value->is_string() ? kernels::precisionFromString(value->get<std::string>()) : std::nullopt;
        if (!precision)
            reader.refuse("precision", *value, "fp64, fp32, tf32, fp16 or bf16");
        config.precision = *precision;
    }
    readDevices(reader, config.devices);
    readRanks(reader, config.ranks);
    reader.whole("core_rank", config.coreRank);
    readSplit(reader, config.split, algorithm);
    reader.whole("seed", config.seed);
    reader.boolean("deterministic", config.deterministic);
    reader.text("init", config.init);
    readParameters(reader, config.parameters);
    readStopping(reader, config.stopping);
    reader.whole("memory_limit", config.memoryLimit);
    reader.whole("threads", config.threads);
    reader.refuseUnknownKeys();
    return config;
}

std::string iterationEventJson(const kernels::IterationRecord& record, const std::vector<double>& smThroughput)
{
    Json json;
    json["event"] = "iteration";
    json["iteration"] = record.iteration;
    addMeasured(json, "train_rmse", record.trainRmse);
    addMeasured(json, "test_rmse", record.testRmse);
    addMeasured(json, "train_mae", record.trainMae);
    addMeasured(json, "test_mae", record.testMae);
    addMeasured(json, "fit", record.fit);
    addMeasured(json, "objective", record.objective);
    addMeasured(json, "divergence", record.divergence);
    addMeasured(json, "test_divergence", record.testDivergence);
    Json seconds = Json::object();
    addMeasured(seconds, "factor", record.secondsFactor);
    addMeasured(seconds, "core", record.secondsCore);
    addMeasured(seconds, "evaluate", record.secondsEvaluate);
    addMeasured(seconds, "convert", record.secondsConvert);
    json["seconds"] = std::move(seconds);
    addMeasured(json, "elapsed", record.elapsed);
    json["nonzeros"] = record.nonzeros;
    if (smThroughput.size() == 1)
        addMeasured(json, "sm_throughput", smThroughput.front());
    else if (std::any_of(smThroughput.begin(), smThroughput.end(), [](double mean) { return std::isfinite(mean); }))
        json["sm_throughput"] = smThroughput; // NaN is written as null
    return dumped(json);
}

std::string resumedEventJson(std::uint64_t iteration)
{
    Json json;
    json["event"] = "resumed";
    json["iteration"] = iteration;
    return dumped(json);
}

std::string finishedEventJson(const kernels::RunResult& result, const kernels::Baselines* baselines)
{
    Json json;
    json["event"] = "finished";
    json["reason"] = kernels::toString(result.reason);
    json["best_iteration"] = result.bestIteration;
    if (!result.variantNote.empty())
        json["variant_note"] = result.variantNote;
    for (const kernels::IterationRecord& record : result.history) {
        if (record.iteration == result.bestIteration) {
            addMeasured(json, "best_test_rmse", record.testRmse);
            addMeasured(json, "best_fit", record.fit);
        }
    }
    if (baselines)
        json["baselines"] = Json::parse(toJson(*baselines));
    return dumped(json);
}

} // namespace io
