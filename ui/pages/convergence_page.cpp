// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/convergence_page.h"

#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/run_style.h"
#include "ui/theme.h"
#include "ui/widgets/bar_chart.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/trace_chart.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr int drawIntervalMs = 100;
constexpr double telemetrySeconds = 60;

QLabel* switchLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    return label;
}

/// Means over the run, so that one slow iteration does not make a bar jump.
std::vector<double> meanSeconds(const app::Run& run)
{
    std::vector<double> sums(3, 0.0);
    for (const kernels::IterationRecord& r : run.history()) {
        sums[0] += r.secondsFactor;
        sums[1] += r.secondsCore + r.secondsConvert;
        sums[2] += r.secondsEvaluate;
    }
    for (double& sum : sums)
        sum *= 1e3 / static_cast<double>(std::max<std::size_t>(run.history().size(), 1));
    return sums;
}

/// Tells bars apart where their names have no room.
QString rankText(const app::Run& run) { return QStringLiteral("J ") + formatting::ranks(run.config().ranks); }

} // namespace

ConvergencePage::ConvergencePage(app::Session& session, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
{
    setUpCards();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 14, 14);
    layout->setSpacing(10);
    layout->addWidget(makeControls());
    m_grid = new QGridLayout;
    m_grid->setSpacing(12);
    m_grid->addWidget(m_rmseCard, 0, 0);
    m_grid->addWidget(m_maeCard, 0, 1);
    m_grid->addWidget(m_deviceCard, 1, 0);
    m_grid->addWidget(m_timesCard, 1, 1);
    for (int i : {0, 1}) {
        m_grid->setRowStretch(i, 1);
        m_grid->setColumnStretch(i, 1);
    }
    layout->addLayout(m_grid, 1);
    linkCharts();

    const auto stale = [this] { m_stale = true; };
    connect(&session, &app::Session::runAdded, this, stale);
    connect(&session, &app::Session::runAdvanced, this, stale);
    connect(&session, &app::Session::runChanged, this, stale);
    connect(&session, &app::Session::runRemoved, this, [this](int id) {
        m_traces.forget(id);
        m_stale = true;
    });
    connect(&Theme::instance(), &Theme::changed, this, stale);
    m_timer.setInterval(drawIntervalMs);
    connect(&m_timer, &QTimer::timeout, this, &ConvergencePage::draw);
    m_timer.start();
    axesChanged();
}

QWidget* ConvergencePage::makeControls()
{
    auto* box = new QWidget(this);
    m_xSwitch = new SegmentedControl(tr("x axis"), {tr("Iteration"), tr("Time"), tr("Nonzeros")}, box);
    m_ySwitch = new SegmentedControl(tr("y axis"), {tr("Linear"), tr("Log")}, box);
    m_partSwitch = new SegmentedControl(tr("Errors shown"), {tr("Test"), tr("Train"), tr("Both")}, box);
    m_partSwitch->setCurrent(2);
    m_follow = new QPushButton(tr("following"), box);
    m_follow->setObjectName(QStringLiteral("link"));
    m_follow->setProperty("atRightEdge", true);
    m_follow->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* layout = new QHBoxLayout(box);
    layout->setContentsMargins(2, 0, 2, 0);
    layout->setSpacing(6);
    layout->addWidget(switchLabel(tr("x axis"), box));
    layout->addWidget(m_xSwitch);
    layout->addSpacing(3);
    layout->addWidget(switchLabel(tr("y axis"), box));
    layout->addWidget(m_ySwitch);
    layout->addSpacing(3);
    layout->addWidget(switchLabel(tr("show"), box));
    layout->addWidget(m_partSwitch);
    layout->addStretch(1);
    layout->addWidget(m_follow);
    for (SegmentedControl* control : {m_xSwitch, m_ySwitch, m_partSwitch})
        connect(control, &SegmentedControl::currentChanged, this, &ConvergencePage::axesChanged);
    connect(m_follow, &QPushButton::clicked, this, &ConvergencePage::followAgain);
    return box;
}

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
std::vector<TraceSeries> telemetryCurves(const app::TelemetryView& view, const QString& name, int index)
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
        else if (sample.seconds >= view.now - telemetrySeconds - 1)
            points->emplace_back(sample.seconds - view.now, static_cast<double>(sample.smPercent));
    }
    close(!view.lostReason.isEmpty());
    return curves;
}

} // namespace

void ConvergencePage::setUpCards()
{
    m_rmseCard = new Card(tr("RMSE"), this);
    m_maeCard = new Card(tr("MAE"), this);
    m_deviceCard = new Card(tr("SM throughput"), this);
    m_timesCard = new Card(tr("Time per iteration"), this);
    m_timesCard->setSubtitle(tr("ms · factor, core, evaluate"));
    m_rmse = new TraceChart(tr("RMSE of every visible run"), this);
    m_mae = new TraceChart(tr("MAE of every visible run"), this);
    m_deviceUse = new TraceChart(tr("Use of the device over the last minute"), this);
    m_times = new BarChart(tr("Mean time per iteration of every visible run"), this);
    m_rmse->setEmptyText(tr("No run yet. Choose its settings on the right and press Start run."));
    m_mae->setEmptyText(m_session.runs().empty() ? tr("Curves appear with the first iteration.") : QString());
    m_times->setEmptyText(tr("Factor, core and evaluation time appear with the first iteration."));
    m_deviceUse->setEmptyText(tr("No readings yet."));
    for (TraceChart* chart : {m_rmse, m_mae})
        chart->setValueText([](double value, double) { return formatting::metric(value); });
    m_deviceUse->setFilled(true);
    m_deviceUse->setFixedXRange(std::pair(-telemetrySeconds, 0.0));
    m_deviceUse->setFixedYRange(std::pair(0.0, 100.0));
    m_deviceUse->setXAxis(
        [](double value, double) { return value > -0.5 ? tr("now") : tr("%1 s").arg(formatting::number(std::round(value), 3)); });
    m_deviceUse->setValueText([](double value, double) { return formatting::percent(value / 100, 0); });
    m_deviceUse->setTooltipHead([](double x) { return tr("%1 ago").arg(formatting::duration(-x)); }, {});
    m_times->setSegmentNames({tr("factor"), tr("core"), tr("evaluate")});
    m_times->setValueLabel(&formatting::axisValue, [](double value, double) { return formatting::milliseconds(value / 1e3); });
    const auto fill = [this](Card* card, auto* chart) {
        card->setContent(chart);
        card->setChartButtons([chart](double scale) { return chart->image(scale); }, [chart] { return chart->csv(); });
        connect(card, &Card::enlargeToggled, this, [this, card](bool on) { enlarge(card, on); });
        connect(card, &Card::saveFailed, this, &ConvergencePage::saveFailed);
    };
    fill(m_rmseCard, m_rmse);
    fill(m_maeCard, m_mae);
    fill(m_deviceCard, m_deviceUse);
    fill(m_timesCard, m_times);
}

/// One crosshair and one held x range for RMSE and MAE; a run under the mouse is lit everywhere.
void ConvergencePage::linkCharts()
{
    for (auto [chart, other] : {std::pair(m_rmse, m_mae), std::pair(m_mae, m_rmse)}) {
        connect(chart, &TraceChart::crosshairMoved, this, [this](double x) {
            m_rmse->setCrosshair(x);
            m_mae->setCrosshair(x);
        });
        connect(chart, &TraceChart::crosshairLeft, this, [this] {
            m_rmse->setCrosshair({});
            m_mae->setCrosshair({});
        });
        connect(chart, &TraceChart::viewHeld, this, [this, partner = other](double low, double high) {
            partner->holdX(low, high);
            showHeld();
        });
        connect(chart, &TraceChart::viewFollowing, this, &ConvergencePage::followAgain);
        connect(chart, &TraceChart::hovered, this, &ConvergencePage::setHighlighted);
    }
    connect(m_times, &BarChart::hovered, this, &ConvergencePage::setHighlighted);
    connect(m_deviceUse, &TraceChart::crosshairMoved, m_deviceUse, [this](double x) { m_deviceUse->setCrosshair(x); });
    connect(m_deviceUse, &TraceChart::crosshairLeft, m_deviceUse, [this] { m_deviceUse->setCrosshair({}); });
}

void ConvergencePage::setDevice(const kernels::DeviceId& device) { m_device = device; }

void ConvergencePage::setHighlighted(int runId)
{
    m_rmse->setHighlighted(runId);
    m_mae->setHighlighted(runId);
    m_times->setHighlighted(runId);
}

bool ConvergencePage::isHeld() const { return m_rmse->isHeld() || m_mae->isHeld(); }

void ConvergencePage::followAgain()
{
    m_rmse->followAgain();
    m_mae->followAgain();
    showHeld();
}

void ConvergencePage::showHeld()
{
    const bool held = isHeld();
    m_follow->setEnabled(held);
    m_follow->setText(held ? tr("zoom held") : tr("following"));
    m_follow->setToolTip(held ? tr("The view stays. Click here, or double-click a chart, to follow the runs again.")
                              : tr("The axes follow the runs. Turn the wheel or drag over a chart to hold a part."));
    m_follow->setFixedWidth(m_follow->fontMetrics().horizontalAdvance(tr("zoom held")) + 6);
}

void ConvergencePage::axesChanged()
{
    const auto x = static_cast<TraceX>(m_xSwitch->current());
    const bool log = m_ySwitch->current() == 1;
    if (x != m_traces.x())
        followAgain();
    m_traces.setX(x);
    const AxisLabel label = x == TraceX::Time
        ? AxisLabel([](double value, double step) { return formatting::axisValue(value, step) + QStringLiteral(" s"); })
        : x == TraceX::Nonzeros ? AxisLabel([](double value, double) { return formatting::axisCount(value); })
                                : AxisLabel([](double value, double) { return formatting::axisCount(value); });
    const auto header = [x](double value) {
        if (x == TraceX::Time)
            return formatting::duration(std::max(0.0, value));
        if (x == TraceX::Nonzeros)
            return tr("%1 nonzeros").arg(formatting::count(std::max(0.0, value)));
        return tr("iteration %1").arg(formatting::grouped(static_cast<quint64>(std::llround(std::max(0.0, value)))));
    };
    const bool both = m_partSwitch->current() == 2;
    for (Card* card : {m_rmseCard, m_maeCard})
        card->setSubtitle(both ? tr("lower is better · dashed: train") : tr("lower is better"));
    for (TraceChart* chart : {m_rmse, m_mae}) {
        chart->setXAxis(label);
        chart->setYAxis(&formatting::axisValue, log);
        chart->setTooltipHead(
            header, both ? QStringList{tr("test"), tr("train")} : QStringList{m_partSwitch->current() == 0 ? tr("test") : tr("train")});
    }
    m_stale = true;
    draw();
    showHeld();
}

std::vector<app::Run*> ConvergencePage::visibleRuns() const
{
    std::vector<app::Run*> runs;
    for (app::Run* run : m_session.runs())
        if (run->isVisible())
            runs.push_back(run);
    return runs;
}

void ConvergencePage::draw()
{
    if (!isVisible())
        return; // stays stale until somebody looks
    drawTelemetry();
    if (!m_stale)
        return;
    m_stale = false;
    for (const app::Run* run : visibleRuns())
        m_traces.update(*run);
    const bool none = m_session.runs().empty();
    m_rmse->setEmptyText(none ? tr("No run yet. Choose its settings on the right and press Start run.")
                              : tr("Curves appear with the first iteration."));
    m_mae->setEmptyText(tr("Curves appear with the first iteration."));
    drawMetric(m_rmse, TraceMetric::Rmse);
    drawMetric(m_mae, TraceMetric::Mae);
    drawTimes();
}

void ConvergencePage::drawMetric(TraceChart* chart, TraceMetric metric)
{
    const int parts = m_partSwitch->current();
    const auto runs = visibleRuns();
    std::vector<TraceSeries> series;
    // Train first: the solid test curves lie on top.
    for (TracePart part : {TracePart::Train, TracePart::Test}) {
        if ((part == TracePart::Test && parts == 1) || (part == TracePart::Train && parts == 0))
            continue;
        for (const app::Run* run : runs) {
            const RunStyle style = runStyle(run->colorIndex(), Theme::instance().isDark());
            TraceSeries curve;
            curve.id = run->id();
            curve.column = parts == 2 && part == TracePart::Train ? 1 : 0;
            curve.name = run->name();
            curve.color = style.color;
            curve.marker = style.marker;
            if (part == TracePart::Train)
                curve.dash = style.trainDash;
            curve.points = m_traces.points(run->id(), metric, part);
            curve.live = run->isActive() && (part == TracePart::Test || parts == 1);
            series.push_back(std::move(curve));
        }
    }
    double planned = 0;
    for (const app::Run* run : runs)
        planned = std::max(planned, static_cast<double>(run->plannedIterations()));
    chart->setXEndHint(m_traces.x() == TraceX::Iteration && planned > 0 ? std::optional(planned) : std::nullopt);
    chart->setSparseMarkers(runs.size() > 1);
    chart->setSeries(std::move(series));
}

void ConvergencePage::drawTimes()
{
    std::vector<Bar> bars;
    for (const app::Run* run : visibleRuns()) {
        if (run->history().empty())
            continue;
        const RunStyle style = runStyle(run->colorIndex(), Theme::instance().isDark());
        bars.push_back({run->id(), run->name(), rankText(*run), run->name(), style.color, style.marker, meanSeconds(*run)});
    }
    m_times->setBars(std::move(bars));
}

/// The devices of the runs that are going and the one chosen for the next; the CPU only where no GPU is among them,
/// since its use is another quantity.
std::vector<kernels::DeviceId> ConvergencePage::measuredDevices() const
{
    std::vector<kernels::DeviceId> found{m_device};
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
        const auto curves = telemetryCurves(view, deviceText(devices[i]), static_cast<int>(i));
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

void ConvergencePage::enlarge(Card* card, bool on)
{
    for (Card* other : {m_rmseCard, m_maeCard, m_deviceCard, m_timesCard})
        other->setVisible(!on || other == card);
}

} // namespace ui
