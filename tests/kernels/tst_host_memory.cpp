// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"

#include <QtTest>

#include <fstream>
#include <limits>

#include <sys/resource.h>
#include <unistd.h>

using namespace kernels;

class TestHostMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void someButNotMoreThanTheMachineHas()
    {
        const auto physical = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        QVERIFY(availableHostMemory() > 0);
        QVERIFY(availableHostMemory() <= physical);
    }

    void tooMuchIsAnAnswerWithBothNumbers()
    {
        requireHostMemory(1, "");
        try {
            requireHostMemory(std::numeric_limits<std::uint64_t>::max(), "Use less.");
            QFAIL("there cannot be so much");
        } catch (const OutOfMemory& error) {
            QCOMPARE(error.bytesNeeded(), std::numeric_limits<std::uint64_t>::max());
            QVERIFY(error.bytesFree() < error.bytesNeeded());
            QVERIFY(std::string(error.what()).ends_with("Use less."));
        }
    }

    void addressSpaceLimitCounts()
    {
        std::uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        constexpr std::uint64_t room = std::uint64_t{64} << 20;
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_AS, &before), 0);
        rlimit limited = before;
        limited.rlim_cur = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + room;
        QCOMPARE(setrlimit(RLIMIT_AS, &limited), 0);
        const std::uint64_t left = availableHostMemory();
        QCOMPARE(setrlimit(RLIMIT_AS, &before), 0);
        QVERIFY(left > 0);
        QVERIFY(left <= room);
    }
};

QTEST_GUILESS_MAIN(TestHostMemory)
#include "tst_host_memory.moc"
