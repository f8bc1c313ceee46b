// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare_page.h"

#include "ui/models/tensor_scope.h"
#include "ui/theme.h"
#include "ui/widgets/bar_chart.h"
#include "ui/widgets/card.h"
#include "ui/widgets/point_chart.h"
#include "ui/widgets/run_table.h"
#include "ui/widgets/trace_chart.h"

#include <QBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QStackedLayout>

#include <algorithm>
#include <set>

namespace ui {
namespace {

constexpr int drawIntervalMs = 100, mostRows = 10, chartHeight = 300;

QHBoxLayout* besides(Card* left, Card* right)
{
    auto* row = new QHBoxLayout;
    row->setSpacing(12);
    for (Card* card : {left, right}) {
        card->setMinimumHeight(chartHeight);
        card->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // of one width, whatever their heads hold
        row->addWidget(card, 1);
    }
    return row;
}

} // namespace

ComparePage::ComparePage(app::Session& session, const TensorScope& tensors, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_tensors(tensors)
    , m_model(new RunTableModel(session, m_scope, tensors, this))
{
    m_scroll = new QScrollArea(this);
    m_body = new QWidget(m_scroll);
    setUpTable();
    setUpCards();
    layOut();
    restoreChoices();
    linkSession();
    m_timer.setInterval(drawIntervalMs);
    connect(&m_timer, &QTimer::timeout, this, &ComparePage::draw);
    m_timer.start();
}

ComparePage::~ComparePage() = default;

void ComparePage::setUpTable()
{
    m_tableCard = new Card({}, m_body);
    m_table = new RunTable(m_model, m_tableCard);
    m_noMatch = new QLabel(m_tableCard);
    m_noMatch->setObjectName(QStringLiteral("muted"));
    m_noMatch->setAlignment(Qt::AlignCenter);
    m_noMatch->hide();
    auto* content = new QWidget(m_tableCard);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 0, 8, 6);
    layout->setSpacing(0);
    layout->addWidget(m_table);
    layout->addWidget(m_noMatch);
    m_tableCard->setContent(content);
    m_tableCard->showHead(false);
    const auto stale = [this] { m_stale = true; };
    connect(m_model, &QAbstractItemModel::layoutChanged, this, stale);
    connect(m_model, &QAbstractItemModel::rowsInserted, this, stale);
    connect(m_model, &QAbstractItemModel::rowsRemoved, this, stale);
    connect(m_model, &QAbstractItemModel::headerDataChanged, this, &ComparePage::rememberSorting);
    connect(m_table, &RunTable::runHovered, this, &ComparePage::runHovered);
    connect(m_table, &RunTable::copyRequested, this, [this] { copy(CopyAs::Text, !m_table->selectedRuns().empty()); });
    connect(m_table, &RunTable::selectedRunsChanged, this, [this] {
        m_stale = true;
        if (const auto chosen = m_table->selectedRuns(); chosen.size() == 1)
            Q_EMIT runChosen(chosen.front());
    });
}

void ComparePage::layOut()
{
    m_empty = new QLabel(this);
    m_empty->setObjectName(QStringLiteral("muted"));
    m_empty->setAlignment(Qt::AlignCenter);
    auto* body = new QVBoxLayout(m_body);
    body->setContentsMargins(14, 8, 14, 14);
    body->setSpacing(12);
    body->addWidget(makeControls());
    body->addWidget(m_tableCard);
    body->addLayout(besides(m_timeCard, m_costCard), 1);
    body->addWidget(m_agreementCard);
    body->addLayout(besides(m_barCard, m_settingsCard), 1);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidget(m_body);
    m_body->setObjectName(QStringLiteral("pageBody"));
    auto* layout = new QStackedLayout(this);
    layout->addWidget(m_empty);
    layout->addWidget(m_scroll);
}

void ComparePage::linkSession()
{
    const auto stale = [this] { m_stale = true; };
    connect(&m_session, &app::Session::runAdded, this, stale);
    connect(&m_session, &app::Session::runAdvanced, this, stale);
    connect(&m_session, &app::Session::runChanged, this, [this, continued = std::set<int>()](const app::Run* run) mutable {
        m_stale = true;
        if (run->isActive() && run->outcome()) {
            continued.insert(run->id()); // until its end it has the model it had
        } else if (continued.erase(run->id())) {
            m_matcher.want({}); // stops what is at work on that model
            m_matcher.forget(run->id());
        }
    });
    connect(&m_session, &app::Session::runRemoved, this, [this](int id) {
        m_scope.forget(id);
        m_matcher.forget(id);
        m_stale = true;
    });
    connect(&m_session, &app::Session::runBaselinesCame, this, stale);
    connect(&m_tensors, &TensorScope::changed, this, stale);
    connect(&m_matcher, &app::ModelMatcher::answered, this, stale);
    connect(&Theme::instance(), &Theme::changed, this, stale);
    connect(m_time, &TraceChart::crosshairMoved, m_time, [this](double x) { m_time->setCrosshair(x); });
    connect(m_time, &TraceChart::crosshairLeft, m_time, [this] { m_time->setCrosshair({}); });
    connect(m_time, &TraceChart::hovered, this, &ComparePage::runHovered);
    connect(m_points, &PointChart::hovered, this, &ComparePage::runHovered);
    connect(m_bars, &BarChart::hovered, this, &ComparePage::runHovered);
    connect(this, &ComparePage::runHovered, this, &ComparePage::setHighlighted);
}

void ComparePage::setHighlighted(int runId)
{
    m_highlighted = runId;
    m_table->setHighlighted(runId);
    m_time->setHighlighted(runId);
    m_points->setHighlighted(runId);
    m_bars->setHighlighted(runId);
}

/// Several chosen rows stay: they are being compared.
void ComparePage::setCurrentRun(int runId)
{
    const std::vector<int> chosen = m_table->selectedRuns();
    m_awaited = m_model->rowOf(runId) < 0 ? runId : -1;
    if (chosen.size() > 1 || (chosen.size() == 1 && chosen.front() == runId) || m_awaited >= 0)
        return;
    m_table->selectRuns({runId});
}

QString ComparePage::emptyText() const
{
    if (m_session.runs().empty())
        return tr("Runs stand beside each other here, from the first one on.");
    return m_tensors.runs().empty() ? tr("No run of %1 yet.").arg(m_tensors.tensorName()) : QString();
}

void ComparePage::setBaselinesShown(bool shown)
{
    m_model->setBaselinesShown(shown);
    m_stale = true;
}

std::vector<app::Run*> ComparePage::chartedRuns() const
{
    std::vector<app::Run*> runs = m_model->runs();
    std::erase_if(runs, [](const app::Run* run) { return !run->isVisible(); });
    return runs;
}

bool ComparePage::hasModel(const app::Run& run) { return run.outcome() && !run.outcome()->result.best.factors.empty(); }

std::vector<app::Run*> ComparePage::comparedRuns() const
{
    std::vector<app::Run*> runs;
    for (const int id : m_table->selectedRuns())
        runs.push_back(m_session.run(id));
    for (const bool shown : {true, false}) // a sweep's runs are many and hidden
        for (app::Run* run : m_model->runs())
            if (runs.size() < 2 && run->isVisible() == shown && hasModel(*run) && std::find(runs.begin(), runs.end(), run) == runs.end())
                runs.push_back(run);
    return runs;
}

void ComparePage::draw()
{
    if (!m_stale || !isVisible())
        return; // stays stale until somebody looks
    m_stale = false;
    const auto runs = m_tensors.runs();
    const bool any = !runs.empty();
    m_empty->setText(emptyText());
    static_cast<QStackedLayout*>(layout())->setCurrentWidget(any ? static_cast<QWidget*>(m_scroll) : m_empty);
    const bool complete = m_scope.update(runs);
    updateColumns();
    m_model->refresh();
    if (m_awaited >= 0 && m_model->rowOf(m_awaited) >= 0)
        setCurrentRun(m_awaited);
    m_stale = !complete; // its own changes are being drawn
    if (!any)
        return;
    for (app::Run* run : chartedRuns())
        m_session.wantBaselines(run);
    showTarget();
    showTable();
    drawTimes();
    drawCosts();
    drawBars();
    drawSettings();
    drawAgreement();
    setHighlighted(m_session.run(m_highlighted) ? m_highlighted : -1);
}

void ComparePage::showTable()
{
    const bool anything = m_model->rowCount() > 0;
    m_noMatch->setVisible(!anything);
    m_noMatch->setText(tr("No run has “%1” in its row.").arg(m_filter->text()));
    m_noMatch->setFixedHeight(zoomed(46));
    m_table->fitSpans();
    m_table->fitColumns();
    m_table->setFixedHeight(m_table->contentHeight(anything ? mostRows : 0));
}

void ComparePage::enlarge(Card* card, bool on)
{
    for (Card* each : {m_tableCard, m_timeCard, m_costCard, m_agreementCard, m_barCard, m_settingsCard})
        each->setVisible(!on || each == card);
}

void ComparePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_stale = true; // the table may need a scroll bar now, or none
}

} // namespace ui
