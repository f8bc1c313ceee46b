// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/tensor/sparse_tensor.h"
#include "support/random_tensor.h"

#include <QtTest>

using namespace kernels;

namespace {

/// The sentence check() refuses a tensor with; empty: accepted.
std::string refusal(const SparseTensor& tensor)
{
    try {
        tensor.check();
    } catch (const Error& error) {
        return error.kind() == ErrorKind::BadInput ? error.what() : "another kind of error";
    }
    return {};
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace

class TestSparseTensor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sizesAndBytes()
    {
        const SparseTensor floats({10, 20, 5}, 7);
        QCOMPARE(floats.order(), 3U);
        QCOMPARE(floats.entries(), Count{7});
        QCOMPARE(floats.dims(), (std::vector<Index>{10, 20, 5}));
        QCOMPARE(floats.bytes(), std::uint64_t{7 * (3 * 4 + 4)});
        QCOMPARE(floats.density(), 0.007);
        QVERIFY(!floats.hasDoubleValues());
        const SparseTensor doubles({10, 20}, 7, true);
        QCOMPARE(doubles.bytes(), std::uint64_t{7 * (2 * 4 + 8)});
        QVERIFY(doubles.hasDoubleValues());
        QCOMPARE(SparseTensor().entries(), Count{0});
    }

    void densityOfHugeModesIsNotZero()
    {
        const SparseTensor tensor(std::vector<Index>(16, 4294967295U), 1); // 2^512 cells do not fit any integer
        QVERIFY(tensor.density() > 0);
    }

    void valuesKeepTheirType()
    {
        SparseTensor floats({2, 2}, 1);
        SparseTensor doubles({2, 2}, 1, true);
        floats.setValue(0, 0.1);
        doubles.setValue(0, 0.1);
        QCOMPARE(floats.value(0), static_cast<double>(0.1F));
        QCOMPARE(doubles.value(0), 0.1);
    }

    void modesWithoutNamesAreCountedFromOne()
    {
        SparseTensor tensor({2, 2}, 0);
        tensor.modes[0].name = "users";
        QCOMPARE(tensor.modeName(0), std::string("users"));
        QCOMPARE(tensor.modeName(1), std::string("mode 2"));
    }

    void goodTensorsPass()
    {
        for (unsigned order = 2; order <= 16; ++order)
            QCOMPARE(refusal(test::randomTensor(test::dimsOfOrder(order), 1000, order)), std::string());
        QCOMPARE(refusal(SparseTensor({3, 4}, 0)), std::string());
    }

    void badTensorsAreRefusedWithTheReason()
    {
        QVERIFY(mentions(refusal(SparseTensor({3}, 0)), "order"));
        QVERIFY(mentions(refusal(SparseTensor(std::vector<Index>(17, 2), 0)), "17 modes"));
        QVERIFY(mentions(refusal(SparseTensor({3, 0}, 0)), "mode 2 is empty"));

        SparseTensor tensor = test::randomTensor({30, 40}, 70000, 1);
        tensor.indices[1][69999] = 40;
        QVERIFY(mentions(refusal(tensor), "index 41 (from 1)"));
        tensor = test::randomTensor({30, 40}, 100, 1);
        tensor.indices[1].resize(99);
        QVERIFY(mentions(refusal(tensor), "another length"));
        tensor = test::randomTensor({30, 40}, 100, 1);
        tensor.values = Array<double>(101);
        QVERIFY(mentions(refusal(tensor), "101 values"));
        tensor = test::randomTensor({30, 40}, 100, 1);
        tensor.modes[0].labels = {"a", "b"};
        QVERIFY(mentions(refusal(tensor), "labels of mode 1"));
        tensor = test::randomTensor({30, 40}, 100, 1);
        tensor.indices.pop_back();
        QVERIFY(mentions(refusal(tensor), "index arrays"));
    }

    void emptyLikeKeepsModesAndType()
    {
        SparseTensor tensor = test::randomTensor({3, 4}, 10, 1, true);
        tensor.modes[1].labels = {"a", "b", "c", "d"};
        tensor.sorted = true;
        tensor.emptyCells = EmptyCells::Zero;
        const SparseTensor result = emptyLike(tensor, 6);
        QVERIFY(result.emptyCells == EmptyCells::Zero);
        QCOMPARE(result.entries(), Count{6});
        QCOMPARE(result.modes[1].labels, tensor.modes[1].labels);
        QVERIFY(result.hasDoubleValues());
        QVERIFY(!result.sorted);
    }
};

QTEST_GUILESS_MAIN(TestSparseTensor)
#include "tst_sparse_tensor.moc"
