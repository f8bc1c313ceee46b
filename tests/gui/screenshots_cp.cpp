// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs over all cells, alone and beside others.
#include "gui/photographer.h"

namespace {

/// Over all cells: a run alone, then beside one on the observed entries, then one with a long name.
void allCells(Photographer& p)
{
    p.openSample();
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    p.shoot("cp-none");
    kernels::RunConfig config;
    config.algorithm = "cp-als";
    config.format = kernels::algorithm("cp-als").formatFor({});
    config.ranks = {24};
    config.split.kind = kernels::SplitKind::None;
    config.stopping = {60, 0, 3, 0};
    p.start(config, 60);
    p.shoot("cp-alone");
    p.hover(p.window.convergencePage()->rmseChart(), 0.5);
    kernels::RunConfig other = p.suggested();
    other.algorithm = "fasttucker";
    other.variant.clear();
    other.format = "coo";
    other.ranks = {8};
    other.coreRank = 0;
    other.parameters = {};
    other.stopping.iterations = 60;
    p.start(other, 60);
    p.shoot("cp-beside");
    p.leave(p.window.convergencePage()->rmseChart());
    config.ranks = {4};
    p.start(config, 60);
    p.session.runs().back()->setName(QStringLiteral("A run with quite a long name that says all its settings"));
    p.hover(p.window.convergencePage()->fitChart(), 0.5);
    p.shoot("cp-long");
}

const Scene sceneCp("cp", allCells);

} // namespace
