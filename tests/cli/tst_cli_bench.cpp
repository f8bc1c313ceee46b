// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"

#include <QRegularExpression>
#include <QTemporaryDir>

#include <cmath>

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
    void aStopKeepsWhatIsMeasured();

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
    QVERIFY(!rows[0].toObject().contains("speed_up_over")); // it is what it would be compared with
    QVERIFY(text.out.contains("median of 1 iteration after 1\n"));
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
        if (variant != first && !row["variant_note"].toString().startsWith("as ")) // else it is that
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
    const Answer some = polyad({"bench", "fasttucker", "--device", "cpu", "--orders", "2,4", "--entries", "900", "--mode-size", "40",
                                "--rank", "4", "--repeat", "1", "--memory-limit", "60KiB"});
    COMPARE_CODE(some, 4); // for none of them there is memory
    const Answer unknown = polyad({"bench", "fasttucker", sample(), "--table", "all"});
    COMPARE_CODE(unknown, 2);
    QVERIFY2(unknown.err.contains("one of iteration, ranks"), unknown.all());
    COMPARE_CODE(polyad({"bench", "fasttucker"}), 2);
    COMPARE_CODE(polyad({"bench", "fasttucker", sample(), "--orders", "3:4"}), 2);
    const Answer full = polyad({"bench", "fasttucker", "--device", "cpu", "--orders", "3", "--entries", "126", "--mode-size", "5"});
    COMPARE_CODE(full, 2);
    QVERIFY2(full.err.contains("more entries than cells") && full.err.contains("5^3"), full.all());
    COMPARE_CODE(polyad({"bench", "fasttucker", "--device", "cpu", "--densities", "51"}), 2);
    for (const char* option : {"--ranks", "--precision", "--variant", "--algorithm"}) // what is missing in a list is no default
        for (const char* list : {"", ",", "8,", ",fp32"}) {
            const Answer missing = polyad({"bench", "fasttucker", sample(), "--device", "cpu", option, list});
            COMPARE_CODE(missing, 2);
            QVERIFY2(missing.err.contains(option) && missing.err.contains("commas"), missing.all());
        }
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
    for (const QJsonValue& row : answer.object()["rows"].toArray()) { // of all of them, on the CPU
        QCOMPARE(row.toObject().contains("ms_access"), table == "access");
        const bool stale = table == "store" && row["variant"].toString() == "store" && row["precision"].toString() == "fp32";
        QCOMPARE(row.toObject().contains("ms_factor_stale"), stale);
    }
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

void TestCliBench::aStopKeepsWhatIsMeasured()
{
    for (int seconds = 4;; seconds *= 2) { // until the first row is done: the second takes some fifty times as long
        QProcess process;
        process.start(program(), {"bench", "fasttucker", sample(), "--device", "cpu", "--ranks", "1,128", "--repeat", "2000"});
        QVERIFY(!process.waitForFinished(seconds * 1000));
        QVERIFY(sendSignal(process, SIGINT));
        const Answer answer = cli_test::wait(process);
        if (answer.out.isEmpty() && seconds < 64) {
            QVERIFY2(answer.err.contains("Stopped on request"), answer.all());
            continue;
        }
        COMPARE_CODE(answer, 130);
        QVERIFY2(answer.out.contains("1x1x1") && !answer.out.contains("128x128x128"), answer.all());
        QVERIFY2(answer.out.contains("stopped after 1 of 2 rows"), answer.all());
        return;
    }
}

QTEST_GUILESS_MAIN(TestCliBench)
#include "tst_cli_bench.moc"
