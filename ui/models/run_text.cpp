// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_text.h"

#include "app/baseline_text.h"
#include "kernels/base/registry.h"
#include "ui/formatting.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {
QString tr(const char* text) { return QCoreApplication::translate("run", text); }

QString watchedText(kernels::Objective objective, const kernels::IterationRecord* record)
{
    if (objective == kernels::Objective::All)
        return tr("fit %1").arg(formatting::metric(record ? record->fit : kernels::notMeasured));
    const double rmse = !record ? kernels::notMeasured : std::isfinite(record->testRmse) ? record->testRmse : record->trainRmse;
    return tr("RMSE %1").arg(formatting::metric(rmse));
}

bool isCp(const kernels::RunConfig& config) { return kernels::algorithm(config.algorithm).model == kernels::ModelKind::Cp; }
} // namespace

const kernels::IterationRecord* bestRecord(const app::Run& run)
{
    const auto& history = run.history();
    const std::uint64_t best = run.bestIteration();
    if (best >= 1 && best <= history.size())
        return &history[best - 1];
    return history.empty() ? nullptr : &history.back();
}

QString formatTitle(const std::string& id)
{
    for (const kernels::TensorFormatInfo& format : kernels::tensorFormats())
        if (format.id == id)
            return QString::fromStdString(format.title);
    return QString::fromStdString(id);
}

QString stateText(app::RunState state)
{
    switch (state) {
    case app::RunState::Queued:
        return tr("queued");
    case app::RunState::Preparing:
        return tr("preparing");
    case app::RunState::Running:
        return tr("running");
    case app::RunState::Paused:
        return tr("paused");
    case app::RunState::Finished:
        return tr("done");
    case app::RunState::Stopped:
        return tr("stopped");
    case app::RunState::Failed:
        return tr("failed");
    }
    return {};
}

QString precisionText(kernels::Precision precision)
{
    const std::string_view name = kernels::toString(precision);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

std::optional<kernels::Divergence> divergenceOf(const kernels::RunConfig& config)
{
    const auto found = config.parameters.find("divergence");
    const auto* const id = found == config.parameters.end() ? nullptr : std::get_if<std::string>(&found->second);
    return id ? kernels::divergenceFromString(*id) : std::nullopt;
}

bool isPenalised(const kernels::RunConfig& config)
{
    const auto found = config.parameters.find("penalty");
    const auto* const penalty = found == config.parameters.end() ? nullptr : std::get_if<double>(&found->second);
    return penalty && *penalty > 0;
}

QString divergenceTitle(kernels::Divergence divergence)
{
    switch (divergence) {
    case kernels::Divergence::KullbackLeibler:
        return tr("Kullback-Leibler");
    case kernels::Divergence::ItakuraSaito:
        return tr("Itakura-Saito");
    case kernels::Divergence::Euclidean:
        break;
    }
    return tr("Euclidean");
}

QString objectiveText(kernels::Objective objective)
{
    return objective == kernels::Objective::All ? tr("all entries, missing = 0") : tr("observed entries");
}

QString rankText(const kernels::RunConfig& config)
{
    if (isCp(config))
        return QStringLiteral("R %1").arg(config.largestRank());
    const QString ranks = QStringLiteral("J ") + formatting::ranks(config.ranks);
    const bool core = kernels::algorithm(config.algorithm).model == kernels::ModelKind::FastTucker;
    return core ? ranks + QStringLiteral(" R %1").arg(config.effectiveCoreRank()) : ranks;
}

/// The objective in a word or two: the card of a run has no room for more, its tooltip has.
QString settingsText(const app::Run& run)
{
    const kernels::RunConfig& config = run.config();
    const QString objective = run.objective() == kernels::Objective::All ? tr("all entries") : tr("observed");
    return QStringList{precisionText(config.precision), rankText(config), formatTitle(config.format), objective}.join(
        QStringLiteral(" · "));
}

QString variantNote(const app::Run& run)
{
    const auto outcome = run.outcome();
    if (!outcome || outcome->result.variantNote.empty())
        return {};
    for (const kernels::AlgorithmVariant& variant : kernels::algorithm(run.config().algorithm).variants)
        if (variant.id == run.config().variant)
            return QString::fromStdString(variant.title + ": " + outcome->result.variantNote);
    return {};
}

/// Where its test entries are not at hand a run that has learnt files has the error of the last one alone, which is no run's.
QString bestText(const app::Run& run)
{
    const kernels::IterationRecord* const best = bestRecord(run);
    const io::UpdateRecord* const update = best ? run.updateAt(best->iteration) : nullptr;
    if (!update || std::isfinite(best->testRmse) || std::isfinite(best->trainRmse))
        return watchedText(run.objective(), best);
    return tr("RMSE of new %1").arg(formatting::metric(update->rmseAfter));
}

QString bestDetails(const app::Run& run)
{
    const kernels::IterationRecord* const best = bestRecord(run);
    if (!best)
        return {};
    QStringList parts;
    if (std::isfinite(best->fit))
        parts += tr("fit %1").arg(formatting::metric(best->fit));
    const auto errors = [&](const QString& text, double rmse, double mae) {
        if (std::isfinite(rmse))
            parts += text.arg(formatting::metric(rmse), formatting::metric(mae));
    };
    errors(tr("test RMSE %1, MAE %2"), best->testRmse, best->testMae);
    errors(tr("train RMSE %1, MAE %2"), best->trainRmse, best->trainMae);
    if (std::isfinite(best->testDivergence))
        parts += tr("test divergence %1").arg(formatting::metric(best->testDivergence));
    if (std::isfinite(best->divergence))
        parts += tr("divergence %1").arg(formatting::metric(best->divergence));
    if (const io::UpdateRecord* const update = run.updateAt(best->iteration)) {
        errors(tr("RMSE of the new entries %1, MAE %2"), update->rmseAfter, update->maeAfter);
        if (std::isfinite(update->divergenceAfter))
            parts += tr("divergence of the new entries %1").arg(formatting::metric(update->divergenceAfter));
    }
    return tr("iteration %1: ").arg(formatting::grouped(best->iteration)) + parts.join(QStringLiteral(" · "));
}

QString baselineRemark(const app::Run& run)
{
    const kernels::IterationRecord* const best = run.isActive() ? nullptr : bestRecord(run);
    const auto comparison = run.baselines() && best ? app::compareWith(*run.baselines(), *best) : std::nullopt;
    if (!comparison || app::baselineVerdict(*comparison).isEmpty())
        return {};
    return comparison->beats(comparison->mean) ? tr("does not beat the additive baseline") : tr("does not beat the mean");
}

QStringList timeNames(const app::Run& run)
{
    return isCp(run.config()) && run.objective() == kernels::Objective::All ? QStringList{tr("products"), tr("equations"), tr("evaluate")}
                                                                            : QStringList{tr("factor"), tr("core"), tr("evaluate")};
}

QString progressText(const app::Run& run, const app::Run* holder)
{
    const auto& history = run.history();
    const QString done = formatting::grouped(history.size());
    switch (run.state()) {
    case app::RunState::Queued:
        if (holder && holder->state() == app::RunState::Paused)
            return tr("waiting for %1 (paused)").arg(holder->name());
        if (holder)
            return tr("waiting for %1").arg(holder->name());
        return tr("waiting for %1").arg(deviceText(run.config().devices));
    case app::RunState::Preparing:
        return tr("building the format");
    case app::RunState::Failed:
        return run.error();
    case app::RunState::Running:
    case app::RunState::Paused: {
        const QString text = tr("iter %1 / %2").arg(done, formatting::grouped(run.plannedIterations()));
        return history.empty() ? text : text + QStringLiteral(" · ") + watchedText(run.objective(), &history.back());
    }
    case app::RunState::Finished:
    case app::RunState::Stopped:
        return tr("%1 iters · %2 · %3").arg(done, bestText(run), formatting::duration(run.elapsedSeconds()));
    }
    return {};
}

QString deviceText(const kernels::DeviceId& id) { return id.kind == kernels::DeviceKind::Cpu ? tr("CPU") : tr("GPU %1").arg(id.index); }

QString deviceText(const std::vector<kernels::DeviceId>& devices)
{
    if (devices.size() == 1)
        return deviceText(devices.front());
    QStringList numbers;
    for (const kernels::DeviceId& id : devices)
        numbers += QString::number(id.index);
    const bool areCpu = !devices.empty() && devices.front().kind == kernels::DeviceKind::Cpu;
    return areCpu ? tr("CPU, %1 ranks").arg(devices.size()) : tr("GPUs %1").arg(numbers.join(QStringLiteral(" + ")));
}

QString deviceText(const kernels::DeviceInfo& device)
{
    if (device.id.kind == kernels::DeviceKind::Cpu)
        return deviceText(device.id); // there is one; its name is long and told by the tooltip
    QString name = QString::fromStdString(device.name);
    static const QRegularExpression noise(QStringLiteral("^NVIDIA "));
    name.remove(noise);
    return name.isEmpty() ? deviceText(device.id) : deviceText(device.id) + QStringLiteral(" · ") + name.simplified();
}

QString runCount(std::size_t count) { return count == 1 ? tr("1 run") : tr("%1 runs").arg(formatting::grouped(count)); }

double progressFraction(const app::Run& run)
{
    const auto planned = static_cast<double>(std::max<std::uint64_t>(run.plannedIterations(), 1));
    return std::min(1.0, static_cast<double>(run.history().size()) / planned);
}

} // namespace ui
