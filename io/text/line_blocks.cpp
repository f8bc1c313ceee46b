// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/line_blocks.h"

#include <cstring>

namespace io::text {
namespace {

/// Sixteen indices and a value need some 300 bytes; this leaves room for comments.
constexpr std::size_t longestLine = std::size_t{8} << 20;
constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";

} // namespace

LineBlocks::LineBlocks(InputStream& stream, std::size_t blockBytes)
    : m_stream(stream)
    , m_blockBytes(blockBytes)
{
}

bool LineBlocks::next(LineBlock& block)
{
    kernels::Array<char>& bytes = block.bytes;
    bytes.assign(m_carry.begin(), m_carry.end()); // keeps the memory of a block that comes again
    m_carry.clear();
    block.lineTooLong = false;
    std::size_t lineEnd = 0; // one past the last line feed
    while (!m_ended && lineEnd == 0) {
        const std::size_t old = bytes.size();
        const std::size_t wanted = old < m_blockBytes ? m_blockBytes - old : m_blockBytes;
        bytes.resize(old + wanted);
        const std::size_t got = m_stream.read(bytes.data() + old, wanted);
        bytes.resize(old + got);
        m_ended = got < wanted;
        if (const void* last = memrchr(bytes.data(), '\n', bytes.size()))
            lineEnd = static_cast<std::size_t>(static_cast<const char*>(last) - bytes.data()) + 1;
        else if (bytes.size() > longestLine) {
            block.lineTooLong = true;
            return true;
        }
    }
    if (m_first && std::string_view(bytes.data(), bytes.size()).starts_with(byteOrderMark)) {
        bytes.erase(bytes.begin(), bytes.begin() + byteOrderMark.size());
        lineEnd -= lineEnd ? byteOrderMark.size() : 0;
    }
    m_first = false;
    if (bytes.empty())
        return false;
    if (m_ended) {
        if (bytes.back() != '\n')
            bytes.push_back('\n');
        return true;
    }
    m_carry.assign(bytes.begin() + static_cast<std::ptrdiff_t>(lineEnd), bytes.end());
    bytes.resize(lineEnd);
    return true;
}

void LineBlocks::unread(std::string_view bytes) { m_carry.insert(m_carry.begin(), bytes.begin(), bytes.end()); }

LineCursor::~LineCursor()
{
    if (m_position < m_block.bytes.size())
        m_blocks.unread({m_block.bytes.data() + m_position, m_block.bytes.size() - m_position});
}

bool LineCursor::next(std::string_view& line)
{
    if (m_position == m_block.bytes.size()) {
        m_position = m_previous = 0;
        m_block.bytes.clear();
        if (!m_blocks.next(m_block)) {
            m_block.bytes.clear();
            return false;
        }
    }
    const char* begin = m_block.bytes.data() + m_position;
    const std::size_t left = m_block.bytes.size() - m_position;
    const void* end = std::memchr(begin, '\n', left);
    const std::size_t length = end ? static_cast<std::size_t>(static_cast<const char*>(end) - begin) : left;
    m_previous = m_position;
    m_position += end ? length + 1 : length;
    ++m_line;
    line = {begin, length};
    return true;
}

void LineCursor::putBack()
{
    m_position = m_previous;
    --m_line;
}

} // namespace io::text
