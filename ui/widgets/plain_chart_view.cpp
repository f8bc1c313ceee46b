// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/plain_chart_view.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QPainter>
#include <QValueAxis>

namespace ui {

PlainChartView::PlainChartView(QWidget* parent)
    : QChartView(new QChart, parent)
    , m_axisX(new QValueAxis(chart()))
    , m_axisY(new QValueAxis(chart()))
{
    chart()->legend()->hide();
    chart()->setBackgroundVisible(false);
    chart()->setMargins(QMargins());
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    for (QValueAxis* axis : {m_axisX, m_axisY})
        axis->setVisible(false);
    chart()->addAxis(m_axisX, Qt::AlignBottom);
    chart()->addAxis(m_axisY, Qt::AlignLeft);
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setBackgroundBrush(Qt::NoBrush);
    setStyleSheet(QStringLiteral("background: transparent"));
    setMouseTracking(true);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

Picture PlainChartView::picture() const
{
    return {QSizeF(viewport()->size()), [this](QPainter& painter) { paintPicture(painter); }};
}

} // namespace ui
