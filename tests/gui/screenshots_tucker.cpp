// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A Tucker model of all cells: its run, and the page Factors with a dense core.
#include "gui/photographer.h"
#include "ui/pages/factors_page.h"
#include "ui/widgets/segmented_control.h"

namespace {

void tucker(Photographer& p)
{
    p.openSample();
    kernels::RunConfig config;
    config.algorithm = "tucker-hooi";
    config.format = kernels::algorithm(config.algorithm).formats.front();
    config.ranks = {8, 8, 4};
    config.split.kind = kernels::SplitKind::None;
    config.stopping = {60, 0, 3, 0};
    p.start(config, 60);
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    p.shoot("tucker-convergence");
    p.finishAndShow(config);
    p.window.showPage(ui::MainWindow::FactorsTab);
    p.shoot("tucker-components");
    const char* views[] = {"", "tucker-heat", "tucker-core", "tucker-similarity"};
    for (int view = 1; view < 4; ++view) {
        p.window.factorsPage()->viewSwitch()->setCurrent(view);
        p.shoot(QLatin1String(views[view]));
    }
}

const Scene sceneTucker("tucker", tucker);

} // namespace
