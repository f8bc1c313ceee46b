// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"

#include <string>

namespace app {

/// The polyad-cli line that repeats a run: only what differs from the defaults, shell-quoted.
std::string commandLine(const kernels::RunConfig&, const std::string& tensor, const std::string& output = {});

} // namespace app
