// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/memory_meter.h"

#include <QtTest>

#include <thread>

using kernels::cuda::MemoryMeter;

class MemoryMeterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theMostAtOnceIsKept()
    {
        const MemoryMeter meter;
        MemoryMeter::taken(100);
        MemoryMeter::taken(50);
        MemoryMeter::given(100);
        MemoryMeter::taken(80);
        QCOMPARE(meter.most(), std::uint64_t{150});
        MemoryMeter::taken(40);
        QCOMPARE(meter.most(), std::uint64_t{170});
    }

    void whatWasThereBeforeMakesRoom()
    {
        const MemoryMeter meter;
        MemoryMeter::given(1000);
        MemoryMeter::taken(900);
        QCOMPARE(meter.most(), std::uint64_t{0});
        MemoryMeter::taken(300);
        QCOMPARE(meter.most(), std::uint64_t{200});
    }

    void onlyItsThreadAndItsTimeCount()
    {
        MemoryMeter::taken(7);
        const MemoryMeter meter;
        std::thread([] {
            const MemoryMeter other;
            MemoryMeter::taken(5);
            QCOMPARE(other.most(), std::uint64_t{5});
        }).join();
        {
            const MemoryMeter inner;
            MemoryMeter::taken(3);
            QCOMPARE(inner.most(), std::uint64_t{3});
        }
        QCOMPARE(meter.most(), std::uint64_t{0});
        MemoryMeter::taken(2);
        QCOMPARE(meter.most(), std::uint64_t{2});
    }
};

QTEST_GUILESS_MAIN(MemoryMeterTest)
#include "tst_memory_meter.moc"
