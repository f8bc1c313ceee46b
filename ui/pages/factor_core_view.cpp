// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Cores and core matrices in colours, a slice at a time.
#include "ui/formatting.h"
#include "ui/pages/factor_maps.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/heat_map.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ui {
namespace {

constexpr int slicesPerRow = 4;

QLabel* mutedLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    return label;
}

} // namespace

FactorCoreView::FactorCoreView(const ComponentModel& components, QWidget* parent)
    : FactorMap(components, tr("Core"), tr("matrix"), parent)
    , m_rowMode(new ComboBox(this))
    , m_columnMode(new ComboBox(this))
    , m_sliceRow(new QWidget(this))
{
    const std::pair<QComboBox*, QString> fields[] = {{m_rowMode, tr("down")}, {m_columnMode, tr("across")}};
    for (const auto& [combo, text] : fields) {
        m_controls->addWidget(mutedLabel(text, this));
        m_controls->addWidget(combo);
        combo->setMinimumWidth(132);
        combo->setAccessibleName(text);
    }
    auto* slices = new QGridLayout(m_sliceRow);
    slices->setContentsMargins(2, 0, 2, 0);
    slices->setHorizontalSpacing(6);
    slices->setVerticalSpacing(6);
    slices->setColumnStretch(slicesPerRow, 1);
    static_cast<QVBoxLayout*>(layout())->insertWidget(1, m_sliceRow);
    connect(m_choice, &QComboBox::currentIndexChanged, this, &FactorCoreView::chooseBlock);
    connect(m_rowMode, &QComboBox::currentIndexChanged, this, &FactorCoreView::showSlice);
    connect(m_columnMode, &QComboBox::currentIndexChanged, this, &FactorCoreView::showSlice);
}

void FactorCoreView::setFactors(const FactorDataPtr& factors)
{
    m_factors = factors;
    m_consistency.reset();
    collectBlocks();
}

void FactorCoreView::setConsistencyCore(std::shared_ptr<const kernels::Array<double>> core)
{
    m_consistency = std::move(core);
    collectBlocks();
}

FactorCoreView::Block FactorCoreView::coreBlock(const QString& title, const QString& subtitle, const kernels::Array<double>& core) const
{
    Block block{title, subtitle, m_factors->model().ranks, {}, [&core](std::size_t i) { return core[i]; }, {}};
    for (unsigned n = 0; n < m_factors->modes(); ++n)
        block.axes += m_factors->modeName(n);
    block.named.assign(m_factors->modes(), true);
    return block;
}

void FactorCoreView::collectBlocks()
{
    m_blocks.clear();
    if (m_factors && m_factors->core)
        m_blocks.push_back(
            coreBlock(tr("Core"), tr("how columns of the modes go together; numbers as the model has them"), *m_factors->core));
    if (m_consistency)
        m_blocks.push_back(coreBlock(tr("Core the data ask for"),
                                     tr("of the core consistency: ones where all numbers are the same, zeros elsewhere if they keep to CP"),
                                     *m_consistency));
    for (unsigned n = 0; m_factors && n < m_factors->model().coreFactors.size(); ++n) {
        const kernels::Matrix& b = m_factors->model().coreFactors[n];
        m_blocks.push_back({tr("Core matrix of %1").arg(m_factors->modeName(n)),
                            tr("column of the factor × term of the core; numbers as the model has them"),
                            {static_cast<unsigned>(b.rows), static_cast<unsigned>(b.columns)},
                            {m_factors->modeName(n), tr("term")},
                            [&b](std::size_t i) { return b.at(i / b.columns, i % b.columns); },
                            {true, false}});
    }
    QStringList titles;
    for (const Block& block : m_blocks)
        titles += block.title;
    offer(titles);
    chooseBlock();
}

/// New axes and slices for another block.
void FactorCoreView::chooseBlock()
{
    const QSignalBlocker quietRows(m_rowMode), quietColumns(m_columnMode);
    m_rowMode->clear();
    m_columnMode->clear();
    qDeleteAll(m_sliceFields);
    m_sliceFields.clear();
    m_slices.clear();
    if (!m_blocks.empty()) {
        const Block& block = m_blocks[static_cast<std::size_t>(std::max(0, m_choice->currentIndex()))];
        m_rowMode->addItems(block.axes);
        m_columnMode->addItems(block.axes);
        m_columnMode->setCurrentIndex(1);
        for (std::size_t n = 0; n < block.dims.size(); ++n)
            addSliceField(block.axes[static_cast<qsizetype>(n)], block.dims[n]);
        const std::size_t size = std::accumulate(block.dims.begin(), block.dims.end(), std::size_t{1}, std::multiplies<>());
        m_limit = 0;
        for (std::size_t i = 0; i < size; ++i)
            m_limit = std::max(m_limit, std::abs(block.at(i)));
    }
    showSlice();
}

void FactorCoreView::addSliceField(const QString& axis, unsigned size)
{
    auto* field = new QWidget(m_sliceRow);
    auto* layout = new QHBoxLayout(field);
    layout->setContentsMargins(0, 0, 8, 0);
    auto* box = new QSpinBox(field);
    box->setRange(1, static_cast<int>(size));
    box->setAccessibleName(tr("Slice of %1").arg(axis));
    layout->addWidget(mutedLabel(axis, field));
    layout->addWidget(box);
    m_sliceFields.push_back(field);
    m_slices.push_back(box);
    connect(box, &QSpinBox::valueChanged, this, &FactorCoreView::showSlice);
}

void FactorCoreView::showSlice()
{
    for (QWidget* control : std::initializer_list<QWidget*>{m_choice, m_rowMode, m_columnMode})
        control->setEnabled(!m_blocks.empty());
    m_sliceRow->setVisible(m_slices.size() > 2);
    if (m_blocks.empty()) {
        m_map->setContent({});
        m_map->setEmptyText(m_factors && m_factors->isCp() ? tr(
                                "A CP model has no core: its components meet themselves alone. Compute the core consistency, above, to see "
                                "the core that the data ask for.")
                                                           : tr("The dense core of these ranks is too large to be formed."));
        m_card->setTitle(tr("Core"));
        m_card->setSubtitle({});
        return;
    }
    const Block& block = m_blocks[static_cast<std::size_t>(std::max(0, m_choice->currentIndex()))];
    const auto down = static_cast<std::size_t>(std::max(0, m_rowMode->currentIndex()));
    auto across = static_cast<std::size_t>(std::max(0, m_columnMode->currentIndex()));
    if (across == down) { // two different axes, always
        across = down == 0 ? 1 : 0;
        const QSignalBlocker quiet(m_columnMode);
        m_columnMode->setCurrentIndex(static_cast<int>(across));
    }
    placeSlices(down, across);
    HeatMapContent content;
    content.overview = std::make_shared<const kernels::MatrixOverview>(sliceOf(block, down, across));
    content.limit = m_limit;
    content.rowTitle = block.axes[static_cast<qsizetype>(down)];
    content.columnTitle = block.axes[static_cast<qsizetype>(across)];
    const std::function<QString(std::size_t)> plain = [](std::size_t i) { return QString::number(i + 1); };
    content.rowText = block.named[down] ? titles() : plain;
    content.columnText = block.named[across] ? titles() : plain;
    m_map->setContent(std::move(content));
    m_card->setTitle(block.title);
    m_card->setSubtitle(block.subtitle);
}

/// A field for every index that is held, a few in a line.
void FactorCoreView::placeSlices(std::size_t down, std::size_t across)
{
    auto* grid = static_cast<QGridLayout*>(m_sliceRow->layout());
    int place = 0;
    for (std::size_t n = 0; n < m_sliceFields.size(); ++n) {
        const bool shown = n == down || n == across;
        m_sliceFields[n]->setVisible(!shown);
        grid->removeWidget(m_sliceFields[n]);
        if (shown)
            continue;
        grid->addWidget(m_sliceFields[n], place / slicesPerRow, place % slicesPerRow);
        ++place;
    }
}

std::shared_ptr<const kernels::Matrix> FactorCoreView::sliceOf(const Block& block, std::size_t down, std::size_t across) const
{
    std::vector<std::size_t> strides(block.dims.size(), 1);
    for (std::size_t n = block.dims.size() - 1; n-- > 0;)
        strides[n] = strides[n + 1] * block.dims[n + 1];
    std::size_t first = 0;
    for (std::size_t n = 0; n < block.dims.size(); ++n)
        if (n != down && n != across)
            first += strides[n] * static_cast<std::size_t>(m_slices[n]->value() - 1);
    auto slice = std::make_shared<kernels::Matrix>(block.dims[down], block.dims[across], true);
    for (std::size_t i = 0; i < slice->rows; ++i)
        for (std::size_t j = 0; j < slice->columns; ++j)
            slice->set(i, j, block.at(first + i * strides[down] + j * strides[across]));
    return slice;
}

} // namespace ui
