// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/value_view.h"

#include "ui/models/value_table.h"
#include "ui/theme.h"
#include "ui/widgets/chart_frame.h"
#include "ui/widgets/elided_header.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

namespace ui {

ValueView::ValueView(const QString& accessibleName, ValueTable* model, QWidget* parent)
    : QTableView(parent)
    , m_table(model)
{
    setAccessibleName(accessibleName);
    setModel(model);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    whenZoomed(this, [this] { verticalHeader()->setDefaultSectionSize(zoomed(27)); });
    verticalHeader()->hide();
    setHorizontalHeader(new ElidedHeader(this));
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(34);
    horizontalHeader()->setAccessibleName(tr("Heads of %1").arg(accessibleName));
    setShowGrid(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setFrameShape(QFrame::NoFrame);
    setMinimumHeight(90);
    connect(this, &QTableView::doubleClicked, this, [this](const QModelIndex& index) { Q_EMIT rowTaken(index.row()); });
}

void ValueView::setEmptyText(const QString& text)
{
    m_emptyText = text;
    viewport()->update();
}

/// By what they hold, without the room that heads would reserve for an arrow: it lies above their words.
void ValueView::fitColumns(int first, int count)
{
    constexpr int mostRows = 300;
    const int padding = objectName() == QLatin1String("dense") ? 18 : 36;
    QHeaderView* head = horizontalHeader();
    head->ensurePolished();
    ensurePolished();
    m_firstShared = first;
    m_shared = count;
    for (int column = 0; column < m_table->columnCount(); ++column) {
        if (column >= first && column < first + count)
            continue;
        int widest = head->fontMetrics().horizontalAdvance(m_table->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        for (int row = 0; row < std::min(mostRows, m_table->rowCount()); ++row)
            widest = std::max(widest, fontMetrics().horizontalAdvance(m_table->index(row, column).data().toString()));
        head->setSectionResizeMode(column, QHeaderView::Fixed);
        head->resizeSection(column, widest + padding);
    }
    shareRoom();
}

/// The columns between share what the others leave. Where that is too little for their heads the table is scrolled.
void ValueView::shareRoom()
{
    auto* const head = static_cast<ElidedHeader*>(horizontalHeader());
    const int end = std::min(m_firstShared + m_shared, m_table->columnCount());
    int room = viewport()->width();
    for (int column = 0; column < m_table->columnCount(); ++column)
        room -= column >= m_firstShared && column < end ? head->wholeWidth(column) : head->sectionSize(column);
    for (int column = m_firstShared; column < end; ++column) {
        head->setSectionResizeMode(column, room >= 0 ? QHeaderView::Stretch : QHeaderView::Fixed);
        if (room < 0)
            head->resizeSection(column, head->wholeWidth(column));
    }
}

void ValueView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    shareRoom();
}

Picture ValueView::picture() const
{
    // QWidget::render is not const, though it changes nothing that is shown.
    return {QSizeF(size()), [this](QPainter& painter) { const_cast<ValueView*>(this)->render(&painter); }};
}

void ValueView::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (m_table->rowCount() > 0 || m_emptyText.isEmpty())
        return;
    QPainter painter(viewport());
    paintEmptyText(painter, QRectF(viewport()->rect()), m_emptyText);
}

void ValueView::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && currentIndex().isValid())
        Q_EMIT rowTaken(currentIndex().row());
    else
        QTableView::keyPressEvent(event);
}

} // namespace ui
