// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensor_reference.h"
#include "io/hdf5_write.h"
#include "kernels/base/error.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QDir>
#include <QFile>
#include <QtTest>

using namespace app;

namespace {

/// In another folder while it lives.
class InFolder {
public:
    explicit InFolder(const QString& folder) { QDir::setCurrent(folder); }
    ~InFolder() { QDir::setCurrent(m_before); }

private:
    QString m_before = QDir::currentPath();
};

} // namespace

/// How an interrupted run finds its tensor again: what one process writes down another opens.
class TestTensorReference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Every option matters: the file reads otherwise, or not at all, without it.
    void aFileIsReadAsItWasRead()
    {
        const std::string path = m_files.write("small.tns", "1 1 2\n2 3 0\n2 3 0.1\n");
        io::ReadOptions options;
        options.indexBase = io::IndexBase::Zero;
        options.duplicates = kernels::Duplicates::Last;
        options.keepZeros = true;
        options.dims = {7, 8};
        options.doubleValues = true;
        const auto first = openTensorFile(path, options, Statistics::Skip, m_progress);
        const auto second = openReference(referenceTo(*first), Statistics::Skip, m_progress);
        QVERIFY(test::same(first->tensor, second->tensor));
        QCOMPARE(second->tensor.dims(), (std::vector<kernels::Index>{7, 8}));
        QCOMPARE(second->tensor.entries(), kernels::Count{2});
        QCOMPARE(second->tensor.value(1), 0.1);
        QCOMPARE(referenceTo(*second), referenceTo(*first));
        QVERIFY(!test::same(openTensorFile(path, {}, Statistics::Skip, m_progress)->tensor, first->tensor));
    }

    /// What a person called modes comes back, for files and for what is generated.
    void namesAndLabelsComeBack()
    {
        const std::string path = m_files.write("named.tns", "1 1 2\n2 3 1\n");
        const std::string labels = m_files.write("three.txt", "\xef\xbb\xbfone\ntwo\nthree\n\n");
        auto open = openTensorFile(path, {}, Statistics::Skip, m_progress);
        open = withNaming(*open, {1, "things", labels}, m_progress);
        open = withNaming(*open, {0, "people", {}}, m_progress);
        open = withNaming(*open, {1, "items", {}}, m_progress); // the labels stay
        QCOMPARE(open->modes()[1].labels, (std::vector<std::string>{"one", "two", "three"}));
        QCOMPARE(open->command.options,
                 (std::vector<std::string>{"--mode-name", "2=items", "--labels", "2=" + labels, "--mode-name", "1=people"}));
        const auto back = openReference(referenceTo(*open), Statistics::Skip, m_progress);
        QVERIFY(!back->renamed);
        QCOMPARE(back->modeName(0) + back->modeName(1), std::string("peopleitems"));
        QCOMPARE(back->modes()[1].labels, open->modes()[1].labels);
        QCOMPARE(back->command.options, open->command.options);
        // Once more over what came back, and away with the labels.
        const auto bare = withNaming(*back, {1, {}, ""}, m_progress);
        QVERIFY(bare->modes()[1].labels.empty() && !back->modes()[1].labels.empty());
        QCOMPARE(openReference(referenceTo(*bare), Statistics::Skip, m_progress)->modes()[1].labels.size(), std::size_t{0});

        const auto preset = withNaming(*openPreset("netflix-like", 1e-5, 3, Statistics::Skip, m_progress), {2, "weekday", {}}, m_progress);
        const auto again = openReference(referenceTo(*preset), Statistics::Skip, m_progress);
        QVERIFY(test::same(preset->tensor, again->tensor));
        QCOMPARE(again->modeName(2), std::string("weekday"));
        QCOMPARE(again->command.options, preset->command.options);
    }

    /// A study folder was moved as a whole, or only the session's file went with one of the data.
    void whatMovedWithAFolderIsFoundThere()
    {
        const QDir root(QString::fromStdString(m_files.path("moves")));
        QVERIFY(root.mkpath("old/study/data") && root.mkpath("new/study/data") && root.mkpath("new/study/notes"));
        const std::string gone = root.filePath("old/study/data/small.tns").toStdString();
        m_files.write("moves/old/study/data/small.tns", "1 1 2\n2 3 1\n");
        const auto first = openTensorFile(gone, {}, Statistics::Skip, m_progress);
        const std::string reference = referenceTo(*first);
        QCOMPARE(fileOf(reference), gone);
        const auto near = [&](const char* folder) { return foundNear(reference, root.filePath(folder).toStdString()); };
        QCOMPARE(near("new/study"), reference); // the file is in its place
        QVERIFY(QFile::rename(QString::fromStdString(gone), root.filePath("new/study/data/small.tns")));
        const std::string moved = root.filePath("new/study/data/small.tns").toStdString();
        for (const char* folder : {"new", "new/study", "new/study/data", "new/study/notes"}) {
            QCOMPARE(fileOf(near(folder)), moved);
            QVERIFY(test::same(openReference(near(folder), Statistics::Skip, m_progress)->tensor, first->tensor));
        }
        QCOMPARE(near("old"), reference); // nowhere: as it was
        QCOMPARE(movedTo(reference, moved), near("new"));
        QCOMPARE(fileOf(referenceTo(*openPreset("netflix-like", 1e-5, 3, Statistics::Skip, m_progress))), std::string());
    }

    /// A label file that has gone costs the labels, and is told; one that is chosen and does not fit is refused.
    void labelFilesThatDoNotFitAreTold()
    {
        const std::string path = m_files.write("some.tns", "1 1 2\n2 3 1\n");
        const auto plain = openTensorFile(path, {}, Statistics::Skip, m_progress);
        const std::string three = m_files.write("three.txt", "one\ntwo\nthree\n");
        const auto named = withNaming(*plain, {1, {}, three}, m_progress);
        QCOMPARE(named->modes()[1].labels[0], std::string("one"));
        QCOMPARE(named->report.labelFiles.at(1), std::string("three.txt"));
        const std::string reference = referenceTo(*named);
        QVERIFY(QFile::remove(QString::fromStdString(three)));
        const auto back = openReference(reference, Statistics::Skip, m_progress);
        QVERIFY(back->modes()[1].labels.empty());
        QCOMPARE(back->report.warnings.size(), std::size_t{1});
        QVERIFY2(back->report.warnings[0].find("three.txt") != std::string::npos, back->report.warnings[0].c_str());
        const std::pair<QByteArray, const char*> bad[] = {{"head\none\ntwo\nthree\n", "more labels"},
                                                          {"one\ntwo\n", "fewer labels"},
                                                          {"one\ntwo\n\n\n", "fewer labels"},
                                                          {"", "fewer labels"},
                                                          {"one\nt\xfcr\nthree\n", "line 2"},
                                                          {QByteArray("one\nt\0o\nthree\n", 14), "no text"},
                                                          {QByteArray("\xff\xfeo\0n\0e\0\n\0", 10), "line 1"}};
        for (const auto& [bytes, said] : bad) {
            const std::string file = m_files.write("bad.txt", bytes);
            try {
                withNaming(*plain, {1, {}, file}, m_progress);
                QFAIL(said);
            } catch (const kernels::Error& error) {
                QVERIFY2(std::string(error.what()).find(said) != std::string::npos, error.what());
                QVERIFY2(std::string(error.what()).find("bad.txt") != std::string::npos, error.what());
            }
        }
        QVERIFY_EXCEPTION_THROWN(withNaming(*plain, {1, {}, m_files.path("absent.txt")}, m_progress), kernels::Error);
    }

    /// Neither the folder the program was started in nor the rest of the file is the tensor.
    void oneTensorOfAFileIsFoundFromAnotherFolder()
    {
        const std::string path = m_files.path("two.h5");
        io::hdf5::writeFile(path, [](io::hdf5::Session& session, hid_t root) {
            const double first[] = {0, 0, 1}, second[] = {1, 2, 5};
            io::hdf5::writeArray(session, root, "first", first, {1, 3}, io::hdf5::Storage{});
            io::hdf5::writeArray(session, root, "second", second, {1, 3}, io::hdf5::Storage{});
        });
        io::ReadOptions options;
        options.layout = "table";
        std::string reference;
        {
            const InFolder there(QFileInfo(QString::fromStdString(path)).path());
            reference = referenceTo(*openTensorFile("two.h5:/second", options, Statistics::Skip, m_progress));
        }
        const InFolder elsewhere(QDir::rootPath());
        const auto found = openReference(reference, Statistics::Skip, m_progress);
        QCOMPARE(found->path.toStdString(), path + ":/second");
        QCOMPARE(found->tensor.value(0), 5.0);
        const QDir folder = QFileInfo(QString::fromStdString(path)).dir();
        QVERIFY(folder.mkpath(QStringLiteral("moved")) && QFile::rename(QString::fromStdString(path), folder.filePath("moved/two.h5")));
        const std::string moved = folder.filePath("moved/two.h5").toStdString();
        for (const std::string& now : {foundNear(reference, folder.filePath("moved").toStdString()), movedTo(reference, moved)}) {
            QCOMPARE(fileOf(now), moved + ":/second");
            QCOMPARE(openReference(now, Statistics::Skip, m_progress)->tensor.value(0), 5.0);
        }
    }

    void aPresetIsDrawnFromTheSameSeed()
    {
        const auto first = openPreset("netflix-like", 1e-5, 3, Statistics::Skip, m_progress);
        const auto second = openReference(referenceTo(*first), Statistics::Skip, m_progress);
        QVERIFY(test::same(first->tensor, second->tensor));
        QVERIFY(!test::same(openPreset("netflix-like", 1e-5, 4, Statistics::Skip, m_progress)->tensor, first->tensor));
    }

    void whatNobodyCanFindAgainHasNone()
    {
        kernels::SyntheticSpec spec;
        spec.dims = {5, 6};
        spec.entries = 10;
        QCOMPARE(referenceTo(*openSynthetic(spec, "planted", Statistics::Skip, m_progress)), std::string());
    }

    /// They come out of files.
    void whatIsNoReferenceIsRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("mentions");
        const auto row = [](const char* name, const QByteArray& text, const char* mentions) { QTest::newRow(name) << text << mentions; };
        const QByteArray file =
            R"({"file": "x.tns", "read": {"index_base": 0, "duplicates": 9, "keep_zeros": false, "dims": [], "layout": "",)"
            R"( "double_values": false}})";
        row("nothing", "", "not valid JSON (found end of input");
        row("cut", "{\"file\": ", "line 1, column 10: not valid JSON");
        row("deep", QByteArray(1'000'000, '['), "JSON is nested too deeply");
        row("a list", "[]", "does not say where the run's tensor is");
        row("neither", "{}", "does not say where the run's tensor is");
        row("no seed", R"({"preset": "preset:netflix-like:0.1"})", "does not say where the run's tensor is");
        row("a way to read", file, "unknown way to read a tensor");
        row("another way to read", QByteArray(file).replace(": 9", ": -1"), "unknown way to read a tensor");
    }
    void whatIsNoReferenceIsRefused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, mentions);
        const QString told =
            QString::fromStdString(test::sentenceOf([&] { openReference(text.toStdString(), Statistics::Skip, m_progress); }));
        QVERIFY2(told.startsWith("checkpoint /state/source") && told.contains(mentions), qPrintable(told));
    }

private:
    test::TemporaryFiles m_files;
    kernels::Progress m_progress;
};

QTEST_GUILESS_MAIN(TestTensorReference)
#include "tst_tensor_reference.moc"
