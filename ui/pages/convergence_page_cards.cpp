// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The convergence page's cards: how they are made, and where they stand.
#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/models/tensor_scope.h"
#include "ui/pages/convergence_page.h"
#include "ui/run_style.h"
#include "ui/theme.h"
#include "ui/widgets/bar_chart.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/trace_chart.h"

#include <QBoxLayout>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace ui {
void ConvergencePage::setUpCards()
{
    m_fitCard = new Card(tr("Fit"), this);
    m_fitCard->setSubtitle(tr("higher is better · missing = 0"));
    m_fitCard->setToolTip(tr("1 − norm(X − X̂) / norm(X) over all cells of the training part: 1 is exact, 0 no better than zeros."));
    m_rmseCard = new Card(tr("RMSE"), this);
    m_maeCard = new Card(tr("MAE"), this);
    m_divergenceCard = new Card(tr("Divergence"), this);
    m_divergenceCard->setToolTip(
        tr("What a non-negative run makes small, of the training entries, for each of them on average: 0 is exact."));
    m_deviceCard = new Card(tr("SM throughput"), this);
    m_timesCard = new Card(tr("Time per iteration"), this);
    m_fit = new TraceChart(tr("Fit of every visible run that measures it"), this);
    m_rmse = new TraceChart(tr("RMSE of every visible run"), this);
    m_mae = new TraceChart(tr("MAE of every visible run"), this);
    m_divergence = new TraceChart(tr("Divergence of every visible run that measures it"), this);
    m_deviceUse = new TraceChart(tr("Use of the device over the last minute"), this);
    m_times = new BarChart(tr("Mean time per iteration of every visible run"), this);
    m_rmse->setEmptyText(tr("No run yet. Choose its settings on the right and press Start run."));
    m_mae->setEmptyText(m_session.runs().empty() ? tr("Curves appear with the first iteration.") : QString());
    m_times->setEmptyText(tr("Times appear with the first iteration."));
    m_deviceUse->setEmptyText(tr("No readings yet."));
    for (TraceChart* chart : traceCharts())
        chart->setValueText([](double value, double) { return formatting::metric(value); });
    m_deviceUse->setFilled(true);
    m_deviceUse->setFixedXRange(std::pair(-telemetrySeconds, 0.0));
    m_deviceUse->setFixedYRange(std::pair(0.0, 100.0));
    m_deviceUse->setXAxis(
        [](double value, double) { return value > -0.5 ? tr("now") : tr("%1 s").arg(formatting::number(std::round(value), 3)); });
    m_deviceUse->setValueText([](double value, double) { return formatting::percent(value / 100, 0); });
    m_deviceUse->setTooltipHead([](double x) { return tr("%1 ago").arg(formatting::duration(-x)); }, {});
    m_times->setValueLabel(&formatting::axisValue, [](double value, double) { return formatting::milliseconds(value / 1e3); });
    const auto fill = [this](Card* card, auto* chart) {
        card->setContent(chart);
        card->setChartButtons([chart] { return chart->picture(); }, [chart] { return chart->csv(); });
        connect(card, &Card::enlargeToggled, this, [this, card](bool on) { enlarge(card, on); });
        connect(card, &Card::saveFailed, this, &ConvergencePage::saveFailed);
    };
    fill(m_fitCard, m_fit);
    fill(m_rmseCard, m_rmse);
    fill(m_maeCard, m_mae);
    fill(m_divergenceCard, m_divergence);
    fill(m_deviceCard, m_deviceUse);
    fill(m_timesCard, m_times);
}

/// Two rows; the fit comes first where there is one: it is what such runs are judged by. The divergence comes last.
void ConvergencePage::placeCards(QVBoxLayout* page)
{
    for (const auto& cards :
         {std::vector<Card*>{m_fitCard, m_rmseCard, m_maeCard, m_divergenceCard}, std::vector<Card*>{m_deviceCard, m_timesCard}}) {
        auto* row = new QHBoxLayout;
        row->setSpacing(12);
        for (Card* card : cards)
            row->addWidget(card, 1);
        page->addLayout(row, 1);
    }
    m_fitCard->hide();
    m_divergenceCard->hide();
}

void ConvergencePage::showOwn(Card* card, bool shown)
{
    if (shown == m_ownShown.contains(card))
        return;
    if (shown)
        m_ownShown.insert(card);
    else
        m_ownShown.erase(card);
    if (!shown && m_enlarged == card)
        card->setEnlarged(false);
    card->setVisible(shown && !m_enlarged);
}

/// The parts that are asked for, of runs without a test part the training's. Dashed are the training's beside test curves, or, where there
/// are none, those with the penalty, of runs that have one: that is what never rises.
void ConvergencePage::drawDivergence()
{
    const int parts = m_partSwitch->current();
    std::vector<TraceSeries> plain, dashed;
    const auto addDashed = [&](TraceSeries curve, const app::Run& run) {
        curve.column = 1;
        curve.dash = runStyle(run.colorIndex(), Theme::instance().isDark()).trainDash;
        curve.live = false;
        dashed.push_back(std::move(curve));
    };
    std::set<int> tested; // their runs
    for (TraceSeries& curve : parts == 1 ? std::vector<TraceSeries>() : ownCurves(TraceMetric::Divergence, TracePart::Test)) {
        tested.insert(curve.id);
        plain.push_back(std::move(curve));
    }
    for (TraceSeries& curve : ownCurves(TraceMetric::Divergence, TracePart::Train))
        if (!tested.contains(curve.id))
            plain.push_back(std::move(curve));
        else if (const app::Run* const run = m_session.run(curve.id); run && parts == 2)
            addDashed(std::move(curve), *run);
    const bool bothParts = parts == 2 && !tested.empty();
    bool penalised = false;
    for (TraceSeries& curve : bothParts ? std::vector<TraceSeries>() : ownCurves(TraceMetric::PenalisedDivergence, TracePart::Train)) {
        const app::Run* const run = m_session.run(curve.id);
        if (!run || tested.contains(curve.id) || !isPenalised(run->config()))
            continue;
        addDashed(std::move(curve), *run);
        penalised = true;
    }
    m_divergence->setTooltipHead(m_xHead,
                                 bothParts       ? QStringList{tr("test"), tr("train")}
                                     : penalised ? QStringList{tr("divergence"), tr("with penalty")}
                                                 : QStringList{tr("divergence")});
    tellDivergences(bothParts ? tr("lower is better · dashed: train") : penalised ? tr("dashed: with the penalty") : tr("lower is better"));
    dashed.insert(dashed.end(), std::make_move_iterator(plain.begin()), std::make_move_iterator(plain.end()));
    showOwn(m_divergenceCard, !dashed.empty());
    setCurves(m_divergence, std::move(dashed));
}

/// Divergences of different kinds do not compare: the chart says which run has which.
void ConvergencePage::tellDivergences(const QString& meaning)
{
    std::vector<TraceGroup> groups;
    for (const app::Run* run : visibleRuns()) {
        const auto divergence = divergenceOf(run->config());
        if (!divergence)
            continue;
        const QString title =
            divergenceTitle(*divergence) + (m_scope.isMixed() ? QStringLiteral(" · ") + m_scope.tensorName(*run) : QString());
        auto group = std::find_if(groups.begin(), groups.end(), [&](const TraceGroup& each) { return each.text == title; });
        if (group == groups.end())
            group = groups.insert(groups.end(), TraceGroup{title, {}});
        const RunStyle style = runStyle(run->colorIndex(), Theme::instance().isDark());
        group->signs.emplace_back(style.color, style.marker);
    }
    QStringList words;
    if (groups.size() == 1)
        words += groups.front().text;
    words += meaning;
    m_divergenceCard->setSubtitle(words.join(QStringLiteral(" · ")));
    if (groups.size() < 2)
        groups.clear();
    m_divergence->setGroups(std::move(groups));
}

void ConvergencePage::enlarge(Card* card, bool on)
{
    m_enlarged = on ? card : nullptr;
    for (Card* each : cards())
        each->setVisible(m_enlarged ? each == m_enlarged : !isOwn(each) || m_ownShown.contains(each));
}

} // namespace ui
