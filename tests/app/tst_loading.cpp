// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace app;

namespace {
constexpr int patience = 20000; // ms
}

class TestLoading : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSampleComesWithLabelsStatisticsAndASuggestedRun();
    void aFileThatIsMissingFailsWithASentence();
    void aBrokenFileNamesTheLine();
    void aCancelledLoadIsOverAtOnceAndLeavesNothing();
    void closingDuringALoadDoesNotWaitForIt();
    void aPresetBringsItsTestPart();
    void aClosedTensorStaysWithItsRuns();
};

void TestLoading::theSampleComesWithLabelsStatisticsAndASuggestedRun()
{
    Session session;
    QSignalSpy added(&session, &Session::tensorAdded);
    QSignalSpy started(&session, &Session::loadStarted);
    QSignalSpy ended(&session, &Session::loadEnded);
    session.openSample();
    QCOMPARE(session.loadJobs().size(), std::size_t{1});
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, patience);
    QCOMPARE(started.count(), 1);
    QCOMPARE(added.count(), 1);
    QVERIFY(session.loadJobs().empty());
    const OpenTensorPtr flights = session.tensors().front();
    QCOMPARE(flights->tensor.dims(), (std::vector<kernels::Index>{220, 223, 24}));
    QCOMPARE(flights->tensor.entries(), kernels::Count{12409});
    QCOMPARE(flights->tensor.modes[0].name, std::string("origin"));
    QCOMPARE(flights->tensor.modes[0].labels.front(), std::string("ABE Allentown, PA"));
    QCOMPARE(flights->statistics.valueMin, 1.0);
    QCOMPARE(flights->statistics.valueMax, 9.0);
    QVERIFY(flights->suggested);
    // The suggestion must work as it stands.
    Run* run = session.start(*flights->suggested, flights);
    QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > 5, patience);
    run->stop();
}

void TestLoading::aFileThatIsMissingFailsWithASentence()
{
    Session session;
    QSignalSpy ended(&session, &Session::loadEnded);
    LoadJob* job = session.openFile("/nowhere/missing.tns");
    QString sentence;
    connect(job, &LoadJob::failed, this, [&](const QString& text) { sentence = text; });
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, patience);
    QVERIFY2(sentence.contains("missing.tns"), qPrintable(sentence));
    QVERIFY(session.tensors().empty());
}

void TestLoading::aBrokenFileNamesTheLine()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("broken.tns"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("1 1 1 2.5\n1 2 1 3.5\n1 x 1 4.5\n");
    file.close();
    Session session;
    LoadJob* job = session.openFile(file.fileName());
    QString sentence;
    connect(job, &LoadJob::failed, this, [&](const QString& text) { sentence = text; });
    QTRY_VERIFY_WITH_TIMEOUT(!sentence.isEmpty(), patience);
    QVERIFY2(sentence.contains("broken.tns") && sentence.contains("line 3"), qPrintable(sentence));
}

void TestLoading::aCancelledLoadIsOverAtOnceAndLeavesNothing()
{
    Session session;
    QSignalSpy ended(&session, &Session::loadEnded);
    QSignalSpy added(&session, &Session::tensorAdded);
    // A tenth of 99 M entries: many seconds on any machine this test meets.
    LoadJob* job = session.generatePreset("netflix-like", 0.1, 1);
    QSignalSpy cancelled(job, &LoadJob::cancelled);
    QSignalSpy destroyed(job, &QObject::destroyed);
    QTest::qWait(300);
    QVERIFY(job->isRunning());
    QVERIFY(!job->state().stage.isEmpty());
    QElapsedTimer clock;
    clock.start();
    job->cancel();
    QVERIFY(clock.elapsed() < 100); // the button answers in the same event
    QCOMPARE(cancelled.count(), 1);
    QCOMPARE(ended.count(), 1);
    QVERIFY(session.loadJobs().empty());
    QTRY_COMPARE_WITH_TIMEOUT(destroyed.count(), 1, patience); // the thread has come to its end
    QCOMPARE(added.count(), 0);
    QVERIFY(session.tensors().empty());
}

void TestLoading::closingDuringALoadDoesNotWaitForIt()
{
    auto session = std::make_unique<Session>();
    session->generatePreset("netflix-like", 0.1, 1);
    QTest::qWait(200);
    QElapsedTimer clock;
    clock.start();
    session.reset();
    // Generating it all takes many seconds; a block of it, well below one.
    QVERIFY2(clock.elapsed() < 1500, qPrintable(QString::number(clock.elapsed())));
}

void TestLoading::aPresetBringsItsTestPart()
{
    Session session;
    QSignalSpy added(&session, &Session::tensorAdded);
    session.generatePreset("netflix-like", 0.0005, 3);
    QTRY_COMPARE_WITH_TIMEOUT(added.count(), 1, patience);
    const OpenTensorPtr tensor = session.tensors().front();
    QVERIFY(tensor->hasTestPart());
    QCOMPARE(tensor->command.argument, std::string("preset:netflix-like:0.0005"));
    QCOMPARE(tensor->command.options, (std::vector<std::string>{"--data-seed", "3"}));
}

void TestLoading::aClosedTensorStaysWithItsRuns()
{
    Session session;
    QSignalSpy added(&session, &Session::tensorAdded);
    QSignalSpy removed(&session, &Session::tensorRemoved);
    session.openSample();
    QTRY_COMPARE_WITH_TIMEOUT(added.count(), 1, patience);
    kernels::RunConfig config;
    config.stopping.iterations = 3;
    Run* run = session.start(config, session.tensors().front());
    session.closeTensor(session.tensors().front()->id);
    QCOMPARE(removed.count(), 1);
    QVERIFY(session.tensors().empty());
    QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, patience);
    QCOMPARE(describeRun(run->record()).input.fileName, std::string("flights.tns"));
}

QTEST_GUILESS_MAIN(TestLoading)
#include "tst_loading.moc"
