// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "shared_gpu.h"

#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/base/several_devices.h"
#include "kernels/device/communicator.h"
#include "support/ntf_groups.h"

using namespace kernels;
using namespace test::ntf;
using test::sharedGpu;
using test::usableGpus;

namespace {

/// Ranks that share a GPU, and all there are where there are several.
std::vector<std::vector<DeviceId>> groups()
{
    std::vector<std::vector<DeviceId>> all{sharedGpu(2), sharedGpu(3), sharedGpu(4)};
    if (usableGpus().size() > 1)
        all.push_back(usableGpus());
    return all;
}

QString nameOf(const std::vector<DeviceId>& group) { return QString::fromStdString(toString(group)); }

/// For the first of the devices: a run of a person's does not name one twice.
RunConfig resolvedFor(const RunConfig& config, const SparseTensor& train)
{
    RunConfig one = config;
    one.devices.resize(1);
    one = resolve(one, train.dims());
    one.devices = config.devices;
    return one;
}

/// As a run does it, the last iteration being the best.
RunResult iterated(const RunConfig& chosen, const SparseTensor& train, const SparseTensor* held, RunControl& control)
{
    RunResult result;
    result.config = resolvedFor(chosen, train);
    const auto solver = algorithm("ntf").makeSolver({result.config, train, held});
    solver->prepare(control);
    Count nonzeros = 0;
    for (std::uint64_t t = 0; t < result.config.stopping.iterations; ++t) {
        nonzeros += solver->iterate(t, control).nonzeros;
        const Quality quality = solver->evaluate(control);
        solver->rememberBest();
        IterationRecord& record = result.history.emplace_back();
        record.nonzeros = nonzeros;
        record.trainRmse = quality.train.rmse();
        record.trainMae = quality.train.mae();
        record.testRmse = held ? quality.test.rmse() : 0;
        record.objective = quality.objective;
        record.divergence = quality.divergence;
    }
    result.best = solver->model(Snapshot::Best);
    result.memory = solver->memoryUse();
    return result;
}

RunResult iterated(const RunConfig& chosen, const SparseTensor& train, const SparseTensor* held = nullptr)
{
    RunControl control;
    return iterated(chosen, train, held, control);
}

/// A person's pause and stop in the middle.
bool isStopped(const RunConfig& config, const SparseTensor& train, int afterMs)
{
    RunControl control;
    std::thread person([&] {
        for (const auto ask : {&RunControl::pause, &RunControl::resume, &RunControl::stop}) {
            std::this_thread::sleep_for(std::chrono::milliseconds(afterMs / 3 + 10));
            (control.*ask)();
        }
    });
    bool stopped = false;
    try {
        (void)iterated(config, train, nullptr, control);
    } catch (const Cancelled&) {
        stopped = true;
    }
    person.join();
    return stopped;
}

} // namespace

/// Several ranks or GPUs share a run, and it is what one GPU makes of it, up to rounding.
class CudaGroupTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        POLYAD_NEEDS_GPU();
        std::string problems;
        for (const DeviceInfo& info : devices())
            problems += info.problem;
        if (!problems.empty() && test::gpuPromised())
            QFAIL(problems.c_str());
        if (usableGpus().empty())
            QSKIP(problems.c_str());
        if (usableGpus().size() > 1)
            QCOMPARE(QString::fromStdString(communicationProblem()), QString());
    }

    void severalAreOne_data() { addGroupShapes(); }
    void severalAreOne()
    {
        QFETCH(std::size_t, shape);
        QFETCH(Precision, precision);
        const GroupShape of = groupShapes()[shape];
        const SparseTensor train = positiveTensor(of.dims, of.entries, 21, false, of.shareOfFirst), held = positiveTensor(of.dims, 7, 22);
        const std::vector<Case> all = allCases();
        for (std::size_t i = shape % 6; i < all.size(); i += 6) { // loading takes a GPU far longer than steps do
            const RunResult one = iterated(onDevices(all[i], 5, precision, sharedGpu(1)), train, &held);
            for (const auto& group : groups()) {
                const RunResult several = iterated(onDevices(all[i], 5, precision, group), train, &held);
                const QString problem = difference(several, one, toleranceFor(precision));
                QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("%1 on %2: %3").arg(nameOf(all[i]), nameOf(group), problem)));
            }
        }
    }

    /// Sums of a million numbers, where the ways between GPUs are others than for a few.
    void manyEntriesAreTheSame()
    {
        const SparseTensor train = positiveTensor({20000, 9000, 300}, 1500000, 31), held = positiveTensor({20000, 9000, 300}, 1000, 32);
        for (const Divergence divergence : allDivergences) {
            const Case c{divergence, {0.05, true}, false, 2};
            const RunResult one = iterated(onDevices(c, 48, Precision::Fp32, sharedGpu(1)), train, &held);
            for (const auto& group : groups()) {
                const RunResult several = iterated(onDevices(c, 48, Precision::Fp32, group), train, &held);
                const QString problem = difference(several, one, 1e-3);
                QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("%1 on %2: %3").arg(nameOf(c), nameOf(group), problem)));
            }
        }
    }

    /// Where sums are long they are sent in parts, while the next are made; rows are cut where one has nearly all entries, too.
    void longSumsAreTheSame()
    {
        for (const double shareOfFirst : {0.0, 0.9}) {
            const SparseTensor train = positiveTensor({40000, 30000, 9000}, 400000, 34, false, shareOfFirst);
            const Case c{Divergence::KullbackLeibler, {0.05, true}, false, 2};
            const RunResult one = iterated(onDevices(c, 256, Precision::Fp32, sharedGpu(1), 2), train);
            for (const auto& group : groups()) {
                const RunResult several = iterated(onDevices(c, 256, Precision::Fp32, group, 2), train);
                const QString problem = difference(several, one, 1e-3);
                QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("%1 on %2: %3").arg(nameOf(c), nameOf(group), problem)));
            }
        }
    }

    void twoRunsAreTheSame()
    {
        const SparseTensor train = positiveTensor({4000, 3000, 200}, 300000, 33);
        const Case c{Divergence::KullbackLeibler, {0.05, true}, false, 2};
        for (const auto& group : groups()) {
            const RunResult first = iterated(onDevices(c, 33, Precision::Fp32, group, 4), train),
                            second = iterated(onDevices(c, 33, Precision::Fp32, group, 4), train);
            for (unsigned n = 0; n < 3; ++n)
                QVERIFY(first.best.factors[n].data == second.best.factors[n].data);
        }
    }

    void aStopEndsAllRanks()
    {
        const SparseTensor train = positiveTensor({20000, 9000, 300}, 1500000, 34);
        for (const auto& group : groups())
            for (const int afterMs : {0, 200, 500, 800})
                QVERIFY(isStopped(onDevices({Divergence::Euclidean, {}, false, 3}, 128, Precision::Fp32, group, 1000000), train, afterMs));
    }

    /// From the command line and the window.
    void aRunOnSeveralGpusCanBeStopped()
    {
        if (usableGpus().size() < 2)
            QSKIP("needs two GPUs");
        const SparseTensor train = positiveTensor({20000, 9000, 300}, 1500000, 34);
        const RunConfig config = onDevices({Divergence::Euclidean, {}, false, 3}, 128, Precision::Fp32, usableGpus(), 1000000);
        QVERIFY(pausedAndStopped(config, train, 500, 20) == StopReason::Stopped);
    }

    void memoryIsEstimated()
    {
        const SparseTensor train = positiveTensor({20000, 9000, 300}, 1500000, 35);
        for (const auto& group : groups()) {
            const RunResult result = iterated(onDevices({Divergence::Euclidean, {}}, 32, Precision::Fp32, group), train);
            const MemoryUse use = kernels::ntf::estimateMemory(result.config, {train.dims(), train.entries(), 0, 8});
            QVERIFY2(
                result.memory.deviceBytes <= use.deviceBytes && use.deviceBytes < 3 * result.memory.deviceBytes,
                qPrintable(QStringLiteral("%1: %2 used, %3 told").arg(nameOf(group)).arg(result.memory.deviceBytes).arg(use.deviceBytes)));
            QVERIFY(result.memory.hostBytes <= use.hostBytes);
        }
    }
};

QTEST_GUILESS_MAIN(CudaGroupTest)
#include "tst_cuda_group.moc"
