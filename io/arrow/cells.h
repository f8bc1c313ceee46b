// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/kept_text.h"

#include <arrow/array.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <string>
#include <string_view>
#include <vector>

namespace io::table::arrow_module {

/// Why cells of this type are not read: "is nested"; empty: they are.
std::string problemOf(const arrow::DataType&);

/// Whether the zone's rules are known here, so that its times are written with its own clock; else they are written in UTC.
bool knowsZone(const std::string& zone);

/// An array's cells as texts. Those of strings point into the array, the others into `texts`. A missing cell has no data().
arrow::Status appendCells(const arrow::Array&, KeptText& texts, std::vector<std::string_view>& cells);

} // namespace io::table::arrow_module
