// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/combo_box.h"

#include <QAbstractItemView>
#include <QStandardItemModel>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QWheelEvent>

namespace ui {

void ComboBox::paintEvent(QPaintEvent*)
{
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    if (currentIndex() < 0)
        option.currentText = placeholderText();
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    const int icon = option.currentIcon.isNull() ? 0 : option.iconSize.width() + 4;
    option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideRight, field.width() - 2 - icon);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

void ComboBox::showPopup()
{
    // Qt leaves the frame around a list out of every style sheet but its own; an empty one lets the program's reach it.
    if (QWidget* frame = view()->parentWidget(); frame && frame->styleSheet().isEmpty())
        frame->setStyleSheet(QStringLiteral("/* */"));
    QComboBox::showPopup();
}

void ComboBox::wheelEvent(QWheelEvent* event) { event->ignore(); }

void setItemRefusal(QComboBox* combo, int row, const QString& reason, const QString& otherwise)
{
    auto* model = qobject_cast<QStandardItemModel*>(combo->model());
    if (QStandardItem* item = model ? model->item(row) : nullptr) {
        item->setEnabled(reason.isEmpty());
        item->setToolTip(reason.isEmpty() ? otherwise : reason);
    }
}

} // namespace ui
