// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "kernels/base/error.h"
#include "kernels/base/run.h"
#include "kernels/telemetry/telemetry.h"
#include "kernels/tensor/synthetic.h"

#include <algorithm>
#include <cmath>

using namespace kernels;

/// Each source of the chain on a real device, busy and idle.
class CudaTelemetryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sourceSeesABusyGpu_data();
    void sourceSeesABusyGpu();
    void sourceMayBeOpenedAgain();
    void countersTakenBySomebodyElseAreRefusedWithTheReason();
};

namespace {

SyntheticProblem problem()
{
    SyntheticSpec spec;
    spec.dims = {4000, 3000, 2000};
    spec.entries = 4'000'000;
    spec.rank = 4;
    spec.coreRank = 4;
    spec.keepDuplicates = true;
    return generate(spec);
}

/// Two seconds of work on GPU 0.
void keepBusy(const SparseTensor& tensor)
{
    RunConfig c;
    c.devices = {DeviceId{DeviceKind::Cuda, 0}};
    c.ranks = {64};
    c.stopping.iterations = 1'000'000;
    c.stopping.tolerance = 0;
    c.stopping.secondsLimit = 2;
    RunObserver observer;
    RunControl control;
    run(c, tensor, nullptr, observer, control);
}

telemetry::Sampler::Opener opener(const DeviceInfo& info, const std::string& source)
{
    return [=](std::vector<std::string>& refusals) { return telemetry::openSource(info, source, &refusals); };
}

/// Waits until the source is open or was refused.
bool settled(const telemetry::Sampler& sampler) { return !sampler.info().id.empty() || !sampler.lostReason().empty(); }

} // namespace

void CudaTelemetryTest::sourceSeesABusyGpu_data()
{
    QTest::addColumn<unsigned>("perSecond"); // at least, on a machine that is busy with other things too
    QTest::newRow("cupti-pm") << 80U;
    QTest::newRow("nvml-gpm") << 4U;
    QTest::newRow("nvml-utilisation") << 4U;
}

void CudaTelemetryTest::sourceSeesABusyGpu()
{
    POLYAD_NEEDS_GPU();
    QFETCH(unsigned, perSecond);
    const std::string id = QTest::currentDataTag();
    const DeviceInfo info = device(DeviceId{DeviceKind::Cuda, 0});
    const SyntheticProblem data = problem();
    telemetry::Sampler sampler(opener(info, id));
    QTRY_VERIFY(settled(sampler));
    if (sampler.info().id != id)
        QSKIP(sampler.refusals().front().c_str());
    QCOMPARE(sampler.info().deviceUuid, info.uuid);
    QVERIFY(sampler.info().deviceWide);
    std::uint64_t cursor = 0;
    sampler.samplesSince(cursor);
    const double begin = sampler.now();
    keepBusy(data.train);
    const double seconds = sampler.now() - begin;
    const auto samples = sampler.samplesSince(cursor);
    QVERIFY2(sampler.lostReason().empty(), sampler.lostReason().c_str());
    QVERIFY2(double(samples.size()) >= perSecond * seconds * 0.8, qPrintable(QString::number(samples.size())));
    float busiest = 0;
    std::uint64_t memory = 0;
    double last = -1e300;
    for (const telemetry::Sample& sample : samples) {
        QVERIFY(sample.seconds > last - 0.02); // in order, up to the moment of reading
        last = sample.seconds;
        if (std::isfinite(sample.smPercent)) {
            QVERIFY(sample.smPercent >= 0 && sample.smPercent <= 100);
            busiest = std::max(busiest, sample.smPercent);
        }
        memory = std::max(memory, sample.memoryBytes);
    }
    qInfo("%s: %zu samples in %.2f s, busiest %.1f %%, metric %s", id.c_str(), samples.size(), seconds, double(busiest),
          sampler.info().metric.c_str());
    QVERIFY2(busiest > 20, qPrintable(QString::number(double(busiest))));
    QVERIFY(memory > data.train.bytes());
}

void CudaTelemetryTest::sourceMayBeOpenedAgain()
{
    POLYAD_NEEDS_GPU();
    const DeviceInfo info = device(DeviceId{DeviceKind::Cuda, 0});
    std::string first;
    for (int i = 0; i < 3; ++i) {
        std::vector<std::string> refusals;
        const auto source = telemetry::openSource(info, "auto", &refusals);
        QVERIFY(source);
        if (i == 0)
            first = source->info().id;
        QCOMPARE(source->info().id, first);
    }
}

void CudaTelemetryTest::countersTakenBySomebodyElseAreRefusedWithTheReason()
{
    POLYAD_NEEDS_GPU();
    const DeviceInfo info = device(DeviceId{DeviceKind::Cuda, 0});
    const auto holder = telemetry::openSource(info, "cupti-pm");
    if (holder->info().id != "cupti-pm")
        QSKIP("CUPTI's counters cannot be had here");
    std::vector<std::string> refusals;
    const auto second = telemetry::openSource(info, "cupti-pm", &refusals);
    QVERIFY(second->info().id != "cupti-pm"); // the next of the chain
    QVERIFY(!refusals.empty());
    QVERIFY2(refusals.front().starts_with("CUPTI PM sampling: "), refusals.front().c_str());
    qInfo("%s", refusals.front().c_str());
}

QTEST_GUILESS_MAIN(CudaTelemetryTest)
#include "tst_cuda_telemetry.moc"
