// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is done to one run: changed, taken back, continued, removed.
#include "app/messages.h"
#include "ui/dialogs/continue_dialog.h"
#include "ui/main_window.h"
#include "ui/models/run_edits.h"
#include "ui/panels/run_form.h"
#include "ui/panels/workspace_panel.h"
#include "ui/widgets/color_menu.h"
#include "ui/widgets/message_bar.h"

#include <QAction>
#include <QInputDialog>
#include <QLabel>
#include <QListView>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QTabBar>

namespace ui {

void MainWindow::connectRunActions()
{
    const Actions& a = m_actions;
    connect(a.duplicateSettings, &QAction::triggered, this, [this] {
        if (const app::Run* run = m_workspace->currentRun())
            m_form->setConfig(run->config());
    });
    connect(a.rename, &QAction::triggered, this, [this] { m_workspace->runList()->edit(m_workspace->runList()->currentIndex()); });
    connect(a.note, &QAction::triggered, this, &MainWindow::writeNote);
    connect(a.color, &ColorMenu::chosen, this, [this](int color) {
        if (app::Run* run = m_workspace->currentRun())
            m_edits->setColor(run, color);
    });
    connect(a.continueRun, &QAction::triggered, this, &MainWindow::continueRun);
    connect(a.addData, &QAction::triggered, this, &MainWindow::addData);
    connect(a.passOver, &QAction::triggered, this, [this] { passOver(m_workspace->currentRun()); });
    connect(&m_session, &app::Session::passDue, this, &MainWindow::offerPasses);
    connect(&m_session, &app::Session::runKnows, this, &MainWindow::tellKnown);
    connect(&m_session, &app::Session::runLearnt, this, [this](const app::Run* result, const app::NewData& added, const QString& what) {
        if (!added.unasked) {
            m_workspace->setCurrentRun(result->id());
            if (m_tabs->currentIndex() == DataTab)
                showPage(ConvergenceTab);
        }
        if (added.path.isEmpty()) // passes, by whatever way they were asked for
            m_messages->dismiss(m_passesOffered.take(result->id()));
        m_statusMessage->setText(result->name() + QStringLiteral(": ") + what);
    });
    connect(a.remove, &QAction::triggered, this, &MainWindow::removeRun);
    connect(m_edits, &RunEdits::returned, this, [this](int runId) {
        m_workspace->setCurrentRun(runId);
        if (const app::Run* run = m_session.run(runId))
            m_statusMessage->setText(tr("%1 is back").arg(run->name()));
    });
}

void MainWindow::writeNote()
{
    const QPointer<app::Run> run = m_workspace->currentRun();
    if (!run)
        return;
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Note"));
    dialog->setLabelText(tr("Note on %1").arg(run->name()));
    dialog->setOption(QInputDialog::UsePlainTextEditForTextInput);
    dialog->setTextValue(run->note());
    dialog->resize(460, 260);
    connect(dialog, &QInputDialog::textValueSelected, this, [this, run](const QString& text) {
        if (run)
            m_edits->setNote(run, text);
    });
    dialog->open();
}

void MainWindow::continueRun()
{
    const QPointer<app::Run> run = m_workspace->currentRun();
    if (!run || run->isActive())
        return;
    auto* dialog = new ContinueDialog(*run, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const auto attempt = [this](const auto& work) {
        try {
            work();
            if (m_tabs->currentIndex() != CompareTab)
                showPage(ConvergenceTab);
        } catch (const std::exception& error) {
            m_messages->post(MessageTone::Error, app::messageFor(error));
        }
        updateActions();
    };
    connect(dialog, &ContinueDialog::continuing, this, [this, run, attempt](const kernels::StoppingRules& rules) {
        if (run)
            attempt([&] {
                m_session.continueRun(run, rules);
                m_statusMessage->setText(tr("Continued %1").arg(run->name()));
            });
    });
    connect(dialog, &ContinueDialog::startingAgain, this, [this, run, attempt](const kernels::StoppingRules& rules) {
        if (run)
            attempt([&] {
                kernels::RunConfig config = run->config();
                config.stopping = rules;
                begin(config, run->tensor());
            });
    });
    dialog->open();
}

void MainWindow::removeRun()
{
    const QPointer<app::Run> run = m_workspace->currentRun();
    if (!run)
        return;
    const auto remove = [this, run] {
        if (!run)
            return;
        m_statusMessage->setText(tr("Removed %1; Undo brings it back").arg(run->name()));
        m_edits->remove(run);
    };
    if (!run->isActive())
        return remove();
    auto* question = new QMessageBox(QMessageBox::Question, tr("Remove run"),
                                     tr("%1 is still working. Stop and remove it?").arg(run->name()), QMessageBox::NoButton, this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setInformativeText(tr("Undo brings it back as it stopped."));
    auto* yes = question->addButton(tr("Stop and remove"), QMessageBox::DestructiveRole);
    question->setDefaultButton(question->addButton(tr("Keep it"), QMessageBox::RejectRole));
    connect(yes, &QPushButton::clicked, this, remove);
    question->open();
}

} // namespace ui
