// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/import_rows.h"

#include "ui/formatting.h"
#include "ui/models/import_choices.h"
#include "ui/models/import_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/parameter_editor.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace ui {
namespace {

using io::table::Aggregate;
using io::table::Filter;
using io::table::Kind;
using io::table::Recipe;
using io::table::Transform;

constexpr Aggregate aggregates[] = {Aggregate::Sum,   Aggregate::Mean, Aggregate::Median, Aggregate::Min, Aggregate::Max,
                                    Aggregate::First, Aggregate::Last, Aggregate::Count,  Aggregate::Any};
constexpr Filter::Test tests[] = {Filter::Test::Equal,     Filter::Test::NotEqual, Filter::Test::Less,
                                  Filter::Test::LessEqual, Filter::Test::Greater,  Filter::Test::GreaterEqual};
constexpr Transform::Kind kinds[] = {Transform::Kind::Log1p, Transform::Kind::Scale, Transform::Kind::Centre, Transform::Kind::Clip};

QLabel* makeFieldLabel(const QString& text, QWidget* buddy, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("fieldLabel"));
    label->setBuddy(buddy);
    return label;
}

QWidget* makeRow(QWidget* parent, QHBoxLayout*& layout)
{
    auto* row = new QWidget(parent);
    layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    parent->layout()->addWidget(row);
    return row;
}

QWidget* makeList(QWidget* parent)
{
    auto* list = new QWidget(parent);
    auto* layout = new QVBoxLayout(list);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(5);
    return list;
}

/// Rows go after their own signals have been heard.
void clear(QWidget* list)
{
    while (QLayoutItem* item = list->layout()->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
}

std::optional<double> numberIn(const QString& text)
{
    bool good = false;
    double number = QLocale().toDouble(text.trimmed(), &good);
    if (!good)
        number = QLocale::c().toDouble(text.trimmed(), &good);
    return good ? std::optional(number) : std::nullopt;
}

QLineEdit* makeNumberField(double number, const QString& name, const QString& placeholder, QWidget* parent,
                           const std::function<void(double)>& take)
{
    auto* field = new QLineEdit(placeholder.isEmpty() || number != 0 ? formatting::exact(number) : QString(), parent);
    field->setAccessibleName(name);
    field->setPlaceholderText(placeholder);
    field->setMinimumWidth(64);
    QObject::connect(field, &QLineEdit::textEdited, field, [field, placeholder, take](const QString& text) {
        const bool isOpen = text.trimmed().isEmpty() && !placeholder.isEmpty();
        const std::optional<double> value = isOpen ? 0.0 : numberIn(text);
        markInvalid(field, !value);
        if (value)
            take(*value);
    });
    return field;
}

void addColumns(QComboBox* combo, const io::table::Survey& survey, const std::string& current)
{
    for (const io::table::ColumnFacts& facts : survey.columns)
        combo->addItem(QString::fromStdString(facts.name));
    combo->setCurrentText(QString::fromStdString(current));
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
}

} // namespace

ImportRows::ImportRows(app::TableImport& import, QWidget* parent)
    : QWidget(parent)
    , m_import(import)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 4, 8, 6);
    layout->setSpacing(6);
    makeValue(layout);
    m_transforms = makeList(this);
    m_filters = makeList(this);
    const auto makeAdd = [this](const QString& text, const char* name) {
        auto* button = new QPushButton(text, this);
        button->setObjectName(QStringLiteral("link"));
        button->setProperty("action", QLatin1String(name));
        button->setCursor(Qt::PointingHandCursor);
        return button;
    };
    auto* addTransform = makeAdd(tr("Change the values…"), "addTransform");
    auto* addFilter = makeAdd(tr("Keep only some rows…"), "addFilter");
    m_skip = new QCheckBox(tr("Skip rows that cannot be read"), this);
    m_skip->setObjectName(QStringLiteral("skipRows"));
    layout->addWidget(m_transforms);
    layout->addWidget(addTransform, 0, Qt::AlignLeft);
    layout->addSpacing(4);
    layout->addWidget(m_filters);
    layout->addWidget(addFilter, 0, Qt::AlignLeft);
    layout->addSpacing(4);
    layout->addWidget(m_skip);
    layout->addStretch();
    connect(addTransform, &QPushButton::clicked, this, [this] { change([](Recipe& recipe) { recipe.transforms.push_back({}); }); });
    connect(addFilter, &QPushButton::clicked, this, &ImportRows::startFilter);
    connect(m_skip, &QCheckBox::toggled, this, [this](bool on) {
        change([on](Recipe& recipe) { recipe.badRows = on ? io::table::BadRows::Skip : io::table::BadRows::Stop; });
    });
    connect(&import, &app::TableImport::surveyed, this, &ImportRows::show);
    connect(
        &import, &app::TableImport::recipeChanged, this, [this] { showNewOf(m_shown); }, Qt::QueuedConnection); // a row may have asked
}

template <typename Change> void ImportRows::change(Change&& change)
{
    Recipe recipe = m_import.recipe();
    change(recipe);
    m_import.setRecipe(recipe);
}

void ImportRows::makeValue(QVBoxLayout* layout)
{
    m_value = new ComboBox(this);
    m_value->setObjectName(QStringLiteral("valueColumn"));
    m_value->setAccessibleName(tr("Value"));
    m_aggregate = new ComboBox(this);
    m_aggregate->setObjectName(QStringLiteral("aggregate"));
    m_aggregate->setAccessibleName(tr("Rows of one cell"));
    for (QComboBox* combo : {m_value, m_aggregate}) {
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        combo->setMinimumContentsLength(10);
    }
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(3);
    grid->addWidget(makeFieldLabel(tr("Value"), m_value, this), 0, 0);
    grid->addWidget(makeFieldLabel(tr("Rows of one cell"), m_aggregate, this), 0, 1);
    grid->addWidget(m_value, 1, 0);
    grid->addWidget(m_aggregate, 1, 1);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    layout->addLayout(grid);
    connect(m_value, &QComboBox::activated, this, [this](int at) {
        change([this, at](Recipe& recipe) {
            import_choices::useAsValue(recipe, at == 0 ? std::string() : m_value->itemText(at).toStdString());
        });
    });
    connect(m_aggregate, &QComboBox::activated, this, [this](int at) {
        change([this, at](Recipe& recipe) { recipe.aggregate = static_cast<Aggregate>(m_aggregate->itemData(at).toInt()); });
    });
}

void ImportRows::show()
{
    m_newFilter.reset();
    showColumns();
    showValue();
    makeFilters();
    makeTransforms();
    m_shown = m_import.recipe();
}

/// What was changed elsewhere. Rows that a person types in stay.
void ImportRows::showNewOf(const Recipe& before)
{
    const Recipe& now = m_import.recipe();
    const auto kindsOf = [](const Recipe& recipe) {
        std::vector<Transform::Kind> all;
        for (const Transform& transform : recipe.transforms)
            all.push_back(transform.kind);
        return all;
    };
    const bool otherModes = now.modes != before.modes;
    showValue();
    if (now.filters.size() != before.filters.size())
        makeFilters();
    if (kindsOf(now) != kindsOf(before) || (otherModes && !now.transforms.empty()))
        makeTransforms();
    m_shown = now;
}

void ImportRows::showColumns()
{
    const QSignalBlocker blocker(m_value);
    m_value->clear();
    m_value->addItem(tr("none: count rows"));
    if (!m_import.survey())
        return;
    for (const io::table::ColumnFacts& facts : m_import.survey()->columns)
        if (facts.kind == Kind::Whole || facts.kind == Kind::Number || facts.name == m_import.recipe().value)
            m_value->addItem(QString::fromStdString(facts.name));
}

void ImportRows::showValue()
{
    const Recipe& recipe = m_import.recipe();
    const QString value = QString::fromStdString(recipe.value);
    if (!value.isEmpty() && m_value->findText(value) < 0)
        m_value->addItem(value); // of texts, some of which are numbers
    m_value->setCurrentIndex(value.isEmpty() ? 0 : m_value->findText(value));
    m_aggregate->clear();
    for (const Aggregate aggregate : aggregates) {
        const bool needsNone = aggregate == Aggregate::Count || aggregate == Aggregate::Any;
        if (needsNone || !recipe.value.empty())
            m_aggregate->addItem(aggregateText(aggregate), static_cast<int>(aggregate));
    }
    m_aggregate->setCurrentIndex(m_aggregate->findData(static_cast<int>(recipe.aggregate)));
    const QSignalBlocker blocker(m_skip);
    m_skip->setChecked(recipe.badRows == io::table::BadRows::Skip);
}

void ImportRows::makeFilters()
{
    clear(m_filters);
    if (m_import.survey())
        for (std::size_t filter = 0; filter < m_import.recipe().filters.size() + (m_newFilter ? 1 : 0); ++filter)
            addFilterRow(filter);
    m_filters->setVisible(m_filters->layout()->count() > 0);
}

/// It counts from the first character of its value on.
void ImportRows::startFilter()
{
    if (!m_import.survey() || m_import.survey()->columns.empty())
        return;
    if (!m_newFilter) {
        m_newFilter = Filter{m_import.survey()->columns.front().name, Filter::Test::Equal, {}};
        makeFilters();
    }
    const QString name = QStringLiteral("filter-value-%1").arg(m_import.recipe().filters.size() + 1);
    for (auto* value : m_filters->findChildren<QLineEdit*>(name))
        if (!value->isHidden() && value->parentWidget()->parentWidget() == m_filters && !value->parentWidget()->isHidden())
            value->setFocus(Qt::OtherFocusReason);
}

void ImportRows::changeFilter(std::size_t filter, const std::function<void(Filter&)>& changeIt)
{
    if (!m_newFilter || filter < m_import.recipe().filters.size())
        return change([&](Recipe& recipe) { changeIt(recipe.filters[filter]); });
    changeIt(*m_newFilter);
    if (m_newFilter->value.empty())
        return;
    const Filter begun = *std::exchange(m_newFilter, std::nullopt);
    m_shown.filters.push_back(begun); // its row stays, a person types in it
    change([&](Recipe& recipe) { recipe.filters.push_back(begun); });
}

void ImportRows::removeFilter(std::size_t filter)
{
    if (filter < m_import.recipe().filters.size())
        return change([filter](Recipe& recipe) { recipe.filters.erase(recipe.filters.begin() + static_cast<std::ptrdiff_t>(filter)); });
    m_newFilter.reset();
    makeFilters();
}

void ImportRows::addFilterRow(std::size_t filter)
{
    const std::vector<Filter>& filters = m_import.recipe().filters;
    const Filter& current = filter < filters.size() ? filters[filter] : *m_newFilter;
    QHBoxLayout* layout = nullptr;
    QWidget* row = makeRow(m_filters, layout);
    auto* column = new ComboBox(row);
    column->setAccessibleName(tr("Column of filter %1").arg(filter + 1));
    addColumns(column, *m_import.survey(), current.column);
    auto* test = new ComboBox(row);
    test->setAccessibleName(tr("Test of filter %1").arg(filter + 1));
    for (const Filter::Test each : tests)
        test->addItem(testText(each), static_cast<int>(each));
    test->setCurrentIndex(test->findData(static_cast<int>(current.test)));
    auto* value = new QLineEdit(QString::fromStdString(current.value), row);
    value->setObjectName(QStringLiteral("filter-value-%1").arg(filter + 1));
    value->setAccessibleName(tr("Value of filter %1").arg(filter + 1));
    value->setPlaceholderText(tr("number, date or text"));
    value->setMinimumWidth(70);
    auto* remove = makeIconButton("close", tr("Remove filter %1").arg(filter + 1), row);
    layout->addWidget(column, 3);
    layout->addWidget(test);
    layout->addWidget(value, 3);
    layout->addWidget(remove);
    connect(column, &QComboBox::activated, this,
            [this, filter, column] { changeFilter(filter, [&](Filter& each) { each.column = column->currentText().toStdString(); }); });
    connect(test, &QComboBox::activated, this, [this, filter, test] {
        changeFilter(filter, [&](Filter& each) { each.test = static_cast<Filter::Test>(test->currentData().toInt()); });
    });
    connect(value, &QLineEdit::textEdited, this, [this, filter](const QString& text) {
        changeFilter(filter, [&](Filter& each) { each.value = text.trimmed().toStdString(); });
    });
    connect(remove, &QToolButton::clicked, this, [this, filter] { removeFilter(filter); });
}

void ImportRows::makeTransforms()
{
    clear(m_transforms);
    for (std::size_t transform = 0; transform < m_import.recipe().transforms.size(); ++transform)
        addTransformRow(transform);
    m_transforms->setVisible(m_transforms->layout()->count() > 0);
}

void ImportRows::addTransformRow(std::size_t transform)
{
    QHBoxLayout* layout = nullptr;
    QWidget* row = makeRow(m_transforms, layout);
    auto* kind = new ComboBox(row);
    kind->setObjectName(QStringLiteral("transform-%1").arg(transform + 1));
    kind->setAccessibleName(tr("Change %1 of the values").arg(transform + 1));
    for (const Transform::Kind each : kinds)
        kind->addItem(transformText(each), static_cast<int>(each));
    kind->setCurrentIndex(kind->findData(static_cast<int>(m_import.recipe().transforms[transform].kind)));
    auto* remove = makeIconButton("close", tr("Remove change %1").arg(transform + 1), row);
    layout->addWidget(kind, 2);
    if (QWidget* operand = makeOperand(transform, row))
        layout->addWidget(operand, 2);
    else
        layout->addStretch(2);
    layout->addWidget(remove);
    connect(kind, &QComboBox::activated, this, [this, transform, kind] {
        change([&](Recipe& recipe) {
            Transform changed;
            changed.kind = static_cast<Transform::Kind>(kind->currentData().toInt());
            if (changed.kind == Transform::Kind::Centre && !recipe.modes.empty())
                changed.mode = recipe.modes.front().name;
            if (changed.kind == Transform::Kind::Clip)
                changed.high = 1;
            recipe.transforms[transform] = changed;
        });
    });
    connect(remove, &QToolButton::clicked, this, [this, transform] {
        change(
            [transform](Recipe& recipe) { recipe.transforms.erase(recipe.transforms.begin() + static_cast<std::ptrdiff_t>(transform)); });
    });
}

QWidget* ImportRows::makeOperand(std::size_t transform, QWidget* parent)
{
    const Transform& current = m_import.recipe().transforms[transform];
    const auto taker = [this, transform](double Transform::*member) {
        return [this, transform, member](double number) { change([&](Recipe& recipe) { recipe.transforms[transform].*member = number; }); };
    };
    if (current.kind == Transform::Kind::Scale)
        return makeNumberField(current.high, tr("Divisor"), tr("standard deviation"), parent, taker(&Transform::high));
    if (current.kind == Transform::Kind::Centre) {
        auto* mode = new ComboBox(parent);
        mode->setAccessibleName(tr("Mode whose means are subtracted"));
        for (const io::table::ModeRecipe& each : m_import.recipe().modes)
            mode->addItem(QString::fromStdString(each.name));
        mode->setCurrentText(QString::fromStdString(current.mode));
        connect(mode, &QComboBox::activated, this, [this, transform, mode] {
            change([&](Recipe& recipe) { recipe.transforms[transform].mode = mode->currentText().toStdString(); });
        });
        return mode;
    }
    if (current.kind != Transform::Kind::Clip)
        return nullptr;
    auto* both = new QWidget(parent);
    auto* layout = new QHBoxLayout(both);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(makeNumberField(current.low, tr("Smallest value"), {}, both, taker(&Transform::low)));
    layout->addWidget(new QLabel(tr("to"), both));
    layout->addWidget(makeNumberField(current.high, tr("Largest value"), {}, both, taker(&Transform::high)));
    return both;
}

} // namespace ui
