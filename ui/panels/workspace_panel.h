// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

#include <QFrame>

class QLabel;
class QListView;
class QToolButton;

namespace ui {

class RunEdits;
class RunListModel;
class TensorListModel;

/// The left side: what there is. Two lists with a current row each.
class WorkspacePanel : public QFrame {
    Q_OBJECT
public:
    WorkspacePanel(app::Session& session, RunEdits& edits, QWidget* parent = nullptr);

    app::OpenTensorPtr currentTensor() const;
    app::Run* currentRun() const;
    void setCurrentTensor(int id);
    void setCurrentRun(int id);
    void setHighlightedRun(int id); ///< as if the mouse were over it; -1: none
    QListView* tensorList() const { return m_tensorList; }
    QListView* runList() const { return m_runList; }
    QToolButton* queueButton() const { return m_queueButton; } ///< there while runs wait, or the queue is paused
    QString queueText() const;
    void addToFoot(QWidget* widget); ///< below the runs

Q_SIGNALS:
    void currentTensorChanged();
    void currentRunChanged();
    void openRequested();
    void runHovered(int id); ///< -1: none
    void runMenuRequested(const QPoint& global);
    void closeTensorRequested(int id);
    void runRemovalRequested();
    void queuePauseRequested(); ///< or that it goes on

private:
    void setUpTensorList();
    void setUpRunList();
    void layOut();
    void fitHeights();
    void showQueue();
    void showTensorMenu(const QPoint& position);
    bool handleDelete(QObject* watched);
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

    app::Session& m_session;
    TensorListModel* m_tensors;
    RunListModel* m_runs;
    QListView* m_tensorList;
    QListView* m_runList;
    QLabel* m_noTensors;
    QLabel* m_noRuns;
    QLabel* m_runCount;
    QLabel* m_queueState;
    QToolButton* m_queueButton;
};

} // namespace ui
