// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/random.h"
#include "support/runs.h"

#include <QtTest>

using namespace kernels;

namespace {

/// Rows of two modes are so much above or below the others' mean; half as much is noise.
SparseTensor around(double mean, double apart, Count entries, std::uint64_t seed)
{
    const std::vector<Index> dims{120, 80, 20};
    SparseTensor tensor(dims, entries, true);
    for (Count e = 0; e < entries; ++e) {
        double value = mean;
        for (unsigned n = 0; n < 3; ++n) {
            const auto index = static_cast<Index>(random::bits(seed, n, e) % dims[n]);
            tensor.indices[n][e] = index;
            value += n < 2 ? 0.7 * apart * random::normal(1, 100 + n, index) : 0;
        }
        tensor.setValue(e, value + 0.5 * apart * random::normal(seed, 9, e));
    }
    return tensor;
}

} // namespace

/// Values that differ little beside their mean, as temperatures in kelvin do, are learnt by default settings as others are.
class CloseValuesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatLiesBetweenThemIsLearnt_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<QString>("variant");
        QTest::addColumn<unsigned>("rank");
        QTest::addColumn<double>("mean");
        QTest::addColumn<double>("apart");
        for (const auto& [algorithm, variant] : {std::pair{"fasttucker-plus", "grouped"},
                                                 {"fasttucker-plus", "calculate"},
                                                 {"fasttucker", "calculate"},
                                                 {"fastertucker", "coo"},
                                                 {"fastertucker", "full"},
                                                 {"cp-sgd", ""},
                                                 {"tucker-sgd", ""}})
            for (const unsigned rank : {1U, 4U, 16U})
                for (const auto& [mean, apart] : {std::pair{100.0, 1.0}, {100.0, 0.1}, {-1000.0, 0.01}, {4.0, 1.0}})
                    QTest::addRow("%s %s, rank %u, %g ± %g", algorithm, variant, rank, mean, apart)
                        << QString(algorithm) << QString(variant) << rank << mean << apart;
    }
    /// Noise alone leaves 0.5 of it, the mean of all values 1.1. fp32 holds a thousand to 6e-5.
    void whatLiesBetweenThemIsLearnt()
    {
        QFETCH(QString, algorithm);
        QFETCH(QString, variant);
        QFETCH(unsigned, rank);
        QFETCH(double, mean);
        QFETCH(double, apart);
        const SparseTensor train = around(mean, apart, 20000, 3), held = around(mean, apart, 2000, 4);
        RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.variant = variant.toStdString();
        config.format = variant == "full" ? "bcsf" : "coo";
        config.ranks = {rank};
        config.coreRank = rank;
        config.threads = 1;
        config.stopping.iterations = 40;
        const RunResult result = test::runOn(config, train, &held);
        const double rmse = result.history[result.bestIteration - 1].testRmse;
        QVERIFY2(rmse <= 0.7 * apart, qPrintable(QString::number(rmse / apart)));
    }

    void allTheSameIsExact_data()
    {
        QTest::addColumn<double>("value");
        for (const double value : {7.0, 1e-5, -3e4})
            QTest::addRow("%g", value) << value;
    }
    void allTheSameIsExact()
    {
        QFETCH(double, value);
        for (const unsigned rank : {1U, 4U, 16U}) {
            RunConfig config;
            config.ranks = {rank};
            config.coreRank = rank;
            config.stopping.iterations = 10;
            const RunResult result = test::runOn(config, around(value, 0, 3000, 5));
            const double rmse = result.history[result.bestIteration - 1].trainRmse;
            QVERIFY2(rmse <= 1e-5 * std::abs(value), qPrintable(QString::number(rmse / value)));
        }
    }
};

QTEST_GUILESS_MAIN(CloseValuesTest)
#include "tst_close_values.moc"
