// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "kernels/base/registry.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/sort.h"
#include "support/known_tensors.h"
#include "support/runs.h"

#include <cmath>

using namespace kernels;
using test::runOn;

namespace {

struct Case {
    const char* name;
    std::vector<Index> dims;
    std::vector<unsigned> ranks;
    Count entries;
    double shareOfFirst;
};

const std::vector<Case>& cases()
{
    static const std::vector<Case> all{{"order 2", {130, 90}, {4, 3}, 900, 0},
                                       {"order 3", {110, 70, 50}, {3, 5, 2}, 1500, 0},
                                       {"order 3, sixteen", {200, 310, 400}, {16, 16, 16}, 9000, 0.1},
                                       {"order 3, thirty-two", {200, 310, 400}, {32, 32, 32}, 9000, 0.1},
                                       {"order 3, sixty-four", {90, 170, 166}, {7, 64, 64}, 9000, 0},
                                       {"order 3, one more", {200, 310, 400}, {17, 33, 9}, 9000, 0},
                                       {"order 3, more than a warp", {200, 310, 400}, {3, 5, 128}, 9000, 0},
                                       {"order 4", {17, 16, 19, 15}, {2, 3, 4, 3}, 3000, 0.2},
                                       {"order 5", {15, 17, 14, 13, 16}, {2, 3, 1, 3, 2}, 3000, 0.2},
                                       {"order 6", {15, 17, 14, 13, 16, 12}, {3, 3, 3, 3, 3, 3}, 4000, 0},
                                       {"order 6, many tiles", {15, 17, 14, 13, 16, 12}, {4, 7, 7, 7, 7, 7}, 2000, 0},
                                       {"one entry", {3, 4, 5}, {2, 3, 2}, 1, 0},
                                       {"mostly empty slices", {5000, 4000, 3000}, {3, 3, 3}, 300, 0},
                                       {"giant slices, in pieces", {1, 9, 3000}, {1, 2, 5}, 300000, 0},
                                       {"nearly all in one slice", {50, 80, 70}, {4, 4, 4}, 100000, 0.9},
                                       {"one giant fibre", {2, 1, 9000}, {2, 1, 6}, 200000, 0}};
    return all;
}

RunConfig configOf(const std::vector<unsigned>& ranks, Precision precision, DeviceKind kind)
{
    RunConfig config;
    config.algorithm = "tucker-hooi";
    config.format = "csf";
    config.precision = precision;
    config.ranks = ranks;
    config.devices = {DeviceId{kind, 0}};
    test::fixIterations(config, 4);
    return config;
}

/// Near 1 a fit is the root of what rounding leaves of squares, 1e-16 of them or a little more.
bool alike(double fit, double other, double allowed)
{
    const double rest = 1 - fit, otherRest = 1 - other;
    return std::abs(rest - otherRest) < allowed || std::abs(rest * rest - otherRest * otherRest) < 1e-14;
}

} // namespace

/// HOOI on a GPU: what the CPU does, which is held against definitions, but for the order of sums.
class CudaHooiTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fitsAreTheCpus_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("doubles");
        QTest::addColumn<QString>("vectors");
        for (std::size_t i = 0; i < cases().size(); ++i)
            for (const bool doubles : {false, true})
                for (const char* vectors : {"gram", "range"})
                    QTest::addRow("%s, %s, %s", cases()[i].name, doubles ? "fp64" : "fp32", vectors) << int(i) << doubles << vectors;
    }
    void fitsAreTheCpus()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        QFETCH(bool, doubles);
        QFETCH(QString, vectors);
        const Case& c = cases()[std::size_t(number)];
        SparseTensor tensor = test::skewedTensor(c.dims, c.entries, c.shareOfFirst, 5, doubles);
        sortLexicographically(tensor);
        const SparseTensor held = test::skewedTensor(c.dims, 200, 0, 6, doubles);
        const Precision precision = doubles ? Precision::Fp64 : Precision::Fp32;
        RunConfig there = configOf(c.ranks, precision, DeviceKind::Cuda), here = configOf(c.ranks, precision, DeviceKind::Cpu);
        there.parameters["vectors"] = here.parameters["vectors"] = vectors.toStdString();
        const RunResult gpu = runOn(there, tensor, &held), cpu = runOn(here, tensor, &held);
        // Singular values that are nearly alike change places by rounding, a little more with every sweep.
        const double allowed = doubles ? 1e-8 : 2e-4;
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY2(alike(gpu.history[i].fit, cpu.history[i].fit, allowed),
                     qPrintable(QStringLiteral("sweep %1: %2, the CPU %3")
                                    .arg(i + 1)
                                    .arg(gpu.history[i].fit, 0, 'g', 10)
                                    .arg(cpu.history[i].fit, 0, 'g', 10)));
        const IterationRecord& best = gpu.history[gpu.bestIteration - 1];
        QVERIFY(std::abs(best.trainRmse - evaluateModel(gpu.best, tensor).rmse()) < 1e-9 * best.trainRmse + 1e-12);
        QVERIFY(std::abs(best.testRmse - evaluateModel(gpu.best, held).rmse()) < 1e-9 * best.testRmse + 1e-12);
        QVERIFY(alike(best.fit, modelFit(gpu.best, tensor), doubles ? 1e-9 : 1e-6));
    }

    /// Every kernel on little, for tools that make it a hundred times slower: tiles with and without edges, slices in pieces, rows of
    /// more than a warp, sums in parts, Y in blocks.
    void smallOnce()
    {
        POLYAD_NEEDS_GPU();
        struct Small {
            std::vector<Index> dims;
            std::vector<unsigned> ranks;
            Count entries;
            double shareOfFirst;
            bool blocks; ///< not where one tree at a time takes no less memory than all
        };
        const Small all[]{{{9, 8, 7}, {3, 5, 2}, 120, 0, true},
                          {{3, 40, 36}, {2, 3, 33}, 200, 0, true},
                          {{7, 6, 5, 9}, {2, 3, 4, 3}, 150, 0.2, true},
                          {{1, 3, 2600}, {1, 2, 3}, 5000, 0, false}}; // a slice of two pieces; parts of a depth
        for (const Small& small : all)
            for (const bool doubles : {false, true}) {
                SparseTensor tensor = test::skewedTensor(small.dims, small.entries, small.shareOfFirst, 5, doubles);
                sortLexicographically(tensor);
                const SparseTensor held = test::skewedTensor(small.dims, 20, 0, 6, doubles);
                for (const char* vectors : {"gram", "range"}) {
                    RunConfig config = configOf(small.ranks, doubles ? Precision::Fp64 : Precision::Fp32, DeviceKind::Cpu);
                    config.parameters["vectors"] = std::string(vectors);
                    config.stopping.iterations = 1;
                    const double expected = runOn(config, tensor, &held).history.front().fit;
                    config.devices = {DeviceId{DeviceKind::Cuda, 0}};
                    for (const bool blocks : {false, true}) {
                        if (blocks && !small.blocks)
                            continue;
                        config.memoryLimit = blocks ? 1 : 0; // what is promised then is the least there is
                        if (blocks)
                            config.memoryLimit =
                                algorithm(config.algorithm)
                                    .estimateMemory(resolve(config, tensor.dims()), {tensor.dims(), tensor.entries(), held.entries()})
                                    .deviceBytes;
                        const RunResult result = runOn(config, tensor, &held);
                        QCOMPARE(result.variantNote.empty(), !blocks);
                        QVERIFY2(alike(result.history.front().fit, expected, doubles ? 1e-8 : 2e-4),
                                 qPrintable(QStringLiteral("%1 modes, %2: %3, the CPU %4")
                                                .arg(small.dims.size())
                                                .arg(vectors)
                                                .arg(result.history.front().fit, 0, 'g', 10)
                                                .arg(expected, 0, 'g', 10)));
                    }
                }
            }
    }

    void sameBitsTwice()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor tensor = test::skewedTensor({900, 90, 300}, 200000, 0.3, 4);
        for (const char* vectors : {"gram", "range"}) {
            RunConfig config = configOf({12, 12, 12}, Precision::Fp32, DeviceKind::Cuda);
            config.parameters["vectors"] = std::string(vectors);
            const RunResult one = runOn(config, tensor), two = runOn(config, tensor);
            QVERIFY(one.best.core == two.best.core);
            QCOMPARE(one.history.back().trainRmse, two.history.back().trainRmse);
        }
    }

    void lessMemoryGivesTheSameFit()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor tensor = test::skewedTensor({900'000, 40'000, 300}, 2'000'000, 0, 4);
        RunConfig config = configOf({6, 20, 20}, Precision::Fp32, DeviceKind::Cuda);
        config.stopping.iterations = 2;
        const RunResult whole = runOn(config, tensor);
        QVERIFY(whole.variantNote.empty());
        config.memoryLimit = 1; // what is promised then is the least there is
        const std::uint64_t least =
            algorithm(config.algorithm).estimateMemory(resolve(config, tensor.dims()), {tensor.dims(), tensor.entries(), 0}).deviceBytes;
        config.memoryLimit = least;
        const RunResult one = runOn(config, tensor);
        QVERIFY2(QString::fromStdString(one.variantNote).contains("blocks of rows"), one.variantNote.c_str());
        QVERIFY(one.memory.deviceBytes <= least && one.memory.deviceBytes < whole.memory.deviceBytes);
        QVERIFY(std::abs(one.history.back().fit - whole.history.back().fit) < 1e-5);
    }
};

QTEST_GUILESS_MAIN(CudaHooiTest)
#include "tst_cuda_hooi.moc"
