// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "ui/dialogs/sweep_dialog.h"
#include "ui/models/factor_text.h"
#include "ui/models/run_columns.h"
#include "ui/models/run_table_model.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/components_view.h"
#include "ui/pages/factors_page.h"
#include "ui/pages/predict_file_view.h"
#include "ui/pages/predict_page.h"
#include "ui/pages/sweep_page.h"
#include "ui/widgets/component_list.h"
#include "ui/widgets/run_table.h"
#include "ui/widgets/spread_chart.h"

#include <QFile>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollArea>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolButton>

#include <memory>

/// The three tasks that the user guide begins with, from the first page to the answer, by clicks and keys alone. Each counts its
/// clicks; more of them than a guide would ask for make it fail. WALK=FOLDER keeps a picture of every step.
class tst_walks : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;
    int m_clicks = 0;
    int m_steps = 0;

    const ui::MainWindow& window() const { return m_gui->window; }

    void look(const char* what)
    {
        QTest::qWait(300); // a turn of the drawing timers
        ++m_steps;
        if (const QString folder = qEnvironmentVariable("WALK"); !folder.isEmpty())
            m_gui->window.grab().save(QStringLiteral("%1/%2-%3-%4.png")
                                          .arg(folder, QLatin1String(QTest::currentTestFunction()))
                                          .arg(m_steps)
                                          .arg(QLatin1String(what)));
    }

    void press(QWidget* widget, const QPoint& at = {})
    {
        ++m_clicks;
        QTest::mouseClick(widget, Qt::LeftButton, Qt::NoModifier, at);
    }
    void click(QWidget* widget)
    {
        QVERIFY(widget && widget->isVisible() && widget->isEnabled());
        press(widget);
    }
    void openTab(ui::MainWindow::Page page)
    {
        auto* tabs = window().findChild<QTabBar*>();
        press(tabs, tabs->tabRect(page).center());
    }
    /// A double click chooses what stands there.
    void type(QLineEdit* field, const QString& text)
    {
        QVERIFY(field && field->isVisible() && field->isEnabled());
        for (QWidget* each = field->parentWidget(); each; each = each->parentWidget()) // as far as a person would scroll
            if (auto* area = qobject_cast<QScrollArea*>(each))
                area->ensureWidgetVisible(field);
        ++m_clicks;
        QTest::mouseDClick(field, Qt::LeftButton);
        QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(field, text);
    }
    /// Opens the list and clicks the item.
    void choose(QComboBox* box, int item)
    {
        QVERIFY(item >= 0);
        click(box);
        QTRY_VERIFY(box->view()->isVisible());
        const QModelIndex at = box->model()->index(item, 0);
        box->view()->scrollTo(at);
        ++m_clicks;
        // For a while after the click that opened it the list takes a release for that one's.
        const auto chosen = [box, at] {
            if (box->view()->isVisible())
                QTest::mouseClick(box->view()->viewport(), Qt::LeftButton, Qt::NoModifier,
                                  box->view()->visualRect(at).topLeft() + QPoint(12, 12));
            return QTest::qWaitFor([box] { return !box->view()->isVisible(); }, 300);
        };
        QTRY_VERIFY(chosen());
        QCOMPARE(box->currentIndex(), item);
    }
    QLineEdit* formField(const char* name) const { return window().runForm()->findChild<QLineEdit*>(QLatin1String(name)); }
    QComboBox* formBox(const char* name) const { return window().runForm()->findChild<QComboBox*>(QLatin1String(name)); }
    void chooseInForm(const char* name, const QString& data)
    {
        QComboBox* box = formBox(name);
        if (box->currentData().toString() != data)
            choose(box, box->findData(data));
    }
    void start()
    {
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->startRun()->isEnabled(), 10'000);
        const std::size_t before = m_gui->session.runs().size();
        click(m_gui->startRun());
        QTRY_COMPARE(m_gui->session.runs().size(), before + 1);
    }
    bool ended() const
    {
        return QTest::qWaitFor([this] { return !m_gui->session.hasActiveRuns(); }, 240'000);
    }
    QString cell(const app::Run* run, const char* column) const
    {
        const ui::RunTableModel* model = window().comparePage()->model();
        const auto& columns = model->columns();
        const auto at =
            std::find_if(columns.begin(), columns.end(), [&](const ui::RunColumn* each) { return each->id == QLatin1String(column); });
        return model->index(model->rowOf(run->id()), static_cast<int>(at - columns.begin())).data().toString();
    }
    static QStringList labels(const ui::FactorData& factors, unsigned mode, unsigned component, unsigned count)
    {
        QStringList all;
        for (unsigned i = 0; i < count; ++i)
            all += ui::strongestRowText(factors, mode, component, factors.column(mode, component).strongest[i], true);
        return all;
    }

private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        m_clicks = m_steps = 0;
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
        ++m_clicks;
    }
    void cleanup() { m_gui.reset(); }

    void theBestRankAndWhatComponentThreeMeans()
    {
        choose(formBox("preset"), 0);
        QCOMPARE(formBox("preset")->currentText(), QStringLiteral("Defaults"));
        type(formField("iterations"), QStringLiteral("50"));
        look("settings");
        QTRY_VERIFY(m_gui->startRun()->isEnabled());
        click(m_gui->button(window().runForm(), QStringLiteral("Sweep…")));
        auto* dialog = window().findChild<ui::SweepDialog*>();
        QVERIFY(dialog);
        dialog->activateWindow();
        QTRY_VERIFY(dialog->values(0)->hasFocus()); // it is written at once
        QTest::keyClicks(dialog->values(0), QStringLiteral("1,2,4,8,16,32"));
        QTRY_VERIFY(!dialog->isPlanning());
        QCOMPARE(dialog->startButton()->text(), QStringLiteral("Start 18 runs"));
        click(dialog->startButton());
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.runs().size(), std::size_t{18}, 20'000);
        QVERIFY(ended());
        const ui::SweepPage* page = window().sweepPage();
        QTRY_VERIFY_WITH_TIMEOUT(page->errorChart()->groups().size() == 6 && page->progressText().isEmpty(), 60'000);
        look("answer");
        qInfo("%d clicks: %s", m_clicks, qPrintable(page->adviceText()));
        QVERIFY2(page->adviceText().contains(QStringLiteral("ank ")) && page->errorChart()->chosen(), qPrintable(page->adviceText()));
        QVERIFY(m_clicks <= 8);

        chooseInForm("algorithm", QStringLiteral("cp-als"));
        type(formField("rank"), QStringLiteral("4"));
        type(formField("iterations"), QStringLiteral("300"));
        start();
        QVERIFY(ended());
        openTab(ui::MainWindow::FactorsTab);
        ui::FactorsPage* factorsPage = m_gui->window.factorsPage();
        QTRY_VERIFY(factorsPage->factors() && factorsPage->factors()->isCp());
        choose(factorsPage->components()->strongCountChooser(), 1);
        choose(factorsPage->components()->strongModeChooser(), 3);
        look("component 3");
        const ui::FactorData& factors = *factorsPage->factors();
        const unsigned third = 2;
        QCOMPARE(factors.order.front(), third);
        const ui::CardPlaces at = factorsPage->components()->list()->placesOf(third);
        QCOMPARE(at.below.size(), std::size_t{3});
        QVERIFY(factorsPage->components()->list()->viewport()->rect().contains(at.card)); // without scrolling
        qInfo("%d clicks: %s; %s; %s", m_clicks, qPrintable(labels(factors, 0, third, 5).join(u',')),
              qPrintable(labels(factors, 1, third, 5).join(u',')), qPrintable(labels(factors, 2, third, 5).join(u',')));
        // As the guide tells it.
        QVERIFY(labels(factors, 0, third, 1).front().startsWith(QStringLiteral("LAX")));
        QVERIFY(labels(factors, 1, third, 5).join(u' ').contains(QStringLiteral("\u2212 LGA")));
        QVERIFY(m_clicks <= 18);
    }

    void fourAlgorithmsToAnEqualError()
    {
        choose(formBox("preset"), 0);
        QCOMPARE(formBox("preset")->currentText(), QStringLiteral("Defaults"));
        type(formField("iterations"), QStringLiteral("50"));
        for (const char* algorithm : {"fasttucker-plus", "fasttucker", "fastertucker", "cp-als"}) {
            chooseInForm("algorithm", QLatin1String(algorithm));
            if (QLatin1String(algorithm) == QLatin1String("cp-als"))
                type(formField("test-split"), QStringLiteral("10 %"));
            start();
        }
        QVERIFY(ended());
        openTab(ui::MainWindow::CompareTab);
        look("compare");
        const ui::ComparePage* page = window().comparePage();
        const auto& runs = m_gui->session.runs();
        QTRY_COMPARE(page->model()->runs().size(), std::size_t{4});
        QTRY_VERIFY(cell(runs[3], "rmse") != QStringLiteral("–"));
        press(page->table()->viewport(),
              ui::RunTable::squareRect(page->table()->visualRect(page->model()->index(page->model()->rowOf(runs[3]->id()), 0))).center());
        QTRY_VERIFY(!runs[3]->isVisible());
        QTRY_VERIFY(page->targetForAll()->isEnabled());
        click(page->targetForAll());
        look("target");
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY2(cell(runs[i], "target-time") != QStringLiteral("–"), qPrintable(runs[i]->name()));
        // No name is cut: they are what is being compared.
        const QFontMetrics metrics(page->table()->font());
        for (int row = 0; row < 4; ++row)
            QVERIFY(page->table()->columnWidth(0) > metrics.horizontalAdvance(page->model()->index(row, 0).data().toString()) + 30);
        qInfo("%d clicks, %s: %s, %s, %s", m_clicks, qPrintable(page->targetField()->text()), qPrintable(cell(runs[0], "target-time")),
              qPrintable(cell(runs[1], "target-time")), qPrintable(cell(runs[2], "target-time")));
        QVERIFY(m_clicks <= 20);
    }

    void theMissingEntriesOfAFile()
    {
        QFile file(m_folder.filePath(QStringLiteral("gaps.txt")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("1 159 9\nABE,ORD,07:00\n\"ABE Allentown, PA\" ORD 23:00 ?\n");
        file.close();
        choose(formBox("preset"), 0);
        type(formField("iterations"), QStringLiteral("50"));
        start();
        QVERIFY(ended());
        openTab(ui::MainWindow::PredictTab);
        ui::PredictPage* page = m_gui->window.predictPage();
        QTRY_VERIFY(page->viewSwitch()->isEnabled());
        click(page->viewSwitch()->findChildren<QToolButton*>()[1]);
        look("file");
        type(page->findChild<QLineEdit*>(QStringLiteral("predict-source")), file.fileName());
        click(m_gui->button(page->fileView(), QStringLiteral("Predict")));
        QTRY_VERIFY2(page->fileView()->outcome().contains(QStringLiteral("predictions: 3")), qPrintable(page->fileView()->outcome()));
        look("answer");
        QFile filled(m_folder.filePath(QStringLiteral("gaps.predicted.txt"))); // as it was proposed
        QVERIFY(filled.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = filled.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        for (const QByteArray& line : lines)
            QVERIFY2(line.split(' ').last().toDouble() > 0.5 && line.split(' ').last().toDouble() < 5, line.constData());
        qInfo("%d clicks", m_clicks);
        QVERIFY(m_clicks <= 10);
    }
};

QTEST_MAIN(tst_walks)
#include "tst_walks.moc"
