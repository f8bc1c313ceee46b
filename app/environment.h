// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <string>

namespace app {

/// Where a run was made, one item a line: versions, compiler, operating system, CPU, driver, devices.
std::string environmentDescription();

/// "2026-01-31T12:00:00Z"
std::string utcText(std::chrono::system_clock::time_point);
/// Back again; now for what is no such text.
std::chrono::system_clock::time_point timeFromUtc(const std::string&);

} // namespace app
