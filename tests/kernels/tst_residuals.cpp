// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/evaluate.h"
#include "kernels/operations/residuals.h"
#include "kernels/tensor/find_entries.h"
#include "kernels/tensor/sort.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <numeric>

using namespace kernels;

Q_DECLARE_METATYPE(kernels::ModelKind)

namespace {

SparseTensor sortedTensor(const std::vector<Index>& dims, Count entries, std::uint64_t seed, bool doubles = false)
{
    SparseTensor tensor = test::randomTensor(dims, entries, seed, doubles);
    sortLexicographically(tensor);
    return tensor;
}

Array<Count> everySeventh(Count entries)
{
    Array<Count> positions;
    for (Count e = 3; e < entries; e += 7)
        positions.push_back(e);
    return positions;
}

/// The entries of one part, worst first: by residual, then by place.
std::vector<EntryResidual> plainWorst(const std::vector<EntryResidual>& part, bool tooHigh, std::size_t most)
{
    std::vector<EntryResidual> list;
    for (const EntryResidual& each : part)
        if (tooHigh ? each.residual() < 0 : each.residual() > 0)
            list.push_back(each);
    std::stable_sort(list.begin(), list.end(),
                     [&](const EntryResidual& a, const EntryResidual& b) { return std::abs(a.residual()) > std::abs(b.residual()); });
    list.resize(std::min(list.size(), most));
    return list;
}

void compareSums(const PartResiduals& part, const std::vector<EntryResidual>& plain, const SparseTensor& tensor)
{
    double sum = 0, squared = 0, absolute = 0;
    std::vector<std::map<Index, ResidualSums>> slices(tensor.order());
    for (const EntryResidual& each : plain) {
        sum += each.residual();
        squared += each.residual() * each.residual();
        absolute += std::abs(each.residual());
        for (unsigned n = 0; n < tensor.order(); ++n)
            slices[n][tensor.indices[n][each.entry]].add(each.residual());
    }
    // All in fp64, values of size 1 to 100: some thousand roundings.
    const double slack = 1e-9 * (1 + absolute);
    QCOMPARE(part.errors.count, Count{plain.size()});
    QVERIFY(std::abs(part.sum - sum) < slack);
    QVERIFY(std::abs(part.errors.squared - squared) < 1e-9 * (1 + squared));
    QVERIFY(std::abs(part.errors.absolute - absolute) < slack);
    for (unsigned n = 0; n < tensor.order(); ++n)
        for (Index i = 0; i < part.slices[n].size(); ++i) {
            const ResidualSums& expected = slices[n][i];
            QCOMPARE(part.slices[n][i].count, expected.count);
            QVERIFY(std::abs(part.slices[n][i].sum - expected.sum) < slack);
            QVERIFY(std::abs(part.slices[n][i].squared - expected.squared) < 1e-9 * (1 + squared));
        }
}

void compareWorst(const std::vector<EntryResidual>& found, const std::vector<EntryResidual>& expected)
{
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        QVERIFY(std::abs(found[i].residual() - expected[i].residual()) < 1e-9 * (1 + std::abs(expected[i].residual())));
        QCOMPARE(found[i].x, expected[i].x);
    }
}

} // namespace

class TestResiduals : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreeWithPlainLoops_data()
    {
        QTest::addColumn<ModelKind>("kind");
        QTest::addColumn<unsigned>("order");
        for (const ModelKind kind : {ModelKind::Cp, ModelKind::Tucker, ModelKind::FastTucker})
            for (unsigned order = 2; order <= 10; ++order)
                QTest::addRow("%s, order %u", toString(kind).data(), order) << kind << order;
    }

    void agreeWithPlainLoops()
    {
        QFETCH(ModelKind, kind);
        QFETCH(unsigned, order);
        const unsigned rank = kind == ModelKind::Tucker && order > 5 ? 2 : 3;
        const Model model = test::randomModel(kind, test::dimsOfOrder(order), rank, 5, 10 + order, order % 2 == 1);
        const SparseTensor tensor = sortedTensor(model.dims, 997, order, order % 2 == 0); // order 2 has 35 cells: many duplicates
        const Array<Count> tests = everySeventh(tensor.entries());
        std::vector<EntryResidual> train, test;
        for (Count e = 0; e < tensor.entries(); ++e)
            (std::binary_search(tests.begin(), tests.end(), e) ? test : train)
                .push_back({e, tensor.value(e), test::predictPlainly(model, test::indexOf(tensor, e))});
        const Residuals found = computeResiduals(model, tensor, tests, 12);
        compareSums(found.train, train, tensor);
        compareSums(found.test, test, tensor);
        compareWorst(found.train.tooHigh, plainWorst(train, true, 12));
        compareWorst(found.train.tooLow, plainWorst(train, false, 12));
        compareWorst(found.test.tooHigh, plainWorst(test, true, 12));
        compareWorst(found.test.tooLow, plainWorst(test, false, 12));
        QCOMPARE(found.train.histogram.total() + found.test.histogram.total(), Count{997});
        const ErrorSums whole = evaluateModel(model, tensor);
        QVERIFY(std::abs(found.train.errors.squared + found.test.errors.squared - whole.squared) < 1e-9 * whole.squared);
    }

    void bitsDoNotDependOnThreads()
    {
        const Model model = test::randomModel(ModelKind::FastTucker, {500, 70, 33}, 4, 9, 3, false);
        const SparseTensor tensor = sortedTensor(model.dims, 600'003, 5); // three batches
        const Array<Count> tests = everySeventh(tensor.entries());
        const Residuals one = test::withThreads(1, [&] { return computeResiduals(model, tensor, tests, 50); });
        const Residuals four = test::withThreads(4, [&] { return computeResiduals(model, tensor, tests, 50); });
        QVERIFY(one.train.errors.squared == four.train.errors.squared && one.test.sum == four.test.sum);
        for (std::size_t i = 0; i < 50; ++i)
            QCOMPARE(one.train.tooLow[i].entry, four.train.tooLow[i].entry);
        for (std::size_t i = 0; i < 500; ++i)
            QVERIFY(one.train.slices[0][i].squared == four.train.slices[0][i].squared);
    }

    void histogramsCountEveryResidualInItsBin()
    {
        const std::vector<double> residuals{0.5, -0.25, 0, 3, -3, 1e-9, -1e-9, 700, -700.5, 12.75, 0.5, 1e6, -4096};
        ResidualHistogram histogram;
        for (const double r : residuals)
            histogram.add(r);
        QCOMPARE(histogram.total(), Count{residuals.size()});
        const double width = histogram.width();
        QVERIFY(width > 0 && std::exp2(std::round(std::log2(width))) == width);
        QVERIFY(width * ResidualHistogram::half >= 1e6 && width * ResidualHistogram::half <= 4e6); // no coarser than it must be
        std::map<int, Count> expected;
        for (const double r : residuals)
            ++expected[static_cast<int>(std::floor(r / width))];
        for (int bin = -ResidualHistogram::half; bin < ResidualHistogram::half; ++bin)
            QCOMPARE(histogram.count(bin), expected.contains(bin) ? expected[bin] : Count{0});
        ResidualHistogram zeros, tiny;
        zeros.add(0);
        QVERIFY(zeros.width() == 0 && zeros.count(0) == 1);
        tiny.add(5e-324); // the smallest number there is
        tiny.add(1e308);
        QCOMPARE(tiny.total(), Count{2});
        QCOMPARE(tiny.count(0), Count{1});
    }

    void notANumberIsCountedApart()
    {
        Model model = test::randomModel(ModelKind::Cp, {4, 3}, 2, 0, 1, true);
        model.factors[0].set(2, 0, std::nan(""));
        SparseTensor tensor({4, 3}, 4);
        const Index rows[] = {0, 1, 2, 2};
        for (Count e = 0; e < 4; ++e) {
            tensor.indices[0][e] = rows[e];
            tensor.indices[1][e] = static_cast<Index>(e % 3);
            tensor.setValue(e, 5);
        }
        const Residuals found = computeResiduals(model, tensor, {}, 10);
        QCOMPARE(found.train.notFinite, Count{2});
        QCOMPARE(found.train.errors.count, Count{2});
        QCOMPARE(found.train.slices[0][2].count, Count{0});
        QVERIFY(std::isfinite(found.train.sum) && found.train.tooLow.size() + found.train.tooHigh.size() <= 2);
    }

    void nothingHasNoResiduals()
    {
        const Model model = test::randomModel(ModelKind::Cp, {4, 3}, 2, 0, 1, true);
        const Residuals found = computeResiduals(model, test::randomTensor({4, 3}, 0, 1), {}, 10);
        QCOMPARE(found.train.errors.count, Count{0});
        QVERIFY(std::isnan(ResidualSums().mean()) && std::isnan(ResidualSums().rmse()));
    }

    void positionsOfAnotherTensorAreRefused()
    {
        const Model model = test::randomModel(ModelKind::Cp, {4, 3}, 2, 0, 1, true);
        const SparseTensor tensor = sortedTensor({4, 3}, 5, 1);
        QVERIFY_EXCEPTION_THROWN(computeResiduals(model, tensor, {2, 5}, 10), Error);
        QVERIFY_EXCEPTION_THROWN(computeResiduals(model, sortedTensor({4, 4}, 5, 1), {}, 10), Error);
    }

    void progressAndCancel()
    {
        const Model model = test::randomModel(ModelKind::Cp, {40, 30}, 2, 0, 1, true);
        const SparseTensor tensor = sortedTensor({40, 30}, 300'000, 1);
        Progress progress;
        computeResiduals(model, tensor, {}, 10, &progress);
        QCOMPARE(progress.done(), std::uint64_t{300'000});
        progress.cancel();
        QVERIFY_EXCEPTION_THROWN(computeResiduals(model, tensor, {}, 10, &progress), Cancelled);
    }

    void entriesAreFoundWithTheirDuplicates_data()
    {
        QTest::addColumn<unsigned>("order");
        QTest::addColumn<bool>("sorted");
        for (unsigned order = 2; order <= 10; ++order)
            for (const bool sorted : {false, true})
                QTest::addRow("order %u, %s", order, sorted ? "sorted" : "as drawn") << order << sorted;
    }

    void entriesAreFoundWithTheirDuplicates()
    {
        QFETCH(unsigned, order);
        QFETCH(bool, sorted);
        SparseTensor tensor = test::randomTensor(test::dimsOfOrder(order), 400, order);
        if (sorted)
            sortLexicographically(tensor);
        for (Count probe = 0; probe < 40; ++probe) {
            std::vector<Index> index = test::indexOf(tensor, probe * 10);
            if (probe % 4 == 0) // a cell that is likely empty
                index[order - 1] = (index[order - 1] + 1) % tensor.modes[order - 1].size;
            for (unsigned freeMode = 0; freeMode <= order; ++freeMode) {
                std::vector<Count> expected;
                for (Count e = 0; e < tensor.entries(); ++e) {
                    bool fits = true;
                    for (unsigned n = 0; n < order; ++n)
                        fits = fits && (n == freeMode || tensor.indices[n][e] == index[n]);
                    if (fits)
                        expected.push_back(e);
                }
                QCOMPARE(freeMode == order ? entriesAt(tensor, index) : entriesAlong(tensor, index, freeMode), expected);
            }
        }
        QVERIFY_EXCEPTION_THROWN(entriesAt(tensor, std::vector<Index>(order + 1)), Error);
    }

    void bestPredictionsLeaveOutWhatIsKnown()
    {
        const Model model = test::randomModel(ModelKind::FastTucker, {6, 17001, 4}, 3, 5, 2, false);
        const std::vector<Index> at{2, 0, 3};
        const std::vector<Prediction> all = topPredictions(model, at, 1, 17001);
        std::vector<Index> known{all[0].index, all[2].index, all[3].index, all[9000].index};
        std::sort(known.begin(), known.end());
        const std::vector<Prediction> rest = topPredictions(model, at, 1, 3, known);
        QCOMPARE(rest.size(), std::size_t{3});
        QCOMPARE(rest[0].index, all[1].index);
        QCOMPARE(rest[1].index, all[4].index);
        QCOMPARE(rest[2].index, all[5].index);
        std::vector<Index> everything(17001);
        std::iota(everything.begin(), everything.end(), 0);
        QVERIFY(topPredictions(model, at, 1, 3, everything).empty());
    }
};

QTEST_GUILESS_MAIN(TestResiduals)
#include "tst_residuals.moc"
