// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"

#include <cmath>

using namespace cli_test;

/// What `bench ntf` compares beside its iterations: tables of the paper, weights of new entries. How fast anything is, is not tested.
class TestCliBenchNtf : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tablesHaveTheirRows_data();
    void tablesHaveTheirRows();
    void aTableBringsItsLists();
    void drawnTensorsAreTheTables();
    void timesStandBesideNtfs();
    void coursesGoFromIterationToIteration();
    void rowsEndWhenTheirTimeIsUp();
    void tablesRefuse_data();
    void tablesRefuse();
    void onlineTakesWeights();
    void onlineRefusesWeights();
};

/// "kl", or the algorithm that stands beside ntf.
static QString methodOf(const QJsonValue& row)
{
    return row.toObject().contains("divergence") ? row["divergence"].toString() : row["algorithm"].toString();
}

void TestCliBenchNtf::tablesHaveTheirRows_data()
{
    QTest::addColumn<QString>("number");
    QTest::addColumn<QString>("title");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QStringList>("methods"); ///< each with every rank
    const QStringList three{"euclidean", "kl", "is"}, repeat{"--repeat", "1", "--rank", "2,3"}, runs{"--iterations", "2", "--rank", "2,3"};
    const QStringList online = runs + QStringList{"--batches", "2", "--batch-percent", "5"};
    const auto row = [](const char* id, const char* number, const char* title, const QStringList& options, const QStringList& methods) {
        QTest::newRow(id) << QString(number) << QString(title) << options << methods;
    };
    row("ranks-euclidean", "fig10", "Figure 10", repeat, {"euclidean"});
    row("ranks-kl", "fig11", "Figure 11", repeat, {"kl"});
    row("ranks-is", "fig12", "Figure 12", repeat, {"is"});
    row("convergence", "fig13", "Figure 13", runs, three + QStringList{"cp-completion-als", "cp-ccd", "cp-sgd"});
    row("distributions", "fig14", "Figure 14", runs, three + QStringList{"cp-completion-als"});
    row("devices", "fig15", "Figure 15", repeat, three);
    row("systems", "table4", "Table 4", repeat, {"euclidean", "cp-completion-als", "cp-ccd"});
    row("online-euclidean", "table5", "Table 5", online, {"euclidean", "cp-completion-als"});
    row("online-kl", "table6", "Table 6", online, {"kl"});
    row("online-is", "table7", "Table 7", online, {"is"});
}

void TestCliBenchNtf::tablesHaveTheirRows()
{
    QFETCH(QString, number);
    QFETCH(QString, title);
    QFETCH(QStringList, options);
    QFETCH(QStringList, methods);
    const QString id = QString::fromLatin1(QTest::currentDataTag());
    const QStringList bench = QStringList{"bench", "ntf", sample(), "--device", "cpu"} + options;
    const Answer answer = polyad(bench + QStringList{"--table", number, "--json"});
    COMPARE_CODE(answer, 0);
    QCOMPARE(answer.object()["table"].toString(), id);
    QStringList found, expected;
    for (const QString& method : methods)
        expected << method + " 2" << method + " 3";
    for (const QJsonValue& row : answer.object()["rows"].toArray()) {
        found << methodOf(row) + ' ' + QString::number(row["rank"].toInt());
        QVERIFY2(!row.toObject().contains("reason") && row["tensor"].toString() == sample(), answer.all());
        const QJsonArray trainings = row["trainings"].toArray(), updates = row["updates"].toArray();
        if (number >= "table5") { // both rules with every weight; ALS only runs
            QCOMPARE(trainings.size(), 2);
            QCOMPARE(updates.size(), methodOf(row) == "cp-completion-als" ? 0 : 2 * 4);
        } else if (options.contains("--iterations")) {
            QCOMPARE(row["course"].toArray().size(), 2);
        } else {
            QVERIFY2(row["seconds"].toObject()["iteration"].toObject()["median"].toDouble() > 0, answer.all());
        }
    }
    QCOMPARE(found, expected);
    const Answer text = polyad(bench + QStringList{"--table", id});
    COMPARE_CODE(text, 0);
    QVERIFY2(text.out.startsWith((title + " of the paper on GSSNTF (" + id + "): ").toUtf8()), text.all());
    QVERIFY2(!text.out.contains("tensors are"), text.all()); // what was given speaks for itself
}

void TestCliBenchNtf::aTableBringsItsLists()
{
    const Answer answer = polyad({"bench", "ntf", sample(), "--device", "cpu", "--table", "fig11", "--repeat", "1", "--json"});
    COMPARE_CODE(answer, 0);
    QList<int> ranks;
    for (const QJsonValue& row : answer.object()["rows"].toArray())
        ranks << row["rank"].toInt();
    QCOMPARE(ranks, (QList<int>{32, 64, 128, 256, 512, 1024}));
}

/// Zeros are counts that Itakura-Saito cannot take: its row says so, and the others are there.
void TestCliBenchNtf::drawnTensorsAreTheTables()
{
    const QStringList bench{"bench", "ntf", "--device", "cpu", "--table", "fig14", "--iterations", "2", "--rank", "2"};
    const Answer answer = polyad(bench + QStringList{"--json"});
    COMPARE_CODE(answer, 0);
    QStringList refused;
    const QJsonArray rows = answer.object()["rows"].toArray();
    QCOMPARE(rows.size(), 2 * 4);
    for (const QJsonValue& row : rows)
        if (row.toObject().contains("reason"))
            refused << row["tensor"].toString() + ' ' + methodOf(row);
        else
            QVERIFY2(row["course"].toArray()[1].toObject()["test_rmse"].toDouble() > 0, answer.all());
    QCOMPARE(refused, QStringList{"preset:counts-like is"});
    const Answer text = polyad(bench + QStringList{"--divergence", "kl", "--beside", "none"});
    COMPARE_CODE(text, 0);
    QVERIFY2(text.out.contains("\nThe tensors are drawn") && text.out.contains("preset:intensities-like: 1000 x 1000 x 100"), text.all());
    QVERIFY2(!text.out.contains("euclidean") && !text.out.contains("cp-completion-als"), text.all());
}

void TestCliBenchNtf::timesStandBesideNtfs()
{
    const Answer answer = polyad({"bench", "ntf", sample(), "--rank", "2,1024", "--divergence", "kl,euclidean", "--beside",
                                  "cp-completion-als,cp-ccd", "--repeat", "1", "--json"});
    COMPARE_CODE(answer, 0);
    QMap<int, double> ntf;
    int compared = 0;
    for (const QJsonValue& row : answer.object()["rows"].toArray()) {
        const double seconds = row["seconds"].toObject()["iteration"].toObject()["median"].toDouble();
        if (methodOf(row) == "cp-completion-als" && row["rank"].toInt() == 1024) {
            QVERIFY2(row["reason"].toString().contains("512"), answer.all()); // its equations are of no more numbers
        } else if (row["algorithm"].toString() == "ntf") {
            QVERIFY(!row.toObject().contains("times_ntf"));
            if (methodOf(row) == "kl") // the first one
                ntf[row["rank"].toInt()] = seconds;
        } else {
            QVERIFY(std::abs(row["times_ntf"].toDouble() * ntf[row["rank"].toInt()] / seconds - 1) < 1e-9);
            ++compared;
        }
    }
    QCOMPARE(compared, 3);
}

void TestCliBenchNtf::coursesGoFromIterationToIteration()
{
    const QStringList bench{"bench",        "ntf", "preset:counts-like", "--device", "cpu",          "--table", "fig13", "--rank", "8",
                            "--divergence", "kl",  "--beside",           "cp-ccd",   "--iterations", "7"};
    const Answer answer = polyad(bench + QStringList{"--json"});
    COMPARE_CODE(answer, 0);
    for (const QJsonValue& row : answer.object()["rows"].toArray()) {
        const QJsonArray course = row["course"].toArray();
        QCOMPARE(course.size(), 7);
        for (int i = 0; i < 7; ++i) {
            QCOMPARE(course[i].toObject()["iteration"].toInt(), i + 1);
            QVERIFY(course[i].toObject()["test_rmse"].toDouble() > 0);
            QVERIFY(i == 0 || course[i].toObject()["seconds"].toDouble() >= course[i - 1].toObject()["seconds"].toDouble());
        }
        QVERIFY2(course[6].toObject()["test_rmse"].toDouble() < course[0].toObject()["test_rmse"].toDouble(), answer.all());
    }
    const Answer text = polyad(bench);
    COMPARE_CODE(text, 0);
    QVERIFY2(text.out.contains("test RMSE of runs of 7 iterations") && text.out.contains("after 1  "), text.all());
}

/// So many iterations take minutes.
void TestCliBenchNtf::rowsEndWhenTheirTimeIsUp()
{
    const QStringList bench{"bench", "ntf", sample(), "--rank", "8", "--divergence", "kl", "--repeat", "10000000", "--row-limit"};
    const Answer answer = polyad(bench + QStringList{"2", "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonObject row = answer.object()["rows"].toArray()[0].toObject();
    QVERIFY2(row["iterations"].toInt() >= 1 && row["iterations"].toInt() < 10000000, answer.all());
    const Answer text = polyad(bench + QStringList{"2"});
    COMPARE_CODE(text, 0);
    QVERIFY2(text.out.contains("kl fp32 8 on cpu: the time was up after "), text.all());
}

void TestCliBenchNtf::tablesRefuse_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("part");
    const auto row = [](const char* what, const QStringList& options, const char* part) {
        QTest::newRow(what) << options << QByteArray(part);
    };
    row("nearly a number", {sample(), "--table", "fig100"}, "Did you mean \"fig10\"?");
    row("nearly a name", {sample(), "--table", "convergance"}, "Did you mean \"convergence\"?");
    row("of another bench", {sample(), "--table", "breakdown"}, "one of ranks-euclidean (fig10), ranks-kl (fig11), ");
    row("updates of iterations", {sample(), "--table", "fig10", "--online"}, "--online has no effect with a table of something else");
    row("iterations of runs", {sample(), "--table", "fig13", "--repeat", "2"}, "--repeat has no effect with a table of runs");
    row("runs of iterations", {sample(), "--table", "fig10", "--iterations", "2"}, "--iterations has no effect without --online");
    row("limit of updates", {sample(), "--table", "table5", "--row-limit", "2"}, "--row-limit has no effect with a table of updates");
    row("weights of runs", {sample(), "--table", "fig13", "--weight", "2"}, "--weight has no effect without --online");
    row("nothing like ntf", {sample(), "--beside", "cp-als"}, "some of cp-");
    row("nearly like ntf", {sample(), "--beside", "cp-cdc"}, "Did you mean \"cp-ccd\"?");
    row("no tensor", {}, "TENSOR or --table");
}

void TestCliBenchNtf::tablesRefuse()
{
    QFETCH(QStringList, options);
    QFETCH(QByteArray, part);
    const Answer answer = polyad(QStringList{"bench", "ntf"} + options);
    COMPARE_CODE(answer, 2);
    VERIFY_ONE_SENTENCE(answer);
    QVERIFY2(answer.err.contains(part), answer.all());
}

/// Each begins with the same model, which its first batch changes by as much as it counts.
void TestCliBenchNtf::onlineTakesWeights()
{
    const QStringList bench{"bench",        "ntf", sample(),    "--online", "--rank",          "3",
                            "--divergence", "kl",  "--batches", "2",        "--batch-percent", "10",
                            "--iterations", "4",   "--weight",  "0.5,1,2",  "--rule",          "ours"};
    const Answer answer = polyad(bench + QStringList{"--json"});
    COMPARE_CODE(answer, 0);
    QList<double> weights, errors;
    for (const QJsonValue& updates : answer.object()["rows"].toArray()[0].toObject()["updates"].toArray()) {
        weights << updates["weight"].toDouble();
        const QJsonObject batch = updates["batches"].toArray()[0].toObject();
        QCOMPARE(batch["passes"].toInt(), 0);
        errors << batch["test"].toObject()["rmse"].toDouble();
    }
    QCOMPARE(weights, (QList<double>{0.5, 1, 2}));
    QVERIFY2(errors[0] > 0 && errors[0] != errors[1] && errors[1] != errors[2], answer.all());
    const Answer text = polyad(bench);
    QVERIFY2(text.code == 0 && text.out.contains("\nours, weight 0.5: ") && text.out.contains("\nours: "), text.all());
}

void TestCliBenchNtf::onlineRefusesWeights()
{
    const auto refused = [&](const QStringList& options, const char* part) {
        const Answer answer = polyad(QStringList{"bench", "ntf", sample(), "--rank", "2"} + options);
        return answer.code == 2 && answer.err.contains(part) && answer.err.count('\n') == 1 ? QByteArray() : answer.all();
    };
    QCOMPARE(refused({"--online", "--weight", "2", "--passes", "1"}, "count each of them once"), QByteArray());
    QCOMPARE(refused({"--online", "--weight", "2", "--pass-every", "5"}, "with such a --weight"), QByteArray());
    QCOMPARE(refused({"--online", "--weight", "1,2,1"}, "twice"), QByteArray());
    QCOMPARE(refused({"--online", "--weight", "1,0"}, "--weight: must be greater than 0 (found \"0\")"), QByteArray());
    QCOMPARE(refused({"--weight", "2"}, "without --online"), QByteArray());
}

QTEST_GUILESS_MAIN(TestCliBenchNtf)
#include "tst_cli_bench_ntf.moc"
