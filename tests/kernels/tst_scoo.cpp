// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/formats/scoo.h"
#include "kernels/tensor/sort.h"
#include "support/fibre_trees.h"

#include <QtTest>

using namespace kernels;
using namespace kernels::formats;

class ScooTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsATensorByHand();
    void thereAndBack_data();
    void thereAndBack();
    void modesAreChecked();
    void whatDoesNotFitIsRefused();
};

/// The example of the paper: 3 × 3 × 2, the last mode dense.
void ScooTest::holdsATensorByHand()
{
    SparseTensor tensor({3, 3, 2}, 6, true);
    const Index indices[6][3] = {{2, 2, 1}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}, {2, 2, 0}};
    const double values[6] = {6, 1, 2, 3, 4, 5};
    for (Count e = 0; e < 6; ++e) {
        for (unsigned n = 0; n < 3; ++n)
            tensor.indices[n][e] = indices[e][n];
        tensor.setValue(e, values[e]);
    }
    RunControl control;
    const Scoo<double> last = toScoo<double>(tensor, {2}, control);
    QVERIFY(last.sparseModes == (std::vector<unsigned>{0, 1}));
    QCOMPARE(last.blocks, Count{3});
    QVERIFY(last.indices[0] == (Array<Index>{0, 1, 2}) && last.indices[1] == (Array<Index>{0, 0, 2}));
    QVERIFY(last.values == (Array<double>{1, 2, 3, 4, 5, 6}));
    QCOMPARE(last.bytes(), std::uint64_t{3 * 2 * 4 + 6 * 8});
    const Scoo<double> two = toScoo<double>(tensor, {2, 0}, control); // the first mode's index runs fastest
    QCOMPARE(two.blocks, Count{2});
    QVERIFY(two.values == (Array<double>{1, 3, 0, 2, 4, 0, 0, 0, 5, 0, 0, 6}));
}

void ScooTest::thereAndBack_data()
{
    QTest::addColumn<SparseTensor>("tensor");
    for (auto& [name, tensor] : test::awkwardTensors())
        QTest::newRow(name.c_str()) << tensor;
    QTest::newRow("several chunks") << test::randomTensor({300, 40, 200}, 150'000, 4);
}

/// Every mode dense by itself and with the next one, where a block is not too large.
void ScooTest::thereAndBack()
{
    QFETCH(SparseTensor, tensor);
    RunControl control;
    SparseTensor expected = tensor;
    sortLexicographically(expected);
    mergeDuplicates(expected, Duplicates::Sum);
    const auto tried = [&](const std::vector<unsigned>& dense) {
        if (scooBlockSize(tensor.dims(), dense) > 10'000)
            return;
        const auto same = [&](const auto& scoo) {
            SparseTensor back = toCoo(scoo, control);
            sortLexicographically(back);
            QVERIFY(back.indices == expected.indices);
            for (Count e = 0; e < back.entries(); ++e) // repeated entries are added up in the type of the values
                QVERIFY(std::abs(back.value(e) - expected.value(e)) <= 1e-4);
        };
        same(toScoo<double>(tensor, dense, control));
        same(toScoo<float>(tensor, dense, control));
    };
    tried({});
    std::vector<unsigned> all;
    for (unsigned mode = 0; mode < tensor.order(); ++mode) {
        tried({mode});
        tried({(mode + 1) % tensor.order(), mode});
        all.insert(all.begin(), mode);
    }
    tried(all);
}

void ScooTest::modesAreChecked()
{
    RunControl control;
    const SparseTensor tensor = test::randomTensor({3, 4, 5}, 20, 1);
    QVERIFY_EXCEPTION_THROWN(toScoo<float>(tensor, {3}, control), Error);
    QVERIFY_EXCEPTION_THROWN(toScoo<float>(tensor, {1, 1}, control), Error);
}

void ScooTest::whatDoesNotFitIsRefused()
{
    constexpr Index large = 3'000'000'000;
    RunControl control;
    const SparseTensor tensor = test::randomTensor({large, large, 5}, 20, 1);
    QVERIFY_EXCEPTION_THROWN(toScoo<float>(tensor, {0, 1}, control), OutOfMemory);
}

QTEST_GUILESS_MAIN(ScooTest)
#include "tst_scoo.moc"
