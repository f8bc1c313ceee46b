// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/several_tensors.h"
#include "io/table/recipe.h"
#include "io/table/table_format.h"
#include "io/table/xlsx_book.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <sqlite3.h>
#include <zlib.h>

#include <map>

using test::Cells;
using test::cellsOf;
using test::contentOf;
using test::deflated;
using test::load;
using test::sentenceOf;

namespace {

io::ReadOptions by(const std::string& modes, const std::string& value = {}, const std::string& part = {}, const std::string& query = {})
{
    io::ReadOptions options;
    options.doubleValues = true;
    options.recipe.emplace();
    options.recipe->modes = io::table::parseModes(modes);
    options.recipe->value = value;
    options.recipe->aggregate = value.empty() ? io::table::Aggregate::Count : io::table::Aggregate::Sum;
    options.recipe->part = part;
    options.recipe->query = query;
    return options;
}

/// Runs statements on a new database.
void makeDatabase(const std::string& path, const std::string& sql)
{
    sqlite3* database = nullptr;
    if (sqlite3_open(path.c_str(), &database) != SQLITE_OK || sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        qFatal("cannot make %s: %s", path.c_str(), sqlite3_errmsg(database));
    sqlite3_close(database);
}

constexpr const char* sales = "CREATE TABLE sales(who TEXT, day TEXT, units INTEGER, price REAL);"
                              "INSERT INTO sales VALUES('ann','2024-01-31',3,0.1),('bob','2024-02-01',NULL,2.5),"
                              "('ann','2024-02-01',9007199254740993,1e300),(NULL,'2024-02-02',4,4),('zoë','2024-02-02',-5,1e-9);";
constexpr const char* salesAsText =
    "who,day,units,price\nann,2024-01-31,3,0.1\nbob,2024-02-01,,2.5\nann,2024-02-01,9007199254740993,1e+300\n"
    ",2024-02-02,4,4\nzoë,2024-02-02,-5,1e-09\n";

QByteArray littleEndian(quint32 number, int bytes)
{
    QByteArray text;
    for (int i = 0; i < bytes; ++i)
        text.append(static_cast<char>(number >> (8 * i)));
    return text;
}

using Parts = QList<std::pair<QByteArray, QByteArray>>; ///< name and content

QByteArray zipOf(const Parts& parts)
{
    QByteArray file, directory;
    for (const auto& [name, content] : parts) {
        const QByteArray packed = deflated(content);
        const auto sum = static_cast<quint32>(crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
        const QByteArray facts = littleEndian(20, 2) + littleEndian(0, 2) + littleEndian(8, 2) + littleEndian(0x58210000, 4)
            + littleEndian(sum, 4) + littleEndian(static_cast<quint32>(packed.size()), 4)
            + littleEndian(static_cast<quint32>(content.size()), 4) + littleEndian(static_cast<quint32>(name.size()), 2)
            + littleEndian(0, 2);
        directory += "PK\x01\x02" + littleEndian(20, 2) + facts + QByteArray(6, 0) + littleEndian(0, 4)
            + littleEndian(static_cast<quint32>(file.size()), 4) + name;
        file += "PK\x03\x04" + facts + name + packed;
    }
    const auto count = static_cast<quint32>(parts.size());
    return file + directory + "PK\x05\x06" + littleEndian(0, 4) + littleEndian(count, 2) + littleEndian(count, 2)
        + littleEndian(static_cast<quint32>(directory.size()), 4) + littleEndian(static_cast<quint32>(file.size()), 4) + littleEndian(0, 2);
}

constexpr const char* head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

QByteArray sheetOf(const QByteArray& rows)
{
    return QByteArray(head) + "<worksheet xmlns=\"m\"><dimension ref=\"A1:XFD1048576\"/><sheetData>" + rows + "</sheetData></worksheet>";
}

/// A workbook as openpyxl and Excel write it: sheets "Sales" and "Other", three shared texts, styles 1 (date), 2 (date and time), 3 (0.00).
Parts workbook(const QByteArray& rows, const QByteArray& properties = {})
{
    const QByteArray office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const auto relation = [&](const char* id, const char* type, const char* target) {
        return QByteArray("<Relationship Id=\"") + id + "\" Type=\"" + office + "/" + type + "\" Target=\"" + target + "\"/>";
    };
    return {
        {"xl/workbook.xml",
         QByteArray(head) + "<workbook xmlns=\"m\" xmlns:r=\"" + office + "\"><workbookPr " + properties
             + "/><sheets><sheet name=\"Sales\" sheetId=\"1\" r:id=\"rId1\"/>"
               "<sheet name=\"Other\" sheetId=\"2\" r:id=\"rId2\"/></sheets></workbook>"},
        {"xl/_rels/workbook.xml.rels",
         QByteArray(head) + "<Relationships>" + relation("rId1", "worksheet", "/xl/worksheets/sheet1.xml")
             + relation("rId2", "worksheet", "worksheets/sheet2.xml") + relation("rId3", "styles", "styles.xml")
             + relation("rId4", "sharedStrings", "sharedStrings.xml") + "</Relationships>"},
        {"xl/styles.xml",
         QByteArray(head)
             + "<styleSheet><numFmts count=\"1\"><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/></numFmts>"
               "<cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs>"
               "<cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"22\"/><xf numFmtId=\"2\"/></cellXfs></styleSheet>"},
        {"xl/sharedStrings.xml",
         QByteArray(head)
             + "<sst count=\"4000000000\" uniqueCount=\"4000000000\"><si><t>ann</t></si><si><r><t>b</t></r><r><t xml:space=\"preserve\">ob"
               "</t></r><rPh><t>no</t></rPh></si><si><t>x &amp; &lt;y&gt;</t></si></sst>"},
        {"xl/worksheets/sheet1.xml", sheetOf(rows)},
        {"xl/worksheets/sheet2.xml",
         sheetOf("<row><c t=\"str\"><v>p</v></c><c t=\"str\"><v>q</v></c></row><row><c t=\"str\"><v>i</v></c><c><v>1</v></c></row>")}};
}

QByteArray inlineText(const char* text) { return QByteArray("<c t=\"inlineStr\"><is><t>") + text + "</t></is></c>"; }

const QByteArray header = "<row r=\"1\">" + inlineText("who") + inlineText("day") + inlineText("at") + inlineText("units")
    + inlineText("price") + inlineText("ok") + "</row>";
const QByteArray rows = header
    + "<row r=\"2\"><c r=\"A2\" t=\"s\"><v>0</v></c><c r=\"B2\" s=\"1\"><v>45322</v></c><c r=\"C2\" s=\"2\"><v>45322.22934027778</v></c>"
      "<c r=\"D2\"><v>3</v></c><c r=\"E2\" s=\"3\"><v>0.1</v></c><c r=\"F2\" t=\"b\"><v>1</v></c></row>"
      "<row r=\"5\"><c r=\"A5\" t=\"s\"><v>1</v></c><c r=\"B5\" s=\"1\"><v>1</v></c><c r=\"C5\" s=\"2\"><v>45323.99998842592</v></c>"
      "<c r=\"E5\"><v>2.5E+1</v></c><c r=\"F5\" t=\"b\"><v>0</v></c></row>"
      "<row r=\"6\"><c r=\"B6\" s=\"1\"><v>61</v></c><c r=\"D6\"><v>7</v></c><c r=\"E6\" t=\"e\"><v>#N/A</v></c></row>"
      "<row r=\"7\"><c r=\"A7\" t=\"s\"><v>2</v></c><c r=\"B7\" s=\"1\"><v>61</v></c><c r=\"C7\" s=\"2\"><v>45324</v></c>"
      "<c r=\"D7\"><f>3+4</f><v>7</v></c><c r=\"E7\"><v>-1</v></c><c r=\"F7\" t=\"b\"><v>1</v></c></row>";
constexpr const char* rowsAsText = "who,day,at,units,price,ok\nann,2024-01-31,2024-01-31T05:30:15,3,0.1,TRUE\n"
                                   "bob,1900-01-01,2024-02-01T23:59:59,,25,FALSE\n,1900-03-01,,7,,\n"
                                   "x & <y>,1900-03-01,2024-02-02T00:00:00,7,-1,TRUE\n";

} // namespace

/// Tables that are no text: databases and spreadsheets give the tensor that the same table as CSV gives.
class TestTableFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void databasesReadAsTheirText_data();
    void databasesReadAsTheirText();
    void tablesAreChosen();
    void queriesOnlyRead_data();
    void queriesOnlyRead();
    void databasesOfManyRowsAreReadInBlocks();
    void readingLeavesNoFiles();
    void damagedDatabasesAreNamed();
    void workbooksReadAsTheirText_data();
    void workbooksReadAsTheirText();
    void sheetsAreChosen();
    void anEmptyFirstSheetOffersTheOthers();
    void recipesOfSheetsReadTexts();
    void datesOfOldMacintoshesCountFrom1904();
    void clocksAndDurationsOfSheets();
    void sheetsOfManyRowsAreReadInBlocks();
    void titlesAboveATableAreSkipped();
    void hostileWorkbooksGetASentence_data();
    void hostileWorkbooksGetASentence();

private:
    test::TemporaryFiles m_files;
};

void TestTableFiles::databasesReadAsTheirText_data()
{
    QTest::addColumn<QString>("modes");
    QTest::addColumn<QString>("value");
    QTest::newRow("reals") << "who,day"
                           << "price";
    QTest::newRow("whole numbers") << "who,day"
                                   << "units";
    QTest::newRow("months") << "who,m=month(day)"
                            << "price";
    QTest::newRow("numbers as labels") << "units,price"
                                       << "";
}

void TestTableFiles::databasesReadAsTheirText()
{
    QFETCH(const QString, modes);
    QFETCH(const QString, value);
    const std::string path = m_files.path("read.db");
    QFile::remove(QString::fromStdString(path));
    makeDatabase(path, sales);
    const io::ReadOptions options = by(modes.toStdString(), value.toStdString());
    const io::LoadedTensor loaded = load(path, options);
    const io::LoadedTensor text = load(m_files.write("read.csv", salesAsText), options);
    QVERIFY(text.tensor.entries() > 2);
    QVERIFY(cellsOf(loaded.tensor) == cellsOf(text.tensor));
    QCOMPARE(loaded.report.formatId, std::string("sqlite"));
    QCOMPARE(loaded.recipe->part, std::string("sales"));
}

void TestTableFiles::tablesAreChosen()
{
    const std::string path = m_files.path("several.sqlite");
    makeDatabase(path,
                 std::string(sales)
                     + "CREATE TABLE \"odd \"\"name\"(a, b); INSERT INTO \"odd \"\"name\" VALUES('x','y'),('x','z');"
                       "CREATE VIEW dear AS SELECT * FROM sales WHERE price > 1;");
    const std::string said = sentenceOf([&] { load(path, by("who,day")); });
    QVERIFY2(said.find("several tables") != std::string::npos, said.c_str());
    QVERIFY2(said.find("sales, odd \"name, dear") != std::string::npos, said.c_str());
    const std::string unknown = sentenceOf([&] { load(path, by("who,day", "", "nothing")); });
    QVERIFY2(unknown.find("no table \"nothing\"") != std::string::npos, unknown.c_str());

    QCOMPARE(load(path, by("a,b", "", "odd \"name")).tensor.entries(), kernels::Count{2});
    QCOMPARE(load(path, by("who,day", "", "sales")).tensor.entries(), kernels::Count{4});
    QCOMPARE(load(path + ":/sales", by("who,day")).tensor.entries(), kernels::Count{4});
    QCOMPARE(load(path + ":sales", by("who,day")).tensor.entries(), kernels::Count{4});
    const std::vector<std::string> names{"sales", "odd \"name", "dear"};
    try {
        load(path, by("who,day"));
        QFAIL("one was chosen");
    } catch (const io::SeveralTensors& several) {
        QVERIFY(several.groups() == names);
    }
    io::table::Recipe chosen;
    chosen.part = "dear";
    kernels::Progress progress;
    QVERIFY(io::table::survey(path, chosen, progress).parts == names);
    const Cells dear{{{"bob", "2024-02-01"}, 2.5}, {{"ann", "2024-02-01"}, 1e300}};
    QVERIFY(cellsOf(load(path, by("who,day", "price", "dear")).tensor) == dear);
    const std::string query =
        "SELECT who AS w, substr(day, 1, 7) AS m, count(*) AS n FROM sales WHERE who IS NOT NULL GROUP BY 1, 2; -- all";
    const Cells counts{{{"ann", "2024-01"}, 1}, {{"ann", "2024-02"}, 1}, {{"bob", "2024-02"}, 1}, {{"zoë", "2024-02"}, 1}};
    QVERIFY(cellsOf(load(path, by("w,m", "n", "", query)).tensor) == counts);
}

void TestTableFiles::queriesOnlyRead_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("said");
    QTest::newRow("write") << "DELETE FROM sales"
                           << "more than read";
    QTest::newRow("write that returns") << "DELETE FROM sales RETURNING *"
                                        << "more than read";
    QTest::newRow("attach") << "ATTACH 'other.db' AS o"
                            << "more than read";
    QTest::newRow("pragma") << "PRAGMA journal_mode=WAL"
                            << "more than read";
    QTest::newRow("second") << "SELECT * FROM sales; SELECT 1"
                            << "more than one statement";
    QTest::newRow("second writes") << "SELECT * FROM sales; DROP TABLE sales"
                                   << "more than read";
    QTest::newRow("extension") << "SELECT load_extension('x')"
                               << "not authorized";
    QTest::newRow("none") << " -- nothing"
                          << "is empty";
    QTest::newRow("fault") << "SELECT FROM sales"
                           << "cannot be run";
    QTest::newRow("NUL") << QString::fromLatin1("SELECT 1\0 2", 11) << "NUL byte";
}

void TestTableFiles::queriesOnlyRead()
{
    QFETCH(const QString, query);
    QFETCH(const QString, said);
    const std::string path = m_files.path("query.db");
    QFile::remove(QString::fromStdString(path));
    makeDatabase(path, sales);
    const QByteArray before = contentOf(path);
    const std::string sentence = sentenceOf([&] { load(path, by("who,day", "", "", query.toStdString())); });
    QVERIFY2(sentence.find(said.toStdString()) != std::string::npos, sentence.c_str());
    QCOMPARE(contentOf(path), before);
}

void TestTableFiles::databasesOfManyRowsAreReadInBlocks()
{
    const std::string path = m_files.path("many.db");
    makeDatabase(path,
                 "CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)"
                 "SELECT i / 1000 AS a, i % 1000 AS b, i AS v FROM n;");
    const Cells cells = cellsOf(load(path, by("a,b", "v")).tensor);
    QCOMPARE(cells.size(), std::size_t{100'000});
    QCOMPARE(cells.at({"98", "765"}), 98'765.0);
}

void TestTableFiles::readingLeavesNoFiles()
{
    const test::TemporaryFiles folder;
    const std::string path = folder.path("log.db");
    makeDatabase(path, std::string("PRAGMA journal_mode=WAL;") + sales);
    QCOMPARE(folder.names(), QStringList{"log.db"});
    QCOMPARE(load(path, by("who,day")).tensor.entries(), kernels::Count{4});
    QCOMPARE(folder.names(), QStringList{"log.db"});
    QByteArray bytes = contentOf(path);
    bytes[18] = 1; // a damaged one, whose versions for writers and readers differ
    QCOMPARE(load(folder.write("log.db", bytes), by("who,day")).tensor.entries(), kernels::Count{4});
    QCOMPARE(folder.names(), QStringList{"log.db"});
}

void TestTableFiles::damagedDatabasesAreNamed()
{
    const std::string path = m_files.path("whole.db");
    makeDatabase(path, sales);
    QByteArray bytes = contentOf(path);
    const int pageBytes = 256 * static_cast<unsigned char>(bytes[16]) + static_cast<unsigned char>(bytes[17]);
    for (int i = pageBytes; i < bytes.size(); ++i) // the pages after the list of tables
        bytes[i] = '\xa5';
    const std::string sentence = sentenceOf([&] { load(m_files.write("damaged.db", bytes), by("who,day")); });
    QVERIFY2(sentence.find("damaged") != std::string::npos, sentence.c_str());
    const std::string cut = sentenceOf([&] { load(m_files.write("cut.db", bytes.left(100)), by("who,day")); });
    QVERIFY2(cut.find("damaged") != std::string::npos || cut.find("holds no tables") != std::string::npos, cut.c_str());
}

void TestTableFiles::workbooksReadAsTheirText_data()
{
    QTest::addColumn<QString>("modes");
    QTest::addColumn<QString>("value");
    QTest::newRow("numbers") << "who,day"
                             << "price";
    QTest::newRow("whole numbers") << "who,day"
                                   << "units";
    QTest::newRow("dates") << "day,ok"
                           << "";
    QTest::newRow("times") << "who,at"
                           << "";
    QTest::newRow("parts of times") << "hour=hour(at),month=month(day)"
                                    << "price";
    QTest::newRow("numbers as labels") << "units,price"
                                       << "";
}

void TestTableFiles::workbooksReadAsTheirText()
{
    QFETCH(const QString, modes);
    QFETCH(const QString, value);
    const io::ReadOptions options = by(modes.toStdString(), value.toStdString());
    const io::LoadedTensor loaded = load(m_files.write("a.xlsx", zipOf(workbook(rows))), options);
    const io::LoadedTensor text = load(m_files.write("a.csv", rowsAsText), options);
    QVERIFY(text.tensor.entries() > 1);
    QVERIFY(cellsOf(loaded.tensor) == cellsOf(text.tensor));
    QCOMPARE(loaded.report.formatId, std::string("xlsx"));
    QCOMPARE(loaded.recipe->part, std::string("Sales"));
}

void TestTableFiles::sheetsAreChosen()
{
    const std::string path = m_files.write("sheets.xlsm", zipOf(workbook(rows)));
    const Cells wanted{{{"i", "1"}, 1}};
    QVERIFY(cellsOf(load(path, by("p,q", "", "Other")).tensor) == wanted);
    QVERIFY(cellsOf(load(path + ":/Other", by("p,q")).tensor) == wanted);
    QVERIFY(cellsOf(load(path + ":Other", by("p,q")).tensor) == wanted);
    kernels::Progress progress;
    QVERIFY(io::table::survey(path, {}, progress).parts == (std::vector<std::string>{"Sales", "Other"}));
    const std::string said = sentenceOf([&] { load(path, by("p,q", "", "Third")); });
    QVERIFY2(said.find("no sheet \"Third\"") != std::string::npos && said.find("Sales, Other") != std::string::npos, said.c_str());
}

/// A sheet has no separator or decimal sign, and its recipe none either.
/// A person is asked for another sheet.
void TestTableFiles::anEmptyFirstSheetOffersTheOthers()
{
    const std::string path = m_files.write("empty_first.xlsx", zipOf(workbook({})));
    kernels::Progress progress;
    try {
        io::table::survey(path, {}, progress);
        QFAIL("an empty sheet was taken");
    } catch (const io::SeveralTensors& several) {
        QCOMPARE(several.groups().size(), std::size_t{1});
        io::ReadOptions options = by("p,q");
        options.recipe->part = several.groups().front();
        QCOMPARE(load(path, options).tensor.entries(), kernels::Count{1});
    }
}

void TestTableFiles::recipesOfSheetsReadTexts()
{
    io::ReadOptions options;
    options.recipe = load(m_files.write("a.xlsx", zipOf(workbook(rows))), by("who,day", "price")).recipe;
    options.recipe = io::table::recipeFromJson(io::table::toJson(*options.recipe));
    const Cells wanted{{{"ann", "x"}, 0.5}, {{"bob", "x"}, 2}};
    QVERIFY(cellsOf(load(m_files.write("a.csv", "who;day;price\nann;x;0,5\nbob;x;2\n"), options).tensor) == wanted);
}

void TestTableFiles::datesOfOldMacintoshesCountFrom1904()
{
    const std::string path = m_files.write("mac.xlsx", zipOf(workbook(rows, "date1904=\"1\"")));
    const std::vector<std::string> days = load(path, by("day,units")).tensor.modes[0].labels;
    QCOMPARE(days, (std::vector<std::string>{"1904-03-02", "2028-02-01"}));
}

void TestTableFiles::clocksAndDurationsOfSheets()
{
    using io::table::dateText;
    using io::table::NumberFormat;
    using Text = std::optional<std::string>;
    QCOMPARE(io::table::numberFormatOf("[h]:mm:ss"), NumberFormat::Duration);
    QCOMPARE(io::table::numberFormatOf("[$-409]h:mm AM/PM"), NumberFormat::Clock);
    constexpr double nearlyMidnight = (86400 - 0.4) / 86400;
    QCOMPARE(dateText(1.25, NumberFormat::Duration, false), Text("30:00:00"));
    QCOMPARE(dateText(1 + nearlyMidnight, NumberFormat::Duration, false), Text("48:00:00"));
    QCOMPARE(dateText(0.5, NumberFormat::Duration, false), Text("12:00:00"));
    QCOMPARE(dateText(nearlyMidnight, NumberFormat::Clock, false), Text("23:59:59"));
    QCOMPARE(dateText(59.6 / 86400, NumberFormat::Clock, false), Text("00:01:00"));
    QCOMPARE(dateText(45322 + nearlyMidnight, NumberFormat::DateClock, false), Text("2024-02-01T00:00:00"));
}

void TestTableFiles::sheetsOfManyRowsAreReadInBlocks()
{
    QByteArray many = "<row>" + inlineText("a") + inlineText("b") + inlineText("v") + "</row>";
    for (int i = 0; i < 50'000; ++i)
        many += "<row><c><v>" + QByteArray::number(i / 1000) + "</v></c>"
            + inlineText(QByteArray::number(i % 1000).prepend('k').constData()) + "<c><v>" + QByteArray::number(i) + "</v></c></row>";
    const Cells cells = cellsOf(load(m_files.write("many.xlsx", zipOf(workbook(many))), by("a,b", "v")).tensor);
    QCOMPARE(cells.size(), std::size_t{50'000});
    QCOMPARE(cells.at({"48", "k765"}), 48'765.0);
}

void TestTableFiles::titlesAboveATableAreSkipped()
{
    const io::LoadedTensor loaded =
        load(m_files.write("title.xlsx", zipOf(workbook("<row>" + inlineText("Sales of 2024") + "</row>" + rows))), by("who,day"));
    QCOMPARE(loaded.tensor.entries(), kernels::Count{3});
    const std::vector<std::string>& notes = loaded.report.notes;
    QVERIFY(std::find(notes.begin(), notes.end(), "1 row above the table was skipped.") != notes.end());
}

void TestTableFiles::hostileWorkbooksGetASentence_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("said");
    const QByteArray whole = zipOf(workbook(rows));
    QTest::newRow("cut") << whole.left(whole.size() / 2) << "damaged workbook";
    QTest::newRow("another archive") << zipOf({{"a.txt", "text"}}) << "is missing";
    QTest::newRow("no rows") << zipOf(workbook({})) << "holds no rows";
    QTest::newRow("not closed") << zipOf(workbook(rows + "<row><c>")) << "damaged workbook";
    QTest::newRow("missing text") << zipOf(workbook(rows + "<row><c t=\"s\"><v>3</v></c></row>")) << "shared text";
    QTest::newRow("far column") << zipOf(workbook(rows + "<row><c r=\"ZZZZ1\"><v>3</v></c></row>")) << "more than 16384 columns";
    QTest::newRow("twice") << zipOf(workbook(rows + "<row><c r=\"B1\"><v>3</v></c><c r=\"B1\"><v>3</v></c></row>")) << "not in order";
    QTest::newRow("deep") << zipOf(workbook(rows + QByteArray("<a>").repeated(1000))) << "nested too deeply";
    QTest::newRow("long tag") << zipOf(workbook("<row a=\"" + QByteArray(20 << 20, 'x') + "\"/>")) << "too long";
    QTest::newRow("long text") << zipOf(workbook("<row>" + inlineText(QByteArray(2 << 20, 'x').constData()) + "</row>"))
                               << "longer than 1 MiB";
    Parts entities = workbook(rows);
    entities[4].second.replace("<worksheet", "<!DOCTYPE w [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><worksheet");
    QTest::newRow("entities") << zipOf(entities) << "DOCTYPE";
}

void TestTableFiles::hostileWorkbooksGetASentence()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, said);
    const std::string path = m_files.write("hostile.xlsx", bytes);
    const std::string sentence = sentenceOf([&] { load(path, by("who,day")); });
    QVERIFY2(sentence.find(said.toStdString()) != std::string::npos, sentence.c_str());
    QVERIFY2(sentence.find("hostile.xlsx") != std::string::npos, sentence.c_str());
}

QTEST_GUILESS_MAIN(TestTableFiles)
#include "tst_table_files.moc"
