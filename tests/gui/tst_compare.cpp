// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "kernels/base/registry.h"
#include "ui/models/run_table_model.h"
#include "ui/pages/compare_page.h"
#include "ui/widgets/bar_chart.h"
#include "ui/widgets/point_chart.h"
#include "ui/widgets/run_table.h"

#include <QClipboard>
#include <QElapsedTimer>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QSettings>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <memory>

using app::RunState;

/// Runs beside each other, by clicks and keys.
class tst_compare : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

    ui::ComparePage* page() const { return m_gui->window.comparePage(); }
    ui::RunTable* table() const { return page()->table(); }
    ui::RunTableModel* model() const { return page()->model(); }
    app::Run* run(int number) const { return m_gui->session.runs().at(static_cast<std::size_t>(number)); }

    QStringList names() const
    {
        QStringList found;
        for (int row = 0; row < model()->rowCount(); ++row)
            found += model()->index(row, 0).data().toString();
        return found;
    }
    int columnOf(const char* id) const
    {
        const auto& shown = model()->columns();
        const auto at = std::find_if(shown.begin(), shown.end(), [&](const auto* column) { return column->id == QLatin1String(id); });
        return at == shown.end() ? -1 : static_cast<int>(at - shown.begin());
    }
    QString cell(const app::Run* run, const char* column) const
    {
        return model()->index(model()->rowOf(run->id()), columnOf(column)).data().toString();
    }
    QRect cellRect(const app::Run* run, int column) const { return table()->visualRect(model()->index(model()->rowOf(run->id()), column)); }

    void clickHead(const char* column) const
    {
        QHeaderView* head = table()->horizontalHeader();
        const int section = columnOf(column);
        QTest::mouseClick(head->viewport(), Qt::LeftButton, Qt::NoModifier,
                          {head->sectionViewportPosition(section) + head->sectionSize(section) / 2, head->height() / 2});
    }
    void clickRow(const app::Run* run, Qt::KeyboardModifiers keys = {}) const
    {
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, keys, cellRect(run, 1).center());
    }
    /// By the menu under a button, as far as a test can: the entry is triggered as a click does.
    static QAction* entry(const QMenu* menu, const QString& text)
    {
        for (QAction* action : menu->actions())
            if (action->text() == text)
                return action;
        return nullptr;
    }
    void type(QLineEdit* field, const QString& text) const
    {
        field->setFocus();
        field->selectAll();
        if (text.isEmpty())
            QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
    }

    app::Run* start(const char* algorithm, unsigned rank, unsigned iterations) const
    {
        const kernels::AlgorithmInfo& info = kernels::algorithm(algorithm);
        kernels::RunConfig config;
        config.algorithm = info.id;
        config.format = info.formatFor({});
        config.ranks = {rank};
        config.split.kind = info.objective == kernels::Objective::All ? kernels::SplitKind::None : kernels::SplitKind::Random;
        config.stopping = {iterations, 0, 3, 0};
        return m_gui->session.start(config, m_gui->session.tensors().front());
    }
    bool ended() const
    {
        return QTest::qWaitFor([this] { return !m_gui->session.hasActiveRuns(); }, 60'000);
    }
    /// Three ended runs, looked at.
    bool threeRuns() const
    {
        start("fasttucker", 2, 6)->setName(QStringLiteral("small"));
        start("fasttucker", 12, 8)->setName(QStringLiteral("large"));
        start("cp-als", 6, 5)->setName(QStringLiteral("cp"));
        const bool done = ended();
        show();
        return done && QTest::qWaitFor([this] { return model()->rowCount() == 3 && cell(run(2), "fit") != QStringLiteral("–"); }, 5000);
    }
    void show() const
    {
        QTest::keyClick(&m_gui->window, Qt::Key_3, Qt::AltModifier);
        QTest::qWait(250); // two turns of the drawing timer
    }

private Q_SLOTS:
    void init()
    {
        QSettings().remove(QStringLiteral("compare"));
        QSettings().setValue(QStringLiteral("baselines"), false); // their rows come when they come: tst_tensor_scope
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
    }
    void cleanup() { m_gui.reset(); }

    void withoutRunsThereIsACalmSentence()
    {
        show();
        QVERIFY(page()->isVisible());
        QVERIFY(!page()->emptyText().isEmpty() && !table()->isVisible());
    }

    void aLiveRunFillsItsRowAndKeepsWhatIsChosen()
    {
        show();
        app::Run* live = m_gui->startEndless();
        QVERIFY(live);
        show();
        QTRY_VERIFY_WITH_TIMEOUT(!live->history().empty() && table()->isVisible(), 20'000);
        clickRow(live);
        QTRY_VERIFY(cell(live, "rmse") != QStringLiteral("–"));
        const std::size_t before = live->history().size();
        const QString iterations = cell(live, "iterations");
        QTRY_VERIFY_WITH_TIMEOUT(live->history().size() > before && cell(live, "iterations") != iterations, 20'000);
        QCOMPARE(table()->selectedRuns(), std::vector<int>{live->id()});
        QVERIFY(cell(live, "memory") == QStringLiteral("–"));
        QTRY_VERIFY(page()->timeChart()->drawnPoints(0) > 1);
        QCOMPARE(page()->costChart()->points().size(), std::size_t{1});
        live->stop();
        QTRY_COMPARE_WITH_TIMEOUT(live->state(), RunState::Stopped, 20'000);
        QTRY_VERIFY(cell(live, "memory") != QStringLiteral("–"));
        QVERIFY(page()->agreementText().startsWith(QStringLiteral("Two ended runs")));
    }

    void aClickOnAHeadSortsAndIsRemembered()
    {
        QVERIFY(threeRuns());
        QVERIFY(model()->headerData(columnOf("rmse"), Qt::Horizontal).toString().contains(QStringLiteral("▴"))); // by error, at first
        clickHead("run");
        QCOMPARE(names(), (QStringList{"cp", "large", "small"}));
        clickHead("run");
        QCOMPARE(names(), (QStringList{"small", "large", "cp"}));
        m_gui = std::make_unique<GuiDriver>();
        QCOMPARE(model()->sortedBy(), QStringLiteral("run"));
        QCOMPARE(model()->sortOrder(), Qt::DescendingOrder);
    }

    void keysSortHideAndCopy()
    {
        QVERIFY(threeRuns());
        clickHead("run");
        clickRow(run(0));
        QTest::keyClick(table(), Qt::Key_Home);
        QTest::keyClick(table(), Qt::Key_S); // by names again: turned round
        QCOMPARE(names(), (QStringList{"small", "large", "cp"}));
        clickRow(run(1));
        QTest::keyClick(table(), Qt::Key_Space);
        QVERIFY(!run(1)->isVisible());
        QTRY_COMPARE(page()->costChart()->points().size(), std::size_t{1}); // CP-ALS has no test error
        QTest::keyClick(table(), Qt::Key_Space);
        QVERIFY(run(1)->isVisible());
        QTest::keyClick(table(), Qt::Key_C, Qt::ControlModifier);
        const QString copied = QApplication::clipboard()->text();
        QVERIFY2(copied.contains(QStringLiteral("large")) && !copied.contains(QStringLiteral("small")), qPrintable(copied));
    }

    void aClickOnTheSquareHidesTheRunEverywhere()
    {
        QVERIFY(threeRuns());
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, Qt::NoModifier, ui::RunTable::squareRect(cellRect(run(0), 0)).center());
        QVERIFY(!run(0)->isVisible());
        QVERIFY(table()->selectedRuns().empty()); // only its square was meant
        QTRY_COMPARE(page()->costChart()->points().size(), std::size_t{1});
        QCOMPARE(model()->rowCount(), 3);
    }

    void theFilterLooksInAllShownCells()
    {
        QVERIFY(threeRuns());
        QTest::keyClicks(page()->filterField(), QStringLiteral("LARGE fp32"));
        QCOMPARE(names(), QStringList{"large"});
        page()->filterField()->clear();
        QTest::keyClicks(page()->filterField(), QStringLiteral("nobody"));
        const auto labels = page()->findChildren<QLabel*>();
        QTRY_VERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->isVisible() && label->text() == QStringLiteral("No run has “nobody” in its row.");
        }));
        page()->filterField()->clear();
        QCOMPARE(model()->rowCount(), 3);
    }

    void runsAreGroupedByAClick()
    {
        QVERIFY(threeRuns());
        const auto buttons = page()->groupSwitch()->findChildren<QToolButton*>();
        m_gui->click(buttons[1]);
        QCOMPARE(model()->rowCount(), 5);
        QVERIFY(names().contains(QStringLiteral("CP-ALS · 1 run")));
        QTRY_COMPARE(table()->columnSpan(0, 0), model()->columnCount());
        m_gui->click(buttons[0]);
        QCOMPARE(model()->rowCount(), 3);
        QTRY_COMPARE(table()->columnSpan(0, 0), 1);
    }

    void columnsAreChosenAndRemembered()
    {
        QVERIFY(threeRuns());
        QVERIFY(columnOf("fit") >= 0 && columnOf("seed") < 0 && columnOf("sm") < 0); // the fit, since a run has one
        clickRow(run(1));
        QMenu* menu = page()->columnsButton()->menu();
        menu->popup(page()->mapToGlobal(QPoint(10, 10)));
        QTRY_VERIFY(menu->isVisible());
        QTest::mouseClick(menu, Qt::LeftButton, Qt::NoModifier, menu->actionGeometry(entry(menu, QStringLiteral("seed"))).center());
        QVERIFY(menu->isVisible()); // for the next one
        QVERIFY(columnOf("seed") >= 0 && entry(menu, QStringLiteral("seed"))->isChecked());
        menu->setActiveAction(entry(menu, QStringLiteral("setting")));
        QTest::keyClick(menu, Qt::Key_Space);
        QCOMPARE(columnOf("setting"), -1);
        menu->close();
        QCOMPARE(cell(run(0), "seed"), QStringLiteral("42"));
        QCOMPARE(table()->selectedRuns(), std::vector<int>{run(1)->id()});
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
        start("fasttucker", 2, 3);
        QVERIFY(ended());
        show();
        QTRY_VERIFY(columnOf("seed") >= 0);
        QCOMPARE(columnOf("setting"), -1);
        entry(page()->columnsButton()->menu(), QStringLiteral("As at first"))->trigger();
        QVERIFY(columnOf("seed") < 0 && columnOf("setting") >= 0);
    }

    void theTargetIsTypedAndItsMeasureChosen()
    {
        QVERIFY(threeRuns());
        const double proposed = page()->scope().target();
        QCOMPARE(page()->targetField()->text().toDouble(), proposed);
        const double reached = run(0)->history()[1].testRmse;
        type(page()->targetField(), QString::number(reached, 'g', 17));
        const auto met =
            std::find_if(run(0)->history().begin(), run(0)->history().end(), [&](const auto& r) { return r.testRmse <= reached; });
        QCOMPARE(ui::runNumber(*ui::runColumn("target-time"), *run(0), page()->scope()), met->elapsed);
        QVERIFY(model()->headerData(columnOf("target-time"), Qt::Horizontal).toString().startsWith(QStringLiteral("time to ")));
        QVERIFY(cell(run(0), "target-time") != QStringLiteral("–"));

        type(page()->targetField(), QStringLiteral("much"));
        QVERIFY(page()->targetField()->property("invalid").toBool());
        QCOMPARE(page()->scope().target(), reached); // as it was
        type(page()->targetField(), {});
        QVERIFY(!page()->targetField()->property("invalid").toBool());
        QCOMPARE(page()->scope().target(), proposed);

        // What all reach: each run that was tested has a time.
        const double best = std::min(ui::runNumber(*ui::runColumn("rmse"), *run(0), page()->scope()),
                                     ui::runNumber(*ui::runColumn("rmse"), *run(1), page()->scope()));
        type(page()->targetField(), QString::number(best, 'g', 17));
        QVERIFY((cell(run(0), "target-time") == QStringLiteral("–")) != (cell(run(1), "target-time") == QStringLiteral("–")));
        QVERIFY(page()->targetForAll()->isEnabled());
        m_gui->click(page()->targetForAll());
        const double worst = std::max(ui::runNumber(*ui::runColumn("rmse"), *run(0), page()->scope()),
                                      ui::runNumber(*ui::runColumn("rmse"), *run(1), page()->scope()));
        QVERIFY(page()->scope().target() >= worst && page()->scope().target() < worst * 1.01);
        for (const int each : {0, 1})
            QVERIFY(cell(run(each), "target-time") != QStringLiteral("–"));
        QCOMPARE(page()->targetField()->text().toDouble(), page()->scope().target());
        // Of those that are shown.
        run(0)->setVisible(false);
        m_gui->click(page()->targetForAll());
        QCOMPARE(page()->scope().target(), ui::roundedTarget(ui::runNumber(*ui::runColumn("rmse"), *run(1), page()->scope()), false));
        run(0)->setVisible(true);
        type(page()->targetField(), {});

        page()->measureBox()->setFocus();
        QTest::keyClick(page()->measureBox(), Qt::Key_End);
        QCOMPARE(page()->measureBox()->currentText(), QStringLiteral("target fit"));
        QTRY_VERIFY(cell(run(2), "target-time") != QStringLiteral("–"));
        QCOMPARE(cell(run(0), "target-time"), QStringLiteral("–"));
        type(page()->targetField(), QStringLiteral("-7,5")); // a comma does as well
        QCOMPARE(page()->scope().target(), -7.5);
        m_gui = std::make_unique<GuiDriver>();
        QCOMPARE(page()->scope().target(), -7.5);
        QCOMPARE(page()->scope().measure(), app::Measure::Fit);
    }

    void tableAndListAndChartsMeanTheSameRun()
    {
        QVERIFY(threeRuns());
        clickRow(run(1));
        QCOMPARE(m_gui->window.workspace()->currentRun(), run(1));
        m_gui->window.workspace()->setCurrentRun(run(2)->id());
        QCOMPARE(table()->selectedRuns(), std::vector<int>{run(2)->id()});
        clickRow(run(0), Qt::ControlModifier);
        QCOMPARE(table()->selectedRuns().size(), std::size_t{2});
        m_gui->window.workspace()->setCurrentRun(run(1)->id()); // what is being compared stays chosen
        QCOMPARE(table()->selectedRuns().size(), std::size_t{2});

        page()->scrollArea()->ensureWidgetVisible(page()->costChart());
        QTest::qWait(50);
        QTest::mouseMove(page()->costChart(), page()->costChart()->positionOf(run(0)->id()).toPoint());
        QTRY_COMPARE(table()->highlighted(), run(0)->id());
        QCOMPARE(m_gui->window.workspace()->runList()->property(ui::RunDelegate::highlightedProperty).toInt(), run(0)->id());
        QTest::mouseMove(page()->costChart(), {2, 2});
        QTRY_COMPARE(table()->highlighted(), -1);
    }

    void pointsAreSteppedThroughByKeys()
    {
        QVERIFY(threeRuns());
        page()->costChart()->setFocus();
        QTest::keyClick(page()->costChart(), Qt::Key_Right);
        const int first = table()->highlighted();
        QTest::keyClick(page()->costChart(), Qt::Key_Right);
        QVERIFY(first > 0 && table()->highlighted() > 0 && table()->highlighted() != first);
        const auto& points = page()->costChart()->points();
        const auto cheapest = std::min_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
        QCOMPARE(first, cheapest->id);
        QCOMPARE(page()->costChart()->fronts().size(), std::size_t{1});
        QCOMPARE(page()->costChart()->fronts().front().front(), cheapest->id);
    }

    void settingsThatDifferStandBesideEachOther()
    {
        QVERIFY(threeRuns());
        clickRow(run(0));
        clickRow(run(1), Qt::ControlModifier);
        QTRY_COMPARE(page()->settingsTable()->columnCount(), 2);
        const QTableWidget* settings = page()->settingsTable();
        QStringList labels;
        for (int row = 0; row < settings->rowCount(); ++row)
            labels += settings->verticalHeaderItem(row)->text();
        QVERIFY2(labels == (QStringList{"Rank", "Core rank", "Iterations"}), qPrintable(labels.join(u',')));
        QStringList ranks{settings->item(0, 0)->text(), settings->item(0, 1)->text()};
        ranks.sort();
        QCOMPARE(ranks, (QStringList{"12", "2"}));
        clickRow(run(2), Qt::ControlModifier);
        QTRY_COMPARE(page()->settingsTable()->columnCount(), 3);
        QVERIFY(settings->rowCount() > 3);
        clickRow(run(1)); // beside one that is chosen stands one that is shown
        for (const int hidden : {0, 2}) {
            run(0)->setVisible(hidden != 0);
            run(2)->setVisible(hidden != 2);
            const QString other = run(2 - hidden)->name();
            QTRY_VERIFY(settings->columnCount() == 2 && settings->horizontalHeaderItem(1)->text() == other);
        }
    }

    void theAgreementOfTwoRunsIsASentence()
    {
        start("cp-als", 3, 30)->setName(QStringLiteral("A"));
        start("cp-als", 3, 30)->setName(QStringLiteral("B"));
        start("fasttucker", 4, 3)->setName(QStringLiteral("T"));
        QVERIFY(ended());
        show();
        clickRow(run(0));
        clickRow(run(1), Qt::ControlModifier);
        // The same seed and settings: the same model.
        QTRY_VERIFY_WITH_TIMEOUT(page()->agreementText().contains(QStringLiteral("find the same 3 components (agreement 1.00).")), 20'000);
        QVERIFY(page()->agreementToolTip().contains(QStringLiteral("0.85")));
        clickRow(run(0));
        clickRow(run(2), Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(page()->agreementText().contains(QStringLiteral("directions in common: ")), 20'000);
        QVERIFY2(page()->agreementText().contains(QStringLiteral(" of 3 in origin")), qPrintable(page()->agreementText()));
        QVERIFY(page()->agreementToolTip().contains(QStringLiteral("0.95")));
    }

    void theAgreementFollowsARunThatGoesOn()
    {
        start("cp-als", 3, 1);
        start("cp-als", 3, 30);
        QVERIFY(ended());
        show();
        clickRow(run(0));
        clickRow(run(1), Qt::ControlModifier);
        const QString same = QStringLiteral("find the same 3 components (agreement 1.00).");
        QTRY_VERIFY_WITH_TIMEOUT(page()->agreementText().contains(QStringLiteral("agreement ")), 20'000);
        QVERIFY2(!page()->agreementText().contains(same), qPrintable(page()->agreementText()));
        m_gui->session.continueRun(run(0), run(1)->config().stopping);
        QVERIFY(ended());
        QTRY_VERIFY2_WITH_TIMEOUT(page()->agreementText().contains(same), qPrintable(page()->agreementText()), 20'000);
    }

    void modelsOfOtherSizesAreRefusedInASentence()
    {
        start("fasttucker", 2, 3)->setName(QStringLiteral("A"));
        kernels::SyntheticSpec spec;
        spec.dims = {30, 20, 10};
        spec.entries = 2000;
        m_gui->session.generate(spec, QStringLiteral("planted"));
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, 20'000);
        kernels::RunConfig config = run(0)->config();
        config.coreRank = 0;
        m_gui->session.start(config, m_gui->session.tensors().back())->setName(QStringLiteral("B"));
        QVERIFY(ended());
        m_gui->window.actions().allTensors->setChecked(true);
        show();
        QTRY_VERIFY_WITH_TIMEOUT(page()->agreementText().contains(QStringLiteral("different sizes")), 20'000);
        QVERIFY2(page()->agreementText().contains(QStringLiteral("30 x 20 x 10")), qPrintable(page()->agreementText()));
    }

    void theTableIsCopiedInEveryForm()
    {
        QVERIFY(threeRuns());
        const QMenu* menu = page()->copyButton()->menu();
        entry(menu, QStringLiteral("CSV, all digits"))->trigger();
        QString text = QApplication::clipboard()->text();
        QCOMPARE(text.count(QLatin1Char('\n')), qsizetype{4});
        entry(menu, QStringLiteral("Markdown"))->trigger();
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("| run | ")));
        entry(menu, QStringLiteral("LaTeX"))->trigger();
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("\\end{tabular}")));
        clickRow(run(1));
        entry(entry(menu, QStringLiteral("Chosen runs"))->menu(), QStringLiteral("CSV, all digits"))->trigger();
        text = QApplication::clipboard()->text();
        QCOMPARE(text.count(QLatin1Char('\n')), qsizetype{2});
        QVERIFY(text.contains(QStringLiteral("large")));
        QVERIFY2(text.contains(QString::number(run(1)->history()[run(1)->bestIteration() - 1].testRmse, 'g', 17).left(10)),
                 qPrintable(text));
        const auto labels = m_gui->window.findChildren<QLabel*>();
        QVERIFY(
            std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->text() == QStringLiteral("Copied 1 run"); }));
    }

    void chartsSaveAsPictureAndNumbers()
    {
        QVERIFY(threeRuns());
        const std::pair<const ui::Card*, QSize> cards[] = {{page()->timeCard(), page()->timeChart()->size()},
                                                           {page()->costCard(), page()->costChart()->size()},
                                                           {page()->barCard(), page()->barChart()->size()}};
        for (const auto& [card, size] : cards) {
            const QString png = m_folder.filePath(QStringLiteral("chart.png")), csv = m_folder.filePath(QStringLiteral("chart.csv"));
            QCOMPARE(card->save(png), QString());
            QCOMPARE(QImage(png).size(), size * 2);
            QCOMPARE(card->save(csv), QString());
            QFile file(csv);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            QVERIFY2(text.contains("small") && text.contains("large"), text);
        }
    }

    void barsShowTheChosenColumn()
    {
        QVERIFY(threeRuns());
        ui::BarChart* chart = page()->barChart();
        QCOMPARE(chart->csv().count(QLatin1Char('\n')), qsizetype{4});
        page()->barBox()->setCurrentIndex(page()->barBox()->findData(QStringLiteral("fit")));
        QCOMPARE(chart->csv().count(QLatin1Char('\n')), qsizetype{2});
        QVERIFY2(page()->barCard()->subtitle().contains(QStringLiteral("not known of 2 runs")), qPrintable(page()->barCard()->subtitle()));
    }

    void theWheelScrollsThePageAndWithCtrlZooms()
    {
        QVERIFY(threeRuns());
        QWidget* viewport = m_gui->viewport(page()->timeChart());
        const QPointF centre = viewport->rect().center();
        const auto turn = [&](Qt::KeyboardModifiers keys) {
            QWheelEvent wheel(centre, viewport->mapToGlobal(centre), QPoint(), QPoint(0, 240), Qt::NoButton, keys, Qt::NoScrollPhase,
                              false);
            QApplication::sendEvent(viewport, &wheel);
        };
        turn(Qt::NoModifier);
        QVERIFY(!page()->timeChart()->isHeld());
        turn(Qt::ControlModifier);
        QVERIFY(page()->timeChart()->isHeld());
    }

    void fortyRunsAndAFailedOneStaySwift()
    {
        for (unsigned i = 0; i < 40; ++i)
            start("fasttucker", 2 + i % 7, 2)->setName(QStringLiteral("A run with quite a long name, number %1").arg(i));
        kernels::RunConfig broken = run(0)->config();
        broken.split = {kernels::SplitKind::File, 0.1, "/nowhere/test.tns"};
        app::Run* failed = m_gui->session.start(broken, m_gui->session.tensors().front());
        QVERIFY(ended());
        show();
        QTRY_COMPARE(model()->rowCount(), 41);
        QCOMPARE(failed->state(), RunState::Failed);
        const QModelIndex dash = model()->index(model()->rowOf(failed->id()), columnOf("rmse"));
        QCOMPARE(dash.data().toString(), QStringLiteral("–"));
        QVERIFY(dash.data(Qt::ToolTipRole).toString().contains(QStringLiteral("/nowhere/test.tns")));
        QCOMPARE(dash.row(), 40); // the last, whatever the order
        QVERIFY(table()->height() < 400);
        QCOMPARE(page()->costChart()->points().size(), std::size_t{40});
        QElapsedTimer clock;
        clock.start();
        for (int i = 0; i < 10; ++i)
            model()->refresh();
        QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed()))); // ten times; a sanitizer's build included
    }

    void everyControlHasAName()
    {
        QVERIFY(threeRuns());
        for (QWidget* each : page()->findChildren<QWidget*>())
            if (each->focusPolicy() & Qt::TabFocus && each->isVisible() && !qobject_cast<QAbstractScrollArea*>(each->parentWidget()))
                QVERIFY2(!each->accessibleName().isEmpty() || each->inherits("QScrollBar"),
                         qPrintable(each->metaObject()->className() + QStringLiteral(" ") + each->objectName() + QStringLiteral(" in ")
                                    + each->parentWidget()->metaObject()->className()));
    }
};

QTEST_MAIN(tst_compare)
#include "tst_compare.moc"
