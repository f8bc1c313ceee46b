// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/session_file.h"

#include <QString>
#include <QStringList>

#include <span>
#include <vector>

namespace app {

/// A column of a report's table of runs.
struct ReportFigure {
    QString title;
    bool isNumber = true;
    QStringList values; ///< one a run; a dash where it is not known
};

/// What is known of at least one of them.
std::vector<ReportFigure> reportFigures(std::span<const io::SessionRun>);

} // namespace app
