// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cpu_groups.h"
#include "kernels/algorithms/fasttucker_plus/cpu_storage.h"
#include "kernels/algorithms/fasttucker_plus/entry_order.h"
#include "kernels/algorithms/fasttucker_plus/start.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/tensor/statistics.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <chrono>
#include <functional>
#include <thread>

using namespace kernels;
using namespace kernels::fasttucker_plus;

namespace {

constexpr Count entries = 3'000'000;
constexpr unsigned rank = 16;

const SparseTensor& tensor()
{
    static const SparseTensor instance = test::randomTensor({2'000'000, 30'000, 700}, entries, 1);
    return instance;
}

StartSpec startSpec()
{
    StartSpec spec;
    spec.dims = tensor().dims();
    spec.ranks.assign(3, rank);
    spec.coreRank = rank;
    spec.noise = 0.2;
    spec.seed = 1;
    spec.values = {0, 0.5, 1};
    return spec;
}

const Model& start()
{
    static const Model instance = [] {
        RunControl control;
        return drawStart(startSpec(), control);
    }();
    return instance;
}

void storeIn(const Ordering& ordering, RunControl& control)
{
    const Arrangement arrangement(tensor(), start().ranks, ordering, 1, control);
    storeEntries<float>(
        tensor(), [&](Count p) { return arrangement.at(p); }, control);
}

void storeInGroups(RunControl& control)
{
    const CpuGrouping grouping = chooseCpuGrouping(tensor().dims(), start().ranks, start().coreRank, tensor().entries());
    const Array<Count> positions = groupedPositions(tensor(), grouping, 1, control);
    const auto stored = storeEntries<float>(
        tensor(), [&](Count p) { return positions[p]; }, control);
    groupBegins(stored.indices, tensor().order(), grouping, control);
}

struct Step {
    const char* name;
    std::function<void(RunControl&)> work;
    std::uint64_t fewestLooks; ///< on one thread: one for every few milliseconds
};

const std::vector<Step>& steps()
{
    static const std::vector<Step> all{
        {"value scale", [](RunControl& c) { valueScale(tensor(), c); }, entries >> 20},
        {"slice counts, few rows", [](RunControl& c) { sliceCounts(tensor(), 2, c); }, entries >> 20},
        {"slice counts, many rows", [](RunControl& c) { sliceCounts(tensor(), 0, c); }, entries >> 20},
        {"balanced start", [](RunControl& c) { drawStart(startSpec(), c); }, (Count{2'000'000} * rank) >> 18},
        {"the papers' start",
         [](RunControl& c) {
             StartSpec spec = startSpec();
             spec.paper = true;
             drawStart(spec, c);
         },
         (Count{2'000'000} * rank) >> 18},
        {"slopes", [](RunControl& c) { startSlopes(start(), tensor(), 1, c); }, 256},
        {"entries, shuffled",
         [](RunControl& c) {
             storeIn({EntryOrder::Shuffled, 0}, c);
         },
         entries >> 18},
        {"entries, in order",
         [](RunControl& c) {
             storeIn({EntryOrder::AsLoaded, 0}, c);
         },
         entries >> 18},
        {"entries, sorted",
         [](RunControl& c) {
             storeIn({EntryOrder::Sorted, 0}, c);
         },
         entries >> 16},
        {"entries, grouped", [](RunControl& c) { storeInGroups(c); }, entries >> 16},
        {"model", [](RunControl& c) { storeModel<float>(start(), c); }, Count{2'000'000} >> 18},
    };
    return all;
}

void addSteps()
{
    QTest::addColumn<std::size_t>("step");
    for (std::size_t i = 0; i < steps().size(); ++i)
        QTest::addRow("%s", steps()[i].name) << i;
}

} // namespace

/// A stop takes half a second at most whatever the size: each step of a preparation looks up all the time.
class PreparationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { start(); }

    /// Time depends on the machine, how often a step of this size asks does not.
    void looksUpAllTheTime_data() { addSteps(); }
    void looksUpAllTheTime()
    {
        QFETCH(std::size_t, step);
        RunControl control;
        test::withThreads(1, [&] { steps()[step].work(control); });
        QVERIFY2(control.checkpoints() >= steps()[step].fewestLooks, qPrintable(QString::number(control.checkpoints())));
    }

    void isLeftAtOnce_data() { addSteps(); }
    void isLeftAtOnce()
    {
        QFETCH(std::size_t, step);
        RunControl control;
        control.stop();
        QVERIFY_EXCEPTION_THROWN(steps()[step].work(control), Cancelled);
        QCOMPARE(control.checkpoints(), std::uint64_t{1});
    }

    /// A solver's preparation is these steps and nothing long beside them.
    void aSolverAsksInAllOfThem()
    {
        RunConfig config;
        config.ranks = {rank};
        config.threads = 1;
        config = resolve(config, tensor().dims());
        RunControl control;
        test::withThreads(1, [&] { algorithm(config.algorithm).makeSolver({config, tensor(), nullptr})->prepare(control); });
        const std::uint64_t expected =
            (entries >> 20) * 4 + ((Count{2'000'000} * rank) >> 18) + 256 + (entries >> 18) + 2 * (2'000'000 >> 18);
        QVERIFY2(control.checkpoints() >= expected, qPrintable(QString::number(control.checkpoints())));
    }

    void aStopDuringPreparationIsHonoured()
    {
        for (const int milliseconds : {5, 50, 150, 300}) {
            RunConfig config;
            config.ranks = {rank};
            RunObserver observer;
            RunControl control;
            std::chrono::steady_clock::time_point asked;
            std::jthread stopper([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
                asked = std::chrono::steady_clock::now();
                control.stop();
            });
            QVERIFY(run(config, tensor(), nullptr, observer, control).reason == StopReason::Stopped);
            const auto late = std::chrono::steady_clock::now() - asked;
            stopper.join();
            QVERIFY2(late < std::chrono::milliseconds(500), qPrintable(QString::number(late / std::chrono::milliseconds(1))));
        }
    }
};

QTEST_GUILESS_MAIN(PreparationTest)
#include "tst_preparation.moc"
