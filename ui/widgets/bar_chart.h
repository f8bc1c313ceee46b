// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/chart_frame.h"
#include "ui/widgets/picture.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace ui {

struct Bar {
    int id = -1; ///< of the run, for highlighting; -1: none
    QString label; ///< below the bar
    QString shortLabel; ///< where the label has no room, below the sign; empty: the label is cut
    QString name; ///< in the tooltip; empty: the label
    QColor color; ///< of the lowest segment; the ones above are fainter
    Marker marker = Marker::Square;
    std::vector<double> segments; ///< stacked from 0
};

/// Stacked bars with the total on top.
class BarChart : public QWidget {
    Q_OBJECT
public:
    explicit BarChart(const QString& accessibleName, QWidget* parent = nullptr);
    ~BarChart() override;

    void setSegmentNames(const QStringList& names); ///< for tooltip and CSV
    void setValueLabel(AxisLabel axis, AxisLabel value);
    void setTotalsShown(bool shown);
    void setGap(double share); ///< between two bars, of a bar's place
    void setEmptyText(const QString& text);
    void setBars(std::vector<Bar> bars);
    void setHighlighted(int id);

    Picture picture() const;
    QString csv() const;
    QSize sizeHint() const override { return {400, 300}; }
    QSize minimumSizeHint() const override { return {160, 120}; }

Q_SIGNALS:
    void hovered(int id);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ui
