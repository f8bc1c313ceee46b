// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Numbers for people: the only place of the command line that writes them.

std::string countText(std::uint64_t); ///< "12,409", "99.1 M"
std::string countText(std::uint64_t, const char* one, const char* many); ///< "1 entry", "12,409 entries"
std::string bigText(double); ///< "99.1 M": for rates
std::string secondsText(double); ///< three digits: "612 ms", "3.21 ms", "2 min 5 s"
std::string numberText(double); ///< "0.91234"; "–" for what was not measured
std::string percentText(double part); ///< of 1: "0.0010 %"
std::string joined(const std::vector<std::string>&, const char* separator);

/// Control characters as \u001b, which JSON reads as the same text: names from files do not command a terminal. `kept` stay.
std::string visible(const std::string&, std::string_view kept = {});

/// A table with columns as wide as their widest cell; the first row is the head. Numbers to the right on request.
std::string tableText(std::vector<std::vector<std::string>> rows, const std::vector<bool>& right = {});

/// UTF-8 characters, for widths.
std::size_t displayWidth(const std::string&);

} // namespace cli
