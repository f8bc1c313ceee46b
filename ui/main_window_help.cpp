// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The palette of all commands, the user guide, and what a field is.
#include "ui/dialogs/command_palette.h"
#include "ui/dialogs/continue_dialog.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/dialogs/filter_dialog.h"
#include "ui/dialogs/generate_dialog.h"
#include "ui/dialogs/guide_window.h"
#include "ui/dialogs/sweep_dialog.h"
#include "ui/dialogs/table_format_dialog.h"
#include "ui/focus_order.h"
#include "ui/main_window.h"
#include "ui/models/run_text.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/convergence_page.h"
#include "ui/pages/data_page.h"
#include "ui/pages/factors_page.h"
#include "ui/pages/import_page.h"
#include "ui/pages/predict_page.h"
#include "ui/panels/run_form.h"
#include "ui/panels/workspace_panel.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segmented_control.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QKeyEvent>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <QWhatsThis>

#include <optional>

namespace ui {
namespace {

/// What a dialog is for; nothing: it is of the page below it.
std::optional<GuideTopic> topicOf(const QObject& dialog)
{
    if (qobject_cast<const SweepDialog*>(&dialog))
        return GuideTopic::Sweep;
    if (qobject_cast<const FilterDialog*>(&dialog))
        return GuideTopic::Find;
    if (qobject_cast<const GenerateDialog*>(&dialog))
        return GuideTopic::Generate;
    if (qobject_cast<const TableFormatDialog*>(&dialog))
        return GuideTopic::Import;
    if (qobject_cast<const ExportDialog*>(&dialog))
        return GuideTopic::Export;
    if (qobject_cast<const ContinueDialog*>(&dialog))
        return GuideTopic::Continue;
    if (qobject_cast<const CommandPalette*>(&dialog))
        return GuideTopic::Hands;
    return {};
}

/// Every action of the menu and those below it; a chosen one of several is its menu's business, a separator nobody's.
void collectActions(const QList<QAction*>& actions, const QString& place, std::vector<Command>& commands)
{
    for (QAction* action : actions) {
        if (action->isSeparator() || !action->isVisible())
            continue;
        const QString title = plainText(action->text());
        if (action->menu()) {
            collectActions(action->menu()->actions(), place.isEmpty() ? title : place + QStringLiteral(" › ") + title, commands);
            continue;
        }
        commands.push_back({QStringLiteral("action:") + place + QLatin1Char('/') + title, title, place,
                            action->shortcut().toString(QKeySequence::NativeText), action->isEnabled(),
                            [target = QPointer<QAction>(action)] {
                                if (target)
                                    target->trigger();
                            },
                            action->property(Actions::keywords).toString()});
    }
}

} // namespace

void MainWindow::setUpHelp()
{
    connect(m_actions.palette, &QAction::triggered, this, &MainWindow::showPalette);
    connect(m_actions.guide, &QAction::triggered, this, [this] { showGuide(); });
    qApp->installEventFilter(this);
    connect(m_actions.whatsThis, &QAction::triggered, this, &MainWindow::explainFocus);
}

std::vector<Command> MainWindow::commands()
{
    std::vector<Command> all;
    collectActions(menuBar()->actions(), {}, all);
    addListCommands(all);
    addViewCommands(all);
    addSaveCommands(all);
    addFieldCommands(all);
    return all;
}

void MainWindow::addListCommands(std::vector<Command>& commands)
{
    for (const app::OpenTensorPtr& tensor : m_session.tensors())
        commands.push_back({QStringLiteral("tensor:") + tensor->name, tensor->name, tr("Tensors"), {}, true, [this, id = tensor->id] {
                                m_workspace->setCurrentTensor(id);
                                m_workspace->tensorList()->setFocus(Qt::ShortcutFocusReason);
                                showPage(DataTab);
                            }});
    for (const app::Run* run : m_session.runs())
        commands.push_back({QStringLiteral("run:") + run->name(),
                            run->name(),
                            tr("Runs") + QStringLiteral(" · ") + settingsText(*run),
                            {},
                            true,
                            [this, id = run->id()] {
                                m_workspace->setCurrentRun(id);
                                m_workspace->runList()->setFocus(Qt::ShortcutFocusReason);
                                if (m_tabs->currentIndex() == DataTab)
                                    showPage(ConvergenceTab);
                            }});
}

/// The choices that pages have in rows of their own, such as the views of Factors.
void MainWindow::addViewCommands(std::vector<Command>& commands)
{
    if (showsWelcome())
        return;
    for (int page = 0; page < m_tabs->count(); ++page) {
        const auto controls = m_pages->widget(page)->findChildren<SegmentedControl*>();
        for (SegmentedControl* control : controls) {
            const QStringList choices = control->choices();
            for (int choice = 0; choice < choices.size(); ++choice)
                commands.push_back({QStringLiteral("view:%1/%2/%3").arg(page).arg(control->accessibleName(), choices[choice]),
                                    QStringLiteral("%1: %2").arg(control->accessibleName(), choices[choice]),
                                    m_tabs->tabText(page),
                                    {},
                                    control->isEnabled() && control->isChoiceEnabled(choice),
                                    [this, page, choice, target = QPointer<SegmentedControl>(control)] {
                                        showPage(static_cast<Page>(page));
                                        if (target)
                                            target->setCurrent(choice);
                                    }});
        }
    }
}

/// The charts of the page that is shown.
void MainWindow::addSaveCommands(std::vector<Command>& commands)
{
    for (const Card* card : m_pages->currentWidget()->findChildren<Card*>())
        if (card->isVisible())
            for (QAction* action : card->saveActions())
                commands.push_back({QStringLiteral("save:") + card->title() + QLatin1Char('/') + plainText(action->text()),
                                    tr("Save %1: %2").arg(card->title(), plainText(action->text())),
                                    m_tabs->tabText(m_tabs->currentIndex()),
                                    {},
                                    true,
                                    [target = QPointer<QAction>(action)] {
                                        if (target)
                                            target->trigger();
                                    },
                                    tr("picture chart export write")});
}

void MainWindow::addFieldCommands(std::vector<Command>& commands)
{
    for (QWidget* field : m_form->fields()) {
        const auto* check = qobject_cast<QCheckBox*>(field);
        const QString name = check ? check->text() : field->accessibleName();
        if (!name.isEmpty())
            commands.push_back(
                {QStringLiteral("field:") + name, name, tr("New run"), {}, field->isEnabled(), [this, target = QPointer<QWidget>(field)] {
                     if (target)
                         m_form->showField(target);
                 }});
    }
}

bool MainWindow::focusNextPrevChild(bool next)
{
    QWidget* const target = nextInFocusOrder(*this, focusWidget(), next);
    if (!target)
        return false;
    target->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    for (QWidget* each = target; each && each != this; each = each->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(each->parentWidget() ? each->parentWidget()->parentWidget() : nullptr))
            area->ensureWidgetVisible(target);
    return true;
}

void MainWindow::showPalette()
{
    auto* palette = new CommandPalette(commands(), this);
    palette->open();
}

/// At the section that tells of what has the focus, else of the page.
void MainWindow::showGuide()
{
    const QWidget* const focus = QApplication::focusWidget();
    const int page = showsWelcome() ? -1 : m_tabs->currentIndex();
    const bool inForm = focus && m_form->isAncestorOf(focus) && !showsWelcome();
    const bool importing = m_import->import().isOpen();
    showGuide(importing ? static_cast<int>(GuideTopic::Import) : inForm ? static_cast<int>(GuideTopic::Run) : page + 1);
}

void MainWindow::showGuide(int topic)
{
    if (!m_guide)
        m_guide = new GuideWindow(GuideWindow::installedGuide());
    m_guide->showTopic(static_cast<GuideTopic>(topic));
    m_guide->show();
    m_guide->raise();
    m_guide->activateWindow();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_F1
        && static_cast<QKeyEvent*>(event)->modifiers() == Qt::NoModifier)
        for (const QObject* each = qobject_cast<QWidget*>(watched); each && each != this; each = each->parent())
            if (qobject_cast<const QDialog*>(each)) {
                const auto topic = topicOf(*each);
                topic ? showGuide(static_cast<int>(*topic)) : showGuide();
                return true;
            }
    return QMainWindow::eventFilter(watched, event);
}

/// What has the focus, if it has something to say; else the pointer asks.
void MainWindow::explainFocus()
{
    for (QWidget* each = QApplication::focusWidget(); each && each != this; each = each->parentWidget())
        if (!each->whatsThis().isEmpty()) {
            QWhatsThis::showText(each->mapToGlobal(QPoint(0, each->height())), each->whatsThis(), each);
            return;
        }
    QWhatsThis::enterWhatsThisMode();
}

} // namespace ui
