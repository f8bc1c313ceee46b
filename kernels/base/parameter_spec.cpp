// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/parameter_spec.h"

#include "kernels/base/error.h"
#include "kernels/base/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kernels {
namespace {

std::string expectation(const ParameterSpec& spec)
{
    const bool ranged = spec.minimum != spec.maximum;
    switch (spec.type) {
    case ParameterType::Boolean:
        return "true or false";
    case ParameterType::Choice:
        return fmt::format("one of {}", fmt::join(spec.choices, ", "));
    case ParameterType::Integer:
        return ranged ? fmt::format("a whole number from {:.0f} to {:.0f}", spec.minimum, spec.maximum) : "a whole number";
    case ParameterType::Real:
        return ranged ? fmt::format("a number from {} to {}", spec.minimum, spec.maximum) : "a number";
    }
    return {};
}

Error refusal(const ParameterSpec& spec, std::string found)
{
    return {ErrorKind::BadArgument,
            {"not a value for this parameter", fmt::format("parameter {}", spec.id), std::move(found), expectation(spec), {}}};
}

template <class T> const T& typedParameter(const ParameterMap& map, std::string_view id)
{
    const auto it = map.find(id);
    if (it == map.end() || !std::holds_alternative<T>(it->second))
        throw Error(ErrorKind::Internal, fmt::format("parameter {} is missing or has another type", id));
    return std::get<T>(it->second);
}

template <class T> T number(const ParameterSpec& spec, std::string_view text)
{
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw refusal(spec, fmt::format("\"{}\"", text));
    return value;
}

} // namespace

std::vector<std::string> ParameterCondition::values() const
{
    std::vector<std::string> all(1);
    for (const char c : value)
        if (c == '|')
            all.emplace_back();
        else
            all.back() += c;
    return all;
}

ParameterValue parseParameter(const ParameterSpec& spec, std::string_view text)
{
    ParameterValue value;
    switch (spec.type) {
    case ParameterType::Boolean:
        if (text == "true" || text == "1" || text == "yes" || text == "on")
            value = true;
        else if (text == "false" || text == "0" || text == "no" || text == "off")
            value = false;
        else
            throw refusal(spec, fmt::format("\"{}\"", text));
        break;
    case ParameterType::Integer:
        value = number<std::int64_t>(spec, text);
        break;
    case ParameterType::Real:
        value = number<double>(spec, text);
        break;
    case ParameterType::Choice:
        value = std::string(text);
        break;
    }
    checkParameter(spec, value);
    return value;
}

std::string toString(const ParameterValue& value)
{
    return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

void checkParameter(const ParameterSpec& spec, const ParameterValue& value)
{
    const bool rightType = (spec.type == ParameterType::Boolean && std::holds_alternative<bool>(value))
        || (spec.type == ParameterType::Integer && std::holds_alternative<std::int64_t>(value))
        || (spec.type == ParameterType::Real && std::holds_alternative<double>(value))
        || (spec.type == ParameterType::Choice && std::holds_alternative<std::string>(value));
    if (!rightType)
        throw refusal(spec, toString(value));
    if (spec.type == ParameterType::Choice) {
        if (std::find(spec.choices.begin(), spec.choices.end(), std::get<std::string>(value)) == spec.choices.end())
            throw refusal(spec, fmt::format("\"{}\"", std::get<std::string>(value)));
        return;
    }
    if (spec.type == ParameterType::Boolean)
        return;
    const double v = spec.type == ParameterType::Integer ? static_cast<double>(std::get<std::int64_t>(value)) : std::get<double>(value);
    if (!std::isfinite(v) || (spec.minimum != spec.maximum && (v < spec.minimum || v > spec.maximum)))
        throw refusal(spec, toString(value));
}

ParameterMap withDefaults(const std::vector<ParameterSpec>& schema, const ParameterMap& chosen)
{
    ParameterMap result;
    for (const ParameterSpec& spec : schema)
        result[spec.id] = spec.defaultValue;
    for (const auto& [id, value] : chosen) {
        const auto spec = std::find_if(schema.begin(), schema.end(), [&](const ParameterSpec& s) { return s.id == id; });
        if (spec == schema.end()) {
            std::vector<std::string> known;
            for (const ParameterSpec& s : schema)
                known.push_back(s.id);
            throw Error(ErrorKind::BadArgument,
                        {"this algorithm has no such parameter",
                         fmt::format("parameter {}", id),
                         {},
                         fmt::format("one of {}", fmt::join(known, ", ")),
                         didYouMean(id, known)});
        }
        // A whole number is as good as a real one.
        ParameterValue v = value;
        if (spec->type == ParameterType::Real && std::holds_alternative<std::int64_t>(v))
            v = static_cast<double>(std::get<std::int64_t>(v));
        checkParameter(*spec, v);
        result[id] = std::move(v);
    }
    return result;
}

double realParameter(const ParameterMap& map, std::string_view id) { return typedParameter<double>(map, id); }
std::int64_t integerParameter(const ParameterMap& map, std::string_view id) { return typedParameter<std::int64_t>(map, id); }
bool booleanParameter(const ParameterMap& map, std::string_view id) { return typedParameter<bool>(map, id); }
const std::string& choiceParameter(const ParameterMap& map, std::string_view id) { return typedParameter<std::string>(map, id); }

} // namespace kernels
