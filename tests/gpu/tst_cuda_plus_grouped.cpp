// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "grouped_problem.h"
#include "plus_oracle.h"

#include <algorithm>
#include <cmath>

using namespace kernels;
using namespace kernels::fasttucker_plus;
using test::allowed;
using test::Draw;
using test::drawnTensor;
using test::load;
using test::sharesOf;
using test::smallPass;
using test::tamedModel;

/// The variant "grouped": whatever stands together, every entry changes every one of its rows by what the oracle says.
///
/// Rates are so small that all entries see nearly the same rows; then the order does not matter, and a lost, doubled or
/// misplaced change is a good part of a row's.
class CudaPlusGroupedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void changesAgreeWithTheOracle_data();
    void changesAgreeWithTheOracle();
    void dampedChangesAgreeWithTheOracle_data();
    void dampedChangesAgreeWithTheOracle();
    void touchesChangeNothing_data();
    void touchesChangeNothing();
    void partsMakeAPass_data();
    void partsMakeAPass();
    void rowScalesAreHonoured();
    void narrowRowsChangeAlikeOnAverage_data();
    void narrowRowsChangeAlikeOnAverage();
    void fitsAsWellAsShuffledEntries();
    void largeErrorsStayFinite();
    void fewEntriesSeeTheSameOldRow();
    void groupsAreAsPlanned_data();
    void groupsAreAsPlanned();
};

namespace {

constexpr Count entries = test::drawnEntries;

/// Rows times size, in numbers of 8 bits, which fp16 holds exactly; cores divided by it, so that predictions stay.
Model ofFewBits(Model model, double size)
{
    for (Matrix& rows : model.factors)
        for (std::size_t i = 0; i < rows.rows; ++i)
            for (std::size_t j = 0; j < rows.columns; ++j) {
                const double x = rows.at(i, j) * size;
                const double unit = x == 0 ? 1 : std::exp2(std::floor(std::log2(std::abs(x))) - 7);
                rows.set(i, j, std::round(x / unit) * unit);
            }
    for (Matrix& core : model.coreFactors)
        for (std::size_t j = 0; j < core.rows; ++j)
            for (std::size_t r = 0; r < core.columns; ++r)
                core.set(j, r, core.at(j, r) / size);
    return model;
}

/// This GPU may have too little shared memory for a shape; then another kernel would be tested.
#define POLYAD_NEEDS_GROUPS(backEnd)                                                                                                       \
    if (backEnd->groupedNote().find("shared memory") != std::string::npos)                                                                 \
        QSKIP(backEnd->groupedNote().c_str());                                                                                             \
    QCOMPARE(backEnd->groupedNote(), std::string())

/// Gradients of the cores see rows as they were, those of a pass of their own as updates leave them.
bool seesNewRows(bool apart, const Model& model)
{
    const unsigned widest = std::max(model.coreRank, *std::max_element(model.ranks.begin(), model.ranks.end()));
    return apart || !updatesTakeGradient(widest, model.order());
}

bool sameNumbers(const Model& one, const Model& other)
{
    for (unsigned n = 0; n < one.order(); ++n)
        if (one.factors[n].data != other.factors[n].data || one.coreFactors[n].data != other.coreFactors[n].data)
            return false;
    return true;
}

/// Empty where a pass over the rows and one over the cores changed the model as the oracle says.
QString difference(const Model& model, const SparseTensor& train, const Model& start, const FactorPass& factors, const CorePass& cores,
                   Precision precision, bool apart)
{
    test::PlusOracle ofFactors(train, start, 11, train.entries()), ofCores(train, start, 11, train.entries());
    ofFactors.factorPass(factors);
    if (seesNewRows(apart, start))
        ofCores.factorPass(factors);
    ofCores.corePass(cores);
    const double offFactors = ofFactors.changeDistance(model, false), offCores = ofCores.changeDistance(model, true);
    const double limit = allowed(precision, train.order());
    if (offFactors < limit && offCores < limit)
        return {};
    return QString("factors: %1 of a change, cores: %2, allowed %3").arg(offFactors).arg(offCores).arg(limit);
}

} // namespace

void CudaPlusGroupedTest::changesAgreeWithTheOracle_data()
{
    QTest::addColumn<int>("precision");
    QTest::addColumn<std::vector<Index>>("dims");
    QTest::addColumn<std::vector<unsigned>>("ranks");
    QTest::addColumn<unsigned>("coreRank");
    QTest::addColumn<int>("draw");
    QTest::addColumn<bool>("apart");
    QTest::addColumn<unsigned>("tiles");
    const auto add = [](const std::string& name, std::vector<Index> dims, std::vector<unsigned> ranks, unsigned coreRank,
                        Draw draw = Draw::Even, bool apart = false, unsigned tiles = mostTiles) {
        for (const Precision precision : {Precision::Fp16, Precision::Bf16})
            QTest::addRow("%s, %s", name.c_str(), std::string(toString(precision)).c_str())
                << int(precision) << dims << ranks << coreRank << int(draw) << apart << tiles;
    };
    const std::vector<Index> large{2000, 1700, 2300, 1900, 2100, 1800, 2200, 1600, 2400, 1500};
    const std::vector<Index> longer{2000, 5700, 2300, 4900, 2100, 6800, 2200, 4600, 2400, 5500}; // from 4097 on rows are not in slots
    const std::vector<Index> small{900, 9, 40, 700, 6, 300, 20, 800, 7, 500};
    const std::vector<unsigned> mixed{16, 5, 9, 1, 12, 16, 3, 7, 2, 14};
    for (unsigned order = 2; order <= 10; ++order) {
        const std::string name = "order " + std::to_string(order);
        const std::vector<unsigned> ranks(mixed.begin(), mixed.begin() + order);
        add(name + ", no row shared by a tile", {large.begin(), large.begin() + order}, ranks, 13);
        add(name + ", rows shared by tiles", {small.begin(), small.begin() + order}, std::vector<unsigned>(order, 16), 16);
        add(name + ", hot rows", {longer.begin(), longer.begin() + order}, ranks, 16, Draw::Hot);
    }
    for (unsigned order = 2; order <= 4; ++order) {
        const std::string name = "ranks to 32, order " + std::to_string(order);
        add(name, {small.begin(), small.begin() + order}, std::vector<unsigned>(order, 32), 32);
        add(name + ", mixed", {longer.begin(), longer.begin() + order}, {mixed.begin(), mixed.begin() + order}, 25, Draw::Hot);
    }
    for (const unsigned width : {48U, 64U}) {
        const std::string name = "ranks to " + std::to_string(width);
        add(name, {900, 9, 40}, {width, width, width}, width);
        add(name + ", mixed", {2000, 5700, 2300}, {width, 5, 33}, 37, Draw::Hot);
        add(name + ", groups of a tile", {500, 400, 9}, {width, 40, 36}, width, Draw::Hot, false, 1);
        add(name + ", one slice has all entries", {300, 200, 100}, {width, width, width}, width, Draw::Single);
    }
    for (const unsigned order : {5U, 6U}) {
        const std::string name = "ranks to 32, gradient by three places, order " + std::to_string(order);
        add(name, {small.begin(), small.begin() + order}, std::vector<unsigned>(order, 32), 32);
        add(name + ", mixed", {longer.begin(), longer.begin() + order}, {mixed.begin(), mixed.begin() + order}, 25, Draw::Hot);
    }
    add("one slice has all entries", {300, 200, 100}, {16, 16, 16}, 16, Draw::Single);
    for (const unsigned tiles : {1U, 3U})
        add("groups of " + std::to_string(tiles) + " tiles", {500, 400, 9}, {16, 16, 16}, 16, Draw::Hot, tiles == 3, tiles);
    add("one slice has all entries, a tile a group", {300, 200, 100, 50}, {16, 5, 9, 1}, 16, Draw::Single, false, 1);
    add("one index in a mode", {300, 1, 200, 1}, {4, 1, 16, 2}, 5);
    add("ranks 1", {500, 400, 9}, {1, 1, 1}, 1);
    add("gradient apart, order 3", {500, 400, 9}, {16, 16, 16}, 16, Draw::Even, true);
    add("gradient apart, order 3, no row shared by a tile", {2000, 5700, 2300}, {16, 5, 9}, 13, Draw::Hot, true);
    add("gradient apart, order 3, one slice has all entries", {300, 200, 100}, {16, 16, 16}, 16, Draw::Single, true);
    add("gradient apart, order 3, ranks to 32", {500, 400, 9}, {32, 32, 32}, 32, Draw::Even, true);
    add("gradient apart, order 4, rows shared by tiles", {900, 9, 40, 700}, {16, 16, 16, 16}, 16, Draw::Even, true);
    add("gradient apart, order 4, hot rows", {1500, 1400, 1300, 1200}, {16, 30, 17, 5}, 20, Draw::Hot, true);
}

void CudaPlusGroupedTest::changesAgreeWithTheOracle()
{
    POLYAD_NEEDS_GPU();
    QFETCH(int, precision);
    QFETCH(std::vector<Index>, dims);
    QFETCH(std::vector<unsigned>, ranks);
    QFETCH(unsigned, coreRank);
    QFETCH(int, draw);
    QFETCH(bool, apart);
    QFETCH(unsigned, tiles);
    const unsigned widest = std::max(coreRank, *std::max_element(ranks.begin(), ranks.end()));
    QVERIFY(canGroup(Precision(precision), widest, dims, entries, apart, {}));
    const SparseTensor train = drawnTensor(dims, Draw(draw));
    const Model start = tamedModel(dims, ranks, coreRank, false);
    const auto shares = sharesOf(train);
    // Products of nine rows are now and then so large that at 0.2 % the oracle is 0.12 of a change from itself in another order.
    const FactorPass factors = smallPass(shares, dims.size() < 9 ? 0.002 : 0.0005);
    const CorePass cores{3, 0.05, 0.01, false};
    RunControl control;
    const auto backEnd = load(Precision(precision), train, start, shares, apart ? Gathering::OwnPass : Gathering::Fused, control, false,
                              true, "fasttucker-plus", tiles);
    POLYAD_NEEDS_GROUPS(backEnd);
    backEnd->factorPass(factors, control);
    backEnd->corePass(cores, control);
    const QString off = difference(backEnd->model(Snapshot::Latest), train, start, factors, cores, Precision(precision), apart);
    QVERIFY2(off.isEmpty(), qPrintable(off));
}

void CudaPlusGroupedTest::dampedChangesAgreeWithTheOracle_data()
{
    QTest::addColumn<Precision>("precision");
    QTest::addColumn<std::vector<Index>>("dims");
    QTest::addColumn<unsigned>("rank");
    QTest::addColumn<int>("draw");
    const std::vector<Index> large{2000, 1700, 2300, 1900, 2100, 1800, 2200, 1600, 2400, 1500};
    const std::vector<Index> small{900, 9, 40, 700, 6, 300, 20, 800, 7, 500};
    const auto add = [&](unsigned order, unsigned rank) {
        const auto row = [&](const char* name, const std::vector<Index>& dims, Draw draw) {
            for (const Precision precision : {Precision::Fp16, Precision::Bf16})
                QTest::addRow("%s, order %u, %u columns, %s", std::string(toString(precision)).c_str(), order, rank, name)
                    << precision << std::vector<Index>(dims.begin(), dims.begin() + order) << rank << int(draw);
        };
        row("rows shared by tiles", small, Draw::Even);
        row("no row shared by a tile", large, Draw::Even);
        row("hot rows", large, Draw::Hot);
    };
    for (unsigned order = 2; order <= 10; ++order)
        add(order, order == 3 ? 16 : 13);
    for (const unsigned order : {2U, 3U, 4U, 5U, 6U})
        add(order, order == 3 ? 32 : 25);
    add(3, 48);
    add(3, 61);
    QTest::newRow("one slice has all entries") << Precision::Fp16 << std::vector<Index>{300, 200, 100} << 16U << int(Draw::Single);
}

/// Steps of rows by e / (1 + κ|w|²), gradients of the cores by e.
void CudaPlusGroupedTest::dampedChangesAgreeWithTheOracle()
{
    POLYAD_NEEDS_GPU();
    QFETCH(Precision, precision);
    QFETCH(std::vector<Index>, dims);
    QFETCH(unsigned, rank);
    QFETCH(int, draw);
    const SparseTensor train = drawnTensor(dims, Draw(draw));
    const Model start = tamedModel(dims, std::vector<unsigned>(dims.size(), rank), rank, false);
    const auto shares = sharesOf(train);
    FactorPass factors = smallPass(shares);
    factors.damping = test::PlusOracle(train, start, 11, train.entries()).halvingDamping();
    const CorePass cores{3, 0.05, 0.01, false};
    RunControl control;
    const auto backEnd =
        load(precision, train, start, shares, Gathering::OwnPass, control, false, true, "fasttucker-plus", mostTiles, true);
    POLYAD_NEEDS_GROUPS(backEnd);
    backEnd->factorPass(factors, control);
    backEnd->corePass(cores, control);
    const Model model = backEnd->model(Snapshot::Latest);
    const QString off = difference(model, train, start, factors, cores, precision, true);
    QVERIFY2(off.isEmpty(), qPrintable(off));
    FactorPass whole = factors;
    whole.damping.clear();
    QVERIFY(!difference(model, train, start, whole, cores, precision, true).isEmpty());
}

void CudaPlusGroupedTest::touchesChangeNothing_data()
{
    QTest::addColumn<std::vector<Index>>("dims");
    QTest::addColumn<unsigned>("rank");
    QTest::addColumn<bool>("narrow");
    QTest::addColumn<bool>("damped");
    QTest::addColumn<bool>("apart");
    const std::vector<Index> shared{700, 500, 9}, alone{1500, 1400, 1300}, many{900, 9, 40, 700, 6, 300, 20, 800, 7, 500};
    QTest::newRow("rows shared by tiles") << shared << 16U << false << false << false;
    QTest::newRow("no row shared by a tile") << alone << 25U << false << false << false;
    QTest::newRow("gradient apart") << shared << 16U << false << false << true;
    const std::vector<Index> longer{700, 5000, 9}, longest{1500, 4900, 5300}; // not in slots: the model itself
    QTest::newRow("long modes") << longer << 16U << false << false << false;
    QTest::newRow("long modes, no row shared by a tile") << longest << 16U << false << false << false;
    QTest::newRow("long modes, gradient apart") << longer << 16U << false << false << true;
    QTest::newRow("long modes, steps damped") << longest << 16U << false << true << true;
    QTest::newRow("rows in fp16") << shared << 16U << true << false << false;
    QTest::newRow("rows in fp16, none shared") << alone << 16U << true << false << false;
    QTest::newRow("steps damped") << shared << 13U << false << true << true;
    QTest::newRow("64 columns") << shared << 64U << false << false << true;
    QTest::newRow("ten modes") << many << 16U << true << false << false;
}

/// Nor what passes keep from rows to cores.
void CudaPlusGroupedTest::touchesChangeNothing()
{
    POLYAD_NEEDS_GPU();
    QFETCH(std::vector<Index>, dims);
    QFETCH(unsigned, rank);
    QFETCH(bool, narrow);
    QFETCH(bool, damped);
    QFETCH(bool, apart);
    const SparseTensor train = drawnTensor(dims, Draw::Hot);
    const Model start = tamedModel(dims, std::vector<unsigned>(dims.size(), rank), rank, false);
    const auto shares = sharesOf(train);
    const CorePass cores{3, 0.05, 0.01, false};
    FactorPass factors = smallPass(shares);
    if (damped)
        factors.damping = test::PlusOracle(train, start, 11, train.entries()).halvingDamping();
    RunControl control;
    const auto backEnd = load(Precision::Fp16, train, start, shares, apart ? Gathering::OwnPass : Gathering::Fused, control, narrow, true,
                              "fasttucker-plus", mostTiles, damped);
    POLYAD_NEEDS_GROUPS(backEnd);
    QVERIFY(backEnd->touchRows(0, control));
    QVERIFY(sameNumbers(backEnd->model(Snapshot::Latest), start));
    backEnd->factorPass(factors, control);
    const Model between = backEnd->model(Snapshot::Latest);
    QVERIFY(backEnd->touchRows(3, control));
    QVERIFY(sameNumbers(backEnd->model(Snapshot::Latest), between));
    backEnd->corePass(cores, control);
    if (narrow)
        return; // rows are rounded by chance: no single change is the oracle's
    const QString off = difference(backEnd->model(Snapshot::Latest), train, start, factors, cores, Precision::Fp16, apart);
    QVERIFY2(off.isEmpty(), qPrintable(off));
}

void CudaPlusGroupedTest::partsMakeAPass_data()
{
    QTest::addColumn<std::vector<Index>>("dims");
    QTest::addColumn<unsigned>("rank");
    QTest::addColumn<unsigned>("parts");
    QTest::addColumn<bool>("apart");
    QTest::newRow("rows shared by tiles") << std::vector<Index>{700, 500, 9} << 16U << 2U << false;
    QTest::newRow("no row shared by a tile") << std::vector<Index>{1500, 1400, 1300} << 16U << 5U << false;
    QTest::newRow("a long mode") << std::vector<Index>{700, 5000, 9} << 16U << 3U << false;
    QTest::newRow("order 4") << std::vector<Index>{900, 9, 40, 700} << 16U << 3U << false;
    QTest::newRow("gradient apart") << std::vector<Index>{700, 500, 9} << 16U << 7U << true;
    QTest::newRow("64 columns") << std::vector<Index>{700, 500, 9} << 64U << 3U << false;
}

/// Every entry is in one of them, for rows and for cores.
void CudaPlusGroupedTest::partsMakeAPass()
{
    POLYAD_NEEDS_GPU();
    QFETCH(std::vector<Index>, dims);
    QFETCH(unsigned, rank);
    QFETCH(unsigned, parts);
    QFETCH(bool, apart);
    const SparseTensor train = drawnTensor(dims, Draw::Hot);
    const Model start = tamedModel(dims, std::vector<unsigned>(dims.size(), rank), rank, false);
    const auto shares = sharesOf(train);
    const CorePass cores{3, 0.05, 0.01, false};
    RunControl control;
    const auto backEnd = load(Precision::Fp16, train, start, shares, apart ? Gathering::OwnPass : Gathering::Fused, control);
    POLYAD_NEEDS_GROUPS(backEnd);
    FactorPass pass = smallPass(shares);
    pass.parts = parts;
    for (; pass.part < parts; ++pass.part)
        backEnd->factorPass(pass, control);
    backEnd->corePass(cores, control);
    const QString off = difference(backEnd->model(Snapshot::Latest), train, start, pass, cores, Precision::Fp16, apart);
    QVERIFY2(off.isEmpty(), qPrintable(off));
}

void CudaPlusGroupedTest::rowScalesAreHonoured()
{
    POLYAD_NEEDS_GPU();
    for (const std::vector<Index>& dims : {std::vector<Index>{700, 500, 9}, std::vector<Index>{1500, 1400, 5300}}) {
        const SparseTensor train = drawnTensor(dims, Draw::Hot);
        const Model start = tamedModel(dims, {16, 16, 16}, 16, false);
        const auto shares = sharesOf(train);
        std::vector<std::vector<float>> scales(3);
        for (const unsigned n : {0U, 2U}) // mode 1 has none
            for (Index i = 0; i < dims[n]; ++i)
                scales[n].push_back(i == 0 ? 1.0F / 32768 : 1.0F / float(1 << i % 3)); // powers of two: steps have levels
        FactorPass pass = smallPass(shares);
        pass.rowScales = &scales;
        RunControl control;
        const auto backEnd = load(Precision::Fp16, train, start, shares, Gathering::Fused, control);
        backEnd->factorPass(pass, control);
        auto complete = scales;
        complete[1].assign(dims[1], 1.0F);
        pass.rowScales = &complete;
        test::PlusOracle oracle(train, start, 11, train.entries());
        oracle.factorPass(pass);
        const double off = oracle.changeDistance(backEnd->model(Snapshot::Latest), false);
        QVERIFY2(off < allowed(Precision::Fp16, 3), qPrintable(QString::number(off)));
    }
}

void CudaPlusGroupedTest::narrowRowsChangeAlikeOnAverage_data()
{
    QTest::addColumn<std::vector<Index>>("dims");
    QTest::addColumn<unsigned>("rank");
    QTest::addColumn<int>("draw");
    QTest::addColumn<bool>("apart");
    QTest::addColumn<double>("size");
    const std::vector<Index> large{700, 600, 500, 800, 650, 750, 550, 450, 850, 900};
    const std::vector<Index> small{300, 9, 40, 200, 6, 100, 20, 400, 7, 250};
    for (unsigned order = 2; order <= 10; ++order) {
        QTest::addRow("order %u, rows shared by tiles", order)
            << std::vector<Index>(small.begin(), small.begin() + order) << 16U << int(Draw::Even) << false << 1.0;
        QTest::addRow("order %u, hot rows", order)
            << std::vector<Index>(large.begin(), large.begin() + order) << 13U << int(Draw::Hot) << false << 1.0;
    }
    for (unsigned order = 2; order <= 4; ++order)
        QTest::addRow("32 columns, order %u", order)
            << std::vector<Index>(small.begin(), small.begin() + order) << 32U << int(Draw::Hot) << false << 1.0;
    for (const unsigned width : {48U, 64U})
        QTest::addRow("%u columns", width) << std::vector<Index>(small.begin(), small.begin() + 3) << width << int(Draw::Hot) << false
                                           << 1.0;
    for (const unsigned order : {5U, 6U})
        QTest::addRow("32 columns, order %u", order)
            << std::vector<Index>(small.begin(), small.begin() + order) << 32U << int(Draw::Hot) << false << 1.0;
    QTest::addRow("a long mode") << std::vector<Index>{300, 5000, 40} << 16U << int(Draw::Hot) << false << 1.0;
    QTest::addRow("gradient apart") << small << 16U << int(Draw::Even) << true << 1.0;
    QTest::addRow("rows of 1e-4") << std::vector<Index>{300, 200, 40} << 16U << int(Draw::Even) << false << 1e-4;
    QTest::addRow("rows of 1e4") << std::vector<Index>{300, 200, 40} << 16U << int(Draw::Even) << false << 1e4;
}

/// One pass rounds by chance, the mean of many does not: small steps are not lost.
void CudaPlusGroupedTest::narrowRowsChangeAlikeOnAverage()
{
    POLYAD_NEEDS_GPU();
    QFETCH(std::vector<Index>, dims);
    QFETCH(unsigned, rank);
    QFETCH(int, draw);
    QFETCH(bool, apart);
    QFETCH(double, size);
    if (apart)
        dims.resize(3);
    const SparseTensor train = drawnTensor(dims, Draw(draw));
    const Model start = ofFewBits(tamedModel(dims, std::vector<unsigned>(dims.size(), rank), rank, false), size);
    const auto shares = sharesOf(train);
    FactorPass factors = smallPass(shares);
    for (double& rate : factors.rates)
        rate *= (dims.size() < 9 ? 10 : 5) * size * size; // in units of the rows, which the cores undo; of nine modes as above
    factors.lambda /= size * size;
    RunControl control;
    const auto backEnd = load(Precision::Fp16, train, start, shares, apart ? Gathering::OwnPass : Gathering::Fused, control, true);
    POLYAD_NEEDS_GROUPS(backEnd);
    Model mean;
    constexpr unsigned passes = 48;
    for (unsigned k = 0; k < passes; ++k) {
        factors.iteration = k;
        backEnd->replaceLatest(start, control);
        backEnd->factorPass(factors, control);
        const Model model = backEnd->model(Snapshot::Latest);
        if (k == 0)
            mean = model;
        for (unsigned n = 0; n < dims.size(); ++n)
            for (std::size_t i = 0; i < mean.factors[n].rows; ++i)
                for (std::size_t j = 0; j < rank; ++j)
                    mean.factors[n].set(i, j, (k * mean.factors[n].at(i, j) + model.factors[n].at(i, j)) / (k + 1));
    }
    const CorePass cores{3, 0.05, 0.01, false};
    backEnd->replaceLatest(start, control);
    backEnd->factorPass(factors, control);
    backEnd->corePass(cores, control);
    test::PlusOracle ofFactors(train, start, 11, train.entries());
    ofFactors.factorPass(factors);
    test::PlusOracle ofCores(train, start, 11, train.entries());
    if (seesNewRows(apart, start))
        ofCores.factorPass(factors);
    ofCores.corePass(cores);
    const double offFactors = ofFactors.changeDistance(mean, false);
    const double offCores = ofCores.changeDistance(backEnd->model(Snapshot::Latest), true);
    QVERIFY2(offFactors < 0.2 && offCores < 0.2, qPrintable(QString("factors: %1 of a change, cores: %2").arg(offFactors).arg(offCores)));
}

/// At rates that fit: the same tensor by both orders of visits, rows in fp32 and in fp16.
void CudaPlusGroupedTest::fitsAsWellAsShuffledEntries()
{
    POLYAD_NEEDS_GPU();
    const std::vector<Index> dims{400, 300, 12};
    const Model truth = tamedModel(dims, {4, 4, 4}, 4, false);
    SparseTensor train = test::randomTensor(dims, 60000, 9);
    const test::PlusOracle planted(train, truth, 0, 1);
    for (Count e = 0; e < train.entries(); ++e)
        train.setValue(e, planted.prediction(e));
    const Model start = tamedModel(dims, {8, 8, 8}, 8, false);
    const auto shares = sharesOf(train);
    std::vector<double> rmse;
    for (const auto& [gathering, narrow] : {std::pair{Gathering::None, false}, {Gathering::Fused, false}, {Gathering::Fused, true}}) {
        RunControl control;
        const auto backEnd = load(Precision::Fp16, train, start, shares, gathering, control, narrow);
        for (std::uint64_t t = 0; t < 30; ++t) {
            FactorPass pass;
            pass.iteration = t;
            pass.rates = {0.02, 0.02, 0.0005};
            backEnd->factorPass(pass, control);
            backEnd->corePass(CorePass{t, 0.05, 0, false}, control);
        }
        rmse.push_back(backEnd->evaluate(false, control).rmse());
    }
    const double before = test::PlusOracle(train, start, 11, train.entries()).evaluate().rmse();
    for (const double grouped : {rmse[1], rmse[2]})
        QVERIFY2(grouped < 0.5 * before && grouped < 1.1 * rmse[0],
                 qPrintable(QString("%1, %2 of %3").arg(rmse[0]).arg(grouped).arg(before)));
}

/// One value a million times the others': fp16 clips its pull, everything stays a number.
void CudaPlusGroupedTest::largeErrorsStayFinite()
{
    POLYAD_NEEDS_GPU();
    const std::vector<Index> dims{400, 300, 12};
    SparseTensor train = drawnTensor(dims, Draw::Even);
    train.setValue(77, 1e6);
    const Model start = tamedModel(dims, {16, 16, 16}, 16, false);
    const auto shares = sharesOf(train);
    for (const bool narrow : {false, true}) {
        RunControl control;
        const auto backEnd = load(Precision::Fp16, train, start, shares, Gathering::Fused, control, narrow);
        backEnd->factorPass(smallPass(shares), control);
        backEnd->corePass(CorePass{0, 1e-9, 0, false}, control);
        QVERIFY(std::isfinite(backEnd->evaluate(false, control).rmse()));
    }
}

/// Of the row that a group shares no more than of rows that are changed a tile at a time.
void CudaPlusGroupedTest::fewEntriesSeeTheSameOldRow()
{
    POLYAD_NEEDS_GPU();
    const std::vector<Index> dims{480'189, 17'770, 2'182};
    const std::vector<unsigned> ranks{16, 16, 16};
    std::vector<std::vector<float>> shares;
    for (const Index size : dims)
        shares.emplace_back(size, 1.0F / float(size));
    const auto backEnd = test::makeCuda(Precision::Fp16, "fasttucker-plus");
    for (const Count count : {1'200'000U, 10'000'000U, 16'000'000U, 50'000'000U, 100'000'000U}) {
        const Flight flight{dims, ranks, 16, false, Gathering::Fused, 0, count, shares};
        const std::vector<Concurrency> modes = backEnd->concurrency(flight);
        const Concurrency& shared = modes[2];
        const double tiles = shared.together / entriesPerTile;
        qInfo("%u entries: %.0f in flight, groups of %.0f tiles", unsigned(count), modes[0].inFlight, tiles);
        QVERIFY(modes[0].inFlight <= double(mostGroupedInFlight(count)) && modes[0].together == 1);
        QCOMPARE(shared.inFlight, modes[0].inFlight * tiles);
        QVERIFY(tiles >= 1 && tiles <= mostTiles && shared.inFlight <= double(mostGroupedInFlight(count)));
        QVERIFY(tiles == mostTiles || shared.inFlight + modes[0].inFlight > double(mostGroupedInFlight(count))); // or groups are too short
        // Of ten thousand times as many rows none is shared by tiles.
        std::vector<std::vector<float>> thin(3, std::vector<float>(20'000'000, 1.0F / 20'000'000));
        for (const Concurrency& mode : backEnd->concurrency(Flight{dims, ranks, 16, false, Gathering::Fused, 0, count, thin}))
            QVERIFY(mode.inFlight <= double(mostGroupedInFlight(count)) && mode.together == togetherByHottest(entriesPerTile, 3));
    }
}

void CudaPlusGroupedTest::groupsAreAsPlanned_data()
{
    QTest::addColumn<std::vector<Index>>("dims");
    QTest::newRow("order 2") << std::vector<Index>{900, 700};
    QTest::newRow("order 3") << std::vector<Index>{900, 700, 9};
    QTest::newRow("order 4") << std::vector<Index>{50, 2000, 30, 700};
    QTest::newRow("one index in the other mode") << std::vector<Index>{40, 1};
}

/// One of several devices: its entries are others than those that its groups were chosen for.
void CudaPlusGroupedTest::groupsAreAsPlanned()
{
    POLYAD_NEEDS_GPU();
    QFETCH(std::vector<Index>, dims);
    const SparseTensor train = drawnTensor(dims, Draw::Even);
    const Model start = tamedModel(dims, std::vector<unsigned>(dims.size(), 16), 16, false);
    const auto shares = sharesOf(train);
    auto ofAll = shares;
    std::fill(ofAll[0].begin(), ofAll[0].end(), 0.0F); // the first mode's rows, of which it has many, are shared by tiles
    ofAll[0][3] = 1;
    QVERIFY(chooseGrouping(ofAll, entries).uniform && chooseGrouping(ofAll, entries).modes[0] == 0);
    RunControl control;
    const auto backEnd = test::makeCuda(Precision::Fp16, "fasttucker-plus");
    Problem problem{train, nullptr, start, 11};
    problem.grouping = Gathering::Fused;
    problem.shares = &shares;
    problem.planned = {3 * entries, &ofAll};
    backEnd->load(problem, control);
    const FactorPass factors = smallPass(shares);
    const CorePass cores{3, 0.05, 0.01, false};
    backEnd->factorPass(factors, control);
    backEnd->corePass(cores, control);
    const QString off = difference(backEnd->model(Snapshot::Latest), train, start, factors, cores, Precision::Fp16, false);
    QVERIFY2(off.isEmpty(), qPrintable(off));
}

QTEST_GUILESS_MAIN(CudaPlusGroupedTest)
#include "tst_cuda_plus_grouped.moc"
