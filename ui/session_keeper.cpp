// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session_keeper.h"

#include "ui/widgets/message_bar.h"

#include <QDateTime>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

constexpr const char* suffix = "polyad";
constexpr int longestName = 60; ///< of letters that take up to four bytes, in a name of 255

const QLatin1String fileKey("file"); ///< of what is kept aside: the person's own file

QString timeText(const QDateTime& time)
{
    const bool today = time.date() == QDate::currentDate();
    return today ? QLocale().toString(time.time(), QLocale::ShortFormat) : QLocale().toString(time, QLocale::ShortFormat);
}

} // namespace

SessionKeeper::SessionKeeper(app::Session& session, MessageBar& messages, QWidget& window, std::function<QString()> state)
    : QObject(&window)
    , m_session(session)
    , m_messages(messages)
    , m_window(window)
    , m_state(std::move(state))
{
    const auto modified = [this] {
        m_changedSince = true;
        setModified(true);
    };
    connect(&session, &app::Session::runAdded, this, modified);
    connect(&session, &app::Session::runChanged, this, modified);
    connect(&session, &app::Session::runRemoved, this, modified);
    connect(&session, &app::Session::tensorRenamed, this, modified);
    connect(&session, &app::Session::tensorAdded, this, &SessionKeeper::titleChanged);
    connect(&session, &app::Session::exportFinished, this, &SessionKeeper::written);
    connect(&session, &app::Session::exportFailed, this, &SessionKeeper::notWritten);
    connect(&session, &app::Session::exportCancelled, this, &SessionKeeper::notWritten);
    connect(&session, &app::Session::sessionOpened, this, &SessionKeeper::arrived);
    connect(&session, &app::Session::abandonedSessionFound, this, &SessionKeeper::offerToRestore);
}

SessionKeeper::~SessionKeeper()
{
    if (!m_autosave)
        return;
    if (m_modified || !m_saving.isEmpty())
        m_autosave->finish();
    else // the person's own file has it
        m_autosave->discard();
}

void SessionKeeper::keepAside(double seconds)
{
    m_keepsAside = true;
    const QString file = m_session.recoveryFile();
    if (file.isEmpty())
        return;
    m_autosave = std::make_unique<app::Autosave>(
        m_session, file, [this] { return stateToKeep(); }, seconds);
    connect(m_autosave.get(), &app::Autosave::failed, this, [this](const QString& sentence) {
        m_messages.post(MessageTone::Warning, tr("The session could not be kept aside: %1").arg(sentence));
    });
    // Queued: the answer may be to write again.
    connect(m_autosave.get(), &app::Autosave::ended, this, &SessionKeeper::keptAside, Qt::QueuedConnection);
    connect(m_autosave.get(), &app::Autosave::written, this, [this] {
        for (const QString& old : std::exchange(m_restored, {})) // their runs are in ours now
            QFile::remove(old);
    });
}

/// The window's state, and the name of the session's file.
QString SessionKeeper::stateToKeep() const
{
    QJsonObject state = QJsonDocument::fromJson(m_state().toUtf8()).object();
    if (!m_path.isEmpty())
        state[fileKey] = m_path;
    return QString::fromUtf8(QJsonDocument(state).toJson(QJsonDocument::Compact));
}

void SessionKeeper::setPath(const QString& path)
{
    m_path = path;
    if (m_autosave)
        m_autosave->keepWithoutRuns(!path.isEmpty());
}

bool SessionKeeper::isSafe() const
{
    const auto& runs = m_session.runs();
    const bool anyEnded = std::any_of(runs.begin(), runs.end(), [](const app::Run* run) { return !run->isActive(); });
    return !m_keepsAside || !m_modified || !anyEnded || (m_autosave && !m_autosave->isPending());
}

void SessionKeeper::beforeTheEnd(const std::function<void()>& agreed)
{
    if (isSafe())
        return agreed();
    const bool asked = static_cast<bool>(m_ending);
    m_ending = agreed;
    if (!m_autosave)
        askToGiveUp(tr("There is no folder where they could be kept."));
    else if (!asked)
        m_autosave->writeNow();
}

void SessionKeeper::keptAside(const QString& failure)
{
    if (!m_ending)
        return;
    if (!failure.isEmpty())
        askToGiveUp(failure);
    else if (m_autosave->isPending() && !m_session.hasActiveRuns()) // it lacked the last changes; what runs still bring comes at the end
        m_autosave->writeNow();
    else
        std::exchange(m_ending, {})();
}

void SessionKeeper::askToGiveUp(const QString& failure)
{
    const std::function<void()> agreed = std::exchange(m_ending, {});
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Runs that are not saved"),
                                tr("The runs in the list are in no file, and could not be kept aside. Close all the same?"),
                                QMessageBox::NoButton, &m_window);
    box->setObjectName(QStringLiteral("giveUpQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(failure);
    const auto* save = box->addButton(tr("Save session…"), QMessageBox::AcceptRole);
    const auto* yes = box->addButton(tr("Lose them"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Keep them"), QMessageBox::RejectRole));
    connect(save, &QPushButton::clicked, this, &SessionKeeper::saveAs);
    connect(yes, &QPushButton::clicked, this, agreed);
    box->open();
}

void SessionKeeper::setModified(bool modified)
{
    m_modified = modified;
    Q_EMIT titleChanged();
}

QString SessionKeeper::title() const
{
    if (m_path.isEmpty() && !hasRuns())
        return {};
    const QString name = m_path.isEmpty() ? tr("not saved") : QFileInfo(m_path).fileName();
    return m_modified && !m_path.isEmpty() ? name + QStringLiteral(" •") : name;
}

void SessionKeeper::save() { m_path.isEmpty() ? saveAs() : saveTo(m_path); }

/// The file's own name, or that of what is open.
QString SessionKeeper::proposedName() const
{
    if (!m_path.isEmpty())
        return QFileInfo(m_path).fileName();
    const auto& tensors = m_session.tensors();
    const QString name = tensors.empty() ? QString() : QFileInfo(tensors.front()->name).completeBaseName();
    return (name.isEmpty() ? QStringLiteral("session") : name.left(longestName)) + QLatin1Char('.') + QLatin1String(suffix);
}

void SessionKeeper::saveAs()
{
    auto* dialog = new QFileDialog(&m_window, tr("Save session"), QSettings().value(QStringLiteral("sessionFolder")).toString(),
                                   tr("Polyad sessions (*.%1)").arg(QLatin1String(suffix)));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QLatin1String(suffix));
    dialog->selectFile(proposedName());
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        QSettings().setValue(QStringLiteral("sessionFolder"), QFileInfo(path).absolutePath());
        saveTo(path);
    });
    dialog->open();
}

void SessionKeeper::saveTo(const QString& path)
{
    if (!m_saving.isEmpty()) { // one after the other
        m_saveAgain = true;
        return;
    }
    m_saving = path;
    m_changedSince = m_session.hasActiveRuns(); // they come to more than the file will have
    m_session.save(path, m_state());
}

void SessionKeeper::written(const QString& path)
{
    if (path != m_saving)
        return;
    m_saving.clear();
    setPath(path);
    setModified(m_changedSince);
    Q_EMIT saved(path);
    if (std::exchange(m_saveAgain, false))
        saveTo(path);
    else if (!m_modified && m_autosave)
        m_autosave->discard();
}

void SessionKeeper::notWritten(const QString& path)
{
    if (path != m_saving)
        return;
    m_saving.clear();
    m_saveAgain = false;
}

void SessionKeeper::startAfresh()
{
    askToLose(tr("Close all tensors and remove all runs?"), [this] {
        m_session.closeAll();
        m_saving.clear(); // what is still being written was another session
        setPath({});
        setModified(false);
    });
}

void SessionKeeper::open(const QString& path)
{
    askToLose(tr("Open %1 in place of the runs there are?").arg(QFileInfo(path).fileName()),
              [this, path] { m_session.openSession(path, app::Session::Opening::Replaces); });
}

void SessionKeeper::arrived(const QString& path, const QString& state, int leftOut)
{
    if (m_restoring.erase(path) > 0) {
        const QString file = QJsonDocument::fromJson(state.toUtf8()).object().value(fileKey).toString();
        if (leftOut == 0)
            m_restored += path;
        if (leftOut == 0 && m_path.isEmpty()) // Save must not take from that file what is left out here
            setPath(file);
        setModified(true);
    } else {
        m_saving.clear();
        setPath(path);
        setModified(false);
    }
    Q_EMIT opened(path, state);
}

void SessionKeeper::offerToRestore(const QString& file)
{
    m_messages.post(MessageTone::Info,
                    tr("The session of %1 was not saved to a file. It is kept.").arg(timeText(QFileInfo(file).lastModified())),
                    {{tr("Restore"),
                      [this, file] {
                          m_restoring.insert(file);
                          m_session.openSession(file, app::Session::Opening::Adds);
                      }},
                     {tr("Discard"), [file] { QFile::remove(file); }}});
}

/// Only where something would be.
void SessionKeeper::askToLose(const QString& question, const std::function<void()>& agreed)
{
    if (!m_modified || !hasRuns())
        return agreed();
    auto* box = new QMessageBox(QMessageBox::Question, tr("Runs that are not saved"), question, QMessageBox::NoButton, &m_window);
    box->setObjectName(QStringLiteral("loseRunsQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("The runs in the list are in no file."));
    const auto* yes = box->addButton(tr("Remove them"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("Keep them"), QMessageBox::RejectRole));
    connect(yes, &QPushButton::clicked, this, agreed);
    box->open();
}

} // namespace ui
