// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/telemetry/cupti.cuh"

#include <QTest>

using namespace kernels::telemetry::cupti;

/// CUPTI tells for every chip it knows, present or not, what fits one pass: the choice is tested without a GPU.
class CuptiMetricsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chipsAreSampledByTheBestSetOfOnePass_data();
    void chipsAreSampledByTheBestSetOfOnePass();
    void someChipsTellOfTheirCaches();
    void anUnknownChipIsRefusedByName();
};

void CuptiMetricsTest::chipsAreSampledByTheBestSetOfOnePass_data()
{
    QTest::addColumn<QString>("metric");
    QTest::addColumn<QString>("quantity");
    QTest::addColumn<bool>("withDram");
    QTest::newRow("TU102") << "SM.TriageA.sm__throughput"
                           << "SM throughput" << false;
    QTest::newRow("GA100") << "sm__inst_executed_realtime"
                           << "SM issue rate" << true;
    QTest::newRow("GA102") << "TriageSCG.sm__throughput"
                           << "SM throughput" << true;
    QTest::newRow("AD102") << "TriageSCG.sm__throughput"
                           << "SM throughput" << true;
    QTest::newRow("GH100") << "TriageCompute.sm__throughput"
                           << "SM throughput" << true;
    QTest::newRow("GB100") << "TriageCompute.sm__throughput"
                           << "SM throughput" << true;
    QTest::newRow("GB202") << "sm__inst_executed_realtime"
                           << "SM issue rate" << true;
}

void CuptiMetricsTest::chipsAreSampledByTheBestSetOfOnePass()
{
    QFETCH(QString, metric);
    QFETCH(QString, quantity);
    QFETCH(bool, withDram);
    try {
        Library::instance();
    } catch (const kernels::Error& error) {
        QSKIP(error.what());
    }
    const auto configuration = onePassConfiguration(QTest::currentDataTag(), {});
    QCOMPARE(configuration->passes(), std::size_t(1));
    QVERIFY2(QString::fromStdString(configuration->set().metrics.front()).startsWith(metric + u'.'),
             configuration->set().metrics.front().c_str());
    QCOMPARE(QString::fromStdString(configuration->set().quantity), quantity);
    QCOMPARE(configuration->set().metrics.size(), std::size_t(withDram ? 2 : 1));
}

void CuptiMetricsTest::someChipsTellOfTheirCaches()
{
    try {
        Library::instance();
    } catch (const kernels::Error& error) {
        QSKIP(error.what());
    }
    for (const char* chip : {"GH100", "GB100"}) {
        const auto configuration = onePassConfiguration(chip, {}, kernels::telemetry::Counters::Caches);
        QCOMPARE(configuration->passes(), std::size_t(1));
        QCOMPARE(QString::fromStdString(configuration->set().quantity), QStringLiteral("L1 throughput"));
    }
}

void CuptiMetricsTest::anUnknownChipIsRefusedByName()
{
    try {
        Library::instance();
    } catch (const kernels::Error& error) {
        QSKIP(error.what());
    }
    try {
        onePassConfiguration("XX999", {});
        QFAIL("there is no such chip");
    } catch (const kernels::Error& error) {
        QVERIFY2(QString(error.what()).contains("XX999"), error.what());
    }
}

QTEST_GUILESS_MAIN(CuptiMetricsTest)
#include "tst_cupti_metrics.moc"
