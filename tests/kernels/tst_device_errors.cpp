// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/device/device_list.h"
#include "kernels/operations/evaluate.h"
#include "support/runs.h"

#include <QLibrary>
#include <QtTest>

#include <cmath>

using namespace kernels;
using test::smallProblem;

Q_DECLARE_METATYPE(kernels::ErrorKind)
Q_DECLARE_METATYPE(kernels::DeviceId)

namespace {

const DeviceId losable{DeviceKind::Cuda, 0}, failing{DeviceKind::Cuda, 1};

QString fakeModule() { return QCoreApplication::applicationDirPath() + QStringLiteral("/libpolyad_fake_cuda.so"); }

RunConfig configOn(const DeviceId& device)
{
    RunConfig config;
    test::fixIterations(config, 12);
    config.devices = {device};
    config.ranks = {8};
    return config;
}

RunResult runOn(const RunConfig& config) { return test::runOn(config, smallProblem().train, &smallProblem().test); }

} // namespace

/// What devices may do to a program, on any machine: tests/fake_cuda stands in for the CUDA module.
class DeviceErrorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("POLYAD_CUDA_MODULE", fakeModule().toLocal8Bit()); }
    void cleanup()
    {
        qunsetenv("POLYAD_FAKE_LOST_AFTER");
        qunsetenv("POLYAD_FAKE_COPIES_REFUSED");
    }

    void aFailingDeviceHidesNoOther()
    {
        QCOMPARE(devices().size(), std::size_t{3});
        QVERIFY2(cudaAbsenceReason().empty(), cudaAbsenceReason().c_str());
        QCOMPARE(device(losable).name, std::string("Losable"));
        QVERIFY(devices()[2].problem.find("ECC") != std::string::npos);
        try {
            device(failing);
            QFAIL("accepted");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::NoDevice);
            QVERIFY2(std::string(e.what()).find("cuda:1: this device cannot be used: uncorrectable ECC") == 0, e.what());
        }
    }

    /// The first that can be used and takes what is asked; with nobody naming a precision, the one preferred there.
    void aDeviceIsChosenForWhoNamesNone()
    {
        AlgorithmInfo info = algorithm("fasttucker-plus");
        QVERIFY(info.deviceFor({}, "coo", Precision::Fp32) == losable);
        info.preferredPrecision = [](const DeviceId& id) { return id.kind == DeviceKind::Cuda ? Precision::Bf16 : Precision::Fp32; };
        info.supports = [](const Choice& choice) {
            return choice.precision == Precision::Bf16 && choice.variant == "grouped" ? Support::yes() : Support::no("not here");
        };
        QVERIFY(info.deviceFor({}, "coo", std::nullopt) == losable);
        QVERIFY(info.deviceFor("grouped", "coo", Precision::Fp32) == DeviceId{});
        QVERIFY(info.deviceFor("store", "coo", std::nullopt) == DeviceId{});
    }

    /// Workers of a GPU never have the same bits twice: who names no device gets the CPU, who names the GPU the reason.
    void aGpuThatNobodyNamedGivesWay()
    {
        RunConfig config;
        config.algorithm = "cp-sgd";
        config.devices.clear();
        QVERIFY(resolve(config, {10, 10, 10}).devices.front() == losable);
        config.deterministic = true;
        QVERIFY(resolve(config, {10, 10, 10}).devices == std::vector<DeviceId>{DeviceId{}});
        config.devices = {losable};
        try {
            resolve(config, {10, 10, 10});
            QFAIL("accepted");
        } catch (const Error& e) {
            QVERIFY2(std::string(e.what()).find("choose the CPU") != std::string::npos, e.what());
        }
    }

    /// A question about free memory may start a device: a list of them must not ask it.
    void onlyARequestedDeviceIsAskedForItsFreeMemory()
    {
        const auto questions = reinterpret_cast<int (*)()>(QLibrary::resolve(fakeModule(), "polyadFreeMemoryQuestions"));
        QVERIFY(questions);
        const int before = questions();
        QCOMPARE(devices().size(), std::size_t{3});
        QVERIFY(!freeMemory(losable)); // no NVML knows this device
        QVERIFY(!freeMemory(failing, StartDevice::IfNeeded));
        QCOMPARE(questions(), before);
        QCOMPARE(freeMemory(losable, StartDevice::IfNeeded).value_or(0), std::uint64_t{1} << 29);
        QCOMPARE(questions(), before + 1);
    }

    void badDevicesAreRefused_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<ErrorKind>("kind");
        QTest::addColumn<QString>("mentions");
        QTest::newRow("not there") << "cuda:7" << ErrorKind::NoDevice << "cuda:7: there is no such device (expected one of cpu, cuda:0)";
        QTest::newRow("failing") << "cuda:1" << ErrorKind::NoDevice << "cuda:1: this device cannot be used";
        QTest::newRow("two") << "cuda:0,1" << ErrorKind::BadArgument << "one device at a time";
        QTest::newRow("who can") << "cuda:0,1" << ErrorKind::BadArgument << "Several GPUs can share a run of fasttucker-plus, cp-als, ntf.";
        QTest::newRow("twice") << "cuda:0,1,0" << ErrorKind::BadArgument
                               << "cuda:0 is named twice (found \"cuda:0,1,0\", expected each GPU once)";
        QTest::newRow("with the CPU") << "cpu,cuda:0" << ErrorKind::BadArgument << "the CPU shares a run with no other device";
        QTest::newRow("with the CPU, last") << "cuda:0,cpu" << ErrorKind::BadArgument << "the CPU shares a run with no other device";
        for (const char* text : {"cuda:x", "cpu:1", "cuda:", "cuda:-1", "cuda:0,", "tpu:0", ""})
            QTest::addRow("\"%s\"", text) << text << ErrorKind::BadArgument << "cpu, cuda:0 or cuda:0,1";
    }
    void badDevicesAreRefused()
    {
        QFETCH(QString, text);
        QFETCH(ErrorKind, kind);
        QFETCH(QString, mentions);
        try {
            RunConfig config = configOn(DeviceId{});
            config.algorithm = "fastertucker"; // by one device
            config.devices = devicesFromString(text.toStdString());
            resolve(config, smallProblem().train.dims());
            QFAIL("accepted");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), kind);
            QVERIFY2(QString(e.what()).contains(mentions), e.what());
        }
    }

    void aMemoryLimitIsAnswered_data()
    {
        QTest::addColumn<DeviceId>("device");
        QTest::newRow("cpu") << DeviceId{};
        QTest::newRow("cuda") << losable;
    }
    /// Both numbers and a way out, before anything is allocated.
    void aMemoryLimitIsAnswered()
    {
        QFETCH(DeviceId, device);
        RunConfig config = configOn(device);
        config.memoryLimit = 10240; // the entries alone need more
        try {
            runOn(config);
            QFAIL("ran");
        } catch (const OutOfMemory& e) {
            QCOMPARE(e.kind(), ErrorKind::OutOfMemory);
            QVERIFY(e.bytesNeeded() > smallProblem().train.bytes());
            QCOMPARE(e.bytesFree(), config.memoryLimit);
            const QString text = e.what();
            QVERIFY2(text.contains(QString::fromStdString(formatBytes(e.bytesNeeded()))) && text.contains("10.0 KiB"), e.what());
            QVERIFY2(text.contains("Raise the memory limit"), e.what());
        }
        config.memoryLimit = std::uint64_t{1} << 30;
        QVERIFY(runOn(config).reason == StopReason::Iterations);
    }

    void aLostDeviceKeepsTheBestModelAndTheCpuGoesOn()
    {
        qputenv("POLYAD_FAKE_LOST_AFTER", "5");
        const RunResult lost = runOn(configOn(losable));
        QVERIFY(lost.reason == StopReason::Failed);
        QCOMPARE(lost.history.size(), std::size_t{5});
        QVERIFY2(QString::fromStdString(lost.failure).startsWith("GPU 0 (Losable): unspecified launch failure"), lost.failure.c_str());
        QVERIFY(!lost.failure.ends_with('\n') && lost.failure.find('\n') == std::string::npos);
        QVERIFY(lost.bestIteration >= 1);
        const double claimed = lost.history[lost.bestIteration - 1].testRmse;
        QVERIFY(std::abs(evaluateModel(lost.best, smallProblem().test).rmse() - claimed) <= 1e-5 * claimed); // fp32 sums against fp64 ones

        const RunResult next = runOn(configOn(DeviceId{}));
        QVERIFY(next.reason == StopReason::Iterations);
        QCOMPARE(next.history.size(), std::size_t{12});
    }

    /// Copies that guard against a lost device need memory; a run on a device that is well does not end for want of it.
    void noMemoryForACopyEndsNoRun()
    {
        qputenv("POLYAD_FAKE_COPIES_REFUSED", "1");
        const RunResult result = runOn(configOn(losable));
        QVERIFY(result.reason == StopReason::Iterations);
        QCOMPARE(result.history.size(), std::size_t{12});
    }

    void aDeviceLostBeforeTheFirstIterationIsAnError()
    {
        qputenv("POLYAD_FAKE_LOST_AFTER", "0");
        try {
            runOn(configOn(losable));
            QFAIL("ran");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::Device);
        }
    }
};

QTEST_GUILESS_MAIN(DeviceErrorsTest)
#include "tst_device_errors.moc"
