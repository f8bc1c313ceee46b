// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/ttm_chain/ttm_chain.h"
#include "kernels/tensor/sort.h"
#include "support/known_tensors.h"
#include "support/random_tensor.h"
#include "support/stopping.h"
#include "support/tolerance.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace kernels;

namespace {

/// Y by its definition, from the entries alone: [slice][column], columns counted as the chain counts them.
std::map<Index, std::vector<double>> plainly(const SparseTensor& tensor, const std::vector<Matrix>& factors,
                                             const std::vector<unsigned>& modeOrder, std::uint64_t width)
{
    std::map<Index, std::vector<double>> y;
    for (Count e = 0; e < tensor.entries(); ++e) {
        auto& row = y[tensor.indices[modeOrder[0]][e]];
        row.resize(width);
        for (std::uint64_t column = 0; column < width; ++column) {
            double term = tensor.value(e);
            std::uint64_t rest = column;
            for (std::size_t level = modeOrder.size(); level-- > 1;) {
                const Matrix& factor = factors[modeOrder[level]];
                term *= factor.at(tensor.indices[modeOrder[level]][e], rest % factor.columns);
                rest /= factor.columns;
            }
            row[column] += term;
        }
    }
    return y;
}

template <class T> struct Setting {
    std::vector<unsigned> ranks;
    std::vector<Matrix> factors;
    std::vector<const T*> rows;

    Setting(const std::vector<Index>& dims, std::vector<unsigned> columns)
        : ranks(std::move(columns))
    {
        for (unsigned n = 0; n < dims.size(); ++n)
            factors.push_back(test::randomMatrix(dims[n], ranks[n], 7 + n, std::is_same_v<T, double>));
        for (const Matrix& factor : factors)
            rows.push_back(std::get<Array<T>>(factor.data).data());
    }
};

template <class T> ttm::ThreadWork workFor(const std::vector<Index>& dims, const std::vector<unsigned>& ranks)
{
    return {ttm::workNumbers(dims, ranks), static_cast<unsigned>(tbb::this_task_arena::max_concurrency())};
}

struct Case {
    const char* name;
    std::vector<Index> dims;
    std::vector<unsigned> ranks;
    Count entries;
    double shareOfFirst;
};

const std::vector<Case>& cases()
{
    static const std::vector<Case> all{{"order 2", {13, 9}, {4, 3}, 60, 0},
                                       {"order 3", {11, 7, 5}, {3, 5, 2}, 150, 0},
                                       {"order 3, whole vectors", {20, 31, 40}, {16, 16, 16}, 900, 0.1},
                                       {"order 3, two vectors", {20, 31, 40}, {8, 32, 32}, 900, 0.1},
                                       {"order 3, sixty-four columns", {20, 70, 66}, {3, 64, 64}, 300, 0},
                                       {"order 3, one more than a vector", {20, 31, 40}, {17, 17, 9}, 900, 0},
                                       {"order 4", {7, 6, 9, 5}, {2, 3, 4, 3}, 300, 0.2},
                                       {"order 5", {5, 7, 4, 3, 6}, {2, 3, 1, 3, 2}, 300, 0.2},
                                       {"order 6", {5, 7, 4, 3, 6, 2}, {2, 3, 2, 3, 2, 2}, 400, 0},
                                       {"one entry", {3, 4, 5}, {2, 3, 2}, 1, 0},
                                       {"mostly empty slices", {5000, 4000, 3000}, {3, 3, 3}, 300, 0},
                                       {"giant slices, in pieces", {1, 2, 300}, {1, 2, 5}, 60000, 0},
                                       {"nearly all in one slice", {50, 80, 70}, {4, 4, 4}, 50000, 0.9},
                                       {"one giant fibre", {2, 1, 9000}, {2, 1, 6}, 40000, 0}};
    return all;
}

} // namespace

class TtmChainTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isTheDefinition_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("doubles");
        for (std::size_t i = 0; i < cases().size(); ++i)
            for (const bool doubles : {false, true})
                QTest::addRow("%s, %s", cases()[i].name, doubles ? "fp64" : "fp32") << int(i) << doubles;
    }
    void isTheDefinition()
    {
        QFETCH(int, number);
        QFETCH(bool, doubles);
        if (doubles)
            compare<double>(cases()[std::size_t(number)]);
        else
            compare<float>(cases()[std::size_t(number)]);
    }

    /// Values of the other type than the run's, too.
    void takesValuesOfEitherType()
    {
        const SparseTensor tensor = test::skewedTensor({11, 7, 5}, 100, 0, 3, true);
        RunControl control;
        const Setting<float> setting(tensor.dims(), {3, 2, 2});
        ttm::TreeChain<float> chain(tensor, 1, setting.ranks, control);
        QVERIFY(largestDifference(chain, tensor, setting) < 100 * test::tolerance<float>(100));
    }

    void rowsAreTheSameHoweverAskedFor()
    {
        for (const Case& c : {cases()[12], cases()[11], cases()[6]}) {
            const SparseTensor tensor = test::skewedTensor(c.dims, c.entries, c.shareOfFirst, 5);
            RunControl control;
            const Setting<float> setting(c.dims, c.ranks);
            for (unsigned mode = 0; mode < c.dims.size(); ++mode) {
                ttm::TreeChain<float> chain(tensor, mode, setting.ranks, control);
                const Array<float> whole = computed(chain, setting, 0, chain.rows(), c.dims);
                const Array<float> alone = test::withThreads(1, [&] { return computed(chain, setting, 0, chain.rows(), c.dims); });
                const Array<float> many = test::withThreads(9, [&] { return computed(chain, setting, 0, chain.rows(), c.dims); });
                QVERIFY(whole == alone && whole == many);
                for (const Count begin : {Count{0}, chain.rows() / 3, chain.rows() - 1}) {
                    const Count end = std::min(chain.rows(), begin + chain.rows() / 2 + 1);
                    const Array<float> some = computed(chain, setting, begin, end, c.dims);
                    QVERIFY(std::equal(some.begin(), some.end(), whole.begin() + long(begin * chain.width())));
                }
            }
        }
    }

    void entriesAreJudgedAsTheModelPredicts()
    {
        for (const Case& c : cases()) {
            if (c.entries > 1000)
                continue;
            const SparseTensor tensor = test::skewedTensor(c.dims, c.entries, c.shareOfFirst, 6, true);
            Model model = test::randomModel(ModelKind::Tucker, c.dims, 2, 0, 3, true);
            std::vector<const double*> rows;
            for (const Matrix& factor : model.factors)
                rows.push_back(std::get<Array<double>>(factor.data).data());
            double squared = 0, absolute = 0, products = 0;
            for (Count e = 0; e < tensor.entries(); ++e) {
                const double predicted = test::predictPlainly(model, test::indexOf(tensor, e)), x = tensor.value(e);
                squared += (predicted - x) * (predicted - x);
                absolute += std::abs(predicted - x);
                products += predicted * x;
            }
            RunControl control;
            for (unsigned mode = 0; mode < c.dims.size(); ++mode) {
                ttm::TreeChain<double> chain(tensor, mode, model.ranks, control);
                Array<double> core(model.core.size()); // in the tree's order
                std::vector<Index> cells;
                for (const unsigned n : chain.modeOrder())
                    cells.push_back(model.ranks[n]);
                std::size_t at = 0;
                test::forEachCell(cells, [&](const std::vector<Index>& cell) {
                    std::size_t natural = 0;
                    for (unsigned n = 0; n < c.dims.size(); ++n) {
                        const auto level = std::find(chain.modeOrder().begin(), chain.modeOrder().end(), n) - chain.modeOrder().begin();
                        natural = natural * model.ranks[n] + cell[std::size_t(level)];
                    }
                    core[at++] = model.core[natural];
                });
                ttm::ThreadWork work = workFor<double>(c.dims, model.ranks);
                const ttm::Judgement judged = chain.judge(core.data(), rows, work, control);
                QVERIFY2(std::abs(judged.squared - squared) <= 1e-11 * squared, c.name);
                QVERIFY(std::abs(judged.absolute - absolute) <= 1e-11 * absolute);
                QVERIFY(std::abs(judged.products - products) <= 1e-11 * (squared + std::abs(products)));
            }
        }
    }

    void stopsSoon()
    {
        const std::vector<Index> dims{30, 3000, 3000};
        const SparseTensor tensor = test::skewedTensor(dims, 400000, 0, 6);
        const Setting<float> setting(dims, {2, 64, 64});
        RunControl building;
        ttm::TreeChain<float> chain(tensor, 0, setting.ranks, building);
        const double enough = test::onAllProcessors(test::longestStop);
        const test::Stopped stopped = test::bestStopAfter(0.05, enough, [&](RunControl& control) {
            ttm::ThreadWork work = workFor<float>(dims, setting.ranks);
            Array<float> out(chain.rows() * chain.width());
            for (;;)
                chain.compute(setting.rows, 0, chain.rows(), out.data(), chain.width(), work, control);
        });
        QVERIFY(stopped.early);
        QVERIFY2(stopped.processorSeconds < enough, qPrintable(QString::number(stopped.processorSeconds)));
    }

private:
    template <class T>
    static Array<T> computed(ttm::TreeChain<T>& chain, const Setting<T>& setting, Count begin, Count end, const std::vector<Index>& dims)
    {
        RunControl control;
        ttm::ThreadWork work = workFor<T>(dims, setting.ranks);
        Array<T> out((end - begin) * chain.width());
        std::fill(out.begin(), out.end(), T(1e30));
        chain.compute(setting.rows, begin, end, out.data(), chain.width(), work, control);
        return out;
    }

    /// Relative to the largest element of the row; rows that should not be there are infinitely far off.
    template <class T> static double largestDifference(ttm::TreeChain<T>& chain, const SparseTensor& tensor, const Setting<T>& setting)
    {
        const auto expected = plainly(tensor, setting.factors, chain.modeOrder(), chain.width());
        const Array<T> found = computed(chain, setting, 0, chain.rows(), tensor.dims());
        double most = chain.rows() == expected.size() ? 0 : INFINITY;
        Count row = 0;
        for (const auto& [slice, numbers] : expected) {
            double size = 0, difference = slice == chain.slice(row) ? 0 : INFINITY;
            for (std::uint64_t c = 0; c < chain.width(); ++c) {
                size = std::max(size, std::abs(numbers[c]));
                difference = std::max(difference, std::abs(double(found[row * chain.width() + c]) - numbers[c]));
            }
            most = std::max(most, difference / std::max(size, 1e-3));
            ++row;
        }
        return most;
    }

    template <class T> static void compare(const Case& c)
    {
        const SparseTensor tensor = test::skewedTensor(c.dims, c.entries, c.shareOfFirst, 5, std::is_same_v<T, double>);
        const Setting<T> setting(c.dims, c.ranks);
        RunControl control;
        for (unsigned mode = 0; mode < c.dims.size(); ++mode) {
            ttm::TreeChain<T> chain(tensor, mode, setting.ranks, control);
            QCOMPARE(chain.modeOrder().front(), mode);
            const double most = largestDifference(chain, tensor, setting);
            // Terms of a sum cancel: its rounding is that of the largest partial sum, some square root of their number above the sum.
            const double allowed = 10 * std::sqrt(double(c.entries)) * test::tolerance<T>(std::sqrt(double(c.entries)));
            QVERIFY2(most <= allowed, qPrintable(QStringLiteral("mode %1: off by %2, allowed %3").arg(mode).arg(most).arg(allowed)));
        }
    }
};

QTEST_GUILESS_MAIN(TtmChainTest)
#include "tst_ttm_chain.moc"
