// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/device/device_list.h"
#include "kernels/formats/runs.h"
#include "kernels/operations/mttkrp/automatic.h"
#include "kernels/operations/mttkrp/back_end.h"
#include "kernels/tensor/sort.h"
#include "support/fibre_trees.h"
#include "support/stopping.h"

#include <QtTest>

#include <cmath>
#include <map>

using namespace kernels;
using namespace kernels::mttkrp;

namespace {

struct Problem {
    std::string name;
    SparseTensor tensor;
    unsigned rank = 16;
};

SparseTensor withHeavySlice(SparseTensor tensor, unsigned mode, Index index)
{
    for (Count e = 0; e < tensor.entries(); ++e)
        if (e % 5 != 0)
            tensor.indices[mode][e] = index;
    return tensor;
}

/// What is awkward for some format, and sizes at which tasks, slabs and blocks are cut.
std::vector<Problem> problems()
{
    std::vector<Problem> all;
    const auto holdsFactors = [](const SparseTensor& tensor) {
        const std::vector<Index> dims = tensor.dims();
        return std::all_of(dims.begin(), dims.end(), [](Index size) { return size < 1'000'000; });
    };
    for (auto& [name, tensor] : test::awkwardTensors())
        if (holdsFactors(tensor))
            all.push_back({name, std::move(tensor), 5});
    for (unsigned order = 2; order <= 10; ++order)
        all.push_back({"order " + std::to_string(order), test::randomTensor(test::dimsOfOrder(order), 3000, order), 7});
    all.push_back({"order 16", test::randomTensor(std::vector<Index>(16, 3), 500, 16), 5});
    for (const unsigned rank : {1u, 2u, 4u, 8u, 16u, 17u, 32u, 33u, 64u, 100u, 130u, 256u})
        all.push_back({"rank " + std::to_string(rank), test::randomTensor({40, 300, 25}, 4001, rank, rank % 2 == 0), rank});
    all.push_back({"rank 1024", test::randomTensor({9, 31, 7}, 500, 3), 1024});
    const SparseTensor large = test::randomTensor({600, 50, 700}, 40'001, 9);
    all.push_back({"many tasks", large, 16});
    all.push_back({"a heavy slice", withHeavySlice(large, 0, 17), 16});
    all.push_back({"a heavy fibre", withHeavySlice(withHeavySlice(large, 0, 17), 1, 3), 12});
    all.push_back({"two rows", test::randomTensor({2, 900, 800}, 20'000, 4), 8});
    all.push_back({"wide records", test::randomTensor({300'000, 500'000, 40, 90'000}, 9'000, 5), 3});
    all.push_back({"loose records", test::randomTensor({70'000, 90'000, 40'000, 30'000, 20'000}, 5'000, 6), 3});
    all.push_back({"blocks", test::randomTensor({12, 100'000, 15}, 30'000, 7), 64});
    return all;
}

const std::vector<Problem>& allProblems()
{
    static const std::vector<Problem> all = problems();
    return all;
}

std::vector<Matrix> factorsFor(const Problem& problem, bool doubles)
{
    std::vector<Matrix> factors;
    for (unsigned n = 0; n < problem.tensor.order(); ++n)
        factors.push_back(test::randomMatrix(problem.tensor.modes[n].size, problem.rank, 20 + n, doubles));
    return factors;
}

/// By the definition, in fp64, and what the sums' terms come to in absolute value.
struct Plain {
    std::map<Index, std::vector<double>> sums, sizes; ///< of rows that have entries
};

Plain computePlainly(const SparseTensor& tensor, const std::vector<Matrix>& factors, unsigned mode)
{
    Plain plain;
    const std::size_t rank = factors[0].columns;
    for (Count e = 0; e < tensor.entries(); ++e) {
        std::vector<double>& sum = plain.sums[tensor.indices[mode][e]];
        std::vector<double>& size = plain.sizes[tensor.indices[mode][e]];
        sum.resize(rank);
        size.resize(rank);
        for (std::size_t r = 0; r < rank; ++r) {
            double term = tensor.value(e);
            for (unsigned n = 0; n < tensor.order(); ++n)
                if (n != mode)
                    term *= factors[n].at(tensor.indices[n][e], r);
            sum[r] += term;
            size[r] += std::abs(term);
        }
    }
    return plain;
}

/// The largest difference, in units of what rounding of that precision may do to a sum of such terms.
double distance(const Matrix& found, const Plain& plain)
{
    const double epsilon = found.hasDoubles() ? 0x1p-52 : 0x1p-23;
    double worst = 0;
    for (Index i = 0; i < found.rows; ++i) {
        const auto row = plain.sums.find(i);
        for (std::size_t r = 0; r < found.columns; ++r) {
            const double expected = row == plain.sums.end() ? 0 : row->second[r];
            const double size = row == plain.sums.end() ? 0 : plain.sizes.at(i)[r];
            const double off = std::abs(found.at(i, r) - expected);
            worst = std::max(worst, off == 0 ? 0 : size == 0 ? 1e30 : std::isnan(off) ? 1e30 : off / (size * epsilon));
        }
    }
    return worst;
}

} // namespace

class MttkrpTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheDefinition_data();
    void agreesWithTheDefinition();
    void hasTheSameBitsForAnyNumberOfThreads_data();
    void hasTheSameBitsForAnyNumberOfThreads();
    void runsHoldTheEntries_data();
    void runsHoldTheEntries();
    void runsTakeWhatTheyPromise();
    void noFormatIsLargerThanPromised();
    void promisesAreCloseWhereFibresAreShort();
    void sizesBeyondAFreeBitAreToldNotBuilt();
    void unknownFormatsAreRefused();
    void automaticTakesWhatFits();
    void whatDoesNotFitStreams();
    void automaticKeepsTheFasterAndSkipsWhatCannotBeBuilt();
    void stopsWhenAsked();
    void stopsInTheMiddle_data();
    void stopsInTheMiddle();
};

void MttkrpTest::agreesWithTheDefinition_data()
{
    QTest::addColumn<std::size_t>("problem");
    QTest::addColumn<bool>("doubles");
    for (std::size_t p = 0; p < allProblems().size(); ++p)
        for (const bool doubles : {false, true})
            QTest::addRow("%s, %s", allProblems()[p].name.c_str(), doubles ? "fp64" : "fp32") << p << doubles;
}

void MttkrpTest::agreesWithTheDefinition()
{
    QFETCH(std::size_t, problem);
    QFETCH(bool, doubles);
    const Problem& p = allProblems()[problem];
    const std::vector<Matrix> factors = factorsFor(p, doubles);
    std::vector<Plain> plain;
    for (unsigned mode = 0; mode < p.tensor.order(); ++mode)
        plain.push_back(computePlainly(p.tensor, factors, mode));
    RunControl control;
    for (const DeviceInfo& device : devices()) {
        if (!device.problem.empty())
            continue;
        const auto mttkrp = makeMttkrp(doubles ? Precision::Fp64 : Precision::Fp32, device.id);
        for (const bool deterministic : {false, true}) {
            mttkrp->load(p.tensor, factors, {p.rank, deterministic}, control);
            for (const std::string& format : mttkrp->formats()) {
                if (deterministic && !mttkrp::promisesBits(format, device.id.kind))
                    continue;
                mttkrp->build(format, control);
                for (const unsigned again : {0u, 1u})
                    for (unsigned mode = 0; mode < p.tensor.order(); ++mode) {
                        mttkrp->compute(mode, control);
                        const double off = distance(mttkrp->result(), plain[mode]);
                        QVERIFY2(off < 16,
                                 qPrintable(QString("%1 on %2, mode %3, time %4: off by %5 roundings")
                                                .arg(format.c_str(), toString(device.id).c_str())
                                                .arg(mode)
                                                .arg(again)
                                                .arg(off)));
                    }
            }
        }
    }
}

void MttkrpTest::hasTheSameBitsForAnyNumberOfThreads_data()
{
    QTest::addColumn<QString>("format");
    for (const std::string& format : cpuFormats())
        QTest::addRow("%s", format.c_str()) << QString::fromStdString(format);
}

void MttkrpTest::hasTheSameBitsForAnyNumberOfThreads()
{
    QFETCH(QString, format);
    const Problem problem{"", withHeavySlice(test::randomTensor({300, 2000, 30}, 60'000, 2), 2, 4), 20};
    const std::vector<Matrix> factors = factorsFor(problem, false);
    const auto results = [&](int threads) {
        return test::withThreads(threads, [&] {
            RunControl control;
            const auto mttkrp = makeMttkrp(Precision::Fp32, {});
            mttkrp->load(problem.tensor, factors, {problem.rank, true}, control); // auto then times nothing
            mttkrp->build(format.toStdString(), control);
            std::vector<Matrix> all;
            for (unsigned mode = 0; mode < problem.tensor.order(); ++mode) {
                mttkrp->compute(mode, control);
                all.push_back(mttkrp->result());
            }
            return all;
        });
    };
    const auto one = results(1), three = results(3);
    for (unsigned mode = 0; mode < problem.tensor.order(); ++mode)
        QVERIFY(one[mode].data == three[mode].data);
}

void MttkrpTest::runsHoldTheEntries_data()
{
    QTest::addColumn<std::size_t>("problem");
    for (std::size_t p = 0; p < allProblems().size(); ++p)
        QTest::addRow("%s", allProblems()[p].name.c_str()) << p;
}

/// Every entry once, rows ascending inside a block, and as many blocks as the plan says.
void MttkrpTest::runsHoldTheEntries()
{
    QFETCH(std::size_t, problem);
    SparseTensor tensor = allProblems()[problem].tensor;
    sortLexicographically(tensor);
    RunControl control;
    for (unsigned mode = 0; mode < tensor.order(); ++mode)
        for (const formats::RunsCaches caches : {formats::RunsCaches{0, 0}, {3, 0}, {40'000, 0}, {40'000, 20}, {100, 5}}) {
            formats::RunsPlan plan = formats::planRuns(tensor.dims(), mode, tensor.entries(), caches);
            if (caches.near > 0)
                plan.places = {4, 64};
            const auto copy = formats::buildRuns<double>(tensor, plan, control);
            QCOMPARE(copy.blockBegins.size(), std::size_t{plan.blocks} + 1);
            for (const Count begin : copy.blockBegins)
                QVERIFY(begin % formats::runsAlignment == 0);
            SparseTensor back = formats::toCoo(copy, tensor.dims());
            for (Count e = 1; e < back.entries(); ++e) {
                const auto block = [&](Count entry) {
                    return plan.key.block(plan.key.of(back.indices[mode][entry], back.indices[plan.others[0]][entry],
                                                      back.indices[plan.secondMode()][entry]));
                };
                QVERIFY(block(e) > block(e - 1) || (block(e) == block(e - 1) && back.indices[mode][e] >= back.indices[mode][e - 1]));
            }
            sortLexicographically(back);
            QVERIFY(back.indices == tensor.indices);
        }
}

/// Estimates before anything is built are never too small, and not far too large.
void MttkrpTest::runsTakeWhatTheyPromise()
{
    RunControl control;
    const SparseTensor tensor = test::randomTensor({400, 90'000, 30}, 300'000, 8);
    for (unsigned mode = 0; mode < 3; ++mode)
        for (const formats::RunsCaches caches : {formats::RunsCaches{0, 0}, {9'000, 0}, {90'000, 10}}) {
            const formats::RunsPlan plan = formats::planRuns(tensor.dims(), mode, tensor.entries(), caches);
            const std::uint64_t kept = formats::runsBytes(plan, tensor.dims(), tensor.entries(), 4);
            const std::uint64_t most = formats::runsBuildBytes(plan, tensor.dims(), tensor.entries(), 4);
            ArrayMemory::restartPeak();
            const std::uint64_t before = ArrayMemory::now();
            const auto copy = formats::buildRuns<float>(tensor, plan, control);
            const std::uint64_t taken = ArrayMemory::peak() - before;
            QVERIFY2(copy.bytes() <= kept && static_cast<double>(kept) <= 1.1 * static_cast<double>(copy.bytes()),
                     qPrintable(QString("%1 of %2 promised").arg(copy.bytes()).arg(kept)));
            QVERIFY2(taken <= most && static_cast<double>(most) <= 1.1 * static_cast<double>(taken),
                     qPrintable(QString("%1 of %2 promised").arg(taken).arg(most)));
        }
}

/// What sorted copies and trees of the entries take.
void MttkrpTest::noFormatIsLargerThanPromised()
{
    RunControl control;
    for (const DeviceInfo& device : devices()) {
        if (!device.problem.empty())
            continue;
        const auto mttkrp = makeMttkrp(Precision::Fp32, device.id);
        for (const Problem& p : allProblems()) {
            if (p.tensor.entries() == 0)
                continue; // some have a few pointers even then
            const Settings settings{p.rank};
            const ProblemShape shape{p.tensor.dims(), p.tensor.entries(), 0, p.tensor.hasDoubleValues() ? 8U : 4U};
            mttkrp->load(p.tensor, factorsFor(p, false), settings, control);
            for (const std::string& format : mttkrp->formats()) {
                if (format == "coo" || format == "flycoo" || format == "auto")
                    continue;
                mttkrp->build(format, control);
                const FormatBytes promised = bytesOn(device.id.kind, format, shape, settings, 4);
                QVERIFY2(mttkrp->formatBytes() <= promised.kept && promised.kept <= promised.most,
                         qPrintable(QString("%1 of %2: %3 of %4 promised")
                                        .arg(format.c_str(), p.name.c_str())
                                        .arg(mttkrp->formatBytes())
                                        .arg(promised.kept)));
            }
        }
    }
}

void MttkrpTest::promisesAreCloseWhereFibresAreShort()
{
    RunControl control;
    const Problem p{"", test::randomTensor({400, 90'000, 8'000}, 300'000, 8), 16};
    for (const DeviceInfo& device : devices()) {
        if (!device.problem.empty())
            continue;
        const auto mttkrp = makeMttkrp(Precision::Fp32, device.id);
        mttkrp->load(p.tensor, factorsFor(p, false), {p.rank}, control);
        for (const std::string format : {"csf", "bcsf", "mmcsf", "runs"}) {
            mttkrp->build(format, control);
            const FormatBytes promised = bytesOn(device.id.kind, format, {p.tensor.dims(), p.tensor.entries(), 0, 4}, {p.rank}, 4);
            QVERIFY2(static_cast<double>(promised.kept) <= 1.1 * static_cast<double>(mttkrp->formatBytes()),
                     qPrintable(QString("%1: %2 of %3 promised").arg(format.c_str()).arg(mttkrp->formatBytes()).arg(promised.kept)));
        }
    }
}

void MttkrpTest::sizesBeyondAFreeBitAreToldNotBuilt()
{
    constexpr Index most = 4'000'000'000;
    const SparseTensor tensor = test::randomTensor({most, most, most}, 20, 1);
    QVERIFY(tensorFormat("runs").bytes({tensor.dims(), tensor.entries(), 0, 4}, 4) > 0);
    RunControl control;
    const formats::RunsPlan plan = formats::planRuns(tensor.dims(), 0, tensor.entries(), {});
    QVERIFY_EXCEPTION_THROWN(formats::buildRuns<float>(tensor, plan, control), Error);
}

void MttkrpTest::unknownFormatsAreRefused()
{
    RunControl control;
    const SparseTensor tensor = test::randomTensor({3, 4, 5}, 20, 1);
    const auto mttkrp = makeMttkrp(Precision::Fp32, {});
    mttkrp->load(tensor, factorsFor({"", tensor, 4}, false), {4}, control);
    try {
        mttkrp->build("cfs", control);
        QFAIL("took a format that is not there");
    } catch (const Error& error) {
        QVERIFY(QString(error.what()).contains("cfs") && QString(error.what()).contains("runs, coo, csf"));
    }
}

void MttkrpTest::automaticTakesWhatFits()
{
    const ProblemShape shape{{5000, 4000, 3000}, 1'000'000, 0, 4};
    for (const DeviceKind kind : {DeviceKind::Cpu, DeviceKind::Cuda}) {
        const Plan roomy = planFor(kind, "auto", shape, {16}, 4, {});
        QCOMPARE(roomy.formats.front(), std::string("runs"));
        QVERIFY(roomy.automatic && roomy.tried == 2);
        const std::uint64_t runs = planFor(kind, "runs", shape, {16}, 4, {}).bytes;
        QVERIFY(runs < roomy.bytes); // two at once
        const Plan one = planFor(kind, "auto", shape, {16}, 4, {runs});
        QVERIFY(one.formats.front() == "runs" && one.bytes == runs);
        QVERIFY(planFor(kind, "auto", shape, {16}, 4, {runs - 1}).formats.front() != "runs");
        QVERIFY(planFor(kind, "auto", shape, {16}, 4, {runs, 1000'000'000}).formats.front() != "runs"); // others need their part
        QCOMPARE(planFor(kind, "auto", shape, {16, true}, 4, {}).tried, 1u);
        for (std::uint64_t room = runs; room > 1'000'000; room = room * 9 / 10) {
            const Plan plan = planFor(kind, "auto", shape, {16}, 4, {room});
            QVERIFY2(plan.bytes <= room, qPrintable(QString("%1 of %2 for %3").arg(plan.bytes).arg(room).arg(plan.formats[0].c_str())));
            QCOMPARE(plan.streamed, kind == DeviceKind::Cuda && room < planFor(kind, "coo", shape, {16}, 4, {}).bytes);
        }
    }
    QCOMPARE(planFor(DeviceKind::Cpu, "auto", shape, {16}, 4, {0}).formats, std::vector<std::string>{"coo"});
    const ProblemShape large{{5000, 4000, 3000}, 50'000'000, 0, 4};
    QCOMPARE(planFor(DeviceKind::Cpu, "auto", large, {16}, 4, {}).tried, 1u); // building takes seconds there
    const ProblemShape nearlyDense{{100, 90, 80, 70}, 12'000'000, 0, 4}; // trees come into question there
    QCOMPARE(planFor(DeviceKind::Cuda, "auto", nearlyDense, {16}, 4, {}).formats[1], std::string("bcsf"));
    QCOMPARE(planFor(DeviceKind::Cuda, "auto", large, {16}, 4, {}).formats[1], std::string("blco"));
}

void MttkrpTest::whatDoesNotFitStreams()
{
    const ProblemShape shape{{5000, 4000, 3000}, 1'000'000, 0, 4};
    const std::uint64_t entries = 16'000'000, beside = 100'000, megabyte = 1'000'000;
    const Plan whole = planFor(DeviceKind::Cuda, "blco", shape, {16}, 4, {8 * entries, beside});
    QVERIFY(!whole.streamed && whole.bytes > entries && whole.hostBytes == 0);
    const Plan streamed = planFor(DeviceKind::Cuda, "blco", shape, {16}, 4, {entries, beside});
    QVERIFY(streamed.streamed && !streamed.automatic && streamed.bytes <= entries && streamed.bytes > beside);
    QVERIFY(streamed.hostBytes >= shape.trainEntries * 12);
    ProblemShape tested = shape;
    tested.testEntries = 200'000; // these stream, too
    const Plan both = planFor(DeviceKind::Cuda, "blco", tested, {16}, 4, {megabyte, beside});
    QVERIFY(both.streamed && both.bytes <= megabyte && both.pieceRoom < megabyte / 2);
    QVERIFY(both.hostBytes > streamed.hostBytes);
    QVERIFY(planFor(DeviceKind::Cuda, "blco", shape, {16}, 4, {beside, beside}).bytes > beside); // not even a piece
    for (const std::string format : {"runs", "coo", "csf"}) {
        const Plan refused = planFor(DeviceKind::Cuda, format, shape, {16}, 4, {megabyte});
        QVERIFY(!refused.streamed && refused.bytes > megabyte && refused.formats == std::vector<std::string>{format});
    }
    const Plan sameBits = planFor(DeviceKind::Cuda, "auto", shape, {16, true}, 4, {megabyte}); // streams add in no certain order
    QVERIFY(!sameBits.streamed && sameBits.bytes > megabyte);
    QVERIFY(!planFor(DeviceKind::Cpu, "blco", shape, {16}, 4, {megabyte}).streamed);
}

namespace {

/// Costs what it is told to, and computes nothing.
struct Costing final : Operation<float> {
    explicit Costing(double cost)
        : seconds(cost)
    {
    }
    void compute(unsigned, const Factors<float>&, float*, RunControl&) override { }
    std::uint64_t bytes() const override { return 0; }
    double seconds;
};

} // namespace

void MttkrpTest::automaticKeepsTheFasterAndSkipsWhatCannotBeBuilt()
{
    const std::map<std::string, double> costs{{"slow", 3}, {"fast", 1}, {"never tried", 0}};
    const auto planOf = [](std::vector<std::string> formats, unsigned tried) {
        Plan plan;
        plan.formats = std::move(formats);
        plan.tried = tried;
        return plan;
    };
    const auto chosen = [&](std::vector<std::string> formats, unsigned tried) {
        return makeAutomatic<float>(
                   planOf(std::move(formats), tried),
                   [&](const std::string& format) -> std::unique_ptr<Operation<float>> {
                       if (format == "broken")
                           throw Error(ErrorKind::BadArgument, "not for this tensor");
                       return std::make_unique<Costing>(costs.at(format));
                   },
                   [](Operation<float>& operation) { return static_cast<Costing&>(operation).seconds; })
            ->chosen();
    };
    QCOMPARE(chosen({"slow", "fast", "never tried"}, 2), std::string("fast"));
    QCOMPARE(chosen({"fast", "slow"}, 2), std::string("fast"));
    QCOMPARE(chosen({"slow", "fast"}, 1), std::string("slow"));
    QCOMPARE(chosen({"broken", "slow", "broken", "fast"}, 2), std::string("fast"));
    QVERIFY_EXCEPTION_THROWN(chosen({"broken"}, 1), Error);
    const auto noRoomToTry = makeAutomatic<float>(
        planOf({"first", "second"}, 2), [](const std::string&) { return std::make_unique<Costing>(1); },
        [](Operation<float>&) -> double { throw OutOfMemory("the CPU", 2, 1, ""); });
    QCOMPARE(noRoomToTry->chosen(), std::string("first"));
}

void MttkrpTest::stopsWhenAsked()
{
    const Problem problem{"", test::randomTensor({300, 200, 100}, 100'000, 2), 16};
    for (const std::string& format : cpuFormats()) {
        RunControl control;
        const auto mttkrp = makeMttkrp(Precision::Fp32, {});
        mttkrp->load(problem.tensor, factorsFor(problem, false), {problem.rank}, control);
        mttkrp->build(format, control);
        control.stop();
        QVERIFY_EXCEPTION_THROWN(mttkrp->compute(0, control), Cancelled);
    }
}

void MttkrpTest::stopsInTheMiddle_data() { hasTheSameBitsForAnyNumberOfThreads_data(); }

/// However few tasks there are: these entries are one of hicoo's, flycoo has them in one partition.
void MttkrpTest::stopsInTheMiddle()
{
    QFETCH(QString, format);
    static const Problem problem{"", test::randomTensor(std::vector<Index>(6, 50), 4096, 2), 32'000};
    static const std::vector<Matrix> factors = factorsFor(problem, false);
    RunControl control;
    const auto mttkrp = makeMttkrp(Precision::Fp32, {});
    mttkrp->load(problem.tensor, factors, {.rank = problem.rank, .deterministic = true, .partitions = 1}, control);
    mttkrp->build(format.toStdString(), control);
    double begin = 0, whole = 0;
    for (int pass = 0; pass < 2; ++pass) { // the first one also makes room for what it needs
        begin = test::processorSeconds();
        mttkrp->compute(0, control);
        whole = test::processorSeconds() - begin;
    }
    const test::Stopped stopped = test::bestStopAfter(whole / 4, whole / 4, [&](RunControl& own) { mttkrp->compute(0, own); });
    QVERIFY2(stopped.early && stopped.processorSeconds < whole / 4,
             qPrintable(QString("%1 of %2 s%3").arg(stopped.processorSeconds).arg(whole).arg(stopped.early ? "" : ", to the end")));
}

QTEST_GUILESS_MAIN(MttkrpTest)
#include "tst_mttkrp.moc"
