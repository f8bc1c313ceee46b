// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "plus_oracle.h"
#include "plus_problem.h"

#include "kernels/base/error.h"

#include <cmath>

using namespace kernels;
using namespace kernels::fasttucker_plus;

/// The passes of the CUDA back end one by one, against plain fp64 loops.
class CudaPlusPassesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void passesAgreeWithTheOracle_data();
    void passesAgreeWithTheOracle();
    void manyEntriesAreEvaluatedByProjectedRows_data() { passesAgreeWithTheOracle_data(); }
    void manyEntriesAreEvaluatedByProjectedRows();
    void twoRunsGiveTheSameBits();
    void storedProjectionsGiveTheSameCores();
    void normalModeLosesNoUpdate();
    void nonnegativeClipsEveryRow();
    void bestModelIsKept();
    void wantingTooMuchMemoryIsAnAnswer();
};

using test::factorPass;
using test::makeCuda;
using test::tamedModel;

void CudaPlusPassesTest::passesAgreeWithTheOracle_data()
{
    QTest::addColumn<int>("precision");
    QTest::addColumn<std::vector<unsigned>>("ranks");
    QTest::addColumn<unsigned>("coreRank");
    const auto add = [](const char* name, const std::vector<unsigned>& ranks, unsigned coreRank) {
        for (const Precision precision : {Precision::Fp32, Precision::Fp64})
            QTest::addRow("%s, %s", name, std::string(toString(precision)).c_str()) << int(precision) << ranks << coreRank;
    };
    for (unsigned order = 2; order <= 10; ++order)
        add(qPrintable(QString("order %1, ranks 1 to 5").arg(order)), {1, 5, 3, 4, 2, 5, 1, 3, 4, 2}, 4);
    for (unsigned size : {16U, 32U, 64U, 128U})
        add(qPrintable(QString("specialised %1").arg(size)), {size, size, size}, size);
    add("padded to 16", {13, 16, 9}, 15);
    add("padded to 32", {31, 17, 20}, 25);
    add("padded to 64", {63, 49, 50}, 61);
    add("padded to 128", {127, 113, 128}, 116);
    add("uneven", {20, 7, 40}, 33);
    add("wide core", {3, 4}, 100);
    add("narrow core", {100, 40, 17, 3}, 2);
    add("order 2 of 32", {32, 32}, 32);
    add("order 5 of 16", {16, 16, 16, 16, 16}, 16);
    add("order 9 of 32", {32, 32, 32, 32, 32, 32, 32, 32, 32}, 32);
    add("order 16 of 128", std::vector<unsigned>(16, 128), 128);
}

namespace {
/// Rows of the data that are named by it.
void cutToOrder(std::vector<unsigned>& ranks)
{
    const QString name = QTest::currentDataTag();
    if (name.startsWith("order ") && name.contains("ranks"))
        ranks.resize(name.section(',', 0, 0).section(' ', 1, 1).toUInt());
}
} // namespace

void CudaPlusPassesTest::passesAgreeWithTheOracle()
{
    POLYAD_NEEDS_GPU();
    QFETCH(int, precision);
    QFETCH(std::vector<unsigned>, ranks);
    QFETCH(unsigned, coreRank);
    cutToOrder(ranks);
    const bool doubles = Precision(precision) == Precision::Fp64;
    const auto order = unsigned(ranks.size());

    const auto dims = test::dimsOfOrder(order);
    const Count entries = order * ranks[0] > 500 ? 70 : 300;
    const SparseTensor train = test::randomTensor(dims, entries, 3, doubles);
    const SparseTensor held = test::randomTensor(dims, 45, 4, doubles);
    const Model start = tamedModel(dims, ranks, coreRank, doubles);
    const Count batch = 37; // off every tile size
    const auto backEnd = makeCuda(Precision(precision));
    QVERIFY(backEnd);
    RunControl control;
    backEnd->load(Problem{train, &held, start, 11, true, batch, false, 0, 0}, control);
    QVERIFY(backEnd->memoryUse().deviceBytes > train.bytes());

    test::PlusOracle oracle(train, start, 11, batch);
    std::vector<std::vector<float>> scales;
    for (unsigned n = 0; n < order; ++n)
        for (scales.emplace_back(); scales[n].size() < dims[n];)
            scales[n].push_back(1.0F / float(1 + scales[n].size() % 3));
    for (std::uint64_t t = 0; t < 2; ++t) {
        FactorPass factors = factorPass(order, t, 0.002);
        factors.rowScales = t ? &scales : nullptr;
        const CorePass cores{t, 0.05, 0.01, false};
        backEnd->factorPass(factors, control);
        oracle.factorPass(factors);
        backEnd->corePass(cores, control);
        oracle.corePass(cores);
    }
    // Some thousand roundings of size 2^-24 (2^-53), which two iterations of steps carry on.
    const double tolerance = doubles ? 1e-12 : 1e-4;
    const double distance = oracle.distance(backEnd->model(Snapshot::Latest));
    QVERIFY2(distance < tolerance, qPrintable(QString("distance %1").arg(distance)));

    const ErrorSums found = backEnd->evaluate(false, control);
    const ErrorSums expected = oracle.evaluate();
    QCOMPARE(found.count, expected.count);
    QVERIFY(std::abs(found.rmse() / expected.rmse() - 1) < tolerance);
    QVERIFY(std::abs(found.mae() / expected.mae() - 1) < tolerance);
    QCOMPARE(backEnd->evaluate(true, control).count, held.entries());
    QCOMPARE(backEnd->evaluate(false, control).squared, found.squared); // the same bits again
}

/// Of few entries every one projects its own rows; the other way is for these. A held-out set of any size goes it, too.
void CudaPlusPassesTest::manyEntriesAreEvaluatedByProjectedRows()
{
    POLYAD_NEEDS_GPU();
    QFETCH(int, precision);
    QFETCH(std::vector<unsigned>, ranks);
    QFETCH(unsigned, coreRank);
    cutToOrder(ranks);
    const bool doubles = Precision(precision) == Precision::Fp64;
    const auto order = unsigned(ranks.size());
    const auto dims = test::dimsOfOrder(order);
    std::uint64_t rows = 0;
    for (const Index size : dims)
        rows += size;
    // Of the whole model in time; with 300,001 a warp comes back for more.
    const Count entries = order * ranks[0] > 500 ? 4 * rows + 33 : order == 3 && coreRank == 16 ? 300'001 : 20'011;
    std::vector<unsigned> padded;
    for (const unsigned rank : ranks)
        padded.push_back((rank + 15) / 16 * 16);
    QVERIFY(projectedElements(dims, padded, (coreRank + 15) / 16 * 16, doubles ? 8 : 4, entries) > 0);
    const SparseTensor train = test::randomTensor(dims, entries, 3, doubles);
    const SparseTensor held = test::randomTensor(dims, 13, 4, doubles);
    const Model start = tamedModel(dims, ranks, coreRank, doubles);
    const auto backEnd = makeCuda(Precision(precision));
    RunControl control;
    backEnd->load(Problem{train, &held, start, 11, true, 37, false, 0, 0}, control);
    for (const bool heldOut : {false, true}) {
        const ErrorSums found = backEnd->evaluate(heldOut, control);
        const ErrorSums expected = test::PlusOracle(heldOut ? held : train, start, 11, 37).evaluate();
        QCOMPARE(found.count, expected.count);
        const double tolerance = doubles ? 1e-13 : 1e-5; // some hundred roundings an entry
        QVERIFY2(std::abs(found.rmse() / expected.rmse() - 1) < tolerance, qPrintable(QString::number(found.rmse() / expected.rmse() - 1)));
        QVERIFY(std::abs(found.mae() / expected.mae() - 1) < tolerance);
        QCOMPARE(backEnd->evaluate(heldOut, control).squared, found.squared); // the same bits again
    }
}

void CudaPlusPassesTest::twoRunsGiveTheSameBits()
{
    POLYAD_NEEDS_GPU();
    const std::vector<Index> dims{50, 40, 30};
    const SparseTensor train = test::randomTensor(dims, 20000, 5);
    const Model start = tamedModel(dims, {16, 16, 16}, 16, false);
    std::vector<Model> models;
    for (unsigned run = 0; run < 2; ++run) {
        const auto backEnd = makeCuda(Precision::Fp32);
        RunControl control;
        backEnd->load(Problem{train, nullptr, start, 1, true, 500, false, 0, 0}, control);
        for (std::uint64_t t = 0; t < 3; ++t) {
            backEnd->factorPass(factorPass(3, t, 0.002), control);
            backEnd->corePass(CorePass{t, 0.05, 0.01, false}, control);
        }
        models.push_back(backEnd->model(Snapshot::Latest));
    }
    for (unsigned n = 0; n < 3; ++n) {
        QVERIFY(models[0].factors[n].data == models[1].factors[n].data);
        QVERIFY(models[0].coreFactors[n].data == models[1].coreFactors[n].data);
        QVERIFY(models[0].factors[n].data != start.factors[n].data);
    }
}

void CudaPlusPassesTest::storedProjectionsGiveTheSameCores()
{
    POLYAD_NEEDS_GPU();
    const std::vector<Index> dims{50, 40, 30, 20};
    const SparseTensor train = test::randomTensor(dims, 5000, 6, true);
    const Model start = tamedModel(dims, {20, 16, 5, 33}, 18, true);
    std::vector<Model> models;
    for (const bool store : {false, true}) {
        const auto backEnd = makeCuda(Precision::Fp64);
        RunControl control;
        backEnd->load(Problem{train, nullptr, start, 1, true, 500, store, 0, 0}, control);
        backEnd->corePass(CorePass{0, 0.5, 0.01, false}, control);
        models.push_back(backEnd->model(Snapshot::Latest));
    }
    for (unsigned n = 0; n < 4; ++n)
        for (std::size_t j = 0; j < start.ranks[n]; ++j)
            for (std::size_t r = 0; r < start.coreRank; ++r)
                QVERIFY(std::abs(models[0].coreFactors[n].at(j, r) - models[1].coreFactors[n].at(j, r)) < 1e-12);
}

void CudaPlusPassesTest::normalModeLosesNoUpdate()
{
    POLYAD_NEEDS_GPU();
    // With a tiny rate all entries see practically the same rows, so the order does not matter: the change of
    // every row is the sum over its entries, and a single lost update out of 20 a row would stand out.
    const std::vector<Index> dims{1000, 900, 1100};
    const SparseTensor train = test::randomTensor(dims, 20000, 7, true);
    const Model start = tamedModel(dims, {16, 16, 16}, 16, true);
    const double rate = 1e-7;
    for (const Precision precision : {Precision::Fp64}) {
        const auto backEnd = makeCuda(precision);
        RunControl control;
        backEnd->load(Problem{train, nullptr, start, 1, false, 0, false, 0, 0}, control);
        backEnd->factorPass(factorPass(3, 0, rate), control);
        test::PlusOracle oracle(train, start, 1, train.entries());
        oracle.factorPass(factorPass(3, 0, rate));
        // The steps themselves are some 1e-6; second-order terms are 1e-12 and rounding 1e-16.
        const double distance = oracle.distance(backEnd->model(Snapshot::Latest));
        QVERIFY2(distance < 1e-10, qPrintable(QString("distance %1").arg(distance)));
    }
}

void CudaPlusPassesTest::nonnegativeClipsEveryRow()
{
    POLYAD_NEEDS_GPU();
    const std::vector<Index> dims{60, 50, 40};
    const SparseTensor train = test::randomTensor(dims, 20000, 8);
    const Model start = tamedModel(dims, {16, 10, 16}, 16, false);
    for (const bool deterministic : {false, true}) {
        const auto backEnd = makeCuda(Precision::Fp32);
        RunControl control;
        backEnd->load(Problem{train, nullptr, start, 1, deterministic, 200, false, 0, 0}, control);
        FactorPass factors = factorPass(3, 0, 0.001);
        factors.nonnegative = true;
        backEnd->factorPass(factors, control);
        backEnd->corePass(CorePass{0, 0.05, 0.01, true}, control);
        const Model model = backEnd->model(Snapshot::Latest);
        std::size_t positive = 0;
        for (unsigned n = 0; n < 3; ++n)
            for (const auto* matrix : {&model.factors[n], &model.coreFactors[n]})
                for (const float x : std::get<Array<float>>(matrix->data)) {
                    QVERIFY(x >= 0);
                    positive += x > 0;
                }
        QVERIFY(positive > 500);
    }
}

void CudaPlusPassesTest::bestModelIsKept()
{
    POLYAD_NEEDS_GPU();
    const std::vector<Index> dims{60, 50, 40};
    const SparseTensor train = test::randomTensor(dims, 5000, 9);
    const Model start = tamedModel(dims, {5, 6, 7}, 3, false);
    const auto backEnd = makeCuda(Precision::Fp32);
    RunControl control;
    backEnd->load(Problem{train, nullptr, start, 1, false, 0, false, 0, 0}, control);
    backEnd->rememberBest();
    backEnd->factorPass(factorPass(3, 0, 0.001), control);
    const Model best = backEnd->model(Snapshot::Best);
    const Model latest = backEnd->model(Snapshot::Latest);
    for (unsigned n = 0; n < 3; ++n) {
        QVERIFY(best.factors[n].data == start.factors[n].data); // padding goes and comes without a trace
        QVERIFY(best.coreFactors[n].data == start.coreFactors[n].data);
        QVERIFY(latest.factors[n].data != start.factors[n].data);
    }
}

void CudaPlusPassesTest::wantingTooMuchMemoryIsAnAnswer()
{
    POLYAD_NEEDS_GPU();
    const std::vector<Index> dims{1000, 900, 800};
    const SparseTensor train = test::randomTensor(dims, 100000, 9);
    const Model start = tamedModel(dims, {16, 16, 16}, 16, false);
    const auto backEnd = makeCuda(Precision::Fp32);
    RunControl control;
    try {
        backEnd->load(Problem{train, nullptr, start, 1, false, 0, false, 1 << 20, 0}, control);
        QFAIL("1 MiB cannot hold 100,000 entries of 16 bytes");
    } catch (const OutOfMemory& error) {
        QVERIFY(error.bytesNeeded() > 1600000);
        QVERIFY(error.bytesFree() <= 1 << 20);
        QVERIFY2(QString(error.what()).startsWith("GPU 0 ("), error.what());
        QVERIFY2(QString(error.what()).contains("1.0 MiB"), error.what());
    }
    // and the device is as good as before
    backEnd->load(Problem{train, nullptr, start, 1, false, 0, false, 0, 0}, control);
    QCOMPARE(backEnd->evaluate(false, control).count, train.entries());
}

QTEST_GUILESS_MAIN(CudaPlusPassesTest)
#include "tst_cuda_plus_passes.moc"
