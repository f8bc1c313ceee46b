// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions.h"

#include "kernels/telemetry/telemetry.h"
#include "ui/icons.h"
#include "ui/language.h"
#include "ui/theme.h"
#include "ui/widgets/color_menu.h"

#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>
#include <QLayout>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QToolBar>
#include <QToolButton>
#include <QUndoStack>

namespace ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Actions", text); }

QString toolTip(const QString& text, const QList<QKeySequence>& keys)
{
    const QString tip = plainText(text).remove(QStringLiteral("…"));
    return keys.isEmpty() ? tip : tip + QStringLiteral(" (%1)").arg(keys.first().toString(QKeySequence::NativeText));
}

QAction* make(QMainWindow& window, const char* name, const QString& text, const QList<QKeySequence>& keys = {})
{
    auto* action = new QAction(text, &window);
    action->setObjectName(QLatin1String(name));
    action->setShortcuts(keys);
    action->setIconText(plainText(text)); // of the tool bar
    action->setToolTip(toolTip(text, keys));
    window.addAction(action); // shortcuts work wherever the focus is
    return action;
}

} // namespace

QString plainText(const QString& text)
{
    static const QRegularExpression letter(QStringLiteral("\\s?\\(&.\\)"));
    QString plain;
    const QString words = QString(text).remove(letter);
    for (int i = 0; i < words.size(); ++i) {
        if (words[i] == QLatin1Char('&') && i + 1 < words.size())
            ++i;
        plain += words[i];
    }
    return plain;
}

Actions::Actions(QMainWindow& window, QUndoStack& changes)
{
    openRecent = new QMenu(tr("Open re&cent"), &window);
    undo = changes.createUndoAction(&window, tr("&Undo"));
    undo->setObjectName(QStringLiteral("undo"));
    undo->setShortcuts(QKeySequence::Undo);
    redo = changes.createRedoAction(&window, tr("&Redo"));
    redo->setObjectName(QStringLiteral("redo"));
    redo->setShortcuts({QKeySequence(QStringLiteral("Ctrl+Shift+Z")), QKeySequence(QStringLiteral("Ctrl+Y"))});
    window.addActions({undo, redo});
    newSession = make(window, "newSession", tr("&New session"), {QKeySequence(QStringLiteral("Ctrl+Shift+N"))});
    saveSession = make(window, "saveSession", tr("&Save session"), {QKeySequence::Save});
    saveSessionAs = make(window, "saveSessionAs", tr("Save session &as…"), {QKeySequence(QStringLiteral("Ctrl+Shift+S"))});
    open = make(window, "open", tr("&Open…"), {QKeySequence::Open});
    importTable = make(window, "importTable", tr("&Import a table…"), {QKeySequence(QStringLiteral("Ctrl+I"))});
    openSample = make(window, "openSample", tr("Open sa&mple"), {QKeySequence(QStringLiteral("Ctrl+Shift+O"))});
    generate = make(window, "generate", tr("&Generate…"), {QKeySequence(QStringLiteral("Ctrl+G"))});
    exportAs = make(window, "export", tr("&Export…"), {QKeySequence(QStringLiteral("Ctrl+E"))});
    report = make(window, "report", tr("&Report…"), {QKeySequence(QStringLiteral("Ctrl+Shift+E"))});
    quit = make(window, "quit", tr("&Quit"), {QKeySequence(QStringLiteral("Ctrl+Q"))});
    closeTensor = make(window, "closeTensor", tr("&Close tensor"), {QKeySequence(QStringLiteral("Ctrl+W"))});
    goToEntry = make(window, "goToEntry", tr("Go to &entry…"), {QKeySequence(QStringLiteral("Ctrl+J"))});
    filterEntries = make(window, "filterEntries", tr("&Filter entries…"), {QKeySequence::Find});
    start = make(window, "start", tr("&Start"), {QKeySequence(QStringLiteral("F5")), QKeySequence(QStringLiteral("Ctrl+R"))});
    queue = make(window, "queue", tr("&Queue"), {QKeySequence(QStringLiteral("Ctrl+F5"))});
    sweep = make(window, "sweep", tr("S&weep…"), {QKeySequence(QStringLiteral("F7"))});
    pause = make(window, "pause", tr("&Pause"), {QKeySequence(QStringLiteral("F6"))});
    stop = make(window, "stop", tr("S&top"), {QKeySequence(QStringLiteral("Shift+F5"))});
    pauseQueue = make(window, "pauseQueue", tr("Pause queue"), {QKeySequence(QStringLiteral("Ctrl+F6"))});
    moveUp = make(window, "moveUp", tr("Move up in the queue"), {QKeySequence(QStringLiteral("Ctrl+Shift+Up"))});
    moveDown = make(window, "moveDown", tr("Move down in the queue"), {QKeySequence(QStringLiteral("Ctrl+Shift+Down"))});
    moveToFront = make(window, "moveToFront", tr("Move to the front of the queue"), {QKeySequence(QStringLiteral("Ctrl+Shift+Home"))});
    toggleSweep = make(window, "toggleSweep", tr("Show or &hide its sweep"), {QKeySequence(QStringLiteral("Ctrl+Shift+H"))});
    removeSweep = make(window, "removeSweep", tr("Remove its sweep…"), {QKeySequence(QStringLiteral("Ctrl+Shift+Del"))});
    copyCommand = make(window, "copyCommand", tr("&Copy as command"), {QKeySequence(QStringLiteral("Ctrl+Shift+C"))});
    copyRunCommand = make(window, "copyRunCommand", tr("Copy this run as co&mmand"), {QKeySequence(QStringLiteral("Ctrl+Alt+C"))});
    duplicateSettings = make(window, "duplicateSettings", tr("&Duplicate settings"), {QKeySequence(QStringLiteral("Ctrl+D"))});
    continueRun = make(window, "continueRun", tr("Cont&inue with more iterations…"), {QKeySequence(QStringLiteral("Ctrl+Shift+R"))});
    addData = make(window, "addData", tr("&Add new data to this run…"), {QKeySequence(QStringLiteral("Ctrl+Shift+A"))});
    watchFolder = make(window, "watchFolder", tr("Watch a &folder for new data…"), {QKeySequence(QStringLiteral("Ctrl+Alt+A"))});
    passOver = make(window, "passOver", tr("Pass &over all entries"), {QKeySequence(QStringLiteral("Ctrl+Alt+P"))});
    note = make(window, "note", tr("Not&e…"), {QKeySequence(QStringLiteral("Shift+F2"))});
    color = new ColorMenu(&window);
    rename = make(window, "rename", tr("Re&name"), {QKeySequence(QStringLiteral("F2"))});
    remove = make(window, "remove", tr("&Remove"), {QKeySequence(QStringLiteral("Ctrl+Del"))});
    showData = make(window, "showData", tr("&Data"), {QKeySequence(QStringLiteral("Alt+1"))});
    showConvergence = make(window, "showConvergence", tr("&Convergence"), {QKeySequence(QStringLiteral("Alt+2"))});
    showCompare = make(window, "showCompare", tr("Co&mpare"), {QKeySequence(QStringLiteral("Alt+3"))});
    showFactors = make(window, "showFactors", tr("&Factors"), {QKeySequence(QStringLiteral("Alt+4"))});
    showPredict = make(window, "showPredict", tr("&Predict"), {QKeySequence(QStringLiteral("Alt+5"))});
    showSweep = make(window, "showSweep", tr("S&weep"), {QKeySequence(QStringLiteral("Alt+6"))});
    followRuns = make(window, "followRuns", tr("Follow the r&uns"), {QKeySequence(QStringLiteral("Ctrl+Alt+0"))});
    zoomIn = make(window, "zoomIn", tr("Zoom &in"), {QKeySequence(QStringLiteral("Ctrl++")), QKeySequence(QStringLiteral("Ctrl+="))});
    zoomOut = make(window, "zoomOut", tr("Zoom &out"), {QKeySequence(QStringLiteral("Ctrl+-"))});
    zoomReset = make(window, "zoomReset", tr("&Normal size"), {QKeySequence(QStringLiteral("Ctrl+0"))});
    sidePanels = make(window, "sidePanels", tr("S&ide panels"), {QKeySequence(QStringLiteral("F9"))});
    sidePanels->setCheckable(true);
    sidePanels->setChecked(true);
    allTensors = make(window, "allTensors", tr("Runs of all &tensors"), {QKeySequence(QStringLiteral("Ctrl+Shift+T"))});
    allTensors->setCheckable(true);
    baselines = make(window, "baselines", tr("&Baselines"), {QKeySequence(QStringLiteral("Ctrl+B"))});
    baselines->setCheckable(true);
    baselines->setToolTip(tr("Compare runs with the mean and the additive model"));
    appearanceSystem = make(window, "appearanceSystem", tr("&System"), {QKeySequence(QStringLiteral("Ctrl+Alt+1"))});
    appearanceLight = make(window, "appearanceLight", tr("&Light"), {QKeySequence(QStringLiteral("Ctrl+Alt+2"))});
    appearanceDark = make(window, "appearanceDark", tr("&Dark"), {QKeySequence(QStringLiteral("Ctrl+Alt+3"))});
    highContrast = make(window, "highContrast", tr("&High contrast"), {QKeySequence(QStringLiteral("Ctrl+Alt+4"))});
    highContrast->setCheckable(true);
    palette = make(window, "palette", tr("Command palett&e…"), {QKeySequence(QStringLiteral("Ctrl+K"))});
    guide = make(window, "guide", tr("&User guide"), {QKeySequence(QStringLiteral("F1"))});
    whatsThis = make(window, "whatsThis", tr("&What's this?"), {QKeySequence(QStringLiteral("Shift+F1"))});
    about = make(window, "about", tr("&About Polyad"), {QKeySequence(QStringLiteral("Ctrl+F1"))});
    appearance = new QActionGroup(&window);
    for (QAction* action : {appearanceSystem, appearanceLight, appearanceDark}) {
        action->setCheckable(true);
        appearance->addAction(action);
    }
    language = new QActionGroup(&window);
    for (const Language& each : languages()) {
        const QKeySequence key(QStringLiteral("Ctrl+Alt+%1").arg(language->actions().size() + 5)); // after those of the appearance
        QAction* action = make(window, "language", each.title, {key});
        action->setData(each.id);
        action->setCheckable(true);
        language->addAction(action);
    }
    telemetry = new QActionGroup(&window);
    for (const kernels::telemetry::SourceChoice& choice : kernels::telemetry::sourceChoices()) {
        const QKeySequence key(QStringLiteral("Ctrl+Shift+%1").arg(telemetry->actions().size() + 1));
        QAction* action = make(window, "telemetry", QString::fromStdString(choice.title), {key});
        action->setData(QString::fromStdString(choice.id));
        action->setToolTip(QString::fromStdString(choice.help));
        action->setCheckable(true);
        telemetry->addAction(action);
    }
    nameOtherWords();
}

void Actions::nameOtherWords()
{
    const std::pair<QAction*, QString> words[] = {
        {open, tr("load file read import tensor session")},
        {importTable, tr("csv tsv table excel xlsx sqlite parquet spreadsheet columns")},
        {openSample, tr("example demo try flights")},
        {generate, tr("synthetic random artificial data")},
        {newSession, tr("close all clear project")},
        {saveSession, tr("keep store write project")},
        {saveSessionAs, tr("keep store write project")},
        {exportAs, tr("save write csv npz numpy matlab model factors hdf5")},
        {report, tr("save write html pdf print picture")},
        {quit, tr("exit close")},
        {undo, tr("back revert")},
        {redo, tr("again repeat")},
        {closeTensor, tr("remove delete unload")},
        {goToEntry, tr("find cell index jump")},
        {filterEntries, tr("find search where select rows")},
        {start, tr("run fit train decompose begin")},
        {queue, tr("later wait batch")},
        {sweep, tr("grid ranks tune hyperparameters several")},
        {pause, tr("hold wait")},
        {stop, tr("abort cancel end kill")},
        {copyCommand, tr("cli terminal shell script")},
        {copyRunCommand, tr("cli terminal shell script")},
        {continueRun, tr("more iterations resume longer epochs")},
        {addData, tr("update online new file learn")},
        {watchFolder, tr("update online automatic directory")},
        {passOver, tr("retrain epochs")},
        {duplicateSettings, tr("copy same again")},
        {remove, tr("delete run")},
        {note, tr("comment text")},
        {followRuns, tr("reset zoom axes charts")},
        {zoomIn, tr("larger bigger font text scale")},
        {zoomOut, tr("smaller font text scale")},
        {zoomReset, tr("reset zoom 100 scale")},
        {sidePanels, tr("hide show full width lists form small screen")},
        {appearanceDark, tr("theme night colours mode")},
        {appearanceLight, tr("theme day colours mode")},
        {appearanceSystem, tr("theme colours mode")},
        {highContrast, tr("theme accessibility colours")},
        {guide, tr("help manual documentation")},
        {whatsThis, tr("help explain")},
        {about, tr("version licence")},
    };
    for (const auto& [action, text] : words)
        action->setProperty(keywords, text);
}

void Actions::fillMenus(QMainWindow& window, QAction* showLog)
{
    QMenuBar* bar = window.menuBar();
    QMenu* file = bar->addMenu(tr("&File"));
    file->addActions({importTable, open, openRecent->menuAction(), openSample, generate});
    file->addSeparator();
    file->addActions({newSession, saveSession, saveSessionAs});
    file->addSeparator();
    file->addActions({exportAs, report});
    file->addSeparator();
    file->addAction(quit);
    bar->addMenu(tr("&Edit"))->addActions({undo, redo});
    QMenu* data = bar->addMenu(tr("&Data"));
    data->addActions({goToEntry, filterEntries, closeTensor});
    QMenu* run = bar->addMenu(tr("&Run"));
    run->addActions({start, queue, sweep});
    run->addSeparator();
    run->addActions({pause, stop});
    run->addSeparator();
    run->addActions({pauseQueue, moveUp, moveDown, moveToFront});
    run->addSeparator();
    run->setToolTipsVisible(true); // why something is greyed
    run->addActions({continueRun, addData, watchFolder, passOver, duplicateSettings, copyCommand, copyRunCommand});
    run->addSeparator();
    run->addActions({rename, note, color->menuAction(), remove});
    run->addSeparator();
    run->addActions({toggleSweep, removeSweep});
    QMenu* view = bar->addMenu(tr("&View"));
    view->addAction(palette);
    view->addSeparator();
    view->addActions({showData, showConvergence, showCompare, showFactors, showPredict, showSweep});
    view->addSeparator();
    view->addActions({followRuns, allTensors, baselines});
    QMenu* countersMenu = view->addMenu(tr("Device cou&nters"));
    countersMenu->setToolTipsVisible(true);
    countersMenu->addActions(telemetry->actions());
    QMenu* appearanceMenu = view->addMenu(tr("&Appearance"));
    appearanceMenu->addActions({appearanceSystem, appearanceLight, appearanceDark});
    appearanceMenu->addSeparator();
    appearanceMenu->addAction(highContrast);
    view->addMenu(tr("&Zoom"))->addActions({zoomIn, zoomOut, zoomReset});
    view->addMenu(tr("Lan&guage"))->addActions(language->actions());
    view->addActions({sidePanels, showLog});
    QMenu* help = bar->addMenu(tr("&Help"));
    help->addActions({guide, whatsThis});
    help->addSeparator();
    help->addAction(about);
}

QToolBar* Actions::makeToolBar(QMainWindow& window)
{
    m_toolBar = window.addToolBar(tr("Main"));
    m_toolBar->setObjectName(QStringLiteral("mainToolBar"));
    m_toolBar->setMovable(false);
    m_toolBar->setFloatable(false);
    m_toolBar->setContextMenuPolicy(Qt::PreventContextMenu);
    m_toolBar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    whenZoomed(m_toolBar, [bar = m_toolBar] {
        bar->setIconSize({zoomed(12), zoomed(12)});
        bar->setFixedHeight(zoomed(44) + 1); // and the line below it
    });
    // Without margins the layout centres the buttons, and a new style sheet, which resets margins, changes nothing.
    m_toolBar->layout()->setContentsMargins(0, 0, 0, 0);
    auto* inset = new QWidget(m_toolBar);
    inset->setFixedSize(8, 1);
    m_toolBar->addWidget(inset);
    m_toolBar->addActions({open, generate});
    m_toolBar->addSeparator();
    m_toolBar->addActions({start, pause, stop});
    m_toolBar->addSeparator();
    m_toolBar->addAction(exportAs);
    m_toolBar->widgetForAction(start)->setObjectName(QStringLiteral("primary"));
    for (QToolButton* button : m_toolBar->findChildren<QToolButton*>())
        button->setFocusPolicy(Qt::TabFocus);
    recolor();
    return m_toolBar;
}

QMenu* Actions::makeRunMenu(QMainWindow& window)
{
    auto* menu = new QMenu(&window);
    menu->setToolTipsVisible(true);
    menu->addActions({pause, stop, continueRun, addData, watchFolder, passOver});
    menu->addSeparator();
    menu->addActions({moveUp, moveDown, moveToFront});
    menu->addSeparator();
    menu->addActions({rename, note, color->menuAction()});
    menu->addSeparator();
    menu->addActions({duplicateSettings, copyRunCommand, exportAs});
    menu->addSeparator();
    menu->addActions({toggleSweep, removeSweep});
    menu->addSeparator();
    menu->addAction(remove);
    return menu;
}

void Actions::recolor()
{
    start->setIcon(icon("play", tokens().onAccent));
    start->setIconVisibleInMenu(false);
    pause->setIcon(icon(m_paused ? "play" : "pause"));
    pause->setIconVisibleInMenu(false);
    stop->setIcon(icon("stop"));
    stop->setIconVisibleInMenu(false);
}

void Actions::showWhyNot(QAction* action, const QString& reason)
{
    action->setEnabled(reason.isEmpty());
    const QString tip = toolTip(action->text(), action->shortcuts());
    action->setToolTip(reason.isEmpty() ? tip : tip + QLatin1Char('\n') + reason);
}

void Actions::showPaused(bool paused)
{
    pause->setText(paused ? tr("&Resume") : tr("&Pause"));
    pause->setIconText(plainText(pause->text()));
    pause->setToolTip(paused ? tr("Resume (F6)") : tr("Pause (F6)"));
    if (paused == m_paused)
        return;
    m_paused = paused;
    recolor();
}

void Actions::showQueuePaused(bool paused)
{
    pauseQueue->setText(paused ? tr("Resume queue") : tr("Pause queue"));
    pauseQueue->setToolTip(paused ? tr("Let what waits begin again (Ctrl+F6)")
                                  : tr("What runs goes on, and nothing that waits begins (Ctrl+F6)"));
    pauseQueue->setIcon(icon(paused ? "play" : "pause"));
    pauseQueue->setIconVisibleInMenu(false);
}

} // namespace ui
