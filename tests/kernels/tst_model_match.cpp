// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/best_pairing.h"
#include "kernels/operations/model_match.h"

#include <Eigen/Dense>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace kernels;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

Matrix matrixOf(const MatrixXd& from, bool doubles = true)
{
    Matrix to(static_cast<std::size_t>(from.rows()), static_cast<std::size_t>(from.cols()), doubles);
    for (Eigen::Index i = 0; i < from.rows(); ++i)
        for (Eigen::Index j = 0; j < from.cols(); ++j)
            to.set(static_cast<std::size_t>(i), static_cast<std::size_t>(j), from(i, j));
    return to;
}

MatrixXd drawn(Eigen::Index rows, Eigen::Index columns, unsigned seed)
{
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(generator); });
}

Model cp(const std::vector<MatrixXd>& factors, const std::vector<double>& weights, bool doubles = true)
{
    Model model;
    model.kind = ModelKind::Cp;
    model.coreRank = static_cast<unsigned>(weights.size());
    model.weights = weights;
    for (const MatrixXd& factor : factors) {
        model.dims.push_back(static_cast<Index>(factor.rows()));
        model.ranks.push_back(static_cast<unsigned>(factor.cols()));
        model.factors.push_back(matrixOf(factor, doubles));
    }
    return model;
}

Model fastTucker(const std::vector<MatrixXd>& factors)
{
    Model model = cp(factors, {});
    model.kind = ModelKind::FastTucker;
    return model;
}

std::vector<MatrixXd> drawnFactors(const std::vector<Eigen::Index>& dims, Eigen::Index rank, unsigned seed)
{
    std::vector<MatrixXd> factors;
    for (const Eigen::Index size : dims)
        factors.push_back(drawn(size, rank, ++seed * 101));
    return factors;
}

/// What factors of real models look like.
enum class Kind { Signed, Positive, NearlyConstant, Sparse };

MatrixXd drawnAs(Kind kind, Eigen::Index rows, Eigen::Index columns, unsigned seed)
{
    MatrixXd drawnRows = drawn(rows, columns, seed);
    if (kind == Kind::Positive)
        return drawnRows.cwiseAbs();
    if (kind == Kind::NearlyConstant)
        return (MatrixXd::Ones(rows, columns) + 0.3 * drawnRows).cwiseAbs();
    if (kind == Kind::Sparse)
        return drawnRows.unaryExpr([](double value) { return value > 0.8 ? value : 0.0; });
    return drawnRows;
}

std::vector<MatrixXd> drawnAs(Kind kind, const std::vector<Eigen::Index>& dims, Eigen::Index rank, unsigned seed)
{
    std::vector<MatrixXd> factors;
    for (const Eigen::Index size : dims)
        factors.push_back(drawnAs(kind, size, rank, ++seed * 101));
    return factors;
}

std::vector<double> ones(Eigen::Index count) { return std::vector<double>(static_cast<std::size_t>(count), 1.0); }

/// Some columns of one, the others of the other.
std::vector<MatrixXd> mixed(const std::vector<MatrixXd>& a, const std::vector<MatrixXd>& b, Eigen::Index ofFirst)
{
    std::vector<MatrixXd> factors = b;
    for (std::size_t n = 0; n < a.size(); ++n)
        factors[n].leftCols(ofFirst) = a[n].leftCols(ofFirst);
    return factors;
}

const std::vector<std::vector<Eigen::Index>> manySizes{{3, 3, 3}, {2, 9, 30}, {5, 4, 6}, {16, 3, 105, 20}, {40, 30, 20}, {7, 1500, 5}};

/// By the definition: columns scaled to norm 1, and every pairing tried.
double scoreByDefinition(const std::vector<MatrixXd>& a, VectorXd wa, const std::vector<MatrixXd>& b, VectorXd wb)
{
    MatrixXd cosines = MatrixXd::Ones(wa.size(), wb.size());
    for (std::size_t n = 0; n < a.size(); ++n)
        for (Eigen::Index r = 0; r < wa.size(); ++r)
            for (Eigen::Index s = 0; s < wb.size(); ++s)
                cosines(r, s) *= std::abs(a[n].col(r).normalized().dot(b[n].col(s).normalized()));
    for (std::size_t n = 0; n < a.size(); ++n) {
        wa = wa.cwiseProduct(a[n].colwise().norm().transpose()).cwiseAbs();
        wb = wb.cwiseProduct(b[n].colwise().norm().transpose()).cwiseAbs();
    }
    std::vector<Eigen::Index> order(static_cast<std::size_t>(wb.size()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    double best = 0;
    do {
        double sum = 0;
        for (Eigen::Index r = 0; r < wa.size(); ++r) {
            const Eigen::Index s = order[static_cast<std::size_t>(r)];
            sum += (1 - std::abs(wa[r] - wb[s]) / std::max(wa[r], wb[s])) * cosines(r, s);
        }
        best = std::max(best, sum / static_cast<double>(wa.size()));
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

} // namespace

class TestModelMatch : public QObject {
    Q_OBJECT

    RunControl m_control;

private Q_SLOTS:
    void thePairingIsTheBestOfAll()
    {
        for (unsigned seed = 0; seed < 40; ++seed) {
            const Eigen::Index rows = 1 + seed % 5, columns = rows + seed % 3;
            const MatrixXd gains = drawn(rows, columns, seed);
            const auto found = bestPairing(gains, m_control);
            double sum = 0;
            std::vector<Eigen::Index> sorted(found);
            std::sort(sorted.begin(), sorted.end());
            QVERIFY(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
            for (Eigen::Index r = 0; r < rows; ++r)
                sum += gains(r, found[static_cast<std::size_t>(r)]);
            std::vector<Eigen::Index> order(static_cast<std::size_t>(columns));
            std::iota(order.begin(), order.end(), Eigen::Index{0});
            double best = -1e300;
            do {
                double each = 0;
                for (Eigen::Index r = 0; r < rows; ++r)
                    each += gains(r, order[static_cast<std::size_t>(r)]);
                best = std::max(best, each);
            } while (std::next_permutation(order.begin(), order.end()));
            QVERIFY2(std::abs(sum - best) < 1e-12, qPrintable(QStringLiteral("%1 for %2, seed %3").arg(sum).arg(best).arg(seed)));
        }
    }

    void gainsThatAreNoNumbersCountAsNothing()
    {
        MatrixXd gains(2, 2);
        gains << std::nan(""), 1, 2, HUGE_VAL;
        QCOMPARE(bestPairing(gains, m_control), (std::vector<Eigen::Index>{1, 0}));
    }

    void orderSignAndScaleDoNotMatter()
    {
        const std::vector<Eigen::Index> order{2, 0, 3, 1};
        const auto a = drawnFactors({30, 5000, 7}, 4, 1); // more rows than are taken at once
        std::vector<MatrixXd> b = a;
        for (std::size_t n = 0; n < 3; ++n)
            for (Eigen::Index r = 0; r < 4; ++r) // scaled so that the products over the modes stay
                b[n].col(r) = a[n].col(order[static_cast<std::size_t>(r)]) * (n == 0 ? -4.0 : n == 1 ? 0.5 : -0.5);
        const ModelMatch match = matchModels(cp(a, {1, 2, 3, 4}), cp(b, {3, 1, -4, 2}), m_control);
        QVERIFY(match.ofComponents);
        QVERIFY2(std::abs(match.score - 1) < 1e-12, qPrintable(QString::number(match.score)));
        QVERIFY(std::abs(match.congruence - 1) < 1e-12);
        for (const ComponentPair& pair : match.pairs)
            QCOMPARE(static_cast<Eigen::Index>(pair.first), order[pair.second]);
    }

    void otherWeightsLowerTheScoreAlone()
    {
        const auto a = drawnFactors({12, 9}, 2, 3);
        const ModelMatch match = matchModels(cp(a, {1, 1}), cp(a, {2, 4}), m_control);
        QVERIFY(std::abs(match.congruence - 1) < 1e-12);
        QVERIFY2(std::abs(match.score - (0.5 + 0.25) / 2) < 1e-12, qPrintable(QString::number(match.score)));
    }

    void orthogonalComponentsHaveNothingInCommon()
    {
        const MatrixXd basis = drawn(20, 20, 5).householderQr().householderQ();
        const std::vector<MatrixXd> a{basis.leftCols(3), basis.leftCols(3)}, b{basis.rightCols(3), basis.rightCols(3)};
        const ModelMatch match = matchModels(cp(a, {1, 1, 1}), cp(b, {1, 1, 1}), m_control);
        QVERIFY2(match.score < 1e-25 && match.congruence < 1e-25, qPrintable(QString::number(match.congruence)));
    }

    void drawnModelsScoreAsByTheDefinition()
    {
        for (unsigned seed = 0; seed < 12; ++seed) {
            const Eigen::Index ra = 1 + seed % 4, rb = ra + seed % 3;
            const auto a = drawnFactors({9, 8, 6}, ra, seed * 2), b = drawnFactors({9, 8, 6}, rb, seed * 2 + 1);
            const VectorXd wa = drawn(ra, 1, seed + 50), wb = drawn(rb, 1, seed + 90);
            const double expected = scoreByDefinition(a, wa, b, wb);
            const Model first = cp(a, {wa.begin(), wa.end()}), second = cp(b, {wb.begin(), wb.end()});
            const ModelMatch match = matchModels(first, second, m_control), turned = matchModels(second, first, m_control);
            QCOMPARE(match.pairs.size(), static_cast<std::size_t>(ra));
            QCOMPARE(turned.firstRank, static_cast<std::size_t>(rb));
            QVERIFY2(std::abs(match.score - expected) < 1e-12, qPrintable(QString::number(match.score - expected)));
            QVERIFY(std::abs(turned.score - expected) < 1e-12);
        }
    }

    void aModelOfFewerComponentsIsFoundInALargerOne()
    {
        const auto b = drawnFactors({15, 11, 6}, 5, 7);
        std::vector<MatrixXd> a;
        for (const MatrixXd& factor : b) {
            a.emplace_back(factor.rows(), 2);
            a.back() << factor.col(4), factor.col(1);
        }
        const ModelMatch match = matchModels(cp(a, {1, 1}), cp(b, {1, 1, 1, 1, 1}), m_control);
        QVERIFY(std::abs(match.score - 1) < 1e-12);
        QCOMPARE(match.pairs[0].second, std::size_t{4});
        QCOMPARE(match.pairs[1].second, std::size_t{1});
    }

    void columnsOfZerosAreLikeNone()
    {
        auto a = drawnFactors({6, 6}, 2, 11);
        const auto b = a;
        a[0].col(1).setZero();
        const ModelMatch match = matchModels(cp(a, {1, 1}), cp(b, {1, 1}), m_control);
        QVERIFY(std::abs(match.score - 0.5) < 1e-12);
        QVERIFY(std::abs(match.congruence - 0.5) < 1e-12);
    }

    void spacesAreComparedByTheirAngles()
    {
        // Two planes that share one direction and are tilted by 60 degrees in the other; bases of no certain length.
        MatrixXd a(4, 2), b(4, 2);
        a << 1, 1, 0, 3, 0, 0, 0, 0;
        b << 2, 5, 0, 0.5, 0, std::sqrt(0.75), 0, 0;
        const ModelMatch match = matchModels(fastTucker({a, a}), fastTucker({b, a}), m_control);
        QVERIFY(!match.ofComponents);
        QVERIFY(std::abs(match.cosines[0][0] - 1) < 1e-12);
        QVERIFY2(std::abs(match.cosines[0][1] - 0.5) < 1e-12, qPrintable(QString::number(match.cosines[0][1])));
        QVERIFY(std::abs(match.cosines[1][1] - 1) < 1e-12);
        QVERIFY(std::abs(match.score - 3.5 / 4) < 1e-12);
    }

    void anglesAreThoseOfAnOrthogonalBasis()
    {
        for (unsigned seed = 0; seed < 8; ++seed) {
            const Eigen::Index ja = 3 + seed % 3, jb = 4;
            const MatrixXd a = drawn(40, ja, seed + 1), b = drawn(40, jb, seed + 31);
            const MatrixXd qa = a.householderQr().householderQ() * MatrixXd::Identity(40, ja);
            const MatrixXd qb = b.householderQr().householderQ() * MatrixXd::Identity(40, jb);
            const VectorXd expected = Eigen::JacobiSVD<MatrixXd>(qa.transpose() * qb).singularValues();
            const ModelMatch match = matchModels(fastTucker({a}), fastTucker({b}), m_control);
            QCOMPARE(match.cosines[0].size(), static_cast<std::size_t>(expected.size()));
            for (Eigen::Index i = 0; i < expected.size(); ++i)
                QVERIFY(std::abs(match.cosines[0][static_cast<std::size_t>(i)] - expected[i]) < 1e-9);
        }
    }

    void directionsThatAreNotThereAreNotCounted()
    {
        MatrixXd a = drawn(30, 3, 17);
        a.col(2) = a.col(0) - 2 * a.col(1);
        const ModelMatch match = matchModels(fastTucker({a}), fastTucker({drawn(30, 4, 18)}), m_control);
        QCOMPARE(match.cosines[0].size(), std::size_t{2});
    }

    void independentModels_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("components");
        const char* names[] = {"signed", "positive", "nearly constant", "sparse"};
        for (int kind = 0; kind < 4; ++kind)
            for (const bool components : {true, false})
                QTest::addRow("%s, %s", names[kind], components ? "components" : "spaces") << kind << components;
    }

    /// Their agreement is 0 on average, or there is none. Without a correction the score of positive columns is 0.3 and more.
    void independentModels()
    {
        QFETCH(const int, kind);
        QFETCH(const bool, components);
        constexpr unsigned pairs = 40;
        for (const auto& dims : manySizes)
            for (const Eigen::Index rank : {1, 2, 3, 4, 6}) {
                double sum = 0, squares = 0;
                unsigned defined = 0;
                for (unsigned pair = 0; pair < pairs; ++pair) {
                    auto a = drawnAs(Kind(kind), dims, rank, 1000 * pair + 7), b = drawnAs(Kind(kind), dims, rank, 1000 * pair + 507);
                    const ModelMatch match = components ? matchModels(cp(a, ones(rank)), cp(b, ones(rank)), m_control)
                                                        : matchModels(fastTucker(a), fastTucker(b), m_control);
                    if (!std::isfinite(match.agreement))
                        continue;
                    QVERIFY(match.agreement <= 1 + 1e-12);
                    sum += match.agreement;
                    squares += match.agreement * match.agreement;
                    ++defined;
                }
                if (defined < pairs / 2)
                    continue; // at most the odd pair that has fewer directions than columns
                const double mean = sum / defined, error = std::sqrt(squares / defined / defined);
                QVERIFY2(std::abs(mean) < 0.03 + 3 * error,
                         qPrintable(QStringLiteral("%1 +- %2 at rank %3 of %4 modes, first %5")
                                        .arg(mean)
                                        .arg(error)
                                        .arg(rank)
                                        .arg(dims.size())
                                        .arg(dims[0])));
                QVERIFY2(mean < 0.2, qPrintable(QString::number(mean)));
            }
    }

    void theSameModelAgreesWholly()
    {
        for (const Kind kind : {Kind::Signed, Kind::Positive, Kind::NearlyConstant, Kind::Sparse})
            for (const Eigen::Index rank : {1, 3, 5}) {
                const auto a = drawnAs(kind, {20, 16, 12}, rank, 3);
                QVERIFY(std::abs(matchModels(cp(a, ones(rank)), cp(a, ones(rank)), m_control).agreement - 1) < 1e-9);
                QVERIFY(std::abs(matchModels(fastTucker(a), fastTucker(a), m_control).agreement - 1) < 1e-9);
            }
    }

    void aModelThatSharesHalfLiesBetween()
    {
        for (const Kind kind : {Kind::Signed, Kind::Positive, Kind::NearlyConstant})
            for (const Eigen::Index rank : {4, 6}) {
                const std::vector<Eigen::Index> dims{40, 50, 30};
                const auto a = drawnAs(kind, dims, rank, 3), b = mixed(a, drawnAs(kind, dims, rank, 9), rank / 2);
                for (const double agreement : {matchModels(cp(a, ones(rank)), cp(b, ones(rank)), m_control).agreement,
                                               matchModels(fastTucker(a), fastTucker(b), m_control).agreement})
                    QVERIFY2(agreement > 0.35 && agreement < 0.65, qPrintable(QString::number(agreement)));
            }
    }

    /// A basis of as many directions as there are rows is every such basis.
    void whatAnyTwoBasesShareIsNoFinding()
    {
        const auto full = [&](unsigned seed) { return fastTucker({drawn(5, 5, seed), drawn(3, 3, seed + 1)}); };
        const ModelMatch match = matchModels(full(1), full(5), m_control);
        QVERIFY(std::isnan(match.agreement));
        QVERIFY(std::abs(match.score - 1) < 1e-9); // what made it look like one
        QCOMPARE(match.trivial, (std::vector<std::size_t>{5, 3}));

        // Another mode tells all there is to tell.
        const MatrixXd a = drawn(40, 3, 1);
        QVERIFY(std::abs(matchModels(fastTucker({drawn(5, 5, 1), a}), fastTucker({drawn(5, 5, 2), a}), m_control).agreement - 1) < 1e-9);
        QVERIFY(std::abs(matchModels(fastTucker({drawn(5, 5, 1), a}), fastTucker({drawn(5, 5, 2), drawn(40, 3, 8)}), m_control).agreement)
                < 0.2);
        // 4 + 3 − 5 directions.
        QCOMPARE(matchModels(fastTucker({drawn(5, 4, 1)}), fastTucker({drawn(5, 3, 2)}), m_control).trivial, std::vector<std::size_t>{2});
    }

    void componentsThatAreTheSameInEveryRowTellNothing()
    {
        const std::vector<MatrixXd> flat{MatrixXd::Ones(6, 2), MatrixXd::Ones(4, 2)};
        const ModelMatch match = matchModels(cp(flat, {1, 1}), cp(flat, {1, 1}), m_control);
        QVERIFY(std::isnan(match.agreement));
        QVERIFY(!match.pairs[0].isDefined() && !match.pairs[0].isSame());
        // One constant mode among others is part of the model.
        const std::vector<MatrixXd> a{drawn(30, 2, 1), MatrixXd::Ones(4, 2), drawn(20, 2, 2)};
        const ModelMatch same = matchModels(cp(a, {1, 1}), cp(a, {1, 1}), m_control);
        QVERIFY(std::abs(same.agreement - 1) < 1e-9 && same.pairs[0].isSame());
    }

    void singlePrecisionComparesWithDouble()
    {
        const auto a = drawnFactors({300, 20, 30}, 6, 23);
        const std::vector<double> weights(6, 1.0);
        const ModelMatch match = matchModels(cp(a, weights, false), cp(a, weights, true), m_control);
        QVERIFY(std::abs(match.score - 1) < 1e-6);
    }

    void otherSizesAreRefused()
    {
        const Model first = cp(drawnFactors({6, 7}, 2, 1), {1, 1}), second = cp(drawnFactors({6, 8}, 2, 1), {1, 1});
        try {
            matchModels(first, second, m_control);
            QFAIL("they were compared");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::BadArgument);
            const QString text = QString::fromUtf8(error.what());
            QVERIFY2(text.contains(QStringLiteral("6 x 8")) && text.contains(QStringLiteral("6 x 7")), error.what());
        }
    }

    void aStopIsHonoured()
    {
        RunControl control;
        control.stop();
        const Model model = cp(drawnFactors({600, 700}, 20, 1), std::vector<double>(20, 1.0));
        QVERIFY_EXCEPTION_THROWN(matchModels(model, model, control), Cancelled);
        QVERIFY_EXCEPTION_THROWN(bestPairing(drawn(3, 3, 1), control), Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestModelMatch)
#include "tst_model_match.moc"
