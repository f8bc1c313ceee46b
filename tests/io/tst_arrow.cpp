// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/recipe.h"
#include "io/table/table_format.h"
#include "io/table/values.h"
#include "kernels/base/module_file.h"
#include "kernels/base/random.h"
#include "support/python.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <map>

using test::cellsOf;
using test::contentOf;
using test::load;
using test::sentenceOf;

namespace {

constexpr const char* moduleVariable = "POLYAD_ARROW_MODULE";

/// A table's cells as they are handed over: [column][row]. What counts as missing is empty.
using Texts = std::map<std::string, std::vector<std::string>>;

Texts textsOf(const std::string& path)
{
    io::table::Recipe recipe;
    const std::unique_ptr<io::table::Reader> reader = io::table::openTable(path, recipe);
    std::vector<std::size_t> all;
    while (all.size() < reader->columns().size())
        all.insert(all.begin(), all.size()); // backwards: readers have to keep the order that is asked for
    reader->want(all);
    Texts texts;
    io::table::Rows rows;
    while (reader->take(rows)) {
        reader->split(rows);
        for (std::size_t slot = 0; slot < all.size(); ++slot) {
            std::vector<std::string>& to = texts[reader->columns()[all[slot]].name];
            for (const std::string_view field : rows.fields[slot])
                to.emplace_back(io::table::isMissing(field) ? std::string_view() : field);
        }
    }
    return texts;
}

io::ReadOptions by(const std::string& modes, const std::string& value)
{
    io::ReadOptions options;
    options.doubleValues = true;
    options.recipe.emplace();
    options.recipe->modes = io::table::parseModes(modes);
    options.recipe->value = value;
    options.recipe->aggregate = value.empty() ? io::table::Aggregate::Count : io::table::Aggregate::Max;
    return options;
}

bool isModuleThere() { return !kernels::findModule("libpolyad_arrow.so", moduleVariable).empty(); }

} // namespace

/// Parquet, Feather, Arrow IPC and ORC give the tensor that the same table as CSV gives.
class TestArrow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withoutTheModuleItIsNamed_data();
    void withoutTheModuleItIsNamed();
    void textsAreNoTablesOfTheseKinds();
    void filesReadAsTheirText_data();
    void filesReadAsTheirText();
    void tensorsAreThoseOfTheText_data();
    void tensorsAreThoseOfTheText();
    void proposalsAreThoseOfTheText();
    void nestedColumnsAreNamed();
    void streamsAreRefused();
    void damagedFilesGetASentence_data();
    void damagedFilesGetASentence();

private:
    std::string written(const QString& name);

    test::TemporaryFiles m_files;
    QString m_told;
    bool m_isWritten = false;
};

/// A file that arrow_write.py has made; it is run once.
std::string TestArrow::written(const QString& name)
{
    if (!m_isWritten) {
        m_isWritten = true;
        m_told = test::runPython(QStringLiteral(POLYAD_TEST_DATA "/../io/arrow_write.py"), {QString::fromStdString(m_files.path("."))});
    }
    return m_files.path(qPrintable(name));
}

#define NEED_MODULE_AND_PYARROW()                                                                                                          \
    if (!isModuleThere())                                                                                                                  \
        QSKIP("the Arrow module is not built: nothing of it was tested");                                                                  \
    if (!test::pythonHas("pyarrow"))                                                                                                       \
        QSKIP("python3 with pyarrow is not installed: POLYAD_TEST_PYTHON can name one that has it");                                       \
    written({});                                                                                                                           \
    QVERIFY2(m_told.isEmpty(), qPrintable(m_told))

void TestArrow::withoutTheModuleItIsNamed_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("Parquet") << QByteArray("PAR1\x15\x04\x15\x00", 8);
    QTest::newRow("Feather") << QByteArray("FEA1\0\0\0\0", 8);
    QTest::newRow("Arrow") << QByteArray("ARROW1\0\0\xff\xff\xff\xff\0\1\0\0", 16);
    QTest::newRow("ORC") << QByteArray("ORC\x0a\x03\x00\x00", 7);
}

void TestArrow::withoutTheModuleItIsNamed()
{
    QFETCH(const QByteArray, bytes);
    const QByteArray before = qgetenv(moduleVariable);
    qputenv(moduleVariable, "/nowhere/libpolyad_arrow.so");
    const std::string told = sentenceOf([&] { load(m_files.write("table.data", bytes)); });
    if (before.isNull())
        qunsetenv(moduleVariable);
    else
        qputenv(moduleVariable, before);
    QCOMPARE(told,
             "table.data: " + std::string(QTest::currentDataTag())
                 + " needs the Arrow module. Install the package polyad-arrow or run installer/arrow.sh.");
}

void TestArrow::textsAreNoTablesOfTheseKinds()
{
    const std::string path = m_files.write("orchard.csv", "ORC,tree,apples\na,x,1\nb,y,2\n");
    QCOMPARE(io::formatForReading(path)->id, std::string("csv"));
}

void TestArrow::filesReadAsTheirText_data()
{
    QTest::addColumn<QString>("text");
    for (const char* name :
         {"table_snappy.parquet", "table_zstd.parquet", "table_lz4.feather", "table_zstd.feather", "table_plain.arrow", "table.arrows"})
        QTest::newRow(name) << "table.csv";
    QTest::newRow("zoneless.parquet") << "zoneless.csv";
    for (const char* name : {"plain_zstd.orc", "plain_snappy.orc", "plain_uncompressed.orc"})
        QTest::newRow(name) << "plain.csv";
    for (const char* name : {"pandas.parquet", "pandas.feather", "pandas.orc"})
        QTest::newRow(name) << "pandas.csv";
    for (const char* name : {"polars.parquet", "polars.arrow", "polars.arrows"})
        QTest::newRow(name) << "polars.csv";
}

void TestArrow::filesReadAsTheirText()
{
    NEED_MODULE_AND_PYARROW();
    QFETCH(const QString, text);
    const std::string path = written(QTest::currentDataTag());
    if (!QFile::exists(QString::fromStdString(path)))
        QSKIP("python3 has no pandas or polars: their files were not tested");
    const Texts found = textsOf(path);
    Texts expected = textsOf(written(text));
    QCOMPARE(found.size(), expected.size());
    for (const auto& [column, cells] : expected) {
        QVERIFY2(found.contains(column), column.c_str());
        const std::vector<std::string>& those = found.at(column);
        QCOMPARE(those.size(), cells.size());
        for (std::size_t row = 0; row < cells.size(); ++row)
            QVERIFY2(those[row] == cells[row],
                     qPrintable(QStringLiteral("%1, row %2: %3, expected %4")
                                    .arg(QString::fromStdString(column))
                                    .arg(row)
                                    .arg(QString::fromStdString(those[row]), QString::fromStdString(cells[row]))));
    }
}

void TestArrow::tensorsAreThoseOfTheText_data()
{
    QTest::addColumn<QString>("modes");
    QTest::addColumn<QString>("value");
    QTest::newRow("text and dates") << "who,item,day=date(day)"
                                    << "price";
    QTest::newRow("times") << "who,hour=hour(local),h2=hour(fixed),month=year-month(at)"
                           << "weight";
    QTest::newRow("numbers") << "units,tiny,ok"
                             << "cost";
    QTest::newRow("bins") << "who,minute(clock,30),bins(tiny,5)"
                          << "";
    QTest::newRow("single precision") << "who,ok"
                                      << "tenth";
}

void TestArrow::tensorsAreThoseOfTheText()
{
    NEED_MODULE_AND_PYARROW();
    QFETCH(const QString, modes);
    QFETCH(const QString, value);
    const io::ReadOptions options = by(modes.toStdString(), value.toStdString());
    const auto expected = cellsOf(load(written("table.csv"), options).tensor);
    for (const char* name : {"table_snappy.parquet", "table_lz4.feather", "table.arrows"}) {
        const io::LoadedTensor loaded = load(written(name), options);
        QCOMPARE(loaded.report.formatId, std::string("arrow"));
        QVERIFY2(cellsOf(loaded.tensor) == expected, name);
    }
}

void TestArrow::proposalsAreThoseOfTheText()
{
    NEED_MODULE_AND_PYARROW();
    kernels::Progress progress;
    for (const auto& [name, text] : {std::pair("table_snappy.parquet", "table.csv"), std::pair("plain_zstd.orc", "plain.csv"),
                                     std::pair("table_plain.arrow", "table.csv")}) {
        const io::table::Survey found = io::table::survey(written(name), {}, progress);
        const io::table::Survey expected = io::table::survey(written(text), {}, progress);
        QVERIFY(found.rows > 0);
        QCOMPARE(io::table::modesText(found.proposal.modes), io::table::modesText(expected.proposal.modes));
        QCOMPARE(found.proposal.value, expected.proposal.value);
    }
}

void TestArrow::nestedColumnsAreNamed()
{
    NEED_MODULE_AND_PYARROW();
    const std::string path = written("nested.parquet");
    const io::LoadedTensor loaded = load(path, by("who,day", {}));
    QCOMPARE(loaded.tensor.entries(), kernels::Count{2});
    const auto isNote = [](const std::string& note) { return note.starts_with("Nested columns were not read: tags (list<"); };
    QVERIFY(std::any_of(loaded.report.notes.begin(), loaded.report.notes.end(), isNote));
    const std::string told = sentenceOf([&] { load(path, by("who,tags", {})); });
    QVERIFY2(told.starts_with("nested.parquet: the column \"tags\" is nested"), told.c_str());
    const std::string alone = sentenceOf([&] { load(written("only_nested.parquet")); });
    QVERIFY2(alone.starts_with("only_nested.parquet: the column \"tags\" is nested"), alone.c_str());
}

void TestArrow::streamsAreRefused()
{
    NEED_MODULE_AND_PYARROW();
    const std::string fifo = m_files.path("stream");
    QCOMPARE(QProcess::execute("mkfifo", {QString::fromStdString(fifo)}), 0);
    QProcess writer;
    writer.start("sh", {"-c", "cat \"$0\" > \"$1\"", QString::fromStdString(written("nested.parquet")), QString::fromStdString(fifo)});
    const std::string told = sentenceOf([&] { load(fifo, by("who,day", {})); });
    QVERIFY2(told.starts_with("stream: this kind of table cannot be read from a stream"), told.c_str());
    writer.waitForFinished();
}

void TestArrow::damagedFilesGetASentence_data()
{
    QTest::addColumn<QString>("file");
    for (const char* name : {"table_snappy.parquet", "table_zstd.parquet", "table_lz4.feather", "table_plain.arrow", "table.arrows",
                             "plain_zstd.orc", "plain_uncompressed.orc", "polars.arrow"})
        QTest::newRow(name) << QStringLiteral("small/") + QLatin1String(name);
}

/// Cut off or changed in some places: a sentence, or a table whose damage nothing shows, but never a crash.
void TestArrow::damagedFilesGetASentence()
{
    NEED_MODULE_AND_PYARROW();
    if (!m_files.names().contains("small"))
        QVERIFY(QDir(QString::fromStdString(m_files.path("."))).mkdir("small"));
    const QString told =
        test::runPython(QStringLiteral(POLYAD_TEST_DATA "/../io/arrow_write.py"), {QString::fromStdString(m_files.path("small")), "300"});
    QVERIFY2(told.isEmpty(), qPrintable(told));
    QFETCH(const QString, file);
    const QByteArray whole = contentOf(m_files.path(qPrintable(file)));
    if (whole.isEmpty())
        QSKIP("python3 has no polars: its file was not tested");
    std::size_t refused = 0;
    const auto tryOne = [&](const QByteArray& bytes) {
        const std::string sentence = sentenceOf([&] { textsOf(m_files.write("damaged", bytes)); });
        refused += sentence != "no error";
        QVERIFY2(sentence == "no error" || sentence.starts_with("damaged"), sentence.c_str());
    };
    for (int part = 1; part < 20; ++part)
        tryOne(whole.left(whole.size() * part / 20));
    QVERIFY(refused >= 10);
    std::uint64_t draw = 0;
    for (int trial = 0; trial < 400; ++trial) {
        QByteArray bytes = whole;
        for (int change = 0; change <= trial % 4; ++change) {
            // The facts about a file are at its end.
            const auto size = static_cast<std::uint64_t>(bytes.size());
            const std::uint64_t from = trial % 2 == 0 ? size - std::min<std::uint64_t>(size, 2000) : 8;
            const std::uint64_t place = from + kernels::random::bits(7, 0, draw) % (size - from);
            bytes[static_cast<qsizetype>(place)] = static_cast<char>(kernels::random::bits(7, 1, draw++));
        }
        tryOne(bytes);
    }
}

QTEST_GUILESS_MAIN(TestArrow)
#include "tst_arrow.moc"
