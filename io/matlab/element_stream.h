// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/input_stream.h"

#include <zlib.h>

#include <string>
#include <vector>

namespace io::matlab {

/// The bytes of one element of a file, unpacked where they are packed, from its beginning on.
class ElementStream {
public:
    /// Bytes [begin, begin + bytes) of the file.
    ElementStream(const std::string& path, std::uint64_t begin, std::uint64_t bytes, bool packed);
    ~ElementStream();
    ElementStream(const ElementStream&) = delete;
    ElementStream& operator=(const ElementStream&) = delete;

    void read(char* to, std::size_t size); ///< throws io::Error where the data ends before
    void skip(std::uint64_t size);
    std::uint64_t at() const { return m_at; }
    std::uint64_t mostBytes() const { return m_most; } ///< that it can possibly hold

private:
    std::size_t fromFile(char* to, std::size_t size);

    InputFile m_file;
    std::uint64_t m_begin, m_left, m_most, m_at = 0;
    bool m_packed;
    z_stream m_unpacker{};
    std::vector<char> m_buffer;
};

} // namespace io::matlab
