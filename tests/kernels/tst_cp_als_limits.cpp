// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/operations/mttkrp/plan.h"
#include "support/cp_als_textbook.h"
#include "support/runs.h"
#include "support/stopping.h"

#include <QtTest>

#include <cmath>

using namespace kernels;

/// Memory, stops, and what is refused.
class CpAlsLimitsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStopIsHonouredWhileEquationsAreSolved_data() { test::addCpAlsRows("runs"); }
    void aStopIsHonouredWhileEquationsAreSolved();
    void memoryOnTheDeviceIsPromisedWithinATenth_data() { test::addCpAlsRows(); }
    void memoryOnTheDeviceIsPromisedWithinATenth();
    void theLimitOnTheDeviceIsKept_data() { test::addCpAlsRows(); }
    void theLimitOnTheDeviceIsKept();
    void automaticTakesWhatTheLimitAllows_data() { test::addCpAlsRows("auto"); }
    void automaticTakesWhatTheLimitAllows();
    void whatDoesNotFitTheGpuIsStreamed_data();
    void whatDoesNotFitTheGpuIsStreamed();
    void whatHasOtherBitsEveryTimeIsNoDeterministicRun_data() { test::addCpAlsRows(); }
    void whatHasOtherBitsEveryTimeIsNoDeterministicRun();
    void tensorCoresAreRefusedToTheCpu();

private:
    static MemoryUse estimateOf(const RunConfig& config, const ProblemShape& shape)
    {
        return algorithm("cp-als").estimateMemory(config, shape);
    }
};

/// 1000 terms of a tensor that has far fewer: eigenvectors of all of them, which take seconds.
void CpAlsLimitsTest::aStopIsHonouredWhileEquationsAreSolved()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = test::sorted(test::randomTensor({6, 5, 4}, 60, 3, true));
    RunConfig config = row.config();
    config.ranks = {1000};
    config = resolve(config, tensor.dims());
    const auto solver = algorithm("cp-als").makeSolver({config, tensor, nullptr});
    RunControl control;
    solver->prepare(control);
    const double most = test::onAllProcessors(test::longestStop);
    const test::Stopped stopped = test::bestStopAfter(0.1, most, [&](RunControl& own) { solver->iterate(1, own); });
    QVERIFY2(stopped.early && stopped.processorSeconds < most, qPrintable(QString::number(stopped.processorSeconds)));
}

/// Where bytes of entries, format and factors are far more than what a driver rounds up. How many nodes a tree has is not known
/// before it is built: the most there can be are an eighth more here, in trees of mixed modes half as many again.
void CpAlsLimitsTest::memoryOnTheDeviceIsPromisedWithinATenth()
{
    QFETCH(test::DeviceRow, row);
    if (row.device.kind == DeviceKind::Cpu)
        QSKIP("the CPU's is held by the contract");
    if (row.format == "auto")
        QSKIP("promises the most of what it may choose");
    const SparseTensor tensor = test::sorted(test::randomTensor({400'000, 200'000, 3000}, 3'000'000, 3, row.doubles()));
    for (const unsigned rank : {16u, 70u}) {
        RunConfig config = row.config();
        config.ranks = {rank};
        test::fixIterations(config, 1);
        config = resolve(config, tensor.dims());
        const double promised = double(algorithm("cp-als").estimateMemory(config, {tensor.dims(), tensor.entries(), 0}).deviceBytes);
        const double taken = double(test::runOn(config, tensor).memory.deviceBytes);
        const double most = (row.format == "mmcsf" ? 1.5 : QString::fromStdString(row.format).contains("csf") ? 1.25 : 1.1) * taken;
        QVERIFY2(taken <= promised && promised <= most, qPrintable(QString("took %1, promised %2").arg(taken).arg(promised)));
    }
}

void CpAlsLimitsTest::theLimitOnTheDeviceIsKept()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = test::sorted(test::randomTensor({600, 200, 50}, 4000, 10));
    RunConfig config = row.config();
    config.ranks = {16};
    test::fixIterations(config, 1);
    const MemoryUse promised = algorithm("cp-als").estimateMemory(resolve(config, tensor.dims()), {tensor.dims(), tensor.entries(), 0});
    const std::uint64_t bytes = row.device.kind == DeviceKind::Cpu ? promised.hostBytes : promised.deviceBytes;
    config.memoryLimit = bytes;
    QCOMPARE(test::runOn(config, tensor).history.size(), std::size_t{1});
    config.memoryLimit = bytes - 1;
    const bool canDoWithLess = row.format == "auto" || (row.device.kind == DeviceKind::Cuda && row.format == mttkrp::streamingId);
    if (canDoWithLess) {
        QVERIFY(test::runOn(config, tensor).memory.deviceBytes < bytes);
        config.memoryLimit = 60'000; // the factors alone take more
    }
    try {
        test::runOn(config, tensor);
        QFAIL("took more than it may");
    } catch (const OutOfMemory& error) {
        QVERIFY(canDoWithLess ? error.bytesNeeded() < bytes : error.bytesNeeded() == bytes);
        QCOMPARE(error.bytesFree(), config.memoryLimit);
        QVERIFY(QString(error.what()).contains("memory limit"));
    }
}

/// What coo takes is too little for the others.
void CpAlsLimitsTest::automaticTakesWhatTheLimitAllows()
{
    QFETCH(test::DeviceRow, row);
    const SparseTensor tensor = test::sorted(test::randomTensor({300, 200, 50}, 60'000, 10, row.doubles()));
    const ProblemShape shape{tensor.dims(), tensor.entries(), 0, row.doubles() ? 8U : 4U};
    RunConfig config = row.config();
    config.ranks = {16};
    test::fixIterations(config, 1);
    config.format = "coo";
    config = resolve(config, tensor.dims());
    const bool onCpu = row.device.kind == DeviceKind::Cpu;
    const MemoryUse coo = estimateOf(config, shape);
    config.memoryLimit = onCpu ? coo.hostBytes : coo.deviceBytes;
    config.format = "auto";
    const auto solver = algorithm("cp-als").makeSolver({config, tensor, nullptr});
    RunControl control;
    const std::uint64_t before = ArrayMemory::now();
    ArrayMemory::restartPeak();
    solver->prepare(control);
    solver->iterate(0, control);
    QVERIFY2(QString::fromStdString(solver->variantNote()).contains("in the format coo"), solver->variantNote().c_str());
    QVERIFY(onCpu ? ArrayMemory::peak() - before <= config.memoryLimit : solver->memoryUse().deviceBytes <= config.memoryLimit);
}

void CpAlsLimitsTest::whatDoesNotFitTheGpuIsStreamed_data()
{
    QTest::addColumn<test::DeviceRow>("row");
    QTest::addColumn<bool>("blocks");
    for (const test::DeviceRow& row : test::cpAlsRows())
        for (const bool blocks : {false, true})
            if (row.format == mttkrp::streamingId || row.format == "auto")
                QTest::addRow("%s, %s", row.name().c_str(), blocks ? "blocks" : "one word") << row << blocks;
}

/// As a run does that has all of them there, test entries and what follows a stop included.
void CpAlsLimitsTest::whatDoesNotFitTheGpuIsStreamed()
{
    QFETCH(test::DeviceRow, row);
    QFETCH(bool, blocks);
    if (row.device.kind == DeviceKind::Cpu)
        QSKIP("streams nothing");
    const std::vector<Index> dims = blocks ? std::vector<Index>{70'000, 2, 90'000, 100'000, 300'000} : std::vector<Index>{600, 50, 7000};
    const SparseTensor tensor = test::sorted(test::randomTensor(dims, 300'001, 5, row.doubles()));
    const SparseTensor held = test::sorted(test::randomTensor(dims, 50'000, 6, row.doubles()));
    const ProblemShape shape{dims, tensor.entries(), held.entries(), row.doubles() ? 8U : 4U};
    RunConfig config = row.config();
    config.ranks = {12};
    config = resolve(config, dims);
    RunControl control;
    const auto resident = algorithm("cp-als").makeSolver({config, tensor, &held});
    resident->prepare(control);
    QVERIFY(!QString::fromStdString(resident->variantNote()).contains("streamed"));
    RunConfig coo = config, limited = config;
    coo.format = "coo";
    const std::uint64_t entryBytes = (tensor.entries() + held.entries()) * (dims.size() * sizeof(Index) + (row.doubles() ? 8 : 4));
    limited.memoryLimit = estimateOf(coo, shape).deviceBytes - entryBytes / 2;
    const MemoryUse promised = estimateOf(limited, shape);
    QVERIFY(promised.deviceBytes <= limited.memoryLimit && promised.hostBytes > (tensor.entries() + held.entries()) * 12);
    const auto streamed = algorithm("cp-als").makeSolver({limited, tensor, &held});
    streamed->prepare(control);
    QVERIFY2(QString::fromStdString(streamed->variantNote()).contains("streamed through the GPU"), streamed->variantNote().c_str());
    const double tolerance = row.doubles() ? 1e-9 : 1e-4;
    for (unsigned t = 0; t < 3; ++t) {
        RunControl stopped;
        stopped.stop();
        QVERIFY_EXCEPTION_THROWN(streamed->evaluate(stopped), Cancelled);
        resident->iterate(t, control);
        streamed->iterate(t, control);
        const Quality expected = resident->evaluate(control), found = streamed->evaluate(control);
        QCOMPARE(found.train.count, tensor.entries());
        QCOMPARE(found.test.count, held.entries());
        QVERIFY2(std::abs(found.fit - expected.fit) < tolerance, qPrintable(QString("%1 in place of %2").arg(found.fit).arg(expected.fit)));
        QVERIFY(std::abs(found.train.rmse() - expected.train.rmse()) < tolerance * expected.train.rmse());
        QVERIFY(std::abs(found.test.rmse() - expected.test.rmse()) < tolerance * expected.test.rmse());
    }
    const MemoryUse taken = streamed->memoryUse();
    QVERIFY2(taken.deviceBytes <= promised.deviceBytes && taken.hostBytes <= promised.hostBytes && taken.hostBytes > 0,
             qPrintable(QString("took %1, promised %2").arg(taken.deviceBytes).arg(promised.deviceBytes)));
    RunControl stopped;
    const std::uint64_t asked = control.checkpoints();
    streamed->iterate(3, control);
    QVERIFY(control.checkpoints() - asked > 3 * dims.size()); // once a piece
    stopped.stop();
    QVERIFY_EXCEPTION_THROWN(streamed->iterate(4, stopped), Cancelled);
    QVERIFY(streamed->evaluate(control).train.rmse() > 0);
}

void CpAlsLimitsTest::whatHasOtherBitsEveryTimeIsNoDeterministicRun()
{
    QFETCH(test::DeviceRow, row);
    RunConfig config = row.config();
    config.deterministic = true;
    QString refusal;
    try {
        resolve(config, {5, 5, 5});
    } catch (const Error& error) {
        refusal = error.what();
    }
    QCOMPARE(refusal.isEmpty(), mttkrp::promisesBits(row.format, row.device.kind));
    QVERIFY2(refusal.isEmpty() || refusal.contains("runs"), qPrintable(refusal));
}

void CpAlsLimitsTest::tensorCoresAreRefusedToTheCpu()
{
    const Support support = algorithm("cp-als").supports({"als", "runs", Precision::Tf32, DeviceId{}});
    QVERIFY(QString::fromStdString(support.reason).contains("tensor cores"));
}

QTEST_GUILESS_MAIN(CpAlsLimitsTest)
#include "tst_cp_als_limits.moc"
