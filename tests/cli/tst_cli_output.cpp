// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/model_file.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>

#include <unistd.h>

using namespace cli_test;

/// Where results cannot go: full disks, closed pipes, locked folders, and files that were read.
class TestCliOutput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aModelThatCannotBeWrittenKeepsTheHistory();
    void readOnlyFoldersAreRefusedBeforeTheRun();
    void whatIsReadIsNeverOverwritten();
    void aRunThatCannotTellKeepsItsModel_data();
    void aRunThatCannotTellKeepsItsModel();
    void resultsThatCannotBePrintedAreFailures_data();
    void resultsThatCannotBePrintedAreFailures();
    void aReaderThatHasEnoughIsNoError();
    void namesDoNotCommandTheTerminal();

private:
    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QString m_model;
};

void TestCliOutput::initTestCase()
{
    m_model = at("model.h5");
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--rank", "3", "--iterations", "2", "--output", m_model}), 0);
}

/// The shell's limit of 4 KiB a file stands for a disk with room for the history alone.
void TestCliOutput::aModelThatCannotBeWrittenKeepsTheHistory()
{
    const QStringList arguments{"run",         sample(), "--device", "cpu",          "--iterations", "4",
                                "--tolerance", "0",      "-o",       at("large.h5"), "--history",    at("small.csv")};
    QProcess shell;
    shell.start("sh", QStringList{"-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh", program()} + arguments);
    const Answer answer = wait(shell);
    COMPARE_CODE(answer, 3);
    QVERIFY2(answer.err.contains("large.h5: writing failed (found ") && answer.err.contains("File too large"), answer.all());
    QVERIFY2(!answer.err.contains("the end:"), answer.all());
    QVERIFY(!QFile::exists(at("large.h5")));
    QFile history(at("small.csv"));
    QVERIFY(history.open(QIODevice::ReadOnly));
    QCOMPARE(history.readAll().count('\n'), 5);
}

void TestCliOutput::readOnlyFoldersAreRefusedBeforeTheRun()
{
    // Root may write into any folder but the kernel's own.
    const bool root = ::geteuid() == 0;
    const QString folder = root ? QStringLiteral("/proc") : at("locked");
    QVERIFY(root || (QDir().mkdir(folder) && QFile::setPermissions(folder, QFileDevice::ReadOwner | QFileDevice::ExeOwner)));
    const Answer answer =
        polyad({"run", sample(), "--device", "cpu", "--iterations", "1000000000", "--tolerance", "0", "--output", folder + "/m.h5"});
    COMPARE_CODE(answer, 3);
    VERIFY_ONE_SENTENCE(answer);
    QVERIFY2(answer.err.contains(folder.toUtf8()), answer.all());
}

void TestCliOutput::whatIsReadIsNeverOverwritten()
{
    const QString tensor = at("precious.tns");
    QVERIFY(QFile::copy(sample(), tensor));
    const qint64 size = QFileInfo(tensor).size();
    const QString target = at("both.h5");
    for (const QStringList& targets :
         {QStringList{"--output", tensor}, QStringList{"--history", tensor}, QStringList{"--output", target, "--history", target}}) {
        const Answer answer = polyad(QStringList{"run", tensor, "--iterations", "1"} + targets);
        COMPARE_CODE(answer, 2);
        QVERIFY2(answer.err.contains("used by the same command already"), answer.all());
    }
    QCOMPARE(QFileInfo(tensor).size(), size);
    QVERIFY(!QFileInfo::exists(target));
}

void TestCliOutput::aRunThatCannotTellKeepsItsModel_data()
{
    QTest::addColumn<bool>("fullDisk");
    QTest::newRow("full disk") << true;
    QTest::newRow("closed pipe") << false;
}

void TestCliOutput::aRunThatCannotTellKeepsItsModel()
{
    QFETCH(const bool, fullDisk);
    const auto run = [&](const QStringList& further) {
        const QStringList arguments =
            QStringList{"run", sample(), "--device", "cpu", "--tolerance", "0", "--rank", "4", "--progress", "json"} + further;
        return fullDisk ? polyadToFullDisk(arguments) : polyadToHead(arguments);
    };
    QFile::remove(at("told.h5"));
    const Answer kept = run({"--iterations", "300", "-o", at("told.h5")});
    COMPARE_CODE(kept, 1);
    VERIFY_ONE_SENTENCE(kept);
    QVERIFY2(kept.err.contains("standard output: cannot be written") && kept.err.contains("its files are written"), kept.all());
    QCOMPARE(io::readModel(at("told.h5").toStdString()).history.size(), std::size_t{300});
    // Without anything to keep there is no reason to go on: these iterations would take hours.
    const Answer stopped = run({"--iterations", "100000000"});
    COMPARE_CODE(stopped, 1);
    VERIFY_ONE_SENTENCE(stopped);
    QVERIFY2(stopped.err.contains("The run was stopped."), stopped.all());
}

void TestCliOutput::resultsThatCannotBePrintedAreFailures_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("help") << QStringList{"--help"};
    QTest::newRow("version") << QStringList{"--version"};
    QTest::newRow("list") << QStringList{"list"};
    QTest::newRow("info") << QStringList{"info", sample()};
    QTest::newRow("convert") << QStringList{"convert", sample(), at("lost.h5")};
    QTest::newRow("generate") << QStringList{"generate", "--dims", "3,3", "--nnz", "4", "-o", at("lost2.tns")};
    QTest::newRow("evaluate") << QStringList{"evaluate", m_model, sample()};
    QTest::newRow("predict") << QStringList{"predict", m_model, "--index", "1,1,1"};
    QTest::newRow("bench") << QStringList{"bench", "load", sample(), "--repeat", "1"};
    QTest::newRow("run") << QStringList{"run", sample(), "--device", "cpu", "--iterations", "2"};
}

void TestCliOutput::resultsThatCannotBePrintedAreFailures()
{
    QFETCH(const QStringList, arguments);
    const Answer answer = polyadToFullDisk(arguments);
    COMPARE_CODE(answer, 1);
    VERIFY_ONE_SENTENCE(answer);
    QVERIFY2(answer.err.contains("standard output: cannot be written (found No space left on device)"), answer.all());
}

void TestCliOutput::aReaderThatHasEnoughIsNoError()
{
    QByteArray queries;
    for (int i = 0; i < 100000; ++i)
        queries += "1 1 1\n";
    QVERIFY(writeFile(at("many.txt"), queries)); // more than a pipe holds
    const Answer answer = polyadToHead({"predict", m_model, "--file", at("many.txt")});
    COMPARE_CODE(answer, 1);
    QVERIFY2(answer.err.isEmpty(), answer.all());
}

void TestCliOutput::namesDoNotCommandTheTerminal()
{
    QVERIFY(QDir().mkpath(at("names")));
    QVERIFY(writeFile(at("names/t.tns"), "1 1 1 1.5\n2 2 2 2\n3 1 2 0.5\n2 1 1 4\n"));
    QVERIFY(writeFile(at("names/mode-1-x\033[31m.map"), "one\n\033[2Jtwo\r\xc2\x9b\nthree\n"));
    COMPARE_CODE(polyad({"run", at("names/t.tns"), "--device", "cpu", "--rank", "2", "--iterations", "1", "-o", at("names/m.h5")}), 0);
    const Answer info = polyad({"info", at("names/t.tns")});
    QVERIFY2(info.out.contains("x\\u001b[31m") && info.out.contains("\\u001b[2Jtwo\\u000d\\u009b"), info.all());
    const Answer best = polyad({"predict", at("names/m.h5"), "--index", "*,1,1"});
    QVERIFY2(best.code == 0 && best.out.contains("\\u001b[2Jtwo\\u000d\\u009b"), best.all());
    const Answer one = polyad({"predict", at("names/m.h5"), "--index", "2,1,1"});
    QVERIFY2(one.code == 0 && one.out.contains("\\u001b[2Jtwo"), one.all());
    const Answer missing = polyad({"info", at("no\033[31m.tns")});
    QVERIFY2(missing.code == 3 && missing.err.contains("no\\u001b[31m.tns"), missing.all());
    for (const Answer* answer : {&info, &best, &one, &missing})
        for (const char forbidden : {'\033', '\r', '\x9b'})
            QVERIFY2(!(answer->out + answer->err).contains(forbidden), answer->all());
    const Answer json = polyad({"predict", at("names/m.h5"), "--index", "2,1,1", "--json"}); // means the same text
    QCOMPARE(json.object()["text"].toArray()[0].toString(), QString::fromUtf8("\033[2Jtwo\r\xc2\x9b"));
}

QTEST_GUILESS_MAIN(TestCliOutput)
#include "tst_cli_output.moc"
