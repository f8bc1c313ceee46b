// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/online.h"
#include "support/ntf_online_problems.h"
#include "support/ntf_oracle.h"
#include "support/stopping.h"

using namespace kernels;
using namespace test::ntf;
using kernels::ntf::NewSums;
using kernels::ntf::OldSums;
using kernels::ntf::OnlineModel;
using kernels::ntf::OnlineReport;
using kernels::ntf::OnlineRule;
using kernels::ntf::OnlineStep;

namespace {

/// What entries with these sums at `from` add to the loss at `a`, at most; a part that does not depend on a is left out.
double bound(Divergence divergence, double from, double up, double down, double a)
{
    switch (divergence) {
    case Divergence::Euclidean:
        return down / from * a * a - 2 * up * a;
    case Divergence::KullbackLeibler:
        return down * a - from * up * std::log(a);
    case Divergence::ItakuraSaito:
        break;
    }
    return from * from * up / a + down * a;
}

double penaltyAt(Divergence divergence, double lambda, double a)
{
    return (divergence == Divergence::Euclidean ? 1 : 0.5) * lambda * a * a;
}

/// A number from 0.1 to 10, evenly by its logarithm.
double drawn(std::uint64_t counter) { return std::pow(10, 2 * random::uniform(17, 3, counter) - 1); }

struct Sums {
    std::vector<std::vector<double>> up, down; ///< [row][r]
};

/// As the formulas have them.
Sums sumsByFormula(const Factors& factors, const SparseTensor& tensor, unsigned mode, Divergence divergence)
{
    const std::size_t rank = factors[0][0].size();
    Sums sums;
    sums.up.assign(factors[mode].size(), std::vector<double>(rank, 0));
    sums.down = sums.up;
    for (Count e = 0; e < tensor.entries(); ++e) {
        const double x = tensor.value(e), predicted = std::max(prediction(factors, tensor, e), 1e-12 * meanOf(tensor));
        for (std::size_t r = 0; r < rank; ++r) {
            const double s = productOfOthers(factors, tensor, e, mode, r);
            const Index i = tensor.indices[mode][e];
            if (divergence == Divergence::Euclidean) {
                sums.up[i][r] += x * s;
                sums.down[i][r] += prediction(factors, tensor, e) * s;
            } else if (divergence == Divergence::KullbackLeibler) {
                sums.up[i][r] += x / predicted * s;
                sums.down[i][r] += s;
            } else {
                sums.up[i][r] += x / predicted / predicted * s;
                sums.down[i][r] += s / predicted;
            }
        }
    }
    return sums;
}

double apart(double found, double expected) { return std::abs(found - expected) / (1e-30 + std::abs(found) + std::abs(expected)); }

double farthestSums(const SolverState& kept, const Factors& factors, const SparseTensor& tensor, Divergence divergence)
{
    double far = 0;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        const Sums sums = sumsByFormula(factors, tensor, n, divergence);
        const Matrix &up = kept.at("numerator_" + std::to_string(n)), &down = kept.at("denominator_" + std::to_string(n));
        for (std::size_t i = 0; i < up.rows; ++i)
            for (std::size_t r = 0; r < up.columns; ++r)
                far = std::max({far, apart(up.at(i, r), sums.up[i][r]), apart(down.at(i, r), sums.down[i][r])});
    }
    return far;
}

/// Of a tensor of 9 × 8 × 7, each 1.5.
SparseTensor entriesAt(const std::vector<std::vector<Index>>& places)
{
    SparseTensor tensor({9, 8, 7}, places.size());
    for (Count e = 0; e < places.size(); ++e) {
        for (unsigned n = 0; n < 3; ++n)
            tensor.indices[n][e] = places[e][n];
        tensor.setValue(e, 1.5);
    }
    return tensor;
}

std::string refusal(const std::function<void()>& act)
{
    try {
        act();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

} // namespace

class NtfOnlineTest : public QObject {
    Q_OBJECT

    static void addDivergences()
    {
        QTest::addColumn<Divergence>("divergence");
        for (const Divergence divergence : allDivergences)
            QTest::newRow(toString(divergence).data()) << divergence;
    }

private Q_SLOTS:
    /// The sum of both bounds and the penalty never rises, wherever the two were taken.
    void aStepNeverRaisesTheBounds_data() { addDivergences(); }
    void aStepNeverRaisesTheBounds()
    {
        QFETCH(Divergence, divergence);
        for (std::uint64_t k = 0; k < 3000; ++k) {
            const OldSums old{drawn(8 * k), drawn(8 * k + 1), drawn(8 * k + 2)};
            const NewSums fresh{drawn(8 * k + 3), drawn(8 * k + 4)};
            const double a = drawn(8 * k + 5), weight = drawn(8 * k + 6), lambda = k % 3 == 0 ? 0 : drawn(8 * k + 7);
            const auto value = [&](double at) {
                return bound(divergence, old.factor, old.up, old.down, at) + weight * bound(divergence, a, fresh.up, fresh.down, at)
                    + penaltyAt(divergence, lambda, at);
            };
            const double to = kernels::ntf::renewed({divergence, OnlineRule::Ours, weight}, old, a, fresh, lambda);
            QVERIFY(to > 0 && std::isfinite(to));
            QVERIFY2(value(to) <= value(a) + 1e-9 * (1 + std::abs(value(a))), qPrintable(QString::number(k)));
            if (lambda == 0 || divergence != Divergence::ItakuraSaito) // the least there is
                for (const double by : {0.99, 1.01})
                    QVERIFY2(value(to * by) >= value(to), qPrintable(QString::number(k)));
        }
    }

    /// What is carried on bounds as both did, up to what does not depend on the number.
    void whatIsCarriedIsBothBounds_data() { addDivergences(); }
    void whatIsCarriedIsBothBounds()
    {
        QFETCH(Divergence, divergence);
        for (std::uint64_t k = 0; k < 1000; ++k) {
            const OldSums old{drawn(8 * k), drawn(8 * k + 1), drawn(8 * k + 2)};
            const NewSums fresh{drawn(8 * k + 3), drawn(8 * k + 4)};
            const double a = drawn(8 * k + 5), weight = drawn(8 * k + 6), b = drawn(8 * k + 7);
            const OldSums now = kernels::ntf::carried({divergence, OnlineRule::Ours, weight}, old, a, fresh);
            QCOMPARE(now.factor, a);
            const auto both = [&](double at) {
                return bound(divergence, old.factor, old.up, old.down, at) + weight * bound(divergence, a, fresh.up, fresh.down, at);
            };
            const auto carried = [&](double at) { return bound(divergence, now.factor, now.up, now.down, at); };
            const double size = std::abs(both(b)) + std::abs(both(a)) + 1;
            QVERIFY(std::abs((carried(b) - carried(a)) - (both(b) - both(a))) <= 1e-10 * size);
        }
    }

    void numbersThatAreZeroOrToldNothingStay()
    {
        for (const Divergence divergence : allDivergences)
            for (const OnlineRule rule : {OnlineRule::Ours, OnlineRule::Paper}) {
                const OnlineStep step{divergence, rule, 1};
                QCOMPARE(kernels::ntf::renewed(step, {0, 1, 1}, 0, {1, 1}, 0), 0.0);
                QCOMPARE(kernels::ntf::renewed(step, {2, 0, 0}, 2, {0, 0}, 0), 2.0);
                QCOMPARE(kernels::ntf::renewed(step, {2, 1, 1}, 2, {INFINITY, 1}, 0), 2.0);
                QCOMPARE(kernels::ntf::renewed(step, {2, 1, 1}, 2, {NAN, 1}, 0.1), 2.0);
                const OldSums carried = kernels::ntf::carried(step, {2, 1, 1}, 0, {0, 1});
                QVERIFY(std::isfinite(carried.up) && std::isfinite(carried.down));
            }
    }

    void sumsAreTheFormulas_data() { addDivergences(); }
    void sumsAreTheFormulas()
    {
        QFETCH(Divergence, divergence);
        for (unsigned order = 2; order <= 5; ++order) {
            const SparseTensor tensor = positiveTensor(std::vector<Index>(order, 9), 200, order, divergence != Divergence::ItakuraSaito);
            const RunResult run = test::runOn(configOf(divergence, 5, 3), tensor);
            const OnlineModel model = onlineModel(run, tensor);
            const double far = farthestSums(model.kept, factorsOf(model.model), tensor, divergence);
            QVERIFY2(far < 1e-12, qPrintable(QStringLiteral("order %1: %2").arg(order).arg(far)));
            const RunResult floats = test::runOn(configOf(divergence, 5, 3, Precision::Fp32), tensor);
            const OnlineModel single = onlineModel(floats, tensor);
            QVERIFY(!single.kept.at("numerator_0").hasDoubles());
            QVERIFY(farthestSums(single.kept, factorsOf(single.model), tensor, divergence) < 1e-4);
        }
    }

    /// One update, step by step as ALGORITHMS has it.
    void anUpdateIsTheFormulas_data() { addDivergences(); }
    void anUpdateIsTheFormulas()
    {
        QFETCH(Divergence, divergence);
        for (const OnlineRule rule : {OnlineRule::Ours, OnlineRule::Paper})
            for (const bool weighted : {false, true}) {
                const SparseTensor tensor = positiveTensor({9, 8, 7}, 300, 3), fresh = positiveTensor({9, 8, 7}, 40, 4);
                RunConfig config = configOf(divergence, 4, 5);
                config.parameters["penalty"] = 0.05;
                config.parameters["regularisation"] = std::string(weighted ? "weighted" : "plain");
                const RunResult run = test::runOn(config, tensor);
                OnlineModel model = onlineModel(run, tensor);
                const double weight = 2.5;
                const unsigned steps = rule == OnlineRule::Ours ? 2 : 1;
                Factors factors = factorsOf(model.model);
                const Factors before = factors;
                std::vector<Sums> old;
                for (unsigned n = 0; n < 3; ++n)
                    old.push_back(sumsByFormula(before, tensor, n, divergence));
                for (unsigned s = 0; s < steps; ++s)
                    for (unsigned n = 0; n < 3; ++n) {
                        const Sums now = sumsByFormula(factors, fresh, n, divergence);
                        std::vector<double> counts(factors[n].size(), 0), freshCounts(factors[n].size(), 0);
                        for (const Index i : tensor.indices[n])
                            ++counts[i];
                        for (const Index i : fresh.indices[n])
                            ++freshCounts[i];
                        for (std::size_t i = 0; i < factors[n].size(); ++i)
                            for (std::size_t r = 0; r < 4 && freshCounts[i] > 0; ++r) {
                                const double lambda = 0.05 * (weighted ? counts[i] + weight * freshCounts[i] : 1);
                                factors[n][i][r] =
                                    kernels::ntf::renewed({divergence, rule, weight}, {before[n][i][r], old[n].up[i][r], old[n].down[i][r]},
                                                          factors[n][i][r], {now.up[i][r], now.down[i][r]}, lambda);
                            }
                    }
                RunControl control;
                const OnlineReport report = kernels::ntf::learn(model, run.config, fresh, {rule, weight, steps}, control);
                const Factors found = factorsOf(model.model);
                double far = 0, moved = 0;
                for (unsigned n = 0; n < 3; ++n)
                    for (std::size_t i = 0; i < found[n].size(); ++i)
                        for (std::size_t r = 0; r < 4; ++r) {
                            far = std::max(far, apart(found[n][i][r], factors[n][i][r]));
                            moved = std::max(moved, apart(found[n][i][r], before[n][i][r]));
                        }
                QVERIFY2(far < 1e-11 && moved > 1e-3, qPrintable(QStringLiteral("%1 apart, %2 moved").arg(far).arg(moved)));
                QCOMPARE(report.newRows, std::vector<Index>({0, 0, 0}));
                QVERIFY(model.kept.contains("factor_at_0") == (rule == OnlineRule::Paper));
                QVERIFY(model.kept.contains("entries_0") == weighted);
            }
    }

    /// Rows and sums that no new entry is in keep their bits; rows of a gap in time begin as the mean of those with entries.
    void whatNoEntryIsInStays()
    {
        const SparseTensor tensor = positiveTensor({9, 8, 7}, 300, 3);
        const RunResult run = test::runOn(configOf(Divergence::KullbackLeibler, 4, 5), tensor);
        const OnlineModel before = onlineModel(run, tensor);
        SparseTensor fresh({9, 8, 10}, 2);
        const std::vector<std::vector<Index>> entries{{2, 3, 9}, {2, 5, 1}};
        for (Count e = 0; e < 2; ++e) {
            for (unsigned n = 0; n < 3; ++n)
                fresh.indices[n][e] = entries[e][n];
            fresh.setValue(e, 2 + static_cast<double>(e));
        }
        OnlineModel after = before;
        RunControl control;
        kernels::ntf::learn(after, run.config, fresh, {OnlineRule::Ours, 1, 2}, control);
        QCOMPARE(after.model.dims, std::vector<Index>({9, 8, 10}));
        for (unsigned n = 0; n < 3; ++n)
            for (const std::string& name : {"numerator_" + std::to_string(n), "denominator_" + std::to_string(n), std::string()}) {
                const Matrix& old = name.empty() ? before.model.factors[n] : before.kept.at(name);
                const Matrix& now = name.empty() ? after.model.factors[n] : after.kept.at(name);
                QCOMPARE(now.rows, std::size_t{after.model.dims[n]});
                bool moved = false;
                for (std::size_t i = 0; i < old.rows; ++i) {
                    const bool touched = i == entries[0][n] || i == entries[1][n];
                    for (std::size_t r = 0; r < 4; ++r) {
                        QVERIFY2(touched || now.at(i, r) == old.at(i, r), qPrintable(QStringLiteral("%1 row %2").arg(n).arg(i)));
                        moved = moved || now.at(i, r) != old.at(i, r);
                    }
                }
                QVERIFY(moved);
            }
        for (const std::size_t gap : {7, 8})
            for (std::size_t r = 0; r < 4; ++r) {
                double mean = 0;
                for (std::size_t i = 0; i < 6; ++i) // the last one has no entries
                    mean += before.model.factors[2].at(i, r) / 6;
                QVERIFY(apart(after.model.factors[2].at(gap, r), mean) < 1e-6);
                QCOMPARE(after.kept.at("numerator_2").at(gap, r), 0.0);
                QCOMPARE(after.kept.at("denominator_2").at(gap, r), 0.0);
            }
    }

    /// Carried sums against what the formulas say, of two batches in a row.
    void sumsAreCarriedOverBatches_data() { addDivergences(); }
    void sumsAreCarriedOverBatches()
    {
        QFETCH(Divergence, divergence);
        const SparseTensor tensor = positiveTensor({9, 8, 7}, 300, 3);
        const RunResult run = test::runOn(configOf(divergence, 4, 5), tensor);
        OnlineModel model = onlineModel(run, tensor);
        RunControl control;
        for (std::uint64_t batch = 0; batch < 2; ++batch) {
            const SparseTensor fresh = positiveTensor({9, 8, 7}, 40, 4 + batch);
            const OnlineModel before = model;
            kernels::ntf::learn(model, run.config, fresh, {OnlineRule::Ours, 1, 2}, control);
            const Factors was = factorsOf(before.model), now = factorsOf(model.model);
            for (unsigned n = 0; n < 3; ++n) {
                const std::string up = "numerator_" + std::to_string(n), down = "denominator_" + std::to_string(n);
                const Sums sums = sumsByFormula(now, fresh, n, divergence);
                std::vector<bool> touched(now[n].size());
                for (const Index i : fresh.indices[n])
                    touched[i] = true;
                for (std::size_t i = 0; i < now[n].size(); ++i)
                    for (std::size_t r = 0; r < 4; ++r) {
                        const OldSums old{was[n][i][r], before.kept.at(up).at(i, r), before.kept.at(down).at(i, r)};
                        const OldSums expected = touched[i]
                            ? kernels::ntf::carried({divergence, OnlineRule::Ours, 1}, old, now[n][i][r], {sums.up[i][r], sums.down[i][r]})
                            : old;
                        QVERIFY(apart(model.kept.at(up).at(i, r), expected.up) < 1e-11);
                        QVERIFY(apart(model.kept.at(down).at(i, r), expected.down) < 1e-11);
                    }
            }
        }
    }

    /// Rows that a batch brings are fitted to it; rows that it does not speak of stay, bit for bit.
    void newRowsOfAnyModeAreFitted_data() { addDivergences(); }
    void newRowsOfAnyModeAreFitted()
    {
        QFETCH(Divergence, divergence);
        const Model truth = plantedParts({30, 28, 26}, 3, 5, 1.2);
        const SparseTensor all = exactValues(truth, 8000, 6);
        Array<Count> known, fresh;
        for (Count e = 0; e < all.entries(); ++e) {
            const bool isNew = all.indices[0][e] >= 27 || all.indices[2][e] >= 24;
            if (!isNew)
                known.push_back(e);
            else if (all.indices[1][e] < 20)
                fresh.push_back(e);
        }
        SparseTensor first = gather(all, known), batch = gather(all, fresh);
        first.modes[0].size = 27;
        first.modes[2].size = 24;
        RunConfig config = configOf(divergence, 3, 300);
        config.parameters["row-steps"] = std::int64_t{2};
        const RunResult run = test::runOn(config, first);
        OnlineModel model = onlineModel(run, first);
        const Model before = model.model;
        RunControl control;
        const OnlineReport report = kernels::ntf::learn(model, run.config, batch, {OnlineRule::Ours, 1, 3}, control);
        QCOMPARE(report.newRows, std::vector<Index>({3, 0, 2}));
        QCOMPARE(model.model.dims, truth.dims);
        for (std::size_t i = 20; i < 28; ++i)
            for (unsigned r = 0; r < 3; ++r)
                QCOMPARE(model.model.factors[1].at(i, r), before.factors[1].at(i, r));
        const double mean = meanOf(batch);
        QVERIFY2(report.after.rmse() < 0.1 * mean, qPrintable(QStringLiteral("%1 of %2").arg(report.after.rmse()).arg(mean)));
        QVERIFY(report.before.count == 0 && std::isnan(report.before.rmse()));
        for (const Matrix& factor : model.model.factors)
            for (std::size_t i = 0; i < factor.rows; ++i)
                for (unsigned r = 0; r < 3; ++r)
                    QVERIFY(factor.at(i, r) >= 0 && std::isfinite(factor.at(i, r)));
    }

    /// η counts the new entries' loss; in a weighted penalty it counts their rows, too, and cancels.
    void newRowsArePenalisedAsTheirEntriesCount_data() { addDivergences(); }
    void newRowsArePenalisedAsTheirEntriesCount()
    {
        QFETCH(Divergence, divergence);
        const Model truth = plantedParts({20, 18, 16}, 3, 5, 1.2);
        const SparseTensor all = exactValues(truth, 3000, 6);
        Array<Count> known, fresh;
        for (Count e = 0; e < all.entries(); ++e)
            (all.indices[2][e] < 14 ? known : fresh).push_back(e);
        SparseTensor first = gather(all, known), batch = gather(all, fresh);
        first.modes[2].size = 14;
        const auto rowsBy = [&](bool weighted, double lambda, double weight) {
            RunConfig config = configOf(divergence, 3, 60);
            config.parameters["penalty"] = 0.002;
            config.parameters["regularisation"] = std::string(weighted ? "weighted" : "plain");
            const RunResult run = test::runOn(config, first);
            OnlineModel model = onlineModel(run, first);
            config.parameters["penalty"] = lambda;
            RunControl control;
            kernels::ntf::learn(model, config, batch, {OnlineRule::Ours, weight, 0}, control); // no steps: as they were fitted
            Factors factors = factorsOf(model.model);
            return std::vector<std::vector<double>>(factors[2].begin() + 14, factors[2].end());
        };
        const auto far = [](const auto& found, const auto& expected) {
            double most = 0;
            for (std::size_t i = 0; i < found.size(); ++i)
                for (std::size_t r = 0; r < found[i].size(); ++r)
                    most = std::max(most, std::abs(found[i][r] - expected[i][r]));
            return most;
        };
        const auto weighted = rowsBy(true, 0.002, 1);
        for (const double weight : {0.01, 10.0})
            QVERIFY(far(rowsBy(true, 0.002, weight), weighted) < 1e-9);
        const auto plain = rowsBy(false, 0.5, 1);
        for (const double weight : {0.01, 10.0})
            QVERIFY(far(rowsBy(false, 0.5 * weight, weight), plain) < 1e-9);
        QVERIFY(far(rowsBy(false, 0.5, 0.01), plain) > 1e-3);
    }

    /// Within the dims, too, where no entry came so far: of a mode declared longer than it was used, or a day that comes late.
    void untoldRowsAreFittedAsNewOnes_data() { addDivergences(); }
    void untoldRowsAreFittedAsNewOnes()
    {
        QFETCH(Divergence, divergence);
        const Model truth = plantedParts({30, 28, 26}, 3, 5, 1.2);
        const SparseTensor all = exactValues(truth, 8000, 6);
        Array<Count> known, late, last;
        for (Count e = 0; e < all.entries(); ++e)
            if (all.indices[2][e] >= 24)
                (all.indices[2][e] == 24 ? late : last).push_back(e);
            else
                known.push_back(e);
        const SparseTensor lateBatch = gather(all, late);
        for (const bool declared : {false, true}) {
            SparseTensor first = gather(all, known);
            first.modes[2].size = declared ? 26 : 24;
            RunConfig config = configOf(divergence, 3, 300);
            config.parameters["row-steps"] = std::int64_t{2};
            const RunResult run = test::runOn(config, first);
            OnlineModel model = onlineModel(run, first);
            RunControl control;
            if (!declared)
                kernels::ntf::learn(model, run.config, gather(all, last), {}, control);
            const OnlineReport report = kernels::ntf::learn(model, run.config, lateBatch, {OnlineRule::Ours, 1, 1}, control);
            const double mean = meanOf(lateBatch), rmse = evaluateModel(model.model, lateBatch).rmse(); // of what is written
            QVERIFY2(rmse < 0.1 * mean, qPrintable(QStringLiteral("%1 of %2").arg(rmse).arg(mean)));
            QCOMPARE(report.before.count, Count{0});
            QCOMPARE(report.newRows, std::vector<Index>({0, 0, 0}));
        }
    }

    /// No step leaves 0; what was 0 so far and is bought now has to be learnt all the same.
    void aRowOfZerosIsLearnt_data()
    {
        QTest::addColumn<Divergence>("divergence");
        for (const Divergence divergence : {Divergence::Euclidean, Divergence::KullbackLeibler})
            QTest::newRow(toString(divergence).data()) << divergence;
    }
    void aRowOfZerosIsLearnt()
    {
        QFETCH(Divergence, divergence);
        const Model truth = plantedParts({20, 18, 16}, 3, 5, 1.2);
        SparseTensor first = exactValues(truth, 4000, 6);
        Array<Count> ofRow, few;
        for (Count e = 0; e < first.entries(); ++e)
            if (first.indices[0][e] != 7)
                few.push_back(e);
            else {
                ofRow.push_back(e);
                if (ofRow.size() <= 3)
                    few.push_back(e);
            }
        const SparseTensor batch = gather(first, ofRow);
        for (const Count e : ofRow)
            first.setValue(e, 0);
        const SparseTensor begun = gather(first, few);
        const RunResult run = test::runOn(configOf(divergence, 3, 200), begun);
        OnlineModel model = onlineModel(run, begun);
        for (unsigned r = 0; r < 3; ++r)
            QCOMPARE(model.model.factors[0].at(7, r), 0.0);
        RunControl control;
        const OnlineReport report = kernels::ntf::learn(model, run.config, batch, {OnlineRule::Ours, 1, 3}, control);
        const double mean = meanOf(batch);
        QVERIFY2(report.after.rmse() < 0.2 * mean, qPrintable(QStringLiteral("%1 of %2").arg(report.after.rmse()).arg(mean)));
        // Of what is written, too.
        QVERIFY(std::abs(evaluateModel(model.model, batch).rmse() - report.after.rmse()) <= 1e-6 * mean);
        for (unsigned n = 0; n < 3; ++n)
            QVERIFY(std::isfinite(model.kept.at("numerator_" + std::to_string(n)).at(7, 0)));
    }

    /// A batch of little weight says little, one of much weight nearly everything.
    void theWeightCounts_data() { addDivergences(); }
    void theWeightCounts()
    {
        QFETCH(Divergence, divergence);
        const Model truth = plantedParts({20, 18, 16}, 3, 5, 1.2);
        const SparseTensor tensor = exactValues(truth, 4000, 6);
        SparseTensor fresh = exactValues(truth, 400, 7);
        for (Count e = 0; e < fresh.entries(); ++e)
            fresh.setValue(e, 3 * fresh.value(e));
        const RunResult run = test::runOn(configOf(divergence, 3, 400), tensor);
        const OnlineModel start = onlineModel(run, tensor);
        const auto errorAt = [&](double weight) {
            OnlineModel model = start;
            RunControl control;
            return kernels::ntf::learn(model, run.config, fresh, {OnlineRule::Ours, weight, 20}, control).after.rmse();
        };
        const double none = evaluateModel(run.best, fresh).rmse();
        const double little = errorAt(1e-9), one = errorAt(1), much = errorAt(1e4);
        QVERIFY2(apart(little, none) < 0.01 && one < 0.999 * little && much < 0.7 * one,
                 qPrintable(QStringLiteral("%1, %2, %3, %4").arg(none).arg(little).arg(one).arg(much)));
    }

    /// Ten batches of 1 % of other values: ours stays near, steps of the paper's rule leave.
    void thePapersRuleRunsAway()
    {
        const Stream stream(noisyEntries(plantedParts({60, 50, 40}, 4, 21, 1.2), 20000, Divergence::ItakuraSaito, 22));
        const Count first = stream.arrivals.size() * 8 / 10, each = stream.arrivals.size() / 100;
        const SparseTensor begun = stream.until(first);
        const RunResult run = test::runOn(configOf(Divergence::ItakuraSaito, 4, 40), begun);
        const auto errorBy = [&](OnlineRule rule) {
            OnlineModel model = onlineModel(run, begun);
            RunControl control;
            for (Count batch = 0; batch < 20; ++batch)
                kernels::ntf::learn(model, run.config,
                                    upToNow(stream.between(first + batch * each, first + (batch + 1) * each), model.model.dims[2]),
                                    {rule, 1, 1}, control);
            return rmseOf(model.model, stream.test);
        };
        const double ours = errorBy(OnlineRule::Ours), papers = errorBy(OnlineRule::Paper);
        QVERIFY2(papers > 2 * ours, qPrintable(QStringLiteral("ours %1, paper %2").arg(ours).arg(papers)));
    }

    void oneBatchIsNearRetraining_data() { addDivergences(); }
    void oneBatchIsNearRetraining()
    {
        QFETCH(Divergence, divergence);
        const Stream stream(noisyEntries(plantedParts({120, 100, 80}, 6, 21, 1.2), 60000, divergence, 22));
        const Count all = stream.arrivals.size(), first = all - all / 100;
        const SparseTensor begun = stream.until(first);
        const RunConfig config = configOf(divergence, 8, 50, Precision::Fp32);
        OnlineModel model = onlineModel(test::runOn(config, begun), begun);
        RunControl control;
        kernels::ntf::learn(model, config, upToNow(stream.between(first, all), model.model.dims[2]), {OnlineRule::Ours, 1, 3}, control);
        const double online = rmseOf(model.model, stream.test), full = rmseOf(test::runOn(config, stream.until(all)).best, stream.test);
        QVERIFY2(online < 1.005 * full, qPrintable(QStringLiteral("online %1, retrained %2").arg(online).arg(full)));
    }

    /// A pass over all entries after every fifth.
    void twentyBatchesAreNearRetraining_data() { addDivergences(); }
    void twentyBatchesAreNearRetraining()
    {
        QFETCH(Divergence, divergence);
        const Stream stream(noisyEntries(plantedParts({120, 100, 80}, 6, 21, 1.2), 60000, divergence, 22));
        const Count all = stream.arrivals.size(), each = all / 100, first = all - 20 * each;
        const SparseTensor begun = stream.until(first);
        RunConfig config = configOf(divergence, 8, 50, Precision::Fp32);
        config.parameters["row-steps"] = std::int64_t{2};
        OnlineModel model = onlineModel(test::runOn(config, begun), begun);
        RunControl control;
        for (Count batch = 1; batch <= 20; ++batch) {
            const Count now = first + batch * each;
            kernels::ntf::learn(model, config, upToNow(stream.between(now - each, now), model.model.dims[2]), {OnlineRule::Ours, 1, 3},
                                control);
            if (batch % 5 == 0)
                kernels::ntf::refresh(model, config, upToNow(stream.between(0, now), model.model.dims[2]), {1}, control);
        }
        const double online = rmseOf(model.model, stream.test), full = rmseOf(test::runOn(config, stream.until(all)).best, stream.test);
        QVERIFY2(online < 1.01 * full, qPrintable(QStringLiteral("online %1, retrained %2").arg(online).arg(full)));
    }

    /// Where the sums of rows were taken is told as long as it is elsewhere for some of them, and no longer.
    void whereSumsWereTakenIsKept_data() { addDivergences(); }
    void whereSumsWereTakenIsKept()
    {
        QFETCH(Divergence, divergence);
        const SparseTensor tensor = positiveTensor({9, 8, 7}, 300, 3);
        const RunResult run = test::runOn(configOf(divergence, 4, 5), tensor);
        const OnlineModel before = onlineModel(run, tensor);
        const SparseTensor first = entriesAt({{2, 3, 4}}), both = entriesAt({{2, 3, 4}, {5, 6, 1}});
        OnlineModel model = before;
        RunControl control;
        kernels::ntf::learn(model, run.config, both, {OnlineRule::Paper, 1, 1}, control);
        kernels::ntf::learn(model, run.config, first, {OnlineRule::Ours, 1, 2}, control);
        const auto factorAt = [&](unsigned n, std::size_t i, std::size_t r) {
            return model.kept.at("factor_at_" + std::to_string(n)).at(i, r);
        };
        for (unsigned n = 0; n < 3; ++n)
            for (std::size_t i = 0; i < model.model.dims[n]; ++i)
                for (std::size_t r = 0; r < 4; ++r) {
                    const bool paperAlone = i == both.indices[n][1]; // its P₀ is of the run's rows, which it left
                    const OnlineModel& takenAt = paperAlone ? before : model;
                    QCOMPARE(factorAt(n, i, r), takenAt.model.factors[n].at(i, r));
                    QVERIFY(!paperAlone || factorAt(n, i, r) != model.model.factors[n].at(i, r));
                }
        kernels::ntf::learn(model, run.config, both, {OnlineRule::Ours, 1, 1}, control);
        QVERIFY(!model.kept.contains("factor_at_0") && !model.kept.contains("factor_at_1") && !model.kept.contains("factor_at_2"));
    }

    /// Asked for before anything is made; the model stays.
    void memoryIsAskedForFirst()
    {
        const SparseTensor tensor = positiveTensor({9, 8, 7}, 300, 3);
        const RunResult run = test::runOn(configOf(Divergence::KullbackLeibler, 4, 5), tensor);
        const OnlineModel before = onlineModel(run, tensor);
        OnlineModel model = before;
        RunConfig config = run.config;
        RunControl control;
        config.memoryLimit = 1000;
        QVERIFY_EXCEPTION_THROWN(kernels::ntf::refresh(model, config, tensor, {3}, control), OutOfMemory);
        QVERIFY_EXCEPTION_THROWN(kernels::ntf::learn(model, config, entriesAt({{2, 3, 4}}), {}, control), OutOfMemory);
        for (unsigned n = 0; n < 3; ++n)
            QVERIFY(model.model.factors[n].data == before.model.factors[n].data);
        QCOMPARE(model.kept.size(), before.kept.size());
        config.memoryLimit = std::uint64_t{1} << 30;
        Progress progress;
        kernels::ntf::refresh(model, config, tensor, {3, nullptr, &progress}, control);
        QVERIFY(model.model.factors[0].data != before.model.factors[0].data);
        QCOMPARE(progress.total(), std::uint64_t{12}); // modes of three passes and of the sums
        QCOMPARE(progress.done(), std::uint64_t{9});
    }

    /// As a run keeps its best iteration: the first pass that tells the test entries no better is undone.
    void testEntriesEndPasses()
    {
        const SparseTensor tensor = positiveTensor({9, 8, 7}, 300, 3);
        const RunResult run = test::runOn(configOf(Divergence::KullbackLeibler, 4, 5), tensor);
        const OnlineModel before = onlineModel(run, tensor);
        RunControl control;
        OnlineModel model = before;
        Progress progress;
        const auto report = kernels::ntf::refresh(model, run.config, tensor, {3, &tensor, &progress}, control);
        QCOMPARE(report.passes, 3u); // each tells what it learns better
        QCOMPARE(progress.done(), std::uint64_t{9});
        QVERIFY(report.after.rmse() < evaluateModel(before.model, tensor, control).rmse());

        SparseTensor asItIs = tensor; // no pass can do better
        const Predictor predictor(before.model);
        for (Count e = 0; e < tensor.entries(); ++e)
            asItIs.setValue(e, predictor(std::array{tensor.indices[0][e], tensor.indices[1][e], tensor.indices[2][e]}));
        OnlineModel same = before, sums = before;
        QCOMPARE(kernels::ntf::refresh(same, run.config, tensor, {3, &asItIs}, control).passes, 0u);
        kernels::ntf::refresh(sums, run.config, tensor, {}, control);
        for (unsigned n = 0; n < 3; ++n)
            QVERIFY(same.model.factors[n].data == before.model.factors[n].data);
        QVERIFY(same.kept.at("numerator_0").data == sums.kept.at("numerator_0").data); // of the rows that it has
    }

    /// Several devices find what one does; here ranks of this process.
    void severalDevicesUpdateAlike_data() { addDivergences(); }
    void severalDevicesUpdateAlike()
    {
        QFETCH(Divergence, divergence);
        const bool zeros = divergence != Divergence::ItakuraSaito;
        const SparseTensor tensor = positiveTensor({9, 8, 7}, 300, 3, zeros), fresh = positiveTensor({9, 8, 9}, 40, 4, zeros);
        const SparseTensor all = positiveTensor({9, 8, 9}, 340, 5, zeros);
        const RunResult run = test::runOn(configOf(divergence, 4, 5), tensor);
        RunConfig several = run.config;
        several.devices.assign(3, DeviceId{});
        const OnlineModel begun = onlineModel(run, tensor);
        RunControl control;
        std::vector<OnlineModel> models;
        std::vector<OnlineReport> reports;
        for (const RunConfig& config : {run.config, several}) {
            OnlineModel model = begun;
            kernels::ntf::learn(model, config, fresh, {OnlineRule::Ours, 1, 2}, control);
            reports.push_back(kernels::ntf::refresh(model, config, all, {2, &fresh}, control));
            models.push_back(std::move(model));
        }
        QCOMPARE(reports[1].passes, reports[0].passes);
        QCOMPARE(reports[1].visited, reports[0].visited);
        QVERIFY(apart(reports[1].divergence, reports[0].divergence) < 1e-11);
        QVERIFY(apart(reports[1].after.rmse(), reports[0].after.rmse()) < 1e-11);
        double far = 0;
        for (const auto& [name, sums] : models[0].kept)
            for (std::size_t i = 0; i < sums.rows; ++i)
                for (std::size_t r = 0; r < sums.columns; ++r)
                    far = std::max(far, apart(models[1].kept.at(name).at(i, r), sums.at(i, r)));
        QVERIFY2(far < 1e-11, qPrintable(QString::number(far)));
    }

    /// The second batch is weighed against the run's entries and the first one's.
    void entriesAreCountedBatchAfterBatch()
    {
        const SparseTensor tensor = positiveTensor({9, 8, 7}, 300, 3);
        RunConfig config = configOf(Divergence::KullbackLeibler, 4, 5);
        config.parameters["penalty"] = 0.05;
        config.parameters["regularisation"] = std::string("weighted");
        const RunResult run = test::runOn(config, tensor);
        OnlineModel model = onlineModel(run, tensor);
        const SparseTensor first = entriesAt({{2, 3, 4}}), both = entriesAt({{2, 3, 4}, {5, 6, 1}});
        const double weight = 2.5;
        RunControl control;
        kernels::ntf::learn(model, run.config, first, {OnlineRule::Ours, weight, 1}, control);
        const OnlineModel between = model;
        kernels::ntf::learn(model, run.config, both, {OnlineRule::Ours, weight, 1}, control);
        for (unsigned n = 0; n < 3; ++n) {
            std::vector<double> entries(model.model.dims[n], 0);
            for (const Index i : tensor.indices[n])
                ++entries[i];
            entries[both.indices[n][0]] += 2 * weight;
            entries[both.indices[n][1]] += weight;
            for (std::size_t i = 0; i < entries.size(); ++i)
                QCOMPARE(model.kept.at("entries_" + std::to_string(n)).at(i, 0), entries[i]);
        }
        const Sums now = sumsByFormula(factorsOf(between.model), both, 0, Divergence::KullbackLeibler); // mode 0 steps first
        for (const std::size_t i : {2, 5})
            for (std::size_t r = 0; r < 4; ++r) {
                const double a = between.model.factors[0].at(i, r);
                const OldSums old{a, between.kept.at("numerator_0").at(i, r), between.kept.at("denominator_0").at(i, r)};
                const double expected = kernels::ntf::renewed({Divergence::KullbackLeibler, OnlineRule::Ours, weight}, old, a,
                                                              {now.up[i][r], now.down[i][r]}, 0.05 * model.kept.at("entries_0").at(i, 0));
                QVERIFY(apart(model.model.factors[0].at(i, r), expected) < 1e-11);
            }
    }

    void hugeBatchesAreStopped()
    {
        const SparseTensor tensor = positiveTensor({400, 300, 200}, 3000, 3);
        const RunResult run = test::runOn(configOf(Divergence::KullbackLeibler, 2, 2), tensor);
        const OnlineModel model = onlineModel(run, tensor);
        const std::vector<Index> dims{400, 300, 200};
        SparseTensor fresh(dims, 8'000'000);
        for (Count e = 0; e < fresh.entries(); ++e) {
            for (unsigned n = 0; n < 3; ++n)
                fresh.indices[n][e] = static_cast<Index>(random::uniform(7, n, e) * dims[n]);
            fresh.setValue(e, 1);
        }
        for (const double after : {0.1, 0.3, 0.6}) {
            const test::Stopped stopped = test::stopAfter(after, [&](RunControl& control) {
                OnlineModel copy = model;
                kernels::ntf::learn(copy, run.config, fresh, {OnlineRule::Ours, 1, 100}, control);
            });
            QVERIFY(stopped.early);
            QVERIFY2(stopped.processorSeconds < test::onAllProcessors(test::longestStop),
                     qPrintable(QStringLiteral("%1 s after %2").arg(stopped.processorSeconds).arg(after)));
        }
    }

    void nothingIsNotLearnt()
    {
        const SparseTensor tensor = positiveTensor({9, 8, 7}, 300, 3);
        const RunResult run = test::runOn(configOf(Divergence::KullbackLeibler, 4, 5), tensor);
        OnlineModel model = onlineModel(run, tensor);
        RunControl control;
        QVERIFY(refusal([&] {
                    kernels::ntf::learn(model, run.config, SparseTensor({9, 8, 7}, 0), {}, control);
                }).find("nothing to learn")
                != std::string::npos);
    }

    void whatCannotBeLearntIsRefused()
    {
        const SparseTensor tensor = positiveTensor({9, 8, 7}, 100, 3);
        const RunResult run = test::runOn(configOf(Divergence::ItakuraSaito, 3, 3), tensor);
        const OnlineModel good = onlineModel(run, tensor);
        RunControl control;
        const auto refused = [&](OnlineModel model, const RunConfig& config, const SparseTensor& fresh) {
            return refusal([&] { kernels::ntf::learn(model, config, fresh, {}, control); });
        };
        const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
        SparseTensor bad = positiveTensor({9, 8, 7}, 10, 4);
        bad.setValue(3, -1);
        QVERIFY(has(refused(good, run.config, bad), "entry ("));
        bad.setValue(3, 0);
        QVERIFY(has(refused(good, run.config, bad), "Itakura-Saito"));
        bad.setValue(3, 1);
        QVERIFY(refused(good, run.config, bad).empty());

        OnlineModel broken = good;
        broken.kept.erase("denominator_1");
        QVERIFY(has(refused(broken, run.config, bad), "denominator_1") && has(refused(broken, run.config, bad), "--data"));
        broken = good;
        broken.kept["numerator_2"].set(3, 1, NAN);
        QVERIFY(has(refused(broken, run.config, bad), "numerator_2"));
        broken = good;
        broken.kept["numerator_2"] = Matrix(6, 3, true);
        QVERIFY(has(refused(broken, run.config, bad), "6 x 3"));
        broken = good;
        broken.model.weights[1] = 2;
        QVERIFY(has(refused(broken, run.config, bad), "rescaled"));
        RunConfig other = run.config;
        other.algorithm = "cp-als";
        QVERIFY(has(refused(good, other, bad), "cp-als"));
        other = run.config;
        other.parameters["divergence"] = std::string("auto");
        QVERIFY(has(refused(good, other, bad), "divergence"));
        other = run.config;
        other.parameters["penalty"] = 0.1;
        other.parameters["regularisation"] = std::string("weighted");
        QVERIFY(has(refused(good, other, bad), "entries_0"));
    }
};

QTEST_GUILESS_MAIN(NtfOnlineTest)
#include "tst_ntf_online.moc"
