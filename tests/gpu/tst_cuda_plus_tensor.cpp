// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "plus_oracle.h"
#include "plus_problem.h"
#include "support/tolerance.h"

#include "kernels/algorithms/fasttucker_plus/schema.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"

#include <algorithm>
#include <cmath>

using namespace kernels;
using namespace kernels::fasttucker_plus;
using test::factorPass;
using test::makeCuda;
using test::tamedModel;

/// The passes with products on tensor cores, against plain fp64 loops: what a pass changes, not where rows end up.
class CudaPlusTensorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void changesAgreeWithTheOracle_data();
    void changesAgreeWithTheOracle();
    void dampedChangesAgreeWithTheOracle_data();
    void dampedChangesAgreeWithTheOracle();
    void precisionsRoundAsTheySay_data() { addPrecisions(); }
    void precisionsRoundAsTheySay();
    void twoRunsGiveTheSameBits_data() { addPrecisions(); }
    void twoRunsGiveTheSameBits();
    void storedProjectionsGiveTheSameCores_data() { addPrecisions(); }
    void storedProjectionsGiveTheSameCores();
    void coresOfManyTilesAgree_data();
    void coresOfManyTilesAgree();
    void normalModeLosesNoUpdate_data();
    void normalModeLosesNoUpdate();
    void halfHoldsValuesOfAnySize_data();
    void halfHoldsValuesOfAnySize();
    void nonnegativeClipsAfterEveryUpdate_data();
    void nonnegativeClipsAfterEveryUpdate();
    void productsAreWhereTheyAreFastest();

private:
    static void addPrecisions();
};

namespace {

const std::vector<Precision> tensorPrecisions{Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16, Precision::Fp64};

std::string nameOf(Precision precision) { return std::string(toString(precision)); }

bool deviceHas(Precision precision)
{
    return computeCapability(DeviceId{DeviceKind::Cuda, 0}) >= ComputeCapability{8, 0} || precision == Precision::Fp16;
}

/// N projections and the way back multiply two rounded operands each, and the error of x̂ enters once more; beside
/// them rows, sums and the oracle's own numbers are rounded in the type of the masters, which one change of some
/// hundredth of a row's size shows a hundred times larger. Tensor cores cut sums of fp32 off, eight products at a time, which
/// shows where products themselves are exact.
double tolerance(Precision precision, unsigned order, unsigned widest = 16)
{
    const double master = precision == Precision::Fp64 ? 0x1p-53 : 0x1p-24;
    const double operand = precision == Precision::Fp32 ? 0x1p-22 + 0x1p-23 * widest / 8 : test::operandRoundOff(precision);
    return 4 * (order + 1) * operand + 2000 * master;
}

/// That the device has, where the oracle, which takes longest, has values of one type for all of them.
std::vector<Precision> precisionsOf(bool doubles)
{
    std::vector<Precision> all;
    for (const Precision precision : tensorPrecisions)
        if ((precision == Precision::Fp64) == doubles && deviceHas(precision))
            all.push_back(precision);
    return all;
}

struct Case {
    std::unique_ptr<PlusBackEnd> backEnd;
    RunControl control;

    Case(Precision precision, const SparseTensor& train, const Model& start, bool deterministic, Count batch, bool store = false,
         bool damped = false)
        : backEnd(makeCuda(precision))
    {
        Problem problem{train, nullptr, start, 11, deterministic, batch, store, 0, 0, true};
        problem.damped = damped;
        backEnd->load(problem, control);
    }
};

} // namespace

#define POLYAD_NEEDS_VALUES(doubles)                                                                                                       \
    POLYAD_NEEDS_GPU();                                                                                                                    \
    if (precisionsOf(doubles).empty())                                                                                                     \
    QSKIP("this GPU has no tensor cores for values of the type")

#define POLYAD_NEEDS_PRECISION(precision)                                                                                                  \
    POLYAD_NEEDS_GPU();                                                                                                                    \
    if (!deviceHas(precision))                                                                                                             \
    QSKIP("this GPU has no tensor cores for the precision")

void CudaPlusTensorTest::addPrecisions()
{
    QTest::addColumn<int>("precision");
    for (const Precision precision : tensorPrecisions)
        QTest::addRow("%s", nameOf(precision).c_str()) << int(precision);
}

void CudaPlusTensorTest::changesAgreeWithTheOracle_data()
{
    QTest::addColumn<int>("precision");
    QTest::addColumn<std::vector<unsigned>>("ranks");
    QTest::addColumn<unsigned>("coreRank");
    const auto add = [](const std::string& name, const std::vector<unsigned>& ranks, unsigned coreRank) {
        for (const Precision precision : tensorPrecisions)
            QTest::addRow("%s, %s", name.c_str(), nameOf(precision).c_str()) << int(precision) << ranks << coreRank;
    };
    const std::vector<unsigned> small{1, 5, 3, 4, 2, 5, 1, 3, 4, 2};
    const std::vector<unsigned> mixed{20, 7, 40, 3, 16, 33, 1, 17, 5, 48};
    for (unsigned order = 2; order <= 10; ++order) {
        add("order " + std::to_string(order) + ", ranks 1 to 5", {small.begin(), small.begin() + order}, 4);
        add("order " + std::to_string(order) + ", ranks 1 to 48", {mixed.begin(), mixed.begin() + order}, order % 2 ? 33 : 19);
    }
    for (unsigned size : {16U, 32U, 48U, 64U, 80U, 96U, 112U, 128U}) {
        add("order 3 of " + std::to_string(size), std::vector<unsigned>(3, size), size);
        add("order 5 of " + std::to_string(size), std::vector<unsigned>(5, size), size);
    }
    add("padded to 32", {31, 17, 20}, 25);
    add("padded to 64", {63, 49, 50}, 61);
    add("padded to 128", {127, 113, 128}, 116);
    add("wide core", {3, 4}, 100);
    add("narrow core", {100, 40, 17, 3}, 2);
    add("ranks 1", {1, 1, 1}, 1);
    add("order 10 of 64", std::vector<unsigned>(10, 64), 64);
    add("order 16 of 16", std::vector<unsigned>(16, 16), 16);
    add("order 16 of 128", std::vector<unsigned>(16, 128), 128); // more than any shared memory holds
}

void CudaPlusTensorTest::changesAgreeWithTheOracle()
{
    QFETCH(int, precision);
    POLYAD_NEEDS_PRECISION(Precision(precision));
    QFETCH(std::vector<unsigned>, ranks);
    QFETCH(unsigned, coreRank);
    const bool doubles = Precision(precision) == Precision::Fp64;
    const auto order = unsigned(ranks.size());
    const auto dims = test::dimsOfOrder(order);
    const Count entries = order * ranks[0] > 500 ? 70 : 300;
    const SparseTensor train = test::randomTensor(dims, entries, 3, doubles);
    const Model start = tamedModel(dims, ranks, coreRank, doubles);
    const Count batch = 137; // off every tile size; the second batch begins inside a tile
    std::vector<std::vector<float>> scales;
    for (unsigned n = 0; n < order; ++n)
        for (scales.emplace_back(); scales[n].size() < dims[n];)
            scales[n].push_back(1.0F / float(1 + scales[n].size() % 3));
    FactorPass factors = factorPass(order, 1, 0.002);
    factors.rowScales = &scales;
    const CorePass cores{1, 0.05, 0.01, false};

    Case run(Precision(precision), train, start, true, batch);
    test::PlusOracle oracle(train, start, 11, batch);
    run.backEnd->corePass(cores, run.control);
    oracle.corePass(cores);
    const double allowed = tolerance(Precision(precision), order, std::max(coreRank, *std::max_element(ranks.begin(), ranks.end())));
    const double ofCores = oracle.changeDistance(run.backEnd->model(Snapshot::Latest), true);
    QVERIFY2(ofCores < allowed, qPrintable(QString("cores: %1 of a change, allowed %2").arg(ofCores).arg(allowed)));
    run.backEnd->factorPass(factors, run.control);
    oracle.factorPass(factors);
    const double ofFactors = oracle.changeDistance(run.backEnd->model(Snapshot::Latest), false);
    QVERIFY2(ofFactors < allowed, qPrintable(QString("factors: %1 of a change, allowed %2").arg(ofFactors).arg(allowed)));

    // Errors are measured on the masters, whatever the products are rounded to.
    const double expected = test::PlusOracle(train, run.backEnd->model(Snapshot::Latest), 11, batch).evaluate().rmse();
    QVERIFY(std::abs(run.backEnd->evaluate(false, run.control).rmse() / expected - 1) < (doubles ? 1e-12 : 1e-5));
}

void CudaPlusTensorTest::dampedChangesAgreeWithTheOracle_data()
{
    QTest::addColumn<int>("precision");
    QTest::addColumn<std::vector<unsigned>>("ranks");
    QTest::addColumn<unsigned>("coreRank");
    for (const Precision precision : tensorPrecisions) {
        const auto add = [&](const char* name, const std::vector<unsigned>& ranks, unsigned coreRank) {
            QTest::addRow("%s, %s", name, nameOf(precision).c_str()) << int(precision) << ranks << coreRank;
        };
        for (const unsigned size : {16U, 32U, 48U, 64U, 80U, 96U, 112U, 128U}) {
            add(qPrintable(QString("order 3 of %1").arg(size)), std::vector<unsigned>(3, size), size);
            add(qPrintable(QString("order 5 of %1").arg(size)), std::vector<unsigned>(5, size), size);
        }
        add("odd", {31, 17, 20}, 25);
        add("wide core", {3, 4}, 100);
        add("narrow core", {100, 40, 17, 3}, 2);
        add("order 10", {20, 7, 40, 3, 16, 33, 1, 17, 5, 48}, 19);
        add("order 16 of 128", std::vector<unsigned>(16, 128), 128);
    }
}

/// Rows step by e / (1 + κ|w|²), in half precisions of the rounded w.
void CudaPlusTensorTest::dampedChangesAgreeWithTheOracle()
{
    QFETCH(int, precision);
    POLYAD_NEEDS_PRECISION(Precision(precision));
    QFETCH(std::vector<unsigned>, ranks);
    QFETCH(unsigned, coreRank);
    const bool doubles = Precision(precision) == Precision::Fp64;
    const auto order = unsigned(ranks.size());
    const auto dims = test::dimsOfOrder(order);
    const SparseTensor train = test::randomTensor(dims, order * ranks[0] > 500 ? 70 : 300, 3, doubles);
    const Model start = tamedModel(dims, ranks, coreRank, doubles);
    const Count batch = 137;
    Case run(Precision(precision), train, start, true, batch, false, true);
    test::PlusOracle oracle(train, start, 11, batch), undamped(train, start, 11, batch);
    FactorPass factors = factorPass(order, 1, 0.002);
    undamped.factorPass(factors);
    factors.damping = oracle.halvingDamping();
    run.backEnd->factorPass(factors, run.control);
    oracle.factorPass(factors);
    const Model model = run.backEnd->model(Snapshot::Latest);
    const double allowed = 2 * tolerance(Precision(precision), order, std::max(coreRank, *std::max_element(ranks.begin(), ranks.end())));
    const double off = oracle.changeDistance(model, false);
    QVERIFY2(off < allowed, qPrintable(QString("%1 of a change, allowed %2").arg(off).arg(allowed)));
    QVERIFY(undamped.changeDistance(model, false) > 0.05);
}

/// The rounding is that of the type named: of narrow ones far above that of fp32, and below that of the next coarser type.
void CudaPlusTensorTest::precisionsRoundAsTheySay()
{
    QFETCH(int, precision);
    POLYAD_NEEDS_PRECISION(Precision(precision));
    if (Precision(precision) == Precision::Fp64)
        QSKIP("the oracle itself rounds to fp64");
    const std::vector<Index> dims{60, 50, 40};
    const SparseTensor train = test::randomTensor(dims, 4000, 5);
    const Model start = tamedModel(dims, {16, 16, 16}, 16, false);
    Case run(Precision(precision), train, start, true, train.entries());
    test::PlusOracle oracle(train, start, 11, train.entries());
    // fp32: two parts of 11 bits, and a change as large as its row, which is rounded to 24 with it.
    const bool parted = Precision(precision) == Precision::Fp32;
    const FactorPass pass = factorPass(3, 0, parted ? 1 : 0.001);
    run.backEnd->factorPass(pass, run.control);
    oracle.factorPass(pass);
    const double off = oracle.changeDistance(run.backEnd->model(Snapshot::Latest), false);
    const double unit = parted ? 0x1p-22 : test::operandRoundOff(Precision(precision));
    QVERIFY2(off > unit / 32 && off < 8 * unit, qPrintable(QString("%1 round-offs").arg(off / unit)));
}

void CudaPlusTensorTest::twoRunsGiveTheSameBits()
{
    QFETCH(int, precision);
    POLYAD_NEEDS_PRECISION(Precision(precision));
    const bool doubles = Precision(precision) == Precision::Fp64;
    const std::vector<Index> dims{50, 40, 30};
    const SparseTensor train = test::randomTensor(dims, 20000, 5, doubles);
    for (const std::vector<unsigned>& ranks : {std::vector<unsigned>{16, 16, 16}, {32, 32, 32}, {20, 16, 5}}) {
        const Model start = tamedModel(dims, ranks, ranks[0], doubles);
        std::vector<Model> models;
        for (unsigned i = 0; i < 2; ++i) {
            Case run(Precision(precision), train, start, true, 500);
            for (std::uint64_t t = 0; t < 3; ++t) {
                run.backEnd->factorPass(factorPass(3, t, 0.002), run.control);
                run.backEnd->corePass(CorePass{t, 0.05, 0.01, false}, run.control);
            }
            models.push_back(run.backEnd->model(Snapshot::Latest));
        }
        for (unsigned n = 0; n < 3; ++n) {
            QVERIFY(models[0].factors[n].data == models[1].factors[n].data);
            QVERIFY(models[0].coreFactors[n].data == models[1].coreFactors[n].data);
            QVERIFY(models[0].factors[n].data != start.factors[n].data);
        }
    }
}

void CudaPlusTensorTest::storedProjectionsGiveTheSameCores()
{
    QFETCH(int, precision);
    POLYAD_NEEDS_PRECISION(Precision(precision));
    const bool doubles = Precision(precision) == Precision::Fp64;
    const std::vector<Index> dims{50, 40, 30, 20};
    const SparseTensor train = test::randomTensor(dims, 5000, 6, doubles);
    for (const std::vector<unsigned>& ranks : {std::vector<unsigned>{20, 16, 5, 33}, {16, 16, 16, 16}, {64, 64, 64, 64}}) {
        const Model start = tamedModel(dims, ranks, ranks[1], doubles);
        Case run(Precision(precision), train, start, true, 500, true);
        test::PlusOracle oracle(train, start, 11, 500);
        const CorePass pass{0, 0.5, 0.01, false};
        run.backEnd->corePass(pass, run.control);
        oracle.corePass(pass);
        const double off = oracle.changeDistance(run.backEnd->model(Snapshot::Latest), true);
        QVERIFY2(off < tolerance(Precision(precision), 4), qPrintable(QString::number(off)));
    }
}

void CudaPlusTensorTest::coresOfManyTilesAgree_data()
{
    QTest::addColumn<bool>("doubles");
    QTest::addColumn<unsigned>("rank");
    QTest::addColumn<unsigned>("order");
    for (const bool doubles : {false, true})
        for (const unsigned rank : {16U, 32U, 48U, 64U, 80U, 96U, 112U, 128U})
            for (const unsigned order : {3U, 4U})
                QTest::addRow("%s, %u, order %u", doubles ? "double" : "single", rank, order) << doubles << rank << order;
}

/// So many that groups of several warps have several tiles each, and the last one is not full.
void CudaPlusTensorTest::coresOfManyTilesAgree()
{
    QFETCH(bool, doubles);
    POLYAD_NEEDS_VALUES(doubles);
    QFETCH(unsigned, rank);
    QFETCH(unsigned, order);
    const std::vector<Index> dims{50, 40, 30, 20};
    const SparseTensor train = test::randomTensor({dims.begin(), dims.begin() + order}, 30001, 6, doubles);
    const Model start = tamedModel(train.dims(), std::vector<unsigned>(order, rank), rank, doubles);
    const CorePass pass{0, 0.5, 0.01, false};
    test::PlusOracle oracle(train, start, 11, 500);
    oracle.corePass(pass);
    for (const Precision precision : precisionsOf(doubles))
        for (const bool store : {false, true}) {
            Case run(precision, train, start, true, 500, store);
            run.backEnd->corePass(pass, run.control);
            const double off = oracle.changeDistance(run.backEnd->model(Snapshot::Latest), true);
            QVERIFY2(off < tolerance(precision, order, rank),
                     qPrintable(QString("%1: %2, stored: %3").arg(nameOf(precision).c_str()).arg(off).arg(store)));
        }
}

void CudaPlusTensorTest::normalModeLosesNoUpdate_data()
{
    QTest::addColumn<bool>("doubles");
    QTest::addColumn<unsigned>("rank");
    for (const bool doubles : {false, true})
        for (const unsigned rank : {16U, 30U, 48U, 64U, 70U, 90U, 110U, 128U})
            QTest::addRow("%s, %u", doubles ? "double" : "single", rank) << doubles << rank;
}

void CudaPlusTensorTest::normalModeLosesNoUpdate()
{
    QFETCH(bool, doubles);
    POLYAD_NEEDS_VALUES(doubles);
    QFETCH(unsigned, rank);
    // With a small rate all entries see nearly the same rows, so the order hardly matters: the change of every row is
    // the sum over its 20 entries, and a lost one would be a good part of it.
    const std::vector<Index> dims{1000, 900, 1100};
    const SparseTensor train = test::randomTensor(dims, 20011, 7, doubles); // not a whole number of anything
    const Model start = tamedModel(dims, {rank, rank, rank}, rank, doubles);
    test::PlusOracle oracle(train, start, 11, train.entries());
    const FactorPass pass = factorPass(3, 0, 3e-5);
    oracle.factorPass(pass);
    for (const Precision precision : precisionsOf(doubles)) {
        Case run(precision, train, start, false, 0);
        run.backEnd->factorPass(pass, run.control);
        const double off = oracle.changeDistance(run.backEnd->model(Snapshot::Latest), false);
        // Twenty sums of 2^-24 of an element stand against a change of some 1e-4 of it; beside it the second order.
        const double allowed = tolerance(precision, 3) + 0.01;
        QVERIFY2(off < allowed, qPrintable(QString("%1: %2 of a change, allowed %3").arg(nameOf(precision).c_str()).arg(off).arg(allowed)));
    }
}

void CudaPlusTensorTest::halfHoldsValuesOfAnySize_data()
{
    QTest::addColumn<double>("size");
    QTest::addColumn<unsigned>("order");
    for (const double size : {1e-6, 1e-3, 1e6, 1e12})
        for (const unsigned order : {3U, 6U})
            QTest::addRow("%g, order %u", size, order) << size << order;
}

void CudaPlusTensorTest::halfHoldsValuesOfAnySize()
{
    POLYAD_NEEDS_GPU();
    QFETCH(double, size);
    QFETCH(unsigned, order);
    const auto dims = test::dimsOfOrder(order);
    const std::vector<unsigned> ranks(order, 16);
    SparseTensor train = test::randomTensor(dims, 300, 3);
    for (Count e = 0; e < train.entries(); ++e)
        train.setValue(e, train.value(e) * size);
    Model start = tamedModel(dims, ranks, 16, false);
    const double perMode = std::pow(size, 1.0 / order); // x̂ grows with the values, through every mode alike
    for (Matrix& factor : start.factors)
        for (float& x : std::get<Array<float>>(factor.data))
            x *= float(perMode);
    Case run(Precision::Fp16, train, start, true, 300);
    test::PlusOracle oracle(train, start, 11, 300);
    const double slope = std::pow(size / perMode, 2); // of |d|²
    FactorPass factors = factorPass(order, 0, 0.001 / slope);
    factors.lambda = 0.03 * slope;
    const CorePass cores{0, 0.05 / (size * size), 0.01 * size * size, false};
    run.backEnd->corePass(cores, run.control);
    oracle.corePass(cores);
    run.backEnd->factorPass(factors, run.control);
    oracle.factorPass(factors);
    const Model model = run.backEnd->model(Snapshot::Latest);
    const double allowed = tolerance(Precision::Fp16, order);
    QVERIFY2(oracle.changeDistance(model, true) < allowed, qPrintable(QString::number(oracle.changeDistance(model, true))));
    QVERIFY2(oracle.changeDistance(model, false) < allowed, qPrintable(QString::number(oracle.changeDistance(model, false))));
}

void CudaPlusTensorTest::nonnegativeClipsAfterEveryUpdate_data()
{
    QTest::addColumn<int>("precision");
    QTest::addColumn<bool>("tensor");
    for (const Precision precision : allPrecisions())
        for (const bool tensor : {false, true})
            if (tensor || precision == Precision::Fp32 || precision == Precision::Fp64)
                QTest::addRow("%s%s", nameOf(precision).c_str(), tensor ? ", tensor" : "") << int(precision) << tensor;
}

/// Every row of one number a; every entry pulls its row's towards its value: 80 % of the visits towards −1, long enough
/// to leave it near −0.8 if nothing held it at 0, then 20 % towards +1. Clipped after every update it ends at
/// 1 − exp(−0.5) = 0.39, or somewhat below; clipped once at the end of the pass it would end at 0.
void CudaPlusTensorTest::nonnegativeClipsAfterEveryUpdate()
{
    QFETCH(int, precision);
    QFETCH(bool, tensor);
    POLYAD_NEEDS_GPU();
    if (tensor && !deviceHas(Precision(precision)))
        QSKIP("this GPU has no tensor cores for the precision");
    const bool doubles = Precision(precision) == Precision::Fp64;
    constexpr Index rows = 64; // so that the entries in flight do not all add to one address
    constexpr Count entries = rows * 8192;
    constexpr std::uint64_t seed = 11;
    SparseTensor train({rows, entries}, entries, doubles);
    const Permutation stored = loadOrder(entries, seed);
    const VisitingOrder visits = visitingOrder(entries, seed, 0);
    for (Count v = 0; v < entries; ++v) {
        const Count e = stored.at(visits.at(v));
        train.indices[0][e] = Index(v % rows);
        train.indices[1][e] = Index(e);
        train.setValue(e, v < entries * 4 / 5 ? -1 : 1);
    }
    Model start = tamedModel({rows, entries}, {1, 1}, 1, doubles);
    for (Matrix* matrix : {&start.factors[0], &start.factors[1], &start.coreFactors[0], &start.coreFactors[1]})
        for (std::size_t i = 0; i < matrix->rows; ++i)
            matrix->set(i, 0, 1);
    const auto backEnd = makeCuda(Precision(precision));
    RunControl control;
    backEnd->load(Problem{train, nullptr, start, seed, false, 0, false, 0, 0, tensor}, control);
    FactorPass pass;
    pass.rates = {2.5 * rows / double(entries), 0};
    pass.nonnegative = true;
    backEnd->factorPass(pass, control);
    const Matrix a = backEnd->model(Snapshot::Latest).factors[0];
    double mean = 0;
    for (Index i = 0; i < rows; ++i)
        mean += a.at(i, 0) / rows;
    // Groups do not keep step: those that lag bring some of the pull downwards late.
    QVERIFY2(mean > 0.15 && mean < 0.5, qPrintable(QString::number(mean)));
}

void CudaPlusTensorTest::productsAreWhereTheyAreFastest()
{
    POLYAD_NEEDS_GPU();
    const DeviceId gpu{DeviceKind::Cuda, 0};
    const ComputeCapability has = computeCapability(gpu);
    const bool fast = has == ComputeCapability{8, 0} || has == ComputeCapability{9, 0} || has == ComputeCapability{10, 0};
    const auto are = [](const char* algorithm, DeviceId device, Precision precision, const char* products) {
        RunConfig config;
        config.algorithm = algorithm;
        config.devices = {device};
        config.precision = precision;
        if (products)
            config.parameters["products"] = std::string(products);
        return onTensorCores(config);
    };
    for (const char* algorithm : {"fasttucker-plus", "fasttucker"}) {
        for (const char* products : {"auto", static_cast<const char*>(nullptr)}) {
            for (const Precision wide : {Precision::Fp32, Precision::Fp64}) {
                QCOMPARE(are(algorithm, gpu, wide, products), fast);
                QVERIFY(!are(algorithm, {}, wide, products));
            }
            QVERIFY(are(algorithm, gpu, Precision::Tf32, products));
        }
        for (const Precision wide : {Precision::Fp32, Precision::Fp64})
            QVERIFY(are(algorithm, gpu, wide, "tensor") && !are(algorithm, gpu, wide, "cuda"));
    }
    QVERIFY(!are("fastertucker", gpu, Precision::Fp32, nullptr));
}

QTEST_GUILESS_MAIN(CudaPlusTensorTest)
#include "tst_cuda_plus_tensor.moc"
