// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/sequential.h"
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/tensor/sort.h"
#include "support/known_tensors.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <Eigen/Eigenvalues>
#include <tbb/task_arena.h>

#include <chrono>
#include <cmath>
#include <map>
#include <thread>

using namespace kernels;
using tucker_hooi::Hosvd;

namespace {

constexpr std::uint64_t anyRoom = std::uint64_t{1} << 40;
using Dense = std::vector<double>;

/// Five blocks whose singular values fall by half, in a mist of small entries: directions that are well told apart.
SparseTensor blocks(const std::vector<Index>& dims)
{
    std::map<std::vector<Index>, double> cells;
    const SparseTensor mist = test::randomTensor(dims, 3000, 7);
    for (Count e = 0; e < mist.entries(); ++e)
        cells[test::indexOf(mist, e)] = 1e-3 * mist.value(e);
    constexpr unsigned count = 5, most = 6;
    for (unsigned b = 0; b < count; ++b) {
        std::vector<Index> sizes;
        for (const Index dim : dims)
            sizes.push_back(std::min<Index>(most, (dim - b + count - 1) / count));
        test::forEachCell(sizes, [&](const std::vector<Index>& at) {
            std::vector<Index> index;
            double value = std::ldexp(1.0, -int(b));
            for (unsigned n = 0; n < dims.size(); ++n) {
                index.push_back(b + count * at[n]);
                value *= 0.5 + random::uniform(b, n, at[n]);
            }
            cells[index] = value;
        });
    }
    SparseTensor tensor(dims, 0, true);
    Array<double> values;
    for (const auto& [index, value] : cells) {
        for (unsigned n = 0; n < dims.size(); ++n)
            tensor.indices[n].push_back(index[n]);
        values.push_back(value);
    }
    tensor.values = std::move(values);
    return tensor;
}

/// Leading left singular vectors of a dense tensor's unfolding, by all of its Gram matrix.
Eigen::MatrixXd leadingOf(const Dense& cells, const std::vector<Index>& dims, unsigned mode, unsigned count)
{
    std::size_t right = 1, left = 1;
    for (unsigned n = 0; n < dims.size(); ++n)
        (n < mode ? left : right) *= n == mode ? 1 : dims[n];
    Eigen::MatrixXd unfolded(dims[mode], left * right);
    for (std::size_t l = 0; l < left; ++l)
        for (Index i = 0; i < dims[mode]; ++i)
            for (std::size_t r = 0; r < right; ++r)
                unfolded(i, Eigen::Index(l * right + r)) = cells[(l * dims[mode] + i) * right + r];
    if (dims[mode] <= left * right)
        return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(unfolded * unfolded.transpose()).eigenvectors().rightCols(count);
    const Eigen::MatrixXd small =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(unfolded.transpose() * unfolded).eigenvectors().rightCols(count);
    return (unfolded * small).colwise().normalized();
}

void contract(Dense& cells, std::vector<Index>& dims, unsigned mode, const Eigen::MatrixXd& by)
{
    std::size_t right = 1, left = 1;
    for (unsigned n = 0; n < dims.size(); ++n)
        (n < mode ? left : right) *= n == mode ? 1 : dims[n];
    const auto count = std::size_t(by.cols());
    Dense next(left * count * right, 0.0);
    for (std::size_t l = 0; l < left; ++l)
        for (Index i = 0; i < dims[mode]; ++i)
            for (std::size_t j = 0; j < count; ++j)
                for (std::size_t r = 0; r < right; ++r)
                    next[(l * count + j) * right + r] += by(i, Eigen::Index(j)) * cells[(l * dims[mode] + i) * right + r];
    cells = std::move(next);
    dims[mode] = Index(count);
}

std::vector<Eigen::MatrixXd> denseHosvd(Hosvd kind, const SparseTensor& tensor, const std::vector<unsigned>& ranks)
{
    std::vector<Index> dims = tensor.dims();
    std::size_t size = 1;
    for (const Index dim : dims)
        size *= dim;
    Dense cells(size, 0.0);
    for (Count e = 0; e < tensor.entries(); ++e) {
        std::size_t at = 0;
        for (unsigned n = 0; n < dims.size(); ++n)
            at = at * dims[n] + tensor.indices[n][e];
        cells[at] += tensor.value(e);
    }
    std::vector<Eigen::MatrixXd> factors;
    for (unsigned n = 0; n < dims.size(); ++n) {
        factors.push_back(leadingOf(cells, dims, n, ranks[n]));
        if (kind == Hosvd::SequentiallyTruncated)
            contract(cells, dims, n, factors.back());
    }
    return factors;
}

Eigen::MatrixXd eigenOf(const Matrix& matrix)
{
    Eigen::MatrixXd result(matrix.rows, matrix.columns);
    for (std::size_t i = 0; i < matrix.rows; ++i)
        for (std::size_t j = 0; j < matrix.columns; ++j)
            result(Eigen::Index(i), Eigen::Index(j)) = matrix.at(i, j);
    return result;
}

} // namespace

class TuckerHooiStartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void spacesAreThoseOfDenseUnfoldings_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<std::vector<unsigned>>("ranks");
        using D = std::vector<Index>;
        using R = std::vector<unsigned>;
        QTest::newRow("small modes") << D{40, 30, 50} << R{3, 3, 3};
        QTest::newRow("tall, few columns") << D{3000, 9, 25} << R{2, 2, 2};
        QTest::newRow("iterated by rows") << D{120, 150, 100} << R{2, 2, 2};
        QTest::newRow("order 2") << D{200, 90} << R{3, 2};
        QTest::newRow("order 4") << D{20, 15, 110, 90} << R{3, 3, 2, 2};
        QTest::newRow("order 5, wide groups") << D{10, 12, 10, 9, 14} << R{4, 4, 4, 4, 3};
    }
    void spacesAreThoseOfDenseUnfoldings()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(std::vector<unsigned>, ranks);
        const SparseTensor tensor = blocks(dims);
        for (const Hosvd kind : {Hosvd::Truncated, Hosvd::SequentiallyTruncated}) {
            const std::vector<Eigen::MatrixXd> expected = denseHosvd(kind, tensor, ranks);
            for (const std::uint64_t room : {anyRoom, std::uint64_t{0}})
                for (const bool doubles : {true, false}) {
                    RunControl control;
                    const std::vector<Matrix> found = tucker_hooi::hosvd(kind, tensor, ranks, 3, doubles, room, control);
                    for (unsigned n = 0; n < dims.size(); ++n) {
                        const Eigen::MatrixXd a = eigenOf(found[n]);
                        QCOMPARE(a.cols(), Eigen::Index(ranks[n]));
                        const double bent = (a.transpose() * a - Eigen::MatrixXd::Identity(ranks[n], ranks[n])).cwiseAbs().maxCoeff();
                        const double off = (a - expected[n] * (expected[n].transpose() * a)).cwiseAbs().maxCoeff();
                        // Of the iteration: it ends where eigenvalues, which follow the squared angle, move by less than 1e-10.
                        const double allowed = doubles ? 1e-7 : 1e-6;
                        QVERIFY2(bent < (doubles ? 1e-12 : 1e-6) && off < allowed,
                                 qPrintable(QStringLiteral("kind %1, mode %2, room %3: bent by %4, off by %5")
                                                .arg(int(kind))
                                                .arg(n)
                                                .arg(room)
                                                .arg(bent)
                                                .arg(off)));
                    }
                }
        }
    }

    /// What is contracted is held where it has room, else some of it at a time; both as promised.
    void memoryIsAsPromised_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<std::vector<unsigned>>("ranks");
        QTest::addColumn<Count>("entries");
        using D = std::vector<Index>;
        using R = std::vector<unsigned>;
        QTest::newRow("wide") << D{50, 4000, 5000} << R{16, 12, 8} << Count{150'000};
        QTest::newRow("tall") << D{200'000, 30, 25} << R{8, 8, 8} << Count{200'000};
        QTest::newRow("order 4") << D{300, 900, 1000, 700} << R{8, 4, 4, 4} << Count{100'000};
    }
    void memoryIsAsPromised()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(std::vector<unsigned>, ranks);
        QFETCH(Count, entries);
        SparseTensor tensor = test::randomTensor(dims, entries, 4);
        const auto took = [&](Hosvd kind, std::uint64_t room, std::vector<Matrix>& factors) {
            RunControl control;
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            factors = tucker_hooi::hosvd(kind, tensor, ranks, 3, false, room, control);
            return ArrayMemory::peak() - before;
        };
        for (const Hosvd kind : {Hosvd::Truncated, Hosvd::SequentiallyTruncated}) {
            std::uint64_t peaks[2];
            for (const bool held : {true, false}) {
                std::vector<Matrix> factors;
                const std::uint64_t room = held ? anyRoom : 0, peak = peaks[held] = took(kind, room, factors);
                const std::uint64_t promised = tucker_hooi::hosvdBytes(kind, dims, tensor.entries(), ranks, 4, false, room);
                QVERIFY2(peak <= promised && double(promised) <= 1.1 * double(peak),
                         qPrintable(QStringLiteral("held %1: took %2, promised %3").arg(held).arg(peak).arg(promised)));
            }
            if (kind == Hosvd::SequentiallyTruncated && QTest::currentDataTag() == std::string("wide"))
                QVERIFY2(peaks[false] < peaks[true] - peaks[true] / 4, qPrintable(QString::number(peaks[false])));
        }
    }

    void theSameBitsForAnyNumberOfThreads()
    {
        const std::vector<Index> dims{5000, 90, 300};
        const SparseTensor tensor = test::skewedTensor(dims, 60'000, 0, 4);
        for (const Hosvd kind : {Hosvd::Truncated, Hosvd::SequentiallyTruncated})
            for (const std::uint64_t room : {anyRoom, std::uint64_t{0}}) {
                RunControl control;
                const auto factors = [&] {
                    return tucker_hooi::hosvd(kind, tensor, std::vector<unsigned>{7, 5, 9}, 3, false, room, control);
                };
                const std::vector<Matrix> one = tbb::task_arena(1).execute(factors), three = tbb::task_arena(3).execute(factors);
                for (unsigned n = 0; n < dims.size(); ++n)
                    QVERIFY(one[n].data == three[n].data);
            }
    }

    void aStopIsObeyedWithinHalfASecond_data()
    {
        QTest::addColumn<std::uint64_t>("room");
        QTest::newRow("held") << anyRoom;
        QTest::newRow("in blocks") << std::uint64_t{0};
    }
    void aStopIsObeyedWithinHalfASecond()
    {
        QFETCH(std::uint64_t, room);
        using Clock = std::chrono::steady_clock;
        const SparseTensor tensor = test::randomTensor({20'000, 3000, 4000}, 200'000, 4);
        for (const int after : {50, 200, 450}) {
            RunControl control;
            Clock::time_point asked;
            std::thread stopper([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(after));
                asked = Clock::now();
                control.stop();
            });
            bool stopped = false;
            try {
                tucker_hooi::hosvd(Hosvd::SequentiallyTruncated, tensor, {32, 32, 32}, 3, false, room, control);
            } catch (const Cancelled&) {
                stopped = true;
            }
            const Clock::time_point obeyed = Clock::now();
            stopper.join();
            QVERIFY(stopped);
            QVERIFY2(obeyed - asked < std::chrono::milliseconds(500), qPrintable(QString::number((obeyed - asked).count())));
        }
    }

    void tooLargeValuesAreTold()
    {
        SparseTensor tensor = test::skewedTensor({30, 20, 25}, 200, 0, 4);
        tensor.values = Array<double>(tensor.entries(), 1e200);
        RunControl control;
        try {
            tucker_hooi::hosvd(Hosvd::SequentiallyTruncated, tensor, {2, 2, 2}, 3, true, anyRoom, control);
            QFAIL("squares beyond all numbers were added up");
        } catch (const Error& e) {
            QVERIFY2(QString(e.what()).contains("Scale the values"), e.what());
        }
    }

    /// Squares of theirs are finite, which is all it takes.
    void largeValuesAreNone()
    {
        const std::vector<Index> dims{120, 150, 100};
        SparseTensor tensor = blocks(dims), large = tensor;
        for (Count e = 0; e < tensor.entries(); ++e)
            large.setValue(e, std::ldexp(tensor.value(e), 400));
        RunControl control;
        const std::vector<unsigned> ranks{2, 2, 2};
        const auto small = tucker_hooi::hosvd(Hosvd::SequentiallyTruncated, tensor, ranks, 3, true, anyRoom, control);
        const auto scaled = tucker_hooi::hosvd(Hosvd::SequentiallyTruncated, large, ranks, 3, true, anyRoom, control);
        for (unsigned n = 0; n < 3; ++n) {
            const Eigen::MatrixXd a = eigenOf(small[n]), b = eigenOf(scaled[n]);
            QVERIFY((a - b * (b.transpose() * a)).cwiseAbs().maxCoeff() < 1e-7);
        }
    }
};

QTEST_GUILESS_MAIN(TuckerHooiStartsTest)
#include "tst_tucker_hooi_starts.moc"
