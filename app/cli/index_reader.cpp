// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/index_reader.h"

#include "kernels/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace cli {

IndexReader::IndexReader(const io::ModelFile& file)
    : m_file(file)
{
}

const std::vector<std::string>* IndexReader::labels(unsigned mode) const
{
    if (mode >= m_file.modes.size() || m_file.modes[mode].labels.empty())
        return nullptr;
    return &m_file.modes[mode].labels;
}

std::string IndexReader::name(unsigned mode) const
{
    const bool named = mode < m_file.modes.size() && !m_file.modes[mode].name.empty();
    return named ? fmt::format("mode {} ({})", mode + 1, m_file.modes[mode].name) : fmt::format("mode {}", mode + 1);
}

std::optional<kernels::Index> IndexReader::byLabel(unsigned mode, std::string_view text) const
{
    const auto* all = labels(mode);
    if (!all || text.empty())
        return {};
    if (const auto exact = std::find(all->begin(), all->end(), text); exact != all->end())
        return static_cast<kernels::Index>(exact - all->begin());
    const auto beginsSo = [text](const std::string& label) { return label.starts_with(text) && label[text.size()] == ' '; };
    const auto first = std::find_if(all->begin(), all->end(), beginsSo);
    if (first == all->end())
        return {};
    if (std::find_if(first + 1, all->end(), beginsSo) != all->end())
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {"several labels begin so", name(mode), fmt::format("\"{}\"", text), {}, "Write more of the label, or its index."});
    return static_cast<kernels::Index>(first - all->begin());
}

kernels::Index IndexReader::one(unsigned mode, const std::string& text) const
{
    const kernels::Index size = m_file.model.dims.at(mode);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size()) {
        if (number >= 1 && number <= size)
            return static_cast<kernels::Index>(number - 1);
    } else if (const auto index = byLabel(mode, text)) {
        return *index;
    }
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"there is no such index",
                          name(mode),
                          fmt::format("\"{}\"", text),
                          fmt::format("1 to {}{}", size, labels(mode) ? ", or a label" : ""),
                          {}});
}

unsigned IndexReader::mode(const std::string& text) const
{
    for (unsigned n = 0; n < order(); ++n)
        if (text == fmt::format("{}", n + 1) || (n < m_file.modes.size() && !text.empty() && m_file.modes[n].name == text))
            return n;
    throw kernels::Error(
        kernels::ErrorKind::BadArgument,
        {"there is no such mode", "--free", fmt::format("\"{}\"", text), fmt::format("1 to {}, or a mode's name", order()), {}});
}

std::string IndexReader::text(unsigned mode, kernels::Index index) const
{
    const auto* all = labels(mode);
    return all && index < all->size() ? (*all)[index] : fmt::format("{}", std::uint64_t{index} + 1);
}

} // namespace cli
