// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/sweep_page.h"

#include "app/setting_differences.h"
#include "app/sweep_plan.h"
#include "kernels/base/registry.h"
#include "ui/models/run_text.h"
#include "ui/models/sweep_plan_model.h"
#include "ui/models/value_table.h"
#include "ui/theme.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/value_view.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedLayout>

#include <algorithm>
#include <cmath>
#include <set>

namespace ui {
namespace {

QString nameOfField(const app::SweepSeries& series)
{
    const std::vector<app::SweepField> fields = app::sweepFields({series.runs.front().config.algorithm});
    const auto at = std::find_if(fields.begin(), fields.end(), [&](const app::SweepField& each) { return each.id == series.field; });
    return at == fields.end() ? QString::fromStdString(series.field) : sweepFieldTitle(*at);
}

/// What tells it from others. Runs would keep their models for as long as it is the chosen one, even removed.
app::SweepSeries withoutRuns(const app::SweepSeries& series) { return {series.settings, series.tensor, series.field, {}}; }

} // namespace

SweepPage::SweepPage(app::Session& session, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
{
    layOut();
    linkSession();
    m_timer.setInterval(200);
    connect(&m_timer, &QTimer::timeout, this, &SweepPage::draw);
    m_timer.start();
}

SweepPage::~SweepPage() = default;

void SweepPage::linkSession()
{
    const auto stale = [this] { m_stale = true; };
    connect(&m_session, &app::Session::runAdded, this, stale);
    connect(&m_session, &app::Session::runChanged, this, [this, continued = std::set<int>()](const app::Run* run) mutable {
        m_stale = true;
        if (run->isActive() && run->outcome()) {
            continued.insert(run->id()); // until its end it has the model it had
        } else if (continued.erase(run->id())) {
            m_matcher.want({}); // stops what is at work on that model
            m_matcher.forget(run->id());
            m_known.erase(run->id());
        }
    });
    connect(&m_session, &app::Session::runTensorCame, this, [this](const app::Run* run) {
        m_known.erase(run->id()); // there was nothing to compute it from
        m_stale = true;
    });
    connect(&m_session, &app::Session::runRemoved, this, [this](int id) {
        m_matcher.forget(id);
        m_known.erase(id);
        for (app::SweepSeries& series : m_series) // which stay as they are until somebody looks
            for (app::SweepRun& run : series.runs)
                if (run.id == id)
                    run.outcome.reset(); // its model is large
        m_stale = true;
    });
    connect(&m_matcher, &app::ModelMatcher::answered, this, stale);
    connect(&m_job, &app::BackgroundJob::ended, this, [this] {
        m_stale = true;
        if (current())
            computeConsistency(); // of the next run, without waiting for the timer
    });
    connect(&Theme::instance(), &Theme::changed, this, stale);
    connect(m_seriesBox, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index < 0 || index >= static_cast<int>(m_series.size()))
            return;
        m_chosen = withoutRuns(m_series[static_cast<std::size_t>(index)]);
        m_stale = true;
        draw();
    });
    connect(m_newSweep, &QPushButton::clicked, this, &SweepPage::sweepRequested);
    connect(m_emptySweep, &QPushButton::clicked, this, &SweepPage::sweepRequested);
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (const std::vector<int> ids = shownRuns(); !ids.empty())
            Q_EMIT removalRequested(ids);
    });
    connect(m_continue, &QPushButton::clicked, this, [this] {
        if (const std::vector<int> ids = continuableRuns(); !ids.empty())
            Q_EMIT continueRequested(ids);
    });
    connect(m_visibility, &QPushButton::clicked, this, [this] { Q_EMIT showOrHideRequested(shownRuns()); });
    connect(m_view, &ValueView::rowTaken, this, &SweepPage::takeRow);
}

void SweepPage::setSweepEnabled(bool enabled)
{
    m_newSweep->setEnabled(enabled);
    m_emptySweep->setEnabled(enabled);
}

void SweepPage::showSeriesOf(int runId)
{
    m_awaited = runId;
    m_stale = true;
}

void SweepPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    draw();
}

std::vector<app::SweepSeries> SweepPage::allSeries() const
{
    std::vector<app::SweepRun> runs;
    for (const app::Run* run : m_session.runs())
        runs.push_back({run->id(), run->tensor()->id, run->config(), !run->isActive(), run->outcome()});
    return app::sweepSeries(runs);
}

std::vector<int> SweepPage::shownRuns() const
{
    std::vector<int> ids;
    if (const app::SweepSeries* series = current())
        for (const app::SweepRun& run : series->runs)
            ids.push_back(run.id);
    return ids;
}

std::vector<int> SweepPage::sweepOf(int runId) const
{
    for (const app::SweepSeries& series : allSeries()) {
        std::vector<int> ids;
        for (const app::SweepRun& run : series.runs)
            ids.push_back(run.id);
        if (std::find(ids.begin(), ids.end(), runId) != ids.end())
            return ids;
    }
    return {};
}

void SweepPage::showVisibility()
{
    const std::vector<int> ids = shownRuns();
    const bool hidden =
        std::any_of(ids.begin(), ids.end(), [this](int id) { return m_session.run(id) && !m_session.run(id)->isVisible(); });
    m_visibility->setText(hidden ? tr("Show in charts") : tr("Hide in charts"));
}

std::vector<int> SweepPage::continuableRuns() const
{
    std::vector<int> ids;
    const app::SweepSeries* series = current();
    if (!series)
        return ids;
    const app::Judge judge = app::judgeOf(*series);
    for (const app::SweepRun& run : series->runs) {
        const app::Run* of = m_session.run(run.id);
        if (of && !of->isActive() && of->holdsEnd() && of->tensor()->isHere && app::hasResult(run, judge)
            && !app::counts(run, *series, judge))
            ids.push_back(run.id);
    }
    return ids;
}

void SweepPage::showContinuing()
{
    const std::size_t count = continuableRuns().size();
    m_continue->setVisible(count > 0);
    m_continue->setText(tr("Continue %1").arg(runCount(count)));
}

void SweepPage::collect()
{
    m_series = allSeries();
    for (const app::SweepSeries& series : m_series)
        if (std::any_of(series.runs.begin(), series.runs.end(), [this](const app::SweepRun& run) { return run.id == m_awaited; })) {
            m_chosen = withoutRuns(series);
            m_awaited = -1;
        }
    if (!current() && !m_series.empty())
        m_chosen = withoutRuns(m_series.back());
}

const app::SweepSeries* SweepPage::current() const
{
    if (!m_chosen)
        return nullptr;
    const auto at =
        std::find_if(m_series.begin(), m_series.end(), [this](const app::SweepSeries& each) { return each.isSameAs(*m_chosen); });
    return at == m_series.end() ? nullptr : &*at;
}

QString SweepPage::fieldName() const { return nameOfField(*current()); }

/// "flights.tns · FastTuckerPlus · 45 runs", and what tells it from other series of the same tensor and algorithm.
QString SweepPage::seriesName(std::size_t which) const
{
    const app::SweepSeries& series = m_series[which];
    const app::Run* run = m_session.run(series.runs.front().id);
    QStringList parts{run ? run->tensor()->name : QString()};
    if (series.field != "algorithm")
        parts += QString::fromStdString(kernels::algorithm(series.settings.algorithm).title);
    if (series.field != "rank")
        parts += tr("by %1").arg(nameOfField(series));
    std::vector<kernels::RunConfig> alike;
    qsizetype place = 0;
    for (const app::SweepSeries& other : m_series)
        if (other.tensor == series.tensor && other.field == series.field && other.settings.algorithm == series.settings.algorithm) {
            if (&other == &series)
                place = static_cast<qsizetype>(alike.size());
            alike.push_back(other.settings);
        }
    for (const app::SettingRow& row : app::settingDifferences(alike))
        parts += row.label + u' ' + row.values.value(place);
    return parts.join(QStringLiteral(" · ")) + QStringLiteral(" · ") + runCount(series.runs.size());
}

void SweepPage::showSeriesNames()
{
    const QSignalBlocker quiet(m_seriesBox);
    QStringList names;
    for (std::size_t i = 0; i < m_series.size(); ++i)
        names += seriesName(i);
    for (int i = 0; i < names.size(); ++i)
        i < m_seriesBox->count() ? m_seriesBox->setItemText(i, names[i]) : m_seriesBox->addItem(names[i]);
    while (m_seriesBox->count() > names.size())
        m_seriesBox->removeItem(m_seriesBox->count() - 1);
    if (const app::SweepSeries* series = current())
        m_seriesBox->setCurrentIndex(static_cast<int>(series - m_series.data()));
}

app::SweepEvidence SweepPage::evidence() const
{
    const auto consistency = [this](const app::SweepRun& run) {
        const auto at = m_known.find(run.id);
        return at == m_known.end() ? std::nullopt : at->second;
    };
    const auto agreement = [this](const app::SweepRun& a, const app::SweepRun& b) -> std::optional<double> {
        const app::MatchAnswer* answer = m_matcher.answer(a.id, b.id);
        if (!answer || !answer->problem.isEmpty())
            return {};
        return answer->match.agreement;
    };
    return app::evidenceOf(*current(), consistency, agreement);
}

/// Asks for what of the series is not known yet.
void SweepPage::wantAnswers()
{
    const app::SweepSeries& series = *current();
    const app::Judge judge = app::judgeOf(series);
    std::vector<app::MatchRequest> wishes;
    for (const auto& [i, j] : app::replicatePairs(series, judge)) {
        const app::SweepRun &a = series.runs[i], &b = series.runs[j];
        if (!m_matcher.answer(a.id, b.id) && !a.outcome->result.best.factors.empty() && !b.outcome->result.best.factors.empty())
            wishes.push_back({a.id, b.id, a.outcome, b.outcome});
    }
    m_missing = static_cast<int>(wishes.size());
    m_matcher.want(std::move(wishes));
    if (kernels::algorithm(series.settings.algorithm).model != kernels::ModelKind::Cp)
        return;
    for (const app::SweepRun& run : series.runs)
        m_missing += app::counts(run, series, judge) && !m_known.contains(run.id);
    computeConsistency();
}

/// One after the other; what is at work goes on when another series is chosen.
void SweepPage::computeConsistency()
{
    if (m_job.isRunning())
        return;
    const app::SweepSeries& series = *current();
    for (const app::SweepRun& run : series.runs) {
        const app::Run* of = m_session.run(run.id);
        if (!of || of->outcome() != run.outcome || m_known.contains(run.id) || !app::counts(run, series, app::judgeOf(series)))
            continue;
        m_job.start([this, id = run.id, outcome = run.outcome, tensor = of->tensor()](kernels::Progress& progress) {
            std::optional<app::Consistency> found;
            try {
                found = app::consistencyOf(*outcome, *tensor, progress);
            } catch (const std::exception&) {
                found.reset(); // of this model there is none; the others have theirs
            }
            return app::BackgroundJob::Finish([this, id, outcome, tensor, found] {
                const app::Run* now = m_session.run(id);
                if (now && now->outcome() == outcome && now->tensor() == tensor) // it may have gone on meanwhile
                    m_known[id] = found;
            });
        });
        return;
    }
}

void SweepPage::draw()
{
    if (!m_stale || m_drawing || !isVisible())
        return; // stays stale until somebody looks
    m_stale = false;
    m_drawing = true;
    collect();
    static_cast<QStackedLayout*>(layout())->setCurrentWidget(current() ? m_body : m_empty);
    showSeriesNames();
    if (current()) {
        wantAnswers();
        const app::SweepEvidence found = evidence();
        const app::RankAdvice advice =
            found.field == "rank" ? app::adviseRank(found, QLocale()) : app::adviseField(found, fieldName(), QLocale());
        drawAdvice(found, advice);
        drawCharts(found, advice);
        drawTable(found, advice);
        showVisibility();
        showContinuing();
    } else {
        m_matcher.want({});
    }
    m_drawing = false;
}

/// The best replicate of that rank or value becomes the run that is looked at.
void SweepPage::takeRow(int row)
{
    const app::SweepSeries* series = current();
    if (!series || m_table->row(row).index.empty())
        return;
    const app::SweepEvidence found = app::evidenceOf(
        *series, [](const auto&) { return std::nullopt; }, [](const auto&, const auto&) { return std::nullopt; });
    const QString group = found.ranks[m_table->row(row).index.front()].text;
    const app::SweepRun* best = nullptr;
    const double sign = found.judge == app::Judge::Fit ? -1 : 1;
    for (const app::SweepRun& run : series->runs)
        if (run.group == group && app::hasResult(run, found.judge)
            && (!best || sign * app::resultOf(*run.outcome, found.judge) < sign * app::resultOf(*best->outcome, found.judge)))
            best = &run;
    if (best)
        Q_EMIT runChosen(best->id);
}

} // namespace ui
