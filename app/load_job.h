// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "kernels/base/progress.h"
#include "kernels/tensor/synthetic.h"

#include <QObject>

#include <functional>
#include <memory>

namespace app {

/// Opening or generating one tensor on a thread of its own. Owned by the session until finished.
class LoadJob : public QObject {
    Q_OBJECT
public:
    struct State {
        QString stage;               ///< "reading"
        double fraction = -1;        ///< of the stage; < 0: unknown
        quint64 done = 0, total = 0; ///< bytes or entries of the stage
        quint64 entries = 0;
        double seconds = 0, secondsLeft = -1;
    };

    const QString& title() const { return m_title; } ///< "flights.tns"
    State state() const;                             ///< poll it a few times a second
    bool isRunning() const { return m_running; }

public Q_SLOTS:
    void cancel();

Q_SIGNALS:
    void finished(app::OpenTensorPtr tensor);
    void failed(const QString& sentence); ///< the whole sentence: where, found, expected, hint
    void cancelled();

private:
    friend class Session;
    using Work = std::function<std::shared_ptr<OpenTensor>(kernels::Progress&)>;
    LoadJob(QString title, Work work, QObject* parent);
    ~LoadJob() override;
    void start();

    struct Shared;
    QString m_title;
    std::shared_ptr<Shared> m_shared;
    bool m_running = false;
};

} // namespace app
