// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_needs.h"
#include "app/tensor_source.h"
#include "kernels/base/progress.h"
#include "kernels/base/registry.h"

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
