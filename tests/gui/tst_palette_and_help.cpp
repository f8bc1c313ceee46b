// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/freeze_detector.h"
#include "gui/gui_driver.h"
#include "ui/dialogs/command_palette.h"
#include "ui/dialogs/generate_dialog.h"
#include "ui/dialogs/guide_window.h"

#include <QAbstractTextDocumentLayout>
#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QScrollBar>
#include <QSettings>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>

#include <memory>

/// The palette of all commands, the guide and "What's this?", by keys alone.
class tst_palette_and_help : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    std::unique_ptr<GuiDriver> m_gui;

    /// Without a window manager no window becomes active when a dialog over it has gone.
    void activate() const
    {
        m_gui->window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_gui->window));
    }
    ui::CommandPalette* openPalette() const
    {
        activate();
        QTest::keyClick(&m_gui->window, Qt::Key_K, Qt::ControlModifier);
        auto* palette = m_gui->window.findChild<ui::CommandPalette*>();
        return palette && QTest::qWaitForWindowExposed(palette) ? palette : nullptr;
    }
    /// Opens it, types, presses Enter on the first that fits.
    bool command(const QString& text) const
    {
        ui::CommandPalette* palette = openPalette();
        if (!palette)
            return false;
        QTest::keyClicks(palette->line(), text);
        QTest::keyClick(palette->line(), Qt::Key_Return);
        const bool gone = QTest::qWaitFor([this] { return !m_gui->window.findChild<ui::CommandPalette*>(); }, 5000);
        activate();
        return gone;
    }
    ui::GuideWindow* guide() const
    {
        for (QWidget* each : QApplication::topLevelWidgets())
            if (auto* found = qobject_cast<ui::GuideWindow*>(each))
                return found;
        return nullptr;
    }
    app::Run* finishedRun() const
    {
        kernels::RunConfig config = m_gui->window.runForm()->config();
        config.stopping.iterations = 5;
        m_gui->window.runForm()->setConfig(config);
        app::Run* run = m_gui->startWithForm();
        return run && QTest::qWaitFor([run] { return !run->isActive(); }, 20'000) ? run : nullptr;
    }

private Q_SLOTS:
    void init()
    {
        QSettings().remove(QStringLiteral("palette"));
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
    }
    void cleanup()
    {
        if (ui::GuideWindow* open = guide()) {
            open->close();
            QTRY_VERIFY(!guide());
        }
        m_gui.reset();
    }

    void anActionIsFoundByItsLetters()
    {
        QVERIFY(command(QStringLiteral("gnrt")));
        QTRY_VERIFY(m_gui->window.findChild<ui::GenerateDialog*>());
        QTest::keyClick(m_gui->window.findChild<ui::GenerateDialog*>(), Qt::Key_Escape);
        QTRY_VERIFY(!m_gui->window.findChild<ui::GenerateDialog*>());
        ui::CommandPalette* palette = openPalette(); // what was used last stands first
        QVERIFY(palette);
        QCOMPARE(palette->list()->currentIndex().data().toString(), QStringLiteral("Generate…"));
        QCOMPARE(palette->list()->currentIndex().data(ui::CommandModel::ShortcutRole).toString(), QStringLiteral("Ctrl+G"));
        QVERIFY(palette->line()->accessibleDescription().startsWith(QStringLiteral("Generate…")));
        QTest::keyClick(palette->line(), Qt::Key_Escape);
        QTRY_VERIFY(!m_gui->window.findChild<ui::CommandPalette*>());
    }

    void arrowsGoRoundTheList()
    {
        ui::CommandPalette* palette = openPalette();
        QVERIFY(palette && palette->line()->hasFocus());
        const int last = palette->model().rowCount() - 1;
        QVERIFY(last > 40);
        QTest::keyClick(palette->line(), Qt::Key_Up);
        QCOMPARE(palette->list()->currentIndex().row(), last);
        QTest::keyClick(palette->line(), Qt::Key_Down);
        QCOMPARE(palette->list()->currentIndex().row(), 0);
        QTest::keyClick(palette->line(), Qt::Key_PageDown);
        QCOMPARE(palette->list()->currentIndex().row(), 10);
        QTest::keyClicks(palette->line(), QStringLiteral("no such thing"));
        QVERIFY(!palette->list()->isVisible());
        QTest::keyClick(palette->line(), Qt::Key_Return); // nothing to do, and nothing is done
        QVERIFY(palette->isVisible());
    }

    void whatIsNotPossibleIsNotDone()
    {
        ui::CommandPalette* palette = openPalette();
        QVERIFY(palette);
        QTest::keyClicks(palette->line(), QStringLiteral("pause"));
        for (int step = 0; step < 10 && palette->list()->currentIndex().data().toString() != QStringLiteral("Pause"); ++step)
            QTest::keyClick(palette->line(), Qt::Key_Down);
        QCOMPARE(palette->list()->currentIndex().data().toString(), QStringLiteral("Pause"));
        QVERIFY(!palette->list()->currentIndex().data(ui::CommandModel::EnabledRole).toBool());
        QTest::keyClick(palette->line(), Qt::Key_Return);
        QVERIFY(palette->isVisible());
    }

    void itGoesToFieldsRunsTensorsAndViews()
    {
        QVERIFY(command(QStringLiteral("seed")));
        QTRY_COMPARE(QApplication::focusWidget(), m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("seed")));
        QVERIFY(command(QStringLiteral("patience"))); // which was folded away
        auto* patience = m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("patience"));
        QTRY_COMPARE(QApplication::focusWidget(), patience);
        QVERIFY(patience->isVisible());
        QTRY_COMPARE(patience->selectedText(), patience->text()); // what is typed replaces it

        app::Run *first = finishedRun(), *second = finishedRun();
        QVERIFY(first && second);
        first->setName(QStringLiteral("my favourite"));
        QVERIFY(command(QStringLiteral("favourite")));
        QTRY_COMPARE(m_gui->window.workspace()->currentRun(), first);
        m_gui->window.showPage(ui::MainWindow::CompareTab);
        QVERIFY(command(QStringLiteral("x axis time")));
        QTRY_VERIFY(m_gui->window.convergencePage()->isVisible());
        QCOMPARE(m_gui->window.convergencePage()->xSwitch()->current(), 1);
        QVERIFY(command(QStringLiteral("flights.tns")) || command(QStringLiteral("flights")));
        QTRY_COMPARE(QApplication::focusWidget(), m_gui->window.workspace()->tensorList());
    }

    /// Nothing a menu has is missing.
    void everyActionOfTheMenusIsThere()
    {
        ui::CommandPalette* palette = openPalette();
        QVERIFY(palette);
        QStringList titles;
        for (int row = 0; row < palette->model().rowCount(); ++row)
            titles << palette->model().index(row).data().toString();
        int actions = 0;
        for (const QAction* action : m_gui->menuActions()) {
            ++actions;
            QVERIFY2(titles.contains(action->text().remove(QLatin1Char('&'))), qPrintable(action->text()));
        }
        QVERIFY(actions > 30);
    }

    void f1OpensTheGuideAtThePage_data()
    {
        QTest::addColumn<int>("page");
        QTest::addColumn<QString>("heading");
        QTest::newRow("data") << 1 << "Look at the data";
        QTest::newRow("convergence") << 2 << "Read the charts";
        QTest::newRow("compare") << 3 << "Compare runs";
        QTest::newRow("factors") << 4 << "Explain the components";
        QTest::newRow("predict") << 5 << "Predict";
        QTest::newRow("sweep") << 6 << "Sweep";
        QTest::newRow("form") << 0 << "Settings of a run";
    }
    void f1OpensTheGuideAtThePage()
    {
        QFETCH(int, page);
        QFETCH(QString, heading);
        activate();
        m_gui->window.workspace()->tensorList()->setFocus();
        if (page > 0)
            QTest::keyClick(&m_gui->window, static_cast<Qt::Key>(Qt::Key_0 + page), Qt::AltModifier);
        else
            m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("seed"))->setFocus();
        QTRY_VERIFY(QApplication::focusWidget());
        FreezeDetector detector;
        detector.begin(QStringLiteral("opening the guide"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F1);
        QVERIFY(guide() && QTest::qWaitForWindowExposed(guide()));
        QTRY_COMPARE(guide()->headingInView(), heading);
        QCOMPARE(guide()->contents()->currentItem()->text().trimmed(), heading);
        QTRY_VERIFY_WITH_TIMEOUT(guide()->hasAllPictures(), 20'000);
        QTRY_COMPARE(guide()->headingInView(), heading); // pictures that arrive push nothing away
        qInfo("longest: %.0f ms", detector.longestMs());
    }

    /// The window's shortcuts sleep below a dialog; the guide opens beside it all the same, and both can be used.
    void f1OpensTheGuideBesideADialog_data()
    {
        QTest::addColumn<QString>("action");
        QTest::addColumn<QString>("heading");
        QTest::newRow("sweep") << "sweep"
                               << "Sweep";
        QTest::newRow("generate") << "generate"
                                  << "Generate a tensor";
        QTest::newRow("export") << "export"
                                << "Export";
        QTest::newRow("filter") << "filterEntries"
                                << "Find entries";
        QTest::newRow("palette") << "palette"
                                 << "Keys and help";
        QTest::newRow("go to entry") << "goToEntry"
                                     << "Look at the data";
    }
    void f1OpensTheGuideBesideADialog()
    {
        QFETCH(QString, action);
        QFETCH(QString, heading);
        activate();
        m_gui->window.findChild<QAction*>(action)->trigger();
        QTRY_VERIFY(m_gui->window.findChild<QDialog*>() && QApplication::focusWidget());
        QPointer<QDialog> dialog = m_gui->window.findChild<QDialog*>();
        QTRY_VERIFY(dialog->isAncestorOf(QApplication::focusWidget()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F1);
        QVERIFY(guide() && QTest::qWaitForWindowExposed(guide()));
        QTRY_COMPARE(guide()->headingInView(), heading);
        QVERIFY(dialog && dialog->isVisible());
        QTest::keyClick(guide()->text(), Qt::Key_End);
        QTRY_VERIFY(guide()->headingInView() != heading);
        dialog->activateWindow(); // the guide has an Escape of its own
        QTRY_VERIFY(dialog->isActiveWindow());
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(!dialog);
    }

    void lettersOfMenusStayInMenus()
    {
        QCOMPARE(ui::plainText(QString::fromUtf8("打开(&O)…")), QString::fromUtf8("打开…"));
        QCOMPARE(ui::plainText(QStringLiteral("&R && D (two)")), QStringLiteral("R & D (two)"));
        for (const QAction* action : m_gui->window.findChild<QToolBar*>()->actions())
            QVERIFY2(!action->iconText().contains(QLatin1Char('&')) && !action->iconText().contains(QLatin1Char('(')),
                     qPrintable(action->iconText()));
    }

    /// No gap below them, whatever the distance of lines.
    void picturesOfTheGuideTakeTheirOwnRoom()
    {
        QTest::keyClick(&m_gui->window, Qt::Key_F1);
        const ui::GuideWindow* window = guide();
        QVERIFY(window && QTest::qWaitForWindowExposed(guide()));
        const QTextDocument& document = *window->text()->document();
        int pictures = 0;
        for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
            if (block.begin().atEnd())
                continue; // an empty paragraph has no fragment to ask
            const QTextImageFormat format = block.begin().fragment().charFormat().toImageFormat();
            if (!format.isValid())
                continue;
            ++pictures;
            const double height = document.documentLayout()->blockBoundingRect(block).height();
            QVERIFY2(height >= format.height() && height < format.height() + 40, qPrintable(format.name() + QString::number(height)));
        }
        QVERIFY(pictures > 5);
        QTest::keyClick(guide(), Qt::Key_Escape);
        QTRY_VERIFY(!guide());
    }

    void theGuideIsSearchedAndFollowed()
    {
        QTest::keyClick(&m_gui->window, Qt::Key_F1);
        ui::GuideWindow* window = guide();
        QVERIFY(window && QTest::qWaitForWindowExposed(window));
        QVERIFY(window->contents()->count() > 12);
        QTest::keyClick(window, Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(window->searchField()->hasFocus());
        QTest::keyClicks(window->searchField(), QStringLiteral("crosshair of no kind"));
        QTest::keyClick(window->searchField(), Qt::Key_Return);
        QVERIFY(window->searchField()->property("invalid").toBool());
        window->searchField()->selectAll();
        QTest::keyClicks(window->searchField(), QStringLiteral("core consistency"));
        QTest::keyClick(window->searchField(), Qt::Key_Return);
        QVERIFY(!window->searchField()->property("invalid").toBool());
        QCOMPARE(window->text()->textCursor().selectedText().toLower(), QStringLiteral("core consistency"));
        const int place = window->text()->verticalScrollBar()->value();
        Q_EMIT window->text()->anchorClicked(QUrl(QStringLiteral("../FILE_FORMATS.md")));
        QTRY_VERIFY(window->text()->toPlainText().contains(QStringLiteral("Binsparse")));
        QTest::keyClick(window, Qt::Key_Left, Qt::AltModifier);
        QTRY_COMPARE(window->text()->verticalScrollBar()->value(), place);
        Q_EMIT window->text()->anchorClicked(QUrl(QStringLiteral("sweep.md")));
        QTRY_COMPARE(window->headingInView(), QStringLiteral("Sweep"));
        Q_EMIT window->text()->anchorClicked(QUrl(QStringLiteral("import.md#what-an-empty-cell-means")));
        QTRY_COMPARE(window->headingInView(), QStringLiteral("What an empty cell means"));
        for (const auto topic : {ui::GuideTopic::Open, ui::GuideTopic::Run, ui::GuideTopic::Import})
            QVERIFY(window->showHeading(ui::guideHeading(topic)));
        QTest::keyClick(window, Qt::Key_Escape);
        QTRY_VERIFY(!guide());
    }

    void whatAPersonTypesFindsItsCommand_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("found");
        QTest::newRow("csv") << "csv"
                             << "Export…";
        QTest::newRow("save") << "save"
                              << "Save session";
        QTest::newRow("picture") << "picture"
                                 << "Save Values: Image (PNG, twice the size)…";
        QTest::newRow("png") << "png"
                             << "Save Values: Image (PNG, twice the size)…";
        QTest::newRow("font") << "font"
                              << "Zoom in";
        QTest::newRow("grid") << "grid"
                              << "Sweep…";
    }
    void whatAPersonTypesFindsItsCommand()
    {
        QFETCH(const QString, typed);
        QFETCH(const QString, found);
        QVERIFY(m_gui->openSample());
        ui::CommandPalette* palette = openPalette();
        QVERIFY(palette);
        QTest::keyClicks(palette->line(), typed);
        QStringList first;
        for (int row = 0; row < std::min(8, palette->model().rowCount()); ++row)
            first += palette->model().index(row).data().toString();
        QVERIFY2(first.contains(found), qPrintable(first.join(QLatin1Char('\n'))));
        QTest::keyClick(palette->line(), Qt::Key_Escape);
    }

    void everyFieldOfTheFormSaysWhatItIs()
    {
        const QList<QWidget*> fields = m_gui->window.runForm()->fields();
        QVERIFY(fields.size() > 12);
        for (const QWidget* field : fields)
            QVERIFY2(field->whatsThis().size() > 20, qPrintable(field->accessibleName() + QLatin1Char(' ') + field->objectName()));
        auto* rank = m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("rank"));
        rank->setFocus();
        QTest::keyClick(rank, Qt::Key_F1, Qt::ShiftModifier);
        const auto told = [] {
            for (QWidget* each : QApplication::topLevelWidgets())
                if (each->isVisible() && each->inherits("QWhatsThat"))
                    return each;
            return static_cast<QWidget*>(nullptr);
        };
        QTRY_VERIFY(told());
        QTest::keyClick(told(), Qt::Key_Escape);
        QTRY_VERIFY(!told());
    }
};

QTEST_MAIN(tst_palette_and_help)
#include "tst_palette_and_help.moc"
