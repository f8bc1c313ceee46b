// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/base/array_memory.h"
#include "support/known_tensors.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace kernels;
using namespace kernels::fastertucker;

/// FasterTucker's copies of the entries, one a mode, against the tensor they were made from.
class RowEntriesTest : public QObject {
    Q_OBJECT

private:
    using Entry = std::pair<std::vector<Index>, double>; ///< indices and value

    static std::multiset<Entry> entriesOf(const SparseTensor& tensor)
    {
        std::multiset<Entry> entries;
        for (Count e = 0; e < tensor.entries(); ++e) {
            std::vector<Index> indices;
            for (unsigned n = 0; n < tensor.order(); ++n)
                indices.push_back(tensor.indices[n][e]);
            entries.insert({indices, tensor.value(e)});
        }
        return entries;
    }

    /// Entry by entry as it stands there.
    template <class T> static std::vector<Entry> inOrder(const RowEntries<T>& rows, unsigned mode)
    {
        std::vector<Entry> entries;
        for (std::size_t row = 0; row + 1 < rows.begins.size(); ++row)
            for (Count p = rows.begins[row]; p < rows.begins[row + 1]; ++p) {
                std::vector<Index> indices;
                for (const Array<Index>& column : rows.indices)
                    indices.push_back(column[p]);
                indices.insert(indices.begin() + mode, Index(row));
                entries.push_back({indices, double(rows.values[p])});
            }
        return entries;
    }

    static std::vector<std::vector<Index>> shapes() { return {{7, 5}, {1, 1, 1}, {300, 4, 90}, {5, 7, 4, 3, 6}, {70000, 3, 2}}; }

private Q_SLOTS:
    void rowsHoldEveryEntryOnce()
    {
        for (const auto& dims : shapes())
            for (const Count entries : {Count{1}, Count{129}, Count{4001}}) {
                const SparseTensor tensor = test::skewedTensor(dims, entries, 0.3, 5, true);
                const std::multiset<Entry> expected = entriesOf(tensor);
                for (unsigned mode = 0; mode < dims.size(); ++mode) {
                    RunControl control;
                    const RowEntries<double> rows = arrangeRows<double>(tensor, {mode}, 9, control);
                    QCOMPARE(rows.begins.size(), std::size_t{dims[mode]} + 1);
                    QCOMPARE(rows.begins.front(), Count{0});
                    QCOMPARE(rows.begins.back(), entries);
                    QVERIFY(std::is_sorted(rows.begins.begin(), rows.begins.end()));
                    const std::vector<Entry> found = inOrder(rows, mode);
                    QVERIFY(std::multiset<Entry>(found.begin(), found.end()) == expected);
                }
            }
    }

    /// The first mode owns the rows, the others follow; what is alike in all stays as it was.
    void laterModesSortWithinARow()
    {
        const SparseTensor tensor = test::skewedTensor({30, 6, 9}, 3001, 0.3, 5, true);
        RunControl control;
        const std::vector<unsigned> modeOrder{1, 2, 0};
        std::vector<Count> numbers(tensor.entries());
        for (Count e = 0; e < numbers.size(); ++e)
            numbers[e] = e;
        std::stable_sort(numbers.begin(), numbers.end(), [&](Count a, Count b) {
            for (const unsigned n : modeOrder)
                if (tensor.indices[n][a] != tensor.indices[n][b])
                    return tensor.indices[n][a] < tensor.indices[n][b];
            return false;
        });
        const RowEntries<double> rows = arrangeRows<double>(tensor, modeOrder, {}, control);
        for (Count p = 0; p < numbers.size(); ++p) {
            QCOMPARE(rows.values[p], tensor.value(numbers[p]));
            QCOMPARE(rows.indices[0][p], tensor.indices[0][numbers[p]]);
            QCOMPARE(rows.indices[1][p], tensor.indices[2][numbers[p]]);
        }
    }

    void seedsShuffleWithinARow()
    {
        const SparseTensor tensor = test::skewedTensor({3, 60, 90}, 3001, 0, 5, true);
        RunControl control;
        const auto first = arrangeRows<float>(tensor, {0}, 1, control), second = arrangeRows<float>(tensor, {0}, 2, control);
        QVERIFY(first.begins == second.begins);
        QVERIFY(first.values != second.values);
        QVERIFY(first.values == arrangeRows<float>(tensor, {0}, 1, control).values);
    }

    void bytesAreAsPromised()
    {
        const SparseTensor tensor = test::skewedTensor({5000, 600, 90}, 200'001, 0.1, 5);
        for (unsigned mode = 0; mode < 3; ++mode) {
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            RunControl control;
            const auto rows = arrangeRows<float>(tensor, {mode}, 1, control);
            const double peak = double(ArrayMemory::peak() - before);
            const double promised = double(arrangeRowsBytes(3, tensor.entries(), tensor.dims()[mode], 4, {tensor.dims()[mode]}));
            QVERIFY2(peak <= 1.1 * promised && promised <= 1.1 * peak, qPrintable(QString("%1, promised %2").arg(peak).arg(promised)));
            QCOMPARE(rows.bytes(), rowEntriesBytes(3, tensor.entries(), tensor.dims()[mode], 4));
        }
    }

    /// Each fibre has all indices but the leaf's, no fibre more leaves than a tree lets it have; a row is a leaf of one part.
    void fibresHoldEveryEntryOnce()
    {
        for (const auto& dims : shapes())
            for (const unsigned wanted : {1u, 3u, 16u}) {
                const SparseTensor tensor = test::skewedTensor(dims, 4001, 0.3, 5, true);
                const std::multiset<Entry> expected = entriesOf(tensor);
                for (unsigned mode = 0; mode < dims.size(); ++mode) {
                    RunControl control;
                    const auto parts = arrangeFibres<double>(tensor, mode, {}, wanted, control);
                    QVERIFY(!parts.empty() && parts.size() <= wanted);
                    std::multiset<Entry> found;
                    Count count = 0;
                    Index rowsFrom = 0;
                    for (const FibreEntries<double>& fibres : parts) {
                        QVERIFY(fibres.fibres() > 0);
                        Index rowsEnd = rowsFrom;
                        for (Count f = 0; f < fibres.fibres(); ++f) {
                            QVERIFY(fibres.begins[f] < fibres.begins[f + 1] && fibres.begins[f + 1] - fibres.begins[f] <= 128);
                            for (Count p = fibres.begins[f]; p < fibres.begins[f + 1]; ++p) {
                                std::vector<Index> indices;
                                for (const Array<Index>& column : fibres.indices)
                                    indices.push_back(column[f]);
                                indices.insert(indices.begin() + mode, fibres.leaves[p]);
                                found.insert({indices, fibres.values[p]});
                                QVERIFY(fibres.leaves[p] >= rowsFrom);
                                rowsEnd = std::max(rowsEnd, fibres.leaves[p] + 1);
                            }
                        }
                        rowsFrom = rowsEnd;
                        count += fibres.fibres();
                    }
                    QVERIFY(found == expected);
                    QVERIFY(count <= mostFibres(dims, mode, tensor.entries(), {}, wanted));
                }
            }
    }

    /// Cuts move no leaf: shorter fibres are pieces of longer ones, in their order.
    void splitFibresHaveTheSameLeaves()
    {
        const SparseTensor tensor = test::skewedTensor({300, 4, 9}, 4001, 0.3, 5, true);
        for (unsigned mode = 0; mode < 3; ++mode) {
            RunControl control;
            const auto whole = arrangeFibres<double>(tensor, mode, formats::limitedTo(1 << 16), 1, control).front();
            for (const std::uint32_t limit : {1u, 2u, 3u, 128u, 600u}) {
                const auto cut = arrangeFibres<double>(tensor, mode, formats::limitedTo(limit), 1, control).front();
                QVERIFY(cut.leaves == whole.leaves && cut.values == whole.values);
                QVERIFY(cut.fibres() >= (tensor.entries() + limit - 1) / limit);
                QVERIFY(cut.fibres() <= mostFibres(tensor.dims(), mode, tensor.entries(), formats::limitedTo(limit)));
                Count fibre = 0; // that the piece is of
                for (Count piece = 0; piece < cut.fibres(); ++piece) {
                    fibre += cut.begins[piece] == whole.begins[fibre + 1];
                    QVERIFY(cut.begins[piece + 1] - cut.begins[piece] <= limit && cut.begins[piece + 1] <= whole.begins[fibre + 1]);
                    for (unsigned k = 0; k < 2; ++k)
                        QCOMPARE(cut.indices[k][piece], whole.indices[k][fibre]);
                }
            }
        }
    }

    void bytesOfFibresAreWithinWhatIsPromised()
    {
        const SparseTensor tensor = test::skewedTensor({5000, 60, 9}, 200'001, 0.1, 5);
        for (unsigned mode = 0; mode < 3; ++mode)
            for (const std::uint32_t limit : {1u, 3u, 128u, 1u << 16})
                for (const unsigned parts : {1u, 4u, 60u}) {
                    const formats::BcsfLimits limits = formats::limitedTo(limit);
                    const std::uint64_t before = ArrayMemory::now();
                    ArrayMemory::restartPeak();
                    RunControl control;
                    const auto arranged = arrangeFibres<float>(tensor, mode, limits, parts, control);
                    const std::uint64_t peak = ArrayMemory::peak() - before;
                    const std::uint64_t promised = arrangeFibresBytes(tensor.dims(), mode, tensor.entries(), 4, 4, limits, parts);
                    QVERIFY2(peak <= promised,
                             qPrintable(QString("%1, promised %2, at most %3 leaves").arg(peak).arg(promised).arg(limit)));
                    std::uint64_t bytes = 0;
                    for (const auto& fibres : arranged)
                        bytes += fibres.bytes();
                    QVERIFY(bytes <= fibreEntriesBytes(tensor.dims(), mode, tensor.entries(), 4, limits, parts));
                }
    }
};

QTEST_GUILESS_MAIN(RowEntriesTest)
#include "tst_row_entries.moc"
