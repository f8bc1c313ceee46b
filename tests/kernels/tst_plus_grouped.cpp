// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/plus_oracle.h"
#include "gpu/plus_problem.h"
#include "support/oracle.h"
#include "support/random_tensor.h"
#include "support/ratings.h"
#include "support/runs.h"

#include "kernels/algorithms/fasttucker_plus/cpu_groups.h"
#include "kernels/algorithms/fasttucker_plus/step_sizes.h"
#include "kernels/base/array_memory.h"
#include "kernels/base/registry.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace kernels;
using namespace kernels::fasttucker_plus;
using test::Draw;
using test::drawnTensor;
using test::tamedModel;

namespace {

constexpr Count entries = test::drawnEntries;

/// Of the busiest row.
Count hottest(const SparseTensor& tensor, unsigned mode)
{
    std::vector<Count> counts(tensor.dims()[mode], 0);
    for (const Index i : tensor.indices[mode])
        ++counts[i];
    return *std::max_element(counts.begin(), counts.end());
}
Count hottest(const SparseTensor& tensor)
{
    Count most = 0;
    for (unsigned n = 0; n < tensor.order(); ++n)
        most = std::max(most, hottest(tensor, n));
    return most;
}

/// The busiest row of each mode goes this part of the way to its optimum.
FactorPass smallPass(const SparseTensor& tensor, double part)
{
    FactorPass pass;
    pass.iteration = 3;
    for (unsigned n = 0; n < tensor.order(); ++n)
        pass.rates.push_back(part / double(hottest(tensor, n)));
    pass.lambda = 0.03;
    return pass;
}

std::unique_ptr<PlusBackEnd> load(Precision precision, const SparseTensor& train, const Model& start, Gathering gathering, unsigned threads,
                                  RunControl& control)
{
    std::unique_ptr<BackEnd> made = makeBackEnd("fasttucker-plus", precision, DeviceId{});
    std::unique_ptr<PlusBackEnd> backEnd(dynamic_cast<PlusBackEnd*>(made.release()));
    Problem problem{train, nullptr, start, 11, false, 0, false, 0, threads};
    problem.grouping = gathering;
    backEnd->load(problem, control);
    return backEnd;
}

} // namespace

/// The variant "grouped" on the CPU: whatever stands together, every entry changes every one of its rows by what the oracle says.
///
/// Rates are so small that all entries see nearly the same rows; then the order does not matter, and a lost, doubled or
/// misplaced change is a good part of a row's.
class PlusGroupedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void changesAgreeWithTheOracle_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<std::vector<unsigned>>("ranks");
        QTest::addColumn<unsigned>("coreRank");
        QTest::addColumn<int>("draw");
        QTest::addColumn<bool>("apart");
        const auto add = [](const std::string& name, std::vector<Index> dims, std::vector<unsigned> ranks, unsigned coreRank,
                            Draw draw = Draw::Even, bool apart = false) {
            for (const Precision precision : {Precision::Fp32, Precision::Fp64})
                QTest::addRow("%s, %s", name.c_str(), std::string(toString(precision)).c_str())
                    << int(precision) << dims << ranks << coreRank << int(draw) << apart;
        };
        const std::vector<Index> large{2000, 1700, 2300, 1900, 2100, 1800, 2200, 1600, 2400, 1500}; // no row is shared
        const std::vector<Index> small{900, 9, 40, 700, 6, 300, 20, 800, 7, 500};
        const std::vector<unsigned> mixed{16, 5, 9, 1, 12, 16, 3, 7, 2, 14};
        for (unsigned order = 2; order <= 10; ++order) {
            const std::string name = "order " + std::to_string(order);
            const std::vector<unsigned> ranks(mixed.begin(), mixed.begin() + order);
            add(name + ", no row shared", {large.begin(), large.begin() + order}, ranks, 13);
            add(name + ", rows shared", {small.begin(), small.begin() + order}, std::vector<unsigned>(order, 16), 16);
            add(name + ", mixed ranks", {small.begin(), small.begin() + order}, ranks, 11, Draw::Hot);
        }
        for (const unsigned rank : {1U, 7U, 8U, 17U, 31U, 32U, 33U, 64U, 128U})
            add("pairs or not, ranks of " + std::to_string(rank), {500, 400, 9}, {rank, rank, rank}, rank, Draw::Hot);
        add("pairs, ranks apart", {500, 8, 400}, {5, 9, 33}, 17);
        add("pairs, the shared mode first", {7, 300, 400}, {20, 3, 12}, 30);
        add("order 4, ranks of 32", {40, 9, 30, 20}, {32, 32, 32, 32}, 32);
        add("one slice has all entries", {300, 200, 100}, {16, 16, 16}, 16, Draw::Single);
        add("one index in a mode", {300, 1, 200, 1}, {4, 1, 16, 2}, 5);
        add("many blocks", {60000, 50000, 6}, {16, 16, 16}, 16);
        add("gradient apart, pairs", {500, 400, 9}, {16, 16, 16}, 16, Draw::Even, true);
        add("gradient apart, order 4", {1500, 1400, 30, 1200}, {16, 30, 17, 5}, 20, Draw::Hot, true);
    }
    void changesAgreeWithTheOracle()
    {
        QFETCH(int, precision);
        QFETCH(std::vector<Index>, dims);
        QFETCH(std::vector<unsigned>, ranks);
        QFETCH(unsigned, coreRank);
        QFETCH(int, draw);
        QFETCH(bool, apart);
        const SparseTensor train = drawnTensor(dims, Draw(draw));
        const CorePass cores{3, 0.05, 0.01, false};
        std::vector<std::vector<float>> scales(dims.size());
        for (unsigned n = 0; n < dims.size(); ++n) // every third mode has none
            for (Index i = 0; i < dims[n] && n % 3 != 1; ++i)
                scales[n].push_back(1.0F / float(1 + i % 3));
        const auto iterate = [&](Precision in, const FactorPass& factors) {
            RunControl control;
            const Model start = tamedModel(dims, ranks, coreRank, in == Precision::Fp64);
            const auto backEnd = load(in, train, start, apart ? Gathering::OwnPass : Gathering::Fused, 1, control);
            backEnd->factorPass(factors, control);
            backEnd->corePass(cores, control);
            return backEnd->model(Snapshot::Latest);
        };
        FactorPass factors = smallPass(train, Precision(precision) == Precision::Fp32 ? 0.04 : 0.002);
        factors.rowScales = &scales;
        const Model start = tamedModel(dims, ranks, coreRank, true);
        const Model model = iterate(Precision::Fp64, factors);
        if (Precision(precision) == Precision::Fp32) {
            // 1 - γλ is rounded alike in every visit of a row, by 2^-25 at most, and so is its product with the row, which processors
            // without fused additions round, too; the sums at random. A change is fifty times that.
            const double off = test::oracle::distance(iterate(Precision::Fp32, factors), model);
            const double allowed = std::ldexp(double(hottest(train)), -24) + 4 * std::ldexp(std::sqrt(double(entries)), -24);
            QVERIFY2(off < allowed, qPrintable(QString("off by %1, allowed %2").arg(off).arg(allowed)));
            QVERIFY(test::oracle::distance(start, model) > 10 * allowed);
            return;
        }
        for (unsigned n = 1; n < dims.size(); n += 3)
            scales[n].assign(dims[n], 1.0F);
        test::PlusOracle ofFactors(train, start, 11, train.entries());
        ofFactors.factorPass(factors);
        const double offFactors = ofFactors.changeDistance(model, false);
        test::PlusOracle ofCores(train, start, 11, train.entries());
        ofCores.corePass(cores);
        const double offCores = ofCores.changeDistance(model, true);
        const double limit = dims.size() < 7 ? 0.02 : 0.08; // rows move during the pass, and more of them are multiplied
        QVERIFY2(offFactors < limit && offCores < limit,
                 qPrintable(QString("factors: %1 of a change, cores: %2, allowed %3").arg(offFactors).arg(offCores).arg(limit)));
    }

    /// Every entry is in one of them, for rows and for cores.
    void partsMakeAPass()
    {
        const std::vector<Index> dims{60000, 50000, 6};
        const SparseTensor train = drawnTensor(dims, Draw::Hot);
        const Model start = tamedModel(dims, {16, 16, 16}, 16, true);
        const CorePass cores{3, 0.05, 0.01, false};
        for (const unsigned parts : {2, 7}) {
            RunControl control;
            const auto backEnd = load(Precision::Fp64, train, start, Gathering::Fused, 1, control);
            FactorPass pass = smallPass(train, 0.002);
            pass.parts = parts;
            for (; pass.part < parts; ++pass.part)
                backEnd->factorPass(pass, control);
            backEnd->corePass(cores, control);
            const Model model = backEnd->model(Snapshot::Latest);
            test::PlusOracle ofFactors(train, start, 11, train.entries()), ofCores(train, start, 11, train.entries());
            ofFactors.factorPass(pass);
            ofCores.corePass(cores);
            QVERIFY(ofFactors.changeDistance(model, false) < 0.02);
            QVERIFY(ofCores.changeDistance(model, true) < 0.02);
        }
    }

    /// Each entry in one group, no group longer than it may be, one row of the shared mode in each.
    void groupsHoldEveryEntryOnce()
    {
        for (const std::vector<Index>& dims : {std::vector<Index>{60000, 50000, 6}, {700, 90, 80, 70}, {3000, 2900}, {5, 20000}}) {
            const SparseTensor tensor = drawnTensor(dims, Draw::Hot);
            const unsigned order = tensor.order();
            const CpuGrouping grouping = chooseCpuGrouping(dims, std::vector<unsigned>(order, 16), 16, entries);
            RunControl control;
            const Array<Count> positions = groupedPositions(tensor, grouping, 3, control);
            QCOMPARE(std::set<Count>(positions.begin(), positions.end()).size(), std::size_t{entries});
            Array<Index> indices;
            for (const Count entry : positions)
                for (unsigned n = 0; n < order; ++n)
                    indices.push_back(tensor.indices[n][entry]);
            const Array<Count> begins = groupBegins(indices, order, grouping, control);
            QCOMPARE(begins.front(), Count{0});
            QCOMPARE(begins.back(), entries);
            QVERIFY(begins.size() - 1 <= grouping.mostGroups);
            for (std::size_t g = 0; g + 1 < begins.size(); ++g) {
                QVERIFY(begins[g] < begins[g + 1] && begins[g + 1] - begins[g] <= grouping.most);
                for (Count e = begins[g]; e < begins[g + 1] && grouping.shares(); ++e)
                    QCOMPARE(indices[e * order + grouping.shared], indices[begins[g] * order + grouping.shared]);
            }
            std::vector<char> seen(begins.size() - 1, 0);
            const VisitingOrder visits = groupOrder(dims, grouping, seen.size(), 3, 1);
            for (std::size_t g = 0; g < seen.size(); ++g)
                seen.at(visits.at(g)) += 1;
            QVERIFY(std::all_of(seen.begin(), seen.end(), [](char times) { return times == 1; }));
        }
    }

    /// At default settings, as a user has it, on several threads.
    void fitsAsWellAsCalculate()
    {
        const SyntheticProblem problem = generatePreset("netflix-like", 0.012, 1);
        std::vector<double> train, best;
        for (const char* variant : {"calculate", "grouped"}) {
            RunConfig config;
            config.algorithm = "fasttucker-plus";
            config.variant = variant;
            config.ranks = {16};
            test::fixIterations(config, 5);
            const RunResult result = test::runOn(config, problem.train, &problem.test);
            train.push_back(result.history.back().trainRmse);
            best.push_back(result.history.at(result.bestIteration - 1).testRmse);
        }
        // Two entries a user: after the first iterations the training error falls by learning them by heart.
        QVERIFY2(train[1] <= 1.03 * train[0] && best[1] <= 1.01 * best[0],
                 qPrintable(QString("train %1, %2; test %3, %4").arg(train[0]).arg(train[1]).arg(best[0]).arg(best[1])));
    }

    /// Where the whole is learnt in a moment and its terms slowly: rows that groups share must not be held back.
    void learnsTermsAsFarAsCalculate()
    {
#if defined(__SANITIZE_THREAD__)
        QSKIP("five seconds' work takes longer than a test may; all other presets run it");
#endif
        const SyntheticProblem problem = test::ratingsOfThreeTerms({20'000, 5'000, 1'000}, 1'200'000);
        const double calculate = test::learntOfRatings(problem, "calculate", {}, 48);
        const double grouped = test::learntOfRatings(problem, "grouped", {}, 48);
        QVERIFY2(grouped < 1.02 * calculate, qPrintable(QStringLiteral("%1 beside %2").arg(grouped).arg(calculate)));
    }

    /// A group is one step of the row it shares: a row has 32 of them on average, eight where they would cost too much, or is not shared.
    void rowsHaveSeveralGroups()
    {
        const auto chosen = [](Count entries, unsigned rank) {
            return chooseCpuGrouping({6000, 5000, 1000}, {rank, rank, rank}, rank, entries);
        };
        QVERIFY(!chosen(255'999, 16).shares());
        QVERIFY(chosen(256'000, 16).shares());
        QCOMPARE(chosen(256'000, 16).most, 32U);
        QCOMPARE(chosen(1'000'000, 16).most, 32U);
        QCOMPARE(chosen(2'000'000, 16).most, 48U);
        QVERIFY(chosen(1'000'000, 20).pairs && chosen(1'000'000, 24).pairs);
        QCOMPARE(chosen(2'000'000, 64).most, 128U);
        QCOMPARE(chosen(600'000, 128).most, 64U); // eight of a row
        QCOMPARE(chosen(90'000'000, 16).most, groupEntries);
        QCOMPARE(chosen(90'000'000, 200).most, groupEntries);
    }

    /// 16 racers, groups of 32, mode 0 cut in blocks: units of 512 entries of a row stand side by side in one. A row of few entries is one
    /// racer's, and no row is more racers' than there are.
    void neighboursShareARow()
    {
        const std::vector<Index> dims{20'000, 5'000, 1'000};
        std::vector<std::vector<float>> shares;
        for (const Index size : dims)
            shares.emplace_back(size, 1.0F / float(size));
        const auto ofRow = [&](unsigned threads, float share, std::size_t mode = 2) {
            const Flight flight{dims, {16, 16, 16}, 16, false, Gathering::Fused, threads, 1'200'000, shares};
            const std::unique_ptr<BackEnd> made = makeBackEnd("fasttucker-plus", Precision::Fp32, DeviceId{});
            const std::vector<Concurrency> modes = dynamic_cast<const PlusBackEnd&>(*made).concurrency(flight);
            const HotRows rows{shares, modes, 1'200'000, 0.7, true};
            return rows.entriesAtOnce(mode, share);
        };
        const CpuGrouping grouping = chooseCpuGrouping(dims, {16, 16, 16}, 16, 1'200'000);
        QCOMPARE(grouping.most, 32U);
        const double largest = std::ldexp(1.0, int(grouping.blockBits[0])) / 20'000; // of a row's entries, those in a block
        QVERIFY(largest < 1 && grouping.blockBits[1] >= 13); // mode 1 is not cut
        QCOMPARE(ofRow(1, 0.1F), 32.0);
        QCOMPARE(ofRow(16, 0.001F), 32.0);
        const double sideBySide = 0.01 * 1'200'000 * largest / 16;
        QVERIFY(sideBySide > 64 && sideBySide < 448 && std::abs(ofRow(16, 0.01F) - sideBySide) < 0.01 * sideBySide);
        QCOMPARE(ofRow(16, 0.5F), 512.0);
        QCOMPARE(ofRow(2, 0.5F), 64.0);
        QCOMPARE(ofRow(16, 0.9F, 0), 16.0 * tileEntries); // of a row of a mode that is cut, what all racers have under way
    }

    /// Users are numbered as they come, and a day's entries are those of a few: they all stand in one block.
    void neighboursAreMeasured()
    {
        const std::vector<Index> dims{20'000, 5'000, 1'000};
        const Count count = 1'200'000;
        for (const bool asTheyCome : {false, true}) {
            SparseTensor train = test::randomTensor(dims, count, 5);
            for (Count e = 0; e < count; ++e) {
                if (e % 50 == 0)
                    train.indices[2][e] = 700; // a hot one
                if (asTheyCome)
                    train.indices[0][e] = train.indices[2][e] * 20 + e % 20;
            }
            std::vector<std::vector<float>> shares;
            for (unsigned n = 0; n < 3; ++n) {
                shares.emplace_back(dims[n], 0.0F);
                for (const Index i : train.indices[n])
                    shares[n][i] += 1.0F / float(count);
            }
            const std::vector<unsigned> ranks{16, 16, 16};
            Flight flight{dims, ranks, 16, false, Gathering::Fused, 16, count, shares};
            const std::unique_ptr<BackEnd> made = makeBackEnd("fasttucker-plus", Precision::Fp32, DeviceId{});
            const auto& backEnd = dynamic_cast<const PlusBackEnd&>(*made);
            const double thought = backEnd.concurrency(flight)[2].inFlight;
            flight.train = &train;
            const double measured = backEnd.concurrency(flight)[2].inFlight;
            if (asTheyCome)
                QVERIFY2(measured > 0.9 * count / 16 && measured <= count / 16.0 && measured > 1.2 * thought,
                         qPrintable(QStringLiteral("%1, thought %2").arg(measured).arg(thought)));
            else
                QVERIFY2(measured >= thought && measured < 1.1 * thought,
                         qPrintable(QStringLiteral("%1, thought %2").arg(measured).arg(thought)));
        }
    }

    /// The run's result says what the name of the variant does not.
    void whatGoesAsCalculateSaysSo()
    {
        const auto note = [](Count count, const RunConfig& changed) {
            RunConfig config = changed;
            config.ranks = {3};
            test::fixIterations(config, 1);
            return test::runOn(config, test::randomTensor({60, 50, 40}, count, 11)).variantNote;
        };
        RunConfig plain, deterministic, nonnegative, ordered, calculate;
        deterministic.deterministic = true;
        nonnegative.parameters["nonnegative"] = true;
        ordered.parameters["entry-order"] = std::string("as-loaded");
        calculate.variant = "calculate";
        QCOMPARE(note(1'000'000, plain), std::string());
        QCOMPARE(note(999'999, plain), std::string("as calculate, under a million entries"));
        QCOMPARE(note(1'000'000, deterministic), std::string("as calculate, being deterministic"));
        const std::string clipped = note(1'000'000, nonnegative);
        QVERIFY2(clipped.starts_with("as calculate, being non-negative, values down to -")
                     && clipped.ends_with("lie below every prediction"),
                 clipped.c_str());
        QCOMPARE(note(1'000'000, ordered), std::string("as calculate, in an order of its own"));
        QCOMPARE(note(100, calculate), std::string());
    }

    void nonnegativeAndDeterministicGoAsCalculate()
    {
        const SparseTensor train = drawnTensor({500, 400, 9}, Draw::Even);
        for (const bool nonnegative : {true, false}) {
            std::vector<double> rmse;
            for (const char* variant : {"calculate", "grouped"}) {
                RunConfig config;
                config.algorithm = "fasttucker-plus";
                config.variant = variant;
                config.ranks = {5};
                config.threads = 1;
                config.deterministic = !nonnegative;
                config.parameters["nonnegative"] = nonnegative;
                test::fixIterations(config, 2);
                rmse.push_back(test::runOn(config, train).history.back().trainRmse);
            }
            QCOMPARE(rmse[1], rmse[0]);
        }
    }
};

QTEST_GUILESS_MAIN(PlusGroupedTest)
#include "tst_plus_grouped.moc"
