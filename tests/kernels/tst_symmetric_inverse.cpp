// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/operations/symmetric_inverse.h"
#include "support/random_tensor.h"
#include "support/stopping.h"

#include <Eigen/Dense>
#include <QtTest>

#include <limits>
#include <map>

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

constexpr InverseRounding doubles{0x1p-52, 0x1p-52}, singles{0x1p-23, 0x1p-23};

MatrixXd whole(const SymmetricInverse& inverse) { return inverse.byHalves() ? MatrixXd(inverse.first * inverse.second) : inverse.first; }

/// Pairs of columns of length 1 whose cosine is 1 − apart.
MatrixXd pairsApart(int pairs, double apart)
{
    MatrixXd v = MatrixXd::Identity(2 * pairs, 2 * pairs);
    for (int i = 0; i < pairs; ++i)
        v(2 * i, 2 * i + 1) = v(2 * i + 1, 2 * i) = 1 - apart;
    return v;
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
        const SymmetricInverse inverse = symmetricInverse(v, doubles, control);
        QVERIFY(inverse.byHalves() || rank >= size);
        const double apart = largest(v * whole(inverse) * v - v);
        QVERIFY2(apart < 1e-9 * largest(v), qPrintable(QString::number(apart / largest(v))));
        const MatrixXd known = v.completeOrthogonalDecomposition().pseudoInverse();
        if (rank >= size) // else it is another pseudo-inverse, that of the scaled matrix
            QVERIFY(largest(whole(inverse) - known) < 1e-6 * largest(known));
    }

    /// Which the rounding of products asks for, and that a diagonal's scale is none of its business.
    void nearSingularComesInHalvesAndDrownedDirectionsNot_data()
    {
        QTest::addColumn<double>("apart");
        QTest::addColumn<bool>("byHalves");
        QTest::addColumn<bool>("kept");
        QTest::addRow("well apart") << 0.1 << false << true;
        QTest::addRow("cond 1,000") << 2e-3 << false << true;
        QTest::addRow("cond 20,000") << 1e-4 << true << true;
        QTest::addRow("cond 2e7") << 1e-7 << true << true;
        QTest::addRow("cond 2e9") << 1e-9 << true << false;
        QTest::addRow("equal") << 0.0 << true << false;
    }
    void nearSingularComesInHalvesAndDrownedDirectionsNot()
    {
        QFETCH(double, apart);
        QFETCH(bool, byHalves);
        QFETCH(bool, kept);
        const MatrixXd v = pairsApart(20, apart);
        Eigen::VectorXd scale(40);
        for (int i = 0; i < 40; ++i)
            scale[i] = std::exp2(i % 7 * 5 - 15);
        RunControl control;
        const SymmetricInverse inverse = symmetricInverse(scale.asDiagonal() * v * scale.asDiagonal(), singles, control);
        QCOMPARE(inverse.byHalves(), byHalves);
        const MatrixXd found = scale.asDiagonal() * whole(inverse) * scale.asDiagonal();
        const MatrixXd known = kept ? MatrixXd(v.inverse()) : MatrixXd((v.array() / 4).matrix()); // of the pairs' sums alone
        QVERIFY2(largest(found - known) < 1e-6 * largest(known), qPrintable(QString::number(largest(found - known) / largest(known))));
        QCOMPARE(inverse.keep.size() == 0, kept);
        if (kept)
            return;
        // Rows that are no solution come to one in the directions that count, and are as they were in the others.
        const MatrixXd a = gramOf(40, 50), before = gramOf(40, 60), scaled = scale.asDiagonal() * v * scale.asDiagonal();
        const MatrixXd after = (a * scaled * inverse.first + before * inverse.keep) * inverse.second;
        const MatrixXd changed = (after - before) * scale.asDiagonal();
        QVERIFY(largest((after - a) * scaled) < 1e-6 * largest(a * scaled));
        for (int i = 0; i < 40; i += 2)
            QVERIFY((changed.col(i) - changed.col(i + 1)).norm() < 1e-9 * changed.norm());
    }

    /// A V = M in single precision: what rounding costs of the squares is ε² cond, not ε² cond².
    void halvesKeepWhatSinglePrecisionHas()
    {
        const double apart = 2e-7;
        const MatrixXd v = pairsApart(20, apart), a = gramOf(40, 50);
        const Eigen::MatrixXf m = (a * v).cast<float>();
        RunControl control;
        const SymmetricInverse inverse = symmetricInverse(v, singles, control);
        QVERIFY(inverse.byHalves());
        const auto loss = [&](const Eigen::MatrixXf& found) {
            const MatrixXd error = found.cast<double>() - a;
            return (error * v * error.transpose()).trace() / (a * v * a.transpose()).trace();
        };
        const Eigen::MatrixXf first = inverse.first.cast<float>(), second = inverse.second.cast<float>(),
                              all = whole(inverse).cast<float>();
        const double byHalves = loss(m * first * second), atOnce = loss(m * all);
        QVERIFY2(byHalves < 1e-6 && atOnce > 100 * byHalves, qPrintable(QString("%1 by halves, %2 at once").arg(byHalves).arg(atOnce)));
    }

    void sameBitsForAnyNumberOfThreads()
    {
        for (const int rank : {100, 400}) {
            const MatrixXd v = gramOf(200, rank);
            const auto with = [&](int threads) {
                return test::withThreads(threads, [&] {
                    RunControl control;
                    return symmetricInverse(v, singles, control).first;
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
        QVERIFY(symmetricInverse(v, doubles, control).first.hasNaN());
        QVERIFY(largest(symmetricInverse(MatrixXd::Zero(4, 4), doubles, control).first) == 0);
    }

    /// In the middle of Cholesky, of the reduction, of the sweeps, of the way back.
    void aStopIsHonouredSoon_data()
    {
        QTest::addColumn<int>("rank");
        QTest::addColumn<int>("share");
        for (const int rank : {500, 2048})
            for (const int share : {1, 10, 30, 50, 70})
                QTest::addRow("rank %d, after %d %%", rank, share) << rank << share;
    }
    void aStopIsHonouredSoon()
    {
        QFETCH(int, rank);
        QFETCH(int, share);
        static std::map<int, double> whole; // processor seconds of it all
        static const std::map<int, MatrixXd> matrices{{500, gramOf(1024, 500)}, {2048, gramOf(1024, 2048)}};
        const auto work = [&](RunControl& control) { symmetricInverse(matrices.at(rank), singles, control); };
        if (!whole.contains(rank)) {
            RunControl control;
            work(control); // once before, so that threads are there and memory is
            const double begin = test::processorSeconds();
            work(control);
            whole[rank] = test::processorSeconds() - begin;
        }
        const double most = test::onAllProcessors(test::longestStop / 10); // of either matrix a third of it all
        const test::Stopped stopped = test::bestStopAfter(whole[rank] * share / 100, most, work);
        QVERIFY2(stopped.early && stopped.processorSeconds < most,
                 qPrintable(QString("%1 of %2 s").arg(stopped.processorSeconds).arg(whole[rank])));
    }
};

QTEST_GUILESS_MAIN(SymmetricInverseTest)
#include "tst_symmetric_inverse.moc"
