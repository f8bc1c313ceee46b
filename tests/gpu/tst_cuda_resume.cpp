// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "kernels/base/registry.h"
#include "support/checkpoints.h"
#include "support/device_rows.h"
#include "support/runs.h"

#include <cmath>

using namespace kernels;

namespace {

/// Of values that every algorithm takes, non-negative ones, too.
const SyntheticProblem& problem()
{
    static const SyntheticProblem instance = [] {
        SyntheticProblem planted = test::plantedProblem({400, 300, 200}, 100000, 4, 0.3);
        for (SparseTensor* tensor : {&planted.train, &planted.test})
            for (Count e = 0; e < tensor->entries(); ++e)
                tensor->setValue(e, 1 + std::abs(tensor->value(e)));
        return planted;
    }();
    return instance;
}

} // namespace

/// A run on a CUDA device that goes on from a checkpoint is the run that was never interrupted.
class CudaResumeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eightAndTwelveAreTwenty_data()
    {
        QTest::addColumn<test::DeviceRow>("row");
        for (const auto& info : algorithms())
            for (const auto& variant : info.variants)
                for (const auto& format : info.formats)
                    for (const Precision precision : allPrecisions()) {
                        const test::DeviceRow row{info.id, variant.id, format, precision, DeviceId{DeviceKind::Cuda, 0}};
                        if (info.supports({row.variant, row.format, precision, row.device}) && row.promisesBits())
                            QTest::addRow("%s", row.name().c_str()) << row;
                    }
    }
    void eightAndTwelveAreTwenty()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(test::DeviceRow, row);
        RunConfig config = row.config();
        test::fixIterations(config, 20);
        config.ranks = {16};
        config.deterministic = true;
        test::Keeper whole;
        const RunResult atOnce = test::runOn(config, problem().train, &problem().test, &whole);
        RunConfig firstPart = config;
        firstPart.stopping.iterations = 8;
        test::Keeper first;
        test::runOn(firstPart, problem().train, &problem().test, &first);
        test::Keeper second;
        const RunResult together = test::runOn(config, problem().train, &problem().test, &second, &first.kept.at(8));
        QCOMPARE(test::difference(atOnce, together), std::string());
        QCOMPARE(test::difference(whole.kept.at(20).solver, second.kept.at(20).solver), std::string());
    }

    /// What a GPU began the CPU may end: no longer the same bits, but the same run.
    void theCpuGoesOnWithWhatTheGpuLeft()
    {
        POLYAD_NEEDS_GPU();
        RunConfig config;
        test::fixIterations(config, 6);
        config.devices = {DeviceId{DeviceKind::Cuda, 0}};
        config.deterministic = true;
        test::Keeper keeper;
        const RunResult onGpu = test::runOn(config, problem().train, &problem().test, &keeper);
        config.devices = {DeviceId{}};
        const RunResult mixed = test::runOn(config, problem().train, &problem().test, nullptr, &keeper.kept.at(3));
        // Six deterministic iterations in fp32 on either side differ by rounding alone.
        QVERIFY(std::abs(mixed.history.back().testRmse / onGpu.history.back().testRmse - 1) < 1e-3);
    }
};

QTEST_GUILESS_MAIN(CudaResumeTest)
#include "tst_cuda_resume.moc"
