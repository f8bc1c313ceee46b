// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device_turns.h"

#include <QtTest>

using app::DeviceTurns;
using kernels::DeviceId;
using kernels::DeviceKind;

namespace {

const std::vector<DeviceId> first{{DeviceKind::Cuda, 0}}, second{{DeviceKind::Cuda, 1}}, both{first[0], second[0]}, cpu{{}};
const int a = 1, b = 2, c = 3, d = 4; // who asks is an address

} // namespace

class DeviceTurnsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aDeviceHasOneRun()
    {
        DeviceTurns turns;
        QVERIFY(turns.take(&a, first));
        QVERIFY(!turns.take(&b, first));
        QVERIFY(turns.take(&c, second) && turns.take(&d, cpu));
        turns.give(first);
        QVERIFY(turns.take(&b, first));
    }

    void severalAreTakenTogether()
    {
        DeviceTurns turns;
        QVERIFY(turns.take(&a, second));
        QVERIFY(!turns.take(&b, both));
        turns.give(second);
        QVERIFY(turns.take(&b, both));
        QVERIFY(!turns.take(&c, first) && !turns.take(&d, second));
        turns.give(both);
        QVERIFY(turns.take(&c, first) && turns.take(&d, second));
    }

    /// Else single runs that follow each other on one device would keep a run on both waiting for ever.
    void whoAskedFirstComesFirst()
    {
        DeviceTurns turns;
        QVERIFY(turns.take(&a, second));
        QVERIFY(!turns.take(&b, both)); // now the first device waits for the second one, too
        QVERIFY(!turns.take(&c, first));
        turns.give(second);
        QVERIFY(!turns.take(&d, second));
        QVERIFY(turns.take(&b, both));
        turns.give(both);
        QVERIFY(turns.take(&c, first) && turns.take(&d, second));
    }

    void aClaimThatIsWithdrawnHoldsNobodyUp()
    {
        DeviceTurns turns;
        QVERIFY(turns.take(&a, second));
        QVERIFY(!turns.take(&b, both));
        turns.withdraw(&b);
        QVERIFY(turns.take(&c, first));
    }
};

QTEST_GUILESS_MAIN(DeviceTurnsTest)
#include "tst_device_turns.moc"
