// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "grouped_problem.h"
#include "plus_oracle.h"

#include <cmath>

using namespace kernels;
using namespace kernels::fasttucker_plus;
using test::Draw;
using test::drawnTensor;

/// The variant "grouped" where it has no kernels of its own: entries that share hot rows stand together, and neighbours' changes of
/// equal rows are added up first.
class CudaPlusTogetherTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void changesAgreeWithTheOracle_data();
    void changesAgreeWithTheOracle();
    void everyChangeIsAddedOnce_data();
    void everyChangeIsAddedOnce();
    void rowScalesAreHonoured();
    void fitsAsWellAsShuffledEntries_data();
    void fitsAsWellAsShuffledEntries();
};

namespace {

constexpr Count entries = test::drawnEntries;
const std::vector<Index> dims{900, 9, 700, 40, 300, 20, 50};

struct Kind {
    Precision precision;
    bool onTensorCores;

    bool half() const { return precision == Precision::Fp16 || precision == Precision::Bf16; }
    std::string name() const { return std::string(toString(precision)) + (onTensorCores ? " on tensor cores" : ""); }
};
constexpr Kind kinds[] = {{Precision::Fp32, false}, {Precision::Fp32, true}, {Precision::Tf32, true}, {Precision::Fp64, false},
                          {Precision::Fp64, true},  {Precision::Fp16, true}, {Precision::Bf16, true}};

void addColumns()
{
    QTest::addColumn<int>("precision");
    QTest::addColumn<bool>("onTensorCores");
    QTest::addColumn<std::vector<unsigned>>("ranks");
    QTest::addColumn<int>("draw");
    QTest::addColumn<bool>("inTurn");
}

/// Every precision with columns it has no kernels of groups for: each shape of kernel, orders 2 to 7, and how rows are drawn.
/// widestOfAllDraws: wider ones have hot rows alone.
void addRows(unsigned widestOfAllDraws)
{
    const char* const draws[] = {"even", "hot rows", "one slice has all"};
    for (const Kind& kind : kinds) {
        const auto add = [&](const std::string& name, const std::vector<unsigned>& ranks, Draw draw, bool inTurn = false) {
            QTest::addRow("%s, %s, %s", kind.name().c_str(), name.c_str(), draws[int(draw)])
                << int(kind.precision) << kind.onTensorCores << ranks << int(draw) << inTurn;
        };
        const std::vector<unsigned> widths = kind.half() ? std::vector<unsigned>{80, 96, 128} : std::vector<unsigned>{16, 32, 64, 128, 48};
        for (const unsigned width : widths)
            for (const Draw draw : {Draw::Even, Draw::Hot, Draw::Single})
                if (width <= widestOfAllDraws || draw == Draw::Hot)
                    add(std::to_string(width) + " columns", std::vector<unsigned>(3, width), draw);
        for (const unsigned order : {2U, 4U, 5U, 6U})
            add("order " + std::to_string(order), std::vector<unsigned>(order, kind.half() ? 33 : 7), Draw::Hot);
        add("mixed ranks", {48, 5, 33, 1}, Draw::Hot);
        if (kind.half())
            for (const Draw draw : {Draw::Even, Draw::Hot, Draw::Single})
                add("33 columns of order 2", {33, 33}, draw);
        if (kind.half())
            add("32 columns of order 7", std::vector<unsigned>(7, 32), Draw::Hot);
        if (kind.onTensorCores) {
            for (const Draw draw : {Draw::Even, Draw::Hot, Draw::Single})
                add("mode by mode, 16 columns", std::vector<unsigned>(3, 16), draw, true);
            add("mode by mode, order 5", std::vector<unsigned>(5, 20), Draw::Hot, true);
            add("mode by mode, mixed ranks", {48, 5, 33, 1}, Draw::Hot, true);
        }
    }
}

/// inTurn: FastTucker, which renews mode by mode.
std::unique_ptr<PlusBackEnd> load(Precision precision, const SparseTensor& train, const Model& start,
                                  const std::vector<std::vector<float>>& shares, RunControl& control, bool onTensorCores, bool inTurn)
{
    const Gathering gathering = inTurn ? Gathering::Sorted : Gathering::Fused;
    return test::load(precision, train, start, shares, gathering, control, false, onTensorCores, inTurn ? "fasttucker" : "fasttucker-plus");
}

std::vector<Index> firstDims(std::size_t order) { return {dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(order)}; }

/// d^(n) is 1 in every column for any entry, and x̂ 0: rows of one mode are 0, all others and the cores' diagonals are 1.
Model onesBut(unsigned zeroMode, const std::vector<Index>& sizes, const std::vector<unsigned>& ranks, bool doubles)
{
    Model model = test::tamedModel(sizes, ranks, ranks.front(), doubles);
    for (unsigned n = 0; n < sizes.size(); ++n) {
        for (std::size_t i = 0; i < sizes[n]; ++i)
            for (std::size_t j = 0; j < ranks[n]; ++j)
                model.factors[n].set(i, j, n == zeroMode ? 0 : 1);
        for (std::size_t j = 0; j < ranks[n]; ++j)
            for (std::size_t r = 0; r < model.coreRank; ++r)
                model.coreFactors[n].set(j, r, r % ranks[n] == j ? 1 : 0);
    }
    return model;
}

} // namespace

void CudaPlusTogetherTest::changesAgreeWithTheOracle_data()
{
    addColumns();
    addRows(48); // the oracle takes seconds for wide ones
}

void CudaPlusTogetherTest::changesAgreeWithTheOracle()
{
    POLYAD_NEEDS_GPU();
    QFETCH(int, precision);
    QFETCH(bool, onTensorCores);
    QFETCH(std::vector<unsigned>, ranks);
    QFETCH(int, draw);
    QFETCH(bool, inTurn);
    const std::vector<Index> sizes = firstDims(ranks.size());
    const unsigned coreRank = ranks.front();
    QVERIFY((inTurn || !canGroup(Precision(precision), coreRank, sizes, entries, false, {})) && canStandTogether(entries));
    const SparseTensor train = drawnTensor(sizes, Draw(draw));
    const Model start = test::tamedModel(sizes, ranks, coreRank, Precision(precision) == Precision::Fp64);
    const auto shares = test::sharesOf(train);
    const FactorPass factors = test::smallPass(shares);
    const CorePass cores{3, 0.05, 0.01, false};
    RunControl control;
    const auto backEnd = load(Precision(precision), train, start, shares, control, onTensorCores, inTurn);
    backEnd->factorPass(factors, control);
    if (!inTurn) // a core there sees those before it, which have changed by a good part
        backEnd->corePass(cores, control);
    const Model model = backEnd->model(Snapshot::Latest);

    test::PlusOracle ofFactors(train, start, 11, train.entries());
    ofFactors.factorPass(factors);
    const double offFactors = ofFactors.changeDistance(model, false);
    ofFactors.corePass(cores);
    const double offCores = inTurn ? 0 : ofFactors.changeDistance(model, true);
    const double limit = test::allowed(Precision(precision), unsigned(ranks.size()));
    QVERIFY2(offFactors < limit && offCores < limit,
             qPrintable(QString("factors: %1 of a change, cores: %2, allowed %3").arg(offFactors).arg(offCores).arg(limit)));
}

void CudaPlusTogetherTest::everyChangeIsAddedOnce_data()
{
    addColumns();
    addRows(128);
}

/// Each entry changes each number of its row by the same power of two, far below what predictions notice: rows count their entries.
void CudaPlusTogetherTest::everyChangeIsAddedOnce()
{
    POLYAD_NEEDS_GPU();
    QFETCH(int, precision);
    QFETCH(bool, onTensorCores);
    QFETCH(std::vector<unsigned>, ranks);
    QFETCH(int, draw);
    QFETCH(bool, inTurn);
    std::fill(ranks.begin(), ranks.end(), ranks.front()); // cores that are diagonals
    const std::vector<Index> sizes = firstDims(ranks.size());
    SparseTensor train = drawnTensor(sizes, Draw(draw));
    for (Count e = 0; e < entries; ++e)
        train.setValue(e, 1);
    const auto shares = test::sharesOf(train);
    const double step = std::exp2(-80);
    FactorPass pass;
    pass.iteration = 5;
    pass.rates.assign(ranks.size(), step);
    RunControl control;
    for (unsigned n = 0; n < ranks.size(); ++n) {
        const Model start = onesBut(n, sizes, ranks, Precision(precision) == Precision::Fp64);
        const auto backEnd = load(Precision(precision), train, start, shares, control, onTensorCores, inTurn);
        backEnd->factorPass(pass, control);
        const Model model = backEnd->model(Snapshot::Latest);
        std::vector<Count> counts(sizes[n]);
        for (const Index i : train.indices[n])
            ++counts[i];
        for (Index i = 0; i < sizes[n]; ++i)
            for (unsigned j = 0; j < ranks[n]; ++j)
                QVERIFY2(model.factors[n].at(i, j) == double(counts[i]) * step,
                         qPrintable(QString("mode %1, row %2, column %3: %4 entries, not %5")
                                        .arg(n)
                                        .arg(i)
                                        .arg(j)
                                        .arg(model.factors[n].at(i, j) / step)
                                        .arg(counts[i])));
    }
}

void CudaPlusTogetherTest::rowScalesAreHonoured()
{
    POLYAD_NEEDS_GPU();
    const std::vector<Index> sizes{700, 500, 9};
    const SparseTensor train = drawnTensor(sizes, Draw::Hot);
    const auto shares = test::sharesOf(train);
    std::vector<std::vector<float>> scales(3);
    for (const unsigned n : {0U, 2U}) // mode 1 has none
        for (Index i = 0; i < sizes[n]; ++i)
            scales[n].push_back(1.0F / float(1 + i % 3));
    auto complete = scales;
    complete[1].assign(sizes[1], 1.0F);
    for (const Kind& kind : kinds) {
        const unsigned columns = kind.half() ? 72 : 64; // no kernels of groups
        const Model start = test::tamedModel(sizes, {columns, columns, columns}, columns, kind.precision == Precision::Fp64);
        FactorPass pass = test::smallPass(shares);
        pass.rowScales = &scales;
        RunControl control;
        const auto backEnd = test::load(kind.precision, train, start, shares, Gathering::Fused, control, false, kind.onTensorCores);
        backEnd->factorPass(pass, control);
        pass.rowScales = &complete;
        test::PlusOracle oracle(train, start, 11, train.entries());
        oracle.factorPass(pass);
        const double off = oracle.changeDistance(backEnd->model(Snapshot::Latest), false);
        QVERIFY2(off < test::allowed(kind.precision, 3), qPrintable(QString::fromStdString(kind.name()) + ": " + QString::number(off)));
    }
}

void CudaPlusTogetherTest::fitsAsWellAsShuffledEntries_data()
{
    QTest::addColumn<int>("precision");
    QTest::addColumn<bool>("onTensorCores");
    QTest::addColumn<bool>("inTurn");
    for (const Kind& kind : kinds)
        for (const bool inTurn : {false, true})
            if (kind.onTensorCores || !inTurn)
                QTest::addRow("%s%s", kind.name().c_str(), inTurn ? ", mode by mode" : "")
                    << int(kind.precision) << kind.onTensorCores << inTurn;
}

/// At rates that fit: the same tensor by both orders of visits.
void CudaPlusTogetherTest::fitsAsWellAsShuffledEntries()
{
    POLYAD_NEEDS_GPU();
    QFETCH(int, precision);
    QFETCH(bool, onTensorCores);
    QFETCH(bool, inTurn);
    const bool doubles = Precision(precision) == Precision::Fp64;
    const std::vector<Index> sizes{400, 300, 12};
    const Model truth = test::tamedModel(sizes, {4, 4, 4}, 4, false);
    SparseTensor train = test::randomTensor(sizes, 60000, 9);
    const test::PlusOracle planted(train, truth, 0, 1);
    for (Count e = 0; e < train.entries(); ++e)
        train.setValue(e, planted.prediction(e));
    const unsigned columns = Precision(precision) == Precision::Fp16 || Precision(precision) == Precision::Bf16 ? 72 : 40; // not grouped
    const Model start = test::tamedModel(sizes, {columns, columns, columns}, columns, doubles);
    const auto shares = test::sharesOf(train);
    std::vector<double> rmse;
    for (const Gathering gathering : {Gathering::None, inTurn ? Gathering::Sorted : Gathering::Fused}) {
        RunControl control;
        const auto backEnd = test::load(Precision(precision), train, start, shares, gathering, control, false, onTensorCores,
                                        inTurn ? "fasttucker" : "fasttucker-plus");
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
    QVERIFY2(rmse[1] < 0.5 * before && rmse[1] < 1.1 * rmse[0],
             qPrintable(QString("%1 shuffled, %2 together, %3 before").arg(rmse[0]).arg(rmse[1]).arg(before)));
}

QTEST_GUILESS_MAIN(CudaPlusTogetherTest)
#include "tst_cuda_plus_together.moc"
