// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"
#include "app/tensor_source.h"
#include "io/model_file.h"
#include "kernels/base/error.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

using namespace app;

namespace {

constexpr int patience = 60000; // ms; what is waited for takes milliseconds on a machine with time, half a minute under a sanitizer

/// A planted problem small enough that an iteration takes about a millisecond.
kernels::SyntheticSpec smallProblem()
{
    kernels::SyntheticSpec spec;
    spec.dims = {40, 30, 20};
    spec.entries = 4000;
    spec.rank = spec.coreRank = 4;
    spec.noise = 0.05;
    return spec;
}

/// Goes on until somebody stops it.
kernels::RunConfig endlessRun()
{
    kernels::RunConfig config;
    config.ranks = {4};
    config.threads = 1;
    config.stopping.iterations = 1'000'000'000;
    config.stopping.tolerance = 0;
    return config;
}

kernels::RunConfig shortRun()
{
    kernels::RunConfig config = endlessRun();
    config.stopping.iterations = 5;
    return config;
}

/// Waits for the job's tensor; null when it failed.
OpenTensorPtr tensorOf(LoadJob* job)
{
    OpenTensorPtr tensor;
    QString failure;
    QObject::connect(job, &LoadJob::finished, job, [&](const OpenTensorPtr& t) { tensor = t; });
    QObject::connect(job, &LoadJob::failed, job, [&](const QString& sentence) { failure = sentence; });
    [&] { QTRY_VERIFY_WITH_TIMEOUT(tensor || !failure.isEmpty(), patience); }();
    if (!failure.isEmpty())
        qWarning("%s", qPrintable(failure));
    return tensor;
}

} // namespace

class TestSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRunGoesFromStartToAModelOnDisk();
    void aStartedRunIsShownAtOnceAndHasTheSmallestFreeColour();
    void twoRunsOnOneDeviceGoOneAfterTheOther();
    void aStoppedQueuedRunNeverStarts();
    void aRunStoppedAsItBeginsIsNotLost();
    void aBadConfigIsRefusedWithASentence();
    void aFailingRunEndsInFailedWithTheSentence();
    void aRemovedRunIsGone();
    void closingStopsARunWithinHalfASecond();
    void aRunShorterThanAPollHasItsTime();
    void theSecondRunFindsTheSplitAgain();
    void anOwnTestPartIsUsed();
    void telemetryOfTheRunIsRecorded();
    void theWatchedNumberFollowsTheObjective();
    void metricsAreExported();
    void anExportTellsHowFarItIs();
    void aCancelledExportLeavesNothing();
    void anExportThatCannotBeWrittenSaysSo();
    void closingDuringAnExportKeepsTheModel();
    void historyIsToldAtMostTenTimesASecond();
};

void TestSession::aRunGoesFromStartToAModelOnDisk()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    QVERIFY(tensor);
    QCOMPARE(tensor->tensor.entries(), kernels::Count{4000});
    QCOMPARE(session.tensors().size(), std::size_t{1});

    QSignalSpy advanced(&session, &Session::runAdvanced);
    Run* run = session.start(endlessRun(), tensor);
    QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > 3, patience);
    QVERIFY(advanced.count() > 0);
    QCOMPARE(run->state(), RunState::Running);

    run->pause();
    QCOMPARE(run->state(), RunState::Paused);
    // What was at work when the request came still arrives; then nothing does.
    QTest::qWait(400);
    const std::size_t atRest = run->history().size();
    const double elapsed = run->elapsedSeconds();
    QTest::qWait(400);
    QCOMPARE(run->history().size(), atRest);
    QCOMPARE(run->elapsedSeconds(), elapsed);
    QCOMPARE(run->state(), RunState::Paused);

    run->resume();
    QCOMPARE(run->state(), RunState::Running);
    QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > atRest + 3, patience);

    run->stop();
    QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Stopped, 2000);
    QVERIFY(run->outcome());
    QCOMPARE(run->bestIteration(), run->outcome()->result.bestIteration);
    QCOMPARE(run->history().size(), run->outcome()->result.history.size());

    QTemporaryDir folder;
    const QString path = folder.filePath("model.h5");
    QSignalSpy finished(&session, &Session::exportFinished);
    QSignalSpy failed(&session, &Session::exportFailed);
    session.exportRun(run, io::exportKind("h5"), path);
    QTRY_VERIFY_WITH_TIMEOUT(finished.count() + failed.count() > 0, patience);
    QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed.first().at(1).toString()));

    const io::ModelFile file = io::readModel(path.toStdString());
    QCOMPARE(file.status, std::string("stopped"));
    QCOMPARE(file.bestIteration, run->bestIteration());
    QCOMPARE(file.history.size(), run->history().size());
    QCOMPARE(file.input.entries, kernels::Count{4000});
    QCOMPARE(file.input.trainEntries + file.input.testEntries, kernels::Count{4000});
    double smallest = tensor->tensor.value(0), largest = smallest, sum = 0;
    for (kernels::Count e = 0; e < tensor->tensor.entries(); ++e) {
        smallest = std::min(smallest, tensor->tensor.value(e));
        largest = std::max(largest, tensor->tensor.value(e));
        sum += tensor->tensor.value(e);
    }
    QCOMPARE(file.input.valueMin, smallest);
    QCOMPARE(file.input.valueMax, largest);
    QCOMPARE(file.input.valueMean, sum / 4000); // of the same fp64 sums but for their order
    QCOMPARE(file.input.testPositions.size(), std::size_t(file.input.testEntries));
    QCOMPARE(file.command, run->command().toStdString());
    QVERIFY(file.environment.find("device cpu") != std::string::npos);
    QVERIFY(file.startedUtc.size() == 20 && file.startedUtc.back() == 'Z' && file.startedUtc <= file.finishedUtc);
    QVERIFY(file.config == run->outcome()->result.config);
    QVERIFY2(file.log.find("ended (stopped) after") != std::string::npos, file.log.c_str());
    QVERIFY(!file.model.factors.empty());
    QCOMPARE(file.model.factors.size(), run->outcome()->result.best.factors.size());
}

void TestSession::aStartedRunIsShownAtOnceAndHasTheSmallestFreeColour()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    QSignalSpy added(&session, &Session::runAdded);
    Run* first = session.start(shortRun(), tensor);
    Run* second = session.start(shortRun(), tensor);
    QCOMPARE(added.count(), 2);
    QCOMPARE(first->colorIndex(), 0);
    QCOMPARE(second->colorIndex(), 1);
    QVERIFY(first->id() != second->id());
    session.removeRun(first);
    QCOMPARE(session.start(shortRun(), tensor)->colorIndex(), 0);
    QCOMPARE(second->colorIndex(), 1);
}

void TestSession::twoRunsOnOneDeviceGoOneAfterTheOther()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    Run* first = session.start(endlessRun(), tensor);
    Run* second = session.start(shortRun(), tensor);
    QTRY_VERIFY_WITH_TIMEOUT(first->history().size() > 2, patience);
    QCOMPARE(second->state(), RunState::Queued);
    QVERIFY(second->history().empty());
    first->stop();
    QTRY_COMPARE_WITH_TIMEOUT(second->state(), RunState::Finished, patience);
    QCOMPARE(first->state(), RunState::Stopped);
    QCOMPARE(second->history().size(), std::size_t{5});
    QVERIFY(!session.hasActiveRuns());
}

void TestSession::aStoppedQueuedRunNeverStarts()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    Run* first = session.start(endlessRun(), tensor);
    Run* queued = session.start(shortRun(), tensor);
    Run* third = session.start(shortRun(), tensor);
    queued->stop();
    QCOMPARE(queued->state(), RunState::Stopped);
    first->stop();
    QTRY_COMPARE_WITH_TIMEOUT(third->state(), RunState::Finished, patience);
    QCOMPARE(queued->state(), RunState::Stopped);
    QVERIFY(queued->history().empty());
    QVERIFY(!queued->outcome());
}

/// The window looks at its runs now and then: one it takes for queued may have ended long ago, with a result.
void TestSession::aRunStoppedAsItBeginsIsNotLost()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    bool ended = false;
    for (int milliseconds = 20; !ended && milliseconds <= 5000; milliseconds *= 2) { // a busy machine begins late
        Run* run = session.start(shortRun(), tensor);
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        QCOMPARE(run->state(), RunState::Queued); // nobody has looked
        run->stop();
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
        ended = run->outcome() && !run->history().empty();
    }
    QVERIFY(ended);
    for (int i = 0; i < 40; ++i) {
        Run* run = session.start(shortRun(), tensor);
        std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
        run->stop();
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
        QCOMPARE(run->outcome() != nullptr, !run->history().empty());
        session.removeRun(run);
    }
    QVERIFY(!session.hasActiveRuns());
}

void TestSession::aBadConfigIsRefusedWithASentence()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    kernels::RunConfig config = shortRun();
    config.ranks = {4, 4}; // of a tensor of order 3
    QVERIFY_EXCEPTION_THROWN(session.start(config, tensor), kernels::Error);
    config = shortRun();
    config.algorithm = "no-such-algorithm";
    QVERIFY_EXCEPTION_THROWN(session.start(config, tensor), kernels::Error);
    QVERIFY_EXCEPTION_THROWN(session.start(shortRun(), {}), kernels::Error);
    QVERIFY(session.runs().empty());
}

void TestSession::aFailingRunEndsInFailedWithTheSentence()
{
    Session session;
    QSignalSpy log(&session, &Session::logMessage);
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    kernels::RunConfig config = shortRun();
    config.split = {kernels::SplitKind::File, 0.1, "/nowhere/test.tns"};
    Run* run = session.start(config, tensor);
    QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Failed, patience);
    QVERIFY2(run->error().contains("/nowhere/test.tns"), qPrintable(run->error()));
    QVERIFY(!run->outcome());
    QVERIFY(log.last().at(1).toString().contains(run->error()));
    // The worker lives on.
    Run* next = session.start(shortRun(), tensor);
    QTRY_COMPARE_WITH_TIMEOUT(next->state(), RunState::Finished, patience);
}

void TestSession::aRemovedRunIsGone()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    Run* run = session.start(endlessRun(), tensor);
    QTRY_VERIFY_WITH_TIMEOUT(!run->history().empty(), patience);
    const int id = run->id();
    QSignalSpy removed(&session, &Session::runRemoved);
    QSignalSpy destroyed(run, &QObject::destroyed);
    session.removeRun(run);
    QCOMPARE(removed.count(), 1);
    QCOMPARE(session.run(id), nullptr);
    QTRY_COMPARE_WITH_TIMEOUT(destroyed.count(), 1, patience);
    // The device is free for the next.
    Run* next = session.start(shortRun(), tensor);
    QTRY_COMPARE_WITH_TIMEOUT(next->state(), RunState::Finished, patience);
}

void TestSession::closingStopsARunWithinHalfASecond()
{
    auto session = std::make_unique<Session>();
    kernels::SyntheticSpec spec = smallProblem();
    spec.dims = {2000, 2000, 200};
    spec.entries = 400'000; // an iteration takes long enough to be inside one
    const OpenTensorPtr tensor = tensorOf(session->generate(spec, "planted"));
    QVERIFY(tensor);
    Run* run = session->start(endlessRun(), tensor);
    session->start(endlessRun(), tensor); // and one in the queue
    QTRY_VERIFY_WITH_TIMEOUT(!run->history().empty(), patience);
    QElapsedTimer clock;
    clock.start();
    session.reset();
    // 0.5 s is promised for a stop; twice that leaves room for a machine that is busy with other tests.
    QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
}

/// It is over before the window looks for the first time: what the engine measured is its time.
void TestSession::aRunShorterThanAPollHasItsTime()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    Run* run = session.start(shortRun(), tensor);
    std::set<RunState> seen;
    connect(run, &Run::stateChanged, run, [&] { seen.insert(run->state()); });
    std::this_thread::sleep_for(std::chrono::seconds(1)); // five iterations take milliseconds; nobody polls meanwhile
    QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, patience);
    QCOMPARE(seen, std::set<RunState>{RunState::Finished});
    QCOMPARE(run->history().size(), std::size_t{5});
    QVERIFY(run->history().back().elapsed > 0);
    QCOMPARE(run->elapsedSeconds(), run->history().back().elapsed);
}

void TestSession::theSecondRunFindsTheSplitAgain()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    Run* first = session.start(shortRun(), tensor);
    Run* second = session.start(shortRun(), tensor);
    kernels::RunConfig other = shortRun();
    other.seed = 7;
    Run* third = session.start(other, tensor);
    QTRY_COMPARE_WITH_TIMEOUT(third->state(), RunState::Finished, patience);
    QVERIFY(first->outcome()->testPositions == second->outcome()->testPositions);
    QVERIFY(first->outcome()->testPositions != third->outcome()->testPositions);
}

void TestSession::anOwnTestPartIsUsed()
{
    Session session;
    kernels::SyntheticSpec spec = smallProblem();
    spec.testEntries = 500;
    const OpenTensorPtr tensor = tensorOf(session.generate(spec, "planted"));
    Run* run = session.start(shortRun(), tensor);
    QCOMPARE(run->config().split.kind, kernels::SplitKind::File);
    QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, patience);
    QCOMPARE(run->outcome()->result.trainEntries, tensor->tensor.entries());
    QCOMPARE(run->outcome()->result.testEntries, kernels::Count{500});
    kernels::RunConfig untested = shortRun();
    untested.split.kind = kernels::SplitKind::None;
    Run* second = session.start(untested, tensor);
    QTRY_COMPARE_WITH_TIMEOUT(second->state(), RunState::Finished, patience);
    QCOMPARE(second->outcome()->result.testEntries, kernels::Count{0});
    QVERIFY(std::isnan(second->history().back().testRmse));
}

void TestSession::telemetryOfTheRunIsRecorded()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    Run* run = session.start(endlessRun(), tensor);
    QTRY_VERIFY_WITH_TIMEOUT(!run->telemetry().empty() && run->telemetry().front().samples.size() >= 3, patience);
    run->stop();
    QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
    const io::TelemetrySeries& series = run->telemetry().front();
    QCOMPARE(series.info.id, std::string("cpu"));
    for (std::size_t i = 1; i < series.samples.size(); ++i)
        QVERIFY(series.samples[i].seconds > series.samples[i - 1].seconds);
    QVERIFY(series.samples.front().seconds >= 0);
    QVERIFY(series.samples.back().seconds <= run->elapsedSeconds() + 1);
    // A run that works on one thread shows it.
    QVERIFY(series.samples.back().smPercent > 0);
    const TelemetryView view = session.telemetry({});
    QCOMPARE(view.info.id, std::string("cpu"));
    QVERIFY(!view.samples.empty());
    QVERIFY(view.now >= view.samples.back().seconds);
    QVERIFY(view.lostReason.isEmpty());
    // A run too short for a sample still says what would have measured it.
    Run* brief = session.start(shortRun(), tensor);
    QTRY_COMPARE_WITH_TIMEOUT(brief->state(), RunState::Finished, patience);
    QCOMPARE(brief->telemetry().size(), std::size_t{1});
    QCOMPARE(brief->telemetry().front().info.id, std::string("cpu"));
}

/// Errors of the observed entries are told of a run over all cells, and choose nothing.
void TestSession::theWatchedNumberFollowsTheObjective()
{
    kernels::IterationRecord record;
    record.trainRmse = 0.5;
    record.fit = 0.25;
    QCOMPARE(watchedNumber(record, kernels::Objective::All), -0.25);
    QCOMPARE(watchedNumber(record, kernels::Objective::Observed), 0.5);
    record.testRmse = 0.75;
    QCOMPARE(watchedNumber(record, kernels::Objective::All), -0.25);
    QCOMPARE(watchedNumber(record, kernels::Objective::Observed), 0.75);
}

void TestSession::metricsAreExported()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    Run* run = session.start(shortRun(), tensor);
    QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, patience);
    QTemporaryDir folder;
    QSignalSpy finished(&session, &Session::exportFinished);
    session.exportRun(run, io::exportKind("metrics"), folder.filePath("m.csv"));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
    QFile file(folder.filePath("m.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count('\n'), 6); // a head and five iterations
}

void TestSession::anExportTellsHowFarItIs()
{
    Session session;
    kernels::SyntheticSpec spec = smallProblem();
    spec.dims = {2000, 2000, 500};
    spec.entries = 3'000'000; // a second or so of text
    const OpenTensorPtr tensor = tensorOf(session.generate(spec, "planted"));
    QVERIFY(tensor && session.exports().empty());
    QTemporaryDir folder;
    const QString path = folder.filePath("planted.tns");
    QSignalSpy finished(&session, &Session::exportFinished);
    session.exportTensor(tensor, path);
    std::set<double> fractions;
    while (finished.isEmpty()) {
        for (const ExportState& state : session.exports()) {
            QCOMPARE(state.path, path);
            fractions.insert(state.fraction);
        }
        QVERIFY(!session.exports().empty());
        QTest::qWait(5); // a signal spy's wait() does not, once the test has failed
    }
    QVERIFY(session.exports().empty());
    QVERIFY2(fractions.size() >= 3, qPrintable(QString::number(fractions.size())));
    QVERIFY(*fractions.rbegin() > 0.2 && *fractions.rbegin() <= 1);
    kernels::Progress progress;
    QCOMPARE(io::readTensor(path.toStdString(), {}, progress).tensor.entries(), tensor->tensor.entries());
}

void TestSession::aCancelledExportLeavesNothing()
{
    Session session;
    kernels::SyntheticSpec spec = smallProblem();
    spec.dims = {2000, 2000, 500};
    spec.entries = 3'000'000;
    const OpenTensorPtr tensor = tensorOf(session.generate(spec, "planted"));
    QVERIFY(tensor);
    QTemporaryDir folder;
    const QString path = folder.filePath("planted.tns");
    QSignalSpy cancelled(&session, &Session::exportCancelled), finished(&session, &Session::exportFinished);
    session.exportTensor(tensor, path);
    session.cancelExport(folder.filePath("another.tns"));
    const auto written = [&] { return session.exports().empty() ? 0.0 : session.exports().front().fraction; };
    QTRY_VERIFY_WITH_TIMEOUT(written() > 0 || !finished.isEmpty(), patience);
    session.cancelExport(path);
    QTRY_COMPARE_WITH_TIMEOUT(cancelled.count(), 1, patience);
    QCOMPARE(cancelled.first().first().toString(), path);
    QVERIFY(session.exports().empty() && finished.isEmpty());
    QVERIFY(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty());
}

void TestSession::anExportThatCannotBeWrittenSaysSo()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    Run* run = session.start(endlessRun(), tensor);
    QSignalSpy failed(&session, &Session::exportFailed);
    // No model while it runs …
    session.exportRun(run, io::exportKind("h5"), "/tmp/never-written.h5");
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, patience);
    QTRY_VERIFY_WITH_TIMEOUT(!run->history().empty(), patience);
    run->stop();
    QTRY_VERIFY_WITH_TIMEOUT(run->outcome() != nullptr, patience);
    // … and none where there is no folder.
    session.exportRun(run, io::exportKind("h5"), "/nowhere/model.h5");
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 2, patience);
    QVERIFY2(failed.last().at(1).toString().contains("/nowhere"), qPrintable(failed.last().at(1).toString()));
}

/// The input's checksum needs a pass over it; who closes the window does not wait for that, and has the model all the same.
void TestSession::closingDuringAnExportKeepsTheModel()
{
    QTemporaryDir folder;
    QFile input(folder.filePath("large.tns"));
    QVERIFY(input.open(QIODevice::WriteOnly));
    input.write("1 1 1\n2 2 2\n3 1 2\n1 3 1\n");
    QVERIFY(input.resize(qint64{8} << 30)); // a hole: text that is no text, and a checksum of many seconds
    input.close();
    kernels::Progress progress;
    const std::shared_ptr<OpenTensor> open = openSynthetic(smallProblem(), "planted", Statistics::Compute, progress);
    open->path = input.fileName();
    open->checksum = std::make_shared<FileChecksum>(input.fileName().toStdString());
    auto session = std::make_unique<Session>();
    Run* run = session->start(shortRun(), open);
    QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, patience);
    const QString path = folder.filePath("model.h5");
    session->exportRun(run, io::exportKind("h5"), path);
    QTest::qWait(200);
    QVERIFY(!QFile::exists(path));
    QElapsedTimer clock;
    clock.start();
    session.reset();
    QVERIFY2(clock.elapsed() < 3000, qPrintable(QString::number(clock.elapsed())));
    const io::ModelFile file = io::readModel(path.toStdString());
    QCOMPARE(file.history.size(), std::size_t{5});
    QVERIFY(file.input.sha256.empty());
    QVERIFY2(file.log.find("No checksum of the input") != std::string::npos, file.log.c_str());
}

void TestSession::historyIsToldAtMostTenTimesASecond()
{
    Session session;
    const OpenTensorPtr tensor = tensorOf(session.generate(smallProblem(), "planted"));
    Run* run = session.start(endlessRun(), tensor);
    QTRY_VERIFY_WITH_TIMEOUT(!run->history().empty(), patience);
    QSignalSpy advanced(run, &Run::advanced);
    QElapsedTimer clock;
    clock.start();
    QTest::qWait(1000);
    // One more than the ticks of a 100 ms timer in the time that really passed.
    QVERIFY(advanced.count() >= 2);
    QVERIFY(advanced.count() <= clock.elapsed() / 100 + 1);
    run->stop();
}

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
