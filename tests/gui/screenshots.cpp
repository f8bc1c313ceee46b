// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of the window in the states a person meets, from real runs on the bundled sample.
// screenshots FOLDER [few|gpu|gpus|race|form|cp|compare|factors|predict]: every state, those that tell most (for other scale factors), a
// run on a GPU, runs on two GPUs and the CPU at once, the default beside the papers' variants there, the form of every algorithm, runs over
// all cells, alone and beside others, the comparison with none, one, some and many of them, the page Factors, or the page Predict.
#include "app/session.h"
#include "ui/main_window.h"
#include "ui/models/factor_text.h"
#include "ui/models/value_table.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/components_view.h"
#include "ui/pages/convergence_page.h"
#include "ui/pages/core_consistency_box.h"
#include "ui/pages/factor_maps.h"
#include "ui/pages/factors_page.h"
#include "ui/pages/predict_entry_view.h"
#include "ui/pages/predict_file_view.h"
#include "ui/pages/predict_page.h"
#include "ui/pages/residual_view.h"
#include "ui/panels/run_form.h"
#include "ui/panels/workspace_panel.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/component_list.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/index_field.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/run_table.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/trace_chart.h"

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QCompleter>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QListView>
#include <QMouseEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest/QTest>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>

namespace {

void waitFor(const char* what, const std::function<bool()>& condition, int milliseconds = 60'000)
{
    if (!QTest::qWaitFor(condition, milliseconds))
        throw std::runtime_error(std::string("waited in vain for ") + what);
}

/// One window and its session; every state is a method that ends in pictures.
class Photographer {
public:
    explicit Photographer(QString folder)
        : m_folder(std::move(folder))
    {
        m_window.show();
    }

    void welcome()
    {
        waitFor("the devices", [this] { return m_session.areDevicesListed(); });
        shoot("welcome");
    }

    void data()
    {
        m_window.openSample();
        waitFor("the sample", [this] { return !m_session.tensors().empty() && m_session.loadJobs().empty(); });
        waitFor("a form that can start", [this] { return m_window.runForm()->isReady(); });
        m_window.showPage(ui::MainWindow::DataTab);
        shoot("data");
    }

    void running()
    {
        kernels::RunConfig config = suggested();
        config.stopping.iterations = 400;
        start(config, 0);
        app::Run* run = m_session.runs().back();
        waitFor("iterations", [run] { return run->history().size() >= 120; });
        run->pause(); // stands still for all pictures, with its live end
        waitFor("the charts", [this] { return m_window.convergencePage()->rmseChart()->drawnPoints(0) > 10; });
        QTest::qWait(1200); // telemetry needs readings to draw
        shoot("convergence-running");
        run->stop();
        waitFor("the stop", [run] { return !run->isActive(); });
    }

    /// The lower end of the form, unfolded: what most people never see.
    void wholeForm()
    {
        auto* more = m_window.runForm()->findChild<QToolButton*>(QStringLiteral("fold"));
        auto* scroll = m_window.runForm()->findChild<QScrollArea*>();
        QScrollBar* bar = scroll->verticalScrollBar();
        const auto following = QObject::connect(bar, &QScrollBar::rangeChanged, bar, [bar](int, int maximum) { bar->setValue(maximum); });
        more->setChecked(true);
        shoot("form");
        QObject::disconnect(following);
        more->setChecked(false);
        bar->setValue(0);
    }

    /// A benchmark preset on the first GPU: the SM chart moves.
    void onGpu()
    {
        m_session.generatePreset(QStringLiteral("netflix-like"), 0.2, 1);
        waitFor("the preset", [this] { return !m_session.tensors().empty() && m_session.loadJobs().empty(); });
        kernels::RunConfig config = suggested();
        config.devices = {kernels::DeviceId{kernels::DeviceKind::Cuda, 0}};
        config.split.kind = kernels::SplitKind::File; // the preset's own test part
        config.stopping.iterations = 100'000;
        m_window.showPage(ui::MainWindow::ConvergenceTab);
        start(config, 200);
        app::Run* run = m_session.runs().back();
        QTest::qWait(12'000); // a window of telemetry to look at
        run->pause();
        QTest::qWait(3'000);
        run->resume();
        QTest::qWait(4'000);
        shoot("convergence-gpu");
        run->stop();
        waitFor("the stop", [run] { return !run->isActive(); });
        std::printf("%s\n", qPrintable(run->error()));
    }

    /// Two GPUs and the CPU at work at once: a telemetry line each.
    void onSeveralDevices()
    {
        m_session.generatePreset(QStringLiteral("netflix-like"), 0.2, 1);
        waitFor("the preset", [this] { return !m_session.tensors().empty() && m_session.loadJobs().empty(); });
        m_window.showPage(ui::MainWindow::ConvergenceTab);
        std::vector<app::Run*> runs;
        for (const kernels::DeviceId& device :
             {kernels::DeviceId{kernels::DeviceKind::Cuda, 0}, kernels::DeviceId{kernels::DeviceKind::Cuda, 1},
              kernels::DeviceId{kernels::DeviceKind::Cpu, 0}}) {
            kernels::RunConfig config = onFirstGpu();
            config.devices = {device};
            config.precision = kernels::Precision::Fp32;
            config.stopping.iterations = 100'000;
            start(config, 5);
            runs.push_back(m_session.runs().back());
        }
        QTest::qWait(8'000);
        runs[1]->pause(); // one line falls, the others stay
        QTest::qWait(2'000);
        shoot("convergence-gpus");
        for (app::Run* run : runs) {
            run->stop();
            waitFor("the stop", [run] { return !run->isActive(); });
            std::printf("%s %s\n", qPrintable(run->name()), qPrintable(run->error()));
        }
    }

    /// The form as it is for each algorithm.
    void forms()
    {
        data();
        for (const kernels::AlgorithmInfo& info : kernels::algorithms()) {
            kernels::RunConfig config = suggested();
            config.algorithm = info.id;
            config.variant = info.variants.back().id;
            config.format = info.formatFor(config.variant);
            config.parameters = {};
            m_window.runForm()->setConfig(config);
            waitFor("a form that can start", [this] { return m_window.runForm()->isReady(); });
            shoot(QStringLiteral("form-") + QString::fromStdString(info.id));
        }
    }

    /// The default beside the papers' variants, on their own settings, over about the same time on the first GPU.
    void race()
    {
        m_session.generatePreset(QStringLiteral("netflix-like"), 1, 1);
        waitFor(
            "the preset", [this] { return !m_session.tensors().empty() && m_session.loadJobs().empty(); }, 300'000);
        m_window.showPage(ui::MainWindow::ConvergenceTab);
        const std::pair<const char*, unsigned> papers[] = {
            {"fasttucker paper", 8}, {"fastertucker paper-full", 24}, {"fastertucker paper", 50}, {"fasttucker-plus paper", 14}};
        for (const auto& [names, iterations] : papers) {
            const QStringList parts = QString::fromLatin1(names).split(QLatin1Char(' '));
            const kernels::AlgorithmInfo& info = kernels::algorithm(parts[0].toStdString());
            const auto preset =
                std::find_if(info.presets.begin(), info.presets.end(), [&](const auto& p) { return p.id == parts[1].toStdString(); });
            kernels::RunConfig config = onFirstGpu();
            config.algorithm = info.id;
            config.variant = preset->variant;
            config.format = info.formatFor(preset->variant);
            config.parameters = preset->parameters;
            finish(config, iterations, QString::fromStdString(preset->title));
        }
        kernels::RunConfig config = onFirstGpu();
        config.precision = kernels::Precision::Fp16;
        finish(config, 60, QStringLiteral("Polyad, no setting"));
        m_window.convergencePage()->xSwitch()->setCurrent(1);
        shoot("convergence-race");
    }

    void severalRuns()
    {
        const unsigned ranks[] = {4, 8, 24};
        for (unsigned rank : ranks) {
            kernels::RunConfig config = suggested();
            config.ranks = {rank};
            config.coreRank = 0;
            config.stopping.iterations = 60;
            start(config, 60);
        }
        kernels::RunConfig config = suggested();
        config.ranks = {12};
        config.coreRank = 0;
        config.stopping.iterations = 4000;
        start(config, 90);
        m_session.runs().back()->pause();
        hoverRmse(0.4);
        shoot("convergence-several");
        leaveRmse();
        m_session.runs().back()->stop(); // a paused run keeps its device
    }

    /// Over all cells: a run alone, then beside one on the observed entries, then one with a long name.
    void allCells()
    {
        data();
        m_window.showPage(ui::MainWindow::ConvergenceTab);
        shoot("cp-none");
        kernels::RunConfig config;
        config.algorithm = "cp-als";
        config.format = kernels::algorithm("cp-als").formatFor({});
        config.ranks = {24};
        config.split.kind = kernels::SplitKind::None;
        config.stopping = {60, 0, 3, 0};
        start(config, 60);
        shoot("cp-alone");
        hoverRmse(0.5);
        kernels::RunConfig other = suggested();
        other.algorithm = "fasttucker";
        other.variant.clear();
        other.format = "coo";
        other.ranks = {8};
        other.coreRank = 0;
        other.parameters = {};
        other.stopping.iterations = 60;
        start(other, 60);
        shoot("cp-beside");
        leaveRmse();
        config.ranks = {4};
        start(config, 60);
        m_session.runs().back()->setName(QStringLiteral("A run with quite a long name that says all its settings"));
        hover(fitViewport(), 0.5);
        shoot("cp-long");
    }

    /// The comparison: no run, one that goes, five, a filter that fits none, groups, forty with a failed one.
    void compare()
    {
        data();
        m_window.showPage(ui::MainWindow::CompareTab);
        shoot("compare-none");
        start(suggested(), 40);
        m_window.showPage(ui::MainWindow::CompareTab);
        shoot("compare-one");
        m_session.runs().back()->stop();
        kernels::RunConfig config = suggested();
        config.stopping.iterations = 60;
        config.coreRank = 0;
        for (const unsigned rank : {4U, 8U}) {
            config.ranks = {rank};
            start(config, 60);
        }
        kernels::RunConfig cp;
        cp.algorithm = "cp-als";
        cp.format = kernels::algorithm("cp-als").formatFor({});
        cp.stopping = {60, 0, 3, 0};
        for (const std::uint64_t seed : {42U, 7U}) {
            cp.ranks = {16};
            cp.seed = seed;
            start(cp, 60);
        }
        QTest::qWait(500); // models are compared on a thread
        ui::ComparePage* page = m_window.comparePage();
        shoot("compare");
        page->scrollArea()->verticalScrollBar()->setValue(10'000);
        shoot("compare-below");
        page->scrollArea()->verticalScrollBar()->setValue(0);
        page->groupSwitch()->setCurrent(1);
        page->table()->selectRuns({m_session.runs()[3]->id(), m_session.runs()[4]->id()});
        page->measureBox()->setCurrentIndex(2);
        QTest::qWait(500);
        shoot("compare-groups");
        page->filterField()->setText(QStringLiteral("nobody"));
        shoot("compare-filter");
        page->filterField()->clear();
        page->groupSwitch()->setCurrent(0);
        page->measureBox()->setCurrentIndex(0);
        manyRuns();
    }

    void manyRuns()
    {
        kernels::RunConfig config = suggested();
        config.coreRank = 0;
        for (unsigned i = 0; i < 34; ++i) {
            config.ranks = {2 + i % 12};
            config.seed = i;
            config.stopping.iterations = 5 + i;
            m_session.start(config, m_window.workspace()->currentTensor())
                ->setName(QStringLiteral("Sweep of rank and seed, number %1").arg(i + 1));
        }
        config.split = {kernels::SplitKind::File, 0.1, "/nowhere/test.tns"};
        m_session.start(config, m_window.workspace()->currentTensor())->setName(QStringLiteral("Broken"));
        waitFor("all runs", [this] { return !m_session.hasActiveRuns(); });
        m_window.messageBar()->dismissAll();
        shoot("compare-many");
    }

    /// The components of a CP model of the sample, named; its other views; columns of a FastTucker model.
    void factors()
    {
        m_window.showPage(ui::MainWindow::FactorsTab);
        shoot("factors-none");
        kernels::RunConfig config;
        config.algorithm = "cp-als";
        config.format = kernels::algorithm("cp-als").formatFor({});
        config.ranks = {4};
        config.split.kind = kernels::SplitKind::None;
        config.stopping = {300, 1e-6, 3, 0};
        app::Run* run = finishAndShow(config);
        const char* names[] = {"Los Angeles to the East", "hubs to the West Coast", "West beside the hubs", "New York to Chicago"};
        for (unsigned r = 0; r < 4; ++r)
            run->nameComponent(r, QString::fromLatin1(names[r]));
        shoot("factors-components");
        ui::FactorsPage* page = m_window.factorsPage();
        ui::ComponentList* list = page->components()->list();
        for (unsigned r = 0; r < 4; ++r)
            std::printf("%s\n", qPrintable(ui::strongestText(*page->factors(), r, QString::number(r + 1), 8, true)));
        page->components()->chartSwitch()->setCurrent(2);
        page->components()->strongCountChooser()->setCurrentIndex(1);
        list->setMarked(ui::MarkedRow{0, page->factors()->column(0, 0).strongest[1]});
        run->nameComponent(0, QStringLiteral("a name that is rather too long for its place on the card"));
        QTest::qWait(300);
        shoot("factors-sorted");
        page->consistency()->click();
        waitFor("core consistency", [page] { return !page->consistency()->isComputing(); });
        const char* views[] = {"", "factors-heat", "factors-core", "factors-similarity"};
        for (int view = 1; view < 4; ++view) {
            page->viewSwitch()->setCurrent(view);
            shoot(QLatin1String(views[view]));
        }
        page->viewSwitch()->setCurrent(0);
        list->setMarked({});
        page->components()->chartSwitch()->setCurrent(1);
        page->components()->strongCountChooser()->setCurrentIndex(0);
    }

    void factorsOfFastTucker()
    {
        ui::FactorsPage* page = m_window.factorsPage();
        kernels::RunConfig config = suggested();
        config.ranks = {24};
        config.coreRank = 0;
        config.stopping.iterations = 400;
        finishAndShow(config);
        shoot("factors-columns");
        page->viewSwitch()->setCurrent(ui::FactorsPage::HeatMaps);
        shoot("factors-columns-heat");
        page->viewSwitch()->setCurrent(ui::FactorsPage::Core);
        page->core()->chooser()->setCurrentIndex(1);
        shoot("factors-core-matrix");
        page->viewSwitch()->setCurrent(0);
    }

    /// The Predict tab: nothing to ask, one entry, labels to choose from, a mistake, the best along a mode, a file, residuals, ten modes.
    void predict()
    {
        data();
        m_window.showPage(ui::MainWindow::PredictTab);
        shoot("predict-none");
        kernels::RunConfig config = suggested();
        config.stopping.iterations = 200;
        start(config, 200);
        waitFor("the model", [this] { return m_session.runs().back()->outcome() != nullptr; });
        m_window.showPage(ui::MainWindow::PredictTab);
        ui::PredictPage* page = m_window.predictPage();
        ui::PredictEntryView* entry = page->entryView();
        entry->showEntry(testEntry(*m_session.runs().back()));
        shoot("predict-entry");
        QLineEdit* field = entry->fields()[1]->line();
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, QStringLiteral("chi"));
        shootWidget(*field->completer()->popup(), QStringLiteral("predict-completion"));
        QTest::keyClicks(field, QStringLiteral("nowhere"));
        shoot("predict-mistake");
        entry->showEntry(testEntry(*m_session.runs().back()));
        entry->fields()[1]->setAny(true);
        waitFor("the list", [entry] { return entry->best()->rowCount() == 10; });
        shoot("predict-best");
        page->showView(ui::PredictPage::FileTab);
        shoot("predict-file");
        residuals(page);
        predictManyModes(page);
    }

    void residuals(ui::PredictPage* page)
    {
        page->showView(ui::PredictPage::ResidualTab);
        waitFor("the residuals", [page] { return page->residualView()->residuals() != nullptr; });
        shoot("predict-residuals");
        page->residualView()->modeChooser()->setCurrentIndex(2);
        page->residualView()->cards()[2]->setEnlarged(true);
        shoot("predict-worst");
        page->residualView()->cards()[2]->setEnlarged(false);
    }

    /// Ten modes, and labels longer than any field.
    void predictManyModes(ui::PredictPage* page)
    {
        QFile file(m_scratch.filePath(QStringLiteral("ten-modes.tns")));
        if (!file.open(QIODevice::WriteOnly))
            throw std::runtime_error("no scratch file");
        for (int e = 0; e < 400; ++e) {
            for (int n = 0; n < 10; ++n)
                file.write(QByteArray::number((e * (n + 3) + e / 7) % 40 + 1) + ' ');
            file.write(QByteArray::number(e % 5 + 1) + '\n');
        }
        file.close();
        m_window.openFiles({file.fileName()});
        waitFor("ten modes", [this] { return m_session.tensors().size() == 2 && m_window.runForm()->isReady(); });
        kernels::RunConfig config = suggested();
        config.ranks = {2};
        config.stopping.iterations = 20;
        start(config, 20);
        app::Run* run = m_session.runs().back();
        waitFor("the model", [run] { return run->outcome() != nullptr; });
        run->setName(QStringLiteral("A run with quite a long name that says all its settings"));
        m_window.showPage(ui::MainWindow::PredictTab);
        page->showView(ui::PredictPage::EntryTab);
        shoot("predict-ten-modes");
        page->showView(ui::PredictPage::ResidualTab);
        waitFor("the residuals", [page] { return page->residualView()->residuals() != nullptr; });
        shoot("predict-ten-residuals");
    }

    void eightRuns()
    {
        for (unsigned rank : {6U, 16U, 32U}) {
            kernels::RunConfig config = suggested();
            config.ranks = {rank};
            config.coreRank = 0;
            config.stopping.iterations = 40;
            start(config, 40);
        }
        m_session.runs().back()->setName(QStringLiteral("A run with quite a long name that says all its settings"));
        shoot("convergence-eight");
    }

    void error()
    {
        QFile broken(m_scratch.filePath(QStringLiteral("ratings.tns")));
        if (!broken.open(QIODevice::WriteOnly))
            throw std::runtime_error("no scratch file");
        broken.write("1 1 1 3.5\n1 2 2 4\n2 x 1 5\n");
        broken.close();
        m_window.openFiles({broken.fileName()});
        waitFor("the sentence", [this] { return !m_window.messageBar()->messages().isEmpty(); });
        shoot("error");
        m_window.messageBar()->dismissAll();
    }

    void dialogs()
    {
        for (QAction* action : {m_window.actions().generate, m_window.actions().exportAs}) {
            action->trigger();
            auto* dialog = m_window.findChild<QDialog*>(QString(), Qt::FindDirectChildrenOnly);
            if (!dialog)
                throw std::runtime_error("no dialog");
            shootWidget(*dialog, action == m_window.actions().generate ? "dialog-generate" : "dialog-export");
            if (action == m_window.actions().exportAs)
                shootBrowsing(*dialog);
            dialog->close();
            waitFor("the dialog to close", [this] { return !m_window.findChild<QDialog*>(QString(), Qt::FindDirectChildrenOnly); });
        }
        ui::Theme::instance().setAppearance(ui::Appearance::Dark);
    }

private:
    void shootWidget(QWidget& widget, const QString& name)
    {
        for (const ui::Appearance appearance : {ui::Appearance::Dark, ui::Appearance::Light}) {
            ui::Theme::instance().setAppearance(appearance);
            QTest::qWait(50);
            const QString file = name + (appearance == ui::Appearance::Dark ? QStringLiteral("-dark.png") : QStringLiteral("-light.png"));
            if (!widget.grab().save(QDir(m_folder).filePath(file)))
                throw std::runtime_error("cannot write " + file.toStdString());
        }
    }

    /// The file dialog that the export dialog opens.
    void shootBrowsing(const QDialog& dialog)
    {
        for (QPushButton* button : dialog.findChildren<QPushButton*>())
            if (button->text().startsWith(QStringLiteral("Browse")))
                button->click();
        auto* files = dialog.findChild<QFileDialog*>();
        if (!files)
            throw std::runtime_error("no file dialog");
        QTest::qWait(200); // it reads its folder on a thread
        shootWidget(*files, QStringLiteral("dialog-export-browse"));
        files->close();
    }

    /// All settings as they come, the preset's own test part, no early stop.
    static kernels::RunConfig onFirstGpu()
    {
        kernels::RunConfig config;
        config.devices = {kernels::DeviceId{kernels::DeviceKind::Cuda, 0}};
        config.split.kind = kernels::SplitKind::File;
        config.stopping.tolerance = 0;
        return config;
    }

    void finish(kernels::RunConfig config, unsigned iterations, const QString& name)
    {
        config.stopping.iterations = iterations;
        start(config, iterations);
        app::Run* run = m_session.runs().back();
        waitFor("the end", [run] { return !run->isActive(); });
        run->setName(name);
        std::printf("%s: %s\n", qPrintable(name), run->error().isEmpty() ? "done" : qPrintable(run->error()));
    }

    app::Run* finishAndShow(const kernels::RunConfig& config)
    {
        start(config, config.stopping.iterations);
        app::Run* run = m_session.runs().back();
        waitFor("the end", [run] { return !run->isActive(); });
        m_window.showPage(ui::MainWindow::FactorsTab);
        m_window.workspace()->runList()->setFocus();
        waitFor("the factors",
                [this, run] { return m_window.factorsPage()->factors() && m_window.factorsPage()->factors()->outcome == run->outcome(); });
        return run;
    }

    kernels::RunConfig suggested() const
    {
        const app::OpenTensorPtr tensor = m_window.workspace()->currentTensor();
        kernels::RunConfig config = tensor->suggested.value_or(kernels::RunConfig{});
        config.stopping.tolerance = 0;
        return config;
    }

    void start(const kernels::RunConfig& config, std::size_t iterations)
    {
        m_window.runForm()->setConfig(config);
        waitFor("a form that can start", [this] { return m_window.runForm()->isReady(); });
        const std::size_t before = m_session.runs().size();
        m_window.actions().start->trigger();
        waitFor("the run", [this, before] { return m_session.runs().size() > before; });
        const app::Run* run = m_session.runs().back();
        waitFor("iterations", [run, iterations] { return run->history().size() >= iterations || !run->isActive(); });
    }

    static std::vector<kernels::Index> testEntry(const app::Run& run)
    {
        std::vector<kernels::Index> index;
        for (const auto& indices : run.tensor()->tensor.indices)
            index.push_back(indices[run.outcome()->testPositions[40]]);
        return index;
    }

    QWidget* rmseViewport() const { return m_window.convergencePage()->rmseChart()->findChild<QAbstractScrollArea*>()->viewport(); }

    QWidget* fitViewport() const { return m_window.convergencePage()->fitChart()->findChild<QAbstractScrollArea*>()->viewport(); }

    void hoverRmse(double share) { hover(rmseViewport(), share); }

    static void hover(QWidget* viewport, double share)
    {
        const QPointF at(viewport->width() * share, viewport->height() * 0.3);
        QMouseEvent move(QEvent::MouseMove, at, viewport->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(viewport, &move);
    }

    void leaveRmse()
    {
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(rmseViewport(), &leave);
    }

    void shoot(const QString& state)
    {
        for (const ui::Appearance appearance : {ui::Appearance::Light, ui::Appearance::Dark}) {
            ui::Theme::instance().setAppearance(appearance);
            for (const QSize size : {QSize(1280, 720), QSize(1440, 900)}) {
                m_window.resize(size);
                QTest::qWait(250); // two turns of the drawing timer
                const QString name =
                    QStringLiteral("%1-%2-%3x%4%5.png")
                        .arg(state, appearance == ui::Appearance::Dark ? QStringLiteral("dark") : QStringLiteral("light"))
                        .arg(size.width())
                        .arg(size.height())
                        .arg(m_window.devicePixelRatioF() > 1 ? QStringLiteral("-at%1x").arg(m_window.devicePixelRatioF()) : QString());
                if (!m_window.grab().save(QDir(m_folder).filePath(name)))
                    throw std::runtime_error("cannot write " + name.toStdString());
                std::printf("%s\n", qPrintable(name));
            }
        }
    }

    QString m_folder;
    QTemporaryDir m_scratch;
    app::Session m_session;
    ui::MainWindow m_window{m_session};
};

} // namespace

int main(int argc, char** argv)
{
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("polyad-screenshots"));
    QApplication::setApplicationName(QStringLiteral("screenshots"));
    const QTemporaryDir settings; // a person's own settings stay as they are
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("screenshots");
    if (!QDir().mkpath(folder)) {
        std::fprintf(stderr, "%s: this folder cannot be made\n", qPrintable(folder));
        return 1;
    }
    ui::Theme::instance().install(application);
    try {
        Photographer photographer(folder);
        const QString only = argc > 2 ? QString::fromLocal8Bit(argv[2]) : QString();
        if (only == QStringLiteral("gpu")) {
            photographer.onGpu();
            return 0;
        }
        if (only == QStringLiteral("gpus")) {
            photographer.onSeveralDevices();
            return 0;
        }
        if (only == QStringLiteral("form")) {
            photographer.forms();
            return 0;
        }
        if (only == QStringLiteral("cp")) {
            photographer.allCells();
            return 0;
        }
        if (only == QStringLiteral("compare")) {
            photographer.compare();
            return 0;
        }
        if (only == QStringLiteral("factors")) {
            photographer.data();
            photographer.factors();
            photographer.factorsOfFastTucker();
            return 0;
        }
        if (only == QStringLiteral("predict")) {
            photographer.predict();
            return 0;
        }
        if (only == QStringLiteral("race")) {
            photographer.race();
            return 0;
        }
        photographer.welcome();
        photographer.data();
        photographer.running();
        photographer.wholeForm();
        if (!only.isEmpty())
            return 0;
        photographer.severalRuns();
        photographer.error();
        photographer.dialogs();
        photographer.eightRuns();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
