// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QMetaType>
#include <QString>

namespace app {

/// What the person is told of a run whose process ended before it did.
struct InterruptedRun {
    QString file; ///< its checkpoint
    QString tensorName;
    QDateTime started; ///< local time
    quint64 iteration = 0, planned = 0;
};

} // namespace app

Q_DECLARE_METATYPE(app::InterruptedRun)
