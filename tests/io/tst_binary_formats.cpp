// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/python.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

using test::contentOf;
using test::load;
using test::sentenceOf;

/// SPLATT, ALTO and GenTen binaries: exact bytes, every variant as Python writes it from the description, and lies.
class TestBinaryFormats : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void bytesAreExactlyAsDescribed();
    void everyVariantIsRead_data();
    void everyVariantIsRead();
    void denseFilesAreRead_data();
    void denseFilesAreRead();
    void denseFilesKeepToTheMemoryLimit_data();
    void denseFilesKeepToTheMemoryLimit();
    void pythonReadsOurs_data();
    void pythonReadsOurs();
    void largeSizesChooseWiderIndices();
    void theIndexBaseIsCertain();
    void lossesAreTold();
    void whatIsRefusedSaysWhy_data();
    void whatIsRefusedSaysWhy();
    void cancelEndsTheLoad();

private:
    std::vector<std::string> write(const std::string& path, const kernels::SparseTensor& tensor, const io::WriteOptions& options = {})
    {
        kernels::Progress progress;
        return io::writeTensor(path, tensor, options, progress).warnings;
    }

    static kernels::SparseTensor sample(const std::vector<kernels::Index>& dims, bool doubles)
    {
        kernels::SparseTensor tensor = test::randomTensor(dims, 200, 7, doubles);
        kernels::sortLexicographically(tensor);
        kernels::mergeDuplicates(tensor, kernels::Duplicates::Last);
        return tensor;
    }

    inline static const QString script = QStringLiteral(POLYAD_TEST_DATA "/../io/binary_formats.py");
    test::TemporaryFiles m_files;
    bool m_python = false;
};

namespace {

template <class... T> QByteArray bytesOf(T... numbers)
{
    QByteArray bytes;
    (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
    return bytes;
}

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// "sptn" with two modes of 3 and 4, 16-bit indices and 32-bit values.
QByteArray sptnHeader(u64 entries) { return "sptn" + bytesOf(u32{2}, u32{32}, u64{3}, u64{4}, u64{16}, u64{16}, entries); }

} // namespace

void TestBinaryFormats::initTestCase()
{
    m_python = test::pythonHas("numpy");
    if (!m_python)
        return;
    const QString told = test::runPython(script, {"write", QString::fromStdString(m_files.path("."))});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

void TestBinaryFormats::bytesAreExactlyAsDescribed()
{
    kernels::SparseTensor tensor({3, 4}, 2);
    tensor.indices = {{0, 2}, {3, 1}};
    tensor.values = kernels::Array<float>{1.5f, -2};
    write(m_files.path("x.bin"), tensor);
    QCOMPARE(contentOf(m_files.path("x.bin")),
             bytesOf(std::int32_t{0}, u64{4}, u64{4}, u32{2}, u32{3}, u32{4}, u32{2}, u32{0}, u32{2}, u32{3}, u32{1}, 1.5f, -2.0f));
    write(m_files.path("x.alto.bin"), tensor);
    QCOMPARE(contentOf(m_files.path("x.alto.bin")), bytesOf(u64{2}, u64{3}, u64{4}, u64{2}, u64{0}, u64{2}, u64{3}, u64{1}, 1.5, -2.0));
    write(m_files.path("x.sptn"), tensor);
    QCOMPARE(contentOf(m_files.path("x.sptn")), sptnHeader(2) + bytesOf(u16{0}, u16{3}, 1.5f, u16{2}, u16{1}, -2.0f));
    write(m_files.path("x.dntn"), tensor);
    QCOMPARE(
        contentOf(m_files.path("x.dntn")),
        "dntn"
            + bytesOf(u32{2}, u32{32}, u64{3}, u64{4}, u64{12}, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, -2.0f, 0.0f, 0.0f, 0.0f, 1.5f, 0.0f, 0.0f));
}

void TestBinaryFormats::everyVariantIsRead_data()
{
    QTest::addColumn<QString>("layout");
    QTest::newRow("splatt_4_4.bin") << "SPLATT binary, 32-bit indices, 32-bit values";
    QTest::newRow("splatt_4_8.bin") << "SPLATT binary, 32-bit indices, 64-bit values";
    QTest::newRow("splatt_8_4.bin") << "SPLATT binary, 64-bit indices, 32-bit values";
    QTest::newRow("splatt_8_8.bin") << "SPLATT binary, 64-bit indices, 64-bit values";
    QTest::newRow("alto_4_4.bin") << "ALTO binary, 32-bit indices, 32-bit values";
    QTest::newRow("alto_4_8.bin") << "ALTO binary, 32-bit indices, 64-bit values";
    QTest::newRow("alto_8_4.bin") << "ALTO binary, 64-bit indices, 32-bit values";
    QTest::newRow("alto_8_8.bin") << "ALTO binary, 64-bit indices, 64-bit values";
    for (const char* name : {"sptn_16_16_32", "sptn_64_16_32", "sptn_64_64_64"}) {
        for (const char* bits : {"32", "64"})
            QTest::addRow("%s_%s.sptn", name, bits) << QStringLiteral("GenTen binary, %1-bit values").arg(bits);
    }
}

void TestBinaryFormats::everyVariantIsRead()
{
    if (!m_python)
        QSKIP("python3 with numpy is not installed: this was not tested");
    QFETCH(const QString, layout);
    const io::LoadedTensor loaded = load(m_files.path(QTest::currentDataTag()));
    const kernels::SparseTensor& tensor = loaded.tensor;
    tensor.check();
    QCOMPARE(QString::fromStdString(loaded.report.layout), layout);
    QCOMPARE(loaded.report.fileBytes, u64(contentOf(m_files.path(QTest::currentDataTag())).size()));
    QCOMPARE(tensor.dims(), (std::vector<kernels::Index>{4, 3, 70000}));
    QCOMPARE(tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 1, 2, 3}, {1, 2, 2, 0}, {2, 69999, 2, 1}}));
    QCOMPARE(tensor.hasDoubleValues(), layout.contains("64-bit values"));
    const double values[] = {1.5, 3, 4.25, 2};
    for (kernels::Count e = 0; e < 4; ++e)
        QCOMPARE(tensor.value(e), values[e]);
}

void TestBinaryFormats::denseFilesAreRead_data()
{
    QTest::addColumn<bool>("zeros");
    for (const char* bits : {"32", "64"}) {
        for (const bool zeros : {true, false})
            QTest::addRow("%s bits, zeros %s", bits, zeros ? "kept" : "dropped") << zeros;
    }
}

void TestBinaryFormats::denseFilesAreRead()
{
    if (!m_python)
        QSKIP("python3 with numpy is not installed: this was not tested");
    QFETCH(const bool, zeros);
    io::ReadOptions options;
    options.keepZeros = zeros;
    const bool wide = QByteArray(QTest::currentDataTag()).startsWith("64");
    const io::LoadedTensor loaded = load(m_files.path(wide ? "dntn_64.dntn" : "dntn_32.dntn"), options);
    QCOMPARE(loaded.tensor.dims(), (std::vector<kernels::Index>{4, 3, 5}));
    QCOMPARE(loaded.tensor.hasDoubleValues(), wide);
    QCOMPARE(loaded.tensor.entries(), kernels::Count(zeros ? 59 : 2)); // one of 60 cells is NaN
    QCOMPARE(loaded.report.notes.at(0), std::string("1 cell is NaN and was taken as missing."));
    if (zeros)
        return;
    QCOMPARE(loaded.tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 2}, {1, 2}, {2, 4}}));
    QCOMPARE(loaded.tensor.value(0), 1.5);
    QCOMPARE(loaded.tensor.value(1), -2.0);
    QCOMPARE(loaded.report.zerosDropped, kernels::Count{57});
}

void TestBinaryFormats::denseFilesKeepToTheMemoryLimit_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("text") << "limit.tensor";
    QTest::newRow("dntn") << "limit.dntn";
}

/// 200 x 300 cells of 16 bytes an entry are 0.9 MiB; how many of them are entries shows only while they are read.
void TestBinaryFormats::denseFilesKeepToTheMemoryLimit()
{
    QFETCH(const QString, name);
    const std::string path = m_files.path(name.toUtf8().constData());
    kernels::SparseTensor tensor({200, 300}, 60000);
    for (kernels::Index e = 0; e < 60000; ++e) {
        tensor.indices[0][e] = e / 300;
        tensor.indices[1][e] = e % 300;
        std::get<kernels::Array<float>>(tensor.values)[e] = 1;
    }
    write(path, tensor);
    io::ReadOptions options;
    options.memoryLimit = 512 << 10;
    kernels::Progress progress;
    for (const bool zeros : {true, false}) {
        options.keepZeros = zeros;
        QVERIFY_EXCEPTION_THROWN(io::readTensor(path, options, progress), kernels::OutOfMemory);
    }
    tensor.resize(600);
    write(path, tensor);
    QCOMPARE(test::load(path, options).tensor.entries(), kernels::Count{600});
    options.keepZeros = true;
    QVERIFY_EXCEPTION_THROWN(io::readTensor(path, options, progress), kernels::OutOfMemory);
}

void TestBinaryFormats::pythonReadsOurs_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("doubles");
    for (const bool doubles : {false, true}) {
        QTest::addRow("splatt %d", doubles) << "ours.bin" << doubles;
        QTest::addRow("alto %d", doubles) << "ours.alto.bin" << doubles;
        QTest::addRow("sptn %d", doubles) << "ours.sptn" << doubles;
        QTest::addRow("dntn %d", doubles) << "ours.dntn" << doubles;
    }
}

void TestBinaryFormats::pythonReadsOurs()
{
    if (!m_python)
        QSKIP("python3 with numpy is not installed: this was not tested");
    QFETCH(const QString, file);
    QFETCH(const bool, doubles);
    const kernels::SparseTensor tensor = sample({30, 20, 70}, doubles);
    const std::string path = m_files.path(qPrintable(file)), text = m_files.path("ours.tns");
    write(path, tensor);
    write(text, tensor, {"parti"});
    const QString told = test::runPython(script,
                                         {"check", QString::fromLatin1(QTest::currentDataTag()).section(' ', 0, 0),
                                          QString::fromStdString(path), QString::fromStdString(text)});
    QVERIFY2(told.isEmpty(), qPrintable(told));
}

/// 65,535 is the last size of 16 bits, as in GenTen.
void TestBinaryFormats::largeSizesChooseWiderIndices()
{
    kernels::SparseTensor tensor({65535, 65536, 4294967295u}, 1);
    tensor.indices = {{65534}, {65535}, {4294967294u}};
    tensor.values = kernels::Array<float>{1};
    write(m_files.path("wide.sptn"), tensor);
    QCOMPARE(contentOf(m_files.path("wide.sptn")).mid(12 + 3 * 8),
             bytesOf(u64{16}, u64{32}, u64{32}, u64{1}, u16{65534}, u32{65535}, u32{4294967294u}, 1.0f));
    for (const char* name : {"wide.sptn", "wide.bin", "wide.alto.bin"}) {
        write(m_files.path(name), tensor);
        QCOMPARE(load(m_files.path(name)).tensor.indices, tensor.indices);
    }
}

void TestBinaryFormats::theIndexBaseIsCertain()
{
    const std::string path = m_files.write("base.sptn", sptnHeader(1) + bytesOf(u16{1}, u16{1}, 1.0f));
    io::ReadOptions options;
    options.indexBase = io::IndexBase::One;
    options.dims = {9, 4};
    const io::LoadedTensor loaded = load(path, options);
    QCOMPARE(loaded.tensor.indices[0][0], kernels::Index{1});
    QCOMPARE(loaded.tensor.dims(), options.dims);
    QCOMPARE(loaded.report.warnings.size(), std::size_t{1});
}

void TestBinaryFormats::lossesAreTold()
{
    kernels::SparseTensor tensor = sample({3, 4}, false);
    tensor.modes[0].labels = {"a", "b", "c"};
    for (const char* name : {"labels.bin", "labels.alto.bin", "labels.sptn", "labels.ttx"})
        QCOMPARE(write(m_files.path(name), tensor), (std::vector<std::string>{"This format holds no labels; write HDF5 to keep them."}));
    kernels::SparseTensor sparse({2, 2}, 1);
    sparse.indices = {{0}, {0}};
    sparse.values = kernels::Array<float>{1};
    QVERIFY(write(m_files.path("zeros.dntn"), sparse).at(0).starts_with("3 of 4 cells hold no entry and were written as 0"));
    QVERIFY(write(m_files.path("nine.bin"), test::randomTensor(test::dimsOfOrder(9), 5, 1)).at(0).starts_with("SPLATT itself reads"));
}

void TestBinaryFormats::whatIsRefusedSaysWhy_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const QByteArray& bytes, const char* sentence) { QTest::newRow(name) << bytes << sentence; };
    const QByteArray splatt = bytesOf(std::int32_t{0}, u64{4}, u64{4});
    row("a.bin", splatt, "the file ends inside its header (found 20 bytes");
    row("b.bin", splatt + bytesOf(u32{1000000}), "number of modes out of range (found 1000000, expected 2 to 16)");
    row("c.bin", splatt + bytesOf(u32{2}, u32{3}), "the file ends inside its header (found 28 bytes, expected 36 bytes)");
    row("d.bin", splatt + bytesOf(u32{2}, u32{3}, u32{0}, u32{0}), "size of a mode out of range (found 0");
    row("e.bin", splatt + bytesOf(u32{2}, u32{3}, u32{4}, u32{0xffffffff}, u32{1}),
        "the file is not as long as its header says (found 40 bytes");
    row("f.bin", splatt + bytesOf(u32{2}, u32{3}, u32{4}, u32{1}, u32{0}, u32{0}, 1.0f, u32{7}),
        "the file is not as long as its header says (found 52 bytes, expected 48 bytes)");
    row("g.bin", splatt + bytesOf(u32{2}, u32{3}, u32{4}, u32{1}, u32{3}, u32{0}, 1.0f),
        "entry 0 (from 0): index past the declared size (found 3 in mode 1 (from 0), expected less than 3)");
    row("h.bin", splatt + bytesOf(u32{2}, u32{3}, u32{4}, u32{1}, u32{2}, u32{0}, std::numeric_limits<float>::quiet_NaN()),
        "entry 0 (from 0): value is not finite");
    row("i.bin", bytesOf(std::int32_t{0}, u64{8}, u64{8}, u64{2}, u64{3}, u64{4}, u64{1} << 63), "too many entries declared");
    row("j.bin", bytesOf(std::int32_t{0}, u64{8}, u64{8}, u64{2}, u64{1} << 32, u64{4}, u64{0}), "size of a mode out of range");
    row("k.bin", QByteArray(1000, 'x'), "is no binary tensor of a known kind");
    row("l.bin", bytesOf(u64{2}, u64{3}, u64{4}, u64{5}, u64{0}),
        "has the header of an ALTO or BLCO tensor, but not its length (found 40 bytes, expected 152 or 132 bytes)");
    row("m.sptn", "sptn", "the file ends inside its header");
    row("n.sptn", "sptn" + bytesOf(u32{1000000}, u32{32}), "number of modes out of range (found 1000000");
    row("o.sptn", "sptn" + bytesOf(u32{2}, u32{16}), "values of this width are not read (found 16 bits");
    row("p.sptn", "sptn" + bytesOf(u32{2}, u32{32}, u64{3}, u64{4}, u64{16}, u64{0}, u64{0}),
        "indices of this width are not read (found 0 bits");
    row("q.sptn", sptnHeader(u64{1} << 63), "too many entries declared");
    row("r.sptn", sptnHeader(u64{1} << 40), "the file is not as long as its header says");
    row("s.sptn", sptnHeader(1) + bytesOf(u16{0}, u16{4}, 1.0f), "index past the declared size (found 4 in mode 2");
    row("t.dntn", "dntn", "the file ends inside its header");
    row("u.dntn", "dntn" + bytesOf(u32{2}, u32{32}, u64{3}, u64{4}, u64{13}), "its number of values is not the product of its sizes");
    row("v.dntn", "dntn" + bytesOf(u32{2}, u32{32}, u64{3}, u64{4}, u64{12}), "the file is not as long as its header says");
    row("w.dntn", "dntn" + bytesOf(u32{3}, u32{32}, u64{1} << 31, u64{1} << 31, u64{4}, u64{0}), "has too many cells");
    row("x.dntn", "dntn" + bytesOf(u32{2}, u32{32}, u64{1}, u64{1}, u64{1}, std::numeric_limits<float>::infinity()),
        "cell 1 (from 1): value is not finite");
    row("y.dntn", "dntn" + bytesOf(u32{17}, u32{32}) + QByteArray(17 * 8 + 8, '\1'),
        "number of modes out of range (found 17, expected 2 to 16)");
    row("za.dntn", "dntn" + bytesOf(u32{20}, u32{32}), "number of modes out of range (found 20, expected 2 to 16)");
    row("z.bin", test::gzipped(splatt + QByteArray(40, '\0')), "is packed with gzip around SPLATT binary");
}

void TestBinaryFormats::whatIsRefusedSaysWhy()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, sentence);
    const std::string told = sentenceOf([&] { load(m_files.write(QTest::currentDataTag(), bytes)); });
    QVERIFY2(QString::fromStdString(told).contains(sentence) && told.starts_with(QTest::currentDataTag()), told.c_str());
}

void TestBinaryFormats::cancelEndsTheLoad()
{
    const kernels::SparseTensor tensor = sample({3, 4}, false);
    for (const char* name : {"cancel.bin", "cancel.alto.bin", "cancel.sptn", "cancel.dntn", "cancel.tensor", "cancel.ttx"}) {
        write(m_files.path(name), tensor);
        kernels::Progress progress;
        progress.cancel();
        QVERIFY_EXCEPTION_THROWN(io::readTensor(m_files.path(name), {}, progress), kernels::Cancelled);
        const QByteArray before = contentOf(m_files.path(name));
        QVERIFY_EXCEPTION_THROWN(io::writeTensor(m_files.path(name), tensor, {}, progress), kernels::Cancelled);
        QCOMPARE(contentOf(m_files.path(name)), before);
    }
}

QTEST_GUILESS_MAIN(TestBinaryFormats)
#include "tst_binary_formats.moc"
