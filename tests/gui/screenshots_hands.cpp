// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The palette of all commands, the guide, high contrast.
#include "gui/photographer.h"
#include "ui/dialogs/command_palette.h"
#include "ui/dialogs/guide_window.h"

#include <QLineEdit>

namespace {

void palette(Photographer& p)
{
    p.openSample();
    p.window.actions().palette->trigger();
    auto* dialog = p.window.findChild<ui::CommandPalette*>();
    p.shootWidget(*dialog, QStringLiteral("palette"));
    dialog->line()->setText(QStringLiteral("co"));
    p.shootWidget(*dialog, QStringLiteral("palette-typed"));
    dialog->line()->setText(QStringLiteral("nothing of the kind"));
    p.shootWidget(*dialog, QStringLiteral("palette-nothing"));
    dialog->close();
}

void guide(Photographer& p)
{
    ui::GuideWindow window(ui::GuideWindow::installedGuide());
    window.setAttribute(Qt::WA_DeleteOnClose, false);
    window.show();
    for (const auto& [topic, name] : {std::pair(ui::GuideTopic::Convergence, "guide-charts"), std::pair(ui::GuideTopic::Run, "guide-table"),
                                      std::pair(ui::GuideTopic::Data, "guide-code")}) {
        window.showTopic(topic);
        waitFor("the pictures", [&] { return window.hasAllPictures(); });
        p.shootWidget(window, QLatin1String(name));
    }
}

void contrast(Photographer& p)
{
    p.openSample();
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    ui::Theme::instance().setHighContrast(true);
    for (const unsigned rank : {4U, 12U}) {
        kernels::RunConfig config = p.suggested();
        config.ranks = {rank};
        config.coreRank = 0;
        config.stopping.iterations = 60;
        p.start(config, 60);
    }
    p.shoot("contrast-convergence");
    p.window.showPage(ui::MainWindow::CompareTab);
    p.shoot("contrast-compare");
    ui::Theme::instance().setHighContrast(false);
}

const Scene scenePalette("palette", palette);
const Scene sceneGuide("guide", guide);
const Scene sceneContrast("contrast", contrast);

} // namespace
