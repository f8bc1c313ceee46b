// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/run_table.h"

#include "app/run.h"
#include "ui/models/run_table_model.h"
#include "ui/run_style.h"
#include "ui/theme.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>
#include <numeric>

namespace ui {
namespace {

int lineHeight() { return zoomed(30); }
constexpr int padding = 7, squareSize = 12, squareGap = 8, narrowestName = 164;

QFont nameFont(const QFont& base)
{
    QFont font = base;
    font.setWeight(QFont::DemiBold);
    return font;
}

/// Baselines are in italics: they are no runs.
QFont cellFont(const QFont& base, const QModelIndex& index)
{
    QFont font = base;
    font.setItalic(index.data(RunTableModel::IsBaselineRole).toBool());
    return font;
}

/// A cell of a run, or the heading of a group.
class CellDelegate : public QStyledItemDelegate {
public:
    explicit CellDelegate(RunTable* table)
        : QStyledItemDelegate(table)
        , m_table(table)
    {
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Tokens& t = tokens();
        const bool selected = option.state & QStyle::State_Selected, group = index.data(RunTableModel::IsGroupRole).toBool();
        const int run = index.data(RunTableModel::RunIdRole).toInt();
        const bool lit = run >= 0 && run == m_table->highlighted(); // baselines and groups are -1, as is "none"
        painter->save();
        painter->fillRect(option.rect, selected ? t.accentSoft : lit ? t.hover : t.panel);
        painter->setPen(t.grid);
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
        if (group)
            paintGroup(*painter, option, index);
        else
            paintCell(*painter, option, index);
        if ((option.state & QStyle::State_HasFocus) && !group && m_table->selectionModel()->hasSelection()) {
            painter->setPen(QPen(t.accent, 1));
            painter->setBrush(Qt::NoBrush);
            painter->drawRoundedRect(QRectF(option.rect).adjusted(2.5, 2.5, -2.5, -3.5), 4, 4);
        }
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const bool name = index.column() == 0;
        const QFontMetrics metrics(name ? nameFont(option.font) : cellFont(option.font, index));
        const int width = index.data(RunTableModel::IsGroupRole).toBool() ? 0 : metrics.horizontalAdvance(index.data().toString());
        return {width + 2 * padding + 2 + (name ? squareSize + squareGap : 0), lineHeight()};
    }

private:
    static void paintGroup(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index)
    {
        QFont font = nameFont(option.font);
        font.setPixelSize(zoomed(12));
        painter.setFont(font);
        painter.setPen(tokens().muted);
        painter.drawText(option.rect.adjusted(padding, 4, -padding, 0), static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                         index.data().toString());
    }

    static void paintCell(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index)
    {
        const Tokens& t = tokens();
        const bool visible = index.data(RunTableModel::IsVisibleRole).toBool();
        QRect place = option.rect.adjusted(padding, 0, -padding, 0);
        painter.setFont(cellFont(option.font, index));
        if (index.data(RunTableModel::IsBaselineRole).toBool()) {
            if (index.column() == 0) { // a dashed line, as in the charts
                const QRectF square = RunTable::squareRect(option.rect);
                painter.setPen(QPen(t.muted, 1.4, Qt::DashLine));
                painter.drawLine(QPointF(square.left(), square.center().y()), QPointF(square.right(), square.center().y()));
                place.setLeft(place.left() + squareSize + squareGap);
            }
        } else if (index.column() == 0) {
            const RunStyle style = runStyle(index.data(RunTableModel::ColorIndexRole).toInt(), t.dark);
            const QRectF square = RunTable::squareRect(option.rect);
            painter.save();
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(style.color, 1.6));
            painter.setBrush(visible ? QBrush(style.color) : Qt::NoBrush);
            painter.drawRoundedRect(square.adjusted(0.8, 0.8, -0.8, -0.8), 3, 3);
            drawMarker(painter, square.center(), style.marker, 5.5, visible ? t.panel : style.color);
            painter.restore();
            place.setLeft(place.left() + squareSize + squareGap);
            painter.setFont(nameFont(option.font));
        }
        painter.setPen(visible && !index.data(RunTableModel::IsBaselineRole).toBool() ? t.text : t.muted);
        const auto alignment = Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt());
        painter.drawText(place, static_cast<int>(alignment),
                         painter.fontMetrics().elidedText(index.data().toString(), index.column() == 0 ? Qt::ElideMiddle : Qt::ElideRight,
                                                          place.width()));
    }

    RunTable* m_table;
};

} // namespace

RunTable::RunTable(RunTableModel* model, QWidget* parent)
    : QTableView(parent)
    , m_model(model)
{
    setModel(model);
    setItemDelegate(new CellDelegate(this));
    setAccessibleName(tr("Runs beside each other"));
    setAccessibleDescription(tr("Space shows or hides the chosen runs, S sorts by the cursor's column, Ctrl+C copies."));
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setWordWrap(false);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setTabKeyNavigation(false);
    setMouseTracking(true);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    setCornerButtonEnabled(false);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    QHeaderView* head = horizontalHeader();
    head->setObjectName(QStringLiteral("runTableHead"));
    head->setHighlightSections(false);
    head->setSectionsClickable(true);
    head->setMinimumSectionSize(30);
    whenZoomed(this, [this, head] {
        verticalHeader()->setDefaultSectionSize(lineHeight());
        head->setFixedHeight(zoomed(32));
    });
    connect(&Theme::instance(), &Theme::zoomed, this, [this] { fitColumns(true); });
    head->setSectionResizeMode(QHeaderView::Fixed);
    connect(head, &QHeaderView::sectionClicked, this, &RunTable::sortBy);
    connect(this, &QTableView::entered, this,
            [this](const QModelIndex& index) { Q_EMIT runHovered(index.data(RunTableModel::RunIdRole).toInt()); });
    connect(this, &QTableView::viewportEntered, this, [this] { Q_EMIT runHovered(-1); });
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunTable::selectedRunsChanged);
    connect(&Theme::instance(), &Theme::changed, this, [this] { viewport()->update(); });
}

QRect RunTable::squareRect(const QRect& cell)
{
    return {cell.left() + padding, cell.center().y() - squareSize / 2, squareSize, squareSize};
}

std::vector<int> RunTable::selectedRuns() const
{
    std::vector<int> rows, ids;
    for (const QModelIndex& index : selectionModel()->selectedRows())
        rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    for (const int row : rows)
        if (const app::Run* run = m_model->runAt(row))
            ids.push_back(run->id());
    return ids;
}

void RunTable::selectRuns(const std::vector<int>& ids)
{
    QItemSelection selection;
    int first = -1;
    for (const int id : ids)
        if (const int row = m_model->rowOf(id); row >= 0) {
            selection.select(m_model->index(row, 0), m_model->index(row, m_model->columnCount() - 1));
            first = first < 0 ? row : first;
        }
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (first >= 0) {
        selectionModel()->setCurrentIndex(m_model->index(first, 0), QItemSelectionModel::NoUpdate);
        scrollTo(m_model->index(first, std::max(0, columnAt(0))));
    }
}

void RunTable::setHighlighted(int runId)
{
    if (runId == m_highlighted)
        return;
    m_highlighted = runId;
    viewport()->update();
}

int RunTable::neededWidth(int column) const
{
    const int head = horizontalHeader()->fontMetrics().horizontalAdvance(m_model->headerData(column, Qt::Horizontal).toString());
    constexpr int rounding = 18; // a head takes more than its metrics tell, more so where pixels are scaled
    return std::max({head + 2 * padding + rounding, horizontalHeader()->sectionSizeHint(column), sizeHintForColumn(column)});
}

/// Columns only grow while numbers change, so that the table does not tremble; what is left over is dealt out, and where there is
/// too little the names give way first.
void RunTable::fitColumns(bool anew)
{
    const auto count = static_cast<std::size_t>(m_model->columnCount());
    if (anew || m_widths.size() != count)
        m_widths.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i)
        m_widths[i] = std::max(m_widths[i], neededWidth(static_cast<int>(i)));
    std::vector<int> widths = m_widths;
    const int spare = viewport()->width() - std::accumulate(widths.begin(), widths.end(), 0);
    if (spare < 0)
        widths.front() = std::max(std::min(narrowestName, widths.front()), widths.front() + spare);
    const int each = spare > 0 ? spare / static_cast<int>(count) : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const int width = widths[i] + each + (i == 0 && spare > 0 ? spare % static_cast<int>(count) : 0);
        if (columnWidth(static_cast<int>(i)) != width)
            setColumnWidth(static_cast<int>(i), width);
    }
}

void RunTable::fitSpans()
{
    clearSpans();
    for (int row = 0; row < m_model->rowCount() && m_model->columnCount() > 1; ++row)
        if (m_model->isGroup(row))
            setSpan(row, 0, 1, m_model->columnCount());
}

int RunTable::contentHeight(int mostRows) const
{
    const int rows = std::min(m_model->rowCount(), mostRows);
    const bool scrolls = horizontalHeader()->length() > viewport()->width();
    return horizontalHeader()->height() + rows * lineHeight() + (scrolls ? horizontalScrollBar()->sizeHint().height() : 0);
}

void RunTable::sortBy(int column)
{
    const bool again = m_model->sortedBy() == m_model->columns().at(static_cast<std::size_t>(column))->id;
    const bool descending = again && m_model->sortOrder() == Qt::AscendingOrder;
    m_model->sort(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    fitColumns(true); // the sign of the order stands elsewhere now
}

/// All of them alike: as the first of them is not.
void RunTable::toggleSelected()
{
    const std::vector<int> ids = selectedRuns();
    if (ids.empty())
        return;
    const int first = m_model->rowOf(ids.front());
    const bool show = !m_model->index(first, 0).data(RunTableModel::IsVisibleRole).toBool();
    for (const int id : ids)
        m_model->setData(m_model->index(m_model->rowOf(id), 0), show ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
}

void RunTable::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy))
        Q_EMIT copyRequested();
    else if (event->key() == Qt::Key_Space && event->modifiers() == Qt::NoModifier)
        toggleSelected();
    else if (event->key() == Qt::Key_S && event->modifiers() == Qt::NoModifier && currentIndex().isValid())
        sortBy(currentIndex().column());
    else
        QTableView::keyPressEvent(event);
}

void RunTable::mousePressEvent(QMouseEvent* event)
{
    const QModelIndex index = indexAt(event->position().toPoint());
    const bool onSquare = index.isValid() && index.column() == 0 && m_model->runAt(index.row())
        && squareRect(visualRect(index)).adjusted(-6, -6, 4, 6).contains(event->position().toPoint());
    if (event->button() == Qt::LeftButton && onSquare) {
        const bool visible = index.data(RunTableModel::IsVisibleRole).toBool();
        m_model->setData(index, visible ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
        return;
    }
    QTableView::mousePressEvent(event);
}

void RunTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    fitColumns();
}

bool RunTable::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        Q_EMIT runHovered(-1);
    return QTableView::viewportEvent(event);
}

/// What needs no scrolling leaves the wheel to the page around.
void RunTable::wheelEvent(QWheelEvent* event)
{
    if (verticalScrollBar()->maximum() == 0 && event->angleDelta().x() == 0)
        event->ignore();
    else
        QTableView::wheelEvent(event);
}

} // namespace ui
