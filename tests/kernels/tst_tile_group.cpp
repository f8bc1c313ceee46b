// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/device/tile_group.h"
#include "kernels/tensor/statistics.h"
#include "support/known_tensors.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <functional>
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

void arrange(TileGroup& group, const SparseTensor& tensor, bool all = false)
{
    RunControl control;
    std::vector<Array<Count>> counts;
    for (unsigned n = 0; n < tensor.order(); ++n)
        counts.push_back(sliceCounts(tensor, n, control));
    group.arrange(tensor, nullptr, counts, {1000, 8}, control);
    group.connect(control, all);
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

    /// A part that was added up stays so when one of the members cannot make the next.
    void partsAreAddedUpOneAfterAnother()
    {
        const SparseTensor tensor = test::skewedTensor({13, 7, 5}, 900, 0.95, 3, true);
        TileGroup group(ranks(4));
        arrange(group, tensor);
        const unsigned mode = group.sharesRows(1) ? 1 : 2, parts = 3;
        for (const int failing : {-1, 0, 2}) {
            RunControl control;
            std::vector<std::vector<double>> sums(4);
            std::atomic<unsigned> made{0}, wentOn{0};
            const auto add = [&] {
                group.together(control, [&](unsigned member, RunControl&) {
                    sums[member] = rowSums(group.train(member), mode);
                    std::exception_ptr problem;
                    wentOn += group.addUpParts(mode, member, problem, parts, [&](unsigned part) {
                        ++made;
                        if (int(member) == failing && part == 1)
                            throw std::runtime_error("this one ran out of paper");
                        const std::size_t size = sums[member].size(), begin = size * part / parts, end = size * (part + 1) / parts;
                        return std::vector{SharedNumbers{sums[member].data() + begin, end - begin, Precision::Fp64}};
                    });
                    if (problem)
                        std::rethrow_exception(problem);
                });
            };
            if (failing < 0)
                add();
            else
                QVERIFY_THROWS_EXCEPTION(std::runtime_error, add());
            QCOMPARE(made.load(), failing < 0 ? 12U : 8U);
            QCOMPARE(wentOn.load(), failing < 0 ? 4U : 0U);
            for (unsigned member = 0; member < 4; ++member) {
                std::vector<double> expected(sums[member].size(), 0.0), own = rowSums(group.train(member), mode);
                for (const unsigned other : group.grid().havers(mode, group.grid().partOf(member, mode))) {
                    const std::vector<double> more = rowSums(group.train(other), mode);
                    std::transform(more.begin(), more.end(), expected.begin(), expected.begin(), std::plus<>());
                }
                const std::size_t added = failing < 0 ? own.size() : own.size() / parts;
                for (std::size_t i = 0; i < own.size(); ++i)
                    QVERIFY(std::abs(sums[member][i] - (i < added ? expected : own)[i]) <= 1e-12 * std::abs(expected[i]));
            }
        }
    }

    /// And what all have, by a call for each communicator.
    void severalModesAreAddedUpAtOnce()
    {
        const SparseTensor tensor = test::skewedTensor({13, 7, 5}, 900, 0.95, 3, true);
        for (const unsigned count : {2U, 4U, 6U}) {
            TileGroup group(ranks(count));
            arrange(group, tensor, true);
            RunControl control;
            std::vector<std::vector<std::vector<double>>> sums(count); // [member][mode]
            std::vector<double> entries(count);
            group.together(control, [&](unsigned member, RunControl&) {
                std::exception_ptr problem;
                const bool wentOn = group.addUpSeveral(member, problem, [&](auto& ofModes, auto& ofAll) {
                    for (unsigned n = 0; n < 3; ++n) {
                        auto& own = sums[member].emplace_back(rowSums(group.train(member), n));
                        ofModes.push_back(n == 2 ? SharedNumbers{} : SharedNumbers{own.data(), own.size(), Precision::Fp64});
                    }
                    entries[member] = static_cast<double>(group.train(member).entries());
                    ofAll = {{&entries[member], 1, Precision::Fp64}};
                });
                QVERIFY(wentOn && !problem);
            });
            for (unsigned member = 0; member < count; ++member) {
                QCOMPARE(entries[member], static_cast<double>(tensor.entries()));
                for (unsigned n = 0; n < 3; ++n) {
                    const std::vector<double> whole = rowSums(n == 2 ? group.train(member) : tensor, n);
                    const Index first = n == 2 ? 0 : group.grid().firstRow(member, n);
                    for (std::size_t i = 0; i < sums[member][n].size(); ++i)
                        QVERIFY(std::abs(sums[member][n][i] - whole[first + i]) <= 1e-12 * (1 + std::abs(whole[first + i])));
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(TileGroupTest)
#include "tst_tile_group.moc"
