// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/run_estimate.h"

#include "app/run_needs.h"
#include "ui/formatting.h"
#include "ui/models/run_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("RunEstimate", text); }

/// With the least memory free of the run's devices.
const kernels::DeviceInfo& tightest(const std::vector<kernels::DeviceId>& chosen, const app::Session& session)
{
    const auto room = [&](const kernels::DeviceInfo& info) { return session.freeMemory(info.id).value_or(info.memoryTotal); };
    const kernels::DeviceInfo* found = &session.devices().front();
    for (const kernels::DeviceInfo& info : session.devices())
        if (std::find(chosen.begin(), chosen.end(), info.id) != chosen.end()
            && (std::find(chosen.begin(), chosen.end(), found->id) == chosen.end() || room(info) < room(*found)))
            found = &info;
    return *found;
}

} // namespace

RunEstimate estimateRun(const kernels::RunConfig& config, const app::OpenTensor& tensor, const app::Session& session)
{
    RunEstimate estimate;
    const kernels::DeviceInfo& device = tightest(config.devices, session);
    const app::RunNeeds needs = app::needsOf(config, tensor, device, session.freeMemory(device.id), app::measuredTimes(session.runs()));
    estimate.fits = needs.fits();
    if (needs.bytes > 0)
        estimate.sentence = (needs.limitIsFree ? tr("Needs about %1 of %2 free on %3.") : tr("Needs about %1 of %2 on %3."))
                                .arg(formatting::bytes(needs.bytes), formatting::bytes(needs.limit),
                                     config.devices.size() > 1 ? tr("each of %1").arg(deviceText(config.devices)) : deviceText(device.id));
    if (needs.secondsPerIteration > 0) {
        const double seconds = needs.secondsPerIteration * static_cast<double>(config.stopping.iterations);
        const QString iterations = formatting::grouped(config.stopping.iterations);
        const QString source = needs.measured ? tr("measured") : tr("a guess");
        estimate.sentence += QLatin1Char('\n')
            + (!needs.measured && seconds * needs.spread < 1 // a guess is not that exact
                   ? tr("Less than a second for %1 iterations, %2.").arg(iterations, source)
                   : tr("About %1 for %2 iterations, %3.")
                         .arg(formatting::roughRange(seconds / needs.spread, seconds * needs.spread), iterations, source));
    }
    if (config.precision == kernels::Precision::Fp64 && tensor.report.valuesRounded > 0)
        estimate.sentence += QLatin1Char('\n')
            + tr("Values rounded to single precision when %1 was read: %2. polyad-cli keeps them with --values fp64.")
                  .arg(tensor.name, formatting::grouped(tensor.report.valuesRounded));
    return estimate;
}

} // namespace ui
