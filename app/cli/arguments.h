// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Text → number, or a kernels::Error(BadArgument) that names the option, what was found and what was expected.

/// Refuses an option that was given and does nothing. without: what it needs, "without --orders", or does not go with.
void requireEffect(const char* option, bool given, bool effective, std::string_view without);

/// "1000", "1e6", "99.1M" (k, M, G = 10^3, 10^6, 10^9)
std::uint64_t parseCount(const char* option, std::string_view text, std::uint64_t minimum = 0);
std::uint64_t parseWhole(const char* option, std::string_view text, std::uint64_t minimum, std::uint64_t maximum);
/// "2GiB", "500 MB", "1073741824"
std::uint64_t parseBytes(const char* option, std::string_view text);
/// "30s", "5min", "2h", or a plain number of iterations: the other one is 0.
struct Interval {
    double seconds = 0;
    std::uint64_t count = 0;
};
Interval parseInterval(const char* option, std::string_view text);
/// The least number of parseNumber where 0 itself is none.
constexpr double aboveZero = std::numeric_limits<double>::min();
double parseNumber(const char* option, std::string_view text, double minimum, double maximum);
/// "16" or "16,16,8"
std::vector<unsigned> parseRanks(const char* option, std::string_view text, unsigned most = kernels::maxRank);
/// One number where others would be possible elsewhere.
unsigned parseRank(const char* option, std::string_view text, unsigned most = kernels::maxRank);
/// "1000,800,600" or "1000x800x600"; 2 to 16 modes
std::vector<kernels::Index> parseDims(const char* option, std::string_view text);

std::vector<std::string> splitAt(std::string_view text, char separator); ///< blanks around the parts are dropped

} // namespace cli
