// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

#include <QObject>

#include <functional>
#include <vector>

class QUndoStack;

namespace ui {

/// What a person changes about runs and may take back: every way to do that in the window goes through here. A run that is
/// removed is kept until its removal is forgotten, after a hundred other changes or with another session.
class RunEdits : public QObject {
    Q_OBJECT
public:
    explicit RunEdits(app::Session& session, QObject* parent = nullptr);
    ~RunEdits() override;

    QUndoStack* stack() const { return m_stack; }

    void rename(app::Run* run, const QString& name); ///< nothing where the name is blank
    void setNote(app::Run* run, const QString& note);
    /// One of runColorCount colours. Where another run has it, this one's marker and dash differ.
    void setColor(app::Run* run, int color);
    void nameComponent(app::Run* run, unsigned component, const QString& name);
    void remove(app::Run* run); ///< stops it first
    void remove(const std::vector<int>& runIds); ///< as one change
    /// A large one that no run has is read again when it comes back, so that closing makes room.
    void closeTensor(const app::OpenTensorPtr& tensor);

Q_SIGNALS:
    void returned(int runId); ///< a run that had been removed
    void tensorReturned(const app::OpenTensorPtr& tensor); ///< that had been closed, and need not be read

private:
    using Change = std::function<void(app::Run&)>;
    void change(app::Run* run, const QString& what, Change forth, Change back);
    void move(const std::function<void()>& work);
    bool isWorthHolding(const app::OpenTensor& tensor) const;

    app::Session& m_session;
    QUndoStack* m_stack;
    bool m_moving = false; ///< a run comes or goes by a command of ours
};

} // namespace ui
