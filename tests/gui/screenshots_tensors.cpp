// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of two tensors, beside the mean and the additive model.
#include "gui/photographer.h"
#include "ui/pages/compare_page.h"
#include "ui/widgets/segmented_control.h"

#include <algorithm>

namespace {

void tensors(Photographer& p)
{
    p.openSample();
    kernels::RunConfig config = p.suggested();
    p.finish(config, 40, QStringLiteral("FastTuckerPlus"));
    config.parameters.clear();
    config.ranks = {2};
    config.coreRank = 0;
    p.finish(config, 3, QStringLiteral("Too short"));
    kernels::SyntheticSpec spec;
    spec.dims = {60, 40, 20};
    spec.entries = 8000;
    p.session.generate(spec, QStringLiteral("planted"));
    waitFor("the second tensor", [&p] { return p.session.tensors().size() == 2; });
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    p.shoot("tensors-without-runs");
    config.ranks = {4};
    p.finish(config, 40, QStringLiteral("Of planted"));
    p.window.workspace()->setCurrentRun(p.session.runs().front()->id());
    waitFor("baselines", [&p] {
        return std::all_of(p.session.runs().begin(), p.session.runs().end(), [](const app::Run* run) { return run->baselines(); });
    });
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    p.shoot("tensors-convergence");
    p.window.convergencePage()->partSwitch()->setCurrent(0);
    p.shoot("tensors-convergence-test");
    p.window.showPage(ui::MainWindow::CompareTab);
    p.shoot("tensors-compare");
    p.window.actions().allTensors->setChecked(true);
    p.shoot("tensors-compare-all");
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    p.shoot("tensors-convergence-all");
}

const Scene sceneTensors("tensors", tensors);

} // namespace
