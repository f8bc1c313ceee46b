// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kernels {

enum class ParameterType { Boolean, Integer, Real, Choice };
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;
using ParameterMap = std::map<std::string, ParameterValue, std::less<>>;

/// Another setting and the value it must have, as --param and the options write it.
struct ParameterCondition {
    std::string setting; ///< variant, precision, deterministic, or another parameter's id
    std::string value; ///< or several, with | between them: one of them

    std::vector<std::string> values() const;
};

/// One hyperparameter as window, command line, validation and documentation see it.
struct ParameterSpec {
    std::string id; ///< "learning-rate-a": --param id=value
    std::string label; ///< "Learning rate A"
    std::string help; ///< one sentence
    ParameterType type = ParameterType::Real;
    ParameterValue defaultValue;
    double minimum = 0;
    double maximum = 0; ///< minimum == maximum: no range
    std::string unit; ///< "" or "s", "entries" …
    std::vector<std::string> choices; ///< Choice only
    bool advanced = false; ///< folded away in the form
    std::vector<ParameterCondition> onlyWhen = {}; ///< all of them; else the parameter has no effect (AlgorithmInfo::hasEffect)
};

/// Text → value of the parameter's type. Throws Error(BadArgument) naming parameter, text and range.
ParameterValue parseParameter(const ParameterSpec&, std::string_view text);
/// Shortest text that parses back to the same value.
std::string toString(const ParameterValue&);
/// Throws Error(BadArgument) when the value has another type or lies outside the range.
void checkParameter(const ParameterSpec&, const ParameterValue&);

/// The schema's defaults overlaid by what was chosen. Throws for ids the schema does not know.
ParameterMap withDefaults(const std::vector<ParameterSpec>&, const ParameterMap& chosen);

double realParameter(const ParameterMap&, std::string_view id);
std::int64_t integerParameter(const ParameterMap&, std::string_view id);
bool booleanParameter(const ParameterMap&, std::string_view id);
const std::string& choiceParameter(const ParameterMap&, std::string_view id);

} // namespace kernels
