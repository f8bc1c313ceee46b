// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "io/table/rows.h"

#include <memory>
#include <string>

namespace io::table {

/// A table that pandas or PyTables wrote. Throws io::Error.
std::unique_ptr<Reader> openHdf5Table(const std::string& path, Recipe&); ///< fills in the table that was chosen

/// Whether a file is such a table, or what "FILE.h5:/name" names. False where it cannot be read.
bool isHdf5Table(const std::string& path);

} // namespace io::table
