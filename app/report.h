// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/session_file.h"

#include <QByteArray>
#include <QString>

#include <string>
#include <vector>

namespace app {

/// Runs told in words, tables and charts. For browsers the charts are in the text, which then needs no other file; for
/// pages drawingPlace(i) stands on a line of its own where the i-th of them belongs.
struct Report {
    enum class For { Browser, Pages };

    QString title, html;
    std::vector<QByteArray> drawings; ///< SVG; pages only
};
QString drawingPlace(std::size_t drawing);

/// Of one run or of several beside each other, grouped by tensor, as a session or a model file knows them: their models are not looked at.
/// On any thread. Throws kernels::Cancelled.
Report makeReport(const std::vector<io::SessionRun>&, Report::For, kernels::Progress&);

/// The self-contained page, complete or not at all; throws io::Error.
void writeHtmlReport(const std::string& path, const std::vector<io::SessionRun>&, kernels::Progress&);

} // namespace app
