// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace io {

/// Also before they are there: paths are compared after links and `..` are followed. An empty path is no file.
bool isSameFile(const std::string& one, const std::string& other);

/// What becomes of a file that is there already.
enum class Existing { Replace, Keep };

/// Throws kernels::Error(BadArgument) where writing there would lose a file that holds something: neither an empty one nor a
/// device, nor anything on Existing::Replace. where: what the error names, the path where it is empty.
void refuseLosing(const std::string& path, Existing, const std::string& where = {});

} // namespace io
