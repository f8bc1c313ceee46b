// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/table/aggregate.h"
#include "io/table/recipe.h"
#include "io/table/table_format.h"
#include "io/table/values.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <clocale>
#include <filesystem>
#include <map>
#include <random>

using test::Cells;
using test::cellsOf;
using test::gzipped;
using test::load;
using test::sentenceOf;

namespace {

io::ReadOptions by(const std::string& modes, const std::string& value = {}, const std::string& aggregate = {})
{
    io::ReadOptions options;
    options.recipe.emplace();
    options.recipe->modes = io::table::parseModes(modes);
    options.recipe->value = value;
    options.recipe->aggregate = io::table::parseAggregate(!aggregate.empty() ? aggregate : value.empty() ? "count" : "mean");
    return options;
}

std::vector<std::string> labels(const io::LoadedTensor& loaded, unsigned mode) { return loaded.tensor.modes.at(mode).labels; }

bool saysOneOf(const std::vector<std::string>& sentences, const char* wanted)
{
    return std::any_of(sentences.begin(), sentences.end(), [&](const std::string& each) { return each.find(wanted) != std::string::npos; });
}

} // namespace

/// Tables become tensors: what is found out of a text, what a recipe makes of it, and what bad tables are told.
class TestTableImport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rowsOfACellAreAggregated_data();
    void rowsOfACellAreAggregated();
    void sumsKeepTheirDigits();
    void dialectsAreFoundOut_data();
    void dialectsAreFoundOut();
    void datesShowTheirOrderAnywhere();
    void datesOfTheOtherOrderGetAHint();
    void quotesHoldSeparatorsAndLines();
    void openQuotesAreNamedByTheirLine_data();
    void openQuotesAreNamedByTheirLine();
    void aLastLineNeedsNoLineFeed_data();
    void aLastLineNeedsNoLineFeed();
    void blocksAreCutBetweenRows();
    void labelsOfNumbersSortAsNumbers();
    void minusZeroIsZero();
    void numbersAreReadAlikeInEveryLocale();
    void missingKeysAndValuesAreCounted();
    void timesMakeModes_data();
    void timesMakeModes();
    void timesAreReadAsPeopleWriteThem_data();
    void timesAreReadAsPeopleWriteThem();
    void timesAreConvertedOnRequest();
    void numbersFarFromNowAreNoTimes();
    void zonesAreWrittenOneWay_data();
    void zonesAreWrittenOneWay();
    void badZonesGetASentence();
    void binsHoldTheirNumbers();
    void topKeepsTheMostFrequent();
    void filtersKeepRows();
    void filtersReadFieldsAsModesDo();
    void filtersTellLongNumbersApart();
    void filtersTakeLeadingZerosAsText();
    void filtersQuoteColumnsAndValues_data();
    void filtersQuoteColumnsAndValues();
    void transformsHaveInverses();
    void knownLabelsKeepTheirIndices();
    void guessesAreReported_data();
    void guessesAreReported();
    void thousandsAreSeparatedOnRequest_data();
    void thousandsAreSeparatedOnRequest();
    void missingFilesHaveANextStep();
    void badRowsAreNamedOrSkipped();
    void hostileTablesGetASentence_data();
    void hostileTablesGetASentence();
    void proposalsSuitTheData_data();
    void proposalsSuitTheData();
    void recipesSurviveTheirText();
    void recipesKeepWhatWasChosen();
    void oldRecipesChooseTheirDialect();
    void damagedRecipesAreRefused_data();
    void damagedRecipesAreRefused();
    void recipesTravelWithTensorFiles();

private:
    test::TemporaryFiles m_files;
};

void TestTableImport::rowsOfACellAreAggregated_data()
{
    QTest::addColumn<QString>("aggregate");
    QTest::addColumn<double>("ofFour"); // 5, 1, 3, 2 in this order
    QTest::addColumn<double>("ofOne"); // 7
    QTest::newRow("count") << "count" << 4.0 << 1.0;
    QTest::newRow("sum") << "sum" << 11.0 << 7.0;
    QTest::newRow("mean") << "mean" << 2.75 << 7.0;
    QTest::newRow("median") << "median" << 2.5 << 7.0;
    QTest::newRow("min") << "min" << 1.0 << 7.0;
    QTest::newRow("max") << "max" << 5.0 << 7.0;
    QTest::newRow("first") << "first" << 5.0 << 7.0;
    QTest::newRow("last") << "last" << 2.0 << 7.0;
    QTest::newRow("any") << "any" << 1.0 << 1.0;
}

void TestTableImport::rowsOfACellAreAggregated()
{
    QFETCH(const QString, aggregate);
    const std::string path = m_files.write("a.csv", "who,what,v\nann,tea,5\nbob,tea,7\nann,tea,1\nann,tea,3\nann,tea,2\n");
    const io::LoadedTensor loaded = load(path, by("who,what", "v", aggregate.toStdString()));
    const Cells cells = cellsOf(loaded.tensor);
    QCOMPARE(cells.size(), std::size_t{2});
    QTEST(cells.at({"ann", "tea"}), "ofFour");
    QTEST(cells.at({"bob", "tea"}), "ofOne");
    QCOMPARE(loaded.report.entriesRead, kernels::Count{5});
    QCOMPARE(loaded.report.duplicatesMerged, kernels::Count{3});
    QVERIFY(saysOneOf(loaded.report.notes, "5 rows became 2 entries"));
}

/// Each row adds a rounding error where sums are not compensated.
void TestTableImport::sumsKeepTheirDigits()
{
    kernels::SparseTensor tensor({1, 1}, 1'000'000, true);
    tensor.modes[0].labels = tensor.modes[1].labels = {"x"};
    auto& values = std::get<kernels::Array<double>>(tensor.values);
    const auto aggregated = [&](io::table::Aggregate aggregate) {
        kernels::SparseTensor copy = tensor;
        kernels::Progress progress;
        io::table::aggregateCells(copy, aggregate, "rows", progress);
        return copy.value(0);
    };
    std::fill(values.begin(), values.end(), 0.1);
    QVERIFY2(std::abs(aggregated(io::table::Aggregate::Sum) - 1e5) <= 1e-10, "sum");
    QCOMPARE(aggregated(io::table::Aggregate::Mean), 0.1);
    values[0] = 1e100;
    values[1] = -1e100;
    QVERIFY(std::abs(aggregated(io::table::Aggregate::Sum) - 99999.8) <= 1e-10);
    values[0] = values[1] = 1.7e308; // no number, as before
    QVERIFY_THROWS_EXCEPTION(io::Error, aggregated(io::table::Aggregate::Sum));
}

void TestTableImport::dialectsAreFoundOut_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("layout");
    const auto text = [](const char* t) { return QByteArray(t); };
    QTest::newRow("comma") << text("a,b,v\nx,y,1.5\nx,z,2\n") << "CSV";
    QTest::newRow("CRLF") << text("a,b,v\r\nx,y,1.5\r\nx,z,2\r\n") << "CSV";
    QTest::newRow("tab") << text("a\tb\tv\nx\ty\t1.5\nx\tz\t2\n") << "TSV";
    QTest::newRow("pipe") << text("a|b|v\nx|y|1.5\nx|z|2\n") << "table separated by |";
    QTest::newRow("semicolon, comma") << text("a;b;v\nx;y;1,5\nx;z;2,0\n") << "CSV with semicolons, decimal comma";
    QTest::newRow("blanks") << text("a  b   v\nx  y 1.5\nx z   2\n") << "table separated by blanks";
    QTest::newRow("mark") << text("\xef\xbb\xbf"
                                  "a,b,v\nx,y,1.5\nx,z,2\n")
                          << "CSV";
    QTest::newRow("no last line feed") << text("a,b,v\nx,y,1.5\nx,z,2") << "CSV";
    QTest::newRow("titles before it") << text("Report of 2024\n\na,b,v\nx,y,1.5\nx,z,2\n") << "CSV";
    QTest::newRow("comments before it") << text("# made by hand\n# units: m\na,b,v\nx,y,1.5\nx,z,2\n") << "CSV";
    QTest::newRow("Excel's separator") << text("sep=;\r\na;b;v\r\nx;y;1,5\r\nx;z;2\r\n") << "CSV with semicolons, decimal comma";
    QTest::newRow("Excel's separator, quoted") << text("\"sep=|\"\na|b|v\nx|y|1.5\nx|z|2\n") << "table separated by |";
    QTest::newRow("separators before it") << text(",,\na,b,v\nx,y,1.5\nx,z,2\n") << "CSV";
    QTest::newRow("tabs before it") << text("\t\t\n\t\t\na\tb\tv\nx\ty\t1.5\nx\tz\t2\n") << "TSV";
    QTest::newRow("titles and separators before it") << text("Report of 2024\n,,\na,b,v\nx,y,1.5\nx,z,2\n") << "CSV";
    QTest::newRow("CR") << text("a,b,v\rx,y,1.5\rx,z,2\r") << "CSV";
    QTest::newRow("CR, Latin-1") << text("a,b,\xe4,v\rx,y,\xe4,1.5\rx,z,\xe4,2") << "CSV, Latin-1";
    QTest::newRow("rows end in a separator") << text("a,b,v\nx,y,1.5,\nx,z,2,\n") << "CSV";
    QTest::newRow("gzip") << gzipped(text("a,b,v\nx,y,1.5\nx,z,2\n")) << "CSV, gzip";
    const QString wide = QStringLiteral("a,b,v\nx,y,1.5\nx,z,2\n");
    QTest::newRow("UTF-16 with a mark") << QByteArray("\xff\xfe") + QByteArray(reinterpret_cast<const char*>(wide.utf16()), 2 * wide.size())
                                        << "CSV, UTF-16";
    QTest::newRow("UTF-16 without") << QByteArray(reinterpret_cast<const char*>(wide.utf16()), 2 * wide.size()) << "CSV, UTF-16";
}

void TestTableImport::dialectsAreFoundOut()
{
    QFETCH(const QByteArray, bytes);
    const io::LoadedTensor loaded = load(m_files.write("d.csv", bytes), by("a,b", "v"));
    QTEST(QString::fromStdString(loaded.report.layout), "layout");
    const Cells wanted{{{"x", "y"}, 1.5}, {{"x", "z"}, 2}};
    QVERIFY(cellsOf(loaded.tensor) == wanted);
}

void TestTableImport::datesShowTheirOrderAnywhere()
{
    const auto monthsOf = [&](int rows) {
        QByteArray bytes("d,k\n");
        for (int i = 0; i < rows; ++i)
            bytes += QByteArray(i < rows * 9 / 10 ? "03/02/2024" : "31/01/2024") + ",k" + QByteArray::number(i % 5) + "\n";
        return labels(load(m_files.write("day.csv", bytes), by("month(d),k")), 0);
    };
    QVERIFY(monthsOf(2000) == (std::vector<std::string>{"1", "2"}));
    QVERIFY(monthsOf(400000) == (std::vector<std::string>{"1", "2"})); // past the first megabyte
}

void TestTableImport::datesOfTheOtherOrderGetAHint()
{
    io::ReadOptions options = by("month(d),k");
    const std::string path = m_files.write("order.csv", "d,k\n01/31/2024,a\n31/01/2024,b\n");
    const std::string told = sentenceOf([&] { load(path, options); });
    QVERIFY2(told.find("order.csv row 2 (line 3), column d: is no date or time") != std::string::npos, told.c_str());
    QVERIFY2(told.find("choose --day-first yes") != std::string::npos, told.c_str());
    options.recipe->dialect.dayFirst = true;
    const std::string other = sentenceOf([&] { load(path, options); });
    QVERIFY2(other.find("choose --day-first no") != std::string::npos, other.c_str());
}

void TestTableImport::openQuotesAreNamedByTheirLine_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("line");
    QByteArray rows("a,b\n");
    for (int i = 0; i < 300000; ++i)
        rows += QByteArray::number(i) + ",\"x\"\"y\"\n";
    QTest::newRow("header") << QByteArray("a,\"b\nx,1\n") << 1;
    QTest::newRow("a row") << QByteArray("sep=,\na,b\n\"x\ny\",1\nz,\"1\n\"\"\n") << 5;
    QTest::newRow("past the first megabyte") << rows + "x,\"1\n" + QByteArray("y,2\n").repeated(1000) << 300002;
    QTest::newRow("far before the end") << rows + "x,\"1\n" + QByteArray("y,2\n").repeated(20 << 20) << 300002;
}

void TestTableImport::openQuotesAreNamedByTheirLine()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const int, line);
    const std::string told = sentenceOf([&] { load(m_files.write("open.csv", bytes), by("a,b")); });
    const std::string wanted = fmt::format("open.csv line {}: a quote that is opened is never closed", line);
    QVERIFY2(told.find(wanted) != std::string::npos, told.c_str());
}

void TestTableImport::quotesHoldSeparatorsAndLines()
{
    const std::string path =
        m_files.write("q.csv", "city,note,v\n\"Chicago, IL\",\"two\nlines\",1\n\"the \"\"Loop\"\"\",5\" pipe,2\n\"\",x,3\n");
    const io::LoadedTensor loaded = load(path, by("city,note", "v"));
    const Cells wanted{{{"Chicago, IL", "two\nlines"}, 1}, {{"the \"Loop\"", "5\" pipe"}, 2}};
    QVERIFY(cellsOf(loaded.tensor) == wanted);
    QVERIFY(saysOneOf(loaded.report.notes, "1 row had no value in column city"));

    const io::LoadedTensor latin = load(m_files.write("l.csv", QByteArray("city,n\nM\xfcnchen,a\nK\xf6ln,b\n")), by("city,n"));
    QVERIFY(labels(latin, 0) == (std::vector<std::string>{"Köln", "München"}));
    QCOMPARE(latin.report.layout, std::string("CSV, Latin-1"));
}

void TestTableImport::aLastLineNeedsNoLineFeed_data()
{
    QTest::addColumn<QByteArray>("last");
    QTest::addColumn<int>("entries");
    QTest::newRow("value") << QByteArray("x,z,2") << 2;
    QTest::newRow("empty") << QByteArray("x,z,") << 1;
    QTest::newRow("empty, CR") << QByteArray("x,z,\r") << 1;
    QTest::newRow("quoted") << QByteArray("x,\"z\",") << 1;
    QTest::newRow("all empty") << QByteArray(",,") << 1;
}

void TestTableImport::aLastLineNeedsNoLineFeed()
{
    QFETCH(const QByteArray, last);
    const io::LoadedTensor loaded = load(m_files.write("last.csv", "a,b,v\nx,y,1\n" + last), by("a,b", "v"));
    QTEST(static_cast<int>(loaded.tensor.entries()), "entries");
}

/// Rows longer than what is read at once, quoted line feeds across its ends, several threads: all rows arrive, in their order.
void TestTableImport::blocksAreCutBetweenRows()
{
    std::mt19937 random(7);
    QByteArray bytes("key,other,v\n");
    Cells wanted;
    for (int row = 0; row < 60000; ++row) {
        const QByteArray text(static_cast<int>(random() % 60), 'a');
        const std::string key = std::to_string(random() % 97) + "\n,\"" + text.toStdString();
        const std::string other = std::to_string(row % 11);
        QByteArray quoted = QByteArray::fromStdString(key).replace("\"", "\"\"");
        bytes += '"' + quoted + "\"," + QByteArray::fromStdString(other) + ',' + QByteArray::number(row) + '\n';
        wanted[{key, other}] = row; // the last one counts
    }
    const io::LoadedTensor loaded = load(m_files.write("long.csv", bytes), by("key,other", "v", "last"));
    QVERIFY(cellsOf(loaded.tensor) == wanted);
    QCOMPARE(loaded.report.entriesRead, kernels::Count{60000});
    QVERIFY(cellsOf(load(m_files.write("long.csv.gz", gzipped(bytes)), by("key,other", "v", "last")).tensor) == wanted);
}

void TestTableImport::labelsOfNumbersSortAsNumbers()
{
    const io::LoadedTensor loaded = load(m_files.write("n.csv", "hour,zip\n10,02139\n9.0,10001\n9,2139\n-1,90210\n"), by("hour,zip"));
    QVERIFY(labels(loaded, 0) == (std::vector<std::string>{"-1", "9", "10"}));
    QVERIFY(labels(loaded, 1) == (std::vector<std::string>{"02139", "10001", "2139", "90210"})); // codes with leading zeros are texts
    const io::LoadedTensor folded = load(m_files.write("f.csv", "a,b\nTea,x\ntea,x\nTEE,x\nÄÖ,x\näö,x\n"), by("fold(a),b"));
    QVERIFY(labels(folded, 0) == (std::vector<std::string>{"tea", "tee", "äö"}));
}

void TestTableImport::minusZeroIsZero()
{
    const io::LoadedTensor loaded = load(m_files.write("zero.csv", "a,b\n0,x\n-0,x\n-0.0,x\n-1,x\n1,x\n"), by("a,b"));
    QVERIFY(labels(loaded, 0) == (std::vector<std::string>{"-1", "0", "1"}));
    QCOMPARE(cellsOf(loaded.tensor).at({"0", "x"}), 3.0);
    // Among texts it is a text.
    QVERIFY(labels(load(m_files.write("zero.csv", "a,b\n0,x\n-0,x\nq,x\n"), by("a,b")), 0) == (std::vector<std::string>{"-0", "0", "q"}));
}

void TestTableImport::numbersAreReadAlikeInEveryLocale()
{
    const auto check = [] {
        using io::table::numberOf;
        for (const char* tiny : {"1.5e-400", "-0.001e-330", "1e-99999999999", "0.000e400"})
            QVERIFY2(numberOf(tiny, '.') == 0.0, tiny);
        for (const char* large : {"1.5e400", "-1e400", "1e99999999999", "0.01E+320"})
            QVERIFY2(!numberOf(large, '.'), large);
        QVERIFY(numberOf("1,5e-400", ',') == 0.0 && !numberOf("1,5e400", ','));
        QVERIFY(!numberOf((std::string(400, '9') + ".5").c_str(), '.'));
        QVERIFY(numberOf(("0." + std::string(400, '0') + "1").c_str(), '.') == 0.0);
        QVERIFY(numberOf("4e-320", '.') == 4e-320);
    };
    check();
    // A locale with a decimal comma, made here since few machines have one.
    const QString locale = QString::fromStdString(m_files.path("de_DE.UTF-8"));
    QProcess::execute("localedef", {"-i", "de_DE", "-f", "UTF-8", locale});
    qputenv("LOCPATH", QFileInfo(locale).path().toLocal8Bit());
    const std::string before = std::setlocale(LC_NUMERIC, nullptr);
    if (!std::setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        QSKIP("no locale with a decimal comma");
    check();
    std::setlocale(LC_NUMERIC, before.c_str());
    qunsetenv("LOCPATH");
}

void TestTableImport::missingKeysAndValuesAreCounted()
{
    const std::string path = m_files.write("m.csv", "a,b,v\nx,y,1\n,y,2\nNA,y,2\nx,null,3\nx,z,NaN\nx,z,\nx,z,4\n");
    const io::LoadedTensor loaded = load(path, by("a,b", "v", "sum"));
    const Cells wanted{{{"x", "y"}, 1}, {{"x", "z"}, 4}};
    QVERIFY(cellsOf(loaded.tensor) == wanted);
    QVERIFY(saysOneOf(loaded.report.notes, "2 rows had no value in column a"));
    QVERIFY(saysOneOf(loaded.report.notes, "1 row had no value in column b"));
    QVERIFY(saysOneOf(loaded.report.notes, "2 rows had no value in column v"));
}

void TestTableImport::timesMakeModes_data()
{
    QTest::addColumn<QString>("mode");
    QTest::addColumn<QStringList>("wanted");
    QTest::newRow("year") << "year(t)" << QStringList{"2020", "2021"};
    QTest::newRow("quarter") << "quarter(t)" << QStringList{"1", "4"};
    QTest::newRow("month") << "month(t)" << QStringList{"1", "12"};
    QTest::newRow("week") << "week(t)" << QStringList{"1", "53"}; // 2021-01-03 is in the last week of 2020
    QTest::newRow("day") << "day(t)" << QStringList{"3", "4", "31"};
    QTest::newRow("weekday") << "weekday(t)" << QStringList{"Mon", "Thu", "Sun"};
    QTest::newRow("hour") << "hour(t)" << QStringList{"0", "5", "23"};
    QTest::newRow("minute") << "minute(t,15)" << QStringList{"00:00", "05:45", "23:30"};
    QTest::newRow("date") << "date(t)" << QStringList{"2020-12-31", "2021-01-03", "2021-01-04"};
    QTest::newRow("year-quarter") << "year-quarter(t)" << QStringList{"2020-Q4", "2021-Q1"};
    QTest::newRow("year-month") << "year-month(t)" << QStringList{"2020-12", "2021-01"};
    QTest::newRow("year-week") << "year-week(t)" << QStringList{"2020-W53", "2021-W01"};
    QTest::newRow("date-hour") << "date-hour(t)" << QStringList{"2020-12-31 23:00", "2021-01-03 00:00", "2021-01-04 05:00"};
}

void TestTableImport::timesMakeModes()
{
    QFETCH(const QString, mode);
    QFETCH(const QStringList, wanted);
    const std::string path = m_files.write("t.csv", "t,b\n2021-01-04T05:59:00Z,x\n2020-12-31 23:30,x\n2021-01-03,x\n");
    const io::LoadedTensor loaded = load(path, by(mode.toStdString() + ",b"));
    QStringList found;
    for (const std::string& label : labels(loaded, 0))
        found += QString::fromStdString(label);
    QCOMPARE(found, wanted);
}

void TestTableImport::timesAreReadAsPeopleWriteThem_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("wanted"); // empty: no time
    QTest::addColumn<bool>("dayFirst");
    const auto row = [](const char* text, const char* wanted, bool dayFirst = false) { QTest::newRow(text) << text << wanted << dayFirst; };
    row("2013-01-31", "2013-01-31 00:00:00");
    row("2013-01-31T05:06:07.25+02:00", "2013-01-31 05:06:07");
    row("2013-01-31T24:00:00", "2013-02-01 00:00:00");
    row("2013/1/31 5:06", "2013-01-31 05:06:00");
    row("20130131", "2013-01-31 00:00:00");
    row("20130131T0506", "2013-01-31 05:06:00");
    row("31.01.2013", "2013-01-31 00:00:00");
    row("01/02/2013", "2013-01-02 00:00:00");
    row("01/02/2013 5:00 PM", "2013-02-01 17:00:00", true);
    row("12/31/13 12:00 AM", "2013-12-31 00:00:00");
    row("31 Jan 2013", "2013-01-31 00:00:00");
    row("31-JAN-13", "2013-01-31 00:00:00");
    row("January 31, 2013 05:06", "2013-01-31 05:06:00");
    row("31/Jan/2013:05:06:07 -0700", "2013-01-31 05:06:07");
    row("2013-01", "2013-01-01 00:00:00");
    row("05:30", "1970-01-01 05:30:00");
    row("2013-02-30", "");
    row("2013-13-01", "");
    row("25:00", "");
    row("05:60", "");
    row("99999999", "");
    row("12345", "");
    row("Mar", "");
    row("5 apples", "");
    row("2013-01-31 5:06 xx", "");
    row("-", "");
}

void TestTableImport::timesAreReadAsPeopleWriteThem()
{
    QFETCH(const QString, text);
    QFETCH(const QString, wanted);
    QFETCH(const bool, dayFirst);
    const auto time = io::table::timeOf(text.toStdString(), dayFirst);
    QString found;
    if (time)
        found = QDate(1970, 1, 1).addDays(time->day).toString("yyyy-MM-dd") + ' ' + QTime(0, 0).addSecs(time->second).toString("HH:mm:ss");
    QCOMPARE(found, wanted);
}

void TestTableImport::timesAreConvertedOnRequest()
{
    const std::string path = m_files.write("z.csv",
                                           "id,t\na,2024-01-31T23:30:00Z\na,2024-02-01T00:30:00+02:00\n"
                                           "b,2024-01-31 20:00 -0530\nb,2024-01-31 23:30\nc,2024-01-31\n");
    const auto months = [&](const std::string& modes) { return cellsOf(load(path, by(modes)).tensor); };
    QVERIFY(months("id,month(t)") == (Cells{{{"a", "1"}, 1}, {{"a", "2"}, 1}, {{"b", "1"}, 2}, {{"c", "1"}, 1}}));
    QVERIFY(months("id,month(t,zone=UTC)") == (Cells{{{"a", "1"}, 2}, {{"b", "1"}, 1}, {{"b", "2"}, 1}, {{"c", "1"}, 1}}));
    QVERIFY(months("id,minute(t,30,zone=+02:00)")
            == (Cells{{{"a", "00:30"}, 1}, {{"a", "01:30"}, 1}, {{"b", "03:30"}, 1}, {{"b", "23:30"}, 1}, {{"c", "00:00"}, 1}}));
    // Seconds since 1970 are in UTC.
    const std::string epochs = m_files.write("e.csv", "id,t\na,1706743800\nb,1706743800\n");
    QVERIFY(labels(load(epochs, by("id,date(t)")), 1) == (std::vector<std::string>{"2024-01-31"}));
    QVERIFY(labels(load(epochs, by("id,date(t,zone=+1)")), 1) == (std::vector<std::string>{"2024-02-01"}));
}

/// Such numbers once became dates of other years.
void TestTableImport::numbersFarFromNowAreNoTimes()
{
    const auto dayOf = [](double number) {
        const auto time = io::table::timeOfEpoch(number);
        return time ? QDate(1970, 1, 1).addDays(time->day).toString("yyyy-MM-dd") : QString();
    };
    QCOMPARE(dayOf(1706743800), QString("2024-01-31"));
    QCOMPARE(dayOf(-1), QString("1969-12-31"));
    QCOMPARE(dayOf(253402300799e9), QString("9999-12-31"));
    for (const double number : {253402300800e9, 1356998400e18, -1356998400e18, 1e300, -1e300})
        QCOMPARE(dayOf(number), QString());

    QByteArray bytes("timestamp,k,v\n1356998400e18,k1,1\n");
    for (int i = 0; i < 30; ++i)
        bytes += QByteArray::number(1357084800 + 86400 * i) + ",k" + QByteArray::number(i % 3) + ",1\n";
    const std::string path = m_files.write("far.csv", bytes);
    const std::string told = sentenceOf([&] { load(path, by("date(timestamp),k")); });
    QVERIFY2(told.find("far.csv row 1 (line 2), column timestamp: is no date or time") != std::string::npos, told.c_str());
    kernels::Progress progress;
    const auto column = io::table::survey(path, {}, progress).columns.front();
    QVERIFY(column.isEpoch && column.lastDay - column.firstDay == 29);
}

void TestTableImport::zonesAreWrittenOneWay_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("wanted");
    const auto row = [](const char* text, const char* wanted) { QTest::newRow(text) << QString(text) << QString(wanted); };
    row("UTC", "UTC");
    row("z", "UTC");
    row("gmt", "UTC");
    row("+00:00", "UTC");
    row("+2", "+02:00");
    row("+02:00", "+02:00");
    row("-0530", "-05:30");
    row("+19:00", "");
    row("Europe/Berlin", "");
    row("2", "");
    row("", "");
    row("+2 ", "");
}

void TestTableImport::zonesAreWrittenOneWay()
{
    QFETCH(const QString, text);
    QFETCH(const QString, wanted);
    QCOMPARE(QString::fromStdString(io::table::zoneNamed(text.toStdString()).value_or("")), wanted);
    if (wanted.isEmpty())
        return;
    io::table::Recipe recipe;
    recipe.modes =
        io::table::parseModes(fmt::format("a,h=hour(t, zone={}),top(minute(t,15,zone={}),3)", text.toStdString(), text.toStdString()));
    QCOMPARE(recipe.modes[1].zone, wanted.toStdString());
    QCOMPARE(recipe.modes[2].number, 15u);
    QVERIFY(io::table::parseModes(io::table::modesText(recipe.modes)) == recipe.modes);
    QVERIFY(io::table::recipeFromJson(io::table::toJson(recipe)) == recipe);
}

void TestTableImport::badZonesGetASentence()
{
    const auto told = [](const std::string& modes) { return sentenceOf([&] { io::table::parseModes(modes); }); };
    QVERIFY(told("a,hour(t,zone=Mars)").find("this time zone is not known") != std::string::npos);
    QVERIFY(told("a,hour(t,utc)").find("only zone=") != std::string::npos);
    QVERIFY(told("a,bins(x,3,zone=UTC)").find("a ) is missing") != std::string::npos);
    const std::string json = R"({"polyad_recipe":1,"modes":[{"column":"x","zone":"UTC"},{"column":"y"}]})";
    QVERIFY(sentenceOf([&] { io::table::recipeFromJson(json); }).find("not made of times") != std::string::npos);
}

void TestTableImport::binsHoldTheirNumbers()
{
    QByteArray bytes("x,b\n");
    for (int i = 0; i < 1000; ++i)
        bytes += QByteArray::number(i * i) + ",k\n";
    const std::string path = m_files.write("b.csv", bytes);
    const io::LoadedTensor equal = load(path, by("bins(x,4),b"));
    QCOMPARE(labels(equal, 0).size(), std::size_t{4});
    QCOMPARE(equal.tensor.value(0), 500.0); // of i² below 998001 / 4
    const io::LoadedTensor quantiles = load(path, by("quantiles(x,4),b"));
    for (kernels::Count e = 0; e < 4; ++e)
        QCOMPARE(quantiles.tensor.value(e), 250.0);
    QCOMPARE(quantiles.recipe->modes[0].edges.size(), std::size_t{5});

    // The edges are part of the recipe: the next file is cut at the same places.
    io::ReadOptions again;
    again.recipe = quantiles.recipe;
    const io::LoadedTensor next = load(m_files.write("b2.csv", "x,b\n0,k\n-5,k\n1e9,k\n"), again);
    QVERIFY(labels(next, 0) == labels(quantiles, 0));
    QCOMPARE(next.tensor.value(0), 2.0);
    QCOMPARE(next.tensor.value(1), 1.0);

    const std::string told = sentenceOf([&] { load(path, by("logbins(x,4),b")); });
    QVERIFY2(told.find("logarithmic bins need numbers above 0") != std::string::npos, told.c_str());
}

void TestTableImport::topKeepsTheMostFrequent()
{
    const io::LoadedTensor loaded = load(m_files.write("k.csv", "a,b\nq,1\nx,1\ny,1\ny,1\nz,1\nz,1\nz,1\nw,1\n"), by("top(a,2),b"));
    QVERIFY(labels(loaded, 0) == (std::vector<std::string>{"y", "z", "(other)"}));
    QVERIFY(cellsOf(loaded.tensor) == (Cells{{{"y", "1"}, 2}, {{"z", "1"}, 3}, {{"(other)", "1"}, 3}}));
}

namespace {

/// Labels of mode a of the rows that pass.
std::vector<std::string> keptRows(const std::string& path, const std::string& filter)
{
    io::ReadOptions options = by("a,b");
    options.recipe->filters.push_back(io::table::parseFilter(filter));
    return labels(load(path, options), 0);
}

} // namespace

void TestTableImport::filtersKeepRows()
{
    const std::string path = m_files.write("f.csv", "a,b,month,day\nx,1,3,2020-01-05\ny,1,12,2020-02-05\nz,1,4,2020-03-05\n");
    const auto kept = [&](const char* filter) { return keptRows(path, filter); };
    QVERIFY(kept("month>=4") == (std::vector<std::string>{"y", "z"}));
    QVERIFY(kept("month<12") == (std::vector<std::string>{"x", "z"}));
    QVERIFY(kept("a != y") == (std::vector<std::string>{"x", "z"}));
    QVERIFY(kept("a=y") == (std::vector<std::string>{"y"}));
    QVERIFY(kept("day>2020-01-31") == (std::vector<std::string>{"y", "z"}));
}

void TestTableImport::filtersReadFieldsAsModesDo()
{
    const auto kept = &keptRows;
    using Names = std::vector<std::string>;
    const std::string prices = m_files.write("comma.csv", "a;b;p\nx;1;9,5\ny;1;10,5\nz;1;1,2\n");
    QVERIFY(kept(prices, "p>=9,5") == (Names{"x", "y"}));
    QVERIFY(kept(prices, "p>=9.5") == (Names{"x", "y"}));

    // Epochs: 2013-01-01 22:40, 2013-01-31 05:00 and 2013-02-01 00:00.
    const std::string epochs = m_files.write("epochs.csv", "a,b,t\nx,1,1357080000\ny,1,1359608400\nz,1,1359676800\n");
    QVERIFY(kept(epochs, "t>=2013-01-31") == (Names{"y", "z"}));
    QVERIFY(kept(epochs, "t<2013-01-31 05:00") == (Names{"x"}));
    QVERIFY(kept(epochs, "t>=1359608400") == (Names{"y", "z"}));

    const std::string times = m_files.write("times.csv", "a,b,t\nx,1,2013-01-30 23:00\ny,1,2013-01-31 05:00\nz,1,2013-02-01 00:00\n");
    QVERIFY(kept(times, "t=2013-01-31") == (Names{"y"}));
    QVERIFY(kept(times, "t!=2013-01-31") == (Names{"x", "z"}));
    QVERIFY(kept(times, "t<=2013-01-31") == (Names{"x", "y"}));
    QVERIFY(kept(times, "t>2013-01-31") == (Names{"z"}));
    QVERIFY(kept(times, "t>2013-01-31 04:59") == (Names{"y", "z"}));
    QVERIFY(kept(times, "t<=2013-01-31 00:00") == (Names{"x"}));
}

/// Above 2^53 neighbours are the same double.
void TestTableImport::filtersTellLongNumbersApart()
{
    using Names = std::vector<std::string>;
    const std::string path =
        m_files.write("ids.csv", "a,b,id\nw,1,-9007199254740993\nx,1,9007199254740992\ny,1,9007199254740993\nz,1,123456789012345678901\n");
    QVERIFY(keptRows(path, "id=9007199254740993") == (Names{"y"}));
    QVERIFY(keptRows(path, "id!=9007199254740993") == (Names{"w", "x", "z"}));
    QVERIFY(keptRows(path, "id>9007199254740992") == (Names{"y", "z"}));
    QVERIFY(keptRows(path, "id<=9007199254740992") == (Names{"w", "x"}));
    QVERIFY(keptRows(path, "id>=-9007199254740992") == (Names{"x", "y", "z"}));
    QVERIFY(keptRows(path, "id<123456789012345678901") == (Names{"w", "x", "y"}));
    QVERIFY(keptRows(path, "id>=9007199254740992.5") == (Names{"x", "y", "z"})); // no whole number: as doubles
}

void TestTableImport::filtersTakeLeadingZerosAsText()
{
    using Names = std::vector<std::string>;
    const std::string path = m_files.write("zip.csv", "a,b,zip\nx,1,00501\ny,1,501\nz,1,10001\n");
    QVERIFY(keptRows(path, "zip=501") == (Names{"y"}));
    QVERIFY(keptRows(path, "zip=00501") == (Names{"x"}));
    QVERIFY(keptRows(path, "zip!=501") == (Names{"x", "z"}));
    QVERIFY(keptRows(path, "zip>=502") == (Names{"z"})); // an order is that of numbers: months can be 01 to 12
    QVERIFY(keptRows(path, "zip<00600") == (Names{"x", "y"}));
}

void TestTableImport::filtersQuoteColumnsAndValues_data()
{
    QTest::addColumn<QString>("column");
    QTest::addColumn<QString>("value");
    QTest::newRow("plain") << "x"
                           << "a b";
    QTest::newRow("sign in the column") << "x<y"
                                        << "a";
    QTest::newRow("exclamation mark") << "wow!"
                                      << "a<b";
    QTest::newRow("quotes") << "\"a\" b"
                            << "\"c\"";
    QTest::newRow("blanks") << " x "
                            << " a ";
    QTest::newRow("equals sign first") << "x"
                                       << "=a";
    QTest::newRow("empty value") << "x"
                                 << "";
}

void TestTableImport::filtersQuoteColumnsAndValues()
{
    QFETCH(const QString, column);
    QFETCH(const QString, value);
    using Test = io::table::Filter::Test;
    for (const Test test : {Test::Equal, Test::NotEqual, Test::Less, Test::LessEqual, Test::Greater, Test::GreaterEqual}) {
        const io::table::Filter filter{column.toStdString(), test, value.toStdString()};
        const std::string text = io::table::filterText(filter);
        QVERIFY2(io::table::parseFilter(text) == filter, text.c_str());
    }
    io::ReadOptions options = by("\"x<y\",b");
    options.recipe->filters.push_back(io::table::parseFilter("\"x<y\" = a"));
    QVERIFY(labels(load(m_files.write("sign.csv", "x<y,b,v\na,k,1\nc,k,2\n"), options), 0) == (std::vector<std::string>{"a"}));
    for (const char* text : {"\"x<y=a", "\"\"=a", "\"x\"a", "x=\"a\"b"})
        QVERIFY_THROWS_EXCEPTION(io::Error, io::table::parseFilter(text));
}

void TestTableImport::transformsHaveInverses()
{
    const std::string path = m_files.write("v.csv", "a,b,v\nx,p,1\nx,q,10\ny,p,100\ny,q,1000\n");
    io::ReadOptions options = by("a,b", "v");
    for (const char* each : {"clip:2:500", "log1p", "centre:a", "scale"})
        options.recipe->transforms.push_back(io::table::parseTransform(each));
    const io::LoadedTensor loaded = load(path, options);
    const std::vector<double> wanted{2, 10, 100, 500};
    double sum = 0, squares = 0;
    for (kernels::Count e = 0; e < 4; ++e) {
        const std::vector<kernels::Index> index{loaded.tensor.indices[0][e], loaded.tensor.indices[1][e]};
        const double back = io::table::asWritten(loaded.recipe->transforms, {"a", "b"}, index, loaded.tensor.value(e));
        QVERIFY(std::abs(back - wanted[e]) < 1e-4 * wanted[e]); // values are floats
        sum += loaded.tensor.value(e);
        squares += loaded.tensor.value(e) * loaded.tensor.value(e);
    }
    QVERIFY(std::abs(sum) < 1e-6);
    QVERIFY(std::abs(squares / 4 - 1) < 1e-5);
    const std::string told = sentenceOf([&] {
        io::ReadOptions negative = by("a,b", "v");
        negative.recipe->transforms.push_back(io::table::parseTransform("log1p"));
        load(m_files.write("neg.csv", "a,b,v\nx,p,-2\n"), negative);
    });
    QVERIFY2(told.find("log1p needs values above -1") != std::string::npos, told.c_str());
}

void TestTableImport::knownLabelsKeepTheirIndices()
{
    io::ReadOptions options = by("a,b");
    options.knownModes = {{3, "a", {"z", "x", "m"}}, {1, "b", {"1"}}};
    const io::LoadedTensor loaded = load(m_files.write("u.csv", "a,b\nx,1\nnew,1\nz,1\n"), options);
    QVERIFY(labels(loaded, 0) == (std::vector<std::string>{"z", "x", "m", "new"}));
    QVERIFY(cellsOf(loaded.tensor) == (Cells{{{"x", "1"}, 1}, {{"z", "1"}, 1}, {{"new", "1"}, 1}}));
}

void TestTableImport::guessesAreReported_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("modes");
    QTest::addColumn<QString>("note"); // empty: none of them
    const QByteArray lines = QByteArray("x\n").repeated(30);
    QTest::newRow("either order")
        << QByteArray("t,b\n2020-05-06,q\n01/02/2024,q\n") << "month=month(t),b"
        << "Dates such as 01/02/2024 could have the day or the month first. They were read month first. If the day "
           "comes first, choose --day-first yes.";
    QTest::newRow("shown by one date") << QByteArray("t,b\n01/02/2024,q\n01/31/2024,q\n") << "month=month(t),b"
                                       << "";
    QTest::newRow("with points") << QByteArray("t,b\n01.02.2024,q\n") << "month=month(t),b"
                                 << "";
    QTest::newRow("dates as text") << QByteArray("t,b\n01/02/2024,q\n") << "t,b"
                                   << "";
    QTest::newRow("Latin-1") << QByteArray("a,b\nM\xfcnchen,q\n") << "a,b"
                             << "The file is not valid UTF-8. It was read as Latin-1. Choose another encoding with --encoding.";
    QTest::newRow("stray quotes")
        << "a,b\nz,q\n\"" + lines + "\",q\n"
        << "a,b"
        << "Row 2: a quoted value spans 31 lines. If rows are missing, remove the quotes around it, or write them "
           "twice.";
    QTest::newRow("a text of some lines") << QByteArray("a,b\n\"x\ny\nz\",q\n") << "a,b"
                                          << "";
    const QByteArray filler = QByteArray("plain text,q\n").repeated(30'000); // further than the encoding is looked for
    QTest::newRow("bytes replaced")
        << "a,b\n" + filler + "caf\xe9,q\n"
        << "a,b"
        << "Column a: 1 label has bytes that are not UTF-8, shown as \xef\xbf\xbd. Choose --encoding latin-1 if the "
           "file is in Latin-1.";
    QTest::newRow("labels made equal")
        << "a,b\n" + filler + "caf\xe9,q\ncaf\xe8,q\ncaf\xe8,r\n"
        << "a,b"
        << "Column a: 2 labels have bytes that are not UTF-8, shown as \xef\xbf\xbd. 1 of them is now equal to "
           "another label. Choose --encoding latin-1 if the file is in Latin-1.";
}

void TestTableImport::guessesAreReported()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, modes);
    QFETCH(const QString, note);
    const io::LoadReport report = load(m_files.write("guess.csv", text), by(modes.toStdString())).report;
    std::vector<std::string> notes = report.notes;
    notes.insert(notes.end(), report.warnings.begin(), report.warnings.end());
    const QByteArray all = QByteArray::fromStdString(fmt::format("{}", fmt::join(notes, "\n")));
    if (note.isEmpty())
        QCOMPARE(notes.size(), std::size_t{1}); // what became of the rows
    else
        QVERIFY2(std::find(notes.begin(), notes.end(), note.toStdString()) != notes.end(), all);
}

void TestTableImport::thousandsAreSeparatedOnRequest_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("thousands");
    QTest::addColumn<double>("value"); // of r,t
    QTest::newRow("comma") << QByteArray("a,b,v\np,q,1.5\nr,t,\"1,234,567.5\"\n") << "," << 1234567.5;
    QTest::newRow("point") << QByteArray("a;b;v\np;q;1,5\nr;t;-1.234,5\n") << "." << -1234.5;
    QTest::newRow("only points") << QByteArray("a;b;v\np;q;2\nr;t;1.234.567\n") << "." << 1234567.0;
    QTest::newRow("blank") << QByteArray("a;b;v\np;q;1,5\nr;t;1 234,5\n") << " " << 1234.5;
    QTest::newRow("no-break space") << QByteArray("a;b;v\np;q;1,5\nr;t;12\xc2\xa0\x33\x34\x35,5\n") << " " << 12345.5;
    QTest::newRow("apostrophe") << QByteArray("a;b;v\np;q;1.5\nr;t;1'234.5e2\n") << "'" << 123450.0;
}

void TestTableImport::thousandsAreSeparatedOnRequest()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, thousands);
    QFETCH(const double, value);
    const std::string path = m_files.write("thousands.csv", text);
    io::ReadOptions options = by("a,b", "v");
    const std::string told = sentenceOf([&] { load(path, options); });
    const std::string option = "Choose --thousands "
        + (thousands == " "       ? std::string("blank")
               : thousands == "'" ? "\"'\""
                                  : thousands.toStdString())
        + " if";
    QVERIFY2(told.find("row 2 (line 3), column v: is no number") != std::string::npos && told.find(option) != std::string::npos,
             told.c_str());
    options.recipe->dialect.thousands = thousands[0].toLatin1();
    QCOMPARE(cellsOf(load(path, options).tensor).at({"r", "t"}), value);
    QVERIFY(io::table::recipeFromJson(io::table::toJson(*options.recipe)) == *options.recipe);
    kernels::Progress progress;
    io::table::Recipe chosen;
    chosen.dialect = options.recipe->dialect;
    QVERIFY(io::table::survey(path, chosen, progress).columns[2].kind != io::table::Kind::Text);
    options.recipe->dialect.decimal = thousands[0].toLatin1();
    QVERIFY(sentenceOf([&] { load(path, options); }).find("same separator") != std::string::npos);
    // Groups have three digits.
    for (const char* odd : {"1,23", "12,3456", "1234,567", ",123", "1,,234", "1,234,", "1,234.5.6"})
        QVERIFY2(!io::table::numberOf(odd, '.', ','), odd);
}

void TestTableImport::missingFilesHaveANextStep()
{
    m_files.write("flights.csv", "a,b\n");
    const auto told = [&](const char* name) { return sentenceOf([&] { load(m_files.path(name), by("a,b")); }); };
    QVERIFY2(told("flihgts.csv").ends_with("there is no such file. Did you mean \"flights.csv\"?"), told("flihgts.csv").c_str());
    const std::string folder = std::filesystem::path(m_files.path("x")).parent_path();
    QVERIFY2(told("quite another.csv").ends_with("It was looked for in " + folder + "."), told("quite another.csv").c_str());
    QVERIFY2(told("none/flights.csv").ends_with("There is no folder " + folder + "/none."), told("none/flights.csv").c_str());
}

void TestTableImport::badRowsAreNamedOrSkipped()
{
    const std::string path = m_files.write("bad.csv", "a,b,v\nx,\"y\n\",1\nx,z,oops\nx,w\nx,q,2\n");
    io::ReadOptions options = by("a,b", "v");
    const std::string told = sentenceOf([&] { load(path, options); });
    QVERIFY2(told.find("bad.csv row 2 (line 4), column v: is no number (found \"oops\"") != std::string::npos, told.c_str());
    options.recipe->badRows = io::table::BadRows::Skip;
    const io::LoadedTensor loaded = load(path, options);
    QCOMPARE(int(loaded.tensor.entries()), 2);
    QVERIFY(saysOneOf(loaded.report.warnings, "2 rows could not be read and were left out."));
    QVERIFY(saysOneOf(loaded.report.warnings, "bad.csv row 3 (line 5): has another number of fields than there are columns"));
}

void TestTableImport::hostileTablesGetASentence_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("empty") << QByteArray() << "is an empty file";
    QTest::newRow("only line feeds") << QByteArray(1000, '\n') << "holds no rows";
    QTest::newRow("quote never closed") << QByteArray("a,b\n\"x,1\ny,2\n") << "a quote that is opened is never closed";
    QTest::newRow("one column") << QByteArray("a\n1\n2\n3\n") << "no column for the mode \"b\"";
    QTest::newRow("many columns") << QByteArray("a,b") + QByteArray(",c").repeated(100000) + "\nx" + QByteArray(",1").repeated(100001)
            + "\n"
                                  << "";
    QTest::newRow("a NUL in a field") << QByteArray("a,b\nx\0y,1\nz,2\n", 13) << "";
    QTest::newRow("mixed encodings") << QByteArray("a,b\n\xc3\xa4,1\n\xe4,2\n") << "";
    QTest::newRow("only quotes") << QByteArray("a,b\n") + QByteArray(5001, '"') << "never closed";
    QTest::newRow("cut gzip") << gzipped(QByteArray("a,b\nx,1\n").repeated(5000)).left(60) << "ends early";
}

void TestTableImport::hostileTablesGetASentence()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, sentence);
    const std::string path = m_files.write("h.csv", bytes);
    std::string told;
    try {
        load(path, by("a,b"));
    } catch (const kernels::Error& error) {
        told = error.what();
    }
    QVERIFY2(sentence.isEmpty() ? told.empty() : QString::fromStdString(told).contains(sentence), told.c_str());
}

void TestTableImport::proposalsSuitTheData_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("modes");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("aggregate");
    std::mt19937 random(3);
    const auto number = [&](unsigned most) { return QByteArray::number(static_cast<int>(random() % most)); };
    QByteArray ratings("userId,movieId,rating,timestamp\n"), log("time,host,status,bytes\n"), events("day,user,page\n"),
        sensors("when;station;temperature\n");
    for (int i = 0; i < 2000; ++i) {
        ratings += number(300) + ',' + number(500) + ',' + QByteArray::number(0.5 * (1 + random() % 10)) + ','
            + QByteArray::number(964982703 + static_cast<int>(random() % 90000000)) + '\n';
        log += "2024-05-0" + QByteArray::number(1 + i % 9) + "T1" + number(10) + ":00:00Z,h" + number(20) + ",200," + number(100000) + '\n';
        events += "2024-0" + QByteArray::number(1 + i % 9) + "-01,u" + number(400) + ",p" + number(30) + '\n';
        sensors += "2023-06-1" + number(10) + " 0" + number(10) + ":30;S" + number(12) + ';' + number(30) + ',' + number(10) + '\n';
    }
    QTest::newRow("ratings") << ratings << "userId,movieId,year-month=year-month(timestamp)"
                             << "rating"
                             << "mean";
    QTest::newRow("log") << log << "host,date=date(time),hour=hour(time)"
                         << "bytes"
                         << "sum";
    QTest::newRow("events") << events << "user,page,date=date(day)"
                            << ""
                            << "count";
    QTest::newRow("sensors") << sensors << "station,date=date(when),hour=hour(when)"
                             << "temperature"
                             << "mean";
}

void TestTableImport::proposalsSuitTheData()
{
    QFETCH(const QByteArray, bytes);
    kernels::Progress progress;
    const std::string path = m_files.write("p.csv", bytes);
    const io::table::Survey survey = io::table::survey(path, {}, progress);
    QTEST(QString::fromStdString(io::table::modesText(survey.proposal.modes)), "modes");
    QTEST(QString::fromStdString(survey.proposal.value), "value");
    QTEST(QString::fromUtf8(io::table::aggregateWord(survey.proposal.aggregate).data()), "aggregate");
    QVERIFY(survey.isWhole);
    QCOMPARE(survey.rows, std::size_t{2000});
    const io::LoadedTensor loaded = load(path); // without a recipe it is the proposal
    QVERIFY(loaded.recipe && loaded.recipe->modes == survey.proposal.modes);
    QVERIFY(saysOneOf(loaded.report.warnings, "The columns were chosen automatically"));
}

void TestTableImport::recipesSurviveTheirText()
{
    using namespace io::table;
    Recipe recipe;
    recipe.modes = parseModes("carrier,\"odd, (name)\"=top(fold(\"a \"\"b\"\"\"),100),hour=hour(t),minute(t,15),q=quantiles(x,3)");
    recipe.modes[4].edges = {0.1, 1e-300, 2, 1e300};
    std::sort(recipe.modes[4].edges.begin(), recipe.modes[4].edges.end());
    recipe.value = "dép, delay";
    recipe.aggregate = Aggregate::Median;
    recipe.filters = {parseFilter("a>=3"), parseFilter("b != x y")};
    recipe.transforms = {parseTransform("log1p"), parseTransform("centre:hour"), parseTransform("clip:-1:2.5"), parseTransform("scale:3")};
    recipe.transforms[1].means = {1.5, -2};
    recipe.badRows = BadRows::Skip;
    recipe.dialect = {';', ',', true, false, "latin-1"};
    recipe.part = "Sheet 1";
    recipe.query = "SELECT 1";
    QVERIFY(recipeFromJson(toJson(recipe)) == recipe);
    QVERIFY(parseModes(modesText(recipe.modes))[1] == recipe.modes[1]);
    QCOMPARE(recipe.modes[1].column, std::string("a \"b\""));
    QCOMPARE(recipe.modes[3].number, 15u);
    for (const Filter& filter : recipe.filters)
        QVERIFY(parseFilter(filterText(filter)) == filter);
    for (Transform transform : recipe.transforms) {
        transform.means.clear();
        QVERIFY(parseTransform(transformText(transform)) == transform);
    }
}

void TestTableImport::recipesKeepWhatWasChosen()
{
    const std::string wholes = m_files.write("wholes.csv", "a;b;v\nx;y;3\nx;z;4\n");
    const std::string parts = m_files.write("parts.csv", "a;b;v\nx;y;3,5\nx;z;4\n");
    const std::string commas = m_files.write("commas.csv", "a,b,v\nx,y,3.5\nx,z,4\n");
    const Cells wanted{{{"x", "y"}, 3.5}, {{"x", "z"}, 4}};
    io::ReadOptions options;
    const io::LoadedTensor loaded = load(wholes, by("a,b", "v"));
    options.recipe = loaded.recipe;
    QVERIFY(cellsOf(load(parts, options).tensor) == wanted);
    QVERIFY(cellsOf(load(commas, options).tensor) == wanted);
    const std::string stored = io::table::toJson(*loaded.recipe);
    QVERIFY2(stored.find("\"text\"") == std::string::npos, stored.c_str());
    options.recipe = io::table::recipeFromJson(stored);
    QVERIFY(options.recipe == loaded.recipe);
    QVERIFY(cellsOf(load(parts, options).tensor) == wanted);
    QVERIFY(cellsOf(load(commas, options).tensor) == wanted);

    // What was chosen stays, and so does the order of dates.
    options.recipe->dialect.separator = ';';
    const io::LoadedTensor chosen = load(wholes, options);
    QCOMPARE(io::table::recipeFromJson(io::table::toJson(*chosen.recipe)).dialect.separator, std::optional(';'));
    const io::LoadedTensor days = load(m_files.write("days.csv", "d,k\n31/01/2024,a\n01/02/2024,b\n"), by("month(d),k"));
    options.recipe = io::table::recipeFromJson(io::table::toJson(*days.recipe));
    QVERIFY(labels(load(m_files.write("more.csv", "d,k\n05/02/2024,a\n06/02/2024,b\n"), options), 0) == (std::vector<std::string>{"2"}));
}

/// They hold what was found, too.
void TestTableImport::oldRecipesChooseTheirDialect()
{
    io::ReadOptions options;
    options.recipe = io::table::recipeFromJson(R"({"polyad_recipe": 1, "text": {"separator": ";", "decimal": ".", "header": true},
        "modes": [{"column": "a"}, {"column": "b"}], "value": "v", "aggregate": "mean"})");
    QVERIFY(options.recipe->dialect == (io::table::Dialect{';', '.', true, {}, {}}));
    QVERIFY(cellsOf(load(m_files.write("old.csv", "a;b;v\nx,1;y;2.5\n"), options).tensor) == (Cells{{{"x,1", "y"}, 2.5}}));
    const std::string told = sentenceOf([&] { load(m_files.write("old.csv", "a;b;v\nx;y;2,5\n"), options); });
    QVERIFY2(told.find("is no number") != std::string::npos, told.c_str());
}

void TestTableImport::damagedRecipesAreRefused_data()
{
    QTest::addColumn<QString>("json");
    QTest::newRow("no recipe") << "{}";
    QTest::newRow("a later version") << R"({"polyad_recipe": 2})";
    QTest::newRow("no object") << "[1]";
    QTest::newRow("unknown aggregation") << R"({"polyad_recipe":1,"modes":[],"aggregate":"best"})";
    QTest::newRow("modes are no list") << R"({"polyad_recipe":1,"modes":"a"})";
    QTest::newRow("bins without a number") << R"({"polyad_recipe":1,"modes":[{"column":"x","from":"bins"}]})";
    QTest::newRow("too many bins") << R"({"polyad_recipe":1,"modes":[{"column":"x","from":"bins","number":4000000000}]})";
    QTest::newRow("edges descend") << R"({"polyad_recipe":1,"modes":[{"column":"x","from":"bins","number":2,"edges":[2,1,0]}]})";
    QTest::newRow("edges are texts") << R"({"polyad_recipe":1,"modes":[{"column":"x","from":"bins","number":2,"edges":["a"]}]})";
    QTest::newRow("a mode is a number") << R"({"polyad_recipe":1,"modes":[1]})";
}

void TestTableImport::damagedRecipesAreRefused()
{
    QFETCH(const QString, json);
    QVERIFY_THROWS_EXCEPTION(io::Error, io::table::recipeFromJson(json.toStdString()));
}

void TestTableImport::recipesTravelWithTensorFiles()
{
    const io::LoadedTensor loaded = load(m_files.write("r.csv", "a,b,x\nk,1,5\nl,2,7\n"), by("a,b,bins(x,2)"));
    const std::string target = m_files.path("r.h5");
    kernels::Progress progress;
    io::WriteOptions options;
    options.recipe = loaded.recipe;
    io::writeTensor(target, loaded.tensor, options, progress);
    const io::LoadedTensor back = load(target);
    QVERIFY(back.recipe && *back.recipe == *loaded.recipe);
    QVERIFY(cellsOf(back.tensor) == cellsOf(loaded.tensor));
}

QTEST_GUILESS_MAIN(TestTableImport)
#include "tst_table_import.moc"
