// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data_page.h"

#include "ui/formatting.h"
#include "ui/models/entry_model.h"
#include "ui/theme.h"
#include "ui/widgets/bar_chart.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/trace_chart.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

QGridLayout* makeFactGrid()
{
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(5);
    grid->setColumnStretch(0, 1);
    return grid;
}

} // namespace

DataPage::DataPage(QWidget* parent)
    : QWidget(parent)
    , m_entries(new EntryModel(this))
{
    m_name = new QLabel(this);
    m_name->setObjectName(QStringLiteral("cardTitle"));
    m_layoutText = new ElidedLabel(this);
    m_layoutText->setObjectName(QStringLiteral("subtitle"));
    m_layoutText->setMinimumWidth(40);
    m_layoutText->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_chips = new QHBoxLayout;
    m_chips->setSpacing(8);
    auto* header = new QHBoxLayout;
    header->setContentsMargins(2, 0, 2, 0);
    header->setSpacing(12);
    header->addWidget(m_name);
    header->addWidget(m_layoutText, 1);
    header->addLayout(m_chips);
    m_notes = new QLabel(this);
    m_notes->setObjectName(QStringLiteral("subtitle"));
    m_notes->setWordWrap(true);
    m_notes->setTextFormat(Qt::PlainText);

    m_valuesCard = new Card(tr("Values"), this);
    m_valuesCard->setSubtitle(tr("count"));
    m_values = new BarChart(tr("Histogram of the values"), this);
    m_values->setTotalsShown(false);
    m_values->setGap(0.24);
    m_values->setSegmentNames({tr("count")});
    m_values->setValueLabel([](double value, double) { return formatting::axisCount(value); },
                            [](double value, double) { return formatting::grouped(static_cast<quint64>(value)); });
    m_valuesCard->setContent(m_values);
    m_valuesCard->setChartButtons([this](double scale) { return m_values->image(scale); }, [this] { return m_values->csv(); });
    m_slicesCard = new Card(tr("Nonzeros per slice"), this);
    m_slicesCard->setSubtitle(tr("by rank of slice"));
    m_slices = new TraceChart(tr("Nonzeros per slice by rank, both axes logarithmic"), this);
    const auto countLabel = [](double value, double) { return formatting::axisCount(value); };
    m_slices->setXAxis(countLabel, true);
    m_slices->setYAxis(countLabel, true);
    m_slices->setLegendShown(true);
    m_slices->setValueText([](double value, double) { return formatting::grouped(static_cast<quint64>(value)); });
    m_slices->setTooltipHead([](double x) { return tr("rank %1").arg(formatting::grouped(static_cast<quint64>(std::llround(x)))); }, {});
    m_slicesCard->setContent(m_slices);
    m_slicesCard->setChartButtons([this](double scale) { return m_slices->image(scale); }, [this] { return m_slices->csv(); });
    connect(m_slices, &TraceChart::crosshairMoved, m_slices, [this](double x) { m_slices->setCrosshair(x); });
    connect(m_slices, &TraceChart::crosshairLeft, m_slices, [this] { m_slices->setCrosshair({}); });
    connect(m_slices, &TraceChart::hovered, m_slices, &TraceChart::setHighlighted);
    for (Card* card : {m_valuesCard, m_slicesCard})
        connect(card, &Card::saveFailed, this, &DataPage::saveFailed);

    auto* grid = new QGridLayout;
    grid->setSpacing(12);
    grid->addWidget(makeFactsCard(), 0, 0);
    grid->addWidget(m_valuesCard, 0, 1);
    grid->addWidget(m_slicesCard, 0, 2);
    grid->addWidget(makeHeaviestCard(), 1, 0);
    grid->addWidget(makeEntriesCard(), 1, 1, 1, 2);
    grid->setColumnStretch(0, 24);
    grid->setColumnStretch(1, 27);
    grid->setColumnStretch(2, 27);
    grid->setRowStretch(0, 10);
    grid->setRowStretch(1, 9);
    const auto enlarge = [grid](Card* card, Card* other, bool on) {
        other->setVisible(!on);
        for (int i = 0; i < grid->count(); ++i)
            if (grid->itemAt(i)->widget() != card && grid->itemAt(i)->widget() != other)
                grid->itemAt(i)->widget()->setVisible(!on);
    };
    connect(m_valuesCard, &Card::enlargeToggled, this, [=, this](bool on) { enlarge(m_valuesCard, m_slicesCard, on); });
    connect(m_slicesCard, &Card::enlargeToggled, this, [=, this](bool on) { enlarge(m_slicesCard, m_valuesCard, on); });

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 14, 14);
    layout->setSpacing(10);
    layout->addLayout(header);
    layout->addWidget(m_notes);
    layout->addLayout(grid, 1);
    connect(m_entries, &EntryModel::pageChanged, this, &DataPage::showPage);
    connect(&Theme::instance(), &Theme::changed, this, &DataPage::recolor);
}

QWidget* DataPage::makeFactsCard()
{
    auto* card = new QFrame(this);
    card->setObjectName(QStringLiteral("card"));
    card->setMinimumWidth(190);
    m_facts = makeFactGrid();
    m_memory = makeFactGrid();
    // More modes and formats than a small window has room for are scrolled, not squeezed.
    auto* body = new QWidget(card);
    auto* scroll = new QScrollArea(card);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::TabFocus);
    scroll->setAccessibleName(tr("Tensor"));
    scroll->setWidget(body);
    body->setAutoFillBackground(false);
    scroll->viewport()->setAutoFillBackground(false);
    auto* outer = new QVBoxLayout(card);
    outer->setContentsMargins(14, 13, 4, 12);
    outer->addWidget(scroll);
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 10, 0);
    layout->setSpacing(7);
    layout->addWidget(makeHeading(tr("Tensor"), card));
    layout->addLayout(m_facts);
    layout->addSpacing(6);
    m_memoryHeading = makeHeading({}, card);
    m_memoryHeading->setToolTip(
        tr("The most bytes an algorithm keeps of the tensor in each format on the chosen device, before it is built"));
    layout->addWidget(m_memoryHeading);
    layout->addLayout(m_memory);
    layout->addStretch();
    return card;
}

QWidget* DataPage::makeHeaviestCard()
{
    auto* card = new QFrame(this);
    card->setObjectName(QStringLiteral("card"));
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(14, 13, 14, 10);
    layout->setSpacing(7);
    layout->addWidget(makeHeading(tr("Heaviest slices"), card));
    m_heaviest = makeFactGrid();
    layout->addLayout(m_heaviest);
    layout->addStretch();
    return card;
}

QWidget* DataPage::makeEntriesCard()
{
    auto* card = new QFrame(this);
    card->setObjectName(QStringLiteral("card"));
    card->setMinimumHeight(170);
    m_range = new QLabel(card);
    m_range->setObjectName(QStringLiteral("muted"));
    m_previous = makeIconButton("previous", tr("Previous page of entries"), card);
    m_next = makeIconButton("next", tr("Next page of entries"), card);
    auto* goTo = new QPushButton(tr("Go to…"), card);
    goTo->setObjectName(QStringLiteral("link"));
    goTo->setAccessibleName(tr("Go to entry"));
    connect(m_previous, &QToolButton::clicked, this, [this] {
        const quint64 start = m_entries->pageStart();
        m_entries->showFrom(start > EntryModel::pageSize ? start - EntryModel::pageSize : 0);
    });
    connect(m_next, &QToolButton::clicked, this, [this] { m_entries->showFrom(m_entries->pageStart() + EntryModel::pageSize); });
    connect(goTo, &QPushButton::clicked, this, &DataPage::askForEntry);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 0, 14, 0);
    head->setSpacing(6);
    head->addWidget(makeHeading(tr("Entries"), card), 1);
    head->addWidget(m_range);
    head->addWidget(m_previous);
    head->addWidget(m_next);
    head->addSpacing(4);
    head->addWidget(goTo);

    m_table = new QTableView(card);
    m_table->setAccessibleName(tr("Entries of the tensor"));
    m_table->setModel(m_entries);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(29);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(84);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setFrameShape(QFrame::NoFrame);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 8, 1, 10);
    layout->setSpacing(4);
    layout->addLayout(head);
    auto* tableBox = new QVBoxLayout;
    tableBox->setContentsMargins(8, 0, 8, 0);
    tableBox->addWidget(m_table);
    layout->addLayout(tableBox, 1);
    return card;
}

void DataPage::setTensor(const app::OpenTensorPtr& tensor)
{
    if (tensor == m_tensor)
        return;
    m_tensor = tensor;
    m_entries->setTensor(tensor);
    if (!tensor)
        return;
    showHeader();
    showFacts();
    showMemory();
    showHistogram();
    showSlices();
    showHeaviest();
    fitColumns();
}

void DataPage::setDevice(const kernels::DeviceId& device)
{
    if (device == m_device)
        return;
    m_device = device;
    if (m_tensor)
        showMemory();
}

/// Long labels share the width; numbers and short labels take what they need.
void DataPage::fitColumns()
{
    QHeaderView* header = m_table->horizontalHeader();
    const kernels::SparseTensor& tensor = m_tensor->tensor;
    bool stretched = false;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        const auto& labels = tensor.modes[n].labels;
        const bool isLong = std::any_of(labels.begin(), labels.end(), [](const std::string& label) { return label.size() > 10; });
        header->setSectionResizeMode(static_cast<int>(n), isLong ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
        stretched = stretched || isLong;
    }
    header->setSectionResizeMode(static_cast<int>(tensor.order()), QHeaderView::ResizeToContents);
    if (!stretched)
        header->setSectionResizeMode(QHeaderView::Stretch);
}

void DataPage::showPage()
{
    const quint64 entries = m_entries->entries();
    m_range->setText(entries == 0 ? tr("none")
                                  : tr("%1 – %2 of %3")
                                        .arg(formatting::grouped(m_entries->pageStart() + 1), formatting::grouped(m_entries->pageEnd()),
                                             formatting::grouped(entries)));
    m_previous->setEnabled(m_entries->pageStart() > 0);
    m_next->setEnabled(m_entries->pageEnd() < entries);
    if (m_table->model()->rowCount() > 0)
        m_table->scrollToTop();
}

void DataPage::askForEntry()
{
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Go to entry"));
    dialog->setLabelText(tr("Entry, counted from 1 to %1:").arg(formatting::grouped(m_entries->entries())));
    connect(dialog, &QInputDialog::textValueSelected, this, [this](QString text) {
        bool ok = false;
        const quint64 entry = text.remove(QChar(0x202F)).remove(QLatin1Char(' ')).toULongLong(&ok);
        if (ok && entry >= 1)
            m_entries->showFrom(entry - 1);
    });
    dialog->open();
}

void DataPage::recolor()
{
    if (!m_tensor)
        return;
    showHistogram();
    showSlices();
}

} // namespace ui
