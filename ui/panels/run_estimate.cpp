// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/run_estimate.h"

#include "app/run_needs.h"
#include "ui/formatting.h"
#include "ui/models/run_text.h"

#include <QCoreApplication>

namespace ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("RunEstimate", text); }

} // namespace

RunEstimate estimateRun(const kernels::RunConfig& config, const app::OpenTensor& tensor, const kernels::DeviceInfo& device,
                        const app::Session& session)
{
    RunEstimate estimate;
    const app::RunNeeds needs = app::needsOf(config, tensor, device, session.freeMemory(device.id), app::measuredTimes(session.runs()));
    estimate.fits = needs.fits();
    if (needs.bytes > 0)
        estimate.sentence = (needs.limitIsFree ? tr("Needs about %1 of %2 free on %3.") : tr("Needs about %1 of %2 on %3."))
                                .arg(formatting::bytes(needs.bytes), formatting::bytes(needs.limit), deviceText(device.id));
    if (needs.secondsPerIteration > 0) {
        const double seconds = needs.secondsPerIteration * static_cast<double>(config.stopping.iterations);
        const QString iterations = formatting::grouped(config.stopping.iterations);
        const QString source = needs.measured ? tr("measured") : tr("a guess");
        estimate.sentence += QLatin1Char('\n')
            + (!needs.measured && seconds < 1 // a guess is not that exact
                   ? tr("Less than a second for %1 iterations, %2.").arg(iterations, source)
                   : tr("About %1 for %2 iterations, %3.").arg(formatting::roughDuration(seconds), iterations, source));
    }
    if (config.precision == kernels::Precision::Fp64 && tensor.report.valuesRounded > 0)
        estimate.sentence += QLatin1Char('\n')
            + tr("Values rounded to single precision when %1 was read: %2. polyad-cli keeps them with --values fp64.")
                  .arg(tensor.name, formatting::grouped(tensor.report.valuesRounded));
    return estimate;
}

} // namespace ui
