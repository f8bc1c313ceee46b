// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/base/stopwatch.h"
#include "support/ntf_groups.h"

#include <QtTest>

#include <chrono>
#include <cmath>
#include <thread>

using namespace kernels;
using test::ntf::alike;
using test::ntf::GroupShape;
using test::ntf::groupShapes;
using test::ntf::positiveTensor;

namespace {

struct Setting {
    const char* format = "runs";
    Precision precision = Precision::Fp64;
    unsigned rank = 3;
    unsigned threads = 2;
    const char* start = "random";
    std::int64_t evaluateEvery = 1;
    bool deterministic = false;
};

/// Of so many ranks on the CPU.
RunConfig configOf(const Setting& setting, std::size_t ranks, const std::vector<Index>& dims)
{
    RunConfig config;
    config.algorithm = "cp-als";
    config.format = setting.format;
    config.precision = setting.precision;
    config.ranks = {setting.rank};
    config.threads = setting.threads;
    config.deterministic = setting.deterministic;
    config.parameters = {{"start", std::string(setting.start)}, {"evaluate-every", setting.evaluateEvery}, {"ridge", 1e-3}};
    config = resolve(config, dims);
    config.devices.assign(ranks, DeviceId{});
    return config;
}

/// A solver, and the config it refers to.
struct Prepared {
    Prepared(RunConfig of, const SparseTensor& train, const SparseTensor* held)
        : config(std::make_unique<RunConfig>(std::move(of)))
        , solver(algorithm("cp-als").makeSolver({*config, train, held}))
    {
        RunControl control;
        solver->prepare(control);
    }
    Solver* operator->() const { return solver.get(); }
    Solver* get() const { return solver.get(); }

    std::unique_ptr<RunConfig> config;
    std::unique_ptr<Solver> solver;
};

Prepared prepared(const RunConfig& config, const SparseTensor& train, const SparseTensor* held = nullptr) { return {config, train, held}; }

/// The largest difference of two models' factors and weights.
double apart(const Model& one, const Model& other)
{
    double most = test::ntf::farthest(test::ntf::factorsOf(one), test::ntf::factorsOf(other));
    for (std::size_t r = 0; r < one.weights.size(); ++r)
        most = std::max(most, std::abs(one.weights[r] - other.weights[r]));
    return most;
}

/// Nothing where sweeps and what they are told to be worth are the same up to a rounding.
QString difference(const Setting& setting, std::size_t ranks, const SparseTensor& train, const SparseTensor* held, double tolerance)
{
    const auto one = prepared(configOf(setting, 1, train.dims()), train, held),
               several = prepared(configOf(setting, ranks, train.dims()), train, held);
    RunControl control;
    for (unsigned t = 0; t < 4; ++t) {
        if (one->iterate(t, control).nonzeros != several->iterate(t, control).nonzeros)
            return QStringLiteral("other entries");
        const Quality found = several->evaluate(control), expected = one->evaluate(control);
        const auto other = [&](double there, double here) {
            return !(std::isnan(here) && std::isnan(there)) && !alike(there, here, tolerance);
        };
        if (found.train.count != expected.train.count || other(found.train.rmse(), expected.train.rmse())
            || other(found.train.mae(), expected.train.mae()) || found.test.count != expected.test.count
            || other(found.test.rmse(), expected.test.rmse()) || other(found.fit, expected.fit)
            || !(std::abs(found.objective - expected.objective) <= tolerance * (1 + double(train.entries()))))
            return QStringLiteral("sweep %1 is worth another").arg(t + 1);
        if (const double off = apart(several->model(Snapshot::Latest), one->model(Snapshot::Latest)); !(off <= tolerance))
            return QStringLiteral("sweep %1: factors are %2 apart").arg(t + 1).arg(off);
        one->rememberBest();
        several->rememberBest();
    }
    if (const double off = apart(several->model(Snapshot::Best), one->model(Snapshot::Best)); !(off <= tolerance))
        return QStringLiteral("the best are %1 apart").arg(off);
    return {};
}

} // namespace

/// Several ranks are one device, up to rounding.
class CpAlsGroupTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void severalAreOne_data()
    {
        QTest::addColumn<std::size_t>("shape");
        for (std::size_t i = 0; i < groupShapes().size(); ++i)
            QTest::newRow(groupShapes()[i].name) << i;
    }
    void severalAreOne()
    {
        QFETCH(std::size_t, shape);
        const GroupShape of = groupShapes()[shape];
        const SparseTensor train = positiveTensor(of.dims, of.entries, 41, false, of.shareOfFirst), held = positiveTensor(of.dims, 7, 42);
        Setting nvecs, rarely, narrow, singles;
        nvecs.start = "nvecs";
        rarely.evaluateEvery = 100;
        narrow.rank = 1;
        singles.precision = Precision::Fp32;
        for (const std::size_t count : {2, 3, 4, 6}) {
            for (const char* const format : {"runs", "csf", "coo", "blco", "auto"}) {
                Setting setting;
                setting.format = format;
                const QString problem = difference(setting, count, train, &held, 1e-10);
                QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("%1, %2 ranks: %3").arg(format).arg(count).arg(problem)));
            }
            for (const Setting& setting : {nvecs, rarely, narrow}) {
                const QString problem = difference(setting, count, train, nullptr, 1e-10);
                QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("%1 ranks: %2").arg(count).arg(problem)));
            }
            if (of.shareOfFirst != 0.1)
                continue; // equations of few entries make more of single precision's roundings
            const QString problem = difference(singles, count, train, &held, 2e-2);
            QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("fp32, %1 ranks: %2").arg(count).arg(problem)));
        }
    }

    /// The same bits, whichever thread came first.
    void twoRunsAreTheSame()
    {
        const SparseTensor train = positiveTensor({40, 30, 20}, 3000, 43);
        Setting setting;
        setting.format = "auto";
        setting.precision = Precision::Fp32;
        setting.rank = 9;
        setting.threads = 8;
        setting.deterministic = true;
        for (const std::size_t count : {3, 4}) {
            const auto first = prepared(configOf(setting, count, train.dims()), train),
                       second = prepared(configOf(setting, count, train.dims()), train);
            RunControl control;
            for (unsigned t = 0; t < 4; ++t) {
                first->iterate(t, control);
                second->iterate(t, control);
                QCOMPARE(first->evaluate(control).objective, second->evaluate(control).objective);
            }
            QCOMPARE(apart(first->model(Snapshot::Latest), second->model(Snapshot::Latest)), 0.0);
        }
    }

    /// A run that goes on where another stopped is the run that did not stop; also where that was with another number of ranks.
    void aRunGoesOnWithOtherRanks()
    {
        const SparseTensor train = positiveTensor({13, 11, 9}, 400, 44);
        const auto from = prepared(configOf({}, 3, train.dims()), train), same = prepared(configOf({}, 3, train.dims()), train),
                   other = prepared(configOf({}, 4, train.dims()), train), one = prepared(configOf({}, 1, train.dims()), train);
        RunControl control;
        from->iterate(0, control);
        from->iterate(1, control);
        for (const auto& to : {same.get(), other.get(), one.get()}) {
            to->restoreState(from->saveState(), control);
            QCOMPARE(apart(to->model(Snapshot::Latest), from->model(Snapshot::Latest)), 0.0);
        }
        from->iterate(2, control);
        for (const auto& to : {same.get(), other.get(), one.get()}) {
            to->iterate(2, control);
            QVERIFY(apart(to->model(Snapshot::Latest), from->model(Snapshot::Latest)) <= (to == same.get() ? 0.0 : 1e-11));
        }
    }

    /// In the middle of a sweep, wherever each of the ranks is then; nobody waits for one that left.
    void aStopEndsAllRanks()
    {
        const SparseTensor train = positiveTensor({300, 200, 100}, 60000, 45);
        Setting setting;
        setting.rank = 64;
        setting.threads = 4;
        const auto solver = prepared(configOf(setting, 4, train.dims()), train);
        for (const int afterMs : {0, 20, 50, 90}) {
            RunControl control;
            std::chrono::steady_clock::time_point asked;
            std::thread person([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(afterMs));
                control.pause();
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                control.resume();
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                asked = std::chrono::steady_clock::now();
                control.stop();
            });
            const auto goOn = [&] {
                for (unsigned t = 0;; ++t) {
                    solver->iterate(t, control);
                    solver->evaluate(control);
                }
            };
            QVERIFY_EXCEPTION_THROWN(goOn(), Cancelled);
            const auto ended = std::chrono::steady_clock::now();
            person.join();
            QVERIFY(ended - asked < std::chrono::milliseconds(500));
        }
        RunControl control; // what was left is still a model that sweeps go on from
        solver->iterate(1, control);
        QVERIFY(std::isfinite(solver->evaluate(control).fit));
    }

    void memoryIsEstimated()
    {
        const SparseTensor train = positiveTensor({3000, 2000, 100}, 60000, 46), held = positiveTensor({3000, 2000, 100}, 6000, 47);
        for (const char* const format : {"runs", "coo", "auto"})
            for (const std::size_t count : {2, 4, 6}) {
                Setting setting;
                setting.format = format;
                setting.precision = Precision::Fp32;
                setting.rank = 24;
                setting.threads = 4;
                const RunConfig config = configOf(setting, count, train.dims());
                const auto told =
                    double(algorithm("cp-als").estimateMemory(config, {train.dims(), train.entries(), held.entries(), 8}).hostBytes);
                const std::uint64_t before = ArrayMemory::now();
                ArrayMemory::restartPeak();
                const auto solver = prepared(config, train, &held);
                RunControl control;
                solver->iterate(0, control);
                solver->rememberBest();
                QCOMPARE(solver->model(Snapshot::Best).factors.size(), std::size_t{3});
                QVERIFY(!solver->saveState().empty());
                const double taken = double(ArrayMemory::peak() - before);
                QVERIFY2(taken <= told && told < 4 * taken && double(solver->memoryUse().hostBytes) <= told,
                         qPrintable(QStringLiteral("%1, %2 ranks: %3 taken, %4 told").arg(format).arg(count).arg(taken).arg(told)));
            }
    }

    void whatAutoTookIsTold()
    {
        const SparseTensor train = positiveTensor({40, 30, 20}, 3000, 48);
        Setting setting;
        setting.format = "auto";
        setting.deterministic = true;
        QCOMPARE(prepared(configOf(setting, 4, train.dims()), train)->variantNote(), std::string("in the format runs, which auto took"));
        setting.format = "csf";
        QCOMPARE(prepared(configOf(setting, 4, train.dims()), train)->variantNote(), std::string());
    }
};

QTEST_GUILESS_MAIN(CpAlsGroupTest)
#include "tst_cp_als_group.moc"
