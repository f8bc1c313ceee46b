// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/run_control.h"
#include "kernels/base/stopwatch.h"

#include <QtTest>

#include <future>
#include <thread>

using namespace kernels;

class RunControlTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void checkpointPassesWhenNobodyAsks()
    {
        RunControl control;
        control.checkpoint();
        QVERIFY(!control.attentionWanted());
        QCOMPARE(control.pausedSeconds(), 0.0);
    }

    void stopThrowsCancelledAtEveryCheckpoint()
    {
        RunControl control;
        control.stop();
        QVERIFY_EXCEPTION_THROWN(control.checkpoint(), Cancelled);
        QVERIFY_EXCEPTION_THROWN(control.checkpoint(), Cancelled);
    }

    void pauseWaitsUntilResumed()
    {
        RunControl control;
        control.pause();
        auto waiter = std::async(std::launch::async, [&] { control.checkpoint(); });
        QTRY_VERIFY(control.isPaused());
        QCOMPARE(waiter.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
        control.resume();
        waiter.get();
        QVERIFY(!control.isPaused());
        QVERIFY(control.pausedSeconds() >= 0.02);
    }

    void stopWakesAPausedRun()
    {
        RunControl control;
        control.pause();
        auto waiter = std::async(std::launch::async, [&] { control.checkpoint(); });
        QTRY_VERIFY(control.isPaused());
        control.stop();
        QVERIFY_EXCEPTION_THROWN(waiter.get(), Cancelled);
    }

    /// What is quickly done is done first, even when the run was paused; more time than that nobody gets.
    void aStopCountsAfterTheGrace()
    {
        using std::chrono::milliseconds;
        RunControl control;
        control.setGrace(milliseconds(200));
        control.pause();
        const auto asked = std::chrono::steady_clock::now();
        control.stop();
        QVERIFY(!control.attentionWanted() || std::chrono::steady_clock::now() - asked >= milliseconds(200));
        std::this_thread::sleep_for(milliseconds(150));
        control.stop(); // impatience does not help, nor does it prolong
        QTRY_VERIFY(control.stopRequested());
        QVERIFY(std::chrono::steady_clock::now() - asked >= milliseconds(200));
        QVERIFY_EXCEPTION_THROWN(control.checkpoint(), Cancelled);

        RunControl ended;
        ended.setGrace(std::chrono::hours(1));
        ended.stop();
        ended.checkpoint();
        ended.setGrace({});
        QVERIFY_EXCEPTION_THROWN(ended.checkpoint(), Cancelled);
    }

    void stopwatchLeavesPausesOut()
    {
        RunControl control;
        const Stopwatch watch(control);
        const auto begin = std::chrono::steady_clock::now();
        control.pause();
        std::thread resumer([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            control.resume();
        });
        control.checkpoint();
        resumer.join();
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
        QVERIFY(watch.seconds() <= wall.count() - 0.9 * control.pausedSeconds());
        QVERIFY(control.pausedSeconds() > 0);
    }
};

QTEST_GUILESS_MAIN(RunControlTest)
#include "tst_run_control.moc"
