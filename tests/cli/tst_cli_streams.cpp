// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/spooled_stream.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <sys/stat.h>

using namespace cli_test;

/// Pipes, FIFOs and "-": what comes from another program, and what goes to one.
class TestCliStreams : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void tensorsAreRead_data();
    void tensorsAreRead();
    void aRunOfAPipeIsARunOfItsFile();
    void modelsAndQueriesAreRead();
    void labelsOfTheFolderAreNotThoseOfAPipe();
    void whatCannotBeReadIsTold_data();
    void whatCannotBeReadIsTold();
    void endlessInputEndsInAMessage();
    void aWaitEndsWithASignal_data();
    void aWaitEndsWithASignal();
    void tensorsGoToStandardOutput_data();
    void tensorsGoToStandardOutput();
    void predictionsAndExportsGoToStandardOutput();
    void whatIsSeveralFilesOrNeedsOneIsRefused_data();
    void whatIsSeveralFilesOrNeedsOneIsRefused();
    void lostOutputIsAFailure();

private:
    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    /// A line for bash, where $polyad is the program. In the folder of the test.
    Answer bash(const QString& line) const
    {
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("polyad", QDir(program()).canonicalPath());
        process.setProcessEnvironment(environment);
        process.start("bash", {"-c", line});
        return wait(process);
    }
    QByteArray contentOf(const char* name) const
    {
        QFile file(at(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
};

void TestCliStreams::initTestCase()
{
    QVERIFY(writeFile(at("t.tns"), "1 1 1 1.5\n2 2 2 2\n3 1 2 0.5\n2 1 1 4\n"));
    QVERIFY(writeFile(at("queries.txt"), "1 1 1\n3 2 2\n"));
    // too fine for single precision: read a second time in double
    QVERIFY(writeFile(at("fine.tns"), "1 1 1 1e-300\n2 2 2 2\n"));
    COMPARE_CODE(bash("gzip -k t.tns fine.tns queries.txt && mkfifo fifo && $polyad convert t.tns t.h5 && $polyad convert t.tns t.tensor"
                      " && $polyad convert t.tns t.mtns.bin --to splatt"),
                 0);
    COMPARE_CODE(bash("$polyad run t.tns --device cpu --algorithm cp-als --rank 2 --iterations 2 --test-fraction 0 -o cp.h5"), 0);
}

void TestCliStreams::tensorsAreRead_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("same");
    const auto row = [](const char* name, const char* line, const char* same) { QTest::newRow(name) << line << same; };
    row("a pipe", "cat t.tns | $polyad info - --json", "t.tns");
    row("a redirected file", "$polyad info - --json < t.tns", "t.tns");
    row("gzip", "cat t.tns.gz | $polyad info - --json", "t.tns");
    row("twice", "cat fine.tns.gz | $polyad info - --json", "fine.tns");
    row("/dev/stdin", "cat t.tns | $polyad info /dev/stdin --json", "t.tns");
    row("process substitution", "$polyad info <(zcat t.tns.gz) --json", "t.tns");
    row("a FIFO", "cat t.tns > fifo & $polyad info fifo --json", "t.tns");
    row("a slow writer", "(head -1 t.tns; sleep 0.4; tail -n +2 t.tns) | $polyad info - --json", "t.tns");
    row("the rest of a file", "(read -r; $polyad info - --json) < <(echo head; cat t.tns)", "t.tns");
    row("dense text", "cat t.tensor | $polyad info - --json", "t.tensor");
    row("HDF5", "cat t.h5 | $polyad info - --json", "t.h5");
    row("SPLATT", "cat t.mtns.bin | $polyad info - --json", "t.mtns.bin");
}

void TestCliStreams::tensorsAreRead()
{
    QFETCH(QString, line);
    QFETCH(QString, same);
    const Answer piped = bash(line), file = bash("$polyad info --json " + same);
    COMPARE_CODE(piped, 0);
    COMPARE_CODE(file, 0);
    QVERIFY2(piped.err.isEmpty(), piped.all());
    for (const char* key : {"dims", "nnz", "values", "modes"})
        QCOMPARE(piped.object()[key], file.object()[key]);
    const auto layout = [](const Answer& answer) { return answer.object()["file"].toObject()["layout"].toString().remove(", gzip"); };
    QCOMPARE(layout(piped), layout(file));
    if (!line.contains("fifo") && !line.contains("<(z"))
        QCOMPARE(piped.object()["name"].toString(), QString("standard input"));
}

void TestCliStreams::aRunOfAPipeIsARunOfItsFile()
{
    const QString settings = " --device cpu --rank 2 --iterations 3 --deterministic --json -o ";
    const Answer piped = bash("cat t.tns | $polyad run -" + settings + "piped.h5"), file = bash("$polyad run t.tns" + settings + "file.h5");
    COMPARE_CODE(piped, 0);
    COMPARE_CODE(file, 0);
    QCOMPARE(piped.object()["iterations"].toInt(), 3);
    QVERIFY(piped.object()["train_rmse"].isDouble());
    QCOMPARE(piped.object()["train_rmse"], file.object()["train_rmse"]);
    QCOMPARE(piped.object()["written"].toObject(), (QJsonObject{{"model", "piped.h5"}}));
    const QJsonObject input = bash("$polyad info piped.h5 --json").object()["input"].toObject();
    QCOMPARE(input["file_name"].toString(), QString("standard input"));
    QCOMPARE(input["sha256"].toString().size(), 64);
    QCOMPARE(input["sha256"], bash("$polyad info file.h5 --json").object()["input"].toObject()["sha256"]);
}

void TestCliStreams::modelsAndQueriesAreRead()
{
    const Answer evaluated = bash("cat t.tns | $polyad evaluate cp.h5 - --json");
    COMPARE_CODE(evaluated, 0);
    QCOMPARE(evaluated.object()["rmse"], bash("$polyad evaluate cp.h5 t.tns --json").object()["rmse"]);
    COMPARE_CODE(bash("cat cp.h5 | $polyad info - --json"), 0);
    const QByteArray predictions = bash("$polyad predict cp.h5 --file queries.txt").out;
    QCOMPARE(predictions.count('\n'), 2);
    for (const char* line : {"cat queries.txt | $polyad predict cp.h5 --file -", "cat queries.txt.gz | $polyad predict cp.h5 --file -",
                             "$polyad predict cp.h5 --file <(cat queries.txt) -o -"})
        QCOMPARE(bash(line).out, predictions);
}

void TestCliStreams::labelsOfTheFolderAreNotThoseOfAPipe()
{
    QVERIFY(writeFile(at("mode-1-name.map"), "a\nb\nc\n"));
    const Answer piped = bash("cat t.tns | $polyad info - --json"), file = bash("$polyad info t.tns --json");
    QVERIFY(QFile::remove(at("mode-1-name.map")));
    QVERIFY(file.object()["modes"].toArray()[0].toObject()["labels"].toBool());
    QVERIFY(!piped.object()["modes"].toArray()[0].toObject()["labels"].toBool());
}

void TestCliStreams::whatCannotBeReadIsTold_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("told");
    const auto row = [](const char* name, const char* line, const char* told) { QTest::newRow(name) << line << told; };
    row("nothing", "true | $polyad info -", "standard input: is an empty file");
    row("nonsense", "echo hello | $polyad info -", "standard input: is no tensor or table of a known kind");
    row("a fault", "printf '1 1 1 2\\n1 x 1 3\\n' | $polyad info -", "standard input line 2");
    row("half a gzip", "head -c 40 t.tns.gz | $polyad convert - half.h5", "standard input: the gzip data ends early");
    row("half an HDF5", "head -c 2000 t.h5 | $polyad info -", "standard input");
    row("too many cells", "printf 'tensor\\n3\\n1000 1000 1000\\n1 2 3\\n' | $polyad info -",
        "declares more values than the file can hold");
    row("closed", "$polyad info - <&-", "standard input");
    row("a folder", "$polyad info - < .", "is a folder");
    row("no temporary folder", "cat t.tns | TMPDIR=/nowhere $polyad info -", "Set TMPDIR to another folder");
}

void TestCliStreams::whatCannotBeReadIsTold()
{
    QFETCH(QString, line);
    QFETCH(QString, told);
    const Answer answer = bash(line);
    COMPARE_CODE(answer, 3);
    VERIFY_ONE_SENTENCE(answer);
    QVERIFY2(answer.err.contains(told.toUtf8()), answer.all());
}

void TestCliStreams::endlessInputEndsInAMessage()
{
    const Answer zeros = polyad({"info", "/dev/zero"});
    COMPARE_CODE(zeros, 3);
    VERIFY_ONE_SENTENCE(zeros);
    const Answer fault = bash("(cat t.tns; yes no) | $polyad info -");
    COMPARE_CODE(fault, 3);
    QVERIFY2(fault.err.contains("standard input line 5"), fault.all());
    // The shell's limit of 32 MiB a file stands for a small disk.
    const Answer full = bash("yes '1 1 1 1' | (trap '' XFSZ; ulimit -f 32768; exec $polyad info -)");
    COMPARE_CODE(full, 3);
    VERIFY_ONE_SENTENCE(full);
    QVERIFY2(full.err.contains("cannot be kept in a temporary file (found File too large)"), full.all());
}

void TestCliStreams::aWaitEndsWithASignal_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<int>("signal");
    QTest::newRow("info, Ctrl-C") << QStringList{"info", at("fifo")} << SIGINT;
    QTest::newRow("convert, SIGTERM") << QStringList{"convert", at("fifo"), at("waited.h5")} << SIGTERM;
    QTest::newRow("predict, Ctrl-C") << QStringList{"predict", at("cp.h5"), "--file", at("fifo")} << SIGINT;
    QTest::newRow("model, Ctrl-C") << QStringList{"evaluate", at("fifo"), at("t.tns")} << SIGINT;
}

void TestCliStreams::aWaitEndsWithASignal()
{
    QFETCH(QStringList, command);
    QFETCH(int, signal);
    QProcess process;
    process.start(program(), command); // nobody writes to the FIFO
    QVERIFY(process.waitForStarted());
    QVERIFY(!process.waitForFinished(500));
    QVERIFY(sendSignal(process, signal));
    const Answer answer = wait(process);
    COMPARE_CODE(answer, 128 + signal);
    QVERIFY(!QFile::exists(at("waited.h5")));
}

void TestCliStreams::tensorsGoToStandardOutput_data()
{
    QTest::addColumn<QString>("options");
    QTest::addColumn<QString>("file");
    QTest::newRow("tns") << ""
                         << "same.tns";
    QTest::newRow("with a header") << "--header parti"
                                   << "same.tns";
    QTest::newRow("dense text") << "--to dense-text"
                                << "same.tensor";
    QTest::newRow("SPLATT") << "--to splatt"
                            << "same.bin";
}

void TestCliStreams::tensorsGoToStandardOutput()
{
    QFETCH(QString, options);
    QFETCH(QString, file);
    const Answer piped = bash("$polyad convert t.tns - " + options);
    COMPARE_CODE(piped, 0);
    QVERIFY2(piped.err.isEmpty() || options == "--to dense-text", piped.all()); // which warns of missing cells
    COMPARE_CODE(bash("$polyad convert t.tns --force " + file + ' ' + options), 0);
    QCOMPARE(piped.out, contentOf(file.toLatin1().constData()));
    QVERIFY(!QFile::exists(at("-")));

    const QString generate = "$polyad generate --dims 9,9,9 --nnz 50 " + options + " -o ";
    COMPARE_CODE(bash(generate + file + " --force"), 0);
    QCOMPARE(bash(generate + "- | cat").out, contentOf(file.toLatin1().constData()));
    COMPARE_CODE(bash("cat t.tns | $polyad convert - - | $polyad info -"), 0);
}

void TestCliStreams::predictionsAndExportsGoToStandardOutput()
{
    COMPARE_CODE(bash("$polyad export cp.h5 cp.ktensor && $polyad export cp.h5 cp.csv"), 0);
    const Answer ktensor = bash("$polyad export cp.h5 - --to ktensor");
    COMPARE_CODE(ktensor, 0);
    QVERIFY2(ktensor.err.isEmpty(), ktensor.all());
    QCOMPARE(ktensor.out, contentOf("cp.ktensor"));
    QCOMPARE(bash("$polyad export cp.h5 - --to metrics").out, contentOf("cp.csv"));
    COMPARE_CODE(bash("$polyad export cp.h5 - --to ktensor | $polyad info -"), 0);
}

void TestCliStreams::whatIsSeveralFilesOrNeedsOneIsRefused_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<int>("code");
    const auto row = [](const char* name, const QStringList& command, int code) { QTest::newRow(name) << command << code; };
    row("folder", {"export", at("cp.h5"), "-", "--to", "csv"}, 2);
    row("no kind", {"export", at("cp.h5"), "-"}, 2);
    row("model", {"export", at("cp.h5"), "-", "--to", "h5"}, 3);
    row("HDF5 tensor", {"convert", at("t.tns"), "-", "--to", "hdf5"}, 3);
    row("unknown format", {"convert", at("t.tns"), "-", "--to", "xyz"}, 2);
    row("test part", {"generate", "--dims", "9,9,9", "--nnz", "50", "--test-nnz", "5", "-o", "-"}, 2);
    row("run's model", {"run", at("t.tns"), "-o", "-"}, 2);
    row("two on stdout", {"run", at("t.tns"), "--json", "--progress", "json"}, 2);
}

void TestCliStreams::whatIsSeveralFilesOrNeedsOneIsRefused()
{
    QFETCH(QStringList, command);
    QFETCH(int, code);
    const Answer answer = polyad(command);
    COMPARE_CODE(answer, code);
    VERIFY_ONE_SENTENCE(answer);
    QVERIFY(answer.out.isEmpty());
}

void TestCliStreams::lostOutputIsAFailure()
{
    const QStringList generate{"generate", "--dims", "999,999,999", "--nnz", "100000", "-o", "-"};
    const Answer full = polyadToFullDisk(generate);
    COMPARE_CODE(full, 1);
    QVERIFY2(full.err.contains("standard output: cannot be written (found No space left on device)"), full.all());
    const Answer head = polyadToHead(generate);
    COMPARE_CODE(head, 1);
    QVERIFY2(head.err.isEmpty(), head.all());
}

QTEST_GUILESS_MAIN(TestCliStreams)
#include "tst_cli_streams.moc"
