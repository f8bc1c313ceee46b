// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_table_model.h"

#include "app/baseline_text.h"
#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/models/shown_baselines.h"

#include <QCollator>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace ui {

RunTableModel::RunTableModel(app::Session& session, RunScope& scope, const TensorScope& tensors, QObject* parent)
    : QAbstractTableModel(parent)
    , m_session(session)
    , m_scope(scope)
    , m_tensors(tensors)
    , m_columns{&runColumns().front()}
{
    connect(&session, &app::Session::runRemoved, this, &RunTableModel::refresh);
    connect(&tensors, &TensorScope::changed, this, &RunTableModel::refresh);
    refresh();
}

void RunTableModel::setColumns(std::vector<const RunColumn*> columns)
{
    if (columns == m_columns)
        return;
    beginResetModel();
    m_columns = std::move(columns);
    m_rows.clear();
    m_titles.clear();
    endResetModel();
    refresh();
}

void RunTableModel::setGrouping(Grouping grouping)
{
    m_grouping = grouping;
    refresh();
}

void RunTableModel::setBaselinesShown(bool shown)
{
    m_baselinesShown = shown;
    refresh();
}

void RunTableModel::setFilter(const QString& words)
{
    m_filter = words.simplified().split(u' ', Qt::SkipEmptyParts);
    refresh();
}

void RunTableModel::setSorting(const QString& columnId, Qt::SortOrder order)
{
    m_sortedBy = columnId;
    m_order = order;
    refresh();
}

void RunTableModel::sort(int column, Qt::SortOrder order)
{
    const bool known = column >= 0 && column < columnCount();
    setSorting(known ? m_columns[static_cast<std::size_t>(column)]->id : QString(), order);
}

/// Runs of different tensors are never in one group.
QString RunTableModel::groupOf(const QString& tensor, const QString& within) const
{
    QStringList words{m_tensors.isMixed() ? tensor : QString(), m_grouping == Grouping::None ? QString() : within};
    words.removeAll(QString());
    return words.join(QStringLiteral(" · "));
}

QString RunTableModel::groupOf(const app::Run& run) const
{
    const QString tensor = m_tensors.tensorName(run);
    switch (m_grouping) {
    case Grouping::None:
        break;
    case Grouping::Algorithm:
        return groupOf(tensor, run.algorithmTitle());
    case Grouping::Precision:
        return groupOf(tensor, precisionText(run.config().precision));
    case Grouping::Rank:
        return groupOf(tensor, rankText(run.config()));
    }
    return groupOf(tensor, {});
}

RunTableModel::Row RunTableModel::rowFor(const app::Run& run) const
{
    Row row{run.id(), groupOf(run), {}, {}, run.colorIndex(), run.isVisible()};
    for (const RunColumn* column : m_columns) {
        row.texts += runCellText(*column, run, m_scope);
        const QString exact = runCellExact(*column, run, m_scope);
        row.tips += exact.isEmpty() ? runCellMissing(*column, run) : column->unit.isEmpty() ? exact : exact + u' ' + column->unit;
    }
    if (run.state() == app::RunState::Failed)
        row.tips.first() += u'\n' + run.error();
    if (const QString verdict = app::baselineVerdict(run.baselines(), bestRecord(run)); !verdict.isEmpty())
        row.tips.first() += u'\n' + verdict;
    return row;
}

bool RunTableModel::passesFilter(const Row& row) const
{
    const QString all = row.texts.join(u'\n');
    return std::all_of(m_filter.begin(), m_filter.end(), [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

/// What is not known comes last whatever the order; what is equal stays as it began.
void RunTableModel::sortByNumbers(std::vector<Keyed>& rows) const
{
    const bool descending = m_order == Qt::DescendingOrder;
    std::stable_sort(rows.begin(), rows.end(), [descending](const Keyed& a, const Keyed& b) {
        if (std::isnan(a.key) || std::isnan(b.key))
            return !std::isnan(a.key) && std::isnan(b.key);
        return descending ? a.key > b.key : a.key < b.key;
    });
}

void RunTableModel::sortByWords(std::vector<app::Run*>& runs) const
{
    const RunColumn* const column = runColumn(m_sortedBy);
    if (!column || column->number)
        return;
    const bool descending = m_order == Qt::DescendingOrder;
    const QLocale locale; // the one of programs, C, knows no numbers
    QCollator collator(locale.language() == QLocale::C ? QLocale(QLocale::English) : locale);
    collator.setNumericMode(true); // Run 9 before Run 10
    std::stable_sort(runs.begin(), runs.end(), [&](const app::Run* a, const app::Run* b) {
        const int order = collator.compare(column->words(*a), column->words(*b));
        return descending ? order > 0 : order < 0;
    });
}

/// The group of the first run comes first, with all its runs.
void RunTableModel::insertGroups(std::vector<Row>& rows) const
{
    if (m_grouping == Grouping::None && !m_tensors.isMixed())
        return;
    std::vector<Row> grouped;
    while (!rows.empty()) {
        const QString group = rows.front().group;
        const auto rest = std::stable_partition(rows.begin(), rows.end(), [&](const Row& row) { return row.group == group; });
        const auto runs = std::count_if(rows.begin(), rest, [](const Row& row) { return row.run >= 0; });
        Row head;
        head.group = group;
        head.texts += runs > 0 ? group + QStringLiteral(" · ") + runCount(static_cast<std::size_t>(runs)) : group;
        grouped.push_back(std::move(head));
        grouped.insert(grouped.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rest));
        rows.erase(rows.begin(), rest);
    }
    rows = std::move(grouped);
}

/// They are sorted with the runs where the table is sorted by something that is measured of them; else they come last.
void RunTableModel::addBaselines(std::vector<Keyed>& rows) const
{
    const RunColumn* const sorted = runColumn(m_sortedBy);
    for (const ShownBaselines& each : shownBaselines(m_tensors.runs(), m_tensors))
        for (const bool additive : {false, true}) {
            const kernels::BaselineErrors& errors = additive ? each.baselines.additive : each.baselines.mean;
            const auto number = [&](const RunColumn& column) {
                return column.baseline ? column.baseline(errors, m_scope) : kernels::notMeasured;
            };
            Row row;
            row.baseline = QStringLiteral("%1 %2").arg(each.tensor).arg(additive);
            row.group = groupOf(each.tensorName, tr("Baselines"));
            for (const RunColumn* column : m_columns) {
                const bool isName = column == m_columns.front(), known = std::isfinite(number(*column));
                row.texts += isName ? baselineName(additive) : known ? column->format(number(*column)) : QStringLiteral("–");
                row.exact += isName ? baselineName(additive) : known ? formatting::exact(number(*column)) : QString();
                row.tips += isName ? baselineToolTip(additive) : known ? row.exact.back() : QString();
            }
            if (passesFilter(row))
                rows.push_back({sorted ? number(*sorted) : kernels::notMeasured, std::move(row)});
        }
}

std::vector<RunTableModel::Row> RunTableModel::wantedRows() const
{
    std::vector<app::Run*> runs = m_tensors.runs();
    sortByWords(runs);
    const RunColumn* const sorted = runColumn(m_sortedBy);
    std::vector<Keyed> keyed;
    for (const app::Run* run : runs)
        if (Row row = rowFor(*run); passesFilter(row))
            keyed.push_back({sorted && sorted->number ? runNumber(*sorted, *run, m_scope) : kernels::notMeasured, std::move(row)});
    if (m_baselinesShown)
        addBaselines(keyed);
    if (sorted && sorted->number)
        sortByNumbers(keyed);
    std::vector<Row> rows;
    for (Keyed& each : keyed)
        rows.push_back(std::move(each.row));
    insertGroups(rows);
    return rows;
}

void RunTableModel::refresh()
{
    std::vector<Row> wanted = wantedRows();
    removeRowsNotIn(wanted);
    appendRowsOf(wanted);
    orderAs(wanted);
    takeContent(std::move(wanted));
}

void RunTableModel::removeRowsNotIn(const std::vector<Row>& wanted)
{
    for (int row = rowCount() - 1; row >= 0; --row) {
        const Row& present = m_rows[static_cast<std::size_t>(row)];
        if (std::any_of(wanted.begin(), wanted.end(), [&](const Row& each) { return each.sameAs(present); }))
            continue;
        beginRemoveRows({}, row, row);
        m_rows.erase(m_rows.begin() + row);
        endRemoveRows();
    }
}

void RunTableModel::appendRowsOf(const std::vector<Row>& wanted)
{
    for (const Row& row : wanted) {
        if (std::any_of(m_rows.begin(), m_rows.end(), [&](const Row& each) { return each.sameAs(row); }))
            continue;
        beginInsertRows({}, rowCount(), rowCount());
        m_rows.push_back(row);
        endInsertRows();
    }
}

/// Both have the same rows by now.
void RunTableModel::orderAs(const std::vector<Row>& wanted)
{
    const auto inOrder = [](const Row& a, const Row& b) { return a.sameAs(b); };
    if (std::equal(m_rows.begin(), m_rows.end(), wanted.begin(), wanted.end(), inOrder))
        return;
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    std::vector<Row> before = std::move(m_rows);
    m_rows = wanted;
    QModelIndexList from, to;
    for (std::size_t old = 0; old < before.size(); ++old) {
        const auto now = std::find_if(m_rows.begin(), m_rows.end(), [&](const Row& each) { return each.sameAs(before[old]); });
        for (int column = 0; column < columnCount(); ++column) {
            from += index(static_cast<int>(old), column);
            to += index(static_cast<int>(now - m_rows.begin()), column);
        }
    }
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void RunTableModel::takeContent(std::vector<Row> wanted)
{
    QStringList titles;
    for (const RunColumn* column : m_columns)
        titles += column->titleIn(m_scope)
            + (column->id != m_sortedBy            ? QString()
                   : m_order == Qt::AscendingOrder ? QStringLiteral(" ▴")
                                                   : QStringLiteral(" ▾"));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        Row& row = m_rows[i];
        const bool changed = row.texts != wanted[i].texts || row.tips != wanted[i].tips || row.visible != wanted[i].visible;
        row = std::move(wanted[i]);
        if (changed)
            Q_EMIT dataChanged(index(static_cast<int>(i), 0), index(static_cast<int>(i), columnCount() - 1));
    }
    if (titles != m_titles) {
        m_titles = titles;
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    }
}

int RunTableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }
int RunTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_columns.size()); }

bool RunTableModel::isGroup(int row) const { return row >= 0 && row < rowCount() && m_rows[static_cast<std::size_t>(row)].isGroup(); }

app::Run* RunTableModel::runAt(int row) const
{
    return row < 0 || row >= rowCount() ? nullptr : m_session.run(m_rows[static_cast<std::size_t>(row)].run);
}

int RunTableModel::rowOf(int runId) const
{
    const auto at = std::find_if(m_rows.begin(), m_rows.end(), [&](const Row& row) { return row.run >= 0 && row.run == runId; });
    return at == m_rows.end() ? -1 : static_cast<int>(at - m_rows.begin());
}

std::vector<app::Run*> RunTableModel::runs() const
{
    std::vector<app::Run*> found;
    for (int row = 0; row < rowCount(); ++row)
        if (app::Run* run = runAt(row))
            found.push_back(run);
    return found;
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const RunColumn& column = *m_columns[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return row.texts.value(index.column());
    case Qt::ToolTipRole:
        return row.tips.value(index.column());
    case Qt::TextAlignmentRole:
        return QVariant((column.right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::CheckStateRole:
        return index.column() == 0 && row.run >= 0 ? QVariant(row.visible ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::AccessibleTextRole:
        return row.isGroup() ? row.texts.value(0) : QStringLiteral("%1: %2").arg(column.titleIn(m_scope), row.texts.value(index.column()));
    case RunIdRole:
        return row.run;
    case ColorIndexRole:
        return row.color;
    case IsGroupRole:
        return row.isGroup();
    case IsBaselineRole:
        return !row.baseline.isEmpty();
    case IsVisibleRole:
        return row.visible;
    default:
        return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const RunColumn& column = *m_columns[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        return m_titles.value(section);
    case Qt::ToolTipRole:
        return tr("%1. Click to sort by it.").arg(column.toolTip);
    case Qt::TextAlignmentRole:
        return QVariant((column.right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
        return {};
    }
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex& index) const
{
    if (!index.isValid() || m_rows[static_cast<std::size_t>(index.row())].run < 0)
        return index.isValid() ? Qt::ItemIsEnabled : Qt::NoItemFlags;
    const Qt::ItemFlags own = index.column() == 0 ? Qt::ItemIsUserCheckable : Qt::NoItemFlags;
    return QAbstractTableModel::flags(index) | own;
}

bool RunTableModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    app::Run* run = checkIndex(index, CheckIndexOption::IndexIsValid) ? runAt(index.row()) : nullptr;
    if (!run || role != Qt::CheckStateRole)
        return false;
    run->setVisible(value.toInt() == Qt::Checked);
    refresh();
    return true;
}

TextTable RunTableModel::table(const std::set<int>& runIds, bool exact) const
{
    TextTable result;
    for (const RunColumn* column : m_columns) {
        const QString title = column->titleIn(m_scope);
        result.heads += exact && !column->unit.isEmpty() && !title.startsWith(column->unit + u' ')
            ? QStringLiteral("%1 (%2)").arg(title, column->unit)
            : title;
        result.right.push_back(column->right);
    }
    for (const Row& row : m_rows) {
        const app::Run* const run = m_session.run(row.run);
        if (row.isGroup() || (!runIds.empty() && !runIds.contains(row.run)))
            continue;
        QStringList cells = exact ? row.exact : row.texts; // of a baseline
        if (run) {
            cells.clear();
            for (const RunColumn* column : m_columns)
                cells += exact ? runCellExact(*column, *run, m_scope) : runCellText(*column, *run, m_scope);
        }
        result.rows += cells;
    }
    return result;
}

} // namespace ui
