// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/exports/export_model.h"
#include "io/several_tensors.h"
#include "support/python.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

using test::load;
using test::sentenceOf;

/// Files that NumPy, scipy.sparse and pydata/sparse write.
class TestNumpy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void denseArraysAreRead_data();
    void denseArraysAreRead();
    void holesAreMissing();
    void everyOrderIsRead();
    void tensorsAreRead_data();
    void tensorsAreRead();
    void matricesAreRead_data();
    void matricesAreRead();
    void largeMatricesAreRead_data();
    void largeMatricesAreRead();
    void duplicatesAreMergedAsAsked();
    void indicesFromOneAreReadOnRequest();
    void aTensorWithoutEntriesIsRead();
    void arraysCanBeNamed();
    void ourOwnModelsAreNamed();
    void memoryLimitsHold();
    void cancelStops();
    void badFilesSayWhy_data();
    void badFilesSayWhy();
    void damagedFilesAreSurvived_data();
    void damagedFilesAreSurvived();

private:
    static io::ReadOptions withoutZeros()
    {
        io::ReadOptions options;
        options.keepZeros = false;
        return options;
    }

    test::TemporaryFiles m_files;
};

void TestNumpy::initTestCase()
{
    if (!test::pythonHas("numpy, scipy"))
        QSKIP("python3 with numpy and scipy is not installed: nothing here was tested");
    const QString told =
        test::runPython(QStringLiteral(POLYAD_TEST_DATA "/../io/numpy_write.py"), {QString::fromStdString(m_files.path("."))});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

void TestNumpy::denseArraysAreRead_data()
{
    QTest::addColumn<bool>("odd");
    QTest::addColumn<bool>("doubles");
    for (const char* code : {"b", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"})
        for (const char* form : {"C", "F", "big"})
            QTest::addRow("dense_%s_%s.npy", code, form) << (*code == 'b') << (qstrcmp(code, "f8") == 0);
    QTest::newRow("dense_one.npz") << false << false;
    QTest::newRow("dense_packed.npz") << false << false;
    QTest::newRow("version2.npy") << false << true;
}

void TestNumpy::denseArraysAreRead()
{
    QFETCH(const bool, odd);
    QFETCH(const bool, doubles);
    const io::LoadedTensor loaded = load(m_files.path(QTest::currentDataTag()));
    const kernels::SparseTensor& tensor = loaded.tensor;
    tensor.check();
    QCOMPARE(loaded.report.formatId, std::string("numpy"));
    QCOMPARE(tensor.dims(), (std::vector<kernels::Index>{4, 3, 5}));
    QCOMPARE(tensor.entries(), kernels::Count{60});
    QCOMPARE(tensor.hasDoubleValues(), doubles);
    for (kernels::Count e = 0; e < 60; ++e) {
        QCOMPARE(kernels::Count{tensor.indices[0][e]} * 15 + tensor.indices[1][e] * 5 + tensor.indices[2][e], e);
        QCOMPARE(tensor.value(e), double(odd ? e % 2 : e));
    }
}

void TestNumpy::holesAreMissing()
{
    const io::LoadedTensor kept = load(m_files.path("holes.npy"));
    QCOMPARE(kept.tensor.entries(), kernels::Count{5});
    QCOMPARE(kept.report.explicitZeros, kernels::Count{1});
    QCOMPARE(kept.report.notes.at(0), std::string("31 cells are NaN and were taken as missing."));
    const io::LoadedTensor dropped = load(m_files.path("holes.npy"), withoutZeros());
    QCOMPARE(dropped.tensor.entries(), kernels::Count{4});
    QCOMPARE(dropped.report.zerosDropped, kernels::Count{1});
}

void TestNumpy::everyOrderIsRead()
{
    const kernels::SparseTensor tensor = load(m_files.path("order16.npy")).tensor;
    QCOMPARE(tensor.order(), 16u);
    QCOMPARE(tensor.value(0x8001), 32769.0);
    QCOMPARE(tensor.indices[0][0x8001], 1u);
    QCOMPARE(tensor.indices[15][0x8001], 1u);
    QCOMPARE(tensor.indices[7][0x8001], 0u);
}

void TestNumpy::tensorsAreRead_data()
{
    QTest::addColumn<QString>("layout");
    const auto row = [](const char* name, const char* layout) { QTest::newRow(name) << QString(layout); };
    row("tensor_pydata.npz", "pydata/sparse COO");
    row("tensor_pydata_packed.npz", "pydata/sparse COO");
    row("tensor_gcxs_0.npz", "pydata/sparse GCXS");
    row("tensor_gcxs_12.npz", "pydata/sparse GCXS");
    row("tensor_gcxs_20.npz", "pydata/sparse GCXS");
    row("tensor_torch.npz", "indices and values");
    row("tensor_pyttb.npz", "subs and vals");
    row("tensor_fortran.npz", "coords and data");
    row("tensor_big.npz", "coords and data");
    row("tensor_scipy_nd.npz", "scipy.sparse coo");
}

void TestNumpy::tensorsAreRead()
{
    QFETCH(const QString, layout);
    const io::LoadedTensor loaded = load(m_files.path(QTest::currentDataTag()));
    loaded.tensor.check();
    QCOMPARE(QString::fromStdString(loaded.report.layout), "NumPy archive, " + layout);
    QCOMPARE(loaded.tensor.dims(), (std::vector<kernels::Index>{4, 3, 3}));
    QCOMPARE(loaded.tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 1, 2, 3}, {1, 2, 2, 0}, {2, 0, 2, 1}}));
    const double values[] = {1.5, 3, 4.25, 2};
    for (kernels::Count e = 0; e < 4; ++e)
        QCOMPARE(loaded.tensor.value(e), values[e]);
}

void TestNumpy::matricesAreRead_data()
{
    QTest::addColumn<int>("zeros");
    for (const char* kind : {"coo", "csr", "csc", "bsr", "dia"})
        for (const char* packed : {"", "_packed"})
            QTest::addRow("matrix_%s%s.npz", kind, packed) << (qstrcmp(kind, "bsr") == 0 ? 8 : 0);
    QTest::newRow("matrix_idiom.npz") << 0;
    QTest::newRow("matrix_array.npz") << 0;
}

void TestNumpy::matricesAreRead()
{
    QFETCH(const int, zeros);
    const io::LoadedTensor loaded = load(m_files.path(QTest::currentDataTag()), withoutZeros());
    loaded.tensor.check();
    QCOMPARE(loaded.report.zerosDropped, kernels::Count(zeros));
    QCOMPARE(loaded.tensor.dims(), (std::vector<kernels::Index>{3, 4}));
    QCOMPARE(loaded.tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 0, 2, 2}, {1, 3, 0, 2}}));
    const double values[] = {1.5, 2, 3, 4.25};
    for (kernels::Count e = 0; e < 4; ++e)
        QCOMPARE(loaded.tensor.value(e), values[e]);
}

void TestNumpy::largeMatricesAreRead_data()
{
    QTest::addColumn<int>("unused");
    for (const char* kind : {"coo", "csr", "csc", "bsr", "dia"})
        QTest::addRow("large_%s.npz", kind) << 0;
}

/// More than one block of each array.
void TestNumpy::largeMatricesAreRead()
{
    const kernels::SparseTensor tensor = load(m_files.path(QTest::currentDataTag()), withoutZeros()).tensor;
    tensor.check();
    QCOMPARE(tensor.entries(), kernels::Count{70000});
    for (kernels::Count e = 0; e < tensor.entries(); ++e) {
        const double expected = tensor.indices[0][e] * 1000.0 + tensor.indices[1][e];
        QCOMPARE(tensor.value(e), expected == 0 ? 0.5 : expected);
    }
}

void TestNumpy::duplicatesAreMergedAsAsked()
{
    const io::LoadedTensor summed = load(m_files.path("duplicates.npz"));
    QCOMPARE(summed.tensor.entries(), kernels::Count{2});
    QCOMPARE(summed.tensor.value(0), 3.0);
    QCOMPARE(summed.report.duplicatesMerged, kernels::Count{1});
    io::ReadOptions options;
    options.duplicates = kernels::Duplicates::Last;
    QCOMPARE(load(m_files.path("duplicates.npz"), options).tensor.value(0), 2.0);
    options.duplicates = kernels::Duplicates::Error;
    QVERIFY(sentenceOf([&] { load(m_files.path("duplicates.npz"), options); }).starts_with("duplicates.npz: "));
}

void TestNumpy::indicesFromOneAreReadOnRequest()
{
    io::ReadOptions options;
    options.indexBase = io::IndexBase::One;
    const io::LoadedTensor loaded = load(m_files.path("from_one.npz"), options);
    QCOMPARE(loaded.report.indexBase, std::string("1: as asked for"));
    QCOMPARE(loaded.tensor.dims(), (std::vector<kernels::Index>{4, 3, 3}));
    QCOMPARE(loaded.tensor.indices[0][0], 0u);
    QVERIFY(sentenceOf([&] { load(m_files.path("tensor_torch.npz"), options); }).find("an index is 0") != std::string::npos);
    QCOMPARE(load(m_files.path("tensor_pydata.npz"), options).report.warnings.size(), std::size_t{1});
}

void TestNumpy::aTensorWithoutEntriesIsRead()
{
    const io::LoadedTensor loaded = load(m_files.path("empty_coo.npz"));
    QCOMPARE(loaded.tensor.dims(), (std::vector<kernels::Index>{4, 3, 3}));
    QCOMPARE(loaded.tensor.entries(), kernels::Count{0});
}

void TestNumpy::arraysCanBeNamed()
{
    const std::string path = m_files.path("several.npz");
    try {
        load(path);
        QFAIL("one of several arrays was read");
    } catch (const io::SeveralTensors& several) {
        QCOMPARE(several.groups(), (std::vector<std::string>{"/a", "/b"}));
        QCOMPARE(std::string(several.what()),
                 std::string("several.npz: holds several arrays (found a (4 x 3 x 5), b (3 x 4), n (one number), expected one). "
                             "Name one: several.npz:a"));
    }
    QCOMPARE(load(path + ":a").tensor.dims(), (std::vector<kernels::Index>{4, 3, 5}));
    QCOMPARE(load(path + ":/b").tensor.dims(), (std::vector<kernels::Index>{3, 4}));
    QVERIFY(sentenceOf([&] {
                load(path + ":c");
            }).starts_with("several.npz: holds no array of this name (found c, expected the name of one of its arrays)"));
    QVERIFY(sentenceOf([&] { load(path + ":n"); }).starts_with("several.npz:n: is no array that a tensor is made of"));
    QVERIFY(sentenceOf([&] { load(m_files.path("holes.npy") + ":x"); }).starts_with("holes.npy: is a single array without a name"));
    QVERIFY(
        load(m_files.path("dense_packed.npz")).report.notes.at(0).starts_with("The array x was read, of these: x (4 x 3 x 5), labels (2)"));
}

void TestNumpy::ourOwnModelsAreNamed()
{
    io::ModelFile file;
    file.model = test::randomModel(kernels::ModelKind::Cp, {9, 8, 7}, 3, 4, 21, false);
    const std::string path = m_files.path("exported.npz");
    kernels::Progress progress;
    io::exportModel(io::exportKind("npz"), file, path, progress);
    QVERIFY(sentenceOf([&] { load(path); }).starts_with("exported.npz: is a model that Polyad exported for NumPy, not a tensor"));
    QCOMPARE(load(path + ":factor_0").tensor.dims(), (std::vector<kernels::Index>{9, 3}));
}

void TestNumpy::memoryLimitsHold()
{
    io::ReadOptions options;
    options.memoryLimit = 100000; // bytes
    for (const char* name : {"large_coo.npz", "large_csr.npz", "large_dia.npz", "order16.npy"})
        QVERIFY_EXCEPTION_THROWN(load(m_files.path(name), options), kernels::OutOfMemory);
}

void TestNumpy::cancelStops()
{
    kernels::Progress progress;
    progress.cancel();
    for (const char* name : {"large_coo.npz", "dense_f8_C.npy"})
        QVERIFY_EXCEPTION_THROWN(io::readTensor(m_files.path(name), {}, progress), kernels::Cancelled);
}

void TestNumpy::badFilesSayWhy_data()
{
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* words) { QTest::newRow(name) << words; };
    row("bad_objects.npy", "bad_objects.npy: holds pickled Python objects, which are not read");
    row("bad_objects.npz", "bad_objects.npz:x: holds pickled Python objects, which are not read");
    row("bad_complex.npy", "holds complex numbers");
    row("bad_records.npy", "holds records with named fields");
    row("bad_text.npy", "is no array that a tensor is made of (found text of 1 x 2");
    row("bad_dates.npy", "this type of NumPy array is not read (found <M8[s]");
    row("bad_long.npy", "this type of NumPy array is not read (found <f16");
    row("bad_order1.npy", "(found float64 of 3, expected numbers with 2 to 16 dimensions)");
    row("bad_order17.npy", "number of modes out of range (found 17");
    row("bad_no_cells.npy", "size of a mode out of range (found 0");
    row("bad_infinite.npy", "bad_infinite.npy cell 2 (from 1): value is not finite");
    row("bad_huge.npy", "the array is not as long as its header says (found 0 B, expected 1000000000000000000 elements");
    row("bad_overflow.npy", "declares too many elements");
    row("bad_claims.npy", "is not as long as its header says (found 80 B, expected 1000000 elements of 8 bytes). It may have been cut");
    row("bad_long_data.npy", "is not as long as its header says (found 40 B, expected 4 elements of 8 bytes)");
    row("bad_header.npy", "its NumPy header has no descr");
    row("bad_shape.npy", "the shape in its NumPy header is not understood");
    row("bad_long_header.npy", "its NumPy header is too long");
    row("bad_version.npy", "this version of the NumPy format is not read (found 9");
    row("bad_cut_header.npy", "ends within its NumPy header");
    row("bad_zip.npz", "is a zip archive without NumPy arrays");
    row("bad_nothing.npz", "holds no tensor (found no arrays");
    row("bad_other.npz", "is a zip archive without NumPy arrays");
    row("bad_model.npz", "is a model that Polyad exported for NumPy");
    row("bad_negative.npz", "bad_negative.npz:coords element 0 (from 0): negative index (found -1");
    row("bad_past.npz", "index past the size of its mode (found 3, expected less than 3)");
    row("bad_fill.npz", "a fill value other than 0 is not read (found 1");
    row("bad_count.npz", "indices and values differ in number (found 3 x 4 indices, 3 values");
    row("bad_modes.npz", "shape and indices differ in order (found 2 sizes, 3 modes");
    row("bad_shape_zero.npz", "size of a mode out of range (found 0");
    row("bad_shape_large.npz", "size of a mode out of range (found 1099511627776");
    row("bad_half.npz", "is not a whole number (found 0.5");
    row("bad_nan.npz", "bad_nan.npz:data element 0 (from 0): value is not finite");
    row("bad_words.npz", "holds text where numbers belong");
    row("bad_pointers.npz", "element 2 (from 0): pointers do not rise");
    row("bad_pointers_end.npz", "pointers do not end at the number of entries (found 3, expected 4)");
    row("bad_pointers_number.npz", "another number of pointers than rows or columns and one (found 2, expected 4)");
    row("bad_rows.npz", "another number of pointers than rows or columns and one (found 4, expected 2147483649)");
    row("bad_column.npz", "index past the size of its mode (found 4, expected less than 4)");
    row("bad_format.npz", "this format of scipy.sparse is not read (found lil");
    row("bad_part.npz", "this csr matrix lacks a part (expected indptr)");
    row("bad_blocks.npz", "its blocks do not fit the matrix");
    row("bad_diagonals.npz", "another number of diagonals than offsets");
    row("bad_axes.npz", "compressed_axes is no list of different modes");
    row("bad_square.npz", "nothing says whether rows or columns are compressed");
    row("bad_checksum.npz", "bad_checksum.npz:x: the zip data is damaged (found CRC error");
    row("bad_member_size.npz", "declares data that the file does not have");
    row("bad_method.npz", "is packed in a way that NumPy does not use (found method 14");
}

void TestNumpy::badFilesSayWhy()
{
    QFETCH(const QString, words);
    const QString sentence = QString::fromStdString(sentenceOf([&] { load(m_files.path(QTest::currentDataTag())); }));
    QVERIFY2(sentence.contains(words), qPrintable(sentence));
    QVERIFY2(sentence.startsWith(QTest::currentDataTag()), qPrintable(sentence));
}

void TestNumpy::damagedFilesAreSurvived_data()
{
    QTest::addColumn<int>("unused");
    for (const char* name : {"dense_f8_C.npy", "dense_packed.npz", "tensor_pydata.npz", "tensor_pydata_packed.npz", "tensor_gcxs_12.npz",
                             "matrix_csr.npz", "matrix_csr_packed.npz", "matrix_bsr.npz", "matrix_dia.npz"})
        QTest::newRow(name) << 0;
}

/// Cut short anywhere: an error. A few bytes replaced: an error or a tensor that holds together.
void TestNumpy::damagedFilesAreSurvived()
{
    const QByteArray whole = test::contentOf(m_files.path(QTest::currentDataTag()));
    const QByteArray name = QByteArray("cut_") + QTest::currentDataTag();
    io::ReadOptions options;
    options.memoryLimit = 64 << 20;
    for (int part = 1; part < 32; ++part) {
        const std::string path = m_files.write(name.constData(), whole.left(int(whole.size() * part / 32)));
        QVERIFY2(sentenceOf([&] { load(path, options); }) != "no error", qPrintable(QString::number(part)));
    }
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        QByteArray bytes = whole;
        for (std::uint64_t i = 0; i < 3; ++i)
            bytes[int(kernels::random::uniform(seed, 1, i) * double(bytes.size()))] = char(kernels::random::uniform(seed, 2, i) * 256);
        const std::string path = m_files.write(name.constData(), bytes);
        sentenceOf([&] { load(path, options).tensor.check(); });
    }
}

QTEST_GUILESS_MAIN(TestNumpy)
#include "tst_numpy.moc"
