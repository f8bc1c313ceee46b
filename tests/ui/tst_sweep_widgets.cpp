// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensor_source.h"
#include "gui/person_settings.h"
#include "ui/formatting.h"
#include "ui/models/sweep_plan_model.h"
#include "ui/widgets/spread_chart.h"

#include <QAbstractItemModelTester>
#include <QTest>
#include <cmath>

using namespace ui;

namespace {

app::SweepPlan plan(const char* ranks)
{
    kernels::SyntheticSpec spec;
    spec.dims = {30, 20, 10};
    spec.entries = 600;
    kernels::Progress progress;
    const auto tensor = app::openSynthetic(spec, "small", app::Statistics::Skip, progress);
    const auto fields = app::sweepFields({"fasttucker-plus"});
    const auto needs = [](const kernels::RunConfig&) {
        app::RunNeeds each;
        each.bytes = 3 << 20;
        each.secondsPerIteration = 0.1;
        return each;
    };
    kernels::RunConfig base;
    return app::planSweep(base, {{"rank", app::sweepValues(app::sweepField(fields, "rank"), ranks)}, app::replicateAxis(base, 2)}, *tensor,
                          needs);
}

} // namespace

/// The plan as a table, and the chart of repeated measurements.
class tst_sweep_widgets : public QObject {
    Q_OBJECT

    PersonSettings m_settings;

private Q_SLOTS:
    void thePlanIsATable()
    {
        SweepPlanModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.columnCount(), 0);
        model.setPlan(plan("4,9000"));
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.columnCount(), 6); // number, rank, seed, memory, time, reason
        const auto cell = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("Rank"));
        QCOMPARE(cell(0, 0), QStringLiteral("1"));
        QCOMPARE(cell(0, 1), QStringLiteral("4"));
        QCOMPARE(cell(0, 3), formatting::bytes(3 << 20));
        QVERIFY(cell(0, 5).isEmpty() && !model.index(0, 1).data(Qt::ForegroundRole).isValid());
        QCOMPARE(cell(1, 0), QStringLiteral("–"));
        QVERIFY(cell(1, 3).isEmpty() && cell(1, 5).contains(QStringLiteral("rank out of range")));
        QVERIFY(model.index(1, 1).data(Qt::ForegroundRole).isValid()); // grey
        QCOMPARE(cell(2, 0), QStringLiteral("2"));
        QCOMPARE(sweepSummary(model.plan()),
                 QStringLiteral("2 runs, about %1 in all, a guess, at most %2 at once; 2 combinations left out")
                     .arg(formatting::roughDuration(10), formatting::bytes(3 << 20)));
        model.setPlan({});
        QCOMPARE(model.rowCount(), 0);
    }

    void theChartShowsMeansAndRanges()
    {
        SpreadChart chart(QStringLiteral("errors"));
        chart.resize(400, 240);
        chart.setNames(QStringLiteral("rank"), QStringLiteral("RMSE"));
        chart.setGroups({{QStringLiteral("2"), {1.0, 1.2}}, {QStringLiteral("4"), {0.8, std::nan("")}}, {QStringLiteral("8"), {}}}, 1);
        QCOMPARE(chart.groups()[1].values.size(), std::size_t{1}); // what is no number is left out
        const QPointF first = chart.positionOf(0), second = chart.positionOf(1);
        QVERIFY(first.x() < second.x() && first.y() < second.y()); // smaller lies lower
        QVERIFY(chart.positionOf(2).isNull());
        QCOMPARE(chart.csv(), QStringLiteral("rank,RMSE\r\n2,1\r\n2,1.2\r\n4,0.8\r\n"));
        QCOMPARE(ui::imageOf(chart.picture(), 2).size(), QSize(800, 480));
    }

    void whatDoesNotCountIsDrawnAlone()
    {
        SpreadChart chart(QStringLiteral("errors"));
        chart.resize(400, 240);
        chart.setNames(QStringLiteral("rank"), QStringLiteral("RMSE"));
        chart.setUncountedText(QStringLiteral("not converged"));
        chart.setGroups({{QStringLiteral("2"), {1.0}}, {QStringLiteral("4"), {1.1}}}, {});
        const QImage without = ui::imageOf(chart.picture(), 1);
        chart.setGroups({{QStringLiteral("2"), {1.0}, {1.05}}, {QStringLiteral("4"), {1.1}}}, {});
        QVERIFY(ui::imageOf(chart.picture(), 1) != without);
        const QPointF mean = chart.positionOf(0);
        chart.setGroups({{QStringLiteral("2"), {1.0}, {1.09}}, {QStringLiteral("4"), {1.1}}}, {});
        QCOMPARE(chart.positionOf(0), mean);
        QCOMPARE(chart.csv(), QStringLiteral("rank,RMSE,left_out\r\n2,1,\r\n2,1.09,not converged\r\n4,1.1,\r\n"));
    }

    void whatIsFarBelowLiesAtTheLowerEdge()
    {
        SpreadChart chart(QStringLiteral("consistencies"));
        chart.resize(400, 240);
        chart.setLargest(100);
        chart.setSmallest(-100);
        chart.setGroups({{QStringLiteral("1"), {100.0}}, {QStringLiteral("2"), {0.0}}, {QStringLiteral("9"), {-6e8}}}, {});
        QVERIFY(chart.positionOf(0).y() < chart.positionOf(1).y() - 40); // the axis is that of the others
        QVERIFY(chart.positionOf(2).y() > chart.positionOf(1).y() && chart.positionOf(2).y() <= chart.height());
    }

    void keysStepThroughTheChart()
    {
        SpreadChart chart(QStringLiteral("errors"));
        chart.resize(400, 240);
        chart.show();
        chart.setGroups({{QStringLiteral("2"), {1.0, 1.2}}, {QStringLiteral("4"), {0.8, 0.9}}}, {});
        const QImage before = chart.grab().toImage();
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Right);
        const QImage atFirst = chart.grab().toImage();
        QTest::keyClick(&chart, Qt::Key_Right);
        QVERIFY(before != atFirst && atFirst != chart.grab().toImage());
    }
};

QTEST_MAIN(tst_sweep_widgets)
#include "tst_sweep_widgets.moc"
