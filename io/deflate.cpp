// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/deflate.h"

#include <isa-l/igzip_lib.h>

#include <limits>

namespace io {
namespace {

constexpr std::size_t mostAtOnce = std::numeric_limits<std::uint32_t>::max(); // lengths of ISA-L

} // namespace

bool inflateZlib(const unsigned char* from, std::size_t size, unsigned char* to, std::size_t unpackedSize)
{
    if (size > mostAtOnce || unpackedSize > mostAtOnce)
        return false;
    const auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    state->crc_flag = ISAL_ZLIB;
    state->next_in = const_cast<unsigned char*>(from); // it does not write there
    state->avail_in = static_cast<std::uint32_t>(size);
    state->next_out = to;
    state->avail_out = static_cast<std::uint32_t>(unpackedSize);
    return isal_inflate_stateless(state.get()) == ISAL_DECOMP_OK && state->avail_out == 0;
}

Deflater::Deflater()
    : m_stream(std::make_unique<isal_zstream>())
    , m_level(ISAL_DEF_LVL1_DEFAULT)
{
}

Deflater::~Deflater() = default;
Deflater::Deflater(Deflater&&) noexcept = default;

std::size_t Deflater::deflateZlib(const unsigned char* from, std::size_t size, unsigned char* to, std::size_t room)
{
    if (size > mostAtOnce || room > mostAtOnce)
        return 0;
    isal_deflate_stateless_init(m_stream.get());
    m_stream->level = 1;
    m_stream->level_buf = m_level.data();
    m_stream->level_buf_size = static_cast<std::uint32_t>(m_level.size());
    m_stream->gzip_flag = IGZIP_ZLIB;
    m_stream->end_of_stream = 1;
    m_stream->flush = NO_FLUSH;
    m_stream->next_in = const_cast<unsigned char*>(from); // it does not write there
    m_stream->avail_in = static_cast<std::uint32_t>(size);
    m_stream->next_out = to;
    m_stream->avail_out = static_cast<std::uint32_t>(room);
    if (isal_deflate_stateless(m_stream.get()) != COMP_OK || m_stream->avail_in != 0)
        return 0;
    return room - m_stream->avail_out;
}

} // namespace io
