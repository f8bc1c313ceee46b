// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/list_delegates.h"

#include "app/run.h"
#include "ui/models/run_list_model.h"
#include "ui/models/tensor_list_model.h"
#include "ui/run_style.h"
#include "ui/theme.h"

#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace ui {
namespace {

constexpr int sidePadding = 10, topPadding = 8, gap = 6, barHeight = 4;
int lineHeight() { return zoomed(17); }

QFont nameFont(const QFont& base)
{
    QFont font = base;
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont smallFont(const QFont& base)
{
    QFont font = base;
    font.setPixelSize(zoomed(12));
    return font;
}

QRect cardRect(const QRect& item) { return item.adjusted(0, 0, 0, -gap); }

void drawLine(QPainter& painter, const QRect& rect, const QString& text)
{
    painter.drawText(rect, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

void drawBar(QPainter& painter, const QRect& rect, double fraction, const QColor& color)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(tokens().line);
    painter.drawRoundedRect(rect, 2, 2);
    if (fraction <= 0)
        return;
    painter.setBrush(color);
    painter.drawRoundedRect(QRectF(rect.left(), rect.top(), std::max(4.0, rect.width() * std::min(fraction, 1.0)), rect.height()), 2, 2);
}

void drawFocus(QPainter& painter, const QRect& rect, const QStyleOptionViewItem& option)
{
    if (!(option.state & QStyle::State_HasFocus) || !(option.state & QStyle::State_KeyboardFocusChange))
        return;
    painter.setPen(QPen(tokens().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 7, 7);
}

QColor stateColor(app::RunState state)
{
    switch (state) {
    case app::RunState::Finished:
        return tokens().good;
    case app::RunState::Failed:
        return tokens().danger;
    case app::RunState::Running:
        return tokens().accentText;
    default:
        return tokens().muted;
    }
}

} // namespace

QRect TensorDelegate::cancelRect(const QRect& item)
{
    const QRect card = cardRect(item);
    return {card.right() - 26, card.top() + 6, 20, 20};
}

QSize TensorDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {200, 2 * topPadding + 3 * lineHeight() + gap};
}

void TensorDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Tokens& t = tokens();
    const bool selected = option.state & QStyle::State_Selected, loading = index.data(TensorListModel::LoadingRole).toBool();
    const QRect card = cardRect(option.rect);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(selected ? t.accent : t.line);
    painter->setBrush(selected ? t.accentSoft : (option.state & QStyle::State_MouseOver) ? t.hover : t.panel);
    painter->drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);

    QRect line(card.left() + sidePadding, card.top() + topPadding, card.width() - 2 * sidePadding, lineHeight());
    painter->setFont(nameFont(option.font));
    painter->setPen(t.text);
    drawLine(*painter, loading ? line.adjusted(0, 0, -24, 0) : line, index.data(TensorListModel::NameRole).toString());
    painter->setFont(smallFont(option.font));
    painter->setPen(t.muted);
    line.translate(0, lineHeight());
    drawLine(*painter, line, index.data(TensorListModel::DimsRole).toString());
    line.translate(0, lineHeight());
    const QString detail = index.data(TensorListModel::DetailRole).toString();
    if (loading) {
        const QRect cross = cancelRect(option.rect).adjusted(6, 6, -6, -6);
        painter->setPen(QPen(t.muted, 1.6, Qt::SolidLine, Qt::RoundCap));
        painter->drawLine(cross.topLeft(), cross.bottomRight());
        painter->drawLine(cross.topRight(), cross.bottomLeft());
        painter->setPen(t.muted);
        drawLine(*painter, line.translated(0, -1), detail);
        drawBar(*painter, QRect(line.left(), card.bottom() - 6, line.width(), barHeight - 1),
                index.data(TensorListModel::FractionRole).toDouble(), t.accent);
    } else {
        drawLine(*painter, line, detail);
    }
    drawFocus(*painter, card, option);
    painter->restore();
}

bool TensorDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option, const QModelIndex& index)
{
    if (event->type() == QEvent::MouseButtonRelease && index.data(TensorListModel::LoadingRole).toBool()
        && cancelRect(option.rect).contains(static_cast<QMouseEvent*>(event)->position().toPoint())) {
        Q_EMIT cancelRequested(index.row());
        return true;
    }
    return QStyledItemDelegate::editorEvent(event, model, option, index);
}

QRect RunDelegate::squareRect(const QRect& item)
{
    const QRect card = cardRect(item);
    return {card.left() + sidePadding, card.top() + topPadding + 2, 12, 12};
}

QSize RunDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    const bool bar = index.data(RunListModel::ActiveRole).toBool(), verdict = !index.data(RunListModel::VerdictRole).toString().isEmpty();
    return {200, 2 * topPadding + (verdict ? 5 : 4) * lineHeight() + (bar ? barHeight + 5 : 0) + gap};
}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Tokens& t = tokens();
    const bool selected = option.state & QStyle::State_Selected;
    const bool visible = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    const auto state = static_cast<app::RunState>(index.data(RunListModel::StateRole).toInt());
    const RunStyle style = runStyle(index.data(RunListModel::ColorIndexRole).toInt(), t.dark);
    const QRect card = cardRect(option.rect);
    const QVariant lit = option.widget ? option.widget->property(highlightedProperty) : QVariant();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (selected || (option.state & QStyle::State_MouseOver) || (lit.isValid() && lit == index.data(RunListModel::RunIdRole))) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(t.hover);
        painter->drawRoundedRect(card, 8, 8);
    }
    const QRectF square = squareRect(option.rect);
    painter->setPen(QPen(style.color, 1.6));
    painter->setBrush(visible ? QBrush(style.color) : Qt::NoBrush);
    painter->drawRoundedRect(square.adjusted(0.8, 0.8, -0.8, -0.8), 3, 3);
    drawMarker(*painter, square.center(), style.marker, 5.5, visible ? t.panel : style.color);

    QRect line(card.left() + sidePadding, card.top() + topPadding, card.width() - 2 * sidePadding, lineHeight());
    const QString stateText = index.data(RunListModel::StateTextRole).toString();
    QFont stateFont = smallFont(option.font);
    if (state == app::RunState::Running)
        stateFont.setWeight(QFont::DemiBold);
    painter->setFont(stateFont);
    const int stateWidth = painter->fontMetrics().horizontalAdvance(stateText) + 2;
    painter->setPen(stateColor(state));
    painter->drawText(line, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), stateText);
    painter->setFont(nameFont(option.font));
    painter->setPen(t.text);
    drawLine(*painter, line.adjusted(20, 0, -stateWidth - 8, 0), index.data(RunListModel::NameRole).toString());

    painter->setFont(smallFont(option.font));
    painter->setPen(t.muted);
    line.translate(0, lineHeight());
    painter->drawText(line, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                      painter->fontMetrics().elidedText(index.data(RunListModel::TensorRole).toString(), Qt::ElideMiddle, line.width()));
    line.translate(0, lineHeight());
    drawLine(*painter, line, index.data(RunListModel::SettingsRole).toString());
    line.translate(0, lineHeight());
    if (state == app::RunState::Failed)
        painter->setPen(t.danger);
    drawLine(*painter, line, index.data(RunListModel::ProgressRole).toString());
    if (const QString verdict = index.data(RunListModel::VerdictRole).toString(); !verdict.isEmpty()) {
        line.translate(0, lineHeight());
        painter->setPen(t.warning);
        drawLine(*painter, line, verdict);
    }
    if (index.data(RunListModel::ActiveRole).toBool())
        drawBar(*painter, QRect(line.left(), line.bottom() + 5, line.width(), barHeight), index.data(RunListModel::FractionRole).toDouble(),
                style.color);
    drawFocus(*painter, card, option);
    painter->restore();
}

bool RunDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option, const QModelIndex& index)
{
    const auto toggle = [&] {
        const bool visible = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        return model->setData(index, visible ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
    };
    if (event->type() == QEvent::MouseButtonRelease
        && squareRect(option.rect).adjusted(-6, -6, 6, 6).contains(static_cast<QMouseEvent*>(event)->position().toPoint()))
        return toggle();
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space)
        return toggle();
    return false;
}

void RunDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const
{
    const auto* line = qobject_cast<const QLineEdit*>(editor);
    if (!line || !line->isModified())
        QStyledItemDelegate::setEditorData(editor, index);
}

void RunDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex&) const
{
    const QRect card = cardRect(option.rect);
    editor->setGeometry(card.left() + sidePadding + 14, card.top() + 2, card.width() - 2 * sidePadding - 14, zoomed(30));
}

} // namespace ui
