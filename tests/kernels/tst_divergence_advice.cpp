// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/divergence.h"
#include "support/ntf_problems.h"

#include <QtTest>

#include <cmath>
#include <functional>

using namespace kernels;
using Reason = DivergenceAdvice::Reason;

namespace {

double u(Count e, unsigned stream = 0) { return random::uniform(9, stream, e); }

SparseTensor withValues(Count entries, const std::function<double(Count)>& value)
{
    SparseTensor tensor({100, 100}, entries, true);
    for (Count e = 0; e < entries; ++e)
        tensor.setValue(e, value(e));
    return tensor;
}

} // namespace

class DivergenceAdviceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatTheValuesAskFor_data()
    {
        using Value = std::function<double(Count)>;
        QTest::addColumn<Value>("value");
        QTest::addColumn<Divergence>("divergence");
        QTest::addColumn<Reason>("reason");
        const auto row = [](const char* name, Value value, Divergence divergence, Reason reason) {
            QTest::newRow(name) << value << divergence << reason;
        };
        constexpr auto kl = Divergence::KullbackLeibler, is = Divergence::ItakuraSaito, euclidean = Divergence::Euclidean;
        row(
            "Poisson counts", [](Count e) { return test::ntf::poisson(2, u(e)); }, kl, Reason::Counts);
        row(
            "counts above 0", [](Count e) { return std::max(1.0, test::ntf::poisson(0.7, u(e))); }, kl, Reason::Counts);
        row(
            "large counts", [](Count e) { return test::ntf::poisson(200, u(e)); }, kl, Reason::Counts);
        row(
            "every value 1", [](Count) { return 1.0; }, kl, Reason::Counts);
        row(
            "ratings", [](Count e) { return std::min(5.0, 1 + std::floor(1 + 2 * (u(e) + u(e, 1)))); }, euclidean, Reason::Even);
        row(
            "ratings, most of them low", [](Count e) { return 1 + std::floor(5 * std::pow(u(e), 2.5)); }, euclidean, Reason::Even);
        row(
            "ratings in tens to 100", [](Count e) { return 10 * std::floor(11 * u(e)); }, euclidean, Reason::Even);
        row(
            "per cents", [](Count e) { return std::floor(101 * u(e)); }, euclidean, Reason::Even);
        row(
            "counts with a long tail", [](Count e) { return std::floor(std::pow(u(e), -0.7)); }, kl, Reason::Counts);
        row(
            "whether there is something", [](Count e) { return u(e) < 0.3 ? 1.0 : 0.0; }, kl, Reason::Counts);
        row(
            "exponential values of many means", [](Count e) { return -7e-9 * std::pow(10, 1.5 * u(e, 1)) * std::log(u(e)); }, is,
            Reason::Spread);
        row(
            "decades", [](Count e) { return std::pow(10, 6 * u(e)); }, is, Reason::Spread);
        row(
            "even ones", [](Count e) { return 0.5 + u(e); }, euclidean, Reason::Even);
        row(
            "even ones from 0", [](Count e) { return u(e); }, euclidean, Reason::Even);
        row(
            "decades and zeros", [](Count e) { return e % 50 ? std::pow(10, 6 * u(e)) : 0; }, euclidean, Reason::Even);
        row(
            "of both signs", [](Count e) { return u(e) - 0.5; }, euclidean, Reason::Negative);
    }
    void whatTheValuesAskFor()
    {
        QFETCH(std::function<double(Count)>, value);
        QFETCH(Divergence, divergence);
        QFETCH(Reason, reason);
        for (const Count entries : {Count{2000}, Count{200000}}) {
            const DivergenceAdvice advice = adviseDivergence(withValues(entries, value));
            QVERIFY2(advice.divergence == divergence, advice.because().c_str());
            QVERIFY(advice.reason == reason);
            QVERIFY(!advice.because().empty());
        }
    }

    /// A zero that the sample misses is known to those who counted them.
    void zerosElsewhereCount()
    {
        const SparseTensor tensor = withValues(5000, [](Count e) { return std::pow(10, 6 * u(e)); });
        QVERIFY(adviseDivergence(tensor).divergence == Divergence::ItakuraSaito);
        QVERIFY(adviseDivergence(tensor, true).divergence == Divergence::Euclidean);
        for (const Count zero : {Count{3}, Count{20000}, Count{69999}}) {
            const SparseTensor one = withValues(70000, [zero](Count e) { return e == zero ? 0 : std::pow(10, 6 * u(e)); });
            QVERIFY(adviseDivergence(one).divergence == Divergence::Euclidean);
        }
    }

    void namesAreReadBack()
    {
        for (const Divergence divergence : test::ntf::allDivergences)
            QVERIFY(divergenceFromString(toString(divergence)) == divergence);
        QVERIFY(!divergenceFromString("auto"));
    }
};

QTEST_GUILESS_MAIN(DivergenceAdviceTest)
#include "tst_divergence_advice.moc"
