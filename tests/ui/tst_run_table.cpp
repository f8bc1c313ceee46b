// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"
#include "kernels/base/registry.h"
#include "ui/models/pareto_front.h"
#include "ui/models/run_table_model.h"
#include "ui/models/table_text.h"
#include "ui/models/tensor_scope.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

using namespace ui;
using Mode = QAbstractItemModelTester::FailureReportingMode;

namespace {

std::vector<const RunColumn*> columns(const std::vector<const char*>& ids)
{
    std::vector<const RunColumn*> found;
    for (const char* id : ids)
        found.push_back(runColumn(QLatin1String(id)));
    return found;
}

kernels::RunConfig config(const char* algorithm, unsigned rank, unsigned iterations)
{
    kernels::RunConfig result;
    const kernels::AlgorithmInfo& info = kernels::algorithm(algorithm);
    result.algorithm = info.id;
    result.format = info.formatFor({});
    result.ranks = {rank};
    if (info.objective == kernels::Objective::All)
        result.split.kind = kernels::SplitKind::None;
    result.stopping = {iterations, 0, 3, 0};
    return result;
}

TextTable awkward() { return {{"run", "50 % of"}, {{"a|b, \"c\"", "1.5"}, {"x_1 & {y}\\", "–"}}, {false, true}}; }

} // namespace

/// The table of runs beside each other, what it is sorted and filtered by, and how it leaves the program.
class tst_run_table : public QObject {
    Q_OBJECT

    std::unique_ptr<app::Session> m_session;
    std::unique_ptr<RunScope> m_scope;
    std::unique_ptr<TensorScope> m_tensors;
    std::unique_ptr<RunTableModel> m_model;

    QStringList names() const
    {
        QStringList found;
        for (int row = 0; row < m_model->rowCount(); ++row)
            found += m_model->index(row, 0).data().toString();
        return found;
    }

    app::Run* start(const kernels::RunConfig& config, const char* name) const
    {
        app::Run* run = m_session->start(config, m_session->tensors().front());
        run->setName(QLatin1String(name));
        return run;
    }

    void update() const
    {
        m_scope->update(m_session->runs());
        m_model->refresh();
    }

    QString cell(int row, const char* column) const
    {
        for (int i = 0; i < m_model->columnCount(); ++i)
            if (m_model->columns()[static_cast<std::size_t>(i)]->id == QLatin1String(column))
                return m_model->index(row, i).data().toString();
        return QStringLiteral("no such column");
    }

    /// Three ended ones, a failed one.
    bool fourRuns() const
    {
        start(config("fasttucker", 2, 6), "small");
        start(config("fasttucker", 12, 8), "large 10");
        start(config("cp-als", 6, 5), "large 9");
        kernels::RunConfig broken = config("fasttucker", 5, 5);
        broken.split = {kernels::SplitKind::File, 0.1, "/nowhere/test.tns"};
        start(broken, "broken");
        const bool ended = QTest::qWaitFor([this] { return !m_session->hasActiveRuns(); }, 60'000);
        update();
        return ended;
    }

private Q_SLOTS:
    void init()
    {
        m_session = std::make_unique<app::Session>();
        kernels::SyntheticSpec spec;
        spec.dims = {30, 20, 10};
        spec.entries = 2000;
        QSignalSpy added(m_session.get(), &app::Session::tensorAdded);
        m_session->generate(spec, QStringLiteral("planted"));
        QVERIFY(added.wait(20'000));
        m_scope = std::make_unique<RunScope>();
        m_tensors = std::make_unique<TensorScope>(*m_session);
        m_model = std::make_unique<RunTableModel>(*m_session, *m_scope, *m_tensors);
        m_model->setColumns(columns({"run", "setting", "ranks", "rmse", "fit", "iterations", "target-time", "iteration-time", "memory"}));
    }
    void cleanup()
    {
        m_model.reset();
        m_tensors.reset();
        m_session.reset();
    }

    void everyColumnIsToldAndFillsItsCells()
    {
        QVERIFY(fourRuns());
        QStringList ids;
        for (const RunColumn& column : runColumns()) {
            QVERIFY2(!ids.contains(column.id), qPrintable(column.id));
            ids += column.id;
            QVERIFY2(!column.name.isEmpty() && !column.toolTip.isEmpty() && (column.words || column.isCharted()), qPrintable(column.id));
            QVERIFY(!column.cost || column.isCharted());
            QCOMPARE(runColumn(column.id), &column);
            for (const app::Run* run : m_session->runs()) {
                const QString text = runCellText(column, *run, *m_scope), exact = runCellExact(column, *run, *m_scope);
                QVERIFY2(!text.isEmpty() && (text == QStringLiteral("–")) == exact.isEmpty(), qPrintable(column.id + ": " + text));
            }
        }
        QVERIFY(!runColumn(QStringLiteral("nothing")));
        const app::Run& run = *m_session->runs().front();
        const kernels::IterationRecord& best = run.history()[run.bestIteration() - 1];
        QCOMPARE(runNumber(*runColumn("rmse"), run, *m_scope), best.testRmse);
        QCOMPARE(runNumber(*runColumn("mae"), run, *m_scope), best.testMae);
        QCOMPARE(runNumber(*runColumn("best-time"), run, *m_scope), best.elapsed);
        QCOMPARE(runNumber(*runColumn("iteration-time"), run, *m_scope), run.history().back().elapsed * 1e3 / 6);
        QCOMPARE(runNumber(*runColumn("memory"), run, *m_scope), static_cast<double>(run.outcome()->result.memory.hostBytes));
        QCOMPARE(runCellText(*runColumn("ranks"), run, *m_scope), QStringLiteral("2 / 2"));
        QCOMPARE(runCellText(*runColumn("iterations"), run, *m_scope), QStringLiteral("6"));
    }

    void whatIsNotKnownIsADashWithItsReason()
    {
        QVERIFY(fourRuns());
        const app::Run& failed = *m_session->runs()[3];
        QCOMPARE(runCellText(*runColumn("rmse"), failed, *m_scope), QStringLiteral("–"));
        const QString reason = m_model->index(m_model->rowOf(failed.id()), 3).data(Qt::ToolTipRole).toString();
        QVERIFY2(reason.contains(QStringLiteral("/nowhere/test.tns")), qPrintable(reason));
        const app::Run& cp = *m_session->runs()[2];
        QVERIFY(runCellMissing(*runColumn("rmse"), cp).contains(QStringLiteral("held out")));
        QVERIFY(runCellMissing(*runColumn("target-time"), cp).contains(QStringLiteral("not reached")));
    }

    void rowsSortByNumbersAndWhatIsNotKnownComesLast()
    {
        QAbstractItemModelTester tester(m_model.get(), Mode::QtTest);
        QVERIFY(fourRuns());
        QCOMPARE(names(), (QStringList{"small", "large 10", "large 9", "broken"}));
        const auto rmse = [this](const char* name) {
            for (const app::Run* run : m_session->runs())
                if (run->name() == QLatin1String(name))
                    return runNumber(*runColumn("rmse"), *run, *m_scope);
            return 0.0;
        };
        const bool smallFirst = rmse("small") < rmse("large 10");
        m_model->setSorting(QStringLiteral("rmse"), Qt::AscendingOrder);
        QCOMPARE(names().first(), smallFirst ? QStringLiteral("small") : QStringLiteral("large 10"));
        QCOMPARE(names().mid(2), (QStringList{"large 9", "broken"}));
        m_model->setSorting(QStringLiteral("rmse"), Qt::DescendingOrder);
        QCOMPARE(names().first(), smallFirst ? QStringLiteral("large 10") : QStringLiteral("small"));
        QCOMPARE(names().mid(2), (QStringList{"large 9", "broken"}));
        m_model->sort(0, Qt::AscendingOrder);
        QCOMPARE(names(), (QStringList{"broken", "large 9", "large 10", "small"}));
        QVERIFY(m_model->headerData(0, Qt::Horizontal).toString().endsWith(QStringLiteral("▴")));
        m_model->sort(2, Qt::DescendingOrder); // ranks, by their size
        QCOMPARE(names(), (QStringList{"large 10", "large 9", "broken", "small"}));
    }

    void indexesAndSelectionsOutliveANewOrder()
    {
        QAbstractItemModelTester tester(m_model.get(), Mode::QtTest);
        QVERIFY(fourRuns());
        const QPersistentModelIndex kept = m_model->index(0, 3);
        const int id = m_session->runs().front()->id();
        m_model->sort(0, Qt::DescendingOrder);
        QCOMPARE(kept.data(RunTableModel::RunIdRole).toInt(), id);
        QCOMPARE(kept.row(), 0);
        m_model->sort(0, Qt::AscendingOrder);
        QCOMPARE(kept.row(), 3);
        m_model->setGrouping(RunTableModel::Grouping::Algorithm);
        QCOMPARE(kept.data(RunTableModel::RunIdRole).toInt(), id);
        QCOMPARE(kept.column(), 3);
        m_session->removeRun(m_session->runs()[1]);
        QCOMPARE(kept.data(RunTableModel::RunIdRole).toInt(), id);
        m_session->removeRun(m_session->runs().front());
        QVERIFY(!kept.isValid());
    }

    void filterWordsAreLookedForInAllCells()
    {
        QAbstractItemModelTester tester(m_model.get(), Mode::QtTest);
        QVERIFY(fourRuns());
        m_model->setFilter(QStringLiteral("LARGE"));
        QCOMPARE(names(), (QStringList{"large 10", "large 9"}));
        m_model->setFilter(QStringLiteral("large 12 / 12")); // a name and a rank
        QCOMPARE(names(), QStringList{"large 10"});
        m_model->setFilter(QStringLiteral("nothing of the kind"));
        QCOMPARE(m_model->rowCount(), 0);
        m_model->setFilter({});
        QCOMPARE(m_model->rowCount(), 4);
    }

    void groupsStandUnderAHeadingInTheOrderOfTheirBest()
    {
        QAbstractItemModelTester tester(m_model.get(), Mode::QtTest);
        QVERIFY(fourRuns());
        m_model->setGrouping(RunTableModel::Grouping::Algorithm);
        QCOMPARE(names(), (QStringList{"FastTucker · 3 runs", "small", "large 10", "broken", "CP-ALS · 1 run", "large 9"}));
        QVERIFY(m_model->isGroup(0) && !m_model->runAt(0) && !(m_model->flags(m_model->index(0, 0)) & Qt::ItemIsSelectable));
        m_model->sort(2, Qt::AscendingOrder);
        QCOMPARE(names().first(), QStringLiteral("FastTucker · 3 runs"));
        m_model->setFilter(QStringLiteral("large"));
        QCOMPARE(names(), (QStringList{"CP-ALS · 1 run", "large 9", "FastTucker · 1 run", "large 10"}));
        QCOMPARE(m_model->table({}, false).rows.size(), qsizetype{2}); // headings are not copied
        m_model->setGrouping(RunTableModel::Grouping::Rank);
        QCOMPARE(names(), (QStringList{"R 6 · 1 run", "large 9", "J 12 R 12 · 1 run", "large 10"}));
        m_model->setGrouping(RunTableModel::Grouping::Precision);
        QCOMPARE(m_model->rowCount(), 3);
        m_model->setGrouping(RunTableModel::Grouping::None);
        QCOMPARE(m_model->rowCount(), 2);
    }

    void aTickHidesARun()
    {
        QVERIFY(fourRuns());
        const QModelIndex first = m_model->index(0, 0);
        QVERIFY(m_model->setData(first, Qt::Unchecked, Qt::CheckStateRole));
        QVERIFY(!m_session->runs().front()->isVisible());
        QCOMPARE(first.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Unchecked));
        QVERIFY(!m_model->setData(m_model->index(0, 1), QStringLiteral("x"), Qt::EditRole));
    }

    void liveRunsChangeTheirCellsAlone()
    {
        QAbstractItemModelTester tester(m_model.get(), Mode::QtTest);
        app::Run* run = start(config("fasttucker", 3, 10'000'000), "endless");
        update();
        QCOMPARE(cell(0, "rmse"), QStringLiteral("–"));
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > 2, 20'000);
        QSignalSpy reset(m_model.get(), &QAbstractItemModel::modelReset), moved(m_model.get(), &QAbstractItemModel::layoutChanged),
            changed(m_model.get(), &QAbstractItemModel::dataChanged);
        update();
        QVERIFY(cell(0, "rmse") != QStringLiteral("–"));
        QVERIFY2(cell(0, "iterations").endsWith(QStringLiteral("of 10\u202F000\u202F000")), qPrintable(cell(0, "iterations")));
        QCOMPARE(cell(0, "memory"), QStringLiteral("–"));
        QCOMPARE(changed.count(), 1);
        m_model->refresh(); // nothing new
        QCOMPARE(changed.count(), 1);
        QVERIFY(reset.isEmpty() && moved.isEmpty());
        run->stop();
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), 20'000);
    }

    void theTargetIsWhatTheSecondBestReaches()
    {
        QVERIFY(fourRuns());
        QCOMPARE(m_scope->part(), app::Part::Test);
        std::vector<double> best;
        for (const app::Run* run : m_session->runs())
            if (const double value = m_scope->curve(*run).best(); std::isfinite(value))
                best.push_back(value);
        QCOMPARE(best.size(), std::size_t{2}); // CP-ALS held nothing out
        QCOMPARE(m_scope->target(), roundedTarget(std::max(best[0], best[1]), false));
        QVERIFY(m_scope->target() >= std::max(best[0], best[1]));
        for (int row = 0; row < 2; ++row)
            QVERIFY(cell(row, "target-time") != QStringLiteral("–"));
        m_scope->setTarget(1e-9);
        m_model->refresh();
        QCOMPARE(cell(0, "target-time"), QStringLiteral("–"));
        QVERIFY(m_model->headerData(6, Qt::Horizontal).toString().startsWith(QStringLiteral("time to 1e-9")));
        m_scope->setMeasure(app::Measure::Fit);
        update();
        QCOMPARE(m_scope->measureText(), QStringLiteral("fit"));
        QVERIFY(m_scope->target() <= m_scope->curve(*m_session->runs()[2]).best());
        QVERIFY(cell(2, "target-time") != QStringLiteral("–"));
    }

    void withoutATestPartTheHeadingsSayTrain()
    {
        start(config("cp-als", 3, 4), "alone");
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->hasActiveRuns(), 20'000);
        QCOMPARE(m_model->headerData(3, Qt::Horizontal).toString(), QStringLiteral("test RMSE"));
        update();
        QCOMPARE(m_model->headerData(3, Qt::Horizontal).toString(), QStringLiteral("train RMSE"));
        QCOMPARE(m_scope->measureText(), QStringLiteral("train RMSE"));
        QVERIFY(cell(0, "rmse") != QStringLiteral("–"));
    }

    void targetsAreRoundedToTheEasierSide()
    {
        QCOMPARE(roundedTarget(0.92874, false), 0.929);
        QCOMPARE(roundedTarget(0.929, false), 0.929);
        QCOMPARE(roundedTarget(12.345, false), 12.4);
        QCOMPARE(roundedTarget(999.6, false), 1000.0);
        QCOMPARE(roundedTarget(0.43219, true), 0.432);
        QCOMPARE(roundedTarget(-0.43219, true), -0.433);
        QCOMPARE(roundedTarget(0, true), 0.0);
    }

    void theFrontIsWhatNothingBeats()
    {
        std::mt19937 generator(3);
        std::uniform_int_distribution<int> draw(0, 9);
        for (int round = 0; round < 200; ++round) {
            std::vector<QPointF> points;
            for (int i = 0; i < 12; ++i)
                points.emplace_back(draw(generator), draw(generator));
            for (const bool higher : {false, true}) {
                const auto beats = [higher](const QPointF& a, const QPointF& b) {
                    const double ya = higher ? -a.y() : a.y(), yb = higher ? -b.y() : b.y();
                    return a.x() <= b.x() && ya <= yb && a != b;
                };
                const auto front = paretoFront(points, higher);
                for (const QPointF& point : points) {
                    const bool beaten = std::any_of(points.begin(), points.end(), [&](const QPointF& each) { return beats(each, point); });
                    const bool inFront = std::any_of(front.begin(), front.end(), [&](std::size_t i) { return points[i] == point; });
                    QCOMPARE(inFront, !beaten);
                }
            }
        }
        QVERIFY(paretoFront({}, false).empty());
    }

    void eachGroupHasAFrontOfItsOwn()
    {
        const std::vector<QPointF> points{{1, 5}, {2, 0.5}, {3, 4}, {1, 0.9}, {4, 6}};
        const std::vector<int> groups{7, 3, 7, 3, 7};
        QCOMPARE(paretoFronts(points, groups, false), (std::vector<std::vector<std::size_t>>{{3, 1}, {0, 2}}));
        QCOMPARE(paretoFronts(points, groups, true), (std::vector<std::vector<std::size_t>>{{3}, {0, 4}}));
        QVERIFY(paretoFronts({}, {}, false).empty());
    }

    void copiesAreEscaped()
    {
        QCOMPARE(csvText(awkward()), QStringLiteral("run,50 % of\r\n\"a|b, \"\"c\"\"\",1.5\r\nx_1 & {y}\\,–\r\n"));
        QCOMPARE(markdownText(awkward()),
                 QStringLiteral("| run | 50 % of |\n| --- | ---: |\n| a\\|b, \"c\" | 1.5 |\n| x\\_1 & {y}\\\\ | – |\n"));
        QCOMPARE(alignedText(awkward()), QStringLiteral("run         50 % of\na|b, \"c\"        1.5\nx_1 & {y}\\        –\n"));
        const QString latex = latexText(awkward());
        QVERIFY2(latex.contains(QStringLiteral("\\begin{tabular}{lr}")) && latex.contains(QStringLiteral("50 \\% of \\\\\n")),
                 qPrintable(latex));
        QVERIFY2(latex.contains(QStringLiteral("a\\textbar{}b, \\textquotedbl{}c\\textquotedbl{} & 1.5")), qPrintable(latex));
        QVERIFY2(latex.contains(QStringLiteral("x\\_1 \\& \\{y\\}\\textbackslash{} & -- \\\\")), qPrintable(latex));
    }

    void filesHaveAllDigitsAndUnits()
    {
        QVERIFY(fourRuns());
        const app::Run& run = *m_session->runs().front();
        const TextTable shown = m_model->table({run.id()}, false), exact = m_model->table({run.id()}, true);
        QCOMPARE(shown.rows.size(), qsizetype{1});
        QCOMPARE(exact.rows[0][3].toDouble(), runNumber(*runColumn("rmse"), run, *m_scope));
        QVERIFY(exact.heads[6].endsWith(QStringLiteral(" (s)")));
        QCOMPARE(exact.heads[7], QStringLiteral("ms / iter"));
        QCOMPARE(exact.heads[8], QStringLiteral("peak memory (B)"));
        QVERIFY(shown.rows[0][8].contains(QStringLiteral("B")) && exact.rows[0][8].toULongLong() > 0);
    }
};

QTEST_GUILESS_MAIN(tst_run_table)
#include "tst_run_table.moc"
