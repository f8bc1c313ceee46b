// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/component_model.h"
#include "ui/widgets/component_delegate.h"
#include "ui/widgets/picture.h"

#include <QListView>

namespace ui {

/// The components of a model, a card each, with heads above that scroll sideways with them. Only what is seen is drawn.
class ComponentList : public QListView {
    Q_OBJECT
public:
    explicit ComponentList(QWidget* parent = nullptr);

    void setFactors(const FactorDataPtr& factors, app::Run* run);
    ComponentModel* components() const { return m_model; }
    const ComponentLook& look() const { return m_look; }
    void setChart(ColumnChart chart);
    void setNormalised(bool normalised);
    void setStrongest(unsigned mode, unsigned count);
    void setMarked(std::optional<MarkedRow> marked);
    void addRanks(unsigned mode, unsigned component, std::vector<kernels::Index> ranks);

    CardPlaces placesOf(unsigned component) const; ///< in the viewport
    QString tooltipText() const; ///< what hovering says now; empty: nothing
    Picture cardPicture(unsigned component) const; ///< a card below the heads
    QMenu* cardMenu(unsigned component); ///< of what can be done with it; the caller's
    void paintHeads(QPainter& painter, int left, int width) const;

Q_SIGNALS:
    void markedChanged(std::optional<ui::MarkedRow> marked);
    void imageRequested(unsigned component);
    void numbersRequested(unsigned component);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Hit {
        unsigned component = 0;
        MarkedRow at;
        double pixel = 0;
        friend bool operator==(const Hit&, const Hit&) = default;
    };
    std::optional<Hit> hitAt(const QPoint& pixel) const;
    void setHovered(std::optional<Hit> hit);
    void relayOut();
    void copyStrongest(unsigned component, bool csv);

    ComponentModel* m_model;
    ComponentLook m_look;
    ComponentDelegate* m_delegate;
    QWidget* m_heads;
    std::optional<Hit> m_hovered;
};

} // namespace ui
