// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/start.h"
#include "kernels/algorithms/fasttucker_plus/step_sizes.h"
#include "support/known_tensors.h"
#include "support/oracle.h"
#include "support/runs.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace kernels;
using namespace kernels::fasttucker_plus;
namespace oracle = test::oracle;

namespace {

constexpr double tile = 16; // entries a thread of the CPU works on together

/// What a row of settings asks for; the steps are small enough that the order of entries hardly matters.
struct Steps {
    double rate = 0, balance = 0;
    double cap = 0; ///< of what the hottest row's steps would take away together; 0: none
    bool relative = false;
    bool deterministic = true; ///< all entries in one batch; else one thread
};

std::vector<std::vector<double>> countsOf(const SparseTensor& tensor)
{
    std::vector<std::vector<double>> counts;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        counts.emplace_back(tensor.modes[n].size, 0.0);
        for (const Index row : tensor.indices[n])
            counts.back()[row] += 1;
    }
    return counts;
}

/// One iteration of the engine against the formulas of the parameters' help, on entries most of which share rows.
struct Fixture {
    Steps steps;
    SparseTensor train = test::skewedTensor({60, 12, 5}, 900, 0.3, 11, true);
    std::vector<std::vector<double>> counts = countsOf(train);
    RunConfig config;
    Model start;
    StartSlopes slopes;
    double cap = 0;

    explicit Fixture(const Steps& s)
        : steps(s)
    {
        config.ranks = {3, 4, 5};
        config.coreRank = 4;
        config.variant = "calculate";
        config.precision = Precision::Fp64;
        config.deterministic = steps.deterministic;
        config.threads = 1;
        test::fixIterations(config, 1);
        RunControl control;
        StartSpec spec{train.dims(), config.ranks, config.coreRank, true, false, false, 0.1, config.seed, valueScale(train, control)};
        start = drawStart(spec, control);
        slopes = startSlopes(start, train, config.seed, control);
        cap = steps.cap * 3 * hottest();
        config.parameters = {{"learning-rate-a", steps.rate},    {"learning-rate-b", 0.0},        {"lambda-a", 0.0},
                             {"relative-rates", steps.relative}, {"mode-balance", steps.balance}, {"hot-row-cap", cap}};
        if (steps.deterministic)
            config.parameters["batch"] = std::int64_t(train.entries());
    }

    double entriesPerRow(unsigned mode) const
    {
        const double filled = double(std::count_if(counts[mode].begin(), counts[mode].end(), [](double c) { return c > 0; }));
        return double(train.entries()) / filled;
    }

    /// Of a mode, before slopes.
    double balanced(unsigned mode) const
    {
        double fewest = entriesPerRow(0);
        for (unsigned n = 1; n < train.order(); ++n)
            fewest = std::min(fewest, entriesPerRow(n));
        return steps.rate * std::pow(fewest / entriesPerRow(mode), steps.balance);
    }

    /// Of an entry's error, by the steps of all entries in flight that share the row.
    double takenAway(unsigned mode, Index row) const
    {
        const double share = steps.relative ? balanced(mode) : balanced(mode) * slopes.rows[mode];
        const double count = counts[mode][row];
        const double together = steps.deterministic ? count : std::max(count / double(train.entries()) * tile, std::min(count, 1.0));
        return share * together;
    }

    double hottest(unsigned mode) const
    {
        double most = 0;
        for (Index row = 0; row < train.modes[mode].size; ++row)
            most = std::max(most, takenAway(mode, row));
        return most;
    }
    double hottest() const { return std::max({hottest(0), hottest(1), hottest(2)}); }

    /// What the hottest rows may take each, so that those of all modes together take the cap.
    double mostOfARow() const
    {
        double low = 0, high = cap;
        for (int halving = 0; halving < 100; ++halving) {
            const double middle = (low + high) / 2;
            double sum = 0;
            for (unsigned n = 0; n < train.order(); ++n)
                sum += std::min(hottest(n), middle);
            (sum > cap ? high : low) = middle;
        }
        return low;
    }

    oracle::FactorStep step() const
    {
        oracle::FactorStep step;
        const double most = mostOfARow();
        for (unsigned n = 0; n < train.order(); ++n) {
            step.rates.push_back(steps.relative ? balanced(n) / slopes.rows[n] : balanced(n));
            step.rowScales.emplace_back();
            for (Index row = 0; row < train.modes[n].size; ++row) {
                const double taken = takenAway(n, row);
                step.rowScales.back().push_back(cap > 0 && taken > most ? float(most / taken) : 1.0f);
            }
        }
        return step;
    }

    Model expected(const oracle::FactorStep& how) const
    {
        Model model = start;
        std::vector<Count> order(train.entries());
        std::iota(order.begin(), order.end(), Count{0});
        oracle::factorPass(model, train, order, train.entries(), how);
        return model;
    }
};

} // namespace

Q_DECLARE_METATYPE(Steps)

/// How far rows go: the host logic of rates, balance of modes and hot rows on the CPU.
class FastTuckerStepsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsGoAsFarAsTheSettingsSay_data()
    {
        QTest::addColumn<Steps>("steps");
        for (const bool relative : {false, true})
            for (const bool deterministic : {true, false}) {
                const double rate = deterministic ? 1e-3 : 1e-6;
                const std::string suffix = std::string(relative ? ", relative" : "") + (deterministic ? "" : ", one thread");
                const auto row = [&](const char* name, double balance, double cap) {
                    QTest::addRow("%s%s", name, suffix.c_str()) << Steps{rate, balance, cap, relative, deterministic};
                };
                row("plain", 0, 0);
                row("balanced", 1, 0);
                row("half balanced", 0.5, 0);
                row("capped", 0, 0.3);
                row("balanced and capped", 0.5, 0.3);
                row("capped, cold modes leave their part", 0, 0.5);
            }
    }
    void rowsGoAsFarAsTheSettingsSay()
    {
        QFETCH(Steps, steps);
        const Fixture f(steps);
        const Model expected = f.expected(f.step());
        const RunResult result = test::runOn(f.config, f.train);
        QCOMPARE(result.bestIteration, std::uint64_t{1});
        // Shares and scales of rows are floats; without a batch, entries see what those before them changed: 300 steps of 1e-6.
        const double moved = oracle::distance(f.start, expected);
        const double off = oracle::distance(result.best, expected);
        const double allowed = steps.deterministic ? 1e-12 + 1e-6 * moved : 2e-3 * moved;
        QVERIFY2(off <= allowed, qPrintable(QStringLiteral("off by %1, allowed %2").arg(off).arg(allowed)));
        if (steps.balance == 0 && steps.cap == 0)
            return;
        // The comparison sees what the settings change.
        oracle::FactorStep without = f.step();
        for (auto& scales : without.rowScales)
            std::fill(scales.begin(), scales.end(), 1.0f);
        for (unsigned n = 0; n < f.train.order(); ++n)
            without.rates[n] = steps.relative ? steps.rate / f.slopes.rows[n] : steps.rate;
        QVERIFY(oracle::distance(f.expected(without), expected) > 20 * allowed);
    }

    void coldModesLeaveTheirPartOfTheCap()
    {
        const std::vector<std::vector<float>> shares{{0.5f, 0.5f}, std::vector<float>(100, 0.01f)};
        const std::vector<Concurrency> inFlight(2, {1000, 1});
        HotRows rows{shares, inFlight, 1e6, 0.6};
        const std::vector<double> taken{0.01, 0.01}; // together by the hottest: 5 and 0.1 of an error
        const std::vector<double> parts = rows.partsOfCap(taken);
        QVERIFY(std::abs(parts[0] - 0.5) < 1e-6 && std::abs(parts[1] - 0.3) < 1e-6);
        rows.modesAddUp = false;
        QCOMPARE(rows.partsOfCap(taken), std::vector<double>(2, 0.6));
    }

    /// Rates fade by how often rows learn, which is less often where steps of hot rows are held back.
    void ratesFadeAsRowsLearn()
    {
        const std::vector<std::vector<float>> shares{{0.75f, 0.25f}, {0.5f, 0, 0.5f}};
        std::vector<ModeLoad> loads(2);
        loads[0].entriesPerRow = 500;
        loads[1].entriesPerRow = 20;
        Settings settings;
        settings.relative = true;
        settings.decay = -1;
        const auto fading = [&](double rate, const std::vector<std::vector<float>>& scales) {
            StepSizes steps;
            steps.rateA = rate;
            steps.shares = {rate / 5, rate}; // balanced: the square root of 20 / 500
            chooseFading(steps, settings, loads, shares, scales);
            return steps;
        };
        const auto expected = [](double timesOver) { return 0.6 * std::pow(timesOver / 20, 1.5); };
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-5 * b; };
        QVERIFY(near(fading(0.1, {}).decay, expected(0.1 * 20)));
        QVERIFY(near(fading(0.1, {}).slowness, 10)); // of 20 times, 2
        QVERIFY(near(fading(0.1, {{0.3f, 0.5f}, {}}).decay, expected(0.1 * 20))); // of 100, 40 are more than 20
        QVERIFY(near(fading(0.1, {{0.02f, 0.1f}, {}}).decay, expected(0.1 * 6)));
        QVERIFY(near(fading(0.1, {{}, {0.2f, 1, 0.3f}}).decay, expected(0.1 * 5))); // a row without entries learns nothing
        QVERIFY(near(fading(0.1, {{}, {0.2f, 1, 0.3f}}).slowness, 40));
        QCOMPARE(fading(10, {}).decay, 0.6); // no sooner than this
        settings.decay = 0.3;
        QCOMPARE(fading(0.1, {}).decay, 0.3);
    }

    /// Where slopes are so steep that the divisor of a step is all there is.
    void dampedStepsOfAMomentDoNotGrow()
    {
        const std::vector<std::vector<float>> shares{{0.5f, 0.5f}, std::vector<float>(100, 0.01f), std::vector<float>(1000, 0.001f)};
        const std::vector<Concurrency> inFlight(3, {1000, 1});
        const HotRows rows{shares, inFlight, 1e6, 0.6};
        std::vector<ModeLoad> loads(3);
        StepSizes steps;
        Model start;
        start.coreRank = 1;
        for (unsigned n = 0; n < 3; ++n) {
            loads[n].largestShare = shares[n][0];
            steps.shares.push_back(0.01);
            steps.ratesA.push_back(0.01);
            start.ranks.push_back(1);
            start.coreFactors.push_back(Matrix(1, 1, true));
            start.coreFactors.back().set(0, 0, 1);
        }
        RunControl control;
        const std::vector<double> damping = dampings(start, steps, loads, rows);
        const std::vector<std::vector<float>> scales = scalesOfHotRows(rows, steps.shares, control);
        double taken = 0; // of an error, by the entries that share the hottest rows: rate |d|^2 / (damping |w|^2) each
        for (unsigned n = 0; n < 3; ++n)
            taken += rows.entriesAtOnce(n, rows.hottest(n)) * (scales[n].empty() ? 1 : scales[n][0]) * steps.ratesA[n] / damping[n];
        QVERIFY2(taken > 0.5 && taken < 5.0 / 3, qPrintable(QString::number(taken)));
    }

    /// Of the CPU: a tile a thread, and no more threads than the entries have work for.
    void threadsDecideWhatIsInFlight()
    {
        const std::unique_ptr<BackEnd> made = makeBackEnd("fasttucker-plus", Precision::Fp32, DeviceId{});
        const auto* const backEnd = dynamic_cast<const PlusBackEnd*>(made.get());
        QVERIFY(backEnd);
        const std::vector<Index> dims{60, 12, 5};
        const std::vector<unsigned> ranks{3, 4, 5};
        const std::vector<std::vector<float>> shares;
        const auto inFlight = [&](unsigned threads, Count entries) {
            const auto modes = backEnd->concurrency(Flight{dims, ranks, 4, false, Gathering::None, threads, entries, shares});
            return modes.size() == 3 && modes[1].together == 1 ? modes[2].inFlight : -1.0;
        };
        QCOMPARE(inFlight(1, 10'000'000), tile);
        QCOMPARE(inFlight(8, 10'000'000), 8 * tile);
        QCOMPARE(inFlight(8, 900), tile);
    }
};

QTEST_GUILESS_MAIN(FastTuckerStepsTest)
#include "tst_fasttucker_steps.moc"
