// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "kernels/formats/csf.h"
#include "support/runs.h"
#include "support/tolerance.h"
#include "support/tucker_oracle.h"

#include <cmath>

using namespace kernels;
using namespace test::tucker;
using test::runOn;

namespace {

constexpr double rateA = 0.02, rateB = 0.03, lambdaA = 0.4, lambdaB = 0.2;

/// Numbers as they are, so that they can be compared with the formulas.
RunConfig plainConfig(const Problem& problem, const QString& variant, bool doubles, double cap)
{
    RunConfig config;
    config.algorithm = "tucker-sgd";
    config.variant = variant.toStdString();
    config.precision = doubles ? Precision::Fp64 : Precision::Fp32;
    config.ranks = problem.ranks;
    config.devices = {DeviceId{DeviceKind::Cuda, 0}};
    config.parameters = {{"relative-rates", false}, {"learning-rate-a", rateA},      {"learning-rate-b", rateB},
                         {"lambda-a", lambdaA},     {"lambda-b", lambdaB},           {"decay", 0.5},
                         {"mode-balance", 0.0},     {"start", std::string("paper")}, {"step-cap", cap}};
    return config;
}

} // namespace

/// Tucker SGD on a GPU: the formulas in fp64, and what the CPU does.
class CudaTuckerSgdTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void iterationsAreTheFormulas_data() { addProblems(); }
    void iterationsAreTheFormulas()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        const Problem& problem = problems()[std::size_t(number)].second;
        const SparseTensor tensor = tensorOf(problem);
        for (const double cap : {0.0, 0.05}) {
            Begun begun(plainConfig(problem, variant, doubles, cap), tensor);
            for (unsigned t = 0; t < 2; ++t) {
                begun.solver->iterate(t, begun.control);
                const double fading = 1 / (1 + 0.5 * t);
                for (unsigned n = 0; n < tensor.order(); ++n)
                    stepRows(begun.model, tensor, formats::rootedAt(problem.dims, n), rateA * fading, lambdaA, cap);
                stepCore(begun.model, tensor, rateB * fading, lambdaB);
            }
            const Model stepped = begun.solver->model(Snapshot::Latest);
            // An entry's step loses some bits of a row; up to 300 follow one another.
            const double tolerance = doubles ? 1e-11 : 1e-4;
            for (unsigned n = 0; n < tensor.order(); ++n) {
                const double apart = largestDifference(stepped.factors[n], begun.model.factors[n]);
                QVERIFY2(apart < tolerance, qPrintable(QStringLiteral("mode %1: %2").arg(n + 1).arg(apart)));
            }
            for (std::size_t i = 0; i < stepped.core.size(); ++i)
                QVERIFY(std::abs(stepped.core[i] - begun.model.core[i]) < tolerance * 2);
        }
    }

    /// Rows that no device cuts, of every width.
    void errorsAreTheCpus_data()
    {
        QTest::addColumn<std::vector<unsigned>>("ranks");
        for (const std::vector<unsigned>& ranks :
             {std::vector<unsigned>{4, 4, 4}, {8, 8, 8}, {10, 10, 10}, {16, 5, 9}, {17, 30, 3}, {33, 3, 128}})
            QTest::addRow("%u, %u, %u", ranks[0], ranks[1], ranks[2]) << ranks;
    }
    void errorsAreTheCpus()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(std::vector<unsigned>, ranks);
        const SyntheticProblem problem = test::plantedProblem({90, 70, 50}, 12000, 3, 0.1);
        const auto ran = [&](DeviceKind kind) {
            RunConfig config;
            config.algorithm = "tucker-sgd";
            config.precision = Precision::Fp64;
            config.ranks = ranks;
            config.devices = {DeviceId{kind, 0}};
            test::fixIterations(config, 5);
            return runOn(config, problem.train, &problem.test);
        };
        const RunResult gpu = ran(DeviceKind::Cuda), cpu = ran(DeviceKind::Cpu);
        for (std::size_t i = 0; i < 5; ++i) {
            QVERIFY(std::abs(gpu.history[i].trainRmse - cpu.history[i].trainRmse) <= 1e-8 * cpu.history[i].trainRmse);
            QVERIFY(std::abs(gpu.history[i].testRmse - cpu.history[i].testRmse) <= 1e-8 * cpu.history[i].testRmse);
        }
    }

    /// Narrow rows are cut without loss: what their pieces do one after another is what the entries do.
    void longRowsTakeTheirEntriesInTurn_data()
    {
        QTest::addColumn<std::vector<unsigned>>("ranks");
        QTest::addColumn<QString>("variant");
        QTest::addColumn<bool>("doubles");
        for (const std::vector<unsigned>& ranks :
             {std::vector<unsigned>{3, 5, 2}, {8, 8, 8}, {9, 8, 6}, {16, 9, 11}, {21, 4, 5}, {32, 3, 4}})
            for (const char* variant : {"direct", "cached"})
                for (const bool doubles : {true, false})
                    QTest::addRow("%u, %u, %u, %s, %s", ranks[0], ranks[1], ranks[2], variant, doubles ? "fp64" : "fp32")
                        << ranks << variant << doubles;
    }
    void longRowsTakeTheirEntriesInTurn()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(std::vector<unsigned>, ranks);
        QFETCH(QString, variant);
        QFETCH(bool, doubles);
        const Problem problem{{3, 70, 90}, ranks, 9000, 0.1};
        const SparseTensor tensor = tensorOf(problem);
        for (const double cap : {0.0, 0.05}) {
            RunConfig config = plainConfig(problem, variant, doubles, cap);
            config.parameters["learning-rate-a"] = 0.002;
            Begun begun(config, tensor);
            begun.solver->iterate(0, begun.control);
            for (unsigned n = 0; n < 3; ++n)
                stepRows(begun.model, tensor, formats::rootedAt(problem.dims, n), 0.002, lambdaA, cap);
            const Model stepped = begun.solver->model(Snapshot::Latest);
            for (unsigned n = 0; n < 3; ++n) {
                const double apart = largestDifference(stepped.factors[n], begun.model.factors[n]);
                QVERIFY2(apart < (doubles ? 1e-10 : 1e-3), qPrintable(QStringLiteral("mode %1: %2").arg(n + 1).arg(apart)));
            }
        }
    }

    /// Products in tf32 keep ten bits of a number.
    void tensorCoresComeClose_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<std::vector<unsigned>>("ranks");
        for (const Precision precision : {Precision::Tf32, Precision::Fp16, Precision::Bf16}) {
            const std::string name(toString(precision));
            const auto row = [&](const char* what) -> QTestData& { return QTest::addRow("%s, %s", what, name.c_str()) << int(precision); };
            row("order 3") << std::vector<Index>{40, 30, 20} << std::vector<unsigned>{16, 16, 16};
            row("order 3, uneven") << std::vector<Index>{40, 30, 20} << std::vector<unsigned>{10, 9, 7};
            row("a wide row") << std::vector<Index>{40, 30, 20} << std::vector<unsigned>{3, 20, 50};
            row("order 4") << std::vector<Index>{20, 15, 12, 10} << std::vector<unsigned>{5, 8, 7, 8};
            row("order 6") << std::vector<Index>(6, 9) << std::vector<unsigned>{4, 3, 5, 2, 4, 3};
        }
    }
    void tensorCoresComeClose()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, precision);
        QFETCH(std::vector<Index>, dims);
        QFETCH(std::vector<unsigned>, ranks);
        const Problem problem{dims, ranks, 700, 0};
        const SparseTensor tensor = tensorOf(problem);
        const auto stepped = [&](Precision chosen) {
            RunConfig config = plainConfig(problem, "direct", false, 0.05);
            config.precision = chosen;
            Begun begun(config, tensor);
            begun.solver->iterate(0, begun.control);
            return begun.solver->model(Snapshot::Latest);
        };
        const Model tensorCores = stepped(Precision(precision)), plain = stepped(Precision::Fp32);
        double most = 0;
        for (unsigned n = 0; n < tensor.order(); ++n)
            most = std::max(most, largestDifference(tensorCores.factors[n], plain.factors[n]));
        const double roundOff = test::operandRoundOff(Precision(precision));
        QVERIFY2(most < 10 * roundOff && most > 1e-7, qPrintable(QString::number(most))); // nothing apart: they were not used
    }

    /// Its pieces are brought together in their order.
    void aCutRowHasTheSameBitsAndLearns()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor tensor = test::skewedTensor({3, 400, 3000}, 300000, 0.5, 5);
        RunConfig config;
        config.algorithm = "tucker-sgd";
        config.ranks = {9};
        config.devices = {DeviceId{DeviceKind::Cuda, 0}};
        test::fixIterations(config, 6);
        const RunResult one = runOn(config, tensor), two = runOn(config, tensor);
        QVERIFY(one.best.core == two.best.core);
        for (unsigned n = 0; n < 3; ++n)
            QVERIFY(one.best.factors[n].data == two.best.factors[n].data);
        QVERIFY(one.history.back().trainRmse <= one.history.front().trainRmse);
    }
};

QTEST_GUILESS_MAIN(CudaTuckerSgdTest)
#include "tst_cuda_tucker_sgd.moc"
