// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/random.h"
#include "support/cp_oracle.h"

#include <string>

/// Runs of cp-completion-als and cp-ccd on whatever device they name, and what is wrong with them: nothing where a text is empty.
namespace test::cp {

/// Algorithms that solve least squares of rows.
inline const std::vector<const char*>& ridgeAlgorithms()
{
    static const std::vector<const char*> all{"cp-completion-als", "cp-ccd"};
    return all;
}

inline double penaltyFor(bool weighted) { return weighted ? 0.05 : 0.7; }

/// Numbers as they are, so that they can be compared with the formulas.
inline kernels::RunConfig plainConfig(const QString& algorithm, const Problem& problem, bool doubles, bool weighted,
                                      kernels::DeviceKind kind)
{
    kernels::RunConfig config;
    config.algorithm = algorithm.toStdString();
    config.precision = doubles ? kernels::Precision::Fp64 : kernels::Precision::Fp32;
    config.ranks = {problem.rank};
    config.devices = {kernels::DeviceId{kind, 0}};
    config.parameters = {
        {"penalty", penaltyFor(weighted)}, {"relative-penalty", false}, {"regularisation", std::string(weighted ? "weighted" : "plain")}};
    return config;
}

inline void addAlgorithms()
{
    QTest::addColumn<QString>("algorithm");
    for (const char* id : ridgeAlgorithms())
        QTest::addRow("%s", id) << id;
}

/// Rows for the columns number, doubles, weighted.
inline void addProblems(const std::vector<std::pair<const char*, Problem>>& of)
{
    QTest::addColumn<int>("number");
    QTest::addColumn<bool>("doubles");
    QTest::addColumn<bool>("weighted");
    for (std::size_t i = 0; i < of.size(); ++i)
        for (const bool doubles : {true, false})
            for (const bool weighted : {true, false})
                QTest::addRow("%s, %s, %s", of[i].first, doubles ? "fp64" : "fp32", weighted ? "weighted" : "plain")
                    << int(i) << doubles << weighted;
}

/// Rows for the columns algorithm, number, doubles, weighted, penalty.
inline void addPenalties()
{
    QTest::addColumn<QString>("algorithm");
    QTest::addColumn<int>("number");
    QTest::addColumn<bool>("doubles");
    QTest::addColumn<bool>("weighted");
    QTest::addColumn<double>("penalty");
    for (const char* id : ridgeAlgorithms())
        for (std::size_t i = 0; i < problems().size(); ++i)
            for (const bool doubles : {true, false})
                for (const bool weighted : {true, false})
                    for (const double penalty : {0.0, 0.01, 3.0})
                        QTest::addRow("%s, %s, %s, %s, penalty %g", id, problems()[i].first, doubles ? "fp64" : "fp32",
                                      weighted ? "weighted" : "plain", penalty)
                            << id << int(i) << doubles << weighted << penalty;
}

/// Rows and objective beside those of the formulas, which begun.model has. rows: how far apart they may be.
inline QString differenceFromFormulas(Begun& begun, const kernels::SparseTensor& tensor, const Penalty& penalty, double rows, bool doubles)
{
    const double apart = largestDifference(begun.solver->model(kernels::Snapshot::Latest), begun.model);
    if (!(apart < rows))
        return QStringLiteral("rows are %1 apart").arg(apart);
    const double objective = begun.solver->evaluate(begun.control).objective, expected = loss(begun.model, tensor, penalty);
    if (!(std::abs(objective - expected) < (doubles ? 1e-8 : 1e-3) * expected))
        return QStringLiteral("objective %1, not %2").arg(objective).arg(expected);
    return {};
}

/// Two sweeps. Fp32: equations are added up in single precision, and a row of them loses up to their condition (below 10⁴ here).
inline QString differenceOfAls(Begun& begun, const kernels::SparseTensor& tensor, const Penalty& penalty, bool doubles)
{
    for (unsigned t = 0; t < 2; ++t) {
        begun.solver->iterate(t, begun.control);
        for (unsigned n = 0; n < tensor.order(); ++n)
            renewRows(begun.model, tensor, n, penalty, 0, begun.model.coreRank);
    }
    return differenceFromFormulas(begun, tensor, penalty, doubles ? 1e-8 : 2e-3, doubles);
}

/// Two iterations: columns of a subset together, against what the others leave.
inline QString differenceOfCcd(Begun& begun, const kernels::SparseTensor& tensor, const Penalty& penalty, unsigned columns, unsigned sweeps,
                               bool doubles)
{
    const unsigned rank = begun.model.coreRank;
    for (unsigned t = 0; t < 2; ++t) {
        begun.solver->iterate(t, begun.control);
        for (unsigned first = 0; first < rank; first += columns)
            for (unsigned sweep = 0; sweep < sweeps; ++sweep)
                for (unsigned n = 0; n < tensor.order(); ++n)
                    renewRows(begun.model, tensor, n, penalty, first, std::min(columns, rank - first));
    }
    // up to four sweeps, each of which may lose as much as one of ALS
    const QString difference = differenceFromFormulas(begun, tensor, penalty, doubles ? 1e-8 : 8e-3, doubles);
    return difference.isEmpty() ? difference : QStringLiteral("%1 columns, %2 sweeps: %3").arg(columns).arg(sweeps).arg(difference);
}

inline double sumOfSquares(const kernels::SparseTensor& tensor)
{
    double squares = 0;
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        squares += tensor.value(e) * tensor.value(e);
    return squares;
}

/// Rows are rounded after they are solved for, the objective when it is added up; what is fitted to nothing is rounding alone.
inline QString riseOfObjective(const kernels::RunResult& result, const kernels::SparseTensor& tensor, bool doubles)
{
    const double rounding = (doubles ? 1e-12 : 2e-6) * sumOfSquares(tensor);
    for (std::size_t i = 1; i < result.history.size(); ++i) {
        const double before = result.history[i - 1].objective, after = result.history[i].objective;
        if (!(after <= before * (1 + (doubles ? 1e-12 : 2e-6)) + rounding))
            return QStringLiteral("%1: %2 after %3").arg(i).arg(after, 0, 'g', 12).arg(before, 0, 'g', 12);
    }
    return std::isfinite(result.history.back().objective) ? QString() : QStringLiteral("the last is no number");
}

/// Squares of whose products overflow in single precision.
inline kernels::SparseTensor hugeTensor()
{
    kernels::SparseTensor tensor = skewedTensor({10, 9, 8}, 300, 0, 3);
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        tensor.setValue(e, 1e30 * (1 + 8 * kernels::random::uniform(1, 0, e)));
    return tensor;
}

/// Three iterations are made of it, with errors that are numbers.
inline QString problemOfOverflow(kernels::RunConfig config)
{
    config.parameters = {{"relative-penalty", false}, {"shrink-to", std::string("zero")}};
    fixIterations(config, 3);
    const kernels::RunResult result = runOn(config, hugeTensor());
    if (result.history.size() != 3)
        return QStringLiteral("%1 iterations").arg(result.history.size());
    for (const kernels::IterationRecord& row : result.history)
        if (!std::isfinite(row.trainRmse))
            return QStringLiteral("an error is no number");
    return {};
}

} // namespace test::cp
