// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/survey.h"

#include <string>

namespace ui {

enum class ColumnRole { Unused, Mode, Value };

/// What the person's clicks do to a recipe. Names of modes stay different, and nothing is left that names a mode that is gone.
namespace import_choices {

const io::table::ColumnFacts* columnNamed(const io::table::Survey&, const std::string& column); ///< null: none
ColumnRole roleOf(const io::table::Recipe&, const std::string& column); ///< of one that is both, Mode
bool isWay(const io::table::ModeRecipe& mode, const io::table::ModeRecipe& way); ///< whether the mode is made so

void useAsMode(io::table::Recipe&, const io::table::Survey&, const io::table::ModeRecipe& way); ///< alone, of its column
void addMode(io::table::Recipe&, const io::table::ModeRecipe& way);
void changeWay(io::table::Recipe&, std::size_t mode, const io::table::ModeRecipe& way);
void renameMode(io::table::Recipe&, std::size_t mode, const std::string& name); ///< to nothing, or to another's name: it keeps its own
void removeMode(io::table::Recipe&, std::size_t mode);
void moveUp(io::table::Recipe&, std::size_t mode);
void useAsValue(io::table::Recipe&, const std::string& column); ///< empty: rows are counted
void leaveOut(io::table::Recipe&, const std::string& column);
/// What was asked for, with the edges of bins that were found for it. Means are found anew: other rows may be chosen.
io::table::Recipe withFoundEdges(io::table::Recipe asked, const io::table::Recipe& found);

} // namespace import_choices

} // namespace ui
