// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tables: from a file to the import page, and on to a tensor.
#include "io/file_format.h"
#include "ui/main_window.h"
#include "ui/models/import_choices.h"
#include "ui/pages/data_page.h"
#include "ui/pages/import_page.h"
#include "ui/pages/welcome_page.h"
#include "ui/panels/workspace_panel.h"
#include "ui/widgets/message_bar.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QListView>
#include <QSettings>
#include <QTableView>

namespace ui {
namespace {

QString tableFilters()
{
    QStringList patterns;
    for (const io::FileFormat& format : io::fileFormats())
        if (format.openTable)
            for (const std::string& extension : format.extensions)
                patterns += QStringLiteral("*.") + QString::fromStdString(extension);
    return MainWindow::tr("Tables (%1)").arg(patterns.join(QLatin1Char(' '))) + QStringLiteral(";;") + MainWindow::tr("All files (*)");
}

} // namespace

void MainWindow::connectImport()
{
    connect(m_actions.importTable, &QAction::triggered, this, &MainWindow::chooseTables);
    connect(m_welcome, &WelcomePage::importRequested, this, &MainWindow::chooseTables);
    connect(m_data, &DataPage::importChangeRequested, this, [this](const app::OpenTensorPtr& tensor) {
        showImport(tensor->path, import_choices::withFoundEdges(*tensor->readOptions.recipe, tensor->recipe.value_or(io::table::Recipe())),
                   tensor);
    });
    connect(m_import, &ImportPage::openRequested, this, &MainWindow::openImported);
    connect(m_import, &ImportPage::cancelled, this, [this] {
        m_statusMessage->setText(tr("Not opened"));
        endImport();
    });
    connect(m_import, &ImportPage::saveFailed, this, [this](const QString& sentence) { m_messages->post(MessageTone::Error, sentence); });
}

void MainWindow::chooseTables()
{
    const QString folder = QSettings().value(QStringLiteral("openFolder")).toString();
    auto* dialog = new QFileDialog(this, tr("Import a table"), folder, tableFilters());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        QSettings().setValue(QStringLiteral("openFolder"), QFileInfo(path).absolutePath());
        showImport(path);
    });
    dialog->open();
}

/// One after the other: a table that comes while another is looked at waits.
void MainWindow::showImport(const QString& path, const io::table::Recipe& chosen, const app::OpenTensorPtr& changes)
{
    if (m_import->import().isOpen()) {
        m_tablesWaiting.append({path, chosen, changes});
        return;
    }
    m_changedImport = changes;
    m_import->open(path, chosen);
    m_statusMessage->setText(tr("Choose what becomes of the columns"));
    updateCentre();
    updateActions();
    m_import->table()->setFocus();
}

void MainWindow::openImported()
{
    const app::TableImport& import = m_import->import();
    io::ReadOptions options;
    options.recipe = import.recipe();
    const QString path = import.path();
    app::LoadJob* job = nullptr;
    if (auto tensor = import.tensor()) {
        job = m_session.openImported(std::move(tensor));
    } else {
        job = m_session.openFile(path, options);
        offerToChange(job, path, import.recipe());
    }
    if (m_changedImport && m_session.tensor(m_changedImport->id))
        m_session.replaceBy(job, m_changedImport);
    endImport();
    showPage(DataTab);
}

/// Where reading the rest of a large table fails, its choices are not lost.
void MainWindow::offerToChange(app::LoadJob* job, const QString& path, const io::table::Recipe& recipe)
{
    connect(job, &app::LoadJob::failed, this, [this, path, recipe, changes = m_changedImport](const QString& sentence) {
        m_messages->dismiss(sentence); // as it was posted, without a way out
        m_messages->post(MessageTone::Error, sentence,
                         {{tr("Change import…"), [this, path, recipe, changes] { showImport(path, recipe, changes); }}});
    });
}

void MainWindow::endImport()
{
    m_import->close();
    m_changedImport.reset();
    if (!m_tablesWaiting.isEmpty()) {
        const auto [path, recipe, changes] = m_tablesWaiting.takeFirst();
        return showImport(path, recipe, changes);
    }
    updateCentre();
    updateActions();
    if (showsWelcome())
        m_welcome->setFocus();
    else
        m_workspace->tensorList()->setFocus();
}

} // namespace ui
