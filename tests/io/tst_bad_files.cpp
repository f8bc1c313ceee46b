// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/exports/export_model.h"
#include "io/model_file.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <QProcess>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

/// Files that lie, are cut short or are absurd: each ends in a sentence of ours within a second and 64 MiB.
/// Every load happens in a child of its own, so that one crash is one failure and memory can be measured.
class TestBadFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void storedFilesAreRefused_data();
    void storedFilesAreRefused();
    void hostileHdf5IsRefused_data();
    void hostileHdf5IsRefused();
    void headsOfFilesInPartsAreRefused_data();
    void headsOfFilesInPartsAreRefused();
    void absurdTextIsRefused_data();
    void absurdTextIsRefused();
    void declaredFactorsAreNotBelieved();
    void whatIsCutShortIsRefused_data();
    void whatIsCutShortIsRefused();
    void everyDamagedByteIsSurvived_data();
    void everyDamagedByteIsSurvived();
    void largestDimsAreRead();

private:
    struct Outcome {
        bool ended = false; ///< by itself, not by a signal
        QString told; ///< the sentence; empty: the file was read
        qint64 ms = 0, growth = 0;
    };

    static qint64 statusKilobytes(const char* key)
    {
        std::ifstream status("/proc/self/status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with(key))
                return std::stoll(line.substr(line.find(':') + 1));
        }
        return 0;
    }

    static void resetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

    static std::string loadAndTell(const std::string& path, bool model)
    {
        try {
            if (model)
                io::readModel(path);
            else
                test::load(path);
        } catch (const kernels::Error& error) {
            return error.what();
        } catch (...) {
            return "an exception that is not ours";
        }
        return {};
    }

    static Outcome loadInChild(const std::string& path, bool model = false)
    {
        int ends[2];
        if (pipe(ends) != 0)
            return {};
        QElapsedTimer timer;
        timer.start();
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            resetPeak();
            const qint64 before = statusKilobytes("VmRSS");
            const std::string told = loadAndTell(path, model);
            const std::string line = std::to_string(statusKilobytes("VmHWM") - before) + "\n" + told;
            _exit(write(ends[1], line.data(), line.size()) == ssize_t(line.size()) ? 0 : 1);
        }
        close(ends[1]);
        QByteArray said;
        char piece[4096];
        for (ssize_t got; (got = read(ends[0], piece, sizeof piece)) > 0;)
            said.append(piece, int(got));
        close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        const int newline = said.indexOf('\n');
        return {WIFEXITED(status) && WEXITSTATUS(status) == 0, QString::fromUtf8(said.mid(newline + 1)), timer.elapsed(),
                said.left(newline).toLongLong()};
    }

    static void verifyCheap(const Outcome& outcome)
    {
        QVERIFY2(outcome.ended, "it crashed or hung");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        QVERIFY2(outcome.growth < 64 * 1024, qPrintable(QStringLiteral("%1 KiB").arg(outcome.growth)));
        QVERIFY2(outcome.ms < 1000, qPrintable(QStringLiteral("%1 ms").arg(outcome.ms)));
#endif
    }

    static void verifyRefused(const Outcome& outcome, const QString& words)
    {
        verifyCheap(outcome);
        QVERIFY2(outcome.told.contains(words), qPrintable(outcome.told.isEmpty() ? "it was read" : outcome.told));
    }

    test::TemporaryFiles m_files;
    bool m_python = false;
};

void TestBadFiles::initTestCase()
{
    m_python =
        QProcess::execute("/usr/bin/python3", {POLYAD_TEST_DATA "/../io/h5py_hostile.py", QString::fromStdString(m_files.path("."))}) == 0;
}

void TestBadFiles::storedFilesAreRefused_data()
{
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* words) { QTest::newRow(name) << words; };
    row("past_size.tns", "past_size.tns line 7: index past the declared size (found 12, expected at most 9)");
    row("nul.tns", "nul.tns line 2: not a number (found \"1\\x00\", expected an index)");
    row("words.tns", "words.tns line 3: not a number (found \"three\", expected an index)");
    row("ragged.tns", "ragged.tns line 4: wrong number of numbers (found 3, expected 4");
    row("fewer_than_declared.tns", "fewer_than_declared.tns: the header declares another number of entries (found 2, expected 5)");
    row("not_finite.tns", "not_finite.tns line 2: value is not finite (found \"inf\"");
    row("cut.tns.gz", "cut.tns.gz: the gzip data ends early");
    row("empty.tns", "empty.tns: holds no entries (found an empty file");
    row("array.mtx", "array.mtx line 1: this form is not read (found \"array\", expected coordinate)");
    row("past_size.ttx", "past_size.ttx line 6: index past the declared size (found 3, expected at most 2)");
    row("more_values.tensor", "more_values.tensor line 8: more values than cells");
    row("huge.tensor", "huge.tensor: has too many cells");
    row("cut.bin", "cut.bin: the file is not as long as its header says (found 40 bytes, expected 60 bytes)");
    row("cut.alto.bin", "cut.alto.bin: has the header of an ALTO or BLCO tensor, but not its length (found 56 bytes");
    row("index_past.sptn", "index_past.sptn entry 0 (from 0): index past the declared size (found 4 in mode 2");
    row("nnz_2_63.sptn", "nnz_2_63.sptn: too many entries declared (found 9223372036854775808");
    row("cells.dntn", "cells.dntn: has too many cells");
    row("objects.npy", "objects.npy: holds pickled Python objects, which are not read");
    row("huge.npy", "huge.npy: the array is not as long as its header says (found 16 B, expected 1000000000000 elements");
    row("several.npz", "several.npz: holds several arrays (found a (2 x 2), b (2 x 3), expected one). Name one: several.npz:a");
    row("negative.npz", "negative.npz:coords element 0 (from 0): negative index (found -1");
    row("dims_matlab5.mat", "dims_matlab5.mat: is a damaged MATLAB file (found sizes 1073741824 x 1073741824 x 1073741824)");
    row("object_matlab5.mat", "object_matlab5.mat: holds a MATLAB object, which only MATLAB can open");
    row("no_data_packed.h5", "/vals: declares data that the file does not have");
    row("no_data_past_end.h5", "/vals: declares data that the file does not have");
    row("huge_chunk.h5", "/vals: the object cannot be opened (found HDF5: chunk size must be < 4GB)");
    row("external_raw.h5", "/vals: keeps its data in another, raw file");
    row("external_link.h5", "Links to other places are not followed");
    row("unknown_filter.h5", "is packed by a filter that is not part of HDF5 (found filter 32000 lzf");
    row("nnz_2_63.h5", "too many entries (found 9223372036854775808");
    row("rank_overflow.h5", "/subs: declares too many elements");
    row("no_data_plain.h5", "/vals: declares data that the file does not have");
    row("external_link_named.h5:/group", "/group: is a link to another place, which is not followed (found an external link");
    row("soft_link.h5", "/tensor/indices_1: is a link to another place, which is not followed (found a soft link");
    row("virtual.h5", "/vals: is a virtual dataset");
    row("dims_overflow.h5", "size of a mode out of range (found 9223372036854775808");
    row("dims_zero.h5", "size of a mode out of range (found 0");
    row("order_17.h5", "2 to 16 numbers");
    row("order_1.h5", "number of modes out of range (found 1");
    row("iso_dense.h5", "iso_dense.h5 /: one value stands for too many cells (found 67108864 cells, expected at most 1048576)");
    row("not_json.h5", "attribute binsparse, line 1, column 2: not valid JSON");
    row("deep_json.h5", "attribute binsparse: JSON is nested too deeply");
    row("loop.h5", "holds too many objects to search");
    row("too_deep.h5", "holds no sparse tensor (found no datasets");
    row("label_too_long.h5", "/modes/mode_0/labels: its texts are too long (found 68.4 KiB, expected at most 64.0 KiB)");
    row("too_few_labels.h5", "/modes/mode_0/labels: has another number of texts (found 2, expected 4)");
}

void TestBadFiles::storedFilesAreRefused()
{
    QFETCH(const QString, words);
    verifyRefused(loadInChild(std::string(POLYAD_TEST_DATA "/bad/") + QTest::currentDataTag()), words);
}

void TestBadFiles::hostileHdf5IsRefused_data()
{
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* words) { QTest::newRow(name) << words; };
    row("large_chunk.h5", "/vals: its chunks are too large (expected at most 256 MiB each)");
    row("nest.h5", "nest.h5 /, attribute binsparse: JSON is nested too deeply (found more than 64 levels, expected at most 64)");
    row("deep_structure.h5", "attribute binsparse: JSON is nested too deeply");
    row("long_structure.h5",
        "a Binsparse structure is not read (found \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..., expected");
    row("many.h5", "holds too many objects");
}

void TestBadFiles::hostileHdf5IsRefused()
{
    if (!m_python)
        QSKIP("python3 with h5py is not installed: this was not tested");
    QFETCH(const QString, words);
    verifyRefused(loadInChild(m_files.path(QTest::currentDataTag())), words);
}

/// HDF5 would allocate what a driver information block says of itself, before it looks how long the file is.
void TestBadFiles::headsOfFilesInPartsAreRefused_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("words");
    const QByteArray none(8, '\xff'), here("\x60\0\0\0\0\0\0\0", 8), sizes("\0\0\0\0\0\x08\x08\0\x04\0\x10\0\0\0\0\0", 16);
    const QByteArray driver = QByteArray(4, '\0') + QByteArray("\xff\xff\xff\x7fNCSAmult", 12);
    QByteArray head = "\x89HDF\r\n\x1a\n" + sizes + QByteArray(8, '\0') + none + QByteArray("\0\x10\0\0\0\0\0\0", 8);
    const QByteArray rest = QByteArray(40, '\0') + driver + QByteArray(4096, 'x');
    const QString parts = QStringLiteral("parts.h5: is one part of an HDF5 file in several, or damaged");
    QTest::newRow("2 GiB of driver information") << head + here + rest << parts;
    QTest::newRow("the same behind a user block") << QByteArray(2048, 'u') + head + here + rest << parts;
    QTest::newRow("ends within the address") << head + here.left(3) << "parts.h5: is a damaged HDF5 file: it ends within its head";
    head[8] = 1;
    head.insert(24, QByteArray(4, '\0'));
    QTest::newRow("version 1") << head + here + rest << parts;
}

void TestBadFiles::headsOfFilesInPartsAreRefused()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, words);
    const std::string path = m_files.write("parts.h5", bytes);
    verifyRefused(loadInChild(path, false), words);
    verifyRefused(loadInChild(path, true), words);
}

void TestBadFiles::absurdTextIsRefused_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("words");
    QTest::newRow("a line of 1 MiB") << QByteArray("1 1 1\n") + QByteArray(1 << 20, '7') + " 1 1\n"
                                     << "absurd.tns line 2: index too large (found \"7777";
    QTest::newRow("a value of 1 MiB") << QByteArray("1 1 1\n1 2 ") + QByteArray(1 << 20, '7') + "\n"
                                      << "absurd.tns line 2: value too large";
    QTest::newRow("a word of 1 MiB") << QByteArray(1 << 20, 'x') + "\n"
                                     << "absurd.tns line 1: neither a header nor an entry";
    QTest::newRow("16 MiB without a line end") << QByteArray(16 << 20, '1') << "absurd.tns line 1: a line without end";
    QTest::newRow("16 MiB without a line end, later")
        << QByteArray("1 1 1\n") + QByteArray(16 << 20, '1') << "absurd.tns line 2: a line without end";
    QTest::newRow("a million modes") << QByteArray("1 ").repeated(1000001) + "\n"
                                     << "absurd.tns line 1: number of modes out of range (found 1000000, expected 2 to 16)";
    QTest::newRow("a million modes, ParTI") << QByteArray("1000000\n") << "absurd.tns line 1: number of modes out of range (found 1000000";
    QTest::newRow("a million modes, sptensor") << QByteArray("sptensor\n1000000\n")
                                               << "absurd.tns line 2: number of modes out of range (found 1000000";
    QTest::newRow("nnz 2^63") << QByteArray("sptensor\n2\n9 9\n9223372036854775808\n1 1 1\n")
                              << "absurd.tns line 4: too many entries declared";
    QTest::newRow("nnz 2^64") << QByteArray("sptensor\n2\n9 9\n18446744073709551616\n1 1 1\n")
                              << "absurd.tns line 4: header not understood";
    QTest::newRow("declared, not there") << QByteArray("sptensor\n2\n9 9\n1099511627776\n1 1 1\n")
                                         << "absurd.tns: the header declares another number of entries (found 1";
    QTest::newRow("size past 32 bits") << QByteArray("2\n4294967296 9\n1 1 1\n") << "absurd.tns line 2: not the size of a mode";
    const QByteArray market = "%%MatrixMarket tensor coordinate real general\n";
    QTest::newRow("a million modes, TensorMarket") << market + QByteArray("9 ").repeated(1000001) + "\n"
                                                   << "absurd.tns line 2: number of modes out of range (found 1000000";
    QTest::newRow("nnz 2^63, TensorMarket") << market + "9 9 9223372036854775808\n1 1 1\n"
                                            << "absurd.tns line 2: too many entries declared";
    QTest::newRow("a comment of 16 MiB, TensorMarket") << market + "%" + QByteArray(16 << 20, 'x') + "\n9 9 1\n1 1 1\n"
                                                       << "absurd.tns line 2: a line without end";
    QTest::newRow("a million modes, dense") << QByteArray("tensor\n1000000\n") << "absurd.tns line 2: number of modes out of range";
    QTest::newRow("cells that are not there") << QByteArray("tensor\n2\n1000000 1000000\n1\n")
                                              << "absurd.tns: declares more values than the file can hold";
    QTest::newRow("cells that are not there, gzip") << test::gzipped(QByteArray("tensor\n2\n200 200\n") + QByteArray("1\n").repeated(39999))
                                                    << "absurd.tns: the header declares another number of values (found 39999";
    QTest::newRow("16 MiB without a line end, dense")
        << QByteArray("tensor\n2\n999 999\n") + QByteArray(16 << 20, '1') << "absurd.tns line 4: a line without end";
    QTest::newRow("only NULs") << QByteArray(1 << 20, '\0') << "absurd.tns line 1: neither a header nor an entry";
}

void TestBadFiles::absurdTextIsRefused()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, words);
    verifyRefused(loadInChild(m_files.write("absurd.tns", bytes)), words);
}

/// 64 KiB of gzip may hold 64 MiB of text, so 32 million numbers: 256 MiB that must not be touched for a claim.
void TestBadFiles::declaredFactorsAreNotBelieved()
{
    QByteArray bytes = "ktensor\n2\n16000000 2\n2\n1 1\nmatrix\n2\n16000000 2\n1 2\n3 x\n";
    for (int i = 0; i < 100000; ++i) // what deflate cannot shorten
        bytes += char(kernels::random::uniform(5, 6, std::uint64_t(i)) * 256);
    const std::string path = m_files.write("declared.ktensor.gz", test::gzipped(bytes));
    verifyRefused(loadInChild(path, true), "declared.ktensor.gz line 10: not a number (found \"x\", expected a value)");
}

void TestBadFiles::whatIsCutShortIsRefused_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("sixteenths");
    for (const QString kind : {"tensor.h5", "model.h5", "text.tns.gz", "header.tns", "market.ttx", "splatt.bin", "x.alto.bin",
                               "genten.sptn", "dense.dntn", "dense.tensor", "dense.tensor.gz", "model.ktensor"}) {
        for (int part = 0; part < 16; ++part)
            QTest::newRow(qPrintable(QStringLiteral("%1, %2/16").arg(kind).arg(part))) << kind << part;
    }
}

void TestBadFiles::whatIsCutShortIsRefused()
{
    QFETCH(const QString, kind);
    QFETCH(const int, sixteenths);
    const bool model = kind.startsWith("model"), ktensor = kind == "model.ktensor";
    // Written by a child: once TBB's threads run here, no child could load in parallel.
    const std::string whole = m_files.path("whole-").append(kind.toStdString());
    if (!QFile::exists(QString::fromStdString(whole))) {
        const pid_t child = fork();
        if (child == 0) {
            kernels::Progress progress;
            io::ModelFile file;
            file.model = test::randomModel(ktensor ? kernels::ModelKind::Cp : kernels::ModelKind::FastTucker, {50, 40, 30}, 4, 4, 1, false);
            const bool dense = kind.startsWith("dense");
            kernels::SparseTensor tensor =
                test::randomTensor(dense ? std::vector<kernels::Index>{5, 20, 30} : std::vector<kernels::Index>{50, 40, 30}, 3000, 3);
            if (ktensor)
                io::exportModel(io::exportKind("ktensor"), file, whole, progress);
            else if (model)
                io::writeModel(whole, file);
            else
                io::writeTensor(whole, tensor, {kind == "header.tns" ? "sptensor" : ""}, progress);
            _exit(0);
        }
        waitpid(child, nullptr, 0);
    }
    const QByteArray bytes = test::contentOf(whole);
    QVERIFY(bytes.size() > 1000);
    const std::string path = m_files.write(qPrintable(kind), bytes.left(int(qint64(bytes.size()) * sixteenths / 16)));
    const Outcome outcome = loadInChild(path, model);
    verifyCheap(outcome);
    QVERIFY2(outcome.told.startsWith(kind) || outcome.told.startsWith(QString::fromStdString(path)), qPrintable(outcome.told));
}

void TestBadFiles::everyDamagedByteIsSurvived_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 40; ++seed)
        QTest::addRow("seed %d", seed) << seed;
}

/// A small file with a few bytes replaced: whatever comes of it, it ends, and cheaply.
void TestBadFiles::everyDamagedByteIsSurvived()
{
    if (!m_python)
        QSKIP("python3 with h5py is not installed: this was not tested");
    QFETCH(const int, seed);
    QByteArray bytes = test::contentOf(POLYAD_TEST_DATA "/good/matlab.mat");
    QVERIFY(!bytes.isEmpty());
    for (int i = 0; i < 4; ++i) {
        const double where = kernels::random::uniform(std::uint64_t(seed), 1, std::uint64_t(i));
        bytes[int(512 + where * (bytes.size() - 512))] = char(kernels::random::uniform(std::uint64_t(seed), 2, std::uint64_t(i)) * 256);
    }
    verifyCheap(loadInChild(m_files.write("damaged.mat", bytes)));
}

/// A product of dims past 2^64 is no reason to refuse: nothing dense is ever made of them.
void TestBadFiles::largestDimsAreRead()
{
    const Outcome outcome = loadInChild(m_files.write("large.tns", "4294967295 4294967295 4294967295 1\n1 1 1 2\n"));
    verifyCheap(outcome);
    QCOMPARE(outcome.told, QString());
}

QTEST_GUILESS_MAIN(TestBadFiles)
#include "tst_bad_files.moc"
