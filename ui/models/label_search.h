// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>
#include <string_view>
#include <vector>

namespace ui {

/// Finds labels by any part of them, whatever the case: half a million in a few milliseconds. They are kept once more, in
/// small letters and in one piece, made at the first search.
class LabelSearch {
public:
    /// The labels must outlive it.
    explicit LabelSearch(const std::vector<std::string>& labels);

    /// Indices of labels that hold the text, at most so many: those that begin with it first, then by index.
    std::vector<unsigned> find(const QString& text, std::size_t most) const;
    /// The same for people to choose from: the text itself first, then as labels are sorted, numbers by their value.
    std::vector<unsigned> listed(const QString& text, std::size_t most) const;

private:
    void fold() const;
    std::size_t labelAt(std::size_t position) const;
    void collect(const std::string& pattern, std::size_t most, std::vector<unsigned>& found) const;

    const std::vector<std::string>& m_labels;
    mutable std::string m_folded; ///< "\nlabel\nlabel …\n"
    mutable std::vector<std::size_t> m_begins; ///< of each label's text in m_folded
};

} // namespace ui
