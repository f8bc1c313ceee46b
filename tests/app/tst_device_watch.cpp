// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device_watch.h"
#include "kernels/device/cpu_device.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <thread>

using namespace app;

namespace {

constexpr int patience = 20'000;
const kernels::DeviceId cpu, gpu{kernels::DeviceKind::Cuda, 0};

/// A driver that answers only when it is let.
struct SlowDriver {
    std::atomic<bool> answers{false};
    std::atomic<std::uint64_t> free{1000};
    std::atomic<int> questions{0};

    void wait() const
    {
        while (!answers)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    DeviceWatch::Drivers drivers()
    {
        return {[this] {
                    wait();
                    kernels::DeviceInfo info;
                    info.id = gpu;
                    return DeviceAnswer{{kernels::cpuDevice(), info}, {}};
                },
                [this](const kernels::DeviceId&) -> std::optional<std::uint64_t> {
                    ++questions;
                    wait();
                    return free;
                }};
    }
};

} // namespace

/// Drivers that are slow: nobody waits for them.
class DeviceWatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void untilTheDriverAnswersThereIsTheCpu();
    void freeMemoryIsToldWhenItIsKnown();
};

void DeviceWatchTest::untilTheDriverAnswersThereIsTheCpu()
{
    SlowDriver driver;
    DeviceWatch watch(driver.drivers());
    QSignalSpy listed(&watch, &DeviceWatch::listed);
    QVERIFY(!watch.isListed());
    QCOMPARE(watch.answer().devices.size(), std::size_t{1});
    QVERIFY(watch.answer().devices.front().id == cpu);
    QVERIFY(watch.answer().devices.front().memoryTotal > 0 && watch.answer().devices.front().processors > 0);
    QVERIFY(watch.freeMemory(cpu).value_or(0) > 0);
    QTest::qWait(100);
    QVERIFY(listed.isEmpty() && !watch.isListed());
    driver.answers = true;
    QTRY_COMPARE_WITH_TIMEOUT(listed.count(), 1, patience);
    QVERIFY(watch.isListed());
    QVERIFY(watch.answer().devices.back().id == gpu);
}

void DeviceWatchTest::freeMemoryIsToldWhenItIsKnown()
{
    SlowDriver driver;
    driver.answers = true;
    DeviceWatch watch(driver.drivers());
    QTRY_VERIFY_WITH_TIMEOUT(watch.isListed(), patience);
    driver.answers = false;
    QSignalSpy changed(&watch, &DeviceWatch::freeMemoryChanged);
    QVERIFY(!watch.freeMemory(gpu));
    QTRY_COMPARE_WITH_TIMEOUT(driver.questions.load(), 1, patience);
    QVERIFY(!watch.freeMemory(gpu) && changed.isEmpty()); // asked, not waited for
    driver.answers = true;
    QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, patience);
    QCOMPARE(watch.freeMemory(gpu).value_or(0), std::uint64_t{1000});
    QCOMPARE(driver.questions.load(), 1); // an answer is good for a while
    driver.free = 900;
    QTRY_COMPARE_WITH_TIMEOUT(watch.freeMemory(gpu).value_or(0), std::uint64_t{900}, patience);
    QCOMPARE(changed.count(), 2);
    QCOMPARE(driver.questions.load(), 2);
}

QTEST_GUILESS_MAIN(DeviceWatchTest)
#include "tst_device_watch.moc"
