// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "app/folder_watch.h"
#include "ui/dialogs/guide_window.h"
#include "ui/formatting.h"
#include "ui/language.h"
#include "ui/models/run_edits.h"
#include "ui/models/tensor_scope.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/convergence_page.h"
#include "ui/pages/data_page.h"
#include "ui/pages/entries_card.h"
#include "ui/pages/factors_page.h"
#include "ui/pages/import_page.h"
#include "ui/pages/predict_page.h"
#include "ui/pages/sweep_page.h"
#include "ui/pages/welcome_page.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/run_form.h"
#include "ui/panels/watch_strip.h"
#include "ui/panels/workspace_panel.h"
#include "ui/session_keeper.h"
#include "ui/theme.h"
#include "ui/widgets/color_menu.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/tab_bar.h"

#include <QAction>
#include <QActionGroup>
#include <QBoxLayout>
#include <QCheckBox>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QGridLayout>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QUrl>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {

namespace {

constexpr int welcomePage = MainWindow::SweepTab + 1, importPageIndex = welcomePage + 1;

/// A page is scrolled where the window has no room for it. Charts need some to be read, whatever they ask for.
QScrollArea* inScrollArea(QWidget* page, int least = 400)
{
    auto* holder = new QWidget;
    auto* layout = new QGridLayout(holder);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(page, 0, 0);
    whenZoomed(holder, [layout, least] {
        layout->setRowMinimumHeight(0, zoomed(least));
        layout->setColumnMinimumWidth(0, zoomed(480));
    });
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidgetResizable(true);
    area->setWidget(holder);
    for (QWidget* each : {holder, area->viewport()})
        each->setAutoFillBackground(false);
    return area;
}

} // namespace

MainWindow::MainWindow(app::Session& session, QWidget* parent)
    : QMainWindow(parent)
    , m_session(session)
    , m_edits(new RunEdits(session, this))
    , m_scope(new TensorScope(session, this))
    , m_actions(*this, *m_edits->stack())
{
    setWindowTitle(tr("Polyad"));
    setMinimumSize(640, 400);
    resize(QSize(1440, 900).boundedTo(screen()->availableSize()));
    setAcceptDrops(true);
    m_actions.makeToolBar(*this);
    setUpCentre();
    m_log = new LogPanel(this);
    addDockWidget(Qt::BottomDockWidgetArea, m_log);
    m_log->hide();
    QAction* showLog = m_log->toggleViewAction();
    showLog->setText(tr("&Log"));
    showLog->setShortcut(QKeySequence(QStringLiteral("Ctrl+L")));
    m_actions.fillMenus(*this, showLog);
    setUpStatusBar();
    setUpAppearance();
    setUpTelemetry();
    setUpScope();
    connectSession();
    connectPanels();
    connectCompare();
    connectActions();
    connectSweep();
    connectRunActions();
    connectWatch();
    connectImport();
    setUpSession();
    setUpHelp();
    showRecent();
    m_convergence->setDevices(m_form->devices());
    m_data->setDevice(m_form->device());
    updateCentre();
    updateActions();
    updateStatus();
    m_statusTimer.setInterval(500);
    connect(&m_statusTimer, &QTimer::timeout, this, &MainWindow::updateStatus);
    m_statusTimer.start();
    m_welcome->setFocus();
}

MainWindow::~MainWindow()
{
    delete m_keeper; // it asks what the window shows
    delete m_guide.data(); // a window without a parent, with a thread at work
}

void MainWindow::setUpCentre()
{
    m_watch = new app::FolderWatch(m_session, this);
    m_workspace = new WorkspacePanel(m_session, *m_edits, this);
    m_workspace->addToFoot(new WatchStrip(*m_watch, m_workspace));
    m_form = new RunForm(m_session, this);
    m_messages = new MessageBar(this);
    m_welcome = new WelcomePage(m_session, this);
    m_data = new DataPage(m_session, this);
    m_convergence = new ConvergencePage(m_session, *m_scope, this);
    m_compare = new ComparePage(m_session, *m_scope, this);
    m_factors = new FactorsPage(m_session, *m_edits, this);
    m_import = new ImportPage(this);
    m_predict = new PredictPage(m_session, this);
    m_sweep = new SweepPage(m_session, this);
    m_tabs = new TabBar(this);
    m_tabs->addTab(tr("Data"));
    m_tabs->addTab(tr("Convergence"));
    m_tabs->addTab(tr("Compare"));
    m_tabs->addTab(tr("Factors"));
    m_tabs->addTab(tr("Predict"));
    m_tabs->addTab(tr("Sweep"));
    m_tabs->setAccessibleName(tr("Pages"));
    m_tabRow = new QWidget(this);
    auto* tabLayout = new QHBoxLayout(m_tabRow);
    tabLayout->setContentsMargins(14, 6, 14, 0);
    tabLayout->addWidget(m_tabs);
    tabLayout->addStretch();
    m_allTensors = new QCheckBox(tr("All tensors"), m_tabRow);
    m_allTensors->setToolTip(tr("Show the runs of all tensors, not only those of the chosen one"));
    tabLayout->addWidget(m_allTensors);
    m_pages = new QStackedWidget(this);
    for (QWidget* page : std::initializer_list<QWidget*>{m_data, m_convergence, m_compare, m_factors, m_predict, m_sweep, m_welcome})
        m_pages->addWidget(inScrollArea(page));
    m_pages->addWidget(inScrollArea(m_import, 240)); // scrolls what is above its buttons
    connect(m_tabs, &QTabBar::currentChanged, this, &MainWindow::updateCentre);

    auto* centre = new QVBoxLayout;
    centre->setContentsMargins(0, 0, 0, 0);
    centre->setSpacing(0);
    centre->addWidget(m_messages);
    centre->addWidget(m_tabRow);
    centre->addWidget(m_pages, 1);
    auto* all = new QWidget(this);
    auto* layout = new QHBoxLayout(all);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_workspace);
    layout->addLayout(centre, 1);
    layout->addWidget(m_form);
    setCentralWidget(all);
    m_dropFrame = new QFrame(this);
    m_dropFrame->setObjectName(QStringLiteral("dropFrame"));
    m_dropFrame->setAttribute(Qt::WA_TransparentForMouseEvents); // rows below that take files go on to
    auto* dropText = new QLabel(tr("Drop files to open them"), m_dropFrame);
    dropText->setObjectName(QStringLiteral("dropText"));
    auto* dropLayout = new QVBoxLayout(m_dropFrame);
    dropLayout->addWidget(dropText, 0, Qt::AlignHCenter | Qt::AlignTop);
    m_dropFrame->hide();
    connect(&Theme::instance(), &Theme::zoomed, this, &MainWindow::fitPanels);
    fitPanels();
}

/// The lists of a small window leave the pages what they can. The form keeps the width that its fields need.
void MainWindow::fitPanels()
{
    m_workspace->setFixedWidth(std::clamp(width() * 19 / 100, zoomed(168), zoomed(268)));
    m_form->setFixedWidth(zoomed(312));
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    fitPanels();
    m_dropFrame->setGeometry(rect());
}

void MainWindow::setUpStatusBar()
{
    const auto add = [this] {
        auto* label = new ElidedLabel(this); // the bar must not hold a small window wide
        label->setContentsMargins(6, 0, 6, 0);
        return label;
    };
    m_statusDevice = add();
    m_statusUse = add();
    m_statusIteration = add();
    m_statusTime = add();
    m_statusMessage = add();
    for (QLabel* label : {m_statusDevice, m_statusUse, m_statusIteration, m_statusTime})
        statusBar()->addWidget(label);
    statusBar()->addPermanentWidget(m_statusMessage);
    m_cancelExport = new QPushButton(tr("Cancel"), this);
    m_cancelExport->setObjectName(QStringLiteral("link"));
    m_cancelExport->setProperty("atRightEdge", true);
    m_cancelExport->hide();
    statusBar()->addPermanentWidget(m_cancelExport);
    connect(m_cancelExport, &QPushButton::clicked, this, [this] { m_session.cancelExport(m_shownExport); });
    statusBar()->setSizeGripEnabled(false);
    whenZoomed(statusBar(), [this] { statusBar()->setFixedHeight(zoomed(28)); });
    statusBar()->setContentsMargins(6, 0, 6, 0);
    m_statusMessage->setText(tr("Ready"));
}

void MainWindow::setUpAppearance()
{
    const auto choices = m_actions.appearance->actions();
    choices[static_cast<int>(Theme::instance().appearance())]->setChecked(true);
    connect(m_actions.appearance, &QActionGroup::triggered, this,
            [choices](QAction* action) { Theme::instance().setAppearance(static_cast<Appearance>(choices.indexOf(action))); });
    for (QAction* action : m_actions.language->actions())
        action->setChecked(action->data().toString() == chosenLanguage());
    connect(m_actions.language, &QActionGroup::triggered, this, [this](const QAction* action) {
        chooseLanguage(action->data().toString());
        m_messages->post(MessageTone::Info, tr("The words change with the next start of Polyad."));
    });
    const auto zoom = [](int steps) { Theme::instance().setZoom(steps == 0 ? 100 : Theme::zoomAfter(Theme::instance().zoom(), steps)); };
    connect(m_actions.zoomIn, &QAction::triggered, this, [zoom] { zoom(1); });
    connect(m_actions.zoomOut, &QAction::triggered, this, [zoom] { zoom(-1); });
    connect(m_actions.sidePanels, &QAction::toggled, this, [this](bool shown) {
        m_workspace->setVisible(shown);
        m_form->setVisible(shown);
    });
    connect(m_actions.zoomReset, &QAction::triggered, this, [zoom] { zoom(0); });
    connect(m_actions.highContrast, &QAction::triggered, this, [](bool on) { Theme::instance().setHighContrast(on); });
    const auto show = [this] {
        m_actions.highContrast->setChecked(Theme::instance().isHighContrast());
        m_actions.recolor();
    };
    connect(&Theme::instance(), &Theme::changed, this, show);
    show();
}

void MainWindow::setUpTelemetry()
{
    const QString stored = QSettings().value(QStringLiteral("telemetry"), QStringLiteral("auto")).toString();
    const auto choices = m_actions.telemetry->actions();
    const auto chosen = std::find_if(choices.begin(), choices.end(), [&](const QAction* a) { return a->data().toString() == stored; });
    QAction* const first = chosen == choices.end() ? choices.first() : *chosen;
    first->setChecked(true);
    m_session.chooseTelemetry(first->data().toString());
    connect(m_actions.telemetry, &QActionGroup::triggered, this, [this](QAction* action) {
        QSettings().setValue(QStringLiteral("telemetry"), action->data().toString());
        m_session.chooseTelemetry(action->data().toString());
    });
}

/// Which runs stand beside each other, and whether beside the mean and the additive model.
void MainWindow::setUpScope()
{
    connect(m_actions.allTensors, &QAction::toggled, m_scope, &TensorScope::setAll);
    connect(m_actions.allTensors, &QAction::toggled, m_allTensors, &QCheckBox::setChecked);
    connect(m_allTensors, &QCheckBox::toggled, m_actions.allTensors, &QAction::setChecked);
    const auto showBaselines = [this](bool shown) {
        m_session.setBaselinesWanted(shown);
        m_convergence->setBaselinesShown(shown);
        m_compare->setBaselinesShown(shown);
    };
    const bool shown = QSettings().value(QStringLiteral("baselines"), true).toBool();
    m_actions.baselines->setChecked(shown);
    showBaselines(shown);
    connect(m_actions.baselines, &QAction::toggled, this, [showBaselines](bool on) {
        QSettings().setValue(QStringLiteral("baselines"), on);
        showBaselines(on);
    });
}

void MainWindow::tensorChosen()
{
    const app::OpenTensorPtr tensor = m_workspace->currentTensor();
    const app::Run* const run = m_workspace->currentRun();
    m_scope->setTensor(tensor ? tensor->id : run ? TensorScope::tensorOf(*run) : -1);
    m_form->setTensor(tensor);
    m_data->setTensor(tensor);
    updateCentre();
    updateActions();
}

void MainWindow::runChosen()
{
    if (const app::Run* run = m_workspace->currentRun()) {
        m_factors->setRun(run->id());
        m_workspace->setCurrentTensor(TensorScope::tensorOf(*run));
        m_scope->setTensor(TensorScope::tensorOf(*run)); // also of one that is closed
    }
    m_predict->chooseRun(m_workspace->currentRun());
    updateActions();
    updateStatus();
}

bool MainWindow::showsWelcome() const { return m_pages->currentIndex() == welcomePage; }

void MainWindow::showPage(Page page)
{
    m_tabs->setCurrentIndex(page);
    updateCentre();
}

/// A table while it is imported, the welcome page while there is nothing to look at, else the chosen tab.
void MainWindow::updateCentre()
{
    const bool anything = !m_session.tensors().empty() || !m_session.runs().empty();
    const bool importing = m_import->import().isOpen();
    m_form->setVisible(!importing); // the table needs the room
    m_tabRow->setVisible(anything && !importing);
    const int page = m_tabs->currentIndex();
    m_allTensors->setVisible((page == ConvergenceTab || page == CompareTab) && m_scope->hasSeveralTensors());
    if (importing)
        m_pages->setCurrentIndex(importPageIndex);
    else if (!anything)
        m_pages->setCurrentIndex(welcomePage);
    else if (m_tabs->currentIndex() == DataTab && !m_workspace->currentTensor() && !m_session.runs().empty())
        m_tabs->setCurrentIndex(ConvergenceTab);
    else
        m_pages->setCurrentIndex(m_tabs->currentIndex());
}

void MainWindow::updateActions()
{
    const app::Run* controlled = runToControl();
    const app::Run* chosen = m_workspace->currentRun();
    const bool tensor = static_cast<bool>(m_workspace->currentTensor());
    const bool paused = controlled && controlled->state() == app::RunState::Paused;
    const bool importing = m_import->import().isOpen(); // form and pages are hidden then
    for (QAction* action : {m_actions.start, m_actions.copyCommand, m_actions.queue, m_actions.sweep})
        action->setEnabled(m_form->isReady() && !importing);
    m_sweep->setSweepEnabled(m_form->isReady());
    m_actions.pause->setEnabled(controlled && controlled->state() != app::RunState::Queued);
    m_actions.showPaused(paused);
    m_actions.stop->setEnabled(controlled);
    m_actions.exportAs->setEnabled(tensor || !m_session.runs().empty());
    for (QAction* action : {m_actions.duplicateSettings, m_actions.rename, m_actions.note, m_actions.remove, m_actions.color->menuAction()})
        action->setEnabled(chosen);
    m_actions.continueRun->setEnabled(chosen && !chosen->isActive());
    const QString whyNot = chosen ? app::Session::whyNotLearning(*chosen) : tr("Choose a run first.");
    Actions::showWhyNot(m_actions.addData, whyNot);
    Actions::showWhyNot(m_actions.watchFolder, m_watch->isOn() ? tr("A folder is watched already: end that first.") : whyNot);
    Actions::showWhyNot(m_actions.passOver,
                        !chosen                            ? tr("Choose a run first.")
                            : m_watch->isAddingTo(*chosen) ? QString() // it waits for them
                                                           : m_session.whyNoPasses(*chosen));
    const bool learnt = chosen && chosen->tensor()->isLearnt;
    Actions::showWhyNot(m_actions.copyRunCommand,
                        !chosen      ? tr("Choose a run first.")
                            : learnt ? tr("No single command repeats a run that has learnt files.")
                                     : QString());
    m_actions.color->setCurrent(chosen ? chosen->colorIndex() : -1);
    m_actions.closeTensor->setEnabled(tensor);
    for (QAction* action : {m_actions.goToEntry, m_actions.filterEntries, m_actions.showData})
        action->setEnabled(tensor && !importing);
    for (QAction* action :
         {m_actions.showConvergence, m_actions.showCompare, m_actions.showFactors, m_actions.showPredict, m_actions.showSweep})
        action->setEnabled((tensor || !m_session.runs().empty()) && !importing);
    m_actions.allTensors->setEnabled(m_scope->hasSeveralTensors());
    updateQueue();
    m_actions.report->setEnabled(!m_session.runs().empty());
    m_actions.followRuns->setEnabled(!m_session.runs().empty());
}

namespace {

QString useText(const kernels::telemetry::SourceInfo& source, const kernels::telemetry::Sample& last)
{
    if (!std::isfinite(last.smPercent))
        return {};
    const QString what = source.id == "cpu" ? MainWindow::tr("CPU use") : source.coarse ? MainWindow::tr("GPU busy") : MainWindow::tr("SM");
    QString text = QStringLiteral("%1 %2").arg(what, formatting::percent(last.smPercent / 100.0, 0));
    if (std::isfinite(last.dramPercent))
        text += MainWindow::tr(" · DRAM %1").arg(formatting::percent(last.dramPercent / 100.0, 0));
    return text;
}

} // namespace

void MainWindow::updateStatus()
{
    const kernels::DeviceId id = m_form->device();
    const auto& devices = m_session.devices();
    const auto device = std::find_if(devices.begin(), devices.end(), [&](const auto& d) { return d.id == id; });
    const app::TelemetryView view = m_session.telemetry(id);
    const kernels::telemetry::Sample last = view.samples.empty() ? kernels::telemetry::Sample{} : view.samples.back();
    if (device != devices.end()) {
        const QString name = id.kind == kernels::DeviceKind::Cpu ? tr("CPU") : QString::fromStdString(device->name);
        m_statusDevice->setText(tr("%1 · %2 / %3").arg(name, formatting::bytes(last.memoryBytes), formatting::bytes(device->memoryTotal)));
        m_statusDevice->setToolTip(tr("%1\n%2 of %3 bytes")
                                       .arg(QString::fromStdString(device->name), formatting::grouped(last.memoryBytes),
                                            formatting::grouped(device->memoryTotal)));
    }
    m_statusUse->setText(useText(view.info, last));
    m_statusUse->setToolTip(QString::fromStdString(view.info.metric));
    const app::Run* run = m_workspace->currentRun();
    if (!run)
        run = runToControl();
    m_statusIteration->setText(
        run ? tr("iteration %1 / %2").arg(formatting::grouped(run->history().size()), formatting::grouped(run->plannedIterations()))
            : QString());
    QString time = run ? tr("%1 elapsed").arg(formatting::duration(run->elapsedSeconds())) : QString();
    if (run && run->isActive() && run->secondsLeft() >= 0)
        time += tr(" · %1 left").arg(formatting::duration(run->secondsLeft()));
    m_statusTime->setText(time);
    updateExports();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const auto urls = event->mimeData()->urls();
    if (std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); }))
        event->acceptProposedAction();
    m_dropFrame->raise();
    m_dropFrame->setVisible(event->isAccepted());
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) { m_dropFrame->hide(); }

void MainWindow::dropEvent(QDropEvent* event)
{
    m_dropFrame->hide();
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            paths += url.toLocalFile();
    if (!paths.isEmpty())
        event->acceptProposedAction();
    m_dropped = paths;
    openFiles(paths);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    event->ignore();
    if (m_stopping)
        return;
    // After a dialog has gone: closing a window below an open dialog is refused. What was agreed to counts for this closing alone.
    const auto closeAgain = [this](bool mayStop, bool mayLose) {
        const auto close = [this, mayStop, mayLose] {
            m_stopAgreed = mayStop;
            m_lossAgreed = mayLose;
            this->close();
            m_stopAgreed = m_lossAgreed = false;
        };
        QMetaObject::invokeMethod(this, close, Qt::QueuedConnection);
    };
    const bool mayStop = std::exchange(m_stopAgreed, false), mayLose = std::exchange(m_lossAgreed, false);
    if ((m_session.hasActiveRuns() || m_session.isLearning()) && !mayStop)
        return askAboutRunningRuns([closeAgain] { closeAgain(true, false); });
    if (m_session.hasActiveRuns())
        return stopForClosing([closeAgain] { closeAgain(true, false); });
    if (!mayLose && !m_keeper->isSafe())
        return m_keeper->beforeTheEnd([closeAgain, mayStop] { closeAgain(mayStop, true); });
    event->accept();
}

} // namespace ui
