// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model_matcher.h"
#include "app/session.h"
#include "app/setting_differences.h"
#include "ui/models/run_scope.h"
#include "ui/models/run_table_model.h"

#include <QTimer>
#include <QWidget>

#include <set>
#include <vector>

class QBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QMenu;
class QScrollArea;
class QTableWidget;
class QToolButton;

namespace ui {

class BarChart;
class Card;
class CheckMenu;
class PointChart;
class RunTable;
class SegmentedControl;
class TensorScope;
class TraceChart;

/// Runs beside each other: a table of what they are and did, when they reached a target, what their accuracy cost, which settings
/// and which components of their models differ. News are only noted when they come; a 100 ms timer draws them.
class ComparePage : public QWidget {
    Q_OBJECT
public:
    enum class CopyAs { Text, Csv, Markdown, Latex };

    ComparePage(app::Session& session, const TensorScope& tensors, QWidget* parent = nullptr);
    ~ComparePage() override;

    void setHighlighted(int runId); ///< -1: none
    void setCurrentRun(int runId); ///< chosen elsewhere
    void setBaselinesShown(bool shown);
    QString copyText(CopyAs, bool selectedOnly) const;

    RunTable* table() const { return m_table; }
    RunTableModel* model() const { return m_model; }
    const RunScope& scope() const { return m_scope; }
    QComboBox* measureBox() const { return m_measure; }
    QLineEdit* targetField() const { return m_target; }
    QPushButton* targetForAll() const { return m_forAll; }
    QLineEdit* filterField() const { return m_filter; }
    SegmentedControl* groupSwitch() const { return m_groups; }
    QToolButton* columnsButton() const { return m_columnsButton; }
    QToolButton* copyButton() const { return m_copyButton; }
    QComboBox* costBox() const { return m_cost; }
    QComboBox* barBox() const { return m_bar; }
    TraceChart* timeChart() const { return m_time; }
    PointChart* costChart() const { return m_points; }
    BarChart* barChart() const { return m_bars; }
    QTableWidget* settingsTable() const { return m_settings; }
    Card* timeCard() const { return m_timeCard; }
    Card* costCard() const { return m_costCard; }
    Card* barCard() const { return m_barCard; }
    QScrollArea* scrollArea() const { return m_scroll; }
    QString agreementText() const;
    QString agreementToolTip() const;
    QString emptyText() const; ///< empty: there are runs to show

Q_SIGNALS:
    void runHovered(int id); ///< -1: none
    void runChosen(int id);
    void copied(const QString& what);
    void saveFailed(const QString& sentence);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    // compare_page.cpp
    void setUpTable();
    void layOut();
    void linkSession();
    void draw();
    void showTable();
    std::vector<app::Run*> chartedRuns() const; ///< shown in the table, and not hidden
    std::vector<app::Run*> comparedRuns() const; ///< the chosen ones, else the first of the table
    static bool hasModel(const app::Run& run);
    void enlarge(Card* card, bool on);
    // compare_page_controls.cpp
    QWidget* makeControls();
    void setUpCopyMenu();
    void setUpColumnsMenu();
    void targetEdited();
    void showTarget();
    void setTarget(std::optional<double> target);
    void updateColumns();
    void chooseColumn(const QString& id, bool shown);
    void useColumns(std::vector<const RunColumn*> columns);
    void copy(CopyAs, bool selectedOnly);
    void restoreChoices();
    void rememberSorting();
    // compare_page_cards.cpp
    void setUpCards();
    void setUpSettingsCard();
    void setUpAgreementCard();
    void drawTimes();
    QString timesCsv() const;
    void drawCosts();
    void drawBars();
    void drawSettings();
    void drawAgreement();
    QString agreementOf(const app::Run& first, const app::Run& second) const;

    app::Session& m_session;
    const TensorScope& m_tensors;
    RunScope m_scope;
    RunTableModel* m_model;
    app::ModelMatcher m_matcher;
    QTimer m_timer;
    bool m_stale = true;
    int m_highlighted = -1;
    int m_awaited = -1; ///< chosen elsewhere before it had a row
    std::vector<QString> m_chosenColumns; ///< empty: those that a table of these runs begins with
    std::vector<app::SettingRow> m_shownSettings;
    QStringList m_shownSettingNames;
    RunTable* m_table;
    QScrollArea* m_scroll;
    QWidget* m_body;
    QLabel* m_empty;
    QLabel* m_noMatch;
    QComboBox* m_measure;
    QLineEdit* m_target;
    QPushButton* m_forAll; ///< a target that every visible run reaches
    QLineEdit* m_filter;
    SegmentedControl* m_groups;
    QToolButton* m_columnsButton;
    QToolButton* m_copyButton;
    CheckMenu* m_columnsMenu;
    QComboBox* m_cost;
    QComboBox* m_bar;
    Card* m_tableCard;
    Card* m_timeCard;
    Card* m_costCard;
    Card* m_barCard;
    Card* m_settingsCard;
    Card* m_agreementCard;
    TraceChart* m_time;
    PointChart* m_points;
    BarChart* m_bars;
    QTableWidget* m_settings;
    QLabel* m_noSettings;
    QLabel* m_agreementMeasure;
    QLabel* m_agreement;
};

} // namespace ui
