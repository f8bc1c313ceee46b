// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/divergence_choice.h"

#include "kernels/base/registry.h"

#include <algorithm>

namespace app {
namespace {

constexpr const char* parameterId = "divergence";
constexpr const char* leftToTheValues = "auto";

} // namespace

bool leavesDivergence(const kernels::RunConfig& config)
{
    const auto& all = kernels::algorithms();
    const auto info = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.id == config.algorithm; });
    const kernels::ParameterSpec* const spec = info == all.end() ? nullptr : info->parameter(parameterId);
    if (!spec || std::find(spec->choices.begin(), spec->choices.end(), leftToTheValues) == spec->choices.end())
        return false;
    const auto chosen = config.parameters.find(parameterId);
    return (chosen == config.parameters.end() ? spec->defaultValue : chosen->second)
        == kernels::ParameterValue(std::string(leftToTheValues));
}

kernels::DivergenceAdvice divergenceAdvice(const OpenTensor& tensor)
{
    const kernels::TensorStatistics& statistics = tensor.statistics;
    return statistics.sortedSample.empty() ? kernels::adviseDivergence(tensor.tensor)
                                           : kernels::adviseDivergence(statistics.sortedSample, statistics.zeros > 0);
}

kernels::RunConfig withDivergence(kernels::RunConfig config, const OpenTensor& tensor)
{
    if (leavesDivergence(config))
        config.parameters[parameterId] = std::string(kernels::toString(divergenceAdvice(tensor).divergence));
    return config;
}

} // namespace app
