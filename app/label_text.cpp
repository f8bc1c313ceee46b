// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/label_text.h"

#include "io/text/tokens.h"
#include "kernels/base/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace app {
namespace {

using io::text::trimmed;

constexpr std::string_view blanks = " \t\r";

/// Past the closing quotation mark of the quoted item at the front; fills its text.
std::size_t readQuoted(std::string_view list, std::string& text, const char* where)
{
    for (std::size_t begin = 1;;) {
        const std::size_t mark = list.find('"', begin);
        if (mark == std::string_view::npos)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"a quotation mark is never closed", where, {}, {}, "Write one at the end of the label, too."});
        text += list.substr(begin, mark - begin);
        if (mark + 1 == list.size() || list[mark + 1] != '"')
            return mark + 1;
        text += '"';
        begin = mark + 2;
    }
}

} // namespace

std::vector<ListItem> listItems(std::string_view list, std::string_view separators, const char* where)
{
    std::vector<ListItem> items;
    while (true) {
        ListItem& item = items.emplace_back();
        const std::size_t begin = std::min(list.find_first_not_of(blanks), list.size());
        item.quoted = begin < list.size() && list[begin] == '"';
        const std::size_t past = item.quoted ? begin + readQuoted(list.substr(begin), item.text, where) : 0;
        const std::size_t end = std::min(list.find_first_of(separators, past), list.size());
        if (item.quoted) {
            if (!trimmed(list.substr(past, end - past)).empty())
                throw kernels::Error(
                    kernels::ErrorKind::BadArgument,
                    {"text follows a closing quotation mark", where, {}, {}, "Write \"\" for a quotation mark in a label."});
            item.written = list.substr(begin, past - begin);
        } else {
            item.written = trimmed(list.substr(0, end));
            item.text = item.written;
        }
        if (end == list.size())
            return items;
        list.remove_prefix(end + 1);
    }
}

std::string quotedWhereNeeded(std::string_view label)
{
    const bool needed = label.empty() || label.find_first_of(" \t\r\n,;\"") != std::string_view::npos || label.front() == '#'
        || label.front() == '%' || label == "*";
    if (!needed)
        return std::string(label);
    std::string text = "\"";
    for (const char c : label) {
        text += c;
        if (c == '"')
            text += c;
    }
    return text + '"';
}

std::optional<std::uint64_t> wholeNumber(std::string_view text)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<double> numberIn(std::string_view label)
{
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    if (label.starts_with('+'))
        label.remove_prefix(1);
    const std::string_view unsignedPart = label.substr(label.starts_with('-') ? 1 : 0);
    if (unsignedPart.empty() || !(isDigit(unsignedPart.front()) || unsignedPart.front() == '.'))
        return {}; // quickly: most labels are words
    double number = 0;
    const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
    return error == std::errc{} && end == label.data() + label.size() && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string_view firstWord(std::string_view label) { return label.substr(0, label.find(' ')); }

} // namespace app
