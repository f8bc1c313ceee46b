// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep_values.h"

#include "io/text/tokens.h"
#include "kernels/base/error.h"
#include "kernels/base/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace app {
namespace {

using io::text::trimmed;
using Kind = SweepField::Kind;

[[noreturn]] void refuse(const SweepField& field, std::string_view found, std::string expected)
{
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"cannot be read as values for a sweep", field.id, fmt::format("\"{}\"", found), std::move(expected), {}});
}

std::optional<double> numberOf(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return {};
    return value;
}

/// Exactly held by a double; what is larger (seeds may be) stands for itself and is in no range.
bool isWhole(double value) { return std::floor(value) == value && std::abs(value) <= 9007199254740992.0; }

bool isDigits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

std::string written(Kind kind, double value)
{
    if (kind != Kind::Real)
        return fmt::format("{:.0f}", value);
    return fmt::format("{}", *numberOf(fmt::format("{:.12g}", value))); // 0.1 + 0.2 is 0.3 to people
}

/// One that stands by itself.
std::string single(const SweepField& field, std::string_view text)
{
    if (field.kind == Kind::Words) {
        if (field.id == "device") { // which there are is not asked here: that opens drivers
            std::string together(text);
            std::erase(together, ' ');
            kernels::devicesFromString(together);
            return together;
        }
        if (std::find(field.words.begin(), field.words.end(), text) == field.words.end())
            refuse(field, text, fmt::format("one of {}", fmt::join(field.words, ", ")));
        return std::string(text);
    }
    if (field.kind == Kind::Ranks && text.find('x') != std::string_view::npos) {
        std::string_view rest = text;
        while (!rest.empty()) {
            const auto end = rest.find('x');
            if (!isDigits(rest.substr(0, end)) || end + 1 == rest.size())
                refuse(field, text, sweepSyntax(field.kind));
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        }
        return std::string(text);
    }
    const std::optional<double> value = numberOf(text);
    if (!value || (field.kind == Kind::Ranks && !isDigits(text)))
        refuse(field, text, sweepSyntax(field.kind));
    if (isDigits(text) && text.size() > 15) // exact where a double is not
        return std::string(text);
    if (field.kind != Kind::Real && !isWhole(*value))
        refuse(field, text, "whole numbers");
    return written(field.kind, *value);
}

struct Range {
    double low = 0, high = 0, step = 1;
    bool factor = false;

    double at(std::size_t i) const
    {
        const auto n = static_cast<double>(i);
        return factor ? low * std::pow(step, n) : low + step * n;
    }
};

Range rangeOf(const SweepField& field, std::string_view text)
{
    const auto dots = text.find(".."), colon = text.find(':', dots);
    Range range;
    const auto low = numberOf(trimmed(text.substr(0, dots)));
    const auto high = numberOf(trimmed(text.substr(dots + 2, colon == std::string_view::npos ? std::string_view::npos : colon - dots - 2)));
    if (!low || !high)
        refuse(field, text, sweepSyntax(field.kind));
    range.low = *low;
    range.high = *high;
    if (colon == std::string_view::npos) {
        if (field.kind == Kind::Real)
            refuse(field, text, "a step behind the range, such as 0.1..0.5:0.1 or 0.001..0.1:x10");
    } else {
        std::string_view step = trimmed(text.substr(colon + 1));
        range.factor = step.starts_with('x');
        const auto number = numberOf(step.substr(range.factor ? 1 : 0));
        if (!number || (range.factor ? *number <= 1 : *number <= 0))
            refuse(field, text, "a step above 0, or a factor above 1 such as :x2");
        range.step = *number;
    }
    if (range.high < range.low)
        refuse(field, text, "the smaller end first");
    if (range.factor && range.low <= 0)
        refuse(field, text, "a start above 0 where a factor follows");
    if (field.kind != Kind::Real && (!isWhole(range.low) || (!range.factor && !isWhole(range.step))))
        refuse(field, text, "whole numbers");
    return range;
}

/// Where the first value ends. A number behind a device is one more GPU of the same run, as for --device: cuda:0,cuda:0,1 are two values.
std::size_t endOfValue(const SweepField& field, std::string_view text)
{
    auto comma = text.find(',');
    while (field.id == "device" && comma != std::string_view::npos) {
        const auto next = text.find(',', comma + 1);
        if (!isDigits(trimmed(text.substr(comma + 1, next == std::string_view::npos ? next : next - comma - 1))))
            break;
        comma = next;
    }
    return comma;
}

} // namespace

std::string sweepSyntax(Kind kind)
{
    switch (kind) {
    case Kind::Words:
        return "names separated by commas";
    case Kind::Real:
        return "a list such as 0.01,0.1 or a range with its step: 0.1..0.5:0.1, 0.001..0.1:x10";
    case Kind::Ranks:
        return "a list such as 4,8,16 (one for each mode: 8x8x4) or a range: 2..10, 2..10:2, 8..128:x2";
    case Kind::Whole:
        break;
    }
    return "a list such as 4,8,16 or a range: 2..10, 2..10:2, 8..128:x2";
}

std::vector<std::string> sweepValues(const SweepField& field, std::string_view text)
{
    std::vector<std::string> values;
    const auto add = [&](std::string value) {
        if (std::find(values.begin(), values.end(), value) == values.end())
            values.push_back(std::move(value));
        if (values.size() > mostSweepValues)
            refuse(field, text, fmt::format("{} values at most", mostSweepValues));
    };
    for (std::string_view rest = text;;) {
        const auto comma = endOfValue(field, rest);
        const std::string_view item = trimmed(rest.substr(0, comma));
        if (item.empty())
            refuse(field, text, sweepSyntax(field.kind));
        if (field.kind == Kind::Words || item.find("..") == std::string_view::npos) {
            add(single(field, item));
        } else {
            const Range range = rangeOf(field, item);
            const double slack = range.factor ? range.high * 1e-9 : range.step * 1e-9; // of sums that a double does not hold
            for (std::size_t i = 0; range.at(i) <= range.high + slack; ++i) {
                if (i > 10 * mostSweepValues) // of whole numbers that a small factor meets again and again
                    refuse(field, text, "a larger step");
                add(written(field.kind, field.kind == Kind::Real ? range.at(i) : std::round(range.at(i))));
            }
        }
        if (comma == std::string_view::npos)
            return values;
        rest = rest.substr(comma + 1);
    }
}

const SweepField& sweepField(const std::vector<SweepField>& fields, std::string_view id)
{
    std::vector<std::string> known;
    for (const SweepField& field : fields) {
        if (field.id == id)
            return field;
        known.push_back(field.id);
    }
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"a sweep has no such field",
                          fmt::format("\"{}\"", id),
                          {},
                          fmt::format("one of {}", fmt::join(known, ", ")),
                          kernels::didYouMean(id, known)});
}

} // namespace app
