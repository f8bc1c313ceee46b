// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/model_file.h"
#include "support/python.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <QDir>
#include <QProcess>

#include <fmt/format.h>

using test::load;
using test::sentenceOf;

/// Python's h5py reads what we write, and we read what it writes.
class TestH5py : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void pythonReadsOurTensors();
    void pythonRebuildsPredictions_data();
    void pythonRebuildsPredictions();
    void spellingsOfOthersAreRead_data();
    void spellingsOfOthersAreRead();
    void compressedTensorsAreExpanded_data();
    void compressedTensorsAreExpanded();
    void compressedMatricesAreRead_data();
    void compressedMatricesAreRead();
    void isoFillsCompressedOnes();
    void anndatasOwnFilesAreRead();
    void cancelEndsAnExpansion();
    void asManyEntriesAsModes();
    void valuesOfOtherTypes();
    void groupsCanBeNamed();
    void layoutsAreReadOnRequest_data();
    void layoutsAreReadOnRequest();
    void zerosOfDenseArraysCanBeDropped();
    void layoutsThatDoNotFitSayWhy_data();
    void layoutsThatDoNotFitSayWhy();
    void layoutsThatAreCutShortAreRefused();
    void layoutsStopOnCancel();
    void whatIsRefusedSaysWhy_data();
    void whatIsRefusedSaysWhy();

private:
    static constexpr const char* python = "/usr/bin/python3";

    /// Runs a script of this folder; its own words when it fails.
    static QString run(const char* script, const QStringList& arguments)
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(python, QStringList{QStringLiteral(POLYAD_TEST_DATA "/../io/") + script} + arguments);
        process.waitForFinished(60000);
        return process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0
            ? QString()
            : QString::fromUtf8(process.readAll()) + process.errorString();
    }

    test::TemporaryFiles m_files;
};

void TestH5py::initTestCase()
{
    if (QProcess::execute(python, {"-c", "import h5py, numpy"}) != 0)
        QSKIP("python3 with h5py is not installed: nothing here was tested");
    const QString told = run("h5py_write.py", {QString::fromStdString(m_files.path("."))});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

void TestH5py::pythonReadsOurTensors()
{
    for (const kernels::Count entries : {kernels::Count{50}, kernels::Count{300000}}) {
        kernels::SparseTensor tensor = test::randomTensor({300, 200, 20}, entries, 5, entries == 50);
        kernels::sortLexicographically(tensor);
        kernels::mergeDuplicates(tensor, kernels::Duplicates::Sum);
        tensor.modes[0].name = "first";
        for (int i = 0; i < 300; ++i)
            tensor.modes[0].labels.push_back(fmt::format("ä{}", i));
        kernels::Progress progress;
        io::writeTensor(m_files.path("ours.h5"), tensor, {}, progress);
        io::writeTensor(m_files.path("ours.tns"), tensor, {}, progress);
        const QString told = run(
            "h5py_read.py", {"tensor", QString::fromStdString(m_files.path("ours.h5")), QString::fromStdString(m_files.path("ours.tns"))});
        QVERIFY2(told.isEmpty(), qPrintable(told));
    }
}

void TestH5py::pythonRebuildsPredictions_data()
{
    QTest::addColumn<int>("kind");
    for (const auto kind : {kernels::ModelKind::Cp, kernels::ModelKind::Tucker, kernels::ModelKind::FastTucker})
        QTest::newRow(std::string(kernels::toString(kind)).c_str()) << int(kind);
}

void TestH5py::pythonRebuildsPredictions()
{
    QFETCH(const int, kind);
    io::ModelFile file;
    file.model = test::randomModel(static_cast<kernels::ModelKind>(kind), {9, 8, 7, 3}, 3, 4, 21, false);
    file.history.resize(2);
    file.history[1].testRmse = 0.5;
    file.input.entries = 10;
    file.input.testPositions = {1, 5};
    io::writeModel(m_files.path("model.h5"), file);
    const kernels::Predictor predict(file.model);
    QByteArray expected;
    for (kernels::Index i = 0; i < 9; ++i) {
        const std::vector<kernels::Index> index{i, i % 8, i % 7, i % 3};
        expected += QByteArray::fromStdString(fmt::format("{} {} {} {} {:.17g}\n", index[0], index[1], index[2], index[3], predict(index)));
    }
    const std::string expectedPath = m_files.write("expected.txt", expected);
    const QString told =
        run("h5py_read.py", {"model", QString::fromStdString(m_files.path("model.h5")), QString::fromStdString(expectedPath)});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

void TestH5py::spellingsOfOthersAreRead_data()
{
    QTest::addColumn<QString>("base"); // starts with
    const auto row = [](const char* name, const char* base) { QTest::newRow(name) << base; };
    for (const char* name :
         {"pytorch.h5", "pydata.h5", "tensorflow.h5", "pyttb.h5", "shape_on_values.h5", "per_mode_indices_0.h5", "per_mode_mode_1.h5",
          "per_mode_idx_0.h5", "per_mode_i_1.h5", "in_a_group.h5", "packed.h5", "big_endian.h5", "binsparse_custom.h5"})
        row(name, "0: ");
    row("matlab.mat", "1: MATLAB counts from 1");
    row("from_one.h5", "1: an index equals the size of its mode");
    row("matlab_from_zero.h5", "0: an index 0 occurs");
}

void TestH5py::spellingsOfOthersAreRead()
{
    QFETCH(const QString, base);
    const io::LoadedTensor loaded = load(m_files.path(QTest::currentDataTag()));
    const kernels::SparseTensor& tensor = loaded.tensor;
    tensor.check();
    QVERIFY2(QString::fromStdString(loaded.report.indexBase).startsWith(base), loaded.report.indexBase.c_str());
    QCOMPARE(tensor.dims(), (std::vector<kernels::Index>{4, 3, 3}));
    QCOMPARE(tensor.entries(), kernels::Count{4});
    const kernels::Index indices[4][3] = {{0, 1, 2}, {1, 2, 0}, {2, 2, 2}, {3, 0, 1}};
    const double values[4] = {1.5, 3, 4.25, 2};
    for (kernels::Count e = 0; e < 4; ++e) {
        for (unsigned n = 0; n < 3; ++n)
            QCOMPARE(tensor.indices[n][e], indices[e][n]);
        QCOMPARE(tensor.value(e), values[e]);
    }
}

void TestH5py::compressedTensorsAreExpanded_data()
{
    QTest::addColumn<int>("zeros");
    for (const char* name : {"binsparse_csf.h5", "binsparse_csf_turned.h5", "binsparse_csf_pair.h5", "binsparse_dense_outside.h5"})
        QTest::newRow(name) << 0;
    QTest::newRow("zeros_dense_inside.h5") << 8;
    QTest::newRow("zeros_dense_turned.h5") << 32;
}

void TestH5py::compressedTensorsAreExpanded()
{
    QFETCH(const int, zeros);
    io::ReadOptions options;
    options.keepZeros = false;
    const io::LoadedTensor loaded = load(m_files.path(QTest::currentDataTag()), options);
    const kernels::SparseTensor& tensor = loaded.tensor;
    tensor.check();
    QCOMPARE(loaded.report.layout, std::string("Binsparse custom"));
    QCOMPARE(loaded.report.zerosDropped, kernels::Count(zeros));
    QCOMPARE(tensor.dims(), (std::vector<kernels::Index>{4, 3, 3}));
    QCOMPARE(tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 1, 2, 3}, {1, 2, 2, 0}, {2, 0, 2, 1}}));
    const double values[] = {1.5, 3, 4.25, 2};
    for (kernels::Count e = 0; e < 4; ++e)
        QCOMPARE(tensor.value(e), values[e]);
}

void TestH5py::compressedMatricesAreRead_data()
{
    QTest::addColumn<QString>("layout");
    for (const char* form : {"CSR", "CSC", "DCSR", "DCSC", "COOR", "COOC"})
        QTest::newRow(qPrintable(QStringLiteral("matrix_%1.h5").arg(form))) << QStringLiteral("Binsparse %1").arg(form);
    QTest::newRow("matrix_anndata_csr.h5") << "AnnData, compressed rows";
    QTest::newRow("matrix_anndata_csc.h5") << "AnnData, compressed columns";
    QTest::newRow("matrix_anndata_csr.h5:/X") << "AnnData, compressed rows";
    QTest::newRow("matrix_h5sparse_csr.h5") << "h5sparse, compressed rows";
    QTest::newRow("matrix_h5sparse_csc.h5") << "h5sparse, compressed columns";
    QTest::newRow("matrix_bare_csr.h5") << "HDF5, compressed rows";
    QTest::newRow("matrix_bare_csc.h5") << "HDF5, compressed columns";
    QTest::newRow("matrix_10x.h5") << "10x, compressed columns";
}

void TestH5py::compressedMatricesAreRead()
{
    QFETCH(const QString, layout);
    const io::LoadedTensor loaded = load(m_files.path(QTest::currentDataTag()));
    QCOMPARE(QString::fromStdString(loaded.report.layout), layout);
    loaded.tensor.check();
    QCOMPARE(loaded.tensor.dims(), (std::vector<kernels::Index>{3, 4}));
    QCOMPARE(loaded.tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 0, 2, 2}, {1, 3, 0, 2}}));
    const double values[] = {1.5, 2, 3, 4.25};
    for (kernels::Count e = 0; e < 4; ++e)
        QCOMPARE(loaded.tensor.value(e), values[e]);
}

void TestH5py::isoFillsCompressedOnes()
{
    const kernels::SparseTensor tensor = load(m_files.path("iso_csr.h5")).tensor;
    QCOMPARE(tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 0, 2, 2}, {1, 3, 0, 2}}));
    for (kernels::Count e = 0; e < 4; ++e)
        QCOMPARE(tensor.value(e), 7.0);
}

void TestH5py::anndatasOwnFilesAreRead()
{
    if (!test::pythonHas("anndata, scipy"))
        QSKIP("anndata is not installed (pip install anndata): this was not tested");
    const char* script = "import sys, anndata, numpy as np, scipy.sparse as s\n"
                         "m = s.csr_matrix(np.array([[0, 1.5, 0, 2], [0, 0, 0, 0], [3, 0, 4.25, 0]]))\n"
                         "a = anndata.AnnData(m)\n"
                         "a.obs['kind'] = ['x', 'y', 'x']\n"
                         "a.obs['kind'] = a.obs['kind'].astype('category')\n"
                         "a.write_h5ad(sys.argv[1])\n"
                         "a.layers['counts'] = s.csc_matrix(m)\n"
                         "a.write_h5ad(sys.argv[2], compression='gzip')\n";
    const std::string one = m_files.path("one.h5ad"), two = m_files.path("two.h5ad");
    const QString told = test::runPython(script, {QString::fromStdString(one), QString::fromStdString(two)});
    QVERIFY2(told.isEmpty(), qPrintable(told));
    for (const std::string& path : {one, two + ":/X", two + ":/layers/counts"}) {
        const io::LoadedTensor loaded = load(path);
        QVERIFY(loaded.report.layout.starts_with("AnnData, compressed"));
        QCOMPARE(loaded.tensor.dims(), (std::vector<kernels::Index>{3, 4}));
        QCOMPARE(loaded.tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 0, 2, 2}, {1, 3, 0, 2}}));
        QCOMPARE(loaded.tensor.value(3), 4.25);
    }
    QVERIFY(sentenceOf([&] { load(two); }).starts_with("two.h5ad: holds several tensors (found /X, /layers/counts"));
}

void TestH5py::cancelEndsAnExpansion()
{
    kernels::Progress progress;
    progress.cancel();
    QVERIFY_EXCEPTION_THROWN(io::readTensor(m_files.path("binsparse_csf.h5"), {}, progress), kernels::Cancelled);
}

void TestH5py::asManyEntriesAsModes()
{
    QCOMPARE(load(m_files.path("as_many_as_modes_subs.h5")).tensor.dims(), (std::vector<kernels::Index>{7, 8, 9}));
    QCOMPARE(load(m_files.path("as_many_as_modes_indices.h5")).tensor.dims(), (std::vector<kernels::Index>{3, 6, 9}));
}

void TestH5py::valuesOfOtherTypes()
{
    QCOMPARE(load(m_files.path("shape_on_group.h5")).tensor.dims(), (std::vector<kernels::Index>{5, 6, 7}));
    const kernels::SparseTensor coo = load(m_files.path("binsparse_coo.h5")).tensor;
    QCOMPARE(coo.entries(), kernels::Count{2});
    QCOMPARE(coo.value(0), 7.0);
    QCOMPARE(coo.value(1), 7.0);
    QVERIFY(!coo.hasDoubleValues());
    const io::LoadedTensor booleans = load(m_files.path("booleans.h5"));
    QCOMPARE(booleans.report.explicitZeros, kernels::Count{1});
    QCOMPARE(booleans.tensor.value(0), 1.0);
    const kernels::SparseTensor integers = load(m_files.path("integers.h5")).tensor;
    QVERIFY(integers.hasDoubleValues()); // a float would lose the 1
    QCOMPARE(integers.value(2), 16777217.0);
}

void TestH5py::groupsCanBeNamed()
{
    QCOMPARE(load(m_files.path("no_two_tensors.h5") + ":/b").tensor.entries(), kernels::Count{4});
    QCOMPARE(load(m_files.path("in_a_group.h5") + ":/deep/down").tensor.entries(), kernels::Count{4});
    QVERIFY(
        sentenceOf([&] { load(m_files.path("no_two_tensors.h5") + ":/c"); }).starts_with("no_two_tensors.h5 /c: there is no such object"));
    QVERIFY(sentenceOf([&] { load(m_files.path("no_two_tensors.h5") + ":/a/subs"); }).find("is a dataset, not a group")
            != std::string::npos);
}

void TestH5py::layoutsAreReadOnRequest_data()
{
    QTest::addColumn<QString>("layout");
    QTest::addColumn<QString>("base"); // starts with
    const auto row = [](const char* name, const char* layout, const char* base) { QTest::newRow(name) << layout << base; };
    row("table_compound.h5", "table", "0: ");
    row("table_compound.h5:/deep/ratings", "table", "0: ");
    row("table_floats.h5", "table", "0: ");
    row("table_from_one.h5", "table", "1: an index equals the size of its mode");
    row("dense.h5", "dense", "0: ");
    row("dense.h5:/cube", "dense", "0: ");
    row("dense_integers.h5", "dense", "0: ");
}

void TestH5py::layoutsAreReadOnRequest()
{
    QFETCH(const QString, layout);
    QFETCH(const QString, base);
    const bool integers = QByteArray(QTest::currentDataTag()) == "dense_integers.h5"; // four times as large
    io::ReadOptions options;
    options.layout = layout.toStdString();
    options.keepZeros = false; // the arrays hold a zero; it is looked at elsewhere
    const io::LoadedTensor loaded = load(m_files.path(QTest::currentDataTag()), options);
    const kernels::SparseTensor& tensor = loaded.tensor;
    tensor.check();
    QVERIFY2(QString::fromStdString(loaded.report.indexBase).startsWith(base), loaded.report.indexBase.c_str());
    QCOMPARE(tensor.dims(), (std::vector<kernels::Index>{4, 3, 3}));
    QCOMPARE(tensor.entries(), kernels::Count{4});
    const kernels::Index indices[4][3] = {{0, 1, 2}, {1, 2, 0}, {2, 2, 2}, {3, 0, 1}};
    const double values[4] = {1.5, 3, 4.25, 2};
    for (kernels::Count e = 0; e < 4; ++e) {
        for (unsigned n = 0; n < 3; ++n)
            QCOMPARE(tensor.indices[n][e], indices[e][n]);
        QCOMPARE(tensor.value(e), integers ? values[e] * 4 : values[e]);
    }
}

void TestH5py::zerosOfDenseArraysCanBeDropped()
{
    io::ReadOptions options;
    options.layout = "dense";
    const io::LoadedTensor kept = load(m_files.path("dense.h5"), options);
    QCOMPARE(kept.tensor.entries(), kernels::Count{5}); // four values and a zero; 31 of 36 are missing
    QCOMPARE(kept.tensor.value(0), 0.0);
    QCOMPARE(kept.report.explicitZeros, kernels::Count{1});
    QCOMPARE(kept.report.notes.at(0), std::string("31 elements are NaN and were taken as missing."));
    QCOMPARE(load(m_files.path("dense_integers.h5"), options).tensor.entries(), kernels::Count{36});
    options.keepZeros = false;
    QCOMPARE(load(m_files.path("dense.h5"), options).report.zerosDropped, kernels::Count{1});
    QCOMPARE(load(m_files.path("dense_integers.h5"), options).report.zerosDropped, kernels::Count{32});
}

void TestH5py::layoutsThatDoNotFitSayWhy_data()
{
    QTest::addColumn<QString>("layout");
    QTest::addColumn<QString>("part"); // of the sentence
    const auto row = [](const char* name, const char* layout, const char* part) { QTest::newRow(name) << layout << part; };
    row("table_floats.h5", "", "holds no sparse tensor (found /ratings");
    row("table_compound.h5", "", "/deep/ratings can be read as a table of entries: --layout table");
    row("dense.h5", "", "/cube can be read as a dense array: --layout dense");
    row("dense.h5:/cube", "", "Read it by itself with --layout dense");
    row("no_fraction_table.h5", "table",
        "no_fraction_table.h5 /ratings entry 0 (from 0): column 2 is not a column of indices (found 1.5, expected whole numbers");
    row("no_matrix.h5", "dense", "no_matrix.h5 /plane: is no dense tensor (found rank 2, expected 3 or more dimensions)");
    row("dense.h5", "table", "no table of entries (found rank 3");
    row("no_infinity.h5", "dense", "no_infinity.h5 /cube element (0, 0, 0) (from 0): value is not finite (found inf");
    row("no_two_tensors.h5", "table", "holds no dataset for --layout table (found /a/subs, /a/vals, /b/subs, /b/vals");
    row("no_text_table.h5", "table", "no_text_table.h5 /ratings: is no table of entries (found rank 1, expected a list of compounds");
    row("no_swapped_table.h5", "table", "no_swapped_table.h5 /ratings: is no table of entries (found rank 1, expected a list of compounds");
    row("no_wide_table.h5", "table", "no_wide_table.h5 /ratings: is no table: number of columns out of range (found 4 × 20");
    row("no_nan_table.h5", "table", "no_nan_table.h5 /ratings entry 1 (from 0): column 1 is not a column of indices (found nan");
    row("no_nan_value_table.h5", "table", "no_nan_value_table.h5 /ratings entry 0 (from 0): value is not finite");
    row("no_negative_table.h5", "table", "entry 0 (from 0): negative index (found -1");
    row("no_large_table.h5", "table", "entry 0 (from 0): ");
    row("no_line.h5", "dense", "no_line.h5 /line: is no dense tensor (found rank 1, expected 3 or more dimensions)");
    row("no_text_cube.h5:/cube", "dense", "holds no real numbers");
    row("no_data_cube.h5", "dense", "no_data_cube.h5 /cube: ");
    row("no_data_table.h5", "table", "no_data_table.h5 /ratings: ");
    row("no_past_cube.h5", "dense", "no_past_cube.h5 /cube: ");
    row("dense.h5", "sideways", "this layout is not known (found sideways, expected table or dense)");
}

void TestH5py::layoutsThatDoNotFitSayWhy()
{
    QFETCH(const QString, layout);
    QFETCH(const QString, part);
    io::ReadOptions options;
    options.layout = layout.toStdString();
    const std::string told = sentenceOf([&] { load(m_files.path(QTest::currentDataTag()), options); });
    QVERIFY2(QString::fromStdString(told).contains(part), told.c_str());
}

/// Wherever the file is cut, a sentence says that it cannot be read.
void TestH5py::layoutsThatAreCutShortAreRefused()
{
    for (const auto& [name, layout] :
         {std::pair("dense.h5", "dense"), std::pair("table_compound.h5", "table"), std::pair("table_floats.h5", "table")}) {
        const QByteArray whole = test::contentOf(m_files.path(name));
        QVERIFY(whole.size() > 1000);
        for (int part = 0; part < 16; ++part) {
            const std::string path = m_files.write("cut.h5", whole.left(whole.size() * part / 16));
            io::ReadOptions options;
            options.layout = layout;
            const std::string told = sentenceOf([&] { load(path, options); });
            QVERIFY2(told.starts_with("cut.h5"), qPrintable(QString("%1 of %2: %3").arg(part).arg(name, QString::fromStdString(told))));
        }
    }
}

void TestH5py::layoutsStopOnCancel()
{
    for (const auto& [name, layout] : {std::pair("dense.h5", "dense"), std::pair("table_floats.h5", "table")}) {
        io::ReadOptions options;
        options.layout = layout;
        kernels::Progress progress;
        progress.cancel();
        QVERIFY_EXCEPTION_THROWN(io::readTensor(m_files.path(name), options, progress), kernels::Cancelled);
    }
}

void TestH5py::whatIsRefusedSaysWhy_data()
{
    QTest::addColumn<QString>("sentence"); // starts with
    const auto row = [](const char* name, const char* sentence) { QTest::newRow(name) << sentence; };
    row("no_two_tensors.h5", "no_two_tensors.h5: holds several tensors (found /a, /b, expected one). Name one: no_two_tensors.h5:/a");
    row("no_indices.h5", "no_indices.h5: holds no sparse tensor (found /vals");
    row("no_rows.h5", "no_rows.h5 /: compressed rows or columns (indptr) without a shape");
    row("no_square.h5", "no_square.h5 /: nothing tells whether rows or columns are compressed");
    row("no_indptr_length.h5",
        "no_indptr_length.h5 /indptr: another number of pointers than rows or columns and one (found 2, expected 4 or 5)");
    row("no_encoding.h5", "no_encoding.h5 /: this encoding-type is not read (found bsr_matrix");
    row("no_pointers_fall.h5",
        "no_pointers_fall.h5 /pointers_to_1 entry 2 (from 0): pointers do not rise from 0 to the number of indices (found 2");
    row("no_pointers_negative.h5", "no_pointers_negative.h5 /pointers_to_1 entry 1 (from 0): pointers do not rise");
    row("no_pointers_from_one.h5", "no_pointers_from_one.h5 /pointers_to_1 entry 0 (from 0): pointers do not rise");
    row("no_pointers_past.h5", "no_pointers_past.h5 /pointers_to_1 entry 3 (from 0): pointers do not rise");
    row("no_pointers_short.h5", "no_pointers_short.h5 /pointers_to_1: the last pointer is not the number of indices (found 3, expected 4)");
    row("no_pointers_few.h5",
        "no_pointers_few.h5 /pointers_to_1: another number of pointers than arrays and one (found 3, expected a list of 4)");
    row("no_pointers_none.h5", "no_pointers_none.h5 /pointers_to_1: there is no such object");
    row("no_values_few.h5", "no_values_few.h5 /values: another number of values than declared (found 3, expected 4)");
    row("no_index_past.h5", "no_index_past.h5 /: an index of mode 2 is past the declared size");
    row("no_index_negative.h5", "no_index_negative.h5 /indices_1 entry 1 (from 0): negative index");
    row("no_levels.h5", "no_levels.h5 /: this Binsparse format is not read (found \"custom\"");
    row("no_format.h5", "no_format.h5 /: this Binsparse format is not read (found \"ELL\"");
    row("no_level_kind.h5", "no_level_kind.h5 /: this Binsparse level is not read (found \"banded\"");
    row("no_level_ranks.h5", "no_level_ranks.h5 /: the ranks of the levels do not make up the order (found 2");
    row("no_level_missing.h5", "no_level_missing.h5 /: the ranks of the levels do not make up the order (found 1");
    row("no_cube_as_csr.h5", "no_cube_as_csr.h5 /: Binsparse CSR is for matrices");
    row("no_structure.h5", "no_structure.h5 /: a Binsparse structure is not read");
    row("no_complex_csr.h5", "no_complex_csr.h5 /: complex values are not read");
    row("no_fill.h5", "no_fill.h5 /fill_value: a fill value other than 0 is not read");
    row("no_iso_huge.h5", "no_iso_huge.h5 /: too many entries");
    row("no_negative.h5", "no_negative.h5 /subs entry 0 (from 0): negative index (found -1");
    row("no_fraction.h5", "no_fraction.h5 /subs entry 0 (from 0): index is not a whole number (found 0.5");
    row("no_nan.h5", "no_nan.h5 /vals entry 0 (from 0): value is not finite");
    row("no_past_shape.h5",
        "no_past_shape.h5 /: an index of mode 1 is past the declared size (found index 3 (from 0), expected less than 3)");
    row("no_complex.h5", "no_complex.h5 /vals: holds no real numbers");
    row("no_lengths.h5", "no_lengths.h5 /subs: indices and values differ in number (found 4 × 3 indices, 2 values");
    row("no_object.mat", "no_object.mat: holds a MATLAB object, which only MATLAB can open");
}

void TestH5py::whatIsRefusedSaysWhy()
{
    QFETCH(const QString, sentence);
    const std::string told = sentenceOf([&] { load(m_files.path(QTest::currentDataTag())); });
    QVERIFY2(QString::fromStdString(told).startsWith(sentence), told.c_str());
}

QTEST_GUILESS_MAIN(TestH5py)
#include "tst_h5py.moc"
