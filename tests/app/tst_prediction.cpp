// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/background_job.h"
#include "app/label_text.h"
#include "app/predict_file.h"
#include "app/predict_table.h"
#include "app/run_entries.h"
#include "io/error.h"
#include "kernels/tensor/sort.h"
#include "kernels/tensor/split.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <fmt/format.h>

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

using namespace app;

/// What window and command line ask a model with: indices as text, files of them, the entries a run knew, and steps on threads.
class TestPrediction : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersAndLabelsAreRead();
    void labelsWinOverIndices();
    void whatIsWrittenIsReadBack();
    void listsAreSplitOutsideQuotes();
    void filesSayWhatElseWasMeant();
    void preparedReadersAgreeWithWalking();
    void filesArePredictedCompletelyOrNotAtAll();
    void badLinesSayWhatIsWrong_data();
    void badLinesSayWhatIsWrong();
    void tablesArePredictedByTheirRecipe();
    void linesAreToldFromTables_data();
    void linesAreToldFromTables();
    void predictionsAreWrittenAsTheTableIs();
    void numbersOutsideOfAllBinsAreCounted();
    void aFileIsNeverWrittenOver();
    void aCancelledFileLeavesNothing();
    void aRunsEntriesAreFoundInEverySplit_data();
    void aRunsEntriesAreFoundInEverySplit();
    void residualsHaveTheRunsErrors();
    void onlyTheNewestTaskCounts();
    void aTaskTellsHowItEnded();
    void aTaskThatStopsItselfDoesNotFinish();

private:
    static std::vector<kernels::Mode> modes();
    test::TemporaryFiles m_files;
};

std::vector<kernels::Mode> TestPrediction::modes()
{
    return {{4, "airport", {"ORD Chicago, IL", "ORL Orlando", "ORL2 Orlando Exec", "ATL Atlanta"}},
            {5, "", {}},
            {3, "year", {"2003", "2004", "1"}}};
}

void TestPrediction::numbersAndLabelsAreRead()
{
    const std::vector<kernels::Index> dims{4, 5, 3};
    const std::vector<kernels::Mode> named = modes();
    const IndexReader reader(dims, named);
    QCOMPARE(reader.one(0, "2"), kernels::Index{1});
    QCOMPARE(reader.one(0, "ORD"), kernels::Index{0});
    QCOMPARE(reader.one(0, "ORD Chicago, IL"), kernels::Index{0});
    QCOMPARE(reader.one(0, "ORL2"), kernels::Index{2});
    QCOMPARE(reader.one(2, "2004"), kernels::Index{1}); // no such index, but a label
    QCOMPARE(reader.one(2, "1"), kernels::Index{2}); // a label first
    QCOMPARE(reader.one(2, "#1"), kernels::Index{0});
    QCOMPARE(reader.mode("year"), 2U);
    QCOMPARE(reader.text(0, 3), std::string("ATL Atlanta"));
    QCOMPARE(reader.text(1, 3), std::string("4"));
    QCOMPARE(reader.one(1, "#4"), kernels::Index{3});
    QCOMPARE(reader.mode("3"), 2U);
    const std::vector<kernels::Mode> numbered{{4, "2", {}}, {5, "", {}}, {3, "", {}}};
    QCOMPARE(IndexReader(dims, numbered).mode("2"), 0U); // a name first
    QCOMPARE(IndexReader(dims, numbered).mode("#2"), 1U);
    for (const char* wrong : {"", "0", "5", "OR", "ord", "ORD Chicago, I", "-1", "1.0", "#", "#0", "#5", "##1"})
        QVERIFY_EXCEPTION_THROWN(reader.one(0, wrong), kernels::Error);
    QVERIFY_EXCEPTION_THROWN(reader.one(1, "ORD"), kernels::Error);
}

/// Hours of flights: "9" is the hour, not the ninth hour there is, which is 13.
void TestPrediction::labelsWinOverIndices()
{
    std::vector<kernels::Mode> named{{19, "hour", {}}, {4, "film", {"Heat", "300", "Up", "Her"}}, {3, "shift", {"5 AM", "6 AM", "7 AM"}}};
    for (int hour = 5; hour <= 23; ++hour)
        named[0].labels.push_back(std::to_string(hour));
    const std::vector<kernels::Index> dims{19, 4, 3};
    const auto doubtOf = [&](const IndexReader& reader, unsigned mode, const char* text) { return reader.meaning(mode, text).doubt; };
    const auto refusal = [&](const IndexReader& reader, unsigned mode, const char* text) {
        return QString::fromStdString(test::sentenceOf([&] { reader.one(mode, text); }));
    };
    IndexReader prepared(dims, named), fromZero(dims, named, {0, 0, 0});
    prepared.prepareForMany();
    for (const IndexReader& reader : {IndexReader(dims, named), prepared}) {
        QCOMPARE(reader.one(0, "9"), kernels::Index{4});
        QCOMPARE(reader.one(0, "#9"), kernels::Index{8});
        QCOMPARE(doubtOf(reader, 0, "9"), IndexReader::Doubt::AlsoIndex);
        QCOMPARE(doubtOf(reader, 0, "23"), IndexReader::Doubt::None); // there is no index 23
        QCOMPARE(doubtOf(reader, 0, "#9"), IndexReader::Doubt::None);
        QCOMPARE(reader.note(0, "9", reader.meaning(0, "9")),
                 std::string("\"9\" was read as the label in mode 1 (hour), which has index 5. Write #9 to mean index 9."));
        // A number that is no label of such a mode is no index either.
        QCOMPARE(refusal(reader, 0, "4"),
                 QStringLiteral(
                     "mode 1 (hour): there is no such label (found \"4\", expected a label, or #1 to #19). Write #4 to mean index 4."));
        QVERIFY2(refusal(reader, 0, "24").endsWith(QStringLiteral("or #1 to #19)")), qPrintable(refusal(reader, 0, "24")));
        QVERIFY2(refusal(reader, 2, "3").contains(QStringLiteral("Write #3")), qPrintable(refusal(reader, 2, "3"))); // 3 AM
        QCOMPARE(reader.one(2, "6"), kernels::Index{1});
        // Where few labels are numbers it is, and this is said.
        QCOMPARE(reader.one(1, "2"), kernels::Index{1});
        QCOMPARE(doubtOf(reader, 1, "2"), IndexReader::Doubt::FewNumbers);
        QVERIFY(reader.note(1, "2", reader.meaning(1, "2")).find("was read as index 2") != std::string::npos);
        QCOMPARE(reader.one(1, "300"), kernels::Index{1});
    }
    // What a person may have meant.
    QVERIFY2(refusal(prepared, 0, "05").endsWith(QStringLiteral(". Did you mean 5?")), qPrintable(refusal(prepared, 0, "05")));
    QCOMPARE(refusal(prepared, 1, "Haet"),
             QStringLiteral("mode 2 (film): there is no such label (found \"Haet\", expected 1 to 4, or a label). Did you mean Heat?"));
    QVERIFY2(!refusal(prepared, 1, "Alien").contains(QStringLiteral("Did you mean")), qPrintable(refusal(prepared, 1, "Alien")));
    QCOMPARE(fromZero.one(0, "9"), kernels::Index{4});
    QCOMPARE(fromZero.one(0, "#9"), kernels::Index{9});
    QCOMPARE(fromZero.one(0, "#0"), kernels::Index{0});
}

void TestPrediction::whatIsWrittenIsReadBack()
{
    const std::vector<std::string> labels{"plain", "ORD Chicago, IL", "say \"no\"", "#3",   "%",   "*",  "7",      "plain",
                                          "",      "two\nlines",      " blank ",    "a\tb", "x;y", "\"", "größer", "1"};
    const std::vector<kernels::Mode> named{{20, "m", labels}, {20, "", {}}}; // the last four have none
    const std::vector<kernels::Index> dims{20, 20};
    const IndexReader reader(dims, named);
    for (unsigned mode = 0; mode < 2; ++mode)
        for (kernels::Index i = 0; i < 20; ++i)
            for (const char* separators : {" \t,\r", ",", ";"}) {
                const std::string written = reader.written(mode, i);
                const std::vector<ListItem> items = listItems(written, separators);
                QCOMPARE(items.size(), std::size_t{1});
                QCOMPARE(items.front().written, std::string_view(written));
                QCOMPARE(reader.one(mode, items.front().text), i);
            }
    QCOMPARE(reader.written(0, 1), std::string("\"ORD Chicago, IL\""));
    QCOMPARE(reader.written(0, 7), std::string("#8")); // another is called the same
    QCOMPARE(reader.written(0, 17), std::string("#18"));
    QCOMPARE(reader.text(0, 17), std::string("#18"));
    QCOMPARE(reader.written(1, 17), std::string("18"));
}

void TestPrediction::listsAreSplitOutsideQuotes()
{
    const auto texts = [](const char* list, const char* separators) {
        QStringList parts;
        for (const ListItem& item : listItems(list, separators))
            parts += QString::fromStdString(item.text);
        return parts.join(u'|');
    };
    QCOMPARE(texts("EWR,\"Chicago, IL\",9", ","), QStringLiteral("EWR|Chicago, IL|9"));
    QCOMPARE(texts(" a , \"b \"\"c\"\"\" ,", ","), QStringLiteral("a|b \"c\"|"));
    QCOMPARE(texts("O\"Hare;\"\"", ";"), QStringLiteral("O\"Hare|"));
    QCOMPARE(texts("", ","), QString());
    QCOMPARE(listItems("\"*\",*", ",").front().quoted, true);
    QVERIFY(test::sentenceOf([] { listItems("\"a", ","); }).find("never closed") != std::string::npos);
    QVERIFY(test::sentenceOf([] { listItems("\"a\"b,c", ","); }).find("text follows a closing quotation mark") != std::string::npos);
}

void TestPrediction::filesSayWhatElseWasMeant()
{
    const std::vector<kernels::Mode> named{{3, "shop", {"say \"hi\"", "#1", "3"}}, {3, "year", {"2003", "2", "1"}}};
    const kernels::Model model = test::randomModel(kernels::ModelKind::Cp, {3, 3}, 3, 0, 1, true);
    IndexReader reader(model.dims, named);
    kernels::Progress progress;
    std::string text;
    const auto predicted = [&](const QByteArray& lines) {
        text.clear();
        return predictLines(
            model, reader, m_files.write("doubts.txt", lines), [&](const std::string& more) { text += more; }, progress);
    };
    const Predicted clear = predicted("# 2 comments\n#\n#x\n\"say \"\"hi\"\"\" 2003\n#2 #1\n\"#1\",2\n#1 2\n");
    QCOMPARE(clear.lines, std::uint64_t{4});
    QVERIFY2(clear.notes.empty(), clear.notes.empty() ? "" : clear.notes.front().c_str());
    const QStringList lines = QString::fromStdString(text).split(u'\n');
    QVERIFY2(lines[0].startsWith(QStringLiteral("\"say \"\"hi\"\"\" 2003 ")), text.c_str());
    QVERIFY2(lines[1].startsWith(QStringLiteral("#2 #1 ")), text.c_str());
    const kernels::Predictor predict(model);
    const auto value = [&](int line) { return lines[line].split(u' ').last().toDouble(); };
    QCOMPARE(value(0), predict(std::vector<kernels::Index>{0, 0}));
    QCOMPARE(value(1), predict(std::vector<kernels::Index>{1, 0}));
    QCOMPARE(value(2), predict(std::vector<kernels::Index>{1, 1}));
    QCOMPARE(value(3), value(2)); // the label is "#1"
    const Predicted doubtful = predicted("3 1\n2 1\n3 2003\n");
    QCOMPARE(doubtful.lines, std::uint64_t{3});
    QCOMPARE(doubtful.notes.size(), std::size_t{2}); // a note a kind, however many items
    QVERIFY2(doubtful.notes[0].starts_with("2 items are both a label and another index. The label was taken. The first: \"1\""),
             doubtful.notes[0].c_str());
    QVERIFY2(doubtful.notes[1].starts_with("1 item is no label. The index was taken."), doubtful.notes[1].c_str());
}

void TestPrediction::preparedReadersAgreeWithWalking()
{
    std::vector<kernels::Mode> named(1);
    for (unsigned i = 0; i < 3000; ++i) // words of one and two parts, many twice, many that begin alike
        named[0].labels.push_back("w" + std::to_string(i * 7919 % 900) + (i % 3 ? " part " + std::to_string(i % 50) : ""));
    named[0].size = 3000;
    const std::vector<kernels::Index> dims{3000};
    const IndexReader walking(dims, named);
    IndexReader prepared(dims, named);
    prepared.prepareForMany();
    std::size_t found = 0;
    for (unsigned i = 0; i < 1000; ++i)
        for (const std::string& text : {"w" + std::to_string(i), named[0].labels[i], "w" + std::to_string(i) + " part"}) {
            std::string first, second;
            try {
                first = std::to_string(walking.one(0, text));
                ++found;
            } catch (const kernels::Error& error) {
                first = error.what();
            }
            try {
                second = std::to_string(prepared.one(0, text));
            } catch (const kernels::Error& error) {
                second = error.what();
            }
            QCOMPARE(second, first);
        }
    QVERIFY(found > 1000);
}

void TestPrediction::filesArePredictedCompletelyOrNotAtAll()
{
    const std::vector<kernels::Mode> named = modes();
    const kernels::Model model = test::randomModel(kernels::ModelKind::FastTucker, {4, 5, 3}, 3, 4, 1, true);
    IndexReader reader(model.dims, named);
    const std::string path = m_files.write("q.txt", "# a head\n\nORD 3 2004\n  \"ORD Chicago, IL\",3\t#2\r\n4 5 1 17.5");
    kernels::Progress progress;
    QCOMPARE(predictFile(model, reader, path, m_files.path("a.txt"), progress).lines, std::uint64_t{3});
    QCOMPARE(progress.total(), std::uint64_t(QFile(QString::fromStdString(path)).size()));
    QFile file(QString::fromStdString(m_files.path("a.txt")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = file.readAll().split('\n');
    QCOMPARE(lines.size(), 4);
    const kernels::Predictor predict(model);
    QVERIFY(lines[0].startsWith("ORD 3 2004 "));
    QCOMPARE(lines[0].split(' ').last().toDouble(), predict(std::vector<kernels::Index>{0, 2, 1}));
    QVERIFY(lines[1].startsWith("\"ORD Chicago, IL\" 3 #2 "));
    QCOMPARE(lines[1].split(' ').last(), lines[0].split(' ').last());
    QVERIFY(lines[2].startsWith("4 5 1 ") && !lines[2].contains("17.5"));
    QCOMPARE(lines[2].split(' ').last().toDouble(), predict(std::vector<kernels::Index>{3, 4, 2})); // the label "1"
}

void TestPrediction::badLinesSayWhatIsWrong_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("too few") << QByteArray("1 1 1\n1 2\n") << "line 2 of";
    QTest::newRow("too many") << QByteArray("Chicago Big Town 1 2\n") << "double quotes";
    QTest::newRow("no such index") << QByteArray("1 1 1\n#\n1 6 1\n") << "line 3 of";
    QTest::newRow("what was expected") << QByteArray("1 6 1\n") << "expected 1 to 5";
    QTest::newRow("no such label") << QByteArray("XYZ 1 1\n") << "\"XYZ\"";
    QTest::newRow("several labels") << QByteArray("w 1 1\n") << "no such label";
    QTest::newRow("a number among labels that are") << QByteArray("1 1 2\n") << "Write #2 to mean index 2";
    QTest::newRow("a number in line") << QByteArray("1 1 2\n") << "line 1 of";
    QTest::newRow("text after a quote") << QByteArray("\"ORD\"x 1 1\n") << "text follows a closing quotation mark";
    QTest::newRow("open quote") << QByteArray("\"ORD 1 1\n") << "quotation mark";
    QTest::newRow("no text at all") << QByteArray(100'000, '\x01') << "1 items";
}

void TestPrediction::badLinesSayWhatIsWrong()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    const std::vector<kernels::Mode> named = modes();
    const kernels::Model model = test::randomModel(kernels::ModelKind::Cp, {4, 5, 3}, 3, 0, 1, true);
    IndexReader reader(model.dims, named);
    kernels::Progress progress;
    const std::string path = m_files.write("bad.txt", text);
    try {
        predictFile(model, reader, path, m_files.path("none.txt"), progress);
        QFAIL("nothing was wrong");
    } catch (const io::Error& error) {
        const QString sentence = QString::fromUtf8(error.what());
        QVERIFY2(sentence.contains(says) && sentence.size() < 500, qPrintable(sentence));
    }
    QVERIFY(!m_files.names().join(' ').contains("none.txt"));
}

void TestPrediction::tablesArePredictedByTheirRecipe()
{
    const kernels::Model model = test::randomModel(kernels::ModelKind::Cp, {3, 2}, 2, 0, 1, true);
    const std::vector<kernels::Mode> named{{3, "town", {"Bern", "Oslo", "Rome"}}, {2, "hour", {"8", "9"}}};
    std::optional<io::table::Recipe> recipe(std::in_place);
    recipe->modes = io::table::parseModes("town,hour");
    const TablePredictor from{model, named, recipe};
    const std::string path = m_files.write("asked.csv", "hour,note,town\n9,\"a, b\",Rome\n9,c,Paris\n8,d,Bern\n");
    QVERIFY(isTableFor(recipe, path) && !isTableFor({}, path));
    kernels::Progress progress;
    const PredictedRows done = predictTableTo(from, path, m_files.path("told.csv"), progress);
    QCOMPARE(done.rows, std::uint64_t{3});
    QCOMPARE(done.unknown, std::uint64_t{1});
    QVERIFY(done.note().starts_with("1 row has no prediction"));
    QVERIFY(PredictedRows{}.note().empty());
    QFile file(QString::fromStdString(m_files.path("told.csv")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines[0], QByteArray("hour,note,town,prediction"));
    QVERIFY(lines[1].startsWith("9,\"a, b\",Rome,"));
    QCOMPARE(lines[1].split(',').last().toDouble(), kernels::Predictor(model)(std::vector<kernels::Index>{2, 1}));
    QCOMPARE(lines[2], QByteArray("9,c,Paris,"));
    QCOMPARE(lines[3].split(',').last().toDouble(), kernels::Predictor(model)(std::vector<kernels::Index>{0, 0}));
    QVERIFY_EXCEPTION_THROWN(predictTableTo(from, path, path, progress), io::Error);
}

void TestPrediction::linesAreToldFromTables_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isTable");
    QTest::newRow("numbers") << QByteArray("1378,1978\n3527,285\n") << false;
    QTest::newRow("labels") << QByteArray("Bern,8\nRome,9\n") << false;
    QTest::newRow("labels and a value") << QByteArray("Bern,8,1.5\nRome,9,2.5\n") << false;
    QTest::newRow("indices") << QByteArray("#1,#2\n#3,#1\n") << false;
    QTest::newRow("after a comment") << QByteArray("# two of them\nBern,8\nRome,9\n") << false;
    QTest::newRow("names") << QByteArray("town,hour\nBern,8\n") << true;
    QTest::newRow("names in another order, and more") << QByteArray("hour,note,town\n8,x,Bern\n") << true;
    QTest::newRow("one name") << QByteArray("town,our\nBern,8\n") << true; // which says what is missing
    QTest::newRow("a title before") << QByteArray("Towns 2024\nhour,note,town\n8,x,Bern\n9,y,Rome\n") << true;
    QTest::newRow("other widths") << QByteArray("a,b,c,d\n1,2,3,4\n") << true;
}

/// A line is one of indices where it has an item for each mode and names no column.
void TestPrediction::linesAreToldFromTables()
{
    QFETCH(const QByteArray, text);
    QFETCH(const bool, isTable);
    std::optional<io::table::Recipe> recipe(std::in_place);
    recipe->modes = io::table::parseModes("town,hour");
    recipe->dialect.header = true;
    QCOMPARE(isTableFor(recipe, m_files.write("told.csv", text)), isTable);
}

void TestPrediction::predictionsAreWrittenAsTheTableIs()
{
    const kernels::Model model = test::randomModel(kernels::ModelKind::Cp, {3, 2}, 2, 0, 1, true);
    const std::vector<kernels::Mode> named{{3, "town", {"Bern", "Oslo", "Rome"}}, {2, "hour", {"8", "9"}}};
    std::optional<io::table::Recipe> recipe(std::in_place);
    recipe->modes = io::table::parseModes("town,hour");
    recipe->dialect = {';', ',', true, {}, {}};
    TablePredictor from{model, named, recipe, {}, true};
    kernels::Progress progress;
    const auto told = [&](const char* table) {
        QByteArray text;
        predictTable(
            from, m_files.write("asked.csv", table), [&](const std::string& lines) { text += lines; }, progress);
        return text.trimmed().split('\n');
    };
    const double expected = kernels::Predictor(model)(std::vector<kernels::Index>{2, 1});
    const QByteArray digits = QByteArray::fromStdString(fmt::format("{}", static_cast<float>(expected)));
    const QByteArray comma = QByteArray(digits).replace('.', ',');
    QVERIFY(digits.size() <= 13 && digits.contains('.'));
    // Nothing in it tells the decimal sign: the model's. Else its own.
    QCOMPARE(told("hour;town\n9;Rome\n"), (QList<QByteArray>{"hour;town;prediction", "9;Rome;" + comma}));
    QCOMPARE(told("hour;town;size\n9;Rome;1,5\n").last(), "9;Rome;1,5;" + comma);
    QCOMPARE(told("hour;town;size\n9;Rome;1.5\n").last(), "9;Rome;1.5;" + digits);
    QCOMPARE(told("hour,town\n9,Rome\n").last(), "9,Rome," + digits);
    QCOMPARE(told("hour\ttown\n9\tRome\n").last(), "9\tRome\t" + digits);
    QCOMPARE(told("hour;town;note\n9;Rome;\"a;b\"\n").last(), "9;Rome;\"a;b\";" + comma);
    // What a person says counts.
    from.choice.dialect.separator = '/';
    from.choice.dialect.decimal = ',';
    QCOMPARE(told("hour/town\n9/Rome\n").last(), "9/Rome/" + comma);
}

void TestPrediction::numbersOutsideOfAllBinsAreCounted()
{
    const kernels::Model model = test::randomModel(kernels::ModelKind::Cp, {3, 2}, 2, 0, 1, true);
    const std::vector<kernels::Mode> named{{3, "town", {"Bern", "Oslo", "Rome"}}, {2, "size", {"0 to 10", "10 to 20"}}};
    std::optional<io::table::Recipe> recipe(std::in_place);
    recipe->modes = io::table::parseModes("town,size=bins(size,2)");
    recipe->modes[1].edges = {0, 10, 20};
    kernels::Progress progress;
    const std::string path = m_files.write("sizes.csv", "town,size\nBern,5\nBern,20\nOslo,-1\nRome,1e6\nParis,99\n");
    const PredictedRows done = predictTable(
        {model, named, recipe}, path, [](const std::string&) {}, progress);
    QCOMPARE(done.outside, std::uint64_t{2}); // of rows with a prediction
    QCOMPARE(QString::fromStdString(done.note()),
             QStringLiteral("1 row has no prediction: the model knows no such label, or a column is empty. "
                            "2 rows have a number outside of all bins of mode size. The nearest bin was taken."));
}

void TestPrediction::aFileIsNeverWrittenOver()
{
    const kernels::Model model = test::randomModel(kernels::ModelKind::Cp, {4, 5}, 3, 0, 1, true);
    const std::vector<kernels::Mode> named(2);
    IndexReader reader(model.dims, named);
    kernels::Progress progress;
    const std::string path = m_files.write("same.txt", "1 1\n");
    QVERIFY_EXCEPTION_THROWN(predictFile(model, reader, path, path, progress), io::Error);
    QVERIFY_EXCEPTION_THROWN(predictFile(model, reader, m_files.path("absent.txt"), m_files.path("x.txt"), progress), io::Error);
    QVERIFY_EXCEPTION_THROWN(predictFile(model, reader, path, m_files.path("no/such/folder.txt"), progress), kernels::Error);
    QVERIFY(!m_files.names().contains("x.txt"));
}

void TestPrediction::aCancelledFileLeavesNothing()
{
    const kernels::Model model = test::randomModel(kernels::ModelKind::Cp, {4, 5}, 3, 0, 1, true);
    const std::vector<kernels::Mode> named(2);
    IndexReader reader(model.dims, named);
    kernels::Progress progress;
    progress.cancel();
    const std::string path = m_files.write("long.txt", QByteArray("1 1\n").repeated(100'000));
    QVERIFY_EXCEPTION_THROWN(predictFile(model, reader, path, m_files.path("cancelled.txt"), progress), kernels::Cancelled);
    QVERIFY(!m_files.names().join(' ').contains("cancelled.txt"));
}

void TestPrediction::aRunsEntriesAreFoundInEverySplit_data()
{
    QTest::addColumn<QString>("split");
    for (const char* split : {"none", "random", "own part", "file"})
        QTest::newRow(split) << split;
}

void TestPrediction::aRunsEntriesAreFoundInEverySplit()
{
    QFETCH(QString, split);
    auto open = std::make_shared<OpenTensor>();
    open->tensor = test::randomTensor({5, 7, 4}, 300, 3); // 140 cells: duplicates
    kernels::sortLexicographically(open->tensor);
    auto outcome = std::make_shared<RunOutcome>();
    outcome->result.best = test::randomModel(kernels::ModelKind::Cp, {5, 7, 4}, 3, 0, 1, true);
    kernels::RunConfig config;
    config.split.kind = kernels::SplitKind::None;
    kernels::SparseTensor test;
    if (split == "random") {
        config.split.kind = kernels::SplitKind::Random;
        outcome->testPositions = kernels::splitRandom(open->tensor, 0.3, 5).testPositions;
    } else if (split != "none") {
        config.split.kind = kernels::SplitKind::File;
        test = test::randomTensor({5, 7, 4}, 50, 9);
        kernels::sortLexicographically(test);
        if (split == "own part")
            open->test = test;
        else {
            QByteArray text;
            for (kernels::Count e = 0; e < 50; ++e)
                text += QByteArray::number(test.indices[0][e] + 1) + ' ' + QByteArray::number(test.indices[1][e] + 1) + ' '
                    + QByteArray::number(test.indices[2][e] + 1) + ' ' + QByteArray::number(test.value(e), 'g', 9) + '\n';
            config.split.testFile = m_files.write("test.tns", text);
            open->readOptions.duplicates = kernels::Duplicates::Keep;
        }
    }
    QCOMPARE(RunEntries::wantsReading(config), split == "file");
    kernels::Progress progress;
    const RunEntries entries(open, config, outcome, progress);
    QCOMPARE(entries.hasTest(), split != "none");
    std::size_t found = 0, tests = 0;
    test::forEachCell({5, 7, 4}, [&](const std::vector<kernels::Index>& index) {
        for (const KnownEntry& entry : entries.at(index)) {
            ++found;
            tests += entry.test;
        }
    });
    QCOMPARE(found, std::size_t{300} + test.entries());
    QCOMPARE(tests, split == "random" ? outcome->testPositions.size() : std::size_t{test.entries()});
    const std::vector<KnownEntry> along = entries.along({2, 0, 1}, 1);
    std::size_t expected = 0;
    for (kernels::Index j = 0; j < 7; ++j)
        expected += entries.at({2, j, 1}).size();
    QCOMPARE(along.size(), expected);
    QVERIFY(std::is_sorted(along.begin(), along.end(), [](const auto& a, const auto& b) { return a.index < b.index; }));
    const RunResiduals residuals = entries.residuals(5, progress);
    QCOMPARE(residuals.train.errors.count + residuals.test.errors.count, kernels::Count{found});
    QCOMPARE(residuals.test.errors.count, kernels::Count{tests});
    for (const JudgedEntry& entry : residuals.worst) {
        bool known = false;
        for (const KnownEntry& each : entries.at(entry.index))
            known = known || (each.value == entry.x && each.test == entry.test);
        QVERIFY(known);
        QVERIFY(std::abs(entry.predicted - test::predictPlainly(outcome->result.best, entry.index)) < 1e-12);
    }
}

void TestPrediction::residualsHaveTheRunsErrors()
{
    auto open = std::make_shared<OpenTensor>();
    open->tensor = test::randomTensor({30, 20, 10}, 4000, 3);
    kernels::sortLexicographically(open->tensor);
    kernels::RunConfig config;
    config.algorithm = "fasttucker-plus";
    config.format = "coo";
    config.ranks = {4};
    config.devices = {{kernels::DeviceKind::Cpu, 0}};
    config.stopping.iterations = 3;
    config.split = {kernels::SplitKind::Random, 0.2, {}};
    config = resolveFor(config, *open);
    TrainTestCache cache;
    kernels::RunControl control;
    kernels::Progress progress;
    kernels::RunObserver observer;
    const auto outcome = std::make_shared<const RunOutcome>(executeRun(config, open, cache, observer, control, progress));
    const RunResiduals residuals = RunEntries(open, config, outcome, progress).residuals(5, progress);
    const kernels::IterationRecord& best = outcome->result.history[outcome->result.bestIteration - 1];
    // The run measured in the solver's own way, these sums are of another order: roundings of fp32 factors do not differ.
    QVERIFY(std::abs(residuals.test.errors.rmse() - best.testRmse) < 1e-6);
    QVERIFY(std::abs(residuals.train.errors.rmse() - best.trainRmse) < 1e-6);
}

void TestPrediction::onlyTheNewestTaskCounts()
{
    BackgroundJob task;
    QSignalSpy finished(&task, &BackgroundJob::finished), cancelled(&task, &BackgroundJob::cancelled);
    std::atomic<bool> firstEnded{false};
    int result = 0;
    task.run([&](kernels::Progress& progress) {
        while (!progress.cancelled())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        firstEnded = true;
    });
    QVERIFY(task.isRunning());
    task.run([&](kernels::Progress&) { result = 2; });
    QTRY_COMPARE(finished.count(), 1);
    QTRY_VERIFY(firstEnded);
    QTest::qWait(20); // its end would come now
    QCOMPARE(finished.count(), 1);
    QCOMPARE(cancelled.count(), 0);
    QCOMPARE(result, 2);
    QVERIFY(!task.isRunning());
}

void TestPrediction::aTaskTellsHowItEnded()
{
    BackgroundJob task;
    QSignalSpy failed(&task, &BackgroundJob::failed), cancelled(&task, &BackgroundJob::cancelled);
    task.run([](kernels::Progress&) { throw kernels::Error(kernels::ErrorKind::BadInput, "no such thing"); });
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(failed.first().first().toString(), QStringLiteral("no such thing"));
    task.run([](kernels::Progress& progress) {
        progress.begin("working", 100);
        progress.set(25);
        while (true)
            progress.throwIfCancelled();
    });
    QTRY_COMPARE(task.state().fraction, 0.25);
    QTRY_VERIFY(task.state().secondsLeft > 0);
    task.cancel();
    QCOMPARE(cancelled.count(), 1);
    QVERIFY(!task.isRunning());
    QVERIFY(task.state().fraction < 0);
    // Destroyed at work, it cancels and waits.
    BackgroundJob gone;
    gone.run([](kernels::Progress& progress) {
        while (true)
            progress.throwIfCancelled();
    });
}

/// Its result was never filled: nobody may read it.
void TestPrediction::aTaskThatStopsItselfDoesNotFinish()
{
    BackgroundJob task;
    QSignalSpy finished(&task, &BackgroundJob::finished), failed(&task, &BackgroundJob::failed),
        cancelled(&task, &BackgroundJob::cancelled), ended(&task, &BackgroundJob::ended);
    task.run([](kernels::Progress&) { throw kernels::Cancelled(); });
    QTRY_COMPARE(ended.count(), 1); // who has another to begin then is not kept waiting
    QCOMPARE(cancelled.count(), 1);
    QCOMPARE(finished.count(), 0);
    QCOMPARE(failed.count(), 0);
    QVERIFY(!task.isRunning());
    // What another took the place of says nothing.
    std::atomic<bool> at{false}, goOn{false};
    task.run([&](kernels::Progress&) {
        at = true;
        while (!goOn)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        throw kernels::Cancelled();
    });
    QTRY_VERIFY(at);
    task.run([](kernels::Progress&) {});
    goOn = true;
    QTRY_COMPARE(finished.count(), 1);
    QTest::qWait(20); // the other's end would come now
    QCOMPARE(cancelled.count(), 1);
    QCOMPARE(ended.count(), 2);
}

QTEST_GUILESS_MAIN(TestPrediction)
#include "tst_prediction.moc"
