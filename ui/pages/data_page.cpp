// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data_page.h"

#include "ui/dialogs/export_form.h"
#include "ui/formatting.h"
#include "ui/models/entry_model.h"
#include "ui/pages/entries_card.h"
#include "ui/theme.h"
#include "ui/widgets/bar_chart.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/mode_row.h"
#include "ui/widgets/trace_chart.h"

#include <QBoxLayout>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSettings>

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

DataPage::DataPage(app::Session& session, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_entries(new EntriesCard(this))
{
    m_name = new ElidedLabel(this); // what is said of duplicates and zeros is not pushed out by it
    m_name->setObjectName(QStringLiteral("cardTitle"));
    m_name->setTextFormat(Qt::PlainText);
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
    m_valuesCard->setChartButtons([this] { return m_values->picture(); }, [this] { return m_values->csv(); });
    m_slicesCard = new Card(tr("Entries per slice"), this);
    m_slicesCard->setSubtitle(tr("by rank of slice"));
    m_slices = new TraceChart(tr("Entries per slice by rank, both axes logarithmic"), this);
    const auto countLabel = [](double value, double) { return formatting::axisCount(value); };
    m_slices->setXAxis(countLabel, true, true);
    m_slices->setYAxis(countLabel, true, true);
    m_slices->setLegendShown(true);
    m_slices->setValueText([](double value, double) { return formatting::grouped(static_cast<quint64>(value)); });
    m_slices->setTooltipHead([](double x) { return tr("rank %1").arg(formatting::grouped(static_cast<quint64>(std::llround(x)))); }, {});
    m_slicesCard->setContent(m_slices);
    m_slicesCard->setChartButtons([this] { return m_slices->picture(); }, [this] { return m_slices->csv(); });
    connect(m_slices, &TraceChart::crosshairMoved, m_slices, [this](double x) { m_slices->setCrosshair(x); });
    connect(m_slices, &TraceChart::crosshairLeft, m_slices, [this] { m_slices->setCrosshair({}); });
    connect(m_slices, &TraceChart::hovered, m_slices, &TraceChart::setHighlighted);
    for (Card* card : {m_valuesCard, m_slicesCard})
        connect(card, &Card::saveFailed, this, &DataPage::saveFailed);

    auto* const grid = m_grid = new QGridLayout;
    grid->setSpacing(12);
    m_factsCard = makeFactsCard();
    m_heaviestCard = makeHeaviestCard();
    placeCards();
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
    connect(m_entries, &EntriesCard::copied, this, &DataPage::copied);
    connect(m_entries, &EntriesCard::headMenuRequested, this, [this](unsigned mode, const QPoint& at) { showModeMenu(mode, at, true); });
    connect(m_entries, &EntriesCard::saveRequested, this, &DataPage::saveEntries);
    connect(&Theme::instance(), &Theme::changed, this, &DataPage::recolor);
}

/// Three cards beside each other, or two where that is too narrow; then the page is scrolled.
void DataPage::placeCards()
{
    const bool narrow = width() < zoomed(640);
    if (m_grid->count() > 0 && narrow == m_isNarrow)
        return;
    m_isNarrow = narrow;
    while (QLayoutItem* const item = m_grid->takeAt(0))
        delete item;
    m_grid->addWidget(m_factsCard, 0, 0);
    m_grid->addWidget(m_valuesCard, 0, 1);
    m_grid->addWidget(m_slicesCard, narrow ? 1 : 0, narrow ? 1 : 2);
    m_grid->addWidget(m_heaviestCard, 1, 0);
    m_grid->addWidget(m_entries, narrow ? 2 : 1, narrow ? 0 : 1, 1, 2);
    const int stretches[] = {24, 27, narrow ? 0 : 27}, rows[] = {10, 9, narrow ? 12 : 0};
    for (int i = 0; i < 3; ++i) {
        m_grid->setColumnStretch(i, stretches[i]);
        m_grid->setRowStretch(i, rows[i]);
        m_grid->setRowMinimumHeight(i, narrow ? zoomed(190) : 0);
    }
}

void DataPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeCards();
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
    auto* scroll = m_factsScroll = new QScrollArea(card);
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

void DataPage::setTensor(const app::OpenTensorPtr& tensor)
{
    if (tensor == m_tensor)
        return;
    const bool renamed = m_tensor && tensor && m_tensor->id == tensor->id;
    m_tensor = tensor;
    m_entries->setTensor(tensor);
    if (!tensor)
        return;
    if (!renamed) {
        m_focusedMode = -1;
        m_slices->followAgain();
    }
    showHeader();
    showFacts();
    showMemory();
    showHistogram();
    showSlices();
    showHeaviest();
    if (renamed && m_focusedMode >= 0)
        m_modeRows[static_cast<std::size_t>(m_focusedMode)]->setFocus();
    m_focusedMode = -1;
}

void DataPage::setDevice(const kernels::DeviceId& device)
{
    if (device == m_device)
        return;
    m_device = device;
    if (m_tensor)
        showMemory();
}

/// What the filter leaves, or all of it, as a tensor of its own.
void DataPage::saveEntries(const std::shared_ptr<const kernels::EntryView>& view)
{
    const std::vector<ExportForm> forms = exportForms(*m_tensor);
    QStringList filters;
    for (const ExportForm& form : forms)
        filters += form.nameFilter();
    auto* dialog =
        new QFileDialog(this, tr("Save the entries shown"), QSettings().value(QStringLiteral("exportFolder"), QDir::homePath()).toString());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(filters);
    dialog->selectFile(QFileInfo(m_tensor->name).completeBaseName() + tr("-part") + forms.front().endings.first());
    const auto suffix = [dialog, forms, filters](const QString& filter) { // with its dot left out, as Qt wants it
        dialog->setDefaultSuffix(forms[static_cast<std::size_t>(std::max<qsizetype>(0, filters.indexOf(filter)))].endings.first().mid(1));
    };
    suffix(filters.first());
    connect(dialog, &QFileDialog::filterSelected, this, suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog, forms, filters, view, tensor = m_tensor](QString path) {
        const auto fits = [&path](const ExportForm& form) { return form.fits(path); };
        if (std::none_of(forms.begin(), forms.end(), fits)) // an ending decides the format
            path += forms[static_cast<std::size_t>(std::max<qsizetype>(0, filters.indexOf(dialog->selectedNameFilter())))].endings.first();
        QSettings().setValue(QStringLiteral("exportFolder"), QFileInfo(path).absolutePath());
        m_session.exportEntries(tensor, view, path);
    });
    dialog->open();
}

EntryModel* DataPage::entryModel() const { return m_entries->model(); }

void DataPage::recolor()
{
    if (!m_tensor)
        return;
    showHistogram();
    showSlices();
}

} // namespace ui
