// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/visiting_order.h"
#include "support/cp_oracle.h"

/// Runs of cp-sgd on whatever device they name.
namespace test::cp {

inline kernels::RunConfig sgdConfig(unsigned rank, bool doubles, kernels::DeviceKind kind)
{
    kernels::RunConfig config;
    config.algorithm = "cp-sgd";
    config.precision = doubles ? kernels::Precision::Fp64 : kernels::Precision::Fp32;
    config.ranks = {rank};
    config.devices = {kernels::DeviceId{kind, 0}};
    return config;
}

inline void addPrecisions()
{
    QTest::addColumn<bool>("doubles");
    QTest::addRow("fp64") << true;
    QTest::addRow("fp32") << false;
}

/// Entries as iteration t visits them.
inline std::vector<kernels::Count> visited(kernels::Count entries, std::uint64_t seed, std::uint64_t t)
{
    const kernels::fasttucker_plus::Permutation stored = kernels::fasttucker_plus::loadOrder(entries, seed);
    const kernels::fasttucker_plus::VisitingOrder order = kernels::fasttucker_plus::visitingOrder(entries, seed, t);
    std::vector<kernels::Count> result;
    for (kernels::Count v = 0; v < entries; ++v)
        result.push_back(stored.at(order.at(v)));
    return result;
}

/// Two iterations of one worker, whose order is known, with and without a cap, beside the formulas: what is wrong, nothing where the text
/// is empty. allowed: how far apart rows may be.
inline QString differenceOfSgd(kernels::RunConfig config, const kernels::SparseTensor& tensor, double allowed)
{
    constexpr double rate = 0.003, lambda = 0.4, decay = 0.5;
    for (const double cap : {0.0, 0.02}) {
        config.parameters = {{"relative-rates", false}, {"learning-rate-a", rate}, {"lambda-a", lambda},
                             {"decay", decay},          {"mode-balance", 0.0},     {"step-cap", cap}};
        Begun begun(config, tensor);
        const kernels::Model start = begun.model;
        for (unsigned t = 0; t < 2; ++t) {
            begun.solver->iterate(t, begun.control);
            const std::vector<double> rates(tensor.order(), rate / (1 + decay * t));
            stepRows(begun.model, tensor, visited(tensor.entries(), begun.config.seed, t), rates, lambda, cap);
        }
        const double apart = largestDifference(begun.solver->model(kernels::Snapshot::Latest), begun.model);
        if (!(apart < allowed))
            return QStringLiteral("cap %1: %2").arg(cap).arg(apart);
        if (!(largestDifference(start, begun.model) > 1e-3))
            return QStringLiteral("it went nowhere");
    }
    return {};
}

} // namespace test::cp
