// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of a column, how the table is written, recipes in files.
#include "app/messages.h"
#include "io/atomic_file.h"
#include "ui/dialogs/table_format_dialog.h"
#include "ui/models/import_choices.h"
#include "ui/models/import_text.h"
#include "ui/pages/import_page.h"
#include "ui/widgets/role_header.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSettings>
#include <QTableView>

#include <algorithm>

namespace ui {
namespace {

using io::table::ColumnFacts;
using io::table::ModeRecipe;
using io::table::Recipe;

QString recipeFolder() { return QSettings().value(QStringLiteral("openFolder")).toString(); }

} // namespace

template <typename Change> void ImportPage::change(Change&& change)
{
    Recipe recipe = m_import.recipe();
    change(recipe);
    m_import.setRecipe(recipe);
}

void ImportPage::showRoleMenu(int column)
{
    const io::table::Survey* survey = m_import.survey();
    if (!survey || column < 0 || column >= static_cast<int>(survey->columns.size()))
        return;
    m_table->setCurrentIndex(m_table->model()->index(std::max(0, m_table->currentIndex().row()), column));
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("roleMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillRoleMenu(*menu, survey->columns[static_cast<std::size_t>(column)]);
    menu->popup(m_head->menuPlace(column));
}

void ImportPage::fillRoleMenu(QMenu& menu, const ColumnFacts& facts)
{
    const Recipe& now = m_import.recipe();
    const auto has = [&](const ModeRecipe& way) {
        return std::any_of(now.modes.begin(), now.modes.end(), [&](const ModeRecipe& mode) { return import_choices::isWay(mode, way); });
    };
    const auto add = [this](QMenu& to, const QString& text, bool isChosen, auto apply) {
        QAction* action = to.addAction(text, this, [this, apply] { change(apply); });
        action->setCheckable(true);
        action->setChecked(isChosen);
    };
    const ColumnRole role = import_choices::roleOf(now, facts.name);
    const std::vector<ModeRecipe> ways = io::table::waysToUse(facts);
    for (const ModeRecipe& way : ways)
        add(menu, tr("Mode: %1").arg(wayText(way)), has(way), [this, way](Recipe& recipe) {
            if (m_import.survey())
                import_choices::useAsMode(recipe, *m_import.survey(), way);
        });
    menu.addSeparator();
    add(menu, tr("Value"), now.value == facts.name, [name = facts.name](Recipe& recipe) { import_choices::useAsValue(recipe, name); });
    add(menu, tr("Unused"), role == ColumnRole::Unused, [name = facts.name](Recipe& recipe) { import_choices::leaveOut(recipe, name); });
    if (role != ColumnRole::Mode)
        return;
    menu.addSeparator();
    QMenu* more = menu.addMenu(tr("Add another mode from this column"));
    for (const ModeRecipe& way : ways)
        if (!has(way))
            more->addAction(wayText(way), this, [this, way] { change([way](Recipe& recipe) { import_choices::addMode(recipe, way); }); });
    more->setEnabled(!more->isEmpty());
}

void ImportPage::askForFormat()
{
    auto* dialog = new TableFormatDialog(m_import.chosenDialect(), m_import.recipe().dialect, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &TableFormatDialog::chosen, this, [this](const io::table::Dialect& dialect) { m_import.setDialect(dialect); });
    dialog->open();
}

void ImportPage::loadRecipe()
{
    auto* dialog = new QFileDialog(this, tr("Load a recipe"), recipeFolder(), tr("Recipes (*.json);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ImportPage::takeRecipe);
    dialog->open();
}

void ImportPage::takeRecipe(const QString& path)
{
    try {
        m_import.open(m_import.path(), import_choices::withFoundEdges(io::table::readRecipeFile(path.toStdString()), {}));
    } catch (const std::exception& error) {
        Q_EMIT saveFailed(app::messageFor(error));
    }
}

void ImportPage::saveRecipe()
{
    auto* dialog = new QFileDialog(this, tr("Save this recipe"), recipeFolder(), tr("Recipes (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(QFileInfo(m_import.path()).completeBaseName() + QStringLiteral("-recipe.json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        try {
            io::AtomicFile file(path.toStdString());
            file.write(io::table::toJson(m_import.recipe(), 2) + "\n");
            file.commit();
        } catch (const std::exception& error) {
            Q_EMIT saveFailed(app::messageFor(error));
        }
    });
    dialog->open();
}

} // namespace ui
