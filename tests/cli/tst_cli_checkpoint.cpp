// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/checkpoint_file.h"
#include "support/checkpoints.h"
#include "support/small_disk.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <random>

using namespace cli_test;

namespace {

const QStringList repeatable{"--rank", "6", "--deterministic", "--tolerance", "0"};

/// Numbers of two histories, the times apart; "" where they are the same bits.
std::string difference(const io::ModelFile& a, const io::ModelFile& b)
{
    const auto result = [](const io::ModelFile& file) {
        kernels::RunResult r;
        r.history = file.history;
        r.best = file.model;
        r.bestIteration = file.bestIteration;
        return r;
    };
    return test::difference(result(a), result(b));
}

} // namespace

/// What becomes of a run whose process, disk or folder goes away.
class TestCliCheckpoint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QVERIFY(QDir(m_folder.path()).removeRecursively() && QDir().mkpath(m_folder.path())); }
    void eightAndTwelveAreTwenty();
    void aCheckpointIsAModelToo();
    void aResumedRunTellsSo();
    void theEndTellsWhatWasKept();
    void anotherRunIsNotOverwritten();
    void whatDoesNotFitIsRefused();
    void anIntervalIsATime_data();
    void anIntervalIsATime();
    void aKilledRunLosesAnIntervalAtMost();
    void aStoppedRunIsKeptToItsEnd();
    void whatWasWithoutEffectDoesNotHinder();
    void aVanishedFolderCostsNoRun();
    void aFullDiskCostsNoRun();
    void theInputMayVanish();
    void readOnlyFoldersAreRefusedBeforeTheRun();

private:
    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    std::size_t iterationsIn(const char* name) const
    {
        return QFile::exists(at(name)) ? io::readCheckpoint(at(name).toStdString()).history.size() : 0;
    }
    io::ModelFile model(const char* name) const { return io::readModel(at(name).toStdString()); }
};

void TestCliCheckpoint::eightAndTwelveAreTwenty()
{
    const QStringList run = QStringList{"run", sample(), "--device", "cpu"} + repeatable;
    COMPARE_CODE(polyad(run + QStringList{"--iterations", "20", "-o", at("whole.h5")}), 0);
    COMPARE_CODE(polyad(run + QStringList{"--iterations", "8", "--checkpoint", at("c.h5")}), 0);
    // Settings come from the checkpoint, which may be replaced by a later one.
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--resume", at("c.h5"), "--checkpoint", at("c.h5"), "--iterations", "20", "-o",
                         at("parts.h5")}),
                 0);
    QCOMPARE(difference(model("whole.h5"), model("parts.h5")), std::string());
    QCOMPARE(io::readCheckpoint(at("c.h5").toStdString()).history.size(), std::size_t{20});
    // The line that repeats the run does so from the start, and says the same as the uninterrupted run's.
    const auto repeat = [&](const char* name) { return QString::fromStdString(model(name).command).section(" --output", 0, 0); };
    QCOMPARE(repeat("parts.h5"), repeat("whole.h5"));
    QVERIFY(model("parts.h5").startedUtc == io::readModel(at("c.h5").toStdString()).startedUtc);
    QVERIFY(QString::fromStdString(model("parts.h5").log).contains("after iteration 8"));
}

void TestCliCheckpoint::aCheckpointIsAModelToo()
{
    COMPARE_CODE(polyad(QStringList{"run", sample(), "--device", "cpu", "--iterations", "5", "--checkpoint", at("c.h5")} + repeatable), 0);
    const io::ModelFile file = model("c.h5");
    QVERIFY(!file.state); // only who goes on reads it
    QCOMPARE(file.input.fileName, std::string("flights.tns"));
    QVERIFY2(file.command.find("polyad-cli run " + sample().toStdString()) == 0, file.command.c_str());
    const Answer evaluated = polyad({"evaluate", at("c.h5"), sample(), "--part", "test", "--json"});
    COMPARE_CODE(evaluated, 0);
    QVERIFY(std::abs(evaluated.object()["rmse"].toDouble() / file.history.at(file.bestIteration - 1).testRmse - 1) < 1e-5);
    const Answer info = polyad({"info", at("c.h5")});
    COMPARE_CODE(info, 0);
    QVERIFY2(info.out.contains("checkpoint"), info.all());
}

void TestCliCheckpoint::aResumedRunTellsSo()
{
    COMPARE_CODE(polyad(QStringList{"run", sample(), "--device", "cpu", "--iterations", "3", "--checkpoint", at("c.h5")} + repeatable), 0);
    const Answer answer = polyad({"run", sample(), "--device", "cpu", "--resume", at("c.h5"), "--iterations", "5", "--progress", "json"});
    COMPARE_CODE(answer, 0);
    const QList<QJsonObject> lines = jsonLines(answer.out);
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines[0]["event"].toString(), QString("resumed"));
    QCOMPARE(lines[0]["iteration"].toInt(), 3);
    QCOMPARE(lines[1]["iteration"].toInt(), 4);
}

void TestCliCheckpoint::theEndTellsWhatWasKept()
{
    const QDateTime before = QDateTime::currentDateTime().addSecs(-1);
    const Answer answer =
        polyad(QStringList{"run", sample(), "--device", "cpu", "--iterations", "3", "--checkpoint", at("c.h5")} + repeatable);
    COMPARE_CODE(answer, 0);
    const QRegularExpression line("\nwrote (.*): checkpoint after iteration 3 at ([-0-9]+ [:0-9]+); --resume (.*) goes on from it\n");
    const QRegularExpressionMatch match = line.match(QString::fromUtf8(answer.out));
    QVERIFY2(match.hasMatch(), answer.all());
    QVERIFY(match.captured(1) == at("c.h5") && match.captured(3) == at("c.h5"));
    const QDateTime written = QDateTime::fromString(match.captured(2), "yyyy-MM-dd HH:mm:ss");
    QVERIFY2(written >= before && written <= QDateTime::currentDateTime(), answer.all());
    // Nothing is left to do, so nothing is kept.
    const Answer again =
        polyad({"run", sample(), "--device", "cpu", "--resume", at("c.h5"), "--checkpoint", at("c.h5"), "--iterations", "3"});
    COMPARE_CODE(again, 0);
    QVERIFY2(!again.out.contains("wrote"), again.all());
}

void TestCliCheckpoint::anotherRunIsNotOverwritten()
{
    const QStringList run = QStringList{"run", sample(), "--device", "cpu", "--iterations", "3"} + repeatable;
    COMPARE_CODE(polyad(run + QStringList{"--checkpoint", at("c.h5"), "-o", at("m.h5")}), 0);
    QFile kept(at("c.h5"));
    QVERIFY(kept.open(QIODevice::ReadOnly));
    const QByteArray bytes = kept.readAll();
    for (const char* option : {"--checkpoint", "--output"}) {
        const Answer refused = polyad(run + QStringList{"--seed", "5", option, at("c.h5")});
        COMPARE_CODE(refused, 2);
        VERIFY_ONE_SENTENCE(refused);
        QVERIFY2(refused.err.contains(option + QByteArray(" ") + at("c.h5").toUtf8()
                                      + ": this file is the checkpoint of another run. Go on with that run (--resume")
                     && refused.err.contains("--force"),
                 refused.all());
        QVERIFY(kept.seek(0) && kept.readAll() == bytes);
    }
    // A model is not given for a checkpoint, nor what is no model for either.
    COMPARE_CODE(polyad({"convert", sample(), at("t.h5")}), 0);
    for (const QStringList& lost :
         {QStringList{"--checkpoint", at("m.h5")}, {"--checkpoint", at("t.h5")}, {"--output", at("t.h5")}, {"--output", at("m.h5")}}) {
        const Answer refused = polyad(run + lost);
        COMPARE_CODE(refused, 2);
        VERIFY_ONE_SENTENCE(refused);
        QVERIFY2(refused.err.contains("Choose another name, or write over it with --force"), refused.all());
    }
    // The one that goes on is no other.
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--resume", at("c.h5"), "--checkpoint", at("c.h5"), "--iterations", "4"}), 0);
    COMPARE_CODE(polyad(run + QStringList{"--seed", "5", "--checkpoint", at("c.h5"), "--force"}), 0);
    QCOMPARE(io::readCheckpoint(at("c.h5").toStdString()).config.seed, std::uint64_t{5});
}

void TestCliCheckpoint::whatDoesNotFitIsRefused()
{
    COMPARE_CODE(polyad(QStringList{"run", sample(), "--device", "cpu", "--iterations", "3", "--checkpoint", at("c.h5"), "-o", at("m.h5")}
                        + repeatable),
                 0);
    QVERIFY(writeFile(at("other.tns"), "1 1 1 2\n2 2 2 3\n1 2 2 4\n"));
    QVERIFY(QFile::copy(sample(), at("changed.tns")));
    QFile changed(at("changed.tns"));
    QVERIFY(changed.open(QIODevice::Append) && changed.write("1 1 1 5\n") == 8);
    changed.close();
    QVERIFY(writeFile(at("settings.json"), "{}"));
    const struct {
        QStringList arguments;
        int code;
        const char* mentions;
    } cases[] = {
        {{sample(), "--resume", at("m.h5")}, 3, "A run goes on from a file written with --checkpoint"},
        {{sample(), "--resume", at("none.h5")}, 3, "none.h5"},
        {{sample(), "--resume", at("c.h5"), "--rank", "7"}, 2, "found 7,7,7, expected 6,6,6"},
        {{sample(), "--resume", at("c.h5"), "--seed", "1"}, 2, "found 1, expected 42"},
        {{sample(), "--resume", at("c.h5"), "--param", "lambda-a=0.3"}, 2, "parameter lambda-a"},
        {{sample(), "--resume", at("c.h5"), "--test-fraction", "0"}, 2, "test set"},
        {{at("other.tns"), "--resume", at("c.h5")}, 3, "another tensor (found 2 x 2 x 2"},
        {{at("changed.tns"), "--resume", at("c.h5")}, 3, "other entries"},
        {{sample(), "--resume", at("c.h5"), "--config", at("settings.json")}, 2, "--resume"},
        {{sample(), "--checkpoint-every", "10"}, 2, "--checkpoint"},
        {{sample(), "--checkpoint", at("d.h5"), "--checkpoint-every", "soon"}, 2, "30s, 5min or 2h"},
        {{sample(), "--checkpoint", at("d.h5"), "-o", at("d.h5")}, 2, "used by the same command already"},
        {{sample(), "--resume", at("c.h5"), "-o", at("c.h5")}, 2, "used by the same command already"},
        {{at("changed.tns"), "--checkpoint", at("changed.tns")}, 2, "used by the same command already"},
    };
    for (const auto& c : cases) {
        const Answer answer = polyad(QStringList{"run"} + c.arguments);
        COMPARE_CODE(answer, c.code);
        VERIFY_ONE_SENTENCE(answer);
        QVERIFY2(answer.err.contains(c.mentions), answer.all());
    }
}

void TestCliCheckpoint::anIntervalIsATime_data()
{
    QTest::addColumn<QString>("every");
    for (const char* every : {"0.1s", "0.002min", "0.00003h"}) // all some 0.1 s
        QTest::newRow(every) << every;
}

/// Not the checkpoint of the end, which is written whatever the interval.
void TestCliCheckpoint::anIntervalIsATime()
{
    QFETCH(QString, every);
    QProcess process;
    process.start(program(),
                  QStringList{"run", sample(), "--device", "cpu", "--iterations", "100000000", "--progress", "json", "--checkpoint",
                              at("c.h5"), "--checkpoint-every", every}
                      + repeatable);
    QVERIFY(process.waitForReadyRead(30000));
    std::size_t first = 0;
    QTRY_VERIFY_WITH_TIMEOUT((first = iterationsIn("c.h5")) > 0, 30000);
    QTRY_VERIFY_WITH_TIMEOUT(iterationsIn("c.h5") > first, 30000);
    QVERIFY(sendSignal(process, SIGKILL));
    process.waitForFinished();
}

/// Ten times in a row, at moments nobody chose. Set POLYAD_TEST_SEED to repeat a failure's moments.
void TestCliCheckpoint::aKilledRunLosesAnIntervalAtMost()
{
    const uint seed =
        qEnvironmentVariableIsSet("POLYAD_TEST_SEED") ? qEnvironmentVariable("POLYAD_TEST_SEED").toUInt() : std::random_device()();
    qInfo("POLYAD_TEST_SEED=%u", seed);
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> milliseconds(0, 300);
    const QStringList run = QStringList{"run",        sample(), "--device",     "cpu",      "--iterations",       "100000000",
                                        "--progress", "json",   "--checkpoint", at("c.h5"), "--checkpoint-every", "20"}
        + repeatable;
    COMPARE_CODE(polyad(QStringList{"run", sample(), "--device", "cpu", "--iterations", "3", "-o", at("done.h5")} + repeatable), 0);
    const io::ModelFile done = model("done.h5");
    std::size_t iterations = 0;
    for (int kill = 0; kill < 10; ++kill) {
        QProcess process;
        process.start(program(), kill == 0 ? run : run + QStringList{"--resume", at("c.h5")});
        QVERIFY(process.waitForReadyRead(30000));
        // Each life gets further, as far as a file whose iteration is known, and dies some time later.
        std::size_t safe = iterations;
        QTRY_VERIFY_WITH_TIMEOUT((safe = iterationsIn("c.h5")) > iterations, 60000);
        QTest::qWait(milliseconds(random));
        QVERIFY(sendSignal(process, SIGKILL));
        const QByteArray told = wait(process).out;
        const QJsonObject last = jsonLines(told.left(told.lastIndexOf('\n'))).last();
        iterations = iterationsIn("c.h5");
        QVERIFY2(iterations >= safe, qPrintable(QString("kill %1: %2 after %3").arg(kill).arg(iterations).arg(safe)));
        QVERIFY(iterations <= std::size_t(last["iteration"].toInteger()) + 1); // a line may be on its way
    }
    QCOMPARE(difference(model("done.h5"), done), std::string());
    for (const QString& name : QDir(m_folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot))
        QVERIFY2(name == "c.h5" || name == "done.h5" || name.startsWith(".c.h5.part-"), qPrintable(name));
    // After ten lives the numbers are those of one.
    const QString end = QString::number(iterations + 5);
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--resume", at("c.h5"), "--iterations", end, "-o", at("lives.h5")}), 0);
    COMPARE_CODE(polyad(QStringList{"run", sample(), "--device", "cpu", "--iterations", end, "-o", at("one.h5")} + repeatable), 0);
    QCOMPARE(difference(model("one.h5"), model("lives.h5")), std::string());
}

/// The moment is nobody's: nearly always in the middle of an iteration.
void TestCliCheckpoint::aStoppedRunIsKeptToItsEnd()
{
    QProcess process;
    process.start(program(),
                  QStringList{"run", sample(), "--device", "cpu", "--iterations", "100000000", "--progress", "json", "--checkpoint",
                              at("c.h5"), "-o", at("m.h5")}
                      + repeatable);
    QVERIFY(process.waitForReadyRead(30000));
    QVERIFY(sendSignal(process, SIGINT));
    const Answer answer = wait(process);
    COMPARE_CODE(answer, 130);
    const std::size_t end = model("m.h5").history.size();
    // A machine too busy for an iteration in a third of a second says so.
    QVERIFY2(iterationsIn("c.h5") == end || answer.err.contains("it ended in the middle of iteration"), answer.all());
}

/// Such parameters were taken once. The run goes on as if they had not been written down; who writes them down now is refused.
void TestCliCheckpoint::whatWasWithoutEffectDoesNotHinder()
{
    const QStringList run = QStringList{"run", sample(), "--device", "cpu", "--iterations"} + QStringList{"3"} + repeatable;
    COMPARE_CODE(polyad(run + QStringList{"--checkpoint", at("c.h5")}), 0);
    io::ModelFile old = io::readCheckpoint(at("c.h5").toStdString());
    old.config.parameters["sort-mode"] = std::int64_t{2}; // beside entry-order=auto
    io::writeModel(at("old.h5").toStdString(), old);
    const QStringList resume{"run", sample(), "--device", "cpu", "--resume", at("old.h5"), "--iterations", "5"};
    COMPARE_CODE(polyad(resume + QStringList{"-o", at("more.h5")}), 0);
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--resume", at("c.h5"), "--iterations", "5", "-o", at("same.h5")}), 0);
    QCOMPARE(difference(model("more.h5"), model("same.h5")), std::string());
    QVERIFY2(model("more.h5").command.find("sort-mode") == std::string::npos, model("more.h5").command.c_str());
    COMPARE_CODE(polyad(resume + QStringList{"--param", "sort-mode=2"}), 2);
}

void TestCliCheckpoint::aVanishedFolderCostsNoRun()
{
    QVERIFY(QDir().mkdir(at("gone")));
    QProcess process;
    process.start(program(),
                  QStringList{"run", sample(), "--device", "cpu", "--iterations", "100000000", "--progress", "json", "--checkpoint",
                              at("gone/c.h5"), "--checkpoint-every", "0.05s", "-o", at("m.h5")}
                      + repeatable);
    QVERIFY(process.waitForReadyRead(30000));
    QVERIFY(QDir(at("gone")).removeRecursively());
    QTest::qWait(700); // many intervals, and as many iterations as a slow machine needs for some
    QByteArray told;
    QTRY_VERIFY_WITH_TIMEOUT((told += process.readAllStandardOutput()).count('\n') > 10, 60000);
    QVERIFY(sendSignal(process, SIGINT));
    const Answer answer = wait(process);
    COMPARE_CODE(answer, 130);
    QVERIFY2(answer.err.startsWith("polyad-cli: the checkpoint could not be written; the run goes on. "), answer.all());
    QCOMPARE(answer.err.count('\n'), 2); // once although it was tried many times, and once at the end
    QVERIFY2(answer.err.contains("no later one could be written") || answer.err.contains("none could be written"), answer.all());
    QVERIFY(model("m.h5").history.size() > 10);
}

void TestCliCheckpoint::aFullDiskCostsNoRun()
{
    const test::SmallDisk disk;
    if (!disk)
        QSKIP("only root may mount a small disk");
    const QString file = disk.folder() + "/c.h5";
    const QStringList run{"run", sample(), "--device", "cpu", "--tolerance", "0", "--checkpoint", file, "--progress", "none"};
    COMPARE_CODE(polyad(run + QStringList{"--rank", "4", "--iterations", "4"}), 0); // there is room for a small one
    const Answer answer = polyad(run + QStringList{"--rank", "128", "--iterations", "4", "-o", at("m.h5"), "--force"});
    QVERIFY2(!answer.out.contains("checkpoint after"), answer.all());
    COMPARE_CODE(answer, 0);
    QCOMPARE(
        answer.err, // once, as nothing went on when it failed
        "polyad-cli: there is no checkpoint of this run, as none could be written. " + file.toUtf8()
            + ": there is no space left on its disk. Free some space or choose another folder; an older file of this name is untouched.\n");
    QCOMPARE(model("m.h5").history.size(), std::size_t{4});
    QCOMPARE(io::readCheckpoint(file.toStdString()).model.ranks, (std::vector<unsigned>{4, 4, 4})); // the old one is whole
    QCOMPARE(QDir(disk.folder()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList{"c.h5"});
    // A result that finds no room is one sentence too, and the checkpoint elsewhere still has all of it.
    const Answer lost = polyad({"run", sample(), "--device", "cpu", "--tolerance", "0", "--rank", "128", "--precision", "fp64",
                                "--iterations", "4", "--progress", "none", "--checkpoint", at("safe.h5"), "-o", disk.folder() + "/m.h5"});
    COMPARE_CODE(lost, 3);
    VERIFY_ONE_SENTENCE(lost);
    QVERIFY2(lost.err.contains("m.h5: there is no space left on its disk. Free some space"), lost.all());
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--resume", at("safe.h5"), "-o", at("saved.h5")}), 0);
    QCOMPARE(model("saved.h5").history.size(), std::size_t{4});
}

/// The entries are in memory: a run does not mind what happens to their file.
void TestCliCheckpoint::theInputMayVanish()
{
    QVERIFY(QFile::copy(sample(), at("t.tns")));
    QProcess process;
    process.start(program(),
                  QStringList{"run", at("t.tns"), "--device", "cpu", "--iterations", "100000000", "--progress", "json", "--checkpoint",
                              at("c.h5"), "--checkpoint-every", "5", "-o", at("m.h5")}
                      + repeatable);
    QVERIFY(process.waitForReadyRead(30000));
    QVERIFY(QFile::remove(at("t.tns")));
    QTest::qWait(300);
    QVERIFY(sendSignal(process, SIGINT));
    COMPARE_CODE(wait(process), 130);
    const io::ModelFile file = model("m.h5");
    // It is computed beside the reading. Where the file went first there is none, and the log says so.
    QFile there(sample());
    QVERIFY(there.open(QIODevice::ReadOnly));
    const QByteArray sum = QCryptographicHash::hash(there.readAll(), QCryptographicHash::Sha256).toHex();
    const bool saysNone = file.log.find("No checksum of the input") != std::string::npos;
    QCOMPARE(file.input.sha256, saysNone ? std::string() : sum.toStdString());
    const Answer gone = polyad({"run", at("t.tns"), "--device", "cpu", "--resume", at("c.h5")});
    COMPARE_CODE(gone, 3);
    VERIFY_ONE_SENTENCE(gone);
    QVERIFY(QFile::copy(sample(), at("t.tns"))); // it is back
    const QString more = QString::number(file.history.size() + 10);
    COMPARE_CODE(polyad({"run", at("t.tns"), "--device", "cpu", "--resume", at("c.h5"), "--iterations", more}), 0);
}

void TestCliCheckpoint::readOnlyFoldersAreRefusedBeforeTheRun()
{
    const Answer answer =
        polyad({"run", sample(), "--device", "cpu", "--iterations", "1000000000", "--tolerance", "0", "--checkpoint", "/proc/c.h5"});
    COMPARE_CODE(answer, 3);
    VERIFY_ONE_SENTENCE(answer);
}

QTEST_GUILESS_MAIN(TestCliCheckpoint)
#include "tst_cli_checkpoint.moc"
