// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QAction;
class QActionGroup;
class QMainWindow;
class QMenu;
class QToolBar;
class QUndoStack;

namespace ui {

class ColorMenu;

/// Without the letter of a menu: "&Open…" and "打开(&O)…" as they are written elsewhere.
QString plainText(const QString& text);

/// Every QAction of the window: text, icon, shortcut. What they do and when they are enabled is the window's business.
struct Actions {
    Actions(QMainWindow& window, QUndoStack& changes);

    static constexpr const char* keywords = "keywords"; ///< property of an action: other words that find it in the palette

    QAction *newSession, *saveSession, *saveSessionAs;
    QAction *importTable, *open, *openSample, *generate, *exportAs, *report, *quit;
    QAction *undo, *redo; ///< of the stack, which does and enables them
    QAction *closeTensor, *goToEntry, *filterEntries;
    QAction *queue, *sweep, *pauseQueue, *moveUp, *moveDown, *moveToFront;
    QAction *toggleSweep, *removeSweep; ///< the runs of the chosen run's sweep
    QAction *start, *pause, *stop, *copyCommand, *copyRunCommand, *duplicateSettings, *continueRun, *addData, *watchFolder, *passOver,
        *rename, *note, *remove;
    ColorMenu* color;
    QMenu* openRecent; ///< filled by the window
    QAction *showData, *showConvergence, *showCompare, *showFactors, *showPredict, *showSweep, *followRuns;
    QAction *zoomIn, *zoomOut, *zoomReset, *sidePanels;
    QAction *allTensors, *baselines; ///< what charts and tables of runs show
    QAction *appearanceSystem, *appearanceLight, *appearanceDark, *highContrast;
    QActionGroup* appearance;
    QActionGroup* language; ///< each action's data is the id of one
    QActionGroup* telemetry; ///< each action's data is the id of a source
    QAction *palette, *guide, *whatsThis, *about;

    /// The log's own toggle action is given by its dock.
    void fillMenus(QMainWindow& window, QAction* showLog);
    QToolBar* makeToolBar(QMainWindow& window);
    QMenu* makeRunMenu(QMainWindow& window);
    void recolor();
    static void showWhyNot(QAction* action, const QString& reason); ///< it is not enabled; empty: it is
    void showPaused(bool paused); ///< the pause action resumes then
    void showQueuePaused(bool paused);

private:
    void nameOtherWords();

    QToolBar* m_toolBar = nullptr;
    bool m_paused = false;
};

} // namespace ui
