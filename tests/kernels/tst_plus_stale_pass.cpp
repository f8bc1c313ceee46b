// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/stale_pass.h"
#include "support/device_rows.h"
#include "support/runs.h"

#include <QtTest>

#include <cmath>

using namespace kernels;

namespace {

/// No two entries share a row, so a pass has one outcome.
SparseTensor diagonalTensor(unsigned order, Index entries)
{
    SparseTensor tensor(std::vector<Index>(order, entries), entries);
    for (Index e = 0; e < entries; ++e) {
        for (unsigned n = 0; n < order; ++n)
            tensor.indices[n][e] = (e * (2 * n + 1) + n) % entries; // entries: a power of two, so every index once
        tensor.setValue(e, 1 + 0.1 * (e % 13));
    }
    return tensor;
}

constexpr double rate = 0.05, lambda = 0.01;

RunConfig configOf(const test::DeviceRow& row, const std::vector<unsigned>& ranks, unsigned coreRank, std::uint64_t seed)
{
    RunConfig config = row.config();
    test::fixIterations(config, 2);
    config.ranks = ranks;
    config.coreRank = coreRank;
    config.seed = seed;
    config.parameters = {{"relative-rates", false}, {"learning-rate-a", rate},
                         {"learning-rate-b", 0.0},  {"lambda-a", lambda},
                         {"lambda-b", 0.0},         {"decay", 0.0},
                         {"hot-row-cap", 0.0},      {"start", std::string("paper")}};
    return resolve(config, std::vector<Index>(ranks.size(), 64));
}

using Rows = std::vector<std::vector<double>>; ///< [mode][column]

double rowTimes(const Matrix& factor, Index i, const Matrix& core, unsigned r)
{
    double sum = 0;
    for (std::size_t j = 0; j < factor.columns; ++j)
        sum += factor.at(i, j) * core.at(j, r);
    return sum;
}

/// a − γ (e d + λ a) of one entry's rows; e and d by the projected rows of another model.
Rows expectedRows(const SparseTensor& tensor, Count entry, const Model& kept, const Model& now)
{
    const unsigned order = tensor.order();
    Rows c(order, std::vector<double>(now.coreRank)), rows(order);
    for (unsigned n = 0; n < order; ++n)
        for (unsigned r = 0; r < now.coreRank; ++r)
            c[n][r] = rowTimes(kept.factors[n], tensor.indices[n][entry], kept.coreFactors[n], r);
    const auto without = [&](unsigned left, unsigned r) {
        double product = 1;
        for (unsigned n = 0; n < order; ++n)
            product *= n == left ? 1 : c[n][r];
        return product;
    };
    double e = -tensor.value(entry);
    for (unsigned r = 0; r < now.coreRank; ++r)
        e += without(order, r);
    for (unsigned n = 0; n < order; ++n)
        for (std::size_t j = 0; j < now.factors[n].columns; ++j) {
            double d = 0;
            for (unsigned r = 0; r < now.coreRank; ++r)
                d += now.coreFactors[n].at(j, r) * without(n, r);
            const double a = now.factors[n].at(tensor.indices[n][entry], j);
            rows[n].push_back(a - rate * (e * d + lambda * a));
        }
    return rows;
}

/// Of a step, by what operands of products are rounded to.
double tolerance(Precision precision)
{
    switch (precision) {
    case Precision::Fp64:
        return 1e-10;
    case Precision::Fp32:
        return 2e-5;
    case Precision::Tf32:
    case Precision::Fp16:
        return 4e-3; // 2^-11, for each of two factors, added up over few columns
    case Precision::Bf16:
        return 3e-2;
    }
    return 0;
}

Model afterPass(Solver& solver, HasStalePass& has, RunControl& control)
{
    has.stalePass(1, control);
    return solver.model(Snapshot::Latest);
}

/// What a pass made of `now` against the formula. Returns how far the formula by the rows' own projections is from it, in tolerances.
double compare(const test::DeviceRow& row, const SparseTensor& tensor, const Model& kept, const Model& now, const Model& after)
{
    double largest = 0, step = 0, fresh = 0;
    for (Count entry = 0; entry < tensor.entries(); ++entry) {
        const Rows expected = expectedRows(tensor, entry, kept, now), byOwn = expectedRows(tensor, entry, now, now);
        for (unsigned n = 0; n < tensor.order(); ++n)
            for (std::size_t j = 0; j < expected[n].size(); ++j) {
                const Index i = tensor.indices[n][entry];
                largest = std::max(largest, std::abs(after.factors[n].at(i, j) - expected[n][j]));
                step = std::max(step, std::abs(expected[n][j] - now.factors[n].at(i, j)));
                fresh = std::max(fresh, std::abs(expected[n][j] - byOwn[n][j]));
            }
    }
    const double allowed = tolerance(row.precision) * step + (row.doubles() ? 1e-15 : 2e-7); // and a number's own rounding
    [&] {
        QVERIFY2(largest <= allowed && step > 10 * allowed,
                 qPrintable(QStringLiteral("%1, allowed %2, step %3").arg(largest).arg(allowed).arg(step)));
    }();
    return fresh / allowed;
}

} // namespace

/// The factor pass by projected rows as they were kept, which a paper times, against its formula.
class PlusStalePassTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsStepByWhatWasKept_data()
    {
        QTest::addColumn<test::DeviceRow>("row");
        QTest::addColumn<unsigned>("order");
        QTest::addColumn<std::vector<unsigned>>("ranks");
        for (const test::DeviceRow& row : test::deviceRows())
            if (row.algorithm == "fasttucker-plus" && row.variant == "store" && row.format == "coo")
                for (const unsigned order : {2U, 3U, 6U, 10U})
                    for (const std::vector<unsigned>& ranks : {std::vector<unsigned>{16, 16}, {32, 32}, {64, 64}, {5, 5}, {20, 9}, {1, 1}})
                        if (order <= 3 || ranks[0] <= 20)
                            QTest::addRow("%s, order %u, J %u, R %u", row.name().c_str(), order, ranks[0], ranks[1])
                                << row << order << ranks;
    }
    void rowsStepByWhatWasKept()
    {
        QFETCH(test::DeviceRow, row);
        QFETCH(unsigned, order);
        QFETCH(std::vector<unsigned>, ranks);
        const SparseTensor tensor = diagonalTensor(order, 64);
        const std::vector<unsigned> columns(order, ranks[0]);
        const RunConfig config = configOf(row, columns, ranks[1], 1), other = configOf(row, columns, ranks[1], 2);
        RunControl control;
        const auto elsewhere = algorithm(row.algorithm).makeSolver({other, tensor, nullptr});
        elsewhere->prepare(control);

        const auto solver = algorithm(row.algorithm).makeSolver({config, tensor, nullptr});
        auto* const has = dynamic_cast<HasStalePass*>(solver.get());
        QVERIFY(has);
        solver->prepare(control);
        solver->iterate(0, control); // leaves C of these rows; cores stay as they are
        const Model kept = solver->model(Snapshot::Latest);
        const bool isThere = has->stalePass(1, control);
        if (!isThere && row.device.kind == DeviceKind::Cuda && order != 3 && ranks[0] == 64)
            QSKIP("no kernel for these ranks on tensor cores");
        QVERIFY(isThere);
        const Model once = solver->model(Snapshot::Latest);
        compare(row, tensor, kept, kept, once);
        compare(row, tensor, kept, once, afterPass(*solver, *has, control)); // C stays what it was
        if (QTest::currentTestFailed())
            return;

        SolverState state = solver->saveState();
        for (auto& [name, rows] : elsewhere->saveState())
            if (name.starts_with("factor_"))
                state[name] = rows;
        solver->restoreState(std::move(state), control);
        const Model now = solver->model(Snapshot::Latest);
        const double ratio = compare(row, tensor, kept, now, afterPass(*solver, *has, control));
        QVERIFY2(ratio > 3, qPrintable(QStringLiteral("rows' own projections would give nearly the same: %1").arg(ratio)));
    }

    void whatKeepsNothingHasNoSuchPass()
    {
        const SparseTensor tensor = diagonalTensor(3, 64);
        RunConfig config;
        config.variant = "calculate";
        config.ranks = {8};
        config = resolve(config, tensor.dims());
        const auto solver = algorithm(config.algorithm).makeSolver({config, tensor, nullptr});
        RunControl control;
        solver->prepare(control);
        solver->iterate(0, control);
        QVERIFY(!dynamic_cast<HasStalePass&>(*solver).stalePass(1, control));
    }
};

QTEST_GUILESS_MAIN(PlusStalePassTest)
#include "tst_plus_stale_pass.moc"
