// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_update.h"
#include "gpu.h"
#include "kernels/algorithms/ntf/online.h"
#include "kernels/base/progress.h"
#include "support/ntf_cases.h"
#include "support/ntf_online_problems.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace kernels;
using namespace test::ntf;
using kernels::ntf::OnlineModel;
using kernels::ntf::OnlineReport;
using kernels::ntf::OnlineRule;

namespace {

RunConfig onGpu(RunConfig config)
{
    config.devices = {DeviceId{DeviceKind::Cuda, 0}};
    return config;
}

/// Old entries and what comes then, in rows that the old ones have and in one more slice of the last mode. The last row of every mode stays
/// empty.
struct Shape {
    const char* name;
    std::vector<Index> dims; ///< of all
    Count entries;
    unsigned rank;
    double shareOfFirst = 0.1;
};

const Shape shapes[] = {{"order 2", {13, 11}, 90, 5},
                        {"order 3", {13, 11, 9}, 400, 5},
                        {"order 3, rank 33", {13, 11, 9}, 400, 33},
                        {"order 5", {13, 11, 9, 5, 4}, 500, 6},
                        {"order 10", {5, 4, 3, 3, 4, 3, 3, 3, 3, 4}, 300, 3},
                        {"a giant slice", {13, 11, 9}, 6000, 9, 0.95},
                        {"mostly empty slices", {500, 400, 300}, 60, 4}};

struct Problem {
    RunConfig config;
    SparseTensor all, fresh, test;
    OnlineModel model; ///< of entries before the last slice but one

    Problem(const Shape& shape, const Case& c, Precision precision)
        : config(configOf(c, shape.rank, precision))
    {
        const bool zeros = c.divergence != Divergence::ItakuraSaito;
        all = positiveTensor(shape.dims, shape.entries, 3, zeros, shape.shareOfFirst);
        test = positiveTensor(shape.dims, shape.entries / 5, 4, zeros);
        Array<Count> first, later;
        for (Count e = 0; e < all.entries(); ++e)
            (e % 10 == 0 || all.indices.back()[e] + 2 == shape.dims.back() ? later : first).push_back(e);
        fresh = gather(all, later);
        const SparseTensor before = upToNow(gather(all, first));
        test::fixIterations(config, 3);
        model = onlineModel(test::runOn(config, before), before);
    }
};

/// Sums of some hundred products that nothing is taken from, and some tens of multiplications by them one after another. Three ranks of the
/// CPU, which add in another order, are up to 2e-5 from one in fp32 and below 1e-12 in fp64; the bounds are some fifty times that.
double toleranceOf(Precision precision) { return precision == Precision::Fp64 ? 1e-10 : 1e-3; }

bool alike(double one, double other, double tolerance, double floor = 0)
{
    if (std::isnan(one) || std::isnan(other)) // not measured
        return std::isnan(one) && std::isnan(other);
    return std::abs(one - other) <= tolerance * (std::abs(other) + floor);
}

QString difference(const std::string& name, const Matrix& one, const Matrix& other, double tolerance)
{
    if (one.rows != other.rows || one.columns != other.columns) // types may differ where a number is too small for floats
        return QStringLiteral("%1 has another shape").arg(QString::fromStdString(name));
    double size = 0;
    for (std::size_t i = 0; i < other.rows * other.columns; ++i)
        size = std::max(size, std::abs(other.at(i / other.columns, i % other.columns)));
    for (std::size_t i = 0; i < one.rows; ++i)
        for (std::size_t r = 0; r < one.columns; ++r)
            if (!alike(one.at(i, r), other.at(i, r), tolerance, 1e-6 * size))
                return QStringLiteral("%1, row %2, column %3: %4 beside %5, of %6")
                    .arg(QString::fromStdString(name))
                    .arg(i)
                    .arg(r)
                    .arg(one.at(i, r), 0, 'g', 12)
                    .arg(other.at(i, r), 0, 'g', 12)
                    .arg(size);
    return {};
}

QString difference(const OnlineModel& one, const OnlineModel& other, double tolerance)
{
    if (one.model.dims != other.model.dims || one.kept.size() != other.kept.size())
        return QStringLiteral("other dims or sums");
    for (unsigned n = 0; n < one.model.order(); ++n)
        if (const QString found = difference("factor " + std::to_string(n), one.model.factors[n], other.model.factors[n], tolerance);
            !found.isEmpty())
            return found;
    for (const auto& [name, matrix] : other.kept)
        if (const QString found =
                one.kept.contains(name) ? difference(name, one.kept.at(name), matrix, tolerance) : QString::fromStdString("no " + name);
            !found.isEmpty())
            return found;
    return {};
}

QString difference(const OnlineReport& one, const OnlineReport& other, double tolerance)
{
    if (one.visited != other.visited || one.passes != other.passes || one.newRows != other.newRows)
        return QStringLiteral("%1 entries visited in %2 passes beside %3 in %4")
            .arg(one.visited)
            .arg(one.passes)
            .arg(other.visited)
            .arg(other.passes);
    const auto near = [&](double a, double b) { return alike(a, b, tolerance, 1e-3); }; // values are about 1, and some are met
    if (!near(one.before.rmse(), other.before.rmse()) || !near(one.after.rmse(), other.after.rmse())
        || !near(one.after.mae(), other.after.mae()) || !near(one.divergence, other.divergence))
        return QStringLiteral("other errors: %1 beside %2").arg(one.after.rmse(), 0, 'g', 12).arg(other.after.rmse(), 0, 'g', 12);
    return {};
}

bool areSame(const OnlineModel& one, const OnlineModel& other)
{
    for (unsigned n = 0; n < one.model.order(); ++n)
        if (one.model.factors[n].data != other.model.factors[n].data)
            return false;
    return one.kept.size() == other.kept.size() && std::all_of(other.kept.begin(), other.kept.end(), [&](const auto& sum) {
               return one.kept.contains(sum.first) && one.kept.at(sum.first).data == sum.second.data;
           });
}

/// Seconds from the stop until work(control) has left; nothing where it had ended before.
template <class Work> std::optional<double> secondsToStop(std::chrono::milliseconds after, const Work& work)
{
    using Clock = std::chrono::steady_clock;
    RunControl control;
    std::atomic<Clock::time_point> asked{Clock::time_point::max()};
    std::thread person([&] {
        std::this_thread::sleep_for(after);
        asked = Clock::now();
        control.stop();
    });
    std::optional<double> seconds;
    try {
        work(control);
    } catch (const Cancelled&) {
        seconds = std::chrono::duration<double>(Clock::now() - asked.load()).count();
    }
    person.join();
    return seconds;
}

/// Entries by the million in a few thousand rows.
SparseTensor manyEntries(const std::vector<Index>& dims, Count entries)
{
    SparseTensor tensor(dims, entries);
    for (Count e = 0; e < entries; ++e) {
        for (unsigned n = 0; n < dims.size(); ++n)
            tensor.indices[n][e] = static_cast<Index>(random::uniform(7, n, e) * dims[n]);
        tensor.setValue(e, 0.5 + random::uniform(7, 9, e));
    }
    return tensor;
}

} // namespace

/// Updates of a model of ntf on a GPU: what the CPU does.
class CudaNtfOnlineTest : public QObject {
    Q_OBJECT

    static void addCases()
    {
        QTest::addColumn<std::size_t>("shape");
        QTest::addColumn<Case>("kind");
        QTest::addColumn<Precision>("precision");
        for (std::size_t s = 0; s < std::size(shapes); ++s)
            for (const Precision precision : {Precision::Fp64, Precision::Fp32})
                for (const Case& c :
                     {Case{Divergence::Euclidean, {0.05, true}, false, 2}, Case{Divergence::Euclidean, {0, false}, true, 1},
                      Case{Divergence::KullbackLeibler, {0.05, true}, false, 2}, Case{Divergence::KullbackLeibler, {0.05, false}, true, 1},
                      Case{Divergence::ItakuraSaito, {0.05, true}, true, 1}, Case{Divergence::ItakuraSaito, {0.05, false}, false, 2}})
                    QTest::addRow("%s, %s, %s", shapes[s].name, toString(precision).data(), qPrintable(nameOf(c))) << s << c << precision;
    }

private Q_SLOTS:
    void batchesAreLearntAlike_data() { addCases(); }
    void batchesAreLearntAlike()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(std::size_t, shape);
        QFETCH(Case, kind);
        QFETCH(Precision, precision);
        const Problem problem(shapes[shape], kind, precision);
        for (const auto& [rule, steps] : {std::pair{OnlineRule::Ours, 3U}, {OnlineRule::Paper, 1U}}) {
            RunControl control;
            OnlineModel cpu = problem.model, gpu = problem.model;
            const OnlineReport expected = kernels::ntf::learn(cpu, problem.config, problem.fresh, {rule, 1.5, steps}, control);
            const OnlineReport found = kernels::ntf::learn(gpu, onGpu(problem.config), problem.fresh, {rule, 1.5, steps}, control);
            const QString models = difference(gpu, cpu, toleranceOf(precision));
            QVERIFY2(models.isEmpty(), qPrintable(models));
            const QString reports = difference(found, expected, toleranceOf(precision));
            QVERIFY2(reports.isEmpty(), qPrintable(reports));
            QVERIFY(expected.newRows.back() > 0 && !areSame(cpu, problem.model));
        }
    }

    void passesAreAlike_data() { addCases(); }
    void passesAreAlike()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(std::size_t, shape);
        QFETCH(Case, kind);
        QFETCH(Precision, precision);
        const Problem problem(shapes[shape], kind, precision);
        RunControl control;
        OnlineModel begun = problem.model;
        kernels::ntf::learn(begun, problem.config, problem.fresh, {OnlineRule::Ours, 1, 2}, control);
        SparseTensor asItIs = problem.all; // no pass tells these better: both ways of beginning are gone
        const Predictor predictor(begun.model);
        for (Count e = 0; e < asItIs.entries(); ++e) {
            std::vector<Index> index;
            for (const Array<Index>& indices : asItIs.indices)
                index.push_back(indices[e]);
            asItIs.setValue(e, predictor(index));
        }
        const auto pass = [&](OnlineModel& model, const RunConfig& config, unsigned most, const SparseTensor* test) {
            return kernels::ntf::refresh(model, config, problem.all, {most, test}, control);
        };
        for (const auto& [most, test] : {std::pair<unsigned, const SparseTensor*>{0, nullptr},
                                         {3, nullptr},
                                         {3, &problem.all}, // better with each
                                         {3, &asItIs}}) {
            OnlineModel cpu = begun, gpu = begun;
            const OnlineReport expected = pass(cpu, problem.config, most, test);
            OnlineReport found = pass(gpu, onGpu(problem.config), most, test);
            if (precision == Precision::Fp32 && test == &problem.all) // at the bottom rounding alone tells one pass from the next
                found.passes = expected.passes;
            const QString models = difference(gpu, cpu, toleranceOf(precision));
            QVERIFY2(models.isEmpty(), qPrintable(models));
            const QString reports = difference(found, expected, toleranceOf(precision));
            QVERIFY2(reports.isEmpty(), qPrintable(reports));
            QVERIFY(test != &asItIs || found.passes == 0);
        }
        const OnlineReport told = kernels::ntf::judge(begun.model, problem.config, problem.test, control);
        const QString judged = difference(kernels::ntf::judge(begun.model, onGpu(problem.config), problem.test, control), told, 1e-5);
        QVERIFY2(judged.isEmpty(), qPrintable(judged));
    }

    /// Two GPU runs give the same bits.
    void passesRepeat()
    {
        POLYAD_NEEDS_GPU();
        const Problem problem(shapes[5], {Divergence::KullbackLeibler, {0.05, true}, false, 2}, Precision::Fp32);
        RunControl control;
        OnlineModel one = problem.model, other = problem.model;
        for (OnlineModel* const model : {&one, &other}) {
            kernels::ntf::learn(*model, onGpu(problem.config), problem.fresh, {OnlineRule::Ours, 1, 2}, control);
            kernels::ntf::refresh(*model, onGpu(problem.config), problem.all, {2, &problem.test}, control);
        }
        QVERIFY(areSame(one, other));
    }

    /// As a person has it: a file, its history and its updates. A batch with so many entries is learnt by the GPU, too.
    void filesAreUpdatedAlike()
    {
        POLYAD_NEEDS_GPU();
        const std::vector<Index> dims{300, 200, 100};
        const SparseTensor first = manyEntries({300, 200, 90}, 200'000), test = manyEntries({300, 200, 90}, 20'000);
        const RunResult run = test::runOn(configOf(Divergence::KullbackLeibler, 8, 5), first);
        io::ModelFile begun;
        begun.model = run.best;
        begun.config = run.config;
        begun.history = run.history;
        begun.input.entries = begun.input.trainEntries = first.entries();
        for (const Index size : run.best.dims)
            begun.modes.push_back({size, {}, {}});
        app::Batch batch{manyEntries(dims, 1'100'000), {0, 0, 10}, "batch.tns", {}};
        std::vector<io::ModelFile> files;
        for (const DeviceId device : {DeviceId{}, DeviceId{DeviceKind::Cuda, 0}}) {
            io::ModelFile file = begun; // without sums: they are taken first
            app::UpdateSettings settings;
            settings.devices = {device};
            app::OldEntries old{first, test, {}};
            RunControl control;
            app::updateModel(file, batch, settings, &old, control);
            files.push_back(std::move(file));
        }
        const QString models = difference(OnlineModel{files[1].model, *files[1].kept}, OnlineModel{files[0].model, *files[0].kept},
                                          toleranceOf(Precision::Fp64));
        QVERIFY2(models.isEmpty(), qPrintable(models));
        const IterationRecord &found = files[1].history.back(), &expected = files[0].history.back();
        QCOMPARE(found.nonzeros, expected.nonzeros);
        for (const auto number : {&IterationRecord::trainRmse, &IterationRecord::trainMae, &IterationRecord::divergence,
                                  &IterationRecord::testRmse, &IterationRecord::testMae})
            QVERIFY(alike(found.*number, expected.*number, 1e-9) && std::isfinite(found.*number));
        QCOMPARE(files[1].updates.back().passes, files[0].updates.back().passes);
        QVERIFY(alike(files[1].updates.back().rmseAfter, files[0].updates.back().rmseAfter, 1e-9));
    }

    void aStopLeavesTheModelWhole()
    {
        POLYAD_NEEDS_GPU();
        const std::vector<Index> dims{4000, 3000, 200};
        const SparseTensor small = manyEntries(dims, 20'000), all = manyEntries(dims, 8'000'000);
        RunConfig config = onGpu(configOf(Divergence::KullbackLeibler, 32, 2, Precision::Fp32));
        config.threads = 0;
        const OnlineModel before = onlineModel(test::runOn(config, small), small);
        constexpr unsigned forLong = 1'000'000;
        for (const int after : {3, 30, 100, 300, 700}) {
            OnlineModel model = before;
            const auto passes = secondsToStop(std::chrono::milliseconds(after),
                                              [&](RunControl& control) { kernels::ntf::refresh(model, config, all, {forLong}, control); });
            QVERIFY(passes.has_value());
            QVERIFY2(*passes < 0.5, qPrintable(QStringLiteral("%1 s after %2 ms").arg(*passes).arg(after)));
            const auto steps = secondsToStop(std::chrono::milliseconds(after), [&](RunControl& control) {
                kernels::ntf::learn(model, config, all, {OnlineRule::Ours, 1, forLong}, control);
            });
            QVERIFY(steps.has_value());
            QVERIFY2(*steps < 0.5, qPrintable(QStringLiteral("%1 s after %2 ms").arg(*steps).arg(after)));
            QVERIFY(areSame(model, before));
        }
    }

    /// One sentence before anything is made; the model stays.
    void memoryIsAskedForFirst()
    {
        POLYAD_NEEDS_GPU();
        const Problem problem(shapes[1], {Divergence::KullbackLeibler, {0, false}, false, 1}, Precision::Fp32);
        RunConfig narrow = onGpu(problem.config), wide = narrow;
        narrow.memoryLimit = 10'000;
        wide.memoryLimit = std::uint64_t{1} << 30;
        RunControl control;
        const auto refused = [&](const auto& act) {
            try {
                act(narrow);
            } catch (const OutOfMemory& error) {
                const std::string text = error.what();
                return text.find("cuda:0") != std::string::npos && text.find('\n') == std::string::npos;
            }
            return false;
        };
        OnlineModel model = problem.model;
        Progress progress;
        const auto learn = [&](const RunConfig& config) { kernels::ntf::learn(model, config, problem.fresh, {}, control); };
        const auto pass = [&](const RunConfig& config) {
            kernels::ntf::refresh(model, config, problem.all, {3, nullptr, &progress}, control);
        };
        QVERIFY(refused(learn));
        QVERIFY(areSame(model, problem.model));
        learn(wide);
        const OnlineModel learnt = model;
        QVERIFY(refused(pass));
        QVERIFY(areSame(model, learnt));
        pass(wide);
        QVERIFY(!areSame(model, learnt));
        QCOMPARE(progress.done(), std::uint64_t{9}); // modes of three passes
    }

    /// What the sanitizers are given (POLYAD_EXPECT_GPU=1 compute-sanitizer … tst_cuda_ntf_online smallOnce).
    void smallOnce()
    {
        POLYAD_NEEDS_GPU();
        for (const Divergence divergence : allDivergences) {
            const Problem problem(shapes[1], {divergence, {0.05, true}, false, 2}, Precision::Fp32);
            RunControl control;
            OnlineModel model = problem.model;
            kernels::ntf::learn(model, onGpu(problem.config), problem.fresh, {OnlineRule::Ours, 1, 2}, control);
            const OnlineReport report = kernels::ntf::refresh(model, onGpu(problem.config), problem.all, {2, &problem.all}, control);
            QVERIFY(std::isfinite(report.divergence) && !model.kept.empty());
        }
    }
};

QTEST_GUILESS_MAIN(CudaNtfOnlineTest)
#include "tst_cuda_ntf_online.moc"
