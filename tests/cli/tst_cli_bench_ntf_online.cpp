// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"

#include <QTemporaryDir>

#include <csignal>

using namespace cli_test;

/// Whether the bench of updates measures what it says; how fast anything is, is not tested.
class TestCliBenchNtfOnline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itMeasures();
    void keepsWhatItMeasured();
    void takesTestParts();
    void whatItRefuses();
    void tellsWhatWasRefused();
    void isInterrupted();

private:
    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
};

/// What is told follows from what was asked: batches, passes, runs and their entries.
void TestCliBenchNtfOnline::itMeasures()
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
void TestCliBenchNtfOnline::keepsWhatItMeasured()
{
    QProcess process;
    process.start(program(),
                  {"bench", "ntf", sample(), "--online", "--rank", "1,1024,1023,1022,1021", "--divergence", "kl", "--rule", "ours",
                   "--threads", "1", "--batches", "1", "--passes", "0", "--iterations", "100", "--json"});
    QVERIFY(process.waitForStarted());
    QTest::qWait(4000);
    QVERIFY(sendSignal(process, SIGINT));
    QVERIFY(process.waitForFinished(longestRun * 1000));
    QCOMPARE(process.exitCode(), 130);
    const QJsonObject told = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
    const qsizetype rows = told["rows"].toArray().size();
    QVERIFY2(rows >= 1 && rows < 5, qPrintable(QString::number(rows)));
    QVERIFY(told["stopped"].toBool());
}

/// Presets hold their own entries out; without passes there are none.
void TestCliBenchNtfOnline::takesTestParts()
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

void TestCliBenchNtfOnline::whatItRefuses()
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
void TestCliBenchNtfOnline::tellsWhatWasRefused()
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
void TestCliBenchNtfOnline::isInterrupted()
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
    QVERIFY(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 130);
    QVERIFY(process.readAllStandardOutput().isEmpty());
    QVERIFY(process.readAllStandardError().contains("Stopped on request"));
    QVERIFY(QDir(at("models")).isEmpty());
}

QTEST_GUILESS_MAIN(TestCliBenchNtfOnline)
#include "tst_cli_bench_ntf_online.moc"
