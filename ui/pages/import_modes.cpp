// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/import_modes.h"

#include "ui/models/import_choices.h"
#include "ui/models/import_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/elided_label.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace ui {
namespace {

using io::table::Derive;
using io::table::ModeRecipe;
using io::table::Recipe;

enum Column { Name, From, Way, Number, Size, Up, Remove, Columns };

QLabel* makeHead(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    return label;
}

bool isText(const ModeRecipe& mode) { return mode.derive == Derive::Text || mode.derive == Derive::Fold; }

/// The ways a column can be used, with the mode's own among them.
std::vector<ModeRecipe> waysOf(const app::TableImport& import, const ModeRecipe& mode)
{
    std::vector<ModeRecipe> ways;
    if (import.survey())
        if (const auto* facts = import_choices::columnNamed(*import.survey(), mode.column))
            ways = io::table::waysToUse(*facts);
    if (std::none_of(ways.begin(), ways.end(), [&](const ModeRecipe& way) { return import_choices::isWay(mode, way); }))
        ways.push_back(mode);
    return ways;
}

} // namespace

ImportModes::ImportModes(app::TableImport& import, QWidget* parent)
    : QWidget(parent)
    , m_import(import)
{
    m_nothing = new QLabel(tr("Click below a column's name to make it a mode. A tensor needs two or more."), this);
    m_nothing->setObjectName(QStringLiteral("muted"));
    m_nothing->setWordWrap(true);
    m_rows = new QWidget(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 4, 8, 6);
    layout->addWidget(m_nothing);
    layout->addWidget(m_rows);
    layout->addStretch();
    const auto showNew = [this] {
        if (structure() != m_shown)
            makeRows();
        showSizes();
    };
    connect(&import, &app::TableImport::surveyed, this, &ImportModes::makeRows);
    connect(&import, &app::TableImport::recipeChanged, this, showNew, Qt::QueuedConnection); // a row may have asked
    connect(&import, &app::TableImport::figuresChanged, this, &ImportModes::showSizes);
}

std::string ImportModes::structure() const
{
    std::string text;
    for (const ModeRecipe& mode : m_import.recipe().modes)
        text += mode.column + '\n' + std::to_string(static_cast<int>(mode.derive)) + '\n';
    return text;
}

template <typename Change> void ImportModes::change(Change&& change)
{
    Recipe recipe = m_import.recipe();
    change(recipe);
    m_import.setRecipe(recipe);
}

void ImportModes::makeRows()
{
    m_shown = structure();
    m_sizes.clear();
    auto* rows = new QWidget(this);
    delete layout()->replaceWidget(m_rows, rows);
    m_rows->hide();
    m_rows->deleteLater();
    m_rows = rows;
    m_grid = new QGridLayout(rows);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(8);
    m_grid->setVerticalSpacing(5);
    const std::vector<ModeRecipe>& modes = m_import.recipe().modes;
    m_nothing->setVisible(modes.empty());
    if (!modes.empty()) {
        m_grid->addWidget(makeHead(tr("Name"), rows), 0, Name);
        m_grid->addWidget(makeHead(tr("Column"), rows), 0, From);
        m_grid->addWidget(makeHead(tr("Made from its"), rows), 0, Way);
        m_grid->addWidget(makeHead(tr("Size"), rows), 0, Size, Qt::AlignRight);
    }
    for (std::size_t mode = 0; mode < modes.size(); ++mode)
        addRow(mode);
    m_grid->setColumnStretch(Name, 3);
    m_grid->setColumnStretch(From, 3);
    m_grid->setColumnStretch(Way, 3);
    m_grid->setColumnMinimumWidth(Size, 64);
    rows->show();
    showSizes();
}

void ImportModes::addRow(std::size_t mode)
{
    const ModeRecipe& recipe = m_import.recipe().modes[mode];
    const int row = static_cast<int>(mode) + 1;
    auto* from = new ElidedLabel(QString::fromStdString(recipe.column), m_rows);
    from->setObjectName(QStringLiteral("muted"));
    from->setTextFormat(Qt::PlainText);
    from->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* size = new QLabel(m_rows);
    size->setObjectName(QStringLiteral("strong"));
    size->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_sizes.push_back(size);
    m_grid->addWidget(makeName(mode), row, Name);
    m_grid->addWidget(from, row, From);
    m_grid->addWidget(makeWays(mode), row, Way);
    QWidget* const number = makeNumber(mode);
    QWidget* const zone = makeZone(mode);
    if (number && zone) {
        auto* both = new QWidget(m_rows);
        auto* layout = new QHBoxLayout(both);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(number);
        layout->addWidget(zone);
        m_grid->addWidget(both, row, Number);
    } else if (number || zone)
        m_grid->addWidget(number ? number : zone, row, Number);
    m_grid->addWidget(size, row, Size);
    addButtons(mode, row);
}

QWidget* ImportModes::makeName(std::size_t mode)
{
    auto* name = new QLineEdit(QString::fromStdString(m_import.recipe().modes[mode].name), m_rows);
    name->setObjectName(QStringLiteral("mode-name-%1").arg(mode + 1));
    name->setAccessibleName(tr("Name of mode %1").arg(mode + 1));
    name->setCursorPosition(0);
    name->setMinimumWidth(70);
    connect(name, &QLineEdit::editingFinished, this, [this, name, mode] {
        change([&](Recipe& recipe) { import_choices::renameMode(recipe, mode, name->text().trimmed().toStdString()); });
        name->setText(QString::fromStdString(m_import.recipe().modes[mode].name)); // that of another one is refused
    });
    return name;
}

QWidget* ImportModes::makeWays(std::size_t mode)
{
    const ModeRecipe& current = m_import.recipe().modes[mode];
    auto* combo = new ComboBox(m_rows);
    combo->setObjectName(QStringLiteral("mode-way-%1").arg(mode + 1));
    combo->setAccessibleName(tr("How mode %1 is made").arg(mode + 1));
    combo->setMinimumWidth(90);
    const std::vector<ModeRecipe> ways = waysOf(m_import, current);
    for (const ModeRecipe& way : ways) {
        combo->addItem(wayText(way));
        if (import_choices::isWay(current, way))
            combo->setCurrentIndex(combo->count() - 1);
    }
    connect(combo, &QComboBox::activated, this, [this, mode, ways](int at) {
        change([&](Recipe& recipe) { import_choices::changeWay(recipe, mode, ways[static_cast<std::size_t>(at)]); });
    });
    return combo;
}

/// Of times that tell their offsets; null: there is nothing to choose.
QWidget* ImportModes::makeZone(std::size_t mode)
{
    const ModeRecipe& current = m_import.recipe().modes[mode];
    const auto* facts = m_import.survey() ? import_choices::columnNamed(*m_import.survey(), current.column) : nullptr;
    if (!io::table::isOfTime(current.derive) || ((!facts || !facts->hasOffset) && current.zone.empty()))
        return nullptr;
    auto* zone = new ComboBox(m_rows);
    zone->setObjectName(QStringLiteral("mode-zone-%1").arg(mode + 1));
    zone->setAccessibleName(tr("Time zone of mode %1").arg(mode + 1));
    zone->setToolTip(tr("Convert times with an offset to one zone"));
    std::vector<std::string> zones{"", "UTC"};
    for (int hours = -12; hours <= 14; ++hours)
        if (hours != 0)
            zones.push_back(QString::asprintf("%+03d:00", hours).toStdString());
    if (std::find(zones.begin(), zones.end(), current.zone) == zones.end())
        zones.push_back(current.zone);
    for (const std::string& each : zones)
        zone->addItem(each.empty() ? tr("as written") : QString::fromStdString(each));
    zone->setCurrentIndex(static_cast<int>(std::find(zones.begin(), zones.end(), current.zone) - zones.begin()));
    connect(zone, &QComboBox::activated, this, [this, mode, zones](int at) {
        change([&](Recipe& recipe) { recipe.modes[mode].zone = zones[static_cast<std::size_t>(at)]; });
    });
    return zone;
}

/// Of bins and minutes how many, of texts how many are kept apart; null: there is nothing to choose.
QWidget* ImportModes::makeNumber(std::size_t mode)
{
    const ModeRecipe& current = m_import.recipe().modes[mode];
    const bool isTop = isText(current), isMinute = current.derive == Derive::Minute;
    if (!isTop && !isMinute && !io::table::isOfNumber(current.derive))
        return nullptr;
    auto* number = new QSpinBox(m_rows);
    number->setObjectName(QStringLiteral("mode-number-%1").arg(mode + 1));
    number->setMinimumWidth(96);
    if (isTop) {
        number->setRange(0, 1'000'000'000);
        number->setSpecialValueText(tr("keep all"));
        number->setPrefix(tr("top "));
        number->setAccessibleName(tr("Most frequent texts of mode %1 that are kept").arg(mode + 1));
        number->setToolTip(tr("Keep the most frequent texts. The others become one."));
        number->setValue(static_cast<int>(current.top));
    } else {
        number->setRange(isMinute ? 1 : 2, isMinute ? 720 : 100'000);
        number->setSuffix(isMinute ? tr(" min") : tr(" bins"));
        number->setAccessibleName(isMinute ? tr("Minutes of a step of mode %1").arg(mode + 1) : tr("Bins of mode %1").arg(mode + 1));
        number->setValue(static_cast<int>(current.number));
    }
    connect(number, &QSpinBox::valueChanged, this, [this, mode, isTop](int value) {
        change([&](Recipe& recipe) {
            ModeRecipe& changed = recipe.modes[mode];
            (isTop ? changed.top : changed.number) = static_cast<unsigned>(value);
            changed.edges.clear();
        });
    });
    return number;
}

void ImportModes::addButtons(std::size_t mode, int row)
{
    auto* up = makeIconButton("arrow-up", tr("Move mode %1 up").arg(mode + 1), m_rows);
    up->setEnabled(mode > 0);
    connect(up, &QToolButton::clicked, this, [this, mode] { change([mode](Recipe& recipe) { import_choices::moveUp(recipe, mode); }); });
    auto* remove = makeIconButton("close", tr("Remove mode %1").arg(mode + 1), m_rows);
    connect(remove, &QToolButton::clicked, this,
            [this, mode] { change([mode](Recipe& recipe) { import_choices::removeMode(recipe, mode); }); });
    m_grid->addWidget(up, row, Up);
    m_grid->addWidget(remove, row, Remove);
}

void ImportModes::showSizes()
{
    if (m_sizes.size() != m_import.recipe().modes.size())
        return; // rows are about to be made anew
    for (std::size_t mode = 0; mode < m_sizes.size(); ++mode)
        m_sizes[mode]->setText(sizeText(m_import, mode));
}

} // namespace ui
