// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on GPUs: one, two beside the CPU, the default beside the papers' variants.
#include "gui/photographer.h"
#include "ui/widgets/segmented_control.h"

#include <algorithm>

namespace {

/// All settings as they come, the preset's own test part, no early stop.
kernels::RunConfig onFirstGpu()
{
    kernels::RunConfig config;
    config.devices = {kernels::DeviceId{kernels::DeviceKind::Cuda, 0}};
    config.split.kind = kernels::SplitKind::File;
    config.stopping.tolerance = 0;
    return config;
}

/// A benchmark preset on the first GPU: the SM chart moves.
void onGpu(Photographer& p)
{
    p.session.generatePreset(QStringLiteral("netflix-like"), 0.2, 1);
    waitFor("the preset", [&p] { return !p.session.tensors().empty() && p.session.loadJobs().empty(); });
    kernels::RunConfig config = p.suggested();
    config.devices = {kernels::DeviceId{kernels::DeviceKind::Cuda, 0}};
    config.split.kind = kernels::SplitKind::File; // the preset's own test part
    config.stopping.iterations = 100'000;
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    p.start(config, 200);
    app::Run* run = p.session.runs().back();
    QTest::qWait(12'000); // a window of telemetry to look at
    run->pause();
    QTest::qWait(3'000);
    run->resume();
    QTest::qWait(4'000);
    p.shoot("convergence-gpu");
    run->stop();
    waitFor("the stop", [run] { return !run->isActive(); });
    std::printf("%s\n", qPrintable(run->error()));
}

/// Two GPUs and the CPU at work at once: a telemetry line each.
void onSeveralDevices(Photographer& p)
{
    p.session.generatePreset(QStringLiteral("netflix-like"), 0.2, 1);
    waitFor("the preset", [&p] { return !p.session.tensors().empty() && p.session.loadJobs().empty(); });
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    std::vector<app::Run*> runs;
    for (const kernels::DeviceId& device :
         {kernels::DeviceId{kernels::DeviceKind::Cuda, 0}, kernels::DeviceId{kernels::DeviceKind::Cuda, 1},
          kernels::DeviceId{kernels::DeviceKind::Cpu, 0}}) {
        kernels::RunConfig config = onFirstGpu();
        config.devices = {device};
        config.precision = kernels::Precision::Fp32;
        config.stopping.iterations = 100'000;
        p.start(config, 5);
        runs.push_back(p.session.runs().back());
    }
    QTest::qWait(8'000);
    runs[1]->pause(); // one line falls, the others stay
    QTest::qWait(2'000);
    p.shoot("convergence-gpus");
    for (app::Run* run : runs) {
        run->stop();
        waitFor("the stop", [run] { return !run->isActive(); });
        std::printf("%s %s\n", qPrintable(run->name()), qPrintable(run->error()));
    }
}

/// The default beside the papers' variants, on their own settings, over about the same time on the first GPU.
void race(Photographer& p)
{
    p.session.generatePreset(QStringLiteral("netflix-like"), 1, 1);
    waitFor(
        "the preset", [&p] { return !p.session.tensors().empty() && p.session.loadJobs().empty(); }, 300'000);
    p.window.showPage(ui::MainWindow::ConvergenceTab);
    const std::pair<const char*, unsigned> papers[] = {
        {"fasttucker paper", 22}, {"fastertucker paper-full", 50}, {"fastertucker paper", 80}, {"fasttucker-plus paper", 40}};
    for (const auto& [names, iterations] : papers) {
        const QStringList parts = QString::fromLatin1(names).split(QLatin1Char(' '));
        const kernels::AlgorithmInfo& info = kernels::algorithm(parts[0].toStdString());
        const auto preset =
            std::find_if(info.presets.begin(), info.presets.end(), [&](const auto& each) { return each.id == parts[1].toStdString(); });
        kernels::RunConfig config = onFirstGpu();
        config.algorithm = info.id;
        config.variant = preset->variant;
        config.format = info.formatFor(preset->variant);
        config.parameters = preset->parameters;
        p.finish(config, iterations, QString::fromStdString(preset->title));
    }
    kernels::RunConfig config = onFirstGpu();
    config.precision = kernels::Precision::Fp16;
    config.stopping.tolerance = kernels::StoppingRules{}.tolerance; // it ends by itself
    p.finish(config, kernels::StoppingRules{}.iterations, QStringLiteral("Polyad, no setting"));
    p.window.convergencePage()->xSwitch()->setCurrent(1);
    p.window.convergencePage()->logSwitch()->setCurrent(1); // 3 ms to a second
    p.shoot("convergence-race");
}

const Scene sceneGpu("gpu", onGpu);
const Scene sceneGpus("gpus", onSeveralDevices);
const Scene sceneRace("race", race);

} // namespace
