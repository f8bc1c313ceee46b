// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "kernels/base/error.h"
#include "kernels/models/contraction.h"
#include "kernels/operations/evaluate.h"
#include "support/runs.h"
#include "support/tucker_oracle.h"

#include <cmath>

using namespace kernels;
using test::runOn;
using namespace test::tucker;

namespace {

/// Numbers as they are, so that they can be compared with the formulas.
RunConfig plainConfig(const Problem& problem, const QString& variant, bool doubles, DeviceKind kind = DeviceKind::Cuda)
{
    RunConfig config;
    config.algorithm = "tucker-als";
    config.variant = variant.toStdString();
    config.precision = doubles ? Precision::Fp64 : Precision::Fp32;
    config.ranks = problem.ranks;
    config.devices = {DeviceId{kind, 0}};
    config.parameters = {{"penalty", 0.7}, {"relative-penalty", false}, {"core", std::string("kept")}, {"shrink-to", std::string("zero")}};
    test::fixIterations(config, 1);
    return config;
}

/// Beside the oracle's small ones: rows of a warp and of a block, tiles that are not full, tables, entries of many blocks, cut rows.
const std::vector<std::pair<const char*, Problem>>& largerProblems()
{
    static const std::vector<std::pair<const char*, Problem>> all{
        {"eight", {{300, 170, 90}, {8, 8, 8}, 20000, 0.05}},
        {"ten", {{300, 170, 90}, {10, 10, 10}, 20000, 0.05}},
        {"sixteen", {{60, 170, 90}, {16, 16, 16}, 20000, 0.05}},
        {"one more than a warp's", {{60, 170, 90}, {17, 13, 20}, 20000, 0.05}},
        {"thirty-two", {{60, 170, 90}, {32, 32, 32}, 20000, 0.05}},
        {"one wide row", {{20, 70, 90}, {128, 3, 5}, 20000, 0}},
        {"two wide rows", {{20, 70, 90}, {2, 65, 127}, 3000, 0}},
        {"all entries in one row, cut", {{1, 90, 70}, {9, 8, 6}, 30000, 0}},
        {"cut rows among empty ones", {{900, 3, 2000}, {5, 7, 4}, 30000, 0.4}},
        {"rows of one entry", {{9000, 8000, 7000}, {6, 8, 4}, 3000, 0}},
        {"order 2, cut", {{2, 3000}, {7, 11}, 30000, 0.3}},
        {"order 4, four", {{40, 30, 20, 10}, {4, 4, 4, 4}, 20000, 0.1}},
        {"order 4, tables", {{40, 30, 20, 10}, {3, 9, 10, 11}, 20000, 0.1}},
        {"order 6", {std::vector<Index>(6, 8), {4, 3, 5, 2, 4, 3}, 5000, 0.1}},
        {"order 8", {std::vector<Index>(8, 6), std::vector<unsigned>(8, 3), 2000, 0.1}},
        {"order 10, ranks of 3", {std::vector<Index>(10, 4), std::vector<unsigned>(10, 3), 500, 0.1}},
    };
    return all;
}

/// Root of the mean square of the difference, at some of a tensor's entries, over that of the second's.
double predictionsApart(const Model& one, const Model& other, const SparseTensor& at)
{
    CoreContraction first(one), second(other);
    double difference = 0, size = 0;
    std::vector<Index> index(at.order());
    for (Count e = 0; e < at.entries(); e += 1 + at.entries() / 2000) {
        for (unsigned n = 0; n < at.order(); ++n)
            index[n] = at.indices[n][e];
        const double expected = second(index);
        difference += std::pow(first(index) - expected, 2);
        size += expected * expected;
    }
    return std::sqrt(difference / size);
}

void addLargerProblems()
{
    QTest::addColumn<int>("number");
    QTest::addColumn<QString>("variant");
    QTest::addColumn<bool>("doubles");
    for (std::size_t i = 0; i < largerProblems().size(); ++i)
        for (const char* variant : {"direct", "cached"})
            for (const bool doubles : {true, false})
                QTest::addRow("%s, %s, %s", largerProblems()[i].first, variant, doubles ? "fp64" : "fp32") << int(i) << variant << doubles;
}

} // namespace

/// Tucker ALS on a GPU: the formulas in fp64 and, where they take too long, what the CPU does, which is held against them.
class CudaTuckerAlsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Fp32: equations are added up in single precision, and a row of them loses up to their condition (below 10⁴ here).
    void aSweepIsTheFormulas_data() { addProblems(); }
    void aSweepIsTheFormulas()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        Begun begun(plainConfig(problem, variant, doubles), tensor);
        begun.solver->iterate(0, begun.control);
        for (unsigned n = 0; n < tensor.order(); ++n)
            renewRows(begun.model, tensor, n, 0.7, Eigen::VectorXd::Zero(problem.ranks[n]));
        const Model swept = begun.solver->model(Snapshot::Latest);
        for (unsigned n = 0; n < tensor.order(); ++n) {
            const double apart = largestDifference(swept.factors[n], begun.model.factors[n]);
            QVERIFY2(apart < (doubles ? 1e-9 : 2e-3), qPrintable(QStringLiteral("mode %1: %2").arg(n + 1).arg(apart)));
        }
        QVERIFY(swept.core == begun.model.core);
    }

    /// So many steps of conjugate gradients as the core has numbers reach the minimum, whatever they are preconditioned by.
    void theFittedCoreIsTheBest_data() { addProblems(200); } // the oracle's matrix is of so many rows
    void theFittedCoreIsTheBest()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        RunConfig config = plainConfig(problem, variant, doubles);
        config.parameters["core"] = std::string("fitted");
        config.parameters["core-steps"] = std::int64_t{60};
        Begun begun(config, tensor);
        begun.solver->iterate(0, begun.control);
        const Model fitted = begun.solver->model(Snapshot::Latest);
        const Eigen::VectorXd best = bestCore(fitted, tensor, 0.7, 0);
        const Eigen::Map<const Eigen::VectorXd> core(fitted.core.data(), best.size());
        QVERIFY2((core - best).norm() < (doubles ? 1e-6 : 5e-3) * best.norm(),
                 qPrintable(QStringLiteral("%1 of %2").arg((core - best).norm()).arg(best.norm())));
    }

    /// Rows of one sweep by what they predict, which no scale of theirs enters; core, objective and errors of two with a fitted core.
    void larger_data() { addLargerProblems(); }
    void larger()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        const Problem& problem = largerProblems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        const SparseTensor held = test::skewedTensor(problem.dims, 200, 0, 6);
        const auto ran = [&](DeviceKind kind, const char* core, std::uint64_t sweeps) {
            RunConfig config = plainConfig(problem, variant, doubles, kind);
            config.parameters["core"] = std::string(core);
            test::fixIterations(config, sweeps);
            return runOn(config, tensor, &held);
        };
        const double apart = predictionsApart(ran(DeviceKind::Cuda, "kept", 1).best, ran(DeviceKind::Cpu, "kept", 1).best, tensor);
        QVERIFY2(apart < (doubles ? 1e-9 : 2e-3), qPrintable(QString::number(apart)));

        const RunResult gpu = ran(DeviceKind::Cuda, "fitted", 2), cpu = ran(DeviceKind::Cpu, "fitted", 2);
        const double allowed = doubles ? 1e-7 : 5e-3;
        for (std::size_t i = 0; i < 2; ++i) {
            const IterationRecord &there = gpu.history[i], &here = cpu.history[i];
            const QString numbers =
                QStringLiteral("sweep %1: %2, the CPU %3").arg(i + 1).arg(there.objective, 0, 'g', 10).arg(here.objective, 0, 'g', 10);
            QVERIFY2(std::abs(there.objective - here.objective) <= allowed * here.objective, qPrintable(numbers));
            QVERIFY2(std::abs(there.trainRmse - here.trainRmse) <= allowed * here.trainRmse, qPrintable(numbers));
        }
        const IterationRecord& best = gpu.history[gpu.bestIteration - 1];
        const double rounding = doubles ? 1e-9 : 1e-5;
        QVERIFY(std::abs(best.trainRmse - evaluateModel(gpu.best, tensor).rmse()) <= rounding * best.trainRmse);
        QVERIFY(std::abs(best.trainMae - evaluateModel(gpu.best, tensor).mae()) <= rounding * best.trainMae);
        QVERIFY(std::abs(best.testRmse - evaluateModel(gpu.best, held).rmse()) <= rounding * best.testRmse);
    }

    /// Values that are worked on in a unit of their own, and rows that are drawn to the mean's.
    void defaultsAreTheCpus()
    {
        POLYAD_NEEDS_GPU();
        SyntheticProblem problem = test::plantedProblem({60, 50, 40}, 8000, 3, 0.1);
        for (Count e = 0; e < problem.train.entries(); ++e)
            problem.train.setValue(e, 700 * (problem.train.value(e) + 4));
        const auto ran = [&](DeviceKind kind) {
            RunConfig config;
            config.algorithm = "tucker-als";
            config.precision = Precision::Fp64;
            config.ranks = {4};
            config.devices = {DeviceId{kind, 0}};
            test::fixIterations(config, 5);
            return runOn(config, problem.train);
        };
        const RunResult gpu = ran(DeviceKind::Cuda), cpu = ran(DeviceKind::Cpu);
        for (std::size_t i = 0; i < 5; ++i)
            QVERIFY(std::abs(gpu.history[i].objective - cpu.history[i].objective) <= 1e-7 * cpu.history[i].objective);
    }

    void theObjectiveNeverRises_data() { addProblems(); }
    void theObjectiveNeverRises()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        double squares = 0;
        for (Count e = 0; e < tensor.entries(); ++e)
            squares += tensor.value(e) * tensor.value(e);
        for (const double penalty : {0.0, 0.01}) {
            RunConfig config = plainConfig(problem, variant, doubles);
            config.parameters = {{"penalty", penalty}};
            test::fixIterations(config, 25);
            const RunResult result = runOn(config, tensor);
            const double rounding = (doubles ? 1e-12 : 2e-6) * squares;
            for (std::size_t i = 1; i < result.history.size(); ++i) {
                const double before = result.history[i - 1].objective, after = result.history[i].objective;
                QVERIFY2(after <= before + rounding,
                         qPrintable(QStringLiteral("%1: %2 after %3").arg(i).arg(after, 0, 'g', 12).arg(before, 0, 'g', 12)));
            }
            QVERIFY(result.history.back().objective < squares);
        }
    }

    void sameBitsTwice()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor tensor = test::skewedTensor({3, 400, 30000}, 300000, 0.5, 5);
        for (const unsigned rank : {9u, 20u}) {
            RunConfig config = plainConfig({{}, {rank}, 0, 0}, "cached", false);
            config.parameters = {};
            test::fixIterations(config, 3);
            const RunResult one = runOn(config, tensor), two = runOn(config, tensor);
            QVERIFY(one.best.core == two.best.core);
            for (unsigned n = 0; n < 3; ++n)
                QVERIFY(one.best.factors[n].data == two.best.factors[n].data);
            QCOMPARE(one.history.back().trainRmse, two.history.back().trainRmse);
        }
    }

    void tooLittleMemoryIsAnAnswer()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor tensor = test::skewedTensor({600, 200, 50}, 40000, 0, 10);
        RunConfig config = plainConfig({{}, {16}, 0, 0}, "cached", false);
        config.memoryLimit = 1; // what is promised then is the least there is
        const std::uint64_t least =
            algorithm(config.algorithm).estimateMemory(resolve(config, tensor.dims()), {tensor.dims(), tensor.entries(), 0}).deviceBytes;
        config.memoryLimit = least - 1;
        QVERIFY_EXCEPTION_THROWN(runOn(config, tensor), OutOfMemory);
        config.memoryLimit = least;
        const RunResult result = runOn(config, tensor);
        QVERIFY(!result.variantNote.empty()); // no room for a table
        QVERIFY(result.memory.deviceBytes <= least);
    }
};

QTEST_GUILESS_MAIN(CudaTuckerAlsTest)
#include "tst_cuda_tucker_als.moc"
