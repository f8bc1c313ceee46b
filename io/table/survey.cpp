// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/survey.h"

#include "io/labels.h"
#include "io/lower_case.h"
#include "io/table/keys.h"

#include <fmt/format.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <iterator>

namespace io::table {
namespace {

constexpr std::size_t firstRowsKept = 100, mostRows = 100'000, places = 16;
constexpr std::size_t mostCells = 4'000'000; ///< looked at, of tables with very many columns
constexpr std::size_t mostDistinct = 100'000, mostExamples = 3, longestExample = 80;
constexpr std::size_t mostProposedKeys = 3;
constexpr double leastEpoch = 1e8; ///< in seconds since 1970, a day of 1973

/// A column while rows are looked at.
class Looker {
public:
    Looker(std::string name, std::string type)
    {
        m_facts.name = std::move(name);
        m_facts.storedType = std::move(type);
    }

    void look(std::string_view field, const Dialect& dialect)
    {
        ++m_facts.rows;
        if (isMissing(field)) {
            ++m_facts.missing;
            return;
        }
        m_length += field.size();
        if (m_seen.size() >= mostDistinct || !m_seen.insert(XXH3_64bits(field.data(), field.size())).second)
            return;
        if (m_facts.examples.size() < mostExamples)
            m_facts.examples.push_back(asUtf8(field.substr(0, longestExample)));
        lookAtNew(field, dialect);
    }

    ColumnFacts facts()
    {
        const std::size_t present = m_facts.rows - m_facts.missing, distinct = m_seen.size();
        m_facts.distinct = distinct;
        m_facts.averageLength = present ? static_cast<double>(m_length) / static_cast<double>(present) : 0;
        const bool nearlyNumbers = distinct > 20 && m_numbers * 100 >= distinct * 95; // some rows are bad
        if (present == 0)
            m_facts.kind = Kind::Empty;
        else if (m_times == distinct && (m_numbers < distinct || m_calendarNumbers == distinct))
            m_facts.kind = Kind::Time;
        else if (m_times + m_numbers > distinct && m_times * 100 >= distinct * 95 && distinct > 20)
            m_facts.kind = Kind::Time;
        else if ((m_numbers == distinct || nearlyNumbers) && m_leadingZeros == 0)
            m_facts.kind = m_wholes == m_numbers ? Kind::Whole : Kind::Number;
        else if (m_times * 100 >= distinct * 95 && distinct > 20)
            m_facts.kind = Kind::Time;
        else
            m_facts.kind = Kind::Text;
        m_facts.onlyClock = m_facts.kind == Kind::Time && m_facts.firstDay == 0 && m_facts.lastDay == 0;
        if (m_facts.kind == Kind::Whole && namesTime() && m_facts.low >= leastEpoch)
            makeEpoch();
        m_facts.hours = m_hours.count();
        return std::move(m_facts);
    }

private:
    void lookAtNew(std::string_view field, const Dialect& dialect)
    {
        if (const auto number = numberOf(field, dialect.decimalSign(), dialect.thousands)) {
            m_facts.low = m_numbers ? std::min(m_facts.low, *number) : *number;
            m_facts.high = m_numbers ? std::max(m_facts.high, *number) : *number;
            ++m_numbers;
            m_wholes += *number == std::floor(*number);
            if (const auto time = *number >= leastEpoch ? timeOfEpoch(*number) : std::nullopt) {
                m_firstEpoch = m_epochs ? std::min(m_firstEpoch, time->day) : time->day;
                m_lastEpoch = m_epochs ? std::max(m_lastEpoch, time->day) : time->day;
                ++m_epochs;
                m_epochHours.set(static_cast<std::size_t>(time->second / 3600));
            }
            m_leadingZeros += field.size() > 1 && field[0] == '0' && field[1] >= '0' && field[1] <= '9';
        }
        if (const auto time = timeOf(field, dialect.dayFirst.value_or(false))) {
            m_facts.firstDay = m_times ? std::min(m_facts.firstDay, time->day) : time->day;
            m_facts.lastDay = m_times ? std::max(m_facts.lastDay, time->day) : time->day;
            ++m_times;
            m_facts.hasOffset = m_facts.hasOffset || time->offset.has_value();
            m_calendarNumbers += field.size() == 8;
            m_hours.set(time->hasClock ? static_cast<std::size_t>(time->second / 3600) : 0);
        }
    }

    bool namesTime() const
    {
        const std::string name = lowerCase(m_facts.name);
        return name.find("time") != std::string::npos || name.find("date") != std::string::npos || name == "ts" || name.ends_with("_ts")
            || name.ends_with("_at") || name.find("epoch") != std::string::npos;
    }

    void makeEpoch()
    {
        if (m_epochs == 0)
            return;
        m_facts.kind = Kind::Time;
        m_facts.isEpoch = m_facts.hasOffset = true;
        m_facts.firstDay = m_firstEpoch;
        m_facts.lastDay = m_lastEpoch;
        m_hours |= m_epochHours;
    }

    ColumnFacts m_facts;
    tsl::robin_set<std::uint64_t> m_seen; ///< hashes: fields can be long
    std::size_t m_length = 0, m_numbers = 0, m_wholes = 0, m_times = 0, m_leadingZeros = 0, m_calendarNumbers = 0, m_epochs = 0;
    std::int64_t m_firstEpoch = 0, m_lastEpoch = 0; ///< days, of numbers as seconds since 1970
    std::bitset<24> m_hours, m_epochHours;
};

bool hasWord(const std::string& name, std::initializer_list<const char*> words)
{
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return name.find(word) != std::string::npos; });
}

bool namesKey(const std::string& column)
{
    const std::string name = lowerCase(column);
    return name == "id" || name.ends_with("id") || name.ends_with("_key") || name.ends_with("code")
        || hasWord(name, {"user", "item", "movie", "customer", "product", "sensor", "station", "device", "host", "store", "shop"});
}

bool namesValue(const std::string& column)
{
    const std::string name = lowerCase(column);
    return addsUp(column)
        || hasWord(name,
                   {"rating", "score", "value", "stars", "price", "temperature", "temp", "delay", "measure", "reading", "weight",
                    "pressure", "humidity", "speed", "duration", "intensity", "level", "power", "energy"});
}

bool isConstant(const ColumnFacts& facts) { return facts.distinct < 2; }

std::size_t present(const ColumnFacts& facts) { return facts.rows - facts.missing; }

/// A value of its own in nearly every row: a row number, a free text.
bool isUnique(const ColumnFacts& facts) { return present(facts) > 50 && facts.distinct * 10 > present(facts) * 9; }

bool isCategory(const ColumnFacts& facts)
{
    if (isConstant(facts) || facts.averageLength > 60)
        return false;
    if (facts.kind == Kind::Text)
        return !isUnique(facts) || (namesKey(facts.name) && facts.distinct < present(facts));
    if (facts.kind != Kind::Whole)
        return false;
    return namesKey(facts.name) ? facts.distinct < present(facts) || present(facts) < 50
                                : facts.distinct <= 60 && facts.distinct * 5 <= present(facts);
}

bool isMeasure(const ColumnFacts& facts) { return (facts.kind == Kind::Whole || facts.kind == Kind::Number) && !isConstant(facts); }

/// The column that is measured, the likeliest one.
const ColumnFacts* valueColumn(const std::vector<ColumnFacts>& columns)
{
    const ColumnFacts* best = nullptr;
    int bestScore = 0;
    for (const ColumnFacts& facts : columns) {
        if (!isMeasure(facts) || namesKey(facts.name))
            continue;
        int score = namesValue(facts.name) ? 4 : 0;
        score += facts.kind == Kind::Number ? 2 : 0;
        score += !isCategory(facts) && !isUnique(facts) ? 1 : 0;
        if (score > bestScore) {
            best = &facts;
            bestScore = score;
        }
    }
    return best;
}

std::string freeName(const std::string& wanted, const std::string& column, const std::vector<ModeRecipe>& modes)
{
    const auto taken = [&](const std::string& name) {
        return std::any_of(modes.begin(), modes.end(), [&](const ModeRecipe& mode) { return mode.name == name; });
    };
    std::string name = taken(wanted) ? column + " " + wanted : wanted;
    for (unsigned n = 2; taken(name); ++n)
        name = fmt::format("{} {} {}", column, wanted, n);
    return name;
}

void addMode(std::vector<ModeRecipe>& modes, ModeRecipe mode)
{
    mode.name = freeName(mode.name, mode.column, modes);
    modes.push_back(std::move(mode));
}

std::vector<ModeRecipe> proposedModes(const std::vector<ColumnFacts>& columns, const std::string& value)
{
    std::vector<const ColumnFacts*> keys;
    for (const ColumnFacts& facts : columns) {
        if (facts.name != value && isCategory(facts))
            keys.push_back(&facts);
    }
    const auto rank = [](const ColumnFacts* facts) { return namesKey(facts->name) ? 0 : facts->kind == Kind::Text ? 1 : 2; };
    std::stable_sort(keys.begin(), keys.end(), [&](const ColumnFacts* a, const ColumnFacts* b) {
        return rank(a) != rank(b) ? rank(a) < rank(b) : rank(a) > 0 && a->distinct < b->distinct;
    });
    const auto time = std::find_if(columns.begin(), columns.end(), [&](const ColumnFacts& facts) {
        return facts.kind == Kind::Time && facts.name != value && facts.distinct > 1;
    });
    const bool hasTime = time != columns.end();
    const bool numbersHelp = keys.size() + (hasTime ? 1 : 0) < 3;
    std::erase_if(keys, [&](const ColumnFacts* facts) { return rank(facts) == 2 && hasTime && !numbersHelp; });
    if (keys.size() > mostProposedKeys)
        keys.resize(mostProposedKeys);
    // In the order of the file: that is how a person thinks of them.
    std::sort(keys.begin(), keys.end());
    std::vector<ModeRecipe> modes;
    for (const ColumnFacts* facts : keys)
        addMode(modes, waysToUse(*facts).front());
    if (hasTime) {
        for (const ModeRecipe& way : waysToUse(*time)) {
            const bool wanted =
                way.derive == waysToUse(*time).front().derive || (way.derive == Derive::Hour && time->hours > 2 && modes.size() < 3);
            if (wanted)
                addMode(modes, way);
        }
    }
    // Too few: numbers in bins make modes, too.
    for (const ColumnFacts& facts : columns) {
        if (modes.size() >= 2)
            break;
        const bool used = std::any_of(modes.begin(), modes.end(), [&](const ModeRecipe& mode) { return mode.column == facts.name; });
        if (!used && facts.name != value && facts.kind != Kind::Empty && !isConstant(facts))
            addMode(modes, waysToUse(facts).front());
    }
    return modes;
}

void propose(Survey& survey, const Recipe& chosen)
{
    Recipe& recipe = survey.proposal;
    const bool valueIsChosen = !chosen.value.empty() || !chosen.modes.empty() || chosen.countsRows || chosen.aggregate == Aggregate::Any;
    if (!valueIsChosen) {
        if (const ColumnFacts* value = valueColumn(survey.columns)) {
            recipe.value = value->name;
            if (chosen.aggregate == Aggregate::Count)
                recipe.aggregate = addsUp(value->name) ? Aggregate::Sum : Aggregate::Mean;
        }
    }
    recipe.countsRows = false;
    if (chosen.modes.empty())
        recipe.modes = proposedModes(survey.columns, recipe.value);
}

} // namespace

const char* kindWord(Kind kind)
{
    switch (kind) {
    case Kind::Empty:
        return "empty";
    case Kind::Whole:
        return "whole number";
    case Kind::Number:
        return "number";
    case Kind::Time:
        return "date or time";
    case Kind::Text:
        return "text";
    }
    return "";
}

bool addsUp(const std::string& column)
{
    const std::string name = lowerCase(column);
    return hasWord(name,
                   {"amount", "quantity", "qty", "count", "sales", "revenue", "total", "bytes", "packets", "volume", "visits", "clicks"});
}

std::vector<ModeRecipe> waysToUse(const ColumnFacts& facts)
{
    std::vector<ModeRecipe> ways;
    const auto add = [&](Derive derive, unsigned number = 0) {
        ModeRecipe mode;
        mode.column = facts.name;
        mode.derive = derive;
        mode.number = number;
        mode.name = derive == Derive::Text || derive == Derive::Fold || isOfNumber(derive) ? facts.name : std::string(deriveWord(derive));
        ways.push_back(std::move(mode));
    };
    if (facts.kind == Kind::Time && !facts.onlyClock) {
        const std::int64_t days = facts.lastDay - facts.firstDay;
        const Derive first = days > 730 ? Derive::YearMonth : days > 2 || facts.hours < 2 ? Derive::Date : Derive::DateHour;
        add(first);
        for (const Derive derive :
             {Derive::Hour, Derive::Weekday, Derive::Date, Derive::YearMonth, Derive::Month, Derive::YearWeek, Derive::Week,
              Derive::YearQuarter, Derive::Quarter, Derive::Year, Derive::Day, Derive::DateHour, Derive::Minute}) {
            if (derive != first)
                add(derive, derive == Derive::Minute ? 15 : 0);
        }
        add(Derive::Text);
        return ways;
    }
    if (facts.onlyClock && facts.kind == Kind::Time) {
        add(Derive::Hour);
        add(Derive::Minute, 15);
        add(Derive::Text);
        return ways;
    }
    const bool isNumber = facts.kind == Kind::Whole || facts.kind == Kind::Number;
    const bool many = facts.distinct > 100 && !namesKey(facts.name);
    if (facts.kind == Kind::Number || (facts.kind == Kind::Whole && many)) {
        add(Derive::Quantiles, 10);
        add(Derive::Bins, 10);
        if (facts.low > 0)
            add(Derive::LogBins, 10);
        add(Derive::Text);
        return ways;
    }
    add(Derive::Text);
    if (isNumber) {
        add(Derive::Bins, 10);
        add(Derive::Quantiles, 10);
        if (facts.low > 0)
            add(Derive::LogBins, 10);
    } else
        add(Derive::Fold);
    return ways;
}

Survey surveyTable(Reader& reader, const Recipe& chosen, kernels::Progress& progress)
{
    Survey survey;
    survey.proposal = chosen;
    survey.layout = reader.layout();
    std::vector<Looker> lookers;
    std::vector<std::size_t> all;
    for (const Column& column : reader.columns()) {
        all.push_back(lookers.size());
        lookers.emplace_back(column.name, column.type);
    }
    const std::size_t most = std::clamp<std::size_t>(mostCells / std::max<std::size_t>(1, lookers.size()), 20, mostRows);
    reader.watch(progress);
    reader.want(all);
    Rows rows;
    const auto look = [&](std::size_t limit) {
        reader.split(rows);
        auto ragged = rows.bad.begin();
        for (std::size_t row = 0; row < rows.count && survey.rows < limit; ++row) {
            if (ragged != rows.bad.end() && ragged->row == row) {
                ++ragged;
                continue;
            }
            ++survey.rows;
            if (survey.firstRows.size() < firstRowsKept) {
                std::vector<std::string>& copy = survey.firstRows.emplace_back();
                for (std::size_t c = 0; c < lookers.size(); ++c)
                    copy.push_back(asUtf8(rows.fields[c][row].substr(0, longestExample)));
            }
            for (std::size_t c = 0; c < lookers.size(); ++c)
                lookers[c].look(rows.fields[c][row], chosen.dialect);
        }
    };
    bool more = reader.take(rows);
    while (more && survey.rows < most / 2) {
        progress.throwIfCancelled();
        look(most / 2);
        more = reader.take(rows);
    }
    survey.isWhole = !more && survey.rows < most / 2;
    for (std::size_t place = 1; more && place < places; ++place) {
        progress.throwIfCancelled();
        rows.clear();
        if (!reader.sample(static_cast<double>(place) / places, rows))
            break;
        look(std::min(most, survey.rows + most / (2 * places)));
    }
    for (Looker& looker : lookers)
        survey.columns.push_back(looker.facts());
    survey.notes = reader.notes();
    survey.parts = reader.parts();
    propose(survey, chosen);
    return survey;
}

} // namespace io::table
