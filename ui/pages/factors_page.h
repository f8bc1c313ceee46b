// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/session.h"
#include "ui/models/factor_data.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QStackedWidget;

namespace ui {

class ComponentsView;
class CoreConsistencyBox;
class FactorCoreView;
class FactorHeatView;
class FactorSimilarityView;
class RunEdits;
class SegmentedControl;

/// What a run's model is made of: components, factor matrices, core, similarities. Everything is computed on a thread, and only
/// while somebody looks.
class FactorsPage : public QWidget {
    Q_OBJECT
public:
    FactorsPage(app::Session& session, RunEdits& edits, QWidget* parent = nullptr);

    enum View { Components, HeatMaps, Core, Similarity };

    void setRun(int runId); ///< of the workspace; where there is none the newest with a model
    const FactorDataPtr& factors() const { return m_factors; } ///< null while there is nothing to show
    QString emptyText() const; ///< what the page says then

    QComboBox* runChooser() const { return m_runs; }
    SegmentedControl* viewSwitch() const { return m_view; }
    ComponentsView* components() const { return m_components; }
    FactorHeatView* heatMaps() const { return m_heat; }
    FactorCoreView* core() const { return m_core; }
    FactorSimilarityView* similarity() const { return m_similarity; }
    CoreConsistencyBox* consistency() const { return m_consistency; }
    QLabel* caption() const { return m_caption; }
    QLabel* warning() const { return m_warning; }

Q_SIGNALS:
    void runChosen(int runId); ///< in the page's own list
    void saveFailed(const QString& sentence);
    void saved(const QString& path);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeControls();
    void makeViews();
    void connectViews();
    void listRuns();
    void refresh();
    void compute(app::Run* run);
    void computeKept(app::Run* run); ///< of a run that still works: what its checkpoint has
    void showFactors(const FactorDataPtr& factors, app::Run* run);
    void showEmpty(const QString& text);
    void describe();

    app::Session& m_session;
    RunEdits& m_edits;
    int m_runId = -1;
    FactorDataPtr m_factors;
    bool m_kept = false; ///< m_factors are a checkpoint's
    app::BackgroundJob m_job;
    QComboBox* m_runs;
    SegmentedControl* m_view;
    CoreConsistencyBox* m_consistency;
    QLabel* m_caption;
    QLabel* m_warning;
    QLabel* m_empty;
    QStackedWidget* m_stack;
    ComponentsView* m_components;
    FactorHeatView* m_heat;
    FactorCoreView* m_core;
    FactorSimilarityView* m_similarity;
};

} // namespace ui
