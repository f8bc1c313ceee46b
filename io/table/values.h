// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace io::table {

/// What a field says where there is nothing: empty, NA, NaN, null, None, N/A, #N/A, \N.
bool isMissing(std::string_view field);

/// A finite number that is the whole field. thousands: what may be between groups of three digits, ' ' for any blank.
std::optional<double> numberOf(std::string_view field, char decimal, std::optional<char> thousands = {});
/// Which separator of thousands makes a number of a field that is none without: "1,234.5", "1.234,5", "1 234".
std::optional<char> thousandsIn(std::string_view field);
/// Whether digits, after a minus or none, are the whole text.
bool isWholeNumber(std::string_view text);
/// "00501" is a code and no number, as labels have it.
bool hasLeadingZero(std::string_view text);
/// Of two whole numbers of any length: below 0, 0 or above 0.
int compareWholeNumbers(std::string_view a, std::string_view b);
/// The shortest text that reads as the number again; whole numbers without a point.
std::string numberText(double);

/// A point in time as it is written.
struct Time {
    std::int64_t day = 0; ///< since 1970-01-01
    std::int32_t second = 0; ///< of the day
    bool hasClock = false;
    std::optional<std::int32_t> offset = {}; ///< of its zone, in seconds east of UTC
};
/// ISO 8601 and the common ways: 2013-01-31T05:00:00Z, 2013/01/31 5:00, 20130131, 31.01.2013, 01/31/2013 5:00 PM, 31 Jan 2013, 05:30.
std::optional<Time> timeOf(std::string_view field, bool dayFirst);
/// Seconds, milliseconds, micro- or nanoseconds since 1970, by their size. Nothing outside the years 0 to 9999.
std::optional<Time> timeOfEpoch(double number);
/// "UTC", "Z", "+02:00", "-0530", "+2": seconds east of UTC.
std::optional<std::int32_t> offsetOfZone(std::string_view);
/// What the clocks of that zone show then. Without a clock or an offset it stays as it is.
Time inZone(Time, std::int32_t offset);
/// Whether a date with slashes has the day first, where this one shows: "31/01/2013" true, "01/31/2013" false.
std::optional<bool> dayFirstBy(std::string_view field);
/// A date that either order reads: "01/02/2013".
bool isInEitherOrder(std::string_view field);

struct Date {
    int year = 1970;
    unsigned month = 1, day = 1;
};
Date dateOf(std::int64_t day);
std::int64_t dayOf(Date);

} // namespace io::table
