// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/formats/blco.h"
#include "kernels/operations/mttkrp/mttkrp.h"
#include "support/fibre_trees.h"

#include <QtTest>

#include <map>
#include <set>

using namespace kernels;
using namespace kernels::formats;

namespace {

/// Entries by coordinates, values of equal ones in their order.
std::map<std::vector<Index>, std::vector<double>> entriesOf(const SparseTensor& tensor)
{
    std::map<std::vector<Index>, std::vector<double>> entries;
    for (Count e = 0; e < tensor.entries(); ++e)
        entries[test::indexOf(tensor, e)].push_back(tensor.value(e));
    return entries;
}

/// A bit of every mode after another, from the lowest on, as a text that compares like the number: by another way than the builder's.
std::string linearised(const std::vector<Index>& index, const std::vector<Index>& dims)
{
    std::vector<unsigned> modes(dims.size());
    std::iota(modes.begin(), modes.end(), 0u);
    std::stable_sort(modes.begin(), modes.end(), [&](unsigned a, unsigned b) { return dims[a] < dims[b]; });
    std::string text;
    for (unsigned bit = 32; bit-- > 0;)
        for (auto mode = modes.rbegin(); mode != modes.rend(); ++mode)
            text += static_cast<char>('0' + (index[*mode] >> bit & 1));
    return text;
}

std::vector<test::NamedTensor> tensors()
{
    constexpr Index most = 4'294'967'295;
    std::vector<test::NamedTensor> all = test::awkwardTensors();
    all.push_back({"order 16", test::randomTensor(std::vector<Index>(16, 3), 500, 16)});
    all.push_back({"order 16, longest", test::randomTensor(std::vector<Index>(16, most), 300, 17)});
    all.push_back({"64 bits", test::randomTensor({most, most}, 900, 18)});
    all.push_back({"65 bits", test::randomTensor({most, 2, most}, 900, 19, true)});
    all.push_back({"few blocks", test::randomTensor({1 << 20, 1 << 22, 1 << 24}, 70'000, 20)});
    return all;
}

} // namespace

/// Blocked linearised coordinates on the CPU.
class BlcoTest : public QObject {
    Q_OBJECT

    static void addTensors()
    {
        QTest::addColumn<std::size_t>("which");
        const auto all = tensors();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::addRow("%s", all[i].name.c_str()) << i;
    }

private Q_SLOTS:
    void holdsTheEntriesInTheirOrder_data() { addTensors(); }
    void holdsTheEntriesInTheirOrder()
    {
        QFETCH(std::size_t, which);
        const SparseTensor tensor = tensors()[which].tensor;
        RunControl control;
        const Blco<double> blco = buildBlco<double>(tensor, control);
        const SparseTensor back = toCoo(blco);
        back.check();
        QVERIFY(entriesOf(back) == entriesOf(tensor));
        for (Count e = 1; e < back.entries(); ++e)
            QVERIFY(linearised(test::indexOf(back, e - 1), tensor.dims()) <= linearised(test::indexOf(back, e), tensor.dims()));
    }

    void blocksShareWhatIsAboveTheirWords_data() { addTensors(); }
    void blocksShareWhatIsAboveTheirWords()
    {
        QFETCH(std::size_t, which);
        const SparseTensor tensor = tensors()[which].tensor;
        RunControl control;
        const Blco<float> blco = buildBlco<float>(tensor, control);
        std::set<std::vector<Index>> seen;
        const unsigned order = tensor.order();
        for (Count block = 0; block < blco.blocks(); ++block) {
            QVERIFY(blco.begins[block] < blco.begins[block + 1]);
            const auto base = blco.bases.begin() + static_cast<std::ptrdiff_t>(block * order);
            QVERIFY(seen.insert(std::vector<Index>(base, base + order)).second);
        }
        if (blco.plan.words.size() == 1)
            QCOMPARE(blco.blocks(), Count{tensor.entries() > 0 ? 1u : 0u});
    }

    void hasTheSameBitsForAnyNumberOfThreads()
    {
        for (const auto& dims : {std::vector<Index>{3000, 400, 50}, {1 << 20, 1 << 22, 1 << 24}}) {
            const SparseTensor tensor = test::randomTensor(dims, 200'000, 3);
            const auto built = [&](int threads) {
                return test::withThreads(threads, [&] {
                    RunControl control;
                    return buildBlco<float>(tensor, control);
                });
            };
            QVERIFY(built(1) == built(3));
        }
    }

    /// Never too small, and not far too large.
    void takesWhatItPromises()
    {
        RunControl control;
        for (const auto& dims : {std::vector<Index>{400, 90'000, 30}, {1 << 20, 1 << 22, 1 << 24}, {2'000'000'000, 2'000'000'000, 500}}) {
            const SparseTensor tensor = test::randomTensor(dims, 300'000, 8);
            const BlcoPlan plan = planBlco(dims);
            const std::uint64_t kept = blcoBytes(plan, tensor.entries(), 4), most = blcoBuildBytes(plan, tensor.entries(), 4);
            ArrayMemory::restartPeak();
            const std::uint64_t before = ArrayMemory::now();
            const auto blco = buildBlco<float>(tensor, control);
            const std::uint64_t taken = ArrayMemory::peak() - before;
            QVERIFY2(blco.bytes() <= kept && static_cast<double>(kept) <= 1.1 * static_cast<double>(blco.bytes()),
                     qPrintable(QString("%1 of %2 promised").arg(blco.bytes()).arg(kept)));
            QVERIFY2(taken <= most && static_cast<double>(most) <= 1.1 * static_cast<double>(taken),
                     qPrintable(QString("%1 of %2 promised").arg(taken).arg(most)));
        }
    }

    /// What a product takes beside it.
    void productsTakeWhatTheyPromise()
    {
        const SparseTensor tensor = test::randomTensor({400, 90'000, 30}, 300'000, 8);
        const ProblemShape shape{tensor.dims(), tensor.entries(), 0, 4};
        for (const unsigned rank : {1u, 16u, 100u}) {
            RunControl control;
            const std::size_t stride = mttkrp::hostStride<float>(rank);
            const auto operation = mttkrp::makeOnCpu<float>("blco", tensor, {rank}, control);
            std::vector<Array<float>> rows;
            mttkrp::Factors<float> factors{{}, stride};
            for (const Index size : tensor.dims())
                factors.rows.push_back(rows.emplace_back(size * stride, 1.0f).data());
            Array<float> out(90'000 * stride);
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            operation->compute(1, factors, out.data(), control);
            const auto taken = static_cast<double>(ArrayMemory::peak() - before);
            const auto promised = static_cast<double>(mttkrp::bytesOn(DeviceKind::Cpu, "blco", shape, {rank}, 4).work);
            QVERIFY2(taken <= promised && promised <= 1.1 * taken, qPrintable(QString("%1 of %2 promised").arg(taken).arg(promised)));
        }
    }

    void stopsWhenAsked()
    {
        const SparseTensor tensor = test::randomTensor({300, 200, 100}, 1000, 2);
        RunControl control;
        control.stop();
        QVERIFY_EXCEPTION_THROWN(buildBlco<float>(tensor, control), Cancelled);
    }
};

QTEST_GUILESS_MAIN(BlcoTest)
#include "tst_blco.moc"
