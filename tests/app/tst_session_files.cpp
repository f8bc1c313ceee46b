// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"
#include "io/exports/export_model.h"
#include "io/file_format.h"
#include "io/session_file.h"
#include "kernels/base/progress.h"
#include "kernels/tensor/synthetic.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace app;

namespace {

constexpr int patience = 60000; // ms; what is waited for takes milliseconds on a machine with time

kernels::RunConfig shortRun(const char* algorithm, std::uint64_t iterations = 5)
{
    kernels::RunConfig config;
    config.algorithm = algorithm;
    config.ranks = {4};
    config.threads = 1;
    config.stopping.iterations = iterations;
    config.stopping.tolerance = 0;
    return config;
}

bool opened(LoadJob* job)
{
    bool finished = false, failed = false;
    QObject::connect(job, &LoadJob::finished, job, [&] { finished = true; });
    QObject::connect(job, &LoadJob::failed, job, [&] { failed = true; });
    [&] { QTRY_VERIFY_WITH_TIMEOUT(finished || failed, patience); }();
    return finished;
}

} // namespace

/// Sessions in files: what was there comes back, and what cannot come back is told.
class TestSessionFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void runsAndTensorsComeBack();
    void aBroughtRunIsExportedAsItWas();
    void aRunThatWasGoingComesBackWithoutAModel();
    void withoutItsTensorARunKeepsWhatItHas();
    void aMovedTensorIsBroughtFromWhereItIs();
    void aSessionThatMovedWithItsDataFindsThem();
    void aTensorMadeInMemoryIsTold();
    void whatIsNoSessionClosesNothing();
    void openingClosesWhatWasOpen();
    void savingLeavesNothingHalfWritten();

private:
    QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }

    QString tensorFile() const
    {
        kernels::SyntheticSpec spec;
        spec.dims = {40, 30, 20};
        spec.entries = 4000;
        spec.rank = spec.coreRank = 4;
        spec.noise = 0.05;
        kernels::Progress progress;
        const QString file = path("planted.tns");
        io::writeTensor(file.toStdString(), kernels::generate(spec).train, {}, progress);
        return file;
    }

    static void finish(Run* run) { QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience); }

    bool saved(Session& session, const QString& to) const
    {
        const QSignalSpy good(&session, &Session::exportFinished), bad(&session, &Session::exportFailed);
        session.save(to, QStringLiteral(R"({"page":"compare"})"));
        [&] { QTRY_VERIFY_WITH_TIMEOUT(good.count() + bad.count() == 1, patience); }();
        return good.count() == 1;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSessionFiles::init() { m_folder = std::make_unique<QTemporaryDir>(); }

void TestSessionFiles::runsAndTensorsComeBack()
{
    const QString file = path("study.polyad");
    std::vector<kernels::IterationRecord> history;
    kernels::Matrix factor;
    {
        Session session;
        QVERIFY(opened(session.openFile(tensorFile())));
        Run* const first = session.start(shortRun("fasttucker-plus"), session.tensors().front());
        Run* const second = session.start(shortRun("cp-als", 7), session.tensors().front());
        finish(first);
        finish(second);
        first->setName(QStringLiteral("mine"));
        first->setNote(QStringLiteral("λ = 0,1"));
        second->setVisible(false);
        second->nameComponent(1, QStringLiteral("red-eye"));
        history = second->history();
        factor = second->outcome()->result.best.factors[1];
        QVERIFY(saved(session, file));
    }
    Session session;
    const QSignalSpy told(&session, &Session::sessionOpened);
    QVERIFY(opened(session.openSession(file)));
    QCOMPARE(told.count(), 1);
    QCOMPARE(told[0][1].toString(), QStringLiteral(R"({"page":"compare"})"));
    QCOMPARE(session.runs().size(), std::size_t{2}); // before their tensor is
    const Run *first = session.runs()[0], *second = session.runs()[1];
    QCOMPARE(first->name(), QStringLiteral("mine"));
    QCOMPARE(first->note(), QStringLiteral("λ = 0,1"));
    QCOMPARE(first->colorIndex(), 0);
    QCOMPARE(second->colorIndex(), 1);
    QVERIFY(first->isVisible() && !second->isVisible());
    QVERIFY(first->componentNames().empty());
    QCOMPARE(second->componentNames().at(1), std::string("red-eye"));
    QCOMPARE(second->state(), RunState::Finished);
    QCOMPARE(second->history().size(), history.size());
    QCOMPARE(second->history().back().fit, history.back().fit);
    QCOMPARE(second->bestIteration(), second->outcome()->result.bestIteration);
    QVERIFY(second->outcome()->result.best.factors[1].data == factor.data);
    QVERIFY(second->outcome()->result.memory.hostBytes > 0);
    QVERIFY(second->elapsedSeconds() > 0);
    QTRY_VERIFY_WITH_TIMEOUT(session.tensors().size() == 1, patience);
    QTRY_VERIFY_WITH_TIMEOUT(first->tensor() == session.tensors().front(), patience);
    QVERIFY(first->tensor()->isHere && first->tensor()->tensor.entries() == 4000);
    Run* const third = session.start(shortRun("cp-als", 2), first->tensor()); // life goes on
    finish(third);
    QCOMPARE(third->state(), RunState::Finished);
    QCOMPARE(third->colorIndex(), 2);
}

void TestSessionFiles::aBroughtRunIsExportedAsItWas()
{
    const QString file = path("study.polyad"), before = path("before.h5"), after = path("after.h5");
    const auto model = io::exportKinds().front();
    {
        Session session;
        QVERIFY(opened(session.openFile(tensorFile())));
        Run* const run = session.start(shortRun("cp-als"), session.tensors().front());
        finish(run);
        const QSignalSpy written(&session, &Session::exportFinished);
        session.exportRun(run, model, before);
        QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, patience);
        QVERIFY(saved(session, file));
    }
    Session session;
    QVERIFY(opened(session.openSession(file)));
    const QSignalSpy written(&session, &Session::exportFinished);
    session.exportRun(session.runs().front(), model, after);
    QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, patience);
    const io::ModelFile a = io::readModel(before.toStdString()), b = io::readModel(after.toStdString());
    QVERIFY(a.config == b.config && a.model.factors[0].data == b.model.factors[0].data && a.model.weights == b.model.weights);
    QCOMPARE(b.startedUtc, a.startedUtc);
    QCOMPARE(b.environment, a.environment);
    QCOMPARE(b.command, a.command);
    QCOMPARE(b.input.layout, a.input.layout);
    QCOMPARE(b.input.testPositions.size(), a.input.testPositions.size());
    QCOMPARE(b.history.size(), a.history.size());
}

void TestSessionFiles::aRunThatWasGoingComesBackWithoutAModel()
{
    const QString file = path("study.polyad");
    {
        Session session;
        QVERIFY(opened(session.openFile(tensorFile())));
        Run* const run = session.start(shortRun("fasttucker-plus", 1'000'000'000), session.tensors().front());
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > 3, patience);
        QVERIFY(saved(session, file));
        run->stop();
    }
    Session session;
    QVERIFY(opened(session.openSession(file)));
    const Run* const run = session.runs().front();
    QCOMPARE(run->state(), RunState::Stopped);
    QVERIFY(run->history().size() > 3 && !run->outcome());
    QVERIFY(!session.hasActiveRuns());
}

void TestSessionFiles::withoutItsTensorARunKeepsWhatItHas()
{
    const QString file = path("study.polyad"), tensor = tensorFile(), kept = path("kept.h5");
    {
        Session session;
        QVERIFY(opened(session.openFile(tensor)));
        finish(session.start(shortRun("cp-als"), session.tensors().front()));
        QVERIFY(saved(session, file));
    }
    QVERIFY(QFile::remove(tensor));
    Session session;
    QStringList errors;
    connect(&session, &Session::logMessage, this, [&errors](int level, const QString& text) {
        if (level == 2)
            errors += text;
    });
    QVERIFY(opened(session.openSession(file)));
    QTRY_COMPARE_WITH_TIMEOUT(errors.size(), 1, patience);
    QVERIFY2(errors[0].contains(QStringLiteral("planted.tns")), qPrintable(errors[0]));
    Run* const run = session.runs().front();
    QVERIFY(!run->tensor()->isHere && run->tensor()->name == QStringLiteral("planted.tns"));
    QCOMPARE(run->tensor()->tensor.dims(), (std::vector<kernels::Index>{40, 30, 20}));
    QVERIFY(run->command().contains(QStringLiteral("--algorithm cp-als")));
    const QSignalSpy written(&session, &Session::exportFinished);
    session.exportRun(run, io::exportKinds().front(), kept);
    QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, patience);
    // Saved again, it still knows where the tensor was.
    QVERIFY(saved(session, file));
    const io::SessionFile again = io::readSession(file.toStdString());
    QVERIFY(again.tensors.front().source.find("planted.tns") != std::string::npos);
    QCOMPARE(again.tensors.front().entries, kernels::Count{4000});
}

void TestSessionFiles::aTensorMadeInMemoryIsTold()
{
    const QString file = path("study.polyad");
    {
        Session session;
        kernels::SyntheticSpec spec;
        spec.dims = {10, 9, 8};
        spec.entries = 200;
        spec.rank = spec.coreRank = 2;
        QVERIFY(opened(session.generate(spec, QStringLiteral("by hand"))));
        finish(session.start(shortRun("cp-als"), session.tensors().front()));
        QVERIFY(saved(session, file));
    }
    Session session;
    QStringList warnings;
    connect(&session, &Session::logMessage, this, [&warnings](int level, const QString& text) {
        if (level == 1)
            warnings += text;
    });
    QVERIFY(opened(session.openSession(file)));
    QCOMPARE(session.runs().size(), std::size_t{1});
    QVERIFY2(warnings.size() == 1 && warnings[0].contains(QStringLiteral("by hand")), qPrintable(warnings.join('|')));
}

void TestSessionFiles::aMovedTensorIsBroughtFromWhereItIs()
{
    const QString file = path("study.polyad"), moved = path("elsewhere.tns");
    {
        Session session;
        QVERIFY(opened(session.openFile(tensorFile())));
        finish(session.start(shortRun("cp-als"), session.tensors().front()));
        QVERIFY(saved(session, file));
    }
    QVERIFY(QFile::rename(path("planted.tns"), moved));
    Session session;
    OpenTensorPtr absent;
    connect(&session, &Session::loadStarted, this,
            [&absent](LoadJob* job) { connect(job, &LoadJob::failed, job, [&absent, job] { absent = job->absent(); }); });
    QVERIFY(opened(session.openSession(file)));
    QTRY_VERIFY_WITH_TIMEOUT(absent != nullptr, patience);
    Run* const run = session.runs().front();
    QVERIFY(!run->tensor()->isHere && absent->name == QStringLiteral("planted.tns"));

    QFile other(path("other.tns")); // that is another tensor
    QVERIFY(other.open(QIODevice::WriteOnly) && other.write("1 1 1 5\n") == 8);
    other.close();
    QString refusal;
    LoadJob* const wrong = session.bringFrom(absent, path("other.tns"));
    connect(wrong, &LoadJob::failed, this, [&refusal](const QString& sentence) { refusal = sentence; });
    QVERIFY(!opened(wrong));
    QVERIFY2(refusal.contains(QStringLiteral("other.tns")) && refusal.contains(QStringLiteral("expected 40")), qPrintable(refusal));
    QVERIFY(session.tensors().empty() && !run->tensor()->isHere);

    QVERIFY(opened(session.bringFrom(absent, moved)));
    QVERIFY(run->tensor()->isHere && run->tensor()->tensor.entries() == 4000);
    QCOMPARE(run->tensor()->path, moved);
    QCOMPARE(session.tensors().size(), std::size_t{1});
    QVERIFY(saved(session, file)); // which now knows
    Session next;
    QVERIFY(opened(next.openSession(file)));
    QTRY_COMPARE_WITH_TIMEOUT(next.tensors().size(), std::size_t{1}, patience);
    QVERIFY(next.runs().front()->tensor()->isHere);
}

void TestSessionFiles::aSessionThatMovedWithItsDataFindsThem()
{
    const QDir folder(m_folder->path());
    QVERIFY(folder.mkpath(QStringLiteral("old/data")) && folder.mkpath(QStringLiteral("new/data")));
    QVERIFY(QFile::rename(tensorFile(), path("old/data/planted.tns")));
    double seconds = 0;
    {
        Session session;
        QVERIFY(opened(session.openFile(path("old/data/planted.tns"))));
        finish(session.start(shortRun("fasttucker-plus"), session.tensors().front()));
        seconds = session.runs().front()->elapsedSeconds();
        QVERIFY(saved(session, path("old/study.polyad")));
    }
    QVERIFY(QFile::rename(path("old/data/planted.tns"), path("new/data/planted.tns")));
    QVERIFY(QFile::rename(path("old/study.polyad"), path("new/study.polyad")));
    Session session;
    QVERIFY(opened(session.openSession(path("new/study.polyad"))));
    QCOMPARE(session.runs().front()->elapsedSeconds(), seconds); // as it was told while it ran
    QTRY_COMPARE_WITH_TIMEOUT(session.tensors().size(), std::size_t{1}, patience);
    QVERIFY(session.runs().front()->tensor()->isHere);
    QCOMPARE(session.tensors().front()->path, path("new/data/planted.tns"));
}

void TestSessionFiles::whatIsNoSessionClosesNothing()
{
    Session session;
    QVERIFY(opened(session.openFile(tensorFile())));
    QVERIFY(!opened(session.openSession(path("planted.tns"))));
    QVERIFY(!opened(session.openSession(path("nowhere.polyad"))));
    QCOMPARE(session.tensors().size(), std::size_t{1});
}

void TestSessionFiles::openingClosesWhatWasOpen()
{
    Session session;
    QVERIFY(saved(session, path("empty.polyad")));
    QVERIFY(opened(session.openFile(tensorFile())));
    finish(session.start(shortRun("cp-als"), session.tensors().front()));
    QVERIFY(opened(session.openSession(path("empty.polyad"))));
    QVERIFY(session.tensors().empty() && session.runs().empty());
}

void TestSessionFiles::savingLeavesNothingHalfWritten()
{
    Session session;
    QVERIFY(!saved(session, path("no/such/folder.polyad")));
    QVERIFY(saved(session, path("good.polyad")));
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden), QStringList{QStringLiteral("good.polyad")});
}

QTEST_GUILESS_MAIN(TestSessionFiles)
#include "tst_session_files.moc"
