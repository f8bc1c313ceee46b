// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The table and the line below it, and what they show.
#include "ui/formatting.h"
#include "ui/models/entry_model.h"
#include "ui/pages/entries_card.h"
#include "ui/theme.h"
#include "ui/widgets/elided_header.h"
#include "ui/widgets/elided_label.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace ui {

using kernels::EntryOrder;

void EntriesCard::setUpTable()
{
    m_table = new QTableView(this);
    m_table->setAccessibleName(tr("Entries of the tensor"));
    m_table->setModel(m_model);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    whenZoomed(m_table, [this] { m_table->verticalHeader()->setDefaultSectionSize(zoomed(29)); });
    m_table->verticalHeader()->hide();
    auto* head = new ElidedHeader(m_table);
    m_table->setHorizontalHeader(head);
    head->setSectionResizeMode(QHeaderView::Stretch);
    head->setHighlightSections(false);
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
    whenZoomed(row, [this, row] { row->setFixedHeight(m_clear->sizeHint().height() + 2); });
    return row;
}

/// Long labels share the width; numbers and short labels take what they need.
void EntriesCard::fitColumns()
{
    auto* const header = static_cast<ElidedHeader*>(m_table->horizontalHeader());
    header->ensurePolished();
    bool stretched = false;
    const unsigned order = m_tensor->tensor.order();
    int widest = zoomed(84);
    for (int column = 0; column < header->count(); ++column)
        widest = std::max(widest, header->wholeWidth(column));
    header->setMinimumSectionSize(widest); // where that is too much the table is scrolled
    constexpr unsigned mostStretched = 6; // more columns have their own width and are scrolled
    header->setMaximumSectionSize(order > mostStretched ? std::max(widest, zoomed(190)) : -1);
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
