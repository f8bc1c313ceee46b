// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/matlab/element_stream.h"

#include "io/error.h"
#include "io/unpacker.h"

#include <algorithm>
#include <limits>

namespace io::matlab {
namespace {

constexpr std::size_t bufferBytes = std::size_t{64} << 10;

} // namespace

ElementStream::ElementStream(const std::string& path, std::uint64_t begin, std::uint64_t bytes, bool packed)
    : m_file(path)
    , m_begin(begin)
    , m_left(bytes)
    , m_most(packed ? (bytes + 1) * bestDeflateRatio : bytes)
    , m_packed(packed)
    , m_buffer(bufferBytes)
{
    if (packed && inflateInit(&m_unpacker) != Z_OK)
        throw Error({"cannot be unpacked", fileNameOf(path), m_unpacker.msg ? m_unpacker.msg : "", {}, {}});
    m_file.seek(begin);
}

ElementStream::~ElementStream()
{
    if (m_packed)
        inflateEnd(&m_unpacker);
}

std::size_t ElementStream::fromFile(char* to, std::size_t size)
{
    const std::size_t got = m_file.read(to, static_cast<std::size_t>(std::min<std::uint64_t>(size, m_left)));
    m_left -= got;
    return got;
}

void ElementStream::read(char* to, std::size_t size)
{
    const std::string name = fileNameOf(m_file.path());
    const auto refuseEnd = [&] {
        throw Error({"the data of a variable ends early", name, {}, {}, "The file may have been cut short. Copy it again."});
    };
    m_at += size;
    if (!m_packed) {
        if (fromFile(to, size) != size)
            refuseEnd();
        return;
    }
    while (size > 0) {
        if (m_unpacker.avail_in == 0) {
            m_unpacker.next_in = reinterpret_cast<Bytef*>(m_buffer.data());
            m_unpacker.avail_in = static_cast<uInt>(fromFile(m_buffer.data(), m_buffer.size()));
        }
        const auto room = static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
        m_unpacker.next_out = reinterpret_cast<Bytef*>(to);
        m_unpacker.avail_out = room;
        const bool none = m_unpacker.avail_in == 0;
        const int status = inflate(&m_unpacker, Z_NO_FLUSH);
        const std::size_t got = room - m_unpacker.avail_out;
        to += got;
        size -= got;
        if (size > 0 && (status == Z_STREAM_END || (none && got == 0)))
            refuseEnd();
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
            throw Error({"the packed data of a variable is damaged",
                         name,
                         m_unpacker.msg ? m_unpacker.msg : "",
                         {},
                         "Copy or download the file again."});
    }
}

void ElementStream::skip(std::uint64_t size)
{
    if (!m_packed) {
        const std::uint64_t step = std::min(size, m_left);
        m_left -= step;
        m_at += step;
        m_file.seek(m_begin + m_at);
        size -= step;
    }
    char piece[4096];
    for (; size > 0; size -= std::min<std::uint64_t>(size, sizeof piece))
        read(piece, static_cast<std::size_t>(std::min<std::uint64_t>(size, sizeof piece)));
}

} // namespace io::matlab
