// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/text/layout.h"

#include <string>
#include <vector>

namespace io::text {

/// Header lines, blank ones and comments skipped, with the place for messages.
class HeaderReader {
public:
    HeaderReader(LineCursor& cursor, const std::string& fileName)
        : m_cursor(cursor)
        , m_fileName(fileName)
    {
    }

    bool nextLine(std::string_view&); ///< false: the file has ended
    bool next(Tokens&);
    Tokens require(const std::string& expected); ///< refuses a file that ends here
    std::vector<kernels::Index> dimensions(unsigned order); ///< a line of so many sizes
    std::uint64_t singleNumber(const std::string& what); ///< a line of one whole number

    /// Numbers that can be what they are read for.
    unsigned order(std::uint64_t) const;
    kernels::Index dimension(std::string_view token) const;
    kernels::Count entries(std::uint64_t) const;

    [[noreturn]] void refuse(const Fault& fault) const { refuseLine(m_fileName, m_cursor.line(), fault); }

private:
    static constexpr std::size_t keptTokens = kernels::maxOrder + 2;

    LineCursor& m_cursor;
    const std::string& m_fileName;
};

} // namespace io::text
