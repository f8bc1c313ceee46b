// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/report.h"

namespace ui {

/// The report on A4 pages, complete or not at all; on any thread. Throws io::Error and kernels::Cancelled.
void writePdfReport(const std::string& path, const std::vector<io::SessionRun>& runs, kernels::Progress& progress);

} // namespace ui
