// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "kernels/base/error.h"
#include "kernels/formats/csf_builder.h"
#include "kernels/formats/csf_merge.h"
#include "support/fibre_trees.h"
#include "support/new_entries.h"

#include <QtTest>

using namespace kernels;
using namespace kernels::formats;
using test::exactTensor;
using test::joined;
using test::loaded;

namespace {

using Batches = std::vector<SparseTensor>;

constexpr DeviceId cpu{}, gpu{DeviceKind::Cuda, 0};
constexpr Duplicates policies[] = {Duplicates::Sum, Duplicates::Last, Duplicates::Max, Duplicates::Keep};

std::unique_ptr<CsfBuilder> builderOf(const SparseTensor& tensor, const DeviceId& device)
{
    RunControl control;
    auto builder = makeCsfBuilder(tensor.hasDoubleValues() ? Precision::Fp64 : Precision::Fp32, device);
    builder->load(tensor, control);
    return builder;
}

Csf mergedBy(CsfBuilder& builder, const std::vector<unsigned>& modeOrder, const Batches& batches, Duplicates duplicates)
{
    RunControl control;
    builder.build(modeOrder, {}, control);
    for (const SparseTensor& batch : batches)
        builder.merge(batch, duplicates, control);
    return builder.take(control).tree;
}

/// What differs, or nothing: the GPU's tree after all batches from the CPU's, and from that built there of all entries at once (values
/// have to be such that it does not matter in which steps they are summed).
std::string difference(const SparseTensor& first, const Batches& batches, Duplicates duplicates,
                       const std::vector<std::vector<unsigned>>& modeOrders, bool alsoAtOnce = true)
{
    SparseTensor all = first;
    for (const SparseTensor& batch : batches)
        all = loaded(joined(all, batch), duplicates);
    const auto onCpu = builderOf(first, cpu), onGpu = builderOf(first, gpu), ofAll = builderOf(all, gpu);
    for (const std::vector<unsigned>& modeOrder : modeOrders) {
        const std::string place = ", tree rooted at mode " + std::to_string(modeOrder.front() + 1);
        const Csf merged = mergedBy(*onGpu, modeOrder, batches, duplicates);
        if (merged != mergedBy(*onCpu, modeOrder, batches, duplicates))
            return "not the CPU's" + place;
        if (alsoAtOnce && merged != mergedBy(*ofAll, modeOrder, {}, duplicates))
            return "not the one built at once" + place;
    }
    return {};
}

/// For all that can become of duplicates.
std::string difference(const SparseTensor& first, const Batches& batches, const std::vector<std::vector<unsigned>>& modeOrders)
{
    for (const Duplicates duplicates : policies) {
        const std::string found = difference(loaded(first, duplicates), batches, duplicates, modeOrders);
        if (!found.empty())
            return found + ", duplicates " + std::to_string(static_cast<int>(duplicates));
    }
    return {};
}

/// Every index times factor plus shift, in modes of so many more.
SparseTensor spread(SparseTensor tensor, Index factor, Index shift)
{
    for (unsigned n = 0; n < tensor.order(); ++n) {
        tensor.modes[n].size = tensor.modes[n].size * factor + shift;
        for (Index& index : tensor.indices[n])
            index = index * factor + shift;
    }
    return tensor;
}

SparseTensor later(SparseTensor tensor, unsigned mode, Index by)
{
    tensor.modes[mode].size += by;
    for (Index& index : tensor.indices[mode])
        index += by;
    return tensor;
}

} // namespace

#define POLYAD_SAME(...)                                                                                                                   \
    do {                                                                                                                                   \
        const std::string found = difference(__VA_ARGS__);                                                                                 \
        QVERIFY2(found.empty(), found.c_str());                                                                                            \
    } while (false)

/// New entries merged into a tree on a GPU: bit for bit what the CPU makes of it, and what is built of all entries at once.
class CudaCsfMergeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isTheTreeOfAllEntriesAtOnce_data()
    {
        QTest::addColumn<unsigned>("order");
        QTest::addColumn<bool>("doubles");
        for (unsigned order = 2; order <= 10; ++order)
            for (const bool doubles : {false, true})
                QTest::addRow("order %u, %s", order, doubles ? "double" : "float") << order << doubles;
    }
    /// From an empty tree on: batches of one entry and of many, some beyond the sizes so far, that meet entries, fibres and slices that
    /// stand, and fill empty slices.
    void isTheTreeOfAllEntriesAtOnce()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(unsigned, order);
        QFETCH(bool, doubles);
        const std::vector<Index> dims = test::dimsOfOrder(order);
        const std::vector<std::vector<unsigned>> all = test::someOrders(order);
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            Batches batches;
            std::vector<Index> grown = dims;
            for (std::uint64_t batch = 0; batch < 3; ++batch) {
                if (batch == 1)
                    grown[seed % order] += 2;
                batches.push_back(exactTensor(grown, batch == 0 ? 1 : 5 + 40 * batch, 100 * seed + batch, doubles));
            }
            POLYAD_SAME(exactTensor(dims, 70 * seed, seed, doubles), batches, {all.front(), all[1 + seed % (order - 1)], all.back()});
        }
    }

    void entriesThatExtendAMode()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor before = exactTensor({40, 30, 10}, 9000, 2, false);
        const Batches days{later(exactTensor({40, 30, 2}, 300, 3, false), 2, 10), later(exactTensor({40, 30, 1}, 1, 4, false), 2, 12)};
        POLYAD_SAME(before, days, test::modeOrders(before.dims()));
    }

    void entriesBetweenAndBeforeThoseThatStand()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor apart = exactTensor({20, 30, 10}, 3000, 5, true);
        POLYAD_SAME(spread(apart, 2, 1), {spread(exactTensor({20, 30, 10}, 2000, 6, true), 2, 0)}, test::modeOrders(apart.dims()));
        POLYAD_SAME(spread(apart, 1, 7), {exactTensor({7, 7, 7}, 150, 7, true), exactTensor({1, 1, 1}, 1, 8, true)},
                    test::modeOrders(apart.dims()));
    }

    void oneEntryAndNone()
    {
        POLYAD_NEEDS_GPU();
        for (const Count begun : {Count{0}, Count{1}, Count{60}}) {
            const SparseTensor before = exactTensor({5, 7, 4}, begun, 9, false);
            const std::vector<std::vector<unsigned>> modeOrders = test::modeOrders(before.dims());
            POLYAD_SAME(before, {exactTensor({5, 7, 4}, 1, 10, false)}, modeOrders);
            POLYAD_SAME(before, {SparseTensor({5, 7, 4}, 0)}, modeOrders);
            POLYAD_SAME(before, {SparseTensor({6, 7, 9}, 0), before}, modeOrders); // modes grow without an entry; all of them stand
        }
    }

    /// Many more than a block's tile of the kernel, at every depth of the tree.
    void giantSlicesAndFibres()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor slice = test::withOneIndex(exactTensor({9, 600, 500}, 200'000, 11, false), 0, 7);
        const SparseTensor fibre = test::withOneIndex(test::withOneIndex(exactTensor({9, 60, 90'000}, 50'000, 12, false), 0, 7), 1, 59);
        const Batches batches{test::withOneIndex(exactTensor({9, 700, 500}, 5000, 13, false), 0, 7),
                              exactTensor({9, 60, 90'000}, 300, 14, false)};
        POLYAD_SAME(slice, batches, {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}});
        POLYAD_SAME(fibre, batches, {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}});
        POLYAD_SAME(SparseTensor({1, 1, 1}, 0), {slice, fibre}, {{0, 1, 2}}); // more new ones than stand
    }

    void oneCoordinateManyTimes()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor same = exactTensor({1, 1, 1}, 5000, 15, true);
        POLYAD_SAME(exactTensor({3, 3, 3}, 10, 16, true), {same, same}, test::modeOrders({3, 3, 3}));
        POLYAD_SAME(SparseTensor({3, 3, 3}, 0, true), {later(same, 1, 2), same}, test::modeOrders({3, 3, 3}));
    }

    void longTrees()
    {
        POLYAD_NEEDS_GPU();
        constexpr Index large = 3'000'000'000;
        POLYAD_SAME(exactTensor({3000, 400, 500}, 1'000'001, 17, false), {exactTensor({3100, 400, 500}, 20'011, 18, false)},
                    Duplicates::Keep, {{0, 1, 2}, {2, 1, 0}});
        const SparseTensor keys = exactTensor({large, 40, large, 50}, 300'001, 19, true); // that take more than 64 bits
        POLYAD_SAME(loaded(keys, Duplicates::Sum), {exactTensor({large, 40, large, 50}, 20'011, 20, true), keys}, Duplicates::Sum,
                    {{0, 1, 2, 3}, {3, 1, 0, 2}});
    }

    void twentyBatchesInARow()
    {
        POLYAD_NEEDS_GPU();
        Batches batches;
        for (Index batch = 0; batch < 20; ++batch)
            batches.push_back(exactTensor({50 + batch, 40, 30}, 1 + 100 * (batch % 4), 30 + batch, batch % 2 == 0));
        POLYAD_SAME(exactTensor({50, 40, 30}, 2000, 21, true), batches, {{0, 1, 2}, {1, 2, 0}});
    }

    /// Sums are made in the CPU's order and rounded where it rounds.
    void sumsAreRoundedAsOnTheCpu()
    {
        POLYAD_NEEDS_GPU();
        for (const bool doubles : {false, true}) {
            Batches batches;
            for (std::uint64_t batch = 0; batch < 5; ++batch)
                batches.push_back(test::randomTensor({12, 11, 10}, 3000, 50 + batch, doubles));
            for (const Duplicates duplicates : policies)
                POLYAD_SAME(loaded(test::randomTensor({12, 11, 10}, 900, 22, doubles), duplicates), batches, duplicates,
                            {{0, 1, 2}, {2, 0, 1}}, false);
        }
    }

    void whatIsRefusedChangesNothing()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        const std::vector<unsigned> modeOrder{1, 2, 0};
        const SparseTensor before = loaded(exactTensor({9, 8, 7}, 100, 23, false), Duplicates::Sum);
        SparseTensor again({9, 8, 7}, 2), twice({9, 8, 9}, 3);
        for (unsigned n = 0; n < 3; ++n) {
            again.indices[n][0] = 0;
            again.indices[n][1] = before.indices[n][17];
            for (Count e = 0; e < 3; ++e)
                twice.indices[n][e] = e > 0 ? 6 + n : n == 2 ? 7 : 0; // beyond what stands
        }
        const auto onCpu = builderOf(before, cpu), onGpu = builderOf(before, gpu);
        onCpu->build(modeOrder, {}, control);
        onGpu->build(modeOrder, {}, control);
        const auto refusal = [&](CsfBuilder& builder, const SparseTensor& added, Duplicates duplicates) {
            try {
                builder.merge(added, duplicates, control);
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        for (const auto& [added, duplicates] : {std::pair{again, Duplicates::Error},
                                                {twice, Duplicates::Error},
                                                {again, Duplicates::Mean},
                                                {SparseTensor({9, 8}, 0), Duplicates::Keep}}) {
            const std::string told = refusal(*onCpu, added, duplicates);
            QVERIFY(!told.empty());
            QCOMPARE(refusal(*onGpu, added, duplicates), told);
        }
        RunControl stopped;
        stopped.stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, onGpu->merge(again, Duplicates::Keep, stopped));
        QVERIFY_THROWS_EXCEPTION(Cancelled, onGpu->merge(SparseTensor({9, 8, 7}, 0), Duplicates::Keep, stopped));
        QVERIFY(onGpu->take(control).tree == buildCsf(before, modeOrder, control));
        QVERIFY_THROWS_EXCEPTION(Error, onGpu->merge(again, Duplicates::Keep, control)); // none stands
        onGpu->build(modeOrder, BcsfLimits{}, control);
        QVERIFY_THROWS_EXCEPTION(Error, onGpu->merge(again, Duplicates::Keep, control)); // it is balanced
    }

    /// With Error, entries that meet nothing go in.
    void entriesThatMeetNothingAreNotRefused()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor before = loaded(exactTensor({9, 8, 7}, 100, 24, false), Duplicates::Sum);
        const SparseTensor days = loaded(later(exactTensor({9, 8, 3}, 60, 25, false), 2, 7), Duplicates::Sum);
        RunControl control;
        const auto onGpu = builderOf(before, gpu);
        for (const std::vector<unsigned>& modeOrder : test::modeOrders(before.dims()))
            QVERIFY(mergedBy(*onGpu, modeOrder, {days}, Duplicates::Error) == buildCsf(joined(before, days), modeOrder, control));
    }
};

QTEST_GUILESS_MAIN(CudaCsfMergeTest)
#include "tst_cuda_csf_merge.moc"
