// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The page Predict: one entry, lists, files, residuals, many modes.
#include "gui/photographer.h"
#include "ui/models/value_table.h"
#include "ui/pages/predict_entry_view.h"
#include "ui/pages/predict_file_view.h"
#include "ui/pages/predict_page.h"
#include "ui/pages/residual_view.h"
#include "ui/widgets/card.h"
#include "ui/widgets/index_field.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>

namespace {

std::vector<kernels::Index> testEntry(const app::Run& run)
{
    std::vector<kernels::Index> index;
    for (const auto& indices : run.tensor()->tensor.indices)
        index.push_back(indices[run.outcome()->testPositions[40]]);
    return index;
}

void residuals(Photographer& p, ui::PredictPage* page)
{
    page->showView(ui::PredictPage::ResidualTab);
    waitFor("the residuals", [page] { return page->residualView()->residuals() != nullptr; });
    p.shoot("predict-residuals");
    page->residualView()->modeChooser()->setCurrentIndex(2);
    page->residualView()->cards()[2]->setEnlarged(true);
    p.shoot("predict-worst");
    page->residualView()->cards()[2]->setEnlarged(false);
}

/// Ten modes, and labels longer than any field.
void predictManyModes(Photographer& p, ui::PredictPage* page)
{
    QFile file(p.scratch.filePath(QStringLiteral("ten-modes.tns")));
    if (!file.open(QIODevice::WriteOnly))
        throw std::runtime_error("no scratch file");
    for (int e = 0; e < 400; ++e) {
        for (int n = 0; n < 10; ++n)
            file.write(QByteArray::number((e * (n + 3) + e / 7) % 40 + 1) + ' ');
        file.write(QByteArray::number(e % 5 + 1) + '\n');
    }
    file.close();
    p.window.openFiles({file.fileName()});
    waitFor("ten modes", [&p] { return p.session.tensors().size() == 2 && p.window.runForm()->isReady(); });
    kernels::RunConfig config = p.suggested();
    config.ranks = {2};
    config.stopping.iterations = 20;
    p.start(config, 20);
    app::Run* run = p.session.runs().back();
    waitFor("the model", [run] { return run->outcome() != nullptr; });
    run->setName(QStringLiteral("A run with quite a long name that says all its settings"));
    p.window.showPage(ui::MainWindow::PredictTab);
    page->showView(ui::PredictPage::EntryTab);
    p.shoot("predict-ten-modes");
    page->showView(ui::PredictPage::ResidualTab);
    waitFor("the residuals", [page] { return page->residualView()->residuals() != nullptr; });
    p.shoot("predict-ten-residuals");
}

/// The Predict tab: nothing to ask, one entry, labels to choose from, a mistake, the best along a mode, a file, residuals, ten modes.
void predict(Photographer& p)
{
    p.openSample();
    p.window.showPage(ui::MainWindow::PredictTab);
    p.shoot("predict-none");
    kernels::RunConfig config = p.suggested();
    config.stopping.iterations = 200;
    p.start(config, 200);
    waitFor("the model", [&p] { return p.session.runs().back()->outcome() != nullptr; });
    p.window.showPage(ui::MainWindow::PredictTab);
    ui::PredictPage* page = p.window.predictPage();
    ui::PredictEntryView* entry = page->entryView();
    entry->showEntry(testEntry(*p.session.runs().back()));
    p.shoot("predict-entry");
    QLineEdit* field = entry->fields()[1]->line();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("chi"));
    p.shootWidget(*field->completer()->popup(), QStringLiteral("predict-completion"));
    QTest::keyClicks(field, QStringLiteral("nowhere"));
    p.shoot("predict-mistake");
    entry->showEntry(testEntry(*p.session.runs().back()));
    entry->fields()[1]->setAny(true);
    waitFor("the list", [entry] { return entry->best()->rowCount() == 10; });
    p.shoot("predict-best");
    page->showView(ui::PredictPage::FileTab);
    p.shoot("predict-file");
    residuals(p, page);
    predictManyModes(p, page);
}

const Scene scenePredict("predict", predict);

} // namespace
