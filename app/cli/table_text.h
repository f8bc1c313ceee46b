// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/survey.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cli {

/// A first look at a table: its columns and the import that is proposed, as a command to copy.
std::string surveyText(const std::string& path, const io::table::Survey&);
nlohmann::ordered_json surveyJson(const std::string& path, const io::table::Survey&);

} // namespace cli
