// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/photographer.h"
#include "kernels/base/registry.h"
#include "ui/dialogs/sweep_dialog.h"
#include "ui/pages/sweep_page.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

namespace {

ui::SweepDialog* openDialog(Photographer& p, const QString& ranks, int replicates)
{
    p.window.actions().sweep->trigger();
    auto* dialog = p.window.findChild<ui::SweepDialog*>();
    dialog->values(0)->setText(ranks);
    dialog->replicates()->setValue(replicates);
    waitFor("the plan", [dialog] { return !dialog->isPlanning(); });
    return dialog;
}

void runSweep(Photographer& p, const QString& ranks, int replicates)
{
    openDialog(p, ranks, replicates)->startButton()->click();
    waitFor(
        "the runs", [&p] { return !p.session.hasActiveRuns(); }, 300'000);
    QTest::qWait(500); // two turns of the drawing timer
    waitFor("the comparisons", [&p] { return !p.window.sweepPage()->isEmpty() && p.window.sweepPage()->progressText().isEmpty(); });
}

/// The Sweep tab: nothing, the dialog with a plan, with runs that cannot be and with a slip, one finished sweep, one at work beside
/// a paused queue, one of CP.
void sweep(Photographer& p)
{
    p.openSample();
    p.window.showPage(ui::MainWindow::SweepTab);
    p.shoot("sweep-none");
    kernels::RunConfig config = p.suggested();
    config.stopping.iterations = 300;
    p.window.runForm()->setConfig(config);
    waitFor("a form that can start", [&p] { return p.window.runForm()->isReady(); });
    ui::SweepDialog* dialog = openDialog(p, QStringLiteral("2..10:2"), 3);
    p.shootWidget(*dialog, QStringLiteral("sweep-plan"));
    dialog->addButton()->click();
    dialog->field(1)->setCurrentIndex(dialog->field(1)->findData(QStringLiteral("precision")));
    waitFor("the plan", [dialog] { return !dialog->isPlanning(); });
    p.shootWidget(*dialog, QStringLiteral("sweep-plan-left-out"));
    dialog->values(0)->setText(QStringLiteral("10..2"));
    waitFor("the plan", [dialog] { return !dialog->isPlanning(); });
    p.shootWidget(*dialog, QStringLiteral("sweep-plan-slip"));
    dialog->reject();
    waitFor("the dialog's end", [&p] { return !p.window.findChild<ui::SweepDialog*>(); });

    config.parameters.clear();
    config.stopping.iterations = 50;
    p.window.runForm()->setConfig(config);
    waitFor("a form that can start", [&p] { return p.window.runForm()->isReady(); });
    runSweep(p, QStringLiteral("1,2,4,8,16,32"), 3);
    p.shoot("sweep-done");
    config.parameters["lambda-a"] = 0.05;
    p.window.runForm()->setConfig(config);
    waitFor("a form that can start", [&p] { return p.window.runForm()->isReady(); });
    dialog = openDialog(p, QStringLiteral("2"), 3);
    dialog->field(0)->setCurrentIndex(dialog->field(0)->findData(QStringLiteral("lambda-a")));
    dialog->values(0)->setText(QStringLiteral("0.001,0.01,0.1,1,10,100"));
    waitFor("the plan", [dialog] { return !dialog->isPlanning(); });
    dialog->startButton()->click();
    waitFor(
        "the runs", [&p] { return p.session.runs().size() == 36 && !p.session.hasActiveRuns(); }, 300'000);
    QTest::qWait(500);
    waitFor("the comparisons", [&p] { return p.window.sweepPage()->progressText().isEmpty(); });
    p.shoot("sweep-penalty");

    config.algorithm = "cp-als";
    config.variant.clear();
    config.parameters.clear();
    config.format = kernels::algorithm("cp-als").formatFor({});
    config.split.kind = kernels::SplitKind::None;
    config.stopping = {300, 1e-5, 3, 0};
    p.window.runForm()->setConfig(config);
    waitFor("a form that can start", [&p] { return p.window.runForm()->isReady(); });
    runSweep(p, QStringLiteral("1..6"), 4);
    p.shoot("sweep-cp");

    config = p.suggested();
    config.stopping.iterations = 3000;
    p.window.runForm()->setConfig(config);
    waitFor("a form that can start", [&p] { return p.window.runForm()->isReady(); });
    openDialog(p, QStringLiteral("2..32:2"), 3)->startButton()->click();
    waitFor("all to be queued", [&p] { return p.session.runs().size() == 36 + 24 + 48; });
    waitFor(
        "some to end", [&p] { return p.session.waitingCount() < 44; }, 300'000);
    p.session.setQueuePaused(true);
    p.shoot("sweep-running");
    while (!p.session.runs().empty())
        p.session.removeRun(p.session.runs().back());
}

const Scene sceneSweep("sweep", sweep);

} // namespace
