// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/registry.h"
#include "support/ntf_online_problems.h"

using namespace kernels;
using namespace test::ntf;
using kernels::ntf::OnlineModel;
using kernels::ntf::OnlineReport;

namespace {

/// A rank that fits noise, and entries to tell it by.
struct Noisy {
    SparseTensor train, judges, held;
    RunConfig config = configOf(Divergence::KullbackLeibler, 8, 60);
    OnlineModel model;

    Noisy()
    {
        const SparseTensor all = noisyEntries(plantedParts({40, 30, 20}, 3, 21, 1.2), 6000, Divergence::KullbackLeibler, 22);
        Array<Count> parts[3];
        for (Count e = 0; e < all.entries(); ++e) {
            const double u = random::uniform(5, 5, e);
            parts[u < 0.6 ? 0 : u < 0.8 ? 1 : 2].push_back(e);
        }
        train = gather(all, parts[0]);
        judges = gather(all, parts[1]);
        held = gather(all, parts[2]);
        model = onlineModel(test::runOn(config, train), train);
    }
};

bool sameFactors(const Model& a, const Model& b)
{
    return std::equal(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
                      [](const Matrix& x, const Matrix& y) { return x.data == y.data; });
}

/// 9 × 8 × 7, and a run on it.
struct Small {
    SparseTensor tensor = positiveTensor({9, 8, 7}, 300, 3);
    RunResult run = test::runOn(configOf(Divergence::KullbackLeibler, 4, 5), tensor);
    OnlineModel model = onlineModel(run, tensor);
    Count visitsOfPass = tensor.entries() * tensor.order();

    /// Test entries that no pass can tell better.
    SparseTensor asItIs() const
    {
        SparseTensor test = tensor;
        const Predictor predictor(model.model);
        for (Count e = 0; e < test.entries(); ++e)
            test.setValue(e, predictor(std::array{test.indices[0][e], test.indices[1][e], test.indices[2][e]}));
        return test;
    }
};

} // namespace

/// Passes over all entries of a model that has learnt, and what the run's test entries make of them.
class NtfPassesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A pass from eased rows, one from rows as they were, and the sums; progress ends where the sums begin.
    void bothBeginningsAreTried()
    {
        const Small small;
        const SparseTensor test = small.asItIs();
        OnlineModel model = small.model;
        RunControl control;
        Progress progress;
        const OnlineReport report = kernels::ntf::refresh(model, small.run.config, small.tensor, {3, &test, &progress}, control);
        QCOMPARE(report.passes, 0u);
        QCOMPARE(report.visited, 3 * small.visitsOfPass);
        QCOMPARE(progress.total(), std::uint64_t{12});
        QCOMPARE(progress.done(), std::uint64_t{9});
        QVERIFY(sameFactors(model.model, small.model.model));
    }

    /// Rows that fitted noise tell entries better that nobody has seen when they are eased first.
    void easedRowsFitLessNoise()
    {
        const Noisy noisy;
        RunControl control;
        OnlineModel eased = noisy.model, plain = noisy.model;
        const OnlineReport report = kernels::ntf::refresh(eased, noisy.config, noisy.train, {1, &noisy.judges}, control);
        kernels::ntf::refresh(plain, noisy.config, noisy.train, {1}, control);
        QCOMPARE(report.passes, 1u);
        QCOMPARE(report.visited, 2 * noisy.train.entries() * 3); // its first attempt, and the sums
        const double with = rmseOf(eased.model, noisy.held), without = rmseOf(plain.model, noisy.held);
        QVERIFY2(with < 0.99 * without, qPrintable(QStringLiteral("eased %1, plain %2").arg(with).arg(without)));
    }

    /// The pass that is worse leaves the rows of the best one, and their sums.
    void theBestPassStays()
    {
        const Noisy noisy;
        RunControl control;
        OnlineModel many = noisy.model, best = noisy.model;
        const OnlineReport report = kernels::ntf::refresh(many, noisy.config, noisy.train, {100, &noisy.judges}, control);
        QVERIFY(report.passes >= 1 && report.passes < 100);
        QCOMPARE(report.visited, (report.passes + 2) * noisy.train.entries() * 3); // one in vain, and the sums
        kernels::ntf::refresh(best, noisy.config, noisy.train, {report.passes, &noisy.judges}, control);
        QVERIFY(!sameFactors(many.model, noisy.model.model));
        QVERIFY(sameFactors(many.model, best.model));
        QVERIFY(many.kept.at("numerator_1").data == best.kept.at("numerator_1").data);
    }

    /// Nothing is known of them: easing does not make them up.
    void rowsOfZerosStay()
    {
        Noisy noisy;
        for (unsigned r = 0; r < 8; ++r)
            noisy.model.model.factors[1].set(3, r, 0);
        RunControl control;
        const OnlineReport report = kernels::ntf::refresh(noisy.model, noisy.config, noisy.train, {1, &noisy.judges}, control);
        QCOMPARE(report.passes, 1u);
        QCOMPARE(report.visited, 2 * noisy.train.entries() * 3); // of eased rows
        for (unsigned r = 0; r < 8; ++r)
            QCOMPARE(noisy.model.model.factors[1].at(3, r), 0.0);
    }

    /// What is no number is no better.
    void aPassThatNobodyCanJudgeIsUndone()
    {
        const Small small;
        for (const double value : {double(NAN), double(INFINITY)}) {
            SparseTensor test = small.tensor;
            test.setValue(7, value);
            OnlineModel model = small.model;
            RunControl control;
            QCOMPARE(kernels::ntf::refresh(model, small.run.config, small.tensor, {3, &test}, control).passes, 0u);
            QVERIFY(sameFactors(model.model, small.model.model));
        }
    }

    /// Beside what a back end takes there are copies of rows.
    void copiesOfRowsAreAskedFor()
    {
        const Small small;
        const SparseTensor& tensor = small.tensor;
        RunConfig config = small.run.config;
        const ProblemShape shape{tensor.dims(), tensor.entries(), 0, tensor.hasDoubleValues() ? 8U : 4U};
        const std::uint64_t ofBackEnd = algorithm("ntf").estimateMemory(config, shape).hostBytes, sums = 2 * 9 * 4 * sizeof(double),
                            rows = (9 + 8 + 7) * 4 * sizeof(double); // sums: of the longest mode
        OnlineModel model = small.model;
        RunControl control;
        config.memoryLimit = ofBackEnd + sums + 3 * rows;
        QVERIFY_EXCEPTION_THROWN(kernels::ntf::refresh(model, config, tensor, {1}, control), OutOfMemory);
        config.memoryLimit = ofBackEnd + sums + 4 * rows;
        QCOMPARE(kernels::ntf::refresh(model, config, tensor, {1}, control).passes, 1u);
    }
};

QTEST_GUILESS_MAIN(NtfPassesTest)
#include "tst_ntf_passes.moc"
