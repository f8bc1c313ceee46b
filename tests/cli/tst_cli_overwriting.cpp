// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>

using namespace cli_test;

/// A wrong name costs no file: what is there is kept unless somebody insists.
class TestCliOverwriting : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void anythingIsKept_data();
    void anythingIsKept();
    void historiesAreKept();
    void modelsAreKept();
    void foldersKeepTheirFiles();
    void aTestPartIsKeptToo();
    void whatAModelHasLearntIsKept();
    void noFileIsTwoThings_data();
    void noFileIsTwoThings();
    void aFileThatMayNotGrowIsTold_data();
    void aFileThatMayNotGrowIsTold();

private:
    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QByteArray contentOf(const QString& path) const
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
};

void TestCliOverwriting::initTestCase()
{
    QVERIFY(writeFile(at("t.tns"), "1 1 1 1.5\n2 2 2 2\n3 1 2 0.5\n2 1 1 4\n"));
    QVERIFY(writeFile(at("queries.txt"), "1 1 1\n"));
    COMPARE_CODE(
        polyad({"run", at("t.tns"), "--device", "cpu", "--algorithm", "cp-als", "--rank", "2", "--iterations", "2", "-o", at("cp.h5")}), 0);
}

void TestCliOverwriting::anythingIsKept_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<QStringList>("command");
    const auto row = [](const char* name, const QString& target, const QStringList& command) { QTest::newRow(name) << target << command; };
    row("convert", at("other.tns"), {"convert", at("t.tns"), at("other.tns")});
    row("generate", at("other.tns"), {"generate", "--dims", "5,5,5", "--nnz", "20", "-o", at("other.tns")});
    row("export npz", at("other.npz"), {"export", at("cp.h5"), at("other.npz")});
    row("export ktensor", at("other.tns"), {"export", at("cp.h5"), at("other.tns"), "--to", "ktensor"});
    row("export h5", at("other.h5"), {"export", at("cp.h5"), at("other.h5")});
    row("export folder", at("other/factor_0.csv"), {"export", at("cp.h5"), at("other"), "--to", "csv"});
    row("predict", at("other.txt"), {"predict", at("cp.h5"), "--file", at("queries.txt"), "--output", at("other.txt")});
    row("history", at("other.csv"),
        {"run", at("t.tns"), "--device", "cpu", "--rank", "2", "--iterations", "1", "--history", at("other.csv")});
    row("output", at("other.h5"), {"run", at("t.tns"), "--device", "cpu", "--rank", "2", "--iterations", "1", "-o", at("other.h5")});
}

void TestCliOverwriting::anythingIsKept()
{
    QFETCH(QString, target);
    QFETCH(QStringList, command);
    const QByteArray kept = "1 1 1 9.5\n";
    QVERIFY(QDir().mkpath(QFileInfo(target).path()) && writeFile(target, kept));
    const Answer refused = polyad(command);
    QVERIFY2(refused.code == 2 && refused.err.contains("--force"), refused.all());
    VERIFY_ONE_SENTENCE(refused);
    QCOMPARE(contentOf(target), kept);
    COMPARE_CODE(polyad(command + QStringList{"--force"}), 0);
    QVERIFY(contentOf(target) != kept);
}

/// Numbers of another run are as lost as anything else.
void TestCliOverwriting::historiesAreKept()
{
    const QStringList run{"run", at("t.tns"), "--device", "cpu", "--rank", "2", "--iterations", "1", "--history", at("own.csv")};
    COMPARE_CODE(polyad(run), 0);
    const Answer refused = polyad(run);
    COMPARE_CODE(refused, 2);
    VERIFY_ONE_SENTENCE(refused);
    QVERIFY2(refused.err.contains("--force"), refused.all());
    COMPARE_CODE(polyad(run + QStringList{"--force"}), 0);
}

void TestCliOverwriting::modelsAreKept()
{
    const QStringList run{"run",          at("t.tns"), "--device", "cpu",      "--rank",    "2",
                          "--iterations", "1",         "-o",       at("m.h5"), "--history", at("h.csv")};
    COMPARE_CODE(polyad(run), 0);
    const QByteArray model = contentOf(at("m.h5"));
    for (const QStringList& command : {run, QStringList{"export", at("cp.h5"), at("m.h5")},
                                       QStringList{"run", at("t.tns"), "--iterations", "1", "--checkpoint", at("m.h5")}}) {
        const Answer refused = polyad(command);
        COMPARE_CODE(refused, 2);
        VERIFY_ONE_SENTENCE(refused);
        QVERIFY2(refused.err.contains("--force"), refused.all());
        QCOMPARE(contentOf(at("m.h5")), model);
    }
    COMPARE_CODE(polyad(run + QStringList{"--force"}), 0);
}

void TestCliOverwriting::foldersKeepTheirFiles()
{
    QVERIFY(QDir().mkpath(at("tables")));
    QVERIFY(writeFile(at("tables/notes.txt"), "mine"));
    COMPARE_CODE(polyad({"export", at("cp.h5"), at("tables")}), 0); // other names are in nobody's way
    QCOMPARE(contentOf(at("tables/notes.txt")), QByteArray("mine"));
    COMPARE_CODE(polyad({"export", at("cp.h5"), at("tables")}), 2);
}

void TestCliOverwriting::aTestPartIsKeptToo()
{
    QVERIFY(writeFile(at("g.test.tns"), "1 1 1 9.5\n"));
    const QStringList command{"generate", "--dims", "9,9,9", "--nnz", "50", "--test-nnz", "5", "-o", at("g.tns")};
    COMPARE_CODE(polyad(command), 2);
    QVERIFY(!QFile::exists(at("g.tns")));
    COMPARE_CODE(polyad(command + QStringList{"--force"}), 0);
}

/// The message says what would be lost: nothing brings back what came after the run.
void TestCliOverwriting::whatAModelHasLearntIsKept()
{
    QVERIFY(writeFile(at("monday.tns"), "1 1 1 2\n2 2 2 1\n") && writeFile(at("tuesday.tns"), "3 1 1 2\n"));
    const QStringList run{"run", at("t.tns"), "--algorithm", "ntf", "--rank", "2", "--iterations", "3", "--test-fraction", "0"};
    const QStringList toModel = run + QStringList{"-o", at("learnt.h5")};
    COMPARE_CODE(polyad(toModel), 0);
    const auto refusal = [&](const QStringList& command) {
        const QByteArray before = contentOf(at("learnt.h5"));
        const Answer refused = polyad(command);
        return refused.code == 2 && refused.out.isEmpty() && contentOf(at("learnt.h5")) == before ? refused : Answer();
    };
    COMPARE_CODE(polyad({"update", at("learnt.h5"), at("monday.tns"), "-o", at("learnt.h5")}), 0);
    const Answer one = refusal(toModel);
    VERIFY_ONE_SENTENCE(one);
    QVERIFY2(one.err.contains("--output " + at("learnt.h5").toUtf8()) && one.err.contains("a model that has learnt 1 batch since its run")
                 && one.err.contains("Choose another name") && one.err.contains("--force"),
             one.all());
    COMPARE_CODE(polyad({"update", at("learnt.h5"), at("tuesday.tns"), "-o", at("learnt.h5")}), 0);
    QVERIFY(refusal(toModel).err.contains("has learnt 2 batches since its run"));
    QVERIFY(refusal(run + QStringList{"--checkpoint", at("learnt.h5")}).err.contains("has learnt 2 batches since its run"));

    const QStringList exported{"export", at("cp.h5"), at("copied.h5")};
    QVERIFY(QFile::copy(at("learnt.h5"), at("copied.h5")));
    COMPARE_CODE(polyad(exported), 2);
    COMPARE_CODE(polyad(exported + QStringList{"--force"}), 0);

    const QStringList all{"--data", at("t.tns"), "--data", at("monday.tns"), "--data", at("tuesday.tns")};
    COMPARE_CODE(polyad(QStringList{"update", at("learnt.h5"), "-o", at("learnt.h5")} + all), 0); // a pass is no batch
    QVERIFY(refusal(toModel).err.contains("has learnt 2 batches since its run"));
    COMPARE_CODE(polyad(toModel + QStringList{"--force"}), 0);
    QVERIFY(refusal(toModel).err.contains("a finished model")); // what was learnt is gone
    COMPARE_CODE(polyad({"update", at("learnt.h5"), "--data", at("t.tns"), "-o", at("learnt.h5")}), 0);
    QVERIFY(refusal(toModel).err.contains("has had passes over all entries"));
}

void TestCliOverwriting::noFileIsTwoThings_data()
{
    QTest::addColumn<QString>("history");
    QTest::newRow("a dot") << at("./two.h5");
    QTest::newRow("a folder and back") << at("sub/../two.h5");
    QTest::newRow("a link to nothing") << at("link.h5");
    QTest::newRow("a linked folder") << at("here/two.h5");
}

/// Names differ, and no file is there yet that could be compared.
void TestCliOverwriting::noFileIsTwoThings()
{
    QFETCH(QString, history);
    QVERIFY(QDir().mkpath(at("sub")));
    QFile::link(QStringLiteral("two.h5"), at("link.h5"));
    QFile::link(QStringLiteral("."), at("here"));
    const QStringList run{"run", at("t.tns"), "--device", "cpu", "--rank", "2", "--iterations", "1", "--history", history};
    const Answer refused = polyad(run + QStringList{"-o", at("two.h5")});
    COMPARE_CODE(refused, 2);
    VERIFY_ONE_SENTENCE(refused);
    QVERIFY2(refused.err.contains("used by the same command"), refused.all());
    QVERIFY(!QFile::exists(at("two.h5")));
}

void TestCliOverwriting::aFileThatMayNotGrowIsTold_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("text") << QStringLiteral("limited.tns");
    QTest::newRow("hdf5") << QStringLiteral("limited.h5");
}

/// `ulimit -f` sends a signal, which ended the program without a word.
void TestCliOverwriting::aFileThatMayNotGrowIsTold()
{
    QFETCH(QString, name);
    QTemporaryDir folder;
    QProcess process;
    process.start(
        QStringLiteral("sh"),
        {QStringLiteral("-c"),
         QStringLiteral("ulimit -f 10; exec '%1' generate --dims 99,99,99 --nnz 20000 -o '%2'").arg(program(), folder.filePath(name))});
    const Answer answer = wait(process);
    COMPARE_CODE(answer, 3);
    VERIFY_ONE_SENTENCE(answer);
    QVERIFY2(answer.err.contains("File too large"), answer.all());
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList());
}

QTEST_GUILESS_MAIN(TestCliOverwriting)
#include "tst_cli_overwriting.moc"
