// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/complete.h"
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/operations/evaluate.h"
#include "kernels/operations/model_match.h"
#include "kernels/tensor/sort.h"
#include "support/known_tensors.h"
#include "support/random_tensor.h"
#include "support/runs.h"

#include <QtTest>

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace kernels;
using test::runOn;

namespace {

RunConfig hooi(std::vector<unsigned> ranks, std::uint64_t sweeps, Precision precision = Precision::Fp64)
{
    RunConfig config;
    config.algorithm = "tucker-hooi";
    config.format = "csf";
    config.precision = precision;
    config.ranks = std::move(ranks);
    test::fixIterations(config, sweeps);
    return config;
}

/// Entries that a few lines of Python make alike: see fitsAreThoseOfPyttb.
SparseTensor formulaTensor(const std::vector<Index>& dims, Count draws)
{
    std::set<std::vector<Index>> seen;
    SparseTensor tensor(dims, 0, true);
    Array<double> values;
    for (Count e = 0; e < draws; ++e) {
        std::vector<Index> index;
        for (unsigned k = 0; k < dims.size(); ++k)
            index.push_back(static_cast<Index>((e * e * (3 + 2 * k) + e * (11 + k) + 5 * k) % 1009 % dims[k]));
        const double value = (double(e * 37 % 19) - 9) / 4;
        if (!seen.insert(index).second || value == 0)
            continue;
        for (unsigned k = 0; k < dims.size(); ++k)
            tensor.indices[k].push_back(index[k]);
        values.push_back(value);
    }
    tensor.values = std::move(values);
    sortLexicographically(tensor);
    return tensor;
}

Model formulaStart(const std::vector<Index>& dims, const std::vector<unsigned>& ranks)
{
    Model model;
    model.kind = ModelKind::Tucker;
    model.dims = dims;
    model.ranks = ranks;
    for (std::size_t n = 0; n < dims.size(); ++n) {
        model.factors.emplace_back(dims[n], ranks[n], true);
        for (std::size_t i = 0; i < dims[n]; ++i)
            for (std::size_t j = 0; j < ranks[n]; ++j)
                model.factors[n].set(i, j, double((i * 7 + j * 13 + n * 5 + 3) * (i + 2 * j + 1) % 23) / 23 + 0.05);
    }
    return model;
}

/// Every cell of a model, with a little noise.
SparseTensor cellsOf(const Model& model, double noise)
{
    SparseTensor tensor(model.dims, 0, true);
    Array<double> values;
    Count cell = 0;
    test::forEachCell(model.dims, [&](const std::vector<Index>& index) {
        for (unsigned n = 0; n < index.size(); ++n)
            tensor.indices[n].push_back(index[n]);
        values.push_back(test::predictPlainly(model, index) + noise * random::normal(5, 5, cell++));
    });
    tensor.values = std::move(values);
    return tensor;
}

/// Largest element of AᵀA − I.
double fromOrthonormal(const Matrix& factor)
{
    double most = 0;
    for (std::size_t a = 0; a < factor.columns; ++a)
        for (std::size_t b = 0; b <= a; ++b) {
            double dot = 0;
            for (std::size_t i = 0; i < factor.rows; ++i)
                dot += factor.at(i, a) * factor.at(i, b);
            most = std::max(most, std::abs(dot - (a == b)));
        }
    return most;
}

double smallestCosine(const Model& a, const Model& b)
{
    RunControl control;
    double least = 1;
    for (const auto& mode : matchModels(a, b, control).cosines)
        least = std::min(least, *std::min_element(mode.begin(), mode.end()));
    return least;
}

} // namespace

class TuckerHooiTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fitsAreThoseOfPyttb_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<std::vector<unsigned>>("ranks");
        QTest::addColumn<Count>("draws");
        QTest::addColumn<std::vector<double>>("fits");
        // pyttb 1.8.6: tucker_als(X, rank, init=[the formula's factors], maxiters=1 … 5, stoptol=-1)[2]["fit"].
        using D = std::vector<Index>;
        using R = std::vector<unsigned>;
        using F = std::vector<double>;
        QTest::newRow("order 2") << D{12, 9} << R{3, 3} << Count{50}
                                 << F{0.284028105316, 0.349382318086, 0.417125118578, 0.463277570238, 0.475621190244};
        QTest::newRow("order 3") << D{9, 8, 7} << R{3, 2, 4} << Count{120}
                                 << F{0.070981773860, 0.112754327817, 0.119486905412, 0.121414906945, 0.122149651249};
        QTest::newRow("order 4") << D{7, 6, 5, 4} << R{2, 3, 2, 2} << Count{150}
                                 << F{0.045123461878, 0.066210049131, 0.077434262660, 0.084188556781, 0.085701769854};
        QTest::newRow("order 5") << D{5, 4, 6, 3, 4} << R{2, 2, 3, 2, 2} << Count{200}
                                 << F{0.039167569501, 0.059588032407, 0.064265658647, 0.065577070516, 0.067320629124};
        QTest::newRow("order 6") << D{4, 5, 3, 4, 3, 5} << R{2, 3, 2, 2, 2, 3} << Count{300}
                                 << F{0.032784215283, 0.041937443066, 0.054300501308, 0.055732765116, 0.058546193113};
    }
    void fitsAreThoseOfPyttb()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(std::vector<unsigned>, ranks);
        QFETCH(Count, draws);
        QFETCH(std::vector<double>, fits);
        const SparseTensor tensor = formulaTensor(dims, draws);
        const Model start = formulaStart(dims, ranks);
        for (const Precision precision : {Precision::Fp64, Precision::Fp32}) {
            RunConfig config = hooi(ranks, fits.size(), precision);
            config.parameters["start"] = std::string("model");
            config.init = "start.plyd";
            RunObserver silent;
            RunControl control;
            const RunResult result = run(config, tensor, nullptr, silent, control, {nullptr, nullptr, &start});
            for (std::size_t sweep = 0; sweep < fits.size(); ++sweep) {
                const double off = std::abs(result.history[sweep].fit - fits[sweep]);
                QVERIFY2(off < (precision == Precision::Fp64 ? 1e-10 : 1e-6),
                         qPrintable(QStringLiteral("sweep %1: %2").arg(sweep + 1).arg(off)));
            }
        }
    }

    void fitNeverFalls_data()
    {
        QTest::addColumn<QString>("vectors");
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<unsigned>("rank");
        for (const char* vectors : {"gram", "range"}) {
            QTest::addRow("%s, order 3", vectors) << vectors << std::vector<Index>{60, 50, 40} << 5U;
            QTest::addRow("%s, order 4", vectors) << vectors << std::vector<Index>{40, 30, 9, 25} << 3U;
            QTest::addRow("%s, order 6", vectors) << vectors << std::vector<Index>{9, 8, 7, 6, 5, 10} << 2U;
            QTest::addRow("%s, nine rows", vectors) << vectors << std::vector<Index>{200, 9, 300} << 12U;
        }
    }
    void fitNeverFalls()
    {
        QFETCH(QString, vectors);
        QFETCH(std::vector<Index>, dims);
        QFETCH(unsigned, rank);
        SparseTensor tensor = test::skewedTensor(dims, 8000, 0.1, 4);
        sortLexicographically(tensor);
        for (const Precision precision : {Precision::Fp64, Precision::Fp32}) {
            RunConfig config = hooi({rank}, 15, precision);
            config.parameters["vectors"] = vectors.toStdString();
            const RunResult result = runOn(config, tensor);
            // In single precision sums are rounded to some 1e-7 of ‖X‖.
            const double rounding = precision == Precision::Fp64 ? 1e-13 : 2e-7;
            for (std::size_t i = 1; i < result.history.size(); ++i)
                QVERIFY2(result.history[i].fit >= result.history[i - 1].fit - rounding,
                         qPrintable(QStringLiteral("sweep %1: %2 after %3")
                                        .arg(i + 1)
                                        .arg(result.history[i].fit, 0, 'g', 12)
                                        .arg(result.history[i - 1].fit, 0, 'g', 12)));
            QVERIFY(result.history.back().fit > 0);
            QVERIFY(std::abs(result.history.back().fit - modelFit(result.best, tensor)) < (precision == Precision::Fp64 ? 1e-10 : 1e-6));
            const double rmse = evaluateModel(result.best, tensor).rmse();
            QVERIFY(std::abs(result.history[result.bestIteration - 1].trainRmse - rmse) < 1e-9 * rmse);
            for (const Matrix& factor : result.best.factors)
                QVERIFY(fromOrthonormal(factor) < (precision == Precision::Fp64 ? 1e-11 : 1e-5));
        }
    }

    void aPlantedModelIsRecovered_data()
    {
        QTest::addColumn<QString>("vectors");
        QTest::addColumn<QString>("start");
        QTest::addColumn<std::vector<Index>>("dims");
        for (const char* vectors : {"gram", "range"})
            for (const char* start : {"random", "hosvd", "sthosvd"}) {
                QTest::addRow("%s, %s, order 3", vectors, start) << vectors << start << std::vector<Index>{19, 23, 17};
                QTest::addRow("%s, %s, order 4", vectors, start) << vectors << start << std::vector<Index>{9, 8, 11, 7};
            }
    }
    void aPlantedModelIsRecovered()
    {
        QFETCH(QString, vectors);
        QFETCH(QString, start);
        QFETCH(std::vector<Index>, dims);
        const Model planted = test::randomModel(ModelKind::Tucker, dims, 2, 0, 9, true);
        for (const double noise : {0.0, 1e-3}) {
            const SparseTensor tensor = cellsOf(planted, noise);
            for (const Precision precision : {Precision::Fp64, Precision::Fp32}) {
                RunConfig config = hooi(planted.ranks, 10, precision);
                config.parameters["vectors"] = vectors.toStdString();
                config.parameters["start"] = start.toStdString();
                const RunResult result = runOn(config, tensor);
                const double cosine = smallestCosine(result.best, planted);
                QVERIFY2(cosine > (noise > 0 ? 0.9999 : 1 - 1e-9), qPrintable(QString::number(cosine, 'g', 12)));
                // What is left of the squares is the rounding of sums in fp64, or of rows kept in fp32.
                if (noise == 0)
                    QVERIFY2(result.history.back().fit > 1 - (precision == Precision::Fp64 ? 1e-6 : 3e-6),
                             qPrintable(QString::number(result.history.back().fit, 'g', 12)));
            }
        }
    }

    /// From drawn factors it takes more sweeps than one.
    void aHosvdBeginsNearTheEnd()
    {
        const Model planted = test::randomModel(ModelKind::Tucker, {19, 23, 17}, 3, 0, 9, true);
        const SparseTensor tensor = cellsOf(planted, 0.5);
        RunConfig config = hooi({3}, 30);
        const double reached = runOn(config, tensor).history.back().fit;
        config.stopping.iterations = 1;
        for (const char* start : {"hosvd", "sthosvd"}) {
            config.parameters["start"] = std::string(start);
            QVERIFY(runOn(config, tensor).history.back().fit > reached - 0.002);
        }
    }

    /// An ST-HOSVD of an exact model is the model, before any sweep.
    void aSequentialStartFindsAnExactModel()
    {
        const Model planted = test::randomModel(ModelKind::Tucker, {19, 23, 17, 5}, 2, 0, 9, true);
        const SparseTensor tensor = cellsOf(planted, 0);
        RunConfig config = resolve(hooi(planted.ranks, 1), tensor.dims());
        config.parameters["start"] = std::string("sthosvd");
        const std::unique_ptr<Solver> solver = algorithm(config.algorithm).makeSolver({config, tensor, nullptr});
        RunControl control;
        solver->prepare(control);
        const Model start = solver->model(Snapshot::Latest);
        QVERIFY(smallestCosine(start, planted) > 1 - 1e-9);
        for (const Matrix& factor : start.factors)
            QVERIFY(fromOrthonormal(factor) < 1e-9);
    }

    /// Y in blocks, then trees one at a time: less memory, the same bits where Gram matrices are of columns.
    void lessMemoryGivesTheSameModel()
    {
        const SparseTensor tensor = test::skewedTensor({60000, 900, 300, 200, 210}, 200000, 0, 4);
        RunConfig config = hooi({4, 4, 4, 3, 3}, 2, Precision::Fp32);
        const auto peakOf = [&](RunResult& result) {
            const std::uint64_t before = ArrayMemory::now();
            ArrayMemory::restartPeak();
            result = runOn(config, tensor);
            return ArrayMemory::peak() - before;
        };
        RunResult whole, blocks, one;
        const std::uint64_t most = peakOf(whole);
        QVERIFY(whole.variantNote.empty());
        config.memoryLimit = most - most / 20;
        QVERIFY(peakOf(blocks) <= config.memoryLimit);
        QVERIFY(QString::fromStdString(blocks.variantNote).contains("in blocks of rows, computed again"));
        config.memoryLimit = 1; // what is promised then is the least there is
        config.memoryLimit =
            algorithm(config.algorithm).estimateMemory(resolve(config, tensor.dims()), {tensor.dims(), tensor.entries(), 0}).hostBytes;
        const std::uint64_t least = peakOf(one);
        QVERIFY2(least <= config.memoryLimit && double(config.memoryLimit) <= 1.1 * double(least),
                 qPrintable(QStringLiteral("took %1, promised %2").arg(least).arg(config.memoryLimit)));
        QVERIFY2(QString::fromStdString(one.variantNote).contains("trees built again"), one.variantNote.c_str());
        for (unsigned n = 0; n < 5; ++n)
            QVERIFY(whole.best.factors[n].data == blocks.best.factors[n].data && whole.best.factors[n].data == one.best.factors[n].data);
        QVERIFY(whole.best.core == blocks.best.core && whole.best.core == one.best.core);
        QVERIFY(one.history.front().secondsConvert > 0);
    }

    void aCoreThatDoesNotFitIsToldBefore()
    {
        const SparseTensor tensor = test::skewedTensor(std::vector<Index>(10, 40), 500, 0, 4);
        try {
            runOn(hooi({32}, 1), tensor);
            QFAIL("a core of 32^10 numbers was made");
        } catch (const OutOfMemory& e) {
            QVERIFY2(QString(e.what()).contains("choose smaller ranks"), e.what());
        }
    }

    void ranksAreThoseModesCanHave()
    {
        const std::vector<Index> dims{7, 300, 24};
        QCOMPARE(resolve(hooi({16}, 1), dims).ranks, (std::vector<unsigned>{7, 16, 16}));
        try {
            resolve(hooi({8, 16, 16}, 1), dims);
            QFAIL("eight directions of seven rows");
        } catch (const Error& e) {
            QVERIFY2(QString(e.what()).contains("rank of mode 1"), e.what());
        }
    }

    /// More columns than the other modes have together, or than there are slices with entries: what is added is orthonormal and has
    /// no part in the model.
    void columnsThatNothingNeedsAreOrthonormal()
    {
        const SparseTensor few = test::skewedTensor({40, 30, 20}, 3, 0, 4);
        for (const Precision precision : {Precision::Fp64, Precision::Fp32}) {
            const RunResult result = runOn(hooi({5}, 3, precision), few);
            QVERIFY(result.history.back().fit > 1 - 1e-3); // three entries need three directions
            for (const Matrix& factor : result.best.factors)
                QVERIFY(fromOrthonormal(factor) < (precision == Precision::Fp64 ? 1e-11 : 1e-5));
        }
        SparseTensor tensor = test::skewedTensor({40, 30, 20}, 3000, 0, 4);
        sortLexicographically(tensor);
        const RunResult result = runOn(hooi({9, 2, 2}, 6), tensor);
        QVERIFY(fromOrthonormal(result.best.factors[0]) < 1e-11);
        QVERIFY(std::abs(result.history.back().fit - runOn(hooi({4, 2, 2}, 6), tensor).history.back().fit) < 0.05);
    }

    void missingColumnsAreMadeInPlace_data()
    {
        QTest::addColumn<unsigned>("rows");
        QTest::addColumn<unsigned>("columns");
        QTest::addColumn<unsigned>("found");
        QTest::newRow("many rows") << 100'003U << 20U << 5U;
        QTest::newRow("none is there") << 5000U << 33U << 0U;
        QTest::newRow("as many as rows") << 60U << 60U << 1U;
        QTest::newRow("the last one") << 60U << 60U << 59U;
        QTest::newRow("nothing missing") << 100'003U << 20U << 20U;
    }
    void missingColumnsAreMadeInPlace()
    {
        QFETCH(unsigned, rows);
        QFETCH(unsigned, columns);
        QFETCH(unsigned, found);
        for (const bool doubles : {false, true}) {
            Matrix matrix(rows, columns, doubles);
            for (unsigned c = 0; c < found; ++c) // columns of a part of the rows each
                for (unsigned i = c; i < rows; i += columns)
                    matrix.set(i, c, 1 / std::sqrt(double((rows - c + columns - 1) / columns)));
            const Matrix before = matrix;
            Matrix again = matrix;
            const std::uint64_t memory = ArrayMemory::now();
            ArrayMemory::restartPeak();
            RunControl control;
            const Eigen::MatrixXd gram = tucker_hooi::completeColumns(matrix, found, 3, control);
            if (found == columns) {
                QVERIFY(gram.size() == 0 && matrix.data == before.data && ArrayMemory::peak() == memory && control.checkpoints() == 0);
                continue;
            }
            QVERIFY(ArrayMemory::peak() - memory <= tucker_hooi::completeBytes(columns));
            QVERIFY(control.checkpoints() >= 8 * rows / 32768);
            for (unsigned c = 0; c < found; ++c)
                for (unsigned i = 0; i < rows; ++i)
                    QVERIFY(matrix.at(i, c) == before.at(i, c));
            const double allowed = doubles ? 1e-12 : 2e-6;
            QVERIFY2(fromOrthonormal(matrix) < allowed, qPrintable(QString::number(fromOrthonormal(matrix))));
            QVERIFY((gram - Eigen::MatrixXd::Identity(columns, columns)).cwiseAbs().maxCoeff() < allowed);
            tbb::task_arena(1).execute([&] { tucker_hooi::completeColumns(again, found, 3, control); });
            QVERIFY(again.data == matrix.data);
            again = before;
            control.stop();
            QVERIFY_EXCEPTION_THROWN(tucker_hooi::completeColumns(again, found, 3, control), Cancelled);
        }
    }

    /// More directions than single precision tells from rounding: of an exact model of fewer, and of one whose singular values fall fast.
    void ranksAboveTheTrueOnesAreNoLoss_data()
    {
        QTest::addColumn<bool>("exact");
        QTest::addColumn<std::vector<unsigned>>("ranks");
        QTest::newRow("exact, two more") << true << std::vector<unsigned>{5, 5, 5};
        QTest::newRow("exact, many more") << true << std::vector<unsigned>{12, 12, 12};
        QTest::newRow("falling, 6") << false << std::vector<unsigned>{6, 6, 6};
        QTest::newRow("falling, 12") << false << std::vector<unsigned>{12, 12, 12};
        QTest::newRow("falling, by rows") << false << std::vector<unsigned>{6, 14, 14};
    }
    void ranksAboveTheTrueOnesAreNoLoss()
    {
        QFETCH(bool, exact);
        QFETCH(std::vector<unsigned>, ranks);
        Model model = test::randomModel(ModelKind::Tucker, {40, 32, 50}, 3, 0, 9, true);
        SparseTensor tensor = cellsOf(model, 0);
        if (!exact)
            for (Count e = 0; e < tensor.entries(); ++e)
                tensor.setValue(e, 1 / (1 + tensor.indices[0][e] + tensor.indices[1][e] + tensor.indices[2][e] / 8.0));
        double fits[2];
        for (const char* vectors : {"gram", "range"}) {
            RunConfig config = hooi(ranks, 6, Precision::Fp32);
            config.parameters["vectors"] = std::string(vectors);
            const RunResult result = runOn(config, tensor);
            for (std::size_t i = 1; i < result.history.size(); ++i)
                QVERIFY2(result.history[i].fit >= result.history[i - 1].fit - 1e-6,
                         qPrintable(QStringLiteral("%1, sweep %2: %3 after %4")
                                        .arg(vectors)
                                        .arg(i + 1)
                                        .arg(result.history[i].fit, 0, 'g', 12)
                                        .arg(result.history[i - 1].fit, 0, 'g', 12)));
            fits[vectors[0] == 'r'] = modelFit(result.best, tensor);
        }
        const double doubles = modelFit(runOn(hooi(ranks, 6), tensor).best, tensor);
        QVERIFY2(
            std::abs(fits[0] - fits[1]) < 1e-6 && std::abs(fits[0] - doubles) < 2e-6,
            qPrintable(
                QStringLiteral("gram %1, range %2, fp64 %3").arg(fits[0], 0, 'g', 12).arg(fits[1], 0, 'g', 12).arg(doubles, 0, 'g', 12)));
    }

    /// Single sweeps by either way gain the same, or nearly: power steps find what Gram matrices have.
    void aSubspaceIterationIsAsGoodAsAGramMatrix()
    {
        const Model planted = test::randomModel(ModelKind::Tucker, {60, 50, 45}, 20, 0, 9, true);
        const SparseTensor tensor = cellsOf(planted, 3.0);
        RunResult results[2];
        for (const char* vectors : {"gram", "range"}) {
            RunConfig config = hooi({16}, 6, Precision::Fp32);
            config.parameters["vectors"] = std::string(vectors);
            results[vectors[0] == 'r'] = runOn(config, tensor);
        }
        for (std::size_t i = 0; i < 6; ++i)
            QVERIFY2(results[1].history[i].fit > results[0].history[i].fit - 2e-3,
                     qPrintable(QStringLiteral("sweep %1: %2, by Gram matrices %3")
                                    .arg(i + 1)
                                    .arg(results[1].history[i].fit, 0, 'g', 12)
                                    .arg(results[0].history[i].fit, 0, 'g', 12)));
    }

    /// Rows of zeros leave nothing for the first mode to find; what is drawn instead does for the others.
    void aStartOfZerosIsNoEnd()
    {
        const SparseTensor tensor = formulaTensor({12, 9, 8}, 200);
        Model start = formulaStart({12, 9, 8}, {3, 3, 3});
        start.factors[1] = Matrix(9, 3, true);
        for (const char* vectors : {"gram", "range"}) {
            RunConfig config = hooi({3}, 4);
            config.parameters["vectors"] = std::string(vectors);
            config.parameters["start"] = std::string("model");
            config.init = "start.plyd";
            RunObserver silent;
            RunControl control;
            const RunResult result = run(config, tensor, nullptr, silent, control, {nullptr, nullptr, &start});
            QVERIFY(result.history.back().fit > 0.01);
            for (const Matrix& factor : result.best.factors)
                QVERIFY(fromOrthonormal(factor) < 1e-11);
        }
    }

    void fitsBetweenComeFromTheCore()
    {
        SparseTensor tensor = test::skewedTensor({60, 50, 40}, 8000, 0.1, 4);
        sortLexicographically(tensor);
        RunConfig config = hooi({5}, 6);
        const RunResult every = runOn(config, tensor);
        config.parameters["evaluate-every"] = std::int64_t{3};
        const RunResult third = runOn(config, tensor);
        for (std::size_t i = 0; i < 6; ++i) {
            QVERIFY(std::abs(every.history[i].fit - third.history[i].fit) < 1e-12);
            QCOMPARE(std::isnan(third.history[i].trainRmse), i % 3 != 2);
        }
    }

    void sameBitsForAnyNumberOfThreads()
    {
        const SparseTensor tensor = test::skewedTensor({900, 9, 300}, 60000, 0.3, 4);
        for (const char* vectors : {"gram", "range"}) {
            RunConfig config = hooi({12, 4, 12}, 3, Precision::Fp32);
            config.parameters["vectors"] = std::string(vectors);
            config.threads = 1;
            const RunResult one = runOn(config, tensor);
            config.threads = 2;
            const RunResult two = runOn(config, tensor);
            QCOMPARE(one.history.back().fit, two.history.back().fit);
            QVERIFY(one.best.core == two.best.core);
        }
    }

    void heldOutEntriesAreJudged()
    {
        const SparseTensor tensor = test::skewedTensor({60, 50, 40}, 8000, 0, 4), held = test::skewedTensor({60, 50, 40}, 500, 0, 5);
        const RunResult result = runOn(hooi({5}, 2), tensor, &held);
        const ErrorSums expected = evaluateModel(result.best, held);
        const IterationRecord& best = result.history[result.bestIteration - 1];
        QVERIFY(std::abs(best.testRmse - expected.rmse()) < 1e-10 && std::abs(best.testMae - expected.mae()) < 1e-10);
    }

    void zerosAreRefused()
    {
        SparseTensor tensor = test::skewedTensor({6, 5, 4}, 20, 0, 4);
        for (Count e = 0; e < tensor.entries(); ++e)
            tensor.setValue(e, 0);
        QVERIFY_EXCEPTION_THROWN(runOn(hooi({2}, 1), tensor), Error);
    }
};

QTEST_GUILESS_MAIN(TuckerHooiTest)
#include "tst_tucker_hooi.moc"
