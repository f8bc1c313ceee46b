// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <QDir>

#include <atomic>
#include <limits>
#include <thread>

using test::contentOf;
using test::load;
using test::sentenceOf;

/// What is written is read back the same, whatever the format.
class TestTensorRoundTrip : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void goodFilesHoldTheSameTensor_data();
    void goodFilesHoldTheSameTensor();
    void everyFormatKeepsTheTensor_data();
    void everyFormatKeepsTheTensor();
    void textIsExactlyAsDocumented();
    void shortestValuesReadBackTheSame();
    void longArraysSurviveChunksAndSlabs();
    void labelsSurviveInHdf5();
    void meaningOfEmptyCellsSurvivesInHdf5();
    void keptDuplicatesAreMergedByTheirMean();
    void lossesAreTold();
    void denseTextIsReadInEverySpelling();
    void emptyTensorKeepsItsDims();
    void cancelLeavesTheOldFile();
    void cancelEndsTheLoadOfHdf5();
    void manyThreadsReadAtOnce();
    void unknownEndingIsRefused();

private:
    io::WriteReport write(const std::string& path, const kernels::SparseTensor& tensor, const io::WriteOptions& options = {})
    {
        kernels::Progress progress;
        return io::writeTensor(path, tensor, options, progress);
    }

    /// Each coordinate once, and the last slices not empty.
    kernels::SparseTensor sample(unsigned order, bool doubles)
    {
        kernels::SparseTensor tensor = test::randomTensor(test::dimsOfOrder(order), 40, order, doubles);
        for (unsigned n = 0; n < order; ++n)
            tensor.indices[n][7] = tensor.modes[n].size - 1;
        kernels::sortLexicographically(tensor);
        kernels::mergeDuplicates(tensor, kernels::Duplicates::Last);
        return tensor;
    }

    static void compare(const kernels::SparseTensor& read, const kernels::SparseTensor& written)
    {
        read.check();
        QCOMPARE(read.dims(), written.dims());
        QCOMPARE(read.entries(), written.entries());
        QCOMPARE(read.indices, written.indices);
        QCOMPARE(read.hasDoubleValues(), written.hasDoubleValues());
        QVERIFY(read.values == written.values);
        QVERIFY(read.sorted);
    }

    test::TemporaryFiles m_files;
};

void TestTensorRoundTrip::goodFilesHoldTheSameTensor_data()
{
    QTest::addColumn<QString>("file");
    for (const QString& file : QDir(POLYAD_TEST_DATA "/good").entryList(QDir::Files))
        QTest::newRow(qPrintable(file)) << file;
}

/// Every file of data/good is one and the same tensor.
void TestTensorRoundTrip::goodFilesHoldTheSameTensor()
{
    QFETCH(const QString, file);
    kernels::SparseTensor expected({4, 2, 3}, 3);
    expected.indices = {{0, 1, 3}, {1, 0, 1}, {2, 0, 2}};
    expected.values = kernels::Array<float>{1.5f, -2, 0.25f};
    kernels::SparseTensor read = load(POLYAD_TEST_DATA "/good/" + file.toStdString()).tensor;
    if (read.hasDoubleValues()) // HDF5 values keep their own type
        expected.values = kernels::Array<double>{1.5, -2, 0.25};
    compare(read, expected);
}

void TestTensorRoundTrip::everyFormatKeepsTheTensor_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("header");
    QTest::addColumn<int>("order");
    QTest::addColumn<bool>("doubles");
    for (const int order : {2, 3, 4, 6, 16}) {
        for (const bool doubles : {false, true}) {
            const auto row = [&](const char* name, const char* header) {
                QTest::addRow("%s %s, order %d, %s", name, header, order, doubles ? "double" : "float")
                    << name << header << order << doubles;
            };
            row("t.tns", "");
            row("t.tns.gz", "");
            row("t.tns", "parti");
            row("t.tns", "sptensor");
            row("t.h5", "");
            row("t.ttx", "");
            if (order <= 8) // SPLATT reads no more, and a warning says so
                row("t.bin", "");
            row("t.sptn", "");
            if (doubles)
                row("t.alto.bin", "");
            row("t.ttx.gz", "");
            if (order == 2)
                row("t.mtx", "");
        }
    }
}

void TestTensorRoundTrip::everyFormatKeepsTheTensor()
{
    QFETCH(const QString, name);
    QFETCH(const QString, header);
    QFETCH(const int, order);
    QFETCH(const bool, doubles);
    const kernels::SparseTensor tensor = sample(unsigned(order), doubles);
    const std::string path = m_files.path(qPrintable(name));
    QVERIFY(write(path, tensor, {header.toStdString()}).warnings.empty());
    io::ReadOptions options;
    options.doubleValues = doubles;
    compare(load(path, options).tensor, tensor);
}

void TestTensorRoundTrip::textIsExactlyAsDocumented()
{
    kernels::SparseTensor tensor({4, 2, 3}, 2);
    tensor.indices = {{0, 3}, {1, 1}, {2, 2}};
    tensor.values = kernels::Array<float>{0.1f, -2e20f};
    const std::string path = m_files.path("exact.tns");
    write(path, tensor);
    QCOMPARE(contentOf(path), QByteArray("1 2 3 0.1\n4 2 3 -2e+20\n"));
    write(path, tensor, {"parti"});
    QCOMPARE(contentOf(path), QByteArray("3\n4 2 3\n1 2 3 0.1\n4 2 3 -2e+20\n"));
    tensor.values = kernels::Array<double>{0.5, -2};
    write(path, tensor, {"sptensor"});
    QCOMPARE(contentOf(path), QByteArray("sptensor\n3\n4 2 3\n2\n1 2 3 5.0000000000000000e-01\n4 2 3 -2.0000000000000000e+00\n"));
    QVERIFY(sentenceOf([&] { write(path, tensor, {"xml"}); }).starts_with("text tensor: unknown header"));
}

void TestTensorRoundTrip::shortestValuesReadBackTheSame()
{
    kernels::SparseTensor tensor({6, 1}, 6, true);
    tensor.indices = {{0, 1, 2, 3, 4, 5}, {0, 0, 0, 0, 0, 0}};
    using Limits = std::numeric_limits<double>;
    tensor.values = kernels::Array<double>{1.0 / 3, Limits::max(), Limits::denorm_min(), -Limits::min(), 0.1 + 0.2, 123456789.123456789};
    const std::string path = m_files.path("shortest.tns");
    write(path, tensor);
    io::ReadOptions options;
    options.doubleValues = true;
    compare(load(path, options).tensor, tensor);
}

/// More than one chunk of 262,144 and more than one slab of 2^20, neither of them full at the end.
void TestTensorRoundTrip::longArraysSurviveChunksAndSlabs()
{
    for (const kernels::Count entries : {kernels::Count{65536}, kernels::Count{65537}, kernels::Count{2300001}}) {
        kernels::SparseTensor tensor({3000, 1000}, entries);
        for (kernels::Count e = 0; e < entries; ++e) {
            tensor.indices[0][e] = static_cast<kernels::Index>(e / 1000);
            tensor.indices[1][e] = static_cast<kernels::Index>(e % 1000);
            tensor.setValue(e, double(e % 1024));
        }
        tensor.sorted = true;
        const std::string path = m_files.path("long.h5");
        write(path, tensor);
        compare(load(path).tensor, tensor);
    }
}

void TestTensorRoundTrip::labelsSurviveInHdf5()
{
    kernels::SparseTensor tensor = sample(2, false);
    tensor.modes[0].name = "Größe";
    for (kernels::Index i = 0; i < tensor.modes[0].size; ++i)
        tensor.modes[0].labels.push_back(i == 1 ? "" : "längs " + std::to_string(i));
    tensor.modes[1].labels.assign(tensor.modes[1].size, std::string(65000, 'x'));
    const std::string path = m_files.path("labels.h5");
    write(path, tensor);
    const kernels::SparseTensor read = load(path).tensor;
    QCOMPARE(read.modes[0].name, tensor.modes[0].name);
    QCOMPARE(read.modes[0].labels, tensor.modes[0].labels);
    QCOMPARE(read.modes[1].labels, tensor.modes[1].labels);
    QVERIFY(write(m_files.path("labels.tns"), tensor).warnings.back().starts_with("Text tensors hold no labels"));

    tensor.modes[1].labels.assign(tensor.modes[1].size, std::string(70000, 'x'));
    write(path, tensor);
    QVERIFY(sentenceOf([&] { load(path); }).find("at most 64.0 KiB") != std::string::npos);
}

void TestTensorRoundTrip::meaningOfEmptyCellsSurvivesInHdf5()
{
    using kernels::EmptyCells;
    const std::string path = m_files.path("meaning.h5");
    kernels::SparseTensor tensor = sample(3, false);
    for (const EmptyCells meaning : {EmptyCells::Unsaid, EmptyCells::Zero, EmptyCells::Unknown}) {
        tensor.emptyCells = meaning;
        write(path, tensor);
        QVERIFY(load(path).tensor.emptyCells == meaning);
    }
    io::ReadOptions options;
    options.emptyCells = EmptyCells::Zero; // what a person says wins over the file
    QVERIFY(load(path, options).tensor.emptyCells == EmptyCells::Zero);
    const std::string text = m_files.path("meaning.tns");
    write(text, tensor);
    QVERIFY(load(text).tensor.emptyCells == EmptyCells::Unsaid);
    QVERIFY(load(text, options).tensor.emptyCells == EmptyCells::Zero);
    QVERIFY(load(POLYAD_TEST_DATA "/good/matlab.mat").tensor.emptyCells == EmptyCells::Unsaid);
}

void TestTensorRoundTrip::keptDuplicatesAreMergedByTheirMean()
{
    kernels::SparseTensor tensor({2, 2}, 3);
    tensor.indices = {{1, 0, 1}, {1, 0, 1}};
    tensor.values = kernels::Array<float>{1, 7, 4};
    for (const char* name : {"dup.tns", "dup.h5"}) {
        const io::WriteReport report = write(m_files.path(name), tensor);
        QCOMPARE(
            report.warnings,
            (std::vector<std::string>{"1 entry repeats a coordinate that occurred before; the file holds the mean of equal coordinates."}));
        const kernels::SparseTensor read = load(m_files.path(name)).tensor;
        QCOMPARE(read.entries(), kernels::Count{2});
        QCOMPARE(read.value(0), 7.0);
        QCOMPARE(read.value(1), 2.5);
    }
    QCOMPARE(tensor.entries(), kernels::Count{3}); // ours is untouched
}

void TestTensorRoundTrip::lossesAreTold()
{
    kernels::SparseTensor tensor({5, 2}, 1);
    tensor.indices = {{0}, {1}};
    tensor.values = kernels::Array<float>{1};
    QCOMPARE(write(m_files.path("short.tns"), tensor).warnings.size(), std::size_t{1});
    QVERIFY(write(m_files.path("short.tns"), tensor, {"parti"}).warnings.empty());
    QCOMPARE(load(m_files.path("short.tns")).tensor.dims(), tensor.dims());
    QVERIFY(write(m_files.path("short.h5"), tensor).warnings.empty());
}

/// 2 x 3 cells, the first index fastest: (0,0) 1, (1,0) missing, (0,1) 0, (1,1) 0.123456789, (0,2) -5, (1,2) 6.
void TestTensorRoundTrip::denseTextIsReadInEverySpelling()
{
    const QByteArray plain = "tensor\n2\n2 3\n1\nNaN\n0\n0.123456789\n-5\n6\n";
    const QByteArray spellings[] = {plain, QByteArray(plain).replace("\n", " \r\n"), "\xef\xbb\xbf# made by hand\n" + plain.chopped(1),
                                    "tensor\n2\n2 3\n1 -nan 0\n\t0.123456789 -5 6\n", test::gzipped(plain)};
    for (const QByteArray& bytes : spellings) {
        const std::string path = m_files.write("dense", bytes);
        const io::LoadedTensor loaded = load(path);
        QCOMPARE(loaded.tensor.dims(), (std::vector<kernels::Index>{2, 3}));
        QCOMPARE(loaded.tensor.indices, (std::vector<kernels::Array<kernels::Index>>{{0, 0, 0, 1, 1}, {0, 1, 2, 1, 2}}));
        QVERIFY(loaded.tensor.values == kernels::SparseTensor::Values(kernels::Array<float>{1, 0, -5, 0.123456789f, 6}));
        QCOMPARE(loaded.report.notes,
                 (std::vector<std::string>{"1 cell is NaN and was taken as missing.",
                                           "1 value was rounded to single precision (to about 7 digits)."}));
        io::ReadOptions options;
        options.doubleValues = true;
        options.keepZeros = false;
        const io::LoadedTensor exact = load(path, options);
        QVERIFY(exact.tensor.values == kernels::SparseTensor::Values(kernels::Array<double>{1, -5, 0.123456789, 6}));
        QCOMPARE(exact.report.zerosDropped, kernels::Count{1});
    }
    QVERIFY(sentenceOf([&] { load(m_files.write("dense", plain + "7\n")); }).starts_with("dense line 10: more values than cells"));
    QVERIFY(sentenceOf([&] { load(m_files.write("dense", plain.chopped(2))); }).find("another number of values (found 5, expected 6)")
            != std::string::npos);
    QVERIFY(sentenceOf([&] { load(m_files.write("dense", "tensor\n2\n1 1\ninf\n")); }).find("value is not finite") != std::string::npos);
}

void TestTensorRoundTrip::emptyTensorKeepsItsDims()
{
    const kernels::SparseTensor tensor({5, 2}, 0);
    write(m_files.path("empty.h5"), tensor);
    const io::LoadedTensor loaded = load(m_files.path("empty.h5"));
    QCOMPARE(loaded.tensor.dims(), tensor.dims());
    QCOMPARE(loaded.report.warnings, (std::vector<std::string>{"The tensor holds no entries."}));
    write(m_files.path("empty.tns"), tensor, {"sptensor"});
    QCOMPARE(load(m_files.path("empty.tns")).tensor.dims(), tensor.dims());
}

void TestTensorRoundTrip::cancelLeavesTheOldFile()
{
    for (const char* name : {"cancel.tns", "cancel.h5"}) {
        const std::string path = m_files.write(name, "old");
        kernels::Progress progress;
        progress.cancel();
        bool cancelled = false;
        try {
            io::writeTensor(path, sample(3, false), {}, progress);
        } catch (const kernels::Cancelled&) {
            cancelled = true;
        }
        QVERIFY(cancelled);
        QCOMPARE(contentOf(path), QByteArray("old"));
        QVERIFY2(m_files.names().filter(".part").isEmpty(), qPrintable(m_files.names().join(' ')));
    }
}

void TestTensorRoundTrip::cancelEndsTheLoadOfHdf5()
{
    const std::string path = m_files.path("to-cancel.h5");
    write(path, sample(3, false));
    kernels::Progress progress;
    progress.cancel();
    QVERIFY_EXCEPTION_THROWN(io::readTensor(path, {}, progress), kernels::Cancelled);
}

/// HDF5 is entered by one thread at a time; nobody starves and nobody gets another's data.
void TestTensorRoundTrip::manyThreadsReadAtOnce()
{
    std::vector<std::string> paths;
    std::vector<kernels::SparseTensor> tensors;
    for (unsigned order = 2; order < 6; ++order) {
        paths.push_back(m_files.path(qPrintable(QStringLiteral("thread%1.h5").arg(order))));
        tensors.push_back(sample(order, false));
        write(paths.back(), tensors.back());
    }
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < paths.size(); ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 25; ++i) {
                const kernels::SparseTensor read = load(paths[t]).tensor;
                right += read.indices == tensors[t].indices && read.values == tensors[t].values;
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    QCOMPARE(right.load(), 100);
}

void TestTensorRoundTrip::unknownEndingIsRefused()
{
    QVERIFY(!io::formatForWriting("x.xyz"));
    QCOMPARE(io::formatForWriting("X.TNS")->id, std::string("tns"));
    QCOMPARE(io::formatForWriting("a/b.tns.gz")->id, std::string("tns"));
    QCOMPARE(io::formatForWriting("x.alto.bin")->id, std::string("alto"));
    QCOMPARE(io::formatForWriting("x.bin")->id, std::string("splatt"));
    QVERIFY(sentenceOf([&] { write(m_files.path("x.xyz"), sample(2, false)); }).find("the ending of this file name") != std::string::npos);
    QVERIFY(sentenceOf([&] { write(m_files.path("x.h5ad"), sample(2, false)); }).find("are read, not written") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestTensorRoundTrip)
#include "tst_tensor_round_trip.moc"
