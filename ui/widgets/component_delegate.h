// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/column_picture.h"

#include <QRect>
#include <QStyledItemDelegate>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ui {

class ComponentModel;

/// One row of a mode, lit in every card.
struct MarkedRow {
    unsigned mode = 0;
    kernels::Index row = 0;
    friend bool operator==(const MarkedRow&, const MarkedRow&) = default;
};

/// How the cards of the components are drawn.
struct ComponentLook {
    ColumnChart chart = ColumnChart::Bars;
    bool normalised = true;
    static constexpr unsigned everyMode = ~0U;
    unsigned strongMode = 0; ///< whose strongest rows are listed beside the charts; everyMode: each mode's below its chart
    unsigned strongest = 3; ///< how many
    std::optional<MarkedRow> marked;
    /// Rows at even ranks by mode and component, as far as they are known.
    std::map<std::pair<unsigned, unsigned>, std::vector<kernels::Index>> ranks;
};

/// Where things stand in a card; the same for all of them, and for the heads above.
struct CardPlaces {
    QRect card, name, weight, bar, save;
    std::vector<QRect> charts;
    QRect strongest; ///< lines of strongLine pixels; none where each mode has its own
    std::vector<QRect> below; ///< likewise, of each mode; else none
    static constexpr int strongLine = 16;
};

/// A component as a card: name and weight, its column of every mode, its strongest rows.
class ComponentDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    ComponentDelegate(const ComponentModel& model, const ComponentLook& look, QObject* parent);

    static int leastWidth(unsigned modes, bool everyMode = false);
    int height() const;
    CardPlaces places(const QRect& item) const;
    ColumnPicture picture(unsigned mode, unsigned component) const;
    void paintCard(QPainter& painter, const QRect& item, unsigned component, bool current, bool saveShown) const;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void paintHead(QPainter& painter, const CardPlaces& at, unsigned component) const;
    void paintStrongest(QPainter& painter, const QRect& place, unsigned mode, unsigned component) const;
    bool listsEveryMode() const { return m_look.strongMode == ComponentLook::everyMode; }

    const ComponentModel& m_model;
    const ComponentLook& m_look;
};

/// Draws a column's points: a line, bars from zero, or stems by rank.
void paintColumn(QPainter& painter, const QRectF& plot, const ColumnPicture& picture, ColumnChart chart, const QColor& color);
/// The x of a pixel in such a plot, in rows, and back.
double rowOfPixel(const QRectF& plot, const ColumnPicture& picture, double pixel);
double pixelOfRow(const QRectF& plot, const ColumnPicture& picture, double row);

} // namespace ui
