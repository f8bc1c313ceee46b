// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/sort.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace io::table {

/// How a mode's index is made from a column.
enum class Derive {
    Text, ///< the text as it is, without blanks at its ends
    Fold, ///< the text in lower case
    Year,
    Quarter, ///< 1 to 4
    Month, ///< 1 to 12
    Week, ///< of ISO 8601, 1 to 53
    Day, ///< of the month
    Weekday, ///< Mon to Sun
    Hour, ///< of the day
    Minute, ///< minutes of the day in steps of `number`: 00:00, 00:15, …
    Date, ///< 2013-01-31
    YearQuarter, ///< 2013-Q1
    YearMonth, ///< 2013-01
    YearWeek, ///< 2013-W05
    DateHour, ///< 2013-01-31 05:00
    Bins, ///< `number` bins of equal width
    Quantiles, ///< `number` bins of about equal counts
    LogBins, ///< `number` bins of equal width of the logarithm
};
bool isOfTime(Derive);
bool isOfNumber(Derive);

struct ModeRecipe {
    std::string name; ///< of the mode
    std::string column;
    Derive derive = Derive::Text;
    unsigned number = 0; ///< of bins, or minutes of a step
    unsigned top = 0; ///< keep the most frequent so many, the others become one; 0: keep all
    std::string zone; ///< times with an offset are converted to it: "UTC", "+02:00"; "": they stay as written
    std::vector<double> edges; ///< of the bins, once they are known: one more than bins
    friend bool operator==(const ModeRecipe&, const ModeRecipe&) = default;
};

/// What becomes of rows that meet in a cell.
enum class Aggregate { Count, Sum, Mean, Median, Min, Max, First, Last, Any };

/// One change of the values after aggregation. The inverse goes from a model's predictions to the person's values.
struct Transform {
    enum class Kind { Log1p, Scale, Centre, Clip };
    Kind kind = Kind::Log1p;
    std::string mode; ///< Centre: whose mean is taken off
    double low = 0, high = 0; ///< Clip: bounds. Scale: `high` is the divisor, 0: the standard deviation, once known
    std::vector<double> means; ///< Centre: of each index, once they are known
    friend bool operator==(const Transform&, const Transform&) = default;
};

/// Rows to keep.
struct Filter {
    enum class Test { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
    std::string column;
    Test test = Test::Equal;
    std::string value; ///< a number, a date or a text
    friend bool operator==(const Filter&, const Filter&) = default;
};

enum class BadRows { Stop, Skip };

/// How a text table is written. What is empty is found out from the file. The order of dates stays with the recipe once a file has
/// shown it: the next file may not, and would be read otherwise without a word.
struct Dialect {
    std::optional<char> separator; ///< ' ': blanks and tabs, any number of them
    std::optional<char> decimal; ///< '.' or ','
    std::optional<bool> header; ///< whether the first row names the columns
    std::optional<bool> dayFirst; ///< whether 01/02/2024 is the first of February
    std::string encoding; ///< "utf-8", "utf-16le", "utf-16be", "latin-1"; "": from the bytes
    std::optional<char> thousands = {}; ///< between groups of three digits: , . ' or ' ' for blanks; empty: numbers have none
    /// What a file showed and nobody chose: it is neither stored nor used for another file.
    bool separatorIsFound = false, decimalIsFound = false, headerIsFound = false;

    Dialect chosen() const; ///< without what was found
    Dialect forOtherFile() const; ///< only what a file does not show: a header was chosen, the order of dates, separated thousands
    char decimalSign() const { return decimal.value_or(thousands == '.' ? ',' : '.'); }
    friend bool operator==(const Dialect&, const Dialect&); ///< of what was chosen
};

/// What a person chose to make a tensor from a table. Kept with the tensor, the session and the model, and used for the next file.
struct Recipe {
    std::vector<ModeRecipe> modes; ///< empty: what the data propose
    std::string value; ///< its column; empty: rows are counted
    Aggregate aggregate = Aggregate::Count;
    bool countsRows = false; ///< counting was chosen: no value is proposed; without meaning once the modes are known
    std::vector<Filter> filters;
    std::vector<Transform> transforms;
    BadRows badRows = BadRows::Stop;
    Dialect dialect;
    std::string part; ///< the sheet, table or variable of a file that holds several
    std::string query; ///< SQL, where the file is a database
    friend bool operator==(const Recipe&, const Recipe&) = default;
};

std::string toJson(const Recipe&, int indent = -1);
/// Throws io::Error with the key's path.
Recipe recipeFromJson(std::string_view text, const std::string& where = "recipe");
Recipe readRecipeFile(const std::string& path);

/// "origin,hour=hour(time_hour),price=bins(price,10)": modes as the command line writes them. Throws io::Error.
std::vector<ModeRecipe> parseModes(std::string_view text);
std::string modesText(const std::vector<ModeRecipe>&);
Filter parseFilter(std::string_view text); ///< "month>=3"; a column or value may stand in double quotes
std::string filterText(const Filter&);
Transform parseTransform(std::string_view text); ///< "log1p", "scale:100", "centre:user", "clip:0:5"
std::string transformText(const Transform&);
Aggregate parseAggregate(std::string_view word);
std::string_view aggregateWord(Aggregate);
std::optional<std::string> zoneNamed(std::string_view text); ///< as recipes write it; nothing: it is not known
std::string_view deriveWord(Derive); ///< "hour"; of Text ""

/// A prediction of a model of such values, as the table's values were: the inverse of the transforms. index: of each mode.
double asWritten(const std::vector<Transform>&, const std::vector<std::string>& modeNames, const std::vector<kernels::Index>& index,
                 double value);

} // namespace io::table
