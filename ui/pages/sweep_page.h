// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/model_matcher.h"
#include "app/session.h"
#include "app/sweep_results.h"

#include <QTimer>
#include <QWidget>

#include <map>
#include <optional>
#include <vector>

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;

namespace ui {

class Card;
class SpreadChart;
class ValueTable;
class ValueView;

/// Which rank is enough, or which value of another setting is best: runs of one tensor that differ in it and the seed alone, value by
/// value, with a sentence of advice on top. What it
/// shows follows from the session's runs, however they were started. News are only noted when they come; a timer draws them.
class SweepPage : public QWidget {
    Q_OBJECT
public:
    explicit SweepPage(app::Session& session, QWidget* parent = nullptr);
    ~SweepPage() override;

    /// Shows the series that this run belongs to, once it is one.
    void showSeriesOf(int runId);
    std::vector<int> sweepOf(int runId) const; ///< the runs of its series, shown here or not; empty: it belongs to none
    void setSweepEnabled(bool enabled); ///< whether a sweep can be begun

    QComboBox* seriesBox() const { return m_seriesBox; }
    SpreadChart* errorChart() const { return m_errors; }
    SpreadChart* agreementChart() const { return m_agreements; }
    SpreadChart* consistencyChart() const { return m_consistencies; }
    ValueTable* table() const { return m_table; }
    ValueView* tableView() const { return m_view; }
    QPushButton* newSweepButton() const { return m_newSweep; }
    QPushButton* removeButton() const { return m_remove; }
    QPushButton* continueButton() const { return m_continue; }
    QPushButton* visibilityButton() const { return m_visibility; }
    QString adviceText() const;
    QString progressText() const;
    bool isEmpty() const { return m_series.empty(); }

Q_SIGNALS:
    void sweepRequested();
    void runChosen(int id);
    void removalRequested(const std::vector<int>& runs);
    void continueRequested(const std::vector<int>& runs); ///< whose error still fell when they ended
    void showOrHideRequested(const std::vector<int>& runs); ///< in the charts of all runs
    void saveFailed(const QString& sentence);

protected:
    void showEvent(QShowEvent* event) override;

private:
    // sweep_page.cpp
    void linkSession();
    std::vector<app::SweepSeries> allSeries() const;
    std::vector<int> shownRuns() const;
    std::vector<int> continuableRuns() const; ///< of those shown, not converged
    void showVisibility();
    void showContinuing();
    void collect();
    void draw();
    void showSeriesNames();
    QString seriesName(std::size_t which) const;
    QString fieldName() const; ///< what the shown series varies
    const app::SweepSeries* current() const;
    app::SweepEvidence evidence() const;
    void wantAnswers();
    void computeConsistency();
    void takeRow(int row);

    // sweep_page_cards.cpp: widgets, and what they show
    void layOut();
    QWidget* makeAdviceCard();
    void setUpCharts();
    void drawAdvice(const app::SweepEvidence& evidence, const app::RankAdvice& advice);
    void drawCharts(const app::SweepEvidence& evidence, const app::RankAdvice& advice);
    void drawTable(const app::SweepEvidence& evidence, const app::RankAdvice& advice);
    void placeCards(bool consistency);
    void enlarge(Card* card, bool on);
    std::vector<Card*> cards() const;

    app::Session& m_session;
    std::vector<app::SweepSeries> m_series;
    std::optional<app::SweepSeries> m_chosen; ///< what tells the series that is shown from others, without its runs
    int m_awaited = -1; ///< a run whose series is to be shown
    std::map<int, std::optional<app::Consistency>> m_known; ///< core consistencies by run; none: it has none
    int m_missing = 0; ///< comparisons that are still to come
    bool m_stale = true;
    bool m_drawing = false;
    QTimer m_timer;

    QWidget* m_empty = nullptr;
    QWidget* m_body = nullptr;
    QComboBox* m_seriesBox = nullptr;
    QPushButton* m_newSweep = nullptr;
    QPushButton* m_emptySweep = nullptr;
    QPushButton* m_remove = nullptr;
    QPushButton* m_visibility = nullptr;
    QPushButton* m_continue = nullptr;
    Card* m_adviceCard = nullptr;
    QLabel* m_adviceHeading = nullptr;
    QLabel* m_sentence = nullptr;
    QLabel* m_remarks = nullptr;
    QLabel* m_progress = nullptr;
    QGridLayout* m_grid = nullptr;
    Card *m_errorCard = nullptr, *m_agreementCard = nullptr, *m_consistencyCard = nullptr, *m_tableCard = nullptr;
    SpreadChart *m_errors = nullptr, *m_agreements = nullptr, *m_consistencies = nullptr;
    ValueTable* m_table = nullptr;
    ValueView* m_view = nullptr;
    QString m_shownTable;
    app::ModelMatcher m_matcher;
    app::BackgroundJob m_job;
};

} // namespace ui
