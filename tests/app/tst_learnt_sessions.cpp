// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"
#include "app/tensor_reference.h"
#include "io/session_file.h"
#include "support/arrivals.h"
#include "support/runs.h"

#include <QPointer>
#include <QSignalSpy>
#include <QTest>

#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

using namespace app;

namespace {
constexpr int patience = 60000; // ms; what is waited for takes milliseconds on a machine with time
}

/// Runs that have learnt files, in sessions that are closed and opened: they are judged by the same test entries as before.
class TestLearntSessions : public QObject {
    Q_OBJECT

    std::unique_ptr<test::Arrivals> m_arrivals;
    QTemporaryDir m_folder;
    double m_expected = kernels::notMeasured; ///< of the run that has learnt both files, on the test entries of its tensor

    QString at(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

    Run* finishedRun(Session& session, kernels::DeviceKind device = kernels::DeviceKind::Cpu) const
    {
        const QSignalSpy opened(&session, &Session::tensorAdded);
        session.openFile(m_arrivals->firstFile());
        if (!QTest::qWaitFor([&] { return opened.count() == 1; }, patience))
            return nullptr;
        kernels::RunConfig config;
        config.algorithm = "ntf";
        config.parameters["divergence"] = std::string("kl");
        config.ranks = {4};
        config.devices = {kernels::DeviceId{device, 0}};
        test::fixIterations(config, 10);
        Run* const run = session.start(config, session.tensors().front());
        return QTest::qWaitFor([run] { return !run->isActive(); }, patience) && run->state() == RunState::Finished ? run : nullptr;
    }

    Run* learn(Session& session, const Run* run, const char* file) const
    {
        const QSignalSpy learnt(&session, &Session::runLearnt);
        session.addData(run, {at(file)});
        return QTest::qWaitFor([&] { return learnt.count() == 1; }, patience) ? session.runs().back() : nullptr;
    }
    double testRmseWithB(Session& session, const Run* run) const
    {
        const Run* const result = learn(session, run, "b.tns");
        return result ? result->history().back().testRmse : -1;
    }

    static bool saved(Session& session, const QString& to)
    {
        const QSignalSpy good(&session, &Session::exportFinished);
        session.save(to, {});
        return QTest::qWaitFor([&] { return good.count() == 1; }, patience);
    }
    /// With all that can be read of it; its last run.
    static Run* opened(Session& session, const QString& file)
    {
        const QSignalSpy brought(&session, &Session::sessionOpened);
        session.openSession(file);
        return QTest::qWaitFor([&] { return brought.count() == 1 && session.loadJobs().empty(); }, patience) && !session.runs().empty()
            ? session.runs().back()
            : nullptr;
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("POLYAD_CUDA_MODULE", (QCoreApplication::applicationDirPath() + QStringLiteral("/libpolyad_fake_cuda.so")).toLocal8Bit());
        m_arrivals = std::make_unique<test::Arrivals>(2);
        QVERIFY(test::writeLines(at("a.tns"), m_arrivals->batch(0)) && test::writeLines(at("b.tns"), m_arrivals->batch(1)));
        Session session;
        Run* const run = finishedRun(session);
        QVERIFY(run);
        Run* const learnt = learn(session, run, "a.tns");
        QVERIFY(learnt);
        QVERIFY(saved(session, at("study.polyad")));
        session.removeRun(run);
        session.closeTensor(session.tensors().front()->id);
        QVERIFY(saved(session, at("alone.polyad"))); // the run that has learnt is all that knows of the tensor
        m_expected = testRmseWithB(session, learnt);
        QVERIFY(m_expected > 0);
    }

    void aRunIsJudgedAsBefore_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("with its tensor") << at("study.polyad");
        QTest::newRow("its tensor was closed") << at("alone.polyad");
    }
    void aRunIsJudgedAsBefore()
    {
        QFETCH(const QString, file);
        {
            Session session;
            Run* const brought = opened(session, file);
            QVERIFY(brought && brought->tensor()->isLearnt);
            QCOMPARE(session.tensors().size(), std::size_t{1}); // of the tensor it learnt there are no entries to open
            QVERIFY(std::isfinite(brought->history().back().testRmse));
            QCOMPARE(testRmseWithB(session, brought), m_expected);
            session.removeRun(session.runs().back());
            QVERIFY(saved(session, at("again.polyad")));
        }
        Session session; // beside one whose tensors have the ids that the file's had
        QVERIFY(finishedRun(session));
        const QSignalSpy told(&session, &Session::sessionOpened);
        session.openSession(at("again.polyad"), Session::Opening::Adds);
        QTRY_VERIFY_WITH_TIMEOUT(told.count() == 1 && session.loadJobs().empty(), patience);
        QCOMPARE(testRmseWithB(session, session.runs().back()), m_expected);
    }

    /// One that learns while its session is still being read knows the tensor afterwards.
    void whatComesLaterJudgesLater()
    {
        Session session;
        const QSignalSpy told(&session, &Session::sessionOpened), learnt(&session, &Session::runLearnt);
        connect(&session, &Session::sessionOpened, this, [&] { session.addData(session.runs().back(), {at("b.tns")}); });
        session.openSession(at("study.polyad"));
        QTRY_VERIFY_WITH_TIMEOUT(learnt.count() == 1 && session.loadJobs().empty(), patience);
        const OpenTensorPtr& beginning = session.runs().back()->tensor()->madeFrom;
        QVERIFY(beginning && beginning->isHere);
        QCOMPARE(beginning->id, session.tensors().front()->id);
    }

    void aTensorThatIsGoneHindersNothing()
    {
        const QString moved = at("elsewhere.tns");
        QVERIFY(QFile::rename(m_arrivals->firstFile(), moved));
        Session session;
        OpenTensorPtr absent;
        connect(&session, &Session::loadStarted, this,
                [&absent](LoadJob* job) { connect(job, &LoadJob::failed, job, [&absent, job] { absent = job->absent(); }); });
        Run* const brought = opened(session, at("alone.polyad"));
        QVERIFY(brought && absent && absent->name == QStringLiteral("first.tns"));
        QVERIFY(std::isnan(testRmseWithB(session, brought)));
        QVERIFY(saved(session, at("gone.polyad"))); // which still knows
        const QSignalSpy found(&session, &Session::tensorAdded);
        session.bringFrom(absent, moved);
        QTRY_COMPARE_WITH_TIMEOUT(found.count(), 1, patience);
        QCOMPARE(testRmseWithB(session, brought), m_expected);
        QVERIFY(QFile::rename(moved, m_arrivals->firstFile()));
        Session later;
        QVERIFY(opened(later, at("gone.polyad")));
        QCOMPARE(testRmseWithB(later, later.runs().front()), m_expected);
    }

    /// Jobs use what the session has: they end before that goes, however far they are.
    void closingWaitsForWhatIsLearnt()
    {
        for (const int wait : {0, 1, 3, 10}) { // ms
            auto session = std::make_unique<Session>();
            Run* const brought = opened(*session, at("study.polyad"));
            QVERIFY(brought);
            const QPointer<LoadJob> passes = session->passOver(brought, {at("a.tns")});
            const QPointer<LoadJob> adding = session->addData(session->runs().front(), {at("b.tns")});
            const QPointer<LoadJob> cancelled = session->addData(session->runs().front(), {at("a.tns")});
            cancelled->cancel();
            bool ended = false; // when the session is but a QObject
            connect(session.get(), &QObject::destroyed, this, [&] { ended = !passes && !adding && !cancelled; });
            std::this_thread::sleep_for(std::chrono::milliseconds(wait));
            session.reset();
            QVERIFY(ended);
        }
    }
    /// A run that was on a GPU passes over its entries there, or on the CPU where something else has its memory by then.
    void aFullGpuHindersNoPasses()
    {
        for (const char* const free : {"1000000000", "1000"}) {
            Session session;
            Run* const run = finishedRun(session, kernels::DeviceKind::Cuda);
            QVERIFY(run && run->config().devices.front().kind == kernels::DeviceKind::Cuda);
            Run* const learnt = learn(session, run, "a.tns");
            QVERIFY(learnt);
            qputenv("POLYAD_FAKE_FREE", free);
            const QSignalSpy over(&session, &Session::runLearnt), failed(session.passOver(learnt, {at("a.tns")}), &LoadJob::failed);
            QTRY_VERIFY_WITH_TIMEOUT(over.count() + failed.count() == 1, patience);
            qunsetenv("POLYAD_FAKE_FREE");
            QCOMPARE(failed.count(), 0);
            QVERIFY(std::isfinite(learnt->history().back().trainRmse));
        }
    }

    /// Files may say anything, and those of before say nothing of it.
    void whatIsNoBeginningIsPassedOver_data()
    {
        QTest::addColumn<int>("madeFrom"); ///< past the tensor's own id; below 0: nothing
        QTest::newRow("itself") << 0;
        QTest::newRow("nobody") << 1000;
        QTest::newRow("not told") << -1;
    }
    void whatIsNoBeginningIsPassedOver()
    {
        QFETCH(const int, madeFrom);
        io::SessionFile file = io::readSession(at("study.polyad").toStdString());
        for (io::SessionTensor& tensor : file.tensors)
            if (auto learnt = learntBy(tensor.source)) {
                QVERIFY(learnt->madeFrom != 0 && learnt->madeFrom != tensor.id);
                learnt->madeFrom = madeFrom < 0 ? 0 : tensor.id + static_cast<std::uint64_t>(madeFrom);
                tensor.source = referenceToLearnt(*learnt);
            }
        io::writeSession(at("other.polyad").toStdString(), file);
        Session session;
        Run* const brought = opened(session, at("other.polyad"));
        QVERIFY(brought && brought->tensor()->isLearnt && !brought->tensor()->madeFrom);
        QVERIFY(std::isnan(testRmseWithB(session, brought)));
    }
};

QTEST_GUILESS_MAIN(TestLearntSessions)
#include "tst_learnt_sessions.moc"
