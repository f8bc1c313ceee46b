// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/formats/bcsf.h"
#include "kernels/formats/csf_builder.h"
#include "kernels/tensor/statistics.h"
#include "support/fibre_trees.h"

#include <QtTest>

using namespace kernels;
using namespace kernels::formats;

namespace {

const std::vector<test::NamedTensor>& tensors()
{
    static const std::vector<test::NamedTensor> all = test::awkwardTensors();
    return all;
}

void addTensors()
{
    QTest::addColumn<std::size_t>("tensor");
    for (std::size_t i = 0; i < tensors().size(); ++i)
        QTest::addRow("%s", tensors()[i].name.c_str()) << i;
}

std::vector<BcsfLimits> someLimits() { return {{1, 1}, {1, 7}, {2, 3}, {2, 64}, {128, 255}, {}}; }

/// Every node has children and no two neighbours below one parent are alike; leaves may be.
bool isCompressed(const Csf& tree)
{
    for (std::size_t level = 0; level < tree.levels.size(); ++level) {
        const auto& [indices, children] = tree.levels[level];
        const bool fibres = level + 1 == tree.levels.size();
        const Array<Index>& below = fibres ? tree.leaves : tree.levels[level + 1].indices;
        if (test::sizeOf(children) != indices.size() + 1 || test::at(children, 0) != 0
            || test::at(children, indices.size()) != below.size())
            return false;
        for (Count node = 0; node < indices.size(); ++node) {
            const Count begin = test::at(children, node), end = test::at(children, node + 1);
            for (Count child = begin + 1; child < end; ++child)
                if (fibres ? below[child - 1] > below[child] : below[child - 1] >= below[child])
                    return false;
            if (begin >= end || (level == 0 && node > 0 && indices[node - 1] >= indices[node]))
                return false;
        }
    }
    return true;
}

/// The node of a level that has a fibre below it.
Count ancestor(const Csf& tree, std::size_t level, Count fibre)
{
    for (std::size_t l = tree.levels.size() - 1; l-- > level;) {
        Count node = 0;
        while (test::at(tree.levels[l].children, node + 1) <= fibre)
            ++node;
        fibre = node;
    }
    return fibre;
}

SparseTensor large(bool severalKeys) // more than a chunk, its last one cut
{
    constexpr Index most = 4'000'000'000;
    return severalKeys ? test::randomTensor({most, 3, most, 40}, 200'001, 1, true) : test::randomTensor({300, 40, 500}, 200'001, 1);
}

} // namespace

/// Trees of fibres, plain (Csf) and balanced (Bcsf), built on the CPU.
class CsfTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsTheEntriesInEveryOrderOfModes_data() { addTensors(); }
    void holdsTheEntriesInEveryOrderOfModes()
    {
        QFETCH(std::size_t, tensor);
        const SparseTensor& entries = tensors()[tensor].tensor;
        RunControl control;
        for (const std::vector<unsigned>& modeOrder : test::modeOrders(entries.dims())) {
            const Csf tree = buildCsf(entries, modeOrder, control);
            QVERIFY(tree.modeOrder == modeOrder && tree.dims == entries.dims());
            QVERIFY(isCompressed(tree));
            const std::vector<test::Entry> expected = test::entriesInOrder(entries, modeOrder);
            QVERIFY(test::entriesOf(tree) == expected);
            const SparseTensor back = toCoo(tree, control);
            QVERIFY(back.dims() == entries.dims() && back.values.index() == entries.values.index() && back.entries() == expected.size());
            QCOMPARE(back.sorted, std::is_sorted(modeOrder.begin(), modeOrder.end()));
            for (Count e = 0; e < back.entries(); ++e)
                QVERIFY((test::Entry{test::indexOf(back, e), back.value(e)}) == expected[e]);
        }
    }

    /// By hand: (0,1,2) (0,1,0) (2,0,0) (0,3,2), rooted at the last mode.
    void aSmallTreeIsAsDrawn()
    {
        SparseTensor entries({3, 4, 3}, 4);
        entries.indices = {{0, 0, 2, 0}, {1, 1, 0, 3}, {2, 0, 0, 2}};
        entries.values = Array<float>{1, 2, 3, 4};
        RunControl control;
        const Csf tree = buildCsf(entries, {2, 0, 1}, control);
        QVERIFY(tree.levels[0].indices == (Array<Index>{0, 2}));
        QVERIFY(tree.levels[0].children == Offsets(Array<std::uint32_t>{0, 2, 3}));
        QVERIFY(tree.levels[1].indices == (Array<Index>{0, 2, 0}));
        QVERIFY(tree.levels[1].children == Offsets(Array<std::uint32_t>{0, 1, 2, 4}));
        QVERIFY(tree.leaves == (Array<Index>{1, 0, 1, 3}));
        QVERIFY(tree.values == SparseTensor::Values(Array<float>{2, 3, 1, 4}));
        QCOMPARE(tree.bytes(), std::uint64_t{(2 + 3 + 3 + 4 + 4 + 4) * 4});
    }

    void cuttingKeepsTheEntriesAndTheLimits_data() { addTensors(); }
    void cuttingKeepsTheEntriesAndTheLimits()
    {
        QFETCH(std::size_t, tensor);
        const SparseTensor& entries = tensors()[tensor].tensor;
        RunControl control;
        for (const std::vector<unsigned>& modeOrder : test::modeOrders(entries.dims()))
            for (const BcsfLimits& limits : someLimits()) {
                const Bcsf cut = buildBcsf(entries, modeOrder, limits, control);
                QVERIFY(test::entriesOf(cut.tree) == test::entriesInOrder(entries, modeOrder));
                const Offsets& leaves = cut.tree.levels.back().children;
                for (Count fibre = 0; fibre < cut.tree.fibres(); ++fibre) {
                    const Count size = test::at(leaves, fibre + 1) - test::at(leaves, fibre);
                    QVERIFY(size >= 1 && size <= limits.fibreLeaves);
                }
                const Offsets& begins = cut.blockBegins.back();
                QVERIFY(test::at(begins, 0) == 0 && test::at(begins, cut.blocks()) == cut.tree.fibres());
                for (Count block = 0; block < cut.blocks(); ++block) {
                    const Count size = test::at(leaves, test::at(begins, block + 1)) - test::at(leaves, test::at(begins, block));
                    QVERIFY(size >= 1 && size <= limits.blockEntries);
                }
            }
    }

    /// Fibres are cut nowhere but at the limit, and slices no finer than they must be.
    void cutsAreFew_data() { addTensors(); }
    void cutsAreFew()
    {
        QFETCH(std::size_t, tensor);
        const SparseTensor& entries = tensors()[tensor].tensor;
        RunControl control;
        for (const std::vector<unsigned>& modeOrder : test::modeOrders(entries.dims()))
            for (const BcsfLimits& limits : someLimits()) {
                const Csf whole = buildCsf(entries, modeOrder, control);
                Count pieces = 0;
                for (Count fibre = 0; fibre < whole.fibres(); ++fibre) {
                    const Offsets& leaves = whole.levels.back().children;
                    pieces += fibrePieces(test::at(leaves, fibre + 1) - test::at(leaves, fibre), limits);
                }
                const Bcsf cut = balance(whole, limits, control);
                QCOMPARE(cut.tree.fibres(), pieces);
                const Count window = limits.blockEntries - limits.fibreLeaves + 1;
                QVERIFY(cut.blocks() <= whole.levels.front().indices.size() + entries.entries() / window);
                if (pieces == whole.fibres())
                    QVERIFY(cut.tree == whole);
            }
    }

    void blocksStandInOneSliceAndKnowTheirNodes_data() { addTensors(); }
    void blocksStandInOneSliceAndKnowTheirNodes()
    {
        QFETCH(std::size_t, tensor);
        const SparseTensor& entries = tensors()[tensor].tensor;
        RunControl control;
        for (const BcsfLimits& limits : someLimits()) {
            const Bcsf cut = buildBcsf(entries, rootedAt(entries.dims(), 0), limits, control);
            const auto slice = [&](Count fibre) { return cut.tree.levels.front().indices[ancestor(cut.tree, 0, fibre)]; };
            for (Count block = 0; block < cut.blocks(); ++block) {
                const Count begin = test::at(cut.blockBegins.back(), block), end = test::at(cut.blockBegins.back(), block + 1);
                QCOMPARE(slice(begin), slice(end - 1));
                for (std::size_t level = 0; level < cut.blockBegins.size(); ++level)
                    QCOMPARE(test::at(cut.blockBegins[level], block), ancestor(cut.tree, level, begin));
            }
            for (std::size_t level = 0; level < cut.blockBegins.size(); ++level)
                QCOMPARE(test::at(cut.blockBegins[level], cut.blocks()), Count{cut.tree.levels[level].indices.size()});
        }
    }

    void oneSliceAndOneFibreBecomeManyPieces()
    {
        RunControl control;
        const auto cut = [&](const char* name, const BcsfLimits& limits) {
            for (const test::NamedTensor& one : tensors())
                if (one.name == name)
                    return buildBcsf(one.tensor, {0, 1, 2}, limits, control);
            throw std::logic_error(name);
        };
        const Bcsf slice = cut("one slice", {2, 64});
        QCOMPARE(slice.tree.levels.front().indices.size(), std::size_t{1});
        QVERIFY(slice.blocks() >= 2000 / 64);
        const Bcsf fibre = cut("one fibre", {});
        QCOMPARE(fibre.tree.fibres(), Count{16}); // 2000 leaves: 15 × 128 + 80
        QCOMPARE(fibre.blocks(), Count{3}); // windows of 897 leaves begin with fibres 0, 8 and 15
        QVERIFY(fibre.blockBegins.back() == Offsets(Array<std::uint32_t>{0, 8, 15, 16}));
    }

    void anyNumberOfThreadsMakesTheSameTree_data()
    {
        QTest::addColumn<bool>("severalKeys");
        QTest::newRow("one key") << false;
        QTest::newRow("several keys") << true;
    }
    void anyNumberOfThreadsMakesTheSameTree()
    {
        QFETCH(bool, severalKeys);
        const SparseTensor tensor = large(severalKeys);
        const std::vector<unsigned> modeOrder = rootedAt(tensor.dims(), 1);
        const BcsfLimits limits{4, 100};
        const auto build = [&] {
            RunControl control;
            return buildBcsf(tensor, modeOrder, limits, control);
        };
        const Bcsf alone = test::withThreads(1, build);
        QVERIFY(test::entriesOf(alone.tree) == test::entriesInOrder(tensor, modeOrder));
        QVERIFY(test::withThreads(2, build) == alone);
        QVERIFY(test::withThreads(5, build) == alone);
    }

    /// What trees of 2^32 entries and more have, on trees that fit a test.
    void wideOffsetsSayTheSame()
    {
        const SparseTensor tensor = large(false);
        RunControl control;
        const Bcsf narrow = buildBcsf(tensor, {2, 0, 1}, {2, 50}, control);
        const Bcsf wide = buildBcsf(tensor, {2, 0, 1}, {2, 50}, control, OffsetWidth::Wide);
        const auto sameOffsets = [](const Offsets& a, const Offsets& b) {
            const auto& narrowOnes = std::get<Array<std::uint32_t>>(a);
            const auto& wideOnes = std::get<Array<std::uint64_t>>(b);
            return std::equal(narrowOnes.begin(), narrowOnes.end(), wideOnes.begin(), wideOnes.end());
        };
        for (std::size_t level = 0; level < 2; ++level) {
            QVERIFY(narrow.tree.levels[level].indices == wide.tree.levels[level].indices);
            QVERIFY(sameOffsets(narrow.tree.levels[level].children, wide.tree.levels[level].children));
            QVERIFY(sameOffsets(narrow.blockBegins[level], wide.blockBegins[level]));
        }
        QVERIFY(test::same(toCoo(narrow.tree, control), toCoo(wide.tree, control)));
        QVERIFY(!needsWideOffsets((Count{1} << 32) - 1) && needsWideOffsets(Count{1} << 32));
    }

    void aStopIsHonoured()
    {
        const SparseTensor tensor = large(false);
        const SparseTensor before = tensor;
        RunControl whole;
        test::withThreads(1, [&] { buildBcsf(tensor, {2, 0, 1}, {2, 50}, whole); });
        // Two a pass over the entries, at its beginning and end: 4 copies, 1 look at the order, 1 for keys, 2 for each of 3 digits,
        // 1 reading keys back, 2 for the levels; then for running sums 2 over the fibres and 2 over the slices, 1 for the fibres'
        // pieces, 1 for their parents and 1 for the blocks of each level.
        QVERIFY2(whole.checkpoints() >= 2 * (4 + 1 + 1 + 6 + 1 + 2 + 4 + 1 + 1 + 2), qPrintable(QString::number(whole.checkpoints())));
        RunControl stopped;
        stopped.stop();
        QVERIFY_EXCEPTION_THROWN(buildCsf(tensor, {2, 0, 1}, stopped), Cancelled);
        QCOMPARE(stopped.checkpoints(), std::uint64_t{1});
        RunControl control;
        const Csf tree = buildCsf(tensor, {2, 0, 1}, control);
        QVERIFY_EXCEPTION_THROWN(balance(tree, {}, stopped), Cancelled);
        QVERIFY_EXCEPTION_THROWN(toCoo(tree, stopped), Cancelled);
        QVERIFY(test::same(tensor, before));
    }

    void memoryStaysWithinWhatIsPromised_data() { anyNumberOfThreadsMakesTheSameTree_data(); }
    void memoryStaysWithinWhatIsPromised()
    {
        QFETCH(bool, severalKeys);
        const SparseTensor tensor = large(severalKeys);
        const unsigned valueBytes = severalKeys ? 8 : 4;
        for (const BcsfLimits& limits : someLimits()) {
            const std::vector<unsigned> modeOrder = leavesAt(tensor.dims(), 1);
            const std::vector<Count> nodes = csfNodes(tensor.dims(), modeOrder, tensor.entries());
            RunControl control;
            std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            Csf tree = buildCsf(tensor, modeOrder, control);
            const std::uint64_t pages = 32 * 4096; // small arrays are counted as pages
            QVERIFY(ArrayMemory::peak() - before <= csfBuildBytes(tensor.dims(), modeOrder, tensor.entries(), valueBytes) + pages);
            QVERIFY(tree.bytes() <= csfBytes(nodes, tensor.entries(), valueBytes));
            tree = {};
            before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            const Bcsf cut = buildBcsf(tensor, modeOrder, limits, control);
            QVERIFY(ArrayMemory::peak() - before <= bcsfBuildBytes(tensor.dims(), modeOrder, tensor.entries(), valueBytes, limits) + pages);
            QVERIFY(cut.bytes() <= bcsfBytes(nodes, tensor.entries(), valueBytes, limits));
        }
    }

    void estimatesHoldAndStatisticsMakeThemExact()
    {
        RunControl control;
        for (const auto& [name, tensor] : tensors()) {
            const TensorStatistics statistics = computeStatistics(tensor.dims().front() > 1'000'000 ? SparseTensor({2, 2}, 0) : tensor);
            const unsigned valueBytes = tensor.hasDoubleValues() ? 8 : 4;
            const ProblemShape shape{tensor.dims(), tensor.entries(), 0};
            std::uint64_t plain = 0, balanced = 0;
            for (unsigned mode = 0; mode < tensor.order(); ++mode) {
                const Bcsf cut = buildBcsf(tensor, rootedAt(tensor.dims(), mode), {}, control);
                const Csf tree = buildCsf(tensor, rootedAt(tensor.dims(), mode), control);
                plain += tree.bytes();
                balanced += cut.bytes();
                if (statistics.modes.size() != tensor.order())
                    continue;
                std::vector<Index> slices;
                for (unsigned n = 0; n < tensor.order(); ++n)
                    slices.push_back(tensor.modes[n].size - static_cast<Index>(statistics.modes[n].emptySlices));
                const std::vector<Count> nodes = csfNodes(slices, tree.modeOrder, tensor.entries());
                QCOMPARE(nodes.front(), Count{tree.levels.front().indices.size()});
                QVERIFY(tree.bytes() <= csfBytes(nodes, tensor.entries(), valueBytes));
                if (tensor.order() == 2)
                    QCOMPARE(tree.bytes(), csfBytes(nodes, tensor.entries(), valueBytes));
            }
            QVERIFY2(plain <= tensorFormat("csf").bytes(shape, valueBytes), name.c_str());
            QVERIFY2(balanced <= tensorFormat("bcsf").bytes(shape, valueBytes), name.c_str());
        }
    }

    void theBuilderOfTheTableBuildsTheSame()
    {
        const SparseTensor tensor = test::randomTensor({30, 40, 50}, 2000, 9, true);
        RunControl control;
        const auto builder = makeCsfBuilder(Precision::Fp64, DeviceId{});
        QVERIFY_EXCEPTION_THROWN(builder->build({0, 1, 2}, {}, control), Error);
        builder->load(tensor, control);
        builder->build({2, 0, 1}, {}, control);
        const Bcsf plain = builder->take(control);
        QVERIFY(plain.tree == buildCsf(tensor, {2, 0, 1}, control));
        QCOMPARE(plain.blocks(), Count{0});
        QVERIFY_EXCEPTION_THROWN(builder->take(control), Error);
        builder->build({2, 0, 1}, BcsfLimits{2, 64}, control);
        QVERIFY_EXCEPTION_THROWN(builder->merge(tensor, Duplicates::Keep, control), Error); // blocks would have to be cut anew
        QVERIFY(builder->take(control) == buildBcsf(tensor, {2, 0, 1}, {2, 64}, control));
        QVERIFY_EXCEPTION_THROWN(builder->merge(tensor, Duplicates::Keep, control), Error);
        builder->build({2, 0, 1}, {}, control);
        builder->merge(SparseTensor({1, 2, 90}, 0), Duplicates::Keep, control);
        QCOMPARE(builder->take(control).tree.dims, (std::vector<Index>{30, 40, 90}));
    }

    void modesStandByGrowingSize()
    {
        const std::vector<Index> dims{480189, 17770, 2182, 17770};
        QVERIFY(rootedAt(dims, 0) == (std::vector<unsigned>{0, 2, 1, 3}));
        QVERIFY(leavesAt(dims, 1) == (std::vector<unsigned>{2, 3, 0, 1}));
    }

    void whatCannotBeIsRefused()
    {
        const SparseTensor tensor = test::randomTensor({4, 5, 6}, 10, 1);
        RunControl control;
        for (const std::vector<unsigned>& wrong : {std::vector<unsigned>{0, 1}, {0, 1, 1}, {0, 1, 3}, {0, 1, 2, 3}})
            QVERIFY_EXCEPTION_THROWN(buildCsf(tensor, wrong, control), Error);
        for (const BcsfLimits& wrong : {BcsfLimits{0, 10}, {128, 254}, {0xFFFFFFFF, 0xFFFFFFFF}})
            QVERIFY_EXCEPTION_THROWN(buildBcsf(tensor, {0, 1, 2}, wrong, control), Error);
    }
};

QTEST_GUILESS_MAIN(CsfTest)
#include "tst_csf.moc"
