// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "kernels/base/run.h"
#include "support/tree_problems.h"

#include <cmath>

using namespace kernels;
namespace oracle = test::oracle;

/// FasterTucker's variants full and bcsf-reuse on their own kernels, normal mode, against the fp64 oracle.
class CudaFasterTuckerTreesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void passesAgreeWithTheOracleWhereverFibresAreCut_data();
    void passesAgreeWithTheOracleWhereverFibresAreCut();
    void deviceMemoryIsWithinTheEstimate();
    void runsTakeTheParameter();
};

namespace {

constexpr std::uint32_t splits[] = {1, 2, 3, 128, 1 << 16};
constexpr const char* variants[] = {"bcsf-reuse", "full"};

test::DeviceRow onGpu(const char* variant) { return {"fastertucker", variant, "bcsf", Precision::Fp64, DeviceId{DeviceKind::Cuda, 0}}; }

/// The CPU's and ones with more than 1024 entries a row, where fibres that begin in one row are worked on together.
std::vector<test::TreeShape> shapes()
{
    std::vector<test::TreeShape> all = test::treeShapes();
    all.push_back({"hot rows", {2, 300, 12}, {5, 4, 6}, 7, 20011});
    all.push_back({"hot rows of 16", {3, 90, 5}, {16, 16, 16}, 16, 6007});
    all.push_back({"hot rows, order 4", {2, 60, 3, 4}, {3, 5, 4, 6}, 5, 9001});
    return all;
}

double largerOrNan(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

/// Of a row of any mode that was off most: by what part of its own move. Rows without entries stay as they were, to the bit.
double offByPartOfMove(const Model& actual, const Model& expected, const Model& start)
{
    double worst = 0;
    for (unsigned n = 0; n < expected.order(); ++n)
        for (std::size_t i = 0; i < expected.factors[n].rows; ++i) {
            double off = 0, moved = 0;
            for (std::size_t j = 0; j < expected.factors[n].columns; ++j) {
                const double to = expected.factors[n].at(i, j), difference = std::abs(actual.factors[n].at(i, j) - to);
                off = largerOrNan(off, difference);
                moved = std::max(moved, std::abs(to - start.factors[n].at(i, j)));
            }
            const double part = off == 0 ? 0 : off / moved;
            worst = largerOrNan(worst, part);
        }
    return worst;
}

/// Of the cores: relative to the largest element of each.
double coresOffBy(const Model& actual, const Model& expected)
{
    Model cores = expected; // with its factors, which are not asked for
    cores.coreFactors = actual.coreFactors;
    return oracle::distance(cores, expected);
}

} // namespace

void CudaFasterTuckerTreesTest::passesAgreeWithTheOracleWhereverFibresAreCut_data()
{
    QTest::addColumn<int>("shape");
    const auto all = shapes();
    for (std::size_t s = 0; s < all.size(); ++s)
        QTest::addRow("%s", all[s].name) << int(s);
}

/// Leaves of a row are renewed in no certain order here. With steps that take a millionth of an error away that matters in a
/// millionth of a row's move, and a leaf that was left out or renewed twice among some hundred would show; rounding is 1e-16 of
/// the row and at most 1e-5 of the least move.
void CudaFasterTuckerTreesTest::passesAgreeWithTheOracleWhereverFibresAreCut()
{
    POLYAD_NEEDS_GPU();
    QFETCH(int, shape);
    const test::TreeProblem p(shapes().at(std::size_t(shape)), true);
    const double rate = p.coreRate(0.02);
    const Model afterCores = p.afterCorePass(oracle::inDoubles(p.start), rate, 0.02, false);
    oracle::FactorStep step = p.step(1e-6);
    step.rowScales = p.rowScales();
    Model expected = afterCores;
    p.factorPass(expected, step);
    for (const char* variant : variants)
        for (const std::uint32_t split : splits) {
            const auto backEnd = p.load(onGpu(variant), formats::limitedTo(split));
            QVERIFY(backEnd);
            RunControl control;
            backEnd->corePass(fasttucker_plus::CorePass{0, rate, 0.02, false}, control);
            backEnd->factorPass(test::passOf(step), control);
            const Model actual = backEnd->model(Snapshot::Latest);
            const auto told = [&](const char* what, double off) {
                return QStringLiteral("%1, split %2: %3 off by %4").arg(variant).arg(split).arg(what).arg(off).toStdString();
            };
            const double off = offByPartOfMove(actual, expected, afterCores), cores = coresOffBy(actual, expected);
            QVERIFY2(off <= 1e-3, told("rows", off).c_str());
            QVERIFY2(cores <= 1e-12, told("cores", cores).c_str()); // some thousand roundings, a fiftieth of which moves a core
        }
}

void CudaFasterTuckerTreesTest::deviceMemoryIsWithinTheEstimate()
{
    POLYAD_NEEDS_GPU();
    const test::TreeProblem p({"", {4000, 60, 9}, {16, 16, 16}, 16, 400'000}, true);
    for (const char* variant : variants)
        for (const std::uint32_t split : splits) {
            RunConfig config = onGpu(variant).config();
            config.ranks = p.shape.ranks;
            config.coreRank = p.shape.coreRank;
            config.parameters["split"] = std::int64_t{split};
            const Count entries = p.train.entries(); // which are the test set as well
            const std::uint64_t promised = algorithm(config.algorithm).estimateMemory(config, {p.shape.dims, entries, entries}).deviceBytes;
            const std::uint64_t taken = p.load(onGpu(variant), formats::limitedTo(split))->memoryUse().deviceBytes;
            QVERIFY2(taken <= promised,
                     qPrintable(QString("%1, split %2: %3, promised %4").arg(variant).arg(split).arg(taken).arg(promised)));
        }
}

/// Where fibres are cut decides in what order a row's entries are seen, so runs end at about the same error.
void CudaFasterTuckerTreesTest::runsTakeTheParameter()
{
    POLYAD_NEEDS_GPU();
    const test::TreeProblem p({"", {600, 40, 9}, {4, 4, 4}, 4, 60'000}, true);
    RunObserver observer;
    for (const char* variant : variants) {
        std::vector<double> errors;
        for (const std::uint32_t split : splits) {
            RunConfig config = onGpu(variant).config();
            config.ranks = {4};
            config.stopping.iterations = 10;
            config.stopping.tolerance = 0;
            config.parameters["split"] = std::int64_t{split};
            RunControl control;
            const RunResult result = run(config, p.train, nullptr, observer, control);
            QCOMPARE(result.failure, std::string());
            QCOMPARE(result.history.size(), std::size_t{10});
            errors.push_back(result.history.back().trainRmse);
        }
        for (const double error : errors)
            QVERIFY2(std::abs(error / errors.front() - 1) < 0.05,
                     qPrintable(QString("%1: %2 and %3").arg(variant).arg(error).arg(errors[0])));
    }
}

QTEST_GUILESS_MAIN(CudaFasterTuckerTreesTest)
#include "tst_cuda_fastertucker_trees.moc"
