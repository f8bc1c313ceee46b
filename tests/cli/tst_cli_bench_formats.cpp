// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"

#include <QTemporaryDir>

#include <cmath>

using namespace cli_test;

/// Benches of formats and of the products over their entries: whether they measure what they say; how fast anything is, is not tested.
class TestCliBenchFormats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formatsMeasures();
    void mttkrpMeasures();
    void mttkrpWantsEntries();
    void mttkrpTables();
    void mttkrpComparesTensors();
    void spttmMeasures();
    void spttmChains();
    void spttmRefuses();

private:
    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
};

void TestCliBenchFormats::formatsMeasures()
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

void TestCliBenchFormats::mttkrpMeasures()
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

void TestCliBenchFormats::mttkrpWantsEntries()
{
    QVERIFY(writeFile(at("none.tns"), "sptensor\n3\n4 5 6\n0\n"));
    const Answer answer = polyad({"bench", "mttkrp", at("none.tns"), "--device", "cpu", "--rank", "4", "--repeat", "1"});
    COMPARE_CODE(answer, 3);
    QVERIFY2(answer.err.contains("none.tns: there is nothing to multiply (found 0 entries, expected at least 1)"), answer.all());
    QVERIFY(answer.out.isEmpty());
}

/// A figure of the paper each: rows of its formats, and what the figure shows of them as multiples of the first.
void TestCliBenchFormats::mttkrpTables()
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
void TestCliBenchFormats::mttkrpComparesTensors()
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

void TestCliBenchFormats::spttmMeasures()
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

void TestCliBenchFormats::spttmChains()
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

void TestCliBenchFormats::spttmRefuses()
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

QTEST_GUILESS_MAIN(TestCliBenchFormats)
#include "tst_cli_bench_formats.moc"
