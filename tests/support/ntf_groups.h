// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/ntf_cases.h"

#include <QtTest>

#include <chrono>
#include <cmath>
#include <thread>

/// Runs of ntf on several devices beside runs on one.
namespace test::ntf {

inline RunConfig onDevices(const Case& c, unsigned rank, Precision precision, const std::vector<DeviceId>& devices,
                           std::uint64_t iterations = 3)
{
    RunConfig config = configOf(c, rank, precision);
    config.devices = devices;
    fixIterations(config, iterations);
    return config;
}

/// Also of errors that a model of few entries hardly makes: values are about 1.
inline bool alike(double one, double other, double tolerance) { return std::abs(one - other) <= tolerance * (1 + std::abs(other)); }

/// What several devices found else than one did: nothing where factors, errors and losses are the same up to a rounding.
inline QString difference(const RunResult& several, const RunResult& one, double tolerance)
{
    const double apart = farthest(factorsOf(several.best), factorsOf(one.best));
    if (!(apart <= tolerance))
        return QStringLiteral("factors %1 apart").arg(apart);
    if (several.history.size() != one.history.size())
        return QStringLiteral("another number of iterations");
    for (std::size_t t = 0; t < one.history.size(); ++t) {
        const IterationRecord &found = several.history[t], &expected = one.history[t];
        if (!alike(found.trainRmse, expected.trainRmse, tolerance) || !alike(found.testRmse, expected.testRmse, tolerance)
            || !alike(found.trainMae, expected.trainMae, tolerance) || !alike(found.objective, expected.objective, tolerance)
            || !alike(found.divergence, expected.divergence, tolerance) || found.nonzeros != expected.nonzeros)
            return QStringLiteral("iteration %1 is another").arg(t + 1);
    }
    return {};
}

/// Entries for two to five modes, with rows that have most of them, none, or more than all devices.
struct GroupShape {
    const char* name;
    std::vector<Index> dims;
    Count entries;
    double shareOfFirst;
};
inline std::vector<GroupShape> groupShapes()
{
    return {{"order 2", {13, 11}, 400, 0.1},
            {"order 3", {13, 11, 9}, 400, 0.1},
            {"order 4", {13, 11, 9, 5}, 400, 0.1},
            {"order 5", {13, 11, 9, 5, 4}, 400, 0.1},
            {"a giant row in every mode", {13, 11, 9}, 400, 0.95},
            {"modes shorter than ranks", {3, 2, 2}, 11, 0},
            {"fewer entries than ranks", {30, 20, 10}, 4, 0},
            {"mostly empty rows", {500, 400, 300}, 60, 0}};
}

/// Rows for the columns shape, precision.
inline void addGroupShapes()
{
    QTest::addColumn<std::size_t>("shape");
    QTest::addColumn<Precision>("precision");
    for (std::size_t i = 0; i < groupShapes().size(); ++i)
        QTest::newRow(groupShapes()[i].name) << i << Precision::Fp64;
    QTest::newRow("fp32") << std::size_t{1} << Precision::Fp32;
}
inline double toleranceFor(Precision precision) { return precision == Precision::Fp64 ? 1e-11 : 2e-4; }

/// A run whose person pauses it after so many milliseconds, lets it go on, and stops it.
inline StopReason pausedAndStopped(const RunConfig& config, const SparseTensor& train, int afterMs, int betweenMs)
{
    RunObserver silent;
    RunControl control;
    std::thread person([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(afterMs));
        control.pause();
        std::this_thread::sleep_for(std::chrono::milliseconds(betweenMs));
        control.resume();
        std::this_thread::sleep_for(std::chrono::milliseconds(betweenMs));
        control.stop();
    });
    const RunResult result = run(config, train, nullptr, silent, control);
    person.join();
    return result.reason;
}

} // namespace test::ntf
