// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/stage_times.h"

#include <string>
#include <vector>

namespace app {

/// Stages of several jobs as one list, by when they began. Those below a tenth of a millisecond are left out.
std::vector<kernels::StageTime> inOrder(const std::vector<std::vector<kernels::StageTime>>&);

/// "Opening took: reading 0.41 s, sorting 0.12 s.\n"; empty for no stages.
std::string stagesText(const std::vector<kernels::StageTime>&, const std::string& what);

/// A row for each stage: its name, when it began after `start`, what it took, and a bar. The last two rows are the time outside all stages,
/// and the whole.
std::string waterfall(const std::vector<kernels::StageTime>&, kernels::StageTime::Clock::time_point start,
                      kernels::StageTime::Clock::time_point end);

} // namespace app
