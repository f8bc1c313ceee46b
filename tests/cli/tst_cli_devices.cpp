// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/model_file.h"

#include <QRegularExpression>
#include <QTemporaryDir>

#include <cmath>

using namespace cli_test;

/// What devices may do to a person's command; tests/fake_cuda stands in for the CUDA module.
class TestCliDevices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("POLYAD_CUDA_MODULE", (QCoreApplication::applicationDirPath() + "/libpolyad_fake_cuda.so").toLocal8Bit());
    }
    void cleanup()
    {
        for (const char* const name : {"POLYAD_FAKE_LOST_AFTER", "POLYAD_FAKE_GPUS", "POLYAD_FAKE_NCCL", "POLYAD_FAKE_FREE"})
            qunsetenv(name);
    }

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
        QTest::newRow("two") << QStringList{"--algorithm", "fastertucker", "--device", "cuda:0,1"} << 2
                             << QByteArray("one device at a time");
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
        QVERIFY2(answer.out.startsWith("FastTuckerPlus (grouped: as calculate, under a million entries) on "
                                       + QByteArray::fromStdString(device) + ", fp32, "),
                 answer.all());
        const io::ModelFile file = io::readModel(model.toStdString());
        QCOMPARE(toString(file.config.devices.front()), device);
        QVERIFY2(file.command.find("--device " + device) != std::string::npos, file.command.c_str());
    }

    void severalGpusShareARun_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<double>("apart");
        QTest::newRow("ntf") << "ntf" << 1e-4;
        QTest::newRow("cp-als") << "cp-als" << 1e-4;
        QTest::newRow("fasttucker-plus") << "fasttucker-plus" << 0.05; // each learns apart
    }
    void severalGpusShareARun()
    {
        QFETCH(QString, algorithm);
        QFETCH(double, apart);
        qputenv("POLYAD_FAKE_GPUS", "3");
        QTemporaryDir folder;
        const QString model = folder.filePath("model.h5"), alone = folder.filePath("alone.h5");
        const QStringList what{
            "run", "preset:netflix-like:0.0002", "--algorithm", algorithm, "--rank", "4", "--iterations", "3", "--progress", "none"};
        const Answer answer = polyad(what + QStringList{"--device", "cuda:0,2", "--output", model});
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.contains(" on cuda:0,2, fp32"), answer.all());
        COMPARE_CODE(polyad(what + QStringList{"--device", "cuda:1", "--output", alone}), 0);
        const io::ModelFile several = io::readModel(model.toStdString()), one = io::readModel(alone.toStdString());
        QVERIFY(several.config.devices == kernels::devicesFromString("cuda:0,2"));
        QVERIFY2(several.command.find("--device cuda:0,2") != std::string::npos, several.command.c_str());
        QCOMPARE(several.history.size(), one.history.size());
        QVERIFY(std::abs(several.history.back().trainRmse / one.history.back().trainRmse - 1) < apart);
        const Answer list = polyad({"list", "algorithms", algorithm});
        QVERIFY2(list.out.contains("several GPUs of one machine can share a run"), list.all());
    }

    void severalGpusAreRefused_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QByteArray>("nccl");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("mentions");
        QTest::newRow("one of them fails") << QStringList{"--algorithm", "ntf", "--device", "cuda:0,2"} << QByteArray() << 4
                                           << QByteArray("ECC");
        QTest::newRow("no library") << QStringList{"--algorithm", "ntf", "--device", "cuda:0,1"} << QByteArray("missing") << 4
                                    << QByteArray("several GPUs need NCCL (libnccl.so.2), which was not found");
        QTest::newRow("another algorithm") << QStringList{"--algorithm", "fastertucker", "--device", "cuda:0,1"} << QByteArray() << 2
                                           << QByteArray("one device at a time");
        QTest::newRow("no room") << QStringList{"--algorithm", "ntf", "--device", "cuda:0,1", "--memory-limit", "10KiB"} << QByteArray()
                                 << 4 << QByteArray("each of cuda:0,1");
    }
    void severalGpusAreRefused()
    {
        QFETCH(QStringList, options);
        QFETCH(QByteArray, nccl);
        QFETCH(int, code);
        QFETCH(QByteArray, mentions);
        qputenv("POLYAD_FAKE_GPUS", "2");
        qputenv("POLYAD_FAKE_NCCL", nccl);
        const Answer answer = polyad(QStringList{"run", "preset:netflix-like:0.0002", "--progress", "none"} + options);
        COMPARE_CODE(answer, code);
        VERIFY_ONE_SENTENCE(answer);
        QVERIFY2(answer.err.contains(mentions), answer.all());
    }

    /// A number for each GPU of the run, in their order; null for one without counters.
    void everyGpusThroughputIsTold()
    {
        qputenv("POLYAD_FAKE_GPUS", "3");
        const auto throughputs = [](const QString& device) {
            const Answer answer = polyad({"run", "preset:netflix-like:0.002", "--algorithm", "ntf", "--rank", "16", "--iterations", "8",
                                          "--tolerance", "0", "--telemetry", "cupti-pm", "--progress", "json", "--device", device});
            QList<QJsonValue> told;
            for (const QByteArray& line : answer.out.split('\n'))
                if (const QJsonValue value = QJsonDocument::fromJson(line).object().value("sm_throughput"); !value.isUndefined())
                    told += value;
            return told;
        };
        const QList<QJsonValue> one = throughputs("cuda:1"), all = throughputs("cuda:1,0,2");
        QVERIFY(!one.isEmpty() && !all.isEmpty());
        QCOMPARE(one.back().toDouble(), 30.0);
        const QJsonArray each = all.back().toArray();
        QCOMPARE(each.size(), 3);
        QCOMPARE(each[0].toDouble(), 30.0);
        QCOMPARE(each[1].toDouble(), 20.0);
        QVERIFY(each[2].isNull());
    }

    /// One GPU, then two together.
    void aSweepTakesSeveralGpus()
    {
        qputenv("POLYAD_FAKE_GPUS", "3");
        QTemporaryDir folder;
        const Answer answer = polyad({"sweep", "preset:netflix-like:0.0002", "--algorithm", "ntf", "--rank", "4", "--iterations", "2",
                                      "--vary", "device=cuda:1,cuda:0,2", "--replicates", "1", "--output", folder.filePath("out")});
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.contains("[1/2] ") && answer.out.contains("device cuda:0,2"), answer.all());
        QFile csv(folder.filePath("out/sweep.csv"));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = csv.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QVERIFY2(lines[1].startsWith("cuda:1,") && lines[2].startsWith("\"cuda:0,2\","), lines.join('\n'));
        const QByteArray file = lines[2].split(',').last().trimmed();
        const io::ModelFile model = io::readModel(folder.filePath("out/" + file).toStdString());
        QVERIFY(model.config.devices == kernels::devicesFromString("cuda:0,2"));
    }

    void benchNtfTakesOneGpuMoreEachTime()
    {
        qputenv("POLYAD_FAKE_GPUS", "3");
        const Answer answer = polyad({"bench", "ntf", "preset:netflix-like:0.0002", "--rank", "4", "--divergence", "kl", "--device",
                                      "cuda:0,1,2", "--repeat", "1", "--json"});
        COMPARE_CODE(answer, 0);
        QStringList devices;
        for (const QJsonValue& row : answer.object()["rows"].toArray()) {
            devices += row.toObject()["device"].toString();
            QVERIFY2(row.toObject()["seconds"].toObject()["iteration"].toObject()["median"].toDouble() > 0, answer.all());
        }
        QCOMPARE(devices, (QStringList{"cuda:0", "cuda:0,1", "cuda:0,1,2"}));
    }

    /// CPU and GPU apart, or every GPU that can be used: one, one more, and how much faster that is.
    void benchNtfTablesTakeTheirDevices()
    {
        qputenv("POLYAD_FAKE_GPUS", "2");
        const auto table = [](const char* name) {
            return polyad({"bench", "ntf", "preset:netflix-like:0.0002", "--table", name, "--rank", "4", "--divergence", "kl", "--repeat",
                           "1", "--json"});
        };
        const auto devicesOf = [](const Answer& answer) {
            QStringList devices;
            for (const QJsonValue& row : answer.object()["rows"].toArray())
                devices += row["device"].toString();
            return devices;
        };
        QCOMPARE(devicesOf(table("fig11")), (QStringList{"cpu", "cuda:0"}));
        const Answer shared = table("fig15");
        QCOMPARE(devicesOf(shared), (QStringList{"cuda:0", "cuda:0,1"}));
        const QJsonArray rows = shared.object()["rows"].toArray();
        QVERIFY2(!rows[0].toObject().contains("speed_up") && rows[1].toObject()["speed_up"].toDouble() > 0, shared.all());
    }

    /// Those that cannot say why; the stand-in has no kernels of fasttucker.
    void benchFastTuckerTakesOneGpuMoreEachTime()
    {
        qputenv("POLYAD_FAKE_GPUS", "2");
        const QStringList bench{"bench",
                                "fasttucker",
                                "preset:netflix-like:0.0005",
                                "--algorithm",
                                "fasttucker-plus,fasttucker",
                                "--rank",
                                "4",
                                "--variant",
                                "calculate",
                                "--device",
                                "cuda:0,1",
                                "--repeat",
                                "1"};
        const Answer answer = polyad(bench + QStringList{"--json"});
        COMPARE_CODE(answer, 0);
        QStringList rows;
        for (const QJsonValue& row : answer.object()["rows"].toArray())
            rows += row["algorithm"].toString() + ' ' + row["device"].toString()
                + (row.toObject().contains("reason")                             ? " no"
                       : row["ms_iteration"].toObject()["median"].toDouble() > 0 ? " ms"
                                                                                 : "");
        QCOMPARE(
            rows,
            (QStringList{"fasttucker-plus cuda:0 ms", "fasttucker-plus cuda:0,1 ms", "fasttucker cuda:0 no", "fasttucker cuda:0,1 no"}));
        const Answer table = polyad(bench);
        COMPARE_CODE(table, 0);
        QVERIFY2(table.out.contains("  on ") && table.out.contains(" cuda:0,1 "), table.all());
    }

    /// Passes are made where they are wanted; a small batch is the CPU's.
    void updatesTakeGpus()
    {
        qputenv("POLYAD_FAKE_GPUS", "2");
        QTemporaryDir folder;
        const auto at = [&](const char* name) { return folder.filePath(name); };
        QByteArray first, second;
        for (int e = 0; e < 400; ++e)
            (e < 360 ? first : second) += QByteArray::number(1 + e * 7 % 20) + ' ' + QByteArray::number(1 + e * 11 % 15) + ' '
                + QByteArray::number(e < 360 ? 1 + e % 9 : 10) + ' ' + QByteArray::number(1 + e % 5) + '\n';
        QVERIFY(writeFile(at("first.tns"), first) && writeFile(at("second.tns"), second));
        const QStringList asRead{"--duplicates", "keep"};
        COMPARE_CODE(polyad(QStringList{"run", at("first.tns"), "--algorithm", "ntf", "--param", "divergence=kl", "--rank", "3",
                                        "--iterations", "5", "--device", "cpu", "-o", at("model.h5")}
                            + asRead),
                     0);
        const auto update = [&](const QStringList& options, bool passes = true) {
            return polyad(QStringList{"update", at("model.h5"), at("second.tns")} + asRead
                          + (passes ? QStringList{"--data", at("first.tns")} : QStringList()) + options);
        };
        const auto factors = [&](const char* name) { return io::readModel(at(name).toStdString()).model.factors; };
        COMPARE_CODE(update({"-o", at("cpu.h5")}), 0);
        for (const char* const device : {"cuda:1", "auto", "cuda:0,1"}) {
            COMPARE_CODE(update({"-o", at("gpu.h5"), "--force", "--device", device}), 0);
            for (std::size_t n = 0; n < 3; ++n)
                for (std::size_t i = 0; i < factors("cpu.h5")[n].rows * 3; ++i) {
                    const double there = factors("gpu.h5")[n].at(i / 3, i % 3), here = factors("cpu.h5")[n].at(i / 3, i % 3);
                    QVERIFY2(std::abs(there - here) <= 1e-4 * std::abs(here), device);
                }
        }
        const auto isRefused = [&](const QStringList& options, int code, const char* mentions) {
            const Answer answer = update(QStringList{"-o", at("no.h5")} + options);
            return answer.code == code && answer.err.count('\n') == 1 && answer.err.contains(mentions) && !QFile::exists(at("no.h5"))
                ? QByteArray()
                : answer.all();
        };
        QCOMPARE(isRefused({"--device", "cuda:7"}, 4, "one of cpu, cuda:0"), QByteArray());
        QCOMPARE(isRefused({"--device", "cuda:2"}, 4, "ECC"), QByteArray());
        QCOMPARE(isRefused({"--device", "gpu"}, 2, "\"gpu\""), QByteArray());
        qputenv("POLYAD_FAKE_NCCL", "missing");
        QCOMPARE(isRefused({"--device", "cuda:0,1"}, 4, "several GPUs need NCCL"), QByteArray());
        qputenv("POLYAD_FAKE_FREE", "1000");
        QCOMPARE(isRefused({"--device", "cuda:0"}, 4, "cuda:0"), QByteArray());
        QCOMPARE(isRefused({"--device", "cuda:0"}, 4, "Use the CPU"), QByteArray());
        const Answer alone = update({"-o", at("small.h5"), "--device", "cuda:0"}, false);
        QVERIFY2(alone.code == 2 && alone.err.contains("--data"), alone.all());
    }

    void benchNtfOnlineTakesOneGpu()
    {
        const QStringList bench{"bench",
                                "ntf",
                                "preset:netflix-like:0.0002",
                                "--online",
                                "--rank",
                                "3",
                                "--divergence",
                                "kl",
                                "--batches",
                                "2",
                                "--batch-percent",
                                "5",
                                "--iterations",
                                "3",
                                "--pass-every",
                                "2"};
        const Answer answer = polyad(bench + QStringList{"--device", "cuda:0", "--json"});
        COMPARE_CODE(answer, 0);
        const QJsonObject row = answer.object()["rows"].toArray()[0].toObject();
        QVERIFY2(!row.contains("reason") && row["updates"].toArray().size() == 2, answer.all());
        for (const QJsonValue& rule : row["updates"].toArray())
            QVERIFY2(!rule.toObject().contains("reason") && rule["batches"].toArray().size() == 2, answer.all());
        qputenv("POLYAD_FAKE_GPUS", "2");
        const Answer two = polyad(bench + QStringList{"--device", "cuda:0,1"});
        QVERIFY2(two.code == 2 && two.err.contains("updates are measured on one device"), two.all());
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
