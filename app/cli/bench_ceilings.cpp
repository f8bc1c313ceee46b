// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_ceilings.h"

#include "app/cli/bench_rows.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "kernels/base/registry.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

using nlohmann::ordered_json;

const kernels::ArithmeticRate* Ceilings::arithmeticOf(const kernels::RunConfig& config) const
{
    const auto rates = arithmetic.find(config.precision);
    if (rates == arithmetic.end())
        return nullptr;
    const auto& says = kernels::algorithm(config.algorithm).multipliesOnTensorCores;
    const kernels::ArithmeticRate* fastest = nullptr;
    for (const kernels::ArithmeticRate& rate : rates->second) {
        if (says && says(config) == rate.onTensorCores)
            return &rate;
        if (!fastest || rate.operationsPerSecond > fastest->operationsPerSecond)
            fastest = &rate;
    }
    return fastest;
}

Ceilings measureCeilings(const std::vector<BenchRow>& rows)
{
    kernels::RunControl control;
    const Interrupt::Watch watch(control);
    Ceilings ceilings;
    for (const BenchRow& row : rows) {
        if (!row.measured())
            continue;
        const kernels::RunConfig& config = row.config;
        if (!ceilings.memory)
            ceilings.memory = kernels::measureMemoryBandwidth(config.devices.front(), config.threads, control);
        if (ceilings.arithmetic.count(config.precision) == 0)
            ceilings.arithmetic[config.precision] =
                kernels::measureArithmeticRates(config.devices.front(), config.precision, config.threads, control);
    }
    return ceilings;
}

std::string ceilingsText(const Ceilings& ceilings)
{
    std::string text;
    if (ceilings.memory)
        text += fmt::format("ceiling: memory at {}B/s ({}); GB/s count logical bytes, of which caches may give some\n",
                            bigText(ceilings.memory->bytesPerSecond), ceilings.memory->how);
    for (const auto& [precision, rates] : ceilings.arithmetic)
        for (const kernels::ArithmeticRate& rate : rates)
            text += fmt::format("ceiling: {} arithmetic at {}FLOP/s ({})\n", kernels::toString(precision),
                                bigText(rate.operationsPerSecond), rate.how);
    return text;
}

ordered_json ceilingsJson(const Ceilings& ceilings)
{
    ordered_json json;
    if (ceilings.memory)
        json["memory"] = {{"gb_per_second", ceilings.memory->bytesPerSecond * 1e-9}, {"how", ceilings.memory->how}};
    for (const auto& [precision, rates] : ceilings.arithmetic)
        for (const kernels::ArithmeticRate& rate : rates)
            json["arithmetic"][std::string(kernels::toString(precision))].push_back(
                {{"gflops", rate.operationsPerSecond * 1e-9}, {"tensor_cores", rate.onTensorCores}, {"how", rate.how}});
    return json;
}

} // namespace cli
