// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/telemetry_hub.h"
#include "kernels/base/error.h"

#include <QTest>

#include <atomic>

using namespace app;
namespace telemetry = kernels::telemetry;

namespace {

const kernels::DeviceId gpu{kernels::DeviceKind::Cuda, 0};

/// A source of some name, lost at a chosen reading (0: never). Counters are given to one user at a time.
class NamedSource : public telemetry::Source {
public:
    NamedSource(const std::string& id, int failAt, std::atomic<int>& users)
        : m_failAt(failAt)
        , m_users(users)
    {
        m_info.id = id;
        m_info.intervalMs = 1;
        ++m_users;
    }
    ~NamedSource() override { --m_users; }
    const telemetry::SourceInfo& info() const override { return m_info; }
    std::vector<telemetry::Sample> read() override
    {
        if (++m_reads == m_failAt)
            throw kernels::Error(kernels::ErrorKind::Device, "taken away");
        return std::vector<telemetry::Sample>(1);
    }

private:
    telemetry::SourceInfo m_info;
    int m_failAt;
    int m_reads = 0;
    std::atomic<int>& m_users;
};

} // namespace

class TelemetryHubTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLostSourceIsOpenedAgain();
    void aNewChoiceLeavesWhatIsInUseAlone();
    void whatSomebodyStillUsesIsSharedNotOpenedTwice();
    void choosingWaitsForNoSource();
};

void TelemetryHubTest::aLostSourceIsOpenedAgain()
{
    std::atomic<int> users{0};
    std::atomic<int> opened{0};
    TelemetryHub hub([&](const kernels::DeviceId&, const std::string&,
                         std::vector<std::string>&) { return std::make_unique<NamedSource>("x", ++opened == 1 ? 3 : 0, users); },
                     0.2);
    const auto first = hub.sampler(gpu);
    QTRY_COMPARE(first->lostReason(), std::string("taken away"));
    QTRY_VERIFY(hub.sampler(gpu) != first);
    const auto second = hub.sampler(gpu);
    QTRY_COMPARE(second->info().id, std::string("x"));
    QVERIFY(second->lostReason().empty());
    QCOMPARE(hub.sampler(gpu), second);
    QCOMPARE(opened.load(), 2);
}

void TelemetryHubTest::aNewChoiceLeavesWhatIsInUseAlone()
{
    std::atomic<int> users{0};
    TelemetryHub hub([&](const kernels::DeviceId&, const std::string& choice,
                         std::vector<std::string>&) { return std::make_unique<NamedSource>(choice, 0, users); },
                     10);
    const auto ofTheRun = hub.sampler(gpu);
    QTRY_COMPARE(ofTheRun->info().id, std::string("auto"));
    hub.choose("nvml-gpm");
    const auto next = hub.sampler(gpu);
    QVERIFY(next != ofTheRun);
    QTRY_COMPARE(next->info().id, std::string("nvml-gpm"));
    QVERIFY(ofTheRun->lostReason().empty());
    QCOMPARE(users.load(), 2);
}

void TelemetryHubTest::whatSomebodyStillUsesIsSharedNotOpenedTwice()
{
    std::atomic<int> users{0};
    TelemetryHub hub(
        [&](const kernels::DeviceId&, const std::string& choice, std::vector<std::string>&) {
            return std::make_unique<NamedSource>(choice == "auto" ? "cupti-pm" : choice, 0, users);
        },
        10);
    const auto ofTheRun = hub.sampler(gpu);
    QTRY_COMPARE(ofTheRun->info().id, std::string("cupti-pm"));
    hub.choose("nvml-gpm");
    QVERIFY(hub.sampler(gpu) != ofTheRun);
    hub.choose("cupti-pm");
    QCOMPARE(hub.sampler(gpu), ofTheRun);
    hub.choose("auto");
    QCOMPARE(hub.sampler(gpu), ofTheRun);
    QTRY_COMPARE(users.load(), 1); // the other one ended
}

void TelemetryHubTest::choosingWaitsForNoSource()
{
    std::atomic<bool> go{false};
    std::atomic<int> users{0};
    TelemetryHub hub(
        [&](const kernels::DeviceId&, const std::string& choice, std::vector<std::string>&) {
            while (choice == "auto" && !go)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return std::make_unique<NamedSource>(choice, 0, users);
        },
        10);
    hub.sampler(gpu); // its opening hangs
    hub.choose("cpu"); // returns all the same: else this test hangs
    const auto next = hub.sampler(gpu);
    QTRY_COMPARE(next->info().id, std::string("cpu"));
    go = true;
}

QTEST_GUILESS_MAIN(TelemetryHubTest)
#include "tst_telemetry_hub.moc"
