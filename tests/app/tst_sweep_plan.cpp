// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep_plan.h"
#include "app/tensor_source.h"
#include "kernels/base/default_split.h"
#include "kernels/base/error.h"

#include <QTest>

#include <algorithm>

using namespace app;

namespace {

const std::vector<SweepField>& fields()
{
    static const std::vector<SweepField> all = sweepFields({"fasttucker-plus", "cp-als"});
    return all;
}

/// "4 8 16", or the sentence that refuses the text.
QString read(const char* field, const char* text)
{
    try {
        QStringList values;
        for (const std::string& value : sweepValues(sweepField(fields(), field), text))
            values += QString::fromStdString(value);
        return values.join(u' ');
    } catch (const kernels::Error& error) {
        return QString::fromUtf8(error.what());
    }
}

SweepAxis axis(const char* field, const char* values) { return {field, sweepValues(sweepField(fields(), field), values)}; }

const OpenTensorPtr& tensor()
{
    static const OpenTensorPtr open = [] {
        kernels::SyntheticSpec spec;
        spec.dims = {30, 20, 10};
        spec.entries = 600;
        kernels::Progress progress;
        return openSynthetic(spec, "small", Statistics::Skip, progress);
    }();
    return open;
}

kernels::RunConfig onCpu(const char* algorithm = "fasttucker-plus")
{
    kernels::RunConfig config;
    config.algorithm = algorithm;
    config.format = kernels::algorithm(algorithm).formatFor({});
    config.split = kernels::defaultSplit(kernels::algorithm(algorithm).objective);
    return config;
}

SweepPlan plan(const kernels::RunConfig& base, std::vector<SweepAxis> axes) { return planSweep(base, std::move(axes), *tensor(), {}); }

QString refusalOf(const kernels::RunConfig& base, std::vector<SweepAxis> axes)
{
    try {
        plan(base, std::move(axes));
    } catch (const kernels::Error& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

} // namespace

/// What a sweep will do, before it does it.
class TestSweepPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void listsAndRangesAreRead_data()
    {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("values");
        const auto row = [](const char* field, const char* text, const char* values) {
            QTest::newRow(text) << QByteArray(field) << QByteArray(text) << QString::fromLatin1(values);
        };
        row("rank", "4,8,16", "4 8 16");
        row("rank", " 4 , 8 ", "4 8");
        row("rank", "2..6", "2 3 4 5 6");
        row("rank", "2..9:3", "2 5 8");
        row("rank", "8..128:x2", "8 16 32 64 128");
        row("rank", "3..20:x1.5", "3 5 7 10 15");
        row("rank", "2..4,4,16", "2 3 4 16");
        row("rank", "8x8x4,16", "8x8x4 16");
        row("rank", "5..5", "5");
        row("seed", "18446744073709551615", "18446744073709551615");
        row("iterations", "1e3,20", "1000 20");
        row("tolerance", "0.1..0.5:0.1", "0.1 0.2 0.3 0.4 0.5");
        row("tolerance", "0.001..0.1:x10", "0.001 0.01 0.1");
        row("precision", "fp32,fp64", "fp32 fp64");
        row("deterministic", "false,true", "false true");
        row("device", "cpu,cuda:0", "cpu cuda:0");
        row("device", "cuda:0,cuda:0,1, cuda:0, 1 ,2,cpu", "cuda:0 cuda:0,1 cuda:0,1,2 cpu");
    }
    void listsAndRangesAreRead()
    {
        QFETCH(const QByteArray, field);
        QFETCH(const QByteArray, text);
        QFETCH(const QString, values);
        QCOMPARE(read(field.constData(), text.constData()), values);
    }

    void whatCannotBeReadIsToldInASentence_data()
    {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* field, const char* text, const char* says) {
            QTest::newRow(text) << QByteArray(field) << QByteArray(text) << QString::fromLatin1(says);
        };
        row("rank", "", "a list such as 4,8,16");
        row("rank", "4,,8", "a list such as 4,8,16");
        row("rank", "2..", "a list such as 4,8,16");
        row("rank", "-4", "a list such as 4,8,16");
        row("rank", "8x", "a list such as 4,8,16");
        row("rank", "10..2", "the smaller end first");
        row("rank", "2..10:0", "a step above 0");
        row("rank", "2..10:x1", "a factor above 1");
        row("rank", "2..10:0.5", "whole numbers");
        row("rank", "2..3000", "1000 values at most");
        row("rank", "1..2:x1.000001", "a larger step");
        row("tolerance", "0.1..0.5", "a step behind the range");
        row("precision", "fp31", "one of fp64, fp32");
        row("device", "gpu", "gpu");
        row("device", "0,cuda:1", "not a device");
        row("device", "cpu,1", "the CPU shares a run with no other device");
        row("device", "cuda:0,1,1", "named twice");
    }
    void whatCannotBeReadIsToldInASentence()
    {
        QFETCH(const QByteArray, field);
        QFETCH(const QByteArray, text);
        QFETCH(const QString, says);
        const QString sentence = read(field.constData(), text.constData());
        QVERIFY2(sentence.contains(says), qPrintable(sentence));
        QVERIFY2(!sentence.contains(u'\n'), qPrintable(sentence));
    }

    void everyParameterOfItsAlgorithmsIsAField()
    {
        for (const char* algorithm : {"fasttucker-plus", "cp-als"})
            for (const kernels::ParameterSpec& spec : kernels::algorithm(algorithm).parameters)
                QCOMPARE(sweepField(fields(), spec.id).label, spec.label);
        const auto missing = [] { sweepField(fields(), "rnak"); };
        try {
            missing();
            QFAIL("a field that is not there was found");
        } catch (const kernels::Error& error) {
            QVERIFY2(QByteArray(error.what()).contains("Did you mean \"rank\"?"), error.what());
        }
    }

    void allRanksComeForOneSeedAndThenForTheNext()
    {
        const SweepPlan made = plan(onCpu(), {axis("rank", "2,4,8"), replicateAxis(onCpu(), 2)});
        QCOMPARE(made.rows.size(), std::size_t{6});
        QCOMPARE(made.runCount(), std::size_t{6});
        QStringList names;
        for (const SweepRow& row : made.rows)
            names += made.rowName(row);
        QCOMPARE(names,
                 (QStringList{"rank 2, seed 42", "rank 4, seed 42", "rank 8, seed 42", "rank 2, seed 43", "rank 4, seed 43",
                              "rank 8, seed 43"}));
        QCOMPARE(made.rows[4].config.ranks, (std::vector<unsigned>{4, 4, 4}));
        QCOMPARE(made.rows[4].config.seed, std::uint64_t{43});
    }

    void whatDoesNotDifferIsNamedWhereNothingDoes()
    {
        const SweepPlan one = plan(onCpu(), {axis("algorithm", "cp-als"), replicateAxis(onCpu(), 1)});
        QCOMPARE(one.rowName(one.rows.at(0)), QStringLiteral("CP-ALS, seed 42"));
        const SweepPlan two = plan(onCpu(), {axis("iterations", "5"), axis("seed", "1,2")});
        QCOMPARE(two.rowName(two.rows.at(0)), QStringLiteral("seed 1"));
    }

    void seedsHave64Bits()
    {
        const SweepPlan made = plan(onCpu(), {axis("seed", "9223372036854775808,18446744073709551615,18446744073709551616,-1")});
        QCOMPARE(made.runCount(), std::size_t{2});
        QCOMPARE(made.rows[0].config.seed, std::uint64_t{1} << 63);
        QCOMPARE(made.rows[1].config.seed, ~std::uint64_t{0});
        QVERIFY2(made.rows[2].refusal.contains(QStringLiteral("too large a number")), qPrintable(made.rows[2].refusal));
        QVERIFY2(made.rows[3].refusal.contains(QStringLiteral("no such number")), qPrintable(made.rows[3].refusal));
    }

    void theCoreRankFollowsUnlessItWasChosen()
    {
        kernels::RunConfig base = onCpu();
        QCOMPARE(plan(base, {axis("rank", "4,8")}).rows[1].config.coreRank, 8U);
        base.ranks = {16};
        base.coreRank = 16; // as a resolved config has it
        QCOMPARE(plan(base, {axis("rank", "4,8")}).rows[1].config.coreRank, 8U);
        base.coreRank = 6;
        QCOMPARE(plan(base, {axis("rank", "4,8")}).rows[1].config.coreRank, 6U);
        QCOMPARE(plan(base, {axis("rank", "4,8"), axis("core-rank", "3")}).rows[1].config.coreRank, 3U);
    }

    void anAlgorithmBringsItsOwnSettings()
    {
        kernels::RunConfig base = onCpu();
        base.parameters["lambda-a"] = 0.5;
        const SweepPlan made = plan(base, {axis("algorithm", "fasttucker-plus,cp-als"), axis("rank", "3")});
        QCOMPARE(made.runCount(), std::size_t{2});
        const kernels::RunConfig &plus = made.rows[0].config, &cp = made.rows[1].config;
        QCOMPARE(kernels::realParameter(plus.parameters, "lambda-a"), 0.5);
        QCOMPARE(cp.algorithm, std::string("cp-als"));
        QCOMPARE(cp.format, kernels::algorithm("cp-als").formatFor(cp.variant));
        QVERIFY(cp.split.kind == kernels::SplitKind::None); // it takes what is held out for zeros
        QVERIFY(plus.split.kind == kernels::SplitKind::Random);
        QCOMPARE(made.rowName(made.rows[1]), QStringLiteral("CP-ALS, rank 3"));
    }

    void whatCannotWorkStaysWithItsReason()
    {
        const SweepPlan made = plan(onCpu(), {axis("rank", "4,4000"), axis("precision", "fp32,tf32")});
        QCOMPARE(made.rows.size(), std::size_t{4});
        QCOMPARE(made.runCount(), std::size_t{1});
        for (const SweepRow& row : made.rows)
            QCOMPARE(row.refusal.isEmpty(), row.values == (std::vector<std::string>{"fp32", "4"}));
        const auto large = std::find_if(made.rows.begin(), made.rows.end(), [](const SweepRow& row) {
            return row.values == std::vector<std::string>{"fp32", "4000"};
        });
        QVERIFY2(large->refusal.contains(QStringLiteral("rank out of range")), qPrintable(large->refusal));
    }

    void aParameterOfAnotherAlgorithmIsARefusalAndNoRun()
    {
        const SweepPlan made = plan(onCpu(), {axis("algorithm", "fasttucker-plus,cp-als"), axis("lambda-a", "0.1,0.2")});
        QCOMPARE(made.runCount(), std::size_t{2});
        QVERIFY2(made.rows[3].refusal.contains(QStringLiteral("CP-ALS has no parameter lambda-a")), qPrintable(made.rows[3].refusal));
    }

    void theSameRunIsNotRunTwice()
    {
        const SweepPlan made = plan(onCpu(), {axis("rank", "4,4x4x4,8")});
        QCOMPARE(made.runCount(), std::size_t{2});
        QCOMPARE(made.rows[1].refusal, QStringLiteral("The same run as rank 4."));
        QVERIFY(plan(onCpu("cp-als"), {axis("core-rank", "2,3")}).rows[0].refusal.contains(QStringLiteral("no core")));
    }

    void whatNeedsMoreMemoryThanThereIsIsLeftOut()
    {
        const auto needs = [](const kernels::RunConfig& config) {
            RunNeeds each;
            each.bytes = config.largestRank() * 100;
            each.limit = 500;
            each.secondsPerIteration = 0.5;
            return each;
        };
        const SweepPlan made = planSweep(onCpu(), {axis("rank", "4,5,6")}, *tensor(), needs);
        QCOMPARE(made.runCount(), std::size_t{2});
        QCOMPARE(made.mostBytes(), std::uint64_t{500});
        QVERIFY2(made.rows[2].refusal.contains(QStringLiteral("needs 600 B, 500 B free")), qPrintable(made.rows[2].refusal));
        QCOMPARE(made.seconds(), 2 * 0.5 * 50);
        QVERIFY(!made.secondsMeasured());
    }

    void tooManyRunsAreRefusedAloud()
    {
        const QString sentence = refusalOf(onCpu(), {axis("rank", "1..100"), axis("seed", "1..11")});
        QVERIFY2(sentence.contains(QStringLiteral("1100 combinations")) && sentence.contains(QStringLiteral("1000")), qPrintable(sentence));
        QVERIFY(refusalOf(onCpu(), {axis("rank", "1..100"), axis("seed", "1..10")}).isEmpty());
        QVERIFY(refusalOf(onCpu(), {axis("rank", "4"), axis("rank", "8")}).contains(QStringLiteral("varied twice")));
    }

    void seriesAreWhatDiffersInMoreThanRankAndSeed()
    {
        const SweepPlan made = plan(onCpu(), {axis("rank", "2,8"), axis("seed", "1,2"), axis("learning-rate-a", "0.001,0.01")});
        QCOMPARE(made.runCount(), std::size_t{8});
        std::vector<kernels::RunConfig> known;
        for (const SweepRow& row : made.rows) {
            const kernels::RunConfig key = withoutRankAndSeed(row.config);
            if (std::find(known.begin(), known.end(), key) == known.end())
                known.push_back(key);
        }
        QCOMPARE(known.size(), std::size_t{2});
    }
};

QTEST_GUILESS_MAIN(TestSweepPlan)
#include "tst_sweep_plan.moc"
