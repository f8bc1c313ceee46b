// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/ntf_groups.h"
#include "support/runs.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

/// Sweeps of CP-ALS on several devices beside sweeps on one.
namespace test::cp_als {

using namespace kernels;
using test::Prepared;

struct Setting {
    const char* format = "runs";
    Precision precision = Precision::Fp64;
    unsigned rank = 3;
    unsigned threads = 2;
    const char* start = "random";
    std::int64_t evaluateEvery = 1;
    bool deterministic = false;
};

/// Resolved as for the first of the devices.
inline RunConfig configOf(const Setting& setting, const std::vector<DeviceId>& devices, const std::vector<Index>& dims)
{
    RunConfig config;
    config.algorithm = "cp-als";
    config.format = setting.format;
    config.precision = setting.precision;
    config.ranks = {setting.rank};
    config.threads = setting.threads;
    config.deterministic = setting.deterministic;
    config.parameters = {{"start", std::string(setting.start)}, {"evaluate-every", setting.evaluateEvery}, {"ridge", 1e-3}};
    config.devices = {devices.front()};
    config = resolve(config, dims);
    config.devices = devices;
    return config;
}

/// The largest difference of two models' factors and weights.
inline double apart(const Model& one, const Model& other)
{
    double most = ntf::farthest(ntf::factorsOf(one), ntf::factorsOf(other));
    for (std::size_t r = 0; r < one.weights.size(); ++r)
        most = std::max(most, std::abs(one.weights[r] - other.weights[r]));
    return most;
}

/// Nothing where sweeps and what they are told to be worth are the same up to a rounding.
inline QString difference(const Setting& setting, const std::vector<DeviceId>& alone, const std::vector<DeviceId>& together,
                          const SparseTensor& train, const SparseTensor* held, double tolerance)
{
    const Prepared one(configOf(setting, alone, train.dims()), train, held),
        several(configOf(setting, together, train.dims()), train, held);
    RunControl control;
    for (unsigned t = 0; t < 4; ++t) {
        if (one->iterate(t, control).nonzeros != several->iterate(t, control).nonzeros)
            return QStringLiteral("other entries");
        const Quality found = several->evaluate(control), expected = one->evaluate(control);
        const auto other = [&](double there, double here) {
            return !(std::isnan(here) && std::isnan(there)) && !ntf::alike(there, here, tolerance);
        };
        if (found.train.count != expected.train.count || other(found.train.rmse(), expected.train.rmse())
            || other(found.train.mae(), expected.train.mae()) || found.test.count != expected.test.count
            || other(found.test.rmse(), expected.test.rmse()) || other(found.fit, expected.fit)
            || !(std::abs(found.objective - expected.objective) <= tolerance * (1 + double(train.entries()))))
            return QStringLiteral("sweep %1 is worth another").arg(t + 1);
        if (const double off = apart(several->model(Snapshot::Latest), one->model(Snapshot::Latest)); !(off <= tolerance))
            return QStringLiteral("sweep %1: factors are %2 apart").arg(t + 1).arg(off);
        one->rememberBest();
        several->rememberBest();
    }
    if (const double off = apart(several->model(Snapshot::Best), one->model(Snapshot::Best)); !(off <= tolerance))
        return QStringLiteral("the best are %1 apart").arg(off);
    return {};
}

} // namespace test::cp_als
