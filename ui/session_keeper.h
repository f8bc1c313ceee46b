// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/autosave.h"
#include "app/session.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <memory>
#include <set>

namespace ui {

class MessageBar;

/// The session's file as the person knows it: its name, whether it has all there is, saving and opening; and what brings back a
/// session that was never saved.
class SessionKeeper : public QObject {
    Q_OBJECT
public:
    /// `state`: what the window wants back, as JSON.
    SessionKeeper(app::Session& session, MessageBar& messages, QWidget& window, std::function<QString()> state);
    ~SessionKeeper() override;

    /// From now on nothing that ended is lost: it is written aside some seconds after a change. Once.
    void keepAside(double seconds);

    QString path() const { return m_path; } ///< empty: never saved
    bool canKeep() const { return m_autosave != nullptr; } ///< there is a folder where unsaved runs survive the program
    bool isModified() const { return m_modified; }
    /// Nothing that has ended would go with the program, as far as is known.
    bool isSafe() const;
    /// Writes aside what is not yet, and calls `agreed` when that went well, or when the person gives it up.
    void beforeTheEnd(const std::function<void()>& agreed);
    QString title() const; ///< "study.polyad", with a dot when there is more than the file has; empty: nothing to name

public Q_SLOTS:
    void save();
    void saveAs();
    void startAfresh(); ///< closes all there is
    void open(const QString& path); ///< asks first where runs would be lost

Q_SIGNALS:
    void titleChanged();
    void opened(const QString& path, const QString& state);
    void saved(const QString& path);

private:
    QString proposedName() const;
    QString stateToKeep() const;
    void setPath(const QString& path);
    void saveTo(const QString& path);
    void written(const QString& path);
    void arrived(const QString& path, const QString& state, int leftOut);
    void notWritten(const QString& path);
    void offerToRestore(const QString& file);
    void keptAside(const QString& failure);
    void askToGiveUp(const QString& failure);
    void askToLose(const QString& question, const std::function<void()>& agreed);
    void setModified(bool modified);
    bool hasRuns() const { return !m_session.runs().empty(); }

    app::Session& m_session;
    MessageBar& m_messages;
    QWidget& m_window;
    std::function<QString()> m_state;
    std::unique_ptr<app::Autosave> m_autosave;
    std::function<void()> m_ending; ///< what waits for the last writing
    bool m_keepsAside = false; ///< is meant to; without a folder there is no m_autosave
    QString m_path;
    std::set<QString> m_restoring; ///< files of processes that are gone, while they are read
    QStringList m_restored; ///< and until their runs are kept anew
    QString m_saving; ///< the file that is being written
    bool m_modified = false, m_changedSince = false; ///< since saving began
    bool m_saveAgain = false; ///< as soon as that is written
};

} // namespace ui
