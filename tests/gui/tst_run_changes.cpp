// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "ui/dialogs/continue_dialog.h"
#include "ui/models/run_edits.h"
#include "ui/models/run_list_model.h"
#include "ui/pages/compare_page.h"
#include "ui/run_style.h"
#include "ui/widgets/color_menu.h"

#include <QInputDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QUndoStack>

#include <algorithm>

namespace {

constexpr int patience = 60000; // ms

struct Program : GuiDriver {
    QListView* list() const { return window.workspace()->runList(); }

    app::Run* run(std::uint64_t iterations)
    {
        kernels::RunConfig config = window.runForm()->config();
        config.stopping.iterations = iterations;
        config.stopping.tolerance = 0;
        config.deterministic = true;
        window.runForm()->setConfig(config);
        app::Run* const started = startWithForm();
        return started && QTest::qWaitFor([started] { return !started->isActive(); }, patience) ? started : nullptr;
    }

    void choose(const app::Run* run)
    {
        const auto& runs = session.runs();
        const auto row = static_cast<int>(std::find(runs.begin(), runs.end(), run) - runs.begin());
        const QModelIndex index = list()->model()->index(row, 0);
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, list()->visualRect(index).center());
        list()->setFocus();
    }

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(list(), key, modifiers); }
    void undo() { QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier); }
    void redo() { QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier); }

    QStringList names() const
    {
        QStringList all;
        for (int row = 0; row < list()->model()->rowCount(); ++row)
            all += list()->model()->index(row, 0).data().toString();
        return all;
    }
    QMenu* menuAt(const app::Run* of)
    {
        const auto& runs = session.runs();
        const auto row = static_cast<int>(std::find(runs.begin(), runs.end(), of) - runs.begin());
        Q_EMIT list()->customContextMenuRequested(list()->visualRect(list()->model()->index(row, 0)).center());
        return qobject_cast<QMenu*>(QApplication::activePopupWidget());
    }
};

} // namespace

/// What a person changes about runs, by clicks and keys, and how it is taken back.
class TestRunChanges : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRenamedRunHasItsOldNameBackByUndo()
    {
        Program program;
        QVERIFY(program.shown() && program.openSample());
        app::Run* const run = program.run(3);
        QVERIFY(run);
        const QString before = run->name();
        program.choose(run);
        QVERIFY(!program.window.actions().undo->isEnabled());
        program.press(Qt::Key_F2);
        auto* editor = program.list()->findChild<QLineEdit*>();
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, QStringLiteral("mine"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(run->name(), QStringLiteral("mine"));
        QCOMPARE(program.window.actions().undo->text(), QStringLiteral("&Undo renaming %1").arg(before));
        program.undo();
        QCOMPARE(run->name(), before);
        program.redo();
        QCOMPARE(run->name(), QStringLiteral("mine"));
    }

    void aRunAtWorkIsRenamed()
    {
        Program program;
        QVERIFY(program.shown() && program.openSample());
        app::Run* const run = program.startEndless();
        QVERIFY(run);
        program.choose(run);
        program.press(Qt::Key_F2);
        auto* editor = program.list()->findChild<QLineEdit*>();
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, QStringLiteral("mine"));
        const std::size_t before = run->history().size();
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > before + 10, patience);
        QCOMPARE(editor->text(), QStringLiteral("mine"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(run->name(), QStringLiteral("mine"));
        run->stop();
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
    }

    void theColourIsChosenFromTheMenuAndIsTheSameEverywhere()
    {
        Program program;
        QVERIFY(program.shown() && program.openSample());
        app::Run* const first = program.run(3);
        app::Run* const second = program.run(3);
        QVERIFY(first && second);
        QCOMPARE(second->colorIndex(), 1);
        QMenu* menu = program.menuAt(second);
        QVERIFY(menu);
        QVERIFY(menu->actions().contains(program.window.actions().color->menuAction()));
        Q_EMIT program.window.actions().color->aboutToShow();
        QVERIFY(program.window.actions().color->actions().at(1)->isChecked());
        QVERIFY(!program.window.actions().color->actions().at(1)->icon().isNull());
        menu->close();
        program.window.actions().color->actions().at(4)->trigger();
        QCOMPARE(second->colorIndex(), 4);
        // A colour that another run has comes with another marker and dash.
        program.window.actions().color->actions().at(0)->trigger();
        QCOMPARE(second->colorIndex() % ui::runColorCount, 0);
        const ui::RunStyle a = ui::runStyle(first->colorIndex(), false), b = ui::runStyle(second->colorIndex(), false);
        QCOMPARE(a.color, b.color);
        QVERIFY(a.marker != b.marker);
        QVERIFY(a.trainDash != b.trainDash);
        program.undo();
        program.undo();
        QCOMPARE(second->colorIndex(), 1);
    }

    void aNoteIsWrittenShownAndTakenBack()
    {
        Program program;
        QVERIFY(program.shown() && program.openSample());
        app::Run* const run = program.run(3);
        QVERIFY(run);
        program.choose(run);
        program.press(Qt::Key_F2, Qt::ShiftModifier);
        auto* dialog = program.window.findChild<QInputDialog*>();
        QVERIFY(dialog);
        QTest::keyClicks(dialog->findChild<QPlainTextEdit*>(), QStringLiteral("first good one"));
        program.click(program.button(dialog, QStringLiteral("OK")) ? program.button(dialog, QStringLiteral("OK"))
                                                                   : program.button(dialog, QStringLiteral("&OK")));
        QCOMPARE(run->note(), QStringLiteral("first good one"));
        const QString tip = program.list()->model()->index(0, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.endsWith(QStringLiteral("\nNote: first good one")), qPrintable(tip));
        program.undo();
        QCOMPARE(run->note(), QString());
        QVERIFY(!program.list()->model()->index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("Note")));
    }

    void aRemovedRunComesBackWithCurvesAndModelInItsPlace()
    {
        Program program;
        QVERIFY(program.shown() && program.openSample());
        app::Run* const first = program.run(3);
        app::Run* const second = program.run(4);
        app::Run* const third = program.run(5);
        QVERIFY(first && second && third);
        const QStringList names = program.names();
        QTRY_COMPARE_WITH_TIMEOUT(program.rmse()->csv().count(QLatin1Char('\n')), 1 + 2 * (3 + 4 + 5), patience);
        const QString curves = program.rmse()->csv();
        program.choose(second);
        const auto model = second->outcome();
        program.press(Qt::Key_Delete);
        QCOMPARE(program.names(), (QStringList{names[0], names[2]}));
        QTRY_COMPARE_WITH_TIMEOUT(program.rmse()->csv().count(QLatin1Char('\n')), 1 + 2 * (3 + 5), patience);
        program.undo();
        QCOMPARE(program.names(), names);
        QCOMPARE(program.window.workspace()->currentRun(), second);
        QCOMPARE(second->outcome(), model);
        QTRY_COMPARE_WITH_TIMEOUT(program.rmse()->csv(), curves, patience);
        program.redo();
        QCOMPARE(program.names(), (QStringList{names[0], names[2]}));
        // What was done to it before is taken back after it came back.
        program.undo();
        program.window.edits()->rename(second, QStringLiteral("mine"));
        program.choose(second);
        program.press(Qt::Key_Delete);
        program.undo();
        program.undo();
        QCOMPARE(program.names(), names);
        // A removal that was undone and is forgotten for another one does not take the run along.
        program.choose(second);
        program.press(Qt::Key_Delete);
        QCOMPARE(program.names(), (QStringList{names[0], names[2]}));
        program.undo();
        QCOMPARE(program.names(), names);
    }

    void aRunAtWorkIsStoppedByItsRemovalAndComesBackAsItStopped()
    {
        Program program;
        QVERIFY(program.shown() && program.openSample());
        app::Run* const run = program.startEndless();
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > 3, patience);
        program.choose(run);
        program.press(Qt::Key_Delete);
        auto* question = program.window.findChild<QMessageBox*>();
        QVERIFY(question);
        program.click(program.button(question, QStringLiteral("Stop and remove")));
        QCOMPARE(program.names(), QStringList());
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive() && !program.window.findChild<QMessageBox*>(), patience);
        program.window.actions().undo->trigger();
        QCOMPARE(program.names().size(), 1);
        QCOMPARE(run->state(), app::RunState::Stopped);
        QVERIFY(run->outcome());
    }

    void anotherSessionForgetsWhatCouldBeTakenBack()
    {
        Program program;
        QVERIFY(program.shown() && program.openSample());
        app::Run* const first = program.run(3);
        QVERIFY(first && program.run(3));
        program.choose(first);
        QPointer<app::Run> removed = first;
        program.press(Qt::Key_Delete);
        QVERIFY(removed);
        program.session.closeAll();
        QVERIFY(!program.window.actions().undo->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(!removed, patience);
    }

    void aFinishedRunIsContinuedByTheDialog()
    {
        Program program;
        QVERIFY(program.shown() && program.openSample());
        app::Run* const whole = program.run(20);
        app::Run* const run = program.run(8);
        QVERIFY(whole && run);
        program.choose(run);
        QVERIFY(program.window.actions().continueRun->isEnabled());
        program.press(Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
        auto* dialog = program.window.findChild<ui::ContinueDialog*>();
        QVERIFY(dialog);
        auto* more = dialog->findChild<QSpinBox*>(QStringLiteral("more-iterations"));
        QCOMPARE(more->value(), 8);
        more->setFocus();
        more->selectAll();
        QTest::keyClicks(more, QStringLiteral("12"));
        program.click(program.button(dialog, QStringLiteral("Continue")));
        QVERIFY(run->isActive());
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
        QCOMPARE(run->history().size(), std::size_t{20});
        QCOMPARE(run->history().back().testRmse, whole->history().back().testRmse);
        QCOMPARE(program.session.runs().size(), std::size_t{2});
        QTRY_COMPARE_WITH_TIMEOUT(program.rmse()->csv().count(QLatin1Char('\n')), 1 + 2 * 40, patience);
    }

    void aRunWhoseEndIsNotHeldStartsAgain()
    {
        Program program;
        QVERIFY(program.shown() && program.openSample());
        app::Run* const run = program.run(4);
        QVERIFY(run);
        program.session.keepEndsWithin(0);
        program.choose(run);
        program.window.actions().continueRun->trigger();
        auto* dialog = program.window.findChild<ui::ContinueDialog*>();
        QVERIFY(dialog);
        dialog->findChild<QSpinBox*>(QStringLiteral("more-iterations"))->setValue(3);
        program.click(program.button(dialog, QStringLiteral("Start again")));
        QCOMPARE(program.session.runs().size(), std::size_t{2});
        const app::Run* const again = program.session.runs().back();
        QTRY_VERIFY_WITH_TIMEOUT(!again->isActive(), patience);
        QCOMPARE(again->history().size(), std::size_t{7});
        for (std::size_t i = 0; i < 4; ++i) // it is deterministic
            QCOMPARE(again->history()[i].testRmse, run->history()[i].testRmse);
    }

private:
    PersonSettings m_settings;
};

QTEST_MAIN(TestRunChanges)
#include "tst_run_changes.moc"
