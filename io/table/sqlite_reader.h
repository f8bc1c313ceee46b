// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "io/table/rows.h"

#include <memory>
#include <string>

namespace io::table {

/// A table or view of an SQLite database, or what a SELECT gives. The file is never written. Throws io::Error.
std::unique_ptr<Reader> openSqlite(const std::string& path, Recipe&); ///< fills in the table that was chosen

} // namespace io::table
