// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/device/make_back_end.h"
#include "support/ntf_cases.h"

#include <bit>

using namespace kernels;
using namespace test::ntf;
using kernels::ntf::NtfBackEnd;
using kernels::ntf::RowStep;
using kernels::ntf::Rule;

namespace {

const DeviceId gpu{DeviceKind::Cuda, 0};

RunConfig onGpu(RunConfig config)
{
    config.devices = {gpu};
    return config;
}

/// A problem whose rows are walked in one of the ways there are.
struct Shape {
    const char* name;
    std::vector<Index> dims;
    Count entries;
    unsigned rank;
    bool all = false; ///< every kind of step; else one of each divergence
};

/// Teams of every width in either precision; records of all kinds, short and long rows, cut and whole.
std::vector<Shape> shapes()
{
    std::vector<Shape> all;
    static const std::vector<Index> odd{7, 5, 9, 3, 4, 6, 3, 5, 2, 3};
    static const char* const orders[] = {"order 2", "order 3", "order 4", "order 5", "order 6",
                                         "order 7", "order 8", "order 9", "order 10"};
    for (unsigned order = 2; order <= 10; ++order)
        all.push_back({orders[order - 2], std::vector<Index>(odd.begin(), odd.begin() + order), 61, order % 2 ? 3U : 5U, order == 4});
    all.push_back({"rank 1", {8, 7, 6}, 500, 1});
    all.push_back({"rank 3", {60, 7, 6}, 500, 3});
    all.push_back({"rank 17", {8, 70, 6}, 500, 17});
    all.push_back({"rank 32", {30, 20, 40}, 3000, 32});
    all.push_back({"rank 33", {8, 7, 6}, 500, 33, true});
    all.push_back({"rank 33, order 2", {30, 25}, 400, 33});
    all.push_back({"rank 64, order 4", {9, 8, 7, 5}, 500, 64});
    all.push_back({"rank 100", {8, 7, 60}, 500, 100});
    all.push_back({"rank 128", {18, 17, 16}, 500, 128});
    all.push_back({"rank 200", {18, 17, 16}, 300, 200});
    all.push_back({"rank 513", {8, 7, 6}, 300, 513, true});
    all.push_back({"rank 513, order 4", {8, 7, 6, 5}, 300, 513});
    all.push_back({"rank 1024", {8, 70, 6}, 300, 1024});
    all.push_back({"one entry", {3, 2, 4}, 1, 4});
    all.push_back({"long rows", {3, 40, 30}, 9000, 6});
    all.push_back({"one giant row", {2, 40, 30}, 20000, 33});
    all.push_back({"giant rows, rank 513", {2, 3, 30}, 3000, 513});
    all.push_back({"mostly empty rows", {500, 400, 300}, 40, 6});
    all.push_back({"rows of one entry", {5000, 4000, 3000}, 900, 18});
    all.push_back({"wide records", {50, 200000, 100000}, 3000, 9});
    all.push_back({"wide records, rank 200", {5, 70000, 70000}, 300, 200});
    all.push_back({"loose records", {70000, 70000, 70000, 70000, 70000}, 700, 5});
    all.push_back({"loose records, rank 140", {17000, 17000, 17000, 17000, 17000, 17000}, 100, 140});
    return all;
}

/// One of each divergence, others for every number: loading takes a GPU far longer than the steps do.
std::vector<Case> someCases(std::size_t number)
{
    const std::vector<Case> all = allCases();
    const std::size_t each = all.size() / std::size(allDivergences);
    std::vector<Case> some;
    for (std::size_t d = 0; d < std::size(allDivergences); ++d)
        some.push_back(all[d * each + (number + d) % each]);
    return some;
}

kernels::ntf::Problem problemOf(const SparseTensor& train, Divergence divergence, unsigned rank)
{
    kernels::ntf::Problem problem{train, nullptr, {}};
    problem.least = 1e-12;
    problem.divergence = divergence;
    problem.rank = rank;
    problem.seed = 9;
    problem.threads = 2;
    return problem;
}

std::unique_ptr<NtfBackEnd> loaded(const kernels::ntf::Problem& problem, Precision precision, const DeviceId& device, RunControl& control)
{
    auto backEnd = makeBackEndOf<NtfBackEnd>("ntf", precision, device);
    backEnd->load(problem, control);
    return backEnd;
}

/// The farthest that two matrices are apart, relative to the largest number.
double apart(const Matrix& one, const Matrix& other)
{
    double most = 0, size = 0;
    for (std::size_t i = 0; i < one.rows; ++i)
        for (std::size_t r = 0; r < one.columns; ++r) {
            const double difference = std::abs(one.at(i, r) - other.at(i, r));
            if (!std::isfinite(difference))
                return INFINITY;
            most = std::max(most, difference);
            size = std::max(size, std::abs(other.at(i, r)));
        }
    return size > 0 ? most / size : most;
}

/// To eight bits, ties to even, as bf16 has them.
Matrix rounded(Matrix matrix)
{
    for (float& number : std::get<Array<float>>(matrix.data)) {
        auto bits = std::bit_cast<std::uint32_t>(number);
        bits += 0x7FFF + (bits >> 16 & 1);
        number = std::bit_cast<float>(bits & 0xFFFF0000U);
    }
    return matrix;
}

void addPrecisions()
{
    QTest::addColumn<Precision>("precision");
    QTest::newRow("fp64") << Precision::Fp64;
    QTest::newRow("fp32") << Precision::Fp32;
}

} // namespace

/// Non-negative CP on a GPU: the formulas in fp64, and what the CPU does.
class CudaNtfTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSweepIsTheFormulas_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<Precision>("precision");
        const std::vector<Shape> all = shapes();
        for (const Precision precision : {Precision::Fp64, Precision::Fp32})
            for (int i = 0; i < int(all.size()); ++i)
                QTest::addRow("%s, %s", all[std::size_t(i)].name, toString(precision).data()) << i << precision;
    }
    /// What rounding leaves apart: sums of some thousand products a number in T, modes one after another.
    void aSweepIsTheFormulas()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        QFETCH(Precision, precision);
        const Shape shape = shapes()[std::size_t(number)];
        const double tolerance = precision == Precision::Fp64 ? 1e-12 : 3e-5;
        for (const Case& c : shape.all ? allCases() : someCases(std::size_t(number))) {
            const SparseTensor tensor =
                positiveTensor(shape.dims, shape.entries, shape.dims.size(), c.divergence != Divergence::ItakuraSaito);
            Prepared run(onGpu(configOf(c, shape.rank, precision)), tensor);
            Factors expected = factorsOf(run.solver->model(Snapshot::Latest));
            run.solver->iterate(0, run.control);
            for (unsigned n = 0; n < shape.dims.size(); ++n)
                renewMode(expected, tensor, n, c.divergence, c.penalty, c.paper, c.times);
            const double farthestApart = farthest(factorsOf(run.solver->model(Snapshot::Latest)), expected);
            QVERIFY2(farthestApart <= tolerance, qPrintable(QStringLiteral("%1: %2 apart").arg(nameOf(c)).arg(farthestApart)));
        }
    }

    void theStartIsTheCpus_data() { addPrecisions(); }
    void theStartIsTheCpus()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(Precision, precision);
        const SparseTensor tensor = positiveTensor({30, 200, 70}, 900, 5);
        const RunConfig config = test::ntf::configOf(Divergence::Euclidean, 37, 1, precision);
        const Model cpu = Prepared(config, tensor).solver->model(Snapshot::Latest);
        const Model there = Prepared(onGpu(config), tensor).solver->model(Snapshot::Latest);
        for (unsigned n = 0; n < 3; ++n)
            QVERIFY(cpu.factors[n].data == there.factors[n].data);
    }

    void historiesAreTheCpus_data()
    {
        QTest::addColumn<unsigned>("rank");
        for (const unsigned rank : {1U, 3U, 17U, 33U, 100U, 513U})
            QTest::addRow("rank %u", rank) << rank;
    }
    /// In fp64, where hundreds of steps' roundings are still far from what is compared.
    void historiesAreTheCpus()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(unsigned, rank);
        const SparseTensor train = positiveTensor({60, 50, 40}, 4000, 6), held = positiveTensor({60, 50, 40}, 500, 7);
        for (const Case& c : someCases(rank)) {
            RunConfig config = configOf(c, rank, Precision::Fp64);
            config.stopping.iterations = rank > 100 ? 2 : 5;
            const RunResult cpu = test::runOn(config, train, &held), there = test::runOn(onGpu(config), train, &held);
            QCOMPARE(there.history.size(), cpu.history.size());
            const auto near = [](double one, double other) { return std::abs(one - other) <= 1e-9 * (1e-3 + std::abs(other)); };
            for (std::size_t i = 0; i < cpu.history.size(); ++i) {
                QVERIFY2(near(there.history[i].divergence, cpu.history[i].divergence), qPrintable(nameOf(c)));
                QVERIFY2(near(there.history[i].objective, cpu.history[i].objective), qPrintable(nameOf(c)));
                QVERIFY2(near(there.history[i].trainRmse, cpu.history[i].trainRmse), qPrintable(nameOf(c)));
                QVERIFY2(near(there.history[i].trainMae, cpu.history[i].trainMae), qPrintable(nameOf(c)));
                QVERIFY2(near(there.history[i].testRmse, cpu.history[i].testRmse), qPrintable(nameOf(c)));
            }
            QVERIFY(farthest(factorsOf(there.best), factorsOf(cpu.best)) <= 1e-8);
        }
    }

    void lossAndPenaltyNeverRise_data()
    {
        QTest::addColumn<Divergence>("divergence");
        QTest::addColumn<Precision>("precision");
        QTest::addColumn<unsigned>("order");
        for (const Divergence divergence : allDivergences)
            for (const Precision precision : {Precision::Fp64, Precision::Fp32, Precision::Bf16})
                for (const unsigned order : {2U, 3U, 5U, 10U})
                    QTest::addRow("%s, %s, order %u", toString(divergence).data(), toString(precision).data(), order)
                        << divergence << precision << order;
    }
    void lossAndPenaltyNeverRise()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(Divergence, divergence);
        QFETCH(Precision, precision);
        QFETCH(unsigned, order);
        const SparseTensor tensor =
            positiveTensor(std::vector<Index>(order, order > 5 ? 5 : 12), 500, order, divergence != Divergence::ItakuraSaito);
        // of a step's numbers moves the loss by about as much
        const double rounding = precision == Precision::Fp64 ? 1e-12 : precision == Precision::Fp32 ? 2e-6 : 4e-3;
        for (const Penalty& penalty : {Penalty{0, false}, Penalty{0.1, true}, Penalty{10, false}})
            for (const double size : {0.01, 1.0, 30.0}) {
                RunConfig config = onGpu(configOf({divergence, penalty, false, 1}, 4, precision));
                const double rise = largestRise(objectives(config, tensor, size, 25), double(tensor.entries()));
                QVERIFY2(rise <= rounding,
                         qPrintable(QStringLiteral("penalty %1, start %2: rose by %3").arg(penalty.lambda).arg(size).arg(rise)));
            }
    }

    void rowsWithoutEntriesStay()
    {
        POLYAD_NEEDS_GPU();
        const std::vector<Index> dims{9, 8, 7};
        const SparseTensor tensor = positiveTensor(dims, 200, 5);
        for (const Case& c : someCases(2)) {
            Prepared run(onGpu(configOf(c, 6, Precision::Fp32)), tensor);
            const Model before = run.solver->model(Snapshot::Latest);
            run.solver->iterate(0, run.control);
            const Model after = run.solver->model(Snapshot::Latest);
            for (unsigned n = 0; n < 3; ++n)
                for (unsigned r = 0; r < 6; ++r) {
                    QCOMPARE(after.factors[n].at(dims[n] - 1, r), before.factors[n].at(dims[n] - 1, r));
                    QVERIFY(after.factors[n].at(0, r) != before.factors[n].at(0, r));
                }
        }
    }

    /// Both halves of a step together are the step, and sums that went by the host are the same.
    void sumsAndStepsAreTheStep_data() { addPrecisions(); }
    void sumsAndStepsAreTheStep()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(Precision, precision);
        const SparseTensor tensor = positiveTensor({40, 3, 30}, 4000, 8);
        for (const unsigned rank : {5U, 33U, 300U})
            for (const auto& [divergence, rule] : {std::pair{Divergence::Euclidean, Rule::Plain},
                                                   {Divergence::KullbackLeibler, Rule::KullbackLeibler},
                                                   {Divergence::ItakuraSaito, Rule::ItakuraSaito}})
                for (const bool weighted : {false, true}) {
                    RunControl control;
                    const kernels::ntf::Problem problem = problemOf(tensor, divergence, rank);
                    const auto halves = loaded(problem, precision, gpu, control), whole = loaded(problem, precision, gpu, control);
                    const auto cpu = loaded(problem, Precision::Fp64, DeviceId{}, control);
                    const RowStep step{rule, 0.05, weighted};
                    for (unsigned n = 0; n < 3; ++n) {
                        const kernels::ntf::RowSums sums = halves->sumRows(n, control);
                        QCOMPARE(sums.count, Count{tensor.dims()[n]} * rank);
                        QVERIFY(sums.type == precision);
                        const kernels::ntf::SumMatrices taken = halves->sums();
                        if (n == 0) { // later the rows differ by the precision
                            cpu->sumRows(0, control);
                            const double tolerance = precision == Precision::Fp64 ? 1e-12 : 1e-5;
                            QVERIFY(apart(taken.numerators, cpu->sums().numerators) <= tolerance);
                            QVERIFY(apart(taken.denominators, cpu->sums().denominators) <= tolerance);
                        }
                        halves->replaceSums({Matrix(tensor.dims()[n], rank, true), Matrix(tensor.dims()[n], rank, true)});
                        halves->replaceSums(taken);
                        halves->stepRows(n, step, control);
                        whole->renewRows(n, step, control);
                        const double tolerance = precision == Precision::Fp64 ? 1e-13 : 1e-6; // sums of cut rows are rounded once more
                        const double difference = apart(halves->rows(n), whole->rows(n));
                        QVERIFY2(difference <= tolerance, qPrintable(QString::number(difference)));
                    }
                }
    }

    /// Bit for bit the same, wherever the rows are cut.
    void sumsInPartsAreTheSums_data() { addPrecisions(); }
    void sumsInPartsAreTheSums()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(Precision, precision);
        const SparseTensor many = positiveTensor({700, 90, 3}, 60000, 12), giant = positiveTensor({700, 90, 3}, 60000, 12, false, 0.9),
                           none({700, 90, 3}, 0, true);
        for (const SparseTensor* tensor : {&many, &giant, &none})
            for (const unsigned rank : {6U, 40U, 150U}) {
                RunControl control;
                kernels::ntf::Problem problem = problemOf(*tensor, Divergence::KullbackLeibler, rank);
                const auto whole = loaded(problem, precision, gpu, control);
                problem.rowParts = {{1, 1, 350, 351, 699, 700}, {90}, {0, 1, 3}};
                const auto parts = loaded(problem, precision, gpu, control);
                QVERIFY(parts->sumsInParts());
                for (unsigned n = 0; n < 3; ++n) {
                    const kernels::ntf::RowSums all = whole->sumRows(n, control);
                    Count numbers = 0;
                    for (unsigned part = 0; part < problem.rowParts[n].size(); ++part) {
                        const kernels::ntf::RowSums own = parts->beginSums(n, part, control);
                        QVERIFY(own.ready && own.type == all.type);
                        numbers += own.count;
                    }
                    QCOMPARE(numbers, all.count);
                    QVERIFY(parts->sums().numerators.data == whole->sums().numerators.data);
                    QVERIFY(parts->sums().denominators.data == whole->sums().denominators.data);
                }
            }
    }

    void rowsInBf16AreStepsOfRoundedOnes_data()
    {
        QTest::addColumn<int>("number");
        const std::vector<Shape> all = shapes();
        for (int i = 0; i<int(all.size()); i += all[std::size_t(i)].dims.size()> 6 ? 2 : 1)
            QTest::addRow("%s", all[std::size_t(i)].name) << i;
    }
    /// Bit for bit those of fp32 beside rows that were rounded before.
    void rowsInBf16AreStepsOfRoundedOnes()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(int, number);
        const Shape shape = shapes()[std::size_t(number)];
        const auto order = static_cast<unsigned>(shape.dims.size());
        for (const auto& [divergence, rule] : {std::pair{Divergence::Euclidean, Rule::Plain},
                                               {Divergence::KullbackLeibler, Rule::KullbackLeibler},
                                               {Divergence::ItakuraSaito, Rule::ItakuraSaito}}) {
            if (!shape.all && number % 3 != int(divergence)) // loading takes a GPU far longer than the steps do
                continue;
            const SparseTensor tensor = positiveTensor(shape.dims, shape.entries, order);
            RunControl control;
            const kernels::ntf::Problem problem = problemOf(tensor, divergence, shape.rank);
            const auto narrow = loaded(problem, Precision::Bf16, gpu, control), wide = loaded(problem, Precision::Fp32, gpu, control);
            const RowStep step{rule, 0.05, false};
            bool differs = false;
            for (unsigned t = 0; t < 2; ++t)
                for (unsigned n = 0; n < order; ++n) {
                    for (unsigned k = 0; k < order; ++k) {
                        const Matrix rows = narrow->rows(k);
                        differs |= k != n && rounded(rows).data != rows.data;
                        wide->replaceRows(k, k == n ? rows : rounded(rows), control);
                    }
                    narrow->renewRows(n, step, control);
                    wide->renewRows(n, step, control);
                    QVERIFY(narrow->rows(n).data == wide->rows(n).data);
                }
            QVERIFY(differs);
        }
    }

    /// Who has some of the entries is told how many there are of a row in all.
    void entriesElsewhereCount()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor tensor = positiveTensor({12, 11, 10}, 400, 9), none({12, 11, 10}, 0, true);
        std::vector<Array<Count>> counts;
        for (const Index rows : tensor.dims()) {
            counts.emplace_back(rows, Count{0});
            for (Count i = 0; i < rows; ++i)
                counts.back()[i] = i % 3 == 0 ? 0 : 5 * i;
        }
        for (const SparseTensor* train : {&tensor, &none}) {
            RunControl control;
            kernels::ntf::Problem problem = problemOf(*train, Divergence::KullbackLeibler, 7);
            problem.rowEntries = &counts;
            const auto there = loaded(problem, Precision::Fp64, gpu, control), cpu = loaded(problem, Precision::Fp64, DeviceId{}, control);
            for (unsigned n = 0; n < 3; ++n) {
                for (const auto* backEnd : {&there, &cpu}) {
                    (*backEnd)->sumRows(n, control);
                    (*backEnd)->stepRows(n, {Rule::KullbackLeibler, 0.3, true}, control);
                }
                QVERIFY(apart(there->rows(n), cpu->rows(n)) <= 1e-12);
                const double one = there->squares(n, true, control), other = cpu->squares(n, true, control);
                QVERIFY(std::abs(one - other) <= 1e-12 * other);
            }
        }
    }

    /// fp32 holds values of any size by their unit.
    void valuesOfAnySize()
    {
        POLYAD_NEEDS_GPU();
        const SparseTensor tensor = positiveTensor({30, 20, 10}, 900, 4);
        for (const Divergence divergence : allDivergences) {
            const RunConfig config = onGpu(test::ntf::configOf(divergence, 5, 4, Precision::Fp32));
            const RunResult plain = test::runOn(config, tensor);
            SparseTensor tiny = tensor;
            for (Count e = 0; e < tiny.entries(); ++e)
                tiny.setValue(e, tensor.value(e) * std::ldexp(1.0, -240));
            const RunResult scaled = test::runOn(config, tiny);
            for (std::size_t i = 0; i < plain.history.size(); ++i)
                QVERIFY(std::abs(std::ldexp(scaled.history[i].trainRmse, 240) - plain.history[i].trainRmse)
                        <= 1e-5 * plain.history[i].trainRmse);
        }
    }

    /// What was saved goes on as if it had never stopped.
    void aSavedStateGoesOn_data() { addPrecisions(); }
    void aSavedStateGoesOn()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(Precision, precision);
        const SparseTensor tensor = positiveTensor({30, 20, 10}, 900, 4);
        const RunConfig config = onGpu(configOf({Divergence::KullbackLeibler, {0.1, false}, false, 2}, 19, precision));
        Prepared one(config, tensor), other(config, tensor);
        one.solver->iterate(0, one.control);
        other.solver->restoreState(one.solver->saveState(), other.control);
        one.solver->iterate(1, one.control);
        other.solver->iterate(1, other.control);
        const Model first = one.solver->model(Snapshot::Latest), second = other.solver->model(Snapshot::Latest);
        for (unsigned n = 0; n < 3; ++n)
            QVERIFY(first.factors[n].data == second.factors[n].data);
    }

    /// Every kernel on little: what the sanitizers are given (POLYAD_EXPECT_GPU=1 compute-sanitizer … tst_cuda_ntf smallOnce).
    void smallOnce()
    {
        POLYAD_NEEDS_GPU();
        const std::vector<std::vector<Index>> all{{6, 5, 40}, {5, 70000, 70000}, {6, 5, 4, 3}, std::vector<Index>(5, 70000)};
        for (const Precision precision : {Precision::Fp64, Precision::Fp32})
            for (const unsigned rank : {5U, 18U, 50U, 100U, 140U})
                for (const std::vector<Index>& dims : all) {
                    RunControl control;
                    const SparseTensor tensor = positiveTensor(dims, 70, 3);
                    kernels::ntf::Problem problem = problemOf(tensor, Divergence::ItakuraSaito, rank);
                    problem.test = &tensor;
                    const auto backEnd = loaded(problem, precision, gpu, control);
                    backEnd->renewRows(0, {Rule::ItakuraSaito, 0.1, true}, control);
                    backEnd->sumRows(2, control);
                    backEnd->stepRows(2, {Rule::Plain, 0, false}, control);
                    QVERIFY(std::isfinite(backEnd->evaluate(true, control).divergences));
                    QVERIFY(backEnd->squares(1, true, control) > 0);
                }
        RunControl control;
        const SparseTensor tensor = positiveTensor({2, 6, 5}, 1000, 3); // a row that a block adds up
        const auto backEnd = loaded(problemOf(tensor, Divergence::Euclidean, 9), Precision::Fp32, gpu, control);
        backEnd->renewRows(0, {Rule::Plain, 0.1, false}, control);
        QVERIFY(std::isfinite(backEnd->evaluate(false, control).errors.squared));
    }
};

QTEST_GUILESS_MAIN(CudaNtfTest)
#include "tst_cuda_ntf.moc"
