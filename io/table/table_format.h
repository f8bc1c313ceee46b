// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"
#include "io/table/survey.h"

namespace io::table {

using OpenTable = std::function<std::unique_ptr<Reader>(const std::string& path, Recipe&)>;

/// FileFormat::read of a table: by the options' recipe, or as the data propose.
LoadedTensor readAsTensor(const OpenTable&, const std::string& formatId, const std::string& path, const ReadOptions&, kernels::Progress&);

/// A first look at a file that is a table. Throws io::Error where it is none.
Survey survey(const std::string& path, const Recipe& chosen, kernels::Progress&);
/// Opens a table and fills in the recipe's dialect. Throws io::Error where the file is none.
std::unique_ptr<Reader> openTable(const std::string& path, Recipe&);
/// True where a recipe makes a tensor of this file: it is a table.
bool isTable(const std::string& path);

} // namespace io::table
