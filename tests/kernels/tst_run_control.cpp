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
