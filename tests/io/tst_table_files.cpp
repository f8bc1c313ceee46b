// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/table/recipe.h"
#include "io/table/table_format.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <sqlite3.h>

#include <map>

using test::contentOf;
using test::load;
using test::sentenceOf;

namespace {

/// Cells by their labels.
using Cells = std::map<std::vector<std::string>, double>;

Cells cellsOf(const kernels::SparseTensor& tensor)
{
    Cells cells;
    for (kernels::Count e = 0; e < tensor.entries(); ++e) {
        std::vector<std::string> key;
        for (unsigned n = 0; n < tensor.order(); ++n)
            key.push_back(tensor.modes[n].labels.at(tensor.indices[n][e]));
        cells[key] = tensor.value(e);
    }
    return cells;
}

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
                               << "more than read";
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

QTEST_GUILESS_MAIN(TestTableFiles)
#include "tst_table_files.moc"
