// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using test::gzipped;
using test::load;
using test::sentenceOf;

/// Every spelling of text tensors that is read, and what each mistake is told.
class TestTextTensor : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everySpellingGivesTheSameTensor_data();
    void everySpellingGivesTheSameTensor();
    void indexBaseIsFound_data();
    void indexBaseIsFound();
    void mistakesAreToldByFileAndLine_data();
    void mistakesAreToldByFileAndLine();
    void valuesAreReadCorrectly_data();
    void valuesAreReadCorrectly();
    void manyBlocksGiveTheOrderOfTheFile();
    void lineNumbersAreRightInEveryBlock();
    void allOrdersAreRead();
    void otherKindsAreRefusedByName_data();
    void otherKindsAreRefusedByName();

private:
    test::TemporaryFiles m_files;
};

void TestTextTensor::everySpellingGivesTheSameTensor_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("layout");
    const QByteArray plain = "1 2 3 1.5\n2 1 1 -2\n4 2 3 0.25\n";
    const auto row = [](const char* name, const QByteArray& bytes, const char* layout) { QTest::newRow(name) << bytes << layout; };
    row("FROSTT", plain, "FROSTT text");
    row("no last newline", plain.chopped(1), "FROSTT text");
    row("CRLF", QByteArray(plain).replace("\n", "\r\n"), "FROSTT text");
    row("BOM", "\xef\xbb\xbf" + plain, "FROSTT text");
    row("tabs and runs of blanks", "\t1  2\t3   1.5\t\n 2 1 1 -2 \n4 2 3 .25\n", "FROSTT text");
    row("comments and empty lines", "# a\n\n% b\n// c\n  # d\n1 2 3 1.5\n\n2 1 1 -2\n// e\n4 2 3 0.25\n# end", "FROSTT text");
    row("signs, leading zeros, exponents", "+1 02 003 +1.5e0\n2 1 1 -20E-1\n4 2 3 25e-2\n", "FROSTT text");
    row("counted from 0", "0 1 2 1.5\n1 0 0 -2\n3 1 2 0.25\n", "FROSTT text");
    row("unsorted", "4 2 3 0.25\n1 2 3 1.5\n2 1 1 -2\n", "FROSTT text");
    row("gzip", gzipped(plain), "FROSTT text, gzip");
    row("two gzip members", gzipped(plain.left(10)) + gzipped(plain.mid(10)), "FROSTT text, gzip");
    row("an empty member, and padding", gzipped(plain) + gzipped("") + QByteArray(512, '\0'), "FROSTT text, gzip");
    row("ParTI", "3\n4 2 3\n" + plain, "ParTI text");
    row("sptensor", "sptensor\n3\n4 2 3\n3\n" + plain, "sptensor text");
    row("sptensor, trailing blanks", "sptensor \n3 \n4 2 3 \n3 \n1 2 3 1.5 \n2 1 1 -2 \n4 2 3 0.25 \n", "sptensor text");
    row("sptensor, says one", "sptensor indices-start-at-one\n3\n4 2 3\n3\n" + plain, "sptensor text");
    row("sptensor, says zero", "sptensor indices-start-at-zero\n3\n4 2 3\n3\n0 1 2 1.5\n1 0 0 -2\n3 1 2 0.25\n", "sptensor text");
    row("sptensor, gzip and CRLF", gzipped("sptensor\r\n3\r\n4 2 3\r\n3\r\n1 2 3 1.5\r\n2 1 1 -2\r\n4 2 3 0.25"), "sptensor text, gzip");
}

void TestTextTensor::everySpellingGivesTheSameTensor()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, layout);
    const io::LoadedTensor loaded = load(m_files.write("t.tns", bytes));
    const kernels::SparseTensor& tensor = loaded.tensor;
    tensor.check();
    QCOMPARE(QString::fromStdString(loaded.report.layout), layout);
    QCOMPARE(tensor.dims(), (std::vector<kernels::Index>{4, 2, 3}));
    QCOMPARE(tensor.entries(), kernels::Count{3});
    QVERIFY(tensor.sorted);
    QVERIFY(!tensor.hasDoubleValues());
    const kernels::Index expected[3][3] = {{0, 1, 2}, {1, 0, 0}, {3, 1, 2}};
    const double values[3] = {1.5, -2, 0.25};
    for (kernels::Count e = 0; e < 3; ++e) {
        for (unsigned n = 0; n < 3; ++n)
            QCOMPARE(tensor.indices[n][e], expected[e][n]);
        QCOMPARE(tensor.value(e), values[e]);
    }
    QCOMPARE(loaded.report.entriesRead, kernels::Count{3});
    QCOMPARE(loaded.report.duplicatesMerged, kernels::Count{0});
    QVERIFY(loaded.report.notes.empty());
}

void TestTextTensor::indexBaseIsFound_data()
{
    using io::IndexBase;
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("asked");
    QTest::addColumn<QString>("reason"); // starts with
    QTest::addColumn<bool>("warned");
    const auto row = [](const char* name, const char* bytes, IndexBase asked, const char* reason, bool warned) {
        QTest::newRow(name) << QByteArray(bytes) << static_cast<int>(asked) << reason << warned;
    };
    row("headerless, no 0", "1 1 1\n2 2 1\n", IndexBase::Auto, "1: no index 0 occurs", false);
    row("headerless, a 0", "1 0 1\n2 2 1\n", IndexBase::Auto, "0: an index 0 occurs", false);
    row("asked for 0", "1 1 1\n2 2 1\n", IndexBase::Zero, "0: as asked for", false);
    row("per mode", "1 0 1\n2 2 1\n", IndexBase::PerMode, "per mode: 1, 0", false);
    row("sptensor, neither", "sptensor\n2\n4 4\n1\n1 1 1\n", IndexBase::Auto, "1: no index 0 occurs", true);
    row("sptensor, a 0", "sptensor\n2\n4 4\n1\n0 1 1\n", IndexBase::Auto, "0: an index 0 occurs", false);
    row("sptensor, index equals dim", "sptensor\n2\n4 4\n1\n1 4 1\n", IndexBase::Auto, "1: an index equals", false);
    row("sptensor, header overruled", "sptensor indices-start-at-one\n2\n4 4\n1\n1 1 1\n", IndexBase::Zero, "0: as asked for", true);
    row("ParTI", "2\n4 4\n1 1 1\n", IndexBase::Auto, "1: files with this header", false);
}

void TestTextTensor::indexBaseIsFound()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const int, asked);
    QFETCH(const QString, reason);
    QFETCH(const bool, warned);
    io::ReadOptions options;
    options.indexBase = static_cast<io::IndexBase>(asked);
    const io::LoadedTensor loaded = load(m_files.write("base.tns", bytes), options);
    QVERIFY2(QString::fromStdString(loaded.report.indexBase).startsWith(reason), loaded.report.indexBase.c_str());
    QCOMPARE(!loaded.report.warnings.empty(), warned);
    loaded.tensor.check();
}

void TestTextTensor::mistakesAreToldByFileAndLine_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const QByteArray& bytes, const char* sentence) { QTest::newRow(name) << bytes << sentence; };
    row("past the declared size", "sptensor\n2\n9 9\n3\n1 1 1\n2 2 1\n12 3 1\n",
        "movies.tns line 7: index past the declared size (found 12, expected at most 9)");
    row("both 0 and dim", "sptensor\n2\n9 9\n2\n0 1 1\n9 1 1\n",
        "movies.tns line 6: index past the declared size (found 9, expected at most 8");
    row("from 0, dim itself", "sptensor indices-start-at-zero\n2\n9 9\n2\n8 1 1\n9 1 1\n",
        "movies.tns line 6: index past the declared size (found 9, expected at most 8");
    row("0 in a ParTI file", "2\n9 9\n1 1 1\n1 0 1\n", "movies.tns line 4: index 0 in mode 2 (found 0, expected at least 1)");
    row("too many numbers", "1 1 1 1\n1 1 1 1 1\n",
        "movies.tns line 2: wrong number of numbers (found 5, expected 4: 3 indices and a value)");
    row("too few numbers", "1 1 1 1\n\n# c\n1 1 1\n", "movies.tns line 4: wrong number of numbers (found 3, expected 4");
    row("negative index", "1 -1 1 1\n", "movies.tns line 1: negative index (found \"-1\"");
    row("fraction as index", "1 1.5 1 1\n", "movies.tns line 1: index is not a whole number (found \"1.5\"");
    row("index past 32 bits", "1 4294967296 1 1\n",
        "movies.tns line 1: index too large (found \"4294967296\", expected at most 4294967295)");
    row("index past 64 bits", "1 99999999999999999999999 1 1\n", "movies.tns line 1: index too large");
    row("a word", "1 x 1 1\n", "movies.tns line 1: not a number (found \"x\", expected an index)");
    row("a word as value", "1 1 1 x\n", "movies.tns line 1: not a number (found \"x\", expected a value)");
    row("half a number", "1 1 1 1.5e\n", "movies.tns line 1: not a number (found \"1.5e\"");
    row("decimal comma", "1 1 1 1,5\n", "Separate numbers by blanks or tabs");
    row("nan", "1 1 1 nan\n", "movies.tns line 1: value is not finite (found \"nan\"");
    row("inf", "1 1 1 1\n1 1 2 -inf\n", "movies.tns line 2: value is not finite (found \"-inf\"");
    row("overflow", "1 1 1 1e999\n", "movies.tns line 1: value too large (found \"1e999\"");
    row("NUL", QByteArray("1 1 1 1\n1 1\0 1 1\n", 17), "movies.tns line 2: not a number (found \"1\\x00\"");
    row("empty", "", "movies.tns: holds no entries (found an empty file");
    row("only comments", "# a\n\n% b\n", "movies.tns: holds no entries (found only empty lines and comments");
    row("order 1", "1 1\n", "movies.tns line 1: too few numbers (found 2, expected at least 3");
    row("order 17", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n",
        "movies.tns line 1: number of modes out of range (found 17, expected 2 to 16)");
    row("ParTI, sizes missing", "3\n4 4\n", "movies.tns line 2: wrong number of mode sizes (found 2, expected 3");
    row("ParTI, size 0", "2\n4 0\n", "movies.tns line 2: not the size of a mode (found \"0\"");
    row("header ends", "sptensor\n3\n", "movies.tns: the file ends inside its header");
    row("sptensor, bad word", "sptensor from-zero\n", "movies.tns line 1: header not understood (found \"from-zero\"");
    row("sptensor, too few entries", "sptensor\n2\n9 9\n3\n1 1 1\n",
        "movies.tns: the header declares another number of entries (found 1, expected 3)");
    row("sptensor, nnz 2^63", "sptensor\n2\n9 9\n9223372036854775808\n1 1 1\n", "movies.tns line 4: too many entries declared");
    row("gzip cut short", gzipped("1 1 1 1\n2 2 2 2\n").chopped(9), "movies.tns: the gzip data ends early");
    QByteArray damaged = gzipped("1 1 1 1\n2 2 2 2\n");
    damaged[damaged.size() - 6] = char(damaged[damaged.size() - 6] ^ 1); // its checksum
    row("gzip damaged", damaged, "movies.tns: the gzip data is damaged");
    row("gzip, then something else", gzipped("1 1 1 1\n") + "junk", "movies.tns: the gzip data is damaged");
}

void TestTextTensor::mistakesAreToldByFileAndLine()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, sentence);
    const std::string path = m_files.write("movies.tns", bytes);
    const std::string told = sentenceOf([&] { load(path); });
    QVERIFY2(QString::fromStdString(told).contains(sentence), told.c_str());
}

void TestTextTensor::valuesAreReadCorrectly_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<double>("value");
    const auto row = [](const char* text, double value) { QTest::newRow(text) << QByteArray(text) << value; };
    // Each literal is read by the compiler, so these compare two correctly rounding readers.
    row("0", 0);
    row("-0.0", -0.0);
    row("123456789012345678", 123456789012345678.0);
    row("12345678901234567890", 12345678901234567890.0);
    row("0.1", 0.1);
    row("9007199254740993", 9007199254740993.0);
    row("9007199254740993.5", 9007199254740993.5);
    row("1e22", 1e22);
    row("1e23", 1e23);
    row("1.7976931348623157e308", 1.7976931348623157e308);
    row("4.9e-324", 4.9e-324);
    row("1e-400", 0);
    row("2.2250738585072011e-308", 2.2250738585072011e-308);
    row("3.14159265358979323846264338327950288", 3.14159265358979323846264338327950288);
    row("1E+2", 100);
    row("5.", 5);
    row(".5", 0.5);
}

void TestTextTensor::valuesAreReadCorrectly()
{
    QFETCH(const QByteArray, text);
    QFETCH(const double, value);
    io::ReadOptions options;
    options.doubleValues = true;
    const io::LoadedTensor loaded = load(m_files.write("v.tns", "1 1 " + text + "\n1 2 0.1\n"), options);
    QVERIFY(loaded.tensor.hasDoubleValues()); // 0.1 is no float
    QCOMPARE(loaded.tensor.value(0), value);
    QCOMPARE(std::signbit(loaded.tensor.value(0)), std::signbit(value));
}

/// Some 6 MB: several blocks of 1 MiB, whose entries must come out as they went in.
void TestTextTensor::manyBlocksGiveTheOrderOfTheFile()
{
    constexpr kernels::Count entries = 300000;
    QByteArray text;
    for (kernels::Count e = 0; e < entries; ++e)
        text += QByteArray::number(qulonglong(e / 100 + 1)) + " " + QByteArray::number(qulonglong(e % 100 + 1)) + "   "
            + QByteArray::number(qulonglong(e)) + ".5\n";
    for (const QByteArray& bytes : {text, gzipped(text.left(1000001)) + gzipped(text.mid(1000001))}) {
        const io::LoadedTensor loaded = load(m_files.write("many.tns", bytes));
        QCOMPARE(loaded.tensor.entries(), entries);
        QVERIFY(loaded.report.wasSorted);
        kernels::Count wrong = 0;
        for (kernels::Count e = 0; e < entries; ++e)
            wrong += loaded.tensor.indices[0][e] != e / 100 || loaded.tensor.indices[1][e] != e % 100
                || loaded.tensor.value(e) != double(e) + 0.5;
        QCOMPARE(wrong, kernels::Count{0});
    }
}

void TestTextTensor::lineNumbersAreRightInEveryBlock()
{
    QByteArray text = "# header\n\n";
    constexpr int lines = 200000;
    std::vector<int> starts;
    for (int line = 3; line <= lines; ++line) {
        starts.push_back(text.size());
        text += line % 7 == 0 ? QByteArray("# a comment among the entries\n") : QByteArray("123 456 789 1.25\n");
    }
    for (const int line : {3, 60001, 131072, 199999}) {
        QByteArray broken = text;
        broken[starts[line - 3]] = 'x';
        const QString told = QString::fromStdString(sentenceOf([&] { load(m_files.write("lines.tns", broken)); }));
        QVERIFY2(told.startsWith(QStringLiteral("lines.tns line %1: ").arg(line)), qPrintable(told));
    }
    // Of two mistakes the first is told, though its block may be parsed later.
    QByteArray broken = text;
    broken[starts[199999 - 3]] = broken[starts[131072 - 3]] = 'x';
    QVERIFY(QString::fromStdString(sentenceOf([&] { load(m_files.write("lines.tns", broken)); })).startsWith("lines.tns line 131072: "));
}

void TestTextTensor::allOrdersAreRead()
{
    for (unsigned order = kernels::minOrder; order <= kernels::maxOrder; ++order) {
        QByteArray line;
        for (unsigned n = 0; n < order; ++n)
            line += QByteArray::number(n + 2) + " ";
        const io::LoadedTensor loaded = load(m_files.write("o.tns", line + "2.5\n"));
        QCOMPARE(loaded.tensor.order(), order);
        for (unsigned n = 0; n < order; ++n)
            QCOMPARE(loaded.tensor.indices[n][0], kernels::Index{n + 1});
        QCOMPARE(loaded.tensor.value(0), 2.5);
    }
}

void TestTextTensor::otherKindsAreRefusedByName_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const QByteArray& bytes, const char* words) { QTest::newRow(name) << bytes << words; };
    row("ktensor", "ktensor\n2\n", "is a model as text");
    row("zip", QByteArray("PK\3\4xxxx", 8), "is a zip archive");
    row("anything", "hello, world\n", "is no tensor or table of a known kind");
}

void TestTextTensor::otherKindsAreRefusedByName()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, words);
    const std::string told = sentenceOf([&] { load(m_files.write("other", bytes)); });
    QVERIFY2(QString::fromStdString(told).contains(words), told.c_str());
    QVERIFY2(QString::fromStdString(told).startsWith("other"), told.c_str());
}

QTEST_GUILESS_MAIN(TestTextTensor)
#include "tst_text_tensor.moc"
