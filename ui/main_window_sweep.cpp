// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps and the queue of runs.
#include "app/messages.h"
#include "app/sweep_starter.h"
#include "ui/dialogs/sweep_dialog.h"
#include "ui/main_window.h"
#include "ui/models/run_edits.h"
#include "ui/models/run_text.h"
#include "ui/pages/sweep_page.h"
#include "ui/panels/run_form.h"
#include "ui/panels/workspace_panel.h"
#include "ui/widgets/message_bar.h"

#include <QAction>
#include <QElapsedTimer>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

namespace ui {
namespace {

constexpr std::size_t mostShownRuns = 8; ///< of a sweep in the charts of all runs: more cannot be told apart

} // namespace

void MainWindow::connectSweep()
{
    m_sweepStarter = new app::SweepStarter(m_session, this);
    connect(m_sweepStarter, &app::SweepStarter::failed, this,
            [this](const QString& sentence) { m_messages->post(MessageTone::Error, sentence); });
    connect(m_form, &RunForm::queueRequested, this, [this] { startRun(app::Turn::Last); });
    connect(m_form, &RunForm::sweepRequested, this, &MainWindow::planSweep);
    connect(m_sweep, &SweepPage::sweepRequested, this, &MainWindow::planSweep);
    connect(m_sweep, &SweepPage::removalRequested, this, &MainWindow::removeRuns);
    connect(m_sweep, &SweepPage::continueRequested, this, &MainWindow::continueRuns);
    connect(m_sweep, &SweepPage::showOrHideRequested, this, &MainWindow::showOrHide);
    connect(m_sweep, &SweepPage::runChosen, m_workspace, &WorkspacePanel::setCurrentRun);
    connect(m_sweep, &SweepPage::saveFailed, this, [this](const QString& sentence) { m_messages->post(MessageTone::Error, sentence); });
    const Actions& a = m_actions;
    connect(a.queue, &QAction::triggered, this, [this] { startRun(app::Turn::Last); });
    connect(a.sweep, &QAction::triggered, this, &MainWindow::planSweep);
    connect(a.showSweep, &QAction::triggered, this, [this] { showPage(SweepTab); });
    connect(a.pauseQueue, &QAction::triggered, this, [this] { m_session.setQueuePaused(!m_session.isQueuePaused()); });
    connect(a.moveUp, &QAction::triggered, this, [this] { moveInQueue(app::QueueMove::Up); });
    connect(a.moveDown, &QAction::triggered, this, [this] { moveInQueue(app::QueueMove::Down); });
    connect(a.moveToFront, &QAction::triggered, this, [this] { moveInQueue(app::QueueMove::Front); });
    connect(m_workspace, &WorkspacePanel::queuePauseRequested, a.pauseQueue, &QAction::trigger);
    connect(&m_session, &app::Session::queueChanged, this, &MainWindow::updateQueue);

    // What is done to all runs of the chosen run's sweep; a run of no sweep has its own actions for that.
    const auto chosenSweep = [this] {
        const app::Run* run = m_workspace->currentRun();
        return run ? m_sweep->sweepOf(run->id()) : std::vector<int>();
    };
    connect(a.toggleSweep, &QAction::triggered, this, [this, chosenSweep] {
        if (const std::vector<int> ids = chosenSweep(); !ids.empty())
            showOrHide(ids);
    });
    connect(a.removeSweep, &QAction::triggered, this, [this, chosenSweep] {
        if (const std::vector<int> ids = chosenSweep(); !ids.empty())
            removeRuns(ids);
    });
    auto* soon = new QTimer(this); // hundreds of runs come and go at once; it looks at all of them
    soon->setSingleShot(true);
    connect(soon, &QTimer::timeout, this, [this, chosenSweep] {
        const bool any = !chosenSweep().empty();
        for (QAction* action : {m_actions.toggleSweep, m_actions.removeSweep})
            action->setEnabled(any);
    });
    const auto later = [soon] { soon->start(0); };
    connect(m_workspace, &WorkspacePanel::currentRunChanged, soon, later);
    connect(&m_session, &app::Session::runAdded, soon, later);
    connect(&m_session, &app::Session::runChanged, soon, later);
    connect(&m_session, &app::Session::runRemoved, soon, later);
    later();
}

void MainWindow::planSweep()
{
    const app::OpenTensorPtr tensor = m_workspace->currentTensor();
    if (!tensor || !m_form->settle())
        return;
    try {
        auto* dialog = new SweepDialog(m_session, m_form->config(), tensor, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &SweepDialog::planned, this, [this, tensor](const app::SweepPlan& plan, app::Turn turn) {
            const std::size_t count = plan.runCount();
            const std::size_t before = m_session.runs().size();
            m_sweepStarter->start(plan, tensor, turn, count <= mostShownRuns);
            if (m_session.runs().size() > before) {
                m_sweep->showSeriesOf(m_session.runs()[before]->id());
                m_workspace->setCurrentRun(m_session.runs()[before]->id());
            }
            const QString began = (turn == app::Turn::Last ? tr("Queued %1") : tr("Started %1")).arg(runCount(count));
            m_statusMessage->setText(count <= mostShownRuns ? began
                                                            : tr("%1; a click on a run's square shows it in the charts").arg(began));
            showPage(SweepTab);
        });
        connect(dialog, &SweepDialog::commandRequested, this, [this](const QString& command) { copyText(command, tr("Command copied")); });
        dialog->open();
    } catch (const std::exception& error) {
        m_messages->post(MessageTone::Error, app::messageFor(error));
    }
}

/// With twice the iterations they have made, or twice the time.
void MainWindow::continueRuns(const std::vector<int>& ids)
{
    std::size_t continued = 0;
    for (const int id : ids) {
        app::Run* run = m_session.run(id);
        if (!run || run->isActive())
            continue;
        kernels::StoppingRules rules = run->config().stopping;
        rules.iterations = std::max<std::uint64_t>(rules.iterations, 2 * run->history().size());
        rules.secondsLimit *= 2;
        try {
            m_session.continueRun(run, rules);
            ++continued;
        } catch (const std::exception& error) {
            m_messages->post(MessageTone::Error, app::messageFor(error));
            break; // the others would say the same
        }
    }
    if (continued > 0)
        m_sweep->showSeriesOf(ids.front());
    m_statusMessage->setText(tr("Continued %1").arg(runCount(continued)));
    updateActions();
}

void MainWindow::removeRuns(const std::vector<int>& ids)
{
    const auto going = std::count_if(ids.begin(), ids.end(), [this](int id) { return m_session.run(id) && m_session.run(id)->isActive(); });
    const QString text = tr("Remove %1 with their models?").arg(runCount(ids.size()));
    auto* question = new QMessageBox(QMessageBox::Question, tr("Remove runs"),
                                     going == 0 ? text : text + u' ' + tr("Of these %1 have not ended; they are stopped.").arg(going),
                                     QMessageBox::NoButton, this);
    question->setObjectName(QStringLiteral("removeQuestion"));
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto* yes = question->addButton(tr("Remove them"), QMessageBox::DestructiveRole);
    question->setDefaultButton(question->addButton(tr("Keep them"), QMessageBox::RejectRole));
    connect(yes, &QPushButton::clicked, this, [this, ids] {
        m_edits->remove(ids);
        m_statusMessage->setText(tr("Removed %1").arg(runCount(ids.size())));
    });
    question->open();
}

/// All alike: shown while one of them is hidden, as on the Sweep tab.
void MainWindow::showOrHide(const std::vector<int>& ids)
{
    const bool show = std::any_of(ids.begin(), ids.end(), [this](int id) { return m_session.run(id) && !m_session.run(id)->isVisible(); });
    m_showing = ids; // of what is still under way another press takes the place
    m_show = show;
    showOrHideSome();
    m_statusMessage->setText((show ? tr("%1 shown in the charts") : tr("%1 hidden in the charts")).arg(runCount(ids.size())));
}

/// Everything that draws runs looks up at each of them: some at a time, so that hundreds do not hold the window up.
void MainWindow::showOrHideSome()
{
    constexpr int milliseconds = 10; // of a turn of the event loop
    QElapsedTimer clock;
    for (clock.start(); !m_showing.empty() && clock.elapsed() < milliseconds; m_showing.pop_back())
        if (app::Run* run = m_session.run(m_showing.back()))
            run->setVisible(m_show);
    if (!m_showing.empty())
        QTimer::singleShot(0, this, &MainWindow::showOrHideSome);
}

void MainWindow::moveInQueue(app::QueueMove move)
{
    if (app::Run* run = m_workspace->currentRun())
        m_session.moveInQueue(run, move);
}

void MainWindow::updateQueue()
{
    const app::Run* run = m_workspace->currentRun();
    const int position = run ? m_session.queuePosition(run) : 0;
    const auto waiting = position > 0 ? static_cast<int>(m_session.waitingRuns(run->config().devices.front()).size()) : 0;
    m_actions.moveUp->setEnabled(position > 1);
    m_actions.moveToFront->setEnabled(position > 1);
    m_actions.moveDown->setEnabled(position > 0 && position < waiting);
    m_actions.showQueuePaused(m_session.isQueuePaused());
}

} // namespace ui
