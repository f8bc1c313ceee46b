// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/labels.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <thread>

using test::gzipped;
using test::load;
using test::sentenceOf;

/// What a person may ask of the loading of a text tensor, and what lies beside its file.
class TestTextOptions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void doublesAreKeptOnRequestAndWhereFloatsCannot();
    void duplicatesFollowThePolicy_data();
    void duplicatesFollowThePolicy();
    void zerosFollowThePolicy();
    void givenDimsRestoreEmptySlices();
    void labelsAreAttached();
    void labelsOfAnotherTensorAreLeft();
    void labelsThatAreLeftSayWhy_data();
    void labelsThatAreLeftSayWhy();
    void labelFilesOfAPersonMustFit();
    void moreEntriesThanExpectedFindRoom();
    void memoryLimitIsRefusedAsASentence();
    void cancelEndsTheLoad();

private:
    test::TemporaryFiles m_files;
};

void TestTextOptions::doublesAreKeptOnRequestAndWhereFloatsCannot()
{
    // 0.1 is no float either, but a float prints 0.1 again.
    const io::LoadedTensor rounded = load(m_files.write("r.tns", "1 1 0.1\n1 2 0.123456789\n"));
    QVERIFY(!rounded.tensor.hasDoubleValues());
    QCOMPARE(rounded.report.notes.size(), std::size_t{1});
    QVERIFY(QString::fromStdString(rounded.report.notes[0]).startsWith("1 value was rounded"));

    io::ReadOptions options;
    options.doubleValues = true;
    QVERIFY(!load(m_files.write("e.tns", "1 1 0.25\n"), options).tensor.hasDoubleValues()); // nothing to gain

    const io::LoadedTensor wide = load(m_files.write("w.tns", "1 1 1e300\n1 2 1e-60\n"));
    QVERIFY(wide.tensor.hasDoubleValues());
    QCOMPARE(wide.tensor.value(0), 1e300);
    QCOMPARE(wide.tensor.value(1), 1e-60);
}

void TestTextOptions::duplicatesFollowThePolicy_data()
{
    QTest::addColumn<int>("policy");
    QTest::addColumn<double>("value");
    QTest::addColumn<int>("entries");
    QTest::newRow("sum") << int(kernels::Duplicates::Sum) << 7.0 << 2;
    QTest::newRow("mean") << int(kernels::Duplicates::Mean) << 3.5 << 2;
    QTest::newRow("last") << int(kernels::Duplicates::Last) << 2.0 << 2;
    QTest::newRow("max") << int(kernels::Duplicates::Max) << 5.0 << 2;
    QTest::newRow("keep") << int(kernels::Duplicates::Keep) << 5.0 << 3;
}

void TestTextOptions::duplicatesFollowThePolicy()
{
    QFETCH(const int, policy);
    QFETCH(const double, value);
    QFETCH(const int, entries);
    const std::string path = m_files.write("d.tns", "1 1 5\n2 2 1\n1 1 2\n");
    io::ReadOptions options;
    options.duplicates = static_cast<kernels::Duplicates>(policy);
    const io::LoadedTensor loaded = load(path, options);
    QCOMPARE(int(loaded.tensor.entries()), entries);
    QCOMPARE(loaded.tensor.value(0), value);
    QCOMPARE(loaded.report.duplicatesMerged, kernels::Count{1});
    QVERIFY(!loaded.report.wasSorted);

    options.duplicates = kernels::Duplicates::Error;
    const std::string told = sentenceOf([&] { load(path, options); });
    QVERIFY2(QString::fromStdString(told).startsWith("d.tns: the coordinate (1, 1) occurs more than once"), told.c_str());
}

void TestTextOptions::zerosFollowThePolicy()
{
    const std::string path = m_files.write("z.tns", "1 1 0\n2 2 1\n3 3 0.0\n");
    io::ReadOptions options;
    const io::LoadedTensor kept = load(path, options);
    QCOMPARE(kept.report.explicitZeros, kernels::Count{2});
    QCOMPARE(kept.tensor.entries(), kernels::Count{3});
    options.keepZeros = false;
    const io::LoadedTensor dropped = load(path, options);
    QCOMPARE(dropped.report.zerosDropped, kernels::Count{2});
    QCOMPARE(dropped.tensor.entries(), kernels::Count{1});
    QCOMPARE(dropped.tensor.indices[0][0], kernels::Index{1});
    QCOMPARE(dropped.tensor.dims(), (std::vector<kernels::Index>{3, 3}));
}

void TestTextOptions::givenDimsRestoreEmptySlices()
{
    const std::string path = m_files.write("g.tns", "1 1 1\n2 5 1\n");
    io::ReadOptions options;
    options.dims = {10, 5};
    QCOMPARE(load(path, options).tensor.dims(), options.dims);
    options.dims = {10, 4};
    QVERIFY(QString::fromStdString(sentenceOf([&] {
                load(path, options);
            })).startsWith("g.tns line 2: index past the declared size (found 5, expected at most 4)"));
    options.dims = {10, 5, 1};
    QVERIFY(QString::fromStdString(sentenceOf([&] { load(path, options); })).contains("another order"));
}

void TestTextOptions::labelsAreAttached()
{
    const test::TemporaryFiles folder;
    folder.write("mode-1-state.map", "Ohio\r\nTexas\r\nUtah");
    folder.write("mode-2-bird name.map.gz", gzipped("Eule\nMöwe\n\xff bad\n\n\r\n"));
    const io::LoadedTensor loaded = load(folder.write("t.tns", "3 1 1\n1 3 1\n"));
    QCOMPARE(loaded.tensor.modes[0].name, std::string("state"));
    QCOMPARE(loaded.tensor.modes[0].labels, (std::vector<std::string>{"Ohio", "Texas", "Utah"}));
    QCOMPARE(loaded.tensor.modes[1].name, std::string("bird name"));
    QCOMPARE(loaded.tensor.modes[1].labels, (std::vector<std::string>{"Eule", "Möwe", "\xef\xbf\xbd bad"}));
    QVERIFY(loaded.report.warnings.empty() && !loaded.report.labelsLeft);
    QCOMPARE(io::labelSources(loaded.tensor.modes, loaded.report),
             (std::vector<std::string>{"Labels of state: mode-1-state.map.", "Labels of bird name: mode-2-bird name.map.gz."}));
}

/// Two tensors in one folder: one size tells that none of the labels is the second's.
void TestTextOptions::labelsOfAnotherTensorAreLeft()
{
    const test::TemporaryFiles folder;
    folder.write("mode-1-origin.map", "EWR\nJFK\n");
    folder.write("mode-2-hour.map", "5\n6\n7\n");
    QCOMPARE(load(folder.write("flights.tns", "1 1 1\n2 3 1\n")).tensor.modes[1].labels.size(), std::size_t{3});
    const io::LoadedTensor other = load(folder.write("birds.tns", "1 1 1\n2 4 1\n"));
    for (const kernels::Mode& mode : other.tensor.modes)
        QVERIFY(mode.labels.empty() && mode.name.empty());
    QVERIFY(other.report.labelsLeft && io::labelSources(other.tensor.modes, other.report).empty());
    // With its size declared the same file has room for all.
    io::ReadOptions options;
    options.dims = {2, 3};
    const io::LoadedTensor declared = load(folder.write("part.tns", "1 1 1\n2 2 1\n"), options);
    QCOMPARE(declared.tensor.modes[1].labels.size(), std::size_t{3});
}

void TestTextOptions::labelsThatAreLeftSayWhy_data()
{
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<QList<QByteArray>>("texts");
    QTest::addColumn<QString>("says");
    using Names = QStringList;
    using Texts = QList<QByteArray>;
    QTest::newRow("fewer") << Names{"mode-1-a.map"} << Texts{"one\n"}
                           << "mode-1-a.map has 1 line, but mode 1 has 2 indices. Choose label files with --labels 1=FILE.";
    QTest::newRow("empty ones") << Names{"mode-1-a.map"} << Texts{"one\n\n\n"} << "mode-1-a.map has 1 line, but mode 1 has 2 indices.";
    QTest::newRow("more") << Names{"mode-1-a.map", "mode-2-b.map"} << Texts{"1\n2\n", "x\ny\nz\n"}
                          << "mode-2-b.map has 3 lines, but mode 2 has 2 indices. If they are its labels, give its sizes: --dims 2,3.";
    QTest::newRow("a head line") << Names{"mode-1-a.map"} << Texts{"name\none\ntwo\n"} << "has 3 lines, but mode 1 has 2 indices.";
    QTest::newRow("two files") << Names{"mode-2-c.map", "mode-2-b.map"} << Texts{"x\ny\n", "x\ny\n"}
                               << "mode-2-b.map and mode-2-c.map are both for mode 2. Choose label files with --labels 2=FILE.";
    QTest::newRow("no such mode") << Names{"mode-1-a.map", "mode-3-c.map"} << Texts{"1\n2\n", "x\ny\n"}
                                  << "mode-3-c.map is for mode 3 of 2. Choose label files with --labels 2=FILE.";
    QTest::newRow("several") << Names{"mode-1-a.map", "mode-2-b.map"} << Texts{"1\n", "x\n"}
                             << "but mode 1 has 2 indices. 1 more do not fit either. Choose";
    QTest::newRow("no text") << Names{"mode-1-a.map"} << Texts{QByteArray("a\0b\nc\n", 6)} << "mode-1-a.map line 1: is no text";
}

void TestTextOptions::labelsThatAreLeftSayWhy()
{
    QFETCH(const QStringList, names);
    QFETCH(const QList<QByteArray>, texts);
    QFETCH(const QString, says);
    const test::TemporaryFiles folder;
    for (qsizetype i = 0; i < names.size(); ++i)
        folder.write(qPrintable(names[i]), texts[i]);
    const io::LoadedTensor loaded = load(folder.write("t.tns", "2 1 1\n1 2 1\n"));
    QVERIFY(loaded.tensor.modes[0].labels.empty() && loaded.tensor.modes[1].labels.empty());
    QCOMPARE(loaded.report.warnings.size(), std::size_t{1});
    const QString told = QString::fromStdString(loaded.report.warnings[0]);
    QVERIFY2(told.startsWith(QStringLiteral("The label files in the folder of t.tns were not taken. ")), qPrintable(told));
    QVERIFY2(told.contains(says), qPrintable(told));
}

void TestTextOptions::labelFilesOfAPersonMustFit()
{
    const std::string path = m_files.write("chosen.tns", "2 1 1\n1 2 1\n");
    io::ReadOptions options;
    for (const auto& [text, says] : {std::pair{"one\n", "has fewer labels than the mode has indices (found 1 label, expected 2)"},
                                     {"head\none\ntwo\n", "has more labels than the mode has indices (found 3 labels, expected 2)"}}) {
        options.naming = {{1, {}, m_files.write("chosen.txt", text)}};
        options.namingMustFit = true;
        QVERIFY2(QString::fromStdString(sentenceOf([&] { load(path, options); })).startsWith(QStringLiteral("chosen.txt: ") + says), says);
        options.namingMustFit = false; // of a session: its file may be another by now
        const io::LoadedTensor loaded = load(path, options);
        QVERIFY(loaded.tensor.modes[1].labels.empty() && loaded.report.labelFiles[1].empty());
        QVERIFY(loaded.report.warnings.at(0).find(says) != std::string::npos);
    }
    options.naming = {{1, "year", m_files.write("chosen.txt", "2003\n2004\n\n")}};
    const io::LoadedTensor loaded = load(path, options);
    QCOMPARE(io::labelSources(loaded.tensor.modes, loaded.report), std::vector<std::string>{"Labels of year: chosen.txt."});
}

/// Room is made by how dense the first block is. Here that is nearly all comment.
void TestTextOptions::moreEntriesThanExpectedFindRoom()
{
    constexpr int repeated = 4'600'000;
    QByteArray text = "3 1 5\n" + QByteArray("# nothing\n").repeated(150'000);
    text += QByteArray("1 1 1\n2 2 1\n").repeated(repeated / 2) + "3 2 7\n";
    const io::LoadedTensor loaded = load(m_files.write("late.tns", text));
    QCOMPARE(loaded.report.entriesRead, kernels::Count{repeated + 2});
    QCOMPARE(loaded.tensor.dims(), (std::vector<kernels::Index>{3, 2}));
    QCOMPARE(loaded.tensor.entries(), kernels::Count{4}); // equal ones are summed
    const std::vector<double> expected{repeated / 2, repeated / 2, 5, 7};
    for (kernels::Count e = 0; e < 4; ++e)
        QCOMPARE(loaded.tensor.value(e), expected[e]);
}

void TestTextOptions::memoryLimitIsRefusedAsASentence()
{
    const std::string path = m_files.write("m.tns", QByteArray("1 1 1\n").repeated(10000));
    io::ReadOptions options;
    options.memoryLimit = 1000;
    kernels::Progress progress;
    QVERIFY_EXCEPTION_THROWN(io::readTensor(path, options, progress), kernels::OutOfMemory);
}

void TestTextOptions::cancelEndsTheLoad()
{
    QByteArray text;
    for (int i = 0; i < 20; ++i)
        text += "1 1 1 1\n";
    const QByteArray packed = gzipped(text);
    QByteArray members; // unpacks to far more than could be read in time
    for (int i = 0; i < 200000; ++i)
        members += packed;
    const std::string path = m_files.write("c.tns.gz", members);
    kernels::Progress progress;
    std::thread canceller([&] {
        while (progress.done() == 0)
            std::this_thread::yield();
        progress.cancel();
    });
    bool cancelled = false;
    try {
        io::readTensor(path, {}, progress);
    } catch (const kernels::Cancelled&) {
        cancelled = true;
    }
    canceller.join();
    QVERIFY(cancelled);
    QVERIFY(progress.done() < quint64(members.size()));
}

QTEST_GUILESS_MAIN(TestTextOptions)
#include "tst_text_options.moc"
