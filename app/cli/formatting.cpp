// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/formatting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace cli {
namespace {

std::string grouped(std::uint64_t value)
{
    const std::string digits = fmt::format("{}", value);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            text += ',';
        text += digits[i];
    }
    return text;
}

/// Below 1000: what two measurements are compared by.
std::string threeDigits(double value) { return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); }

} // namespace

std::string bigText(double value)
{
    constexpr std::array units{"", " k", " M", " G", " T", " P"};
    std::size_t unit = 0;
    while (std::abs(value) >= 999.95 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    return fmt::format("{:.{}f}{}", value, std::abs(value) < 9.995 ? 2 : std::abs(value) < 99.95 ? 1 : unit == 0 ? 0 : 1, units[unit]);
}

std::string countText(std::uint64_t value) { return value < 1'000'000 ? grouped(value) : bigText(static_cast<double>(value)); }

std::string countText(std::uint64_t value, const char* one, const char* many) { return countText(value) + ' ' + (value == 1 ? one : many); }

std::string secondsText(double seconds)
{
    if (std::isnan(seconds))
        return "–";
    if (seconds < 0.5e-9)
        return "0 s";
    if (seconds < 0.9995e-3)
        return threeDigits(seconds * 1e6) + " µs";
    if (seconds < 0.9995)
        return threeDigits(seconds * 1e3) + " ms";
    if (seconds < 59.95)
        return threeDigits(seconds) + " s";
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    if (whole < 3600)
        return fmt::format("{} min {} s", whole / 60, whole % 60);
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string numberText(double value) { return std::isnan(value) ? "–" : fmt::format("{:.5g}", value); }

std::string percentText(double part)
{
    const double percent = part * 100;
    return percent < 99.5 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string joined(const std::vector<std::string>& parts, const char* separator) { return fmt::format("{}", fmt::join(parts, separator)); }

std::string visible(const std::string& text, std::string_view kept)
{
    constexpr unsigned char firstByteOfC1 = 0xC2; // in UTF-8 those of U+0080 to U+009F are two
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        if (byte == firstByteOfC1 && next >= 0x80 && next < 0xA0) {
            shown += fmt::format("\\u{:04x}", next);
            ++i;
        } else if ((byte < 0x20 || byte == 0x7F) && kept.find(text[i]) == std::string_view::npos)
            shown += fmt::format("\\u{:04x}", byte);
        else
            shown += text[i];
    }
    return shown;
}

std::size_t displayWidth(const std::string& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string tableText(std::vector<std::vector<std::string>> rows, const std::vector<bool>& right)
{
    for (auto& row : rows)
        for (std::string& cell : row)
            cell = visible(cell);
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t c = 0; c < row.size(); ++c)
            widths[c] = std::max(widths[c], displayWidth(row[c]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string blanks(widths[c] - displayWidth(row[c]), ' ');
            const bool toRight = c < right.size() && right[c];
            line += (c ? "  " : "") + (toRight ? blanks + row[c] : row[c] + blanks);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

} // namespace cli
