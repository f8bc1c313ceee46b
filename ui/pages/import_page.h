// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/table_import.h"

#include <QTimer>
#include <QWidget>

class QBoxLayout;
class QComboBox;
class QFrame;
class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QTableView;
class QToolButton;

namespace ui {

class Card;
class RoleHeader;

/// What is made of a table: its first rows with a role above every column, the modes, the value, and what comes of it.
class ImportPage : public QWidget {
    Q_OBJECT
public:
    explicit ImportPage(QWidget* parent = nullptr);

    void open(const QString& path, const io::table::Recipe& chosen = {});
    void close(); ///< stops what reads
    app::TableImport& import() { return m_import; }
    QTableView* table() const { return m_table; }
    RoleHeader* head() const { return m_head; }

Q_SIGNALS:
    void openRequested();
    void cancelled();
    void saveFailed(const QString& sentence);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeProblem();
    QWidget* makeMiddle();
    QWidget* makeTable();
    QWidget* makeChoices();
    QWidget* makeFooter();
    void showSurvey();
    void showParts();
    void fitColumns();
    bool canOpen() const;
    void requestOpen();
    // import_page_figures.cpp: what comes of the choices
    void showFigures();
    void showProblem();
    void showProgress();
    void showDetails();
    // import_page_menus.cpp
    void showRoleMenu(int column);
    void fillRoleMenu(QMenu& menu, const io::table::ColumnFacts& facts);
    void askForFormat();
    void loadRecipe();
    void saveRecipe();
    void takeRecipe(const QString& path);
    template <typename Change> void change(Change&& change);

    app::TableImport m_import;
    QLabel* m_name;
    QLabel* m_layoutText;
    QComboBox* m_part; ///< the sheet or table, where a file has several
    QToolButton* m_format;
    QToolButton* m_saveRecipe;
    QFrame* m_problem;
    QLabel* m_problemText;
    QPushButton* m_skipRows;
    QTableView* m_table;
    RoleHeader* m_head;
    QWidget* m_choices;
    QBoxLayout* m_sides; ///< of the choices: side by side, or one below the other in a narrow window
    QLabel* m_figures;
    QLabel* m_details;
    QProgressBar* m_progress;
    QPushButton* m_count;
    QPushButton* m_open;
    QTimer m_ticks; ///< while something is counted
};

} // namespace ui
