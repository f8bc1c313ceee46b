// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"
#include "app/tensor_source.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace app;

namespace {

constexpr int patience = 60000; // ms; what is waited for takes milliseconds, half a minute under a sanitizer

OpenTensorPtr smallTensor()
{
    kernels::SyntheticSpec spec;
    spec.dims = {40, 30, 20};
    spec.entries = 4000;
    spec.rank = spec.coreRank = 4;
    kernels::Progress progress;
    auto open = openSynthetic(spec, "planted", Statistics::Compute, progress);
    open->id = 1;
    return open;
}

kernels::RunConfig endlessRun()
{
    kernels::RunConfig config;
    config.ranks = {4};
    config.threads = 1;
    config.stopping.iterations = 1'000'000'000;
    config.stopping.tolerance = 0;
    return config;
}

kernels::RunConfig shortRun()
{
    kernels::RunConfig config = endlessRun();
    config.stopping.iterations = 5;
    return config;
}

} // namespace

/// Who waits for a device, and in which order.
class TestRunQueue : public QObject {
    Q_OBJECT

    OpenTensorPtr m_tensor;

    /// A session whose device is taken by the first run.
    struct Busy {
        Session session;
        Run* first = nullptr;
    };
    void take(Busy& busy)
    {
        busy.first = busy.session.start(endlessRun(), m_tensor);
        QTRY_COMPARE_WITH_TIMEOUT(busy.first->state(), RunState::Running, patience);
    }
    static QList<int> order(const Session& session)
    {
        QList<int> ids;
        for (const Run* run : session.waitingRuns({}))
            ids += run->id();
        return ids;
    }

private Q_SLOTS:
    void initTestCase() { m_tensor = smallTensor(); }

    void whatIsQueuedComesBehindWhatIsStarted()
    {
        Busy busy;
        take(busy);
        Session& session = busy.session;
        const int queued = session.start(shortRun(), m_tensor, Turn::Last)->id();
        const int also = session.start(shortRun(), m_tensor, Turn::Last)->id();
        const int started = session.start(shortRun(), m_tensor, Turn::Next)->id();
        const int next = session.start(shortRun(), m_tensor, Turn::Next)->id();
        QCOMPARE(order(session), (QList<int>{started, next, queued, also}));
        QCOMPARE(session.waitingCount(), 4);
        QCOMPARE(session.queuePosition(session.run(also)), 4);
        QCOMPARE(session.queuePosition(busy.first), 0);
    }

    void theOrderCanBeChanged()
    {
        Busy busy;
        take(busy);
        Session& session = busy.session;
        QList<int> ids;
        for (int i = 0; i < 4; ++i)
            ids += session.start(shortRun(), m_tensor, Turn::Last)->id();
        QSignalSpy changed(&session, &Session::queueChanged);
        session.moveInQueue(session.run(ids[2]), QueueMove::Up);
        QCOMPARE(order(session), (QList<int>{ids[0], ids[2], ids[1], ids[3]}));
        session.moveInQueue(session.run(ids[0]), QueueMove::Down);
        QCOMPARE(order(session), (QList<int>{ids[2], ids[0], ids[1], ids[3]}));
        session.moveInQueue(session.run(ids[3]), QueueMove::Front);
        QCOMPARE(order(session), (QList<int>{ids[3], ids[2], ids[0], ids[1]}));
        QCOMPARE(changed.count(), 3);
        session.moveInQueue(session.run(ids[3]), QueueMove::Up); // it is the first
        session.moveInQueue(session.run(ids[1]), QueueMove::Down); // and that the last
        session.moveInQueue(busy.first, QueueMove::Front); // and that does not wait
        QCOMPARE(changed.count(), 3);

        // They are done in this order.
        QList<int> begun;
        connect(&session, &Session::runChanged, &session, [&](const Run* run) {
            if (run->state() == RunState::Finished)
                begun += run->id();
        });
        busy.first->stop();
        QTRY_COMPARE_WITH_TIMEOUT(begun.size(), 4, patience);
        // One poll may see several end; by their times they went one after the other.
        std::sort(begun.begin(), begun.end(),
                  [&](int a, int b) { return session.run(a)->record().started < session.run(b)->record().started; });
        QCOMPARE(begun, (QList<int>{ids[3], ids[2], ids[0], ids[1]}));
        QCOMPARE(session.waitingCount(), 0);
    }

    void stoppedAndRemovedRunsLeaveTheQueue()
    {
        Busy busy;
        take(busy);
        Session& session = busy.session;
        Run* a = session.start(shortRun(), m_tensor, Turn::Last);
        Run* b = session.start(shortRun(), m_tensor, Turn::Last);
        Run* c = session.start(shortRun(), m_tensor, Turn::Last);
        QSignalSpy changed(&session, &Session::queueChanged);
        a->stop();
        QCOMPARE(order(session), (QList<int>{b->id(), c->id()}));
        session.removeRun(b);
        QCOMPARE(order(session), QList<int>{c->id()});
        QCOMPARE(session.queuePosition(c), 1);
        QCOMPARE(session.waitingCount(), 1);
        QCOMPARE(changed.count(), 2);
    }

    void aPausedQueueStartsNothing()
    {
        Busy busy;
        take(busy);
        Session& session = busy.session;
        QSignalSpy changed(&session, &Session::queueChanged);
        Run* next = session.start(shortRun(), m_tensor, Turn::Next);
        changed.clear();
        session.setQueuePaused(true);
        session.setQueuePaused(true);
        QCOMPARE(changed.count(), 1);
        Run* queued = session.start(shortRun(), m_tensor, Turn::Last);
        const std::size_t before = busy.first->history().size();
        QTRY_VERIFY_WITH_TIMEOUT(busy.first->history().size() > before + 2, patience); // what runs goes on
        busy.first->stop();
        QTRY_COMPARE_WITH_TIMEOUT(busy.first->state(), RunState::Stopped, patience);
        QTest::qWait(400); // several polls
        QCOMPARE(next->state(), RunState::Queued); // it waited already
        QCOMPARE(queued->state(), RunState::Queued);
        QCOMPARE(session.queuePosition(queued), 2);

        // What a person starts now goes ahead all the same.
        Run* started = session.start(shortRun(), m_tensor, Turn::Next);
        QTRY_COMPARE_WITH_TIMEOUT(started->state(), RunState::Finished, patience);
        QCOMPARE(queued->state(), RunState::Queued);

        session.setQueuePaused(false);
        QTRY_COMPARE_WITH_TIMEOUT(queued->state(), RunState::Finished, patience);
        QCOMPARE(session.waitingCount(), 0);
    }

    void aPausedQueueHoldsBackTheFirstRunOfADevice()
    {
        Session session;
        session.setQueuePaused(true); // before there is a worker
        Run* queued = session.start(shortRun(), m_tensor, Turn::Last);
        QTest::qWait(400);
        QCOMPARE(queued->state(), RunState::Queued);
        session.setQueuePaused(false);
        QTRY_COMPARE_WITH_TIMEOUT(queued->state(), RunState::Finished, patience);
    }

    void aSessionEndsWithRunsInAPausedQueue()
    {
        Session session;
        session.setQueuePaused(true);
        for (int i = 0; i < 5; ++i)
            session.start(shortRun(), m_tensor, Turn::Last);
        QCOMPARE(session.waitingCount(), 5);
        // Its destructor must not wait for them: the test's own time limit says so.
    }
};

QTEST_GUILESS_MAIN(TestRunQueue)
#include "tst_run_queue.moc"
