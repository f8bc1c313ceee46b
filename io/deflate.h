// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

struct isal_zstream;

namespace io {

/// Unpacks a whole zlib stream into exactly so many bytes. False: it is damaged, or unpacks to another number.
bool inflateZlib(const unsigned char* from, std::size_t size, unsigned char* to, std::size_t unpackedSize);

/// Packs whole blocks of memory, quickly rather than tightly.
class Deflater {
public:
    Deflater();
    ~Deflater();
    Deflater(Deflater&&) noexcept;

    /// A zlib stream; how many bytes it has. 0: it would take more than there is room for.
    std::size_t deflateZlib(const unsigned char* from, std::size_t size, unsigned char* to, std::size_t room);

private:
    std::unique_ptr<isal_zstream> m_stream;
    std::vector<unsigned char> m_level;
};

} // namespace io
