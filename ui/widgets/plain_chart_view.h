// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/picture.h"

#include <QChartView>

class QValueAxis;

namespace ui {

/// A chart stripped of Qt's own axes, legend, margins and ground: only its series are drawn, the frame is ours.
class PlainChartView : public QChartView {
public:
    explicit PlainChartView(QWidget* parent);

    /// As it is shown, without what follows the mouse.
    Picture picture() const;

protected:
    virtual void paintPicture(QPainter& painter) const = 0; ///< series, too: Qt Charts draws them only on itself

    QValueAxis* const m_axisX;
    QValueAxis* const m_axisY;
};

} // namespace ui
