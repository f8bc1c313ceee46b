// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a person chooses above the comparison: target, groups, filter, columns, copies, and how it is remembered.
#include "ui/models/run_text.h"
#include "ui/models/tensor_scope.h"
#include "ui/pages/compare_page.h"
#include "ui/theme.h"
#include "ui/widgets/check_menu.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/control_row.h"
#include "ui/widgets/run_table.h"
#include "ui/widgets/segmented_control.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QStyle>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

QString key(const char* name) { return QStringLiteral("compare/") + QLatin1String(name); }

QToolButton* textButton(const QString& text, const QString& accessibleName, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("menuButton"));
    button->setText(text);
    button->setAccessibleName(accessibleName);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

void setInvalid(QLineEdit* field, bool invalid)
{
    if (field->property("invalid").toBool() == invalid)
        return;
    field->setProperty("invalid", invalid);
    field->style()->unpolish(field);
    field->style()->polish(field);
}

} // namespace

QWidget* ComparePage::makeControls()
{
    auto* ofTarget = new QWidget(m_body);
    auto* ofTable = new QWidget(m_body);
    m_measure = new ComboBox(ofTarget);
    m_measure->addItems({tr("target RMSE"), tr("target MAE"), tr("target fit")});
    m_measure->setAccessibleName(tr("What the target is of"));
    m_target = new QLineEdit(ofTarget);
    m_target->setAccessibleName(tr("Target"));
    whenZoomed(m_target, [this] { m_target->setFixedWidth(zoomed(78)); });
    auto* groupLabel = new QLabel(tr("group by"), ofTarget);
    groupLabel->setObjectName(QStringLiteral("muted"));
    m_groups = new SegmentedControl(tr("Group by"), {tr("None"), tr("Algorithm"), tr("Precision"), tr("Rank")}, ofTarget);
    auto* left = new QHBoxLayout(ofTarget);
    left->setContentsMargins(0, 0, 0, 0);
    left->setSpacing(6);
    for (QWidget* each : std::initializer_list<QWidget*>{m_measure, m_target, groupLabel, m_groups})
        left->addWidget(each);
    left->insertSpacing(2, 4);

    m_filter = new QLineEdit(ofTable);
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setAccessibleName(tr("Filter runs"));
    m_filter->setToolTip(tr("Only runs whose row has all these words."));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(84);
    m_columnsButton = textButton(tr("Columns…"), tr("Choose columns"), ofTable);
    m_copyButton = textButton(tr("Copy ▾"), tr("Copy the table"), ofTable);
    auto* right = new QHBoxLayout(ofTable);
    right->setContentsMargins(0, 0, 0, 0);
    right->setSpacing(4);
    right->addWidget(m_filter, 1);
    right->addWidget(m_columnsButton);
    right->addWidget(m_copyButton);
    setUpColumnsMenu();
    setUpCopyMenu();
    connect(m_target, &QLineEdit::editingFinished, this, &ComparePage::targetEdited);
    connect(m_filter, &QLineEdit::textChanged, m_model, &RunTableModel::setFilter);
    return new ControlRow(ofTarget, ofTable, m_body);
}

void ComparePage::setUpCopyMenu()
{
    auto* menu = new QMenu(m_copyButton);
    const std::pair<QString, CopyAs> forms[] = {
        {tr("Text"), CopyAs::Text}, {tr("CSV, all digits"), CopyAs::Csv}, {tr("Markdown"), CopyAs::Markdown}, {tr("LaTeX"), CopyAs::Latex}};
    for (const auto& [title, form] : forms)
        menu->addAction(title, this, [this, form = form] { copy(form, false); });
    QMenu* chosen = menu->addMenu(tr("Chosen runs"));
    for (const auto& [title, form] : forms)
        chosen->addAction(title, this, [this, form = form] { copy(form, true); });
    connect(menu, &QMenu::aboutToShow, chosen, [this, chosen] { chosen->setEnabled(!m_table->selectedRuns().empty()); });
    m_copyButton->setMenu(menu);
}

void ComparePage::setUpColumnsMenu()
{
    m_columnsMenu = new CheckMenu(m_columnsButton);
    m_columnsMenu->setToolTipsVisible(true);
    for (const RunColumn& column : runColumns()) {
        if (&column == &runColumns().front())
            continue; // the name stays
        QAction* action = m_columnsMenu->addAction(column.name);
        action->setCheckable(true);
        action->setData(column.id);
        action->setToolTip(column.toolTip);
        connect(action, &QAction::triggered, this, [this, id = column.id](bool on) { chooseColumn(id, on); });
    }
    m_columnsMenu->addSeparator();
    m_columnsMenu->addAction(tr("As at first"), this, [this] {
        m_chosenColumns.clear();
        QSettings().remove(key("columns"));
        updateColumns();
    });
    m_columnsButton->setMenu(m_columnsMenu);
}

/// What was chosen, else what a table begins with: some columns only once a run has something to say in them.
void ComparePage::updateColumns()
{
    std::vector<const RunColumn*> columns;
    for (const RunColumn& column : runColumns()) {
        const bool chosen = std::find(m_chosenColumns.begin(), m_chosenColumns.end(), column.id) != m_chosenColumns.end();
        const auto runs = m_tensors.runs();
        const auto knows = [&](const app::Run* run) { return std::isfinite(runNumber(column, *run, m_scope)); };
        const bool first = column.shown == RunColumn::Shown::AtFirst
            || (column.shown == RunColumn::Shown::WhenKnown && std::any_of(runs.begin(), runs.end(), knows));
        if (columns.empty() || (m_chosenColumns.empty() ? first : chosen))
            columns.push_back(&column);
    }
    useColumns(std::move(columns));
}

void ComparePage::useColumns(std::vector<const RunColumn*> columns)
{
    if (columns == m_model->columns())
        return;
    const std::vector<int> chosen = m_table->selectedRuns();
    {
        const QSignalBlocker quiet(m_table);
        m_model->setColumns(std::move(columns));
        m_table->selectRuns(chosen);
    }
    for (QAction* action : m_columnsMenu->actions()) {
        const auto& shown = m_model->columns();
        action->setChecked(std::any_of(shown.begin(), shown.end(), [&](const RunColumn* each) { return each->id == action->data(); }));
    }
    m_table->fitColumns(true);
    m_stale = true;
}

void ComparePage::chooseColumn(const QString& id, bool shown)
{
    m_chosenColumns.clear();
    for (const RunColumn& column : runColumns()) {
        const auto& present = m_model->columns();
        const bool before = std::find(present.begin(), present.end(), &column) != present.end();
        if (column.id == id ? shown : before)
            m_chosenColumns.push_back(column.id);
    }
    QSettings().setValue(key("columns"), QStringList(m_chosenColumns.begin(), m_chosenColumns.end()));
    updateColumns();
}

void ComparePage::targetEdited()
{
    const QString text = m_target->text().trimmed();
    bool isNumber = false;
    const double value = QString(text).replace(u',', u'.').toDouble(&isNumber);
    const bool valid = isNumber && std::isfinite(value) && (m_scope.measure() == app::Measure::Fit ? value <= 1 : value > 0);
    setInvalid(m_target, !valid && !text.isEmpty());
    if (!valid && !text.isEmpty()) {
        m_target->setToolTip(m_scope.measure() == app::Measure::Fit ? tr("A number up to 1.") : tr("A number above 0."));
        return;
    }
    if (!text.isEmpty() && text == m_scope.targetText())
        return; // left as it was
    setTarget(valid ? std::optional(value) : std::nullopt);
}

void ComparePage::setTarget(std::optional<double> target)
{
    m_scope.setTarget(target);
    QSettings().setValue(key("target"), target ? QVariant(*target) : QVariant(QString()));
    m_stale = true;
    draw();
}

void ComparePage::showTarget()
{
    m_forAll->setEnabled(std::isfinite(m_scope.reachedByAll(chartedRuns())));
    if (m_target->property("invalid").toBool() || (m_target->hasFocus() && m_target->isModified()))
        return;
    const QString text = std::isfinite(m_scope.target()) ? m_scope.targetText() : QString();
    if (m_target->text() != text)
        m_target->setText(text);
    m_target->setToolTip(m_scope.isTargetChosen()
                             ? tr("Times until a run's %1 meets this. Empty: what the second best run reaches.").arg(m_scope.measureText())
                             : tr("Times until a run's %1 meets this: proposed by what the second best run reaches. Type another.")
                                   .arg(m_scope.measureText()));
}

QString ComparePage::copyText(CopyAs form, bool selectedOnly) const
{
    const std::vector<int> chosen = m_table->selectedRuns();
    const std::set<int> ids = selectedOnly ? std::set<int>(chosen.begin(), chosen.end()) : std::set<int>();
    const TextTable table = m_model->table(ids, form == CopyAs::Csv);
    switch (form) {
    case CopyAs::Text:
        break;
    case CopyAs::Csv:
        return csvText(table);
    case CopyAs::Markdown:
        return markdownText(table);
    case CopyAs::Latex:
        return latexText(table);
    }
    return alignedText(table);
}

void ComparePage::copy(CopyAs form, bool selectedOnly)
{
    QApplication::clipboard()->setText(copyText(form, selectedOnly));
    const std::size_t count = selectedOnly ? m_table->selectedRuns().size() : m_model->runs().size();
    Q_EMIT copied(tr("Copied %1").arg(runCount(count)));
}

void ComparePage::rememberSorting()
{
    QSettings settings;
    settings.setValue(key("sort"), m_model->sortedBy());
    settings.setValue(key("descending"), m_model->sortOrder() == Qt::DescendingOrder);
}

void ComparePage::restoreChoices()
{
    const QSettings settings;
    for (const QString& id : settings.value(key("columns")).toStringList())
        if (runColumn(id))
            m_chosenColumns.push_back(id);
    m_measure->setCurrentIndex(std::clamp(settings.value(key("measure"), 0).toInt(), 0, 2));
    m_scope.setMeasure(static_cast<app::Measure>(m_measure->currentIndex()));
    bool known = false;
    const double target = settings.value(key("target")).toDouble(&known);
    m_scope.setTarget(known && std::isfinite(target) ? std::optional(target) : std::nullopt);
    m_groups->setCurrent(std::clamp(settings.value(key("grouping"), 0).toInt(), 0, 3));
    m_model->setGrouping(static_cast<RunTableModel::Grouping>(m_groups->current()));
    const QString sorted = settings.value(key("sort"), QStringLiteral("rmse")).toString();
    m_model->setSorting(sorted, settings.value(key("descending"), false).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
    const auto choose = [](QComboBox* box, const QString& id) { box->setCurrentIndex(std::max(0, box->findData(id))); };
    choose(m_cost, settings.value(key("cost"), QStringLiteral("iteration-time")).toString());
    choose(m_bar, settings.value(key("bar"), QStringLiteral("iteration-time")).toString());

    connect(m_measure, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_scope.setMeasure(static_cast<app::Measure>(index));
        QSettings().setValue(key("measure"), index);
        QSettings().setValue(key("target"), QString());
        setInvalid(m_target, false);
        m_target->setModified(false);
        m_stale = true;
        draw();
    });
    connect(m_groups, &SegmentedControl::currentChanged, this, [this](int index) {
        QSettings().setValue(key("grouping"), index);
        m_model->setGrouping(static_cast<RunTableModel::Grouping>(index));
        m_stale = true;
        draw();
    });
    for (const auto& [box, name] : {std::pair(m_cost, "cost"), std::pair(m_bar, "bar")})
        connect(box, &QComboBox::currentIndexChanged, this, [this, box = box, name = name] {
            QSettings().setValue(key(name), box->currentData());
            m_stale = true;
            draw();
        });
}

} // namespace ui
