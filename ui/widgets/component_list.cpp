// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/component_list.h"

#include "ui/formatting.h"
#include "ui/models/factor_text.h"
#include "ui/run_style.h"
#include "ui/theme.h"
#include "ui/widgets/chart_frame.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace ui {
namespace {

int headHeight() { return zoomed(24); }

/// The line above the cards.
class Heads : public QWidget {
public:
    explicit Heads(ComponentList* list)
        : QWidget(list)
        , m_list(list)
    {
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const int width = std::max(this->width(), m_list->sizeHintForColumn(0));
        m_list->paintHeads(painter, -m_list->horizontalScrollBar()->value(), width);
    }

private:
    ComponentList* m_list;
};

} // namespace

ComponentList::ComponentList(QWidget* parent)
    : QListView(parent)
    , m_model(new ComponentModel(this))
    , m_delegate(new ComponentDelegate(*m_model, m_look, this))
    , m_heads(new Heads(this))
{
    setModel(m_model);
    setItemDelegate(m_delegate);
    setUniformItemSizes(true);
    setEditTriggers(QAbstractItemView::EditKeyPressed);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    setViewportMargins(0, headHeight(), 0, 0);
    setAccessibleName(tr("Components"));
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        viewport()->update();
        m_heads->update();
    });
}

void ComponentList::setFactors(const FactorDataPtr& factors, app::Run* run)
{
    m_hovered.reset();
    m_look.marked.reset();
    m_look.ranks.clear();
    m_model->setFactors(factors, run);
    if (factors && m_look.strongMode >= factors->modes() && m_look.strongMode != ComponentLook::everyMode)
        m_look.strongMode = 0;
    if (factors)
        setCurrentIndex(m_model->index(0));
    relayOut();
}

void ComponentList::relayOut()
{
    scheduleDelayedItemsLayout();
    verticalScrollBar()->setSingleStep(32);
    viewport()->update();
    m_heads->update();
}

void ComponentList::setChart(ColumnChart chart)
{
    m_look.chart = chart;
    viewport()->update();
}

void ComponentList::setNormalised(bool normalised)
{
    m_look.normalised = normalised;
    viewport()->update();
}

void ComponentList::setStrongest(unsigned mode, unsigned count)
{
    m_look.strongMode = mode;
    m_look.strongest = count;
    relayOut();
}

void ComponentList::setMarked(std::optional<MarkedRow> marked)
{
    if (m_look.marked == marked)
        return;
    m_look.marked = marked;
    viewport()->update();
    Q_EMIT markedChanged(marked);
}

void ComponentList::addRanks(unsigned mode, unsigned component, std::vector<kernels::Index> ranks)
{
    m_look.ranks[{mode, component}] = std::move(ranks);
    viewport()->update();
}

CardPlaces ComponentList::placesOf(unsigned component) const
{
    return m_delegate->places(visualRect(m_model->index(m_model->rowOf(component))));
}

/// Which row of which mode is below a pixel, in a chart or among the strongest.
std::optional<ComponentList::Hit> ComponentList::hitAt(const QPoint& pixel) const
{
    const QModelIndex index = indexAt(pixel);
    if (!index.isValid() || !m_model->factors())
        return {};
    const FactorData& factors = *m_model->factors();
    const unsigned component = m_model->componentAt(index.row());
    const CardPlaces at = m_delegate->places(visualRect(index));
    for (unsigned n = 0; n < at.charts.size(); ++n) {
        if (!at.charts[n].contains(pixel) || !factors.has(n, component))
            continue;
        const ColumnPicture picture = m_delegate->picture(n, component);
        const QRectF plot = at.charts[n];
        if (const auto row = picture.rowAt(rowOfPixel(plot, picture, pixel.x()), rowOfPixel(plot, picture, pixel.x() + 1)))
            return Hit{component, {n, *row}, pixelOfRow(plot, picture, picture.xOf(*row))};
    }
    const auto listed = [&](const QRect& place, unsigned mode) -> std::optional<Hit> {
        if (!place.contains(pixel) || !factors.has(mode, component))
            return {};
        const auto& rows = factors.column(mode, component).strongest;
        const auto line = static_cast<std::size_t>((pixel.y() - place.top()) / CardPlaces::strongLine);
        return line < std::min<std::size_t>(rows.size(), m_look.strongest)
            ? std::optional(Hit{component, {mode, rows[line]}, static_cast<double>(place.left())})
            : std::nullopt;
    };
    for (unsigned n = 0; n < at.below.size(); ++n)
        if (const auto hit = listed(at.below[n], n))
            return hit;
    return listed(at.strongest, m_look.strongMode);
}

void ComponentList::setHovered(std::optional<Hit> hit)
{
    if (m_hovered == hit)
        return;
    m_hovered = hit;
    viewport()->update();
}

QString ComponentList::tooltipText() const
{
    if (!m_hovered)
        return {};
    const FactorData& factors = *m_model->factors();
    const MarkedRow& at = m_hovered->at;
    return QStringLiteral("%1 %2: %3")
        .arg(factors.modeName(at.mode), factors.rowTextWithIndex(at.mode, at.row),
             formatting::exact(factors.value(at.mode, m_hovered->component, at.row, m_look.normalised)));
}

void ComponentList::paintEvent(QPaintEvent* event)
{
    QListView::paintEvent(event);
    if (!m_hovered)
        return;
    const FactorData& factors = *m_model->factors();
    const MarkedRow& at = m_hovered->at;
    QPainter painter(viewport());
    ChartTooltip tooltip;
    tooltip.header = QStringLiteral("%1 %2").arg(factors.modeName(at.mode), formatting::grouped(quint64{at.row} + 1));
    const QColor color = runStyle(static_cast<int>(m_hovered->component), Theme::instance().isDark()).color;
    tooltip.rows.push_back({color,
                            Marker::Square,
                            factors.rowText(at.mode, at.row),
                            {formatting::exact(factors.value(at.mode, m_hovered->component, at.row, m_look.normalised))}});
    QRectF plot = placesOf(m_hovered->component).card;
    plot.setLeft(0);
    plot.setRight(viewport()->width() - 12);
    plot.moveTop(std::clamp(plot.top(), 0.0, std::max(0.0, viewport()->height() - 66.0)));
    paintTooltip(painter, plot, m_hovered->pixel, tooltip);
}

void ComponentList::paintHeads(QPainter& painter, int left, int width) const
{
    if (!m_model->factors())
        return;
    const FactorData& factors = *m_model->factors();
    const CardPlaces at = m_delegate->places(QRect(left, 0, width, m_delegate->height()));
    QFont font = QApplication::font();
    font.setPixelSize(zoomed(12));
    painter.setFont(font);
    painter.setPen(tokens().muted);
    const auto head = [&](int x, int room, const QString& text) {
        painter.drawText(QRect(x, 0, room, headHeight()), static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, room));
    };
    head(at.name.left(), at.name.width(), factors.isCp() ? tr("component") : tr("column"));
    for (unsigned n = 0; n < at.charts.size(); ++n)
        head(at.charts[n].left(), at.charts[n].width(),
             QStringLiteral("%1 · %2").arg(factors.modeName(n), formatting::grouped(factors.model().dims[n])));
    if (m_look.strongMode != ComponentLook::everyMode)
        head(at.strongest.left(), at.strongest.width(), tr("strongest %1").arg(factors.modeName(m_look.strongMode)));
}

Picture ComponentList::cardPicture(unsigned component) const
{
    const bool everyMode = m_look.strongMode == ComponentLook::everyMode;
    const QSize size(std::max(viewport()->width(), ComponentDelegate::leastWidth(m_model->factors()->modes(), everyMode)),
                     headHeight() + m_delegate->height());
    return {QSizeF(size), [this, size, component](QPainter& painter) {
                painter.fillRect(QRect(QPoint(), size), tokens().background);
                paintHeads(painter, 0, size.width());
                m_delegate->paintCard(painter, QRect(0, headHeight(), size.width(), m_delegate->height()), component, false, false);
            }};
}

bool ComponentList::event(QEvent* event)
{
    // F2 names the component here, though the window has it for the run.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_F2) {
        event->accept();
        return true;
    }
    return QListView::event(event);
}

void ComponentList::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    m_heads->setGeometry(0, 0, viewport()->width(), headHeight());
}

void ComponentList::scrollContentsBy(int dx, int dy)
{
    QListView::scrollContentsBy(dx, dy);
    m_hovered.reset();
    m_heads->update();
}

void ComponentList::mouseMoveEvent(QMouseEvent* event)
{
    QListView::mouseMoveEvent(event);
    setHovered(hitAt(event->pos()));
}

void ComponentList::leaveEvent(QEvent* event)
{
    QListView::leaveEvent(event);
    setHovered({});
}

/// A click on a row marks it everywhere; another one on the same row takes the mark away.
void ComponentList::mousePressEvent(QMouseEvent* event)
{
    QListView::mousePressEvent(event);
    const QModelIndex index = indexAt(event->pos());
    if (event->button() != Qt::LeftButton || !index.isValid())
        return;
    if (m_delegate->places(visualRect(index)).save.contains(event->pos())) {
        QMenu* menu = cardMenu(m_model->componentAt(index.row()));
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->popup(event->globalPosition().toPoint());
    } else if (const auto hit = hitAt(event->pos())) {
        setMarked(m_look.marked == hit->at ? std::nullopt : std::optional(hit->at));
    }
}

void ComponentList::mouseDoubleClickEvent(QMouseEvent* event)
{
    const QModelIndex index = indexAt(event->pos());
    if (index.isValid() && event->pos().x() < m_delegate->places(visualRect(index)).name.right())
        edit(index);
    else
        mousePressEvent(event); // two quick clicks are two clicks
}

void ComponentList::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy) && currentIndex().isValid())
        copyStrongest(m_model->componentAt(currentIndex().row()), false);
    else if (event->key() == Qt::Key_Escape && m_look.marked)
        setMarked({});
    else
        QListView::keyPressEvent(event);
}

void ComponentList::contextMenuEvent(QContextMenuEvent* event)
{
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const QModelIndex index = byKey ? currentIndex() : indexAt(event->pos());
    if (!index.isValid())
        return;
    setCurrentIndex(index);
    QMenu* menu = cardMenu(m_model->componentAt(index.row()));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(byKey ? viewport()->mapToGlobal(visualRect(index).center()) : event->globalPos());
}

QMenu* ComponentList::cardMenu(unsigned component)
{
    auto* menu = new QMenu(this);
    const QPersistentModelIndex index = m_model->index(m_model->rowOf(component));
    menu->addAction(tr("Name…\tF2"), this, [this, index] { edit(index); });
    menu->addSeparator();
    menu->addAction(tr("Copy strongest rows\tCtrl+C"), this, [this, component] { copyStrongest(component, false); });
    menu->addAction(tr("Copy strongest rows as CSV"), this, [this, component] { copyStrongest(component, true); });
    menu->addSeparator();
    menu->addAction(tr("Image (PNG, twice the size)…"), this, [this, component] { Q_EMIT imageRequested(component); });
    menu->addAction(tr("Numbers (CSV)…"), this, [this, component] { Q_EMIT numbersRequested(component); });
    return menu;
}

void ComponentList::copyStrongest(unsigned component, bool csv)
{
    if (!m_model->factors() || component >= m_model->factors()->components()) // another run was shown while the menu was open
        return;
    const FactorData& factors = *m_model->factors();
    QApplication::clipboard()->setText(
        csv ? strongestCsv(factors, component, m_model->name(component), m_look.strongest, m_look.normalised)
            : strongestText(factors, component, m_model->title(component), m_look.strongest, m_look.normalised));
}

} // namespace ui
