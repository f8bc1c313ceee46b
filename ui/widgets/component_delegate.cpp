// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/component_delegate.h"

#include "ui/formatting.h"
#include "ui/icons.h"
#include "ui/models/component_model.h"
#include "ui/models/factor_text.h"
#include "ui/run_style.h"
#include "ui/theme.h"

#include <QApplication>
#include <QLineEdit>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr int spacing = 9, side = 14, gap = 14, leastChart = 92;
int nameWidth() { return zoomed(146); }
int strongWidth() { return zoomed(126); }
int leastHeight() { return zoomed(98); }
constexpr int mostSpare = 36; ///< that words get of room to spare; charts get the rest

QFont fontOf(int pixels, QFont::Weight weight = QFont::Normal)
{
    QFont font = QApplication::font();
    font.setPixelSize(zoomed(pixels));
    font.setWeight(weight);
    return font;
}

QColor colorOf(unsigned component) { return runStyle(static_cast<int>(component), Theme::instance().isDark()).color; }

void drawLine(QPainter& painter, const QRect& rect, const QString& text)
{
    painter.drawText(rect, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

/// On two lines where one is too short: the upper one stands above the place of a short name.
void drawName(QPainter& painter, const QRect& rect, const QString& text)
{
    const QFontMetrics metrics = painter.fontMetrics();
    if (metrics.horizontalAdvance(text) <= rect.width())
        return drawLine(painter, rect, text);
    qsizetype cut = 0; // after the last blank that fits
    for (qsizetype at = text.indexOf(u' '); at >= 0 && metrics.horizontalAdvance(text.left(at)) <= rect.width();
         at = text.indexOf(u' ', at + 1))
        cut = at + 1;
    if (cut > 0)
        drawLine(painter, rect.translated(0, -17), text.left(cut - 1));
    drawLine(painter, rect, text.mid(cut));
}

void drawMark(QPainter& painter, const QRectF& plot, const ColumnPicture& picture, kernels::Index row)
{
    const double x = picture.xOf(row);
    if (x < 0)
        return;
    const double pixel = std::round(pixelOfRow(plot, picture, x)) + 0.5;
    painter.setPen(QPen(tokens().text, 1, Qt::DotLine));
    painter.drawLine(QPointF(pixel, plot.top() - 3), QPointF(pixel, plot.bottom()));
    drawMarker(painter, QPointF(pixel, plot.top() - 4), Marker::TriangleDown, 7, tokens().text);
}

} // namespace

ComponentDelegate::ComponentDelegate(const ComponentModel& model, const ComponentLook& look, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_model(model)
    , m_look(look)
{
}

int ComponentDelegate::leastWidth(unsigned modes, bool everyMode)
{
    const int columns = 2 * side + nameWidth() + static_cast<int>(modes) * (leastChart + gap);
    return everyMode ? columns : columns + gap + strongWidth();
}

int ComponentDelegate::height() const
{
    const int lines = static_cast<int>(m_look.strongest) * CardPlaces::strongLine;
    return (listsEveryMode() ? leastHeight() + lines : std::max(leastHeight(), 2 * 12 + lines)) + spacing;
}

CardPlaces ComponentDelegate::places(const QRect& item) const
{
    CardPlaces at;
    at.card = item.adjusted(0, 0, 0, -spacing);
    const QRect inside = at.card.adjusted(side, 0, -side, 0);
    const auto modes = static_cast<int>(m_model.factors() ? m_model.factors()->modes() : 1);
    const int spare = std::clamp((item.width() - leastWidth(static_cast<unsigned>(modes), listsEveryMode())) / 5, 0, mostSpare);
    const int middle = inside.top() + inside.height() / 2, words = nameWidth() + spare, strongWords = strongWidth() + spare;
    at.name = QRect(inside.left(), middle - zoomed(29), words, zoomed(20));
    at.weight = QRect(inside.left(), middle - zoomed(9), words, zoomed(18));
    at.bar = QRect(inside.left(), middle + zoomed(15), words, 4);
    const int lines = static_cast<int>(m_look.strongest) * CardPlaces::strongLine;
    const int right = inside.right() + 1 - (listsEveryMode() ? gap : strongWords);
    if (!listsEveryMode())
        at.strongest = QRect(right, middle - lines / 2, strongWords - 14, lines);
    at.save = QRect(at.card.right() - 27, at.card.top() + 5, 22, 22);
    const int left = inside.left() + words + gap, room = right - gap - left;
    for (int n = 0; n < modes; ++n) {
        const int begin = left + room * n / modes, end = left + room * (n + 1) / modes;
        const QRect column(begin, inside.top() + 14, end - begin - (n + 1 < modes ? gap : 0), inside.height() - 28);
        at.charts.push_back(listsEveryMode() ? column.adjusted(0, 0, 0, -lines - 2) : column);
        if (listsEveryMode())
            at.below.emplace_back(column.left(), column.bottom() + 7 - lines, column.width(), lines);
    }
    return at;
}

ColumnPicture ComponentDelegate::picture(unsigned mode, unsigned component) const
{
    const auto ranks = m_look.ranks.find({mode, component});
    return {*m_model.factors(), mode, component, m_look.normalised, m_look.chart, ranks == m_look.ranks.end() ? nullptr : &ranks->second};
}

void ComponentDelegate::paintHead(QPainter& painter, const CardPlaces& at, unsigned component) const
{
    const FactorData& factors = *m_model.factors();
    const double weight = factors.weight(component), largest = factors.largestWeight();
    painter.setFont(fontOf(13, QFont::DemiBold));
    painter.setPen(tokens().text);
    drawName(painter, at.name, m_model.title(component));
    painter.setFont(fontOf(12));
    painter.setPen(tokens().muted);
    QString text = ComponentModel::tr("weight %1").arg(formatting::number(weight));
    if (!m_look.normalised && factors.isCp() && component < factors.model().weights.size())
        text += QStringLiteral(" · λ %1").arg(formatting::number(factors.model().weights[component]));
    drawLine(painter, at.weight, text);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tokens().line);
    painter.drawRoundedRect(at.bar, 2, 2);
    if (largest > 0) {
        painter.setBrush(colorOf(component));
        painter.drawRoundedRect(
            QRectF(at.bar.left(), at.bar.top(), std::max(4.0, at.bar.width() * std::abs(weight) / largest), at.bar.height()), 2, 2);
    }
}

/// A minus before those below zero: beside the others they stand for the opposite.
void ComponentDelegate::paintStrongest(QPainter& painter, const QRect& place, unsigned mode, unsigned component) const
{
    const FactorData& factors = *m_model.factors();
    if (!factors.has(mode, component))
        return;
    const auto& rows = factors.column(mode, component).strongest;
    painter.setFont(fontOf(12));
    QRect line(place.left(), place.top(), place.width(), CardPlaces::strongLine);
    if (rows.empty()) { // pruned
        painter.setPen(tokens().muted);
        drawLine(painter, line, tr("all 0"));
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(m_look.strongest, rows.size()); ++i) {
        const bool marked = m_look.marked == MarkedRow{mode, rows[i]};
        if (marked) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(tokens().accentSoft);
            painter.drawRoundedRect(line.adjusted(-5, 0, 5, 0), 4, 4);
        }
        painter.setPen(marked ? tokens().accentText : tokens().muted);
        drawLine(painter, line, strongestRowText(factors, mode, component, rows[i], m_look.normalised));
        line.translate(0, CardPlaces::strongLine);
    }
}

void ComponentDelegate::paintCard(QPainter& painter, const QRect& item, unsigned component, bool current, bool saveShown) const
{
    const CardPlaces at = places(item);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(current ? tokens().accent : tokens().line);
    painter.setBrush(tokens().panel);
    painter.drawRoundedRect(QRectF(at.card).adjusted(0.5, 0.5, -0.5, -0.5), 10, 10);
    paintHead(painter, at, component);
    for (unsigned n = 0; n < at.charts.size(); ++n) {
        if (!m_model.factors()->has(n, component))
            continue;
        const ColumnPicture column = picture(n, component);
        paintColumn(painter, at.charts[n], column, m_look.chart, colorOf(component));
        if (m_look.marked && m_look.marked->mode == n)
            drawMark(painter, at.charts[n], column, m_look.marked->row);
    }
    if (!listsEveryMode())
        paintStrongest(painter, at.strongest, m_look.strongMode, component);
    for (unsigned n = 0; n < at.below.size(); ++n)
        paintStrongest(painter, at.below[n], n, component);
    if (saveShown)
        icon("save", tokens().muted).paint(&painter, at.save.adjusted(4, 4, -4, -4));
    painter.restore();
}

void ComponentDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const bool current = option.state & QStyle::State_HasFocus;
    paintCard(*painter, option.rect, m_model.componentAt(index.row()), current, current || option.state & QStyle::State_MouseOver);
}

QSize ComponentDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {leastWidth(m_model.factors() ? m_model.factors()->modes() : 1, listsEveryMode()), height()};
}

QWidget* ComponentDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const
{
    auto* editor = new QLineEdit(parent);
    editor->setMaxLength(200);
    editor->setPlaceholderText(index.data().toString());
    editor->setAccessibleName(tr("Name of component %1").arg(m_model.componentAt(index.row()) + 1));
    return editor;
}

void ComponentDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex&) const
{
    editor->setGeometry(places(option.rect).name.adjusted(-6, -6, 6, 6));
}

} // namespace ui
