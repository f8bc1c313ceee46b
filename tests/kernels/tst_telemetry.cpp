// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/telemetry/telemetry.h"

#include <QTest>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace kernels;
using namespace kernels::telemetry;

namespace {

/// Counts its own readings, and fails at a chosen one.
class CountingSource : public Source {
public:
    explicit CountingSource(unsigned failAt = 0, std::atomic<bool>* destroyed = nullptr)
        : m_failAt(failAt)
        , m_destroyed(destroyed)
    {
        m_info.id = "counting";
        m_info.quantity = "readings";
        m_info.intervalMs = 1;
    }
    ~CountingSource() override
    {
        if (m_destroyed)
            *m_destroyed = true;
    }
    const SourceInfo& info() const override { return m_info; }
    std::vector<Sample> read() override
    {
        ++m_reads;
        if (m_failAt && m_reads == m_failAt)
            throw Error(ErrorKind::Device, "the counters were taken away");
        Sample sample;
        sample.smPercent = static_cast<float>(m_reads);
        return {sample};
    }

private:
    SourceInfo m_info;
    unsigned m_failAt;
    unsigned m_reads = 0;
    std::atomic<bool>* m_destroyed;
};

Sampler::Opener counting(unsigned failAt = 0, std::atomic<bool>* destroyed = nullptr)
{
    return [=](std::vector<std::string>&) { return std::make_unique<CountingSource>(failAt, destroyed); };
}

/// Hands out ten samples at a time, as a source does whose hardware collects them.
class BatchSource : public Source {
public:
    BatchSource()
    {
        m_info.id = "batch";
        m_info.intervalMs = 1;
        m_info.readEveryMs = 10;
    }
    const SourceInfo& info() const override { return m_info; }
    std::vector<Sample> read() override
    {
        std::vector<Sample> samples(10);
        for (std::size_t i = 0; i < samples.size(); ++i)
            samples[i].seconds = -0.001 * double(samples.size() - 1 - i);
        return samples;
    }

private:
    SourceInfo m_info;
};

DeviceInfo cpuDevice()
{
    DeviceInfo device;
    device.name = "a CPU";
    return device;
}

} // namespace

class TelemetryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void samplesArriveInOrderAndOnce();
    void lostSourceEndsWithItsReason();
    void destructionStopsTheThread();
    void cpuSourceSeesABusyThread();
    void cudaDeviceWithoutCountersFallsBackToTheCpuAndSaysWhy();
    void countersThatLockOthersOutAreUsedOnlyWhenAskedFor();
    void aChoiceBeginsTheChainThere();
    void samplesOfABatchKeepTheirTimes();
    void aSamplerWithoutASourceSaysWhy();
};

void TelemetryTest::samplesArriveInOrderAndOnce()
{
    Sampler sampler(counting());
    std::vector<Sample> all;
    std::uint64_t cursor = 0;
    QTRY_VERIFY([&] {
        const auto news = sampler.samplesSince(cursor);
        all.insert(all.end(), news.begin(), news.end());
        return all.size() >= 20;
    }());
    QCOMPARE(cursor, std::uint64_t(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        QCOMPARE(all[i].smPercent, float(i + 1)); // every reading once, none left out
        QVERIFY(all[i].seconds >= (i ? all[i - 1].seconds : 0.0));
        QVERIFY(all[i].seconds <= sampler.now());
    }
    QVERIFY(sampler.lostReason().empty());
    std::uint64_t beyond = cursor + 1000000;
    QVERIFY(sampler.samplesSince(beyond).empty());
}

void TelemetryTest::lostSourceEndsWithItsReason()
{
    Sampler sampler(counting(4));
    QTRY_COMPARE(sampler.lostReason(), std::string("the counters were taken away"));
    std::uint64_t cursor = 0;
    QCOMPARE(sampler.samplesSince(cursor).size(), std::size_t(3)); // readings 1 to 3 stay
}

void TelemetryTest::destructionStopsTheThread()
{
    std::atomic<bool> destroyed{false};
    {
        Sampler sampler(counting(0, &destroyed));
        const auto hasSamples = [&sampler] {
            std::uint64_t fromTheStart = 0;
            return !sampler.samplesSince(fromTheStart).empty();
        };
        QTRY_VERIFY(hasSamples());
        QVERIFY(!destroyed);
    }
    QVERIFY(destroyed);
}

void TelemetryTest::cpuSourceSeesABusyThread()
{
    const auto source = openSource(cpuDevice());
    QCOMPARE(source->info().id, std::string("cpu"));
    QCOMPARE(source->info().quantity, std::string("CPU use of this process"));
    QCOMPARE(source->info().deviceName, std::string("a CPU"));
    QVERIFY(!source->info().deviceWide);

    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> work{0};
    std::jthread busy([&] {
        while (!stop)
            ++work;
    });
    source->read();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const Sample sample = source->read().front();
    stop = true;
    // One busy thread is 100 / threads percent; on a crowded machine it may get less, never nothing.
    QVERIFY2(sample.smPercent > 0.05F * 100.0F / float(std::max(1U, std::thread::hardware_concurrency())),
             qPrintable(QString::number(double(sample.smPercent))));
    QVERIFY(sample.smPercent <= 100.0F);
    QVERIFY(std::isnan(sample.dramPercent)); // unknown to this source, and said so

    const std::size_t block = std::size_t{64} << 20;
    const std::unique_ptr<char[]> memory(new char[block]);
    std::memset(memory.get(), 1, block);
    const Sample after = source->read().front();
    QVERIFY(after.memoryBytes >= sample.memoryBytes + block / 2); // the pages just touched are resident
}

void TelemetryTest::cudaDeviceWithoutCountersFallsBackToTheCpuAndSaysWhy()
{
    DeviceInfo device;
    device.id = {DeviceKind::Cuda, 7};
    device.name = "a GPU that is not there";
    device.uuid = "GPU-00000000-0000-0000-0000-000000000000";
    device.pciBusId = "0000:ff:1f.7";
    std::vector<std::string> refusals;
    device.computeMajor = 9;
    const auto source = openSource(device, "auto", &refusals);
    QCOMPARE(source->info().id, std::string("cpu"));
    QCOMPARE(source->info().deviceName, std::string("CPU")); // never the name of a device it does not measure
    QCOMPARE(refusals.size(), std::size_t(3));
    QVERIFY2(refusals[0].starts_with("CUPTI PM sampling: "), refusals[0].c_str());
    QVERIFY2(refusals[1].starts_with("NVML GPM: "), refusals[1].c_str());
    QVERIFY2(refusals[2].starts_with("NVML utilisation: "), refusals[2].c_str());
}

void TelemetryTest::countersThatLockOthersOutAreUsedOnlyWhenAskedFor()
{
    DeviceInfo device;
    device.id = {DeviceKind::Cuda, 7};
    device.computeMajor = 8;
    device.pciBusId = "0000:ff:1f.7";
    std::vector<std::string> refusals;
    openSource(device, "auto", &refusals);
    QVERIFY(refusals.front().starts_with("NVML GPM: "));
    refusals.clear();
    openSource(device, "cupti-pm", &refusals);
    QVERIFY(refusals.front().starts_with("CUPTI PM sampling: "));
}

void TelemetryTest::aChoiceBeginsTheChainThere()
{
    DeviceInfo device;
    device.id = {DeviceKind::Cuda, 7};
    device.computeMajor = 9;
    device.pciBusId = "0000:ff:1f.7";
    std::vector<std::string> refusals;
    const auto source = openSource(device, "nvml-utilisation", &refusals);
    QCOMPARE(refusals.size(), std::size_t(1));
    QCOMPARE(source->info().id, std::string("cpu"));
    QVERIFY(!openSource(device, "none"));
    QVERIFY_EXCEPTION_THROWN(openSource(device, "nvml"), kernels::Error);
    for (const SourceChoice& choice : sourceChoices())
        requireSourceChoice(choice.id);
    try {
        requireSourceChoice("nvml", "--telemetry");
        QFAIL("it was accepted");
    } catch (const kernels::Error& error) {
        QVERIFY(error.kind() == kernels::ErrorKind::BadArgument);
        QCOMPARE(std::string(error.what()),
                 "--telemetry: there is no such source of telemetry (found nvml, expected one of " + sourceChoicesText() + ")");
    }
}

void TelemetryTest::samplesOfABatchKeepTheirTimes()
{
    Sampler sampler([](std::vector<std::string>&) { return std::make_unique<BatchSource>(); });
    std::vector<Sample> all;
    std::uint64_t cursor = 0;
    const auto collected = [&] {
        const auto news = sampler.samplesSince(cursor);
        all.insert(all.end(), news.begin(), news.end());
        return all.size() >= 30;
    };
    QTRY_VERIFY(collected());
    for (std::size_t i = 1; i < 10; ++i)
        QVERIFY(std::abs(all[i].seconds - all[i - 1].seconds - 0.001) < 1e-9);
    QCOMPARE(sampler.info().id, std::string("batch"));
}

void TelemetryTest::aSamplerWithoutASourceSaysWhy()
{
    Sampler sampler([](std::vector<std::string>& refusals) {
        refusals = {"first reason", "second reason"};
        return std::unique_ptr<Source>();
    });
    QTRY_COMPARE(sampler.lostReason(), std::string("second reason"));
    QCOMPARE(sampler.refusals().size(), std::size_t(2));
    QVERIFY(sampler.info().id.empty());
}

QTEST_GUILESS_MAIN(TelemetryTest)
#include "tst_telemetry.moc"
