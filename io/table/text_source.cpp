// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/text_source.h"

#include "io/error.h"
#include "io/labels.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace io::table {
namespace {

constexpr std::size_t lookedAt = std::size_t{256} << 10;
constexpr std::size_t convertedAtOnce = std::size_t{1} << 20;

void append(std::string& text, std::uint32_t point)
{
    if (point < 0x80)
        text += static_cast<char>(point);
    else if (point < 0x800) {
        text += static_cast<char>(0xc0 | (point >> 6));
        text += static_cast<char>(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        text += static_cast<char>(0xe0 | (point >> 12));
        text += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
        text += static_cast<char>(0x80 | (point & 0x3f));
    } else {
        text += static_cast<char>(0xf0 | (point >> 18));
        text += static_cast<char>(0x80 | ((point >> 12) & 0x3f));
        text += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
        text += static_cast<char>(0x80 | (point & 0x3f));
    }
}

/// Windows-1252, which browsers read for Latin-1, too: 0x80 to 0x9f are printable there.
constexpr std::uint16_t windows1252[32] = {0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
                                           0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
                                           0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};

void appendLatin(std::string& to, std::string_view from)
{
    for (const char c : from) {
        const auto byte = static_cast<unsigned char>(c);
        append(to, byte >= 0x80 && byte < 0xa0 ? windows1252[byte - 0x80] : byte);
    }
}

/// Whole units of UTF-16; what is left over is returned.
std::size_t appendUtf16(std::string& to, std::string_view from, bool bigEndian, bool isLast)
{
    const auto unit = [&](std::size_t at) -> std::uint32_t {
        const auto a = static_cast<unsigned char>(from[at]), b = static_cast<unsigned char>(from[at + 1]);
        return bigEndian ? (std::uint32_t{a} << 8) | b : (std::uint32_t{b} << 8) | a;
    };
    std::size_t at = 0;
    while (at + 2 <= from.size()) {
        const std::uint32_t first = unit(at);
        if (first < 0xd800 || first >= 0xe000) {
            append(to, first);
            at += 2;
            continue;
        }
        if (at + 4 > from.size() && !isLast)
            break;
        const std::uint32_t second = at + 4 <= from.size() ? unit(at + 2) : 0;
        const bool pair = first < 0xdc00 && second >= 0xdc00 && second < 0xe000;
        append(to, pair ? 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00) : 0xfffd);
        at += pair ? 4 : 2;
    }
    return from.size() - at;
}

/// UTF-16 without a mark: every other byte of plain text is 0.
std::string utf16ByZeros(std::string_view bytes)
{
    std::size_t zeros[2] = {0, 0};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        zeros[i % 2] += bytes[i] == '\0';
    const std::size_t half = bytes.size() / 2;
    if (half > 8 && zeros[1] > half * 7 / 10 && zeros[0] < half / 10)
        return "utf-16le";
    if (half > 8 && zeros[0] > half * 7 / 10 && zeros[1] < half / 10)
        return "utf-16be";
    return {};
}

/// Cut at a whole character: a block may end within one.
std::string_view wholeCharacters(std::string_view bytes)
{
    std::size_t end = bytes.size();
    for (unsigned back = 0; back < 3 && end > 0 && (static_cast<unsigned char>(bytes[end - 1]) & 0xc0) == 0x80; ++back)
        --end;
    return end > 0 && static_cast<unsigned char>(bytes[end - 1]) >= 0xc0 ? bytes.substr(0, end - 1) : bytes;
}

} // namespace

TextSource::TextSource(const std::string& path, const std::string& encoding)
    : m_stream(path)
    , m_encoding(encoding)
{
    m_raw.resize(lookedAt);
    m_raw.resize(m_stream.read(m_raw.data(), m_raw.size()));
    findEncoding();
}

void TextSource::findEncoding()
{
    const std::string_view head = m_raw;
    const bool little = head.starts_with("\xff\xfe"), big = head.starts_with("\xfe\xff"), marked = head.starts_with("\xef\xbb\xbf");
    if (m_encoding.empty()) {
        m_encoding = little ? "utf-16le" : big ? "utf-16be" : utf16ByZeros(head);
        if (m_encoding.empty())
            m_encoding = isUtf8(head.size() == lookedAt ? wholeCharacters(head) : head) ? "utf-8" : "latin-1";
    }
    if (m_encoding != "utf-8" && m_encoding != "latin-1" && m_encoding != "utf-16le" && m_encoding != "utf-16be")
        throw Error({"this encoding is not read", fileNameOf(m_stream.path()), m_encoding, "utf-8, utf-16le, utf-16be or latin-1", {}});
    m_rawUsed = m_encoding == "utf-8" && marked ? 3 : (m_encoding == "utf-16le" && little) || (m_encoding == "utf-16be" && big) ? 2 : 0;
}

bool TextSource::convertMore()
{
    std::string raw = std::move(m_half);
    m_half.clear();
    if (m_rawUsed < m_raw.size()) {
        raw.append(m_raw, m_rawUsed);
        m_rawUsed = m_raw.size();
    }
    const std::size_t old = raw.size();
    raw.resize(old + convertedAtOnce);
    raw.resize(old + m_stream.read(raw.data() + old, convertedAtOnce));
    if (raw.empty())
        return false;
    const bool isLast = raw.size() < old + convertedAtOnce;
    m_converted.clear();
    m_convertedUsed = 0;
    if (m_encoding == "latin-1")
        appendLatin(m_converted, raw);
    else {
        const std::size_t left = appendUtf16(m_converted, raw, m_encoding == "utf-16be", isLast);
        if (!isLast)
            m_half.assign(raw.end() - static_cast<std::ptrdiff_t>(left), raw.end());
    }
    return !m_converted.empty();
}

std::size_t TextSource::readUtf8(char* to, std::size_t size)
{
    std::size_t done = 0;
    if (m_encoding == "utf-8") {
        done = std::min(size, m_raw.size() - m_rawUsed);
        std::memcpy(to, m_raw.data() + m_rawUsed, done);
        m_rawUsed += done;
        return done + (done < size ? m_stream.read(to + done, size - done) : 0);
    }
    while (done < size) {
        if (m_convertedUsed == m_converted.size() && !convertMore())
            break;
        const std::size_t some = std::min(size - done, m_converted.size() - m_convertedUsed);
        std::memcpy(to + done, m_converted.data() + m_convertedUsed, some);
        m_convertedUsed += some;
        done += some;
    }
    return done;
}

std::size_t TextSource::read(char* to, std::size_t size)
{
    const std::size_t done = readUtf8(to, size);
    const std::string_view text(to, done);
    if (!m_endsLinesByCr)
        m_endsLinesByCr = text.find('\r') != std::string_view::npos && text.find('\n') == std::string_view::npos;
    if (*m_endsLinesByCr)
        std::replace(to, to + done, '\r', '\n');
    return done;
}

} // namespace io::table
