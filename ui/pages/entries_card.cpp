// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/entries_card.h"

#include "ui/models/entry_model.h"
#include "ui/models/label_order.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace ui {

using kernels::EntryOrder;

/// What the thread brings.
struct EntriesCard::Found {
    std::shared_ptr<const kernels::EntryView> view;
    std::shared_ptr<const std::vector<kernels::Index>> ranks;
};

EntriesCard::EntriesCard(QWidget* parent)
    : QFrame(parent)
    , m_model(new EntryModel(this))
{
    setObjectName(QStringLiteral("card"));
    setMinimumHeight(170);
    m_range = new ElidedLabel(this); // ten digits have no room beside all in a small window
    m_range->setObjectName(QStringLiteral("muted"));
    m_range->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_range->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_previous = makeIconButton("previous", tr("Previous page of entries"), this);
    m_next = makeIconButton("next", tr("Next page of entries"), this);
    const auto makeLink = [this](const QString& text, const QString& name) {
        auto* link = new QPushButton(text, this);
        link->setObjectName(QStringLiteral("link"));
        link->setAccessibleName(name);
        return link;
    };
    auto* goTo = makeLink(tr("Go to…"), tr("Go to entry"));
    auto* filter = makeLink(tr("Filter…"), tr("Filter entries"));
    connect(m_previous, &QToolButton::clicked, this, [this] { page(Qt::Key_PageUp, Qt::ControlModifier); });
    connect(m_next, &QToolButton::clicked, this, [this] { page(Qt::Key_PageDown, Qt::ControlModifier); });
    connect(goTo, &QPushButton::clicked, this, &EntriesCard::askForEntry);
    connect(filter, &QPushButton::clicked, this, &EntriesCard::askForFilter);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 0, 14, 0);
    head->setSpacing(6);
    head->addWidget(makeHeading(tr("Entries"), this));
    head->addWidget(m_range, 1);
    head->addWidget(m_previous);
    head->addWidget(m_next);
    head->addSpacing(4);
    head->addWidget(goTo);
    head->addSpacing(6);
    head->addWidget(filter);

    setUpTable();
    auto* tableBox = new QVBoxLayout;
    tableBox->setContentsMargins(8, 0, 8, 0);
    tableBox->addWidget(m_table);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 8, 1, 6);
    layout->setSpacing(4);
    layout->addLayout(head);
    layout->addLayout(tableBox, 1);
    layout->addWidget(makeStatus());

    connect(m_model, &EntryModel::pageChanged, this, &EntriesCard::showPage);
    connect(&m_task, &app::BackgroundJob::failed, this, [this](const QString& sentence) {
        m_progress.stop();
        showProblem(sentence);
    });
    connect(&m_task, &app::BackgroundJob::cancelled, this, [this] {
        m_progress.stop();
        showIndicator();
        showStatus();
    });
    m_progress.setInterval(100);
    connect(&m_progress, &QTimer::timeout, this, &EntriesCard::showStatus);
}

void EntriesCard::setTensor(const app::OpenTensorPtr& tensor)
{
    const bool same = tensor && m_tensor && tensor->id == m_tensor->id && tensor->entries == m_tensor->entries;
    if (same && tensor != m_tensor) {
        Look look = m_task.isRunning() ? m_wanted : m_look;
        const unsigned column = look.order.column;
        bool outdated = m_task.isRunning() || (look.byLabel && m_tensor->modes()[column].labels != tensor->modes()[column].labels);
        const auto before = look.wish.isEmpty() ? nullptr : reader();
        m_tensor = tensor;
        m_reader.reset();
        outdated = (before && letGo(look.wish, *before)) || outdated;
        m_ranks.clear();
        m_model->setNames(tensor);
        fitColumns();
        if (!outdated)
            return showStatus();
        m_task.cancel(); // it reads the labels that were
        return find(look);
    }
    if (tensor == m_tensor)
        return;
    m_task.cancel();
    m_tensor = tensor;
    m_reader.reset();
    m_look = m_wanted = {};
    m_ranks.clear();
    m_model->setTensor(tensor);
    showIndicator();
    if (tensor)
        fitColumns();
    showStatus();
}

/// What named labels that are gone, and would be a mistake now, is wished no more. True: the wish finds other entries than before.
bool EntriesCard::letGo(EntryWish& wish, const EntryWishReader& before)
{
    bool changed = false;
    for (qsizetype n = 0; n < wish.modes.size(); ++n) {
        if (wish.modes[n].isEmpty())
            continue;
        const auto mode = static_cast<unsigned>(n);
        const EntryWishReader::Indices now = reader()->indices(mode, wish.modes[n]);
        changed = changed || !now.problem.isEmpty() || now.ranges != before.indices(mode, wish.modes[n]).ranges;
        if (!now.problem.isEmpty())
            wish.modes[n].clear();
    }
    return changed;
}

const std::shared_ptr<const EntryWishReader>& EntriesCard::reader()
{
    if (!m_reader)
        m_reader = std::make_shared<const EntryWishReader>(m_tensor);
    return m_reader;
}

bool EntriesCard::isLabelled(unsigned column) const
{
    return column < m_tensor->tensor.order() && !m_tensor->modes()[column].labels.empty();
}

void EntriesCard::showEntries(const EntryWish& wish)
{
    Look look = m_task.isRunning() ? m_wanted : m_look;
    look.wish = wish;
    find(std::move(look));
}

void EntriesCard::showSlice(unsigned mode, kernels::Index index)
{
    EntryWish wish;
    for (unsigned n = 0; n < m_tensor->tensor.order(); ++n)
        wish.modes += n == mode ? u'#' + QString::number(quint64{index} + 1) : QString(); // whatever it is called
    showEntries(wish);
}

void EntriesCard::showZeros()
{
    EntryWish wish;
    wish.from = wish.to = QStringLiteral("0");
    showEntries(wish);
}

void EntriesCard::showRepeated()
{
    EntryWish wish;
    wish.repeatedOnly = true;
    showEntries(wish);
}

void EntriesCard::sortBy(unsigned column, bool descending, bool byLabel)
{
    Look look = m_task.isRunning() ? m_wanted : m_look;
    look.order = {column, descending, {}};
    look.byLabel = byLabel && column != EntryOrder::asStored && isLabelled(column);
    find(std::move(look));
}

/// Upwards, downwards, as stored: by what the column shows.
void EntriesCard::headClicked(int column)
{
    if (!m_tensor || column < 0)
        return;
    const auto clicked = static_cast<unsigned>(column);
    const Look& now = m_task.isRunning() ? m_wanted : m_look;
    if (now.order.column != clicked)
        sortBy(clicked, false);
    else if (!now.order.descending)
        sortBy(clicked, true, now.byLabel);
    else
        sortBy(EntryOrder::asStored, false);
}

void EntriesCard::find(Look look)
{
    if (!m_tensor)
        return;
    if (const QString problem = reader()->problem(look.wish); !problem.isEmpty())
        return showProblem(problem);
    look.byLabel = look.byLabel && isLabelled(look.order.column); // labels may have been detached since it was sorted by them
    m_wanted = std::move(look);
    auto filter = reader()->filter(m_wanted.wish);
    auto order = m_wanted.order;
    auto found = std::make_shared<Found>();
    if (m_wanted.byLabel)
        found->ranks = m_ranks[order.column];
    disconnect(&m_task, &app::BackgroundJob::finished, this, nullptr);
    connect(&m_task, &app::BackgroundJob::finished, this, [this, found] { this->found(found); });
    m_task.run(
        [tensor = m_tensor, found, filter = std::move(filter), order, byLabel = m_wanted.byLabel](kernels::Progress& progress) mutable {
            if (byLabel && !found->ranks)
                found->ranks = std::make_shared<const std::vector<kernels::Index>>(labelRanks(tensor->modes()[order.column].labels));
            if (byLabel)
                order.ranks = found->ranks;
            found->view = std::make_shared<const kernels::EntryView>(kernels::viewEntries(tensor->tensor, filter, order, &progress));
        });
    showIndicator();
    m_progress.start();
    showStatus();
}

void EntriesCard::found(const std::shared_ptr<Found>& found)
{
    m_progress.stop();
    if (m_wanted.byLabel)
        m_ranks[m_wanted.order.column] = found->ranks;
    m_look = m_wanted;
    const bool all = m_look.wish.isEmpty() && m_look.order.column == EntryOrder::asStored;
    m_model->setView(all ? nullptr : found->view);
    showIndicator();
    showStatus();
}

void EntriesCard::cancel() { m_task.cancel(); }

} // namespace ui
