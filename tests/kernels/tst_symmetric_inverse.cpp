// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/operations/symmetric_inverse.h"
#include "support/random_tensor.h"

#include <Eigen/Dense>
#include <QtTest>

#include <chrono>
#include <limits>
#include <thread>

using namespace kernels;
using Eigen::MatrixXd;

namespace {

/// A Gram matrix of `rank` columns' worth of directions.
MatrixXd gramOf(int size, int rank)
{
    MatrixXd a(rank, size);
    for (int i = 0; i < rank; ++i)
        for (int j = 0; j < size; ++j)
            a(i, j) = random::normal(5, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
    return a.transpose() * a;
}

double largest(const MatrixXd& a) { return a.cwiseAbs().maxCoeff(); }

} // namespace

class SymmetricInverseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eigenvectorsAreOrthonormalAndDiagonalise_data()
    {
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("rank");
        for (const int size : {1, 2, 3, 17, 64, 65, 130, 300})
            for (const int rank : {1, size / 2 + 1, 2 * size})
                QTest::addRow("%d of rank %d", size, rank) << size << rank;
    }
    void eigenvectorsAreOrthonormalAndDiagonalise()
    {
        QFETCH(int, size);
        QFETCH(int, rank);
        const MatrixXd v = gramOf(size, rank);
        RunControl control;
        const SymmetricEigen eigen = symmetricEigen(v, control);
        const double rounding = 1e-13 * size;
        QVERIFY(largest(eigen.vectors.transpose() * eigen.vectors - MatrixXd::Identity(size, size)) < rounding);
        QVERIFY(largest(v * eigen.vectors - eigen.vectors * eigen.values.asDiagonal()) < rounding * v.norm());
        const Eigen::SelfAdjointEigenSolver<MatrixXd> known(v);
        Eigen::VectorXd sorted = eigen.values;
        std::sort(sorted.begin(), sorted.end());
        QVERIFY((sorted - known.eigenvalues()).cwiseAbs().maxCoeff() < rounding * v.norm());
    }

    void inverseOrPseudoInverse_data() { eigenvectorsAreOrthonormalAndDiagonalise_data(); }
    void inverseOrPseudoInverse()
    {
        QFETCH(int, size);
        QFETCH(int, rank);
        const MatrixXd v = gramOf(size, rank);
        RunControl control;
        const MatrixXd inverse = symmetricInverse(v, size * 0x1p-52, control);
        const MatrixXd known = v.completeOrthogonalDecomposition().pseudoInverse();
        QVERIFY2(largest(inverse - known) < 1e-6 * largest(known), qPrintable(QString::number(largest(inverse - known) / largest(known))));
    }

    void sameBitsForAnyNumberOfThreads()
    {
        for (const int rank : {100, 400}) {
            const MatrixXd v = gramOf(200, rank);
            const auto with = [&](int threads) {
                return test::withThreads(threads, [&] {
                    RunControl control;
                    return symmetricInverse(v, 1e-12, control);
                });
            };
            QVERIFY((with(1).array() == with(3).array()).all());
        }
    }

    void whatIsNotFiniteStaysSo()
    {
        MatrixXd v = gramOf(5, 9);
        v(2, 1) = v(1, 2) = std::numeric_limits<double>::infinity();
        RunControl control;
        QVERIFY(symmetricInverse(v, 1e-12, control).hasNaN());
        QVERIFY(largest(symmetricInverse(MatrixXd::Zero(4, 4), 1e-12, control)) == 0);
    }

    /// In the middle of Cholesky, of the reduction, of the sweeps, of the way back.
    void aStopIsHonouredSoon_data()
    {
        QTest::addColumn<int>("rank");
        QTest::addColumn<int>("after");
        for (const int rank : {500, 2048})
            for (const int after : {10, 100, 300, 700, 1500})
                QTest::addRow("rank %d, after %d ms", rank, after) << rank << after;
    }
    void aStopIsHonouredSoon()
    {
        QFETCH(int, rank);
        QFETCH(int, after);
        static const MatrixXd singular = gramOf(1024, 500), regular = gramOf(1024, 2048);
        RunControl control;
        std::thread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(after));
            control.stop();
        });
        const auto begin = std::chrono::steady_clock::now();
        try {
            symmetricInverse(rank == 500 ? singular : regular, 1e-10, control);
        } catch (const Cancelled&) {
        }
        const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
        stopper.join();
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
        constexpr double longest = 5000;
#else
        constexpr double longest = 500;
#endif
        QVERIFY2(taken.count() < after + longest, qPrintable(QString::number(taken.count())));
    }
};

QTEST_GUILESS_MAIN(SymmetricInverseTest)
#include "tst_symmetric_inverse.moc"
