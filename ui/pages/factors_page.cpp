// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/factors_page.h"

#include "io/model_file.h"
#include "ui/formatting.h"
#include "ui/models/factor_text.h"
#include "ui/models/run_text.h"
#include "ui/pages/components_view.h"
#include "ui/pages/core_consistency_box.h"
#include "ui/pages/factor_maps.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/component_list.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/segmented_control.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QFileInfo>
#include <QLabel>
#include <QPointer>
#include <QSignalBlocker>
#include <QStackedWidget>

#include <algorithm>

namespace ui {
namespace {

bool hasModel(const app::Run& run) { return run.outcome() && !run.outcome()->result.best.factors.empty(); }

/// Why there is nothing to look at.
QString noModelText(const app::Run& run)
{
    const QString how =
        FactorsPage::tr("Its model can be seen when it has ended (Stop keeps the best one), and before that as soon as the run was "
                        "kept, which happens every 30 seconds.");
    if (run.isActive())
        return (run.state() == app::RunState::Paused ? FactorsPage::tr("%1 is paused. %2") : FactorsPage::tr("%1 still works. %2"))
            .arg(run.name(), how);
    if (run.state() == app::RunState::Failed)
        return FactorsPage::tr("%1 failed before it had a model: %2").arg(run.name(), run.error());
    return FactorsPage::tr("%1 was stopped before it had a model. Start it again, or choose another run.").arg(run.name());
}

QLabel* mutedLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    return label;
}

} // namespace

FactorsPage::FactorsPage(app::Session& session, RunEdits& edits, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_edits(edits)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 14, 14);
    layout->setSpacing(6);
    layout->addWidget(makeControls());
    m_caption = mutedLabel({}, this);
    m_caption->setWordWrap(true);
    m_caption->setContentsMargins(2, 0, 2, 0);
    m_warning = new QLabel(this);
    m_warning->setObjectName(QStringLiteral("warningText"));
    m_warning->setWordWrap(true);
    m_warning->setContentsMargins(2, 0, 2, 0);
    layout->addWidget(m_caption);
    layout->addWidget(m_warning);
    makeViews();
    layout->addWidget(m_stack, 1);
    connectViews();
    listRuns();
    showEmpty({});

    connect(&session, &app::Session::runAdded, this, &FactorsPage::listRuns);
    connect(&session, &app::Session::runRemoved, this, [this](int id) {
        if (id == m_runId)
            m_runId = -1;
        listRuns();
        refresh();
    });
    const auto changed = [this](const app::Run* run) {
        listRuns();
        if (run->id() == m_runId || m_runId < 0)
            refresh();
    };
    connect(&session, &app::Session::runChanged, this, changed);
    connect(&session, &app::Session::runTensorCame, this, changed);
}

QWidget* FactorsPage::makeControls()
{
    auto* box = new QWidget(this);
    m_runs = new ComboBox(box);
    m_runs->setAccessibleName(tr("Run"));
    m_runs->setMinimumWidth(140);
    m_runs->setMaximumWidth(240);
    m_view = new SegmentedControl(tr("View"), {tr("Components"), tr("Heat map"), tr("Core"), tr("Similarity")}, box);
    m_consistency = new CoreConsistencyBox(box);
    auto* layout = new QHBoxLayout(box);
    layout->setContentsMargins(2, 0, 2, 0);
    layout->setSpacing(6);
    layout->addWidget(mutedLabel(tr("run"), box));
    layout->addWidget(m_runs, 1);
    layout->addSpacing(6);
    layout->addWidget(mutedLabel(tr("show"), box));
    layout->addWidget(m_view);
    layout->addStretch(1);
    layout->addWidget(m_consistency);
    connect(m_runs, &QComboBox::activated, this, [this](int row) {
        const int id = m_runs->itemData(row).toInt();
        setRun(id);
        Q_EMIT runChosen(id);
    });
    connect(m_view, &SegmentedControl::currentChanged, this, [this](int view) {
        if (m_factors)
            m_stack->setCurrentIndex(view);
        describe();
    });
    return box;
}

void FactorsPage::makeViews()
{
    m_stack = new QStackedWidget(this);
    m_components = new ComponentsView(m_edits, this);
    const ComponentModel& model = *m_components->list()->components();
    m_heat = new FactorHeatView(model, this);
    m_core = new FactorCoreView(model, this);
    m_similarity = new FactorSimilarityView(model, this);
    m_empty = mutedLabel({}, this);
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setContentsMargins(60, 0, 60, 0);
    for (QWidget* view : std::initializer_list<QWidget*>{m_components, m_heat, m_core, m_similarity, m_empty})
        m_stack->addWidget(view);
}

void FactorsPage::connectViews()
{
    const auto normalise = [this](bool on) {
        m_components->setNormalised(on);
        m_heat->setNormalised(on);
        describe();
    };
    connect(m_components, &ComponentsView::normalisedChanged, this, normalise);
    connect(m_heat, &FactorHeatView::normalisedChanged, this, normalise);
    connect(m_components, &ComponentsView::saveFailed, this, &FactorsPage::saveFailed);
    connect(m_components, &ComponentsView::saved, this, &FactorsPage::saved);
    for (FactorMap* map : std::initializer_list<FactorMap*>{m_heat, m_core, m_similarity})
        connect(map, &FactorMap::saveFailed, this, &FactorsPage::saveFailed);
    connect(m_consistency, &CoreConsistencyBox::failed, this, &FactorsPage::saveFailed);
    connect(&m_job, &app::BackgroundJob::failed, this, &FactorsPage::showEmpty);
    connect(m_consistency, &CoreConsistencyBox::computed, this, [this](double, const auto& core) { m_core->setConsistencyCore(core); });
    // A row marked among the cards is marked in its factor's picture, and the other way round.
    const auto mark = [this] {
        const auto& marked = m_components->list()->look().marked;
        m_heat->map()->setMarkedRow(marked && marked->mode == m_heat->mode() ? std::optional<std::size_t>(marked->row) : std::nullopt);
    };
    connect(m_components->list(), &ComponentList::markedChanged, this, mark);
    connect(m_heat, &FactorHeatView::modeChanged, this, mark);
    connect(m_heat->map(), &HeatMap::rowClicked, this, [this](std::size_t row) {
        const MarkedRow clicked{m_heat->mode(), static_cast<kernels::Index>(row)};
        m_components->list()->setMarked(m_components->list()->look().marked == clicked ? std::nullopt : std::optional(clicked));
    });
}

/// All runs; those without a model say so when they are chosen.
void FactorsPage::listRuns()
{
    const QSignalBlocker quiet(m_runs);
    m_runs->clear();
    for (const app::Run* run : m_session.runs())
        m_runs->addItem(hasModel(*run) ? run->name() : tr("%1 (%2)").arg(run->name(), stateText(run->state())), run->id());
    m_runs->setCurrentIndex(m_runs->findData(m_runId));
    m_runs->setEnabled(m_runs->count() > 0);
}

void FactorsPage::setRun(int runId)
{
    if (m_runId == runId)
        return;
    m_runId = runId;
    listRuns();
    refresh();
}

void FactorsPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

/// Nothing is computed of a run that nobody looks at, and nothing twice.
void FactorsPage::refresh()
{
    if (!isVisible())
        return;
    app::Run* run = m_session.run(m_runId);
    if (!run) {
        const auto& runs = m_session.runs();
        const auto newest = std::find_if(runs.rbegin(), runs.rend(), [](const app::Run* each) { return hasModel(*each); });
        run = newest == runs.rend() ? nullptr : *newest;
        m_runId = run ? run->id() : -1;
        listRuns();
    }
    if (!run)
        return showEmpty(m_session.runs().empty()
                             ? tr("No run yet. Choose its settings on the right and press Start run; its model is shown here.")
                             : tr("No run has a model yet. Choose a run on the left or above."));
    if (!hasModel(*run) && run->isActive() && QFileInfo::exists(QString::fromStdString(run->checkpointFile())))
        return computeKept(run);
    if (!hasModel(*run))
        return showEmpty(noModelText(*run));
    if (!m_factors || m_factors->outcome != run->outcome() || m_factors->tensor != run->tensor())
        compute(run);
}

void FactorsPage::compute(app::Run* run)
{
    showEmpty(tr("Reading the factors of %1…").arg(run->name()));
    m_job.start([this, outcome = run->outcome(), tensor = run->tensor(),
                 of = QPointer(run)](kernels::Progress& progress) -> app::BackgroundJob::Finish {
        const auto factors = std::make_shared<const FactorData>(outcome, tensor, progress);
        return [this, factors, of] {
            if (of)
                showFactors(factors, of);
        };
    });
}

void FactorsPage::computeKept(app::Run* run)
{
    showEmpty(tr("Reading the model that was last kept of %1…").arg(run->name()));
    m_job.start([this, file = run->checkpointFile(), tensor = run->tensor(),
                 of = QPointer(run)](kernels::Progress& progress) -> app::BackgroundJob::Finish {
        io::ModelFile kept = io::readModel(file, &progress);
        const auto outcome = std::make_shared<app::RunOutcome>();
        outcome->result.best = std::move(kept.model);
        outcome->result.bestIteration = kept.bestIteration;
        outcome->testPositions = std::move(kept.input.testPositions);
        const auto factors = std::make_shared<const FactorData>(outcome, tensor, progress);
        return [this, factors, of] {
            if (!of)
                return;
            m_kept = true;
            showFactors(factors, of);
        };
    });
}

void FactorsPage::showFactors(const FactorDataPtr& factors, app::Run* run)
{
    m_factors = factors;
    m_components->setFactors(factors, run);
    m_heat->setFactors(factors);
    m_core->setFactors(factors);
    m_similarity->setFactors(factors);
    m_consistency->setFactors(factors, run->objective());
    m_stack->setCurrentIndex(m_view->current());
    describe();
}

void FactorsPage::showEmpty(const QString& text)
{
    m_job.cancel();
    m_factors.reset();
    m_kept = false;
    m_components->setFactors({}, nullptr);
    m_heat->setFactors({});
    m_core->setFactors({});
    m_similarity->setFactors({});
    m_consistency->setFactors({}, kernels::Objective::Observed);
    m_empty->setText(text);
    m_stack->setCurrentWidget(m_empty);
    describe();
}

QString FactorsPage::emptyText() const { return m_factors ? QString() : m_empty->text(); }

void FactorsPage::describe()
{
    const int view = m_view->current();
    QString text;
    if (m_factors && (view == Components || view == HeatMaps))
        text = conventionText(*m_factors, m_components->normaliseBox()->isChecked());
    if (m_factors && m_kept) {
        const QString best = formatting::grouped(m_factors->outcome->result.bestIteration);
        text = tr("The run still goes: its best model when it was last kept, of iteration %1.").arg(best) + QLatin1Char(' ') + text;
    }
    m_caption->setText(text);
    m_caption->setVisible(!text.isEmpty());
    const QString warning = m_factors ? degeneracyText(*m_factors) : QString();
    m_warning->setText(warning);
    m_warning->setVisible(!warning.isEmpty());
    for (int choice = Components; choice <= Similarity; ++choice)
        m_view->setRefusal(choice, m_factors ? QString() : tr("There is no model to show."));
}

} // namespace ui
