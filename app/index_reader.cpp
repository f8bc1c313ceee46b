// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/index_reader.h"

#include "kernels/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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
            {"several labels begin so", name(mode), fmt::format("\"{}\"", text), {}, "Write more of the label, or its index."});
    return found.empty() ? std::nullopt : std::optional(found.front());
}

kernels::Index IndexReader::one(unsigned mode, std::string_view text) const
{
    const kernels::Index size = m_dims.at(mode);
    std::uint64_t written = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), written);
    if (error == std::errc{} && end == text.data() + text.size() && written >= first(mode) && written - first(mode) < size)
        return static_cast<kernels::Index>(written - first(mode));
    if (const auto index = byLabel(mode, text))
        return *index;
    constexpr std::size_t longestShown = 60; // of a file that is no text a "word" may be all of it
    const bool cut = text.size() > longestShown;
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"there is no such index",
                          name(mode),
                          fmt::format("\"{}{}\"", text.substr(0, longestShown), cut ? "…" : ""),
                          fmt::format("{} to {}{}", first(mode), first(mode) + (size - 1), labels(mode) ? ", or a label" : ""),
                          {}});
}

unsigned IndexReader::mode(const std::string& text) const
{
    for (unsigned n = 0; n < order(); ++n)
        if (text == fmt::format("{}", n + 1) || (n < m_modes.size() && !text.empty() && m_modes[n].name == text))
            return n;
    throw kernels::Error(
        kernels::ErrorKind::BadArgument,
        {"there is no such mode", "--free", fmt::format("\"{}\"", text), fmt::format("1 to {}, or a mode's name", order()), {}});
}

std::string IndexReader::text(unsigned mode, kernels::Index index) const
{
    const auto* all = labels(mode);
    return all && index < all->size() ? (*all)[index] : fmt::format("{}", std::uint64_t{index} + first(mode));
}

} // namespace app
