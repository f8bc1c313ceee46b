// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// An item of a list that a person wrote.
struct ListItem {
    std::string text; ///< without its quotes
    std::string_view written;
    bool quoted = false;
};

/// Splits a list at separators outside double quotes. Two double quotes inside a quoted item are one. Blanks around items are
/// dropped, empty items are kept. Throws kernels::Error where quotes are wrong; `where` is told in it.
std::vector<ListItem> listItems(std::string_view list, std::string_view separators, const char* where = "");

/// A label as listItems() reads it back from a list of any separators. Tables also read back line ends.
std::string quotedWhereNeeded(std::string_view label);

/// "17": digits alone.
std::optional<std::uint64_t> wholeNumber(std::string_view text);

/// The number that a label is: "-2.5", "7". Nothing for other texts.
std::optional<double> numberIn(std::string_view label);

/// A label up to its first blank: what a person may type for all of it.
std::string_view firstWord(std::string_view label);

} // namespace app
