// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "io/table/rows.h"

#include <memory>
#include <optional>
#include <string>

namespace io::table {

/// CSV and its kin. What the dialect leaves open is found out from the beginning. Throws io::Error.
std::unique_ptr<Reader> openCsv(const std::string& path, Dialect&); ///< fills in what was found out

/// How much the beginning of a file looks like rows of fields, and what separates them; nothing: it does not.
std::optional<char> separatorOf(std::string_view head);

} // namespace io::table
