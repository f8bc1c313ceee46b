// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The cards below the table: charts, settings, agreement of factors.
#include "app/model_match_text.h"
#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/models/tensor_scope.h"
#include "ui/pages/compare_page.h"
#include "ui/run_style.h"
#include "ui/theme.h"
#include "ui/widgets/bar_chart.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/elided_header.h"
#include "ui/widgets/point_chart.h"
#include "ui/widgets/run_table.h"
#include "ui/widgets/trace_chart.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTextStream>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {
namespace {

constexpr std::size_t mostAgreements = 4;

RunStyle styleOf(const app::Run& run) { return runStyle(run.colorIndex(), Theme::instance().isDark()); }

QComboBox* columnBox(const QString& accessibleName, bool costs, QWidget* parent)
{
    auto* box = new ComboBox(parent);
    box->setAccessibleName(accessibleName);
    box->setObjectName(QStringLiteral("headBox"));
    for (const RunColumn& column : runColumns())
        if (column.isCharted() && (!costs || column.cost))
            box->addItem(column.name, column.id);
    whenZoomed(box, [box] { box->setFixedWidth(zoomed(88)); });
    return box;
}

QLabel* calmLabel(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setObjectName(QStringLiteral("muted"));
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

/// What the axis of accuracies shows: up to the best, and so far back that half of the runs' ways are seen, their first eighth left
/// out, and the target; runs that are far from both do not squeeze the others. Accuracy grows to the right.
std::optional<std::pair<double, double>> accuracyRange(const std::vector<TraceSeries>& series, double target)
{
    std::vector<double> starts;
    double best = -std::numeric_limits<double>::infinity();
    for (const TraceSeries& each : series)
        if (!each.points->empty()) {
            starts.push_back((*each.points)[each.points->size() / 8].x());
            best = std::max(best, each.points->back().x());
        }
    if (starts.empty())
        return {};
    std::sort(starts.begin(), starts.end());
    const double half = starts[(starts.size() - 1) / 2];
    const double low = std::isfinite(target) && target < best ? std::min(half, target - (best - target)) : half;
    const double air = best > low ? 0.04 * (best - low) : std::max(0.05 * std::abs(best), 1e-6);
    return std::pair(low - air, best + air);
}

/// Those that do not come as far as the axis begins.
std::size_t outOfSight(const std::vector<TraceSeries>& series, double low)
{
    return static_cast<std::size_t>(std::count_if(
        series.begin(), series.end(), [low](const TraceSeries& each) { return !each.points->empty() && each.points->back().x() < low; }));
}

} // namespace

void ComparePage::setUpCards()
{
    m_timeCard = new Card(tr("Time to accuracy"), m_body);
    m_timeCard->setToolTip(tr("Compute time, without evaluation, until the first iteration that is as good."));
    m_time = new TraceChart(tr("Seconds to reach an accuracy, of every visible run"), m_timeCard);
    m_time->setYAxis([](double value, double) { return formatting::number(value, 3); }, true);
    m_time->setValueText([](double value, double) { return formatting::duration(value); });
    m_time->setWheelZooms(false);
    m_time->setEmptyText(tr("Curves appear with the first iteration."));
    m_costCard = new Card(tr("Accuracy against"), m_body);
    m_costCard->setToolTip(tr("The line joins the runs that no other is better than in both."));
    m_points = new PointChart(tr("Accuracy of every visible run against what it cost"), m_costCard);
    m_points->setEmptyText(tr("Points appear once a run has both."));
    m_cost = columnBox(tr("Cost"), true, m_costCard);
    m_costCard->addToHead(m_cost);
    m_forAll = new QPushButton(tr("Target for all"), m_timeCard);
    m_forAll->setObjectName(QStringLiteral("link"));
    m_forAll->setAccessibleName(tr("Target that all reach"));
    m_forAll->setToolTip(tr("Sets the target to what every visible run reaches, so that each has a time to compare"));
    m_timeCard->addToHead(m_forAll);
    connect(m_forAll, &QPushButton::clicked, this, [this] {
        m_target->setModified(false);
        setTarget(m_scope.reachedByAll(chartedRuns()));
    });
    m_barCard = new Card(tr("Side by side"), m_body);
    m_bars = new BarChart(tr("One column of every visible run"), m_barCard);
    m_bars->setEmptyText(tr("No run has a number in this column."));
    m_bar = columnBox(tr("Column shown as bars"), false, m_barCard);
    m_barCard->addToHead(m_bar);
    const auto fill = [this](Card* card, auto* chart, std::function<QString()> csv) {
        card->setContent(chart);
        card->setChartButtons([chart] { return chart->picture(); }, std::move(csv));
        connect(card, &Card::enlargeToggled, this, [this, card](bool on) { enlarge(card, on); });
        connect(card, &Card::saveFailed, this, &ComparePage::saveFailed);
    };
    fill(m_timeCard, m_time, [this] { return timesCsv(); });
    fill(m_costCard, m_points, [this] { return m_points->csv(); });
    fill(m_barCard, m_bars, [this] { return m_bars->csv(); });
    setUpSettingsCard();
    setUpAgreementCard();
}

void ComparePage::setUpSettingsCard()
{
    m_settingsCard = new Card(tr("Settings that differ"), m_body);
    m_settings = new QTableWidget(m_settingsCard);
    m_settings->setAccessibleName(tr("Settings that differ between the chosen runs"));
    m_settings->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_settings->setFrameShape(QFrame::NoFrame);
    m_settings->setShowGrid(false);
    m_settings->setTabKeyNavigation(false);
    m_settings->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_settings->setHorizontalHeader(new ElidedHeader(m_settings));
    m_settings->verticalHeader()->setDefaultSectionSize(28);
    m_settings->verticalHeader()->setSectionsClickable(false);
    m_settings->verticalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_settings->horizontalHeader()->setSectionsClickable(false);
    m_settings->horizontalHeader()->setHighlightSections(false);
    m_settings->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_noSettings = calmLabel(m_settingsCard);
    m_noSettings->setAlignment(Qt::AlignCenter);
    auto* content = new QWidget(m_settingsCard);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(6, 2, 6, 6);
    layout->addWidget(m_settings, 1);
    layout->addWidget(m_noSettings, 1);
    m_settingsCard->setContent(content);
}

void ComparePage::setUpAgreementCard()
{
    m_agreementCard = new Card({}, m_body);
    m_agreementCard->showHead(false);
    m_agreementMeasure = makeHeading({}, m_agreementCard);
    m_agreement = calmLabel(m_agreementCard);
    m_agreement->setAccessibleName(tr("Agreement of factors"));
    auto* head = new QHBoxLayout;
    head->addWidget(makeHeading(tr("Agreement of factors"), m_agreementCard));
    head->addStretch(1);
    head->addWidget(m_agreementMeasure);
    auto* content = new QWidget(m_agreementCard);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(14, 6, 14, 10);
    layout->setSpacing(8);
    layout->addLayout(head);
    layout->addWidget(m_agreement);
    m_agreementCard->setContent(content);
}

/// Better to the right: errors fall that way, the fit grows.
void ComparePage::drawTimes()
{
    const bool higher = app::isHigherBetter(m_scope.measure());
    const double sign = higher ? 1 : -1;
    std::vector<TraceSeries> series;
    const auto runs = chartedRuns();
    for (const app::Run* run : runs) {
        auto points = std::make_shared<std::vector<QPointF>>();
        for (const app::AccuracyCurve::Point& point : m_scope.curve(*run).points())
            points->emplace_back(sign * point.value, point.seconds);
        const RunStyle style = styleOf(*run);
        series.push_back({run->id(), 0, m_tensors.titleOf(*run), style.color, style.marker, {}, std::move(points), run->isActive()});
    }
    const QString measure = m_scope.measureText();
    m_timeCard->setSubtitle(tr("seconds to a %1").arg(measure));
    m_time->setXAxis([sign](double value, double step) { return formatting::axisValue(sign * value, step); });
    m_time->setTooltipHead([sign, measure](double x) { return QStringLiteral("%1 %2").arg(measure, formatting::metric(sign * x)); }, {});
    m_time->setSparseMarkers(runs.size() > 1);
    const double target = m_scope.target();
    const auto range = accuracyRange(series, sign * target);
    const std::size_t hidden = range ? outOfSight(series, range->first) : 0;
    m_time->setFixedXRange(range);
    m_time->setNote(hidden ? tr("further off: %1").arg(runCount(hidden)) : QString());
    m_time->setEmptyText(runs.empty() ? tr("No run is shown.") : tr("Curves appear with the first iteration."));
    m_time->setMark(std::isfinite(target) ? std::optional(sign * target) : std::nullopt, tr("target %1").arg(m_scope.targetText()));
    m_time->setSeries(std::move(series));
}

/// As they were measured: the chart's own numbers carry the sign that turns its axis.
QString ComparePage::timesCsv() const
{
    QString text;
    QTextStream out(&text);
    out << "run," << m_scope.measureText() << ",seconds,iteration\r\n";
    for (const app::Run* run : chartedRuns()) {
        const QString name = u'"' + QString(run->name()).replace(u'"', QStringLiteral("\"\"")) + u'"';
        for (const app::AccuracyCurve::Point& point : m_scope.curve(*run).points())
            out << name << ',' << formatting::exact(point.value) << ',' << formatting::exact(point.seconds) << ',' << point.iteration
                << "\r\n";
    }
    return text;
}

void ComparePage::drawCosts()
{
    const RunColumn& cost = *runColumn(m_cost->currentData().toString());
    const QString costTitle = cost.titleIn(m_scope);
    std::vector<ChartPoint> points;
    for (const app::Run* run : chartedRuns()) {
        const RunStyle style = styleOf(*run);
        points.push_back({run->id(), m_tensors.titleOf(*run), style.color, style.marker, runNumber(cost, *run, m_scope),
                          m_scope.curve(*run).best(), TensorScope::tensorOf(*run)});
    }
    m_costCard->setSubtitle(tr("best %1").arg(m_scope.measureText()));
    const auto format = cost.format;
    const bool bytes = cost.unit == QStringLiteral("B"), seconds = cost.unit == QStringLiteral("s");
    m_points->setXAxis(
        costTitle,
        [bytes, seconds](double value, double step) {
            return bytes   ? formatting::bytes(static_cast<quint64>(value))
                : seconds  ? (step > 0 ? formatting::axisValue(value, step) : formatting::number(value, 2)) + QStringLiteral(" s")
                : step > 0 ? formatting::axisValue(value, step)
                           : formatting::number(value, 2);
        },
        [format](double value, double) { return format(value); });
    m_points->setYAxis(
        m_scope.measureText(), &formatting::axisValue, [](double value, double) { return formatting::metric(value); },
        app::isHigherBetter(m_scope.measure()));
    m_points->setEmptyText(points.empty() ? tr("No run is shown.") : tr("Points appear once a run has both."));
    m_points->setPoints(std::move(points));
}

void ComparePage::drawBars()
{
    const RunColumn& column = *runColumn(m_bar->currentData().toString());
    std::vector<Bar> bars;
    std::size_t without = 0;
    for (const app::Run* run : chartedRuns()) {
        const double value = runNumber(column, *run, m_scope);
        const RunStyle style = styleOf(*run);
        if (std::isfinite(value))
            bars.push_back({run->id(),
                            run->name(),
                            rankText(run->config()).section(QStringLiteral(" R "), 0, 0),
                            m_tensors.titleOf(*run),
                            style.color,
                            style.marker,
                            {value}});
        else
            ++without;
    }
    const QString title = column.titleIn(m_scope);
    m_barCard->setSubtitle(without == 0 ? QString() : tr("not known of %1").arg(runCount(without)));
    const auto format = column.format;
    const bool bytes = column.unit == QStringLiteral("B");
    m_bars->setValueLabel(
        [bytes](double value, double step) {
            return bytes       ? formatting::bytes(static_cast<quint64>(value))
                : value >= 1e4 ? formatting::axisCount(value)
                               : formatting::axisValue(value, step);
        },
        [format](double value, double) { return format(value); });
    m_bars->setSegmentNames({title});
    m_bars->setBars(std::move(bars));
}

void ComparePage::drawSettings()
{
    const auto runs = comparedRuns();
    std::vector<kernels::RunConfig> configs;
    QStringList names;
    for (const app::Run* run : runs) {
        configs.push_back(run->config());
        names += m_tensors.titleOf(*run);
    }
    const auto rows = app::settingDifferences(configs);
    const bool several =
        std::any_of(configs.begin(), configs.end(), [&](const auto& each) { return each.algorithm != configs.front().algorithm; });
    m_settingsCard->setSubtitle(several ? tr("beside each algorithm's defaults") : QString());
    m_settings->setVisible(!rows.empty());
    m_noSettings->setVisible(rows.empty());
    m_noSettings->setText(runs.size() < 2 ? tr("Choose two or more runs in the table.")
                                          : tr("%1 have the same settings.").arg(names.join(tr(" and "))));
    const auto alike = [](const app::SettingRow& a, const app::SettingRow& b) { return a.label == b.label && a.values == b.values; };
    if (names == m_shownSettingNames && std::equal(rows.begin(), rows.end(), m_shownSettings.begin(), m_shownSettings.end(), alike))
        return;
    m_shownSettingNames = names;
    m_shownSettings = rows;
    m_settings->setRowCount(static_cast<int>(rows.size()));
    m_settings->setColumnCount(static_cast<int>(names.size()));
    m_settings->setHorizontalHeaderLabels(names);
    for (int row = 0; row < m_settings->rowCount(); ++row) {
        const app::SettingRow& setting = rows[static_cast<std::size_t>(row)];
        m_settings->setVerticalHeaderItem(row, new QTableWidgetItem(setting.label));
        for (int column = 0; column < m_settings->columnCount(); ++column) {
            auto* item = new QTableWidgetItem(setting.values.value(column));
            item->setToolTip(QStringLiteral("%1: %2").arg(names.value(column), setting.values.value(column)));
            m_settings->setItem(row, column, item);
        }
    }
    m_settings->resizeColumnsToContents();
    constexpr int padding = 44, widest = 180; // heads are measured without theirs
    for (int column = 0; column < m_settings->columnCount(); ++column) {
        const int head = m_settings->horizontalHeader()->fontMetrics().horizontalAdvance(names[column]) + padding;
        m_settings->setColumnWidth(column, std::max(m_settings->columnWidth(column), std::min(head, widest)));
        m_settings->horizontalHeaderItem(column)->setToolTip(names[column]);
    }
}

QString ComparePage::agreementOf(const app::Run& first, const app::Run& second) const
{
    for (const app::Run* run : {&first, &second})
        if (!hasModel(*run))
            return run->isActive() ? tr("%1 has a model to compare when it has ended.").arg(run->name())
                                   : tr("%1 left no model to compare.").arg(run->name());
    const app::MatchAnswer* answer = m_matcher.answer(first.id(), second.id());
    if (!answer)
        return tr("Comparing %1 with %2…").arg(first.name(), second.name());
    if (!answer->problem.isEmpty())
        return QStringLiteral("%1, %2: %3").arg(first.name(), second.name(), answer->problem);
    QStringList modes;
    if (first.tensor())
        for (const kernels::Mode& mode : first.tensor()->modes())
            modes += QString::fromStdString(mode.name);
    return app::matchSentence(answer->match, first.name(), second.name(), modes, QLocale());
}

/// The first of the compared runs with each of the others.
void ComparePage::drawAgreement()
{
    const auto runs = comparedRuns();
    std::vector<app::MatchRequest> wishes;
    QStringList sentences;
    bool components = true;
    for (std::size_t i = 1; i < runs.size() && i <= mostAgreements; ++i) {
        if (hasModel(*runs[0]) && hasModel(*runs[i]))
            wishes.push_back({runs[0]->id(), runs[i]->id(), runs[0]->outcome(), runs[i]->outcome()});
        sentences += agreementOf(*runs[0], *runs[i]);
        const auto* answer = m_matcher.answer(runs[0]->id(), runs[i]->id());
        components = components && (!answer || answer->match.ofComponents || !answer->problem.isEmpty());
    }
    m_matcher.want(std::move(wishes));
    if (sentences.isEmpty())
        sentences += tr("Two ended runs are compared here: choose them in the table.");
    if (runs.size() > mostAgreements + 1)
        sentences += tr("… and %1 beside it").arg(runCount(runs.size() - mostAgreements - 1));
    const QString text = sentences.join(u'\n');
    m_agreement->setText(text);
    m_agreementMeasure->setText(
        (components ? tr("Factor match score beyond chance") : tr("Spaces of the factors beyond chance")).toUpper());
    m_agreementCard->setToolTip(app::matchDefinition(components));
}

QString ComparePage::agreementText() const { return m_agreement->text(); }
QString ComparePage::agreementToolTip() const { return m_agreementCard->toolTip(); }

} // namespace ui
