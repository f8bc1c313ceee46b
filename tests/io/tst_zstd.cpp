// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/recipe.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <sys/resource.h>
#include <zstd.h>

using test::load;
using test::sentenceOf;

namespace {

/// One frame. window: its logarithm; 0: zstd's choice.
QByteArray zstdOf(const QByteArray& bytes, int window = 0)
{
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    if (window)
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window);
    QByteArray packed(static_cast<qsizetype>(ZSTD_compressBound(static_cast<std::size_t>(bytes.size()))), '\0');
    // Without the size, as a pipe has it: the window is then as large as asked for.
    ZSTD_inBuffer in{bytes.data(), static_cast<std::size_t>(bytes.size()), 0};
    ZSTD_outBuffer out{packed.data(), static_cast<std::size_t>(packed.size()), 0};
    ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
    ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
    ZSTD_freeCCtx(context);
    packed.resize(static_cast<qsizetype>(out.pos));
    return packed;
}

io::ReadOptions counted()
{
    io::ReadOptions options;
    options.recipe.emplace();
    options.recipe->modes = io::table::parseModes("who,what");
    return options;
}

/// Many rows, so that several blocks are read.
QByteArray table()
{
    QByteArray text = "who,what,when\n";
    for (int i = 0; i < 200'000; ++i)
        text += "p" + QByteArray::number(i % 97) + ",q" + QByteArray::number(i % 89) + "," + QByteArray::number(i) + "\n";
    return text;
}

long peakKilobytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

} // namespace

/// Text packed with zstd reads as the text does.
class TestZstd : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tablesReadAsTheirText_data();
    void tablesReadAsTheirText();
    void tensorsAreRead();
    void faultsAreNamed_data();
    void faultsAreNamed();
    void bombsAreNotAbsorbed();

private:
    test::TemporaryFiles m_files;
};

void TestZstd::tablesReadAsTheirText_data()
{
    QTest::addColumn<QByteArray>("packed");
    const QByteArray text = table();
    const QByteArray skipped("\x51\x2a\x4d\x18\x03\0\0\0abc", 11); // as pzstd writes
    QTest::newRow("one frame") << zstdOf(text);
    QTest::newRow("frames") << zstdOf(text.left(1000)) + zstdOf({}) + zstdOf(text.mid(1000));
    QTest::newRow("frames to skip") << skipped + zstdOf(text.left(700'000)) + skipped + zstdOf(text.mid(700'000)) + skipped;
    QTest::newRow("largest window") << zstdOf(text, 27);
}

void TestZstd::tablesReadAsTheirText()
{
    QFETCH(const QByteArray, packed);
    const io::LoadedTensor expected = load(m_files.write("plain.csv", table()), counted());
    for (const char* name : {"table.csv.zst", "table.zst"}) {
        const io::LoadedTensor loaded = load(m_files.write(name, packed), counted());
        QCOMPARE(loaded.report.layout, std::string("CSV, zstd"));
        QCOMPARE(loaded.report.entriesRead, kernels::Count{200'000});
        QVERIFY(loaded.tensor.indices == expected.tensor.indices);
        QVERIFY(loaded.tensor.values == expected.tensor.values);
        QCOMPARE(loaded.tensor.modes[0].labels, expected.tensor.modes[0].labels);
    }
}

void TestZstd::tensorsAreRead()
{
    const io::LoadedTensor loaded = load(m_files.write("a.tns.zst", zstdOf("1 2 3 4.5\n2 1 1 -1\n")));
    QCOMPARE(loaded.tensor.entries(), kernels::Count{2});
    QVERIFY2(loaded.report.layout.ends_with(", zstd"), loaded.report.layout.c_str());
}

void TestZstd::faultsAreNamed_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("words");
    const QByteArray packed = zstdOf(table());
    QByteArray changed = packed;
    for (qsizetype at = packed.size() / 2; at < packed.size() / 2 + 64; ++at)
        changed[at] = static_cast<char>(~changed[at]);
    QTest::newRow("cut short") << packed.left(packed.size() - 5) << "table.csv.zst: the zstd data ends early";
    QTest::newRow("cut to its magic") << packed.left(4) << "table.csv.zst: the zstd data ends early";
    QTest::newRow("changed") << changed << "table.csv.zst: the zstd data is damaged";
    QTest::newRow("more behind it") << packed + "xyz and more"
                                    << "table.csv.zst: the zstd data is damaged";
    QTest::newRow("window") << zstdOf("who,what\na,b\n", 28) << "table.csv.zst: the zstd data needs more than 128 MiB to be unpacked";
}

void TestZstd::faultsAreNamed()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, words);
    const std::string told = sentenceOf([&] { load(m_files.write("table.csv.zst", bytes), counted()); });
    QVERIFY2(QString::fromStdString(told).startsWith(words), told.c_str());
}

/// 4 GiB of one row in half a megabyte.
void TestZstd::bombsAreNotAbsorbed()
{
    QByteArray bomb = zstdOf("who,what\n");
    const QByteArray some = zstdOf(QByteArray(64 << 20, 'x'));
    for (int i = 0; i < 64; ++i)
        bomb += some;
    QVERIFY(bomb.size() < 1 << 20);
    const std::string path = m_files.write("bomb.csv.zst", bomb);
    const long before = peakKilobytes();
    const std::string told = sentenceOf([&] { load(path, counted()); });
    QVERIFY2(QString::fromStdString(told).contains("a row is too long"), told.c_str());
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    QVERIFY(peakKilobytes() - before < 400 << 10);
#else
    Q_UNUSED(before)
#endif
}

QTEST_GUILESS_MAIN(TestZstd)
#include "tst_zstd.moc"
