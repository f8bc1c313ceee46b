// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison with none, one, some and many runs.
#include "gui/photographer.h"
#include "ui/pages/compare_page.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/run_table.h"
#include "ui/widgets/segmented_control.h"

#include <QComboBox>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>

namespace {

void manyRuns(Photographer& p)
{
    kernels::RunConfig config = p.suggested();
    config.coreRank = 0;
    for (unsigned i = 0; i < 34; ++i) {
        config.ranks = {2 + i % 12};
        config.seed = i;
        config.stopping.iterations = 5 + i;
        p.session.start(config, p.window.workspace()->currentTensor())
            ->setName(QStringLiteral("Sweep of rank and seed, number %1").arg(i + 1));
    }
    config.split = {kernels::SplitKind::File, 0.1, "/nowhere/test.tns"};
    p.session.start(config, p.window.workspace()->currentTensor())->setName(QStringLiteral("Broken"));
    waitFor("all runs", [&p] { return !p.session.hasActiveRuns(); });
    p.window.messageBar()->dismissAll();
    p.shoot("compare-many");
}

/// The comparison: no run, one that goes, five, a filter that fits none, groups, forty with a failed one.
void compare(Photographer& p)
{
    p.openSample();
    p.window.showPage(ui::MainWindow::CompareTab);
    p.shoot("compare-none");
    p.start(p.suggested(), 40);
    p.window.showPage(ui::MainWindow::CompareTab);
    p.shoot("compare-one");
    p.session.runs().back()->stop();
    kernels::RunConfig config = p.suggested();
    config.stopping.iterations = 60;
    config.coreRank = 0;
    for (const unsigned rank : {4U, 8U}) {
        config.ranks = {rank};
        p.start(config, 60);
    }
    kernels::RunConfig cp;
    cp.algorithm = "cp-als";
    cp.format = kernels::algorithm("cp-als").formatFor({});
    cp.stopping = {60, 0, 3, 0};
    for (const std::uint64_t seed : {42U, 7U}) {
        cp.ranks = {16};
        cp.seed = seed;
        p.start(cp, 60);
    }
    QTest::qWait(500); // models are compared on a thread
    ui::ComparePage* page = p.window.comparePage();
    p.shoot("compare");
    page->scrollArea()->verticalScrollBar()->setValue(10'000);
    p.shoot("compare-below");
    page->scrollArea()->verticalScrollBar()->setValue(0);
    page->groupSwitch()->setCurrent(1);
    page->table()->selectRuns({p.session.runs()[3]->id(), p.session.runs()[4]->id()});
    page->measureBox()->setCurrentIndex(2);
    QTest::qWait(500);
    p.shoot("compare-groups");
    page->filterField()->setText(QStringLiteral("nobody"));
    p.shoot("compare-filter");
    page->filterField()->clear();
    page->groupSwitch()->setCurrent(0);
    page->measureBox()->setCurrentIndex(0);
    manyRuns(p);
}

const Scene sceneCompare("compare", compare);

} // namespace
