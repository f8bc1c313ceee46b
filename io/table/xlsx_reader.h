// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "io/table/rows.h"

#include <memory>
#include <string>

namespace io::table {

/// A sheet of an Excel workbook (.xlsx, .xlsm). Throws io::Error.
std::unique_ptr<Reader> openXlsx(const std::string& path, Recipe&); ///< fills in the sheet and whether it has a header

} // namespace io::table
