// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/device/device_list.h"
#include "kernels/device/row_gather.h"

#include <QtTest>

#include <cmath>

using namespace kernels;

/// What gathers reach that do nothing else; how fast that is, is not tested.
class RowGatherTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isMeasuredForAnyRows()
    {
        RunControl control;
        for (const DeviceInfo& device : devices()) {
            if (!device.problem.empty())
                continue;
            for (const Count rows : {Count{1}, Count{3000}, Count{200'000}})
                for (const std::uint64_t rowBytes : {16u, 64u, 100u, 1024u}) {
                    const auto rate = measureRowGather(device.id, rows, rowBytes, control);
                    QVERIFY(rate && std::isfinite(*rate) && *rate > 0);
                }
        }
    }

    void whatHasNoRoomIsNotMeasured()
    {
        RunControl control;
        QVERIFY(!measureRowGather({}, Count{1} << 40, 1 << 20, control));
    }

    void aStopIsHonoured()
    {
        RunControl stopped;
        stopped.stop();
        QVERIFY_EXCEPTION_THROWN(measureRowGather({}, 1000, 64, stopped), Cancelled);
    }
};

QTEST_GUILESS_MAIN(RowGatherTest)
#include "tst_row_gather.moc"
