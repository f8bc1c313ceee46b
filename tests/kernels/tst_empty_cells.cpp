// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/tensor/empty_cells.h"
#include "kernels/tensor/sort.h"
#include "kernels/tensor/split.h"
#include "kernels/tensor/synthetic.h"
#include "support/ntf_problems.h"
#include "support/random_tensor.h"

#include <QtTest>

#include <cmath>
#include <functional>

using namespace kernels;
using Reason = EmptyCellsAdvice::Reason;

namespace {

double u(Count e, unsigned stream = 0) { return random::uniform(9, stream, e); }

SparseTensor withValues(Count entries, const std::function<double(Count)>& value)
{
    SparseTensor tensor({1000, 1000}, entries, true);
    for (Count e = 0; e < entries; ++e)
        tensor.setValue(e, value(e));
    return tensor;
}

} // namespace

class EmptyCellsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatTheValuesSay_data()
    {
        using Value = std::function<double(Count)>;
        QTest::addColumn<Value>("value");
        QTest::addColumn<EmptyCells>("meaning");
        QTest::addColumn<Reason>("reason");
        const auto row = [](const char* name, Reason reason, Value value) {
            QTest::newRow(name) << value << (reason == Reason::Counts ? EmptyCells::Zero : EmptyCells::Unknown) << reason;
        };
        row("every value 1", Reason::Counts, [](Count) { return 1.0; });
        row("small counts", Reason::Counts, [](Count e) { return std::max(1.0, test::ntf::poisson(0.7, u(e))); });
        row("counts with a long tail", Reason::Counts, [](Count e) { return std::floor(std::pow(u(e), -0.7)); });
        row("counts of dozens", Reason::Counts, [](Count e) { return 1 + std::floor(-60 * std::log(u(e))); });
        row("a sum that vanished", Reason::Counts, [](Count e) { return e == 1000 ? 0 : std::floor(std::pow(u(e), -0.7)); });
        row("counts and zeros", Reason::StoredZeros, [](Count e) { return test::ntf::poisson(2, u(e)); });
        row("whether there is something", Reason::StoredZeros, [](Count e) { return u(e) < 0.3 ? 1.0 : 0.0; });
        row("whole numbers far from zero", Reason::FarFromZero, [](Count e) { return test::ntf::poisson(200, u(e)); });
        row("ratings", Reason::Ratings, [](Count e) { return std::min(5.0, 1 + std::floor(1 + 2 * (u(e) + u(e, 1)))); });
        row("ratings, most of them low", Reason::Ratings, [](Count e) { return 1 + std::floor(5 * std::pow(u(e), 2.5)); });
        row("ratings by halves", Reason::Ratings, [](Count e) { return 0.5 + std::floor(10 * u(e)) / 2; });
        row("per cents", Reason::Measured, [](Count e) { return std::floor(101 * u(e)); });
        row("means", Reason::Measured, [](Count e) { return 3 + u(e); });
        row("decades", Reason::Measured, [](Count e) { return std::pow(10, 6 * u(e)); });
        row("delays in minutes", Reason::Negative, [](Count e) { return std::floor(-15 - 30 * std::log(u(e))); });
    }
    void whatTheValuesSay()
    {
        QFETCH(std::function<double(Count)>, value);
        QFETCH(EmptyCells, meaning);
        QFETCH(Reason, reason);
        for (const Count entries : {Count{2000}, Count{200000}}) {
            const EmptyCellsAdvice advice = adviseEmptyCells(withValues(entries, value));
            QCOMPARE(int(advice.reason), int(reason));
            QVERIFY(advice.meaning == meaning);
        }
    }

    void valuesLookedAtAreTold()
    {
        const EmptyCellsAdvice ratings = adviseEmptyCells(withValues(1000, [](Count e) { return 0.5 + std::floor(10 * u(e)) / 2; }));
        QCOMPARE(ratings.lowest, 0.5);
        QCOMPARE(ratings.highest, 5.0);
        QVERIFY(adviseEmptyCells(SparseTensor({3, 3}, 0)).meaning == EmptyCells::Unsaid);
    }

    void fullTensorsHaveNone()
    {
        QVERIFY(hasEmptyCells(SparseTensor({3, 3}, 8)));
        QVERIFY(!hasEmptyCells(SparseTensor({3, 3}, 9)));
    }

    void copiesKeepTheMeaning()
    {
        SparseTensor tensor = test::randomTensor({30, 40}, 200, 1);
        tensor.emptyCells = EmptyCells::Zero;
        sortLexicographically(tensor);
        mergeDuplicates(tensor, Duplicates::Sum);
        QVERIFY(tensor.emptyCells == EmptyCells::Zero);
        QVERIFY(gather(tensor, Array<Count>{0, 2}).emptyCells == EmptyCells::Zero);
        const Split split = splitRandom(tensor, 0.2, 3);
        QVERIFY(split.train.emptyCells == EmptyCells::Zero);
        QVERIFY(split.test.emptyCells == EmptyCells::Zero);
    }

    void generatedTensorsSayIt()
    {
        QVERIFY(generatePreset("netflix-like", 1e-5, 1).train.emptyCells == EmptyCells::Unknown);
        QVERIFY(generatePreset("netflix-like", 1e-5, 1).test.emptyCells == EmptyCells::Unknown);
        QVERIFY(generatePreset("counts-like", 1e-3, 1).train.emptyCells
                == EmptyCells::Unknown); // cells were drawn, counts are not 0 elsewhere
        QVERIFY(generatePreset("vast-like", 1e-5, 1).train.emptyCells == EmptyCells::Zero);
        SyntheticSpec spec;
        spec.dims = {20, 20, 20};
        spec.entries = 100;
        spec.testEntries = 10;
        const SyntheticProblem problem = generate(spec);
        QVERIFY(problem.train.emptyCells == EmptyCells::Unknown);
        QVERIFY(problem.test.emptyCells == EmptyCells::Unknown);
    }

    void algorithmsSayWhichCellsTheyFit_data()
    {
        QTest::addColumn<bool>("fitsZeros");
        for (const char* id : {"cp-als", "tucker-hooi"})
            QTest::newRow(id) << true;
        for (const char* id : {"fasttucker-plus", "fasttucker", "fastertucker", "cp-completion-als", "cp-ccd", "cp-sgd", "ntf",
                               "tucker-als", "tucker-sgd", "tucker-ccd"})
            QTest::newRow(id) << false;
        QCOMPARE(algorithms().size(), std::size_t{12});
    }
    void algorithmsSayWhichCellsTheyFit()
    {
        QFETCH(const bool, fitsZeros);
        const AlgorithmInfo& info = algorithm(QTest::currentDataTag());
        QCOMPARE(info.fits(EmptyCells::Zero), fitsZeros);
        QCOMPARE(info.fits(EmptyCells::Unknown), !fitsZeros);
        QVERIFY(info.fits(EmptyCells::Unsaid));
    }

    void namesAreReadBack()
    {
        for (const EmptyCells each : {EmptyCells::Zero, EmptyCells::Unknown})
            QVERIFY(emptyCellsFromString(toString(each)) == each);
        QVERIFY(!emptyCellsFromString("unsaid") && !emptyCellsFromString(""));
        QCOMPARE(toString(EmptyCells::Unsaid), std::string_view("unsaid"));
    }
};

QTEST_GUILESS_MAIN(EmptyCellsTest)
#include "tst_empty_cells.moc"
