// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/json_text.h"

#include "io/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace io {
namespace {

using Json = nlohmann::ordered_json;

/// JSON values are copied, printed and compared by recursion: what is deep enough ends any stack. Ours need 5 levels.
constexpr int mostLevels = 64;

/// "[json.exception.out_of_range.406] number overflow …" without the brackets.
std::string wordsOf(std::string_view what)
{
    const auto end = what.find("] ");
    return std::string(end == std::string_view::npos ? what : what.substr(end + 2));
}

/// The parser says "[…] parse error at line 1, column 5: syntax error while … - unexpected X; expected Y": told as all our errors are.
[[noreturn]] void refuseText(std::string_view text, const std::string& where, const Json::parse_error& error)
{
    const std::string_view before = text.substr(0, std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0));
    const auto lineBegin = before.find_last_of('\n');
    const std::string place = fmt::format("{}, line {}, column {}", where, std::count(before.begin(), before.end(), '\n') + 1,
                                          before.size() - (lineBegin == std::string_view::npos ? 0 : lineBegin + 1) + 1);
    std::string found = wordsOf(error.what()), expected;
    if (const auto at = found.rfind("; expected "); at != std::string::npos) {
        expected = found.substr(at + std::string_view("; expected ").size());
        found.resize(at);
    }
    for (const std::string_view mark : {" - unexpected ", " - "})
        if (const auto at = found.find(mark); at != std::string::npos) {
            found = found.substr(at + mark.size());
            break;
        }
    throw Error({"not valid JSON", place, found, expected, {}});
}

} // namespace

Json parseJson(std::string_view text, const std::string& where)
{
    if (text.size() > mostJsonBytes)
        throw Error({"the text is too long",
                     where,
                     fmt::format("more than {}", kernels::formatBytes(mostJsonBytes)),
                     fmt::format("at most {}", kernels::formatBytes(mostJsonBytes)),
                     {}});
    const auto stopWhereDeep = [&where](int levelsAround, Json::parse_event_t event, const Json&) {
        const bool opens = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
        if (opens && levelsAround >= mostLevels)
            throw Error({"JSON is nested too deeply", where, fmt::format("more than {} levels", mostLevels),
                         fmt::format("at most {}", mostLevels), "The file may be damaged."});
        return true;
    };
    try {
        return Json::parse(text, stopWhereDeep);
    } catch (const Json::parse_error& error) {
        refuseText(text, where, error);
    } catch (const Json::exception& error) { // a number past all doubles
        throw Error({"not valid JSON", where, wordsOf(error.what()), {}, {}});
    }
}

std::string shown(const Json& value)
{
    constexpr std::size_t longest = 60;
    const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() > longest ? text.substr(0, longest - 3) + "..." : text;
}

} // namespace io
