// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_json.h"

#include "app/cli/command.h"

#include "io/baselines_json.h"

#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace cli {
namespace {

using nlohmann::ordered_json;

void addMeasured(ordered_json& object, std::initializer_list<std::pair<const char*, double>> numbers)
{
    for (const auto& [key, value] : numbers)
        if (!std::isnan(value))
            object[key] = value;
}

ordered_json settingsJson(const std::string& tensor, const kernels::RunResult& result)
{
    const kernels::RunConfig& config = result.config;
    return {{"tensor", tensor},
            {"model", kernels::toString(kernels::algorithm(config.algorithm).model)},
            {"algorithm", config.algorithm},
            {"variant", config.variant},
            {"precision", kernels::toString(config.precision)},
            {"devices", kernels::toString(config.devices)},
            {"ranks", config.ranks},
            {"core_rank", config.effectiveCoreRank()},
            {"seed", config.seed},
            {"nnz_train", result.trainEntries},
            {"nnz_test", result.testEntries}};
}

} // namespace

std::string runJson(const std::string& tensor, const app::RunOutcome& outcome, double wallSeconds,
                    const std::vector<std::pair<std::string, std::string>>& written, const std::vector<kernels::StageTime>& stages)
{
    const kernels::RunResult& result = outcome.result;
    ordered_json object = settingsJson(tensor, result);
    object["stop_reason"] = kernels::toString(result.reason);
    if (!result.failure.empty())
        object["failure"] = result.failure;
    object["iterations"] = result.history.size();
    object["best_iteration"] = result.bestIteration;
    for (const kernels::IterationRecord& best : result.history)
        if (best.iteration == result.bestIteration)
            addMeasured(object,
                        {{"train_rmse", best.trainRmse},
                         {"train_mae", best.trainMae},
                         {"test_rmse", best.testRmse},
                         {"test_mae", best.testMae},
                         {"fit", best.fit},
                         {"divergence", best.divergence},
                         {"test_divergence", best.testDivergence},
                         {"loss", best.objective}});
    if (outcome.baselines)
        object["baselines"] = ordered_json::parse(io::toJson(*outcome.baselines));
    object["seconds"] = {{"compute", result.history.empty() ? 0 : result.history.back().elapsed}, {"wall", wallSeconds}};
    object["timings"] = ordered_json::array();
    for (const kernels::StageTime& stage : stages)
        object["timings"].push_back({{"stage", stage.name},
                                     {"begin", std::chrono::duration<double>(stage.began - programStart()).count()},
                                     {"seconds", stage.seconds},
                                     {"beside", stage.beside}});
    object["memory_bytes"] = {{"host", result.memory.hostBytes}, {"device", result.memory.deviceBytes}};
    object["written"] = ordered_json::object();
    for (const auto& [what, file] : written)
        object["written"][what] = file;
    return object.dump(2) + '\n';
}

} // namespace cli
