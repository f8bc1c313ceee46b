// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

namespace cli {

/// Hands each file that is in the folder, or comes into it (app::WatchedFolder), to `take`, one after the other, until Ctrl-C. A folder
/// that vanishes is told and waited for. What `take` throws ends the watch, Cancelled as Ctrl-C does.
void watchFolder(const std::string& folder, const std::function<void(const std::string& path)>& take);

} // namespace cli
