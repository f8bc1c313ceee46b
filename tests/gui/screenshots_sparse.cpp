// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A Tucker model that was pruned: its run, and the page Factors with a sparse core.
#include "gui/photographer.h"
#include "ui/pages/factors_page.h"
#include "ui/widgets/segmented_control.h"

namespace {

void sparse(Photographer& p)
{
    p.openSample();
    kernels::RunConfig config;
    config.algorithm = "tucker-ccd";
    config.ranks = {6, 6, 4};
    config.stopping = {80, 1e-4, 3, 0};
    p.start(config, 40);
    p.finishAndShow(config);
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    p.shoot("sparse-convergence");
    p.window.showPage(ui::MainWindow::FactorsTab);
    p.shoot("sparse-components");
    const char* views[] = {"", "sparse-heat", "sparse-core"};
    for (int view = 1; view < 3; ++view) {
        p.window.factorsPage()->viewSwitch()->setCurrent(view);
        p.shoot(QLatin1String(views[view]));
    }
}

const Scene sceneSparse("sparse", sparse);

} // namespace
