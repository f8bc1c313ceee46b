// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A run that has learnt a file more, the menu that it is asked for by, and a folder whose files are learnt as they come.
#include "gui/photographer.h"
#include "ui/actions.h"
#include "ui/dialogs/tensor_choice_dialog.h"
#include "ui/dialogs/watch_dialog.h"
#include "ui/panels/watch_strip.h"
#include "ui/widgets/message_bar.h"

#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QTest>

namespace {

/// Entries for known rows, since the sample's have labels: those of the last slice, or of one some places back, once more.
QString lastSlice(const kernels::SparseTensor& tensor, const QString& path, kernels::Index back = 0)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        throw std::runtime_error("cannot write the new entries");
    const kernels::Index last = tensor.modes.back().size - 1 - back;
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

/// Two files have come, a third cannot be taken.
void watchedFolder(Photographer& p)
{
    p.openSample();
    kernels::RunConfig config;
    config.algorithm = "ntf";
    config.ranks = {8};
    config.stopping = {40, 0, 40, 0};
    const app::Run* run = p.finishAndShow(config);
    if (!QDir(p.scratch.path()).mkdir(QStringLiteral("incoming")))
        throw std::runtime_error("cannot make the folder");
    const QString incoming = p.scratch.filePath(QStringLiteral("incoming"));
    p.window.actions().watchFolder->trigger();
    auto* const dialog = p.window.findChild<ui::WatchDialog*>();
    dialog->findChild<QLineEdit*>()->setText(QStringLiteral("/data/flights/incoming"));
    p.shootWidget(*dialog, QStringLiteral("watched-folder-dialog"));
    dialog->findChild<QLineEdit*>()->setText(incoming);
    QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
    const auto* const strip = p.window.findChild<ui::WatchStrip*>();
    const kernels::SparseTensor& tensor = run->tensor()->tensor;
    QTest::qWait(500);
    lastSlice(tensor, incoming + QStringLiteral("/monday.tns"));
    waitFor("monday", [strip] { return strip->sum().contains(QStringLiteral("monday")); });
    lastSlice(tensor, incoming + QStringLiteral("/tuesday.tns"), 1);
    waitFor("tuesday", [strip] { return strip->sum().contains(QStringLiteral("tuesday")); });
    QFile bad(incoming + QStringLiteral("/wednesday.tns"));
    if (!bad.open(QIODevice::WriteOnly) || bad.write("1 1 1 2\n1 x 1 3\n") < 0)
        throw std::runtime_error("cannot write the bad file");
    bad.close();
    waitFor("the bad file is told", [&p] { return !p.window.messageBar()->messages().isEmpty(); });
    p.window.workspace()->setCurrentRun(p.session.runs().back()->id());
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    p.shoot("watched-folder");
    p.window.messageBar()->dismissAll();
}

/// Which tensor of a file is meant.
void tensorChoice(Photographer& p)
{
    p.openSample();
    QStringList days;
    for (const char* const day : {"monday", "tuesday", "wednesday", "thursday of the week in which everything was measured twice"})
        days += QStringLiteral("/flights/") + QString::fromUtf8(day);
    ui::TensorChoiceDialog dialog(QStringLiteral("days.h5"), days, &p.window);
    dialog.open();
    p.shootWidget(dialog, QStringLiteral("tensor-choice"));
}

const Scene sceneTensorChoice("tensor-choice", tensorChoice);
const Scene sceneWatchedFolder("watched-folder", watchedFolder);
const Scene sceneAddedData("added-data", addedData);

} // namespace
