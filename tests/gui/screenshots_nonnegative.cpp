// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Non-negative runs by two divergences, and what the form says of the values.
#include "gui/photographer.h"

namespace {

void nonnegative(Photographer& p)
{
    p.openSample();
    kernels::RunConfig config;
    config.algorithm = "ntf";
    config.ranks = {8};
    config.parameters["penalty"] = 0.05;
    config.parameters["regularisation"] = std::string("weighted");
    config.stopping = {80, 1e-4, 80, 0};
    config.parameters["divergence"] = std::string("euclidean");
    p.start(config, 40);
    config.parameters["divergence"] = std::string("auto");
    p.start(config, 40);
    p.finishAndShow(config);
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    p.shoot("nonnegative-convergence");
    p.window.showPage(ui::MainWindow::FactorsTab);
    p.shoot("nonnegative-components");
}

const Scene sceneNonnegative("nonnegative", nonnegative);

} // namespace
