// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/input_stream.h"
#include "kernels/base/array.h"

#include <cstdint>
#include <string_view>

namespace io::text {

/// Whole lines; the last byte is a line feed, added where the file lacks its last one.
struct LineBlock {
    kernels::Array<char> bytes;
    bool lineTooLong = false; ///< `bytes` is the start of a line that nobody wrote on purpose
};

/// Cuts a stream into blocks at line ends. One thread.
class LineBlocks {
public:
    explicit LineBlocks(InputStream& stream, std::size_t blockBytes = std::size_t{1} << 20);

    bool next(LineBlock&); ///< false: the data has ended
    /// Puts bytes back in front of what comes next (whole lines only).
    void unread(std::string_view);
    const InputStream& stream() const { return m_stream; }

private:
    InputStream& m_stream;
    std::size_t m_blockBytes;
    kernels::Array<char> m_carry; // the start of a line whose end was not read yet
    bool m_ended = false;
    bool m_first = true;
};

/// The lines of the beginning, one by one, until the layout is known.
class LineCursor {
public:
    explicit LineCursor(LineBlocks& blocks)
        : m_blocks(blocks)
    {
    }
    ~LineCursor();
    LineCursor(const LineCursor&) = delete;
    LineCursor& operator=(const LineCursor&) = delete;

    /// The next line without its end, valid until the following call; false: no more.
    bool next(std::string_view& line);
    void putBack(); ///< the last line comes again; its number too
    std::uint64_t line() const { return m_line; } ///< number of the last line, from 1
    bool lineTooLong() const { return m_block.lineTooLong; }

private:
    LineBlocks& m_blocks;
    LineBlock m_block;
    std::size_t m_position = 0, m_previous = 0;
    std::uint64_t m_line = 0;
};

} // namespace io::text
