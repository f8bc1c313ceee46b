// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/device/make_back_end.h"
#include "support/ntf_oracle.h"
#include "support/ntf_problems.h"

#include <QtTest>

#include <cmath>

using namespace kernels;
using namespace test::ntf;
using kernels::ntf::NtfBackEnd;
using kernels::ntf::RowStep;
using kernels::ntf::Rule;
using kernels::ntf::SumMatrices;

namespace {

std::vector<RowStep> allSteps()
{
    return {{Rule::Plain, 0, false},
            {Rule::Plain, 0.05, false},
            {Rule::Plain, 0.05, true},
            {Rule::KullbackLeibler, 0.05, false},
            {Rule::KullbackLeibler, 0.05, true},
            {Rule::ItakuraSaito, 0.05, false},
            {Rule::ItakuraSaito, 0.05, true}};
}

kernels::ntf::Problem problemOf(const SparseTensor& train, Divergence divergence, unsigned rank, unsigned rowSteps = 1)
{
    kernels::ntf::Problem problem{train, nullptr, {}};
    problem.least = 1e-12;
    problem.divergence = divergence;
    problem.rank = rank;
    problem.rowSteps = rowSteps;
    problem.seed = 9;
    problem.threads = 2;
    return problem;
}

std::unique_ptr<NtfBackEnd> loaded(const kernels::ntf::Problem& problem, Precision precision, RunControl& control)
{
    auto backEnd = makeBackEndOf<NtfBackEnd>("ntf", precision, DeviceId{});
    backEnd->load(problem, control);
    return backEnd;
}

bool sameNumbers(const Matrix& one, const Matrix& other) { return one.rows == other.rows && one.data == other.data; }

/// The farthest that two matrices are apart, relative to the largest number.
double apart(const Matrix& one, const Matrix& other)
{
    double most = 0, size = 0;
    for (std::size_t i = 0; i < one.rows; ++i)
        for (std::size_t r = 0; r < one.columns; ++r) {
            most = std::max(most, std::abs(one.at(i, r) - other.at(i, r)));
            size = std::max(size, std::abs(other.at(i, r)));
        }
    return most / size;
}

/// Entries from begin to end.
SparseTensor partOf(const SparseTensor& tensor, Count begin, Count end)
{
    SparseTensor part(tensor.dims(), end - begin, true);
    for (Count e = begin; e < end; ++e) {
        for (unsigned n = 0; n < tensor.order(); ++n)
            part.indices[n][e - begin] = tensor.indices[n][e];
        part.setValue(e - begin, tensor.value(e));
    }
    return part;
}

std::vector<Array<Count>> entriesOfRows(const SparseTensor& tensor)
{
    std::vector<Array<Count>> counts(tensor.order());
    for (unsigned n = 0; n < tensor.order(); ++n) {
        counts[n].assign(tensor.dims()[n], 0);
        for (Count e = 0; e < tensor.entries(); ++e)
            ++counts[n][tensor.indices[n][e]];
    }
    return counts;
}

void add(Matrix& to, const Matrix& from)
{
    for (std::size_t i = 0; i < to.rows; ++i)
        for (std::size_t r = 0; r < to.columns; ++r)
            to.set(i, r, to.at(i, r) + from.at(i, r));
}

} // namespace

/// A step of rows in two halves: their sums, and what is made of them.
class NtfSumsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theHalvesAreTheWhole_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<Count>("entries");
        QTest::addColumn<unsigned>("rank");
        QTest::addColumn<Precision>("precision");
        for (const Precision precision : {Precision::Fp64, Precision::Fp32}) {
            const char* const type = precision == Precision::Fp64 ? "fp64" : "fp32";
            QTest::addRow("order 2, %s", type) << std::vector<Index>{9, 8} << Count{50} << 5U << precision;
            QTest::addRow("order 3, %s", type) << std::vector<Index>{9, 8, 7} << Count{300} << 17U << precision;
            QTest::addRow("order 5, %s", type) << std::vector<Index>{5, 4, 6, 3, 4} << Count{200} << 3U << precision;
            QTest::addRow("mostly empty rows, %s", type) << std::vector<Index>{400, 300, 200} << Count{40} << 6U << precision;
            QTest::addRow("a giant row, %s", type) << std::vector<Index>{2, 40, 30} << Count{20000} << 640U << precision;
        }
    }
    /// Bit for bit: they walk the same entries in the same order. The empty last rows stay as they were, whatever the penalty.
    void theHalvesAreTheWhole()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(Count, entries);
        QFETCH(unsigned, rank);
        QFETCH(Precision, precision);
        RunControl control;
        for (const Divergence divergence : allDivergences) {
            const SparseTensor tensor = positiveTensor(dims, entries, 11);
            const auto whole = loaded(problemOf(tensor, divergence, rank, 2), precision, control),
                       halves = loaded(problemOf(tensor, divergence, rank, 2), precision, control);
            for (const RowStep& step : rank > 100 ? std::vector<RowStep>{{Rule::Plain, 0.05, true}} : allSteps())
                for (unsigned n = 0; n < dims.size(); ++n) {
                    const Matrix before = whole->rows(n);
                    whole->renewRows(n, step, control);
                    for (unsigned t = 0; t < 2; ++t) {
                        const kernels::ntf::RowSums sums = halves->sumRows(n, control);
                        QCOMPARE(sums.count, Count{dims[n]} * rank);
                        halves->stepRows(n, step, control);
                    }
                    QVERIFY(sameNumbers(whole->rows(n), halves->rows(n)));
                    QVERIFY(!sameNumbers(whole->rows(n), before));
                    QCOMPARE(halves->rows(n).at(dims[n] - 1, 0), before.at(dims[n] - 1, 0));
                }
        }
    }

    /// Two that hold a half of the entries each, neither of which has all rows, are one that holds all.
    void sumsOfPartsAddUp()
    {
        const std::vector<Index> dims{9, 8, 7};
        RunControl control;
        for (const Divergence divergence : allDivergences)
            for (const RowStep& step : allSteps()) {
                const SparseTensor tensor = positiveTensor(dims, 90, 12);
                const SparseTensor parts[] = {partOf(tensor, 0, 37), partOf(tensor, 37, 90)}, nothing = partOf(tensor, 0, 0);
                const std::vector<Array<Count>> counts = entriesOfRows(tensor);
                const auto whole = loaded(problemOf(tensor, divergence, 5), Precision::Fp64, control);
                std::vector<std::unique_ptr<NtfBackEnd>> members;
                for (const SparseTensor* part : {&parts[0], &nothing, &parts[1]}) {
                    kernels::ntf::Problem problem = problemOf(*part, divergence, 5);
                    problem.rowEntries = &counts;
                    members.push_back(loaded(problem, Precision::Fp64, control));
                }
                for (unsigned n = 0; n < 3; ++n) {
                    whole->sumRows(n, control);
                    SumMatrices together;
                    for (const auto& member : members) {
                        member->sumRows(n, control);
                        const SumMatrices own = member->sums();
                        if (together.numerators.rows == 0)
                            together = own;
                        else {
                            add(together.numerators, own.numerators);
                            add(together.denominators, own.denominators);
                        }
                    }
                    QVERIFY(apart(together.numerators, whole->sums().numerators) <= 1e-14);
                    QVERIFY(apart(together.denominators, whole->sums().denominators) <= 1e-14);
                    whole->stepRows(n, step, control);
                    for (const auto& member : members) {
                        member->replaceSums(together);
                        member->stepRows(n, step, control);
                        QVERIFY(apart(member->rows(n), whole->rows(n)) <= 1e-13);
                        QVERIFY(std::abs(member->squares(n, true, control) / whole->squares(n, true, control) - 1) <= 1e-13);
                    }
                }
            }
    }

    /// What the sums are, by the formulas.
    void sumsAreTheFormulas()
    {
        const std::vector<Index> dims{6, 5, 4, 3};
        constexpr unsigned rank = 4;
        RunControl control;
        for (const Divergence divergence : allDivergences) {
            const SparseTensor tensor = positiveTensor(dims, 80, 13);
            const auto backEnd = loaded(problemOf(tensor, divergence, rank), Precision::Fp64, control);
            const Factors factors = factorsOf(backEnd->model(Snapshot::Latest));
            for (unsigned n = 0; n < 4; ++n) {
                Matrix up(dims[n], rank, true), down(dims[n], rank, true);
                for (Count e = 0; e < tensor.entries(); ++e)
                    for (unsigned r = 0; r < rank; ++r) {
                        const Index i = tensor.indices[n][e];
                        const double s = productOfOthers(factors, tensor, e, n, r), x = tensor.value(e), p = prediction(factors, tensor, e);
                        const bool euclidean = divergence == Divergence::Euclidean, kl = divergence == Divergence::KullbackLeibler;
                        up.set(i, r, up.at(i, r) + s * (euclidean ? x : kl ? x / p : x / (p * p)));
                        down.set(i, r, down.at(i, r) + s * (euclidean ? p : kl ? 1 : 1 / p));
                    }
                backEnd->sumRows(n, control);
                QVERIFY(apart(backEnd->sums().numerators, up) <= 1e-13);
                QVERIFY(apart(backEnd->sums().denominators, down) <= 1e-13);
            }
        }
    }
};

QTEST_GUILESS_MAIN(NtfSumsTest)
#include "tst_ntf_sums.moc"
