// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/recipe.h"

#include "io/error.h"
#include "io/input_stream.h"
#include "io/json_text.h"
#include "io/table/fields.h"
#include "io/table/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <tuple>

namespace io::table {
namespace {

using Json = nlohmann::ordered_json;

template <class T> struct Word {
    T value;
    std::string_view word;
};

constexpr std::array<Word<Derive>, 19> deriveWords = {{{Derive::Text, ""},
                                                       {Derive::Fold, "fold"},
                                                       {Derive::Year, "year"},
                                                       {Derive::Quarter, "quarter"},
                                                       {Derive::Month, "month"},
                                                       {Derive::Week, "week"},
                                                       {Derive::Day, "day"},
                                                       {Derive::Weekday, "weekday"},
                                                       {Derive::Hour, "hour"},
                                                       {Derive::Minute, "minute"},
                                                       {Derive::Date, "date"},
                                                       {Derive::YearQuarter, "year-quarter"},
                                                       {Derive::YearMonth, "year-month"},
                                                       {Derive::YearWeek, "year-week"},
                                                       {Derive::DateHour, "date-hour"},
                                                       {Derive::Bins, "bins"},
                                                       {Derive::Quantiles, "quantiles"},
                                                       {Derive::LogBins, "logbins"},
                                                       {Derive::Text, "text"}}};
constexpr std::array<Word<Aggregate>, 9> aggregateWords = {{{Aggregate::Count, "count"},
                                                            {Aggregate::Sum, "sum"},
                                                            {Aggregate::Mean, "mean"},
                                                            {Aggregate::Median, "median"},
                                                            {Aggregate::Min, "min"},
                                                            {Aggregate::Max, "max"},
                                                            {Aggregate::First, "first"},
                                                            {Aggregate::Last, "last"},
                                                            {Aggregate::Any, "any"}}};
constexpr std::array<Word<Transform::Kind>, 4> transformWords = {{{Transform::Kind::Log1p, "log1p"},
                                                                  {Transform::Kind::Scale, "scale"},
                                                                  {Transform::Kind::Centre, "centre"},
                                                                  {Transform::Kind::Clip, "clip"}}};
constexpr std::array<Word<Filter::Test>, 6> testSigns = {{{Filter::Test::LessEqual, "<="},
                                                          {Filter::Test::GreaterEqual, ">="},
                                                          {Filter::Test::NotEqual, "!="},
                                                          {Filter::Test::Less, "<"},
                                                          {Filter::Test::Greater, ">"},
                                                          {Filter::Test::Equal, "="}}};
constexpr unsigned mostBins = 100'000;

template <class T, std::size_t N> std::string_view wordOf(const std::array<Word<T>, N>& words, T value)
{
    for (const auto& each : words) {
        if (each.value == value)
            return each.word;
    }
    return {};
}

template <class T, std::size_t N>
T valueOf(const std::array<Word<T>, N>& words, std::string_view word, const std::string& where, const char* what)
{
    std::string known;
    for (const auto& each : words) {
        if (each.word == word && !word.empty())
            return each.value;
        if (!each.word.empty())
            known += (known.empty() ? "" : ", ") + std::string(each.word);
    }
    throw Error({fmt::format("there is no such {}", what), where, fmt::format("\"{}\"", word), "one of " + known, {}});
}

[[noreturn]] void refuse(std::string message, const std::string& where, std::string found = {}, std::string expected = {},
                         std::string hint = {})
{
    throw Error({std::move(message), where, std::move(found), std::move(expected), std::move(hint)});
}

bool isWordCharacter(char c) { return std::string_view("(),=\"").find(c) == std::string_view::npos; }

/// Takes a text in double quotes off the front; doubled ones are one. Nothing: it is never closed.
std::optional<std::string> takeQuoted(std::string_view& text)
{
    std::string inside;
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (text[at] == '"' && (at + 1 == text.size() || text[at + 1] != '"')) {
            text.remove_prefix(at + 1);
            return inside;
        }
        at += text[at] == '"';
        inside += text[at];
    }
    return std::nullopt;
}

std::string inQuotes(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

/// "name=hour(column)": names that hold ( ) , = or " stand in double quotes.
class ModeParser {
public:
    explicit ModeParser(std::string_view text)
        : m_text(text)
    {
    }

    std::vector<ModeRecipe> all()
    {
        std::vector<ModeRecipe> modes;
        do {
            modes.push_back(one());
        } while (take(','));
        if (m_at < m_text.size())
            fail("something is left over");
        return modes;
    }

private:
    ModeRecipe one()
    {
        std::string first = word();
        if (take('=')) {
            ModeRecipe mode = expression(word());
            mode.name = std::move(first);
            return mode;
        }
        return expression(std::move(first));
    }

    ModeRecipe expression(std::string first)
    {
        if (!take('(')) {
            ModeRecipe mode;
            mode.name = mode.column = std::move(first);
            return mode;
        }
        ModeRecipe mode = expression(word());
        if (first == "top") {
            mode.top = number();
        } else {
            const Derive derive = valueOf(deriveWords, first, "--modes", "way to make a mode");
            if (mode.derive != Derive::Text || mode.top != 0)
                fail("only top(…) goes around another one");
            mode.derive = derive;
            if (isOfTime(derive))
                mode.name = deriveWord(derive);
            if (isOfNumber(derive) || derive == Derive::Minute)
                mode.number = number();
            if (isOfTime(derive) && take(','))
                mode.zone = zone();
        }
        if (!take(')'))
            fail("a ) is missing");
        return mode;
    }

    /// "zone=UTC"
    std::string zone()
    {
        if (word() != "zone" || !take('='))
            fail("only zone=… can follow");
        const std::string text = word();
        const auto known = zoneNamed(text);
        if (!known)
            refuse("this time zone is not known", "--modes", "\"" + text + "\"", "UTC or an offset such as +02:00");
        return *known;
    }

    unsigned number()
    {
        if (!take(','))
            fail("a number is missing");
        const std::string text = word();
        const auto value = numberOf(text, '.');
        if (!value || *value < 1 || *value > mostBins || *value != std::floor(*value))
            refuse("this is no number of bins, minutes or values to keep", "--modes", "\"" + text + "\"", fmt::format("1 to {}", mostBins));
        return static_cast<unsigned>(*value);
    }

    std::string word()
    {
        std::string text;
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
        if (m_at < m_text.size() && m_text[m_at] == '"') {
            std::string_view rest = m_text.substr(m_at);
            const auto inside = takeQuoted(rest);
            if (!inside)
                fail("a quote is never closed");
            text = *inside;
            m_at = m_text.size() - rest.size();
        } else {
            while (m_at < m_text.size() && isWordCharacter(m_text[m_at]))
                text += m_text[m_at++];
            while (text.ends_with(' '))
                text.pop_back();
        }
        if (text.empty())
            fail("a column is missing");
        return text;
    }

    bool take(char c)
    {
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    [[noreturn]] void fail(const char* what) const
    {
        refuse(what, "--modes", fmt::format("\"{}\" at character {}", m_text, m_at + 1), "such as carrier,hour=hour(time),bins(price,10)");
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

std::string quotedName(const std::string& name)
{
    const bool plain = !name.empty() && name.front() != ' ' && name.back() != ' ' && std::all_of(name.begin(), name.end(), isWordCharacter);
    return plain ? name : inQuotes(name);
}

std::string modeText(const ModeRecipe& mode)
{
    std::string text = quotedName(mode.column);
    const std::string_view word = deriveWord(mode.derive);
    if (!word.empty())
        text = fmt::format("{}({}{}{})", word, text,
                           isOfNumber(mode.derive) || mode.derive == Derive::Minute ? fmt::format(",{}", mode.number) : std::string(),
                           mode.zone.empty() ? std::string() : ",zone=" + mode.zone);
    if (mode.top)
        text = fmt::format("top({},{})", text, mode.top);
    return mode.name == mode.column ? text : quotedName(mode.name) + "=" + text;
}

const Json* member(const Json& json, const char* key, Json::value_t type, const std::string& where)
{
    const auto at = json.find(key);
    if (at == json.end())
        return nullptr;
    const bool numbers = type == Json::value_t::number_float && at->is_number();
    if (!numbers && at->type() != type && !(type == Json::value_t::number_unsigned && at->is_number_unsigned()))
        refuse(fmt::format("\"{}\" is of the wrong type", key), where, shown(*at), Json(type).type_name());
    return &*at;
}

std::string text(const Json& json, const char* key, const std::string& where, std::string otherwise = {})
{
    const Json* const at = member(json, key, Json::value_t::string, where);
    return at ? at->get<std::string>() : std::move(otherwise);
}

unsigned count(const Json& json, const char* key, const std::string& where)
{
    const Json* const at = member(json, key, Json::value_t::number_unsigned, where);
    if (!at)
        return 0;
    if (at->get<std::uint64_t>() > mostBins)
        refuse(fmt::format("\"{}\" is too large", key), where, shown(*at), fmt::format("at most {}", mostBins));
    return at->get<unsigned>();
}

double number(const Json& json, const char* key, const std::string& where)
{
    const Json* const at = member(json, key, Json::value_t::number_float, where);
    return at ? at->get<double>() : 0;
}

std::vector<double> numbers(const Json& json, const char* key, const std::string& where)
{
    std::vector<double> list;
    if (const Json* const at = member(json, key, Json::value_t::array, where))
        for (const Json& each : *at) {
            if (!each.is_number())
                refuse(fmt::format("\"{}\" holds something else than numbers", key), where, shown(each));
            list.push_back(each.get<double>());
        }
    return list;
}

template <class Each> void forEachObject(const Json& json, const char* key, const std::string& where, const Each& each)
{
    const Json* const list = member(json, key, Json::value_t::array, where);
    if (!list)
        return;
    for (const Json& one : *list) {
        if (!one.is_object())
            refuse(fmt::format("\"{}\" holds something else than objects", key), where, shown(one));
        each(one);
    }
}

Json toJson(const Dialect& dialect)
{
    Json json = Json::object();
    if (dialect.separator)
        json["separator"] = std::string(1, *dialect.separator);
    if (dialect.decimal)
        json["decimal"] = std::string(1, *dialect.decimal);
    if (dialect.header)
        json["header"] = *dialect.header;
    if (dialect.dayFirst)
        json["day_first"] = *dialect.dayFirst;
    if (!dialect.encoding.empty())
        json["encoding"] = dialect.encoding;
    if (dialect.thousands)
        json["thousands"] = std::string(1, *dialect.thousands);
    return json;
}

std::optional<char> character(const Json& json, const char* key, const std::string& where)
{
    const std::string word = text(json, key, where);
    if (word.size() > 1)
        refuse(fmt::format("\"{}\" is no single character", key), where, "\"" + word + "\"");
    return word.empty() ? std::nullopt : std::optional(word.front());
}

std::optional<bool> flag(const Json& json, const char* key, const std::string& where)
{
    const Json* const at = member(json, key, Json::value_t::boolean, where);
    return at ? std::optional(at->get<bool>()) : std::nullopt;
}

Dialect dialectFrom(const Json& json, const std::string& where)
{
    return {character(json, "separator", where), character(json, "decimal", where),
            flag(json, "header", where),         flag(json, "day_first", where),
            text(json, "encoding", where),       character(json, "thousands", where)}; // of old recipes also what was found
}

} // namespace

Dialect Dialect::chosen() const
{
    return {separatorIsFound ? std::nullopt : separator,
            decimalIsFound ? std::nullopt : decimal,
            headerIsFound ? std::nullopt : header,
            dayFirst,
            encoding,
            thousands};
}

Dialect Dialect::forOtherFile() const { return {{}, {}, chosen().header, dayFirst, {}, thousands}; }

bool operator==(const Dialect& a, const Dialect& b)
{
    const auto members = [](const Dialect& d) {
        return std::make_tuple(d.separator, d.decimal, d.header, d.dayFirst, d.encoding, d.thousands);
    };
    return members(a.chosen()) == members(b.chosen());
}

bool isOfTime(Derive derive) { return derive >= Derive::Year && derive <= Derive::DateHour; }
bool isOfNumber(Derive derive) { return derive >= Derive::Bins; }
std::optional<std::string> zoneNamed(std::string_view text)
{
    const auto offset = offsetOfZone(text);
    if (!offset)
        return std::nullopt;
    if (*offset == 0)
        return "UTC";
    const int minutes = std::abs(*offset) / 60;
    return fmt::format("{}{:02}:{:02}", *offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}
std::string_view deriveWord(Derive derive) { return wordOf(deriveWords, derive); }
std::string_view aggregateWord(Aggregate aggregate) { return wordOf(aggregateWords, aggregate); }
Aggregate parseAggregate(std::string_view word) { return valueOf(aggregateWords, word, "--aggregate", "aggregation"); }

std::vector<ModeRecipe> parseModes(std::string_view text) { return ModeParser(text).all(); }

std::string modesText(const std::vector<ModeRecipe>& modes)
{
    std::string text;
    for (const ModeRecipe& mode : modes)
        text += (text.empty() ? "" : ",") + modeText(mode);
    return text;
}

Filter parseFilter(std::string_view text)
{
    const auto fail = [&](const char* what) {
        refuse(what, "--where", fmt::format("\"{}\"", text), "a column, one of = != < <= > >= and a value: month>=3",
               "Put a column with one of these signs in double quotes.");
    };
    std::string_view rest = withoutBlanks(text);
    Filter filter;
    if (rest.starts_with('"')) {
        const auto column = takeQuoted(rest);
        if (!column)
            fail("a quote is never closed");
        filter.column = *column;
        rest = withoutBlanks(rest);
    } else {
        const std::size_t sign = std::min(rest.find_first_of("<>=!"), rest.size());
        filter.column = withoutBlanks(rest.substr(0, sign));
        rest.remove_prefix(sign);
    }
    const auto sign = std::find_if(testSigns.begin(), testSigns.end(), [&](const auto& each) { return rest.starts_with(each.word); });
    if (filter.column.empty() || sign == testSigns.end())
        fail("this is no filter");
    filter.test = sign->value;
    rest.remove_prefix(sign->word.size());
    if (filter.test == Filter::Test::Equal && rest.starts_with('='))
        rest.remove_prefix(1);
    rest = withoutBlanks(rest);
    if (!rest.starts_with('"')) {
        filter.value = rest;
        return filter;
    }
    const auto value = takeQuoted(rest);
    if (!value || !rest.empty())
        fail(value ? "something is left over" : "a quote is never closed");
    filter.value = *value;
    return filter;
}

std::string filterText(const Filter& filter)
{
    const auto needsQuotes = [](const std::string& part, const char* signs) {
        return part.starts_with('"') || withoutBlanks(part) != part || part.find_first_of(signs) != std::string::npos;
    };
    const bool quoteColumn = filter.column.empty() || needsQuotes(filter.column, "<>=!");
    const bool quoteValue = filter.value.starts_with('=') || needsQuotes(filter.value, "");
    return (quoteColumn ? inQuotes(filter.column) : filter.column) + std::string(wordOf(testSigns, filter.test))
        + (quoteValue ? inQuotes(filter.value) : filter.value);
}

Transform parseTransform(std::string_view text)
{
    const std::size_t colon = text.find(':');
    Transform transform;
    transform.kind = valueOf(transformWords, text.substr(0, colon), "--transform", "change of values");
    const std::string rest(colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1));
    const auto read = [&](const std::string& part) {
        const auto value = numberOf(part, '.');
        if (!value)
            refuse("a number is missing", "--transform", fmt::format("\"{}\"", text), "log1p, scale, scale:100, centre:MODE or clip:0:5");
        return *value;
    };
    switch (transform.kind) {
    case Transform::Kind::Log1p:
        break;
    case Transform::Kind::Scale:
        transform.high = rest.empty() ? 0 : read(rest);
        if (!rest.empty() && transform.high == 0)
            refuse("values cannot be divided by 0", "--transform", fmt::format("\"{}\"", text));
        break;
    case Transform::Kind::Centre:
        transform.mode = rest;
        if (rest.empty())
            refuse("a mode is missing", "--transform", fmt::format("\"{}\"", text), "such as centre:user");
        break;
    case Transform::Kind::Clip: {
        const std::size_t second = rest.find(':');
        transform.low = read(rest.substr(0, second));
        transform.high = read(second == std::string::npos ? std::string() : rest.substr(second + 1));
        if (!(transform.low < transform.high))
            refuse("the lower bound is not below the upper one", "--transform", fmt::format("\"{}\"", text));
        break;
    }
    }
    return transform;
}

std::string transformText(const Transform& transform)
{
    const std::string word(wordOf(transformWords, transform.kind));
    switch (transform.kind) {
    case Transform::Kind::Scale:
        return transform.high == 0 ? word : word + ":" + numberText(transform.high);
    case Transform::Kind::Centre:
        return word + ":" + transform.mode;
    case Transform::Kind::Clip:
        return fmt::format("{}:{}:{}", word, numberText(transform.low), numberText(transform.high));
    case Transform::Kind::Log1p:
        break;
    }
    return word;
}

std::string toJson(const Recipe& recipe, int indent)
{
    Json json{{"polyad_recipe", 1}};
    if (!recipe.part.empty())
        json["part"] = recipe.part;
    if (!recipe.query.empty())
        json["query"] = recipe.query;
    if (Json dialect = toJson(recipe.dialect.chosen()); !dialect.empty())
        json["text"] = std::move(dialect);
    Json modes = Json::array();
    for (const ModeRecipe& mode : recipe.modes) {
        Json one{{"name", mode.name}, {"column", mode.column}};
        if (mode.derive != Derive::Text)
            one["from"] = deriveWord(mode.derive);
        if (mode.number)
            one["number"] = mode.number;
        if (mode.top)
            one["top"] = mode.top;
        if (!mode.zone.empty())
            one["zone"] = mode.zone;
        if (!mode.edges.empty())
            one["edges"] = mode.edges;
        modes.push_back(std::move(one));
    }
    json["modes"] = std::move(modes);
    if (!recipe.value.empty())
        json["value"] = recipe.value;
    json["aggregate"] = aggregateWord(recipe.aggregate);
    if (!recipe.filters.empty()) {
        Json filters = Json::array();
        for (const Filter& filter : recipe.filters)
            filters.push_back({{"column", filter.column}, {"is", wordOf(testSigns, filter.test)}, {"value", filter.value}});
        json["where"] = std::move(filters);
    }
    if (!recipe.transforms.empty()) {
        Json transforms = Json::array();
        for (const Transform& transform : recipe.transforms) {
            Json one{{"change", wordOf(transformWords, transform.kind)}};
            if (transform.kind == Transform::Kind::Centre)
                one["mode"] = transform.mode;
            if (transform.kind == Transform::Kind::Clip)
                one["low"] = transform.low;
            if (transform.high != 0 || transform.kind == Transform::Kind::Clip)
                one["high"] = transform.high;
            if (!transform.means.empty())
                one["means"] = transform.means;
            transforms.push_back(std::move(one));
        }
        json["transforms"] = std::move(transforms);
    }
    json["bad_rows"] = recipe.badRows == BadRows::Skip ? "skip" : "stop";
    return json.dump(indent);
}

Recipe recipeFromJson(std::string_view source, const std::string& where)
{
    const Json json = parseJson(source, where);
    if (!json.is_object() || !json.contains("polyad_recipe"))
        refuse("is no recipe", where, {}, "an object with \"polyad_recipe\": 1");
    if (json.at("polyad_recipe") != 1)
        refuse("is a recipe of a later version", where, shown(json.at("polyad_recipe")), "1");
    Recipe recipe;
    recipe.part = text(json, "part", where);
    recipe.query = text(json, "query", where);
    if (const Json* const dialect = member(json, "text", Json::value_t::object, where))
        recipe.dialect = dialectFrom(*dialect, where);
    forEachObject(json, "modes", where, [&](const Json& one) {
        ModeRecipe mode;
        mode.column = text(one, "column", where);
        mode.name = text(one, "name", where, mode.column);
        if (mode.column.empty())
            refuse("a mode has no \"column\"", where);
        if (const std::string from = text(one, "from", where); !from.empty())
            mode.derive = valueOf(deriveWords, from, where, "way to make a mode");
        mode.number = count(one, "number", where);
        if ((isOfNumber(mode.derive) || mode.derive == Derive::Minute) && mode.number == 0)
            refuse("a mode of bins has no \"number\"", where, mode.name);
        mode.top = count(one, "top", where);
        if (const std::string zone = text(one, "zone", where); !zone.empty()) {
            const auto known = zoneNamed(zone);
            if (!known || !isOfTime(mode.derive))
                refuse(known ? "a mode that is not made of times has a \"zone\"" : "this time zone is not known", where, zone,
                       "UTC or an offset such as +02:00");
            mode.zone = *known;
        }
        mode.edges = numbers(one, "edges", where);
        if (!mode.edges.empty() && (mode.edges.size() < 2 || !std::is_sorted(mode.edges.begin(), mode.edges.end())))
            refuse("\"edges\" do not ascend", where, mode.name);
        recipe.modes.push_back(std::move(mode));
    });
    recipe.value = text(json, "value", where);
    recipe.aggregate =
        valueOf(aggregateWords, text(json, "aggregate", where, recipe.value.empty() ? "count" : "sum"), where, "aggregation");
    forEachObject(json, "where", where, [&](const Json& one) {
        recipe.filters.push_back(
            {text(one, "column", where), valueOf(testSigns, text(one, "is", where), where, "test"), text(one, "value", where)});
    });
    forEachObject(json, "transforms", where, [&](const Json& one) {
        recipe.transforms.push_back({valueOf(transformWords, text(one, "change", where), where, "change of values"),
                                     text(one, "mode", where), number(one, "low", where), number(one, "high", where),
                                     numbers(one, "means", where)});
    });
    recipe.badRows = text(json, "bad_rows", where) == "skip" ? BadRows::Skip : BadRows::Stop;
    return recipe;
}

Recipe readRecipeFile(const std::string& path)
{
    InputStream stream(path);
    std::string source(mostJsonBytes + 1, '\0');
    source.resize(stream.read(source.data(), source.size()));
    return recipeFromJson(source, fileNameOf(path));
}

double asWritten(const std::vector<Transform>& transforms, const std::vector<std::string>& modeNames,
                 const std::vector<kernels::Index>& index, double value)
{
    for (auto transform = transforms.rbegin(); transform != transforms.rend(); ++transform) {
        switch (transform->kind) {
        case Transform::Kind::Log1p:
            value = std::expm1(value);
            break;
        case Transform::Kind::Scale:
            value *= transform->high == 0 ? 1 : transform->high;
            break;
        case Transform::Kind::Centre: {
            const auto mode = std::find(modeNames.begin(), modeNames.end(), transform->mode);
            const auto at = static_cast<std::size_t>(mode - modeNames.begin());
            if (at < index.size() && index[at] < transform->means.size())
                value += transform->means[index[at]];
            break;
        }
        case Transform::Kind::Clip:
            value = std::clamp(value, transform->low, transform->high);
            break;
        }
    }
    return value;
}

} // namespace io::table
