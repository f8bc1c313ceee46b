// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "kernels/base/error.h"
#include "kernels/formats/hicoo.h"
#include "kernels/operations/mttkrp/back_end.h"
#include "support/fibre_trees.h"

#include <QtTest>

using namespace kernels;
using namespace kernels::formats;

namespace {

constexpr DeviceId gpu{DeviceKind::Cuda, 0};
constexpr Index most = 4'294'967'295;

std::vector<test::NamedTensor> tensors()
{
    std::vector<test::NamedTensor> all = test::awkwardTensors();
    all.push_back({"order 16, longest", test::randomTensor(std::vector<Index>(16, most), 3000, 17)});
    all.push_back({"filled blocks", test::randomTensor({300, 70, 900}, 1'500'001, 4)});
    all.push_back({"an entry a block", test::randomTensor({1 << 20, 1 << 22, 1 << 24}, 1'000'001, 20, true)});
    all.push_back({"long, one slice", test::withOneIndex(test::randomTensor({30, 4000, 500}, 1'500'000, 3), 0, 29)});
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
            const auto inFloats = makeHicooBuilder(Precision::Fp32, gpu)->build(tensor, control);
            QVERIFY2(std::get<Hicoo<float>>(inFloats) == buildHicoo<float>(tensor, control), name.c_str());
            const auto inDoubles = makeHicooBuilder(Precision::Fp64, gpu)->build(tensor, control);
            QVERIFY2(std::get<Hicoo<double>>(inDoubles) == buildHicoo<double>(tensor, control), name.c_str());
        }
    }

    void aStopIsHonouredWhileItIsBuilt()
    {
        POLYAD_NEEDS_GPU();
        RunControl stopped;
        stopped.stop();
        const auto builder = makeHicooBuilder(Precision::Fp32, gpu);
        QVERIFY_EXCEPTION_THROWN(builder->build(test::randomTensor({300, 400, 500}, 2000, 4), stopped), Cancelled);
    }

    void promisesNoBits()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        const SparseTensor tensor = test::randomTensor({3, 4, 5}, 50, 6);
        std::vector<Matrix> factors;
        for (unsigned n = 0; n < tensor.order(); ++n)
            factors.push_back(test::randomMatrix(tensor.modes[n].size, 8, 20 + n, false));
        const auto mttkrp = mttkrp::makeMttkrp(Precision::Fp32, gpu);
        mttkrp->load(tensor, factors, {8, true}, control);
        QVERIFY_EXCEPTION_THROWN(mttkrp->build("hicoo", control), Error);
        QVERIFY(!mttkrp::promisesBits("hicoo", DeviceKind::Cuda) && mttkrp::promisesBits("hicoo", DeviceKind::Cpu));
    }
};

QTEST_GUILESS_MAIN(CudaHicooTest)
#include "tst_cuda_hicoo.moc"
