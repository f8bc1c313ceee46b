// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/rows.h"

#include <algorithm>

namespace io::table {

/// Copies many short texts into a block of rows with few allocations.
class KeptText {
public:
    explicit KeptText(Rows& rows)
        : m_rows(rows)
    {
    }

    /// Never null, even where the text is empty.
    std::string_view keep(std::string_view text)
    {
        if (!m_chunk || m_chunk->capacity() - m_chunk->size() < text.size()) {
            m_chunk = &m_rows.texts.emplace_back();
            m_chunk->reserve(std::max(chunkBytes, text.size())); // so that it never moves
        }
        const std::size_t at = m_chunk->size();
        m_chunk->append(text);
        m_bytes += text.size();
        return {m_chunk->data() + at, text.size()};
    }
    std::size_t bytes() const { return m_bytes; }

private:
    static constexpr std::size_t chunkBytes = std::size_t{64} << 10;
    Rows& m_rows;
    std::string* m_chunk = nullptr;
    std::size_t m_bytes = 0;
};

} // namespace io::table
