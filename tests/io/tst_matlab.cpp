// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/several_tensors.h"
#include "kernels/base/random.h"
#include "support/python.h"
#include "support/temporary_files.h"

#include <QtTest>

using test::load;
using test::sentenceOf;

/// MATLAB's files of versions 4, 5 to 7 and 7.3, as scipy, h5py and MATLAB write them.
class TestMatlab : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void denseArraysAreRead_data();
    void denseArraysAreRead();
    void logicalsAreRead();
    void matricesAreRead_data();
    void matricesAreRead();
    void largeMatricesAreRead_data();
    void largeMatricesAreRead();
    void tensorsAreRead_data();
    void tensorsAreRead();
    void variablesCanBeNamed_data();
    void variablesCanBeNamed();
    void indexBasesAreTold();
    void memoryLimitsHold();
    void cancelStops();
    void badFilesSayWhy_data();
    void badFilesSayWhy();
    void damagedFilesAreSurvived_data();
    void damagedFilesAreSurvived();

private:
    test::TemporaryFiles m_files;
};

void TestMatlab::initTestCase()
{
    if (!test::pythonHas("numpy, scipy, h5py"))
        QSKIP("python3 with numpy, scipy and h5py is not installed: nothing here was tested");
    const QString told =
        test::runPython(QStringLiteral(POLYAD_TEST_DATA "/../io/matlab_write.py"), {QString::fromStdString(m_files.path("."))});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

void TestMatlab::denseArraysAreRead_data()
{
    QTest::addColumn<bool>("doubles");
    for (const char* type : {"double", "single", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"})
        for (const char* packed : {"", "_packed"})
            QTest::addRow("dense_%s_5%s.mat", type, packed) << (qstrcmp(type, "double") == 0);
    QTest::newRow("dense_bytes_5.mat") << true;
    QTest::newRow("dense_double_73.mat") << true;
    QTest::newRow("dense_u1_73.mat") << false;
}

void TestMatlab::denseArraysAreRead()
{
    QFETCH(const bool, doubles);
    const kernels::SparseTensor tensor = load(m_files.path(QTest::currentDataTag())).tensor;
    tensor.check();
    QCOMPARE(tensor.dims(), (std::vector<kernels::Index>{4, 3, 5}));
    QCOMPARE(tensor.entries(), kernels::Count{60});
    QCOMPARE(tensor.hasDoubleValues(), doubles);
    for (kernels::Count e = 0; e < 60; ++e) {
        QCOMPARE(kernels::Count{tensor.indices[0][e]} * 15 + tensor.indices[1][e] * 5 + tensor.indices[2][e], e);
        QCOMPARE(tensor.value(e), double(e));
    }
}

void TestMatlab::logicalsAreRead()
{
    for (const char* name : {"logical_5.mat", "logical_5_packed.mat"}) {
        const kernels::SparseTensor tensor = load(m_files.path(name)).tensor;
        QCOMPARE(tensor.entries(), kernels::Count{60});
        QVERIFY(!tensor.hasDoubleValues());
        for (kernels::Count e = 0; e < 60; ++e)
            QCOMPARE(tensor.value(e), double(e % 2));
    }
}

void TestMatlab::matricesAreRead_data()
{
    QTest::addColumn<int>("unused");
    for (const char* name :
         {"matrix_sparse_4.mat", "matrix_sparse_5.mat", "matrix_sparse_5_packed.mat", "matrix_sparse_5_big.mat", "matrix_sparse_73.mat",
          "matrix_room_5.mat", "matrix_dense_4.mat", "matrix_dense_4_big.mat", "matrix_dense_4_float.mat", "matrix_dense_5.mat",
          "matrix_dense_5_packed.mat", "matrix_dense_5_big.mat", "matrix_dense_73.mat", "sparse_first_5.mat"})
        QTest::newRow(name) << 0;
}

void TestMatlab::matricesAreRead()
{
    const kernels::SparseTensor tensor = load(m_files.path(QTest::currentDataTag())).tensor;
    tensor.check();
    QCOMPARE(tensor.dims(), (std::vector<kernels::Index>{3, 4}));
    QCOMPARE(tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 0, 2, 2}, {1, 3, 0, 2}}));
    const double values[] = {1.5, 2, 3, 4.25};
    for (kernels::Count e = 0; e < 4; ++e)
        QCOMPARE(tensor.value(e), values[e]);
}

void TestMatlab::largeMatricesAreRead_data()
{
    QTest::addColumn<int>("unused");
    for (const char* name : {"large_sparse_4.mat", "large_sparse_5.mat", "large_sparse_5_packed.mat", "large_sparse_73.mat"})
        QTest::newRow(name) << 0;
}

/// More than one block of each array.
void TestMatlab::largeMatricesAreRead()
{
    const kernels::SparseTensor tensor = load(m_files.path(QTest::currentDataTag())).tensor;
    tensor.check();
    QCOMPARE(tensor.dims(), (std::vector<kernels::Index>{300, 500}));
    QCOMPARE(tensor.entries(), kernels::Count{70000});
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        QCOMPARE(tensor.value(e), std::max(tensor.indices[0][e] * 1000.0 + tensor.indices[1][e], 0.5));
}

void TestMatlab::tensorsAreRead_data()
{
    QTest::addColumn<int>("unused");
    for (const char* name : {"tensor_struct_5.mat", "tensor_struct_5_packed.mat", "tensor_struct_integers_5.mat",
                             "tensor_struct_integers_5_packed.mat", "tensor_loose_5.mat", "tensor_loose_5_packed.mat", "tensor_full_5.mat",
                             "tensor_full_array_5.mat", "tensor_struct_73.mat", "tensor_full_73.mat", "from_zero_5.mat"})
        QTest::newRow(name) << 0;
}

void TestMatlab::tensorsAreRead()
{
    const kernels::SparseTensor tensor = load(m_files.path(QTest::currentDataTag())).tensor;
    tensor.check();
    QCOMPARE(tensor.dims(), (std::vector<kernels::Index>{4, 3, 3}));
    QCOMPARE(tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 1, 2, 3}, {1, 2, 2, 0}, {2, 0, 2, 1}}));
    const double values[] = {1.5, 3, 4.25, 2};
    for (kernels::Count e = 0; e < 4; ++e)
        QCOMPARE(tensor.value(e), values[e]);
}

void TestMatlab::variablesCanBeNamed_data()
{
    QTest::addColumn<QString>("found");
    QTest::newRow("several_5.mat") << "A (double 3 x 4), B (double 4 x 3 x 5), n (double 1 x 1)";
    QTest::newRow("several_5_packed.mat") << "A (double 3 x 4), B (double 4 x 3 x 5), n (double 1 x 1)";
    QTest::newRow("several_73.mat") << "/A, /B";
}

void TestMatlab::variablesCanBeNamed()
{
    QFETCH(const QString, found);
    const std::string path = m_files.path(QTest::currentDataTag());
    try {
        load(path);
        QFAIL("one of several variables was read");
    } catch (const io::SeveralTensors& several) {
        QCOMPARE(several.groups(), (std::vector<std::string>{"/A", "/B"}));
        const QString told = QString::fromUtf8(several.what());
        QVERIFY2(told.startsWith(QTest::currentDataTag() + QStringLiteral(": holds several tensors (found %1, expected one)").arg(found)),
                 qPrintable(told));
    }
    QCOMPARE(load(path + ":A").tensor.dims(), (std::vector<kernels::Index>{3, 4}));
    QCOMPARE(load(path + ":/B").tensor.dims(), (std::vector<kernels::Index>{4, 3, 5}));
    QVERIFY(sentenceOf([&] { load(path + ":C"); }) != "no error");
}

void TestMatlab::indexBasesAreTold()
{
    io::ReadOptions options;
    QCOMPARE(load(m_files.path("tensor_struct_5.mat")).report.indexBase, std::string("1: MATLAB counts from 1"));
    QCOMPARE(load(m_files.path("from_zero_5.mat")).report.indexBase, std::string("0: an index 0 occurs"));
    options.indexBase = io::IndexBase::One;
    QVERIFY(sentenceOf([&] { load(m_files.path("from_zero_5.mat"), options); }).find("an index is 0") != std::string::npos);
    QVERIFY(load(m_files.path("sparse_first_5.mat")).report.notes.at(0).starts_with("The variable S was read, of these: A (double 3 x 4)"));
}

void TestMatlab::memoryLimitsHold()
{
    io::ReadOptions options;
    options.memoryLimit = 1000; // bytes
    for (const char* name : {"large_sparse_4.mat", "large_sparse_5.mat", "dense_double_5.mat", "large_sparse_73.mat"})
        QVERIFY_EXCEPTION_THROWN(load(m_files.path(name), options), kernels::OutOfMemory);
}

void TestMatlab::cancelStops()
{
    kernels::Progress progress;
    progress.cancel();
    for (const char* name : {"large_sparse_4.mat", "large_sparse_5_packed.mat", "tensor_struct_5.mat", "dense_double_5.mat"})
        QVERIFY_EXCEPTION_THROWN(io::readTensor(m_files.path(name), {}, progress), kernels::Cancelled);
}

void TestMatlab::badFilesSayWhy_data()
{
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* words) { QTest::newRow(name) << words; };
    const auto both = [](const char* name, const char* words) {
        for (const char* packed : {"", "_packed"})
            QTest::addRow("%s_5%s.mat", name, packed) << words;
    };
    both("bad_complex", ":X: holds complex numbers, which are not read");
    both("bad_nothing", ": holds no tensor (found n (double 1 x 1), text (char 1 x 5), c (cell 1 x 2)");
    both("bad_zero", ":T: an index of mode 1 is past its size (found 4 (from 0), expected at most 3)");
    both("bad_past", ":T entry 2, mode 1 (from 1): index past the size of its mode (found 4");
    both("bad_negative", ":T entry 1, mode 1 (from 1): negative index (found -5");
    both("bad_half", ":subs element 0 (from 0): is not a whole number (found 1.5");
    both("bad_count", ":T: subs and vals differ in number (found 4 x 3 subs, 3 vals");
    both("bad_order", ":T: size and subs differ in order (found 2 sizes, 3 modes");
    both("bad_words", ":T: its field subs holds no numbers (found char");
    both("bad_nan", ":T entry 1 (from 1): value is not finite");
    both("bad_infinite", ":X cell 1 (from 1): value is not finite");
    row("bad_object.mat", "holds a MATLAB object, which only MATLAB can open (found X (object 1 x 1)). Save its fields: S = struct('subs'");
    row("bad_opaque.mat", "holds a MATLAB object, which only MATLAB can open");
    row("bad_dims.mat", "sizes 1073741824 x 1073741824 x 1073741824");
    row("bad_claims.mat", ":X: the array is not as long as its sizes say (found 10 numbers, expected 1000000)");
    row("bad_negative_dims.mat", "the array is not as long as its sizes say");
    row("bad_length.mat", "a variable declares data that the file does not have (found 80 bytes, expected 1073741824 bytes)");
    row("bad_inner_length.mat", "a variable declares data that the file does not have");
    row("bad_type.mat", "is a damaged MATLAB file (found data of type 99, expected numbers)");
    row("bad_element.mat", "is a damaged MATLAB file (found an element of type 77, expected a variable)");
    row("bad_zlib.mat", "the packed data of a variable is damaged");
    row("bad_bomb.mat", "");
    row("bad_pointers.mat", ":S: pointers do not rise from 0 to the number of entries (found 2, expected 3 to 4)");
    row("bad_row.mat", ":S entry 2, mode 1 (from 1): index past the size of its mode (found 3, expected less than 3)");
    row("bad_columns.mat", ":S: another number of pointers than columns and one (found 5, expected 1073741825)");
    row("bad_names.mat", "field names of 2147483648 bytes");
    row("bad_head.mat", ": holds no tensor (found no variables");
    row("bad_cut_head.mat", "a file that ends within its head");
    row("bad_words4.mat", "is no MATLAB file, or a damaged one");
    row("bad_after4.mat", "is damaged after its first variables (found 7 bytes that are no variable)");
    row("bad_claims4.mat", "is no MATLAB file, or a damaged one");
    row("bad_sizes4.mat", ":S element 0 (from 0): is not a whole number (found 0.5");
    row("bad73_pointers.mat", "/S");
    row("bad73_row.mat", "/S");
    row("bad73_columns.mat", "/S");
}

void TestMatlab::badFilesSayWhy()
{
    QFETCH(const QString, words);
    io::ReadOptions options;
    options.memoryLimit = 160 << 20;
    const QString sentence = QString::fromStdString(sentenceOf([&] { load(m_files.path(QTest::currentDataTag()), options); }));
    QVERIFY2(sentence != "no error" && sentence.contains(words), qPrintable(sentence));
    QVERIFY2(words.isEmpty() || sentence.startsWith(QTest::currentDataTag()), qPrintable(sentence));
}

void TestMatlab::damagedFilesAreSurvived_data()
{
    QTest::addColumn<bool>("cutIsSeen");
    for (const char* name : {"matrix_sparse_5.mat", "matrix_sparse_5_packed.mat", "matrix_dense_5.mat", "matrix_dense_5_packed.mat",
                             "tensor_struct_5.mat", "tensor_struct_5_packed.mat", "matrix_sparse_4.mat", "matrix_dense_4.mat",
                             "tensor_loose_5.mat", "matrix_sparse_73.mat", "tensor_full_73.mat"})
        QTest::newRow(name) << (!QByteArray(name).contains("dense")
                                && !QByteArray(name).contains("loose")); // a cut may fall between variables
}

/// Cut short anywhere: an error. A few bytes replaced: an error or a tensor that holds together.
void TestMatlab::damagedFilesAreSurvived()
{
    QFETCH(const bool, cutIsSeen);
    const QByteArray whole = test::contentOf(m_files.path(QTest::currentDataTag()));
    const QByteArray name = QByteArray("cut_") + QTest::currentDataTag();
    io::ReadOptions options;
    options.memoryLimit = 64 << 20;
    for (int part = 1; part < 32; ++part) {
        const std::string path = m_files.write(name.constData(), whole.left(int(whole.size() * part / 32)));
        QVERIFY2(sentenceOf([&] { load(path, options); }) != "no error" || !cutIsSeen, qPrintable(QString::number(part)));
    }
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        QByteArray bytes = whole;
        for (std::uint64_t i = 0; i < 3; ++i)
            bytes[int(kernels::random::uniform(seed, 1, i) * double(bytes.size()))] = char(kernels::random::uniform(seed, 2, i) * 256);
        const std::string path = m_files.write(name.constData(), bytes);
        sentenceOf([&] { load(path, options).tensor.check(); });
    }
}

QTEST_GUILESS_MAIN(TestMatlab)
#include "tst_matlab.moc"
