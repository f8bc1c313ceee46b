// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/find_entries.h"
#include "ui/formatting.h"
#include "ui/models/residual_curves.h"
#include "ui/pages/predict_entry_view.h"
#include "ui/pages/predict_file_view.h"
#include "ui/pages/predict_page.h"
#include "ui/pages/residual_view.h"
#include "ui/widgets/index_field.h"
#include "ui/widgets/value_view.h"

#include <QCheckBox>
#include <QClipboard>
#include <QCompleter>
#include <QDir>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <memory>

using app::RunState;
using ui::PredictPage;

/// The Predict tab by clicks and keys.
class tst_predict_page : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

private Q_SLOTS:
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
    }
    void cleanup() { m_gui.reset(); }

    void withoutAModelItSaysWhy()
    {
        openTab();
        QVERIFY2(page()->emptyText().contains(QStringLiteral("No run yet")), qPrintable(page()->emptyText()));
        QVERIFY(!page()->viewSwitch()->isEnabled() && !page()->runChooser()->isEnabled());
        app::Run* run = m_gui->startEndless();
        QVERIFY(run);
        openTab();
        QTRY_VERIFY_WITH_TIMEOUT(!run->history().empty(), 20'000);
        QVERIFY2(page()->emptyText().contains(QStringLiteral("has no model yet")), qPrintable(page()->emptyText()));
        m_gui->click(m_gui->toolButton(m_gui->window.actions().stop));
        QTRY_VERIFY_WITH_TIMEOUT(run->outcome(), 20'000);
        QTRY_VERIFY(page()->emptyText().isEmpty());
        QCOMPARE(entry()->fields().size(), std::size_t{3});
    }

    void anEntryIsAnsweredAtOnce()
    {
        const app::Run* run = finished();
        QVERIFY(run);
        const kernels::SparseTensor& tensor = run->tensor()->tensor;
        const kernels::Predictor predict(run->outcome()->result.best);
        // The first entry stands there already.
        std::vector<kernels::Index> at = indexOf(tensor, 0);
        QCOMPARE(entry()->prediction()->text(), ui::formatting::number(predict(at), 6));
        // A test entry and a training entry, typed as numbers.
        const kernels::Count tested = run->outcome()->testPositions[3];
        for (const kernels::Count e : {tested, tested + 1}) {
            if (e != tested && run->outcome()->testPositions[4] == e)
                continue;
            at = indexOf(tensor, e);
            for (std::size_t n = 0; n < 3; ++n)
                type(line(n), QString::number(at[n] + 1));
            QCOMPARE(entry()->prediction()->text(), ui::formatting::number(predict(at), 6));
            const QString facts = entry()->factsText();
            QVERIFY2(facts.contains(QStringLiteral("observed ") + ui::formatting::number(tensor.value(e), 6)), qPrintable(facts));
            QVERIFY2(facts.contains(e == tested ? QStringLiteral("test entry") : QStringLiteral("training entry")), qPrintable(facts));
            QVERIFY2(facts.contains(QStringLiteral("residual ") + ui::formatting::number(tensor.value(e) - predict(at), 6)),
                     qPrintable(facts));
        }
        // A cell that nobody observed.
        at = unobserved(tensor);
        for (std::size_t n = 0; n < 3; ++n)
            type(line(n), QString::number(at[n] + 1));
        QVERIFY2(entry()->factsText().contains(QStringLiteral("the tensor has no such entry")), qPrintable(entry()->factsText()));
    }

    void labelsAreCompletedByAnyPart()
    {
        const app::Run* run = finished();
        QVERIFY(run);
        const auto& labels = run->tensor()->tensor.modes[0].labels;
        QLineEdit* field = line(0);
        type(field, QStringLiteral("chicago"));
        QAbstractItemView* popup = field->completer()->popup();
        QTRY_VERIFY(popup->isVisible());
        QCOMPARE(popup->model()->rowCount(), 2); // Midway and O'Hare
        QVERIFY(popup->model()->index(0, 0).data().toString().contains(QStringLiteral("Chicago")));
        QVERIFY(!entry()->fields()[0]->index());
        QVERIFY2(entry()->fields()[0]->hint().contains(QStringLiteral("several labels")), qPrintable(entry()->fields()[0]->hint()));
        QVERIFY(field->property("invalid").toBool());
        QTest::keyClick(popup, Qt::Key_Down);
        QTest::keyClick(popup, Qt::Key_Down);
        QTest::keyClick(popup, Qt::Key_Return);
        QTRY_VERIFY(entry()->fields()[0]->index());
        QCOMPARE(field->text().toStdString(), labels[*entry()->fields()[0]->index()]);
        QVERIFY(field->text().contains(QStringLiteral("Chicago")) && !field->property("invalid").toBool());
        // A part that one label alone holds is enough; a number tells its label.
        type(field, QStringLiteral("allentown"));
        QCOMPARE(*entry()->fields()[0]->index(), kernels::Index{0});
        QVERIFY(entry()->fields()[0]->hint().contains(QStringLiteral("ABE Allentown")));
        type(field, QStringLiteral("2"));
        QVERIFY(entry()->fields()[0]->hint().contains(QString::fromStdString(labels[1])));
        for (const char* wrong : {"nowhere at all", "0", "100000"}) {
            type(field, QLatin1String(wrong));
            QVERIFY(!entry()->fields()[0]->index());
            QVERIFY2(entry()->fields()[0]->hint().contains(QStringLiteral("no such label")), qPrintable(entry()->fields()[0]->hint()));
            QCOMPARE(entry()->prediction()->text(), QStringLiteral("–"));
        }
    }

    /// Hours from 5 to 23: "9" is the hour, and says that it might have been the ninth.
    void numbersThatAreLabelsAreLabels()
    {
        QDir folder(m_folder.path());
        QVERIFY(folder.mkpath(QStringLiteral("nyc")));
        QByteArray entries, hours;
        for (int e = 0; e < 300; ++e)
            entries += QByteArray::number(e % 5 + 1) + ' ' + QByteArray::number(e % 19 + 1) + ' ' + QByteArray::number(e % 7) + '\n';
        for (int hour = 5; hour <= 23; ++hour)
            hours += QByteArray::number(hour) + '\n';
        write(folder.filePath(QStringLiteral("nyc/mode-2-hour.map")), hours);
        write(folder.filePath(QStringLiteral("nyc/flights.tns")), entries);
        m_gui->session.openFile(folder.filePath(QStringLiteral("nyc/flights.tns")), {});
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, 20'000);
        QVERIFY(m_gui->chooseCpu());
        app::Run* run = m_gui->startWithForm();
        QVERIFY2(run, qPrintable(m_gui->window.runForm()->problem()));
        QTRY_VERIFY_WITH_TIMEOUT(run->outcome(), 60'000);
        openTab();
        const ui::IndexField* hour = entry()->fields()[1];
        const auto typed = [&](const char* text) {
            type(line(1), QLatin1String(text));
            return hour->index() ? static_cast<int>(*hour->index()) : -1;
        };
        QCOMPARE(typed("9"), 4);
        QCOMPARE(hour->hint(), QStringLiteral("label, index 5 · #9 is index 9"));
        if (const QByteArray picture = qgetenv("POLYAD_TEST_PICTURES"); !picture.isEmpty())
            m_gui->window.grab().save(QString::fromLocal8Bit(picture) + QStringLiteral("/predict-hours.png"));
        QCOMPARE(typed("#9"), 8);
        QCOMPARE(hour->hint(), QStringLiteral("9 · 13"));
        QCOMPARE(typed("4"), -1); // no part of 14 is meant, nor the fourth
        QCOMPARE(hour->hint(), QStringLiteral("no such label · #1 to #19"));
        QCOMPARE(typed("23"), 18);
        QVERIFY(!hour->hint().contains(u'#'));
    }

    void anyListsTheBestAlongThatMode()
    {
        const app::Run* run = finished();
        QVERIFY(run);
        const kernels::SparseTensor& tensor = run->tensor()->tensor;
        const std::vector<kernels::Index> at = indexOf(tensor, run->outcome()->testPositions[0]);
        for (std::size_t n = 0; n < 3; ++n)
            type(line(n), QString::number(at[n] + 1));
        m_gui->click(any(1));
        QTRY_COMPARE(entry()->best()->rowCount(), 10);
        const auto expected = kernels::topPredictions(run->outcome()->result.best, at, 1, 25);
        compareBest(expected, 10);
        auto* count = entry()->bestCard()->findChild<QSpinBox*>();
        type(count->findChild<QLineEdit*>(), QStringLiteral("25"));
        QTRY_COMPARE(entry()->best()->rowCount(), 25);
        compareBest(expected, 25);

        // Leave out what is observed.
        std::vector<kernels::Index> known;
        for (const kernels::Count e : kernels::entriesAlong(tensor, at, 1))
            known.push_back(tensor.indices[1][e]);
        QVERIFY(!known.empty());
        auto* newOnly = entry()->bestCard()->findChild<QCheckBox*>();
        m_gui->click(newOnly);
        const auto fresh = kernels::topPredictions(run->outcome()->result.best, at, 1, 25, known);
        QTRY_COMPARE(entry()->best()->row(24).index.front(), fresh[24].index);
        compareBest(fresh, 25);
        m_gui->click(newOnly);
        QTRY_COMPARE(entry()->best()->row(0).index.front(), expected[0].index);

        m_gui->click(m_gui->button(entry()->bestCard(), QStringLiteral("Copy")));
        QCOMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), qsizetype(26));
        const QString csv = m_folder.filePath(QStringLiteral("best.csv")), png = m_folder.filePath(QStringLiteral("best.png"));
        QCOMPARE(entry()->bestCard()->save(csv) + entry()->bestCard()->save(png), QString());
        QCOMPARE(QImage(png).size(), entry()->bestView()->size() * 2);

        // Another mode may be open in its place, not beside it.
        m_gui->click(any(2));
        QVERIFY(!entry()->fields()[1]->isAny() && entry()->fields()[2]->isAny());
        m_gui->click(any(1));
        QTRY_COMPARE(entry()->best()->rowCount(), 25);
        // A double click puts the row into the field.
        QTRY_COMPARE(entry()->best()->row(2).index.front(), expected[2].index);
        QTableView* view = entry()->bestView();
        const QPoint third = view->visualRect(view->model()->index(2, 0)).center();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::NoModifier, third);
        QTest::mouseDClick(view->viewport(), Qt::LeftButton, Qt::NoModifier, third);
        QVERIFY(!entry()->fields()[1]->isAny());
        QCOMPARE(*entry()->fields()[1]->index(), expected[2].index);
        QCOMPARE(entry()->prediction()->text(), ui::formatting::number(expected[2].value, 6));
    }

    void aFileIsPredictedOrSaysWhatIsWrong()
    {
        const app::Run* run = finished();
        QVERIFY(run);
        chooseView(1);
        const QString source = m_folder.filePath(QStringLiteral("ask.txt")),
                      target = m_folder.filePath(QStringLiteral("ask.predicted.txt"));
        write(source, "1 3 9\nABE,ABQ,08:00\n");
        auto* sourceLine = page()->findChild<QLineEdit*>(QStringLiteral("predict-source"));
        auto* targetLine = page()->findChild<QLineEdit*>(QStringLiteral("predict-target"));
        QPushButton* start = m_gui->button(file(), QStringLiteral("Predict"));
        QVERIFY(!start->isEnabled());
        type(sourceLine, source);
        QCOMPARE(targetLine->text(), target); // proposed
        m_gui->click(start);
        QTRY_VERIFY2(file()->outcome().contains(QStringLiteral("predictions: 2")), qPrintable(file()->outcome()));
        const double value = kernels::Predictor(run->outcome()->result.best)(std::vector<kernels::Index>{0, 2, 8});
        const QList<QByteArray> lines = read(target).split('\n');
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[0].split(' ').last().toDouble(), value);
        QCOMPARE(lines[1].split(' ').last().toDouble(), value);

        write(source, "1 3 9\n1 3\n");
        type(targetLine, m_folder.filePath(QStringLiteral("absent.txt")));
        m_gui->click(start);
        QTRY_VERIFY2(file()->outcome().contains(QStringLiteral("line 2 of")), qPrintable(file()->outcome()));
        QVERIFY(!QFile::exists(targetLine->text()));

        write(source, QByteArray("1 3 9\n").repeated(4'000'000));
        m_gui->click(start);
        QPushButton* cancel = m_gui->button(file(), QStringLiteral("Cancel"));
        QVERIFY(cancel->isVisible());
        QVERIFY(cancel->hasFocus());
        QTRY_VERIFY_WITH_TIMEOUT(file()->outcome().contains(QLatin1Char('%')), 20'000);
        m_gui->click(cancel);
        QVERIFY(start->hasFocus());
        QVERIFY(file()->outcome().contains(QStringLiteral("Cancelled")));
        QTest::qWait(50);
        QVERIFY(!QFile::exists(targetLine->text()));
        QVERIFY(start->isEnabled() && !cancel->isVisible());
    }

    void aTableIsPredictedByTheRecipe()
    {
        QByteArray table("town,hour,amount\n");
        for (int row = 0; row < 300; ++row)
            table += "town " + QByteArray::number(row % 10) + ',' + QByteArray::number(row / 10 % 6 + 8) + ','
                + QByteArray::number(row % 7 + 1) + '\n';
        const QString path = m_folder.filePath(QStringLiteral("sales.csv")), source = m_folder.filePath(QStringLiteral("asked.csv"));
        write(path, table);
        write(source, "hour,town\n9,town 3\n9,elsewhere\n");
        io::ReadOptions options;
        options.recipe.emplace();
        options.recipe->modes = io::table::parseModes("town,hour");
        options.recipe->value = "amount";
        m_gui->session.openFile(path, options);
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, 20'000);
        QVERIFY(m_gui->chooseCpu());
        QVERIFY2(finished(QStringLiteral("2")), qPrintable(m_gui->window.runForm()->problem()));
        chooseView(1);
        const auto helps = file()->findChildren<QLabel*>();
        QVERIFY(std::any_of(helps.begin(), helps.end(),
                            [](const QLabel* label) { return label->text().contains(QStringLiteral("the columns of sales.csv")); }));
        type(page()->findChild<QLineEdit*>(QStringLiteral("predict-source")), source);
        m_gui->click(m_gui->button(file(), QStringLiteral("Predict")));
        QTRY_VERIFY2(file()->outcome().contains(QStringLiteral("predictions: 1")), qPrintable(file()->outcome()));
        QVERIFY2(file()->outcome().contains(QStringLiteral("1 row has no prediction")), qPrintable(file()->outcome()));
        const QList<QByteArray> lines = read(m_folder.filePath(QStringLiteral("asked.predicted.csv"))).trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[0], QByteArray("hour,town,prediction"));
        QVERIFY(lines[1].startsWith("9,town 3,") && lines[1].size() > 9);
        QCOMPARE(lines[2], QByteArray("9,elsewhere,"));
    }

    void residualsAreShownListedAndSaved()
    {
        const app::Run* run = finished();
        QVERIFY(run);
        chooseView(2);
        ui::ResidualView* view = page()->residualView();
        QTRY_VERIFY_WITH_TIMEOUT(view->residuals(), 20'000);
        const kernels::IterationRecord& best = run->history()[run->bestIteration() - 1];
        QVERIFY(std::abs(view->residuals()->test.errors.rmse() - best.testRmse) < 1e-6);
        QCOMPARE(view->residuals()->train.errors.count + view->residuals()->test.errors.count, run->tensor()->tensor.entries());
        QTRY_VERIFY(view->histogram()->drawnPoints(0) > 10 && view->histogram()->drawnPoints(1) > 10);
        QVERIFY(view->sliceChart()->drawnPoints(0) > 100);
        // Worst first; by a click on the head the most negative, then the most positive.
        QVERIFY(view->worst()->rowCount() > 100);
        const int residual = 0;
        const auto shown = [&](int row) { return view->worst()->row(row).cells[residual].number; };
        QVERIFY(std::abs(shown(0)) >= std::abs(shown(1)));
        clickHead(view->worstView(), residual);
        QVERIFY(shown(0) > 0 && shown(0) >= shown(1) && shown(view->worst()->rowCount() - 1) < 0);
        clickHead(view->worstView(), residual);
        QVERIFY(shown(0) < 0 && shown(0) <= shown(1));
        // Test entries alone.
        QTest::mouseClick(view->partSwitch()->findChildren<QToolButton*>()[0], Qt::LeftButton);
        for (int row = 0; row < view->worst()->rowCount(); ++row)
            QCOMPARE(view->worst()->row(row).cells[6].text, QStringLiteral("test"));
        QCOMPARE(view->histogram()->drawnPoints(1), std::size_t{0});
        // Another mode's slices.
        view->modeChooser()->setCurrentIndex(2);
        QCOMPARE(view->slices()->rowCount(), int(nonEmpty(view->residuals()->test.slices[2])));
        QVERIFY(view->slices()->row(0).cells[3].number >= view->slices()->row(1).cells[3].number);
        int number = 0;
        for (ui::Card* card : view->cards()) {
            const QString path = m_folder.filePath(QStringLiteral("card%1").arg(number++));
            QCOMPARE(card->save(path + QStringLiteral(".png")) + card->save(path + QStringLiteral(".csv")), QString());
            QVERIFY(QImage(path + QStringLiteral(".png")).width() > 300);
            QVERIFY(read(path + QStringLiteral(".csv")).count('\n') > 5);
        }
        // Enlarged, a card is alone; and back.
        view->cards()[2]->setEnlarged(true);
        QVERIFY(!view->cards()[0]->isVisible() && view->cards()[2]->isVisible());
        view->cards()[2]->setEnlarged(false);
        QVERIFY(view->cards()[0]->isVisible());
        // Enter on an entry shows it.
        view->worstView()->setFocus();
        view->worstView()->setCurrentIndex(view->worst()->index(1, 0));
        const std::vector<kernels::Index> at = view->worst()->row(1).index;
        QTest::keyClick(view->worstView(), Qt::Key_Return);
        QVERIFY(entry()->isVisible());
        for (std::size_t n = 0; n < 3; ++n)
            QCOMPARE(*entry()->fields()[n]->index(), at[n]);
        QVERIFY(entry()->factsText().contains(QStringLiteral("test entry")));
    }

    void residualsAreCancelledAndComputedAgain()
    {
        QVERIFY(finished());
        chooseView(2);
        ui::ResidualView* view = page()->residualView();
        QVERIFY(view->isComputing()); // its end is told by the event loop only
        m_gui->click(m_gui->button(view, QStringLiteral("Cancel")));
        QVERIFY(!view->isComputing() && !view->residuals());
        QCOMPARE(view->message(), QStringLiteral("Cancelled."));
        m_gui->click(m_gui->button(view, QStringLiteral("Compute again")));
        QTRY_VERIFY_WITH_TIMEOUT(view->residuals(), 60'000);
    }

    void runsAreChosenAndGoWithTheirTensors()
    {
        app::Run* first = finished();
        QVERIFY(first);
        app::Run* second = finished(QStringLiteral("8"));
        QVERIFY(second);
        QCOMPARE(page()->runId(), second->id());
        const std::vector<kernels::Index> at = indexOf(first->tensor()->tensor, 0);
        QCOMPARE(entry()->prediction()->text(), ui::formatting::number(kernels::Predictor(second->outcome()->result.best)(at), 6));
        // By keys in the chooser, then in the list on the left.
        page()->runChooser()->setFocus();
        QTest::keyClick(page()->runChooser(), Qt::Key_Up);
        QCOMPARE(page()->runId(), first->id());
        QCOMPARE(entry()->prediction()->text(), ui::formatting::number(kernels::Predictor(first->outcome()->result.best)(at), 6));
        QListView* list = m_gui->window.workspace()->runList();
        QTest::mouseClick(list->viewport(), Qt::LeftButton, Qt::NoModifier, list->visualRect(list->model()->index(0, 0)).center());
        QTest::mouseClick(list->viewport(), Qt::LeftButton, Qt::NoModifier, list->visualRect(list->model()->index(1, 0)).center());
        QCOMPARE(page()->runId(), second->id());
        m_gui->session.removeRun(second);
        QCOMPARE(page()->runId(), first->id());
        // The tensor goes, its run keeps it.
        m_gui->session.closeTensor(first->tensor()->id);
        openTab();
        QVERIFY(page()->emptyText().isEmpty());
        QCOMPARE(entry()->prediction()->text(), ui::formatting::number(kernels::Predictor(first->outcome()->result.best)(at), 6));
        m_gui->session.removeRun(first);
        QVERIFY(page()->emptyText().contains(QStringLiteral("No run yet")));
    }

    void missingCellsCountAsZeroWhereTheRunSaysSo()
    {
        kernels::RunConfig config;
        config.algorithm = "cp-als";
        config.format = "coo";
        config.ranks = {4};
        config.devices = {kernels::DeviceId{kernels::DeviceKind::Cpu, 0}};
        config.split.kind = kernels::SplitKind::None;
        config.stopping.iterations = 3;
        app::Run* run = m_gui->session.start(config, m_gui->session.tensors().front());
        QTRY_VERIFY_WITH_TIMEOUT(run->outcome(), 20'000);
        openTab();
        const std::vector<kernels::Index> at = unobserved(run->tensor()->tensor);
        for (std::size_t n = 0; n < 3; ++n)
            type(line(n), QString::number(at[n] + 1));
        const double predicted = kernels::Predictor(run->outcome()->result.best)(at);
        QVERIFY2(entry()->factsText().contains(QStringLiteral("counts as 0")), qPrintable(entry()->factsText()));
        QVERIFY(entry()->factsText().contains(QStringLiteral("residual ") + ui::formatting::number(-predicted, 6)));
        chooseView(2);
        QTRY_VERIFY_WITH_TIMEOUT(page()->residualView()->residuals(), 20'000);
        QVERIFY(!page()->residualView()->partSwitch()->isChoiceEnabled(0)); // nothing was held out
        QCOMPARE(page()->residualView()->partSwitch()->current(), 1);
    }

    void everyOrderHasItsFields_data()
    {
        QTest::addColumn<int>("order");
        for (int order = 2; order <= 10; ++order)
            QTest::addRow("order %d", order) << order;
    }

    /// Duplicates as the tensor has them, and long labels, fit into every order's fields.
    void everyOrderHasItsFields()
    {
        QFETCH(int, order);
        QByteArray text;
        for (int e = 0; e < 120; ++e) {
            for (int n = 0; n < order; ++n)
                text += QByteArray::number((e * (n + 3) + n) % 5 + 1) + ' ';
            text += QByteArray::number(e % 7) + '\n';
        }
        const QString path = m_folder.filePath(QStringLiteral("order%1.tns").arg(order));
        write(path, text);
        io::ReadOptions options;
        options.duplicates = kernels::Duplicates::Keep;
        m_gui->session.openFile(path, options);
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, 20'000);
        QVERIFY(m_gui->chooseCpu());
        app::Run* run = m_gui->startWithForm();
        QVERIFY2(run, qPrintable(m_gui->window.runForm()->problem()));
        QTRY_VERIFY_WITH_TIMEOUT(run->outcome(), 60'000);
        openTab();
        QCOMPARE(entry()->fields().size(), std::size_t(order));
        m_gui->window.resize(1280, 720);
        QTest::qWait(20);
        const QRect inside = page()->rect();
        for (const ui::IndexField* field : entry()->fields()) {
            QVERIFY(field->isVisible() && field->line()->width() >= 40);
            QVERIFY(inside.contains(QRect(field->mapTo(page(), QPoint()), field->size())));
        }
        QVERIFY2(entry()->factsText().contains(QStringLiteral("entries.")),
                 qPrintable(entry()->factsText())); // each residue comes many times
        m_gui->click(any(std::size_t(order) - 1));
        QTRY_COMPARE(entry()->best()->rowCount(), int(run->tensor()->tensor.modes.back().size));
        chooseView(2);
        QTRY_VERIFY_WITH_TIMEOUT(page()->residualView()->residuals(), 20'000);
        QCOMPARE(page()->residualView()->modeChooser()->count(), order);
        QCOMPARE(page()->residualView()->residuals()->train.errors.count + page()->residualView()->residuals()->test.errors.count,
                 kernels::Count{120});
    }

    void everyControlHasAName()
    {
        QVERIFY(finished());
        m_gui->click(any(1));
        for (int view : {0, 1, 2}) {
            chooseView(view);
            QTest::qWait(50);
            for (QWidget* widget : page()->findChildren<QWidget*>()) {
                const bool control = qobject_cast<QLineEdit*>(widget) || qobject_cast<QComboBox*>(widget)
                    || qobject_cast<QAbstractItemView*>(widget) || qobject_cast<QAbstractSpinBox*>(widget);
                const auto* tool = qobject_cast<QToolButton*>(widget);
                if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus || (!control && !tool)
                    || qobject_cast<QAbstractSpinBox*>(widget->parentWidget()))
                    continue;
                const bool named = !widget->accessibleName().isEmpty() || (tool && !tool->text().isEmpty());
                QVERIFY2(
                    named,
                    qPrintable(QStringLiteral("%1 \"%2\"").arg(QLatin1String(widget->metaObject()->className()), widget->objectName())));
            }
        }
    }

private:
    PredictPage* page() const { return m_gui->window.predictPage(); }
    ui::PredictEntryView* entry() const { return page()->entryView(); }
    ui::PredictFileView* file() const { return page()->fileView(); }
    QLineEdit* line(std::size_t mode) const { return entry()->fields()[mode]->line(); }
    QWidget* any(std::size_t mode) const { return entry()->fields()[mode]->anyButton(); }

    void openTab() const
    {
        auto* tabs = m_gui->window.findChild<QTabBar*>();
        QTest::mouseClick(tabs, Qt::LeftButton, Qt::NoModifier, tabs->tabRect(ui::MainWindow::PredictTab).center());
        QVERIFY(page()->isVisible());
    }

    void chooseView(int view) const { m_gui->click(page()->viewSwitch()->findChildren<QToolButton*>()[view]); }

    /// A short run that has ended, with the tab in front.
    app::Run* finished(const QString& rank = QStringLiteral("6")) const
    {
        auto* form = m_gui->window.runForm();
        form->findChild<QLineEdit*>(QStringLiteral("rank"))->setText(rank);
        form->findChild<QLineEdit*>(QStringLiteral("core-rank"))->clear();
        form->findChild<QLineEdit*>(QStringLiteral("iterations"))->setText(QStringLiteral("8"));
        app::Run* run = m_gui->startWithForm();
        if (!run || !QTest::qWaitFor([run] { return run->outcome() != nullptr; }, 20'000))
            return nullptr;
        openTab();
        return run;
    }

    static void type(QLineEdit* line, const QString& text)
    {
        line->setFocus();
        line->selectAll();
        QTest::keyClick(line, Qt::Key_Delete);
        QTest::keyClicks(line, text);
    }

    static std::vector<kernels::Index> indexOf(const kernels::SparseTensor& tensor, kernels::Count entry)
    {
        std::vector<kernels::Index> index;
        for (const auto& indices : tensor.indices)
            index.push_back(indices[entry]);
        return index;
    }

    static std::vector<kernels::Index> unobserved(const kernels::SparseTensor& tensor)
    {
        std::vector<kernels::Index> index = indexOf(tensor, 0);
        while (!kernels::entriesAt(tensor, index).empty())
            index[1] = (index[1] + 1) % tensor.modes[1].size;
        return index;
    }

    static std::size_t nonEmpty(const std::vector<kernels::ResidualSums>& slices)
    {
        std::size_t count = 0;
        for (const kernels::ResidualSums& slice : slices)
            count += slice.count > 0;
        return count;
    }

    static void clickHead(QTableView* view, int column)
    {
        QHeaderView* head = view->horizontalHeader();
        QTest::mouseClick(head->viewport(), Qt::LeftButton, Qt::NoModifier,
                          QPoint(head->sectionViewportPosition(column) + head->sectionSize(column) / 2, head->height() / 2));
    }

    void compareBest(const std::vector<kernels::Prediction>& expected, int rows) const
    {
        for (int row = 0; row < rows; ++row) {
            QCOMPARE(entry()->best()->row(row).index.front(), expected[std::size_t(row)].index);
            QCOMPARE(entry()->best()->row(row).cells[2].number, expected[std::size_t(row)].value);
        }
    }

    static void write(const QString& path, const QByteArray& text)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

    static QByteArray read(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
};

QTEST_MAIN(tst_predict_page)
#include "tst_predict_page.moc"
