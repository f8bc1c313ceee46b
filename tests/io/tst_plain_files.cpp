// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/atomic_file.h"
#include "io/error.h"
#include "io/metrics_csv.h"
#include "io/sha256.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

using test::contentOf;
using test::sentenceOf;

/// Files that are complete or absent, checksums and CSV.
class TestPlainFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void committedFileIsThere();
    void withoutCommitTheOldFileStays();
    void targetsThatCannotBeWrittenAreTold();
    void readOnlyFolderIsTold();
    void fullDiskLeavesTheOldFile();
    void linksAndPermissionsAreKept();
    void sha256MatchesTheStandard_data();
    void sha256MatchesTheStandard();
    void sha256OfAFileEqualsThatOfItsBytes();
    void metricsCsvIsExact();
    void metricsCsvNumbersReadBackTheSame();

private:
    test::TemporaryFiles m_files;
};

void TestPlainFiles::committedFileIsThere()
{
    const std::string path = m_files.path("new.txt");
    {
        io::AtomicFile file(path);
        QCOMPARE(file.partPath(), path + ".part");
        file.write("one ");
        file.write("two");
        QVERIFY(access(path.c_str(), F_OK) != 0);
        file.commit();
    }
    QCOMPARE(contentOf(path), QByteArray("one two"));
    QVERIFY(access((path + ".part").c_str(), F_OK) != 0);
}

void TestPlainFiles::withoutCommitTheOldFileStays()
{
    const std::string path = m_files.write("old.txt", "old");
    {
        io::AtomicFile file(path);
        file.write("new");
    }
    QCOMPARE(contentOf(path), QByteArray("old"));
    QVERIFY(access((path + ".part").c_str(), F_OK) != 0);
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

void TestPlainFiles::readOnlyFolderIsTold()
{
    if (geteuid() == 0)
        QSKIP("root may write everywhere");
    const std::string folder = m_files.path("locked");
    QCOMPARE(mkdir(folder.c_str(), 0500), 0);
    const QString told = QString::fromStdString(sentenceOf([&] { io::AtomicFile{folder + "/x"}; }));
    QVERIFY2(told.contains("Choose a folder you may write to."), qPrintable(told));
}

/// /dev/full answers every write with "no space left".
void TestPlainFiles::fullDiskLeavesTheOldFile()
{
    if (access("/dev/full", W_OK) != 0)
        QSKIP("there is no /dev/full");
    const std::string path = m_files.write("precious.txt", "old");
    const QString told = QString::fromStdString(sentenceOf([&] {
        io::AtomicFile file(path);
        const int full = open("/dev/full", O_WRONLY);
        // Whoever holds the part's descriptor now finds the disk full.
        for (int descriptor = 3; descriptor < 64; ++descriptor) {
            struct stat part {
            }, candidate{};
            if (stat(file.partPath().c_str(), &part) == 0 && fstat(descriptor, &candidate) == 0 && part.st_ino == candidate.st_ino
                && part.st_dev == candidate.st_dev)
                dup2(full, descriptor);
        }
        close(full);
        file.write("new");
        file.commit();
    }));
    QVERIFY2(told.contains("No space left on device") && told.contains("Free some space"), qPrintable(told));
    QCOMPARE(contentOf(path), QByteArray("old"));
}

void TestPlainFiles::linksAndPermissionsAreKept()
{
    const std::string path = m_files.write("real.txt", "old"), link = m_files.path("link.txt");
    QCOMPARE(chmod(path.c_str(), 0640), 0);
    QCOMPARE(symlink(path.c_str(), link.c_str()), 0);
    io::AtomicFile file(link);
    file.write("new");
    file.commit();
    QCOMPARE(contentOf(path), QByteArray("new"));
    struct stat info { };
    QCOMPARE(lstat(link.c_str(), &info), 0);
    QVERIFY(S_ISLNK(info.st_mode));
    QCOMPARE(stat(path.c_str(), &info), 0);
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

void TestPlainFiles::metricsCsvIsExact()
{
    std::vector<kernels::IterationRecord> history(2);
    history[0].iteration = 1;
    history[0].elapsed = 0.5;
    history[0].nonzeros = 100;
    history[0].trainRmse = 1.25;
    history[1].iteration = 2;
    history[1].divergence = std::numeric_limits<double>::infinity();
    const std::string header = "iteration,elapsed_s,seconds_factor,seconds_core,seconds_evaluate,seconds_convert,nonzeros,train_rmse,test_"
                               "rmse,train_mae,test_mae,fit,"
                               "objective_value,divergence_value,learning_rate_a,learning_rate_b\n";
    const std::string first = "1,0.5,0,0,0,0,100,1.25,,,,,,,,\n", second = "2,0,0,0,0,0,0,,,,,,,inf,,\n";
    QCOMPARE(io::metricsCsv({{"a", &history}}), header + first + second);
    QCOMPARE(io::metricsCsv({{"a", &history}, {"b, \"quoted\"", &history}}),
             "run," + header + "a," + first + "a," + second + "\"b, \"\"quoted\"\"\"," + first + "\"b, \"\"quoted\"\"\"," + second);
    io::writeMetricsCsv(m_files.path("m.csv"), {{"a", &history}});
    QCOMPARE(contentOf(m_files.path("m.csv")).toStdString(), header + first + second);
}

void TestPlainFiles::metricsCsvNumbersReadBackTheSame()
{
    std::vector<kernels::IterationRecord> history(1);
    history[0].testRmse = 0.1 + 0.2;
    history[0].elapsed = 1.0 / 3;
    const QStringList cells = QString::fromStdString(io::metricsCsv({{"", &history}})).split('\n')[1].split(',');
    QCOMPARE(cells[1].toDouble(), 1.0 / 3);
    QCOMPARE(cells[8].toDouble(), 0.1 + 0.2);
}

QTEST_GUILESS_MAIN(TestPlainFiles)
#include "tst_plain_files.moc"
