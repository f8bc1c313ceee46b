// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/convergence_page.h"

#include "ui/formatting.h"
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

void ConvergencePage::enlarge(Card* card, bool on)
{
    for (Card* other : {m_rmseCard, m_maeCard, m_deviceCard, m_timesCard})
        other->setVisible(!on || other == card);
}

} // namespace ui
