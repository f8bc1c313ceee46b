// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/convergence_page.h"

#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/run_style.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/trace_chart.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

/// What the chart shows of a source that is read more often: single readings of 10 ms jump between a kernel and the gap after it.
constexpr double shownEverySeconds = 0.2;

/// Means over fixed fifths of a second, so that a point does not change once it is drawn; NaN stays NaN.
std::vector<kernels::telemetry::Sample> averaged(const std::vector<kernels::telemetry::Sample>& samples)
{
    std::vector<kernels::telemetry::Sample> means;
    double bin = -1;
    int count = 0;
    for (const kernels::telemetry::Sample& sample : samples) {
        const double itsBin = std::floor(sample.seconds / shownEverySeconds);
        if (itsBin != bin || !std::isfinite(sample.smPercent)) {
            bin = std::isfinite(sample.smPercent) ? itsBin : -1; // a failed reading begins anew
            count = 1;
            means.push_back(sample);
            continue;
        }
        means.back().smPercent += (sample.smPercent - means.back().smPercent) / static_cast<float>(++count);
        means.back().dramPercent += (sample.dramPercent - means.back().dramPercent) / static_cast<float>(count);
        means.back().seconds = sample.seconds;
    }
    return means;
}

/// A device's last minute as curves: one for each stretch without a reading that failed, so that the line breaks there.
std::vector<TraceSeries> telemetryCurves(const app::TelemetryView& view, const QString& name, int index, double seconds)
{
    const RunStyle style = runStyle(index, Theme::instance().isDark());
    std::vector<TraceSeries> curves;
    auto points = std::make_shared<std::vector<QPointF>>();
    const auto close = [&](bool lost) {
        if (points->empty())
            return;
        curves.push_back({index, 0, name, style.color, style.marker, view.info.coarse ? QList<qreal>{4, 3} : QList<qreal>{}, points, lost});
        points = std::make_shared<std::vector<QPointF>>();
    };
    for (const kernels::telemetry::Sample& sample : view.samples) {
        if (!std::isfinite(sample.smPercent))
            close(false);
        else if (sample.seconds >= view.now - seconds - 1)
            points->emplace_back(sample.seconds - view.now, static_cast<double>(sample.smPercent));
    }
    close(!view.lostReason.isEmpty());
    return curves;
}

} // namespace

/// The devices of the runs that are going and the one chosen for the next; the CPU only where no GPU is among them,
/// since its use is another quantity.
std::vector<kernels::DeviceId> ConvergencePage::measuredDevices() const
{
    std::vector<kernels::DeviceId> found = m_devices;
    for (const app::Run* run : m_session.runs())
        if (run->isActive())
            for (const kernels::DeviceId& device : run->config().devices)
                if (std::find(found.begin(), found.end(), device) == found.end())
                    found.push_back(device);
    const auto isCpu = [](const kernels::DeviceId& device) { return device.kind == kernels::DeviceKind::Cpu; };
    if (!std::all_of(found.begin(), found.end(), isCpu))
        std::erase_if(found, isCpu);
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
    return found;
}

void ConvergencePage::drawTelemetry()
{
    const auto devices = measuredDevices();
    std::vector<TraceSeries> series;
    QStringList notes;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        app::TelemetryView view = m_session.telemetry(devices[i]);
        view.samples = averaged(view.samples);
        const auto curves = telemetryCurves(view, deviceText(devices[i]), static_cast<int>(i), telemetrySeconds);
        series.insert(series.end(), curves.begin(), curves.end());
        if (!view.lostReason.isEmpty())
            notes += view.lostReason;
        if (i == 0)
            describeTelemetry(view, devices.size());
    }
    m_deviceUse->setNote(notes.join(QStringLiteral(" · ")));
    m_deviceUse->setLegendShown(devices.size() > 1);
    m_deviceUse->setSeries(std::move(series));
}

void ConvergencePage::describeTelemetry(const app::TelemetryView& view, std::size_t devices)
{
    const bool measuresGpu = view.info.id != "cpu" && !view.info.id.empty();
    const QString quantity = QString::fromStdString(view.info.quantity);
    m_deviceCard->setTitle(quantity.isEmpty() ? tr("Device use") : quantity);
    QStringList subtitle;
    if (!view.info.title.empty())
        subtitle += tr("%1, %2 Hz")
                        .arg(QString::fromStdString(view.info.title), formatting::number(1000.0 / std::max(1U, view.info.intervalMs), 3));
    if (view.info.id == "cupti-pm")
        subtitle.last() += tr(", means of 0.2 s");
    if (measuresGpu) {
        const QString device = devices > 1 ? tr("%1 GPUs").arg(devices) : deviceText(m_device);
        subtitle += device + (view.info.deviceWide ? tr(", whole device") : QString());
    } else if (!view.info.id.empty()) {
        subtitle += m_device.kind == kernels::DeviceKind::Cpu ? tr("no GPU in use") : tr("the GPU cannot be measured");
    }
    m_deviceCard->setSubtitle(subtitle.join(QStringLiteral(" · ")));
    QStringList help{tr("Metric: %1").arg(QString::fromStdString(view.info.metric))};
    if (!view.refusals.isEmpty())
        help += tr("Not used: %1").arg(view.refusals.join(QStringLiteral("; ")));
    m_deviceCard->setToolTip(help.join(u'\n'));

    double percent = kernels::notMeasured;
    double dram = kernels::notMeasured;
    for (const kernels::telemetry::Sample& sample : view.samples)
        if (std::isfinite(sample.smPercent)) {
            percent = static_cast<double>(sample.smPercent);
            dram = static_cast<double>(sample.dramPercent);
        }
    QString value = std::isfinite(percent) ? formatting::percent(percent / 100, 0) : QString();
    if (std::isfinite(dram))
        value += tr(" · DRAM %1").arg(formatting::percent(dram / 100, 0));
    m_deviceCard->setValue(value);
}

} // namespace ui
