// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "gui/person_settings.h"
#include "ui/dialogs/sweep_dialog.h"
#include "ui/models/run_edits.h"
#include "ui/models/run_list_model.h"
#include "ui/models/sweep_plan_model.h"
#include "ui/models/value_table.h"
#include "ui/pages/sweep_page.h"
#include "ui/widgets/spread_chart.h"
#include "ui/widgets/value_view.h"

#include <QClipboard>
#include <QLineEdit>
#include <QMessageBox>
#include <QProcess>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>

#include <algorithm>
#include <memory>

#include <time.h>

using app::RunState;

/// Sweeps and the queue, by clicks and keys.
class tst_sweep : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

    ui::SweepPage* page() const { return m_gui->window.sweepPage(); }
    app::Session& session() const { return m_gui->session; }
    app::Run* run(int number) const { return session().runs().at(static_cast<std::size_t>(number)); }
    ui::SweepDialog* dialog() const { return m_gui->window.findChild<ui::SweepDialog*>(); }

    void type(QLineEdit* field, const QString& text) const
    {
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
    }
    bool planned() const
    {
        return QTest::qWaitFor([this] { return !dialog()->isPlanning(); }, 10'000);
    }
    static double threadMilliseconds()
    {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    }
    void setStopping(const kernels::StoppingRules& rules) const
    {
        kernels::RunConfig config = m_gui->window.runForm()->config();
        config.stopping = rules;
        m_gui->window.runForm()->setConfig(config);
        QVERIFY(QTest::qWaitFor([this] { return m_gui->window.runForm()->isReady(); }, 10'000));
    }
    /// Runs of a few iterations.
    void setIterations(unsigned iterations) const { setStopping({iterations, 0, 3, 0}); }
    /// Runs that soon converge.
    void letConverge() const { setStopping({2000, 0.01, 3, 0}); }
    /// The dialog by the form's button, with these ranks.
    bool openDialog(const QString& ranks, int replicates) const
    {
        m_gui->click(m_gui->button(m_gui->window.runForm(), QStringLiteral("Sweep…")));
        if (!dialog())
            return false;
        type(dialog()->values(0), ranks);
        dialog()->replicates()->setValue(replicates);
        return planned();
    }
    bool ended() const
    {
        return QTest::qWaitFor([this] { return !session().hasActiveRuns(); }, 60'000);
    }
    /// Three ranks of two replicates, each pair with its agreement on the page.
    bool compared() const
    {
        const auto all = [this] {
            const auto& groups = page()->agreementChart()->groups();
            return groups.size() == 3 && page()->progressText().isEmpty()
                && std::all_of(groups.begin(), groups.end(), [](const ui::SpreadGroup& group) { return group.values.size() == 1; });
        };
        return QTest::qWaitFor(all, 20'000);
    }
    /// A run that holds the device, started by the form.
    app::Run* occupy() const
    {
        app::Run* first = m_gui->startEndless();
        return first && QTest::qWaitFor([first] { return first->state() == RunState::Running; }, 20'000) ? first : nullptr;
    }
    QString progressOf(const app::Run* of) const
    {
        const auto* model = m_gui->window.workspace()->runList()->model();
        for (int row = 0; row < model->rowCount(); ++row)
            if (model->index(row, 0).data(ui::RunListModel::RunIdRole).toInt() == of->id())
                return model->index(row, 0).data(ui::RunListModel::ProgressRole).toString();
        return {};
    }

private Q_SLOTS:
    void init()
    {
        QSettings().remove(QStringLiteral("sweep"));
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
    }
    void cleanup() { m_gui.reset(); }

    void withoutRunsThePageOffersASweep()
    {
        QTest::keyClick(&m_gui->window, Qt::Key_6, Qt::AltModifier);
        QVERIFY(page()->isVisible() && page()->isEmpty());
        const auto all = page()->findChildren<QPushButton*>();
        auto* offer = *std::find_if(all.begin(), all.end(), [](const QPushButton* each) { return each->isVisible(); });
        m_gui->click(offer);
        QVERIFY(dialog());
        QTest::keyClick(dialog(), Qt::Key_Escape);
    }

    void aSweepGoesFromTheFormToAnAdvice()
    {
        letConverge();
        QVERIFY(openDialog(QStringLiteral("2,4,8"), 2));
        QCOMPARE(dialog()->model()->rowCount(), 6);
        QVERIFY2(dialog()->summary().startsWith(QStringLiteral("6 runs, about ")), qPrintable(dialog()->summary()));
        QCOMPARE(dialog()->startButton()->text(), QStringLiteral("Start 6 runs"));
        QVERIFY2(dialog()->seeds().endsWith(QStringLiteral("seeds 42 to 43: other starts and test parts")), qPrintable(dialog()->seeds()));
        m_gui->click(dialog()->startButton());
        QVERIFY(page()->isVisible()); // where the results come
        QTRY_COMPARE(session().runs().size(), std::size_t{6});
        QCOMPARE(run(0)->name(), QStringLiteral("rank 2, seed 42"));
        QCOMPARE(run(5)->name(), QStringLiteral("rank 8, seed 43"));
        QVERIFY(run(0)->isVisible());
        QVERIFY(ended());

        QVERIFY(compared());
        for (const ui::SpreadGroup& group : page()->errorChart()->groups())
            QCOMPARE(group.values.size(), std::size_t{2});
        QTRY_COMPARE(page()->agreementChart()->groups()[2].values.size(), std::size_t{1});
        QVERIFY(!page()->consistencyChart()->isVisible()); // no CP model
        QTRY_VERIFY2(page()->adviceText().contains(QStringLiteral("ank ")), qPrintable(page()->adviceText()));
        QCOMPARE(page()->table()->rowCount(), 3);
        QCOMPARE(page()->seriesBox()->count(), 1);

        // A rank's row leads to its best run.
        const int before = m_gui->window.workspace()->currentRun() ? m_gui->window.workspace()->currentRun()->id() : -1;
        page()->tableView()->setCurrentIndex(page()->table()->index(2, 0));
        QTest::keyClick(page()->tableView(), Qt::Key_Return);
        const app::Run* chosen = m_gui->window.workspace()->currentRun();
        QVERIFY(chosen && chosen->id() != before);
        QCOMPARE(chosen->config().ranks.front(), page()->table()->row(2).cells[0].number);
    }

    void runsThatHadNotConvergedAreContinued()
    {
        setStopping({2, 0.01, 3, 0});
        QVERIFY(openDialog(QStringLiteral("2,3,4"), 2));
        m_gui->click(dialog()->startButton());
        QTRY_COMPARE(session().runs().size(), std::size_t{6});
        QVERIFY(ended());
        QTRY_VERIFY2(page()->adviceText().startsWith(
                         QStringLiteral("No rank can be recommended yet: 6 of 6 runs ended while their error still fell.")),
                     qPrintable(page()->adviceText()));
        // What they reached is shown, and that it does not count.
        const ui::SpreadGroup& group = page()->errorChart()->groups()[0];
        QVERIFY(group.values.empty() && group.uncounted.size() == 2);
        QVERIFY(page()->table()->row(0).cells[1].text.startsWith(u'('));
        QTRY_VERIFY(page()->continueButton()->isVisible());
        QCOMPARE(page()->continueButton()->text(), QStringLiteral("Continue 6 runs"));
        for (int times = 0; times < 12 && page()->continueButton()->isVisible(); ++times) {
            m_gui->click(page()->continueButton());
            QVERIFY(ended());
            QTest::qWait(500); // two turns of the drawing timer
        }
        QVERIFY(!page()->continueButton()->isVisible());
        QVERIFY(run(0)->history().size() > 2);
        QCOMPARE(session().runs().size(), std::size_t{6});
        QCOMPARE(page()->seriesBox()->count(), 1); // some went on for longer than others
        QVERIFY(compared());
        QVERIFY2(!page()->adviceText().contains(QStringLiteral("converged")), qPrintable(page()->adviceText()));
    }

    void cpHasCoreConsistencies()
    {
        auto* algorithm = m_gui->window.runForm()->findChild<QComboBox*>(QStringLiteral("algorithm"));
        algorithm->setCurrentIndex(algorithm->findData(QStringLiteral("cp-als")));
        setStopping({500, 1e-4, 3, 0});
        QVERIFY(openDialog(QStringLiteral("1..3"), 2));
        QVERIFY2(dialog()->seeds().endsWith(QStringLiteral("seeds 42 to 43: other starts")), qPrintable(dialog()->seeds()));
        m_gui->click(dialog()->startButton());
        QTRY_COMPARE(session().runs().size(), std::size_t{6});
        QVERIFY(ended());
        QTRY_VERIFY_WITH_TIMEOUT(page()->consistencyChart()->isVisible() && page()->consistencyChart()->groups().size() == 3
                                     && !page()->consistencyChart()->groups()[0].values.empty() && page()->progressText().isEmpty(),
                                 20'000);
        QVERIFY(std::abs(page()->consistencyChart()->groups()[0].values[0] - 100) < 1e-6); // of one component
        QVERIFY2(page()->adviceText().contains(QStringLiteral("No entries were held out")), qPrintable(page()->adviceText()));
    }

    void slipsAreToldAndMendedInTheDialog()
    {
        QVERIFY(openDialog(QStringLiteral("10..2"), 2));
        QVERIFY2(dialog()->problem().contains(QStringLiteral("the smaller end first")), qPrintable(dialog()->problem()));
        QVERIFY(dialog()->values(0)->property("invalid").toBool());
        QVERIFY(!dialog()->startButton()->isEnabled() && !dialog()->queueButton()->isEnabled());
        type(dialog()->values(0), QStringLiteral("4,4000"));
        QVERIFY(planned());
        QVERIFY(dialog()->problem().isEmpty() && dialog()->startButton()->isEnabled());
        QVERIFY2(dialog()->summary().endsWith(QStringLiteral("2 combinations left out")), qPrintable(dialog()->summary()));
        const QModelIndex reason = dialog()->model()->index(1, dialog()->model()->columnCount() - 1);
        QVERIFY2(reason.data().toString().contains(QStringLiteral("rank out of range")), qPrintable(reason.data().toString()));
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QVERIFY(session().runs().empty());
    }

    void anotherFieldIsAddedChosenAndRemembered()
    {
        setIterations(3);
        QVERIFY(openDialog(QStringLiteral("2,3"), 1));
        m_gui->click(dialog()->addButton());
        QCOMPARE(dialog()->fieldCount(), 2);
        QComboBox* field = dialog()->field(1);
        field->setCurrentIndex(field->findData(QStringLiteral("precision")));
        type(dialog()->values(1), QStringLiteral("fp32,fp64"));
        QVERIFY(planned());
        QCOMPARE(dialog()->model()->rowCount(), 4);
        m_gui->click(dialog()->commandButton());
        const QString command = QApplication::clipboard()->text();
        QVERIFY2(command.startsWith(QStringLiteral("polyad-cli sweep ")) && command.contains(QStringLiteral(" --ranks 2,3 "))
                     && command.endsWith(QStringLiteral(" --vary precision=fp32,fp64")),
                 qPrintable(command));
        // Typed, it plans the same runs.
        QProcess typed;
        QStringList arguments = QProcess::splitCommand(command).mid(1);
        typed.start(QCoreApplication::applicationDirPath() + QStringLiteral("/../bin/polyad-cli"),
                    arguments << QStringLiteral("--dry-run"));
        QVERIFY(typed.waitForFinished(20'000));
        QVERIFY2(typed.readAllStandardOutput().contains("\n4 runs"), typed.readAllStandardError().constData());
        m_gui->click(dialog()->startButton());
        QTRY_COMPARE(session().runs().size(), std::size_t{4});
        QVERIFY(ended());
        QTRY_COMPARE(page()->seriesBox()->count(), 2); // a series for each precision
        m_gui->click(page()->newSweepButton());
        QTRY_VERIFY(dialog() && dialog()->fieldCount() == 2);
        QCOMPARE(dialog()->values(0)->text(), QStringLiteral("2,3"));
        QCOMPARE(dialog()->values(1)->text(), QStringLiteral("fp32,fp64"));
        QCOMPARE(dialog()->replicates()->value(), 1);
        QTest::keyClick(dialog(), Qt::Key_Escape);
    }

    /// Where the rank is one, the field that was varied is the axis.
    void anotherFieldAloneHasItsChartAndAdvice()
    {
        letConverge();
        QVERIFY(openDialog(QStringLiteral("2"), 2));
        QComboBox* field = dialog()->field(0);
        field->setCurrentIndex(field->findData(QStringLiteral("lambda-a")));
        type(dialog()->values(0), QStringLiteral("100,0.1,1"));
        QVERIFY(planned());
        m_gui->click(dialog()->startButton());
        QTRY_COMPARE(session().runs().size(), std::size_t{6});
        QVERIFY(ended());
        QTRY_COMPARE(page()->errorChart()->groups().size(), std::size_t{3});
        QTRY_VERIFY(page()->progressText().isEmpty() && page()->errorChart()->groups()[2].values.size() == 2);
        QCOMPARE(page()->errorChart()->groups()[0].label, QStringLiteral("0.1")); // in the order of numbers
        QCOMPARE(page()->errorChart()->groups()[2].label, QStringLiteral("100"));
        QTRY_COMPARE(page()->agreementChart()->groups()[1].values.size(), std::size_t{1});
        QCOMPARE(page()->table()->columns().front().title, QStringLiteral("Penalty A"));
        QCOMPARE(page()->seriesBox()->count(), 1);
        QVERIFY2(page()->seriesBox()->currentText().contains(QStringLiteral("by Penalty A")),
                 qPrintable(page()->seriesBox()->currentText()));
        QVERIFY2(page()->adviceText().contains(QStringLiteral("Penalty A")), qPrintable(page()->adviceText()));
        QVERIFY(page()->errorChart()->csv().startsWith(QStringLiteral("Penalty A,")));
        page()->tableView()->setCurrentIndex(page()->table()->index(1, 0));
        QTest::keyClick(page()->tableView(), Qt::Key_Return);
        QCOMPARE(std::get<double>(m_gui->window.workspace()->currentRun()->config().parameters.at("lambda-a")), 1.0);
    }

    void queuedRunsWaitAndTheQueueCanBePausedAndSorted()
    {
        app::Run* first = occupy();
        QVERIFY(first);
        QPushButton* queue = m_gui->button(m_gui->window.runForm(), QStringLiteral("Queue"));
        for (int i = 0; i < 3; ++i)
            m_gui->click(queue);
        QCOMPARE(session().runs().size(), std::size_t{4});
        app::Run *a = run(1), *b = run(2), *c = run(3);
        ui::WorkspacePanel* panel = m_gui->window.workspace();
        QCOMPARE(panel->queueText(), QStringLiteral("3 waiting"));
        QCOMPARE(progressOf(c), QStringLiteral("number 3 in the queue"));

        m_gui->click(panel->queueButton());
        QVERIFY(session().isQueuePaused());
        QCOMPARE(panel->queueText(), QStringLiteral("queue paused · 3"));
        QCOMPARE(progressOf(a), QStringLiteral("number 1 in the paused queue"));

        panel->setCurrentRun(c->id());
        QVERIFY(m_gui->window.actions().moveUp->isEnabled() && !m_gui->window.actions().moveDown->isEnabled());
        QTest::keyClick(&m_gui->window, Qt::Key_Up, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(session().queuePosition(c), 2);
        QTest::keyClick(&m_gui->window, Qt::Key_Home, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(session().queuePosition(c), 1);
        QVERIFY(!m_gui->window.actions().moveUp->isEnabled());
        QTest::keyClick(&m_gui->window, Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(session().queuePosition(c), 2);
        QCOMPARE(session().queuePosition(a), 1);
        QCOMPARE(session().queuePosition(b), 3);

        first->stop();
        QTRY_COMPARE_WITH_TIMEOUT(first->state(), RunState::Stopped, 20'000);
        QTest::qWait(300);
        QCOMPARE(a->state(), RunState::Queued); // paused
        QTest::keyClick(&m_gui->window, Qt::Key_F6, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(a->state(), RunState::Running, 20'000);
        for (app::Run* each : {c, b, a})
            each->stop();
        QVERIFY(ended());
        QTRY_VERIFY(panel->queueText().isEmpty());
        QVERIFY(!panel->queueButton()->isVisible());
    }

    void hundredsOfRunsNeverHoldTheWindowUp()
    {
        QVERIFY(occupy());
        QVERIFY(openDialog(QStringLiteral("1..60"), 5));
        QCOMPARE(dialog()->startButton()->text(), QStringLiteral("Start 300 runs"));
        // By the thread's own time: others may keep the machine from it.
        double before = threadMilliseconds(), longest = 0;
        QTimer beat;
        beat.setInterval(0);
        connect(&beat, &QTimer::timeout, this, [&] {
            const double now = threadMilliseconds();
            longest = std::max(longest, now - before);
            before = now;
        });
        beat.start();
        m_gui->click(dialog()->queueButton());
        QTRY_COMPARE_WITH_TIMEOUT(session().runs().size(), std::size_t{301}, 60'000);
        QTest::qWait(1000);
        beat.stop();
        qInfo("longest turn of the event loop: %.0f ms", longest);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
        QVERIFY2(longest < 100, qPrintable(QString::number(longest)));
#endif
        QVERIFY(!run(300)->isVisible()); // so many cannot be told apart in a chart
        // Until they are wanted, all at once: by the page's button, and by the run's menu.
        QTRY_COMPARE(page()->visibilityButton()->text(), QStringLiteral("Show in charts"));
        m_gui->click(page()->visibilityButton());
        const auto shown = [this] {
            return std::count_if(session().runs().begin(), session().runs().end(), [](const app::Run* each) { return each->isVisible(); });
        };
        QTRY_COMPARE_WITH_TIMEOUT(shown(), 301, 20'000);
        QTRY_COMPARE(page()->visibilityButton()->text(), QStringLiteral("Hide in charts"));
        m_gui->window.workspace()->setCurrentRun(run(7)->id());
        QTRY_VERIFY(m_gui->window.actions().toggleSweep->isEnabled());
        m_gui->window.activateWindow(); // the dialog had been
        QTRY_VERIFY(m_gui->window.isActiveWindow());
        QTest::keyClick(&m_gui->window, Qt::Key_H, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(shown() > 1); // some at a time
        QTRY_COMPARE_WITH_TIMEOUT(shown(), 1, 20'000);
        QCOMPARE(session().waitingCount(), 300);

        // Removed together, after a question.
        QTRY_VERIFY(page()->isVisible() && !page()->isEmpty());
        m_gui->click(page()->removeButton());
        auto* question = m_gui->window.findChild<QMessageBox*>(QStringLiteral("removeQuestion"));
        QVERIFY(question && question->text().contains(QStringLiteral("300 runs")));
        m_gui->click(m_gui->button(question, QStringLiteral("Remove them")));
        QTRY_COMPARE(session().runs().size(), std::size_t{1});
        QCOMPARE(session().waitingCount(), 0);
    }

    void aRunOfNoSweepHasNoneToRemove()
    {
        const ui::Actions& actions = m_gui->window.actions();
        const auto offered = [&actions](bool yes) {
            return actions.toggleSweep->isEnabled() == yes && actions.removeSweep->isEnabled() == yes;
        };
        QVERIFY(offered(false)); // there is no run
        setIterations(2);
        QPushButton* start = m_gui->startRun();
        m_gui->click(start);
        QTRY_COMPARE(session().runs().size(), std::size_t{1});
        QVERIFY(ended());
        m_gui->window.workspace()->setCurrentRun(run(0)->id());
        QTest::qWait(50);
        QVERIFY(offered(false));
        kernels::RunConfig config = m_gui->window.runForm()->config();
        ++config.seed; // of another start: now they are two of a series
        m_gui->window.runForm()->setConfig(config);
        QTRY_VERIFY(start->isEnabled());
        m_gui->click(start);
        QTRY_COMPARE(session().runs().size(), std::size_t{2});
        QTRY_VERIFY(offered(true));
        QVERIFY(ended());
        m_gui->window.edits()->remove({run(1)->id()});
        QTRY_VERIFY(offered(false));
    }

    /// Wherever somebody looks meanwhile: at the page, or at another.
    void removedModelsLeaveTheMemory_data()
    {
        QTest::addColumn<int>("shown");
        QTest::newRow("its page") << static_cast<int>(ui::MainWindow::SweepTab);
        QTest::newRow("another page") << static_cast<int>(ui::MainWindow::DataTab);
    }

    void removedModelsLeaveTheMemory()
    {
        QFETCH(int, shown);
        letConverge();
        QVERIFY(openDialog(QStringLiteral("2,3,4"), 2));
        m_gui->click(dialog()->startButton());
        QTRY_COMPARE(session().runs().size(), std::size_t{6});
        QVERIFY(ended());
        QVERIFY(compared());
        page()->showSeriesOf(run(0)->id()); // chosen again, now that it has models
        QTest::qWait(500);
        m_gui->window.showPage(static_cast<ui::MainWindow::Page>(shown));
        std::vector<std::weak_ptr<const app::RunOutcome>> models;
        std::vector<int> ids;
        for (const app::Run* each : session().runs()) {
            models.push_back(each->outcome());
            ids.push_back(each->id());
        }
        m_gui->window.edits()->remove(ids);
        QTRY_VERIFY(session().runs().empty());
        m_gui->window.edits()->stack()->clear();
        const auto left = [&models] {
            return std::count_if(models.begin(), models.end(), [](const auto& each) { return !each.expired(); });
        };
        QTRY_COMPARE(left(), 0);
    }

    void resultsAreThereAgainInASession()
    {
        letConverge();
        QVERIFY(openDialog(QStringLiteral("2,3,4"), 2));
        m_gui->click(dialog()->startButton());
        QTRY_COMPARE(session().runs().size(), std::size_t{6});
        QVERIFY(ended());
        QVERIFY(compared());
        const QString path = m_folder.filePath(QStringLiteral("sweep.polyad"));
        QSignalSpy saved(&session(), &app::Session::exportFinished);
        session().save(path, QStringLiteral("{}"));
        QVERIFY(saved.wait(20'000));
        const QString before = page()->adviceText();
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
        session().openSession(path);
        QTRY_COMPARE_WITH_TIMEOUT(session().runs().size(), std::size_t{6}, 20'000);
        m_gui->window.showPage(ui::MainWindow::SweepTab);
        QTRY_COMPARE_WITH_TIMEOUT(page()->table()->rowCount(), 3, 20'000);
        QVERIFY(compared());
        QCOMPARE(page()->adviceText(), before);
    }
};

QTEST_MAIN(tst_sweep)
#include "tst_sweep.moc"
