// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/index_reader.h"

#include "app/label_text.h"
#include "kernels/base/error.h"
#include "kernels/base/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace app {

IndexReader::IndexReader(const std::vector<kernels::Index>& dims, const std::vector<kernels::Mode>& modes, std::vector<unsigned> first)
    : m_dims(dims)
    , m_modes(modes)
    , m_first(std::move(first))
{
}

void IndexReader::prepareForMany()
{
    m_sorted.assign(order(), {});
    m_labelNumbers.clear();
    for (unsigned n = 0; n < order(); ++n)
        m_labelNumbers.push_back(countLabelNumbers(n));
    for (unsigned n = 0; n < order(); ++n) {
        const auto* all = labels(n);
        if (!all)
            continue;
        m_sorted[n].resize(all->size());
        std::iota(m_sorted[n].begin(), m_sorted[n].end(), kernels::Index{0});
        std::stable_sort(m_sorted[n].begin(), m_sorted[n].end(), [all](auto a, auto b) { return (*all)[a] < (*all)[b]; });
    }
}

const std::vector<std::string>* IndexReader::labels(unsigned mode) const
{
    if (mode >= m_modes.size() || m_modes[mode].labels.empty())
        return nullptr;
    return &m_modes[mode].labels;
}

std::string IndexReader::name(unsigned mode) const
{
    const bool named = mode < m_modes.size() && !m_modes[mode].name.empty();
    return named ? fmt::format("mode {} ({})", mode + 1, m_modes[mode].name) : fmt::format("mode {}", mode + 1);
}

/// Two labels at most that begin with the text: who asks wants to know whether there is one.
std::vector<kernels::Index> IndexReader::beginningWith(unsigned mode, std::string_view text) const
{
    const std::vector<std::string>& all = *labels(mode);
    std::vector<kernels::Index> found;
    if (m_sorted.empty()) {
        for (std::size_t i = 0; i < all.size() && found.size() < 2; ++i)
            if (all[i].starts_with(text))
                found.push_back(static_cast<kernels::Index>(i));
        return found;
    }
    const std::vector<kernels::Index>& sorted = m_sorted[mode];
    auto at = std::lower_bound(sorted.begin(), sorted.end(), text, [&](kernels::Index i, std::string_view t) { return all[i] < t; });
    for (; at != sorted.end() && found.size() < 2 && all[*at].starts_with(text); ++at)
        found.push_back(*at);
    return found;
}

std::optional<kernels::Index> IndexReader::byLabel(unsigned mode, std::string_view text) const
{
    const auto* all = labels(mode);
    if (!all || text.empty())
        return {};
    if (m_sorted.empty()) {
        if (const auto exact = std::find(all->begin(), all->end(), text); exact != all->end())
            return static_cast<kernels::Index>(exact - all->begin());
    } else if (const auto first = beginningWith(mode, text); !first.empty() && (*all)[first.front()] == text) {
        return first.front(); // of a text and what continues it the text itself is sorted first
    }
    const std::vector<kernels::Index> found = beginningWith(mode, std::string(text) + ' ');
    if (found.size() > 1)
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {"several labels begin so", name(mode), fmt::format("\"{}\"", text), {}, "Write more of the label, or # and its index."});
    return found.empty() ? std::nullopt : std::optional(found.front());
}

IndexReader::LabelNumbers IndexReader::countLabelNumbers(unsigned mode) const
{
    const auto* all = labels(mode);
    if (!all)
        return LabelNumbers::None;
    const auto numbers = static_cast<std::size_t>(
        std::count_if(all->begin(), all->end(), [](const std::string& label) { return numberIn(firstWord(label)).has_value(); }));
    return numbers == 0 ? LabelNumbers::None : 2 * numbers < all->size() ? LabelNumbers::Few : LabelNumbers::Most;
}

IndexReader::LabelNumbers IndexReader::labelNumbers(unsigned mode) const
{
    return m_labelNumbers.empty() ? countLabelNumbers(mode) : m_labelNumbers[mode];
}

std::optional<kernels::Index> IndexReader::numbered(unsigned mode, std::string_view digits) const
{
    const auto number = wholeNumber(digits);
    if (!number || *number < first(mode) || *number - first(mode) >= m_dims.at(mode))
        return {};
    return static_cast<kernels::Index>(*number - first(mode));
}

IndexReader::Meaning IndexReader::meaning(unsigned mode, std::string_view text) const
{
    const auto number = numbered(mode, text);
    if (const auto label = byLabel(mode, text))
        return {*label, number && *number != *label ? Doubt::AlsoIndex : Doubt::None};
    if (text.starts_with('#'))
        if (const auto index = numbered(mode, text.substr(1)))
            return {*index, Doubt::None};
    const bool isNumber = wholeNumber(text).has_value();
    const LabelNumbers numbers = isNumber ? labelNumbers(mode) : LabelNumbers::None;
    if (!number || numbers == LabelNumbers::Most)
        refuse(mode, text, numbers == LabelNumbers::Most);
    return {*number, numbers == LabelNumbers::Few ? Doubt::FewNumbers : Doubt::None};
}

/// amongNumbers: the text is a number, and so are the labels.
void IndexReader::refuse(unsigned mode, std::string_view text, bool amongNumbers) const
{
    constexpr std::size_t longestShown = 60; // of a file that is no text a "word" may be all of it
    const bool cut = text.size() > longestShown;
    const std::string shown = fmt::format("\"{}{}\"", text.substr(0, longestShown), cut ? "…" : "");
    const std::uint64_t last = std::uint64_t{first(mode)} + (m_dims.at(mode) - 1);
    const std::string near = cut ? std::string() : nearestLabel(mode, text, amongNumbers);
    const std::string meant = near.empty() ? std::string() : fmt::format("Did you mean {}?", near);
    if (amongNumbers)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"there is no such label", name(mode), shown, fmt::format("a label, or #{} to #{}", first(mode), last),
                              !meant.empty()             ? meant
                                  : numbered(mode, text) ? fmt::format("Write #{} to mean index {}.", text, text)
                                                         : ""});
    throw kernels::Error(
        kernels::ErrorKind::BadArgument,
        {labels(mode) && !wholeNumber(text.substr(text.starts_with('#') ? 1 : 0)) ? "there is no such label" : "there is no such index",
         name(mode), shown, fmt::format("{} to {}{}", first(mode), last, labels(mode) ? ", or a label" : ""), meant});
}

/// What a person may have meant: the label that is the same number, or one with few slips. Empty: none is near.
std::string IndexReader::nearestLabel(unsigned mode, std::string_view text, bool amongNumbers) const
{
    const auto* all = labels(mode);
    if (!all || text.empty())
        return {};
    if (const auto number = numberIn(text)) {
        const auto same = std::find_if(all->begin(), all->end(), [&](const std::string& label) { return numberIn(label) == number; });
        return same == all->end() ? std::string() : *same;
    }
    return amongNumbers ? std::string() : kernels::nearestName(text, *all);
}

std::string IndexReader::note(unsigned mode, std::string_view text, const Meaning& meaning) const
{
    switch (meaning.doubt) {
    case Doubt::None:
        break;
    case Doubt::AlsoIndex:
        return fmt::format("\"{}\" was read as the label in {}, which has index {}. Write #{} to mean index {}.", text, name(mode),
                           std::uint64_t{meaning.index} + first(mode), text, text);
    case Doubt::FewNumbers:
        return fmt::format("\"{}\" is no label in {} and was read as index {}. Some labels there are numbers.", text, name(mode), text);
    }
    return {};
}

unsigned IndexReader::mode(const std::string& text) const
{
    for (unsigned n = 0; n < std::min<std::size_t>(order(), m_modes.size()); ++n)
        if (!text.empty() && m_modes[n].name == text)
            return n;
    const auto number = wholeNumber(std::string_view(text).substr(text.starts_with('#') ? 1 : 0));
    if (number && *number >= 1 && *number <= order())
        return static_cast<unsigned>(*number - 1);
    throw kernels::Error(
        kernels::ErrorKind::BadArgument,
        {"there is no such mode", "--free", fmt::format("\"{}\"", text), fmt::format("1 to {}, or a mode's name", order()), {}});
}

std::string IndexReader::text(unsigned mode, kernels::Index index) const
{
    const auto* all = labels(mode);
    if (all && index < all->size())
        return (*all)[index];
    return fmt::format("{}{}", all ? "#" : "", std::uint64_t{index} + first(mode));
}

std::string IndexReader::written(unsigned mode, kernels::Index index) const
{
    const auto* all = labels(mode);
    if (!all)
        return text(mode, index);
    const bool isLine = index < all->size() && (*all)[index].find_first_of("\n\r") == std::string::npos;
    if (isLine && byLabel(mode, (*all)[index]) == index) // not where another row before it is called the same
        return quotedWhereNeeded((*all)[index]);
    return fmt::format("#{}", std::uint64_t{index} + first(mode));
}

} // namespace app
