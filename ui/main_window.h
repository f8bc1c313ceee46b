// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "ui/actions.h"
#include "ui/models/command_model.h"

#include <QHash>
#include <QMainWindow>
#include <QPointer>
#include <QStringList>
#include <QTimer>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace app {
class FolderWatch;
class SweepStarter;
}

class QCheckBox;
class QFrame;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace ui {

class ComparePage;
class ConvergencePage;
class DataPage;
class FactorsPage;
class GuideWindow;
class ImportPage;
class LogPanel;
class MessageBar;
struct MessageAction;
class PredictPage;
class RunEdits;
class RunForm;
class SessionKeeper;
class SweepPage;
class TensorScope;
class WelcomePage;
class WorkspacePanel;

/// Wires panels, pages and actions to the session. Holds no data of its own.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(app::Session& session, QWidget* parent = nullptr);
    ~MainWindow() override;

    enum Page { DataTab, ConvergenceTab, CompareTab, FactorsTab, PredictTab, SweepTab };

    void openFiles(const QStringList& paths);
    void openSample();
    void showPage(Page page);

    WorkspacePanel* workspace() const { return m_workspace; }
    RunForm* runForm() const { return m_form; }
    DataPage* dataPage() const { return m_data; }
    ConvergencePage* convergencePage() const { return m_convergence; }
    ComparePage* comparePage() const { return m_compare; }
    FactorsPage* factorsPage() const { return m_factors; }
    ImportPage* importPage() const { return m_import; }
    PredictPage* predictPage() const { return m_predict; }
    SweepPage* sweepPage() const { return m_sweep; }
    MessageBar* messageBar() const { return m_messages; }
    RunEdits* edits() const { return m_edits; }
    SessionKeeper* sessionKeeper() const { return m_keeper; }
    const Actions& actions() const { return m_actions; }
    QCheckBox* allTensorsBox() const { return m_allTensors; } ///< there while runs of several tensors could be shown
    bool showsWelcome() const;

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override; ///< F1 in dialogs, where the window's shortcuts sleep
    bool focusNextPrevChild(bool next) override; ///< Tab goes as the eye does, not as widgets happened to be made

private:
    // main_window.cpp
    void setUpCentre();
    void fitPanels();
    void setUpStatusBar();
    void setUpAppearance();
    void setUpTelemetry();
    void setUpScope();
    void tensorChosen();
    void runChosen();
    void updateCentre();
    void updateActions();
    void updateStatus();
    void offerToFind(const app::OpenTensorPtr& absent, const QString& sentence);
    void chooseMoved(const app::OpenTensorPtr& absent, const QString& sentence);
    void rememberRecent(const QString& path, const std::optional<io::table::Recipe>& recipe = {});
    void openRecent(const QString& path); ///< a table as it was imported then
    void showRecent();

    // main_window_connections.cpp: who is told of what
    void connectSession();
    void connectPanels();
    void connectCompare();
    void connectActions();

    // main_window_runs.cpp: what is done to one run
    void connectRunActions();

    // main_window_session.cpp: the session's file
    void setUpSession();
    QString windowState() const;
    void restoreWindow(const QString& state);
    void showSessionTitle();

    // main_window_sweep.cpp: sweeps and the queue
    void connectSweep();
    void planSweep();
    void removeRuns(const std::vector<int>& ids);
    void showOrHide(const std::vector<int>& ids);
    void showOrHideSome();
    void moveInQueue(app::QueueMove move);
    void updateQueue();

    // main_window_watch.cpp: a folder whose files are added as they come
    void connectWatch();
    void watchFolder(); ///< for the chosen run

    // main_window_import.cpp: from a table to a tensor
    void connectImport();
    void chooseTables();
    void showImport(const QString& path, const io::table::Recipe& chosen = {}, const app::OpenTensorPtr& changes = {});
    void openImported();
    void offerToChange(app::LoadJob* job, const QString& path, const io::table::Recipe& recipe);
    void endImport();

    // main_window_help.cpp: the palette, the guide, what a field is
    void setUpHelp();
    std::vector<Command> commands();
    void addViewCommands(std::vector<Command>& commands);
    void addListCommands(std::vector<Command>& commands);
    void addSaveCommands(std::vector<Command>& commands);
    void addFieldCommands(std::vector<Command>& commands);
    void showPalette();
    void showGuide();
    void showGuide(int topic); ///< a GuideTopic
    void explainFocus();

    // main_window_commands.cpp: what the actions do
    void chooseFiles();
    bool showOpened(const app::Session::Opened&);
    void chooseGroup(const app::LoadJob&); ///< of a file that holds several tensors
    void tellLoadProblem(const QString& sentence); ///< until something was loaded
    void closeTensor(int id); ///< Undo brings it back
    void addData(); ///< a file's entries to the chosen run
    void passOver(app::Run*); ///< over all entries of one that has learnt files; asks for those whose place nobody knows
    void offerPasses(app::Run* run, const QString& sentence);
    MessageAction passAction(app::Run*);
    void tellKnown(app::Run* run, const app::NewData& known, const QString& sentence);
    void generate();
    void exportChosen(bool report);
    void updateExports();
    void startRun(app::Turn turn = app::Turn::Next);
    void begin(const kernels::RunConfig& config, const app::OpenTensorPtr& tensor, app::Turn turn = app::Turn::Next); ///< throws
    void togglePause();
    void stopRun();
    void removeRun();
    void continueRun();
    void continueRuns(const std::vector<int>& ids);
    void writeNote();
    void copyFormCommand();
    void copyText(const QString& text, const QString& done);
    void askAboutRunningRuns(const std::function<void()>& agreed);
    QString whatClosingKeeps() const;
    void stopForClosing(const std::function<void()>& stopped);
    void offerToResume(const app::InterruptedRun& run);
    void showAbout();
    app::Run* runToControl() const; ///< the chosen run if it works, else the newest that does

    app::Session& m_session;
    RunEdits* m_edits;
    TensorScope* m_scope; ///< whose runs are compared
    Actions m_actions;
    WorkspacePanel* m_workspace = nullptr;
    RunForm* m_form = nullptr;
    WelcomePage* m_welcome = nullptr;
    DataPage* m_data = nullptr;
    ConvergencePage* m_convergence = nullptr;
    ComparePage* m_compare = nullptr;
    FactorsPage* m_factors = nullptr;
    ImportPage* m_import = nullptr;
    QList<std::tuple<QString, io::table::Recipe, app::OpenTensorPtr>> m_tablesWaiting; ///< for the import page
    app::OpenTensorPtr m_changedImport; ///< whose import is changed; null: a new one
    PredictPage* m_predict = nullptr;
    SweepPage* m_sweep = nullptr;
    app::SweepStarter* m_sweepStarter = nullptr;
    app::FolderWatch* m_watch = nullptr;
    LogPanel* m_log = nullptr;
    MessageBar* m_messages = nullptr;
    QHash<int, QString> m_passesOffered; ///< [run id] the sentence in the message bar
    SessionKeeper* m_keeper = nullptr;
    QLabel* m_sessionTitle = nullptr;
    QTabBar* m_tabs = nullptr;
    QStackedWidget* m_pages = nullptr;
    QWidget* m_tabRow = nullptr;
    QCheckBox* m_allTensors = nullptr;
    QLabel* m_statusDevice = nullptr;
    QLabel* m_statusUse = nullptr;
    QLabel* m_statusIteration = nullptr;
    QLabel* m_statusTime = nullptr;
    QLabel* m_statusMessage = nullptr;
    QPushButton* m_cancelExport = nullptr; ///< there while something is being written
    QString m_shownExport; ///< the path it would cancel
    QTimer m_statusTimer;
    std::vector<int> m_showing; ///< runs that are still to be shown, or hidden
    bool m_show = false; ///< which of both
    QStringList m_loadProblems; ///< in the message bar
    QStringList m_dropped; ///< files that are being opened
    QFrame* m_dropFrame = nullptr; ///< over the window while something is dragged there
    bool m_stopAgreed = false, m_lossAgreed = false; ///< what closing the window may do
    QPointer<QWidget> m_closeQuestion;
    QPointer<QObject> m_stopping; ///< there while runs are stopped because the window closes
    QPointer<GuideWindow> m_guide;
};

} // namespace ui
