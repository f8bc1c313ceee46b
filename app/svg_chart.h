// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_palette.h"

#include <QPointF>
#include <QString>

#include <functional>
#include <vector>

namespace app {

struct SvgCurve {
    QString name;
    RunLook look;
    bool dashed = false; ///< else with markers
    std::vector<QPointF> points; ///< ascending in x
};

/// Lines on two axes, for reports: a drawing as text, which needs no window. On a light ground.
struct SvgChart {
    QString title; ///< read out, not drawn
    std::vector<SvgCurve> curves;
    std::function<QString(double value, double step)> xLabel, yLabel;
    QString xName;
    int width = 680, height = 260;
};

/// One element a curve, thinned to what can be seen: small however long the runs were.
QByteArray svgOf(const SvgChart&);

} // namespace app
