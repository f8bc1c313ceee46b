// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/formats/hicoo.h"
#include "kernels/operations/mttkrp/mttkrp.h"
#include "support/fibre_trees.h"

#include <QtTest>

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

using namespace kernels;
using namespace kernels::formats;

namespace {

std::vector<test::NamedTensor> tensors()
{
    std::vector<test::NamedTensor> all = test::awkwardTensors();
    for (unsigned order = 2; order <= 10; ++order)
        all.push_back({"order " + std::to_string(order), test::randomTensor(test::dimsOfOrder(order), 3000, order)});
    all.push_back({"order 16, long modes", test::randomTensor(std::vector<Index>(16, 70'000), 400, 2, true)});
    all.push_back({"filled blocks", test::randomTensor({300, 70, 900}, 150'000, 4)});
    return all;
}

std::vector<test::Entry> sortedEntries(const SparseTensor& tensor)
{
    std::vector<unsigned> modes(tensor.order());
    std::iota(modes.begin(), modes.end(), 0u);
    auto entries = test::entriesInOrder(tensor, modes);
    std::sort(entries.begin(), entries.end(),
              [](const test::Entry& l, const test::Entry& r) { return std::tie(l.index, l.value) < std::tie(r.index, r.value); });
    return entries;
}

/// By the definition: which of two blocks comes first is told by the highest bit in which an index differs, of equally high ones
/// by that of the first mode.
bool before(const Index* a, const Index* b, unsigned order)
{
    unsigned decisive = 0;
    Index highest = 0;
    for (unsigned n = 0; n < order; ++n) {
        const Index differing = std::bit_floor(a[n] ^ b[n]);
        if (differing > highest) {
            highest = differing;
            decisive = n;
        }
    }
    return a[decisive] < b[decisive];
}

} // namespace

class HicooTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsTheEntriesInMortonOrder_data()
    {
        QTest::addColumn<std::size_t>("number");
        const auto all = tensors();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::addRow("%s", all[i].name.c_str()) << i;
    }

    void holdsTheEntriesInMortonOrder()
    {
        QFETCH(std::size_t, number);
        const SparseTensor tensor = std::move(tensors()[number].tensor);
        RunControl control;
        const Hicoo<double> hicoo = buildHicoo<double>(tensor, control);
        const unsigned order = hicoo.order();
        QVERIFY(hicoo.blockCount() <= hicooBlocks(hicoo.dims, hicoo.entries()));
        QCOMPARE(Count{hicoo.begins[hicoo.blockCount()]}, tensor.entries());
        for (Count block = 1; block < hicoo.blockCount(); ++block) {
            QVERIFY(hicoo.begins[block] > hicoo.begins[block - 1]);
            QVERIFY(before(&hicoo.blocks[(block - 1) * order], &hicoo.blocks[block * order], order));
        }
        const SparseTensor back = toCoo(hicoo);
        for (Count block = 0; block < hicoo.blockCount(); ++block)
            for (Count e = hicoo.begins[block] + Count{1}; e < hicoo.begins[block + 1]; ++e) {
                const auto indexOf = [&](Count entry) {
                    std::vector<Index> index;
                    for (unsigned n = 0; n < order; ++n)
                        index.push_back(back.indices[n][entry]);
                    return index;
                };
                QVERIFY(indexOf(e - 1) <= indexOf(e));
            }
        QVERIFY(std::all_of(hicoo.offsets.begin(), hicoo.offsets.end(), [](unsigned char offset) { return offset < hicooBlockRows; }));
        QVERIFY(sortedEntries(back) == sortedEntries(tensor));
    }

    void hasTheSameBitsForAnyNumberOfThreads()
    {
        const SparseTensor tensor = test::randomTensor({2000, 700, 900}, 200'000, 5);
        const auto built = [&](int threads) {
            return test::withThreads(threads, [&] {
                RunControl control;
                return buildHicoo<float>(tensor, control);
            });
        };
        QVERIFY(built(1) == built(3));
    }

    /// Where blocks are full and where each has one entry; between, the number of blocks is a bound.
    void takesWhatItPromises()
    {
        RunControl control;
        for (const std::vector<Index>& dims : {std::vector<Index>{400, 9'000, 30}, {200'000, 300'000, 500'000}, {3000, 4000}}) {
            const SparseTensor tensor = test::randomTensor(dims, 300'000, 8);
            for (const unsigned valueBytes : {4u, 8u}) {
                const std::uint64_t kept = hicooBytes(dims, tensor.entries(), valueBytes);
                const std::uint64_t most = hicooBuildBytes(dims, tensor.entries(), valueBytes);
                ArrayMemory::restartPeak();
                const std::uint64_t beforeIt = ArrayMemory::now();
                const std::uint64_t bytes =
                    valueBytes == 4 ? buildHicoo<float>(tensor, control).bytes() : buildHicoo<double>(tensor, control).bytes();
                const std::uint64_t taken = ArrayMemory::peak() - beforeIt;
                QVERIFY2(bytes <= kept && static_cast<double>(kept) <= 1.1 * static_cast<double>(bytes),
                         qPrintable(QString("%1 of %2 promised").arg(bytes).arg(kept)));
                QVERIFY2(taken <= most && static_cast<double>(most) <= 1.1 * static_cast<double>(taken),
                         qPrintable(QString("%1 of %2 promised while it is built").arg(taken).arg(most)));
            }
        }
    }

    void productsTakeWhatTheyPromise()
    {
        RunControl control;
        const SparseTensor tensor = test::randomTensor({400, 9'000, 30}, 300'000, 8);
        const mttkrp::FormatBytes promised =
            mttkrp::bytesOn(DeviceKind::Cpu, "hicoo", {tensor.dims(), tensor.entries(), 0, 4}, {16}, sizeof(double));
        ArrayMemory::restartPeak();
        const std::uint64_t beforeIt = ArrayMemory::now();
        const auto operation = mttkrp::makeOnCpu<double>("hicoo", tensor, {16}, control);
        QVERIFY(ArrayMemory::peak() - beforeIt <= promised.most);
        QVERIFY(operation->bytes() <= promised.kept && operation->bytes() * 11 >= promised.kept * 10);
        const Array<double> rows(9'000 * 16, 1.0);
        Array<double> out(9'000 * 16);
        for (unsigned mode = 0; mode < 3; ++mode) {
            ArrayMemory::restartPeak();
            const std::uint64_t beforeProduct = ArrayMemory::now();
            operation->compute(mode, {{rows.data(), rows.data(), rows.data()}, 16}, out.data(), control);
            QVERIFY(ArrayMemory::peak() - beforeProduct <= promised.work);
        }
    }

    void stopsWhenAsked()
    {
        const SparseTensor tensor = test::randomTensor({30, 40, 50}, 10'000, 9);
        RunControl control;
        control.stop();
        QVERIFY_EXCEPTION_THROWN(buildHicoo<float>(tensor, control), Cancelled);
    }

    /// Every block is looked at for every mode's order, one after another.
    void listingBlocksAsksAllTheTime()
    {
        const SparseTensor tensor = test::randomTensor({1u << 20, 1u << 20, 1u << 20}, 1'000'000, 3); // a block an entry, nearly
        RunControl building, all;
        test::withThreads(1, [&] {
            buildHicoo<double>(tensor, building);
            mttkrp::makeOnCpu<double>("hicoo", tensor, {16}, all);
        });
        QVERIFY2(all.checkpoints() - building.checkpoints() >= 80, qPrintable(QString::number(all.checkpoints() - building.checkpoints())));
    }
};

QTEST_GUILESS_MAIN(HicooTest)
#include "tst_hicoo.moc"
