// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "io/table/rows.h"

#include <memory>
#include <string>
#include <string_view>

namespace io::table {

/// "Parquet", "Feather", "Arrow" or "ORC", by a file's first bytes; null: none of them.
const char* arrowKind(std::string_view head);

/// Such a file, by the Arrow module. Throws io::Error; where there is no module it says how to get it.
std::unique_ptr<Reader> openArrow(const std::string& path, Recipe&);

} // namespace io::table
