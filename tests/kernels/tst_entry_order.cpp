// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/entry_order.h"
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "support/random_tensor.h"
#include "support/runs.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace kernels;
using namespace kernels::fasttucker_plus;

namespace {

const std::vector<std::pair<const char*, Ordering>> orderings{{"shuffled", {EntryOrder::Shuffled, 0}},
                                                              {"as-loaded", {EntryOrder::AsLoaded, 0}},
                                                              {"sorted by mode 1", {EntryOrder::Sorted, 0}},
                                                              {"sorted by mode 3", {EntryOrder::Sorted, 2}},
                                                              {"blocked", {EntryOrder::Blocked, 0}}};

struct Arranged {
    SparseTensor tensor;
    std::vector<unsigned> ranks;
    std::vector<Count> stored; ///< entries by position
    Visits visits;

    Arranged(SparseTensor t, const Ordering& ordering, bool inTurn = false)
        : tensor(std::move(t))
        , ranks(tensor.order(), 16)
    {
        RunControl control;
        const Arrangement arrangement(tensor, ranks, ordering, 5, control);
        for (Count p = 0; p < tensor.entries(); ++p)
            stored.push_back(arrangement.at(p));
        visits = Visits(tensor.dims(), ranks, tensor.entries(), ordering, 5, inTurn);
    }
    std::vector<Count> visited(std::uint64_t iteration) const
    {
        std::vector<Count> entries;
        const VisitingOrder order = visits.of(iteration);
        for (Count v = 0; v < tensor.entries(); ++v)
            entries.push_back(stored.at(order.at(v)));
        return entries;
    }
};

bool eachOnce(std::vector<Count> entries)
{
    std::sort(entries.begin(), entries.end());
    for (Count e = 0; e < entries.size(); ++e)
        if (entries[e] != e)
            return false;
    return true;
}

} // namespace

class EntryOrderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEntryIsVisitedOnce_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<Count>("entries");
        for (const Count entries : {Count{1}, Count{127}, Count{128}, Count{129}, Count{1001}, Count{20011}}) {
            QTest::addRow("order 3, %d", int(entries)) << std::vector<Index>{90001, 777, 3} << entries;
            QTest::addRow("order 2, %d", int(entries)) << std::vector<Index>{1, 5} << entries;
            QTest::addRow("order 10, %d", int(entries)) << test::dimsOfOrder(10) << entries;
        }
        // More blocks than there are entries, keys of more than 64 bits.
        QTest::addRow("vast modes") << std::vector<Index>(5, 4'000'000'000U) << Count{5003};
    }
    void everyEntryIsVisitedOnce()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(Count, entries);
        for (const auto& [name, ordering] : orderings) {
            if (ordering.sortMode >= dims.size())
                continue;
            for (const bool inTurn : {false, true}) {
                const Arranged arranged(test::randomTensor(dims, entries, 7), ordering, inTurn);
                for (const std::uint64_t t : {0, 1, 7})
                    QVERIFY2(eachOnce(arranged.visited(t)), name);
            }
        }
    }

    void ordersAreWhatTheyAreCalled()
    {
        const SparseTensor tensor = test::randomTensor({90001, 777, 30}, 20011, 7);
        const auto arranged = [&](EntryOrder order, unsigned mode = 0) { return Arranged(tensor, {order, mode}); };
        const std::vector<Count> loaded = arranged(EntryOrder::AsLoaded).visited(3);
        QVERIFY(std::is_sorted(loaded.begin(), loaded.end()));
        for (const unsigned mode : {0U, 1U, 2U}) {
            const std::vector<Count> sorted = arranged(EntryOrder::Sorted, mode).visited(3);
            const auto row = [&](Count a, Count b) { return tensor.indices[mode][a] < tensor.indices[mode][b]; };
            QVERIFY(std::is_sorted(sorted.begin(), sorted.end(), row));
            QVERIFY(mode == 0 || !std::is_sorted(sorted.begin(), sorted.begin() + 20)); // a row's entries at random
        }
        for (const EntryOrder order : {EntryOrder::Shuffled, EntryOrder::Blocked})
            QVERIFY(arranged(order).visited(0) != arranged(order).visited(1));
        for (const EntryOrder order : {EntryOrder::Shuffled, EntryOrder::Blocked}) {
            const Arranged inTurn(tensor, {order, 0}, true);
            QVERIFY(inTurn.visited(0) == inTurn.visited(1));
        }
    }

    /// Entries of a block follow one another, and its rows fit what they are meant to fit.
    void blocksStayTogether()
    {
        const Arranged arranged(test::randomTensor({90001, 20011, 30}, 200003, 7), {EntryOrder::Blocked, 0});
        const std::vector<unsigned> bits = blockBits(arranged.tensor.dims(), arranged.ranks, arranged.tensor.entries());
        std::uint64_t bytes = 0;
        for (const unsigned b : bits)
            bytes += (std::uint64_t{1} << b) * 16 * sizeof(float);
        QVERIFY(bytes <= std::uint64_t{1} << 19);
        std::set<std::vector<Index>> blocks;
        std::vector<Index> before;
        Count changes = 0;
        for (const Count entry : arranged.stored) {
            std::vector<Index> block;
            for (unsigned n = 0; n < 3; ++n)
                block.push_back(arranged.tensor.indices[n][entry] >> bits[n]);
            changes += block != before;
            before = block;
            blocks.insert(block);
        }
        QCOMPARE(changes, Count(blocks.size()));
        QVERIFY(blocks.size() > 32 && blocks.size() <= blockCount(arranged.tensor.dims(), bits));
    }

    /// Accuracy is not what an order of the CPU costs; sorted by a mode it may be.
    void blockedFitsAsWellAsShuffled_data()
    {
        QTest::addColumn<QByteArray>("algorithm");
        QTest::newRow("FastTuckerPlus") << QByteArray("fasttucker-plus");
        QTest::newRow("FastTucker") << QByteArray("fasttucker");
    }
    void blockedFitsAsWellAsShuffled()
    {
        QFETCH(QByteArray, algorithm);
        static const SyntheticProblem problem = generatePreset("netflix-like", 0.01, 1);
        std::vector<double> train, best;
        for (const EntryOrder order : {EntryOrder::Shuffled, EntryOrder::Blocked}) {
            RunConfig config;
            config.algorithm = algorithm.constData();
            config.variant = "calculate";
            config.ranks = {16};
            config.parameters["entry-order"] = std::string(order == EntryOrder::Blocked ? "blocked" : "shuffled");
            test::fixIterations(config, 5);
            const RunResult result = test::runOn(config, problem.train, &problem.test);
            train.push_back(result.history.back().trainRmse);
            best.push_back(result.history.at(result.bestIteration - 1).testRmse);
        }
        const auto close = [](const std::vector<double>& rmse) { return std::abs(rmse[1] - rmse[0]) <= 0.01 * rmse[0]; };
        QVERIFY2(close(train), qPrintable(QStringLiteral("train %1, %2").arg(train[0]).arg(train[1])));
        QVERIFY2(close(best), qPrintable(QStringLiteral("test %1, %2").arg(best[0]).arg(best[1])));
    }

    void memoryOfSortingIsPromised()
    {
        const SparseTensor tensor = test::randomTensor({60000, 20000, 5000}, 400000, 10);
        for (const char* order : {"sorted", "blocked"}) {
            RunConfig config;
            config.algorithm = "fasttucker-plus";
            config.ranks = {4};
            config.parameters["entry-order"] = std::string(order);
            test::fixIterations(config, 1);
            config = resolve(config, tensor.dims());
            const double promised =
                double(algorithm(config.algorithm).estimateMemory(config, {tensor.dims(), tensor.entries(), 0}).hostBytes);
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            test::runOn(config, tensor);
            const double host = double(ArrayMemory::peak() - before);
            QVERIFY2(host <= promised && promised <= 1.1 * host, qPrintable(QStringLiteral("%1, promised %2").arg(host).arg(promised)));
        }
    }

    void aModeThatIsNotThereIsRefused()
    {
        RunConfig config;
        config.algorithm = "fasttucker";
        config.parameters["entry-order"] = std::string("sorted");
        config.parameters["sort-mode"] = std::int64_t{3};
        resolve(config, {5, 4, 3});
        QVERIFY_EXCEPTION_THROWN(resolve(config, {5, 4}), Error);
    }
};

QTEST_GUILESS_MAIN(EntryOrderTest)
#include "tst_entry_order.moc"
