// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/base/several_devices.h"
#include "kernels/device/communicator.h"
#include "support/ntf_groups.h"

using namespace kernels;
using namespace test::ntf;

namespace {

/// All that can be used.
std::vector<DeviceId> gpus()
{
    std::vector<DeviceId> ids;
    for (const DeviceInfo& info : devices())
        if (info.id.kind == DeviceKind::Cuda && info.problem.empty())
            ids.push_back(info.id);
    return ids;
}

} // namespace

/// Several GPUs share a run, and it is what one of them makes of it, up to rounding.
class CudaGroupTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        std::string problems;
        unsigned listed = 0;
        for (const DeviceInfo& info : devices())
            if (info.id.kind == DeviceKind::Cuda) {
                ++listed;
                problems += info.problem;
            }
        if (gpus().size() < 2 && listed >= 2 && test::gpuPromised())
            QFAIL(problems.c_str());
        if (gpus().size() < 2)
            QSKIP("needs two GPUs");
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
        for (std::size_t i = shape % 3; i < all.size(); i += 3) { // loading takes a GPU far longer than steps do
            const RunResult one = test::runOn(onDevices(all[i], 5, precision, {gpus().front()}), train, &held);
            const RunResult several = test::runOn(onDevices(all[i], 5, precision, gpus()), train, &held);
            const QString problem = difference(several, one, toleranceFor(precision));
            QVERIFY2(problem.isEmpty(), qPrintable(nameOf(all[i]) + QStringLiteral(": ") + problem));
        }
    }

    /// Sums of a million numbers, where the ways between GPUs are others than for a few.
    void manyEntriesAreTheSame()
    {
        const SparseTensor train = positiveTensor({20000, 9000, 300}, 1500000, 31), held = positiveTensor({20000, 9000, 300}, 1000, 32);
        for (const Divergence divergence : allDivergences) {
            const Case c{divergence, {0.05, true}, false, 2};
            const RunResult one = test::runOn(onDevices(c, 48, Precision::Fp32, {gpus().front()}), train, &held);
            const RunResult several = test::runOn(onDevices(c, 48, Precision::Fp32, gpus()), train, &held);
            const QString problem = difference(several, one, 1e-3);
            QVERIFY2(problem.isEmpty(), qPrintable(nameOf(c) + QStringLiteral(": ") + problem));
        }
    }

    void twoRunsAreTheSame()
    {
        const SparseTensor train = positiveTensor({4000, 3000, 200}, 300000, 33);
        const Case c{Divergence::KullbackLeibler, {0.05, true}, false, 2};
        const RunResult first = test::runOn(onDevices(c, 33, Precision::Fp32, gpus(), 4), train),
                        second = test::runOn(onDevices(c, 33, Precision::Fp32, gpus(), 4), train);
        for (unsigned n = 0; n < 3; ++n)
            QVERIFY(first.best.factors[n].data == second.best.factors[n].data);
    }

    void aStopEndsAllGpus()
    {
        const SparseTensor train = positiveTensor({20000, 9000, 300}, 1500000, 34);
        const RunConfig config = onDevices({Divergence::Euclidean, {}, false, 3}, 128, Precision::Fp32, gpus(), 1000000);
        for (const int afterMs : {0, 200, 500, 800})
            QVERIFY(pausedAndStopped(config, train, afterMs, 20) == StopReason::Stopped);
    }

    void memoryIsEstimated()
    {
        const SparseTensor train = positiveTensor({20000, 9000, 300}, 1500000, 35);
        const RunConfig config = resolve(onDevices({Divergence::Euclidean, {}}, 32, Precision::Fp32, gpus()), train.dims());
        const RunResult result = test::runOn(config, train);
        const MemoryUse use = kernels::ntf::estimateMemory(config, {train.dims(), train.entries(), 0, 8});
        QVERIFY2(result.memory.deviceBytes <= use.deviceBytes && use.deviceBytes < 3 * result.memory.deviceBytes,
                 qPrintable(QStringLiteral("%1 used, %2 told").arg(result.memory.deviceBytes).arg(use.deviceBytes)));
        QVERIFY(result.memory.hostBytes <= use.hostBytes);
    }
};

QTEST_GUILESS_MAIN(CudaGroupTest)
#include "tst_cuda_group.moc"
