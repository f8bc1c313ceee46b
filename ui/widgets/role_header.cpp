// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/role_header.h"

#include "ui/models/import_choices.h"
#include "ui/models/import_columns.h"
#include "ui/theme.h"

#include <QMouseEvent>
#include <QPainter>

namespace ui {
namespace {

constexpr int edge = 8, chipHeight = 20, gap = 5, arrow = 7;

struct ChipColors {
    QColor fill, line, text;
};

ChipColors colorsOf(ColumnRole role, const Tokens& t)
{
    switch (role) {
    case ColumnRole::Mode:
        return {t.accentSoft, t.accentSoft, t.accentText};
    case ColumnRole::Value:
        return {t.panel, t.good, t.good};
    case ColumnRole::Unused:
        break;
    }
    return {t.panel, t.line, t.muted};
}

void drawArrow(QPainter& painter, const QPointF& centre, const QColor& color)
{
    painter.setPen(QPen(color, 1.3));
    painter.drawPolyline(QPolygonF({centre + QPointF(-3, -1.5), centre + QPointF(0, 1.5), centre + QPointF(3, -1.5)}));
}

} // namespace

RoleHeader::RoleHeader(QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true);
    setMouseTracking(true);
    setDefaultSectionSize(136);
    setMinimumSectionSize(72);
}

QSize RoleHeader::sizeHint() const { return {QHeaderView::sizeHint().width(), edge + fontMetrics().height() + gap + chipHeight + edge}; }

QPoint RoleHeader::menuPlace(int section) const
{
    return viewport()->mapToGlobal(QPoint(sectionViewportPosition(section) + edge, height() - edge + 2));
}

void RoleHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    const Tokens& t = tokens();
    const auto role = static_cast<ColumnRole>(model()->headerData(section, orientation(), ImportColumns::Role).toInt());
    const ChipColors colors = colorsOf(role, t);
    const QRect inner = rect.adjusted(edge, edge, -edge, -edge);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->fillRect(rect, t.panel);
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), t.line);
    QFont heavy = font();
    heavy.setWeight(QFont::DemiBold);
    painter->setFont(heavy);
    painter->setPen(role == ColumnRole::Unused ? t.muted : t.text);
    const QString name = model()->headerData(section, orientation(), Qt::DisplayRole).toString();
    const QRect nameRect(inner.left(), inner.top(), inner.width(), fontMetrics().height());
    painter->drawText(nameRect, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                      QFontMetrics(heavy).elidedText(name, Qt::ElideMiddle, inner.width()));
    const QRectF chip = QRectF(inner.left(), inner.bottom() + 1 - chipHeight, inner.width(), chipHeight).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->setPen(section == m_hovered ? t.accent : colors.line);
    painter->setBrush(colors.fill);
    painter->drawRoundedRect(chip, 6, 6);
    QFont small = font();
    small.setPixelSize(11);
    painter->setFont(small);
    painter->setPen(colors.text);
    const QRectF text = chip.adjusted(7, 0, -arrow - 9, 0);
    const QString roleText = model()->headerData(section, orientation(), ImportColumns::RoleText).toString();
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                      QFontMetrics(small).elidedText(roleText, Qt::ElideRight, static_cast<int>(text.width())));
    drawArrow(*painter, {chip.right() - 9, chip.center().y()}, colors.text);
    painter->restore();
}

void RoleHeader::setHovered(int section)
{
    if (section == m_hovered)
        return;
    m_hovered = section;
    viewport()->update();
}

void RoleHeader::mouseMoveEvent(QMouseEvent* event)
{
    setHovered(logicalIndexAt(event->position().toPoint()));
    QHeaderView::mouseMoveEvent(event);
}

void RoleHeader::leaveEvent(QEvent* event)
{
    setHovered(-1);
    QHeaderView::leaveEvent(event);
}

} // namespace ui
