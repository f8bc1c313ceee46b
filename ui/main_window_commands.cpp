// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window's actions do.
#include "app/command_line.h"
#include "app/folder_watch.h"
#include "app/messages.h"
#include "app/sweep_starter.h"
#include "io/file_format.h"
#include "kernels/base/registry.h"
#include "kernels/base/version.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/dialogs/generate_dialog.h"
#include "ui/dialogs/tensor_choice_dialog.h"
#include "ui/formatting.h"
#include "ui/main_window.h"
#include "ui/models/run_edits.h"
#include "ui/panels/run_form.h"
#include "ui/panels/workspace_panel.h"
#include "ui/session_keeper.h"
#include "ui/widgets/message_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QDate>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QSettings>
#include <QTabBar>

#include <algorithm>

namespace ui {
namespace {

/// "FastTuckerPlus", from the second on with a number.
QString freeName(const app::Session& session, const QString& title)
{
    const auto taken = [&](const QString& name) {
        return std::any_of(session.runs().begin(), session.runs().end(), [&](const app::Run* run) { return run->name() == name; });
    };
    QString name = title;
    for (int number = 2; taken(name); ++number)
        name = QStringLiteral("%1 %2").arg(title).arg(number);
    return name;
}

enum class Choice { Tensors, TensorsAndSessions };

QString fileFilters(Choice choice)
{
    QStringList all, each;
    for (const io::FileFormat& format : io::fileFormats()) {
        QStringList patterns;
        for (const std::string& extension : format.extensions)
            patterns += QStringLiteral("*.") + QString::fromStdString(extension);
        all += patterns;
        each += QStringLiteral("%1 (%2)").arg(QString::fromStdString(format.title), patterns.join(QLatin1Char(' ')));
    }
    if (choice == Choice::TensorsAndSessions) {
        const QString sessions = QStringLiteral("*.polyad");
        each.prepend(MainWindow::tr("Polyad sessions (%1)").arg(sessions));
        each.prepend(MainWindow::tr("All that can be opened (%1)").arg((all + QStringList{sessions}).join(QLatin1Char(' '))));
    } else {
        each.prepend(MainWindow::tr("Tensors (%1)").arg(all.join(QLatin1Char(' '))));
    }
    each.append(MainWindow::tr("All files (*)"));
    return each.join(QStringLiteral(";;"));
}

QString openFolder() { return QSettings().value(QStringLiteral("openFolder")).toString(); }
void rememberFolder(const QString& file) { QSettings().setValue(QStringLiteral("openFolder"), QFileInfo(file).absolutePath()); }

/// "/data/days.h5:/monday" for "/data/days.h5" where the former was learnt: a file that is chosen stands for all of them.
QStringList learntOf(const QStringList& files, const QStringList& learnt)
{
    QStringList all;
    for (const QString& file : files) {
        const QString name = QFileInfo(file).fileName();
        const auto before = all.size();
        for (const QString& each : learnt)
            if (each.startsWith(name + QStringLiteral(":/")))
                all += file + each.mid(name.size());
        if (all.size() == before)
            all += file;
    }
    return all;
}

} // namespace

void MainWindow::chooseFiles()
{
    auto* dialog = new QFileDialog(this, tr("Open tensors, tables or a session"), openFolder(), fileFilters(Choice::TensorsAndSessions));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& paths) {
        if (!paths.isEmpty())
            rememberFolder(paths.first());
        openFiles(paths);
    });
    dialog->open();
}

void MainWindow::chooseGroup(const app::LoadJob& job)
{
    auto* dialog = new TensorChoiceDialog(job.title(), job.groups(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (job.path().isEmpty())
        connect(dialog, &TensorChoiceDialog::chosen, this, job.takeGroup());
    else
        connect(dialog, &TensorChoiceDialog::chosen, this, [this, path = job.path(), take = job.takeGroup()](const QString& group) {
            if (!showOpened(m_session.openedFrom(app::withGroup(path, group))))
                take(group);
        });
    connect(dialog, &QDialog::rejected, this, [this] { m_statusMessage->setText(tr("Not opened")); });
    m_statusMessage->clear();
    dialog->open();
}

void MainWindow::tellLoadProblem(const QString& sentence)
{
    m_loadProblems += sentence;
    m_messages->post(MessageTone::Error, sentence);
}

void MainWindow::closeTensor(int id)
{
    const app::OpenTensorPtr tensor = m_session.tensor(id);
    if (!tensor)
        return;
    m_edits->closeTensor(tensor);
    m_statusMessage->setText(tr("Closed %1; Undo brings it back").arg(tensor->name));
}

void MainWindow::addData()
{
    const QPointer<app::Run> run = m_workspace->currentRun();
    if (!run || !app::Session::whyNotLearning(*run).isEmpty())
        return;
    auto* dialog = new QFileDialog(this, tr("Add new data to %1").arg(run->name()), openFolder(), fileFilters(Choice::Tensors));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, run](const QString& path) {
        rememberFolder(path);
        if (run && app::Session::whyNotLearning(*run).isEmpty()) // it may be gone by now, or going on
            m_session.addData(run, {path});
    });
    dialog->open();
}

void MainWindow::passOver(app::Run* chosen)
{
    const QPointer<app::Run> run = chosen;
    const auto mayPass = [this, run] { // it may be gone by now, or growing
        const QString whyNot = run ? m_session.whyNoPasses(*run) : QString();
        if (!whyNot.isEmpty())
            m_messages->post(MessageTone::Warning, run->name() + QStringLiteral(": ") + whyNot,
                             m_session.isGrowing(*run) ? QList{passAction(run)} : QList<MessageAction>());
        return run && whyNot.isEmpty();
    };
    const auto pass = [this, run, mayPass](const QStringList& files) {
        if (mayPass())
            m_session.passOver(run, files);
    };
    if (run && m_watch->isAddingTo(*run)) {
        m_watch->letFirst([this, run] { passOver(run); });
        m_messages->post(MessageTone::Info,
                         tr("%1: passes over all entries follow when %2 is learnt.").arg(run->name(), m_watch->state().adding));
        return;
    }
    if (!mayPass())
        return;
    if (const QStringList known = m_session.knownFiles(*run); !known.isEmpty())
        return pass(known);
    const QStringList learnt = m_session.learntFiles(*run);
    auto* dialog = new QFileDialog(this, tr("Open all files that %1 has learnt: %2").arg(run->name(), learnt.join(QStringLiteral(", "))),
                                   openFolder(), fileFilters(Choice::Tensors));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [pass, learnt](const QStringList& files) { pass(learntOf(files, learnt)); });
    dialog->open();
}

void MainWindow::offerPasses(app::Run* run, const QString& sentence)
{
    const QString& offer = m_passesOffered[run->id()] = run->name() + QStringLiteral(": ") + sentence;
    m_messages->post(MessageTone::Warning, offer, {passAction(run)});
}

MessageAction MainWindow::passAction(app::Run* run)
{
    return {tr("Pass over all entries"), [this, run = QPointer(run)] { passOver(run); }};
}

void MainWindow::tellKnown(app::Run* run, const app::NewData& known, const QString& sentence)
{
    if (sentence.isEmpty()) // the folder is watched once more
        return;
    QList<MessageAction> actions;
    if (!known.unasked)
        actions.append({tr("Add it all the same"), [this, run = QPointer(run), known] {
                            if (!run || !app::Session::whyNotLearning(*run).isEmpty())
                                return;
                            app::NewData again = known;
                            again.again = true;
                            m_session.addData(run, again);
                        }});
    m_messages->post(MessageTone::Warning, run->name() + QStringLiteral(": ") + sentence, actions);
    m_statusMessage->setText(tr("Nothing added to %1").arg(run->name()));
}

void MainWindow::openFiles(const QStringList& paths)
{
    for (const QString& path : paths)
        if (path.endsWith(QStringLiteral(".polyad"), Qt::CaseInsensitive))
            m_keeper->open(path);
        else if (!showOpened(m_session.openedFrom(path)))
            m_session.openFile(path, {}, app::Session::Tables::Ask);
}

void MainWindow::openSample()
{
    const app::Session::Opened opened = m_session.openedFrom(app::Session::samplePath(QStringLiteral("flights/flights.tns")));
    if (!(opened.isLoading || (opened.tensor && opened.tensor->suggested)) || !showOpened(opened))
        m_session.openSample();
}

/// Whether the file need not be read again.
bool MainWindow::showOpened(const app::Session::Opened& opened)
{
    if (opened.tensor) {
        m_workspace->setCurrentTensor(opened.tensor->id);
        showPage(DataTab);
        m_statusMessage->setText(tr("%1 is open already").arg(opened.tensor->name));
    } else if (opened.changed) {
        m_messages->post(MessageTone::Info, tr("%1 has changed since it was opened. It is opened anew.").arg(opened.changed->name));
    }
    return opened.tensor || opened.isLoading;
}

void MainWindow::generate()
{
    auto* dialog = new GenerateDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &GenerateDialog::specChosen, this,
            [this](const kernels::SyntheticSpec& spec, const QString& name) { m_session.generate(spec, name); });
    connect(dialog, &GenerateDialog::presetChosen, this,
            [this](const QString& id, double scale, quint64 seed) { m_session.generatePreset(id, scale, seed); });
    dialog->open();
}

void MainWindow::exportChosen(bool report)
{
    const app::Run* chosen = m_workspace->currentRun();
    if (!chosen && !m_session.runs().empty())
        chosen = m_session.runs().back();
    auto* dialog = new ExportDialog(m_session, chosen, m_workspace->currentTensor(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (report)
        dialog->chooseReport();
    connect(dialog, &QDialog::accepted, this, &MainWindow::updateStatus);
    dialog->open();
}

/// How far the first of them is, and the way to cancel it.
void MainWindow::updateExports()
{
    const auto exports = m_session.exports();
    m_cancelExport->setVisible(!exports.empty());
    if (exports.empty())
        return;
    const app::ExportState& first = exports.front();
    const QString writing = tr("Writing %1").arg(QFileInfo(first.path).fileName());
    m_statusMessage->setText(first.fraction < 0 ? writing : tr("%1 · %2").arg(writing, formatting::percent(first.fraction, 0)));
    m_shownExport = first.path;
    m_cancelExport->setToolTip(tr("Stop writing %1; nothing is left of it.").arg(QFileInfo(first.path).fileName()));
}

void MainWindow::startRun(app::Turn turn)
{
    const app::OpenTensorPtr tensor = m_workspace->currentTensor();
    if (!tensor || !m_form->settle()) // a field may have been changed a moment ago
        return;
    try {
        begin(m_form->config(), tensor, turn);
        if (m_tabs->currentIndex() != CompareTab) // there it is seen, too
            showPage(ConvergenceTab);
    } catch (const std::exception& error) {
        m_messages->post(MessageTone::Error, app::messageFor(error));
    }
    updateActions();
}

void MainWindow::begin(const kernels::RunConfig& config, const app::OpenTensorPtr& tensor, app::Turn turn)
{
    app::Run* const run = m_session.start(config, tensor, turn);
    run->setName(freeName(m_session, run->algorithmTitle()));
    m_workspace->setCurrentRun(run->id());
    m_statusMessage->setText((turn == app::Turn::Last ? tr("Queued %1") : tr("Started %1")).arg(run->name()));
}

app::Run* MainWindow::runToControl() const
{
    app::Run* chosen = m_workspace->currentRun();
    if (chosen && chosen->isActive())
        return chosen;
    const auto& runs = m_session.runs();
    const auto at = std::find_if(runs.rbegin(), runs.rend(), [](const app::Run* run) { return run->isActive(); });
    return at == runs.rend() ? nullptr : *at;
}

void MainWindow::togglePause()
{
    app::Run* run = runToControl();
    if (!run)
        return;
    const bool paused = run->state() == app::RunState::Paused;
    paused ? run->resume() : run->pause();
    m_statusMessage->setText((paused ? tr("Resumed %1") : tr("Paused %1")).arg(run->name()));
}

void MainWindow::stopRun()
{
    app::Run* run = runToControl();
    if (!run)
        return;
    m_statusMessage->setText(tr("Stopping %1; its best model is kept").arg(run->name()));
    run->stop();
}

void MainWindow::copyText(const QString& text, const QString& done)
{
    QApplication::clipboard()->setText(text);
    m_statusMessage->setText(done);
    m_statusMessage->setToolTip(text);
}

void MainWindow::copyFormCommand()
{
    const app::OpenTensorPtr tensor = m_workspace->currentTensor();
    if (!tensor || !m_form->settle())
        return;
    try {
        copyText(QString::fromStdString(app::commandLine(m_form->config(), tensor->command)), tr("Command copied"));
    } catch (const std::exception& error) {
        m_messages->post(MessageTone::Error, app::messageFor(error));
    }
}

QString MainWindow::whatClosingKeeps() const
{
    QStringList sentences;
    if (m_session.hasActiveRuns())
        sentences += m_keeper->canKeep()
            ? tr("The next start offers them again. You can resume them, or restore them and export their models. A run without a "
                 "finished iteration keeps its settings alone.")
            : tr("There is no folder to keep them in. Save the session, or export the models, to keep them.");
    if (m_session.isLearning())
        sentences += tr("A run that is learning new data stays as it was. Add the file again after the next start.");
    return sentences.join(QLatin1Char(' '));
}

/// The window waits until the runs have kept what they have, and takes nothing new meanwhile.
void MainWindow::stopForClosing(const std::function<void()>& stopped)
{
    m_stopping = new QObject(this);
    const auto look = [this, stopped] {
        if (!m_stopping || m_session.hasActiveRuns())
            return;
        delete m_stopping.data();
        setEnabled(true);
        stopped();
    };
    connect(&m_session, &app::Session::runChanged, m_stopping, look, Qt::QueuedConnection);
    // A load that ends may start one.
    connect(
        &m_session, &app::Session::runAdded, m_stopping, [this] { m_session.interruptRuns(); }, Qt::QueuedConnection);
    setEnabled(false);
    m_statusMessage->setText(tr("Stopping the runs and keeping what they have"));
    m_sweepStarter->cancel();
    m_session.interruptRuns();
}

/// One question, however often the person tries to close meanwhile.
void MainWindow::askAboutRunningRuns(const std::function<void()>& agreed)
{
    if (m_closeQuestion) {
        m_closeQuestion->raise();
        return;
    }
    const auto active =
        std::count_if(m_session.runs().begin(), m_session.runs().end(), [](const app::Run* run) { return run->isActive(); });
    const QString text = active > 0 ? tr("Runs still working: %1. Stop them and close?").arg(active)
                                    : tr("New data is still being added to a run. Close without it?");
    auto* question = new QMessageBox(QMessageBox::Question, tr("Close Polyad"), text, QMessageBox::NoButton, this);
    question->setObjectName(QStringLiteral("closeQuestion"));
    question->setInformativeText(whatClosingKeeps());
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto* yes = question->addButton(tr("Stop and close"), QMessageBox::DestructiveRole);
    question->setDefaultButton(question->addButton(tr("Keep running"), QMessageBox::RejectRole));
    connect(yes, &QPushButton::clicked, this, agreed);
    m_closeQuestion = question;
    question->open();
}

void MainWindow::offerToResume(const app::InterruptedRun& run)
{
    const bool today = run.started.date() == QDate::currentDate();
    const QString begun =
        today ? QLocale().toString(run.started.time(), QLocale::ShortFormat) : QLocale().toString(run.started, QLocale::ShortFormat);
    m_messages->post(MessageTone::Info,
                     tr("The run of %1 on %2 was interrupted: iteration %3 of %4 is kept.")
                         .arg(begun, run.tensorName, formatting::grouped(run.iteration), formatting::grouped(run.planned)),
                     {{tr("Resume"),
                       [this, run] {
                           m_session.resumeInterrupted(run);
                           showPage(ConvergenceTab);
                       }},
                      {tr("Discard"), [this, run] { m_session.discardInterrupted(run); }}});
}

void MainWindow::showAbout()
{
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, tr("About Polyad"),
                        QStringLiteral("<b>Polyad %1</b>").arg(QString::fromStdString(kernels::version())), QMessageBox::Close, this);
    box->setTextFormat(Qt::RichText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(windowIcon().pixmap(64, 64));
    const QString& absence = m_session.cudaAbsence();
    box->setInformativeText(tr("A workbench for sparse tensor decomposition.\n\n%1\n%2\nFree software under the GNU General Public "
                               "License, version 3 or later.")
                                .arg(QString::fromStdString(kernels::buildDescription()).trimmed(), absence));
    box->open();
}

} // namespace ui
