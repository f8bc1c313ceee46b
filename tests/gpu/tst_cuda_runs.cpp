// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "format_problem.h"
#include "kernels/device/make_back_end.h"
#include "kernels/formats/runs_builder.h"

using namespace kernels;
using namespace kernels::formats;

namespace {

std::vector<test::NamedTensor> tensors()
{
    std::vector<test::NamedTensor> all = test::tensorsOfShortModes();
    for (unsigned order = 2; order <= 10; ++order)
        all.push_back({"order " + std::to_string(order), test::randomTensor(test::dimsOfOrder(order), 3000, order)});
    all.push_back({"loose records", test::randomTensor({70'000, 90'000, 40'000, 30'000, 20'000}, 5'000, 6)});
    return all;
}

} // namespace

/// A copy in runs built on a GPU is that built on the CPU, bit for bit.
class CudaRunsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isThatOfTheCpu()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        const auto inFloats = makeBackEndOf<RunsBuilder>(runsBuilderId, Precision::Fp32, test::gpu);
        const auto inDoubles = makeBackEndOf<RunsBuilder>(runsBuilderId, Precision::Fp64, test::gpu);
        for (const auto& [name, tensor] : tensors())
            for (unsigned mode = 0; mode < tensor.order(); ++mode)
                for (const RunsCaches caches : {RunsCaches{0, 0}, {100, 0}, {40'000, 20}}) {
                    RunsPlan plan = planRuns(tensor.dims(), mode, tensor.entries(), caches);
                    if (caches.near > 0)
                        plan.places = {4, 64};
                    QVERIFY2(std::get<RunsCopy<float>>(inFloats->build(tensor, plan, control)) == buildRuns<float>(tensor, plan, control),
                             name.c_str());
                    QVERIFY2(std::get<RunsCopy<double>>(inDoubles->build(tensor, plan, control))
                                 == buildRuns<double>(tensor, plan, control),
                             name.c_str());
                }
    }
};

QTEST_GUILESS_MAIN(CudaRunsTest)
#include "tst_cuda_runs.moc"
