// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/row_plan.h"

#include "io/error.h"
#include "io/table/keys.h"
#include "io/text/tokens.h"
#include "kernels/base/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace io::table {
namespace {

constexpr std::size_t mostTroubles = 3;

/// What a message shows of a field: plain where it is text.
std::string shownField(std::string_view field) { return text::shown(field); }

template <class T> bool holds(const T& value, Filter::Test test, const T& wanted)
{
    switch (test) {
    case Filter::Test::Equal:
        return value == wanted;
    case Filter::Test::NotEqual:
        return value != wanted;
    case Filter::Test::Less:
        return value < wanted;
    case Filter::Test::LessEqual:
        return !(wanted < value);
    case Filter::Test::Greater:
        return wanted < value;
    case Filter::Test::GreaterEqual:
        return !(value < wanted);
    }
    return false;
}

std::int64_t secondsOf(const Time& time) { return time.day * 86400 + time.second; }

} // namespace

void Rows::clear()
{
    texts.clear();
    for (auto& column : fields)
        column.clear();
    count = 0;
    bad.clear();
    lines = 0;
    longLines = 0;
    held.reset();
}

void Picked::clear(std::size_t modes, std::size_t counters)
{
    rows.clear();
    values.clear();
    times.assign(modes, {});
    numbers.assign(modes, {});
    filtered = badRows = 0;
    missing.assign(counters, 0);
    troubles.clear();
    eitherOrder.clear();
    showsOrder = false;
}

RowPlan::RowPlan(const std::vector<Column>& columns, const Recipe& recipe, const std::string& fileName)
    : m_columns(columns)
    , m_fileName(fileName)
    , m_dialect(recipe.dialect)
    , m_dayFirst(recipe.dialect.dayFirst.value_or(false))
{
    if (m_dialect.thousands == m_dialect.decimalSign())
        throw Error({"thousands and decimals have the same separator",
                     fileName,
                     fmt::format("\"{}\"", *m_dialect.thousands),
                     {},
                     "Change --thousands or --decimal."});
    if (recipe.modes.size() < 2 || recipe.modes.size() > kernels::maxOrder)
        throw Error({"a tensor needs at least two modes", fileName, fmt::format("{}", recipe.modes.size()),
                     fmt::format("2 to {}", kernels::maxOrder), "Choose more columns as modes."});
    for (const ModeRecipe& mode : recipe.modes) {
        if (std::any_of(m_modes.begin(), m_modes.end(), [&](const PlannedMode& other) { return other.recipe.name == mode.name; }))
            throw Error(
                {"two modes have the same name", fileName, "\"" + mode.name + "\"", {}, "Name one of them otherwise: name=column."});
        m_modes.push_back({mode, slotOf(mode.column, "mode"), mode.zone.empty() ? std::nullopt : offsetOfZone(mode.zone)});
        if (!mode.zone.empty() && !m_modes.back().zone)
            throw Error(
                {"a mode has a time zone that is not known", fileName, "\"" + mode.zone + "\"", "UTC or an offset such as +02:00", {}});
    }
    const bool countsRows = recipe.aggregate == Aggregate::Count || recipe.aggregate == Aggregate::Any;
    if (!recipe.value.empty())
        m_valueSlot = slotOf(recipe.value, "value");
    else if (!countsRows)
        throw Error(
            {fmt::format("{} needs a value column", aggregateWord(recipe.aggregate)), fileName, {}, {}, "Choose one, or count rows."});
    for (const Filter& filter : recipe.filters) {
        PlannedFilter planned{filter, slotOf(filter.column, "filter"), numberIn(filter.value), {}};
        if (!planned.number)
            planned.number = numberOf(filter.value, '.');
        if (!planned.number)
            planned.time = timeOf(filter.value, m_dayFirst);
        m_filters.push_back(std::move(planned));
    }
}

std::size_t RowPlan::slotOf(const std::string& name, const char* purpose)
{
    const auto column = std::find_if(m_columns.begin(), m_columns.end(), [&](const Column& each) { return each.name == name; });
    if (column == m_columns.end()) {
        std::vector<std::string> names;
        for (const Column& each : m_columns)
            names.push_back(each.name);
        std::string known;
        for (const std::string& each : names)
            known += known.size() > 400 ? "" : (known.empty() ? "" : ", ") + each;
        const std::string near = kernels::nearestName(name, names);
        throw Error({fmt::format("there is no column for the {} \"{}\"", purpose, name),
                     m_fileName,
                     {},
                     "one of " + known,
                     near.empty() ? std::string() : fmt::format("Did you mean {}?", near)});
    }
    const auto number = static_cast<std::size_t>(column - m_columns.begin());
    const auto at = std::find(m_wanted.begin(), m_wanted.end(), number);
    if (at != m_wanted.end())
        return static_cast<std::size_t>(at - m_wanted.begin());
    m_wanted.push_back(number);
    return m_wanted.size() - 1;
}

std::vector<std::pair<std::string, kernels::Count>> RowPlan::missingCounters() const
{
    std::vector<std::pair<std::string, kernels::Count>> counters;
    for (const std::size_t column : m_wanted)
        counters.emplace_back(m_columns[column].name, 0);
    return counters;
}

/// As it is written, or seconds since 1970.
std::optional<Time> RowPlan::timeIn(std::string_view field) const
{
    if (const auto time = timeOf(field, m_dayFirst))
        return time;
    const auto number = numberIn(field);
    return number ? timeOfEpoch(*number) : std::nullopt;
}

bool RowPlan::passes(const PlannedFilter& planned, std::string_view field) const
{
    if (planned.number) {
        // Numbers have an order, codes such as 00501 only their text.
        const bool isEquality = planned.filter.test == Filter::Test::Equal || planned.filter.test == Filter::Test::NotEqual;
        if (isEquality && (hasLeadingZero(field) || hasLeadingZero(planned.filter.value)))
            return holds(field, planned.filter.test, std::string_view(planned.filter.value));
        constexpr double largestExact = 9007199254740992;
        if (std::fabs(*planned.number) >= largestExact && isWholeNumber(field) && isWholeNumber(planned.filter.value))
            return holds(compareWholeNumbers(field, planned.filter.value), planned.filter.test, 0);
        if (const auto number = numberIn(field))
            return holds(*number, planned.filter.test, *planned.number);
        return planned.filter.test == Filter::Test::NotEqual;
    }
    if (planned.time) {
        if (const auto time = timeIn(field)) // "2013-01-31" is the whole day
            return planned.time->hasClock ? holds(secondsOf(*time), planned.filter.test, secondsOf(*planned.time))
                                          : holds(time->day, planned.filter.test, planned.time->day);
        return planned.filter.test == Filter::Test::NotEqual;
    }
    return holds(field, planned.filter.test, std::string_view(planned.filter.value));
}

void RowPlan::lookAtOrder(std::string_view field, Picked& picked) const
{
    const auto isDigit = [&](std::size_t at) { return at < field.size() && field[at] >= '0' && field[at] <= '9'; };
    if (m_dialect.dayFirst || picked.showsOrder || (isDigit(1) && isDigit(2))) // the year is first: most dates
        return;
    picked.showsOrder = dayFirstBy(field).has_value();
    if (picked.eitherOrder.empty() && isInEitherOrder(field))
        picked.eitherOrder = field;
}

/// What to do about a date that only the other order reads.
std::string RowPlan::hintOfOrder(std::string_view field) const
{
    if (!timeOf(field, !m_dayFirst))
        return {};
    return m_dayFirst ? "Dates are read day first. If the month comes first, choose --day-first no."
                      : "Dates are read month first. If the day comes first, choose --day-first yes.";
}

RowPlan::Verdict RowPlan::bad(const Rows& rows, std::size_t row, std::size_t slot, const char* message, const char* expected,
                              Picked& picked, std::string hint) const
{
    if (picked.troubles.size() < mostTroubles) {
        const std::string_view field = rows.fields[slot][row];
        const char* const begin = rows.bytes.data();
        const bool inside = field.data() >= begin && field.data() < begin + rows.bytes.size();
        picked.troubles.push_back(
            {row, inside ? static_cast<std::size_t>(field.data() - begin) : 0, m_columns[m_wanted[slot]].name, message, shownField(field),
             expected,
             hint.empty() ? "Correct the row, give the column another role, or skip rows that cannot be read." : std::move(hint)});
    }
    return Verdict::Bad;
}

RowPlan::Verdict RowPlan::noNumber(const Rows& rows, std::size_t row, std::size_t slot, Picked& picked) const
{
    std::string hint;
    if (const auto thousands = thousandsIn(rows.fields[slot][row]))
        hint = fmt::format("Choose --thousands {} if its digits are in groups.",
                           *thousands == ' '        ? "blank"
                               : *thousands == '\'' ? "\"'\""
                                                    : std::string(1, *thousands));
    return bad(rows, row, slot, "is no number", "a number", picked, hint);
}

RowPlan::Verdict RowPlan::judgeMode(std::size_t m, const Rows& rows, std::size_t row, Picked& picked) const
{
    const PlannedMode& mode = m_modes[m];
    const std::string_view field = rows.fields[mode.slot][row];
    if (isMissing(field)) {
        ++picked.missing[mode.slot];
        return Verdict::Missing;
    }
    if (isOfTime(mode.recipe.derive)) {
        const auto time = timeIn(field);
        if (!time)
            return bad(rows, row, mode.slot, "is no date or time", "such as 2013-01-31 05:00", picked, hintOfOrder(field));
        lookAtOrder(field, picked);
        picked.times[m].push_back(keyOfTime(mode.zone ? inZone(*time, *mode.zone) : *time, mode.recipe));
    } else if (isOfNumber(mode.recipe.derive)) {
        const auto number = numberIn(field);
        if (!number)
            return noNumber(rows, row, mode.slot, picked);
        picked.numbers[m].push_back(*number);
    }
    return Verdict::Use;
}

RowPlan::Verdict RowPlan::judge(const Rows& rows, std::size_t row, Picked& picked) const
{
    for (const PlannedFilter& filter : m_filters) {
        if (!passes(filter, rows.fields[filter.slot][row]))
            return Verdict::Filtered;
    }
    for (std::size_t m = 0; m < m_modes.size(); ++m) {
        if (const Verdict verdict = judgeMode(m, rows, row, picked); verdict != Verdict::Use)
            return verdict;
    }
    if (m_valueSlot == noSlot)
        return Verdict::Use;
    const std::string_view field = rows.fields[m_valueSlot][row];
    if (isMissing(field)) {
        ++picked.missing[m_valueSlot];
        return Verdict::Missing;
    }
    const auto number = numberIn(field);
    if (!number)
        return noNumber(rows, row, m_valueSlot, picked);
    picked.values.push_back(*number);
    return Verdict::Use;
}

void RowPlan::pick(const Rows& rows, Picked& picked) const
{
    picked.clear(m_modes.size(), m_wanted.size());
    picked.rows.reserve(rows.count);
    auto ragged = rows.bad.begin();
    for (std::size_t row = 0; row < rows.count; ++row) {
        Verdict verdict;
        if (ragged != rows.bad.end() && ragged->row == row) {
            if (picked.troubles.size() < mostTroubles)
                picked.troubles.push_back({row,
                                           ragged->at,
                                           {},
                                           "has another number of fields than there are columns",
                                           fmt::format("{}", ragged->found),
                                           fmt::format("{}", m_columns.size()),
                                           "Quote fields that hold a separator, or skip rows that cannot be read."});
            ++ragged;
            verdict = Verdict::Bad;
        } else
            verdict = judge(rows, row, picked);
        if (verdict == Verdict::Use) {
            picked.rows.push_back(static_cast<std::uint32_t>(row));
            continue;
        }
        // What was read of a row before it was found unfit goes again.
        for (auto& times : picked.times)
            times.resize(std::min(times.size(), picked.rows.size()));
        for (auto& numbers : picked.numbers)
            numbers.resize(std::min(numbers.size(), picked.rows.size()));
        picked.filtered += verdict == Verdict::Filtered;
        picked.badRows += verdict == Verdict::Bad;
    }
}

std::uint64_t linesBefore(const Rows& rows, const Trouble& trouble)
{
    if (trouble.at == 0)
        return trouble.row;
    return static_cast<std::uint64_t>(std::count(rows.bytes.begin(), rows.bytes.begin() + static_cast<std::ptrdiff_t>(trouble.at), '\n'));
}

std::string_view foldedCase(std::string_view text, std::string& storage)
{
    storage.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
            storage += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : text[i];
            continue;
        }
        // Two bytes: U+00C0 to U+00DE (but ×), Greek U+0391 to U+03A9 and Cyrillic U+0410 to U+042F have their small letters 32 further.
        if ((byte & 0xe0) == 0xc0 && i + 1 < text.size()) {
            const unsigned point = (byte & 0x1fu) << 6 | (static_cast<unsigned char>(text[i + 1]) & 0x3fu);
            const bool capital = (point >= 0xc0 && point <= 0xde && point != 0xd7) || (point >= 0x391 && point <= 0x3a9)
                || (point >= 0x410 && point <= 0x42f);
            const unsigned small = capital ? point + 32 : point;
            storage += static_cast<char>(0xc0 | (small >> 6));
            storage += static_cast<char>(0x80 | (small & 0x3f));
            ++i;
            continue;
        }
        storage += text[i];
    }
    return storage;
}

} // namespace io::table
