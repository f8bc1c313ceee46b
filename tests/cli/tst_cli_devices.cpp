// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/model_file.h"

#include <QRegularExpression>
#include <QTemporaryDir>

using namespace cli_test;

/// What devices may do to a person's command; tests/fake_cuda stands in for the CUDA module.
class TestCliDevices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("POLYAD_CUDA_MODULE", (QCoreApplication::applicationDirPath() + "/libpolyad_fake_cuda.so").toLocal8Bit());
    }
    void cleanup() { qunsetenv("POLYAD_FAKE_LOST_AFTER"); }

    void everyDeviceIsListedWithItsFreeMemoryOrItsProblem()
    {
        const Answer text = polyad({"list", "devices"});
        COMPARE_CODE(text, 0);
        QVERIFY2(text.out.contains("512.0 MiB") && text.out.contains("cuda:1: cannot be used: uncorrectable ECC"), text.all());
        const Answer json = polyad({"list", "devices", "--json"});
        COMPARE_CODE(json, 0);
        const QJsonArray devices = json.object()["devices"].toArray();
        QCOMPARE(devices.size(), 3);
        QVERIFY(devices[0].toObject()["memory_free"].toDouble() > 0);
        QCOMPARE(devices[1].toObject()["memory_free"].toDouble(), double(1 << 29));
        QVERIFY(devices[2].toObject()["problem"].toString().contains("ECC"));
    }

    void aModuleOfAnotherBuildIsRefused()
    {
        qputenv("POLYAD_FAKE_INTERFACE", "another");
        const Answer answer = polyad({"run", sample(), "--device", "cuda:0", "--progress", "none"});
        qunsetenv("POLYAD_FAKE_INTERFACE");
        COMPARE_CODE(answer, 4);
        QVERIFY2(answer.err.contains("belongs to another build of Polyad"), answer.all());
    }

    void refusals_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("mentions");
        QTest::newRow("not there") << QStringList{"--device", "cuda:7"} << 4 << QByteArray("one of cpu, cuda:0");
        QTest::newRow("failing") << QStringList{"--device", "cuda:1"} << 4 << QByteArray("ECC");
        QTest::newRow("no number") << QStringList{"--device", "cuda:x"} << 2 << QByteArray("\"cuda:x\"");
        QTest::newRow("a second CPU") << QStringList{"--device", "cpu:1"} << 2 << QByteArray("\"cpu:1\"");
        QTest::newRow("two") << QStringList{"--device", "cuda:0,1"} << 2 << QByteArray("one device at a time");
        QTest::newRow("CPU memory") << QStringList{"--memory-limit", "10KiB", "--device", "cpu"} << 4
                                    << QByteArray("10.0 KiB free. Raise the memory limit");
        QTest::newRow("GPU memory") << QStringList{"--memory-limit", "10KiB", "--device", "cuda:0"} << 4
                                    << QByteArray("10.0 KiB free. Raise the memory limit");
    }
    void refusals()
    {
        QFETCH(QStringList, options);
        QFETCH(int, code);
        QFETCH(QByteArray, mentions);
        const Answer answer = polyad(QStringList{"run", sample(), "--progress", "none"} + options);
        COMPARE_CODE(answer, code);
        VERIFY_ONE_SENTENCE(answer);
        QVERIFY2(answer.err.contains(mentions), answer.all());
    }

    void theDevice_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<std::string>("device");
        QTest::newRow("nobody named one") << QStringList{} << std::string("cuda:0");
        QTest::newRow("auto") << QStringList{"--device", "auto"} << std::string("cuda:0");
        QTest::newRow("another is chosen") << QStringList{"--device", "cpu"} << std::string("cpu");
        QTest::newRow("a config without") << QStringList{"--config", "none.json"} << std::string("cuda:0");
        QTest::newRow("a config with") << QStringList{"--config", "cpu.json"} << std::string("cpu");
        QTest::newRow("an option over a config") << QStringList{"--config", "cpu.json", "--device", "auto"} << std::string("cuda:0");
    }
    /// Said first, and kept in the model.
    void theDevice()
    {
        QFETCH(QStringList, options);
        QFETCH(std::string, device);
        QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath("none.json"), R"({"seed": 3})"));
        QVERIFY(writeFile(folder.filePath("cpu.json"), R"({"devices": "cpu"})"));
        options.replaceInStrings(QRegularExpression("(.*\\.json)"), folder.filePath("\\1"));
        const QString model = folder.filePath("model.h5");
        const Answer answer = polyad(QStringList{"run", sample(), "--iterations", "1", "--output", model, "--progress", "none"} + options);
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.startsWith("FastTuckerPlus (grouped: as calculate, under 16,384 entries) on "
                                       + QByteArray::fromStdString(device) + ", fp32, "),
                 answer.all());
        const io::ModelFile file = io::readModel(model.toStdString());
        QCOMPARE(toString(file.config.devices.front()), device);
        QVERIFY2(file.command.find("--device " + device) != std::string::npos, file.command.c_str());
    }

    void benchTakesTheGpuToo()
    {
        const Answer answer = polyad({"bench", "fasttucker", "preset:netflix-like:0.0005", "--rank", "8", "--repeat", "1", "--json"});
        COMPARE_CODE(answer, 0);
        QCOMPARE(answer.object()["device"].toString(), QString("cuda:0"));
    }

    void aLostDeviceLeavesTheModelAndASentence()
    {
        qputenv("POLYAD_FAKE_LOST_AFTER", "6");
        QTemporaryDir folder;
        const QString model = folder.filePath("model.h5");
        const Answer answer = polyad({"run", sample(), "--device", "cuda:0", "--tolerance", "0", "--output", model, "--progress", "none"});
        COMPARE_CODE(answer, 1);
        VERIFY_ONE_SENTENCE(answer);
        QVERIFY2(answer.err.contains("unspecified launch failure"), answer.all());
        const io::ModelFile file = io::readModel(model.toStdString());
        QCOMPARE(file.status, std::string("failed"));
        QCOMPARE(file.history.size(), std::size_t{6});
        QVERIFY(file.bestIteration >= 1);
        COMPARE_CODE(polyad({"evaluate", model, sample()}), 0);
    }
};

QTEST_GUILESS_MAIN(TestCliDevices)
#include "tst_cli_devices.moc"
