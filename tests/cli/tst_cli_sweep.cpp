// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/model_file.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>

using namespace cli_test;

/// Lists of settings, run by one command.
class TestCliSweep : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    /// Runs that soon converge.
    static Answer converging(const QStringList& more)
    {
        return polyad(QStringList{"sweep", sample(), "--device", "cpu", "--iterations", "2000", "--tolerance", "0.01"} + more);
    }
    static Answer sweep(const QStringList& more, const char* iterations = "4")
    {
        return polyad(QStringList{"sweep", sample(), "--device", "cpu", "--iterations", iterations, "--tolerance", "0"} + more);
    }

private Q_SLOTS:
    void thePlanIsPrintedAndNothingRun()
    {
        const Answer answer = sweep({"--ranks", "2..6:2", "--replicates", "2", "--dry-run", "--output", at("none")});
        COMPARE_CODE(answer, 0);
        for (const char* says : {"rank", "seed", "memory", "time", "6 runs; about ", "at most "})
            QVERIFY2(answer.out.contains(says), (QByteArray(says) + "\n" + answer.out).constData());
        QVERIFY2(!answer.out.contains("[1/6]"), answer.out);
        QVERIFY(!QDir(at("none")).exists());
    }

    void papersNamesAreTaken()
    {
        COMPARE_CODE(sweep({"--algorithm", "cuFasterTucker_COO", "--ranks", "2", "--output", at("named")}), 0);
        const io::ModelFile model = io::readModel(at("named/rank-2.h5").toStdString());
        QCOMPARE(model.config.algorithm, std::string("fastertucker"));
        QCOMPARE(model.config.variant, std::string("coo"));

        const Answer varied = sweep({"--algorithm", "fastertucker", "--vary", "variant=cuFasterTucker_COO, cuFasterTucker", "--dry-run"});
        COMPARE_CODE(varied, 0);
        QVERIFY2(varied.out.contains("coo") && varied.out.contains("full") && !varied.out.contains("cuFasterTucker"), varied.out);
    }

    void runsModelsTableAndAdvice()
    {
        const Answer answer = sweep({"--ranks", "2,4,8", "--replicates", "2", "--output", at("out")});
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.contains("\n[1/6] rank 2, seed 42: test RMSE "), answer.out);
        QVERIFY2(answer.out.contains("\n[6/6] rank 8, seed 43: test RMSE "), answer.out);
        QVERIFY2(answer.out.contains("agreement") && answer.out.contains("wrote " + at("out/sweep.csv").toUtf8()), answer.out);
        QVERIFY2(answer.out.contains("(iterations, not converged)"), answer.out);

        QFile csv(at("out/sweep.csv"));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = csv.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 7);
        QVERIFY2(lines[0].startsWith("rank,seed,best_iteration,test_rmse,"), lines[0]);
        const QList<QByteArray> cells = lines[2].split(',');
        QCOMPARE(cells[0], QByteArray("4"));
        const io::ModelFile model = io::readModel(at("out/").toStdString() + cells.last().toStdString());
        QCOMPARE(model.config.ranks, (std::vector<unsigned>{4, 4, 4}));
        QCOMPARE(model.config.seed, std::uint64_t{42});
        QCOMPARE(cells[3].toDouble(), model.history[model.bestIteration - 1].testRmse);
        QVERIFY(model.command.find("--rank 4") != std::string::npos);

        // A second time it would lose what is there.
        const Answer again = sweep({"--ranks", "2,4,8", "--replicates", "2", "--output", at("out")});
        COMPARE_CODE(again, 2);
        VERIFY_ONE_SENTENCE(again);
        COMPARE_CODE(sweep({"--ranks", "2", "--replicates", "2", "--output", at("out"), "--force"}), 0);
    }

    void runsThatHadNotConvergedAreToldWithTheWayOn()
    {
        // One iteration is never a converged run.
        const Answer answer = sweep({"--ranks", "2,4"}, "1");
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.contains(" (iterations, not converged), "), answer.out);
        QVERIFY2(answer.out.contains("No rank can be recommended yet: 2 of 2 runs ended while their error still fell."), answer.out);
        QVERIFY2(answer.out.contains("sweep again with --iterations "), answer.out);
        const QJsonObject object = sweep({"--ranks", "2,4", "--json"}, "1").object();
        const QJsonObject series = object["series"][0].toObject();
        QVERIFY(series["to_converge"].toString().startsWith(QStringLiteral("--iterations ")));
        QCOMPARE(series["values"][0]["results_not_converged"].toArray().size(), 1);
        QVERIFY(series["values"][0]["results"].toArray().isEmpty() && !series.contains("take"));
        QVERIFY(!object["runs"][0]["converged"].toBool());
        const Answer timed = polyad({"sweep", sample(), "--device", "cpu", "--iterations", "100000000", "--tolerance", "0", "--time-limit",
                                     "0.0001", "--ranks", "2,4"});
        COMPARE_CODE(timed, 0);
        QVERIFY2(timed.out.contains("(time limit, not converged)") && timed.out.contains("--time-limit 0.0004."), timed.out);
    }

    void whatCannotRunIsLeftOutWithItsReason()
    {
        const Answer answer = sweep({"--ranks", "4,2000", "--vary", "precision=fp32,tf32", "--dry-run"});
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.contains("1 run, 3 combinations left out"), answer.out);
        QVERIFY2(answer.out.contains("left out: ") && answer.out.contains("rank out of range"), answer.out);
        const Answer none = sweep({"--ranks", "2000"});
        COMPARE_CODE(none, 2);
        VERIFY_ONE_SENTENCE(none);
    }

    void severalAlgorithmsAreSeveralSeries()
    {
        const Answer answer = converging({"--ranks", "2,3", "--replicates", "2", "--vary", "algorithm=fasttucker-plus,cp-als"});
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.contains("CP-ALS, rank 3, seed 43: fit "), answer.out);
        QVERIFY2(answer.out.contains("core consistency") && answer.out.contains("\nAlgorithm CP-ALS"), answer.out);
    }

    void theBestOfOtherFieldsIsNamed()
    {
        const Answer answer = converging({"--vary", "lambda-a=0.1,1000", "--replicates", "2"});
        COMPARE_CODE(answer, 0);
        const QByteArray last = answer.out.trimmed().split('\n').last();
        QVERIFY2(last.startsWith("lowest mean test RMSE: lambda-a 0.1 ("), answer.out);
        QVERIFY2(answer.out.contains("\nlambda-a  test RMSE ") && answer.out.contains("\nTake lambda-a 0.1: "), answer.out);
    }

    void aConfigIsItsBase()
    {
        QFile file(at("config.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"ranks": [5], "stopping": {"iterations": 3, "tolerance": 0}, "parameters": {"lambda-a": 0.7}})");
        file.close();
        const Answer answer =
            polyad({"sweep", sample(), "--device", "cpu", "--config", at("config.json"), "--replicates", "2", "--output", at("config")});
        COMPARE_CODE(answer, 0);
        const io::ModelFile model = io::readModel(at("config/seed-43.h5").toStdString());
        QCOMPARE(model.config.ranks.front(), 5U);
        QCOMPARE(model.history.size(), std::size_t{3});
        QCOMPARE(std::get<double>(model.config.parameters.at("lambda-a")), 0.7);
        // Options overrule it.
        QVERIFY(sweep({"--config", at("config.json"), "--ranks", "2,3", "--dry-run"}).out.contains("2 runs"));
        const Answer missing = sweep({"--config", at("absent.json"), "--ranks", "2,3"});
        COMPARE_CODE(missing, 3);
        VERIFY_ONE_SENTENCE(missing);
    }

    void programsReadItAsJson()
    {
        const Answer answer = converging({"--ranks", "2,3,4000", "--replicates", "2", "--json"});
        COMPARE_CODE(answer, 0);
        const QJsonObject object = answer.object();
        QCOMPARE(object["plan"]["runs"].toInt(), 4);
        const QJsonArray rows = object["plan"]["rows"].toArray();
        QCOMPARE(rows.size(), 6);
        QVERIFY(rows[2]["left_out"].toString().contains("rank out of range") && rows[0]["memory_bytes"].toDouble() > 0);
        QCOMPARE(object["runs"].toArray().size(), 4);
        QCOMPARE(object["runs"][1]["values"]["rank"].toString(), QStringLiteral("3"));
        QCOMPARE(object["runs"][1]["ended"].toString(), QStringLiteral("converged"));
        QVERIFY(object["runs"][1]["converged"].toBool());
        const QJsonObject series = object["series"][0].toObject();
        QCOMPARE(series["field"].toString(), QStringLiteral("rank"));
        QCOMPARE(series["judge"].toString(), QStringLiteral("test_rmse"));
        const QJsonArray results = series["values"][0]["results"].toArray();
        QCOMPARE(results.size(), 2);
        QCOMPARE(results[0].toDouble(), object["runs"][0]["test_rmse"].toDouble());
        QCOMPARE(series["values"][0]["agreements"].toArray().size(), 1);
        QVERIFY(!series["advice"].toString().isEmpty());
        const QJsonObject plan = sweep({"--ranks", "2,3", "--dry-run", "--json"}).object();
        QVERIFY(plan.contains("plan") && !plan.contains("runs"));
        const Answer none = sweep({"--ranks", "2000", "--json"});
        COMPARE_CODE(none, 2);
        VERIFY_ONE_SENTENCE(none);
    }

    void slipsAreRefusedInASentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("nothing varied") << QStringList{} << QByteArray("--ranks 2..10");
        QTest::newRow("bad range") << QStringList{"--ranks", "10..2"} << QByteArray("the smaller end first");
        QTest::newRow("no values") << QStringList{"--vary", "precision"} << QByteArray("field=values");
        QTest::newRow("a variant's name for an algorithm")
            << QStringList{"--vary", "algorithm=cp-als,cuFasterTucker"}
            << QByteArray("Variants are compared by --algorithm fastertucker --vary variant=coo,full.");
        QTest::newRow("unknown field") << QStringList{"--vary", "lamda-a=1"} << QByteArray("Did you mean \"lambda-a\"?");
        QTest::newRow("too many") << QStringList{"--ranks", "1..100", "--replicates", "20"} << QByteArray("2000 combinations");
        QTest::newRow("a range for one rank") << QStringList{"--rank", "1..4", "--replicates", "2"} << QByteArray("--ranks 1..4");
        QTest::newRow("both ranks") << QStringList{"--ranks", "1..4", "--rank", "2"} << QByteArray("--rank");
        QTest::newRow("replicates") << QStringList{"--replicates", "0"} << QByteArray("--replicates");
    }
    void slipsAreRefusedInASentence()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, says);
        const Answer answer = sweep(arguments);
        COMPARE_CODE(answer, 2);
        VERIFY_ONE_SENTENCE(answer);
        QVERIFY2(answer.err.contains(says), answer.err);
    }

    void aStopTellsWhatThereIs()
    {
        QProcess process;
        process.start(program(),
                      {"sweep", sample(), "--device", "cpu", "--iterations", "100000000", "--tolerance", "0", "--ranks", "2,3,4",
                       "--progress", "bar"});
        process.setReadChannel(QProcess::StandardError);
        for (QByteArray told; !told.contains("iteration 1/"); told += process.readAllStandardError()) // something to keep is there
            QVERIFY2(process.waitForReadyRead(longestRun * 1000), told.constData());
        QVERIFY(sendSignal(process, SIGINT));
        const Answer answer = cli_test::wait(process);
        COMPARE_CODE(answer, 130);
        QVERIFY2(answer.out.contains("(stopped") && answer.out.contains("stopped after 1 of 3 runs"), answer.out);
    }
};

QTEST_GUILESS_MAIN(TestCliSweep)
#include "tst_cli_sweep.moc"
