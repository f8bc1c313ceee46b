// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/python.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

using test::contentOf;
using test::load;
using test::sentenceOf;

/// TensorMarket and MatrixMarket text: every spelling of the header, and scipy on the other side.
class TestTensorMarket : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textIsExactlyAsDocumented();
    void emptySlicesKeepTheDims();
    void patternsAreOnes();
    void wholeNumbersStayExact();
    void symmetricMatricesAreMirrored();
    void contentDecidesNotTheEnding();
    void matricesHaveTwoModes();
    void whatIsRefusedSaysWhy_data();
    void whatIsRefusedSaysWhy();
    void scipyReadsOursAndWeReadScipys();

private:
    void write(const std::string& path, const kernels::SparseTensor& tensor)
    {
        kernels::Progress progress;
        io::writeTensor(path, tensor, {}, progress);
    }

    test::TemporaryFiles m_files;
};

void TestTensorMarket::textIsExactlyAsDocumented()
{
    kernels::SparseTensor tensor({4, 2, 3}, 2);
    tensor.indices = {{0, 3}, {1, 1}, {2, 2}};
    tensor.values = kernels::Array<float>{0.1f, -2e20f};
    write(m_files.path("exact.ttx"), tensor);
    QCOMPARE(contentOf(m_files.path("exact.ttx")),
             QByteArray("%%MatrixMarket tensor coordinate real general\n4 2 3 2\n1 2 3 0.1\n4 2 3 -2e+20\n"));
    kernels::SparseTensor matrix({3, 2}, 1);
    matrix.indices = {{2}, {0}};
    matrix.values = kernels::Array<float>{5};
    write(m_files.path("exact.mtx"), matrix);
    QCOMPARE(contentOf(m_files.path("exact.mtx")), QByteArray("%%MatrixMarket matrix coordinate real general\n3 2 1\n3 1 5\n"));
}

void TestTensorMarket::emptySlicesKeepTheDims()
{
    const kernels::SparseTensor tensor({7, 5, 3}, 0);
    for (const char* name : {"empty.ttx", "empty.ttx.gz"}) {
        write(m_files.path(name), tensor);
        QCOMPARE(load(m_files.path(name)).tensor.dims(), tensor.dims());
    }
}

void TestTensorMarket::patternsAreOnes()
{
    // Blanks at the end, CRLF and a last line without its end: the quick and the careful way to read a line.
    const std::string path = m_files.write("p.mtx", "%%MatrixMarket matrix coordinate pattern general\n% c\n3 4 4\n1 2\n3 4 \n2 1\r\n+3 1");
    const io::LoadedTensor loaded = load(path);
    QCOMPARE(loaded.report.layout, std::string("MatrixMarket text"));
    QCOMPARE(loaded.report.indexBase, std::string("1: files with this header count from 1"));
    QCOMPARE(loaded.tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 1, 2, 2}, {1, 0, 0, 3}}));
    QVERIFY(loaded.tensor.values == kernels::SparseTensor::Values(kernels::Array<float>{1, 1, 1, 1}));
    const std::string with = m_files.write("v.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 2 1.0\n");
    const std::string told = sentenceOf([&] { load(with); });
    QVERIFY2(told.starts_with("v.mtx line 3: wrong number of numbers (found 3, expected 2 indices)"), told.c_str());
}

/// As HDF5's integers: floats where they hold them, else doubles. Real numbers are rounded.
void TestTensorMarket::wholeNumbersStayExact()
{
    const auto read = [&](const char* field, const char* value) {
        const QByteArray text = QByteArray("%%MatrixMarket matrix coordinate ") + field + " general\n2 2 2\n1 1 3\n2 2 " + value + "\n";
        return load(m_files.write("whole.mtx", text));
    };
    const io::LoadedTensor large = read("integer", "16777217"); // 2^24 + 1
    QVERIFY(large.tensor.hasDoubleValues());
    QCOMPARE(large.tensor.value(1), 16777217.0);
    QVERIFY(!large.report.notes.empty() && large.report.notes.front().find("whole numbers") != std::string::npos);
    QCOMPARE(read("integer", "-16777217").tensor.value(1), -16777217.0);
    QVERIFY(!read("integer", "16777216").tensor.hasDoubleValues());
    QVERIFY(!read("real", "16777217").tensor.hasDoubleValues());
}

void TestTensorMarket::symmetricMatricesAreMirrored()
{
    const std::string path = m_files.write("s.mtx", "%%MatrixMarket MATRIX Coordinate Integer Symmetric\n3 3 3\n1 1 7\n2 1 4\n3 2 -5\n");
    const io::LoadedTensor loaded = load(path);
    QCOMPARE(loaded.tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 0, 1, 1, 2}, {0, 1, 0, 2, 1}}));
    QVERIFY(loaded.tensor.values == kernels::SparseTensor::Values(kernels::Array<float>{7, 4, 4, -5, -5}));
    QCOMPARE(loaded.report.notes, (std::vector<std::string>{"The matrix is symmetric: 2 entries were off the diagonal and mirrored."}));
}

void TestTensorMarket::contentDecidesNotTheEnding()
{
    const std::string path = m_files.write("named.tns", "%%MatrixMarket tensor coordinate real general\n9 9 9 1\n1 2 3 4\n");
    QCOMPARE(load(path).report.formatId, std::string("tensor-market"));
    QCOMPARE(load(path).tensor.dims(), (std::vector<kernels::Index>{9, 9, 9}));
    QCOMPARE(load(m_files.write("named.mtx", "1 2 3 4\n")).report.formatId, std::string("tns"));
    QCOMPARE(load(m_files.write("packed.mtx.gz", test::gzipped("%%MatrixMarket tensor coordinate real general\n9 9 9 1\n1 2 3 4\n")))
                 .report.layout,
             std::string("TensorMarket text, gzip"));
}

void TestTensorMarket::matricesHaveTwoModes()
{
    const kernels::SparseTensor tensor = test::randomTensor({3, 4, 5}, 6, 1);
    QCOMPARE(sentenceOf([&] { write(m_files.path("three.mtx"), tensor); }),
             std::string(
                 "three.mtx: MatrixMarket holds matrices only (found order 3, expected order 2). Write TensorMarket: name the file .ttx."));
}

void TestTensorMarket::whatIsRefusedSaysWhy_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const char* text, const char* sentence) { QTest::newRow(name) << QByteArray(text) << sentence; };
    row("array", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "x.mtx line 1: this form is not read (found \"array\"");
    row("complex", "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 0\n", "x.mtx line 1: these values are not read");
    row("skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n", "x.mtx line 1: this symmetry is not read");
    row("vector", "%%MatrixMarket vector coordinate real general\n2 1\n2 1\n", "x.mtx line 1: what it holds is not read");
    row("short banner", "%%MatrixMarket matrix\n", "x.mtx line 1: header not understood (found 2 words");
    row("no sizes", "%%MatrixMarket matrix coordinate real general\n% only this\n", "x.mtx: the file ends inside its header");
    row("a matrix of three", "%%MatrixMarket matrix coordinate real general\n2 2 2 1\n1 1 1 1\n", "x.mtx line 2: a matrix has two sizes");
    row("symmetric of three", "%%MatrixMarket tensor coordinate real symmetric\n2 2 2 1\n1 1 1 1\n",
        "x.mtx line 2: only a matrix can be symmetric");
    row("not square", "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", "x.mtx line 2: a symmetric matrix is square");
    row("too few", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n", "x.mtx: the header declares another number of entries");
    row("past its size", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n", "x.mtx line 3: index past the declared size");
    row("from 0", "%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", "x.mtx line 3: index 0 in mode 1");
    row("negative nnz", "%%MatrixMarket matrix coordinate real general\n2 2 -1\n", "x.mtx line 2: not a number of entries (found \"-1\"");
    row("no size", "%%MatrixMarket matrix coordinate real general\n0 2 1\n1 1 1\n", "x.mtx line 2: not the size of a mode");
    row("nothing", "%%MatrixMarket matrix coordinate real general\n5\n", "x.mtx line 2: header not understood (found 1 number");
}

void TestTensorMarket::whatIsRefusedSaysWhy()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, sentence);
    const std::string path = m_files.write("x.mtx", text);
    const std::string told = sentenceOf([&] { load(path); });
    QVERIFY2(QString::fromStdString(told).startsWith(sentence), told.c_str());
}

void TestTensorMarket::scipyReadsOursAndWeReadScipys()
{
    if (!test::pythonHas("scipy.io, scipy.sparse"))
        QSKIP("python3 with scipy is not installed: this was not tested");
    const std::string ours = m_files.path("ours.mtx"), theirs = m_files.path("theirs.mtx");
    kernels::SparseTensor tensor = test::randomTensor({30, 20}, 100, 3, true);
    kernels::sortLexicographically(tensor);
    kernels::mergeDuplicates(tensor, kernels::Duplicates::Last);
    write(ours, tensor);
    // Symmetric on their side: scipy stores one half of A + A'.
    const char* script = "import sys, scipy.io, scipy.sparse as s\n"
                         "a = s.csr_matrix(scipy.io.mmread(sys.argv[1]))\n"
                         "b = s.block_array([[None, a], [a.T, None]]) if hasattr(s, 'block_array') else s.bmat([[None, a], [a.T, None]])\n"
                         "scipy.io.mmwrite(sys.argv[2], s.coo_matrix(b), precision=17, symmetry='symmetric')\n";
    const QString told = test::runPython(script, {QString::fromStdString(ours), QString::fromStdString(theirs)});
    QVERIFY2(told.isEmpty(), qPrintable(told));
    io::ReadOptions options;
    options.doubleValues = true;
    const kernels::SparseTensor read = load(theirs, options).tensor;
    QCOMPARE(read.dims(), (std::vector<kernels::Index>{50, 50}));
    QCOMPARE(read.entries(), 2 * tensor.entries());
    for (kernels::Count e = 0; e < tensor.entries(); ++e) { // rows 0 … 29 are A itself, its columns moved by 30
        QCOMPARE(read.indices[0][e], tensor.indices[0][e]);
        QCOMPARE(read.indices[1][e], tensor.indices[1][e] + 30);
        QCOMPARE(read.value(e), tensor.value(e));
    }
}

QTEST_GUILESS_MAIN(TestTensorMarket)
#include "tst_tensor_market.moc"
