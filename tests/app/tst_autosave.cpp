// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/autosave.h"
#include "io/session_file.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace app;

namespace {

constexpr int patience = 60000; // ms
constexpr double soon = 0.05; // s

kernels::RunConfig shortRun(std::uint64_t iterations = 3)
{
    kernels::RunConfig config;
    config.algorithm = "cp-als";
    config.ranks = {2};
    config.threads = 1;
    config.stopping.iterations = iterations;
    config.stopping.tolerance = 0;
    return config;
}

} // namespace

/// What has ended is in the file soon; what is left of a process that is gone is found by the next.
class TestAutosave : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath(QStringLiteral("session.polyad"));
        m_session = std::make_unique<Session>();
        kernels::SyntheticSpec spec;
        spec.dims = {10, 9, 8};
        spec.entries = 200;
        spec.rank = spec.coreRank = 2;
        m_session->generate(spec, QStringLiteral("planted"));
        QTRY_COMPARE_WITH_TIMEOUT(m_session->tensors().size(), std::size_t{1}, patience);
    }
    void cleanup() { m_session.reset(); }

    void whatHasEndedIsKept()
    {
        Autosave autosave(
            *m_session, m_file, [] { return QStringLiteral("{}"); }, soon);
        QTest::qWait(200);
        QVERIFY(!QFile::exists(m_file)); // nothing has
        run(3);
        QTRY_VERIFY_WITH_TIMEOUT(runsInFile() == 1, patience);
        run(3)->setName(QStringLiteral("second"));
        QTRY_VERIFY_WITH_TIMEOUT(runsInFile() == 2, patience);
        QTRY_COMPARE_WITH_TIMEOUT(io::readSession(m_file.toStdString()).runs[1].name, std::string("second"), patience);
        m_session->removeRun(m_session->runs().front());
        QTRY_VERIFY_WITH_TIMEOUT(runsInFile() == 1, patience);
    }

    void runsThatAreGoingAreNotInIt()
    {
        Autosave autosave(
            *m_session, m_file, [] { return QString(); }, soon);
        run(3);
        Run* const going = m_session->start(shortRun(1'000'000'000), m_session->tensors().front());
        QTRY_VERIFY_WITH_TIMEOUT(!going->history().empty(), patience);
        autosave.finish();
        QCOMPARE(runsInFile(), 1);
        going->stop();
    }

    void anEmptiedSessionLeavesNoFile()
    {
        Autosave autosave(
            *m_session, m_file, [] { return QString(); }, soon);
        run(3);
        autosave.finish();
        QVERIFY(QFile::exists(m_file));
        m_session->closeAll();
        autosave.finish();
        QVERIFY(!QFile::exists(m_file));
    }

    void aFailureIsToldOnce()
    {
        Autosave autosave(
            *m_session, m_folder->filePath(QStringLiteral("no/session.polyad")), [] { return QString(); }, soon);
        const QSignalSpy failed(&autosave, &Autosave::failed);
        for (int i = 0; i < 3; ++i) {
            run(2);
            autosave.finish();
        }
        QCOMPARE(failed.count(), 1);
        QVERIFY(QDir().mkpath(m_folder->filePath(QStringLiteral("no")))); // and tried again by itself
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_folder->filePath(QStringLiteral("no/session.polyad"))), patience);
    }

    void whoDoesNotWaitIsToldHowItWent()
    {
        Autosave good(
            *m_session, m_file, [] { return QString(); }, 3600);
        Autosave bad(
            *m_session, m_folder->filePath(QStringLiteral("no/session.polyad")), [] { return QString(); }, 3600);
        const QSignalSpy well(&good, &Autosave::ended), ill(&bad, &Autosave::ended);
        QVERIFY(!good.isPending());
        run(2);
        QVERIFY(good.isPending() && bad.isPending());
        good.writeNow();
        bad.writeNow();
        QTRY_COMPARE_WITH_TIMEOUT(well.count() + ill.count(), 2, patience);
        QCOMPARE(well[0][0].toString(), QString());
        QVERIFY(ill[0][0].toString().contains(QStringLiteral("session.polyad")));
        QVERIFY(!good.isPending() && bad.isPending());
        QCOMPARE(runsInFile(), 1);
    }

    void theNextProcessIsToldOfIt()
    {
        const QString root = m_folder->filePath(QStringLiteral("kept"));
        QString file;
        {
            Session gone; // its lock goes with it, the file stays
            gone.keepRunsIn(root);
            file = gone.recoveryFile();
            QVERIFY(!file.isEmpty());
            run(3);
            Autosave autosave(
                *m_session, file, [] { return QString(); }, soon);
            m_session->runs().front()->setName(QStringLiteral("kept"));
            autosave.finish();
        }
        QVERIFY(QFile::exists(file));
        Session next;
        const QSignalSpy told(&next, &Session::abandonedSessionFound);
        next.keepRunsIn(root);
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, patience);
        QCOMPARE(told[0][0].toString(), file);
        next.openSession(file);
        QTRY_COMPARE_WITH_TIMEOUT(next.runs().size(), std::size_t{1}, patience);
        QCOMPARE(next.runs().front()->name(), QStringLiteral("kept"));
    }

private:
    Run* run(std::uint64_t iterations)
    {
        Run* const run = m_session->start(shortRun(iterations), m_session->tensors().front());
        [&] { QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience); }();
        return run;
    }

    int runsInFile() const { return QFile::exists(m_file) ? static_cast<int>(io::readSession(m_file.toStdString()).runs.size()) : 0; }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
    std::unique_ptr<Session> m_session;
};

QTEST_GUILESS_MAIN(TestAutosave)
#include "tst_autosave.moc"
