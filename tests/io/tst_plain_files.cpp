// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/atomic_file.h"
#include "io/error.h"
#include "io/input_stream.h"
#include "io/model_file.h"
#include "io/sha256.h"
#include "support/random_tensor.h"
#include "support/small_disk.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

Q_DECLARE_METATYPE(io::AtomicFile::Unfinished)

using test::contentOf;
using test::sentenceOf;

/// Files that are complete or absent, and checksums.
class TestPlainFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void committedFileIsThere_data() { bothKinds(); }
    void committedFileIsThere();
    void withoutCommitTheOldFileStays_data() { bothKinds(); }
    void withoutCommitTheOldFileStays();
    void filesOfOthersAreLeftAlone();
    void twoWritersOfOneFileDoNotMeet_data() { bothKinds(); }
    void twoWritersOfOneFileDoNotMeet();
    void aKilledProcessLeavesNothing();
    void whatKilledProcessesLeftGoes();
    void theLongestNamesCanBeWritten();
    void targetsThatCannotBeWrittenAreTold();
    void readOnlyFolderIsTold();
    void aVanishedFolderIsTold_data() { bothKinds(); }
    void aFolderThatTakesNoFilesIsTold();
    void aVanishedFolderIsTold();
    void aFullDiskLeavesTheOldFile_data() { bothKinds(); }
    void aFullDiskLeavesTheOldFile();
    void aDiskThatFillsUpLeavesTheOldFile_data();
    void aDiskThatFillsUpLeavesTheOldFile();
    void linksAndPermissionsAreKept_data() { bothKinds(); }
    void linksAndPermissionsAreKept();
    void linksToNothingAreFollowed();
    void newFilesHaveTheUsualPermissions();
    void sha256MatchesTheStandard_data();
    void sha256MatchesTheStandard();
    void sha256OfAFileEqualsThatOfItsBytes();
    void aFileThatChangesIsNotBelieved_data();
    void aFileThatChangesIsNotBelieved();

private:
    using Unfinished = io::AtomicFile::Unfinished;

    /// The unfinished file without a name, and with one as file systems need that know no other way.
    static void bothKinds()
    {
        QTest::addColumn<Unfinished>("unfinished");
        QTest::newRow("nameless") << Unfinished::NamelessIfPossible;
        QTest::newRow("named") << Unfinished::Named;
    }
    QStringList leftBehind() const { return m_files.names().filter(".part"); }

    test::TemporaryFiles m_files;
};

void TestPlainFiles::committedFileIsThere()
{
    QFETCH(const Unfinished, unfinished);
    const std::string path = m_files.path("new.txt");
    unlink(path.c_str());
    {
        io::AtomicFile file(path, unfinished);
        QCOMPARE(leftBehind().size(), unfinished == Unfinished::Named ? 1 : 0);
        file.write("one ");
        file.write("two");
        QVERIFY(access(path.c_str(), F_OK) != 0);
        file.commit();
    }
    QCOMPARE(contentOf(path), QByteArray("one two"));
    QVERIFY2(leftBehind().isEmpty(), qPrintable(leftBehind().join(' ')));
}

void TestPlainFiles::withoutCommitTheOldFileStays()
{
    QFETCH(const Unfinished, unfinished);
    const std::string path = m_files.write("old.txt", "old");
    {
        io::AtomicFile file(path, unfinished);
        file.write("new");
    }
    QCOMPARE(contentOf(path), QByteArray("old"));
    QVERIFY2(leftBehind().isEmpty(), qPrintable(leftBehind().join(' ')));
}

void TestPlainFiles::filesOfOthersAreLeftAlone()
{
    const std::string path = m_files.path("mine.txt"), other = m_files.write("mine.txt.part", "somebody's");
    {
        io::AtomicFile file(path, Unfinished::Named);
        file.write("new");
        file.commit();
    }
    QCOMPARE(contentOf(other), QByteArray("somebody's"));
    unlink(other.c_str());
}

void TestPlainFiles::twoWritersOfOneFileDoNotMeet()
{
    QFETCH(const Unfinished, unfinished);
    const std::string path = m_files.path("both.txt");
    io::AtomicFile first(path, unfinished), second(path, unfinished);
    first.write("first");
    second.write("second, and longer");
    second.commit();
    QCOMPARE(contentOf(path), QByteArray("second, and longer"));
    first.commit();
    QCOMPARE(contentOf(path), QByteArray("first"));
    QVERIFY2(leftBehind().isEmpty(), qPrintable(leftBehind().join(' ')));
}

void TestPlainFiles::aKilledProcessLeavesNothing()
{
    const std::string path = m_files.write("killed.txt", "old");
    const int nameless = open(QFileInfo(QString::fromStdString(path)).path().toUtf8().constData(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (nameless < 0)
        QSKIP("this file system knows no files without a name");
    close(nameless);
    const pid_t child = fork();
    if (child == 0) {
        io::AtomicFile file(path);
        file.write("new");
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    QCOMPARE(waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    QCOMPARE(contentOf(path), QByteArray("old"));
    QVERIFY2(leftBehind().isEmpty(), qPrintable(leftBehind().join(' ')));
}

/// Whatever its age; and nothing that somebody is at work on.
void TestPlainFiles::whatKilledProcessesLeftGoes()
{
    for (const Unfinished unfinished : {Unfinished::Named, Unfinished::NamelessIfPossible}) {
        const std::string target = m_files.path("left.txt");
        const std::string other = m_files.write(".left.txt.part-abcDE", "no name of ours");
        const pid_t child = fork();
        if (child == 0) {
            io::AtomicFile killed(target, Unfinished::Named);
            kill(getpid(), SIGKILL);
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QCOMPARE(leftBehind().size(), 2);
        io::AtomicFile atWork(target, Unfinished::Named);
        QCOMPARE(leftBehind().size(), 2); // the killed one's is gone, that of this one has come
        const std::string again = m_files.write(".left.txt.part-abcDE2", "half");
        io::AtomicFile file(target, unfinished);
        QVERIFY(access(again.c_str(), F_OK) != 0);
        QCOMPARE(access(atWork.partPath().c_str(), F_OK), 0);
        file.commit();
        atWork.write("whole");
        atWork.commit();
        QCOMPARE(contentOf(target), QByteArray("whole"));
        QCOMPARE(access(other.c_str(), F_OK), 0);
        unlink(other.c_str());
    }
}

void TestPlainFiles::theLongestNamesCanBeWritten()
{
    const QByteArray name = QByteArray("ü").repeated(127) + 'x'; // 255 bytes
    const std::string path = m_files.path(name.constData());
    io::AtomicFile file(path, Unfinished::Named);
    file.write("new");
    file.commit();
    QCOMPARE(contentOf(path), QByteArray("new"));
}

void TestPlainFiles::targetsThatCannotBeWrittenAreTold()
{
    const std::string file = m_files.write("file", "x");
    const auto told = [](const std::string& path) { return QString::fromStdString(sentenceOf([&] { io::AtomicFile{path}; })); };
    QVERIFY(told(file + "/below").contains("file is not a folder") || told(file + "/below").contains("the folder cannot be used"));
    QVERIFY(told(m_files.path("no/such/folder.h5")).contains("the folder cannot be used"));
    QVERIFY(told(m_files.path("")).contains("is a folder"));
    QVERIFY(told("/dev/null").contains("is not an ordinary file"));
    QVERIFY(told("").contains("no file name given"));
}

/// Root writes everywhere, so root is nobody here for a moment.
void TestPlainFiles::readOnlyFolderIsTold()
{
    constexpr uid_t nobody = 65534;
    char folder[] = "/tmp/polyad-locked-XXXXXX"; // not below m_files: its folder is closed to others
    QVERIFY(mkdtemp(folder));
    const std::string path = std::string(folder) + "/x";
    QFile old(QString::fromStdString(path));
    QVERIFY(old.open(QIODevice::WriteOnly) && old.write("old") == 3);
    old.close();
    QCOMPARE(chmod(path.c_str(), 0444), 0);
    QCOMPARE(chmod(folder, 0555), 0);
    const bool root = geteuid() == 0;
    if (root)
        QCOMPARE(seteuid(nobody), 0);
    const std::string fresh = sentenceOf([&] { io::AtomicFile{path + "y"}; }), over = sentenceOf([&] { io::AtomicFile{path}; });
    if (root)
        QCOMPARE(seteuid(0), 0);
    QCOMPARE(fresh, path + "y: cannot be written (found Permission denied). Choose a folder you may write to.");
    QCOMPARE(over, path + ": cannot be overwritten (found Permission denied). Choose another name or make the file writable.");
    QCOMPARE(contentOf(path), QByteArray("old"));
    QCOMPARE(chmod(folder, 0755), 0);
    QVERIFY(QDir(QString::fromLatin1(folder)).removeRecursively());
}

/// Where the system answers as if the folder were gone.
void TestPlainFiles::aFolderThatTakesNoFilesIsTold()
{
    const std::string told = sentenceOf([] { io::AtomicFile file("/proc/x"); });
    QVERIFY2(told.ends_with("This folder takes no new files; choose another one."), told.c_str());
}

void TestPlainFiles::aVanishedFolderIsTold()
{
    QFETCH(const Unfinished, unfinished);
    const std::string folder = m_files.path("vanishing");
    QCOMPARE(mkdir(folder.c_str(), 0755), 0);
    const std::string told = sentenceOf([&] {
        io::AtomicFile file(folder + "/x", unfinished);
        file.write("new");
        if (!QDir(QString::fromStdString(folder)).removeRecursively())
            qFatal("the folder stays");
        file.commit();
    });
    QVERIFY2(told.starts_with(folder + "/x: ") && told.ends_with("The folder was removed or renamed meanwhile; choose another one."),
             told.c_str());
    QVERIFY(access(folder.c_str(), F_OK) != 0);
}

/// /dev/full answers every write with "no space left".
void TestPlainFiles::aFullDiskLeavesTheOldFile()
{
    if (access("/dev/full", W_OK) != 0)
        QSKIP("there is no /dev/full");
    QFETCH(const Unfinished, unfinished);
    const std::string path = m_files.write("precious.txt", "old");
    const QString told = QString::fromStdString(sentenceOf([&] {
        io::AtomicFile file(path, unfinished);
        const int full = open("/dev/full", O_WRONLY);
        // Whoever holds the part's descriptor now finds the disk full.
        struct stat part { };
        stat(file.partPath().c_str(), &part);
        for (int descriptor = 3; descriptor < 64; ++descriptor) {
            struct stat candidate { };
            if (fstat(descriptor, &candidate) == 0 && part.st_ino == candidate.st_ino && part.st_dev == candidate.st_dev)
                dup2(full, descriptor);
        }
        close(full);
        file.write("new");
        file.commit();
    }));
    QCOMPARE(
        told,
        QString::fromStdString(path)
            + ": there is no space left on its disk. Free some space or choose another folder; an older file of this name is untouched.");
    QCOMPARE(contentOf(path), QByteArray("old"));
    QVERIFY2(leftBehind().isEmpty(), qPrintable(leftBehind().join(' ')));
}

void TestPlainFiles::aDiskThatFillsUpLeavesTheOldFile_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"t.tns", "t.tns.gz", "t.h5", "m.h5"})
        QTest::newRow(name) << name;
}

/// A real one of 1 MiB; what is written needs more.
void TestPlainFiles::aDiskThatFillsUpLeavesTheOldFile()
{
    QFETCH(const QString, name);
    const test::SmallDisk disk;
    if (!disk)
        QSKIP("mounting a small file system needs root");
    const std::string path = (disk.folder() + '/' + name).toStdString();
    QFile old(QString::fromStdString(path));
    QVERIFY(old.open(QIODevice::WriteOnly) && old.write("old") == 3);
    old.close();
    const auto openFiles = [] { return QDir("/proc/self/fd").entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot).size(); };
    const auto before = openFiles();
    const std::string told = sentenceOf([&] {
        kernels::Progress progress;
        if (name.startsWith('t')) {
            io::writeTensor(path, test::randomTensor({300, 200, 100}, 400000, 5, true), {}, progress);
        } else {
            io::ModelFile file;
            file.model = test::randomModel(kernels::ModelKind::Cp, {30000, 20, 10}, 16, 16, 3, true);
            io::writeModel(path, file, &progress);
        }
    });
    QCOMPARE(
        QString::fromStdString(told),
        QString::fromStdString(path)
            + ": there is no space left on its disk. Free some space or choose another folder; an older file of this name is untouched.");
    QCOMPARE(contentOf(path), QByteArray("old"));
    const QStringList left = QDir(disk.folder()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    QCOMPARE(left, QStringList{name});
    QCOMPARE(openFiles(), before); // else the space would be lost until the program ends
}

void TestPlainFiles::linksAndPermissionsAreKept()
{
    QFETCH(const Unfinished, unfinished);
    const std::string path = m_files.write("real.txt", "old"), link = m_files.path("link.txt");
    unlink(link.c_str());
    QCOMPARE(chmod(path.c_str(), 0640), 0);
    QCOMPARE(symlink("real.txt", link.c_str()), 0);
    io::AtomicFile file(link, unfinished);
    file.write("new");
    struct stat info { };
    QCOMPARE(stat(file.partPath().c_str(), &info), 0);
    QCOMPARE(info.st_mode & 0077u, 0u); // nobody else looks into it before it has the old file's permissions
    file.commit();
    QCOMPARE(contentOf(path), QByteArray("new"));
    QCOMPARE(lstat(link.c_str(), &info), 0);
    QVERIFY(S_ISLNK(info.st_mode));
    QCOMPARE(stat(path.c_str(), &info), 0);
    QCOMPARE(info.st_mode & 07777u, 0640u);
}

void TestPlainFiles::linksToNothingAreFollowed()
{
    const std::string link = m_files.path("dangling.txt"), loop = m_files.path("loop.txt");
    QCOMPARE(symlink("not-yet.txt", link.c_str()), 0);
    QCOMPARE(symlink("loop.txt", loop.c_str()), 0);
    io::AtomicFile file(link);
    file.write("new");
    file.commit();
    QCOMPARE(contentOf(m_files.path("not-yet.txt")), QByteArray("new"));
    struct stat info { };
    QVERIFY(lstat(link.c_str(), &info) == 0 && S_ISLNK(info.st_mode));
    const std::string told = sentenceOf([&] { io::AtomicFile{loop}; });
    QVERIFY2(told.find("this link cannot be followed") != std::string::npos, told.c_str());
}

void TestPlainFiles::newFilesHaveTheUsualPermissions()
{
    const mode_t old = umask(027);
    {
        io::AtomicFile file(m_files.path("usual.txt"));
        file.commit();
    }
    umask(old);
    struct stat info { };
    QCOMPARE(stat(m_files.path("usual.txt").c_str(), &info), 0);
    QCOMPARE(info.st_mode & 07777u, 0640u);
}

void TestPlainFiles::sha256MatchesTheStandard_data()
{
    // FIPS 180-4 examples and NIST's long message.
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QString>("sum");
    QTest::newRow("empty") << QByteArray() << "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    QTest::newRow("abc") << QByteArray("abc") << "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    QTest::newRow("56 bytes") << QByteArray("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                              << "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
    QTest::newRow("a million a") << QByteArray(1000000, 'a') << "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
}

void TestPlainFiles::sha256MatchesTheStandard()
{
    QFETCH(const QByteArray, message);
    QFETCH(const QString, sum);
    for (const int piece : {1000000, 1, 63, 64, 65}) {
        if (message.size() > 1000 && piece == 1)
            continue;
        io::Sha256 sha;
        for (int begin = 0; begin < message.size(); begin += piece)
            sha.add(message.mid(begin, piece).toStdString());
        QCOMPARE(QString::fromStdString(sha.hex()), sum);
    }
}

void TestPlainFiles::sha256OfAFileEqualsThatOfItsBytes()
{
    QByteArray bytes;
    for (int i = 0; i < 3000000; ++i)
        bytes += char(i * 7 + i / 1000);
    kernels::Progress progress;
    io::Sha256 sha;
    sha.add({bytes.constData(), std::size_t(bytes.size())});
    QCOMPARE(io::sha256OfFile(m_files.write("sum", bytes), progress), sha.hex());
    QCOMPARE(progress.done(), quint64(bytes.size()));
}

void TestPlainFiles::aFileThatChangesIsNotBelieved_data()
{
    QTest::addColumn<int>("bytes");
    QTest::newRow("cut short") << (1 << 20);
    QTest::newRow("grown") << (5 << 20);
    QTest::newRow("written over") << (4 << 20);
}

/// Fewer entries than the file had would look like a smaller tensor.
void TestPlainFiles::aFileThatChangesIsNotBelieved()
{
    QFETCH(const int, bytes);
    const std::string path = m_files.write("changing.tns", QByteArray(4 << 20, '\n'));
    const timespec longAgo[] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    QCOMPARE(utimensat(AT_FDCWD, path.c_str(), longAgo, 0), 0);
    std::vector<char> some(2 << 20);
    {
        io::InputStream whole(path);
        while (whole.read(some.data(), some.size()) == some.size()) { }
    }
    io::InputStream stream(path);
    QCOMPARE(stream.read(some.data(), some.size()), some.size());
    QCOMPARE(truncate(path.c_str(), bytes), 0);
    const std::string sentence = sentenceOf([&] {
        while (stream.read(some.data(), some.size()) == some.size()) { }
    });
    QCOMPARE(sentence, std::string("changing.tns: changed while it was read. Open it again when nobody writes to it."));
}

QTEST_GUILESS_MAIN(TestPlainFiles)
#include "tst_plain_files.moc"
