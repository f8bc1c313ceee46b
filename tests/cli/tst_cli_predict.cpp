// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/file_format.h"
#include "io/model_file.h"
#include "support/temporary_files.h"

#include <QDir>
#include <QTemporaryDir>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

using namespace cli_test;

/// Asking a model.
class TestCliPredict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void predictTakesIndicesAndLabels();
    void aLabelWinsOverAnIndex();
    void topPredictionsAreSorted();
    void aFileOfIndicesIsPredicted();
    void anEmptyFileIsToldOf();
    void filesThatCountFromZeroAreCountedSo();

private:
    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QString m_model;
};

void TestCliPredict::initTestCase()
{
    m_model = at("model.h5");
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--rank", "6,5,4", "--core-rank", "3", "--iterations", "12", "--tolerance",
                         "0", "--seed", "7", "--output", m_model}),
                 0);
}

void TestCliPredict::predictTakesIndicesAndLabels()
{
    const Answer byNumber = polyad({"predict", m_model, "--index", "1,3,9", "--json"});
    COMPARE_CODE(byNumber, 0);
    QCOMPARE(byNumber.object()["index"].toArray(), (QJsonArray{0, 2, 8}));
    const double expected = kernels::Predictor(io::readModel(m_model.toStdString()).model)(std::vector<kernels::Index>{0, 2, 8});
    QVERIFY(std::abs(byNumber.object()["value"].toDouble() - expected) < 1e-12);
    // Labels: whole, or their first words; separately where they hold commas.
    for (const QStringList& arguments :
         {QStringList{"--index", "ABE,ABQ,08:00"}, QStringList{"--index", "ABE Allentown, PA", "--index", "3", "--index", "08:00"},
          QStringList{"--index", "\"ABE Allentown, PA\",ABQ,#9"}}) {
        const Answer byLabel = polyad(QStringList{"predict", m_model, "--json"} + arguments);
        COMPARE_CODE(byLabel, 0);
        QCOMPARE(byLabel.object()["value"].toDouble(), byNumber.object()["value"].toDouble());
        QCOMPARE(byLabel.object()["text"].toArray()[0].toString(), QStringLiteral("ABE Allentown, PA"));
        QVERIFY2(byLabel.err.isEmpty(), byLabel.all());
    }
    for (const char* bad : {"1,3", "0,3,9", "221,3,9", "XYZ,3,9", "1,3,9,1", "-1,3,9", "1,,9", "#0,3,9", "#221,3,9", "\"ABE,3,9"}) {
        const Answer answer = polyad({"predict", m_model, "--index", bad});
        COMPARE_CODE(answer, 2);
        VERIFY_ONE_SENTENCE(answer);
    }
}

/// Flights of New York by hour, from 5 to 23: "9" once silently meant the ninth of them, 13.
void TestCliPredict::aLabelWinsOverAnIndex()
{
    QVERIFY(QDir().mkpath(at("nyc")));
    QByteArray hours, entries;
    for (int hour = 5; hour <= 23; ++hour)
        hours += QByteArray::number(hour) + '\n';
    for (int e = 0; e < 400; ++e)
        entries += QByteArray::number(e % 3 + 1) + ' ' + QByteArray::number(e % 2 + 1) + ' ' + QByteArray::number(e % 19 + 1) + ' '
            + QByteArray::number(e * 5 % 12 + 1) + ' ' + QByteArray::number(e % 7 + e % 3) + '\n';
    QVERIFY(writeFile(at("nyc/flights.tns"), entries) && writeFile(at("nyc/mode-1-origin.map"), "EWR\nJFK\nLGA\n")
            && writeFile(at("nyc/mode-2-dest.map"), "ALB\nATL\n") && writeFile(at("nyc/mode-3-hour.map"), hours)
            && writeFile(at("nyc/mode-4-month.map"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"));
    const QString model = at("nyc.h5");
    COMPARE_CODE(polyad({"run", at("nyc/flights.tns"), "--algorithm", "cp-als", "--rank", "2", "--iterations", "3", "-o", model}), 0);
    const Answer nine = polyad({"predict", model, "--index", "EWR,ALB,9,6", "--json"});
    COMPARE_CODE(nine, 0);
    QCOMPARE(nine.object()["index"].toArray(), (QJsonArray{0, 0, 4, 5}));
    QCOMPARE(nine.object()["text"].toArray(), (QJsonArray{"EWR", "ALB", "9", "6"}));
    QVERIFY2(nine.err.count('\n') == 1 && nine.err.contains("was read as the label in mode 3 (hour), which has index 5"), nine.all());
    const Answer ninth = polyad({"predict", model, "--index", "EWR,ALB,#9,6", "--json"});
    QCOMPARE(ninth.object()["index"].toArray(), (QJsonArray{0, 0, 8, 5}));
    QVERIFY2(ninth.err.isEmpty() && ninth.object()["value"] != nine.object()["value"], ninth.all());
    const Answer four = polyad({"predict", model, "--index", "EWR,ALB,4,6"});
    COMPARE_CODE(four, 2);
    QVERIFY2(four.err.contains("Write #4 to mean index 4") && four.out.isEmpty(), four.all());
    // Along a mode, and in files, the same.
    const Answer best = polyad({"predict", model, "--index", "EWR,*,9,6", "--json"});
    QCOMPARE(best.array()[0].toObject()["index"].toArray()[2].toInt(), 4);
    QVERIFY2(best.err.contains("Write #9 to mean index 9"), best.all());
    QVERIFY(writeFile(at("nyc.txt"), "EWR ALB 9 6\n#1 \"ALB\" #9 #6\nJFK ATL 10 6\n"));
    const Answer file = polyad({"predict", model, "--file", at("nyc.txt")});
    COMPARE_CODE(file, 0);
    const QList<QByteArray> lines = file.out.split('\n');
    QCOMPARE(lines[0].split(' ').last().toDouble(), nine.object()["value"].toDouble());
    QCOMPARE(lines[1].split(' ').last().toDouble(), ninth.object()["value"].toDouble());
    QVERIFY2(file.err.count('\n') == 1 && file.err.contains("2 items are both a label and another index"), file.all());
    // What comes out can be asked again.
    QVERIFY(writeFile(at("again.txt"), file.out));
    QCOMPARE(polyad({"predict", model, "--file", at("again.txt")}).out, file.out);
}

void TestCliPredict::topPredictionsAreSorted()
{
    const Answer answer = polyad({"predict", m_model, "--index", "ABE,*,9", "--top", "5", "--json"});
    COMPARE_CODE(answer, 0);
    const QJsonArray list = answer.array();
    QCOMPARE(list.size(), 5);
    for (int i = 1; i < 5; ++i)
        QVERIFY(list[i].toObject()["value"].toDouble() <= list[i - 1].toObject()["value"].toDouble());
    // The first is the largest of all 223.
    const io::ModelFile file = io::readModel(m_model.toStdString());
    const kernels::Predictor predict(file.model);
    double largest = -1e300;
    for (kernels::Index j = 0; j < 223; ++j)
        largest = std::max(largest, predict(std::vector<kernels::Index>{0, j, 8}));
    QVERIFY(std::abs(list[0].toObject()["value"].toDouble() - largest) < 1e-9);
    const Answer two = polyad({"predict", m_model, "--index", "*,*,9"});
    COMPARE_CODE(two, 2);
    QVERIFY2(two.err.contains("found 2 of them"), two.all());
    const Answer elsewhere = polyad({"predict", m_model, "--index", "*,1,9", "--free", "2"});
    COMPARE_CODE(elsewhere, 2);
    QVERIFY2(elsewhere.err.contains("* at mode 1 and --free 2"), elsewhere.all());
    // What the tensor has an entry for is left out, and nothing else.
    const QJsonArray all = polyad({"predict", m_model, "--index", "ORD,*,17:00", "--top", "223", "--json"}).array();
    const Answer fresh = polyad({"predict", m_model, "--index", "ORD,*,17:00", "--top", "223", "--json", "--new-only", sample()});
    COMPARE_CODE(fresh, 0);
    kernels::Progress progress;
    const kernels::SparseTensor flights = io::readTensor(sample().toStdString(), {}, progress).tensor;
    const kernels::Index origin =
        static_cast<kernels::Index>(polyad({"predict", m_model, "--index", "ORD,1,1", "--json"}).object()["index"].toArray()[0].toInt());
    std::set<int> known;
    for (kernels::Count e = 0; e < flights.entries(); ++e)
        if (flights.indices[0][e] == origin && flights.modes[2].labels[flights.indices[2][e]] == "17:00")
            known.insert(static_cast<int>(flights.indices[1][e]));
    QVERIFY(known.size() > 3);
    QJsonArray expected;
    for (const QJsonValue& each : all)
        if (!known.contains(each.toObject()["index"].toArray()[1].toInt()))
            expected.append(each);
    QCOMPARE(fresh.array(), expected);
    const Answer whole = polyad({"predict", m_model, "--index", "1,3,9", "--new-only", sample()});
    COMPARE_CODE(whole, 2);
    VERIFY_ONE_SENTENCE(whole);
    const Answer named = polyad({"predict", m_model, "--index", "ABE,1,9", "--top", "5", "--free", "destination", "--json"});
    QCOMPARE(named.out, answer.out);
    COMPARE_CODE(polyad({"predict", m_model, "--index", "1,1,9", "--top", "5"}), 2);
    COMPARE_CODE(polyad({"predict", m_model, "--index", "1,1,9", "--top", "5", "--free", "4"}), 2);
}

void TestCliPredict::aFileOfIndicesIsPredicted()
{
    QVERIFY(writeFile(at("q.txt"), "# origin destination hour\n1 3 9\n2,3,9\n\n1 3 9 4.5\n"));
    const Answer answer = polyad({"predict", m_model, "--file", at("q.txt"), "--output", at("a.txt")});
    COMPARE_CODE(answer, 0);
    QFile file(at("a.txt"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = file.readAll().split('\n');
    QCOMPARE(lines.size(), 4);
    QVERIFY(lines[0].startsWith("1 3 9 "));
    QVERIFY(lines[1].startsWith("2 3 9 "));
    QCOMPARE(lines[2], lines[0]);
    const double value = polyad({"predict", m_model, "--index", "1,3,9", "--json"}).object()["value"].toDouble();
    QCOMPARE(lines[0].split(' ').last().toDouble(), value);
    QCOMPARE(polyad({"predict", m_model, "--file", at("q.txt")}).out.split('\n')[0], lines[0]);
    QVERIFY(writeFile(at("q.txt.gz"), test::gzipped("1 3 9\n2,3,9\n")));
    QCOMPARE(polyad({"predict", m_model, "--file", at("q.txt.gz")}).out, lines[0] + '\n' + lines[1] + '\n');
    QVERIFY(writeFile(at("short.gz"), test::gzipped(QByteArray("1 3 9\n").repeated(1000)).chopped(12)));
    const Answer cut = polyad({"predict", m_model, "--file", at("short.gz"), "--output", at("none.txt")});
    COMPARE_CODE(cut, 3);
    VERIFY_ONE_SENTENCE(cut);
    QVERIFY(writeFile(at("bad.txt"), "1 3 9\n1 3\n"));
    // Labels, in double quotes where they hold blanks or commas; they come back as they were written.
    QVERIFY(writeFile(at("l.txt"), "ABE\tABQ 08:00\n\"ABE Allentown, PA\",ABQ,9\n"));
    const QList<QByteArray> labelled = polyad({"predict", m_model, "--file", at("l.txt")}).out.split('\n');
    QCOMPARE(labelled[0], "ABE ABQ 08:00 " + lines[0].split(' ').last());
    QCOMPARE(labelled[1], "\"ABE Allentown, PA\" ABQ 9 " + lines[0].split(' ').last());
    QVERIFY(writeFile(at("open.txt"), "1 3 9\n\"ABE Allentown ABQ 9\n"));
    const Answer open = polyad({"predict", m_model, "--file", at("open.txt")});
    COMPARE_CODE(open, 3);
    QVERIFY2(open.err.contains("line 2") && open.err.contains("quotation mark"), open.all());
    COMPARE_CODE(polyad({"predict", m_model, "--file", m_folder.path()}), 3);
    const Answer bad = polyad({"predict", m_model, "--file", at("bad.txt"), "--output", at("none.txt")});
    COMPARE_CODE(bad, 3);
    VERIFY_ONE_SENTENCE(bad);
    QVERIFY2(bad.err.contains("line 2"), bad.all());
    QVERIFY(QDir(m_folder.path()).entryList({"none*", ".none*"}, QDir::Files | QDir::Hidden).isEmpty());
}

/// Where the run's file counts from 0, so do queries and other tensors, though none of their own indices tells.
void TestCliPredict::filesThatCountFromZeroAreCountedSo()
{
    QByteArray zero, one, testZero, testOne;
    for (int e = 0; e < 600; ++e) {
        const int i = e % 20, j = e * 7 % 15, k = e * 3 % 10;
        const QByteArray value = QByteArray::number((i * 5 + j * 3 + k) % 7 + 1);
        const auto line = [&](int first) {
            return QByteArray::number(i + first) + ' ' + QByteArray::number(j + first) + ' ' + QByteArray::number(k + first) + ' ' + value
                + '\n';
        };
        zero += line(0);
        one += line(1);
        if (i > 0 && j > 0 && k > 0 && testZero.size() < 500) {
            testZero += line(0);
            testOne += line(1);
        }
    }
    for (const auto& [name, text] :
         {std::pair{"zero.tns", &zero}, {"one.tns", &one}, {"test-zero.tns", &testZero}, {"test-one.tns", &testOne}})
        QVERIFY(writeFile(at(name), *text));
    for (const char* name : {"zero", "one"})
        COMPARE_CODE(polyad({"run", at((QByteArray(name) + ".tns").constData()), "--algorithm", "cp-als", "--rank", "3", "--iterations",
                             "3", "--output", at((QByteArray(name) + ".h5").constData())}),
                     0);
    const auto both = [this](const QStringList& zeroArguments, const QStringList& oneArguments) {
        const Answer byZero = polyad(zeroArguments), byOne = polyad(oneArguments);
        return byZero.code == 0 && byOne.code == 0 ? std::pair{byZero.out, byOne.out} : std::pair{byZero.all(), byOne.all() + "failed"};
    };
    const auto figures = [](const QByteArray& out) { return QString::fromUtf8(out).section(QStringLiteral("RMSE"), 1); };
    const auto evaluated = both({"evaluate", at("zero.h5"), at("test-zero.tns")}, {"evaluate", at("one.h5"), at("test-one.tns")});
    QVERIFY2(!figures(evaluated.first).isEmpty(), evaluated.first.constData());
    QCOMPARE(figures(evaluated.first), figures(evaluated.second));
    const auto value = [](const QByteArray& line) { return line.trimmed().split(' ').last(); };
    QVERIFY(writeFile(at("q-zero.txt"), "4 5 6\n"));
    QVERIFY(writeFile(at("q-one.txt"), "5 6 7\n"));
    const auto lines = both({"predict", at("zero.h5"), "--file", at("q-zero.txt")}, {"predict", at("one.h5"), "--file", at("q-one.txt")});
    QVERIFY2(lines.first.startsWith("4 5 6 "), lines.first.constData());
    QCOMPARE(value(lines.first), value(lines.second));
    // One index after another, as everywhere on the command line, from 1.
    const auto single =
        both({"predict", at("zero.h5"), "--index", "1,6,7", "--json"}, {"predict", at("one.h5"), "--index", "1,6,7", "--json"});
    QCOMPARE(single.first, single.second);
    const auto known = both({"predict", at("zero.h5"), "--index", "5,*,7", "--top", "15", "--new-only", at("test-zero.tns")},
                            {"predict", at("one.h5"), "--index", "5,*,7", "--top", "15", "--new-only", at("test-one.tns")});
    QCOMPARE(known.first, known.second);
    // What says itself, or shows, that it counts from 1 is believed.
    QVERIFY(writeFile(at("said.tns"),
                      "sptensor indices-start-at-one\n3\n20 15 10\n" + QByteArray::number(testOne.count('\n')) + "\n" + testOne));
    QCOMPARE(figures(polyad({"evaluate", at("zero.h5"), at("said.tns")}).out), figures(evaluated.second));
    // By mode: only what tells as much as the model's own file did.
    COMPARE_CODE(polyad({"run", at("zero.tns"), "--index-base", "per-mode", "--algorithm", "cp-als", "--rank", "3", "--iterations", "3",
                         "--output", at("modes.h5")}),
                 0);
    QCOMPARE(figures(polyad({"evaluate", at("modes.h5"), at("zero.tns")}).out),
             figures(polyad({"evaluate", at("zero.h5"), at("zero.tns")}).out));
    const Answer untold = polyad({"evaluate", at("modes.h5"), at("test-zero.tns")});
    COMPARE_CODE(untold, 3);
    QVERIFY2(untold.err.contains("nothing tells"), untold.all());
    const Answer tested =
        polyad({"run", at("zero.tns"), "--index-base", "per-mode", "--rank", "3", "--iterations", "1", "--test", at("test-zero.tns")});
    COMPARE_CODE(tested, 3);
    QVERIFY2(tested.err.contains("nothing tells"), tested.all());
}

void TestCliPredict::anEmptyFileIsToldOf()
{
    QVERIFY(writeFile(at("empty.txt"), "# nothing yet\n\n"));
    const Answer answer = polyad({"predict", m_model, "--file", at("empty.txt")});
    COMPARE_CODE(answer, 0);
    QVERIFY2(answer.out.isEmpty() && answer.err.contains("holds no indices"), answer.all());
}

QTEST_GUILESS_MAIN(TestCliPredict)
#include "tst_cli_predict.moc"
