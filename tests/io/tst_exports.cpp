// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/exports/export_model.h"
#include "io/exports/file_set.h"
#include "io/exports/npz.h"
#include "io/text/ktensor.h"
#include "support/python.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <QDir>

#include <fmt/format.h>

using kernels::ModelKind;
using test::contentOf;
using test::sentenceOf;

/// Every form a model is exported in: exact bytes, and predictions rebuilt by another program.
class TestExports : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_python = test::pythonHas("numpy"); }
    void ktensorIsExactlyAsDocumented();
    void ktensorsAreReadInEverySpelling_data();
    void ktensorsAreReadInEverySpelling();
    void ktensorsThatAreRefusedSayWhy_data();
    void ktensorsThatAreRefusedSayWhy();
    void ktensorsKeepEveryBit();
    void signsMoveToTheFirstFactor();
    void tablesAreExact();
    void namesOfComponentsHeadTheirColumns();
    void coreRunsWithItsFirstIndexFastest();
    void splattFilesAreExact();
    void kindsAreChosenByTheEnding();
    void whatDoesNotFitSaysWhy();
    void pythonRebuildsPredictions_data();
    void pythonRebuildsPredictions();
    void pythonReadsLabelsAndNames();
    void aLongLabelCostsItsOwnRoom();
    void zip64IsReadByPython();
    void pyttbReadsOursAndWeReadPyttbs();
    void allFilesOrNone();
    void cancelLeavesNothing();

private:
    io::ModelFile fileOf(ModelKind kind, bool doubles = true)
    {
        io::ModelFile file;
        file.model = test::randomModel(kind, {5, 4, 3}, 2, 3, 11, doubles);
        for (const kernels::Index size : file.model.dims)
            file.modes.push_back(kernels::Mode{size, {}, {}});
        file.modes[1].labels = {"plain", "with, comma", "with \"quotes\"", "größer"};
        file.history.resize(2);
        file.history[1].iteration = 1;
        return file;
    }

    std::vector<std::string> exported(const char* kind, const io::ModelFile& file, const std::string& target)
    {
        kernels::Progress progress;
        return io::exportModel(io::exportKind(kind), file, target, progress);
    }

    QStringList filesIn(const char* folder)
    {
        return QDir(QString::fromStdString(m_files.path(folder))).entryList(QDir::Files | QDir::Hidden);
    }

    test::TemporaryFiles m_files;
    bool m_python = false;
};

namespace {

/// The example of docs/FILE_FORMATS.md: 4 x 5 x 3, two components.
const QByteArray documentedKtensor = "ktensor\n3\n4 5 3\n2\n3.0000000000000000e+00 2.0000000000000000e+00\n"
                                     "matrix\n2\n4 2\n"
                                     "1.0000000000000000e+00 5.0000000000000000e+00\n2.0000000000000000e+00 6.0000000000000000e+00\n"
                                     "3.0000000000000000e+00 7.0000000000000000e+00\n4.0000000000000000e+00 8.0000000000000000e+00\n"
                                     "matrix\n2\n5 2\n"
                                     "-1.0000000000000001e-01 1.0000000000000000e+00\n0.0000000000000000e+00 2.0000000000000000e+00\n"
                                     "1.0000000000000001e-01 3.0000000000000000e+00\n2.0000000000000001e-01 4.0000000000000000e+00\n"
                                     "2.9999999999999999e-01 5.0000000000000000e+00\n"
                                     "matrix\n2\n3 2\n"
                                     "1.0000000000000001e+300 1.0000000000000000e+00\n1.0000000000000000e+00 1.0000000000000000e+00\n"
                                     "1.0000000000000000e+00 1.0000000000000000e-300\n";

kernels::Model documentedModel()
{
    kernels::Model model;
    model.kind = ModelKind::Cp;
    model.dims = {4, 5, 3};
    model.ranks = {2, 2, 2};
    model.coreRank = 2;
    model.weights = {3, 2};
    for (const kernels::Index size : model.dims)
        model.factors.emplace_back(size, 2, true);
    model.factors[0].data = kernels::Array<double>{1, 5, 2, 6, 3, 7, 4, 8};
    model.factors[1].data = kernels::Array<double>{-0.1, 1, 0, 2, 0.1, 3, 0.2, 4, 0.3, 5};
    model.factors[2].data = kernels::Array<double>{1e300, 1, 1, 1, 1, 1e-300};
    return model;
}

} // namespace

void TestExports::ktensorIsExactlyAsDocumented()
{
    io::ModelFile file;
    file.model = documentedModel();
    QCOMPARE(exported("ktensor", file, m_files.path("exact.ktensor")), std::vector<std::string>{m_files.path("exact.ktensor")});
    QCOMPARE(contentOf(m_files.path("exact.ktensor")), documentedKtensor);
}

void TestExports::ktensorsAreReadInEverySpelling_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const QByteArray plain = documentedKtensor;
    QTest::newRow("ours") << plain;
    QTest::newRow("facmatrix") << QByteArray(plain).replace("matrix", "facmatrix");
    QTest::newRow("trailing blanks") << QByteArray(plain).replace("\n", " \n");
    QTest::newRow("CRLF") << QByteArray(plain).replace("\n", "\r\n");
    QTest::newRow("no last newline") << plain.chopped(1);
    QTest::newRow("BOM") << "\xef\xbb\xbf" + plain;
    QTest::newRow("comments") << "# made by hand\n\n" + QByteArray(plain).replace("matrix\n", "matrix\n% a factor\n");
    QTest::newRow("gzip") << test::gzipped(plain.left(30)) + test::gzipped(plain.mid(30));
}

void TestExports::ktensorsAreReadInEverySpelling()
{
    QFETCH(const QByteArray, bytes);
    const std::string path = m_files.write("any.name", bytes);
    QVERIFY(io::isModelFile(path));
    const io::ModelFile file = io::readModel(path);
    const kernels::Model expected = documentedModel();
    QCOMPARE(file.model.dims, expected.dims);
    QCOMPARE(file.model.ranks, expected.ranks);
    QCOMPARE(file.model.coreRank, 2u);
    QCOMPARE(file.model.weights, expected.weights);
    for (unsigned n = 0; n < 3; ++n)
        QVERIFY(file.model.factors[n].data == expected.factors[n].data);
    QCOMPARE(file.modes.size(), std::size_t{3});
    QVERIFY(sentenceOf([&] { test::load(path); }).find("is a model as text (ktensor), not a tensor") != std::string::npos);
}

void TestExports::ktensorsThatAreRefusedSayWhy_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const QByteArray& bytes, const char* sentence) { QTest::newRow(name) << bytes << sentence; };
    const QByteArray padding(4000, '#'); // a file large enough for what it declares
    row("a million modes", "ktensor\n1000000\n", "k line 2: number of modes out of range (found 1000000");
    row("one mode", "ktensor\n1\n3\n1\n1\n", "k line 2: number of modes out of range (found 1,");
    row("no sizes", "ktensor\n2\n", "k: the file ends inside its header");
    row("rank 0", "ktensor\n2\n3 3\n0\n", "k line 4: number of components out of range (found 0");
    row("rank 2^63", "ktensor\n2\n3 3\n9223372036854775808\n", "k line 4: number of components out of range");
    row("rows without data", "ktensor\n2\n4294967295 4294967295\n1024\n1\n", "k: declares more numbers than the file can hold");
    row("few weights", "ktensor\n2\n1 1\n2\n1\n" + padding,
        "k line 5: wrong number of numbers in the weights (found 1, expected 2 on one line");
    row("no matrix", "ktensor\n2\n1 1\n1\n1\n" + padding, "k: the file ends inside its header");
    row("another word", "ktensor\n2\n1 1\n1\n1\ntensor\n" + padding,
        "k line 6: header not understood (found \"tensor\", expected matrix or facmatrix");
    row("another shape", "ktensor\n2\n1 1\n1\n1\nmatrix\n2\n2 1\n" + padding,
        "k line 8: factor 1 has another shape than the model (found 2 x 1");
    row("a cube", "ktensor\n2\n1 1\n1\n1\nmatrix\n3\n1 1 1\n" + padding, "k line 7: a matrix has two sizes");
    row("a value a line", "ktensor\n2\n1 1\n2\n1 1\nmatrix\n2\n1 2\n1\n1\n" + padding,
        "k line 9: wrong number of numbers in a row of the factor");
    row("a word", "ktensor\n2\n1 1\n1\n1\nmatrix\n2\n1 1\none\n" + padding, "k line 9: not a number (found \"one\"");
    row("infinity", "ktensor\n2\n1 1\n1\ninf\n" + padding, "k line 5: value is not finite");
    row("cut", documentedKtensor.left(documentedKtensor.size() - 60), "k: the file ends early");
    row("more", documentedKtensor + "1 2\n", "k line 27: more lines than the model has");
}

void TestExports::ktensorsThatAreRefusedSayWhy()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, sentence);
    const std::string path = m_files.write("k", bytes);
    const std::string told = sentenceOf([&] { io::readModel(path); });
    QVERIFY2(QString::fromStdString(told).startsWith(sentence), told.c_str());
}

void TestExports::ktensorsKeepEveryBit()
{
    for (const bool doubles : {true, false}) {
        const io::ModelFile file = fileOf(ModelKind::Cp, doubles);
        exported("ktensor", file, m_files.path("bits.ktensor"));
        const io::ModelFile read = io::readModel(m_files.path("bits.ktensor"));
        const kernels::Predictor before(file.model), after(read.model);
        test::forEachCell(file.model.dims, [&](const std::vector<kernels::Index>& at) { QCOMPARE(after(at), before(at)); });
        // And on into the model file, whose run nobody knows.
        exported("h5", read, m_files.path("bits.h5"));
        const io::ModelFile again = io::readModel(m_files.path("bits.h5"));
        QCOMPARE(again.model.weights, read.model.weights);
        QVERIFY(again.model.factors[2].data == read.model.factors[2].data);
        QVERIFY(again.config.algorithm.empty());
    }
}

void TestExports::signsMoveToTheFirstFactor()
{
    io::ModelFile file = fileOf(ModelKind::Cp);
    file.model.weights = {-2, 0.5};
    exported("ktensor", file, m_files.path("signs.ktensor"));
    QVERIFY(contentOf(m_files.path("signs.ktensor")).contains("\n2.0000000000000000e+00 5.0000000000000000e-01\n"));
    const io::ModelFile read = io::readModel(m_files.path("signs.ktensor"));
    const kernels::Predictor before(file.model), after(read.model);
    test::forEachCell(file.model.dims, [&](const std::vector<kernels::Index>& at) { QCOMPARE(after(at), before(at)); });
    const std::string negative =
        m_files.write("negative.ktensor", QByteArray(documentedKtensor).replace("\n3.0000000000000000e+00", "\n-3"));
    const kernels::Model folded = io::readModel(negative).model;
    QCOMPARE(folded.weights, (std::vector<double>{3, 2}));
    QCOMPARE(folded.factors[0].at(3, 0), -4.0);
    QCOMPARE(folded.factors[0].at(3, 1), 8.0);
}

void TestExports::tablesAreExact()
{
    io::ModelFile file = fileOf(ModelKind::Cp);
    file.model.factors[1].data = kernels::Array<float>{0.1f, 1, -2.5f, 1e-9f, 3, 4, 5, 1e20f};
    const std::vector<std::string> paths = exported("csv", file, m_files.path("tables/"));
    QCOMPARE(paths.size(), std::size_t{5});
    QCOMPARE(filesIn("tables"), (QStringList{"factor_0.csv", "factor_1.csv", "factor_2.csv", "metrics.csv", "weights.csv"}));
    QCOMPARE(
        contentOf(m_files.path("tables/factor_1.csv")),
        QByteArray("index1,label,c1,c2\n1,plain,0.1,1\n2,\"with, comma\",-2.5,1e-09\n3,\"with \"\"quotes\"\"\",3,4\n4,größer,5,1e+20\n"));
    QCOMPARE(contentOf(m_files.path("tables/weights.csv")), QByteArray("component,weight\n1,0.5\n2,1.5\n"));
    QCOMPARE(contentOf(m_files.path("tables/metrics.csv")).count('\n'), 3);
    file.history.clear();
    exported("csv", file, m_files.path("bare"));
    QVERIFY(!filesIn("bare").contains("metrics.csv"));
}

void TestExports::namesOfComponentsHeadTheirColumns()
{
    io::ModelFile file = fileOf(ModelKind::Cp);
    file.componentNames = {"", "red-eye, west to east"};
    exported("csv", file, m_files.path("named"));
    QVERIFY(contentOf(m_files.path("named/factor_0.csv")).startsWith("index1,label,c1,\"c2 red-eye, west to east\"\n1,,"));
    QCOMPARE(contentOf(m_files.path("named/weights.csv")), QByteArray("component,weight,name\n1,0.5,\n2,1.5,\"red-eye, west to east\"\n"));
    file = fileOf(ModelKind::FastTucker); // whose columns are the rows of the core matrices
    file.componentNames = {"früh", "", "third"};
    exported("csv", file, m_files.path("fast"));
    QVERIFY(contentOf(m_files.path("fast/factor_0.csv")).startsWith("index1,label,c1 früh,c2\n1,,"));
    QVERIFY(contentOf(m_files.path("fast/core_factor_0.csv")).startsWith("index1,label,c1,c2,c3\n1,früh,"));
    if (!m_python)
        return;
    exported("npz", file, m_files.path("named.npz"));
    const std::string script = m_files.write("names.py",
                                             "import numpy, sys\nnames = numpy.load(sys.argv[1])['component_names']\n"
                                             "assert names.tolist() == ['früh', '', 'third'], names\n");
    const QString told = test::runPython(QString::fromStdString(script), {QString::fromStdString(m_files.path("named.npz"))});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

void TestExports::coreRunsWithItsFirstIndexFastest()
{
    io::ModelFile file = fileOf(ModelKind::Tucker);
    file.model.ranks = {2, 3, 1};
    file.model.core = {1, 2, 3, 4, 5, 6}; // rows (0, 0) (0, 1) (0, 2) (1, 0) …
    exported("core", file, m_files.path("t.core.tensor"));
    QVERIFY(contentOf(m_files.path("t.core.tensor"))
                .startsWith(
                    "tensor\n3\n2 3 1\n1.0000000000000000e+00\n4.0000000000000000e+00\n2.0000000000000000e+00\n5.0000000000000000e+00\n"));
    QVERIFY(contentOf(m_files.path("t.factor_2.csv")).startsWith("index1,label,c1,c2\n1,,"));
    exported("core", file, m_files.path("u"));
    QCOMPARE(contentOf(m_files.path("u.core.tensor")), contentOf(m_files.path("t.core.tensor")));
    // The core is a tensor, too.
    const kernels::SparseTensor core = test::load(m_files.path("u.core.tensor")).tensor;
    QCOMPARE(core.dims(), (std::vector<kernels::Index>{2, 3, 1}));
    for (kernels::Count e = 0; e < 6; ++e)
        QCOMPARE(core.value(e), double(e + 1));
}

void TestExports::splattFilesAreExact()
{
    io::ModelFile file;
    file.model = documentedModel();
    file.model.weights[0] = -3;
    exported("splatt", file, m_files.path("splatt"));
    QCOMPARE(filesIn("splatt"), (QStringList{"lambda.mat", "mode1.mat", "mode2.mat", "mode3.mat"}));
    QCOMPARE(contentOf(m_files.path("splatt/mode1.mat")),
             QByteArray("-1.00000000e+00 +5.00000000e+00 \n-2.00000000e+00 +6.00000000e+00 \n-3.00000000e+00 +7.00000000e+00 \n"
                        "-4.00000000e+00 +8.00000000e+00 \n"));
    QCOMPARE(contentOf(m_files.path("splatt/lambda.mat")), QByteArray("3.000000e+00\n2.000000e+00\n"));
}

void TestExports::kindsAreChosenByTheEnding()
{
    const auto id = [](const std::string& target) { return std::string(io::exportKindFor(target).id); };
    QCOMPARE(id("a/m.npz"), std::string("npz"));
    QCOMPARE(id("m.ktensor"), std::string("ktensor"));
    QCOMPARE(id("m.core.tensor"), std::string("core"));
    QCOMPARE(id("m.csv"), std::string("metrics"));
    QCOMPARE(id("m.h5"), std::string("h5"));
    QCOMPARE(id("new/"), std::string("csv"));
    QCOMPARE(id(m_files.path("new")), std::string("csv")); // a folder that is made
    QCOMPARE(id(m_files.path(".")), std::string("csv"));
    QVERIFY(sentenceOf([&] { id("m.xyz"); }).starts_with("m.xyz: the ending names no kind of export (expected a folder, or one of .h5"));
    QVERIFY(sentenceOf([&] { io::exportKind("word"); }).find("one of h5, npz, csv") != std::string::npos);
}

void TestExports::whatDoesNotFitSaysWhy()
{
    const auto told = [&](const char* kind, const io::ModelFile& file) {
        return QString::fromStdString(sentenceOf([&] { exported(kind, file, m_files.path("never")); }));
    };
    QVERIFY(told("ktensor", fileOf(ModelKind::Tucker)).contains("it holds cp models, and this is a tucker model"));
    QVERIFY(told("splatt", fileOf(ModelKind::FastTucker)).contains("this is a fasttucker model"));
    QVERIFY(told("core", fileOf(ModelKind::Cp)).contains("a cp model has no core"));
    io::ModelFile wide;
    wide.model = test::randomModel(ModelKind::FastTucker, {3, 3, 3, 3}, 40, 2, 1, false);
    QVERIFY(told("core", wide).contains("would have more than 2^20 elements"));
    QVERIFY(told("metrics", wide).contains("holds no history"));
    QVERIFY(filesIn(".").filter("never").isEmpty());
}

void TestExports::pythonRebuildsPredictions_data()
{
    QTest::addColumn<QString>("form");
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("doubles");
    for (const bool doubles : {false, true}) {
        const auto row = [&](const char* form, ModelKind kind) {
            QTest::addRow("%s, %s, %s", form, std::string(kernels::toString(kind)).c_str(), doubles ? "double" : "float")
                << form << int(kind) << doubles;
        };
        for (const ModelKind kind : {ModelKind::Cp, ModelKind::Tucker, ModelKind::FastTucker}) {
            row("npz", kind);
            row("csv", kind);
        }
        row("core", ModelKind::Tucker);
        row("core", ModelKind::FastTucker);
        row("splatt", ModelKind::Cp);
    }
}

void TestExports::pythonRebuildsPredictions()
{
    if (!m_python)
        QSKIP("python3 with numpy is not installed: this was not tested");
    QFETCH(const QString, form);
    QFETCH(const int, kind);
    QFETCH(const bool, doubles);
    const io::ModelFile file = fileOf(static_cast<ModelKind>(kind), doubles);
    const kernels::Predictor predict(file.model);
    QByteArray expected;
    test::forEachCell(file.model.dims, [&](const std::vector<kernels::Index>& at) {
        expected += QByteArray::fromStdString(fmt::format("{} {} {} {:.17g}\n", at[0], at[1], at[2], predict(at)));
    });
    const std::string target = m_files.path(qPrintable(QStringLiteral("python%1-%2%3").arg(form).arg(kind).arg(doubles)));
    exported(qPrintable(form), file, target);
    const QString told =
        test::runPython(QStringLiteral(POLYAD_TEST_DATA "/../io/check_exports.py"),
                        {form, QString::fromStdString(target), QString::fromStdString(m_files.write("expected", expected))});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

void TestExports::pythonReadsLabelsAndNames()
{
    if (!m_python)
        QSKIP("python3 with numpy is not installed: this was not tested");
    io::ModelFile file = fileOf(ModelKind::Cp);
    file.modes[0].name = "origin";
    file.modes[2].name = "größe";
    file.modes[2].labels = {"5", "", "𝄞 clef\nline"};
    exported("npz", file, m_files.path("labels.npz"));
    const QString told = test::runPython(QStringLiteral(POLYAD_TEST_DATA "/../io/check_exports.py"),
                                         {"labels", QString::fromStdString(m_files.path("labels.npz")), "-"});
    QVERIFY2(told.isEmpty(), qPrintable(told));
    // Who has no labels writes none.
    for (kernels::Mode& mode : file.modes)
        mode = kernels::Mode{mode.size, {}, {}};
    exported("npz", file, m_files.path("bare.npz"));
    QVERIFY(!contentOf(m_files.path("bare.npz")).contains("labels_") && !contentOf(m_files.path("bare.npz")).contains("mode_names"));
}

/// 40,000 labels as long as one of 2 KB would take 320 MB.
void TestExports::aLongLabelCostsItsOwnRoom()
{
    io::ModelFile file;
    file.model = test::randomModel(ModelKind::Cp, {40'000, 2}, 2, 0, 1, false);
    file.modes = {{40'000, "word", {}}, {2, "", {}}};
    for (int i = 0; i < 40'000; ++i)
        file.modes[0].labels.push_back(i == 7 ? std::string(2000, 'x') : "ä" + std::to_string(i));
    exported("npz", file, m_files.path("long.npz"));
    QVERIFY(contentOf(m_files.path("long.npz")).size() < 2'000'000);
    if (!m_python)
        QSKIP("python3 with numpy is not installed: this was not tested");
    const QString told = test::runPython(QStringLiteral(POLYAD_TEST_DATA "/../io/check_exports.py"),
                                         {"long-labels", QString::fromStdString(m_files.path("long.npz")), "-"});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

/// The same records as for 4 GiB, from the first byte on.
void TestExports::zip64IsReadByPython()
{
    if (!m_python)
        QSKIP("python3 is not installed: this was not tested");
    io::AtomicFile file(m_files.path("large.zip"));
    io::npz::StoredZip zip(file, 1);
    zip.add("a.txt", "head", "data");
    zip.add("b.txt", "", "x");
    zip.finish();
    file.commit();
    const QString told = test::runPython(QStringLiteral(POLYAD_TEST_DATA "/../io/check_exports.py"),
                                         {"zip64", QString::fromStdString(m_files.path("large.zip")), "-"});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

void TestExports::pyttbReadsOursAndWeReadPyttbs()
{
    if (!test::pythonHas("pyttb"))
        QSKIP("pyttb is not installed (pip install pyttb): this was not tested");
    // Their readers on our files, their writers on what they read; what comes back must be the same.
    const auto path = [&](const char* name) { return m_files.path(name); };
    const char* script = "import sys, pyttb\n"
                         "for ours, theirs in zip(sys.argv[1::2], sys.argv[2::2]):\n"
                         "    pyttb.export_data(pyttb.import_data(ours), theirs)\n";
    io::ModelFile file = fileOf(ModelKind::Cp);
    exported("ktensor", file, path("ours.ktensor"));
    kernels::SparseTensor tensor = test::randomTensor({6, 5, 4}, 60, 2, true);
    for (unsigned n = 0; n < 3; ++n)
        tensor.indices[n][7] = tensor.modes[n].size - 1; // then an index equals its size, and the base is certain
    kernels::sortLexicographically(tensor);
    kernels::mergeDuplicates(tensor, kernels::Duplicates::Last);
    kernels::Progress progress;
    io::writeTensor(path("ours.tns"), tensor, {"sptensor"}, progress);
    io::writeTensor(path("ours.tensor"), tensor, {}, progress);
    QStringList arguments;
    for (const char* name : {"ours.ktensor", "theirs.ktensor", "ours.tns", "theirs.tns", "ours.tensor", "theirs.tensor"})
        arguments += QString::fromStdString(path(name));
    const QString told = test::runPython(script, arguments);
    QVERIFY2(told.isEmpty(), qPrintable(told));

    const kernels::Predictor before(file.model);
    const io::ModelFile read = io::readModel(path("theirs.ktensor"));
    const kernels::Predictor after(read.model);
    test::forEachCell(file.model.dims, [&](const std::vector<kernels::Index>& at) { QCOMPARE(after(at), before(at)); });
    io::ReadOptions options;
    options.doubleValues = true;
    QVERIFY(test::same(test::load(path("theirs.tns"), options).tensor, tensor));
    options.keepZeros = false;
    QVERIFY(test::same(test::load(path("theirs.tensor"), options).tensor, tensor));
    QVERIFY(contentOf(path("theirs.tensor")) == contentOf(path("ours.tensor")));
}

/// One of the targets cannot be written: none of the others is there afterwards, and what was there stays.
void TestExports::allFilesOrNone()
{
    const io::ModelFile file = fileOf(ModelKind::Cp);
    QVERIFY(QDir(QString::fromStdString(m_files.path("."))).mkpath("blocked/factor_2.csv"));
    const std::string old = m_files.write("blocked/factor_0.csv", "old");
    QVERIFY(sentenceOf([&] { exported("csv", file, m_files.path("blocked")); }).find("is a folder") != std::string::npos);
    QCOMPARE(filesIn("blocked"), QStringList{"factor_0.csv"});
    QCOMPARE(contentOf(old), QByteArray("old"));
    // A rename that fails in the middle: what was new goes again.
    io::FileSet files(io::Existing::Replace);
    files.add(m_files.path("first")).write("1");
    files.add(m_files.path("second")).write("2");
    QVERIFY(QDir(QString::fromStdString(m_files.path("."))).mkpath("second/inside"));
    QVERIFY(sentenceOf([&] { files.commit(); }) != "no error");
    QVERIFY(!QFile::exists(QString::fromStdString(m_files.path("first"))));
    // A form that adds no file is a mistake, not a success.
    io::FileSet none(io::Existing::Replace);
    QVERIFY(sentenceOf([&] { none.commit(); }).find("nothing was written") != std::string::npos);
    for (const io::ExportKind& kind : io::exportKinds())
        QVERIFY(kind.write && kind.refuses);
}

void TestExports::cancelLeavesNothing()
{
    const io::ModelFile file = fileOf(ModelKind::Cp);
    for (const char* kind : {"npz", "csv", "ktensor", "splatt"}) {
        kernels::Progress progress;
        progress.cancel();
        const std::string target = m_files.path("cancelled");
        QVERIFY_EXCEPTION_THROWN(io::exportModel(io::exportKind(kind), file, target, progress), kernels::Cancelled);
        QVERIFY2(!QFile::exists(QString::fromStdString(target)), kind);
    }
}

QTEST_GUILESS_MAIN(TestExports)
#include "tst_exports.moc"
