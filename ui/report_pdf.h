// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/report.h"

class QTextDocument;

namespace ui {

/// The report on A4 pages, complete or not at all; on any thread. Throws io::Error and kernels::Cancelled.
void writePdfReport(const std::string& path, const std::vector<io::SessionRun>& runs, kernels::Progress& progress);

/// Of a document in pages: no heading, nor several below each other, ends a page; it goes to the next one with what it is above.
void keepHeadings(QTextDocument&);

} // namespace ui
