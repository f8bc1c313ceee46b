// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/baselines_json.h"

#include "io/json_text.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <utility>

namespace io {
namespace {

using Json = nlohmann::ordered_json;
using Errors = kernels::BaselineErrors;

constexpr std::array<std::pair<const char*, double Errors::*>, 5> fields{{{"test_rmse", &Errors::testRmse},
                                                                          {"test_mae", &Errors::testMae},
                                                                          {"train_rmse", &Errors::trainRmse},
                                                                          {"train_mae", &Errors::trainMae},
                                                                          {"fit", &Errors::fit}}};
constexpr std::array<std::pair<const char*, Errors kernels::Baselines::*>, 2> kinds{
    {{"mean", &kernels::Baselines::mean}, {"additive", &kernels::Baselines::additive}}};

} // namespace

std::string toJson(const kernels::Baselines& baselines)
{
    Json json = Json::object();
    for (const auto& [kind, errors] : kinds) {
        json[kind] = Json::object();
        for (const auto& [name, number] : fields)
            if (std::isfinite((baselines.*errors).*number))
                json[kind][name] = (baselines.*errors).*number;
    }
    return json.dump();
}

kernels::Baselines baselinesFromJson(std::string_view text, const std::string& where)
{
    const Json json = parseJson(text, where);
    kernels::Baselines baselines;
    for (const auto& [kind, errors] : kinds)
        for (const auto& [name, number] : fields)
            if (json.is_object() && json.contains(kind) && json[kind].is_object() && json[kind].contains(name)
                && json[kind][name].is_number())
                (baselines.*errors).*number = json[kind][name].get<double>();
    return baselines;
}

} // namespace io
