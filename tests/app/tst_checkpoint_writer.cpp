// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checkpoint_writer.h"
#include "app/run_job.h"
#include "app/tensor_source.h"
#include "kernels/base/error.h"
#include "support/runs.h"
#include "support/temporary_files.h"

#include <QtTest>

using namespace app;

namespace {

kernels::Checkpoint checkpointAfter(std::size_t iterations)
{
    kernels::Checkpoint checkpoint;
    checkpoint.soFar.history.resize(iterations);
    return checkpoint;
}

CheckpointPlan planOf(double seconds, std::uint64_t iterations) { return {"c.h5", seconds, iterations, true}; }

} // namespace

/// When a run is kept, and what a person is told of it.
class TestCheckpointWriter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anIntervalIsInSeconds()
    {
        CheckpointWriter soon(planOf(0.05, 0), m_nowhere, m_warn, 0), late(planOf(50, 0), m_nowhere, m_warn, 0);
        QTest::qSleep(60);
        QVERIFY(soon.wantsCheckpoint(1, false));
        QVERIFY(!late.wantsCheckpoint(1, false));
    }

    void whatGoesOnCountsFromItsCheckpoint()
    {
        CheckpointWriter writer(planOf(0, 5), m_nowhere, m_warn, 3);
        for (const std::uint64_t early : {4u, 5u, 7u})
            QVERIFY(!writer.wantsCheckpoint(early, false));
        QVERIFY(writer.wantsCheckpoint(8, false));
    }

    /// The checkpoint a run goes on from is its last one until there is another.
    void theOldCheckpointIsWhatIsLeft()
    {
        const CheckpointWriter::Write full = [](const std::string&, const kernels::Checkpoint&) {
            throw kernels::Error(kernels::ErrorKind::Internal, "the disk is full");
        };
        CheckpointWriter writer(planOf(0, 1), full, m_warn, 3);
        writer.keep(checkpointAfter(4));
        writer.keep(checkpointAfter(5));
        writer.finish(5);
        QCOMPARE(m_told.size(), std::size_t{2});
        QCOMPARE(m_told[0], std::string("the checkpoint could not be written; the run goes on. the disk is full"));
        QCOMPARE(m_told[1], std::string("the checkpoint is that of iteration 3: no later one could be written"));
    }

    /// Whose last checkpoint is the first to fail hears of it once.
    void anEndThatCannotBeKeptIsOneSentence()
    {
        const CheckpointWriter::Write full = [](const std::string&, const kernels::Checkpoint&) {
            throw kernels::Error(kernels::ErrorKind::Internal, "the disk is full");
        };
        CheckpointWriter writer(planOf(0, 1), full, m_warn, 3);
        writer.keep(checkpointAfter(4));
        writer.finish(4);
        QCOMPARE(m_told,
                 (std::vector<std::string>{"the checkpoint is that of iteration 3, as no later one could be written. the disk is full"}));
    }

    void aRunThatGoesOnIsKeptAfterAWholeInterval()
    {
        kernels::SyntheticSpec spec;
        spec.dims = {20, 15, 10};
        spec.entries = 1000;
        m_tensor = openSynthetic(spec, "planted", Statistics::Skip, m_progress);
        RunSafety safety;
        safety.plan = {m_files.path("first.h5"), 0, 0, true};
        safety.warn = m_warn;
        run(3, safety);
        safety.from = readSavedRun(safety.plan.file);
        QCOMPARE(safety.from->checkpoint.soFar.history.size(), std::size_t{3});
        safety.plan = {m_files.path("second.h5"), 0, 5, false};
        run(12, safety);
        QCOMPARE(readSavedRun(safety.plan.file)->checkpoint.soFar.history.size(), std::size_t{8});
        QVERIFY(m_told.empty());
    }

    void cleanup() { m_told.clear(); }

private:
    void run(std::uint64_t iterations, const RunSafety& safety)
    {
        kernels::RunConfig config;
        config.ranks = {4};
        test::fixIterations(config, iterations);
        TrainTestCache cache;
        kernels::RunObserver silent;
        kernels::RunControl control;
        executeRun(resolveFor(config, *m_tensor, safety.from.get()), m_tensor, cache, silent, control, m_progress, safety);
    }

    test::TemporaryFiles m_files;
    OpenTensorPtr m_tensor;
    kernels::Progress m_progress;
    std::vector<std::string> m_told;
    const CheckpointWriter::Warn m_warn = [this](const std::string& sentence) { m_told.push_back(sentence); };
    const CheckpointWriter::Write m_nowhere = [](const std::string&, const kernels::Checkpoint&) {};
};

QTEST_GUILESS_MAIN(TestCheckpointWriter)
#include "tst_checkpoint_writer.moc"
