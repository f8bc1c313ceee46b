// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The page Factors, of a CP and of a FastTucker model.
#include "gui/photographer.h"
#include "ui/models/factor_text.h"
#include "ui/pages/components_view.h"
#include "ui/pages/core_consistency_box.h"
#include "ui/pages/factor_maps.h"
#include "ui/pages/factors_page.h"
#include "ui/widgets/component_list.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/segmented_control.h"

#include <QComboBox>

namespace {

/// The components of a CP model of the sample, named; its other views; columns of a FastTucker model.
void factors(Photographer& p)
{
    p.window.showPage(ui::MainWindow::FactorsTab);
    p.shoot("factors-none");
    kernels::RunConfig config;
    config.algorithm = "cp-als";
    config.format = kernels::algorithm("cp-als").formatFor({});
    config.ranks = {4};
    config.split.kind = kernels::SplitKind::None;
    config.stopping = {300, 1e-6, 3, 0};
    app::Run* run = p.finishAndShow(config);
    const char* names[] = {"Los Angeles to the East", "hubs to the West Coast", "West beside the hubs", "New York to Chicago"};
    for (unsigned r = 0; r < 4; ++r)
        run->nameComponent(r, QString::fromLatin1(names[r]));
    p.shoot("factors-components");
    ui::FactorsPage* page = p.window.factorsPage();
    ui::ComponentList* list = page->components()->list();
    for (unsigned r = 0; r < 4; ++r)
        std::printf("%s\n", qPrintable(ui::strongestText(*page->factors(), r, QString::number(r + 1), 8, true)));
    page->components()->chartSwitch()->setCurrent(2);
    page->components()->strongCountChooser()->setCurrentIndex(1);
    list->setMarked(ui::MarkedRow{0, page->factors()->column(0, 0).strongest[1]});
    run->nameComponent(0, QStringLiteral("a name that is rather too long for its place on the card"));
    QTest::qWait(300);
    p.shoot("factors-sorted");
    page->consistency()->click();
    waitFor("core consistency", [page] { return !page->consistency()->isComputing(); });
    const char* views[] = {"", "factors-heat", "factors-core", "factors-similarity"};
    for (int view = 1; view < 4; ++view) {
        page->viewSwitch()->setCurrent(view);
        p.shoot(QLatin1String(views[view]));
    }
    page->viewSwitch()->setCurrent(0);
    list->setMarked({});
    page->components()->chartSwitch()->setCurrent(1);
    page->components()->strongCountChooser()->setCurrentIndex(0);
}

void factorsOfFastTucker(Photographer& p)
{
    ui::FactorsPage* page = p.window.factorsPage();
    kernels::RunConfig config = p.suggested();
    config.ranks = {24};
    config.coreRank = 0;
    config.stopping.iterations = 400;
    p.finishAndShow(config);
    p.shoot("factors-columns");
    page->viewSwitch()->setCurrent(ui::FactorsPage::HeatMaps);
    p.shoot("factors-columns-heat");
    page->viewSwitch()->setCurrent(ui::FactorsPage::Core);
    page->core()->chooser()->setCurrentIndex(1);
    p.shoot("factors-core-matrix");
    page->viewSwitch()->setCurrent(0);
}

void bothKinds(Photographer& p)
{
    p.openSample();
    factors(p);
    factorsOfFastTucker(p);
}

const Scene sceneFactors("factors", bothKinds);

} // namespace
