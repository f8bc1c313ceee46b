// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Who is told of what.
#include "io/hdf5_name.h"
#include "ui/formatting.h"
#include "ui/main_window.h"
#include "ui/models/run_edits.h"
#include "ui/models/run_text.h"
#include "ui/models/tensor_scope.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/convergence_page.h"
#include "ui/pages/data_page.h"
#include "ui/pages/entries_card.h"
#include "ui/pages/factors_page.h"
#include "ui/pages/predict_page.h"
#include "ui/pages/welcome_page.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/run_form.h"
#include "ui/panels/workspace_panel.h"
#include "ui/widgets/message_bar.h"

#include <QAction>
#include <QFileInfo>
#include <QLabel>
#include <QListView>
#include <QMenu>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

/// Of one tensor of several in it, too.
QString fileOf(const QString& path) { return QString::fromStdString(io::splitHdf5Name(path.toStdString()).file); }

} // namespace

void MainWindow::connectSession()
{
    connect(&m_session, &app::Session::tensorAdded, this, [this](const app::OpenTensorPtr& tensor) {
        if (!tensor->path.isEmpty() && !tensor->suggested) // generated tensors cannot be opened again, the sample has its own card
            rememberRecent(tensor->path, tensor->readOptions.recipe);
        // Only a session's tensors have runs when they come. They come one by one, and that of the chosen run stays chosen.
        const auto& runs = m_session.runs();
        const app::Run* const run = m_workspace->currentRun();
        const bool brought =
            std::any_of(runs.begin(), runs.end(), [&](const app::Run* each) { return TensorScope::tensorOf(*each) == tensor->id; });
        if (!brought || !run || TensorScope::tensorOf(*run) == tensor->id || !m_workspace->currentTensor())
            m_workspace->setCurrentTensor(tensor->id);
        m_statusMessage->setText(tr("Opened %1").arg(tensor->name));
        for (const QString& sentence : std::exchange(m_loadProblems, {}))
            m_messages->dismiss(sentence);
        if (m_session.runs().empty() || m_dropped.removeAll(fileOf(tensor->path)) > 0)
            showPage(DataTab);
        const bool first = m_session.runs().empty() && m_session.tensors().size() == 1;
        updateCentre();
        if (first) // what had it has gone
            m_workspace->tensorList()->setFocus();
    });
    connect(&m_session, &app::Session::tensorRemoved, this, [this] {
        tensorChosen();
        updateCentre();
    });
    connect(&m_session, &app::Session::tensorRenamed, this, [this](const app::OpenTensorPtr& tensor) {
        if (tensor == m_workspace->currentTensor()) {
            m_form->setTensor(tensor);
            m_data->setTensor(tensor);
        }
    });
    connect(&m_session, &app::Session::namingFailed, this, &MainWindow::tellLoadProblem);
    connect(&m_session, &app::Session::loadStarted, this, [this](app::LoadJob* job) {
        m_statusMessage->setText(tr("Loading %1").arg(job->title()));
        connect(job, &app::LoadJob::failed, this, [this, job, absent = job->absent()](const QString& sentence) {
            if (job->isTable())
                return showImport(job->path());
            if (absent)
                offerToFind(absent, sentence);
            else if (!job->groups().isEmpty())
                return chooseGroup(*job);
            else
                tellLoadProblem(sentence);
            m_statusMessage->setText(tr("Not opened"));
        });
        connect(job, &app::LoadJob::cancelled, this,
                [this, title = job->title()] { m_statusMessage->setText(tr("Cancelled %1").arg(title)); });
        updateActions(); // a run that grows takes nothing else meanwhile
    });
    connect(&m_session, &app::Session::loadEnded, this, &MainWindow::updateActions);
    const auto runsChanged = [this] {
        updateActions();
        updateCentre();
    };
    connect(&m_session, &app::Session::runAdded, this, runsChanged);
    connect(&m_session, &app::Session::runRemoved, this, runsChanged);
    connect(&m_session, &app::Session::runChanged, this, [this](app::Run* run) {
        if (run->state() == app::RunState::Failed)
            m_messages->post(MessageTone::Error, run->name() + QStringLiteral(": ") + run->error());
        else if (!run->isActive())
            m_statusMessage->setText(
                tr("%1 %2: best %3 in iteration %4")
                    .arg(run->name(), stateText(run->state()), bestText(*run), formatting::grouped(run->bestIteration())));
        updateActions();
        updateStatus();
    });
    connect(&m_session, &app::Session::runWarned, this, [this](const app::Run* run, const QString& sentence) {
        m_messages->post(MessageTone::Warning, run->name() + QStringLiteral(": ") + sentence);
    });
    connect(&m_session, &app::Session::exportFinished, this, [this](const QString& path, const QStringList& warnings) {
        updateExports();
        m_statusMessage->setText(tr("Wrote %1").arg(QFileInfo(path).fileName()));
        m_statusMessage->setToolTip(path);
        for (const QString& warning : warnings)
            m_messages->post(MessageTone::Warning, warning);
    });
    connect(&m_session, &app::Session::exportFailed, this, [this](const QString&, const QString& sentence) {
        updateExports();
        m_messages->post(MessageTone::Error, sentence);
        m_statusMessage->setText(tr("Not written"));
    });
    connect(&m_session, &app::Session::exportCancelled, this, [this](const QString& path) {
        updateExports();
        m_statusMessage->setText(tr("Cancelled %1").arg(QFileInfo(path).fileName()));
    });
    connect(&m_session, &app::Session::interruptedRunFound, this, &MainWindow::offerToResume);
    connect(&m_session, &app::Session::resumptionFailed, this,
            [this](const QString& sentence) { m_messages->post(MessageTone::Error, sentence); });
    connect(&m_session, &app::Session::logMessage, m_log, &LogPanel::add);
}

void MainWindow::connectPanels()
{
    connect(m_workspace, &WorkspacePanel::currentTensorChanged, this, &MainWindow::tensorChosen);
    connect(m_workspace, &WorkspacePanel::currentRunChanged, this, &MainWindow::runChosen);
    connect(m_workspace->runList(), &QListView::clicked, this, &MainWindow::runChosen); // another tensor was chosen since
    connect(m_workspace, &WorkspacePanel::openRequested, this, &MainWindow::chooseFiles);
    connect(m_workspace, &WorkspacePanel::runHovered, m_convergence, &ConvergencePage::setHighlighted);
    connect(m_workspace, &WorkspacePanel::closeTensorRequested, this, &MainWindow::closeTensor);
    connect(m_edits, &RunEdits::tensorReturned, this,
            [this](const app::OpenTensorPtr& tensor) { m_statusMessage->setText(tr("%1 is back").arg(tensor->name)); });
    connect(m_workspace, &WorkspacePanel::runRemovalRequested, this, &MainWindow::removeRun);
    connect(m_workspace, &WorkspacePanel::runMenuRequested, this,
            [this, menu = m_actions.makeRunMenu(*this)](const QPoint& at) { menu->popup(at); });
    connect(m_form, &RunForm::startRequested, this, [this] { startRun(); });
    connect(m_form, &RunForm::commandRequested, this, &MainWindow::copyFormCommand);
    connect(m_form, &RunForm::readyChanged, this, &MainWindow::updateActions);
    connect(m_form, &RunForm::deviceChanged, this, [this] {
        m_convergence->setDevices(m_form->devices());
        m_data->setDevice(m_form->device());
    });
    connect(m_messages, &MessageBar::focusLost, this, [this] {
        if (showsWelcome())
            m_welcome->setFocus();
        else
            (m_session.runs().empty() ? m_workspace->tensorList() : m_workspace->runList())->setFocus();
    });
    connect(m_welcome, &WelcomePage::sampleRequested, this, &MainWindow::openSample);
    connect(m_welcome, &WelcomePage::openRequested, this, &MainWindow::chooseFiles);
    connect(m_welcome, &WelcomePage::generateRequested, this, &MainWindow::generate);
    connect(m_welcome, &WelcomePage::fileRequested, this, [this](const QString& path) { openRecent(path); });
    const auto saveFailed = [this](const QString& sentence) { m_messages->post(MessageTone::Error, sentence); };
    connect(m_data, &DataPage::saveFailed, this, saveFailed);
    connect(m_data, &DataPage::copied, this, [this](const QString& what) { m_statusMessage->setText(tr("Copied: %1").arg(what)); });
    connect(m_convergence, &ConvergencePage::saveFailed, this, saveFailed);
    connect(m_predict, &PredictPage::saveFailed, this, saveFailed);
    connect(m_predict, &PredictPage::copied, this, [this](const QString& what) { m_statusMessage->setText(tr("Copied: %1").arg(what)); });
    connect(m_compare, &ComparePage::saveFailed, this, saveFailed);
    connect(m_factors, &FactorsPage::saveFailed, this, saveFailed);
    connect(m_factors, &FactorsPage::saved, this,
            [this](const QString& path) { m_statusMessage->setText(tr("Wrote %1").arg(QFileInfo(path).fileName())); });
    connect(m_factors, &FactorsPage::runChosen, m_workspace, &WorkspacePanel::setCurrentRun);
}

/// A run under the mouse or chosen anywhere is so everywhere.
void MainWindow::connectCompare()
{
    connect(m_workspace, &WorkspacePanel::runHovered, m_compare, &ComparePage::setHighlighted);
    connect(m_compare, &ComparePage::runHovered, m_convergence, &ConvergencePage::setHighlighted);
    connect(m_compare, &ComparePage::runHovered, m_workspace, &WorkspacePanel::setHighlightedRun);
    connect(m_compare, &ComparePage::runChosen, m_workspace, &WorkspacePanel::setCurrentRun);
    connect(m_workspace, &WorkspacePanel::currentRunChanged, m_compare, [this] {
        if (const app::Run* run = m_workspace->currentRun())
            m_compare->setCurrentRun(run->id());
    });
    connect(m_compare, &ComparePage::copied, m_statusMessage, &QLabel::setText);
}

void MainWindow::connectActions()
{
    const Actions& a = m_actions;
    connect(a.open, &QAction::triggered, this, &MainWindow::chooseFiles);
    connect(a.openSample, &QAction::triggered, this, &MainWindow::openSample);
    connect(a.generate, &QAction::triggered, this, &MainWindow::generate);
    connect(a.exportAs, &QAction::triggered, this, [this] { exportChosen(false); });
    connect(a.report, &QAction::triggered, this, [this] { exportChosen(true); });
    connect(a.quit, &QAction::triggered, this, &MainWindow::close);
    connect(a.closeTensor, &QAction::triggered, this, [this] {
        if (const auto tensor = m_workspace->currentTensor())
            closeTensor(tensor->id);
    });
    connect(a.goToEntry, &QAction::triggered, this, [this] {
        showPage(DataTab);
        m_data->entries()->askForEntry();
    });
    connect(a.filterEntries, &QAction::triggered, this, [this] {
        showPage(DataTab);
        m_data->entries()->askForFilter();
    });
    connect(a.start, &QAction::triggered, this, [this] { startRun(); });
    connect(a.pause, &QAction::triggered, this, &MainWindow::togglePause);
    connect(a.stop, &QAction::triggered, this, &MainWindow::stopRun);
    connect(a.copyCommand, &QAction::triggered, this, &MainWindow::copyFormCommand);
    connect(a.copyRunCommand, &QAction::triggered, this, [this] {
        if (const app::Run* run = m_workspace->currentRun())
            copyText(run->command(), tr("Command of %1 copied").arg(run->name()));
    });
    connect(a.showData, &QAction::triggered, this, [this] { showPage(DataTab); });
    connect(a.showConvergence, &QAction::triggered, this, [this] { showPage(ConvergenceTab); });
    connect(a.showCompare, &QAction::triggered, this, [this] { showPage(CompareTab); });
    connect(a.showFactors, &QAction::triggered, this, [this] { showPage(FactorsTab); });
    connect(a.showPredict, &QAction::triggered, this, [this] { showPage(PredictTab); });
    connect(a.followRuns, &QAction::triggered, m_convergence, &ConvergencePage::followAgain);
    connect(a.about, &QAction::triggered, this, &MainWindow::showAbout);
}

} // namespace ui
