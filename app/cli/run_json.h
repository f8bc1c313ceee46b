// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_job.h"

#include <string>
#include <utility>
#include <vector>

namespace cli {

/// What `run --json` prints. Keys are those of `info --json` for the model. written: what each file is, and its name.
std::string runJson(const std::string& tensor, const app::RunOutcome&, double wallSeconds,
                    const std::vector<std::pair<std::string, std::string>>& written, const std::vector<kernels::StageTime>& stages);

} // namespace cli
