// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is done to runs: changed and taken back, continued, taken away as pictures and reports.
#include "gui/photographer.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/models/run_edits.h"
#include "ui/widgets/card.h"
#include "ui/widgets/color_menu.h"

#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QToolButton>
#include <QUndoStack>

namespace {

QDialog* dialogOf(const Photographer& p) { return p.window.findChild<QDialog*>(QString(), Qt::FindDirectChildrenOnly); }

void shootDialog(Photographer& p, QAction* action, const QString& name)
{
    action->trigger();
    waitFor("the dialog", [&p] { return dialogOf(p) != nullptr; });
    p.shootWidget(*dialogOf(p), name);
    dialogOf(p)->close();
    waitFor("the dialog to close", [&p] { return dialogOf(p) == nullptr; });
}

/// A menu as it pops up, without waiting in it.
void shootMenu(Photographer& p, QMenu* menu, const QString& name)
{
    Q_EMIT menu->aboutToShow();
    menu->popup(p.window.mapToGlobal(QPoint(60, 60)));
    p.shootWidget(*menu, name);
    menu->close();
}

void runChanges(Photographer& p)
{
    p.openSample();
    kernels::RunConfig config = p.suggested();
    config.deterministic = true;
    for (const char* name : {"Wide", "Narrow", "Long run"})
        p.finish(config, name[0] == 'L' ? 400 : 60, QString::fromLatin1(name));
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    app::Run* const run = p.session.runs()[1];
    p.window.workspace()->setCurrentRun(run->id());
    const ui::Actions& actions = p.window.actions();
    p.window.edits()->setNote(run, QStringLiteral("Seasonal terms look right.\nTry with non-negative rows."));
    p.window.edits()->setColor(run, 4);
    shootMenu(p, actions.color, QStringLiteral("menu-colour"));
    shootMenu(p, p.window.menuBar()->actions().at(1)->menu(), QStringLiteral("menu-edit"));
    shootDialog(p, actions.note, QStringLiteral("dialog-note"));
    shootDialog(p, actions.continueRun, QStringLiteral("dialog-continue"));
    p.session.keepEndsWithin(0);
    shootDialog(p, actions.continueRun, QStringLiteral("dialog-start-again"));
    shootDialog(p, actions.report, QStringLiteral("dialog-report"));
    actions.remove->trigger();
    p.shoot(QStringLiteral("run-removed"));
    p.window.edits()->stack()->undo();
    p.shoot(QStringLiteral("run-back"));
    for (QToolButton* button : p.window.findChildren<QToolButton*>())
        if (button->menu() && button->accessibleName() == QStringLiteral("Save RMSE"))
            shootMenu(p, button->menu(), QStringLiteral("menu-save-chart"));
}

const Scene sceneRunChanges("run-changes", runChanges);

} // namespace
