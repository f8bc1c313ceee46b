// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the data page says of a tensor.
#include "io/labels.h"
#include "kernels/operations/mttkrp/format_sizes.h"
#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/models/value_table.h"
#include "ui/pages/data_chip.h"
#include "ui/pages/data_page.h"
#include "ui/pages/entries_card.h"
#include "ui/run_style.h"
#include "ui/theme.h"
#include "ui/widgets/bar_chart.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/elided_link.h"
#include "ui/widgets/trace_chart.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QLabel>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ui {
namespace {

void clear(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

QLabel* makeFigure(const QString& text)
{
    auto* figure = new QLabel(text);
    figure->setObjectName(QStringLiteral("strong"));
    figure->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    figure->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return figure;
}

/// A row "name … number" of a card's list.
void addFact(QGridLayout* grid, const QString& name, const QString& value, const QString& toolTip = {})
{
    const int row = grid->rowCount();
    auto* left = new ElidedLabel(name);
    left->setObjectName(QStringLiteral("muted"));
    left->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    left->setToolTip(toolTip);
    QLabel* right = makeFigure(value);
    right->setToolTip(toolTip);
    grid->addWidget(left, row, 0);
    grid->addWidget(right, row, 1);
}

/// A small head above some rows.
void addGroup(QGridLayout* grid, const QString& name)
{
    auto* label = new QLabel(name);
    label->setObjectName(QStringLiteral("group"));
    grid->addWidget(label, grid->rowCount(), 0, 1, 2);
}

QString joined(const std::vector<std::string>& sentences)
{
    QStringList list;
    for (const std::string& sentence : sentences)
        list += QString::fromStdString(sentence);
    return list.join(QLatin1Char(' '));
}

} // namespace

void DataPage::showHeader()
{
    const io::LoadReport& report = m_tensor->report;
    m_name->setText(m_tensor->name);
    m_name->setToolTip(m_tensor->name);
    QStringList parts;
    if (!report.layout.empty())
        parts += QString::fromStdString(report.layout);
    parts += m_tensor->tensor.sorted ? tr("sorted") : tr("not sorted");
    if (report.seconds > 0)
        parts += m_tensor->path.isEmpty() ? tr("made in %1").arg(formatting::duration(report.seconds))
                                          : tr("loaded in %1").arg(formatting::duration(report.seconds));
    const QString labels = joined(io::labelSources(m_tensor->modes(), report));
    if (!labels.isEmpty())
        parts += labels;
    m_layoutText->setText(parts.join(QStringLiteral(" · ")));
    m_layoutText->setToolTip(QString(m_tensor->origin + u'\n' + labels).trimmed());

    clear(m_chips);
    const kernels::TensorStatistics& statistics = m_tensor->statistics;
    m_chips->addWidget(makeDuplicatesChip());
    m_chips->addWidget(makeZerosChip());
    kernels::Count empty = 0;
    QStringList modes;
    for (std::size_t n = 0; n < statistics.modes.size(); ++n)
        if (statistics.modes[n].emptySlices > 0) {
            empty += statistics.modes[n].emptySlices;
            modes += tr("%1: %2 empty slices")
                         .arg(QString::fromStdString(m_tensor->modeName(static_cast<unsigned>(n))),
                              formatting::grouped(statistics.modes[n].emptySlices));
        }
    QLabel* chip = empty == 0 ? makeDataChip(tr("no empty slices"), "good")
                              : makeDataChip(tr("%1 empty slices").arg(formatting::count(static_cast<double>(empty))), "");
    chip->setToolTip(modes.join(QLatin1Char('\n')));
    m_chips->addWidget(chip);
    if (m_tensor->readOptions.recipe && !m_tensor->path.isEmpty())
        m_chips->addWidget(makeImportButton());

    const QString text = QStringList{joined(report.warnings), joined(report.notes)}.join(QLatin1Char(' ')).trimmed();
    m_notes->setText(text);
    m_notes->setObjectName(report.warnings.empty() ? QStringLiteral("subtitle") : QStringLiteral("warningText"));
    m_notes->setStyleSheet(QString()); // makes the style sheet look at the new name
    m_notes->setVisible(!text.isEmpty());
}

void DataPage::showFacts()
{
    clear(m_facts);
    const kernels::SparseTensor& tensor = m_tensor->tensor;
    const kernels::TensorStatistics& s = m_tensor->statistics;
    addFact(m_facts, tr("order"), QString::number(tensor.order()));
    m_modeRows.clear();
    for (unsigned n = 0; n < tensor.order(); ++n)
        addModeRow(n);
    addFact(m_facts, tr("entries"), formatting::grouped(tensor.entries()));
    if (s.zeros > 0)
        addFact(m_facts, tr("nonzeros"), formatting::grouped(tensor.entries() - s.zeros), tr("Entries whose value is not zero"));
    if (m_tensor->hasTestPart())
        addFact(m_facts, tr("test part"), formatting::grouped(m_tensor->test.entries()));
    addEmptyCellsRow();
    addFact(m_facts, tr("density"), formatting::scientific(tensor.density()), formatting::exact(tensor.density()));
    addFact(
        m_facts, tr("values"),
        tr("%1 – %2, %3")
            .arg(formatting::number(s.valueMin), formatting::number(s.valueMax), tensor.hasDoubleValues() ? tr("double") : tr("float")));
    addFact(m_facts, tr("mean ± sd"), tr("%1 ± %2").arg(formatting::number(s.valueMean, 3), formatting::number(s.valueDeviation, 3)),
            tr("%1 ± %2").arg(formatting::exact(s.valueMean), formatting::exact(s.valueDeviation)));
}

void DataPage::showMemory()
{
    clear(m_memory);
    m_memoryHeading->setText(tr("Memory by format, %1").arg(deviceText(m_device)));
    kernels::ProblemShape shape;
    shape.dims = m_tensor->tensor.dims();
    shape.trainEntries = m_tensor->tensor.entries();
    const unsigned valueBytes = m_tensor->tensor.hasDoubleValues() ? 8 : 4;
    for (const kernels::TensorFormatInfo& format : kernels::tensorFormats()) {
        const QString summary = QString::fromStdString(format.summary);
        const std::optional<std::uint64_t> bytes = kernels::mttkrp::formatBytes(format, m_device.kind, shape, valueBytes);
        if (bytes)
            addFact(m_memory, QString::fromStdString(format.title), formatting::bytes(*bytes),
                    tr("%1\n%2 bytes").arg(summary, formatting::grouped(*bytes)));
        else
            addFact(m_memory, QString::fromStdString(format.title), QStringLiteral("–"), tr("%1\nNot on this device").arg(summary));
    }
}

void DataPage::showHistogram()
{
    const kernels::TensorStatistics& s = m_tensor->statistics;
    const bool single =
        s.valuesAreWhole && std::all_of(s.histogram.begin(), s.histogram.end(), [](const auto& bin) { return bin.upper - bin.lower <= 1; });
    std::vector<Bar> bars;
    for (const kernels::HistogramBin& bin : s.histogram) {
        const double middle = (bin.lower + bin.upper) / 2;
        const QString label = formatting::number(single ? std::ceil(bin.lower - 1e-9) : middle, 3);
        const QString name =
            single ? tr("value %1").arg(label) : tr("%1 to %2").arg(formatting::number(bin.lower), formatting::number(bin.upper));
        bars.push_back({-1, label, {}, name, tokens().accent, Marker::Square, {static_cast<double>(bin.count)}});
    }
    m_values->setGap(bars.size() > 12 ? 0.12 : 0.24);
    m_values->setBars(std::move(bars));
}

void DataPage::showSlices()
{
    std::vector<TraceSeries> series;
    const auto& modes = m_tensor->statistics.modes;
    for (std::size_t n = 0; n < modes.size(); ++n) {
        auto points = std::make_shared<std::vector<QPointF>>();
        for (const auto& [rank, count] : modes[n].slicesByRank)
            if (count > 0) // empty slices are told by the chip above
                points->emplace_back(static_cast<double>(rank), static_cast<double>(count));
        const RunStyle style = runStyle(static_cast<int>(n), Theme::instance().isDark());
        series.push_back({static_cast<int>(n),
                          0,
                          QString::fromStdString(m_tensor->modeName(static_cast<unsigned>(n))),
                          style.color,
                          style.marker,
                          {},
                          points,
                          false});
    }
    // More names than this would cover the curves; the tooltip has them.
    constexpr std::size_t mostNamed = 6;
    m_slices->setLegendShown(series.size() <= mostNamed);
    m_slicesCard->setSubtitle(series.size() <= mostNamed ? tr("by rank of slice") : tr("by rank of slice, %1 modes").arg(series.size()));
    m_slices->setSeries(std::move(series));
}

void DataPage::showHeaviest()
{
    clear(m_heaviest);
    const auto& modes = m_tensor->statistics.modes;
    // As many as the card has room for, the same number for each mode.
    const std::size_t shownModes = std::min<std::size_t>(modes.size(), 6);
    const std::size_t perMode = shownModes <= 3 ? 3 : shownModes == 4 ? 2 : 1;
    for (std::size_t n = 0; n < shownModes; ++n) {
        const kernels::Mode& mode = m_tensor->modes()[n];
        const QString modeName = QString::fromStdString(m_tensor->modeName(static_cast<unsigned>(n)));
        addGroup(m_heaviest, modeName);
        for (std::size_t i = 0; i < std::min(perMode, modes[n].heaviest.size()); ++i) {
            const kernels::Slice& slice = modes[n].heaviest[i];
            const QString label = labelOf(mode, slice.index);
            auto* link = new ElidedLink(label);
            link->setObjectName(QStringLiteral("slice-%1-%2").arg(n + 1).arg(i + 1));
            link->setAccessibleName(tr("Show the entries of %1 %2").arg(modeName, label));
            link->setToolTip(
                tr("%1 · %2: %3 entries\nClick to see them in the table").arg(modeName, label, formatting::grouped(slice.entries)));
            connect(link, &ElidedLink::clicked, m_entries,
                    [this, n, index = slice.index] { m_entries->showSlice(static_cast<unsigned>(n), index); });
            const int row = m_heaviest->rowCount();
            m_heaviest->addWidget(link, row, 0);
            m_heaviest->addWidget(makeFigure(formatting::grouped(slice.entries)), row, 1);
        }
    }
}

} // namespace ui
