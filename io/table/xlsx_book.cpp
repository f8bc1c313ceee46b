// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/xlsx_book.h"

#include "io/memory_budget.h"
#include "io/table/values.h"
#include "io/text/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace io::table {
namespace {

constexpr std::size_t mostSheets = 10'000, mostStyles = 100'000, longestName = 1000;
constexpr std::size_t budgetStep = std::size_t{64} << 20;

struct Relation {
    std::string type, part;
};
using Relations = std::map<std::string, Relation, std::less<>>;

class RelationsHandler final : public XmlHandler {
public:
    void start(std::string_view name, const char** attributes) override
    {
        if (name != "Relationship" || relations.size() >= mostSheets)
            return;
        for (const char** at = attributes; *at; at += 2) {
            if (std::string_view(at[1]).size() > longestName)
                return;
        }
        const std::string target(attributeOf(attributes, "Target"));
        relations[std::string(attributeOf(attributes, "Id"))] = {std::string(attributeOf(attributes, "Type")),
                                                                 target.starts_with('/') ? target.substr(1) : "xl/" + target};
    }
    void end(std::string_view) override { }
    void text(std::string_view) override { }

    Relations relations;
};

class WorkbookHandler final : public XmlHandler {
public:
    WorkbookHandler(XlsxBook& book, const Relations& relations)
        : m_book(book)
        , m_relations(relations)
    {
    }
    void start(std::string_view name, const char** attributes) override
    {
        if (name == "workbookPr") {
            const std::string_view from1904 = attributeOf(attributes, "date1904");
            m_book.from1904 = from1904 == "1" || from1904 == "true";
        }
        const std::string_view title = attributeOf(attributes, "name");
        if (name != "sheet" || m_book.sheets.size() >= mostSheets || title.size() > longestName)
            return;
        for (const char** at = attributes; *at; at += 2) {
            if (!std::string_view(*at).ends_with(":id"))
                continue;
            const auto relation = m_relations.find(std::string_view(at[1]));
            if (relation != m_relations.end() && relation->second.type.ends_with("/worksheet")) // others hold charts
                m_book.sheets.push_back({std::string(title), relation->second.part});
        }
    }
    void end(std::string_view) override { }
    void text(std::string_view) override { }

private:
    XlsxBook& m_book;
    const Relations& m_relations;
};

class TextsHandler final : public XmlHandler {
public:
    explicit TextsHandler(XlsxBook& book)
        : m_book(book)
        , m_budget(0)
    {
    }
    void start(std::string_view name, const char**) override
    {
        m_phonetic += name == "rPh";
        m_inText = name == "t" && m_phonetic == 0;
    }
    void end(std::string_view name) override
    {
        m_inText = false;
        m_phonetic -= name == "rPh";
        if (name == "si") {
            m_book.textEnds.push_back(m_book.texts.size());
            requireMemory();
        }
    }
    void text(std::string_view text) override
    {
        if (!m_inText)
            return;
        m_book.texts.append(text);
        requireMemory();
    }

private:
    void requireMemory()
    {
        const std::size_t bytes = m_book.texts.size() + m_book.textEnds.size() * sizeof(std::size_t);
        if (bytes < m_allowed)
            return;
        m_allowed = bytes + budgetStep;
        m_budget.require(2 * m_allowed); // arrays that grow are there twice
    }

    XlsxBook& m_book;
    MemoryBudget m_budget;
    std::size_t m_allowed = budgetStep;
    int m_phonetic = 0;
    bool m_inText = false;
};

NumberFormat builtInFormat(std::size_t id)
{
    if (id == 22)
        return NumberFormat::DateClock;
    if (id == 46)
        return NumberFormat::Duration;
    if ((id >= 18 && id <= 21) || id == 45 || id == 47)
        return NumberFormat::Clock;
    // 27 and up are dates of East Asian languages, 32 to 35 among them are times of day.
    if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id == 36 || (id >= 50 && id <= 58))
        return NumberFormat::Date;
    return id >= 32 && id <= 35 ? NumberFormat::Clock : NumberFormat::Plain;
}

class StylesHandler final : public XmlHandler {
public:
    void start(std::string_view name, const char** attributes) override
    {
        m_inCells = m_inCells || name == "cellXfs";
        const auto id = text::wholeNumber(attributeOf(attributes, "numFmtId"));
        if (name == "numFmt" && id && m_custom.size() < mostStyles)
            m_custom[*id] = numberFormatOf(attributeOf(attributes, "formatCode"));
        if (name == "xf" && m_inCells && m_ids.size() < mostStyles)
            m_ids.push_back(id.value_or(0));
    }
    void end(std::string_view name) override { m_inCells = m_inCells && name != "cellXfs"; }
    void text(std::string_view) override { }

    std::vector<NumberFormat> formats() const
    {
        std::vector<NumberFormat> formats;
        for (const std::uint64_t id : m_ids) {
            const auto custom = m_custom.find(id);
            formats.push_back(custom != m_custom.end() ? custom->second : builtInFormat(id));
        }
        return formats;
    }

private:
    std::map<std::uint64_t, NumberFormat> m_custom;
    std::vector<std::uint64_t> m_ids;
    bool m_inCells = false;
};

/// The part that the workbook names for a purpose; empty: none.
std::string partOf(const Relations& relations, std::string_view type)
{
    const auto found = std::find_if(relations.begin(), relations.end(), [&](const auto& each) { return each.second.type.ends_with(type); });
    return found == relations.end() ? std::string() : found->second.part;
}

} // namespace

NumberFormat numberFormatOf(std::string_view code)
{
    bool day = false, clock = false, minuteOrMonth = false, duration = false;
    for (std::size_t i = 0; i < code.size() && code[i] != ';'; ++i) { // positive numbers come first
        const char c = static_cast<char>(code[i] | 0x20);
        if (code[i] == '"') {
            i = std::min(code.find('"', i + 1), code.size());
        } else if (code[i] == '\\' || code[i] == '_' || code[i] == '*') {
            ++i;
        } else if (code[i] == '[') {
            const std::size_t close = std::min(code.find(']', i), code.size());
            const std::string_view inside = code.substr(i + 1, close - i - 1);
            duration = duration || (!inside.empty() && inside.find_first_not_of("hmsHMS") == std::string_view::npos); // hours past 24
            i = close;
        } else {
            day = day || c == 'y' || c == 'd';
            clock = clock || c == 'h' || c == 's';
            minuteOrMonth = minuteOrMonth || c == 'm';
        }
    }
    if (duration && !day)
        return NumberFormat::Duration;
    clock = clock || duration;
    if (day || (minuteOrMonth && !clock))
        return clock ? NumberFormat::DateClock : NumberFormat::Date;
    return clock ? NumberFormat::Clock : NumberFormat::Plain;
}

std::optional<std::string> dateText(double serial, NumberFormat format, bool from1904)
{
    if (!(serial >= 0 && serial < 2'958'466)) // 10000-01-01
        return std::nullopt;
    const auto clockText = [](long long second) { return fmt::format("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60); };
    constexpr long long ofDay = 86400;
    const long long seconds = std::llround(serial * ofDay), second = seconds % ofDay;
    if (format == NumberFormat::Duration)
        return clockText(seconds);
    if (format == NumberFormat::Clock && serial < 1) // 23:59:59.6 is still of its day
        return clockText(std::min(seconds, ofDay - 1));
    const std::int64_t day = seconds / ofDay;
    // 1900 has a 29th of February in workbooks: day 60.
    const std::int64_t first = from1904 ? dayOf({1904, 1, 1}) : dayOf({1899, 12, day < 60 ? 31U : 30U});
    const Date date = dateOf(first + day);
    const std::string text = fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
    return format == NumberFormat::Date && second == 0 ? text : text + "T" + clockText(second);
}

std::optional<std::string_view> XlsxBook::text(std::size_t number) const
{
    if (number >= textEnds.size())
        return std::nullopt;
    const std::size_t begin = number == 0 ? 0 : textEnds[number - 1];
    return std::string_view(texts).substr(begin, textEnds[number] - begin);
}

XlsxBook readBook(const XmlArchive& archive)
{
    XlsxBook book;
    RelationsHandler relations;
    archive.parse("xl/_rels/workbook.xml.rels", relations);
    WorkbookHandler workbook(book, relations.relations);
    archive.parse("xl/workbook.xml", workbook);
    if (book.sheets.empty())
        archive.failDamaged("no sheets");
    if (const std::string part = partOf(relations.relations, "/styles"); !part.empty()) {
        StylesHandler styles;
        archive.parse(part, styles);
        book.formats = styles.formats();
    }
    if (const std::string part = partOf(relations.relations, "/sharedStrings"); !part.empty()) {
        TextsHandler texts(book);
        archive.parse(part, texts);
    }
    return book;
}

} // namespace io::table
