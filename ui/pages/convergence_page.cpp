// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/convergence_page.h"

#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/models/shown_baselines.h"
#include "ui/models/tensor_scope.h"
#include "ui/run_style.h"
#include "ui/theme.h"
#include "ui/widgets/bar_chart.h"
#include "ui/widgets/card.h"
#include "ui/widgets/control_row.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/trace_chart.h"

#include <QBoxLayout>
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

RunStyle styleOf(const app::Run& run) { return runStyle(run.colorIndex(), Theme::instance().isDark()); }

/// Without its points.
TraceSeries curveOf(const app::Run& run, const TensorScope& scope)
{
    TraceSeries curve;
    curve.id = run.id();
    curve.name = scope.titleOf(run);
    curve.color = styleOf(run).color;
    curve.marker = styleOf(run).marker;
    return curve;
}

/// Tells bars apart where their names have no room.
QString shortRankText(const app::Run& run) { return rankText(run.config()).section(QStringLiteral(" R "), 0, 0); }

} // namespace

ConvergencePage::ConvergencePage(app::Session& session, const TensorScope& scope, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_scope(scope)
{
    setUpCards();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 14, 14);
    layout->setSpacing(12);
    layout->addWidget(makeControls());
    placeCards(layout);
    linkCharts();

    const auto stale = [this] { m_stale = true; };
    connect(&session, &app::Session::runAdded, this, stale);
    connect(&session, &app::Session::runAdvanced, this, stale);
    connect(&session, &app::Session::runChanged, this, stale);
    connect(&session, &app::Session::runBaselinesCame, this, stale);
    connect(&scope, &TensorScope::changed, this, stale);
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
    auto* axes = new QWidget(this);
    auto* shown = new QWidget(this);
    m_xSwitch = new SegmentedControl(tr("x axis"), {tr("Iteration"), tr("Time"), tr("Entries")}, axes);
    m_logSwitch = new SegmentedControl(tr("Logarithmic axes"), {tr("Off"), tr("x"), tr("y"), tr("xy")}, axes);
    m_partSwitch = new SegmentedControl(tr("Errors shown"), {tr("Test"), tr("Train"), tr("Both")}, shown);
    m_partSwitch->setCurrent(2);
    m_follow = new QPushButton(tr("following"), shown);
    m_follow->setObjectName(QStringLiteral("link"));
    m_follow->setProperty("atRightEdge", true);
    m_follow->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* left = new QHBoxLayout(axes);
    left->setContentsMargins(0, 0, 0, 0);
    left->setSpacing(6);
    left->addWidget(switchLabel(tr("x axis"), axes));
    left->addWidget(m_xSwitch);
    left->addSpacing(3);
    left->addWidget(switchLabel(tr("log"), axes));
    left->addWidget(m_logSwitch);
    auto* right = new QHBoxLayout(shown);
    right->setContentsMargins(0, 0, 0, 0);
    right->setSpacing(6);
    right->addWidget(m_partSwitch);
    right->addStretch(1);
    right->addWidget(m_follow);
    for (SegmentedControl* control : {m_xSwitch, m_logSwitch, m_partSwitch})
        connect(control, &SegmentedControl::currentChanged, this, &ConvergencePage::axesChanged);
    connect(m_follow, &QPushButton::clicked, this, &ConvergencePage::followAgain);
    return new ControlRow(axes, shown, this);
}

/// One crosshair and one held x range for all that goes over iterations; a run under the mouse is lit everywhere.
void ConvergencePage::linkCharts()
{
    for (TraceChart* chart : traceCharts()) {
        connect(chart, &TraceChart::crosshairMoved, this, [this](double x) {
            for (TraceChart* each : traceCharts())
                each->setCrosshair(x);
        });
        connect(chart, &TraceChart::crosshairLeft, this, [this] {
            for (TraceChart* each : traceCharts())
                each->setCrosshair({});
        });
        connect(chart, &TraceChart::viewHeld, this, [this, chart](double low, double high) {
            for (TraceChart* each : traceCharts())
                if (each != chart)
                    each->holdX(low, high);
            showHeld();
        });
        connect(chart, &TraceChart::viewFollowing, this, &ConvergencePage::followAgain);
        connect(chart, &TraceChart::hovered, this, &ConvergencePage::setHighlighted);
    }
    connect(m_times, &BarChart::hovered, this, &ConvergencePage::setHighlighted);
    connect(m_deviceUse, &TraceChart::crosshairMoved, m_deviceUse, [this](double x) { m_deviceUse->setCrosshair(x); });
    connect(m_deviceUse, &TraceChart::crosshairLeft, m_deviceUse, [this] { m_deviceUse->setCrosshair({}); });
}

void ConvergencePage::setDevices(const std::vector<kernels::DeviceId>& devices)
{
    m_devices = devices;
    m_device = devices.front();
}

void ConvergencePage::setHighlighted(int runId)
{
    for (TraceChart* chart : traceCharts())
        chart->setHighlighted(runId);
    m_times->setHighlighted(runId);
}

bool ConvergencePage::isHeld() const
{
    const auto charts = traceCharts();
    return std::any_of(charts.begin(), charts.end(), [](const TraceChart* chart) { return chart->isHeld(); });
}

void ConvergencePage::followAgain()
{
    for (TraceChart* chart : traceCharts())
        chart->followAgain();
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
    enum LogAxes { Off, X, Y, Both };
    const int logAxes = m_logSwitch->current();
    const bool xLog = logAxes == X || logAxes == Both, yLog = logAxes == Y || logAxes == Both;
    if (x != m_traces.x())
        followAgain();
    m_traces.setX(x);
    const bool counts = x != TraceX::Time;
    const AxisLabel label = counts
        ? AxisLabel([](double value, double) { return formatting::axisCount(value); })
        : AxisLabel([](double value, double step) { return formatting::axisValue(value, step) + QStringLiteral(" s"); });
    const auto header = [x](double value) {
        if (x == TraceX::Time)
            return formatting::duration(std::max(0.0, value));
        if (x == TraceX::Nonzeros)
            return tr("%1 entries").arg(formatting::count(std::max(0.0, value)));
        return tr("iteration %1").arg(formatting::grouped(static_cast<quint64>(std::llround(std::max(0.0, value)))));
    };
    const bool both = m_partSwitch->current() == 2;
    for (Card* card : {m_rmseCard, m_maeCard})
        card->setSubtitle(both ? tr("lower is better · dashed: train") : tr("lower is better"));
    for (TraceChart* chart : {m_rmse, m_mae}) {
        chart->setXAxis(label, xLog, counts);
        chart->setYAxis(&formatting::axisValue, yLog);
        chart->setTooltipHead(
            header, both ? QStringList{tr("test"), tr("train")} : QStringList{m_partSwitch->current() == 0 ? tr("test") : tr("train")});
    }
    m_fit->setXAxis(label, xLog, counts);
    m_fit->setYAxis(&formatting::axisValue);
    m_fit->setTooltipHead(header, {tr("fit")});
    m_divergence->setXAxis(label, xLog, counts);
    m_divergence->setYAxis(&formatting::axisValue, yLog);
    m_xHead = header;
    m_stale = true;
    draw();
    showHeld();
}

std::vector<app::Run*> ConvergencePage::visibleRuns() const
{
    std::vector<app::Run*> runs;
    for (app::Run* run : m_scope.runs())
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
    constexpr std::size_t iterationsATurn = 60'000; // some 6 ms: curves of a session's long runs grow into view
    std::size_t left = iterationsATurn;
    for (const app::Run* run : visibleRuns())
        left -= m_traces.update(*run, left);
    m_stale = left == 0;
    for (app::Run* run : visibleRuns())
        m_session.wantBaselines(run);
    m_rmse->setEmptyText(emptyText());
    m_mae->setEmptyText(m_scope.runs().empty() ? tr("Curves appear with the first iteration.") : emptyText());
    tellGroups();
    drawLevels();
    drawMetric(m_rmse, TraceMetric::Rmse);
    drawFit();
    drawMetric(m_mae, TraceMetric::Mae);
    drawDivergence();
    drawTimes();
}

QString ConvergencePage::emptyText() const
{
    if (m_session.runs().empty())
        return tr("No run yet. Choose its settings on the right and press Start run.");
    if (m_scope.runs().empty())
        return tr("No run of %1 yet. Choose its settings on the right and press Start run.").arg(m_scope.tensorName());
    const auto runs = visibleRuns();
    const bool begun = std::any_of(runs.begin(), runs.end(), [](const app::Run* run) { return !run->history().empty(); });
    return begun && m_partSwitch->current() == 0 ? tr("Nothing was held out for testing: show Train or Both.")
                                                 : tr("Curves appear with the first iteration.");
}

void ConvergencePage::setBaselinesShown(bool shown)
{
    m_baselinesShown = shown;
    m_stale = true;
}

/// What the mean and the additive model come to, of the parts that are shown.
void ConvergencePage::drawLevels()
{
    using Errors = kernels::BaselineErrors;
    const QList<qreal> dotted{1.5, 3}, dashed{6, 4};
    const int parts = m_partSwitch->current();
    std::vector<TraceLevel> rmse, mae, fit;
    for (const ShownBaselines& each : m_baselinesShown ? shownBaselines(visibleRuns(), m_scope) : std::vector<ShownBaselines>()) {
        const auto add = [&](std::vector<TraceLevel>& to, double Errors::*number, const QString& part) {
            for (const bool additive : {false, true}) {
                const double y = (additive ? each.baselines.additive : each.baselines.mean).*number;
                QStringList words{additive ? tr("additive") : tr("mean")};
                if (!part.isEmpty())
                    words += part;
                if (m_scope.isMixed())
                    words += each.tensorName;
                if (std::isfinite(y))
                    to.push_back({words.join(QStringLiteral(", ")) + u' ' + formatting::metric(y), y, additive ? dashed : dotted});
            }
        };
        if (parts != 1) {
            add(rmse, &Errors::testRmse, parts == 2 ? tr("test") : QString());
            add(mae, &Errors::testMae, parts == 2 ? tr("test") : QString());
        }
        if (parts != 0) {
            add(rmse, &Errors::trainRmse, parts == 2 ? tr("train") : QString());
            add(mae, &Errors::trainMae, parts == 2 ? tr("train") : QString());
        }
        add(fit, &Errors::fit, {});
    }
    m_rmse->setLevels(std::move(rmse));
    m_mae->setLevels(std::move(mae));
    m_fit->setLevels(std::move(fit));
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
            TraceSeries curve = curveOf(*run, m_scope);
            curve.column = parts == 2 && part == TracePart::Train ? 1 : 0;
            if (part == TracePart::Train)
                curve.dash = styleOf(*run).trainDash;
            curve.points = m_traces.points(run->id(), metric, part);
            curve.live = run->isActive() && (part == TracePart::Test || parts == 1);
            series.push_back(std::move(curve));
        }
    }
    setCurves(chart, std::move(series));
}

/// What only some runs measure.
std::vector<TraceSeries> ConvergencePage::ownCurves(TraceMetric metric, TracePart part) const
{
    std::vector<TraceSeries> series;
    for (const app::Run* run : visibleRuns()) {
        TraceSeries curve = curveOf(*run, m_scope);
        curve.points = m_traces.points(run->id(), metric, part);
        curve.live = run->isActive();
        if (!curve.points->empty())
            series.push_back(std::move(curve));
    }
    return series;
}

/// Of the training entries, whatever part is asked for: there is no other.
void ConvergencePage::drawFit()
{
    std::vector<TraceSeries> series = ownCurves(TraceMetric::Fit, TracePart::Train);
    showOwn(m_fitCard, !series.empty());
    setCurves(m_fit, std::move(series));
}

void ConvergencePage::setCurves(TraceChart* chart, std::vector<TraceSeries> series)
{
    const auto runs = visibleRuns();
    double planned = 0;
    for (const app::Run* run : runs)
        planned = std::max(planned, static_cast<double>(run->plannedIterations()));
    chart->setXEndHint(m_traces.x() == TraceX::Iteration && planned > 0 ? std::optional(planned) : std::nullopt);
    chart->setSparseMarkers(runs.size() > 1);
    chart->setSeries(std::move(series));
}

/// The signs of the visible runs by what is said of them, those of observed entries first; none where all are alike.
std::vector<TraceGroup> ConvergencePage::groupsBy(const std::function<QString(const app::Run&)>& text) const
{
    std::vector<TraceGroup> groups;
    auto runs = visibleRuns();
    std::stable_partition(runs.begin(), runs.end(), [](const app::Run* run) { return run->objective() == kernels::Objective::Observed; });
    for (const app::Run* run : runs) {
        const QString own = text(*run);
        auto group = std::find_if(groups.begin(), groups.end(), [&](const TraceGroup& each) { return each.text == own; });
        if (group == groups.end())
            group = groups.insert(groups.end(), TraceGroup{own, {}});
        group->signs.emplace_back(styleOf(*run).color, styleOf(*run).marker);
    }
    if (groups.size() < 2)
        groups.clear();
    return groups;
}

/// Errors of runs of different tensors, or that fit different things, do not compare: the charts say which run is which.
void ConvergencePage::tellGroups()
{
    const auto tensor = [this](const app::Run& run) { return m_scope.isMixed() ? m_scope.tensorName(run) : QString(); };
    const bool oneObjective = groupsBy([](const app::Run& run) { return objectiveText(run.objective()); }).empty();
    const auto both = [&](const app::Run& run) {
        QStringList words{tensor(run), oneObjective ? QString() : objectiveText(run.objective())};
        words.removeAll(QString());
        return words.join(QStringLiteral(" · "));
    };
    m_rmse->setGroups(groupsBy(both));
    m_mae->setGroups(groupsBy(both));
    m_fit->setGroups(groupsBy(tensor));
}

void ConvergencePage::drawTimes()
{
    std::vector<Bar> bars;
    QStringList names; // of the runs that have bars, where they agree
    for (const app::Run* run : visibleRuns()) {
        std::vector<double> means = m_traces.meanSeconds(run->id());
        if (means.empty())
            continue;
        const QStringList own = timeNames(*run);
        for (qsizetype i = 0; i < own.size(); ++i)
            if (bars.empty())
                names += own[i];
            else if (!names[i].split(QStringLiteral(" / ")).contains(own[i]))
                names[i] += QStringLiteral(" / ") + own[i];
        const RunStyle style = styleOf(*run);
        for (double& each : means)
            each *= 1e3;
        bars.push_back({run->id(), run->name(), shortRankText(*run), m_scope.titleOf(*run), style.color, style.marker, std::move(means)});
    }
    m_timesCard->setSubtitle(names.isEmpty() ? tr("ms") : tr("ms · %1").arg(names.join(QStringLiteral(", "))));
    m_times->setSegmentNames(names);
    m_times->setBars(std::move(bars));
}

} // namespace ui
