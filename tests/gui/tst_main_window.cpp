// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "io/model_file.h"
#include "ui/models/run_list_model.h"
#include "ui/pages/data_page.h"

#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <QWheelEvent>

#include <cstdlib>
#include <memory>

using app::RunState;

class tst_main_window : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

private Q_SLOTS:
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
    }
    void cleanup() { m_gui.reset(); }

    void firstStartShowsTheWelcomePage()
    {
        QVERIFY(m_gui->window.showsWelcome());
        QVERIFY(!m_gui->window.actions().start->isEnabled());
        QVERIFY(!m_gui->startRun()->isVisible());
    }

    void enterOnTheWelcomePageOpensTheSample()
    {
        QWidget* card = m_gui->welcomeCard("sample");
        card->setFocus();
        QTest::keyClick(card, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, 20'000);
        QVERIFY(!m_gui->window.showsWelcome());
    }

    /// A GPU pads runs, so that it takes more in that format.
    void memoryIsToldForTheChosenDevice()
    {
        QVERIFY(m_gui->openSample());
        ui::DataPage* const page = m_gui->window.dataPage();
        const auto texts = [&] {
            QStringList all;
            for (const QLabel* label : page->findChildren<QLabel*>())
                if (!label->isHidden())
                    all << label->text();
            return all;
        };
        page->setDevice({kernels::DeviceKind::Cpu, 0});
        const QStringList onCpu = texts();
        QVERIFY(onCpu.contains(QStringLiteral("Memory by format, CPU")));
        page->setDevice({kernels::DeviceKind::Cuda, 1});
        const auto changed = [&] {
            const QStringList onGpu = texts(); // new labels are shown a moment later
            return onGpu.contains(QStringLiteral("Memory by format, GPU 1"))
                && std::count_if(onGpu.begin(), onGpu.end(), [&](const QString& text) { return !onCpu.contains(text); }) > 1;
        };
        QTRY_VERIFY(changed());
    }

    void samplePauseResumeStopExportReopen()
    {
        QVERIFY(m_gui->openSample());
        app::Run* run = m_gui->startEndless();
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->rmse()->isVisible() && m_gui->rmse()->drawnPoints(0) >= 3, 20'000);
        const std::size_t drawn = m_gui->rmse()->drawnPoints(0);
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->rmse()->drawnPoints(0) > drawn, 20'000);
        QVERIFY(m_gui->mae()->drawnPoints(0) > 0);

        QWidget* pause = m_gui->toolButton(m_gui->window.actions().pause);
        m_gui->click(pause);
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Paused, 10'000);
        QSignalSpy advanced(run, &app::Run::advanced);
        while (advanced.wait(500)) // what was under way when the click came
            QVERIFY(advanced.count() < 20);
        QCOMPARE(m_gui->window.actions().pause->text(), QStringLiteral("&Resume"));
        m_gui->click(pause);
        QVERIFY(advanced.wait(10'000));
        QCOMPARE(run->state(), RunState::Running);

        m_gui->click(m_gui->toolButton(m_gui->window.actions().stop));
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Stopped, 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(run->outcome(), 10'000);
        exportAndReopen(*run);
    }

    void everyFinishedRunLeavesItsCurveInEveryChart()
    {
        QVERIFY(m_gui->openSample());
        for (const char* rank : {"4", "6, 6, 4", "8"}) {
            m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("rank"))->setText(QLatin1String(rank));
            m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("core-rank"))->clear();
            m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("iterations"))->setText(QStringLiteral("8"));
            app::Run* run = m_gui->startWithForm();
            QVERIFY2(run, qPrintable(m_gui->window.runForm()->problem()));
            QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, 20'000);
        }
        QCOMPARE(m_gui->session.runs()[1]->config().ranks, (std::vector<unsigned>{6, 6, 4}));
        for (std::size_t i = 0; i < 6; ++i) { // three dashed train curves, then three solid test curves
            QTRY_VERIFY(m_gui->rmse()->drawnPoints(i) > 0);
            QVERIFY(m_gui->mae()->drawnPoints(i) > 0);
        }
        QCOMPARE(m_gui->rmse()->drawnPoints(6), std::size_t{0});
        QCOMPARE(m_gui->session.runs()[1]->name(), m_gui->session.runs()[0]->name() + QStringLiteral(" 2"));

        // A click on its colour square takes a run out of the charts, Space brings it back.
        QListView* list = m_gui->window.workspace()->runList();
        const QModelIndex second = list->model()->index(1, 0);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, Qt::NoModifier, ui::RunDelegate::squareRect(list->visualRect(second)).center());
        QVERIFY(!m_gui->session.runs()[1]->isVisible());
        QTRY_COMPARE(m_gui->rmse()->drawnPoints(4), std::size_t{0});
        list->setCurrentIndex(second);
        QTest::keyClick(list, Qt::Key_Space);
        QVERIFY(m_gui->session.runs()[1]->isVisible());
    }

    void zoomIsHeldUntilADoubleClick()
    {
        QVERIFY(m_gui->openSample());
        m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("iterations"))->setText(QStringLiteral("20"));
        app::Run* run = m_gui->startWithForm();
        QVERIFY(run);
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, 20'000);
        QTRY_COMPARE(m_gui->rmse()->drawnPoints(0), std::size_t{20}); // the axes stand still now
        const auto whole = m_gui->rmse()->xRange();
        QWidget* viewport = m_gui->viewport(m_gui->rmse());
        const QPointF centre = viewport->rect().center();
        QWheelEvent wheel(centre, viewport->mapToGlobal(centre), QPoint(), QPoint(0, 240), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(viewport, &wheel);
        QVERIFY(m_gui->window.convergencePage()->isHeld());
        QVERIFY(m_gui->rmse()->xRange().second < whole.second);
        QCOMPARE(m_gui->mae()->xRange().first, m_gui->rmse()->xRange().first); // both charts hold the same part
        QTest::mouseDClick(viewport, Qt::LeftButton);
        QVERIFY(!m_gui->window.convergencePage()->isHeld());
        QCOMPARE(m_gui->rmse()->xRange(), whole);
    }

    void logAxesLeaveNoSeriesOut()
    {
        ui::TraceChart chart(QStringLiteral("errors"));
        chart.resize(400, 300);
        auto points = std::make_shared<std::vector<QPointF>>();
        *points = {{1, 0}, {2, -1}, {3, 10}, {4, 1000}};
        chart.setYAxis([](double value, double) { return QString::number(value); }, true);
        chart.setSeries({{1, 0, QStringLiteral("run"), Qt::blue, ui::Marker::Circle, {}, points, false}});
        QCOMPARE(chart.drawnPoints(0), std::size_t{2});
        QCOMPARE(chart.leftOutPoints(), std::size_t{2});
        QVERIFY(chart.yRange().first > 0 && chart.yRange().first <= 10 && chart.yRange().second >= 1000);
    }

    void logTimeBeginsWhereRunsDo()
    {
        ui::TraceChart chart(QStringLiteral("errors"));
        chart.resize(400, 300);
        const auto seconds = [](double value, double) { return QString::number(value); };
        chart.setXAxis(seconds, true);
        const auto fast = std::make_shared<std::vector<QPointF>>(std::vector<QPointF>{{0, 3}, {0.004, 2}, {0.2, 1}});
        const auto slow = std::make_shared<std::vector<QPointF>>(std::vector<QPointF>{{0.7, 2}, {40, 1}});
        chart.setSeries({{1, 0, QStringLiteral("fast"), Qt::blue, ui::Marker::Circle, {}, fast, false},
                         {2, 0, QStringLiteral("slow"), Qt::red, ui::Marker::Square, {}, slow, false}});
        QCOMPARE(chart.drawnPoints(0), std::size_t{2});
        QCOMPARE(chart.leftOutPoints(), std::size_t{1}); // at 0
        QVERIFY(chart.xRange().first > 0.001 && chart.xRange().first <= 0.004);
        QVERIFY(chart.xRange().second >= 40 && chart.xRange().second < 100);
    }

    void chartsSaveAsPictureAndNumbers()
    {
        QVERIFY(m_gui->openSample());
        m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("iterations"))->setText(QStringLiteral("6"));
        app::Run* run = m_gui->startWithForm();
        QVERIFY(run);
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, 20'000);
        QTRY_COMPARE(m_gui->rmse()->drawnPoints(0), std::size_t{6});
        const ui::Card* card = m_gui->window.convergencePage()->rmseCard();
        const QString png = m_folder.filePath(QStringLiteral("rmse.png")), csv = m_folder.filePath(QStringLiteral("rmse.csv"));
        QCOMPARE(card->save(png), QString());
        QCOMPARE(QImage(png).size(), m_gui->rmse()->size() * 2);
        QCOMPARE(card->save(csv), QString());
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count('\n'), qsizetype(1 + 2 * run->history().size())); // a head, then test and train
        const QString failure = card->save(m_folder.filePath(QStringLiteral("no/such/folder.csv")));
        QVERIFY2(failure.contains(QStringLiteral("no/such")), qPrintable(failure));
    }

    void aBrokenFileSaysWhatIsWrongAndLeavesNothing()
    {
        const QString path = m_folder.filePath(QStringLiteral("broken.tns"));
        write(path, "1 1 1 3.5\n1 2 2 4\n2 x 1 5\n");
        m_gui->drop({path});
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->window.messageBar()->messages().size(), 1, 10'000);
        const QString sentence = m_gui->window.messageBar()->messages().first();
        QVERIFY2(sentence.contains(QStringLiteral("broken.tns")) && sentence.contains(QLatin1Char('3')), qPrintable(sentence));
        QVERIFY(m_gui->window.showsWelcome());
        m_gui->click(m_gui->window.messageBar()->findChild<QToolButton*>());
        QVERIFY(m_gui->window.messageBar()->messages().isEmpty());
    }

    void severalDroppedFilesAllOpen()
    {
        const QString a = m_folder.filePath(QStringLiteral("a.tns")), b = m_folder.filePath(QStringLiteral("b.tns"));
        write(a, "1 1 1 3.5\n1 2 2 4\n2 1 1 5\n");
        write(b, "1 1 3.5\n1 2 4\n");
        m_gui->drop({a, b});
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, 10'000);
        QVERIFY(!m_gui->window.showsWelcome());
    }

    void aLoadIsCancelledByItsCross()
    {
        kernels::SyntheticSpec spec;
        spec.dims = {200'000, 200'000, 50'000};
        spec.entries = 30'000'000; // long enough to be caught in the act
        QSignalSpy ended(&m_gui->session, &app::Session::loadEnded);
        m_gui->session.generate(spec, QStringLiteral("large"));
        QListView* list = m_gui->window.workspace()->tensorList();
        QTRY_COMPARE(list->model()->rowCount(), 1);
        QTRY_VERIFY(list->isVisible());
        const QRect item = list->visualRect(list->model()->index(0, 0));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, Qt::NoModifier, ui::TensorDelegate::cancelRect(item).center());
        QVERIFY(ended.count() == 1 || ended.wait(10'000));
        QVERIFY(m_gui->session.tensors().empty());
        QCOMPARE(list->model()->rowCount(), 0);
        QVERIFY(m_gui->window.showsWelcome());
        QVERIFY(m_gui->window.messageBar()->messages().isEmpty()); // cancelling is no error
    }

    void closingDuringARunAsksOnce()
    {
        QVERIFY(m_gui->openSample());
        app::Run* run = m_gui->startEndless();
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(!run->history().empty(), 20'000);
        m_gui->window.close();
        m_gui->window.close();
        auto questions = m_gui->window.findChildren<QMessageBox*>(QStringLiteral("closeQuestion"));
        QCOMPARE(questions.size(), 1);
        m_gui->click(m_gui->button(questions.first(), QStringLiteral("Keep running")));
        QTRY_VERIFY(m_gui->window.findChildren<QMessageBox*>(QStringLiteral("closeQuestion")).isEmpty());
        QVERIFY(m_gui->window.isVisible() && run->isActive());

        m_gui->window.close();
        questions = m_gui->window.findChildren<QMessageBox*>(QStringLiteral("closeQuestion"));
        QCOMPARE(questions.size(), 1);
        m_gui->click(m_gui->button(questions.first(), QStringLiteral("Stop and close")));
        QTRY_VERIFY(!m_gui->window.isVisible());
    }

    void closingWithoutARunAsksNothing()
    {
        m_gui->window.close();
        QVERIFY(!m_gui->window.isVisible());
    }

    void tabsAreNeverCutOrScrolled()
    {
        m_gui->window.showPage(ui::MainWindow::ConvergenceTab); // before the bar was ever laid out
        auto* tabs = m_gui->window.findChild<QTabBar*>();
        QVERIFY(m_gui->openSample());
        for (const ui::MainWindow::Page page : {ui::MainWindow::ConvergenceTab, ui::MainWindow::DataTab, ui::MainWindow::ConvergenceTab}) {
            m_gui->window.showPage(page);
            QTRY_COMPARE(tabs->width(), tabs->sizeHint().width());
            QCOMPARE(tabs->tabRect(0).left(), 0);
            QVERIFY(tabs->tabRect(1).right() < tabs->width());
            for (const QToolButton* arrow : tabs->findChildren<QToolButton*>())
                QVERIFY(!arrow->isVisible());
        }
    }

    void theToolBarsButtonsStandInItsMiddle()
    {
        const QWidget* start = m_gui->toolButton(m_gui->window.actions().start);
        const QWidget* bar = start->parentWidget();
        const QRect first = start->geometry();
        const int above = first.top(), below = bar->height() - 1 - (first.bottom() + 1); // the line is one pixel
        QVERIFY2(above >= 4 && std::abs(above - below) <= 1, qPrintable(QStringLiteral("%1 above, %2 below").arg(above).arg(below)));
        m_gui->window.actions().appearanceDark->trigger();
        m_gui->window.actions().appearanceLight->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(start->geometry(), first);
    }

    void aQueuedRunSaysWhatItWaitsFor()
    {
        QVERIFY(m_gui->openSample());
        app::Run* first = m_gui->startEndless();
        QVERIFY(first);
        app::Run* second = m_gui->startWithForm();
        QVERIFY(second);
        QTRY_VERIFY_WITH_TIMEOUT(!first->history().empty(), 20'000);
        first->pause();
        const QAbstractItemModel* model = m_gui->window.workspace()->runList()->model();
        const auto text = [&] { return model->index(1, 0).data(ui::RunListModel::ProgressRole).toString(); };
        QTRY_COMPARE(text(), QStringLiteral("waiting for %1 (paused)").arg(first->name()));
        first->stop();
        QTRY_COMPARE_WITH_TIMEOUT(second->state(), RunState::Running, 20'000);
        second->stop();
    }

    void settingsAreKeptPerTensor()
    {
        QVERIFY(m_gui->openSample());
        const QString path = m_folder.filePath(QStringLiteral("second.tns"));
        write(path, "1 1 1 3.5\n1 2 2 4\n2 1 1 5\n3 3 3 2\n");
        auto* seed = m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("seed"));
        seed->setText(QStringLiteral("777"));
        m_gui->window.openFiles({path});
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, 10'000);
        seed->setText(QStringLiteral("5"));
        m_gui->window.workspace()->setCurrentTensor(m_gui->session.tensors()[0]->id);
        QCOMPARE(seed->text(), QStringLiteral("777"));
        m_gui->window.workspace()->setCurrentTensor(m_gui->session.tensors()[1]->id);
        QCOMPARE(seed->text(), QStringLiteral("5"));
    }

    void theCommandIsCopied()
    {
        QVERIFY(m_gui->openSample());
        QTest::keyClick(&m_gui->window, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        const QString command = QApplication::clipboard()->text();
        QVERIFY2(command.contains(QStringLiteral("polyad-cli run")) && command.contains(QStringLiteral("flights.tns")),
                 qPrintable(command));
    }

    void theAppearanceChangesAtOnce()
    {
        m_gui->window.actions().appearanceDark->trigger();
        QVERIFY(ui::Theme::instance().isDark());
        QCOMPARE(qApp->palette().color(QPalette::Window), ui::darkTokens().background);
        m_gui->window.actions().appearanceLight->trigger();
        QCOMPARE(qApp->palette().color(QPalette::Window), ui::lightTokens().background);
    }

    void everyControlHasAName()
    {
        QVERIFY(m_gui->openSample());
        for (QWidget* widget : m_gui->window.findChildren<QWidget*>()) {
            const bool control =
                qobject_cast<QLineEdit*>(widget) || qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractItemView*>(widget);
            const auto* tool = qobject_cast<QToolButton*>(widget);
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus || (!control && !tool))
                continue;
            const bool named = !widget->accessibleName().isEmpty() || (tool && !tool->text().isEmpty());
            QVERIFY2(named,
                     qPrintable(QStringLiteral("%1 \"%2\"").arg(QLatin1String(widget->metaObject()->className()), widget->objectName())));
        }
    }

    void aDraggedFileIsShownToBeTaken()
    {
        const QString path = m_folder.filePath(QStringLiteral("dragged.tns"));
        write(path, "1 1 1 2\n2 2 2 3\n");
        QVERIFY(m_gui->openSample());
        QVERIFY(m_gui->startEndless()); // with runs a tensor that is opened does not change the page
        m_gui->window.showPage(ui::MainWindow::CompareTab);
        auto* const frame = m_gui->window.findChild<QFrame*>(QStringLiteral("dropFrame"));
        QVERIFY(frame && !frame->isVisible());
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(700, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&m_gui->window, &enter);
        QVERIFY(frame->isVisible() && frame->size() == m_gui->window.size());
        QDragLeaveEvent leave;
        QApplication::sendEvent(&m_gui->window, &leave);
        QVERIFY(!frame->isVisible());
        m_gui->drop({path});
        QVERIFY(!frame->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, 20'000);
        QVERIFY(m_gui->window.dataPage()->isVisible());
        QCOMPARE(m_gui->window.workspace()->currentTensor()->path, path);
    }

    void whatWasWrongWithAFileIsForgottenWhenAnotherIsOpened()
    {
        const QString bad = m_folder.filePath(QStringLiteral("bad.tns")), good = m_folder.filePath(QStringLiteral("good.tns"));
        write(bad, "1 1 x 2\n");
        write(good, "1 1 1 2\n2 2 2 3\n");
        m_gui->window.openFiles({bad});
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->window.messageBar()->messages().size(), 1, 20'000);
        m_gui->window.openFiles({good});
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, 20'000);
        QVERIFY(m_gui->window.messageBar()->messages().isEmpty());
    }

    void aClosedTensorComesBack()
    {
        QVERIFY(m_gui->openSample());
        const app::OpenTensorPtr tensor = m_gui->session.tensors().front();
        QTest::keyClick(&m_gui->window, Qt::Key_W, Qt::ControlModifier);
        QVERIFY(m_gui->session.tensors().empty() && m_gui->window.showsWelcome());
        QAction* const undo = m_gui->window.actions().undo;
        QVERIFY(undo->isEnabled() && undo->text().contains(QStringLiteral("closing flights.tns")));
        QTest::keyClick(&m_gui->window, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(m_gui->session.tensors().size(), std::size_t{1});
        QCOMPARE(m_gui->session.tensors().front(), tensor);
        QCOMPARE(m_gui->window.workspace()->currentTensor(), tensor);
        QVERIFY(m_gui->window.runForm()->isReady());
        m_gui->window.actions().redo->trigger();
        QVERIFY(m_gui->session.tensors().empty());
        undo->trigger();
        m_gui->window.actions().newSession->trigger(); // another session: nothing comes back into it
        QVERIFY(m_gui->session.tensors().empty() && !undo->isEnabled());
    }

    void zerosAreEntriesAndNoNonzeros()
    {
        const QString path = m_folder.filePath(QStringLiteral("zeros.tns"));
        write(path, "1 1 1 2\n2 2 2 0\n2 1 2 5\n");
        QVERIFY(m_gui->openFirst(path));
        const auto row = m_gui->window.workspace()->tensorList()->model()->index(0, 0);
        QVERIFY(row.data(ui::TensorListModel::DetailRole).toString().startsWith(QStringLiteral("3 entries")));
        QStringList facts;
        for (const QLabel* label : m_gui->window.dataPage()->findChildren<QLabel*>())
            if (!label->isHidden())
                facts += label->text();
        const auto after = [&facts](const char* name) { return facts.value(facts.indexOf(QLatin1String(name)) + 1); };
        QCOMPARE(after("entries"), QStringLiteral("3"));
        QCOMPARE(after("nonzeros"), QStringLiteral("2"));
    }

private:
    static void write(const QString& path, const QByteArray& text)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

    void exportAndReopen(const app::Run& run)
    {
        const QString path = m_folder.filePath(QStringLiteral("flights.h5"));
        QTest::keyClick(&m_gui->window, Qt::Key_E, Qt::ControlModifier);
        auto* dialog = m_gui->window.findChild<ui::ExportDialog*>();
        QVERIFY(dialog);
        dialog->findChild<QLineEdit*>(QStringLiteral("export-path"))->setText(path);
        QSignalSpy finished(&m_gui->session, &app::Session::exportFinished);
        m_gui->click(m_gui->button(dialog, QStringLiteral("Export")));
        QVERIFY(finished.count() == 1 || finished.wait(20'000));
        const io::ModelFile model = io::readModel(path.toStdString());
        QCOMPARE(model.model.dims, run.tensor()->tensor.dims());
        QCOMPARE(model.history.size(), run.history().size());
        QCOMPARE(model.bestIteration, run.bestIteration());
        QCOMPARE(model.status, std::string("stopped"));
    }
};

QTEST_MAIN(tst_main_window)
#include "tst_main_window.moc"
