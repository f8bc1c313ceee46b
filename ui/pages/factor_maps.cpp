// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Factor matrices and similarities in colours; factor_core_view.cpp has the core.
#include "ui/pages/factor_maps.h"

#include "ui/formatting.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/segmented_control.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QLabel>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace ui {

FactorMap::FactorMap(const ComponentModel& components, const QString& accessibleName, const QString& choiceLabel, QWidget* parent)
    : QWidget(parent)
    , m_components(components)
    , m_choiceLabel(new QLabel(choiceLabel, this))
    , m_choice(new ComboBox(this))
    , m_controls(new QHBoxLayout)
    , m_card(new Card(accessibleName, this))
    , m_map(new HeatMap(accessibleName, this))
{
    m_choiceLabel->setObjectName(QStringLiteral("muted"));
    m_choice->setMinimumWidth(120);
    m_choice->setAccessibleName(choiceLabel);
    m_controls->setContentsMargins(2, 0, 2, 0);
    m_controls->setSpacing(6);
    m_controls->addWidget(m_choiceLabel);
    m_controls->addWidget(m_choice);
    m_controls->addStretch(1);
    auto* inset = new QWidget(m_card);
    auto* insetLayout = new QVBoxLayout(inset);
    insetLayout->setContentsMargins(10, 2, 6, 6);
    insetLayout->addWidget(m_map);
    m_card->setContent(inset);
    m_card->setChartButtons([this] { return m_map->picture(); }, [this] { return m_map->csv(); }, false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addLayout(m_controls);
    layout->addWidget(m_card, 1);
    connect(m_card, &Card::saveFailed, this, &FactorMap::saveFailed);
    connect(&m_components, &ComponentModel::dataChanged, m_map, QOverload<>::of(&QWidget::update));
}

std::function<QString(std::size_t)> FactorMap::titles() const
{
    return [this](std::size_t component) {
        const auto number = static_cast<unsigned>(component);
        return m_components.name(number).isEmpty() ? QString::number(component + 1) : m_components.title(number);
    };
}

void FactorMap::offer(const QStringList& choices)
{
    const QSignalBlocker quiet(m_choice);
    const int chosen = m_choice->currentIndex();
    m_choice->clear();
    m_choice->addItems(choices);
    m_choice->setCurrentIndex(chosen >= 0 && chosen < choices.size() ? chosen : 0);
    m_choiceLabel->setVisible(choices.size() != 1); // no choice
    m_choice->setVisible(choices.size() != 1);
}

FactorHeatView::FactorHeatView(const ComponentModel& components, QWidget* parent)
    : FactorMap(components, tr("Factor matrix"), tr("mode"), parent)
    , m_normalise(new QCheckBox(tr("Normalise"), this))
    , m_colours(new SegmentedControl(tr("Colours"), {tr("Linear"), tr("Root")}, this))
{
    m_normalise->setChecked(true);
    m_normalise->setToolTip(tr("Columns of length 1 whose largest element is positive. Off: numbers as the model has them."));
    m_colours->setToolTip(tr("Root: colours by the root of the magnitude, so that small elements are seen, too."));
    m_controls->insertSpacing(2, 6);
    m_controls->insertWidget(3, m_normalise);
    auto* label = new QLabel(tr("colours"), this);
    label->setObjectName(QStringLiteral("muted"));
    m_controls->addWidget(label);
    m_controls->addWidget(m_colours);
    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] {
        prepare();
        Q_EMIT modeChanged();
    });
    connect(m_normalise, &QCheckBox::toggled, this, [this](bool on) {
        if (m_factors && m_overviews[mode()])
            showOverview(m_overviews[mode()], true);
        Q_EMIT normalisedChanged(on);
    });
    connect(m_colours, &SegmentedControl::currentChanged, this, [this](int colours) { m_map->setRootScale(colours == 1); });
}

unsigned FactorHeatView::mode() const { return static_cast<unsigned>(std::max(0, m_choice->currentIndex())); }

void FactorHeatView::setNormalised(bool normalised) { m_normalise->setChecked(normalised); }

void FactorHeatView::setFactors(const FactorDataPtr& factors)
{
    m_job.cancel();
    m_factors = factors;
    m_overviews.assign(factors ? factors->modes() : 0, nullptr);
    QStringList names;
    for (unsigned n = 0; factors && n < factors->modes(); ++n)
        names += factors->modeName(n);
    offer(names);
    prepare();
}

void FactorHeatView::prepare()
{
    m_job.cancel();
    if (!m_factors) {
        m_map->setContent({});
        return;
    }
    if (m_overviews[mode()]) {
        showOverview(m_overviews[mode()], false);
        return;
    }
    m_map->setContent({});
    m_map->setEmptyText(tr("Preparing the picture…"));
    m_job.start([this, factors = m_factors, n = mode()](kernels::Progress& progress) -> app::BackgroundJob::Finish {
        // The matrix belongs to the outcome, which the pointer keeps.
        const std::shared_ptr<const kernels::Matrix> matrix(factors, &factors->model().factors[n]);
        const auto overview = std::make_shared<const kernels::MatrixOverview>(matrix, &progress);
        return [this, overview, n] {
            m_overviews[n] = overview;
            showOverview(overview, false);
        };
    });
}

void FactorHeatView::showOverview(const std::shared_ptr<const kernels::MatrixOverview>& overview, bool keepView)
{
    const unsigned n = mode();
    const bool normalised = m_normalise->isChecked();
    HeatMapContent content;
    content.overview = overview;
    content.limit = 0;
    for (unsigned c = 0; c < overview->columns(); ++c) {
        content.columnScales.push_back(m_factors->scale(n, c, normalised));
        content.limit = std::max(content.limit, std::abs(m_factors->column(n, c).extreme * content.columnScales.back()));
    }
    content.rowTitle = m_factors->modeName(n);
    content.columnTitle = m_factors->isCp() ? tr("component") : tr("column");
    content.rowText = [factors = m_factors, n](std::size_t row) { return factors->rowText(n, row); };
    content.columnText = titles();
    m_map->setContent(std::move(content), keepView);
    m_card->setTitle(tr("Factor of %1").arg(m_factors->modeName(n)));
    m_card->setSubtitle(tr("%1 × %2 · a pixel shows the strongest it covers · wheel and drag, double-click for all")
                            .arg(formatting::grouped(overview->rows()), formatting::grouped(overview->columns())));
}

FactorSimilarityView::FactorSimilarityView(const ComponentModel& components, QWidget* parent)
    : FactorMap(components, tr("Similarity"), tr("of"), parent)
{
    connect(m_choice, &QComboBox::currentIndexChanged, this, &FactorSimilarityView::showMatrix);
}

void FactorSimilarityView::setFactors(const FactorDataPtr& factors)
{
    m_factors = factors;
    QStringList choices;
    if (factors && factors->isCp())
        choices += tr("all modes");
    for (unsigned n = 0; factors && n < factors->modes(); ++n)
        choices += factors->modeName(n);
    offer(choices);
    showMatrix();
}

void FactorSimilarityView::showMatrix()
{
    if (!m_factors) {
        m_map->setContent({});
        return;
    }
    const int choice = std::max(0, m_choice->currentIndex());
    const int mode = m_factors->isCp() ? choice - 1 : choice; // −1: congruence
    const kernels::Matrix& matrix = mode < 0 ? m_factors->facts.congruence : m_factors->facts.cosines[static_cast<std::size_t>(mode)];
    HeatMapContent content;
    content.overview = std::make_shared<const kernels::MatrixOverview>(std::shared_ptr<const kernels::Matrix>(m_factors, &matrix));
    content.limit = 1;
    content.rowTitle = content.columnTitle = m_factors->isCp() ? tr("component") : tr("column");
    content.rowText = content.columnText = titles();
    m_map->setContent(std::move(content));
    m_card->setTitle(mode < 0 ? tr("Congruence") : tr("Cosine similarity in %1").arg(m_factors->modeName(static_cast<unsigned>(mode))));
    m_card->setSubtitle(mode < 0 ? tr("product of the cosines over all modes, with the signs of the weights: 1 the same, −1 they cancel")
                                 : tr("of the columns as the model has them: 1 the same direction, 0 at right angles, −1 opposite"));
}

} // namespace ui
