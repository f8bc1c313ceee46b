// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/matrix_overview.h"
#include "ui/models/diverging_palette.h"
#include "ui/widgets/picture.h"

#include <QImage>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ui {

struct HeatMapContent {
    std::shared_ptr<const kernels::MatrixOverview> overview; ///< null: nothing to show
    std::vector<double> columnScales; ///< what each column is multiplied by for display; empty: 1
    double limit = 1; ///< the magnitude of the strongest colours
    QString rowTitle, columnTitle; ///< "origin", "component"
    std::function<QString(std::size_t)> rowText, columnText; ///< of the axes and the tooltip
};

/// A matrix in colours: a pixel shows the strongest of the elements it covers, with its sign. The wheel zooms into the rows, dragging
/// moves them, a double click shows them all again. What is drawn is read from an overview, so that a turn of the wheel costs the same
/// however long the matrix is.
class HeatMap : public QWidget {
    Q_OBJECT
public:
    explicit HeatMap(const QString& accessibleName, QWidget* parent = nullptr);

    void setContent(HeatMapContent content, bool keepView = false);
    void setEmptyText(const QString& text);
    void setRootScale(bool root); ///< colours by the root of the magnitude: small elements are seen, too
    void setMarkedRow(std::optional<std::size_t> row);
    std::pair<double, double> rowRange() const { return {m_first, m_first + m_shown}; } ///< shown
    bool isZoomed() const;
    void showAll();
    QRectF plotRect() const { return m_plot; }
    QString tooltipText() const; ///< what hovering says now; empty: nothing

    Picture picture() const;
    /// The cells as they are shown: `first_index1,last_index1,label,` and a column each; label where a cell is one row.
    QString csv() const;
    QSize sizeHint() const override { return {500, 400}; }
    QSize minimumSizeHint() const override { return {240, 160}; }

Q_SIGNALS:
    void rowClicked(std::size_t row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Cell {
        std::size_t row = 0, column = 0, rowsHere = 1;
    };

    double rows() const { return m_content.overview ? static_cast<double>(m_content.overview->rows()) : 0; }
    double columns() const { return m_content.overview ? static_cast<double>(m_content.overview->columns()) : 0; }
    double valueAt(std::size_t row, std::size_t column) const;
    double scaleOf(std::size_t column) const;
    double shareOf(double value) const;
    void layOut();
    void setView(double first, double shown);
    void zoom(double centre, double factor);
    double rowAt(double pixel) const;
    double pixelOf(double row) const;
    std::optional<Cell> cellAt(const QPointF& pixel) const;
    std::vector<float> bands(std::size_t count) const;
    QImage cells(double scale) const;
    void paintAll(QPainter& painter, double scale) const;
    void paintNumbers(QPainter& painter) const;
    void paintRowAxis(QPainter& painter) const;
    void paintColumnAxis(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;
    void paintTip(QPainter& painter) const;

    HeatMapContent m_content;
    QString m_emptyText;
    bool m_root = false;
    double m_first = 0, m_shown = 1; // rows
    QRectF m_plot;
    std::optional<std::size_t> m_marked;
    std::optional<QPointF> m_hovered, m_pressed;
    double m_firstAtPress = 0;
    bool m_dragged = false;
    DivergingPalette m_light{false}, m_dark{true};
};

} // namespace ui
