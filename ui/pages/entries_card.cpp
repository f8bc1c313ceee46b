// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/entries_card.h"

#include "ui/formatting.h"
#include "ui/models/entry_model.h"
#include "ui/models/label_order.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_header.h"
#include "ui/widgets/elided_label.h"

#include <QBoxLayout>
#include <QHeaderView>
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

void EntriesCard::setUpTable()
{
    m_table = new QTableView(this);
    m_table->setAccessibleName(tr("Entries of the tensor"));
    m_table->setModel(m_model);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(29);
    m_table->verticalHeader()->hide();
    auto* head = new ElidedHeader(m_table);
    m_table->setHorizontalHeader(head);
    head->setSectionResizeMode(QHeaderView::Stretch);
    head->setHighlightSections(false);
    head->setMinimumSectionSize(84);
    head->setSectionsClickable(true);
    head->setContextMenuPolicy(Qt::CustomContextMenu);
    head->setAccessibleName(tr("Heads of the entries' table"));
    connect(head, &QHeaderView::sectionClicked, this, &EntriesCard::headClicked);
    connect(head, &QHeaderView::customContextMenuRequested, this, [this, head](const QPoint& at) {
        const int column = head->logicalIndexAt(at);
        if (m_tensor && column >= 0 && column < static_cast<int>(m_tensor->tensor.order()))
            Q_EMIT headMenuRequested(static_cast<unsigned>(column), head->mapToGlobal(at));
    });
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->installEventFilter(this);
    connect(m_table, &QTableView::customContextMenuRequested, this, &EntriesCard::showMenu);
}

/// A line that is always there, so that nothing moves when it has something else to say.
QWidget* EntriesCard::makeStatus()
{
    auto* row = new QWidget(this);
    m_status = new ElidedLabel(row);
    m_status->setObjectName(QStringLiteral("muted"));
    m_status->setTextFormat(Qt::PlainText);
    m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    const auto makeLink = [row](const QString& text, const QString& name, const QString& toolTip) {
        auto* link = new QPushButton(text, row);
        link->setObjectName(QStringLiteral("link"));
        link->setProperty("atRightEdge", true);
        link->setAccessibleName(name);
        link->setToolTip(toolTip);
        return link;
    };
    m_cancel = makeLink(tr("Cancel"), tr("Cancel filtering and sorting"), tr("Leave the table as it is"));
    m_save = makeLink(tr("Save as…"), tr("Save the entries shown"), tr("Write the entries that the filter leaves as a tensor file"));
    m_clear = makeLink(tr("Show all"), tr("Show all entries"), tr("End filter and sorting"));
    connect(m_cancel, &QPushButton::clicked, this, &EntriesCard::cancel);
    connect(m_save, &QPushButton::clicked, this, [this] { Q_EMIT saveRequested(m_model->view()); });
    connect(m_clear, &QPushButton::clicked, this, [this] { find({}); });
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(14, 0, 14, 0);
    layout->setSpacing(12);
    layout->addWidget(m_status, 1);
    for (QPushButton* each : {m_cancel, m_save, m_clear})
        layout->addWidget(each);
    row->setFixedHeight(m_clear->sizeHint().height() + 2);
    return row;
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

/// Long labels share the width; numbers and short labels take what they need.
void EntriesCard::fitColumns()
{
    QHeaderView* header = m_table->horizontalHeader();
    bool stretched = false;
    const unsigned order = m_tensor->tensor.order();
    constexpr unsigned mostStretched = 6; // more columns have their own width and are scrolled
    header->setMaximumSectionSize(order > mostStretched ? 190 : -1);
    for (unsigned n = 0; n < order; ++n) {
        const auto& labels = m_tensor->modes()[n].labels;
        const bool isLong = std::any_of(labels.begin(), labels.end(), [](const std::string& label) { return label.size() > 10; });
        header->setSectionResizeMode(static_cast<int>(n), isLong ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
        stretched = stretched || isLong;
    }
    header->setSectionResizeMode(static_cast<int>(order), QHeaderView::ResizeToContents);
    if (order > mostStretched)
        header->setSectionResizeMode(QHeaderView::ResizeToContents);
    else if (!stretched)
        header->setSectionResizeMode(QHeaderView::Stretch);
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
        wish.modes += n == mode ? QString::number(quint64{index} + 1) : QString();
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

/// Of the order that is wanted, so that a click answers at once.
void EntriesCard::showIndicator()
{
    const EntryOrder& order = (m_task.isRunning() ? m_wanted : m_look).order;
    QHeaderView* head = m_table->horizontalHeader();
    const bool any = order.column != EntryOrder::asStored;
    head->setSortIndicatorShown(any);
    head->setSortIndicator(any ? static_cast<int>(order.column) : -1, order.descending ? Qt::DescendingOrder : Qt::AscendingOrder);
}

void EntriesCard::showPage()
{
    const quint64 entries = m_model->entries();
    const QString range = entries == 0
        ? tr("none")
        : tr("%1 – %2 of %3")
              .arg(formatting::grouped(m_model->pageStart() + 1), formatting::grouped(m_model->pageEnd()), formatting::grouped(entries));
    m_range->setText(range);
    m_range->setToolTip(range);
    m_previous->setEnabled(m_model->pageStart() > 0);
    m_next->setEnabled(m_model->pageEnd() < entries);
    if (m_model->rowCount() > 0)
        m_table->scrollToTop();
}

QString EntriesCard::orderText() const
{
    const EntryOrder& order = m_look.order;
    if (order.column == EntryOrder::asStored)
        return tr("in the order they are stored in");
    if (order.column == m_tensor->tensor.order())
        return order.descending ? tr("largest value first") : tr("smallest value first");
    const QString name = QString::fromStdString(m_tensor->modeName(order.column));
    if (m_look.byLabel)
        return order.descending ? tr("by %1, Z to A").arg(name) : tr("by %1, A to Z").arg(name);
    return order.descending ? tr("by index of %1, last first").arg(name) : tr("by index of %1").arg(name);
}

QString EntriesCard::statusText() const { return m_status->text(); }

void EntriesCard::showStatus()
{
    const bool working = m_task.isRunning();
    m_status->setObjectName(QStringLiteral("muted"));
    m_status->setStyleSheet(QString()); // makes the style sheet look at the new name
    m_status->setToolTip({});
    m_cancel->setVisible(working);
    const bool changed = !m_look.wish.isEmpty() || m_look.order.column != EntryOrder::asStored;
    m_save->setVisible(!working && !m_look.wish.isEmpty() && m_model->entries() > 0);
    m_clear->setVisible(!working && changed);
    if (!m_tensor)
        return m_status->clear();
    if (working) {
        const app::BackgroundJob::State state = m_task.state();
        QString text = m_wanted.order.column == EntryOrder::asStored ? tr("Filtering…") : tr("Filtering and sorting…");
        if (state.fraction >= 0)
            text = tr("%1 %2").arg(text, formatting::percent(state.fraction, 0));
        if (state.secondsLeft > 0.5)
            text += tr(", %1 left").arg(formatting::roughDuration(state.secondsLeft));
        return m_status->setText(text);
    }
    const quint64 all = m_tensor->tensor.entries();
    QStringList parts;
    if (m_look.wish.isEmpty())
        parts += tr("All %1 entries").arg(formatting::grouped(all));
    else
        parts = {tr("%1 of %2 entries").arg(formatting::grouped(m_model->entries()), formatting::grouped(all)),
                 reader()->summary(m_look.wish)};
    parts += orderText();
    m_status->setText(parts.join(QStringLiteral(" · ")));
    if (m_model->view())
        m_status->setToolTip(tr("%1\nThe positions of these entries take %2; the tensor is not copied.")
                                 .arg(m_status->text(), formatting::bytes(m_model->view()->bytes())));
}

void EntriesCard::showProblem(const QString& sentence)
{
    showIndicator();
    showStatus();
    m_status->setObjectName(QStringLiteral("errorText"));
    m_status->setStyleSheet(QString());
    m_status->setText(sentence);
    m_status->setToolTip(sentence);
}

} // namespace ui
