// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace kernels {
namespace {

/// Names differ in more than their case.
std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

/// Slips from one to the other (optimal string alignment).
std::size_t slips(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> beforeLast, last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], beforeLast[j - 2] + 1);
        }
        beforeLast = last;
        last = row;
    }
    return last.back();
}

} // namespace

std::string nearestName(std::string_view asTyped, const std::vector<std::string>& known)
{
    const std::string typed = lowerCase(asTyped);
    std::string nearest;
    std::size_t fewest = std::max<std::size_t>(typed.size() / 3, 1) + 1;
    for (const std::string& name : known)
        if (const std::size_t count = slips(typed, lowerCase(name)); count < fewest) {
            fewest = count;
            nearest = name;
        }
    constexpr std::size_t telling = 3; // letters that say enough to go on
    if (nearest.empty() && typed.size() >= telling) {
        const auto longer =
            std::find_if(known.begin(), known.end(), [&](const std::string& name) { return lowerCase(name).starts_with(typed); });
        nearest = longer == known.end() ? std::string() : *longer;
    }
    return nearest;
}

std::string didYouMean(std::string_view typed, const std::vector<std::string>& known)
{
    const std::string nearest = nearestName(typed, known);
    return nearest.empty() ? std::string() : fmt::format("Did you mean \"{}\"?", nearest);
}

} // namespace kernels
