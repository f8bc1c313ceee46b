// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/rows.h"

#include <string>
#include <vector>

namespace io::table {

using Record = std::vector<std::string>; ///< the fields of a row

/// Columns with names that are UTF-8, not empty and differ from each other.
std::vector<Column> namedColumns(const Record& names);

bool isNumber(std::string_view field, char decimal);
/// Whether records[first] names the columns of the records after it.
bool looksLikeHeader(const std::vector<Record>& records, std::size_t first, char decimal);

} // namespace io::table
