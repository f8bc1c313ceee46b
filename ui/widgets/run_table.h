// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include <vector>

namespace ui {

class RunTableModel;

/// The table of runs: coloured squares that show and hide, rows that light up together with the charts, groups across all
/// columns. Keys: Space shows or hides the chosen runs, S sorts by the cursor's column, Ctrl+C copies.
class RunTable : public QTableView {
    Q_OBJECT
public:
    explicit RunTable(RunTableModel* model, QWidget* parent = nullptr);

    std::vector<int> selectedRuns() const; ///< ids, in the rows' order
    void selectRuns(const std::vector<int>& ids);
    void setHighlighted(int runId); ///< -1: none
    int highlighted() const { return m_highlighted; }
    void fitColumns(bool anew = false); ///< to what they hold; anew: they may become narrower
    void fitSpans();
    int contentHeight(int mostRows) const;
    static QRect squareRect(const QRect& cell);

Q_SIGNALS:
    void runHovered(int id); ///< -1: none
    void selectedRunsChanged();
    void copyRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void toggleSelected();
    void sortBy(int column);
    int neededWidth(int column) const;

    RunTableModel* m_model;
    int m_highlighted = -1;
    std::vector<int> m_widths; ///< that the columns need
};

} // namespace ui
