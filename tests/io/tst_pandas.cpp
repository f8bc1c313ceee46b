// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/several_tensors.h"
#include "io/table/pickle.h"
#include "io/table/table_format.h"
#include "support/python.h"
#include "support/temporary_files.h"

#include <QtTest>

using io::table::Recipe;
using test::contentOf;
using test::load;
using test::sentenceOf;

namespace {

/// A table as text: names, then rows. A missing value is "-".
std::vector<std::string> linesOf(const std::string& path)
{
    Recipe recipe;
    const auto reader = io::table::openTable(path, recipe);
    std::vector<std::string> lines(1);
    std::vector<std::size_t> all;
    for (const io::table::Column& column : reader->columns()) {
        lines.front() += (all.empty() ? "" : ",") + column.name;
        all.push_back(all.size());
    }
    reader->want(all);
    io::table::Rows rows;
    while (reader->take(rows)) {
        reader->split(rows);
        for (std::size_t row = 0; row < rows.count; ++row) {
            std::string line;
            for (std::size_t c = 0; c < all.size(); ++c)
                line += (c ? "," : "") + (rows.fields[c][row].data() ? std::string(rows.fields[c][row]) : std::string("-"));
            lines.push_back(line);
        }
    }
    return lines;
}

QString shown(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return QString::fromStdString(text);
}

} // namespace

/// Tables that pandas and PyTables write.
class TestPandas : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void tablesAreRead_data();
    void tablesAreRead();
    void tensorsAreMadeOfThem();
    void manyRowsAreReadInBlocks();
    void tablesCanBeNamed();
    void tensorsStayTensors();
    void badFilesSayWhy_data();
    void badFilesSayWhy();
    void damagedFilesAreSurvived_data();
    void damagedFilesAreSurvived();
    void picklesOfNamesAreRead_data();
    void picklesOfNamesAreRead();
    void otherPicklesAreRefused_data();
    void otherPicklesAreRefused();

private:
    bool m_hasFiles = false;
    test::TemporaryFiles m_files;
};

#define NEEDS_FILES                                                                                                                        \
    if (!m_hasFiles)                                                                                                                       \
    QSKIP("python3 with pandas and tables is not installed")

void TestPandas::initTestCase()
{
    m_hasFiles = test::pythonHas("pandas, tables");
    if (!m_hasFiles)
        return;
    const QString told =
        test::runPython(QStringLiteral(POLYAD_TEST_DATA "/../io/pandas_write.py"), {QString::fromStdString(m_files.path("."))});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

void TestPandas::tablesAreRead_data()
{
    QTest::addColumn<QStringList>("lines");
    const QStringList rows{"ann,1,-2,1.5,0.1,2013-01-01T05:00:00,True", "bob,2,-1,2.5,2,2013-01-01T06:30:00,False",
                           "ann,3,0,-,3,2013-02-01T00:00:00,True", "zoë,4,1,4,4,-,True", "-,5,2,0.1,5,1969-12-31T23:59:59.25,False"};
    const QStringList all = QStringList{"user,n,small,price,single,when,ok"} + rows;
    QTest::newRow("columns.h5") << all;
    QStringList numbers{"n,small,price,when,ok"};
    for (const QString& row : rows) {
        const QStringList fields = row.split(',');
        numbers += QStringList{fields[1], fields[2], fields[3], fields[5], fields[6]}.join(',');
    }
    QTest::newRow("fixed.h5") << numbers;
    QTest::newRow("fixed_names.h5") << QStringList{"a_x,a_y", "0,1", "2,3"};
    QTest::newRow("fixed_index.h5") << QStringList{"who,n,v", "p,1,0.5", "q,2,1.5"};
    QTest::newRow("names.h5") << QStringList{"index,é a,日本,7", "p,1,2,1", "q,2,3,1"};
    QTest::newRow("numbered.h5") << QStringList{"0,1", "0,1", "2,3", "4,5"};
    QTest::newRow("time_index.h5") << QStringList{
        "when,n,price", "2013-01-01T05:00:00,1,1.5",   "2013-01-01T06:30:00,2,2.5", "2013-02-01T00:00:00,3,-",
        "-,4,4",        "1969-12-31T23:59:59.25,5,0.1"};
    QTest::newRow("index_fixed.h5") << QStringList{"index,n", "0.5,1", "1.5,2"};
    QTest::newRow("index_table.h5") << QStringList{"index,n", "0.5,1", "1.5,2"};
    const QStringList levels{"user,n,price", "ann,1,1.5", "bob,2,2.5", "zoë,4,4", "eve,5,0.1"};
    QTest::newRow("series_fixed.h5") << levels;
    QTest::newRow("frame_levels.h5") << levels;
    QTest::newRow("series_table.h5") << levels;
    QTest::newRow("empty.h5") << QStringList{"n,small,price,when,ok"};
    QTest::newRow("pytables.h5") << QStringList{
        "name,k,pair_0,pair_1,t,t32,flag", "u0,0,0,0.5,2001-09-09T01:46:40.25,2001-09-09T01:46:40,True",
        "u1,1,1,1.5,2001-09-09T01:46:41.25,2001-09-09T01:46:41,False", "u0,2,2,2.5,2001-09-09T01:46:42.25,2001-09-09T01:46:42,True",
        "u1,3,3,3.5,2001-09-09T01:46:43.25,2001-09-09T01:46:43,False"};
}

void TestPandas::tablesAreRead()
{
    NEEDS_FILES;
    QFETCH(const QStringList, lines);
    QCOMPARE(shown(linesOf(m_files.path(QTest::currentDataTag()))), lines.join('\n') + '\n');
}

void TestPandas::tensorsAreMadeOfThem()
{
    NEEDS_FILES;
    for (const char* name : {"blocks.h5", "columns.h5", "packed.h5"}) {
        io::ReadOptions options;
        options.recipe.emplace();
        options.recipe->modes = io::table::parseModes("user,month(when)");
        options.recipe->value = "price";
        options.recipe->aggregate = io::table::Aggregate::Sum;
        const io::LoadedTensor loaded = load(m_files.path(name), options);
        QCOMPARE(loaded.tensor.entries(), kernels::Count{2});
        QCOMPARE(loaded.tensor.modes[0].labels, (std::vector<std::string>{"ann", "bob"}));
        QCOMPARE(loaded.report.layout, std::string("pandas HDF5, table /t"));
        QCOMPARE(loaded.recipe->part, std::string("/t"));
    }
    const std::vector<std::string> categories = linesOf(m_files.path("category.h5"));
    QVERIFY2(categories[1].ends_with(",x") && categories[2].ends_with(",y") && categories[4].ends_with(",-"),
             qPrintable(shown(categories)));
    for (const char* name : {"zone.h5", "fixed_zone.h5"}) {
        Recipe recipe;
        const auto reader = io::table::openTable(m_files.path(name), recipe);
        QCOMPARE(reader->notes(),
                 (std::vector<std::string>{"The index without a name was taken for row numbers and left out.",
                                           "Times with a time zone are given in UTC: when."}));
    }
    QVERIFY(shown(linesOf(m_files.path("zone.h5"))).contains("2013-01-01T04:00:00Z"));
    QVERIFY(shown(linesOf(m_files.path("fixed_zone.h5"))).contains("2013-01-01T05:00:00Z"));
    QVERIFY(shown(linesOf(m_files.path("fixed_packed.h5"))).contains("odd,n,price,when\n1,1,1.5,2013-01-01T05:00:00"));
}

void TestPandas::manyRowsAreReadInBlocks()
{
    NEEDS_FILES;
    io::ReadOptions options;
    options.recipe.emplace();
    options.recipe->modes = io::table::parseModes("a,b");
    options.recipe->value = "v";
    options.recipe->aggregate = io::table::Aggregate::Sum;
    const io::LoadedTensor loaded = load(m_files.path("big.h5"), options);
    QCOMPARE(loaded.tensor.dims(), (std::vector<kernels::Index>{300, 7}));
    QCOMPARE(loaded.report.entriesRead, kernels::Count{200'000});
    double sum = 0;
    for (kernels::Count e = 0; e < loaded.tensor.entries(); ++e)
        sum += loaded.tensor.value(e);
    double wanted = 0;
    for (int i = 0; i < 200'000; ++i)
        wanted += i % 11 * 0.5;
    QCOMPARE(sum, wanted);
    kernels::Progress progress;
    const io::table::Survey survey = io::table::survey(m_files.path("big.h5"), {}, progress);
    QVERIFY(!survey.isWhole); // looked at in several places
    QCOMPARE(survey.columns[0].distinct, std::size_t{300});
}

void TestPandas::tablesCanBeNamed()
{
    NEEDS_FILES;
    const std::string path = m_files.path("two.h5");
    try {
        linesOf(path);
        QFAIL("one was chosen");
    } catch (const io::SeveralTensors& several) {
        QCOMPARE(several.groups(), (std::vector<std::string>{"/day/first", "/second"}));
        QVERIFY2(std::string(several.what()).find("two.h5:/day/first") != std::string::npos, several.what());
    }
    QCOMPARE(linesOf(path + ":/day/first").size(), std::size_t{6});
    QCOMPARE(linesOf(path + ":second").front(), std::string("n,small,price,when,ok"));
    Recipe recipe;
    recipe.part = "/second";
    QCOMPARE(io::table::openTable(path, recipe)->parts().size(), std::size_t{2});
    QCOMPARE(linesOf(m_files.path("sparse.h5") + ":/events").size(), std::size_t{1});
}

void TestPandas::tensorsStayTensors()
{
    NEEDS_FILES;
    const std::string path = m_files.path("sparse.h5");
    QVERIFY(!io::table::isTable(path));
    QCOMPARE(load(path).tensor.entries(), kernels::Count{3});
    QVERIFY(io::table::isTable(path + ":/events"));
    QVERIFY(!io::table::isTable(m_files.path("none.h5")));
}

void TestPandas::badFilesSayWhy_data()
{
    QTest::addColumn<std::string>("part");
    QTest::newRow("pickled.h5") << std::string("format='table'");
    QTest::newRow("blosc.h5") << std::string("h5repack");
    QTest::newRow("two.h5:/day") << std::string("no sparse tensor");
    QTest::newRow("two.h5:/nothing") << std::string("no such object");
}

void TestPandas::badFilesSayWhy()
{
    NEEDS_FILES;
    QFETCH(const std::string, part);
    const std::string sentence = sentenceOf([this] { load(m_files.path(QTest::currentDataTag())); });
    QVERIFY2(sentence.find(part) != std::string::npos, sentence.c_str());
}

void TestPandas::damagedFilesAreSurvived_data()
{
    QTest::addColumn<int>("seed");
    int seed = 0;
    for (const char* name : {"columns.h5", "blocks.h5", "fixed.h5", "series_fixed.h5", "category.h5", "pytables.h5"})
        QTest::newRow(name) << ++seed;
}

/// Cut short, and with bytes changed here and there: an error or a table, never an end of the program.
void TestPandas::damagedFilesAreSurvived()
{
    NEEDS_FILES;
    QFETCH(const int, seed);
    const QByteArray whole = contentOf(m_files.path(QTest::currentDataTag()));
    auto state = static_cast<std::uint32_t>(seed);
    const auto next = [&state](std::uint32_t below) {
        state = state * 1664525u + 1013904223u;
        return static_cast<qsizetype>((std::uint64_t{state} * below) >> 32);
    };
    std::vector<qsizetype> interesting; // texts of attributes and names, and what stands around them
    for (const char* word : {"PYTABLES", "pandas_type", "nblocks", "values_block", "TREE", "SNOD", "HEAP", "OHDR", "index"})
        for (qsizetype at = whole.indexOf(word); at >= 0 && interesting.size() < 400; at = whole.indexOf(word, at + 1))
            interesting.push_back(at);
    for (int round = 0; round < 300; ++round) {
        QByteArray bytes = whole;
        if (round % 10 == 0)
            bytes.truncate(next(static_cast<std::uint32_t>(whole.size())));
        for (int change = 0; change < 1 + round % 4 && !bytes.isEmpty(); ++change) {
            const qsizetype near = interesting.empty() || change % 2
                ? next(static_cast<std::uint32_t>(bytes.size()))
                : interesting[static_cast<std::size_t>(next(static_cast<std::uint32_t>(interesting.size())))] + next(96) - 48;
            bytes[std::clamp<qsizetype>(near, 0, bytes.size() - 1)] = static_cast<char>(next(256));
        }
        const std::string path = m_files.write("damaged.h5", bytes);
        try {
            kernels::Progress progress;
            io::readTensor(path, {}, progress).tensor.check();
        } catch (const kernels::Error&) {
        }
    }
}

void TestPandas::picklesOfNamesAreRead_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QStringList>("names");
    QTest::newRow("protocol 0") << QByteArray("(lp0\nVuser\np1\naV\xe9 a\np2\naV\\u65e5\\u672c\np3\na.")
                                << QStringList{"user", "é a", "日本"};
    QTest::newRow("numbers") << QByteArray("(lp0\nI0\naI1\naL2L\na.") << QStringList{"0", "1", "2"};
    QTest::newRow("tuples") << QByteArray("(lp0\n(Va\np1\nVx\np2\ntp3\nag3\na.") << QStringList{"a_x", "a_x"};
    QTest::newRow("protocol 4") << QByteArray("\x80\x04\x95\x0d\x00\x00\x00\x00\x00\x00\x00]\x94(\x8c\x01"
                                              "a\x94\x8c\x01"
                                              "b\x94K\x05"
                                              "e.",
                                              26)
                                << QStringList{"a", "b", "5"};
    QTest::newRow("nothing") << QByteArray("(lp0\n.") << QStringList{};
}

void TestPandas::picklesOfNamesAreRead()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QStringList, names);
    const auto read = io::table::namesInPickle(bytes.toStdString());
    QVERIFY(read);
    QStringList list;
    for (const std::string& name : *read)
        list += QString::fromStdString(name);
    QCOMPARE(list, names);
}

void TestPandas::otherPicklesAreRefused_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("code") << QByteArray("cos\nsystem\n(S'true'\ntR.");
    QTest::newRow("cut") << QByteArray("(lp0\nVuser");
    QTest::newRow("no mark") << QByteArray("Va\nl.");
    QTest::newRow("nothing to add to") << QByteArray("Va\na.");
    QTest::newRow("in itself") << QByteArray("(lp0\ng0\na.");
    QTest::newRow("a mark kept") << QByteArray("(p0\ng0\nl.");
    QTest::newRow("odd dict") << QByteArray("(Va\nd.");
    QTest::newRow("a length too long") << QByteArray("X\xff\xff\xff\x7f.", 6);
    QTest::newRow("many") << QByteArray("(") + QByteArray("N").repeated(300'000) + "l.";
    QByteArray doubled = "(lp0\nV" + QByteArray("x").repeated(30'000) + "\np1\na";
    for (int i = 0; i < 2'000; ++i)
        doubled += "g1\na";
    QTest::newRow("one text many times") << doubled + ".";
}

void TestPandas::otherPicklesAreRefused()
{
    QFETCH(const QByteArray, bytes);
    QVERIFY(!io::table::namesInPickle(bytes.toStdString()));
}

QTEST_GUILESS_MAIN(TestPandas)
#include "tst_pandas.moc"
