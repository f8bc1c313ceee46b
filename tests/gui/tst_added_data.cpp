// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_update.h"
#include "app/run_job.h"
#include "app/tensor_source.h"
#include "gui/gui_driver.h"
#include "support/arrivals.h"
#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/models/run_traces.h"
#include "ui/pages/predict_entry_view.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>

#include <cmath>
#include <memory>

using app::RunState;

/// New data is added to a run of Non-negative CP: from its menu, by a file dialog, into a run of its own.
class tst_added_data : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;
    QString m_second, m_third;

    QString at(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QString text(const char* name, const QByteArray& lines) const { return test::writeLines(at(name), lines) ? at(name) : QString(); }

    QAction* action() const { return m_gui->window.actions().addData; }
    QListView* runList() const { return m_gui->window.workspace()->runList(); }
    QListView* tensorList() const { return m_gui->window.workspace()->tensorList(); }
    QStringList messages() const { return m_gui->window.messageBar()->messages(); }

    app::Run* finished(const char* algorithm, unsigned iterations = 20, double testFraction = 0.1) const
    {
        kernels::RunConfig config;
        config.algorithm = algorithm;
        config.split.testFraction = testFraction;
        config.ranks = {4};
        config.stopping = {iterations, 0, iterations, 0};
        m_gui->window.runForm()->setConfig(config);
        app::Run* const run = m_gui->startWithForm();
        return run && QTest::qWaitFor([run] { return run->state() == RunState::Finished; }, 30'000) ? run : nullptr;
    }

    QRect itemOf(const app::Run* run) const
    {
        const auto& runs = m_gui->session.runs();
        const auto row = static_cast<int>(std::find(runs.begin(), runs.end(), run) - runs.begin());
        return runList()->visualRect(runList()->model()->index(row, 0));
    }
    void choose(const app::Run* run) const { QTest::mouseClick(runList()->viewport(), Qt::LeftButton, {}, itemOf(run).center()); }

    /// By the run's own menu and the dialog that it opens.
    bool add(const app::Run* to, const QString& path) const
    {
        Q_EMIT runList()->customContextMenuRequested(itemOf(to).center());
        auto* const menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (!menu || !menu->actions().contains(action()))
            return false;
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action()).center());
        auto* const dialog = m_gui->window.findChild<QFileDialog*>();
        if (!dialog || dialog->fileMode() != QFileDialog::ExistingFile)
            return false;
        dialog->findChild<QLineEdit*>()->setText(path);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        return m_gui->session.loadJobs().size() == 1;
    }
    bool waitForRuns(std::size_t count) const
    {
        return QTest::qWaitFor([&] { return m_gui->session.runs().size() == count && m_gui->session.loadJobs().empty(); }, 30'000);
    }

    /// What the engine makes of the run's model and the file.
    static io::ModelFile learnt(const app::Run& run, const QString& path)
    {
        io::ModelFile file = app::describeRun(run.record());
        file.model = run.outcome()->result.best;
        file.kept = run.outcome()->result.kept;
        kernels::Progress progress;
        kernels::RunControl control;
        const auto open = app::openTensorLike(file, path.toStdString(), {}, progress);
        app::updateModel(file, app::batchFor(file, *open), {}, nullptr, control);
        return file;
    }
    static double largestDifference(const kernels::Model& a, const kernels::Model& b)
    {
        double largest = a.dims == b.dims ? 0 : HUGE_VAL;
        for (unsigned n = 0; n < a.order() && a.dims == b.dims; ++n)
            for (std::size_t i = 0; i < a.factors[n].rows; ++i)
                for (std::size_t r = 0; r < a.factors[n].columns; ++r)
                    largest = std::max(largest, std::abs(a.factors[n].at(i, r) - b.factors[n].at(i, r)));
        return largest;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const test::Arrivals arrivals(2);
        QVERIFY(QFile::copy(arrivals.firstFile(), at("first.tns")));
        m_second = text("second.tns", arrivals.batch(0));
        m_third = text("third.tns", arrivals.batch(1));
        QVERIFY(!m_second.isEmpty() && !m_third.isEmpty());
    }
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
        QVERIFY(m_gui->openFirst(at("first.tns")));
    }
    void cleanup() { m_gui.reset(); }

    void isGreyedWithItsReason()
    {
        QVERIFY(!action()->isEnabled());
        QVERIFY(action()->toolTip().endsWith(QStringLiteral("Choose a run first.")));
        app::Run* const other = finished("fasttucker", 3);
        QVERIFY(other);
        QTRY_VERIFY2(action()->toolTip().endsWith(QStringLiteral("\nOnly runs of Non-negative CP take new data.")),
                     qPrintable(action()->toolTip()));
        QVERIFY(!action()->isEnabled());
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        choose(run);
        QVERIFY(action()->isEnabled());
        QVERIFY2(!action()->toolTip().contains(QLatin1Char('\n')), qPrintable(action()->toolTip()));
        kernels::RunConfig endless = run->config();
        endless.stopping.iterations = 10'000'000;
        m_gui->window.runForm()->setConfig(endless);
        app::Run* const going = m_gui->startWithForm();
        QVERIFY(going);
        QTRY_COMPARE(m_gui->window.workspace()->currentRun(), going);
        QVERIFY(!action()->isEnabled());
        QVERIFY2(action()->toolTip().endsWith(QStringLiteral("\nWait until the run has ended.")), qPrintable(action()->toolTip()));
        QTRY_VERIFY(going->history().size() > 2);
        going->stop();
        QTRY_VERIFY(!going->isActive());
        QVERIFY(action()->isEnabled()); // its short iteration came to an end, with all sums
    }

    void theResultIsARunOfItsOwn()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run && m_gui->session.tensors().size() == 1);
        const auto before = run->outcome();
        const io::ModelFile expected = learnt(*run, m_second);
        choose(run);
        QVERIFY(add(run, m_second));
        QCOMPARE(m_gui->session.loadJobs().front()->title(), QStringLiteral("second.tns"));
        QVERIFY(waitForRuns(2));
        app::Run* const result = m_gui->session.runs().back();
        QCOMPARE(m_gui->window.workspace()->currentRun(), result);
        QCOMPARE(result->name(), run->name() + QStringLiteral(" + second.tns"));
        QCOMPARE(result->state(), RunState::Finished);
        QVERIFY(result->colorIndex() != run->colorIndex());
        QVERIFY2(ui::bestText(*run).startsWith(QStringLiteral("RMSE ")), qPrintable(ui::bestText(*run)));
        QVERIFY2(ui::bestText(*result).startsWith(QStringLiteral("RMSE ")), qPrintable(ui::bestText(*result)));
        QCOMPARE(run->outcome(), before); // as it was
        QCOMPARE(result->history().size(), run->history().size() + 1);
        QCOMPARE(result->bestIteration(), result->history().back().iteration);
        QVERIFY(result->outcome()->result.best.dims[2] > before->result.best.dims[2]);
        QVERIFY(largestDifference(expected.model, result->outcome()->result.best) < 1e-4);
        QVERIFY(largestDifference(expected.model, before->result.best) > 1e-4);
        const io::UpdateRecord* const update = result->updateAt(result->bestIteration());
        QVERIFY(update && std::abs(update->rmseAfter - expected.updates.back().rmseAfter) < 1e-4);
        // Of all entries nobody measured anything: the training curve ends where the run ended.
        QVERIFY(std::isnan(result->history().back().trainRmse) && std::isnan(result->history().back().divergence));
        ui::RunTraces traces;
        traces.update(*result);
        const auto trained = traces.points(result->id(), ui::TraceMetric::Rmse, ui::TracePart::Train);
        QCOMPARE(trained->back().x(), static_cast<double>(run->history().back().iteration));
        QCOMPARE(traces.points(result->id(), ui::TraceMetric::Divergence, ui::TracePart::Train)->size(), trained->size());
        const auto tested = traces.points(result->id(), ui::TraceMetric::Rmse, ui::TracePart::Test);
        QCOMPARE(tested->back().x(), static_cast<double>(result->bestIteration()));
        QVERIFY2(ui::bestDetails(*result).contains(QStringLiteral("test RMSE"))
                     && ui::bestDetails(*result).contains(QStringLiteral("RMSE of the new entries"))
                     && !ui::bestDetails(*result).contains(QStringLiteral("train RMSE")),
                 qPrintable(ui::bestDetails(*result)));
        QCOMPARE(messages().size(), 2); // equal coordinates in the file, and more than a tenth came at once
        QVERIFY2(messages().front().contains(QStringLiteral("pass over all")), qPrintable(messages().front()));
        QVERIFY2(messages().back().contains(QStringLiteral("second.tns")), qPrintable(messages().back()));
        QVERIFY(std::isfinite(result->history().back().testRmse)); // what it is compared with the other run by
        QVERIFY(!m_gui->window.actions().copyRunCommand->isEnabled());
        QVERIFY2(m_gui->window.actions().copyRunCommand->toolTip().contains(QStringLiteral("\nNo single command")),
                 qPrintable(m_gui->window.actions().copyRunCommand->toolTip()));
        m_gui->window.messageBar()->dismissAll();

        // The batches add up, and go with the session's file.
        QVERIFY(add(result, m_third));
        QVERIFY(waitForRuns(3));
        app::Run* const both = m_gui->session.runs().back();
        QCOMPARE(both->name(), run->name() + QStringLiteral(" + 2 files"));
        const io::ModelFile told = app::describeRun(both->record());
        QCOMPARE(told.updates.size(), std::size_t{2});
        QCOMPARE(told.updates[0].fileName, std::string("second.tns"));
        QCOMPARE(told.updates[1].fileName, std::string("third.tns"));
        QCOMPARE(both->history().size(), run->history().size() + 2);
        const QString name = both->name(); // the runs go with the window
        bool saved = false;
        connect(&m_gui->session, &app::Session::exportFinished, this, [&saved] { saved = true; });
        m_gui->session.save(at("study.polyad"), {});
        QTRY_VERIFY(saved);
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
        m_gui->window.openFiles({at("study.polyad")});
        QVERIFY(QTest::qWaitFor([this] { return m_gui->session.runs().size() == 3 && m_gui->session.loadJobs().empty(); }, 20'000));
        app::Run* const brought = m_gui->session.runs().back();
        QCOMPARE(brought->name(), name);
        choose(brought);
        QVERIFY(action()->isEnabled());
    }

    /// Where nothing judges the whole model its newest entries tell something, and are named.
    void withoutATestSetItsNewestEntriesJudge()
    {
        app::Run* const run = finished("ntf", 20, 0);
        QVERIFY(run && std::isnan(run->history().back().testRmse));
        QVERIFY(add(run, m_second));
        QVERIFY(waitForRuns(2));
        app::Run* const result = m_gui->session.runs().back();
        const io::UpdateRecord* const update = result->updateAt(result->bestIteration());
        QVERIFY(update && std::isnan(result->history().back().testRmse));
        const QString rmse = ui::formatting::metric(update->rmseAfter);
        QCOMPARE(ui::bestText(*result), QStringLiteral("RMSE of new ") + rmse);
        QVERIFY2(ui::bestDetails(*result).endsWith(
                     QStringLiteral("RMSE of the new entries %1, MAE %2 · divergence of the new entries %3")
                         .arg(rmse, ui::formatting::metric(update->maeAfter), ui::formatting::metric(update->divergenceAfter))),
                 qPrintable(ui::bestDetails(*result)));
        m_gui->window.showPage(ui::MainWindow::PredictTab);
        const auto* const entry = m_gui->window.findChild<ui::PredictEntryView*>();
        const auto facts = [&](const app::Run* of) {
            choose(of);
            return QTest::qWaitFor([&] { return entry->factsText().contains(QStringLiteral("typical error")); }) ? entry->factsText()
                                                                                                                 : QString();
        };
        const QString told = facts(result);
        QVERIFY2(told.contains(QStringLiteral("typical error %1 RMSE of the newest entries").arg(rmse)), qPrintable(told));
        QVERIFY2(facts(run).contains(QStringLiteral("RMSE of the training entries")), qPrintable(facts(run)));
    }

    /// Over all entries: by the message's button where the window knows the files, else by the dialog that asks for them.
    void passesOverAllEntries()
    {
        QAction* const passes = m_gui->window.actions().passOver;
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        choose(run);
        QVERIFY(!passes->isEnabled() && passes->toolTip().contains(QStringLiteral("learnt no files")));
        QVERIFY(add(run, m_second));
        QVERIFY(waitForRuns(2));
        m_gui->window.messageBar()->dismissAll();
        QVERIFY(add(m_gui->session.runs().back(), m_third));
        QVERIFY(waitForRuns(3));
        app::Run* const both = m_gui->session.runs().back();
        const QString name = both->name();
        const auto history = both->history().size();
        const double drifted = app::driftOf(app::describeRun(both->record()));
        QVERIFY(drifted > app::worthAPass);
        QTRY_VERIFY(passes->isEnabled());
        QCOMPARE(m_gui->session.knownFiles(*both), (QStringList{m_second, m_third}));
        passes->trigger();
        QVERIFY(!m_gui->session.loadJobs().empty());
        QVERIFY(m_gui->session.whyNoPasses(*both).contains(QStringLiteral("being added")));
        QTRY_COMPARE_WITH_TIMEOUT(both->history().size(), history + 1, 30'000);
        QCOMPARE(both->name(), name);
        const io::ModelFile told = app::describeRun(both->record());
        QCOMPARE(told.updates.size(), std::size_t{3});
        QCOMPARE(told.updates.back().sumsAnew, std::uint64_t{1});
        QVERIFY(told.updates.back().passes <= 2);
        QCOMPARE(app::driftOf(told), 0.0);
        QVERIFY(std::isfinite(both->history().back().testRmse) && std::isfinite(both->history().back().trainRmse));
        QCOMPARE(both->tensor()->tensor.dims(), both->outcome()->result.best.dims);

        // A file more: the name counts files, not passes; and files that moved are asked for, in any order.
        const QString fourth = text("fourth.tns", "1 1 1 2\n2 2 2 1\n");
        m_gui->window.messageBar()->dismissAll();
        QVERIFY(add(both, fourth));
        QVERIFY(waitForRuns(4));
        app::Run* const all = m_gui->session.runs().back();
        QCOMPARE(all->name(), run->name() + QStringLiteral(" + 3 files"));
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("moved")) && QFile::rename(fourth, at("moved/fourth.tns")));
        QVERIFY(m_gui->session.knownFiles(*all).isEmpty());
        QTRY_VERIFY(passes->isEnabled());
        passes->trigger();
        auto* const dialog = m_gui->window.findChild<QFileDialog*>();
        QVERIFY(dialog && dialog->fileMode() == QFileDialog::ExistingFiles);
        QVERIFY2(dialog->windowTitle().contains(QStringLiteral("second.tns, third.tns, fourth.tns")), qPrintable(dialog->windowTitle()));
        Q_EMIT dialog->filesSelected({at("moved/fourth.tns"), m_third}); // one is missing
        dialog->close();
        QTRY_VERIFY(m_gui->session.loadJobs().empty());
        QVERIFY2(messages().front().contains(QStringLiteral("not the entries that the model was made from")),
                 qPrintable(messages().front()));
        const auto before = all->history().size();
        m_gui->session.passOver(all, {at("moved/fourth.tns"), m_third, m_second});
        QTRY_COMPARE_WITH_TIMEOUT(all->history().size(), before + 1, 30'000);
    }

    /// A file that is another one by now is asked for as one that is gone, and refused where it is given all the same.
    void filesThatHaveChangedAreAskedFor()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        QVERIFY(add(run, text("changing.tns", "1 1 1 2\n2 2 2 1\n")));
        QVERIFY(waitForRuns(2));
        app::Run* const result = m_gui->session.runs().back();
        QCOMPARE(m_gui->session.knownFiles(*result), QStringList{at("changing.tns")});
        QVERIFY(!text("changing.tns", "1 1 1 2\n2 2 2 3\n").isEmpty());
        QVERIFY(m_gui->session.knownFiles(*result).isEmpty());
        m_gui->window.messageBar()->dismissAll();
        QTRY_VERIFY(m_gui->window.actions().passOver->isEnabled());
        m_gui->window.actions().passOver->trigger();
        auto* const dialog = m_gui->window.findChild<QFileDialog*>();
        QVERIFY(dialog && dialog->fileMode() == QFileDialog::ExistingFiles);
        const auto history = result->history().size();
        Q_EMIT dialog->filesSelected({at("changing.tns")});
        dialog->close();
        QTRY_COMPARE(messages().size(), 1);
        QVERIFY2(messages().front().contains(QStringLiteral("changing.tns"))
                     && messages().front().contains(QStringLiteral("others than when it was learnt")),
                 qPrintable(messages().front()));
        QCOMPARE(result->history().size(), history);
    }

    /// What says that passes are due goes with them, however they were asked for.
    void passesTakeTheirMessageAway()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run && add(run, m_second));
        QVERIFY(waitForRuns(2));
        app::Run* const result = m_gui->session.runs().back();
        const QString due = QStringLiteral("let it pass over all entries");
        QCOMPARE(messages().filter(due).size(), 1);
        const auto others = messages().size() - 1;
        const auto history = result->history().size();
        QTRY_VERIFY(m_gui->window.actions().passOver->isEnabled());
        m_gui->window.actions().passOver->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(result->history().size(), history + 1, 30'000);
        QTRY_COMPARE(messages().filter(due).size(), 0);
        QCOMPARE(messages().size(), others);
    }

    void aPassThatIsDueIsOffered()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run && add(run, m_second));
        QVERIFY(waitForRuns(2));
        const auto offer = [this] {
            QPushButton* pass = nullptr;
            for (QPushButton* button : m_gui->window.messageBar()->findChildren<QPushButton*>())
                if (button->text() == QStringLiteral("Pass over all entries"))
                    pass = button;
            return pass;
        };
        QVERIFY(offer());
        app::Run* const result = m_gui->session.runs().back();
        m_gui->session.addData(result, {m_third, false, true, true});
        QTest::mouseClick(offer(), Qt::LeftButton); // not now; and offered again
        QVERIFY2(messages().front().contains(QStringLiteral("Wait until what is being added")), qPrintable(messages().front()));
        QTRY_VERIFY(!m_gui->session.isLearning());
        const auto history = result->history().size();
        QVERIFY(offer());
        QTest::mouseClick(offer(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(result->history().size(), history + 1, 30'000);
        QCOMPARE(app::driftOf(app::describeRun(result->record())), 0.0);
    }

    void aKnownFileIsLearntOnceMoreOnlyWhereAsked()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        QVERIFY(add(run, at("first.tns"))); // what it was made from
        QTRY_COMPARE(messages().size(), 1);
        QVERIFY2(messages().front().contains(QStringLiteral("made from this file")), qPrintable(messages().front()));
        m_gui->window.messageBar()->dismissAll();
        QVERIFY(QFile::copy(m_second, at("copy.tns")));
        QVERIFY(add(run, m_second));
        QVERIFY(waitForRuns(2));
        m_gui->window.messageBar()->dismissAll(); // a pass over old entries is due
        app::Run* const result = m_gui->session.runs().back();
        QVERIFY(add(result, at("copy.tns"))); // by its bytes, not by its name
        QTRY_COMPARE(messages().size(), 1);
        QVERIFY2(messages().front().contains(QStringLiteral("learnt this file already")), qPrintable(messages().front()));
        QVERIFY2(!messages().front().contains(QStringLiteral("--again")), qPrintable(messages().front()));
        QCOMPARE(m_gui->session.runs().size(), std::size_t{2});
        QCOMPARE(app::describeRun(result->record()).updates.size(), std::size_t{1});
        QPushButton* once = nullptr;
        for (QPushButton* button : m_gui->window.messageBar()->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Add it all the same"))
                once = button;
        QVERIFY(once);
        QTest::mouseClick(once, Qt::LeftButton);
        QVERIFY(waitForRuns(3));
        QCOMPARE(app::describeRun(m_gui->session.runs().back()->record()).updates.size(), std::size_t{2});
        QVERIFY(messages().filter(QStringLiteral("already")).isEmpty());
    }

    /// One that grows stays the same run, with its colour, and what a person called it.
    void aRunCanGrowInPlace()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        QVERIFY(add(run, m_second));
        QVERIFY(waitForRuns(2));
        app::Run* const result = m_gui->session.runs().back();
        const auto history = result->history().size();
        const auto dims = result->outcome()->result.best.dims;
        m_gui->session.addData(result, {m_third, false, true, true});
        QVERIFY(waitForRuns(2));
        QCOMPARE(result->history().size(), history + 1);
        QCOMPARE(result->bestIteration(), result->history().back().iteration);
        QCOMPARE(result->name(), run->name() + QStringLiteral(" + 2 files"));
        QVERIFY(result->outcome()->result.best.dims[2] > dims[2]);
        QCOMPARE(result->tensor()->tensor.dims(), result->outcome()->result.best.dims);
        QCOMPARE(app::describeRun(result->record()).updates.size(), std::size_t{2});
        result->setName(QStringLiteral("Days"));
        m_gui->session.addData(result, {m_third, true, true, true});
        QTRY_COMPARE(result->history().size(), history + 2);
        QCOMPARE(result->name(), QStringLiteral("Days"));
        QCOMPARE(run->history().size(), history - 1);
    }

    void troubleWithTheFileIsTold_data()
    {
        QTest::addColumn<QByteArray>("lines");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("below zero") << QByteArray("1 1 1 2\n2 2 2 -3\n") << QStringLiteral("-3");
        QTest::newRow("order") << QByteArray("1 1 2\n2 2 3\n") << QStringLiteral("another order than the model");
        QTest::newRow("no tensor") << QByteArray("1 1 1 2\n1 x 1 2\n") << QStringLiteral("bad.tns");
    }
    void troubleWithTheFileIsTold()
    {
        QFETCH(const QByteArray, lines);
        QFETCH(const QString, sentence);
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        const auto before = run->outcome();
        QVERIFY(add(run, text("bad.tns", lines)));
        QTRY_COMPARE(messages().size(), 1);
        QVERIFY2(messages().front().contains(sentence), qPrintable(messages().front()));
        QTRY_VERIFY(m_gui->session.loadJobs().empty());
        QCOMPARE(m_gui->session.runs().size(), std::size_t{1});
        QCOMPARE(run->outcome(), before);
        QVERIFY(action()->isEnabled()); // with another file
    }

    void aCancelledOneLeavesNothing()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        QVERIFY(add(run, m_second));
        const QPointer<app::LoadJob> job = m_gui->session.loadJobs().front();
        const QModelIndex row = tensorList()->model()->index(1, 0);
        QCOMPARE(row.data().toString(), QStringLiteral("second.tns"));
        tensorList()->setCurrentIndex(row);
        QTest::keyClick(tensorList(), Qt::Key_Delete);
        QVERIFY(m_gui->session.loadJobs().empty());
        QTRY_VERIFY(!job); // its thread has ended
        QCOMPARE(m_gui->session.runs().size(), std::size_t{1});
        QVERIFY(messages().isEmpty());
        QVERIFY(add(run, m_second)); // what was cancelled can be done later
        QVERIFY(waitForRuns(2));
    }

    /// Where learning takes long a cancel is heard inside it.
    void learningIsCancelled()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        QByteArray lines;
        for (kernels::Count e = 0; e < 1'500'000; ++e) {
            const auto index = [e](std::uint64_t what, double size) {
                return QByteArray::number(1 + static_cast<int>(size * kernels::random::uniform(3, what, e))) + ' ';
            };
            lines += index(1, 40'000) + index(2, 3000) + index(3, 2000) + "2\n";
        }
        m_gui->session.addData(run, {text("many.tns", lines)});
        const QPointer<app::LoadJob> job = m_gui->session.loadJobs().front();
        QVERIFY(QTest::qWaitFor([&] { return !job || job->state().stage == QStringLiteral("learning"); }, 60'000));
        QVERIFY2(job, "it learnt before anybody looked");
        job->cancel();
        QVERIFY(m_gui->session.loadJobs().empty() && !m_gui->session.isLearning());
        QElapsedTimer clock;
        clock.start();
        QTRY_VERIFY_WITH_TIMEOUT(!job, 60'000);
        QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(m_gui->session.runs().size(), std::size_t{1});
        QVERIFY(action()->isEnabled());
    }

    /// Closing asks, as it does while runs go; another session takes what was being added with it.
    void closingAsks()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        m_gui->session.addData(run, {m_second});
        QVERIFY(m_gui->session.isLearning());
        m_gui->window.close();
        QVERIFY(m_gui->window.isVisible());
        auto* const question = m_gui->window.findChild<QMessageBox*>(QStringLiteral("closeQuestion"));
        QVERIFY(question && question->text().contains(QStringLiteral("still being added")));
        question->reject();
        QVERIFY(waitForRuns(2));
    }
};

QTEST_MAIN(tst_added_data)
#include "tst_added_data.moc"
