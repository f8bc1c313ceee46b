// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/components_view.h"

#include "app/messages.h"
#include "ui/models/factor_text.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/component_list.h"
#include "ui/widgets/segmented_control.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QFileDialog>
#include <QLabel>
#include <QSaveFile>

#include <algorithm>
#include <chrono>

namespace ui {
namespace {

constexpr unsigned strongCounts[] = {3, 5, 10, 20, 50};

QLabel* mutedLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    return label;
}

} // namespace

ComponentsView::ComponentsView(RunEdits& edits, QWidget* parent)
    : QWidget(parent)
    , m_edits(edits)
    , m_list(new ComponentList(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(makeControls());
    layout->addWidget(m_list, 1);

    connect(m_list->components(), &ComponentModel::namingRequested, this, [this](unsigned component, const QString& name) {
        if (m_run)
            m_edits.nameComponent(m_run, component, name);
    });
    connect(m_list, &ComponentList::imageRequested, this, [this](unsigned component) {
        const QString path =
            askForPath(component, tr("Save picture"), tr("PNG image (*.png);;SVG drawing (*.svg);;PDF document (*.pdf)"), pictureEndings());
        const QString failure = path.isEmpty() ? QString() : saveImage(component, path);
        if (!failure.isEmpty())
            Q_EMIT saveFailed(failure);
    });
    connect(m_list, &ComponentList::numbersRequested, this, [this](unsigned component) {
        const QString path = askForPath(component, tr("Save numbers"), tr("Comma-separated values (*.csv)"), {QStringLiteral(".csv")});
        if (!path.isEmpty())
            saveNumbers(component, path);
    });
    connect(&m_writing, &app::BackgroundJob::failed, this, &ComponentsView::saveFailed);
}

QWidget* ComponentsView::makeControls()
{
    auto* box = new QWidget(this);
    m_chart = new SegmentedControl(tr("Chart"), {tr("Line"), tr("Bars"), tr("Sorted")}, box);
    m_chart->setCurrent(static_cast<int>(ColumnChart::Bars));
    m_normalise = new QCheckBox(tr("Normalise"), box);
    m_normalise->setChecked(true);
    m_normalise->setToolTip(
        tr("Columns of length 1 whose largest element is positive. Off: numbers, signs and lengths as the model has them."));
    m_strongMode = new ComboBox(box);
    m_strongMode->setAccessibleName(tr("Mode whose strongest rows are listed"));
    m_strongMode->setMinimumWidth(96);
    m_strongCount = new ComboBox(box);
    m_strongCount->setAccessibleName(tr("How many of the strongest rows are listed"));
    for (const unsigned count : strongCounts)
        m_strongCount->addItem(QString::number(count), count);
    auto* layout = new QHBoxLayout(box);
    layout->setContentsMargins(2, 0, 2, 0);
    layout->setSpacing(6);
    layout->addWidget(mutedLabel(tr("chart"), box));
    layout->addWidget(m_chart);
    layout->addSpacing(6);
    layout->addWidget(m_normalise);
    layout->addStretch(1);
    layout->addWidget(mutedLabel(tr("strongest"), box));
    layout->addWidget(m_strongCount);
    layout->addWidget(mutedLabel(tr("of"), box));
    layout->addWidget(m_strongMode);
    connect(m_chart, &SegmentedControl::currentChanged, this, [this](int chart) {
        m_list->setChart(static_cast<ColumnChart>(chart));
        findRanks();
    });
    connect(m_normalise, &QCheckBox::toggled, this, [this](bool on) {
        m_list->setNormalised(on);
        Q_EMIT normalisedChanged(on);
    });
    const auto strongest = [this] {
        if (m_strongMode->currentIndex() >= 0)
            m_list->setStrongest(m_strongMode->currentData().toUInt(), m_strongCount->currentData().toUInt());
    };
    connect(m_strongMode, &QComboBox::currentIndexChanged, this, strongest);
    connect(m_strongCount, &QComboBox::currentIndexChanged, this, strongest);
    connect(m_strongMode, &QComboBox::activated, this, [this] { m_chosenMode = m_strongMode->currentData().toUInt(); });
    return box;
}

void ComponentsView::setFactors(const FactorDataPtr& factors, app::Run* run)
{
    m_ranks.cancel();
    m_factors = factors;
    m_run = run;
    m_list->setFactors(factors, run);
    m_strongMode->clear();
    for (unsigned n = 0; factors && n < factors->modes(); ++n)
        m_strongMode->addItem(factors->modeName(n), n);
    if (factors)
        m_strongMode->addItem(tr("every mode"), ComponentLook::everyMode);
    m_strongMode->setCurrentIndex(std::max(0, m_strongMode->findData(m_chosenMode)));
    findRanks();
}

void ComponentsView::setNormalised(bool normalised) { m_normalise->setChecked(normalised); }

/// Sorts the columns that are shown and not yet sorted, some at a time, in the order of the cards.
void ComponentsView::findRanks()
{
    if (!m_factors || m_list->look().chart != ColumnChart::Sorted)
        return m_ranks.cancel();
    std::vector<std::pair<unsigned, unsigned>> missing;
    for (const unsigned component : m_factors->order)
        for (unsigned n = 0; n < m_factors->modes(); ++n)
            if (m_factors->has(n, component) && !m_list->look().ranks.contains({n, component}))
                missing.emplace_back(n, component);
    if (missing.empty())
        return;
    m_ranks.start([this, missing, factors = m_factors](kernels::Progress& progress) -> app::BackgroundJob::Finish {
        using Clock = std::chrono::steady_clock;
        std::vector<std::vector<kernels::Index>> found;
        const auto began = Clock::now();
        while (found.size() < missing.size() && Clock::now() - began < std::chrono::milliseconds(100)) {
            const auto [mode, component] = missing[found.size()];
            found.push_back(kernels::rowsByRank(factors->model().factors[mode], component, FactorData::bands, &progress));
        }
        return [this, missing, found = std::move(found)] {
            for (std::size_t i = 0; i < found.size(); ++i)
                m_list->addRanks(missing[i].first, missing[i].second, found[i]);
            findRanks();
        };
    });
}

/// Where no ending is typed, that of the chosen filter is taken: they come in the order of the endings.
QString ComponentsView::askForPath(unsigned component, const QString& caption, const QString& filters, const QStringList& endings)
{
    const auto asked = m_factors;
    const QString name = QStringLiteral("component-%1").arg(component + 1);
    QString filter = filters.section(QStringLiteral(";;"), 0, 0);
    const QString path = QFileDialog::getSaveFileName(this, caption, name + endings.first(), filters, &filter);
    if (path.isEmpty() || !m_factors || m_factors != asked) // another run is shown by now
        return {};
    const bool named =
        std::any_of(endings.begin(), endings.end(), [&](const QString& each) { return path.endsWith(each, Qt::CaseInsensitive); });
    return named ? path : path + endings.value(filters.split(QStringLiteral(";;")).indexOf(filter), endings.first());
}

QString ComponentsView::saveImage(unsigned component, const QString& path) const
{
    try {
        savePicture(m_list->cardPicture(component), m_list->components()->title(component), path);
        return {};
    } catch (...) {
        return app::messageForCurrentException();
    }
}

void ComponentsView::saveNumbers(unsigned component, const QString& path)
{
    m_writing.start([this, component, path, factors = m_factors,
                     normalised = m_normalise->isChecked()](kernels::Progress& progress) -> app::BackgroundJob::Finish {
        QSaveFile file(path);
        const bool well =
            file.open(QIODevice::WriteOnly) && writeComponentCsv(*factors, component, normalised, file, progress) && file.commit();
        return [this, path, well] {
            if (well)
                Q_EMIT saved(path);
            else
                Q_EMIT saveFailed(tr("%1: the file could not be written. Choose another folder.").arg(path));
        };
    });
}

} // namespace ui
