// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "io/table/rows.h"
#include "io/table/values.h"

#include <string>
#include <vector>

namespace io::table {

enum class Kind { Empty, Whole, Number, Time, Text };

/// What some rows of a table say of a column.
struct ColumnFacts {
    std::string name, storedType;
    Kind kind = Kind::Empty;
    std::size_t rows = 0, missing = 0, distinct = 0; ///< among the rows looked at
    std::vector<std::string> examples;
    double low = 0, high = 0; ///< of numbers
    std::int64_t firstDay = 0, lastDay = 0; ///< of times
    std::size_t hours = 0; ///< of the day that occur
    double averageLength = 0;
    bool isEpoch = false; ///< times as numbers
    bool hasOffset = false; ///< times with the offset of a zone
    bool onlyClock = false; ///< times of a day without a date
};

/// A first look at a table: enough to choose from, quick for a file of any size.
struct Survey {
    std::string layout;
    std::vector<ColumnFacts> columns;
    std::vector<std::vector<std::string>> firstRows; ///< [row][column]
    std::size_t rows = 0; ///< looked at
    bool isWhole = false; ///< that are all there are
    Recipe proposal; ///< with the dialect that was found
    std::vector<std::string> notes;
    std::vector<std::string> parts; ///< sheets or tables of the file; of one that is just a table empty
};

/// Reads from the beginning and, where the source can, from places further on. The reader is used up. recipe: what is chosen already;
/// its modes, value and aggregation stay where there are any.
Survey surveyTable(Reader&, const Recipe&, kernels::Progress&);

/// The ways a mode can be made of such a column, the likeliest first; bins and minutes with a sensible number.
std::vector<ModeRecipe> waysToUse(const ColumnFacts&);
/// Whether rows of such a value are added up, as amounts and quantities are; else their mean is taken.
bool addsUp(const std::string& column);
const char* kindWord(Kind); ///< "text"

} // namespace io::table
