// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a person meets first: the welcome page, data, running and finished runs, dialogs, a mistake.
#include "gui/photographer.h"
#include "ui/panels/run_form.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/trace_chart.h"

#include <QDialog>
#include <QFileDialog>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>

namespace {

void welcome(Photographer& p)
{
    waitFor("the devices", [&p] { return p.session.areDevicesListed(); });
    p.shoot("welcome");
}

void data(Photographer& p)
{
    p.openSample();
    p.shoot("data");
}

void running(Photographer& p)
{
    kernels::RunConfig config = p.suggested();
    config.stopping.iterations = 400;
    p.start(config, 0);
    app::Run* run = p.session.runs().back();
    waitFor("iterations", [run] { return run->history().size() >= 120; });
    run->pause(); // stands still for all pictures, with its live end
    waitFor("the charts", [&p] { return p.window.convergencePage()->rmseChart()->drawnPoints(0) > 10; });
    QTest::qWait(1200); // telemetry needs readings to draw
    p.shoot("convergence-running");
    run->stop();
    waitFor("the stop", [run] { return !run->isActive(); });
}

/// The lower end of the form, unfolded: what most people never see.
void wholeForm(Photographer& p)
{
    auto* more = p.window.runForm()->findChild<QToolButton*>(QStringLiteral("fold"));
    auto* scroll = p.window.runForm()->findChild<QScrollArea*>();
    QScrollBar* bar = scroll->verticalScrollBar();
    const auto following = QObject::connect(bar, &QScrollBar::rangeChanged, bar, [bar](int, int maximum) { bar->setValue(maximum); });
    more->setChecked(true);
    p.shoot("form");
    QObject::disconnect(following);
    more->setChecked(false);
    bar->setValue(0);
}

/// The form as it is for each algorithm.
void forms(Photographer& p)
{
    p.openSample();
    for (const kernels::AlgorithmInfo& info : kernels::algorithms()) {
        kernels::RunConfig config = p.suggested();
        config.algorithm = info.id;
        config.variant = info.variants.back().id;
        config.format = info.formatFor(config.variant);
        config.parameters = {};
        p.window.runForm()->setConfig(config);
        waitFor("a form that can start", [&p] { return p.window.runForm()->isReady(); });
        p.shoot(QStringLiteral("form-") + QString::fromStdString(info.id));
    }
}

void severalRuns(Photographer& p)
{
    const unsigned ranks[] = {4, 8, 24};
    for (unsigned rank : ranks) {
        kernels::RunConfig config = p.suggested();
        config.ranks = {rank};
        config.coreRank = 0;
        config.stopping.iterations = 60;
        p.start(config, 60);
    }
    kernels::RunConfig config = p.suggested();
    config.ranks = {12};
    config.coreRank = 0;
    config.stopping.iterations = 4000;
    p.start(config, 90);
    p.session.runs().back()->pause();
    p.hover(p.window.convergencePage()->rmseChart(), 0.4);
    p.shoot("convergence-several");
    p.leave(p.window.convergencePage()->rmseChart());
    p.window.convergencePage()->xSwitch()->setCurrent(1);
    p.window.convergencePage()->logSwitch()->setCurrent(1);
    p.hover(p.window.convergencePage()->rmseChart(), 0.4);
    p.shoot("convergence-log-time");
    p.leave(p.window.convergencePage()->rmseChart());
    p.window.convergencePage()->xSwitch()->setCurrent(0);
    p.window.convergencePage()->logSwitch()->setCurrent(0);
    p.session.runs().back()->stop(); // a paused run keeps its device
}

void eightRuns(Photographer& p)
{
    for (unsigned rank : {6U, 16U, 32U}) {
        kernels::RunConfig config = p.suggested();
        config.ranks = {rank};
        config.coreRank = 0;
        config.stopping.iterations = 40;
        p.start(config, 40);
    }
    p.session.runs().back()->setName(QStringLiteral("A run with quite a long name that says all its settings"));
    p.shoot("convergence-eight");
}

void error(Photographer& p)
{
    QFile broken(p.scratch.filePath(QStringLiteral("ratings.tns")));
    if (!broken.open(QIODevice::WriteOnly))
        throw std::runtime_error("no scratch file");
    broken.write("1 1 1 3.5\n1 2 2 4\n2 x 1 5\n");
    broken.close();
    p.window.openFiles({broken.fileName()});
    waitFor("the sentence", [&p] { return !p.window.messageBar()->messages().isEmpty(); });
    p.shoot("error");
    p.window.messageBar()->dismissAll();
}

/// The file dialog that the export dialog opens.
void shootBrowsing(Photographer& p, const QDialog& dialog)
{
    for (QPushButton* button : dialog.findChildren<QPushButton*>())
        if (button->text().startsWith(QStringLiteral("Browse")))
            button->click();
    auto* files = dialog.findChild<QFileDialog*>();
    if (!files)
        throw std::runtime_error("no file dialog");
    QTest::qWait(200); // it reads its folder on a thread
    p.shootWidget(*files, QStringLiteral("dialog-export-browse"));
    files->close();
}

void dialogs(Photographer& p)
{
    for (QAction* action : {p.window.actions().generate, p.window.actions().exportAs}) {
        action->trigger();
        auto* dialog = p.window.findChild<QDialog*>(QString(), Qt::FindDirectChildrenOnly);
        if (!dialog)
            throw std::runtime_error("no dialog");
        p.shootWidget(*dialog, action == p.window.actions().generate ? "dialog-generate" : "dialog-export");
        if (action == p.window.actions().exportAs)
            shootBrowsing(p, *dialog);
        dialog->close();
        waitFor("the dialog to close", [&p] { return !p.window.findChild<QDialog*>(QString(), Qt::FindDirectChildrenOnly); });
    }
    ui::Theme::instance().setAppearance(ui::Appearance::Dark);
}

void few(Photographer& p)
{
    welcome(p);
    data(p);
    running(p);
    wholeForm(p);
}

void all(Photographer& p)
{
    few(p);
    severalRuns(p);
    error(p);
    dialogs(p);
    eightRuns(p);
}

const Scene sceneAll("all", all);
const Scene sceneFew("few", few);
const Scene sceneForm("form", forms);

} // namespace
