// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "ui/pages/convergence_page.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_header.h"
#include "ui/widgets/segmented_control.h"

#include <QDialog>
#include <QHeaderView>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QTableView>

#include <algorithm>

using ui::MainWindow;

namespace {

constexpr MainWindow::Page pages[] = {MainWindow::DataTab,    MainWindow::ConvergenceTab, MainWindow::CompareTab,
                                      MainWindow::FactorsTab, MainWindow::PredictTab,     MainWindow::SweepTab};

/// All of it is in the window, and nothing covers it.
bool isWhole(const QWidget* widget)
{
    return widget->isVisible() && widget->visibleRegion() == QRegion(widget->rect())
        && widget->window()->rect().contains(QRect(widget->mapTo(widget->window(), QPoint()), widget->size()));
}

/// The heads of a table that their columns have no room for.
QStringList cutHeads(const QHeaderView* head)
{
    QStringList cut;
    for (int section = 0; section < head->count(); ++section) {
        const QString text = head->model()->headerData(section, Qt::Horizontal).toString();
        const auto* const elided = qobject_cast<const ui::ElidedHeader*>(head);
        const bool whole =
            elided ? elided->shownText(section) == text : head->sectionSize(section) >= head->fontMetrics().horizontalAdvance(text);
        if (!head->isSectionHidden(section) && !whole)
            cut += text;
    }
    return cut;
}

} // namespace

/// The window on screens that are smaller than its favourite size, and zoomed.
class tst_small_screens : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        ui::Theme::instance().setZoom(100);
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
    }
    void cleanup()
    {
        m_gui.reset();
        ui::Theme::instance().setZoom(100);
    }

    void itOpensNoLargerThanTheScreen()
    {
        app::Session session;
        const MainWindow window(session);
        const QSize screen = window.screen()->availableSize(); // 800 × 800, offscreen
        QVERIFY(window.width() <= screen.width() && window.height() <= screen.height());
    }

    void everyPageFits_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<int>("zoom");
        QTest::newRow("1024 x 600") << QSize(1024, 600) << 100;
        QTest::newRow("1280 x 720") << QSize(1280, 720) << 100;
        QTest::newRow("1440 x 900 at 200 %") << QSize(720, 450) << 100;
        QTest::newRow("1440 x 900 zoomed") << QSize(1440, 900) << 200;
    }
    void everyPageFits()
    {
        QFETCH(const QSize, size);
        QFETCH(const int, zoom);
        MainWindow& window = m_gui->window;
        ui::Theme::instance().setZoom(zoom);
        QVERIFY(m_gui->openSample());
        kernels::RunConfig config = window.runForm()->config();
        config.stopping.iterations = 5;
        window.runForm()->setConfig(config);
        for (int runs = 0; runs < 2; ++runs) {
            app::Run* const run = m_gui->startWithForm();
            QVERIFY(run);
            QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), 30'000);
        }
        window.resize(size);
        for (const MainWindow::Page page : pages) {
            window.showPage(page);
            QTest::qWait(150); // tables are filled some ms later
            QCOMPARE(window.size(), size);
            const QSize least = window.minimumSizeHint();
            QVERIFY2(least.width() <= size.width() && least.height() <= size.height(),
                     qPrintable(QStringLiteral("page %1: %2 x %3").arg(page).arg(least.width()).arg(least.height())));
            QVERIFY(isWhole(m_gui->startRun()));
            QVERIFY(isWhole(window.statusBar()));
            for (const QTableView* table : window.findChildren<QTableView*>())
                if (table->isVisible() && !table->horizontalHeader()->isHidden()) {
                    const QStringList cut = cutHeads(table->horizontalHeader());
                    QVERIFY2(cut.isEmpty(), qPrintable(QStringLiteral("page %1: %2").arg(page).arg(cut.join(QStringLiteral(", ")))));
                }
        }
    }

    void chartsStandBesideTheForm()
    {
        QVERIFY(m_gui->openSample());
        MainWindow& window = m_gui->window;
        window.showPage(MainWindow::ConvergenceTab);
        for (const QSize size : {QSize(1440, 900), QSize(1200, 800), QSize(1100, 700)}) {
            window.resize(size);
            const auto allWhole = [&] {
                const auto cards = window.convergencePage()->findChildren<ui::Card*>();
                return std::all_of(cards.begin(), cards.end(), [](const ui::Card* card) { return card->isHidden() || isWhole(card); });
            };
            QTRY_VERIFY2(allWhole(), qPrintable(QString::number(size.width())));
            QTRY_VERIFY(isWhole(window.convergencePage()->partSwitch()) && isWhole(window.convergencePage()->logSwitch()));
        }
    }

    void everyFieldOfTheFormIsReached()
    {
        QVERIFY(m_gui->openSample());
        m_gui->window.resize(1024, 600);
        for (QWidget* field : m_gui->window.runForm()->fields()) {
            m_gui->window.runForm()->showField(field);
            QTRY_VERIFY2(field->visibleRegion().boundingRect().width() == field->width(), qPrintable(field->accessibleName()));
        }
    }

    void everyDialogFits_data()
    {
        QTest::addColumn<QString>("action");
        for (const char* action : {"generate", "export", "sweep", "filterEntries", "palette"})
            QTest::newRow(action) << QString::fromLatin1(action);
    }
    void everyDialogFits()
    {
        QFETCH(const QString, action);
        QVERIFY(m_gui->openSample());
        m_gui->window.resize(1024, 600);
        m_gui->window.findChild<QAction*>(action)->trigger();
        auto* const dialog = m_gui->window.findChild<QDialog*>();
        QVERIFY(dialog && QTest::qWaitForWindowExposed(dialog));
        const QSize least = dialog->minimumSizeHint(), frame(0, 30);
        QVERIFY2(least.width() <= 1024 && least.height() + frame.height() <= 600,
                 qPrintable(QStringLiteral("%1 x %2").arg(least.width()).arg(least.height())));
        dialog->close();
    }

    void theWindowIsZoomedByKeys()
    {
        MainWindow& window = m_gui->window;
        QVERIFY(m_gui->openSample());
        const int pixels = QApplication::font().pixelSize();
        const int tall = m_gui->window.workspace()->tensorList()->sizeHintForRow(0);
        QTest::keyClick(&window, Qt::Key_Plus, Qt::ControlModifier);
        QTest::keyClick(&window, Qt::Key_Plus, Qt::ControlModifier);
        QCOMPARE(ui::Theme::instance().zoom(), 125);
        QVERIFY(QApplication::font().pixelSize() > pixels);
        QCOMPARE(m_gui->startRun()->font().pixelSize(), QApplication::font().pixelSize());
        QVERIFY(window.workspace()->tensorList()->sizeHintForRow(0) > tall);
        QCOMPARE(QSettings().value(QStringLiteral("zoom")).toInt(), 125); // the next start has it
        QTest::keyClick(&window, Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(QApplication::font().pixelSize(), pixels);
        QCOMPARE(window.workspace()->tensorList()->sizeHintForRow(0), tall);
        for (int i = 0; i < 20; ++i)
            QTest::keyClick(&window, Qt::Key_Minus, Qt::ControlModifier);
        QCOMPARE(ui::Theme::instance().zoom(), 75);
    }

private:
    PersonSettings m_settings;
    std::unique_ptr<GuiDriver> m_gui;
};

QTEST_MAIN(tst_small_screens)
#include "tst_small_screens.moc"
