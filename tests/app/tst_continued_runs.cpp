// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "support/checkpoints.h"
#include "support/runs.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>

using namespace app;

namespace {

constexpr int patience = 60000; // ms; what is waited for takes milliseconds on a machine with time

kernels::RunConfig planned(std::uint64_t iterations)
{
    kernels::RunConfig config;
    config.ranks = {4};
    config.threads = 1;
    config.deterministic = true;
    test::fixIterations(config, iterations);
    return config;
}

} // namespace

/// Runs that are continued after their end, and runs that are taken away and brought back.
class TestContinuedRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_session = std::make_unique<Session>();
        kernels::SyntheticSpec spec;
        spec.dims = {40, 30, 20};
        spec.entries = 4000;
        spec.rank = spec.coreRank = 4;
        spec.noise = 0.05;
        QSignalSpy ended(m_session.get(), &Session::loadEnded);
        m_session->generate(spec, QStringLiteral("planted"));
        QVERIFY(ended.wait(patience));
        m_tensor = m_session->tensors().front();
    }
    void cleanup()
    {
        m_tensor.reset();
        m_session.reset();
    }

    void eightIterationsAndTwelveMoreAreTwenty_data()
    {
        QTest::addColumn<QString>("algorithm");
        for (const kernels::AlgorithmInfo& info : kernels::algorithms())
            QTest::addRow("%s", info.id.c_str()) << QString::fromStdString(info.id);
    }
    void eightIterationsAndTwelveMoreAreTwenty()
    {
        QFETCH(QString, algorithm);
        kernels::RunConfig config = planned(20);
        config.algorithm = algorithm.toStdString();
        config.format = kernels::algorithm(config.algorithm).formats.front();
        Run* const whole = m_session->start(config, m_tensor);
        config.stopping.iterations = 8;
        Run* const parts = m_session->start(config, m_tensor);
        QVERIFY(ends(whole) && ends(parts));
        QCOMPARE(parts->history().size(), std::size_t{8});
        const auto firstEnd = parts->outcome();

        QVERIFY(parts->holdsEnd());
        config.stopping.iterations = 20;
        QSignalSpy changed(m_session.get(), &Session::runChanged);
        m_session->continueRun(parts, config.stopping);
        QCOMPARE(parts->state(), RunState::Queued);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(parts->history().size(), std::size_t{8}); // no curve shrinks
        QCOMPARE(parts->outcome(), firstEnd); // nor does the model go
        QCOMPARE(parts->plannedIterations(), std::uint64_t{20});
        QVERIFY(ends(parts));
        QCOMPARE(parts->history().size(), std::size_t{20});
        QCOMPARE(parts->bestIteration(), whole->bestIteration());
        const std::string differing = test::difference(parts->outcome()->result, whole->outcome()->result);
        QVERIFY2(differing.empty(), differing.c_str());
        QVERIFY(parts->elapsedSeconds() >= parts->history().back().elapsed);
        QCOMPARE(parts->command(), whole->command());
        // And on, as often as somebody likes.
        QVERIFY(parts->holdsEnd());
        config.stopping.iterations = 21;
        m_session->continueRun(parts, config.stopping);
        QVERIFY(ends(parts));
        QCOMPARE(parts->history().size(), std::size_t{21});
    }

    void aStoppedRunGoesOnWhereItStopped()
    {
        // On a busy machine an iteration may outlast what a stop waits for it; then the run's end is in its middle.
        Run* run = nullptr;
        for (int attempt = 0; attempt < 5 && !(run && run->holdsEnd()); ++attempt) {
            run = m_session->start(planned(1'000'000), m_tensor);
            QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > 3, patience);
            run->stop();
            QVERIFY(ends(run));
            QCOMPARE(run->state(), RunState::Stopped);
        }
        QVERIFY(run->holdsEnd());
        const std::vector<kernels::IterationRecord> before = run->history();
        kernels::StoppingRules rules = run->config().stopping;
        rules.iterations = before.size() + 5;
        m_session->continueRun(run, rules);
        QVERIFY(ends(run));
        QCOMPARE(run->state(), RunState::Finished);
        QCOMPARE(run->history().size(), before.size() + 5);
        for (std::size_t i = 0; i < before.size(); ++i) {
            QCOMPARE(run->history()[i].iteration, before[i].iteration);
            QVERIFY(test::sameBits(run->history()[i].testRmse, before[i].testRmse));
        }
        for (std::size_t i = 1; i < run->history().size(); ++i)
            QVERIFY(run->history()[i].elapsed >= run->history()[i - 1].elapsed);
    }

    void stoppedBeforeItWentOnItCanStillBeContinued()
    {
        Run* const run = m_session->start(planned(5), m_tensor);
        QVERIFY(ends(run));
        const auto first = run->outcome();
        Run* const other = m_session->start(planned(1'000'000), m_tensor); // holds the device
        QTRY_VERIFY_WITH_TIMEOUT(other->state() == RunState::Running, patience);
        m_session->continueRun(run, planned(9).stopping);
        QCOMPARE(run->state(), RunState::Queued);
        run->stop();
        QCOMPARE(run->state(), RunState::Stopped);
        QCOMPARE(run->outcome(), first);
        other->stop();
        QVERIFY(ends(other));
        QTRY_VERIFY_WITH_TIMEOUT(run->holdsEnd(), patience);
        m_session->continueRun(run, planned(9).stopping);
        QVERIFY(ends(run));
        QCOMPARE(run->history().size(), std::size_t{9});
    }

    void telemetryGoesOn()
    {
        Run* const run = m_session->start(planned(1'000'000), m_tensor);
        QTRY_VERIFY_WITH_TIMEOUT(!run->telemetry().empty() && run->telemetry().front().samples.size() > 2, patience);
        run->stop();
        QVERIFY(ends(run));
        const auto before = run->telemetry().front().samples;
        kernels::StoppingRules rules = run->config().stopping;
        rules.iterations = 1'000'000'000;
        m_session->continueRun(run, rules);
        QTRY_VERIFY_WITH_TIMEOUT(run->telemetry().front().samples.size() > before.size() + 2, patience);
        run->stop();
        QVERIFY(ends(run));
        const auto& after = run->telemetry().front().samples;
        for (std::size_t i = 1; i < after.size(); ++i)
            QVERIFY(after[i].seconds >= after[i - 1].seconds);
        QCOMPARE(after[before.size() - 1].seconds, before.back().seconds);
    }

    void onlyTheLatestEndsAreHeld()
    {
        Run* const first = m_session->start(planned(3), m_tensor);
        QVERIFY(ends(first));
        Run* const second = m_session->start(planned(3), m_tensor);
        QVERIFY(ends(second));
        QVERIFY(first->holdsEnd() && second->holdsEnd());
        // Room for one: 40 + 30 + 20 rows and 3 cores of four, at rank 4 in four bytes, are some 1,600.
        m_session->keepEndsWithin(2400);
        QVERIFY(!first->holdsEnd());
        QVERIFY(second->holdsEnd());
        QVERIFY_EXCEPTION_THROWN(m_session->continueRun(first, planned(9).stopping), kernels::Error);
        QCOMPARE(first->state(), RunState::Finished);
        m_session->keepEndsWithin(0);
        QVERIFY(!second->holdsEnd());
    }

    void aRunSetAsideComesBackInItsPlace()
    {
        std::vector<Run*> runs;
        for (int i = 0; i < 3; ++i)
            runs.push_back(m_session->start(planned(3), m_tensor));
        QVERIFY(ends(runs.back()));
        const auto model = runs[1]->outcome();
        const int id = runs[1]->id();
        QSignalSpy removed(m_session.get(), &Session::runRemoved);
        QSignalSpy added(m_session.get(), &Session::runAdded);
        m_session->setAside(runs[1]);
        QCOMPARE(removed.count(), 1);
        QCOMPARE(m_session->run(id), nullptr);
        // Its colour stays its own meanwhile.
        Run* const another = m_session->start(planned(3), m_tensor);
        QVERIFY(another->colorIndex() != runs[1]->colorIndex());
        added.clear();
        m_session->putBack(id);
        QCOMPARE(added.count(), 1);
        QCOMPARE(m_session->runs(), (std::vector<Run*>{runs[0], runs[1], runs[2], another}));
        QCOMPARE(runs[1]->outcome(), model);
        m_session->putBack(id); // is not aside
        QCOMPARE(m_session->runs().size(), std::size_t{4});

        QSignalSpy destroyed(runs[1], &QObject::destroyed);
        m_session->setAside(runs[1]);
        m_session->letGo(id);
        QTRY_COMPARE_WITH_TIMEOUT(destroyed.count(), 1, patience);
        m_session->putBack(id);
        QCOMPARE(m_session->runs().size(), std::size_t{3});
    }

    void aRunSetAsideAtWorkStopsAndKeepsItsModel()
    {
        Run* const run = m_session->start(planned(1'000'000), m_tensor);
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > 3, patience);
        m_session->setAside(run);
        QVERIFY(!m_session->hasActiveRuns());
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
        m_session->putBack(run->id());
        QCOMPARE(run->state(), RunState::Stopped);
        QVERIFY(run->outcome());
        run->setName(QStringLiteral("again")); // its signals are the session's once more
        QSignalSpy changed(m_session.get(), &Session::runChanged);
        run->setName(QStringLiteral("and again"));
        QCOMPARE(changed.count(), 1);
    }

private:
    static bool ends(const Run* run)
    {
        return QTest::qWaitFor([run] { return !run->isActive(); }, patience) && run->error().isEmpty();
    }

    std::unique_ptr<Session> m_session;
    OpenTensorPtr m_tensor;
};

QTEST_GUILESS_MAIN(TestContinuedRuns)
#include "tst_continued_runs.moc"
