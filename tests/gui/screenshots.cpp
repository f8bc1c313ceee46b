// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of the window in the states a person meets, from real runs on the bundled sample.
// screenshots FOLDER [few|gpu|gpus|race|form|cp]: every state, those that tell most (for other scale factors), a run on a GPU,
// runs on two GPUs and the CPU at once, the default beside the papers' variants there, the form of every algorithm, or runs
// over all cells, alone and beside others.
#include "app/session.h"
#include "ui/main_window.h"
#include "ui/pages/convergence_page.h"
#include "ui/panels/run_form.h"
#include "ui/panels/workspace_panel.h"
#include "ui/theme.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/trace_chart.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
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
