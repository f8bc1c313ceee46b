// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/family.h"
#include "kernels/algorithms/fasttucker_plus/start.h"
#include "kernels/base/error.h"
#include "support/device_rows.h"
#include "support/known_tensors.h"
#include "support/oracle.h"
#include "support/random_tensor.h"
#include "support/tolerance.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace kernels;
using namespace kernels::fasttucker_plus;
namespace oracle = test::oracle;

namespace {

/// Shapes worth a row: J and R below, at and above tiles of 16, alike and apart, orders 2 to 10.
struct Shape {
    std::string name;
    std::vector<Index> dims;
    std::vector<unsigned> ranks;
    unsigned coreRank;
    Count entries;
    Count batch;
    bool vast = false; ///< clipped cores predict what no precision holds
};

std::vector<Shape> shapes()
{
    std::vector<Shape> all{
        {"J = R = 1", {6, 5, 4}, {1, 1, 1}, 1, 50, 7},
        {"J = R = 16", {40, 30, 5}, {16, 16, 16}, 16, 400, 64},
        {"J = R = 32", {9, 8, 7}, {32, 32, 32}, 32, 60, 16},
        {"J = R = 64", {9, 8}, {64, 64}, 64, 40, 13},
        {"J = R = 128", {5, 4, 3}, {128, 128, 128}, 128, 33, 40},
        {"J = 17, R = 33", {9, 8, 7}, {17, 17, 17}, 33, 90, 32},
        {"J = 33, R = 17", {9, 8, 7}, {33, 33, 33}, 17, 90, 31},
        {"J = 3, 17, 1, 128, R = 5", {9, 8, 7, 3}, {3, 17, 1, 128}, 5, 90, 1},
        {"one entry", {3, 2, 2}, {3, 3, 3}, 3, 1, 16},
        {"one index in every mode", {1, 1, 1}, {4, 4, 4}, 4, 40, 8},
        {"all entries in one slice", {1, 40, 30}, {6, 17, 3}, 9, 300, 64},
        {"mostly empty slices", {700, 5, 900}, {3, 18, 5}, 7, 40, 16},
        {"several visiting blocks", {50, 40, 30}, {5, 5, 5}, 4, 700, 150},
        {"rows of tens of thousands of entries", {2, 300, 200}, {4, 4, 4}, 4, 70000, 500},
        {"fibres longer than a tree lets them be", {1000, 2, 1}, {5, 5, 5}, 4, 800, 100},
    };
    all.push_back({"order 4 of 16", test::dimsOfOrder(4), std::vector<unsigned>(4, 16), 16, 60, 16});
    all.push_back({"order 5 of 32", test::dimsOfOrder(5), std::vector<unsigned>(5, 32), 32, 40, 16, true});
    all.push_back({"order 10 of 64", test::dimsOfOrder(10), std::vector<unsigned>(10, 64), 64, 20, 8, true});
    all.push_back(
        {"order 16 of 128", test::dimsOfOrder(16), std::vector<unsigned>(16, 128), 128, 5, 4, true}); // more than shared memory holds
    for (unsigned order = 2; order <= 10; ++order)
        all.push_back({"order " + std::to_string(order), test::dimsOfOrder(order), std::vector<unsigned>(order, 3), 4, 150, 32});
    return all;
}

/// A row, with products where a run of the row has them or (fp32 and fp64 of a GPU) on the other kind of cores.
struct FamilyRow : test::DeviceRow {
    bool onTensorCores = false;

    std::string name() const { return test::DeviceRow::name() + (onTensorCores && masters() ? " tensor cores" : ""); }
    bool masters() const { return precision == Precision::Fp32 || doubles(); }
};

} // namespace

Q_DECLARE_METATYPE(FamilyRow)

namespace {

std::vector<FamilyRow> familyRows()
{
    std::vector<FamilyRow> rows;
    for (const test::DeviceRow& row : test::deviceRows()) {
        const AlgorithmInfo& info = algorithm(row.algorithm);
        if (info.family != "FastTucker")
            continue;
        rows.push_back({row, false});
        rows.back().onTensorCores = !rows.back().masters();
        if (rows.back().masters() && info.parameter("products") && tensorCoresOf(row.device, row.precision))
            rows.push_back({row, true});
    }
    return rows;
}

/// Everything one comparison needs; the back end is loaded in deterministic mode.
struct Fixture {
    FamilyRow row;
    Shape shape;
    SparseTensor train;
    Model start;
    RunControl control;
    std::unique_ptr<PlusBackEnd> backEnd;
    Ordering ordering;

    Fixture(FamilyRow r, Shape s, bool deterministic = true, unsigned threads = 0, Ordering o = {}, bool damped = false)
        : row(std::move(r))
        , shape(std::move(s))
        , train(test::skewedTensor(shape.dims, shape.entries, 0.3, 11, row.doubles()))
        , start(test::evenModel(shape.dims, shape.ranks, shape.coreRank, 12, row.doubles()))
        , ordering(o)
    {
        std::unique_ptr<BackEnd> made = makeBackEnd(row.algorithm, row.precision, row.device);
        backEnd.reset(dynamic_cast<PlusBackEnd*>(made.get()));
        if (backEnd)
            made.release();
        Problem problem{train, &train, start, seed, deterministic, shape.batch, row.variant == "store", 0, threads};
        problem.variant = row.variant;
        problem.ordering = ordering;
        problem.damped = damped;
        problem.onTensorCores = row.onTensorCores;
        backEnd->load(problem, control);
    }

    /// Original entry numbers in the order iteration t visits them; where modes are renewed in turn, for this one.
    std::vector<Count> visits(std::uint64_t t, int mode) const
    {
        std::vector<Count> result;
        RunControl none;
        const Arrangement stored(train, shape.ranks, ordering, seed, none);
        const VisitingOrder order = Visits(shape.dims, shape.ranks, train.entries(), ordering, seed, modeByMode()).of(t);
        for (Count v = 0; v < train.entries(); ++v)
            result.push_back(row.format == "bcsf" ? v : stored.at(order.at(v)));
        if (row.algorithm == "fastertucker")
            sortByRows(result, unsigned(mode));
        return result;
    }

    /// Row after row of the mode; in trees the other modes follow, the smallest first.
    void sortByRows(std::vector<Count>& entries, unsigned mode) const
    {
        std::vector<unsigned> others;
        for (unsigned n = 0; n < shape.dims.size() && row.format == "bcsf"; ++n)
            if (n != mode)
                others.push_back(n);
        std::stable_sort(others.begin(), others.end(), [&](unsigned a, unsigned b) { return shape.dims[a] < shape.dims[b]; });
        std::reverse(others.begin(), others.end());
        others.push_back(mode);
        for (const unsigned n : others) // the last decides
            std::stable_sort(entries.begin(), entries.end(), [&](Count a, Count b) { return train.indices[n][a] < train.indices[n][b]; });
    }

    bool modeByMode() const { return row.algorithm != "fasttucker-plus"; }

    /// What the passes of iteration t should do, the batch other than the back end's where it does not matter.
    void expectFactors(Model& expected, oracle::FactorStep step, std::uint64_t t, Count batch = 0) const
    {
        step.clipsBatches = row.algorithm == "fastertucker";
        for (step.mode = modeByMode() ? 0 : -1; step.mode < (modeByMode() ? int(shape.dims.size()) : 0); ++step.mode)
            oracle::factorPass(expected, train, visits(t, step.mode), batch ? batch : shape.batch, step);
    }
    void expectCores(Model& expected, double rate, double lambda, bool nonnegative) const
    {
        for (int mode = modeByMode() ? 0 : -1; mode < (modeByMode() ? int(shape.dims.size()) : 0); ++mode)
            oracle::corePass(expected, train, rate, lambda, nonnegative, mode);
    }

    /// Products of J × R, sums over R, over modes, and over the entries that meet in a row or in the core. Of operands that are rounded to
    /// few bits only a part of the change is off, though that part is large: whoever changes nothing must not pass.
    double tolerance(double moved) const
    {
        const double largest = *std::max_element(shape.ranks.begin(), shape.ranks.end());
        const double terms = 4 * (largest + shape.coreRank + shape.dims.size()) + 0.5 * double(shape.entries);
        if (masters())
            return test::tolerance(row.precision, terms);
        const double part = std::clamp(16 * (1.0 + shape.dims.size()) * test::operandRoundOff(row.precision), 0.1, 0.5);
        return std::min(test::tolerance(row.precision, terms), part * moved + test::tolerance<float>(terms));
    }
    double tolerance(const Model& expected) const { return tolerance(oracle::distance(start, expected)); }
    bool masters() const { return row.masters(); }

    static constexpr std::uint64_t seed = 21;
};

FactorPass passOf(const oracle::FactorStep& step, std::uint64_t t)
{
    FactorPass pass;
    pass.iteration = t;
    pass.rates = step.rates;
    pass.rowScales = step.rowScales.empty() ? nullptr : &step.rowScales;
    pass.damping = step.damping;
    pass.lambda = step.lambda;
    pass.nonnegative = step.nonnegative;
    return pass;
}

/// Small enough that a batch of 64 hot rows moves nothing far, large enough that every update shows.
oracle::FactorStep smallStep(const Shape& shape)
{
    oracle::FactorStep step;
    for (unsigned n = 0; n < shape.dims.size(); ++n)
        step.rates.push_back(0.002 / (shape.coreRank * (1 + n)));
    step.lambda = 0.03;
    return step;
}

/// every: so many of the shapes on a GPU, where loading takes long.
void addRows(bool vastOnes = true, unsigned every = 1)
{
    QTest::addColumn<FamilyRow>("device");
    QTest::addColumn<int>("shape");
    const auto all = shapes();
    for (const auto& device : familyRows())
        for (std::size_t s = 0; s < all.size(); ++s)
            if ((device.device.kind == DeviceKind::Cpu || s % every == 0) && (vastOnes || !all[s].vast)
                && (all[s].entries < 10'000 || device.algorithm == "fastertucker")) // which cuts long rows
                QTest::addRow("%s, %s", device.name().c_str(), all[s].name.c_str()) << device << int(s);
}

std::unique_ptr<Fixture> fetchFixture(bool damped = false)
{
    QFETCH(FamilyRow, device);
    QFETCH(int, shape);
    return std::make_unique<Fixture>(device, shapes().at(std::size_t(shape)), true, 0, Ordering{}, damped);
}

} // namespace

#define POLYAD_COMPARE_MODELS(actual, expected, tolerance)                                                                                 \
    do {                                                                                                                                   \
        const double off = oracle::distance(actual, expected);                                                                             \
        const double allowed = tolerance;                                                                                                  \
        QVERIFY2(off <= allowed, qPrintable(QStringLiteral("off by %1, allowed %2").arg(off).arg(allowed)));                               \
    } while (false)

class FastTuckerFamilyTest : public QObject {
    Q_OBJECT

private:
    static void compareNormalMode(const FamilyRow& device, int shape, bool damped)
    {
        Fixture f(device, shapes().at(std::size_t(shape)), false, 1, {}, damped);
        oracle::FactorStep step = smallStep(f.shape);
        for (double& rate : step.rates)
            rate *= (device.doubles() ? 1e-4 : 0.01) * std::min(1.0, 2000.0 / double(f.shape.entries));
        if (damped)
            step.damping = halvingDamping(f);
        Model expected = oracle::inDoubles(f.start);
        FactorPass pass = passOf(step, 0);
        pass.parts = device.algorithm == "fasttucker-plus" ? 3 : 1; // of others no device has a part alone
        for (; pass.part < pass.parts; ++pass.part)
            f.backEnd->factorPass(pass, f.control);
        f.expectFactors(expected, step, 0, f.train.entries());
        const double moved = oracle::distance(f.start, expected);
        const double off = oracle::distance(f.backEnd->model(Snapshot::Latest), expected);
        const double share = device.doubles() ? 1e-3 : 0.1;
        QVERIFY2(off <= share * moved + f.tolerance(moved), qPrintable(QStringLiteral("off by %1, moved %2").arg(off).arg(moved)));
    }

    /// One entry's errors are halved, the others' more or less.
    static std::vector<double> halvingDamping(const Fixture& f)
    {
        std::vector<double> damping;
        for (const oracle::Vector& ofMode : oracle::projections(oracle::inDoubles(f.start), f.train, 0).w) {
            double squares = 0;
            for (const double w : ofMode)
                squares += w * w;
            damping.push_back(1 / std::max(squares, 1e-30));
        }
        return damping;
    }

private Q_SLOTS:
    void factorPassAgreesWithOracle_data() { addRows(); }
    void factorPassAgreesWithOracle()
    {
        const auto f = fetchFixture();
        oracle::FactorStep step = smallStep(f->shape);
        for (unsigned n = 0; n < f->shape.dims.size(); ++n)
            step.rowScales.push_back(std::vector<float>(f->shape.dims[n], n % 2 ? 1.0f : 0.25f));
        Model expected = oracle::inDoubles(f->start);
        for (const std::uint64_t t : {0, 1}) {
            f->backEnd->factorPass(passOf(step, t), f->control);
            f->expectFactors(expected, step, t);
        }
        POLYAD_COMPARE_MODELS(f->backEnd->model(Snapshot::Latest), expected, f->tolerance(expected));
        QVERIFY(oracle::distance(f->start, expected) > 1e-6); // something moved
    }

    void dampedStepsAgreeWithOracle_data() { addRows(false, 5); }
    void dampedStepsAgreeWithOracle()
    {
        const auto f = fetchFixture(true);
        oracle::FactorStep step = smallStep(f->shape);
        Model expected = oracle::inDoubles(f->start), undamped = expected;
        step.damping = halvingDamping(*f);
        for (double& rate : step.rates)
            rate *= 2;
        for (const std::uint64_t t : {0, 1}) {
            f->backEnd->factorPass(passOf(step, t), f->control);
            f->expectFactors(expected, step, t);
        }
        POLYAD_COMPARE_MODELS(f->backEnd->model(Snapshot::Latest), expected, f->tolerance(expected));
        step.damping.clear();
        for (const std::uint64_t t : {0, 1})
            f->expectFactors(undamped, step, t);
        QVERIFY(oracle::distance(undamped, expected) > 1e-6);
    }

    void everyOrderAgreesWithOracle_data()
    {
        QTest::addColumn<FamilyRow>("device");
        QTest::addColumn<int>("order");
        for (const auto& device : familyRows())
            if (device.algorithm != "fastertucker") // which arranges entries by itself
                for (const EntryOrder order : {EntryOrder::Shuffled, EntryOrder::AsLoaded, EntryOrder::Sorted, EntryOrder::Blocked})
                    QTest::addRow("%s, order %d", device.name().c_str(), int(order)) << device << int(order);
    }
    void everyOrderAgreesWithOracle()
    {
        QFETCH(FamilyRow, device);
        QFETCH(int, order);
        Fixture f(device, {"", {16000, 40, 3}, {5, 5, 5}, 4, 1501, 150}, true, 0, {EntryOrder(order), 1});
        const oracle::FactorStep step = smallStep(f.shape);
        Model expected = oracle::inDoubles(f.start);
        for (const std::uint64_t t : {0, 1}) {
            f.backEnd->factorPass(passOf(step, t), f.control);
            f.expectFactors(expected, step, t);
            f.backEnd->corePass(CorePass{t, 0.002, 0.02, false}, f.control);
            f.expectCores(expected, 0.002, 0.02, false);
        }
        POLYAD_COMPARE_MODELS(f.backEnd->model(Snapshot::Latest), expected, f.tolerance(expected));
        // The order is seen: shuffled ones come to something else.
        Fixture other(device, f.shape, true, 0, {order ? EntryOrder::Shuffled : EntryOrder::AsLoaded, 0});
        Model otherwise = oracle::inDoubles(f.start);
        for (const std::uint64_t t : {0, 1}) {
            other.expectFactors(otherwise, step, t);
            other.expectCores(otherwise, 0.002, 0.02, false);
        }
        const double apart = oracle::distance(otherwise, expected);
        QVERIFY2(apart > (f.row.doubles() ? 100 * f.tolerance(expected) : 1e-6), qPrintable(QString::number(apart)));
    }

    void corePassAgreesWithOracle_data() { addRows(); }
    void corePassAgreesWithOracle()
    {
        QFETCH(FamilyRow, device);
        QFETCH(int, shape);
        for (const bool deterministic : {true, false}) { // which walks trees, and sums in no order
            Fixture f(device, shapes().at(std::size_t(shape)), deterministic);
            const double rate = 0.01 / f.shape.coreRank;
            Model expected = oracle::inDoubles(f.start);
            f.backEnd->corePass(CorePass{0, rate, 0.02, false}, f.control);
            f.expectCores(expected, rate, 0.02, false);
            POLYAD_COMPARE_MODELS(f.backEnd->model(Snapshot::Latest), expected, f.tolerance(expected));
            QVERIFY(oracle::distance(f.start, expected) > 1e-6);
        }
    }

    void errorsAgreeWithOracle_data() { addRows(); }
    void errorsAgreeWithOracle()
    {
        const auto f = fetchFixture();
        const ErrorSums expected = oracle::errors(oracle::inDoubles(f->start), f->train);
        for (const bool testSet : {false, true}) {
            const ErrorSums actual = f->backEnd->evaluate(testSet, f->control);
            QCOMPARE(actual.count, f->train.entries());
            // The promise to users: 1e-5 relative in fp32, rounding only in fp64.
            const double allowed = f->row.doubles() ? 1e-12 : 1e-5;
            QVERIFY(std::abs(actual.rmse() - expected.rmse()) <= allowed * expected.rmse());
            QVERIFY(std::abs(actual.mae() - expected.mae()) <= allowed * expected.rmse());
        }
    }

    void nonnegativeRowsAndCoresAreClipped_data() { addRows(false); }
    void nonnegativeRowsAndCoresAreClipped()
    {
        const auto f = fetchFixture();
        oracle::FactorStep step = smallStep(f->shape);
        step.nonnegative = true;
        Model expected = oracle::inDoubles(f->start);
        f->backEnd->factorPass(passOf(step, 0), f->control);
        f->expectFactors(expected, step, 0);
        const double rate = 0.01 / f->shape.coreRank; // more overshoots, mode after mode, out of any precision's range
        f->backEnd->corePass(CorePass{0, rate, 0, true}, f->control);
        f->expectCores(expected, rate, 0, true);
        const Model actual = f->backEnd->model(Snapshot::Latest);
        POLYAD_COMPARE_MODELS(actual, expected, f->tolerance(expected));
        for (unsigned n = 0; n < actual.order(); ++n) {
            for (std::size_t j = 0; j < actual.ranks[n]; ++j)
                QVERIFY(actual.factors[n].at(f->train.indices[n][0], j) >= 0);
            for (std::size_t r = 0; r < actual.coreRank; ++r)
                QVERIFY(actual.coreFactors[n].at(0, r) >= 0);
        }
    }

    /// In normal mode updates may race, but with steps this small the order hardly matters: the sum of all updates at the start's point is
    /// the answer up to second order in the rate, whether rows, tiles, groups or trees are walked.
    void normalModeAddsTheSameUpdates_data() { addRows(); }
    void normalModeAddsTheSameUpdates()
    {
        QFETCH(FamilyRow, device);
        QFETCH(int, shape);
        compareNormalMode(device, shape, false);
        if (device.algorithm == "fastertucker" && !shapes().at(std::size_t(shape)).vast) // others' kernels are those of batches
            compareNormalMode(device, shape, true);
    }

    /// After every update, also where no batches are kept apart.
    void nonnegativeRowsAreClippedInNormalMode_data() { sameBitsForAnyNumberOfThreads_data(); }
    void nonnegativeRowsAreClippedInNormalMode()
    {
        QFETCH(FamilyRow, device);
        for (const bool nonnegative : {false, true}) {
            Fixture f(device, {"", {60, 50, 40}, {16, 16, 16}, 16, 5000, 5000}, false, 2);
            for (auto* const matrices : {&f.start.factors, &f.start.coreFactors})
                for (Matrix& numbers : *matrices)
                    for (std::size_t i = 0; i < numbers.rows; ++i)
                        for (std::size_t j = 0; j < numbers.columns; ++j)
                            numbers.set(i, j, std::abs(numbers.at(i, j)) * (matrices == &f.start.factors ? 1 : 0.25));
            f.backEnd->replaceLatest(f.start, f.control);
            oracle::FactorStep step = smallStep(f.shape);
            step.nonnegative = nonnegative;
            f.backEnd->factorPass(passOf(step, 0), f.control);
            const Model actual = f.backEnd->model(Snapshot::Latest);
            bool below = false;
            for (unsigned n = 0; n < actual.order(); ++n)
                for (const Index row : f.train.indices[n])
                    for (std::size_t j = 0; j < actual.ranks[n]; ++j)
                        below = below || actual.factors[n].at(row, j) < 0;
            QCOMPARE(below, !nonnegative);
        }
    }

    void sameBitsForAnyNumberOfThreads_data()
    {
        QTest::addColumn<FamilyRow>("device");
        for (const auto& device : familyRows())
            QTest::addRow("%s", device.name().c_str()) << device;
    }
    void sameBitsForAnyNumberOfThreads()
    {
        QFETCH(FamilyRow, device);
        std::vector<Model> results;
        std::vector<double> errors;
        for (const unsigned threads : {1u, 2u, 5u}) {
            Fixture f(device, {"", {300, 200, 50}, {12, 20, 7}, 16, 40000, 5000}, true, threads);
            for (const std::uint64_t t : {0, 1}) {
                f.backEnd->factorPass(passOf(smallStep(f.shape), t), f.control);
                f.backEnd->corePass(CorePass{t, 0.001, 0.02, false}, f.control);
            }
            results.push_back(f.backEnd->model(Snapshot::Latest));
            errors.push_back(f.backEnd->evaluate(false, f.control).squared);
        }
        for (std::size_t i = 1; i < results.size(); ++i) {
            QCOMPARE(oracle::distance(results[i], results[0]), 0.0);
            QCOMPARE(errors[i], errors[0]);
        }
    }

    /// While one mode is renewed its rows do not depend on one another: where a batch has all entries, the order of visits changes nothing
    /// but rounding. Batches are of rows, trees are walked in normal mode: cores of the same rows differ by rounding there, too, and rows
    /// that hardly move by little of that.
    void treesAgreeWithEntries_data() { sameBitsForAnyNumberOfThreads_data(); }
    void treesAgreeWithEntries()
    {
        QFETCH(FamilyRow, device);
        if (device.algorithm != "fastertucker" || device.format == "coo")
            QSKIP("compared with the format coo where another one is");
        const Shape shape{"", {90, 3, 40}, {12, 20, 7}, 16, 4000, 4000};
        for (const bool deterministic : {true, false}) {
            std::vector<Model> cores, rows;
            double limit = 0, moved = 0;
            for (const char* variant : {device.variant.c_str(), "coo"}) {
                FamilyRow row = device;
                row.variant = variant;
                row.format = algorithm("fastertucker").formatFor(variant);
                Fixture f(row, shape, deterministic);
                f.backEnd->corePass(CorePass{0, 0.001, 0.02, false}, f.control);
                cores.push_back(f.backEnd->model(Snapshot::Latest));
                QVERIFY(oracle::distance(cores.back(), f.start) > 1e-4);
                limit = f.tolerance(cores.back());
                oracle::FactorStep step = smallStep(shape);
                for (double& rate : step.rates)
                    rate *= deterministic ? 0.1 : 1e-3; // a batch of all entries moves rows far
                f.backEnd->factorPass(passOf(step, 0), f.control);
                rows.push_back(f.backEnd->model(Snapshot::Latest));
                moved = oracle::distance(rows.back(), cores.back());
                QVERIFY(moved > (deterministic ? 1e-4 : 1e-6));
                limit = std::max(limit, f.tolerance(rows.back()));
            }
            POLYAD_COMPARE_MODELS(cores[0], cores[1], limit);
            POLYAD_COMPARE_MODELS(rows[0], rows[1], limit + (deterministic ? 0 : 0.02 * moved));
        }
    }

    /// A run that has left the numbers must see it: one NaN in a row, wherever it stands, reaches the rows of all entries it is part of,
    /// and the error.
    void whatIsNoNumberStaysNone_data() { sameBitsForAnyNumberOfThreads_data(); }
    void whatIsNoNumberStaysNone()
    {
        QFETCH(FamilyRow, device);
        for (const unsigned rank : {16U, 40U})
            for (unsigned mode = 0; mode < 3; ++mode)
                for (const unsigned column : {0U, 5U, 10U, 15U, rank - 1}) {
                    Fixture f(device, {"", {50, 40, 30}, {rank, rank, rank}, rank, 2000, 100}, false, 1); // a race may lose one
                    const Index hit = f.train.indices[mode][0];
                    f.start.factors[mode].set(hit, column, std::nan(""));
                    f.backEnd->replaceLatest(f.start, f.control);
                    QVERIFY(!std::isfinite(f.backEnd->evaluate(false, f.control).rmse()));
                    f.backEnd->factorPass(passOf(smallStep(f.shape), 0), f.control);
                    const Model model = f.backEnd->model(Snapshot::Latest);
                    for (Count e = 0; e < f.train.entries(); ++e)
                        for (unsigned n = 0; f.train.indices[mode][e] == hit && n < 3; ++n)
                            for (unsigned j = 0; j < rank; ++j)
                                QVERIFY(!std::isfinite(model.factors[n].at(f.train.indices[n][e], j)));
                    f.backEnd->corePass(CorePass{0, 0.001, 0.01, false}, f.control);
                    QVERIFY(!std::isfinite(f.backEnd->evaluate(false, f.control).rmse()));
                }
    }

    void bestIsTheStartUntilOneIsRemembered_data() { sameBitsForAnyNumberOfThreads_data(); }
    void bestIsTheStartUntilOneIsRemembered()
    {
        QFETCH(FamilyRow, device);
        Fixture f(device, shapes()[1]);
        f.backEnd->factorPass(passOf(smallStep(f.shape), 0), f.control);
        QCOMPARE(oracle::distance(f.backEnd->model(Snapshot::Best), f.start), 0.0);
        f.backEnd->rememberBest();
        const Model remembered = f.backEnd->model(Snapshot::Latest);
        f.backEnd->factorPass(passOf(smallStep(f.shape), 1), f.control);
        QCOMPARE(oracle::distance(f.backEnd->model(Snapshot::Best), remembered), 0.0);
        QVERIFY(oracle::distance(f.backEnd->model(Snapshot::Latest), remembered) > 0);
    }

    void tooLittleMemoryIsRefused_data() { sameBitsForAnyNumberOfThreads_data(); }
    void tooLittleMemoryIsRefused()
    {
        QFETCH(FamilyRow, device);
        Fixture f(device, shapes()[1]);
        Problem problem{f.train, nullptr, f.start, 1, false, 32, false, 1000, 0};
        problem.variant = device.variant;
        QVERIFY_EXCEPTION_THROWN(f.backEnd->load(problem, f.control), OutOfMemory);
    }

    void startPredictsTheMean_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<std::vector<unsigned>>("ranks");
        QTest::addColumn<unsigned>("coreRank");
        const std::vector<unsigned> even{16, 16, 16}, uneven{3, 17, 8};
        QTest::addRow("positive values") << 2.0 << 5.0 << even << 16u;
        QTest::addRow("negative values") << -5.0 << -2.0 << even << 16u;
        QTest::addRow("around zero") << -1.0 << 1.0 << even << 16u;
        QTest::addRow("mostly positive") << -1.0 << 2.0 << uneven << 12u;
        QTest::addRow("more terms than columns") << 100.0 << 900.0 << uneven << 40u;
    }
    void startPredictsTheMean()
    {
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(std::vector<unsigned>, ranks);
        QFETCH(unsigned, coreRank);
        SparseTensor tensor = test::skewedTensor({60, 50, 40}, 4000, 0.0, 5);
        for (Count e = 0; e < tensor.entries(); ++e)
            tensor.setValue(e, low + (high - low) * (tensor.value(e) + 2) / 4);
        RunControl control;
        const ValueScale values = valueScale(tensor, control);
        for (const bool steep : {false, true}) {
            const Model start = drawStart({tensor.dims(), ranks, coreRank, true, false, false, 0.1, 9, values, steep}, control);
            double mean = 0;
            for (Count e = 0; e < tensor.entries(); ++e)
                mean += oracle::projections(start, tensor, e).predicted / double(tensor.entries());
            // Signs come in steps of one term, 2 t/R of t at most half of that off; noise of 0.1 adds a little.
            const double step = predictionScale(values) / coreRank;
            QVERIFY2(std::abs(mean - values.mean) <= step + 0.05 * std::abs(values.mean), qPrintable(QString::number(mean)));
        }
    }

    void infiniteValuesAreRefused()
    {
        SparseTensor tensor = test::skewedTensor({4, 3}, 10, 0, 1);
        tensor.setValue(3, std::numeric_limits<double>::quiet_NaN());
        RunControl control;
        QVERIFY_EXCEPTION_THROWN(valueScale(tensor, control), Error);
    }
};

QTEST_GUILESS_MAIN(FastTuckerFamilyTest)
#include "tst_fasttucker_family.moc"
