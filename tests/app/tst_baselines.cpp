// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/baseline_text.h"
#include "app/report.h"
#include "app/session.h"
#include "app/session_store.h"
#include "kernels/tensor/synthetic.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace app;

namespace {

constexpr int patience = 60000; // ms; what is waited for takes milliseconds on a machine with time

kernels::SyntheticSpec smallProblem()
{
    kernels::SyntheticSpec spec;
    spec.dims = {40, 30, 20};
    spec.entries = 4000;
    spec.rank = spec.coreRank = 4;
    spec.noise = 0.05;
    return spec;
}

kernels::RunConfig shortRun(const char* algorithm = "fasttucker", std::uint64_t seed = 1)
{
    kernels::RunConfig config;
    config.algorithm = algorithm;
    config.ranks = {4};
    config.threads = 1;
    config.seed = seed;
    config.stopping.iterations = 3;
    config.stopping.tolerance = 0;
    return config;
}

OpenTensorPtr tensorOf(LoadJob* job)
{
    OpenTensorPtr tensor;
    QObject::connect(job, &LoadJob::finished, job, [&](const OpenTensorPtr& t) { tensor = t; });
    [&] { QTRY_VERIFY_WITH_TIMEOUT(tensor, patience); }();
    return tensor;
}

kernels::IterationRecord bestOf(double testRmse, double trainRmse, double fit = kernels::notMeasured)
{
    kernels::IterationRecord best;
    best.iteration = 1;
    best.testRmse = testRmse;
    best.trainRmse = trainRmse;
    best.fit = fit;
    return best;
}

} // namespace

/// The mean and the additive model, beside runs.
class TestBaselines : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRunOfTheWindowHasThoseOfItsSplit()
    {
        Session session;
        const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
        QVERIFY(tensor);
        const QSignalSpy came(&session, &Session::runBaselinesCame);
        Run* const first = session.start(shortRun(), tensor);
        Run* const second = session.start(shortRun("fasttucker", 2), tensor);
        QTRY_VERIFY_WITH_TIMEOUT(first->baselines() && second->baselines(), patience);
        QCOMPARE(came.count(), 2);
        for (const Run* run : {first, second}) {
            TrainTestCache cache;
            kernels::Progress progress;
            const TrainTest parts = cache.get(tensor, run->config(), progress);
            const kernels::Baselines expected =
                kernels::measureBaselines(*parts.train, parts.test.get(), kernels::Objective::Observed, &progress);
            // The same bits, whatever the number of threads.
            QVERIFY(run->baselines()->additive.testRmse == expected.additive.testRmse);
            QVERIFY(run->baselines()->mean.trainMae == expected.mean.trainMae);
        }
        QVERIFY(first->baselines()->mean.testRmse != second->baselines()->mean.testRmse); // of another split
        Run* const third = session.start(shortRun(), tensor); // of the first's
        QTRY_VERIFY_WITH_TIMEOUT(third->baselines(), patience);
        QVERIFY(third->baselines()->additive.testRmse == first->baselines()->additive.testRmse);
    }

    void aRunOfAllCellsComparesItsFit()
    {
        Session session;
        const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
        kernels::RunConfig config = shortRun("cp-als");
        config.split.kind = kernels::SplitKind::None;
        const Run* const run = session.start(config, tensor);
        QTRY_VERIFY_WITH_TIMEOUT(run->baselines(), patience);
        QVERIFY(std::isfinite(run->baselines()->additive.fit) && std::isnan(run->baselines()->additive.trainRmse));
        const auto comparison = compareWith(*run->baselines(), run->history().back());
        QVERIFY(comparison && comparison->higherIsBetter && comparison->measure == QStringLiteral("fit"));
    }

    void whoDoesNotWantThemHasNone()
    {
        Session session;
        const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
        session.setBaselinesWanted(false);
        Run* const run = session.start(shortRun(), tensor);
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
        QTest::qWait(200);
        QVERIFY(!run->baselines());
        session.setBaselinesWanted(true);
        session.wantBaselines(run);
        QTRY_VERIFY_WITH_TIMEOUT(run->baselines(), patience);
    }

    /// A sweep over seeds has a split each.
    void aHiddenRunIsNotMeasuredUnasked()
    {
        Session session;
        const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
        Run* const run = session.start(shortRun(), tensor);
        run->setVisible(false);
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
        QTest::qWait(200);
        QVERIFY(!run->baselines());
        session.wantBaselines(run);
        QTRY_VERIFY_WITH_TIMEOUT(run->baselines(), patience);
    }

    void aSessionsFileKeepsThemAndItsReportTellsThem()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("kept.polyad"));
        Session session;
        const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
        kernels::RunConfig config = shortRun();
        config.parameters["learning-rate-a"] = config.parameters["learning-rate-b"] = 1e-9; // learns nothing
        config.stopping.iterations = 1;
        Run* const run = session.start(config, tensor);
        QTRY_VERIFY_WITH_TIMEOUT(run->baselines() && !run->isActive(), patience);
        const double kept = run->baselines()->additive.testRmse;
        kernels::Progress progress;
        const QString html = makeReport({toSessionRun(run->snapshot())}, Report::For::Browser, progress).html;
        QVERIFY2(html.contains(QStringLiteral("<p>Baselines: mean ")), qPrintable(html));
        QVERIFY2(html.contains(QStringLiteral("<p class=\"error\">This model does not beat the ")), qPrintable(html));
        session.setBaselinesWanted(false);
        const QSignalSpy written(&session, &Session::exportFinished), opened(&session, &Session::sessionOpened);
        session.save(file, {});
        QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, patience);
        session.openSession(file);
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, patience);
        QCOMPARE(session.runs().size(), std::size_t{1});
        QVERIFY(session.runs().front()->baselines() && session.runs().front()->baselines()->additive.testRmse == kept);
    }

    void theVerdictNamesWhatIsNotBeaten()
    {
        kernels::Baselines baselines;
        baselines.mean = {1.2, 1, 1.1, 1, kernels::notMeasured};
        baselines.additive = {0.994, 0.8, 0.9, 0.7, kernels::notMeasured};
        const auto verdict = [&](const kernels::IterationRecord& best) { return baselineVerdict(&baselines, &best); };
        QCOMPARE(verdict(bestOf(1.021, 0.5)),
                 QStringLiteral("This model does not beat the additive baseline (test RMSE 1.0210, baseline 0.9940)."));
        QCOMPARE(verdict(bestOf(1.3, 0.5)), QStringLiteral("This model does not beat the mean (test RMSE 1.3000, mean 1.2000)."));
        QCOMPARE(verdict(bestOf(0.9, 2)), QString());
        QCOMPARE(verdict(bestOf(kernels::notMeasured, 0.95)),
                 QStringLiteral("This model does not beat the additive baseline (train RMSE 0.9500, baseline 0.9000)."));
        QCOMPARE(baselineVerdict(nullptr, nullptr), QString());
        baselines = {};
        baselines.mean.fit = 0.2;
        baselines.additive.fit = 0.4;
        QCOMPARE(verdict(bestOf(kernels::notMeasured, 9, 0.3)), // its errors of observed entries are not compared
                 QStringLiteral("This model does not beat the additive baseline (fit 0.3000, baseline 0.4000)."));
        QCOMPARE(verdict(bestOf(kernels::notMeasured, 9, 0.5)), QString());
    }

    void onlyAModelThatLearntOverfits()
    {
        kernels::Baselines baselines;
        baselines.mean = {1.2, 1, 1.1, 1, kernels::notMeasured};
        baselines.additive = {0.994, 0.8, 0.9, 0.7, kernels::notMeasured};
        const auto overfits = [&](const kernels::IterationRecord& best) { return compareWith(baselines, best)->overfits(); };
        QVERIFY(overfits(bestOf(1.3, 1.0))); // beats the mean in training, not in the test
        QVERIFY(!overfits(bestOf(1.3, 1.15)));
        QVERIFY(overfits(bestOf(1.021, 0.89)));
        QVERIFY(!overfits(bestOf(1.021, 0.95))); // beats the mean only
        QVERIFY(!overfits(bestOf(0.9, 0.5))); // beats both in the test
        QVERIFY(!overfits(bestOf(kernels::notMeasured, 0.95))); // no test part
        baselines = {};
        baselines.mean.fit = 0.2;
        baselines.additive.fit = 0.4;
        QVERIFY(!overfits(bestOf(kernels::notMeasured, 0.1, 0.3)));
    }
};

QTEST_GUILESS_MAIN(TestBaselines)
#include "tst_baselines.moc"
