// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accuracy_curve.h"
#include "app/model_match_text.h"
#include "app/setting_differences.h"
#include "kernels/base/registry.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace app;

namespace {

kernels::IterationRecord record(std::uint64_t iteration, double seconds, double testRmse, double fit = kernels::notMeasured)
{
    kernels::IterationRecord result;
    result.iteration = iteration;
    result.elapsed = seconds;
    result.testRmse = testRmse;
    result.trainRmse = testRmse / 2;
    result.fit = fit;
    return result;
}

kernels::RunConfig completed(const char* algorithm)
{
    kernels::RunConfig config;
    const kernels::AlgorithmInfo& info = kernels::algorithm(algorithm);
    config.algorithm = info.id;
    config.variant = info.variants.front().id;
    config.format = info.formatFor(config.variant);
    config.parameters = kernels::withDefaults(info.parameters, {});
    return config;
}

kernels::ModelMatch match(std::size_t first, std::size_t second, const std::vector<double>& congruences)
{
    kernels::ModelMatch result;
    result.ofComponents = true;
    result.firstRank = first;
    result.secondRank = second;
    result.agreement = 0.93;
    for (std::size_t i = 0; i < congruences.size(); ++i)
        result.pairs.push_back({i, congruences.size() - 1 - i, congruences[i], congruences[i], 0});
    return result;
}

QString told(const kernels::ModelMatch& match) { return matchSentence(match, "A", "B", {"origin"}, QLocale::c()); }

const SettingRow* rowOf(const std::vector<SettingRow>& rows, const char* label)
{
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const SettingRow& row) { return row.label == QLatin1String(label); });
    return at == rows.end() ? nullptr : &*at;
}

} // namespace

/// What window and command line say of several runs.
class TestComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFirstIterationThatMeetsTheTargetCounts()
    {
        std::vector<kernels::IterationRecord> history{record(1, 0.1, 3), record(2, 0.2, 1), record(3, 0.3, 2)};
        AccuracyCurve curve(Measure::Rmse, Part::Test), train(Measure::Rmse, Part::Train);
        QVERIFY(std::isnan(curve.best()) && !curve.reached(5));
        curve.update(history);
        QCOMPARE(curve.points().size(), std::size_t{2});
        QCOMPARE(curve.reached(3.5)->iteration, std::uint64_t{1});
        QCOMPARE(curve.reached(2)->seconds, 0.2); // the third is worse than the second, not news
        QCOMPARE(curve.reached(1)->iteration, std::uint64_t{2}); // exactly met
        QVERIFY(!curve.reached(0.999) && !curve.reached(std::nan("")));
        history.push_back(record(4, 0.4, std::nan("")));
        history.push_back(record(5, 0.5, 0.5));
        curve.update(history);
        QCOMPARE(curve.best(), 0.5);
        QCOMPARE(curve.reached(0.999)->seconds, 0.5);
        train.update(history);
        QCOMPARE(train.best(), 0.25);
    }

    void ofTheFitMoreIsBetter()
    {
        AccuracyCurve curve(Measure::Fit, Part::Test);
        curve.update({record(1, 0.1, 1, 0.2), record(2, 0.2, 1, 0.6), record(3, 0.3, 1, 0.5)});
        QCOMPARE(curve.best(), 0.6);
        QCOMPARE(curve.reached(0.3)->iteration, std::uint64_t{2});
        QVERIFY(!curve.reached(0.7));
    }

    void onlySettingsThatDifferAreTold()
    {
        kernels::RunConfig a = completed("fasttucker-plus"), b = a, c = a;
        QVERIFY(settingDifferences({a, b}).empty());
        b.seed = 7;
        c.ranks = {8, 8, 4};
        c.coreRank = 16;
        c.parameters["learning-rate-a"] = 0.5;
        const auto rows = settingDifferences({a, b, c});
        QCOMPARE(rows.size(), std::size_t{3});
        QCOMPARE(rowOf(rows, "Seed")->values, (QStringList{"42", "7", "42"}));
        QCOMPARE(rowOf(rows, "Rank")->values, (QStringList{"16", "16", "8, 8, 4"}));
        const auto* parameter = kernels::algorithm("fasttucker-plus").parameter("learning-rate-a");
        QVERIFY(parameter);
        const SettingRow* row = rowOf(rows, parameter->label.c_str());
        QVERIFY(row);
        QCOMPARE(row->values.last(), QStringLiteral("0.5"));
    }

    void whatOneAlgorithmAloneHasIsADashElsewhere()
    {
        const auto rows = settingDifferences({completed("cp-als"), completed("fasttucker-plus")});
        QCOMPARE(rowOf(rows, "Algorithm")->values.first(), QStringLiteral("CP-ALS"));
        QCOMPARE(rowOf(rows, "Core rank")->values, (QStringList{"–", "16"}));
        QVERIFY(!rowOf(rows, "Seed"));
        QVERIFY(!rowOf(rows, "Ridge") && !rowOf(rows, "Decay")); // what nobody has touched
        kernels::RunConfig touched = completed("cp-als");
        touched.parameters["ridge"] = 0.5;
        QCOMPARE(rowOf(settingDifferences({touched, completed("fasttucker-plus")}), "Ridge")->values, (QStringList{"0.5", "–"}));
    }

    void aModelOfUnknownOriginHasSettingsToo()
    {
        kernels::RunConfig unknown;
        unknown.algorithm.clear();
        const auto rows = settingDifferences({unknown, completed("cp-als")});
        QCOMPARE(rowOf(rows, "Algorithm")->values, (QStringList{"", "CP-ALS"}));
    }

    void componentsAreToldInASentence()
    {
        QCOMPARE(told(match(3, 3, {1, 0.9, 0.86})), QStringLiteral("A and B find the same 3 components (agreement 0.93)."));
        QCOMPARE(told(match(3, 3, {1, 0.2, 0.9})),
                 QStringLiteral("A and B find the same 2 of 3 components (agreement 0.93); "
                                "component 2 appears only in A, component 2 appears only in B."));
        QCOMPARE(told(match(2, 4, {1, 0.9})),
                 QStringLiteral("A and B find the same 2 components, of 2 and 4 (agreement 0.93); "
                                "components 3 and 4 appear only in B."));
        QCOMPARE(told(match(2, 2, {0.1, 0.849})), QStringLiteral("A and B have none of their 2 components in common (agreement 0.93)."));
        QCOMPARE(told(match(9, 9, {1, 0, 0, 0, 0, 0, 0, 0, 0})),
                 QStringLiteral("A and B find the same 1 of 9 components (agreement 0.93); 8 components appear only in A, "
                                "8 components appear only in B."));
        QVERIFY(matchDefinition(true).contains(QStringLiteral("0.85")));
        kernels::ModelMatch trivial = match(2, 2, {1, 1});
        trivial.agreement = kernels::notMeasured;
        QCOMPARE(told(trivial),
                 QStringLiteral("Whether A and B find the same components is not defined: chance alone makes their columns "
                                "so alike."));
        kernels::ModelMatch flat = match(2, 2, {1, 0.95});
        flat.pairs[1].chance = 0.9; // of 0.95 only half is beyond it
        QVERIFY2(told(flat).startsWith(QStringLiteral("A and B find the same 1 of 2 components")), qPrintable(told(flat)));
    }

    void spacesAreToldByMode()
    {
        kernels::ModelMatch spaces;
        spaces.cosines = {{1, 0.96, 0.9}, {1, 1}};
        spaces.agreement = 0.93;
        QCOMPARE(told(spaces),
                 QStringLiteral("The factors of A and B have these directions in common: 2 of 3 in origin and 2 of 2 in "
                                "mode 2 (agreement 0.93)."));
        spaces.trivial = {1, 2};
        QCOMPARE(told(spaces),
                 QStringLiteral("The factors of A and B have these directions in common: 1 of 2 in origin (agreement 0.93). "
                                "Any two models of these ranks share all directions in mode 2."));
        spaces.trivial = {3, 2};
        spaces.agreement = kernels::notMeasured;
        QCOMPARE(told(spaces),
                 QStringLiteral("Any two models of these ranks share all directions in origin and mode 2. Agreement of A and B "
                                "is not defined: chance alone gives all of it."));
        QVERIFY(matchDefinition(false).contains(QStringLiteral("0.95")));
        QCOMPARE(agreementText(-0.001, QLocale::c()), QStringLiteral("0.00"));
    }
};

QTEST_GUILESS_MAIN(TestComparison)
#include "tst_comparison.moc"
