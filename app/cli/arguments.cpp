// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"

#include "io/text/tokens.h"
#include "kernels/base/error.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace cli {
namespace {

using io::text::trimmed;

kernels::Error refusal(const char* option, std::string_view found, std::string expected)
{
    return {kernels::ErrorKind::BadArgument,
            {"not a value for this option", option, fmt::format("\"{}\"", found), std::move(expected), {}}};
}

/// A number and what follows it.
std::optional<std::pair<double, std::string_view>> numberAndUnit(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value))
        return {};
    return std::pair{value, trimmed(text.substr(static_cast<std::size_t>(end - text.data())))};
}

/// Whole and exactly held by a double.
bool isWhole(double value) { return value >= 0 && value <= 9007199254740992.0 && std::floor(value) == value; }

} // namespace

void requireEffect(const char* option, bool given, bool effective, std::string_view without)
{
    if (given && !effective)
        throw kernels::Error(kernels::ErrorKind::BadArgument, fmt::format("{} has no effect {}: leave it out.", option, without));
}

std::vector<std::string> splitAt(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.emplace_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::uint64_t parseWhole(const char* option, std::string_view text, std::uint64_t minimum, std::uint64_t maximum)
{
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < minimum || value > maximum)
        throw refusal(option, text, fmt::format("whole numbers from {} to {}", minimum, maximum));
    return value;
}

std::uint64_t parseCount(const char* option, std::string_view text, std::uint64_t minimum)
{
    const std::string expected = fmt::format("a whole number from {}, such as 1000, 1e6 or 2.5M", minimum);
    // Whole numbers exactly, also those that a double cannot hold.
    std::uint64_t exact = 0;
    if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exact);
        error == std::errc{} && end == text.data() + text.size()) {
        if (exact < minimum)
            throw refusal(option, text, expected);
        return exact;
    }
    const auto parsed = numberAndUnit(text);
    if (!parsed)
        throw refusal(option, text, expected);
    const auto& [number, unit] = *parsed;
    const double factor = unit.empty() ? 1 : unit == "k" || unit == "K" ? 1e3 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 0;
    const double value = std::nearbyint(number * factor * 1e3) / 1e3; // 99.1M is whole, 0.1 is not
    if (factor == 0 || !isWhole(value) || value < static_cast<double>(minimum))
        throw refusal(option, text, expected);
    return static_cast<std::uint64_t>(value);
}

std::uint64_t parseBytes(const char* option, std::string_view text)
{
    struct Unit {
        std::string_view name;
        double bytes;
    };
    constexpr std::array units{
        Unit{"", 1},     Unit{"B", 1},    Unit{"KiB", 1024}, Unit{"MiB", 1048576}, Unit{"GiB", 1073741824}, Unit{"TiB", 1099511627776},
        Unit{"kB", 1e3}, Unit{"KB", 1e3}, Unit{"MB", 1e6},   Unit{"GB", 1e9},      Unit{"TB", 1e12}};
    if (const auto parsed = numberAndUnit(text); parsed && parsed->first > 0)
        for (const Unit& unit : units)
            if (unit.name == parsed->second && parsed->first * unit.bytes >= 1 && parsed->first * unit.bytes < 1e18)
                return static_cast<std::uint64_t>(parsed->first * unit.bytes);
    throw refusal(option, text, "a size such as 2GiB, 500MB or 1073741824");
}

Interval parseInterval(const char* option, std::string_view text)
{
    struct Unit {
        std::string_view name;
        double seconds;
    };
    constexpr std::array units{Unit{"s", 1}, Unit{"min", 60}, Unit{"h", 3600}};
    if (const auto parsed = numberAndUnit(text); parsed && parsed->first > 0) {
        if (parsed->second.empty() && isWhole(parsed->first))
            return {0, static_cast<std::uint64_t>(parsed->first)};
        for (const Unit& unit : units)
            if (unit.name == parsed->second)
                return {parsed->first * unit.seconds, 0};
    }
    throw refusal(option, text, "a time such as 30s, 5min or 2h, or a number of iterations");
}

double parseNumber(const char* option, std::string_view text, double minimum, double maximum)
{
    const auto parsed = numberAndUnit(text);
    const bool isNumber = parsed && parsed->second.empty();
    if (isNumber && minimum == aboveZero && parsed->first < aboveZero)
        throw kernels::Error(kernels::ErrorKind::BadArgument, {"must be greater than 0", option, fmt::format("\"{}\"", text), {}, {}});
    if (!isNumber || parsed->first < minimum || parsed->first > maximum) {
        const std::string least = minimum == aboveZero ? "a number greater than 0" : fmt::format("a number from {}", minimum);
        const std::string most = minimum == aboveZero ? fmt::format(", at most {}", maximum) : fmt::format(" to {}", maximum);
        throw refusal(option, text, maximum == std::numeric_limits<double>::max() ? least : least + most);
    }
    return parsed->first;
}

std::vector<unsigned> parseRanks(const char* option, std::string_view text, unsigned most)
{
    std::vector<unsigned> ranks;
    for (const std::string& part : splitAt(text, ','))
        ranks.push_back(static_cast<unsigned>(parseWhole(option, part, 1, most)));
    return ranks;
}

unsigned parseRank(const char* option, std::string_view text, unsigned most)
{
    return static_cast<unsigned>(parseWhole(option, text, 1, most));
}

std::vector<kernels::Index> parseDims(const char* option, std::string_view text)
{
    std::vector<kernels::Index> dims;
    for (const std::string& part : splitAt(text, text.find(',') == std::string_view::npos ? 'x' : ','))
        dims.push_back(static_cast<kernels::Index>(parseWhole(option, part, 1, std::numeric_limits<kernels::Index>::max())));
    if (dims.size() < kernels::minOrder || dims.size() > kernels::maxOrder)
        throw refusal(option, text, fmt::format("{} to {} sizes, such as 1000,800,600", kernels::minOrder, kernels::maxOrder));
    return dims;
}

} // namespace cli
