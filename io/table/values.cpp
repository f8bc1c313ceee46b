// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>

namespace io::table {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads a text from its front.
class Scanner {
public:
    explicit Scanner(std::string_view text)
        : m_text(text)
    {
    }

    bool atEnd() const { return m_text.empty(); }
    char peek() const { return m_text.empty() ? '\0' : m_text.front(); }
    bool take(char c)
    {
        if (peek() != c)
            return false;
        m_text.remove_prefix(1);
        return true;
    }
    char takeAny(std::string_view of)
    {
        const char c = peek();
        if (c == '\0' || of.find(c) == std::string_view::npos)
            return '\0';
        m_text.remove_prefix(1);
        return c;
    }
    void skipBlanks()
    {
        while (peek() == ' ')
            m_text.remove_prefix(1);
    }
    /// A whole number of so many digits at most; its length in `digits`.
    std::optional<int> number(unsigned most, unsigned* digits = nullptr)
    {
        unsigned n = 0;
        int value = 0;
        while (n < most && n < m_text.size() && isDigit(m_text[n]))
            value = value * 10 + (m_text[n++] - '0');
        if (n == 0)
            return std::nullopt;
        m_text.remove_prefix(n);
        if (digits)
            *digits = n;
        return value;
    }
    void skipDigits()
    {
        while (isDigit(peek()))
            m_text.remove_prefix(1);
    }
    /// 1 to 12 for "Jan", "february", …
    unsigned month()
    {
        static constexpr std::array<std::string_view, 12> names = {"january", "february", "march",     "april",   "may",      "june",
                                                                   "july",    "august",   "september", "october", "november", "december"};
        std::size_t length = 0;
        std::string word;
        while (length < m_text.size() && length < 12 && ((m_text[length] | 0x20) >= 'a' && (m_text[length] | 0x20) <= 'z'))
            word += static_cast<char>(m_text[length++] | 0x20);
        if (word.size() < 3)
            return 0;
        for (unsigned i = 0; i < names.size(); ++i) {
            if (names[i] == word || names[i].substr(0, 3) == word || (word == "sept" && i == 8)) {
                m_text.remove_prefix(length);
                return i + 1;
            }
        }
        return 0;
    }
    bool word(std::string_view expected)
    {
        if (m_text.size() < expected.size())
            return false;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if ((m_text[i] | 0x20) != expected[i])
                return false;
        }
        m_text.remove_prefix(expected.size());
        return true;
    }
    std::string_view rest() const { return m_text; }

private:
    std::string_view m_text;
};

bool isDate(int year, int month, int day)
{
    using namespace std::chrono;
    return year >= 0 && year <= 9999 && month >= 1 && month <= 12 && day >= 1
        && year_month_day{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                          std::chrono::day{static_cast<unsigned>(day)}}
               .ok();
}

int fullYear(int year, unsigned digits) { return digits > 2 ? year : year + (year < 70 ? 2000 : 1900); }

/// Three numbers with the same sign between.
struct Parts {
    int values[3] = {0, 0, 0};
    unsigned digits[3] = {0, 0, 0};
    char sign = '\0';
};

std::optional<Parts> threeNumbers(Scanner& scanner)
{
    Parts parts;
    for (unsigned i = 0; i < 3; ++i) {
        const auto value = scanner.number(4, &parts.digits[i]);
        if (!value)
            return std::nullopt;
        parts.values[i] = *value;
        if (i == 2)
            break;
        const char sign = scanner.takeAny("-/.");
        if (sign == '\0' || (i == 1 && sign != parts.sign))
            return std::nullopt;
        parts.sign = sign;
    }
    return parts;
}

std::optional<Date> dateFrom(const Parts& parts, bool dayFirst)
{
    const auto made = [](int year, int month, int day) -> std::optional<Date> {
        if (!isDate(year, month, day))
            return std::nullopt;
        return Date{year, static_cast<unsigned>(month), static_cast<unsigned>(day)};
    };
    if (parts.digits[0] == 4 && parts.digits[1] <= 2 && parts.digits[2] <= 2)
        return made(parts.values[0], parts.values[1], parts.values[2]);
    if (parts.digits[0] > 2 || parts.digits[1] > 2 || (parts.digits[2] != 4 && parts.digits[2] != 2))
        return std::nullopt;
    const int year = fullYear(parts.values[2], parts.digits[2]);
    const bool first = parts.sign == '.' || (parts.sign != '.' && dayFirst);
    return first ? made(year, parts.values[1], parts.values[0]) : made(year, parts.values[0], parts.values[1]);
}

/// "5", "5:00", "05:00:00.25", with AM or PM, then perhaps a zone.
bool readClock(Scanner& scanner, Time& time)
{
    unsigned digits = 0;
    const auto hour = scanner.number(2, &digits);
    if (!hour || *hour > 24)
        return false;
    int minute = 0, second = 0;
    const bool colon = scanner.take(':');
    if (colon || isDigit(scanner.peek())) { // 0500 as in 20130131T0500
        const auto read = scanner.number(2, &digits);
        if (!read || digits != 2 || *read > 59)
            return false;
        minute = *read;
        if (colon ? scanner.take(':') : isDigit(scanner.peek())) {
            const auto seconds = scanner.number(2, &digits);
            if (!seconds || digits != 2 || *seconds > 60)
                return false;
            second = std::min(*seconds, 59);
            if (scanner.takeAny(".,"))
                scanner.skipDigits();
        }
    } else if (scanner.peek() != '\0' && scanner.peek() != ' ' && scanner.peek() != 'Z')
        return false;
    int hours = *hour;
    scanner.skipBlanks();
    const bool pm = scanner.word("pm") || scanner.word("p.m.");
    const bool am = !pm && (scanner.word("am") || scanner.word("a.m."));
    if ((am || pm) && (hours < 1 || hours > 12))
        return false;
    if (am || pm)
        hours = hours % 12 + (pm ? 12 : 0);
    if (hours == 24 && (minute || second))
        return false;
    time.day += hours == 24;
    time.second = (hours % 24) * 3600 + minute * 60 + second;
    time.hasClock = true;
    return true;
}

bool readZone(Scanner& scanner, std::optional<std::int32_t>& offset)
{
    scanner.skipBlanks();
    if (scanner.atEnd())
        return true;
    if (scanner.word("z") || scanner.word("utc") || scanner.word("gmt")) {
        offset = 0;
        return scanner.atEnd();
    }
    const char sign = scanner.takeAny("+-");
    if (sign == '\0')
        return false;
    const auto hours = scanner.number(2);
    if (!hours)
        return false;
    scanner.take(':');
    const int seconds = *hours * 3600 + scanner.number(2).value_or(0) * 60;
    offset = sign == '-' ? -seconds : seconds;
    return scanner.atEnd();
}

/// "31 Jan 2013", "31-Jan-13", "31/Jan/2013:05:00:00", "Jan 31, 2013", "January 31 2013".
std::optional<Date> dateWithMonthName(Scanner& scanner)
{
    int day = 0;
    unsigned month = scanner.month(), digits = 0;
    if (month) {
        scanner.skipBlanks();
        const auto read = scanner.number(2);
        if (!read)
            return std::nullopt;
        day = *read;
        scanner.take(',');
        scanner.skipBlanks();
    } else {
        const auto read = scanner.number(2);
        if (!read)
            return std::nullopt;
        day = *read;
        scanner.takeAny("-/. ");
        month = scanner.month();
        if (!month)
            return std::nullopt;
        scanner.takeAny("-/., ");
    }
    const auto year = scanner.number(4, &digits);
    if (!year || (digits != 2 && digits != 4))
        return std::nullopt;
    const int full = fullYear(*year, digits);
    if (!isDate(full, static_cast<int>(month), day))
        return std::nullopt;
    return Date{full, month, static_cast<unsigned>(day)};
}

bool readRestAsClock(Scanner& scanner, Time& time)
{
    if (scanner.atEnd())
        return true;
    if (!scanner.takeAny("T t:"))
        return readZone(scanner, time.offset);
    scanner.take(',');
    scanner.skipBlanks();
    if (scanner.atEnd())
        return true;
    return readClock(scanner, time) && readZone(scanner, time.offset);
}

/// Whether a number that no double holds is too small, not too large: by the power of ten of its first digit.
bool isTiny(std::string_view number)
{
    constexpr std::int64_t enough = 1'000'000'000;
    std::int64_t power = 0, exponent = 0;
    bool isBehindPoint = false, hasBegun = false;
    const std::string_view digits = number.substr(0, number.find_first_of("eE"));
    for (const char c : digits) {
        isBehindPoint = isBehindPoint || c == '.';
        if (!isDigit(c))
            continue;
        hasBegun = hasBegun || c != '0';
        power += hasBegun != isBehindPoint ? (hasBegun ? 1 : -1) : 0;
    }
    const std::string_view rest = number.substr(digits.size());
    for (const char c : rest)
        if (isDigit(c))
            exponent = std::min(enough, exponent * 10 + (c - '0'));
    return !hasBegun || power + (rest.find('-') == std::string_view::npos ? exponent : -exponent) < 0;
}

} // namespace

bool isMissing(std::string_view field)
{
    switch (field.size()) {
    case 0:
        return true;
    case 2:
        return field == "NA" || field == "\\N";
    case 3:
        return field == "NaN" || field == "nan" || field == "N/A" || field == "n/a";
    case 4:
        return field == "null" || field == "NULL" || field == "None" || field == "#N/A" || field == "<NA>";
    default:
        return false;
    }
}

namespace {

/// Takes a separator of thousands off the front.
bool takeThousands(std::string_view& text, char thousands)
{
    static constexpr std::array<std::string_view, 4> blanks = {" ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89"};
    const std::string_view sign(&thousands, 1);
    const auto take = [&](std::string_view each) { return text.starts_with(each) && (text.remove_prefix(each.size()), true); };
    return thousands == ' ' ? std::any_of(blanks.begin(), blanks.end(), take) : take(sign) || (thousands == '\'' && take("\xe2\x80\x99"));
}

/// "1,234.5" as "1234.5". Nothing where its digits are not in groups of three.
std::optional<std::string> withoutThousands(std::string_view field, char thousands)
{
    std::string plain;
    std::size_t digits = 0; // since the last separator
    bool grouped = false;
    while (!field.empty()) {
        if (isDigit(field.front())) {
            ++digits;
        } else if (digits > 0 && takeThousands(field, thousands)) {
            if (digits > 3 || (grouped && digits != 3))
                return std::nullopt;
            grouped = true;
            digits = 0;
            continue;
        } else if (digits > 0)
            break; // the decimal sign or an exponent
        plain += field.front();
        field.remove_prefix(1);
    }
    return grouped && digits == 3 ? std::optional(plain.append(field)) : std::nullopt;
}

} // namespace

std::optional<double> numberOf(std::string_view field, char decimal, std::optional<char> thousands)
{
    if (thousands)
        if (const auto plain = withoutThousands(field, *thousands))
            return numberOf(*plain, decimal);
    if (field.size() > 1 && field.front() == '+' && field[1] != '-' && field[1] != '+')
        field.remove_prefix(1);
    if (field.empty() || !(isDigit(field.front()) || field.front() == '-' || field.front() == '.' || field.front() == decimal))
        return std::nullopt;
    char changed[64];
    if (decimal != '.') {
        const std::size_t at = field.find(decimal);
        if (field.find('.') != std::string_view::npos || field.size() > sizeof changed)
            return std::nullopt;
        if (at != std::string_view::npos) {
            field.copy(changed, field.size());
            changed[at] = '.';
            field = {changed, field.size()};
        }
    }
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (end != field.data() + field.size() || error == std::errc::invalid_argument)
        return std::nullopt;
    if (error == std::errc::result_out_of_range)
        return isTiny(field) ? std::optional(0.0) : std::nullopt;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<char> thousandsIn(std::string_view field)
{
    for (const char thousands : {',', '.', ' ', '\''})
        for (const char decimal : {'.', ','})
            if (decimal != thousands && withoutThousands(field, thousands) && numberOf(field, decimal, thousands))
                return thousands;
    return std::nullopt;
}

bool isWholeNumber(std::string_view text)
{
    text.remove_prefix(text.starts_with('-') ? 1 : 0);
    return !text.empty() && std::all_of(text.begin(), text.end(), isDigit);
}

bool hasLeadingZero(std::string_view text)
{
    text.remove_prefix(text.starts_with('-') ? 1 : 0);
    return text.size() > 1 && text[0] == '0' && isDigit(text[1]);
}

int compareWholeNumbers(std::string_view a, std::string_view b)
{
    const auto takeSign = [](std::string_view& text) {
        const bool negative = text.starts_with('-');
        text.remove_prefix(std::min(text.find_first_not_of("-0"), text.size() - 1));
        return negative && text != "0" ? -1 : 1;
    };
    const int sign = takeSign(a), other = takeSign(b);
    if (sign != other)
        return sign;
    return sign * (a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b));
}

std::string numberText(double value)
{
    char text[40];
    const bool whole = std::fabs(value) < 1e15 && value == std::floor(value);
    const auto end = whole ? std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(value)).ptr
                           : std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

Date dateOf(std::int64_t day)
{
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
    return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())};
}

std::int64_t dayOf(Date date)
{
    return std::chrono::sys_days{
        std::chrono::year_month_day{std::chrono::year{date.year}, std::chrono::month{date.month}, std::chrono::day{date.day}}}
        .time_since_epoch()
        .count();
}

std::optional<Time> timeOfEpoch(double number)
{
    const double size = std::fabs(number);
    const double seconds = number / (size < 1e11 ? 1.0 : size < 1e14 ? 1e3 : size < 1e17 ? 1e6 : 1e9);
    const double day = std::floor(seconds / 86400);
    static const auto first = static_cast<double>(dayOf({0, 1, 1})), last = static_cast<double>(dayOf({9999, 12, 31}));
    if (!(day >= first && day <= last))
        return std::nullopt;
    return Time{static_cast<std::int64_t>(day), static_cast<std::int32_t>(seconds - day * 86400), true, 0};
}

std::optional<std::int32_t> offsetOfZone(std::string_view zone)
{
    Scanner scanner(zone);
    std::optional<std::int32_t> offset;
    constexpr std::int32_t furthest = 18 * 3600;
    if (zone.empty() || zone.find(' ') != std::string_view::npos || !readZone(scanner, offset) || !offset || std::abs(*offset) > furthest)
        return std::nullopt;
    return offset;
}

Time inZone(Time time, std::int32_t offset)
{
    if (!time.hasClock || !time.offset)
        return time;
    const std::int64_t second = std::int64_t{time.second} + offset - *time.offset;
    const std::int64_t days = second >= 0 ? second / 86400 : -((86399 - second) / 86400);
    return {time.day + days, static_cast<std::int32_t>(second - days * 86400), true, offset};
}

std::optional<Time> timeOf(std::string_view field, bool dayFirst)
{
    if (field.size() < 4 || field.size() > 40)
        return std::nullopt;
    Time time;
    const auto withDate = [&](const std::optional<Date>& date, Scanner scanner) -> std::optional<Time> {
        if (!date)
            return std::nullopt;
        time.day = dayOf(*date);
        return readRestAsClock(scanner, time) ? std::optional(time) : std::nullopt;
    };
    // The one way most files write it, without the general scanner's steps.
    if (field.size() >= 10 && field[4] == '-' && field[7] == '-') {
        Scanner scanner(field);
        const auto parts = threeNumbers(scanner);
        return parts ? withDate(dateFrom(*parts, dayFirst), scanner) : std::nullopt;
    }
    if (isDigit(field.front())) {
        if (field.find(':') <= 2) { // "05:30": a time of the day
            Scanner scanner(field);
            return readClock(scanner, time) && readZone(scanner, time.offset) ? std::optional(time) : std::nullopt;
        }
        std::size_t digits = 0;
        while (digits < field.size() && isDigit(field[digits]))
            ++digits;
        if (digits == 8 && (field.size() == 8 || field[8] == 'T' || field[8] == ' ')) { // 20130131
            Scanner scanner(field);
            const int year = *scanner.number(4), month = *scanner.number(2), day = *scanner.number(2);
            if (!isDate(year, month, day) || year < 1800 || year > 2200)
                return std::nullopt;
            return withDate(Date{year, static_cast<unsigned>(month), static_cast<unsigned>(day)}, scanner);
        }
        if (digits == 4 && field.size() == 7 && field[4] == '-') { // 2013-01
            Scanner scanner(field);
            const int year = *scanner.number(4);
            scanner.take('-');
            const auto month = scanner.number(2);
            if (!month || !isDate(year, *month, 1))
                return std::nullopt;
            return withDate(Date{year, static_cast<unsigned>(*month), 1}, scanner);
        }
        Scanner scanner(field);
        if (const auto parts = threeNumbers(scanner))
            return withDate(dateFrom(*parts, dayFirst), scanner);
    }
    Scanner scanner(field);
    const auto date = dateWithMonthName(scanner);
    return withDate(date, scanner);
}

std::optional<bool> dayFirstBy(std::string_view field)
{
    Scanner scanner(field);
    const auto parts = threeNumbers(scanner);
    if (!parts || parts->sign == '.' || parts->digits[0] > 2)
        return std::nullopt;
    const bool dayFirst = dateFrom(*parts, true).has_value(), monthFirst = dateFrom(*parts, false).has_value();
    return dayFirst != monthFirst ? std::optional(dayFirst) : std::nullopt;
}

bool isInEitherOrder(std::string_view field)
{
    Scanner scanner(field);
    const auto parts = threeNumbers(scanner);
    return parts && parts->sign != '.' && parts->digits[0] <= 2 && dateFrom(*parts, true) && dateFrom(*parts, false);
}

} // namespace io::table
