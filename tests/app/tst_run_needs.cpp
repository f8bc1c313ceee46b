// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_needs.h"
#include "app/tensor_source.h"
#include "kernels/base/progress.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"

#include <QTest>

using namespace app;

/// How long a run takes, by what others took.
class TestRunNeeds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_small = tensorOf(2000);
        m_large = tensorOf(8000);
    }

    void withoutRunsItIsAGuess()
    {
        const RunNeeds needs = needsFor(withRank(8), *m_small, {});
        QVERIFY(needs.secondsPerIteration > 0 && !needs.measured);
        QVERIFY(needs.spread >= 2);
        QCOMPARE(needsFor(withRank(8), *m_small, {took(withRank(8), *m_small, 0.01)}).spread, 1.0);
    }

    /// Against what was measured on the CPU of a cloud machine: seconds of one thread. Rows decide where they are many, and few operations
    /// an entry take no time.
    void guessesAreWithinAFactorOfTwo_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<unsigned>("rank");
        QTest::addColumn<bool>("manyRows");
        QTest::addColumn<double>("seconds");
        const auto row = [](const char* algorithm, unsigned rank, bool manyRows, double seconds) {
            QTest::addRow("%s %u%s", algorithm, rank, manyRows ? " netflix" : "") << algorithm << rank << manyRows << seconds;
        };
        row("fasttucker-plus", 4, true, 0.0199);
        row("fasttucker-plus", 4, false, 0.0118);
        row("fasttucker-plus", 16, false, 0.0238);
        row("cp-als", 4, true, 0.0326);
        row("cp-als", 4, false, 0.0088);
        row("cp-completion-als", 16, true, 0.171);
        row("cp-ccd", 4, false, 0.061);
        row("cp-ccd", 16, true, 0.334);
        row("cp-sgd", 4, false, 0.0196);
        row("ntf", 16, false, 0.0163);
        row("tucker-als", 4, true, 0.281);
        row("tucker-sgd", 4, false, 0.0409);
        row("tucker-ccd", 16, true, 0.506);
    }

    void guessesAreWithinAFactorOfTwo()
    {
        QFETCH(const QString, algorithm);
        QFETCH(const unsigned, rank);
        QFETCH(const bool, manyRows);
        QFETCH(const double, seconds);
        OpenTensor tensor; // of these sizes; nobody looks at its entries
        tensor.tensor =
            manyRows ? kernels::SparseTensor({480189, 17770, 2182}, 198144) : kernels::SparseTensor({300, 200, 100, 50}, 200000);
        kernels::RunConfig config = kernels::resolve(withAlgorithm(algorithm, rank), tensor.tensor.dims());
        config.threads = 1;
        const RunNeeds needs = needsFor(config, tensor, {});
        const double ratio = needs.secondsPerIteration / seconds;
        QVERIFY2(ratio < needs.spread && ratio > 1 / needs.spread, qPrintable(QString::number(ratio)));
    }

    void theSameAgainTakesAsLong()
    {
        const RunNeeds needs = needsFor(withRank(8), *m_small, {took(withRank(8), *m_small, 0.01)});
        QVERIFY(needs.measured);
        QVERIFY(std::abs(needs.secondsPerIteration / 0.01 - 1) < 1e-9);
        QVERIFY(std::abs(needsFor(withRank(8), *m_large, {took(withRank(8), *m_small, 0.01)}).secondsPerIteration / 0.04 - 1) < 0.1);
    }

    /// Operations grow a thousandfold from rank 2 to 64, times by some ten.
    void anotherRankIsNoProportion()
    {
        const MeasuredTime small = took(withRank(2), *m_small, 0.001);
        const RunNeeds needs = needsFor(withRank(64), *m_small, {small});
        QVERIFY(!needs.measured);
        QVERIFY2(needs.secondsPerIteration > 0.003 && needs.secondsPerIteration < 0.1,
                 qPrintable(QString::number(needs.secondsPerIteration)));
        const RunNeeds back = needsFor(withRank(2), *m_small, {took(withRank(64), *m_small, needs.secondsPerIteration)});
        QVERIFY(std::abs(back.secondsPerIteration / 0.001 - 1) < 1e-9);
        QVERIFY(needsFor(withRank(10), *m_small, {took(withRank(8), *m_small, 0.01)}).measured);
    }

    void theNearestOfItsKindTells()
    {
        kernels::RunConfig other = withRank(16);
        other.algorithm = "cp-als";
        const std::vector<MeasuredTime> known{took(withRank(64), *m_small, 0.5), took(withRank(16), *m_small, 0.02),
                                              took(withRank(16), *m_small, 0.09), took(other, *m_small, 7)};
        QCOMPARE(needsFor(withRank(16), *m_small, known).secondsPerIteration, 0.02); // of equals the newest
        QVERIFY(needsFor(withRank(64), *m_small, known).secondsPerIteration > 0.4);
    }

    void aShortHistoryTellsNothing()
    {
        kernels::IterationRecord record;
        record.secondsFactor = 0.3;
        record.secondsEvaluate = 0.1;
        const std::vector<kernels::IterationRecord> two(2, record), many(500, record);
        QVERIFY(!measuredTime(withRank(8), *m_small, two));
        QVERIFY(std::abs(measuredTime(withRank(8), *m_small, many)->seconds - 0.4) < 1e-9);
    }

private:
    static std::shared_ptr<OpenTensor> tensorOf(kernels::Count entries)
    {
        kernels::SyntheticSpec spec;
        spec.dims = {60, 50, 40};
        spec.entries = entries;
        spec.rank = spec.coreRank = 2;
        kernels::Progress progress;
        return openSynthetic(spec, "planted", Statistics::Skip, progress);
    }

    static kernels::RunConfig withRank(unsigned rank)
    {
        kernels::RunConfig config;
        config.algorithm = "fasttucker-plus";
        config.ranks = {rank, rank, rank};
        config.coreRank = rank;
        config.devices = {kernels::DeviceId{}};
        return config;
    }

    static kernels::RunConfig withAlgorithm(const QString& algorithm, unsigned rank)
    {
        kernels::RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.ranks = {rank};
        config.devices = {kernels::DeviceId{}};
        config.split.kind = kernels::SplitKind::None;
        return config;
    }

    static MeasuredTime took(const kernels::RunConfig& config, const OpenTensor& tensor, double seconds)
    {
        kernels::IterationRecord record;
        record.secondsFactor = seconds;
        return *measuredTime(config, tensor, std::vector<kernels::IterationRecord>(5, record));
    }

    static RunNeeds needsFor(const kernels::RunConfig& config, const OpenTensor& tensor, const std::vector<MeasuredTime>& known)
    {
        return needsOf(config, tensor, kernels::device(config.devices.front()), {}, known);
    }

    std::shared_ptr<OpenTensor> m_small, m_large;
};

QTEST_GUILESS_MAIN(TestRunNeeds)
#include "tst_run_needs.moc"
