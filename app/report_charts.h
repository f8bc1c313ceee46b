// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/svg_chart.h"
#include "io/session_file.h"

#include <span>
#include <vector>

namespace app {

struct ReportChart {
    SvgChart chart;
    QString caption;
};

/// How the runs converged, of what any of them measured: errors by iteration, and by compute time.
std::vector<ReportChart> reportCharts(std::span<const io::SessionRun>);

} // namespace app
