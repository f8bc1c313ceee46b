// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "kernels/base/host_memory.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <cmath>

using namespace cli_test;

/// Everything but running: info, generate, convert, list, help and refusals.
class TestCliTools : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void helpAndVersionAreFine_data();
    void helpAndVersionAreFine();
    void refusalsAreOneSentenceWithTheRightCode_data();
    void refusalsAreOneSentenceWithTheRightCode();
    void infoDescribesTheSample();
    void infoCountsAsPeopleDo();
    void onlyValuesThatChangeAreCalledRounded();
    void valuesThatBecomeZeroAreTold();
    void aTestOnTheTrainingFileIsTold();
    void labelFilesThatAreMissingAreErrors();
    void generateWritesWhatItWasAskedFor();
    void textThatCannotHoldTheSizesSaysSo();
    void generateIsRepeatable();
    void aPresetIsWrittenWithItsTestPart();
    void convertKeepsEveryEntry();
    void readOptionsDecideWhatIsRead();
    void listsAreValidJson_data();
    void listsAreValidJson();
    void oneAlgorithmIsListedAlone();
    void theSupportMatrixGivesReasons();
    void formatsTellTheirSizeAndWhoTakesThem();
    void everyFormatIsConvertedToEveryOther();
    void modelsAreExported();
    void ktensorsAreModels();

private:
    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
};

void TestCliTools::helpAndVersionAreFine_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("program") << QStringList{"--help"} << QByteArray("Exit codes");
    QTest::newRow("version") << QStringList{"--version"} << QByteArray("polyad-cli ");
    for (const char* sub :
         {"info", "generate", "convert", "list", "run", "sweep", "evaluate", "compare", "predict", "export", "report", "bench"})
        QTest::newRow(sub) << QStringList{sub, "--help"} << QByteArray("Example");
}

void TestCliTools::helpAndVersionAreFine()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    const Answer answer = polyad(arguments);
    COMPARE_CODE(answer, 0);
    QVERIFY2(answer.out.contains(says), answer.all());
    QVERIFY(answer.err.isEmpty());
}

void TestCliTools::refusalsAreOneSentenceWithTheRightCode_data()
{
    QVERIFY(writeFile(at("broken.tns"), "1 1 1 2.5\n1 2 1 3.5\n1 x 1 4.5\n"));
    QVERIFY(writeFile(at("empty.tns"), ""));
    QVERIFY(writeFile(at("table.csv"), "user,item,stars\n1,2,3.5\n"));
    QVERIFY(writeFile(at("idle.json"), R"({"variant": "store", "parameters": {"core-gradient": "own-pass"}})"));
    QVERIFY(writeFile(at("swapped.ktensor"), "ktensor\n2\n3 2\n1\n2\nmatrix\n2\n3 1\n1\n2\n3\nmatrix\n2\n2 1\n10\n-1\n"));
    COMPARE_CODE(polyad({"convert", sample(), at("tensor.h5")}), 0);
    QVERIFY(writeFile(at("broken.json"), "{\n  \"seed\": 1\n  \"ranks\": [4]\n}\n"));
    QVERIFY(writeFile(at("cut.json"), "{\"seed\": 1"));
    QVERIFY(writeFile(at("slip.tns"), "1 1 1 2.5\n4000000000 1 1 3.5\n"));
    QVERIFY(writeFile(at("copy.tns"), "1 1 1 2.5\n"));
    QVERIFY(writeFile(at("bad.json"), R"({"ranks": "many"})"));
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("names");
    const auto row = [](const char* name, const QStringList& arguments, int code, const char* names) {
        QTest::newRow(name) << arguments << code << QByteArray(names);
    };
    row("nothing", {}, 2, "subcommand");
    row("unknown subcommand", {"decompose"}, 2, "no command \"decompose\"; there are import, info, generate, convert, list, run, ");
    row("export nothing", {"export", "m.h5"}, 2, "--help");
    row("export to an unknown ending", {"export", sample(), at("x.docx")}, 2, ".npz");
    row("export to an unknown kind", {"export", sample(), at("x"), "--to", "word"}, 2, "one of h5, npz, csv");
    row("export what is no model", {"export", sample(), at("x.npz")}, 3, "flights.tns");
    row("unknown option", {"info", sample(), "--colour"}, 2, "there is no option \"--colour\". See `polyad-cli info --help`.");
    row("nearly an option", {"run", sample(), "--algoritm", "fasttucker"}, 2,
        "no option \"--algoritm\". Did you mean \"--algorithm\"? See");
    row("nearly an option with its value", {"run", sample(), "--iteration=3"}, 2, "Did you mean \"--iterations\"?");
    row("nearly an option of a bench", {"bench", "load", sample(), "--repeats", "3"}, 2,
        "Did you mean \"--repeat\"? See `polyad-cli bench load --help`.");
    row("nearly a command", {"evalute", "m.h5"}, 2, "Did you mean \"evaluate\"?");
    row("no such bench", {"bench", "decompose"}, 2, "no command \"decompose\"; there are load, import, fasttucker, ");
    row("nearly a bench", {"bench", "fastucker", sample()}, 2, "Did you mean \"fasttucker\"? See `polyad-cli bench --help`.");
    row("nearly an algorithm", {"list", "algorithms", "fastertuker"}, 2, "Did you mean \"fastertucker\"?");
    row("nearly a list", {"list", "algorithm"}, 2, "Did you mean \"algorithms\"?");
    row("one of another list", {"list", "presets", "paper"}, 2, "only algorithms are listed one by one");
    row("sort mode of nothing sorted", {"run", sample(), "--param", "sort-mode=2"}, 2,
        "sort-mode has no effect with entry-order=auto: choose entry-order=sorted, or leave sort-mode out.");
    row("the default sort mode of nothing sorted", {"run", sample(), "--param", "sort-mode=1"}, 2, "sort-mode has no effect");
    row("batch of nothing deterministic", {"run", sample(), "--param", "batch=8"}, 2, "choose deterministic=true");
    row("gradient of another variant", {"run", sample(), "--variant", "store", "--param", "core-gradient=own-pass"}, 2,
        "core-gradient has no effect with variant=store");
    row("the same in a bench", {"bench", "fasttucker", sample(), "--variant", "store", "--param", "core-gradient=own-pass"}, 2,
        "core-gradient has no effect with variant=store");
    row("the same in a config", {"run", sample(), "--config", at("idle.json")}, 2, "core-gradient has no effect with variant=store");
    row("noise of the paper's start", {"run", sample(), "--preset", "paper", "--param", "start-noise=0.2"}, 2, "start=paper");
    row("more threads than there are", {"run", sample(), "--threads", "100000"}, 2,
        "--threads: there are not so many CPU threads (found 100000, expected 0 (all) to ");
    row("entries of a file", {"bench", "fasttucker", sample(), "--entries", "1M"}, 2, "--entries has no effect without --orders");
    row("sizes of a file", {"bench", "fasttucker", sample(), "--mode-size", "10"}, 2, "--mode-size has no effect without");
    row("seed of a file", {"info", sample(), "--data-seed", "2"}, 2, "--data-seed has no effect without preset:");
    row("index base of a preset", {"info", "preset:netflix-like:0.0001", "--index-base", "0"}, 2,
        "--index-base has no effect with preset:");
    for (const QStringList& planted : QList<QStringList>{{"--dims", "3,3"}, {"--nnz", "9"}, {"--rank", "3"}, {"--round"}})
        row(qPrintable(planted.front() + " of a preset"), QStringList{"generate", "--preset", "netflix-like", "-o", at("x.h5")} + planted,
            2, "has no effect with --preset");
    row("header of generated HDF5", {"generate", "--dims", "3,3", "--nnz", "3", "--header", "parti", "-o", at("x.h5")}, 2,
        "only .tns files have such a header");
    row("tensor in place of a model", {"predict", sample(), "--index", "1,1,1"}, 3, "flights.tns: is a tensor, not a model");
    row("HDF5 tensor in place of a model", {"predict", at("tensor.h5"), "--index", "1,1,1"}, 3, "is not a model file (found tensor");
    row("model and tensor swapped", {"evaluate", sample(), at("swapped.ktensor")}, 2,
        "evaluate: the model comes first, then the tensor. Write: ");
    row("model and preset swapped", {"evaluate", "preset:netflix-like:0.0001", at("swapped.ktensor")}, 2, "the model comes first");
    row("missing file", {"info", at("missing.tns")}, 3, "missing.tns");
    row("broken file", {"info", at("broken.tns")}, 3, "line 3");
    if (kernels::availableHostMemory() < 30'000'000'000) {
        row("a run of it", {"run", at("slip.tns"), "--device", "cpu"}, 4,
            "Mode 1 has 4000000000 indices, nearly all without an entry: if its largest is a slip, correct it in the file. Else choose "
            "smaller ranks.");
        row("an index past all memory", {"info", at("slip.tns")}, 4,
            "slip.tns: counting the entries of each index needs 29.8 GiB of main memory (found an index 4000000000 in mode 1)");
    }
    row("empty file", {"run", at("empty.tns")}, 3, "empty.tns");
    row("a table of one row", {"run", at("table.csv")}, 3, "a tensor needs at least two modes");
    row("a folder", {"info", m_folder.path()}, 3, "");
    row("not a model", {"predict", sample(), "--index", "1,1,1"}, 3, "flights.tns");
    row("missing model", {"evaluate", at("no.h5"), sample()}, 3, "no.h5");
    row("unknown algorithm", {"run", sample(), "--algorithm", "guess"}, 2, "fasttucker-plus");
    row("title of another's preset", {"run", sample(), "--algorithm", "cp-als", "--preset", "cuFastTucker (paper)"}, 2,
        "Algorithms with a preset of that name: fasttucker");
    row("paper's name in small letters", {"run", sample(), "--algorithm", "cufastertucker_coo"}, 2, "Did you mean \"cuFasterTucker_COO\"?");
    row("unknown variant", {"run", sample(), "--variant", "guess"}, 2, "guess");
    row("unknown precision", {"run", sample(), "--precision", "fp17"}, 2, "fp17");
    row("unknown parameter", {"run", sample(), "--param", "speed=9"}, 2, "speed");
    row("parameter without value", {"run", sample(), "--param", "speed"}, 2, "name=value");
    row("unknown preset", {"run", sample(), "--preset", "best"}, 2, "best");
    row("preset of another variant", {"run", sample(), "--algorithm", "cuFasterTucker", "--preset", "paper"}, 2,
        "cuFasterTucker is the variant full of fastertucker, and this preset is of coo (found \"paper\", expected one of paper-full)");
    row("variant of another name", {"run", sample(), "--algorithm", "cuFasterTucker_COO", "--variant", "full"}, 2,
        "cuFasterTucker_COO is the variant coo of fastertucker (found \"full\", expected the same, or none). Another variant goes with "
        "--algorithm fastertucker.");
    row("variant of another algorithm", {"run", sample(), "--variant", "cuFasterTucker_B-CSF"}, 2,
        "It is a variant of FasterTucker: --algorithm fastertucker --variant bcsf-reuse.");
    row("variant for a preset", {"run", sample(), "--preset", "cuFasterTucker_B-CSF"}, 2,
        "It is a variant of FasterTucker: --algorithm fastertucker --variant bcsf-reuse.");
    row("variant of two algorithms", {"run", sample(), "--variant", "als"}, 2, "--variant als, or --algorithm ");
    row("slip in a variant", {"run", sample(), "--variant", "grouppd"}, 2, "Did you mean \"grouped\"?");
    row("slip in a paper's name of a variant", {"run", sample(), "--algorithm", "fastertucker", "--variant", "cuFasterTucker_BCSF"}, 2,
        "Did you mean \"cuFasterTucker_B-CSF\"?");
    row("slip in a preset's title", {"run", sample(), "--preset", "cuFasterTuker_COO (paper)"}, 2,
        "Did you mean \"cuFasterTucker_COO (paper)\"?");
    row("preset of other algorithms", {"run", sample(), "--algorithm", "cp-als", "--preset", "paper"}, 2,
        "Algorithms with a preset of that name: fasttucker-plus, ");
    row("rank 0", {"run", sample(), "--rank", "0"}, 2, "whole numbers from 1 to 128");
    row("core rank past the largest", {"run", sample(), "--core-rank", "129"}, 2, "whole numbers from 1 to 128");
    row("half a thread", {"run", sample(), "--threads", "1.5"}, 2, "--threads");
    row("bad rank", {"run", sample(), "--rank", "16,x"}, 2, "--rank");
    row("wrong number of ranks", {"run", sample(), "--rank", "4,4"}, 2, "rank");
    row("bad fraction", {"run", sample(), "--test-fraction", "1.5"}, 2, "--test-fraction");
    row("bad progress", {"run", sample(), "--progress", "loud"}, 2, "--progress");
    row("bad size", {"run", sample(), "--memory-limit", "2 cows"}, 2, "--memory-limit");
    row("bad device", {"run", sample(), "--device", "tpu:0"}, 2, "tpu");
    row("no such device", {"run", sample(), "--device", "cuda:63"}, 4, "");
    row("two tests", {"run", sample(), "--test", "a.tns", "--test-fraction", "0.1"}, 2, "--test");
    row("bad config", {"run", sample(), "--config", at("bad.json")}, 3, "bad.json");
    row("broken config", {"run", sample(), "--config", at("broken.json")}, 3,
        "broken.json, line 3, column 9: not valid JSON (found string literal, expected '}')");
    row("cut config", {"run", sample(), "--config", at("cut.json")}, 3, "cut.json, line 1, column 11: not valid JSON (found end of input");
    row("endless config", {"run", sample(), "--config", "/dev/zero"}, 3, "/dev/zero: the text is too long (found more than 16.0 MiB");
    row("config is a folder", {"run", sample(), "--config", m_folder.path()}, 3, "cannot be read");
    row("missing config", {"run", sample(), "--config", at("none.json")}, 3, "none.json");
    row("output in no folder", {"run", sample(), "--iterations", "1", "--output", "/nowhere/m.h5"}, 3, "/nowhere");
    row("fraction of a preset", {"run", "preset:netflix-like:0.0001", "--test-fraction", "0.2"}, 2, "own test part");
    row("unknown tensor preset", {"run", "preset:guess"}, 2, "guess");
    row("generate nothing", {"generate", "-o", at("x.tns")}, 2, "--dims");
    row("generate nowhere", {"generate", "--dims", "3,3", "--nnz", "3", "-o", "/nowhere/x.tns"}, 3, "/nowhere");
    row("more entries than cells", {"generate", "--dims", "3,3", "--nnz", "10", "-o", at("x.tns")}, 2, "");
    row("a draw that there is not", {"generate", "--dims", "3,3", "--nnz", "3", "--draw", "poison", "-o", at("x.tns")}, 2,
        "Did you mean \"poisson\"?");
    row("rounded draws", {"generate", "--dims", "3,3", "--nnz", "3", "--draw", "poisson", "--round", "-o", at("x.tns")}, 2,
        "--round has no effect with --draw");
    row("mean of a range", {"generate", "--dims", "3,3", "--nnz", "3", "--mean", "2", "--values", "1:5", "-o", at("x.tns")}, 2,
        "--mean has no effect with --values or --uniform-values");
    row("bad skew", {"generate", "--dims", "3,3", "--nnz", "3", "--skew", "steep", "-o", at("x.tns")}, 2, "steep");
    row("onto itself", {"convert", at("copy.tns"), at("copy.tns")}, 2, "used by the same command already");
    row("onto itself otherwise", {"convert", at("copy.tns"), m_folder.path() + "/./copy.tns"}, 2, "used by the same command already");
    row("header of HDF5", {"convert", at("copy.tns"), at("x.h5"), "--header", "parti"}, 2, "only .tns files have such a header");
    row("text ending", {"convert", at("copy.tns"), at("x.txt")}, 2, ".tns");
    row("model as text", {"run", sample(), "--output", at("x.txt")}, 2, "models are written as HDF5 files");
    row("unwritable ending", {"convert", sample(), at("x.docx")}, 2, ".tns");
    row("unknown list", {"list", "colours"}, 2, "colours");
    row("bench nothing", {"bench"}, 2, "");
}

void TestCliTools::refusalsAreOneSentenceWithTheRightCode()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QByteArray, names);
    const Answer answer = polyad(arguments);
    COMPARE_CODE(answer, code);
    VERIFY_ONE_SENTENCE(answer);
    QVERIFY2(answer.err.contains(names), answer.all());
    QVERIFY2(answer.out.isEmpty(), answer.all());
}

void TestCliTools::infoDescribesTheSample()
{
    const Answer answer = polyad({"info", sample(), "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonObject info = answer.object();
    QCOMPARE(info["dims"].toArray(), (QJsonArray{220, 223, 24}));
    QCOMPARE(info["nnz"].toInt(), 12409);
    QCOMPARE(info["values"].toObject()["min"].toDouble(), 1.0);
    QCOMPARE(info["values"].toObject()["max"].toDouble(), 9.0);
    QCOMPARE(info["modes"].toArray()[0].toObject()["name"].toString(), QString("origin"));
    // Entries of the heaviest origin, counted by awk in the file: 661 at index 57, that is 56 from 0.
    const QJsonObject heaviest = info["modes"].toArray()[0].toObject()["heaviest"].toArray()[0].toObject();
    QCOMPARE(heaviest["index"].toInt(), 56);
    QCOMPARE(heaviest["entries"].toInt(), 661);
    QVERIFY(heaviest["label"].toString().startsWith("DFW"));
}

void TestCliTools::infoCountsAsPeopleDo()
{
    const Answer answer = polyad({"info", sample()});
    COMPARE_CODE(answer, 0);
    QVERIFY2(answer.out.contains("12,409"), answer.all());
    QVERIFY2(answer.out.contains("57 (DFW Dallas-Fort Worth, TX)"), answer.all());
}

void TestCliTools::valuesThatBecomeZeroAreTold()
{
    QVERIFY(writeFile(at("tiny.tns"), "1 1 1e-400\n2 2 -0.5e-999\n3 3 0e-400\n1 3 0.000\n3 1 2\n"));
    const Answer answer = polyad({"info", at("tiny.tns")});
    QVERIFY2((answer.out + answer.err).contains("2 values are too small for double precision. They were read as 0."), answer.all());
    QVERIFY(writeFile(at("small.tns"), "1 1 1e-300\n2 2 0\n"));
    const Answer small = polyad({"info", at("small.tns")});
    QVERIFY2(small.code == 0 && !(small.out + small.err).contains("too small for double"), small.all());
}

void TestCliTools::aTestOnTheTrainingFileIsTold()
{
    QVERIFY(QDir().mkpath(at("sub")));
    QVERIFY(writeFile(at("train.tns"), "1 1 1.5\n2 2 2\n3 1 0.5\n") && writeFile(at("other.tns"), "1 2 1\n"));
    const QStringList run{"run", at("train.tns"), "--device", "cpu", "--rank", "2", "--iterations", "1", "--test"};
    const Answer same = polyad(run + QStringList{at("sub/../train.tns")});
    QVERIFY2(same.code == 0 && same.err.contains("--test names the file that the run learns from."), same.all());
    const Answer sweep =
        polyad({"sweep", at("train.tns"), "--device", "cpu", "--ranks", "1,2", "--iterations", "1", "--test", at("train.tns")});
    QVERIFY2(sweep.code == 0 && sweep.err.contains("--test names the file that the run learns from."), sweep.all());
    const Answer other = polyad(run + QStringList{at("other.tns")});
    QVERIFY2(other.code == 0 && !other.err.contains("learns from"), other.all());
}

void TestCliTools::labelFilesThatAreMissingAreErrors()
{
    QVERIFY(writeFile(at("plain.tns"), "1 1 1.5\n2 2 2\n"));
    for (const QStringList& command : {QStringList{"info", at("plain.tns")}, QStringList{"run", at("plain.tns"), "--iterations", "1"},
                                       QStringList{"convert", at("plain.tns"), at("out.tns")}}) {
        const Answer answer = polyad(command + QStringList{"--labels", "1=" + at("nowhere.map")});
        COMPARE_CODE(answer, 3);
        VERIFY_ONE_SENTENCE(answer);
        QVERIFY2(answer.err.contains("nowhere.map: there is no such file"), answer.all());
    }
}

void TestCliTools::onlyValuesThatChangeAreCalledRounded()
{
    // Single precision as it is written: 0.1 is no float, but what a float prints is 0.1 again.
    QVERIFY(writeFile(at("single.tns"), "1 1 0.1\n2 2 0.33333334\n3 3 1e-05\n"));
    QVERIFY2(!polyad({"info", at("single.tns")}).out.contains("rounded"), "");
    QVERIFY(writeFile(at("double.tns"), "1 1 0.1\n2 2 0.333333333333\n"));
    const Answer answer = polyad({"info", at("double.tns")});
    QVERIFY2(answer.out.contains("1 value was rounded to single precision"), answer.all());
    const Answer converted = polyad({"convert", at("double.tns"), at("double.h5")});
    COMPARE_CODE(converted, 0);
    QVERIFY2(converted.err.contains("1 value was rounded to single precision") && converted.err.contains("--values fp64"), converted.all());
    QVERIFY(!polyad({"convert", at("double.tns"), at("whole.h5"), "--values", "fp64"}).err.contains("rounded"));
}

void TestCliTools::generateWritesWhatItWasAskedFor()
{
    COMPARE_CODE(polyad({"generate", "--dims", "50,40,30", "--nnz", "1e3", "--model", "cp", "--rank", "3", "--values", "1:5", "--round",
                         "-o", at("g.tns")}),
                 0);
    const QJsonObject info = polyad({"info", at("g.tns"), "--dims", "50,40,30", "--json"}).object();
    QCOMPARE(info["nnz"].toInt(), 1000);
    QCOMPARE(info["dims"].toArray(), (QJsonArray{50, 40, 30}));
    const QJsonObject values = info["values"].toObject();
    QVERIFY(values["whole"].toBool());
    QVERIFY(values["min"].toDouble() >= 1 && values["max"].toDouble() <= 5);

    const QStringList drawn{"generate", "--dims", "50,40,30", "--nnz", "1e3", "--model", "cp", "--mean", "3", "-o", at("d.h5"), "--force"};
    COMPARE_CODE(polyad(drawn + QStringList{"--draw", "poisson"}), 0);
    const QStringList run{"run",      at("d.h5"), "--algorithm",     "ntf", "--rank", "2", "--iterations", "2",
                          "--device", "cpu",      "--test-fraction", "0",   "--param"};
    QVERIFY(polyad({"info", at("d.h5"), "--json"}).object()["values"].toObject()["whole"].toBool());
    COMPARE_CODE(polyad(run + QStringList{"divergence=kl"}), 0);
    COMPARE_CODE(polyad(drawn + QStringList{"--draw", "exponential"}), 0);
    QVERIFY(polyad({"info", at("d.h5"), "--json"}).object()["values"].toObject()["min"].toDouble() > 0);
    COMPARE_CODE(polyad(run + QStringList{"divergence=is"}), 0);
}

void TestCliTools::textThatCannotHoldTheSizesSaysSo()
{
    const QStringList generate{"generate", "--dims", "500,400,1", "--nnz", "20", "-o"};
    const Answer plain = polyad(generate + QStringList{at("sizes.tns")});
    COMPARE_CODE(plain, 0);
    VERIFY_ONE_SENTENCE(plain);
    const QJsonArray dims = polyad({"info", at("sizes.tns"), "--json"}).object()["dims"].toArray();
    QVERIFY(dims[0].toInt() < 500 && dims[1].toInt() < 400);
    const QString sizes = QString("%1 x %2 x 1 in place of 500 x 400 x 1").arg(dims[0].toInt()).arg(dims[1].toInt());
    QVERIFY2(plain.err.contains(at("sizes.tns").toUtf8() + ": ") && plain.err.contains(sizes.toUtf8())
                 && plain.err.contains("--header parti"),
             plain.all());
    const Answer headed = polyad(generate + QStringList{at("sizes.tns"), "--force", "--header", "parti"});
    COMPARE_CODE(headed, 0);
    QVERIFY2(headed.err.isEmpty(), headed.all());
    QCOMPARE(polyad({"info", at("sizes.tns"), "--json"}).object()["dims"].toArray(), (QJsonArray{500, 400, 1}));
}

void TestCliTools::generateIsRepeatable()
{
    const QStringList arguments{"generate", "--dims", "50,40,30", "--nnz", "500", "--seed", "9", "--skew", "zipf:1.0:20", "-o"};
    COMPARE_CODE(polyad(arguments + QStringList{at("a.tns")}), 0);
    COMPARE_CODE(polyad(arguments + QStringList{at("b.tns")}), 0);
    QFile a(at("a.tns")), b(at("b.tns"));
    QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
    const QByteArray text = a.readAll();
    QCOMPARE(text.count('\n'), 500);
    QCOMPARE(text, b.readAll());
}

void TestCliTools::aPresetIsWrittenWithItsTestPart()
{
    const Answer answer = polyad({"generate", "--preset", "netflix-like", "--scale", "0.0001", "-o", at("n.h5")});
    COMPARE_CODE(answer, 0);
    QVERIFY2(QFileInfo::exists(at("n.test.h5")), answer.all());
    const QJsonObject whole = polyad({"info", at("n.h5"), "--json"}).object();
    const QJsonObject test = polyad({"info", at("n.test.h5"), "--json"}).object();
    QCOMPARE(whole["dims"].toArray(), (QJsonArray{480189, 17770, 2182}));
    QCOMPARE(test["dims"].toArray(), whole["dims"].toArray());
    // 99,072,112 and 1,408,395 times 0.0001; an index drawn twice is written once.
    QVERIFY(whole["nnz"].toInt() > 9800 && whole["nnz"].toInt() <= 9908);
    QVERIFY(test["nnz"].toInt() > 130 && test["nnz"].toInt() <= 141);
}

void TestCliTools::convertKeepsEveryEntry()
{
    COMPARE_CODE(polyad({"convert", sample(), at("f.h5")}), 0);
    COMPARE_CODE(polyad({"convert", at("f.h5"), at("f.tns")}), 0);
    QFile original(sample()), back(at("f.tns"));
    QVERIFY(original.open(QIODevice::ReadOnly) && back.open(QIODevice::ReadOnly));
    QCOMPARE(back.readAll(), original.readAll()); // the sample is sorted, 1-based and has whole values
    const QJsonObject labelled = polyad({"info", at("f.h5"), "--json"}).object()["modes"].toArray()[0].toObject();
    QCOMPARE(labelled["labels"].toBool(), true);
    QCOMPARE(labelled["name"].toString(), QString("origin"));
}

void TestCliTools::readOptionsDecideWhatIsRead()
{
    QVERIFY(writeFile(at("d.tns"), "1 1 2\n1 1 4\n2 3 0\n"));
    const auto values = [&](const QStringList& options) { return polyad(QStringList{"info", at("d.tns"), "--json"} + options).object(); };
    QCOMPARE(values({})["nnz"].toInt(), 2);
    QCOMPARE(values({})["values"].toObject()["max"].toDouble(), 6.0);
    QCOMPARE(values({"--duplicates", "mean"})["values"].toObject()["max"].toDouble(), 3.0);
    QCOMPARE(values({"--duplicates", "last"})["values"].toObject()["max"].toDouble(), 4.0);
    QCOMPARE(values({"--duplicates", "max"})["values"].toObject()["max"].toDouble(), 4.0);
    QCOMPARE(values({"--duplicates", "keep"})["nnz"].toInt(), 3);
    QCOMPARE(values({"--zeros", "drop"})["nnz"].toInt(), 1);
    QCOMPARE(values({"--dims", "5,6"})["dims"].toArray(), (QJsonArray{5, 6}));
    QCOMPARE(values({"--index-base", "0"})["dims"].toArray(), (QJsonArray{3, 4}));
    COMPARE_CODE(polyad({"info", at("d.tns"), "--duplicates", "error"}), 3);
    QVERIFY(writeFile(at("things.txt"), "one\ntwo\nthree\n"));
    const QJsonObject things =
        values({"--mode-name", "2=many things", "--labels", "2=" + at("things.txt")})["modes"].toArray()[1].toObject();
    QCOMPARE(things["name"].toString(), QString("many things"));
    QCOMPARE(things["labels"].toBool(), true);
    QCOMPARE(things["label_file"].toString(), QString("things.txt"));
    const Answer info = polyad({"info", at("d.tns"), "--labels", "2=" + at("things.txt")});
    QVERIFY2(info.out.contains("Labels of mode 2: things.txt."), info.all());
    QVERIFY2(polyad({"info", sample()}).out.contains("Labels of origin: mode-1-origin.map."), info.all());
    const Answer other = polyad({"info", at("d.tns"), "--labels", "1=" + at("things.txt")});
    COMPARE_CODE(other, 3);
    QVERIFY2(other.err.contains("things.txt: has more labels than the mode has indices"), other.all());
    COMPARE_CODE(polyad({"info", "preset:netflix-like:0.0001", "--labels", "1=" + at("things.txt")}), 3);
    COMPARE_CODE(polyad({"info", at("d.tns"), "--mode-name", "things"}), 2);
    COMPARE_CODE(polyad({"info", at("d.tns"), "--mode-name", "0=things"}), 2);
    COMPARE_CODE(polyad({"info", at("d.tns"), "--dims", "2,2"}), 3);
}

void TestCliTools::listsAreValidJson_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("key");
    QTest::newRow("algorithms") << "algorithms"
                                << "";
    QTest::newRow("formats") << "formats"
                             << "tensor_formats";
    QTest::newRow("devices") << "devices"
                             << "devices";
    QTest::newRow("presets") << "presets"
                             << "tensor_presets";
}

void TestCliTools::listsAreValidJson()
{
    QFETCH(QString, what);
    QFETCH(QString, key);
    const Answer answer = polyad({"list", what, "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonArray items = key.isEmpty() ? answer.array() : answer.object()[key].toArray();
    QVERIFY2(!items.isEmpty(), answer.all());
    QVERIFY(!items[0].toObject()["id"].toString().isEmpty());
    const Answer text = polyad({"list", what});
    COMPARE_CODE(text, 0);
    QVERIFY(text.out.contains(items[0].toObject()["id"].toString().toUtf8()));
}

void TestCliTools::oneAlgorithmIsListedAlone()
{
    const Answer text = polyad({"list", "algorithms", "fastertucker"});
    COMPARE_CODE(text, 0);
    for (const char* part : {"fastertucker: FasterTucker", "bcsf-reuse", "learning-rate-a", "0 to 1000000", "paper-full", "cpu: fp64 fp32",
                             "Only with deterministic=true."})
        QVERIFY2(text.out.contains(part), text.all());
    QVERIFY2(!text.out.contains("FastTuckerPlus (cuFastTuckerPlus)"), text.all());
    QCOMPARE(polyad({"list", "algorithms", "cuFasterTucker_COO"}).out, text.out);
    const Answer json = polyad({"list", "algorithms", "fastertucker", "--json"});
    COMPARE_CODE(json, 0);
    QCOMPARE(json.object()["id"].toString(), QString("fastertucker"));
    for (const QJsonValue& all : polyad({"list", "algorithms", "--json"}).array())
        if (all.toObject()["id"] == json.object()["id"])
            QVERIFY(all.toObject() == json.object());
}

void TestCliTools::theSupportMatrixGivesReasons()
{
    const QJsonArray algorithms = polyad({"list", "algorithms", "--json"}).array();
    for (const QJsonValue& cell : algorithms[0].toObject()["support"].toArray()) {
        const QJsonObject object = cell.toObject();
        QCOMPARE(object["supported"].toBool(), object["reason"].toString().isEmpty());
    }
    const QStringList keys = polyad({"list", "--json"}).object().keys();
    QCOMPARE(keys, (QStringList{"algorithms", "devices", "formats", "presets"}));
}

void TestCliTools::formatsTellTheirSizeAndWhoTakesThem()
{
    const Answer answer = polyad({"info", sample(), "--json"});
    COMPARE_CODE(answer, 0);
    const Answer text = polyad({"info", sample()});
    QMap<QString, double> most, onGpu;
    for (const QJsonValue& format : answer.object()["formats"].toArray()) {
        most[format.toObject()["id"].toString()] = format.toObject()["most_bytes"].toDouble();
        if (format.toObject().contains("most_bytes_on_gpu"))
            onGpu[format.toObject()["id"].toString()] = format.toObject()["most_bytes_on_gpu"].toDouble();
        QVERIFY2(text.out.contains("\n" + format.toObject()["id"].toString().toUtf8() + ' '), text.all());
    }
    QCOMPARE(most["coo"], answer.object()["memory_bytes"].toDouble());
    QVERIFY(most["csf"] > most["coo"] && most["csf"] < 9 * most["coo"]); // three trees of two levels above their leaves
    QVERIFY(most["bcsf"] > most["csf"]);
    QCOMPARE(onGpu.keys(), most.keys());
    QVERIFY(onGpu["coo"] == most["coo"] && onGpu["runs"] > most["coo"] && onGpu["blco"] > 0);

    QMap<QString, QJsonArray> takenBy;
    for (const QJsonValue& format : polyad({"list", "formats", "--json"}).object()["tensor_formats"].toArray())
        takenBy[format.toObject()["id"].toString()] = format.toObject()["algorithms"].toArray();
    QCOMPARE(takenBy.keys(), most.keys());
    QVERIFY(takenBy["coo"].contains("fasttucker-plus"));
}

/// Round the circle of all formats that keep a tensor as it is; the last file equals the first.
void TestCliTools::everyFormatIsConvertedToEveryOther()
{
    COMPARE_CODE(polyad({"generate", "--dims", "30,20,10", "--nnz", "500", "-o", at("0.h5")}), 0);
    const QStringList endings{"h5", "ttx", "bin", "sptn", "ttx.gz", "alto.bin", "tns.gz"};
    QString from = at("0.h5");
    for (int i = 0; i < endings.size(); ++i) {
        const QString to = at(qPrintable(QStringLiteral("%1.%2").arg(i + 1).arg(endings[i])));
        COMPARE_CODE(polyad({"convert", from, to, "--dims", "30,20,10"}), 0);
        from = to;
    }
    COMPARE_CODE(polyad({"convert", at("0.h5"), at("first.tns"), "--header", "parti"}), 0);
    COMPARE_CODE(polyad({"convert", from, at("last.tns"), "--header", "parti"}), 0);
    QFile first(at("first.tns")), last(at("last.tns"));
    QVERIFY(first.open(QIODevice::ReadOnly) && last.open(QIODevice::ReadOnly));
    QCOMPARE(last.readAll(), first.readAll());
    const Answer dense = polyad({"convert", at("0.h5"), at("dense.tensor")});
    COMPARE_CODE(dense, 0);
    QVERIFY2(dense.err.contains("hold no entry and were written as 0"), dense.all());
    COMPARE_CODE(polyad({"convert", at("dense.tensor"), at("sparse.tns"), "--zeros", "drop", "--header", "parti"}), 0);
    QFile sparse(at("sparse.tns"));
    QVERIFY(sparse.open(QIODevice::ReadOnly) && first.seek(0));
    QCOMPARE(sparse.readAll(), first.readAll());
    const Answer list = polyad({"list", "formats"});
    for (const char* id : {"tensor-market", "dense-text", "splatt", "alto", "sptn", "dntn"})
        QVERIFY2(list.out.contains(id), list.all());
}

void TestCliTools::modelsAreExported()
{
    COMPARE_CODE(polyad({"run", sample(), "--rank", "3", "--iterations", "2", "--output", at("m.h5"), "--progress", "none"}), 0);
    COMPARE_CODE(polyad({"export", at("m.h5"), at("m.npz")}), 0);
    QVERIFY(QFileInfo(at("m.npz")).size() > 1000);
    const Answer tables = polyad({"export", at("m.h5"), at("tables"), "--to", "csv"});
    COMPARE_CODE(tables, 0);
    QCOMPARE(tables.out.count("wrote "), 7); // three factors, three core factors, the metrics
    QVERIFY(QFileInfo::exists(at("tables/factor_0.csv")));
    COMPARE_CODE(polyad({"export", at("m.h5"), at("m.core.tensor")}), 0);
    QVERIFY(QFileInfo::exists(at("m.factor_2.csv")));
    COMPARE_CODE(polyad({"export", at("m.h5"), at("history.csv")}), 0);
    const Answer refused = polyad({"export", at("m.h5"), at("m.ktensor")});
    COMPARE_CODE(refused, 2);
    VERIFY_ONE_SENTENCE(refused);
    const Answer itself = polyad({"export", at("m.h5"), at("m.h5")});
    COMPARE_CODE(itself, 2);
    QVERIFY2(itself.err.contains("would overwrite the model it is made from"), itself.all());
}

/// A model of one component: x = 2 · a_i · b_j.
void TestCliTools::ktensorsAreModels()
{
    QVERIFY(writeFile(at("cp.ktensor"), "ktensor\n2\n3 2\n1\n2\nmatrix\n2\n3 1\n1\n2\n3\nmatrix\n2\n2 1\n10\n-1\n"));
    QVERIFY(writeFile(at("cp.tns"), "1 1 20\n3 2 -7\n"));
    const QJsonObject judged = polyad({"evaluate", at("cp.ktensor"), at("cp.tns"), "--json"}).object();
    QCOMPARE(judged["rmse"].toDouble(), std::sqrt(0.5)); // errors 0 and 1
    QCOMPARE(polyad({"predict", at("cp.ktensor"), "--index", "2,1", "--json"}).object()["value"].toDouble(), 40.0);
    const Answer info = polyad({"info", at("cp.ktensor")});
    COMPARE_CODE(info, 0);
    QVERIFY2(info.out.contains("cp model of a 3 x 2 tensor, rank 1\n") && info.out.contains("nothing is known of its run"), info.all());
    QCOMPARE(polyad({"info", at("cp.ktensor"), "--json"}).object()["model"].toString(), QString("cp"));
    COMPARE_CODE(polyad({"export", at("cp.ktensor"), at("cp.h5")}), 0);
    QCOMPARE(polyad({"predict", at("cp.h5"), "--index", "3,2", "--json"}).object()["value"].toDouble(), -6.0);
    COMPARE_CODE(polyad({"export", at("cp.h5"), at("again.ktensor")}), 0);
    COMPARE_CODE(polyad({"export", at("cp.h5"), at("splatt"), "--to", "splatt"}), 0);
    COMPARE_CODE(polyad({"info", at("cp.h5")}), 0);
}

QTEST_GUILESS_MAIN(TestCliTools)
#include "tst_cli_tools.moc"
