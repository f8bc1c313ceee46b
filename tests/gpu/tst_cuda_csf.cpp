// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "kernels/base/error.h"
#include "kernels/formats/csf_builder.h"
#include "support/fibre_trees.h"

#include <QtTest>

using namespace kernels;
using namespace kernels::formats;

namespace {

constexpr DeviceId gpu{DeviceKind::Cuda, 0};

Precision precisionOf(const SparseTensor& tensor) { return tensor.hasDoubleValues() ? Precision::Fp64 : Precision::Fp32; }

std::vector<test::NamedTensor> tensors()
{
    constexpr Index large = 3'000'000'000;
    std::vector<test::NamedTensor> all = test::awkwardTensors();
    all.push_back({"long, one key", test::randomTensor({3000, 400, 500}, 2'000'001, 1)});
    all.push_back({"long, several keys", test::randomTensor({large, 40, large, 50}, 1'000'001, 2, true)});
    all.push_back({"long, one slice", test::withOneIndex(test::randomTensor({30, 4000, 500}, 1'500'000, 3), 0, 29)});
    return all;
}

} // namespace

/// Trees of fibres built on a GPU are those built on the CPU, bit for bit.
class CudaCsfTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void treesAreThoseOfTheCpu()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        for (const auto& [name, tensor] : tensors()) {
            const auto builder = makeCsfBuilder(precisionOf(tensor), gpu);
            builder->load(tensor, control);
            for (const std::vector<unsigned>& modeOrder : test::modeOrders(tensor.dims())) {
                const Csf expected = buildCsf(tensor, modeOrder, control);
                builder->build(modeOrder, {}, control);
                QVERIFY2(builder->take(control).tree == expected, name.c_str());
                for (const BcsfLimits& limits : {BcsfLimits{}, {1, 1}, {2, 3}, {128, 255}}) {
                    builder->build(modeOrder, limits, control);
                    QVERIFY2(builder->take(control) == balance(expected, limits, control), name.c_str());
                }
                if (tensor.entries() > 100'000)
                    break; // one order of modes is enough for what is long
            }
        }
    }

    void mixedTreesAreThoseOfTheCpu()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        std::vector<test::NamedTensor> all = tensors();
        all.push_back({"fibres of all modes", test::randomTensor({120, 130, 125}, 400'000, 31)});
        all.push_back({"modes of one size", test::randomTensor({12, 12, 12, 12}, 3000, 32, true)});
        for (const auto& [name, tensor] : all) {
            const auto builder = makeCsfBuilder(precisionOf(tensor), gpu);
            builder->load(tensor, control);
            QVERIFY2(builder->buildMixed(control) == buildMmcsf(tensor, control), name.c_str());
        }
    }

    void aStopIsHonouredAndTheBuilderGoesOn()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor tensor = test::randomTensor({300, 400, 500}, 200'000, 4);
        const auto builder = makeCsfBuilder(Precision::Fp32, gpu);
        RunControl control, stopped;
        stopped.stop();
        builder->load(tensor, control);
        QVERIFY_EXCEPTION_THROWN(builder->build({2, 1, 0}, BcsfLimits{}, stopped), Cancelled);
        QVERIFY_EXCEPTION_THROWN(builder->buildMixed(stopped), Cancelled);
        builder->build({2, 1, 0}, BcsfLimits{}, control);
        QVERIFY(builder->take(control) == buildBcsf(tensor, {2, 1, 0}, {}, control));
    }

    void whatCannotBeIsRefused()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        const auto builder = makeCsfBuilder(Precision::Fp32, gpu);
        QVERIFY_EXCEPTION_THROWN(builder->take(control), Error);
        builder->load(test::randomTensor({3, 4, 5}, 10, 5), control);
        QVERIFY_EXCEPTION_THROWN(builder->build({0, 1, 1}, {}, control), Error);
        QVERIFY_EXCEPTION_THROWN(builder->build({0, 1, 2}, BcsfLimits{128, 200}, control), Error);
    }
};

QTEST_GUILESS_MAIN(CudaCsfTest)
#include "tst_cuda_csf.moc"
