// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/device/tile_group.h"
#include "kernels/tensor/statistics.h"
#include "support/known_tensors.h"

#include <QtTest>

#include <atomic>
#include <stdexcept>

using namespace kernels;

namespace {

/// A sum of the values for every row of a mode.
std::vector<double> rowSums(const SparseTensor& tensor, unsigned mode)
{
    std::vector<double> sums(tensor.modes[mode].size, 0.0);
    for (Count e = 0; e < tensor.entries(); ++e)
        sums[tensor.indices[mode][e]] += tensor.value(e);
    return sums;
}

void arrange(TileGroup& group, const SparseTensor& tensor)
{
    RunControl control;
    std::vector<Array<Count>> counts;
    for (unsigned n = 0; n < tensor.order(); ++n)
        counts.push_back(sliceCounts(tensor, n, control));
    group.arrange(tensor, nullptr, counts, {1000, 8}, control);
    group.connect(control);
}

std::vector<DeviceId> ranks(unsigned count) { return std::vector<DeviceId>(count, DeviceId{}); }

} // namespace

/// What devices that share a run have in common, by ranks on the CPU.
class TileGroupTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void membersHaveSumsOverAllEntries_data()
    {
        QTest::addColumn<unsigned>("count");
        QTest::addColumn<double>("shareOfFirst");
        for (const unsigned count : {1U, 2U, 3U, 4U, 6U, 8U}) {
            QTest::addRow("%u", count) << count << 0.0;
            QTest::addRow("%u, a giant row", count) << count << 0.95;
        }
    }
    /// Of each row the same on all that have it, and put together the whole's.
    void membersHaveSumsOverAllEntries()
    {
        QFETCH(unsigned, count);
        QFETCH(double, shareOfFirst);
        const SparseTensor tensor = test::skewedTensor({13, 7, 5}, 900, shareOfFirst, 3, true);
        TileGroup group(ranks(count));
        arrange(group, tensor);
        RunControl control;
        for (unsigned n = 0; n < 3; ++n) {
            std::vector<Matrix> sums(count);
            group.together(control, [&](unsigned member, RunControl&) {
                std::exception_ptr problem;
                group.addUp(n, member, problem, [&] {
                    const std::vector<double> own = rowSums(group.train(member), n);
                    sums[member] = Matrix(own.size(), 1, true);
                    auto& numbers = std::get<Array<double>>(sums[member].data);
                    std::copy(own.begin(), own.end(), numbers.begin());
                    return std::vector{SharedNumbers{numbers.data(), numbers.size(), Precision::Fp64}};
                });
                if (problem)
                    std::rethrow_exception(problem);
            });
            const Matrix whole = group.stacked(n, [&](unsigned member) -> const Matrix& { return sums[member]; });
            const std::vector<double> expected = rowSums(tensor, n);
            QCOMPARE(whole.rows, expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i)
                QVERIFY(std::abs(whole.at(i, 0) - expected[i]) <= 1e-12 * (1 + std::abs(expected[i])));
            for (unsigned member = 0; member < count; ++member)
                QVERIFY(group.partOf(n, member, whole, control).data == sums[member].data);
        }
    }

    /// Nobody adds up or waits for it, its cause is told, and the group works on.
    void aMemberWithAProblemEndsAll()
    {
        const SparseTensor tensor = test::skewedTensor({13, 7, 5}, 900, 0.95, 3, true);
        TileGroup group(ranks(4));
        arrange(group, tensor);
        const unsigned mode = group.sharesRows(1) ? 1 : 2;
        QVERIFY(group.sharesRows(mode));
        std::vector<std::vector<double>> sums(4);
        std::atomic<unsigned> wentOn{0};
        const auto add = [&](int failing) {
            RunControl control;
            wentOn = 0;
            group.together(control, [&](unsigned member, RunControl&) {
                std::exception_ptr problem;
                wentOn += group.addUp(mode, member, problem, [&] {
                    if (int(member) == failing)
                        throw std::runtime_error("this one ran out of paper");
                    sums[member] = rowSums(group.train(member), mode);
                    return std::vector{SharedNumbers{sums[member].data(), sums[member].size(), Precision::Fp64}};
                });
                if (problem)
                    std::rethrow_exception(problem);
            });
        };
        for (const int failing : {0, 3}) {
            try {
                add(failing);
                QFAIL("nobody was told");
            } catch (const std::runtime_error& e) {
                QCOMPARE(std::string(e.what()), std::string("this one ran out of paper"));
            }
            QCOMPARE(wentOn.load(), 0U);
            for (unsigned member = 0; member < 4; ++member)
                QVERIFY(int(member) == failing || sums[member] == rowSums(group.train(member), mode));
        }
        add(-1);
        QCOMPARE(wentOn.load(), 4U);
        for (unsigned member = 0; member < 4; ++member)
            QVERIFY(sums[member] == sums[group.grid().havers(mode, group.grid().partOf(member, mode)).front()]);
    }
};

QTEST_GUILESS_MAIN(TileGroupTest)
#include "tst_tile_group.moc"
