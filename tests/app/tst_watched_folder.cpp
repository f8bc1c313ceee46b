// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/folder_watch.h"
#include "app/run_job.h"
#include "app/watched_folder.h"
#include "io/table/recipe.h"
#include "kernels/base/error.h"
#include "kernels/models/model.h"
#include "support/arrivals.h"
#include "support/runs.h"

#include <QSet>
#include <QSignalSpy>
#include <QTest>

#include <array>
#include <cerrno>
#include <cmath>
#include <memory>
#include <tuple>

#include <fcntl.h>
#include <unistd.h>

using namespace app;
using namespace std::chrono_literals;

namespace {
constexpr int patience = 60000; // ms; what is waited for takes a second or two on a machine with time

/// Of a file that is open for writing: a lease is refused for that reason.
bool tellsWriters(const QString& path)
{
    const int file = open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC);
    const bool tells = file >= 0 && fcntl(file, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
    close(file);
    return tells;
}
}

/// A folder whose files are learnt as they come: what is ready when, and a session that learns it.
class TestWatchedFolder : public QObject {
    Q_OBJECT

    std::unique_ptr<test::Arrivals> m_arrivals;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Session> m_session;
    WatchedFolder::Clock::time_point m_now;

    QString at(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    bool write(const char* name, const QByteArray& lines = "1 1 1 2\n") const { return test::writeLines(at(name), lines); }
    bool append(const char* name, const QByteArray& lines) const { return test::writeLines(at(name), lines, QIODevice::Append); }

    /// What is ready after some time more, by name.
    QStringList ready(WatchedFolder& folder, std::chrono::milliseconds after)
    {
        m_now += after;
        QStringList names;
        for (const std::string& path : folder.look(m_now).ready)
            names += QString::fromStdString(path).mid(m_folder->path().size() + 1);
        return names;
    }
    std::string path() const { return m_folder->path().toStdString(); }

    Run* finishedRun(std::uint64_t iterations = 10, const io::ReadOptions& options = {}, const QString& testFile = {},
                     const QString& file = {})
    {
        QSignalSpy opened(m_session.get(), &Session::loadEnded);
        m_session->openFile(file.isEmpty() ? m_arrivals->firstFile() : file, options);
        if (!opened.wait(patience))
            return nullptr;
        kernels::RunConfig config;
        config.algorithm = "ntf";
        config.parameters["divergence"] = std::string("kl");
        config.ranks = {4};
        config.threads = 1;
        if (!testFile.isEmpty())
            config.split = {kernels::SplitKind::File, 0, testFile.toStdString()};
        test::fixIterations(config, iterations);
        Run* const run = m_session->start(config, m_session->tensors().front());
        return QTest::qWaitFor([run] { return !run->isActive(); }, patience) && run->state() == RunState::Finished ? run : nullptr;
    }
    static bool comesTo(const FolderWatch& watch, int added, int left = 0)
    {
        return QTest::qWaitFor(
            [&] { return watch.state().added == added && watch.state().left.size() == left && watch.state().adding.isEmpty(); }, patience);
    }
    /// Lines as a table with labels; reversed: its columns come the other way round, beside one that nobody asked for.
    static QByteArray tableOf(const QByteArray& lines, bool reversed)
    {
        QByteArray table(reversed ? "note,count,place,item,user\n" : "user,item,place,count\n");
        for (const QByteArray& line : lines.trimmed().split('\n')) {
            const QList<QByteArray> parts = line.split(' ');
            const QByteArray user = "u" + parts[0], item = "i" + parts[1], place = "p" + parts[2];
            table += reversed ? "x," + parts[3] + "," + place + "," + item + "," + user + "\n"
                              : user + "," + item + "," + place + "," + parts[3] + "\n";
        }
        return table;
    }
    static std::vector<io::UpdateRecord> updatesOf(const Run& run) { return describeRun(run.record()).updates; }

private Q_SLOTS:
    void initTestCase() { m_arrivals = std::make_unique<test::Arrivals>(4); }
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_session = std::make_unique<Session>();
        m_now = {};
    }
    void cleanup() { m_session.reset(); }

    void aFileIsToldOnceWhenItHasStoppedGrowing()
    {
        WatchedFolder folder(path());
        QCOMPARE(ready(folder, 0ms), QStringList());
        QVERIFY(write("a.tns"));
        QCOMPARE(ready(folder, 300ms), QStringList());
        QCOMPARE(ready(folder, 900ms), QStringList());
        QVERIFY(append("a.tns", "1 2 1 3\n"));
        QCOMPARE(ready(folder, 900ms), QStringList()); // it grew
        QCOMPARE(ready(folder, 900ms), QStringList());
        QCOMPARE(ready(folder, 200ms), QStringList{"a.tns"});
        QCOMPARE(ready(folder, 2000ms), QStringList());
        QVERIFY(append("a.tns", "2 2 1 3\n")); // it has changed since: told once more
        QCOMPARE(ready(folder, 100ms), QStringList());
        QCOMPARE(ready(folder, 1100ms), QStringList{"a.tns"});
        QCOMPARE(ready(folder, 1100ms), QStringList());
    }

    void aFileThatIsOpenForWritingIsWaitedFor()
    {
        WatchedFolder folder(path());
        QFile slow(at("slow.tns"));
        QVERIFY(slow.open(QIODevice::WriteOnly) && slow.write("1 1 1 2\n") > 0 && slow.flush());
        if (!tellsWriters(at("slow.tns")))
            QSKIP("this file system does not tell who writes");
        QVERIFY(write("other.tns"));
        QCOMPARE(ready(folder, 0ms), QStringList());
        QCOMPARE(ready(folder, 5000ms), QStringList{"other.tns"}); // a writer that pauses
        QVERIFY(slow.write("1 2 1 3\n") > 0 && slow.flush());
        QCOMPARE(ready(folder, 100ms), QStringList());
        QVERIFY(folder.look(m_now + 19s).open.empty());
        QCOMPARE(folder.look(m_now + 20s).open, std::vector<std::string>{"slow.tns"});
        QVERIFY(folder.look(m_now + 30s).open.empty()); // once
        slow.close();
        QCOMPARE(ready(folder, 30s), QStringList{"slow.tns"});
    }

    /// A program may forget its file, and a share may say of every file that it is open.
    void noFileIsWaitedForForEver()
    {
        WatchedFolder folder(path());
        QFile slow(at("slow.tns"));
        QVERIFY(slow.open(QIODevice::WriteOnly) && slow.write("1 1 1 2\n") > 0 && slow.flush());
        if (!tellsWriters(at("slow.tns")))
            QSKIP("this file system does not tell who writes");
        QCOMPARE(ready(folder, 0ms), QStringList());
        QCOMPARE(ready(folder, 9min), QStringList());
        QVERIFY(slow.write("1 2 1 3\n") > 0 && slow.flush()); // it was not forgotten
        QCOMPARE(ready(folder, 2min), QStringList());
        QCOMPARE(ready(folder, 9min), QStringList());
        QCOMPARE(ready(folder, 1min), QStringList{"slow.tns"});
        QCOMPARE(ready(folder, 10min), QStringList());
    }

    /// A lease that a share refuses says nothing of a writer.
    void sharesAreNotAskedWhoWrites()
    {
        for (const std::uint32_t share : {0x6969U, 0xFE534D42U, 0xFF534D42U, 0x65735546U}) // NFS, SMB2, CIFS, FUSE
            QVERIFY(!leasesTellWriters(share));
        for (const std::uint32_t local : {0xEF53U, 0x01021994U, 0x58465342U, 0x9123683EU, 0x794C7630U}) // ext4, tmpfs, xfs, btrfs, overlay
            QVERIFY(leasesTellWriters(local));
    }

    void theOrderIsThatOfComing()
    {
        WatchedFolder folder(path());
        QVERIFY(write("c.tns") && write("b.tns"));
        QCOMPARE(ready(folder, 0ms), QStringList());
        QVERIFY(write("a.tns"));
        QCOMPARE(ready(folder, 500ms), QStringList());
        QCOMPARE(ready(folder, 2000ms), (QStringList{"b.tns", "c.tns", "a.tns"})); // together: by name
        QVERIFY(write("d.tns"));
        QCOMPARE(ready(folder, 100ms), QStringList());
        QVERIFY(write("D2.TNS.GZ"));
        QCOMPARE(ready(folder, 1000ms), QStringList{"d.tns"}); // it does not wait for those that came later
        QCOMPARE(ready(folder, 1000ms), QStringList{"D2.TNS.GZ"});
    }

    void whatIsNoTensorIsPassedOver()
    {
        WatchedFolder folder(path());
        for (const char* name : {".hidden.tns", "a.tns.part", "a.tns.tmp", "a.tns~", "notes.txt", "mode-1-user.map", ".tns"})
            QVERIFY(write(name));
        QVERIFY(write("empty.tns", {}));
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("folder.tns")));
        QVERIFY(QFile::link(at("nowhere"), at("broken.tns")));
        io::ModelFile model;
        model.config.algorithm = "ntf";
        model.model.kind = kernels::ModelKind::Cp;
        model.model.dims = {1, 1};
        model.model.ranks = {1, 1};
        model.model.coreRank = 1;
        model.model.factors = {kernels::Matrix(1, 1, false), kernels::Matrix(1, 1, false)};
        io::writeModel(at("model.h5").toStdString(), model);
        QCOMPARE(ready(folder, 0ms), QStringList());
        QCOMPARE(ready(folder, 2000ms), QStringList());
        QVERIFY(QFile::rename(at("a.tns.part"), at("a.tns"))); // downloaded
        QVERIFY(write("empty.tns"));
        QCOMPARE(ready(folder, 100ms), QStringList());
        QCOMPARE(ready(folder, 1100ms), (QStringList{"empty.tns", "a.tns"}));
    }

    void filesThatAreThereCanBePassedOver()
    {
        QVERIFY(write("old.tns"));
        WatchedFolder told(path()), folder(path(), WatchedFolder::There::PassedOver);
        QCOMPARE(ready(folder, 0ms), QStringList());
        QVERIFY(append("old.tns", "2 2 1 3\n") && write("new.tns"));
        QCOMPARE(ready(folder, 100ms), QStringList());
        QCOMPARE(ready(folder, 1500ms), QStringList{"new.tns"});
        QCOMPARE(ready(told, 0ms), QStringList());
        QCOMPARE(ready(told, 1500ms), (QStringList{"new.tns", "old.tns"}));
    }

    /// A share that goes away and comes back, its mount point an empty folder meanwhile.
    void filesPassedOverStaySoWhereTheyAreGoneForATime()
    {
        QVERIFY(write("old.tns"));
        WatchedFolder folder(path(), WatchedFolder::There::PassedOver);
        QCOMPARE(ready(folder, 0ms), QStringList());
        const QString aside = m_folder->path() + QStringLiteral("-aside");
        QVERIFY(QDir().rename(m_folder->path(), aside) && QDir().mkdir(m_folder->path()));
        QCOMPARE(ready(folder, 5s), QStringList());
        QVERIFY(QDir().rmdir(m_folder->path()) && QDir().rename(aside, m_folder->path()));
        QVERIFY(write("new.tns"));
        QCOMPARE(ready(folder, 5s), QStringList());
        QCOMPARE(ready(folder, 5s), QStringList{"new.tns"});
    }

    /// Beside what was learnt: what the run was made from and is tested by.
    void theRunsOwnFilesAreNotLearnt()
    {
        io::ModelFile file;
        file.input.fileName = "first.tns";
        file.config.split.kind = kernels::SplitKind::File;
        file.config.split.testFile = "/data/held-out.tns";
        const auto why = [&file](const char* name) {
            Batch batch;
            batch.fileName = name;
            batch.sha256 = "1";
            const auto reason = whyNotLearnt(file, batch);
            return reason && reason->isWorthTelling ? QString::fromStdString(reason->sentence) : QString();
        };
        QVERIFY2(why("first.tns").startsWith("first.tns: is another file than the one of this name"), qPrintable(why("first.tns")));
        QVERIFY2(why("held-out.tns").contains("tested by"), qPrintable(why("held-out.tns")));
        QCOMPARE(why("second.tns"), QString());
    }

    void aFolderThatVanishesIsWaitedFor()
    {
        QVERIFY(write("a.tns"));
        WatchedFolder folder(path());
        QCOMPARE(ready(folder, 0ms), QStringList());
        QCOMPARE(ready(folder, 1500ms), QStringList{"a.tns"});
        const QString aside = m_folder->path() + QStringLiteral("-aside");
        QVERIFY(QDir().rename(m_folder->path(), aside));
        m_now += 100ms;
        QVERIFY(!folder.look(m_now).trouble.empty());
        QVERIFY(QDir().rename(aside, m_folder->path()));
        QVERIFY(write("b.tns"));
        QVERIFY(folder.look(m_now).trouble.empty());
        QCOMPARE(ready(folder, 1500ms), QStringList{"b.tns"}); // a.tns was told
    }

    /// The checksum is the file's: what was read from one group of it is no other's.
    void groupsOfOneFileAreOtherEntries()
    {
        io::ModelFile model;
        model.input.fileName = "data.h5:/base";
        model.input.sha256 = "1";
        Batch batch;
        batch.sha256 = "1";
        batch.fileName = "data.h5:/base";
        QVERIFY(repetition(model, batch));
        batch.fileName = "copy.h5:/base";
        QVERIFY(repetition(model, batch));
        batch.fileName = "data.h5:/day1";
        QVERIFY(!repetition(model, batch));
        io::UpdateRecord update;
        update.fileName = "data.h5:/day1";
        update.sha256 = "1";
        model.updates = {update};
        QVERIFY(repetition(model, batch));
        batch.fileName = "data.h5:/day2";
        QVERIFY(!repetition(model, batch));
        // The file has been written on: the groups that are known by name and number are learnt all the same.
        batch.sha256 = "2";
        for (const auto& [name, entries, known] : {std::tuple{"data.h5:/base", kernels::Count{5}, true},
                                                   {"data.h5:/day1", kernels::Count{7}, true},
                                                   {"data.h5:/day1", kernels::Count{8}, false},
                                                   {"data.h5:/day2", kernels::Count{7}, false},
                                                   {"monday.tns", kernels::Count{7}, false}}) {
            model.input.entries = 5;
            model.updates.front().entries = 7;
            batch.fileName = name;
            batch.entries = kernels::SparseTensor({2, 2}, entries, false);
            QCOMPARE(repetition(model, batch).has_value(), known);
        }
    }

    /// Equal coordinates are one value where the run's own were, warnings are told, and the session's file keeps how.
    void aBatchIsReadAsTheRunsTensorWas()
    {
        io::ReadOptions options;
        options.duplicates = kernels::Duplicates::Mean;
        Run* const run = finishedRun(10, options);
        QVERIFY(run);
        QVERIFY(write("twice.tns", "1 1 1 2\n1 1 1 4\n2 2 2 3\n") && write("later.tns", "3 1 1 2\n3 1 1 4\n2 2 3 3\n"));
        const auto learn = [this](Run* learner, const char* name) {
            QSignalSpy learnt(m_session.get(), &Session::runLearnt);
            m_session->addData(learner, {at(name)});
            return learnt.wait(patience) ? m_session->runs().back() : nullptr;
        };
        Run* const result = learn(run, "twice.tns");
        QVERIFY(result);
        QCOMPARE(updatesOf(*result).back().entries, kernels::Count{2});
        QCOMPARE(result->tensor()->readOptions.duplicates, kernels::Duplicates::Mean);
        QVERIFY(std::isfinite(result->history().back().testRmse)); // on the run's own test entries
        const io::UpdateRecord* const update = result->updateAt(result->bestIteration());
        QVERIFY(update && !run->updateAt(run->bestIteration()));
        QVERIFY(update->rmseAfter > 0 && update->maeAfter > 0 && std::isnan(result->history().back().trainRmse));

        QSignalSpy saved(m_session.get(), &Session::exportFinished), opened(m_session.get(), &Session::sessionOpened);
        m_session->save(at("study.polyad"), {});
        QVERIFY(saved.wait(patience));
        m_session->openSession(at("study.polyad"));
        QVERIFY(opened.wait(patience));
        Run* const brought = m_session->runs().back();
        QVERIFY(brought->tensor()->isLearnt);
        Run* const later = learn(brought, "later.tns");
        QVERIFY(later);
        QCOMPARE(updatesOf(*later).back().entries, kernels::Count{2});
        QCOMPARE(updatesOf(*later).size(), std::size_t{2});
    }

    void aTestFileThatIsGoneHindersNothing()
    {
        QVERIFY(write("held-out.tns", "1 1 1 2\n2 2 2 3\n") && write("a.tns", m_arrivals->batch(0)));
        Run* const run = finishedRun(10, {}, at("held-out.tns"));
        QVERIFY(run && std::isfinite(run->history().back().testRmse));
        QVERIFY(QFile::remove(at("held-out.tns")));
        QSignalSpy learnt(m_session.get(), &Session::runLearnt), told(m_session.get(), &Session::logMessage);
        m_session->addData(run, {at("a.tns")});
        QVERIFY(learnt.wait(patience));
        QVERIFY(std::isnan(m_session->runs().back()->history().back().testRmse));
        const auto isTold = [&told] {
            return std::any_of(told.begin(), told.end(),
                               [](const QList<QVariant>& each) { return each[1].toString().contains("held-out.tns"); });
        };
        QVERIFY(isTold());
        told.clear();
        m_session->passOver(m_session->runs().back(), {at("a.tns")});
        QVERIFY(learnt.wait(patience));
        QVERIFY(isTold());
        QCOMPARE(updatesOf(*m_session->runs().back()).size(), std::size_t{2});
    }

    /// As a part that is held out does: where no pass tells its entries better the rows stay as they were, which is told.
    void aTestFileJudgesPasses()
    {
        QVERIFY(write("held-out.tns", "1 1 1 2\n2 2 2 3\n") && write("a.tns", m_arrivals->batch(0)));
        Run* const run = finishedRun(10, {}, at("held-out.tns"));
        QVERIFY(run);
        QSignalSpy learnt(m_session.get(), &Session::runLearnt);
        m_session->addData(run, {at("a.tns")});
        QVERIFY(learnt.wait(patience));
        Run* const result = m_session->runs().back();
        const kernels::Model before = result->outcome()->result.best;
        QByteArray lines; // what the model says itself, which no other rows say better
        const kernels::Predictor predictor(before);
        for (kernels::Index i = 0; i < 30; ++i) {
            const std::array<kernels::Index, 3> cell{i, (7 * i) % 25, (3 * i) % 15};
            for (const kernels::Index index : cell)
                lines += QByteArray::number(index + 1) + ' ';
            lines += QByteArray::number(predictor(cell), 'g', 17) + '\n';
        }
        QVERIFY(write("held-out.tns", lines));
        learnt.clear();
        m_session->passOver(result, {at("a.tns")});
        QVERIFY(learnt.wait(patience));
        QCOMPARE(updatesOf(*result).back().passes, std::uint64_t{0});
        QCOMPARE(updatesOf(*result).back().sumsAnew, std::uint64_t{1});
        QVERIFY(result->outcome()->result.best.factors[0].data == before.factors[0].data);
        QVERIFY(result->history().back().testRmse < 1e-5);
        const QString told = learnt.front()[2].toString();
        QVERIFY2(told.startsWith(QStringLiteral("No pass over all entries told the test entries better")), qPrintable(told));
    }

    /// A session that is replaced takes what was being added to its runs with it.
    void whatIsAddedGoesWithItsRun()
    {
        Run* const run = finishedRun();
        QVERIFY(run);
        QSignalSpy ended(m_session.get(), &Session::loadEnded);
        QVERIFY(write("a.tns", m_arrivals->batch(0)));
        m_session->addData(run, {at("a.tns")});
        QVERIFY(m_session->isLearning());
        m_session->removeRun(run);
        QVERIFY(ended.wait(patience));
        QVERIFY(!m_session->isLearning());
        QCOMPARE(m_session->runs().size(), std::size_t{0});
    }

    void aRunThatGrowsTakesOneFileAtATime()
    {
        Run* const run = finishedRun();
        QVERIFY(run && run->holdsEnd());
        QVERIFY(write("a.tns", m_arrivals->batch(0)) && write("b.tns", m_arrivals->batch(1)));
        const auto history = run->history().size();
        QSignalSpy ended(m_session.get(), &Session::loadEnded);
        m_session->addData(run, {at("a.tns"), false, true});
        QVERIFY_EXCEPTION_THROWN(m_session->addData(run, {at("b.tns"), false, true}), kernels::Error);
        kernels::StoppingRules rules = run->config().stopping;
        rules.iterations += 5;
        QVERIFY_EXCEPTION_THROWN(m_session->continueRun(run, rules), kernels::Error);
        m_session->setAside(run); // removed, and brought back by Undo
        QVERIFY(ended.wait(patience));
        m_session->putBack(run->id());
        QCOMPARE(run->history().size(), history + 1);
        QCOMPARE(updatesOf(*run).size(), std::size_t{1});
        m_session->addData(run, {at("b.tns"), false, true});
        QVERIFY(ended.wait(patience));
        QCOMPARE(updatesOf(*run).size(), std::size_t{2});
        QVERIFY(!run->isActive() && !run->holdsEnd());
    }

    void aSessionLearnsWhatComes()
    {
        Run* const run = finishedRun();
        QVERIFY(run);
        QVERIFY(write("before.tns", m_arrivals->batch(3)));
        FolderWatch watch(*m_session);
        watch.begin(run, m_folder->path(), WatchedFolder::There::PassedOver);
        QVERIFY(watch.isOn() && watch.state().runId == run->id());
        QTest::qWait(400); // its first look
        QVERIFY(write("b.tns", m_arrivals->batch(1)) && write("a.tns", m_arrivals->batch(0))); // together
        QVERIFY(comesTo(watch, 2));
        QCOMPARE(m_session->runs().size(), std::size_t{2});
        Run* const result = m_session->runs().back();
        QCOMPARE(watch.state().runId, result->id());
        QCOMPARE(watch.state().last, QStringLiteral("b.tns"));
        QVERIFY(watch.state().lastAt.isValid());
        const auto history = run->history().size();
        QCOMPARE(result->history().size(), history + 2);
        QCOMPARE(updatesOf(*result)[0].fileName, std::string("a.tns"));
        QCOMPARE(updatesOf(*result)[1].fileName, std::string("b.tns"));

        // What cannot be taken is told, and the next one is learnt.
        QSignalSpy failed(m_session.get(), &Session::logMessage);
        QVERIFY(write("bad.tns", "1 1 1 2\n1 x 1 2\n"));
        QVERIFY(comesTo(watch, 2, 1));
        QVERIFY(write("copy.tns", m_arrivals->batch(0)));
        QVERIFY(comesTo(watch, 2, 2));
        QVERIFY(write("b.tns", m_arrivals->batch(1) + m_arrivals->batch(2))); // a file that was learnt has grown
        QVERIFY(comesTo(watch, 2, 3));
        QStringList told;
        for (const QList<QVariant>& each : failed)
            if (each[0].toInt() > 0)
                told += each[1].toString();
        QCOMPARE(told.size(), 3);
        QVERIFY2(told[0].contains(QStringLiteral("bad.tns")), qPrintable(told[0]));
        QVERIFY2(told[1].contains(QStringLiteral("copy.tns")) && told[1].contains(QStringLiteral("learnt this file already")),
                 qPrintable(told[1]));
        QVERIFY2(told[2].contains(QStringLiteral("b.tns")) && told[2].contains(QStringLiteral("names of their own")), qPrintable(told[2]));
        QVERIFY(write("bad.tns", m_arrivals->batch(2))); // mended
        QVERIFY(comesTo(watch, 3, 2));
        QCOMPARE(watch.state().left, (QStringList{"copy.tns", "b.tns"}));
        QCOMPARE(m_session->runs().size(), std::size_t{2});
        QCOMPARE(result->history().size(), history + 3);
        QCOMPARE(run->history().size(), history);

        // Watched once more, with all that is there: what it has is not even told.
        watch.end();
        QVERIFY(!watch.isOn());
        failed.clear();
        QVERIFY(QFile::remove(at("b.tns")) && QFile::remove(at("copy.tns")));
        watch.begin(result, m_folder->path(), WatchedFolder::There::Told);
        QVERIFY(comesTo(watch, 1, 0));
        QCOMPARE(watch.state().last, QStringLiteral("before.tns"));
        Run* const both = m_session->runs().back();
        QVERIFY(both != result && updatesOf(*both).size() == 4);
        QCOMPARE(result->history().size(), history + 3); // it began another
    }

    /// A table that comes is read by the recipe of the run's tensor, and its labels keep their indices.
    void tablesAreReadByTheRecipe()
    {
        QFile first(m_arrivals->firstFile());
        QVERIFY(first.open(QIODevice::ReadOnly));
        const QString table = m_arrivals->at(QStringLiteral("first.csv"));
        QVERIFY(test::writeLines(table, tableOf(first.readAll(), false)));
        io::ReadOptions options;
        options.recipe.emplace();
        options.recipe->modes = io::table::parseModes("user,item,place");
        options.recipe->value = "count";
        options.recipe->aggregate = io::table::Aggregate::Sum;
        options.recipe->filters = {io::table::parseFilter("count>0")};
        Run* const run = finishedRun(10, options, {}, table);
        QVERIFY(run);
        FolderWatch watch(*m_session);
        watch.begin(run, m_folder->path(), WatchedFolder::There::PassedOver);
        QTest::qWait(400); // its first look
        QVERIFY(write("a.csv", tableOf(m_arrivals->batch(0), true)));
        QVERIFY(comesTo(watch, 1));
        const Run* const result = m_session->runs().back();
        const std::vector<io::UpdateRecord> updates = updatesOf(*result);
        QCOMPARE(updates.size(), std::size_t{1});
        QCOMPARE(updates[0].fileName, std::string("a.csv"));
        QSet<QByteArray> cells; // of rows that pass the filter
        for (const QByteArray& line : m_arrivals->batch(0).trimmed().split('\n'))
            if (!line.endsWith(" 0"))
                cells.insert(line.left(line.lastIndexOf(' ')));
        QCOMPARE(updates[0].entries, static_cast<kernels::Count>(cells.size()));
        QCOMPARE(result->tensor()->modes()[0].labels.front(), run->tensor()->modes()[0].labels.front());

        QVERIFY(write("other.csv", "who,what,count\na,b,1\n"));
        QVERIFY(comesTo(watch, 1, 1));
        QVERIFY(write("b.csv", tableOf(m_arrivals->batch(1), true)));
        QVERIFY(comesTo(watch, 2, 1));
    }

    void pausesAndEnds()
    {
        Run* const run = finishedRun();
        QVERIFY(run);
        FolderWatch watch(*m_session);
        watch.begin(run, m_folder->path(), WatchedFolder::There::Told);
        watch.setPaused(true);
        QVERIFY(write("a.tns", m_arrivals->batch(0)) && write("b.tns", m_arrivals->batch(1)));
        QTRY_COMPARE_WITH_TIMEOUT(watch.state().waiting, 2, patience);
        QCOMPARE(watch.state().added, 0);
        watch.setPaused(false);
        QVERIFY(comesTo(watch, 2));
        watch.end();
        QVERIFY(!watch.isOn());
        QVERIFY(write("c.tns", m_arrivals->batch(2)));
        QTest::qWait(2000);
        QCOMPARE(updatesOf(*m_session->runs().back()).size(), std::size_t{2});
    }

    void aFolderMayVanishAndComeBack()
    {
        Run* const run = finishedRun();
        QVERIFY(run);
        FolderWatch watch(*m_session);
        watch.begin(run, m_folder->path(), WatchedFolder::There::Told);
        const QString aside = m_folder->path() + QStringLiteral("-aside");
        QVERIFY(QDir().rename(m_folder->path(), aside));
        QTRY_VERIFY_WITH_TIMEOUT(!watch.state().trouble.isEmpty(), patience);
        QVERIFY(QDir().rename(aside, m_folder->path()));
        QVERIFY(write("a.tns", m_arrivals->batch(0)));
        QVERIFY(comesTo(watch, 1));
        QVERIFY(watch.state().trouble.isEmpty());
    }

    void endsWithItsRun()
    {
        Run* const run = finishedRun();
        QVERIFY(run);
        FolderWatch watch(*m_session);
        QSignalSpy ended(&watch, &FolderWatch::ended);
        watch.begin(run, m_folder->path(), WatchedFolder::There::Told);
        QVERIFY(write("a.tns", m_arrivals->batch(0)));
        QVERIFY(comesTo(watch, 1));
        m_session->removeRun(run); // not the one that grows
        QVERIFY(watch.isOn());
        m_session->closeAll();
        QVERIFY(!watch.isOn());
        QCOMPARE(ended.count(), 1);
    }
};

QTEST_GUILESS_MAIN(TestWatchedFolder)
#include "tst_watched_folder.moc"
