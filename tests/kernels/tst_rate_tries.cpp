// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/rate_tries.h"
#include "kernels/base/random.h"
#include "kernels/tensor/split.h"
#include "support/runs.h"

#include <QtTest>

#include <cmath>

using namespace kernels;
using fasttucker_plus::RateTries;
using Turn = fasttucker_plus::RateTries::Turn;

namespace {

constexpr double faded = 0.03, middling = 0.1, fresh = 0.5; ///< of whole rates

/// At its first try; 1 is the least so far.
RateTries begun()
{
    RateTries tries;
    for (unsigned k = 0; k < 3; ++k)
        tries.remember(1.0, faded);
    return tries;
}

/// Sums of effects of each index, which products of few terms only come near to: what is left grows slowly out of next to nothing.
SparseTensor effects()
{
    const std::vector<Index> dims{12, 10, 8, 6};
    SparseTensor tensor(dims, 1500);
    for (Count e = 0; e < tensor.entries(); ++e) {
        double value = 3 + 0.1 * random::normal(9, 0, e);
        for (unsigned n = 0; n < dims.size(); ++n) {
            const auto index = static_cast<Index>(random::uniform(7, n, e) * dims[n]);
            tensor.indices[n][e] = index;
            value += index * 7 % 5 / 4.0 - 0.5;
        }
        tensor.setValue(e, value);
    }
    return tensor;
}

} // namespace

class RateTriesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ratesThatHaveNotFadedAreLeftAlone()
    {
        RateTries tries;
        QCOMPARE(tries.remember(1.0, fresh), Turn::None);
        QCOMPARE(tries.remember(1.1, fresh), Turn::None);
        QCOMPARE(tries.remember(0.9, middling), Turn::None); // still gains
        QCOMPARE(tries.remember(0.8999, faded), Turn::None); // little, as rates are
        QCOMPARE(tries.remember(0.89, faded), Turn::Begins);
        QVERIFY(tries.trying());

        RateTries noGain;
        QCOMPARE(noGain.remember(1.0, fresh), Turn::None);
        QCOMPARE(noGain.remember(1.0, middling), Turn::None); // once may be an accident
        QCOMPARE(noGain.remember(0.9999, middling), Turn::None);
        QCOMPARE(noGain.remember(1.0, middling), Turn::None);
        QCOMPARE(noGain.remember(1.0, middling), Turn::Begins);
        RateTries still;
        QCOMPARE(still.remember(1.0, fresh), Turn::None);
        QCOMPARE(still.remember(1.0, fresh), Turn::None);
        QCOMPARE(still.remember(1.0, middling), Turn::None); // those before had not faded
        RateTries saved;
        saved.restore(still.save());
        QCOMPARE(saved.remember(1.0, middling), Turn::Begins);
        RateTries lost;
        QCOMPARE(lost.remember(1.0, fresh), Turn::None);
        QCOMPARE(lost.remember(1.001, middling), Turn::Begins);

        RateTries gone;
        QCOMPARE(gone.remember(1.0, fresh), Turn::None);
        QCOMPARE(gone.remember(0.9999, 0.01), Turn::Begins);
    }

    void whatIsWorthItGoesOnAndFadesAnew()
    {
        RateTries tries = begun();
        double rmse = 1.1; // whole rates cost something at first
        for (unsigned k = 0; k < 30; ++k, rmse *= 0.98)
            QCOMPARE(tries.remember(rmse, 1), Turn::None);
        Turn turn = Turn::None;
        for (unsigned k = 0; k < 5; ++k)
            turn = tries.remember(rmse * 1.05, 1);
        QCOMPARE(turn, Turn::Anew);
        QVERIFY(!tries.trying() && tries.aside());
        QCOMPARE(tries.remember(rmse * 1.04, fresh), Turn::None);
        QVERIFY(tries.aside()); // until rates are small again
        QCOMPARE(tries.remember(0.9 * rmse, faded), Turn::Begins); // once more
        QVERIFY(!tries.aside()); // a new best
    }

    void whatIsNotGoesBackAndIsTriedNoMore()
    {
        RateTries tries = begun();
        for (unsigned k = 0; k < 5; ++k)
            QCOMPARE(tries.remember(1.1, 1), Turn::None);
        QCOMPARE(tries.remember(1.1, 1), Turn::Back);
        QCOMPARE(tries.remember(0.99, faded), Turn::None);

        RateTries slow = begun(); // falls, but never to where it was
        unsigned iterations = 0;
        for (double rmse = 3; slow.trying(); rmse *= 0.99)
            slow.remember(rmse, 1), ++iterations;
        QCOMPARE(iterations, 15U);
    }

    void theyGoOnFromWhatWasSaved()
    {
        RateTries tries = begun();
        tries.remember(1.1, 1);
        RateTries again;
        again.restore(tries.save());
        QVERIFY(again.trying());
        for (unsigned k = 0; k < 6; ++k) {
            const double rmse = k == 3 ? 1.05 : 1.1;
            QCOMPARE(again.remember(rmse, 1), tries.remember(rmse, 1));
        }
        QCOMPARE(again.trying(), tries.trying());
    }

    void slowComponentsAreLearnt_data()
    {
        QTest::addColumn<QString>("algorithm");
        for (const char* const id : {"fasttucker-plus", "fasttucker", "fastertucker"})
            QTest::newRow(id) << QString(id);
    }

    /// Nearly to the noise, 0.1. Rates that fade for good end at 0.125 to 0.128.
    void slowComponentsAreLearnt()
    {
        QFETCH(QString, algorithm);
        const Split split = splitRandom(effects(), 0.1, 1);
        RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.ranks = {8};
        config.threads = 2;
        config.stopping.iterations = 200;
        const RunResult result = test::runOn(config, split.train, &split.test);
        const double best = result.history.at(result.bestIteration - 1).testRmse;
        QVERIFY2(best < 0.11, qPrintable(QString("%1 after %2 iterations").arg(best).arg(result.history.size())));
    }
};

QTEST_GUILESS_MAIN(RateTriesTest)
#include "tst_rate_tries.moc"
