// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "ui/models/residual_curves.h"
#include "ui/pages/predict_subject.h"

#include <QTimer>
#include <QWidget>

#include <array>

class QComboBox;
class QLabel;
class QProgressBar;
class QStackedWidget;

namespace ui {

class Card;
class SegmentedControl;
class TraceChart;
class ValueTable;
class ValueView;

/// Where a model errs: how residuals are spread, the worst entries, and what each slice has of them. Computed when it is
/// first looked at, on a thread.
class ResidualView : public QWidget {
    Q_OBJECT
public:
    explicit ResidualView(QWidget* parent = nullptr);

    void setSubject(const PredictSubjectPtr& subject);
    void setEntries(const RunEntriesPtr& entries, const QString& whyNone);

    bool isComputing() const { return m_task.isRunning(); }
    const app::RunResiduals* residuals() const { return m_shown.get(); } ///< null: not computed (yet)
    QString message() const; ///< what is said in place of cards
    SegmentedControl* partSwitch() const { return m_partSwitch; }
    QComboBox* modeChooser() const { return m_mode; }
    TraceChart* histogram() const { return m_histogram; }
    TraceChart* sliceChart() const { return m_sliceChart; }
    ValueTable* worst() const { return m_worst; }
    ValueTable* slices() const { return m_slices; }
    ValueView* worstView() const { return m_worstView; }
    ValueView* sliceView() const { return m_sliceView; }
    std::array<Card*, 4> cards() const { return {m_histogramCard, m_sliceChartCard, m_worstCard, m_sliceCard}; }

public Q_SLOTS:
    void compute();

Q_SIGNALS:
    void saveFailed(const QString& sentence);
    void entryTaken(const std::vector<kernels::Index>& index);

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Kept {
        int runId = 0;
        std::weak_ptr<const app::RunOutcome> outcome; ///< a run that goes on from its end has another one then
        std::shared_ptr<const app::RunResiduals> residuals;
    };

    QWidget* makeControls();
    QWidget* makeWaiting();
    QWidget* makeCards();
    void setUpCharts();
    void setUpTables();
    void computed();
    void wait(const QString& text, bool working);
    void showProgress();
    void show(std::shared_ptr<const app::RunResiduals> residuals);
    void showParts();
    void showSummary(ResidualPart part);
    void showMode();
    void enlarge(Card* card, bool on);
    void takeSlice(int row);

    PredictSubjectPtr m_subject;
    RunEntriesPtr m_entries;
    app::BackgroundJob m_task;
    std::shared_ptr<app::RunResiduals> m_result; ///< what the newest task fills
    std::shared_ptr<const app::RunResiduals> m_shown;
    std::vector<Kept> m_kept; ///< of the runs last looked at
    QTimer m_timer;
    QStackedWidget* m_pages;
    QLabel* m_message;
    QProgressBar* m_bar;
    QWidget* m_cancel;
    QWidget* m_again;
    QWidget* m_controls;
    SegmentedControl* m_partSwitch;
    QComboBox* m_mode;
    QLabel* m_summary;
    Card* m_enlarged = nullptr;
    std::vector<QWidget*> m_rows; ///< of cards
    Card* m_histogramCard;
    Card* m_sliceChartCard;
    Card* m_worstCard;
    Card* m_sliceCard;
    TraceChart* m_histogram;
    TraceChart* m_sliceChart;
    ValueTable* m_worst;
    ValueTable* m_slices;
    ValueView* m_worstView;
    ValueView* m_sliceView;
};

} // namespace ui
