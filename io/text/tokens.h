// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace io::text {

/// Why a piece of text is not what it should be.
struct Fault {
    std::string message, found, expected, hint;
};

inline bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// Without blanks at either end and without the carriage return of CRLF.
std::string_view trimmed(std::string_view line);
/// Empty, or a comment: # % //. For trimmed lines.
bool isSkipped(std::string_view line);

/// The tokens of a trimmed line; keeps at most `limit`, counts all.
struct Tokens {
    std::vector<std::string_view> kept;
    std::size_t count = 0;
};
Tokens splitTokens(std::string_view line, std::size_t limit);

/// The first word of the first line that is no comment; a byte order mark is skipped.
std::string_view firstWord(std::string_view text);

/// A token as a message shows it: in quotes, cut to 40 characters, unprintable bytes as \x00.
std::string shown(std::string_view token);

/// Whole number without sign, or with a plus. Nothing for anything else, or when it does not fit.
std::optional<std::uint64_t> wholeNumber(std::string_view token);

/// An index as it stands in the file, at most 2^32−1. Says why not otherwise.
std::optional<std::uint32_t> parseIndex(std::string_view token, Fault&);
/// 0.1 is no float, but what a float prints is 0.1 again: nothing a person would miss was lost.
bool printsAs(float value, double wanted);

/// A finite number. Says why not otherwise. Too small for a double is 0.
std::optional<double> parseNumber(std::string_view token, Fault&);

} // namespace io::text
