// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "ui/models/run_columns.h"
#include "ui/models/table_text.h"

#include <QAbstractTableModel>

#include <set>
#include <vector>

namespace ui {

class TensorScope;

/// The session's runs beside each other, and what they are compared with: sorted, filtered, in groups under a row of their own. What
/// changes is taken over by refresh() alone, so that news may come as fast as they like; rows keep their indexes over it, and so does a
/// selection.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role { RunIdRole = Qt::UserRole, ColorIndexRole, IsGroupRole, IsVisibleRole, IsBaselineRole };
    enum class Grouping { None, Algorithm, Precision, Rank };

    RunTableModel(app::Session& session, RunScope& scope, const TensorScope& tensors, QObject* parent = nullptr);

    /// The first is the run's name.
    void setColumns(std::vector<const RunColumn*> columns);
    const std::vector<const RunColumn*>& columns() const { return m_columns; }
    void setGrouping(Grouping grouping); ///< within each tensor, where runs of several are shown
    void setBaselinesShown(bool shown); ///< rows of their own, which are no runs; not at first
    void setFilter(const QString& words); ///< all of them must be in a row's shown cells
    void setSorting(const QString& columnId, Qt::SortOrder order); ///< empty: as they began
    const QString& sortedBy() const { return m_sortedBy; }
    Qt::SortOrder sortOrder() const { return m_order; }
    void refresh();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    void sort(int column, Qt::SortOrder order) override;

    app::Run* runAt(int row) const; ///< null for a group
    int rowOf(int runId) const; ///< -1: not shown
    std::vector<app::Run*> runs() const; ///< shown, in their order
    bool isGroup(int row) const;
    /// What is shown of these runs (empty: of all); exact: all digits, with units in the heads.
    TextTable table(const std::set<int>& runIds, bool exact) const;

private:
    struct Row {
        int run = -1; ///< -1: a group, or a baseline
        QString group; ///< what its runs have in common
        QStringList texts, tips;
        int color = 0;
        bool visible = true;
        QString baseline = {}; ///< which, and of which tensor; empty: none
        QStringList exact = {}; ///< of a baseline
        bool isGroup() const { return run < 0 && baseline.isEmpty(); }
        bool sameAs(const Row& other) const
        {
            return run == other.run && baseline == other.baseline && (!isGroup() || group == other.group);
        }
    };
    struct Keyed {
        double key; ///< what it is sorted by; NaN: not known
        Row row;
    };

    Row rowFor(const app::Run& run) const;
    std::vector<Row> wantedRows() const;
    void addBaselines(std::vector<Keyed>& rows) const;
    QString groupOf(const QString& tensor, const QString& within) const;
    void sortByWords(std::vector<app::Run*>& runs) const;
    void sortByNumbers(std::vector<Keyed>& rows) const;
    bool passesFilter(const Row& row) const;
    QString groupOf(const app::Run& run) const;
    void insertGroups(std::vector<Row>& rows) const;
    void removeRowsNotIn(const std::vector<Row>& wanted);
    void appendRowsOf(const std::vector<Row>& wanted);
    void orderAs(const std::vector<Row>& wanted);
    void takeContent(std::vector<Row> wanted);

    app::Session& m_session;
    RunScope& m_scope;
    const TensorScope& m_tensors;
    bool m_baselinesShown = false;
    std::vector<const RunColumn*> m_columns;
    Grouping m_grouping = Grouping::None;
    QStringList m_filter;
    QString m_sortedBy;
    Qt::SortOrder m_order = Qt::AscendingOrder;
    QStringList m_titles; ///< shown above the columns
    std::vector<Row> m_rows;
};

} // namespace ui
