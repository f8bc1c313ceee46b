// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The folder whose files are added to a run as they come.
#include "app/folder_watch.h"
#include "ui/dialogs/watch_dialog.h"
#include "ui/main_window.h"
#include "ui/panels/workspace_panel.h"
#include "ui/widgets/message_bar.h"

namespace ui {

void MainWindow::connectWatch()
{
    connect(m_actions.watchFolder, &QAction::triggered, this, &MainWindow::watchFolder);
    connect(m_watch, &app::FolderWatch::changed, this, &MainWindow::updateActions); // one folder at a time
    connect(m_watch, &app::FolderWatch::ended, this, [this](const QString& why) { m_messages->post(MessageTone::Info, why); });
}

void MainWindow::watchFolder()
{
    const QPointer<app::Run> run = m_workspace->currentRun();
    if (!run || m_watch->isOn() || !app::Session::whyNotLearning(*run).isEmpty())
        return;
    auto* dialog = new WatchDialog(run->name(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &WatchDialog::chosen, this, [this, run](const QString& folder, app::WatchedFolder::There there) {
        if (run && app::Session::whyNotLearning(*run).isEmpty()) // it may be gone by now, or going on
            m_watch->begin(run, folder, there);
    });
    dialog->open();
}

} // namespace ui
