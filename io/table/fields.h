// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace io::table {

/// The places of a separator, a line feed or a quote in a text, one after the other.
class Marks {
public:
    Marks(const char* begin, const char* end, char separator)
        : m_at(begin)
        , m_end(end)
        , m_separator(separator)
    {
    }

    /// The next one at or after `from`; null: no more. `from` never goes back.
    const char* next(const char* from)
    {
        if (m_block == nullptr || from >= m_block + 64)
            load(from);
        else
            m_bits &= ~std::uint64_t{0} << (from - m_block);
        while (m_bits == 0) {
            if (m_at >= m_end)
                return nullptr;
            load(m_at);
        }
        return m_block + std::countr_zero(m_bits);
    }

private:
    void load(const char* from)
    {
        m_block = from;
        const std::size_t left = from < m_end ? static_cast<std::size_t>(m_end - from) : 0;
        if (left >= 64) {
            m_bits = bitsOf(from);
        } else {
            char rest[64] = {};
            std::memcpy(rest, from, left);
            m_bits = bitsOf(rest) & ((std::uint64_t{1} << left) - 1);
        }
        m_at = from + (left < 64 ? left : 64);
    }

    std::uint64_t bitsOf(const char* p) const
    {
        std::uint64_t bits = 0;
#ifdef __SSE2__
        const __m128i separator = _mm_set1_epi8(m_separator), feed = _mm_set1_epi8('\n'), quote = _mm_set1_epi8('"');
        for (unsigned part = 0; part < 4; ++part) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * part));
            const __m128i any =
                _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, separator), _mm_cmpeq_epi8(bytes, feed)), _mm_cmpeq_epi8(bytes, quote));
            bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(any))) << (16 * part);
        }
#else
        for (unsigned i = 0; i < 64; ++i)
            bits |= std::uint64_t{p[i] == m_separator || p[i] == '\n' || p[i] == '"'} << i;
#endif
        return bits;
    }

    const char* m_block = nullptr;
    const char* m_at;
    const char* m_end;
    char m_separator;
    std::uint64_t m_bits = 0;
};

inline std::string_view withoutBlanks(std::string_view text)
{
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t'))
        text.remove_suffix(1);
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    return text;
}

/// Behind the quote that ends a field whose opening quote is at `quote`; null: it is never closed before `end`.
inline const char* behindQuoted(const char* quote, const char* end)
{
    for (const char* p = quote + 1; p < end;) {
        const auto* next = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
        if (!next)
            return nullptr;
        if (next + 1 == end || next[1] != '"')
            return next + 1;
        p = next + 2;
    }
    return nullptr;
}

/// What stands between the quotes, doubled ones once.
inline std::string unquoted(std::string_view inside)
{
    std::string text;
    text.reserve(inside.size());
    for (std::size_t i = 0; i < inside.size(); ++i) {
        text += inside[i];
        i += inside[i] == '"' && i + 1 < inside.size() && inside[i + 1] == '"';
    }
    return text;
}

/// Calls field(number, text, isQuoted) for each field and row(fields) at the end of each row of a text of whole rows. Separator ' ' is any
/// number of blanks and tabs. `keep` stores a text that is none of the file's own bytes. Empty lines are passed over.
template <class Field, class Row, class Keep>
void forEachRow(std::string_view text, char separator, const Field& field, const Row& row, const Keep& keep)
{
    const char* const end = text.data() + text.size();
    const bool blanks = separator == ' ';
    Marks marks(text.data(), end, separator);
    const char* begin = text.data(); // of the field
    std::size_t number = 0;
    const auto give = [&](std::string_view value, bool quoted) { field(number++, value, quoted); };
    const auto endRow = [&] {
        if (number > 0)
            row(number);
        number = 0;
    };
    const char* at = begin;
    while (begin < end) {
        while (blanks && begin < end && (*begin == ' ' || *begin == '\t'))
            ++begin;
        if (begin < end && *begin == '"') {
            const char* behind = behindQuoted(begin, end);
            if (!behind)
                behind = end; // the last row of a damaged file
            const std::string_view inside(begin + 1,
                                          static_cast<std::size_t>(behind - begin - (behind[-1] == '"' && behind > begin + 1 ? 2 : 1)));
            give(inside.find('"') == std::string_view::npos ? inside : keep(unquoted(inside)), true);
            at = behind;
            while (at < end && *at != '\n' && *at != separator && !(blanks && *at == '\t'))
                ++at; // what stands behind the quote belongs to nothing
            if (at >= end || *at == '\n')
                endRow();
            begin = at + 1;
            if (at < end && *at == separator && !blanks && begin >= end)
                give({}, false);
            continue;
        }
        if (blanks) {
            at = begin;
            while (at < end && *at != '\n' && *at != ' ' && *at != '\t')
                ++at;
        } else {
            at = marks.next(at > begin ? at : begin);
            while (at && *at == '"')
                at = marks.next(at + 1); // a quote within a field is a character as others
            if (!at)
                at = end;
        }
        const std::string_view value = withoutBlanks({begin, static_cast<std::size_t>(at - begin)});
        const bool endsRow = at >= end || *at == '\n';
        if (!(value.empty() && endsRow && (number == 0 || blanks)))
            give(value, false);
        if (endsRow)
            endRow();
        begin = at + 1;
        if (!endsRow && !blanks && begin >= end)
            give({}, false);
    }
    endRow();
}

} // namespace io::table
