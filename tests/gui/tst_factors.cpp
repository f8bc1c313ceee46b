// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "io/model_file.h"
#include "ui/models/factor_text.h"
#include "ui/pages/components_view.h"
#include "ui/pages/core_consistency_box.h"
#include "ui/pages/factor_maps.h"
#include "ui/pages/factors_page.h"
#include "ui/widgets/component_list.h"
#include "ui/widgets/heat_map.h"

#include <QCheckBox>
#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <QUndoStack>
#include <QWheelEvent>

#include <cmath>
#include <memory>

using app::RunState;

/// The page Factors, by clicks and keys.
class tst_factors : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

    ui::FactorsPage* page() const { return m_gui->window.factorsPage(); }
    ui::ComponentList* list() const { return page()->components()->list(); }

    void openTab() const
    {
        auto* tabs = m_gui->window.findChild<QTabBar*>();
        for (int tab = 0; tab < tabs->count(); ++tab)
            if (tabs->tabText(tab) == QStringLiteral("Factors"))
                QTest::mouseClick(tabs, Qt::LeftButton, Qt::NoModifier, tabs->tabRect(tab).center());
    }

    void choose(const QWidget* segments, const char* text) const
    {
        for (QToolButton* button : segments->findChildren<QToolButton*>())
            if (button->text() == QLatin1String(text))
                return m_gui->click(button);
        QFAIL(text);
    }

    /// A finished run by the form, and its model on the page.
    app::Run* runOf(const char* algorithm, const char* rank = "4", const char* iterations = "12")
    {
        const auto* form = m_gui->window.runForm();
        auto* algorithms = form->findChild<QComboBox*>(QStringLiteral("algorithm"));
        algorithms->setCurrentIndex(algorithms->findData(QLatin1String(algorithm)));
        form->findChild<QLineEdit*>(QStringLiteral("rank"))->setText(QLatin1String(rank));
        if (auto* coreRank = form->findChild<QLineEdit*>(QStringLiteral("core-rank")))
            coreRank->clear();
        form->findChild<QLineEdit*>(QStringLiteral("iterations"))->setText(QLatin1String(iterations));
        form->findChild<QLineEdit*>(QStringLiteral("tolerance"))->setText(QStringLiteral("0"));
        app::Run* run = m_gui->startWithForm();
        if (!run || !QTest::qWaitFor([run] { return run->state() == RunState::Finished; }, 60'000))
            return nullptr;
        openTab();
        return QTest::qWaitFor([&] { return page()->factors() && page()->factors()->outcome == run->outcome(); }, 20'000) ? run : nullptr;
    }

    void moveTo(QWidget* widget, const QPointF& at) const
    {
        QMouseEvent event(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(widget, &event);
    }

    void wheel(QWidget* widget, const QPointF& at, int delta) const
    {
        QWheelEvent event(at, widget->mapToGlobal(at), QPoint(), QPoint(0, delta), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(widget, &event);
    }

private Q_SLOTS:
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
    }
    void cleanup() { m_gui.reset(); }

    void withoutAModelThePageSaysWhy()
    {
        openTab();
        QVERIFY2(page()->emptyText().startsWith(QStringLiteral("No run yet")), qPrintable(page()->emptyText()));
        QVERIFY(!page()->viewSwitch()->isChoiceEnabled(ui::FactorsPage::Core));
        app::Run* run = m_gui->startEndless();
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(!run->history().empty(), 20'000);
        openTab();
        QTRY_VERIFY2(page()->emptyText().contains(QStringLiteral("still works")), qPrintable(page()->emptyText()));
        m_gui->click(m_gui->toolButton(m_gui->window.actions().pause));
        QTRY_VERIFY2(page()->emptyText().contains(QStringLiteral("is paused")), qPrintable(page()->emptyText()));
        m_gui->click(m_gui->toolButton(m_gui->window.actions().stop));
        QTRY_VERIFY_WITH_TIMEOUT(page()->factors(), 20'000); // what it had learned by then
        QVERIFY(page()->emptyText().isEmpty());
        QVERIFY(list()->isVisible());
    }

    void ofARunThatGoesTheKeptModelIsShown()
    {
        QTemporaryDir folder;
        m_gui->session.keepRunsIn(folder.path(), 0.05);
        app::Run* run = m_gui->startEndless();
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(QString::fromStdString(run->checkpointFile())), 20'000);
        m_gui->click(m_gui->toolButton(m_gui->window.actions().pause));
        openTab();
        QTRY_VERIFY_WITH_TIMEOUT(page()->factors(), 20'000);
        QVERIFY2(page()->caption()->text().startsWith(QStringLiteral("The run still goes")), qPrintable(page()->caption()->text()));
        QVERIFY(!(list()->model()->flags(list()->model()->index(0, 0)) & Qt::ItemIsEditable)); // it is not the model that stays
        m_gui->click(m_gui->toolButton(m_gui->window.actions().stop));
        QTRY_VERIFY_WITH_TIMEOUT(page()->factors() && page()->factors()->outcome == run->outcome(), 20'000);
        QVERIFY(!page()->caption()->text().startsWith(QStringLiteral("The run still goes")));
    }

    void cardsStandByWeight()
    {
        QVERIFY(runOf("cp-als"));
        const ui::FactorDataPtr factors = page()->factors();
        QCOMPARE(list()->model()->rowCount(), 4);
        for (int row = 1; row < 4; ++row)
            QVERIFY(std::abs(factors->weight(list()->components()->componentAt(row - 1)))
                    >= std::abs(factors->weight(list()->components()->componentAt(row))));
        QVERIFY(page()->caption()->text().contains(QStringLiteral("length 1")));
        // Normalised columns have length 1 and a positive largest element, whatever the model's are.
        for (unsigned n = 0; n < 3; ++n) {
            double squares = 0;
            for (kernels::Index i = 0; i < factors->model().dims[n]; ++i)
                squares += std::pow(factors->value(n, 2, i, true), 2);
            QVERIFY(std::abs(squares - 1) < 1e-5); // of float factors
            QVERIFY(factors->value(n, 2, factors->column(n, 2).strongest.front(), true) > 0);
        }
        m_gui->click(page()->components()->normaliseBox());
        QVERIFY(page()->caption()->text().contains(QStringLiteral("as the model has them")));
        QVERIFY(!page()->heatMaps()->normaliseBox()->isChecked()); // one setting
    }

    void hoveringAChartTellsIndexLabelAndExactValue()
    {
        QVERIFY(runOf("cp-als"));
        const ui::FactorDataPtr factors = page()->factors();
        const unsigned component = factors->order.front();
        const QRect hours = list()->placesOf(component).charts[2];
        for (kernels::Index hour : {0U, 11U, 23U}) {
            const int x = hours.left() + static_cast<int>((hour + 0.5) / 24 * hours.width());
            moveTo(list()->viewport(), QPoint(x, hours.center().y()));
            const QString value = QString::number(factors->value(2, component, hour, true), 'g', 17).left(6);
            QTRY_VERIFY2(
                list()->tooltipText().startsWith(QStringLiteral("hour %1 · %2:00: ").arg(hour + 1).arg(hour, 2, 10, QLatin1Char('0'))),
                qPrintable(list()->tooltipText()));
            QVERIFY2(list()->tooltipText().contains(value), qPrintable(list()->tooltipText() + QLatin1Char(' ') + value));
        }
        moveTo(list()->viewport(), QPoint(4, 4));
        QTRY_VERIFY(list()->tooltipText().isEmpty());
    }

    void chartsChangeByTheirSwitch()
    {
        QVERIFY(runOf("cp-als"));
        const QImage bars = ui::imageOf(list()->cardPicture(0), 1);
        choose(page()->components()->chartSwitch(), "Line");
        const QImage line = ui::imageOf(list()->cardPicture(0), 1);
        QVERIFY(line != bars);
        choose(page()->components()->chartSwitch(), "Sorted");
        QTRY_COMPARE_WITH_TIMEOUT(list()->look().ranks.size(), std::size_t{12}, 10'000); // 4 components in 3 modes
        QVERIFY(ui::imageOf(list()->cardPicture(0), 1) != line);
        const ui::FactorDataPtr factors = page()->factors();
        const auto& ranks = list()->look().ranks.at({2, 1});
        QCOMPARE(ranks.size(), std::size_t{24});
        for (std::size_t r = 1; r < ranks.size(); ++r)
            QVERIFY(factors->model().factors[2].at(ranks[r - 1], 1) >= factors->model().factors[2].at(ranks[r], 1));
    }

    void strongestRowsAreChosenMarkedAndCopied()
    {
        QVERIFY(runOf("cp-als"));
        const ui::FactorDataPtr factors = page()->factors();
        const unsigned component = factors->order.front();
        page()->components()->strongModeChooser()->setFocus();
        QTest::keyClick(page()->components()->strongModeChooser(), Qt::Key_Down);
        QTest::keyClick(page()->components()->strongCountChooser(), Qt::Key_Down);
        QCOMPARE(list()->look().strongMode, 1U);
        QCOMPARE(list()->look().strongest, 5U);
        QTRY_COMPARE(list()->placesOf(component).strongest.height(), 5 * ui::CardPlaces::strongLine);

        const QRect lines = list()->placesOf(component).strongest;
        const QPoint second(lines.left() + 10, lines.top() + ui::CardPlaces::strongLine * 3 / 2);
        const ui::MarkedRow expected{1, factors->column(1, component).strongest[1]};
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, Qt::NoModifier, second);
        QVERIFY(list()->look().marked == expected);
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, Qt::NoModifier, second);
        QVERIFY(!list()->look().marked);

        list()->setFocus();
        QTest::keyClick(list(), Qt::Key_Home);
        QTest::keyClick(list(), Qt::Key_C, Qt::ControlModifier);
        QString text = QApplication::clipboard()->text();
        QVERIFY2(text.contains(factors->rowText(0, factors->column(0, component).strongest[4])), qPrintable(text));
        QCOMPARE(text.count(QLatin1Char('\n')), 1 + 3 * (1 + 5));
        const std::unique_ptr<QMenu> menu(list()->cardMenu(component));
        for (QAction* action : menu->actions())
            if (action->text().endsWith(QStringLiteral("as CSV")))
                action->trigger();
        text = QApplication::clipboard()->text();
        QVERIFY(text.startsWith(QStringLiteral("component,name,mode,rank,index1,label,value\r\n%1,,origin,1,").arg(component + 1)));
        QCOMPARE(text.count(QLatin1Char('\n')), 1 + 3 * 5);
    }

    /// What a component means takes the labels of all modes, and which of them stand against the others.
    void everyModeListsItsStrongestBelowItsChart()
    {
        QVERIFY(runOf("cp-als"));
        const ui::FactorDataPtr factors = page()->factors();
        QComboBox* modes = page()->components()->strongModeChooser();
        modes->setFocus();
        QTest::keyClick(modes, Qt::Key_End);
        QCOMPARE(modes->currentText(), QStringLiteral("every mode"));
        const unsigned component = factors->order.front();
        QTRY_COMPARE(list()->placesOf(component).below.size(), std::size_t{3});
        const ui::CardPlaces at = list()->placesOf(component);
        QVERIFY(at.strongest.isEmpty());
        for (unsigned n = 0; n < 3; ++n) {
            QVERIFY(at.card.contains(at.below[n]) && !at.below[n].intersects(at.charts[n]) && at.charts[n].height() >= 40);
            const QPoint second(at.below[n].left() + 10, at.below[n].top() + ui::CardPlaces::strongLine * 3 / 2);
            QTest::mouseClick(list()->viewport(), Qt::LeftButton, Qt::NoModifier, second);
            const ui::MarkedRow expected{n, factors->column(n, component).strongest[1]};
            QVERIFY(list()->look().marked == expected);
        }
        bool negative = false;
        for (unsigned r = 0; r < factors->components(); ++r)
            for (unsigned n = 0; n < 3; ++n)
                for (const kernels::Index row : factors->column(n, r).strongest) {
                    const bool minus = ui::strongestRowText(*factors, n, r, row, true).startsWith(QChar(0x2212));
                    QCOMPARE(minus, factors->value(n, r, row, true) < 0);
                    negative = negative || minus;
                }
        QVERIFY(negative);
        // Another run keeps the choice.
        QVERIFY(runOf("cp-als"));
        QCOMPARE(modes->currentText(), QStringLiteral("every mode"));
    }

    void aNameIsTypedTakenBackAndTravels()
    {
        app::Run* run = runOf("cp-als");
        QVERIFY(run);
        const unsigned first = page()->factors()->order[0], second = page()->factors()->order[1];
        list()->setFocus();
        QTest::keyClick(list(), Qt::Key_Home);
        QTest::keyClick(list(), Qt::Key_F2);
        auto* editor = list()->findChild<QLineEdit*>();
        QVERIFY(editor);
        QTest::keyClicks(editor, QStringLiteral("out of the hubs"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(run->componentNames().size(), std::size_t{4});
        QCOMPARE(run->componentNames()[first], std::string("out of the hubs"));
        QCOMPARE(list()->model()->index(0, 0).data().toString(), QStringLiteral("%1 · out of the hubs").arg(first + 1));

        QTRY_VERIFY(!list()->findChild<QLineEdit*>());
        QTest::mouseDClick(list()->viewport(), Qt::LeftButton, Qt::NoModifier, list()->placesOf(second).name.center());
        editor = list()->findChild<QLineEdit*>();
        QVERIFY(editor);
        QTest::keyClicks(editor, QStringLiteral("evening"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(run->componentNames()[second], std::string("evening"));
        list()->setFocus();
        QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(run->componentNames()[second].empty());
        QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(run->componentNames()[second], std::string("evening"));

        const std::string path = m_folder.filePath(QStringLiteral("named.h5")).toStdString();
        QSignalSpy finished(&m_gui->session, &app::Session::exportFinished);
        m_gui->session.exportRun(run, io::exportKind("h5"), QString::fromStdString(path));
        QVERIFY(finished.count() == 1 || finished.wait(20'000));
        QCOMPARE(io::readModel(path).componentNames, run->componentNames());
    }

    void aCardIsSavedAsPictureAndNumbers()
    {
        QVERIFY(runOf("cp-als"));
        const QString png = m_folder.filePath(QStringLiteral("card.png")), csv = m_folder.filePath(QStringLiteral("card.csv"));
        QCOMPARE(page()->components()->saveImage(1, png), QString());
        QCOMPARE(QImage(png).width(), 2 * list()->viewport()->width());
        QSignalSpy saved(page(), &ui::FactorsPage::saved), failed(page(), &ui::FactorsPage::saveFailed);
        page()->components()->saveNumbers(1, csv);
        QVERIFY(saved.count() == 1 || saved.wait(10'000));
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        const auto& dims = page()->factors()->model().dims;
        QCOMPARE(text.count('\n'), qsizetype(1 + dims[0] + dims[1] + dims[2]));
        QVERIFY(text.startsWith("mode,index1,label,value\r\norigin,1,\"ABE Allentown, PA\","));
        page()->components()->saveNumbers(1, m_folder.filePath(QStringLiteral("no/such/folder.csv")));
        QVERIFY(failed.count() == 1 || failed.wait(10'000));
    }

    void aFactorMatrixZoomsMovesAndIsMarked()
    {
        QVERIFY(runOf("cp-als"));
        choose(page()->viewSwitch(), "Heat map");
        ui::HeatMap* map = page()->heatMaps()->map();
        QTRY_VERIFY(map->isVisible() && map->rowRange().second > 100);
        const auto whole = map->rowRange();
        const QPointF centre = map->plotRect().center();
        wheel(map, centre, 480);
        QVERIFY(map->isZoomed());
        const auto zoomed = map->rowRange();
        QVERIFY(std::abs((zoomed.first + zoomed.second) - (whole.first + whole.second)) < 1); // about the mouse
        QTest::mousePress(map, Qt::LeftButton, Qt::NoModifier, centre.toPoint());
        moveTo(map, centre.toPoint() + QPoint(0, 60));
        QTest::mouseRelease(map, Qt::LeftButton, Qt::NoModifier, centre.toPoint() + QPoint(0, 60));
        QVERIFY(map->rowRange().first < zoomed.first);
        QTest::mouseDClick(map, Qt::LeftButton, Qt::NoModifier, centre.toPoint());
        QCOMPARE(map->rowRange(), whole);
        map->setFocus();
        QTest::keyClick(map, Qt::Key_Plus);
        QVERIFY(map->isZoomed());
        QTest::keyClick(map, Qt::Key_Escape);

        moveTo(map, centre.toPoint() + QPoint(3, 3));
        QTRY_VERIFY2(map->tooltipText().startsWith(QStringLiteral("origin ")), qPrintable(map->tooltipText()));
        list()->setMarked({});
        QTest::mouseClick(map, Qt::LeftButton, Qt::NoModifier, centre.toPoint());
        QVERIFY(list()->look().marked && list()->look().marked->mode == 0);
        QVERIFY(map->csv().startsWith(QStringLiteral("first_index1,last_index1,label,1,2,3,4\r\n1,1,\"ABE Allentown, PA\",")));
    }

    void coreConsistencyIsComputedOnAClick()
    {
        QVERIFY(runOf("cp-als", "2", "60"));
        QPushButton* link = page()->consistency();
        QVERIFY(link->isVisible());
        choose(page()->viewSwitch(), "Core");
        QSignalSpy computed(page()->consistency(), &ui::CoreConsistencyBox::computed);
        m_gui->click(link);
        QVERIFY(computed.count() == 1 || computed.wait(20'000));
        const double percent = computed[0][0].toDouble();
        QVERIFY2(percent <= 100 && percent > -1e4, qPrintable(QString::number(percent)));
        QTRY_VERIFY(link->text().startsWith(QStringLiteral("core consistency ")) && !link->isEnabled());
        QVERIFY2(!link->text().contains(QStringLiteral("unstable")), qPrintable(link->text()));
        // The core it comes from is there to look at: 2 × 2 × 2, a slice box for the third mode.
        QCOMPARE(page()->core()->chooser()->count(), 1);
        QCOMPARE(page()->core()->map()->rowRange().second, 2.0);
        QCOMPARE(page()->core()->sliceBoxes().size(), std::size_t{3});
        QVERIFY(page()->core()->sliceBoxes()[2]->isVisible());
        QVERIFY(!page()->core()->sliceBoxes()[0]->isVisible());
        const QString before = page()->core()->map()->csv();
        QTest::keyClick(page()->core()->sliceBoxes()[2], Qt::Key_Up);
        QVERIFY(page()->core()->map()->csv() != before);
    }

    void anUnstableCoreConsistencySaysSo()
    {
        QVERIFY(runOf("cp-als", "26", "10")); // more components than there are hours: their columns depend on each other
        QPushButton* link = page()->consistency();
        QSignalSpy computed(page()->consistency(), &ui::CoreConsistencyBox::computed);
        m_gui->click(link);
        QVERIFY(computed.count() == 1 || computed.wait(20'000));
        QTRY_VERIFY2(link->text().endsWith(QStringLiteral("%, unstable")), qPrintable(link->text()));
        QVERIFY2(link->toolTip().contains(QStringLiteral("nearly collinear")), qPrintable(link->toolTip()));
    }

    void similaritiesOfCpAreCongruenceAndCosines()
    {
        QVERIFY(runOf("cp-als"));
        choose(page()->viewSwitch(), "Similarity");
        QCOMPARE(page()->similarity()->chooser()->count(), 4);
        const QStringList rows = page()->similarity()->map()->csv().split(QStringLiteral("\r\n"));
        QCOMPARE(rows[1].section(QLatin1Char(','), 3, 3).toDouble(), 1.0);
        QCOMPARE(rows[2].section(QLatin1Char(','), 3, 3), rows[1].section(QLatin1Char(','), 4, 4)); // symmetric
    }

    void fastTuckerShowsColumnsAndCoreMatrices()
    {
        QVERIFY(runOf("fasttucker-plus", "3, 5, 4"));
        QCOMPARE(list()->model()->rowCount(), 5); // modes have 3, 5 and 4 columns
        QVERIFY(page()->caption()->text().contains(QStringLiteral("the core tells")));
        QVERIFY(!page()->consistency()->isVisible());
        choose(page()->viewSwitch(), "Core");
        QComboBox* blocks = page()->core()->chooser();
        QCOMPARE(blocks->count(), 4); // the dense core and three matrices
        QCOMPARE(page()->core()->map()->rowRange().second, 3.0);
        page()->core()->rowChooser()->setFocus();
        QTest::keyClick(page()->core()->rowChooser(), Qt::Key_Down); // the second mode down: the first goes across
        QCOMPARE(page()->core()->map()->rowRange().second, 5.0);
        QCOMPARE(page()->core()->columnChooser()->currentIndex(), 0);
        blocks->setFocus();
        QTest::keyClick(blocks, Qt::Key_Down);
        QCOMPARE(page()->core()->map()->rowRange().second, 3.0); // B of origin: 3 × 5
        QCOMPARE(page()->core()->map()->csv().section(QStringLiteral("\r\n"), 0, 0).count(QLatin1Char(',')), 2 + 5);
        choose(page()->viewSwitch(), "Similarity");
        QCOMPARE(page()->similarity()->chooser()->count(), 3);
    }

    void anotherRunIsChosenHereOrOnTheLeft()
    {
        app::Run* first = runOf("cp-als", "2");
        app::Run* second = runOf("cp-als", "3");
        QVERIFY(first && second);
        QComboBox* runs = page()->runChooser();
        QCOMPARE(runs->currentText(), second->name());
        runs->setFocus();
        QTest::keyClick(runs, Qt::Key_Up);
        QTRY_VERIFY(page()->factors() && page()->factors()->outcome == first->outcome());
        QCOMPARE(m_gui->window.workspace()->currentRun(), first);
        m_gui->window.workspace()->setCurrentRun(second->id());
        QTRY_VERIFY(page()->factors() && page()->factors()->outcome == second->outcome());
        m_gui->session.removeRun(second);
        QTRY_VERIFY(page()->factors() && page()->factors()->outcome == first->outcome());
        m_gui->session.removeRun(first);
        QTRY_VERIFY(page()->emptyText().startsWith(QStringLiteral("No run yet")));
    }

    void everyControlOfThePageHasAName()
    {
        QVERIFY(runOf("fasttucker-plus", "3"));
        for (const char* view : {"Components", "Heat map", "Core", "Similarity"}) {
            choose(page()->viewSwitch(), view);
            for (const QWidget* widget : page()->findChildren<QWidget*>()) {
                const bool control = qobject_cast<const QComboBox*>(widget) || qobject_cast<const QAbstractItemView*>(widget)
                    || qobject_cast<const QSpinBox*>(widget) || qobject_cast<const ui::HeatMap*>(widget);
                if (control && widget->isVisible())
                    QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
            }
        }
    }
};

QTEST_MAIN(tst_factors)
#include "tst_factors.moc"
