// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/label_search.h"

#include "ui/models/label_order.h"

#include <algorithm>

namespace ui {
namespace {

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string folded(const std::string& label)
{
    std::string text = label;
    if (std::any_of(label.begin(), label.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
        text = QString::fromStdString(label).toCaseFolded().toStdString();
    for (char& c : text)
        c = c == '\n' ? ' ' : small(c); // a line break parts labels
    return text;
}

} // namespace

LabelSearch::LabelSearch(const std::vector<std::string>& labels)
    : m_labels(labels)
{
}

void LabelSearch::fold() const
{
    if (!m_folded.empty())
        return;
    m_begins.reserve(m_labels.size());
    m_folded = '\n';
    for (const std::string& label : m_labels) {
        m_begins.push_back(m_folded.size());
        m_folded += folded(label);
        m_folded += '\n';
    }
}

std::size_t LabelSearch::labelAt(std::size_t position) const
{
    return static_cast<std::size_t>(std::upper_bound(m_begins.begin(), m_begins.end(), position) - m_begins.begin()) - 1;
}

/// Labels with the pattern that are not among them yet.
void LabelSearch::collect(const std::string& pattern, std::size_t most, std::vector<unsigned>& found) const
{
    const std::vector<unsigned> before = found; // ascending
    for (std::size_t at = m_folded.find(pattern); at != std::string::npos && found.size() < most;) {
        const std::size_t label = labelAt(pattern.front() == '\n' ? at + 1 : at);
        if (!std::binary_search(before.begin(), before.end(), static_cast<unsigned>(label)))
            found.push_back(static_cast<unsigned>(label));
        if (label + 1 == m_begins.size())
            return;
        at = m_folded.find(pattern, m_begins[label + 1] - 1); // each label once
    }
}

std::vector<unsigned> LabelSearch::find(const QString& text, std::size_t most) const
{
    fold();
    const std::string wanted = folded(text.trimmed().toStdString());
    std::vector<unsigned> found;
    if (wanted.empty())
        return found;
    collect('\n' + wanted, most, found);
    collect(wanted, most, found);
    return found;
}

std::vector<unsigned> LabelSearch::listed(const QString& text, std::size_t most) const
{
    constexpr std::size_t mostSorted = 4096; // of more hits any are as good: nobody looks through them
    std::vector<unsigned> found = find(text, std::max(most, mostSorted));
    const std::string wanted = folded(text.trimmed().toStdString());
    const auto rank = [&](const std::string& label) {
        const std::string small = folded(label);
        return small == wanted ? 0 : small.starts_with(wanted) ? 1 : 2;
    };
    std::vector<std::pair<int, unsigned>> order;
    for (const unsigned hit : found)
        order.emplace_back(rank(m_labels[hit]), hit);
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : standsBefore(m_labels[a.second], m_labels[b.second]);
    });
    found.clear();
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
        found.push_back(order[i].second);
    return found;
}

} // namespace ui
