// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/several_devices.h"

#include <QtTest>

using namespace kernels;

namespace {

std::vector<DeviceInfo> machineWith(int gpus, int broken = -1)
{
    std::vector<DeviceInfo> devices(1);
    for (int i = 0; i < gpus; ++i) {
        devices.emplace_back().id = {DeviceKind::Cuda, i};
        if (i == broken)
            devices.back().problem = "lost";
    }
    return devices;
}

QString offered(const std::vector<DeviceInfo>& devices)
{
    QStringList texts;
    for (const auto& choice : deviceChoices(devices))
        texts += QString::fromStdString(toString(choice));
    return texts.join(u' ');
}

} // namespace

class SeveralDevicesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textsAreReadAsTheyAreWritten()
    {
        for (const char* const text : {"auto", "cpu", "cuda:3", "cuda:0,1", "cuda:4,2,7"})
            QCOMPARE(toString(devicesFromString(text)), std::string(text));
    }

    void gpusAreOfferedAloneAndTogether()
    {
        QCOMPARE(offered(machineWith(0)), QString("cpu"));
        QCOMPARE(offered(machineWith(1)), QString("cpu cuda:0"));
        QCOMPARE(offered(machineWith(2)), QString("cpu cuda:0 cuda:1 cuda:0,1"));
        QCOMPARE(offered(machineWith(3)), QString("cpu cuda:0 cuda:1 cuda:2 cuda:0,1 cuda:0,1,2"));
        QCOMPARE(offered(machineWith(4)), QString("cpu cuda:0 cuda:1 cuda:2 cuda:3 cuda:0,1 cuda:2,3 cuda:0,1,2,3"));
    }

    /// It is told of what is wrong with it, but shares no run.
    void aGpuWithAProblemIsOfferedAlone() { QCOMPARE(offered(machineWith(3, 1)), QString("cpu cuda:0 cuda:1 cuda:2 cuda:0,2")); }

    void whoCanShareARun()
    {
        const std::vector<DeviceId> cpu{{}}, ranks{{}, {}}, mixed{{}, {DeviceKind::Cuda, 0}};
        QVERIFY(bool(supportsSeveral(algorithm("ntf"), cpu)) && bool(supportsSeveral(algorithm("ntf"), ranks)));
        QVERIFY(bool(supportsSeveral(algorithm("cp-als"), ranks)));
        QVERIFY(bool(supportsSeveral(algorithm("fasttucker-plus"), ranks)));
        QVERIFY(bool(supportsSeveral(algorithm("fastertucker"), cpu)));
        QVERIFY(supportsSeveral(algorithm("fastertucker"), ranks).reason.find("one device at a time") != std::string::npos);
        const std::vector<DeviceId> twice{{DeviceKind::Cuda, 1}, {DeviceKind::Cuda, 0}, {DeviceKind::Cuda, 1}};
        QVERIFY(supportsSeveral(algorithm("ntf"), twice).reason.starts_with("cuda:1 is named twice"));
        QVERIFY(supportsSeveral(algorithm("ntf"), mixed).reason.find("GPUs alone") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(SeveralDevicesTest)
#include "tst_several_devices.moc"
