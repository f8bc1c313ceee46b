// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "format_problem.h"
#include "kernels/device/make_back_end.h"
#include "kernels/formats/flycoo_builder.h"

#include <algorithm>
#include <cmath>

using namespace kernels;
using namespace kernels::formats;

namespace {

using test::gpu;

std::vector<test::NamedTensor> tensors()
{
    std::vector<test::NamedTensor> all = test::tensorsOfShortModes();
    all.push_back({"order 16, long modes", test::randomTensor(std::vector<Index>(16, 70'000), 400, 2, true)});
    all.push_back({"two rows", test::randomTensor({2, 300, 80}, 200'011, 3)});
    all.push_back({"long", test::randomTensor({3000, 400, 50'000}, 1'500'001, 4)});
    return all;
}

std::unique_ptr<FlycooBuilder> makeBuilder() { return makeBackEndOf<FlycooBuilder>(flycooBuilderId, Precision::Fp32, gpu); }

template <class T> bool same(const Flycoo<T>& a, const Flycoo<T>& b)
{
    return a.copies[0] == b.copies[0] && a.sources == b.sources && a.partitions == b.partitions;
}

} // namespace

/// FLYCOO built on a GPU is that built on the CPU, bit for bit, and stays so from remap to remap.
class CudaFlycooTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isThatOfTheCpu()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        const auto builder = makeBuilder();
        for (const auto& [name, tensor] : tensors())
            for (const unsigned partitions : {1u, 7u, 396u}) {
                const FlycooPlan floats = planFlycoo(tensor.dims(), tensor.entries(), partitions, 4);
                Flycoo<float> expected = buildFlycoo<float>(tensor, floats, control);
                QVERIFY2(same(builder->buildFloats(tensor, floats, 0, control), expected), name.c_str());
                remap(expected, 1, 0, control);
                expected.copies[0] = expected.copies[1];
                QVERIFY2(same(builder->buildFloats(tensor, floats, 1, control), expected), name.c_str());
                const FlycooPlan doubles = planFlycoo(tensor.dims(), tensor.entries(), partitions, 8);
                const Flycoo<double> wide = buildFlycoo<double>(tensor, doubles, control);
                QVERIFY2(same(builder->buildDoubles(tensor, doubles, 0, control), wide), name.c_str());
                QVERIFY2(same(builder->buildDoubles(tensor, doubles, doubles.order(), control), wide), name.c_str());
            }
    }

    void aStopIsHonoured()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor tensor = test::randomTensor({300, 400, 500}, 200'000, 4);
        const FlycooPlan plan = planFlycoo(tensor.dims(), tensor.entries(), 12, 4);
        RunControl stopped;
        stopped.stop();
        QVERIFY_EXCEPTION_THROWN(makeBuilder()->buildFloats(tensor, plan, 0, stopped), Cancelled);
    }

    /// Whatever was asked for before, and however many threads a partition has, a mode's product has the same bits or sum.
    void modesMayBeAskedForInAnyOrder()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        const SparseTensor tensor = test::randomTensor({3, 400, 90, 700}, 150'000, 6);
        const std::vector<Matrix> factors = test::factorsFor(tensor, 24, false);
        std::vector<Matrix> expected;
        const auto mttkrp = mttkrp::makeMttkrp(Precision::Fp32, gpu);
        mttkrp::Settings settings;
        settings.rank = 24;
        settings.deterministic = true;
        mttkrp->load(tensor, factors, settings, control);
        mttkrp->build("flycoo", control);
        for (unsigned mode = 0; mode < tensor.order(); ++mode) {
            mttkrp->compute(mode, control);
            expected.push_back(mttkrp->result());
        }
        for (const unsigned mode : {3u, 3u, 1u, 0u, 2u, 2u, 1u, 3u, 0u}) {
            mttkrp->compute(mode, control);
            QVERIFY(mttkrp->result().data == expected[mode].data);
        }
        settings.threads = 100;
        mttkrp->load(tensor, factors, settings, control);
        QVERIFY_EXCEPTION_THROWN(mttkrp->build("flycoo", control), Error);
        for (const unsigned threads : {32u, 96u, 128u}) {
            settings.threads = threads;
            settings.partitions = threads + 1;
            mttkrp->load(tensor, factors, settings, control);
            mttkrp->build("flycoo", control);
            for (unsigned mode = 0; mode < tensor.order(); ++mode) {
                mttkrp->compute(mode, control);
                const Matrix result = mttkrp->result();
                const auto& found = std::get<Array<float>>(result.data);
                const auto& sums = std::get<Array<float>>(expected[mode].data);
                float largest = 0, off = 0;
                for (std::size_t i = 0; i < sums.size(); ++i) {
                    largest = std::max(largest, std::abs(sums[i]));
                    off = std::max(off, std::abs(found[i] - sums[i]));
                }
                QVERIFY2(off <= 1e-4F * largest, qPrintable(QString("mode %1: off by %2 of %3").arg(mode).arg(off).arg(largest)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(CudaFlycooTest)
#include "tst_cuda_flycoo.moc"
