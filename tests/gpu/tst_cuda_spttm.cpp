// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "kernels/base/error.h"
#include "kernels/operations/spttm/back_end.h"
#include "support/fibre_trees.h"

#include <QtTest>

#include <cmath>

using namespace kernels;
using namespace kernels::spttm;

namespace {

constexpr DeviceId gpu{DeviceKind::Cuda, 0};

struct Problem {
    std::string name;
    SparseTensor tensor;
    unsigned mode = 0, rank = 16;
};

/// Values in (1, 2): sums of positive terms have small errors however many there are.
SparseTensor positiveTensor(const std::vector<Index>& dims, Count entries, std::uint64_t seed)
{
    SparseTensor tensor = test::randomTensor(dims, entries, seed);
    for (Count e = 0; e < entries; ++e)
        tensor.setValue(e, 1.5 + tensor.value(e) / 2);
    return tensor;
}

Matrix positiveMatrix(Index rows, unsigned rank)
{
    Matrix matrix = test::randomMatrix(rows, rank, 3, true);
    for (double& x : std::get<Array<double>>(matrix.data))
        x = 1.5 + x / 2;
    return matrix;
}

/// Pieces and warps are cut here in every way: larger than what the definition can be held against.
std::vector<Problem> problems()
{
    std::vector<Problem> all;
    const SparseTensor brainq = positiveTensor({60, 70'000, 9}, 1'200'000, 1);
    for (unsigned mode = 0; mode < 3; ++mode)
        all.push_back({"like brainq, mode " + std::to_string(mode + 1), brainq, mode, 16});
    for (const unsigned rank : {1u, 4u, 7u, 8u, 32u, 100u, 1024u})
        all.push_back({"like brainq, rank " + std::to_string(rank), positiveTensor({60, 70'000, 9}, 90'000, rank), 1, rank});
    all.push_back({"one giant fibre", test::withOneIndex(positiveTensor({5, 300'000}, 900'001, 4), 0, 3), 1, 16});
    all.push_back({"one giant fibre, rank 33", test::withOneIndex(positiveTensor({5, 300'000}, 200'001, 4), 0, 3), 1, 33});
    SparseTensor mixed = positiveTensor({400, 300, 200}, 700'000, 5);
    for (Count e = 0; e < mixed.entries(); ++e)
        if (e % 3 == 0)
            mixed.indices[0][e] = mixed.indices[1][e] = 17;
    all.push_back({"a giant fibre among short ones", mixed, 2, 32});
    all.push_back({"fibres of one entry", positiveTensor({70'000, 90'000, 20}, 500'000, 6), 2, 16});
    all.push_back({"keys of two words", positiveTensor({70'000, 90'000, 80'000, 4000}, 300'000, 7), 1, 16});
    return all;
}

template <class T> const formats::Scoo<T>& as(const Result& result) { return std::get<formats::Scoo<T>>(result); }

/// The largest relative difference; 1 and more where blocks are not the same.
template <class T> double distance(const formats::Scoo<T>& found, const formats::Scoo<double>& expected)
{
    if (found.blocks != expected.blocks || found.indices != expected.indices || found.values.size() != expected.values.size()
        || found.dims != expected.dims || found.denseModes != expected.denseModes || found.sparseModes != expected.sparseModes)
        return 2;
    double worst = 0;
    for (std::size_t i = 0; i < found.values.size(); ++i) {
        const double off = std::abs(static_cast<double>(found.values[i]) / expected.values[i] - 1);
        worst = std::isnan(off) ? 3 : std::max(worst, off);
    }
    return worst;
}

} // namespace

class CudaSpttmTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isThatOfTheCpu_data();
    void isThatOfTheCpu();
    void chainsAreThoseOfTheCpu();
    void workOfSeveralLaunchesIsThatOfOne();
    void hasTheSameBitsEveryTime();
    void takesNoMoreThanPlanned();
    void whatDoesNotFitIsRefused();
    void stopsWhenAsked();
};

void CudaSpttmTest::isThatOfTheCpu_data()
{
    QTest::addColumn<SparseTensor>("tensor");
    QTest::addColumn<unsigned>("mode");
    QTest::addColumn<unsigned>("rank");
    for (const Problem& p : problems())
        QTest::newRow(p.name.c_str()) << p.tensor << p.mode << p.rank;
}

void CudaSpttmTest::isThatOfTheCpu()
{
    POLYAD_NEEDS_GPU();
    QFETCH(SparseTensor, tensor);
    QFETCH(unsigned, mode);
    QFETCH(unsigned, rank);
    RunControl control;
    const Matrix matrix = positiveMatrix(tensor.modes[mode].size, rank);
    const auto onCpu = makeSpttm(Precision::Fp64, {});
    onCpu->load(tensor, control);
    const Prepared there = onCpu->prepare(mode, matrix, control);
    onCpu->compute(balancedId, control);
    const Result expected = onCpu->result(control);
    const auto inDoubles = makeSpttm(Precision::Fp64, gpu), inFloats = makeSpttm(Precision::Fp32, gpu);
    for (const auto& spttm : {inDoubles.get(), inFloats.get()}) {
        spttm->load(tensor, control);
        const Prepared here = spttm->prepare(mode, matrix, control);
        QCOMPARE(here.fibres, there.fibres);
        QCOMPARE(here.longest, there.longest);
        QCOMPARE(here.resultBytes, resultBytes({tensor.dims(), {}, tensor.entries()}, here.fibres, rank, spttm == inDoubles.get() ? 8 : 4));
        for (const std::string& variant : variantsOn(DeviceKind::Cuda)) {
            spttm->compute(variant, control);
            const Result found = spttm->result(control);
            const double off = spttm == inDoubles.get() ? distance(as<double>(found), as<double>(expected))
                                                        : distance(as<float>(found), as<double>(expected));
            // One thread that adds a million terms of fp32 in turn is off by some thousand roundings; sums in pieces are not.
            const double allowed = spttm == inDoubles.get() ? 1e-11 : variant == balancedId ? 1e-5 : 1e-2;
            QVERIFY2(off <= allowed, qPrintable(QString("%1: off by %2").arg(variant.c_str()).arg(off)));
        }
    }
}

void CudaSpttmTest::chainsAreThoseOfTheCpu()
{
    POLYAD_NEEDS_GPU();
    RunControl control;
    const SparseTensor tensor = positiveTensor({300, 200, 100, 7}, 100'000, 9);
    for (const std::vector<unsigned>& ranks : {std::vector<unsigned>{16, 8, 4}, {3, 5, 7}, {1, 1, 33}}) {
        const auto onCpu = makeSpttm(Precision::Fp64, {}), onGpu = makeSpttm(Precision::Fp64, gpu);
        onCpu->load(tensor, control);
        onGpu->load(tensor, control);
        const unsigned modes[] = {2, 0, 1};
        for (unsigned step = 0; step < 3; ++step) {
            const Matrix matrix = positiveMatrix(tensor.modes[modes[step]].size, ranks[step]);
            onCpu->prepare(modes[step], matrix, control);
            onCpu->compute(balancedId, control);
            onGpu->prepare(modes[step], matrix, control);
            for (const char* variant : {gpuId, gpuSharedId, balancedId}) {
                onGpu->compute(variant, control);
                const double off = distance(as<double>(onGpu->result(control)), as<double>(onCpu->result(control)));
                QVERIFY2(off <= 1e-11, qPrintable(QString("%1, step %2: off by %3").arg(variant).arg(step + 1).arg(off)));
            }
            onCpu->proceed(control);
            onGpu->proceed(control);
        }
    }
}

/// 400,000 blocks of 64 values times 512 columns are more than a launch works on.
void CudaSpttmTest::workOfSeveralLaunchesIsThatOfOne()
{
    POLYAD_NEEDS_GPU();
    RunControl control;
    const SparseTensor tensor = positiveTensor({1000, 50, 400}, 1'000'000, 3);
    const Matrix wide = positiveMatrix(50, 64), wider = positiveMatrix(1000, 512);
    const auto onCpu = makeSpttm(Precision::Fp64, {}), onGpu = makeSpttm(Precision::Fp32, gpu);
    for (const auto& spttm : {onCpu.get(), onGpu.get()}) {
        spttm->load(tensor, control);
        spttm->prepare(1, wide, control);
        spttm->compute(balancedId, control);
        spttm->proceed(control);
        QVERIFY(spttm->prepare(0, wider, control).fibres == 400);
    }
    onCpu->compute(balancedId, control);
    const Result expected = onCpu->result(control);
    for (const std::string& variant : variantsOn(DeviceKind::Cuda)) {
        onGpu->compute(variant, control);
        const double off = distance(as<float>(onGpu->result(control)), as<double>(expected));
        QVERIFY2(off <= (variant == balancedId ? 1e-5 : 1e-4), qPrintable(QString("%1: off by %2").arg(variant.c_str()).arg(off)));
    }
}

void CudaSpttmTest::hasTheSameBitsEveryTime()
{
    POLYAD_NEEDS_GPU();
    RunControl control;
    for (const Problem& p : problems()) {
        const Matrix matrix = positiveMatrix(p.tensor.modes[p.mode].size, p.rank);
        std::vector<Array<float>> of;
        for (const int attempt : {0, 1}) {
            const auto spttm = makeSpttm(Precision::Fp32, gpu);
            spttm->load(p.tensor, control);
            spttm->prepare(p.mode, matrix, control);
            for (const std::string& variant : variantsOn(DeviceKind::Cuda)) {
                spttm->compute(variant, control);
                of.push_back(as<float>(spttm->result(control)).values);
                if (attempt == 1)
                    QVERIFY2(of.back() == of[of.size() - 1 - variantsOn(DeviceKind::Cuda).size()], p.name.c_str());
            }
        }
    }
}

void CudaSpttmTest::takesNoMoreThanPlanned()
{
    POLYAD_NEEDS_GPU();
    RunControl control;
    for (const Problem& p : problems()) {
        const Plan plan = planFor(DeviceKind::Cuda, {p.tensor.dims(), {}, p.tensor.entries()}, p.mode, p.rank, 4);
        const auto spttm = makeSpttm(Precision::Fp32, gpu);
        spttm->load(p.tensor, control);
        const Prepared prepared = spttm->prepare(p.mode, positiveMatrix(p.tensor.modes[p.mode].size, p.rank), control);
        const std::uint64_t tensor = p.tensor.entries() * (p.tensor.order() * sizeof(Index) + sizeof(float));
        QVERIFY2(prepared.deviceBytes > 0 && prepared.deviceBytes + tensor <= plan.most,
                 qPrintable(QString("%1: %2 beside %3 of %4").arg(p.name.c_str()).arg(prepared.deviceBytes).arg(tensor).arg(plan.most)));
    }
}

/// The second product would have a hundred thousand blocks of a million values: told when its fibres are counted.
void CudaSpttmTest::whatDoesNotFitIsRefused()
{
    POLYAD_NEEDS_GPU();
    RunControl control;
    SparseTensor tensor({100'000, 3, 3}, 100'000);
    for (Count e = 0; e < tensor.entries(); ++e) {
        tensor.indices[0][e] = static_cast<Index>(e);
        tensor.indices[1][e] = tensor.indices[2][e] = 1;
        tensor.setValue(e, 1);
    }
    const auto spttm = makeSpttm(Precision::Fp64, gpu);
    spttm->load(tensor, control);
    spttm->prepare(1, positiveMatrix(3, 1024), control);
    spttm->compute(balancedId, control);
    spttm->proceed(control);
    QVERIFY_EXCEPTION_THROWN(spttm->prepare(2, positiveMatrix(3, 1024), control), OutOfMemory);
    spttm->prepare(2, positiveMatrix(3, 2), control); // and what fits goes on
    spttm->compute(balancedId, control);
    QCOMPARE(as<double>(spttm->result(control)).blockSize(), Count{2048});
}

void CudaSpttmTest::stopsWhenAsked()
{
    POLYAD_NEEDS_GPU();
    const SparseTensor tensor = positiveTensor({300, 200, 100}, 50'000, 2);
    for (const std::string& variant : variantsOn(DeviceKind::Cuda)) {
        RunControl control;
        const auto spttm = makeSpttm(Precision::Fp32, gpu);
        spttm->load(tensor, control);
        spttm->prepare(1, positiveMatrix(200, 16), control);
        control.stop();
        QVERIFY_EXCEPTION_THROWN(spttm->compute(variant, control), Cancelled);
        QVERIFY_EXCEPTION_THROWN(spttm->prepare(0, positiveMatrix(300, 16), control), Cancelled);
    }
}

QTEST_GUILESS_MAIN(CudaSpttmTest)
#include "tst_cuda_spttm.moc"
