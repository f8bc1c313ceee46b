// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A run that has learnt a file more, and the menu that it is asked for by.
#include "gui/photographer.h"
#include "ui/actions.h"
#include "ui/widgets/message_bar.h"

#include <QFile>
#include <QMenu>

namespace {

/// Entries for known rows, since the sample's have labels: those of the last slice once more.
QString lastSlice(const kernels::SparseTensor& tensor, const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        throw std::runtime_error("cannot write the new entries");
    const kernels::Index last = tensor.modes.back().size - 1;
    for (kernels::Count e = 0; e < tensor.entries(); ++e) {
        if (tensor.indices.back()[e] != last)
            continue;
        for (unsigned n = 0; n + 1 < tensor.order(); ++n)
            file.write(QByteArray::number(tensor.indices[n][e] + 1) + ' ');
        file.write(QByteArray::number(last + 1) + ' ' + QByteArray::number(tensor.value(e)) + '\n');
    }
    return path;
}

void addedData(Photographer& p)
{
    p.openSample();
    kernels::RunConfig config;
    config.algorithm = "ntf";
    config.ranks = {8};
    config.stopping = {40, 0, 40, 0};
    const app::Run* run = p.finishAndShow(config);
    const QString monday = lastSlice(run->tensor()->tensor, p.scratch.filePath(QStringLiteral("monday.tns")));
    p.session.addData(run, {monday});
    waitFor("the run that has learnt", [&p] { return p.session.runs().size() == 2 && p.session.loadJobs().empty(); });
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    p.shoot("added-data");
    QListView* const list = p.window.workspace()->runList();
    Q_EMIT list->customContextMenuRequested(list->visualRect(list->model()->index(1, 0)).center());
    QWidget* const menu = QApplication::activePopupWidget();
    if (!menu)
        throw std::runtime_error("no menu");
    p.shootWidget(*menu, QStringLiteral("added-data-menu"));
    menu->close();
    p.session.addData(p.session.runs().back(), {monday});
    waitFor("the file is told to be known", [&p] { return !p.window.messageBar()->messages().isEmpty(); });
    p.shoot("added-data-known");
    p.window.messageBar()->dismissAll();
}

const Scene sceneAddedData("added-data", addedData);

} // namespace
