// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/keys.h"

#include "io/error.h"
#include "io/labels.h"

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace io::table {
namespace {

constexpr std::size_t storeBlock = std::size_t{1} << 16;
constexpr const char* const weekdays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

std::int64_t weekdayOf(std::int64_t day) { return ((day + 3) % 7 + 7) % 7; } // 1970-01-01 was a Thursday; Monday is 0

/// The Thursday of a day's week: its year is the week's.
std::int64_t thursdayOf(std::int64_t day) { return day - weekdayOf(day) + 3; }

int weekOf(std::int64_t day)
{
    const std::int64_t thursday = thursdayOf(day);
    const std::int64_t newYear = dayOf({dateOf(thursday).year, 1, 1});
    return static_cast<int>((thursday - newYear) / 7) + 1;
}

/// One key of one thread.
struct Key {
    std::string_view text;
    double number = 0;
    std::uint32_t thread = 0, code = 0;
    std::uint64_t count = 0;
};

/// True where every key reads as a number, so that "9" and "9.0" are one and 10 comes after 9. Postal codes with leading zeros are none.
bool readNumbers(std::vector<Key>& keys, char decimal)
{
    for (Key& key : keys) {
        const auto number = hasLeadingZero(key.text) ? std::nullopt : numberOf(key.text, decimal);
        if (!number)
            return false;
        key.number = *number;
    }
    return true;
}

std::string labelOf(const Key& key, bool asNumber)
{
    if (!asNumber || (isWholeNumber(key.text) && key.number != 0)) // long numbers keep all their digits, "-0" is 0
        return asUtf8(key.text);
    return numberText(key.number);
}

tsl::robin_map<std::string_view, kernels::Index, TextHash> placesOf(const std::vector<std::string>& labels)
{
    tsl::robin_map<std::string_view, kernels::Index, TextHash> places;
    for (std::size_t i = 0; i < labels.size(); ++i)
        places.try_emplace(labels[i], static_cast<kernels::Index>(i));
    return places;
}

constexpr const char* replacement = "\xef\xbf\xbd"; // of bytes that are no UTF-8

/// A model may have "1.0" as a text or as the number 1, whatever else its table holds.
std::string knownLabelOf(const Key& key, bool asNumber, char decimal,
                         const tsl::robin_map<std::string_view, kernels::Index, TextHash>& known)
{
    std::string text = asUtf8(key.text);
    if (known.contains(text))
        return text;
    const auto number = hasLeadingZero(key.text) || isWholeNumber(key.text) ? std::nullopt : numberOf(key.text, decimal);
    std::string asRead = number ? numberText(*number) : text;
    return known.contains(asRead) ? asRead : labelOf(key, asNumber);
}

/// Which distinct labels stay: the most frequent, of equally frequent ones the first.
std::vector<bool> frequentOnes(const std::vector<std::uint64_t>& counts, unsigned top)
{
    std::vector<bool> stays(counts.size(), true);
    if (top == 0 || counts.size() <= top)
        return stays;
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
    for (std::size_t i = top; i < order.size(); ++i)
        stays[order[i]] = false;
    return stays;
}

/// Distinct labels in their order, with the keys that have them, become indices: known ones keep theirs.
class Placer {
public:
    Placer(const ModeRecipe& recipe, const std::vector<std::string>& known)
        : m_recipe(recipe)
        , m_known(known)
    {
        m_merged.labels = known;
    }

    MergedKeys place(const std::vector<std::string>& labels, const std::vector<std::size_t>& labelOfKey, const std::vector<Key>& keys,
                     std::size_t threads, const std::vector<std::size_t>& keysOfThread)
    {
        std::vector<std::uint64_t> counts(labels.size());
        for (std::size_t k = 0; k < keys.size(); ++k)
            counts[labelOfKey[k]] += keys[k].count;
        const auto places = placesOf(m_known);
        const bool hasOther = places.contains(otherLabel);
        const std::vector<bool> stays = m_known.empty() ? frequentOnes(counts, m_recipe.top) : std::vector<bool>(labels.size(), true);
        std::vector<kernels::Index> index(labels.size());
        bool others = false;
        for (std::size_t l = 0; l < labels.size(); ++l) {
            if (const auto at = places.find(labels[l]); at != places.end())
                index[l] = at->second;
            else if (hasOther)
                index[l] = places.at(otherLabel);
            else if (stays[l])
                index[l] = add(labels[l]);
            else
                others = true;
        }
        if (others) {
            const auto same = std::find(labels.begin(), labels.end(), otherLabel);
            const bool isTaken = same != labels.end() && stays[static_cast<std::size_t>(same - labels.begin())];
            const kernels::Index other = isTaken ? index[static_cast<std::size_t>(same - labels.begin())] : add(otherLabel);
            for (std::size_t l = 0; l < labels.size(); ++l)
                if (!stays[l])
                    index[l] = other;
        }
        m_merged.indices.resize(threads);
        for (std::size_t t = 0; t < threads; ++t)
            m_merged.indices[t].resize(keysOfThread[t]);
        for (std::size_t k = 0; k < keys.size(); ++k)
            m_merged.indices[keys[k].thread][keys[k].code] = index[labelOfKey[k]];
        return std::move(m_merged);
    }

private:
    kernels::Index add(std::string label)
    {
        if (m_merged.labels.size() >= std::numeric_limits<kernels::Index>::max())
            throw Error({"has more distinct values than a mode can have", "column " + m_recipe.column, {}, {}, "Use fewer rows or bins."});
        m_merged.labels.push_back(std::move(label));
        return static_cast<kernels::Index>(m_merged.labels.size() - 1);
    }

    const ModeRecipe& m_recipe;
    const std::vector<std::string>& m_known;
    MergedKeys m_merged;
};

} // namespace

std::string_view TextStore::keep(std::string_view text)
{
    if (text.empty())
        return {"", 0};
    if (m_used + text.size() > m_size) {
        m_size = std::max(storeBlock, text.size());
        m_blocks.push_back(std::make_unique_for_overwrite<char[]>(m_size));
        m_used = 0;
        m_bytes += m_size;
    }
    char* const at = m_blocks.back().get() + m_used;
    std::memcpy(at, text.data(), text.size());
    m_used += text.size();
    return {at, text.size()};
}

std::int64_t keyOfTime(const Time& time, const ModeRecipe& recipe)
{
    switch (recipe.derive) {
    case Derive::Weekday:
        return weekdayOf(time.day);
    case Derive::Hour:
        return time.second / 3600;
    case Derive::Minute:
        return time.second / 60 / static_cast<std::int32_t>(std::max(1u, recipe.number))
            * static_cast<std::int32_t>(std::max(1u, recipe.number));
    case Derive::Date:
        return time.day;
    case Derive::DateHour:
        return time.day * 24 + time.second / 3600;
    case Derive::Week:
        return weekOf(time.day);
    case Derive::YearWeek:
        return thursdayOf(time.day);
    default:
        break;
    }
    const Date date = dateOf(time.day);
    switch (recipe.derive) {
    case Derive::Year:
        return date.year;
    case Derive::Quarter:
        return (date.month - 1) / 3 + 1;
    case Derive::Month:
        return date.month;
    case Derive::YearQuarter:
        return date.year * 4 + static_cast<int>((date.month - 1) / 3);
    case Derive::YearMonth:
        return date.year * 12 + static_cast<int>(date.month - 1);
    default:
        return date.day;
    }
}

std::string labelOfTime(std::int64_t key, const ModeRecipe& recipe)
{
    const auto dateText = [](std::int64_t day) {
        const Date date = dateOf(day);
        return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
    };
    switch (recipe.derive) {
    case Derive::Weekday:
        return weekdays[key];
    case Derive::Minute:
        return fmt::format("{:02}:{:02}", key / 60, key % 60);
    case Derive::Date:
        return dateText(key);
    case Derive::DateHour: {
        const std::int64_t hour = (key % 24 + 24) % 24;
        return fmt::format("{} {:02}:00", dateText((key - hour) / 24), hour);
    }
    case Derive::YearQuarter:
        return fmt::format("{:04}-Q{}", key / 4, key % 4 + 1);
    case Derive::YearMonth:
        return fmt::format("{:04}-{:02}", key / 12, key % 12 + 1);
    case Derive::YearWeek:
        return fmt::format("{:04}-W{:02}", dateOf(key).year, weekOf(key));
    default:
        return fmt::format("{}", key);
    }
}

std::uint32_t binOf(double number, const std::vector<double>& edges)
{
    const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, number);
    return static_cast<std::uint32_t>(above - edges.begin() - 1);
}

namespace {

/// As many digits as tell an edge from its neighbours, at least six.
std::string textOfEdge(std::size_t at, const std::vector<double>& edges)
{
    const auto text = [&edges](std::size_t edge, int digits) { return fmt::format("{:.{}g}", edges[edge], digits); };
    int digits = 6;
    for (const std::size_t lower : {at - 1, at}) { // at - 1 wraps for the first edge and is skipped
        while (lower + 1 < edges.size() && lower < edges.size() && digits < 17 && text(lower, digits) == text(lower + 1, digits))
            ++digits;
    }
    return text(at, digits);
}

} // namespace

std::string labelOfBin(std::size_t bin, const std::vector<double>& edges)
{
    return textOfEdge(bin, edges) + " to " + textOfEdge(bin + 1, edges);
}

std::vector<double> edgesOf(const ModeRecipe& recipe, kernels::Array<double> numbers)
{
    const unsigned bins = std::max(1u, recipe.number);
    if (numbers.empty())
        return {0, 1};
    if (recipe.derive == Derive::Quantiles) {
        tbb::parallel_sort(numbers.begin(), numbers.end());
        std::vector<double> edges{numbers.front()};
        for (unsigned b = 1; b < bins; ++b) {
            const double edge = numbers[static_cast<std::size_t>(static_cast<double>(numbers.size()) * b / bins)];
            if (edge > edges.back())
                edges.push_back(edge);
        }
        if (edges.size() == 1 || numbers.back() > edges.back())
            edges.push_back(std::max(numbers.back(), std::nextafter(edges.back(), std::numeric_limits<double>::infinity())));
        return edges;
    }
    auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    double from = *low, to = *high;
    const bool isLog = recipe.derive == Derive::LogBins;
    if (isLog && from <= 0)
        throw Error({"logarithmic bins need numbers above 0",
                     "column " + recipe.column,
                     numberText(from),
                     {},
                     "Use equal bins or quantiles, or leave such rows out by a filter."});
    if (isLog) {
        from = std::log(from);
        to = std::log(to);
    }
    if (!(to > from))
        to = std::max(from + 1, std::nextafter(from, std::numeric_limits<double>::infinity()));
    std::vector<double> edges;
    for (unsigned b = 0; b <= bins; ++b) {
        const double inside = std::lerp(from, to, static_cast<double>(b) / bins);
        const double edge = isLog ? std::exp(inside) : inside;
        if (edges.empty() || edge > edges.back())
            edges.push_back(edge);
    }
    return edges;
}

MergedKeys mergeTexts(const std::vector<const TextKeys*>& threads, const ModeRecipe& recipe, char decimal,
                      const std::vector<std::string>& known)
{
    std::vector<Key> keys;
    std::vector<std::size_t> keysOfThread;
    for (std::size_t t = 0; t < threads.size(); ++t) {
        const auto& texts = threads[t]->texts();
        keysOfThread.push_back(texts.size());
        for (std::size_t c = 0; c < texts.size(); ++c)
            keys.push_back({texts[c], 0, static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(c), threads[t]->counts()[c]});
    }
    const bool asNumbers = readNumbers(keys, decimal);
    if (asNumbers)
        tbb::parallel_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
            if (a.number != b.number)
                return a.number < b.number;
            return a.text.size() != b.text.size() ? a.text.size() < b.text.size() : a.text < b.text;
        });
    else
        tbb::parallel_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.text < b.text; });
    std::vector<std::string> labels;
    std::vector<std::size_t> labelOfKey(keys.size());
    const auto knownPlaces = placesOf(known);
    // Keys of one label are neighbours, unless labels are known ones or bytes were replaced.
    tsl::robin_map<std::string, std::size_t> scattered;
    kernels::Count replaced = 0, mixedUp = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
        std::string label = known.empty() ? labelOf(keys[k], asNumbers) : knownLabelOf(keys[k], asNumbers, decimal, knownPlaces);
        const bool isScattered = !known.empty() || (!asNumbers && label.find(replacement) != std::string::npos);
        if (isScattered) {
            const auto [at, isNew] = scattered.try_emplace(label, labels.size());
            if (!isUtf8(keys[k].text) && (k == 0 || keys[k].text != keys[k - 1].text)) { // threads have some texts in common
                ++replaced;
                mixedUp += !isNew;
            }
            if (isNew)
                labels.push_back(std::move(label));
            labelOfKey[k] = at->second;
            continue;
        }
        if (labels.empty() || labels.back() != label)
            labels.push_back(std::move(label));
        labelOfKey[k] = labels.size() - 1;
    }
    MergedKeys merged = Placer(recipe, known).place(labels, labelOfKey, keys, threads.size(), keysOfThread);
    merged.replaced = replaced;
    merged.mixedUp = mixedUp;
    return merged;
}

MergedKeys mergeTimes(const std::vector<const NumberKeys*>& threads, const ModeRecipe& recipe, const std::vector<std::string>& known)
{
    struct Numbered {
        std::int64_t number;
        Key key;
    };
    std::vector<Numbered> all;
    std::vector<std::size_t> keysOfThread;
    for (std::size_t t = 0; t < threads.size(); ++t) {
        const auto& numbers = threads[t]->numbers();
        keysOfThread.push_back(numbers.size());
        for (std::size_t c = 0; c < numbers.size(); ++c)
            all.push_back({numbers[c], {{}, 0, static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(c), threads[t]->counts()[c]}});
    }
    std::sort(all.begin(), all.end(), [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
    std::vector<std::string> labels;
    std::vector<std::size_t> labelOfKey(all.size());
    std::vector<Key> keys(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (k == 0 || all[k].number != all[k - 1].number)
            labels.push_back(labelOfTime(all[k].number, recipe));
        labelOfKey[k] = labels.size() - 1;
        keys[k] = all[k].key;
    }
    return Placer(recipe, known).place(labels, labelOfKey, keys, threads.size(), keysOfThread);
}

} // namespace io::table
