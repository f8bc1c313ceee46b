// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace io::text {
namespace {

constexpr std::size_t longestShown = 40;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool allDigits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), isDigit); }

std::string_view withoutPlus(std::string_view token)
{
    return token.size() > 1 && token[0] == '+' && token[1] != '-' && token[1] != '+' ? token.substr(1) : token;
}

Fault notANumber(std::string_view token, std::string expected)
{
    Fault fault{"not a number", shown(token), std::move(expected), {}};
    if (token.find('\0') != std::string_view::npos)
        fault.hint = "A NUL byte does not belong in a text file; the file may be binary or damaged.";
    else if (token.find_first_of(",;") != std::string_view::npos)
        fault.hint = "Separate numbers by blanks or tabs and write decimals with a point.";
    return fault;
}

/// True where from_chars' "out of range" means too small: a negative exponent, or nothing but a fraction.
bool isTiny(std::string_view token)
{
    const auto e = token.find_first_of("eE");
    if (e != std::string_view::npos)
        return e + 1 < token.size() && token[e + 1] == '-';
    return token.starts_with("0.") || token.starts_with("-0.") || token.starts_with('.') || token.starts_with("-.");
}

} // namespace

bool printsAs(float value, double wanted)
{
    char text[32];
    double printed = 0;
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    std::from_chars(text, end, printed);
    return printed == wanted;
}

std::string_view trimmed(std::string_view line)
{
    while (!line.empty() && (isBlank(line.back()) || line.back() == '\r'))
        line.remove_suffix(1);
    while (!line.empty() && isBlank(line.front()))
        line.remove_prefix(1);
    return line;
}

bool isSkipped(std::string_view line) { return line.empty() || line.front() == '#' || line.front() == '%' || line.starts_with("//"); }

Tokens splitTokens(std::string_view line, std::size_t limit)
{
    Tokens tokens;
    std::size_t position = 0;
    while (true) {
        while (position < line.size() && isBlank(line[position]))
            ++position;
        if (position == line.size())
            return tokens;
        const std::size_t begin = position;
        while (position < line.size() && !isBlank(line[position]))
            ++position;
        if (tokens.kept.size() < limit)
            tokens.kept.push_back(line.substr(begin, position - begin));
        ++tokens.count;
    }
}

std::string_view firstWord(std::string_view text)
{
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = trimmed(text.substr(0, end));
        if (!isSkipped(line))
            return splitTokens(line, 1).kept[0];
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return {};
}

std::string shown(std::string_view token)
{
    std::string text = "\"";
    for (const char c : token.substr(0, longestShown)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7f)
            text += fmt::format("\\x{:02x}", byte);
        else
            text += c;
    }
    return text + (token.size() > longestShown ? "…\"" : "\"");
}

std::optional<std::uint64_t> wholeNumber(std::string_view token)
{
    token = withoutPlus(token);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc{} || end != token.data() + token.size())
        return std::nullopt;
    return value;
}

std::optional<std::uint32_t> parseIndex(std::string_view token, Fault& fault)
{
    constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();
    const std::string_view digits = withoutPlus(token);
    if (allDigits(digits)) {
        const auto value = wholeNumber(digits);
        if (value && *value <= largest)
            return static_cast<std::uint32_t>(*value);
        fault = {"index too large", shown(token), fmt::format("at most {}", largest), {}};
    } else if (token.size() > 1 && token[0] == '-' && allDigits(token.substr(1)))
        fault = {"negative index", shown(token), "a whole number from 0 or 1 on", {}};
    else if (Fault ignored; parseNumber(token, ignored))
        fault = {"index is not a whole number", shown(token), "digits only", {}};
    else
        fault = notANumber(token, "an index");
    return std::nullopt;
}

std::optional<double> parseNumber(std::string_view token, Fault& fault)
{
    const std::string_view number = withoutPlus(token);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (end != number.data() + number.size() || error == std::errc::invalid_argument) {
        fault = notANumber(token, "a value");
        return std::nullopt;
    }
    if (error == std::errc::result_out_of_range) {
        if (isTiny(number))
            return 0.0;
        fault = {"value too large", shown(token), "at most 1.797e308 in size", {}};
        return std::nullopt;
    }
    if (!std::isfinite(value)) {
        fault = {"value is not finite", shown(token), "a finite number", "Leave missing entries out of the file."};
        return std::nullopt;
    }
    return value;
}

} // namespace io::text
