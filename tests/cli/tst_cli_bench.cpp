// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"

#include <QRegularExpression>
#include <QTemporaryDir>

#include <cmath>
#include <csignal>

using namespace cli_test;

/// Whether benches measure what they say; how fast anything is, is not tested.
class TestCliBench : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void benchLoadMeasures();
    void benchFastTuckerMeasures();
    void benchFastTuckerSaysHowVariantsWork();
    void timesHaveThreeDigits();
    void benchFastTuckerComparesLists();
    void benchFastTuckerTakesPapersNames();
    void benchFastTuckerTellsSpeedUps();
    void benchFastTuckerSweeps();
    void benchFastTuckerTables_data();
    void benchFastTuckerTables();
    void benchTuckerComparesSystems();
    void benchCpComparesSystems();
    void benchFormatsMeasures();
    void benchMttkrpMeasures();
    void benchMttkrpWantsEntries();
    void benchMttkrpTables();
    void benchMttkrpComparesTensors();
    void benchSpttmMeasures();
    void benchSpttmChains();
    void benchSpttmRefuses();
    void benchNtfOnlineMeasures();
    void benchNtfOnlineKeepsWhatItMeasured();
    void benchNtfOnlineTakesTestParts();
    void benchNtfOnlineRefuses();
    void benchNtfOnlineTellsWhatWasRefused();
    void benchNtfOnlineIsInterrupted();

private:
    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
};

/// What the rows have there, each once, in their order.
static QStringList distinct(const Answer& answer, const char* key)
{
    QStringList values;
    for (const QJsonValue& row : answer.object()["rows"].toArray())
        values << row[QLatin1String(key)].toString();
    values.removeDuplicates();
    return values;
}

/// The same of "fastertucker coo".
static QStringList methodsOf(const Answer& answer)
{
    QStringList methods;
    for (const QJsonValue& row : answer.object()["rows"].toArray())
        methods << row["algorithm"].toString() + ' ' + row["variant"].toString();
    methods.removeDuplicates();
    return methods;
}

void TestCliBench::benchLoadMeasures()
{
    const Answer answer = polyad({"bench", "load", sample(), "--repeat", "3", "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonObject bench = answer.object();
    QCOMPARE(bench["entries"].toInt(), 12409);
    const QJsonObject seconds = bench["seconds"].toObject();
    QVERIFY(seconds["min"].toDouble() > 0);
    QVERIFY(seconds["min"].toDouble() <= seconds["median"].toDouble() && seconds["median"].toDouble() <= seconds["max"].toDouble());
    COMPARE_CODE(polyad({"bench", "load", sample(), "--repeat", "1"}), 0);
}

void TestCliBench::benchFastTuckerMeasures()
{
    const Answer answer =
        polyad({"bench", "fasttucker", "preset:netflix-like:0.0005", "--rank", "8", "--repeat", "3", "--precision", "fp64,fp32", "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonArray rows = answer.object()["rows"].toArray();
    QCOMPARE(rows.size(), 2);
    QCOMPARE(rows[0].toObject()["precision"].toString(), QString("fp64"));
    for (const QJsonValue& value : rows) {
        const QJsonObject row = value.toObject();
        QVERIFY(row["ms_factor"].toObject()["median"].toDouble() > 0);
        QVERIFY(row["ms_core"].toObject()["median"].toDouble() > 0);
        QVERIFY(row["ms_evaluate"].toObject()["median"].toDouble() > 0);
        // The rate is the entries over the iteration's median.
        const double rate = answer.object()["entries"].toDouble() / (row["ms_iteration"].toObject()["median"].toDouble() / 1e3);
        QVERIFY(std::abs(row["entries_per_second"].toDouble() / rate - 1) < 1e-9);
        QVERIFY(row["gflops"].toDouble() > 0);
    }
    COMPARE_CODE(polyad({"bench", "fasttucker", sample(), "--repeat", "1", "--warm-up", "0"}), 0);
}

/// The sample has fewer entries than are worth grouping.
void TestCliBench::benchFastTuckerSaysHowVariantsWork()
{
    const QStringList bench{"bench",  "fasttucker", sample(),   "--device", "cpu", "--variant", "grouped,calculate",
                            "--rank", "4",          "--repeat", "1"};
    const Answer text = polyad(bench);
    COMPARE_CODE(text, 0);
    QVERIFY2(text.out.contains("  grouped (1)  ") && text.out.contains("\n(1) as calculate, under a million entries\n"), text.all());
    const Answer json = polyad(bench + QStringList{"--json"});
    COMPARE_CODE(json, 0);
    const QJsonArray rows = json.object()["rows"].toArray();
    QCOMPARE(rows[0].toObject()["variant_note"].toString(), QString("as calculate, under a million entries"));
    QVERIFY(!rows[1].toObject().contains("variant_note"));
}

/// All that stands before a unit of time.
void TestCliBench::timesHaveThreeDigits()
{
    const Answer bench = polyad({"bench", "fasttucker", "preset:netflix-like:0.001", "--device", "cpu", "--rank", "4", "--repeat", "2"});
    COMPARE_CODE(bench, 0);
    const Answer load = polyad({"bench", "load", sample(), "--repeat", "2"});
    COMPARE_CODE(load, 0);
    const Answer run = polyad({"run", sample(), "--device", "cpu", "--iterations", "2"});
    COMPARE_CODE(run, 0);
    static const QRegularExpression time("(?<![\\d.])([\\d.]+) (µs|ms|s)(?![\\w/])");
    for (const Answer& answer : {bench, load, run}) {
        int times = 0;
        for (auto match = time.globalMatch(QString::fromUtf8(answer.out)); match.hasNext(); ++times) {
            const QString digits = match.next().captured(1);
            QVERIFY2(digits.count(QRegularExpression("\\d")) == 3, qPrintable(digits + " in\n" + QString::fromUtf8(answer.out)));
        }
        QVERIFY2(times >= 3, answer.all());
    }
}

/// One row a combination, an impossible one with its reason; shares and rates follow from the numbers beside them.
void TestCliBench::benchFastTuckerComparesLists()
{
    const Answer answer = polyad({"bench", "fasttucker", sample(), "--device", "cpu", "--algorithm", "all", "--variant", "calculate,store",
                                  "--precision", "fp32,bf16", "--ranks", "4,8:16", "--repeat", "2", "--access", "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonObject ceilings = answer.object()["ceilings"].toObject();
    const QJsonObject memory = ceilings["memory"].toObject(), arithmetic = ceilings["arithmetic"].toObject();
    QVERIFY(memory["gb_per_second"].toDouble() > 0 && memory["how"].toString().contains("copy"));
    QCOMPARE(arithmetic.keys(), QStringList{"fp32"}); // nothing else was measured
    QCOMPARE(arithmetic["fp32"].toArray().size(), 1);
    const QJsonObject inFp32 = arithmetic["fp32"].toArray()[0].toObject();
    const double gflops = inFp32["gflops"].toDouble();
    QVERIFY(gflops > 0.1 && inFp32["how"].toString().contains("multiply-adds") && !inFp32["tensor_cores"].toBool());
    int measured = 0;
    const QJsonArray rows = answer.object()["rows"].toArray();
    for (const QJsonValue& value : rows) {
        const QJsonObject row = value.toObject();
        QVERIFY(row.contains("reason") != row.contains("ms_iteration"));
        if (row["algorithm"] == "fasttucker-plus")
            QCOMPARE(row.contains("reason"), row["precision"] == "bf16");
        if (row["algorithm"] == "fasttucker" && row["variant"] == "store")
            QVERIFY2(row["reason"].toString().contains("no such variant"), answer.all());
        if (row.contains("reason"))
            continue;
        ++measured;
        const double seconds = row["ms_iteration"].toObject()["median"].toDouble() / 1e3;
        const double ofArithmetic = row["flops_per_iteration"].toDouble() / seconds / 1e9 / gflops;
        QVERIFY(std::abs(row["share_of_arithmetic"].toDouble() / ofArithmetic - 1) < 1e-9);
        if (row["algorithm"] != "fasttucker-plus")
            continue; // others need not count bytes
        QVERIFY(row["ms_access"].toObject()["median"].toDouble() > 0);
        const double rate = row["bytes_per_iteration"].toDouble() / seconds / 1e9;
        QVERIFY(std::abs(row["gb_per_second"].toDouble() / rate - 1) < 1e-9);
        const double ofMemory = rate / memory["gb_per_second"].toDouble();
        QVERIFY(std::abs(row["share_of_memory"].toDouble() / ofMemory - 1) < 1e-9);
        // Entries, rows gathered twice and updated once; "store" gathers projections the second time, and makes them.
        const double entries = row["entries"].toDouble(), rank = row["ranks"].toArray()[0].toDouble();
        const double second = row["variant"] == "store" ? row["core_rank"].toDouble() : rank;
        const double projecting = row["variant"] == "store" ? (220 + 223 + 24) * (rank + second) * 4 : 0;
        QCOMPARE(row["bytes_per_iteration"].toDouble(), entries * (2 * 16 + 3 * 3 * rank * 4 + 3 * second * 4) + projecting);
    }
    QVERIFY(measured >= 6);
    COMPARE_CODE(polyad({"bench", "fasttucker", sample(), "--device", "cpu", "--precision", "bf16"}), 2); // nothing is left
}

void TestCliBench::benchFastTuckerTakesPapersNames()
{
    const auto methods = [&](const QStringList& options) {
        const Answer answer =
            polyad(QStringList{"bench", "fasttucker", sample(), "--device", "cpu", "--rank", "2", "--repeat", "1", "--json"} + options);
        return answer.code == 0 ? methodsOf(answer) : QStringList{QString::fromUtf8(answer.all())};
    };
    QCOMPARE(methods({"--algorithm", "cuFasterTucker_COO,cuFastTucker,cuFasterTucker"}),
             (QStringList{"fastertucker coo", "fasttucker calculate", "fastertucker full"}));
    QCOMPARE(methods({"--algorithm", "cuFasterTucker", "--variant", "cuFasterTucker_B-CSF,coo"}),
             (QStringList{"fastertucker bcsf-reuse", "fastertucker coo"}));
    QCOMPARE(methods({"--preset", "cuFasterTucker_COO (paper)"}), QStringList{"fastertucker coo"});
    QCOMPARE(methods({"--table", "access", "--algorithm", "cuFasterTucker_B-CSF"}), QStringList{"fastertucker bcsf-reuse"});
    // Whose variants a table leaves out has nothing to measure there.
    const Answer none = polyad({"bench", "fasttucker", sample(), "--device", "cpu", "--table", "store", "--algorithm", "fastertucker"});
    COMPARE_CODE(none, 2);
    QVERIFY2(none.all() != QByteArray() && QByteArray(none.all()).contains("--table store"), none.all());
}

/// Over the first precision, and over the first variant that is a paper's, which `grouped` is not.
void TestCliBench::benchFastTuckerTellsSpeedUps()
{
    const QStringList bench{"bench", "fasttucker",  sample(),    "--device", "cpu", "--algorithm", "all", "--variant",
                            "all",   "--precision", "fp64,fp32", "--repeat", "1",   "--ranks",     "2,4"};
    const Answer answer = polyad(bench + QStringList{"--json"});
    COMPARE_CODE(answer, 0);
    const QMap<QString, QString> firstOf{{"fasttucker-plus", "calculate"}, {"fasttucker", "calculate"}, {"fastertucker", "coo"}};
    const auto name = [](const QJsonObject& row, const QString& variant, const QString& precision) {
        return row["algorithm"].toString() + variant + precision + QString::number(row["core_rank"].toInt());
    };
    const QJsonArray rows = answer.object()["rows"].toArray();
    QCOMPARE(rows.size(), (3 + 1 + 3) * 2 * 2);
    QMap<QString, double> seconds;
    for (const QJsonValue& value : rows) {
        const QJsonObject row = value.toObject();
        seconds[name(row, row["variant"].toString(), row["precision"].toString())] = row["ms_iteration"].toObject()["median"].toDouble();
    }
    for (const QJsonValue& value : rows) {
        const QJsonObject row = value.toObject(), told = row["speed_up_over"].toObject();
        const QString variant = row["variant"].toString(), precision = row["precision"].toString();
        const QString first = firstOf[row["algorithm"].toString()];
        const double own = seconds[name(row, variant, precision)];
        QMap<QString, double> expected;
        if (precision != "fp64")
            expected["fp64"] = seconds[name(row, variant, "fp64")] / own;
        if (variant != first)
            expected[first] = seconds[name(row, first, precision)] / own;
        QCOMPARE(told.keys(), QStringList(expected.keys()));
        for (auto it = expected.cbegin(); it != expected.cend(); ++it)
            QVERIFY2(std::abs(told[it.key()].toDouble() / it.value() - 1) < 1e-9, answer.all()); // as text
    }
    const Answer text = polyad(bench);
    COMPARE_CODE(text, 0);
    QVERIFY2(text.out.contains(" x fp64, ") && text.out.contains(" x calculate  ") && text.out.contains(" x coo  "), text.all());
    const Answer one = polyad({"bench", "fasttucker", sample(), "--device", "cpu", "--rank", "2", "--repeat", "1"});
    QVERIFY2(!one.out.contains("speed-up"), one.all());
}

void TestCliBench::benchFastTuckerSweeps()
{
    const Answer orders = polyad({"bench", "fasttucker", "--device", "cpu", "--orders", "3:5", "--entries", "20k", "--mode-size", "50",
                                  "--rank", "4", "--repeat", "1", "--json"});
    COMPARE_CODE(orders, 0);
    const QJsonArray rows = orders.object()["rows"].toArray();
    QCOMPARE(rows.size(), 3);
    for (int i = 0; i < 3; ++i) {
        QCOMPARE(rows[i].toObject()["dims"].toArray().size(), i + 3);
        QCOMPARE(rows[i].toObject()["entries"].toInt(), 20000);
    }
    const Answer densities =
        polyad({"bench", "fasttucker", "--device", "cpu", "--densities", "2,10", "--mode-size", "40", "--rank", "4", "--repeat", "1"});
    COMPARE_CODE(densities, 0);
    QVERIFY2(densities.out.contains("2 % to 10 %") && densities.out.contains("1,280 to 6,400 entries"), densities.all());
    const Answer some = polyad({"bench", "fasttucker", "--device", "cpu", "--orders", "2,4", "--entries", "900", "--mode-size", "20",
                                "--rank", "4", "--repeat", "1", "--memory-limit", "60KiB"});
    COMPARE_CODE(some, 4); // for none of them there is memory
    const Answer unknown = polyad({"bench", "fasttucker", sample(), "--table", "all"});
    COMPARE_CODE(unknown, 2);
    QVERIFY2(unknown.err.contains("one of iteration, ranks"), unknown.all());
    COMPARE_CODE(polyad({"bench", "fasttucker"}), 2);
    COMPARE_CODE(polyad({"bench", "fasttucker", sample(), "--orders", "3:4"}), 2);
}

void TestCliBench::benchFastTuckerTables_data()
{
    QTest::addColumn<QStringList>("tensor");
    QTest::addColumn<QStringList>("tensors"); ///< of the rows
    QTest::addColumn<QStringList>("methods");
    QTest::addColumn<QStringList>("precisions");
    const QStringList everyMethod{"fasttucker-plus grouped", "fasttucker-plus calculate", "fasttucker-plus store", "fasttucker calculate",
                                  "fastertucker coo",        "fastertucker bcsf-reuse",   "fastertucker full"};
    const auto onSample = [](const char* table, const QStringList& methods, const QStringList& precisions) {
        QTest::newRow(table) << QStringList{sample()} << QStringList{sample()} << methods << precisions;
    };
    onSample("iteration", everyMethod, {"fp32", "fp16"});
    onSample("ranks", {"fasttucker-plus grouped"}, {"fp32"});
    onSample("store", {"fasttucker-plus calculate", "fasttucker-plus store"}, {"fp32", "fp16"});
    onSample("tensor-cores", everyMethod, {"fp32", "tf32", "fp16", "bf16"});
    onSample("access", everyMethod, {"fp32"});
    QStringList orders;
    for (int order = 3; order <= 10; ++order)
        orders << QStringLiteral("order %1").arg(order);
    QTest::newRow("orders") << QStringList{"--entries", "500", "--mode-size", "20"} << orders << everyMethod << QStringList{"fp32"};
    QTest::newRow("densities") << QStringList{"--mode-size", "20"} << QStringList{"2 %", "4 %", "6 %", "8 %", "10 %"} << everyMethod
                               << QStringList{"fp32"};
}

/// Every variant its algorithm has, and no other.
void TestCliBench::benchFastTuckerTables()
{
    QFETCH(QStringList, tensor);
    const QString table = QString::fromLatin1(QTest::currentDataTag());
    const Answer answer =
        polyad(QStringList{"bench", "fasttucker", "--device", "cpu", "--table", table, "--ranks", "4", "--repeat", "1", "--json"} + tensor);
    COMPARE_CODE(answer, 0);
    QCOMPARE(answer.object()["table"].toString(), table);
    QTEST(distinct(answer, "tensor"), "tensors");
    QTEST(methodsOf(answer), "methods");
    QTEST(distinct(answer, "precision"), "precisions");
    QFETCH(QStringList, tensors);
    QFETCH(QStringList, methods);
    QFETCH(QStringList, precisions);
    QCOMPARE(answer.object()["rows"].toArray().size(), tensors.size() * methods.size() * precisions.size());
    for (const QJsonValue& row : answer.object()["rows"].toArray()) // of all of them, on the CPU
        QCOMPARE(row.toObject().contains("ms_access"), table == "access");
}

void TestCliBench::benchCpComparesSystems()
{
    const Answer systems =
        polyad({"bench", "cp", sample(), "--device", "cpu", "--ranks", "3,1024", "--repeat", "1", "--row-limit", "0", "--json"});
    COMPARE_CODE(systems, 0);
    QCOMPARE(systems.object()["table"].toString(), QStringLiteral("systems"));
    QStringList measured;
    for (const QJsonValue& row : systems.object()["rows"].toArray()) {
        const QJsonObject one = row.toObject();
        QVERIFY2(!one.contains("core_rank"), systems.all());
        if (one.contains("ms_iteration"))
            measured << QStringLiteral("%1 %2").arg(one["algorithm"].toString()).arg(one["ranks"].toArray().first().toInt());
        else if (one["algorithm"].toString() == QStringLiteral("cp-completion-als")) // its equations are of 512 numbers at most
            QVERIFY2(one["reason"].toString().contains("512"), systems.all());
    }
    for (const char* wanted : {"cp-completion-als 3", "cp-ccd 3", "cp-ccd 1024", "cp-sgd 3", "cp-sgd 1024"})
        QVERIFY2(measured.contains(QString(wanted)), systems.all());
    QVERIFY2(!systems.out.contains("cp-als"), systems.all()); // fits all cells
    const Answer table =
        polyad({"bench", "cp", sample(), "--device", "cpu", "--rank", "5", "--repeat", "1", "--algorithm", "cp-ccd,cp-sgd"});
    COMPARE_CODE(table, 0);
    QVERIFY2(!table.out.contains(" core ") && !table.out.contains("5x5"), table.all()); // one rank, and nothing but factors
    COMPARE_CODE(polyad({"bench", "cp", sample(), "--table", "store"}), 2); // of another bench
}

void TestCliBench::benchTuckerComparesSystems()
{
    const Answer systems = polyad({"bench", "tucker", sample(), "--device", "cpu", "--rank", "4", "--repeat", "1", "--json"});
    COMPARE_CODE(systems, 0);
    QCOMPARE(systems.object()["table"].toString(), QStringLiteral("systems"));
    QStringList algorithms;
    for (const QJsonValue& row : systems.object()["rows"].toArray()) {
        const QJsonObject one = row.toObject();
        QVERIFY2(one["ms_iteration"].toObject()["median"].toDouble() > 0, systems.all());
        QCOMPARE(one.contains("core_rank"), one["algorithm"].toString().startsWith("fast"));
        algorithms << one["algorithm"].toString();
    }
    for (const char* wanted : {"fasttucker-plus", "fasttucker", "fastertucker", "tucker-als", "tucker-sgd", "tucker-hooi"})
        QVERIFY2(algorithms.contains(QString(wanted)), systems.all());
    QVERIFY2(!algorithms.contains(QStringLiteral("cp-als")), systems.all());

    // 60,000 entries times a core of 4^10 cells: a thousand billion operations and more.
    const Answer slow = polyad({"bench", "tucker", "--device", "cpu", "--orders", "5,10", "--entries", "60k", "--mode-size", "50",
                                "--algorithm", "fasttucker-plus,tucker-als", "--repeat", "1", "--row-limit", "3", "--json"});
    COMPARE_CODE(slow, 0);
    const QJsonArray times = slow.object()["rows"].toArray();
    QCOMPARE(times.size(), 4);
    QVERIFY2(times[2].toObject().contains("ms_iteration"), slow.all());
    QCOMPARE(times[3].toObject()["out_of"].toString(), QStringLiteral("time"));
    if (times[1].toObject().contains("ms_iteration")) // a slow program may not have had the time for that either
        QVERIFY2(times[3].toObject()["reason"].toString().contains("of order 5 it takes some"), slow.all());

    const Answer large = polyad({"bench", "tucker", "--device", "cpu", "--orders", "8", "--entries", "1k", "--mode-size", "20", "--rank",
                                 "8", "--repeat", "1", "--row-limit", "20", "--memory-limit", "64MiB", "--json"});
    COMPARE_CODE(large, 0);
    for (const QJsonValue& row : large.object()["rows"].toArray()) {
        const QString algorithm = row.toObject()["algorithm"].toString();
        QCOMPARE(row.toObject().contains("ms_iteration"), algorithm.startsWith(QStringLiteral("fast")));
        if (algorithm == QStringLiteral("tucker-hooi")) // the others refuse such a core whatever memory there is
            QCOMPARE(row.toObject()["out_of"].toString(), QStringLiteral("memory"));
    }
    COMPARE_CODE(polyad({"bench", "tucker", sample(), "--table", "store"}), 2); // of another bench
    COMPARE_CODE(polyad({"bench", "tucker", sample(), "--row-limit", "-1"}), 2);
    const Answer none = polyad({"bench", "fasttucker", "--device", "cpu", "--orders", "3", "--entries", "300k", "--mode-size", "100",
                                "--ranks", "96,128", "--row-limit", "0.001"});
    COMPARE_CODE(none, 0);
    QCOMPARE(none.out.count("out of time ("), 2);
    const Answer past = polyad({"bench", "fasttucker", sample(), "--device", "cpu", "--ranks", "4:500"});
    COMPARE_CODE(past, 2);
    QVERIFY2(past.err.contains("--ranks") && past.err.contains("500"), past.all());
}

void TestCliBench::benchFormatsMeasures()
{
    for (const QString modes : {"root", "leaves"}) {
        QStringList arguments{"bench", "formats", sample(), "--repeat", "2", "--json"};
        if (modes == "leaves")
            arguments << "--leaves";
        const Answer answer = polyad(arguments);
        COMPARE_CODE(answer, 0);
        QCOMPARE(answer.object()["modes_at"].toString(), modes);
        const QJsonArray rows = answer.object()["rows"].toArray();
        QCOMPARE(rows.size(), 2);
        for (const QJsonValue& value : rows) {
            const QJsonObject row = value.toObject();
            QVERIFY(row["seconds"].toObject()["min"].toDouble() > 0);
            QVERIFY(row["bytes"].toDouble() > 3 * 12409 * 8); // leaves of three trees: an index and a value each
            QVERIFY(row["bytes"].toDouble() <= row["most_bytes"].toDouble());
        }
    }
    COMPARE_CODE(polyad({"bench", "formats", sample(), "--format", "bcsf", "--repeat", "1"}), 0);
    const Answer merged = polyad({"bench", "formats", sample(), "--format", "csf", "--merge", "10", "--repeat", "1", "--json"});
    COMPARE_CODE(merged, 0);
    const QJsonArray both = merged.object()["rows"].toArray();
    QCOMPARE(both.size(), 2);
    QVERIFY(both[0].toObject()["merged"].toInt() == 0 && both[1].toObject()["merged"].toInt() > 1000);
    QVERIFY(both[1].toObject()["bytes"].toDouble() > both[0].toObject()["bytes"].toDouble());
    COMPARE_CODE(polyad({"bench", "formats", sample(), "--merge", "100"}), 2);
    COMPARE_CODE(polyad({"bench", "formats", sample(), "--format", "coo"}), 2);
}

void TestCliBench::benchMttkrpMeasures()
{
    const Answer answer =
        polyad({"bench", "mttkrp", sample(), "--device", "cpu", "--rank", "3,40", "--precision", "fp32,fp64", "--repeat", "2", "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonArray rows = answer.object()["rows"].toArray();
    QMap<QString, int> rowsOf;
    for (const QJsonValue& row : rows)
        ++rowsOf[row[QStringLiteral("format")].toString()];
    for (const char* format : {"coo", "csf", "bcsf", "runs", "auto"})
        QVERIFY(rowsOf.contains(QLatin1String(format)));
    for (const int count : rowsOf)
        QCOMPARE(count, 2 * 2);
    for (const QJsonValue& value : rows) {
        const QJsonObject row = value.toObject(), seconds = row["seconds"].toObject();
        QCOMPARE(seconds["modes"].toArray().size(), 3);
        double sum = 0;
        for (const QJsonValue& mode : seconds["modes"].toArray())
            sum += mode["median"].toDouble();
        QVERIFY(sum > 0 && std::abs(seconds["all_modes"].toDouble() - sum) < 1e-9);
        const int entryBytes = row["format"] == "hicoo" ? 3 + 4 : 8; // a byte for each mode, the value; elsewhere an index and the value
        QVERIFY(row["bytes"].toDouble() >= 12409 * entryBytes && row["rows_gathered_per_second"].toDouble() > 0);
        const double share = row["share_of_gather_ceiling"].toDouble(), gathers = seconds["gathers_alone"].toDouble();
        QVERIFY(gathers > 0 && std::abs(share / (gathers / sum) - 1) < 1e-9);
        QCOMPARE(row.contains("remap_share"), row["format"] == "flycoo");
        if (row["format"] == "flycoo")
            QVERIFY(row["details"].toObject()["fullest partition, times the mean"].toArray().size() == 3);
    }
    COMPARE_CODE(polyad({"bench", "mttkrp", sample(), "--device", "cpu", "--rank", "8", "--format", "csf", "--repeat", "1"}), 0);
    const Answer counted = polyad({"bench", "mttkrp", sample(), "--device", "cpu", "--format", "runs", "--counters"});
    QCOMPARE(counted.code, 2);
    QVERIFY2(counted.err.contains("--counters") && counted.err.contains("on the CPU"), counted.all());
    const Answer dealt = polyad({"bench", "mttkrp", sample(), "--device", "cpu", "--rank", "8", "--format", "flycoo", "--repeat", "1",
                                 "--flycoo-partitions", "13"});
    COMPARE_CODE(dealt, 0);
    QVERIFY(dealt.out.contains("partitions 13; fullest partition, times the mean 1") && dealt.out.contains("remap "));
    const Answer scattered =
        polyad({"bench", "mttkrp", sample(), "--device", "cpu", "--format", "flycoo", "--flycoo-partitions", "8,12410"});
    COMPARE_CODE(scattered, 2);
    QVERIFY2(scattered.err.contains("--flycoo-partitions") && scattered.err.contains("too few entries")
                 && scattered.err.contains("found 12410, expected at most 12409") && scattered.out.isEmpty(),
             scattered.all());
    const Answer idle = polyad({"bench", "mttkrp", sample(), "--device", "cpu", "--format", "csf", "--flycoo-partitions", "13"});
    COMPARE_CODE(idle, 2);
    QVERIFY2(idle.err.contains("--flycoo-partitions has no effect without flycoo"), idle.all());
    COMPARE_CODE(polyad({"bench", "mttkrp", sample(), "--device", "cpu", "--format", "csf,cfs"}), 2);
    COMPARE_CODE(polyad({"bench", "mttkrp", sample(), "--rank", "1025"}), 2);
    COMPARE_CODE(polyad({"bench", "mttkrp", sample(), "--precision", "fp16"}), 2);
    COMPARE_CODE(polyad({"bench", "mttkrp", sample(), "--device", "cpu", "--memory-limit", "1MiB"}), 2);
}

void TestCliBench::benchMttkrpWantsEntries()
{
    QVERIFY(writeFile(at("none.tns"), "sptensor\n3\n4 5 6\n0\n"));
    const Answer answer = polyad({"bench", "mttkrp", at("none.tns"), "--device", "cpu", "--rank", "4", "--repeat", "1"});
    COMPARE_CODE(answer, 3);
    QVERIFY2(answer.err.contains("none.tns: there is nothing to multiply (found 0 entries, expected at least 1)"), answer.all());
    QVERIFY(answer.out.isEmpty());
}

/// A figure of the paper each: rows of its formats, and what the figure shows of them as multiples of the first.
void TestCliBench::benchMttkrpTables()
{
    const QStringList bench{"bench", "mttkrp", sample(), "--device", "cpu", "--repeat", "1", "--table"};
    const QList<std::pair<QString, QStringList>> tables{{"breakdown", {"flycoo"}},
                                                        {"total", {"flycoo", "blco", "mmcsf", "coo", "hicoo", "bcsf", "runs"}},
                                                        {"build", {"flycoo", "blco", "mmcsf", "hicoo", "bcsf", "runs"}}};
    for (const auto& [name, formats] : tables) {
        const Answer answer = polyad(bench + QStringList{name, "--json"});
        COMPARE_CODE(answer, 0);
        QCOMPARE(answer.object()["table"].toString(), name);
        const QJsonArray rows = answer.object()["rows"].toArray(), figures = answer.object()["figure"].toObject()["rows"].toArray();
        QCOMPARE(rows.size(), formats.size());
        QCOMPARE(figures.size(), formats.size());
        for (int i = 0; i < rows.size(); ++i) {
            const QJsonObject row = rows[i].toObject(), figure = figures[i].toObject(), seconds = row["seconds"].toObject();
            QCOMPARE(row["format"].toString(), formats[i]);
            QCOMPARE(row["rank"].toInt(), 32);
            const double value = name == "breakdown" ? 100 * row["remap_share"].toDouble()
                : name == "total"                    ? seconds["all_modes"].toDouble()
                                                     : seconds["build"].toDouble();
            QCOMPARE(figure["value"].toDouble(), value);
            QCOMPARE(figure.contains("times_the_first"), name != "breakdown");
            if (name != "breakdown")
                QCOMPARE(figure["times_the_first"].toDouble(), value / figures[0].toObject()["value"].toDouble());
        }
        COMPARE_CODE(polyad(bench + QStringList{name, "--rank", "4"}), 0);
    }
    const Answer dealt = polyad(bench + QStringList{"partitions", "--flycoo-partitions", "1,7,64", "--rank", "8", "--json"});
    COMPARE_CODE(dealt, 0);
    const QJsonArray rows = dealt.object()["rows"].toArray();
    QCOMPARE(rows.size(), 3);
    QCOMPARE(rows[1].toObject()["details"].toObject()["partitions"].toArray(), QJsonArray{7});
    for (const char* counted : {"sm", "l1", "block"}) {
        const Answer answer = polyad(bench + QStringList{counted});
        QCOMPARE(answer.code, 2);
        QVERIFY2(answer.err.contains("on the CPU"), answer.all());
    }
    const Answer unknown = polyad(bench + QStringList{"totals"});
    QCOMPARE(unknown.code, 2);
    QVERIFY2(unknown.err.contains("one of breakdown, sm, l1, block, total, build, partitions"), unknown.all());
}

/// A table's own tensors, and the geometric mean over them.
void TestCliBench::benchMttkrpComparesTensors()
{
    const Answer answer = polyad(
        {"bench", "mttkrp", "--table", "total", "--device", "cpu", "--format", "runs,coo", "--rank", "4", "--repeat", "1", "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonObject figure = answer.object()["figure"].toObject();
    double logarithms = 0;
    int tensors = 0;
    for (const QJsonValue& row : figure["rows"].toArray())
        if (row["format"] == "coo") {
            logarithms += std::log(row["times_the_first"].toDouble());
            ++tensors;
        }
    QVERIFY(tensors >= 2);
    const QJsonArray means = figure["geometric_means"].toArray();
    QCOMPARE(means.size(), 2);
    QCOMPARE(means[0].toObject()["times_the_first"].toDouble(), 1.0);
    QVERIFY(std::abs(means[1].toObject()["times_the_first"].toDouble() / std::exp(logarithms / tensors) - 1) < 1e-9);
    const Answer none = polyad({"bench", "mttkrp", "--device", "cpu"});
    QCOMPARE(none.code, 2);
    QVERIFY2(none.err.contains("a tensor is needed"), none.all());
}

void TestCliBench::benchSpttmMeasures()
{
    const Answer answer =
        polyad({"bench", "spttm", sample(), "--device", "cpu", "--rank", "3,16", "--precision", "fp32,fp64", "--repeat", "2", "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonArray rows = answer.object()["rows"].toArray();
    QCOMPARE(rows.size(), 2 * 2 * 3 * 3); // precisions, ranks, modes, variants
    QMap<QString, int> rowsOf;
    for (const QJsonValue& value : rows) {
        const QJsonObject row = value.toObject(), seconds = row["seconds"].toObject(), bytes = row["bytes"].toObject();
        ++rowsOf[row["variant"].toString()];
        const double entries = row["entries"].toDouble(), fibres = row["fibres"].toDouble(), rank = row["rank"].toDouble();
        const double valueBytes = row["precision"] == "fp64" ? 8 : 4;
        QCOMPARE(entries, 12409.0);
        QVERIFY(fibres > 0 && fibres <= entries && row["longest_fibre"].toDouble() * fibres >= entries);
        QCOMPARE(bytes["streamed"].toDouble(), entries * (4 + valueBytes) + fibres * rank * valueBytes);
        QCOMPARE(bytes["gathered"].toDouble(), entries * rank * valueBytes);
        QCOMPARE(bytes["result"].toDouble(), fibres * (2 * 4 + rank * valueBytes));
        const double median = seconds["median"].toDouble(), needed = seconds["at_the_ceilings"].toDouble();
        QVERIFY(median > 0 && seconds["sort"].toDouble() > 0 && needed > 0);
        QVERIFY(std::abs(row["share_of_ceiling"].toDouble() * median / needed - 1) < 1e-9);
        const QJsonObject ceilings = row["ceilings"].toObject(), planned = row["planned_bytes"].toObject();
        QVERIFY(std::abs(bytes["streamed"].toDouble() / ceilings["copied_bytes_per_second"].toDouble()
                         + entries / ceilings["rows_gathered_per_second"].toDouble() - needed)
                < 1e-9 * needed);
        QVERIFY(planned["most"].toDouble() >= planned["least"].toDouble() && planned["most"].toDouble() > bytes["result"].toDouble());
    }
    for (const char* variant : {"balanced", "sequential", "tbb"})
        QCOMPARE(rowsOf[QLatin1String(variant)], 2 * 2 * 3);
    const Answer table =
        polyad({"bench", "spttm", sample(), "--device", "cpu", "--rank", "8", "--mode", "2", "--variant", "tbb", "--repeat", "1"});
    COMPARE_CODE(table, 0);
    QVERIFY2(table.out.contains("of ceiling") && table.out.count("tbb") == 1, table.all());
}

void TestCliBench::benchSpttmChains()
{
    const Answer answer =
        polyad({"bench", "spttm", sample(), "--device", "cpu", "--rank", "5", "--mode", "3,1,2", "--chain", "--repeat", "1", "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonArray rows = answer.object()["rows"].toArray();
    QCOMPARE(rows.size(), 3 * 3);
    const int modes[] = {3, 1, 2};
    for (int step = 0; step < 3; ++step) {
        const QJsonObject row = rows[3 * step].toObject();
        QCOMPARE(row["mode"].toInt(), modes[step]);
        QCOMPARE(row["step"].toInt(), step + 1);
        if (step > 0) {
            QCOMPARE(row["entries"].toDouble(), rows[3 * step - 1].toObject()["fibres"].toDouble());
            QCOMPARE(row["values_of_an_entry"].toInt(), step == 1 ? 5 : 25);
        }
    }
    QCOMPARE(rows[8].toObject()["fibres"].toInt(), 1); // a dense core is left
    QCOMPARE(rows[8].toObject()["bytes"].toObject()["result"].toInt(), 5 * 5 * 5 * 4);
}

void TestCliBench::benchSpttmRefuses()
{
    const QStringList bench{"bench", "spttm", sample(), "--device", "cpu"};
    COMPARE_CODE(polyad(bench + QStringList{"--variant", "gpu"}), 2);
    COMPARE_CODE(polyad(bench + QStringList{"--mode", "4"}), 2);
    COMPARE_CODE(polyad(bench + QStringList{"--rank", "1025"}), 2);
    COMPARE_CODE(polyad(bench + QStringList{"--precision", "fp16"}), 2);
    const Answer twice = polyad(bench + QStringList{"--mode", "2,2", "--chain"});
    COMPARE_CODE(twice, 2);
    QVERIFY2(twice.err.contains("a chain multiplies along each mode once"), twice.all());
    QVERIFY(writeFile(at("nothing.tns"), "sptensor\n3\n4 5 6\n0\n"));
    COMPARE_CODE(polyad({"bench", "spttm", at("nothing.tns"), "--device", "cpu"}), 3);
    QVERIFY(writeFile(at("large.tns"), "1 1 1 2\n3000000000 1 2 1\n"));
    const Answer large = polyad({"bench", "spttm", at("large.tns"), "--device", "cpu", "--rank", "1000", "--repeat", "1", "--json"});
    COMPARE_CODE(large, 0); // mode 1 does not fit, which its rows say
    const QJsonArray rows = large.object()["rows"].toArray();
    QVERIFY2(rows[0].toObject()["reason"].toString().contains("main memory"), large.all());
    QVERIFY(rows[8].toObject().contains("seconds"));
}

/// What is told follows from what was asked: batches, passes, runs and their entries.
void TestCliBench::benchNtfOnlineMeasures()
{
    const QStringList bench{"bench",           "ntf", sample(),          "--online", "--rank",       "3", "--divergence", "kl,euclidean",
                            "--batches",       "4",   "--batch-percent", "5",        "--iterations", "6", "--pass-every", "2",
                            "--retrain-every", "3"};
    const Answer answer = polyad(bench + QStringList{"--json"});
    COMPARE_CODE(answer, 0);
    QCOMPARE(answer.object()["online"].toObject()["batches"].toInt(), 4);
    const QJsonArray rows = answer.object()["rows"].toArray();
    QCOMPARE(rows.size(), 2);
    for (const QJsonValue& row : rows) {
        const QJsonArray trainings = row["trainings"].toArray(), updates = row["updates"].toArray();
        QCOMPARE(trainings.size(), 3); // what came first, after the third batch, after the last one
        QCOMPARE(updates.size(), 2);
        QCOMPARE(updates[0].toObject()["rule"].toString(), QString("ours"));
        QCOMPARE(updates[1].toObject()["rule"].toString(), QString("paper"));
        double entries = trainings[0].toObject()["entries"].toDouble();
        const double first = entries;
        for (const QJsonValue& rule : updates) {
            const QJsonArray batches = rule["batches"].toArray();
            QCOMPARE(batches.size(), 4);
            entries = first;
            for (int b = 0; b < 4; ++b) {
                const QJsonObject batch = batches[b].toObject();
                entries += batch["entries"].toDouble();
                const int passes = batch["passes"].toInt(); // entries that judge them may end them
                QVERIFY(b % 2 == 1 ? passes >= 0 && passes <= 2 : passes == 0);
                QVERIFY(batch["seconds"].toObject()["update"].toDouble() > 0 && batch["seconds"].toObject()["files"].toDouble() > 0);
                QVERIFY(batch["test"].toObject()["rmse"].toDouble() > 0 && batch["test"].toObject()["divergence"].toDouble() > 0);
            }
            QCOMPARE(entries, trainings[2].toObject()["entries"].toDouble());
        }
        for (const QJsonValue& training : trainings)
            QVERIFY(training["seconds"].toDouble() > 0 && training["test"].toObject()["rmse"].toDouble() > 0);
        // Passes over all entries make what a run on them makes, nearly.
        const double anew = trainings[2].toObject()["test"].toObject()["rmse"].toDouble();
        const double learnt = updates[0].toObject()["batches"].toArray()[3].toObject()["test"].toObject()["rmse"].toDouble();
        QVERIFY2(learnt < 1.1 * anew, answer.all());
    }
    const Answer table = polyad(bench + QStringList{"--rule", "ours"});
    COMPARE_CODE(table, 0);
    QVERIFY2(table.out.contains("at most 2 passes over all entries after every 2 batches") && table.out.contains("with its files"),
             table.all());
    QVERIFY2(!table.out.contains("paper"), table.all());
}

/// The first rank takes a part of a second, the others many: Ctrl-C keeps what the first one told.
void TestCliBench::benchNtfOnlineKeepsWhatItMeasured()
{
    QProcess process;
    process.start(program(),
                  {"bench", "ntf", sample(), "--online", "--rank", "1,1024,1023,1022,1021", "--divergence", "kl", "--rule", "ours",
                   "--threads", "1", "--batches", "1", "--passes", "0", "--iterations", "100", "--json"});
    QVERIFY(process.waitForStarted());
    QTest::qWait(4000);
    QVERIFY(sendSignal(process, SIGINT));
    QVERIFY(process.waitForFinished(longestRun * 1000));
    QCOMPARE(process.exitCode(), 0);
    const QJsonObject told = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
    const qsizetype rows = told["rows"].toArray().size();
    QVERIFY2(rows >= 1 && rows < 5, qPrintable(QString::number(rows)));
    QVERIFY(told["stopped"].toBool());
}

/// Presets hold their own entries out; without passes there are none.
void TestCliBench::benchNtfOnlineTakesTestParts()
{
    const Answer answer = polyad({"bench", "ntf", "preset:netflix-like:0.0005", "--online", "--rank", "4", "--divergence", "kl",
                                  "--batches", "2", "--iterations", "3", "--passes", "0", "--rule", "ours", "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonObject row = answer.object()["rows"].toArray()[0].toObject();
    const QJsonArray trainings = row["trainings"].toArray();
    QCOMPARE(trainings.size(), 2);
    const double learnt = trainings[1].toObject()["entries"].toDouble(), all = answer.object()["entries"].toDouble();
    QVERIFY(learnt > 0.89 * all && learnt < 0.92 * all); // a tenth of what came before the two batches judges runs
    for (const QJsonValue& batch : row["updates"].toArray()[0].toObject()["batches"].toArray())
        QCOMPARE(batch["passes"].toInt(), 0);
}

void TestCliBench::benchNtfOnlineRefuses()
{
    const auto refused = [&](const QStringList& options, const char* part, int code = 2) {
        const Answer answer = polyad(QStringList{"bench", "ntf", sample(), "--rank", "2"} + options);
        return answer.code == code && answer.err.contains(part) && answer.err.count('\n') == 1 ? QByteArray() : answer.all();
    };
    QCOMPARE(refused({"--batches", "3"}, "without --online"), QByteArray());
    QCOMPARE(refused({"--online", "--repeat", "3"}, "with --online"), QByteArray());
    QCOMPARE(refused({"--online", "--rule", "mine"}, "--rule"), QByteArray());
    QCOMPARE(refused({"--online", "--batches", "50", "--batch-percent", "2"}, "90 %"), QByteArray());
    QCOMPARE(refused({"--online", "--batch-percent", "0.001"}, "--batch-percent", 3), QByteArray());
    QCOMPARE(refused({"--online", "--rule", "ours,ours"}, "twice"), QByteArray());
    QCOMPARE(refused({"--online", "--rule", "paper", "--steps", "7"}, "with --rule paper"), QByteArray());
    QCOMPARE(refused({"--online", "--passes", "0", "--pass-every", "2"}, "with --passes 0"), QByteArray());
    QCOMPARE(refused({"--online", "--batches", "3", "--pass-every", "4"}, "fewer --batches"), QByteArray());
    QCOMPARE(refused({"--online", "--batches", "3", "--passes", "2"}, "--pass-every"), QByteArray());
    QCOMPARE(refused({"--online", "--device", "cpu,cpu"}, "cpu,cpu"), QByteArray());
    const Answer unread = polyad({"bench", "ntf", at("no.tns"), "--online", "--rule", "mine"}); // before a tensor is read
    QVERIFY2(unread.code == 2 && unread.err.contains("--rule"), unread.all());
}

/// What a rule came to, and what there was to hold it against, where a batch or a retraining was refused.
void TestCliBench::benchNtfOnlineTellsWhatWasRefused()
{
    QByteArray lines;
    for (int e = 0; e < 400; ++e)
        lines += QByteArray::number(e % 7 + 1) + ' ' + QByteArray::number(e % 11 + 1) + ' ' + QByteArray::number(e / 10 + 1) + ' '
            + (e >= 390 ? "-1" : "2") + '\n';
    QVERIFY(writeFile(at("late.tns"), lines));
    const QStringList bench{"bench",        "ntf", at("late.tns"), "--online", "--rank",          "2",
                            "--divergence", "kl",  "--batches",    "3",        "--batch-percent", "5",
                            "--iterations", "3",   "--pass-every", "2",        "--rule",          "ours"};
    const Answer table = polyad(bench);
    COMPARE_CODE(table, 0);
    QVERIFY2(table.out.contains("of a run on 3"), table.all());
    QVERIFY2(table.out.count("cannot follow values below 0") == 2, table.all()); // the batch, and the run with it
    const QJsonObject row = polyad(bench + QStringList{"--json"}).object()["rows"].toArray()[0].toObject();
    QCOMPARE(row["updates"].toArray()[0].toObject()["batches"].toArray().size(), 2);
    QVERIFY(row["updates"].toArray()[0].toObject().contains("reason") && row.contains("reason"));
}

/// Ctrl-C in the middle: a sentence, no half of a table, and no model is left where it was measured.
void TestCliBench::benchNtfOnlineIsInterrupted()
{
    QVERIFY(QDir().mkpath(at("models")));
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TMPDIR", at("models"));
    process.setProcessEnvironment(environment);
    process.start(program(), {"bench", "ntf", "preset:netflix-like:0.001", "--online", "--divergence", "kl", "--iterations", "100000"});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(!QDir(at("models")).isEmpty(), 30000); // it measures
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
    QVERIFY(process.waitForFinished(30000));
    QVERIFY(process.exitStatus() == QProcess::NormalExit && process.exitCode() != 0);
    QVERIFY(process.readAllStandardOutput().isEmpty());
    QVERIFY(process.readAllStandardError().contains("Stopped on request"));
    QVERIFY(QDir(at("models")).isEmpty());
}

QTEST_GUILESS_MAIN(TestCliBench)
#include "tst_cli_bench.moc"
