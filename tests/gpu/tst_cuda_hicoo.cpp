// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "format_problem.h"
#include "kernels/formats/hicoo.h"

using namespace kernels;
using namespace kernels::formats;

namespace {

std::vector<test::NamedTensor> tensors()
{
    std::vector<test::NamedTensor> all = test::tensorsOfAnyLength();
    all.push_back({"filled blocks", test::randomTensor({300, 70, 900}, 1'500'001, 4)});
    all.push_back({"an entry a block", test::randomTensor({1 << 20, 1 << 22, 1 << 24}, 1'000'001, 20, true)});
    return all;
}

} // namespace

/// HiCOO on a GPU: built as on the CPU. What it is computed with is held against the definition in tst_mttkrp.
class CudaHicooTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isThatOfTheCpu()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        for (const auto& [name, tensor] : tensors()) {
            const auto inFloats = makeHicooBuilder(Precision::Fp32, test::gpu)->build(tensor, control);
            QVERIFY2(std::get<Hicoo<float>>(inFloats) == buildHicoo<float>(tensor, control), name.c_str());
            const auto inDoubles = makeHicooBuilder(Precision::Fp64, test::gpu)->build(tensor, control);
            QVERIFY2(std::get<Hicoo<double>>(inDoubles) == buildHicoo<double>(tensor, control), name.c_str());
        }
    }

    void aStopIsHonouredWhileItIsBuilt()
    {
        POLYAD_NEEDS_GPU();
        test::requireThatAStopIsHonoured(*makeHicooBuilder(Precision::Fp32, test::gpu));
    }

    void promisesNoBits()
    {
        POLYAD_NEEDS_GPU();
        test::requireThatOnlyTheCpuPromisesBits("hicoo");
    }
};

QTEST_GUILESS_MAIN(CudaHicooTest)
#include "tst_cuda_hicoo.moc"
