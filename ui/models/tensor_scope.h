// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

#include <QObject>

#include <vector>

namespace ui {

/// Whose runs charts and tables show: those of the chosen tensor, or of all. Numbers of different tensors do not compare.
class TensorScope : public QObject {
    Q_OBJECT
public:
    explicit TensorScope(const app::Session& session, QObject* parent = nullptr);

    void setTensor(int id); ///< -1: none is chosen, so that all are shown
    void setAll(bool all);
    bool isAll() const { return m_all; }

    std::vector<app::Run*> runs() const; ///< in the session's order
    bool isMixed() const; ///< they are of several tensors
    bool hasSeveralTensors() const; ///< the session's runs are, shown or not
    QString tensorName() const; ///< of the chosen one
    QString tensorName(const app::Run&) const; ///< tells tensors of one name apart
    QString titleOf(const app::Run&) const; ///< its name, and its tensor's where runs of several are shown

    /// What a run that has learnt files began with is its tensor still.
    static int tensorOf(const app::Run&);

Q_SIGNALS:
    void changed();

private:
    const app::Session& m_session;
    int m_tensor = -1;
    bool m_all = false;
};

} // namespace ui
