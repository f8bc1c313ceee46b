// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rank_advice.h"
#include "app/sweep_plan.h"
#include "app/sweep_results.h"
#include "app/tensor_source.h"
#include "kernels/base/registry.h"

#include <QTest>

#include <cmath>

using namespace app;

namespace {

RankEvidence rank(unsigned number, std::vector<double> values, std::vector<double> agreements = {}, std::vector<double> consistencies = {})
{
    return {number, QString::number(number), std::move(values), std::move(consistencies), std::move(agreements), 0, 0, {}, {}, {}, {}, 0};
}

RankAdvice advise(std::vector<RankEvidence> ranks, Judge judge = Judge::TestRmse, bool ofComponents = false)
{
    return adviseRank({judge, ofComponents, std::move(ranks)}, QLocale::c());
}

/// Every cell of a CP model of this rank, with noise.
OpenTensorPtr plantedCp(unsigned components, double noise)
{
    const std::vector<kernels::Index> dims{16, 14, 12};
    std::uint64_t state = 7; // xorshift: the same on every machine
    const auto uniform = [&state] {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<double>(state >> 11) / 9007199254740992.0;
    };
    std::vector<std::vector<double>> factors;
    for (const kernels::Index size : dims) {
        factors.emplace_back();
        for (unsigned i = 0; i < size * components; ++i)
            factors.back().push_back(uniform() - 0.5);
    }
    auto open = std::make_shared<OpenTensor>();
    open->name = QStringLiteral("planted");
    open->tensor = kernels::SparseTensor(dims, kernels::Count{dims[0]} * dims[1] * dims[2]);
    kernels::SparseTensor& tensor = open->tensor;
    kernels::Count at = 0;
    for (kernels::Index i = 0; i < dims[0]; ++i)
        for (kernels::Index j = 0; j < dims[1]; ++j)
            for (kernels::Index k = 0; k < dims[2]; ++k, ++at) {
                double value = noise * (uniform() - 0.5);
                for (unsigned r = 0; r < components; ++r)
                    value += factors[0][i * components + r] * factors[1][j * components + r] * factors[2][k * components + r];
                tensor.indices[0][at] = i;
                tensor.indices[1][at] = j;
                tensor.indices[2][at] = k;
                tensor.setValue(at, value);
            }
    tensor.sorted = true;
    return open;
}

/// Runs the whole sweep and gathers what it tells.
SweepEvidence sweep(const kernels::RunConfig& base, const OpenTensorPtr& tensor, const std::vector<std::string>& ranks, unsigned replicates)
{
    const SweepPlan plan = planSweep(base, {{"rank", ranks}, replicateAxis(base, replicates)}, *tensor, {});
    std::vector<SweepRun> runs;
    TrainTestCache cache;
    for (const SweepRow& row : plan.rows) {
        if (!row.refusal.isEmpty())
            qFatal("%s", qPrintable(row.refusal));
        kernels::RunObserver silent;
        kernels::RunControl control;
        kernels::Progress progress;
        runs.push_back({static_cast<int>(runs.size()) + 1, tensor->id, row.config, true,
                        std::make_shared<RunOutcome>(executeRun(row.config, tensor, cache, silent, control, progress))});
    }
    const std::vector<SweepSeries> series = sweepSeries(runs);
    if (series.size() != 1)
        qFatal("%zu series", series.size());
    kernels::RunControl control;
    kernels::Progress progress;
    return evidenceOf(
        series.front(), [&](const SweepRun& run) { return consistencyOf(*run.outcome, *tensor, progress); },
        [&](const SweepRun& a, const SweepRun& b) { return std::optional(agreementOf(*a.outcome, *b.outcome, control)); });
}

} // namespace

/// The sentence that a sweep ends with.
class TestRankAdvice : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSmallestRankNearTheBestWhoseReplicatesAgree()
    {
        const RankAdvice advice =
            advise({rank(4, {1.10, 1.10, 1.10}, {0.99, 0.98, 0.99}), rank(6, {0.905, 0.906, 0.904}, {0.97, 0.97, 0.97}),
                    rank(7, {0.903, 0.903, 0.903}, {0.61, 0.60, 0.62}), rank(9, {0.900, 0.900, 0.900}, {0.5, 0.5, 0.5})});
        QCOMPARE(advice.choice, std::optional<std::size_t>(1));
        QCOMPARE(advice.sentence,
                 QStringLiteral("Take rank 6: its test RMSE, 0.905, is within 1 % of the best (0.9 at rank 9) and its replicates agree "
                                "(0.97). From rank 7 on replicates do not agree (0.61)."));
        QVERIFY(advice.remarks.isEmpty());
    }

    void replicatesThatDifferByMoreThanRanksAreChance()
    {
        // The best's mean lies 5 % below, its standard error is larger.
        const RankAdvice advice =
            advise({rank(2, {2.0, 2.0, 2.0}), rank(3, {1.0, 1.0, 1.0}), rank(4, {0.8, 0.95, 1.1}), rank(5, {1.4, 1.4, 1.4})});
        QCOMPARE(advice.choice, std::optional<std::size_t>(1));
        QVERIFY2(advice.sentence.contains(QStringLiteral("differs from the best (0.95 at rank 4) by less than chance does")),
                 qPrintable(advice.sentence));
    }

    void runsOfOneSeedAreHeldAgainstEachOther()
    {
        // Test parts differ by much; on each of them rank 4 is better by the same.
        std::vector<RankEvidence> ranks{rank(2, {2.0, 2.3, 2.6}), rank(3, {1.05, 1.35, 1.65}), rank(4, {1.0, 1.3, 1.6}),
                                        rank(5, {1.2, 1.5, 1.8})};
        QCOMPARE(advise(ranks).choice, std::optional<std::size_t>(1)); // 0.05 is less than the spread of one rank
        for (RankEvidence& each : ranks)
            each.seeds = {42, 43, 44};
        QCOMPARE(advise(ranks).choice, std::optional<std::size_t>(2));
        ranks[1].values = {0.9, 1.4, 1.7}; // now better, now worse
        QCOMPARE(advise(ranks).choice, std::optional<std::size_t>(1));
    }

    void anErrorThatStillFallsAsksForLargerRanks()
    {
        const RankAdvice advice = advise({rank(2, {1.0}), rank(4, {0.9}), rank(8, {0.8})});
        QCOMPARE(advice.choice, std::optional<std::size_t>(2));
        QVERIFY2(advice.sentence.startsWith(QStringLiteral("Try ranks above 8")) && advice.sentence.contains(QStringLiteral("11 %")),
                 qPrintable(advice.sentence));
        QVERIFY2(advice.text().contains(QStringLiteral("One run of it counts")), qPrintable(advice.text()));
    }

    void ranksThatAllDoAlikeAreToldSo()
    {
        const RankAdvice advice = advise({rank(2, {1.0, 1.001}, {0.9}), rank(4, {1.002, 1.0}, {0.4}), rank(8, {1.001, 1.003}, {0.2})});
        QCOMPARE(advice.choice, std::optional<std::size_t>(0));
        QVERIFY2(advice.sentence.startsWith(QStringLiteral("The rank hardly matters here")), qPrintable(advice.sentence));
        QVERIFY2(advice.text().contains(QStringLiteral("Two replicates are few")), qPrintable(advice.text()));
    }

    void aRankForPredictionsIsNoneToInterpret()
    {
        const RankAdvice advice = advise({rank(2, {1.2, 1.2, 1.2}, {0.99, 0.99, 0.99}), rank(6, {0.9, 0.9, 0.9}, {0.5, 0.4, 0.3}),
                                          rank(9, {0.95, 0.95, 0.95}, {0.2, 0.2, 0.2})},
                                         Judge::TestRmse, true);
        QCOMPARE(advice.choice, std::optional<std::size_t>(1));
        QVERIFY2(advice.sentence.startsWith(QStringLiteral("For predictions take rank 6")), qPrintable(advice.sentence));
        QVERIFY2(advice.text().contains(
                     QStringLiteral("To interpret components take rank 2, whose replicates agree (0.99). Its test RMSE is 33 % higher.")),
                 qPrintable(advice.text()));
    }

    void withoutATestPartReplicatesAndConsistencyDecide()
    {
        const RankAdvice advice = advise(
            {rank(1, {0.3, 0.3, 0.3}, {1, 1, 1}, {100, 100, 100}), rank(2, {0.6, 0.6, 0.6}, {0.99, 0.99, 0.99}, {99, 99, 99}),
             rank(3, {0.8, 0.8, 0.8}, {0.98, 0.98, 0.98}, {97, 97, 97}), rank(4, {0.82, 0.82, 0.82}, {0.55, 0.5, 0.6}, {-40, 3, 10})},
            Judge::Fit, true);
        QCOMPARE(advice.choice, std::optional<std::size_t>(2));
        QCOMPARE(advice.sentence,
                 QStringLiteral("Take rank 3: its replicates agree (0.98) and its core consistency is high (97 %). At rank 4 replicates do "
                                "not agree (0.55) and core consistency is low (-9 %)."));
        QVERIFY2(advice.text().contains(QStringLiteral("No entries were held out")), qPrintable(advice.text()));
    }

    void aSmallerRankThatFitsAsWellIsEnough()
    {
        const RankAdvice advice =
            advise({rank(1, {0.3, 0.3}, {1}), rank(2, {0.795, 0.795}, {0.99}), rank(3, {0.8, 0.8}, {0.98})}, Judge::Fit, true);
        QCOMPARE(advice.choice, std::optional<std::size_t>(1));
        QVERIFY2(advice.sentence.contains(QStringLiteral("Larger ranks of which the same holds add at most 0.01 to the fit.")),
                 qPrintable(advice.sentence));
    }

    void evidenceThatDoesNotSufficeChoosesNothing()
    {
        QVERIFY(!advise({}).choice);
        const RankAdvice one = advise({rank(8, {1.0, 1.1}, {0.9})});
        QVERIFY(!one.choice && one.sentence.contains(QStringLiteral("nothing to compare it with")));
        const RankAdvice untested = advise({rank(2, {0.5}), rank(4, {0.7})}, Judge::Fit, true);
        QVERIFY(!untested.choice);
        QVERIFY2(untested.sentence.contains(QStringLiteral("Run replicates")), qPrintable(untested.sentence));
        QVERIFY(advise({rank(2, {0.5}), rank(4, {0.7})}, Judge::TrainRmse).sentence.contains(QStringLiteral("Hold out entries")));
        const RankAdvice apart = advise({rank(2, {0.5, 0.5}, {0.4}), rank(4, {0.7, 0.7}, {0.6})}, Judge::Fit, true);
        QVERIFY(!apart.choice);
        QVERIFY2(apart.sentence.contains(QStringLiteral("best at rank 4, and there too little (0.60)")), qPrintable(apart.sentence));
    }

    void runsWithoutAResultAreToldOf()
    {
        std::vector<RankEvidence> ranks{rank(2, {1.0}), rank(4, {0.9, 0.9}), rank(32, {})};
        ranks[1].failed = 1;
        ranks[2].failed = 3;
        const RankAdvice advice = advise(ranks);
        QVERIFY2(advice.text().contains(QStringLiteral("left out: 1 of 3 at rank 4, 3 of 3 at rank 32.")), qPrintable(advice.text()));
        std::vector<RankEvidence> none{rank(2, {}), rank(4, {})};
        none[0].failed = none[1].failed = 2;
        QVERIFY(advise(none).sentence.startsWith(QStringLiteral("No run came to a result")));
        none[0].waiting = 1;
        QCOMPARE(advise(none).sentence, QStringLiteral("No run has ended yet."));
        ranks[0].waiting = 2;
        QVERIFY(advise(ranks).text().contains(QStringLiteral("2 runs are still to come.")));
    }

    /// On counts of flights, agreement 1.00 was said to be "no longer so": core consistency alone was low.
    void onlyWhatIsLowIsNamed()
    {
        const RankAdvice advice =
            advise({rank(1, {0.3, 0.3}, {1.0}, {100, 100}), rank(2, {0.5, 0.5}, {0.998}, {41, 41})}, Judge::Fit, true);
        QCOMPARE(advice.choice, std::optional<std::size_t>(0));
        QCOMPARE(advice.sentence,
                 QStringLiteral("Take rank 1: its replicates agree (1.00) and its core consistency is high (100 %). At rank 2 "
                                "core consistency is low (41 %)."));
    }

    void unstableConsistenciesDoNotDecide()
    {
        std::vector<RankEvidence> ranks{rank(1, {0.3, 0.3}, {1.0}, {100, 100}), rank(2, {0.5, 0.5}, {0.99}, {})};
        ranks[1].unstable = {-60, -70};
        const RankAdvice advice = advise(ranks, Judge::Fit, true);
        QCOMPARE(advice.choice, std::optional<std::size_t>(1));
        QVERIFY2(advice.text().contains(QStringLiteral("Core consistency is unstable at rank 2 and does not count there")),
                 qPrintable(advice.text()));
    }

    void agreementThatIsNotDefinedIsTold()
    {
        std::vector<RankEvidence> ranks{rank(2, {1.0, 1.0}, {0.9}), rank(3, {0.8, 0.8})};
        ranks[1].trivial = 1;
        const RankAdvice advice = advise(ranks);
        QVERIFY2(advice.text().contains(QStringLiteral("Agreement is not defined at rank 3: chance alone gives all of it.")),
                 qPrintable(advice.text()));
        QVERIFY(!advice.text().contains(QStringLiteral("Replicates would")));
    }

    void runsThatHadNotConvergedAreLeftOut()
    {
        std::vector<RankEvidence> ranks{rank(2, {1.0, 1.0}, {0.9}), rank(3, {0.9, 0.9}, {0.9}), rank(4, {})};
        ranks[1].unconverged = {0.95};
        ranks[2].unconverged = {0.93, 0.94};
        RankAdvice advice = advise(ranks);
        QCOMPARE(advice.choice, std::optional<std::size_t>(1));
        QVERIFY2(advice.text().contains(QStringLiteral("Runs that had not converged are left out: 1 of 3 at rank 3, 2 of 2 at rank 4.")),
                 qPrintable(advice.text()));
        // Without the last one, rank 3 is not the largest tried.
        QVERIFY2(!advice.text().contains(QStringLiteral("largest tried")), qPrintable(advice.text()));

        ranks[2].unconverged = {0.7, 0.8}; // already better, and still falling
        advice = advise(ranks);
        QVERIFY(!advice.choice);
        QVERIFY2(
            advice.sentence.startsWith(QStringLiteral("No rank can be recommended yet: 3 of 7 runs ended while their error still fell."))
                && advice.sentence.contains(QStringLiteral("rank 4 already does better (0.75)")),
            qPrintable(advice.sentence));

        ranks = {rank(2, {1.0, 1.0}, {0.9}), rank(4, {})};
        ranks[1].unconverged = {1.2};
        advice = advise(ranks);
        QVERIFY2(!advice.choice && advice.sentence.startsWith(QStringLiteral("No rank can be recommended yet: 1 of 3 runs")),
                 qPrintable(advice.sentence));
    }

    void aRunHasConvergedWhereItsErrorNoLongerFalls()
    {
        RunOutcome outcome;
        outcome.result.config.algorithm = "fasttucker-plus";
        outcome.result.config.stopping = {6, 1e-3, 5, 0};
        const auto history = [&](const std::vector<double>& errors, kernels::StopReason reason) {
            outcome.result.history.clear();
            for (const double error : errors) {
                kernels::IterationRecord record;
                record.iteration = outcome.result.history.size() + 1;
                record.trainRmse = record.testRmse = error;
                outcome.result.history.push_back(record);
            }
            outcome.result.reason = reason;
        };
        using kernels::StopReason;
        history({1, 0.9, 0.8, 0.7}, StopReason::Iterations);
        QVERIFY(!hadConverged(outcome));
        history({1, 0.9, 0.8, 0.7}, StopReason::TimeLimit);
        QVERIFY(!hadConverged(outcome));
        history({1, 0.9, 0.8, 0.7}, StopReason::Converged); // by rules of its own
        QVERIFY(hadConverged(outcome));
        history({1, 0.9, 0.8, 0.7999, 0.7998, 0.7997}, StopReason::Iterations);
        QVERIFY(hadConverged(outcome));
        history({1, 0.9, 0.8, 0.9, 0.95, 1.0}, StopReason::Iterations); // it learns too much: more iterations do not help
        QVERIFY(hadConverged(outcome));
        outcome.result.config.stopping.tolerance = 0; // no rule of its own: the default's
        history({1, 0.9, 0.8, 0.799, 0.798, 0.797}, StopReason::Iterations);
        QVERIFY(!hadConverged(outcome));
        outcome.result.config.algorithm = "cp-als"; // of the fit more is better
        history({1, 1, 1, 1, 1, 1}, StopReason::Iterations);
        for (std::size_t i = 0; i < 6; ++i)
            outcome.result.history[i].fit = 0.1 * static_cast<double>(i);
        QVERIFY(!hadConverged(outcome));
        for (std::size_t i = 2; i < 6; ++i)
            outcome.result.history[i].fit = 0.2;
        QVERIFY(hadConverged(outcome));
    }

    void aRunThatWasContinuedStaysInItsSweep()
    {
        kernels::RunConfig config;
        std::vector<SweepRun> runs;
        for (const unsigned rank : {2U, 4U, 8U})
            for (const std::uint64_t seed : {1U, 2U}) {
                config.ranks = {rank, rank, rank};
                config.seed = seed;
                runs.push_back({static_cast<int>(runs.size()) + 1, 1, config, true, nullptr, {}});
            }
        runs[5].config.stopping.iterations *= 2;
        runs[4].config.stopping.iterations *= 4;
        QCOMPARE(sweepSeries(runs).size(), std::size_t{1});
        QCOMPARE(sweepSeries(runs).front().runs.size(), std::size_t{6});
        // Where the same run is there with both limits, somebody varied them.
        SweepRun twin = runs[0];
        twin.id = 7;
        twin.config.stopping.iterations *= 2;
        runs.push_back(twin);
        const auto series = sweepSeries(runs);
        QVERIFY(std::any_of(series.begin(), series.end(), [](const SweepSeries& each) {
            return std::none_of(each.runs.begin(), each.runs.end(), [](const SweepRun& run) { return run.id == 7; })
                && each.runs.size() >= 5;
        }));
    }

    void oneSeedTwiceIsNoReplicate()
    {
        kernels::RunConfig config;
        config.ranks = {4, 4, 4};
        SweepRun first{1, 1, config, true, nullptr}, again{2, 1, config, true, nullptr}, other{3, 1, config, true, nullptr};
        other.config.seed = 7;
        const auto series = sweepSeries({first, again, other});
        QCOMPARE(series.size(), std::size_t{1});
        QCOMPARE(series.front().runs.size(), std::size_t{2});
        QVERIFY(sweepSeries({first, again}).empty());
        other.tensor = 2;
        QVERIFY(sweepSeries({first, other}).empty());
    }

    /// Other fields come together where the rank is one; numbers in their order, algorithms that minimise the same.
    void otherFieldsAreSeriesToo()
    {
        kernels::RunConfig config;
        config.algorithm = "fasttucker";
        config.ranks = {4, 4, 4};
        std::vector<SweepRun> runs;
        const auto add = [&](const kernels::RunConfig& each) {
            runs.push_back({static_cast<int>(runs.size()) + 1, 1, each, true, nullptr});
        };
        for (const std::uint64_t seed : {1, 2})
            for (const double penalty : {1.0, 0.05, 10.0}) {
                kernels::RunConfig each = config;
                each.seed = seed;
                each.parameters["lambda-a"] = penalty;
                add(each);
            }
        auto series = sweepSeries(runs);
        QCOMPARE(series.size(), std::size_t{1});
        QCOMPARE(series.front().field, std::string("lambda-a"));
        QStringList groups;
        for (const SweepRun& run : series.front().runs)
            groups += run.group + u'/' + QString::number(run.config.seed);
        QCOMPARE(groups, (QStringList{"0.05/1", "0.05/2", "1/1", "1/2", "10/1", "10/2"}));
        const SweepEvidence evidence = evidenceOf(
            series.front(), [](const auto&) { return std::nullopt; }, [](const auto&, const auto&) { return std::nullopt; });
        QCOMPARE(evidence.ranks.size(), std::size_t{3});
        QCOMPARE(evidence.ranks[2].waiting + evidence.ranks[2].failed, 2U);

        // A second rank makes it a sweep over ranks, a series for each penalty.
        kernels::RunConfig wider = config;
        wider.ranks = {8, 8, 8};
        wider.parameters["lambda-a"] = 1.0;
        add(wider);
        series = sweepSeries(runs);
        QCOMPARE(series.size(), std::size_t{2});
        QCOMPARE(std::count_if(series.begin(), series.end(), [](const auto& each) { return each.field == "rank"; }), 1);

        // Algorithms bring their own variants and parameters; who fits all cells is no match for who does not.
        runs.clear();
        for (const char* id : {"fasttucker", "fastertucker", "cp-als"}) {
            kernels::RunConfig each;
            each.algorithm = id;
            each.variant = kernels::algorithm(id).variants.front().id;
            each.format = kernels::algorithm(id).formatFor(each.variant);
            each.ranks = {4, 4, 4};
            each.parameters["own-of-" + std::string(id)] = 1.0;
            add(each);
        }
        series = sweepSeries(runs);
        QCOMPARE(series.size(), std::size_t{1});
        QCOMPARE(series.front().field, std::string("algorithm"));
        QCOMPARE(series.front().runs.size(), std::size_t{2});
        QCOMPARE(series.front().runs[1].group, QStringLiteral("FasterTucker"));
    }

    void theBestValueOfAFieldIsNamedWithThoseThatDoAsWell()
    {
        SweepEvidence evidence;
        evidence.field = "lambda-a";
        const auto value = [](const char* text, std::vector<double> values) {
            RankEvidence each;
            each.text = QString::fromLatin1(text);
            each.values = std::move(values);
            for (std::size_t i = 0; i < each.values.size(); ++i)
                each.seeds.push_back(i);
            return each;
        };
        evidence.ranks = {value("0.01", {0.99, 1.01}), value("0.1", {0.90, 0.92}), value("1", {0.903, 0.925}), value("10", {1.2, 1.3})};
        RankAdvice advice = adviseField(evidence, QStringLiteral("Penalty A"), QLocale::c());
        QCOMPARE(advice.choice, std::optional<std::size_t>(1));
        QCOMPARE(advice.sentence, QStringLiteral("Take Penalty A 0.1: its mean test RMSE, 0.91, is the lowest."));
        QCOMPARE(advice.remarks, QStringList{QStringLiteral("As good but for chance or a percent: 1 (0.914).")});
        evidence.ranks = {value("1", {0.903}), value("10", {0.8})};
        advice = adviseField(evidence, QStringLiteral("Penalty A"), QLocale::c());
        QVERIFY2(advice.text().contains(QStringLiteral("largest tried")) && advice.text().contains(QStringLiteral("One run of each")),
                 qPrintable(advice.text()));
        evidence.ranks = {value("fp32", {0.903}), value("fp64", {0.904})};
        advice = adviseField(evidence, QStringLiteral("Precision"), QLocale::c());
        QVERIFY(!advice.choice && advice.sentence.startsWith(QStringLiteral("Precision hardly matters here")));
        evidence.judge = Judge::Fit;
        evidence.ranks = {value("a", {0.1}), value("b", {0.5})};
        QCOMPARE(adviseField(evidence, QStringLiteral("Start"), QLocale::c()).choice, std::optional<std::size_t>(1));
        evidence.ranks = {value("a", {}), value("b", {})};
        QCOMPARE(adviseField(evidence, QStringLiteral("Start"), QLocale::c()).sentence, QStringLiteral("There are no runs to judge."));
    }

    void aPlantedRankIsFound()
    {
        kernels::RunConfig base;
        base.algorithm = "cp-als";
        base.format = kernels::algorithm("cp-als").formatFor({});
        base.split.kind = kernels::SplitKind::None;
        base.precision = kernels::Precision::Fp64;
        base.stopping = {500, 1e-7, 3, 0};
        const SweepEvidence evidence = sweep(base, plantedCp(3, 0.02), {"1", "2", "3", "4", "5"}, 4);
        QVERIFY(evidence.judge == Judge::Fit && evidence.ofComponents);
        QCOMPARE(evidence.ranks.size(), std::size_t{5});
        const RankAdvice advice = adviseRank(evidence, QLocale::c());
        QVERIFY2(advice.choice && evidence.ranks[*advice.choice].rank == 3, qPrintable(advice.text()));
        QVERIFY2(advice.sentence.contains(QStringLiteral("its replicates agree (1.00)")), qPrintable(advice.text()));
        // One of these starts ends in a worse optimum; without it being set aside no rank would bear out.
        QVERIFY(!evidence.ranks[2].stuck.empty());
        QVERIFY2(advice.text().contains(QStringLiteral("Runs that stopped on a plateau")), qPrintable(advice.text()));
    }

    /// Seeds hold out other entries, so errors differ by chance: a plateau shows in both, a few large values in only one.
    void aPlateauShowsInTrainingAndTestError()
    {
        const auto outcome = [](std::vector<double> train, double test) {
            auto ended = std::make_shared<RunOutcome>();
            ended->result.config.algorithm = "fasttucker-plus";
            ended->result.reason = kernels::StopReason::Converged;
            for (const double each : train) {
                kernels::IterationRecord record;
                record.iteration = ended->result.history.size() + 1;
                record.trainRmse = each;
                record.testRmse = test;
                ended->result.history.push_back(record);
            }
            ended->result.bestIteration = ended->result.history.size();
            return ended;
        };
        SweepSeries series;
        series.settings.algorithm = "fasttucker-plus";
        const auto add = [&](const std::shared_ptr<RunOutcome>& ended) {
            SweepRun run{static_cast<int>(series.runs.size()) + 1, 1, ended->result.config, true, ended, QStringLiteral("3")};
            run.config.seed = series.runs.size();
            series.runs.push_back(run);
        };
        add(outcome({1, 0.101}, 0.11));
        add(outcome({1, 0.1}, 0.105));
        add(outcome({1, 0.16}, 0.17)); // a plateau
        add(outcome({1, 0.16}, 0.09)); // large values in what it learned from
        add(outcome({1, 0.102}, 0.2)); // large values among those held out
        QCOMPARE(stuckRuns(series, Judge::TestRmse), (std::vector<bool>{false, false, true, false, false}));
        const SweepEvidence evidence = evidenceOf(
            series, [](const SweepRun&) { return std::nullopt; }, [](const SweepRun&, const SweepRun&) { return 0.9; });
        QCOMPARE(evidence.ranks.front().values, (std::vector<double>{0.11, 0.105, 0.09, 0.2}));
        QCOMPARE(evidence.ranks.front().stuck, std::vector<double>{0.17});
        QCOMPARE(evidence.ranks.front().agreements.size(), std::size_t{6});
        QVERIFY(adviseRank(evidence, QLocale::c())
                    .text()
                    .contains(QStringLiteral("Runs that stopped on a plateau above the best run of the same settings are left out: 1 of 5 "
                                             "at rank 3.")));
        series.field = "patience";
        QCOMPARE(std::ranges::count(stuckRuns(series, Judge::TestRmse), true), 0);

        // Runs that explain all but a thousandth have all come to their end.
        series.field = "rank";
        series.runs.clear();
        add(outcome({1, 0.0001}, 0.0001));
        add(outcome({1, 0.0004}, 0.0004));
        QCOMPARE(std::ranges::count(stuckRuns(series, Judge::TestRmse), true), 0);
    }
};

QTEST_GUILESS_MAIN(TestRankAdvice)
#include "tst_rank_advice.moc"
