// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChartView>
#include <QImage>

class QValueAxis;

namespace ui {

/// A chart stripped of Qt's own axes, legend, margins and ground: only its series are drawn, the frame is ours.
class PlainChartView : public QChartView {
public:
    explicit PlainChartView(QWidget* parent);

    /// As it is shown, on the panel's ground.
    QImage image(double scale) const;

protected:
    QValueAxis* const m_axisX;
    QValueAxis* const m_axisY;
};

} // namespace ui
